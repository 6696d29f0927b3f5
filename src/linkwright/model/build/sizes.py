"""Limits of masses and lengths, so that products of a mechanism's numbers neither overflow nor underflow.

Dynamics multiplies up to three moments of inertia, each a mass times the square of a length. Of masses and lengths
from 1e-30 to 1e30 (kg, m) these keep full precision.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.model.build.description import BodySpec, Description
from linkwright.model.joints.loop import Loop
from linkwright.model.scale import size_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import is_symbolic, is_zero

LARGEST, LEAST = 1e30, 1e-30
"""kg and m"""

LARGEST_MOMENT = LARGEST**3
"""kg m²"""

_LARGEST = f"it may be up to {LARGEST:g}, since products of larger numbers overflow"
_LEAST = f"it must be at least {LEAST:g}, since products of smaller numbers underflow"


def too_large(body: BodySpec) -> str:
    """Return the number of a valid body that is too large, or ""."""
    farthest, moment = np.abs(body.center_of_mass).max(), np.abs(body.inertia).max()
    if body.mass > LARGEST:
        return f"the mass is {body.mass:g} kg; {_LARGEST}"
    if farthest > LARGEST:
        return f"the center of mass is {farthest:g} m away; {_LARGEST}"
    if moment > LARGEST_MOMENT:
        return f"the inertia is {moment:g} kg m²; it may be up to {LARGEST_MOMENT:g}"
    return ""


def too_far(description: Description) -> Iterator[tuple[str, str]]:
    """Yield the joints, frames and loops with too large offsets: position in the file, and problem."""
    loops = [loop for loop in description.loops if isinstance(loop, Loop)]
    for what, every in (("joint", description.joints), ("frame", description.frames), ("loop", loops)):
        items = [item for item in every if not is_symbolic(item.placement)]
        offsets = np.array([item.placement[:3, 3] for item in items], dtype=float).reshape(-1, 3)
        for k in np.flatnonzero(~(np.abs(offsets).max(axis=1) <= LARGEST)):
            far = np.abs(offsets[k]).max()
            who = getattr(items[k], "label", "") or f"{what} {items[k].name!r}"
            yield items[k].place, f"{who} is placed {far:g} m away; {_LARGEST}"
    for joint in description.joints:
        if joint.motion is not None and abs(joint.motion.pitch) > LARGEST:
            yield joint.place, f"joint {joint.name!r} has a pitch of {joint.motion.pitch:g} m; {_LARGEST}"


def too_small(model: Model) -> str:
    """Return the quantity of the whole mechanism that is too small, or ""; rotors suffice for their joints."""
    driven = [joint for joint in model.joints if all(map(is_zero, joint.armature))]
    length, mass = size_of(model)
    if mass < LEAST and driven:
        heaviest = max((body for body in model.bodies if not is_symbolic(body.mass)), key=lambda body: float(body.mass))
        return f"the heaviest body, {heaviest.name!r}, has a mass of {mass:g} kg; {_LEAST}"
    turning = next((joint.name for joint in driven if "rad" in joint.motion.units), "")
    if length < LEAST and turning:
        return f"the bodies that joint {turning!r} and others rotate are {length:g} m long; {_LEAST}"
    return ""
