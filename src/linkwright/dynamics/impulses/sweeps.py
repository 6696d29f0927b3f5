"""Impulses by projected Gauss–Seidel, part by part (Moreau 1988; Jean 1999): the fixed points are the exact laws.

A contact k with rows (n, t1, t2, …), B = A_kk its block and c = u_k − B p_k what its velocities are without it:

    p_n = max(0, p_n − (c_n + B_n p + bias + γ p_n) / s)    s = B_nn + γ, or more where friction changes u_n by more
    p_f = Π(p_f − (c + B p)_f / λ)      λ the largest eigenvalue of B_ff,  Π scaling onto |p_f| ≤ μ p_n

in turn, twice. One λ for both tangents: with B₁₁ and B₂₂ apart the projection has other fixed points. bias is what the
normal velocity may be more than: −g/h of a gap g > 0, which is then closed at the end of the step at the earliest. A
compliant contact of stiffness k and damping d is a soft row: γ = 1/(h (d + h k)), bias = h k/(d + h k) · g/h (Catto
2011), which is the implicit spring and damper exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.rows import Friction, Group, Part, Touch
from linkwright.dynamics.impulses.system import Inertia
from linkwright.spatial.arrays import Array, clip, inverse_root, is_symbolic, maximum, mirror, where
from linkwright.spatial.repeats import repeat, until, when

UNROLLED = 120
"""Parts times sweeps up to which they are written out; more are a loop of the machine code."""

NOTHING = 1e-200
"""beside a square: so little that no sum tells, and roots have derivatives where all is nothing"""

LEAP = 30.0
"""The most, of the difference of two sweeps, by which the next begins beyond them"""

SURE = 8.0
"""Times what one part's velocity is still to change by, for those of others add to it"""

STEADY = 0.6
"""A share above one half: so much of the most by which a normal velocity changes with its impulse and friction's."""


class Sweeps(NamedTuple):
    """How often all impulses are gone through."""

    times: int
    """with a tolerance, at most"""
    tolerance: Any
    """m/s: no more sweeps once none has changed a velocity by more; None: all"""
    leaps: bool = True
    """whether each begins where the two before point to, rather than where the last ended"""


class Block(NamedTuple):
    """The rows of one part by themselves."""

    B: Array
    """(k, k) of A"""
    inverse: Any
    """1/s of its first row"""
    steps: Array
    """1/λ of each of its frictions"""


class Rows(NamedTuple):
    """The rows of a group as they stand in the system."""

    Y: Array
    """(s, k)"""
    r: Array
    """J v_free (k,)"""
    before: Array
    """J v (k,), at the beginning of the step"""
    blocks: tuple[Block, ...]
    """of its parts"""


def rows_of(group: Group, inertia: Inertia, v_free: Array, v: Array, softness: Sequence[Any]) -> Rows:
    """The rows of a group, made only where it is near; ``softness``: γ of each part."""
    places = list(group.support)

    def made() -> Rows:
        J = group.jacobian()
        Y = inertia.carried(J.T, group.support)
        blocks = []
        for part, at, soft in zip(group.parts, group.places, softness, strict=True):
            own = Y[:, at]
            blocks.append(_block(part, own.T @ own, soft, inertia.least))
        return Rows(Y, J @ v_free[places], J @ v[places], tuple(blocks))

    if group.near is None:
        return made()
    zeros = Rows(
        np.zeros((len(places), group.size)),
        np.zeros(group.size),
        np.zeros(group.size),
        tuple(
            Block(np.zeros((part.size, part.size)), 0.0, np.zeros(len(getattr(part, "frictions", ()))))
            for part in group.parts
        ),
    )
    return _rebuilt(when(group.near, lambda: _plain(made()), *_plain(zeros)))


def _plain(rows: Rows) -> tuple[Any, ...]:
    return (rows.Y, rows.r, rows.before, tuple(tuple(block) for block in rows.blocks))


def _rebuilt(found: tuple[Any, ...]) -> Rows:
    Y, r, before, blocks = found
    return Rows(Y, r, before, tuple(Block(*block) for block in blocks))


def _block(part: Part, B: Array, softness: Any, least: Any) -> Block:
    own = B[0, 0] + softness
    if not isinstance(part, Touch) or not part.frictions:
        return Block(B, reciprocal(own, least), np.zeros(0))
    pulled = own  # by how much friction at its most may change it
    for friction in part.frictions:
        across = B[0, list(friction.rows)]
        pulled = pulled + friction.reach * np.sqrt(across @ across + NOTHING)
    steps = [reciprocal(_largest_eigenvalue(B[np.ix_(one.rows, one.rows)]), least) for one in part.frictions]
    return Block(B, reciprocal(maximum(own, STEADY * pulled), least), np.stack(steps))


def reciprocal(x: Any, least: Any) -> Any:
    """1/x, of an entry of A; 0 where no impulse along the row moves it."""
    moves = x > least
    return where(moves, 1.0 / where(moves, x, 1.0), 0.0)


def _largest_eigenvalue(B: Array) -> Any:
    """Of a symmetric matrix (1, 1) or (2, 2)."""
    if len(B) == 1:
        return B[0, 0]
    mean, half = 0.5 * (B[0, 0] + B[1, 1]), 0.5 * (B[0, 0] - B[1, 1])
    return mean + np.sqrt(half * half + (B[0, 1] * B[0, 1] + NOTHING))


@dataclass(frozen=True, eq=False)
class Law:
    """The law of one part: its impulses from what the others leave of its velocities."""

    block: Block

    def solve(self, p: Array, c: Array) -> Array:
        """New impulses (k,) from the old ones and the velocities c (k,) without them."""
        raise NotImplementedError

    def moves(self, change: Array) -> Any:
        """By how much a change (k,) of its impulses changes a velocity of its own, at most."""
        most: Any = 0.0
        for k, x in enumerate(change):
            most = maximum(most, abs(x) * self.block.B[k, k])
        return most


@dataclass(frozen=True, eq=False)
class Contact(Law):
    """:class:`Touch`, with the bias its normal velocity has, in m/s, and the softness γ of its normal row."""

    frictions: tuple[Friction, ...]
    bias: Any
    softness: Any = 0.0

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`.

        What is known late is added last: processors wait for the chain of these, not for the work.
        """
        B, inverse, now = self.block.B, self.block.inverse, list(p)
        for late in (False, True) if self.frictions else (False,):
            own = self.bias + self.softness * now[0] + B[0, 0] * now[0]
            across = sum((B[0, j] * now[j] for j in range(1, len(now))), 0.0)
            known, last = (own + c[0], across) if late else (own + across, c[0])
            now[0] = maximum(now[0] - inverse * known - inverse * last, 0.0)
            for friction, step in zip(self.frictions, self.block.steps, strict=True):
                moved = [
                    now[i] - step * sum((B[i, j] * now[j] for j in range(1, len(now))), c[i]) - step * B[i, 0] * now[0]
                    for i in friction.rows
                ]
                for i, x in zip(friction.rows, _onto_disc(moved, friction.reach * now[0]), strict=True):
                    now[i] = x
        return np.stack(now)


@dataclass(frozen=True, eq=False)
class Bound(Law):
    """:class:`Stop`: the velocity lies between ``low`` and ``high``, by an impulse at these alone."""

    low: Any
    high: Any

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`."""
        return np.stack([(clip(c[0], self.low, self.high) - c[0]) * self.block.inverse])


@dataclass(frozen=True, eq=False)
class Resistance(Law):
    """:class:`Brake`: as little velocity as an impulse between ±``most`` leaves."""

    most: Any

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`."""
        return np.stack([clip(-c[0] * self.block.inverse, -self.most, self.most)])


@dataclass(frozen=True, eq=False)
class Drive(Law):
    """:class:`Servo`: the impulse ``pull`` − ``slope`` · u of the velocity u that it leaves, between ±``most``.

    With c the velocity without it, u = c + B p: p = (pull − slope · c)/(1 + slope · B).
    """

    pull: Any
    slope: Any
    most: Any

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`."""
        if self.pull is None:
            return p
        whole = (self.pull - self.slope * c[0]) / (1.0 + self.slope * self.block.B[0, 0])
        return np.stack([clip(whole, -self.most, self.most)])


def _onto_disc(p: Sequence[Any], radius: Any) -> list[Any]:
    """p, scaled to the radius where it is longer."""
    if len(p) == 1:
        return [clip(p[0], -radius, radius)]
    square = p[0] * p[0] + (p[1] * p[1] + NOTHING)
    outside, shrunk = square > radius * radius, inverse_root(square)
    return [where(outside, radius * x * shrunk, x) for x in p]


class Task(NamedTuple):
    """The laws of a group, and where it stands."""

    laws: tuple[Law, ...]
    places: tuple[list[int], ...]
    """among the group's rows, of each law"""
    Y: Array
    """(s, k)"""
    r: Array
    """(k,)"""
    support: list[int]
    at: list[int]
    """of its rows among all impulses"""
    near: Any


def swept(tasks: Sequence[Task], p: Array, z: Array, sweeps: Sweeps) -> tuple[Array, Array]:
    """The impulses (m,) after some sweeps from those before, and z (nv,) = Y p of them, from that of those before.

    Of few rows A is made as a whole; of many z is carried along.
    """
    if not tasks or not sweeps.times:
        return p, z
    if _whole_is_cheaper(tasks, sweeps.times):
        A, r = _whole(tasks, len(p)), velocities(tasks, len(p))
        p = _repeated(partial(_once_by_whole, tasks, A, r), tasks, sweeps, p, np.zeros(0))[0]
        return p, carried(tasks, p, len(z))
    once = partial(_once, tasks, sweeps.tolerance is not None)
    return _repeated(once, tasks, sweeps, p, z)


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
    """(m,), what it changed of p, as a root of energy: √B_kk Δp_k"""
    square: Any
    """of the step"""

    @property
    def found(self) -> tuple[Array, Array]:
        """(p, z), by a sweep: of a leap that was taken back, before it."""
        p, z = (where(self.leapt < -0.5, *two) for two in zip(self.start, self.end, strict=True))
        return p, z


def _repeated(once: Sweep, tasks: Sequence[Task], sweeps: Sweeps, p: Array, z: Array) -> tuple[Array, Array]:
    """With leaps: Anderson's mixing of depth one (Walker & Ni 2011)."""
    roots, nil = _energies(tasks, len(p)), 0.0 * p[0]

    def step(*state: Any) -> tuple[Any, ...]:
        """The trail, or (p, z) alone, with by how much a velocity changed in the end."""
        if not sweeps.leaps:
            return once(*state[:-1])
        *end, moved = once(*state[0])
        trail, beyond = _continued(_Trail(*state[:-1]), (end[0], end[1]), roots)
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


def _continued(trail: _Trail, end: tuple[Array, Array], roots: Array) -> tuple[_Trail, Any]:
    """After a sweep: the next begins where the last change of its steps, taken as linear, leaves the least step.

    Also told is how far that is beyond the end, of the way between the last two ends.
    Where the step has grown instead of shrinking there is no leap, and one that led there is taken back.
    """
    step = roots * (end[0] - trail.start[0])
    bend, square = step - trail.step, step @ step
    grown = ~(square < trail.square)
    turned = bend @ bend
    some = turned > NOTHING
    least = where(some, clip((step @ bend) / where(some, turned, 1.0), -LEAP, LEAP), 0.0)
    failed = where(grown, trail.leapt, 0.0) > 0.5
    back = where(failed, 1.0, where(grown, 0.0, least))
    start = tuple(x - back * (x - before) for x, before in zip(end, trail.end, strict=True))
    leapt = where(failed, -1.0, where(grown, 0.0, 1.0))
    return _Trail((start[0], start[1]), leapt, end, step, square), back


def _energies(tasks: Sequence[Task], size: int) -> Array:
    """√B_kk (m,) of all rows."""
    found: list[Any] = [0.0] * size
    for task in tasks:
        for law, places in zip(task.laws, task.places, strict=True):
            for i, k in enumerate(places):
                found[task.at[k]] = np.sqrt(law.block.B[i, i] + NOTHING)
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
