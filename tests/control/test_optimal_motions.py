"""Optimal motions: derivatives, boxes, laws of descent, linear problems in one step, joints that turn about points."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.control.optimal import problem
from linkwright.control.optimal.box_constraints import least
from linkwright.control.optimal.step_derivatives import curvature, factors
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.joints.joint import Cylindrical, Free, Planar, Prismatic, Revolute, Spherical
from mechanisms import random_tree, state
from shortened import long_form

C = lw.control
ilqr = C.ilqr


@pytest.fixture(scope="module")
def pendulums():
    return lw.load("planar:2")


def rolled_out(model, found, tau):
    """The states under efforts (nodes, nv), step by step in Python."""
    motion = lw.simulate(
        model,
        found.q[0],
        found.v[0],
        found.step * len(tau),
        step=found.step,
        callback=lambda t, q, v: tau[min(len(tau) - 1, round(t / found.step))],
        method=found.method,
    )
    return motion.q, motion.v


def gradient(model, found, cost, some):
    """∂cost/∂τ of the motion by differences, at some places (node, velocity)."""
    slopes, e = [], 1e-6
    for place in some:
        sides = []
        for sign in (e, -e):
            tau = found.tau.copy()
            tau[place] += sign
            sides.append(cost(*rolled_out(model, found, tau), tau))
        slopes.append((sides[0] - sides[1]) / (2.0 * e))
    return np.array(slopes)


@pytest.mark.variants("springs", "method")
@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
@pytest.mark.parametrize(
    "kinds", [[Revolute, Spherical], [Prismatic, Planar], [Cylindrical, Revolute]], ids=lambda k: k[-1].type
)
@pytest.mark.parametrize("springs", [True, False])
def test_steps_are_differentiated_as_linearize_does(kinds, method, springs):
    model = random_tree(kinds, 1, springs=springs)
    _same_as_linearize(model, method, *state(model, 1)[:2])


@pytest.mark.parametrize("method", ["semi_implicit", "midpoint"])
def test_steps_of_closed_loops_are_differentiated_too(method):
    model = lw.load("four_bar")
    q = lw.close_loops(model, model.neutral() + 0.6)
    _same_as_linearize(model, method, q, np.zeros(model.nv))


@pytest.mark.parametrize(
    ("kinds", "method"),
    [
        ([Revolute, Spherical], "semi_implicit"),
        ([Free], "semi_implicit"),
        ([Planar], "semi_implicit"),
        ([Revolute, Prismatic], "rk4"),
        *long_form(([Planar], "rk4")),
    ],
    ids=["ball", "free", "planar", "rk4", "planar rk4"],
)
def test_second_derivatives_of_steps_are_the_slopes_of_the_first(kinds, method):
    """Of weightsᵀ δ⁺ along lines in the tangent space, by differences of what the step itself gives."""
    model = random_tree(kinds, 3, springs=True).minimal()
    q, v, _ = state(model, 3)
    rng, n, h = np.random.default_rng(3), model.nv, 0.02
    tau, weights, controls = rng.normal(size=n), rng.normal(size=2 * n), (0, n - 1)

    def bent(model, q, v, tau, weights):
        return curvature(model, method, controls, q, v, tau, h, weights)

    H = lw.compile(bent, model, tau=(n,), weights=(2 * n,))(q, v, tau, weights)

    def after(x):
        driven = tau.copy()
        driven[list(controls)] += x[2 * n :]
        options = {"step": h, "method": method, "callback": lambda t, q, v: driven}
        motion = lw.simulate(model, lw.integrate(model, q, x[:n]), v + x[n : 2 * n], h, **grouped(**options))
        return motion.q[-1], motion.v[-1]

    there, e = after(np.zeros(2 * n + 2)), 2e-4

    def weighed(x):
        q1, v1 = after(x)
        return weights[:n] @ lw.difference(model, there[0], q1) + weights[n:] @ (v1 - there[1])

    for _ in range(6):
        line = rng.normal(size=2 * n + 2)
        bend = (weighed(e * line) + weighed(-e * line)) / e**2
        assert bend == pytest.approx(line @ H @ line, rel=1e-4, abs=1e-5)


def _same_as_linearize(model, method, q, v, h=0.01):
    tau = np.random.default_rng(1).normal(size=model.nv)

    def whole(model, q, v, tau):
        found = np.eye(3 * model.nv)
        for F in factors(model, method, q, v, tau, h):
            found = F @ found
        return found

    J = lw.compile(whole, model.minimal())(q, v, tau)
    A, B = lw.linearize(model, q, v, tau, step=h, method=method)
    np.testing.assert_allclose(J, np.concatenate([A, B], axis=1), atol=1e-12)


def test_the_least_in_a_box_is_where_no_direction_within_it_falls():
    rng = np.random.default_rng(2)
    n, rows = 5, 300
    root = rng.normal(size=(rows, n, n))
    H, g = root @ root.swapaxes(1, 2) + 0.01 * np.eye(n), 3.0 * rng.normal(size=(rows, n))
    low, high = -rng.uniform(0.0, 1.0, (2, rows, n)) * [[[1.0]], [[-1.0]]]
    low[::3, 0], high[::3, 1] = -np.inf, np.inf
    B = rng.normal(size=(rows, n, 4))
    kernel = lw.compile(least, H=(n, n), g=(n,), low=(n,), high=(n,), B=(n, 4))
    k, free, K, pivot = kernel(H, g, low, high, B)
    slope = np.einsum("rij,rj->ri", H, k) + g
    assert ((low <= k) & (k <= high) & (pivot > 0.0)[:, None]).all()
    tolerance = 1e-8 * abs(g).max()
    assert (slope[k == low] >= -tolerance).all()
    assert (slope[k == high] <= tolerance).all()
    inner = (k > low) & (k < high)
    assert abs(slope[inner]).max() < tolerance
    assert 0.2 < inner.mean() < 0.8
    for row in range(0, rows, 20):
        some = free[row] > 0.5
        wanted = np.zeros((n, 4))
        wanted[some] = -np.linalg.solve(H[row][np.ix_(some, some)], B[row][some])
        np.testing.assert_allclose(K[row], wanted, atol=1e-8)


def lines():
    built = lw.Builder("lines", gravity=[0, 0, 0]).body("a", mass=1.5).body("b", mass=0.5)
    built.joint("x", "prismatic", parent="world", child="a", axis=[1, 0, 0])
    return built.joint("y", "prismatic", parent="a", child="b", axis=[0, 1, 0]).build()


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_a_linear_problem_takes_one_iteration_and_is_the_regulators(method):
    model, h, steps = lines(), 0.05, 70
    Q, R = np.array([3.0, 2.0, 0.1, 0.2]), np.array([0.5, 0.3])
    regulator = C.lqr(model, [0.0, 0.0], Q, R, step=h, horizon=steps, final=10.0 * Q, method=method)
    running = [
        C.PostureCost([0.0, 0.0], 2.0 * Q[:2] / h),
        C.VelocityCost(np.diag(2.0 * Q[2:] / h)),
        C.EffortCost(2.0 * R / h),
    ]
    final = [C.PostureCost([0.0, 0.0], 20.0 * Q[:2]), C.VelocityCost(20.0 * Q[2:])]
    x = np.array([1.0, -2.0, 0.3, 0.4])
    found = ilqr(model, x[:2], x[2:], steps, h, running, final, method=method)
    assert found.converged
    assert found.iterations == 1
    assert found.cost == pytest.approx(x @ regulator.cost_to_go[0] @ x, rel=1e-12)
    np.testing.assert_allclose(found.gains, -regulator.gain, atol=1e-12)


def swing_up(model, **more):
    running = [C.EffortCost(0.1), C.VelocityCost(0.1)]
    final = [C.PostureCost([np.pi / 2, 0.0], 100.0), C.VelocityCost(10.0)]
    start = more.pop("q0", [-np.pi / 2, 0.0])
    options = {"effort_limits": 5.0, "method": "semi_implicit", **more}
    return ilqr(model, start, [0.0, 0.0], 150, 0.02, running, final, **options)


def test_what_converges_slowly_is_helped_by_second_derivatives(pendulums):
    """Without them a swing-up takes 280 iterations, and of these sixteen six more than 500."""
    starts = [-np.pi / 2, 0.0] + 0.1 * np.random.default_rng(0).normal(size=(16, 2))
    several = swing_up(pendulums, q0=starts)
    assert several.converged.all()
    assert np.median(several.iterations) < 90
    assert swing_up(pendulums).iterations < 90


def test_steps_that_stay_short_are_helped_too():
    """A ball joint's inverted pendulum: 353 iterations of an eighth of a step without second derivatives."""
    built = lw.Builder("ball").body("b", mass=1.0, center_of_mass=[0, 0, 0.5], inertia=[0.1, 0.1, 0.02])
    model = built.joint("j", "spherical", parent="world", child="b").build()
    up = model.neutral()
    final = [C.PostureCost(up, 300.0), C.VelocityCost(30.0)]
    start = lw.integrate(model, up, [1.0, 0.5, 0.4])
    found = ilqr(model, start, np.zeros(3), 100, 0.02, C.EffortCost(0.01), final, method="rk4")
    assert found.converged
    assert found.iterations < 100


def cost_of_swing_up(q, v, tau):
    last = 50.0 * ((q[-1] - [np.pi / 2, 0.0]) ** 2).sum() + 5.0 * (v[-1] ** 2).sum()
    return last + 0.02 * 0.05 * ((tau**2).sum() + (v[:-1] ** 2).sum())


def test_a_swing_up_keeps_its_limits_and_is_a_least(pendulums):
    found = swing_up(pendulums, stopping=C.StoppingCriterion(tolerance=1e-13))
    assert found.converged
    assert (np.diff(found.costs) <= 0.0).all()
    assert abs(found.tau).max() == 5.0  # and so kept exactly
    at_limit = abs(found.tau) == 5.0
    assert 5 < at_limit.sum() < 250
    assert found.cost == pytest.approx(cost_of_swing_up(found.q, found.v, found.tau), rel=1e-9)
    assert not found.gains[at_limit].any()
    some = [(k, i) for k in range(0, 150, 3) for i in range(2)]
    slopes = gradient(pendulums, found, cost_of_swing_up, some)
    for slope, place in zip(slopes, some, strict=True):
        if at_limit[place]:
            assert slope * found.tau[place] < 0.0  # it would go on
        else:
            assert abs(slope) < 1e-5


def test_without_limits_it_is_what_plain_numpy_finds(pendulums):
    """Iterations of a sweep in NumPy with the same rules, from linearize."""
    model, h, steps = pendulums, 0.02, 40
    start, goal = np.array([-1.0, 0.5]), np.array([0.3, -0.4])
    running = [C.EffortCost(1e-2), C.PostureCost(goal, 1.0)]
    final = [C.PostureCost(goal, 50.0), C.VelocityCost(5.0)]
    found = ilqr(
        model,
        start,
        [0.0, 0.0],
        steps,
        h,
        running,
        final,
        method="semi_implicit",
        stopping=C.StoppingCriterion(tolerance=1e-14),
    )
    Q, W = np.diag([1.0, 1.0, 0.0, 0.0]) * h, np.diag([50.0, 50.0, 5.0, 5.0])
    R, x_goal = 1e-2 * h * np.eye(2), np.concatenate([goal, np.zeros(2)])
    tau = np.repeat(lw.gravity_forces(model, start)[None], steps, axis=0)

    class Found:
        q, v, step, method = [start], [np.zeros(2)], h, "semi_implicit"

    for _ in range(60):
        q, v = rolled_out(model, Found, tau)
        x = np.concatenate([q, v], axis=1)
        A, B = lw.linearize(model, q[:-1], v[:-1], tau, step=h, method="semi_implicit")
        Vx, Vxx, gains = W @ (x[-1] - x_goal), W, []
        for k in reversed(range(steps)):
            Quu, Qux = R + B[k].T @ Vxx @ B[k], B[k].T @ Vxx @ A[k]
            Qu, Qx = R @ tau[k] + B[k].T @ Vx, Q @ (x[k] - x_goal) + A[k].T @ Vx
            K, j = -np.linalg.solve(Quu, Qux), -np.linalg.solve(Quu, Qu)
            Vx, Vxx = Qx + Qux.T @ j, Q + A[k].T @ Vxx @ A[k] + Qux.T @ K
            gains.append((K, j))
        new, qk, vk = [], start, np.zeros(2)
        for k, (K, j) in enumerate(reversed(gains)):
            new.append(tau[k] + j + K @ np.concatenate([qk - q[k], vk - v[k]]))
            motion = lw.simulate(
                model, qk, vk, h, step=h, callback=lambda t, q, v, u=new[-1]: u, method="semi_implicit"
            )
            qk, vk = motion.q[-1], motion.v[-1]
        change, tau = np.abs(new - tau).max(), np.array(new)
        if change < 1e-9:
            break
    np.testing.assert_allclose(found.tau, tau, atol=2e-5)
    np.testing.assert_allclose(found.gains, [K for K, _ in reversed(gains)], atol=1e-4)


def test_joints_that_turn_about_points_are_led_to_their_postures():
    model = random_tree([Free, Spherical], 4, springs=False)
    start, _, _ = state(model, 4)
    goal = lw.integrate(model, start, 0.6 * np.random.default_rng(4).normal(size=model.nv))
    weight = np.diag(np.linspace(1.0, 2.0, model.nv))
    running = [C.EffortCost(1e-2), C.VelocityCost(0.01)]
    final = [C.PostureCost(goal, 20.0 * weight), C.VelocityCost(2.0)]
    v0 = 0.3 * np.random.default_rng(5).normal(size=model.nv)
    found = ilqr(
        model,
        start,
        v0,
        12,
        0.05,
        running,
        final,
        method="semi_implicit",
        stopping=C.StoppingCriterion(tolerance=1e-14),
    )
    assert found.converged
    assert np.abs(lw.difference(model, goal, found.q[-1])).max() < 0.2

    def cost(q, v, tau):
        e = lw.difference(model, goal, q[-1])
        running = 0.05 * (0.5e-2 * (tau**2).sum() + 0.005 * (v[:-1] ** 2).sum())
        return running + 10.0 * e @ weight @ e + 1.0 * (v[-1] ** 2).sum()

    assert found.cost == pytest.approx(cost(found.q, found.v, found.tau), rel=1e-9)
    some = [(k, i) for k in (0, 5, 11) for i in range(model.nv)]
    scale = np.abs(found.tau).max() * 1e-2 * 0.05
    assert abs(gradient(model, found, cost, some)).max() < 1e-5 * max(1.0, scale)


def test_rows_of_a_batch_are_what_each_is_alone(pendulums):
    q0 = [-np.pi / 2, 0.0] + 0.3 * np.random.default_rng(0).normal(size=(2, 3, 2))
    found = swing_up(pendulums, q0=q0)
    assert found.q.shape == (2, 3, 151, 2)
    assert found.gains.shape == (2, 3, 150, 2, 4)
    assert found.converged.shape == (2, 3)
    for place in ((0, 0), (1, 2)):
        alone = swing_up(pendulums, q0=q0[place])
        assert alone.cost == pytest.approx(found.cost[place], rel=1e-6)
        np.testing.assert_allclose(found[place].tau, alone.tau, atol=1e-3)
        assert isinstance(found[place].costs, list)
    many = swing_up(pendulums, q0=np.repeat(q0[0, :1], 150, axis=0))
    assert (many.iterations == many.iterations[0]).all()
    np.testing.assert_array_equal(many.tau, np.broadcast_to(many.tau[0], many.tau.shape))


def test_the_law_follows_the_motion_and_forgives_what_disturbs_it(pendulums):
    found = swing_up(pendulums)
    options = {"step": found.step, "method": found.method, "controller": found.controller}
    same = lw.simulate(pendulums, found.q[0], found.v[0], 3.0, **grouped(**options))
    np.testing.assert_allclose(same.q, found.q, atol=1e-9)
    finer = lw.simulate(
        pendulums, found.q[0] + 0.01, found.v[0], 3.0, step=1e-3, controller=found.controller, method="rk4"
    )
    assert abs(finer.q[-1] - found.q[-1]).max() < 0.1
    assert abs(finer.tau).max() <= 5.0
    several = swing_up(pendulums, q0=[[-1.6, 0.1], [-1.5, -0.1]])
    options = {"step": found.step, "method": found.method, "controller": several.controller, "each": several.each}
    motions = lw.simulate(pendulums, several.q[:, 0], several.v[:, 0], 3.0, **grouped(**options))
    np.testing.assert_allclose(motions.q, several.q.swapaxes(0, 1), atol=1e-9)


def test_costs_of_ones_own_are_what_the_built_in_ones_are(pendulums):
    goal = np.array([0.4, -0.2])
    options = {"steps": 30, "step": 0.02, "method": "semi_implicit", "q0": [0.0, 0.0], "v0": [0.0, 0.0]}

    def number(model, t, q, v, tau, weight, goal):
        return 0.5 * weight * ((q - goal) @ (q - goal) + v @ v)

    def residuals(model, t, q, v, tau, weight, goal):
        return np.sqrt(weight) * np.concatenate([q - goal, v])

    def efforts(model, t, q, v, tau):
        return 0.5e-2 * (tau @ tau)

    built_in = ilqr(
        pendulums, **options, running=C.EffortCost(1e-2), final=[C.PostureCost(goal, 9.0), C.VelocityCost(9.0)]
    )
    for final in (number, residuals):
        found = ilqr(pendulums, **options, running=efforts, final=partial(final, weight=9.0, goal=goal))
        np.testing.assert_allclose(found.tau, built_in.tau, atol=1e-5)
    goals = np.array([[0.4, -0.2], [0.1, 0.3]])
    options["q0"] = np.zeros((2, 2))
    several = ilqr(pendulums, **options, running=efforts, final=partial(number, weight=9.0, goal=goals), each=["goal"])
    targets = ilqr(pendulums, **options, running=efforts, final=[C.PostureCost(goals, 9.0), C.VelocityCost(9.0)])
    np.testing.assert_allclose(several.tau, targets.tau, atol=1e-5)
    np.testing.assert_allclose(several.tau[0], built_in.tau, atol=1e-5)


def test_frames_reach_poses_and_follow_what_moves(pendulums):
    arm = lw.load("arm4")
    goal = lw.pose(arm, np.array([0.4, 0.5, -0.3, 0.2]), "tool")
    final = [C.FrameCost("tool", goal, 1000.0), C.VelocityCost(1.0)]
    found = ilqr(arm, np.zeros(4), np.zeros(4), 25, 0.04, C.EffortCost(1e-3), final, method="semi_implicit")
    assert np.abs(lw.pose(arm, found.q[-1], "tool") - goal).max() < 2e-2
    start = np.array([0.3, 0.9])
    p0 = lw.pose(pendulums, start, "link2")[:3, 3]

    def line(t):
        return np.stack([p0[0] - 0.1 * t, p0[1] + 0.2 * t, 0.0 * t])

    running = [C.FrameCost("link2", line, 1e4), C.EffortCost(1e-4)]
    found = ilqr(pendulums, start, np.zeros(2), 50, 0.02, running, method="semi_implicit")
    there = lw.pose(pendulums, found.q, "link2")[..., :3, 3]
    wanted = np.array([line(t) for t in found.t])
    assert np.abs(there - wanted)[25:].max() < 2e-2


def test_what_a_motor_does_not_drive_gets_no_efforts():
    built = lw.Builder("cart_pole").body("cart", mass=1.0).body("pole", mass=0.2, center_of_mass=[0.0, 0.0, 0.5])
    built.joint("slider", "prismatic", parent="world", child="cart", axis=[1, 0, 0])
    model = built.joint("hinge", "revolute", parent="cart", child="pole", axis=[0, 1, 0]).build()
    final = [C.PostureCost([0.0, 0.0], 100.0), C.VelocityCost(100.0)]
    found = ilqr(
        model,
        [0.0, 0.4],
        [0.0, 0.0],
        60,
        0.03,
        C.EffortCost(0.01),
        final,
        effort_limits=(-15.0, 12.0),
        actuated=["slider"],
    )
    assert found.method == "rk4"
    assert found.converged
    assert not found.tau[:, 1].any()
    assert found.tau[:, 0].min() >= -15.0
    assert found.tau[:, 0].max() <= 12.0
    assert abs(found.q[-1]).max() < 0.05
    assert "converged" in repr(found)
    found.plot()


def test_closed_loops_stay_closed():
    model = lw.load("four_bar")
    q, v = lw.project(model, lw.close_loops(model, model.neutral() + 0.6), np.zeros(model.nv))
    final = [C.PostureCost(lw.close_loops(model, q + 0.3), 10.0), C.VelocityCost(1.0)]
    found = ilqr(model, q, v, 20, 0.02, C.EffortCost(0.01), final, method="semi_implicit")
    assert (np.diff(found.costs) <= 0.0).all()
    assert found.costs[-1] < 0.2 * found.costs[0]
    assert np.abs(lw.constraint_residual(model, found.q)).max() < 1e-8


def test_in_parts_it_is_the_same(pendulums, monkeypatch):
    """As large mechanisms are done: derivatives of loops by differences, of trees by formulas."""
    loop = lw.load("four_bar")
    q, v = lw.project(loop, lw.close_loops(loop, loop.neutral() + 0.6), np.zeros(loop.nv))
    closed = [C.PostureCost(lw.close_loops(loop, q + 0.3), 10.0), C.VelocityCost(1.0)]

    def both():
        yield ilqr(loop, q, v, 20, 0.02, C.EffortCost(0.01), closed, method="semi_implicit")
        running = [C.EffortCost(0.1), C.VelocityCost(0.1)]
        final = [C.PostureCost([1.0, 0.0], 100.0), C.VelocityCost(10.0)]
        for start, limits in (([-0.3, 0.0], 14.0), ([[-0.3, 0.0], [-0.2, 0.1]], None)):
            options = {"effort_limits": limits, "method": "semi_implicit"}
            yield ilqr(pendulums, start, [0.0, 0.0], 50, 0.02, running, final, **options)

    whole = list(both())
    monkeypatch.setattr(problem, "LARGE", 0)
    for one, other in zip(whole, both(), strict=True):
        assert np.all(other.converged)
        np.testing.assert_allclose(other.cost, one.cost, rtol=1e-8)
        np.testing.assert_allclose(other.tau, one.tau, atol=1e-3)
        np.testing.assert_allclose(other.gains, one.gains, atol=1e-2 * np.abs(one.gains).max())


@pytest.mark.parametrize(
    ("expected", "error", "message"),
    [
        ({"steps": 0}, InputError, "steps is a whole number from 1 on; got 0"),
        ({"step": 0.0}, InputError, "step is a positive number"),
        ({"q0": [0.0]}, ShapeError, r"q has shape \(1,\); expected \(…, 2\)"),
        ({"q0": [np.nan, 0.0]}, InputError, "q is not finite"),
        ({"v0": [np.inf, 0.0]}, InputError, "v0 is not finite"),
        ({"v0": np.zeros(3)}, ShapeError, r"v0 has shape \(3,\)"),
        ({"q0": np.zeros((3, 2)), "v0": np.zeros((2, 2))}, ShapeError, "do not broadcast"),
        ({"running": (), "final": ()}, ArgumentError, "nothing to keep low"),
        ({"running": [3.0]}, ArgumentError, "running costs are PostureCost"),
        ({"running": [C.EffortCost(np.ones(3))]}, ShapeError, "the weight of EffortCost has shape"),
        ({"final": [C.PostureCost([0.0, np.nan])]}, InputError, "target of PostureCost is not finite"),
        ({"final": [C.PostureCost(np.zeros((3, 2)))]}, ShapeError, "the target of PostureCost has shape"),
        (
            {"final": [C.PostureCost(lambda: [1.0, 0.0])]},
            ArgumentError,
            r"is a function of time, target\(t\); it takes",
        ),
        ({"final": [C.FrameCost("link2", 2.0 * np.eye(4))]}, InputError, "FrameCost on 'link2' is not a pose"),
        ({"final": [C.FrameCost("hand", np.zeros(3))]}, KeyError, "hand"),
        ({"final": [lambda model, q: 0.0]}, ArgumentError, r"called as cost\(model, t, q, v, tau\)"),
        ({"each": ["goal"]}, KeyError, "goal"),
        ({"effort_limits": (1.0, -1.0)}, InputError, "the lower one is above the upper one"),
        ({"effort_limits": np.ones(3)}, ShapeError, "effort_limits are a number"),
        ({"effort_limits": -3.0}, InputError, "the lower one is above the upper one, 3 > -3"),
        ({"effort_limits": 0}, InputError, "leave nothing to choose: every effort is held at 0"),
        ({"effort_limits": np.nan}, InputError, "effort_limits are numbers"),
        ({"initial_guess": np.zeros((4, 2))}, ShapeError, r"initial_guess has shape \(4, 2\); expected \(5, 2\)"),
        ({"initial_guess": np.nan}, InputError, "initial_guess is not finite"),
        ({"method": "variational"}, InputError, "iterated, not a formula"),
        ({"actuated": ["joint9"]}, KeyError, "joint9"),
        ({"stopping": 1e-9}, ArgumentError, r"stopping is lw\.control\.StoppingCriterion"),
    ],
)
def test_what_is_no_problem_is_reported(pendulums, expected, error, message):
    usual = {"q0": [0.0, 0.0], "v0": [0.0, 0.0], "steps": 5, "step": 0.02, "running": [C.EffortCost(1.0)]}
    with pytest.raises(error, match=message):
        ilqr(pendulums, **(usual | expected))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: C.EffortCost(-1.0), "the weight of EffortCost is no weight: -1 is negative"),
        (lambda: C.PostureCost([0.0], [1.0, np.nan]), "the weight of PostureCost is not finite"),
        (lambda: C.VelocityCost(np.diag([1.0, -2.0])), "VelocityCost is no weight: it has the eigenvalue -2"),
        (lambda: C.FrameCost("tool", np.zeros(3), [[1.0, 1.0], [0.0, 1.0]]), "FrameCost is no weight: it is not sym"),
        (lambda: C.EffortCost(np.ones((2, 3))), r"the weight of EffortCost has shape \(2, 3\)"),
    ],
)
def test_a_cost_without_a_weight_is_not_made(made, message):
    with pytest.raises((InputError, ShapeError), match=message):
        made()


def test_a_posture_that_is_none_is_no_target():
    model = random_tree([Spherical], 1, springs=False)
    with pytest.raises(InputError, match=r"target of PostureCost: the quaternion .* has length 2"):
        ilqr(model, model.neutral(), np.zeros(3), 5, 0.02, C.EffortCost(1.0), C.PostureCost(2.0 * model.neutral()))


def test_weights_and_limits_may_be_of_the_motors_alone():
    model, messages = lw.load("planar:3"), {"actuated": ["joint3", "joint1"], "method": "semi_implicit"}
    final = [C.PostureCost([0.1, 0.2, 0.3], 10.0), C.VelocityCost(1.0)]

    def found(weight, limits):
        return ilqr(
            model, np.zeros(3), np.zeros(3), 20, 0.02, C.EffortCost(weight), final, effort_limits=limits, **messages
        )

    whole = found([1e-2, 7.0, 2e-2], [20.0, 5.0, 9.0])
    for weight in ([1e-2, 2e-2], np.diag([1e-2, 2e-2])):
        own = found(weight, [20.0, 9.0])
        np.testing.assert_allclose(own.tau, whole.tau, atol=1e-6)
        np.testing.assert_array_equal(own.high, [20.0, np.inf, 9.0])


def test_the_guess_of_a_stance_holds_it():
    """Where closed loops carry what has no motor, motors hold what is theirs."""
    model = lw.load("four_bar")
    motor = [model.joints[0].name]
    q = lw.project(model, lw.close_loops(model, model.neutral() + 0.6), np.zeros(model.nv))[0]
    zero = np.zeros(model.nv)
    found = ilqr(
        model,
        q,
        zero,
        20,
        0.02,
        C.EffortCost(1.0),
        actuated=motor,
        method="semi_implicit",
        stopping=C.StoppingCriterion(iterations=0),
    )
    np.testing.assert_allclose(found.tau[0], lw.inverse_dynamics(model, q, zero, zero, actuated=motor), atol=1e-9)
    np.testing.assert_allclose(found.q, np.broadcast_to(q, found.q.shape), atol=1e-9)


def test_what_does_not_converge_says_why(pendulums):
    few = swing_up(pendulums, stopping=C.StoppingCriterion(iterations=2))
    assert not few.converged
    assert few.iterations == 2
    assert few.reason == "2 iterations were not enough"
    assert few.gains.any()
    wild = ilqr(pendulums, [0.0, 0.0], [1e200, 0.0], 20, 0.1, [C.EffortCost(1.0)], method="semi_implicit")
    assert not wild.converged
    assert "diverges" in wild.reason
    undefined = ilqr(
        pendulums,
        [0.0, 0.0],
        [0.0, 0.0],
        5,
        0.1,
        [C.EffortCost(1.0), lambda model, t, q, v, tau: np.log(-1.0 - q[0] ** 2)],
    )
    assert undefined.reason == "a cost is not finite along the motion under the initial guess"
    free = ilqr(pendulums, [0.0, 0.0], [0.0, 0.0], 20, 0.1, [C.VelocityCost(1.0)], method="semi_implicit")
    assert not free.converged  # nothing is on the last efforts
