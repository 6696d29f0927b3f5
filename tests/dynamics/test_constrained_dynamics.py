"""Dynamics with closed loops: against the dense system of equations, and laws of ideal constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linkwright as public
from linkwright import dynamics as lw
from linkwright.dynamics.closed_loops import forces as constrained
from linkwright.errors import ArgumentError, InconsistentMotionError, InputError, ModelError, UnknownNameError
from linkwright.model.build.assembly import assemble
from linkwright.model.build.builder import Builder
from linkwright.model.joints.loop import Loop
from linkwright.spatial.linear_algebra.linalg import semidefinite_factors
from mechanisms import LOOP_NAMES, looped, one_of_each, relative_error, thirds, with_loops

laws = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)
METHODS = ("articulated", "composite")


def closed_state(closed, seed):
    """A model with loops, and q, v, tau with K v = 0."""
    model, q = closed
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, model.nv))
    K = lw.constraint_jacobian(model, q)
    return model, q, v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v), tau


def clear_state(closed, seed):
    """The same, of cases in which it is no matter of tolerance whether rows are independent."""
    model, q, v, tau = closed_state(closed, seed)
    K = lw.constraint_jacobian(model, q)
    sizes = np.linalg.eigvalsh(K @ np.linalg.inv(lw.mass_matrix(model, q)) @ K.T)
    largest = sizes.max(initial=0.0)
    assume(not ((sizes > 1e-13 * largest) & (sizes < 1e-6 * largest)).any())
    return model, q, v, tau


def dense(model, q, v, tau):
    """a and the least-norm λ of M a − Kᵀλ = τ − b, K a = −K̇ v by a pseudo-inverse; how badly conditioned that is."""
    M, K = lw.mass_matrix(model, q), lw.constraint_jacobian(model, q)
    force, target = tau - lw.bias_forces(model, q, v), -lw.constraint_bias(model, q, v)
    inverse = np.linalg.inv(M)
    A = K @ inverse @ K.T
    sizes, vectors = np.linalg.eigh(A)
    kept = sizes > 1e-9 * sizes.max(initial=0.0)
    multipliers = vectors[:, kept] @ ((vectors[:, kept].T @ (target - K @ inverse @ force)) / sizes[kept])
    condition = np.linalg.cond(M) * (sizes[kept].max(initial=1.0) / sizes[kept].min(initial=1.0))
    return inverse @ (force + K.T @ multipliers), multipliers, condition


@laws
@given(looped(), seeds)
def test_accelerations_and_reactions_are_those_of_the_dense_equations(closed, seed):
    """Redundant loops too: random loops on small trees often are."""
    model, q, v, tau = clear_state(closed, seed)
    a, multipliers, condition = dense(model, q, v, tau)
    for method in METHODS:
        found = lw.forward_dynamics(model, q, v, tau, method=method)
        assert relative_error(found, a) < 1e-9 * max(1.0, 1e-5 * condition), method
    found = lw.constraint_forces(model, q, v, tau)
    assert relative_error(found, multipliers) < 1e-8 * max(1.0, 1e-5 * condition)


@laws
@given(looped(), seeds)
def test_rows_that_contradict_each_other_are_met_by_least_squares(closed, seed):
    """At any velocity: dependent rows ask for what cannot be, and the pseudo-inverse makes the least of it."""
    model, q, _, tau = clear_state(closed, seed)
    v = np.random.default_rng(seed).normal(size=model.nv)
    a, multipliers, condition = dense(model, q, v, tau)
    for method in METHODS:
        found = lw.forward_dynamics(model, q, v, tau, method=method)
        assert relative_error(found, a) < 1e-9 * max(1.0, 1e-5 * condition), method
    found = lw.constraint_forces(model, q, v, tau)
    assert relative_error(found, multipliers) < 1e-8 * max(1.0, 1e-5 * condition)


@laws
@given(looped(), seeds)
def test_loops_stay_closed_and_do_no_work(closed, seed):
    model, q, v, tau = clear_state(closed, seed)
    K = lw.constraint_jacobian(model, q)
    scale = 1e-10 * max(1.0, 1e-4 * dense(model, q, v, tau)[2])
    a = lw.forward_dynamics(model, q, v, tau)
    assert relative_error(K @ a, -lw.constraint_bias(model, q, v)) < scale
    reaction = lw.inverse_dynamics(model, q, v, a) - tau
    assert relative_error(K.T @ lw.constraint_forces(model, q, v, tau), reaction) < 10.0 * scale
    assert abs(reaction @ v) < scale * (1.0 + np.abs(reaction).max())


@laws
@given(looped(mimics=False), seeds)
def test_wrenches_of_loops_in_place_of_the_loops(closed, seed):
    """Cut open, and with the loops' wrenches acting at their ends, the mechanism moves the same."""
    model, q = closed
    model = assemble(replace(model.description, loops=tuple(loop for loop in model.loops if isinstance(loop, Loop))))
    model, q, v, tau = clear_state((model, q), seed)
    scale = 1e-10 * max(1.0, 1e-4 * dense(model, q, v, tau)[2])
    acting = np.zeros(model.nv)
    for loop, wrench in zip(model.loops, lw.constraint_wrenches(model, q, v, tau), strict=True):
        acting = acting + lw.joint_forces(model, q, loop.second, wrench)
        # the opposite wrench, at the same point
        arm = lw.pose(model, q, loop.second)[:3, 3] - lw.pose(model, q, loop.first)[:3, 3]
        moved = np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])
        acting = acting - lw.joint_forces(model, q, loop.first, moved)
    cut = lw.forward_dynamics(model, q, v, tau + acting, loops="ignore")
    assert relative_error(cut, lw.forward_dynamics(model, q, v, tau)) < scale


@laws
@given(looped(mimics=False), seeds)
def test_forces_and_impulses_by_articulated_bodies(closed, seed):
    """As of large mechanisms: the same as by the whole mass matrix."""
    model, q, v, tau = clear_state(closed, seed)
    scale = 1e-9 * max(1.0, 1e-4 * dense(model, q, v, tau)[2])
    loose, blow = np.random.default_rng(seed).normal(size=model.nv), {"tip": np.arange(1.0, 7.0)}

    def found():
        forces = lw.constraint_forces(model, q, loose, tau, blow, (2.0, 3.0))
        return forces, lw.constraint_wrenches(model, q, v, tau), *lw.impulse(model, q, loose, blow)

    whole = found()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("linkwright.dynamics.closed_loops.forces.WHOLE", 0)
        for ours, expected in zip(found(), whole, strict=True):
            assert relative_error(ours, expected) < scale


def test_forces_in_long_chains_of_loops_are_compiled():
    model = public.load("four_bars:24")
    rng = np.random.default_rng(0)
    q, (v, tau) = model.neutral(), rng.normal(size=(2, model.nv))
    system = constrained._of_state(model, q, v, tau, None, None)
    assert relative_error(public.constraint_forces(model, q, v, tau), system.multipliers()) < 1e-9
    after, impulses = public.impulse(model, q, v)
    M, K = lw.mass_matrix(model, q), lw.constraint_jacobian(model, q)
    assert relative_error(K @ after, np.zeros(len(K))) < 1e-9
    assert relative_error(M @ (after - v), K.T @ impulses) < 1e-9


@laws
@given(looped(), seeds)
def test_impulses(closed, seed):
    """Momentum changes by the loops' impulses alone; what closes already is not changed; energy is lost."""
    model, q, _, v = clear_state(closed, seed)
    after, impulses = lw.impulse(model, q, v)
    M, K = lw.mass_matrix(model, q), lw.constraint_jacobian(model, q)
    scale = 1e-10 * max(1.0, 1e-4 * dense(model, q, v, v)[2])
    assert relative_error(K @ after, np.zeros(len(K))) < scale
    assert relative_error(M @ (after - v), K.T @ impulses) < scale
    assert lw.kinetic_energy(model, q, after) <= lw.kinetic_energy(model, q, v) * (1.0 + scale) + scale
    assert relative_error(lw.impulse(model, q, after)[0], after) < scale
    blow = np.arange(1.0, 7.0)
    hit, more = lw.impulse(model, q, v, {"tip": blow})
    assert relative_error(M @ (hit - v), K.T @ more + lw.joint_forces(model, q, "tip", blow)) < scale


@pytest.mark.parametrize("seed", range(3))
def test_compiled_and_in_batches(seed):
    """Every joint type and every kind of loop in one of three mechanisms."""
    model, q = with_loops(thirds()[seed], LOOP_NAMES[seed::3], seed)
    model, q, v, tau = closed_state((model, q), seed)
    rng = np.random.default_rng(seed)
    Tau = rng.normal(size=(5, model.nv))
    for method in METHODS:
        found = public.forward_dynamics(model, q, v, Tau, method=method)
        for k in (0, 4):
            assert relative_error(found[k], lw.forward_dynamics(model, q, v, Tau[k], method=method)) < 1e-9
    for function in (lw.constraint_forces, lw.constraint_wrenches):
        face = getattr(public, function.__name__)
        assert relative_error(face(model, q, v, Tau)[2], function(model, q, v, Tau[2])) < 1e-9
    for found, expected in zip(public.impulse(model, q, tau), lw.impulse(model, q, tau), strict=True):
        assert relative_error(found, expected) < 1e-9
    assert public.compile(public.forward_dynamics, model, stabilization=(5, 5))(q, v, tau).shape == (model.nv,)


def test_gains_bring_loops_back():
    """φ̈ = −2α φ̇ − β² φ."""
    model, q = with_loops(one_of_each(2), ["ball"], 1)
    rng = np.random.default_rng(0)
    v, tau = rng.normal(size=(2, model.nv))
    q = lw.integrate(model, q, 0.01 * rng.normal(size=model.nv))
    K, phi = lw.constraint_jacobian(model, q), lw.constraint_residual(model, q)
    for method in METHODS:
        a = lw.forward_dynamics(model, q, v, tau, method=method, stabilization=(3.0, 5.0))
        opening = K @ a + lw.constraint_bias(model, q, v)
        assert relative_error(opening, -6.0 * K @ v - 25.0 * phi) < 1e-9, method


def test_derivatives_go_through_loops():
    model, q = with_loops(one_of_each(1, mimics=False), ["ball", "universal"], 3)
    model, q, v, tau = closed_state((model, q), 4)
    by_tau = public.derivative(public.forward_dynamics, "tau")(model, q, v, tau)
    K, M = lw.constraint_jacobian(model, q), lw.mass_matrix(model, q)
    inverse = np.linalg.inv(M)
    projected = inverse - inverse @ K.T @ np.linalg.solve(K @ inverse @ K.T, K @ inverse)
    assert relative_error(by_tau, projected) < 1e-9
    kernel = public.compile(public.forward_dynamics, model).derivative("v")
    step = 1e-6 * np.eye(model.nv)
    differences = [lw.forward_dynamics(model, q, v + e, tau) - lw.forward_dynamics(model, q, v - e, tau) for e in step]
    assert relative_error(kernel(q, v, tau), np.stack(differences, axis=1) / 2e-6) < 1e-6
    with pytest.raises(ModelError, match="closed loops"):
        public.forward_dynamics_derivatives(model, q, v, tau)


def test_loops_can_be_ignored():
    model, q = with_loops(one_of_each(1), ["weld", "joint"], 3)
    tree = assemble(replace(model.description, loops=()))
    model, q, v, tau = closed_state((model, q), 4)
    for method in METHODS:
        cut = public.forward_dynamics(model, q, v, tau, method=method, loops="ignore")
        assert relative_error(cut, public.forward_dynamics(tree, q, v, tau, method=method)) < 1e-12
    none = public.forward_dynamics(tree, q, v, tau, stabilization=(1.0, 1.0))
    assert np.array_equal(none, public.forward_dynamics(tree, q, v, tau))


@pytest.mark.parametrize("options", [{"loops": "open"}, {"stabilization": 3.0}, {"stabilization": (1.0, -1.0)}])
def test_options_that_do_not_exist(options):
    model, q = with_loops(one_of_each(1), ["weld"], 3)
    v = np.zeros(model.nv)
    with pytest.raises(InputError, match=next(iter(options))):
        public.forward_dynamics(model, q, v, v, **options)


@pytest.mark.parametrize("rank", [0, 2, 5])
def test_semidefinite_factors(rank):
    """A x = b by a basic solution, and by the least, in numbers and in symbols."""
    rng = np.random.default_rng(rank)
    B = rng.normal(size=(5, rank))
    A, inverse = B @ B.T, np.linalg.pinv(B @ B.T, rcond=1e-9, hermitian=True)
    b = A @ rng.normal(size=5)

    def solved(x):
        factors = semidefinite_factors(x.reshape(5, 6)[:, :5])
        basic = factors.solve(x.reshape(5, 6)[:, 5])
        return np.stack([basic, factors.least_norm(basic)])

    x = np.concatenate([A, b[:, None]], axis=1).reshape(-1)
    for basic, least in (solved(x), public.compile(solved, x=30)(x)):
        assert relative_error(A @ basic, b) < 1e-12
        assert relative_error(least, inverse @ b) < 1e-11


@laws
@given(looped(), seeds)
def test_inverse_dynamics_of_all_joints_undoes_forward_dynamics(closed, seed):
    """All driven: the least of the efforts that, with the loops, give the same motion."""
    model, q, v, tau = clear_state(closed, seed)
    condition = dense(model, q, v, tau)[2]
    a = lw.forward_dynamics(model, q, v, tau, method="composite")
    names = [joint.name for joint in model.joints if joint.nv]
    found = lw.inverse_dynamics(model, q, v, a, actuated=names)
    scale = 1e-10 * max(1.0, 1e-4 * condition)
    assert relative_error(lw.forward_dynamics(model, q, v, found, method="composite"), a) < scale
    K = lw.constraint_jacobian(model, q)
    least = tau - np.linalg.pinv(K, rcond=1e-7) @ (K @ tau)
    assert relative_error(found, least) < scale


def test_one_motor_drives_a_linkage():
    """One of two gives the same power; all three share it by least norm; none gives no motion."""
    model = public.load("four_bar")
    q = public.close_loops(model, [0.7, 0.0, 0.0], fixed=["crank"])
    v = public.impulse(model, q, [2.0, 0.0, 0.0])[0]
    a = public.forward_dynamics(model, q, v, [0.3, 0.0, 0.0])
    one = public.inverse_dynamics(model, q, v, a, actuated=["crank"])
    np.testing.assert_allclose(one, [0.3, 0.0, 0.0], atol=1e-10)
    other = public.inverse_dynamics(model, q, v, a, actuated=["rocker"])
    assert other[:2] == pytest.approx([0.0, 0.0])
    assert other @ v == pytest.approx(one @ v)
    shared = public.inverse_dynamics(model, q, v, a, actuated=("crank", "coupler", "rocker"))
    assert shared @ v == pytest.approx(one @ v)
    assert np.linalg.norm(shared) < min(np.linalg.norm(one), np.linalg.norm(other))
    batch = public.inverse_dynamics(model, np.stack([q, q]), v, a, actuated=["crank"])
    np.testing.assert_allclose(batch, [one, one])
    with pytest.raises(InconsistentMotionError, match=r"an effort of .* is missing at joint") as caught:
        public.inverse_dynamics(model, q, v, a, actuated=[])
    assert caught.value.residual.shape == (3,)


def test_motions_that_are_not_possible():
    model = public.load("four_bar")
    q, still = model.neutral(), np.zeros(3)
    with pytest.raises(InconsistentMotionError, match="the motion opens loop 'pin'"):
        public.inverse_dynamics(model, q, still, [1.0, 0.0, 0.0], actuated=["crank"])
    for functions in (public, public.dynamics):
        for open_q, open_v, text in (
            (q + 0.2 * np.eye(3)[1], still, "'pin' is open"),
            (q, [5.0, 0.0, 0.0], "velocity opens"),
        ):
            v = np.array(open_v)
            a = np.linalg.pinv(K := public.constraint_jacobian(model, open_q)) @ -public.constraint_bias(
                model, open_q, v
            )
            assert K @ a == pytest.approx(-public.constraint_bias(model, open_q, v))
            with pytest.raises(InconsistentMotionError, match=text):
                functions.inverse_dynamics(model, open_q, v, a, actuated=["crank"])
            with pytest.raises(InconsistentMotionError, match=text):
                functions.prescribed_dynamics(model, open_q, v, still, a, ["crank"])
    closed = public.close_loops(model, [0.3, 0.1, 0.1], fixed=["crank"])
    with pytest.raises(InconsistentMotionError, match="'pin' is open"):
        public.inverse_dynamics(model, [closed, closed + 0.1 * np.eye(3)[1]], still, still, actuated=["crank"])
    tree = public.load("two_link")
    with pytest.raises(InconsistentMotionError, match="missing at joint 'joint2'"):
        public.inverse_dynamics(tree, [0.1, 0.2], [0.0, 0.0], [0.0, 0.0], actuated=["joint1"])
    tau, missing, opening = public.actuated_efforts(tree, [0.1, 0.2], [0.0, 0.0], [0.0, 0.0], actuated=["joint1"])
    np.testing.assert_allclose(tau + missing, public.gravity_forces(tree, [0.1, 0.2]))
    assert opening.shape == (0,)
    for names, error in ((["crnk"], UnknownNameError), ("crank", ArgumentError), (["crank", "crank"], InputError)):
        with pytest.raises(error):
            public.inverse_dynamics(model, q, still, still, actuated=names)


def test_kernels_of_actuated_joints():
    """Two arms on one load: loops and least norm, compiled."""
    model, q = with_loops(one_of_each(3), ["weld", "ball"], 2)
    model, q, v, tau = closed_state((model, q), 1)
    a = lw.forward_dynamics(model, q, v, tau, method="composite")
    names = [joint.name for joint in model.joints]
    kernel = public.compile(public.inverse_dynamics, model, actuated=names)
    expected = lw.inverse_dynamics(model, q, v, a, actuated=names)
    assert relative_error(kernel(q, v, a), expected) < 1e-9
    assert relative_error(public.inverse_dynamics(model, q, v, a, actuated=names), expected) < 1e-9


def test_singular_configurations_give_numbers():
    """A parallelogram laid flat: one more velocity is free, and accelerations are those of the rows that are left."""
    builder = Builder("parallelogram", (0, -9.81, 0))
    for name, parent, x in (("left", "world", 0.0), ("right", "world", 1.0), ("top", "left", 0.5)):
        builder.body(name, 1.0, (0.25, 0, 0), 0.1).joint(f"{name}_hinge", "revolute", parent, name, xyz=(x, 0, 0))
    builder.frame("right_end", "right", xyz=(0.5, 0, 0)).loop("pin", "revolute", "top", "right_end", xyz=(1, 0, 0))
    model, still = builder.build(), np.zeros(3)
    expected, multipliers, _ = dense(model, still, still, still)
    for method in METHODS:
        assert relative_error(public.forward_dynamics(model, still, still, still, method=method), expected) < 1e-12
    assert relative_error(public.constraint_forces(model, still, still, still), multipliers) < 1e-12
    rank = np.linalg.matrix_rank(lw.constraint_jacobian(model, still))
    assert rank == 1


def flat_four_bars(turned):
    """Bars on one line, oblique to the axes of the last pin, in three mechanisms on one body."""
    builder = (
        Builder("flat", (0, -9.81, 0)).body("base", 3.0, (0, 0, 0), 0.2).joint("turn", "revolute", "world", "base")
    )
    for n in range(3):
        y = 0.3 * n
        for name, parent, x in ((f"left{n}", "base", 0.0), (f"right{n}", "base", 1.0), (f"top{n}", f"left{n}", 0.4)):
            place = (x, y if parent == "base" else 0.0, 0)
            builder.body(name, 1.0, (0.2, 0, 0), 0.1).joint(f"{name}_hinge", "revolute", parent, name, xyz=place)
        builder.frame(f"end{n}", f"right{n}", xyz=(0.5, 0, 0), rpy=(0, 0, turned))
        builder.loop(f"pin{n}", "revolute", f"top{n}", f"end{n}", xyz=(1.1, 0, 0))
    return builder.build()


@pytest.mark.parametrize("turned", [0.0, 0.7])
def test_singular_configurations_in_motion(turned):
    """All velocities that K allows there, though few of them go on: by least squares, in numbers and compiled."""
    model = flat_four_bars(turned)
    q, rng = model.neutral(), np.random.default_rng(3)
    v, tau = rng.normal(size=(2, model.nv))
    K = lw.constraint_jacobian(model, q)
    v = v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
    expected, multipliers, _ = dense(model, q, v, tau)
    opening = K @ expected + lw.constraint_bias(model, q, v)
    assert np.abs(opening).max() > 0.01
    for method in (*METHODS, "assembly"):
        assert relative_error(lw.forward_dynamics(model, q, v, tau, method=method), expected) < 1e-11, method
        assert relative_error(public.forward_dynamics(model, q, v, tau, method=method), expected) < 1e-11, method
    assert relative_error(public.constraint_forces(model, q, v, tau), multipliers) < 1e-11


@pytest.mark.parametrize("name", ["stewart", "delta"])
def test_loops_said_twice(name):
    """Of robots whose loops share joints: the forces are shared too."""
    model = public.load(name)
    rng = np.random.default_rng(0)
    q, v, tau = model.neutral(), *rng.normal(size=(2, model.nv))
    K = lw.constraint_jacobian(model, q)
    twice = assemble(replace(model.description, loops=(*model.loops, replace(model.loops[0], name="again"))))
    v = v - np.linalg.pinv(K) @ (K @ v)
    expected, multipliers, condition = dense(twice, q, v, tau)
    for method in (*METHODS, "assembly"):
        found = lw.forward_dynamics(twice, q, v, tau, method=method)
        assert relative_error(found, expected) < 1e-11 * max(1.0, 1e-4 * condition), method
    found = lw.constraint_forces(twice, q, v, tau)
    assert relative_error(found, multipliers) < 1e-9
    assert relative_error(found[:3], found[-3:]) < 1e-9
