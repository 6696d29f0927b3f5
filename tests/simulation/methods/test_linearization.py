"""Steps and their rates, linear about a state: against differences of the steps themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.dynamics import difference, integrate
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.simulation.integrators.methods import total_acceleration
from linkwright.simulation.integrators.step_function import StepOptions, step_function
from mechanisms import state, trees

SMALL = 1e-6


def by_differences(model, change, end):
    """The derivative of ``end(q, v, tau)``, a state as seen from that of no change, by central differences."""
    columns = []
    for unit in np.eye(3 * model.nv):
        columns.append((end(*change(SMALL * unit)) - end(*change(-SMALL * unit))) / (2 * SMALL))
    return np.stack(columns, axis=-1)


def changes(model, q, v, tau):
    n = model.nv
    return lambda x: (integrate(model, q, x[:n]), v + x[n : 2 * n], tau + x[2 * n :])


def after(model, q, v, tau, h, method):
    taken = step_function(model, StepOptions(method, projecting=bool(model.loops)))

    def step(q, v, tau, h):
        return taken(q, v, tau, h, 0.0, np.zeros(1), np.zeros(1))[:2]

    q0, v0 = step(q, v, tau, h)

    def end(q, v, tau):
        q1, v1 = step(q, v, tau, h)
        return np.concatenate([difference(model, q0, q1), v1 - v0])

    return end


def close_to(found, wanted, scale):
    assert np.abs(found - wanted).max() <= scale * (1.0 + np.abs(wanted).max())


@settings(max_examples=6, deadline=None)
@given(trees(4), st.sampled_from(["rk4", "midpoint", "euler", "semi_implicit"]), st.integers(0, 2**31))
def test_a_step_of_every_joint_type(model, method, seed):
    q, v, tau = state(model, seed)
    A, B = lw.linearize(model, q, v, tau, step=1e-2, method=method)
    wanted = by_differences(model, changes(model, q, v, tau), after(model, q, v, tau, 1e-2, method))
    close_to(np.concatenate([A, B], axis=1), wanted, 2e-6)


@settings(max_examples=6, deadline=None)
@given(trees(4), st.integers(0, 2**31))
def test_the_rate_is_that_of_motions_side_by_side(model, seed):
    q, v, tau = state(model, seed)
    J = np.concatenate(lw.linearize(model, q, v, tau), axis=1)
    rates = [
        by_differences(
            model,
            changes(model, q, v, tau),
            lambda q1, v1, _, h=h: (
                (difference(model, integrate(model, q, h * v), integrate(model, q1, h * v1)) - difference(model, q, q1))
                / h
            ),
        )
        for h in (1e-3, 2e-3)
    ]
    close_to(J[: model.nv], 2 * rates[0] - rates[1], 1e-5)
    accelerations = by_differences(
        model, changes(model, q, v, tau), lambda q, v, tau: total_acceleration(model, q, v, tau)
    )
    close_to(J[model.nv :], accelerations, 1e-5)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_closed_loops_stay_closed(name, method):
    model = lw.load(name)
    q = lw.close_loops(model, model.random(seed=2))
    v = lw.impulse(model, q, np.ones(model.nv))[0]
    tau = np.linspace(0.0, 1.0, model.nv)
    A, B = lw.linearize(model, q, v, tau, step=1e-2, method=method)
    wanted = by_differences(model, changes(model, q, v, tau), after(model, q, v, tau, 1e-2, method))
    close_to(np.concatenate([A, B], axis=1), wanted, 1e-6)


def test_springs_dampers_and_friction_are_part_of_it():
    builder = lw.Builder("sprung").body("a", 1.0, [0.1, 0, 0.2], 0.1).body("b", 2.0, [0, 0.1, 0.3], 0.2)
    builder.joint("j0", "revolute", "world", "a", axis=[0, 1, 0], damping=0.4, friction=0.2).joint_spring("j0", 3.0)
    builder.joint("j1", "revolute", "a", "b", axis=[1, 0, 0], xyz=[0, 0, 0.4], damping=0.1, armature=0.05)
    builder.frame("tip", "b", xyz=[0, 0, 0.5]).frame("nail", "world", xyz=[0.5, 0, 0])
    model = builder.spring("nail", "tip", stiffness=40.0, damping=0.3, length=0.2).build()
    q, v, tau = np.array([0.3, -0.5]), np.array([0.02, 0.4]), np.array([0.1, 0.0])
    for method in ("rk4", "semi_implicit"):
        A, B = lw.linearize(model, q, v, tau, step=2e-3, method=method)
        wanted = by_differences(model, changes(model, q, v, tau), after(model, q, v, tau, 2e-3, method))
        close_to(np.concatenate([A, B], axis=1), wanted, 1e-6)
    A, B = lw.linearize(model, q, v, tau)
    wanted = by_differences(model, changes(model, q, v, tau), lambda q, v, tau: total_acceleration(model, q, v, tau))
    close_to(np.concatenate([A, B], axis=1)[2:], wanted, 1e-6)


def test_at_rest_it_is_the_textbook_s():
    model = lw.load("arm7")
    q, still = model.random(seed=0), np.zeros(7)
    A, B = lw.linearize(model, q, still, lw.gravity_forces(model, q))
    M = lw.mass_matrix(model, q)
    stiffness = lw.derivative(lw.gravity_forces, "q")(model, q)
    assert np.allclose(A[:7], np.eye(14)[7:], atol=1e-12)
    assert np.allclose(A[7:, :7], -np.linalg.solve(M, stiffness), atol=1e-9)
    assert np.allclose(B, np.concatenate([np.zeros((7, 7)), np.linalg.inv(M)]), atol=1e-9)


def test_batches_are_their_rows():
    model = lw.load("arm7")
    q, v = model.random(5, seed=1), np.random.default_rng(0).normal(size=(3, 1, 7))
    for options in ({}, {"step": 1e-3}, {"step": 1e-3, "method": "semi_implicit"}):
        A, B = lw.linearize(model, q, v, np.zeros(7), **options)
        assert A.shape == (3, 5, 14, 14)
        assert B.shape == (3, 5, 14, 7)
        one = lw.linearize(model, q[2], v[1, 0], np.zeros(7), **options)
        assert np.allclose(A[1, 2], one[0], atol=1e-10)
        assert np.allclose(B[1, 2], one[1], atol=1e-10)
        assert lw.linearize(model, q[:0], v[0], np.zeros(7), **options)[0].shape == (0, 14, 14)


def test_feedback_of_a_linear_regulator_settles():
    """By the discrete Riccati equation of A and B, iterated: a pendulum is brought up and kept there."""
    model = lw.load("pendulum")
    up = np.array([np.pi / 2 if lw.gravity_forces(model, [0.0]) else np.pi])
    A, B = lw.linearize(model, up, [0.0], [0.0], step=1e-2)
    P = Q = np.eye(2)
    for _ in range(2000):
        K = np.linalg.solve(0.1 * np.eye(1) + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    motion = lw.simulate(
        model,
        up + 0.2,
        [0.0],
        8.0,
        step=1e-2,
        controller=lambda m, t, q, v: -K @ np.concatenate([lw.difference(m, up, q), v]) + lw.gravity_forces(m, up),
    )
    assert np.abs(motion.q[-1] - up).max() < 1e-3


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("arm", 0, 0, 0), {}, ArgumentError, "a Model"),
        ((None, np.zeros(6), np.zeros(7), np.zeros(7)), {}, ShapeError, r"q has shape \(6,\)"),
        ((None, np.zeros(7), np.zeros(6), np.zeros(7)), {}, ShapeError, r"v has shape \(6,\)"),
        ((None, np.zeros(7), np.zeros(7), np.full(7, np.nan)), {}, InputError, "tau is not finite"),
        ((None, np.zeros((2, 7)), np.zeros((3, 7)), np.zeros(7)), {}, ShapeError, "broadcast"),
        ((None, np.zeros(7), np.zeros(7), np.zeros(7)), {"step": 0.0}, InputError, "positive"),
        ((None, np.zeros(7), np.zeros(7), np.zeros(7)), {"step": 1e-3, "method": "rk5"}, InputError, "rk5"),
        (
            (None, np.zeros(7), np.zeros(7), np.zeros(7)),
            {"step": 1e-3, "method": "variational"},
            InputError,
            "iterated",
        ),
        ((None, np.zeros(7), np.zeros(7), np.zeros(7)), {"method": "rk4"}, InputError, "step="),
    ],
)
def test_what_cannot_be_made_linear_is_reported(arguments, options, error, message):
    model = lw.load("arm7") if arguments[0] is None else arguments[0]
    with pytest.raises(error, match=message):
        lw.linearize(model, *arguments[1:], **options)
