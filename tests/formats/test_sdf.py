"""The SDF reader: poses and frames, joints, loops, nested models, and what it says of files that are wrong."""

import random
import re
import time
import warnings
from contextlib import suppress

import numpy as np
import pytest

from linkwright import dynamics
from linkwright.errors import FormatError, FormatWarning, LinkwrightError
from linkwright.formats.load import load
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.formats.sdf import parse_sdf
from linkwright.spatial.rotation import rotation_about, rotation_rpy, rotation_z
from linkwright.spatial.transform import pose_matrix

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"


def link(name, pose="", inertial=INERTIAL):
    return f'<link name="{name}">{pose}{inertial}</link>\n'


def joint(name, parent, child, type="revolute", inside="<axis><xyz>0 0 1</xyz></axis>"):
    return f'<joint name="{name}" type="{type}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>\n'


def model(*parts, version="1.9", pose=""):
    """Line 1 is <sdf><model>; every part takes a line."""
    return f'<sdf version="{version}"><model name="r">{pose}\n' + "".join(parts) + "</model></sdf>"


def problems(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        with pytest.raises(FormatError) as error:
            parse_sdf(text, place="r.sdf")
    return error.value.problems


def remarks(text):
    with pytest.warns(FormatWarning) as caught:
        found = parse_sdf(text, place="r.sdf")
    assert len(caught) == 1
    return found, str(caught[0].message)


# what is read


def test_an_arm():
    limit = "<limit><lower>-1</lower><upper>2</upper><effort>7</effort><velocity>3</velocity></limit>"
    rub = "<dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>5</spring_stiffness>"
    rub += "<spring_reference>0.3</spring_reference></dynamics>"
    text = model(
        link("base"),
        link("upper", "<pose>0 0 1 0 0 0</pose>"),
        link("fore", '<pose relative_to="upper">0.5 0 0 0 0 0</pose>'),
        joint("fixed", "world", "base", "fixed", ""),
        joint("shoulder", "base", "upper", inside=f"<axis><xyz>0 1 0</xyz>{limit}{rub}</axis>"),
        joint("slide", "upper", "fore", "prismatic", "<axis><xyz>1 0 0</xyz></axis>"),
    )
    arm = parse_sdf(text)
    assert [(one.name, one.type) for one in arm.joints] == [("shoulder", "revolute"), ("slide", "prismatic")]
    shoulder = arm.joints[0]
    for what, value in (("lower", -1), ("upper", 2), ("effort_limit", 7), ("velocity_limit", 3), ("damping", 0.1)):
        assert getattr(shoulder, what)[0] == value
    for what, value in (("friction", 0.2), ("stiffness", 5), ("rest", 0.3)):
        assert getattr(shoulder, what)[0] == value
    np.testing.assert_array_equal(arm.joints[1].lower, [-np.inf])
    T = dynamics.pose(arm, np.array([np.pi / 2, 0.1]), "fore")
    np.testing.assert_allclose(T[:3, 3], [0, 0, 1 - 0.6], atol=1e-15)
    np.testing.assert_allclose(arm.bodies[0].inertia, np.diag([1, 2, 2.5]))


def test_poses_are_relative_to_what_they_say():
    A, B, C, D = (pose_matrix(rotation_rpy([0.1 * k, 0.2, -0.3 * k]), np.array([k, 0.5, -k])) for k in range(1, 5))

    def pose(k, to=""):
        message = f' relative_to="{to}"' if to else ""
        return f"<pose{message}>{k} 0.5 {-k} {0.1 * k} 0.2 {-0.3 * k}</pose>"

    text = model(
        link("a", pose(1, "f")),
        link("b", pose(2, "j")),
        f'<frame name="f">{pose(3)}</frame>\n',
        f'<frame name="g" attached_to="b">{pose(4)}</frame>\n',
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child>'
        + pose(4, "__model__")
        + "<axis><xyz>0 0 1</xyz></axis></joint>\n",
        pose=pose(2),
    )
    found = parse_sdf(text)
    q = np.zeros(1)
    np.testing.assert_allclose(dynamics.pose(found, q, "a"), B @ C @ A, atol=1e-14)
    np.testing.assert_allclose(dynamics.pose(found, q, "b"), B @ D @ B, atol=1e-14)
    np.testing.assert_allclose(dynamics.pose(found, q, "f"), B @ C, atol=1e-14)
    np.testing.assert_allclose(dynamics.pose(found, q, "g"), B @ D @ B @ D, atol=1e-14)
    turned = B @ D @ pose_matrix(rotation_z(0.4)) @ B  # about z of the joint
    np.testing.assert_allclose(dynamics.pose(found, np.array([0.4]), "b"), turned, atol=1e-14)


def test_a_joint_stands_in_its_child_unless_it_says_otherwise():
    text = model(
        link("a"),
        link("b", "<pose>1 0 0 0 0 1.5707963267948966</pose>"),
        joint("j", "a", "b", inside="<pose>0 0.5 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>"),
    )
    T = dynamics.pose(parse_sdf(text), np.array([np.pi]), "b")  # half a turn about (0.5, 0, ·)
    np.testing.assert_allclose(T[:3, 3], [0, 0, 0], atol=1e-15)


def test_axes_are_expressed_in_what_they_say():
    turned = "<pose>0 0 0 0 1.5707963267948966 0</pose>"
    for inside, version, axis in (
        ("<axis><xyz>0 0 1</xyz></axis>", "1.9", [1, 0, 0]),
        ('<axis><xyz expressed_in="__model__">0 0 1</xyz></axis>', "1.9", [0, 0, 1]),
        ('<axis><xyz expressed_in="a">0 0 1</xyz></axis>', "1.9", [0, 0, 1]),
        ("<axis><xyz>0 0 1</xyz></axis>", "1.4", [0, 0, 1]),
        ("<axis><xyz>0 0 1</xyz></axis>", "1.6", [1, 0, 0]),
        ("<axis><use_parent_model_frame>1</use_parent_model_frame><xyz>0 0 1</xyz></axis>", "1.6", [0, 0, 1]),
    ):
        found = parse_sdf(model(link("a"), link("b", turned), joint("j", "a", "b", inside=inside), version=version))
        J = dynamics.jacobian(found, np.zeros(1), "b")
        np.testing.assert_allclose(J[3:, 0], axis, atol=1e-15)


def test_every_joint_type():
    kinds = ("fixed", "continuous", "ball", "universal", "revolute2", "screw", "prismatic")
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2><screw_thread_pitch>0.1</screw_thread_pitch>"
    text = model(link("l"), *(link(f"l{k}") + joint(kind, "l", f"l{k}", kind, axes) for k, kind in enumerate(kinds)))
    found = parse_sdf(text)
    ours = ["revolute", "spherical", "universal", "compound", "helical", "prismatic"]
    assert [one.type for one in found.joints] == ours
    assert found.joint("screw").motion.pitch == 0.1
    turn = rotation_about(np.eye(3)[0], 0.3) @ rotation_about(np.eye(3)[1], -0.5)
    for kind in ("universal", "revolute2"):
        q = found.neutral()
        q[found.slice(kind).q] = [0.3, -0.5]
        T = dynamics.pose(found, q, found.joint(kind).child)
        np.testing.assert_allclose(T[:3, :3], turn, atol=1e-14)


def test_an_old_thread_pitch_is_inverse_and_left_handed():
    inside = "<axis><xyz>0 0 1</xyz></axis><thread_pitch>-20</thread_pitch>"
    found = parse_sdf(model(link("a"), link("b"), joint("j", "a", "b", "screw", inside)))
    np.testing.assert_allclose(found.joints[0].motion.pitch, 2 * np.pi / 20)


def test_joints_that_are_skew_make_a_compound():
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0.6 0.8 0</xyz></axis2>"
    found = parse_sdf(model(link("a"), link("b"), joint("j", "a", "b", "universal", axes)))
    T = dynamics.pose(found, np.array([0.3, -0.5]), "b")
    turn = rotation_about(np.eye(3)[0], 0.3) @ rotation_about(np.array([0.6, 0.8, 0]), -0.5)
    np.testing.assert_allclose(T[:3, :3], turn, atol=1e-14)


def test_a_second_joint_to_a_link_closes_a_loop():
    text = model(
        link("a", "<pose>0 0 0 0 0 0</pose>"),
        link("b", "<pose>1 0 0 0 0 0</pose>"),
        link("c", "<pose>0 1 0 0 0 0</pose>"),
        joint("ground", "world", "a", "fixed", ""),
        joint("one", "a", "b"),
        joint("two", "a", "c"),
        joint("three", "b", "c", inside="<pose>1 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>"),
    )
    found = parse_sdf(text)
    (loop,) = found.loops
    assert (loop.name, loop.type) == ("three", "revolute")
    np.testing.assert_allclose(dynamics.close_loops(found, np.zeros(2)), np.zeros(2), atol=1e-12)
    np.testing.assert_allclose(dynamics.pose(found, np.zeros(2), loop.first)[:3, 3], [1, 1, 0], atol=1e-15)


def test_mimics():
    mimic = '<mimic joint="lead"><multiplier>2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic>'
    follower = f"<axis><xyz>0 0 1</xyz>{mimic}</axis>"
    found = parse_sdf(
        model(link("a"), link("b"), link("c"), joint("lead", "a", "b"), joint("f", "b", "c", inside=follower))
    )
    coupling = found.joints[1].coupling
    assert (coupling.leader, coupling.multiplier) == (0, 2.0)
    assert coupling.offset == pytest.approx(0.3 - 2 * 0.1)


def test_nested_models_are_named_by_their_way():
    inner = '<model name="hand"><pose relative_to="b">0 0 1 0 0 0</pose>' + link("palm") + link("tip")
    inner += joint("wag", "palm", "tip") + "</model>\n"
    found = parse_sdf(model(link("b"), inner, joint("grip", "b", "hand::palm")))
    assert [one.name for one in found.joints] == ["grip", "hand::wag"]
    np.testing.assert_allclose(dynamics.pose(found, np.zeros(2), "hand::tip")[:3, 3], [0, 0, 1])


def test_a_base_is_where_its_pose_puts_it_and_may_float():
    text = model(
        link("a", "<pose>0 0 1 0 0 0</pose>"), link("b"), joint("j", "a", "b"), pose="<pose>1 0 0 0 0 0</pose>"
    )
    fixed, free = parse_sdf(text), parse_sdf(text, "free")
    np.testing.assert_allclose(dynamics.pose(fixed, np.zeros(1), "a")[:3, 3], [1, 0, 1])
    assert [one.type for one in free.joints] == ["free", "revolute"]
    np.testing.assert_allclose(dynamics.pose(free, free.neutral(), "a")[:3, 3], [1, 0, 1])


def test_worlds_have_gravity():
    text = '<sdf version="1.9"><world name="w"><gravity>0 0 -1.62</gravity>' + model(link("a")).partition(">")[2]
    assert parse_sdf(text.replace("</sdf>", "</world></sdf>")).gravity[2] == -1.62


def test_inertias_lie_where_their_poses_put_them():
    inertial = INERTIAL.replace("<mass>", "<pose>0.1 0.2 0.3 0 0 1.5707963267948966</pose><mass>")
    found = parse_sdf(model(link("a"), link("b", inertial=inertial), joint("j", "a", "b")))
    np.testing.assert_allclose(found.bodies[0].center_of_mass, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(found.bodies[0].inertia, np.diag([2, 1, 2.5]), atol=1e-15)
    quaternion = INERTIAL.replace("<mass>", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0.6 0.8</pose><mass>')
    found = parse_sdf(model(link("a"), link("b", inertial=quaternion), joint("j", "a", "b")))
    R = rotation_z(2 * np.arcsin(0.6))
    np.testing.assert_allclose(found.bodies[0].inertia, R @ np.diag([1, 2, 2.5]) @ R.T, atol=1e-15)
    degrees = INERTIAL.replace("<mass>", '<pose degrees="true">0 0 0 0 0 90</pose><mass>')
    found = parse_sdf(model(link("a"), link("b", inertial=degrees), joint("j", "a", "b")))
    np.testing.assert_allclose(found.bodies[0].inertia, np.diag([2, 1, 2.5]), atol=1e-15)


def test_what_is_ignored_or_taken_is_reported():
    found, messages = remarks(model(link("a"), link("b", inertial=""), joint("j", "a", "b"), "<lnk/>\n"))
    assert found.bodies[0].mass == 1.0
    assert "link 'b': no <inertial>: SDF's default of 1 kg and 1 kg m² is taken" in messages
    assert "<lnk> in <model> is not an element of SDF that is read (did you mean 'link'?)" in messages


@pytest.mark.skipif("cassie_v2" not in example_robots(), reason="example-robot-data is not installed")
def test_a_real_robot_with_loops():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        cassie = load("cassie_v2")
    assert [loop.type for loop in cassie.loops] == ["ball"] * len(cassie.loops)
    for loop in cassie.loops:
        one, other = (dynamics.pose(cassie, np.zeros(cassie.nq), end)[:3, 3] for end in (loop.first, loop.second))
        np.testing.assert_allclose(one, other, atol=1e-12)


# what is wrong

NO_ROOM = "<limit><lower>1</lower><upper>0</upper></limit>"

BAD = [
    ('<sdf version="2"><model name="r"/></sdf>', "r.sdf:1:1: the version of <sdf> is '2'; expected 1.4 to 1.12"),
    ('<sdf version="1.9"/>', "it has no <model>; expected one"),
    ('<sdf version="1.9"><model name="a"/><model name="b"/></sdf>', "it has 2 models ('a', 'b'); expected one"),
    ('<sdf version="1.9"><include/></sdf>', "<include> names another file, which is not read"),
    (model("<include/>\n"), "r.sdf:2:1: <include> names another file, which is not read; replace it by its model"),
    (model(), "the model has no links"),
    (model("<link/>\n"), "r.sdf:2:1: <link> has no name"),
    (model(link("a::b")), "the name of <link> has '::', which is for nested models: a::b"),
    (model(link("a"), link("a")), "a second link is named 'a' (the first, a link, is in line 2)"),
    (
        model(link("a"), link("b")),
        "r.sdf:3:1: link 'b' is the child of no joint; only 'a', the first, may have no joint",
    ),
    (model(link("a", "<pose>1 2</pose>")), "link 'a': <pose> is '1 2'; expected 6 numbers, found 2"),
    (model(link("a", "<pose>1 2 x 0 0 0</pose>")), "<pose> has 'x'; expected a finite number"),
    (model(link("a", "<pose>1 2 nan 0 0 0</pose>")), "<pose> has 'nan'; expected a finite number"),
    (model(link("a", '<pose relative_to="f"/>')), "r.sdf:2:16: relative_to: unknown frame 'f'; there is a"),
    (model(link("a", '<pose relative_to="b"/>'), link("b", '<pose relative_to="a"/>')), "in a ring: a → b → a"),
    (model(link("a", '<pose rotation_format="axis">0</pose>')), "rotation_format is 'axis'; there are euler_rpy"),
    (model(link("a", '<pose rotation_format="quat_xyzw">0 0 0 1 1 1 1</pose>')), "has length 2; expected a unit"),
    (model(link("a"), link("b"), joint("j", "a", "c")), "joint 'j': unknown link or frame 'c'; there are a, b, world"),
    (model(link("a"), link("b"), joint("j", "", "b")), "joint 'j': <parent> is empty"),
    (model(link("a"), link("b"), '<joint name="j" type="fixed"><child>b</child></joint>\n'), "has no <parent>"),
    (model(link("a"), link("b"), joint("j", "a", "b", "revolut")), "unknown type 'revolut' (did you mean 'revolute'?)"),
    (model(link("a"), link("b"), joint("j", "a", "b", "")), "the type is missing; there are fixed, revolute"),
    (model(link("a"), link("b"), joint("j", "a", "b", inside="")), "a revolute joint needs an <axis>"),
    (
        model(link("a"), link("b"), joint("j", "a", "b", "universal")),
        "joint 'j': a universal joint needs an <axis2>",
    ),
    (
        model(link("a"), link("b"), joint("j", "a", "b", inside="<axis><xyz>0 0 0</xyz></axis>")),
        "the axis is '0 0 0'; expected a direction",
    ),
    (
        model(link("a"), link("b"), joint("j", "a", "b", inside='<axis><xyz expressed_in="f">0 0 1</xyz></axis>')),
        "expressed_in: unknown frame 'f'; there are a, b, j",
    ),
    (model(link("a"), link("b"), joint("j", "a", "b", "screw")), "a screw joint needs <screw_thread_pitch>"),
    (
        model(link("a"), link("b"), joint("j", "a", "b", inside='<axis><xyz>0 0 1</xyz><mimic joint="k"/></axis>')),
        "mimic: unknown joint 'k'; there is j",
    ),
    (
        model(
            link("a"),
            link("b"),
            joint("j", "a", "b", inside="<axis><limit><lower>1</lower><upper>0</upper></limit></axis>"),
        ),
        "joint 'j': the lower limit [1.] exceeds the upper limit [0.]",
    ),
    (model(link("a", inertial=INERTIAL.replace(">2<", ">-2<"))), "body 'a': the mass is -2; it cannot be negative"),
    (model(link("a", inertial=INERTIAL.replace(">2<", "><"))), "<mass> is ''; expected 1 number, found 0"),
    (model(link("a", inertial='<inertial auto="true"/>')), 'inertias of shapes (auto="true") are not read'),
    (model(link("a"), '<frame name="f" attached_to="g"/>\n'), "frame 'f': unknown link or frame 'g'"),
    (
        model(link("a"), '<frame name="f" attached_to="g"/>\n<frame name="g" attached_to="f"/>\n'),
        "is attached to itself",
    ),
    (model(link("world")), "the name 'world' of <link> is reserved in SDF"),
    (model(link("a"), '<frame name="world"/>\n'), "the name 'world' of <frame> is reserved in SDF"),
    (model(link("a"), '<model name="__model__"/>\n'), "the name '__model__' of <model> is reserved in SDF"),
    (
        model(link("a"), '<model name="m" canonical_link="x"/><frame name="f" attached_to="m"/>\n'),
        "frame 'f': unknown link or frame 'm::x'",
    ),
    (model(link("a"), '<model name="m" placement_frame="x"/>\n'), "placement_frame is not read"),
    ("<robot/>", "r.sdf:1:1: the root element is <robot>; expected <sdf>"),
    ('<!DOCTYPE a [<!ENTITY b "c">]><sdf/>', "DOCTYPE and entities are not allowed"),
    ('<sdf version="1.9"><model', "cut short"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[-40:] for _, message in BAD])
def test_what_is_wrong_is_reported_with_its_place(text, message):
    found = problems(text)
    assert any(message in problem for problem in found), found
    assert all(re.match(r"r\.sdf:\d+:\d+: ", problem) for problem in found)


def test_everything_wrong_is_reported_at_once():
    text = model(link("a", "<pose>x</pose>"), link("b"), joint("j", "c", "b", "hinge"), link("d"))
    assert [problem.partition(": ")[0] for problem in problems(text)] == [
        "r.sdf:2:16",
        "r.sdf:4:30",
        "r.sdf:4:1",
        "r.sdf:5:1",
    ]


@pytest.mark.parametrize(
    ("frame", "count"),
    [
        ('<frame name="f{k}" attached_to="f{after}"/>', 1),
        ('<frame name="f{k}" attached_to="__model__"/>', 0),
        ('<frame name="f{k}" attached_to="g{k}"/>', 40_000),
        ('<model name="m{k}"/><frame name="f{k}" attached_to="m{k}"/>', 0),
        (link("f{k}", '<visual name="v"><pose relative_to="g{k}"/></visual>'), 19_999),
    ],
    ids=["ring", "model", "unknown", "models", "shapes"],
)
def test_frames_are_resolved_in_linear_time(frame, count):
    """The time of a quadratic algorithm would be tens of seconds; a linear one needs about one."""
    n = 20_000
    text = model(link("a"), "".join(frame.format(k=k, after=(k + 1) % n) for k in range(n)))
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        if count:
            found = problems(text)
            assert len(found) in (count, count + 1), found[:3]
        else:
            parse_sdf(text)
    assert time.process_time() - begun < 12.0


def test_a_chain_of_frames_is_followed_to_its_link():
    frames = "".join(f'<frame name="f{k}" attached_to="f{k + 1}"><pose>1 0 0 0 0 0</pose></frame>' for k in range(2000))
    robot = parse_sdf(model(link("a"), frames + '<frame name="f2000" attached_to="a"/>'))
    assert robot.frames["f0"].placement[0, 3] == 2000.0


def test_hostile_sizes():
    ring = "".join(f'<frame name="f{k}"><pose relative_to="f{k + 1}"/></frame>\n' for k in range(3000))
    found = problems(model(link("a"), ring + '<frame name="f3000"><pose relative_to="f0"/></frame>\n'))
    assert "relative to each other in a ring" in found[0]
    chain = link("l0") + "".join(link(f"l{k + 1}") + joint(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(1000))
    assert parse_sdf(model(chain)).nq == 1000
    assert len(problems(model(link("a", f"<pose>{'1 ' * 300_000}</pose>")))[0]) < 400


@pytest.mark.parametrize("seed", range(60))
def test_files_cut_and_mixed_up_are_read_or_refused(seed):
    rng = random.Random(seed)
    text = model(
        link("a", "<pose>0 0 1 0 0 0</pose>"),
        link("b", '<pose relative_to="a">1 0 0 0 0 0</pose>'),
        '<frame name="f" attached_to="b"><pose>1 0 0 0 0 0</pose></frame>\n',
        joint("j", "a", "b", inside="<axis><xyz>0 1 0</xyz><limit><lower>-1</lower></limit></axis>"),
    )
    words = re.split(r"(\s+|[<>])", text)
    for _ in range(rng.randint(1, 4)):
        k = rng.randrange(len(words))
        words[k] = rng.choice([rng.choice(words), "", "nan", "-1", "1e400", "a", "f", "j", "__model__", "world"])
    with warnings.catch_warnings(), suppress(LinkwrightError):
        warnings.simplefilter("ignore", FormatWarning)
        parse_sdf("".join(words))
