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

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not, public
from linkwright.dynamics.configuration import exp_gradient, exp_gradient_inverse, exp_rates
from linkwright.errors import InputError, ShapeError, explained
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joints.ends import within_limits
from linkwright.trajectories.joints.polynomials import between
from linkwright.trajectories.trajectory import Trajectory, broadcast, finite

_difference = public(dynamics.difference)

STEPS = 30
"""of Newton's method at most"""

CLOSE = 1e-12
"""A step of so small a part of the largest velocity is the last."""


@explained
def spline(
    model: Model,
    waypoints: Any,
    times: Any,
    *,
    ends: str = "clamped",
    start_velocity: Any = None,
    end_velocity: Any = None,
) -> Trajectory:
    """A cubic spline through configurations (…, n, nq) at ``times`` (…, n), s, velocities and accelerations continuous.

    ``times`` may be one number, the duration: then each way takes as much of it as it is long. The ends are "clamped"
    (velocities (…, nv) as told, zero unless told) or "natural" (accelerations zero). For every joint type: turns
    and poses have continuous angular accelerations too; of two neighbours the turn is less than half a one. The spline
    knows no limits: see ``trajectory.plot()`` and ``retimed``. Raises :class:`InputError` for waypoints
    beyond the model's limits (the first may be), for times that do not
    increase, and where waypoints are equal that a duration is to be shared by.

    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.trajectories.spline(arm, [[0.0, 0.0], [1.0, 0.5], [0.0, 1.0]], [0.0, 1.0, 2.0])
    <Trajectory of 'two_link': 2 s, 2 pieces of degree 3>
    """
    if ends not in ("clamped", "natural"):
        raise InputError(f"ends are 'clamped' or 'natural'; got {ends!r}")
    q = finite("waypoints", waypoints)
    if q.ndim < 2 or q.shape[-1] != model.nq or q.shape[-2] < 2:
        raise ShapeError(f"waypoints have shape {q.shape}; expected (…, n, {model.nq}) with two or more of them")
    dynamics.check(model, q)
    within_limits(model, "a waypoint", q[..., 1:, :])
    t = finite("times", times)
    if t.ndim:
        batch = np.broadcast_shapes(q.shape[:-2], t.shape[:-1])
        q, t = broadcast("waypoints", q, (*batch, *q.shape[-2:])), broadcast("times", t, (*batch, q.shape[-2]))
    ways = _difference(model, q[..., :-1, :], q[..., 1:, :])
    t = t if t.ndim else _by_distance(ways, float(t))
    spans = np.diff(t)
    if not (spans > 0.0).all():
        raise InputError("times increase from each waypoint to the next; here some do not")
    told = {"start_velocity": start_velocity, "end_velocity": end_velocity}
    if ends == "natural" and any(x is not None for x in told.values()):
        raise InputError("the ends of a natural spline have the velocities that come of it: none can be told")
    first, last = (
        broadcast(name, np.zeros(model.nv) if x is None else finite(name, x), (*q.shape[:-2], model.nv))
        for name, x in told.items()
    )
    v = _velocities(model, ways, spans, first, last, ends == "natural")
    turned = _knots(model)(ways, v[..., :-1, :], v[..., 1:, :], spans)[2]
    c = between([np.zeros_like(ways), v[..., :-1, :]], [ways, turned], spans)
    return Trajectory.of(model, t, q[..., :-1, :], c, {})


def _by_distance(ways: Array, duration: float) -> Array:
    """Times (…, n) in which each way takes as much as it is long."""
    if not duration > 0.0:
        raise InputError(f"duration is above zero, s; got {duration!r}")
    lengths = np.linalg.norm(ways, axis=-1)
    if not (lengths > 0.0).all():
        k = int(np.argwhere(~(lengths > 0.0))[0][-1])
        raise InputError(f"waypoints {k} and {k + 1} are equal: tell the times, for a way without length takes none")
    ends = np.concatenate([np.zeros((*lengths.shape[:-1], 1)), np.cumsum(lengths, axis=-1)], axis=-1)
    times: Array = duration * ends / ends[..., -1:]
    return times


def _velocities(model: Model, ways: Array, spans: Array, first: Array, last: Array, natural: bool) -> Array:
    """(…, n, nv) at the knots: Newton's method on a block tridiagonal system."""
    nv, kernel = model.nv, _knots(model)
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


def _knots(model: Model) -> Callable[..., Any]:
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
    kernel: Callable[..., Any] = derived(model, spline, make=lambda: compile_or_not(knots, model, **sizes))
    return kernel
