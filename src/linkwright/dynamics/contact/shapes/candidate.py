"""A candidate point of contact, and the few functions of vectors that all pairs of shapes need.

Nothing here divides by zero or takes the root of less than nothing, whatever the numbers: what has no direction gets
one, and derivatives stay finite there too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, clip, maximum, where

FAR = 1e3
"""m: the gap of a candidate that does not exist at the moment."""

NOTHING = 1e-300
"""The square of a length, or a divisor, below which it counts as zero."""

GROWN = 1.0 + 1e-9
"""Points that are so little outside of a face are on it, so that equal faces meet."""

PREFERRED = 1e-4
"""Relative to the smallest half size: so much must an axis be better than those of the first shape's faces (that of an
edge: than those of all faces) to be taken: what lies on a face is not to change its mind by rounding."""


class Candidate(NamedTuple):
    """A point where two shapes may touch. Symbols as well as numbers."""

    gap: Any
    """m; below zero they overlap by so much; :data:`FAR` where at the moment the point does not exist"""
    point: Array
    """(3,), m, world axes, midway between the two surfaces"""
    normal: Array
    """(3,), unit, world axes, from the second shape to the first"""

    def turned(self) -> Candidate:
        """The same with the shapes in the other order."""
        return Candidate(self.gap, self.point, -self.normal)


def contact_frame(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors t1, t2 (3,), so that (t1, t2, normal) is a right-handed frame; ``normal`` (3,) is unit.

    Without branches or roots, and exact to rounding for every direction (Duff et al., "Building an orthonormal basis,
    revisited", JCGT 2017). As the normal's z passes zero the tangents jump.
    """
    x, y, z = normal
    s = either(z < 0.0, -1.0, 1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    return vector(1.0 + s * x * x * a, s * b, -s * x), vector(b, s + y * y * a, -y)


def either(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; a number of numbers."""
    chosen = where(condition, a, b)
    return chosen[()] if isinstance(chosen, np.ndarray) else chosen


def vector(*entries: Any) -> Array:
    """An array of these numbers or symbols."""
    return np.array([x[()] if isinstance(x, np.ndarray) else x for x in entries])


def halves(size: Any) -> list[Any]:
    """Half of each number."""
    return [0.5 * x for x in size]


def cross(a: Array, b: Array) -> Array:
    """a × b (3,)."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def along(x: Any) -> Any:
    """-1 below zero, else 1."""
    return either(x < 0.0, -1.0, 1.0)


def inverse(x: Any) -> Any:
    """1/x, or ±1e30 where x is nearer to zero than 1e-30."""
    return along(x) / maximum(abs(x), 1e-30)


def unit(x: Array, otherwise: Any) -> tuple[Any, Array]:
    """The length of a vector, and its direction; that of none is ``otherwise``."""
    square = x @ x
    there = square > NOTHING
    length = np.sqrt(either(there, square, 1.0))
    scale = either(there, 1.0 / length, 0.0)
    direction = [x[k] * scale + either(there, 0.0, 1.0) * e for k, e in enumerate(otherwise)]
    return either(there, length, 0.0), vector(*direction)


def slab(position: Any, step: Any, half: Any) -> tuple[Any, Any]:
    """Where |position + s step| ≤ half, from s to s; the second is less than the first where it nowhere is."""
    per = inverse(step)
    middle, width = -position * per, half * abs(per)
    return middle - width, middle + width


def within(s: Any) -> Any:
    """A place on a segment, from -1 to 1."""
    return clip(s, -1.0, 1.0)
