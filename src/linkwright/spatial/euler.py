"""Euler angles of all twelve orders, about moving or fixed axes.

A rotation about moving axes i, j, k by α, β, γ is R_i(α) R_j(β) R_k(γ); about fixed axes k, j, i by γ, β, α it is equal
(roll, pitch, yaw about fixed x, y, z are yaw, pitch, roll about moving z, y, x).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwright.errors import InputError, is_choice, warn
from linkwright.spatial.arrays import Array, atan2, where
from linkwright.spatial.rotation import rotation_about, skew

ORDERS = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c)
"""Twelve orders."""

AXES = ("moving", "fixed")


def axes_of(order: str, axes: str) -> tuple[tuple[int, int, int], slice]:
    """Return the indices of the equivalent moving axes, and the slice that reorders the angles."""
    if not is_choice(axes, AXES):
        raise InputError(f"axes are {' or '.join(map(repr, AXES))}; got {axes!r}")
    if not is_choice(order, ORDERS):
        raise InputError(
            f"order is one of {', '.join(ORDERS)}, in small letters, with axes='moving' or 'fixed'; got {order!r}"
        )
    turned = slice(None, None, 1 if axes == "moving" else -1)
    i, j, k = ("xyz".index(letter) for letter in order[turned])
    return (i, j, k), turned


def euler_matrix(angles: Array, order: str, axes: str = "moving") -> Array:
    """Return the rotation matrix (3, 3) of three angles (3,)."""
    numbers, turned = axes_of(order, axes)
    first, second, third = (rotation_about(np.eye(3)[n], x) for n, x in zip(numbers, angles[turned], strict=True))
    return first @ (second @ third)


def euler_axes(angles: Array, order: str, axes: str = "moving") -> Array:
    """Return E (3, 3) with ω = E ė, ω in fixed axes; its columns are the axes [e_i, R_i e_j, R_i R_j e_k].

    Its determinant is ± cos β for three different axes, ± sin β if the first and third axes are the same.
    """
    (i, j, k), turned = axes_of(order, axes)
    a, b, _ = angles[turned]
    unit = np.eye(3)
    R_i, R_j = rotation_about(unit[i], a), rotation_about(unit[j], b)
    return np.stack([unit[i], R_i @ unit[j], R_i @ (R_j @ unit[k])], axis=1)[:, turned]


def euler_rates(R: Array, order: str, axes: str = "moving") -> Array:
    """Return E⁻¹ (3, 3) with ė = E⁻¹ ω for a rotation (3, 3); it is not finite at gimbal lock.

    The first and third axes are e_i and R e_k, the second is along their product c: the rows are (e_k' × c)/c²,
    ± c/|c|, (c × e_i)/c², with |c| = |det E|.
    """
    (i, j, k), turned = axes_of(order, axes)
    first, third = np.eye(3)[i], R[:, k]
    c = skew(first) @ third
    square = c @ c
    side = 1.0 if k == i else -(i - j) * (j - k) * (k - i) / 2
    return np.stack([skew(third) @ c / square, side * c / np.sqrt(square), skew(c) @ first / square])[turned]


def euler_freedom(R: Array, order: str, axes: str = "moving") -> Array:
    """Return |det E| (…) of rotations (…, 3, 3): the sine of the angle between the first and the third axis."""
    (i, _, k), _ = axes_of(order, axes)
    free: Array = np.hypot(R[..., i - 1, k], R[..., i - 2, k])  # the part of the third axis perpendicular to the first
    return free


def lock_doubt(R: Array, order: str, axes: str = "moving") -> Any:
    """Return a positive number if the angles of an order are at gimbal lock at a rotation (3, 3)."""
    (i, _, k), _ = axes_of(order, axes)
    return LOCKED**2 - (R[i - 1, k] * R[i - 1, k] + R[i - 2, k] * R[i - 2, k])


def warn_of_gimbal_lock(order: str, axes: str, R: Array, so: str) -> None:
    """Warn if angles of an order are at gimbal lock at rotations (…, 3, 3), and name another order."""
    rows = R.reshape(-1, 3, 3)
    free = euler_freedom(rows, order, axes)
    locked = free < LOCKED
    if not locked.any():
        return
    worst = rows[np.argmin(np.where(np.isfinite(free), free, np.inf))]
    best = max(ORDERS, key=lambda one: float(euler_freedom(worst[None], one, axes)[0]))
    where = "" if len(rows) == 1 else f" of {int(locked.sum())} of {len(rows)} rotations"
    warn(
        f"the Euler angles {order!r}{where} are at gimbal lock: the first and third axes coincide, and {so}; "
        f"use {best!r} there"
    )


LOCKED = 1e-8
"""Angle in rad between the first and third axes below which they count as coincident."""


def euler_from_quaternion(u: Array, order: str, axes: str = "moving") -> Array:
    """Return the three angles (3,) of a unit quaternion (4,), the second in [-π/2, π/2], or in [0, π] for repeated
    axes.

    The others are in [-π, π]. At gimbal lock only their sum or difference is determined; the returned angles
    give the same rotation (after Bernardes & Viollet, PLoS ONE 2022).
    """
    (i, j, k), turned = axes_of(order, axes)
    w, v = u[0], u[1:]
    other = 3 - i - j
    s = (i - j) * (j - other) * (other - i) / 2
    if k == i:
        A, B, C, D = w, v[i], v[j], s * v[other]
    else:
        A, B, C, D = w - v[j], v[k] - s * v[i], w + v[j], -s * v[i] - v[k]
    b = 2.0 * atan2(np.sqrt(C * C + D * D), np.sqrt(A * A + B * B))
    plus, minus = atan2(B, A), atan2(D, C)
    a, c = plus + minus, plus - minus
    if k != i:
        a, b, c = -s * a, b - 0.5 * math.pi, c
    return np.stack([_wrapped(a), b, _wrapped(c)])[turned]


def _wrapped(angle: Any) -> Any:
    """Return an angle within ±2π, wrapped to ±π."""
    return angle - where(angle > math.pi, 2.0 * math.pi, where(angle < -math.pi, -2.0 * math.pi, 0.0))
