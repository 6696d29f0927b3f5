"""Manipulability measures and ellipsoids of a frame's Jacobian (Yoshikawa 1985, Asada 1983)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from linkwright.spatial.arrays import Array, Shaped, is_symbolic, where
from linkwright.spatial.linear_algebra.linalg import factorize, solve_above
from linkwright.spatial.linear_algebra.singular import singular_values, triangle

Measure = Literal["yoshikawa", "condition", "asada"]
"""Property of the velocity ellipsoid that is measured."""

MEASURES: tuple[Measure, ...] = get_args(Measure)
NAMES = ("x", "y", "z", "rx", "ry", "rz")
"""Names of the rows of a Jacobian: translations along the axes and rotations about them."""

RANK = 1e-9
"""Singular values below this fraction of the largest are zero, in units of the mechanism's length."""

GROUPS = {"all": NAMES, "linear": NAMES[:3], "angular": NAMES[3:]}


@dataclass(eq=False, slots=True, kw_only=True)  # frozen ones take a microsecond more to make
class Ellipsoid:
    """Ellipsoid of the velocities or forces of a frame in m directions.

    Parameters
    ----------
    axes : ndarray, shape (..., m, m)
        Unit vectors of the axes in the columns.
    semi_axes : ndarray, shape (..., m)
        Lengths, the longest first: in m/s or rad/s, or in N or N m.
    """

    axes: Array
    semi_axes: Array


def check_measure(model: Model, measure: str) -> None:
    """Raise :class:`InputError` for an unknown measure, :class:`ModelError` for missing masses."""
    if not is_choice(measure, MEASURES):
        raise InputError(f"measure is {measure!r}; it may be {', '.join(map(repr, MEASURES))}")
    if measure == "asada":
        require_mass(model, "the measure 'asada'")


def check_moves(model: Model, frame: str, relative_to: str) -> None:
    """Raise :class:`InputError` for a frame that no joint moves."""
    if not any(way_between(model, frame, relative_to).signs):
        raise InputError(f"no joint of {model.name!r} moves {frame!r} relative to {relative_to!r}")


def rows_of(directions: str | Sequence[str]) -> list[int]:
    """Return the rows of a Jacobian of a group or a list of names."""
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
    """Compute the manipulability of a frame, which is zero in singular configurations.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    measure : {"yoshikawa", "condition", "asada"}, optional
        "yoshikawa" is √det(J Jᵀ), the product of the semi-axes of the velocity ellipsoid. "condition" is the ratio of
        its shortest to its longest semi-axis, with lengths in units of the mechanism's length. "asada" is the ratio of
        the smallest to the largest eigenvalue of J M⁻¹ Jᵀ in the same units: the squared ratio for the ellipsoid of
        accelerations by unit efforts.
    directions : {"all", "linear", "angular"} or sequence of str, optional
        Rows of the Jacobian: a group, or a list of some of "x", "y", "z", "rx", "ry", "rz". For a planar arm, which
        does not move in the other directions, it is ["x", "y", "rz"].
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (...)
        Measure; a larger value is better.

    Raises
    ------
    InputError
        If no joint moves the frame.
    ModelError
        If "asada" needs masses that the mechanism does not have.

    References
    ----------
    Yoshikawa, "Manipulability of robotic mechanisms", *International Journal of Robotics Research* 4(2), 1985.

    Asada, "A geometrical representation of manipulator dynamics and its application to arm design", *Journal of Dynamic
    Systems, Measurement, and Control* 105(3), 1983.
    """
    check_measure(model, measure)
    J = _rows(model, q, frame, directions, reference_frame, relative_to)
    return measured(model, J, measure, directions, mass_matrix(model, q) if measure == "asada" else None)


def measured(model: Model, J: Array, measure: str, directions: str | Sequence[str], M: Array | None) -> Any:
    """:func:`manipulability` of a Jacobian's rows (m, nv), and of the mass matrix for "asada"; of numbers, several."""
    symbolic = is_symbolic(J)
    if measure == "yoshikawa":
        return _product(np.diagonal(triangle(J))) if symbolic else singular_values(J)[1].prod(axis=-1)
    if M is None:
        return shortest_by_longest(singular_values(own_units(model, directions) * J)[1])
    J = own_lengths(model, directions)[:, None] * J
    if symbolic:  # M = Lᵀ D L: J M⁻¹ Jᵀ is the square of J L⁻¹ D^-½
        L, inverse = factorize(M)
        J = (np.array([np.sqrt(x) for x in inverse])[:, None] * solve_above(L, J.T)).T
    else:
        J = np.swapaxes(np.linalg.solve(np.linalg.cholesky(M), np.swapaxes(J, -1, -2)), -1, -2)
    ratio = shortest_by_longest(singular_values(J)[1])
    return ratio * ratio


@takes_model
def velocity_ellipsoid(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Ellipsoid:
    """Compute the ellipsoid of the velocities of a frame at joint velocities |v| ≤ 1.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    directions : {"all", "linear", "angular"} or sequence of str, optional
        Rows of the Jacobian: a group, or a list of some of "x", "y", "z", "rx", "ry", "rz".
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    Ellipsoid
        `axes` and `semi_axes`, in m/s or rad/s.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.velocity_ellipsoid(arm, [0.0, 0.0], "tip").semi_axes.round(3) + 0.0
    array([2.236, 0.   , 0.   ])
    """
    axes, semi_axes = singular_values(_rows(model, q, frame, directions, reference_frame, relative_to))
    return Ellipsoid(axes=axes, semi_axes=semi_axes)


@takes_model
def force_ellipsoid(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    directions: str | Sequence[str] = "linear",
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Ellipsoid:
    """Compute the ellipsoid of the forces on a frame that efforts |Jᵀf| ≤ 1 balance.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    directions : {"all", "linear", "angular"} or sequence of str, optional
        Rows of the Jacobian: a group, or a list of some of "x", "y", "z", "rx", "ry", "rz".
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    Ellipsoid
        `axes` and `semi_axes`, in N or N m: the inverses of those of :func:`velocity_ellipsoid`. They are infinite in
        directions in which the frame cannot move.
    """
    axes, semi_axes = of_forces(model, _rows(model, q, frame, directions, reference_frame, relative_to), directions)
    return Ellipsoid(axes=axes, semi_axes=semi_axes)


def of_forces(model: Model, J: Array, directions: str | Sequence[str]) -> tuple[Array, Array]:
    """:func:`force_ellipsoid` of a Jacobian's rows (m, nv); of numbers, several."""
    axes, s = singular_values(J)
    return axes[..., ::-1], inverses(s, of_own_units(model, directions, J, s))[..., ::-1]


def _rows(
    model: Model,
    q: Array,
    frame: str,
    directions: str | Sequence[str],
    reference_frame: ReferenceFrame,
    relative_to: str,
) -> Array:
    """Return the rows (m, nv) of the Jacobian of a frame, after a check that a joint moves it."""
    check_moves(model, frame, relative_to)
    return jacobian(model, q, frame, reference_frame, relative_to)[rows_of(directions)]


def shortest_by_longest(s: Array) -> Any:
    """Return the ratio of the last to the first of decreasing semi-axes (…, m); zero where all are zero."""
    longest, shortest = np.moveaxis(s, -1, 0)[[0, -1]]
    none = longest <= 0.0
    return where(none, 0.0, shortest / where(none, 1.0, longest))


def of_own_units(model: Model, directions: str | Sequence[str], J: Array, s: Array) -> Array:
    """Return the singular values (…, m) of J (…, m, nv) in the mechanism's units, from those in SI units s (…, m)."""
    units = own_units(model, directions)
    return s if units.size and np.ptp(units) == 0.0 else singular_values(units * J)[1]


def inverses(s: Array, own: Array) -> Array:
    """Return 1/s of decreasing singular values (…, m), infinite where those in the mechanism's units are zero."""
    values, numbers = np.moveaxis(s, -1, 0), np.moveaxis(own, -1, 0)
    none = [x <= RANK * numbers[0] for x in numbers]
    return np.stack([where(n, np.inf, 1.0 / where(n, 1.0, x)) for n, x in zip(none, values, strict=True)], axis=-1)


def own_units(model: Model, directions: str | Sequence[str]) -> Array:
    """Return factors (m, nv) that convert a Jacobian's rows to the mechanism's units."""
    return own_lengths(model, directions)[:, None] * scale_of(model).velocities


def own_lengths(model: Model, directions: str | Sequence[str]) -> Array:
    """Return factors (m,) that convert velocities of rows to units of the mechanism's length."""
    length = scale_of(model).length
    return np.array([1.0 / length if row < 3 else 1.0 for row in rows_of(directions)])


def _product(entries: Any) -> Any:
    product: Any = 1.0
    for x in entries:
        product = product * x
    return product
