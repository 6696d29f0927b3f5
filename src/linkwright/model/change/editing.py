"""Transformations of a model as methods; each returns a new model."""

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
    """Transformations of a :class:`Model`, which is not changed; those of a minimal model return a minimal model."""

    if TYPE_CHECKING:
        physical: Model | None
        description: Description

        def minimal(self, form: str = "inertia") -> Model: ...

    @explained
    def with_gravity(self, gravity: Any) -> Model:
        """Return the model with another gravity.

        Parameters
        ----------
        gravity : array_like, shape (3,)
            Gravity in the world in m/s².

        Returns
        -------
        Model
            Changed mechanism.
        """
        g = finite("gravity", gravity, (3,))
        g.setflags(write=False)
        if self.physical is not None:  # regrouping depends on gravity
            return self.physical.with_gravity(g).minimal()
        description = replace(self.description, gravity=tuple(g.tolist()))
        return replace(self, gravity=g, description=description)  # type: ignore[type-var, return-value]

    @explained
    def with_body(self, name: str, *, mass: Any = ..., center_of_mass: Any = ..., inertia: Any = ...) -> Model:
        """Return the model with other inertial parameters of a moving body.

        A moving body is an entry of ``model.bodies``: a link with all links that are welded to it. Its parameters are
        then those of the link of its name, and links that are welded to it become massless, as in
        :meth:`with_parameters`. For a single link use :meth:`with_link`.

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
        Model
            Changed mechanism.

        Raises
        ------
        ModelError
            If `name` is a link that is welded to another one or to the world.

        Examples
        --------
        >>> import linkwright as lw
        >>> arm = lw.load("two_link")
        >>> heavier = arm.with_body("link2", mass=1.1 * arm.bodies[1].mass)
        """
        from linkwright.model.change.edited import with_body

        return self._edited(with_body, name, mass, center_of_mass, inertia)

    @explained
    def with_link(self, name: str, *, mass: Any = ..., center_of_mass: Any = ..., inertia: Any = ...) -> Model:
        """Return the model with other inertial parameters of one link.

        Links that are welded to it keep theirs; ``model.bodies`` contain the sums.

        Parameters
        ----------
        name : str
            Name of the link.
        mass : float or Expr, optional
            Mass in kg.
        center_of_mass : array_like, shape (3,), optional
            Center of mass in the axes of the body in m.
        inertia : array_like, shape (3, 3), (3,) or (), optional
            Inertia about the center of mass in the axes of the body in kg m²: a matrix, its diagonal, or one number.

        Returns
        -------
        Model
            Changed mechanism.
        """
        from linkwright.model.change.edited import with_link

        return self._edited(with_link, name, mass, center_of_mass, inertia)

    @explained
    def with_scaled_masses(self, factor: Any) -> Model:
        """Return the model with all masses and inertias multiplied by a factor.

        Centers of mass, armatures, friction and limits do not change.

        Parameters
        ----------
        factor : float or Expr
            Factor, which must be positive.

        Returns
        -------
        Model
            Changed mechanism.

        Examples
        --------
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
        """Return the model with other values of one joint; values that are not given do not change.

        Parameters
        ----------
        name : str
            Name of the joint.
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

        Returns
        -------
        Model
            Changed mechanism.
        """
        from linkwright.model.change.edited import with_joint

        values = dict(lower=lower, upper=upper, velocity_limit=velocity_limit, effort_limit=effort_limit)
        values |= dict(stiffness=stiffness, rest=rest, damping=damping, friction=friction, armature=armature)
        return self._edited(with_joint, name, {of: x for of, x in values.items() if x is not ...})

    @explained
    def with_parameters(
        self, parameters: Any, armature: bool = False, friction: bool = False, *, physical: bool = True
    ) -> Model:
        """Return the model with other inertial parameters.

        Parameters
        ----------
        parameters : array_like, shape (p,)
            Parameters in the order of :func:`inertial_parameters`. The parameters of a body are then those of the link
            of its name, and links that are welded to it become massless. Mimic joints have no armature and friction;
            their leaders have their shares.
        armature : bool, optional
            Whether `parameters` contain armatures.
        friction : bool, optional
            Whether `parameters` contain damping and friction.
        physical : bool, optional
            Require physically consistent moments of inertia. With False inconsistent moments cause a warning.

        Returns
        -------
        Model
            Changed mechanism.

        Raises
        ------
        InputError
            If no rigid body has such parameters: a mass is negative, or a principal moment of inertia about the center
            of mass exceeds the sum of the others.
        """
        from linkwright.model.change.parameters import with_parameters

        return self._edited(with_parameters, parameters, armature, friction, physical)

    @explained
    def with_payload(
        self, frame: str, mass: Any, center_of_mass: Any = (0.0, 0.0, 0.0), inertia: Any = 0.0, name: str = "payload"
    ) -> Model:
        """Return the model with a body welded to a frame.

        Parameters
        ----------
        frame : str
            Name of the frame.
        mass : float or Expr
            Mass in kg.
        center_of_mass : array_like, shape (3,), optional
            Center of mass in the frame in m.
        inertia : array_like, shape (3, 3), (3,) or (), optional
            Inertia about the center of mass in the axes of the frame in kg m².
        name : str, optional
            Name of the new link.

        Returns
        -------
        Model
            Changed mechanism.

        Examples
        --------
        >>> import linkwright as lw
        >>> loaded = lw.load("two_link").with_payload("tip", mass=0.5)
        >>> round(float(lw.total_mass(loaded)), 9)
        2.5
        """
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
        """Return the model with an additional frame.

        Parameters
        ----------
        name : str
            Name of the frame.
        body : str
            Name of a link, or "world".
        xyz : array_like, shape (3,), optional
            Position in m.
        rpy : array_like, shape (3,), optional
            Roll, pitch and yaw about fixed axes in rad.
        placement : array_like, shape (4, 4), optional
            Pose, instead of `xyz` and `rpy`.

        Returns
        -------
        Model
            Changed mechanism.
        """
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
        """Return the model with an additional closed loop, as in :meth:`Builder.loop`.

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
        Model
            Changed mechanism.
        """
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
        """Return the model on a ground, in contact with the collision shapes of all moving bodies.

        Parameters
        ----------
        height : float, optional
            Height of the ground in m: the plane contains the point (0, 0, `height`).
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
        normal : array_like, shape (3,), optional
            Normal of the ground in the world. It inclines a height field as a whole.
        heights : array_like, shape (rows, columns), optional
            Heights of a height field above the plane in m: columns along x, rows along y.
        size : tuple of float, optional
            Extent (x, y) of the height field in m, centered.
        only : sequence of str, optional
            Names of the links or shapes that can touch the ground; by default all. Each pair has a cost.

        Returns
        -------
        Model
            Mechanism with ``pairs`` of contact. The ground is the last of ``shapes``, with the name "ground" on
            "world". Shapes that are added later touch it after :meth:`with_contact`.

        Raises
        ------
        ModelError
            If no moving body has a collision shape, or if the model has a ground.

        Notes
        -----
        Shapes without contact points on the ground cause one warning: cones, meshes that cannot be read, ellipsoids and
        meshes on height fields.
        """
        from linkwright.model.change.touching import with_ground

        surface = dict(friction=friction, torsional_friction=torsional_friction, rolling_friction=rolling_friction)
        surface |= dict(restitution=restitution, stiffness=stiffness, damping=damping, margin=margin)
        return self._edited(with_ground, height, normal, heights, size, only, surface)

    @explained
    def with_contact(
        self, between: Sequence[str] | None = None, exclude: Sequence[tuple[str, str]] = (), itself: bool = True
    ) -> Model:
        """Return the model with all pairs of shapes that may touch, by the rules of MJCF.

        Two collision shapes are a pair unless they are on one body (including welded links), or on a body and its
        parent (other than the world), or their ``contype`` and ``conaffinity`` have no common bit, or a file excludes
        their links. Existing pairs do not change, and pairs that a file lists are kept.

        Parameters
        ----------
        between : sequence of str, optional
            Names of links or shapes that both shapes of a new pair must be among.
        exclude : sequence of tuple of str, optional
            Pairs of such names that do not touch.
        itself : bool, optional
            Whether moving bodies touch each other. With False they touch only bodies at rest, such as the floor of a
            file, which is much faster.

        Returns
        -------
        Model
            Mechanism with ``pairs`` of contact.

        Raises
        ------
        ModelError
            If no pair is found.

        Notes
        -----
        Pairs of kinds without contact points cause one warning, such as pairs of meshes, whose convex hulls touch only
        planes.
        """
        from linkwright.model.change.touching import with_contact

        return self._edited(with_contact, between, exclude, itself)

    @explained
    def without_loop(self, name: str) -> Model:
        """Return the model without one of its closed loops, which is then open.

        Parameters
        ----------
        name : str
            Name of the loop.

        Returns
        -------
        Model
            Changed mechanism.
        """
        from linkwright.model.change.edited import without_loop

        return self._edited(without_loop, name)

    @explained
    def append(self, other: Model, frame: str = "world", prefix: str = "") -> Model:
        """Return the model with another mechanism mounted on it.

        Parameters
        ----------
        other : Model
            Other mechanism, whose world becomes `frame`. Gravity is that of this mechanism.
        frame : str, optional
            Name of a frame of this mechanism.
        prefix : str, optional
            Prefix of the names of the other's bodies, joints, frames, loops and springs.

        Returns
        -------
        Model
            Changed mechanism.

        Raises
        ------
        ModelError
            If both mechanisms have a name in common.
        """
        from linkwright.model.change.edited import append

        return self._edited(append, other, frame, prefix)

    @explained
    def reroot(self, body: str, root: str | None = None) -> Model:
        """Return the model with another link as its root, on the joint that is now on the world.

        Parameters
        ----------
        body : str
            Name of the new root link.
        root : {"free", "fixed"}, optional
            "free": the link floats, with its pose as coordinates. "fixed": it is welded where the first link was welded
            (for a floating mechanism at the world's frame). By default the type of the first link's joint.

        Returns
        -------
        Model
            Changed mechanism.

        Raises
        ------
        InputError
            If the world has several joints or one of another type, or if springs or limits of an inverted joint have no
            equivalent in its new coordinates.

        Notes
        -----
        Joints on the path are inverted. Joints with axes (revolute, prismatic, helical, cylindrical, universal,
        compounds of these) keep all coordinates, compound and universal joints in reverse order. Spherical, planar and
        free joints have the coordinates of the inverse motion.
        """
        from linkwright.model.change.rerooted import rerooted

        return self._edited(rerooted, body, root)

    @explained
    def mirror(self, axis: str = "y", names: Mapping[str, str] | None = None) -> Model:
        """Return the mirror image of the mechanism about the plane through the world's origin perpendicular to an axis.

        Parameters
        ----------
        axis : {"x", "y", "z"}, optional
            Normal of the plane.
        names : dict of str to str, optional
            Replacements of parts of names: ``{"left": "right", "right": "left"}``.

        Returns
        -------
        Model
            Mirror image, with the same gravity. The same coordinates give the mirrored posture, with these exceptions:
            for spherical and free joints the sign of the position along `axis` and of the quaternion's other two vector
            entries changes; for cylindrical joints that of the displacement.
        """
        from linkwright.model.change.mirrored import mirrored

        return self._edited(mirrored, axis, names)

    @explained
    def lock(self, positions: Mapping[str, Any]) -> Model:
        """Return the model with some joints locked; its frames do not change.

        Parameters
        ----------
        positions : dict of str to array_like
            Coordinates of the joints to lock, by name.

        Returns
        -------
        Model
            Changed mechanism.

        Raises
        ------
        UnknownNameError
            If a joint does not exist.
        InputError
            If a joint cannot be locked at its coordinates.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").lock({"joint1": 0.5}).nq
        1
        """
        from linkwright.model.change.locking import lock

        return self._edited(lock, positions)

    def _edited(self, edit: Callable[..., Model], *arguments: Any) -> Model:
        """Apply ``edit`` to the model; for a minimal model, to the model that it was made from."""
        if self.physical is None:
            return edit(self, *arguments)
        return edit(self.physical, *arguments).minimal()


def mapped_rest(rest: Any, change: Callable[[Array], Array]) -> Any:
    """Return coordinates of relaxed springs after a change of coordinates; None, the neutral configuration, is kept."""
    return None if rest is None else change(np.asarray(rest, dtype=float))
