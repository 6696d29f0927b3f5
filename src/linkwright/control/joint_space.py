"""Joint-space quantities of controllers, shared with the steps of a simulation so that both are computed once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.compiler.front.bind import regrouping
from linkwright.dynamics import bias_forces, inverse_dynamics, mass_matrix
from linkwright.dynamics.forces.actuation import with_motors
from linkwright.dynamics.forward import cheapest_method
from linkwright.errors import ArgumentError, InputError
from linkwright.model.transformations.minimal import regroupable
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.linalg import solve_symmetric


def lean(model: Model) -> Model:
    """Return the model with regrouped inertias, which the steps use too; the model where inertias are symbols."""
    if not regrouping() or model.sweeps_are_recorded or not regroupable(model):
        return model
    return model.minimal()


def inverse(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Return M a + C v + g (nv,), by the recursion, or from M where forward dynamics computes M too."""
    model = lean(model)
    if cheapest_method(model) == "articulated":
        return inverse_dynamics(model, q, v, a)
    return mass_matrix(model, q) @ a + bias_forces(model, q, v)


Motors = Sequence[str] | None
"""Names of the joints that have motors; None: all joints but free ones"""


def driven(model: Model, actuated: Motors = None) -> list[int]:
    """Return the indices in v of the actuated coordinates."""
    if isinstance(actuated, str):
        raise ArgumentError(f"actuated is a list of joint names; got {actuated!r}")
    if actuated is None:
        return with_motors(model)
    return sorted({place for name in actuated for place in range(model.nv)[model.slice(name).v]})


def by_motors(model: Model, efforts: Array, actuated: Motors) -> Array:
    """Return the efforts (nv,), zero where there is no motor."""
    places = driven(model, actuated)
    if len(places) == model.nv:
        return efforts
    own = np.zeros(model.nv)
    own[places] = 1.0
    return own * efforts


def require_driven(model: Model, actuated: Motors, what: str) -> None:
    """Raise :class:`InputError` if a joint has no motor, for controllers that need all joints actuated."""
    places = driven(model, actuated)
    left = [joint.name for joint in model.joints if not {*range(model.nv)[model.slice(joint.name).v]} <= {*places}]
    if left:
        raise InputError(
            f"{what} drives every joint, and {left[0]!r} of {model.name!r} has no motor: use control.WholeBody, or "
            "name the joints with motors, actuated=[…]"
        )


def inverse_by_motors(model: Model, q: Array, v: Array, a: Array, load: Array, actuated: Motors) -> Array:
    """Return M a + C v + g − load (nv,) with which the actuated coordinates have acceleration a, the others no effort.

    With r the coordinates without a motor: M_rr a_r = load_r − (C v + g)_r − M_rd a_d.
    """
    places = driven(model, actuated)
    if len(places) == model.nv:
        return inverse(model, q, v, a) - load
    rest = [k for k in range(model.nv) if k not in places]
    M, h = mass_matrix(lean(model), q), bias_forces(lean(model), q, v) - load
    a_d = np.stack([a[k] for k in places]) if places else np.zeros(0)
    a_r = -solve_symmetric(M[np.ix_(rest, rest)], h[rest] + M[np.ix_(rest, places)] @ a_d)
    moved = M[np.ix_(places, places)] @ a_d + M[np.ix_(places, rest)] @ a_r + h[places]
    return np.eye(model.nv)[:, places] @ moved
