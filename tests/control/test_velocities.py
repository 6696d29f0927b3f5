"""Velocities from encoders: exact where they can be, and otherwise as good as is said."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES, Free, Planar, Revolute, Spherical
from mechanisms import one_of_each, random_tree, state

control = lw.control


def zero(model, t, q, v):
    """Return the velocities that an inner controller receives, as its efforts."""
    return v


def run(law, model, motion):
    """Return the velocities that an inner controller receives at each configuration of a motion."""
    x, seen = control.initial_state_of(model, law), []
    for q in motion:
        tau, x = law(model, 0.0, q, np.full(model.nv, np.nan), x)
        seen.append(tau)
    return np.array(seen), x


@pytest.mark.parametrize("order", [1, 2])
def test_constant_velocities_are_found_on_every_joint_type(order):
    model, h = one_of_each(2), 1e-2
    q, v, _ = state(model, 1)
    motion = [lw.integrate(model, q, k * h * v) for k in range(200)]
    law = partial(control.filtered_velocity, controller=zero, cutoff=30.0, step=h, order=order)
    seen, _ = run(law, model, motion)
    assert np.allclose(seen[-1], v, rtol=0.0, atol=1e-9)
    if order == 1:
        expected = 1.0 - np.exp(-30.0 * h * np.arange(200))
        assert np.allclose(seen, expected[:, None] * v, rtol=0.0, atol=1e-9)


def test_a_filter_is_late_by_its_order():
    """A velocity that grows steadily is estimated order/ω + h/2 later, but for what sampling adds to 1/ω."""
    model, h, cutoff = lw.load("pendulum"), 1e-3, 50.0
    motion = [np.array([0.5 * (k * h) ** 2]) for k in range(1000)]
    for order in (1, 2, 3):
        law = partial(control.filtered_velocity, controller=zero, cutoff=cutoff, step=h, order=order)
        late = 0.999 - run(law, model, motion)[0][-1, 0]
        assert late == pytest.approx(order / cutoff + h / 2, abs=order * h / 1.9)


@pytest.mark.parametrize("kinds", [list(JOINT_TYPES)])
def test_constant_accelerations_leave_no_error(kinds):
    """Of plain coordinates; constant velocities of all: without noise the estimate is what it is made for."""
    model, h = random_tree(kinds, 3), 1e-2
    q, v, a = state(model, 1)
    law = partial(control.kalman_velocity, controller=zero, noise=1e-4, jerk=30.0, step=h)
    seen, _ = run(law, model, [lw.integrate(model, q, k * h * v) for k in range(300)])
    assert np.allclose(seen[-1], v, rtol=0.0, atol=1e-6)
    plain = random_tree([Revolute, Revolute], 3)
    q, v, a = state(plain, 1)
    law = partial(control.kalman_velocity, controller=zero, noise=1e-4, jerk=30.0, step=h)
    seen, last = run(law, plain, [q + k * h * v + 0.5 * (k * h) ** 2 * a for k in range(300)])
    assert np.allclose(seen[-1], v + 2.99 * a, rtol=0.0, atol=1e-6)
    assert np.allclose(last["acceleration"], a, rtol=0.0, atol=1e-5)


def test_gains_are_those_of_the_textbook():
    """Covariances by matrices: P⁻ = F P Fᵀ + σ² g gᵀ, K = P⁻ e₁/(P⁻₁₁ + R), P = (1 − K e₁ᵀ) P⁻."""
    model, h, noise, jerk = lw.load("pendulum"), 2e-3, 1e-3, 50.0
    law = partial(control.kalman_velocity, controller=zero, noise=noise, jerk=jerk, step=h, initial_std=(2.0, 7.0))
    x = control.initial_state_of(model, law)
    P = np.diag([noise**2, 4.0, 49.0])
    F, g = np.array([[1, h, h * h / 2], [0, 1, h], [0, 0, 1]]), np.array([h**3 / 6, h * h / 2, h])
    for _ in range(500):
        _, x = law(model, 0.0, np.zeros(1), np.zeros(1), x)
        P = F @ P @ F.T + jerk**2 * np.outer(g, g)
        K = P[:, 0] / (P[0, 0] + noise**2)
        P = P - np.outer(K, P[0])
        assert np.allclose(x["covariance"][:, 0], P[np.triu_indices(3)], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", [Revolute, Spherical, Planar, Free])
def test_errors_are_as_large_as_the_filter_says(kind):
    """Of motions with random jerk and noise as declared: squares of errors by variances are one on average."""
    model, h, noise, jerk = random_tree([kind], 5), 5e-3, 1e-3, 200.0
    rng, squares = np.random.default_rng(1), []
    law = partial(control.kalman_velocity, controller=zero, noise=noise, jerk=jerk, step=h)
    for _ in range(6):
        q, v, a, motion, speeds = model.random(seed=rng), rng.normal(size=model.nv), np.zeros(model.nv), [], []
        for _ in range(300):
            motion.append(lw.integrate(model, q, noise * rng.normal(size=model.nv)))
            speeds.append(v)
            j = jerk * rng.normal(size=model.nv)
            q = lw.integrate(model, q, h * v + h * h / 2 * a + h**3 / 6 * j)
            v, a = v + h * a + h * h / 2 * j, a + h * j
        seen, last = run(law, model, motion)
        squares.append((seen - np.array(speeds))[100:] ** 2 / last["covariance"][3])
    assert 0.7 < np.mean(squares) < 1.4


HOME = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])


def swing(t):
    rates = np.array([1.0, 1.3, 1.7, 1.1, 2.3, 1.9, 2.7])
    x = rates * t
    return HOME + 0.5 * (1.0 - np.cos(x)), 0.5 * rates * np.sin(x), 0.5 * rates**2 * np.cos(x)


def in_loop(estimate, bits, **options):
    """An arm that swings by what an estimate tells of encoders: errors of velocity and of what an observer finds."""
    arm, h, turn = lw.load("arm7"), 1e-3, 2.0 * np.pi / 2**bits
    law = partial(control.computed_torque, reference=swing, stiffness=100.0, damping=20.0)
    law = partial(control.momentum_observer, controller=law, gain=50.0, step=h)
    law = partial(control.encoders, controller=partial(estimate, controller=law, step=h, **options), resolution=turn)
    motion = lw.simulate(
        arm,
        HOME,
        np.zeros(7),
        3.0,
        controller=law,
        surroundings=lw.Surroundings(wrenches={"tool": [0.0, 0.0, 10.0, 0.0, 0.0, 0.0]}),
    )
    result = motion.state["controller"]
    speeds = result["velocity"][:, -1] if result["velocity"].ndim == 3 else result["velocity"]
    expected = lw.joint_forces(arm, motion.q, "tool", [0.0, 0.0, 10.0, 0.0, 0.0, 0.0])
    off = speeds[1501:] - motion.v[1500:-1], (result["controller"]["external"] - expected)[1500:]
    return [np.sqrt(np.mean(x * x)) for x in off]


def test_a_kalman_filter_is_better_than_differences():
    """In an arm's loop of computed torque, encoders of 4096 steps a turn, asked every millisecond."""
    raw, _ = in_loop(control.filtered_velocity, 12, cutoff=1e5)
    filtered, _ = in_loop(control.filtered_velocity, 12, cutoff=200.0, order=2)
    kalman, _ = in_loop(control.kalman_velocity, 12, noise=2.0 * np.pi / 4096 / np.sqrt(12.0), jerk=50.0)
    assert kalman < 0.6 * filtered < 0.1 * raw
    assert kalman < 0.02


def test_an_observer_within_an_estimate_within_encoders_finds_a_push():
    """States nest; of 10 N, 1.3 N m in the mean joint, less than a tenth is missed with 16 bits."""
    _, off = in_loop(control.kalman_velocity, 16, noise=2.0 * np.pi / 2**16 / np.sqrt(12.0), jerk=50.0)
    assert off < 0.12


def test_encoders_have_steps():
    model = one_of_each(3)
    q = model.random(seed=2)
    law = partial(control.encoders, controller=lambda model, t, q, v: lw.dynamics.difference(model, model.neutral(), q))
    seen = law(model, 0.0, q, np.zeros(model.nv), resolution=0.05)
    assert np.allclose(seen / 0.05, np.round(seen / 0.05), atol=1e-8)
    assert np.abs(seen - lw.difference(model, model.neutral(), q)).max() <= 0.025 + 1e-9


@pytest.mark.parametrize(
    ("law", "bound", "message"),
    [
        (control.encoders, {"resolution": 0.0}, "resolution must be above zero"),
        (control.encoders, {"resolution": np.ones(3)}, r"resolution has shape \(3,\)"),
        (control.filtered_velocity, {"cutoff": -1.0, "step": 1e-3}, "cutoff must be above zero"),
        (control.filtered_velocity, {"cutoff": 1.0, "step": 1e-3, "order": 0}, "order is a whole number from 1 to 4"),
        (control.filtered_velocity, {"cutoff": 1.0, "step": np.nan}, "step must be above zero"),
        (control.kalman_velocity, {"noise": 0.0, "jerk": 1.0, "step": 1e-3}, "noise must be above zero"),
        (control.kalman_velocity, {"noise": 1.0, "jerk": [1.0, -1.0], "step": 1e-3}, "jerk must be above zero"),
    ],
)
def test_what_cannot_be_bound_is_reported(law, bound, message):
    model = lw.load("two_link")
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(model, [0, 0], [0, 0], 0.01, controller=partial(law, controller=zero, **bound))
