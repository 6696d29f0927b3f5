"""Overlap of collision shapes at one configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from linkwright.dynamics.contact.placed_shapes import PlacedShape, bounding_sphere, points_between
from linkwright.dynamics.contact.shapes.convex.hull_table import hull_vertices
from linkwright.dynamics.distance.cores import ConvexCore, bounding_radius
from linkwright.dynamics.distance.separation import touch
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.shape import Shape
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import split_pose

UNBOUNDED = ("plane", "height_field")
"""Kinds of shapes without a bounding sphere."""

SEARCHED = {"mesh", "ellipsoid"}
"""Kinds of shapes whose depth is found by expanding polytopes."""

SAMPLES = 20
"""Number of sampled configurations."""

DEEP = 1e-9
"""Smallest overlap, relative to the length of the mechanism."""


def always_overlapping(model: Model, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs whose shapes overlap in the neutral and in all sampled configurations, within the limits.

    Pairs that a joint can separate by any distance are left out, and so are planes and height fields: a wheel rolls on
    a ground that it always touches.
    """
    if model.holds_symbols:
        return []
    left = [pair for pair in pairs if held_together(model, model.shapes[pair.first], model.shapes[pair.second])]
    deep = DEEP * scale_of(model).length
    for q in model.random(SAMPLES, seed=0):
        poses = body_poses(model, q)
        left = [pair for pair in left if _overlap(model, pair, poses, deep)]
        if not left:
            return []
    neutral = np.clip(model.neutral(), model.lower, model.upper)  # last: depths of meshes take longest
    return [pair for pair, depth in zip(left, overlap_depths(model, left, neutral), strict=True) if depth > deep]


def held_together(model: Model, first: Shape, second: Shape) -> bool:
    """Return whether two shapes are bounded, and no joint between their bodies translates without limits."""
    if first.kind in UNBOUNDED or second.kind in UNBOUNDED:
        return False
    paths = [set(model.path(model.frame(shape.body).body)) for shape in (first, second)]
    joints = [model.joints[k] for k in paths[0] ^ paths[1]]
    return not any("m" in joint.motion.units and not np.isfinite(joint.upper - joint.lower).all() for joint in joints)


def overlap_depths(model: Model, pairs: Iterable[Pair], q: Array) -> list[float]:
    """Return the depth in m by which the shapes of each pair overlap at a configuration (nq,); 0 if they do not.

    A mesh without its convex hull overlaps nothing.
    """
    poses = body_poses(model, np.asarray(q, dtype=float))
    return [_depth(model, pair, poses) for pair in pairs]


def _depth(model: Model, pair: Pair, poses: list[Array]) -> float:
    placed = [PlacedShape.of(model, number) for number in (pair.first, pair.second)]
    if _surely_apart(placed, poses):
        return 0.0
    gap = min((float(point.gap) + pair.margin for point in points_between(model, pair, poses)), default=0.0)
    return max(0.0, -gap)


def _surely_apart(placed: Iterable[PlacedShape], poses: list[Array]) -> bool:
    """Return whether one of two shapes is a mesh without its convex hull, or their bounding spheres do not meet."""
    spheres = []
    for one in placed:
        if one.shape.kind == "mesh" and one.shape.hull is None:
            return True
        if one.shape.kind not in UNBOUNDED:
            (center, radius), (R, p) = bounding_sphere(one.shape), split_pose(one.pose(poses))
            spheres.append((R @ center + p, radius))
    if len(spheres) < 2:
        return False
    (c1, r1), (c2, r2) = spheres
    return bool(np.linalg.norm(c1 - c2) > r1 + r2)


def _overlap(model: Model, pair: Pair, poses: list[Array], deep: float) -> bool:
    """Return whether shapes overlap by more than a depth; of kinds without a formula, whether they touch."""
    placed = [PlacedShape.of(model, number) for number in (pair.first, pair.second)]
    if not {one.shape.kind for one in placed} & SEARCHED:
        return _depth(model, pair, poses) > deep
    if _surely_apart(placed, poses):
        return False
    (A, a), (B, b) = (_core(one, poses) for one in placed)
    return bool(touch(A, B, a + b, 0.0))


def _core(one: PlacedShape, poses: list[Array]) -> tuple[ConvexCore, float]:
    """Return the core of a shape, and the radius of its bounding sphere."""
    hull = hull_vertices(one.shape) if one.shape.kind == "mesh" else None
    return ConvexCore.of(one.shape, one.pose(poses), hull), bounding_radius(one.shape, hull)
