"""The skeleton of a mechanism, and its points along a motion.

A skeleton contains points, each fixed to a body (or to the world, number -1), and segments between them. It does not
depend on time: together with the poses of the bodies along a motion, an array (n_times, n_bodies, 4, 4), it gives the
points of every picture. This module does not draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import Loop
from linkwright.model.parts.spring import Spring
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_zero
from linkwright.spatial.inertia import about_center_of_mass

UNIT_TOLERANCE = 1e-3
"""A quaternion further than this from length one would shear the drawing."""


class SegmentKind(IntEnum):
    """Kind of a segment: the part of the mechanism that it represents."""

    LINK = 0
    """part of a body"""
    BASE = 1
    """from the world's origin to what is attached to it"""
    RAIL = 2
    """from where a sliding joint starts to where it has slid"""
    CARRIAGE = 3
    """what slides on a rail"""
    TUBE = 4
    """the wide part of a leg that telescopes"""
    ROD = 5
    """the thin part, from the tube's mouth on; also the rod that a loop of constant distance is"""
    COIL = 6
    """a straight piece of a spring between bodies"""
    ROPE = 7
    """a piece of one that is slack at some lengths, or only damps"""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The drawing of a mechanism at rest: points on bodies and what connects them."""

    points: Array
    """(n_points, 3), m, each in the (canonical) frame of its body"""
    body: Array
    """(n_points,), the body of each point; -1 for the world"""
    segments: Array
    """(n_segments, 2), numbers of points"""
    kinds: Array
    """(n_segments,), a :class:`SegmentKind` each"""
    owner: Array
    """(n_segments,), the body each segment belongs to; -1 for the world"""
    plates: tuple[tuple[int, ...], ...]
    """outlines, in numbers of points, of the bodies with three or more points"""
    joints: Array
    """(n_bodies,), the point at the origin of each body's joint"""
    attached: Array
    """(n_bodies,), the point of the parent (or the world) at each joint; the body's own point for a floating joint"""
    marks: Array
    """(n, 2), what is marked as a joint: its points on either body; slides that are telescopes are not"""
    floats: Array
    """(n_bodies,), whether a body's joint ties it to nothing: free, or moving in a plane"""
    anchors: Array
    """the points of the world which bodies are attached to"""
    limbs: Array
    """(n_bodies,), the number of the chain that contains each body; chains end where the tree branches, each body in a
    loop is a separate chain, and a telescope is one chain"""
    masses: Array
    """(n_bodies,), kg"""
    centers: Array
    """(n_bodies, 3), centers of mass in the bodies' (canonical) frames, m"""

    def along(self, poses: Any) -> Array:
        """Where the points are in the world, (n_times, n_points, 3), given ``poses`` (n_times, n_bodies, 4, 4)."""
        poses = _poses(poses, len(self.joints))
        world = np.broadcast_to(np.eye(4), (len(poses), 1, 4, 4))
        each = np.concatenate([poses, world], axis=1)[:, self.body]  # number -1 is the last
        places: Array = np.einsum("tpij,pj->tpi", each[..., :3, :3], self.points) + each[..., :3, 3]
        return places

    def center_of_mass_along(self, poses: Any) -> Array:
        """The center of mass in the world, (n_times, 3); of bodies without mass, the mean of their origins."""
        poses = _poses(poses, len(self.joints))
        weights = self.masses if self.masses.sum() > 0.0 else np.ones(len(self.joints))
        centers = np.einsum("tkij,kj->tki", poses[..., :3, :3], self.centers) + poses[..., :3, 3]
        return np.asarray(np.einsum("k,tki->ti", weights / weights.sum(), centers))


def skeleton(model: Model) -> Skeleton:
    """The skeleton of a model.

    Each body's joint is connected to the joints of its children, to the frame that reaches further than
    all of them, and at the end of a chain to every frame that is not near another. A body without any is
    drawn as the uniform rod, from its joint through its center of mass, that has its inertia. A body that
    slides along itself and along its parent is the rod of a telescope, the parent its tube. Loops join their
    bodies at pins; a body between several pins is drawn by its outline. Springs join their points. Points that
    coincide are one, and segments without length are left out.
    """
    if not model.links:
        raise InputError(f"{model.name!r} has no moving body; there is nothing to draw")
    scale = _length_scale(model)
    parts = _Parts(1e-6 * scale)
    joints = [parts.point(k, np.zeros(3)) for k in range(len(model.links))]
    attached = joints.copy()
    children: list[list[int]] = [[] for _ in model.links]
    anchors: list[int] = []

    for k, link in enumerate(model.links):
        if link.parent >= 0:
            children[link.parent].append(k)
    pins = [(parts.point(a, x), parts.point(b, y), loop.type) for a, x, b, y, loop in _closings(model)]
    pinned: list[list[int]] = [[] for _ in model.links]
    for pin in pins:
        for number in pin[:2]:
            if parts.body[number] >= 0:
                pinned[parts.body[number]].append(number)

    placed: list[list[Array]] = [[] for _ in model.links]
    for frame in model.frames.values():
        if frame.body >= 0:
            placed[frame.body].append(frame.placement[:3, 3])
    masses, centers, ends, tips = [], [], [], []
    for k, link in enumerate(model.links):
        mass, center, inertia = about_center_of_mass(link.rigid_inertia)
        masses.append(float(mass))
        centers.append(np.asarray(center, dtype=float))
        tips.append(_rod_end(masses[k], centers[k], np.asarray(inertia, dtype=float), parts.tolerance))
        held = [parts.points[number] for number in pinned[k]]
        reach = max([0.0, *(float(np.linalg.norm(model.links[c].placement[:3, 3])) for c in children[k])])
        far = [p for p in placed[k] if np.linalg.norm(p) > reach + parts.tolerance]
        found = _apart(far, held)
        found = held + (found[:1] if children[k] and not held else [] if children[k] else found)
        ends.append(found or ([] if children[k] else tips[k]))
    telescopes = [_telescope(model, k, ends, tips, 1e-3 * scale) for k in range(len(model.links))]
    origins = joints.copy()  # from where the parts of a body are linked

    for k, link in enumerate(model.links):
        slides = _slides(link.motion)
        telescope = telescopes[k]
        if slides is not None:
            attached[k] = anchor = parts.point(link.parent, link.placement[:3, 3])
            if link.parent < 0:
                anchors.append(anchor)
                parts.connect(parts.point(-1, np.zeros(3)), anchor, SegmentKind.BASE, -1)
            elif telescope is None:
                parts.connect(origins[link.parent], anchor, SegmentKind.LINK, link.parent)
            if slides and telescope is None:
                parts.connect(anchor, joints[k], SegmentKind.RAIL, k)
                half = np.array([0.0, 0.0, 0.04 * scale])
                parts.connect(parts.point(k, -half), parts.point(k, half), SegmentKind.CARRIAGE, k)
        if telescope is not None:
            foot, mouth, tip = telescope
            within = parts.point(link.parent, mouth)
            parts.connect(parts.point(link.parent, foot), within, SegmentKind.TUBE, link.parent)
            origins[k] = parts.point(k, tip)
            parts.connect(within, origins[k], SegmentKind.ROD, k)
        for end in ends[k]:
            parts.connect(origins[k], parts.point(k, end), SegmentKind.LINK, k)
        if not ends[k] and not children[k] and slides is None:
            _box(parts, k, masses[k], centers[k], np.asarray(about_center_of_mass(link.rigid_inertia)[2], dtype=float))
    for first, second, type in pins:
        for number in (first, second):
            if parts.body[number] < 0:
                parts.connect(parts.point(-1, np.zeros(3)), number, SegmentKind.BASE, -1)
        if type == "distance":
            parts.connect(first, second, SegmentKind.ROD, max(parts.body[first], parts.body[second]))
    sprung = [_held(parts, model, spring, origins) for spring in model.springs]
    hinges = [k for k, link in enumerate(model.links) if _slides(link.motion) is not None and telescopes[k] is None]
    marks = [(joints[k], attached[k]) for k in hinges] + [pin[:2] for pin in pins]
    marks += [(number, number) for numbers in sprung for number in numbers if parts.body[number] < 0]
    plates = _plates(parts, [len(set(numbers)) for numbers in pinned])

    return Skeleton(
        points=np.array(parts.points),
        body=np.array(parts.body),
        segments=np.array(parts.segments, dtype=int).reshape(-1, 2),
        kinds=np.array(parts.kinds, dtype=int),
        owner=np.array(parts.owner, dtype=int),
        plates=plates,
        joints=np.array(joints),
        attached=np.array(attached),
        marks=np.array(marks, dtype=int).reshape(-1, 2),
        floats=np.array([_slides(link.motion) is None for link in model.links]),
        anchors=np.array(sorted(set(anchors)), dtype=int),
        limbs=_limbs(model, children, [telescope is not None for telescope in telescopes]),
        masses=np.array(masses),
        centers=np.array(centers).reshape(-1, 3),
    )


def _held(parts: _Parts, model: Model, spring: Spring, origins: list[int]) -> list[int]:
    """The points that a spring joins, each linked to the joint of its body."""
    places = [model.frames[name] for name in spring.points]
    numbers = [parts.point(place.body, place.placement[:3, 3]) for place in places]
    low, high = spring.relaxed
    kind = SegmentKind.COIL if spring.stiffness and low == high else SegmentKind.ROPE
    for place, number in zip(places, numbers, strict=True):
        if place.body >= 0 and not any(number in segment for segment in parts.segments):
            parts.connect(origins[place.body], number, SegmentKind.LINK, place.body)
    for a, b in pairwise(numbers):
        if parts.body[a] != parts.body[b]:
            parts.connect(a, b, kind, max(parts.body[a], parts.body[b]))
    return numbers


def poses_along(model: Model, q: Any, body: int | None = None) -> Array:
    """Compute the poses (n_times, n_bodies, 4, 4) of the bodies (canonical axes) in the world along q (n_times, nq).

    The configurations are evaluated in a Python loop, which is fast enough for the few hundred frames of an animation.
    With ``body``, only the poses of that body, (n_times, 4, 4), are computed.
    """
    q = configurations(model, q)
    order = range(len(model.links)) if body is None else model.path(body)
    kept = list(order) if body is None else [body]
    poses = []
    for q_now in q:
        coordinates = model.coordinates(q_now)
        now = {-1: np.eye(4)}
        for k in order:
            now[k] = now[model.links[k].parent] @ model.links[k].transform(coordinates[k])
        poses.append([now[k] for k in kept])
    array = np.array(poses, dtype=float).reshape(len(q), len(kept), 4, 4)
    return array if body is None else array[:, 0]


def resample(model: Model, t: Array, q: Array, times: Array) -> Array:
    """The configurations (len(times), nq) at ``times``, from q (n, nq) at t (n,).

    Between samples the motion is the one of constant joint velocity, so quaternions stay unit.
    """
    rows = []
    for time in np.clip(times, t[0], t[-1]):
        i = min(int(np.searchsorted(t, time, side="right")) - 1, len(t) - 1)
        span = t[i + 1] - t[i] if i + 1 < len(t) else 0.0
        s = (time - t[i]) / span if span > 0.0 else 0.0
        rows.append(q[i] if s < 1e-9 else q[i + 1] if s > 1.0 - 1e-9 else _between(model, q[i], q[i + 1], s))
    return np.array(rows).reshape(-1, model.nq)


def _between(model: Model, q0: Array, q1: Array, s: float) -> Array:
    pieces, at = [], 0
    for joint in model.joints:
        if joint.nq:
            a, b = q0[at : at + joint.nq], q1[at : at + joint.nq]
            pieces.append(joint.motion.integrate(a, s * joint.motion.difference(a, b)))
            at += joint.nq
    return np.concatenate(pieces) if pieces else q0


def configurations(model: Model, q: Any) -> Array:
    """Configurations as (n, nq), checked: numbers, finite, their quaternions unit; one alone, (nq,), is n = 1."""
    array = as_numbers("q", q)
    array = array[None] if array.shape == (model.nq,) else array
    if array.ndim != 2 or array.shape[1] != model.nq:
        raise ShapeError(
            f"q has shape (n, {model.nq}) for {model.name!r}, whose nq is {model.nq}; got {np.shape(array)}"
        )
    bad = ~np.isfinite(array)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"q is not finite: {model.coordinate_names[column]!r} is {array[row, column]} at sample {row} of "
            f"{len(array)}"
        )
    for start in model.quaternion_starts:
        lengths = np.linalg.norm(array[:, start : start + 4], axis=1)
        off = np.abs(lengths - 1.0)
        if len(off) and off.max() > UNIT_TOLERANCE:
            row = int(off.argmax())
            raise InputError(
                f"the quaternion q[{start}:{start + 4}] must be unit; its length is {lengths[row]:.6g} at sample {row}"
            )
    return array


def nearby(model: Model, q: Array, n: int = 3, amount: float = 0.3) -> Array:
    """Configurations (n, nq) that differ from q (nq,) in every coordinate: where else the mechanism can go."""
    generator = np.random.default_rng(0)
    rows = []
    for _ in range(n):
        pieces, at = [], 0
        for joint in model.joints:
            if joint.nq:
                step = amount * generator.uniform(0.5, 1.0, joint.nv)
                pieces.append(joint.motion.integrate(q[at : at + joint.nq], step))
                at += joint.nq
        rows.append(np.concatenate(pieces) if pieces else q)
    return np.array(rows).reshape(n, model.nq)


def sweeps_area(points: Array) -> bool:
    """Whether a motion of points (n_times, n_points, 3) is more than a rest or a move along a line."""
    moved = (points - points.mean(axis=0)).reshape(-1, 3)
    spread = np.linalg.eigvalsh(moved.T @ moved)
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max())
    return bool(np.sqrt(max(spread[1], 0.0) / len(moved)) > 1e-5 * size)


def motion_plane(points: Any, up: Any = (0.0, 0.0, 1.0), thickness: float = 0.15) -> Array | None:
    """The unit normal (3,) of the plane a motion stays in, or None if it leaves every plane.

    ``points`` is (n_times, n_points, 3). Every point has to move in parallel planes, and the mechanism
    may be ``thickness`` times as thick across them as it is long (hardly at all, if it moves along a line).
    Of the planes through a mechanism that is a line, it is the upright one.
    """
    points = np.asarray(points, dtype=float)
    flat = points.reshape(-1, 3)
    size = float(np.ptp(flat, axis=0).max())
    if size == 0.0:
        return None
    moved = (points - points.mean(axis=0)).reshape(-1, 3)
    if sweeps_area(points):
        normal = np.linalg.eigh(moved.T @ moved)[1][:, 0]  # eigenvalues ascend
    else:  # the plane is the one of the mechanism, if that is plane
        thickness = 0.01
        centerd = flat - flat.mean(axis=0)
        shape, axes = np.linalg.eigh(centerd.T @ centerd)
        normal = axes[:, 0]
        if shape[1] <= 1e-10 * shape[2]:
            directions = [np.asarray(up, dtype=float), *np.eye(3)]
            normal = next(n for n in (np.cross(axes[:, 2], d) for d in directions) if np.linalg.norm(n) > 1e-3)
            normal = normal / np.linalg.norm(normal)
    if np.abs(moved @ normal).max() > 1e-4 * size or float(np.ptp(flat @ normal)) > thickness * size:
        return None
    return np.where(np.abs(normal) < 1e-9, 0.0, normal)


class _Parts:
    """The points and segments of a skeleton while it is collected."""

    def __init__(self, tolerance: float):
        self.tolerance = tolerance
        self.points: list[Array] = []
        self.body: list[int] = []
        self.segments: list[tuple[int, int]] = []
        self.kinds: list[SegmentKind] = []
        self.owner: list[int] = []
        self.of: dict[int, list[int]] = {}
        """the points of each body"""
        self.connected: set[tuple[int, int]] = set()

    def point(self, body: int, p: Array) -> int:
        for number in self.of.setdefault(body, []):
            if np.abs(self.points[number] - p).max() <= self.tolerance:
                return number
        self.points.append(np.array(p, dtype=float))
        self.body.append(body)
        self.of[body].append(len(self.points) - 1)
        return len(self.points) - 1

    def connect(self, a: int, b: int, kind: SegmentKind, owner: int) -> None:
        if a != b and (a, b) not in self.connected:
            self.connected.add((a, b))
            self.segments.append((a, b))
            self.kinds.append(kind)
            self.owner.append(owner)

    def outline(self, hull: tuple[int, ...], body: int) -> None:
        """Links around a body in place of those across it."""
        old = list(zip(self.segments, self.kinds, self.owner, strict=True))
        kept = [each for each in old if each[2] != body or each[1] != SegmentKind.LINK]
        self.connected -= {each[0] for each in old} - {each[0] for each in kept}
        self.segments, self.kinds, self.owner = (
            (list(column) for column in zip(*kept, strict=True)) if kept else ([], [], [])
        )
        for a, b in zip(hull, (*hull[1:], hull[0]), strict=True):
            self.connect(a, b, SegmentKind.LINK, body)


def _length_scale(model: Model) -> float:
    """The longest distance inside a body, m; 1 where there is none."""
    places: Iterable[Array] = [
        *(link.placement[:3, 3] for link in model.links),
        *(frame.placement[:3, 3] for frame in model.frames.values()),
        *(about_center_of_mass(link.rigid_inertia)[1] for link in model.links),
    ]
    longest = max(float(np.linalg.norm(np.asarray(p, dtype=float))) for p in places)
    return longest if longest > 0.0 else 1.0


def _slides(motion: JointType) -> bool | None:
    """Whether the child slides along one line; None where it floats: nothing connects it to its parent."""
    along = motion.units.count("m")
    return None if along > 1 else along == 1 or not is_zero(motion.pitch)


def _apart(places: list[Array], others: Iterable[Array] = ()) -> list[Array]:
    """The farthest places, and of those near each other (a housing full of sensors), or ``others``, the farthest."""
    kept: list[Array] = []
    for p in sorted(places, key=lambda p: -float(np.linalg.norm(p))):
        if all(np.linalg.norm(p - other) > 0.3 * np.linalg.norm(p) for other in [*others, *kept]):
            kept.append(p)
    return kept


def _closings(model: Model) -> Iterator[tuple[int, Array, int, Array, Loop]]:
    """Of each loop between two frames: body and place in it, of its first frame and of its second."""
    for loop in model.loops:
        if isinstance(loop, Loop) and loop.type != "weld":
            first, second = model.frame(loop.first), model.frame(loop.second)
            yield first.body, (first.placement @ loop.placement)[:3, 3], second.body, second.placement[:3, 3], loop


def _telescope(
    model: Model, k: int, ends: list[list[Array]], tips: list[list[Array]], tolerance: float
) -> tuple[Array, Array, Array] | None:
    """Where the tube of a sliding leg begins and ends on the parent, and where the rod ends on body k, if it is one.

    A leg telescopes where both bodies extend along the line of the slide.
    """
    link = model.links[k]
    if link.parent < 0 or not _slides(link.motion) or _slides(model.links[link.parent].motion) is not False:
        return None
    axis, start = link.placement[:3, 2], link.placement[:3, 3]

    def along(places: list[Array], direction: Array, origin: Array) -> list[float]:
        off = [np.linalg.norm(np.cross(p - origin, direction)) for p in places]
        return [float((p - origin) @ direction) for p, d in zip(places, off, strict=True) if d <= tolerance]

    def place(s: float) -> Array:
        return np.asarray(start + s * axis)

    up, zero = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    carried = [child.placement[:3, 3] for child in model.links if child.parent == k]
    rod = along([*ends[k], *tips[k], *carried], up, zero)
    tube = along([zero, start, *tips[link.parent]], axis, start)
    tip = max(rod, key=abs, default=0.0)
    if abs(tip) <= 20.0 * tolerance or max(tube) - min(tube) <= 20.0 * tolerance or len(tube) < 2:
        return None
    foot, mouth = (min(tube), max(tube)) if tip > 0.0 else (max(tube), min(tube))
    return place(foot), place(mouth), tip * up


def _rod_end(mass: float, center: Array, inertia: Array, tolerance: float) -> list[Array]:
    """The end of the uniform rod that has this inertia, m ℓ²/3 for half its length ℓ, about its center."""
    distance = float(np.linalg.norm(center))
    if mass <= 0.0 or distance <= tolerance:
        return []
    along = center / distance
    across = max(0.5 * (np.trace(inertia) - along @ inertia @ along), 0.0)
    return [center + along * min(np.sqrt(3.0 * across / mass), distance)]


def _box(parts: _Parts, body: int, mass: float, center: Array, inertia: Array) -> None:
    """The edges of the uniform box that has this inertia: what else is there to see of a single free body."""
    moments, axes = np.linalg.eigh(inertia)
    squares = 1.5 * (moments.sum() - 2.0 * moments) / mass if mass > 0.0 else np.zeros(3)  # of half the sides
    half = np.sqrt(np.maximum(squares, 0.0))
    half = np.maximum(half, 0.02 * half.max())
    if half.max() <= parts.tolerance:
        return
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = [parts.point(body, center + axes @ (s * half)) for s in signs]
    for i in range(8):
        for j in range(i + 1, 8):
            if np.abs(signs[i] - signs[j]).sum() == 2:
                parts.connect(corners[i], corners[j], SegmentKind.LINK, body)


def _plates(parts: _Parts, pins: list[int]) -> tuple[tuple[int, ...], ...]:
    """The outline of every body whose linked points span an area: their hull in the plane nearest them.

    Where loops end at several of its ``pins`` the outline is drawn, instead of what links the corners to the joint.
    """
    found = []
    sliding = {
        i for s, kind in zip(parts.segments, parts.kinds, strict=True) if kind == SegmentKind.CARRIAGE for i in s
    }
    for k in range(len(pins)):
        numbers = [i for i in parts.of[k] if i not in sliding]
        if not 3 <= len(numbers) <= max(7, pins[k] + 2):
            continue
        points = np.array([parts.points[i] for i in numbers])
        _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
        if sizes[1] > 0.15 * sizes[0]:
            hull = tuple(numbers[i] for i in _hull((points - points.mean(axis=0)) @ axes[:2].T))
            found.append(hull)
            if pins[k] > 1:
                parts.outline(hull, k)
    return tuple(found)


def _hull(points: Array) -> list[int]:
    """The corners of the convex hull of points (n, 2), in order (Andrew 1979)."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()

    def half(numbers: list[int]) -> list[int]:
        chain: list[int] = []
        for i in numbers:
            while len(chain) > 1:
                a, b = points[chain[-1]] - points[chain[-2]], points[i] - points[chain[-2]]
                if a[0] * b[1] - a[1] * b[0] > 0.0:
                    break
                chain.pop()
            chain.append(i)
        return chain[:-1]

    return half(order) + half(order[::-1])


def _limbs(model: Model, children: list[list[int]], telescopes: list[bool]) -> Array:
    """A number for each chain; an only child continues its parent's, unless that floats or either is part of a loop."""
    looped: set[int] = set()
    for first, _, second, _, _ in _closings(model):
        looped.update(set(model.path(first)) ^ set(model.path(second)))
    limbs: list[int] = []
    count = 0
    for k, link in enumerate(model.links):
        p = link.parent
        alone = p >= 0 and len(children[p]) == 1 and _slides(model.links[p].motion) is not None
        if telescopes[k] or (alone and looped.isdisjoint((k, p))):
            limbs.append(limbs[p])
        else:
            limbs.append(count)
            count += 1
    return np.array(limbs, dtype=int)


def _poses(poses: Any, n_bodies: int) -> Array:
    array = as_numbers("poses", poses)
    if array.ndim != 4 or array.shape[1:] != (n_bodies, 4, 4):
        raise ShapeError(f"poses has shape (n_times, {n_bodies}, 4, 4) for {n_bodies} bodies; got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError("poses must be finite")
    return array
