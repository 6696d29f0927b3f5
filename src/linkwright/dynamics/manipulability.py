"""How well a frame can be moved: measures and ellipsoids of its Jacobian (Yoshikawa 1985, Asada 1983)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from linkwright.dynamics.jacobian import jacobian
from linkwright.dynamics.kinematics import Reference
from linkwright.dynamics.mass import mass_matrix
from linkwright.errors import InputError
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.linalg import factorise, solve_above
from linkwright.spatial.singular import singular_values, triangle

Measure = Literal["yoshikawa", "condition", "asada"]
"""What of the velocity ellipsoid counts."""

MEASURES: tuple[Measure, ...] = get_args(Measure)
NAMES = ("x", "y", "z", "rx", "ry", "rz")
"""The rows of a Jacobian: along the axes and about them."""

GROUPS = {"all": NAMES, "linear": NAMES[:3], "angular": NAMES[3:]}


def check_measure(measure: str) -> None:
    """Raise :class:`InputError` for a measure that does not exist."""
    if measure not in MEASURES:
        raise InputError(f"measure is {measure!r}; it may be {', '.join(map(repr, MEASURES))}")


def rows_of(directions: str | Sequence[str]) -> list[int]:
    """The rows of a Jacobian that are meant: a group of them, or a list of names."""
    names: Sequence[str] = GROUPS.get(directions, (directions,)) if isinstance(directions, str) else directions
    if not names or any(name not in NAMES for name in names) or len({*names}) < len(names):
        raise InputError(
            f"directions are {', '.join(map(repr, GROUPS))}, or some of {', '.join(map(repr, NAMES))}; "
            f"got {directions!r}"
        )
    return [NAMES.index(name) for name in names]


def manipulability(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    measure: Measure = "yoshikawa",
    directions: str | Sequence[str] = "all",
    reference: Reference = "world_aligned",
    relative_to: str = "world",
) -> Any:
    """How well a frame can be moved, zero where some direction is lost; larger is better.

    ``measure``: "yoshikawa" is √det(J Jᵀ), the product of the velocity ellipsoid's semi-axes; "condition" the shortest
    of these divided by the longest, lengths counted in the mechanism's own; "asada" the same of the ellipsoid of
    accelerations that unit efforts give, squared: of the eigenvalues of J M⁻¹ Jᵀ, again in the mechanism's own length.
    ``directions``: "all", "linear", "angular" or a list of some of "x", "y", "z", "rx", "ry", "rz": a planar arm,
    which moves nowhere in the others, has ("x", "y", "rz").
    """
    check_measure(measure)
    J = jacobian(model, q, frame, reference, relative_to)[rows_of(directions)]
    if measure == "yoshikawa":
        return _product(np.diagonal(triangle(J)))
    J = own_lengths(model, directions)[:, None] * J
    if measure == "asada":  # M = Lᵀ D L: J M⁻¹ Jᵀ is the square of J L⁻¹ D^-½
        L, inverse = factorise(mass_matrix(model, q))
        J = (np.array([np.sqrt(x) for x in inverse])[:, None] * solve_above(L, J.T)).T
    else:
        J = J * scale_of(model).velocities
    _, s = singular_values(J)
    ratio = s[-1] / s[0]
    return ratio * ratio if measure == "asada" else ratio


def velocity_ellipsoid(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference: Reference = "world_aligned",
    relative_to: str = "world",
) -> tuple[Shaped[Array, "m m"], Shaped[Array, "m"]]:
    """What velocities of a frame unit joint velocities give, |v| ≤ 1: an ellipsoid's axes (m, m), as columns, and
    semi-axes (m,), the longest first, m/s or rad/s; m is the number of ``directions`` (see :func:`manipulability`)."""
    return singular_values(jacobian(model, q, frame, reference, relative_to)[rows_of(directions)])


def force_ellipsoid(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference: Reference = "world_aligned",
    relative_to: str = "world",
) -> tuple[Shaped[Array, "m m"], Shaped[Array, "m"]]:
    """What forces on a frame unit efforts hold, |Jᵀf| ≤ 1: as :func:`velocity_ellipsoid`, with its axes and the inverse
    semi-axes, N or N m; infinite along what the frame cannot move in, which the joints' bearings hold."""
    axes, s = velocity_ellipsoid(model, q, frame, directions, reference, relative_to)
    return axes[:, ::-1], 1.0 / s[::-1]


def own_lengths(model: Model, directions: str | Sequence[str]) -> Array:
    """(m,): what makes velocities of rows numbers in the mechanism's own length."""
    length = scale_of(model).length
    return np.array([1.0 / length if row < 3 else 1.0 for row in rows_of(directions)])


def _product(entries: Any) -> Any:
    product: Any = 1.0
    for x in entries:
        product = product * x
    return product
