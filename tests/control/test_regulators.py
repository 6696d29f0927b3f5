"""The linear quadratic regulator: Riccati's equation, the law V⁺ − V = −δᵀ(Q + KᵀRK)δ, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import linkwright as lw
from linkwright.control.optimal.riccati import continuous, discrete
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.joints.joint import Free, Prismatic, Revolute, Spherical
from mechanisms import random_tree, state

lqr = lw.control.lqr


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm7")


def cart_pole():
    built = lw.Builder("cart_pole").body("cart", mass=1.0).body("pole", mass=0.2, center_of_mass=[0.0, 0.0, 0.5])
    built.joint("slider", "prismatic", parent="world", child="cart", axis=[1, 0, 0])
    return built.joint("hinge", "revolute", parent="cart", child="pole", axis=[0, 1, 0]).build()


@pytest.mark.parametrize(("n", "m"), [(2, 1), (6, 2), (14, 7)])
def test_doubling_finds_what_schur_forms_do(n, m):
    rng = np.random.default_rng(n)
    A, B = rng.normal(size=(3, n, n)), rng.normal(size=(3, n, m))
    Q, R = np.eye(n), 0.1 * np.eye(m)
    for ours, theirs in (
        (continuous, scipy.linalg.solve_continuous_are),
        (discrete, scipy.linalg.solve_discrete_are),
    ):
        wanted = np.array([theirs(a, b, Q, R) for a, b in zip(A, B, strict=True)])
        np.testing.assert_allclose(ours(A, B, Q, R), wanted, atol=1e-11 * abs(wanted).max())


@pytest.mark.parametrize("kinds", [[Revolute, Spherical], [Free], [Prismatic, Revolute]])
@pytest.mark.parametrize("step", [None, 0.01])
def test_the_cost_to_go_falls_by_what_is_paid(kinds, step):
    """V⁺ − V = −δᵀ(Q + KᵀRK)δ, or V̇, for joints that turn about points too."""
    model = random_tree(kinds, 3)
    q, _, _ = state(model, 3)
    n = model.nv
    Q, R = np.diag(np.linspace(1.0, 3.0, 2 * n)), np.diag(np.linspace(0.1, 0.3, n))
    found = lqr(model, q, Q, R, step=step)
    K, P = found.gain, found.cost_to_go
    closed = found.A - found.B @ K
    change = closed.T @ P @ closed - P if step else closed.T @ P + P @ closed
    np.testing.assert_allclose(change, -(Q + K.T @ R @ K), atol=1e-9 * abs(P).max())
    assert np.linalg.eigvalsh(P)[0] > 0.0
    assert (abs(found.poles) < 1.0).all() if step else (found.poles.real < 0.0).all()


def test_the_law_brings_the_mechanism_back_at_the_cost_that_was_announced(arm):
    q, h = np.full(7, 0.5), 2e-3
    Q, R = np.diag([100.0] * 7 + [1.0] * 7), 0.01 * np.eye(7)
    found = lqr(arm, q, Q, R, step=h)
    start = q + 1e-3 * np.linspace(-1.0, 1.0, 7)
    motion = lw.simulate(arm, start, np.zeros(7), 6.0, step=h, controller=found.controller)
    change = np.concatenate([motion.q - q, motion.v], axis=1)
    paid = (change @ Q * change).sum() + ((motion.tau - found.effort) ** 2 * 0.01).sum()
    assert abs(change[-1]).max() < 1e-6
    assert paid == pytest.approx(change[0] @ found.cost_to_go @ change[0], rel=1e-3)


def test_a_cart_pole_is_held_upright_by_its_cart_alone():
    model = cart_pole()
    found = lqr(model, [0.0, 0.0], [1.0, 10.0, 1.0, 1.0], 0.1, actuated=["slider"])
    assert not found.gain[1].any()
    motion = lw.simulate(model, [0.5, 0.2], np.zeros(2), 10.0, controller=found.controller)
    assert abs(motion.q[-1]).max() < 1e-3
    with pytest.raises(InputError, match="cannot stabilize"):
        lqr(model.with_gravity([0.0, 0.0, 0.0]).with_payload("pole", 1.0, [0, 0, -0.1]), [0.0, 0.0], actuated=["hinge"])


def test_weights_of_efforts_may_be_of_the_motors_alone():
    options = {"q": [0.0, 0.0], "Q": [1.0, 10.0, 1.0, 1.0], "actuated": ["slider"]}
    whole = lqr(cart_pole(), R=[0.1, 5.0], **options)
    for R in ([0.1], 0.1 * np.eye(1)):
        np.testing.assert_array_equal(lqr(cart_pole(), R=R, **options).gain, whole.gain)


def test_a_long_horizon_begins_as_the_endless_one(arm):
    q = np.full(7, 0.3)
    endless = lqr(arm, q, 10.0, 0.1, step=0.02)
    long = lqr(arm, q, 10.0, 0.1, step=0.02, horizon=600, final=1.0)
    assert long.gain.shape == (600, 7, 14)
    assert long.cost_to_go.shape == (601, 14, 14)
    np.testing.assert_allclose(long.gain[0], endless.gain, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(long.cost_to_go[-1], np.eye(14))
    short = lqr(arm, q, 10.0, 0.1, step=0.02, horizon=50, final=100.0)
    motion = lw.simulate(arm, q + 1e-3, np.zeros(7), 1.0, step=0.02, controller=short.controller)
    change = np.concatenate([motion.q - q, motion.v], axis=1)
    efforts = motion.tau[:-1] - short.effort
    paid = 10.0 * (change[:-1] ** 2).sum() + 0.1 * (efforts**2).sum() + 100.0 * (change[-1] ** 2).sum()
    assert paid == pytest.approx(change[0] @ short.cost_to_go[0] @ change[0], rel=1e-2)


def test_a_batch_of_postures_gives_what_each_gives_alone(arm):
    q = 0.4 * arm.random(3, seed=1)
    found = lqr(arm, q, 10.0, 0.1, step=0.01)
    for k in range(3):
        np.testing.assert_allclose(found.gain[k], lqr(arm, q[k], 10.0, 0.1, step=0.01).gain, rtol=1e-7, atol=1e-7)
    motion = lw.simulate(
        arm,
        q + 0.01,
        np.zeros((3, 7)),
        4.0,
        step=0.01,
        controller=found.controller,
        actuation=lw.Actuation(each=found.each),
    )
    assert abs(motion.q[-1] - q).max() < 1e-2


@pytest.mark.parametrize(
    ("expected", "error", "message"),
    [
        ({"Q": -1.0}, InputError, "Q is no weight: -1 is negative"),
        ({"Q": np.diag([1.0, 1.0, 1.0, -1.0])}, InputError, "Q is no weight: it has the eigenvalue -1"),
        ({"Q": np.arange(16.0).reshape(4, 4)}, InputError, "not symmetric"),
        ({"Q": np.ones(3)}, ShapeError, r"Q has shape \(3,\); expected a number, \(4,\) or \(4, 4\)"),
        (
            {"R": np.eye(3), "actuated": ["slider"]},
            ShapeError,
            r"R has shape \(3, 3\); expected a number, \(2,\) or \(2, 2\) or \(1,\) or \(1, 1\)",
        ),
        ({"R": 0.0}, InputError, "R is no weight of efforts: it has the eigenvalue 0"),
        ({"R": np.diag([1.0, -1.0])}, InputError, "R is no weight"),
        ({"Q": np.nan}, InputError, "Q is not finite"),
        ({"actuated": ["hinge"]}, InputError, "cannot stabilize 'cart_pole' there: a mode that does not die away"),
        ({"actuated": ["motor"]}, KeyError, "motor"),
        ({"actuated": []}, InputError, "actuated is empty"),
        ({"Q": [0.0, 1.0, 0.0, 1.0]}, InputError, "Q does not see a mode that does not die away, mostly of 'slider'"),
        ({"tau": [1.0, 0.0]}, InputError, "q is not at rest under the efforts: 'hinge' accelerates"),
        ({"q": [0.0, 1.0], "actuated": ["slider"]}, InputError, "not at rest under the efforts"),
        ({"q": [0.0, np.nan]}, InputError, "q is not finite"),
        ({"step": 0.0}, InputError, "step is a positive number"),
        ({"horizon": 10}, InputError, "give step="),
        ({"final": 1.0}, ArgumentError, "final is the weight after a horizon"),
    ],
)
def test_what_cannot_be_regulated_is_reported(expected, error, message):
    with pytest.raises(error, match=message):
        lqr(cart_pole(), **({"q": [0.0, 0.0]} | expected))


def test_closed_loops_are_regulated_in_steps():
    model = lw.load("four_bar")
    q, _ = lw.project(model, lw.close_loops(model, model.neutral() + 0.6), np.zeros(model.nv))
    found = lqr(model, q, 10.0, 0.1, step=0.01)
    assert (abs(found.poles) < 1.0).all()


def test_closed_loops_are_regulated_in_the_directions_that_they_allow():
    """Continuously, too; of one motor the effort that holds the posture is not its joint's own weight."""
    model = lw.load("four_bar")
    q, zero = model.neutral(), np.zeros(model.nv)
    tau = lw.inverse_dynamics(model, q, zero, zero, actuated=["crank"])
    for expected in ({"tau": tau}, {}):
        found = lqr(model, q, 10.0, 0.1, actuated=["crank"], **expected)
        np.testing.assert_allclose(found.effort, tau, atol=1e-9)
        assert found.poles.shape == (2,)
        assert (found.poles.real < 0.0).all()
    in_steps = lqr(model, q, 10.0 * 1e-4, 0.1 * 1e-4, actuated=["crank"], step=1e-4)
    change = lw.close_loops(model, q + 1e-6) - q
    for x in (np.concatenate([change, zero]), np.concatenate([zero, change])):
        np.testing.assert_allclose(found.gain @ x, in_steps.gain @ x, rtol=1e-2, atol=1e-12)
    start = lw.close_loops(model, q + 0.05)
    motion = lw.simulate(model, start, zero, 4.0, controller=found.controller)
    assert abs(motion.q[-1] - q).max() < 1e-3


def test_what_is_beyond_rounding_is_reported():
    for Q, R in ((1e20, 1e-20), (1e-20, 1e20), (1e300, 1e-300)):
        with pytest.raises(InputError, match=r"no regulator was found|Q does not see|out of their reach"):
            lqr(cart_pole(), [0.0, 0.0], Q, R)
    with pytest.raises(InputError, match=r"there is no posture to hold: q has shape \(0, 2\)"):
        lqr(cart_pole(), np.zeros((0, 2)))
