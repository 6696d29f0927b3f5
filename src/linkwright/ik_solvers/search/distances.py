"""Bounds of the distances between points of a mechanism, which prove that targets are unreachable without a search.

A point on the axis of a hinge is fixed on both bodies, and so is the center of a ball joint. Points of one body have a
constant distance; the distance of two points separated by one hinge or slide is in an interval, given by the range of
the joint. All others follow from these: d(a, c) ≤ d(a, b) + d(b, c) and d(a, c) ≥ d(a, b) − d(b, c).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.model.joints.joint import Revolute, Spherical, Universal
from linkwright.model.joints.joint_type import JointType
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.transform import inverse_pose

ROUNDING = 1e-9
"""of a distance"""

TURN = 2.0 * np.pi

TURNING = (Revolute, Spherical, Universal)
"""Joints that keep a point in place."""


class Distances(NamedTuple):
    """Points (n), and between which bounds their distances (n, n) are, in whatever posture."""

    places: dict[int, dict[int, Array]]
    """by the number of a body, -1 of the world: by the number of a point on it, where that is (3,) in its frame"""
    least: Array
    most: Array


Line = tuple[Array, Array, JointType]
"""A point (3,) of a joint's axis, its direction, and what joint it is."""


class Point(NamedTuple):
    """A point that targets place."""

    target: int
    """the number of the target, or -1 of a point that stays where it is"""
    place: Array
    """(3,) in the frame of that target, or in the frame of all targets"""

    def away(self, other: Point) -> float:
        """Return the distance from another point of the same frame."""
        return float(np.linalg.norm(self.place - other.place))

    def under(self, targets: Sequence[Array]) -> Array:
        """Return the positions (…, 3) for targets (…, 4, 4) or (…, 3)."""
        if self.target < 0:
            return self.place
        target = targets[self.target]
        if target.shape[-1:] == (3,):
            return target
        return target[..., :3, 3] + sum(target[..., :3, k] * self.place[k] for k in range(3))


class Apart(NamedTuple):
    """Two points that targets place, and how far apart they can be, m."""

    first: Point
    second: Point
    least: float
    most: float

    def beyond(self, targets: Sequence[Array], tolerance: Any) -> Any:
        """Return whether targets, within the tolerance (m and rad), violate the distance."""
        away = self.first.under(targets) - self.second.under(targets)
        square = (away * away).sum(axis=-1)
        missed = tolerance * sum(2.0 + np.abs(one.place).sum() for one in (self.first, self.second))
        most = self.most * (1.0 + ROUNDING) + missed
        beyond = square > most * most if np.isfinite(self.most) else False
        if self.least > 0.0:
            least = self.least * (1.0 - ROUNDING) - missed
            beyond = beyond | ((least > 0.0) & (square < least * least))
        return beyond


def distances(model: Model, ends: Sequence[tuple[int, Array]], limits: bool) -> Distances | None:
    """Return bounds of the distances of joint points on the paths to some ends: bodies, and points (3,) in them.

    ``limits``: whether joint limits hold. None if the lengths of the mechanism are symbolic.
    """
    moving = sorted({k for body, _ in ends for k in model.path(body)})
    if any(is_symbolic(model.links[k].placement) for k in moving):
        return None
    places: dict[int, dict[int, Array]] = {body: {} for body in (-1, *moving)}
    for number, (body, place) in enumerate(ends):
        places[body][number] = place
    count = len(ends)
    for k, heights in _on_axes(model, moving, ends).items():
        link = model.links[k]
        for height in heights:
            there = np.array([0.0, 0.0, height])
            places[k][count], places[link.parent][count] = there, seen(link.placement, there)
            count += 1
    for body in moving:
        if not isinstance(model.links[body].motion, TURNING):
            places[body][count], count = np.zeros(3), count + 1
    least, most = _between(model, moving, places, count, limits)
    for k in range(count):
        most = np.minimum(most, most[:, k, None] + most[k])
    for _ in range(2):  # from both ends
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            for k in range(count):
                least = np.fmax(least, least[k] - most[:, k, None])
        least = least.T
    return Distances(places, least, most)


def strictest(some: dict[int, Point], others: dict[int, Point], told: Distances) -> list[Apart]:
    """Return the bounds of distances between two sets of points that each move together, by their numbers.

    Bounds that follow from others are omitted: points that move together keep their distances.
    """
    pairs = [(i, j) for i in some for j in others]
    least, most = ({pair: float(x[pair]) for pair in pairs} for x in (told.least, told.most))
    for pair in pairs:
        slack = 1e-12 * max(1.0, min(most[pair], 1e12))
        for other in pairs:
            if other != pair:
                shift = some[pair[0]].away(some[other[0]]) + others[pair[1]].away(others[other[1]])
                if most[other] + shift <= most[pair] + slack:
                    most[pair] = np.inf
                if least[other] - shift >= least[pair] - slack:
                    least[pair] = 0.0
    bound = [pair for pair in pairs if least[pair] > 0.0 or np.isfinite(most[pair])]
    return [Apart(some[i], others[j], least[i, j], most[i, j]) for i, j in bound]


def _on_axes(model: Model, moving: Sequence[int], ends: Sequence[tuple[int, Array]]) -> dict[int, list[float]]:
    """Points of every joint that it keeps in place: how far along its axis; those nearest to what is fixed to it."""
    found: dict[int, list[float]] = {k: [] for k in moving if isinstance(model.links[k].motion, TURNING)}
    for body in (-1, *moving):
        placed = {body: np.eye(4)} if body >= 0 else {}
        placed |= {k: model.links[k].placement for k in moving if model.links[k].parent == body}
        places = [place for of, place in ends if of == body]
        for k, T in placed.items():
            if k not in found or not model.links[k].motion.hinge:
                continue
            p, axis = T[:3, 3], T[:3, 2]
            for other, S in placed.items():
                if other != k:
                    across = S[:3, 2] if model.links[other].motion.hinge else axis
                    found[k].append(_nearest(p, axis, S[:3, 3], across))
            found[k] += [float(axis @ (x - p)) for x in places]
    return {k: sorted({round(x, 12) for x in heights} or {0.0}) for k, heights in found.items()}


def _nearest(p: Array, axis: Array, other: Array, across: Array) -> float:
    """Return the coordinate, along an axis from p, of the point nearest to another axis; if parallel, to its point."""
    away, cosine = other - p, float(axis @ across)
    sine2 = 1.0 - cosine**2
    if sine2 < 1e-12:
        return float(axis @ away)
    return float((axis - cosine * across) @ away) / sine2


def _between(
    model: Model, moving: Sequence[int], places: dict[int, dict[int, Array]], count: int, limits: bool
) -> tuple[Array, Array]:
    """The distances (n, n) of points on one body, and on two that one joint lies between; else zero to infinite."""
    least, most = np.zeros((count, count)), np.full((count, count), np.inf)
    for of in places.values():
        for k, a in of.items():
            for m, b in of.items():
                least[k, m] = most[k, m] = np.linalg.norm(a - b)
    for body in moving:
        link, joint = model.links[body], model.joints[body]
        if not (link.motion.hinge or link.motion.slide):
            continue
        lower, upper = -np.inf, np.inf
        if limits and joint.nq:
            lower, upper = float(joint.lower[0]), float(joint.upper[0])
        near = _turned if link.motion.hinge else _slid
        back = inverse_pose(link.placement)
        for m, b in places[link.parent].items():
            there = seen(back, b)
            for k, a in places[body].items():
                low, high = near(a, there, lower, upper)
                least[k, m] = least[m, k] = max(least[k, m], low)
                most[k, m] = most[m, k] = min(most[k, m], high)
    return least, most


def _turned(a: Array, b: Array, lower: float, upper: float) -> tuple[float, float]:
    """Return the smallest and largest distance of points of which one rotates about z between limits."""
    radii, along = np.hypot(a[0], a[1]) * np.hypot(b[0], b[1]), a[2] - b[2]
    from_ = np.arctan2(a[1], a[0]) - np.arctan2(b[1], b[0])
    low, high = _cosines(from_ + lower, from_ + upper)
    square = a[:2] @ a[:2] + b[:2] @ b[:2] + along**2
    return float(np.sqrt(max(square - 2.0 * radii * high, 0.0))), float(np.sqrt(max(square - 2.0 * radii * low, 0.0)))


def _cosines(lower: float, upper: float) -> tuple[float, float]:
    """The least and the largest cosine of angles between two."""
    if not upper - lower < TURN:
        return -1.0, 1.0
    ends = np.cos([lower, upper])
    low = -1.0 if np.floor((upper - np.pi) / TURN) > np.floor((lower - np.pi) / TURN) else float(ends.min())
    high = 1.0 if np.floor(upper / TURN) > np.floor(lower / TURN) else float(ends.max())
    return low, high


def _slid(a: Array, b: Array, lower: float, upper: float) -> tuple[float, float]:
    """The same of a point slid along z."""
    across, along = np.hypot(*(a - b)[:2]), float(b[2] - a[2])
    least, most = abs(min(max(along, lower), upper) - along), max(abs(lower - along), abs(upper - along))
    return float(np.hypot(across, least)), float(np.hypot(across, most))


def seen(T: Array, place: Array) -> Array:
    """A place (3,) seen from another frame."""
    there: Array = T[:3, :3] @ place + T[:3, 3]
    return there
