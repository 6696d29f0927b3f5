"""Impulses by projected Gauss–Seidel: sweeps through the laws of all parts (`laws.py`), again and again.

Of few rows A is made as a whole; of many z = Y p is carried along. In machine code parts that are alike are loops
(`alike.py`). Sweeps begin where the two before point to: Anderson's mixing of depth one (Walker & Ni 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.alike import Looped, in_families, is_worth_it
from linkwright.dynamics.impulses.laws import LEAP, NOTHING, SURE, Sweeps, Task
from linkwright.spatial.arrays import Array, clip, is_symbolic, maximum, mirror, where
from linkwright.spatial.repeats import repeat, until, when

UNROLLED = 120
"""Parts times sweeps up to which they are written out; more are a loop of the machine code."""


def swept(tasks: Sequence[Task], p: Array, z: Array, sweeps: Sweeps) -> tuple[Array, Array]:
    """The impulses (m,) after some sweeps from those before, and z (nv,) = Y p of them, from that of those before.

    Of few rows A is made as a whole; of many z is carried along.
    """
    if not tasks or not sweeps.times:
        return p, z
    if _looped(tasks):
        return Looped.of(tasks, len(p), len(z)).swept(p, z, sweeps)
    if is_worth_it(tasks):  # numbers, in the order of the loops
        tasks = list({id(one.task): one.task for some in in_families(tasks) for one in some}.values())
    if _whole_is_cheaper(tasks, sweeps.times):
        A, r = _whole(tasks, len(p)), velocities(tasks, len(p))
        p = _repeated(partial(_once_by_whole, tasks, A, r), tasks, sweeps, p, np.zeros(0))[0]
        return p, carried(tasks, p, len(z))
    once = partial(_once, tasks, sweeps.tolerance is not None)
    return _repeated(once, tasks, sweeps, p, z)


def _looped(tasks: Sequence[Task]) -> bool:
    """Whether sweeps are loops over parts: of symbols, where there are enough, and A is not made as a whole."""
    return is_symbolic(*(task.Y for task in tasks)) and is_worth_it(tasks)


Sweep = Callable[[Array, Array], tuple[Array, Array, Any]]
"""(p, z) -> (p, z, by how much a velocity changed, m/s)"""


class _Trail(NamedTuple):
    """Where the last sweep led, and from where the next one begins."""

    start: tuple[Array, Array]
    """(p, z) of the next sweep"""
    leapt: Any
    """1 where that is beyond the end of the last one, −1 where a leap was taken back, else 0"""
    end: tuple[Array, Array]
    """(p, z) of the last"""
    step: Array
    """(m,), what it changed of p"""
    square: Any
    """of the step, by B_kk: an energy"""

    @property
    def found(self) -> tuple[Array, Array]:
        """(p, z), by a sweep: of a leap that was taken back, before it."""
        p, z = (where(self.leapt < -0.5, *two) for two in zip(self.start, self.end, strict=True))
        return p, z


def _repeated(once: Sweep, tasks: Sequence[Task], sweeps: Sweeps, p: Array, z: Array) -> tuple[Array, Array]:
    """With leaps: Anderson's mixing of depth one (Walker & Ni 2011)."""
    weights, nil = _weights(tasks, len(p)), 0.0 * p[0]

    def step(*state: Any) -> tuple[Any, ...]:
        """The trail, or (p, z) alone, with by how much a velocity changed in the end."""
        if not sweeps.leaps:
            return once(*state[:-1])
        *end, moved = once(*state[0])
        trail, beyond = _continued(_Trail(*state[:-1]), (end[0], end[1]), weights)
        return (*trail, SURE * moved * (1.0 + abs(beyond)))  # what is still to come of changes at this rate

    state: tuple[Any, ...] = (p, z)
    if sweeps.leaps:
        state = tuple(_Trail((p, z), nil, (p, z), 0.0 * p, nil))
    if (least := sweeps.tolerance) is not None:

        def settled(*state: Any) -> Any:
            return state[-1] < least

        state = until(settled, lambda k, *state: step(*state), *state, 2.0 * least + nil, limit=sweeps.times)[:-1]
    elif sum(len(task.laws) for task in tasks) * sweeps.times <= UNROLLED:
        state = (*state, nil)
        for _ in range(sweeps.times):
            state = step(*state)
    else:
        state = (*repeat(sweeps.times, lambda k, *state: step(*state, nil)[:-1], *state), nil)
    return state[:2] if not sweeps.leaps else _Trail(*state[:-1]).found


def _continued(trail: _Trail, end: tuple[Array, Array], weights: Array) -> tuple[_Trail, Any]:
    """After a sweep: the next begins where the last change of its steps, taken as linear, leaves the least step.

    Also told is how far that is beyond the end, of the way between the last two ends.
    Where the step has grown instead of shrinking there is no leap, and one that led there is taken back.
    """
    step = end[0] - trail.start[0]
    bend = step - trail.step
    square, turned, bent = weights @ (step * step), weights @ (bend * bend), weights @ (step * bend)
    grown, some = ~(square < trail.square), turned > NOTHING
    least = where(some, clip(bent / where(some, turned, 1.0), -LEAP, LEAP), 0.0)
    failed = where(grown, trail.leapt, 0.0) > 0.5
    back = where(failed, 1.0, where(grown, 0.0, least))
    start = tuple(x - back * (x - before) for x, before in zip(end, trail.end, strict=True))
    leapt = where(failed, -1.0, where(grown, 0.0, 1.0))
    return _Trail((start[0], start[1]), leapt, end, step, square), back


def _weights(tasks: Sequence[Task], size: int) -> Array:
    """B_kk (m,) of all rows."""
    found: list[Any] = [0.0] * size
    for task in tasks:
        for law, places in zip(task.laws, task.places, strict=True):
            for i, k in enumerate(places):
                found[task.at[k]] = law.block.B[i, i]
    return np.stack(found)


def _whole_is_cheaper(tasks: Sequence[Task], sweeps: int) -> bool:
    """Whether products are fewer with all of A."""
    if any(task.near is not None for task in tasks):
        return False
    sizes = [len(task.at) for task in tasks]
    m, own = sum(sizes), sum(len(rows) ** 2 for task in tasks for rows in task.places)
    common = [
        n * k * len(set(one.support) & set(other.support))
        for i, (one, n) in enumerate(zip(tasks, sizes, strict=True))
        for other, k in zip(tasks[:i], sizes, strict=False)
    ]
    by_factors = sum(2 * len(task.support) * n for task, n in zip(tasks, sizes, strict=True))
    return sum(common) + sweeps * (m * m - own) < sweeps * (by_factors + own)


def _whole(tasks: Sequence[Task], size: int) -> Array:
    """A (m, m)."""
    A = np.zeros((size, size), dtype=object)
    for task in tasks:
        for other in tasks:
            common = [k for k in task.support if k in other.support]
            if common:
                one, two = (x.Y[[x.support.index(k) for k in common]] for x in (task, other))
                A[np.ix_(task.at, other.at)] = one.T @ two
    return mirror(A) if is_symbolic(*(task.Y for task in tasks)) else A.astype(float)


def _once_by_whole(tasks: Sequence[Task], A: Array, r: Array, p: Array, z: Array) -> tuple[Array, Array, Any]:
    moved: Any = 0.0
    now = list(p)
    for task in tasks:
        for law, places in zip(task.laws, task.places, strict=True):
            rows = [task.at[k] for k in places]
            others = [*range(rows[-1] + 1, len(now)), *range(rows[0])]  # what was found last is added last
            c = r[rows] + (A[np.ix_(rows, others)] @ np.stack([now[k] for k in others]) if others else 0.0)
            before = np.stack([now[k] for k in rows])
            after = law.solve(before, c)
            moved = maximum(moved, law.moves(after - before))
            for k, x in zip(rows, after, strict=True):
                now[k] = x
    return np.stack(now), z, moved


def _once(tasks: Sequence[Task], asked: bool, p: Array, z: Array) -> tuple[Array, Array, Any]:
    """``asked``: whether it is told by how much a velocity changed."""
    moved: Any = 0.0
    now, there = list(p), list(z)
    for task in tasks:
        own, held = np.stack([now[k] for k in task.at]), np.stack([there[k] for k in task.support])
        compute = _solving(task, own, held, asked)
        otherwise = (own, held, 0.0 * own[0]) if asked else (own, held)
        own, held, *most = compute() if task.near is None else when(task.near, compute, *otherwise)
        if asked:
            moved = maximum(moved, most[0])
        for places, values, target in ((task.at, own, now), (task.support, held, there)):
            for k, x in zip(places, values, strict=True):
                target[k] = x
    return np.stack(now), np.stack(there), moved


def _solving(task: Task, own: Array, held: Array, asked: bool) -> Callable[[], tuple[Any, ...]]:
    """What goes through the parts of a group once: its impulses (k,), and its share of z (s,)."""

    def solved() -> tuple[Any, ...]:
        p, z = own, held
        moved: Any = 0.0
        for law, rows in zip(task.laws, task.places, strict=True):
            Y, before = task.Y[:, rows], p[rows]
            after = law.solve(before, task.r[rows] + Y.T @ z - law.block.B @ before)
            z = z + Y @ (after - before)
            p = np.stack([after[rows.index(k)] if k in rows else p[k] for k in range(len(p))])
            if asked:
                moved = maximum(moved, law.moves(after - before))
        return (p, z, moved) if asked else (p, z)

    return solved


def carried(tasks: Sequence[Task], p: Array, size: int) -> Array:
    """z = Y p (size,)."""
    if _looped(tasks):
        return Looped.of(tasks, len(p), size).carried(p)
    z: list[Any] = [0.0] * size
    for task in tasks:
        held = np.stack([z[k] for k in task.support]) if task.support else np.zeros(0)
        compute = partial(_added, held, task.Y, p[task.at])
        held = compute() if task.near is None else when(task.near, compute, held)
        for k, x in zip(task.support, held, strict=True):
            z[k] = x
    return np.stack(z) if size else np.zeros(0)


def _added(z: Array, Y: Array, p: Array) -> Array:
    return z + Y @ p


def velocities(tasks: Sequence[Task], size: int) -> Array:
    """r (m,) of all rows; zeros of those that are not among the tasks."""
    r: list[Any] = [0.0] * size
    for task in tasks:
        for k, x in zip(task.at, task.r, strict=True):
            r[k] = x
    return np.stack(r) if r else np.zeros(0)
