"""Transformations of a model as methods; each returns a new model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from linkwright.errors import explained
from linkwright.spatial.arrays import entries

if TYPE_CHECKING:
    from linkwright.model.build.description import Description
    from linkwright.model.build.options import ContactProperties
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
            Gravity in the world in m/s²; symbols give expressions.

        Returns
        -------
        Model
            Changed mechanism.
        """
        g = entries("gravity", gravity, (3,))
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
        from linkwright.model.transformations.additions import with_body

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
        from linkwright.model.transformations.additions import with_link

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
        from linkwright.model.transformations.additions import with_scaled_masses

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
        neutral: Any = ...,
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
        neutral : float or array_like, shape (nq,), optional
            Coordinates in the neutral configuration, :meth:`Model.neutral`; None: zeros and unit quaternions.

        Returns
        -------
        Model
            Changed mechanism.
        """
        from linkwright.model.transformations.additions import with_joint

        values = dict(lower=lower, upper=upper, velocity_limit=velocity_limit, effort_limit=effort_limit)
        values |= dict(stiffness=stiffness, rest=rest, damping=damping, friction=friction, armature=armature)
        values |= dict(neutral=neutral)
        return self._edited(with_joint, name, {of: x for of, x in values.items() if x is not ...})

    @explained
    def with_parameters(
        self, parameters: Any, *, armature: bool = False, friction: bool = False, physical: bool = True
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
        from linkwright.model.transformations.parameters import with_parameters

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
        from linkwright.model.transformations.additions import with_payload

        return self._edited(with_payload, frame, mass, center_of_mass, inertia, name)

    @explained
    def with_geometry(self, values: Mapping[str, Any]) -> Model:
        """Return the model with other positions, axes and sizes of joints, frames and shapes.

        Parameters
        ----------
        values : mapping
            Numbers or symbols by name: of a joint, frame or shape ``.position`` (3,) in its link in m, ``.orientation``
            (4,), a quaternion, ``.distance`` (), from the origin of its link in the same direction; of a joint
            ``.axis`` (3,), in its own axes; of a shape ``.radius`` (), ``.length`` () or ``.size`` (3,) in m.

        Returns
        -------
        Model
            Changed mechanism. Masses and inertias, in the axes of their links, do not change.

        Examples
        --------
        >>> import linkwright as lw
        >>> longer = lw.load("two_link").with_geometry({"joint2.position": [1.2, 0.0, 0.0]})
        >>> longer.geometry_of("joint2.distance")
        1.2
        """
        from linkwright.model.transformations.geometry import with_geometry

        return self._edited(with_geometry, values)

    @explained
    def with_frame(
        self,
        name: str,
        body: str,
        *,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
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
        from linkwright.model.transformations.additions import with_frame

        return self._edited(with_frame, name, body, dict(xyz=xyz, rpy=rpy, placement=placement))

    @explained
    def with_loop(
        self,
        name: str,
        type: str | tuple[str, Any],
        first: str,
        second: str | None = None,
        *,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        placement: Any = None,
        axis: Any = None,
    ) -> Model:
        """Return the model with an additional closed loop.

        Parameters
        ----------
        name : str
            Name of the loop.
        type, first, second, xyz, rpy, placement, axis : optional
            Arguments of :meth:`Builder.loop`.

        Returns
        -------
        Model
            Changed mechanism.
        """
        from linkwright.model.transformations.additions import with_loop

        place = dict(xyz=xyz, rpy=rpy, placement=placement, axis=axis)
        return self._edited(with_loop, name, type, first, second, place)

    @explained
    def with_ground(
        self,
        height: float = 0.0,
        *,
        contact: ContactProperties | None = None,
        normal: Any = (0.0, 0.0, 1.0),
        heights: Any = None,
        size: Any = None,
        only: Sequence[str] | None = None,
    ) -> Model:
        """Return the model on a ground, in contact with every collision shape of a moving body (``model.pairs``).

        Parameters
        ----------
        height : float, optional
            The ground passes through (0, 0, `height`), m.
        contact : ContactProperties, optional
            Friction, restitution and stiffness of the ground.
        normal : array_like, shape (3,), optional
            Normal of the ground; a surface of `heights` is inclined as a whole.
        heights : array_like, shape (rows, columns), optional
            Heights of the ground in m over the rectangle `size`: columns along x, rows along y. By default the ground
            is a plane.
        size : (float, float), optional
            Lengths of the sides of the rectangle along x and y in m, with `heights`.
        only : sequence of str, optional
            Names of the links or shapes that touch the ground; all by default. Each one takes time.

        Returns
        -------
        Model
            Changed mechanism. The ground is the last of its ``shapes``, named "ground", on "world". Shapes that are
            added later touch it after :meth:`with_contact`.

        Raises
        ------
        ModelError
            If no shape of a moving body is made for contact, or if the model has a ground.

        Warns
        -----
        LinkwrightWarning
            For shapes that cannot touch it, such as unreadable meshes.
        """
        from linkwright.model.transformations.contact_pairs import with_ground

        return self._edited(with_ground, height, normal, heights, size, only, contact)

    @explained
    def with_contact(
        self,
        *,
        between: Sequence[str] | None = None,
        exclude: Sequence[tuple[str, str]] = (),
        itself: bool = True,
        srdf: str | os.PathLike[str] | None = None,
        exclude_overlapping: bool = True,
    ) -> Model:
        """Return the model with all pairs of shapes that may touch.

        Two collision shapes are a pair unless they are on one body (including welded links), or on a body and its
        parent (also a base that is welded to the world), or their ``contype`` and ``conaffinity`` have no common bit,
        or a file excludes their links, or their links always overlap. Existing pairs do not change, and pairs that a
        file lists are kept.

        Parameters
        ----------
        between : sequence of str, optional
            Names of links or shapes that both shapes of a new pair must be among.
        exclude : sequence of tuple of str, optional
            Pairs of such names that do not touch.
        itself : bool, optional
            Whether moving bodies touch each other. With False they touch only bodies at rest, such as the floor of a
            file, which is much faster.
        srdf : str or path-like, optional
            SRDF file of MoveIt, or its text: the links of its ``disable_collisions`` do not touch.
        exclude_overlapping : bool, optional
            Leave out links whose shapes overlap in the neutral and in all of 20 sampled configurations. With False they
            repel each other, as in MuJoCo.

        Returns
        -------
        Model
            Mechanism with ``pairs`` of contact. Its ``excluded`` pairs of links include those of the SRDF file and
            those that always overlap; ``model.save("robot.srdf")`` writes them.

        Raises
        ------
        ModelError
            If no pair is found.

        Notes
        -----
        Pairs of links that always overlap cause one warning, which lists them. Pairs of kinds without contact points
        cause another one. Meshes touch as convex hulls: ``decompose_meshes`` keeps holes open. Cones touch as hulls of
        64 vertices, up to 0.13 % of the radius inside.
        """
        from linkwright.model.transformations.contact_pairs import with_contact

        return self._edited(with_contact, between, exclude, itself, srdf, exclude_overlapping)

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
        from linkwright.model.transformations.additions import without_loop

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
        from linkwright.model.transformations.additions import append

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
        from linkwright.model.transformations.rerooting import rerooted

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
        from linkwright.model.transformations.mirror_image import mirrored

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
        from linkwright.model.transformations.locking import lock

        return self._edited(lock, positions)

    def _edited(self, edit: Callable[..., Model], *arguments: Any) -> Model:
        """Apply ``edit`` to the model; for a minimal model, to the model that it was made from."""
        if self.physical is None:
            return edit(self, *arguments)
        return edit(self.physical, *arguments).minimal()
