"""Unit quaternions (…, 4): (w, x, y, z), Hamilton's product, body to world; u and −u are the same rotation.

>>> import numpy as np
>>> import linkwright as lw
>>> half = lw.quaternion.about("z", np.pi / 2)
>>> np.round(lw.quaternion.product(half, half), 3) + 0.0
array([0., 0., 0., 1.])

To and from matrices and angles: :mod:`lw.rotation <linkwright.geometry.rotation>`. Where a unit quaternion is expected
numbers whose length is not 1 to 1e-5 are refused (:class:`InputError`); :func:`unit` scales them.
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
    """The quaternion (…, 4) of a turn by ``angle`` (…) about ``axis``: "x", "y", "z" or a vector (…, 3) but zero."""
    return np.concatenate([np.stack([np.cos(0.5 * angle)]), np.sin(0.5 * angle) * direction(axis)])


@rows
def product(a: Shaped[Any, "4"], b: Shaped[Any, "4"]) -> Shaped[Array, "4"]:
    """The quaternion (…, 4) of the rotation a after b; of any quaternions, their product."""
    return single.quaternion_product(a, b)


@rows_of(u=UNIT)
def inverse(u: Shaped[Any, "4"]) -> Shaped[Array, "4"]:
    """The quaternion (…, 4) of the inverse rotation, of a unit quaternion (…, 4)."""
    return single.quaternion_conjugate(u)


@rows
def unit(u: Shaped[Any, "4"]) -> Shaped[Array, "4"]:
    """The quaternion (…, 4) scaled to length one, of any length but zero, of which NaN come."""
    return single.quaternion_unit(scaled(u))


@rows_of(u=UNIT)
def rotate(u: Shaped[Any, "4"], p: Shaped[Any, "3"]) -> Shaped[Array, "3"]:
    """The vector p (…, 3) turned by a unit quaternion (…, 4)."""
    return single.rotate(u, p)


@rows
def exp(r: Shaped[Any, "3"]) -> Shaped[Array, "4"]:
    """The unit quaternion (…, 4) of a rotation vector (…, 3), of any length."""
    return single.quaternion_exp(r)


@rows_of(u=UNIT)
def log(u: Shaped[Any, "4"]) -> Shaped[Array, "3"]:
    """The rotation vector (…, 3), of length at most π, of a unit quaternion (…, 4)."""
    return single.quaternion_log(u)


@rows_of(a=UNIT, b=UNIT)
def slerp(a: Shaped[Any, "4"], b: Shaped[Any, "4"], t: Shaped[Any, ""]) -> Shaped[Array, "4"]:
    """The quaternion (…, 4) that is the share t (…) of the shorter way from a to b, at an even pace (Shoemake 1985).

    Of two that are half a turn apart both ways are as short, and one is taken. t may be below 0 and above 1.
    """
    return single.quaternion_between(a, b, t)
