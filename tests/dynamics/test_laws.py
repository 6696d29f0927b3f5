"""Laws that hold for every mechanism, on random trees of every joint type."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import dynamics as lw
from linkwright.dynamics.kinematics import REFERENCE_FRAMES
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint import JOINT_TYPES, Compound, Free, Spherical
from linkwright.spatial.transform import motion_transform
from mechanisms import one_of_each, random_tree, relative_error, state, trees

laws = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def along(model, q, v, h):
    """q moved along v for a time h."""
    return lw.integrate(model, q, h * v)


def derivative(f, h=1e-3):
    """d/dt f at 0 by central differences of order six."""
    return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)


@laws
@given(trees(), seeds)
def test_forward_dynamics_undoes_inverse_dynamics(model, seed):
    q, v, a = state(model, seed)
    wrenches = {"tip": np.arange(6.0), "body0": np.ones(6)}
    tau = lw.inverse_dynamics(model, q, v, a, wrenches)
    condition = np.linalg.cond(lw.mass_matrix(model, q))
    for method in ("articulated", "composite"):
        found = lw.forward_dynamics(model, q, v, tau, wrenches, method)
        assert relative_error(found, a) < 1e-14 * max(condition, 100.0), method


@laws
@given(trees(), seeds)
def test_mass_matrix_by_three_methods(model, seed):
    q, v, _ = state(model, seed)
    M = lw.mass_matrix(model, q)
    assert relative_error(M, M.T) < 1e-15
    assert np.linalg.eigvalsh(M)[0] > 0.0
    for method in ("unit_vector", "jacobian"):
        assert relative_error(lw.mass_matrix(model, q, method), M) < 1e-13, method
    assert lw.kinetic_energy(model, q, v) == pytest.approx(0.5 * v @ M @ v, rel=1e-12)


@laws
@given(trees(), seeds)
def test_coriolis_matrix(model, seed):
    q, v, _ = state(model, seed)
    C = lw.coriolis_matrix(model, q, v)
    assert relative_error(C @ v, lw.bias_forces(model, q, v) - lw.gravity_forces(model, q)) < 1e-12
    M_dot = derivative(lambda h: lw.mass_matrix(model, along(model, q, v, h)))
    N = M_dot - 2.0 * C
    assert relative_error(N, -N.T) < 1e-8


@laws
@given(trees(), seeds)
def test_power_balance(model, seed):
    """d/dt (kinetic + potential) = τᵀv + wrenchᵀ(twist of its frame)."""
    q, v, a = state(model, seed)
    wrench = np.array([3.0, -1.0, 2.0, 0.5, 1.5, -0.7])
    tau = lw.inverse_dynamics(model, q, v, a, {"tip": wrench})
    power = tau @ v + wrench @ lw.velocity(model, q, v, "tip")

    def energy(h):
        # v̇ = a while q moves along v + h a / 2 + …: to first order in the symmetric difference
        q_h = lw.integrate(model, q, h * v + 0.5 * h * h * a)
        return lw.kinetic_energy(model, q_h, v + h * a) + lw.potential_energy(model, q_h)

    rate = (energy(1e-5) - energy(-1e-5)) / 2e-5
    assert rate == pytest.approx(power, rel=1e-5, abs=1e-5)


@laws
@given(trees(), seeds, st.sampled_from(REFERENCE_FRAMES), st.sampled_from(["tip", "body0", "base", "world"]))
def test_velocities_are_rates_of_poses(model, seed, reference, frame):
    q, v, a = state(model, seed)
    J = lw.jacobian(model, q, frame, reference)
    twist = lw.velocity(model, q, v, frame, reference)
    assert relative_error(J @ v, twist) < 1e-12
    T = lw.pose(model, q, frame)
    T_dot = derivative(lambda h: lw.pose(model, along(model, q, v, h), frame))
    R = T[:3, :3]
    w = (T_dot[:3, :3] @ R.T)[[2, 0, 1], [1, 2, 0]]
    aligned = np.concatenate([T_dot[:3, 3], w])
    turn = np.kron(np.eye(2), R.T)
    expected = {
        "world_aligned": aligned,
        "body": turn @ aligned,
        "world": motion_transform(T) @ turn @ aligned,
    }[reference]
    assert relative_error(twist, expected) < 1e-8
    J_dot = lw.jacobian_dot(model, q, v, frame, reference)
    assert (
        relative_error(J_dot, derivative(lambda h: lw.jacobian(model, along(model, q, v, h), frame, reference))) < 1e-8
    )
    assert relative_error(lw.acceleration(model, q, v, a, frame, reference), J @ a + J_dot @ v) < 1e-12


@laws
@given(trees(), seeds)
def test_momentum(model, seed):
    q, v, _ = state(model, seed)
    A = lw.momentum_matrix(model, q)
    assert relative_error(lw.momentum(model, q, v), A @ v) < 1e-12
    J = lw.center_of_mass_jacobian(model, q)
    rate = derivative(lambda h: lw.center_of_mass(model, along(model, q, v, h)))
    assert relative_error(J @ v, rate) < 1e-8
    assert relative_error(lw.total_mass(model) * J, A[:3]) < 1e-12


@laws
@given(st.lists(st.sampled_from(JOINT_TYPES), max_size=4), seeds)
def test_momentum_of_a_floating_mechanism_is_conserved(kinds, seed):
    model = random_tree([Free, *kinds], seed, springs=False, floating=True).with_gravity((0, 0, 0))
    q, v, tau = state(model, seed)
    tau[:6] = 0.0
    a = lw.forward_dynamics(model, q, v, tau)
    # d/dt (A v) = 0 along the motion
    rate = derivative(lambda h: lw.momentum_matrix(model, along(model, q, v, h)) @ (v + h * a), 1e-4)
    assert np.abs(rate).max() < 1e-6 * (1.0 + np.abs(a).max())


@laws
@given(trees(), seeds)
def test_gravity_and_springs_are_gradients(model, seed):
    q, v, _ = state(model, seed)
    rate = derivative(lambda h: lw.potential_energy(model, along(model, q, v, h)))
    assert rate == pytest.approx(lw.gravity_forces(model, q) @ v, rel=1e-7, abs=1e-7)
    stretch = derivative(lambda h: lw.spring_energy(model, along(model, q, v, h)), 1e-4)
    springs = lw.passive_forces(model, q, np.zeros(model.nv))
    assert stretch == pytest.approx(-springs @ v, rel=1e-6, abs=1e-6)
    assert (lw.passive_forces(model, q, v) - springs) @ v <= 0.0


@laws
@given(trees(), seeds, st.sampled_from([1e-9, 1e-3, 0.3, 1.0]))
def test_integrate_and_difference_undo_each_other(model, seed, size):
    q, v, _ = state(model, seed)
    v = size * v / max(1.0, np.abs(v).max())
    moved = lw.integrate(model, q, v)
    assert relative_error(lw.difference(model, q, moved), v) < 1e-13
    assert np.abs(lw.integrate(model, q, np.zeros(model.nv)) - q).max() < 1e-15
    other = model.random(seed=seed + 1)
    reached = lw.integrate(model, q, lw.difference(model, q, other))
    for frame in model.frames:
        assert relative_error(lw.pose(model, reached, frame), lw.pose(model, other, frame)) < 1e-12
    rate = derivative(lambda h: along(model, q, v, h))
    assert relative_error(lw.configuration_rate(model, q, v), rate) < 1e-9
    lw.check(model, moved)


@laws
@given(trees(), seeds)
def test_bracket_is_the_commutator_of_motions(model, seed):
    q, u, v = state(model, seed)

    def loop(s):
        there = lw.integrate(model, lw.integrate(model, q, s * u), s * v)
        back = lw.integrate(model, lw.integrate(model, q, s * v), s * u)
        return lw.difference(model, back, there)

    s = 1e-4
    assert relative_error((loop(s) + loop(-s)) / (2 * s * s), lw.lie_bracket(model, u, v)) < 1e-4


@laws
@given(trees(), seeds)
def test_joint_forces_and_wrenches_balance(model, seed):
    q, v, a = state(model, seed)
    wrench = np.arange(1.0, 7.0)
    with_wrench = lw.inverse_dynamics(model, q, v, a, {"tip": wrench})
    without = lw.inverse_dynamics(model, q, v, a)
    assert relative_error(without - with_wrench, lw.joint_forces(model, q, "tip", wrench)) < 1e-12
    on_the_ground = lw.inverse_dynamics(model, q, v, a, {"world": wrench, "base": wrench})
    assert np.array_equal(on_the_ground, without)


@laws
@given(trees(mimics=False), seeds)
def test_locking_a_joint_leaves_the_rest(model, seed):
    """A locked model moves as the whole one with that joint held still."""
    q, v, a = state(model, seed)
    joint = model.joints[seed % len(model.joints)]
    start = sum(j.nq for j in model.joints[: model.joints.index(joint)])
    start_v = sum(j.nv for j in model.joints[: model.joints.index(joint)])
    keep_q = np.delete(np.arange(model.nq), np.arange(start, start + joint.nq))
    keep_v = np.delete(np.arange(model.nv), np.arange(start_v, start_v + joint.nv))
    locked = model.lock({joint.name: q[start : start + joint.nq]})
    still = np.isin(np.arange(model.nv), keep_v)
    v, a = v * still, a * still
    tau = lw.inverse_dynamics(model, q, v, a)
    assert relative_error(lw.inverse_dynamics(locked, q[keep_q], v[keep_v], a[keep_v]), tau[keep_v]) < 1e-12
    for frame in model.frames:
        assert relative_error(lw.pose(locked, q[keep_q], frame), lw.pose(model, q, frame)) < 1e-13
    assert lw.total_mass(locked) + lw.welded_mass(locked) == pytest.approx(lw.total_mass(model) + lw.welded_mass(model))


@laws
@given(st.lists(st.sampled_from(JOINT_TYPES), min_size=2, max_size=6), seeds)
def test_a_coupled_model_is_the_free_one_constrained(kinds, seed):
    """M = GᵀM_full G and so on, with the couplings taken off by hand."""
    model = random_tree(kinds, seed, mimics=True)
    bare = tuple(replace(j, mimic=None) for j in model.description.joints)
    free = assemble(replace(model.description, joints=bare))
    G = model.coupling_matrix
    q, v, a = state(model, seed)
    q_full = np.concatenate(model.coordinates(q))
    M, M_full = lw.mass_matrix(model, q), lw.mass_matrix(free, q_full)
    assert relative_error(M, G.T @ M_full @ G) < 1e-12
    C, C_full = lw.coriolis_matrix(model, q, v), lw.coriolis_matrix(free, q_full, G @ v)
    assert relative_error(C, G.T @ C_full @ G) < 1e-12
    tau_full = lw.inverse_dynamics(free, q_full, G @ v, G @ a)
    assert relative_error(lw.inverse_dynamics(model, q, v, a), G.T @ tau_full) < 1e-12
    assert relative_error(lw.jacobian(model, q, "tip"), lw.jacobian(free, q_full, "tip") @ G) < 1e-12
    passive = lw.passive_forces(free, q_full, G @ v)
    assert relative_error(lw.passive_forces(model, q, v), G.T @ passive) < 1e-12
    assert relative_error(lw.momentum_matrix(model, q), lw.momentum_matrix(free, q_full) @ G) < 1e-12


def test_every_joint_type_is_in_the_laws():
    model = one_of_each()
    assert {joint.type for joint in model.joints} == {kind.type for kind in JOINT_TYPES}
    assert Compound in JOINT_TYPES
    assert Spherical in JOINT_TYPES


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_motion_subspace_is_the_twist_of_the_transform(kind):
    model = random_tree([kind], 3)
    joint = model.links[0].motion
    q, v, _ = state(model, 5)
    T = joint.transform(q)
    T_dot = derivative(lambda h: joint.transform(joint.integrate(q, h * v)))
    twist = joint.motion_subspace(q) @ v
    R = T[:3, :3]
    w = (R.T @ T_dot[:3, :3])[[2, 0, 1], [1, 2, 0]]
    assert relative_error(twist, np.concatenate([R.T @ T_dot[:3, 3], w])) < 1e-9
    S_dot = derivative(lambda h: joint.motion_subspace(joint.integrate(q, h * v)))
    assert relative_error(joint.motion_subspace_rate(q, v), S_dot) < 1e-9
    assert relative_error(joint.velocity_product(q, v), S_dot @ v) < 1e-9
