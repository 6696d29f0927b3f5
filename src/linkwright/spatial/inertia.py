"""Inertias: of rigid bodies as ten numbers (m, h = m c, I about the origin), and general ones (6, 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError, explained
from linkwright.spatial.arrays import Array, is_symbolic, is_zero, mirror
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


class RigidInertia(NamedTuple):
    """Inertia of a rigid body about the origin of its frame: linear in the ten parameters."""

    mass: Any
    first_moment: Array
    """(3,), mass times center of mass, kg m"""
    inertia: Array
    """(3, 3), about the frame's origin, kg m²"""

    def __add__(self, other: RigidInertia) -> RigidInertia:  # type: ignore[override]
        return RigidInertia(*(a + b for a, b in zip(self, other, strict=True)))

    def moved(self, T: Array) -> RigidInertia:
        """Return the same body in A, for the pose T (4, 4) of its frame in A (parallel axes, §1)."""
        R, p = split_pose(T)
        m, h, I = self
        Rh = R @ h
        P, H = skew(p), skew(Rh)
        shift = P @ H
        return RigidInertia(m, Rh + m * p, mirror(R @ I @ R.T - shift - shift.T - m * (P @ P)))

    def second_moment(self) -> Array:
        """Return Σ = ∫ r rᵀ dm (3, 3) about the frame's origin: ½ tr(I) 1 − I."""
        I = self.inertia
        return 0.5 * (I[0, 0] + I[1, 1] + I[2, 2]) * np.eye(3) - I

    def matrix(self) -> Array:
        """Return the spatial inertia (6, 6): [[m 1, −[h]×], [[h]×, I]]."""
        m, h, I = self
        H = skew(h)
        top = np.concatenate([m * np.eye(3), -H], axis=1)
        return np.concatenate([top, np.concatenate([H, I], axis=1)], axis=0)

    def parameters(self) -> Array:
        """Return (10,): m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
        return np.concatenate([np.stack([self.mass]), self.first_moment, self.inertia[SIX_ROWS, SIX_COLUMNS]])

    def times(self, v: Array) -> Array:
        """Return the momentum (6,) [P; L] of the body at the twist v, or of each column of v (6, k)."""
        m, h, I = self
        H = skew(h)
        linear, angular = v[:3], v[3:]
        return np.concatenate([m * linear - H @ angular, H @ linear + I @ angular])


SIX_ROWS, SIX_COLUMNS = np.array([0, 0, 1, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2])
"""Indices of the six numbers of a symmetric matrix: xx, xy, yy, xz, yz, zz."""

SIX = np.array([[0, 1, 3], [1, 2, 4], [3, 4, 5]])
"""Indices of the entries of a symmetric matrix among its six numbers."""

NO_INERTIA = RigidInertia(0.0, np.zeros(3), np.zeros((3, 3)))


def of_parameters(ten: Array) -> RigidInertia:
    """Return the inertia from (10,): m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
    return RigidInertia(ten[0], ten[1:4], ten[4:][SIX])


def rigid_inertia(mass: Any, center_of_mass: Any, inertia: Any) -> RigidInertia:
    """Return the inertia from the mass, the center of mass (3,) and the inertia (3, 3) about it."""
    c, C = np.asarray(center_of_mass), skew(np.asarray(center_of_mass))
    return RigidInertia(mass, mass * c, np.asarray(inertia) - mass * (C @ C))


def about_center_of_mass(body: RigidInertia) -> tuple[float, Array, Array]:
    """Return mass, center of mass (3,) and inertia (3, 3) about it; a massless body's center is the origin."""
    m, h, I = body
    if is_zero(m):
        return 0.0, np.zeros(3), I
    c = h / m
    C = skew(c)
    return m, c, I + m * (C @ C)


@explained
def add_mass_properties(bodies: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Array, Array]:
    """Compute the mass properties of several bodies together.

    Parameters
    ----------
    bodies : sequence of tuple
        Mass in kg, center of mass (…, 3) in m and inertia (…, 3, 3) about it in kg m² of each body, in one frame.

    Returns
    -------
    mass : ndarray, shape (...)
        Total mass m = Σ mⱼ in kg.
    center : ndarray, shape (..., 3)
        Center of mass c = Σ mⱼ cⱼ / m in m.
    inertia : ndarray, shape (..., 3, 3)
        Inertia I = Σ (Iⱼ + mⱼ ((rⱼ·rⱼ) 1 − rⱼ rⱼᵀ)) with rⱼ = cⱼ − c.

    Raises
    ------
    InputError
        If numbers are not finite, a mass is negative, or the total mass is zero.

    Examples
    --------
    >>> m, c, I = add_mass_properties([(1.0, [0, 0, 0], np.eye(3)), (3.0, [4.0, 0, 0], np.eye(3))])
    >>> m, c.tolist(), I.diagonal().tolist()
    (np.float64(4.0), [3.0, 0.0, 0.0], [2.0, 14.0, 14.0])
    """
    try:
        each = [(_numbers(m), _numbers(c), _numbers(I)) for m, c, I in bodies]
    except (TypeError, ValueError):
        raise ArgumentError(f"mass properties are a list of (m, c (3,), I (3, 3)); got {bodies!r:.200}") from None
    if not each or any(c.shape[-1:] != (3,) or I.shape[-2:] != (3, 3) for _, c, I in each):
        shapes = [(m.shape, c.shape, I.shape) for m, c, I in each]
        raise ShapeError(f"mass properties are a list of (m (…), c (…, 3), I (…, 3, 3)), one or more; got {shapes}")
    for k, parts in enumerate(each):
        for what, x in zip(("mass", "center of mass", "inertia"), parts, strict=True):
            if not is_symbolic(x) and not np.isfinite(x).all():
                raise InputError(f"the {what} of body {k} of {len(each)} is not finite; got {x}")
        if not is_symbolic(parts[0]) and (parts[0] < 0.0).any():
            raise InputError(f"a mass is not negative; that of body {k} of {len(each)} is {parts[0]}")
    m: Any = sum((m for m, _, _ in each[1:]), each[0][0])
    if not is_symbolic(m) and not (m > 0.0).all():
        raise InputError("the total mass of these bodies is zero: they have no center of mass")
    h = sum((np.asarray(m)[..., None] * c for m, c, _ in each[1:]), np.asarray(each[0][0])[..., None] * each[0][1])
    c = h / np.asarray(m)[..., None]
    total: Any = 0.0
    for m_j, c_j, I_j in each:
        r = c_j - c
        square = np.asarray((r * r).sum(axis=-1))[..., None, None]
        total = total + I_j + m_j[..., None, None] * (square * np.eye(3) - r[..., :, None] * r[..., None, :])
    return (m if np.ndim(m) else np.asarray(m)[()]), c, total


def _numbers(x: Any) -> Array:
    """Return an array of float64, or of symbols."""
    return np.asarray(x) if is_symbolic(x) else np.asarray(x, dtype=float)


def congruence(I: Array, T: Array) -> Array:
    """Return ᴬX*_B I ᴬX*_Bᵀ: a symmetric inertia (6, 6) of B in A, for the pose T (4, 4) of B in A.

    The blocks are rotated, then shifted: with [[M, Hᵀ], [H, J]] after the rotation, H' = H + [p]×M and
    J' = J + [p]×Hᵀ − H'[p]×.
    """
    R, p = split_pose(T)
    P = skew(p)
    M, H, J = mirror(R @ I[:3, :3] @ R.T), R @ I[3:, :3] @ R.T, mirror(R @ I[3:, 3:] @ R.T)
    H_new = H + P @ M
    J_new = mirror(J + P @ H.T - H_new @ P)
    return np.concatenate([np.concatenate([M, H_new.T], axis=1), np.concatenate([H_new, J_new], axis=1)], axis=0)


def inertia_force(body: RigidInertia, acceleration: Array, U: Array) -> Array:
    """Return the force (6,) that accelerates a body: [m p̈ + U h; h × p̈ + J ω̇ + ω × J ω].

    ``acceleration`` is p̈ (3,) of its origin, and U = [ω̇]× + [ω]×² (3, 3): the point r has the acceleration p̈ + U r,
    and ∫ r × U r dm, the moment without p̈, is the axial vector of U Σ with the second moment Σ.
    """
    m, h, _ = body
    A = (U - U[2, 2] * np.eye(3)) @ body.second_moment()  # the isotropic part has no moment
    turning = np.stack([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    return np.concatenate([m * acceleration + U @ h, turning + skew(h) @ acceleration])


def gyroscopic_force(body: RigidInertia, w: Array) -> Array:
    """Return the force (6,) on a body with angular velocity ω (3,) about its fixed origin, without acceleration."""
    W = skew(w)
    return inertia_force(body, np.zeros(3), W @ W)


def compliance_beyond(C: Array, T: Array) -> Array:
    """Return X C Xᵀ, X = (ᴬX_B)⁻¹: a symmetric compliance (6, 6) of A in B, for the pose T (4, 4) of B in A.

    The blocks are shifted, then rotated: with [[A, B], [Bᵀ, D]], B' = B − [p]×D and A' = A − [p]×Bᵀ + B'[p]×.
    """
    R, p = split_pose(T)
    P = skew(p)
    A, B, D = C[:3, :3], C[:3, 3:], C[3:, 3:]
    B_new = B - P @ D
    A_new = mirror(A - P @ B.T + B_new @ P)
    A, B, D = mirror(R.T @ A_new @ R), R.T @ B_new @ R, mirror(R.T @ D @ R)
    return np.concatenate([np.concatenate([A, B], axis=1), np.concatenate([B.T, D], axis=1)], axis=0)


def inverse_inertia(body: RigidInertia) -> Array:
    """Return I⁻¹ (6, 6) = [[1/m − [c]×J⁻¹[c]×, [c]×J⁻¹], [−J⁻¹[c]×, J⁻¹]] of a rigid body, J about c."""
    m, h, I = body
    c = h / m
    C = skew(c)
    J = _inverse(mirror(I + m * (C @ C)))
    CJ = C @ J
    top = np.concatenate([np.eye(3) / m - mirror(CJ @ C), CJ], axis=1)
    return np.concatenate([top, np.concatenate([CJ.T, J], axis=1)], axis=0)


def _inverse(A: Array) -> Array:
    """Return the inverse of a symmetric matrix (3, 3) by cofactors, which keep its zeros."""
    (a, b, c), (_, d, e), (_, _, f) = A
    u, v, w = d * f - e * e, c * e - b * f, b * e - c * d
    cofactors = np.array([[u, v, w], [v, a * f - c * c, b * c - a * e], [w, b * c - a * e, a * d - b * b]])
    return cofactors / (a * u + b * v + c * w)
