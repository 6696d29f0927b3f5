"""Properties of the algorithms in addition to their books: one row of one table for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from linkwright import dynamics
from linkwright.dynamics.assembly.reactions import prescribed_motion_and_opening
from linkwright.dynamics.closed_loops import forces as constrained
from linkwright.dynamics.forces.actuation import require_closed, require_possible
from linkwright.dynamics.frames.jacobian import analytical_jacobian_and_rotation
from linkwright.dynamics.frames.manipulability import Ellipsoid
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.euler import warn_of_gimbal_lock

Book = Callable[..., Any]

POSITIONS = ("q", "q0", "q1")
VELOCITIES = ("v", "a", "tau", "u", "v_r", "a_r")
"""Names of arguments whose shape follows from the model: nq and nv."""

OF_BODIES = ("twists", "forces")
"""Names of arguments that are six numbers of every body."""

FIXED = {"wrench": (6,), "point": (3,)}
"""Names of arguments whose shape is always the same."""

ARRAYS = frozenset((*POSITIONS, *VELOCITIES, *FIXED, "twists"))
"""The names by which the algorithms call their arrays; whatever else they take is a choice."""


class Derivative(NamedTuple):
    """An analytical derivative."""

    book: Book
    """gives several derivatives, of (model, q, v, a or tau, wrenches)"""
    which: int
    """of its results"""


class Checked(NamedTuple):
    """Check of numerical results, which may be infeasible or undefined."""

    with_status_message: Book
    """function of the results and of data for the check"""
    settled: Callable[[Model, Mapping[str, Any], tuple[Array, ...]], Any]
    """raises or warns if the results are wrong, else returns them; of (model, arguments by name, results and data)"""
    applies: Callable[[Model, Mapping[str, Any]], bool]
    """whether a call with such options is checked"""
    closed: bool = False
    """whether the loops must be closed at the configuration q and stay closed with the velocity v"""


@dataclass(frozen=True)
class Algorithm:
    """Properties of an algorithm for the compiler."""

    regroup: str = ""
    """the form of regrouped inertias on which it takes fewest operations; none where these do not give the same"""
    matrices: bool = False
    """whether it gives matrices of all joints by all joints, or bodies"""
    corrects: str = ""
    """what of open loops it takes back: "positions" or "velocities" """
    derivatives: Mapping[str, Derivative] = field(default_factory=dict)
    """by array, those that take fewer operations than differentiating the trace"""
    checked: Checked | None = None
    """where a motion is given that may not be possible"""
    record: type | None = None
    """class of its result, where kernels return its fields as a tuple"""


def _by(book: Book, *arrays: str) -> dict[str, Derivative]:
    return {name: Derivative(book, k) for k, name in enumerate(arrays)}


def _efforts(model: Model, given: Mapping[str, Any], results: tuple[Array, ...]) -> Array:
    require_possible(model, given["a"], *results)
    return results[0]


def _motion(model: Model, given: Mapping[str, Any], results: tuple[Array, ...]) -> tuple[Array, ...]:
    rates, efforts, opening = results
    require_closed(model, rates, opening)
    return rates, efforts


def _angles(model: Model, given: Mapping[str, Any], results: tuple[Array, ...]) -> Array:
    found, R = results
    warn_of_gimbal_lock(given["order"], given["axes"], R, "their rates have no bound")
    return found


_inverse, _forward = dynamics.inverse_dynamics_derivatives, dynamics.forward_dynamics_derivatives

TABLE: dict[Book, Algorithm] = {
    dynamics.inverse_dynamics: Algorithm(
        "second moment",
        derivatives=_by(_inverse, "q", "v", "a"),
        checked=Checked(
            dynamics.actuated_efforts, _efforts, lambda model, options: options.get("actuated") is not None, closed=True
        ),
    ),
    dynamics.bias_forces: Algorithm("second moment", derivatives=_by(_inverse, "q", "v")),
    dynamics.gravity_forces: Algorithm("second moment", derivatives=_by(_inverse, "q")),
    dynamics.actuated_efforts: Algorithm("second moment"),
    dynamics.mass_matrix: Algorithm("inertia", matrices=True),
    dynamics.coriolis_matrix: Algorithm("inertia", matrices=True),
    dynamics.inverse_dynamics_derivatives: Algorithm("inertia", matrices=True),
    dynamics.regressor: Algorithm(matrices=True),
    dynamics.momentum_regressor: Algorithm(matrices=True),
    dynamics.reference_regressor: Algorithm(matrices=True),
    dynamics.generalized_momentum: Algorithm("inertia"),
    dynamics.forward_dynamics: Algorithm("inertia", derivatives=_by(_forward, "q", "v", "tau")),
    dynamics.forward_dynamics_derivatives: Algorithm("inertia"),
    dynamics.constraint_forces: Algorithm("inertia"),
    dynamics.constraint_wrenches: Algorithm("inertia"),
    dynamics.impulse: Algorithm("inertia"),
    dynamics.project: Algorithm("inertia"),
    dynamics.prescribed_dynamics: Algorithm(
        checked=Checked(prescribed_motion_and_opening, _motion, lambda model, options: bool(model.loops), closed=True)
    ),
    dynamics.velocity_ellipsoid: Algorithm(record=Ellipsoid),
    dynamics.force_ellipsoid: Algorithm(record=Ellipsoid),
    dynamics.analytical_jacobian: Algorithm(
        checked=Checked(analytical_jacobian_and_rotation, _angles, lambda model, options: True)
    ),
    constrained.position_correction: Algorithm(corrects="positions"),
    constrained.velocity_correction: Algorithm(corrects="velocities"),
}
"""The algorithms of which there is something to know."""

ALGORITHMS = frozenset(f for f in vars(dynamics).values() if callable(f))


def facts(book: Book) -> Algorithm:
    """Return the properties of a function; those of users' functions are empty."""
    try:
        return TABLE.get(book, NOTHING)
    except TypeError:  # it has no hash
        return NOTHING


NOTHING = Algorithm()


def algorithm_of(book: Book) -> Book | None:
    """Return the algorithm of the library that a function is, or is derived from; None of users' own."""
    if book in ALGORITHMS:
        return book
    found: Book | None = getattr(book, "algorithm", None)
    return found
