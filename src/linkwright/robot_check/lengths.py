"""Lengths in another unit: joint origins and shapes that are far larger than the rest; and missing mesh files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import LinkwrightError, MissingExtraError, MissingFileError
from linkwright.formats.meshes.reading import mesh_file, mesh_of
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.robot_check.extents import half_extents
from linkwright.robot_check.finding import FileFinding

FAR = 100.0
"""Length of a joint's offset, relative to the median of all."""

FARTHER = 10.0
"""The same, relative to the sum of the offsets that are not far."""

LARGE, SMALL = 20.0, 1e-4
"""Size of a shape, relative to the robot."""

SEVERAL = 4
"""Number of shapes from which on their sizes measure the robot, too."""

HUGE = 100.0
"""m: size of a robot above which all its lengths may be in millimeters."""


def length_findings(model: Model, before: Sequence[FileFinding]) -> Iterator[FileFinding]:
    """Yield the findings about units of length, and about meshes."""
    yield from _meshes(model)
    yield from list(_offsets(model)) or _shapes(model, model.shapes)


def quick_length_findings(model: Model) -> Iterator[FileFinding]:
    """Yield the findings about units of length that need no mesh file."""
    yield from list(_offsets(model)) or _shapes(model, [shape for shape in model.shapes if shape.kind != "mesh"])


def _offsets(model: Model) -> Iterator[FileFinding]:
    lengths = {joint.name: float(np.linalg.norm(joint.placement[:3, 3])) for joint in model.description.joints}
    lengths = {name: x for name, x in lengths.items() if x > 1e-9}
    if len(lengths) < 2:
        return
    median = float(np.median(list(lengths.values())))
    rest = sum(x for x in lengths.values() if x <= FAR * median)
    for joint in model.description.joints:
        x = lengths.get(joint.name, 0.0)
        if x > FAR * median and x > FARTHER * rest:
            text = f"its origin is {x:.4g} m from its parent link; the median of all joints is {median:.3g} m"
            yield FileFinding("warning", "units", joint.place, f"joint {joint.name!r}: {text}: is it in millimeters?")


def _shapes(model: Model, shapes: Sequence[Shape]) -> Iterator[FileFinding]:
    q = np.clip(model.neutral(), model.lower, model.upper)
    origins = np.array([T[:3, 3] for T in body_poses(model, q)]).reshape(-1, 3)
    sizes = {}
    for k, shape in enumerate(shapes):
        if model.frame(shape.body).body >= 0 and (box := half_extents(shape)) is not None:
            sizes[k] = 2.0 * float(np.linalg.norm(box[1]))
    robot = float(np.linalg.norm(np.ptp(np.vstack([np.zeros(3), origins]), axis=0)))
    if len(sizes) >= SEVERAL or (sizes and robot == 0.0):  # joints may be close together
        robot = max(robot, float(np.quantile(list(sizes.values()), 0.25)))
    if robot > HUGE:
        yield FileFinding("warning", "units", "", f"the robot is {robot:.4g} m large: are its lengths in millimeters?")
    for k, size in sizes.items():
        shape = shapes[k]
        what = f"the mesh {shape.file!r} of {shape.body!r}" if shape.kind == "mesh" else f"the {shape.called}"
        cure = '; is it in millimeters? scale="0.001 0.001 0.001" converts it' if shape.kind == "mesh" else ""
        if size > LARGE * robot > 0.0:
            yield FileFinding(
                "warning", "units", shape.place, f"{what} is {size:.4g} m large, the robot {robot:.3g} m{cure}"
            )
        elif 0.0 < size < SMALL * robot:
            text = f"{what} is {size:.2g} m large, the robot {robot:.3g} m; is its scale applied twice?"
            yield FileFinding("warning", "units", shape.place, text)


def _meshes(model: Model) -> Iterator[FileFinding]:
    """Yield missing and unreadable mesh files, each once, at its first shape."""
    seen: set[str] = set()
    for shape in model.shapes:
        if shape.kind != "mesh" or not shape.file or shape.file in seen:
            continue
        seen.add(shape.file)
        try:
            mesh_file(shape)
            mesh_of(shape)
        except MissingFileError:
            yield FileFinding("error", "mesh", shape.place, f"link {shape.body!r}: there is no mesh file {shape.file}")
        except MissingExtraError as error:
            yield FileFinding("note", "mesh", "", f"meshes are not checked: {error}")
            return
        except LinkwrightError as error:
            yield FileFinding("error", "mesh", shape.place, f"link {shape.body!r}: {error}")
