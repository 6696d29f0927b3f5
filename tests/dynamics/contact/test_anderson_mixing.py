"""Accelerated iterations: the same impulses as without Anderson mixing in fewer iterations, with a sound estimate."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.dynamics.contact.test_impulses import near_ground, standing

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.impulses import impulse_solver
from linkwright.dynamics.impulses.constraints import contact_constraints, limit_constraints
from linkwright.dynamics.impulses.impulse_laws import ProjectedGaussSeidel
from linkwright.dynamics.impulses.impulse_solver import ImpulseProblem, Solver
from linkwright.dynamics.impulses.inertia_factors import inertia_factors
from shortened import long_form

H = 1e-3
Solution = tuple[np.ndarray, np.ndarray, np.ndarray]


def solved(solver: Solver, name: str = "quadruped", rows: int = 150) -> Solution:
    """Of many starts: the residuals, the velocities, and the energies after an impact with the ground, with limits."""
    model, generator = standing(name, friction=0.5), np.random.default_rng(1)

    def impact(model: lw.Model, q: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        groups = [*limit_constraints(model, q, v, H), *contact_constraints(model, q, v, H)]
        problem = ImpulseProblem(inertia_factors(model, q, dynamics.mass_matrix(model, q)), groups, v, H, solver)
        p = problem.solve(np.zeros(problem.size))
        return problem.residual(p.p, p.z), v + problem.velocity(p), problem.work(p)

    q, v = zip(*[near_ground(model, generator) for _ in range(rows)], strict=True)
    result: Solution = lw.compile(impact, model)(np.array(q), np.array(v))
    return result


@cache
def converged() -> np.ndarray:
    """The velocities after the impact, found by many sweeps."""
    return solved(Solver(iterations=4000, tolerance=1e-12))[1]


@pytest.fixture
def without_mixing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Solver], Solution]:
    def found(solver: Solver) -> Solution:
        with monkeypatch.context() as patch:
            patch.setattr(
                impulse_solver,
                "ProjectedGaussSeidel",
                lambda iterations, tolerance, accelerated=True: ProjectedGaussSeidel(iterations, tolerance, False),
            )
            return solved(solver)

    return found


@pytest.mark.parametrize(("sweeps", "fewer"), [(5, 1.0), *long_form((10, 20.0)), (20, 1e4)])
def test_mixing_converges_in_a_fraction_of_the_iterations(
    sweeps: int, fewer: float, without_mixing: Callable[[Solver], Solution]
) -> None:
    true, solver = converged(), Solver(iterations=sweeps, tolerance=None)
    (left, v, work), (plain, plain_v, plain_work) = solved(solver), without_mixing(solver)
    assert fewer * np.median(left) <= np.median(plain)
    for share in (0.5, 0.9, 1.0):  # never worse by far, in the worst of all starts neither
        assert np.quantile(left, share) <= 1.05 * np.quantile(plain, share)
        assert np.quantile(np.abs(v - true), share) <= 1.05 * np.quantile(np.abs(plain_v - true), share)
    assert work.max() <= 1e-9
    assert plain_work.max() <= 1e-9


def test_both_find_the_same_velocities(without_mixing: Callable[[Solver], Solution]) -> None:
    solver = Solver(iterations=4000, tolerance=1e-11)
    found = [solved(solver)[1], without_mixing(solver)[1]]
    assert np.abs(found[0] - found[1]).max() < 1e-7


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_what_is_left_is_less_than_the_tolerance(tolerance: float) -> None:
    """One part's last change is multiplied by ``SURE``: others add to it; by a factor of 1 they are off by eight."""
    true = converged()
    residual, v, _ = solved(Solver(iterations=4000, tolerance=tolerance))
    assert residual.max() < tolerance
    assert np.abs(v - true).max() < 2.0 * tolerance
    assert np.quantile(np.abs(v - true).max(axis=1), 0.99) < tolerance
