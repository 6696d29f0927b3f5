"""Motions along paths, and how fast they are where on the path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.forces.statics import passive_forces
from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.files import write_figure
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.loops.repeats import repeat
from linkwright.trajectories.timing.grid import Limits
from linkwright.trajectories.timing.limits import SCHEMES, Limited, damped, path_lines
from linkwright.trajectories.timing.speed_profile import FASTEST, reachable
from linkwright.trajectories.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REST = 1e-3
"""Share of the largest speed below which damping is not linearized about it."""

AGAIN = 8
"""Times that damping is made linear about the greatest speed that was found."""


class TimeOptimal(Trajectory):
    """Time-optimal trajectory along a path, with its speed profile.

    The path speed ṡ changes between grid points with constant s̈. Created by :func:`time_optimal`.

    Parameters
    ----------
    model : Model
        Mechanism.
    times, q, coefficients : array_like
        As for :class:`Trajectory`.
    limits : mapping, optional
        Limits of the plan, for plots.
    """

    path: Trajectory
    """whose parameter s stands in place of time"""
    s: Array
    """(…, N + 1), the grid"""
    speed: Array
    """(…, N + 1), ṡ at its points, 1/s"""
    allowed: dict[str, Array]
    """"velocity", "acceleration" and "effort", (…, nv) each, infinite where not limited"""

    def __getitem__(self, index: Any) -> Trajectory:
        """One motion of a batch, or several of them."""
        one = super().__getitem__(index)
        allowed = {kind: x[index] for kind, x in self.allowed.items()}
        return along(one, self.path[index], self.s[index], self.speed[index], allowed)

    def shifted(self, by: float) -> TimeOptimal:
        """Return the trajectory shifted in time.

        Parameters
        ----------
        by : float
            Time, s, added to all times.

        Returns
        -------
        TimeOptimal
            The trajectory.
        """
        return along(super().shifted(by), self.path, self.s, self.speed, self.allowed)

    def retimed(self, duration: ArrayLike) -> TimeOptimal:
        """Return the same path with another duration; the result is no longer time-optimal.

        Parameters
        ----------
        duration : float or array_like, shape (...)
            Duration, s.

        Returns
        -------
        TimeOptimal
            The trajectory.
        """
        made = super().retimed(duration)
        rate = np.asarray(self.duration / np.asarray(made.duration))
        return along(made, self.path, self.s, self.speed * rate[..., None], self.allowed)

    def _kept(self) -> dict[str, Array]:
        own = {"s": self.s, "speed": self.speed} | {f"allowed_{kind}": x for kind, x in self.allowed.items()}
        path = self.path
        return own | {"path_times": path.times, "path_q": path.q, "path_coefficients": path.coefficients}

    def efforts(self, t: ArrayLike) -> Array:
        """Compute the joint efforts along the trajectory: inverse dynamics, springs and friction.

        Parameters
        ----------
        t : array_like, shape (...)
            Times, s.

        Returns
        -------
        ndarray, shape (..., *batch, nv)
            Efforts.
        """
        return efforts_of(self.model)(*self(t))  # type: ignore[no-any-return]

    def speed_limits(self) -> Array:
        """Return the largest feasible path speed at each grid point but the last.

        Returns
        -------
        ndarray, shape (..., N)
            Speeds, 1/s.
        """
        batch, model = self.batch, self.model
        path = each_of(self.path, batch)
        limits = Limits(*(1.0 / x.reshape(-1, model.nv) for x in self.allowed.values()))
        s = self.s.reshape(-1, self.s.shape[-1])
        if not len(s):
            return np.zeros((*batch, s.shape[1] - 1))
        piece = np.searchsorted(path.times[0], (s[0, 1:] + s[0, :-1]) / 2.0, side="right") - 1
        kernel = _possible(model, path.degree, limited_of(limits))
        pieces = (path.q[:, piece], path.coefficients[:, piece], s[:, :-1] - path.times[:, piece], np.diff(s))
        speed = self.speed.reshape(len(s), -1)
        about = np.maximum(speed, REST * speed.max(axis=1, keepdims=True))[:, :-1] ** 2
        most = kernel(*pieces, about, *(x[:, None] for x in limits))
        return np.sqrt(np.maximum(most, 0.0)).reshape(*batch, -1)  # type: ignore[no-any-return]

    def plot_speed(self, path: str | Path | None = None) -> Figure:
        """Plot the speed profile below its limit, and efforts relative to their limits.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.trajectories.timing.pictures import plot_path_speed

        self._one("plotted")
        figure = plot_path_speed(self)
        if path is not None:
            write_figure(path, figure)
        return figure


def kept_along(motion: Trajectory, arrays: dict[str, Array]) -> Trajectory:
    """A motion with what :class:`TimeOptimal` keeps in files, if it is there."""
    if "path_times" not in arrays:
        return motion
    path = Trajectory(motion.model, *(arrays[f"path_{name}"] for name in ("times", "q", "coefficients")))
    allowed = {kind: arrays[f"allowed_{kind}"] for kind in ("velocity", "acceleration", "effort")}
    return along(motion, path, arrays["s"], arrays["speed"], allowed)


def along(motion: Trajectory, path: Trajectory, s: Array, speed: Array, allowed: dict[str, Array]) -> TimeOptimal:
    """A motion as the fastest along its path."""
    made = object.__new__(TimeOptimal)
    made.__dict__.update(motion.__dict__)
    made.path, made.s, made.speed, made.allowed = path, s, speed, allowed
    made.limits = {} if made.batch else {kind: allowed[kind] for kind in ("velocity", "acceleration")}
    return made


def each_of(path: Trajectory, batch: tuple[int, ...]) -> Trajectory:
    """The path of every problem, in a batch of one axis."""
    arrays = (path.times, path.q, path.coefficients)
    full = (np.broadcast_to(x, batch + x.shape[len(path.batch) :]) for x in arrays)
    return path._like(*(x.reshape(-1, *x.shape[len(batch) :]) for x in full))


def limited_of(limits: Limits) -> Limited:
    """Which coordinates have limits of acceleration and effort in some problem."""
    return Limited(*(tuple(np.flatnonzero(x.any(axis=0)).tolist()) for x in limits[1:]))


def _possible(model: Model, degree: int, limited: Limited) -> Callable[..., Any]:
    """The kernel of the greatest x with which an interval can be begun, whatever comes later."""

    def of_one(
        model: Model,
        q: Array,
        coefficients: Array,
        s: Any,
        span: Any,
        about: Any,
        velocity: Array,
        acceleration: Array,
        effort: Array,
    ) -> Any:
        piece, limits = (q, coefficients, s, span, 1.0), (velocity, acceleration, effort)

        def again(x: Any) -> Any:
            return reachable(path_lines(model, SCHEMES["hull"], limited, *piece, (x, x), *limits), 0.0, FASTEST)[1]

        return repeat(AGAIN if damped(model) else 1, lambda k, x: again(x), about)

    n = (model.nv,)
    shapes = {"q": (model.nq,), "coefficients": (degree + 1, model.nv), "s": (), "span": (), "about": ()}
    shapes |= {"velocity": n, "acceleration": n, "effort": n}
    return derived(model, _possible, degree, limited, make=lambda: compile_or_not(of_one, model, **shapes))


def exerted(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Return the joint efforts (nv,): inverse dynamics, springs and friction."""
    return inverse_dynamics(model, q, v, a) - passive_forces(model, q, v)


def efforts_of(model: Model) -> Callable[..., Any]:
    """The kernel of :func:`exerted`."""
    shapes = {"q": (model.nq,), "v": (model.nv,), "a": (model.nv,)}
    return derived(model, exerted, make=lambda: compile_or_not(exerted, model, **shapes))
