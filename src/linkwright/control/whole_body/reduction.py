"""The quadratic program of whole-body control in reduced coordinates.

Unknowns are x = [v̇; f/m], with the forces f at the contact points and the mass m. The problem is

    min Σ w |J v̇ + J̇ v − a|² + r |x|²   with   E x = e   and   A x within limits,

where E contains the rows of contacts and of unactuated coordinates. With the matrix of the cost H = UᵀU and
y = [U v̇; √r f/m] the cost is ½ |y|² − gᵀ y. Rows of E are made orthonormal in y, W = T E, so that y = Wᵀ T e + z with
W z = 0, which eliminates E: of a row a of A only a − (a Wᵀ) W acts on z. The remaining problem is to find the z nearest
to g − Wᵀ W g with A z within limits: no cost matrix, no equalities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.control.whole_body.contacts import StanceContact
from linkwright.dynamics import bias_forces, jacobian_dot_times_v, mass_matrix, momentum_rate, passive_forces
from linkwright.dynamics.inertias.momentum import total_mass
from linkwright.ik_solvers.task import Task
from linkwright.ik_solvers.tasks import CenterOfMass, Joints, Momentum, Pose, Position, Rotation
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.linear_algebra.linalg import factorize, solve_below

DEPENDENT = 1e-14
"""Rows are dependent if less than this remains of them after orthogonalization, by squares."""

FOLLOWED = (Pose, Position, Rotation, CenterOfMass, Joints, Momentum)
"""Tasks whose acceleration is known."""


@dataclass(frozen=True)
class FrameTask:
    """A task with its stiffness (1/s²) and damping (1/s)."""

    task: Task
    stiffness: float
    damping: float

    def shapes(self, model: Model) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of the target, its velocity and its acceleration; a momentum has a rate only."""
        rate = self.task.rate_shape(model)
        return (
            (self.task.shape(model), rate) if isinstance(self.task, Momentum) else (self.task.shape(model), rate, rate)
        )

    def wanted(self, model: Model, q: Array, v: Array, target: Array, *rates: Array) -> tuple[Array, Array]:
        """Return J (m, nv) and a − J̇ v (m,): J v̇ + J̇ v = a is the desired acceleration."""
        task = self.task
        J = task.jacobian(model, q)
        if isinstance(task, Momentum):
            return J, rates[0] + self.stiffness * (target - J @ v) - self.bias(model, q, v)
        velocity, acceleration = rates
        error = task.error(model, q, target, q)
        a = acceleration + self.damping * (velocity - J @ v) + self.stiffness * error
        return J, a - self.bias(model, q, v)

    def bias(self, model: Model, q: Array, v: Array) -> Array:
        """Return J̇ v (m,)."""
        task = self.task
        if isinstance(task, Joints):
            return np.zeros(task.rate_shape(model))
        if isinstance(task, CenterOfMass):
            rate = momentum_rate(model, q, v, np.zeros(model.nv))[:3] / total_mass(model)
            return rate[["xyz".index(x) for x in task.axes]]
        if isinstance(task, Momentum):
            return momentum_rate(model, q, v, np.zeros(model.nv))[task.rows()]
        assert isinstance(task, (Pose, Position, Rotation))
        twist = jacobian_dot_times_v(model, q, v, task.frame)
        if isinstance(task, Position):
            return twist[["xyz".index(x) for x in task.axes]]
        return twist[3:] if isinstance(task, Rotation) else twist


@dataclass(frozen=True)
class Stance:
    """Contacts, tasks and actuation of a mechanism."""

    model: Model
    contacts: tuple[StanceContact, ...]
    tasks: tuple[FrameTask, ...]
    driven: Array
    """indices in v of the actuated coordinates"""
    regularization: float

    @property
    def undriven(self) -> Array:
        """Return the indices in v of the unactuated coordinates."""
        return np.setdiff1d(np.arange(self.model.nv), self.driven)

    @property
    def mass(self) -> float:
        """Return the mass by which forces are scaled, kg."""
        return total_mass(self.model)

    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the inputs of :meth:`terms` after the model."""
        found: dict[str, tuple[int, ...]] = {"q": (self.model.nq,), "v": (self.model.nv,)}
        found |= {"active": (len(self.contacts),)} if self.contacts else {}
        for k, task in enumerate(self.tasks):
            shapes = task.shapes(self.model)
            found |= {f"{name}{k}": x for name, x in zip(("target", "velocity", "acceleration"), shapes, strict=False)}
        return found

    def terms(self, model: Model, q: Array, v: Array, *more: Array) -> tuple[Array, Array, Array, Array]:
        """Return (rows (c + nv, n) of x, their constants (c + nv,), U⁻¹ (nv, nv), U⁻ᵀ g (nv,)).

        ``more`` are the activities of the contacts, 1 or 0, and the targets. The rows are those of contacts,
        C v̇ = −Ċ v, then of unactuated coordinates, M v̇ − Jᵀf = −h, then of actuated ones, where the right-hand side is
        τ − h. Rows and Jacobians of inactive contacts are zero: they neither hold nor push.
        """
        active, targets = (more[0], more[1:]) if self.contacts else (np.zeros(0), more)
        found = [
            tuple(on * part for part in contact.rows(model, q, v))
            for on, contact in zip(active, self.contacts, strict=True)
        ]
        points = np.concatenate([np.zeros((0, model.nv)), *(one[2] for one in found)]) * self.mass
        M, h = mass_matrix(model, q), bias_forces(model, q, v) - passive_forces(model, q, v)
        held = np.concatenate([np.zeros((0, model.nv)), *(one[0] for one in found)])
        rates = np.concatenate([np.zeros(0), *(one[1] for one in found)])
        order = [*self.undriven, *self.driven]
        moved = np.concatenate([M, -points.T], axis=1)[order]
        rows = np.concatenate([np.concatenate([held, np.zeros((len(held), len(points)))], axis=1), moved])
        H, g = self._cost(model, q, v, targets)
        L, inverses = factorize(H)
        back = solve_below(L, np.eye(model.nv)) * np.array([np.sqrt(x) for x in inverses])
        return rows, -np.concatenate([rates, h[order]]), back, back.T @ g

    def _cost(self, model: Model, q: Array, v: Array, targets: Sequence[Array]) -> tuple[Array, Array]:
        """H (nv, nv) and g (nv,) of ½ v̇ᵀ H v̇ − gᵀ v̇."""
        units = scale_of(self.model).velocities
        H, g, at = np.diag(self.regularization / units**2), np.zeros(model.nv), 0
        for one in self.tasks:
            count = len(one.shapes(self.model))
            J, a = one.wanted(model, q, v, *targets[at : at + count])
            weights = one.task.weight / one.task.scales(self.model) ** 2
            weighed = J.T * weights
            H, g, at = H + weighed @ J, g + weighed @ a, at + count
        return H, g


def orthonormal(E: Array, held: int, nv: int) -> tuple[Array, Array]:
    """Return W (k, n) and T (k, k) with W = T E for E (k, n), whose first ``held`` rows are zero beyond ``nv``.

    Gram–Schmidt, row by row. Rows that depend on previous ones are zero in W and T.
    """
    E = np.concatenate([np.concatenate([E[:held, :nv], 0.0 * np.ones((held, E.shape[1] - nv))], axis=1), E[held:]])
    basis: list[tuple[Array, Array]] = []
    for row, t in zip(E, np.eye(len(E)), strict=True):
        size: Any = row @ row
        for w, s in basis:
            along = w @ row
            row, t = row - along * w, t - along * s
        square: Any = row @ row
        clear = square > DEPENDENT * size
        scale = where(clear, 1.0 / np.sqrt(where(clear, square, 1.0)), 0.0)
        basis.append((row * scale, t * scale))
    return np.array([w for w, _ in basis]).reshape(E.shape), np.array([s for _, s in basis]).reshape(len(E), len(E))
