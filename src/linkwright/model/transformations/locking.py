"""Models with locked joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError
from linkwright.model.build.assembly import assemble, described, fixed_at
from linkwright.model.build.description import Description, JointSpec
from linkwright.model.elements import PER_COORDINATE, PER_VELOCITY, Joint
from linkwright.model.joints.joint import Compound, nested, split
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.parts.spring import Spring
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import as_numbers, entries, is_symbolic
from linkwright.spatial.transform import inverse_pose

LOCKED_OPEN = 1e-6
"""Largest residual of a loop with locked bodies, relative to the mechanism's length or to 1 rad."""


def lock(model: Model, positions: Mapping[str, Any]) -> Model:
    """See :meth:`Model.lock`."""
    return assemble(locked(model, positions), known=model.description.bodies)


def locked(model: Model, positions: Mapping[str, Any]) -> Description:
    """Return the description with some joints fixed at given coordinates, including their mimic joints."""
    held: dict[int, Any] = {}  # by index in q
    if not isinstance(positions, Mapping):
        raise ArgumentError(f"positions is a dict {{joint: q}}; got {positions!r}")
    for name, position in positions.items():
        joint = model.joint(name)
        if joint.coupling:
            raise InputError(f"joint {name!r} is a mimic joint; lock {model.joints[joint.coupling.leader].name!r}")
        what = f"joint {name!r}: its position"
        symbolic = is_symbolic(position)
        shape = np.shape(position)
        q = np.atleast_1d(entries(what, position, shape) if symbolic else as_numbers(what, position))
        if q.shape != (joint.nq,):
            raise ShapeError(f"joint {name!r} has {joint.nq} coordinate(s); got shape {q.shape}")
        if symbolic and (model.loops or model.springs):
            raise InputError(
                f"joint {name!r} of a mechanism with loops or springs is locked at numbers; got {position}"
            )
        if not symbolic and not np.isfinite(q).all():
            raise InputError(f"joint {name!r} cannot be locked at {position!r}")
        for start in () if symbolic else joint.motion.quaternions:
            if abs(np.linalg.norm(q[start : start + 4]) - 1.0) > 1e-6:
                raise InputError(f"joint {name!r}: the quaternion {q[start : start + 4]} is not of unit length")
        places = range(model.nq)[model.slice(name).q]
        if not held.keys().isdisjoint(places):
            raise InputError(f"joint {name!r} is locked twice: separately and as part of another")
        held.update(zip(places, q.tolist(), strict=True))
    given = described(model)
    joints = {joint.name: joint for joint in model.joints}
    specs = [
        _locked_joint(model, joints[spec.name], spec, held) if spec.name in joints else spec for spec in given.joints
    ]
    description = replace(given, joints=tuple(specs))
    fixed = assemble(replace(description, loops=(), springs=(), actuators=()), known=model.description.bodies)
    springs = tuple(_springs_of_locked(model, fixed, description, held))
    loops = tuple(_loops_of_locked(model, fixed, description, held))
    actuators = tuple(one for one in description.actuators if all(_moves(fixed, joint) for joint in one.joints))
    return replace(description, loops=loops, springs=springs, actuators=actuators)


def _springs_of_locked(
    model: Model, fixed: Model, description: Description, held: Mapping[int, Any]
) -> Iterator[Spring]:
    """Yield the springs that remain: those of joints with the lengths of locked ones, others unless in one body."""
    x = model.coordinates(np.array([held.get(k, 0.0) for k in range(model.nq)]))
    for spring in description.springs:
        if not spring.coefficients:
            if len({fixed.frames[end].body for end in spring.frames}) > 1:
                yield spring
            continue
        left = tuple(one for one in spring.coefficients if _moves(fixed, one[0]))
        offset = 0.0
        for name, coefficient in spring.coefficients:
            if not _moves(fixed, name):
                k, (at_q, _) = model.place(name)
                offset += coefficient * float(x[k][at_q][0])
        if left:
            length, limits = (x and (x[0] - offset, x[1] - offset) for x in (spring.length, spring.limits))
            yield replace(spring, tendon=left, length=length, limits=limits)


def _moves(fixed: Model, joint: str) -> bool:
    """Return whether a joint still exists."""
    try:
        fixed.joint(joint)
    except UnknownNameError:
        return False
    return True


def _locked_joint(model: Model, joint: Joint, spec: JointSpec, held: Mapping[int, Any]) -> JointSpec:
    """Return the joint fixed at its locked coordinates, or at those of its leader; or partly locked."""
    leader = model.joints[joint.coupling.leader] if joint.coupling else joint
    places = range(model.nq)[model.slice(leader.name).q]
    q = np.array([held.get(place, np.nan) for place in places])
    free = np.array([place not in held for place in places])
    if free.all():
        return spec
    if joint.coupling:
        q = joint.coupling.multiplier * q + joint.coupling.offset
    if not free.any():
        return fixed_at(spec, q)
    parts, before, at = [], np.eye(4), 0
    kept_q: list[int] = []
    kept_v: list[int] = []
    at_v = 0
    for number, part in enumerate(joint.motion.parts):
        motion, here = part.motion, before @ np.array(part.placement)
        if free[at]:
            parts.append(replace(part, placement=nested(here), name=part.name or str(number)))
            kept_q += range(at, at + motion.nq)
            kept_v += range(at_v, at_v + motion.nv)
            before = np.eye(4)
        else:
            before = here @ motion.transform(q[at : at + motion.nq])
        at, at_v = at + motion.nq, at_v + motion.nv
    kept = Compound(tuple(parts), nested(before @ np.array(joint.motion.end)))
    values = {of: getattr(joint, of)[kept_q] for of in PER_COORDINATE}
    return replace(spec, motion=kept, **values, **{of: getattr(joint, of)[kept_v] for of in PER_VELOCITY})


def _loops_of_locked(
    model: Model, fixed: Model, description: Description, held: Mapping[int, Any]
) -> Iterator[Loop | CoordinateLoop]:
    """Yield the loops that remain; loops between locked bodies must be closed."""
    coordinates = {model.coordinate_names[place]: x for place, x in held.items()}
    widths = [1 if isinstance(loop, CoordinateLoop) else len(loop.kind.units) for loop in description.loops]
    for loop, units in zip(description.loops, split(scale_of(model).rows, widths), strict=True):
        if isinstance(loop, Loop):
            first, second = fixed.frames[loop.first], fixed.frames[loop.second]
            if first.body != second.body:
                yield loop
                continue
            T = inverse_pose(second.placement @ loop.second_axes) @ first.placement @ loop.first_axes
            residual = np.abs(loop.kind.residual(T))
        else:
            fixed_part = sum(factor * coordinates[name] for name, factor in loop.others if name in coordinates)
            if fixed_part or any(name in coordinates for name, _ in loop.others):
                c0, *higher = loop.coefficients
                others = tuple(one for one in loop.others if one[0] not in coordinates)
                loop = replace(loop, coefficients=(c0 + fixed_part, *higher), others=others)
            if loop.second in coordinates:
                value = -loop.residual(0.0, coordinates[loop.second])
                loop = replace(loop, second="", coefficients=(float(value),))
            if loop.first in coordinates:
                c0, *higher = loop.coefficients
                loop = replace(loop, first="", coefficients=(c0 - coordinates[loop.first], *higher))
            if loop.coordinates:
                yield loop
                continue
            residual = np.abs(loop.coefficients[:1])
        if (residual > LOCKED_OPEN * units).any():
            off = f"off by {residual.max():.3g} (m or rad)"
            raise InputError(f"loop {loop.name!r} would be locked in an open state, {off}: close it first")
