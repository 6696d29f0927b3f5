"""Colors and textures in mesh files: materials of DAE, and of OBJ by its MTL.

Unreadable materials leave triangles without a paint, with a note. The transparency of DAE is not read, since programs
disagree on whether 0 or 1 is opaque.
"""

from __future__ import annotations

import io
import math
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from linkwright.errors import FormatError, MissingExtraError, MissingFileError
from linkwright.formats.xml import parse_xml, read_bytes, shortened
from linkwright.spatial.arrays import Array

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff", ".gif")
PICTURE_FORMATS = ("PNG", "JPEG", "BMP", "TGA", "TIFF", "GIF")
MOST_PIXELS = 64_000_000
"""Largest number of pixels of a texture."""
MOST_PAINTS = 64
"""Largest number of paints of a mesh; further ones are ignored."""
MOST_OF_MTL = 4 * 2**20
"""Largest size in bytes."""

UNCHOSEN = (0.6, 0.64, 0.8)
"""Default grays of programs (Assimp, old and new Blender)."""

Rgba = tuple[float, float, float, float]


class Paint(NamedTuple):
    """Appearance of triangles: a color or a texture."""

    color: Rgba
    """red, green, blue, opacity, 0 to 1; for a texture the replacement if it cannot be read"""
    picture: str = ""
    """file of a texture, as named in the mesh's file"""


class Painted(NamedTuple):
    """Triangles with their paints."""

    vertices: Array
    """(n, 3), m"""
    faces: Array
    """(m, 3), vertex indices, counterclockwise from outside"""
    paint: Array
    """(m,), indices of paints; -1 without one"""
    paints: tuple[Paint, ...] = ()
    uv: Array | None = None
    """(m, 3, 2): texture coordinates of the corners, from the lower left, in widths and heights"""
    notes: tuple[str, ...] = ()
    """colors that could not be read"""


def plain(vertices: Array, faces: Array, *notes: str) -> Painted:
    """Triangles that have no paint."""
    return Painted(vertices, faces, np.full(len(faces), -1), notes=notes)


def is_unpainted(read: Painted) -> bool:
    """Return whether all triangles have one default gray."""
    if len(read.paints) != 1 or read.paints[0].picture or (read.paint < 0).any():
        return False
    r, g, b, _ = read.paints[0].color
    return r == g == b and any(abs(r - gray) < 1e-3 for gray in UNCHOSEN)


class _Palette:
    """Paints, each once."""

    def __init__(self) -> None:
        self.numbers: dict[Paint, int] = {}
        self.left_out = False

    def number(self, paint: Paint | None) -> int:
        """Return the index of a paint; -1 for none, and above the limit."""
        if paint is None:
            return -1
        if paint not in self.numbers and len(self.numbers) >= MOST_PAINTS:
            self.left_out = True
            return -1
        return self.numbers.setdefault(paint, len(self.numbers))


class _Pieces:
    """Parts of a mesh."""

    def __init__(self) -> None:
        self.vertices: list[Array] = []
        self.faces: list[Array] = []
        self.paint: list[Array] = []
        self.uv: list[Array] = []
        self.palette, self.count = _Palette(), 0

    def add(self, V: Any, F: Any, paint: Paint | None, uv: Any) -> None:
        """Add a part; ``uv`` (m, 3, 2) or None, without which there is no texture."""
        V, F = np.asarray(V, dtype=float).reshape(-1, 3), np.asarray(F, dtype=int).reshape(-1, 3)
        places = np.zeros((len(F), 3, 2)) if uv is None else np.asarray(uv, dtype=float)
        if paint is not None and paint.picture and (uv is None or not np.isfinite(places).all()):
            paint, places = paint._replace(picture=""), np.zeros((len(F), 3, 2))
        self.vertices.append(V)
        self.faces.append(F + self.count)
        self.paint.append(np.full(len(F), self.palette.number(paint)))
        self.uv.append(places)
        self.count += len(V)

    def whole(self, name: str, notes: tuple[str, ...] = ()) -> Painted:
        """Return all parts as one mesh."""
        if not self.faces:
            return plain(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
        if self.palette.left_out:
            notes = (*notes, f"{name} has more than {MOST_PAINTS} colors: the others are not shown")
        paints = tuple(self.palette.numbers)
        uv = np.concatenate(self.uv) if any(paint.picture for paint in paints) else None
        joined = (np.concatenate(x) for x in (self.vertices, self.faces, self.paint))
        V, F, paint = joined
        return Painted(V, F, paint, paints, uv, notes)


def read_collada(data: bytes, name: str) -> Painted:
    """Return the scene of a DAE file in meters; its axes are used unchanged, as in ROS and Gazebo."""
    try:
        import collada
    except ImportError as error:
        raise MissingExtraError(
            f"reading DAE needs pycollada: install the extra, linkwright[meshes] (which brings pycollada); {error}"
        ) from None
    parse_xml(data, name)  # rejects hostile content
    pieces = _Pieces()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # pycollada uses NumPy's matrices
        file = collada.Collada(io.BytesIO(data), ignore=[collada.DaeError])
        bound = file.scene.objects("geometry") if file.scene is not None else ()
        for primitive in (one for geometry in bound for one in geometry.primitives()):
            triangles = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
            index = np.asarray(getattr(triangles, "vertex_index", None))
            if triangles.vertex is not None and index.ndim == 2 and index.shape[1] == 3:  # lines have two corners
                pieces.add(triangles.vertex, index, *_of_collada(triangles, len(index)))
    whole = pieces.whole(name)
    return whole._replace(vertices=float(file.assetInfo.unitmeter or 1.0) * whole.vertices)


def _of_collada(triangles: Any, count: int) -> tuple[Paint | None, Array | None]:
    """Return the paint of triangles and their texture coordinates."""
    diffuse = getattr(getattr(triangles.material, "effect", None), "diffuse", None)
    if isinstance(diffuse, tuple):
        color = _color(diffuse)
        return None if color is None else Paint(color), None
    picture = getattr(getattr(getattr(diffuse, "sampler", None), "surface", None), "image", None)
    if picture is None or not isinstance(picture.path, str):
        return None, None
    places, numbers = triangles.texcoordset, triangles.texcoord_indexset
    uv = None
    if places and numbers and len(numbers[0]) == count and np.size(places[0]):
        uv = np.asarray(places[0], dtype=float)[np.asarray(numbers[0])][..., :2]
    return Paint((0.8, 0.8, 0.8, 1.0), picture.path), uv


def _color(rgb: Any, opacity: float = 1.0) -> Rgba | None:
    """Return a color from three or more numbers; None for other values."""
    try:
        r, g, b = (min(max(float(x), 0.0), 1.0) for x in tuple(rgb)[:3] if math.isfinite(float(x)))
    except (TypeError, ValueError):
        return None
    return r, g, b, opacity


def read_obj(data: bytes, name: str, folder: Path) -> Painted:
    """Return an OBJ file with the colors of its MTL file, which trimesh does not read here."""
    try:
        import trimesh
    except ImportError as error:
        raise MissingExtraError(
            f"reading meshes needs trimesh: install the extra, linkwright[meshes] (which brings trimesh); {error}"
        ) from None
    data = spaced(data)
    materials, notes = _materials(data, folder)
    if materials:
        try:
            return _of_obj(trimesh, data, name, materials, notes)
        except Exception as error:  # any error in groups and materials; the triangles may be valid
            notes = (*notes, f"{name}: {shortened(str(error), 100)}")
    mesh = trimesh.load_mesh(io.BytesIO(data), file_type="obj", process=False, skip_materials=True)
    return plain(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int), *notes)


def spaced(data: bytes) -> bytes:
    """Return an OBJ file with spaces for tabs and none before its words, the only form that trimesh reads."""
    data = data.replace(b"\t", b" ")
    return re.sub(rb"(?m)^ +", b"", data) if b"\n " in data or data.startswith(b" ") else data


def _of_obj(trimesh: Any, data: bytes, name: str, materials: dict[str, Paint], notes: tuple[str, ...]) -> Painted:
    materials_text = "".join(f"newmtl {material}\nKd 1 1 1\n" for material in materials).encode()
    read = trimesh.load(io.BytesIO(data), file_type="obj", process=False, resolver=_MeshPaint(materials_text))
    pieces = _Pieces()
    for mesh in read.geometry.values() if hasattr(read, "geometry") else [read]:
        F = np.asarray(mesh.faces)
        paint = materials.get(getattr(getattr(mesh.visual, "material", None), "name", None) or "")
        uv = getattr(mesh.visual, "uv", None)
        pieces.add(mesh.vertices, F, paint, None if uv is None else np.asarray(uv, dtype=float)[F][..., :2])
    return pieces.whole(name, notes)


class _MeshPaint:
    """Resolver that gives trimesh the text for any file."""

    def __init__(self, text: bytes):
        self.text = text

    def get(self, name: str) -> bytes:
        return self.text

    __getitem__ = get


def _materials(data: bytes, folder: Path) -> tuple[dict[str, Paint], tuple[str, ...]]:
    """Return the paints of an OBJ file's MTL file by name, and the unreadable files."""
    start = data.find(b"mtllib")
    if start < 0:
        return {}, ()
    named = data[start + 6 : start + 1000].splitlines()[0].decode(errors="replace").strip()
    try:
        place = beside(folder, named, (".mtl",))
        text = read_bytes(place)
    except FormatError as error:
        return {}, (str(error),)
    if len(text) > MOST_OF_MTL:
        return {}, (f"{shortened(named, 100)} is larger than {MOST_OF_MTL >> 20} MB",)
    return dict(_of_mtl(text.decode(errors="replace"))), ()


def _of_mtl(text: str) -> Iterator[tuple[str, Paint]]:
    """Yield the materials of an MTL file with a color or a texture: Kd, d, map_Kd."""
    name, color, opacity, picture = "", None, 1.0, ""
    for line in [*text.splitlines(), "newmtl"]:
        word, rest = [*line.split(None, 1), "", ""][:2]
        rest = rest.strip()
        if word == "newmtl":
            if name and (color is not None or picture):
                r, g, b, _ = color or (0.8, 0.8, 0.8, 1.0)
                yield name, Paint((r, g, b, opacity), picture)
            name, color, opacity, picture = rest, None, 1.0, ""
        elif word == "Kd":
            color = _color(rest.split())
        elif word == "d":
            try:
                value = float(rest)
            except ValueError:
                continue
            opacity = value if 0.0 < value < 1.0 else 1.0  # some programs write 0 for opaque
        elif word.lower() == "map_kd":
            picture = rest


def beside(folder: Path, named: str, endings: tuple[str, ...]) -> Path:
    """Return the path of a file that a mesh's file names.

    For an absolute path, which is from another machine, only the last part is searched in the folder of the
    mesh. Raises :class:`MissingFileError`, and :class:`FormatError` for another ending.
    """
    name = unquote(named.removeprefix("file://")).replace("\\", "/")
    text = shortened(named, 100)
    if not name.lower().endswith(endings):
        raise FormatError(f"{text!r} is not one of {', '.join(endings)}")
    if name.startswith("/") or name[1:2] == ":":
        name = name.rpartition("/")[2]
    place = folder / name
    try:
        found = place.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise MissingFileError(f"there is no {text!r} in the folder of the mesh")
    return place


def read_picture(folder: str | os.PathLike[str], named: str, longest: int) -> Array:
    """Return the pixels (height, width, 3) of a texture as bytes, with sides of at most ``longest``.

    Raises :class:`FormatError` and :class:`MissingFileError` for unreadable files.
    """
    from PIL import Image

    place = beside(Path(folder), named, PICTURES)
    data, shown = read_bytes(place), shortened(named, 100)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=PICTURE_FORMATS) as picture:
                width, height = picture.size
                if width * height > MOST_PIXELS:
                    raise FormatError(f"{shown!r} has {width} × {height} pixels; up to {MOST_PIXELS} are read")
                picture.draft("RGB", (longest, longest))
                small = picture.convert("RGB")
                small.thumbnail((longest, longest))
                return np.asarray(small)
    except FormatError:
        raise
    except Exception as error:  # any error of its decoders
        raise FormatError(f"{shown!r} cannot be read as a picture: {shortened(str(error), 100)}") from None
