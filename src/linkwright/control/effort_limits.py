"""Efforts within limits: the nearest efforts to the desired ones, by priority."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.forces.actuation import joint_effort_limits
from linkwright.errors import InputError, ShapeError
from linkwright.ik_solvers.resolved_rates import bounded
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, clip, is_symbolic, maximum, numbers_or_symbols, where

DAMPING = 1e-9
"""squared damping of directions in which efforts have almost no effect, relative to the largest effect"""

LEAST = 1e-9
"""Divisor of efforts whose limit is zero, N m or N."""


def limits_of(model: Model, given: Any) -> Array:
    """Return effort limits (nv,), N m or N, ∞ where there is none: from the joints (True), None, numbers or symbols."""
    if given is None or given is False:
        return np.full(model.nv, np.inf)
    if given is True:
        return joint_effort_limits(model)
    limits = numbers_or_symbols("effort_limits", given)
    if limits.shape not in ((), (model.nv,)):
        raise ShapeError(f"effort_limits has shape {limits.shape}; expected one number or ({model.nv},)")
    if not is_symbolic(limits) and not (limits >= 0.0).all():
        raise InputError(f"effort_limits must not be negative; got {limits.min():g}")
    return np.broadcast_to(limits, (model.nv,)).copy()


def within(efforts: Array, moved: Array, limits: Array) -> Array:
    """Return efforts τ (nv,) within limits: ``moved`` τ nearest to ``moved`` efforts first, then τ nearest to efforts.

    ``moved`` (m, nv) maps efforts to the controlled quantity. Efforts within the limits are unchanged. Both are bounded
    least-squares problems; the second one keeps the solution of the first (:func:`bounded`).
    """
    free = [not is_symbolic(x) and bool(np.isinf(x)) for x in limits]
    if all(free):
        return efforts
    largest = max([float(x) for x, one in zip(limits, free, strict=True) if not (one or is_symbolic(x))], default=1.0)
    sizes = np.stack([maximum(largest if one else x, LEAST) for x, one in zip(limits, free, strict=True)])
    bound = [k for k, one in enumerate(free) if not one]
    bounds: list[tuple[Any, Any]] = [(-1.0, 1.0)] * len(bound)
    relative = efforts / sizes
    start = np.stack([x if one else clip(x, -1.0, 1.0) for x, one in zip(relative, free, strict=True)])
    S = moved * sizes
    S = S / np.sqrt((S * S).sum() / len(S))
    u = bounded(S, S @ relative, [], start, bounds, bound, DAMPING)
    u = bounded(np.eye(len(u)), relative, [S], u, bounds, bound, DAMPING)
    beyond: Any = 0.0
    for k in bound:
        beyond = maximum(beyond, abs(relative[k]))
    return where(beyond > 1.0, u * sizes, efforts)
