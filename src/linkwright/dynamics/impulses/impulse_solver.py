"""Impulses of one step without restitution, and the position shift that corrects overlap.

0 ≤ p_n ⊥ u_n + max(g, 0)/h ≥ 0 with friction of maximum dissipation (Moreau 1988; Stewart & Trinkle 1996; Anitescu &
Potra 1997). Impacts with restitution precede them, at the beginning of the step: `restitution.py`.

The shift changes the configuration and leaves velocities, and hence the kinetic energy, unchanged. It is the smallest
in the kinetic metric. Each step corrects half of the overlap, and more of deep overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from linkwright.bounds import not_negative, whole_number
from linkwright.dynamics.contact.smooth import pair_dissipation
from linkwright.dynamics.impulses.constraints import (
    Constraint,
    ConstraintGroup,
    ContactConstraint,
    FrictionConstraint,
    LimitConstraint,
    ServoConstraint,
)
from linkwright.dynamics.impulses.end_rows import EndRows, PositionRows, with_end_rows
from linkwright.dynamics.impulses.impulse_laws import (
    ContactLaw,
    DiagonalBlock,
    FrictionLaw,
    ImpulseLaw,
    JacobianBlock,
    LimitLaw,
    ProjectedGaussSeidel,
    ServoLaw,
    Subproblem,
    reciprocal,
    velocity_change,
)
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.jacobian_blocks import jacobian_blocks
from linkwright.dynamics.impulses.projected_gauss_seidel import factor_impulses, solve_from, solve_subproblems
from linkwright.errors import ArgumentError, explained
from linkwright.spatial.arrays import Array, maximum, minimum, where
from linkwright.spatial.repeats import when

TOLERATED_OVERLAP = 1e-6
"""m or rad: tolerance of the position shift; smaller where the tolerance of the solver, in m/s, is smaller."""

DISTANT = 1e2
"""m: candidates with a larger gap do not exist at the moment"""

LIMIT_MARGIN = 1e-2
"""rad or m: coordinates this near to a limit at the end of a step keep it during position shifts"""

LEFT = 5e-4
"""m or rad: largest overlap that a step leaves; of smaller overlap it leaves half"""

Impacts = Literal["simultaneous", "sequential"]


@explained
@dataclass(frozen=True)
class Solver:
    """Options of the contact solver, a projected Gauss–Seidel method: ``Integrator(solver=Solver(…))``.

    Each iteration visits all impulses of contacts, limits and dry friction once, and starts from the impulses of the
    previous step. ``Solver(iterations=4, tolerance=None)`` is fast and sufficient for many legged robots.

    Parameters
    ----------
    iterations : int, optional
        Largest number of iterations in each step; without a tolerance their number.
    tolerance : float or None, optional
        Largest change of a velocity in m/s at which iterations end. With None their number is fixed.
    position_iterations : int or None, optional
        Largest number of iterations of the position correction, which ends at an overlap of a micrometer. None: 100,
        and 10 without a tolerance.
    rest_velocity : float, optional
        Normal speed in m/s below which there is no restitution.
    impacts : {"simultaneous", "sequential"}, optional
        Impacts of a step at once, or in rounds, in which they propagate through bodies in contact.
    impact_iterations : int, optional
        Largest number of rounds of sequential impacts in a step.
    """

    iterations: int = 50
    tolerance: float | None = 1e-6
    position_iterations: int | None = None
    rest_velocity: float = 1e-2
    impacts: Impacts = "simultaneous"
    impact_iterations: int = 30

    def __post_init__(self) -> None:
        if self.impacts not in get_args(Impacts):
            raise ArgumentError(f"impacts are 'simultaneous' or 'sequential'; got {self.impacts!r}")
        whole_number("iterations", self.iterations, 1)
        whole_number("impact_iterations", self.impact_iterations, 1)
        if self.position_iterations is not None:
            whole_number("position_iterations", self.position_iterations, 0)
        if self.tolerance is not None:
            not_negative("tolerance", self.tolerance, "m/s")
        not_negative("rest_velocity", self.rest_velocity, "m/s")

    @property
    def position_limit(self) -> int:
        """Largest number of position iterations."""
        if self.position_iterations is None:
            return 10 if self.tolerance is None else 100
        return self.position_iterations


class ImpulseSolution(NamedTuple):
    """Impulses of all constraints."""

    p: Array
    """(m,), N s or N m s"""
    z: Array
    """(nv,), Y p: the impulses in factor space"""


class EndGaps(NamedTuple):
    """Gaps of some contacts at the end of a step."""

    groups: Sequence[int]
    """indices of their groups"""
    gaps: Callable[[], Array]
    """(n,) of all their constraints, m"""
    curved: Any
    """whether ``gaps`` are evaluated; else paths are taken as straight"""
    rows: EndRows
    """normal rows at the end of the step"""
    rotated: Any
    """whether normal rows may differ from those at the beginning"""
    always: bool = False
    """whether ``gaps`` are evaluated unconditionally, as reverse differentiation requires"""

    def corrected(self, straight: Array) -> Array:
        """Return the gaps (n,), from those of straight paths."""

        def has_persistent_points() -> Array:
            return where(straight < DISTANT, self.gaps(), straight)

        return (
            where(self.curved, has_persistent_points(), straight)
            if self.always
            else when(self.curved, has_persistent_points, straight)
        )


class ImpulseProblem:
    """Impulses (m,) of a step without restitution, and the shift that corrects overlap.

    ``v_free`` (nv,) is the velocity without impulses.
    """

    def __init__(
        self, factors: InertiaFactors, groups: Sequence[ConstraintGroup], v_free: Array, h: Any, solver: Solver
    ):
        self.factors, self.groups, self._h, self._solver = factors, groups, h, solver
        self._v_free, self._rate = v_free, 1.0 / h
        softness = [[self._soft(constraint)[0] for constraint in group.constraints] for group in groups]
        self.rows = jacobian_blocks(groups, factors, v_free, softness)
        ends = np.cumsum([0, *(group.size for group in groups)]).tolist()
        self._at = [list(range(*two)) for two in pairwise(ends)]

    @property
    def size(self) -> int:
        """Number of impulses."""
        return sum(group.size for group in self.groups)

    def solve(self, start: Array) -> ImpulseSolution:
        """Return the impulses (m,), with a warm start from those of the previous step."""
        pieces = [
            start[at] if group.near is None else where(group.near, start[at], 0.0)
            for group, at in zip(self.groups, self._at, strict=True)
        ]
        start = np.concatenate([np.zeros(0), *pieces])
        settings = ProjectedGaussSeidel(self._solver.iterations, self._solver.tolerance)
        return ImpulseSolution(*solve_from(self._subproblems(), start, len(self.factors.roots), settings))

    def work(self, found: ImpulseSolution) -> Any:
        """Return the kinetic energy added by impulses, J: pᵀ r + ½ pᵀ A p."""
        r = np.concatenate([np.zeros(0), *(rows.r for rows in self.rows)])
        return found.p @ r + 0.5 * (found.z @ found.z)

    def _solve(self, subproblems: Sequence[Subproblem], start: ImpulseSolution) -> ImpulseSolution:
        return ImpulseSolution(
            *solve_subproblems(
                subproblems, start.p, start.z, ProjectedGaussSeidel(self._solver.iterations, self._solver.tolerance)
            )
        )

    def _in_factor_space(self, subproblems: Sequence[Subproblem], p: Array) -> ImpulseSolution:
        return ImpulseSolution(p, factor_impulses(subproblems, p, len(self.factors.roots)))

    def velocity(self, found: ImpulseSolution) -> Array:
        """Return M̂⁻¹ Jᵀ p (nv,)."""
        return self.factors.from_factor_space(found.z)

    def residual(self, p: Array) -> Any:
        """Return the largest change of a velocity, m/s or rad/s, by which the law of a constraint is not fulfilled."""
        return self._residual(self._subproblems(), p)

    def _residual(self, subproblems: Sequence[Subproblem], p: Array) -> Any:
        z, most = (
            factor_impulses([subproblem._replace(laws=()) for subproblem in subproblems], p, len(self.factors.roots)),
            0.0,
        )
        for subproblem in subproblems:
            u = subproblem.r + velocity_change(subproblem.Y, z[subproblem.support], subproblem.near)
            for law, places in zip(subproblem.laws, subproblem.places, strict=True):
                own = p[[subproblem.at[i] for i in places]]
                most = maximum(most, law.moves(law.solve(own, u[places] - law.block.B @ own) - own))
        return most

    def shift(self, found: ImpulseSolution, ends: EndGaps | None = None) -> Array | None:
        """Return the position shift δ (nv,) that corrects overlap at the end of the step.

        Gaps without ``ends`` are those at the beginning plus h times their rates. This omits ½ h² ω² r of a point at
        radius r: the foot of a fast leg would sink.
        """
        v = self._v_free + self.velocity(found)
        moving = [self._moving(group, rows, found.z, v) for group, rows in self._both()]
        if not self._solver.position_limit or not any(one.constraints for one in moving):
            return None
        if ends is not None:
            straight = np.concatenate([moving[k].end for k in ends.groups])
            known = ends.corrected(straight)
            cuts = np.cumsum([len(moving[k].end) for k in ends.groups])[:-1]
            for k, end in zip(ends.groups, np.split(known, cuts), strict=True):
                moving[k] = moving[k]._replace(end=end)
            if not ends.always:
                self._update_sinking_contacts(ends, moving)
        subproblems, size = [], 0
        for group, one in zip(self.groups, moving, strict=True):
            if one.constraints:
                laws = tuple(_position_law(*about) for about in zip(one.constraints, one.blocks, one.end, strict=True))
                own = list(range(size, size := size + len(laws)))
                places = tuple([k] for k in range(len(laws)))
                subproblems.append(
                    Subproblem(laws, places, one.Y, np.zeros(len(laws)), list(group.support), own, one.near)
                )
        tolerance, nil = self._solver.tolerance, 0.0 * found.z
        least = None if tolerance is None else maximum(self._h * tolerance, min(tolerance, TOLERATED_OVERLAP))
        settings = ProjectedGaussSeidel(self._solver.position_limit, least, accelerated=tolerance is not None)
        return self.factors.from_factor_space(
            solve_subproblems(subproblems, np.stack([nil[0]] * size), nil, settings)[1]
        )

    def _moving(self, group: ConstraintGroup, rows: JacobianBlock, z: Array, v: Array) -> PositionRows:
        """Return the normal rows of a group, and positions after a step at velocities v (nv,)."""
        if isinstance(group.constraints[0], LimitConstraint) and group.near is not None:
            return self._limit_rows(group, rows, v)
        chosen = [
            (constraint, block, places[0])
            for constraint, block, places in constraints_with_blocks(group, rows)
            if isinstance(constraint, LimitConstraint)
            or (isinstance(constraint, ContactConstraint) and constraint.pair.stiffness is None)
        ]
        first = [row for *_, row in chosen]
        Y = rows.Y[:, first]
        start = (
            np.stack([x.gap if isinstance(x, ContactConstraint) else 0.0 for x, *_ in chosen])
            if chosen
            else np.zeros(0)
        )

        def moved() -> Array:
            return start + self._h * (rows.r[first] + Y.T @ z[list(group.support)])

        end = moved() if group.near is None or not chosen else when(group.near, moved, start)
        blocks = [_normal_block(block, self.factors.least) for _, block, _ in chosen]
        return PositionRows([constraint for constraint, *_ in chosen], blocks, Y, end, group.near)

    def _limit_rows(self, group: ConstraintGroup, rows: JacobianBlock, v: Array) -> PositionRows:
        """Return the row of a limit, also of an inactive one that is passed at the end of the step."""
        (stop,), support, J = group.constraints, list(group.support), group.jacobian()
        assert isinstance(stop, LimitConstraint)
        end = self._h * (J @ v[support])
        passed = (end[0] < stop.below + LIMIT_MARGIN) | (end[0] > stop.above - LIMIT_MARGIN)
        unseen = where(passed, where(group.near, 0.0, 1.0), 0.0) > 0.5

        def late() -> tuple[Array, Array]:
            Y = self.factors.to_factor_space(J.T, group.support)
            return Y, Y.T @ Y

        Y, B = when(unseen, late, rows.Y, rows.blocks[0].B)
        block = _normal_block(rows.blocks[0]._replace(B=B), self.factors.least)
        return PositionRows([stop], [block], Y, end, group.near | unseen)

    def _update_sinking_contacts(self, ends: EndGaps, moving: list[PositionRows]) -> None:
        """Update sinking contacts that were inactive, or whose bodies rotate far, by their rows at the end of the step.

        The speed of a light limb may grow by large factors in an impact. The limb may then penetrate without an active
        contact, or rotate so far that rows at the beginning of the step do not lift it.
        """
        groups, own = [self.groups[k] for k in ends.groups], [moving[k] for k in ends.groups]
        sinks = [where(reduce(minimum, one.end) < -LEFT, 1.0, 0.0) for one in own]
        unseen = [x * where(one.near, 0.0, 1.0) for x, one in zip(sinks, own, strict=True) if one.near is not None]
        again = reduce(maximum, [*unseen, reduce(maximum, sinks) * where(ends.rotated, 1.0, 0.0)]) > 0.5

        for k, one in zip(ends.groups, with_end_rows(groups, own, ends.rows, self.factors, again), strict=True):
            moving[k] = one

    def _both(self) -> list[tuple[ConstraintGroup, JacobianBlock]]:
        return list(zip(self.groups, self.rows, strict=True))

    def _subproblem(self, k: int, laws: tuple[ImpulseLaw, ...]) -> Subproblem:
        group, rows = self.groups[k], self.rows[k]
        return Subproblem(laws, tuple(group.places), rows.Y, rows.r, list(group.support), self._at[k], group.near)

    def _subproblems(self) -> list[Subproblem]:
        return [
            self._subproblem(
                k, tuple(self._law(constraint, block) for constraint, block, _ in constraints_with_blocks(group, rows))
            )
            for k, (group, rows) in enumerate(self._both())
        ]

    def _law(self, constraint: Constraint, block: DiagonalBlock) -> ImpulseLaw:
        h = self._h
        if isinstance(constraint, LimitConstraint):
            return LimitLaw(
                block, minimum(constraint.below * self._rate, 0.0), maximum(constraint.above * self._rate, 0.0)
            )
        if isinstance(constraint, FrictionConstraint):
            return FrictionLaw(block, h * constraint.effort)
        if isinstance(constraint, ServoConstraint):
            return ServoLaw(
                block,
                None if constraint.pull is None else h * constraint.pull,
                h * constraint.slope,
                h * constraint.most,
            )
        softness, bias = self._soft(constraint)
        return ContactLaw(block, constraint.frictions, bias, softness)

    def _soft(self, constraint: Constraint) -> tuple[Any, Any]:
        """Return the softness γ and the bias of a constraint."""
        if not isinstance(constraint, ContactConstraint):
            return 0.0, 0.0
        h, k = self._h, constraint.pair.stiffness
        if k is None:
            return 0.0, maximum(constraint.gap, 0.0) * self._rate
        # the law of `contact/smooth.py`: a spring alone in the step in which the shapes meet, then with its dampers
        d = constraint.pair.damping - pair_dissipation(constraint.pair) * k * constraint.gap
        whole = where(constraint.gap > 0.0, 0.0, d) + h * k
        return 1.0 / (h * whole), k * constraint.gap / whole


def _position_law(constraint: Constraint, block: DiagonalBlock, end: Any) -> ImpulseLaw:
    """Return the law of a position shift, in addition to the displacement of the step."""
    if isinstance(constraint, ContactConstraint):
        return ContactLaw(block, (), _corrected_gap(end))
    assert isinstance(constraint, LimitConstraint)
    return LimitLaw(block, -_corrected_gap(end - constraint.below), _corrected_gap(constraint.above - end))


def constraints_with_blocks(
    group: ConstraintGroup, rows: JacobianBlock
) -> Iterator[tuple[Constraint, DiagonalBlock, list[int]]]:
    """Return the constraints of a group, each with its diagonal block and its rows."""
    return zip(group.constraints, rows.blocks, group.places, strict=True)


def _normal_block(block: DiagonalBlock, least: Any) -> DiagonalBlock:
    """Return the block of the first row."""
    return DiagonalBlock(block.B[:1, :1], reciprocal(block.B[0, 0], least), np.zeros(0))


def _corrected_gap(gap: Any) -> Any:
    """Return by how much a gap may shrink; negative for an overlap, which shrinks by half, or to :data:`LEFT`."""
    return where(gap > 0.0, gap, minimum(0.5 * gap, gap + LEFT))
