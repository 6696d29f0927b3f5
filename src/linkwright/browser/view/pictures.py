"""Pictures that lie on meshes, as the browser takes them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.errors import FormatError, MissingFileError
from linkwright.formats.meshes.materials import read_picture
from linkwright.formats.meshes.reading import Mesh
from linkwright.spatial.arrays import Array

LONGEST_SIDE = 512
"""pixels: a robot may bring dozens, and a page holds them unpacked"""
QUALITY = 85


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture, and how it lies on a mesh."""

    pixels: Array
    """(height, width, 3), bytes"""
    uv: Array
    """(n, 2), where in it each vertex is, from the lower left, in widths and heights"""
    normals: Array
    """(n, 3), of the vertices"""

    @property
    def tone(self) -> tuple[int, int, int]:
        """Its mean color, 0 to 255."""
        r, g, b = self.pixels.reshape(-1, 3).mean(axis=0).round().astype(int).tolist()
        return r, g, b


class Pictures:
    """Those that a robot's meshes bring, each read once, and notes of what could not be read."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._read: dict[tuple[str, str], Array | None] = {}

    def note(self, notes: Sequence[str]) -> None:
        """Keep notes, each once."""
        self.notes += [one for one in notes if one not in self.notes]

    def pixels(self, folder: str, named: str) -> Array | None:
        """The pixels (height, width, 3) of a picture that a mesh in a folder names; None where it cannot be read."""
        if (folder, named) not in self._read:
            try:
                self._read[folder, named] = read_picture(folder, named, LONGEST_SIDE)
            except (FormatError, MissingFileError) as error:
                self._read[folder, named] = None
                self.note([str(error)])
        return self._read[folder, named]


def laid(mesh: Mesh, pixels: Array, uv: Array) -> tuple[Mesh, Picture]:
    """Map a picture to a mesh with ``uv`` (m, 3, 2), the picture coordinates of the corners of its triangles.

    A vertex with several positions in the picture is split into several vertices; smooth normals are preserved.
    """
    V, F = mesh
    across = np.cross(V[F[:, 1]] - V[F[:, 0]], V[F[:, 2]] - V[F[:, 0]])
    normals = np.zeros(V.shape)
    for k in range(3):
        np.add.at(normals, F[:, k], across)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    corners = np.column_stack([F.ravel(), np.round(uv.reshape(-1, 2), 6)])
    _, first, number = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    owner = F.ravel()[first]
    return Mesh(V[owner], number.reshape(-1, 3)), Picture(pixels, corners[first, 1:], normals[owner])


def glb(mesh: Mesh, picture: Picture) -> bytes:
    """A mesh and the picture on it as the one file of glTF that viser hands to the browser."""
    import trimesh
    from PIL import Image
    from trimesh.visual.material import PBRMaterial
    from trimesh.visual.texture import TextureVisuals

    packed = io.BytesIO()
    Image.fromarray(picture.pixels).save(packed, format="JPEG", quality=QUALITY)
    image = Image.open(packed)
    look = PBRMaterial(baseColorTexture=image, metallicFactor=0.0, roughnessFactor=1.0, doubleSided=True)
    shown = trimesh.Trimesh(
        mesh.vertices,
        mesh.faces,
        vertex_normals=picture.normals,
        visual=TextureVisuals(uv=picture.uv, material=look),
        process=False,
    )
    written: bytes = shown.export(file_type="glb", include_normals=True)
    return written
