"""Joint reactions from a motion and the forces on the bodies, and forward dynamics with prescribed joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics.inverse import Wrenches, external_forces
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import congruence
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.transform import force_to_parent, inverse_pose, motion_to_child
from linkwright.spatial.vectors import force_cross, motion_cross


def borne_forces(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    forces: Sequence[Array],
    wrenches: Wrenches | None = None,
) -> Sequence[Array]:
    """Return the wrench (6,) of each joint on its body, at the origin of the body's own frame in its axes.

    ``forces`` (n, 6) act on the bodies, in their (canonical) axes, in addition to ``wrenches``. The inertial forces of
    rotors are not included.
    """

    def outward(
        link: Link, parent: tuple[Array, Array], T: Array, S: Array, q: Array, v: Array, a: Array
    ) -> tuple[Array, Array]:
        S_v = S @ v
        V = motion_to_child(T, parent[0]) + S_v
        c = link.velocity_product(q, v) + motion_cross(V) @ S_v
        return V, motion_to_child(T, parent[1]) + S @ a + c

    def inward(
        link: Link, received: tuple[Array], T: Array, motion: tuple[Array, Array], own: Array, external: Array
    ) -> tuple[Array, tuple[Array]]:
        V, A = motion
        I = link.rigid_inertia
        f = I.times(A) + force_cross(V) @ I.times(V) - own - external + received[0]
        return f, (force_to_parent(T, f),)

    def seen(link: Link, place: Array, f: Array) -> Array:
        return force_to_parent(place, f)

    x, rates, accelerations = model.coordinates(q), model.rates(v), model.rates(a)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    ground = np.concatenate([-model.gravity, np.zeros(3)])
    motions = model.outward(outward, (np.zeros(6), ground), T, S, x, rates, accelerations)
    external = external_forces(model, q, wrenches)
    found, _ = model.inward(inward, (np.zeros(6),), T, motions, forces, external)
    places = [inverse_pose(model.frames[body.name].placement) for body in model.bodies]
    return model.each(seen, places, found)


def efforts_of(model: Model, q: Shaped[Array, "nq"], forces: Sequence[Array]) -> Shaped[Array, "nv"]:
    """Return Σ Jᵀf (nv,) of forces (n, 6) on the bodies, in their (canonical) axes."""

    def inward(link: Link, received: tuple[Array], T: Array, S: Array, own: Array) -> tuple[Array, tuple[Array]]:
        f = received[0] + own
        return S.T @ f, (force_to_parent(T, f),)

    x = model.coordinates(q)
    efforts, _ = model.inward(inward, (np.zeros(6),), model.each(transform, x), model.each(motion_subspace, x), forces)
    return model.assemble(efforts)


def partly_prescribed(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    prescribed: Sequence[str],
    wrenches: Wrenches | None = None,
) -> Shaped[Array, "nv"]:
    """Return the accelerations (nv,) of the tree; prescribed joints move by ``a``, the other joints by their efforts.

    Featherstone (2008), section 9.2: an articulated body is rigid at its prescribed joints.
    """

    def outward(link: Link, parent: Array, T: Array, S: Array, v: Array) -> Array:
        return motion_to_child(T, parent) + S @ v

    def inward(
        link: Link,
        received: tuple[Array, Array],
        is_prescribed: float,
        T: Array,
        S: Array,
        q: Array,
        v: Array,
        tau: Array,
        a: Array,
        V: Array,
        f: Array,
    ) -> tuple[tuple[Array, ...], tuple[Array, Array]]:
        moves = 1.0 - is_prescribed
        c = link.velocity_product(q, v) + motion_cross(V) @ (S @ v) + is_prescribed * (S @ a)
        I = link.rigid_inertia.matrix() + received[0]
        p = force_cross(V) @ link.rigid_inertia.times(V) - f + received[1]
        U = moves * (I @ S)
        D = S.T @ U + moves * np.diag(link.armature) + is_prescribed * np.eye(link.motion.nv)
        u = moves * (tau - S.T @ p)
        K = solve_symmetric(D, U.T)
        I_a = I - U @ K
        p_a = p + I_a @ c + K.T @ u
        return (c, D, u, K), (congruence(I_a, T), force_to_parent(T, p_a))

    def outward_again(
        link: Link,
        parent: tuple[Array, Array],
        is_prescribed: float,
        T: Array,
        S: Array,
        a_prescribed: Array,
        kept: tuple[Array, ...],
    ) -> tuple[Array, Array]:
        c, D, u, K = kept
        a = motion_to_child(T, parent[0]) + c
        a_joint = solve_symmetric(D, u) - K @ a
        return a + S @ a_joint, a_joint + is_prescribed * a_prescribed

    is_prescribed = [1.0 if joint.name in prescribed else 0.0 for joint in model.joints]
    x, rates, given = model.coordinates(q), model.rates(v), model.rates(a)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    V = model.outward(outward, np.zeros(6), T, S, rates)
    external = external_forces(model, q, wrenches)
    start = (np.zeros((6, 6)), np.zeros(6))
    kept, _ = model.inward(inward, start, is_prescribed, T, S, x, rates, model.rates(tau), given, V, external)
    ground = np.concatenate([-model.gravity, np.zeros(3)])
    states = model.outward(outward_again, (ground, np.zeros(0)), is_prescribed, T, S, given, kept)
    return model.assemble(model.each(lambda link, state: state[1], states))
