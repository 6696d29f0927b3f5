"""Models made from models: each is the mechanism built by hand so, or the same mechanism described otherwise."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import dynamics
from linkwright.errors import FormatWarning, InputError, LinkwrightError, ModelError, UnknownNameError
from linkwright.model.build.assembly import assemble
from linkwright.model.build.builder import Builder
from linkwright.model.build.options import JointLimits
from linkwright.model.joints.joint import JOINT_TYPES, Compound, Cylindrical, Free, Planar, Spherical
from linkwright.model.library.built_in import built_in
from linkwright.model.tree import Model
from linkwright.spatial.transform import pose_matrix
from mechanisms import one_of_each, random_pose, random_tree, relative_error, state, trees

some = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 2**32 - 1)
M = np.diag([1.0, -1.0, 1.0])


def same_dynamics(one: Model, other: Model, seed: int = 0) -> None:
    """Require that two models have the same results at random states."""
    assert one.coordinate_names == other.coordinate_names
    q, v, a = state(one, seed)
    result = [
        (
            dynamics.inverse_dynamics(model, q, v, a),
            dynamics.mass_matrix(model, q),
            dynamics.passive_forces(model, q, v),
            np.array([dynamics.pose(model, q, name) for name in one.frames]),
            model.lower,
            model.upper,
        )
        for model in (one, other)
    ]
    for x, y in zip(*result, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11)


def limb(mass: float = 2.0, damping: float = 0.1, gravity=(0, 0, -9.81), **joint) -> Builder:
    return (
        Builder("limb", gravity)
        .body("upper", 1.5, (0.1, 0.0, 0.2), (0.02, 0.03, 0.01))
        .body("lower", mass, (0.0, 0.1, 0.1), (0.05, 0.04, 0.02))
        .joint("shoulder", "spherical", "world", "upper", xyz=(0, 0.2, 0))
        .joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), xyz=(0, 0, 0.4), damping=damping, **joint)
        .frame("hand", "lower", xyz=(0.1, 0, 0.3), rpy=(0.1, 0.2, 0.3))
    )


def test_a_changed_body_is_one_built_so():
    same_dynamics(limb(5.0).build(), limb().build().with_body("lower", mass=5.0))
    other = limb().build().with_body("lower", mass=3.0, center_of_mass=(1, 2, 3), inertia=0.5)
    assert other.bodies[1].mass == 3.0
    np.testing.assert_allclose(other.bodies[1].center_of_mass, (1, 2, 3))
    np.testing.assert_allclose(other.bodies[1].inertia, 0.5 * np.eye(3), atol=1e-14)
    assert limb().build().bodies[1].mass == 2.0


def test_a_link_that_is_welded_on_is_changed_by_its_own_name():
    welded = limb().body("palm", 0.5).joint("wrist", "fixed", "lower", "palm", xyz=(0, 0, 0.3)).build()
    assert welded.with_link("palm", mass=1.0).bodies[1].mass == pytest.approx(3.0)
    assert welded.with_link("lower", mass=1.0).bodies[1].mass == pytest.approx(1.5)
    with pytest.raises(UnknownNameError, match="palm"):
        welded.with_link("plam", mass=1.0)
    same_dynamics(limb(5.0).build(), limb().build().with_link("lower", mass=5.0))


def test_a_body_is_changed_with_all_that_is_welded_to_it():
    """`with_body` with the values that `model.bodies` lists changes nothing."""
    welded = limb().body("palm", 0.5, (0.1, 0, 0), 0.01).joint("wrist", "fixed", "lower", "palm", xyz=(0, 0, 0.3))
    welded = welded.body("stand", 4.0, (0, 0, 1), 0.2).joint("bolts", "fixed", "world", "stand").build()
    body = welded.bodies[1]
    same = welded.with_body("lower", mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.inertia)
    same_dynamics(same, welded)
    heavier = welded.with_body("lower", mass=1.0)
    assert heavier.bodies[1].mass == pytest.approx(1.0)
    np.testing.assert_allclose(heavier.bodies[1].center_of_mass, body.center_of_mass, atol=1e-14)
    np.testing.assert_allclose(heavier.bodies[1].inertia, body.inertia, atol=1e-14)
    for name, where in (("palm", "welded to body 'lower'"), ("stand", "welded to the world")):
        with pytest.raises(ModelError, match=f"{name}.*{where}.*with_link"):
            welded.with_body(name, mass=1.0)
    with pytest.raises(UnknownNameError, match="lower"):
        welded.with_body("lwer", mass=1.0)


def test_masses_scaled_one_by_one_and_all_at_once():
    """A loop over the bodies counts nothing twice; with their inertias it is with_scaled_masses, but for the base."""
    welded = limb().body("palm", 0.5, (0.1, 0, 0), 0.01).joint("wrist", "fixed", "lower", "palm", xyz=(0, 0, 0.3))
    model = welded.body("stand", 4.0, (0, 0, 1), 0.2).joint("bolts", "fixed", "world", "stand").build()
    one_by_one = model
    for body in model.bodies:
        one_by_one = one_by_one.with_body(body.name, mass=1.1 * body.mass, inertia=1.1 * body.inertia)
    assert sum(one.mass for one in one_by_one.bodies) == pytest.approx(1.1 * sum(one.mass for one in model.bodies))
    at_once = model.with_scaled_masses(1.1)
    same_dynamics(one_by_one, at_once)
    q = model.random(seed=0)
    heavy, light = (dynamics.mass_matrix(one, q) for one in (at_once, model))
    np.testing.assert_allclose(heavy, 1.1 * light, rtol=1e-12, atol=1e-14)
    assert {one.name: one.mass for one in at_once.description.bodies}["stand"] == pytest.approx(4.4)
    for wrong in (0.0, -1.0, np.nan, "heavy", [1.0, 2.0]):
        with pytest.raises(LinkwrightError, match="factor"):
            model.with_scaled_masses(wrong)


def test_a_changed_joint_is_one_built_so():
    values = dict(damping=0.7, friction=0.2, stiffness=3.0, rest=0.4, armature=0.3, lower=-1.0, upper=2.0)
    built = limb(damping=0.7, friction=0.2, armature=0.3, limits=(-1.0, 2.0)).joint_spring("elbow", 3.0, rest=0.4)
    same_dynamics(built.build(), limb().build().with_joint("elbow", **values))
    free = built.build().with_joint("elbow", lower=None, upper=None)
    assert np.isinf(free.upper).all()
    with pytest.raises(ModelError, match="damping must be finite and not negative"):
        limb().build().with_joint("elbow", damping=-1.0)


def test_part_of_a_compound_joint_is_changed_alone():
    model = random_tree([Compound], 3)
    name = f"{model.joints[0].name}.1"
    changed = model.with_joint(name, damping=9.0, upper=0.5)
    places = model.slice(name)
    expected = model.joints[0].damping.copy()
    expected[places.v] = 9.0
    np.testing.assert_array_equal(changed.joints[0].damping, expected)
    assert changed.upper[places.q] == 0.5
    assert np.isinf(changed.upper).sum() == model.nq - 1


def test_a_payload_is_a_body_welded_on():
    by_hand = (
        limb()
        .body("payload", 0.8, (0, 0, 0.05), (0.01, 0.02, 0.03))
        .joint("weld", "fixed", "lower", "payload", xyz=(0.1, 0, 0.3), rpy=(0.1, 0.2, 0.3))
        .build()
    )
    loaded = limb().build().with_payload("hand", 0.8, (0, 0, 0.05), (0.01, 0.02, 0.03))
    same_dynamics(by_hand, loaded)
    assert loaded.bodies[1].links == ("lower", "payload")
    assert dynamics.welded_mass(loaded.with_payload("world", 2.0, name="stone")) == 2.0


def test_frames_and_loops_are_those_of_a_builder():
    model = limb().build()
    same_dynamics(limb().frame("tip", "lower", xyz=(1, 2, 3)).build(), model.with_frame("tip", "lower", xyz=(1, 2, 3)))
    closed = model.with_loop("pin", "ball", "hand", "world", xyz=(0, 0, 1))
    assert closed.loops == limb().loop("pin", "ball", "hand", "world", xyz=(0, 0, 1)).build().loops


def gripper() -> Builder:
    return (
        Builder("gripper")
        .body("palm", 0.3, (0, 0, 0.02), 0.001)
        .body("finger", 0.1, (0.01, 0, 0), 0.0001)
        .body("thumb", 0.1, (-0.01, 0, 0), 0.0001)
        .joint("mount", "fixed", "world", "palm", xyz=(0, 0, 0.01))
        .joint("slide", "prismatic", "palm", "finger", axis=(1, 0, 0), limits=JointLimits(upper=0.04))
        .joint("other", "prismatic", "palm", "thumb", axis=(1, 0, 0))
        .mimic("other", "slide", -1.0)
        .frame("grip", "world", xyz=(0, 0, 0.1))
        .spring("finger", "world", 10.0)
    )


def test_what_is_appended_hangs_on_the_frame():
    place = dict(xyz=(0.1, 0, 0.3), rpy=(0.1, 0.2, 0.3))
    T = limb().frame("mount", "lower", **place).describe().frames[-1].placement
    by_hand = (
        limb()
        .body("g_palm", 0.3, (0, 0, 0.02), 0.001)
        .body("g_finger", 0.1, (0.01, 0, 0), 0.0001)
        .body("g_thumb", 0.1, (-0.01, 0, 0), 0.0001)
        .joint("g_mount", "fixed", "lower", "g_palm", placement=T @ pose_matrix(p=np.array([0, 0, 0.01])))
        .joint("g_slide", "prismatic", "g_palm", "g_finger", axis=(1, 0, 0), limits=JointLimits(upper=0.04))
        .joint("g_other", "prismatic", "g_palm", "g_thumb", axis=(1, 0, 0))
        .mimic("g_other", "g_slide", -1.0)
        .frame("g_grip", "lower", placement=T @ pose_matrix(p=np.array([0, 0, 0.1])))
        .spring("g_finger", "hand", 10.0)
        .build()
    )
    appended = limb().build().append(gripper().build(), "hand", prefix="g_")
    same_dynamics(by_hand, appended)
    assert appended.name == "limb"


def test_two_of_one_name_are_reported_apart_by_a_prefix():
    one = gripper().build()
    with pytest.raises(ModelError, match=r"(?s)body or frame 'finger'.*give a prefix"):
        limb().build().append(one, "hand").append(one, "hand")
    both = limb().build().append(one, "hand", "left_").append(one, "hand", "right_")
    assert {"left_slide", "right_slide"} <= set(both.coordinate_names)


@some
@given(trees(4), trees(3), seeds)
def test_appended_mechanisms_keep_their_loops_names_and_numbers(one, other, seed):
    whole = one.append(other, "tip", "other ")
    q = whole.random(seed=seed)
    assert whole.nv == one.nv + other.nv
    assert dynamics.total_mass(whole) >= dynamics.total_mass(one)  # what was welded to the other's world may move now
    alone = np.concatenate([q[whole.slice("other " + joint.name).q] for joint in other.joints])
    T = dynamics.pose(whole, q, "tip") @ dynamics.pose(other, alone, "tip")
    assert relative_error(dynamics.pose(whole, q, "other tip"), T) < 1e-12


def mirrored_state(model: Model, image: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By what the documentation says: signs of what changes."""
    signs_q, signs_v = np.ones(model.nq), np.ones(model.nv)
    for joint in model.joints:
        places = model.slice(joint.name)
        if isinstance(joint.motion, Spherical):
            signs_q[places.q], signs_v[places.v] = (1, -1, 1, -1), (-1, 1, -1)
        elif isinstance(joint.motion, Free):
            signs_q[places.q], signs_v[places.v] = (1, -1, 1, 1, -1, 1, -1), (1, -1, 1, -1, 1, -1)
        elif isinstance(joint.motion, Cylindrical):
            signs_q[places.q], signs_v[places.v] = (-1, 1), (-1, 1)
    return signs_q * q, signs_v


MIRRORED = [kind for kind in JOINT_TYPES if kind is not Compound]


@some
@given(st.lists(st.sampled_from(MIRRORED), min_size=1, max_size=5), seeds, st.booleans())
def test_the_mirror_image_moves_as_one(kinds, seed, mimics):
    model = random_tree(kinds, seed % 1000, mimics=mimics)
    image = model.mirror("y").with_gravity(M @ model.gravity)
    q, v, a = state(model, seed)
    q_image, signs = mirrored_state(model, image, q, v)
    for name in model.frames:
        T, seen = dynamics.pose(model, q, name), dynamics.pose(image, q_image, name)
        assert relative_error(seen, pose_matrix(M @ T[:3, :3] @ M, M @ T[:3, 3])) < 1e-12
    tau = dynamics.inverse_dynamics(model, q, v, a)
    assert relative_error(signs * dynamics.inverse_dynamics(image, q_image, signs * v, signs * a), tau) < 1e-11
    passive = dynamics.passive_forces(model, q, v)
    assert relative_error(signs * dynamics.passive_forces(image, q_image, signs * v), passive) < 1e-11
    again = image.mirror("y").with_gravity(model.gravity)
    same_dynamics(model, again)


def test_the_mirror_image_of_a_compound_moves_as_one():
    for seed in range(6):
        model = random_tree([Compound, Compound], seed)
        if any(isinstance(part.motion, Spherical) for joint in model.joints for part in joint.motion.parts):
            continue
        image, q = model.mirror("y"), model.random(seed=1)
        T, seen = dynamics.pose(model, q, "tip"), dynamics.pose(image, q, "tip")
        assert relative_error(seen, pose_matrix(M @ T[:3, :3] @ M, M @ T[:3, 3])) < 1e-12
        same_dynamics(model, image.mirror("y"))


def test_a_left_hand_makes_a_right_one():
    left = (
        Builder("left_hand")
        .body("left_palm", 1.0, (0, 0.2, 0), 0.01)
        .joint("left_wrist", ("helical", 0.1), "world", "left_palm", axis=(0, 0.6, 0.8), limits=(-1, 2))
        .loop("left_pin", ("helical", 0.3), "left_palm", "world", axis=(0, 1, 0))
        .build()
    )
    right = left.mirror("y", {"left": "right"})
    assert right.joints[0].name == "right_wrist"
    assert right.joints[0].motion.pitch == -0.1
    assert right.loops[0].kind.pitch == -0.3
    q = np.array([0.7])
    np.testing.assert_allclose(dynamics.center_of_mass(right, q), M @ dynamics.center_of_mass(left, q))
    np.testing.assert_array_equal((right.lower, right.upper), (left.lower, left.upper))


@pytest.mark.parametrize("kind", ["weld", "ball", "revolute", "universal", "planar", "distance", "mask", "joint"])
def test_loops_are_closed_in_the_mirror(kind):
    from mechanisms import with_loops

    model, q = with_loops(random_tree([JOINT_TYPES[0], JOINT_TYPES[1], JOINT_TYPES[0], JOINT_TYPES[3]], 5), [kind], 1)
    image = model.mirror("y")
    q_image, signs = mirrored_state(model, image, q, q)
    assert np.abs(dynamics.constraint_residual(model, q)).max() < 1e-12
    assert np.abs(dynamics.constraint_residual(image, q_image)).max() < 1e-12
    K, K_image = dynamics.constraint_jacobian(model, q), dynamics.constraint_jacobian(image, q_image) * signs
    np.testing.assert_allclose(np.linalg.pinv(K) @ K, np.linalg.pinv(K_image) @ K_image, atol=1e-9)


def floating(kinds, seed: int) -> Model:
    model = random_tree([Free, *kinds], seed, floating=True)
    plain = dict(stiffness=0.0, damping=0.0, friction=0.0, armature=0.0)
    for joint in model.joints:
        parts = joint.motion.parts if isinstance(joint.motion, Compound) else [joint]
        if any(part.motion.nq > 2 for part in parts):
            model = model.with_joint(joint.name, **plain)
    return model


@some
@given(st.lists(st.sampled_from(JOINT_TYPES), min_size=1, max_size=4), seeds)
def test_another_root_carries_the_same_mechanism(kinds, seed):
    model = floating(kinds, seed % 1000)
    new = model.bodies[-1].name
    other = model.reroot(new)
    assert other.bodies[0].name == new
    assert other.nv == model.nv
    q, v, _ = state(model, seed)
    q_other, v_other = other.neutral(), np.zeros(other.nv)
    base = dynamics.pose(model, q, new)
    q_other[:3] = base[:3, 3]
    q_other[3:7] = _quaternion(base[:3, :3])
    twist = dynamics.velocity(model, q, v, new, "body")
    v_other[:6] = twist
    way = {joint.name for joint in model.joints} - {
        joint.name for joint in other.joints if _same_side(model, other, joint.name)
    }
    for joint in model.joints[1:]:
        one, two = model.slice(joint.name), other.slice(joint.name)
        x, u = q[one.q], v[one.v]
        if joint.name in way:
            x, u = _from_other_side(joint.motion, x, u)
        q_other[two.q], v_other[two.v] = x, u
    for name in model.frames:
        assert relative_error(dynamics.pose(other, q_other, name), dynamics.pose(model, q, name)) < 1e-11
    assert dynamics.kinetic_energy(other, q_other, v_other) == pytest.approx(dynamics.kinetic_energy(model, q, v))
    moving = dynamics.momentum(other, q_other, v_other)
    assert relative_error(moving, dynamics.momentum(model, q, v)) < 1e-8  # rates of inverses are differences
    assert dynamics.spring_energy(other, q_other) == pytest.approx(dynamics.spring_energy(model, q))
    power = dynamics.passive_forces(other, q_other, v_other) @ v_other
    assert power == pytest.approx(dynamics.passive_forces(model, q, v) @ v)


def _quaternion(R: np.ndarray) -> np.ndarray:
    from linkwright.geometry.rotation import to_quaternion

    return np.asarray(to_quaternion(R))


def _same_side(model: Model, other: Model, name: str) -> bool:
    one, two = model.joint(name), other.joint(name)
    return one.child == two.child


def _from_other_side(motion, q, v):
    """Coordinates of a joint turned round, as documented."""
    if isinstance(motion, Compound):
        xs, at_q, at_v = [], 0, 0
        for part in motion.parts:
            nq, nv = part.motion.nq, part.motion.nv
            xs.append(_from_other_side(part.motion, q[at_q : at_q + nq], v[at_v : at_v + nv]))
            at_q, at_v = at_q + nq, at_v + nv
        return np.concatenate([x for x, _ in xs[::-1]]), np.concatenate([u for _, u in xs[::-1]])
    if not isinstance(motion, (Spherical, Planar, Free)):
        return q, v
    back = motion.difference(q, motion.neutral)
    inverse = motion.integrate(motion.neutral, back)
    h = 1e-6  # the rate of the inverse, by differences
    ahead, behind = (
        motion.integrate(motion.neutral, motion.difference(motion.integrate(q, s * h * v), motion.neutral))
        for s in (1, -1)
    )
    return inverse, motion.difference(behind, ahead) / (2 * h)


def test_a_climber_stands_on_its_other_hand():
    arm = (
        Builder("climber")
        .body("foot", 3.0, (0, 0, 0.1), 0.1)
        .body("leg", 1.0, (0, 0, 0.2), 0.02)
        .joint("stand", "fixed", "world", "foot")
        .joint("hip", "revolute", "foot", "leg", axis=(0, 1, 0), xyz=(0, 0, 0.1), limits=(-1.0, 2.0))
        .build()
    )
    hanging = arm.reroot("leg")
    assert dynamics.total_mass(hanging) == 3.0
    np.testing.assert_array_equal((hanging.lower, hanging.upper), ([-1.0], [2.0]))
    afloat = arm.reroot("leg", "free")
    assert afloat.nv == 7
    assert dynamics.total_mass(afloat) == 4.0


def test_what_cannot_carry_says_why():
    with pytest.raises(InputError, match=r"one free or fixed joint at the world.*'shoulder' \(spherical\)"):
        limb().build().reroot("lower")
    with pytest.raises(UnknownNameError):
        limb().build().reroot("knee")
    model = random_tree([Free, Planar], 1, floating=True)
    with pytest.raises(InputError, match=r"of the (free|planar) joint 'joint.' cannot be expressed"):
        model.reroot("body1")


def test_what_is_given_wrong_is_reported():
    model = limb().build()
    for wrong in (
        lambda: model.append("gripper", "hand"),
        lambda: model.append(model, "hnad", "x"),
        lambda: model.mirror("w"),
        lambda: model.mirror("y", "left"),
        lambda: model.with_body("lower", mass="heavy"),
        lambda: model.with_body("lower", center_of_mass=(1, 2)),
        lambda: model.with_joint("knee", damping=1.0),
        lambda: model.with_joint("elbow", dampign=1.0),
        lambda: model.with_payload("hand", -1.0),
        lambda: model.reroot("lower", "flying"),
    ):
        with pytest.raises(LinkwrightError):
            wrong()


def test_small_mistakes_are_reported_in_the_words_that_were_typed():
    model = built_in("two_link")
    with pytest.raises(LinkwrightError, match=r"has no argument 'masss'; it takes \(name, \*, mass=\.\.\., center"):
        model.with_body("link1", masss=1.0)
    loaded = model.with_payload("tip", 1.0)
    with pytest.raises(ModelError, match=r"a link or frame 'payload' already: .* another name \(name=…\)$"):
        loaded.with_payload("tip", 2.0)
    assert loaded.with_payload("tip", 2.0, name="other").bodies[-1].mass == pytest.approx(4.0)
    for kind, expected, message in (
        ("ellipsoid", {"radius": 1.0}, "a shape of 'link1': an ellipsoid has no radius"),
        ("ellipsoid", {"size": [1.0, 1.0, -1.0]}, "a shape of 'link1': the size of an ellipsoid is finite"),
        ("box", {"size": [1.0, 1.0, 1.0], "xyz": [1.0, 2.0]}, "a shape of 'link1': xyz must be finite"),
        ("box", {"size": [1.0, 1.0, 1.0], "xyz": [1.0, 2.0], "name": "lid"}, "shape 'lid': xyz must be finite"),
    ):
        with pytest.raises(LinkwrightError, match=message):
            Builder(model).shape("link1", kind, **expected)


def test_transformations_of_minimal_models_are_minimal():
    model = built_in("arm7").minimal()
    loaded = model.with_payload("tool", 2.0)
    assert loaded.physical is not None
    q, v, a = state(model, 0)
    physical = built_in("arm7").with_payload("tool", 2.0)
    tau = dynamics.inverse_dynamics(physical, q, v, a)
    assert relative_error(dynamics.inverse_dynamics(loaded, q, v, a), tau) < 1e-12


def test_a_builder_refuses_negative_moments_where_files_warn():
    with pytest.raises(ModelError, match="body 'a': no rigid body has a negative principal moment"):
        Builder("x").body("a", 1.0, inertia=(0.1, 0.1, -0.01)).joint("j", "revolute", "world", "a").build()
    with pytest.raises(ModelError, match="negative principal moment"):
        limb().build().with_body("lower", inertia=(0.1, 0.1, -0.01))


def test_what_a_file_had_is_reported_once():
    description = limb().describe()
    bodies = tuple(
        replace(body, inertia=np.diag([0.1, 0.1, -0.01]), place="limb.urdf:3:5") for body in description.bodies
    )
    with pytest.warns(FormatWarning, match="negative principal moment"):
        model = assemble(replace(description, bodies=bodies))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.with_payload("hand", 1.0).with_joint("elbow", damping=1.0).with_frame("tip", "lower").lock({"elbow": 0.0})


def test_one_of_each_goes_on_from_a_builder():
    model = one_of_each(2)
    same_dynamics(model, Builder(model).build())
    rng = np.random.default_rng(0)
    T = random_pose(rng)
    q = model.random(seed=rng)
    further = model.with_frame("further", "body0", placement=T)
    assert relative_error(dynamics.pose(further, q, "further"), dynamics.pose(model, q, "body0") @ T) < 1e-14
