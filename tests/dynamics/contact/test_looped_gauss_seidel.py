"""Iterations as loops over constraints of one kind: the same impulses as unrolled ones, for every row of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.compiler.ir import interpreter
from linkwright.compiler.ir.interpreter import interpret
from linkwright.dynamics.impulses import (
    constraint_families,
    jacobian_blocks,
    looped_gauss_seidel,
    projected_gauss_seidel,
)
from linkwright.dynamics.impulses.constraints import contact_constraints, limit_constraints
from linkwright.dynamics.impulses.impulse_solver import ImpulseProblem, Solver
from linkwright.dynamics.impulses.inertia_factors import inertia_factors
from linkwright.dynamics.impulses.restitution import ImpactProblem
from linkwright.spatial.loops.repeats import until

H = 2e-3


def crawling(restitution: float | None = None) -> lw.Model:
    """Four links in a row with eight balls each, all over the ground, and limits of their joints."""
    builder = lw.Builder(lw.load("chain3d:4"))
    generator = np.random.default_rng(2)
    for body in lw.load("chain3d:4").bodies:
        for at in generator.uniform(-0.4, 0.4, (8, 3)):
            friction = float(generator.choice([0.3, 0.8]))
            builder = builder.shape(
                body.name,
                "sphere",
                radius=0.05,
                xyz=0.5 * at,
                contact=lw.ContactProperties(friction=friction, restitution=restitution),
            )
    return builder.build().with_ground(height=-0.1)


def solved(solver: Solver) -> Any:
    """(p, velocity, shift, residual, work) of a state."""

    def impulses(model: lw.Model, q: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        groups = [*limit_constraints(model, q, v, H), *contact_constraints(model, q, v, H)]
        problem = ImpulseProblem(inertia_factors(model, q, dynamics.mass_matrix(model, q)), groups, v, H, solver)
        p = problem.solve(np.zeros(problem.size))
        return p.p, v + problem.velocity(p), problem.shift(p), problem.residual(p.p, p.z), problem.work(p)

    return impulses


def states(model: lw.Model, rows: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(4)
    q = np.stack([dynamics.integrate(model, model.neutral(), 0.1 * x) for x in generator.normal(size=(rows, model.nv))])
    q[::5, 2] += 3.0  # far above: nothing of these is near
    return q, generator.normal(size=(rows, model.nv)) - np.eye(model.nv)[2]


@pytest.mark.parametrize("tolerance", [None, 1e-5], ids=["all sweeps", "to a tolerance"])
def test_loops_give_what_the_book_gives_and_each_row_what_it_gives_alone(
    tolerance: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, solver = crawling(), Solver(iterations=6, tolerance=tolerance, position_iterations=4)
    kernel = lw.compile(solved(solver), model)
    q, v = states(model, 21)
    together = kernel(q, v)
    assert np.abs(together[0]).max() > 0.1
    assert not np.any(together[0][::5])
    for k in range(len(q)):
        for x, y in zip(together, kernel(q[k], v[k]), strict=True):
            assert np.array_equal(x[k], y)
    some = [1, 2, 5]
    interpreted = interpret(kernel.program, q[some], v[some])
    for row, k in enumerate(some):
        for x, y, z in zip(together, solved(solver)(model, q[k], v[k]), interpreted, strict=True):
            assert np.allclose(x[k], y, rtol=1e-9, atol=1e-11)
            assert np.allclose(x[k], np.broadcast_to(z, (len(some), *x.shape[1:]))[row], rtol=1e-9, atol=1e-11)
    for module in (constraint_families, jacobian_blocks):
        monkeypatch.setattr(module, "MANY", 10**6)
    written = lw.compile(solved(solver), model).program
    assert kernel.program.length < 0.75 * written.length


def test_impacts_of_many_contacts_in_loops_are_those_of_the_book() -> None:
    model, solver = crawling(0.6), Solver(iterations=6, tolerance=None)

    def bounced(model: lw.Model, q: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        groups = [*limit_constraints(model, q, v, H), *contact_constraints(model, q, v, H)]
        impact = ImpactProblem(inertia_factors(model, q, dynamics.mass_matrix(model, q)), groups, v, H, solver)
        found, residual = impact.solve_with_residual()
        return found.p, v + impact.velocity(found), residual

    q, v = states(model, 12)
    p, after, residual = lw.compile(bounced, model)(q, v)
    assert np.abs(p).max() > 0.1
    assert np.all(lw.kinetic_energy(model, q, after) <= lw.kinetic_energy(model, q, v) * (1.0 + 1e-9))
    for k in (1, 2, 3):
        for x, y in zip((p, after, residual), bounced(model, q[k], v[k]), strict=True):
            assert np.allclose(x[k], y, rtol=1e-9, atol=1e-11)


def test_derivatives_go_through_loops_of_parts() -> None:
    model, solver = crawling(), Solver(iterations=3, tolerance=None, position_iterations=0)

    def pushed(model: lw.Model, q: np.ndarray, v: np.ndarray) -> Any:
        return solved(solver)(model, q, v)[1]

    q, v = (x[1] for x in states(model, 2))
    found = lw.compile(lw.derivative(pushed, "v"), model)(q, v)
    for direction in np.random.default_rng(6).normal(size=(3, model.nv)):
        ahead, behind = (pushed(model, q, v + step * direction) for step in (1e-7, -1e-7))
        assert np.allclose(found @ direction, (ahead - behind) / 2e-7, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("looped", [True, False])
def test_shifts_take_no_iterations_where_nothing_overlaps(looped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model, solver, counts = crawling(), Solver(), []

    def counted(*arguments: Any, **options: Any) -> Any:
        found = until(*arguments, **options)
        counts.append(found[-1])
        return found

    for module in (looped_gauss_seidel, projected_gauss_seidel):
        monkeypatch.setattr(module, "until", counted)
    monkeypatch.setattr(constraint_families, "MANY_ROWS", 16 if looped else 10**6)

    def shift(model: lw.Model, q: np.ndarray) -> tuple[Any, ...]:
        counts.clear()
        v = np.zeros(model.nv)
        groups = contact_constraints(model, q, v, H)
        problem = ImpulseProblem(inertia_factors(model, q, dynamics.mass_matrix(model, q)), groups, v, H, solver)
        return problem.shift(problem.solve(np.zeros(problem.size))), counts[-1]

    lowest = min(
        row.gap
        for group in contact_constraints(model, model.neutral(), np.zeros(model.nv), H)
        for row in group.constraints
    )
    q = np.tile(model.neutral(), (9, 1))
    q[:, 2] -= lowest + np.where(np.arange(9) % 3, -1e-3, 1e-2)
    moved, iterations = lw.compile(shift, model)(q)
    assert np.array_equal(iterations > 0.0, np.arange(9) % 3 == 0)
    assert np.array_equal(np.any(moved, axis=1), np.arange(9) % 3 == 0)
    assert np.abs(moved[0]).max() > 1e-4


def test_nothing_is_read_of_distant_contacts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of contacts that are not near are not written into tables of many contacts."""
    builder = lw.Builder("ball of balls").body("core", 1.0, inertia=np.ones(3)).joint("root", "free", "world", "core")
    for at in np.random.default_rng(0).normal(size=(64, 3)):
        builder = builder.shape("core", "sphere", radius=0.1, xyz=at / np.linalg.norm(at))
    model = builder.build().with_ground()
    q, v = model.neutral(), -np.eye(6)[2]
    q[2] = 1.0
    program = lw.compile(solved(Solver(iterations=3)), model).program
    expected = interpret(program, q, v)
    monkeypatch.setitem(interpreter._OF_ROWS, "room", lambda size: np.full(size, np.nan))
    assert np.count_nonzero(expected[0]) in range(3, 120)
    for x, y in zip(interpret(program, q, v), expected, strict=True):
        assert np.array_equal(x, y)
