"""Builder of mechanisms in code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import (
    ArgumentError,
    InputError,
    ModelError,
    UnknownNameError,
    explained,
)
from linkwright.model.build.assembly import assemble, described
from linkwright.model.build.description import (
    WORLD,
    BodySpec,
    Description,
    FrameSpec,
    JointSpec,
    Mimic,
    motion_of,
)
from linkwright.model.build.options import JointLimits
from linkwright.model.build.shape_builder import ShapeBuilder, name_of, placed
from linkwright.model.joints.loop import AXIAL, CoordinateLoop, Loop, loop_name, loop_type
from linkwright.model.parts.spring import Spring
from linkwright.model.parts.tendon import Wrap
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, entries, finite, is_symbolic
from linkwright.spatial.transform import pose_matrix


class Builder(ShapeBuilder):
    """Builder of a mechanism from bodies, joints, frames, loops, springs and shapes, which are added in any order.

    Parameters
    ----------
    name : str or Model
        Name of the mechanism; or a model to extend, which is not changed.
    gravity : array_like, shape (3,), optional
        Gravity in m/s². By default that of the model, or (0, 0, −9.81).

    Raises
    ------
    ModelError
        If the model is minimal and has no bodies to build with.

    Examples
    --------
    >>> import linkwright as lw
    >>> pendulum = (
    ...     lw.Builder("pendulum")
    ...     .body("rod", mass=1.0, center_of_mass=[0, 0, -0.5], inertia=[0.1, 0.1, 0.001])
    ...     .joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0])
    ...     .build()
    ... )
    >>> pendulum.nq
    1
    >>> tipped = lw.Builder(pendulum).frame("tip", "rod", xyz=[0, 0, -1]).build()
    >>> list(tipped.frames)
    ['world', 'rod', 'tip']
    """

    @explained
    def __init__(self, name: str | Model, gravity: Sequence[float] | EllipsisType = ...):
        """Start a new mechanism, or extend a model."""
        if not isinstance(name, (str, Model)):
            raise ArgumentError(f"a builder needs a name or a Model; got {name!r:.200}")
        super().__init__()
        self._given = described(name) if isinstance(name, Model) else Description(name)
        if gravity is not ...:
            x, y, z = entries("gravity", gravity, (3,)).tolist()
            self._given = replace(self._given, gravity=(x, y, z))
        self._bodies: list[BodySpec] = []
        self._joints: list[JointSpec] = []
        self._changes: dict[str, dict[str, Any]] = {}
        """of joints: springs and couplings"""
        self._frames: list[FrameSpec] = []
        self._loops: list[Loop | CoordinateLoop] = []
        self._springs: list[Spring] = []
        bodies, joints, frames = (
            {one.name for one in ones} for ones in (self._given.bodies, self._given.joints, self._given.frames)
        )
        self._names = {"body or frame": bodies | frames, "joint": joints}

    @explained
    def body(
        self,
        name: str,
        mass: float = 0.0,
        center_of_mass: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = 0.0,
        *,
        gravity_compensation: float = 0.0,
    ) -> Builder:
        """Add a rigid body.

        Parameters
        ----------
        name : str
            Name of the body.
        mass : float or Expr, optional
            Mass in kg.
        center_of_mass : array_like, shape (3,), optional
            Center of mass in the axes of the body in m.
        inertia : array_like, shape (3, 3), (3,) or (), optional
            Inertia about the center of mass in the axes of the body in kg m²: a matrix, its diagonal, or one number.
        gravity_compensation : float, optional
            Fraction of the weight of the body that a passive force at its center of mass compensates.

        Returns
        -------
        Builder
            The builder itself.

        Notes
        -----
        All values may be symbols (:func:`lw.symbols`). A body may be massless; functions that need accelerations raise
        :class:`ModelError` if a joint moves no inertia.
        """
        who = f"body {name_of('a body', name)!r}"
        self._take("body or frame", name)
        c = entries(f"the center of mass of {who}", center_of_mass, (3,))
        compensated = float(finite(f"the gravity_compensation of {who}", gravity_compensation, ()))
        self._bodies.append(
            BodySpec(name, mass_of(who, mass), c, inertia_of(who, inertia), gravity_compensation=compensated)
        )
        return self

    @explained
    def joint(
        self,
        name: str,
        type: str | tuple[str, float],
        parent: str,
        child: str,
        *,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        limits: JointLimits | tuple[Any, Any] | None = None,
        damping: ArrayLike = 0.0,
        friction: ArrayLike = 0.0,
        armature: ArrayLike = 0.0,
    ) -> Builder:
        """Add a joint.

        Parameters
        ----------
        name : str
            Name of the joint.
        type : str or (str, float)
            "fixed", "revolute", "continuous", "prismatic", "cylindrical", "universal", "planar", "spherical" or
            "free", or ("helical", pitch) with the pitch in meters per turn. Names of other libraries are accepted:
            "hinge", "slide", "ball", "hooke", "screw", "float".
        parent, child : str
            Names of two bodies.
        xyz : array_like, shape (3,), optional
            Position of the joint's frame on the parent in m.
        rpy : array_like, shape (3,), optional
            Orientation of the joint's frame on the parent: roll, pitch and yaw about fixed axes, in rad.
        placement : array_like, shape (4, 4), optional
            Pose of the joint's frame on the parent, instead of ``xyz`` and ``rpy``.
        axis : array_like, shape (3,) or (2, 3), optional
            Axis in the joint's frame, of any length; by default z. A universal joint may have both of its axes.
        limits : (lower, upper) or JointLimits, optional
            Limits of position, velocity and effort.
        damping : float or array_like, shape (nv,), optional
            Viscous friction in N m s/rad or N s/m.
        friction : float or array_like, shape (nv,), optional
            Coulomb friction in N m or N.
        armature : float or array_like, shape (nv,), optional
            Reflected inertia of the rotor in kg m² or kg. Free and planar joints have no armature of their
            translation, whose velocities are in axes that rotate with the body.

        Returns
        -------
        Builder
            The builder itself.

        See Also
        --------
        Builder.joint_spring : Add a spring of a joint.
        Builder.mimic : Couple a joint to another one.
        """
        who = f"joint {name_of('a joint', name)!r}"
        for what, body in (("a parent body", parent), ("a child body", child)):
            name_of(f"{who}: {what}", body)
        kind, pitch = _type_of(who, type)
        motion, alignment = motion_of(kind, *_axes(axis), pitch)
        bounds = JointLimits.of(who, limits)
        self._take("joint", name)
        self._joints.append(
            JointSpec(
                name,
                parent,
                child,
                motion,
                placed(who, placement, xyz, rpy),
                alignment,
                lower=bounds.lower,
                upper=bounds.upper,
                velocity_limit=bounds.velocity,
                effort_limit=bounds.effort,
                damping=damping,
                friction=friction,
                armature=armature,
            )
        )
        return self

    @explained
    def joint_spring(self, joint: str, stiffness: ArrayLike, rest: ArrayLike | None = None) -> Builder:
        """Add a spring to a joint: it pulls the coordinates towards ``rest``.

        Parameters
        ----------
        joint : str
            Name of a joint.
        stiffness : float or array_like, shape (nv,)
            Stiffness in N m/rad or N/m.
        rest : float or array_like, shape (nq,), optional
            Coordinates at which the spring is relaxed; by default the neutral configuration.

        Returns
        -------
        Builder
            The builder itself.
        """
        self._change(joint, stiffness=stiffness, rest=rest)
        return self

    @explained
    def mimic(self, joint: str, leader: str, multiplier: float = 1.0, offset: float = 0.0) -> Builder:
        """Couple a joint to another one: its coordinate is ``multiplier`` · (that of ``leader``) + ``offset``.

        Parameters
        ----------
        joint, leader : str
            Names of two joints of one coordinate each.
        multiplier : float, optional
            Ratio of the coordinates.
        offset : float, optional
            Coordinate of ``joint`` where that of ``leader`` is zero, in rad or m.

        Returns
        -------
        Builder
            The builder itself.
        """
        who = f"joint {joint!r}"
        ratio = float(finite(f"{who}: the multiplier", multiplier, ()))
        zero = float(finite(f"{who}: the offset", offset, ()))
        self._change(joint, mimic=Mimic(name_of(f"{who}: the joint it mimics", leader), ratio, zero))
        return self

    def _change(self, joint: str, **values: Any) -> None:
        self._changes.setdefault(name_of("a joint", joint), {}).update(values)

    @explained
    def frame(
        self,
        name: str,
        body: str,
        *,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: ArrayLike | None = None,
    ) -> Builder:
        """Add a frame on a body.

        Parameters
        ----------
        name : str
            Name of the frame.
        body : str
            Name of the body, or "world".
        xyz : array_like, shape (3,), optional
            Position in m.
        rpy : array_like, shape (3,), optional
            Roll, pitch and yaw about fixed axes in rad.
        placement : array_like, shape (4, 4), optional
            Pose, instead of `xyz` and `rpy`.

        Returns
        -------
        Builder
            The builder itself.
        """
        name_of(f"frame {name_of('a frame', name)!r}: its body", body)
        self._take("body or frame", name)
        self._frames.append(FrameSpec(name, body, placed(f"frame {name!r}", placement, xyz, rpy)))
        return self

    @explained
    def loop(
        self,
        name: str,
        type: str | tuple[str, Any],
        first: str,
        second: str | None = None,
        *,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        axis: ArrayLike | None = None,
    ) -> Builder:
        """Add a closed loop between two frames of the tree.

        Parameters
        ----------
        name : str
            Name of the loop.
        type : str or (str, parameter)
            Name of the type, with its parameter where it has one. "weld", "ball" (the origins coincide), "revolute",
            "prismatic", "cylindrical", "universal" and "planar" leave free what joints of these names do;
            ("helical", pitch), in meters per turn; ("distance", length), a massless rod in m between the origins;
            ("mask", "x y rz"), the constrained directions, of "x", "y", "z", "rx", "ry", "rz" in the axes of the
            second frame; ("joint", (c₀, c₁, c₂, …)), a coupling of coordinates: that named ``first`` (as in
            ``model.coordinate_names``) is c₀ + c₁ x + c₂ x² + … of that named ``second``, or the constant c₀.
        first, second : str
            Names of frames; of a "joint" loop names of coordinates.
        xyz, rpy, placement : array_like, optional
            Pose of the second frame in the first where the loop is closed, as of :meth:`joint`; numbers or symbols,
            as the length and the pitch.
        axis : array_like, shape (3,) or (2, 3), optional
            Axis in the second frame, as of :meth:`joint`.

        Returns
        -------
        Builder
            The builder itself.
        """
        for end in (name_of("a loop", name), first, *([] if second is None else [second])):
            name_of(f"loop {name!r}: an end", end)
        kind, parameter = _type_of(f"loop {name!r}", type)
        kind = loop_name(kind)
        if kind == "joint":
            self._loops.append(CoordinateLoop(name, first, second or "", _coefficients(name, second, parameter)))
            return self
        made = loop_type(kind, parameter)
        if kind not in AXIAL and axis is not None:
            raise InputError(f"loop {name!r}: a {kind} loop has no axis")
        if second is None:
            raise ArgumentError(f"loop {name!r}: a {kind} loop is between two frames; only one is given")
        pitch = parameter if kind == "helical" else None
        if axis is not None and is_symbolic(axis):
            raise ArgumentError(
                f"loop {name!r}: the axis of a loop is of numbers; got {axis!r}. Symbols are accepted in the pose of a "
                "frame: .frame(name, body, rpy=[x, y, z])"
            )
        alignment = motion_of(kind, *_axes(axis), None if pitch is None else 1.0)[1] if kind in AXIAL else np.eye(3)
        self._loops.append(Loop(name, first, second, made, placed(f"loop {name!r}", placement, xyz, rpy), alignment))
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
        through: Sequence[str | tuple[str, Any] | Wrap] = (),
        limits: tuple[float, float] | None = None,
        friction: float = 0.0,
    ) -> Builder:
        """Add a massless spring and damper between two points of two bodies.

        Parameters
        ----------
        a, b : str or tuple
            Ends: the name of a link, of a frame or "world", or ``(body, xyz)`` with a point in the body's frame in m.
            Such a point becomes a frame, "<name>_a" or "<name>_b".
        stiffness : float, optional
            Stiffness in N/m.
        damping : float, optional
            Damping in N s/m.
        length : float or tuple of float, optional
            Free length in m; by default the length at the neutral configuration, if it is straight. Two lengths are the
            shortest and the longest at which the spring is relaxed: (0, L) is a rope, (L, inf) a buffer. The damper
            acts at any length.
        name : str, optional
            Name; by default spring1, spring2, ….
        through : sequence, optional
            Points that the spring passes through without friction, in order (an eyelet, a small pulley). Its length is
            then the sum of its straight segments. A :class:`~linkwright.Wrap` between two points is a sphere or a
            cylinder around which it passes.
        limits : (float, float), optional
            Shortest and longest length in m, in steps with ``joint_limits``.
        friction : float, optional
            Dry friction in N against a change of the length.

        Returns
        -------
        Builder
            The builder itself.

        Notes
        -----
        The spring acts in ``passive_forces``, ``spring_energy`` and ``simulate``, like the springs of joints. Its
        direction is undefined where its ends meet: within about 1e-9 of its free length the force goes to zero.
        """
        others = [one.name for one in (*self._given.springs, *self._springs)]
        name = _free("spring", others) if name is None else name_of("a spring", name)
        who = f"spring {name!r}"
        if isinstance(through, str) or not isinstance(through, Sequence):
            raise ArgumentError(f"{who}: through is a list of points; got {through!r}")
        labels = ["a", *(str(k + 1) for k in range(len(through))), "b"]
        tendon: Any = tuple(
            end if isinstance(end, Wrap) else self._place(f"{name}_{label}", who, end)
            for label, end in zip(labels, (a, *through, b), strict=True)
        )
        k = float(finite(f"the stiffness of {who}", stiffness, ()))
        d = float(finite(f"the damping of {who}", damping, ()))
        relaxed = None
        if length is not None:
            given = as_numbers(f"the free length of {who}", length)
            if given.shape not in ((), (2,)):
                raise InputError(
                    f"the free length of {who} is one number, or the shortest and the longest; got {length!r}"
                )
            low, high = np.broadcast_to(given, (2,)).tolist()
            relaxed = (low, high)
        dry = float(finite(f"the friction of {who}", friction, ()))
        if limits is not None:
            low, high = finite(f"the limits of {who}", limits, (2,)).tolist()
            limits = (low, high)
        self._springs.append(Spring(name, tendon, k, d, relaxed, limits=limits, friction=dry))
        return self

    def _place(self, name: str, who: str, place: Any) -> str:
        """Return the name of a frame at an end; a point of a body becomes a frame."""
        if isinstance(place, str):
            return place
        if not (isinstance(place, (tuple, list)) and len(place) == 2 and isinstance(place[0], str)):
            raise ArgumentError(f"{who}: an end is the name of a frame, or (body, xyz); got {place!r}")
        body, xyz = place
        p = finite(f"{who}: a point on {body!r}", xyz, (3,))
        frames, bodies = (*self._given.frames, *self._frames), (*self._given.bodies, *self._bodies)
        taken = {one.name for one in frames} | {one.name for one in bodies}
        while name in taken:
            name += "_"
        label = f"{who}: its point {tuple(p.tolist())} on {body!r}"
        self._frames.append(FrameSpec(name, body, pose_matrix(p=p), label=label))
        return name

    def _take(self, what: str, name: str) -> None:
        """Reserve a name; raise :class:`ModelError` if there is one of that kind already."""
        if name in self._names[what]:
            raise ModelError(f"a second {what} is named {name!r}; each {what} needs its own name")
        self._names[what].add(name)

    @explained
    def build(self, root: str | None = None) -> Model:
        """Build the model.

        Parameters
        ----------
        root : {"free", "fixed"}, optional
            Joint of the one body without a joint (or welded to the world): "free" makes it float.

        Returns
        -------
        Model
            Mechanism.

        Raises
        ------
        ModelError
            With all problems of the description.
        """
        return assemble(self.describe().rooted(root) if root else self.describe())

    def describe(self) -> Description:
        """Return the description of all parts that were added.

        Returns
        -------
        Description
            Parts by name, without checks.
        """
        given = self._given
        joints = (*given.joints, *self._joints)
        names = [one.name for one in joints]
        if unknown := [name for name in self._changes if name not in names]:
            raise UnknownNameError("joint", unknown[0], names)
        return replace(
            given,
            bodies=(*given.bodies, *self._bodies),
            joints=tuple(replace(one, **self._changes.get(one.name, {})) for one in joints),
            frames=(*given.frames, *self._frames),
            loops=(*given.loops, *self._loops),
            springs=(*given.springs, *self._springs),
            shapes=(*given.shapes, *self._shapes),
        )


def mass_of(who: str, mass: Any) -> Any:
    """Return a mass as a float or a symbol, after a check."""
    return entries(f"the mass of {who}", mass, ()).item()


def inertia_of(who: str, inertia: Any) -> Array:
    """Return an inertia (3, 3) from a matrix, its diagonal (3,) or one number for all three axes."""
    I = entries(f"the inertia of {who}", inertia, (), (3,), (3, 3))
    if I.shape == (3, 3):
        return I
    x, y, z = np.broadcast_to(I, (3,))
    return np.array([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]])


def _axes(axis: Any) -> tuple[Any, Any]:
    """Return the first and the second axis of a joint, each None where it is not given."""
    if axis is not None and is_symbolic(axis):
        raise ArgumentError(
            f"a joint axis is of numbers; got {axis!r}. Symbols are set later: "
            "with_geometry({'elbow.axis': [x, y, z]})"
        )
    if axis is None or finite("a joint axis", axis, (3,), (2, 3)).ndim == 1:
        return axis, None
    return axis[0], axis[1]


def _type_of(who: str, given: Any) -> tuple[Any, Any]:
    """Return the name of a type and its parameter, of "revolute" or ("helical", 0.01)."""
    if not isinstance(given, (tuple, list)):
        return given, None
    if len(given) != 2:
        raise ArgumentError(f"{who}: type is a name, or (name, parameter); got {given!r}")
    return given[0], given[1]


def _coefficients(loop: str, second: str | None, given: Any) -> tuple[float, ...]:
    if given is None:
        raise InputError(f'loop {loop!r}: a joint loop needs coefficients: type=("joint", (c₀, c₁, …))')
    if is_symbolic(given):
        raise ArgumentError(
            f"loop {loop!r}: the coefficients of a joint loop are numbers; got {given!r}. Symbols are accepted as the "
            "placement, the length or the pitch of a loop between frames"
        )
    c = finite(f"the coefficients of loop {loop!r}", given)
    if c.ndim != 1 or not len(c) or (second is None and len(c) > 1):
        raise InputError(
            f"loop {loop!r}: coefficients are numbers (c₀, c₁, …), only c₀ where there is no second "
            f"coordinate; got {given!r}"
        )
    return tuple(c.tolist())


def _free(start: str, taken: Sequence[str]) -> str:
    """Return start1, start2, …: the name with the next number that is not taken."""
    number = len(taken) + 1
    while f"{start}{number}" in taken:
        number += 1
    return f"{start}{number}"


__all__ = ["WORLD", "Builder"]
