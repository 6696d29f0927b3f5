"""Constraints of velocity, acceleration and effort limits on a short interval of a path.

With x = ṡ² and u = s̈ a motion along q(s) has v = q′√x, a = q′u + q″x and the efforts a u + b x + c,

    c = ID(q, 0, 0),  a = ID(q, 0, q′) − c,  b = ID(q, q′, q″) − c

(Bobrow, Dubowsky & Gibson 1985), springs of joints in c. Between two grid points u is constant and x linear, from x to
w with δ = 2Δs: the constrained quantity is f(θ) = a (w − x)/δ + b ((1 − θ) x + θ w) + c with θ from 0 to 1.

Damping adds d √x, d = D q′ (Slotine & Yang 1989), which is not linear. It is replaced by its tangent at the previous
solution, d (x + x₀)/(2 √x₀), which is an upper bound and exact at x₀, so that the iteration converges to a motion for
which it is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.forces.springs import spring_forces
from linkwright.dynamics.forces.statics import passive_forces
from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, maximum, minimum, where
from linkwright.trajectories.evaluation import moved
from linkwright.trajectories.timing.speed_profile import FASTEST, Lines

FLAT = 1e-9
"""A line of which w has so small a part is one of x alone."""

TINY = 1e-200
"""Added where it would else be divided by zero."""


RESTING = 1e-4
"""Share of the larger x of an interval, below which damping is not linearized about it."""

HALVED = 1
"""Times that an interval is halved for velocities: their squares are farther from their coefficients than efforts."""


class Scheme(NamedTuple):
    """Points of an interval at which limits are evaluated, and the combination of their values that is constrained."""

    places: Array
    """θ (nodes,)"""
    combinations: Array
    """(rows, nodes)"""
    hull: bool
    """whether the rows are the coefficients of Bernstein's polynomials, which enclose all values between"""


def collocation() -> Scheme:
    """At the beginning of each interval."""
    return Scheme(np.array([0.0]), np.eye(1), False)


def interpolation() -> Scheme:
    """At both ends of each interval (Pham & Pham 2018)."""
    return Scheme(np.array([0.0, 1.0]), np.eye(2), False)


def hull(degree: int = 3) -> Scheme:
    """Return the scheme for the whole interval: a polynomial through degree + 1 Chebyshev nodes.

    A polynomial lies within its coefficients in Bernstein's basis (Farouki 2012), which are constrained. The
    constrained quantities are smooth on an interval, so that the polynomial is nearly exact.
    """
    places = (1.0 - np.cos(np.pi * np.arange(degree + 1) / degree)) / 2.0
    values = [[comb(degree, k) * x**k * (1.0 - x) ** (degree - k) for k in range(degree + 1)] for x in places]
    inverse = np.linalg.inv(values)
    return Scheme(places, np.where(np.abs(inverse) < 1e-12, 0.0, inverse), True)


SCHEMES = {"hull": hull(), "interpolation": interpolation(), "collocation": collocation()}


def coulomb(model: Model) -> Array:
    """Return the Coulomb friction of the joints (nv,), N or N m; that of mimic joints is mapped to their leaders."""
    own: Array = np.concatenate([np.zeros(0), *(joint.friction for joint in model.joints)])
    return np.abs(model.coupling_matrix).T @ own  # type: ignore[no-any-return]


def damped(model: Model) -> bool:
    """Return whether joints or springs between bodies have damping."""
    return any(np.any(joint.damping) for joint in model.joints) or any(s.damping for s in model.springs)


def damping_efforts(model: Model, q: Array, v: Array) -> Array:
    """Return the efforts (nv,) of damping of joints and of springs between bodies; they are linear in v."""
    rates = model.rates(v)
    efforts = [joint.damping * rate for joint, rate in zip(model.joints, rates, strict=True)]
    moving = spring_forces(model, q, rates)
    for k, still in spring_forces(model, q, [0.0 * rate for rate in rates]).items():
        efforts[k] = efforts[k] + still - moving[k]
    return model.assemble(efforts)


class Limited(NamedTuple):
    """The coordinates of v whose acceleration and whose effort are limited."""

    accelerations: tuple[int, ...]
    efforts: tuple[int, ...]

    def count(self, scheme: Scheme) -> int:
        """Return the number of constraints, including those of velocity within a hull."""
        rows = len(scheme.combinations)
        return rows * (len(self.accelerations) + len(self.efforts)) + scheme.hull * (rows * 2**HALVED - 1)


def path_lines(
    model: Model,
    scheme: Scheme,
    limited: Limited,
    q: Array,
    coefficients: Array,
    s: Any,
    span: Any,
    room: Any,
    before: tuple[Any, Any],
    velocity: Array,
    acceleration: Array,
    effort: Array,
) -> Lines:
    """The lines of one interval: of a piece of a path, from ``s`` after its beginning, so long.

    ``velocity``, ``acceleration`` and ``effort`` (nv,) are the *inverses* of limits; ``room``: of limits the part that
    may be used; ``before``: x at both ends about which damping is linear.
    """
    E, theta = scheme.combinations, scheme.places
    zero = np.zeros(model.nv)
    places = [moved(model, q, coefficients, s + part * span, 2) for part in theta]
    first = np.stack([v for _, v, _ in places])
    second = np.stack([a for _, _, a in places])
    used = 1.0 / room
    squares = E @ (first * velocity) ** 2 * used**2
    most = [[_greatest(row, 0.0) for row in part @ squares] for part in _halves(scheme)]
    parts: list[tuple[Array, Array, Array, Any]] = []  # of u, of x, rest, friction (against, along)
    if chosen := list(limited.accelerations):
        scale = acceleration[chosen]
        parts.append((first[:, chosen] * scale, second[:, chosen] * scale, np.zeros((len(theta), len(chosen))), None))
    if chosen := list(limited.efforts):
        rest = [inverse_dynamics(model, x, zero, zero) for x, _, _ in places]
        of_u = [inverse_dynamics(model, x, zero, v) - c for (x, v, _), c in zip(places, rest, strict=True)]
        of_x = [inverse_dynamics(model, x, v, a) - c for (x, v, a), c in zip(places, rest, strict=True)]
        rest = [c - passive_forces(model, x, zero) for (x, _, _), c in zip(places, rest, strict=True)]
        scale = effort[chosen]
        if damped(model):
            lost = [damping_efforts(model, x, v) for x, v, _ in places]
            roots = [_root(part, *before) for part in theta]
            of_x = [b + d * (0.5 / root) for b, d, root in zip(of_x, lost, roots, strict=True)]
            rest = [c + d * (0.5 * root) for c, d, root in zip(rest, lost, roots, strict=True)]
        against = _friction(model, E @ first)
        bounds = None if against is None else tuple(x[chosen] * scale for x in against)
        parts.append((*(np.stack(x)[:, chosen] * scale for x in (of_u, of_x, rest)), bounds))
    return _as_lines(scheme, parts, most, span, room)


def _halves(scheme: Scheme) -> list[Array]:
    """Return Bernstein coefficients on each part of an interval (de Casteljau); otherwise the values."""
    n = len(scheme.combinations)
    if not scheme.hull:
        return [np.eye(n)]
    first = np.array([[comb(k, j) / 2.0**k for j in range(n)] for k in range(n)])
    parts = [np.eye(n)]
    for _ in range(HALVED):
        parts = [half @ part for part in parts for half in (first, first[::-1, ::-1])]
    return parts


def _greatest(row: Array, least: Any) -> Any:
    for x in row:
        least = maximum(least, x)
    return least


def _root(part: float, x: Any, w: Any) -> Any:
    """Return √x between x and w; near a rest its value close to the rest, since the tangent is vertical there."""
    return np.sqrt(maximum((1.0 - part) * x + part * w, RESTING * maximum(x, w)) + TINY)


def _friction(model: Model, tangents: Array) -> tuple[Array, Array] | None:
    """Return the largest and smallest Coulomb friction in an interval (nv,); friction is never used for braking."""
    lost = coulomb(model)
    if not lost.any():
        return None

    def largest(tangents: Array) -> Array:
        return np.stack([where(_greatest(tangents[:, k], 0.0) > 0.0, f, 0.0) for k, f in enumerate(lost)])

    return largest(tangents), -largest(-tangents)


def _as_lines(
    scheme: Scheme, parts: list[tuple[Array, Array, Array, Any]], squares: list[list[Any]], span: Any, room: Any
) -> Lines:
    E, theta = scheme.combinations, scheme.places[:, None]
    slopes, lows, highs = [], [], []
    floor, ceiling, after = 0.0, FASTEST, FASTEST
    for of_u, of_x, rest, lost in parts:
        push = E @ (of_u * (0.5 / span))
        x = (E @ (of_x * (1.0 - theta)) - push).reshape(-1)
        w = (E @ (of_x * theta) + push).reshape(-1)
        c = E @ rest
        above, below = (c, c) if lost is None else (c + lost[0], c + lost[1])
        flat = abs(w) <= FLAT * abs(x)
        divisor = where(flat, x, w)
        r = 1.0 / where(divisor < 0.0, divisor - TINY, divisor + TINY)
        one = (room - above.reshape(-1)) * r
        other = (-room - below.reshape(-1)) * r
        low, high = where(r < 0.0, one, other), where(r < 0.0, other, one)
        slopes.append(where(flat, 0.0, -x * r))
        lows.append(where(flat, -FASTEST, low))
        highs.append(where(flat, FASTEST, high))
        floor = _greatest(where(flat, low, 0.0), floor)
        ceiling = -_greatest(-where(flat, high, FASTEST), -ceiling)
    for of_x, of_w in _speed_rows(scheme, squares):
        if of_w is None:
            ceiling = minimum(ceiling, 1.0 / (of_x + TINY))
        elif of_x is None:
            after = minimum(after, 1.0 / (of_w + TINY))
        else:
            r = 1.0 / (of_w + FLAT * of_x + TINY)
            slopes.append(np.reshape(-of_x * r, 1))
            lows.append(np.reshape(-FASTEST + 0.0 * r, 1))
            highs.append(np.reshape(r, 1))
    slope, low, high = (np.concatenate(x) if x else np.zeros(0) for x in (slopes, lows, highs))
    return Lines(slope, low, high, floor, ceiling, after)


def _speed_rows(scheme: Scheme, squares: list[list[Any]]) -> Iterator[tuple[Any, Any]]:
    """Return the velocity constraints: combinations of x and w that are at most 1; None without limits.

    ``squares``: the largest (q′/v)² at the nodes, or Bernstein coefficients of each part of the interval, where x
    (q′/v)² has coefficients of one degree more.
    """
    if not scheme.hull:
        for part, square in zip(scheme.places, squares[0], strict=True):
            yield (square, None) if part == 0.0 else (None, square)
        return
    n = len(squares[0])
    for place, own in enumerate(squares):
        begin, end = place / len(squares), (place + 1) / len(squares)
        for k in range(n + 1):
            first, second = (1.0 - k / n) * own[min(k, n - 1)], k / n * own[max(k - 1, 0)]
            if place == 0 and k == 0:
                yield first, None
            elif end == 1.0 and k == n:
                yield None, second
            elif k < n:  # the last is the first of the next part
                yield first * (1.0 - begin) + second * (1.0 - end), first * begin + second * end
