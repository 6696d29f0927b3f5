"""Poses as matrices (…, 4, 4) = [[R, p], [0, 1]], which map coordinates in a frame to world coordinates.

>>> import linkwright as lw
>>> T = lw.transform.make(lw.rotation.about("z", 0.5), [1.0, 2.0, 0.0])
>>> lw.transform.apply(T, [0.0, 0.0, 3.0])
array([1., 2., 3.])

``@`` multiplies. 6-vectors have their linear part first: twists [v; ω], wrenches [f; n]. All functions accept leading
dimensions, which broadcast, and symbols, also in compiled functions. Matrices that deviate from a pose by more than
1e-5 are rejected (:class:`InputError`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.rows import rows
from linkwright.geometry.checks import POSE, ROTATION, rows_of
from linkwright.spatial import transform as single
from linkwright.spatial.arrays import Array, Shaped

__all__ = [
    "adjoint",
    "apply",
    "exp",
    "interpolate",
    "inverse",
    "left_jacobian",
    "left_jacobian_inverse",
    "log",
    "make",
    "right_jacobian",
    "right_jacobian_inverse",
    "split",
    "wrench_adjoint",
]

NO_TURN, NOWHERE = np.eye(3), np.zeros(3)


def __dir__() -> list[str]:
    return __all__


@rows_of(R=ROTATION)
def make(R: Shaped[Any, "3 3"] = NO_TURN, p: Shaped[Any, "3"] = NOWHERE) -> Shaped[Array, "4 4"]:
    """Make a pose from a rotation and a position.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3), optional
        Rotation matrix; by default the identity.
    p : array_like, shape (..., 3), optional
        Position in m; by default zero.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Pose.
    """
    return single.pose_matrix(R, p)


@rows_of(T=POSE)
def split(T: Shaped[Any, "4 4"]) -> tuple[Shaped[Array, "3 3"], Shaped[Array, "3"]]:
    """Split a pose into its rotation and its position.

    Parameters
    ----------
    T : array_like, shape (..., 4, 4)
        Pose.

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
        Rotation matrix.
    p : ndarray, shape (..., 3)
        Position in m.
    """
    return single.split_pose(T)


@rows_of(T=POSE)
def inverse(T: Shaped[Any, "4 4"]) -> Shaped[Array, "4 4"]:
    """Compute the inverse of a pose, [[Rᵀ, −Rᵀp], [0, 1]].

    Parameters
    ----------
    T : array_like, shape (..., 4, 4)
        Pose.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Pose.
    """
    return single.inverse_pose(T)


@rows_of(T=POSE)
def apply(T: Shaped[Any, "4 4"], p: Shaped[Any, "3"]) -> Shaped[Array, "3"]:
    """Map a point of the frame to the world: R p + t.

    Parameters
    ----------
    T : array_like, shape (..., 4, 4)
        Pose.
    p : array_like, shape (..., 3)
        Point in the frame in m. Many points of one pose broadcast.

    Returns
    -------
    ndarray, shape (..., 3)
        Point in the world in m.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.transform.apply(lw.transform.make(p=[1.0, 0.0, 0.0]), [0.0, 2.0, 0.0])
    array([1., 2., 0.])
    """
    R, t = single.split_pose(T)
    return R @ p + t


@rows
def exp(twist: Shaped[Any, "6"]) -> Shaped[Array, "4 4"]:
    """Compute the pose after a unit of time at a constant twist.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Twist [v; ω].

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Pose.
    """
    return single.pose_exp(twist)


@rows_of(T=POSE)
def log(T: Shaped[Any, "4 4"]) -> Shaped[Array, "6"]:
    """Compute the constant twist that leads to a pose in a unit of time.

    Parameters
    ----------
    T : array_like, shape (..., 4, 4)
        Pose.

    Returns
    -------
    ndarray, shape (..., 6)
        Twist [v; ω], |ω| at most π.
    """
    return single.pose_log(T)


@rows
def left_jacobian(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """Compute the left Jacobian: exp(ξ + δ) ≈ exp(J_l δ) exp(ξ).

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Twist [v; ω].

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Jacobian J_l.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.exp_jacobian(twist)


@rows
def left_jacobian_inverse(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """Compute the inverse of the left Jacobian: log(exp(δ) exp(ξ)) ≈ ξ + J_l⁻¹ δ.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Twist ξ = [v; ω], |ω| at most π.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Inverse Jacobian J_l⁻¹.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.exp_jacobian_inverse(twist)


@rows
def right_jacobian(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """Compute the right Jacobian, J_r(ξ) = J_l(−ξ): exp(ξ + δ) ≈ exp(ξ) exp(J_r δ).

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Twist [v; ω].

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Jacobian J_r.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.exp_jacobian(-twist)


@rows
def right_jacobian_inverse(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """Compute the inverse of the right Jacobian: log(exp(ξ) exp(δ)) ≈ ξ + J_r⁻¹ δ.

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Twist ξ = [v; ω], |ω| at most π.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        Inverse Jacobian J_r⁻¹.

    References
    ----------
    Barfoot & Furgale, "Associating uncertainty with three-dimensional poses for use in estimation problems", *IEEE
    Transactions on Robotics* 30(3), 2014, section II.
    """
    return single.exp_jacobian_inverse(-twist)


@rows_of(T=POSE)
def adjoint(T: Shaped[Any, "4 4"]) -> Shaped[Array, "6 6"]:
    """Compute the adjoint matrix, which maps twists of the frame to the world, each at the origin.

    Parameters
    ----------
    T : array_like, shape (..., 4, 4)
        Pose.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        [[R, [p]× R], [0, R]].

    References
    ----------
    Lynch & Park, *Modern Robotics* (2017), section 3.3.
    """
    return single.motion_transform(T)


@rows_of(T=POSE)
def wrench_adjoint(T: Shaped[Any, "4 4"]) -> Shaped[Array, "6 6"]:
    """Compute the adjoint matrix of wrenches: the inverse transpose of :func:`adjoint`.

    Parameters
    ----------
    T : array_like, shape (..., 4, 4)
        Pose.

    Returns
    -------
    ndarray, shape (..., 6, 6)
        [[R, 0], [[p]× R, R]].

    References
    ----------
    Lynch & Park, *Modern Robotics* (2017), section 3.4.
    """
    return single.force_transform(T)


@rows_of(a=POSE, b=POSE)
def interpolate(a: Shaped[Any, "4 4"], b: Shaped[Any, "4 4"], s: Shaped[Any, ""]) -> Shaped[Array, "4 4"]:
    """Interpolate between two poses at a constant twist: a exp(s log(a⁻¹ b)).

    Parameters
    ----------
    a, b : array_like, shape (..., 4, 4)
        Poses.
    s : array_like, shape (...)
        Fraction of the path; values below 0 and above 1 extrapolate.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Pose.
    """
    return a @ single.pose_exp(s * single.pose_log(single.inverse_pose(a) @ b))
