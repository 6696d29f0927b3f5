"""Rows of joint limits and dry friction in loops: those of the reference implementation, for every row of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.impulses.constraints import friction_constraints, limit_constraints
from linkwright.dynamics.impulses.coordinate_rows import coordinate_rows
from linkwright.dynamics.impulses.impulse_solver import ImpulseProblem, Solver
from linkwright.dynamics.impulses.inertia_factors import inertia_factors
from linkwright.dynamics.impulses.supports import LONG

H = 2e-3
ROWS = 13


def branched(*, mimic: bool = False) -> lw.Model:
    """Return a floating body with a short and a long chain, limits of most joints, and dry friction of some."""
    made = lw.Builder("branched").body("trunk", 3.0, inertia=0.1)
    for chain, count in (("short", 3), ("long", 12)):
        for k in range(count):
            parent = f"{chain}{k - 1}" if k else "trunk"
            made = made.body(f"{chain}{k}", 0.5 + 0.1 * k, (0.1, 0.02, 0.0), 0.01)
            made = made.joint(
                f"{chain} joint {k}",
                "revolute",
                parent,
                f"{chain}{k}",
                xyz=(0.2, 0.0, 0.05),
                axis=np.eye(3)[k % 3],
                limits=None if k == 1 else (-0.3, 0.4),
                friction=0.05 if k % 4 == 2 else 0.0,
            )
    if mimic:
        made = made.mimic("long joint 3", "short joint 0", -0.5)
    return made.build(root="free")


def step(solver: Solver) -> Any:
    """Return a function of impulses, the velocity and the shift of a step."""

    def impulses(model: lw.Model, q: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        groups = [*friction_constraints(model, q), *limit_constraints(model, q, v, H)]
        problem = ImpulseProblem(inertia_factors(model, q, dynamics.mass_matrix(model, q)), groups, v, H, solver)
        found = problem.solve(np.zeros(problem.size))
        return found.p, v + problem.velocity(found), problem.shift(found), problem.work(found)

    return impulses


def states(model: lw.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return states in the middle, near limits, beyond limits, and so fast that limits are passed within a step."""
    generator = np.random.default_rng(3)
    q = np.tile(model.neutral(), (ROWS, 1))
    q[:, -(model.nv - 6) :] = generator.uniform(-0.35, 0.45, (ROWS, model.nv - 6))
    v = generator.normal(size=(ROWS, model.nv))
    q[::4, -(model.nv - 6) :] *= 0.1
    v[::3, 6:] *= 60.0
    return q, v


@pytest.mark.parametrize("mimic", [False, True])
def test_loops_have_the_results_of_the_reference_implementation(mimic: bool) -> None:
    model, solver = branched(mimic=mimic), Solver(iterations=8, tolerance=None, position_iterations=5)
    kernel = lw.compile(step(solver), model)
    q, v = states(model)
    together = kernel(q, v)
    assert all(np.isfinite(x).all() for x in together)
    assert np.abs(together[0]).max() > 0.1
    assert np.abs(together[2]).max() > 1e-3
    for k in range(ROWS):
        for x, y in zip(together, kernel(q[k], v[k]), strict=True):
            assert np.array_equal(x[k], y)
    for k in (0, 1, 3, 4, 12):  # each kind of states, on several lanes
        for x, y in zip(together, step(solver)(model, q[k], v[k]), strict=True):
            np.testing.assert_allclose(x[k], y, rtol=1e-8, atol=1e-10)


def test_limits_and_friction_of_one_coordinate_share_a_row() -> None:
    model, shared = branched(), []

    def rows_of(model: lw.Model, q: np.ndarray, v: np.ndarray) -> Any:
        frictions, limits = friction_constraints(model, q), limit_constraints(model, q, v, H)
        assert max(len(group.support) for group in limits) >= LONG
        rows = coordinate_rows([*frictions, *limits], inertia_factors(model, q, dynamics.mass_matrix(model, q)))
        assert rows is not None
        first = [rows.row(k)[0][0, 0] for k in range(len(frictions) + len(limits))]
        shared.append(len(first) - len(set(map(id, first))))
        return np.stack(first)

    lw.compile(rows_of, model)(*(x[1] for x in states(model)))
    joints = [joint for joint in model.joints if np.any(joint.friction)]
    assert shared == [sum(bool(np.isfinite(joint.lower).any()) for joint in joints)]
    assert shared[0] > 0
