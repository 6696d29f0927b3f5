"""Models made from models: each method gives what the mechanism built by hand so would be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import explained
from linkwright.spatial.arrays import Array, finite

if TYPE_CHECKING:
    from linkwright.model.build.description import Description
    from linkwright.model.tree import Model


class Editing:
    """The transformations of a :class:`Model`. None changes the model itself; of a minimal model each gives a minimal
    one."""

    if TYPE_CHECKING:
        physical: Model | None
        description: Description

        def minimal(self, form: str = "inertia") -> Model: ...

    @explained
    def with_gravity(self, gravity: Any) -> Model:
        """The same mechanism under another gravity (3,), m/s²."""
        g = finite("gravity", gravity, (3,))
        g.setflags(write=False)
        if self.physical is not None:  # what can be regrouped depends on gravity
            return self.physical.with_gravity(g).minimal()
        description = replace(self.description, gravity=tuple(g.tolist()))
        return replace(self, gravity=g, description=description)  # type: ignore[type-var, return-value]

    @explained
    def with_body(self, name: str, *, mass: Any = ..., center_of_mass: Any = ..., inertia: Any = ...) -> Model:
        """Return the model with another mass (kg), center of mass (3,) or inertia of a moving body.

        A body is what ``model.bodies`` list: a link and all links welded to it, together.
        Arguments that are not given keep their values.
        ``inertia`` is about the center of mass in the body's axes, as in :meth:`Builder.body`. All of the body then
        lies in the link of its name, and links welded to it become massless, as by :meth:`with_parameters`. For one
        link alone there is :meth:`with_link`.

        Raises :class:`ModelError` where ``name`` is a link that is welded to another one or to the world.

        >>> import linkwright as lw
        >>> arm = lw.load("two_link")
        >>> heavier = arm.with_body("link2", mass=1.1 * arm.bodies[1].mass)
        """
        from linkwright.model.change.edited import with_body

        return self._edited(with_body, name, mass, center_of_mass, inertia)

    @explained
    def with_link(self, name: str, *, mass: Any = ..., center_of_mass: Any = ..., inertia: Any = ...) -> Model:
        """Return the model with another mass (kg), center of mass (3,) or inertia of one link; what is not given stays.

        Links that are welded to it keep their own; ``model.bodies`` list the sums. ``inertia`` is about the center of
        mass in the link's axes, as in :meth:`Builder.body`.
        """
        from linkwright.model.change.edited import with_link

        return self._edited(with_link, name, mass, center_of_mass, inertia)

    @explained
    def with_scaled_masses(self, factor: Any) -> Model:
        """Return the model with the mass and inertia of every link multiplied by ``factor``, as of another density.

        Centers of mass, armatures, friction and limits stay.

        >>> import linkwright as lw
        >>> arm = lw.load("two_link")
        >>> heavier = arm.with_scaled_masses(1.1)
        >>> print(f"{lw.total_mass(heavier) / lw.total_mass(arm):.3f}")
        1.100
        """
        from linkwright.model.change.edited import with_scaled_masses

        return self._edited(with_scaled_masses, factor)

    @explained
    def with_joint(
        self,
        name: str,
        *,
        lower: Any = ...,
        upper: Any = ...,
        velocity_limit: Any = ...,
        effort_limit: Any = ...,
        stiffness: Any = ...,
        rest: Any = ...,
        damping: Any = ...,
        friction: Any = ...,
        armature: Any = ...,
    ) -> Model:
        """With other values of one joint, as in :meth:`Builder.joint`: what is not given stays, None is no limit."""
        from linkwright.model.change.edited import with_joint

        values = dict(lower=lower, upper=upper, velocity_limit=velocity_limit, effort_limit=effort_limit)
        values |= dict(stiffness=stiffness, rest=rest, damping=damping, friction=friction, armature=armature)
        return self._edited(with_joint, name, {of: x for of, x in values.items() if x is not ...})

    @explained
    def with_parameters(
        self, parameters: Any, armature: bool = False, friction: bool = False, *, physical: bool = True
    ) -> Model:
        """With the bodies' inertial parameters (p,) as :func:`inertial_parameters` tells them, in its order.

        ``armature`` and ``friction`` say what of joints follows. All of a body lies in the link that it is named after:
        links welded to it become massless; joints that follow others leave armature and friction to their leaders.

        Raises :class:`InputError` where no rigid body has such parameters: its mass is negative, or a moment of
        inertia (its principal one about the center of mass) exceeds the sum of the others. With ``physical=False`` the
        moments may be any that a file may have, and are warned of; masses may not.
        """
        from linkwright.model.change.parameters import with_parameters

        return self._edited(with_parameters, parameters, armature, friction, physical)

    @explained
    def with_payload(
        self, frame: str, mass: Any, center_of_mass: Any = (0.0, 0.0, 0.0), inertia: Any = 0.0, name: str = "payload"
    ) -> Model:
        """With a body welded on at a frame: mass, kg; center of mass (3,) and inertia about it in the frame's axes."""
        from linkwright.model.change.edited import with_payload

        return self._edited(with_payload, frame, mass, center_of_mass, inertia, name)

    @explained
    def with_frame(
        self,
        name: str,
        body: str,
        *,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
    ) -> Model:
        """With one more frame, as :meth:`Builder.frame` adds it."""
        from linkwright.model.change.edited import with_frame

        return self._edited(with_frame, name, body, dict(xyz=xyz, rpy=rpy, placement=placement))

    @explained
    def with_loop(
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
    ) -> Model:
        """With one more closed loop, as :meth:`Builder.loop` adds it."""
        from linkwright.model.change.edited import with_loop

        told: dict[str, Any] = dict(xyz=xyz, rpy=rpy, placement=placement, axis=axis, second_axis=second_axis)
        told |= dict(pitch=pitch, length=length, held=held, coefficients=coefficients)
        return self._edited(with_loop, name, type, first, second, told)

    @explained
    def with_ground(
        self,
        height: float = 0.0,
        *,
        friction: float | None = None,
        torsional_friction: float = 0.0,
        rolling_friction: float = 0.0,
        restitution: float | None = None,
        stiffness: float | None = None,
        damping: float = 0.0,
        margin: float = 0.0,
        normal: Any = (0.0, 0.0, 1.0),
        heights: Any = None,
        size: Any = None,
        only: Sequence[str] | None = None,
    ) -> Model:
        """On a ground, which every shape of a moving body that is made for contact touches: ``model.pairs``.

        ``only``: the names of links or of shapes that touch it, where that is not all: each costs time.

        The ground is a plane through (0, 0, ``height``), m, across ``normal``; or a surface of ``heights``
        (rows, columns), m above it, over the rectangle ``size`` (x, y), m, about its middle: columns along x, rows
        along y. It is the last of ``model.shapes``, named "ground", on "world". What it is like to touch is told as in
        :meth:`Builder.shape`: ``friction`` None takes that of what stands on it, where that has none 0.7; of two
        given the smaller counts. A leaning ``normal`` leans a surface of heights as a whole, the heights along it, as
        a plane. Shapes that are added later, or appended, touch it after :meth:`with_contact`.

        Raises :class:`ModelError` where no shape of a moving body touches anything, and where there is a ground.
        Warns once of shapes that cannot touch it: cones, meshes that cannot be read, ellipsoids and meshes on heights.
        """
        from linkwright.model.change.touching import with_ground

        surface = dict(friction=friction, torsional_friction=torsional_friction, rolling_friction=rolling_friction)
        surface |= dict(restitution=restitution, stiffness=stiffness, damping=damping, margin=margin)
        return self._edited(with_ground, height, normal, heights, size, only, surface)

    @explained
    def with_contact(
        self, between: Sequence[str] | None = None, exclude: Sequence[tuple[str, str]] = (), itself: bool = True
    ) -> Model:
        """With all pairs of shapes that may touch each other, found by the rules of MJCF: ``model.pairs``.

        Two shapes made for contact are a pair unless they are on one body (what is welded together is one), or on a
        body and the one that it is joined to (but for the world), or their ``contype`` and ``conaffinity`` have no bit
        in common, or a file excludes their links. Pairs that there are stay as they are, and those that a file lists
        are taken as it tells them. ``between``: names of links or of shapes; both of a new pair are among these.
        ``exclude``: pairs of such names that do not touch. ``itself``: whether moving bodies touch each other;
        else they touch what stands still alone, as a file's floor, which takes a fraction of the time.

        Raises :class:`ModelError` where there is no pair then, of those that ``between`` asks for either; warns once of
        pairs of kinds that have no points of contact: such as meshes, whose convex hulls touch planes alone.
        """
        from linkwright.model.change.touching import with_contact

        return self._edited(with_contact, between, exclude, itself)

    @explained
    def without_loop(self, name: str) -> Model:
        """Without one of its closed loops: what it held together is open."""
        from linkwright.model.change.edited import without_loop

        return self._edited(without_loop, name)

    @explained
    def append(self, other: Model, frame: str = "world", prefix: str = "") -> Model:
        """With another mechanism mounted on it: the other's world becomes this one's ``frame``.

        ``prefix`` is put before the names of the other's bodies, joints, frames, loops and springs. Gravity is this
        mechanism's. Raises :class:`ModelError` where names of both are the same.
        """
        from linkwright.model.change.edited import append

        return self._edited(append, other, frame, prefix)

    @explained
    def reroot(self, body: str, root: str | None = None) -> Model:
        """The mechanism carried by another of its links: by the one joint at the world it now hangs on ``body``.

        ``root`` "free" sets that link afloat, its coordinates its pose, "fixed" welds it where the first link was
        welded (of one that floated: at the world's frame); not given, it is held as the first link was. Joints on the
        way are turned round: those of axes (revolute, prismatic, helical, cylindrical, universal, compounds of these)
        keep every coordinate, those of compounds and universal ones in reverse order;
        spherical, planar and free ones have the inverse of what they had. Raises :class:`InputError` where the world
        carries several links or one by another joint, and where springs or limits of an inverted joint cannot be told
        in its new coordinates.
        """
        from linkwright.model.change.rerooted import rerooted

        return self._edited(rerooted, body, root)

    @explained
    def mirror(self, axis: str = "y", names: Mapping[str, str] | None = None) -> Model:
        """The mirror image of the mechanism, by the plane through the world's origin across ``axis``.

        The same coordinates give the mirrored posture, but for these: of spherical and free joints positions change
        the sign of the entry along ``axis``, quaternions those of the two other entries of their vector; cylindrical
        joints change the sign of the displacement. ``names``: {part of a name: what takes its place}, as
        {"left": "right", "right": "left"}. Gravity stays.
        """
        from linkwright.model.change.mirrored import mirrored

        return self._edited(mirrored, axis, names)

    @explained
    def lock(self, positions: Mapping[str, Any]) -> Model:
        """The mechanism with some joints fixed at given coordinates ({joint: q}); frames stay."""
        from linkwright.model.change.locking import lock

        return self._edited(lock, positions)

    def _edited(self, edit: Callable[..., Model], *arguments: Any) -> Model:
        """What ``edit`` makes of the model, or of the one that it is the minimal of."""
        if self.physical is None:
            return edit(self, *arguments)
        return edit(self.physical, *arguments).minimal()


def mapped_rest(rest: Any, change: Callable[[Array], Array]) -> Any:
    """Where springs are relaxed in other coordinates; None, the neutral configuration, stays."""
    return None if rest is None else change(np.asarray(rest, dtype=float))
