"""Exact inverse kinematics of structured postures: straight arms, right angles, points on axes."""

from __future__ import annotations

import itertools
import warnings
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest

import linkwright as lw

RIGHT = [0.0, np.pi / 2, -np.pi / 2, np.pi]


def silent(solver, model, frame, q):
    """The postures whose target has no answer, and those that are missing without a reason."""
    T = lw.pose(model, q, frame)
    found = solver(T) if solver.given is None else solver(T, solver.elbow_angle(q))
    gap = np.abs(np.remainder(found.q - q[:, None] + np.pi, 2.0 * np.pi) - np.pi)[..., list(found.places)].max(axis=-1)
    missing = np.where(found.exact, gap, np.inf).min(axis=-1) > 1e-3
    lost = [
        k
        for k in np.flatnonzero(missing & (found.count > 0))
        if not any(solver.free(x) for x in found.q[k][found.exact[k]])
    ]
    return q[found.count == 0], q[lost]


@pytest.mark.parametrize("name", ["ur5_robot", "kinova", "puma560"])
def test_postures_of_right_angles_are_found_or_infinitely_many(name):
    if name != "puma560":
        try:
            distribution("example-robot-data")
        except PackageNotFoundError:
            pytest.skip("example-robot-data is not installed (the extra robots)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.load(name)
    frame = "tool" if name == "puma560" else model.bodies[-1].name
    q = np.array(list(itertools.product(RIGHT, repeat=6)))[::13]
    none, lost = silent(lw.analytic_inverse_kinematics(model, frame), model, frame, q)
    assert not len(none), np.degrees(none[0])
    assert not len(lost), np.degrees(lost[0])


@pytest.mark.parametrize("joint", [1, 5])
def test_a_straight_shoulder_or_wrist_at_a_given_elbow_angle_leaves_two_joints_free(joint):
    arm = lw.load("arm7")
    solver = lw.analytic_inverse_kinematics(arm, "tool")
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (20, 7))
    q[:, joint] = 0.0
    none, lost = silent(solver, arm, "tool", q)
    assert not len(none)
    assert not len(lost), lost[0]
