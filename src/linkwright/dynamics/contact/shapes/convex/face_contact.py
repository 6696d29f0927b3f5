"""Contact polygon of two faces: where both overlap, seen along the contact normal."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import FAR, either, inverse
from linkwright.dynamics.contact.shapes.convex.contact_face import ContactFace
from linkwright.spatial.arrays import Array, maximum, minimum
from linkwright.spatial.loops.memory import empty_row, read, write
from linkwright.spatial.loops.repeats import repeat, symbol_among

WIDER = 1e-9
"""Distance, relative to the size of the shapes, by which faces are enlarged, so that equal faces meet."""

STEEP = 0.05
"""Cosine between a face and the contact normal below which the face has no contact points."""

ONE = 1.0 - 1e-6
"""Crossings this near to a corner count as the corner."""

POINT_WIDTH = 4
"""Numbers of a point: gap, u, v, height of the middle between both faces."""


class FaceInContact:
    """Face in the axes (u, v, n) of a contact frame."""

    def __init__(self, face: ContactFace, frame: Array, origin: Array, turn: float):
        self.corners = [frame @ (x - origin) for x in face.corners]
        if turn < 0.0:
            self.corners.reverse()  # counterclockwise seen along the normal, for both faces
        self.normal = frame @ face.normal
        self.level = turn * self.normal[2] > STEEP
        self._per = inverse(self.normal[2])

    def height(self, u: Any, v: Any) -> Any:
        """Return the height of the plane of the face."""
        x, y, z = self.corners[0]
        return z - (self.normal[0] * (u - x) + self.normal[1] * (v - y)) * self._per

    @property
    def sides(self) -> list[tuple[Array, Array]]:
        """Corners, and the vectors to the next ones, (u, v) each."""
        after = [*self.corners[1:], self.corners[0]]
        return [(x[:2], (y - x)[:2]) for x, y in zip(self.corners, after, strict=True)]


def contact_polygon(a: FaceInContact, b: FaceInContact, radii: Any, size: Any) -> tuple[Any, int]:
    """Return a row in memory with the corners of the polygon, :data:`POINT_WIDTH` numbers each, and their number.

    Edges of the face of A are clipped by the sides of the face of B (Cyrus & Beck 1978; Ericson, "Real-Time Collision
    Detection", 2005, §5.3.8). Corners of the face of B within that of A complete the polygon. The gap is the distance
    of both faces along the normal minus the ``radii`` (2,) of the balls that are added to the cores. Corners that do
    not exist have the gap :data:`FAR`. There is room for one more point.
    """
    count = 2 * len(a.corners) + len(b.corners)
    symbol = symbol_among([np.asarray(x) for face in (a, b) for x in (*face.corners, face.normal)])
    level, (r1, r2), slack = a.level & b.level, radii, WIDER * size

    def entries(u: Any, v: Any, high: Any, low: Any, exists: Any) -> list[Any]:
        high, low = high - r1, low + r2
        return [either(exists, high - low, FAR), u, v, 0.5 * (high + low)]

    def clip_edge(k: Any, row: Any) -> Any:
        p, q = read(own, 3.0 * k, 3), read(own, 3.0 * k + 3.0, 3)
        e = q - p
        enters: Any = 0.0
        leaves: Any = 1.0
        for corner, side in b.sides:
            above, rate = _left(side, p[:2] - corner) + slack * _length(side), _left(side, e[:2])
            s = -above * inverse(rate)
            out = rate < 0.0
            enters, leaves = either(out, enters, maximum(enters, s)), either(out, minimum(leaves, s), leaves)
        there = level & (enters <= leaves)
        found = []
        for s, exists in ((enters, there), (leaves, there & (leaves < ONE))):
            x = p + either(exists, s, 0.0) * e
            found += entries(x[0], x[1], x[2], b.height(x[0], x[1]), exists)
        return write(row, k * float(2 * POINT_WIDTH), found)

    def keep_corner(k: Any, row: Any) -> Any:
        p = read(other, 3.0 * k, 3)
        inside = level
        for corner, side in a.sides:
            inside = inside & (_left(side, p[:2] - corner) > slack * _length(side))
        found = entries(p[0], p[1], a.height(p[0], p[1]), p[2], inside)
        return write(row, (k + float(2 * len(a.corners))) * float(POINT_WIDTH), found)

    own, other = (_corner_row(symbol, face) for face in (a, b))
    row = repeat(len(a.corners), clip_edge, empty_row(symbol, (count + 1) * POINT_WIDTH))
    return repeat(len(b.corners), keep_corner, row), count


def _corner_row(symbol: Any, face: FaceInContact) -> Any:
    """Return the corners in memory, and the first one again."""
    corners = [*face.corners, face.corners[0]]
    return write(empty_row(symbol, 3 * len(corners)), 0.0, np.concatenate(corners))


def _left(side: Array, x: Array) -> Any:
    """Return the distance of a point to the left of a side, times the length of the side."""
    return side[0] * x[1] - side[1] * x[0]


def _length(side: Array) -> Any:
    """Return a bound of the length, without a root."""
    return abs(side[0]) + abs(side[1])
