"""Assembly of a model from a description: checks, order of the tree, merging of fixed joints, canonical axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from linkwright.errors import (
    FormatWarning,
    LinkwrightError,
    ModelError,
    joined,
    listed,
    printable,
    warn,
)
from linkwright.model.build.checks import (
    actuator_problems,
    at_place,
    check_inertias,
    check_loops,
    check_names,
    check_pairs,
    check_shapes,
    check_springs,
    contradictions,
    unknown_name,
)
from linkwright.model.build.description import WORLD, BodySpec, Description, JointSpec
from linkwright.model.build.sizes import too_far, too_small
from linkwright.model.elements import (
    PER_COORDINATE,
    PER_VELOCITY,
    CompensatedWeight,
    Coupling,
    Frame,
    Joint,
    Link,
    public_body,
)
from linkwright.model.parts.keyframe import keyframes_of
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.sensor import OF_SUBTREES
from linkwright.model.tree import Model
from linkwright.provided import numbers_of_sympy
from linkwright.spatial.arrays import Array, entries, is_symbolic, is_zero, snap
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia, rigid_inertia
from linkwright.spatial.transform import inverse_pose


def assemble(
    description: Description,
    notes: Iterable[str] = (),
    found: Iterable[str] = (),
    known: Iterable[BodySpec] = (),
) -> Model:
    """Return the model of a description.

    Raises :class:`ModelError` with all problems, those ``found`` by the reader first. Remarks on a usable mechanism and
    ``notes`` are issued in one :class:`FormatWarning`; remarks on bodies in ``known`` were issued before.
    """
    problems = list(found)
    remarks = list(notes)
    description = _resolve_mimics(description, problems, remarks)
    known_ids = set(map(id, known))
    check_inertias([body for body in description.bodies if id(body) not in known_ids], problems, remarks)
    check_names(description, problems)
    order = tree_order(description, problems)
    checked = description.joints if problems else order
    joints = [_joint(spec, problems) for spec in checked if spec.motion is not None]
    check_loops(description, order, problems)
    check_springs(description, order, problems)
    check_shapes(description, problems)
    check_pairs(description, problems)
    problems.extend(at_place(place, message) for place, message in too_far(description))
    if problems:
        raise ModelError(problems)
    model = _model(description, order, joints)
    if wrong := actuator_problems(model):
        raise ModelError(wrong)
    model = _with_known_sensors(model)
    remarks += contradictions(model, known_ids)
    if remarks:
        warn(FormatWarning(listed(tuple(remarks), "remarks"), remarks))
    if small := too_small(model):
        raise ModelError(small)
    return model


def tree_order(description: Description, problems: list[str]) -> list[JointSpec]:
    """Return the joints in depth-first order of the file; append everything that is not a tree to `problems`."""
    bodies = {body.name: body for body in description.bodies}
    below: dict[str, list[JointSpec]] = {}
    above: dict[str, JointSpec] = {}
    for joint in description.joints:
        if joint.child == WORLD:
            problems.append(
                at_place(
                    joint.place, f"joint {joint.name!r}: its child is {WORLD!r}, the ground, which no joint can move"
                )
            )
            continue
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in bodies and not (name == WORLD and role == "parent"):
                unknown = unknown_name(f"{role} body", name, chain(bodies, [WORLD] * (role == "parent")), problems)
                problems.append(
                    at_place(joint.place, f"joint {joint.name!r}: {unknown}; add it to the file, or correct the name")
                )
        if joint.child in above:
            first = above[joint.child]
            problems.append(
                at_place(
                    joint.place,
                    f"body {joint.child!r} has two parents: joint {first.name!r} joins it to {first.parent!r}, "
                    f"joint {joint.name!r} to {joint.parent!r}",
                )
            )
            continue
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    order: list[JointSpec] = []
    stack = below.get(WORLD, [])[::-1]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(below.get(joint.child, [])[::-1])
    reached = {joint.child for joint in order}
    roots = [name for name in bodies if name not in above]
    if len(roots) > 1:
        names = ", ".join(map(repr, roots[:10])) + (", …" if len(roots) > 10 else "")
        problems.append(
            at_place(bodies[roots[1]].place, f"{len(roots)} bodies have no parent joint, only one root may: {names}")
        )
    elif roots:
        problems.append(at_place(bodies[roots[0]].place, f"body {roots[0]!r} is not attached: join it to {WORLD!r}"))
    done: set[str] = set(reached)
    for name in bodies:
        hanging: list[str] = []
        while name not in done and name in above and above[name].parent in bodies:
            done.add(name)
            hanging.append(name)
            name = above[name].parent
        if name in hanging:
            cycle = hanging[hanging.index(name) :]
            shown = " → ".join(reversed(cycle[:10])) + (" → …" if len(cycle) > 10 else "")
            problems.append(at_place(above[name].place, f"these bodies are joined in a cycle: {cycle[0]} → {shown}"))
    return order


def _with_lengths(model: Model) -> Model:
    """Set unknown free lengths of springs to their lengths at the neutral configuration."""
    if all(spring.length is not None for spring in model.springs):
        return model
    x = model.coordinates(model.neutral())

    def outward(link: Link, parent: Array, q: Array) -> Array:
        return parent @ link.transform(q)

    poses = [*model.outward(outward, np.eye(4), model.coordinates(model.neutral())), np.eye(4)]  # last: the world
    springs = []
    for spring in model.springs:
        if spring.length is None:
            if spring.coefficients:
                places_q = [(c, *model.place(name)) for name, c in spring.coefficients]
                length = sum(c * float(x[k][at.q][0]) for c, k, at in places_q)
            else:
                places = [model.frames[name] for name in spring.points]
                points = np.array([(poses[place.body] @ place.placement)[:3, 3] for place in places])
                if is_symbolic(points):
                    raise ModelError(
                        f"spring {spring.name!r}: its free length is that at the neutral configuration, whose geometry "
                        "has symbols; give its length"
                    )
                length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
            spring = replace(spring, length=(length, length))
        springs.append(spring)
    return replace(model, springs=tuple(springs), description=replace(model.description, springs=tuple(springs)))


def _resolve_mimics(description: Description, problems: list[str], remarks: list[str]) -> Description:
    """Resolve mimic joints to leaders with independent coordinates; those of fixed joints become fixed."""
    if all(joint.mimic is None for joint in description.joints):
        return description
    followed = _followed({joint.name: joint for joint in description.joints}, problems)
    resolved: list[JointSpec] = []
    for joint in description.joints:
        if joint.mimic is None:
            resolved.append(joint)
            continue
        lead = followed[joint.name]
        wrong = ""
        if lead is None:  # reported before
            resolved.append(replace(joint, mimic=None))
            continue
        multiplier, offset, leader = lead
        if not np.isfinite((multiplier, offset)).all():
            wrong = f"joint {joint.name!r}: multiplier and offset of its mimic must be finite"
        elif joint.motion is not None and joint.motion.nq != 1:
            wrong = f"joint {joint.name!r} is {joint.motion.type}; only joints of one coordinate can mimic"
        elif leader.motion is not None and leader.motion.nq != 1:
            wrong = f"joint {joint.name!r} mimics {leader.name!r}, which has {leader.motion.nq} coordinates, not one"
        if wrong:
            problems.append(at_place(joint.place, wrong))
            resolved.append(replace(joint, mimic=None))
        elif joint.motion is None:
            remarks.append(at_place(joint.place, f"joint {joint.name!r} is fixed; its mimic is ignored"))
            resolved.append(replace(joint, mimic=None))
        elif leader.motion is None:
            remarks.append(
                at_place(joint.place, f"joint {joint.name!r} mimics the fixed {leader.name!r}; it is fixed too")
            )
            resolved.append(fixed_at(joint, np.array([offset])))
        else:
            resolved.append(
                replace(joint, mimic=replace(joint.mimic, joint=leader.name, multiplier=multiplier, offset=offset))
            )
    return replace(description, joints=tuple(resolved))


def _followed(joints: Mapping[str, JointSpec], problems: list[str]) -> dict[str, tuple[float, float, JointSpec] | None]:
    """Return the leader of each joint (itself without a mimic), with multiplier and offset; None for an error."""
    found: dict[str, tuple[float, float, JointSpec] | None] = {
        name: (1.0, 0.0, joint) for name, joint in joints.items() if joint.mimic is None
    }
    for joint in joints.values():
        leads: dict[str, JointSpec] = {}
        while joint.mimic is not None and joint.name not in found and joint.name not in leads:
            leads[joint.name] = joint
            name = joint.mimic.joint
            if name in joints:
                joint = joints[name]
            else:
                unknown = unknown_name("joint", name, joints, problems)
                problems.append(at_place(joint.place, f"joint {joint.name!r} mimics {name!r}: {unknown}"))
                found[joint.name] = None
        if joint.name not in found:
            names = list(leads)
            cycle = names[names.index(joint.name) :]
            shown = " → ".join([*cycle[:10], *(["…"] if len(cycle) > 10 else []), joint.name])
            problems.append(at_place(joint.place, f"joint {joint.name!r} mimics itself: {shown}"))
            found.update(dict.fromkeys(cycle))
        for name in reversed(leads):
            mimic = leads[name].mimic
            if name not in found and mimic is not None:
                lead = found[mimic.joint]
                found[name] = lead and (
                    mimic.multiplier * lead[0],
                    mimic.multiplier * lead[1] + mimic.offset,
                    lead[2],
                )
    return found


def fixed_at(joint: JointSpec, q: Array) -> JointSpec:
    """Return the joint fixed at the given coordinates."""
    assert joint.motion is not None
    turn = joint.axes
    placement = joint.placement @ turn @ joint.motion.transform(q) @ inverse_pose(turn)
    return JointSpec(joint.name, joint.parent, joint.child, placement=placement, place=joint.place)


def _joint(spec: JointSpec, problems: list[str]) -> Joint:
    """Return the joint of a model with all values per coordinate, after checks."""
    motion = spec.motion
    assert motion is not None

    def values(name: str, n: int, default: Array, lowest: float = -np.inf, finite: bool = True) -> Array:
        given = numbers_of_sympy(getattr(spec, name))
        if given is None:
            return default
        if is_symbolic(given) and name in MAY_BE_SYMBOLS:
            try:
                return entries(f"joint {spec.name!r}: {name}", np.broadcast_to(np.asarray(given), (n,)), (n,))
            except (LinkwrightError, ValueError) as error:
                problems.append(at_place(spec.place, str(error)))
                return default
        if isinstance(given, float) and lowest <= given and (math.isfinite(given) or not finite):
            return _filled(n, given)
        try:
            x = np.array(np.broadcast_to(np.asarray(given, dtype=float), (n,)))
        except (ValueError, TypeError):
            message = f"{name} has {n} values (or one for all); got {given!r}"
            if is_symbolic(given):
                message = f"{name} must be numbers, not symbols; symbols may be {joined(MAY_BE_SYMBOLS)}; got {given!r}"
        else:
            x.setflags(write=False)
            if not np.isnan(x).any() and (x >= lowest).all() and (np.isfinite(x).all() or not finite):
                return x
            kind = "be finite" if finite else "be a number"
            wanted = "be finite and not negative" if finite else "not be negative"
            message = f"{name} must {wanted if lowest == 0 else kind}; got {given!r}"
        problems.append(at_place(spec.place, f"joint {spec.name!r}: {message}"))
        return default

    nq, nv = motion.nq, motion.nv
    armature = values("armature", nv, _filled(nv, 0.0), 0.0)
    if not all(is_zero(armature[k]) for k in motion.carried):
        zeros = [0 if k in motion.carried else "a" for k in range(nv)]
        problems.append(
            at_place(
                spec.place,
                f"joint {spec.name!r}: a {motion.type} joint has no armature of its translation, whose axes rotate "
                "with the body. Give "
                f"[{', '.join(map(str, zeros))}], or separate prismatic and revolute joints",
            )
        )
    neutral = values("neutral", nq, motion.neutral)
    for start in motion.quaternions:
        if abs(np.linalg.norm(neutral[start : start + 4]) - 1.0) > UNIT:
            problems.append(
                at_place(
                    spec.place,
                    f"joint {spec.name!r}: the quaternion {neutral[start : start + 4]} of its neutral coordinates is "
                    "not of unit length",
                )
            )
    lower = values("lower", nq, _filled(nq, -np.inf), finite=False)
    upper = values("upper", nq, _filled(nq, np.inf), finite=False)
    if (lower > upper).any():
        problems.append(
            at_place(
                spec.place, f"joint {spec.name!r}: the lower limit {spec.lower} exceeds the upper limit {spec.upper}"
            )
        )
    return Joint(
        name=spec.name,
        motion=motion,
        parent=spec.parent,
        child=spec.child,
        lower=lower,
        upper=upper,
        velocity_limit=values("velocity_limit", nv, _filled(nv, np.inf), 0.0, finite=False),
        effort_limit=values("effort_limit", nv, _filled(nv, np.inf), 0.0, finite=False),
        stiffness=values("stiffness", nv, _filled(nv, 0.0), 0.0),
        rest=values("rest", nq, neutral),
        neutral=neutral,
        damping=values("damping", nv, _filled(nv, 0.0), 0.0),
        friction=values("friction", nv, _filled(nv, 0.0), 0.0),
        armature=armature,
    )


UNIT = 1e-6
"""Largest deviation of the length of a quaternion from 1."""

MAY_BE_SYMBOLS = ("stiffness", "rest", "damping", "friction", "armature")
"""Parameters of a joint that may be symbols, since no decision depends on them."""


@lru_cache(maxsize=4096)
def _filled(n: int, value: float) -> Array:
    """Return an array of n equal values, which is shared and must not be written."""
    x = np.full(n, value)
    x.setflags(write=False)
    return x


class PlacedParts(NamedTuple):
    """Bodies, joints and frames at their places."""

    where: dict[str, tuple[int, Array]]
    """of each link: the index of its moving body, and its pose (4, 4) in the axes of that body's file"""
    parents: list[int]
    """of each moving body"""
    placements: list[Array]
    """(4, 4) of each moving joint, in canonical axes of the parent"""
    inertias: list[RigidInertia]
    """of each moving body in canonical axes"""
    in_file_axes: dict[int, RigidInertia]
    """the same in the axes of the file, and of the welded links, -1"""
    merged: dict[int, list[str]]
    """names of the links of each moving body"""
    frames: dict[str, Frame]


def placed_parts(description: Description, order: Sequence[JointSpec]) -> PlacedParts:
    """Return the parts of a description at their places, for numbers and symbols."""
    bodies = {body.name: body for body in description.bodies}
    where: dict[str, tuple[int, Array]] = {WORLD: (-1, np.eye(4))}
    turned: list[Array] = []  # file axes of each moving body in its canonical ones, as a pose
    parents: list[int] = []
    placements: list[Array] = []
    inertias: dict[int, RigidInertia] = {-1: NO_INERTIA}
    merged: dict[int, list[str]] = {-1: []}

    def canonical(k: int, T: Array) -> Array:
        return _snapped(turned[k] @ T if k >= 0 else T)

    for spec in order:
        body, offset = where[spec.parent]
        offset = offset @ spec.placement
        if spec.motion is None:
            offset = _snapped(offset)
        else:
            turn = spec.axes
            placements.append(canonical(body, offset @ turn))
            parents.append(body)
            body, offset = len(parents) - 1, np.eye(4)
            turned.append(inverse_pose(turn))
            merged[body] = []
        where[spec.child] = (body, offset)
        inertia = _rigid(bodies[spec.child])
        inertias[body] = inertia if spec.motion is not None else inertias[body] + inertia.moved(offset)
        merged[body].append(spec.child)

    frames = {WORLD: Frame(-1, np.eye(4))}
    for name, (k, offset) in where.items():
        frames[name] = Frame(k, canonical(k, offset))
    for frame in description.frames:
        k, offset = where[frame.body]
        frames[frame.name] = Frame(k, canonical(k, offset @ frame.placement))
    moved = [inertias[k].moved(turn) for k, turn in enumerate(turned)]
    return PlacedParts(where, parents, placements, moved, inertias, merged, frames)


def _model(description: Description, order: list[JointSpec], joints: list[Joint]) -> Model:
    """Build the tree from a checked description."""
    parts = placed_parts(description, order)
    named = {joint.name: joint for joint in joints}
    numbers = {joint.name: k for k, joint in enumerate(joints)}
    moving = [spec for spec in order if spec.motion is not None]
    links = [
        Link(parent, spec.motion, placement, inertia, named[spec.name].armature)
        for spec, parent, placement, inertia in zip(
            moving, parts.parents, parts.placements, parts.inertias, strict=True
        )
        if spec.motion is not None
    ]
    for k, spec in enumerate(moving):
        mimic = spec.mimic
        coupling = None if mimic is None else Coupling(numbers[mimic.joint], mimic.multiplier, mimic.offset)
        parent_name = moving[parts.parents[k]].child if parts.parents[k] >= 0 else WORLD
        joints[k] = replace(joints[k], parent=parent_name, coupling=coupling)

    def apart(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
        """Return the pairs of shapes on different moving bodies."""
        on = [parts.where[shape.body][0] for shape in description.shapes]
        return tuple(pair for pair in pairs if on[pair.first] != on[pair.second])

    gravity = np.array(description.gravity, dtype=object if is_symbolic(description.gravity) else float)
    gravity.setflags(write=False)
    model = Model(
        name=printable(description.name, keep=""),
        joints=tuple(joints),
        bodies=tuple(
            public_body(spec.child, parts.in_file_axes[k], tuple(parts.merged[k])) for k, spec in enumerate(moving)
        ),
        links=tuple(links),
        frames=MappingProxyType(parts.frames),
        gravity=gravity,
        welded=parts.in_file_axes[-1],
        loops=description.loops,
        springs=description.springs,
        shapes=description.shapes,
        pairs=apart(description.pairs),
        listed_pairs=apart(description.listed_pairs),
        excluded=description.excluded,
        keyframes=MappingProxyType(keyframes_of(description.keyframes, joints, description.actuators)),
        actuators=description.actuators,
        compensated_weights=tuple(
            CompensatedWeight.of(one.name, one.gravity_compensation, _rigid(one))
            for one in description.bodies
            if one.gravity_compensation and parts.where[one.name][0] >= 0
        ),
        description=description,
    )
    return _with_lengths(model)


def _with_known_sensors(model: Model) -> Model:
    """Return the model with those of its description's sensors whose joints, frames and actuators exist."""
    if not model.description.sensors:
        return model
    joints = model.joint_names
    actuators = [one.name for one in model.actuators]
    bodies = [body.name for body in model.bodies]
    kept = [
        one
        for one in model.description.sensors
        if one.fits(joints, actuators, bodies if one.type in OF_SUBTREES else model.frames)
    ]
    return replace(model, sensors=tuple(kept))


def _rigid(body: BodySpec) -> RigidInertia:
    """Return the rigid inertia of a body, for numbers and symbols."""
    m, c, I = (x if is_symbolic(x) else np.asarray(x, float) for x in (body.mass, body.center_of_mass, body.inertia))
    return rigid_inertia(m if is_symbolic(m) else float(m), np.asarray(c), np.asarray(I))


def _snapped(T: Array) -> Array:
    """Return a pose with exact zeros and ones in its rotation, if it is of numbers."""
    if is_symbolic(T[:3, :3]) and not all(isinstance(x, float) for x in T[:3, :3].flat):
        return T
    T = T.copy()
    T[:3, :3] = snap(T[:3, :3])
    return T


def described(model: Model) -> Description:
    """Return the description of a model with the model's present values."""
    model.require_physical("a description")
    joints = {joint.name: joint for joint in model.joints}
    specs = tuple(
        replace(spec, **{of: getattr(joints[spec.name], of) for of in (*PER_COORDINATE, *PER_VELOCITY)})
        if spec.name in joints
        else spec
        for spec in model.description.joints
    )
    x, y, z = model.gravity.tolist()
    return replace(
        model.description,
        name=model.name,
        joints=specs,
        loops=model.loops,
        springs=model.springs,
        shapes=model.shapes,
        pairs=model.pairs,
        listed_pairs=model.listed_pairs,
        excluded=model.excluded,
        actuators=model.actuators,
        sensors=model.sensors,
        gravity=(x, y, z),
    )
