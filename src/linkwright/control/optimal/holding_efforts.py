"""Efforts that hold a posture against gravity and springs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.compiler.public import kernel_of
from linkwright.dynamics import actuated_efforts, gravity_forces, mass_matrix, passive_forces
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


def holding_efforts(model: Model, q: Array, controls: Sequence[int]) -> Array:
    """Return the controlled efforts (…, nv) that hold postures q (…, nq) as well as possible.

    With closed loops, loop forces carry what they can, and the efforts have minimum norm; without loops each joint
    carries its own load.
    """
    places, still = list(controls), np.zeros((*q.shape[:-1], model.nv))
    passive = kernel_of(passive_forces, model)(q, still)
    if model.loops and len(places) < model.nv:
        own = {joint.name: model.slice(joint.name)[1] for joint in model.joints}
        names = tuple(name for name, part in own.items() if part.stop > part.start and part.start in places)
        shift = still  # an acceleration whose efforts are those against the passive forces
        if np.any(passive):
            shift = -np.linalg.solve(kernel_of(mass_matrix, model)(q), passive[..., None])[..., 0]
        held: Array = kernel_of(actuated_efforts, model, actuated=names)(q, still, shift)[0]
        return held
    held = np.zeros_like(passive)
    held[..., places] = (kernel_of(gravity_forces, model)(q) - passive)[..., places]
    return held
