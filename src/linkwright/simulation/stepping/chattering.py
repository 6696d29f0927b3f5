"""Feedback that is too fast for the step where limits of efforts keep the motion together: it chatters for ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from linkwright.errors import warn
from linkwright.model.tree import Model
from linkwright.simulation.acting.laws import Ruled
from linkwright.simulation.recorded.motion import Motion
from linkwright.simulation.stepping.integrators import stiffest_feedback
from linkwright.spatial.arrays import Array

HELD = 2.0
"""How fast, times the step, feedback may be that is held over a step"""

LARGE = 300
"""Above so many degrees of freedom stiffness is not looked for: it takes the whole mass matrix."""

OFTEN = 0.2
"""The share of samples from which on what is seen of a joint is looked into."""

ALTERNATING = 0.9
"""The share of samples at which efforts turn round, from which on they alternate; of noise it is two thirds."""

SOME = 32
"""Samples that efforts are to alternate over at least."""

LOOKED_AT = 400
"""Samples, at most, of the end of a motion."""


def warn_if_chattering(model: Model, law: Ruled, motion: Motion, h: float) -> None:
    """Say so where a joint is cut often, or its efforts alternate, and the law acts on it too fast for the step.

    ``law`` is asked every ``h`` seconds, alone, with nothing between it and the joints: what is seen of the motion
    costs nothing, and only where there is something to be seen the law is compiled by itself.
    """
    count = len(motion.t)
    if count < 3 or model.nv > LARGE or not np.isfinite(motion.v[-1]).any():
        return
    first = max(count // 2, count - LOOKED_AT)
    batch = motion.v.shape[1:-1]
    seen = (_share_cut(motion, first), _share_turning(motion.tau[first:]))
    seen_of_rows = np.maximum(*seen).reshape(-1, model.nv)
    row = int(seen_of_rows.max(axis=1).argmax())
    if not seen_of_rows[row].any():
        return
    at = tuple(int(i) for i in np.unravel_index(row, batch)) if batch else ()
    q, v = motion.q[-1][at], motion.v[-2:].mean(axis=0)[at]  # what alternates is nothing in the mean
    if not np.isfinite(q).all() or not np.isfinite(v).all():
        return
    try:
        rate, joint = stiffest_feedback(model, _alone(law, motion, at), q, v)
    except Exception:  # it was asked beside the motion
        return
    names = [one.name for one in model.joints for _ in range(one.nv)]
    if rate * h > HELD and any(share for name, share in zip(names, seen_of_rows[row], strict=True) if name == joint):
        warn(
            f"the law {law.name} acts on joint {joint!r} within {1.0 / rate:.2g} s, and what is held over {h:g} s "
            f"comes too late for that: the joint chatters; hold it for less than {HELD / rate:.2g} s, by a smaller "
            "step or period, or take smaller gains"
        )


def _share_cut(motion: Motion, first: int) -> Array:
    """Of samples in which efforts were cut, (…, nv), zero where it is small."""
    share = motion.saturated[first:-1].mean(axis=0)
    return np.where(share > OFTEN, share, 0.0)


def _share_turning(tau: Array) -> Array:
    """Of samples at which efforts turn round, (…, nv), zero where they do not alternate."""
    if len(tau) < SOME:
        return np.zeros(tau.shape[1:])
    steps = np.diff(tau, axis=0)
    share = (steps[1:] * steps[:-1] < 0.0).mean(axis=0)
    small = np.abs(steps).mean(axis=0) <= 1e-6 * (1.0 + np.abs(tau).max(axis=0))
    return np.where((share > ALTERNATING) & ~small, share, 0.0)


def _alone(law: Ruled, motion: Motion, at: tuple[int, ...]) -> Callable[[Array, Array], Array]:
    """(q, v) -> efforts (nv,) of the law in its last state, a sensor measuring nothing."""
    formula = law.formula
    if law.sensed:
        told = partial(formula.function, wrench=np.zeros(6))
        formula = replace(formula, function=told, key=(formula.key, "nothing measured"))
    state = np.zeros(0) if motion.states is None else motion.states[(-1, *at)][: formula.state]
    values = formula.told()
    alone = Ruled(law.model, formula, state, law.shapes, law.name)
    values = values[at] if values.ndim > 1 else values

    def efforts(q: Array, v: Array) -> Array:
        found: Array = alone.answer(0.0, q, v, values, state)
        return found

    return efforts
