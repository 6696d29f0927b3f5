"""Unit quaternions (…, 4): (w, x, y, z), Hamilton's product, body to world; u and −u are the same rotation.

>>> import numpy as np
>>> import linkwright as lw
>>> half = lw.quaternion.about("z", np.pi / 2)
>>> np.round(lw.quaternion.product(half, half), 3) + 0.0
array([0., 0., 0., 1.])

For conversions to matrices and angles see :mod:`lw.rotation <linkwright.geometry.rotation>`. Unit quaternions whose
length differs from 1 by more than 1e-5 are rejected (:class:`InputError`); :func:`unit` normalizes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.rows import rows
from linkwright.geometry.checks import UNIT, rows_of
from linkwright.geometry.rotation import direction, scaled
from linkwright.spatial import rotation as single
from linkwright.spatial.arrays import Array, Shaped

__all__ = ["about", "exp", "inverse", "log", "product", "rotate", "slerp", "unit"]


def __dir__() -> list[str]:
    return __all__


@rows
def about(axis: str | Shaped[Any, "3"], angle: Shaped[Any, ""]) -> Shaped[Array, "4"]:
    """Compute the quaternion of a rotation about an axis.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array_like, shape (..., 3)
        Axis, of any nonzero length.
    angle : array_like, shape (...)
        Angle in rad.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternion.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> lw.quaternion.about("z", np.pi).round(9) + 0.0
    array([0., 0., 0., 1.])
    """
    return np.concatenate([np.stack([np.cos(0.5 * angle)]), np.sin(0.5 * angle) * direction(axis)])


@rows
def product(a: Shaped[Any, "4"], b: Shaped[Any, "4"]) -> Shaped[Array, "4"]:
    """Compute the product of two quaternions: the rotation a after b.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Quaternions of any length.

    Returns
    -------
    ndarray, shape (..., 4)
        Product.
    """
    return single.quaternion_product(a, b)


@rows_of(u=UNIT)
def inverse(u: Shaped[Any, "4"]) -> Shaped[Array, "4"]:
    """Compute the inverse of a unit quaternion.

    Parameters
    ----------
    u : array_like, shape (..., 4)
        Unit quaternion (w, x, y, z).

    Returns
    -------
    ndarray, shape (..., 4)
        Quaternion of the inverse rotation.
    """
    return single.quaternion_conjugate(u)


@rows
def unit(u: Shaped[Any, "4"]) -> Shaped[Array, "4"]:
    """Normalize a quaternion.

    Parameters
    ----------
    u : array_like, shape (..., 4)
        Quaternion of any nonzero length.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternion.
    """
    return single.quaternion_unit(scaled(u))


@rows_of(u=UNIT)
def rotate(u: Shaped[Any, "4"], p: Shaped[Any, "3"]) -> Shaped[Array, "3"]:
    """Rotate a vector by a unit quaternion.

    Parameters
    ----------
    u : array_like, shape (..., 4)
        Unit quaternion (w, x, y, z).
    p : array_like, shape (..., 3)
        Vector.

    Returns
    -------
    ndarray, shape (..., 3)
        Rotated vector.
    """
    return single.rotate(u, p)


@rows
def exp(r: Shaped[Any, "3"]) -> Shaped[Array, "4"]:
    """Compute the unit quaternion of a rotation vector.

    Parameters
    ----------
    r : array_like, shape (..., 3)
        Rotation vector in rad.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternion.
    """
    return single.quaternion_exp(r)


@rows_of(u=UNIT)
def log(u: Shaped[Any, "4"]) -> Shaped[Array, "3"]:
    """Compute the rotation vector of a unit quaternion.

    Parameters
    ----------
    u : array_like, shape (..., 4)
        Unit quaternion (w, x, y, z).

    Returns
    -------
    ndarray, shape (..., 3)
        Rotation vector in rad, of length at most π.
    """
    return single.quaternion_log(u)


@rows_of(a=UNIT, b=UNIT)
def slerp(a: Shaped[Any, "4"], b: Shaped[Any, "4"], s: Shaped[Any, ""]) -> Shaped[Array, "4"]:
    """Interpolate between two orientations along the shorter path at constant angular velocity.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Unit quaternions.
    s : array_like, shape (...)
        Fraction of the path; values below 0 and above 1 extrapolate.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternion. If the rotation from a to b has the angle π, one of both paths is used.

    References
    ----------
    Shoemake, "Animating rotation with quaternion curves", *SIGGRAPH* 1985, section 3.3.
    """
    return single.quaternion_between(a, b, s)
