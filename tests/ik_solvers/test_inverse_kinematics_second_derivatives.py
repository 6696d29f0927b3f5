"""First and second derivatives of inverse kinematics: against differences of the solver from the found solution."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model.scale import scale_of

PLANAR = lw.load("planar:3")
POSITION = lw.tasks.Position("tip", axes="xy")


def solver(model, task, rows, **options):
    """Return the function of a target, an initial guess, and parameters, as a kernel."""
    parameters = options.pop("parameters", ())

    def solution(model, target, guess):
        return lw.inverse_kinematics(model, {task: target}, guess, restarts=0, tolerance=1e-10, **options).q

    return lw.compile(solution, model, parameters=parameters, target=rows, guess=model.nq)


def along_a_direction(model, task, target, q, name, seed):
    """Return first and second derivatives in a direction of target, initial guess and geometry, and differences."""
    rng = np.random.default_rng(seed)
    kernel = solver(model, task, len(target), parameters=[name])
    value = np.asarray(model.geometry_of(name))
    x = kernel(target, kernel(target, q, value), value)
    size = 0.2 * scale_of(model).length
    du, dq, dx = (
        size * rng.normal(size=len(target)),
        rng.normal(size=model.nq),
        size * rng.normal(size=value.shape),
    )

    def along(model, s):
        changed = model.with_geometry({name: value + s * dx})
        return lw.inverse_kinematics(changed, {task: target + s * du}, x + s * dq, restarts=0, tolerance=1e-10).q

    first = lw.compile(along, model, s=()).derivative("s")
    h = 1e-3
    f = {k: kernel(target + k * h * du, x + k * h * dq, value + k * h * dx) for k in range(-2, 3)}
    differences = (8.0 * (f[1] - f[-1]) - f[2] + f[-2]) / (12.0 * h)
    second = (16.0 * (f[1] + f[-1]) - f[2] - f[-2] - 30.0 * f[0]) / (12.0 * h * h)
    return first(0.0), differences, first.derivative("s")(0.0), second


@pytest.mark.parametrize(
    ("model", "task", "name"),
    [
        (PLANAR, POSITION, "joint2.distance"),
        (lw.load("planar:2"), POSITION, "joint2.distance"),
        (lw.load("arm4"), lw.tasks.Direction("tool", weight=2.0), "joint2.axis"),
    ],
    ids=["redundant", "decided", "direction"],
)
def test_derivatives_are_those_of_the_solver(model, task, name):
    """With the found solution as initial guess, which moves; where no freedom is left, it does not matter."""
    rng = np.random.default_rng()
    q = rng.uniform(0.4, 0.9, model.nq)
    T = lw.pose(model, q, task.frame)
    target = T[:2, 3] if isinstance(task, lw.tasks.Position) else T[:3, 2]
    found = along_a_direction(model, task, target, q, name, int(rng.integers(10**6)))
    first, differences, second, curvature = found
    assert np.abs(first - differences).max() < 1e-6 * (1.0 + np.abs(differences).max())
    assert np.abs(second - curvature).max() < 1e-3 * (1.0 + np.abs(curvature).max())


def test_a_joint_at_its_limit_stays_there():
    """All derivatives are those with this joint fixed."""
    limited = PLANAR.with_joint("joint2", lower=-0.3, upper=0.3)
    q = np.array([0.5, 0.3, 0.8])
    given = (lw.pose(PLANAR, q, "tip")[:2, 3], q, 1.0)
    of_limit, fixed = (
        solver(model, POSITION, 2, parameters=["joint2.distance"], **options)
        for model, options in ((limited, {}), (PLANAR, {"fixed": ["joint2"]}))
    )
    for name in ("target", "joint2.distance"):
        first, expected = of_limit.derivative(name), fixed.derivative(name)
        assert np.abs(first(*given) - expected(*given)).max() < 1e-9
        for other in ("target", "joint2.distance"):
            second, of_fixed = first.derivative(other)(*given), expected.derivative(other)(*given)
            assert np.abs(second - of_fixed).max() < 1e-8 * (1.0 + np.abs(of_fixed).max())
    by_guess = of_limit.derivative("guess")(*given)
    assert np.abs(by_guess).max() < 1e-9


def test_by_the_initial_guess():
    """The projection onto the freedom that targets leave, I − J⁺J, and zero where they leave none."""
    q = np.random.default_rng().uniform(0.4, 0.9, 3)
    p = lw.pose(PLANAR, q, "tip")[:2, 3]
    kernel = solver(PLANAR, POSITION, 2)
    x = kernel(p, q + 0.1)
    J = lw.jacobian(PLANAR, x, "tip")[:2]
    assert np.abs(kernel.derivative("guess")(p, q + 0.1) - np.eye(3) + np.linalg.pinv(J) @ J).max() < 1e-9
    two = lw.load("planar:2")
    assert (solver(two, POSITION, 2).derivative("guess")([1.0, 0.6], [0.3, 0.4]) == 0.0).all()


def test_by_order_2():
    """In a batch, with weights and geometry: the same as the kernel's, in both orders of a pair."""
    q = np.random.default_rng().uniform(0.4, 0.9, (4, 3))
    p = lw.pose(PLANAR, q, "tip")[:, :2, 3]
    task = lw.tasks.Position("tip", axes="xy", weight=0.1)
    reached, by = lw.inverse_kinematics_derivatives(
        PLANAR, {task: p}, q, parameters=["joint2.distance", "tip.position"], order=2
    )
    assert reached.converged.all()
    parameters = ["joint2.distance", "tip.position"]
    kernel = solver(PLANAR, task, 2, parameters=parameters)
    given = (p, reached.q, *(PLANAR.geometry_of(name) for name in parameters))
    names = dict(zip([task, *parameters], ["target", *parameters], strict=True))
    for a in names:
        assert np.abs(by[a] - kernel.derivative(names[a])(*given)).max() < 1e-7
        for b in names:
            expected = kernel.derivative(names[a]).derivative(names[b])(*given)
            assert by[a, b].shape == expected.shape
            assert np.abs(by[a, b] - expected).max() < 1e-6 * (1.0 + np.abs(expected).max())


def test_rows_without_derivatives_are_nan():
    """Singular configurations, and rows that are not reached, in first and second derivatives."""
    arm = lw.load("planar:2")
    p = np.array([[2.0, 0.0], [1.2, 0.5], [2.5, 0.3]])
    for start in (np.array([0.3, 0.4]), np.zeros(2)):
        reached, by = lw.inverse_kinematics_derivatives(arm, {POSITION: p}, start, order=2)
        kernel = solver(arm, POSITION, 2)
        first = kernel.derivative("target")
        for x in (by[POSITION], first(p, start)):
            assert np.isnan(x[0]).all()
            assert np.isfinite(x[1:]).all()  # the last one is at a minimum
        for x in (by[POSITION, POSITION], first.derivative("target")(p, start)):
            assert np.isnan(x[[0, 2]]).all()
            assert np.isfinite(x[1]).all()
    assert np.abs(by[POSITION][1] - np.linalg.inv(lw.jacobian(arm, reached.q[1], "tip")[:2])).max() < 1e-6


def test_rows_of_two_priorities_that_are_not_reached_are_nan():
    posture = lw.tasks.Joints(priority=2)

    def solution(model, p, q):
        return lw.inverse_kinematics(model, {POSITION: p, posture: np.zeros(3)}, q, restarts=0).q

    by = lw.compile(solution, PLANAR, p=2, q=3).derivative("p")([[4.0, 1.0], [1.5, 0.5]], [0.3, 0.4, 0.5])
    assert np.isnan(by[0]).all()
    assert np.isfinite(by[1]).all()


def test_conditions_keep_missing_derivatives_away():
    """Also in reverse mode: a cost of what converged is differentiable where nothing did."""
    posture = lw.tasks.Joints(priority=2)

    def cost(model, p, q):
        found = lw.inverse_kinematics(model, {POSITION: p, posture: np.zeros(3)}, q, restarts=0)
        return lw.where(found.converged, found.q @ found.q, q @ q)

    q = np.array([0.3, 0.4, 0.5])
    by = lw.compile(cost, PLANAR, p=2, q=3).derivative("q")([[4.0, 1.0], [1.5, 0.5]], q)
    assert np.abs(by - [2.0 * q, np.zeros(3)]).max() < 1e-9


def test_third_derivatives_are_refused():
    kernel = solver(PLANAR, POSITION, 2)
    with pytest.raises(InputError, match="there are first and second derivatives"):
        kernel.derivative("target").derivative("target").derivative("target")
    with pytest.raises(InputError, match="order"):
        lw.inverse_kinematics_derivatives(PLANAR, {POSITION: [1.5, 0.5]}, order=3)
    tasks = {POSITION: [1.5, 0.5], lw.tasks.Joints(priority=2): np.zeros(3)}
    with pytest.raises(InputError, match="give order=1"):
        lw.inverse_kinematics_derivatives(PLANAR, tasks, np.zeros(3), order=2)
