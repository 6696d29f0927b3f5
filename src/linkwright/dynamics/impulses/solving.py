"""The impulses of one step without restitution: contacts, stops and brakes together, and overlap undone.

0 ≤ p_n ⊥ u_n + max(g, 0)/h ≥ 0, friction of maximum dissipation (Moreau 1988; Stewart & Trinkle 1996; Anitescu & Potra
1997). Impacts with restitution happen before, at the beginning of the step: `collisions.py`.

Overlap is undone by a shift of the configuration beside the velocities, the least by kinetic energy, which leaves
the velocities, and so the kinetic energy, alone: half of what is left of it in each step, and more of what is deep.
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
from linkwright.dynamics.impulses.laws import (
    Block,
    Bound,
    Contact,
    Drive,
    Law,
    Resistance,
    Rows,
    Sweeps,
    Task,
    reciprocal,
)
from linkwright.dynamics.impulses.making import all_rows
from linkwright.dynamics.impulses.rows import Brake, Group, Part, Servo, Stop, Touch
from linkwright.dynamics.impulses.sweeps import carried, swept, velocities
from linkwright.dynamics.impulses.system import TINY, Inertia
from linkwright.errors import ArgumentError, explained
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.spatial.repeats import when

UNSEEN = 1e-6
"""m or rad: so much overlap is left to the next step, where finding its shift better would take a further sweep; less
of a solver whose tolerance is less, in m/s"""

HERE = 1e2
"""m: points that are farther away do not exist"""

ASIDE = 1e-2
"""rad or m: what a step ends that near to its limit keeps it while others are moved apart"""

LEFT = 5e-4
"""m or rad: the most overlap that is left by a step; of less, half"""

Impacts = Literal["simultaneous", "sequential"]


@explained
@dataclass(frozen=True)
class Solver:
    """Options of the contact solver, a projected Gauss–Seidel method: ``Integrator(solver=Solver(…))``.

    Each iteration goes once through all impulses of contacts, limits and dry friction. By default iterations end when
    one changes no velocity by more than 1e-6 m/s. ``Solver(iterations=4, tolerance=None)`` takes four each time, which
    suffices for many robots on their feet: each step starts from the impulses of the step before.
    """

    iterations: int = 50
    """through all impulses in each step, at most; without a tolerance, always"""
    tolerance: float | None = 1e-6
    """m/s: iterations end when one has changed no velocity by more; None: the number of iterations is fixed"""
    position_iterations: int | None = None
    """of the position correction that undoes overlap, at most: with a tolerance until a micrometer is left; None: 100,
    and 10 without a tolerance"""
    rest_velocity: float = 1e-2
    """m/s: what meets more slowly does not bounce"""
    impacts: Impacts = "simultaneous"
    """impacts of a step are "simultaneous" or "sequential": an impact then passes through bodies that touch"""
    impact_iterations: int = 30
    """of sequential impacts in a step, at most"""

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
        """The largest number of position iterations."""
        if self.position_iterations is None:
            return 10 if self.tolerance is None else 100
        return self.position_iterations


class Found(NamedTuple):
    """Impulses, and what they do."""

    p: Array
    """(m,), N s or N m s"""
    z: Array
    """(nv,), what is carried of Jᵀ p"""


class Ends(NamedTuple):
    """The gaps of some contacts where the velocities after a step lead."""

    groups: Sequence[int]
    """the places of theirs among all groups"""
    gaps: Callable[[], Array]
    """(n,) of all their parts, m"""
    asked: Any
    """whether these are looked at; else the ways are taken as straight"""
    normals: Callable[[], list[Array]]
    """(k, s) of each group: the rows along its parts' normals where the velocities lead, in the axes there"""
    told: Callable[[Array], Array]
    """(nv,), a row in these axes, in those at the beginning"""
    turned: Any
    """whether rows may be others there than at the beginning"""
    always: bool = False
    """whether they are computed where they are not looked at, too: derivatives go backwards only so"""

    def known(self, straight: Array) -> Array:
        """The gaps (n,), of those that ways as straight as they begin would lead to."""

        def followed() -> Array:
            return where(straight < HERE, self.gaps(), straight)

        return where(self.asked, followed(), straight) if self.always else when(self.asked, followed, straight)


class _Moving(NamedTuple):
    """What of a group has a place to keep."""

    parts: Sequence[Part]
    blocks: Sequence[Block]
    Y: Array
    """(s, k)"""
    end: Array
    """(k,), the gaps of contacts at the end of the step, and how far coordinates move that stop"""
    near: Any
    """whether any of it may have to be moved; None where it is not asked"""


class Impulses:
    """Impulses (m,) along rows over a step, without restitution, and the shift that undoes overlap.

    ``v_free`` (nv,) is the velocity without them.
    """

    def __init__(self, inertia: Inertia, groups: Sequence[Group], v_free: Array, h: Any, solver: Solver):
        self.inertia, self.groups, self._h, self._solver = inertia, groups, h, solver
        self._v_free, self._rate = v_free, 1.0 / h
        softness = [[self._soft(part)[0] for part in group.parts] for group in groups]
        self.rows = all_rows(groups, inertia, v_free, softness)
        ends = np.cumsum([0, *(group.size for group in groups)]).tolist()
        self._at = [list(range(*two)) for two in pairwise(ends)]

    @property
    def size(self) -> int:
        """How many impulses there are."""
        return sum(group.size for group in self.groups)

    def found(self, start: Array) -> Found:
        """The impulses (m,), from those of the step before."""
        pieces = [
            start[at] if group.near is None else where(group.near, start[at], 0.0)
            for group, at in zip(self.groups, self._at, strict=True)
        ]
        start = np.concatenate([np.zeros(0), *pieces])
        tasks = self._tasks()
        return self._swept(tasks, fitted(tasks, self._sum(tasks, start)))

    def work(self, found: Found) -> Any:
        """The kinetic energy that impulses bring, J: pᵀ r + ½ pᵀ A p."""
        r = np.concatenate([np.zeros(0), *(rows.r for rows in self.rows)])
        return found.p @ r + 0.5 * (found.z @ found.z)

    def _swept(self, tasks: Sequence[Task], start: Found) -> Found:
        return Found(*swept(tasks, start.p, start.z, Sweeps(self._solver.iterations, self._solver.tolerance)))

    def _sum(self, tasks: Sequence[Task], p: Array) -> Found:
        return Found(p, carried(tasks, p, len(self.inertia.roots)))

    def velocity(self, found: Found) -> Array:
        """M̂⁻¹ Jᵀ p (nv,)."""
        return self.inertia.moved(found.z)

    def residual(self, p: Array) -> Any:
        """The most, m/s or rad/s, by which one part's own law would still change one of its velocities."""
        return self._residual(self._tasks(), p)

    def _residual(self, tasks: Sequence[Task], p: Array) -> Any:
        z, most = carried([task._replace(laws=()) for task in tasks], p, len(self.inertia.roots)), 0.0
        for task in tasks:
            u = task.r + task.Y.T @ z[task.support]
            for law, places in zip(task.laws, task.places, strict=True):
                own = p[[task.at[i] for i in places]]
                most = maximum(most, law.moves(law.solve(own, u[places] - law.block.B @ own) - own))
        return most

    def shift(self, found: Found, ends: Ends | None = None) -> Array | None:
        """δ (nv,) by which the configuration is moved besides, as overlap at the end of the step asks for.

        Gaps that ``ends`` does not tell are those at the beginning and h times their rates, which leaves out
        ½ h² ω² r of a point at r from what it turns about: a foot on a leg that swings fast would sink so.
        """
        v = self._v_free + self.velocity(found)
        moving = [self._moving(group, rows, found.z, v) for group, rows in self._both()]
        if not self._solver.position_limit or not any(one.parts for one in moving):
            return None
        if ends is not None:
            straight = np.concatenate([moving[k].end for k in ends.groups])
            known = ends.known(straight)
            cuts = np.cumsum([len(moving[k].end) for k in ends.groups])[:-1]
            for k, end in zip(ends.groups, np.split(known, cuts), strict=True):
                moving[k] = moving[k]._replace(end=end)
            if not ends.always:
                self._look_again(ends, moving)
        tasks, size = [], 0
        for group, one in zip(self.groups, moving, strict=True):
            if one.parts:
                laws = tuple(_shifting(*about) for about in zip(one.parts, one.blocks, one.end, strict=True))
                own = list(range(size, size := size + len(laws)))
                places = tuple([k] for k in range(len(laws)))
                tasks.append(Task(laws, places, one.Y, np.zeros(len(laws)), list(group.support), own, one.near))
        told, nil = self._solver.tolerance, 0.0 * found.z
        least = None if told is None else maximum(self._h * told, min(told, UNSEEN))
        sweeps = Sweeps(self._solver.position_limit, least, leaps=told is not None)
        return self.inertia.moved(swept(tasks, np.stack([nil[0]] * size), nil, sweeps)[1])

    def _moving(self, group: Group, rows: Rows, z: Array, v: Array) -> _Moving:
        """What of a group has a place to keep, by its first row, and where it is after a step at velocities v (nv,)."""
        if isinstance(group.parts[0], Stop) and group.near is not None:
            return self._stopping(group, rows, v)
        chosen = [
            (part, block, places[0])
            for part, block, places in parts_of(group, rows)
            if isinstance(part, Stop) or (isinstance(part, Touch) and part.pair.stiffness is None)
        ]
        first = [row for *_, row in chosen]
        Y = rows.Y[:, first]
        start = [part.gap if isinstance(part, Touch) else 0.0 for part, *_ in chosen]
        end = start + self._h * (rows.r[first] + Y.T @ z[list(group.support)])
        blocks = [_normal(block, self.inertia.least) for _, block, _ in chosen]
        return _Moving([part for part, *_ in chosen], blocks, Y, end, group.near)

    def _stopping(self, group: Group, rows: Rows, v: Array) -> _Moving:
        """A limit, also one that was far and is passed all the same: it is looked at where the velocities lead."""
        (stop,), support, J = group.parts, list(group.support), group.jacobian()
        assert isinstance(stop, Stop)
        end = self._h * (J @ v[support])
        passed = (end[0] < stop.below + ASIDE) | (end[0] > stop.above - ASIDE)
        unseen = where(passed, where(group.near, 0.0, 1.0), 0.0) > 0.5

        def late() -> tuple[Array, Array]:
            Y = self.inertia.carried(J.T, group.support)
            return Y, Y.T @ Y

        Y, B = when(unseen, late, rows.Y, rows.blocks[0].B)
        block = _normal(rows.blocks[0]._replace(B=B), self.inertia.least)
        return _Moving([stop], [block], Y, end, group.near | unseen)

    def _look_again(self, ends: Ends, moving: list[_Moving]) -> None:
        """Contacts that sink along ways that bend much, or that were far, are moved apart by their rows at the end.

        A light limb that is struck gets many times its speed within a step. So it may sink from where nothing is near;
        or it turns so far that its rows at the beginning do not tell any more what lifts it.
        """
        groups, own = [self.groups[k] for k in ends.groups], [moving[k] for k in ends.groups]
        sinks = [where(reduce(minimum, one.end) < -LEFT, 1.0, 0.0) for one in own]
        unseen = [x * where(one.near, 0.0, 1.0) for x, one in zip(sinks, own, strict=True) if one.near is not None]
        again = reduce(maximum, [*unseen, reduce(maximum, sinks) * where(ends.turned, 1.0, 0.0)]) > 0.5

        def row(group: Group, there: Array) -> Array:
            whole: list[Any] = [0.0 * there[0]] * len(self.inertia.roots)
            for k, x in zip(group.support, there, strict=True):
                whole[k] = x
            return ends.told(np.stack(whole))[list(group.support)]

        def late() -> Array:
            found: list[Any] = []
            for group, J in zip(groups, ends.normals(), strict=True):
                Y = self.inertia.carried(np.stack([row(group, there) for there in J]).T, group.support)
                squares = [y @ y for y in Y.T]
                found += [Y.reshape(-1), squares, [reciprocal(x, self.inertia.least) for x in squares]]
            return np.concatenate(found)

        before: list[Any] = []
        for one in own:
            squares, inverses = [block.B[0, 0] for block in one.blocks], [block.inverse for block in one.blocks]
            before += [one.Y.reshape(-1), squares, inverses]
        cuts = np.cumsum([len(x) for x in before])[:-1]
        found = np.split(when(again, late, np.concatenate(before)), cuts)
        for k, one, Y, *about in zip(ends.groups, own, found[::3], found[1::3], found[2::3], strict=True):
            blocks = [Block(np.stack([[x]]), inverse, np.zeros(0)) for x, inverse in zip(*about, strict=True)]
            near = None if one.near is None else one.near | again
            moving[k] = _Moving(one.parts, blocks, Y.reshape(one.Y.shape), one.end, near)

    def _both(self) -> list[tuple[Group, Rows]]:
        return list(zip(self.groups, self.rows, strict=True))

    def _task(self, k: int, laws: tuple[Law, ...]) -> Task:
        group, rows = self.groups[k], self.rows[k]
        return Task(laws, tuple(group.places), rows.Y, rows.r, list(group.support), self._at[k], group.near)

    def _tasks(self) -> list[Task]:
        return [
            self._task(k, tuple(self._law(part, block) for part, block, _ in parts_of(group, rows)))
            for k, (group, rows) in enumerate(self._both())
        ]

    def _law(self, part: Part, block: Block) -> Law:
        h = self._h
        if isinstance(part, Stop):
            return Bound(block, minimum(part.below * self._rate, 0.0), maximum(part.above * self._rate, 0.0))
        if isinstance(part, Brake):
            return Resistance(block, h * part.effort)
        if isinstance(part, Servo):
            return Drive(block, None if part.pull is None else h * part.pull, h * part.slope, h * part.most)
        softness, bias = self._soft(part)
        return Contact(block, part.frictions, bias, softness)

    def _soft(self, part: Part) -> tuple[Any, Any]:
        """The softness γ and the bias of a part."""
        if not isinstance(part, Touch):
            return 0.0, 0.0
        h, k = self._h, part.pair.stiffness
        if k is None:
            return 0.0, maximum(part.gap, 0.0) * self._rate
        # the law of `contact/smooth.py`: a spring alone in the step in which the shapes meet, then with its dampers
        d = part.pair.damping - pair_dissipation(part.pair) * k * part.gap
        whole = where(part.gap > 0.0, 0.0, d) + h * k
        return 1.0 / (h * whole), k * part.gap / whole


def _shifting(part: Part, block: Block, end: Any) -> Law:
    """The law of a shift, beside the way that the part moves in the step."""
    if isinstance(part, Touch):
        return Contact(block, (), _undone(end))
    assert isinstance(part, Stop)
    return Bound(block, -_undone(end - part.below), _undone(part.above - end))


def fitted(tasks: Sequence[Task], found: Found) -> Found:
    """As much of impulses (m,) as does the least work, pᵀr + ½ pᵀAp: of an impact in the step before, nothing."""
    square = found.z @ found.z
    s = clip(-(found.p @ velocities(tasks, len(found.p))) / where(square > TINY, square, 1.0), 0.0, 1.0)
    return Found(s * found.p, s * found.z)


def parts_of(group: Group, rows: Rows) -> Iterator[tuple[Part, Block, list[int]]]:
    """The parts of a group, what they are like, and where their rows are among the group's."""
    return zip(group.parts, rows.blocks, group.places, strict=True)


def _normal(block: Block, least: Any) -> Block:
    """The first row alone."""
    return Block(block.B[:1, :1], reciprocal(block.B[0, 0], least), np.zeros(0))


def _undone(gap: Any) -> Any:
    """How far a gap may shrink; of an overlap, half is to go, and of a deep one all but :data:`LEFT`."""
    return where(gap > 0.0, gap, minimum(0.5 * gap, gap + LEFT))
