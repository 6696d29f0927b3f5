"""Distances and collisions of the shapes of a mechanism, and of obstacles in the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import at_least, truth
from linkwright.compiler.kernel import Kernel, compile
from linkwright.dynamics.distance.cores import CONVEX
from linkwright.dynamics.distance.shape_pairs import (
    MeasuredPair,
    MeasuredShape,
    closest_separation,
    distance_jacobian,
    frame_poses,
    pair_collisions,
    pair_separations,
)
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, UnknownNameError, counted
from linkwright.geometry.checks import require_poses
from linkwright.geometry.obstacles import checked_obstacles
from linkwright.model.memo import derived, identity, kept
from linkwright.model.parts.shape import Shape
from linkwright.model.requirement import takes_model
from linkwright.model.transformations.contact_pairs import meeting_shapes
from linkwright.model.tree import Model
from linkwright.provided import hull_of_mesh
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

SAMPLES = 16
"""Number of random configurations in which pairs are put in order."""

PairNames = Sequence[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class PairDistances:
    """Distances of pairs of shapes.

    Parameters
    ----------
    pairs : tuple of tuple of str
        Names of the shapes of each pair; of a shape without a name that of its link, with a number if the link has
        several.
    distance : ndarray, shape (..., pairs)
        Signed distance in m. Where two shapes overlap it is minus the length of the shortest translation that separates
        them.
    normal : ndarray, shape (..., pairs, 3)
        Unit vector in the world from the second shape to the first.
    first : ndarray, shape (..., pairs, 3)
        Nearest point (witness point) of the first shape in the world, m.
    jacobian : ndarray, shape (..., pairs, nv) or None
        Derivative of the distances by δ in ``integrate(model, q, δ)``.
    """

    pairs: tuple[tuple[str, str], ...]
    distance: Array
    normal: Array
    first: Array
    jacobian: Array | None = None

    def __repr__(self) -> str:
        size = counted(len(self.pairs), "pair") + f", batch {self.distance.shape[:-1]}" * (self.distance.ndim > 1)
        return f"<PairDistances: {size}, smallest distance {self.smallest.min(initial=np.inf):.4g} m>"

    @property
    def second(self) -> Array:
        """Nearest point of the second shape in the world in m, (..., pairs, 3): first − second = distance · normal."""
        found: Array = self.first - self.distance[..., None] * self.normal
        return found

    @property
    def closest(self) -> Array:
        """Index of the pair with the smallest distance, (...)."""
        return np.argmin(self.distance, axis=-1)

    @property
    def smallest(self) -> Array:
        """Smallest distance of all pairs in m, (...)."""
        least: Array = self.distance.min(axis=-1)
        return least


@dataclass(frozen=True, eq=False)
class PairCollisions:
    """Pairs of shapes that collide.

    Parameters
    ----------
    pairs : tuple of tuple of str
        Names of the shapes of each pair.
    colliding : ndarray of bool, shape (..., pairs)
        Whether the shapes overlap, or are at most the margin apart.
    """

    pairs: tuple[tuple[str, str], ...]
    colliding: Array

    @property
    def any(self) -> np.bool_ | Array:
        """Whether any pair collides, (...)."""
        return self.colliding.any(axis=-1)


@takes_model
def distances(
    model: Model,
    q: ArrayLike,
    pairs: PairNames | None = None,
    *,
    obstacles: Sequence[Shape] = (),
    obstacle_poses: ArrayLike | None = None,
    points: ArrayLike | None = None,
    point_radius: float = 0.0,
    within: float | None = None,
    jacobian: bool = False,
) -> PairDistances:
    """Compute the signed distances of pairs of shapes, with their nearest points and normals.

    Compiled at the first call for a mechanism, its pairs and obstacles; moved obstacles need no new compilation. The
    code does not grow with the number of pairs. Meshes are replaced by convex hulls of at most 64 vertices
    (:func:`linkwright.convex_hull`).

    Parameters
    ----------
    model : Model
        Mechanism with collision shapes.
    q : array_like, shape (..., nq)
        Configuration.
    pairs : sequence of tuple of str, optional
        Pairs of names of links, shapes or obstacles; a link stands for each of its shapes. By default all pairs of
        shapes that may collide: not those of one body, of bodies joined by a joint, or excluded by the file; and all
        pairs of a moving shape and an obstacle.
    obstacles : sequence of Shape, optional
        Shapes of the body "world".
    obstacle_poses : array_like, shape (..., obstacles, 4, 4), optional
        Poses of the obstacles in the world. By default the placements of the shapes.
    points : array_like, shape (..., n, 3), optional
        Point cloud in the world, m: the obstacle "points", whose distance is that of the nearest point. Another number
        of points needs a new compilation.
    point_radius : float, optional
        Radius of the balls at the points, m.
    within : float, optional
        Distance in m from which only the distance of the bounding spheres is computed, a lower bound.
    jacobian : bool, optional
        Whether the derivatives of the distances are computed too.

    Returns
    -------
    PairDistances
        Distances, normals and nearest points.

    Raises
    ------
    ModelError
        If there is no pair.
    UnknownNameError
        If a name of a pair is unknown.
    InputError
        If an obstacle is not at rest in the world.

    Notes
    -----
    Apart, distances are accurate to 1e-9 m for shapes of about a meter (GJK). The depth of overlapping boxes, capsules,
    spheres and meshes is exact to rounding; that of cylinders, cones and ellipsoids is an upper bound that exceeds the
    depth by less than 1e-3 of the size of the shapes (an expanding polytope of 64 vertices). Normals, and with them the
    Jacobian, jump where the nearest points do.

    References
    ----------
    Gilbert, Johnson & Keerthi, "A fast procedure for computing the distance between complex objects in
    three-dimensional space", *IEEE Journal of Robotics and Automation* 4(2), 1988.

    van den Bergen, "Proximity queries and penetration depth computation on 3D game objects", *Game Developers
    Conference*, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> arm = lw.Builder(arm).shape("link2", "sphere", radius=0.1, xyz=(1.0, 0.0, 0.0)).build()
    >>> wall = lw.Shape("world", "box", size=(0.1, 4.0, 4.0), name="wall")
    >>> pose = lw.transform.make(np.eye(3), [2.5, 0.0, 0.0])
    >>> found = lw.distances(arm, [0.0, 0.0], obstacles=[wall], obstacle_poses=[pose])
    >>> found.pairs
    (('link2', 'wall'),)
    >>> round(float(found.distance[0]), 9)
    0.35
    """
    truth("jacobian", jacobian)
    near = None if within is None else at_least("within", within, 0.0)
    world = _ObstacleSet.of(obstacles, points, point_radius)
    wanted = checked_pairs(pairs)

    def make() -> tuple[tuple[tuple[str, str], ...], Kernel]:
        chosen = chosen_pairs(model, wanted, world.shapes, world.cloud)

        def computed(model: Model, q: Array, obstacle_poses: Any = None, points: Any = None) -> tuple[Array, ...]:
            found = pair_separations(frame_poses(model, q, obstacle_poses), chosen, near, points)
            results = tuple(np.stack([getattr(one, name) for one in found]) for name in ("distance", "normal", "a"))
            return (*results, np.stack(distance_jacobian(model, q, chosen, found))) if jacobian else results

        return _names(chosen), world.compiled(distances, computed, model)

    names, kernel = derived(model, identity(distances), wanted, world, near, jacobian, make=make)
    arrays = (q, *world.arrays(obstacle_poses, points))
    distance, *rest = world.call(kernel, arrays)
    if world.in_rows(arrays):  # the nearest part of the cloud, for each pair
        nearest = np.argmin(distance, axis=-2)[..., None, :]
        distance = np.take_along_axis(distance, nearest, axis=-2)[..., 0, :]
        rest = [np.take_along_axis(x, nearest[..., None], axis=-3)[..., 0, :, :] for x in rest]
    return PairDistances(names, _where_known(world.known(arrays), distance, 1), *rest)


@dataclass(frozen=True, eq=False)
class ClosestPair:
    """Closest pair of shapes.

    Parameters
    ----------
    pairs : tuple of tuple of str
        Names of the shapes of all pairs.
    index : ndarray of int, shape (...)
        Index of the closest pair.
    distance : ndarray, shape (...)
        Signed distance, m.
    normal, first, second : ndarray, shape (..., 3)
        Normal and nearest points, as in :class:`PairDistances`.
    """

    pairs: tuple[tuple[str, str], ...] = field(repr=False)
    index: Any
    distance: Any
    normal: Array
    first: Array
    second: Array

    @property
    def pair(self) -> Any:
        """Names of the closest pair: a tuple of two, for a batch an array (..., 2)."""
        return self.pairs[int(self.index)] if np.ndim(self.index) == 0 else np.array(self.pairs)[self.index]


@takes_model
def closest_pair(
    model: Model,
    q: Any,
    pairs: PairNames | None = None,
    *,
    obstacles: Sequence[Shape] = (),
    obstacle_poses: Any = None,
    points: Any = None,
    point_radius: float = 0.0,
) -> ClosestPair:
    """Compute the pair of shapes with the smallest distance.

    Faster than :func:`distances`: pairs whose bounding spheres are farther apart than the smallest distance so far are
    skipped.

    Parameters
    ----------
    model : Model
        Mechanism with collision shapes.
    q : array_like, shape (..., nq)
        Configuration.
    pairs, obstacles, obstacle_poses, points, point_radius : optional
        As for :func:`distances`, which also raises the same errors.

    Returns
    -------
    ClosestPair
        Pair, distance, normal and nearest points.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> arm = lw.Builder(arm).shape("link2", "sphere", radius=0.1, xyz=(1.0, 0.0, 0.0)).build()
    >>> ball = lw.Shape("world", "sphere", radius=0.2, name="ball")
    >>> pose = lw.transform.make([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [2.5, 0.0, 0.0])
    >>> found = lw.closest_pair(arm, [0.0, 0.0], obstacles=[ball], obstacle_poses=[pose])
    >>> found.pair, round(float(found.distance), 9)
    (('link2', 'ball'), 0.2)
    """
    world = _ObstacleSet.of(obstacles, points, point_radius)
    wanted = checked_pairs(pairs)

    def make() -> tuple[tuple[tuple[str, str], ...], Kernel]:
        chosen = _by_distance(model, chosen_pairs(model, wanted, world.shapes, world.cloud), world)

        def computed(model: Model, q: Array, obstacle_poses: Any = None, points: Any = None) -> tuple[Any, ...]:
            index, found = closest_separation(frame_poses(model, q, obstacle_poses), chosen, points)
            return index, found.distance, found.normal, found.a, found.b

        return _names(chosen), world.compiled(closest_pair, computed, model)

    names, kernel = derived(model, identity(closest_pair), wanted, world, make=make)
    arrays = (q, *world.arrays(obstacle_poses, points))
    index, distance, *vectors = world.call(kernel, arrays)
    if world.in_rows(arrays):
        nearest = np.argmin(distance, axis=-1)[..., None]
        index, distance = (np.take_along_axis(x, nearest, axis=-1)[..., 0] for x in (index, distance))
        vectors = [np.take_along_axis(x, nearest[..., None], axis=-2)[..., 0, :] for x in vectors]
    known = world.known(arrays)
    found = (_where_known(known, x, 1) for x in vectors)
    return ClosestPair(names, np.asarray(index).astype(int)[()], _where_known(known, distance, 0), *found)


def _by_distance(model: Model, pairs: list[MeasuredPair], world: _ObstacleSet) -> list[MeasuredPair]:
    """Return the pairs in the order of the mean distance of their bounding spheres in random configurations."""
    poses = [_frame_poses(model, q, world.default_poses) for q in model.random(SAMPLES, seed=0)]

    def apart(pair: MeasuredPair) -> float:
        a, b = (np.array([(T[one.frame] @ one.on_frame)[:3, 3] for T in poses]) for one in pair)
        return float(np.linalg.norm(a - b, axis=1).mean()) - pair[0].reach - pair[1].reach

    return sorted(pairs, key=apart)


def _frame_poses(model: Model, q: Array, obstacle_poses: Array) -> Array:
    rows = frame_poses(model, q, obstacle_poses).reshape(-1, 3, 4)
    return np.concatenate([rows, np.broadcast_to([[[0.0, 0.0, 0.0, 1.0]]], (len(rows), 1, 4))], axis=1)


@takes_model
def collisions(
    model: Model,
    q: ArrayLike,
    pairs: PairNames | None = None,
    *,
    obstacles: Sequence[Shape] = (),
    obstacle_poses: ArrayLike | None = None,
    points: ArrayLike | None = None,
    point_radius: float = 0.0,
    margin: float = 0.0,
) -> PairCollisions:
    """Compute which pairs of shapes collide.

    Faster than :func:`distances`: bounding spheres rule out most pairs, and the others stop as soon as a plane
    separates the shapes.

    Parameters
    ----------
    model : Model
        Mechanism with collision shapes.
    q : array_like, shape (..., nq)
        Configuration.
    pairs, obstacles, obstacle_poses, points, point_radius : optional
        As for :func:`distances`, which also raises the same errors.
    margin : float, optional
        Distance in m, not negative, up to which shapes count as colliding.

    Returns
    -------
    PairCollisions
        Names of the pairs, and whether they collide.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> arm = lw.Builder(arm).shape("link2", "sphere", radius=0.1, xyz=(1.0, 0.0, 0.0)).build()
    >>> ball = lw.Shape("world", "sphere", radius=0.2, name="ball")
    >>> near, far = lw.transform.make([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[2.1, 0.0, 0.0], [2.4, 0.0, 0.0]])
    >>> lw.collisions(arm, [0.0, 0.0], obstacles=[ball], obstacle_poses=[[near], [far]]).any
    array([ True, False])
    """
    apart = at_least("margin", margin, 0.0)
    world = _ObstacleSet.of(obstacles, points, point_radius)
    wanted = checked_pairs(pairs)

    def make() -> tuple[tuple[tuple[str, str], ...], Kernel]:
        chosen = chosen_pairs(model, wanted, world.shapes, world.cloud)

        def computed(model: Model, q: Array, obstacle_poses: Any = None, points: Any = None) -> Array:
            return np.stack(pair_collisions(frame_poses(model, q, obstacle_poses), chosen, apart, points))

        return _names(chosen), world.compiled(collisions, computed, model)

    names, kernel = derived(model, identity(collisions), wanted, world, apart, make=make)
    arrays = (q, *world.arrays(obstacle_poses, points))
    (near,) = world.call(kernel, arrays)
    near = near.max(axis=-2) if world.in_rows(arrays) else near
    if np.isnan(_where_known(world.known(arrays), near, 1)).any():
        raise InputError(
            "q, obstacle_poses or points are not finite: whether shapes collide is unknown; remove these rows"
        )
    return PairCollisions(names, near > 0.5)


MOST_POINTS = 100_000
"""Largest number of points in a row of a kernel, which has at most 400 000 expressions, and each input is one."""

CLOUD = "points"
"""Name of a point cloud in pairs."""


class _ObstacleSet(NamedTuple):
    """Obstacles, and a point cloud, of a kernel; their poses and points are arguments."""

    shapes: tuple[Shape, ...]
    cloud_size: int
    """number of points in a row of the kernel"""
    radius: float
    """of the balls at the points, m"""

    @classmethod
    def of(cls, obstacles: Sequence[Shape], points: Any, radius: float) -> _ObstacleSet:
        """Return the set of these obstacles; large clouds are several rows of equal size."""
        shapes, radius = checked_obstacles(obstacles), at_least("point_radius", radius, 0.0, "m")
        if points is None:
            if radius:
                raise ArgumentError("point_radius is the radius of balls at points: give points, (..., n, 3), too")
            return cls(shapes, 0, 0.0)
        form = as_numbers("points", points).shape
        if len(form) < 2 or form[-1] != 3 or not form[-2]:
            raise ShapeError(f"points are (..., n, 3), one at least; got the shape {form}")
        rows = -(-form[-2] // MOST_POINTS)
        return cls(shapes, -(-form[-2] // rows), radius)

    @property
    def cloud(self) -> Shape | None:
        """Shape at each point."""
        return Shape("world", "sphere", radius=self.radius, name=CLOUD) if self.cloud_size else None

    @property
    def default_poses(self) -> Array:
        """Placements of the obstacles, (obstacles, 4, 4)."""
        return np.array([np.asarray(shape.placement) for shape in self.shapes]).reshape(-1, 4, 4)

    def compiled(self, of: Callable[..., Any], function: Any, model: Model) -> Kernel:
        """Return the kernel of a function of the configuration, the poses and the points; ``of``: the public function,
        whose name is in messages."""
        function.__name__ = of.__name__
        shapes: dict[str, Any] = {"obstacle_poses": (len(self.shapes), 4, 4)} if self.shapes else {}
        if self.cloud_size:
            shapes["points"] = (self.cloud_size, 3)
        return compile(function, model, regroup=False, **shapes)

    def arrays(self, poses: Any, points: Any) -> tuple[Any, ...]:
        """Return the arguments of the kernel after the configuration."""
        if not self.shapes and poses is not None:
            raise ArgumentError("obstacle_poses are the poses of obstacles: give obstacles=[lw.Shape(…), …] too")
        if poses is not None:
            require_poses("obstacle_poses", poses)
        found = ((self.default_poses if poses is None else poses,) if self.shapes else ()) + (points,)
        return found if self.cloud_size else found[:-1]

    def call(self, kernel: Kernel, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Return the results of a kernel; those of a cloud in several rows have an axis of rows after the batch."""
        if is_symbolic(*arrays):
            raise ArgumentError(
                "distances, closest_pair and collisions accept numbers; got symbols of a compiled function or "
                "controller. Compiled functions accept resolved_rate and inverse_kinematics with "
                "tasks.MinimumDistance; a controller given as callback=… computes with numbers"
            )
        if not self.in_rows(arrays):
            found = kernel(*arrays)
            return found if isinstance(found, tuple) else (found,)
        *others, points = (np.asarray(x, dtype=float) for x in arrays)
        count = points.shape[-2]
        rows = -(-count // self.cloud_size)
        last = np.broadcast_to(points[..., -1:, :], (*points.shape[:-2], rows * self.cloud_size - count, 3))
        points = np.concatenate([points, last], axis=-2).reshape(*points.shape[:-2], rows, self.cloud_size, 3)
        dims = (1, 3)
        others = [np.expand_dims(x, x.ndim - n) for n, x in zip(dims, others, strict=False)]
        found = kernel(*others, points)
        return found if isinstance(found, tuple) else (found,)

    def in_rows(self, arrays: Sequence[Any]) -> bool:
        """Return whether the cloud is several rows of the kernel."""
        return bool(self.cloud_size) and np.shape(arrays[-1])[-2] > self.cloud_size

    def known(self, arrays: Sequence[Any]) -> Any:
        """Return which rows of the arguments are finite, True for all of them.

        Vectors without a direction get one, so that the algorithms return numbers in other rows.
        """
        dims = (1, *([3] if self.shapes else []), 2)
        finite: Any = True
        for n, x in zip(dims, arrays, strict=False):
            finite = finite & np.isfinite(np.asarray(x, dtype=float)).all(axis=tuple(range(-n, 0)))
        return True if finite.all() else finite


def _where_known(known: Any, x: Any, axes: int) -> Any:
    """Return a result (..., of as many more axes), NaN in other rows than the known ones."""
    return x if known is True else np.where(known.reshape(known.shape + (1,) * axes), x, np.nan)[()]


def checked_pairs(pairs: Any) -> tuple[tuple[str, str], ...] | None:
    """Return the pairs of names after a check."""
    if pairs is None:
        return None
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise ArgumentError(f"pairs is a list of pairs of names; got {pairs!r:.200}")
    found = []
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ArgumentError(f"pairs is a list of pairs of names; got {pair!r:.200}")
        found.append((pair[0], pair[1]))
    if not found:
        raise ArgumentError("pairs is empty: give pairs of names, or None for all that may collide")
    return tuple(found)


def _names(pairs: Sequence[MeasuredPair]) -> tuple[tuple[str, str], ...]:
    return tuple((a.name, b.name) for a, b in pairs)


@kept
def _hull(model: Model, number: int) -> Array:
    """Return the vertices (n, 3) of the convex hull of a shape."""
    shape = model.shapes[number]
    found: Array = hull_of_mesh(shape) if shape.hull is None else shape.hull
    return found


def _measured(name: str, shape: Shape, frame: int, on_frame: Array, hull: Array | None) -> MeasuredShape:
    if hull is not None:  # about the middle of the hull
        middle = 0.5 * (hull.min(axis=0) + hull.max(axis=0))
        hull, on_frame = hull - middle, on_frame.copy()
        on_frame[:3, 3] += on_frame[:3, :3] @ middle
    return MeasuredShape(name, shape, frame, on_frame, hull)


def chosen_pairs(
    model: Model,
    wanted: tuple[tuple[str, str], ...] | None,
    obstacles: Sequence[Shape],
    cloud: Shape | None = None,
) -> list[MeasuredPair]:
    """Return the pairs of shapes: those of given names, or all that may collide; ``cloud``: shape at each point."""
    own = [k for k, shape in enumerate(model.shapes) if shape.touches]
    count = {shape.body: sum(model.shapes[k].body == shape.body for k in own) for shape in model.shapes}
    seen: dict[str, int] = {}
    shapes: dict[int, MeasuredShape] = {}

    def measured(k: int) -> MeasuredShape:
        if k not in shapes:
            shape = model.shapes[k]
            frame = model.frame(shape.body)
            hull = _hull(model, k) if shape.kind == "mesh" else None
            shapes[k] = _measured(names[k], shape, frame.body + 1, frame.placement @ shape.placement, hull)
        return shapes[k]

    names: dict[int, str] = {}
    for k in own:
        shape = model.shapes[k]
        number = seen[shape.body] = seen.get(shape.body, -1) + 1
        names[k] = shape.name or (shape.body if count[shape.body] == 1 else f"{shape.body}[{number}]")
    fixed = [
        _measured(
            shape.name,
            shape,
            1 + len(model.bodies) + k,
            np.eye(4),
            hull_of_mesh(shape) if shape.kind == "mesh" else None,
        )
        for k, shape in enumerate(obstacles)
    ]
    if cloud is not None:
        fixed.append(_measured(cloud.name, cloud, 0, np.eye(4), None)._replace(cloud=True))
    links = {model.shapes[k].body for k in own} | set(names.values())
    for one in fixed:
        if one.name in links or (one.name == CLOUD and not one.cloud and cloud is not None):
            raise InputError(
                f"the obstacle {one.name!r} has the name of a link, a shape or the point cloud: give it another name"
            )
    if wanted is None:
        found = [(measured(i), measured(j)) for i, j in meeting_shapes(model)]
        found += [(measured(k), other) for k in own if model.frame(model.shapes[k].body).body >= 0 for other in fixed]
    else:
        known = links | {one.name for one in fixed}
        found = []
        for pair in wanted:
            for name in pair:
                if name not in known:
                    raise UnknownNameError("link, shape or obstacle", name, known, "links, shapes or obstacles")
            sides = [
                [measured(k) for k in own if name in (names[k], model.shapes[k].body)]
                + [one for one in fixed if one.name == name]
                for name in pair
            ]
            found += [(a, b) for a in sides[0] for b in sides[1]]
            if any(a.shape.body == b.shape.body and a.frame == b.frame > 0 for a, b in found):
                raise InputError(f"the pair {pair!r} is of one link, whose shapes do not move relative to each other")
    found = [(a, b) for a, b in found if a.shape.kind in CONVEX or b.shape.kind in CONVEX]
    if not found:
        raise ModelError(
            f"no two shapes of {model.name!r} may collide: it has {len(own)} collision shapes; give it some, "
            "lw.Builder(model).shape(body, 'sphere', radius=…).build(), or name pairs or obstacles"
        )
    return found
