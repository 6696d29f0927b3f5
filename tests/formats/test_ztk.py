"""The ZTK reader: RoKi's samples (tests/formats/ztk), every key, and what it says of files that are wrong."""

import re
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import linkwright_gallery
from linkwright import dynamics
from linkwright.errors import FormatError, FormatWarning, LinkwrightError
from linkwright.formats.load import load
from linkwright.formats.ztk import parse_ztk
from linkwright.model.library.dh import DHRow, from_dh
from linkwright.spatial.rotation import rotation_about, rotation_z

SAMPLES = Path(__file__).parent / "ztk"
H5 = Path(linkwright_gallery.__file__).parent / "humanoid_h5" / "H5.ztk"
KEYS = r"^[ \t]*(mass|COM|inertia)[ \t]*:(.*?)(?=^[ \t]*\w+[ \t]*:|\Z)"
"""Keys of masses in a section of a ZTK file, with their values up to the next key."""


def quietly(read, *given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return read(*given)


def problems(text):
    with pytest.raises(FormatError) as error:
        quietly(parse_ztk, text, None, "r.ztk")
    return error.value.problems


def remarks(text):
    with pytest.warns(FormatWarning) as caught:
        model = parse_ztk(text, place="r.ztk")
    assert len(caught) == 1
    return model, str(caught[0].message)


def link(name, inside="", parent="base", type="revolute"):
    on = f"parent: {parent}\n" if parent else ""
    return f"[roki::link]\nname: {name}\njointtype: {type}\n{on}{inside}".rstrip("\n") + "\n"


BASE = "[roki::chain]\nname: r\n" + link("base", parent="", type="fixed")
MASS = "mass: 2\nCOM: 0.1 0.2 0.3\ninertia: { 1, 0, 0, 0, 2, 0, 0, 0, 2.5 }\n"


# RoKi's own files


def test_puma_is_the_arm_of_its_table():
    arm = quietly(load, SAMPLES / "puma.ztk")
    assert (arm.name, arm.nq, arm.nv) == ("PUMA", 6, 6)
    assert [joint.name for joint in arm.joints] == [f"link{k}" for k in range(1, 7)]
    assert [body.mass for body in arm.bodies] == [0.0, 17.4, 4.8, 0.82, 0.34, 0.09]
    np.testing.assert_array_equal(arm.bodies[1].center_of_mass, [0.068, 0.006, -0.016])
    np.testing.assert_allclose(arm.bodies[1].inertia, np.diag([0.13, 0.524, 0.539]), atol=1e-15)
    np.testing.assert_allclose(arm.upper, np.full(6, np.pi))
    turn = np.pi / 2
    geometry = [(0, 0, 0.3), (0, -turn, 0.05), (0.2, 0, 0), (0.02, -turn, 0.18), (0, turn, 0), (0, -turn, 0)]
    rows = [
        DHRow(a=a, alpha=alpha, d=d, mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.inertia)
        for (a, alpha, d), body in zip(geometry, arm.bodies, strict=True)
    ]
    table = quietly(from_dh, "puma", rows)
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 6))
    np.testing.assert_allclose(
        dynamics.inverse_dynamics(arm, q, v, a), dynamics.inverse_dynamics(table, q, v, a), atol=1e-12
    )


@pytest.mark.parametrize("path", [*sorted(SAMPLES.glob("*.ztk")), H5], ids=lambda path: path.name)
def test_links_of_all_samples_weigh_what_their_files_say(path, tmp_path):
    """Read from the text by other means: mass, COM, and inertia about it, of each link that gives them."""
    model = quietly(load, path)
    links = {body.name: body for body in model.description.bodies}
    text = re.sub(r"(^|\s)[%#].*", r"\1", path.read_text(encoding="utf-8"))
    compared = 0
    for section in re.findall(r"\[roki::link\](.*?)(?=\n\[|\Z)", text, re.DOTALL):
        values = {
            key: [float(x) for x in re.findall(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", value)]
            for key, value in re.findall(
                r"^[ \t]*(mass|COM|inertia)[ \t]*:(.*?)(?=^[ \t]*\w+[ \t]*:|\Z)", section, re.M | re.S
            )
        }
        link = links[re.search(r"name[ \t]*:[ \t]*(\S+)", section)[1]]
        for key, own in (("mass", [link.mass]), ("COM", link.center_of_mass), ("inertia", np.ravel(link.inertia))):
            if len(values.get(key, [])) == len(own):
                np.testing.assert_allclose(own, values[key], atol=1e-9, err_msg=f"{link.name} {key}")
                compared += 1
    assert compared or path.name in ("arm.ztk", "double_fourbar_linkage.ztk", "dualarm.ztk", "invpend.ztk")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        model.save(tmp_path / "again.ztk")
        again = load(tmp_path / "again.ztk")
    assert (again.nq, again.nv, len(again.loops)) == (model.nq, model.nv, len(model.loops))
    q = model.random(seed=0)
    np.testing.assert_allclose(dynamics.mass_matrix(again, q), dynamics.mass_matrix(model, q), atol=1e-12)


def test_arm_takes_its_inertias_from_shapes():
    arm = load(SAMPLES / "arm.ztk")
    assert [joint.type for joint in arm.joints] == ["spherical"] * 4
    assert (arm.nq, arm.nv) == (16, 12)
    ball, rod = 4 / 3 * np.pi * 0.02**3, np.pi * 0.01**2 * 0.11
    density = 1.0 / (ball + rod)
    height = rod * 0.075 / (ball + rod)
    np.testing.assert_allclose(arm.bodies[0].center_of_mass, [0, 0, height])
    axial = density * (0.4 * ball * 0.02**2 + 0.5 * rod * 0.01**2)
    across = density * (
        0.4 * ball * 0.02**2 + ball * height**2 + rod * (0.01**2 / 4 + 0.11**2 / 12) + rod * (0.075 - height) ** 2
    )
    np.testing.assert_allclose(arm.bodies[0].inertia, np.diag([across, across, axial]), atol=1e-15)
    assert arm.bodies[3].links == ("link4", "hand")
    assert arm.bodies[3].mass == pytest.approx(1.1)


def test_two_motors_of_torque():
    with pytest.warns(FormatWarning) as warned:
        arm = load(SAMPLES / "arm_2DoF_trq.ztk")
    text = str(warned[0].message)
    assert "staticfriction is not used" in text
    assert "'link#01', 'link#02'" in text
    for joint in arm.joints:
        assert (joint.effort_limit[0], joint.damping[0], joint.friction[0]) == (50.0, 2.2, 4.32)
    np.testing.assert_allclose(arm.welded.mass, 1.5)  # the base is on its side, as its frame says
    np.testing.assert_allclose(dynamics.pose(arm, np.zeros(2), "link#02")[:3, 3], [0, 0, 0.55], atol=1e-15)


def test_bound_links_close_loops():
    linkage = quietly(load, SAMPLES / "double_fourbar_linkage.ztk")
    assert [loop.type for loop in linkage.loops] == ["weld", "weld"]
    assert str(dynamics.mobility(linkage)).startswith("2 degrees of freedom")
    q = np.zeros(8)
    q[[linkage.slice(name).q.start for name in ("input_link1", "output_link1")]] = 0.4
    q[[linkage.slice(name).q.start for name in ("coupler_link1", "coupler_link_dup1")]] = -0.4
    closed = dynamics.close_loops(linkage, q)
    np.testing.assert_allclose(closed, q, atol=1e-9)  # parallelograms: as RoKi's own test asks


def test_pendulum_and_its_unknown_key():
    with pytest.warns(FormatWarning, match=r"60:1: link 'arm', 'pendulum': 'viscos' is not a key of a link \(did you"):
        pendulum = load(SAMPLES / "invpend.ztk")
    np.testing.assert_allclose(dynamics.mass_matrix(pendulum, np.zeros(2))[1, 1], 0.0011403 + 0.085 * 0.195**2)


# keys


def test_every_joint_type():
    kinds = ("fixed", "revolute", "prismatic", "cylindrical", "hooke", "spherical", "planar", "float")
    text = BASE + "".join(link(f"l{k}", MASS, type=kind) for k, kind in enumerate(kinds))
    model = parse_ztk(text)
    ours = ["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "free"]
    assert [joint.type for joint in model.joints] == ours


def test_limits_are_in_degrees_and_meters():
    text = BASE + link("a", "min: -90\nmax: 180") + link("b", "min: -0.5\nmax: inf", type="prismatic")
    text += link("c", "min: -0.1, -30\nmax: 0.2, 60", type="cylindrical")
    text += link("d", "min: -45 -30\nmax: 45 30\nviscosity: 1 2\ncoulomb: 3 4\nstiffness: 5 6", type="hooke")
    model = parse_ztk(text)
    np.testing.assert_allclose(model.lower, [-np.pi / 2, -0.5, -0.1, -np.pi / 6, -np.pi / 4, -np.pi / 6])
    np.testing.assert_allclose(model.upper, [np.pi, np.inf, 0.2, np.pi / 3, np.pi / 4, np.pi / 6])
    hooke = model.joint("d")
    for found, given in ((hooke.damping, [1, 2]), (hooke.friction, [3, 4]), (hooke.stiffness, [5, 6])):
        np.testing.assert_array_equal(found, given)


def test_hooke_turns_about_z_then_y():
    model = parse_ztk(BASE + link("a", MASS, type="hooke"))
    T = dynamics.pose(model, np.array([0.3, -0.7]), "a")
    np.testing.assert_allclose(T[:3, :3], rotation_z(0.3) @ rotation_about(np.eye(3)[1], -0.7), atol=1e-15)


@pytest.mark.parametrize(
    "placed",
    [
        "frame: { 0, -1, 0, 1,  1, 0, 0, 2,  0, 0, 1, 3 }",
        "pos: ( 1, 2, 3 )\natt: { 0, -1, 0\n 1, 0, 0\n 0, 0, 1 }",
        "rot: 0 0 2 90\npos: 1; 2; 3",
        "rot: 0 0 1 45\nrot: 0 0 1 45\npos: 1 2 3",
    ],
)
def test_ways_to_place_a_link(placed):
    model = parse_ztk(BASE + link("a", placed))
    T = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], dtype=float)
    np.testing.assert_allclose(dynamics.pose(model, np.zeros(1), "a"), T, atol=1e-15)


def test_the_motors_of_joints_that_become_several_have_names_of_their_own(tmp_path):
    source = tmp_path / "r.xml"
    source.write_text("""<mujoco><worldbody><body name='b'><joint name='a' axis='1 0 0' armature='.1'/>
        <joint name='c' axis='0 1 0' armature='.2'/><geom size='.1'/></body></worldbody></mujoco>""")
    quietly(quietly(load, source).save, tmp_path / "r.ztk")
    again = quietly(load, tmp_path / "r.ztk")
    assert [joint.armature.tolist() for joint in again.joints] == [[0.1], [0.2]]


def test_dc_motors_give_reflected_inertia():
    motor = "[roki::motor]\nname: m\ntype: dc\ngearratio: 100\nrotorinertia: 1.69e-7\ngearinertia: 3e-7\n"
    model = parse_ztk(BASE + motor + link("a", "motor: m"))
    np.testing.assert_allclose(model.joints[0].armature, [100**2 * 4.69e-7])
    default, messages = remarks(BASE + "[roki::motor]\nname: m\ntype: dc\n" + link("a", "motor: m"))
    np.testing.assert_allclose(default.joints[0].armature, [120**2 * (1.65e-6 + 5.38e-6)])
    assert "gearratio is not given; RoKi's 120 is taken" in messages


def test_density_and_mirrored_shapes():
    shape = "[zeo::shape]\nname: b\ntype: box\ncenter: 0.1 0.2 0.3\ndepth: 1\nwidth: 2\nheight: 3\n"
    shape += "[zeo::shape]\nname: m\nmirror: b y\npos: 0 0 1\n"
    auto = "density: 2\nCOM: auto\ninertia: auto\n"
    model = parse_ztk(BASE + shape + link("a", auto + "shape: b") + link("c", auto + "shape: m"))
    one, other = model.bodies
    assert one.mass == other.mass == pytest.approx(12.0)
    np.testing.assert_allclose(one.center_of_mass, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(one.inertia, np.diag([13.0, 10.0, 5.0]), atol=1e-14)
    np.testing.assert_allclose(other.center_of_mass, [0.1, -0.2, 1.3])
    model, messages = remarks(BASE + shape + link("a", "density: 2\nshape: b"))
    assert model.bodies[0].mass == pytest.approx(12.0)
    assert 'density gives the mass alone; COM and inertia is zero unless "auto"' in messages


def test_a_loop_with_an_arc():
    shape = "[zeo::shape]\nname: b\ntype: polyhedron\n"
    shape += "loop: z 0\n -1,-1\n arc cw 1 400\n -1, 1\n 2, 1\n 2,-1\nprism: 0 0 1\n"
    model = parse_ztk(BASE + shape + link("a", "density: 1\nCOM: auto\ninertia: auto\nshape: b"))
    # half a disc bulges out on the left of a rectangle of 3 by 2: clockwise from below to above
    assert model.bodies[0].mass == pytest.approx(6.0 + np.pi / 2, rel=1e-4)


def test_a_polyhedron_of_vertices_and_faces():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    shape = "[zeo::shape]\nname: t\ntype: polyhedron\n"
    shape += "".join(f"vert: {k} {{ {x}, {y}, {z} }}\n" for k, (x, y, z) in enumerate(corners))
    shape += "face: 0 2 1\nface: 0 1 3\nface: 0 3 2\nface: 1 2 3\n"
    model = parse_ztk(BASE + shape + link("a", "mass: 6\nCOM: auto\ninertia: auto\nshape: t"))
    np.testing.assert_allclose(model.bodies[0].center_of_mass, [0.25, 0.25, 0.25])
    np.testing.assert_allclose(np.diag(model.bodies[0].inertia), np.full(3, 6 * 3 / 40))


def test_the_first_link_may_float_and_lie_elsewhere():
    text = "[roki::chain]\nname: r\n" + link("base", MASS, "", "float")
    text += "[roki::chain::init]\nframe: { 1 0 0 0.5 0 1 0 0 0 0 1 0 }\njoint: base 0 0 1 0 0 0\n"
    model, messages = remarks(text)
    assert model.joints[0].type == "free"
    np.testing.assert_allclose(dynamics.pose(model, model.neutral(), "base")[:3, 3], [0.5, 0, 0])
    assert "initial coordinates of joints are not used" in messages
    assert parse_ztk(BASE + link("a", MASS), "free").joints[0].type == "free"


def test_comments_marks_and_line_ends():
    text = BASE.replace("\n", "\r\n") + "% all of this line\n" + link("a#1", "mass: 2 # so much\n")
    assert parse_ztk(text.encode()).bodies[0].name == "a#1"
    assert parse_ztk(BASE.encode("utf-8-sig")).nq == 0


# what is wrong


BAD = [
    (BASE + link("a", "mass: heavy"), "r.ztk:10:7: link 'a': mass is 'heavy'; expected one number"),
    (BASE + link("a", "mass: 1 2"), "r.ztk:10:1: link 'a': mass is '1 2'; expected one number, found 2"),
    (BASE + link("a", "COM: 0 1"), "r.ztk:10:1: link 'a': COM is '0 1'; expected 3 numbers, found 2"),
    (BASE + link("a", "mass: nan"), "link 'a': mass is 'nan'; expected one number"),
    (BASE + link("a", "mass: 1e60"), "mass is '1e60'; no number may exceed 1e+50"),
    (BASE + link("a", "mass: -1"), "body 'a': the mass is -1; it cannot be negative"),
    (BASE + link("a", "inertia: 1 2 3"), "inertia is '1 2 3'; expected 9 numbers, row by row, found 3"),
    (BASE + link("a", "frame: 1 0 0"), "frame is '1 0 0'; expected 12 numbers, 3 rows of a rotation and a position"),
    (BASE + link("a", "att: 1 0 0 0 1 0 0 0 -1"), "the attitude in att is left-handed; expected a rotation matrix"),
    (BASE + link("a", "att: 1 0 0 0 2 0 0 0 1"), "the attitude in att is not orthonormal: it is off by 3"),
    (BASE + link("a", "rot: 0 0 0 90"), "rot is '0 0 0 90'; its axis is zero"),
    (BASE + link("a", "DH: 1 2 3"), "DH is '1 2 3'; expected a, alpha, d and theta in m and degrees, found 3"),
    (BASE + link("a", type="revolut"), "unknown jointtype 'revolut' (did you mean 'revolute'?); there are fixed,"),
    (BASE + link("a", type="revolute pasive"), "after the type only 'passive' may stand"),
    (BASE + link("a", parent="bsae"), "link 'a': parent: unknown link 'bsae'; there are a, base"),
    (BASE + link("a", parent=""), "r.ztk:6:1: link 'a' has no parent; only 'base', the first, may"),
    (
        BASE + link("a", parent="b") + link("b", parent="a"),
        "these bodies are joined in a cycle: a → b → a",
    ),
    (BASE + link("a") + link("a"), "r.ztk:10:1: a second link is named 'a' (the first is in line 6)"),
    (BASE + link("a", "mass: 1\nmass: 2"), "r.ztk:11:1: link 'a': a second mass (the first is in line 10)"),
    (BASE + link("a", "min: 10\nmax: -10"), "min is 10 and max is -10: there is nothing between them"),
    (BASE + link("a", "min: 1 2"), "min is '1 2'; expected one number, found 2"),
    (BASE + link("a", "viscosity: -1"), "viscosity is '-1'; it cannot be negative"),
    (BASE + link("a", "motor: m"), "link 'a': unknown motor 'm'"),
    (BASE + "[roki::motor]\nname: m\ntype: ac\n", "motor 'm': unknown type 'ac'; there are dc, trq, none"),
    (BASE + "[roki::motor]\nname: m\n", "motor 'm': the type is missing; there are dc, trq, none"),
    (
        BASE + "[roki::motor]\nname: m\ntype: trq\nmax: 1\n" + link("a", "motor: m", type="hooke"),
        "motor 'm' drives one coordinate; the joint has 2",
    ),
    (BASE + link("a", "shape: s"), "link 'a': unknown shape 's'"),
    (BASE + link("a", "COM: auto"), 'COM or inertia is "auto": a mass or a density is needed'),
    (BASE + link("a", "mass: 1\nCOM: auto"), "is to come from its shapes, and it has none"),
    (BASE + link("a", "mass: 1\ndensity: 1"), "it has a mass too (line 10); expected one of them"),
    (BASE + link("a", "bind: b"), "link 'a': bind: unknown link 'b'; there are a, base"),
    (BASE + link("a", "bind: a"), "bind: it names the link itself"),
    (BASE + "[roki::link]\nmass: 1\n", "r.ztk:6:1: a [roki::link] needs a name"),
    (BASE + "[roki::link]\nname:\n", "r.ztk:7:1: a [roki::link] needs a name"),
    (BASE + "[roki::link\nname: a\n", "r.ztk:6:1: a tag that is not closed on its line by ]"),
    (BASE + 'mass: "1\n', "r.ztk:6:7: a quotation mark that is not closed on its line"),
    (BASE + "[roki::link] 1\nname: a\n", "r.ztk:6:14: '1' in [roki::link] has no key before it"),
    ("name: r\n" + BASE, "r.ztk:1:1: 'name' stands before the first tag; expected [roki::chain]"),
    ("[roki::chain]\nname: r\n", "r.ztk: the robot has no [roki::link]"),
    (BASE + "[roki::chain]\nname: s\n", "r.ztk:6:1: a second [roki::chain] (the first is in line 1); expected one"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[-40:] for _, message in BAD])
def test_what_is_wrong_is_reported_with_its_place(text, message):
    assert any(message in problem for problem in problems(text)), problems(text)


SHAPE = "[zeo::shape]\nname: s\n"
AUTO = link("a", "mass: 1\nCOM: auto\nshape: s")
BAD_SHAPES = [
    ("", "shape 's': the type is missing; there are box, sphere"),
    ("type: bx\n", "shape 's': unknown type 'bx' (did you mean 'box'?); there are box"),
    ("type: box\ndepth: 1\nwidth: 1\n", "shape 's': height is missing"),
    ("type: box\ndepth: 1\nwidth: 1\nheight: x\n", "height is 'x'; expected one number"),
    ("type: box\ndepth: 1\nwidth: 1\nheight: 1\nax: 0 0 0\n", "ax is '0 0 0'; expected a direction, not zero"),
    ("type: box\ndepth: 1\nwidth: 1\nheight: 1\nax: 1 1 0\n", "are not at right angles to each other"),
    ("type: cylinder\ncenter: 0 0 0\nradius: 1\n", "it has 1 of them; expected 2 centers, each of 3 numbers"),
    ("type: cone\ncenter: 0 0 0\nradius: 1\n", "expected one vert of 3 numbers"),
    ("type: ellipticcylinder\ncenter: 0 0 0\ncenter: 0 0 1\nradius: 1\nradius: 2\n", "needs a ref"),
    ("type: nurbs\n", "a nurbs is not weighed; give the mass, COM and inertia of its link"),
    ("import: mesh.stl\n", "its mesh is in another file, which is not read"),
    ("mirror: t x\n", "mirror is 't x'; expected the name of another shape and x, y or z"),
    ("mirror: s x\n", "shapes mirror each other in a ring: s → s"),
    ("type: polyhedron\nvert: 0 0 0 0\nface: 0 1 2\n", "face is '0 1 2'; the vertices are 0 … 0"),
    ("type: polyhedron\n", "a polyhedron needs vert and face, or loop and prism or pyramid"),
    ("type: polyhedron\nloop: w 0\nprism: 0 0 1\n", "loop is 'w 0'; expected x, y or z"),
    (
        "type: polyhedron\nloop: z 0 1 1 2\nprism: 0 0 1\n",
        "a corner of a loop has 2 numbers; this is the last, and one",
    ),
    ("type: polyhedron\nloop: z 0 1 1 2 2\nprism: 0 0 1\n", "needs a loop, or vertices, of three corners or more"),
    (
        "type: polyhedron\nloop: z 0 0 0 arc cw 0.1 3 1 0 1 1\nprism: 0 0 1\n",
        "an arc of radius 0.1 does not reach over 1 m",
    ),
    ("type: polyhedron\nloop: z 0 0 0 arc up 0.1 3 1 0\nprism: 0 0 1\n", "an arc follows a corner: cw or ccw"),
    ("type: sphere\nradius: 0\n", "whose volume is zero"),
]


@pytest.mark.parametrize(("inside", "message"), BAD_SHAPES)
def test_shapes_that_cannot_be_weighed_are_reported_with_their_place(inside, message):
    found = problems(BASE + SHAPE + inside + AUTO)
    assert any(message in problem for problem in found), found
    assert all(re.match(r"r\.ztk:\d+:\d+: ", problem) for problem in found)


def test_everything_wrong_is_reported_at_once():
    text = BASE + link("a", "mass: x\nCOM: 1\nmin: y") + link("b", parent="c", type="hinge")
    found = problems(text)
    assert [problem.partition(": ")[0] for problem in found] == [
        "r.ztk:10:7",
        "r.ztk:11:1",
        "r.ztk:12:6",
        "r.ztk:15:1",
        "r.ztk:16:1",
    ]


def test_what_is_ignored_is_reported():
    _, messages = remarks(BASE + "[roki::lnik]\nname: q\n" + link("a", "color: red\nmin: 1", type="spherical"))
    assert "[roki::lnik] is not a section that is read (did you mean 'roki::link'?); it is ignored" in messages
    assert "link 'a': 'color' is not a key of a link; it is ignored" in messages
    assert "link 'a': a spherical joint has no min; it is ignored" in messages


def test_what_is_no_text():
    for data, expected in (
        (b"", "is empty"),
        (b"[roki::chain]\n\xff\xfe", ":2: not UTF-8 text"),
        (b"\x00" * 30, "before"),
    ):
        with pytest.raises(FormatError, match=expected):
            parse_ztk(data, place="r.ztk")


def test_hostile_sizes():
    mirrors = "".join(f"[zeo::shape]\nname: s{k}\nmirror: s{k + 1} x\n" for k in range(3000))
    ball = "[zeo::shape]\nname: s3000\ntype: sphere\nradius: 1\n"
    auto = link("a", "mass: 1\nCOM: auto\ninertia: auto\nshape: s0")
    assert parse_ztk(BASE + mirrors + ball + auto).bodies[0].inertia[0, 0] == pytest.approx(0.4)
    name = "n" * 5000
    assert "has 5000 characters" in problems(BASE + link(name))[0]
    deep = BASE + "".join(link(f"l{k}", parent=f"l{k - 1}" if k else "base") for k in range(2000))
    assert parse_ztk(deep).nq == 2000


@pytest.mark.parametrize("seed", range(60))
def test_files_cut_and_mixed_up_are_read_or_refused(seed):
    rng = np.random.default_rng(seed)
    text = (SAMPLES / ("puma.ztk", "arm.ztk", "double_fourbar_linkage.ztk")[seed % 3]).read_text()
    words = re.split(r"(\s+)", text)
    for _ in range(rng.integers(1, 6)):
        k, j = rng.integers(len(words), size=2)
        words[k] = rng.choice([words[j], "", "auto", "-1", "[", ":", "nan", "1e400", '"', "\x00"])
    with suppress(LinkwrightError):
        quietly(parse_ztk, "".join(words))
