"""Derivatives of inverse kinematics: against pseudoinverses, and differences of inverse kinematics itself."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.ik_solvers.implicit import factorized
from linkwright.model.scale import scale_of

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


def test_minima_out_of_reach():
    """The nearest point is a projection, with a symmetric derivative, and stays where the target moves away from it."""
    rng = np.random.default_rng()
    p = lw.pose(ARM, ARM.random(60, seed=rng), "tool")[:, :3, 3] * rng.uniform(1.2, 2.5, 60)[:, None]
    reached, by = lw.inverse_kinematics_derivatives(ARM, {"tool": p}, ARM.random(60, seed=rng), joint_limits=False)
    away = p - lw.pose(ARM, reached.q, "tool")[:, :3, 3]
    J = lw.jacobian(ARM, reached.q, "tool")[:, :3]
    minimal = ~reached.converged & (np.abs(np.einsum("rki,rk->ri", J, away)).max(axis=1) < 1e-7)
    assert minimal.sum() > 5
    J, by, away = J[minimal], by["tool"][minimal], away[minimal]
    assert np.abs(by).max() < 100.0  # redundant joints do not move
    moved = J @ by
    assert np.abs(moved - moved.swapaxes(1, 2)).max() < 1e-3
    assert np.abs(moved @ away[..., None]).max() < 1e-3


def test_rows_that_end_at_no_minimum_have_no_derivatives():
    T = lw.pose(ARM, ARM.random(100, seed=2), "tool")
    T[:, :3, 3] *= 2.0
    _, by = lw.inverse_kinematics_derivatives(ARM, {"tool": T}, ARM.random(100, seed=1), restarts=0)
    missing = np.isnan(by["tool"]).any(axis=(1, 2, 3))
    assert 0 < missing.sum() < 100
    assert np.abs(by["tool"][~missing]).max() < 1e4


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
    """They are at a minimum of the errors, as without compilation, and so are their derivatives."""
    position = lw.tasks.Position("tip", axes="xy")
    arm = lw.load("planar:2")
    solution = lw.compile(lambda m, p, q: lw.inverse_kinematics(m, {position: p}, initial_guess=q).q, arm, p=2, q=2)
    p, q = np.array([[1.2, 0.5], [2.5, 1.0], [0.0, 9.0]]), np.array([0.3, 0.4])
    reached, by = lw.inverse_kinematics_derivatives(arm, {position: p}, q)
    assert np.abs(solution(p, q) - reached.q).max() < 1e-5
    found = solution.derivative("p")(p, q)
    assert np.abs(found - by[position]).max() < 1e-5
    assert np.abs(found[1] - differences(lambda x: solution(x, q), p[1])).max() < 1e-2


def test_compiled_functions_come_near_to_poses_out_of_reach():
    def nearest(model, T, q):
        found = lw.inverse_kinematics(model, {"tool": T}, initial_guess=q)
        return found.q, found.error, found.converged

    q, T = ARM.random(20, seed=1), lw.pose(ARM, ARM.random(20, seed=2), "tool")
    T[:, :3, 3] *= 2.0
    x, error, converged = lw.compile(nearest, ARM, T=(4, 4), q=7)(T, q)
    public = lw.inverse_kinematics(ARM, {"tool": T}, q)
    assert (np.asarray(converged, dtype=bool) == public.converged).all()
    assert np.median(error) < 1.3 * np.median(public.error)
    assert ((x >= ARM.lower - 1e-9) & (x <= ARM.upper + 1e-9)).all()


@pytest.mark.parametrize(("robot", "frame", "shape"), [("panda", "panda_hand", 3), ("puma560", "tool", (4, 4))])
@pytest.mark.filterwarnings("ignore")  # of the file
def test_minima_far_out_of_reach_have_derivatives(robot, frame, shape):
    """Flat valleys and limits: the search comes to the minimum, of which the derivatives are those of the solver."""
    arm, rows, h = lw.load(robot), 100, 1e-4
    rng = np.random.default_rng(100)
    away = rng.normal(size=(rows, 3))
    away *= rng.uniform(1.2, 3.0, (rows, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
    poses = np.array(lw.pose(arm, arm.random(rows, seed=1), frame))
    poses[:, :3, 3] = away
    targets, move = (away, np.ones(3)) if shape == 3 else (poses, np.eye(4, k=3))

    def solution(model, p, start):
        return lw.inverse_kinematics(model, {frame: p}, start).q

    solve = lw.compile(solution, arm, p=shape, start=arm.nq)
    q = solve(targets, np.zeros(arm.nq))
    found = solve.derivative("p")(targets, q)
    assert np.isfinite(found).all()
    ours = found.reshape(rows, arm.nv, -1) @ np.ravel(move)
    there, back = solve(targets + h * move, q), solve(targets - h * move, q)
    far = np.abs(there - q).max(axis=1) + np.abs(back - q).max(axis=1) > 0.1  # to another minimum
    kink = np.abs(there + back - 2.0 * q).max(axis=1) > h  # at a limit that is left
    error = np.abs((there - back) / (2.0 * h) - ours).max(axis=1) / (1.0 + np.abs(ours).max(axis=1))
    regular = ~far & ~kink
    assert regular.sum() > 0.95 * rows
    assert np.quantile(error[regular], 0.95) < 1e-4


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
    four_bar = lw.load("four_bar")
    q = lw.close_loops(four_bar, four_bar.random(1, seed=1)[0])
    task, names = lw.tasks.Direction("rocker_bar", axis="x"), ["rocker.distance", "pin_end.position"]
    ahead = lw.pose(four_bar, q, "rocker_bar")[:3, 0]
    found, by = lw.inverse_kinematics_derivatives(four_bar, {task: ahead}, q, parameters=names)
    assert found.converged
    assert np.abs(by["rocker.distance"][2]) < 1e-9  # the rocker keeps its direction
    residual = lw.compile(lw.constraint_residual, four_bar, parameters=names)
    values = [four_bar.geometry_of(name) for name in names]
    for name in names:
        open_by = residual.derivative(name)(found.q, *values)
        closed = lw.derivative(lw.constraint_residual, "q")(four_bar, found.q) @ by[name] + open_by
        assert np.abs(closed[..., :2] if closed.ndim > 1 else closed).max() < 1e-9  # within the plane


def test_derivatives_by_masses():
    """The center of mass stays at its target."""
    q = regular(7, 1)[0]
    task = lw.tasks.CenterOfMass()
    target = lw.center_of_mass(ARM, q)
    reached, by = lw.inverse_kinematics_derivatives(ARM, {task: target}, q, parameters=["link5.mass"])
    J = lw.center_of_mass_jacobian(ARM, reached.q)
    of_mass = lw.compile(lw.center_of_mass, ARM, parameters=["link5.mass"]).derivative("link5.mass")(reached.q, 3.5)
    assert np.abs(by["link5.mass"] + np.linalg.pinv(J) @ of_mass).max() < 1e-9


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.parametrize(("robot", "frame"), [("panda", "panda_hand"), ("ur5_robot", "ee_link"), ("solo12", "FL_FOOT")])
def test_robots(robot, frame):
    """By twists of a pose: the pseudoinverse with lengths in units of the mechanism."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        model = lw.load(robot, root="free" if robot == "solo12" else None)
    q = lw.interpolate(model, model.neutral(), model.random(1, seed=3)[0], 0.4)
    T = lw.pose(model, q, frame)
    reached, by = lw.inverse_kinematics_derivatives(model, {frame: T}, q, tolerance=1e-10)
    units, rows = scale_of(model).velocities, np.array([scale_of(model).length] * 3 + [1.0] * 3)
    J = lw.jacobian(model, reached.q, frame) / rows[:, None] * units
    expected = units[:, None] * np.linalg.pinv(J, 1e-9) / rows
    found = np.stack([np.einsum("nij,ij->n", by[frame], _rates(T, twist)) for twist in np.eye(6)], axis=1)
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_rank_deficient_pseudoinverse():
    rng = np.random.default_rng()
    A = rng.normal(size=(4, 3)) @ rng.normal(size=(3, 7))
    A = np.concatenate([A, np.zeros((1, 7)), 1e-18 * rng.normal(size=(1, 7))])
    b = rng.normal(size=6)
    assert np.abs(factorized(A).solve(b) - np.linalg.pinv(A, 1e-12) @ b).max() < 1e-9


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
    tasks = {lw.tasks.Position("tool"): 3, lw.tasks.Joints(priority=2): 7}
    solution = lw.compile(lambda model, p, x: _two_priorities(model, tasks, p, x), ARM, p=3, x=7)
    with pytest.raises(InputError, match="with several priorities first derivatives only"):
        solution.derivative("p").derivative("p")


def _two_priorities(model, tasks, p, x):
    return lw.inverse_kinematics(model, dict(zip(tasks, (p, x), strict=True)), np.zeros(7)).q
