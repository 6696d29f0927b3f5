"""Splines through configurations of every joint type, with continuous accelerations.

Between two knots it is q₀ ⊕ Exp φ(t), φ a cubic with φ(0) = 0, φ̇(0) = v₀, φ(T) = f = q₁ ⊖ q₀, φ̇(T) = J_r(f)⁻¹ v₁ (of
plain coordinates Hermite's). The velocities at the knots are those with which accelerations are equal on both sides:
a(0) = φ̈(0), a(T) = J_r φ̈(T) + c(φ̇(T)), with c quadratic, so that its derivative is exact by differences and Newton's
method takes a few steps (one, of plain coordinates).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import exp_gradient, exp_gradient_inverse, exp_rates
from linkwright.errors import InputError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joint_space.hermite import between
from linkwright.trajectories.trajectory import Trajectory

STEPS = 30
"""of Newton's method at most"""

CLOSE = 1e-12
"""A step of so small a part of the largest velocity is the last."""


def through(model: Model, q: Array, ways: Array, t: Array, first: Array, last: Array, natural: bool) -> Trajectory:
    """The spline through q (…, n, nq) with ``ways`` (…, n − 1, nv) between, at times t (…, n).

    Velocities at the ends are ``first`` and ``last`` (…, nv), or where ``natural`` those without accelerations there.
    """
    spans = np.diff(t)
    v = velocities(model, ways, spans, first, last, natural)
    turned = knot_rates(model)(ways, v[..., :-1, :], v[..., 1:, :], spans)[2]
    c = between([np.zeros_like(ways), v[..., :-1, :]], [ways, turned], spans)
    return Trajectory.of(model, t, q[..., :-1, :], c, {})


def velocities(model: Model, ways: Array, spans: Array, first: Array, last: Array, natural: bool) -> Array:
    """(…, n, nv) at the knots: Newton's method on a block tridiagonal system."""
    nv, kernel = model.nv, knot_rates(model)
    v = np.concatenate([first[..., None, :], np.zeros_like(ways[..., 1:, :]), last[..., None, :]], axis=-2)
    one = np.eye(nv)
    for _ in range(STEPS):
        a0, a1, _, by = kernel(ways, v[..., :-1, :], v[..., 1:, :], spans)
        a0_v0, a0_v1, a1_v0, a1_v1 = (by[..., k, :, :] for k in range(4))
        zero, wide = np.zeros_like(first)[..., None, :], np.zeros_like(by[..., :1, 0, :, :])
        # what the accelerations lack: of the piece before a knot less that of the one after
        lacking = np.concatenate([zero, a1], axis=-2) - np.concatenate([a0, zero], axis=-2)
        middle = np.concatenate([wide, a1_v1], axis=-3) - np.concatenate([a0_v0, wide], axis=-3)
        below, above = np.concatenate([wide, a1_v0], axis=-3), np.concatenate([-a0_v1, wide], axis=-3)
        if not natural:
            for k in (0, -1):
                lacking[..., k, :], middle[..., k, :, :] = 0.0, one
                below[..., k, :, :], above[..., k, :, :] = 0.0, 0.0
        step = _solved(below, middle, above, lacking)
        v = v - step
        if np.abs(step).max(initial=0.0) <= CLOSE * np.abs(v).max(initial=0.0) + 1e-300:
            return v
    raise InputError("the spline is not found: the turns between its waypoints are too large; add waypoints between")


def _solved(below: Array, middle: Array, above: Array, right: Array) -> Array:
    """The solution (…, n, m) of a block tridiagonal system with blocks (…, n, m, m): elimination, then back."""
    n = middle.shape[-3]
    factors: list[Array] = []
    parts: list[Array] = []
    for k in range(n):
        M, r = middle[..., k, :, :], right[..., k, :]
        if k:
            M = M - below[..., k, :, :] @ factors[-1]
            r = r - (below[..., k, :, :] @ parts[-1][..., None])[..., 0]
        both = np.linalg.solve(M, np.concatenate([above[..., k, :, :], r[..., None]], axis=-1))
        factors.append(both[..., :-1])
        parts.append(both[..., -1])
    found = [parts[-1]]
    for k in reversed(range(n - 1)):
        found.append(parts[k] - (factors[k] @ found[-1][..., None])[..., 0])
    return np.stack(found[::-1], axis=-2)


def knot_rates(model: Model) -> Callable[..., Any]:
    """(f, v₀, v₁, T) -> a(0), a(T), φ̇(T) (nv,), and the derivatives (4, nv, nv) of both by v₀, then by v₁ in turn."""

    def knots(model: Model, f: Array, v0: Array, v1: Array, T: Any) -> tuple[Array, ...]:
        zero, one = np.zeros(model.nv), np.eye(model.nv)
        J = np.stack([exp_gradient(model, f, row) for row in one])
        inverse = np.stack([exp_gradient_inverse(model, f, row) for row in one])
        rate = inverse @ v1

        def c(u: Array) -> Array:
            return exp_rates(model, f, u, zero)[1]

        begins = (6.0 / (T * T)) * f - (4.0 / T) * v0 - (2.0 / T) * rate
        ends = (-6.0 / (T * T)) * f + (2.0 / T) * v0 + (4.0 / T) * rate
        own = c(rate)
        bent = np.stack([c(rate + row) - own - c(row) for row in one], axis=1)
        by = [(-4.0 / T) * one, (-2.0 / T) * inverse, (2.0 / T) * J, ((4.0 / T) * J + bent) @ inverse]
        return begins, J @ ends + own, rate, np.stack(by)

    sizes: dict[str, Any] = {"f": (model.nv,), "v0": (model.nv,), "v1": (model.nv,), "T": ()}
    kernel: Callable[..., Any] = derived(model, knot_rates, make=lambda: compile_or_not(knots, model, **sizes))
    return kernel
