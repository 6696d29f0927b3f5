"""Which numbers of a mechanism are names in its equations, and what the others are exactly.

A :class:`DerivationPlan` is made once; :func:`~linkwright.symbolic.derivation.realization.realized` makes of it the
model on any kind of number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linkwright.bounds import between
from linkwright.dynamics.closed_loops.rows import loop_ends
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.expression.exact_numbers import rounded
from linkwright.expression.graph import Expr
from linkwright.model.elements import Joint
from linkwright.model.joints.joint import Helical
from linkwright.model.joints.joint_type import JointType
from linkwright.model.joints.loop import CoordinateLoop, HelicalPair, Loop
from linkwright.model.tree import Model
from linkwright.provided import numbers_of_sympy
from linkwright.spatial.arrays import Array, is_finite_number
from linkwright.spatial.inertia import about_center_of_mass
from linkwright.symbolic.derivation.exact_rotations import (
    STEP,
    ZERO,
    Surd,
    exact_rotation,
    factors_of_rotation,
    number,
)
from linkwright.symbolic.derivation.formulas import Formulas, Make, exact_number, intended
from linkwright.symbolic.derivation.total_mass import letter_of_mass

GROUPS = {
    "geometry": ("numbers", "symbols"),
    "inertial": ("numbers", "symbols", "all"),
    "gravity": ("numbers", "symbols"),
    "passive": ("numbers", "symbols"),
}
AXES = "xyz"
ROUNDING = 1e-13
"""Entries below this share of the largest in an array are rounding of zero."""


class Entry(NamedTuple):
    """A number in the plan: a coefficient, times a named parameter if there is one, or an expression of symbols."""

    coefficient: Surd = ZERO
    name: str = ""
    formula: Expr | None = None


def entry_of(x: float) -> Entry:
    """Return the entry of a number."""
    exact, power = exact_number(x)
    return Entry(exact, ("", "pi", "1/pi")[power]) if abs(power) <= 1 else Entry(number(x))


class Turn(NamedTuple):
    """A turn about a coordinate axis by a named angle."""

    axis: int
    angle: Entry


class LinkPlan(NamedTuple):
    """One body and its joint."""

    rotation: list[np.ndarray | Turn]
    """of the placement, a product: (3, 3) of surds, and turns by named angles"""
    position: list[Entry]
    mass: Entry
    center: list[Entry]
    """the center of mass where ``planar``, else the first moment"""
    inertia: list[list[Entry]]
    """about the center of mass where ``planar``, else about the origin"""
    armature: list[Entry]
    motion: JointType
    pitch: Entry


class PassivePlan(NamedTuple):
    """The damper, the Coulomb friction and the spring of one joint, per velocity coordinate."""

    damping: list[Entry]
    friction: list[Entry]
    stiffness: list[Entry]
    rest: list[Entry]
    """per position coordinate"""


class FramePlan(NamedTuple):
    """A frame on a body, in the body's axes."""

    body: int
    rotation: list[np.ndarray | Turn]
    """a product as of links"""
    position: list[Entry]


class LoopPlan(NamedTuple):
    """A closed loop between two frames."""

    loop: Loop
    first: FramePlan
    second: FramePlan
    pitch: Entry


@dataclass
class DerivationPlan:
    """Choice of exact numbers and named parameters."""

    model: Model
    angle_tolerance: float
    links: list[LinkPlan] = field(default_factory=list)
    gravity: list[Entry] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    """of the named parameters, as the model has them, at 15 digits"""
    meanings: dict[str, str] = field(default_factory=dict)
    loops: list[LoopPlan | CoordinateLoop] = field(default_factory=list)
    passive: list[PassivePlan] = field(default_factory=list)
    angle_names: list[str] = field(default_factory=list)
    """the named parameters that turn placements, which enter by their cosines and sines"""
    passive_names: set[str] = field(default_factory=set)
    """the named parameters of friction and springs, which M, h and g do not have"""
    snapped: list[str] = field(default_factory=list)
    planar: bool = False
    choice: Mapping[str, str] = field(default_factory=dict)
    """what each group of parameters is"""
    given: Mapping[str, float] = field(default_factory=dict)
    """parameters that are numbers by name"""
    tolerance: float = ROUNDING
    """entries below this share of the largest in an array are zero"""
    kept_names: set[str] = field(default_factory=set)
    """requested parameters, which are named even if nothing depends on them"""
    frames: dict[str, FramePlan] = field(default_factory=dict)
    """requested frames"""
    source: Model | None = None
    """the model with symbols, if it has symbols"""
    formulas: Formulas | None = None
    """evaluation of the expressions of its symbols"""
    inertial_names: frozenset[str] | None = None
    """symbols of masses, inertias and stiffnesses, by which equations are grouped; None of a model of numbers"""
    shared_names: set[str] = field(default_factory=set)
    """symbols of friction and springs that M, h and g have, too"""

    @property
    def mass_letter(self) -> str:
        """The letter of the total mass."""
        return letter_of_mass(self.values)

    @property
    def rigid_names(self) -> list[str]:
        """The named parameters of geometry, inertia and gravity."""
        return [name for name in self.values if name not in self.passive_names or name in self.shared_names]

    def value(self, entry: Entry, make: Make) -> Any:
        """Return an entry on the numbers ``make(coefficient, name)``; a name "" is the number itself."""
        if entry.formula is not None:
            assert self.formulas is not None
            return self.formulas.value(entry.formula, make)
        return 0.0 if entry.coefficient == ZERO else make(entry.coefficient, entry.name)


def plan_of(
    model: Model, parameters: str | Mapping[str, Any], angle_tolerance: float, linear: bool = False
) -> DerivationPlan:
    """Decide for every number of the model whether it is a name, a zero or an exact number.

    ``parameters``: "numbers", "symbols", or {group: "numbers" | "symbols", name: number}; the groups are
    geometry, inertial (there "all" names vanishing parameters too), gravity and passive (dampers, friction,
    springs); what is not mentioned is symbols. ``linear``: inertias at the joint in mechanisms of a plane too.
    """
    model = model.physical or model
    between("angle_tolerance", angle_tolerance, 0.0, 0.1, "rad")
    choice, given = choice_of(parameters)
    plan = DerivationPlan(model, angle_tolerance, choice=choice, given=given)
    namer = _Namer(plan)
    rotations = [namer.placement(k) for k in range(len(model.joints))]
    plan.tolerance = tolerance = 2.0 * angle_tolerance if plan.snapped else ROUNDING
    normals = None if linear or choice["inertial"] == "all" else _plane_normals(model, tolerance)
    plan.planar = normals is not None
    plan.gravity = namer.gravity(tolerance)
    for k, link in enumerate(model.links):
        motion, pitch = _exact_motion(plan, model.joints[k], namer, k)
        if normals is None:
            mass, center, inertia = namer.general(k, tolerance)
        else:
            mass, center, inertia = namer.planar(k, normals[k], tolerance)
        own = namer.per_coordinate(k, "Ia", "inertial", "reflected rotor inertia", model.joints[k].armature)
        position = namer.position(k, link.parent, placement_of(model, k)[:3, 3], tolerance)
        plan.links.append(LinkPlan(rotations[k], position, mass, center, inertia, own, motion, pitch))
        plan.passive.append(namer.passive(k))
    plan.loops = [
        namer.loop(str(k), loop, tolerance) if isinstance(loop, Loop) else loop
        for k, loop in enumerate(model.loops, start=1)
    ]
    if unused := [name for name in given if name not in namer.used]:
        of_frames = [name for frame in model.frames for name in _frame_names(model, frame)]
        if unknown := [name for name in unused if name not in of_frames]:
            raise UnknownNameError("parameter", unknown[0], [*GROUPS, *namer.used, *of_frames])
    plan.values = sorted_names(plan.values)
    return plan


FAMILIES = ("m", "g", "l", "lg", "pitch", "alpha", "I", "b", "mu", "k", "rest")
"""Prefixes of names, in the order of parameters: masses first, by which printed equations are grouped."""


def sorted_names(values: Mapping[str, float]) -> dict[str, float]:
    """By family: the last that the name begins with, for lg2 is no length of the geometry."""
    family = {name: max(k for k, start in enumerate(FAMILIES) if name.startswith(start)) for name in values}
    return dict(sorted(values.items(), key=lambda item: family[item[0]]))


def with_frame(plan: DerivationPlan, name: str) -> DerivationPlan:
    """The plan with a frame in it too: the lengths to the frame from its body's joint are its last parameters."""
    if name in plan.frames:
        return plan
    model = plan.model
    place = model.frame(name)
    plan = replace(
        plan,
        values=dict(plan.values),
        meanings=dict(plan.meanings),
        angle_names=list(plan.angle_names),
        snapped=list(plan.snapped),
    )
    p = cleaned(place.placement[:3, 3], plan.tolerance)
    names, where = _frame_names(model, name), _body_name(model, place.body)
    along = names[1:] if np.count_nonzero(p) > 1 else names[:1] * 3
    namer = _Namer(plan)
    position = [
        namer.distance(_free(plan, own), x, f"from {where} to frame {name}", f"{axis} of the first, m")
        for own, axis, x in zip(along, AXES, p, strict=True)
    ]
    rotation = namer.rotation(place.placement, (f"alpha{place.body + 1}", _tag(name)), f"frame {name!r}")
    plan.frames = {**plan.frames, name: FramePlan(place.body, rotation, position)}
    return plan


def _frame_names(model: Model, name: str) -> list[str]:
    """Return the name of the distance to a frame, and of its components: l2 on the last link, otherwise l1_tool."""
    body = model.frame(name).body
    alone = body >= 0 and all(link.parent != body for link in model.links)
    tag = "" if alone else _tag(name)
    return [f"l{body + 1}{axis}{tag}" for axis in ("", *AXES)]


def _tag(name: str) -> str:
    """A frame's name behind those of its lengths."""
    return "_" + re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")


def _free(plan: DerivationPlan, name: str) -> str:
    while name in plan.values:
        name += "_"
    return name


def _body_name(model: Model, body: int) -> str:
    return f"{model.bodies[body].name}'s joint" if body >= 0 else "the world"


def choice_of(parameters: str | Mapping[str, Any]) -> tuple[dict[str, str], dict[str, float]]:
    """Return the choice for each group, and the numbers of named parameters."""
    if isinstance(parameters, str):
        if parameters not in ("numbers", "symbols"):
            raise InputError(f"parameters is {parameters!r}; it may be 'numbers', 'symbols' or a dict")
        return dict.fromkeys(GROUPS, parameters), {}
    if not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters is 'numbers', 'symbols' or a dict; got {parameters!r}")
    choice, given = dict.fromkeys(GROUPS, "symbols"), {}
    for key, value in parameters.items():
        if key in GROUPS:
            if value not in GROUPS[key]:
                raise InputError(f"parameters of {key!r} may be {', '.join(map(repr, GROUPS[key]))}; got {value!r}")
            choice[key] = value
        elif is_finite_number(number := numbers_of_sympy(value)) and not isinstance(value, bool):
            given[str(key).removesuffix("[]")] = float(number)
        else:
            groups = f" (words are values of {', '.join(GROUPS)})" if isinstance(value, str) else ""
            raise InputError(f"the value of parameter {str(key)!r} must be a finite real number{groups}; got {value!r}")
    return choice, given


NOT_NEGATIVE = re.compile(r"(m|I|Ia|Ixx|Iyy|Izz|b|mu|k)\d")
"""Names of masses, moments of inertia, damping, friction and stiffness."""


class _Namer:
    """Makes entries, and notes the names it gave."""

    def __init__(self, plan: DerivationPlan):
        self.plan, self.choice, self.given = plan, plan.choice, plan.given
        self.used: list[str] = []

    def entry(self, group: str, name: str, value: float, meaning: str, sign: int = 1) -> Entry:
        """``value``, or sign · name with that value; what vanishes is zero."""
        value = intended(value)  # 0.1, where moving axes made 0.09999999999999998 of it
        self.used.append(name)
        if name in self.given:
            if self.given[name] < 0.0 <= value and NOT_NEGATIVE.match(name):
                raise InputError(f"parameter {name!r} ({meaning}) cannot be negative; got {self.given[name]:g}")
            return entry_of(sign * self.given[name])
        if self.choice[group] == "numbers" or (value == 0.0 and self.choice[group] != "all"):
            return entry_of(value)
        self.plan.values[name], self.plan.meanings[name] = sign * value, meaning
        if group == "passive":
            self.plan.passive_names.add(name)
        if self.choice[group] == "all":
            self.plan.kept_names.add(name)
        return Entry(Surd(Fraction(sign)), name)

    def distance(self, name: str, value: float, meaning: str, axis: str, group: str = "geometry") -> Entry:
        """The entry of a distance along an axis: its name is of a positive length, the sign is the equations'."""
        if value == 0.0:
            return Entry()
        back = "-" if value < 0.0 else ""
        return self.entry(group, name, value, f"{meaning} along {back}{axis}", -1 if back else 1)

    def per_coordinate(self, k: int, start: str, group: str, what: str, x: Array) -> list[Entry]:
        """One entry for each coordinate of joint k: start1, or start1a, start1b, … where there are several."""
        letters = [""] if len(x) == 1 else "abcdefghij" if len(x) <= 10 else [f"_{i}" for i in range(len(x))]
        meaning = f"{what} of {self.plan.model.joints[k].name}"
        return [
            self.entry(group, f"{start}{k + 1}{letter}", value, meaning)
            for letter, value in zip(letters, x, strict=False)
        ]

    def passive(self, k: int) -> PassivePlan:
        """Return the entries of a joint's damper, friction and spring; a rest position only with a spring."""
        joint = self.plan.model.joints[k]
        rest = joint.rest if joint.stiffness.any() and not joint.motion.quaternions else np.zeros(joint.motion.nq)
        return PassivePlan(
            self.per_coordinate(k, "b", "passive", "viscous damping", joint.damping),
            self.per_coordinate(k, "mu", "passive", "Coulomb friction", joint.friction),
            self.per_coordinate(k, "k", "passive", "spring stiffness", joint.stiffness),
            self.per_coordinate(k, "rest", "passive", "where the spring is relaxed", rest),
        )

    def gravity(self, tolerance: float) -> list[Entry]:
        g = cleaned(self.plan.model.gravity, tolerance)
        where = np.flatnonzero(g)
        if len(where) == 1:
            sign = 1 if g[where[0]] > 0.0 else -1
            return [self.entry("gravity", "g", x, "magnitude of gravity, m/s²", sign) if x else Entry() for x in g]
        return [
            self.entry("gravity", f"g{axis}", x, f"gravity along {axis}, m/s²") if x else Entry()
            for axis, x in zip(AXES, g, strict=True)
        ]

    def placement(self, k: int) -> list[np.ndarray | Turn]:
        """Return the rotation of a joint's placement and, for a mimic joint, that of its offset.

        They are separated if their product is not exact, so that the inexact one gets the name or the error.
        """
        joint, T, names = self.plan.model.joints[k], placement_of(self.plan.model, k), (f"alpha{k + 1}", "")
        where, own = f"the placement of joint {joint.name!r}", self.plan.model.links[k].placement
        if joint.coupling is None or not joint.coupling.offset or np.array_equal(T[:3, :3], own[:3, :3]):
            return self.rotation(T, names, where)
        leader = self.plan.model.joints[joint.coupling.leader].name
        try:
            return [_rotation(self.plan, T, where)]
        except ModelError:
            first = self.rotation(own, names, where)
            offset = joint.motion.transform(np.array([joint.coupling.offset]))
            offset_where = f"the offset {joint.coupling.offset:g} by which joint {joint.name!r} follows {leader!r}"
            return first + self.rotation(offset, names, offset_where)

    def rotation(self, T: Array, names: tuple[str, str], where: str) -> list[np.ndarray | Turn]:
        """Return the rotation of a pose; angles that are no multiples of π/12 are named where the geometry has names.

        ``names``: prefix and suffix of the names, with a letter in between if there are several.
        """
        start, tag = names
        advice = f"geometry as symbols, where such an angle has a name ({start}{tag}), "
        try:
            return [_rotation(self.plan, T, where, advice)]
        except ModelError:
            if self.choice["geometry"] == "numbers" or any(name.startswith(start) for name in self.given):
                raise
        factors = factors_of_rotation(T[:3, :3], max(self.plan.angle_tolerance, 1e-10))
        several = sum(isinstance(factor, tuple) for factor in factors) > 1
        letters = iter("abc" if several else ("",))
        found: list[np.ndarray | Turn] = []
        for factor in factors:
            if isinstance(factor, np.ndarray):
                found.append(factor)
                continue
            axis, angle = factor
            name = _free(self.plan, f"{start}{next(letters)}{tag}")
            near = abs(angle - STEP * round(angle / STEP))
            note = f", {near:.1e} from a multiple of π/12" if near < 0.01 else ""
            meaning = f"turn of {where} about {AXES[axis]}, rad{note}"
            found.append(Turn(axis, self.entry("geometry", name, angle, meaning)))
            self.plan.angle_names.append(name)
        return found

    def position(self, k: int, parent: int, p: Array, tolerance: float) -> list[Entry]:
        siblings = [link for link in self.plan.model.links if link.parent == parent]
        base = f"l{parent + 1}" if len(siblings) == 1 else f"l{parent + 1}_{k + 1}"
        return self._lengths(base, parent, p, self.plan.model.joints[k].name, tolerance)

    def _lengths(self, base: str, body: int, p: Array, where: str, tolerance: float) -> list[Entry]:
        """Return the entries of a position (3,) in a body's frame."""
        p = cleaned(p, tolerance)
        here = self.plan.model.bodies[body].name if body >= 0 else "world"
        several = np.count_nonzero(p) > 1
        return [
            self.distance(
                base + (axis if several else ""), x, f"from {here}'s joint to {where}", f"{axis} of the first, m"
            )
            for axis, x in zip(AXES, p, strict=True)
        ]

    def loop(self, number: str, loop: Loop, tolerance: float) -> LoopPlan:
        """Both ends of a loop: la1 … and lb1 … are where it takes hold."""
        ends = []
        for side, frame in zip("ab", loop_ends(self.plan.model, loop), strict=True):
            where = f"loop {loop.name!r}"
            turns = loop.type != "distance" and (loop.type != "ball" or side == "b")  # else its axes do not matter
            rotation = _rotation(self.plan, frame.placement if turns else np.eye(4), f"an end of {where}")
            position = self._lengths(f"l{side}{number}", frame.body, frame.placement[:3, 3], where, tolerance)
            ends.append(FramePlan(frame.body, [rotation], position))
        pitch = Entry()
        if isinstance(loop.kind, HelicalPair):
            pitch = self.entry("geometry", f"pitch_{number}", loop.kind.pitch, f"of loop {loop.name!r}, m per turn")
        return LoopPlan(loop, ends[0], ends[1], pitch)

    def general(self, k: int, tolerance: float) -> tuple[Entry, list[Entry], list[list[Entry]]]:
        """m, m c and I at the joint, in its axes: linear in the equations."""
        m, h, I = self.plan.model.links[k].rigid_inertia
        h, I = cleaned(h, tolerance), cleaned(I, tolerance)
        n, body = k + 1, self.plan.model.bodies[k].name
        mass = self.entry("inertial", f"m{n}", m, f"mass of {body}, kg")
        moment = [
            self.entry("inertial", f"mc{axis}{n}", x, f"mass of {body} times its center along {axis}, kg m")
            for axis, x in zip(AXES, h, strict=True)
        ]
        made: dict[tuple[int, int], Entry] = {}
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            name = f"I{AXES[i]}{AXES[j]}{n}"
            made[i, j] = made[j, i] = self.entry("inertial", name, I[i, j], f"inertia of {body} at its joint, kg m²")
        return mass, moment, [[made[i, j] for j in range(3)] for i in range(3)]

    def planar(self, k: int, normal: int, tolerance: float) -> tuple[Entry, list[Entry], list[list[Entry]]]:
        """m, the center's place and I about it, in a mechanism that moves in a plane: what is across it is zero."""
        m, c, I = about_center_of_mass(self.plan.model.links[k].rigid_inertia)
        c = cleaned(c, tolerance)
        c[normal] = 0.0
        n, body = k + 1, self.plan.model.bodies[k].name
        several = np.count_nonzero(c) > 1
        mass = self.entry("inertial", f"m{n}", m, f"mass of {body}, kg")
        way = f"from {self.plan.model.joints[k].name} to the center of mass of {body}"
        center = [
            self.distance(f"lg{n}{axis if several else ''}", x, way, f"{axis}, m", "inertial")
            for axis, x in zip(AXES, c, strict=True)
        ]
        error = 4.0 * np.finfo(float).eps * (I[normal, normal] + m * (c @ c))  # of a difference of larger moments
        moment = rounded(float(I[normal, normal]), error)
        about = self.entry("inertial", f"I{n}", moment, f"inertia of {body} about its center of mass, kg m²")
        inertia = [[about if i == j == normal else Entry() for j in range(3)] for i in range(3)]
        return mass, center, inertia


def cleaned(x: Any, tolerance: float) -> Array:
    """Return a copy with small entries, relative to the largest, set to zero."""
    x = np.array(x, dtype=float)
    x[np.abs(x) <= tolerance * np.abs(x).max(initial=0.0)] = 0.0
    return x


def placement_of(model: Model, k: int) -> Array:
    """A joint's placement; a follower's offset is turned into it, for both are moves along the same axis."""
    T = model.links[k].placement
    coupling = model.joints[k].coupling
    if coupling and coupling.offset:
        T = T @ model.joints[k].motion.transform(np.array([coupling.offset]))
    return T


def _rotation(plan: DerivationPlan, T: Array, where: str, advice: str = "") -> np.ndarray:
    exact, error = exact_rotation(T[:3, :3], max(plan.angle_tolerance, 1e-10), where, advice)
    if error > 1e-10:
        plan.snapped.append(f"{where}: angles taken to multiples of π/12, {error:.1e} away")
    return exact


def _exact_motion(plan: DerivationPlan, joint: Joint, namer: _Namer, k: int) -> tuple[JointType, Entry]:
    """The joint type, refused where it cannot be exact, and the pitch of a screw."""
    motion, coupling = joint.motion, joint.coupling
    if coupling and motion.units == ("rad",):
        leader = plan.model.joints[coupling.leader].motion
        if leader.units != ("rad",) or coupling.multiplier != round(coupling.multiplier):
            raise ModelError(
                f"joint {joint.name!r} turns by {coupling.multiplier:g} times the coordinate of "
                f"{plan.model.joints[coupling.leader].name!r}: only whole multiples of angles have exact sines. "
                "Lock one of the two, or describe the faster one as the leader"
            )
    if motion.parts:
        for part in (*(np.array(part.placement) for part in motion.parts), np.array(motion.end)):
            exact_rotation(part[:3, :3], max(plan.angle_tolerance, 1e-10), f"a part of joint {joint.name!r}")
        if any(part.motion.pitch for part in motion.parts):
            raise ModelError(f"joint {joint.name!r} has a screw among its parts; use a separate body for it")
    if isinstance(motion, Helical):
        return motion, namer.entry("geometry", f"pitch{k + 1}", motion.pitch, f"of {joint.name}, m per turn")
    return motion, Entry()


def _plane_normals(model: Model, tolerance: float) -> list[int] | None:
    """The axis of every body's frame that is normal to the plane of motion; None where there is no such plane."""
    if not all(joint.motion.hinge or joint.motion.slide for joint in model.joints):
        return None
    frames: list[Array] = []
    normal: Array | None = None
    for link in model.links:
        parent = np.eye(3) if link.parent < 0 else frames[link.parent]
        frames.append(parent @ link.placement[:3, :3])
        if link.motion.hinge:
            normal = frames[-1][:, 2] if normal is None else normal
    if normal is None:
        return None
    tolerance = max(tolerance, 1e-9)
    found = []
    for R, link in zip(frames, model.links, strict=True):
        along = abs(R[:, 2] @ normal)
        if abs(along - (float(link.motion.hinge))) > tolerance:
            return None
        seen = np.abs(R.T @ normal)
        if seen.max() < 1.0 - tolerance:
            return None
        found.append(int(seen.argmax()))
    return found
