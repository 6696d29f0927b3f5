"""The constraints of closed loops, exactly: A(q) v̇ + b(q, v) = 0 with M v̇ + h + g = τ + Aᵀ λ.

A v is the velocity of the loop errors, b = Ȧ v: the library's rows (`dynamics/closed_loops/rows.py`) on polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.expression.polynomials.polynomial import Ring
from linkwright.model.joints.loop import DIRECTIONS, BodyPair, Distance, Loop, LoopType, Mask
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


@dataclass(frozen=True)
class _ConstraintRows(LoopType):
    """A kind of loop of which the rows matter, not the residual, which need be no polynomial."""

    full: LoopType

    @property
    def units(self) -> tuple[str, ...]:
        return self.full.units

    def residual(self, T: Array) -> Array:
        return np.zeros(self.full.subspace(T).shape[1])

    def subspace(self, T: Array) -> Array:
        return self.full.subspace(T)

    def subspace_rate(self, T: Array, V: Array) -> Array:
        return self.full.subspace_rate(T, V)


def with_rows_only(model: Model) -> Model:
    """Loops whose rows are polynomials: those of rods are multiplied by their length, which would divide."""

    def changed(loop: Loop) -> Loop:
        return replace(loop, kind=_ConstraintRows(Distance(1.0) if isinstance(loop.kind, Distance) else loop.kind))

    loops = tuple(changed(loop) if isinstance(loop, Loop) else loop for loop in model.loops)
    return replace(model, loops=loops)


def without_loops(model: Model) -> Model:
    """The tree."""
    return replace(model, loops=()) if model.loops else model


class Closure(NamedTuple):
    """The rows of closed loops that say something."""

    constraint_jacobian: np.ndarray
    """A (m, nv)"""
    constraint_bias: np.ndarray
    """b (m,)"""
    rows: tuple[str, ...]
    """what each row holds"""
    kept: tuple[int, ...]
    """which of the rows of :func:`linkwright.dynamics.constraint_jacobian` they are"""
    left_out: tuple[str, ...]
    """the rows that vanish identically: the mechanism could not move that way"""


def closure_of(model: Model, ring: Ring, q: np.ndarray, v: np.ndarray) -> Closure:
    """The rows of the loops of a model on polynomials."""
    model = with_rows_only(model)
    A = ring.array(dynamics.constraint_jacobian(model, q))
    b = ring.array(dynamics.constraint_bias(model, q, v))
    names = [name for loop in model.loops for name in _row_names(loop)]
    kept = [i for i, row in enumerate(A) if any(bool(x) for x in row)]
    left_out = tuple(name for i, name in enumerate(names) if i not in kept)
    return Closure(A[kept], b[kept], tuple(names[i] for i in kept), tuple(kept), left_out)


def _row_names(loop: object) -> list[str]:
    """The rows of a loop in words."""
    if not isinstance(loop, Loop):
        return [f"loop {loop.name!r}: of coordinates"]  # type: ignore[attr-defined]
    kind = loop.kind.full if isinstance(loop.kind, _ConstraintRows) else loop.kind
    if isinstance(kind, (BodyPair, Mask)):
        held = [direction for direction in DIRECTIONS if direction in kind.held]
    elif isinstance(kind, Distance):
        held = ["the distance"]
    else:  # a universal pair, or a screw
        held = ["x", "y", "z", "a turn"] if kind.type == "universal" else ["x", "y", "rx", "ry", "the thread"]
    return [f"loop {loop.name!r}: {direction}" for direction in held]
