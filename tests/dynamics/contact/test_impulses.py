"""Impulses of one step: each keeps its law, none brings energy, and loops stay closed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.contact.points_after import MovedBodies, PointsAfter
from linkwright.dynamics.impulses import constraints, projected_gauss_seidel
from linkwright.dynamics.impulses.constraints import (
    Constraint,
    ConstraintGroup,
    ContactConstraint,
    FrictionConstraint,
    LimitConstraint,
    contact_constraints,
    friction_constraints,
    limit_constraints,
)
from linkwright.dynamics.impulses.impulse_solver import ImpulseProblem, Solver
from linkwright.dynamics.impulses.inertia_factors import inertia_factors
from linkwright.dynamics.impulses.restitution import ImpactProblem
from linkwright.dynamics.impulses.supports import STRIDE, moving_coordinates
from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import LinkwrightError
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step

H = 1e-3


def standing(name: str, **surface: float) -> lw.Model:
    """The model with a ground 2 cm above its lowest shape in the neutral posture."""
    model = lw.load(name).with_ground(contact=lw.ContactProperties(**surface))
    lowest = min(
        part.gap
        for group in contact_constraints(model, model.neutral(), np.zeros(model.nv), H)
        for part in group.constraints
    )
    ground = model.shapes[model.pairs[0].second]
    return lw.load(name).with_ground(
        height=float(ground.placement[2, 3] + lowest) + 0.02, contact=lw.ContactProperties(**surface)
    )


def near_ground(model: lw.Model, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A state at which some points overlap the ground and others are above it, moving down."""
    q = dynamics.integrate(model, model.neutral(), 0.02 * generator.normal(size=model.nv))
    return q, generator.normal(size=model.nv) - np.eye(model.nv)[2] * 2.0


def impulses_at(
    model: lw.Model, q: np.ndarray, v: np.ndarray, limits: bool, solver: Solver
) -> tuple[ImpulseProblem, list[tuple[Constraint, np.ndarray]]]:
    """The impulses, and every part with its rows J (k, nv)."""
    groups = [
        *friction_constraints(model, q),
        *(limit_constraints(model, q, v, H) if limits else []),
        *contact_constraints(model, q, v, H),
    ]
    factors = inertia_factors(model, q, dynamics.mass_matrix(model, q))
    parts = []
    for group in groups:
        J, at = np.zeros((group.size, model.nv)), 0
        J[:, list(group.support)] = group.jacobian()
        for part in group.constraints:
            parts.append((part, J[at : at + part.size]))
            at += part.size
    return ImpulseProblem(factors, groups, v, H, solver), parts


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_supports_of_many_contacts_have_few_sizes_and_zeros_on_the_other_coordinates(name):
    model = standing(name)
    q, v = near_ground(model, np.random.default_rng(3))
    sizes = set()
    for group in contact_constraints(model, q, v, H):
        moving = moving_coordinates(model, group.bodies[:1])
        assert set(moving) <= set(group.support)
        others = [k for k, place in enumerate(group.support) if place not in moving]
        assert np.abs(group.jacobian()[:, others]).max(initial=0.0) == 0.0
        sizes.add(len(group.support))
    assert all(size % STRIDE == 0 or size == model.nv for size in sizes)


@pytest.mark.variants("surface")
@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
@pytest.mark.parametrize(
    "surface",
    [{"friction": 0.2}, {"friction": 0.2, "torsional_friction": 0.02, "rolling_friction": 0.01}],
    ids=["slides", "rolls"],
)
def test_converged_impulses_keep_the_laws(name: str, surface: dict[str, float]) -> None:
    model, generator = standing(name, **surface), np.random.default_rng(3)
    slides = 0
    for _ in range(2):
        q, v = near_ground(model, generator)
        problem, parts = impulses_at(model, q, v, True, Solver(iterations=20_000, tolerance=1e-13))
        solution = problem.solve(np.zeros(problem.size))
        p, after, at = solution.p, v + problem.velocity(solution), 0
        for block, J in parts:
            own, u = p[at : at + len(J)], J @ after
            at += len(J)
            if isinstance(block, LimitConstraint):
                low, high = min(block.below / H, 0.0), max(block.above / H, 0.0)
                assert low - 1e-9 <= u[0] <= high + 1e-9
                assert own[0] <= 1e-12 or abs(u[0] - low) < 1e-9
                assert own[0] >= -1e-12 or abs(u[0] - high) < 1e-9
            if isinstance(block, ContactConstraint):
                room = u[0] + max(block.gap, 0.0) / H
                assert own[0] >= 0.0
                assert room > -1e-9
                assert own[0] * room < 1e-9
                for friction in block.frictions:
                    rows = list(friction.rows)
                    size, speed = np.linalg.norm(own[rows]), np.linalg.norm(u[rows])
                    assert size <= friction.reach * own[0] + 1e-12
                    if speed > 1e-7 and own[0] > 1e-9:  # the most dissipation
                        slides += 1
                        assert own[rows] @ u[rows] == pytest.approx(-friction.reach * own[0] * speed, rel=1e-6)
    assert slides


def test_impulses_bring_no_energy_from_any_start() -> None:
    generator = np.random.default_rng(5)
    for e in (0.0, 0.9):
        model = standing("humanoid", restitution=e)
        for _ in range(2):
            q, v = near_ground(model, generator)
            groups = [*limit_constraints(model, q, v, H), *contact_constraints(model, q, v, H)]
            M = dynamics.mass_matrix(model, q)
            for sweeps_ in (1, 60):
                impact = ImpactProblem(inertia_factors(model, q, M), groups, v, H, Solver(sweeps_, 1e-6))
                after = v + impact.velocity(impact.solve())
                assert after @ M @ after <= v @ M @ v * (1.0 + 1e-9)
                assert np.abs(after - v).max() > 0.1


@pytest.mark.parametrize("tolerance", [None, 1e-3])
def test_many_rows_are_solved_by_factors_as_few_are_by_their_matrix(
    monkeypatch: pytest.MonkeyPatch, tolerance: float | None
) -> None:
    model, generator = standing("quadruped", restitution=0.5), np.random.default_rng(7)
    q, v = near_ground(model, generator)
    solved = []
    for whole in (True, False):
        monkeypatch.setattr(projected_gauss_seidel, "_dense_is_cheaper", lambda subproblems, count, whole=whole: whole)
        problem, _ = impulses_at(model, q, v, True, Solver(iterations=6, tolerance=tolerance))
        solution = problem.solve(np.zeros(problem.size))
        solved.append((solution.p, solution.z, problem.shift(solution)))
    assert np.abs(solved[0][0]).max() > 0.1
    for one, other in zip(*solved, strict=True):
        assert np.allclose(one, other, atol=1e-9)


def on_two_feet() -> lw.Model:
    """A body that is free, with two legs and a box at the end of each."""
    made = lw.Builder("two feet").body("trunk", 5.0, inertia=0.1).joint("root", "free", "world", "trunk")
    for side, y in (("left", 0.2), ("right", -0.2)):
        made.body(side, 1.0, (0.0, 0.0, -0.1), 0.02)
        made.joint(f"{side} hip", "revolute", "trunk", side, axis=(0, 1, 0), xyz=(0.0, y, -0.2))
        made.shape(side, "box", size=(0.2, 0.1, 0.04), xyz=(0.0, 0.0, -0.3))
    return made.build()


def test_what_is_not_near_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, generator = on_two_feet().with_ground(height=-0.53), np.random.default_rng(2)
    monkeypatch.setattr(constraints, "MANY", 1)
    step = lw.compile(stepping, model, p=24)
    monkeypatch.setattr(constraints, "MANY", 1000)
    asked_nothing = lw.compile(stepping, model, p=24)
    q = np.tile(model.neutral(), (40, 1))
    q[:, 2] += np.linspace(-0.1, 0.6, 40)
    v = generator.normal(size=(40, model.nv))
    p = abs(generator.normal(size=(40, 24)))
    for one, other in zip(step(q, v, p), asked_nothing(q, v, p), strict=True):
        assert np.allclose(one, other, atol=1e-9)
    assert np.allclose(step(q[5], v[5], p[5])[1], step(q, v, p)[1][5], atol=1e-12)


def stepping(model: lw.Model, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
    return constrained_step(model, q, v, np.zeros(model.nv), H, p, Constraints(friction=False))


def test_loops_stay_closed_under_impulses() -> None:
    model, generator = lw.load("four_bar"), np.random.default_rng(1)
    q = lw.close_loops(model, model.neutral())
    v = lw.impulse(model, q, generator.normal(size=model.nv))[0]
    factors = inertia_factors(model, q, dynamics.mass_matrix(model, q))
    K = dynamics.constraint_jacobian(model, q)
    whole = tuple(range(model.nv))
    groups = [
        ConstraintGroup((FrictionConstraint(50.0),), whole, lambda: np.eye(model.nv)[:1]),
        ConstraintGroup((LimitConstraint(-1e-5, 1e-5),), whole, lambda: np.eye(model.nv)[1:2]),
    ]
    problem = ImpulseProblem(factors, groups, v, H, Solver(200, 1e-6))
    after = v + problem.velocity(problem.solve(np.zeros(2)))
    assert np.abs(K @ after).max() < 1e-9
    assert abs(after[1]) <= 1e-5 / H + 1e-9


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"iterations": 0}, "iterations is a whole number from 1 on; got 0"),
        ({"iterations": 2.5}, "iterations is"),
        ({"position_iterations": -1}, "position_iterations is a whole number from 0 on"),
        ({"tolerance": float("nan")}, r"tolerance is a number from 0 on \(m/s\)"),
        ({"rest_velocity": None}, "rest_velocity is"),
        ({"impacts": "both"}, "impacts are 'simultaneous' or 'sequential'; got 'both'"),
    ],
)
def test_solvers_that_are_none_are_reported(wrong: dict, message: str) -> None:
    with pytest.raises(LinkwrightError, match=message):
        lw.Solver(**wrong)


@pytest.mark.parametrize("plane_first", [False, True])
def test_corners_stay_corners_while_another_side_gets_to_look_at_the_ground(plane_first: bool) -> None:
    """A brick tilted by 45°, and a little further: its points of contact are then those of another side."""
    size, margin = np.array([0.3, 0.2, 0.1]), 0.004
    builder = lw.Builder("brick").body("brick", 1.0, inertia=0.01).joint("root", "free", "world", "brick")
    model = builder.shape("brick", "box", size=tuple(size)).build().with_ground(0.1, normal=(0.2, 0.1, 1.0))
    pair = replace(model.pairs[0], margin=margin)
    pair = replace(pair, first=pair.second, second=pair.first) if plane_first else pair
    ground = model.shapes[model.pairs[0].second].placement
    tilted = dynamics.integrate(model, model.neutral(), np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0]))
    angles, sides = np.linspace(0.6, 1.3, 8), set()
    for begin, end in pairwise(angles):
        q, q1 = (dynamics.integrate(model, tilted, np.array([0.0, 0.0, 0.0, 0.0, x, 0.0])) for x in (begin, end))
        poses, after = body_poses(model, q), body_poses(model, q1)
        points = points_between(model, pair, poses)
        motion = MovedBodies(q1, after)
        moved = PointsAfter(model, [(pair, points)], poses, lambda motion=motion: motion, np.True_)
        gaps = moved.gaps([0.0] * len(points))
        corners = []
        for gap, point, normal in points:
            surface = point + (-0.5 if plane_first else 0.5) * (gap + margin) * normal
            corners.append(poses[0][:3, :3].T @ (surface - poses[0][:3, 3]))
        assert np.abs(corners) == pytest.approx(np.tile(0.5 * size, (4, 1)))
        there = [after[0][:3, :3] @ corner + after[0][:3, 3] for corner in corners]
        assert gaps == pytest.approx([ground[:3, 2] @ (x - ground[:3, 3]) - margin for x in there])
        sides.add(bool(np.allclose(gaps, [x.gap for x in points_between(model, pair, after)], atol=1e-9)))
    assert sides == {True, False}  # somewhere between them the side changes
