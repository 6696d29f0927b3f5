"""Shapes of an SDF's links: <visual> and <collision>. They do not affect the motion, so that an invalid shape is
omitted with a remark and the file is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.formats.gazebo import DISC, compliance
from linkwright.formats.sdf.values import SDFValues
from linkwright.formats.xml import Element
from linkwright.model.parts.shape import Shape, Use
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_from_z
from linkwright.spatial.transform import pose_matrix

USES: dict[str, Use] = {"visual": "visual", "collision": "collision"}
EVERYTHING = 65535
"""Default bits of a shape if other shapes have bits: contact with all shapes."""

GEOMETRIES = ("box", "capsule", "cone", "cylinder", "ellipsoid", "mesh", "plane", "sphere")


def shape_of(values: SDFValues, element: Element, link: str, frame: Array) -> Shape | None:
    """Return the shape in a <visual> or <collision>, with its pose in a frame at the pose (4, 4) in the link; None
    without geometry, or with a problem."""
    geometry = values.child(element, "geometry")
    found = [one for one in geometry.children if one.tag != "empty"] if geometry is not None else []
    if geometry is not None and not found:
        return None
    if len(found) != 1 or found[0].tag not in GEOMETRIES:
        text = f"its geometry is {', '.join(f'<{one.tag}>' for one in found)}" if found else "it has no geometry"
        values.problem(element, f"<{element.tag}>: {text}; read are {', '.join(GEOMETRIES)}")
        return None
    one, before = found[0], len(values.problems)
    T = frame @ values.pose(values.child(element, "pose"))
    numbers: dict[str, Any] = {}
    if one.tag in ("box", "ellipsoid"):
        x = _vector(values, one, "size" if one.tag == "box" else "radii", None)
        numbers["size"] = tuple(x if one.tag == "box" else [2.0 * r for r in x])
    elif one.tag == "mesh":
        numbers = {"file": values.word(one, "uri"), "scale": tuple(_vector(values, one, "scale", [1.0, 1.0, 1.0]))}
    elif one.tag == "plane":
        normal = np.array(_vector(values, one, "normal", [0.0, 0.0, 1.0]))
        T = T @ pose_matrix(rotation_from_z(normal) if normal.any() else np.eye(3))
    else:
        for what in ("radius",) if one.tag == "sphere" else ("radius", "length"):
            numbers[what] = values.value(one, what, None)
            if values.child(one, what) is None:
                values.problem(one, f"<{one.tag}> has no <{what}>")
    if len(values.problems) > before:
        return None
    shape = Shape(
        link,
        one.tag,
        T,
        use=USES[element.tag],
        color=_color(values, element),
        name=element.attributes.get("name", ""),
        folders=values.folders,
        place=values.place(element),
        **_surface(values, element),
        **numbers,
    )
    for message in shape.problems():
        values.problem(one, message)
    return None if len(values.problems) > before else shape


def _vector(values: SDFValues, element: Element, tag: str, default: list[float] | None) -> list[float]:
    child = values.child(element, tag)
    if child is None and default is None:
        values.problem(element, f"<{element.tag}> has no <{tag}>")
    x = values.numbers(child, (3,)) if child is not None else default
    return x or [1.0, 1.0, 1.0]


def _below(values: SDFValues, element: Element, *tags: str) -> Element | None:
    found: Element | None = element
    for tag in tags:
        found = values.child(found, tag) if found is not None else None
    return found


def _surface(values: SDFValues, element: Element) -> dict[str, Any]:
    """Return the surface parameters of a collision: those of ODE, Gazebo's first engine, in its first direction."""
    surface = _below(values, element, "surface")
    if surface is None:
        return _bits(values, None)
    torsional = _below(values, surface, "friction", "torsional")
    spin = values.value(torsional, "coefficient", 0.0) or 0.0
    radius = values.value(torsional, "patch_radius", 0.0) or 0.0
    ode = _below(values, surface, "contact", "ode")
    return {
        "friction": values.value(_below(values, surface, "friction", "ode"), "mu", None),
        "torsional_friction": spin * radius / DISC,
        "rolling_friction": values.value(_below(values, surface, "friction", "bullet"), "rolling_friction", 0.0),
        "restitution": values.value(values.child(surface, "bounce"), "restitution_coefficient", None),
        **_bits(values, values.child(surface, "contact")),
        **compliance(_not_negative(values, ode, "kp", None), _not_negative(values, ode, "kd", 1.0)),
    }


def _not_negative(values: SDFValues, element: Element | None, tag: str, default: float | None) -> float | None:
    """Return the number in a child; the default if it is missing or negative."""
    x = values.value(element, tag, default)
    if element is None or x is None or x >= 0.0:
        return x
    values.remark(
        values.child(element, tag) or element, f"<{tag}> is {x:g}; expected a number, not negative: it is ignored"
    )
    return default


def _bits(values: SDFValues, contact: Element | None) -> dict[str, int]:
    """Return the bit masks of a collision."""
    if not values.filtered:
        return {}
    collide = values.value(contact, "collide_bitmask", EVERYTHING)
    category = values.value(contact, "category_bitmask", collide)
    return {"contype": int(category or 0), "conaffinity": int(collide or 0)}


def _color(values: SDFValues, element: Element) -> tuple[float, float, float, float] | None:
    diffuse = _below(values, element, "material", "diffuse")
    x = values.numbers(diffuse, (3, 4)) if diffuse is not None else None
    if x is None:
        return None
    red, green, blue, opacity = np.clip([*x, 1.0][:4], 0.0, 1.0).tolist()
    return red, green, blue, opacity
