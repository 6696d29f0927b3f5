"""Second derivatives of inverse kinematics by its targets and by geometry."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw

ARM = lw.load("arm7")
THREE = ARM.lock(dict.fromkeys(("joint3", "joint5", "joint6", "joint7"), 0.3))
"""as many joints as coordinates of the target"""
PLANAR = lw.load("planar:2")
REDUNDANT = lw.load("planar:3")
LIMITED = REDUNDANT.with_joint("joint2", lower=-0.3, upper=0.3)


def kernels(model, frame, **options):
    """Return the kernel of the solution (p, start), and of its first and second derivative by p."""

    def solution(model, p, start):
        return lw.inverse_kinematics(model, {frame: p}, start, tolerance=1e-10).q

    kernel = lw.compile(solution, model, p=3, start=model.nq, **options)
    first = kernel.derivative("p")
    return kernel, first, first.derivative("p")


def regular(model, frame, seed, directions=3):
    """Return the configuration of many whose Jacobian is farthest from singular, away from limits."""
    q = 0.8 * model.random(50, seed=seed)
    smallest = np.linalg.svd(lw.jacobian(model, q, frame)[:, :directions])[1][:, min(directions, model.nv) - 1]
    return q[smallest.argmax()]


@pytest.mark.parametrize(("model", "frame", "moved"), [(PLANAR, "tip", 2), (THREE, "tool", 3)], ids=["planar", "arm"])
def test_differences_of_first_derivatives(model, frame, moved):
    seed = int(np.random.default_rng().integers(1000))
    q = regular(model, frame, seed, moved)
    _, first, second = kernels(model, frame)
    p, h = lw.pose(model, q, frame)[:3, 3], 1e-5
    found = second(p, q)[..., :moved]
    steps = np.eye(3)[:moved] * h
    expected = np.stack([(first(p + e, q) - first(p - e, q)) / (2.0 * h) for e in steps], axis=-1)
    scale = np.abs(found).max()
    assert np.abs(found - expected).max() < 1e-6 * max(1.0, scale)
    square = found[:, :moved]
    assert np.abs(square - np.swapaxes(square, -1, -2)).max() < 1e-10 * scale


def test_a_redundant_arm_as_from_the_found_configuration():
    """The second differences of the solutions that begin at the found one."""
    q = regular(ARM, "tool", int(np.random.default_rng().integers(1000)))
    kernel, _, second = kernels(ARM, "tool")
    p, h = lw.pose(ARM, q, "tool")[:3, 3], 2e-4
    found = np.stack([second(p, q)[:, k, k] for k in range(3)])
    values = [np.stack([kernel(p + s * h * e, q) for e in np.eye(3)]) for s in (-2, -1, 1, 2)]
    at = kernel(p, q)
    expected = (-values[0] + 16.0 * values[1] - 30.0 * at + 16.0 * values[2] - values[3]) / (12.0 * h * h)
    assert np.abs(found - expected).max() < 1e-5 * max(1.0, np.abs(found).max())


def test_joints_at_limits_stay_there():
    """The second derivatives are those of the mechanism whose joint is locked at its limit."""
    q = np.array([0.4, 0.3, 0.9])
    p = lw.pose(LIMITED, q, "tip")[:3, 3]
    limited = kernels(LIMITED, "tip")
    locked = kernels(REDUNDANT.lock({"joint2": 0.3}), "tip")
    for one, other in zip(limited[1:], locked[1:], strict=True):
        found, expected = one(p, q), other(p, q[[0, 2]])
        assert np.abs(found[[0, 2]] - expected).max() < 1e-9 * np.abs(expected).max()
        assert not found[1].any()


def test_where_rows_depend_on_others_and_out_of_reach():
    _, first, second = kernels(PLANAR, "tip")
    q = np.array([0.4, 0.0])
    p = lw.pose(PLANAR, q, "tip")[:3, 3]
    assert np.isnan(second(p, q)[:, :2, :2]).all()
    assert np.isfinite(first(1.5 * p, q)).all()
    assert np.isnan(second(1.5 * p, q)[:, :2, :2]).all()


def test_poses_along_a_motion():
    """Of an arm with six joints, whose solution along a screw motion is differentiated twice."""
    arm = ARM.lock({"joint3": 0.4})
    q = regular(arm, "tool", int(np.random.default_rng().integers(1000)), 6)
    T = lw.pose(arm, q, "tool")
    twist = np.random.default_rng().normal(size=6)

    def solution(model, s, start):
        target = lw.transform.exp(s * twist) @ T
        return lw.inverse_kinematics(model, {"tool": target}, start, tolerance=1e-10).q

    first = lw.compile(solution, arm, s=(), start=arm.nq).derivative("s")
    found, h = first.derivative("s")(0.0, q), 1e-5
    expected = (first(h, q) - first(-h, q)) / (2.0 * h)
    assert np.abs(found - expected).max() < 1e-6 * max(1.0, np.abs(found).max())


def test_by_geometry():
    """By the length of a link and the target together."""

    def solution(model, p, start):
        return lw.inverse_kinematics(model, {"tip": p}, start, tolerance=1e-10).q

    kernel = lw.compile(solution, PLANAR, p=3, start=2, parameters=["tip.position"])
    first = kernel.derivative("tip.position")
    q = np.array([0.4, 0.9])
    p, x, h = lw.pose(PLANAR, q, "tip")[:3, 3], PLANAR.geometry_of("tip.position"), 1e-5
    for name, moved in (("tip.position", lambda e: (p, q, x + e)), ("p", lambda e: (p + e, q, x))):
        found = first.derivative(name)(p, q, x)[..., :2]
        expected = np.stack([(first(*moved(e)) - first(*moved(-e))) / (2.0 * h) for e in h * np.eye(3)[:2]], axis=-1)
        assert np.abs(found - expected).max() < 1e-6 * np.abs(found).max()
