"""Result of a rollout."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import activations_in, unflatten_state
from linkwright.simulation.integrators.step_kernels import StateLayout
from linkwright.spatial.arrays import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Rollout:
    """Motions of a batch, and their carried state: ``rollout(model, this, None, steps)`` continues them."""

    model: Model
    """mechanism"""
    t: Array
    """(kept,), s, times of samples since the first start"""
    q: Array
    """(kept, …, nq); without ``keep`` the end alone, (1, …, nq)"""
    v: Array
    """(kept, …, nv)"""
    tau: Array | None = None
    """(kept, …, nv), efforts of the previous step, if recorded"""
    rewards: Array | None = None
    """(kept, …), sums of rewards since the previous sample, if recorded"""
    controller_states: Array | None = None
    """(kept, …, size), packed states of the controller, if recorded: see ``state``"""
    step: float = 0.0
    """s"""
    shapes: Any = None
    """structure of the state of the controller"""
    activation_count: int = 0
    """number of activations of actuators, the end of the packed states"""
    start: tuple[Array, Array] = field(default=(np.zeros(0), np.zeros(0)), repr=False)
    """initial q and v"""
    taken: int = 0
    """number of steps since the first start"""
    end: tuple[Array, Array, Array] = field(default=(np.zeros(0), np.zeros(0), np.zeros(0)), repr=False)
    """(q, v, rest) at the end"""
    layout: StateLayout = field(default=StateLayout(()), repr=False)
    """layout of the rest"""

    def _piece(self, name: str) -> Array | None:
        place = self.layout.places.get(name)
        return None if place is None else self.end[2][..., place]

    @property
    def reward(self) -> Array | None:
        """Sum of all rewards (…,), each multiplied by the discount to the power of its step; None without a reward."""
        total = self._piece("total")
        return None if total is None else total[..., 0]

    @property
    def steps(self) -> Array:
        """Number of steps (…,) of each motion since its last start."""
        step = self._piece("step")
        assert step is not None
        steps: Array = step[..., 0].astype(int)
        return steps

    @property
    def alive(self) -> Array:
        """Which motions (…,) have neither ended nor diverged."""
        q, v, _ = self.end
        finite = np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
        piece = self._piece("alive")
        alive: Array = finite if piece is None else finite & (piece[..., 0] > 0.5)
        return alive

    @property
    def episodes(self) -> Array | None:
        """Number of episodes (…,) that have ended; None without ``reset``."""
        piece = self._piece("episodes")
        return None if piece is None else piece[..., 0].astype(int)

    @property
    def state(self) -> Any:
        """State of the controller at the end, structured as its initial state: arrays (…, *shape), or None."""
        own = self._piece("law")
        return None if own is None or self.shapes is None else unflatten_state(self.shapes, own)

    @property
    def activations(self) -> Array | None:
        """Activations of actuators at the end, (…, na); None without."""
        return activations_in(self._piece("law"), self.activation_count)

    @property
    def states(self) -> Any:
        """Recorded states of the controller, arrays (kept, …, *shape); None if not recorded."""
        return (
            None
            if self.controller_states is None or self.shapes is None
            else unflatten_state(self.shapes, self.controller_states)
        )
