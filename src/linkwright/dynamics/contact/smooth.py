"""Contact of pairs of shapes as smooth forces, for methods that integrate accelerations.

At every contact point with depth δ and sliding speed s = |u_t|,

    f_n = max(0, k δ (1 + c δ̇) + d δ̇)            f_t = −μ f_n u_t / √(s² + ε²)

(Hunt & Crossley 1975; never adhesive), and for pairs with these coefficients the moments −t f_n ω_n/√(ω_n² + ε_ω²)
about the normal and −r f_n ω_t/√(ω_t² + ε_ω²) against rolling. k is the stiffness of the pair; that of a rigid pair is
such that the total weight on one point causes a depth of :data:`SUNK`. c gives the restitution of the pair, at least
0.05, at :data:`SPEED` m/s (slower impacts have a larger restitution); it is zero for
a compliant pair without a restitution. d is the damping of the pair. Impulses use the same k, c and d for compliant
pairs.

Sticking contacts creep: on a slope of angle α with s = ε tan α/√(μ² − tan² α).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.contact.shapes.candidate import ContactCandidate
from linkwright.dynamics.frames.jacobian import jacobian
from linkwright.dynamics.inertias.mass import mass_matrix
from linkwright.dynamics.inertias.momentum import total_mass
from linkwright.dynamics.kinematics import body_poses, pose, velocity
from linkwright.model.memo import kept
from linkwright.model.parts.pair import Pair
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic, is_zero, maximum, where
from linkwright.spatial.rotation import skew

SUNK = 1e-3
"""m, depth under the total weight"""

SPEED = 1.0
"""m/s: speed at which the restitution is that of the pair"""

LEAST = 0.05
"""Smallest restitution of smooth forces."""

SLIP = 5e-3
"""ε, m/s: sliding speed at which friction reaches 0.71 μ f_n"""

TURN = 0.1
"""ε_ω, rad/s: the same for rotation"""

GRAVITY = 9.81
"""m/s², for models without gravity"""

NEARLY_ELASTIC = 1e-2
"""1 − e below which a series gives the dissipation; Newton's method would lose all digits."""


class SmoothContactLaw(NamedTuple):
    """Parameters of the forces of a pair."""

    stiffness: Any
    damping: Any
    dissipation: Any


@kept
def smooth_laws(model: Model) -> tuple[SmoothContactLaw, ...]:
    """Return the parameters of each pair of the model."""
    model = model.physical or model
    return tuple(_smooth_law(model, pair) for pair in model.pairs)


def _smooth_law(model: Model, pair: Pair) -> SmoothContactLaw:
    stiffness = pair.stiffness
    if stiffness is None:
        weight = total_mass(model) * (float(np.linalg.norm(model.gravity)) or GRAVITY)
        stiffness = weight / SUNK
    return SmoothContactLaw(stiffness, pair.damping, pair_dissipation(pair))


def pair_dissipation(pair: Pair) -> Any:
    """Return c, s/m, of a pair; zero for a soft pair without a restitution."""
    e = pair.restitution
    if e is None:
        if pair.stiffness is not None:
            return 0.0
        e = 0.0
    return dissipation(maximum(e, LEAST), SPEED)


def dissipation(restitution: Any, speed: float) -> Any:
    """Return the dissipation c, s/m, with which an impact at a speed has a restitution e, 0 < e ≤ 1 (Hunt & Crossley).

    x (1 + e) = ln((1 + x)/(1 − e x)), x = c v, for any stiffness and mass; e = 1 − 2x/3 for small x. Newton's method
    solves for y = −ln(1 − e x), which is well scaled where e x is close to 1; near e = 1 a series is used.
    """
    e, t = restitution, 1.0 - restitution
    near_one = t * (1.5 - t * t * (0.15 + t * (0.15 + t * (81.0 / 700.0 + t * 57.0 / 700.0))))  # e x
    elastic = t < NEARLY_ELASTIC
    high = where(e > 0.5, -np.log(1.0 - where(e > 0.5, near_one, 0.0)), (1.0 + e) / e - np.log(1.0 + 1.0 / e))
    y = where(elastic, 1.0, high)
    for _ in range(6):
        w = np.exp(-y)
        reach = 1.0 + (1.0 - w) / e
        slope = w / (e * reach) + 1.0 - w * (1.0 + e) / e
        step = (np.log(reach) + y - (reach - 1.0) * (1.0 + e)) / where(elastic, 1.0, slope)
        y = where(elastic, y, y - step)
    found = where(elastic, near_one, 1.0 - np.exp(-y)) / e / speed
    return found if is_symbolic(found) else float(found)


def pair_points(model: Model, q: Array) -> Iterator[tuple[int, ContactCandidate]]:
    """Yield the contact points of all pairs, with the index of the pair."""
    poses = body_poses(model, q)
    for k, pair in enumerate(model.pairs):
        for point in points_between(model, pair, poses):
            yield k, point


class SmoothContactForce(NamedTuple):
    """Contact force on the first shape of a pair at a point; the opposite acts on the second."""

    pair: Pair
    point: ContactCandidate
    force: Array
    """(3,), N"""
    moment: Array
    """(3,), N m, about the point"""


def pair_wrenches(model: Model, q: Array, v: Array) -> dict[str, Array]:
    """Return the wrenches of all pairs on links (6,): [f; n] at the origin of the link, in world axes."""
    origin: dict[str, Array] = {}
    found: dict[str, Array] = {}
    for pair, (_, point, _), force, moment in smooth_points(model, q, v):
        for place, sign in ((pair.first, 1.0), (pair.second, -1.0)):
            body = model.shapes[place].body
            if model.frames[body].body < 0:
                continue
            if body not in origin:
                origin[body] = pose(model, q, body)[:3, 3]
            arm = point - origin[body]
            own = sign * np.concatenate([force, skew(arm) @ force + moment])
            found[body] = found[body] + own if body in found else own
    return found


def smooth_points(model: Model, q: Array, v: Array) -> Iterator[SmoothContactForce]:
    """Yield the force at each point of all pairs, in order."""
    laws, V = smooth_laws(model), {"world": np.zeros(6)}
    origin: dict[str, Array] = {"world": np.zeros(3)}
    for k, point in pair_points(model, q):
        pair = model.pairs[k]
        first, second = model.shapes[pair.first].body, model.shapes[pair.second].body
        for body in (first, second):
            if body not in V:
                V[body] = velocity(model, q, v, body)
            if body not in origin:
                origin[body] = pose(model, q, body)[:3, 3]

        def moved(body: str, at: Array = point.point) -> Array:
            return V[body][:3] + skew(V[body][3:]) @ (at - origin[body])

        n = point.normal
        u = moved(first) - moved(second)
        rate = -(n @ u)
        depth = maximum(-point.gap, 0.0)
        law = laws[k]
        pressing = law.stiffness * depth * (1.0 + law.dissipation * rate)
        if not is_zero(law.damping):
            ramp = depth / (depth + 1e-3 * SUNK)  # a damper alone would push at once
            pressing = pressing + law.damping * ramp * rate
        pressing = maximum(pressing, 0.0)
        force = pressing * n
        if not is_zero(pair.friction):
            sliding = u + rate * n
            force = force - (pair.friction * pressing / np.sqrt(sliding @ sliding + SLIP * SLIP)) * sliding
        yield SmoothContactForce(pair, point, force, _friction_moment(pair, pressing, n, V[first][3:] - V[second][3:]))


def _friction_moment(pair: Pair, pressing: Any, n: Array, w: Array) -> Array:
    moment = np.zeros(3)
    about = n @ w
    if not is_zero(pair.torsional_friction):
        moment = moment - (pair.torsional_friction * pressing * about / np.sqrt(about * about + TURN * TURN)) * n
    if not is_zero(pair.rolling_friction):
        across = w - about * n
        moment = moment - (pair.rolling_friction * pressing / np.sqrt(across @ across + TURN * TURN)) * across
    return moment


def pair_energy(model: Model, q: Array) -> Any:
    """Return the energy stored in contacts with smooth forces, Σ ½ k δ², J."""
    return _elastic_energy(model, q, [law.stiffness for law in smooth_laws(model)])


def soft_pair_energy(model: Model, q: Array) -> Any:
    """Return the energy stored in compliant contacts with impulses, Σ ½ k δ², J."""
    return _elastic_energy(model, q, [pair.stiffness for pair in model.pairs])


def _elastic_energy(model: Model, q: Array, stiffness: Sequence[Any]) -> Any:
    energy = 0.0 * model.gravity[0]
    for k, point in pair_points(model, q):
        if stiffness[k] is not None:
            depth = maximum(-point.gap, 0.0)
            energy = energy + 0.5 * stiffness[k] * depth * depth
    return energy


def fastest_pair(model: Model, q: Array) -> tuple[float, int]:
    """Return the fastest rate (1/s) of the spring of a pair at q, and the index of the pair; (0, -1) without pairs."""
    found = (0.0, -1)
    M = mass_matrix(model, q)
    for k, point in pair_points(model, q):
        pair, J = model.pairs[k], np.zeros((3, model.nv))
        for place, sign in ((pair.first, 1.0), (pair.second, -1.0)):
            body = model.shapes[place].body
            own = jacobian(model, q, body)
            J = J + sign * (own[:3] - skew(point.point - pose(model, q, body)[:3, 3]) @ own[3:])
        row = point.normal @ J
        mobility = float(row @ np.linalg.solve(M, row))
        law = smooth_laws(model)[k]
        if np.isfinite(mobility):
            rate = max(np.sqrt(float(law.stiffness) * mobility), float(law.damping) * mobility)
            found = max(found, (float(rate), k))
    return found
