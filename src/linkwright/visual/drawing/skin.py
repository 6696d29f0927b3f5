"""What bodies look like: the triangles of their shapes, few enough to be drawn frame after frame.

Shapes that files give (primitives and meshes) are drawn instead of the sticks of a skeleton. A mesh has its corners
gathered on a grid until few triangles are left. The far ones are drawn first, each in one tone, and all over the sticks
of bodies without any, which mostly lie within others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linkwright.errors import FormatError, FormatWarning, InputError, MissingExtraError, MissingFileError, listed, warn
from linkwright.formats.meshes import Mesh, mesh_of, painted_of
from linkwright.formats.painted import Painted, read_picture
from linkwright.model.derived import derived
from linkwright.model.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import SegmentKind, Skeleton

MOST_TRIANGLES = 6000
"""of a mechanism, about"""
LEAST_OF_A_MESH, MOST_OF_A_MESH = 60, 1500
FINEST, COARSEST = 64, 3
"""cells of the grid along the longest side of a mesh"""
THUMBNAIL = 128
"""pixels, of pictures that lie on meshes: a triangle has one tone"""
FACETS = 16
"""round a cylinder"""
LARGEST_PIECE = 0.12
"""Longer edges, beside the mechanism's size, are cut: what is far and what is near is told by triangle."""
LIGHT = np.array([-0.35, 0.75, 0.56])
"""from the right, from above, from the viewer"""
DARKEST = 0.5
Read = TypeVar("Read")

TOUCHING, VEIL = "touching", 0.6
"""The shapes to draw that touch others, and their opacity."""


@dataclass(frozen=True, eq=False)
class Skin:
    """The triangles of a mechanism's shapes."""

    points: Array
    """(n, 3), m, each in the (canonical) frame of its body"""
    body: Array
    """(n,), the body of each point; -1 for the world"""
    faces: Array
    """(m, 3), numbers of points"""
    colors: Array
    """(m, 3), red, green, blue; NaN where the body's own is to be taken"""
    opacity: Array
    """(m,), 1 where nothing is seen through"""
    corners: Array
    """(k, 3), of a box round each shape, in the frame of its body"""
    corner_body: Array
    """(k,), the body of each corner"""
    over: bool = False
    """whether it is drawn over the sticks, which stay"""

    def at(self, poses: Array) -> Array:
        """Where the points (n, 3) are in the world, the bodies at poses (n_bodies, 4, 4)."""
        return _moved(self.points, self.body, poses)

    def corners_along(self, poses: Array) -> Array:
        """Where the corners are in the world, (n_times, k, 3), the bodies at poses (n_times, n_bodies, 4, 4)."""
        return np.array([_moved(self.corners, self.corner_body, now) for now in poses]).reshape(len(poses), -1, 3)

    def bare(self, bones: Skeleton) -> Skeleton:
        """The skeleton without the sticks, marks and plates of bodies that have a skin."""
        if self.over:
            return bones
        covered = set(self.body.tolist())
        sticks = (
            SegmentKind.LINK,
            SegmentKind.BASE,
            SegmentKind.RAIL,
            SegmentKind.CARRIAGE,
            SegmentKind.TUBE,
            SegmentKind.ROD,
        )
        moving = set(range(len(bones.joints)))
        if moving <= covered:
            covered.add(-1)
        kept = [
            k
            for k, (kind, owner) in enumerate(zip(bones.kinds, bones.owner, strict=True))
            if kind not in sticks or owner not in covered
        ]
        marks = [pair for pair in bones.marks if not covered.intersection(bones.body[pair].tolist())]
        return replace(
            bones,
            segments=bones.segments[kept],
            kinds=bones.kinds[kept],
            owner=bones.owner[kept],
            marks=np.array(marks, dtype=int).reshape(-1, 2),
            plates=tuple(plate for plate in bones.plates if bones.body[plate[0]] not in covered),
        )


def _moved(points: Array, body: Array, poses: Array) -> Array:
    """Points of bodies in the world; those of number -1 are there already."""
    placed = points.copy()
    for k in np.unique(body[body >= 0]):
        own = body == k
        placed[own] = points[own] @ poses[k, :3, :3].T + poses[k, :3, 3]
    return placed


def skin(model: Model, shapes: bool | str = True) -> Skin | None:
    """The skin of a model; None where it has no shapes that can be drawn, or is to have none (``shapes`` False).

    Shapes for collision alone are not drawn, nor grounds (`floors.py`), nor what has no opacity, nor what of the world
    is much larger than the mechanism. "touching" are those that touch others, drawn over the sticks, which stay. Meshes
    whose files are not found and those that cannot be read are told in one :class:`FormatWarning`, once for each model.
    """
    if not isinstance(shapes, bool) and shapes != TOUCHING:
        raise InputError(f"shapes is True, False or {TOUCHING!r}; got {shapes!r}")
    touching = shapes == TOUCHING
    if shapes is False or not any(shape.touches if touching else shape.is_seen for shape in model.shapes):
        return None
    found: Skin | None = derived(model, _skin, touching)
    return found


def read_meshes(
    shapes: Sequence[Shape], mesh: Callable[[Shape], Read]
) -> tuple[list[tuple[Shape, Read]], list[str], list[str]]:
    """The shapes that have a mesh, with it; the files that are not found; and why others cannot be read."""
    found, absent, wrong = [], [], []
    for shape in shapes:
        try:
            found.append((shape, mesh(shape)))
        except MissingFileError:  # as many robots are passed on: without their meshes
            absent.append(shape.file)
        except (FormatError, MissingExtraError) as error:
            wrong.append(str(error))
    return found, absent, wrong


def _skin(model: Model, touching: bool) -> Skin | None:
    shapes = [
        shape
        for shape in model.shapes
        if (shape.touches if touching else shape.is_seen and _opacity(shape)) and not _is_floor(model, shape)
    ]
    share = int(np.clip(MOST_TRIANGLES / max(len(shapes), 1), LEAST_OF_A_MESH, MOST_OF_A_MESH))
    readable, absent, missing = read_meshes(shapes, lambda shape: _colored(shape, share, touching))
    pieces: list[_BodyTriangles] = []
    notes: list[str] = []
    for shape, (mesh, colors, unread) in readable:
        frame = model.frames[shape.body]
        T = frame.placement @ shape.placement
        pieces.append(_BodyTriangles(frame.body, Mesh(mesh.vertices @ T[:3, :3].T + T[:3, 3], mesh.faces), colors))
        notes += unread
    tell_colors(model, notes)
    if absent:
        names = dict.fromkeys(absent)
        told = (
            f"{next(iter(names))!r} is"
            if len(names) == 1
            else f"{len(names)} files are, such as {next(iter(names))!r},"
        )
        missing.append(f"{told} not found")
    if missing:
        warn(f"{model.name!r}: shapes are not drawn: {listed(tuple(dict.fromkeys(missing)), 'meshes')}", FormatWarning)
    size = max((float(np.ptp(piece.mesh.vertices, axis=0).max()) for piece in pieces if piece.body >= 0), default=0.0)
    reach = sum(float(np.linalg.norm(link.placement[:3, 3])) for link in model.links if link.parent >= 0) + size
    pieces = [piece for piece in pieces if piece.body >= 0 or np.abs(piece.mesh.vertices).max() <= 2.0 * reach]
    if not pieces:
        return None
    pieces = [_cut(piece, LARGEST_PIECE * (reach or 1.0)) for piece in pieces]
    counts = np.cumsum([0, *(len(piece.mesh.vertices) for piece in pieces)])
    corners, owners = [], []
    for piece in pieces:
        ends = np.array([piece.mesh.vertices.min(axis=0), piece.mesh.vertices.max(axis=0)])
        corners += [[ends[a, 0], ends[b, 1], ends[c, 2]] for a, b, c in product(range(2), repeat=3)]
        owners += [piece.body] * 8
    colors = np.concatenate([piece.colors for piece in pieces])
    return Skin(
        points=np.concatenate([piece.mesh.vertices for piece in pieces]),
        body=np.concatenate([np.full(len(piece.mesh.vertices), piece.body) for piece in pieces]),
        faces=np.concatenate([piece.mesh.faces + at for piece, at in zip(pieces, counts, strict=False)]),
        colors=colors[:, :3],
        opacity=np.full(len(colors), VEIL) if touching else colors[:, 3],
        over=touching,
        corners=np.array(corners).reshape(-1, 3),
        corner_body=np.array(owners, dtype=int),
    )


class _BodyTriangles(NamedTuple):
    """Triangles of one body."""

    body: int
    mesh: Mesh
    colors: Array
    """(m, 4): red, green, blue, NaN where the body's own is to be taken, and opacity"""


def _colored(shape: Shape, most: int, touching: bool) -> tuple[Mesh, Array, tuple[str, ...]]:
    """A shape's triangles, about so many of a mesh, their colors (m, 4), and what could not be read of these."""
    own = np.array([np.nan, np.nan, np.nan, 1.0] if shape.color is None else shape.color)
    if shape.kind != "mesh" or touching:
        mesh = coarse(mesh_of(shape), most)[0] if shape.kind == "mesh" else outside(shape)
        return mesh, np.tile(own, (len(mesh.faces), 1)), ()
    read, folder = coarse_painted(shape, most)
    colors, notes = np.tile(own, (len(read.faces), 1)), [*read.notes]
    for number, paint in enumerate(read.paints):
        mine = read.paint == number
        colors[mine] = paint.color
        if paint.picture and read.uv is not None:
            try:
                colors[mine, :3] = _seen(read_picture(folder, paint.picture, THUMBNAIL), read.uv[mine].mean(axis=1))
            except (FormatError, MissingFileError) as error:
                colors[mine] = own
                notes.append(str(error))
    return Mesh(read.vertices, read.faces), colors, tuple(notes)


def _seen(pixels: Array, uv: Array) -> Array:
    """The colors (m, 3), 0 to 1, of a picture at places (m, 2), beyond whose sides it comes again."""
    height, width = pixels.shape[:2]
    u, v = (uv % 1.0).T
    rows, columns = ((1.0 - v) * height).astype(int), (u * width).astype(int)
    colors: Array = pixels[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)] / 255.0
    return colors


def coarse_painted(shape: Shape, most: int) -> tuple[Painted, str]:
    """The triangles of a mesh, about so many at most, with their paints; and the folder of its file."""
    read, folder = painted_of(shape)
    mesh, left = coarse(Mesh(read.vertices, read.faces), most)
    uv = None if read.uv is None else read.uv[left]
    return read._replace(vertices=mesh.vertices, faces=mesh.faces, paint=read.paint[left], uv=uv), folder


def tell_colors(model: Model, notes: Sequence[str]) -> None:
    """What of the colors of meshes could not be read, in one :class:`FormatWarning`."""
    if notes:
        told = listed(tuple(dict.fromkeys(notes)), "files")
        warn(f"{model.name!r}: meshes are shown without colors of their own: {told}", FormatWarning)


def _is_floor(model: Model, shape: Shape) -> bool:
    """Whether it is drawn as lines beneath everything, or has no end."""
    return shape.kind == "plane" or (shape.kind == "height_field" and model.frames[shape.body].body < 0)


def _opacity(shape: Shape) -> float:
    return 1.0 if shape.color is None else float(shape.color[3])


def coarse(mesh: Mesh, most: int) -> tuple[Mesh, Array]:
    """A mesh of about so many triangles at most: corners in one cell of a grid become one, their mean.

    Also (m,), the triangles of the mesh that are left.
    """
    V, F = mesh
    if len(F) <= most:
        return mesh, np.arange(len(F))
    low, extent = V.min(axis=0), float(np.ptp(V, axis=0).max()) or 1.0
    cells = float(FINEST)
    while True:
        x, y, z = np.floor((V - low) * (cells / extent)).astype(int).T
        side = int(cells) + 2
        number = np.unique((x * side + y) * side + z, return_inverse=True)[1]
        faces = number[F]
        left = np.flatnonzero(
            (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        )
        a, b, c = np.sort(faces[left], axis=1).T
        n = int(number.max()) + 1
        left = left[np.unique((a * n + b) * n + c, return_index=True)[1]]
        faces = faces[left]
        if len(faces) <= most or cells <= COARSEST:
            count = np.bincount(number)
            means = np.stack([np.bincount(number, V[:, k]) for k in range(3)], axis=1) / count[:, None]
            return Mesh(means, faces), left
        cells *= max(0.6, min(0.9, float(np.sqrt(most / len(faces)))))


def _cut(piece: _BodyTriangles, longest: float) -> _BodyTriangles:
    """With triangles of longer edges cut in four, until there are none, or very many."""
    (V, F), colors = piece.mesh, piece.colors
    for _ in range(4):
        ends = V[F]
        long = np.linalg.norm(ends - np.roll(ends, 1, axis=1), axis=2).max(axis=1) > longest
        if not long.any() or 4 * int(long.sum()) + len(F) > MOST_OF_A_MESH:
            break
        A, B, C = (V[F[long, k]] for k in range(3))
        n, m = len(V), int(long.sum())
        V = np.concatenate([V, 0.5 * (A + B), 0.5 * (B + C), 0.5 * (C + A)])
        a, b, c = F[long].T
        ab, bc, ca = (np.arange(n + k * m, n + (k + 1) * m) for k in range(3))
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        F = np.concatenate([F[~long], *(np.stack(quarter, axis=1) for quarter in quarters)])
        colors = np.concatenate([colors[~long], np.tile(colors[long], (4, 1))])
    return _BodyTriangles(piece.body, Mesh(V, F), colors)


def outside(shape: Shape) -> Mesh:
    """The surface of a primitive as triangles, in its own frame."""
    if shape.kind == "box":
        corners = 0.5 * np.array(list(product((-1.0, 1.0), repeat=3))) * np.array(shape.size)
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        return Mesh(corners, np.array([f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))]))
    if shape.kind == "height_field":
        assert shape.heights is not None
        return _surface(shape.heights, shape.size)
    half, r = 0.5 * shape.length, shape.radius
    if shape.kind in ("cylinder", "cone"):
        top = r if shape.kind == "cylinder" else 0.0
        return _turned([(0.0, -half), (r, -half), (top, half), *([(0.0, half)] if top else [])])
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, FACETS // 2 + 1)
    if shape.kind == "capsule":
        middle = len(angles) // 2
        ends = [(r * np.cos(a), r * np.sin(a) - half) for a in angles[: middle + 1]]
        return _turned([*ends, *((r * np.cos(a), r * np.sin(a) + half) for a in angles[middle:])])
    ball = _turned([(np.cos(a), np.sin(a)) for a in angles])
    return Mesh(ball.vertices * (r if shape.kind == "sphere" else 0.5 * np.array(shape.size)), ball.faces)


def _surface(heights: Array, size: tuple[float, float, float]) -> Mesh:
    """Two triangles in each cell of a height field."""
    rows, columns = heights.shape
    y, x = np.meshgrid(
        *(np.linspace(-0.5, 0.5, n) * s for n, s in ((rows, size[1]), (columns, size[0]))), indexing="ij"
    )
    at = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (corner.ravel() for corner in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return Mesh(np.stack([x, y, heights], axis=-1).reshape(-1, 3), faces)


def _turned(profile: list[tuple[Any, Any]]) -> Mesh:
    """What a profile of (radius, height), upwards, makes when it is turned about z."""
    turn = np.linspace(0.0, 2.0 * np.pi, FACETS, endpoint=False)
    V = np.array([[r * np.cos(t), r * np.sin(t), z] for r, z in profile for t in turn])
    faces = []
    for ring in range(len(profile) - 1):
        for k in range(FACETS):
            a, b = ring * FACETS + k, ring * FACETS + (k + 1) % FACETS
            faces += [(a, b, b + FACETS), (a, b + FACETS, a + FACETS)]
    F = np.array(faces)
    ends = V[F]
    area = np.linalg.norm(np.cross(ends[:, 1] - ends[:, 0], ends[:, 2] - ends[:, 0]), axis=1)
    return Mesh(V, F[area > 1e-9 * area.max()])


def toned(colors: Array, corners: Array, axes: Array) -> Array:
    """The colors (m, 3) in the light, of triangles of corners (m, 3, 3) seen along ``axes`` (3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) @ axes.T
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    normals = np.where(normals[:, 2:] < 0.0, -normals, normals)  # seen from either side
    bright = DARKEST + (1.0 - DARKEST) * np.clip(normals @ LIGHT, 0.0, 1.0)
    lit: Array = colors * bright[:, None]
    return lit
