"""Resolved rates: lexicographic least squares, bounded through singularities, within limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear

import linkwright as lw
from linkwright import tasks
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.scale import scale_of
from mechanisms import one_of_each


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm7")


def regular(model, frame, n, seed):
    """Configurations away from singularities, and their Jacobians."""
    q = model.random(20 * n, seed=seed)
    J = lw.jacobian(model, q, frame)
    clear = np.flatnonzero(np.linalg.svd(J, compute_uv=False)[:, -1] > 0.15)[:n]
    return q[clear], J[clear]


def test_what_can_be_followed_is(arm):
    q, J = regular(arm, "tool", 50, 0)
    twist = np.random.default_rng(0).normal(size=(len(q), 6))
    v = lw.resolved_rate(arm, q, {"tool": twist}, velocity_limits=False, damping=1e-3)
    assert np.abs(np.einsum("nij,nj->ni", J, v) - twist).max() < 1e-9
    shortest = np.einsum("nij,nj->ni", np.linalg.pinv(J), twist)
    assert np.abs(v - shortest).max() < 1e-7
    alone = lw.resolved_rate(arm, q[0], {"tool": twist[0]}, velocity_limits=False, damping=1e-3)
    assert np.allclose(alone, v[0], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_every_joint_type(seed):
    model = one_of_each(seed)
    q = model.random(seed=seed)
    J = lw.jacobian(model, q, "tip")
    v = np.random.default_rng(seed).normal(size=model.nv)
    got = lw.resolved_rate(model, q, {"tip": J @ v}, velocity_limits=False, damping=1e-4)
    assert np.abs(J @ got - J @ v).max() < 1e-6


def test_priorities_are_strict(arm):
    """Tasks of lower priority do not change those of higher priority and are fulfilled as far as possible."""
    q, J = regular(arm, "tool", 50, 1)
    rng = np.random.default_rng(1)
    p, other, posture = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)), rng.normal(size=(50, 7))
    order = {
        "tool": p,
        tasks.Position("link4", priority=2): other,
        tasks.Joints(priority=3): posture,
    }
    v = lw.resolved_rate(arm, q, order, velocity_limits=False, damping=1e-4)
    alone = lw.resolved_rate(arm, q, {"tool": p}, velocity_limits=False, damping=1e-4)
    first = J[:, :3]
    assert np.abs(np.einsum("nij,nj->ni", first, v - alone)).max() < 1e-9
    second = lw.jacobian(arm, q, "link4")[:, :3]
    for k in range(50):  # lexicographic least squares by projections
        N = np.eye(7) - np.linalg.pinv(first[k]) @ first[k]
        expected = np.linalg.pinv(first[k]) @ p[k]
        P = second[k] @ N
        if np.linalg.svd(P, compute_uv=False)[1] < 0.05:
            continue
        expected = expected + np.linalg.pinv(P, rcond=1e-6) @ (other[k] - second[k] @ expected)
        rows = np.concatenate([first[k], second[k]])
        N = np.eye(7) - np.linalg.pinv(rows, rcond=1e-6) @ rows
        expected = expected + N @ (posture[k] - expected)
        assert np.abs(second[k] @ (v[k] - expected)).max() < 1e-5
        assert np.abs(v[k] - expected).max() < 1e-4


def test_velocities_stay_bounded_through_singularities():
    """Stretching out and beyond: the rate that cannot be is left, velocities neither grow nor jump."""
    arm, damping = lw.load("planar:2"), 0.05
    way = np.linspace(-0.3, 0.3, 2001)
    q = np.stack([0.2 - 0.5 * way, way], axis=1)  # straight in the middle
    rate = np.array([1.0, 0.3])
    task = tasks.Position("tip", axes="xy")
    v = lw.resolved_rate(arm, q, {task: rate}, damping=damping, velocity_limits=False)
    assert np.abs(v).max() < 1.5 * np.linalg.norm(rate) / damping
    assert np.linalg.norm(np.diff(v, axis=0), axis=1).max() < 0.6
    through = lw.resolved_rate(arm, [0.2, 0.0], {task: rate}, damping=damping, velocity_limits=False)
    assert np.isfinite(through).all()


def test_without_damping_rates_are_exact_and_bounded(arm):
    """q̇ = J⁻¹ ṗ to rounding where J is regular, and finite where it is singular."""
    q, J = regular(arm, "tool", 20, 5)
    rate = np.random.default_rng(5).normal(size=(20, 6))
    v = lw.resolved_rate(arm, q, {"tool": rate}, velocity_limits=False, damping=0.0)
    assert np.abs(np.einsum("nij,nj->ni", J, v) - rate).max() < 1e-13 * (1.0 + np.abs(v).max())
    planar = lw.load("planar:3")
    stretched = lw.resolved_rate(planar, np.zeros(3), {"tip": np.ones(6)}, velocity_limits=False, damping=0.0)
    assert np.abs(stretched).max() < 1.0


def test_an_algorithmic_singularity_is_bounded_and_leaves_what_is_first(arm):
    """Two tasks that want the same joints, in different ways."""
    q, J = regular(arm, "tool", 20, 3)
    rng = np.random.default_rng(3)
    twist, spin = rng.normal(size=(20, 6)), 1e3 * rng.normal(size=(20, 3))
    order = {"tool": twist, tasks.Rotation("link6", priority=2): spin}
    v = lw.resolved_rate(arm, q, order, velocity_limits=False, damping=0.01)
    alone = lw.resolved_rate(arm, q, {"tool": twist}, velocity_limits=False, damping=0.01)
    assert np.abs(np.einsum("nij,nj->ni", J, v - alone)).max() < 1e-9 * 1e3
    assert np.abs(v).max() < 1e3 * 3.0 / 0.01


def test_limits_hold_and_the_rest_makes_up_for_them(arm):
    q, J = regular(arm, "tool", 200, 4)
    limit = np.concatenate([joint.velocity_limit for joint in arm.joints])
    twist = np.random.default_rng(4).normal(size=(len(q), 6))
    free = lw.resolved_rate(arm, q, {"tool": twist}, velocity_limits=False)
    twist *= 1.1 / (np.abs(free) / limit).max(axis=1, keepdims=True)  # a little too fast for one joint
    v = lw.resolved_rate(arm, q, {"tool": twist}, damping=1e-3)
    assert (np.abs(v) <= limit + 1e-12).all()
    followed = np.abs(np.einsum("nij,nj->ni", J, v) - twist).max(axis=1) < 1e-6
    bounds = list(zip(-limit, limit, strict=True))
    possible = [linprog(np.zeros(7), A_eq=J[k], b_eq=twist[k], bounds=bounds).success for k in range(len(q))]
    assert np.array_equal(followed, possible)
    assert 0.1 < followed.mean() < 0.9  # a seventh joint makes up for what one cannot
    period = 0.1
    v = lw.resolved_rate(arm, q, {"tool": 10.0 * twist}, period=period)
    ahead = q + period * v
    assert (ahead <= arm.upper + 1e-12).all()
    assert (ahead >= arm.lower - 1e-12).all()


def test_limits_of_a_later_priority_do_not_disturb_an_earlier_one(arm):
    q, J = regular(arm, "tool", 100, 5)
    rng = np.random.default_rng(5)
    limit = np.concatenate([joint.velocity_limit for joint in arm.joints])
    twist = 0.1 * rng.normal(size=(100, 6))
    order = {"tool": twist, tasks.Joints(priority=2): 100.0 * rng.normal(size=(100, 7))}
    v, alone = lw.resolved_rate(arm, q, order), lw.resolved_rate(arm, q, {"tool": twist})
    assert (np.abs(v) <= limit + 1e-12).all()
    assert np.abs(np.einsum("nij,nj->ni", J, v - alone)).max() < 1e-9
    assert np.abs(v - alone).max() > 0.1


def test_what_is_free_goes_uphill(arm):
    """Away from limits and to more manipulability, the tool staying where it is."""
    q, J = regular(arm, "tool", 50, 6)
    still = np.zeros((50, 6))
    for uphill in (tasks.AwayFromLimits(), tasks.Manipulability(frame="tool")):
        v = lw.resolved_rate(arm, q, {"tool": still, uphill: 1.0}, velocity_limits=False)
        assert np.abs(np.einsum("nij,nj->ni", J, v)).max() < 1e-9 * (1.0 + np.abs(v).max())
        h = 1e-5 / np.linalg.norm(v, axis=1, keepdims=True)

        def height(x, uphill=uphill):
            if isinstance(uphill, tasks.Manipulability):
                return np.array([uphill.measure(arm, one) for one in x])
            wide = (arm.upper - arm.lower) ** 2
            return -(wide / (4.0 * (arm.upper - x) * (x - arm.lower))).sum(axis=1)

        assert ((height(q + h * v) - height(q - h * v)) > 0.0).mean() > 0.95


def test_a_balance_over_the_feet():
    """Resolved momentum: the feet stay, the center of mass goes, the hand follows last."""
    humanoid = lw.load("humanoid")
    q = humanoid.neutral()
    q[7:] = np.random.default_rng(0).uniform(-0.3, 0.3, humanoid.nq - 7)
    order = {
        "left_foot": np.zeros(6),
        "right_foot": np.zeros(6),
        tasks.Momentum("linear", priority=2): [0.5, 0.2, 0.0],
        tasks.Position("left_hand", priority=3): [0.1, 0.0, 0.2],
        tasks.Joints(priority=4): np.zeros(humanoid.nv),
    }
    v = lw.resolved_rate(humanoid, q, order, velocity_limits=False, damping=1e-3)
    for foot in ("left_foot", "right_foot"):
        assert np.abs(lw.velocity(humanoid, q, v, foot)).max() < 1e-9
    assert np.abs(lw.momentum(humanoid, q, v)[:3] - [0.5, 0.2, 0.0]).max() < 1e-6
    assert np.abs(lw.velocity(humanoid, q, v, "left_hand")[:3] - [0.1, 0.0, 0.2]).max() < 1e-6


def test_loops_move_closed():
    model = lw.load("stewart")
    q = lw.close_loops(model, model.neutral())
    v = lw.resolved_rate(model, q, {"platform": [0.05, 0.0, 0.1, 0.0, 0.1, 0.0]}, velocity_limits=False, damping=1e-3)
    assert np.abs(lw.constraint_jacobian(model, q) @ v).max() < 1e-9
    assert np.abs(lw.velocity(model, q, v, "platform") - [0.05, 0.0, 0.1, 0.0, 0.1, 0.0]).max() < 1e-6


def test_a_controller_of_a_simulation(arm):
    """Within the kernel of the steps: the tool goes straight on."""
    q = np.array([0.1, -0.6, 0.2, 1.2, 0.1, 0.8, 0.0])

    def law(model, t, q, v):
        w = lw.resolved_rate(model, q, {"tool": [0.05, 0.0, 0.0, 0.0, 0.0, 0.0]})
        return lw.inverse_dynamics(model, q, v, 40.0 * (w - v))

    motion = lw.simulate(arm, q, np.zeros(7), 1.0, callback=lw.compile(law, arm, t=()))
    way = lw.pose(arm, motion.q, "tool")[:, :3, 3]
    assert np.abs(lw.velocity(arm, motion.q[-1], motion.v[-1], "tool") - [0.05, 0, 0, 0, 0, 0]).max() < 5e-3
    assert np.abs(way[:, 1:] - way[0, 1:]).max() < 2e-3


@pytest.mark.parametrize(
    ("rates", "options", "kind", "message"),
    [
        ({"tool": np.full(6, np.nan)}, {}, InputError, "the rate of Pose.* is not finite"),
        ({"tool": np.zeros(4)}, {}, ShapeError, r"expected a twist \(…, 6\) or a velocity"),
        ({tasks.Pose("tool"): np.zeros((4, 4))}, {}, ShapeError, r"expected \(…, 6\)"),
        ({"tool": np.zeros(6)}, {"damping": -0.1}, InputError, "damping is a number from 0 on"),
        ({"tool": np.zeros(6)}, {"period": -1.0}, InputError, "period is a positive number"),
        ({}, {}, ArgumentError, "rates are a dict"),
        ({3: np.zeros(6)}, {}, ArgumentError, "names of frames and tasks"),
    ],
)
def test_what_cannot_be_is_refused(arm, rates, options, kind, message):
    with pytest.raises(kind, match=message):
        lw.resolved_rate(arm, arm.neutral(), rates, **options)


def test_a_configuration_that_is_not_finite_is_reported(arm):
    with pytest.raises(InputError, match="q is not finite"):
        lw.resolved_rate(arm, np.full(7, np.nan), {"tool": np.zeros(6)})


def test_velocities_at_their_limits_are_the_best_that_these_allow():
    arm, rng = lw.load("arm7"), np.random.default_rng(0)
    scale = np.array([1.0 / scale_of(arm).length] * 3 + [1.0] * 3)
    most = np.concatenate([joint.velocity_limit for joint in arm.joints])
    q, rates = arm.random(100, seed=0), 3.0 * rng.normal(size=(100, 6))
    v = lw.resolved_rate(arm, q, {"tool": rates})
    for one, J, rate in zip(v, scale[:, None] * lw.jacobian(arm, q, "tool"), scale * rates, strict=True):
        best = lsq_linear(J, rate, (-most, most), tol=1e-13).x
        assert (np.abs(one) <= most + 1e-12).all()
        assert np.linalg.norm(J @ one - rate) < np.linalg.norm(J @ best - rate) + 1e-6 * np.linalg.norm(rate)


def test_so_are_those_of_a_second_priority():
    arm, rng = lw.load("arm7"), np.random.default_rng(1)
    most = np.concatenate([joint.velocity_limit for joint in arm.joints])
    q, wish = arm.random(50, seed=1), 10.0 * rng.normal(size=(50, 7))
    rates = (lw.jacobian(arm, q, "tool")[:, :3] @ (0.3 * most * rng.uniform(-1.0, 1.0, (50, 7)))[..., None])[..., 0]
    v = lw.resolved_rate(arm, q, {tasks.Position("tool"): rates, tasks.Joints(priority=2): wish}, damping=1e-4)
    for one, J, rate, w in zip(v, lw.jacobian(arm, q, "tool")[:, :3], rates, wish, strict=True):
        heavy = 1e4
        best = lsq_linear(
            np.vstack([heavy * J, np.eye(7)]), np.concatenate([heavy * rate, w]), (-most, most), tol=1e-14
        )
        assert (np.abs(one) <= most + 1e-12).all()
        assert np.linalg.norm(J @ one - rate) < 1e-6
        assert np.linalg.norm(one - w) < np.linalg.norm(best.x - w) * (1.0 + 1e-4)
