"""Kernels of which algorithms of large mechanisms are composed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.algorithms import OF_BODIES
from linkwright.compiler.front.bind import BoundFunction, bind
from linkwright.dynamics.closed_loops import forces as constrained
from linkwright.dynamics.inverse import Wrenches, inverse_dynamics
from linkwright.model.memo import derived, kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Function = Callable[..., Any]


def pushed(model: Model, q: Array, wrenches: Wrenches | None = None) -> Array:
    """Return Jᵀf (nv,) of wrenches, for a model without weight."""
    return -inverse_dynamics(model, q, np.zeros(model.nv), np.zeros(model.nv), wrenches)


def momenta(model: Model, q: Array, a: Array) -> Array:
    """Return M a (nv,), for a model without weight."""
    return inverse_dynamics(model, q, np.zeros(model.nv), a)


def answer(model: Model, q: Array, tau: Array) -> Array:
    """Return M⁻¹ τ (nv,) of the tree, for a model without weight."""
    return dynamics.forward_dynamics(model, q, np.zeros(model.nv), tau, method="articulated", loops="ignore")


def defaults(function: Function) -> dict[str, Any]:
    """Return the default values of a function's arguments."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


@kept
def weightless(model: Model) -> Model:
    """Return the same mechanism without weight."""
    return replace(model, gravity=np.zeros(3))


class ComponentKernels:
    """Kernels for the composition of a bound algorithm, each compiled when it is needed."""

    def __init__(self, bound: BoundFunction, compiled: Function):
        assert bound.model is not None
        self.model, self.options, self.book, self._compiled = bound.model, bound.options, bound.book, compiled
        self.frames = [name.removeprefix("wrench ") for name in bound.shapes if name.startswith("wrench ")]

    def of(self, function: Function, model: Model | None = None, pushed: bool = False, **options: Any) -> Function:
        """Return the function of all rows, an algorithm as its public wrapper calls it; ``pushed``: with wrenches as
        its last arguments."""
        model = self.model if model is None else model
        shapes = {name: options.pop(name) for name in OF_BODIES if name in options}
        usual = defaults(function)
        fixed = usual | {name: x for name, x in options.items() if x is not None or name not in usual}
        if pushed and self.frames and "wrenches" in fixed:
            fixed["wrenches"] = tuple(self.frames)
        key = [] if fixed == usual and not shapes else [*fixed.values(), *shapes.values()]
        made: Function = derived(
            model, function, *key, make=lambda: self._compiled(bind(function, model, shapes, values=fixed))
        )
        return made

    @cached_property
    def choices(self) -> dict[str, Any]:
        """Return the options of the algorithm, with default values."""
        return defaults(self.book) | dict(self.options)

    @cached_property
    def still(self) -> Array:
        return np.zeros(self.model.nv)

    @cached_property
    def efforts(self) -> Function:
        """(q, v, a, wrenches…) -> M a + b − Jᵀf."""
        return self.of(dynamics.inverse_dynamics, pushed=True)

    @cached_property
    def pushed(self) -> Function:
        """(q, wrenches…) -> Jᵀf."""
        if not self.frames:
            return lambda q: np.zeros((*q.shape[:-1], self.model.nv))
        return self.of(pushed, weightless(self.model), pushed=True)

    @cached_property
    def momenta(self) -> Function:
        """(q, x) -> M x."""
        return self.of(momenta, weightless(self.model))

    @cached_property
    def answer(self) -> Function:
        """(q, x) -> M⁻¹ x, for one x (…, nv) or several (…, k, nv)."""
        if not self.model.has_couplings:
            kernel = self.of(answer, weightless(self.model))
            return lambda q, x: kernel(q if x.ndim == q.ndim else q[..., None, :], x)
        matrix = self.of(dynamics.mass_matrix)

        def solved(q: Array, x: Array) -> Array:
            X = x[..., None] if x.ndim == q.ndim else np.swapaxes(x, -1, -2)
            found = np.linalg.solve(matrix(q), X)
            return found[..., 0] if x.ndim == q.ndim else np.swapaxes(found, -1, -2)

        return solved

    @cached_property
    def forward(self) -> Function:
        """(q, v, τ, wrenches…) -> accelerations with closed loops."""
        return self.of(dynamics.forward_dynamics, pushed=True, stabilization=self.options.get("stabilization"))

    @cached_property
    def closing(self) -> Function:
        """(q, v) -> change of velocities by closed loops."""
        return self.of(constrained.velocity_correction)
