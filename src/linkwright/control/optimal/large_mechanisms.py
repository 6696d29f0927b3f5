"""Sweeps for mechanisms too large for one kernel: kernels for all nodes, and NumPy from node to node.

Where formulas of the step's derivatives would be too large as well (many closed loops), finite differences are used:
two steps for each entry of the state and each control, for all nodes and problems in one call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.public import kernel_of
from linkwright.control.optimal.box_constraints import least
from linkwright.control.optimal.descent import Corrections, Motions
from linkwright.control.optimal.step_derivatives import factors
from linkwright.control.optimal.sweeps import RiccatiSweeps, unpacked
from linkwright.dynamics import difference, integrate
from linkwright.errors import TooLargeError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.integrators import step_function
from linkwright.spatial.arrays import Array

BY = 1e-6
"""Displacement of states and efforts for finite differences."""


class InParts:
    """Sweeps node by node, for all active problems simultaneously."""

    bends, patience = False, 1

    def __init__(self, sweeps: RiccatiSweeps, steps: int, h: float):
        self.sweeps, self.steps, self.h = sweeps, steps, h
        model = sweeps.model
        self.wide = [*range(2 * model.nv), *(2 * model.nv + k for k in sweeps.controls)]
        self.times = h * np.arange(steps)
        way = step_function.StepOptions(sweeps.method, projecting=bool(model.loops))
        self._stepper = step_function.step_function(model, way)

    def step(self, q: Array, v: Array, tau: Array, h: float) -> tuple[Array, Array]:
        """Return (q, v) after a step."""
        return self._stepper(q, v, tau, h, 0.0, np.zeros(1), np.zeros(1))[:2]

    def _kernel(self, function: Callable[..., Any], **shapes: Any) -> Kernel:
        key = self.sweeps.key, self.h
        kernel: Kernel = derived(
            self.sweeps.model,
            InParts,
            function.__name__,
            key,
            make=lambda: compile(function, self.sweeps.model, **shapes),
        )
        return kernel

    @cached_property
    def _local(self) -> Kernel:
        rows = np.triu_indices(len(self.wide))

        def local_cost(
            model: Model, q: Array, v: Array, tau: Array, packed: Array, t: float | Array
        ) -> tuple[Any, ...]:
            cost = self.sweeps.running.local(model, t, q, v, tau, packed)
            return cost.gradient[self.wide], cost.hessian[np.ix_(self.wide, self.wide)][rows]

        return self._kernel(local_cost, packed=(self.sweeps.running.size,), t=())

    @cached_property
    def _value(self) -> Kernel:
        def running_cost(model: Model, q: Array, v: Array, tau: Array, packed: Array, t: float | Array) -> Any:
            return self.sweeps.running.value(model, t, q, v, tau, packed)

        return self._kernel(running_cost, packed=(self.sweeps.running.size,), t=())

    @cached_property
    def _changes(self) -> Callable[[Array, Array, Array], Array]:
        """(q, v, tau) -> ∂δ⁺/∂(δq, δv, u) (…, 2 nv, 2 nv + m)."""
        if not self.sweeps.model.loops:

            def step_factors(model: Model, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
                return tuple(factors(model, self.sweeps.method, q, v, tau, self.h))

            try:
                kernel = self._kernel(step_factors)
            except TooLargeError:
                return self._differences

            def product(q: Array, v: Array, tau: Array) -> Array:
                found = kernel(q, v, tau)
                first, *rest = found if isinstance(found, tuple) else (found,)
                first = first[..., self.wide]
                for F in rest:
                    first = F @ first
                return first

            return product
        return self._differences

    def _differences(self, q: Array, v: Array, tau: Array) -> Array:
        model, n = self.sweeps.model, self.sweeps.model.nv
        moved, apart = kernel_of(integrate, model), kernel_of(difference, model)
        units = np.eye(3 * n)[self.wide] * BY
        columns = []
        for unit in units:
            sides = [
                self.step(moved(q, s * unit[:n]), v + s * unit[n : 2 * n], tau + s * unit[2 * n :], self.h)
                for s in (-1.0, 1.0)
            ]
            change = apart(sides[0][0], sides[1][0]), sides[1][1] - sides[0][1]
            columns.append(np.concatenate(change, axis=-1) / (2.0 * BY))
        return np.stack(columns, axis=-1)

    def _efforts(self, u: Array) -> Array:
        tau = np.zeros((*u.shape[:-1], self.sweeps.model.nv))
        tau[..., list(self.sweeps.controls)] = u
        return tau

    def backward(
        self, motions: Motions, limits: tuple[Array, Array], packed: tuple[Array, Array], mu: Array, bend: Array
    ) -> Corrections:
        steps, n, h = self.steps, 2 * self.sweeps.model.nv, self.h
        q, v, u = motions.q[:, :steps], motions.v[:, :steps], motions.u[:, :steps]
        tau = self._efforts(u)
        _, Vx, Vxx = self.sweeps.ending(motions.q[:, steps], motions.v[:, steps], packed[1], h * steps)
        Vxx = unpacked(np.moveaxis(Vxx, -1, 0), n)
        Vxx = np.moveaxis(Vxx, -1, 0)
        F = self._changes(q, v, tau)
        gradients, hessians = self._local(q, v, tau, packed[0][:, None], self.times)
        hessians = np.moveaxis(unpacked(np.moveaxis(hessians, -1, 0), len(self.wide)), (0, 1), (-2, -1))
        rows, m = len(mu), u.shape[-1]
        K, k = np.zeros((rows, steps, m, n)), np.zeros((rows, steps, m))
        slope, curve, pivot = np.zeros(rows), np.zeros(rows), np.full(rows, np.inf)
        for j in reversed(range(steps)):
            Ft = F[:, j].swapaxes(-1, -2)
            g = h * gradients[:, j] + (Ft @ Vx[..., None])[..., 0]
            H = h * hessians[:, j] + Ft @ Vxx @ F[:, j]
            Quu, Qux, Qu = H[:, n:, n:], H[:, n:, :n], g[:, n:]
            damped = Quu + np.eye(m) * (mu[:, None] * abs(np.diagonal(Quu, axis1=1, axis2=2)))[:, None]
            with np.errstate(all="ignore"):
                k[:, j], K[:, j], smallest = self._least(damped, Qu, limits[0] - u[:, j], limits[1] - u[:, j], Qux)
            pivot = np.minimum(pivot, np.where(np.isfinite(smallest), smallest, -1.0))
            slope = slope + (k[:, j] * Qu).sum(axis=-1)
            curve = curve + (k[:, j] * (Quu @ k[:, j, :, None])[..., 0]).sum(axis=-1)
            Qxu = Qux.swapaxes(-1, -2)
            Vx = g[:, :n] + (Qxu @ k[:, j, :, None])[..., 0]
            Vxx = H[:, :n, :n] + Qxu @ K[:, j]
            Vxx = 0.5 * (Vxx + Vxx.swapaxes(-1, -2))
        definite = (pivot > 0.0) & np.isfinite(slope) & np.isfinite(curve)
        return Corrections(K, k, slope, curve, definite)

    def _least(self, H: Array, g: Array, low: Array, high: Array, B: Array) -> tuple[Array, Array, Array]:
        m, n = B.shape[-2:]
        if self.sweeps.limited:
            kernel: Kernel = derived(
                self.sweeps.model,
                least,
                m,
                n,
                make=lambda: compile(least, H=(m, m), g=(m,), low=(m,), high=(m,), B=(m, n)),
            )
            k, _, K, pivot = kernel(*map(np.ascontiguousarray, (H, g, low, high, B)))
            return k, K, pivot
        finite = np.isfinite(H).all(axis=(-2, -1))
        H = np.where(finite[:, None, None], H, -np.eye(m))
        smallest = np.linalg.eigvalsh(H)[:, 0]
        H = np.where((smallest > 0.0)[:, None, None], H, np.eye(m))
        both = -np.linalg.solve(H, np.concatenate([B, g[..., None]], axis=-1))
        return both[..., -1], both[..., :-1], smallest

    def forward(
        self,
        motions: Motions,
        gains: Corrections,
        alpha: Array,
        rows: Array,
        limits: tuple[Array, Array],
        packed: tuple[Array, Array],
    ) -> Motions:
        old, model = motions.take(rows), self.sweeps.model
        low, high, running, final = (x[rows] for x in (*limits, *packed))
        K, k, apart = gains.K[rows], gains.k[rows], kernel_of(difference, model)
        new = Motions(old.q.copy(), old.v.copy(), old.u.copy(), np.zeros(len(rows)))
        q, v = old.q[:, 0], old.v[:, 0]
        for j in range(self.steps):
            change = np.concatenate([apart(old.q[:, j], q), v - old.v[:, j]], axis=-1)
            with np.errstate(all="ignore"):
                u = old.u[:, j] + alpha[:, None] * k[:, j] + (K[:, j] @ change[..., None])[..., 0]
            new.u[:, j] = np.clip(u, low, high)
            tau = self._efforts(new.u[:, j])
            new.cost += self.h * self._value(q, v, tau, running, self.times[j])
            q, v = self.step(q, v, tau, self.h)
            new.q[:, j + 1], new.v[:, j + 1] = q, v
        new.cost += self.sweeps.ending(q, v, final, self.h * self.steps)[0]
        return new

    def gains(self, gains: Corrections, rows: Array) -> Array:
        found: Array = gains.K[rows]
        return found

    def no_gains(self, rows: int) -> Corrections:
        m, n = len(self.sweeps.controls), 2 * self.sweeps.model.nv
        K, k = np.zeros((rows, self.steps, m, n)), np.zeros((rows, self.steps, m))
        return Corrections(K, k, np.zeros(rows), np.zeros(rows), np.ones(rows, dtype=bool))
