"""What laws ask of a mechanism in joint space, as steps of a simulation have it: what both need is computed once."""

from __future__ import annotations

from linkwright.compiler.front.bind import regrouping
from linkwright.dynamics import bias_forces, inverse_dynamics, mass_matrix
from linkwright.dynamics.forward import cheapest_method
from linkwright.model.change.minimal import regroupable
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


def lean(model: Model) -> Model:
    """The model with regrouped inertias, on which steps are taken too; itself where inertias are symbols."""
    if not regrouping() or model.sweeps_are_recorded or not regroupable(model):
        return model
    return model.minimal()


def inverse(model: Model, q: Array, v: Array, a: Array) -> Array:
    """M a + C v + g (nv,), by the recursion, or by M where forward dynamics has it too."""
    model = lean(model)
    if cheapest_method(model) == "articulated":
        return inverse_dynamics(model, q, v, a)
    return mass_matrix(model, q) @ a + bias_forces(model, q, v)
