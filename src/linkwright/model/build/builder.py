"""Mechanisms built by hand, in a few lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError, explained, with_article
from linkwright.model.build.assembly import assemble, described
from linkwright.model.build.description import (
    WORLD,
    BodySpec,
    Description,
    FrameSpec,
    JointSpec,
    Mimic,
    motion_of,
    pose_of,
)
from linkwright.model.loop import AXIAL, CoordinateLoop, Loop, loop_type
from linkwright.model.shape import KINDS, Shape, Use
from linkwright.model.spring import Spring
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, entries, finite
from linkwright.spatial.rotation import rotation_rpy
from linkwright.spatial.transform import pose_matrix

MAY_BE_NONE = ("friction", "restitution", "stiffness")
"""What a shape may leave to the one that it touches, or be rigid without."""


class Builder:
    """Collects bodies, joints, frames, loops, springs and shapes in any order; :meth:`build` checks and sorts them.

    >>> import linkwright as lw
    >>> pendulum = (
    ...     lw.Builder("pendulum")
    ...     .body("rod", mass=1.0, center_of_mass=[0, 0, -0.5], inertia=[0.1, 0.1, 0.001])
    ...     .joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0])
    ...     .build()
    ... )
    >>> pendulum.nq
    1

    Of a model instead of a name it goes on from there: all that the model has is kept, and more is added.

    >>> tipped = lw.Builder(pendulum).frame("tip", "rod", xyz=[0, 0, -1]).build()
    >>> list(tipped.frames)
    ['world', 'rod', 'tip']

    Raises :class:`ModelError` for a minimal model, which has no bodies to build with.
    """

    @explained
    def __init__(self, name: str | Model, gravity: Sequence[float] | EllipsisType = ...):
        """``gravity`` (3,), m/s²: the model's, or (0, 0, −9.81), unless given."""
        if not isinstance(name, (str, Model)):
            raise ArgumentError(f"a builder begins with a name or goes on from a Model; got {name!r:.200}")
        self._given = described(name) if isinstance(name, Model) else Description(name)
        if gravity is not ...:
            x, y, z = finite("gravity", gravity, (3,)).tolist()
            self._given = replace(self._given, gravity=(x, y, z))
        self._bodies: list[BodySpec] = []
        self._joints: list[JointSpec] = []
        self._frames: list[FrameSpec] = []
        self._loops: list[Loop | CoordinateLoop] = []
        self._springs: list[Spring] = []
        self._shapes: list[Shape] = []
        bodies, joints, frames = (
            {one.name for one in ones} for ones in (self._given.bodies, self._given.joints, self._given.frames)
        )
        self._names = {"body or frame": bodies | frames, "joint": joints}

    @explained
    def body(self, name: str, mass: float = 0.0, center_of_mass: Any = (0.0, 0.0, 0.0), inertia: Any = 0.0) -> Builder:
        """Add a rigid body.

        ``center_of_mass`` (3,) is in the body's frame, m; ``inertia`` is about the center of mass in
        body axes, kg m²: a matrix (3, 3), its diagonal (3,), or one number for all three axes. A body may be
        massless; where a joint moves nothing with inertia, what needs accelerations says so (:class:`ModelError`).
        Each of these may be symbols (:func:`lw.symbols`), as what joints have for each coordinate may be.
        """
        who = f"body {_name('a body', name)!r}"
        self._take("body or frame", name)
        c = entries(f"the center of mass of {who}", center_of_mass, (3,))
        self._bodies.append(BodySpec(name, mass_of(who, mass), c, inertia_of(who, inertia)))
        return self

    @explained
    def joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        *,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
        axis: Any = None,
        second_axis: Any = None,
        pitch: float | None = None,
        lower: Any = None,
        upper: Any = None,
        velocity_limit: Any = None,
        effort_limit: Any = None,
        stiffness: Any = 0.0,
        rest: Any = None,
        damping: Any = 0.0,
        friction: Any = 0.0,
        armature: Any = 0.0,
        mimic: str | None = None,
        multiplier: float = 1.0,
        offset: float = 0.0,
    ) -> Builder:
        """Add a joint that moves body ``child`` on body ``parent`` ("world" for the ground).

        ``type``: fixed, revolute, continuous, prismatic, helical, cylindrical, universal, planar,
        spherical or free. Its frame is placed on the parent by ``xyz`` (m) and ``rpy`` (rad; fixed-axis
        roll, pitch, yaw) or by ``placement`` (4, 4); ``axis`` (z unless given; need not be of unit
        length) is in that frame. ``pitch``: meters a turn, of helical joints. Limits, ``stiffness``
        (towards ``rest``), ``damping``, Coulomb ``friction`` and ``armature`` (reflected rotor inertia)
        are one number or one per coordinate; free and planar joints have no armature of their translation, whose
        velocities are in axes that turn with the body, and friction along these axes.

        ``mimic`` names a joint this one follows: coordinate = ``multiplier`` · (its coordinate) + ``offset``.
        """
        who = f"joint {_name('a joint', name)!r}"
        for what, body in (("a parent body", parent), ("a child body", child)):
            _name(f"{who}: {what}", body)
        motion, alignment = motion_of(type, axis, second_axis, pitch)
        follows = None
        if mimic is not None:
            follows = Mimic(
                _name(f"{who}: the joint it mimics", mimic),
                float(finite(f"{who}: the multiplier", multiplier, ())),
                float(finite(f"{who}: the offset", offset, ())),
            )
        self._take("joint", name)
        self._joints.append(
            JointSpec(
                name,
                parent,
                child,
                motion,
                _placed(f"joint {name!r}", placement, xyz, rpy),
                alignment,
                lower=lower,
                upper=upper,
                velocity_limit=velocity_limit,
                effort_limit=effort_limit,
                stiffness=stiffness,
                rest=rest,
                damping=damping,
                friction=friction,
                armature=armature,
                mimic=follows,
            )
        )
        return self

    @explained
    def frame(
        self,
        name: str,
        body: str,
        *,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
    ) -> Builder:
        """Add a named frame on a body ("world" for the ground)."""
        _name(f"frame {_name('a frame', name)!r}: its body", body)
        self._take("body or frame", name)
        self._frames.append(FrameSpec(name, body, _placed(f"frame {name!r}", placement, xyz, rpy)))
        return self

    @explained
    def loop(
        self,
        name: str,
        type: str,
        first: str,
        second: str | None = None,
        *,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
        axis: Any = None,
        second_axis: Any = None,
        pitch: float | None = None,
        length: float | None = None,
        held: Any = None,
        coefficients: Sequence[float] | None = None,
    ) -> Builder:
        """Close a loop between two frames (names of links, of frames, or "world") of the tree.

        ``type``: weld, ball (the origins coincide), revolute, prismatic, cylindrical, helical, universal or
        planar (what the joints of these names leave free), distance (a massless rod of ``length`` between the
        origins), or mask (``held`` names the directions "x", "y", "z", "rx", "ry", "rz" of the second frame's axes that
        may not move). ``xyz`` and ``rpy``, or ``placement``, say where in the first frame the second lies when
        closed; ``axis`` (z unless given) is in the second frame, as of joints.

        ``type`` "joint" ties coordinates instead: that named ``first`` (as in ``model.coordinate_names``) is
        c₀ + c₁ x + c₂ x² + … of that named ``second``, by ``coefficients`` (c₀, c₁, …); of none, the constant c₀.
        """
        for end in (_name("a loop", name), first, *([] if second is None else [second])):
            _name(f"loop {name!r}: what it joins", end)
        if type == "joint":
            if coefficients is None:
                raise InputError(f"loop {name!r}: a joint loop needs coefficients (c₀, c₁, …)")
            c = finite(f"the coefficients of loop {name!r}", coefficients)
            if c.ndim != 1 or not len(c) or (second is None and len(c) > 1):
                raise InputError(
                    f"loop {name!r}: coefficients are numbers (c₀, c₁, …), only c₀ where there is no second "
                    f"coordinate; got {coefficients!r}"
                )
            self._loops.append(CoordinateLoop(name, first, second or "", tuple(c.tolist())))
            return self
        if coefficients is not None:
            raise InputError(f"loop {name!r}: a {type} loop has no coefficients")
        kind = loop_type(type, pitch, length, held)
        if type not in AXIAL and axis is not None:
            raise InputError(f"loop {name!r}: a {type} loop has no axis")
        if second is None:
            raise ArgumentError(f"loop {name!r}: a {type} loop is between two frames; only one is given")
        alignment = motion_of(type, axis, second_axis, pitch)[1] if type in AXIAL else np.eye(3)
        self._loops.append(Loop(name, first, second, kind, _placed(f"loop {name!r}", placement, xyz, rpy), alignment))
        return self

    @explained
    def spring(
        self,
        a: str | tuple[str, Any],
        b: str | tuple[str, Any],
        stiffness: float = 0.0,
        damping: float = 0.0,
        length: float | tuple[float, float] | None = None,
        *,
        name: str | None = None,
        through: Sequence[str | tuple[str, Any]] = (),
    ) -> Builder:
        """Add a massless spring and damper, straight between two points of two bodies ("world" for the ground).

        ``a``, ``b``: each a frame (the name of a link, of a frame, or "world"), whose origin it is, or
        ``(body, xyz)``, a point in the body's frame, m; such a point becomes a frame, "<name>_a" or "<name>_b".
        ``stiffness`` in N/m, ``damping`` in N s/m. ``length`` is the free length, m; not given, the distance at the
        neutral configuration. Two lengths are the shortest and the longest at which the spring is relaxed, as it
        is in between: (0, L) is a rope, (L, inf) a buffer; the damper acts at any length. ``through``: points that it
        runs through without friction, in order (an eyelet, a small pulley); its length is then that of all its
        straight pieces. ``name``: spring1, spring2, … unless given.

        It acts in ``passive_forces``, ``spring_energy`` and ``simulate``, like the springs of joints. Where
        its ends meet it has no direction: within about 1e-9 of its free length the force goes to zero.
        """
        others = [one.name for one in (*self._given.springs, *self._springs)]
        name = _free("spring", others) if name is None else _name("a spring", name)
        who = f"spring {name!r}"
        if isinstance(through, str) or not isinstance(through, Sequence):
            raise ArgumentError(f"{who}: what it runs through is a list of places; got {through!r}")
        labels = ["a", *(str(k + 1) for k in range(len(through))), "b"]
        frames = [self._place(f"{name}_{label}", who, end) for label, end in zip(labels, (a, *through, b), strict=True)]
        k = float(finite(f"the stiffness of {who}", stiffness, ()))
        d = float(finite(f"the damping of {who}", damping, ()))
        limits = None
        if length is not None:
            given = as_numbers(f"the free length of {who}", length)
            if given.shape not in ((), (2,)):
                raise InputError(
                    f"the free length of {who} is one number, or the shortest and the longest; got {length!r}"
                )
            low, high = np.broadcast_to(given, (2,)).tolist()
            limits = (low, high)
        self._springs.append(Spring(name, tuple(frames), k, d, limits))
        return self

    def _place(self, name: str, who: str, place: Any) -> str:
        """The frame at a place; a point of a body is made one."""
        if isinstance(place, str):
            return place
        if not (isinstance(place, (tuple, list)) and len(place) == 2 and isinstance(place[0], str)):
            raise ArgumentError(f"{who}: an end is the name of a frame, or (body, xyz); got {place!r}")
        body, xyz = place
        p = finite(f"{who}: a point on {body!r}", xyz, (3,))
        collected = self.describe()
        taken = {*(one.name for one in collected.frames), *(one.name for one in collected.bodies)}
        while name in taken:
            name += "_"
        told = f"{who}: its point {tuple(p.tolist())} on {body!r}"
        self._frames.append(FrameSpec(name, body, pose_matrix(p=p), told=told))
        return name

    @explained
    def shape(
        self,
        body: str,
        kind: str,
        *,
        radius: float | None = None,
        size: Sequence[float] | None = None,
        length: float | None = None,
        file: str | None = None,
        scale: float | Sequence[float] = 1.0,
        vertices: Any = None,
        faces: Any = None,
        heights: Any = None,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
        use: Use = "both",
        friction: float | None = None,
        torsional_friction: float = 0.0,
        rolling_friction: float = 0.0,
        restitution: float | None = None,
        stiffness: float | None = None,
        damping: float = 0.0,
        margin: float = 0.0,
        contype: int = 1,
        conaffinity: int = 1,
        color: Sequence[float] | None = None,
        name: str = "",
    ) -> Builder:
        """Add a shape to a body ("world" for the ground): what is drawn of it, and what of it touches others.

        ``kind``: sphere (``radius``), box and ellipsoid (``size``: from side to side along x, y, z), cylinder and cone
        (``radius``, ``length`` from end to end), capsule (``length`` between the centers of its caps), plane (its
        normal is z), height_field (``heights`` (rows, columns) along z over ``size``: columns along x, rows along y),
        or mesh: a ``file`` (STL, OBJ or DAE, times ``scale``), or ``vertices`` (n, 3) and ``faces`` (m, 3). Lengths in
        m. ``xyz`` and ``rpy``, or ``placement``, say where the middle of the shape lies in the body's frame; capsules,
        cylinders and cones are along its z. ``use``: "visual", "collision" or "both". ``color``: red, green, blue and,
        unless opaque, opacity, each 0 to 1. Shapes weigh nothing; :func:`lw.mass_properties` tells what they would.

        For contact, which :meth:`Model.with_ground` and :meth:`Model.with_contact` turn on: coefficients of
        ``friction`` and of ``restitution`` (None takes what the other shape has; of two given the smaller counts; of
        none it is 0.7 and 0), ``torsional_friction`` and ``rolling_friction`` (m: the moment that each newton of normal
        force resists), ``stiffness`` (N/m; None is rigid) and ``damping`` (N s/m) of each point of contact, and
        ``margin`` (m: it is that much thicker). A soft contact exerts max(0, k δ (1 + c δ̇) + d δ̇) under all methods, c
        such that an impact at 1 m/s leaves the restitution, 0.05 at least; zero where none is given. Shapes meet where
        a bit of the ``contype`` of one is in the ``conaffinity`` of the other.
        """
        who = f"a shape of {_name('a shape: its body', body)!r}"
        if name:
            who = f"shape {_name('a shape', name)!r}"
        if kind not in KINDS:
            raise UnknownNameError("shape", kind, KINDS)
        given = {"radius": radius, "length": length, "size": size, "heights": heights}
        needed = KINDS[kind]
        for what, value in given.items():
            if (value is None) == (what in needed):
                told = f"needs a {what}" if value is None else f"has no {what}"
                raise ArgumentError(f"{who}: {with_article(kind)} {told}")
        numbers: dict[str, Any] = {
            what: float(finite(f"{who}: {what}", given[what], ())) for what in needed if what in ("radius", "length")
        }
        if "size" in needed:
            flat = kind == "height_field"
            numbers["size"] = (*finite(f"{who}: size", size, (3,), *[(2,)] * flat).tolist(), 0.0)[:3]
        if "heights" in needed:
            numbers["heights"] = finite(f"{who}: heights", heights)
            numbers["heights"].setflags(write=False)
        touch: dict[str, Any] = dict(torsional_friction=torsional_friction, rolling_friction=rolling_friction)
        touch |= dict(friction=friction, restitution=restitution, stiffness=stiffness, damping=damping, margin=margin)
        numbers |= {
            what: None if x is None and what in MAY_BE_NONE else float(finite(f"{who}: {what}", x, ()))
            for what, x in touch.items()
        }
        if color is not None:
            numbers["color"] = tuple(np.append(finite(f"{who}: color", color, (3,), (4,)), 1.0)[:4].tolist())
        if vertices is not None:
            numbers["vertices"] = finite(f"{who}: vertices", vertices)
        if faces is not None:
            numbers["faces"] = np.asarray(faces)
        made = Shape(
            body,
            kind,
            _placed(who, placement, xyz, rpy),
            file="" if file is None else os.fspath(file),
            scale=tuple(np.broadcast_to(finite(f"{who}: scale", scale, (), (3,)), (3,)).tolist()),
            use=use,
            contype=contype,
            conaffinity=conaffinity,
            name=_name("a shape", name),
            **numbers,
        )
        for problem in made.problems():
            raise InputError(f"{who}: {problem}")
        self._shapes.append(made)
        return self

    def _take(self, what: str, name: str) -> None:
        """Reserve a name; raise :class:`ModelError` if there is one of that kind already."""
        if name in self._names[what]:
            raise ModelError(f"a second {what} is named {name!r}; each {what} needs its own name")
        self._names[what].add(name)

    @explained
    def build(self, root: str | None = None) -> Model:
        """The model. ``root="free"`` sets the one body without a joint (or welded to the world) afloat."""
        return assemble(self.describe().rooted(root) if root else self.describe())

    def describe(self) -> Description:
        """What has been collected so far."""
        given = self._given
        return replace(
            given,
            bodies=(*given.bodies, *self._bodies),
            joints=(*given.joints, *self._joints),
            frames=(*given.frames, *self._frames),
            loops=(*given.loops, *self._loops),
            springs=(*given.springs, *self._springs),
            shapes=(*given.shapes, *self._shapes),
        )


def mass_of(who: str, mass: Any) -> Any:
    """A mass: a float or a symbol."""
    return entries(f"the mass of {who}", mass, ()).item()


def inertia_of(who: str, inertia: Any) -> Array:
    """An inertia (3, 3) given in full, by its diagonal (3,) or by one number for all three axes."""
    I = entries(f"the inertia of {who}", inertia, (), (3,), (3, 3))
    if I.shape == (3, 3):
        return I
    x, y, z = np.broadcast_to(I, (3,))
    return np.array([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]])


def _placed(who: str, placement: Any, xyz: Any, rpy: Any) -> Array:
    """The pose given whole or by position and angles, checked."""
    if placement is not None and (xyz is not None or rpy is not None):
        raise ArgumentError(f"{who}: give placement, or xyz and rpy, not both")
    for part, value in (("xyz", xyz), ("rpy", rpy)):
        if value is not None:
            finite(f"{who}: {part}", value, (3,))
    return pose_of(placement, xyz, None if rpy is None else rotation_rpy(rpy))


def _free(start: str, taken: Sequence[str]) -> str:
    """start1, start2, …: by how many there are, or the next that none has."""
    number = len(taken) + 1
    while f"{start}{number}" in taken:
        number += 1
    return f"{start}{number}"


def _name(what: str, name: Any) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"{what} is given by its name, a str; got {name!r}")
    return name


__all__ = ["WORLD", "Builder"]
