"""Shapes of bodies: what they look like, and what of them touches others. Neither weighs anything."""

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
"""The kinds of shapes, and what each needs."""

TINY = float(np.finfo(float).tiny)

MAY_BE_FLAT: dict[tuple[str, str], tuple[float, ...]] = {
    ("capsule", "length"): (0.0,),
    ("height_field", "size"): (TINY, TINY, 0.0),
}
"""What of a shape may be zero: the least of each number, where not all are above zero."""

SURFACE = ("friction", "torsional_friction", "rolling_friction", "restitution", "stiffness", "damping", "margin")
"""What a shape has for contact, and so has a pair of shapes (`pair.py`, which combines them)."""


@explained
@dataclass(frozen=True, eq=False)
class Shape(ByValue):
    """A shape on a body, in a frame of its own.

    Its frame is in the middle of it; capsules, cylinders and cones are along its z (a cone's tip is up), a plane has
    its normal along z and no end. A mesh is where its file says, times ``scale``. A height field is a surface over its
    x and y, z = ``heights``; what is beneath it is solid.
    """

    body: str
    """the link it is on, or "world" """
    kind: str
    """one of :data:`KINDS`"""
    placement: Array = field(default_factory=lambda: np.eye(4))
    """(4, 4), its pose in the frame of the link"""
    radius: float = 0.0
    """m"""
    length: float = 0.0
    """m: of cylinders and cones from end to end, of capsules between the centers of their caps"""
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m, from side to side along x, y and z; of height fields the third is how far the ground goes down beneath z = 0,
    which is only drawn, and may be 0"""
    heights: Array | None = None
    """of a height field, (rows, columns), m: columns along x, rows along y, from −size/2 to size/2, bilinear between"""
    file: str = ""
    """of a mesh, the file as it is named (a path, package://, file://)"""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """of a mesh, along its own axes; negative ones mirror it"""
    vertices: Array | None = None
    """of a mesh without a file, (n, 3), m"""
    faces: Array | None = None
    """of the same, (m, 3), numbers of vertices, counterclockwise from outside"""
    use: Use = "both"
    """whether it is what is seen, what touches others, or both"""
    hull: Array | None = None
    """(n, 3), m, of a mesh that touches others: the corners of its convex hull, scaled, in the frame of the shape"""
    friction: float | None = None
    """coefficient of friction; None takes that of what it touches"""
    torsional_friction: float = 0.0
    """m: a normal force f resists turning about the normal by up to this times f"""
    rolling_friction: float = 0.0
    """m: a normal force f resists rolling by up to this times f"""
    restitution: float | None = None
    """0 to 1, of the speed of approach what is left after an impact, of soft contact at 1 m/s and 0.05 at least; None
    takes that of what it touches"""
    stiffness: float | None = None
    """N/m, of each point of contact, under all methods; None is rigid"""
    damping: float = 0.0
    """N s/m, of the same; only what has a stiffness may have some"""
    margin: float = 0.0
    """m, it is that much thicker for contact than it looks"""
    contype: int = 1
    """bits: shapes meet where one of them has a bit of its contype in common with the other's conaffinity"""
    conaffinity: int = 1
    color: tuple[float, float, float, float] | None = None
    """red, green, blue, opacity, each 0 to 1; None where the file gives none"""
    file_colors: Literal["first", "else", "never"] = field(default="else", compare=False)
    """of a mesh, whether the colors and pictures that its own file brings are shown: before ``color``, where that is
    None, or never"""
    name: str = ""
    folders: tuple[str, ...] = field(default=(), compare=False)
    """where relative paths and packages are looked for"""
    place: str = field(default="", compare=False)

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"{self.name} ({self.kind} of {self.body})" if self.name else f"{self.kind} of {self.body}"

    @property
    def is_seen(self) -> bool:
        """Whether it is drawn."""
        return self.use != "collision"

    @property
    def touches(self) -> bool:
        """Whether it is made for contact."""
        return self.use != "visual"

    def problems(self) -> Iterator[str]:
        """What is wrong with its numbers."""
        if not is_choice(self.kind, KINDS):
            yield f"unknown kind {self.kind!r}; there are {', '.join(KINDS)}"
            return
        for what in KINDS[self.kind]:
            if what == "heights":
                yield from self._height_problems()
                continue
            x = np.asarray(getattr(self, what), dtype=float)
            if not ((x >= MAY_BE_FLAT.get((self.kind, what), (TINY,))) & np.isfinite(x)).all():
                yield f"the {what} of {with_article(self.kind)} is finite and above zero; got {getattr(self, what)!r}"
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
            told = f"shape {np.shape(z)}" if isinstance(z, np.ndarray) else repr(z)
            yield f"the heights of a height field are (rows, columns) of numbers, two of each at least; got {told:.200}"
        elif not np.isfinite(z).all():
            yield "the heights of a height field are finite"

    def _mesh_problems(self) -> Iterator[str]:
        if bool(self.file) == (self.vertices is not None) or (self.vertices is None) != (self.faces is None):
            yield "a mesh is given by a file, or by vertices and faces"
        if not np.isfinite(self.scale).all() or not all(self.scale):
            yield f"the scale of a mesh is finite and not zero; got {self.scale!r}"
        if self.vertices is None or self.faces is None:
            return
        V, F = np.asarray(self.vertices), np.asarray(self.faces)
        if V.ndim != 2 or V.shape[1:] != (3,) or not np.isfinite(V).all():
            yield f"the vertices of a mesh are rows of three finite numbers; got shape {V.shape}"
        elif F.ndim != 2 or F.shape[1:] != (3,) or F.dtype.kind not in "iu":
            yield f"the faces of a mesh are rows of three whole numbers; got shape {F.shape}"
        elif F.size and (F.min() < 0 or F.max() >= len(V)):
            yield f"the faces of a mesh are numbers of its {len(V)} vertices, from 0; got {F.min()} to {F.max()}"


MAY_BE_NONE = ("friction", "restitution", "stiffness")
"""Numbers of a contact that need not be given."""


def _is_number(x: Any, or_none: bool) -> bool:
    if x is None:
        return or_none
    if isinstance(x, (bool, str)):
        return False
    return isinstance(x, (int, float)) or (np.ndim(x) == 0 and np.asarray(x).dtype.kind in "iuf")


def surface_problems(surface: Any) -> Iterator[str]:
    """What is wrong with the numbers that a shape, or a pair of them, has for contact."""
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
