"""What a rollout gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.model.tree import Model
from linkwright.simulation.acting.laws import joined
from linkwright.simulation.stepping.many import Layout
from linkwright.spatial.arrays import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Rollout:
    """Motions of a batch, and what is needed to go on with them: ``rollout(model, this, None, steps)``."""

    model: Model
    t: Array
    """(kept,), s, of what is kept: since the first start, not since a motion began again"""
    q: Array
    """(kept, …, nq); where it is not kept the end alone, (1, …, nq)"""
    v: Array
    """(kept, …, nv)"""
    tau: Array | None = None
    """(kept, …, nv), the efforts of the step before, where they are kept"""
    rewards: Array | None = None
    """(kept, …), the sums of rewards since the one before, where they are kept"""
    law_states: Array | None = None
    """(kept, …, size), of the law one after the other, where they are kept: see ``state``"""
    step: float = 0.0
    """s"""
    shapes: Any = None
    """how the law's state is put together"""
    start: tuple[Array, Array] = field(default=(np.zeros(0), np.zeros(0)), repr=False)
    """where motions began"""
    taken: int = 0
    """steps of all, since the first start"""
    end: tuple[Array, Array, Array] = field(default=(np.zeros(0), np.zeros(0), np.zeros(0)), repr=False)
    """(q, v, rest): with what motions go on"""
    layout: Layout = field(default=Layout(()), repr=False)
    """of the rest"""

    def _piece(self, name: str) -> Array | None:
        place = self.layout.places.get(name)
        return None if place is None else self.end[2][..., place]

    @property
    def reward(self) -> Array | None:
        """(…,), the sum of all rewards, each times the discount to the power of its step; None without one."""
        total = self._piece("total")
        return None if total is None else total[..., 0]

    @property
    def steps(self) -> Array:
        """(…,) whole numbers: steps that each motion has taken since it began, or began again."""
        step = self._piece("step")
        assert step is not None
        steps: Array = step[..., 0].astype(int)
        return steps

    @property
    def alive(self) -> Array:
        """(…,) truth values: which motions go on, being neither ended nor grown beyond all numbers."""
        q, v, _ = self.end
        finite = np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
        told = self._piece("alive")
        alive: Array = finite if told is None else finite & (told[..., 0] > 0.5)
        return alive

    @property
    def episodes(self) -> Array | None:
        """(…,) whole numbers: how often each motion has ended and begun again; None without ``reset``."""
        told = self._piece("episodes")
        return None if told is None else told[..., 0].astype(int)

    @property
    def state(self) -> Any:
        """State of the controller at the end, structured as its initial state: arrays (…, *shape), or None."""
        own = self._piece("law")
        return None if own is None or self.shapes is None else joined(self.shapes, own)

    @property
    def states(self) -> Any:
        """The law's states that are kept, arrays (kept, …, *shape); None where they are not."""
        return None if self.law_states is None or self.shapes is None else joined(self.shapes, self.law_states)
