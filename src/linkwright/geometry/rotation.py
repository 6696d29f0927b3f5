"""Rotation matrices (…, 3, 3), which map components in rotated axes to components in fixed axes.

>>> import numpy as np
>>> import linkwright as lw
>>> R = lw.rotation.about("z", np.pi / 2) @ lw.rotation.about("x", np.pi)
>>> np.round(lw.rotation.to_quaternion(R), 3) + 0.0
array([0.   , 0.707, 0.707, 0.   ])

Angles are in rad, quaternions are (w, x, y, z). All functions accept leading dimensions, which broadcast, and symbols,
also in compiled functions, and expressions of SymPy; ``@`` multiplies. A rotation vector r is the rotation by |r| about
r. Matrices that deviate from a rotation by more than 1e-5 (products of columns), and quaternions that are not unit, are
rejected (:class:`InputError`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.rows import rows
from linkwright.errors import UnknownNameError, is_choice
from linkwright.geometry.checks import ROTATION, UNIT, rows_of
from linkwright.spatial import euler
from linkwright.spatial import rotation as single
from linkwright.spatial.arrays import Array, Shaped, is_exact, maximum, plain_norm

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
"""Axes with names."""


@rows
def about(axis: str | Shaped[Any, "3"], angle: Shaped[Any, ""]) -> Shaped[Array, "3 3"]:
    """Compute the matrix of a rotation about an axis (Rodrigues).

    Parameters
    ----------
    axis : {"x", "y", "z"} or array_like, shape (..., 3)
        Axis, of any nonzero length; a zero axis gives NaN.
    angle : array_like, shape (...)
        Angle in rad.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrix.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> lw.rotation.about("z", np.pi / 2).round(9) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    return single.rotation_about(direction(axis), angle)


def direction(axis: Any) -> Array:
    """Return the unit vector (3,) of an axis, from its name or a vector."""
    if isinstance(axis, str):
        if not is_choice(axis, NAMED):
            raise UnknownNameError("axis", axis, NAMED)
        return np.array(NAMED[axis])
    along = scaled(axis)
    return along / plain_norm(along)


def scaled(x: Array) -> Array:
    """Return a vector (n,) divided by its largest entry, so that its length neither overflows nor underflows."""
    if is_exact(x[0]):
        return x
    largest, *others = abs(x)
    for entry in others:
        largest = maximum(largest, entry)
    return x / largest


@rows
def skew(a: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the matrix of a cross product: [a]× b = a × b.

    Parameters
    ----------
    a : array_like, shape (..., 3)
        Vector.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Skew-symmetric matrix [a]×.
    """
    return single.skew(a)


@rows
def exp(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the matrix of a rotation vector.

    Parameters
    ----------
    r : array_like, shape (..., 3)
        Rotation vector in rad.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrix.
    """
    return single.rotation_exp(r)


@rows_of(R=ROTATION)
def log(R: Shaped[Any, "3 3"]) -> Shaped[Array, "3"]:
    """Compute the rotation vector of a matrix.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        Rotation matrix.

    Returns
    -------
    ndarray, shape (..., 3)
        Rotation vector in rad, of length at most π, exact to rounding for all angles. At the angle π both r and −r are
        valid, and one is returned.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.rotation.log(lw.rotation.about("z", 0.5)).round(9)
    array([0. , 0. , 0.5])
    """
    return single.rotation_log(R)


@rows
def left_jacobian(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the left Jacobian: exp(r + δ) ≈ exp(J_l δ) exp(r).

    Parameters
    ----------
    r : array_like, shape (..., 3)
        Rotation vector in rad.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Jacobian J_l; the angular velocity in fixed axes is J_l ṙ.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.translation_of_exp(r, np.eye(3))


@rows
def left_jacobian_inverse(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the inverse of the left Jacobian: log(exp(δ) exp(r)) ≈ r + J_l⁻¹ δ.

    Parameters
    ----------
    r : array_like, shape (..., 3)
        Rotation vector in rad, of length at most π.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Inverse Jacobian J_l⁻¹.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.translation_of_log(r, np.eye(3))


@rows
def right_jacobian(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the right Jacobian, J_r(r) = J_l(−r): exp(r + δ) ≈ exp(r) exp(J_r δ).

    Parameters
    ----------
    r : array_like, shape (..., 3)
        Rotation vector in rad.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Jacobian J_r; the angular velocity in rotated axes is J_r ṙ.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.translation_of_exp(-r, np.eye(3))


@rows
def right_jacobian_inverse(r: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the inverse of the right Jacobian: log(exp(r) exp(δ)) ≈ r + J_r⁻¹ δ.

    Parameters
    ----------
    r : array_like, shape (..., 3)
        Rotation vector in rad, of length at most π.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Inverse Jacobian J_r⁻¹.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.translation_of_log(-r, np.eye(3))


@rows_of(u=UNIT)
def from_quaternion(u: Shaped[Any, "4"]) -> Shaped[Array, "3 3"]:
    """Compute the matrix of a unit quaternion.

    Parameters
    ----------
    u : array_like, shape (..., 4)
        Unit quaternion (w, x, y, z).

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrix.
    """
    return single.quaternion_matrix(u)


@rows_of(R=ROTATION)
def to_quaternion(R: Shaped[Any, "3 3"]) -> Shaped[Array, "4"]:
    """Compute the unit quaternion of a matrix.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        Rotation matrix.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternion (w, x, y, z) with w ≥ 0.

    References
    ----------
    Shepperd, "Quaternion from rotation matrix", *Journal of Guidance and Control* 1(3), 1978.
    """
    return single.quaternion_from_matrix(R)


@rows
def from_euler(angles: Shaped[Any, "3"], order: str, axes: str = "moving") -> Shaped[Array, "3 3"]:
    """Compute the matrix of Euler angles.

    Parameters
    ----------
    angles : array_like, shape (..., 3)
        Angles in rad, in the order of the axes.
    order : str
        Order of the axes, one of twelve: "zyx", "zxz", ….
    axes : {"moving", "fixed"}, optional
        "moving": axes that rotate with the previous rotations (intrinsic), R_z(α) R_y(β) R_x(γ) for "zyx". "fixed":
        axes that do not rotate (extrinsic), R_x(γ) R_y(β) R_z(α). SciPy writes the former in capitals, the latter in
        small letters.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrix.
    """
    return euler.euler_matrix(angles, order, axes)


def _tell_of_lock(R: Any, order: str, axes: str) -> None:
    euler.warn_of_gimbal_lock(order, axes, np.asarray(R, dtype=float), "only their sum or difference is known")


@rows_of(euler.lock_doubt, _tell_of_lock, R=ROTATION)
def to_euler(R: Shaped[Any, "3 3"], order: str, axes: str = "moving") -> Shaped[Array, "3"]:
    """Compute the Euler angles of a matrix.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        Rotation matrix.
    order : str
        Order of the axes, one of twelve: "zyx", "zxz", ….
    axes : {"moving", "fixed"}, optional
        "moving": axes that rotate with the previous rotations (intrinsic), R_z(α) R_y(β) R_x(γ) for "zyx". "fixed":
        axes that do not rotate (extrinsic), R_x(γ) R_y(β) R_z(α). SciPy writes the former in capitals, the latter in
        small letters.

    Returns
    -------
    ndarray, shape (..., 3)
        Angles in rad: the second in [-π/2, π/2], or in [0, π] for repeated axes ("zxz"); the others in [-π, π]. At the
        ends of the second's range (gimbal lock) only the sum or difference of the others is determined: a warning is
        issued for numbers, and the returned angles give the same matrix.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.rotation.to_euler(lw.rotation.about("z", 0.5), "zyx").round(9) + 0.0
    array([0.5, 0. , 0. ])
    """
    return euler.euler_from_quaternion(single.quaternion_from_matrix(R), order, axes)


@rows
def euler_axes(angles: Shaped[Any, "3"], order: str, axes: str = "moving") -> Shaped[Array, "3 3"]:
    """Compute the matrix E of the rates of Euler angles: ω = E ė in fixed axes.

    Parameters
    ----------
    angles : array_like, shape (..., 3)
        Angles in rad, in the order of the axes.
    order : str
        Order of the axes, one of twelve: "zyx", "zxz", ….
    axes : {"moving", "fixed"}, optional
        "moving": axes that rotate with the previous rotations (intrinsic), R_z(α) R_y(β) R_x(γ) for "zyx". "fixed":
        axes that do not rotate (extrinsic), R_x(γ) R_y(β) R_z(α). SciPy writes the former in capitals, the latter in
        small letters.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        E. Its determinant is ± the cosine of the second angle, or ± its sine for repeated axes: zero at gimbal lock.
    """
    return euler.euler_axes(angles, order, axes)


@rows
def from_rpy(rpy: Shaped[Any, "3"]) -> Shaped[Array, "3 3"]:
    """Compute the matrix of roll, pitch and yaw about fixed axes: R_z(yaw) R_y(pitch) R_x(roll).

    Parameters
    ----------
    rpy : array_like, shape (..., 3)
        Roll, pitch and yaw in rad.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        Rotation matrix.
    """
    return euler.euler_matrix(rpy, "xyz", "fixed")


@rows_of(lambda R: euler.lock_doubt(R, "xyz", "fixed"), lambda R: _tell_of_lock(R, "xyz", "fixed"), R=ROTATION)
def to_rpy(R: Shaped[Any, "3 3"]) -> Shaped[Array, "3"]:
    """Compute roll, pitch and yaw about fixed axes of a matrix.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        Rotation matrix.

    Returns
    -------
    ndarray, shape (..., 3)
        Roll, pitch and yaw in rad, pitch in [-π/2, π/2]; see :func:`to_euler` for gimbal lock.
    """
    return euler.euler_from_quaternion(single.quaternion_from_matrix(R), "xyz", "fixed")
