"""[zeo::shape] sections of a ZTK file as solids: links may use their masses and inertias."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from linkwright.formats import solids
from linkwright.formats.findings import near
from linkwright.formats.solids import SolidProperties
from linkwright.formats.text_values import WordFindings
from linkwright.formats.xml import shortened
from linkwright.formats.ztk.text import Key, ZtkSection
from linkwright.formats.ztk.values import ZTKValues
from linkwright.spatial.arrays import Array, unit_vector

COMMON = ("name", "type", "optic", "texture", "mirror", "import", "pos", "att", "rot", "frame", "div")
OWN = {
    "box": ("center", "ax", "ay", "az", "depth", "width", "height"),
    "sphere": ("center", "radius"),
    "ellipsoid": ("center", "ax", "ay", "az", "rx", "ry", "rz"),
    "cylinder": ("center", "radius"),
    "ellipticcylinder": ("center", "radius", "ref"),
    "capsule": ("center", "radius"),
    "cone": ("center", "vert", "radius"),
    "polyhedron": ("vert", "face", "loop", "prism", "pyramid"),
    "nurbs": ("uknot", "vknot", "size", "cp", "slice"),
}
"""Types of shapes, with their additional keys."""

AXES = "xyz"


class Shapes:
    """Shapes of a file, weighed when a link needs them."""

    def __init__(self, findings: WordFindings, found: list[ZtkSection]):
        self.findings = findings
        self.sections: dict[str, ZtkSection] = {}
        self.weighed: dict[str, SolidProperties | None] = {}
        values = ZTKValues(findings)
        for section in found:
            name = values.name(section, "shape")
            if name in self.sections:
                first = self.sections[name].line
                findings.problem(section, f"a second shape is named {shortened(name)!r} (the first is in line {first})")
            elif name:
                self.sections[name] = section
            self._check_keys(section, name)
        findings.owner = ""

    def _check_keys(self, section: ZtkSection, name: str) -> None:
        """Report an unknown type and unknown keys."""
        self.findings.owner = f"shape {name!r}" if name else ""
        type = section.get("type")
        if type is None or not type.values:
            if not (section.get("mirror") or section.get("import")):
                self.findings.problem(section, "the type is missing; there are " + ", ".join(OWN))
            return
        kind = type.values[0].text
        if kind not in OWN:
            hint = near(kind.lower(), tuple(OWN))
            self.findings.problem(type, f"unknown type {shortened(kind)!r}{hint}; there are {', '.join(OWN)}")
            return
        for key in section.keys:
            if key.name not in COMMON + OWN[kind]:
                hint = near(key.name, COMMON + OWN[kind])
                message = f"{shortened(key.name)!r} is not a key of a {kind}{hint}; it is ignored"
                self.findings.remark(key, message, self.findings.owner)

    def solid(self, name: str) -> SolidProperties | None:
        """Return a shape as a solid of density 1; None, with a problem, if it cannot be weighed."""
        owner, mirrored = self.findings.owner, []
        while name not in self.weighed:
            self.findings.owner = f"shape {name!r}"
            self.weighed[name] = None
            section = self.sections[name]
            key = section.get("mirror")
            if key is None or section.get("import") is not None:
                self.weighed[name] = self._own(section)
                break
            of, axis = self._mirror(key)
            if of is None:
                break
            mirrored.append((name, section, axis))
            if any(of == one for one, _, _ in mirrored):
                ring = " → ".join([*(one for one, _, _ in mirrored[:10]), of])
                self.findings.problem(key, f"shapes mirror each other in a ring: {ring}")
            name = of
        solid = self.weighed[name]
        for name, section, axis in reversed(mirrored):
            self.findings.owner = f"shape {name!r}"
            solid = self.weighed[name] = None if solid is None else self._placed(section, solid.mirrored(axis))
        self.findings.owner = owner
        return solid

    def _own(self, section: ZtkSection) -> SolidProperties | None:
        """Return the solid of a shape that is not a mirror image."""
        values = ZTKValues(self.findings)
        imported = section.get("import")
        if imported is not None:
            self.findings.problem(
                imported, "its mesh is in another file, which is not read; give the mass, COM and inertia of its link"
            )
            return None
        type = section.get("type")
        kind = type.values[0].text if type and type.values else ""
        if kind not in MADE:
            if kind in OWN:
                self.findings.problem(section, f"a {kind} is not weighed; give the mass, COM and inertia of its link")
            return None
        solid = MADE[kind](section, values)
        if solid is not None and solid.volume < 0.0:
            self.findings.problem(section, "its volume is negative: its faces point inward")
            return None
        return None if solid is None else self._placed(section, solid)

    def _placed(self, section: ZtkSection, solid: SolidProperties) -> SolidProperties | None:
        T = ZTKValues(self.findings).placement(section)
        return None if T is None else solid.moved(T)

    def _mirror(self, key: Key) -> tuple[str | None, int]:
        """Return the shape that another mirrors, and the index of the axis."""
        of = key.values[0].text if key.values else ""
        axis = key.values[1].text.lower() if len(key.values) == 2 else ""
        if of not in self.sections or axis not in AXES or not axis:
            self.findings.problem(key, f"mirror is {key.text!r}; expected the name of another shape and x, y or z")
            return None, 0
        return of, AXES.index(axis)


def box_axes(section: ZtkSection, values: ZTKValues) -> Array | None:
    """Return the axes (3, 3) of a box or an ellipsoid; one may be "auto"."""
    given: list[Array | None] = []
    auto = []
    for k, name in enumerate(("ax", "ay", "az")):
        key = section.get(name)
        if key is None:
            given.append(np.eye(3)[k])
        elif key.text == "auto":
            auto.append(k)
            given.append(None)
        else:
            axis = values.vector(key)
            if axis is None or not axis.any():
                if axis is not None:
                    values.findings.problem(key, f"{name} is {key.text!r}; expected a direction, not zero")
                return None
            given.append(unit_vector(axis))
    for k in auto:
        one, other = given[(k + 1) % 3], given[(k + 2) % 3]
        if one is not None and other is not None:
            given[k] = np.cross(one, other)
    R = np.stack([np.zeros(3) if axis is None else axis for axis in given], axis=1)
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6:
        values.findings.problem(section, "its axes ax, ay and az are not at right angles to each other")
        return None
    return R


def positive_numbers(section: ZtkSection, values: ZTKValues, *names: str) -> list[float] | None:
    """Return the magnitudes of the sizes of these names."""
    found = [values.required(section, name) for name in names]
    return None if None in found else [abs(x) for x in found if x is not None]


def several_points(section: ZtkSection, values: ZTKValues, name: str, count: int) -> list[Array] | None:
    """Return the values of `count` keys of a name, each of three numbers."""
    keys = section.all(name)
    if len(keys) != count:
        ask = f"expected {count} {name}s, each of 3 numbers" if count > 1 else f"expected one {name} of 3 numbers"
        values.findings.problem(keys[count] if len(keys) > count else section, f"it has {len(keys)} of them; {ask}")
        return None
    found = [values.vector(key) for key in keys]
    return None if any(x is None for x in found) else [x for x in found if x is not None]


def _box(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
    center, R = center_of(section, values), box_axes(section, values)
    edges = positive_numbers(section, values, "depth", "width", "height")
    return None if center is None or R is None or edges is None else solids.box(center, R, np.array(edges))


def center_of(section: ZtkSection, values: ZTKValues) -> Array | None:
    """Return the center (3,) of a shape, its origin by default."""
    key = section.get("center")
    return np.zeros(3) if key is None else values.vector(key)


def _sphere(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
    center, radius = center_of(section, values), positive_numbers(section, values, "radius")
    if center is None or radius is None:
        return None
    return solids.ellipsoid(center, np.eye(3), np.full(3, radius[0]))


def _ellipsoid(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
    center, R, radii = (
        center_of(section, values),
        box_axes(section, values),
        positive_numbers(section, values, "rx", "ry", "rz"),
    )
    return None if center is None or R is None or radii is None else solids.ellipsoid(center, R, np.array(radii))


def _round(
    make: Callable[[Array, Array, float], SolidProperties],
) -> Callable[[ZtkSection, ZTKValues], SolidProperties | None]:
    def made(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
        ends, radius = several_points(section, values, "center", 2), positive_numbers(section, values, "radius")
        return None if ends is None or radius is None else make(ends[0], ends[1], radius[0])

    return made


def _elliptic_cylinder(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
    ends = several_points(section, values, "center", 2)
    keys = section.all("radius")
    radii = [values.number(key) for key in keys]
    if len(keys) != 2:
        values.findings.problem(section, f"it has {len(keys)} radius; expected two, each of one number")
    ref = section.get("ref")
    along = values.vector(ref) if ref else None
    if ends is None or len(radii) != 2 or None in radii or (ref and along is None):
        return None
    if along is None:
        values.findings.problem(section, "an ellipticcylinder needs a ref, along which its first radius is")
        return None
    return solids.elliptic_cylinder(ends[0], ends[1], abs(radii[0] or 0.0), abs(radii[1] or 0.0), along)


def _cone(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
    base, tip = several_points(section, values, "center", 1), several_points(section, values, "vert", 1)
    radius = positive_numbers(section, values, "radius")
    return None if base is None or tip is None or radius is None else solids.cone(base[0], tip[0], radius[0])


def _polyhedron(section: ZtkSection, values: ZTKValues) -> SolidProperties | None:
    sweep = section.get("prism") or section.get("pyramid")
    if sweep is not None:
        loop = section.get("loop")
        polygon = _loop(loop, values) if loop is not None else _vertices(section, values)
        end = values.vector(sweep)
        if polygon is None or end is None:
            return None
        if len(polygon) < 3:
            values.findings.problem(sweep, f"a {sweep.name} needs a loop, or vertices, of three corners or more")
            return None
        return solids.prism(polygon, end) if sweep.name == "prism" else solids.pyramid(polygon, end)
    found = triangles(section, values)
    return None if found is None else solids.polyhedron(*found)


def _vertices(section: ZtkSection, values: ZTKValues) -> Array | None:
    """Return the vertices (n, 3) of a polyhedron."""
    vertices = [values.numbers(key, 4, "a number and 3 coordinates") for key in section.all("vert")]
    if any(vertex is None for vertex in vertices):
        return None
    return np.array([vertex[1:] for vertex in vertices if vertex is not None]).reshape(-1, 3)


def triangles(section: ZtkSection, values: ZTKValues) -> tuple[Array, Array] | None:
    """Return the vertices (n, 3) and faces (m, 3) of a polyhedron; None, with a problem, for invalid ones."""
    corners = _vertices(section, values)
    if corners is None:
        return None
    faces: list[list[int]] = []
    for key in section.all("face"):
        triangle = values.numbers(key, 3, "3 numbers of vertices")
        if triangle is None:
            return None
        if any(k != int(k) or not 0 <= k < len(corners) for k in triangle):
            values.findings.problem(key, f"face is {key.text!r}; the vertices are 0 … {len(corners) - 1}")
            return None
        faces.append([int(k) for k in triangle])
    if not faces:
        values.findings.problem(section, "a polyhedron needs vert and face, or loop and prism or pyramid")
        return None
    return corners, np.array(faces)


def _loop(key: Key, values: ZTKValues) -> Array | None:
    """Return the corners (n, 3) of a plane polygon, "z 0.1  x y  x y  arc cw radius pieces  x y …"."""
    words = list(key.values)
    axis = words[0].text.lower() if words else ""
    if axis not in AXES or not axis or len(words) < 2:
        values.findings.problem(key, f"loop is {key.text!r}; expected x, y or z, where on it, and corners")
        return None
    at = values.numbers_of(key, words[1:2], "one number")
    corners: list[Array] = []
    arcs: list[tuple[int, float, float, int]] = []
    words = words[2:]
    while words:
        if words[0].text != "arc":
            point = values.numbers_of(key, words[:2], "corners of 2 numbers each")
            if point is None or len(words) < 2:
                if point is not None:
                    values.findings.problem(words[0], "a corner of a loop has 2 numbers; this is the last, and one")
                return None
            corners.append(np.array(point))
            words = words[2:]
            continue
        way = words[1].text if len(words) > 1 else ""
        numbers = values.numbers_of(key, words[2:4], "the radius and the number of pieces of an arc")
        if way not in ("cw", "ccw") or numbers is None or len(numbers) < 2 or numbers[1] < 1.0 or not corners:
            values.findings.problem(words[0], "an arc follows a corner: cw or ccw, a radius and pieces, 1 or more")
            return None
        arcs.append((len(corners), -1.0 if way == "cw" else 1.0, numbers[0], min(int(numbers[1]), MOST_PIECES)))
        words = words[4:]
    if at is None:
        return None
    plane: list[Array] = []
    for k, corner in enumerate(corners):
        plane.append(corner)
        for place, way_round, radius, pieces in arcs:
            if place == k + 1:
                arc = _arc(key, values, corner, corners[(k + 1) % len(corners)], way_round, radius, pieces)
                if arc is None:
                    return None
                plane += arc
    normal = AXES.index(axis)
    polygon = np.zeros((len(plane), 3))
    polygon[:, normal] = at[0]
    polygon[:, [(normal + 1) % 3, (normal + 2) % 3]] = np.array(plane).reshape(-1, 2)
    return polygon


MOST_PIECES = 10_000


def _arc(
    key: Key, values: ZTKValues, start: Array, end: Array, way: float, radius: float, pieces: int
) -> list[Array] | None:
    """Return the points between two corners on the shorter arc, with its center to the right (cw) or left."""
    chord = end - start
    length = float(np.linalg.norm(chord))
    if length == 0.0 or radius < 0.5 * length * (1.0 - 1e-9):
        values.findings.problem(key, f"an arc of radius {radius:g} does not reach over {length:g} m")
        return None
    left = np.array([-chord[1], chord[0]]) / length
    center = 0.5 * (start + end) + way * np.sqrt(max(radius**2 - 0.25 * length**2, 0.0)) * left
    angle = way * 2.0 * np.arcsin(min(0.5 * length / radius, 1.0))
    r = start - center
    turns = angle * np.arange(1, pieces) / pieces
    return [
        center + np.array([np.cos(t) * r[0] - np.sin(t) * r[1], np.sin(t) * r[0] + np.cos(t) * r[1]]) for t in turns
    ]


MADE: Mapping[str, Callable[[ZtkSection, ZTKValues], SolidProperties | None]] = {
    "box": _box,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "cylinder": _round(solids.cylinder),
    "ellipticcylinder": _elliptic_cylinder,
    "capsule": _round(solids.capsule),
    "cone": _cone,
    "polyhedron": _polyhedron,
}
