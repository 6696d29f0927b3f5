"""Derivatives of inverse kinematics: against pseudoinverses, and differences of inverse kinematics itself."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.ik_solvers.implicit import pseudoinverse

ARM = lw.load("arm7")
PLANAR = lw.load("planar:3").with_joint("joint2", lower=-0.3, upper=0.3)


def differences(f, x, h=1e-5):
    """Return the derivative of f by the entries of x, by central differences; the last axes are those of x."""
    found = []
    for place in np.ndindex(*x.shape):
        e = np.zeros_like(x)
        e[place] = h
        found.append((f(x + e) - f(x - e)) / (2.0 * h))
    return np.stack(found, axis=-1).reshape(*found[0].shape, *x.shape)


def regular(seed, rows=3):
    """Return configurations of the arm whose Jacobian is far from singular, and away from limits."""
    q = 0.8 * ARM.random(50, seed=seed)
    smallest = np.linalg.svd(lw.jacobian(ARM, q, "tool"))[1][:, -1]
    return q[np.argsort(-smallest)[:rows]]


def test_a_redundant_arm_changes_least():
    """By a pose J⁺, in all rows; the same as the solutions that begin at the found one."""
    q = regular(int(np.random.default_rng().integers(1000)))
    T = lw.pose(ARM, q, "tool")
    reached, by = lw.inverse_kinematics_derivatives(ARM, {"tool": T}, q + 0.01, tolerance=1e-10)
    assert reached.converged.all()
    J = lw.jacobian(ARM, reached.q, "tool")
    for twist in np.eye(6):
        found = np.einsum("rnij,rij->rn", by["tool"], _rates(T, twist))
        assert np.abs(found - np.linalg.pinv(J) @ twist).max() < 1e-8
    at = lambda T: lw.inverse_kinematics(ARM, {"tool": T}, reached.q, tolerance=1e-11).q  # noqa: E731
    twist = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.1])
    h = 1e-5
    expected = (at(_moved(T, h * twist)) - at(_moved(T, -h * twist))) / (2.0 * h)
    found = np.einsum("rnij,rij->rn", by["tool"], _rates(T, twist))
    assert np.abs(found - expected).max() < 1e-7


def _rates(T, twist):
    """Return the rates of poses at a twist [v; ω] in the axes of the world, v of the origin of the frame."""
    w = np.array([[0.0, -twist[5], twist[4]], [twist[5], 0.0, -twist[3]], [-twist[4], twist[3], 0.0]])
    found = np.zeros_like(T)
    found[..., :3, :3] = w @ T[..., :3, :3]
    found[..., :3, 3] = twist[:3]
    return found


def _moved(T, twist):
    """Return poses after a small displacement."""
    found = T.copy()
    found[..., :3, :3] = lw.rotation.exp(twist[3:]) @ T[..., :3, :3]
    found[..., :3, 3] += twist[:3]
    return found


@pytest.mark.parametrize(
    ("target", "reason"),
    [((0.5, 0.2, 0.0), "limits"), ((2.0, 3.0, 0.0), "out of reach"), ((2.4, 1.2, 0.0), "")],
)
def test_at_limits_and_out_of_reach(target, reason):
    """A joint at its limit stays there; the errors of a target that is not reached remain minimal."""
    p = np.array(target)
    reached, by = lw.inverse_kinematics_derivatives(PLANAR, {"tip": p}, [0.3, 0.2, 0.1])
    assert reached.reason == reason
    h, tolerance = (1e-4, 3e-4) if reason else (1e-6, 1e-6)  # minima are found less exactly
    at = lambda x: lw.inverse_kinematics(PLANAR, {"tip": x}, reached.q, tolerance=1e-10).q  # noqa: E731
    assert np.abs(by["tip"] - differences(at, p, h))[:, :2].max() < tolerance
    assert np.abs(by["tip"][:, 2]).max() < 1e-12
    if reason == "limits":
        assert (by["tip"][1] == 0.0).all()


def test_active_limits_of_solutions():
    """A target that is reached with a joint at its limit: the others move, J of these is inverted."""
    q = np.array([0.3, 0.3, 0.5])
    p = lw.pose(PLANAR, q, "tip")[:3, 3]
    reached, by = lw.inverse_kinematics_derivatives(PLANAR, {"tip": p}, q)
    assert reached.converged
    J = lw.jacobian(PLANAR, q, "tip")[:2]
    assert (by["tip"][1] == 0.0).all()
    assert np.abs(by["tip"][[0, 2]][:, :2] - np.linalg.inv(J[:, [0, 2]])).max() < 1e-9
    free = lw.inverse_kinematics_derivatives(PLANAR, {"tip": p}, q, joint_limits=False)[1]["tip"]
    assert np.abs(free[:, :2] - np.linalg.pinv(J)).max() < 1e-9
    kept = lw.inverse_kinematics_derivatives(PLANAR, {"tip": p}, q, fixed=["joint3"], joint_limits=False)[1]["tip"]
    assert (kept[2] == 0.0).all()
    assert np.abs(kept[:2, :2] - np.linalg.inv(J[:, :2])).max() < 1e-9


def test_two_priorities_and_compiled_functions():
    """The posture that is nearest to zero: derivatives of both targets against differences of the kernel."""
    q = regular(3, 1)[0]
    p = lw.pose(ARM, q, "tool")[:3, 3]
    posture = lw.tasks.Joints(priority=2)

    def nearest(model, p, rest, q):
        return lw.inverse_kinematics(model, {"tool": p, posture: rest}, initial_guess=q).q

    kernel = lw.compile(nearest, ARM, p=3, rest=7)
    rest = np.zeros(7)
    _, by = lw.inverse_kinematics_derivatives(ARM, {"tool": p, posture: rest}, q)
    x = kernel(p, rest, q)
    for name, derivative, f in (
        ("p", by["tool"], lambda y: kernel(y, rest, x)),
        ("rest", by[posture], lambda y: kernel(p, y, x)),
    ):
        found = kernel.derivative(name)(p, rest, x)
        assert np.abs(found - differences(f, p if name == "p" else rest)).max() < 1e-7
        assert np.abs(found - derivative).max() < 1e-4  # of the configuration that the search found


def test_rows_out_of_reach_in_compiled_functions():
    """Their configuration is finite, and does not depend on the target."""
    solution = lw.compile(lambda model, p: lw.inverse_kinematics(model, {"tip": p}).q, PLANAR, p=3)
    p = np.array([[2.0, 0.5, 0.0], [3.0, 0.0, 0.0], [9.0, 1.0, 0.0]])
    assert np.isfinite(solution(p)).all()
    D = solution.derivative("p")(p)
    assert np.abs(D[0]).max() > 0.1
    assert (D[2] == 0.0).all()


def test_derivatives_by_geometry():
    """Of a closed loop and of an arm: J ∂q/∂x is minus the displacement at a fixed configuration."""
    q = regular(5, 1)[0]
    p = lw.pose(ARM, q, "tool")[:3, 3]
    names = ["joint3.position", "tool.position", "joint4.axis"]
    reached, by = lw.inverse_kinematics_derivatives(ARM, {"tool": p}, q, parameters=names)
    J = lw.jacobian(ARM, reached.q, "tool")[:3]
    kernel = lw.compile(lw.pose, ARM, frame="tool", parameters=names)
    values = [ARM.geometry_of(name) for name in names]
    for name in names:
        displacement = kernel.derivative(name)(reached.q, *values)[:3, 3]
        assert np.abs(by[name] + np.linalg.pinv(J) @ displacement).max() < 1e-9
    delta = lw.load("delta")
    at = lw.pose(delta, lw.close_loops(delta, delta.neutral()), "tool")[:3, 3]
    found, by = lw.inverse_kinematics_derivatives(delta, {"tool": at}, parameters=["tool.position"])
    assert found.converged
    rows = np.concatenate([lw.jacobian(delta, found.q, "tool")[:3], lw.constraint_jacobian(delta, found.q)])
    moved = rows @ by["tool"]
    assert np.abs(moved[:3] - np.eye(3)).max() < 1e-6
    assert np.abs(moved[3:]).max() < 1e-6
    assert np.abs(rows[:3] @ by["tool.position"] + lw.pose(delta, found.q, "tool")[:3, :3]).max() < 1e-6


def test_rank_deficient_pseudoinverse():
    rng = np.random.default_rng()
    A = rng.normal(size=(4, 3)) @ rng.normal(size=(3, 7))
    A = np.concatenate([A, np.zeros((1, 7)), 1e-18 * rng.normal(size=(1, 7))])
    b = rng.normal(size=6)
    assert np.abs(pseudoinverse(A)(b) - np.linalg.pinv(A, 1e-12) @ b).max() < 1e-9


def test_wrong_calls():
    p = np.array([0.4, 0.1, 0.5])
    tasks = {"tool": p, lw.tasks.CenterOfMass(priority=2): p, lw.tasks.Joints(priority=3): np.zeros(7)}
    with pytest.raises(InputError, match="at most 2 priorities; got 3"):
        lw.inverse_kinematics_derivatives(ARM, tasks, np.zeros(7))
    with pytest.raises(ArgumentError, match="list of names"):
        lw.inverse_kinematics_derivatives(ARM, {"tool": p}, parameters="joint3.position")
    with pytest.raises(UnknownNameError, match="joint9"):
        lw.inverse_kinematics_derivatives(ARM, {"tool": p}, parameters=["joint9.axis"])
    with pytest.raises(ArgumentError, match=r"kernel\.derivative"):
        lw.compile(lambda model, p: lw.inverse_kinematics_derivatives(model, {"tool": p})[1]["tool"], ARM, p=3)
    solution = lw.compile(lambda model, p: lw.inverse_kinematics(model, {"tool": p}).q, ARM, p=3)
    with pytest.raises(InputError, match="first derivatives only"):
        solution.derivative("p").derivative("p")
