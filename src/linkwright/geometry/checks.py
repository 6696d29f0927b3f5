"""Checks of rotations, poses and unit quaternions, since other numbers would give wrong results.

The deviation is computed in the kernel of the results. Symbols are not checked, and NaN propagates.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linkwright.compiler.rows import rows, rows_looked_at
from linkwright.errors import InputError
from linkwright.spatial.arrays import Array, Shaped, as_numbers, maximum
from linkwright.spatial.rotation import rotation_flaw

F = TypeVar("F", bound=Callable[..., Any])

TOLERANCE = 1e-5
"""Largest deviation of the products of a rotation's columns, a pose's last row, and a quaternion's length."""


class ArgumentKind(NamedTuple):
    """Required kind of an argument."""

    doubt: Callable[[Any], Any]
    """of rows: positive for invalid ones"""
    fault: Callable[[Array], str]
    """of an invalid row: the reason"""


@rows
def _of_rotation(R: Shaped[Any, "3 3"]) -> Any:
    return rotation_flaw(R) - TOLERANCE**2


@rows
def _of_pose(T: Shaped[Any, "4 4"]) -> Any:
    below = T[3] - np.array([0.0, 0.0, 0.0, 1.0])
    return rotation_flaw(T[:3, :3]) + below @ below - TOLERANCE**2


@rows
def _of_quaternion(u: Shaped[Any, "4"]) -> Any:
    return abs(u @ u - 1.0) - 2.0 * TOLERANCE


def _no_rotation(R: Array) -> str:
    off = np.abs(R.T @ R - np.eye(3)).max()
    mirrors = off < 0.1 and np.linalg.det(R) < 0.0
    why = "it is a reflection (its determinant is -1)" if mirrors else f"RᵀR differs from 1 by {off:.2g}"
    return f"is not a rotation, since {why}; got\n{R}"


def _no_pose(T: Array) -> str:
    if np.abs(T[3] - [0.0, 0.0, 0.0, 1.0]).max() > TOLERANCE:
        return f"is not a pose, since its last row is not 0 0 0 1; got\n{T}"
    return f"is not a pose: its rotation {_no_rotation(T[:3, :3])}"


def _no_unit(u: Array) -> str:
    return f"has length {np.linalg.norm(u):.6g}, but a unit quaternion is expected (quaternion.unit scales it); got {u}"


ROTATION = ArgumentKind(_of_rotation, _no_rotation)
POSE = ArgumentKind(_of_pose, _no_pose)
UNIT = ArgumentKind(_of_quaternion, _no_unit)


def require_poses(name: str, T: Any) -> None:
    """Raise :class:`InputError` if a matrix of (..., 4, 4) is not a pose; NaN and other shapes are not checked."""
    array = as_numbers(name, T)
    if array.shape[-2:] == (4, 4):
        _look(name, POSE, array)


def _look(name: str, kind: ArgumentKind, x: Any, of: str = "") -> None:
    """Raise :class:`InputError` if a row is invalid; ``of``: of a function."""
    wrong = np.asarray(kind.doubt(x) > 0.0)
    if wrong.any():
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        where = f"{name}[{', '.join(map(str, at))}]" if at else name
        raise InputError(f"{of}{where} {kind.fault(np.asarray(x, dtype=float)[at])}")


def rows_of(
    doubt: Callable[..., Any] | None = None, look: Callable[..., None] | None = None, **kinds: ArgumentKind
) -> Callable[[F], F]:
    """Decorate a function with :func:`~linkwright.compiler.rows.rows`, with arguments of these kinds.

    ``doubt`` and ``look`` are additional checks as there. Raises :class:`InputError`.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        def of_all(*args: Any, **named: Any) -> Any:
            given = signature.bind(*args, **named)
            found = [kind.doubt(given.arguments[name]) for name, kind in kinds.items()]
            found += [doubt(*args, **named)] if doubt is not None else []
            worst = found[0]
            for x in found[1:]:
                worst = maximum(worst, x)
            return worst

        def look_at(**arguments: Any) -> None:
            for name, kind in kinds.items():
                _look(name, kind, arguments[name], f"{function.__name__}: ")
            if look is not None:
                look(**arguments)

        return rows_looked_at(of_all, look_at)(function)

    return decorate
