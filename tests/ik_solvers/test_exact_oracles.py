"""Exact inverse kinematics beside other libraries' and beside a numerical search: the same sets of postures."""

from __future__ import annotations

import numpy as np
import pytest
from test_exact import left, random_model, real_robot, sixteen, turned_by

import linkwright as lw


def axes_of(model, frame):
    """Directions and offsets of a hinged arm in the world at q = 0, and the hand's rotation there."""
    q = model.neutral()
    poses = [lw.pose(model, q, joint.child) for joint in model.joints[: model.nq]]
    T = lw.pose(model, q, frame)
    points = np.array([*(X[:3, 3] for X in poses), T[:3, 3]])
    jacobian = lw.jacobian(model, q, frame)
    return jacobian[3:].T.copy(), np.diff(points, axis=0, prepend=np.zeros((1, 3))), T[:3, :3]


def same_sets(ours, theirs, tolerance=1e-5):
    """Whether each posture of one set is in the other."""
    if len(ours) != len(theirs):
        return False
    gap = np.abs(turned_by(np.asarray(ours)[:, None], np.asarray(theirs)[None])).max(axis=-1)
    return bool((gap.min(axis=0) < tolerance).all() and (gap.min(axis=1) < tolerance).all())


ROBOTS = {
    "puma560": (lambda: lw.load("puma560"), "tool"),
    "ur5": (lambda: real_robot("ur5_robot.urdf"), "tool0"),
    "any geometry": (lambda: random_model(0), "tool"),
    "sixteen": (sixteen, "tool"),
}


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_the_same_postures_as_those_of_eaik(name):
    module = pytest.importorskip("eaik.IK_HP", reason="EAIK is not installed (the extra oracles)")
    make, frame = ROBOTS[name]
    model = make()
    H, P, R0 = axes_of(model, frame)
    robot = module.HPRobot(H, P)
    solver = lw.analytic_inverse_kinematics(model, frame)
    for q in model.random(100, seed=2):
        T = lw.pose(model, q, frame)
        goal = T.copy()
        goal[:3, :3] = T[:3, :3] @ R0.T
        result = robot.IK(goal)
        theirs = [x for x, nearest in zip(result.Q, result.is_LS, strict=True) if not nearest]
        found = solver(T)
        assert same_sets(found.q[found.exact], theirs)


@pytest.mark.parametrize("name", ["puma560", "ur5"])  # it prepares itself for other geometries by minutes of algebra
def test_the_same_postures_as_those_of_ssik(name):
    ssik = pytest.importorskip("ssik", reason="ssik is not installed (the extra oracles)")
    make, frame = ROBOTS[name]
    model = make()
    H, P, R0 = axes_of(model, frame)
    robot = ssik.Manipulator.from_axes(H, P)
    solver = lw.analytic_inverse_kinematics(model, frame)
    for q in model.random(10, seed=3):
        T = lw.pose(model, q, frame)
        goal = T.copy()
        goal[:3, :3] = T[:3, :3] @ R0.T
        theirs = [one.q for one in robot.solve(goal, respect_limits=False)]
        found = solver(T)
        assert same_sets(found.q[found.exact], theirs)


def searched(model, frame, T, seeds, random):
    """The postures that damped Newton's steps reach from random ones, each once."""
    q = random.uniform(-np.pi, np.pi, (seeds, model.nq))
    for _ in range(60):
        X = lw.pose(model, q, frame)
        J = lw.jacobian(model, q, frame)
        turn = 0.5 * np.cross(X[:, :3, :3], T[None, :3, :3], axis=1).sum(axis=2)
        e = np.concatenate([T[:3, 3] - X[:, :3, 3], turn], axis=1)
        damped = J @ J.swapaxes(1, 2) + np.eye(6) * (0.05 * (e * e).sum(axis=1) + 1e-12)[:, None, None]
        q = q + (J.swapaxes(1, 2) @ np.linalg.solve(damped, e[:, :, None]))[:, :, 0]
    q = turned_by(q[left(model, frame, T, q) < 1e-9], 0.0)
    distinct = []
    for x in q:
        if all(np.abs(turned_by(x, y)).max() > 1e-4 for y in distinct):
            distinct.append(x)
    return distinct


@pytest.mark.parametrize("name", ROBOTS)
def test_a_search_from_many_seeds_finds_nothing_else(name):
    make, frame = ROBOTS[name]
    model = make()
    solver = lw.analytic_inverse_kinematics(model, frame)
    random = np.random.default_rng(1)
    for q in model.random(2, seed=4):
        T = lw.pose(model, q, frame)
        found = solver(T)
        ours, theirs = found.q[found.exact], searched(model, frame, T, 200, random)
        assert len(theirs) >= len(ours) / 2
        gap = np.abs(turned_by(ours[:, None], np.asarray(theirs)[None])).max(axis=-1)
        assert gap.min(axis=0).max() < 1e-5
