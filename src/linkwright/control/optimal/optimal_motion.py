"""The result of trajectory optimization, and the controller that tracks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics import difference, integrate
from linkwright.errors import ArgumentError, counted
from linkwright.files import write_figure
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, clip
from linkwright.spatial.loops.tables import take
from linkwright.visual.plots import plot_motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@takes_model
def feedback(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    *,
    spacing: float | Array,
    postures: Array,
    velocities: Array,
    efforts: Array,
    gains: Array,
    low: Array,
    high: Array,
) -> Array:
    """Track a planned trajectory: τ = τ̄ + K δ within the limits, δ = (difference(q̄, q), v − v̄).

    After the last node its posture is held, with the last gains.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    spacing : float
        Time between nodes, s.
    postures, velocities : ndarray, shapes (nodes + 1, nq) and (nodes + 1, nv)
        Trajectory, interpolated between the nodes.
    efforts, gains : ndarray, shapes (nodes, nv) and (nodes, nv, 2 nv)
        Efforts τ̄ and gains K, constant between nodes.
    low, high : ndarray, shape (nv,)
        Effort limits.

    Returns
    -------
    ndarray, shape (nv,)
        Efforts.
    """
    nodes = len(efforts)
    k = np.floor(t / spacing + 1e-6)
    share = clip(t / spacing - k, 0.0, 1.0)
    q0, v0 = take(postures, k), take(velocities, k)
    planned = integrate(model, q0, share * difference(model, q0, take(postures, k + 1.0)))
    velocity = v0 + share * (take(velocities, k + 1.0) - v0)
    change = np.concatenate([difference(model, planned, q), v - velocity])
    k = clip(k, 0.0, nodes - 1.0)
    return clip(take(efforts, k) + take(gains, k) @ change, low, high)


@dataclass(frozen=True, eq=False, kw_only=True)
class OptimalMotion:
    """Result of :func:`ilqr`: ``q[k]`` at the time ``t[k]`` of a single trajectory, ``q[row, k]`` of a batch."""

    model: Model
    """mechanism"""
    t: Array
    """(nodes + 1,), s"""
    q: Array
    """(…, nodes + 1, nq)"""
    v: Array
    """(…, nodes + 1, nv)"""
    tau: Array
    """(…, nodes, nv), held from t[k] to t[k + 1]"""
    gains: Array
    """(…, nodes, nv, 2 nv): efforts change by ``gains[k] @ δ`` where the state is δ away; zero rows at a limit"""
    cost: Array
    """(…)"""
    costs: Any
    """of a single motion the costs of the guess and after each iteration, a list; of a batch an array of such lists"""
    expected: Array
    """(…): by how much one more iteration is expected to lower the cost"""
    converged: Array
    """(…) bool"""
    iterations: Array
    """(…)"""
    reason: Any
    """text; of a batch an array of it"""
    step: float
    """s"""
    method: str
    """of integration"""
    low: Array
    """(nv,), −∞ where there is no limit"""
    high: Array
    """(nv,), ∞ where there is no limit"""

    @property
    def controller(self) -> Callable[..., Array]:
        """Controller that tracks the trajectory with feedback, for ``simulate(…, controller=motion.controller)``.

        For a batch, add ``actuation=Actuation(each=motions.each)``.
        """
        return partial(
            feedback,
            spacing=self.step,
            postures=self.q,
            velocities=self.v,
            efforts=self.tau,
            gains=self.gains,
            low=self.low,
            high=self.high,
        )

    @property
    def each(self) -> list[str]:
        """Names of the arguments of :attr:`controller` that differ between the trajectories of a batch."""
        return ["postures", "velocities", "efforts", "gains"] if self.cost.ndim else []

    def __getitem__(self, row: Any) -> OptimalMotion:
        """One motion of a batch, or some."""
        if not self.cost.ndim:
            raise ArgumentError("this is a single motion, no batch of them")
        names = ("q", "v", "tau", "gains", "cost", "expected", "converged", "iterations")
        parts = {name: getattr(self, name)[row] for name in names}
        reason = self.reason[row]
        costs = self.costs[row]
        whole = {name: getattr(self, name) for name in ("model", "t", "step", "method", "low", "high")}
        return OptimalMotion(**whole, **parts, costs=costs, reason=reason)

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """Plot positions, velocities and efforts of a single trajectory over time.

        Parameters
        ----------
        path : str or Path, optional
            File to write the figure to.
        title : str, optional
            Title of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        if self.cost.ndim:
            raise ArgumentError(f"plot one of them, motions[0].plot(); there are {self.cost.shape}")
        tau = np.concatenate([self.tau, self.tau[-1:]])
        figure = plot_motion(self.model, self.t, self.q, self.v, tau=tau, title=title)
        if path is not None:
            write_figure(path, figure)
        return figure

    def __repr__(self) -> str:
        nodes = counted(len(self.t) - 1, "node")
        if self.cost.ndim:
            done = f"{int(self.converged.sum())} of {self.converged.size} converged"
            return f"OptimalMotion({self.model.name!r}, {self.cost.shape}, {nodes} of {self.step:g} s, {done})"
        text = f"cost {float(self.cost):.6g} after {counted(int(self.iterations), 'iteration')}, {self.reason}"
        return f"OptimalMotion({self.model.name!r}, {nodes} of {self.step:g} s, {text})"
