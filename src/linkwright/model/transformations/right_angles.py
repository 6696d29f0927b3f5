"""Correction of right angles that a file gives with few digits."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from linkwright.bounds import between
from linkwright.model.build.assembly import described
from linkwright.model.build.description import Description
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, snap
from linkwright.spatial.euler import euler_from_quaternion, euler_matrix
from linkwright.spatial.rotation import quaternion_from_matrix, rotation_log

STEP = np.pi / 12.0
"""Intended angles are multiples of this."""

_ORDERS = ["".join(order) for order in product("xyz", repeat=3) if order[0] != order[1] != order[2]]


def snapped(model: Model, angle: float) -> Description:
    """Return the description with rotations of joints and frames replaced by simpler ones within an angle."""
    between("angle", angle, 0.0, 0.01, "rad")

    def turned(T: Array) -> Array:
        made = np.array(T)
        made[:3, :3] = simpler(T[:3, :3], angle)
        return made

    given = described(model if model.physical is None else model.physical)
    joints = tuple(
        replace(one, placement=turned(one.placement), alignment=simpler(one.alignment, angle)) for one in given.joints
    )
    frames = tuple(replace(one, placement=turned(one.placement)) for one in given.frames)
    return replace(given, joints=joints, frames=frames)


def simpler(R: Array, angle: float) -> Array:
    """Return the rotation (3, 3) with the most zeros among nearby products of three rotations by multiples of π/12."""
    best, zeros = R, int((R == 0.0).sum())
    for order in _ORDERS:
        angles = euler_from_quaternion(quaternion_from_matrix(R), order)
        near = STEP * np.round(angles / STEP)
        made = snap(euler_matrix(np.where(np.abs(angles - near) <= angle, near, angles), order))
        if int((made == 0.0).sum()) > zeros and np.linalg.norm(rotation_log(R.T @ made)) <= 2.0 * angle:
            best, zeros = made, int((made == 0.0).sum())
    return best
