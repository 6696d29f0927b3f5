"""The solids of a mechanism: the shapes of its file, or solids along its skeleton.

Solids are triangles in the axes of their link. A strut connects points of two bodies (a telescopic rod, a spring); its
pose and length change with the posture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwright.browser.view.pictures import Picture, Pictures, laid
from linkwright.errors import FormatWarning, listed, warn
from linkwright.formats.meshes.materials import Painted, plain
from linkwright.formats.meshes.reading import Mesh, mesh_of
from linkwright.model.joints.loop import Loop
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose
from linkwright.visual.drawing.linkage import SegmentKind, Skeleton, poses_along, skeleton
from linkwright.visual.drawing.scene import limb_colors
from linkwright.visual.drawing.skin import (
    check_units,
    coarse,
    coarse_painted,
    explain_absent,
    read_meshes,
    warn_of_missing_colors,
)
from linkwright.visual.rendering.surfaces import capsule, creased, creases, primitive, sphere, turned

MOST_TRIANGLES = 1_000_000
"""Largest number of triangles of all meshes."""
MOST_OF_A_MESH, LEAST_OF_A_MESH = 150_000, 500

JOINT_COLOR, BASE_COLOR, PLAIN = (74, 81, 92), (150, 155, 164), (222, 225, 230)
"""Colors of joints, of fixed solids, and of meshes without a color."""

Color = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class BodySolid:
    """A solid of one body."""

    body: int
    """-1 for the world"""
    mesh: Mesh
    """in the axes of the body's link"""
    color: Color
    opacity: float = 1.0
    picture: Picture | None = None
    """texture; ``color`` is used where textures are not supported"""


@dataclass(frozen=True, eq=False)
class Strut:
    """A round rod of variable length between points of two bodies."""

    bodies: tuple[int, int]
    ends: tuple[Array, Array]
    """(3,) each, in the axes of the bodies' links"""
    radius: float
    color: Color


@dataclass(frozen=True, eq=False)
class Solids:
    """The solids and struts of a mechanism."""

    solids: tuple[BodySolid, ...]
    struts: tuple[Strut, ...]


def solids_of(model: Model) -> Solids:
    """Return the solids of a model: its visible shapes, and drawn solids of bodies without shapes.

    One :class:`FormatWarning` lists missing and unreadable meshes; their bodies are drawn.
    """
    shapes = _shapes(model)
    drawn, struts = _drawn(model, {solid.body for solid in shapes})
    if not shapes:  # feet and the like, which are seen where nothing else is
        shapes = tuple(replace(solid, color=BASE_COLOR) for solid in _shapes(model, touching=True) if solid.opacity)
    return Solids((*shapes, *drawn), struts)


def touching_solids(model: Model) -> tuple[BodySolid, ...]:
    """Return the collision shapes."""
    return _shapes(model, touching=True)


def to_link(model: Model, body: int) -> Array:
    """Return the transform (4, 4) from the canonical axes of a body to the axes of its link."""
    if body < 0:
        return np.eye(4)
    return inverse_pose(model.frames[model.bodies[body].name].placement)


def _shapes(model: Model, touching: bool = False) -> tuple[BodySolid, ...]:
    """Return the visible shapes, or the collision shapes, except planes."""
    wanted = [
        shape
        for shape in model.shapes
        if (shape.touches if touching else shape.is_seen and (shape.color is None or shape.color[3] > 0.0))
        and shape.kind != "plane"
    ]
    meshes = sum(shape.kind == "mesh" for shape in wanted)
    share = int(np.clip(MOST_TRIANGLES / max(meshes, 1), LEAST_OF_A_MESH, MOST_OF_A_MESH))
    pictures = Pictures()
    readable, absent, missing = read_meshes(wanted, lambda shape: _painted(shape, share, touching))
    found: list[BodySolid] = []
    for shape, (read, folder) in readable:
        frame = model.frames[shape.body]
        T = to_link(model, frame.body) @ frame.placement @ shape.placement
        rgb, opacity = (PLAIN, 1.0) if shape.color is None else (_bytes(shape.color[:3]), float(shape.color[3]))
        look = BodySolid(frame.body, Mesh(read.vertices @ T[:3, :3].T + T[:3, 3], read.faces), rgb, opacity)
        found += _pieces(look, read, folder, pictures)
    if not touching:
        warn_of_missing_colors(model, pictures.notes)
    missing += explain_absent(absent)
    if not touching:
        check_units(model, [solid.mesh for solid in found if solid.body >= 0])
    if missing and not touching:
        warn(f"{model.name!r}: shapes are not shown: {listed(tuple(dict.fromkeys(missing)), 'meshes')}", FormatWarning)
    return tuple(found)


def _painted(shape: Shape, most: int, touching: bool) -> tuple[Painted, str]:
    """Return the triangles of a shape, at most about ``most`` of a mesh, and the folder of its file."""
    if shape.kind == "mesh" and not touching:
        return coarse_painted(shape, most)
    return plain(*(coarse(mesh_of(shape), most)[0] if shape.kind == "mesh" else primitive(shape))), ""


def _pieces(solid: BodySolid, read: Painted, folder: str, pictures: Pictures) -> list[BodySolid]:
    """Return one solid for each paint."""
    pictures.note(read.notes)
    mesh, kept = creases(solid.mesh)
    paint = read.paint[kept]
    found = []
    for number in np.unique(paint).tolist():
        mine = paint == number
        used, F = np.unique(mesh.faces[mine], return_inverse=True)
        piece = replace(solid, mesh=Mesh(mesh.vertices[used], F.reshape(-1, 3)))
        if number >= 0:
            color, named = read.paints[number]
            pixels = pictures.pixels(folder, named) if named else None
            if pixels is not None and read.uv is not None:
                own, picture = laid(piece.mesh, pixels, read.uv[kept][mine])
                piece = replace(piece, mesh=own, color=picture.tone, picture=picture)
            elif not named:
                piece = replace(piece, color=_bytes(color[:3]), opacity=color[3])
        found.append(piece)
    return found


def _bytes(rgb: tuple[float, ...]) -> Color:
    r, g, b = (round(255.0 * x) for x in rgb)
    return r, g, b


def _moved(mesh: Mesh, T: Array) -> Mesh:
    return Mesh(mesh.vertices @ T[:3, :3].T + T[:3, 3], mesh.faces)


def along(a: Array, b: Array) -> Array:
    """(4, 4): a frame at ``a`` whose z points to ``b``."""
    z = b - a
    length = float(np.linalg.norm(z))
    z = z / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), a
    return T


def rod(a: Array, b: Array, radius: float) -> Mesh:
    """A round rod from ``a`` to ``b``."""
    return _moved(capsule(radius, 0.0, float(np.linalg.norm(b - a))), along(a, b))


def _radius(bones: Skeleton, size: float) -> float:
    """Of the drawn rods: thinner the more there are, and never thicker than they are long."""
    lengths = [
        float(np.linalg.norm(bones.points[j] - bones.points[i]))
        for i, j in bones.segments
        if bones.body[i] == bones.body[j]
    ]
    typical = float(np.median(lengths)) if lengths else size
    return float(min(0.02 * size, 0.16 * typical)) or 0.02 * (size or 1.0)


def _drawn(model: Model, covered: set[int]) -> tuple[list[BodySolid], tuple[Strut, ...]]:
    """Return solids along the skeleton for the bodies without shapes."""
    if not model.links:
        return [], ()
    bones = skeleton(model)
    if set(range(len(model.links))) <= covered:
        covered = covered | {-1}
    to = {k: to_link(model, k) for k in range(-1, len(model.links))}
    places = np.array(
        [to[int(k)][:3, :3] @ p + to[int(k)][:3, 3] for k, p in zip(bones.body, bones.points, strict=True)]
    )
    size = _size(model, bones)
    r = _radius(bones, size)
    colors = [_hex(color) for color in limb_colors(bones)]

    def color_of(body: int) -> Color:
        return BASE_COLOR if body < 0 else colors[body]

    solids: list[BodySolid] = []
    struts: list[Strut] = []
    on_plate = len(bones.anchors) > 2 and _flat(places[bones.anchors])
    if on_plate and -1 not in covered:
        solids.append(BodySolid(-1, creased(_plate(_round(places[bones.anchors]), 0.5 * r)), BASE_COLOR))
    for (i, j), kind, owner in zip(bones.segments, bones.kinds, bones.owner, strict=True):
        a, b = int(bones.body[i]), int(bones.body[j])
        if kind == SegmentKind.BASE and on_plate:
            continue
        if int(owner) in covered and kind not in (SegmentKind.COIL, SegmentKind.ROPE, SegmentKind.ROD):
            continue
        thick = {
            SegmentKind.TUBE: 1.35,
            SegmentKind.ROD: 0.7,
            SegmentKind.RAIL: 0.5,
            SegmentKind.COIL: 0.35,
            SegmentKind.ROPE: 0.3,
        }.get(SegmentKind(kind), 1.0)
        color = BASE_COLOR if kind in (SegmentKind.RAIL, SegmentKind.COIL, SegmentKind.ROPE) else color_of(int(owner))
        if a != b:
            struts.append(Strut((a, b), (places[i], places[j]), thick * r, color))
        elif kind == SegmentKind.CARRIAGE:
            half = 0.5 * float(np.linalg.norm(places[j] - places[i]))
            box = primitive(Shape("", "box", size=(3.4 * r, 3.4 * r, 2.0 * half)))
            middle = along(places[i], places[j])
            middle[:3, 3] = 0.5 * (places[i] + places[j])
            solids.append(BodySolid(a, creased(_moved(box, middle)), JOINT_COLOR))
        else:
            solids.append(BodySolid(a, creased(rod(places[i], places[j], thick * r)), color))
    for plate in bones.plates:
        body = int(bones.body[plate[0]])
        if body not in covered:
            mesh = _plate(places[list(plate)], 0.5 * r)
            solids.append(BodySolid(body, creased(mesh), color_of(body)))
    solids += _joints(model, bones, covered, to, 1.55 * r)
    return solids, tuple(struts)


def _joints(model: Model, bones: Skeleton, covered: set[int], to: dict[int, Array], r: float) -> list[BodySolid]:
    """Return the solids at the joints: hubs about the axes of hinges, balls elsewhere."""
    solids = []
    marked = set(bones.marks.ravel().tolist())
    places = bones.along(poses_along(model, model.neutral()[None]))[0][bones.joints]
    taken: list[Array] = []
    for k, (link, joint) in enumerate(zip(model.links, bones.joints, strict=True)):
        if k in covered or bones.floats[k] or int(joint) not in marked or link.motion.slide:
            continue
        near = [i for i, p in enumerate(places) if np.linalg.norm(p - places[k]) < r and not bones.floats[i]]
        if any(np.linalg.norm(p - places[k]) < r for p in taken):
            continue
        taken.append(places[k])
        hinge = link.motion.axial and len(near) == 1
        solids.append(BodySolid(k, creased(_moved(_hub(r) if hinge else _ball(r), to[k])), JOINT_COLOR))
    for loop in model.loops:
        if not isinstance(loop, Loop) or model.frames[loop.first].body in covered:
            continue
        frame = model.frames[loop.first]
        T = to[frame.body] @ frame.placement @ loop.first_axes
        hinge = loop.type in ("revolute", "cylindrical", "helical")
        solids.append(BodySolid(frame.body, creased(_moved(_hub(r) if hinge else _ball(r), T)), JOINT_COLOR))
    return solids


def _hub(r: float) -> Mesh:
    """A short cylinder about z, its rims blunted."""
    h, c = 1.25 * r, 0.18 * r
    return turned([(0.0, -h), (r - c, -h), (r, c - h), (r, h - c), (r - c, h), (0.0, h)])


def _ball(r: float) -> Mesh:
    ball = sphere()
    return Mesh(1.05 * r * ball.vertices, ball.faces)


def _plate(corners: Array, half: float) -> Mesh:
    """A flat plate between corners (n, 3) that go round it."""
    n = len(corners)
    middle = corners.mean(axis=0)
    normal = np.linalg.svd(corners - middle)[2][2]
    round_it = sum(np.cross(corners[k] - middle, corners[(k + 1) % n] - middle) for k in range(n))
    normal = normal if normal @ round_it > 0.0 else -normal
    V = np.concatenate([corners - half * normal, corners + half * normal, middle + half * np.array([-normal, normal])])
    F = []
    for k in range(n):
        j = (k + 1) % n
        F += [(k, j, j + n), (k, j + n, k + n), (2 * n, j, k), (2 * n + 1, k + n, j + n)]
    return Mesh(V, np.array(F))


def _flat(corners: Array) -> bool:
    """Whether points (n, 3) lie in a plane, and not on a line."""
    sizes = np.linalg.svd(corners - corners.mean(axis=0))[1]
    return bool(sizes[1] > 0.05 * sizes[0] and sizes[2] < 1e-3 * sizes[0])


def _round(corners: Array) -> Array:
    """Points (n, 3) of a plane in the order in which they are seen round their middle."""
    away = corners - corners.mean(axis=0)
    x, y = np.linalg.svd(away)[2][:2]
    ordered: Array = corners[np.argsort(np.arctan2(away @ y, away @ x))]
    return ordered


def _size(model: Model, bones: Skeleton) -> float:
    points = bones.along(poses_along(model, model.neutral()[None]))[0]
    return float(np.ptp(points, axis=0).max()) or 1.0


def _hex(color: str) -> Color:
    """A color, a little paler: light takes some of what is pale away."""
    r, g, b = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return tuple(round(255 - 0.85 * (255 - x)) for x in (r, g, b))  # type: ignore[return-value]
