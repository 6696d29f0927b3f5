"""Impulses by projected Gauss–Seidel, block by block (Moreau 1988; Jean 1999): the fixed points are the exact laws.

A contact k with rows (n, t1, t2, …), B = A_kk its block and c = u_k − B p_k what its velocities are without it:

    p_n = max(0, p_n − (c_n + B_n p + bias + γ p_n) / s)    s = B_nn + γ, or more where friction changes u_n by more
    p_f = Π(p_f − (c + B p)_f / λ)      λ the largest eigenvalue of B_ff,  Π scaling onto |p_f| ≤ μ p_n

in turn, twice. One λ for both tangents: with B₁₁ and B₂₂ apart the projection has other fixed points. bias is what the
normal velocity may be more than: −g/h of a gap g > 0, which is then closed at the end of the step at the earliest. A
compliant contact of stiffness k and damping d is a soft row: γ = 1/(h (d + h k)), bias = h k/(d + h k) · g/h (Catto
2011), which is the implicit spring and damper exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.rows import Touch
from linkwright.dynamics.impulses.system import System
from linkwright.spatial.arrays import Array, clip, inverse_root, maximum, where
from linkwright.spatial.repeats import repeat, until

UNROLLED = 120
"""Blocks times sweeps up to which they are written out; more are a loop of the machine code."""

TINY = 1e-300

STEADY = 0.6
"""A share above one half: so much of the most by which a normal velocity changes with its impulse and friction's."""


@dataclass(frozen=True)
class Sweeps:
    """How often all impulses are gone through."""

    count: int = 8
    """in each step; with a tolerance, at most"""
    tolerance: float | None = None
    """m/s: no more sweeps once none has changed a velocity by more"""


class Place(NamedTuple):
    """Where a block stands in a system."""

    rows: list[int]
    B: Array
    """its block (k, k) of A"""
    least: Array
    """(k,): below this its diagonal is rounding"""

    @classmethod
    def of(cls, system: System, rows: list[int]) -> Place:
        """That of a block with these rows."""
        return cls(rows, system.block(rows), system.least[rows])

    def inverse(self, x: Any, row: int = 0) -> Any:
        """1/x, x about the diagonal's entry; 0 where no impulse along the row moves it."""
        moves = x > self.least[row]
        return where(moves, 1.0 / where(moves, x, 1.0), 0.0)


class Law:
    """The law of one block: its impulses from what the others leave of its velocities."""

    def __init__(self, place: Place):
        self.place = place
        self.rows, self.B = place.rows, place.B
        """where its rows are, and its block (k, k) of A"""

    def solve(self, p: Array, c: Array) -> Array:
        """New impulses (k,) from the old ones and the velocities c (k,) without them."""
        raise NotImplementedError

    def moves(self, change: Array) -> Any:
        """By how much a change (k,) of its impulses changes a velocity of its own, at most."""
        most: Any = 0.0
        for k, x in enumerate(change):
            most = maximum(most, abs(x) * self.B[k, k])
        return most


class Contact(Law):
    """:class:`Touch`, with the bias its normal velocity has, in m/s, and the softness γ of its normal row."""

    def __init__(self, place: Place, touch: Touch, bias: Any, softness: Any = 0.0):
        super().__init__(place)
        B = self.B
        own = B[0, 0] + softness
        pulled = own  # by how much friction at its most may change it
        for friction in touch.frictions:
            across = B[0, list(friction.rows)]
            pulled = pulled + friction.reach * np.sqrt(across @ across)
        self._bias, self._softness = bias, softness
        self._inverse = place.inverse(maximum(own, STEADY * pulled) if touch.frictions else own)
        self._frictions = [
            (friction, place.inverse(_largest_eigenvalue(B[np.ix_(friction.rows, friction.rows)]), friction.rows[0]))
            for friction in touch.frictions
        ]

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`."""
        B, now = self.B, list(p)
        for _ in range(2 if self._frictions else 1):
            u = sum((B[0, j] * now[j] for j in range(len(now))), c[0] + self._bias) + self._softness * now[0]
            now[0] = maximum(now[0] - u * self._inverse, 0.0)
            for friction, step in self._frictions:
                moved = [now[i] - step * sum((B[i, j] * now[j] for j in range(len(now))), c[i]) for i in friction.rows]
                for i, x in zip(friction.rows, _onto_disc(moved, friction.reach * now[0]), strict=True):
                    now[i] = x
        return np.stack(now)


class Bound(Law):
    """:class:`Stop`: the velocity lies between ``low`` and ``high``, by an impulse at these alone."""

    def __init__(self, place: Place, low: Any, high: Any):
        super().__init__(place)
        self._low, self._high, self._inverse = low, high, place.inverse(self.B[0, 0])

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`."""
        return np.stack([(clip(c[0], self._low, self._high) - c[0]) * self._inverse])


class Resistance(Law):
    """:class:`Brake`: as little velocity as an impulse between ±``most`` leaves."""

    def __init__(self, place: Place, most: Any):
        super().__init__(place)
        self._most, self._inverse = most, place.inverse(self.B[0, 0])

    def solve(self, p: Array, c: Array) -> Array:
        """See :class:`Law`."""
        return np.stack([clip(-c[0] * self._inverse, -self._most, self._most)])


def _largest_eigenvalue(B: Array) -> Any:
    """Of a symmetric matrix (1, 1) or (2, 2)."""
    if len(B) == 1:
        return B[0, 0]
    mean, half = 0.5 * (B[0, 0] + B[1, 1]), 0.5 * (B[0, 0] - B[1, 1])
    return mean + np.sqrt(half * half + B[0, 1] * B[0, 1])


def _onto_disc(p: Sequence[Any], radius: Any) -> list[Any]:
    """p, scaled to the radius where it is longer."""
    if len(p) == 1:
        return [clip(p[0], -radius, radius)]
    square = p[0] * p[0] + p[1] * p[1]
    scale = where(square > radius * radius, radius * inverse_root(maximum(square, TINY)), 1.0)
    return [scale * x for x in p]


def swept(system: System, laws: Sequence[Law], p: Array, sweeps: Sweeps) -> Array:
    """The impulses (m,) after some sweeps from those before."""
    if not laws:
        return p
    z = system.carried(p) if system.A is None else np.zeros(0)

    def once(p: Array, z: Array) -> tuple[Array, Array, Any]:
        moved: Any = 0.0
        now = list(p)
        for law in laws:
            own = np.stack([now[k] for k in law.rows])
            new = law.solve(own, system.without(law.rows, np.stack(now), z))
            change = new - own
            z = system.after(z, law.rows, change)
            if sweeps.tolerance is not None:
                moved = maximum(moved, law.moves(change))
            for k, x in zip(law.rows, new, strict=True):
                now[k] = x
        return np.stack(now), z, moved

    if sweeps.tolerance is not None:
        start = 2.0 * sweeps.tolerance + 0.0 * p[0]
        found = until(
            lambda p, z, moved: moved < sweeps.tolerance,
            lambda p, z, moved: once(p, z),
            p,
            z,
            start,
            limit=sweeps.count,
        )
        return found[0]  # type: ignore[no-any-return]
    if len(laws) * sweeps.count <= UNROLLED:
        for _ in range(sweeps.count):
            p, z, _ = once(p, z)
        return p
    found = repeat(sweeps.count, lambda k, p, z: once(p, z)[:2], p, z)
    return found[0]  # type: ignore[no-any-return]
