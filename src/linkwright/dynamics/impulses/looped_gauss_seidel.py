"""Projected Gauss–Seidel as loops over constraints of the same kind, for machine code.

Unrolled, one iteration over the contacts of a humanoid is 100 kB of code, and its time is that of fetching the code,
about 15 bytes a cycle. Here constraints with the same impulse law and the same number of coordinates form a *family*.
A table holds the numbers of their impulse laws and rows. The impulses p and z = Y p lie in one row of memory; a second
table holds the indices in it that each constraint reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from linkwright.dynamics.impulses.constraint_families import ConstraintFamily, constraint_families
from linkwright.dynamics.impulses.impulse_laws import (
    LARGEST_EXTRAPOLATION,
    SAFETY,
    TINY_SQUARE,
    ImpulseLaw,
    ProjectedGaussSeidel,
    Subproblem,
)
from linkwright.dynamics.impulses.inertia_factors import TINY
from linkwright.spatial.arrays import Array, clip, maximum, where
from linkwright.spatial.loops.repeats import repeat, symbol_among, until, when

STRIDE = 4
"""Number of entries processed together in loops over all impulses"""


@dataclass(frozen=True, eq=False)
class LoopedGaussSeidel:
    """Projected Gauss–Seidel over families; ``size``: of p, ``coordinates``: of z."""

    graph: Any
    families: Sequence[ConstraintFamily]
    size: int
    coordinates: int

    @classmethod
    def of(cls, subproblems: Sequence[Subproblem], size: int, coordinates: int) -> LoopedGaussSeidel:
        """Return the iteration of subproblems with symbols."""
        symbol = symbol_among([x for subproblem in subproblems for x in (subproblem.Y, subproblem.r)])
        graph, first = symbol.graph, _padded(size)
        return cls(
            graph,
            [ConstraintFamily(graph, some, first) for some in constraint_families(subproblems)],
            size,
            coordinates,
        )

    @cached_property
    def first(self) -> int:
        """Index of z in a row of p and z."""
        return _padded(self.size)

    @cached_property
    def whole(self) -> int:
        """Length of a row of p and z."""
        return _padded(self.size) + _padded(self.coordinates)

    def row(self, p: Array, z: Array) -> Any:
        """Return the row of p and z."""
        pieces = [*p, *[0.0] * (self.first - len(p)), *z]
        return self.graph.row([*pieces, *[0.0] * (self.whole - len(pieces))], True)

    def split(self, x: Any) -> tuple[Array, Array]:
        """Return (p, z) of the row."""
        p = [self.graph.entry(x, float(k)) for k in range(self.size)]
        return self.graph.array(p), self._factor_space(x)

    def _factor_space(self, x: Any) -> Array:
        """Return z of the row."""
        return self.graph.array([self.graph.entry(x, float(self.first + k)) for k in range(self.coordinates)])

    def _each_active(self, visit: Callable[..., tuple[Any, ...]], *state: Any, on: Any = None) -> tuple[Any, ...]:
        """Return the state after ``visit(family, k, acts, *state)`` for each constraint that is near, in turn.

        ``on``: rows that continue, or None. A visit writes into a row of memory where ``acts``.
        """
        for family in self.families:

            def one(k: Any, *state: Any, family: ConstraintFamily = family) -> tuple[Any, ...]:
                near = family.near(k)
                acts = on if near is None else near if on is None else near & on

                def visited() -> tuple[Any, ...]:
                    return visit(family, k, acts, *state)

                return visited() if acts is None else when(acts, visited, *state)

            state = family.each_near(one, *state, on=on)
        return state

    def _each_coordinate(self, visit: Callable[..., tuple[Any, ...]], *state: Any) -> tuple[Any, ...]:
        """Return the state after ``visit(indices, *state)`` for blocks of :data:`STRIDE` entries of z."""

        def block(k: Any, *state: Any) -> tuple[Any, ...]:
            return visit([k * STRIDE + float(self.first + i) for i in range(STRIDE)], *state)

        found: tuple[Any, ...] = repeat((self.whole - self.first) // STRIDE, block, *state)
        return found

    def factor_impulses(self, p: Array) -> Array:
        """Return z = Y p."""
        self._find_near()
        return self._factor_space(self._with_factor_impulses(self.row(p, np.zeros(self.coordinates)), 0.0 * p[0])[0])

    def _near_alone(self, x: Any, nil: Any, flagged: bool) -> Any:
        """Return the row with zero impulses of constraints that are not near; ``flagged``: whether flags follow z."""
        flags = self.whole
        for family in self.families:
            if family.has_near:

                def cleared(
                    k: Any, left: Any, x: Any, unused: Any, family: ConstraintFamily = family
                ) -> tuple[Any, Any]:
                    def zeros() -> tuple[Any, Any]:
                        row = x
                        for i in family.places(k)[0]:
                            row = self.graph.put(row, i, where(left, 0.0, self.graph.entry(row, i)))
                        return row, unused

                    return when(left, zeros, x, unused)  # type: ignore[no-any-return]

                x, _ = family.each_left(cleared, flags if flagged else None, x, nil)
                flags += family.flags
        return x

    def _with_factor_impulses(self, x: Any, nil: Any) -> tuple[Any, Any]:
        """Return the row with z = Y p, and pᵀ r."""

        def visit(family: ConstraintFamily, k: Any, acts: Any, x: Any, work: Any) -> tuple[Any, Any]:
            at, support = family.places(k)
            own = np.stack([self.graph.entry(x, i) for i in at])

            def added() -> tuple[Any, Any]:
                row, held = x, np.stack([self.graph.entry(x, j) for j in support])
                for j, now, old in zip(support, held + own @ family.rows(k), held, strict=True):
                    row = self.graph.put(row, j, _where(acts, now, old))
                return row, work + own @ family.free(k)

            return added() if acts is None else when(acts & (abs(own[0]) > 0.0), added, x, work)

        found: tuple[Any, Any] = self._each_active(visit, x, nil)  # type: ignore[assignment]
        return found

    def solve_from(self, p: Array, settings: ProjectedGaussSeidel) -> tuple[Array, Array, Any]:
        """See :func:`linkwright.dynamics.impulses.projected_gauss_seidel.solve_from`."""
        x, count = self._solved_from(self.row(p, np.zeros(self.coordinates)), 0.0 * p[0], settings)
        return *self.split(x), count

    def solve_in_row(self, x: Any, settings: ProjectedGaussSeidel) -> tuple[Any, Array, Any]:
        """Return the row after the iterations, z, and their number, from a row of the warm start."""
        nil = self.graph.zero
        x, count = self._solved_from(self._each_coordinate(self._cleared, x, nil)[0], nil, settings, True)
        return x, self._factor_space(x), count

    def solve_from_zero(self, nil: Any, settings: ProjectedGaussSeidel) -> Array:
        """Return z after the iterations from p = 0, without any where r = 0 and p = 0 is the solution."""
        graph = self.graph

        def zeros(places: list[Any], most: Any, *rows: Any) -> tuple[Any, ...]:
            for i in places:
                rows = tuple(graph.put(row, i, 0.0) for row in rows)
            return most, *rows

        def visit(family: ConstraintFamily, k: Any, acts: Any, most: Any, *rows: Any) -> tuple[Any, ...]:
            law, zero = family.law_of(k), np.zeros(family.size)
            moved = law.moves(law.solve(zero, zero))
            most = maximum(most, moved if acts is None else where(acts, moved, 0.0))
            return zeros(family.places(k)[0], most, *rows)

        self._find_near()
        rooms = [graph.room(self.whole) for _ in range(3 if settings.accelerated else 1)]
        most, x, *mixing = self._each_coordinate(zeros, *self._each_active(visit, nil, *rooms))
        return self._factor_space(self._solve(x, mixing, nil, settings, most)[0])

    def _find_near(self, x: Any = None) -> None:
        for family in self.families:
            family.find_near(x)

    def _cleared(self, places: list[Any], x: Any, unused: Any) -> tuple[Any, Any]:
        """Return the row with zeros at these places."""
        for i in places:
            x = self.graph.put(x, i, 0.0)
        return x, unused

    def _solved_from(self, x: Any, nil: Any, settings: ProjectedGaussSeidel, flagged: bool = False) -> tuple[Any, Any]:
        """Return the row after the iterations from a warm start p, with z = 0, and their number."""
        graph = self.graph
        self._find_near(x)
        x, work = self._with_factor_impulses(self._near_alone(x, nil, flagged), nil)
        s = warm_start_factor(work, self._factor_space(x))

        def scaled(places: list[Any], x: Any, before: Any, step: Any, acts: Any = None) -> tuple[Any, ...]:
            for i in places:
                old = graph.entry(x, i)
                now = _where(acts, s * old, old)
                x, before, step = graph.put(x, i, now), graph.put(before, i, now), graph.put(step, i, 0.0)
            return x, before, step

        def visit(family: ConstraintFamily, k: Any, acts: Any, x: Any, before: Any, step: Any) -> tuple[Any, ...]:
            return scaled(family.places(k)[0], x, before, step, acts)

        rooms = [graph.room(self.whole) for _ in range(2)]
        x, *mixing = self._each_coordinate(scaled, *self._each_active(visit, x, *rooms))
        return self._solve(x, mixing, nil, settings)

    def iterate(self, x: Any, on: Any, measure: bool, nil: Any) -> tuple[Any, Any]:
        """Return the row of p and z, and the largest change of a velocity; ``on``: rows that continue, or None."""

        def visit(family: ConstraintFamily, k: Any, acts: Any, x: Any, most: Any) -> tuple[Any, Any]:
            at, support = family.places(k)
            own = np.stack([self.graph.entry(x, i) for i in at])
            first = self._first_velocity(family, k, x, support)

            def solved(acts: Any) -> tuple[Any, Any]:
                law, after = self._solved(family, k, x, own, support, first, measure)
                row = self._changed(family, k, x, support, after - own, acts)
                for i, now, old in zip(at, after, own, strict=True):
                    row = self.graph.put(row, i, _where(acts, now, old))
                return row, maximum(most, law.moves(after - own)) if measure else most

            used = abs(own[0]) > 0.0
            return self._visit_active(family, k, acts, first, used, solved, x, most)  # type: ignore[return-value]

        found: tuple[Any, Any] = self._each_active(visit, x, nil, on=on)  # type: ignore[assignment]
        return found

    @staticmethod
    def _visit_active(
        family: ConstraintFamily,
        k: Any,
        acts: Any,
        first: Any,
        used: Any,
        solved: Callable[..., tuple[Any, ...]],
        *state: Any,
    ) -> tuple[Any, ...]:
        """Return ``solved(acts)``, but the state where constraint k has no impulse and gets none.

        Most contacts that are near are inactive; for these the velocity of their first row suffices. ``first``: this
        velocity; ``used``: whether the constraint has an impulse, or had one.
        """
        stays = family.law_of(k).keeps_zero(first)
        if acts is None or stays is None:
            return solved(acts)
        active = acts & (used | ~stays)
        return when(active, lambda: solved(active), *state)  # type: ignore[no-any-return]

    def _first_velocity(self, family: ConstraintFamily, k: Any, x: Any, support: list[Any]) -> Any:
        """Return the velocity of the first row of constraint k."""
        halves: list[Any] = [family.free(k)[0], 0.0]  # two sums are independent
        for j, place in enumerate(support):
            halves[j % 2] = halves[j % 2] + family.row(k, 0, j) * self.graph.entry(x, place)
        return halves[0] + halves[1]

    def _solved(
        self, family: ConstraintFamily, k: Any, x: Any, own: Array, support: list[Any], first: Any, conditional: bool
    ) -> tuple[ImpulseLaw, Array]:
        """Solve for constraint k from its impulses ``own``; ``first``: the velocity of its first row.

        Numbers are read where they are needed, in their order.
        """
        halves: list[Any] = [list(family.free(k)[1:]), [0.0] * (family.size - 1)]  # two sums are independent
        for j, place in enumerate(support):
            z = self.graph.entry(x, place, 1)
            halves[j % 2] = [y + family.row(k, i, j) * z for i, y in enumerate(halves[j % 2], 1)]
        law = family.law_of(k)
        u = np.stack([first, *(a + b for a, b in zip(*halves, strict=True))])
        return law, law.solve(own, u - law.block.B @ own, conditional)

    def _changed(self, family: ConstraintFamily, k: Any, x: Any, support: list[Any], change: Array, acts: Any) -> Any:
        """Return the row with z after a change of the impulses of constraint k."""
        for j, place in enumerate(support):
            z = old = self.graph.entry(x, place)
            for i, y in enumerate(change):
                z = z + family.row(k, i, j, 1) * y
            x = self.graph.put(x, place, _where(acts, z, old))
        return x

    def residual(self, p: Array, z: Array | None) -> Any:
        """See :func:`linkwright.dynamics.impulses.projected_gauss_seidel.largest_residual`."""
        self._find_near()
        x, nil = self.row(p, np.zeros(0) if z is None else z), 0.0 * p[0]

        def visit(family: ConstraintFamily, k: Any, acts: Any, most: Any, unused: Any) -> tuple[Any, Any]:
            at, support = family.places(k)
            law, own, u = family.law_of(k), np.stack([self.graph.entry(x, i) for i in at]), family.free(k)
            if z is not None:
                u = u + family.rows(k) @ np.stack([self.graph.entry(x, j) for j in support])
            return maximum(most, law.moves(law.solve(own, u - law.block.B @ own) - own)), unused

        return self._each_active(visit, nil, nil)[0]

    def solve_subproblems(self, p: Array, z: Array, settings: ProjectedGaussSeidel) -> tuple[Array, Array, Any]:
        """See :func:`linkwright.dynamics.impulses.projected_gauss_seidel.solve_subproblems`."""
        self._find_near()
        mixing = [self.row(p, z), self.row(0.0 * p, 0.0 * z)]
        x, count = self._solve(self.row(p, z), mixing, 0.0 * p[0], settings)
        return *self.split(x), count

    def _solve(
        self, x: Any, mixing: Sequence[Any], nil: Any, settings: ProjectedGaussSeidel, moved: Any = None
    ) -> tuple[Any, Any]:
        """Return the row of p and z after the iterations from such a row, and their number.

        ``mixing``: the same row once more, and zeros; ``moved``: the change of a velocity by the first iteration, if it
        is known. There are no iterations where it is 0.
        """
        least = settings.tolerance
        more = (*mixing, nil, nil, nil) if settings.accelerated else ()

        def step(k: Any, x: Any, *state: Any) -> tuple[Any, ...]:
            *mixing, left = state
            on = None if least is None else left >= least
            if settings.accelerated:
                return self._accelerated(x, *mixing, on=on, measure=least is not None)
            return self.iterate(x, on, least is not None, nil)

        if least is None:
            found = (*repeat(settings.iterations, step, x, *more, nil), float(settings.iterations))
        else:
            if moved is None:
                moved = reduce(maximum, (family.largest_near() for family in self.families))
            first = where(moved > 0.0, 2.0 * least, 0.0) + nil
            found = until(lambda *state: state[-1] < least, step, x, *more, first, limit=settings.iterations)
        if not settings.accelerated:
            return found[0], found[-1]
        return self._accepted(found[0], found[1], found[3], nil, least is None), found[-1]

    def _accepted(self, x: Any, before: Any, extrapolated: Any, nil: Any, always: bool) -> Any:
        """Return the row of the result: that before an extrapolation that was rejected, else the end.

        ``always``: whether nothing is conditional, as reverse differentiation requires.
        """
        graph, rejected = self.graph, extrapolated < -0.5

        def visit(family: ConstraintFamily, k: Any, acts: Any, x: Any, unused: Any) -> tuple[Any, Any]:
            return chosen(family.places(k)[0], x, unused, acts)

        def chosen(places: list[Any], x: Any, unused: Any, acts: Any = rejected) -> tuple[Any, Any]:
            for i in places:
                x = graph.put(x, i, where(acts, graph.entry(before, i), graph.entry(x, i)))
            return x, unused

        def back() -> tuple[Any, Any]:
            return self._each_coordinate(chosen, *self._each_active(visit, x, nil, on=rejected))  # type: ignore[return-value]

        return (back() if always else when(rejected, back, x, nil))[0]

    def _accelerated(
        self, x: Any, before: Any, step: Any, extrapolated: Any, square: Any, back: Any, *, on: Any, measure: bool
    ) -> tuple[Any, ...]:
        """Extrapolate and iterate, with rows in memory, as `projected_gauss_seidel.py` does with arrays.

        ``x``, ``before``: the ends of the last two iterations; ``step``: the change of p in the last one; ``back``: the
        extrapolation. Rows that do not continue stay unchanged. Impulses are extrapolated where they are visited.
        """
        graph, nil = self.graph, 0.0 * square

        def start(at: list[Any], x: Any, before: Any) -> tuple[Any, Any]:
            for i in at:
                a, b = graph.entry(x, i), graph.entry(before, i)
                x = graph.put(x, i, _where(on, a - back * (a - b), a))
                before = graph.put(before, i, _where(on, a, b))
            return x, before

        def visit(family: ConstraintFamily, k: Any, acts: Any, x: Any, before: Any, step: Any, *sums: Any) -> Any:
            at, support = family.places(k)
            ends = [(graph.entry(x, i), graph.entry(before, i)) for i in at]
            own = np.stack([a - back * (a - b) for a, b in ends])
            first = self._first_velocity(family, k, x, support)
            used = abs(ends[0][0]) + abs(ends[0][1]) + abs(graph.entry(step, at[0])) > 0.0

            def solved(acts: Any) -> tuple[Any, ...]:
                law, after = self._solved(family, k, x, own, support, first, measure)
                change = after - own
                rows = self._changed(family, k, x, support, change, acts), before, step
                most, square, bent, turned = sums
                for i, place in enumerate(at):
                    a, b = ends[i]
                    old, B = graph.entry(step, place), law.block.B[i, i]
                    entries = (after[i], a), (a, b), (change[i], old)
                    rows = tuple(
                        graph.put(row, place, _where(acts, *two)) for row, two in zip(rows, entries, strict=True)
                    )
                    bend, heavy = change[i] - old, B * change[i]
                    square, bent, turned = square + heavy * change[i], bent + heavy * bend, turned + B * bend * bend
                return *rows, maximum(most, law.moves(change)) if measure else most, square, bent, turned

            return self._visit_active(family, k, acts, first, used, solved, x, before, step, *sums)

        x, before = self._each_coordinate(start, x, before)
        found = self._each_active(visit, x, before, step, nil, nil, nil, nil, on=on)
        x, before, step, moved, now, bent, turned = found
        grown, some = ~(now < square), turned > TINY_SQUARE
        least = where(some, clip(bent / where(some, turned, 1.0), -LARGEST_EXTRAPOLATION, LARGEST_EXTRAPOLATION), 0.0)
        failed = where(grown, extrapolated, 0.0) > 0.5
        back = where(failed, 1.0, where(grown, 0.0, least))
        extrapolated = where(failed, -1.0, where(grown, 0.0, 1.0))
        return x, before, step, extrapolated, now, back, SAFETY * moved * (1.0 + abs(back))


def warm_start_factor(work: Any, z: Array) -> Any:
    """Return the factor in [0, 1] of a warm start with the least work, pᵀr + ½ pᵀAp; ``work``: pᵀr, ``z``: Y p."""
    square = z @ z
    return clip(-work / where(square > TINY, square, 1.0), 0.0, 1.0)


def impulse_row_size(size: int, coordinates: int) -> int:
    """Return the length of a row of p (size,) and z (coordinates,), with padding of both, and flags of blocks of p.

    Flags are at most 9/64 of the impulses: families with flags have at least 64 constraints.
    """
    return _padded(size) + _padded(coordinates) + size // 6


def _padded(size: int) -> int:
    return -(-size // STRIDE) * STRIDE


def _where(acts: Any, now: Any, old: Any) -> Any:
    """Return the entry of a row in memory after a visit."""
    return now if acts is None else where(acts, now, old)
