"""Shapes of bodies: what they look like, and what of them touches others. Neither weighs anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from linkwright.errors import with_article
from linkwright.model.equality import ByValue
from linkwright.spatial.arrays import Array

Use = Literal["visual", "collision", "both"]

USES = ("visual", "collision", "both")

KINDS: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"),
    "cone": ("radius", "length"),
    "box": ("size",),
    "ellipsoid": ("size",),
    "plane": (),
    "mesh": (),
}
"""The kinds of shapes, and what each needs."""


@dataclass(frozen=True, eq=False)
class Shape(ByValue):
    """A shape on a body, in a frame of its own.

    Its frame is in the middle of it; capsules, cylinders and cones are along its z (a cone's tip is up), a plane has
    its normal along z and no end. A mesh is where its file says, times ``scale``.
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
    """m: of cylinders and cones from end to end, of capsules between the centres of their caps"""
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m, from side to side along x, y and z"""
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
    friction: float | None = None
    """coefficient of friction; None takes that of what it touches"""
    color: tuple[float, float, float, float] | None = None
    """red, green, blue, opacity, each 0 to 1; None where the file gives none"""
    name: str = ""
    folders: tuple[str, ...] = field(default=(), compare=False)
    """where relative paths and packages are looked for"""
    place: str = field(default="", compare=False)

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
        if self.kind not in KINDS:
            yield f"unknown kind {self.kind!r}; there are {', '.join(KINDS)}"
            return
        for what in KINDS[self.kind]:
            x = np.asarray(getattr(self, what), dtype=float)
            if not ((x > 0.0) & np.isfinite(x)).all() and not (self.kind == "capsule" and what == "length" and x == 0):
                yield f"the {what} of {with_article(self.kind)} is finite and above zero; got {getattr(self, what)!r}"
        if self.kind == "mesh":
            yield from self._mesh_problems()
        if self.use not in USES:
            yield f"a shape is for {', '.join(map(repr, USES))}; got {self.use!r}"
        if self.friction is not None and not 0.0 <= self.friction < np.inf:
            yield f"a coefficient of friction is not negative; got {self.friction!r}"
        if self.color is not None and not (np.shape(self.color) == (4,) and all(0.0 <= x <= 1.0 for x in self.color)):
            yield f"a colour is red, green, blue and opacity, each 0 to 1; got {self.color!r}"

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
