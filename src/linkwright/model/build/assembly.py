"""From a description to a model: checked, sorted, fixed joints merged, axes made canonical."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright.errors import (
    FormatWarning,
    LinkwrightError,
    ModelError,
    UnknownNameError,
    listed,
    printable,
    warn,
)
from linkwright.model.build.description import WORLD, BodySpec, Description, FrameSpec, JointSpec
from linkwright.model.build.sizes import LARGEST, LARGEST_MOMENT, too_far, too_large, too_small
from linkwright.model.joint_type import JointType
from linkwright.model.loop import CoordinateLoop
from linkwright.model.scale import SMALLEST
from linkwright.model.tree import PER_COORDINATE, PER_VELOCITY, Coupling, Frame, Joint, Link, Model, public_body
from linkwright.spatial.arrays import Array, entries, is_symbolic, snap
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia, rigid_inertia
from linkwright.spatial.transform import inverse_pose

TRIANGLE_TOLERANCE = 1e-6
"""A principal moment may exceed the sum of the others by this much of itself (rounded decimals in files)."""

NO_MOMENT = 1e-15
"""A moment of inertia of less than this of the mechanism's largest is none: some programs write their rounding."""


def assemble(
    description: Description,
    notes: Iterable[str] = (),
    found: Iterable[str] = (),
    known: Iterable[BodySpec] = (),
) -> Model:
    """The model of a description.

    Raises :class:`ModelError` with every problem, those that its reader has ``found`` before first;
    what leaves the mechanism usable is told, together with ``notes``, in one :class:`FormatWarning`. Of the bodies
    that are ``known`` it was told before.
    """
    problems = list(found)
    remarks = list(notes)
    description = _resolve_mimics(description, problems, remarks)
    told = set(map(id, known))
    of_numbers = [body for body in description.bodies if not is_symbolic(*_values(body)) and id(body) not in told]
    sound = _sound(of_numbers)
    largest = 0.0 if sound.all() else _largest_moment(of_numbers)
    for body, is_sound in zip(of_numbers, sound, strict=True):
        if not is_sound:
            _check_inertia(body, largest, problems, remarks)
    _check_names(description, problems)
    order = _tree_order(description, problems)
    checked = description.joints if problems else order
    joints = [_joint(spec, problems) for spec in checked if spec.motion is not None]
    _check_loops(description, order, problems)
    _check_springs(description, order, problems)
    problems.extend(_at(place, message) for place, message in too_far(description))
    if problems:
        raise ModelError(problems)
    model = _model(description, order, joints)
    remarks += _contradictions(model, told)
    if remarks:
        warn(listed(tuple(remarks), "remarks"), FormatWarning)
    if small := too_small(model):
        raise ModelError(small)
    return model


def _at(place: str, message: str) -> str:
    return f"{place}: {message}" if place else message


def _values(body: BodySpec) -> tuple[Any, Any, Any]:
    return body.mass, body.center_of_mass, body.inertia


def _sound(bodies: Sequence[BodySpec]) -> Array:
    """Which bodies have nothing wrong with their inertia: all at once, for most have not."""
    try:
        m = np.array([body.mass for body in bodies], dtype=float).reshape(len(bodies))
        c = np.array([body.center_of_mass for body in bodies], dtype=float).reshape(len(bodies), 3)
        I = np.array([body.inertia for body in bodies], dtype=float).reshape(len(bodies), 3, 3)
    except (ValueError, TypeError):  # of different shapes
        return np.zeros(len(bodies), dtype=bool)
    finite = np.isfinite(m) & np.isfinite(c).all(axis=1) & np.isfinite(I).all(axis=(1, 2))
    I = np.where(finite[:, None, None], I, 0.0)
    moments = np.linalg.eigvalsh(I)
    symmetric = (I.transpose(0, 2, 1) == I).all(axis=(1, 2))
    normal = ((m == 0.0) | (m >= SMALLEST)) & ((moments == 0.0) | (moments >= SMALLEST)).all(axis=1)
    bounded = (m <= LARGEST) & (np.abs(c) <= LARGEST).all(axis=1) & (np.abs(I) <= LARGEST_MOMENT).all(axis=(1, 2))
    return finite & symmetric & normal & bounded & (moments[:, 2] <= moments[:, 0] + moments[:, 1])


def _largest_moment(bodies: Sequence[BodySpec]) -> float:
    """The largest moment of inertia that a body has, or would have as a point at its centre of mass."""
    largest = 0.0
    for body in bodies:
        m, c, I = np.asarray(body.mass), np.asarray(body.center_of_mass), np.asarray(body.inertia)
        if c.shape == (3,) and I.shape == (3, 3) and np.isfinite([m, *c, *I.ravel()]).all():
            with np.errstate(over="ignore"):  # what is too large is told
                largest = max(largest, float(np.abs(I).max()), float(m * (c @ c)))
    return largest


def _check_inertia(body: BodySpec, largest: float, problems: list[str], remarks: list[str]) -> None:
    who, place = f"body {body.name!r}", body.inertia_place or body.place
    inertia = np.asarray(body.inertia)
    values = (body.mass, *np.ravel(body.center_of_mass), *np.ravel(inertia))
    if np.shape(body.center_of_mass) != (3,) or inertia.shape != (3, 3):
        problems.append(_at(place, f"{who}: the centre of mass has shape (3,) and the inertia (3, 3)"))
    elif not np.isfinite(values).all():
        problems.append(_at(place, f"{who}: mass, centre of mass and inertia must be finite"))
    elif body.mass < 0.0:
        problems.append(_at(place, f"{who}: the mass is {body.mass:g}; it cannot be negative"))
    elif 0.0 < body.mass < SMALLEST:
        problems.append(
            _at(
                place,
                f"{who}: the mass is {body.mass:g} kg, less than the smallest number of full precision (2.2e-308)",
            )
        )
    elif large := too_large(body):
        problems.append(_at(place, f"{who}: {large}"))
    elif np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
        problems.append(_at(place, f"{who}: the inertia is not symmetric"))
    else:
        moments = np.linalg.eigvalsh(inertia)
        allowed = TRIANGLE_TOLERANCE * np.abs(moments).max() + NO_MOMENT * largest
        excess = moments[2] - moments[0] - moments[1]
        shown = ", ".join(f"{moment:.6g}" for moment in moments)
        if (tiny := moments[(moments > 0.0) & (moments < SMALLEST)]).size and np.abs(moments).max() < SMALLEST:
            problems.append(
                _at(
                    place,
                    f"{who}: a moment of inertia is {tiny[0]:g} kg m², less than the smallest number of full "
                    "precision (2.2e-308)",
                )
            )
        elif moments[0] < -allowed:
            told = _at(place, f"{who}: no rigid body has a negative principal moment of inertia ({shown})")
            (remarks if place else problems).append(told)  # files of real robots have such; nobody types them
        elif excess > allowed:
            remarks.append(
                _at(
                    place,
                    f"{who}: no rigid body has these principal moments of inertia ({shown}): the largest "
                    f"exceeds the sum of the others by {excess:.3g} ({excess / moments[2]:.2%})",
                )
            )


def _check_names(description: Description, problems: list[str]) -> None:
    named: dict[str, list[BodySpec | FrameSpec | JointSpec]] = {
        "body or frame": [*description.bodies, *description.frames],
        "joint": [*description.joints],
    }
    for what, items in named.items():
        count = Counter(item.name for item in items)
        seen: dict[str, str] = {}
        for item in items:
            if not isinstance(item.name, str) or not item.name:
                problems.append(_at(item.place, f"a {what} needs a name; got {item.name!r}"))
            elif printable(item.name, keep="") != item.name:
                problems.append(_at(item.place, f"the name {item.name!r} of a {what} has control characters"))
            elif item.name == WORLD and what != "joint":
                problems.append(_at(item.place, f"the name {WORLD!r} is taken: it is what mechanisms are attached to"))
            elif count[item.name] > 1 and item.name in seen:
                first = f" (first at {seen[item.name]})" if seen[item.name] else ""
                problems.append(_at(item.place, f"a second {what} is named {item.name!r}{first}"))
            seen.setdefault(str(item.name), item.place)
    bodies = {body.name for body in description.bodies} | {WORLD}
    for frame in description.frames:
        if frame.body not in bodies:
            unknown = _unknown("body", frame.body, bodies, problems)
            problems.append(_at(frame.place, f"{frame.told or f'frame {frame.name!r}'}: {unknown}"))


def _tree_order(description: Description, problems: list[str]) -> list[JointSpec]:
    """The joints in depth-first order of the file; everything that keeps them from being a tree is told."""
    bodies = {body.name: body for body in description.bodies}
    below: dict[str, list[JointSpec]] = {}
    above: dict[str, JointSpec] = {}
    for joint in description.joints:
        if joint.child == WORLD:
            problems.append(
                _at(joint.place, f"joint {joint.name!r}: its child is {WORLD!r}, the ground, which no joint can move")
            )
            continue
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in bodies and not (name == WORLD and role == "parent"):
                unknown = _unknown(f"{role} body", name, [*bodies, *[WORLD] * (role == "parent")], problems)
                problems.append(_at(joint.place, f"joint {joint.name!r}: {unknown}"))
        if joint.child in above:
            first = above[joint.child]
            problems.append(
                _at(
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
            _at(bodies[roots[1]].place, f"{len(roots)} bodies have no parent joint, only one root may: {names}")
        )
    elif roots:
        problems.append(_at(bodies[roots[0]].place, f"body {roots[0]!r} is not attached: join it to {WORLD!r}"))
    done: set[str] = set(reached)
    for name in bodies:
        chain: list[str] = []
        while name not in done and name in above and above[name].parent in bodies:
            done.add(name)
            chain.append(name)
            name = above[name].parent
        if name in chain:
            cycle = chain[chain.index(name) :]
            shown = " → ".join(reversed(cycle[:10])) + (" → …" if len(cycle) > 10 else "")
            problems.append(_at(above[name].place, f"these bodies hang on each other in a cycle: {cycle[0]} → {shown}"))
    return order


def _check_loops(description: Description, order: list[JointSpec], problems: list[str]) -> None:
    """Every loop is between frames of different bodies, or between coordinates whose rates are velocities."""
    moved_by = _moved_by(order)
    frames = {frame.name: frame.body for frame in description.frames}
    names: set[str] = set()
    for loop in description.loops:
        if not isinstance(loop.name, str) or not loop.name or loop.name in names:
            again = f"a second loop is named {loop.name!r}" if loop.name in names else "a loop needs a name"
            problems.append(_at(loop.place, f"{again}; got {loop.name!r}" if not loop.name else again))
        elif printable(loop.name, keep="") != loop.name:
            problems.append(_at(loop.place, f"the name {loop.name!r} of a loop has control characters"))
        names.add(loop.name)
        if isinstance(loop, CoordinateLoop):
            _check_coordinate_loop(loop, order, problems)
            continue
        ends = []
        for end in (loop.first, loop.second):
            body = frames.get(end, end) if isinstance(end, str) else None
            if body in moved_by:
                ends.append(moved_by[body])
            elif end not in frames and all(end != one.name for one in description.bodies):
                unknown = _unknown("frame", end, [*moved_by, *frames], problems)
                problems.append(_at(loop.place, f"loop {loop.name!r}: {unknown}"))
        if len(ends) == 2 and ends[0] == ends[1]:
            where = "at rest in the world" if ends[0] == WORLD else f"on the body {ends[0]!r}"
            problems.append(
                _at(
                    loop.place,
                    f"loop {loop.name!r} closes nothing: {loop.first!r} and {loop.second!r} are both {where}",
                )
            )


def _moved_by(order: list[JointSpec]) -> dict[str, str]:
    """The moving body, or the world, that each link is part of."""
    moved_by = {WORLD: WORLD}
    for joint in order:
        moved_by[joint.child] = joint.child if joint.motion else moved_by[joint.parent]
    return moved_by


def _check_springs(description: Description, order: list[JointSpec], problems: list[str]) -> None:
    """Every spring is between frames of different bodies, with numbers that springs can have."""
    if not description.springs:
        return
    moved_by = _moved_by(order)
    frames = {frame.name: frame.body for frame in description.frames}
    unnamed = {frame.name for frame in description.frames if frame.told}
    known = {*frames, WORLD, *(body.name for body in description.bodies)}
    names: set[str] = set()
    for spring in description.springs:
        who = f"spring {spring.name!r}"
        wrong = []
        if not isinstance(spring.name, str) or not spring.name:
            wrong.append(f"a spring needs a name; got {spring.name!r}")
        elif spring.name in names:
            wrong.append(f"a second spring is named {spring.name!r}")
        elif printable(spring.name, keep="") != spring.name:
            wrong.append(f"the name {spring.name!r} of a spring has control characters")
        names.add(spring.name)
        for what, value in (("stiffness", spring.stiffness), ("damping", spring.damping)):
            if not 0.0 <= value < np.inf:
                wrong.append(f"{who}: its {what} must be finite and not negative; got {value:g}")
        if spring.length is not None and not (
            0.0 <= spring.length[0] <= spring.length[1] and spring.length[0] < np.inf
        ):
            shown = " … ".join(f"{x:g}" for x in dict.fromkeys(spring.length))
            wrong.append(f"{who}: a free length is not negative, nor the longest less than the shortest; got {shown} m")
        unknown = [end for end in spring.frames if end not in known]
        wrong += [f"{who}: {_unknown('frame', end, [*moved_by, *frames], problems)}" for end in unknown]
        bodies = {moved_by.get(frames.get(end, end)) for end in spring.frames}
        if not unknown and None not in bodies and len(bodies) == 1:
            (only,) = bodies
            where = "at rest in the world" if only == WORLD else f"on the body {only!r}"
            ends = " and ".join(map(repr, spring.frames)) if unnamed.isdisjoint(spring.frames) else "its points"
            wrong.append(f"{who} moves nothing: {ends} are all {where}")
        problems.extend(_at(spring.place, message) for message in wrong)


def _with_lengths(model: Model) -> Model:
    """Springs of no given free length are relaxed at the neutral configuration."""
    if all(spring.length is not None for spring in model.springs):
        return model

    def outward(link: Link, parent: Array, q: Array) -> Array:
        return parent @ link.transform(q)

    poses = [*model.outward(outward, np.eye(4), model.coordinates(model.neutral())), np.eye(4)]  # the last: the world's
    springs = []
    for spring in model.springs:
        places = [model.frames[name] for name in spring.frames]
        points = np.array([(poses[place.body] @ place.placement)[:3, 3] for place in places])
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        springs.append(spring if spring.length is not None else replace(spring, length=(length, length)))
    return replace(model, springs=tuple(springs), description=replace(model.description, springs=tuple(springs)))


def _check_coordinate_loop(loop: CoordinateLoop, order: list[JointSpec], problems: list[str]) -> None:
    plain: list[str] = []
    for spec in order:
        if spec.motion and not spec.mimic:
            names = spec.motion.coordinate_names
            plain += [f"{spec.name}.{names[at]}" if names[at] else spec.name for at, _ in spec.motion.plain]
    for name in filter(None, (loop.first, loop.second)):
        if name not in plain:
            unknown = _unknown("coordinate", name, plain, problems)
            problems.append(_at(loop.place, f"loop {loop.name!r}: {unknown} (quaternions and followers have none)"))
    if loop.first == loop.second:
        problems.append(_at(loop.place, f"loop {loop.name!r} ties the coordinate {loop.first!r} to itself"))
    if not np.isfinite(loop.coefficients).all():
        problems.append(_at(loop.place, f"loop {loop.name!r}: its coefficients must be finite"))


def _resolve_mimics(description: Description, problems: list[str], remarks: list[str]) -> Description:
    """Every follower made to follow a joint with a coordinate of its own; followers of fixed joints fixed."""
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
        if lead is None:  # told already
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
            problems.append(_at(joint.place, wrong))
            resolved.append(replace(joint, mimic=None))
        elif joint.motion is None:
            remarks.append(_at(joint.place, f"joint {joint.name!r} is fixed; its mimic is ignored"))
            resolved.append(replace(joint, mimic=None))
        elif leader.motion is None:
            remarks.append(_at(joint.place, f"joint {joint.name!r} mimics the fixed {leader.name!r}; it is fixed too"))
            resolved.append(fixed_at(joint, np.array([offset])))
        else:
            resolved.append(
                replace(joint, mimic=replace(joint.mimic, joint=leader.name, multiplier=multiplier, offset=offset))
            )
    return replace(description, joints=tuple(resolved))


def _followed(joints: Mapping[str, JointSpec], problems: list[str]) -> dict[str, tuple[float, float, JointSpec] | None]:
    """What each joint follows in the end (itself, if nothing): multiplier, offset, leader. None where that fails."""
    found: dict[str, tuple[float, float, JointSpec] | None] = {
        name: (1.0, 0.0, joint) for name, joint in joints.items() if joint.mimic is None
    }
    for joint in joints.values():
        chain: dict[str, JointSpec] = {}
        while joint.mimic is not None and joint.name not in found and joint.name not in chain:
            chain[joint.name] = joint
            name = joint.mimic.joint
            if name in joints:
                joint = joints[name]
            else:
                unknown = _unknown("joint", name, joints, problems)
                problems.append(_at(joint.place, f"joint {joint.name!r} mimics {name!r}: {unknown}"))
                found[joint.name] = None
        if joint.name not in found:
            names = list(chain)
            cycle = names[names.index(joint.name) :]
            shown = " → ".join([*cycle[:10], *(["…"] if len(cycle) > 10 else []), joint.name])
            problems.append(_at(joint.place, f"joint {joint.name!r} mimics itself: {shown}"))
            found.update(dict.fromkeys(cycle))
        for name in reversed(chain):
            mimic = chain[name].mimic
            if name not in found and mimic is not None:
                lead = found[mimic.joint]
                found[name] = lead and (
                    mimic.multiplier * lead[0],
                    mimic.multiplier * lead[1] + mimic.offset,
                    lead[2],
                )
    return found


def _contradictions(model: Model, told: set[int]) -> Iterator[str]:
    """Followers whose limits leave what they follow no room, as where a sign was forgotten; told of once."""
    known = {body.name for body in model.description.bodies if id(body) in told}
    for spec in model.description.joints:
        if spec.mimic is not None and spec.child not in known and spec.name in model.contradictions:
            yield _at(
                spec.place,
                f"joint {spec.name!r}: its limits and those of {spec.mimic.joint!r}, which it mimics, have no range in "
                "common; its own are ignored",
            )


def _unknown(what: str, name: object, known: Iterable[str], problems: list[str]) -> str:
    """That a name is unknown; with near ones while that is quick: among many problems it is not read."""
    return str(UnknownNameError(what, name, known)) if len(problems) < 10 else f"unknown {what} {name!r}"


def fixed_at(joint: JointSpec, q: Array) -> JointSpec:
    """The joint fixed at given coordinates of its own."""
    assert joint.motion is not None
    turn = joint.axes
    placement = joint.placement @ turn @ joint.motion.transform(q) @ inverse_pose(turn)
    return JointSpec(joint.name, joint.parent, joint.child, placement=placement, place=joint.place)


def _joint(spec: JointSpec, problems: list[str]) -> Joint:
    """The joint of a model, every per-coordinate value filled in and checked."""
    motion = spec.motion
    assert motion is not None

    def values(name: str, n: int, default: Array, lowest: float = -np.inf, finite: bool = True) -> Array:
        given = getattr(spec, name)
        if given is None:
            return default
        if is_symbolic(given) and name in MAY_BE_SYMBOLS:
            try:
                return entries(f"joint {spec.name!r}: {name}", np.broadcast_to(np.asarray(given), (n,)), (n,))
            except (LinkwrightError, ValueError) as error:
                problems.append(_at(spec.place, str(error)))
                return default
        if isinstance(given, float) and lowest <= given and (math.isfinite(given) or not finite):
            return _filled(n, given)
        try:
            x = np.array(np.broadcast_to(np.asarray(given, dtype=float), (n,)))
        except (ValueError, TypeError):
            message = f"{name} has {n} values (or one for all); got {given!r}"
        else:
            x.setflags(write=False)
            if not np.isnan(x).any() and (x >= lowest).all() and (np.isfinite(x).all() or not finite):
                return x
            wanted = [*(["finite"] if finite else []), *(["not negative"] if lowest == 0 else [])]
            message = f"{name} must be {' and '.join(wanted) or 'a number'}; got {given!r}"
        problems.append(_at(spec.place, f"joint {spec.name!r}: {message}"))
        return default

    nq, nv = motion.nq, motion.nv
    lower = values("lower", nq, _filled(nq, -np.inf), finite=False)
    upper = values("upper", nq, _filled(nq, np.inf), finite=False)
    if (lower > upper).any():
        problems.append(
            _at(spec.place, f"joint {spec.name!r}: the lower limit {spec.lower} exceeds the upper limit {spec.upper}")
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
        rest=values("rest", nq, motion.neutral),
        damping=values("damping", nv, _filled(nv, 0.0), 0.0),
        friction=values("friction", nv, _filled(nv, 0.0), 0.0),
        armature=values("armature", nv, _filled(nv, 0.0), 0.0),
    )


MAY_BE_SYMBOLS = ("stiffness", "rest", "damping", "friction", "armature")
"""What of a joint no decision depends on."""


@lru_cache(maxsize=4096)
def _filled(n: int, value: float) -> Array:
    """n times the value; shared, so not to be written."""
    x = np.full(n, value)
    x.setflags(write=False)
    return x


def _model(description: Description, order: list[JointSpec], joints: list[Joint]) -> Model:
    """Lay the tree out; everything is known to be right."""
    bodies = {body.name: body for body in description.bodies}
    where: dict[str, tuple[int, Array]] = {
        WORLD: (-1, np.eye(4))
    }  # link -> moving body, its pose in that body's file frame
    turned: list[Array] = []  # file axes of each moving body in its canonical ones, as a pose
    links: list[tuple[int, JointType, Array, Array]] = []
    inertias: dict[int, RigidInertia] = {-1: NO_INERTIA}
    merged: dict[int, list[str]] = {-1: []}
    named = {joint.name: joint for joint in joints}

    def canonical(k: int, T: Array) -> Array:
        return _snapped(turned[k] @ T if k >= 0 else T)

    for spec in order:
        body, offset = where[spec.parent]
        offset = offset @ spec.placement
        if spec.motion is None:
            offset = _snapped(offset)
        else:
            turn = spec.axes
            placement = canonical(body, offset @ turn)
            links.append((body, spec.motion, placement, named[spec.name].armature))
            body, offset = len(links) - 1, np.eye(4)
            turned.append(inverse_pose(turn))
            merged[body] = []
        where[spec.child] = (body, offset)
        one = bodies[spec.child]
        inertia = _rigid(one)
        inertias[body] = inertia if spec.motion is not None else inertias[body] + inertia.moved(offset)
        merged[body].append(spec.child)

    numbers = {joint.name: k for k, joint in enumerate(joints)}
    moving = [spec for spec in order if spec.motion is not None]
    for k, spec in enumerate(moving):
        mimic = spec.mimic
        coupling = None if mimic is None else Coupling(numbers[mimic.joint], mimic.multiplier, mimic.offset)
        parent = links[k][0]
        parent_name = moving[parent].child if parent >= 0 else WORLD
        joints[k] = replace(joints[k], parent=parent_name, coupling=coupling)

    frames = {WORLD: Frame(-1, np.eye(4))}
    for name, (k, offset) in where.items():
        frames[name] = Frame(k, canonical(k, offset))
    for frame in description.frames:
        k, offset = where[frame.body]
        frames[frame.name] = Frame(k, canonical(k, offset @ frame.placement))

    gravity = np.array(description.gravity, dtype=float)
    gravity.setflags(write=False)
    model = Model(
        name=printable(description.name, keep=""),
        joints=tuple(joints),
        bodies=tuple(public_body(spec.child, inertias[k], tuple(merged[k])) for k, spec in enumerate(moving)),
        links=tuple(
            Link(parent, motion, placement, inertias[k].moved(turned[k]), armature)
            for k, (parent, motion, placement, armature) in enumerate(links)
        ),
        frames=MappingProxyType(frames),
        gravity=gravity,
        welded=inertias[-1],
        loops=description.loops,
        springs=description.springs,
        description=description,
    )
    return _with_lengths(model)


def _rigid(body: BodySpec) -> RigidInertia:
    """Of numbers or symbols."""
    m, c, I = (x if is_symbolic(x) else np.asarray(x, float) for x in _values(body))
    return rigid_inertia(m if is_symbolic(m) else float(m), np.asarray(c), np.asarray(I))


def _snapped(T: Array) -> Array:
    """A pose whose rotation has its zeros and ones exact."""
    T = T.copy()
    T[:3, :3] = snap(T[:3, :3])
    return T


def described(model: Model) -> Description:
    """What to go on from: the model's description, with what the model itself says now."""
    model.require_physical("a description")
    joints = {joint.name: joint for joint in model.joints}
    specs = tuple(
        replace(spec, **{of: getattr(joints[spec.name], of) for of in (*PER_COORDINATE, *PER_VELOCITY)})
        if spec.name in joints
        else spec
        for spec in model.description.joints
    )
    x, y, z = map(float, model.gravity)
    return replace(
        model.description, name=model.name, joints=specs, loops=model.loops, springs=model.springs, gravity=(x, y, z)
    )
