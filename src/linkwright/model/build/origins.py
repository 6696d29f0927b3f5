"""Position of body frames along joint axes, chosen for sparse offsets.

The frame of a body may be anywhere along the axis of its revolute or prismatic joint, since no public result is
expressed in it. In modified Denavit–Hartenberg tables it is at the foot of the common normal with the next axis, so
that intersecting axes share an origin and at most two entries of an offset are not zero. In files it is arbitrary.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from linkwright.model.elements import Link
from linkwright.model.joints.joint import Cylindrical, Helical, Planar, Prismatic, Revolute
from linkwright.model.memo import share_derived
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose, pose_matrix

SHIFTABLE = (Revolute, Prismatic, Helical, Cylindrical, Planar)
"""Joints whose motion is the same for any origin along their axis."""

NOTHING = 1e-12
"""Offsets below this fraction of the largest are zero."""

ROUNDS = 3


def with_near_origins(model: Model) -> Model:
    """Return the model with body frames moved along their joint axes; public results do not change."""
    shifts = _shifts(model)
    if not shifts.any():
        return model
    Z = np.array([0.0, 0.0, 1.0])
    onward = [pose_matrix(p=shift * Z) for shift in shifts] + [np.eye(4)]  # the last is that of the world
    back = [inverse_pose(T) for T in onward]
    tiny = NOTHING * _reach(model)

    def placed(link: Link, k: int) -> Link:
        T = back[link.parent] @ link.placement @ onward[k]
        p = np.where(np.abs(T[:3, 3]) <= tiny, 0.0, T[:3, 3])
        return replace(
            link, placement=pose_matrix(link.placement[:3, :3], p), rigid_inertia=link.rigid_inertia.moved(back[k])
        )

    frames = {name: replace(f, placement=back[f.body] @ f.placement) for name, f in model.frames.items()}
    links = tuple(placed(link, k) for k, link in enumerate(model.links))
    shifted = replace(model, links=links, frames=MappingProxyType(frames))
    share_derived(model, shifted, scale_of)  # the mechanism's units do not depend on these frames
    return shifted


def _reach(model: Model) -> float:
    """Return the largest offset between two bodies."""
    return max((float(np.abs(link.placement[:3, 3]).max()) for link in model.links), default=0.0)


def _shifts(model: Model) -> Array:
    """Return the shifts of the frames along z; frames are moved one after another while offsets become sparser."""
    n, tiny = len(model.links), NOTHING * _reach(model)
    children: list[list[int]] = [[] for _ in range(n)]
    for k, link in enumerate(model.links):
        if link.parent >= 0:
            children[link.parent].append(k)
    axes = np.array([link.placement[:3, 2] for link in model.links]).reshape(n, 3)
    offsets = np.array([link.placement[:3, 3] for link in model.links]).reshape(n, 3)
    shifts = np.zeros(n)

    def numbers(k: int, shift: float) -> int:
        """Count nonzero entries of the offsets at body k after a shift; offsets from the world are free."""
        own = np.abs(offsets[k] + shift * axes[k]) > tiny if model.links[k].parent >= 0 else np.zeros(3)
        return int(own.sum()) + sum(
            int((np.abs(offsets[c, :2]) > tiny).sum()) + int(abs(offsets[c, 2] - shift) > tiny) for c in children[k]
        )

    for _ in range(ROUNDS):
        moved = False
        for k, link in enumerate(model.links):
            if not isinstance(link.motion, SHIFTABLE):
                continue
            candidates = [float(offsets[c, 2]) for c in children[k]]
            if link.parent >= 0:
                candidates += [-float(p / z) for p, z in zip(offsets[k], axes[k], strict=True) if abs(z) > 0.1]
            best = min((0.0, *candidates), key=lambda shift: (numbers(k, shift), abs(shift)))
            if numbers(k, best) < numbers(k, 0.0):
                shifts[k] += best
                offsets[k] += best * axes[k]
                for c in children[k]:
                    offsets[c, 2] -= best
                moved = True
        if not moved:
            break
    return shifts
