"""Serial arms from Denavit–Hartenberg tables, of either convention.

One row per joint. *Modified* (Craig 1986): the joint's frame i follows frame i − 1 by
Rot_x(α) Trans_x(a) Rot_z(θ) Trans_z(d), so its axis is z of its own frame. *Standard* (Paul 1981): by
Rot_z(θ) Trans_z(d) Trans_x(a) Rot_x(α), so its axis is z of the frame before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.errors import InputError, UnknownNameError
from linkwright.model.builder import Builder
from linkwright.model.description import STANDARD_GRAVITY, WORLD, pose_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_about
from linkwright.spatial.transform import pose_matrix

CONVENTIONS = ("modified", "standard")
X, _, Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class DHRow:
    """One row of the table, with what the moved link weighs, in the axes of the row's own frame i.

    ``theta`` (revolute joints) or ``d`` (prismatic ones) is the constant added to the coordinate.
    """

    a: float = 0.0
    """m"""
    alpha: float = 0.0
    """rad"""
    d: float = 0.0
    """m"""
    theta: float = 0.0
    """rad"""
    type: str = "revolute"
    """or "continuous", "prismatic\""""
    mass: float = 0.0
    """kg"""
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0)
    """(3,), in frame i, m"""
    inertia: Any = 0.0
    """(3, 3), its diagonal (3,) or one number: about the centre of mass in the axes of frame i, kg m²"""
    joint: Mapping[str, Any] = field(default_factory=dict)
    """limits, armature, friction, …: whatever else :meth:`Builder.joint` takes"""


def screw_x(row: DHRow) -> Array:
    """Rot_x(α) Trans_x(a), the constant part of a row: a pose (4, 4)."""
    return pose_matrix(rotation_about(X, row.alpha), row.a * X)


def screw_z(row: DHRow) -> Array:
    """Rot_z(θ) Trans_z(d), about which the joint moves, at coordinate zero: a pose (4, 4)."""
    return pose_matrix(rotation_about(Z, row.theta), row.d * Z)


def from_dh(
    name: str,
    rows: Sequence[DHRow],
    convention: str = "modified",
    *,
    base: Any = None,
    tool: Any = None,
    gravity: Sequence[float] = STANDARD_GRAVITY,
) -> Model:
    """The serial arm of a DH table, ``convention`` "modified" or "standard".

    ``base`` (4, 4) is the pose of frame 0 in the world, ``tool`` (4, 4) that of the frame "tool" in
    the last frame (identity where not given). Joints are joint1, joint2, …, links link1, …, and the
    table's frames dh1, …. Raises :class:`UnknownNameError` for another convention, otherwise what
    the builder raises.
    """
    if convention not in CONVENTIONS:
        raise UnknownNameError("DH convention", convention, CONVENTIONS)
    if not rows:
        raise InputError("a DH table needs at least one row")
    builder = Builder(name, gravity)
    parent, before = WORLD, pose_of(base)  # frame i − 1 in the parent link
    for k, row in enumerate(rows, start=1):
        if row.type not in ("revolute", "continuous", "prismatic"):
            raise InputError(f"row {k} of {name!r}: a DH joint is revolute, continuous or prismatic; got {row.type!r}")
        if convention == "modified":  # Rot_z and Trans_z commute: the link's frame is the table's
            placement, end = before @ screw_x(row) @ screw_z(row), np.eye(4)
        else:
            placement, end = before @ screw_z(row), screw_x(row)
        link = f"link{k}"
        R = end[:3, :3]
        inertia = np.asarray(row.inertia, dtype=float)
        if inertia.shape in ((), (3,)):
            inertia = np.diag(np.broadcast_to(inertia, (3,)))
        center = end[:3, 3] + R @ np.asarray(row.center_of_mass, dtype=float)
        builder.body(link, row.mass, center, R @ inertia @ R.T)
        builder.joint(f"joint{k}", row.type, parent, link, placement=placement, **row.joint)
        builder.frame(f"dh{k}", link, placement=end)
        parent, before = link, end
    builder.frame("tool", parent, placement=before @ pose_of(tool))
    return builder.build()
