"""Solutions of an exact solver for a batch of targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.errors import ShapeError
from linkwright.ik_solvers.exact.postures import TURN
from linkwright.spatial.arrays import Array, as_numbers


@dataclass(frozen=True, eq=False)
class Solutions:
    """All answers for a batch of targets."""

    q: Array
    """(…, branches, nq); NaN where a branch does not exist. Hinges are in (-π, π], or within their limits if a whole
    number of turns brings them there"""
    exact: Array
    """(…, branches) bool; where none of a target's answers is, they are those that come near it"""
    error: Array
    """(…, branches): what is left, the distance (m) and 2 sin(angle / 2) together; NaN where a branch does not exist"""
    lower: Array
    upper: Array
    places: tuple[int, ...]
    """where in q the arm's coordinates stand"""
    hinges: Array
    """(nq,) bool: the coordinates that may turn by whole turns"""
    free: Callable[[Array], tuple[str, ...]] = field(repr=False, default=lambda q: ())
    """of a posture (nq,), the joints that may move while the hand stays"""

    @cached_property
    def within(self) -> Array:
        """(…, branches) bool: whether an answer exists and keeps the limits of all joints of the arm."""
        q, at = self.q, list(self.places)
        kept = (q >= self.lower - 1e-12) & (q <= self.upper + 1e-12)
        return np.asarray(kept[..., at].all(axis=-1))

    @property
    def count(self) -> Array:
        """(…) int: the number of exact answers."""
        return np.asarray(self.exact.sum(axis=-1))

    @cached_property
    def reason(self) -> Any:
        """Explanation (…) of the number of solutions of each target; each solution takes about 0.2 ms.

        "": they are exact and isolated; "out of reach": none is exact; "infinitely many: joint1 is free": an
        exact solution is part of a curve of solutions, along which these joints move.
        """
        told = np.full(self.count.shape, "out of reach", dtype=object)
        for at in np.argwhere(self.count):
            row = tuple(at)
            free = next(filter(None, map(self.free, self.q[row][self.exact[row]])), ())
            which = f"{', '.join(free)} {'is' if len(free) == 1 else 'are'} free"
            told[row] = f"infinitely many: {which}" if free else ""
        return told if told.shape else told[()]

    def nearest(self, q: Any, joint_limits: bool = True) -> Array:
        """The exact answer (…, nq) nearest to q (…, nq) by Σ|Δq|, within the limits; NaN where there is none.

        Hinges are brought as near to q as whole turns bring them, where their limits allow it. ``joint_limits`` False
        counts answers outside the limits too.
        """
        given = as_numbers("q", q)
        nq = self.q.shape[-1]
        if given.shape[-1:] != (nq,):
            raise ShapeError(f"q has shape {given.shape}; expected (…, {nq})")
        to = given[..., None, :]
        turns = np.round((to - self.q) / TURN) * TURN * self.hinges
        moved = self.q + turns
        if joint_limits:
            moved = np.where((moved >= self.lower) & (moved <= self.upper), moved, self.q)
        at = list(self.places)
        far = np.abs(moved - to)[..., at].sum(axis=-1)
        far = np.where(self.exact & (self.within if joint_limits else True), far, np.inf)
        best = np.argmin(far, axis=-1)[..., None]
        chosen = np.take_along_axis(np.broadcast_to(moved, (*far.shape, nq)), best[..., None], axis=-2)[..., 0, :]
        return np.where(np.isfinite(np.take_along_axis(far, best, axis=-1)), chosen, np.nan)
