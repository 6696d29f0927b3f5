"""Geometry by name: "elbow.position", "elbow.axis", "tool.distance", "foot.radius", of numbers or symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.build.assembly import described, placed_parts, tree_order
from linkwright.model.build.description import Description, FrameSpec, JointSpec
from linkwright.model.elements import public_body
from linkwright.model.memo import derived, keep, share_derived
from linkwright.model.parts.shape import KINDS, Shape
from linkwright.model.scale import scale_of
from linkwright.model.transformations.additions import remade
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, entries, is_symbolic, where
from linkwright.spatial.rotation import quaternion_from_matrix, quaternion_matrix, quaternion_unit, skew
from linkwright.spatial.transform import pose_matrix

SHAPES: dict[str, tuple[int, ...]] = {
    "position": (3,),
    "orientation": (4,),
    "distance": (),
    "axis": (3,),
    "size": (3,),
    "radius": (),
    "length": (),
}
"""Shapes of the values."""

OF_PLACES = ("position", "orientation", "distance")
"""Parameters of the placement of a joint, a frame or a shape in its link: m, a quaternion, m."""

OF_OWNERS: dict[str, tuple[str, ...]] = {
    "joint": (*OF_PLACES, "axis"),
    "frame": OF_PLACES,
    "shape": (*OF_PLACES, "size", "radius", "length"),
}

SIZES = ("size", "radius", "length")

SIZABLE = ("sphere", "capsule", "cylinder", "box", "ellipsoid")
"""Kinds of shapes whose sizes may change; other kinds are tables of vertices."""

NEARLY_ZERO = 1e-12
"""Cosine below which an axis has turned by more than a right angle, so that its opposite is turned instead."""


@dataclass(frozen=True)
class GeometricParameter:
    """A named part of the geometry of a mechanism."""

    name: str
    kind: str
    """"joint", "frame" or "shape\""""
    number: int
    """index in the description's joints, frames or shapes"""
    what: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value."""
        return SHAPES[self.what]


def geometric_parameter(model: Model, name: str) -> GeometricParameter | None:
    """Return the parameter of a name; None for names of other parameters."""
    owner, _, what = name.rpartition(".")
    if what not in SHAPES:
        return None
    kinds = [kind for kind, known in OF_OWNERS.items() if what in known]
    found = [GeometricParameter(name, kind, k, what) for kind in kinds for k in _numbers(model, kind, owner, what)]
    if not found:
        advice = ""
        if "frame" in kinds and (joints := [one.name for one in model.description.joints if one.child == owner]):
            advice = f"; the link {owner!r} is placed by its joint: {joints[0]}.{what}"
        elif kinds == ["shape"]:
            advice = "; a link with one shape for contact stands for it"
            other = [kind for kind in ("joint", "frame") if any(one.name == owner for one in _all(model, kind))]
            if other:
                own = ", ".join(f"{owner}.{of}" for of in OF_OWNERS[other[0]])
                advice = f"; {owner!r} is a {other[0]}, with the parameters {own}"
        names = [one.name for kind in kinds for one in _all(model, kind) if one.name]
        raise UnknownNameError(" or ".join(kinds), owner, dict.fromkeys(names), advice=advice)
    if len(found) > 1:
        kinds = [f"a {one.kind}" for one in found]
        raise InputError(f"{name!r} is of {' and of '.join(kinds)} of that name: give them different names")
    _require_fitting(model, found[0], owner)
    return found[0]


def _parameter(model: Model, name: Any) -> GeometricParameter:
    """Return the parameter of a name; raise an error for names of no geometry."""
    if not isinstance(name, str):
        raise ArgumentError(f"a part of the geometry is given by its name, a str; got {name!r}")
    found = geometric_parameter(model, name)
    if found is None:
        owner = name.rpartition(".")[0]
        own = _names_of(model, owner)
        many = f"geometric parameters of {owner!r}"
        forms = "; ".join(f"{kind}.{', .'.join(parts)}" for kind, parts in OF_OWNERS.items())
        raise UnknownNameError("geometric parameter", name, own, many, advice="" if own else f". Forms: {forms}")
    return found


def _names_of(model: Model, owner: str) -> list[str]:
    """Return the names of the geometric parameters of a joint, a frame, a shape or a link with one shape."""
    known = []
    for kind, parts in OF_OWNERS.items():
        for what in parts:
            name = f"{owner}.{what}"
            for k in _numbers(model, kind, owner, what):
                try:
                    _require_fitting(model, GeometricParameter(name, kind, k, what), owner)
                except InputError:
                    continue
                known.append(name)
    return [*dict.fromkeys(known)]


def _numbers(model: Model, kind: str, owner: str, what: str) -> list[int]:
    """Return the indices of the joints, frames or shapes of a name; without a name, of a link's shape for contact."""
    found = [k for k, one in enumerate(_all(model, kind)) if one.name == owner and owner]
    if kind == "shape" and not found and what in SIZES:
        found = [k for k, one in enumerate(model.shapes) if one.body == owner and one.touches]
    return found


def _all(model: Model, kind: str) -> Sequence[JointSpec | FrameSpec | Shape]:
    description = model.description
    of: dict[str, Sequence[Any]] = {"joint": description.joints, "frame": description.frames, "shape": model.shapes}
    return of[kind]


def _require_fitting(model: Model, one: GeometricParameter, owner: str) -> None:
    """Raise where a joint has no axis, or a shape no such size."""
    if one.kind == "joint" and one.what == "axis":
        spec = model.description.joints[one.number]
        if spec.motion is None or not spec.motion.axial:
            kind = "fixed" if spec.motion is None else spec.motion.type
            raise InputError(f"{one.name!r}: a {kind} joint has no single axis; {owner}.orientation turns its axes")
    if one.what in SIZES:
        shape = model.shapes[one.number]
        if shape.kind not in SIZABLE:
            raise InputError(f"{one.name!r}: sizes are parameters of {', '.join(SIZABLE)}; {shape.called} has vertices")
        if one.what not in KINDS[shape.kind]:
            raise InputError(f"{one.name!r}: a {shape.kind} has {' and '.join(KINDS[shape.kind])}, no {one.what}")
    if one.what == "distance" and not _place(model, one)[:3, 3].any():
        raise InputError(f"{one.name!r}: {owner!r} is at the origin of its link, in no direction; use {owner}.position")


def _place(model: Model, one: GeometricParameter) -> Array:
    return np.asarray(_all(model, one.kind)[one.number].placement)


def geometry_of(model: Model, name: str) -> Any:
    """See :meth:`Model.geometry_of`."""
    one = _parameter(model, name)
    if one.what in SIZES:
        x = getattr(model.shapes[one.number], one.what)
        return np.array(x) if one.shape else float(x)
    if one.what == "axis":
        return model.description.joints[one.number].alignment[:, 2].copy()
    T = _place(model, one)
    if one.what == "orientation":
        return quaternion_from_matrix(T[:3, :3])
    return T[:3, 3].copy() if one.what == "position" else float(np.linalg.norm(T[:3, 3]))


def require_geometry(one: GeometricParameter, values: Array) -> None:
    """Raise :class:`InputError` for numbers (…, *shape) that no mechanism has."""
    if one.what in (*SIZES, "distance") and not (values > 0.0).all():
        raise InputError(f"{one.name} is above zero; got {values[~(values > 0.0)].flat[0]:g}")
    if one.what in ("axis", "orientation") and not values.any(axis=-1).all():
        what = "an axis" if one.what == "axis" else "a quaternion"
        raise InputError(f"{one.name} is {what} of any length but zero; got zeros")


def with_geometry(model: Model, values: Mapping[str, Any]) -> Model:
    """See :meth:`Model.with_geometry`."""
    if not isinstance(values, Mapping):
        raise ArgumentError(f"geometry is given by names, such as {{'elbow.position': …}}; got {values!r:.200}")
    known = []
    for name, value in values.items():
        one = _parameter(model, name)
        x = entries(name, value, one.shape)
        if not is_symbolic(x):
            require_geometry(one, x)
        known.append((one, x if one.shape else x.item()))
    require_apart([one for one, _ in known])
    description = _changed(described(model), known)
    return placed(model, description) if any(is_symbolic(x) for _, x in known) else remade(model, description)


def require_apart(known: Sequence[GeometricParameter]) -> None:
    """Raise where a position and a distance of one owner are parameters."""
    of = {(one.kind, one.number, one.what): one for one in known}
    for (kind, number, what), one in of.items():
        if what == "distance" and (other := of.get((kind, number, "position"))):
            raise ArgumentError(f"{one.name!r} is part of {other.name!r}; name one of them")


def with_values(model: Model, known: Sequence[tuple[GeometricParameter, Any]]) -> Model:
    """Return the model with geometry of symbols."""
    return placed(model, _changed(replace(model.description, shapes=model.shapes), known))


def _changed(description: Description, known: Sequence[tuple[GeometricParameter, Any]]) -> Description:
    of: dict[tuple[str, int], dict[str, Any]] = {}
    for one, x in known:
        of.setdefault((one.kind, one.number), {})[one.what] = x
    kinds: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
        "joint": _joint_with,
        "frame": _placed_with,
        "shape": _shape_with,
    }
    parts: dict[str, Any] = {
        f"{kind}s": tuple(
            change(spec, of[kind, k]) if (kind, k) in of else spec
            for k, spec in enumerate(getattr(description, f"{kind}s"))
        )
        for kind, change in kinds.items()
    }
    return replace(description, **parts)


def _placed_with(spec: Any, values: Mapping[str, Any]) -> Any:
    """Return a joint, a frame or a shape at another place in its link."""
    T = np.asarray(spec.placement)
    R, p = T[:3, :3], T[:3, 3]
    if "orientation" in values:
        R = quaternion_matrix(quaternion_unit(values["orientation"]))
    if "position" in values:
        p = values["position"]
    if "distance" in values:
        p = values["distance"] * (p / np.linalg.norm(p))
    return replace(spec, placement=pose_matrix(R, p))


def _joint_with(spec: JointSpec, values: Mapping[str, Any]) -> JointSpec:
    changed: JointSpec = _placed_with(spec, values)
    if "axis" in values:
        changed = replace(changed, alignment=_turned(spec.alignment, values["axis"]))
    return changed


def _shape_with(shape: Shape, values: Mapping[str, Any]) -> Shape:
    sizes: dict[str, Any] = {what: tuple(x) if what == "size" else x for what, x in values.items() if what in SIZES}
    changed: Shape = _placed_with(shape, values)
    return replace(changed, **sizes)


def _turned(alignment: Array, axis: Array) -> Array:
    """Return the alignment (3, 3) rotated by the smallest angle that leads its z axis to another direction.

    Beyond a right angle, its z and y axes are reversed first, so that no direction is singular.
    """
    a = axis / np.sqrt(axis @ axis)
    z = alignment[:, 2]
    along = z @ a
    side = where(along < -NEARLY_ZERO, -1.0, 1.0)
    across = side * (skew(z) @ a)
    K = skew(across)
    R = np.eye(3) + K + K @ K / (1.0 + side * along)
    flip = np.diag(np.stack([1.0, side, side]))
    return R @ alignment @ flip  # type: ignore[no-any-return]


def placed(model: Model, description: Description) -> Model:
    """Return the model with placements and shapes of a description, which may be symbols."""
    model.require_physical("geometry")
    parts = placed_parts(description, tree_order(description, []))
    links = tuple(
        replace(link, placement=placement, rigid_inertia=inertia)
        for link, placement, inertia in zip(model.links, parts.placements, parts.inertias, strict=True)
    )
    bodies = tuple(
        public_body(body.name, rigid, body.links) if is_symbolic(*(rigid := parts.in_file_axes[k])) else body
        for k, body in enumerate(model.bodies)
    )
    made = replace(
        model,
        links=links,
        bodies=bodies,
        frames=MappingProxyType(parts.frames),
        shapes=description.shapes,
        welded=parts.in_file_axes[-1],
        description=description,
    )
    share_derived(model, made, scale_of)
    keep(made, numbers_of(model), numbers_of)
    return made


def numbers_of(model: Model) -> Model:
    """Return the model of numbers from which a model with symbols was made; other models are returned."""
    found: Model = derived(model, numbers_of, make=lambda: model)
    return found
