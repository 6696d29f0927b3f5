"""Center of mass, momentum and their Jacobians (`equations.md` §2; Orin & Goswami 2008)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from linkwright.dynamics.frames.jacobian import columns
from linkwright.dynamics.inertias.mass import composite_inertias
from linkwright.dynamics.kinematics import (
    KinematicPath,
    body_accelerations,
    body_poses,
    body_velocities,
    frame_pose,
    way_between,
)
from linkwright.errors import InputError, ModelError, is_choice
from linkwright.model.build.description import WORLD
from linkwright.model.elements import Frame, Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.provided import returns_sympy
from linkwright.spatial.arrays import Array, Shaped, is_zero, mirror, where
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia, congruence
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose
from linkwright.spatial.vectors import force_cross, motion_cross

NO_FORCE = 1e-10
"""A sum of forces below this fraction of their magnitudes is zero to rounding."""


@takes_model
@returns_sympy
def total_mass(model: Model) -> float:
    """Compute the total mass of all moving bodies.

    Parameters
    ----------
    model : Model
        Mechanism.

    Returns
    -------
    float
        Mass in kg, without :func:`welded_mass`.
    """
    model.require_physical("the total mass")
    return sum((link.rigid_inertia.mass for link in model.links), 0.0)


@takes_model
def welded_mass(model: Model) -> float:
    """Compute the mass of all bodies that are welded to the world.

    Parameters
    ----------
    model : Model
        Mechanism.

    Returns
    -------
    float
        Mass in kg.
    """
    return model.welded.mass


@takes_model
def center_of_mass(model: Model, q: Shaped[Array, "nq"], body: str | None = None) -> Shaped[Array, "3"]:
    """Compute the center of mass of all moving bodies, or of one body.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    body : str, optional
        Name of a link: its center of mass alone, with the links that are fixed to it. With its descendants:
        :func:`subtree_center_of_mass`.

    Returns
    -------
    ndarray, shape (..., 3)
        Position in the world in m.

    Raises
    ------
    ModelError
        If no moving body, or `body`, has mass.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.center_of_mass(arm, [0.0, 0.0])
    array([1., 0., 0.])
    >>> lw.center_of_mass(arm, [0.0, 0.0], "link2")
    array([1.5, 0. , 0. ])
    """
    model.require_physical("the center of mass")
    if body is not None:
        return frame_pose(model, q, _way_to_center(model, body))[:3, 3]
    return first_moment(model, q) / _mass(model)


def _way_to_center(model: Model, body: str) -> KinematicPath:
    """Return the joints that move the center of mass of a body, as of a frame there."""
    way = way_between(model, body, WORLD)
    if way.end.body < 0:
        raise ModelError(f"{body!r} is fixed in the world: its center of mass does not move")
    inertia = model.links[way.end.body].rigid_inertia
    if is_zero(inertia.mass):
        raise ModelError(f"{body!r} has no center of mass: it has no mass")
    x, y, z = inertia.first_moment / inertia.mass
    placement = np.array([[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]])
    return way._replace(end=Frame(way.end.body, placement))


def _mass(model: Model) -> float:
    mass = total_mass(model)
    if isinstance(mass, float) and mass == 0.0:
        raise ModelError(f"{model.name!r} has no center of mass: no moving body has mass")
    return mass


def first_moment(model: Model, q: Array) -> Array:
    """Return Σ m c (3,) of all moving bodies in the world, in kg m."""

    def inward(link: Link, received: tuple[float, Array], q: Array) -> tuple[None, tuple[float, Array]]:
        m, h = received[0] + link.rigid_inertia.mass, received[1] + link.rigid_inertia.first_moment
        R, p = split_pose(link.transform(q))
        return None, (m, R @ h + m * p)

    _, (_, h) = model.inward(inward, (0.0, np.zeros(3)), model.coordinates(q))
    return h


@takes_model
def center_of_mass_jacobian(model: Model, q: Shaped[Array, "nq"], body: str | None = None) -> Shaped[Array, "3 nv"]:
    """Compute the Jacobian of the center of mass of all moving bodies, or of one body.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    body : str, optional
        Name of a link: its center of mass alone, with the links that are fixed to it.

    Returns
    -------
    ndarray, shape (..., 3, nv)
        J; the velocity of the center of mass is J v.

    Raises
    ------
    ModelError
        If no moving body, or `body`, has mass.
    """
    model.require_physical("the center of mass")
    if body is not None:
        columns_of_center = columns(model, q, _way_to_center(model, body), "world_aligned")
        return model.assemble(columns_of_center, (6,))[:3]
    return momentum_matrix(model, q)[:3] / _mass(model)


@takes_model
def momentum(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], point: Shaped[Array, "3"] | None = None
) -> Shaped[Array, "6"]:
    """Compute the momentum of all moving bodies about their center of mass, or another point.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    point : array_like, shape (..., 3), optional
        Point in the world in m; by default the center of mass.

    Returns
    -------
    ndarray, shape (..., 6)
        Momentum [P; L] in world axes, in N s and N m s.

    References
    ----------
    Orin & Goswami, "Centroidal momentum matrix of a humanoid robot: structure and properties", *IROS* 2008, section II.
    """
    model.require_physical("momentum")

    def inward(link: Link, received: tuple[Array], q: Array, V: Array) -> tuple[None, tuple[Array]]:
        return None, (force_to_parent(link.transform(q), link.rigid_inertia.times(V) + received[0]),)

    twists = body_velocities(model, q, v)
    _, (total,) = model.inward(inward, (np.zeros(6),), model.coordinates(q), twists)
    P, L = total[:3], total[3:]
    return np.concatenate([P, L - skew(center_of_mass(model, q) if point is None else point) @ P])


@takes_model
def momentum_rate(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], a: Shaped[Array, "nv"]
) -> Shaped[Array, "6"]:
    """Compute the rate of :func:`momentum`, Ȧ v + A a, without the matrices.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    a : array_like, shape (..., nv)
        Acceleration.

    Returns
    -------
    ndarray, shape (..., 6)
        Rate [Ṗ; L̇] in world axes, in N and N m.
    """
    model.require_physical("momentum")
    rate = _forces(model, q, v, a)
    return np.concatenate([rate[:3], rate[3:] - skew(center_of_mass(model, q)) @ rate[:3]])


def _forces(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Return the force (6,) [f; n] about the world's origin that produces the motion, without weight."""

    def inward(link: Link, received: tuple[Array], q: Array, motion: tuple[Array, Array]) -> tuple[None, tuple[Array]]:
        return None, (force_to_parent(link.transform(q), sum(_own_forces(link, motion)) + received[0]),)

    motions = body_accelerations(model, q, v, a)
    _, (total,) = model.inward(inward, (np.zeros(6),), model.coordinates(q), motions)
    return total


def _forces_and_size(model: Model, q: Array, v: Array, a: Array) -> tuple[Array, Any]:
    """Return that force and the sum of the magnitudes of its terms in N."""

    def inward(
        link: Link, received: tuple[Array, Any], q: Array, motion: tuple[Array, Array]
    ) -> tuple[None, tuple[Array, Any]]:
        forces = _own_forces(link, motion)
        size = received[1] + sum(abs(force[:3]).sum() for force in forces)
        return None, (force_to_parent(link.transform(q), sum(forces) + received[0]), size)

    motions = body_accelerations(model, q, v, a)
    _, total = model.inward(inward, (np.zeros(6), 0.0), model.coordinates(q), motions)
    return total


def _own_forces(link: Link, motion: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the forces (6,) of a body's acceleration and of its velocity, in its axes."""
    V, A = motion
    I = link.rigid_inertia
    return I.times(A), force_cross(V) @ I.times(V)


@takes_model
def centroidal_velocity(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "6"]:
    """Compute the average velocity of the mechanism: that of its center of mass, and ω = I⁻¹ L.

    With locked joints this velocity has the same momentum.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.

    Returns
    -------
    ndarray, shape (..., 6)
        Velocity [ċ; ω] in world axes, in m/s and rad/s.

    References
    ----------
    Orin & Goswami, "Centroidal momentum matrix of a humanoid robot: structure and properties", *IROS* 2008, section IV.
    """
    h = momentum(model, q, v)
    _, everything = composite_inertias(model, model.each(transform, model.coordinates(q)))
    m = _mass(model)
    C = skew(everything.first_moment / m)
    return np.concatenate([h[:3] / m, solve_symmetric(mirror(everything.inertia + m * (C @ C)), h[3:])])


@takes_model
def zero_moment_point(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], a: Shaped[Array, "nv"], height: float = 0.0
) -> Shaped[Array, "3"]:
    """Compute the zero-moment point on level ground.

    At this point the ground reaction force of the motion, which includes the weight, has no moment about horizontal
    axes.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    a : array_like, shape (..., nv)
        Acceleration.
    height : float, optional
        Height z of the ground in m.

    Returns
    -------
    ndarray, shape (..., 3)
        Point in the world in m. All entries are NaN where the vertical force is below 1e-10 of its terms, as in free
        fall. The point also exists where the ground would have to pull: the vertical force, from :func:`momentum_rate`
        minus the weight, is then negative.

    References
    ----------
    Vukobratović & Stepanenko, "On the stability of anthropomorphic systems", *Mathematical Biosciences* 15, 1972.
    """
    force, size = _forces_and_size(model, q, v, a)
    moment = first_moment(model, q)
    f = force[:3] - total_mass(model) * model.gravity
    n = force[3:] - skew(moment) @ model.gravity
    some = abs(f[2]) > NO_FORCE * (size + total_mass(model) * abs(model.gravity).sum())
    inverse = 1.0 / where(some, f[2], 1.0)
    point = np.stack([(height * f[0] - n[1]) * inverse, (height * f[1] + n[0]) * inverse, 0.0 * inverse + height])
    return where(some, point, np.nan)


@takes_model
def generalized_momentum(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]
) -> tuple[Shaped[Array, "nv"], Shaped[Array, "nv"]]:
    """Compute the generalized momentum p = M v, and n = Cᵀv − g with ṗ = τ + n.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.

    Returns
    -------
    momentum : ndarray, shape (..., nv)
        Generalized momentum p = M v.
    rate : ndarray, shape (..., nv)
        Rate without efforts, n = Cᵀv − g. The efforts τ of ṗ = τ + n are all generalized forces, including passive and
        external ones.

    Notes
    -----
    The difference ṗ − n − τ of the known efforts is the unknown generalized force, computed without accelerations.
    Cᵀv = Ṁ v − C v is the same for every C with Ṁ − 2C skew-symmetric. In Cartesian coordinates it is the gradient of
    the kinetic energy by q. Joint by joint, p = Sᵀh and n = Ṡᵀh + Sᵀf with the momentum h and the weight f of all
    outward bodies and the rate Ṡ of S in the world. Closed loops are ignored.

    References
    ----------
    De Luca, Albu-Schäffer, Haddadin & Hirzinger, "Collision detection and safe reaction with the DLR-III lightweight
    manipulator arm", *IROS* 2006, section III.
    """

    def inward(
        link: Link, received: tuple[Array, Array], T: Array, S: Array, R: Array, V: Array, q: Array, v: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        fall = np.concatenate([R[:3, :3].T @ model.gravity, np.zeros(3)])
        h, f = received[0] + link.rigid_inertia.times(V), received[1] + link.rigid_inertia.times(fall)
        S_dot = motion_cross(V) @ S + link.motion_subspace_rate(q, v)
        found = S.T @ h + link.armature * v, S_dot.T @ h + S.T @ f
        return found, (force_to_parent(T, h), force_to_parent(T, f))

    x, rates = model.coordinates(q), model.rates(v)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    R, V = body_poses(model, q), body_velocities(model, q, v)
    found, _ = model.inward(inward, (np.zeros(6), np.zeros(6)), T, S, R, V, x, rates)
    p, n = (model.each(lambda link, both, k=k: both[k], found) for k in (0, 1))
    return model.assemble(p), model.assemble(n)


BaseAxes = Literal["body", "world"]
"""Axes of the velocities of floating bases: those of the body, as in v, or those of the world."""


@takes_model
def momentum_matrix(model: Model, q: Shaped[Array, "nq"], base: BaseAxes = "body") -> Shaped[Array, "6 nv"]:
    """Compute the centroidal momentum matrix A: the momentum about the center of mass is A v.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    base : {"body", "world"}, optional
        Axes of the velocity of a floating base. With "world", columns of free joints at the ground are for velocities
        [v; ω] of the body's origin in world axes.

    Returns
    -------
    ndarray, shape (..., 6, nv)
        A, without reflected rotor inertias. A column is the momentum at a unit velocity of the joint.

    References
    ----------
    Orin & Goswami, "Centroidal momentum matrix of a humanoid robot: structure and properties", *IROS* 2008, section
    III.
    """
    _check_base(base)
    model.require_physical("momentum")
    if not model.links:
        return np.zeros((6, 0))
    x = model.coordinates(q)
    composites, everything = composite_inertias(model, model.each(transform, x))
    c = everything.first_moment / _mass(model)

    def column(link: Link, q: Array, I: RigidInertia, T: Array, turned: float) -> Array:
        A = _carried(T, c, I.times(link.motion_subspace(q)))
        return A if is_zero(turned) else turned * (A @ _both(T[:3, :3].T)) + (1.0 - turned) * A

    return model.assemble(model.each(column, x, composites, body_poses(model, q), _turned(model, base)), (6,))


@takes_model
def momentum_matrix_dot(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], base: BaseAxes = "body"
) -> Shaped[Array, "6 nv"]:
    """Compute the time derivative Ȧ of :func:`momentum_matrix`, with d(A v)/dt = A a + Ȧ v.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    base : {"body", "world"}, optional
        Axes of the velocity of a floating base.

    Returns
    -------
    ndarray, shape (..., 6, nv)
        Ȧ.

    Notes
    -----
    In the world a column I S has the rate I Ṡ + İ S, where Ṡ = V × S and İ is the sum of V ×* I − I V × over all
    outward bodies; the motion of the center of mass adds a term.
    """
    _check_base(base)
    model.require_physical("momentum")
    if not model.links:
        return np.zeros((6, 0))
    x, rates = model.coordinates(q), model.rates(v)
    T, twists = model.each(transform, x), body_velocities(model, q, v)

    def inward(
        link: Link, received: tuple[RigidInertia, Array], T: Array, V: Array
    ) -> tuple[tuple[RigidInertia, Array], tuple[RigidInertia, Array]]:
        I = link.rigid_inertia.matrix()
        D = -(I @ motion_cross(V))
        composite, rate = link.rigid_inertia + received[0], mirror(D + D.T) + received[1]
        return (composite, rate), (composite.moved(T), congruence(rate, T))

    composites, (everything, _) = model.inward(inward, (NO_INERTIA, np.zeros((6, 6))), T, twists)
    c = everything.first_moment / _mass(model)
    c_dot = momentum(model, q, v)[:3] / _mass(model)

    def column(
        link: Link,
        composite: tuple[RigidInertia, Array],
        T: Array,
        V: Array,
        q: Array,
        v: Array,
        turned: float,
    ) -> Array:
        I, rate = composite
        S = link.motion_subspace(q)
        A = _carried(T, c, I.times(S))
        A_dot = _carried(T, c, I.times(motion_cross(V) @ S + link.motion_subspace_rate(q, v)) + rate @ S)
        A_dot = np.concatenate([A_dot[:3], A_dot[3:] - skew(c_dot) @ A[:3]])
        if is_zero(turned):
            return A_dot
        back = T[:3, :3].T
        return turned * (A_dot @ _both(back) - A @ _both(skew(V[3:]) @ back)) + (1.0 - turned) * A_dot

    columns = model.each(column, composites, body_poses(model, q), twists, x, rates, _turned(model, base))
    return model.assemble(columns, (6,))


def _carried(T: Array, c: Array, F: Array) -> Array:
    """Express forces or momenta (6, k) in body axes in world axes about a point c (3,)."""
    R, p = split_pose(T)
    P = R @ F[:3]
    return np.concatenate([P, R @ F[3:] + skew(p - c) @ P])


def _both(R: Array) -> Array:
    """Return diag(R, R) (6, 6)."""
    nil = np.zeros((3, 3))
    return np.concatenate([np.concatenate([R, nil], axis=1), np.concatenate([nil, R], axis=1)])


def _check_base(base: str) -> None:
    if not is_choice(base, ("body", "world")):
        raise InputError(f"base is {base!r}; it may be 'body' or 'world'")


def _turned(model: Model, base: str) -> list[float]:
    """Return 1.0 for every body whose velocity is in world axes, else 0.0."""
    return [1.0 if base == "world" and link.parent < 0 and link.motion.floating else 0.0 for link in model.links]
