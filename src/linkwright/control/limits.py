"""Efforts within limits: the nearest to those that a law asks for, what matters most first."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.forces.actuation import joint_effort_limits
from linkwright.errors import InputError, ShapeError
from linkwright.ik_solvers.rates import bounded
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, clip, is_symbolic, maximum, where

DAMPING = 1e-9
"""of directions in which efforts move next to nothing, squared, beside those in which they move most"""

LEAST = 1e-9
"""By which efforts are divided where their limit is zero, N m or N."""


def limits_of(model: Model, given: Any) -> Array:
    """(nv,), N m or N, ∞ where there is none: of the joints (True), None, or numbers or symbols, one or (nv,)."""
    if given is None or given is False:
        return np.full(model.nv, np.inf)
    if given is True:
        return joint_effort_limits(model)
    limits = np.asarray(given) if is_symbolic(given) else as_numbers("effort_limits", given)
    if limits.shape not in ((), (model.nv,)):
        raise ShapeError(f"effort_limits has shape {limits.shape}; expected one number or ({model.nv},)")
    if not is_symbolic(limits) and not (limits >= 0.0).all():
        raise InputError(f"effort_limits must not be negative; got {limits.min():g}")
    return np.broadcast_to(limits, (model.nv,)).copy()


def within(efforts: Array, moved: Array, limits: Array) -> Array:
    """τ (nv,) within limits: with ``moved`` τ the nearest to what it is of ``efforts``, then τ itself, by its limits.

    ``moved`` (m, nv) is what the efforts are for. Efforts that are within the limits stay as they are. Both are bounded
    least squares, of which the second leaves the first as it is (:func:`bounded`).
    """
    free = [not is_symbolic(x) and bool(np.isinf(x)) for x in limits]
    if all(free):
        return efforts
    largest = max([float(x) for x, one in zip(limits, free, strict=True) if not (one or is_symbolic(x))], default=1.0)
    sizes = np.stack([maximum(largest if one else x, LEAST) for x, one in zip(limits, free, strict=True)])
    bound = [k for k, one in enumerate(free) if not one]
    bounds: list[tuple[Any, Any]] = [(-1.0, 1.0)] * len(bound)
    asked = efforts / sizes
    start = np.stack([x if one else clip(x, -1.0, 1.0) for x, one in zip(asked, free, strict=True)])
    S = moved * sizes
    S = S / np.sqrt((S * S).sum() / len(S))
    u = bounded(S, S @ asked, [], start, bounds, bound, DAMPING)
    u = bounded(np.eye(len(u)), asked, [S], u, bounds, bound, DAMPING)
    beyond: Any = 0.0
    for k in bound:
        beyond = maximum(beyond, abs(asked[k]))
    return where(beyond > 1.0, u * sizes, efforts)
