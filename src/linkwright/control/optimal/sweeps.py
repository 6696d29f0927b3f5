"""The two sweeps of an iteration over the nodes of a trajectory: compiled loops, problems on lanes.

Backward, Riccati: the cost to go V(δ) = V_xᵀ δ + ½ δᵀ V_xx δ of a node from the next (Tassa, Mansard & Todorov 2014):
Q_x = l_x + Aᵀ V_x etc., k the minimizer of ½ kᵀ Q_uu k + kᵀ Q_u within the limits, K = −Q_uu⁻¹ Q_ux of controls that
are not at a limit, V_x = Q_x + Q_uxᵀ k, V_xx = Q_xx + Q_uxᵀ K. Forward, the trajectory with ū + α k + K δ, clipped to
the limits, δ = (difference(q̄, q), v − v̄).

A call processes up to ``NODES`` nodes, so that the code does not depend on their number. The gains of a call are
stored from its last node to its first, in the order of computation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel, compile
from linkwright.control.optimal.box_constraints import least, unlimited
from linkwright.control.optimal.costs import Costs
from linkwright.control.optimal.step_derivatives import curvature, factors, pulled_back
from linkwright.dynamics import difference
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import driven_step
from linkwright.spatial.arrays import Array, clip, where
from linkwright.spatial.loops.repeats import until
from linkwright.spatial.loops.tables import take

NODES = 32
"""Nodes of a call, at most."""


@dataclass(frozen=True, eq=False)
class RiccatiSweeps:
    """Kernels of an iteration for one model, its costs and controls."""

    model: Model
    method: str
    running: Costs
    final: Costs
    controls: tuple[int, ...]
    """indices of the controlled efforts"""
    limited: bool

    @property
    def key(self) -> Hashable:
        """Return the cache key of the kernels."""
        return self.method, self.running.key, self.final.key, self.controls, self.limited

    def efforts(self, u: Array) -> Array:
        """Return efforts (nv,) from controls (m,)."""
        if len(self.controls) == self.model.nv:
            return u
        spread = np.zeros((self.model.nv, len(self.controls)))
        spread[list(self.controls), range(len(self.controls))] = 1.0
        return spread @ u

    @cached_property
    def backward(self) -> Kernel:
        """Return the backward kernel.

        (Q, V, U, low, high, numbers, Vx, Vxx, mu, h, first, count) -> Vx, Vxx, slope, curve, pivot, K, k.
        """
        return self._made("backward", self._backward, costs=self.running)

    @cached_property
    def bending(self) -> Kernel:
        """Return the backward kernel with one more argument, bend, the share of the dynamics' second derivatives."""
        return self._made("bending", partial(self._backward, bending=True), costs=self.running)

    @cached_property
    def forward(self) -> Kernel:
        """Return the kernel (q, v, Q, V, U, K, k, α, low, high, numbers, h, first, count) -> q, v, cost, Q, V, U."""
        return self._made("forward", self._forward, costs=self.running)

    @cached_property
    def ending(self) -> Kernel:
        """Return the kernel (q, v, numbers, t) -> final cost, its gradient and the upper triangle of its Hessian."""
        return self._made("ending", self._ending, costs=self.final)

    def _made(self, name: str, make: Callable[[], Kernel], costs: Costs) -> Kernel:
        kernel: Kernel = derived(self.model, RiccatiSweeps, name, self.key, make=make)
        return kernel

    def _backward(self, bending: bool = False) -> Kernel:
        n, m = self.model.nv, len(self.controls)
        wide = [*range(2 * n), *(2 * n + k for k in self.controls)]

        def riccati_sweep(
            model: Model,
            Q: Array,
            V: Array,
            U: Array,
            low: Array,
            high: Array,
            numbers: Array,
            Vx: Array,
            Vxx: Array,
            mu: Any,
            h: Any,
            first: Any,
            count: Any,
            bend: Any = 0.0,
        ) -> tuple[Any, ...]:
            def node(
                i: Any, left: Any, Vx: Array, packed: Array, slope: Any, curve: Any, pivot: Any, K: Any, k: Any
            ) -> Any:
                j = left - 1.0
                q, v, u = take(Q, j), take(V, j), take(U, j)
                tau, t = self.efforts(u), (first + j) * h
                changes = factors(model, self.method, q, v, tau, h)
                changes[0] = changes[0][:, wide]
                gradient, hessian = pulled_back(Vx, unpacked(packed, 2 * n), changes)
                if bending:
                    bent = curvature(model, self.method, self.controls, q, v, tau, h, Vx)
                    hessian = hessian + bend * bent
                cost = self.running.local(model, t, q, v, tau, numbers)
                gradient = gradient + h * cost.gradient[wide]
                hessian = hessian + h * cost.hessian[np.ix_(wide, wide)]
                Qx, Qu = gradient[: 2 * n], gradient[2 * n :]
                Quu, Qux = hessian[2 * n :, 2 * n :], hessian[2 * n :, : 2 * n]
                H = Quu + np.diag(mu * abs(np.diagonal(Quu)))
                if self.limited:
                    k, _, K, least_pivot = least(H, Qu, low - u, high - u, Qux)
                else:
                    k, K, least_pivot = unlimited(H, Qu, Qux)
                Vx = Qx + Qux.T @ k
                rows, columns = np.triu_indices(2 * n)
                packed = np.array(
                    [hessian[a, b] + Qux[:, a] @ K[:, b] for a, b in zip(rows, columns, strict=True)], dtype=object
                )
                pivot = where(least_pivot < pivot, least_pivot, pivot)
                return left - 1.0, Vx, packed, slope + k @ Qu, curve + k @ (Quu @ k), pivot, K, k

            zeros = np.zeros((m, 2 * n)), np.zeros(m)
            state = (count, Vx, Vxx, 0.0, 0.0, np.inf, *zeros)
            *end, _, kept = until(lambda left, *state: left < 0.5, node, *state, limit=NODES, keep=1)
            return (*end[1:6], kept[6], kept[7])

        size = n * (2 * n + 1)
        tables: dict[str, Any] = {"Q": (NODES, self.model.nq), "V": (NODES, n), "U": (NODES, m)}
        inputs: dict[str, Any] = {"low": (m,), "high": (m,), "numbers": (self.running.size,)}
        inputs |= {"Vx": (2 * n,), "Vxx": (size,)}
        more: dict[str, Any] = {"bend": ()} if bending else {}
        return compile(riccati_sweep, self.model, **tables, **inputs, mu=(), h=(), first=(), count=(), **more)

    def _forward(self) -> Kernel:
        n, m, nq = self.model.nv, len(self.controls), self.model.nq

        def controlled_sweep(
            model: Model,
            q: Array,
            v: Array,
            Q: Array,
            V: Array,
            U: Array,
            K: Array,
            k: Array,
            alpha: Any,
            low: Array,
            high: Array,
            numbers: Array,
            h: Any,
            first: Any,
            count: Any,
        ) -> tuple[Any, ...]:
            def node(i: Any, left: Any, q: Array, v: Array, cost: Any, u: Array) -> Any:
                change = np.concatenate([difference(model, take(Q, i), q), v - take(V, i)])
                u = take(U, i) + alpha * take(k, left - 1.0) + take(K, left - 1.0) @ change
                if self.limited:
                    u = clip(u, low, high)
                tau, t = self.efforts(u), (first + i) * h
                cost = cost + h * self.running.value(model, t, q, v, tau, numbers)
                q, v, _ = driven_step(model, t, q, v, lambda t, q, v: tau, h, self.method, projection=bool(model.loops))
                return left - 1.0, q, v, cost, u

            state = (count, q, v, 0.0, np.zeros(m))
            *end, _, kept = until(lambda left, *state: left < 0.5, node, *state, limit=NODES, keep=1)
            return end[1], end[2], end[3], kept[1], kept[2], kept[4]

        tables: dict[str, Any] = {
            "Q": (NODES, nq),
            "V": (NODES, n),
            "U": (NODES, m),
            "K": (NODES, m, 2 * n),
            "k": (NODES, m),
        }
        inputs: dict[str, Any] = {"low": (m,), "high": (m,), "numbers": (self.running.size,)}
        return compile(controlled_sweep, self.model, **tables, **inputs, alpha=(), h=(), first=(), count=())

    def _ending(self) -> Kernel:
        n = self.model.nv

        def final_cost(model: Model, q: Array, v: Array, numbers: Array, t: float | Array) -> tuple[Any, ...]:
            cost = self.final.local(model, t, q, v, np.zeros(n), numbers)
            return cost.value, cost.gradient[: 2 * n], cost.hessian[np.triu_indices(2 * n)]

        return compile(final_cost, self.model, numbers=(self.final.size,), t=())


def unpacked(packed: Array, n: int) -> Array:
    """Return a symmetric matrix (n, n) from its upper triangle, row by row."""
    places = np.zeros((n, n), dtype=int)
    places[np.triu_indices(n)] = np.arange(n * (n + 1) // 2)
    matrix: Array = packed[np.maximum(places, places.T)]
    return matrix
