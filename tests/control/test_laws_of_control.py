"""Laws of control: what is proved of each holds in numbers, on joints of every kind where that is said."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.control.hand import pose_error
from linkwright.control.references import at
from linkwright.errors import LinkwrightError
from mechanisms import state, trees

control = lw.control


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm7")


def slope(of, h=1e-6):
    return (of(h) - of(-h)) / (2.0 * h)


def driven(model):
    """Every joint, free ones too."""
    return [joint.name for joint in model.joints]


def accelerated(model, q, v, tau):
    """With springs, dampers and friction, as `simulate` has it."""
    return dynamics.forward_dynamics(model, q, v, tau + dynamics.passive_forces(model, q, v))


@settings(max_examples=15, deadline=None)
@given(trees(4, mimics=False), st.integers(0, 2**31))
def test_pd_takes_energy_out_through_its_dampers_alone(model, seed):
    """V̇ = −vᵀ K_d v of V = ½ vᵀ M v + ½ eᵀ K e, for every joint type."""
    q, v, _ = state(model, seed)
    target = dynamics.integrate(model, q, 0.3 * np.random.default_rng(seed).normal(size=model.nv))
    K, D = np.linspace(3.0, 9.0, model.nv), np.linspace(0.5, 1.0, model.nv)
    tau = control.pd(model, 0.0, q, v, target=target, stiffness=K, damping=D, actuated=driven(model))
    a = dynamics.forward_dynamics(model, q, v, tau)

    def energy(t):
        there = dynamics.integrate(model, q, t * v)
        e, velocity = dynamics.difference(model, there, target), v + t * a
        return dynamics.kinetic_energy(model, there, velocity) + 0.5 * e @ (K * e)

    scale = 1.0 + np.abs(v) @ np.abs(tau) + np.abs(v * dynamics.gravity_forces(model, q)).sum()
    assert slope(energy) == pytest.approx(-v @ (D * v), abs=1e-6 * scale)


@settings(max_examples=15, deadline=None)
@given(trees(4, mimics=False), st.integers(0, 2**31))
def test_computed_torque_gives_the_acceleration_that_is_wanted(model, seed):
    q, v, a = state(model, seed)
    target = dynamics.integrate(model, q, 0.2 * a / (1.0 + np.abs(a).max()))
    reference = lambda t: (target, 0.5 * v, a)  # noqa: E731
    law = partial(control.computed_torque, reference=reference, stiffness=9.0, damping=6.0, actuated=driven(model))
    tau = law(model, 0.0, q, v)
    wanted = a + 6.0 * (0.5 * v - v) + 9.0 * dynamics.difference(model, q, target)
    assert np.allclose(accelerated(model, q, v, tau), wanted, rtol=1e-8, atol=1e-7 * (1.0 + np.abs(wanted).max()))


@pytest.mark.parametrize("directions", ["all", "linear", ["z", "rx"]])
def test_the_hand_accelerates_as_is_wanted_whatever_the_joints_do(arm, directions):
    q, v = arm.random(seed=3), np.random.default_rng(0).normal(size=7)
    wanted, rates, more = lw.pose(arm, arm.random(seed=4), "tool"), np.arange(6.0), np.linspace(1.0, -1.0, 6)
    law = partial(
        control.operational_space,
        frame="tool",
        reference=lambda t: (wanted, rates, more),
        stiffness=np.array([100.0] * 3 + [50.0] * 3),
        damping=20.0,
        directions=directions,
        posture=arm.neutral(),
        posture_stiffness=4.0,
    )
    a = accelerated(arm, q, v, law(arm, 0.0, q, v))
    x = lw.acceleration(arm, q, v, a, "tool")
    error = pose_error(lw.pose(arm, q, "tool"), wanted)
    asked = more - 20.0 * (lw.velocity(arm, q, v, "tool") - rates) - np.array([100.0] * 3 + [50.0] * 3) * error
    rows = {"all": range(6), "linear": range(3)}.get(directions, [2, 3]) if isinstance(directions, str) else [2, 3]
    assert np.allclose(x[list(rows)], asked[list(rows)], rtol=0.0, atol=1e-8)


def test_what_moves_no_hand_holds_the_posture(arm):
    """Beside the pose the seventh joint goes where the posture wants it, and the hand stays."""
    q = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
    law = partial(
        control.operational_space,
        frame="tool",
        reference=lw.pose(arm, q, "tool"),
        stiffness=100.0,
        damping=20.0,
        posture=arm.neutral(),
        posture_stiffness=4.0,
        posture_damping=4.0,
    )
    motion = lw.simulate(arm, q, np.zeros(7), 3.0, controller=law)
    assert np.abs(motion.q[-1] - q).max() > 0.05
    assert np.abs(lw.pose(arm, motion.q, "tool") - lw.pose(arm, q, "tool")).max() < 1e-3


def test_impedance_is_passive(arm):
    """V̇ = −ẋᵀ D ẋ − vᵀ D₀ v of V = ½ vᵀ M v + U(x̃)."""
    q, v = arm.random(seed=5), np.random.default_rng(1).normal(size=7)
    target = lw.pose(arm, arm.random(seed=6), "tool")
    root = np.random.default_rng(2).normal(size=(6, 6))
    for K in (np.array([300.0] * 3 + [20.0] * 3), root @ root.T):
        options = {"frame": "tool", "target": target, "stiffness": K, "damping": 15.0, "joint_damping": 0.2}
        a = accelerated(arm, q, v, control.impedance(arm, 0.0, q, v, **options))
        matrix = K if np.ndim(K) == 2 else np.diag(K)

        def energy(t, a=a, matrix=matrix):
            there, velocity = lw.integrate(arm, q, t * v), v + t * a
            e = pose_error(lw.pose(arm, there, "tool"), target)
            return lw.kinetic_energy(arm, there, velocity) + 0.5 * e @ matrix @ e

        x = lw.velocity(arm, q, v, "tool")
        assert slope(energy) == pytest.approx(-15.0 * x @ x - 0.2 * v @ v, rel=1e-6)


def test_a_pushed_hand_gives_way_by_its_stiffness(arm):
    q = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
    push, target = np.array([6.0, -3.0, 9.0, 0.0, 0.0, 0.0]), lw.pose(arm, q, "tool")

    D = np.array([60.0] * 3 + [0.5] * 3)

    def pushed(model, t, q, v, stiffness):
        own = control.impedance(
            model, t, q, v, frame="tool", target=target, stiffness=stiffness, damping=D, joint_damping=0.2
        )
        return own + lw.joint_forces(model, q, "tool", push)

    K = np.array([300.0, 400.0, 500.0, 20.0, 20.0, 20.0])
    motion = lw.simulate(arm, q, np.zeros(7), 8.0, controller=partial(pushed, stiffness=K), method="semi_implicit")
    moved = pose_error(lw.pose(arm, motion.q[-1], "tool"), target)
    assert np.allclose(moved[:3], push[:3] / K[:3], rtol=0.02, atol=1e-4)


def test_an_integral_learns_gravity_and_does_not_wind_up():
    model = lw.load("pendulum")
    law = partial(control.pid, target=np.array([0.8]), stiffness=60.0, integral=60.0, damping=12.0, step=1e-3)
    motion = lw.simulate(model, [0.0], [0.0], 12.0, controller=law, actuation=lw.Actuation(initial_state=np.zeros(1)))
    assert abs(motion.q[-1, 0] - 0.8) < 1e-4
    assert motion.state[-1] == pytest.approx(lw.gravity_forces(model, [0.8]), rel=1e-3)

    def overshoot(law):
        """Of a mass of 1 that is to go 5 m, by efforts up to 1 N."""
        cart = lw.Builder("cart").body("c", 1.0, [0, 0, 0], 1.0).joint("x", "prismatic", "world", "c", axis=[1, 0, 0])
        return (
            lw.simulate(
                cart.build(),
                [0.0],
                [0.0],
                40.0,
                step=2e-3,
                controller=law,
                actuation=lw.Actuation(initial_state=np.zeros(1)),
            ).q.max()
            - 5.0
        )

    gains = {"target": np.array([5.0]), "stiffness": 9.0, "damping": 6.0, "integral": 6.0, "step": 2e-3, "limit": 1.0}
    assert overshoot(partial(control.pid, **gains, anti_windup=0.3)) == pytest.approx(0.14, abs=0.02)
    assert overshoot(partial(control.pid, **gains, anti_windup=1e6)) > 1.0


def test_friction_is_made_up_for_by_the_velocity_that_is_wanted(arm):
    wanted = {"velocity": lambda t: np.full(7, t), "friction": 2.0, "damping": 0.5}
    tau = control.friction_compensation(arm, 0.2, None, None, **wanted)
    assert tau == pytest.approx(2.0 * 0.2 / np.hypot(0.2, 1e-2) + 0.1)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (np.zeros(6), r"shapes \(6,\), \(7,\), \(7,\); expected \(7,\)|reference has shape \(6,\); .* \(7,\)"),
        (lambda t: np.zeros(7), "three arrays"),
        (lambda t: (np.zeros(7), np.zeros(7)), "three arrays"),
        (lambda t: (np.zeros(7), np.zeros(3), np.zeros(7)), r"expected \(7,\)"),
    ],
)
def test_references_that_are_none_are_reported(arm, reference, message):
    with pytest.raises(LinkwrightError, match=message):
        at(reference, 0.0, (7,), 7)
    law = partial(control.computed_torque, reference=reference, stiffness=1.0, damping=1.0)
    with pytest.raises(LinkwrightError, match=message):
        lw.simulate(arm, np.zeros(7), np.zeros(7), 0.01, controller=law)


@pytest.mark.parametrize("limit", [60.0, 25.0, 8.0])
def test_within_limits_the_hand_comes_first_and_is_as_near_as_it_can_be(arm, limit):
    """Bounded least squares: first of the hand's acceleration, then of the efforts; of rows within limits nothing."""
    optimize = pytest.importorskip("scipy.optimize")
    rng, limits = np.random.default_rng(0), limit * np.array([1.0, 1.0, 0.8, 0.8, 0.5, 0.3, 0.3])
    q, v = 0.5 * arm.random(40, seed=0), 0.3 * rng.normal(size=(40, 7))
    goals = lw.pose(arm, lw.integrate(arm, q, 0.05 * rng.normal(size=(40, 7))), "tool")

    def law(model, q, v, goal, limits):
        gains = {"stiffness": 400.0, "damping": 40.0}
        within = control.operational_space(
            model, 0.0, q, v, frame="tool", reference=goal, effort_limits=limits, **gains
        )
        return within, control.operational_space(model, 0.0, q, v, frame="tool", reference=goal, **gains)

    found, asked = lw.compile(law, arm, goal=(4, 4), limits=(7,))(q, v, goals, limits)
    assert (np.abs(found) <= limits * (1.0 + 1e-12)).all()
    easy = (np.abs(asked) <= limits).all(axis=-1)
    assert 0 < easy.sum() < len(q) or limit == 8.0
    np.testing.assert_array_equal(found[easy], asked[easy])
    for k in np.flatnonzero(~easy):
        S = lw.jacobian(arm, q[k], "tool") @ np.linalg.inv(lw.mass_matrix(arm, q[k]))
        S = np.linalg.solve(np.linalg.cholesky(S @ lw.jacobian(arm, q[k], "tool").T), S) * limits
        best = optimize.lsq_linear(S, S @ (asked[k] / limits), (-1.0, 1.0), tol=1e-14, max_iter=1000)
        left = np.linalg.norm(S @ ((found[k] - asked[k]) / limits))
        least = np.sqrt(2.0 * best.cost)
        assert left <= least * (1.0 + 1e-3) + 1e-6 * np.linalg.norm(S @ (asked[k] / limits))
        if least < 1e-9 * np.linalg.norm(S):  # the hand has all it wants: the rest is as near as it can be
            n = np.linalg.svd(S)[2][-1]
            u = found[k] / limits
            assert not np.isclose(np.abs(u), 1.0).all()
            inside = np.abs(u + 1e-4 * np.outer([1.0, -1.0], n)).max(axis=1) <= 1.0
            for sign in np.array([1.0, -1.0])[inside]:
                assert (
                    np.linalg.norm(u + 1e-4 * sign * n - asked[k] / limits)
                    >= np.linalg.norm(u - asked[k] / limits) - 1e-9
                )
