"""The triangles of the visual shapes of bodies, few enough to be drawn frame after frame.

Shapes that files give (primitives and meshes) are drawn instead of the sticks of a skeleton. Corners of a large mesh
are merged on a grid until few triangles are left. Shapes are drawn over the sticks of bodies that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np

from linkwright.errors import FormatError, FormatWarning, InputError, MissingExtraError, MissingFileError, listed, warn
from linkwright.formats.meshes.materials import Painted, read_picture
from linkwright.formats.meshes.reading import Mesh, mesh_of, painted_of
from linkwright.model.memo import derived
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual import palette
from linkwright.visual.drawing.linkage import SegmentKind, Skeleton
from linkwright.visual.rendering.surfaces import FACETS, corner_normals, creases, primitive, turned

SLENDER = 0.15
"""Largest radius of a pedestal, relative to the mechanism."""
MOST_TRIANGLES = 150_000
"""of a mechanism, about"""
LEAST_OF_A_MESH, MOST_OF_A_MESH = 500, 20_000
FINEST, COARSEST = 200, 3
"""cells of the grid along the longest side of a mesh"""
LEAST_FACETS, FINENESS = 12, 140.0
"""Least number of facets of a circle, and number of facets of a circle as large as the mechanism. The number grows with
the square root of the radius: all polygons deviate from their circles by the same part of a pixel."""
MILLIMETERS = 20.0
"""Size of a mesh, relative to the mechanism and at least to 1 m, above which its file is likely in millimeters."""
THUMBNAIL = 128
"""pixels, of pictures that lie on meshes: a triangle has one color"""
Read = TypeVar("Read")

TOUCHING, VEIL = "touching", 0.6
"""The shapes to draw that touch others, and their opacity."""


@dataclass(frozen=True, eq=False)
class Skin:
    """The triangles of a mechanism's shapes."""

    points: Array
    """(n, 3), m, each in the (canonical) frame of its body"""
    normals: Array
    """(n, 3), unit, in the same axes"""
    body: Array
    """(n,), the body of each point; -1 for the world"""
    faces: Array
    """(m, 3), numbers of points"""
    colors: Array
    """(m, 3), red, green, blue; NaN where the body's own is to be taken"""
    opacity: Array
    """(m,), 1 where nothing is seen through"""
    closed: Array
    """(m,), whether it is part of a surface of which only the outside is seen"""
    corners: Array
    """(k, 3), of a box round each shape, in the frame of its body"""
    corner_body: Array
    """(k,), the body of each corner"""
    over: bool = False
    """whether it is drawn over the sticks, which stay"""

    def on_pedestal(self, top: Array, up: Array, ground: float, size: float) -> Skin:
        """Return the triangles with a pedestal below a point (3,), down to the height of the ground along ``up``."""
        side = np.cross(np.eye(3)[int(np.argmin(np.abs(up)))], up)
        R = np.stack([side, np.cross(up, side), up], axis=1) / np.array([*[np.linalg.norm(side)] * 2, 1.0])
        low, high = ground, float(top @ up)
        own = self.corners[self.corner_body < 0] @ R
        if len(own) and own[:, 2].min() < 0.5 * (low + high):  # the base is a pedestal
            return self
        base = own[:, :2]
        radius = min(0.5 * float(np.ptp(base, axis=0).max()) if len(base) else np.inf, SLENDER * size)
        mesh = creases(turned([(radius, low), (radius, high), (0.0, high)]))[0]
        middle = 0.5 * (base.min(axis=0) + base.max(axis=0)) if len(base) else top @ R[:, :2]
        count, faces = len(mesh.vertices), len(mesh.faces)
        return replace(
            self,
            points=np.concatenate([(mesh.vertices + np.array([*middle, 0.0])) @ R.T, self.points]),
            normals=np.concatenate([corner_normals(mesh) @ R.T, self.normals]),
            body=np.concatenate([np.full(count, -1), self.body]),
            faces=np.concatenate([mesh.faces, self.faces + count]),
            colors=np.concatenate([np.tile(palette.mixed(palette.RAIL, 0.0), (faces, 1)), self.colors]),
            opacity=np.concatenate([np.ones(faces), self.opacity]),
            closed=np.concatenate([np.ones(faces, dtype=bool), self.closed]),
        )

    def at(self, poses: Array) -> Array:
        """Where the points (n, 3) are in the world, the bodies at poses (n_bodies, 4, 4)."""
        return _moved(self.points, self.body, poses)

    def normals_at(self, poses: Array) -> Array:
        """Return the normals (n, 3) in the axes of the world."""
        return _moved(self.normals, self.body, poses, shifted=False)

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


def _moved(points: Array, body: Array, poses: Array, shifted: bool = True) -> Array:
    """Points of bodies, sorted by these, in the world (those of number -1 are there already), or vectors."""
    placed = points.copy()
    numbers, starts = np.unique(body, return_index=True)
    for k, first, end in zip(numbers, starts, [*starts[1:], len(body)], strict=True):
        if k >= 0:
            placed[first:end] = points[first:end] @ poses[k, :3, :3].T + (poses[k, :3, 3] if shifted else 0.0)
    return placed


def skin(model: Model, shapes: bool | str = True) -> Skin | None:
    """Return the skin of a model; None if no shape can be drawn or ``shapes`` is False.

    Collision-only shapes, grounds (`floors.py`), transparent shapes (opacity zero) and shapes of the world that are
    much larger than the mechanism are not drawn. "touching" selects the collision shapes, drawn over the sticks.
    Meshes whose files are missing or cannot be read are reported in one :class:`FormatWarning` per model.
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


def explain_absent(absent: Sequence[str]) -> list[str]:
    """Return at most one sentence about mesh files that are not found."""
    names = list(dict.fromkeys(absent))
    if not names:
        return []
    which = f"{names[0]!r} is" if len(names) == 1 else f"{len(names)} files are, such as {names[0]!r},"
    remedy = "paths start at the folder of the robot file"
    if any(name.startswith("package://") for name in names):
        remedy = "load(…, packages=[folder]) takes the folder of the packages"
    return [f"{which} not found; {remedy}"]


def check_units(model: Model, meshes: Sequence[Mesh]) -> None:
    """Warn about meshes of moving bodies that are much larger than the mechanism: files in millimeters."""
    largest = max((float(np.ptp(mesh.vertices, axis=0).max()) for mesh in meshes), default=0.0)
    size = length(model)
    if size and largest > MILLIMETERS * max(size, 1.0):
        warn(
            f"{model.name!r}: a mesh is {largest:.3g} m large, but distances of joints add up to {size:.3g} m; "
            'for a mesh file in millimeters write scale="0.001 0.001 0.001" in the robot file',
            FormatWarning,
        )


def length(model: Model) -> float:
    """Return the sum of the distances between consecutive joints, m."""
    return sum(float(np.linalg.norm(link.placement[:3, 3])) for link in model.links if link.parent >= 0)


def _skin(model: Model, touching: bool) -> Skin | None:
    shapes = [
        shape
        for shape in model.shapes
        if (shape.touches if touching else shape.is_seen and _opacity(shape)) and not _is_floor(model, shape)
    ]
    share = int(np.clip(MOST_TRIANGLES / max(len(shapes), 1), LEAST_OF_A_MESH, MOST_OF_A_MESH))
    distances = length(model)
    readable, absent, missing = read_meshes(
        shapes, lambda shape: _colored(shape, share, touching, _facets(shape, distances))
    )
    pieces: list[_BodyTriangles] = []
    notes: list[str] = []
    for shape, (mesh, colors, unread) in readable:
        frame = model.frames[shape.body]
        T = frame.placement @ shape.placement
        smooth, left = creases(mesh)
        placed = Mesh(smooth.vertices @ T[:3, :3].T + T[:3, 3], smooth.faces)
        closed = shape.kind not in ("mesh", "height_field")
        pieces.append(_BodyTriangles(frame.body, placed, colors[left], closed))
        notes += unread
    warn_of_missing_colors(model, notes)
    missing += explain_absent(absent)
    check_units(model, [piece.mesh for piece in pieces if piece.body >= 0 and not piece.closed])
    if missing:
        warn(f"{model.name!r}: shapes are not drawn: {listed(tuple(dict.fromkeys(missing)), 'meshes')}", FormatWarning)
    size = max((float(np.ptp(piece.mesh.vertices, axis=0).max()) for piece in pieces if piece.body >= 0), default=0.0)
    reach = length(model) + size
    pieces = [piece for piece in pieces if piece.body >= 0 or np.abs(piece.mesh.vertices).max() <= 2.0 * reach]
    if not pieces:
        return None
    pieces.sort(key=lambda piece: piece.body)
    counts = np.cumsum([0, *(len(piece.mesh.vertices) for piece in pieces)])
    corners, owners = [], []
    for piece in pieces:
        ends = np.array([piece.mesh.vertices.min(axis=0), piece.mesh.vertices.max(axis=0)])
        corners += [[ends[a, 0], ends[b, 1], ends[c, 2]] for a, b, c in product(range(2), repeat=3)]
        owners += [piece.body] * 8
    order = np.argsort(owners, kind="stable")
    colors = np.concatenate([piece.colors for piece in pieces])
    return Skin(
        points=np.concatenate([piece.mesh.vertices for piece in pieces]),
        normals=np.concatenate([corner_normals(piece.mesh) for piece in pieces]),
        body=np.concatenate([np.full(len(piece.mesh.vertices), piece.body) for piece in pieces]),
        faces=np.concatenate([piece.mesh.faces + at for piece, at in zip(pieces, counts, strict=False)]),
        colors=colors[:, :3],
        opacity=np.full(len(colors), VEIL) if touching else colors[:, 3],
        closed=np.concatenate([np.full(len(piece.mesh.faces), piece.closed) for piece in pieces]),
        over=touching,
        corners=np.array(corners).reshape(-1, 3)[order],
        corner_body=np.array(owners, dtype=int)[order],
    )


def _facets(shape: Shape, distances: float) -> int:
    """Return the number of facets of a shape's circles, a multiple of four; ``distances``: size of the mechanism, m."""
    radius = 0.5 * max(shape.size) if shape.kind == "ellipsoid" else shape.radius
    wanted = FINENESS * np.sqrt(radius / distances) if distances else FACETS
    return 4 * round(float(np.clip(wanted, LEAST_FACETS, FACETS)) / 4.0)


class _BodyTriangles(NamedTuple):
    """Triangles of one body."""

    body: int
    mesh: Mesh
    colors: Array
    """(m, 4): red, green, blue, NaN where the body's own is to be taken, and opacity"""
    closed: bool
    """whether only the outside of the surface is seen"""


def _colored(shape: Shape, most: int, touching: bool, facets: int) -> tuple[Mesh, Array, tuple[str, ...]]:
    """Return the triangles of a shape (about ``most`` of a mesh), colors (m, 4) and notes on unreadable colors."""
    own = np.array([np.nan, np.nan, np.nan, 1.0] if shape.color is None else shape.color)
    if shape.kind != "mesh" or touching:
        mesh = coarse(mesh_of(shape), most)[0] if shape.kind == "mesh" else primitive(shape, facets)
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
    """Return the triangles of a mesh, at most about ``most``, with their paints, and the folder of its file."""
    read, folder = painted_of(shape)
    mesh, left = coarse(Mesh(read.vertices, read.faces), most)
    uv = None if read.uv is None else read.uv[left]
    return read._replace(vertices=mesh.vertices, faces=mesh.faces, paint=read.paint[left], uv=uv), folder


def warn_of_missing_colors(model: Model, notes: Sequence[str]) -> None:
    """Report the colors of meshes that could not be read in one :class:`FormatWarning`."""
    if notes:
        listing = listed(tuple(dict.fromkeys(notes)), "files")
        warn(f"{model.name!r}: meshes are shown without their colors: {listing}", FormatWarning)


def _is_floor(model: Model, shape: Shape) -> bool:
    """Whether it is drawn as lines beneath everything, or has no end."""
    return shape.kind == "plane" or (shape.kind == "height_field" and model.frames[shape.body].body < 0)


def _opacity(shape: Shape) -> float:
    return 1.0 if shape.color is None else float(shape.color[3])


def coarse(mesh: Mesh, most: int) -> tuple[Mesh, Array]:
    """Simplify a mesh to at most about ``most`` triangles: the vertices in one grid cell are merged into their mean.

    Also returns (m,), the indices of the triangles that are kept.
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
