"""Grounds and pairs of shapes that may touch."""

import copy
import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, LinkwrightWarning, ModelError, UnknownNameError
from linkwright.model.parts.pair import PARTNERS, combined, served


def touching(model):
    """Return the names of the shapes of each pair of a model."""
    return [(model.shapes[pair.first].called, model.shapes[pair.second].called) for pair in model.pairs]


def balls(*names, use="both", **options):
    """Free balls, each with a sphere of the same name."""
    builder = lw.Builder("balls")
    for name in names:
        builder.body(name, 1.0, inertia=1.0).joint(f"{name}_joint", "free", "world", name)
        builder.shape(name, "sphere", radius=0.1, name=name, use=use, contact=lw.ContactProperties(**options))
    return builder


@pytest.mark.parametrize(("name", "count"), [("quadruped", 4), ("humanoid", 2)])
def test_each_foot_of_a_legged_robot_touches_the_ground_that_it_is_put_on(name, count):
    model = lw.load(name).with_ground(-1.0)
    assert len(model.pairs) == count
    ground = len(model.shapes) - 1
    assert {pair.second for pair in model.pairs} == {ground}
    assert model.shapes[ground].called == "ground (plane of world)"
    assert model.shapes[ground].placement[2, 3] == -1.0
    assert all("foot" in model.shapes[pair.first].name for pair in model.pairs)


def test_the_feet_of_the_humanoid_stand_on_its_soles():
    model = lw.load("humanoid")
    q = model.neutral()
    for side in ("left", "right"):
        shape = next(one for one in model.shapes if one.name == f"{side}_foot")
        T = lw.pose(model, q, shape.body) @ shape.placement
        sole = lw.pose(model, q, f"{side}_sole")[2, 3]
        assert np.isclose(T[2, 3] - shape.size[2] / 2, sole)


def test_the_feet_of_the_quadruped_are_spheres_about_its_frames():
    model = lw.load("quadruped")
    feet = [shape for shape in model.shapes if shape.touches]
    assert len(feet) == 4
    for shape in feet:
        assert shape.radius == 0.02
        q = model.random(seed=1)
        assert np.allclose(
            lw.pose(model, q, shape.name)[:3, 3], (lw.pose(model, q, shape.body) @ shape.placement)[:3, 3]
        )


def test_numbers_of_two_shapes_are_combined():
    one = dict(friction=0.3, torsional_friction=0.1, restitution=0.5, stiffness=2.0, damping=3.0, margin=0.1)
    two = dict(friction=0.4, rolling_friction=0.2, stiffness=2.0, damping=3.0, margin=0.2)
    made = lw.Builder("two").body("a").body("b")
    for name, values in (("a", one), ("b", two)):
        made.shape(name, "sphere", radius=1.0, contact=lw.ContactProperties(**values))
    pair = combined(made.describe().shapes, 0, 1)
    assert (pair.first, pair.second, pair.friction, pair.restitution) == (0, 1, 0.3, 0.5)
    assert (pair.torsional_friction, pair.rolling_friction) == (0.1, 0.2)
    assert (pair.stiffness, pair.damping) == (1.0, 1.5)
    assert np.isclose(pair.margin, 0.3)


def test_what_neither_shape_tells_is_as_documented():
    pair = combined(balls("a", "b").describe().shapes, 0, 1)
    assert pair == lw.Pair(0, 1)
    assert (pair.friction, pair.restitution, pair.stiffness, pair.damping, pair.margin) == (0.7, 0.0, None, 0.0, 0.0)


def test_a_rigid_shape_leaves_the_others_stiffness():
    made = (
        balls("a").body("b").shape("b", "sphere", radius=1.0, contact=lw.ContactProperties(stiffness=1e4, damping=20.0))
    )
    pair = combined(made.describe().shapes, 0, 1)
    assert (pair.stiffness, pair.damping) == (1e4, 20.0)


def test_every_kind_touches_a_plane_and_no_pair_is_served_both_ways():
    assert set(PARTNERS["plane"]) == {"sphere", "capsule", "box", "cylinder", "ellipsoid", "cone", "mesh"}
    for second, firsts in PARTNERS.items():
        for first in firsts:
            assert first == second or not served(second, first)


def test_planes_and_heights_are_second():
    plane = lw.Builder("x").body("a").shape("world", "plane")
    heights = lw.Builder("x").body("a").height_field("world", np.zeros((2, 2)), (1, 1))
    for builder in (plane, heights):
        made = builder.shape("a", "box", size=(1, 1, 1)).describe()
        pair = combined(made.shapes, 0, 1)
        assert (pair.first, pair.second) == (1, 0)


def test_contact_is_found_by_the_rules_of_mjcf():
    made = balls("a", "b").body("c", 1.0, inertia=1.0).joint("hinge", "revolute", "a", "c")
    made.body("d", 1.0, inertia=1.0).joint("weld", "fixed", "c", "d")
    made.body("e", 1.0, inertia=1.0).joint("slide", "prismatic", "world", "e")
    for name in ("c", "d", "e", "world"):
        made.shape(name, "sphere", radius=0.1, name=name)
    model = made.build().with_contact()
    found = {frozenset(name.partition(" ")[0] for name in pair) for pair in touching(model)}
    # not a with c and d, which hang on it, nor c with d, which are one body; the world with all
    expected = {"a b", "a e", "a world", "b c", "b d", "b e", "b world", "c e", "c world", "d e", "d world", "e world"}
    assert found == {frozenset(pair.split()) for pair in expected}


def test_shapes_meet_whose_bits_say_so():
    model = balls("a", contype=2, conaffinity=0).build()
    model = model.append(balls("b", contype=0, conaffinity=2).build()).append(
        balls("c", contype=4, conaffinity=1).build()
    )
    assert touching(model.with_contact()) == [("a (sphere of a)", "b (sphere of b)")]


def test_contact_may_be_between_some_and_not_between_others():
    model = balls("a", "b", "c").build()
    assert len(model.with_contact().pairs) == 3
    assert touching(model.with_contact(between=["a", "c"])) == [("a (sphere of a)", "c (sphere of c)")]
    assert len(model.with_contact(exclude=[("c", "b")]).pairs) == 2


def test_pairs_that_there_are_stay_as_they_are():
    model = lw.load("quadruped").with_ground(contact=lw.ContactProperties(friction=0.3))
    more = model.with_contact()
    assert more.pairs[:4] == model.pairs
    assert len(more.pairs) == 4 + 6
    assert more.with_contact() == more


def test_contact_may_be_with_the_ground_alone():
    model = lw.load("humanoid").with_ground()
    feet = replace(model, pairs=()).with_contact(itself=False)
    assert feet.pairs == model.pairs
    assert len(replace(model, pairs=()).with_contact().pairs) == len(model.pairs) + 1  # the feet with each other
    with pytest.raises(ArgumentError, match="itself is True or False"):
        model.with_contact(itself=1)


def test_only_what_is_made_for_contact_touches():
    made = balls("a", use="visual").shape("a", "box", size=(1, 1, 1), use="collision", name="box")
    assert touching(made.build().with_ground()) == [("box (box of a)", "ground (plane of world)")]


# other changes of a model


CHANGES = {
    "gravity": lambda m: m.with_gravity([0, 0, -1.0]),
    "body": lambda m: m.with_body("trunk", mass=1.0),
    "joint": lambda m: m.with_joint("front_left_knee", damping=1.0),
    "payload": lambda m: m.with_payload("trunk", 1.0),
    "frame": lambda m: m.with_frame("tip", "trunk"),
    "loop": lambda m: m.with_loop("loop", "ball", "trunk", "world"),
    "lock": lambda m: m.lock({"front_left_knee": 0.3}),
    "mirror": lambda m: m.mirror("y", {"left": "right", "right": "left"}),
    "reroot": lambda m: m.reroot("hind_left_shank"),
    "snapped": lambda m: m.snapped(),
    "minimal": lambda m: m.minimal(),
    "append": lambda m: m.append(lw.load("quadruped"), prefix="other_"),
    "appended": lambda m: lw.load("quadruped").append(m, prefix="other_"),
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "copy": copy.deepcopy,
    "builder": lambda m: lw.Builder(m).shape("trunk", "box", size=(1, 1, 1)).build(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_pairs_survive_every_change_of_a_model(change):
    model = lw.load("quadruped").with_ground(contact=lw.ContactProperties(friction=0.4, restitution=0.1))
    changed = change(model)
    assert sorted(b for _, b in touching(changed)) == ["ground (plane of world)"] * 4
    feet = sorted(f"{end}_{side}_foot" for end in ("front", "hind") for side in ("left", "right"))
    assert sorted(changed.shapes[pair.first].name for pair in changed.pairs) == feet
    assert {(pair.friction, pair.restitution) for pair in changed.pairs} == {(0.4, 0.1)}
    assert change(model) == changed


def test_the_numbers_of_pairs_may_be_symbols():
    model = lw.load("quadruped").with_ground()
    x = lw.symbols("mu", 4)
    result = replace(model, pairs=tuple(replace(pair, friction=mu) for pair, mu in zip(model.pairs, x, strict=True)))
    assert result.holds_symbols
    assert not model.holds_symbols
    changed = result.with_payload("trunk", 1.0).mirror("y")
    assert all(pair.friction is mu for pair, mu in zip(changed.pairs, x, strict=True))
    assert "friction mu" in str(result)


def test_what_is_locked_together_does_not_touch():
    made = balls("a").body("b", 1.0, inertia=1.0).joint("hinge", "revolute", "world", "b")
    model = made.shape("b", "sphere", radius=0.1).build().with_ground()
    assert len(model.pairs) == 2
    assert [one for one, _ in touching(model.lock({"hinge": 0.0}))] == ["a (sphere of a)"]


def test_a_first_link_that_is_welded_to_the_world_leaves_its_ground():
    model = lw.load("quadruped").with_ground()
    assert len(model.reroot("hind_left_shank", root="fixed").pairs) == 3


def test_each_of_two_mechanisms_keeps_its_ground():
    model = lw.load("quadruped").with_ground()
    both = model.append(model, prefix="other_")
    count = len(model.shapes)
    expected = [(pair.first, pair.second) for pair in model.pairs]
    expected += [(first + count, second + count) for first, second in expected]
    assert [(pair.first, pair.second) for pair in both.pairs] == expected


def test_models_differ_where_their_pairs_do():
    model = lw.load("quadruped")
    assert model.with_ground() == model.with_ground()
    assert model.with_ground() != model
    assert model.with_ground(contact=lw.ContactProperties(friction=0.5)) != model.with_ground(
        contact=lw.ContactProperties(friction=0.6)
    )
    x, y = np.zeros((2, 2)), np.eye(2)
    on = [model.with_ground(heights=z, size=(1, 1)) for z in (x, x.copy(), y)]
    assert on[0] == on[1] != on[2]


# grounds


def test_a_ground_may_lean():
    model = lw.load("quadruped").with_ground(0.5, normal=(0.0, -3.0, 4.0))
    assert np.allclose(model.shapes[-1].placement[:3, 2], (0.0, -0.6, 0.8))
    assert np.allclose(model.shapes[-1].placement[:3, 3], (0.0, 0.0, 0.5))


def test_a_ground_may_have_heights():
    z = np.arange(6.0).reshape(2, 3)
    shape = lw.load("humanoid").with_ground(heights=z, size=(4.0, 2.0)).shapes[-1]
    assert (shape.kind, shape.size) == ("height_field", (4.0, 2.0, 0.0))
    assert np.array_equal(shape.heights, z)


def test_a_mirror_image_has_the_heights_of_the_other_side():
    z = np.arange(6.0).reshape(2, 3)
    model = lw.load("quadruped").with_ground(heights=z, size=(2.0, 2.0))
    image = model.mirror("x")
    shape = image.shapes[-1]
    # heights at the corners, seen in the world
    for one, sign in ((model.shapes[-1], 1.0), (shape, -1.0)):
        T, (rows, columns) = one.placement, one.heights.shape
        found = {}
        for r in range(rows):
            for c in range(columns):
                p = T @ [
                    (c / (columns - 1) - 0.5) * one.size[0],
                    (r / (rows - 1) - 0.5) * one.size[1],
                    one.heights[r, c],
                    1,
                ]
                found[round(sign * p[0], 9) + 0.0, round(p[1], 9) + 0.0] = p[2]
        if sign == 1.0:
            first = found
    assert found == first


def test_a_ground_may_be_touched_by_some_alone():
    model = balls("a", "b").build()
    assert touching(model.with_ground(only=["b"])) == [("b (sphere of b)", "ground (plane of world)")]
    with pytest.raises(UnknownNameError, match="unknown link or shape 'c'"):
        model.with_ground(only=["c"])
    with pytest.raises(ModelError, match="no shape on 'world', as far as these move, of 'balls' touches others"):
        model.with_ground(only=["world"])
    with pytest.raises(ArgumentError, match="only is a list of names"):
        model.with_ground(only="a")


def test_a_second_ground_is_refused():
    model = lw.load("quadruped").with_ground()
    with pytest.raises(ModelError, match="already has a ground"):
        model.with_ground(-1.0)
    wall = lw.Builder("quadruped").body("a", 1.0).joint("j", "free", "world", "a").shape("a", "sphere", radius=1.0)
    wall.shape("world", "plane", rpy=(np.pi / 2, 0.0, 0.0), name="wall")
    assert len(wall.build().with_ground().with_contact().pairs) == 2


def test_a_mechanism_without_touching_shapes_gets_told_which_there_are():
    with pytest.raises(ModelError, match="there are none"):
        lw.load("two_link").with_ground()
    with pytest.raises(ModelError, match=r"it has 19 shapes: cylinder of base, use='visual'; .*; …\. Add"):
        lw.load("arm7").with_ground()
    seen = balls("a", use="visual").build()
    for change in (seen.with_ground, seen.with_contact):
        with pytest.raises(ModelError, match=r"a \(sphere of a\), use='visual'"):
            change()


def test_unknown_names_and_wrong_arguments_are_reported():
    model = balls("left", "right").build()
    with pytest.raises(UnknownNameError, match="unknown link or shape 'lefd'; there are left, right"):
        model.with_contact(between=["lefd", "right"])
    with pytest.raises(UnknownNameError, match="'hand'"):
        model.with_contact(exclude=[("hand", "left")])
    with pytest.raises(ArgumentError, match="between is a list of names"):
        model.with_contact(between="left")
    with pytest.raises(ArgumentError, match="exclude is a list of pairs"):
        model.with_contact(exclude=[("left",)])
    with pytest.raises(ModelError, match="no two shapes of 'balls' may touch"):
        model.with_contact(exclude=[("left", "right")])
    for expected, message in (
        (dict(normal=(0, 0, 0)), "normal of the ground is not zero"),
        (dict(heights=[[1.0, 2.0]], size=(1, 1)), "two of each at least"),
        (dict(height=np.nan), "the height of the ground"),
    ):
        with pytest.raises(InputError, match=message):
            model.with_ground(**expected)
    for expected, message in (
        (dict(friction=-1.0), "coefficient of friction is not negative"),
        (dict(restitution=2.0), "restitution is 0 to 1"),
        (dict(damping=1.0), "rigid contact has no damping"),
        (dict(stiffness=0.0), "stiffness of a contact is finite and above zero"),
        (dict(torsional_friction=-1.0), "torsional_friction is a length"),
    ):
        with pytest.raises(InputError, match=message):
            lw.ContactProperties(**expected)
    with pytest.raises(ArgumentError, match=r"contact is lw.ContactProperties\(…\); got 0.5"):
        model.with_ground(contact=0.5)
    with pytest.raises(ArgumentError, match="needs its size"):
        model.with_ground(heights=[[1.0, 2.0], [1.0, 2.0]])
    many = np.zeros((9, 9))
    many[3, 5] = np.nan
    for heights, size, message in (
        (many, (1.0, 1.0), r"heights must be finite; got nan at \[3, 5\] of an array of shape \(9, 9\)$"),
        (np.zeros((2, 2)), (-6, 4), r"size must be two lengths \(x, y\) above zero, in m; got \(-6, 4\)$"),
        (np.zeros((2, 2)), 6, r"size must be two lengths \(x, y\).*got 6$"),
    ):
        with pytest.raises(InputError, match=message):
            model.with_ground(heights=heights, size=size)
    with pytest.raises(InputError, match="contype is a whole number"):
        balls("a", contype=-1)


def test_names_that_leave_nothing_to_touch_are_reported():
    robot = lw.load("quadruped")
    ground = robot.with_ground()
    with pytest.raises(InputError, match="only is empty: name the links"):
        robot.with_ground(only=[])
    for model in (robot, ground):
        for names in ([], ["front_left_foot"]):
            with pytest.raises(ModelError, match=re.escape(f"with between={names!r}, which names both shapes")):
                model.with_contact(between=names)
    assert len(ground.with_contact(between=["front_left_foot", "ground"]).pairs) == len(ground.pairs)  # there already
    with pytest.raises(UnknownNameError, match=r"'foot'; there are .*front_left_foot.* \(of \d+ links or shapes\)"):
        robot.with_ground(only=["foot"])


def test_a_ground_of_heights_leans_as_a_whole():
    z, lean = np.full((3, 3), 0.2), np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
    made = balls("a", "b").build().with_ground(heights=z, size=(40.0, 40.0), normal=(0.0, 1.0, 1.0))
    plane = balls("a", "b").build().with_ground(0.2 * np.sqrt(2.0), normal=(0.0, 1.0, 1.0))
    assert np.allclose(made.shapes[-1].placement[:3, 2], lean)
    q = made.neutral()
    q[0:3] = q[7:10] = 0.28 * lean
    found = [lw.simulate(model, q, np.zeros(model.nv), 0.01, 0.01).contacts for model in (made, plane)]
    assert np.allclose(found[0].gaps, found[1].gaps)
    assert np.allclose(found[0].normals, found[1].normals)


def test_kinds_without_points_of_contact_are_left_out_and_reported():
    made = balls("a").shape("a", "plane", name="hat")
    with pytest.warns(LinkwrightWarning, match=r"plane and plane have no points of contact: hat"):
        model = made.build().with_ground()
    assert touching(model) == [("a (sphere of a)", "ground (plane of world)")]


def test_meshes_touch_with_their_convex_hulls():
    pytest.importorskip("scipy")
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = np.array(
        [
            [0, 1, 3],
            [0, 3, 2],
            [4, 6, 7],
            [4, 7, 5],
            [0, 4, 5],
            [0, 5, 1],
            [2, 3, 7],
            [2, 7, 6],
            [0, 2, 6],
            [0, 6, 4],
            [1, 5, 7],
            [1, 7, 3],
        ]
    )
    inner = np.vstack([corners, [[0.5, 0.5, 0.5]]])
    made = lw.Builder("cube").body("a", 1.0, inertia=1.0).joint("root", "free", "world", "a")
    model = made.mesh("a", vertices=inner, faces=faces, scale=(1.0, 2.0, -3.0)).build().with_ground()
    hull = model.shapes[0].hull
    assert sorted(map(tuple, hull)) == sorted(map(tuple, corners * (1.0, 2.0, -3.0)))
    assert len(model.pairs) == 1


def test_of_fine_meshes_the_corners_stay_that_show_most():
    pytest.importorskip("scipy")
    from linkwright.formats.meshes.reading import hull_of

    rng = np.random.default_rng(0)
    for count in (50, 500, 5000):
        x = rng.normal(size=(count, 3))
        ball = x / np.linalg.norm(x, axis=1)[:, None] * (1.0, 0.5, 0.2)
        hull = hull_of(lw.Shape("a", "mesh", vertices=ball, faces=np.array([[0, 1, 2]])))
        assert len(hull) <= 64
        n = rng.normal(size=(3, 1000))
        n /= np.linalg.norm(n, axis=0)
        missed = (ball @ n).max(axis=0) - (hull @ n).max(axis=0)
        assert missed.min() >= -1e-15
        assert missed.max() < 0.04


def test_meshes_that_are_not_found_are_left_out_and_reported():
    made = balls("a").mesh("a", "nowhere.stl")
    with pytest.warns(LinkwrightWarning, match="there is no mesh nowhere.stl"):
        model = made.build().with_ground()
    assert len(model.pairs) == 1
    alone = lw.Builder("alone").body("a", 1.0, inertia=1.0).joint("j", "free", "world", "a")
    alone = alone.mesh("a", "nowhere.stl").build()
    with pytest.raises(ModelError, match=r"no shape of 'alone' can touch the ground: .*there is no mesh nowhere"):
        alone.with_ground()
    both = lw.Builder(alone).shape("world", "plane").build()
    with pytest.raises(ModelError, match=r"no two shapes of 'alone' may touch: .*there is no mesh nowhere"):
        both.with_contact()


def test_what_may_touch_is_reported_with_the_model():
    options = dict(friction=0.5, restitution=0.2, stiffness=1e4, damping=10.0, margin=0.001, rolling_friction=0.01)
    model = lw.load("quadruped").with_ground(contact=lw.ContactProperties(**options))
    line = (
        "front_left_foot (sphere of front_left_shank) ─ ground (plane of world), friction 0.5, "
        "rolling friction 0.01 m, restitution 0.2, 10000 N/m, 10 N s/m, margin 0.001 m"
    )
    assert f"contact, 4 pairs:\n   {line}\n" in str(model)
    assert line in model._repr_html_()
    assert "contact" not in str(lw.load("quadruped"))


def test_of_many_pairs_the_first_are_reported():
    model = balls(*(f"b{k}" for k in range(20))).build().with_contact()
    assert len(model.pairs) == 190
    assert "contact, 190 pairs:" in str(model)
    assert "… and 166 more" in str(model)
    assert "… and 130 more" in model._repr_html_()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"stiffness": -1.0}, "stiffness of a contact is finite and above zero"),
        ({"stiffness": "a"}, "the stiffness of a contact is a number; got 'a'"),
        ({"friction": -1.0}, "friction is not negative"),
        ({"friction": None}, "friction is a number; got None"),
        ({"restitution": 3.0}, "restitution is 0 to 1"),
        ({"damping": None}, "the damping of a contact is a number"),
        ({"damping": 5.0, "stiffness": None}, "a rigid contact has no damping"),
        ({"margin": np.nan}, "margin is a length"),
        ({"first": 7}, "its first shape is an index below 2"),
        ({"second": 0}, "it has two shapes; both are 0"),
        ({"first": 1, "second": 0}, "a plane and a sphere have no points of contact"),
    ],
)
@pytest.mark.parametrize("field", ["pairs", "listed_pairs"])
def test_pairs_that_are_replaced_are_checked(changed, message, field):
    builder = lw.Builder("ball").body("ball", 1.0, inertia=0.1).joint("up", "prismatic", "world", "ball")
    model = (
        builder.shape("ball", "sphere", radius=0.1, contact=lw.ContactProperties(stiffness=1e4)).build().with_ground()
    )
    pair = replace(model.pairs[0], **changed)
    with pytest.raises(ModelError, match=message):
        replace(model, **{field: (pair,)})
    assert replace(model, pairs=(replace(model.pairs[0], stiffness=np.float64(2e4)),))


def test_many_missing_meshes_are_one_short_line(tmp_path):
    links, names = "", [f"package://robot/meshes/{'arm' if k % 2 else 'leg'}/part{k}.stl" for k in range(8)]
    for k, file in enumerate(names):
        links += f'<link name="l{k}"><collision><geometry><mesh filename="{file}"/></geometry></collision></link>'
        if k:
            links += f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/></joint>'
    body = '<link name="top"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    links += f'{body}<joint name="up" type="continuous"><parent link="l7"/><child link="top"/></joint>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="robot">{links}</robot>')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = lw.load(tmp_path / "robot.urdf", root="free")
    text = "8 mesh files are missing in package://robot/meshes: leg/part0.stl, arm/part1.stl, leg/part2.stl, …; the "
    with pytest.warns(lw.errors.LinkwrightWarning, match=re.escape(text) + r".*ROS_PACKAGE_PATH$") as caught:
        robot.with_ground()
    assert len(str(caught[0].message)) < 300 + 10 * len(str(tmp_path))
