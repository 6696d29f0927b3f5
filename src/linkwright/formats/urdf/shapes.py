"""Shapes of a URDF's links: <visual> and <collision>. They do not affect the motion, so that an invalid shape is
omitted with a remark and the file is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.findings import LARGEST, NUMBER
from linkwright.formats.gazebo import compliance
from linkwright.formats.xml import Element, shortened
from linkwright.model.parts.shape import Shape, Use
from linkwright.spatial.transform import pose_matrix

if TYPE_CHECKING:
    from linkwright.formats.urdf.reading import UrdfReader

USES: dict[str, Use] = {"visual": "visual", "collision": "collision"}
GEOMETRIES = ("box", "cylinder", "sphere", "capsule", "mesh")

GAZEBO = ("mu1", "kp", "kd")
"""Contact parameters of <gazebo reference="link"> that are read."""

Color = tuple[float, float, float, float]


def shapes_of(reader: UrdfReader, link: Element, name: str, colors: dict[str, Color]) -> Iterator[Shape]:
    """Yield the shapes of a link; ``colors`` are those of the robot's named materials."""
    for element in link.children:
        if element.tag in USES:
            with reader.leniently("the shape is left out"):
                shape = _shape(reader, element, name, colors)
                if shape is not None:
                    yield shape


def material_colors(reader: UrdfReader, robot: Element) -> dict[str, Color]:
    """Return the colors of the robot's own materials."""
    found = {}
    for element in robot.children:
        if element.tag == "material":
            with reader.leniently("the color is left out"):
                color = _color(reader, element)
                if color is not None:
                    found[element.attributes.get("name", "")] = color
    return found


def with_surfaces(reader: UrdfReader, robot: Element, shapes: list[Shape]) -> list[Shape]:
    """Return the shapes with <gazebo> parameters of their links: mu1 (friction), kp, kd (stiffness, damping, SI)."""
    options: dict[str, dict[str, float]] = {}
    for element in robot.children:
        link = element.attributes.get("reference", "") if element.tag == "gazebo" else ""
        for one in element.children if link else ():
            if one.tag in GAZEBO and (x := _value(reader, one)) is not None:
                options.setdefault(link, {})[one.tag] = x
    return [
        _of_link(shape, options[shape.body]) if shape.touches and shape.body in options else shape for shape in shapes
    ]


def _of_link(shape: Shape, surface: dict[str, float]) -> Shape:
    changes: dict[str, Any] = compliance(surface.get("kp"), surface.get("kd"))
    return replace(shape, friction=surface.get("mu1"), **changes)


def _value(reader: UrdfReader, element: Element) -> float | None:
    """Return the number of a Gazebo element, from its text or its value; None, with a remark, for an invalid one."""
    word = element.attributes.get("value", element.text).strip()
    if NUMBER.fullmatch(word) and 0.0 <= float(word) <= LARGEST:
        return float(word)
    reader.remark(element, f"<{element.tag}> is {shortened(word)!r}; expected a number, not negative: it is ignored")
    return None


def _child(element: Element, tag: str) -> Element | None:
    return next((one for one in element.children if one.tag == tag), None)


def _color(reader: UrdfReader, material: Element) -> Color | None:
    element = _child(material, "color")
    x = reader.vector(element, "rgba", 4) if element is not None else None
    if x is None:
        return None
    red, green, blue, opacity = np.clip(x, 0.0, 1.0).tolist()
    return red, green, blue, opacity


def _shape(reader: UrdfReader, element: Element, link: str, colors: dict[str, Color]) -> Shape | None:
    geometry = _child(element, "geometry")
    found = [one for one in geometry.children if one.tag in GEOMETRIES] if geometry is not None else []
    if len(found) != 1:
        text = f"its geometry is {len(found)} shapes" if found else "it has no geometry"
        reader.problem(geometry or element, f"<{element.tag}>: {text}; expected one of {', '.join(GEOMETRIES)}")
        return None
    one = found[0]
    R, p = reader.origin(_child(element, "origin"))
    numbers: dict[str, Any] = {}
    if one.tag == "box":
        numbers["size"] = tuple(reader.vector(one, "size", 3) or ())
    elif one.tag == "mesh":
        numbers["file"] = reader.text(one, "filename")
        scale = reader.vector(one, "scale", 3) if "scale" in one.attributes else [1.0, 1.0, 1.0]
        numbers["scale"] = tuple(scale or ())
    else:
        for what in ("radius",) if one.tag == "sphere" else ("radius", "length"):
            numbers[what] = reader.number(one, what, None)
            if what not in one.attributes:
                reader.problem(one, f"the {what} of <{one.tag}> is missing")
    if one.tag == "box" and "size" not in one.attributes:
        reader.problem(one, "the size of <box> is missing")
    if any(value is None or value == () for value in numbers.values()):
        return None  # text
    material = _child(element, "material")
    color = None
    if material is not None:
        color = _color(reader, material) or colors.get(material.attributes.get("name", ""))
    shape = Shape(
        link,
        one.tag,
        pose_matrix(R, p),
        use=USES[element.tag],
        color=color,
        file_colors="first",  # as in RViz: <material> is for parts without a color
        name=element.attributes.get("name", ""),
        folders=reader.folders,
        place=reader.place(element),
        **numbers,
    )
    wrong = list(shape.problems())
    for message in wrong:
        reader.problem(one, message)
    return None if wrong else shape
