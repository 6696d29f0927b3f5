"""Shapes of a mechanism that is built by hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import ArgumentError, InputError, UnknownNameError, explained, is_choice, with_article
from linkwright.model.build.description import pose_of
from linkwright.model.build.options import ContactProperties
from linkwright.model.parts.shape import KINDS, Shape, Use
from linkwright.spatial.arrays import Array, entries, finite
from linkwright.spatial.rotation import rotation_rpy

OF_METHODS = ("mesh", "height_field")
"""Kinds of shapes that have a separate method."""


class ShapeBuilder:
    """Collects shapes of bodies."""

    def __init__(self) -> None:
        self._shapes: list[Shape] = []

    @explained
    def shape(
        self,
        body: str,
        kind: str,
        *,
        radius: float | None = None,
        size: ArrayLike | None = None,
        length: float | None = None,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: Any = None,
        use: Use = "both",
        contact: ContactProperties | None = None,
        color: ArrayLike | None = None,
        name: str = "",
    ) -> Self:
        """Add a shape to a body, for pictures and for contact. Shapes have no mass (:func:`lw.mass_properties`).

        Parameters
        ----------
        body : str
            Name of a body, or "world".
        kind : str
            "sphere" (``radius``), "box" and "ellipsoid" (``size``), "cylinder" and "cone" (``radius``, ``length`` from
            end to end), "capsule" (``radius``, ``length`` between the centers of its caps) or "plane". Capsules,
            cylinders and cones are along z, the normal of a plane is z. Meshes: :meth:`mesh`; height fields:
            :meth:`height_field`.
        radius : float, optional
            Radius in m.
        size : array_like, shape (3,), optional
            Lengths of the sides along x, y and z in m.
        length : float, optional
            Length in m.
        xyz, rpy, placement : array_like, optional
            Pose of the middle of the shape in the body's frame, as of :meth:`joint`.
        use : {"both", "visual", "collision"}, optional
            Whether the shape is drawn, made for contact, or both.
        contact : ContactProperties, optional
            Friction, restitution and stiffness. :meth:`Model.with_ground` and :meth:`Model.with_contact` turn contact
            on.
        color : array_like, shape (3,) or (4,), optional
            Red, green, blue and opacity, each 0 to 1.
        name : str, optional
            Name of the shape.

        Returns
        -------
        Builder
            The builder itself.
        """
        if is_choice(kind, OF_METHODS):
            raise ArgumentError(f"a {kind.replace('_', ' ')} is added by Builder.{kind}(…)")
        if not is_choice(kind, KINDS):
            raise UnknownNameError("shape", kind, [one for one in KINDS if one not in OF_METHODS])
        who = _shape_called(body, name)
        given = {"radius": radius, "length": length, "size": size}
        for what, value in given.items():
            if (value is None) == (what in KINDS[kind]):
                text = f"needs a {what}" if value is None else f"has no {what}"
                raise ArgumentError(f"{who}: {with_article(kind)} {text}")
        numbers: dict[str, Any] = {
            what: float(finite(f"{who}: {what}", given[what], ()))
            for what in KINDS[kind]
            if what in ("radius", "length")
        }
        if size is not None:
            numbers["size"] = tuple(finite(f"{who}: size", size, (3,)).tolist())
        return self._shape(body, kind, (placement, xyz, rpy), use, contact, color, name, numbers)

    @explained
    def mesh(
        self,
        body: str,
        file: str | None = None,
        *,
        vertices: Any = None,
        faces: Any = None,
        scale: float | Sequence[float] = 1.0,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: Any = None,
        use: Use = "both",
        contact: ContactProperties | None = None,
        color: ArrayLike | None = None,
        name: str = "",
    ) -> Self:
        """Add a mesh to a body: of a file, or of vertices and faces. Contact takes its convex hull.

        Parameters
        ----------
        body : str
            Name of a body, or "world".
        file : str, optional
            STL, OBJ or DAE file.
        vertices : array_like, shape (n, 3), optional
            Vertices in m, of a mesh without a file.
        faces : array_like, shape (m, 3), optional
            Indices of vertices, counterclockwise from outside.
        scale : float or array_like, shape (3,), optional
            Scale along the axes of the mesh; negative ones mirror it.
        xyz, rpy, placement, use, contact, color, name : optional
            As of :meth:`shape`.

        Returns
        -------
        Builder
            The builder itself.
        """
        who = _shape_called(body, name)
        numbers: dict[str, Any] = {
            "file": "" if file is None else os.fspath(file),
            "scale": tuple(np.broadcast_to(finite(f"{who}: scale", scale, (), (3,)), (3,)).tolist()),
        }
        if vertices is not None:
            numbers["vertices"] = finite(f"{who}: vertices", vertices)
        if faces is not None:
            numbers["faces"] = np.asarray(faces)
        return self._shape(body, "mesh", (placement, xyz, rpy), use, contact, color, name, numbers)

    @explained
    def height_field(
        self,
        body: str,
        heights: Any,
        size: Sequence[float],
        *,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: Any = None,
        use: Use = "both",
        contact: ContactProperties | None = None,
        color: ArrayLike | None = None,
        name: str = "",
    ) -> Self:
        """Add a height field to a body: a surface z = ``heights`` over its x and y, solid beneath.

        Parameters
        ----------
        body : str
            Name of a body, or "world".
        heights : array_like, shape (rows, columns)
            Heights in m: columns along x, rows along y, from −size/2 to size/2, bilinear between.
        size : array_like, shape (2,) or (3,)
            Lengths of the sides along x and y in m, and the depth that is drawn beneath z = 0.
        xyz, rpy, placement, use, contact, color, name : optional
            As of :meth:`shape`.

        Returns
        -------
        Builder
            The builder itself.
        """
        who = _shape_called(body, name)
        z = finite(f"{who}: heights", heights)
        z.setflags(write=False)
        sides = (*finite(f"{who}: size", size, (3,), (2,)).tolist(), 0.0)[:3]
        numbers = {"heights": z, "size": sides}
        return self._shape(body, "height_field", (placement, xyz, rpy), use, contact, color, name, numbers)

    def _shape(
        self, body: str, kind: str, place: Any, use: Any, contact: Any, color: Any, name: str, numbers: dict[str, Any]
    ) -> Self:
        who = _shape_called(body, name)
        if color is not None:
            numbers["color"] = tuple(np.append(finite(f"{who}: color", color, (3,), (4,)), 1.0)[:4].tolist())
        properties = ContactProperties.of(who, contact).values
        made = Shape(body, kind, placed(who, *place), use=use, name=name, **properties, **numbers)
        for problem in made.problems():
            raise InputError(f"{who}: {problem}")
        self._shapes.append(made)
        return self


def placed(who: str, placement: Any, xyz: Any, rpy: Any) -> Array:
    """Return a pose from a matrix, or from a position and angles, after a check."""
    if placement is not None and (xyz is not None or rpy is not None):
        raise ArgumentError(f"{who}: give placement, or xyz and rpy, not both")
    p, angles = (
        None if value is None else entries(f"{who}: {part}", value, (3,))
        for part, value in (("xyz", xyz), ("rpy", rpy))
    )
    return pose_of(placement, p, None if angles is None else rotation_rpy(angles))


def _shape_called(body: str, name: str) -> str:
    who = f"a shape of {name_of('a shape: its body', body)!r}"
    return f"shape {name_of('a shape', name)!r}" if name else who


def name_of(what: str, name: Any) -> str:
    """Return a name; raise :class:`ArgumentError` for other objects."""
    if not isinstance(name, str):
        raise ArgumentError(f"{what} is given by its name, a str; got {name!r}")
    return name
