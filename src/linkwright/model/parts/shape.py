"""Shapes of bodies for drawing and contact, without mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from linkwright.errors import explained, is_choice, with_article
from linkwright.model.equality import ByValue
from linkwright.spatial.arrays import Array

Use = Literal["visual", "collision", "both"]

USES = ("visual", "collision", "both")

FILE_COLORS = ("first", "else", "never")

KINDS: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"),
    "cone": ("radius", "length"),
    "box": ("size",),
    "ellipsoid": ("size",),
    "plane": (),
    "height_field": ("size", "heights"),
    "mesh": (),
}
"""Kinds of shapes, with their required parameters."""

TINY = float(np.finfo(float).tiny)

MAY_BE_FLAT: dict[tuple[str, str], tuple[float, ...]] = {
    ("capsule", "length"): (0.0,),
    ("height_field", "size"): (TINY, TINY, 0.0),
}
"""Parameters of a shape that may be zero: the lower bound of each number, where not all are positive."""

SURFACE = ("friction", "torsional_friction", "rolling_friction", "restitution", "stiffness", "damping", "margin")
"""Contact parameters of a shape and of a pair of shapes (`pair.py` combines them)."""


@explained
@dataclass(frozen=True, eq=False)
class Shape(ByValue):
    """Shape on a body, with a frame at its center.

    Capsules, cylinders and cones are along z (the tip of a cone is at +z); a plane is infinite, with the normal z. The
    frame of a mesh is that of its file, scaled. A height field is the surface z = ``heights`` above x and y, solid
    below.

    Parameters
    ----------
    body : str
        Name of its link, or "world".
    kind : str
        One of :data:`KINDS`.
    placement : array_like, shape (4, 4), optional
        Pose in the frame of the link.
    radius : float, optional
        Radius in m.
    length : float, optional
        Length in m: of cylinders and cones from end to end, of capsules between the centers of the caps.
    size : tuple of float, optional
        Extent along x, y and z in m. For a height field, z is the depth of the ground below z = 0 in drawings, or 0.
    heights : ndarray, shape (rows, columns), optional
        Heights of a height field in m: columns along x, rows along y, from −size/2 to size/2, with bilinear
        interpolation.
    file : str, optional
        File of a mesh (a path, package://, file://).
    scale : tuple of float, optional
        Scale of a mesh along its axes; negative numbers mirror it.
    vertices : ndarray, shape (n, 3), optional
        Vertices of a mesh without a file in m.
    faces : ndarray of int, shape (m, 3), optional
        Vertex indices of its triangles, counterclockwise from outside.
    use : {"visual", "collision", "both"}, optional
        Purpose of the shape.
    hull : ndarray, shape (n, 3), optional
        Vertices of the convex hull of a mesh in contact, scaled, in the frame of the shape in m.
    friction : float, optional
        Coefficient of friction; None: that of the other shape.
    torsional_friction : float, optional
        Largest moment about the normal per normal force in m.
    rolling_friction : float, optional
        Largest moment against rolling per normal force in m.
    restitution : float, optional
        Coefficient of restitution from 0 to 1; of compliant contact at 1 m/s and at least 0.05. None: that of the other
        shape.
    stiffness : float, optional
        Stiffness of each contact point in N/m; None: rigid.
    damping : float, optional
        Damping of each contact point in N s/m, with a stiffness.
    margin : float, optional
        Distance in m by which the shape is enlarged for contact.
    contype, conaffinity : int, optional
        Bit masks: two shapes touch if the contype of one and the conaffinity of the other have a common bit.
    color : tuple of float, optional
        Red, green, blue and opacity from 0 to 1.
    file_colors : {"first", "else", "never"}, optional
        Colors and textures in the file of a mesh: used before `color`, if `color` is None, or never.
    name : str, optional
        Name.
    folders : tuple of str, optional
        Folders of relative paths and packages.
    place : str, optional
        Position in the file of the mechanism, for messages.
    """

    body: str
    kind: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    radius: float = 0.0
    length: float = 0.0
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    heights: Array | None = None
    file: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    vertices: Array | None = None
    faces: Array | None = None
    use: Use = "both"
    hull: Array | None = None
    friction: float | None = None
    torsional_friction: float = 0.0
    rolling_friction: float = 0.0
    restitution: float | None = None
    stiffness: float | None = None
    damping: float = 0.0
    margin: float = 0.0
    contype: int = 1
    conaffinity: int = 1
    color: tuple[float, float, float, float] | None = None
    file_colors: Literal["first", "else", "never"] = field(default="else", compare=False)
    name: str = ""
    folders: tuple[str, ...] = field(default=(), compare=False)
    place: str = field(default="", compare=False)

    @property
    def called(self) -> str:
        """Name in messages."""
        return f"{self.name} ({self.kind} of {self.body})" if self.name else f"{self.kind} of {self.body}"

    @property
    def is_seen(self) -> bool:
        """Whether the shape is drawn."""
        return self.use != "collision"

    @property
    def touches(self) -> bool:
        """Whether the shape is for contact."""
        return self.use != "visual"

    def problems(self) -> Iterator[str]:
        """Yield the problems of the shape's numbers.

        Yields
        ------
        str
            Problem, without the name of the shape.
        """
        if not is_choice(self.kind, KINDS):
            yield f"unknown kind {self.kind!r}; there are {', '.join(KINDS)}"
            return
        for what in KINDS[self.kind]:
            if what == "heights":
                yield from self._height_problems()
                continue
            given, form = getattr(self, what), (3,) if what == "size" else ()
            x = _numbers(given)
            if x is None or x.shape != form:
                expected = "three numbers, along x, y and z" if form else "a number"
                yield f"the {what} of {with_article(self.kind)} is {expected}; got {given!r:.200}"
            elif not ((x >= MAY_BE_FLAT.get((self.kind, what), (TINY,))) & np.isfinite(x)).all():
                yield f"the {what} of {with_article(self.kind)} is finite and above zero; got {given!r}"
        if self.kind == "mesh":
            yield from self._mesh_problems()
        if not is_choice(self.use, USES):
            yield f"a shape is for {', '.join(map(repr, USES))}; got {self.use!r}"
        yield from surface_problems(self)
        for what in ("contype", "conaffinity"):
            bits = getattr(self, what)
            if isinstance(bits, bool) or not isinstance(bits, int) or not 0 <= bits < 1 << 32:
                yield f"{what} is a whole number of 32 bits, 0 or more; got {bits!r}"
        if self.color is not None and not (np.shape(self.color) == (4,) and all(0.0 <= x <= 1.0 for x in self.color)):
            yield f"a color is red, green, blue and opacity, each 0 to 1; got {self.color!r}"
        if not is_choice(self.file_colors, FILE_COLORS):
            yield f"file_colors is {', '.join(map(repr, FILE_COLORS))}; got {self.file_colors!r}"

    def _height_problems(self) -> Iterator[str]:
        z = self.heights
        if not isinstance(z, np.ndarray) or z.ndim != 2 or min(z.shape) < 2 or z.dtype.kind not in "iuf":
            text = f"shape {np.shape(z)}" if isinstance(z, np.ndarray) else repr(z)
            yield f"the heights of a height field are (rows, columns) of numbers, two of each at least; got {text:.200}"
        elif not np.isfinite(z).all():
            yield "the heights of a height field are finite"

    def _mesh_problems(self) -> Iterator[str]:
        if bool(self.file) == (self.vertices is not None) or (self.vertices is None) != (self.faces is None):
            yield "a mesh is given by a file, or by vertices and faces"
        scale = _numbers(self.scale)
        if scale is None or scale.shape != (3,) or not np.isfinite(scale).all() or not scale.all():
            yield f"the scale of a mesh is three finite numbers other than zero; got {self.scale!r:.200}"
        if self.vertices is None or self.faces is None:
            return
        V, F = _numbers(self.vertices), _numbers(self.faces)
        if V is None or V.shape[1:] != (3,) or not np.isfinite(V).all():
            yield f"the vertices of a mesh are rows of three finite numbers; got {_form(self.vertices)}"
        elif F is None or F.ndim != 2 or F.shape[1:] != (3,) or F.dtype.kind not in "iu":
            yield f"the faces of a mesh are rows of three whole numbers; got {_form(self.faces)}"
        elif F.size and (F.min() < 0 or F.max() >= len(V)):
            yield f"the faces of a mesh are numbers of its {len(V)} vertices, from 0; got {F.min()} to {F.max()}"


def _numbers(x: Any) -> Array | None:
    """Return real numbers as an array; None if there are others, or rows of different lengths."""
    try:
        array = np.asarray(x)
    except (TypeError, ValueError):
        return None
    return array if array.dtype.kind in "iuf" else None


def _form(x: Any) -> str:
    array = _numbers(x)
    return f"{x!r:.200}" if array is None else f"shape {array.shape}"


MAY_BE_NONE = ("friction", "restitution", "stiffness")
"""Contact parameters that may be None."""


def _is_number(x: Any, or_none: bool) -> bool:
    if x is None:
        return or_none
    if isinstance(x, (bool, str)):
        return False
    return isinstance(x, (int, float)) or (np.ndim(x) == 0 and np.asarray(x).dtype.kind in "iuf")


def surface_problems(surface: Any) -> Iterator[str]:
    """Yield the problems of the contact parameters of a shape or a pair."""
    no_numbers = [what for what in SURFACE if not _is_number(getattr(surface, what), what in MAY_BE_NONE)]
    if no_numbers:
        yield from (f"the {what} of a contact is a number; got {getattr(surface, what)!r:.200}" for what in no_numbers)
        return
    mu, e, k, d = surface.friction, surface.restitution, surface.stiffness, surface.damping
    if mu is not None and not 0.0 <= mu < np.inf:
        yield f"a coefficient of friction is not negative; got {mu!r}"
    for what in ("torsional_friction", "rolling_friction"):
        if not 0.0 <= getattr(surface, what) < np.inf:
            yield f"the {what} is a length in m, not negative; got {getattr(surface, what)!r}"
    if e is not None and not 0.0 <= e <= 1.0:
        yield f"a restitution is 0 to 1; got {e!r}"
    if k is not None and not 0.0 < k < np.inf:
        yield f"the stiffness of a contact is finite and above zero, or None where it is rigid; got {k!r}"
    if not 0.0 <= d < np.inf:
        yield f"the damping of a contact is finite and not negative; got {d!r}"
    elif d and k is None:
        yield f"a rigid contact has no damping: give a stiffness too; got damping={d!r}"
    if not np.isfinite(surface.margin):
        yield f"the margin is a length in m; got {surface.margin!r}"
