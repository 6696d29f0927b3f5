"""Impulses of one step without restitution, and the position shift that corrects overlap.

0 ≤ p_n ⊥ u_n + max(g, 0)/h ≥ 0 with friction of maximum dissipation (Moreau 1988; Stewart & Trinkle 1996; Anitescu &
Potra 1997). Impacts with restitution precede them, at the beginning of the step: `restitution.py`.

The shift changes the configuration and leaves velocities, and hence the kinetic energy, unchanged. It is the smallest
in the kinetic metric. Each step corrects half of the overlap, and more of deep overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    has_restitution,
)
from linkwright.dynamics.impulses.coordinate_rows import coordinate_rows
from linkwright.dynamics.impulses.end_rows import EndRows, PositionRows, with_end_rows
from linkwright.dynamics.impulses.impulse_laws import (
    LEFT,
    ContactLaw,
    DiagonalBlock,
    FrictionLaw,
    ImpulseLaw,
    JacobianBlock,
    LimitLaw,
    PositionLaw,
    ProjectedGaussSeidel,
    ServoLaw,
    Subproblem,
    corrected_gap,
)
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.dynamics.impulses.jacobian_blocks import jacobian_blocks
from linkwright.dynamics.impulses.projected_gauss_seidel import (
    factor_impulses,
    largest_residual,
    solve_from,
    solve_from_zero,
    solve_in_row,
    solve_subproblems,
)
from linkwright.errors import ArgumentError, explained
from linkwright.spatial.arrays import Array, is_one, largest, maximum, minimum, where
from linkwright.spatial.loops.entry_table import by_marks, in_order_of_marks, largest_of, mapped, pass_over
from linkwright.spatial.loops.memory import entries_of, is_memory_row, memory_row, read
from linkwright.spatial.loops.repeats import when

TOLERATED_OVERLAP = 1e-6
"""m or rad: tolerance of the position shift; smaller where the tolerance of the solver, in m/s, is smaller."""

SHIFT_SPEED = 5.0
"""rad/s or m/s: a position shift moves no coordinate by more than this, and the largest speed, times the step. Deep
overlap at the start is corrected in many steps. Constraints that contradict each other, such as a limit and a contact
that pushes a joint beyond it, have no solution, or one far away: their impulses grow with each iteration."""

LIMIT_MARGIN = 1e-2
"""rad or m: coordinates this near to a limit at the end of a step keep it during position shifts"""

TOLERANCE, LONG_STEP = 3e-4, 5e-3
"""m/s, s: tolerance by default, and the step from which it does not grow further"""

Impacts = Literal["simultaneous", "sequential"]


@explained
@dataclass(frozen=True)
class Solver:
    """Options of the contact solver, a projected Gauss–Seidel method: ``Integrator(solver=Solver(…))``.

    Each iteration visits all impulses of contacts, limits and dry friction once, and starts from the impulses of the
    previous step. ``Solver(iterations=4, tolerance=None)`` is fast and sufficient for many legged robots;
    ``Solver(iterations=1000, tolerance=1e-9)`` is for contact forces to many digits.

    Parameters
    ----------
    iterations : int, optional
        Largest number of iterations in each step; without a tolerance their number.
    tolerance : float, "auto" or None, optional
        Largest change of a velocity in m/s at which iterations end. "auto": 3e-4 for steps of 5 ms and longer, and
        with the square of the step for shorter ones, since the same change of a velocity in a shorter step is a larger
        force; in single precision not less than the rounding error of gaps divided by the step. With None the number of
        iterations is fixed.
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

    iterations: int = 30
    tolerance: float | Literal["auto"] | None = "auto"
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
        if isinstance(self.tolerance, str) and self.tolerance != "auto":
            raise ArgumentError(f"tolerance is a velocity in m/s, 'auto' or None; got {self.tolerance!r}")
        if self.tolerance is not None and self.tolerance != "auto":
            not_negative("tolerance", self.tolerance, "m/s")
        not_negative("rest_velocity", self.rest_velocity, "m/s")

    def velocity_tolerance(self, h: Any, gap_error: float = 0.0) -> Any:
        """Return the tolerance in m/s of a step, or None.

        Parameters
        ----------
        h : float
            Step in s.
        gap_error : float, optional
            Rounding error of gaps in m. "auto" is not less than its velocity over a step, by which the solution changes
            from step to step.

        Returns
        -------
        float or None
            Largest change of a velocity at which iterations end; None: their number is fixed.
        """
        if self.tolerance != "auto":
            return self.tolerance
        share = minimum(h / LONG_STEP, 1.0)
        tolerance = TOLERANCE * share * share
        return maximum(tolerance, gap_error / h) if gap_error else tolerance

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
    iterations: Any = 0.0
    """number of iterations"""


class _Compliance(NamedTuple):
    """Softness γ and bias of a contact, see `impulse_laws.py`."""

    softness: Any
    bias: Any


class EndGaps(NamedTuple):
    """Gaps of some contacts at the end of a step."""

    groups: Sequence[int]
    """indices of their groups"""
    rows: EndRows
    """points and normal rows at the end of the step"""
    rotated: Any
    """whether normal rows may differ from those at the beginning"""
    always: bool = False
    """whether nothing is conditional, as reverse differentiation requires"""


class ImpulseProblem:
    """Impulses (m,) of a step without restitution, and the shift that corrects overlap.

    ``v_free`` (nv,) is the velocity without impulses.
    """

    def __init__(
        self,
        factors: InertiaFactors,
        groups: Sequence[ConstraintGroup],
        v_free: Array,
        h: Any,
        solver: Solver,
        gap_error: float = 0.0,
    ):
        """``gap_error``: rounding error of gaps, m."""
        self.factors, self.groups, self._h, self._solver = factors, groups, h, solver
        self._v_free, self._rate = v_free, 1.0 / h
        self._settings = ProjectedGaussSeidel(solver.iterations, solver.velocity_tolerance(h, gap_error))
        self._compliance = self._compliances()
        softness = [[one.softness for one in own] for own in self._compliance]
        self._coordinates = coordinate_rows(groups, factors)
        self.rows = jacobian_blocks(groups, factors, v_free, softness, self._coordinates)
        ends = np.cumsum([0, *(group.size for group in groups)]).tolist()
        self._at = [list(range(*two)) for two in pairwise(ends)]

    @property
    def size(self) -> int:
        """Number of impulses."""
        return sum(group.size for group in self.groups)

    def solve(self, start: Array) -> ImpulseSolution:
        """Return the impulses (m,), with a warm start from those of the previous step, an array or a row in memory."""
        settings, n = self._settings, len(self.factors.roots)
        if is_memory_row(start):
            return ImpulseSolution(*solve_in_row(self._subproblems(), start, self.size, n, settings))
        return ImpulseSolution(*solve_from(self._subproblems(), start, n, settings))

    def work(self, found: ImpulseSolution) -> Any:
        """Return the kinetic energy added by impulses, J: pᵀ r + ½ pᵀ A p."""
        r = np.concatenate([np.zeros(0), *(_of_near(group, rows.r) for group, rows in self._both())])
        return found.p @ r + 0.5 * (found.z @ found.z)

    def _solve(self, subproblems: Sequence[Subproblem], start: ImpulseSolution) -> ImpulseSolution:
        return ImpulseSolution(*solve_subproblems(subproblems, start.p, start.z, self._settings))

    def _in_factor_space(self, subproblems: Sequence[Subproblem], p: Array) -> ImpulseSolution:
        return ImpulseSolution(p, factor_impulses(subproblems, p, len(self.factors.roots)))

    def velocity(self, found: ImpulseSolution) -> Array:
        """Return M̂⁻¹ Jᵀ p (nv,)."""
        return self.factors.from_factor_space(found.z)

    def residual(self, p: Array, z: Array | None) -> Any:
        """Return the largest change of a velocity, m/s or rad/s, by which the law of a constraint is not fulfilled.

        ``z``: Y p; None if ``v_free`` is the velocity with impulses.
        """
        return largest_residual(self._subproblems(), p, z)

    def shift(self, found: ImpulseSolution, ends: EndGaps | None = None) -> Array | None:
        """Return the position shift δ (nv,) that corrects overlap at the end of the step.

        Gaps without ``ends`` are those at the beginning plus h times their rates. This omits ½ h² ω² r of a point at
        radius r: the foot of a fast leg would sink.
        """
        v = self._v_free + self.velocity(found)
        moving = self._moving(found.z, v, () if ends is None else ends.groups)
        if not self._solver.position_limit or not any(one.constraints for one in moving):
            return None
        if ends is not None:
            straight = np.concatenate([moving[k].end for k in ends.groups])
            known = np.stack(ends.rows.after.gaps(straight))
            cuts = np.cumsum([len(moving[k].end) for k in ends.groups])[:-1]
            for k, end in zip(ends.groups, np.split(known, cuts), strict=True):
                moving[k] = moving[k]._replace(end=end)
            if not ends.always:
                self._update_sinking_contacts(ends, moving)
        subproblems, size = [], 0
        for (group, one), laws in zip(zip(self.groups, moving, strict=True), _position_laws(moving), strict=True):
            if laws:
                own = list(range(size, size := size + len(laws)))
                places = tuple([k] for k in range(len(laws)))
                subproblems.append(
                    Subproblem(laws, places, one.Y, np.zeros(len(laws)), list(group.support), own, one.near, one.table)
                )
        tolerance, nil = self._settings.tolerance, 0.0 * found.z
        least = None if tolerance is None else maximum(self._h * tolerance, minimum(tolerance, TOLERATED_OVERLAP))
        settings = ProjectedGaussSeidel(self._solver.position_limit, least, accelerated=tolerance is not None)
        shift = self.factors.from_factor_space(solve_from_zero(subproblems, size, nil, settings))
        most = self._h * (SHIFT_SPEED + largest(v))
        bounded: Array = shift * (most / maximum(largest(shift), most))
        return bounded

    def _moving(self, z: Array, v: Array, followed: Sequence[int]) -> list[PositionRows]:
        """Return the normal rows of each group, and positions after a step with impulses z (nv,) in factor space.

        ``v``: velocity with these impulses.

        ``followed``: groups whose gaps are defined also where they are not near.
        """
        limits = self._limit_rows(v)
        ends = self._straight_gaps(z, frozenset(followed))
        found = []
        for k, (group, rows) in enumerate(self._both()):
            if k in limits:
                found.append(limits[k])
            elif k in ends:
                Y = rows.Y[:, [places[0] for places in group.places]]
                blocks = [_first_block(*both) for both in zip(rows.blocks, rows.normals, strict=True)]
                found.append(PositionRows(group.constraints, blocks, Y, ends[k], group.near, group.between_bodies))
            else:
                found.append(PositionRows((), (), np.zeros((len(group.support), 0)), np.zeros(0), None))
        return found

    def _straight_gaps(self, z: Array, followed: frozenset[int]) -> dict[int, Array]:
        """Return the gaps (k,) of rigid contacts at the end of a step along straight paths, by the index of a group."""
        row = memory_row(z)
        kinds: dict[Any, list[int]] = {}
        for k, group in enumerate(self.groups):
            if isinstance(group.constraints[0], ContactConstraint) and group.constraints[0].pair.stiffness is None:
                kinds.setdefault((len(group.support), group.between_bodies), []).append(k)
        found: dict[int, Array] = {}

        def add(depth: int, own: Sequence[int], marked: bool) -> None:
            def end(numbers: Array) -> list[Any]:
                near, gap = numbers[0], numbers[1]

                def moved() -> Any:
                    r, Y, places = numbers[2], numbers[3 : 3 + depth], numbers[3 + depth :]
                    return gap + self._h * (r + Y @ np.concatenate([read(row, place, 1) for place in places]))

                return [moved() if marked or is_one(near) else when(near > 0.5, moved, gap)]

            contacts = [(k, i) for k in own for i in range(len(self.groups[k].constraints))]
            table = [self._numbers_of_contact(k, i) for k, i in contacts]
            ends = iter(mapped(end, table, 1, [one[0] for one in table] if marked else None))
            found.update({k: np.concatenate([next(ends) for _ in self.groups[k].constraints]) for k in own})

        for (depth, _), own in kinds.items():
            some = [k for k in own if k not in followed and self.groups[k].near is not None]
            if pass_over(len(some)):
                add(depth, in_order_of_marks(some, lambda k: self.groups[k].near), True)
                own = [k for k in own if k not in found]
            if own:
                add(depth, own, False)
        return found

    def _numbers_of_contact(self, k: int, i: int) -> list[Any]:
        """Return proximity, gap, free normal velocity, normal row and coordinates of a contact."""
        group, rows, contact = self.groups[k], self.rows[k], self.groups[k].constraints[i]
        assert isinstance(contact, ContactConstraint)
        near, first = 1.0 if group.near is None else group.near, group.places[i][0]
        return [near, contact.gap, rows.r[first], *entries_of(rows.Y[:, first]), *map(float, group.support)]

    def _limit_rows(self, v: Array) -> dict[int, PositionRows]:
        """Return the rows of limits by the index of a group, also of those that are passed at the end of the step."""
        found: dict[int, PositionRows] = {}
        late: dict[int, Any] = {}
        for k, (group, rows) in enumerate(self._both()):
            (stop, *_) = group.constraints
            if not isinstance(stop, LimitConstraint):
                continue
            end, near = self._h * (group.jacobian() @ v[list(group.support)]), group.near
            if near is not None:
                passed = (end[0] < stop.below + LIMIT_MARGIN) | (end[0] > stop.above - LIMIT_MARGIN)
                late[k] = where(passed, 1.0 - near, 0.0)
                near = maximum(near, late[k])
            found[k] = PositionRows([stop], rows.blocks, rows.Y, end, near)
        if self._coordinates is not None and late:
            self._coordinates.add(late)
            for k in late:
                Y, block = self._coordinates.row(k)
                found[k] = found[k]._replace(Y=Y, blocks=[block])
        return found

    def _update_sinking_contacts(self, ends: EndGaps, moving: list[PositionRows]) -> None:
        """Update sinking contacts that were inactive, or whose bodies rotate far, by their rows at the end of the step.

        The speed of a light limb may grow by large factors in an impact. The limb may then penetrate without an active
        contact, or rotate so far that rows at the beginning of the step do not lift it.
        """
        groups, own = [self.groups[k] for k in ends.groups], [moving[k] for k in ends.groups]
        rotated = where(ends.rotated, 1.0, 0.0)

        def sinks(numbers: Array) -> Any:
            near, end = numbers
            return where(end < -LEFT, maximum(1.0 - near, rotated), 0.0)

        again = largest_of(sinks, [[one.weight, end] for one in own for end in one.end])
        for k, one in zip(ends.groups, with_end_rows(groups, own, ends.rows, self.factors, again), strict=True):
            moving[k] = one

    def _both(self) -> list[tuple[ConstraintGroup, JacobianBlock]]:
        return list(zip(self.groups, self.rows, strict=True))

    def _subproblem(self, k: int, laws: tuple[ImpulseLaw, ...]) -> Subproblem:
        group, rows = self.groups[k], self.rows[k]
        support, table = list(group.support), group.between_bodies
        return Subproblem(laws, tuple(group.places), rows.Y, rows.r, support, self._at[k], group.near, table)

    def _subproblems(self) -> list[Subproblem]:
        return [
            self._subproblem(
                k,
                tuple(
                    self._law(constraint, block, compliance)
                    for (constraint, block, _), compliance in zip(
                        constraints_with_blocks(group, rows), self._compliance[k], strict=True
                    )
                ),
            )
            for k, (group, rows) in enumerate(self._both())
        ]

    def _law(self, constraint: Constraint, block: DiagonalBlock, compliance: _Compliance) -> ImpulseLaw:
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
        return ContactLaw(block, constraint.frictions, compliance.bias, compliance.softness)

    def _compliances(self) -> list[list[_Compliance]]:
        """Return those of all constraints of each group."""
        found = [[_Compliance(0.0, 0.0) for _ in group.constraints] for group in self.groups]
        contacts = [
            (k, i, one)
            for k, group in enumerate(self.groups)
            for i, one in enumerate(group.constraints)
            if isinstance(one, ContactConstraint)
        ]
        bounce = any(has_restitution(one.pair) for *_, one in contacts)  # impacts read the laws of all contacts
        for compliant in (False, True):
            some = [contact for contact in contacts if (contact[2].pair.stiffness is not None) == compliant]
            for own in by_marks(some, lambda contact: self.groups[contact[0]].near):
                rows = [_stiffness_numbers(one) for *_, one in own]
                marks = None if bounce else [1.0 if (near := self.groups[k].near) is None else near for k, *_ in own]
                numbers = mapped(self._soft if compliant else self._rigid, rows, 2 if compliant else 1, marks)
                for (k, i, _), (bias, *softness) in zip(own, numbers, strict=True):
                    found[k][i] = _Compliance(softness[0] if compliant else 0.0, bias)
        return found

    def _rigid(self, numbers: Array) -> list[Any]:
        return [maximum(numbers[0], 0.0) * self._rate]

    def _soft(self, numbers: Array) -> list[Any]:
        """The law of `contact/smooth.py`: a spring alone in the step in which shapes meet, then with its dampers."""
        h, (gap, k, damping, dissipation) = self._h, numbers
        d = damping - dissipation * k * gap
        whole = where(gap > 0.0, 0.0, d) + h * k
        return [k * gap / whole, 1.0 / (h * whole)]


def _stiffness_numbers(contact: ContactConstraint) -> list[Any]:
    """Return the gap and, of a compliant pair, stiffness, damping and dissipation."""
    pair = contact.pair
    return [contact.gap] + ([] if pair.stiffness is None else [pair.stiffness, pair.damping, pair_dissipation(pair)])


def _position_laws(moving: Sequence[PositionRows]) -> list[tuple[ImpulseLaw, ...]]:
    """Return the laws of position shifts, in addition to the displacements of the step."""
    found = []
    for one in moving:
        laws: list[ImpulseLaw] = []
        for constraint, block, end in zip(one.constraints, one.blocks, one.end, strict=True):
            if isinstance(constraint, LimitConstraint):
                below, above = corrected_gap(end - constraint.below), corrected_gap(constraint.above - end)
                laws.append(LimitLaw(block, -below, above))
            else:
                laws.append(PositionLaw(block, end))
        found.append(tuple(laws))
    return found


def _of_near(group: ConstraintGroup, numbers: Array) -> Array:
    """Return numbers of a group; 0 where it is not near: rows of distant contacts in tables are undefined."""
    return numbers if group.near is None else where(group.near > 0.5, numbers, 0.0)


def constraints_with_blocks(
    group: ConstraintGroup, rows: JacobianBlock
) -> Iterator[tuple[Constraint, DiagonalBlock, list[int]]]:
    """Return the constraints of a group, each with its diagonal block and its rows."""
    return zip(group.constraints, rows.blocks, group.places, strict=True)


def _first_block(block: DiagonalBlock, inverse: Any) -> DiagonalBlock:
    """Return the block of the first row; ``inverse``: 1/B."""
    return DiagonalBlock(block.B[:1, :1], inverse, np.zeros(0))
