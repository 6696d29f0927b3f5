"""Implementation of the methods of `methods.py` that change or add one part of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError, listed
from linkwright.model.build.assembly import assemble, described
from linkwright.model.build.builder import Builder, inertia_of, mass_of
from linkwright.model.build.description import WORLD, BodySpec, Description, JointSpec
from linkwright.model.elements import PER_COORDINATE
from linkwright.model.joints.joint import Compound
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.parts.actuator import Actuator
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.sensor import Sensor
from linkwright.model.parts.spring import Spring
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, entries, is_symbolic

NO_LIMIT = {"lower": -np.inf, "upper": np.inf, "velocity_limit": np.inf, "effort_limit": np.inf}


def remade(model: Model, description: Description) -> Model:
    """Return the model of a changed description; remarks on unchanged bodies are not repeated."""
    return assemble(description, known=model.description.bodies)


def with_body(model: Model, name: str, mass: Any, center_of_mass: Any, inertia: Any) -> Model:
    """See :meth:`Model.with_body`."""
    description = described(model)
    link = link_of(description, name)
    body = next((one for one in model.bodies if one.name == name), None)
    if body is None:
        carrier = next((f"body {one.name!r}" for one in model.bodies if name in one.links), "the world")
        raise ModelError(
            f"{name!r} is a link welded to {carrier}, not a moving body: with_link({name!r}, …) changes one "
            "link, with_body(…) a moving body with all links welded to it"
        )
    welded = set(body.links) - {name}
    if welded:
        link = replace(link, mass=body.mass, center_of_mass=body.center_of_mass, inertia=body.inertia)
    changed = _with_inertia(link, f"body {name!r}", mass, center_of_mass, inertia)
    bodies = tuple(
        changed if one.name == name else BodySpec(one.name) if one.name in welded else one for one in description.bodies
    )
    return remade(model, replace(description, bodies=bodies))


def with_link(model: Model, name: str, mass: Any, center_of_mass: Any, inertia: Any) -> Model:
    """See :meth:`Model.with_link`."""
    description = described(model)
    link = link_of(description, name)
    changed = _with_inertia(link, f"link {name!r}", mass, center_of_mass, inertia)
    return remade(model, replace(description, bodies=tuple(changed if x is link else x for x in description.bodies)))


def _with_inertia(link: BodySpec, who: str, mass: Any, center_of_mass: Any, inertia: Any) -> BodySpec:
    """Return the link with the given inertial parameters (those that are not ...)."""
    changes: dict[str, Any] = {}
    if mass is not ...:
        changes["mass"] = mass_of(who, mass)
    if center_of_mass is not ...:
        changes["center_of_mass"] = entries(f"the center of mass of {who}", center_of_mass, (3,))
    if inertia is not ...:
        changes["inertia"] = inertia_of(who, inertia)
    return replace(link, **changes, place="", inertia_place="")


def with_scaled_masses(model: Model, factor: Any) -> Model:
    """See :meth:`Model.with_scaled_masses`."""
    scale = entries("the factor of the masses", factor, ()).item()
    if not is_symbolic(scale) and scale <= 0.0:
        raise InputError(f"the factor of the masses must be above zero; got {scale:g}")
    description = described(model)
    bodies = tuple(replace(one, mass=scale * one.mass, inertia=scale * one.inertia) for one in description.bodies)
    return assemble(replace(description, bodies=bodies), known=bodies)


def link_of(description: Description, name: str) -> BodySpec:
    """Return the link of a name."""
    for body in description.bodies:
        if body.name == name:
            return body
    raise UnknownNameError("body", name, [body.name for body in description.bodies])


def with_joint(model: Model, name: str, values: Mapping[str, Any]) -> Model:
    """See :meth:`Model.with_joint`."""
    joint = model.joint(name)
    number, places = model.place(name)
    whole = model.joints[number]
    changes: dict[str, Any] = {}
    for of, given in values.items():
        value = NO_LIMIT.get(of) if given is None else given
        if value is None:
            value = {"rest": joint.neutral, "neutral": joint.motion.neutral}.get(of, 0.0)
        if whole.name != joint.name:  # part of a compound joint
            n = len(getattr(joint, of))
            part = entries(f"joint {name!r}: {of}", value, (), (n,), infinite=True)
            place = places.q if of in PER_COORDINATE else places.v
            old = getattr(whole, of)
            value = np.concatenate([old[: place.start], np.broadcast_to(part, (n,)), old[place.stop :]])
        changes[of] = value
    description = described(model)
    joints = tuple(
        replace(spec, **changes, place="") if spec.name == whole.name else spec for spec in description.joints
    )
    return remade(model, replace(description, joints=joints))


def with_payload(model: Model, frame: str, mass: Any, center_of_mass: Any, inertia: Any, name: str) -> Model:
    """See :meth:`Model.with_payload`."""
    body, placement = place_of(model, frame)
    if name in model.frames:
        raise ModelError(f"{model.name!r} has a link or frame {name!r} already: give the payload another name (name=…)")
    weld = described(model).free_joint_name(f"{name}_weld")
    added = Builder(model).body(name, mass, center_of_mass, inertia)
    return remade(model, added.joint(weld, "fixed", body, name, placement=placement).describe())


def with_frame(model: Model, name: str, body: str, where: Mapping[str, Any]) -> Model:
    """See :meth:`Model.with_frame`."""
    return remade(model, Builder(model).frame(name, body, **where).describe())


def with_loop(model: Model, name: str, type: str, first: str, second: str | None, options: Mapping[str, Any]) -> Model:
    """See :meth:`Model.with_loop`."""
    return remade(model, Builder(model).loop(name, type, first, second, **options).describe())


def without_loop(model: Model, name: str) -> Model:
    """See :meth:`Model.without_loop`."""
    description = described(model)
    names = [loop.name for loop in description.loops]
    if name not in names:
        raise UnknownNameError("loop", name, names)
    return remade(model, replace(description, loops=tuple(loop for loop in description.loops if loop.name != name)))


def place_of(model: Model, frame: str) -> tuple[str, Array]:
    """Return the link of a frame, or "world", and the frame's pose (4, 4) there."""
    model.frame(frame)
    for one in model.description.frames:
        if one.name == frame:
            return one.body, one.placement
    return frame, np.eye(4)


def with_actuators(model: Model, *actuators: Actuator) -> Model:
    """See :meth:`Model.with_actuators`."""
    for one in actuators:
        if not isinstance(one, Actuator):
            raise ArgumentError(f"with_actuators takes lw.Actuator(…); got {one!r}")
    return remade(model, replace(described(model), actuators=actuators))


def with_sensors(model: Model, *sensors: Sensor) -> Model:
    """See :meth:`Model.with_sensors`."""
    for one in sensors:
        if not isinstance(one, Sensor):
            raise ArgumentError(f"with_sensors takes lw.Sensor(…); got {one!r}")
    names = Counter(one.name for one in sensors)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ModelError(f"sensors of one name: {', '.join(map(repr, twice))}; readings are by name")
    made = remade(model, replace(described(model), sensors=sensors))
    if lost := [one for one in sensors if one not in made.sensors]:
        raise ModelError(f"sensor {lost[0].name!r}: {model.name!r} has no {lost[0].target!r} for {lost[0].type!r}")
    return made


def append(model: Model, other: Model, frame: str, prefix: str) -> Model:
    """See :meth:`Model.append`."""
    require_model(other, "append", "other")
    if not isinstance(prefix, str):
        raise ArgumentError(f"the prefix of names is text; got {prefix!r}")
    body, placement = place_of(model, frame)
    own, added = described(model), renamed(described(other.physical or other), lambda name: prefix + name)
    _require_new(own, added, prefix)
    joints = tuple(
        replace(one, parent=body, placement=placement @ one.placement) if one.parent == WORLD else one
        for one in added.joints
    )
    frames = tuple(
        replace(one, body=body, placement=placement @ one.placement) if one.body == WORLD else one
        for one in added.frames
    )
    loops = tuple(
        one
        if isinstance(one, CoordinateLoop)
        else replace(
            one,
            first=frame if one.first == WORLD else one.first,
            second=frame if one.second == WORLD else one.second,
        )
        for one in added.loops
    )
    springs = tuple(one.renamed(str, lambda end: frame if end == WORLD else end) for one in added.springs)
    shapes = tuple(
        replace(one, body=body, placement=placement @ one.placement) if one.body == WORLD else one
        for one in added.shapes
    )
    count = len(own.shapes)

    def behind(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
        return tuple(replace(one, first=one.first + count, second=one.second + count) for one in pairs)

    excluded = tuple((body if a == WORLD else a, body if b == WORLD else b) for a, b in added.excluded)
    whole = replace(
        own,
        bodies=own.bodies + added.bodies,
        joints=own.joints + joints,
        frames=own.frames + frames,
        loops=own.loops + loops,
        springs=own.springs + springs,
        actuators=own.actuators + added.actuators,
        sensors=own.sensors + added.sensors,
        shapes=own.shapes + shapes,
        pairs=own.pairs + behind(added.pairs),
        listed_pairs=own.listed_pairs + behind(added.listed_pairs),
        excluded=own.excluded + excluded,
    )
    return assemble(whole, known=(*own.bodies, *added.bodies))


def _require_new(own: Description, added: Description, prefix: str) -> None:
    """Raise an error if both descriptions have a name in common."""

    def names(one: Description) -> dict[str, set[str]]:
        return {
            "body or frame": {x.name for x in one.bodies} | {x.name for x in one.frames},
            "joint": {x.name for x in one.joints},
            "loop": {x.name for x in one.loops},
            "spring": {x.name for x in one.springs},
            "actuator": {x.name for x in one.actuators},
            "sensor": {x.name for x in one.sensors},
        }

    ours, theirs = names(own), names(added)
    twice = [f"{what} {name!r}" for what in ours for name in sorted(ours[what] & theirs[what])]
    if twice:
        another = "another prefix" if prefix else "a prefix, as prefix='left_'"
        raise ModelError(f"{own.name!r} and {added.name!r} both have {listed(tuple(twice), 'names')}; give {another}")


def renamed(description: Description, change: Callable[[str], str]) -> Description:
    """Return the description with all names changed, except those of the world and of the description."""

    def name(old: str) -> str:
        return old if old == WORLD else change(old)

    def joint(one: JointSpec) -> JointSpec:
        return replace(
            one,
            name=change(one.name),
            parent=name(one.parent),
            child=name(one.child),
            motion=_with_part_names(one.motion, change),
            mimic=one.mimic and replace(one.mimic, joint=change(one.mimic.joint)),
        )

    joints = tuple(map(joint, description.joints))
    coordinates = {"": ""}
    for before, after in zip(description.joints, joints, strict=True):
        coordinates |= dict(zip(_coordinates(before), _coordinates(after), strict=True))

    def loop(one: Loop | CoordinateLoop) -> Loop | CoordinateLoop:
        if isinstance(one, CoordinateLoop):
            others = tuple((coordinates[other], factor) for other, factor in one.others)
            first, second = coordinates[one.first], coordinates[one.second]
            return replace(one, name=change(one.name), others=others, first=first, second=second)
        return replace(one, name=change(one.name), first=name(one.first), second=name(one.second))

    def spring(one: Spring) -> Spring:
        return one.renamed(change, name)

    return replace(
        description,
        bodies=tuple(replace(one, name=change(one.name)) for one in description.bodies),
        joints=joints,
        frames=tuple(replace(one, name=change(one.name), body=name(one.body)) for one in description.frames),
        loops=tuple(map(loop, description.loops)),
        springs=tuple(map(spring, description.springs)),
        actuators=tuple(one.renamed(change, name) for one in description.actuators),
        sensors=tuple(one.renamed(change, name) for one in description.sensors),
        shapes=tuple(replace(one, body=name(one.body)) for one in description.shapes),
        excluded=tuple((name(a), name(b)) for a, b in description.excluded),
    )


def _coordinates(joint: JointSpec) -> list[str]:
    """Return the names of a joint's coordinates."""
    names = joint.motion.coordinate_names if joint.motion else ()
    return [f"{joint.name}.{name}" if name else joint.name for name in names]


def _with_part_names(motion: JointType | None, change: Callable[[str], str]) -> JointType | None:
    """Return a joint type with changed names of its parts, which are names of joints in files."""
    if type(motion) is not Compound:
        return motion
    return replace(motion, parts=tuple(replace(part, name=part.name and change(part.name)) for part in motion.parts))
