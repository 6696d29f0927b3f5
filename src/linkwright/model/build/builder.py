"""Builder of mechanisms in code."""

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
"""Parameters of a shape that may be None: taken from the other shape, or rigid."""


class Builder:
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

        Returns
        -------
        Builder
            The builder itself.

        Notes
        -----
        All values may be symbols (:func:`lw.symbols`). A body may be massless; functions that need accelerations raise
        :class:`ModelError` if a joint moves no inertia.
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
        """Add a joint.

        Parameters
        ----------
        name : str
            Name of the joint.
        type : str
            "fixed", "revolute", "continuous", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical"
            or "free".
        parent : str
            Name of the parent body, or "world".
        child : str
            Name of the body that the joint moves.
        xyz : array_like, shape (3,), optional
            Position of the joint frame in the parent body in m.
        rpy : array_like, shape (3,), optional
            Roll, pitch and yaw of the joint frame about fixed axes in rad.
        placement : array_like, shape (4, 4), optional
            Pose of the joint frame in the parent body, instead of `xyz` and `rpy`.
        axis : array_like, shape (3,), optional
            Axis in the joint frame, of any length; z by default.
        second_axis : array_like, shape (3,), optional
            Second axis of a universal joint, perpendicular to `axis`.
        pitch : float, optional
            Meters per turn of a helical joint.
        lower, upper : float or array_like, shape (nq,), optional
            Limits of the coordinates in m or rad; None: no limit.
        velocity_limit : float or array_like, shape (nv,), optional
            Largest speed in m/s or rad/s; None: no limit.
        effort_limit : float or array_like, shape (nv,), optional
            Largest effort in N or N m; None: no limit.
        stiffness : float or array_like, shape (nv,), optional
            Stiffness of the joint's springs in N/m or N m/rad.
        rest : float or array_like, shape (nq,), optional
            Coordinates at which the springs are relaxed; None: the neutral ones.
        damping : float or array_like, shape (nv,), optional
            Viscous damping in N s/m or N m s/rad.
        friction : float or array_like, shape (nv,), optional
            Coulomb friction in N or N m. That of free and planar joints is along the axes of the body.
        armature : float or array_like, shape (nv,), optional
            Reflected rotor inertia in kg or kg m². Translations of free and planar joints have none, since their axes
            rotate with the body.
        mimic : str, optional
            Name of the joint that this joint follows (its leader).
        multiplier, offset : float, optional
            The coordinate of a mimic joint is `multiplier` · (coordinate of the leader) + `offset`.

        Returns
        -------
        Builder
            The builder itself.
        """
        who = f"joint {_name('a joint', name)!r}"
        for what, body in (("a parent body", parent), ("a child body", child)):
            _name(f"{who}: {what}", body)
        motion, alignment = motion_of(type, axis, second_axis, pitch)
        follows = None
        if mimic is not None:
            follows = Mimic(
                _name(f"{who}: mimic", mimic),
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
        """Add a closed loop between two frames of the tree.

        Parameters
        ----------
        name : str
            Name of the loop.
        type : str
            "weld", "ball" (coincident origins), "revolute", "prismatic", "cylindrical", "helical", "universal" or
            "planar" (free motions of the joints of these names), "distance" (a massless rod between the origins),
            "mask" (directions in `held`) or "joint" (a coupling of two coordinates).
        first : str
            Name of the first link or frame, or "world". For "joint" the name of a coordinate in
            ``model.coordinate_names``.
        second : str, optional
            Name of the second link or frame, or "world". For "joint" the name of another coordinate; without it the
            first coordinate is constant.
        xyz : array_like, shape (3,), optional
            Position of the second frame in the first in m, when closed.
        rpy : array_like, shape (3,), optional
            Roll, pitch and yaw of the second frame in the first about fixed axes in rad, when closed.
        placement : array_like, shape (4, 4), optional
            Pose of the second frame in the first, instead of `xyz` and `rpy`.
        axis : array_like, shape (3,), optional
            Axis in the second frame, z by default.
        second_axis : array_like, shape (3,), optional
            Second axis of a universal loop.
        pitch : float, optional
            Meters per turn of a helical loop.
        length : float, optional
            Length of the rod in m.
        held : str or sequence of str, optional
            Constrained directions of a mask, in the axes of the second frame: some of "x", "y", "z", "rx", "ry", "rz".
        coefficients : sequence of float, optional
            For "joint": the first coordinate is c₀ + c₁ x + c₂ x² + … of the second coordinate x.

        Returns
        -------
        Builder
            The builder itself.
        """
        for end in (_name("a loop", name), first, *([] if second is None else [second])):
            _name(f"loop {name!r}: an end", end)
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
            Free length in m; by default the length at the neutral configuration. Two lengths are the shortest and the
            longest at which the spring is relaxed: (0, L) is a rope, (L, inf) a buffer. The damper acts at any length.
        name : str, optional
            Name; by default spring1, spring2, ….
        through : sequence, optional
            Points that the spring passes through without friction, in order (an eyelet, a small pulley). Its length is
            then the sum of its straight segments.

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
        name = _free("spring", others) if name is None else _name("a spring", name)
        who = f"spring {name!r}"
        if isinstance(through, str) or not isinstance(through, Sequence):
            raise ArgumentError(f"{who}: through is a list of points; got {through!r}")
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
        """Return the name of a frame at an end; a point of a body becomes a frame."""
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
        """Add a shape to a body, for drawing and contact; shapes have no mass (see :func:`lw.mass_properties`).

        Parameters
        ----------
        body : str
            Name of the body, or "world".
        kind : str
            "sphere" (`radius`), "box" and "ellipsoid" (`size`), "cylinder" and "cone" (`radius`, `length`), "capsule"
            (`radius`, `length`), "plane" (normal z), "height_field" (`heights`, `size`) or "mesh" (`file`, or
            `vertices` and `faces`).
        radius : float, optional
            Radius in m.
        size : array_like, shape (3,), optional
            Extent along x, y and z in m.
        length : float, optional
            Length along z in m: of cylinders and cones from end to end, of capsules between the centers of the caps.
        file : str, optional
            File of a mesh: STL, OBJ or DAE.
        scale : float or array_like, shape (3,), optional
            Scale of a mesh.
        vertices : array_like, shape (n, 3), optional
            Vertices of a mesh in m.
        faces : array_like of int, shape (m, 3), optional
            Vertex indices of the triangles, counterclockwise from outside.
        heights : array_like, shape (rows, columns), optional
            Heights of a height field along z in m: columns along x, rows along y.
        xyz : array_like, shape (3,), optional
            Position of the center in the body's frame in m.
        rpy : array_like, shape (3,), optional
            Roll, pitch and yaw of the shape in the body's frame in rad.
        placement : array_like, shape (4, 4), optional
            Pose of the shape in the body's frame, instead of `xyz` and `rpy`.
        use : {"visual", "collision", "both"}, optional
            Purpose of the shape. Contact of collision shapes is enabled by :meth:`Model.with_ground` and
            :meth:`Model.with_contact`.
        friction : float, optional
            Coefficient of friction. None: that of the other shape, or 0.7 if it has none. The smaller of two
            coefficients is used.
        torsional_friction : float, optional
            Moment about the normal per normal force in m.
        rolling_friction : float, optional
            Moment against rolling per normal force in m.
        restitution : float, optional
            Coefficient of restitution from 0 to 1; None: that of the other shape, or 0 if it has none. The smaller of
            two coefficients is used.
        stiffness : float, optional
            Stiffness of each contact point in N/m; None: rigid.
        damping : float, optional
            Damping of each contact point in N s/m, with a stiffness.
        margin : float, optional
            Distance in m by which the shape is enlarged for contact.
        contype, conaffinity : int, optional
            Bit masks as in MJCF: two shapes touch if the ``contype`` of one and the ``conaffinity`` of the other have a
            common bit.
        color : sequence of float, optional
            Red, green, blue and optionally opacity from 0 to 1.
        name : str, optional
            Name of the shape.

        Returns
        -------
        Builder
            The builder itself.

        Notes
        -----
        A compliant contact exerts max(0, k δ (1 + c δ̇) + d δ̇) with all integration methods. c gives the restitution
        at 1 m/s, at least 0.05; it is zero without a restitution.
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
    """Return a mass as a float or a symbol, after a check."""
    return entries(f"the mass of {who}", mass, ()).item()


def inertia_of(who: str, inertia: Any) -> Array:
    """Return an inertia (3, 3) from a matrix, its diagonal (3,) or one number for all three axes."""
    I = entries(f"the inertia of {who}", inertia, (), (3,), (3, 3))
    if I.shape == (3, 3):
        return I
    x, y, z = np.broadcast_to(I, (3,))
    return np.array([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]])


def _placed(who: str, placement: Any, xyz: Any, rpy: Any) -> Array:
    """Return a pose from a matrix, or from a position and angles, after a check."""
    if placement is not None and (xyz is not None or rpy is not None):
        raise ArgumentError(f"{who}: give placement, or xyz and rpy, not both")
    for part, value in (("xyz", xyz), ("rpy", rpy)):
        if value is not None:
            finite(f"{who}: {part}", value, (3,))
    return pose_of(placement, xyz, None if rpy is None else rotation_rpy(rpy))


def _free(start: str, taken: Sequence[str]) -> str:
    """Return start1, start2, …: the name with the next number that is not taken."""
    number = len(taken) + 1
    while f"{start}{number}" in taken:
        number += 1
    return f"{start}{number}"


def _name(what: str, name: Any) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"{what} is given by its name, a str; got {name!r}")
    return name


__all__ = ["WORLD", "Builder"]
