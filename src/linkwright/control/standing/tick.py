"""One tick of a whole body's program: numbers of the mechanism in, what is left to be solved out, and back again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.control.standing.reduction import Stance, orthonormal
from linkwright.errors import InputError, ShapeError
from linkwright.ik_solvers.solver import inputs_named
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

MET = 1e-8
"""Equations count as met of which less is left than this, of the size of what is in them."""


class WholeBodyLayout:
    """What is the same at every tick."""

    def __init__(self, stance: Stance, limits: Array):
        """``limits`` of the efforts of what is driven, ∞ where there is none."""
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
        """:meth:`Stance.terms` as a kernel."""
        stance, inputs = self.stance, self.stance.inputs()

        def whole_body(model: Model, q: Array, v: Array, *told: Array) -> tuple[Array, ...]:
            return stance.terms(model, q, v, *told)

        def make() -> Callable[..., Any]:
            return compile_or_not(inputs_named(whole_body, inputs), stance.model, **inputs)

        key = stance.contacts, stance.tasks, tuple(stance.driven), stance.regularization
        kernel: Callable[..., Any] = derived(stance.model, Stance.terms, *key, make=make)
        return kernel

    @cached_property
    def orthonormal(self) -> Callable[..., Any]:
        """:func:`orthonormal` as a kernel."""

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
    """What is left to be solved, A z within limits and z near g, and the motion that a z stands for."""

    def __init__(self, layout: WholeBodyLayout, q: Any, v: Any, told: list[Array]):
        self.layout = layout
        self.rows, self.constants, self.back, slope = layout.terms(q, v, *told)
        if self.rows.ndim != 2:
            raise ShapeError(f"a whole body is asked for one row at a time; got q {np.shape(q)} and v {np.shape(v)}")
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
        """(v̇ (nv,), τ (nv,), forces (points, 3) along the contacts' axes, what is left of the equations (k,)).

        The equations are met once more, for z has an error of its own.
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
        """Whether so much of the equations is left that they contradict each other."""
        if left @ left < MET**2:
            return False
        k = self.layout.equations
        sizes = abs(self.e) + abs(self.rows[:k]).max(axis=1, initial=1.0)
        return not bool((abs(left) <= MET * sizes).all())
