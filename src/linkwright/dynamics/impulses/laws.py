"""The laws of the parts, for projected Gauss–Seidel (Moreau 1988; Jean 1999): the fixed points are the exact laws.

A contact k with rows (n, t1, t2, …), B = A_kk its block and c = u_k − B p_k what its velocities are without it:

    p_n = max(0, p_n − (c_n + B_n p + bias + γ p_n) / s)    s = B_nn + γ, or more where friction changes u_n by more
    p_f = Π(p_f − (c + B p)_f / λ)      λ the largest eigenvalue of B_ff,  Π scaling onto |p_f| ≤ μ p_n

in turn, twice. One λ for both tangents: with B₁₁ and B₂₂ apart the projection has other fixed points. bias is what the
normal velocity may be more than: −g/h of a gap g > 0, which is then closed at the end of the step at the earliest. A
compliant contact of stiffness k and damping d is a soft row: γ = 1/(h (d + h k)), bias = h k/(d + h k) · g/h (Catto
2011), which is the implicit spring and damper exactly. To d the dissipation of the restitution adds k c δ, δ being the
overlap when the step begins; in the step in which shapes meet the spring acts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.rows import Friction, Group, Part, Touch
from linkwright.dynamics.impulses.system import Inertia
from linkwright.spatial.arrays import Array, clip, inverse_root, maximum, where
from linkwright.spatial.repeats import when

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
    blocks: tuple[Block, ...]
    """of its parts"""


def rows_of(group: Group, inertia: Inertia, v_free: Array, softness: Sequence[Any]) -> Rows:
    """The rows of a group, made only where it is near; ``softness``: γ of each part."""
    places = list(group.support)

    def made() -> Rows:
        J = group.jacobian()
        Y = inertia.carried(J.T, group.support)
        blocks = []
        for part, at, soft in zip(group.parts, group.places, softness, strict=True):
            own = Y[:, at]
            blocks.append(block_of(part, own.T @ own, soft, inertia.least))
        return Rows(Y, J @ v_free[places], tuple(blocks))

    if group.near is None:
        return made()
    zeros = Rows(
        np.zeros((len(places), group.size)),
        np.zeros(group.size),
        tuple(
            Block(np.zeros((part.size, part.size)), 0.0, np.zeros(len(getattr(part, "frictions", ()))))
            for part in group.parts
        ),
    )
    return _rebuilt(when(group.near, lambda: _plain(made()), *_plain(zeros)))


def _plain(rows: Rows) -> tuple[Any, ...]:
    return (rows.Y, rows.r, tuple(tuple(block) for block in rows.blocks))


def _rebuilt(found: tuple[Any, ...]) -> Rows:
    Y, r, blocks = found
    return Rows(Y, r, tuple(Block(*block) for block in blocks))


def block_of(part: Part, B: Array, softness: Any, least: Any) -> Block:
    """The block of a part whose entries of A are B; ``softness``: γ, ``least``: what counts as not moving."""
    own = B[0, 0] + softness
    if not isinstance(part, Touch) or not part.frictions:
        return Block(B, reciprocal(own, least), np.zeros(0))
    pulled = own  # by how much friction at its most may change it
    for friction in part.frictions:
        across = B[0, list(friction.rows)]
        pulled = pulled + friction.reach * _root(across @ across + NOTHING)
    steps = [reciprocal(_largest_eigenvalue(B[np.ix_(one.rows, one.rows)]), least) for one in part.frictions]
    return Block(B, reciprocal(maximum(own, STEADY * pulled), least), np.stack(steps))


def reciprocal(x: Any, least: Any) -> Any:
    """1/x, of an entry of A; 0 where no impulse along the row moves it."""
    moves = x > least
    root = inverse_root(where(moves, x, 1.0))
    return where(moves, root * root, 0.0)


def _largest_eigenvalue(B: Array) -> Any:
    """Of a symmetric matrix (1, 1) or (2, 2)."""
    if len(B) == 1:
        return B[0, 0]
    mean, half = 0.5 * (B[0, 0] + B[1, 1]), 0.5 * (B[0, 0] - B[1, 1])
    return mean + _root(half * half + (B[0, 1] * B[0, 1] + NOTHING))


def _root(x: Any) -> Any:
    """√x of what is more than nothing; the reciprocal root is steps that do not hold up others, as roots do."""
    return x * inverse_root(x)


@dataclass(frozen=True, eq=False)
class Law:
    """The law of one part: its impulses from what the others leave of its velocities."""

    block: Block

    def solve(self, p: Array, c: Array) -> Array:
        """New impulses (k,) from the old ones and the velocities c (k,) without them."""
        raise NotImplementedError

    @property
    def kind(self) -> Any:
        """What laws have in common that differ by numbers alone."""
        return (type(self), *(x is None for x in self._own()))

    @property
    def numbers(self) -> list[Any]:
        """These numbers, in one order."""
        B, steps = self.block.B, self.block.steps
        return [*B[np.triu_indices(len(B))], self.block.inverse, *steps, *(x for x in self._own() if x is not None)]

    def of_numbers(self, numbers: Sequence[Any]) -> Law:
        """The law of its kind with these."""
        left = iter(numbers)
        k = len(self.block.B)
        upper = [next(left) for _ in range(k * (k + 1) // 2)]
        at = dict(zip([(i, j) for i in range(k) for j in range(i, k)], upper, strict=True))
        B = np.stack([np.stack([at[min(i, j), max(i, j)] for j in range(k)]) for i in range(k)])
        inverse, steps = next(left), [next(left) for _ in self.block.steps]
        block = Block(B, inverse, np.stack(steps) if steps else np.zeros(0))
        return self._with(block, [None if x is None else next(left) for x in self._own()])

    def _own(self) -> list[Any]:
        """What there is beside the block."""
        return [getattr(self, one.name) for one in fields(self) if one.name != "block"]

    def _with(self, block: Block, own: Sequence[Any]) -> Law:
        names = [one.name for one in fields(self) if one.name != "block"]
        return replace(self, block=block, **dict(zip(names, own, strict=True)))

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

    @property
    def kind(self) -> Any:
        """See :class:`Law`."""
        return (type(self), *(one.rows for one in self.frictions))

    def _own(self) -> list[Any]:
        return [self.bias, self.softness, *(one.reach for one in self.frictions)]

    def _with(self, block: Block, own: Sequence[Any]) -> Law:
        bias, softness, *reaches = own
        frictions = tuple(replace(one, reach=x) for one, x in zip(self.frictions, reaches, strict=True))
        return Contact(block, frictions, bias, softness)

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
