"""Mechanisms that change while they move: momenta, energies, where bodies are."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError, ModelError
from linkwright.model.joints.joint import Free, Prismatic, Revolute, Spherical, Universal
from linkwright.spatial.rotation import quaternion_from_matrix
from mechanisms import random_tree, state


def poses(model, q):
    return {body.name: lw.pose(model, q, body.name) for body in model.bodies}


def a_tree(seed=0):
    model = random_tree([Free, Spherical, Universal, Prismatic, Revolute], seed, springs=False, floating=True)
    q, v, *_ = state(model, seed)
    return model, q, v


def carnot(model, q, v, other, there, after):
    """½ Σ (V − V′)ᵀ I (V − V′) of the bodies as they were."""
    lost = 0.0
    for body in model.bodies:
        R = lw.pose(model, q, body.name)[:3, :3]
        gone = lw.velocity(model, q, v, body.name) - lw.velocity(other, there, after, body.name)
        w = R.T @ gone[3:]
        u = gone[:3] + np.cross(gone[3:], R @ body.center_of_mass)
        lost += 0.5 * body.mass * u @ u + 0.5 * w @ body.inertia @ w
    return lost


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_locked_joints_are_a_plastic_impact(seed):
    model, q, v = a_tree(seed)
    names = [model.joints[2].name, model.joints[4].name]
    changed = lw.structure.lock_joints(model, q, v, names)
    kept = np.ones(model.nv, dtype=bool)
    for name in names:
        kept[model.slice(name).v] = False
    G = np.eye(model.nv)[:, kept]
    M = lw.mass_matrix(model, q)
    expected = np.linalg.solve(G.T @ M @ G, G.T @ M @ v)
    assert changed.v == pytest.approx(expected, rel=1e-9, abs=1e-9)
    gone = v - G @ expected
    assert changed.lost == pytest.approx(0.5 * gone @ M @ gone, rel=1e-9)
    for name, T in poses(model, q).items():
        assert lw.pose(changed.model, changed.q, name) == pytest.approx(T, abs=1e-9)
    before, after = lw.momentum(model, q, v), lw.momentum(changed.model, changed.q, changed.v)
    assert after == pytest.approx(before, rel=1e-9, abs=1e-9)  # a floating tree


def test_what_is_lost_is_carnot_s():
    model, q, v = a_tree(3)
    bare = model
    for joint in model.joints:
        bare = bare.with_joint(joint.name, armature=np.zeros(joint.nv) if joint.nv > 1 else 0.0)
    changed = lw.structure.lock_joints(bare, q, v, [bare.joints[1].name])
    lost = carnot(bare, q, v, changed.model, changed.q, changed.v)
    assert lost == pytest.approx(changed.lost, rel=1e-9)
    assert lost > 0.0


def test_unlocking_changes_no_motion_and_comes_back():
    model, q, v = a_tree(1)
    names = [model.joints[2].name, model.joints[4].name]
    locked = lw.structure.lock_joints(model, q, v, names)
    free = lw.structure.unlock_joints(locked.model, locked.q, locked.v, model)
    assert free.model is model
    assert lw.difference(model, q, free.q) == pytest.approx(np.zeros(model.nv), abs=1e-9)
    assert free.lost == pytest.approx(0.0, abs=1e-9)
    for name in names:
        assert free.v[model.slice(name).v] == pytest.approx(0.0, abs=1e-9)
    one = lw.structure.unlock_joints(locked.model, locked.q, locked.v, model, names[:1])
    assert one.model.nv == model.nv - model.joint(names[1]).nv
    with pytest.raises(LinkwrightError, match="locked joint"):
        lw.structure.unlock_joints(locked.model, locked.q, locked.v, model, [model.joints[1].name])


def two_bodies():
    made = lw.Builder("two", gravity=(0, 0, 0))
    for name, mass in (("a", 2.0), ("b", 3.0)):
        made.body(name, mass=mass, inertia=[0.1, 0.2, 0.25], center_of_mass=[0.1, 0.0, 0.05])
        made.joint(f"{name}_free", "free", "world", name)
        made.frame(f"{name}_hand", name, xyz=(0.3, 0.1, 0.0))
    return made.build()


def moving(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.random(seed=seed), rng.normal(size=model.nv)


@pytest.mark.parametrize("kind", ["ball", "weld"])
def test_connected_bodies_keep_their_momentum_and_lose_what_carnot_says(kind):
    model = two_bodies()
    q, v = moving(model)
    changed = lw.structure.add_loop(model, q, v, "joined", kind, "a_hand", "b_hand")
    assert np.array_equal(changed.q, q)
    assert lw.constraint_residual(changed.model, q) == pytest.approx(0.0, abs=1e-12)
    assert lw.momentum(changed.model, q, changed.v) == pytest.approx(lw.momentum(model, q, v), abs=1e-10)
    assert changed.v == pytest.approx(lw.impulse(changed.model, q, v)[0], abs=1e-10)
    assert changed.lost == pytest.approx(carnot(model, q, v, changed.model, q, changed.v), rel=1e-9)
    K = lw.constraint_jacobian(changed.model, q)
    A = K @ np.linalg.solve(lw.mass_matrix(model, q), K.T)
    assert changed.lost == pytest.approx(0.5 * (K @ v) @ np.linalg.pinv(A) @ (K @ v), rel=1e-8)
    assert K @ changed.v == pytest.approx(0.0, abs=1e-10)
    again = lw.structure.remove_loop(changed.model, q, changed.v, "joined")
    assert again.lost == 0.0
    assert np.array_equal(again.v, changed.v)
    assert not again.model.loops


def test_a_grasped_body_moves_with_the_hand():
    model = two_bodies()
    q, v = moving(model, 3)
    held = lw.structure.grasp(model, q, v, "a_hand", "b")
    twist = lw.velocity(held.model, q, held.v, "a_hand")
    other = lw.velocity(held.model, q, held.v, "b")
    arm = lw.pose(model, q, "b")[:3, 3] - lw.pose(model, q, "a_hand")[:3, 3]
    assert other[3:] == pytest.approx(twist[3:], abs=1e-10)
    assert other[:3] == pytest.approx(twist[:3] + np.cross(twist[3:], arm), abs=1e-10)
    motion = lw.simulate(held.model, q, held.v, 0.2, 1e-3)
    T = [np.linalg.inv(lw.pose(model, x, "a_hand")) @ lw.pose(model, x, "b") for x in (motion.q[0], motion.q[-1])]
    assert T[1] == pytest.approx(T[0], abs=1e-9)


def test_a_rerooted_mechanism_moves_as_before():
    model, q, v = lw.load("quadruped"), *moving(lw.load("quadruped"))
    feet = [body.name for body in model.bodies if body.name != model.bodies[0].name]
    other = model.reroot(feet[-1], root="free")
    changed = lw.structure.transfer_state(model, q, v, other)
    assert changed.lost == pytest.approx(0.0, abs=1e-6)
    for body in model.bodies:
        assert lw.pose(other, changed.q, body.name) == pytest.approx(lw.pose(model, q, body.name), abs=1e-8)
        a, b = lw.velocity(model, q, v, body.name), lw.velocity(other, changed.q, changed.v, body.name)
        assert b == pytest.approx(a, abs=1e-7)


def test_what_cannot_be_carried_over_is_reported():
    model = two_bodies()
    q, v = moving(model)
    pinned = lw.Builder("pinned").body("a", mass=1.0).joint("turn", "revolute", "world", "a", axis=(0, 0, 1)).build()
    with pytest.raises(ModelError, match="cannot reach the pose of body 'a'"):
        lw.structure.transfer_state(model, q, v, pinned)
    with pytest.raises(ModelError, match="body 'b' of 'two' is not in 'pinned'"):
        lw.structure.transfer_state(model, model.neutral(), v, pinned)
    with pytest.raises(LinkwrightError, match="loop"):
        lw.structure.remove_loop(model, q, v, "joined")
    with pytest.raises(LinkwrightError, match="batch"):
        lw.structure.grasp(model, np.stack([q, q]), v, "a_hand", "b")
    with pytest.raises(InputError, match="finite"):
        lw.structure.grasp(model, q, np.nan * v, "a_hand", "b")


def test_free_joints_are_found_from_poses():
    model = random_tree([Free, Revolute], 0, springs=False)
    q, v, *_ = state(model, 0)
    same = lw.structure.transfer_state(model, q, v, model)
    assert lw.difference(model, q, same.q) == pytest.approx(0.0, abs=1e-9)
    assert same.v == pytest.approx(v, abs=1e-8)


def test_it_is_the_plastic_impact_of_joints_that_take_hold():
    chain = lw.load("chain3d:4")
    apart = lw.Builder("apart", gravity=chain.gravity)
    for body in chain.bodies:
        apart.body(body.name, mass=body.mass, inertia=body.inertia, center_of_mass=body.center_of_mass)
        apart.joint(f"{body.name} free", "free", "world", body.name)
    apart = apart.build()
    rng = np.random.default_rng(4)
    there, v = chain.random(seed=4), rng.normal(size=apart.nv)
    q = apart.neutral()
    for body in chain.bodies:
        T, own = lw.pose(chain, there, body.name), apart.slice(f"{body.name} free").q
        q[own] = np.concatenate([T[:3, 3], quaternion_from_matrix(T[:3, :3])])
    changed = lw.structure.transfer_state(apart, q, v, chain)
    twists = np.stack([lw.velocity(apart, q, v, body.name, reference_frame="body") for body in chain.bodies])
    expected, _ = lw.plastic_impact(chain, changed.q, np.zeros(chain.nv), twists)
    assert changed.v == pytest.approx(expected, abs=1e-9)
    assert lw.momentum(chain, changed.q, changed.v) == pytest.approx(lw.momentum(apart, q, v), abs=1e-9)
    assert changed.lost == pytest.approx(carnot(apart, q, v, chain, changed.q, changed.v), rel=1e-9)
