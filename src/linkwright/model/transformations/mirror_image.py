"""Mirror images of mechanisms.

With the reflection M, a pose T has the image M T M. The axes A of a joint become M A N, with a reflection N in the
joint's axes for which N T(q) N is the joint's motion at the same q, or else with changed signs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, is_choice
from linkwright.model.build.assembly import assemble, described
from linkwright.model.build.description import BodySpec, JointSpec
from linkwright.model.joints.loop import CoordinateLoop, HelicalPair, Loop
from linkwright.model.parts.shape import Shape
from linkwright.model.parts.spring import Spring
from linkwright.model.transformations.additions import renamed
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import pose_matrix

AXES = ("x", "y", "z")


def mirrored(model: Model, axis: str, names: Mapping[str, str] | None) -> Model:
    """See :meth:`Model.mirror`."""
    if not is_choice(axis, AXES):
        raise InputError(f"axis is one of {', '.join(map(repr, AXES))}; got {axis!r}")
    if names is not None and not isinstance(names, Mapping):
        raise ArgumentError(f"names is a dict {{part: replacement}}; got {names!r}")
    M = np.eye(3)
    M[AXES.index(axis), AXES.index(axis)] = -1.0
    description = described(model)
    description = replace(description, springs=tuple(_spring(model, one, M) for one in description.springs))
    if names:
        description = renamed(description, lambda name: _exchanged(name, names))
    signs = dict(
        zip(
            (joint.name for joint in description.joints),
            (joint.motion.mirrored(M).signs if joint.motion else np.zeros(0) for joint in description.joints),
            strict=True,
        )
    )
    image = replace(
        description,
        bodies=tuple(_body(body, M) for body in description.bodies),
        joints=tuple(_joint(joint, M) for joint in description.joints),
        frames=tuple(replace(frame, placement=_pose(frame.placement, M)) for frame in description.frames),
        loops=tuple(_loop(loop, M, signs, description.joints) for loop in description.loops),
        shapes=tuple(_shape(shape, M) for shape in description.shapes),
        keyframes=(),
        actuators=(),
        sensors=(),
    )
    return assemble(image, known=image.bodies)


def _exchanged(name: str, names: Mapping[str, str]) -> str:
    """Return the name with the first matching part replaced."""
    for part, other in names.items():
        if part in name:
            return name.replace(part, other)
    return name


def _pose(T: Array, M: Array) -> Array:
    return pose_matrix(M @ T[:3, :3] @ M, M @ T[:3, 3])


def _body(body: BodySpec, M: Array) -> BodySpec:
    return replace(body, center_of_mass=M @ body.center_of_mass, inertia=M @ body.inertia @ M)


def _shape(shape: Shape, M: Array) -> Shape:
    """Return the mirror image of a shape; meshes and height fields are mirrored in y, other shapes are symmetric."""
    N = np.diag([1.0, -1.0, 1.0])
    T = pose_matrix(M @ shape.placement[:3, :3] @ N, M @ shape.placement[:3, 3])
    x, y, z = shape.scale
    return replace(
        shape,
        placement=T,
        scale=(x, -y, z) if shape.kind == "mesh" else shape.scale,
        hull=None if shape.hull is None else shape.hull @ N,
        heights=None if shape.heights is None else shape.heights[::-1],
    )


def _joint(joint: JointSpec, M: Array) -> JointSpec:
    placement = _pose(joint.placement, M)
    if joint.motion is None:
        return replace(joint, placement=placement)
    motion, N, signs = joint.motion.mirrored(M)
    lower, upper = (np.broadcast_to(np.asarray(x, float), signs.shape) for x in (joint.lower, joint.upper))
    return replace(
        joint,
        motion=motion,
        placement=placement,
        alignment=M @ joint.alignment @ N,
        anchor=M @ joint.anchor,
        lower=np.where(signs > 0.0, lower, -upper),
        upper=np.where(signs > 0.0, upper, -lower),
        rest=signs * np.asarray(joint.rest, dtype=float),
        neutral=signs * np.asarray(joint.neutral, dtype=float),
    )


def _spring(model: Model, spring: Spring, M: Array) -> Spring:
    """Return the mirror image of a spring of joints, whose coordinates may change their signs."""
    if not spring.coefficients:
        return spring
    found = []
    for name, coefficient in spring.coefficients:
        number, (at_q, _) = model.place(name)
        found.append((name, coefficient * float(model.joints[number].motion.mirrored(M).signs[at_q][0])))
    return replace(spring, tendon=tuple(found))


def _loop(
    loop: Loop | CoordinateLoop, M: Array, signs: Mapping[str, Array], joints: tuple[JointSpec, ...]
) -> Loop | CoordinateLoop:
    """Return the mirror image of a loop: the same directions are constrained, and the handedness of screws changes."""
    if isinstance(loop, CoordinateLoop):
        of: dict[str, float] = {"": 1.0}
        for joint in joints:
            if joint.motion is not None:
                names = joint.motion.coordinate_names
                of |= {
                    f"{joint.name}.{name}" if name else joint.name: float(sign)
                    for name, sign in zip(names, signs[joint.name], strict=True)
                }
        first, second = of[loop.first], of[loop.second]
        coefficients = tuple(c * first * second**k for k, c in enumerate(loop.coefficients))
        others = tuple((name, factor * first * of[name]) for name, factor in loop.others)
        return replace(loop, coefficients=coefficients, others=others)
    kind: Any = loop.kind
    if isinstance(kind, HelicalPair):
        kind = replace(kind, pitch=-kind.pitch)
    return replace(loop, kind=kind, placement=_pose(loop.placement, M), alignment=M @ loop.alignment @ M)
