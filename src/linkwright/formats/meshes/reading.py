"""Meshes: files of triangles (STL, OBJ, DAE; MuJoCo's MSH), read by trimesh and pycollada (the extra ``meshes``)."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from linkwright.bounds import whole_number
from linkwright.errors import FormatError, InputError, MissingExtraError, MissingFileError, explained
from linkwright.formats.findings import LARGEST
from linkwright.formats.meshes.materials import Painted, is_unpainted, plain, read_collada, read_obj, spaced
from linkwright.formats.solids import SolidProperties, box, capsule, cone, cylinder, ellipsoid, polyhedron, together
from linkwright.formats.xml import read_bytes, shortened
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, finite

ENDINGS = (".stl", ".obj", ".dae", ".msh")

MAX_FACES = 5_000_000

SHARED = 1e-9
"""Distance relative to the size of the mesh below which vertices of triangles are merged."""

MOST_CORNERS = 64
"""Largest number of vertices of the convex hull of a mesh in contact, each of which is a contact point."""

DIRECTIONS = 1000
"""Number of directions; of a hull with more vertices, those that are farthest in one of them are used."""

MISSED = 0.002
"""Fraction of a mesh's size that its convex hull may omit."""


class Mesh(NamedTuple):
    """Triangle mesh."""

    vertices: Array
    """(n, 3), m"""
    faces: Array
    """(m, 3), vertex indices, counterclockwise from outside"""


class MassProperties(NamedTuple):
    """Mass properties of a solid.

    Parameters
    ----------
    mass : float
        Mass in kg.
    center_of_mass : ndarray, shape (3,)
        Center of mass in m.
    inertia : ndarray, shape (3, 3)
        Inertia about the center of mass in kg m².
    volume : float
        Volume in m³.
    """

    mass: float
    center_of_mass: Array
    inertia: Array
    volume: float


@explained
def mass_properties(
    solid: str | os.PathLike[str] | Shape | Sequence[Shape],
    *,
    density: float | None = None,
    mass: float | None = None,
    scale: float | Sequence[float] | None = None,
    hull: bool = False,
    use: Literal["all", "visual", "collision"] | None = None,
) -> MassProperties:
    """Compute the mass properties of the solid enclosed by a mesh file, a shape, or several shapes.

    Parameters
    ----------
    solid : str, path-like, Shape or sequence of Shape
        File (STL, OBJ, DAE), or shapes of one body. Overlapping parts of shapes count twice.
    density : float, optional
        Density in kg/m³; give either `density` or `mass`.
    mass : float, optional
        Total mass in kg.
    scale : float or sequence of float, optional
        Scale of a file: 0.001 for millimeters.
    hull : bool, optional
        Use the convex hull of each mesh, for meshes that are not closed.
    use : {"all", "visual", "collision"}, optional
        Shapes that are included. By default all; if some shapes are only visual and others only for collision, which is
        mostly the same body twice, the collision shapes, as in Gazebo.

    Returns
    -------
    MassProperties
        Mass, center of mass, inertia and volume, in the frame of the file or of the body.

    Raises
    ------
    FormatError
        If a file cannot be read or encloses no volume.
    InputError
        If a number is invalid.
    MissingExtraError
        If trimesh is not installed (for DAE pycollada, for convex hulls SciPy).

    Examples
    --------
    >>> import linkwright as lw
    >>> ball = lw.Shape("world", "sphere", radius=0.1)
    >>> round(lw.mass_properties(ball, density=1000.0).mass, 3)
    4.189
    """
    if (density is None) == (mass is None):
        raise InputError("give either density in kg/m³ or mass in kg")
    given = float(finite("density" if mass is None else "mass", density if mass is None else mass, ()))
    if given <= 0.0:
        raise InputError(f"{'density' if mass is None else 'mass'} is above zero; got {given:g}")
    if isinstance(solid, str | os.PathLike):
        x, y, z = np.broadcast_to(finite("scale", 1.0 if scale is None else scale, (), (3,)), (3,)).tolist()
        solid = Shape("", "mesh", file=os.path.abspath(solid), scale=(x, y, z))
        for problem in solid.problems():
            raise InputError(problem)
    elif scale is not None:
        raise InputError(f"scale is for a mesh file; shapes have their own scale; got scale={scale!r} with shapes")
    shapes = [solid] if isinstance(solid, Shape) else list(solid)
    if not shapes or not all(isinstance(shape, Shape) for shape in shapes):
        raise InputError(f"solid is a mesh file, a Shape or a list of shapes; got {solid!r:.200}")
    if len({shape.body for shape in shapes}) > 1:
        raise InputError("these shapes are on several bodies; give those of one")
    shapes = _counted(shapes, use)
    whole = together([solid_of(shape, hull) for shape in shapes])
    ratio = given if mass is None else given / whole.volume
    return MassProperties(ratio * whole.volume, whole.center, ratio * whole.inertia, whole.volume)


def _counted(shapes: list[Shape], use: str | None) -> list[Shape]:
    """Return the shapes that are included."""
    if use not in (None, "all", "visual", "collision"):
        raise InputError(f"use is 'all', 'visual' or 'collision'; got {use!r}")
    if use is None:
        use = "collision" if {"visual", "collision"} <= {shape.use for shape in shapes} else "all"
    found = [shape for shape in shapes if use in ("all", shape.use) or shape.use == "both"]
    if not found:
        raise InputError(f"none of these shapes is for {use!r}: all are for {shapes[0].use!r}")
    return found


def solid_of(shape: Shape, hull: bool = False) -> SolidProperties:
    """Return the homogeneous solid of density 1 enclosed by a shape, in the frame of its body."""
    half = np.array([0.0, 0.0, 0.5 * shape.length])
    center, R, size = np.zeros(3), np.eye(3), np.array(shape.size)
    if shape.kind == "sphere":
        solid = ellipsoid(center, R, np.full(3, shape.radius))
    elif shape.kind == "ellipsoid":
        solid = ellipsoid(center, R, 0.5 * size)
    elif shape.kind == "box":
        solid = box(center, R, size)
    elif shape.kind == "cylinder":
        solid = cylinder(-half, half, shape.radius)
    elif shape.kind == "capsule":
        solid = capsule(-half, half, shape.radius)
    elif shape.kind == "cone":
        solid = cone(-half, half, shape.radius)
    elif shape.kind == "mesh":
        solid = _enclosed(mesh_of(shape), shape.file or "the mesh", hull)
    else:
        raise InputError(f"a {shape.kind} encloses nothing")
    return solid.moved(shape.placement)


def _enclosed(mesh: Mesh, name: str, hull: bool) -> SolidProperties:
    if hull:
        mesh = _hull(mesh, name)
    name = shortened(name, 300)
    V, F = _joined(mesh)
    edges = np.sort(np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]]), axis=1)
    count = np.unique(edges, axis=0, return_counts=True)[1]
    odd = int((count % 2 == 1).sum())
    if odd:
        raise FormatError(
            f"{name} is not closed: {odd} of its {len(count)} edges have a triangle on one side only; mend it, or "
            "take its convex hull (hull=True)"
        )
    middle = 0.5 * (V.min(axis=0) + V.max(axis=0))  # reference of the sums, for accuracy
    solid = polyhedron(V - middle, F)
    extent = float(np.ptp(V, axis=0).max())
    if abs(solid.volume) <= 1e-12 * extent**3:
        raise FormatError(f"{name} encloses no volume")
    if solid.volume < 0.0:  # its triangles face inward
        solid = SolidProperties(-solid.volume, solid.center, -solid.inertia)
    return SolidProperties(solid.volume, solid.center + middle, solid.inertia)


def _joined(mesh: Mesh) -> Mesh:
    """Return the mesh with coincident vertices merged (an STL file has three per triangle)."""
    V, F = mesh
    extent = float(np.ptp(V, axis=0).max() or 1.0)
    places = np.round((V - V.min(axis=0)) / extent / SHARED)
    _, first, number = np.unique(places, axis=0, return_index=True, return_inverse=True)
    F = number.reshape(-1)[F]
    whole = (F[:, 0] != F[:, 1]) & (F[:, 1] != F[:, 2]) & (F[:, 2] != F[:, 0])
    return Mesh(V[first], F[whole])


def _hull(mesh: Mesh, name: str) -> Mesh:
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError as error:
        raise MissingExtraError(
            f"convex hulls need SciPy: install the extra, linkwright[meshes] (which brings scipy); {error}"
        ) from None
    try:
        found = ConvexHull(mesh.vertices)
    except (QhullError, ValueError):
        raise FormatError(f"{shortened(name, 300)} encloses no volume: all its points lie in a plane") from None
    V, F = mesh.vertices, found.simplices
    normals = np.cross(V[F[:, 1]] - V[F[:, 0]], V[F[:, 2]] - V[F[:, 0]])
    inwards = np.einsum("fi,fi->f", normals, found.equations[:, :3]) < 0.0
    return Mesh(V, np.where(inwards[:, None], F[:, ::-1], F))


class ConvexHull(NamedTuple):
    """Convex hull of a mesh with a bounded number of vertices.

    Parameters
    ----------
    vertices : ndarray, shape (n, 3)
        Vertices in the frame of the shape in m; they are vertices of the mesh.
    error : float
        Largest distance in m of a point of the mesh from this hull, which lies inside the exact hull. Distances of
        shapes are too large by at most the errors of both.
    """

    vertices: Array
    error: float


@explained
def convex_hull(shape: Shape, vertices: int = MOST_CORNERS) -> ConvexHull:
    """Compute the convex hull of a mesh, simplified to a number of vertices.

    The vertex with the largest distance from the hull of the chosen ones is added until the number is reached, or the
    distance is 0.2 % of the size of the mesh. This hull represents the mesh in contact and in :func:`distances`.

    Parameters
    ----------
    shape : Shape
        Mesh.
    vertices : int, optional
        Largest number of vertices, 4 or more.

    Returns
    -------
    ConvexHull
        Vertices, and the error of the simplification.

    Raises
    ------
    FormatError
        If the file cannot be read or the mesh lies in a plane.
    MissingExtraError
        If trimesh or SciPy is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    >>> mesh = lw.Shape("world", "mesh", vertices=corners, faces=np.array([[0, 1, 2], [5, 6, 7]]))
    >>> hull = lw.convex_hull(mesh)
    >>> len(hull.vertices), hull.error
    (8, 0.0)
    """
    if not isinstance(shape, Shape) or shape.kind != "mesh":
        raise InputError(f"the hull is that of a shape of kind 'mesh'; got {shape!r:.200}")
    found, exact = _simplified(shape, whole_number("vertices", vertices, 4))
    return ConvexHull(found, _largest_distance(exact, found))


def hull_of(shape: Shape) -> Array:
    """Return the vertices (n, 3) of :func:`convex_hull`."""
    return _simplified(shape, MOST_CORNERS)[0]


def _simplified(shape: Shape, most: int) -> tuple[Array, Array]:
    """Return the vertices of the simplified hull, and of the exact one."""
    mesh, name = mesh_of(shape), shape.file or "the mesh"
    F = _hull(mesh, name).faces
    exact = V = mesh.vertices[np.unique(F)]
    if len(V) > DIRECTIONS:  # the farthest points in these directions
        V = V[np.unique(np.argmax(V @ _directions(DIRECTIONS), axis=0))]
    from scipy.spatial import ConvexHull as Qhull  # SciPy is installed: the hull needs it

    extent = float(np.ptp(V, axis=0).max())
    chosen = _spread(V)
    hull = Qhull(V[chosen], incremental=True)
    while len(chosen) < min(most, len(V)):
        outside = (V @ hull.equations[:, :3].T + hull.equations[:, 3]).max(axis=1)
        far = int(np.argmax(outside))
        if outside[far] <= MISSED * extent:
            break
        chosen.append(far)
        hull.add_points(V[far : far + 1])
    corners = V[np.sort(chosen)]
    corners.setflags(write=False)
    return corners, exact


def _largest_distance(points: Array, corners: Array) -> float:
    """Return the largest distance of points (m, 3) from the convex hull of corners (n, 3)."""
    from scipy.spatial import ConvexHull as Qhull

    hull = Qhull(corners)
    out = (points @ hull.equations[:, :3].T + hull.equations[:, 3]).max(axis=1)
    points = points[out > 1e-12 * np.ptp(corners)]
    least = np.full(len(points), np.inf)
    for face in hull.simplices:
        p = corners[face]
        n = np.cross(p[1] - p[0], p[2] - p[0])
        x = points - p[0]
        above = x @ n
        foot = x - np.outer(above, n) / (n @ n)
        within = np.ones(len(points), dtype=bool)
        for i, j in ((0, 1), (1, 2), (2, 0)):
            edge, start = p[j] - p[i], p[i] - p[0]
            part = np.clip((x - start) @ edge / (edge @ edge), 0.0, 1.0)
            least = np.minimum(least, np.linalg.norm(x - start - part[:, None] * edge, axis=1))
            within &= np.cross(edge, foot - start) @ n >= 0.0
        least = np.where(within, np.minimum(least, abs(above) / np.linalg.norm(n)), least)
    return float(least.max(initial=0.0))


def _directions(count: int) -> Array:
    """Return directions (3, n) distributed evenly on the sphere, on a golden-angle spiral."""
    z = (2.0 * np.arange(count) + 1.0) / count - 1.0
    turn, r = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count), np.sqrt(1.0 - z * z)
    return np.array([r * np.cos(turn), r * np.sin(turn), z])


def _spread(V: Array) -> list[int]:
    """Return four distant vertices of a solid: the farthest from the first, from their line, and from their plane."""
    x = V - V[0]
    a = int(np.argmax(np.linalg.norm(x, axis=1)))
    along = x[a] / np.linalg.norm(x[a])
    off = x - np.outer(x @ along, along)
    b = int(np.argmax(np.linalg.norm(off, axis=1)))
    c = int(np.argmax(np.abs(off @ np.cross(along, off[b]))))
    return [0, a, b, c]


def mesh_of(shape: Shape) -> Mesh:
    """Return the triangles of a mesh, scaled, in the frame of the shape."""
    if shape.vertices is not None and shape.faces is not None:
        V, F = np.asarray(shape.vertices, dtype=float), np.asarray(shape.faces)
    else:
        V, F = read_mesh(mesh_file(shape))
    scale = np.array(shape.scale)
    return Mesh(V * scale, F if np.prod(scale) > 0.0 else F[:, ::-1])


def painted_of(shape: Shape) -> tuple[Painted, str]:
    """Return the triangles of a mesh as :func:`mesh_of`, with the paints of its file, and the folder of the file.

    A mesh in a single default gray has the color of the shape, if there is one.
    """
    if not shape.file or shape.file_colors == "never" or (shape.color is not None and shape.file_colors != "first"):
        return plain(*mesh_of(shape)), ""
    path = mesh_file(shape)
    if path.suffix.lower() not in (".obj", ".dae"):
        return plain(*mesh_of(shape)), ""
    read, scale = _painted(os.path.abspath(path), _stamp(path)), np.array(shape.scale)
    if shape.color is not None and is_unpainted(read):
        read = plain(read.vertices, read.faces, *read.notes)
    V, F, uv = read.vertices * scale, read.faces, read.uv
    if np.prod(scale) < 0.0:
        F, uv = F[:, ::-1], None if uv is None else uv[:, ::-1]
    return read._replace(vertices=V, faces=F, uv=uv), os.fspath(path.parent)


def mesh_file(shape: Shape) -> Path:
    """Return the path of a mesh's file. Raises :class:`MissingFileError` with the searched paths."""
    tried = list(dict.fromkeys(_candidates(shape)))
    for path in tried:
        if _is_file(path):
            return path
    looked = ", ".join(str(path) for path in tried[:6]) + (", …" if len(tried) > 6 else "")
    raise MissingFileError(f"there is no mesh {shortened(shape.file, 300)}; looked for {looked or 'nothing'}")


def missing_meshes(model: Model) -> list[str]:
    """Return the mesh files of a model that do not exist, each once, as the robot file names them."""
    lost: dict[str, None] = {}
    for shape in model.shapes:
        if shape.kind == "mesh" and shape.file:
            try:
                mesh_file(shape)
            except MissingFileError:
                lost[shape.file] = None
    return list(lost)


def _is_file(path: Path) -> bool:
    """Return whether a file exists; names that are too long or unreadable do not."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _candidates(shape: Shape) -> Iterator[Path]:
    """Yield possible paths of a file: a package is a folder next to or above the robot's file, or in ROS's paths."""
    name = shape.file.removeprefix("file://")
    package = next((name.removeprefix(word) for word in ("package://", "model://") if name.startswith(word)), None)
    if package is None:
        yield from (Path(folder) / name for folder in shape.folders or (".",))  # an absolute path is unchanged
        return
    package = package.lstrip("/")  # some files have three slashes
    for folder in shape.folders:
        here = Path(os.path.abspath(folder))
        for above in (here, *here.parents):
            yield above / package
            if above.name == package.partition("/")[0]:
                yield above / package.partition("/")[2]
    for variable, inside in (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"), ("GAZEBO_MODEL_PATH", "")):
        for place in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            yield Path(place) / inside / package


def read_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Return the triangles of an STL, OBJ, DAE or MSH file, in its own unit (DAE: meters).

    Raises :class:`FormatError` for unreadable files and :class:`MissingExtraError` without trimesh (pycollada).
    """
    place = Path(path)
    name = shortened(os.fspath(path), 300)
    if place.suffix.lower() not in ENDINGS:
        raise FormatError(f"{name}: meshes are read from {', '.join(ENDINGS)}; this is {place.suffix or 'no ending'!r}")
    return _parsed(os.path.abspath(place), _stamp(place))


def _stamp(path: Path) -> tuple[int, int]:
    """Return a key that changes when the file changes."""
    read_bytes(path)  # raises an error for unreadable files
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=64)
def _parsed(path: str, stamp: tuple[int, int]) -> Mesh:
    name, data = shortened(path, 300), read_bytes(path)
    if path.lower().endswith(".dae"):
        read = _painted(path, stamp)
        return Mesh(read.vertices, read.faces)
    if path.lower().endswith(".msh"):
        return _sound(*_of_mujoco(data, name), name)
    with _parsing(name):
        return _sound(*_triangles(data, name), name)


def _of_mujoco(data: bytes, name: str) -> tuple[Array, Array]:
    """Return the triangles of a binary file of MuJoCo: four counts, then vertices, normals, texture coordinates, faces.

    https://mujoco.readthedocs.io/en/stable/XMLreference.html#asset-mesh
    """
    counts = [int.from_bytes(data[4 * k : 4 * k + 4], "little", signed=True) for k in range(4)]
    vertices, normals, corners, faces = counts
    ends = np.cumsum([16, 12 * vertices, 12 * normals, 8 * corners, 12 * faces]).tolist()
    if len(data) < 16 or min(counts) < 0 or len(data) != ends[-1]:
        raise FormatError(f"{name} cannot be read as a mesh: it has {len(data)} bytes, and its header says {ends[-1]}")
    V = np.frombuffer(data[ends[0] : ends[1]], "<f4").reshape(-1, 3)
    return V.astype(float), np.frombuffer(data[ends[3] : ends[4]], "<i4").reshape(-1, 3)


@lru_cache(maxsize=64)
def _painted(path: str, stamp: tuple[int, int]) -> Painted:
    """Read a DAE or OBJ file."""
    name, data = shortened(path, 300), read_bytes(path)
    with _parsing(name):
        read = read_collada(data, name) if path.lower().endswith(".dae") else read_obj(data, name, Path(path).parent)
        _sound(read.vertices, read.faces, name)
    return read


@contextmanager
def _parsing(name: str) -> Iterator[None]:
    try:
        yield
    except (FormatError, MissingExtraError):
        raise
    except Exception as error:  # any error of their parsers
        raise FormatError(f"{name} cannot be read as a mesh: {shortened(str(error), 200)}") from None


def _sound(V: Any, F: Any, name: str) -> Mesh:
    """Return triangles that can be drawn and weighed; raise :class:`FormatError` for others."""
    V, F = np.asarray(V, dtype=float), np.asarray(F, dtype=int).reshape(-1, 3)
    if V.size and V.shape != (len(V), 3):
        raise FormatError(f"{name} cannot be read as a mesh: its corners have {V.shape[-1]} numbers each; expected 3")
    V = V.reshape(-1, 3)
    if not len(F):
        raise FormatError(f"{name} has no triangles")
    if len(F) > MAX_FACES:
        raise FormatError(f"{name} has {len(F)} triangles; up to {MAX_FACES} are read")
    if not (np.abs(V) <= LARGEST).all() or F.min() < 0 or F.max() >= len(V):
        raise FormatError(f"{name}: its vertices are not all finite, or its triangles have invalid vertex indices")
    V.setflags(write=False)
    F.setflags(write=False)
    return Mesh(V, F)


def _triangles(data: bytes, name: str) -> tuple[Any, Any]:
    """Return the triangles of STL and OBJ; colors and further files are read in `materials.py`."""
    try:
        import trimesh
    except ImportError as error:
        raise MissingExtraError(
            f"reading meshes needs trimesh: install the extra, linkwright[meshes] (which brings trimesh); {error}"
        ) from None
    log = logging.getLogger("trimesh")
    if not log.handlers:
        log.addHandler(logging.NullHandler())  # else Python prints its log with tracebacks
    kind = name.rpartition(".")[2].lower()
    data = _whole(data, name) if kind == "stl" else spaced(data)
    options = {"skip_materials": True} if kind == "obj" else {}
    mesh = trimesh.load_mesh(io.BytesIO(data), file_type=kind, process=False, **options)
    return mesh.vertices, mesh.faces


def _whole(data: bytes, name: str) -> bytes:
    """Return a binary STL file without bytes after its triangles; text is left to its parser.

    Raises :class:`FormatError` if the number of triangles differs from its header.
    """
    if data[:5].lower() == b"solid" and b"\0" not in data[:84]:
        return data
    count = int.from_bytes(data[80:84], "little")
    end = 84 + 50 * count
    text = f"its header says {count} triangles, {end} bytes" if len(data) >= 84 else "its header takes 84"
    if len(data) < max(84, end) or (len(data) - end >= 50 and any(data[end:])):
        raise FormatError(f"{name} cannot be read as a mesh: it has {len(data)} bytes, and {text}")
    return data[:end]
