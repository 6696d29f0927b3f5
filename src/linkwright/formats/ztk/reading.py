"""ZTK, the robot files of RoKi (T. Sugihara's Robot Kinetics library): [roki::chain], [roki::link], [roki::motor].

RoKi's keys have RoKi's meaning: a link has its joint and its placement on its parent, by ``frame`` (a rotation
and a position, 3 × 4), ``pos`` with ``att`` or ``rot``, or ``DH`` (a, α, d, θ, modified); the joint moves about or
along z of the link; angles are in degrees. ``inertia`` is about the center of mass in the axes of the link; "auto"
computes it, and COM, from the link's shapes. Conventions:

* A joint has the name of its link. ``hooke`` is universal (z, then y), ``float`` is free, ``breakablefloat`` is fixed,
  as before it breaks.
* Coordinates of revolute, prismatic, cylindrical (displacement, angle) and hooke joints are RoKi's. Spherical and
  float joints have rotation vectors and velocities in the parent's axes in RoKi, and quaternions and
  velocities in body axes here. q and v are in depth-first order of the joints; RoKi's are in the order of links.
* The first link is joined to the world by its joint type; [roki::chain::init] may place it.
* A ``dc`` motor gives its joint the armature gearratio² (rotorinertia + gearinertia), a ``trq`` motor its effort limit.
* ``bind`` welds a link to another at their poses at zero coordinates: it closes a loop.

Everything wrong with a file is reported together, each with file:line:column.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import UnknownNameError
from linkwright.formats.findings import near
from linkwright.formats.solids import together
from linkwright.formats.text_values import WordFindings
from linkwright.formats.xml import read_bytes, shortened
from linkwright.formats.ztk.appearance import shape_of
from linkwright.formats.ztk.shapes import Shapes
from linkwright.formats.ztk.text import Key, ZtkSection, sections
from linkwright.formats.ztk.values import PLACING, ZTKValues
from linkwright.model.build.description import WORLD, BodySpec, Description, JointSpec, motion_of
from linkwright.model.joints.loop import Loop, Weld
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose

JOINT_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "prismatic": "prismatic",
    "cylindrical": "cylindrical",
    "hooke": "universal",
    "spherical": "spherical",
    "planar": "planar",
    "float": "free",
    "breakablefloat": "fixed",
}
"""Joint types of RoKi, with the names in this library."""

PER_COORDINATE = ("min", "max", "stiffness", "viscosity", "coulomb", "staticfriction")

JOINT_KEYS = {
    **dict.fromkeys(("revolute", "prismatic", "cylindrical", "hooke"), ("dis", *PER_COORDINATE, "motor")),
    **dict.fromkeys(("planar", "float"), ("dis",)),
    "spherical": ("dis", "motor"),
    "breakablefloat": ("dis", "forcethreshold", "torquethreshold"),
    "fixed": (),
}
"""Keys of a joint by type."""

LINK_KEYS = ("name", "jointtype", "mass", "density", "stuff", "COM", "inertia", *PLACING, "shape", "parent", "bind")
SEVERAL = ("rot", "shape")
"""Keys that a link may have more than once."""

MOTOR_KEYS: dict[str, dict[str, float | None]] = {
    "dc": {
        "motorconstant": None,
        "admittance": None,
        "maxvoltage": None,
        "minvoltage": None,
        "gearratio": 120.0,
        "rotorinertia": 1.65e-6,
        "gearinertia": 5.38e-6,
        "compk": None,
        "compl": None,
    },
    "trq": {"max": np.inf, "min": -np.inf},
    "none": {},
}
"""Keys of a motor by type, with RoKi's defaults of those that are used."""

READ = ("roki::chain", "roki::link", "roki::motor", "roki::chain::init", "zeo::shape")
SKIPPED = ("zeo::optic", "zeo::texture", "zeo::camera", "zeo::light", "roki::chain::ik", "roki::contact")
"""Sections that are known and ignored."""

INFINITE = ("inf", "+inf", "-inf")


@dataclass
class Motor:
    """Effect of a motor on its joint."""

    armature: float = 0.0
    """kg m² (kg for a slide)"""
    effort_limit: float | None = None


def read_ztk(path: str | os.PathLike[str], root: str | None = None) -> Model:
    """Read a model from a ZTK file; ``root="free"`` makes the first link float if the file fixes it.

    Raises :class:`FormatError` with all problems, and issues one :class:`FormatWarning` with ignored and repaired
    elements.
    """
    return parse_ztk(read_bytes(path), root, os.fspath(path), Path(path).stem)


def parse_ztk(text: str | bytes, root: str | None = None, place: str = "<text>", name: str = "robot") -> Model:
    """Read a model as :func:`read_ztk` from the text.

    ``place`` is the name of the file in messages, ``name`` the default name of the robot.
    """
    reader = _ZtkReader(place)
    return reader.assembled(reader.chain(sections(text, reader), name), root)


class _ZtkReader(WordFindings):
    """Reader of a file, with its problems."""

    def __init__(self, file: str):
        super().__init__(file)
        self.values = ZTKValues(self)
        self.motors: dict[str, Motor] = {}
        self.links: dict[str, ZtkSection] = {}

    def chain(self, found: list[ZtkSection], name: str) -> Description:
        """Read the whole file."""
        by_tag: dict[str, list[ZtkSection]] = {tag: [] for tag in READ}
        for section in found:
            if section.tag in by_tag:
                by_tag[section.tag].append(section)
            elif section.tag not in SKIPPED:
                hint = near(section.tag, (*READ, *SKIPPED))
                self.remark(section, f"[{shortened(section.tag)}] is not a section that is read{hint}; it is ignored")
        name = self.chain_name(by_tag["roki::chain"], name)
        for section in by_tag["roki::motor"]:
            self.motor(section)
        shapes = Shapes(self, by_tag["zeo::shape"])
        for section in by_tag["roki::link"]:
            self.register(section)
        if not by_tag["roki::link"] and not self.problems:
            self.problems.append(f"{self.file}: the robot has no [roki::link]")
        bodies, joints = [], []
        looks: list[Shape] = []
        for link, section in self.links.items():
            self.owner = f"link {link!r}"
            self.check_keys(section)
            bodies.append(self.body(link, section, shapes))
            looks += self.looks(link, section, shapes)
            joints.append(self.joint(link, section))
        self.owner = ""
        joints = self.rooted(joints)
        joints = self.initial(by_tag["roki::chain::init"], joints)
        loops = self.loops({joint.child: joint for joint in joints})
        return Description(name, tuple(bodies), tuple(joints), (), tuple(loops), shapes=tuple(looks))

    def chain_name(self, found: list[ZtkSection], name: str) -> str:
        for section in found[1:]:
            self.problem(section, f"a second [roki::chain] (the first is in line {found[0].line}); expected one")
        key = found[0].get("name") if found else None
        return (self.values.word(key) if key else None) or name

    def register(self, section: ZtkSection) -> None:
        """Store the name of a link."""
        name = self.values.name(section, "link")
        if name in self.links:
            first = self.links[name].line
            self.problem(section, f"a second link is named {shortened(name)!r} (the first is in line {first})")
        elif name:
            self.links[name] = section

    def check_keys(self, section: ZtkSection) -> None:
        """Report unknown and repeated keys."""
        kind = self.kind(section)
        own = JOINT_KEYS[kind]
        every = tuple({key for keys in JOINT_KEYS.values() for key in keys})
        first: dict[str, int] = {}
        for key in section.keys:
            if key.name in first and key.name not in SEVERAL:
                self.problem(key, f"a second {key.name} (the first is in line {first[key.name]}); expected one")
            first.setdefault(key.name, key.line)
            if key.name in every and key.name not in own:
                self.remark(key, f"a {kind} joint has no {key.name}; it is ignored", self.owner)
            elif key.name not in LINK_KEYS + own:
                hint = near(key.name, LINK_KEYS + own)
                self.remark(key, f"{shortened(key.name)!r} is not a key of a link{hint}; it is ignored", self.owner)
            elif key.name == "staticfriction" and any(value.text.strip("0.") for value in key.values):
                self.remark(key, "staticfriction is not used: friction is coulomb's", self.owner)
            elif key.name in ("forcethreshold", "torquethreshold"):
                self.remark(key, "a breakablefloat is read as fixed: it has not broken", self.owner)

    # links

    def body(self, name: str, section: ZtkSection, shapes: Shapes) -> BodySpec:
        """Return mass, center of mass and inertia about it, by RoKi's rules."""
        given = {what: section.get(what) for what in ("mass", "density", "COM", "inertia")}
        auto = {what: key is not None and key.text == "auto" for what, key in given.items()}
        mass = self.values.number(given["mass"]) if given["mass"] else 0.0
        center = np.zeros(3) if given["COM"] is None or auto["COM"] else self.values.vector(given["COM"])
        inertia = np.zeros((3, 3))
        if given["inertia"] is not None and not auto["inertia"]:
            inertia = self.inertia(given["inertia"])
        own_shapes = self.shapes(section, shapes)
        if given["density"] or auto["COM"] or auto["inertia"]:
            mass, own_center, own_inertia = self.weighed(section, given, own_shapes, shapes, mass)
            center = own_center if auto["COM"] else center
            inertia = own_inertia if auto["inertia"] else inertia
        return BodySpec(
            name,
            mass or 0.0,
            np.zeros(3) if center is None else center,
            inertia,
            self.place(section),
            self.place(given["inertia"] or given["mass"] or section),
        )

    def inertia(self, key: Key) -> Array:
        I = self.values.matrix(key)
        if I is None:
            return np.zeros((3, 3))
        if np.abs(I - I.T).max() > 1e-9 * np.abs(I).max():
            self.remark(key, "the inertia is not symmetric; the mean of it and its transpose is taken", self.owner)
        return 0.5 * (I + I.T)

    def weighed(
        self, section: ZtkSection, given: dict[str, Key | None], own: list[str], shapes: Shapes, mass: float | None
    ) -> tuple[float, Array, Array]:
        """Return mass, center of mass and inertia of the link's shapes, by a density or a mass."""
        nothing = 0.0, np.zeros(3), np.zeros((3, 3))
        density = self.values.number(given["density"]) if given["density"] else None
        if given["density"] and given["mass"]:
            self.problem(given["density"], f"it has a mass too (line {given['mass'].line}); expected one of them")
        elif not given["density"] and not given["mass"]:
            self.problem(section, 'COM or inertia is "auto": a mass or a density is needed')
        solids = [shapes.solid(shape) for shape in own]
        if not solids:
            self.problem(section, "its mass, COM or inertia is to come from its shapes, and it has none")
        if not solids or None in solids:
            return nothing
        whole = together([solid for solid in solids if solid is not None])
        if whole.volume <= 0.0:
            self.problem(section, "its mass, COM or inertia is to come from its shapes, whose volume is zero")
            return nothing
        if given["density"] is None:
            density = (mass or 0.0) / whole.volume
        elif not (given["COM"] and given["inertia"]):
            left = " and ".join(what for what in ("COM", "inertia") if given[what] is None)
            self.remark(given["density"], f'density gives the mass alone; {left} is zero unless "auto"', self.owner)
        return (density or 0.0) * whole.volume, whole.center, (density or 0.0) * whole.inertia

    def shapes(self, section: ZtkSection, shapes: Shapes) -> list[str]:
        """Return the names of the link's shapes; report unknown ones."""
        found = []
        for key in section.all("shape"):
            for word in key.values:
                if word.text in shapes.sections:
                    found.append(word.text)
                else:
                    self.problem(word, str(UnknownNameError("shape", word.text, shapes.sections)))
        return found

    def looks(self, link: str, section: ZtkSection, shapes: Shapes) -> Iterator[Shape]:
        """Yield the shapes of the link; an invalid shape is omitted, unless its mass is needed."""
        for key in section.all("shape"):
            for word in key.values:
                if word.text in shapes.sections:
                    with self.leniently("it is not drawn"):
                        shape = shape_of(self, shapes.sections, word.text, link)
                        if shape is not None:
                            yield shape

    # joints

    def kind(self, section: ZtkSection) -> str:
        """Return RoKi's joint type; fixed if missing or unknown."""
        key = section.get("jointtype")
        kind = key.values[0].text if key and key.values else "fixed"
        return kind if kind in JOINT_TYPES else "fixed"

    def joint(self, link: str, section: ZtkSection) -> JointSpec:
        key = section.get("jointtype")
        if key is not None:
            self.check_type(key)
        kind = self.kind(section)
        motion, alignment = motion_of(JOINT_TYPES[kind])
        placement = self.values.placement(section)
        parent = section.get("parent")
        on = self.linked(parent) if parent else None
        options: dict[str, Any] = {} if motion is None else self.options(section, kind, motion.units)
        return JointSpec(
            link,
            on or WORLD,
            link,
            motion,
            np.eye(4) if placement is None else placement,
            alignment,
            place=self.place(section),
            **options,
        )

    def check_type(self, key: Key) -> None:
        words = [value.text for value in key.values]
        if not words or words[0] not in JOINT_TYPES:
            hint = near(words[0].lower(), tuple(JOINT_TYPES)) if words else ""
            self.problem(key, f"unknown jointtype {key.text!r}{hint}; there are {', '.join(JOINT_TYPES)}")
        elif words[1:] not in ([], ["passive"]):
            self.problem(key, f"jointtype is {key.text!r}; after the type only 'passive' may stand")
        elif words[1:]:
            self.remark(key, "passive is not used: efforts are inputs of a simulation", self.owner)

    def linked(self, key: Key) -> str | None:
        """Return the link of a parent or bind; None, with a problem, if it does not exist."""
        name = self.values.word(key)
        if name is not None and name not in self.links:
            self.problem(key, f"{key.name}: {UnknownNameError('link', name, self.links)}")
            return None
        return name

    def options(self, section: ZtkSection, kind: str, units: tuple[str, ...]) -> dict[str, Any]:
        """Return limits, springs, friction and motor of a joint."""
        options: dict[str, Any] = {}
        own = JOINT_KEYS[kind]
        degrees = np.array([np.pi / 180.0 if unit == "rad" else 1.0 for unit in units])
        for name, ours in OURS.items():
            key = section.get(name)
            if key is None or name not in own:
                continue
            x = self.limits(key, len(units)) if name in ("min", "max") else self.values.numbers(key, len(units))
            if x is not None:
                options[ours] = np.array(x) * degrees if name in ("min", "max") else np.array(x)
        for name in ("stiffness", "viscosity", "coulomb"):
            key = section.get(name)
            if key and (options.get(OURS[name], np.zeros(1)) < 0.0).any():
                self.problem(key, f"{name} is {key.text!r}; it cannot be negative")
                del options[OURS[name]]
        low, high = section.get("min"), section.get("max")
        if low and high and {"lower", "upper"} <= options.keys() and (options["lower"] > options["upper"]).any():
            self.problem(low, f"min is {low.text} and max is {high.text}: there is nothing between them")
            del options["lower"], options["upper"]
        key = section.get("motor")
        if key is not None and "motor" in own:
            options |= self.driven(key, len(units))
        return options

    def limits(self, key: Key, n: int) -> list[float] | None:
        """Return n numbers that may be infinite."""
        if len(key.values) == n and any(value.text in INFINITE for value in key.values):
            finite = [value for value in key.values if value.text not in INFINITE]
            if self.values.numbers_of(key, finite, "numbers") is None:
                return None
            return [float(value.text) for value in key.values]
        return self.values.numbers(key, n)

    def driven(self, key: Key, n: int) -> dict[str, Any]:
        name = self.values.word(key)
        if name is None:
            return {}
        if name not in self.motors:
            self.problem(key, str(UnknownNameError("motor", name, self.motors)))
            return {}
        motor = self.motors[name]
        if n != 1 and motor != Motor():
            self.problem(key, f"motor {name!r} drives one coordinate; the joint has {n}")
            return {}
        return {"armature": motor.armature, "effort_limit": motor.effort_limit} if n == 1 else {}

    def motor(self, section: ZtkSection) -> None:
        name = self.values.name(section, "motor")
        self.owner = f"motor {name!r}"
        if name in self.motors:
            self.problem(section, f"a second motor is named {shortened(name)!r}")
        key = section.get("type")
        kind = key.text if key else ""
        motor = Motor()
        if kind not in MOTOR_KEYS:
            text = f"unknown type {kind!r}" if key else "the type is missing"
            self.problem(key or section, f"{text}; there are {', '.join(MOTOR_KEYS)}")
        else:
            known = MOTOR_KEYS[kind]
            for one in section.keys:
                if one.name not in ("name", "type", *known):
                    hint = near(one.name, tuple(known))
                    self.remark(one, f"{shortened(one.name)!r} is not a key of a {kind} motor{hint}; it is ignored")
            x = {what: self.motor_value(section, what, default) for what, default in known.items()}
            if kind == "dc":
                motor.armature = x["gearratio"] ** 2 * (x["rotorinertia"] + x["gearinertia"])
                if x["rotorinertia"] < 0.0 or x["gearinertia"] < 0.0:
                    self.problem(section, "rotorinertia and gearinertia cannot be negative")
            elif kind == "trq":
                motor.effort_limit = max(abs(x["min"]), abs(x["max"]))
        if name:
            self.motors[name] = motor
        self.owner = ""

    def motor_value(self, section: ZtkSection, name: str, default: float | None) -> float:
        key = section.get(name)
        if key is None:
            if default is not None and np.isfinite(default):
                self.remark(section, f"{name} is not given; RoKi's {default:g} is taken", self.owner)
            return 0.0 if default is None else default
        x = self.limits(key, 1)
        return 0.0 if x is None else x[0]

    # the whole

    def rooted(self, joints: list[JointSpec]) -> list[JointSpec]:
        """Report further links without a parent."""
        loose = [joint for joint in joints if self.links[joint.child].get("parent") is None]
        for joint in loose[1:]:
            self.problem(
                self.links[joint.child],
                f"link {joint.child!r} has no parent; only {loose[0].child!r}, the first, may",
            )
        return joints

    def initial(self, found: list[ZtkSection], joints: list[JointSpec]) -> list[JointSpec]:
        """Apply [roki::chain::init], which may place the first link; initial coordinates are not part of a model."""
        for section in found:
            self.owner = ""
            if any(key.name in ("pos", "att", "frame") for key in section.keys):
                placement = self.values.placement(section)
                roots = [k for k, joint in enumerate(joints) if joint.parent == WORLD]
                if placement is not None and roots:
                    joints[roots[0]] = replace(joints[roots[0]], placement=placement)
            for key in section.keys:
                if key.name == "joint" or key.name in self.links:
                    self.remark(key, "initial coordinates of joints are not used")
                elif key.name not in PLACING:
                    self.remark(key, f"{shortened(key.name)!r} is not a key of [roki::chain::init]; it is ignored")
        for link, section in self.links.items():
            dis = section.get("dis")
            if dis is not None and any(value.text.strip("+-0.") for value in dis.values):
                self.remark(dis, "initial coordinates of joints are not used", f"link {link!r}")
        return joints

    def loops(self, joints: dict[str, JointSpec]) -> list[Loop]:
        """Return the welds of ``bind``, at zero coordinates."""
        found = []
        for link, section in self.links.items():
            key = section.get("bind")
            self.owner = f"link {link!r}"
            other = self.linked(key) if key else None
            if key and other == link:
                self.problem(key, "bind: it names the link itself")
            elif key and other:
                T = inverse_pose(_pose(other, joints)) @ _pose(link, joints)
                found.append(Loop(f"{link}_bind", other, link, Weld(), T, place=self.place(key)))
        self.owner = ""
        return found


def _pose(link: str, joints: dict[str, JointSpec]) -> Array:
    """Return the pose (4, 4) of a link in the world at zero coordinates."""
    T, seen = np.eye(4), set()
    while link in joints and link not in seen:  # assembly reports a cycle of parents
        seen.add(link)
        T = joints[link].placement @ T
        link = joints[link].parent
    return T


OURS = {
    "min": "lower",
    "max": "upper",
    "stiffness": "stiffness",
    "viscosity": "damping",
    "coulomb": "friction",
}
"""RoKi's names of joint parameters."""
