"""Mass matrix by three methods (`equations.md` §1), and Coriolis matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.dynamics.kinematics import body_velocities
from linkwright.errors import InputError, is_choice
from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia
from linkwright.spatial.transform import force_to_parent, force_transform, motion_to_child
from linkwright.spatial.vectors import force_cross, momentum_cross, motion_cross

MassMatrixMethod = Literal["composite", "unit_vector", "jacobian"]


@takes_model
def mass_matrix(model: Model, q: Shaped[Array, "nq"], method: MassMatrixMethod = "composite") -> Shaped[Array, "nv nv"]:
    """Compute the mass matrix.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    method : {"composite", "unit_vector", "jacobian"}, optional
        "composite": composite rigid bodies. "unit_vector": column k is the inverse dynamics of a unit acceleration.
        "jacobian": the definition, Σ JᵀIJ.

    Returns
    -------
    ndarray, shape (..., nv, nv)
        Full symmetric matrix in kg, kg m or kg m², with reflected rotor inertias (armature) on its diagonal.

    References
    ----------
    Walker & Orin, "Efficient dynamic computer simulation of robotic mechanisms", *Journal of Dynamic Systems,
    Measurement, and Control* 104(3), 1982.

    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 6.2.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.mass_matrix(arm, [0.0, 0.0]).round(9)
    array([[2.7 , 0.85],
           [0.85, 0.35]])
    """
    if not is_choice(method, MASS_MATRIX_METHODS):
        raise InputError(f"method is {method!r}; it may be {', '.join(map(repr, MASS_MATRIX_METHODS))}")
    return MASS_MATRIX_METHODS[method](model, q)


def composite_inertias(model: Model, T: Sequence[Array]) -> tuple[list[RigidInertia], RigidInertia]:
    """Return the composite inertia of each body with its descendants in the body's frame, and of all in the world."""

    def inward(link: Link, received: tuple[RigidInertia], T: Array) -> tuple[RigidInertia, tuple[RigidInertia]]:
        total = link.rigid_inertia + received[0]
        return total, (total.moved(T),)

    composites, (everything,) = model.inward(inward, (NO_INERTIA,), T)
    return composites, everything


def _composite(model: Model, q: Array) -> Array:
    if not model.links:
        return np.zeros((0, 0))
    x = model.coordinates(q)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    F = model.each(lambda link, I, S: I.times(S), composite_inertias(model, T)[0], S)
    sent = model.each(lambda link, T, F: (force_to_parent(T, F),), T, F)

    def inward(link: Link, F: tuple[Array], T: Array, S: Array) -> tuple[tuple[Array], tuple[Array]]:
        return (S.T @ F[0],), (force_to_parent(T, F[0]),)

    (above,) = model.inward_columns(inward, sent, T, S)
    own = model.each(lambda link, S, F: S.T @ F + np.diag(link.armature), S, F)
    return model.square(own, above)


def _coupled(model: Model, H: Array) -> Array:
    """Return GᵀHG: the matrix in independent coordinates."""
    if not model.has_couplings:
        return H
    G = model.coupling_matrix
    return G.T @ H @ G


def _unit_vector(model: Model, q: Array) -> Array:
    weightless, still = model.with_gravity(np.zeros(3)), np.zeros(model.nv)
    columns = [inverse_dynamics(weightless, q, still, unit) for unit in np.eye(model.nv)]
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def _jacobian(model: Model, q: Array) -> Array:
    widths = [link.motion.nv for link in model.links]
    selections = np.split(np.eye(sum(widths)), np.cumsum(widths)[:-1])

    def outward(link: Link, parent: Array, q: Array, own: Array) -> Array:
        return motion_to_child(link.transform(q), parent) + link.motion_subspace(q) @ own

    J = model.outward(outward, np.zeros((6, sum(widths))), model.coordinates(q), selections)
    H = np.zeros((sum(widths), sum(widths)))
    for link, J_k in zip(model.links, J, strict=True):
        H = H + J_k.T @ link.rigid_inertia.times(J_k)
    return _coupled(model, H) + np.diag(model.armature)


MASS_MATRIX_METHODS = {"composite": _composite, "unit_vector": _unit_vector, "jacobian": _jacobian}


@takes_model
def coriolis_matrix(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv nv"]:
    """Compute the Coriolis matrix C, with C v = b(q, v) − g(q) and Ṁ − 2C skew-symmetric.

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
    ndarray, shape (..., nv, nv)
        C = Σ Jᵢᵀ(Iᵢ J̇ᵢ + Bᵢ Jᵢ), Bᵢ = ½[(vᵢ×*)Iᵢ − Iᵢ(vᵢ×) + (Iᵢvᵢ)×̄*].

    References
    ----------
    Echeandia & Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
    systems", *Journal of Computational and Nonlinear Dynamics* 16(9), 2021, section 3.
    """
    if not model.links:
        return np.zeros((0, 0))
    x, rates = model.coordinates(q), model.rates(v)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    twists = body_velocities(model, q, v)

    def subspace_rate(link: Link, V: Array, S: Array, q: Array, v: Array) -> Array:
        """Return J̇ of a joint's own columns: the rate of S in the world."""
        return motion_cross(V) @ S + link.motion_subspace_rate(q, v)

    S_dot = model.each(subspace_rate, twists, S, x, rates)

    def inward(
        link: Link, received: tuple[RigidInertia, Array], T: Array, V: Array
    ) -> tuple[tuple[RigidInertia, Array], tuple[RigidInertia, Array]]:
        I = link.rigid_inertia.matrix()
        own = 0.5 * (force_cross(V) @ I - I @ motion_cross(V) + momentum_cross(I @ V))
        total, B = link.rigid_inertia + received[0], own + received[1]
        X = force_transform(T)
        return (total, B), (total.moved(T), X @ B @ X.T)

    composites, _ = model.inward(inward, (NO_INERTIA, np.zeros((6, 6))), T, twists)

    def forces(link: Link, composite: tuple[RigidInertia, Array], S: Array, S_dot: Array) -> tuple[Array, Array, Array]:
        I, B = composite
        return I.times(S_dot) + B @ S, I.times(S), B.T @ S

    def to_parent(link: Link, F: tuple[Array, ...], T: Array) -> tuple[Array, ...]:
        return tuple(force_to_parent(T, one) for one in F)

    def columns(
        link: Link, F: tuple[Array, Array, Array], T: Array, S: Array, S_dot: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, ...]]:
        upper, inertia, lower = F
        return (S.T @ upper, S_dot.T @ inertia + S.T @ lower), to_parent(link, F, T)

    F = model.each(forces, composites, S, S_dot)
    above, below = model.inward_columns(columns, model.each(to_parent, F, T), T, S, S_dot)
    return model.square(model.each(lambda link, S, F: S.T @ F[0], S, F), above, below)
