"""Detection of chattering: feedback that is too fast for the step, with efforts at their limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from linkwright.errors import warn
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import LawController
from linkwright.simulation.integrators.methods import stiffest_feedback
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array

HELD = 2.0
"""Largest rate of feedback held over a step, times the step."""

LARGE = 300
"""Largest number of degrees of freedom for which stiffness is computed, which needs the mass matrix."""

OFTEN = 0.2
"""Share of saturated samples of a joint from which its feedback is examined."""

ALTERNATING = 0.9
"""Share of samples with alternating increments of efforts; for noise it is two thirds."""

SOME = 32
"""Least number of samples with alternating efforts."""

LOOKED_AT = 400
"""Largest number of samples at the end of a motion."""


def warn_if_chattering(model: Model, controller: LawController, motion: Motion, h: float) -> None:
    """Warn if a joint saturates often, or its efforts alternate, and the feedback is too fast for the step.

    The controller is evaluated every ``h`` seconds and acts directly on the joints. It is compiled alone only if the
    motion shows one of the signs.
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
        rate, joint = stiffest_feedback(model, _alone(controller, motion, at), q, v)
    except Exception:  # the check must not stop the motion
        return
    names = [one.name for one in model.joints for _ in range(one.nv)]
    if rate * h > HELD and any(share for name, share in zip(names, seen_of_rows[row], strict=True) if name == joint):
        warn(
            f"joint {joint!r} chatters: the controller {controller.name} has a time constant of {1.0 / rate:.2g} s "
            f"there, and efforts are held over {h:g} s; use a step or period below {HELD / rate:.2g} s, "
            "or smaller gains"
        )


def _share_cut(motion: Motion, first: int) -> Array:
    """Return the shares of saturated samples (…, nv), zero where small."""
    share = motion.saturated[first:-1].mean(axis=0)
    return np.where(share > OFTEN, share, 0.0)


def _share_turning(tau: Array) -> Array:
    """Return the shares of alternating increments of efforts (…, nv), zero where small."""
    if len(tau) < SOME:
        return np.zeros(tau.shape[1:])
    steps = np.diff(tau, axis=0)
    share = (steps[1:] * steps[:-1] < 0.0).mean(axis=0)
    small = np.abs(steps).mean(axis=0) <= 1e-6 * (1.0 + np.abs(tau).max(axis=0))
    return np.where((share > ALTERNATING) & ~small, share, 0.0)


def _alone(controller: LawController, motion: Motion, at: tuple[int, ...]) -> Callable[[Array, Array], Array]:
    """Return the controller as (q, v) -> efforts (nv,) in its last state, with a zero wrench at a sensor."""
    effort_function = controller.effort_function
    if controller.sensed:
        unloaded = partial(effort_function.function, wrench=np.zeros(6))
        effort_function = replace(effort_function, function=unloaded, key=(effort_function.key, "nothing measured"))
    state = np.zeros(0) if motion.states is None else motion.states[(-1, *at)][: effort_function.state]
    values = effort_function.packed_values()
    alone = LawController(controller.model, effort_function, state, controller.shapes, controller.name)
    values = values[at] if values.ndim > 1 else values

    def efforts(q: Array, v: Array) -> Array:
        found: Array = alone.efforts_at(0.0, q, v, values, state)
        return found

    return efforts
