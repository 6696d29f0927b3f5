"""Candidate contact points, and vector functions shared by all pairs of shapes.

No function divides by zero or takes the root of a negative number: vectors without a direction get one, and derivatives
stay finite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.spatial.arrays import Array, clip, maximum, where

FAR = 1e3
"""m: gap of a candidate that does not exist at the moment."""

DISTANT = 1e2
"""m: candidates with a larger gap do not exist at the moment."""

WIDTH = 7
"""Numbers of a candidate: gap, point, normal."""

ABSENT = (FAR, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Numbers of a candidate that does not exist at the moment."""

NOTHING = 1e-300
"""Squared length, or divisor, below which it counts as zero."""

GROWN = 1.0 + 1e-9
"""Factor by which faces are enlarged, so that equal faces meet."""

PREFERRED = 1e-4
"""Advantage, relative to the smallest half size, that an axis needs over those of the first shape's faces (an edge
axis: over those of all faces), so that rounding does not change the selection."""


class ContactCandidate(NamedTuple):
    """Candidate contact point of two shapes, with numbers or symbols."""

    gap: Any
    """m, negative where shapes overlap; :data:`FAR` where the point does not exist at the moment"""
    point: Array
    """(3,), m, world axes, midway between the two surfaces"""
    normal: Array
    """(3,), unit, world axes, from the second shape to the first"""

    @classmethod
    def of_numbers(cls, numbers: Array) -> ContactCandidate:
        """Return the candidate with these :attr:`numbers`."""
        return cls(numbers[0], numbers[1:4], numbers[4:])

    @property
    def numbers(self) -> list[Any]:
        """Gap, point and normal."""
        return [self.gap, *self.point, *self.normal]

    def flipped(self) -> ContactCandidate:
        """Return the candidate with the shapes in the other order."""
        return ContactCandidate(self.gap, self.point, -self.normal)


def contact_frame(normal: Array) -> tuple[Array, Array]:
    """Return two unit vectors t1, t2 (3,), so that (t1, t2, normal) is a right-handed frame; ``normal`` (3,) is a unit
    vector.

    Without branches or roots, and exact to rounding for every direction (Duff et al., "Building an orthonormal basis,
    revisited", JCGT 2017). The tangents are discontinuous where the z component of the normal is zero.
    """
    x, y, z = normal
    s = either(z < 0.0, -1.0, 1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    return vector(1.0 + s * x * x * a, s * b, -s * x), vector(b, s + y * y * a, -y)


def either(condition: Any, a: Any, b: Any) -> Any:
    """Return ``a`` where the condition holds, else ``b``; a number for numbers."""
    if isinstance(condition, (bool, np.bool_)) and isinstance(a, float) and isinstance(b, float):
        return a if condition else b
    chosen = where(condition, a, b)
    return chosen[()] if isinstance(chosen, np.ndarray) else chosen


def vector(*entries: Any) -> Array:
    """Return an array of these numbers or symbols."""
    return np.array([x[()] if isinstance(x, np.ndarray) else x for x in entries])


def halves(size: Any) -> list[Any]:
    """Return half of each number."""
    return [0.5 * x for x in size]


def cross(a: Array, b: Array) -> Array:
    """Return a × b (3,)."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def along(x: Any) -> Any:
    """Return -1 for negative numbers, else 1."""
    return either(x < 0.0, -1.0, 1.0)


def inverse(x: Any) -> Any:
    """Return 1/x, or ±1e30 for |x| < 1e-30."""
    return along(x) / maximum(abs(x), 1e-30)


def unit(x: Array, otherwise: Any) -> tuple[Any, Array]:
    """Return the length of a vector, and its direction; that of a zero vector is ``otherwise``."""
    square = x @ x
    there = square > NOTHING
    length = np.sqrt(either(there, square, 1.0))
    scale = either(there, 1.0 / length, 0.0)
    direction = [x[k] * scale + either(there, 0.0, 1.0) * e for k, e in enumerate(otherwise)]
    return either(there, length, 0.0), vector(*direction)


def slab(position: Any, step: Any, half: Any) -> tuple[Any, Any]:
    """Return the interval of s with |position + s step| ≤ half; the second number is less than the first if it is
    empty."""
    per = inverse(step)
    middle, width = -position * per, half * abs(per)
    return middle - width, middle + width


def within(s: Any) -> Any:
    """Clip a parameter of a segment to [-1, 1]."""
    return clip(s, -1.0, 1.0)
