"""Poses (R, p) as matrices (4, 4), and transforms of 6-vectors (linear part first).

The pose of frame B in A transforms motions by ᴬX_B = [[R, [p]×R], [0, R]] and forces by
ᴬX*_B = [[R, 0], [[p]×R, R]] = (ᴮX_A)ᵀ (`equations.md` §0).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import (
    rotation_exp,
    rotation_log,
    skew,
    translation_of_exp,
    translation_of_log,
    twist_product,
)


def pose_matrix(R: Any = None, p: Any = None) -> Array:
    """Return the matrix (4, 4) of a rotation (3, 3) and a position (3,), by default the identity and zero."""
    R = np.eye(3) if R is None else np.asarray(R)
    p = np.zeros(3) if p is None else np.asarray(p)
    if R.dtype == p.dtype == np.float64:  # three times as fast for numbers
        T = np.zeros((4, 4))
        T[:3, :3], T[:3, 3], T[3, 3] = R, p, 1.0
        return T
    return pose_of_rows(np.concatenate([R, p[:, None]], axis=1))


def pose_of_rows(rows: Array) -> Array:
    """Return a pose (4, 4) from its first three rows, (3, 4) or (12,)."""
    return np.concatenate([rows.reshape(3, 4), np.array([[0.0, 0.0, 0.0, 1.0]])])


def split_pose(T: Array) -> tuple[Array, Array]:
    """Return the rotation (3, 3) and position (3,) of a pose (4, 4)."""
    return T[:3, :3], T[:3, 3]


def inverse_pose(T: Array) -> Array:
    """Return T⁻¹ = [Rᵀ, −Rᵀp]."""
    R, p = split_pose(T)
    return pose_matrix(R.T, -(R.T @ p))


def motion_transform(T: Array) -> Array:
    """Return ᴬX_B (6, 6), which transforms motions from B to A, for the pose (4, 4) of B in A."""
    R, p = split_pose(T)
    return _blocks(R, skew(p) @ R)


def force_transform(T: Array) -> Array:
    """Return ᴬX*_B (6, 6), which transforms forces from B to A, for the pose (4, 4) of B in A."""
    R, p = split_pose(T)
    top = np.concatenate([R, np.zeros((3, 3))], axis=1)
    return np.concatenate([top, np.concatenate([(skew(p)) @ R, R], axis=1)], axis=0)


def motion_to_child(T: Array, m: Array) -> Array:
    """Return (ᴬX_B)⁻¹ m: a motion (6,) or motions (6, k) of A in B's axes at B's origin."""
    R, p = split_pose(T)
    v, w = m[:3], m[3:]
    return np.concatenate([R.T @ (v - skew(p) @ w), R.T @ w])


def motion_to_parent(T: Array, m: Array) -> Array:
    """Return ᴬX_B m: a motion (6,) or motions (6, k) of B in A's axes at A's origin."""
    R, p = split_pose(T)
    w = R @ m[3:]
    return np.concatenate([R @ m[:3] + skew(p) @ w, w])


def force_to_parent(T: Array, f: Array) -> Array:
    """Return ᴬX*_B f: a force (6,) or forces (6, k) of B in A's axes at A's origin."""
    R, p = split_pose(T)
    F, N = R @ f[:3], R @ f[3:]
    return np.concatenate([F, N + skew(p) @ F])


def pose_exp(twist: Array) -> Array:
    """Return the pose (4, 4) after a unit of time at the constant twist [v; r] (6,): (Exp r, V(r) v)."""
    v, r = twist[:3], twist[3:]
    return pose_matrix(rotation_exp(r), translation_of_exp(r, v))


def pose_log(T: Array) -> Array:
    """Return the twist [v; r] (6,), |r| at most π, that leads to the pose (4, 4) in a unit of time."""
    R, p = split_pose(T)
    r = rotation_log(R)
    return np.concatenate([translation_of_log(r, p), r])


def exp_jacobian(twist: Array) -> Array:
    """Return J_l(ξ) (6, 6), Exp(ξ + δ) ≈ Exp(J_l δ) Exp(ξ): [[V, Q], [0, V]] (Barfoot & Furgale, IEEE T-RO 2014)."""
    v, r = twist[:3], twist[3:]
    V = translation_of_exp(r, np.eye(3))
    return _blocks(V, twist_product(r, v, np.eye(3)))


def exp_jacobian_inverse(twist: Array) -> Array:
    """Return J_l(ξ)⁻¹ (6, 6) = [[V⁻¹, −V⁻¹ Q V⁻¹], [0, V⁻¹]], for angles up to π."""
    v, r = twist[:3], twist[3:]
    V = translation_of_log(r, np.eye(3))
    return _blocks(V, -(V @ twist_product(r, v, V)))


def _blocks(diagonal: Array, above: Array) -> Array:
    """Return [[D, A], [0, D]]."""
    top = np.concatenate([diagonal, above], axis=1)
    return np.concatenate([top, np.concatenate([np.zeros((3, 3)), diagonal], axis=1)], axis=0)
