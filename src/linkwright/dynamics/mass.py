"""The mass matrix, three ways (`equations.md` §1), and the Coriolis matrix."""

from __future__ import annotations

from typing import Literal

import numpy as np

from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.dynamics.kinematics import body_velocities
from linkwright.errors import InputError
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped, mirror
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia
from linkwright.spatial.transform import force_to_parent, force_transform, motion_to_child
from linkwright.spatial.vectors import force_cross, momentum_cross, motion_cross

MassMatrixMethod = Literal["composite", "unit_vector", "jacobian"]


def mass_matrix(model: Model, q: Shaped[Array, "nq"], method: MassMatrixMethod = "composite") -> Shaped[Array, "nv nv"]:
    """M (nv, nv), symmetric, in full; kg, kg m or kg m².

    ``method``: "composite" (composite rigid bodies: Walker & Orin 1982), "unit_vector" (column k is
    the inverse dynamics of a unit acceleration) or "jacobian" (the definition, Σ JᵀIJ).
    Reflected rotor inertias (armature) are on its diagonal.
    """
    if method not in MASS_MATRIX_METHODS:
        raise InputError(f"method is {method!r}; it may be {', '.join(map(repr, MASS_MATRIX_METHODS))}")
    return MASS_MATRIX_METHODS[method](model, q)


def composite_inertias(model: Model, T: list[Array]) -> list[RigidInertia]:
    """The inertia of everything from each body outwards, as one rigid body, in that body's frame."""

    def inward(link: Link, received: tuple[RigidInertia], T: Array) -> tuple[RigidInertia, tuple[RigidInertia]]:
        total = link.rigid_inertia + received[0]
        return total, (total.moved(T),)

    composites, _ = model.inward(inward, (NO_INERTIA,), T)
    return composites


def _composite(model: Model, q: Array) -> Array:
    x = model.coordinates(q)
    T = [link.transform(x_k) for link, x_k in zip(model.links, x, strict=True)]
    S = [link.motion_subspace(x_k) for link, x_k in zip(model.links, x, strict=True)]
    F = [I.times(S_k) for I, S_k in zip(composite_inertias(model, T), S, strict=True)]
    rows = [S_k.T @ F_k for S_k, F_k in zip(S, _carried_inwards(model, T, F), strict=True)]
    H = mirror(_upper(rows))
    return _coupled(model, H) + np.diag(model.armature)


def _carried_inwards(model: Model, T: list[Array], F: list[Array]) -> list[Array]:
    """For each body, its own forces F (6, nv) and those of all bodies beyond, seen from its frame.

    Bodies are numbered depth first, so the columns (6, nv of the subtree) are in the order of the joints.
    """
    carried: list[list[Array]] = [[] for _ in F]
    for k in reversed(range(len(F))):
        F_all = np.concatenate([F[k], *carried[k][::-1]], axis=1)
        parent = model.links[k].parent
        if parent >= 0:
            carried[parent].append(force_to_parent(T[k], F_all))
        carried[k] = [F_all]
    return [columns[0] for columns in carried]


def _upper(rows: list[Array]) -> Array:
    """A block upper triangular matrix from each joint's rows over its subtree."""
    n = sum(len(row) for row in rows)
    full, at = [np.zeros((0, n))], 0
    for row in rows:
        after = np.zeros((len(row), n - at - row.shape[1]))
        full.append(np.concatenate([np.zeros((len(row), at)), row, after], axis=1))
        at += len(row)
    return np.concatenate(full)


def _coupled(model: Model, H: Array) -> Array:
    """GᵀHG: the matrix in independent coordinates."""
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


def coriolis_matrix(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv nv"]:
    """C (nv, nv) with C v = b(q, v) − g(q) and Ṁ − 2C skew-symmetric.

    C = Σ Jᵢᵀ(Iᵢ J̇ᵢ + Bᵢ Jᵢ), Bᵢ = ½[(vᵢ×*)Iᵢ − Iᵢ(vᵢ×) + (Iᵢvᵢ)×̄*], by composite bodies
    (Echeandia & Wensing 2021).
    """
    x, rates = model.coordinates(q), model.rates(v)
    T = [link.transform(x_k) for link, x_k in zip(model.links, x, strict=True)]
    S = [link.motion_subspace(x_k) for link, x_k in zip(model.links, x, strict=True)]
    twists = body_velocities(model, q, v)
    # J̇ of a joint's own columns: the rate of S as seen from the world
    S_dot = [
        motion_cross(V) @ S_k + link.motion_subspace_rate(x_k, v_k)
        for link, V, S_k, x_k, v_k in zip(model.links, twists, S, x, rates, strict=True)
    ]

    def inward(
        link: Link, received: tuple[RigidInertia, Array], T: Array, V: Array
    ) -> tuple[tuple[RigidInertia, Array], tuple[RigidInertia, Array]]:
        I = link.rigid_inertia.matrix()
        own = 0.5 * (force_cross(V) @ I - I @ motion_cross(V) + momentum_cross(I @ V))
        total, B = link.rigid_inertia + received[0], own + received[1]
        X = force_transform(T)
        return (total, B), (total.moved(T), X @ B @ X.T)

    composites, _ = model.inward(inward, (NO_INERTIA, np.zeros((6, 6))), T, twists)
    F_upper, F_inertia, F_lower = [], [], []
    for (I, B), S_k, S_dot_k in zip(composites, S, S_dot, strict=True):
        F_upper.append(I.times(S_dot_k) + B @ S_k)
        F_inertia.append(I.times(S_k))
        F_lower.append(B.T @ S_k)
    upper, inertia, lower = (_carried_inwards(model, T, F) for F in (F_upper, F_inertia, F_lower))
    above = _upper([S_k.T @ F for S_k, F in zip(S, upper, strict=True)])
    below = []
    for S_k, S_dot_k, F_i, F_l in zip(S, S_dot, inertia, lower, strict=True):
        own = S_k.shape[1]
        rest = S_dot_k.T @ F_i[:, own:] + S_k.T @ F_l[:, own:]
        below.append(np.concatenate([np.zeros((own, own)), rest], axis=1))
    return _coupled(model, above + _upper(below).T)
