"""Bodies of the built-in robots: capsules, cylinders and rounded slabs that are drawn and touch nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.model.build.builder import Builder
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import pose_matrix

Color = tuple[float, float, float]
Point = Sequence[float] | Array

SHELL: Color = (0.91, 0.92, 0.94)
"""covers of links"""
DARK: Color = (0.22, 0.24, 0.28)
"""motors and joints"""
ACCENT: Color = (0.0, 0.447, 0.698)
"""the first color of plots, #0072B2"""


class BodyShapes:
    """Adds visual shapes to the bodies of a builder; all points are in the frame of the body, in m."""

    def __init__(self, builder: Builder):
        self.builder = builder

    def ball(self, body: str, center: Point, radius: float, color: Color = DARK) -> None:
        """Add a sphere."""
        self.builder.shape(body, "sphere", radius=radius, placement=_at(center), use="visual", color=color)

    def rod(self, body: str, start: Point, end: Point, radius: float, color: Color = SHELL) -> None:
        """Add a capsule whose caps have their centers at two points."""
        self._along("capsule", body, start, end, radius, color)

    def drum(self, body: str, start: Point, end: Point, radius: float, color: Color = DARK) -> None:
        """Add a cylinder from one point to another."""
        self._along("cylinder", body, start, end, radius, color)

    def slab(self, body: str, center: Point, size: Sequence[float], color: Color = SHELL) -> None:
        """Add a box whose edges are round: the smallest of its three sizes is twice the radius of its edges."""
        thin, first, second = (int(k) for k in np.argsort(size, kind="stable"))
        radius = 0.5 * size[thin]
        half = 0.5 * np.array(size, dtype=float) - radius
        self._box(body, center, 2.0 * (half + radius * np.eye(3)[thin]), color)
        for along, across in ((first, second), (second, first)):
            for side in (-1.0, 1.0):
                middle = np.array(center, dtype=float) + side * half[across] * np.eye(3)[across]
                reach = half[along] * np.eye(3)[along]
                self.rod(body, middle - reach, middle + reach, radius, color)

    def _box(self, body: str, center: Point, size: Any, color: Color) -> None:
        if min(size) > 0.0:
            self.builder.shape(body, "box", size=size, placement=_at(center), use="visual", color=color)

    def _along(self, kind: str, body: str, start: Point, end: Point, radius: float, color: Color) -> None:
        a, b = np.array(start, dtype=float), np.array(end, dtype=float)
        length = float(np.linalg.norm(b - a))
        if not length > 0.0:
            self.ball(body, start, radius, color)
            return
        placement = pose_matrix(rotation_from_z((b - a) / length), 0.5 * (a + b))
        self.builder.shape(body, kind, radius=radius, length=length, placement=placement, use="visual", color=color)


def _at(center: Point) -> Array:
    """Return the pose (4, 4) of a shape at a point."""
    return pose_matrix(p=np.array(center, dtype=float))
