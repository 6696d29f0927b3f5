"""Center of mass, momentum and their Jacobians (`equations.md` §2; Orin & Goswami 2008)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from linkwright.dynamics.inertias.mass import composite_inertias
from linkwright.dynamics.kinematics import body_accelerations, body_poses, body_velocities
from linkwright.errors import InputError, ModelError, is_choice
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Link, Model, motion_subspace, transform
from linkwright.spatial.arrays import Array, Shaped, is_zero, mirror, where
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia, congruence
from linkwright.spatial.linalg import solve_symmetric
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, split_pose
from linkwright.spatial.vectors import force_cross, motion_cross

NO_FORCE = 1e-10
"""A sum of forces below this share of their magnitudes is none, but rounding."""


@takes_model
def total_mass(model: Model) -> float:
    """The mass of everything that moves, kg; what is welded to the world is :func:`welded_mass`."""
    model.require_physical("the total mass")
    return sum((link.rigid_inertia.mass for link in model.links), 0.0)


@takes_model
def welded_mass(model: Model) -> float:
    """The mass of everything welded to the world, kg."""
    return model.welded.mass


@takes_model
def center_of_mass(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "3"]:
    """The center of mass (3,) of everything that moves, in the world, m."""
    model.require_physical("the center of mass")
    return first_moment(model, q) / _mass(model)


def _mass(model: Model) -> float:
    mass = total_mass(model)
    if isinstance(mass, float) and mass == 0.0:
        raise ModelError(f"{model.name!r} has no center of mass: nothing that moves has mass")
    return mass


def first_moment(model: Model, q: Array) -> Array:
    """Σ m c (3,) of everything that moves, in the world, kg m."""

    def inward(link: Link, received: tuple[float, Array], q: Array) -> tuple[None, tuple[float, Array]]:
        m, h = received[0] + link.rigid_inertia.mass, received[1] + link.rigid_inertia.first_moment
        R, p = split_pose(link.transform(q))
        return None, (m, R @ h + m * p)

    _, (_, h) = model.inward(inward, (0.0, np.zeros(3)), model.coordinates(q))
    return h


@takes_model
def center_of_mass_jacobian(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "3 nv"]:
    """The Jacobian (3, nv) of the center of mass: its velocity is J v."""
    model.require_physical("the center of mass")
    return momentum_matrix(model, q)[:3] / _mass(model)


@takes_model
def momentum(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "6"]:
    """The momentum (6,) [P; L] of everything that moves, about its center of mass, in world axes; N s, N m s."""
    model.require_physical("momentum")

    def inward(link: Link, received: tuple[Array], q: Array, V: Array) -> tuple[None, tuple[Array]]:
        return None, (force_to_parent(link.transform(q), link.rigid_inertia.times(V) + received[0]),)

    twists = body_velocities(model, q, v)
    _, (total,) = model.inward(inward, (np.zeros(6),), model.coordinates(q), twists)
    P, L = total[:3], total[3:]
    return np.concatenate([P, L - skew(center_of_mass(model, q)) @ P])


@takes_model
def momentum_about(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], point: Shaped[Array, "3"]
) -> Shaped[Array, "6"]:
    """The momentum (6,) [P; L] of everything that moves about a ``point`` (3,) of the world, in world axes."""
    h = momentum(model, q, v)
    return np.concatenate([h[:3], h[3:] + skew(center_of_mass(model, q) - point) @ h[:3]])


@takes_model
def momentum_rate(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], a: Shaped[Array, "nv"]
) -> Shaped[Array, "6"]:
    """The rate (6,) [Ṗ; L̇] of :func:`momentum`, N and N m: Ȧ v + A a, without the matrices."""
    model.require_physical("momentum")
    rate = _forces(model, q, v, a)
    return np.concatenate([rate[:3], rate[3:] - skew(center_of_mass(model, q)) @ rate[:3]])


def _forces(model: Model, q: Array, v: Array, a: Array) -> Array:
    """The force (6,) [f; n] about the world's origin that the motion takes; weight is not in it."""

    def inward(link: Link, received: tuple[Array], q: Array, motion: tuple[Array, Array]) -> tuple[None, tuple[Array]]:
        return None, (force_to_parent(link.transform(q), sum(_own_forces(link, motion)) + received[0]),)

    motions = body_accelerations(model, q, v, a)
    _, (total,) = model.inward(inward, (np.zeros(6),), model.coordinates(q), motions)
    return total


def _forces_and_size(model: Model, q: Array, v: Array, a: Array) -> tuple[Array, Any]:
    """The same, and how large the forces are that are added up, N: the sum of their entries' magnitudes."""

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
    """What the acceleration (6,) of a body takes, and what its velocity does (6,), in its axes."""
    V, A = motion
    I = link.rigid_inertia
    return I.times(A), force_cross(V) @ I.times(V)


@takes_model
def centroidal_velocity(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "6"]:
    """The velocity (6,) [ċ; ω] of everything as one: of the center of mass, and ω = I⁻¹ L, world axes, m/s and rad/s.

    So would all move, its joints locked, with the momentum that it has (Orin & Goswami 2008).
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
    """The zero-moment point (3,) on the level ground z = ``height``, m, in the world.

    There the force of the ground that this motion takes, weight included, has no moment about level axes
    (Vukobratović & Stepanenko 1972). Without a vertical force, as in flight, there is none and all is NaN: where it is
    below 1e-10 of the forces that are added up to it. Where the ground would have to pull there is a point, too: the
    vertical force, of :func:`momentum_rate` less the weight, is then negative.
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
    """p = M v (nv,) and n = Cᵀv − g (nv,), so that ṗ = τ + n: the momentum, and what changes it besides efforts.

    Efforts τ are all that act along the joints, passive ones and those of wrenches from outside too: of what is not
    accounted for, the difference tells, without accelerations (De Luca et al. 2006). Cᵀv = Ṁ v − C v is the same for
    every C with Ṁ − 2C skew; for plain coordinates it is the gradient of the kinetic energy by q. Joint by joint
    p = Sᵀh and n = Ṡᵀh + Sᵀf, h being the momentum of everything beyond and f its weight, Ṡ the rate of S as the world
    sees it. Closed loops are left open.
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
"""In which axes the velocities of floating bases count: their own, as in v, or the world's."""


@takes_model
def momentum_matrix(model: Model, q: Shaped[Array, "nq"], base: BaseAxes = "body") -> Shaped[Array, "6 nv"]:
    """The centroidal momentum matrix A (6, nv): the momentum about the center of mass is A v.

    Reflected rotor inertias are not in it. A column is the momentum of everything beyond a joint
    moving at its unit rate, carried to the center of mass. ``base`` "world": of free joints at the ground for
    velocities [v; ω] of the body's origin in world axes, not in the body's.
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
    """The time derivative Ȧ (6, nv) of :func:`momentum_matrix`, entry by entry: d(A v)/dt = A a + Ȧ v.

    Seen from the world a column I S has the rate I Ṡ + İ S, Ṡ = V × S and İ the sum of V ×* I − I V × of everything
    beyond; the center of mass moves, too.
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
    """Forces or momenta (6, k) of a body's axes in world axes about a point c (3,)."""
    R, p = split_pose(T)
    P = R @ F[:3]
    return np.concatenate([P, R @ F[3:] + skew(p - c) @ P])


def _both(R: Array) -> Array:
    """diag(R, R) (6, 6)."""
    nil = np.zeros((3, 3))
    return np.concatenate([np.concatenate([R, nil], axis=1), np.concatenate([nil, R], axis=1)])


def _check_base(base: str) -> None:
    if not is_choice(base, ("body", "world")):
        raise InputError(f"base is {base!r}; it may be 'body' or 'world'")


def _turned(model: Model, base: str) -> list[float]:
    """For every body 1.0 where its velocity is counted in world axes."""
    return [1.0 if base == "world" and link.parent < 0 and link.motion.floating else 0.0 for link in model.links]
