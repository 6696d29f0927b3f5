"""Starts of the search: stored configurations, of which the most similar is used, and an endless quasi-random sequence.

The sequence is Kronecker's, k α modulo 1 with powers of the generalized golden ratio as α (Roberts 2018). It fills the
box of the coordinates evenly, and costs a few operations, where random numbers would need a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.ik_solvers.tasks import Task
from linkwright.model.joints.joint_type import sampled_range, samples
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.loops.repeats import repeat
from linkwright.spatial.loops.tables import take

STORED, CANDIDATES = 32, 256
"""Number of postures from which the most promising is selected."""

LEAST = 1e-9
"""of what is multiplied"""

SPAN = 2.0
"""Range of slides without limits, relative to the length of the mechanism."""


class Starts:
    """Starts of the coordinates that move (n of nq), between bounds; those without bounds within their reach."""

    def __init__(self, model: Model, moving: Array, limits: bool = True):
        reach = np.concatenate([np.zeros(0), *(joint.motion.reach for joint in model.joints if joint.nq)])
        reach = np.where(reach == 1.0, SPAN * scale_of(model).length, reach)  # of quaternions it is not used
        low, high = (x if limits else np.full(model.nq, s * np.inf) for x, s in ((model.lower, -1), (model.upper, 1)))
        self.model, self.moving, self.reach, self.limits = model, moving, reach, (low, high)
        self.low, self.high = sampled_range(low, high, reach)

    def candidates(self, others: Array) -> Array:
        """Configurations (n, nq) to choose from; what does not move is as in ``others`` (nq,)."""
        generator = np.random.default_rng(0)
        q = samples(generator, *self.limits, self.reach, self.model.quaternion_starts, (CANDIDATES,))
        still = np.setdiff1d(np.arange(self.model.nq), self.moving)
        q[:, still] = others[still]
        return q

    def promising(self, q: Array, J: Array) -> Array:
        """The numbers of those (n, nq) to be stored, by their Jacobians (n, m, k).

        From a singular posture, or one at the limits of its joints, there is no good way to most targets: the largest
        are taken of √det(J Jᵀ) times how far from its limits each joint is, x (1 − x) of its range by the square root.
        """
        sizes = np.linalg.svd(J, compute_uv=False)
        low, high = (x[self.moving] for x in self.limits)
        bound = np.isfinite(high - low) & (high > low)
        x = (q[:, self.moving][:, bound] - low[bound]) / (high - low)[bound]
        worth = np.log(sizes + LEAST).sum(axis=1) + 0.5 * np.log(x * (1.0 - x) + LEAST).sum(axis=1)
        return np.argsort(-worth, kind="stable")[:STORED]

    def draw(self, k: Any) -> Array:
        """The k-th draw of the moving coordinates (n,)."""
        model, moving = self.model, self.moving
        uniform = _fractions(len(moving), k)
        middle, half = 0.5 * self.high[moving] + 0.5 * self.low[moving], self.high[moving] - self.low[moving]
        entries = list(middle + half * (uniform - 0.5))
        places = {place: at for at, place in enumerate(moving.tolist())}
        for start in model.quaternion_starts:
            if start in places:
                at = places[start]
                entries[at : at + 4] = _rotation(*uniform[at : at + 3])
        return np.stack(entries)


def likenesses(tasks: Sequence[Task], values: Sequence[Array], length: float) -> Array:
    """Return factors (n, k + 1) that give the distance of a target from values (n, …); the last are constants."""
    factors, constants = [], np.zeros(len(values[0]))
    for task, some in zip(tasks, values, strict=True):
        factor, constant = task.postures(some, length)
        factors.append(task.weight * factor)
        constants += task.weight * constant
    return np.concatenate([*factors, constants[:, None]], axis=1)


def nearest(table: Array, factors: Array, likeness: Array) -> Array:
    """The row of the table whose factors make the sum of products with the likeness (k,), and the constant, least."""
    if not factors[:, :-1].any():
        return table[0]

    def scan(k: Any, least: Any, place: Any) -> tuple[Any, Any]:
        row = take(factors, k)
        far = row[:-1] @ likeness + row[-1]
        return where(far < least, far, least), where(far < least, k, place)

    _, place = repeat(len(table), scan, 1e300, 0.0)
    return take(table, place)


def _fractions(n: int, k: Any) -> Array:
    """k α modulo 1 (n,)."""
    ratio = 2.0
    for _ in range(60):
        ratio = (1.0 + ratio) ** (1.0 / (n + 1))
    x = [k * ratio ** -(i + 1.0) for i in range(n)]
    return np.stack([one - np.floor(one) for one in x])


def _rotation(a: Any, b: Any, c: Any) -> list[Any]:
    """The unit quaternion of three numbers in [0, 1), uniform over rotations as they are (Shoemake 1992)."""
    turn = 2.0 * np.pi
    s, r = np.sqrt(1.0 - a), np.sqrt(a)
    return [s * np.sin(turn * b), s * np.cos(turn * b), r * np.sin(turn * c), r * np.cos(turn * c)]
