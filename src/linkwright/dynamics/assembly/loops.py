"""Closed loops as joints that are never moved, of the two bodies they hold together (`model/loop.py`)."""

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
from linkwright.model.change.minimal import regroupable
from linkwright.model.derived import derived
from linkwright.model.loop import Loop, LoopType
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.linalg import SemidefiniteFactors
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import inverse_pose


class Closing(NamedTuple):
    """That loops are closed, and how errors are brought back."""

    gains: tuple[float, float] | None = None
    """Baumgarte's (α, β), 1/s: Tᵀ(a_y − a_y′) is asked for − 2α φ̇ − β² φ more"""
    corrects: str = ""
    """ "positions" or "velocities" where, instead of accelerations, the least motion that takes back φ or φ̇ is asked
    for: what mechanisms at rest, without weight, answer to Tᵀ(a_y − a_y′) = −φ or −φ̇"""


def loop_bodies(model: Model, closing: Closing | None) -> tuple[tuple[int, int], ...]:
    """The two bodies of every loop that is to be closed; none where loops are left open.

    Raises :class:`ModelError` where coordinates are tied: a tie acts on joints, not between bodies.
    """
    if closing is None:
        return ()
    ends = []
    for loop in model.loops:
        if not isinstance(loop, Loop):
            raise ModelError(
                f"assembly joins bodies, and {loop.name!r} of {model.name!r} ties coordinates: its forward dynamics is "
                'solved by method "articulated" or "composite"'
            )
        first, second = loop_ends(model, loop)
        ends.append((first.body, second.body))
    return tuple(ends)


def loop_terms(model: Model, q: Array, v: Array, w: Sequence[Array], closing: Closing | None) -> dict[int, LoopTerms]:
    """The terms of every loop by its number in a schedule; ``w``: the angular velocities (3,) of the bodies.

    What several loops cannot do together is not asked of them (`independent.py`); of one, see :func:`close`.
    """
    if closing is None:
        return {}
    beyond, length = _beyond_rows(model, q, v, closing), known_length(model)
    terms, at = {}, 0
    for number, one in enumerate(loop_constraints(model, q, v), len(model.links)):
        first, second = (np.zeros(3) if end.body == GROUND else w[end.body] for end in (one.first, one.second))
        places = one.first.placement, one.second.placement
        found = closing_terms(one.loop.kind, *places, one.pose, one.twist, first, second, closing, length)
        m = len(found.asked)
        terms[number] = found._replace(asked=found.asked + beyond[at : at + m])
        at += m
    return terms


def _beyond_rows(model: Model, q: Array, v: Array, closing: Closing) -> Array:
    """What loops that share joints cannot do together (m,)."""
    several = [] if closing.corrects else [group for group in loop_groups(model) if len(group.loops) > 1]
    return beyond_rows(model, q, v, 0.0 if closing.gains is None else closing.gains[1], several)


def left_open(model: Model, q: Array, v: Array, a: Array, closing: Closing) -> Array:
    """What is left (m,) of K a + K̇ v, of which rounding is one part, and what a loop by itself cannot do another."""
    left = constraint_rate(model, q, a) + constraint_bias(model, q, v) - _beyond_rows(model, q, v, closing)
    if closing.gains is None:
        return left
    alpha, beta = closing.gains
    return left + 2.0 * alpha * constraint_rate(model, q, v) + beta * beta * constraint_residual(model, q)


def asking(terms: dict[int, LoopTerms], asked: Array) -> dict[int, LoopTerms]:
    """The terms of loops that are asked for these accelerations (m,)."""
    ends = np.cumsum([loop.held.shape[1] for loop in terms.values()])
    pieces = np.split(asked, ends[:-1]) if terms else []
    return {number: loop._replace(asked=x) for (number, loop), x in zip(terms.items(), pieces, strict=True)}


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
    """Of a loop whose frames have these placements (4, 4) on their bodies, which turn with these ω (3,).

    ``pose``, ``twist``: of the first frame in the second, and of the second relative to the first. γ of classical
    accelerations: the relative twist (u, ω) adds (2 ω_y − ω) × u and ω_y × ω to what T is asked.
    """
    T, T_rate = kind.subspace(pose), kind.subspace_rate(pose, twist)
    y_first = first @ inverse_pose(pose)
    u, turning = twist[:3], twist[3:]
    w_y = second[:3, :3].T @ w_second
    change = np.concatenate([skew(w_y + w_y - turning) @ u, skew(w_y) @ turning])
    asked = T.T @ change - T_rate.T @ twist
    if closing.corrects:
        asked = -(T.T @ twist) if closing.corrects == "velocities" else -kind.residual(pose)
    elif closing.gains is not None:
        alpha, beta = closing.gains
        asked = asked - 2.0 * alpha * (T.T @ twist) - beta * beta * kind.residual(pose)
    return LoopTerms(y_first, second, T, _swing(w_first, y_first), _swing(w_second, second), asked, length)


def known_length(model: Model) -> float | None:
    """The mechanism's own length, m; None where its numbers are symbols."""
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
    """For symbols, in which order the rows of each loop are eliminated: as pivoting does at a closed configuration.

    As they come where none is found. ``factors_at(q)``: the factors of every loop at a configuration;
    ``prescribed``: the joints that move as they are told.
    """
    return found_orders(model, schedule, factors_at, prescribed) if is_symbolic(q) else {}


def found_orders(
    model: Model,
    schedule: Schedule,
    factors_at: Callable[[Array], dict[int, SemidefiniteFactors]],
    prescribed: tuple[str, ...] = (),
) -> dict[int, Any]:
    """The order for every loop, of symbols to come."""
    if not schedule.loops:
        return {}

    def orders() -> dict[int, Any]:
        try:
            found = factors_at(some_closed_configuration(model))
        except (ClosureError, TypeError):  # or the model's own numbers are symbols
            found = {}
        return {number: factors.order() for number, factors in found.items()}

    made: dict[int, Any] = derived(model, found_orders, schedule, prescribed, make=orders)
    return made
