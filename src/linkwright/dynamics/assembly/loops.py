"""Closed loops as rigid joints between the two bodies that they connect (`model/joints/loop.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.schedule import GROUND, Schedule
from linkwright.dynamics.assembly.subassembly import LoopTerms
from linkwright.dynamics.closed_loops.closure import some_closed_configuration
from linkwright.dynamics.closed_loops.independent import beyond_rows
from linkwright.dynamics.closed_loops.rows import (
    constraint_bias,
    constraint_rate,
    constraint_residual,
    loop_constraints,
    loop_ends,
    loop_groups,
)
from linkwright.errors import ClosureError, ModelError
from linkwright.model.joints.loop import Loop, LoopType
from linkwright.model.memo import derived
from linkwright.model.scale import scale_of
from linkwright.model.transformations.minimal import regroupable
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.linear_algebra.linalg import SemidefiniteFactors
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import inverse_pose


class Closing(NamedTuple):
    """Closure of loops, and correction of errors."""

    gains: tuple[float, float] | None = None
    """Baumgarte's gains (α, β) in 1/s: Tᵀ(a_y − a_y′) is reduced by 2α φ̇ + β² φ"""
    corrects: str = ""
    """ "positions" or "velocities": compute the smallest motion that corrects φ or φ̇ instead of accelerations: the
    response of the mechanism at rest and without weight to Tᵀ(a_y − a_y′) = −φ or −φ̇"""


def loop_bodies(model: Model, closing: Closing | None) -> tuple[tuple[int, int], ...]:
    """Return the two bodies of every loop that is closed, or nothing where loops stay open.

    Raises :class:`ModelError` for couplings of coordinates, which act on joints and not between bodies.
    """
    if closing is None:
        return ()
    ends = []
    for loop in model.loops:
        if not isinstance(loop, Loop):
            raise ModelError(
                f"assembly joins bodies, but {loop.name!r} of {model.name!r} couples coordinates: use the method "
                '"articulated" or "composite" of forward dynamics'
            )
        first, second = loop_ends(model, loop)
        ends.append((first.body, second.body))
    return tuple(ends)


def loop_terms(model: Model, q: Array, v: Array, w: Sequence[Array], closing: Closing | None) -> dict[int, LoopTerms]:
    """Return the terms of every loop by its number in a schedule; ``w`` are the angular velocities (3,) of the bodies.

    The inconsistent part of several loops is removed (`independent.py`); for one loop, see :func:`close`.
    """
    if closing is None:
        return {}
    beyond, length = _beyond_rows(model, q, v, closing), known_length(model)
    terms, at = {}, 0
    for number, one in enumerate(loop_constraints(model, q, v), len(model.links)):
        first, second = (np.zeros(3) if end.body == GROUND else w[end.body] for end in (one.first, one.second))
        places = one.first.placement, one.second.placement
        found = closing_terms(one.loop.kind, *places, one.pose, one.twist, first, second, closing, length)
        m = len(found.required)
        terms[number] = found._replace(required=found.required + beyond[at : at + m])
        at += m
    return terms


def _beyond_rows(model: Model, q: Array, v: Array, closing: Closing) -> Array:
    """Return the inconsistent part (m,) of the equations of loops that share joints."""
    several = [] if closing.corrects else [group for group in loop_groups(model) if len(group.loops) > 1]
    return beyond_rows(model, q, v, 0.0 if closing.gains is None else closing.gains[1], several)


def left_open(model: Model, q: Array, v: Array, a: Array, closing: Closing) -> Array:
    """Return the residual (m,) of K a + K̇ v: rounding, and the inconsistent part of single loops."""
    left = constraint_rate(model, q, a) + constraint_bias(model, q, v) - _beyond_rows(model, q, v, closing)
    if closing.gains is None:
        return left
    alpha, beta = closing.gains
    return left + 2.0 * alpha * constraint_rate(model, q, v) + beta * beta * constraint_residual(model, q)


def with_required(terms: dict[int, LoopTerms], required: Array) -> dict[int, LoopTerms]:
    """Return the terms of loops for these accelerations (m,)."""
    ends = np.cumsum([loop.held.shape[1] for loop in terms.values()])
    pieces = np.split(required, ends[:-1]) if terms else []
    return {number: loop._replace(required=x) for (number, loop), x in zip(terms.items(), pieces, strict=True)}


def closing_terms(
    kind: LoopType,
    first: Array,
    second: Array,
    pose: Array,
    twist: Array,
    w_first: Array,
    w_second: Array,
    closing: Closing,
    length: float | None,
) -> LoopTerms:
    """Return the terms of a loop between frames with these placements (4, 4) on bodies with angular velocities ω (3,).

    ``pose``, ``twist``: of the first frame in the second, and of the second relative to the first. For classical
    accelerations the relative twist (u, ω) adds (2 ω_y − ω) × u and ω_y × ω to γ.
    """
    T, T_rate = kind.subspace(pose), kind.subspace_rate(pose, twist)
    y_first = first @ inverse_pose(pose)
    u, turning = twist[:3], twist[3:]
    w_y = second[:3, :3].T @ w_second
    change = np.concatenate([skew(w_y + w_y - turning) @ u, skew(w_y) @ turning])
    required = T.T @ change - T_rate.T @ twist
    if closing.corrects:
        required = -(T.T @ twist) if closing.corrects == "velocities" else -kind.residual(pose)
    elif closing.gains is not None:
        alpha, beta = closing.gains
        required = required - 2.0 * alpha * (T.T @ twist) - beta * beta * kind.residual(pose)
    return LoopTerms(y_first, second, T, _swing(w_first, y_first), _swing(w_second, second), required, length)


def known_length(model: Model) -> float | None:
    """Return the characteristic length of the mechanism in m; None for symbols."""
    return scale_of(model).length if regroupable(model) else None


def _swing(w: Array, T: Array) -> Array:
    W = skew(w)
    return np.concatenate([W @ (W @ T[:3, 3]), np.zeros(3)])


def row_orders(
    model: Model,
    schedule: Schedule,
    q: Array,
    factors_at: Callable[[Array], dict[int, SemidefiniteFactors]],
    prescribed: tuple[str, ...] = (),
) -> dict[int, Any]:
    """Return the order in which symbolic rows of each loop are eliminated: that of pivoting at a closed configuration.

    Without a closed configuration it is the natural order. ``factors_at(q)`` returns the factors of every loop at a
    configuration; ``prescribed`` are joints with given motion.
    """
    return found_orders(model, schedule, factors_at, prescribed) if is_symbolic(q) else {}


def found_orders(
    model: Model,
    schedule: Schedule,
    factors_at: Callable[[Array], dict[int, SemidefiniteFactors]],
    prescribed: tuple[str, ...] = (),
) -> dict[int, Any]:
    """Return the order of every loop for symbols."""
    if not schedule.loops:
        return {}

    def orders() -> dict[int, Any]:
        try:
            found = factors_at(some_closed_configuration(model))
        except (ClosureError, TypeError):  # TypeError: the model has symbols
            found = {}
        return {number: factors.order() for number, factors in found.items()}

    made: dict[int, Any] = derived(model, found_orders, schedule, prescribed, make=orders)
    return made
