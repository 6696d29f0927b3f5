"""Distance of two cylinders, or of a cylinder and a segment, that are apart: Newton's method and projections.

A cylinder is the sum of a segment and a disc. The vector v from B to A of the nearest points minimizes

    v²/2 over v = z + s a − t b − (disc of A) − (disc of B),  |s| ≤ half length of A, |t| ≤ half length of B.

For a direction v, the farthest point of a disc of radius r and its derivative along the tangent τ of the rim are known:
its curvature adds r/ρ · τ τᵀ, with the part ρ of v across the axis. A Newton step is the nearest pair of two segments
in this metric. Projections onto both cylinders then make the points feasible; they correct what Newton's method finds
slowly, a normal that is nearly along an axis. Three rounds are enough for 97 of 100 pairs.

The supporting planes normal to v prove the distance. Without a proof the result is unknown: pairs that overlap, and
some with parallel axes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import NOTHING, along, cross, either, unit
from linkwright.dynamics.contact.shapes.rounded import nearest_of_segments
from linkwright.dynamics.distance.cores import ConvexCore
from linkwright.spatial.arrays import Array, clip, maximum
from linkwright.spatial.loops.repeats import until

STEPS = 6
"""Largest number of Newton steps."""

PROVED = 1e-12
"""Difference of the distance and its lower bound, relative to the size of the shapes, at which the distance is known.
"""

STRAIGHT = 1e-10
"""Difference of the distance and that of the planes normal to the line between the nearest points, relative to the size
of the shapes, at which the normal is known."""

TOUCHING = 1e-9
"""Distance, relative to the size of the shapes, below which the result is unknown."""

NARROW = 1e-9
"""Part of a direction across an axis, relative to the radius, below which it counts as this."""

TURN = 0.3
"""Smallest part of a direction across an axis after a step, relative to that before."""


class RoundCore(NamedTuple):
    """Sum of a segment and a disc."""

    center: Array
    axis: Array
    """(3,), unit"""
    aside: Array
    """(3,), unit, across the axis"""
    half: Any
    radius: Any

    @classmethod
    def of(cls, core: ConvexCore, origin: Array) -> RoundCore:
        """Return the core of a cylinder or a capsule, relative to an origin."""
        return cls(core.center - origin, core.R[:, 2], core.R[:, 0], core.sizes[2], core.sizes[3])

    def nearest(self, x: Array) -> Array:
        """Return the nearest point of the core."""
        rise, across, square = self._parts(x - self.center)
        outside = square > self.radius * self.radius
        share = either(outside, self.radius / np.sqrt(either(outside, square, 1.0)), 1.0)
        return self.center + clip(rise, -self.half, self.half) * self.axis + share * across

    def farthest(self, n: Array) -> Array:
        """Return the point of the core that is farthest along n."""
        rise, across, _ = self._parts(n)
        _, out = unit(across, self.aside)
        return self.center + (along(rise) * self.half) * self.axis + self.radius * out

    def reach(self, n: Array) -> Any:
        """Return the support distance along n from the center."""
        rise, _, square = self._parts(n)
        return self.half * abs(rise) + self.radius * np.sqrt(maximum(square, NOTHING))

    def rim(self, v: Array) -> tuple[Any, Array, Array, Any]:
        """Return the part ρ of v across the axis, its direction, the tangent of the rim there, and radius/ρ."""
        rho, out = unit(self._parts(v)[1], self.aside)
        return rho, out, cross(self.axis, out), self.radius / maximum(rho, NARROW * self.radius + NOTHING)

    def _parts(self, x: Array) -> tuple[Any, Array, Any]:
        rise = x @ self.axis
        across = x - rise * self.axis
        return rise, across, across @ across


class RoundDistance(NamedTuple):
    """Nearest points of two cores."""

    x: Array
    """(3,), of A"""
    y: Array
    """(3,), of B"""
    distance: Any
    low: Any
    """lower bound of the distance"""
    along: Any
    """distance of the supporting planes normal to x − y"""

    def proved(self, size: Any) -> Any:
        """Return whether the distance and its normal are known."""
        return (self.distance - self.low <= PROVED * size) & (self.distance - self.along <= STRAIGHT * size)


def round_distance(one: ConvexCore, other: ConvexCore, size: Any) -> tuple[Any, Array, Array, Any]:
    """Return the distance of the cores of two cylinders or capsules, its normal, the point of A, and whether these are
    unknown; ``size``: a length of the shapes, m."""
    A, B = RoundCore.of(one, other.center), RoundCore.of(other, other.center)

    def low(n: Array) -> Any:
        square = n @ n
        return (n @ A.center - A.reach(n) - B.reach(n)) / np.sqrt(maximum(square, NOTHING))

    def ends(*state: Any) -> Any:
        found = RoundDistance(*state)
        return found.proved(size) | (found.distance <= TOUCHING * size)

    def step(_: Any, *state: Any) -> tuple[Any, ...]:
        found = RoundDistance(*state)
        v, y = _newton_step(A, B, found.x - found.y)
        after = _projected(A, B, y)
        worse = after.distance > found.distance
        x = A.nearest(_select(worse, found.y, after.y))
        y = B.nearest(x)
        difference = x - y
        own = low(difference)
        bound = maximum(maximum(found.low, own), low(v))
        return tuple(RoundDistance(x, y, np.sqrt(difference @ difference), bound, own))

    found = RoundDistance(*until(ends, step, *_start(A, B, low), limit=STEPS)[:-1])
    known = found.proved(size) & (found.distance > TOUCHING * size)
    _, normal = unit(found.x - found.y, (0.0, 0.0, 1.0))
    return found.distance, normal, found.x + other.center, either(known, 0.0, 1.0) > 0.5


def _start(A: RoundCore, B: RoundCore, low: Any) -> RoundDistance:
    """Return the best of the nearest points of both axes, and of the end of each core with the other one."""
    ends = [along(A.center @ core.axis) * core.axis for core in (A, B)]
    _, t = nearest_of_segments(A.center, A.half * A.axis, B.half * B.axis)
    found = _projected(A, B, t * (B.half * B.axis))
    for one in (_projected(A, B, B.farthest(ends[0])), _projected(A, B, B.nearest(A.farthest(-ends[1])))):
        less = one.distance < found.distance
        x, y = _select(less, one.x, found.x), _select(less, one.y, found.y)
        found = RoundDistance(x, y, either(less, one.distance, found.distance), 0.0, 0.0)
    own = low(found.x - found.y)
    return found._replace(low=maximum(maximum(low(ends[0]), low(ends[1])), own), along=own)


def _select(condition: Any, x: Array, y: Array) -> Array:
    return np.stack([either(condition, a, b) for a, b in zip(x, y, strict=True)])


def _projected(A: RoundCore, B: RoundCore, y: Array) -> RoundDistance:
    """Return the nearest point of A to y, and the nearest point of B to that."""
    x = A.nearest(y)
    y = B.nearest(x)
    away = x - y
    return RoundDistance(x, y, np.sqrt(away @ away), 0.0, 0.0)


def _newton_step(A: RoundCore, B: RoundCore, v: Array) -> tuple[Array, Array]:
    """Return the vector from B to A after a Newton step, and the point of B."""
    a, b = A.axis, B.axis
    (_, out_a, p, j), (rho, out_b, q, k) = A.rim(v), B.rim(v)
    z = A.center - A.radius * out_a - B.radius * out_b
    g, pb, qa, pz, qz = p @ q, p @ b, q @ a, p @ z, q @ z
    # the inverse of 1 + j p pᵀ + k q qᵀ is 1 − (p, q) G (p, q)ᵀ
    per = 1.0 / ((1.0 + j) * (1.0 + k) - (j * k) * (g * g))
    G11, G12, G22 = per * j * (1.0 + k), -per * j * k * g, per * k * (1.0 + j)
    aa, bb, ab = 1.0 - qa * qa * G22, 1.0 - pb * pb * G11, a @ b - qa * G12 * pb
    az, bz = a @ z - qa * (G12 * pz + G22 * qz), b @ z - pb * (G11 * pz + G12 * qz)
    s = clip((ab * bz - az * bb) / maximum(aa * bb - ab * ab, 1e-12 * aa * bb + NOTHING), -A.half, A.half)
    t = clip((ab * s + bz) / bb, -B.half, B.half)
    s = clip((ab * t - az) / aa, -A.half, A.half)
    w = z + s * a - t * b
    pw, qw = pz - t * pb, qz + s * qa
    v = w - (G11 * pw + G12 * qw) * p - (G12 * pw + G22 * qw) * q
    _, out = unit(maximum(out_b @ v, TURN * rho) * out_b + (q @ v) * q, out_b)
    return v, B.center + t * b + B.radius * out
