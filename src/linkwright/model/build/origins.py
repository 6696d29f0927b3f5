"""Where along their joints' axes the bodies' own frames lie: where fewest numbers are between them.

A body's frame may lie anywhere along the axis of its hinge or slide: nothing public is said in it. In
modified Denavit–Hartenberg tables it lies where the next axis is nearest, so that axes that meet share
an origin and of an offset between them at most two entries are not zero. Files place it anywhere.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from linkwright.model.derived import share_derived
from linkwright.model.joint import Cylindrical, Helical, Planar, Prismatic, Revolute
from linkwright.model.scale import scale_of
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose, pose_matrix

SHIFTABLE = (Revolute, Prismatic, Helical, Cylindrical, Planar)
"""Joints whose motion is the same seen from any origin along their axis."""

NOTHING = 1e-12
"""An offset of less than this of the largest is none."""

ROUNDS = 3


def with_near_origins(model: Model) -> Model:
    """The model with the bodies' frames moved along their joints' axes; whatever it tells is unchanged."""
    shifts = _shifts(model)
    if not shifts.any():
        return model
    Z = np.array([0.0, 0.0, 1.0])
    onward = [pose_matrix(p=shift * Z) for shift in shifts] + [np.eye(4)]  # the last is the world's
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
    share_derived(model, shifted, scale_of)  # the mechanism's own units are not where frames lie
    return shifted


def _reach(model: Model) -> float:
    """The largest offset between two bodies."""
    return max((float(np.abs(link.placement[:3, 3]).max()) for link in model.links), default=0.0)


def _shifts(model: Model) -> Array:
    """How far each frame moves along its z, by moving one at a time while that makes offsets sparser."""
    n, tiny = len(model.links), NOTHING * _reach(model)
    children: list[list[int]] = [[] for _ in range(n)]
    for k, link in enumerate(model.links):
        if link.parent >= 0:
            children[link.parent].append(k)
    axes = np.array([link.placement[:3, 2] for link in model.links]).reshape(n, 3)
    offsets = np.array([link.placement[:3, 3] for link in model.links]).reshape(n, 3)
    shifts = np.zeros(n)

    def numbers(k: int, shift: float) -> int:
        """Entries that are not zero about body k, once it is shifted; an offset from the world costs nothing."""
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
