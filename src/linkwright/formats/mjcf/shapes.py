"""Geoms of an MJCF file as shapes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.mjcf.contacts import surface_of, touching
from linkwright.formats.mjcf.scenery import FLOOR, is_added
from linkwright.model.parts.shape import KINDS, Shape, Use
from linkwright.spatial.arrays import Array, snap
from linkwright.spatial.rotation import quaternion_matrix
from linkwright.spatial.transform import inverse_pose, pose_matrix

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

SEEN_GROUPS = (0, 1, 2)
"""Groups of geoms that MuJoCo's viewer shows."""

MUJOCO_KINDS = {kind: f"mjGEOM_{kind.upper()}" for kind in KINDS if kind != "cone"} | {"height_field": "mjGEOM_HFIELD"}
"""MuJoCo's names of the kinds of shapes."""

SHORTEST_QUATERNION = 1e-15
"""Length below which MuJoCo treats a quaternion as no rotation."""

GRAY = (0.5, 0.5, 0.5)
"""Default color of geoms."""


def shapes_of(reader: MjcfReader) -> tuple[list[Shape], dict[int, int]]:
    """Return the geoms of the compiled model that are visible or in contact as shapes, with their indices."""
    m, kinds, names = reader.m, reader.mujoco.mjtGeom, reader.mujoco.mjtObj
    of_kind = {int(getattr(kinds, name)): kind for kind, name in MUJOCO_KINDS.items()}
    files, folder = _mesh_files(reader), os.path.dirname(os.path.abspath(reader.path))
    contact = touching(m)
    shapes: list[Shape] = []
    places: dict[int, int] = {}
    unread: list[str] = []
    for g in range(m.ngeom):
        kind = of_kind.get(int(m.geom_type[g]))
        touches, seen = bool(contact[g]), m.geom_group[g] in SEEN_GROUPS
        name = reader.mujoco.mj_id2name(m, names.mjOBJ_GEOM, g) or ""
        if kind is None and touches:
            unread.append(name)
        if kind is None or not (touches or seen) or (kind == "plane" and name == FLOOR and is_added(reader, touches)):
            continue
        T = pose_matrix(rotation_of(m.geom_quat[g]), m.geom_pos[g])
        size = m.geom_size[g].tolist()
        numbers: dict[str, Any] = surface_of(m, g) if touches else {}
        if kind == "mesh":
            mesh = int(m.geom_dataid[g])
            named = reader.mujoco.mj_id2name(m, names.mjOBJ_MESH, mesh)
            if named in files:
                T = T @ inverse_pose(pose_matrix(rotation_of(m.mesh_quat[mesh]), m.mesh_pos[mesh]))
                numbers |= {"file": files[named], "scale": tuple(m.mesh_scale[mesh].tolist())}
            else:
                numbers |= {what: _part(m, what, mesh).copy() for what in ("vertices", "faces")}
        elif kind == "height_field":
            numbers |= _heights(m, int(m.geom_dataid[g]))
        elif kind in ("box", "ellipsoid"):
            numbers["size"] = tuple(2.0 * x for x in size)
        elif kind != "plane":
            numbers["radius"] = size[0]
            numbers |= {} if kind == "sphere" else {"length": 2.0 * size[1]}
        use: Use = "both" if touches and seen else "collision" if touches else "visual"
        material = int(m.geom_matid[g])
        rgba = m.geom_rgba[g] if material < 0 else m.mat_rgba[material]
        red, green, blue, opacity = (round(float(x), 6) for x in rgba)  # single precision
        shape = Shape(
            reader.bodies[m.geom_bodyid[g]],
            kind,
            T,
            use=use,
            color=None if (red, green, blue) == GRAY else (red, green, blue, opacity),
            file_colors="never",  # MuJoCo uses only the triangles of a mesh
            name=name,
            folders=(folder,),
            place=reader.path,
            **numbers,
        )
        if not any(shape.problems()):
            places[g] = len(shapes)
            shapes.append(shape)
        elif touches:
            unread.append(name)
    reader.list_names("geoms that touch, of kinds that are not read", unread)
    return shapes, places


def _heights(m: Any, field: int) -> dict[str, Any]:
    """Return the parameters of a height field of the compiled model, whose data are 0 to 1."""
    rows, columns, first = int(m.hfield_nrow[field]), int(m.hfield_ncol[field]), int(m.hfield_adr[field])
    x, y, top, base = m.hfield_size[field].tolist()
    data = np.array(m.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
    return {"heights": top * data, "size": (2.0 * x, 2.0 * y, base)}


def _part(m: Any, what: str, mesh: int) -> Array:
    """Return the vertices or the faces of a mesh of the compiled model."""
    of = {"vertices": "vert", "faces": "face"}[what]
    first, count = getattr(m, f"mesh_{of}adr")[mesh], getattr(m, f"mesh_{of}num")[mesh]
    return np.array(getattr(m, f"mesh_{of}")[first : first + count], dtype=float if of == "vert" else int)


def _mesh_files(reader: MjcfReader) -> dict[str, str]:
    """Return the path of each mesh from a file."""
    compiler = reader.spec.compiler
    folder = compiler.meshdir or getattr(compiler, "assetdir", "")
    return {
        mesh.name or Path(mesh.file).stem: os.path.join(folder, mesh.file) for mesh in reader.spec.meshes if mesh.file
    }


def quaternion_problems(reader: MjcfReader) -> list[str]:
    """Return problems of quaternions without a direction: MuJoCo normalizes huge ones to zero, and not tiny ones."""
    m, kinds = reader.m, reader.mujoco.mjtObj
    welds = (m.eq_type == int(reader.mujoco.mjtEq.mjEQ_WELD)) & (m.eq_objtype == int(kinds.mjOBJ_BODY))
    problems = []
    for kind, number, quaternions in (
        ("body", kinds.mjOBJ_BODY, m.body_quat),
        ("body", kinds.mjOBJ_BODY, m.body_iquat),
        ("geom", kinds.mjOBJ_GEOM, m.geom_quat),
        ("site", kinds.mjOBJ_SITE, m.site_quat),
        ("equality", kinds.mjOBJ_EQUALITY, np.where(welds[:, None], m.eq_data[:, 6:10], 1.0)),
    ):
        for k in np.flatnonzero(np.abs(quaternions).max(axis=1) < SHORTEST_QUATERNION):
            name = reader.mujoco.mj_id2name(m, number, k) or f"number {k}"
            problems.append(
                f"{reader.path}: {kind} {name!r}: its quaternion has no direction; expected four numbers of "
                "ordinary size, for example 1 0 0 0"
            )
    return problems


def rotation_of(quaternion: Array) -> Array:
    """Return the rotation (3, 3) of MuJoCo's quaternion."""
    return snap(quaternion_matrix(quaternion / np.linalg.norm(quaternion)))
