"""One tick of whole-body control: from the state of the mechanism to the reduced problem, and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.control.whole_body.reduction import Stance, orthonormal
from linkwright.errors import InputError, ShapeError
from linkwright.ik_solvers.search.solver import inputs_named
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

MET = 1e-8
"""Equations are satisfied if their residual is below this share of their terms."""


class WholeBodyLayout:
    """Data shared by all ticks."""

    def __init__(self, stance: Stance, limits: Array):
        """Store the stance and the effort ``limits`` of the actuated coordinates, ∞ where there is none."""
        self.stance, self.limits, self.driven = stance, limits, stance.driven
        model, points = stance.model, sum(len(one.points) for one in stance.contacts)
        self.mass = stance.mass
        self.held = sum(6 if one.rigid else 3 * len(one.points) for one in stance.contacts)
        self.equations = self.held + len(stance.undriven)
        self.unit = 1.0 / np.sqrt(stance.regularization)
        """of forces over the mass in what is solved for"""
        friction = np.concatenate([np.zeros(0), *([one.friction] * len(one.points) for one in stance.contacts)])
        pyramids = np.zeros((points, 4, points, 3))
        for k, mu in enumerate(friction / np.sqrt(2.0)):
            pyramids[k, :, k] = [[1, 0, -mu], [-1, 0, -mu], [0, 1, -mu], [0, -1, -mu]]
        rows = self.held + model.nv
        self.whole = np.zeros((rows + 4 * points, model.nv + 3 * points))
        """rows of everything; those of friction are always the same"""
        self.whole[rows:, model.nv :] = self.unit * pyramids.reshape(4 * points, 3 * points)
        self.upper = np.concatenate([limits, np.zeros(4 * points)])
        self.lower = np.concatenate([-limits, np.full(4 * points, -np.inf)])
        axes = [one.axes for one in stance.contacts for _ in one.points]
        self.axes = np.array(axes).reshape(-1, 3, 3)

    @cached_property
    def terms(self) -> Callable[..., Any]:
        """Return :meth:`Stance.terms` as a kernel."""
        stance, inputs = self.stance, self.stance.inputs()

        def whole_body(model: Model, q: Array, v: Array, *more: Array) -> tuple[Array, ...]:
            return stance.terms(model, q, v, *more)

        def make() -> Callable[..., Any]:
            return compile_or_not(inputs_named(whole_body, inputs), stance.model, **inputs)

        key = stance.contacts, stance.tasks, tuple(stance.driven), stance.regularization
        kernel: Callable[..., Any] = derived(stance.model, Stance.terms, *key, make=make)
        return kernel

    @cached_property
    def orthonormal(self) -> Callable[..., Any]:
        """Return :func:`orthonormal` as a kernel."""

        held, model = self.held, self.stance.model

        def directions(model: Model, E: Array) -> tuple[Array, Array]:
            return orthonormal(E, held, model.nv)

        if not self.equations:
            return lambda E: (E, np.zeros((0, 0)))
        shape = self.equations, self.whole.shape[1]
        kernel: Callable[..., Any] = derived(
            model, orthonormal, held, shape, make=lambda: compile_or_not(directions, model, E=shape)
        )
        return kernel


class Tick:
    """The reduced problem of a tick, A z within limits and z near g, and the motion of a solution z."""

    def __init__(self, layout: WholeBodyLayout, q: Any, v: Any, active: Array, targets: list[Array]):
        self.layout = layout
        activities = [active] if len(active) else []
        self.rows, self.constants, self.back, slope = layout.terms(q, v, *activities, *targets)
        if self.rows.ndim != 2:
            raise ShapeError(f"WholeBody takes one state, q (nq,) and v (nv,); got {np.shape(q)} and {np.shape(v)}")
        if not slope @ slope + self.constants @ self.constants < np.inf:
            raise InputError(f"q, v or targets are not finite: q = {q!r}, v = {v!r}")
        rows, nv, k = len(self.rows), len(slope), layout.equations
        whole = layout.whole
        np.matmul(self.rows[:, :nv], self.back, out=whole[:rows, :nv])
        np.multiply(self.rows[:, nv:], layout.unit, out=whole[:rows, nv:])
        self.E, self.e = whole[:k], self.constants[:k]
        self.W, self.T = layout.orthonormal(self.E)
        self.fixed = self.T @ self.e
        along = whole[k:] @ self.W.T
        self.A = whole[k:] - along @ self.W
        g = np.zeros(whole.shape[1])
        g[:nv] = slope
        self.g = g - (self.W @ g) @ self.W
        shift = -(along @ self.fixed)
        shift[: rows - k] += self.constants[k:]
        self.lower, self.upper = layout.lower + shift, layout.upper + shift

    def motion(self, z: Array) -> tuple[Array, Array, Array, Array]:
        """Return v̇ (nv,), τ (nv,), contact forces (points, 3) in axes of the contacts, and the residual (k,).

        The equations are corrected once more, since z has an error.
        """
        W, T, e, layout = self.W, self.T, self.e, self.layout
        nv, k = len(self.back), layout.equations
        y = (self.fixed - W @ z) @ W + z
        y += (T @ (e - self.E @ y)) @ W
        x = np.concatenate([self.back @ y[:nv], layout.unit * y[nv:]])
        found = self.rows @ x
        found -= self.constants
        efforts = np.zeros(nv)
        efforts[layout.driven] = found[k:]
        return x[:nv], efforts, layout.mass * x[nv:].reshape(-1, 3), found[:k]

    def open(self, left: Array) -> bool:
        """Return whether the residual shows that the equations contradict each other."""
        if left @ left < MET**2:
            return False
        k = self.layout.equations
        sizes = abs(self.e) + abs(self.rows[:k]).max(axis=1, initial=1.0)
        return not bool((abs(left) <= MET * sizes).all())
