"""Inverse kinematics of batches that broadcast or are empty, the kinds of what comes back, and whole turns."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw


@pytest.mark.parametrize(("options", "more"), [({}, ()), ({"nearest": True}, ()), ({"solutions": 2}, (2,))])
def test_starts_and_targets_broadcast(options, more):
    arm = lw.load("puma560")
    T, start = lw.pose(arm, arm.random(3, seed=1), "tool"), np.zeros(6)
    for target, begin, batch in (
        (T, start, (3,)),
        (T[0], np.zeros((3, 6)), (3,)),
        (T[:, None], np.zeros((2, 6)), (3, 2)),
        (T[:0], start, (0,)),
        (T[:0], np.zeros((4, 1, 6)), (4, 0)),
        (T[0], np.zeros((0, 6)), (0,)),
        (np.zeros((0, 3)), start, (0,)),
    ):
        reached = lw.inverse_kinematics(arm, {"tool": target}, initial_guess=begin, **options)
        assert reached.q.shape == (*batch, *more, 6)
        for one in (reached.converged, reached.error, reached.steps, reached.attempts, reached.reason):
            assert one.shape == (*batch, *more)
        assert (reached.converged[..., 0] if more else reached.converged).all()


def test_no_target_has_no_solutions_without_a_start_too():
    arm = lw.load("puma560")
    assert lw.inverse_kinematics(arm, {"tool": np.zeros((0, 3))}, solutions=2).q.shape == (0, 2, 6)


@pytest.mark.parametrize(
    "options", [{}, {"initial_guess": [0.1, 0.2, 0.3]}, {"initial_guess": [0.1, 0.2, 0.3], "nearest": True}]
)
def test_of_one_target_all_that_is_reported_is_plain(options):
    arm = lw.load("planar:3")
    for target in ([1.0, 1.0, 0.0], [9.0, 1.0, 0.0]):
        reached = lw.inverse_kinematics(arm, {"tip": target}, **options)
        kinds = bool, float, int, int, int, str
        result = (reached.converged, reached.error, reached.steps, reached.attempts, reached.reasons, reached.reason)
        assert tuple(map(type, result)) == kinds


@pytest.mark.parametrize("size", [1.0, 1.6])  # some are out of reach
@pytest.mark.parametrize("at", [0.1, -8.0])
def test_angles_without_limits_are_within_half_a_turn_of_the_start(at, size):
    arm = lw.load("planar:3")
    p = size * lw.pose(arm, arm.random(500, seed=0), "tip")[:, :3, 3]
    reached = lw.inverse_kinematics(arm, {"tip": p}, initial_guess=[at] * 3)
    assert np.abs(reached.q - at).max() <= np.pi + 1e-12
    assert reached.converged.all() == (size == 1.0)
    missing = np.linalg.norm(lw.pose(arm, reached.q, "tip")[:, :3, 3] - p, axis=1)
    assert np.allclose(missing, reached.error, atol=1e-12)


def test_limits_of_more_than_a_turn_come_before_nearness():
    builder = lw.Builder("wide")
    builder.body("a", mass=1.0, inertia=np.eye(3))
    builder.joint("turn", "revolute", "world", "a", axis=(0.0, 0.0, 1.0), limits=(-4.0, 4.0))
    builder.frame("tip", "a", xyz=(1.0, 0.0, 0.0))
    arm = builder.build()
    angle = np.linspace(-3.1, 3.1, 63)
    p = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    for start in (-9.0, -4.0, 0.0, 3.5):
        q = lw.inverse_kinematics(arm, {"tip": p}, initial_guess=[start]).q[:, 0]
        turns = angle[:, None] + 2.0 * np.pi * np.arange(-1, 2)
        away = np.where(np.abs(turns) <= 4.0, np.abs(turns - np.clip(start, -4.0, 4.0)), np.inf)
        assert np.allclose(q, np.take_along_axis(turns, away.argmin(axis=1)[:, None], axis=1)[:, 0], atol=1e-5)


def test_an_angle_that_is_a_task_is_not_turned():
    arm = lw.load("planar:3")
    wish = {"tip": [1.0, 1.0, 0.0], lw.tasks.Joints(["joint3"], priority=2): [4.5]}
    reached = lw.inverse_kinematics(arm, wish, initial_guess=[1.0, 0.0, 4.0])
    assert reached.converged
    assert reached.q[2] == pytest.approx(4.5, abs=1e-3)
    assert reached.errors[1] < 1e-3
