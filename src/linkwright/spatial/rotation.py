"""Rotations: matrices, unit quaternions (w, x, y, z; Hamilton; body to world), rotation vectors.

Every function accepts numbers and symbols. The trigonometric functions of rotation vectors are functions of θ² that are
analytic at 0: up to θ = π, the longest logarithm, each is one series, exact to rounding and
differentiable to any order. For larger angles closed forms are selected by ``where``, so that a trace has no branch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwright.spatial.arrays import Array, atan2, is_exact, is_symbolic, snap, unit_vector, where

HALF_TURN = math.pi**2
"""Squared angle up to which series are used, and above which closed forms."""

TERMS = 14
"""number of terms of a series: the first omitted term is below 1e-17 of the sum (4e-18 of 1, where the sum is zero)"""


def skew(a: Array) -> Array:
    """Return [a]× (3, 3), with [a]× b = a × b."""
    x, y, z = np.asarray(a).tolist()  # Python floats, which NumPy converts in half the time
    return np.array([[0.0 * x, -z, y], [z, 0.0 * x, -x], [-y, x, 0.0 * x]])


def rotation_z(angle: Any) -> Array:
    """Return the matrix (3, 3) of a rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_about(axis: Any, angle: Any) -> Array:
    """Return the matrix (3, 3) of a rotation about a unit axis (Rodrigues), with exact zeros and ones for numbers."""
    axis = np.asarray(axis)
    along = np.outer(axis, axis)  # in this form zeros and ones of the axis are eliminated
    R: Array = along + np.cos(angle) * (np.eye(3) - along) + np.sin(angle) * skew(axis)
    return R if is_symbolic(R) else snap(R)


def rotation_rpy(rpy: Any) -> Array:
    """Return the matrix (3, 3) of fixed-axis roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = rpy if is_symbolic(rpy) else np.asarray(rpy, dtype=float)
    x, y, z = np.eye(3)
    R = rotation_about(z, yaw) @ rotation_about(y, pitch) @ rotation_about(x, roll)
    return R if is_symbolic(R) else snap(R)


def rotation_from_z(axis: Any) -> Array:
    """Return the rotation (3, 3) from z to the direction of ``axis`` with the smallest angle.

    The axis (3,) has any nonzero length; its components may be as small or as large as floating-point numbers are.
    For axes along coordinate axes the rotation is a signed permutation with exact zeros.
    """
    x, y, z = unit_vector(np.asarray(axis, dtype=float))
    if x == y == 0.0:
        return np.eye(3) if z > 0.0 else np.diag([1.0, -1.0, -1.0])
    return rotation_about(unit_vector(np.array([-y, x, 0.0])), np.arctan2(np.hypot(x, y), z))


def rotation_flaw(R: Array) -> Any:
    """Return the squared deviation of the columns of R (3, 3) from R₀ᵀR₀ = R₁ᵀR₁ = 1, R₀ᵀR₁ = 0, R₀ × R₁ = R₂."""
    x, y, z = (R[:, k] for k in range(3))
    third = skew(x) @ y - z
    return (x @ x - 1.0) ** 2 + (y @ y - 1.0) ** 2 + (x @ y) ** 2 + third @ third


def quaternion_matrix(u: Array) -> Array:
    """Return the rotation matrix (3, 3) of a unit quaternion (4,)."""
    w, x, y, z = u
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def quaternion_from_matrix(R: Any) -> Array:
    """Return a unit quaternion (4,) with w ≥ 0 of a rotation matrix (Shepperd 1978).

    The row of 4 u uᵀ with the largest diagonal entry is proportional to u.
    """
    R = np.asarray(R)
    d = np.diagonal(R)
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, zx, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = [
        [1.0 + d[0] + d[1] + d[2], x, y, z],
        [x, 1.0 + d[0] - d[1] - d[2], xy, zx],
        [y, xy, 1.0 - d[0] + d[1] - d[2], yz],
        [z, zx, yz, 1.0 - d[0] - d[1] + d[2]],
    ]
    u, largest = np.array(rows[0]), rows[0][0]
    for k in (1, 2, 3):
        better = rows[k][k] > largest
        u, largest = where(better, np.array(rows[k]), u), where(better, rows[k][k], largest)
    return where(u[0] < 0.0, -1.0, 1.0) * u / np.sqrt(u @ u)


def quaternion_product(a: Array, b: Array) -> Array:
    """Return the quaternion (4,) of the rotation a after b."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ]
    )


def quaternion_conjugate(u: Array) -> Array:
    """Return the inverse rotation of a unit quaternion (4,)."""
    return u * np.array([1.0, -1.0, -1.0, -1.0])


def quaternion_unit(u: Array) -> Array:
    """Return the normalized quaternion."""
    return u / np.sqrt(u @ u)


def _horner(x: Any, coefficients: list[float]) -> Any:
    """Return c₀ − c₁ x + c₂ x² − …"""
    total: Any = 0.0
    for c in reversed(coefficients):
        total = c - x * total
    return total


def _series(x: Any, k: int) -> Any:
    """Return S_k = 1/k! − x/(k+2)! + x²/(k+4)! − … for x ≤ π²: cos √x for k = 0, (sin √x)/√x for k = 1, and so on."""
    return _horner(x, [1.0 / math.factorial(k + 2 * j) for j in range(TERMS)])


def _sides(x: Any) -> tuple[Any, Any, Any]:
    """Return whether series apply to this squared angle, and safe arguments of the series and of the closed forms."""
    near = not is_exact(x) and x <= HALF_TURN
    return near, where(near, x, 1.0), where(near, 1.0, x)


def rotate(u: Array, p: Array) -> Array:
    """Return the vector (3,) rotated by a unit quaternion (4,)."""
    w, v = u[0], u[1:]
    t = 2.0 * (skew(v) @ p)
    turned: Array = p + w * t + skew(v) @ t
    return turned


def quaternion_exp(r: Array) -> Array:
    """Return the unit quaternion (4,) of a rotation vector (3,)."""
    near, x, x_far = _sides(r @ r)
    angle = np.sqrt(x_far)
    w = where(near, _series(0.25 * x, 0), np.cos(0.5 * angle))
    factor = where(near, 0.5 * _series(0.25 * x, 1), np.sin(0.5 * angle) / angle)
    return np.concatenate([np.stack([w]), factor * r])


def quaternion_log(u: Array) -> Array:
    """Return the rotation vector (3,), of length at most π, of a unit quaternion (4,)."""
    w, vector = u[0], u[1:]
    flip = where(w < 0.0, -1.0, 1.0)
    w, vector = flip * w, flip * vector
    square = vector @ vector
    near = not is_exact(square) and square < 1e-6
    sine = np.sqrt(where(near, 1.0, square))
    # angle / sin(angle/2): 2 atan(t) / s with t = s / w, as a series in t near zero
    t2 = square / where(near, w * w, 1.0)
    series = 2.0 / where(near, w, 1.0) * (1.0 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 / 7)))
    return where(near, series, 2.0 * atan2(sine, w) / sine) * vector


def quaternion_between(a: Array, b: Array, t: Any) -> Array:
    """Return the quaternion (4,) at the fraction t of the shorter path: a Exp(t Log(a⁻¹ b)) (Shoemake 1985)."""
    way = quaternion_log(quaternion_product(quaternion_conjugate(a), b))
    return quaternion_product(a, quaternion_exp(t * way))


def _versine(angle: Any) -> Any:
    """Return 1 − cos θ, without cancellation for numbers."""
    if is_exact(angle):
        return 1.0 - np.cos(angle)
    half = np.sin(0.5 * angle)
    return 2.0 * half * half


def exp_coefficients(square: Any) -> tuple[Any, Any, Any]:
    """Return (sin θ)/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ from θ²."""
    near, x, x_far = _sides(square)
    angle = np.sqrt(x_far)
    s = np.sin(angle)
    return (
        where(near, _series(x, 1), s / angle),
        where(near, _series(x, 2), _versine(angle) / x_far),
        where(near, _series(x, 3), (angle - s) / (x_far * angle)),
    )


def rotation_exp(r: Array) -> Array:
    """Return the matrix (3, 3) of a rotation vector (3,): 1 + (sin θ)/θ [r]× + (1 − cos θ)/θ² [r]×² (Rodrigues)."""
    a, b, _ = exp_coefficients(r @ r)
    K = skew(r)
    return np.eye(3) + a * K + b * (K @ K)


def rotation_log(R: Array) -> Array:
    """Return the rotation vector (3,), of length at most π, of a matrix (3, 3).

    The quaternion keeps all digits up to the angle π, near which the arc cosine of the trace loses digits.
    """
    return quaternion_log(quaternion_from_matrix(R))


def translation_of_exp(r: Array, v: Array) -> Array:
    """Return V(r) v, V = 1 + (1−cos θ)/θ² [r]× + (θ−sin θ)/θ³ [r]×²: the translation of Exp([v; r])."""
    _, b, c = exp_coefficients(r @ r)
    K = skew(r)
    Kv = K @ v
    return v + b * Kv + c * (K @ Kv)


LOG_COEFFICIENTS = [0.5 / math.factorial(2 * j + 3) - 1.0 / math.factorial(2 * j + 4) for j in range(TERMS)]
"""Coefficients of (1 − cos θ − ½ θ sin θ)/θ⁴, by powers of −θ²."""


def log_coefficient(square: Any) -> Any:
    """Return D = (1 − (θ/2) cot(θ/2))/θ² from θ² ≤ π²: T/S₂ with T = (1 − cos θ − ½ θ sin θ)/θ⁴."""
    if is_exact(square):
        half = 0.5 * np.sqrt(square)
        return (1.0 - half * np.cos(half) / np.sin(half)) / square
    return _horner(square, LOG_COEFFICIENTS) / _series(square, 2)


def translation_of_log(r: Array, p: Array) -> Array:
    """Return V(r)⁻¹ p = p − ½ r×p + D r×(r×p), the inverse of :func:`translation_of_exp`, for |r| ≤ π."""
    K = skew(r)
    Kp = K @ p
    return p - 0.5 * Kp + log_coefficient(r @ r) * (K @ Kp)


def turn_gradient(r: Array, f: Array) -> Array:
    """Return J_r(r)⁻ᵀ f: a gradient f (3,) by the rotation vector, converted to a gradient by δ in Exp(r) Exp(δ).

    J_r(r)⁻ᵀ = J_l(r)⁻¹ = V(r)⁻¹ (Barfoot & Furgale 2014).
    """
    return translation_of_log(r, f)


def exp_coefficient_slopes(square: Any) -> tuple[Any, Any]:
    """Return the derivatives by θ² of (1 − cos θ)/θ² and (θ − sin θ)/θ³, from θ²."""
    near, x, x_far = _sides(square)
    series = [
        -_horner(x, [(j + 1) / math.factorial(k + 2 + 2 * j) for j in range(TERMS)]) for k in (2, 3)
    ]  # S_k' = (S_k−1 − k S_k)/2θ²
    a, b, c = exp_coefficients(x_far)
    return where(near, series[0], (a - 2.0 * b) / (2.0 * x_far)), where(near, series[1], (b - 3.0 * c) / (2.0 * x_far))


def twist_product(r: Array, v: Array, f: Array) -> Array:
    """Return Q(r, v) f (3,), with the derivative Q of V along v: the off-diagonal block of the Jacobian of Exp at [v;
    r].

    It is d/dε V(r + ε v) at 0: a function of the block matrix [[r×, v×], [0, r×]] has V(r) on the diagonal and this
    above it (Barfoot & Furgale, IEEE T-RO 2014, eq. 102).
    """
    x = r @ r
    _, b, c = exp_coefficients(x)
    b_slope, c_slope = exp_coefficient_slopes(x)
    K, L = skew(r), skew(v)
    Kf, Lf = K @ f, L @ f
    return b * Lf + c * (K @ Lf + L @ Kf) + 2.0 * (r @ v) * (b_slope * Kf + c_slope * (K @ Kf))


def twist_gradient(u: Array, f: Array) -> Array:
    """Return J_r(u)ᵀ f (6,): a gradient f = [f; n] by δ in Exp(u) Exp(δ), converted to a gradient by u = [v; r]."""
    v, r = u[:3], u[3:]
    return np.concatenate([translation_of_exp(r, f[:3]), translation_of_exp(r, f[3:]) + twist_product(r, v, f[:3])])


def twist_gradient_inverse(u: Array, f: Array) -> Array:
    """Return J_r(u)⁻ᵀ f (6,): the inverse of :func:`twist_gradient`, for angles up to π."""
    v, r = u[:3], u[3:]
    first = translation_of_log(r, f[:3])
    return np.concatenate([first, translation_of_log(r, f[3:] - twist_product(r, v, first))])
