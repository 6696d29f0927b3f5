"""Where to start: postures that are stored, of which the most alike is taken, and draws without end.

The draws are a Kronecker sequence, k α modulo 1 with the powers of the generalised golden ratio as α (Roberts 2018).
They fill the box of the coordinates evenly, and cost a few operations where random numbers would be a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.inverse_kinematics.tasks import Task
from linkwright.model.joint_type import samples
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.repeats import repeat
from linkwright.spatial.tables import take

STORED = 32
"""postures"""

SPAN = 2.0
"""How far slides without limits are tried, of the mechanism's length."""


class Starts:
    """Starts of the coordinates that move (n of nq), between bounds; those without bounds within their reach."""

    def __init__(self, model: Model, moving: Array, limits: bool = True):
        reach = np.concatenate([np.zeros(0), *(joint.motion.reach for joint in model.joints if joint.nq)])
        reach = np.where(reach == 1.0, SPAN * scale_of(model).length, reach)  # of quaternions it is not used
        low, high = (x if limits else np.full(model.nq, s * np.inf) for x, s in ((model.lower, -1), (model.upper, 1)))
        self.model, self.moving, self.reach, self.limits = model, moving, reach, (low, high)
        self.low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0 * reach, -reach))
        self.high = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low + 2.0 * reach, reach))

    def stored(self, tasks: Sequence[Task], others: Array) -> tuple[Array, Array]:
        """Postures (n, moving) and factors (n, k + 1) of how far a target is from them; the last one a constant."""
        model, generator = self.model, np.random.default_rng(0)
        q = samples(generator, *self.limits, self.reach, model.quaternion_starts, (STORED,))
        still = np.setdiff1d(np.arange(model.nq), self.moving)
        q[:, still] = others[still]
        factors, constants = [np.zeros((STORED, 0))], np.zeros(STORED)
        for task in tasks:
            values = np.array([task.value(model, row) for row in q])
            factor, constant = task.postures(values, scale_of(model).length)
            factors.append(task.weight * factor)
            constants += task.weight * constant
        return q[:, self.moving], np.concatenate([*factors, constants[:, None]], axis=1)

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
