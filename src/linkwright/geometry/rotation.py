"""Rotation matrices (…, 3, 3), which take components in the turned axes to those in the axes that stay.

>>> import numpy as np
>>> import linkwright as lw
>>> R = lw.rotation.about("z", np.pi / 2) @ lw.rotation.about("x", np.pi)
>>> np.round(lw.rotation.to_quaternion(R), 3) + 0.0
array([0.   , 0.707, 0.707, 0.   ])

Angles are in rad, quaternions (w, x, y, z). Everything takes leading dimensions, which broadcast, symbols too, and
works in functions that are compiled; ``@`` multiplies. A rotation vector r is the turn by |r| about r. Numbers that are
no rotation to 1e-5 (of the products of columns), or no unit quaternion, are refused (:class:`InputError`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.rows import rows
from linkwright.errors import UnknownNameError, is_choice
from linkwright.geometry.checks import ROTATION, UNIT, rows_of
from linkwright.spatial import euler
from linkwright.spatial import rotation as single
from linkwright.spatial.arrays import Array, Shaped, maximum, plain_norm

__all__ = [
    "about",
    "euler_axes",
    "exp",
    "from_euler",
    "from_quaternion",
    "from_rpy",
    "left_jacobian",
    "left_jacobian_inverse",
    "log",
    "right_jacobian",
    "right_jacobian_inverse",
    "skew",
    "to_euler",
    "to_quaternion",
    "to_rpy",
]


def __dir__() -> list[str]:
    return __all__


NAMED = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
"""The axes that have names."""


@rows
def about(axis: str | Shaped[Any, "3"], angle: Shaped[Any, ""]) -> Shaped[Array, "3 3"]:
    """The matrix (…, 3, 3) of a turn by ``angle`` (…) about ``axis`` (Rodrigues).

    ``axis`` is "x", "y", "z" or a vector (…, 3) of any length but zero, of which NaN come.
    """
    return single.rotation_about(direction(axis), angle)


def direction(axis: Any) -> Array:
    """The unit vector (3,) along an axis, given by its name or any vector along it."""
    if isinstance(axis, str):
        if not is_choice(axis, NAMED):
            raise UnknownNameError("axis", axis, NAMED)
        return np.array(NAMED[axis])
    along = scaled(axis)
    return along / plain_norm(along)


def scaled(x: Array) -> Array:
    """A vector (n,) by its largest entry, so that its length neither overflows nor vanishes."""
    largest, *others = abs(x)
    for entry in others:
        largest = maximum(largest, entry)
    return x / largest


@rows
def skew(a: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """[a]× (…, 3, 3), with [a]× b = a × b."""
    return single.skew(a)


@rows
def exp(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """The matrix (…, 3, 3) of a rotation vector (…, 3), of any length."""
    return single.rotation_exp(r)


@rows_of(R=ROTATION)
def log(R: Shaped[Any, "3 3"]) -> Shaped[Array, "3"]:
    """The rotation vector (…, 3) of a matrix (…, 3, 3), of length at most π; exact to rounding at 0 and up to π.

    At half a turn both r and −r are right, and one of them is given.
    """
    return single.rotation_log(R)


@rows
def left_jacobian(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """J_l (…, 3, 3), with exp(r + δ) ≈ exp(J_l δ) exp(r): the angular velocity in axes that stay is J_l ṙ."""
    return single.translation_of_exp(r, np.eye(3))


@rows
def left_jacobian_inverse(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """J_l⁻¹ (…, 3, 3), with log(exp(δ) exp(r)) ≈ r + J_l⁻¹ δ, for |r| ≤ π, as logarithms are."""
    return single.translation_of_log(r, np.eye(3))


@rows
def right_jacobian(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """J_r (…, 3, 3) = J_l(−r), with exp(r + δ) ≈ exp(r) exp(J_r δ): the angular velocity in turned axes is J_r ṙ."""
    return single.translation_of_exp(-r, np.eye(3))


@rows
def right_jacobian_inverse(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """J_r⁻¹ (…, 3, 3), with log(exp(r) exp(δ)) ≈ r + J_r⁻¹ δ, for |r| ≤ π, as logarithms are."""
    return single.translation_of_log(-r, np.eye(3))


@rows_of(u=UNIT)
def from_quaternion(u: Shaped[Any, "4"]) -> Shaped[Array, "3 3"]:
    """The matrix (…, 3, 3) of a unit quaternion (…, 4)."""
    return single.quaternion_matrix(u)


@rows_of(R=ROTATION)
def to_quaternion(R: Shaped[Any, "3 3"]) -> Shaped[Array, "4"]:
    """The unit quaternion (…, 4) with w ≥ 0 of a matrix (…, 3, 3) (Shepperd 1978)."""
    return single.quaternion_from_matrix(R)


@rows
def from_euler(angles: Shaped[Any, "3"], order: str, axes: str = "moving") -> Shaped[Array, "3 3"]:
    """The matrix (…, 3, 3) of three turns by ``angles`` (…, 3), in ``order``: "zyx", "zxz", any of the twelve.

    ``axes``: "moving" are those that turned with the turns before (called intrinsic: R_z(α) R_y(β) R_x(γ) for "zyx"),
    "fixed" those that stay (extrinsic: R_x(γ) R_y(β) R_z(α)). SciPy writes the former in capitals, the latter in
    small letters.
    """
    return euler.euler_matrix(angles, order, axes)


def _tell_of_lock(R: Any, order: str, axes: str) -> None:
    euler.tell_of_lock(order, axes, np.asarray(R, dtype=float), "only their sum or difference is known")


@rows_of(euler.lock_doubt, _tell_of_lock, R=ROTATION)
def to_euler(R: Shaped[Any, "3 3"], order: str, axes: str = "moving") -> Shaped[Array, "3"]:
    """The angles (…, 3) of :func:`from_euler`, of a matrix (…, 3, 3).

    The second is in ±π/2, or in 0…π where the first axis comes again ("zxz"); the others are in ±π. At the ends of
    the second's range (gimbal lock) the first and third turn about one axis, and only their sum or difference is
    known: the angles given make the same matrix there, but are not the only ones. Of numbers a warning says so.
    """
    return euler.euler_from_quaternion(single.quaternion_from_matrix(R), order, axes)


@rows
def euler_axes(angles: Shaped[Any, "3"], order: str, axes: str = "moving") -> Shaped[Array, "3 3"]:
    """E (…, 3, 3) with ω = E ė: the angular velocity, in axes that stay, of angles that change at rates ė.

    det E is ± the cosine of the second angle, or ± its sine where the first axis comes again: zero at gimbal lock.
    """
    return euler.euler_axes(angles, order, axes)


@rows
def from_rpy(rpy: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """The matrix (…, 3, 3) of roll, pitch and yaw (…, 3) about fixed x, y and z: R_z(yaw) R_y(pitch) R_x(roll)."""
    return euler.euler_matrix(rpy, "xyz", "fixed")


@rows_of(lambda R: euler.lock_doubt(R, "xyz", "fixed"), lambda R: _tell_of_lock(R, "xyz", "fixed"), R=ROTATION)
def to_rpy(R: Shaped[Any, "3 3"]) -> Shaped[Array, "3"]:
    """Roll, pitch and yaw (…, 3) of a matrix (…, 3, 3), pitch in ±π/2; see :func:`to_euler` for its ends."""
    return euler.euler_from_quaternion(single.quaternion_from_matrix(R), "xyz", "fixed")
