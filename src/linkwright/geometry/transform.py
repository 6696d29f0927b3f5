"""Poses as matrices (…, 4, 4) = [[R, p], [0, 1]], which take coordinates in a frame to those in the world.

>>> import linkwright as lw
>>> T = lw.transform.make(lw.rotation.about("z", 0.5), [1.0, 2.0, 0.0])
>>> lw.transform.apply(T, [0.0, 0.0, 3.0])
array([1., 2., 3.])

``@`` multiplies. 6-vectors have their linear part first: twists [v; ω], wrenches [f; n]. Everything takes leading
dimensions, which broadcast, symbols too, and works in functions that are compiled. Numbers that are no pose to 1e-5 are
refused (:class:`InputError`).
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
    """The pose (…, 4, 4) of a rotation (…, 3, 3) and a position (…, 3); where one is not given, nothing is turned or
    moved."""
    return single.pose_matrix(R, p)


@rows_of(T=POSE)
def split(T: Shaped[Any, "4 4"]) -> tuple[Shaped[Array, "3 3"], Shaped[Array, "3"]]:
    """The rotation (…, 3, 3) and the position (…, 3) of a pose (…, 4, 4)."""
    return single.split_pose(T)


@rows_of(T=POSE)
def inverse(T: Shaped[Any, "4 4"]) -> Shaped[Array, "4 4"]:
    """T⁻¹ (…, 4, 4) = [[Rᵀ, −Rᵀp], [0, 1]]."""
    return single.inverse_pose(T)


@rows_of(T=POSE)
def apply(T: Shaped[Any, "4 4"], p: Shaped[Any, "3"]) -> Shaped[Array, "3"]:
    """R p + t (…, 3): where a point (…, 3) of the frame is in the world. Many points of one pose broadcast."""
    R, t = single.split_pose(T)
    return R @ p + t


@rows
def exp(twist: Shaped[Any, "6"]) -> Shaped[Array, "4 4"]:
    """The pose (…, 4, 4) to which a unit time at the constant twist [v; ω] (…, 6) leads."""
    return single.pose_exp(twist)


@rows_of(T=POSE)
def log(T: Shaped[Any, "4 4"]) -> Shaped[Array, "6"]:
    """The twist [v; ω] (…, 6), |ω| at most π, that leads to a pose (…, 4, 4) in a unit time."""
    return single.pose_log(T)


@rows
def left_jacobian(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """J_l (…, 6, 6), with exp(ξ + δ) ≈ exp(J_l δ) exp(ξ) (Barfoot & Furgale 2014)."""
    return single.exp_jacobian(twist)


@rows
def left_jacobian_inverse(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """J_l⁻¹ (…, 6, 6), with log(exp(δ) exp(ξ)) ≈ ξ + J_l⁻¹ δ, for |ω| ≤ π, as logarithms are."""
    return single.exp_jacobian_inverse(twist)


@rows
def right_jacobian(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """J_r (…, 6, 6) = J_l(−ξ), with exp(ξ + δ) ≈ exp(ξ) exp(J_r δ)."""
    return single.exp_jacobian(-twist)


@rows
def right_jacobian_inverse(twist: Shaped[Any, "6"]) -> Shaped[Array, "6 6"]:
    """J_r⁻¹ (…, 6, 6), with log(exp(ξ) exp(δ)) ≈ ξ + J_r⁻¹ δ, for |ω| ≤ π, as logarithms are."""
    return single.exp_jacobian_inverse(-twist)


@rows_of(T=POSE)
def adjoint(T: Shaped[Any, "4 4"]) -> Shaped[Array, "6 6"]:
    """[[R, [p]× R], [0, R]] (…, 6, 6): takes twists of the frame to the world, each at the origin."""
    return single.motion_transform(T)


@rows_of(T=POSE)
def wrench_adjoint(T: Shaped[Any, "4 4"]) -> Shaped[Array, "6 6"]:
    """[[R, 0], [[p]× R, R]] (…, 6, 6), the same of wrenches: the inverse transpose of :func:`adjoint`."""
    return single.force_transform(T)


@rows_of(a=POSE, b=POSE)
def interpolate(a: Shaped[Any, "4 4"], b: Shaped[Any, "4 4"], t: Shaped[Any, ""]) -> Shaped[Array, "4 4"]:
    """The pose (…, 4, 4) that is the share t (…) of the way from a to b at a constant twist: a exp(t log(a⁻¹ b))."""
    return a @ single.pose_exp(t * single.pose_log(single.inverse_pose(a) @ b))
