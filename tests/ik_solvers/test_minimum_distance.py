"""A minimum distance as a constraint of inverse kinematics and of resolved rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import linkwright as lw
from linkwright.errors import InputError, LinkwrightWarning, UnknownNameError
from linkwright.ik_solvers.minimum_distance import constrained
from linkwright.spatial.loops.tables import take

BALL = lw.Shape("world", "sphere", radius=0.15, name="ball")
MinimumDistance = lw.tasks.MinimumDistance

pytestmark = pytest.mark.filterwarnings("ignore:MinimumDistance.* leaves out")


@pytest.fixture(scope="module")
def arm() -> lw.Model:
    made = lw.Builder(lw.load("arm7"))
    for body in made.build().bodies:
        made.shape(body.name, "capsule", radius=0.05, length=0.15, use="collision")
    return made.build()


def at(places: np.ndarray) -> np.ndarray:
    return lw.transform.make(np.eye(3), places)


def smallest(arm: lw.Model, task: MinimumDistance, q: np.ndarray, poses: np.ndarray) -> np.ndarray:
    pairs = [(a.name, b.name) for a, b in task.measured(arm)]
    return lw.distances(arm, q, pairs, obstacles=[BALL], obstacle_poses=poses).smallest


def test_targets_are_reached_at_the_distance_or_not_with_a_reason(arm: lw.Model) -> None:
    task, rng = MinimumDistance(0.03, obstacles=[BALL]), np.random.default_rng(0)
    q = arm.random(100, seed=1)
    X, poses = lw.pose(arm, q, "tool"), at(rng.uniform([-0.5, -0.5, 0.2], [0.5, 0.5, 0.9], (100, 3)))[:, None]
    found, free = lw.inverse_kinematics(arm, {"tool": X, task: poses}), lw.inverse_kinematics(arm, {"tool": X})
    kept = smallest(arm, task, q, poses) > 0.031  # a solution is known
    assert (smallest(arm, task, free.q, poses) < 0.03).sum() > 20
    assert kept.sum() > 50
    assert found.converged[kept].all()
    there = found.converged
    assert smallest(arm, task, found.q, poses)[there].min() > 0.03 - 1e-6
    assert lw.pose(arm, found.q, "tool")[there] == pytest.approx(X[there], abs=1e-5)
    assert set(found.reason[~there]) == {"minimum distance"}
    assert found.errors.shape == (100, 2)


def test_a_point_cloud_is_an_obstacle(arm: lw.Model) -> None:
    q, rng = arm.random(30, seed=1), np.random.default_rng(0)
    X, pairs = lw.pose(arm, q, "tool"), [(body.name, "points") for body in arm.bodies[3:]]
    directions = rng.normal(size=(300, 3))
    cloud = 0.12 * directions / np.linalg.norm(directions, axis=1)[:, None] + np.array([0.3, 0.2, 0.5])
    task = MinimumDistance(0.03, pairs=pairs, points=300, point_radius=0.01)

    def nearest(q: np.ndarray, points: np.ndarray) -> np.ndarray:
        return lw.distances(arm, q, pairs, points=points, point_radius=0.01).smallest

    for points in (cloud, cloud + np.array([0.0, -0.4, 0.1])):  # moved without a new compilation
        free = lw.inverse_kinematics(arm, {"tool": X})
        assert (nearest(free.q, points) < 0.03).any()
        found = lw.inverse_kinematics(arm, {"tool": X, task: points})
        assert found.converged.sum() > 20
        assert nearest(found.q, points)[found.converged].min() > 0.03 - 1e-6
        assert set(found.reason[~found.converged]) <= {"minimum distance"}


def test_resolved_rates_stop_at_a_point_cloud(arm: lw.Model) -> None:
    """Only the nearest point to each link counts, hence links may enter by their motion in a period."""
    pairs = [(body.name, "points") for body in arm.bodies[3:]]
    directions = np.random.default_rng(0).normal(size=(300, 3))
    start, task = arm.random(seed=4), MinimumDistance(0.0, pairs=pairs, points=300)
    center = lw.pose(arm, start, arm.bodies[-1].name)[:3, 3] + np.array([0.0, 0.0, 0.4])
    points = 0.12 * directions / np.linalg.norm(directions, axis=1)[:, None] + center

    def least(more: dict) -> float:
        q, found = start, []
        for _ in range(200):
            q = lw.integrate(arm, q, 0.005 * lw.resolved_rate(arm, q, {"tool": [0.0, 0.0, 0.5, 0.0, 0.0, 0.0], **more}))
            found.append(float(lw.distances(arm, q, pairs, points=points).smallest))
        assert found[0] > 0.1
        return min(found)

    assert least({}) < -0.02
    assert least({task: points}) > -0.005


def test_mistakes_in_point_clouds_are_reported(arm: lw.Model) -> None:
    tool = lw.pose(arm, arm.neutral(), "tool")
    for options, cloud, text in (
        ({"points": 5}, None, r"is the point cloud \(…, 5, 3\); got None"),
        ({"points": 5}, np.zeros((4, 3)), "has shape"),
        ({"points": 5}, np.full((5, 3), np.nan), "is not finite"),
        ({"points": -1}, np.zeros((5, 3)), "points is a whole number"),
        ({"points": 10_001}, np.zeros((10_001, 3)), "points are at most 10000"),
        ({"point_radius": 0.1}, np.eye(4)[None], "give their number"),
    ):
        with pytest.raises(lw.errors.LinkwrightError, match=text):
            lw.inverse_kinematics(arm, {"tool": tool, MinimumDistance(0.03, **options): cloud})


def test_a_target_inside_an_obstacle_has_a_reason(arm: lw.Model) -> None:
    target = lw.pose(arm, arm.random(seed=3), "tool")
    found = lw.inverse_kinematics(
        arm, {"tool": target, MinimumDistance(0.02, obstacles=[BALL]): at(target[None, :3, 3])}
    )
    assert not found.converged
    assert found.reason == "minimum distance"
    assert "minimum distance" in str(found)


def test_descents_along_a_distance_end_before_the_largest_number_of_steps(arm: lw.Model) -> None:
    task = MinimumDistance(0.03, obstacles=[BALL])
    far, poses = np.array([2.0, 0.3, 0.5]), at(np.array([0.5, 0.1, 0.5]))[None]
    found = lw.inverse_kinematics(arm, {"tool": far, task: poses})
    assert found.reason == "out of reach"
    assert found.steps < 300
    free = lw.inverse_kinematics(arm, {"tool": far})
    assert free.errors[0] - 1e-6 < found.errors[0] < free.errors[0] + 0.3


def test_obstacles_rest_at_their_placements_by_default(arm: lw.Model) -> None:
    wall = lw.Shape("world", "box", size=(0.1, 2.0, 2.0), placement=at(np.array([-0.4, 0.0, 0.5])), name="wall")
    task = MinimumDistance(0.05, obstacles=[wall])
    found = lw.inverse_kinematics(arm, {"tool": [0.4, 0.2, 0.5], task: None})
    assert found.converged
    kernels = len(arm.memo)
    assert lw.inverse_kinematics(arm, {"tool": [0.4, 0.2, 0.5], task: wall.placement[None]}).q == pytest.approx(found.q)
    assert len(arm.memo) == kernels
    pairs = [(body.name, "wall") for body in arm.bodies]
    assert lw.distances(arm, found.q, pairs, obstacles=[wall]).smallest > 0.05 - 1e-6


def test_links_keep_their_distance_without_obstacles(arm: lw.Model) -> None:
    task, X = MinimumDistance(0.06), lw.pose(arm, arm.random(60, seed=8), "tool")
    found = lw.inverse_kinematics(arm, {"tool": X, task: None})
    pairs = [(a.name, b.name) for a, b in task.measured(arm)]
    there = found.converged
    assert there.sum() > 30
    assert lw.distances(arm, found.q[there], pairs).smallest.min() > 0.06 - 1e-6
    assert lw.distances(arm, lw.inverse_kinematics(arm, {"tool": X}).q, pairs).smallest.min() < 0.04


def test_resolved_rates_stop_at_the_distance(arm: lw.Model) -> None:
    """The tool is driven into the ball: the arm slides along it, and no shape comes nearer than the minimum."""
    task = MinimumDistance(0.04, obstacles=[BALL], gain=20.0)
    goal, ball = np.array([0.5, 0.3, 0.5]), at(np.array([[0.5, 0.02, 0.48]]))
    q = lw.inverse_kinematics(arm, {"tool": [0.5, -0.3, 0.5], MinimumDistance(0.05, obstacles=[BALL]): ball}).q
    least, lowest, dt, free = np.inf, np.inf, 0.005, q
    for _ in range(300):
        rate = 2.0 * (goal - lw.pose(arm, q, "tool")[:3, 3])
        q = lw.integrate(arm, q, dt * lw.resolved_rate(arm, q, {"tool": rate, task: ball}, velocity_limits=False))
        least = min(least, float(smallest(arm, task, q, ball)))
        step = lw.resolved_rate(arm, free, {"tool": 2.0 * (goal - lw.pose(arm, free, "tool")[:3, 3])})
        free = lw.integrate(arm, free, dt * step)
        lowest = min(lowest, float(smallest(arm, task, free, ball)))
    assert lowest < 0.0
    assert least == pytest.approx(0.04, abs=1e-3)


def test_rates_far_from_everything_are_those_without_the_constraint(arm: lw.Model) -> None:
    q, far = arm.random(30, seed=5), at(np.array([[5.0, 0.0, 0.0]]))
    task, rate = MinimumDistance(0.0, [(arm.bodies[-1].name, "ball")], obstacles=[BALL]), [0.1, 0.0, 0.05]
    with_it = lw.resolved_rate(arm, q, {"tool": rate, task: far})
    assert with_it == pytest.approx(lw.resolved_rate(arm, q, {"tool": rate}), abs=1e-9)


def test_the_constrained_velocity_is_the_optimum() -> None:
    """Against SLSQP on random problems that have a solution; numbers and machine code."""
    rng, n, m = np.random.default_rng(0), 4, 6

    def solved(v: np.ndarray, H: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:

        return constrained(
            v, H, [(m, lambda k: (take(A, k), take(b[:, None], k)[0]))], [(0, -1.0, 1.0), (2, -0.5, 2.0)]
        )

    kernel = lw.compile(solved, v=(n,), H=(n, n), A=(m, n), b=(m,))
    compared = 0
    for _ in range(40):
        v, J, A, b = rng.normal(size=n), rng.normal(size=(n, n)), rng.normal(size=(m, n)), 0.3 * rng.normal(size=m)
        H, limits = J.T @ J + 0.3 * np.eye(n), [(-1.0, 1.0), (None, None), (-0.5, 2.0), (None, None)]
        if linprog(np.zeros(n), A_ub=-A, b_ub=-b - 0.1, bounds=limits).status:
            continue
        rows = {"type": "ineq", "fun": lambda x, A=A, b=b: A @ x - b, "jac": lambda x, A=A: A}
        best = minimize(
            lambda x, v=v, H=H: 0.5 * (x - v) @ H @ (x - v),
            np.zeros(n),
            jac=lambda x, v=v, H=H: H @ (x - v),
            bounds=limits,
            constraints=[rows],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        found = kernel(v, H, A, b)
        assert found == pytest.approx(best.x, abs=1e-4)
        assert (A @ found - b).min() > -1e-5
        if compared < 3:
            assert solved(v, H, A, b) == pytest.approx(found, abs=1e-9)
        compared += 1
    assert compared > 15


def test_rates_that_exclude_each_other_are_reduced_by_one_factor() -> None:
    """Against the largest factor of a linear program; the bounds hold, and rows without a required rate too."""
    rng, n, m = np.random.default_rng(1), 5, 6
    low, high = -np.array([1.0, 1.0, 2.0, 1.0, 0.0]), np.array([1.0, 0.5, 2.0, 0.0, 1.0])

    def solved(v: np.ndarray, H: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
        rows = (m, lambda k: (take(A, k), take(b[:, None], k)[0]))
        return constrained(v, H, [rows], [(j, low[j], high[j]) for j in range(n)])

    kernel = lw.compile(solved, v=(n,), H=(n, n), A=(m, n), b=(m,))
    factors = []
    for _ in range(40):
        v, J, A, b = rng.normal(size=n), rng.normal(size=(3, n)), rng.normal(size=(m, n)), 30.0 * rng.normal(size=m)
        found = kernel(v, J.T @ J + 0.01 * np.eye(n), A, b)
        wanted = np.minimum(b, np.maximum(A * low, A * high).sum(axis=1))
        most = linprog(
            np.append(np.zeros(n), -1.0),
            A_ub=np.column_stack([-A, np.maximum(wanted, 0.0)]),
            b_ub=-np.minimum(wanted, 0.0),
            bounds=[*zip(low, high, strict=True), (0.0, 1.0)],
        ).x[-1]
        assert (low <= found).all()
        assert (found <= high).all()
        assert (A @ found - np.minimum(b, 0.0)).min() > -1e-6
        assert (A @ found - 0.9 * most * np.maximum(wanted, 0.0))[b > 0.0].min(initial=0.0) > -1e-6
        factors.append(most)
    assert np.ptp(factors) > 0.5


def test_shapes_in_contact_move_apart_as_fast_as_the_joints_can(arm: lw.Model) -> None:
    """With a gain beyond the velocity limits; velocities do not alternate from step to step."""
    pairs, pose, period = [(arm.bodies[-1].name, "ball")], at(np.array([[0.45, 0.0, 0.4]])), 0.01
    task, q = MinimumDistance(0.01, pairs, obstacles=[BALL], gain=100.0), arm.random(4000, seed=5)
    q = q[lw.distances(arm, q, pairs, obstacles=[BALL], obstacle_poses=pose).distance[:, 0] < -0.01][:40]
    assert len(q) == 40
    limits, found = np.concatenate([joint.velocity_limit for joint in arm.joints]), []
    for _ in range(5):
        near = lw.distances(arm, q, pairs, obstacles=[BALL], obstacle_poses=pose, jacobian=True)
        v = lw.resolved_rate(arm, q, {"tool": [0.1, 0.0, 0.0], task: pose}, period=period)
        rate, free = (near.jacobian[:, 0] * v).sum(axis=1), lw.resolved_rate(arm, q, {task: pose}, period=period)
        inside = ((q - arm.lower > 0.03) & (arm.upper - q > 0.03)).all(axis=1) & (near.distance[:, 0] < 0.01)
        wanted = np.minimum(100.0 * (0.01 - near.distance[:, 0]), np.abs(near.jacobian[:, 0]) @ limits)
        assert (rate > 0.9 * wanted)[inside].all()
        assert ((near.jacobian[:, 0] * free).sum(axis=1) > 0.9 * wanted)[inside].all()
        found.append(v)
        q = lw.integrate(arm, q, period * v)
    turned = [(x * y < -0.1) & (y * z < -0.1) for x, y, z in zip(found, found[1:], found[2:], strict=False)]
    deep = near.distance[:, 0] < -0.01
    assert not np.any([x[deep] for x in turned])


def test_pairs_that_are_always_nearer_are_left_out_with_a_warning(arm: lw.Model) -> None:
    task = MinimumDistance(0.3)
    with pytest.warns(LinkwrightWarning, match=r"leaves out \d+ of \d+ pairs.* 'link1' and"):
        kept = {(a.name, b.name) for a, b in task.measured(arm)}
    q = np.concatenate([arm.neutral()[None], arm.random(50, seed=0)])
    found = lw.distances(arm, q)
    assert kept == {pair for pair, d in zip(found.pairs, found.distance.max(axis=0), strict=True) if d > 0.3}
    assert 0 < len(kept) < len(found.pairs)


def test_mistakes_are_explained(arm: lw.Model) -> None:
    pose, (first, *_, last) = lw.pose(arm, arm.neutral(), "tool"), arm.bodies
    for error, text, task, poses in (
        (InputError, "never 9 m apart", MinimumDistance(9.0, [(first.name, last.name)]), None),
        (UnknownNameError, "hand", MinimumDistance(0.1, [(first.name, "hand")]), None),
        (InputError, "distance", MinimumDistance(-0.1), None),
        (InputError, "of one link", MinimumDistance(0.1, [(last.name, last.name)]), None),
        (InputError, "not finite", MinimumDistance(0.1, obstacles=[BALL]), np.full((1, 4, 4), np.nan)),
        (InputError, "rotation", MinimumDistance(0.1, obstacles=[BALL]), 2.0 * np.eye(4)[None]),
    ):
        with pytest.raises(error, match=text):
            lw.inverse_kinematics(arm, {"tool": pose, task: poses})
    for period, text in ((0.01, "at most 1/period = 100 1/s; got 1000 1/s"), (np.nan, "period")):
        with pytest.raises(InputError, match=text):
            lw.resolved_rate(arm, arm.neutral(), {MinimumDistance(0.02, gain=1000.0): None}, period=period)
    with pytest.raises(InputError, match="q is not finite"):
        lw.resolved_rate(arm, np.full(7, np.nan), {MinimumDistance(0.02, [(first.name, last.name)]): None})
    assert repr(MinimumDistance(0.1, obstacles=[BALL])) == "MinimumDistance(distance=0.1, obstacles=('ball',))"
    near = lw.distances(arm, arm.random(3, seed=0), [(first.name, last.name)])
    assert repr(near) == f"<PairDistances: 1 pair, batch (3,), smallest distance {near.distance.min():.4g} m>"
    for function in (lw.distances, lw.closest_pair, lw.collisions):
        with pytest.raises(lw.errors.ArgumentError, match=r"accept numbers; got symbols of a compiled function"):
            lw.compile(lambda model, q, function=function: function(model, q).pairs, arm)
