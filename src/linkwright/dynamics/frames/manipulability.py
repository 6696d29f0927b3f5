"""How well a frame can be moved: measures and ellipsoids of its Jacobian (Yoshikawa 1985, Asada 1983)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from linkwright.dynamics.frames.jacobian import jacobian
from linkwright.dynamics.inertias.mass import mass_matrix
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.dynamics.kinematics import ReferenceFrame, way_between
from linkwright.errors import InputError, is_choice
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, where
from linkwright.spatial.linalg import factorize, solve_above
from linkwright.spatial.singular import singular_values, triangle

Measure = Literal["yoshikawa", "condition", "asada"]
"""What of the velocity ellipsoid counts."""

MEASURES: tuple[Measure, ...] = get_args(Measure)
NAMES = ("x", "y", "z", "rx", "ry", "rz")
"""The rows of a Jacobian: along the axes and about them."""

RANK = 1e-9
"""Singular values below this share of the largest count as zero, lengths counted in the mechanism's own."""

GROUPS = {"all": NAMES, "linear": NAMES[:3], "angular": NAMES[3:]}


def check_measure(model: Model, measure: str) -> None:
    """Raise :class:`InputError` for a measure that does not exist, :class:`ModelError` for one of masses that lack."""
    if not is_choice(measure, MEASURES):
        raise InputError(f"measure is {measure!r}; it may be {', '.join(map(repr, MEASURES))}")
    if measure == "asada":
        require_mass(model, "the measure 'asada'")


def check_moves(model: Model, frame: str, relative_to: str) -> None:
    """Raise :class:`InputError` for a frame that no joint moves."""
    if not any(way_between(model, frame, relative_to).signs):
        raise InputError(f"nothing moves {frame!r} of {model.name!r}: no joint is between it and {relative_to!r}")


def rows_of(directions: str | Sequence[str]) -> list[int]:
    """The rows of a Jacobian that are meant: a group of them, or a list of names."""
    names = GROUPS.get(directions, (directions,)) if isinstance(directions, str) else directions
    if not _are_directions(names):
        raise InputError(
            f"directions are {', '.join(map(repr, GROUPS))}, or some of {', '.join(map(repr, NAMES))}, several as a "
            f'list, ["x", "y"]; got {directions!r}'
        )
    return [NAMES.index(name) for name in names]


def _are_directions(names: object) -> bool:
    if not isinstance(names, (list, tuple)):
        return False
    return 0 < len(names) == len({name for name in names if is_choice(name, NAMES)})


@takes_model
def manipulability(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    measure: Measure = "yoshikawa",
    directions: str | Sequence[str] = "all",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Any:
    """How well a frame can be moved, zero where some direction is lost; larger is better.

    ``measure``: "yoshikawa" is √det(J Jᵀ), the product of the velocity ellipsoid's semi-axes; "condition" the shortest
    of these divided by the longest, lengths counted in the mechanism's own; "asada" the same of the ellipsoid of
    accelerations that unit efforts give, squared: of the eigenvalues of J M⁻¹ Jᵀ, again in the mechanism's own length.
    ``directions``: "all", "linear", "angular" or a list of some of "x", "y", "z", "rx", "ry", "rz": a planar arm,
    which moves nowhere in the others, has ("x", "y", "rz"). Raises :class:`InputError` where no joint moves the frame,
    :class:`ModelError` where "asada" would need masses that the mechanism lacks.
    """
    check_measure(model, measure)
    J = _rows(model, q, frame, directions, reference_frame, relative_to)
    if measure == "yoshikawa":
        return _product(np.diagonal(triangle(J)))
    if measure == "asada":  # M = Lᵀ D L: J M⁻¹ Jᵀ is the square of J L⁻¹ D^-½
        L, inverse = factorize(mass_matrix(model, q))
        J = own_lengths(model, directions)[:, None] * J
        J = (np.array([np.sqrt(x) for x in inverse])[:, None] * solve_above(L, J.T)).T
    else:
        J = own_units(model, directions) * J
    ratio = shortest_by_longest(singular_values(J)[1])
    return ratio * ratio if measure == "asada" else ratio


@takes_model
def velocity_ellipsoid(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> tuple[Shaped[Array, "m m"], Shaped[Array, "m"]]:
    """What velocities of a frame unit joint velocities give, |v| ≤ 1: an ellipsoid's axes (m, m), as columns, and
    semi-axes (m,), the longest first, m/s or rad/s; m is the number of ``directions`` (see :func:`manipulability`)."""
    return singular_values(_rows(model, q, frame, directions, reference_frame, relative_to))


@takes_model
def force_ellipsoid(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> tuple[Shaped[Array, "m m"], Shaped[Array, "m"]]:
    """What forces on a frame unit efforts hold, |Jᵀf| ≤ 1: as :func:`velocity_ellipsoid`, with its axes and the inverse
    semi-axes, N or N m; infinite along what the frame cannot move in, which the joints' bearings hold: the rank of J
    tells along how many."""
    J = _rows(model, q, frame, directions, reference_frame, relative_to)
    axes, s = singular_values(J)
    return axes[:, ::-1], inverses(s, of_own_units(model, directions, J, s))[::-1]


def _rows(
    model: Model,
    q: Array,
    frame: str,
    directions: str | Sequence[str],
    reference_frame: ReferenceFrame,
    relative_to: str,
) -> Array:
    """The rows (m, nv) of the Jacobian of a frame that something moves."""
    check_moves(model, frame, relative_to)
    return jacobian(model, q, frame, reference_frame, relative_to)[rows_of(directions)]


def shortest_by_longest(s: Array) -> Any:
    """The last by the first of decreasing semi-axes (…, m); zero where all are."""
    longest, shortest = np.moveaxis(s, -1, 0)[[0, -1]]
    none = longest <= 0.0
    return where(none, 0.0, shortest / where(none, 1.0, longest))


def of_own_units(model: Model, directions: str | Sequence[str], J: Array, s: Array) -> Array:
    """The singular values (…, m) of J (…, m, nv) in the mechanism's own units, whose own in SI units are s (…, m)."""
    units = own_units(model, directions)
    return s if units.size and np.ptp(units) == 0.0 else singular_values(units * J)[1]


def inverses(s: Array, own: Array) -> Array:
    """1/s of decreasing singular values (…, m), infinite where those in the mechanism's own units count as zero."""
    told, numbers = np.moveaxis(s, -1, 0), np.moveaxis(own, -1, 0)
    none = [x <= RANK * numbers[0] for x in numbers]
    return np.stack([where(n, np.inf, 1.0 / where(n, 1.0, x)) for n, x in zip(none, told, strict=True)], axis=-1)


def own_units(model: Model, directions: str | Sequence[str]) -> Array:
    """(m, nv): what makes the entries of a Jacobian's rows numbers in the mechanism's own units."""
    return own_lengths(model, directions)[:, None] * scale_of(model).velocities


def own_lengths(model: Model, directions: str | Sequence[str]) -> Array:
    """(m,): what makes velocities of rows numbers in the mechanism's own length."""
    length = scale_of(model).length
    return np.array([1.0 / length if row < 3 else 1.0 for row in rows_of(directions)])


def _product(entries: Any) -> Any:
    product: Any = 1.0
    for x in entries:
        product = product * x
    return product
