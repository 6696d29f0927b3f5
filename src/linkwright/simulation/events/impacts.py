"""Impacts without friction: gaps that close are thrown open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics import impulse, kinetic_energy, mass_matrix
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

ROUNDS = 10_000
"""Balls in a row take a round for each meeting."""

CLOSING = 1e-13
"""of the fastest rate of closing before: what closes more slowly does not"""


def reflected(
    model: Model, q: Array, v: Array, J: Array, restitution: Sequence[float], slowest: Sequence[float]
) -> tuple[Array, Array, float]:
    """The velocity (nv,) after gaps with the rates J v (n,) met at the same time, which of them rest, the energy lost.

    Those that close are reflected at once, u⁺ = −e u, by impulses p = −A⁻¹ (1 + e) u, A = J Λ Jᵀ with Λ what takes
    impulses to velocities, loops included; and so again until none closes (`Impact`). Impulses do not pull.
    """
    Minv = np.linalg.inv(mass_matrix(model, q)) if model.nv else np.zeros((0, 0))
    W = Minv @ J.T
    if model.loops:
        W = np.stack([impulse(model, q, column)[0] for column in W.T], axis=1)
    A, u = J @ W, J @ v
    scale = float(np.abs(u).max(initial=0.0))
    after, given = v, np.asarray(restitution, dtype=float)
    for _ in range(ROUNDS):
        active = np.flatnonzero(u < -CLOSING * scale)
        if not len(active) or not scale:
            break
        e = np.where(-u < np.asarray(slowest), 0.0, given)
        while True:
            p = np.zeros(len(u))
            p[active] = -np.linalg.lstsq(A[np.ix_(active, active)], (1.0 + e[active]) * u[active], rcond=1e-12)[0]
            if not (p < -1e-12 * max(np.abs(p).max(), 1e-300)).any() or len(active) == 1:
                break
            active = active[p[active] > 0.0]
        after = after + W @ np.maximum(p, 0.0)
        u = J @ after
    rests = np.abs(u) <= np.maximum(1e-9 * scale, 1e-12)
    return after, rests, float(kinetic_energy(model, q, v) - kinetic_energy(model, q, after))
