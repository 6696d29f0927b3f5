"""Models written as URDF, MJCF, SDF and ZTK, and read again: the same dynamics to 1e-12, and losses are reported."""

import warnings

import numpy as np
import pytest

from linkwright import dynamics
from linkwright.compiler.user import symbols
from linkwright.errors import ArgumentError, FormatWarning, InputError, ModelError
from linkwright.formats.load import load
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.model.build.assembly import described
from linkwright.model.build.builder import Builder
from linkwright.model.build.options import JointLimits
from linkwright.model.joints.joint import (
    JOINT_TYPES,
    Compound,
    Cylindrical,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from linkwright.model.library.built_in import built_in
from linkwright.model.library.dh import DHRow, from_dh
from mechanisms import random_tree


def again(model, path):
    """The model after a way through a file, quietly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        assert model.save(path) == path
        return load(path, trusted=True)


def losses(model, path):
    with pytest.warns(FormatWarning) as caught:
        model.save(path)
    assert len(caught) == 1
    return str(caught[0].message)


def state(model, seed=3):
    rng = np.random.default_rng(seed)
    return model.random(seed=seed), rng.normal(size=model.nv), rng.normal(size=model.nv)


def same_dynamics(one, other, frames=()):
    """M, b, g and torques at a random state, of models with the same coordinates."""
    assert (one.nq, one.nv) == (other.nq, other.nv)
    for seed in range(3):
        q, v, a = state(one, seed)
        pairs = [
            [
                *(dynamics.mass_matrix(m, q), dynamics.bias_forces(m, q, v), dynamics.gravity_forces(m, q)),
                *(dynamics.inverse_dynamics(m, q, v, a), dynamics.passive_forces(m, q, v)),
            ]
            for m in (one, other)
        ]
        for mine, theirs in zip(*pairs, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-12 * max(1.0, np.abs(mine).max()), rtol=1e-12)
        for frame in frames:
            np.testing.assert_allclose(dynamics.pose(one, q, frame), dynamics.pose(other, q, frame), atol=1e-12)


ENDINGS = (".urdf", ".xml", ".sdf", ".ztk")


@pytest.mark.variants("seed")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("seed", range(4))
def test_trees_of_hinges_and_slides(seed, ending, tmp_path):
    model = random_tree([Revolute, Prismatic, Revolute, Revolute, Prismatic, Revolute], seed, springs=False)
    model = model.with_gravity([0.0, 0.0, -9.81])
    read = again(model, tmp_path / f"r{ending}")
    same_dynamics(model, read, ["tip", "base", *(body.name for body in model.bodies)])
    assert [joint.name for joint in read.joints] == [joint.name for joint in model.joints]
    assert read.name == model.name


@pytest.mark.parametrize("seed", range(3))
def test_sdf_and_ztk_of_every_joint_type_that_they_have(seed, tmp_path):
    for ending, kinds in (
        (".sdf", [Revolute, Universal, Helical, Prismatic, Spherical, Cylindrical]),
        (".ztk", [Revolute, Universal, Prismatic, Spherical, Cylindrical, Planar]),
    ):
        model = random_tree(kinds, seed, springs=False).with_gravity([0.0, 0.0, -9.81])
        same_dynamics(model, again(model, tmp_path / f"r{ending}"), ["tip", "base", *(b.name for b in model.bodies)])


def test_a_floating_base_goes_through_sdf_and_ztk(tmp_path):
    model = built_in("humanoid")
    with pytest.warns(FormatWarning, match="the base floats without a joint, as in Gazebo: load it with root='free'"):
        model.save(tmp_path / "r.sdf")
    same_dynamics(model, load(tmp_path / "r.sdf", root="free"))
    same_dynamics(model, again(model, tmp_path / "r.ztk"))


def test_all_that_a_hinge_has_goes_through_sdf(tmp_path):
    builder = Builder("arm", gravity=[1.0, 2.0, 3.0]).body("a", 1.0, [0.1, 0, 0], 0.1)
    limits = JointLimits(-1.0, 2.0, effort=7.0, velocity=3.0)
    builder.joint("h", "revolute", "world", "a", damping=0.2, friction=0.3, limits=limits)
    builder.joint_spring("h", 3.0, rest=0.4)
    builder.body("b", 1.0, [0.1, 0, 0], 0.1).frame("tip", "b", xyz=[0.1, 0.2, 0.3], rpy=[0.3, 0.2, 0.1])
    builder.joint("s", "prismatic", "a", "b", axis=[1, 2, 3]).mimic("s", "h", 0.5, 0.1)
    model = builder.build()
    model.save(tmp_path / "r.sdf")  # nothing is lost
    read = load(tmp_path / "r.sdf")
    same_dynamics(model, read, ["a", "b", "tip"])
    for what in ("lower", "upper", "effort_limit", "velocity_limit", "stiffness", "rest", "damping", "friction"):
        np.testing.assert_array_equal(getattr(model.joints[0], what), getattr(read.joints[0], what), err_msg=what)
    assert model.joints[1].coupling == read.joints[1].coupling
    np.testing.assert_array_equal(read.gravity, [1.0, 2.0, 3.0])


def test_all_that_a_joint_has_in_ztk_goes_through_it(tmp_path):
    builder = Builder("arm").body("h", 1.0, [0.1, 0, 0], 0.1).body("u", 1.0, [0.1, 0, 0], [0.1, 0.2, 0.2])
    builder.joint("h", "revolute", "world", "h", damping=0.2, armature=0.05, limits=(-1.0, 2.0)).joint_spring("h", 3.0)
    builder.joint("u", "universal", "h", "u", friction=[0.1, 0.2], limits=([-1, -2], [1, 2]))
    builder.body("s", 1.0, [0.1, 0, 0], 0.1).joint(
        "s", "prismatic", "u", "s", limits=JointLimits(lower=-1.0, effort=7.0)
    )
    model = builder.build()
    model.save(tmp_path / "r.ztk")  # nothing is lost
    read = load(tmp_path / "r.ztk")
    same_dynamics(model, read, ["h", "u", "s"])
    for joint, other in zip(model.joints, read.joints, strict=True):
        for what in ("lower", "upper", "effort_limit", "stiffness", "damping", "friction", "armature"):
            np.testing.assert_allclose(getattr(joint, what), getattr(other, what), rtol=1e-15, err_msg=what)


@pytest.mark.parametrize("kind", ["weld", "ball", "revolute", "prismatic", "helical"])
def test_loops_that_are_closed_at_zero_go_through_sdf(kind, tmp_path):
    builder = Builder("ring")
    for k, parent in enumerate(("world", "a0", "a1")):
        builder.body(f"a{k}", 1.0, [0.1, 0, 0], 0.1)
        builder.joint(f"h{k}", "revolute", parent, f"a{k}", xyz=[0.3, 0.1 * k, 0.0], rpy=[0.2 * k, 0.1, 0.0])
    model = builder.build()
    T = np.linalg.inv(dynamics.pose(model, np.zeros(3), "a0")) @ dynamics.pose(model, np.zeros(3), "a2")
    axis = {} if kind in ("weld", "ball") else {"axis": [0.0, 0.6, 0.8]}
    type = ("helical", 0.1) if kind == "helical" else kind
    model = builder.loop("close", type, "a0", "a2", placement=T, **axis).build()
    model.save(tmp_path / "r.sdf")
    read = load(tmp_path / "r.sdf")
    for seed in range(3):
        q = 0.3 * np.random.default_rng(seed).normal(size=3)
        one, other = (dynamics.constraint_residual(m, q) for m in (model, read))
        np.testing.assert_allclose(np.abs(one), np.abs(other), atol=1e-12)


def test_a_weld_that_is_closed_at_zero_goes_through_ztk(tmp_path):
    builder = Builder("ring").body("a", 1.0, [0.1, 0, 0], 0.1).joint("a", "revolute", "world", "a")
    builder.body("b", 1.0, [0.1, 0, 0], 0.1).joint("b", "revolute", "world", "b", xyz=[0.5, 0, 0])
    model = builder.loop("w", "weld", "a", "b", xyz=[0.5, 0, 0]).build()
    model.save(tmp_path / "r.ztk")
    read = load(tmp_path / "r.ztk")
    q = np.array([0.3, -0.2])
    np.testing.assert_allclose(
        dynamics.constraint_residual(model, q), dynamics.constraint_residual(read, q), atol=1e-14
    )


def test_what_sdf_and_ztk_lose_is_reported(tmp_path):
    builder = Builder("many").body("a", 1.0, [0.1, 0, 0], 0.1).body("b", 1.0, [0.1, 0, 0], 0.1)
    builder.joint("a", "planar", "world", "a").joint("j", ("helical", 0.1), "a", "b", armature=0.1)
    builder.spring("world", "b", 1.0).loop("d", ("distance", 0.3), "world", "b")
    builder.mesh("b", vertices=np.eye(3), faces=[[0, 1, 2]]).shape("b", "plane")
    model = builder.build()
    result = losses(model, tmp_path / "r.sdf")
    for part in (
        "velocities of planar and free joints are in the parent's axes: 'a'",
        "a planar joint is written as 3 joints: 'a'",
        "armature is lost: 'j'",
        "loops of the kind distance are lost: 'd'",
        "springs between bodies are lost: 'spring1'",
        "meshes without a file are lost: 'b'",
    ):
        assert part in result
    result = losses(model, tmp_path / "r.ztk")
    for part in (
        "a helical joint is written as 2 joints: 'j'",
        "the slide of a helical joint moves independently: 'j'",
        "loops are lost that are not welds: 'd'",
        "shapes of the kind plane are lost: 'b'",
    ):
        assert part in result


@pytest.mark.parametrize("seed", range(3))
def test_urdf_of_every_joint_type(seed, tmp_path):
    kinds = [Free, Revolute, Universal, Cylindrical, Helical, Planar, Spherical, Compound, Prismatic]
    model = random_tree(kinds, seed, springs=False).with_gravity([0.0, 0.0, -9.81])
    read = again(model, tmp_path / "r.urdf")
    same_dynamics(model, read, ["tip", "base", *(body.name for body in model.bodies)])


@pytest.mark.parametrize("seed", range(3))
def test_mjcf_of_every_joint_type_that_it_has(seed, tmp_path):
    kinds = [Revolute, Universal, Cylindrical, Spherical, Prismatic, Revolute]
    model = random_tree(kinds, seed, springs=False)
    read = again(model, tmp_path / "r.xml")
    same_dynamics(model, read, ["tip", "base", *(body.name for body in model.bodies)])


@pytest.mark.parametrize("seed", range(3))
def test_mjcf_of_a_floating_body(seed, tmp_path):
    builder = Builder("float").body("a", 2.0, [0.1, 0.2, 0.3], [0.3, 0.4, 0.5]).joint("f", "free", "world", "a")
    builder.body("b", 1.0, [0.1, 0, 0], [0.01, 0.02, 0.02]).joint("s", "spherical", "a", "b", xyz=[0.1, 0.2, 0.3])
    model = builder.build()
    same_dynamics(model, again(model, tmp_path / "r.xml"), ["a", "b"])


def test_mjcf_of_a_compound_with_a_ball(tmp_path):
    for seed in range(6):
        model = random_tree([Revolute, Compound], seed, springs=False)
        if "planar" in [part.motion.type for part in model.joints[1].motion.parts]:
            continue
        same_dynamics(model, again(model, tmp_path / "r.xml"), ["body1"])


def test_all_that_a_hinge_has_goes_through_mjcf(tmp_path):
    builder = Builder("arm", gravity=[1.0, 2.0, 3.0]).body("a", 1.0, [0.1, 0, 0], 0.1)
    builder.joint("h", "revolute", "world", "a", limits=JointLimits(-1.0, 2.0, effort=7.0)).joint_spring(
        "h", 3.0, rest=0.4
    )
    builder.body("b", 1.0, [0.1, 0, 0], 0.1)
    builder.joint("s", "prismatic", "a", "b", axis=[1, 2, 3], damping=0.2, friction=0.3, armature=0.05)
    model = builder.build()
    model.save(tmp_path / "r.xml")  # nothing is lost
    read = load(tmp_path / "r.xml", trusted=True)
    same_dynamics(model, read)
    for joint, other in zip(model.joints, read.joints, strict=True):
        for what in ("lower", "upper", "effort_limit", "stiffness", "rest", "damping", "friction", "armature"):
            np.testing.assert_array_equal(getattr(joint, what), getattr(other, what), err_msg=what)
    np.testing.assert_array_equal(read.gravity, [1.0, 2.0, 3.0])


def test_limits_dynamics_and_mimics_go_through_urdf(tmp_path):
    builder = Builder("arm").body("a", 1.0, [0.1, 0, 0], 0.1).body("b", 1.0, [0.1, 0, 0], 0.1)
    builder.body("c", 1.0, [0.1, 0, 0], 0.1)
    limits = JointLimits(-1.0, 2.0, effort=7.0, velocity=3.0)
    builder.joint("h", "revolute", "world", "a", damping=0.2, friction=0.3, limits=limits)
    builder.joint("s", "prismatic", "a", "b", axis=[1, 2, 3], limits=limits).mimic("s", "h", 0.5, 0.1)
    builder.joint("t", "continuous", "b", "c", rpy=[0.1, np.pi / 2, 0.3])
    model = builder.build()
    model.save(tmp_path / "r.urdf")  # nothing is lost
    read = load(tmp_path / "r.urdf")
    same_dynamics(model, read)
    for joint, other in zip(model.joints, read.joints, strict=True):
        assert joint.coupling == other.coupling
        for what in ("lower", "upper", "effort_limit", "velocity_limit", "damping", "friction"):
            np.testing.assert_array_equal(getattr(joint, what), getattr(other, what), err_msg=what)


def test_what_urdf_loses_is_reported(tmp_path):
    model = built_in("four_bar")
    result = losses(model, tmp_path / "r.urdf")
    assert "loops are lost" in result
    builder = Builder("arm", gravity=[0, 0, -1.62]).body("a", 1.0, [0.1, 0, 0], 0.1)
    builder.joint("h", ("helical", 0.1), "world", "a", armature=0.1).joint_spring("h", 2.0)
    result = losses(builder.build(), tmp_path / "r.urdf")
    for what in (
        "armature is lost: 'h'",
        "stiffness is lost",
        "gravity (0, 0, -1.62) is lost",
        "is written as 2 joints",
    ):
        assert what in result


def test_followers_are_tied_in_mjcf(tmp_path):
    builder = Builder("arm").body("a", 1.0, [0.1, 0, 0], 0.1).body("b", 1.0, [0.1, 0, 0], 0.1)
    builder.joint("h", "revolute", "world", "a").joint("s", "revolute", "a", "b").mimic("s", "h", 2.0, 0.1)
    result = losses(builder.build(), tmp_path / "r.xml")
    assert "a mimic joint is coupled to its leader by an equality constraint: 's'" in result
    read = load(tmp_path / "r.xml", trusted=True)
    (loop,) = read.loops
    assert (loop.first, loop.second, loop.coefficients[:2]) == ("s", "h", (0.1, 2.0))


@pytest.mark.parametrize("kind", ["ball", "weld", "revolute"])
def test_loops_go_through_mjcf(kind, tmp_path):
    builder = Builder("loop").body("a", 1.0, [0.1, 0, 0], [0.01, 0.02, 0.03]).body("b", 1.0, [0.1, 0, 0], 0.02)
    builder.joint("h", "revolute", "world", "a", axis=[0, 0, 1])
    builder.joint("s", "revolute", "a", "b", axis=[0, 0, 1], xyz=[0.3, 0, 0])
    builder.frame("hand", "b", xyz=[0.3, 0.1, 0.0])
    axis = {"axis": [0, 0, 1]} if kind == "revolute" else {}
    model = builder.loop("closed", kind, "world", "hand", xyz=[0.2, 0.3, 0.0], rpy=[0, 0, 0.2], **axis).build()
    read = again(model, tmp_path / "r.xml")
    rng = np.random.default_rng(1)
    q = rng.normal(size=2)
    T = dynamics.pose(model, q, "hand")
    np.testing.assert_allclose(dynamics.pose(read, q, "hand"), T, atol=1e-14)
    closed = [dynamics.close_loops(one, np.array([1.2, -1.9])) for one in (model, read)] if kind == "ball" else [q, q]
    np.testing.assert_allclose(closed[0], closed[1], atol=1e-9)
    same_dynamics(model, read)


def test_springs_go_through_mjcf(tmp_path):
    builder = Builder("spring").body("a", 1.0, [0.1, 0, 0], [0.01, 0.02, 0.03]).joint("h", "revolute", "world", "a")
    model = builder.spring(("world", [0, 1, 0]), ("a", [0.5, 0, 0]), 10.0, 0.5, 0.3).build()
    read = again(model, tmp_path / "r.xml")
    same_dynamics(model, read)
    assert dynamics.spring_energy(model, np.array([0.4])) == pytest.approx(
        dynamics.spring_energy(read, np.array([0.4]))
    )


def test_massless_bodies_that_move_get_a_trace_for_mujoco(tmp_path):
    builder = Builder("arm").body("a").body("b", 1.0, [0.1, 0, 0], 0.1).joint("h", "revolute", "world", "a")
    model = builder.joint("s", "revolute", "a", "b", axis=[0, 1, 0]).build()
    assert "a moving body without mass or inertia gets 1e-14" in losses(model, tmp_path / "r.xml")
    same_dynamics(model, load(tmp_path / "r.xml", trusted=True))


def quiet_build(builder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return builder.build()


def test_moments_that_no_body_has_become_the_nearest_for_mujoco(tmp_path):
    builder = Builder("arm").body("a", 0.0, inertia=[0.0, 0.0, 0.35]).joint("h", "revolute", "world", "a")
    builder.body("b", 1.0, [0.1, 0, 0], [0.1, 0.1, 0.3]).joint("s", "revolute", "a", "b", axis=[0, 1, 0])
    result = losses(quiet_build(builder), tmp_path / "r.xml")
    assert "the nearest valid ones are written, since MuJoCo rejects others: 'b'" in result
    read = load(tmp_path / "r.xml", trusted=True)
    np.testing.assert_allclose(np.linalg.eigvalsh(read.bodies[1].inertia), [0.4 / 3, 0.4 / 3, 0.8 / 3], rtol=1e-12)


def test_of_a_body_that_turns_about_a_fixed_axis_only_that_moment_counts(tmp_path):
    builder = Builder("arm").body("a", 0.0, inertia=[0.0, 0.0, 0.35]).joint("h", "revolute", "world", "a")
    builder.body("b", 1.0, [0.1, 0, 0], 0.1).joint("s", "revolute", "a", "b", axis=[0, 1, 0])
    model = quiet_build(builder)
    same_dynamics(model, again(model, tmp_path / "r.xml"))


@pytest.mark.parametrize("name", ["puma560", "two_link", "pendulum", "arm7", "quadruped", "humanoid", "arm4"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_built_in_mechanisms(name, ending, tmp_path):
    model = built_in(name)
    if ending in (".urdf", ".ztk"):
        model = model.with_gravity([0.0, 0.0, -9.81])
    same = described(model)
    read = again(model, tmp_path / f"{name}{ending}")
    if ending == ".sdf" and isinstance(model.joints[0].motion, Free):
        read = load(tmp_path / f"{name}{ending}", root="free")
    if np.any(model.armature) and ending in (".urdf", ".sdf"):
        q, v, _ = state(model)
        np.testing.assert_allclose(dynamics.bias_forces(model, q, v), dynamics.bias_forces(read, q, v), atol=1e-10)
        return
    assert same.name == read.name
    same_dynamics(model, read)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_dh_arm(ending, tmp_path):
    rows = [
        DHRow(
            a=0.1 * k, alpha=0.5 * k, d=0.2, theta=0.3, mass=1.0 + k, center_of_mass=[0.1, 0.0, 0.05 * k], inertia=0.1
        )
        for k in range(4)
    ]
    for convention in ("modified", "standard"):
        model = from_dh("arm", rows, convention)
        same_dynamics(model, again(model, tmp_path / f"r{ending}"), ["tool", "dh2"])


def test_what_has_no_limits_has_none_after_urdf(tmp_path):
    builder = Builder("arm").body("a", 1.0, [0.1, 0, 0], 0.1).joint("s", "prismatic", "world", "a")
    builder.body("b", 1.0, [0.1, 0, 0], 0.1).joint("h", "revolute", "a", "b", limits=JointLimits(lower=-1.0))
    model = builder.build()
    model.save(tmp_path / "r.urdf")  # nothing is lost
    read = load(tmp_path / "r.urdf")
    for joint, other in zip(model.joints, read.joints, strict=True):
        for what in ("lower", "upper", "effort_limit", "velocity_limit"):
            np.testing.assert_array_equal(getattr(joint, what), getattr(other, what), err_msg=what)
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (package pin)")
    assert pin.buildModelFromUrdf(str(tmp_path / "r.urdf")).nv == 2


def test_names_that_xml_must_quote(tmp_path):
    builder = Builder('a "b" <c> & d').body("x<y>", 1.0, [0.1, 0, 0], 0.1).joint("h&m 'k'", "revolute", "world", "x<y>")
    model = builder.build()
    for ending in ENDINGS:
        read = again(model, tmp_path / f"r{ending}")
        joint, name = ("x<y>", "a 'b' <c> & d") if ending == ".ztk" else ("h&m 'k'", model.name)
        assert (read.name, read.joints[0].name, read.bodies[0].name) == (name, joint, "x<y>")


def test_names_that_sdf_and_ztk_cannot_have(tmp_path):
    model = Builder("r").body("a::b", 1.0, [0.1, 0, 0], 0.1).joint("a::b", "revolute", "world", "a::b").build()
    text = "names are changed, for those of links, joints and frames must differ: 'a::b'"
    assert text in losses(model, tmp_path / "r.sdf")
    read = load(tmp_path / "r.sdf")
    assert (read.bodies[0].name, read.joints[0].name) == ("a_b", "a_b_")
    model = Builder("r").body('a "b"', 1.0, [0.1, 0, 0], 0.1).joint('a "b"', "revolute", "world", 'a "b"').build()
    assert "names are changed, for quotes cannot stand in them" in losses(model, tmp_path / "r.ztk")
    assert load(tmp_path / "r.ztk").bodies[0].name == "a 'b'"


def test_what_cannot_be_saved(tmp_path):
    arm = built_in("two_link")
    with pytest.raises(ArgumentError, match=r"models are written as \.urdf \(URDF\), \.xml, \.mjcf"):
        arm.save(tmp_path / "r.obj")
    with pytest.raises(ArgumentError, match="a path is"):
        arm.save(3)
    with pytest.raises(ModelError, match="minimal"):
        arm.minimal().save(tmp_path / "r.urdf")
    (m,) = symbols("m", (1,))
    unknown = Builder("u").body("a", m, inertia=0.1).joint("h", "revolute", "world", "a").build()
    with pytest.raises(ModelError, match="'u' has symbols, which files cannot contain"):
        unknown.save(tmp_path / "r.urdf")
    (tmp_path / "d.urdf").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        arm.save(tmp_path / "d.urdf")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.urdf"]


def test_every_joint_type_is_tried():
    assert {Free, Revolute, Universal, Cylindrical, Helical, Planar, Spherical, Compound, Prismatic} == {*JOINT_TYPES}


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.parametrize("name", ["panda", "ur5_robot", "romeo", "solo12", "hyq", "tiago_no_hand", "baxter"])
def test_real_robots_go_through_urdf_and_are_read_by_mujoco(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        model = load(name)
    same_dynamics(model, again(model, tmp_path / "r.urdf"))
    if not any(isinstance(joint.motion, Free) for joint in model.joints):
        same_dynamics(model, again(model, tmp_path / "r.sdf"))
    if not model.has_couplings:
        same_dynamics(model, again(model, tmp_path / "r.ztk"))
    read = again(model, tmp_path / "r.xml")
    if not model.has_couplings and name != "hyq":  # of hyq a body has moments that no rigid body has
        same_dynamics(model, read)
