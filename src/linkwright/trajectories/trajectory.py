"""A planned motion: where a mechanism is to be, how fast and how accelerated, at every time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import positive
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownMotionError, counted, is_choice
from linkwright.files import write_figure
from linkwright.geometry.distances import PairNames
from linkwright.model.parts.shape import Shape
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic
from linkwright.spatial.values import ValueList
from linkwright.trajectories.evaluation import mover, padded, pieces, read
from linkwright.trajectories.smallest_distance import SmallestDistance, smallest_distance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAP = 1e-6
"""m or rad: how far apart the end of a piece and the beginning of the next may be (of coordinates above 1, as part)."""

MOST_SAMPLES = 10_000_000
"""largest number of samples of a call: larger requests, with a step that is too short by mistake, raise an error"""

KINDS = ("velocity", "acceleration", "jerk")

_integrate, _difference = public(dynamics.integrate), public(dynamics.difference)


class TrajectorySample(NamedTuple):
    """Values of a trajectory at one or several times.

    Parameters
    ----------
    q : ndarray, shape (..., *batch, nq)
        Configurations.
    v, a, jerk : ndarray, shape (..., *batch, nv)
        Velocities, accelerations and jerks.
    """

    q: Array
    """(…, nq)"""
    v: Array
    """(…, nv), in the model's convention: of rotations in body axes"""
    a: Array
    """(…, nv), the rate of v"""
    jerk: Array
    """(…, nv), the rate of a"""


class Trajectory:
    """Piecewise polynomial trajectory, q(t) = q_i ⊕ Exp(Σ c_k (t − t_i)^k).

    This works for every joint type; for plain coordinates it is a polynomial of time. A call with a time, a number or a
    symbol, returns (q, v, a), so that the trajectory is a ``reference`` of controllers. It rests before its beginning
    and after its end.

    Parameters
    ----------
    model : Model
        Mechanism.
    times : array_like, shape (..., pieces + 1)
        Times, s, not decreasing. Leading dimensions are a batch of trajectories.
    q : array_like, shape (..., pieces, nq) or (..., nq)
        Configurations at the beginning of each piece, or of the first; then each piece begins where the previous ends.
    coefficients : array_like, shape (..., pieces, degree + 1, nv)
        Coefficients, lowest power first.
    limits : mapping, optional
        Limits of the plan, for plots: "velocity", "acceleration" and "jerk", each (nv,).

    Raises
    ------
    ShapeError
        If arrays do not match.
    InputError
        If a number is not finite, times decrease, or pieces are not continuous.
    """

    @takes_model
    def __init__(
        self,
        model: Model,
        times: ArrayLike,
        q: ArrayLike,
        coefficients: ArrayLike,
        *,
        limits: Mapping[str, Any] | None = None,
    ):
        self.model = model
        c = finite("coefficients", coefficients)
        if c.ndim < 3 or c.shape[-1] != model.nv or 0 in c.shape[-3:-1]:
            raise ShapeError(
                f"coefficients have shape {c.shape}; expected (…, pieces, degree + 1, {model.nv}) for {model.name!r}"
            )
        batch, n = c.shape[:-3], c.shape[-3]
        self.times = broadcast("times", finite("times", times), (*batch, n + 1))
        """(…, pieces + 1), s: when pieces begin, and when the last one ends"""
        self.coefficients = c
        """(…, pieces, degree + 1, nv), by powers of the time since the piece began"""
        if not (np.diff(self.times) >= 0.0).all():
            raise InputError("times do not decrease from each piece to the next; here some do")
        q = finite("q", q)
        each = q.shape[-2:] == (n, model.nq) and q.ndim == len(batch) + 2
        self.q = broadcast("q", q, (*batch, n, model.nq)) if each else self._chained(q, batch, n)
        """(…, pieces, nq), from which pieces are counted: where they begin, but for the constant coefficients"""
        dynamics.check(model, self.q)
        if each or c[..., 1:, 0, :].any():
            self._meet()
        self.limits = _limits(model, limits)
        """what it was planned for: "velocity", "acceleration", "jerk", each (nv,), of those that were given"""

    def _chained(self, q: Array, batch: tuple[int, ...], n: int) -> Array:
        at = broadcast("q", q, (*batch, self.model.nq))
        found = [at]
        for k in range(n - 1):
            at = self._ended(at, k)
            found.append(at)
        return np.stack(found, axis=-2)

    def _ended(self, q: Array, k: int) -> Array:
        """Return the end of piece k, which begins at q."""
        span = (self.times[..., k + 1] - self.times[..., k])[..., None]
        u = np.zeros(1)
        for c in np.moveaxis(self.coefficients[..., k, :, :], -2, 0)[::-1]:
            u = u * span + c
        ended: Array = _integrate(self.model, q, u)
        return ended

    def _began(self, k: int) -> Array:
        """Return the beginning of piece k."""
        began: Array = _integrate(self.model, self.q[..., k, :], self.coefficients[..., k, 0, :])
        return began

    def _meet(self) -> None:
        for k in range(self.times.shape[-1] - 2):
            gap = np.abs(_difference(self.model, self._ended(self.q[..., k, :], k), self._began(k + 1)))
            if (worst := gap.max(initial=0.0)) > GAP * max(1.0, np.abs(self.q).max(initial=0.0)):
                raise InputError(
                    f"piece {k} ends {worst:.3g} (m or rad) from where the next begins: pieces meet; give q (…, nq), "
                    "where the first begins, and each begins where the one before has ended"
                )

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of a batch of trajectories; () of one."""
        return self.times.shape[:-1]

    @property
    def degree(self) -> int:
        """Degree of the polynomials."""
        return self.coefficients.shape[-2] - 1

    @property
    def duration(self) -> Any:
        """Duration, s; (…,) for a batch."""
        span = self.times[..., -1] - self.times[..., 0]
        return span if self.batch else float(span)

    @property
    def start(self) -> Array:
        """Configuration (…, nq) at the beginning."""
        return self._began(0)

    @property
    def end(self) -> Array:
        """Configuration (…, nq) at the end."""
        return self._ended(self.q[..., -1, :], self.times.shape[-1] - 2)

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return (q, v, a) at one time, s, or at times (n,): arrays (n, b, nq) and (n, b, nv) for a batch (b,).

        A symbol, in a compiled function, gives symbols.
        """
        if t is None or not is_symbolic(t):
            found = self.at(t)
            return found.q, found.v, found.a
        if self.batch:
            raise ShapeError(
                f"this is a batch {self.batch} of trajectories: take one, trajectory[0], or give each motion its own: "
                "Actuation(each=['reference'])"
            )
        if np.ndim(t):
            raise ShapeError(f"a trajectory is read at one symbolic time; got shape {np.shape(t)}")
        t = np.asarray(t)[()]
        return read(self.model, t, padded(self.times), self.times[-1], self.q, self.coefficients)

    def at(self, t: ArrayLike) -> TrajectorySample:
        """Evaluate positions, velocities, accelerations and jerks.

        Parameters
        ----------
        t : array_like, shape (...)
            Times, s.

        Returns
        -------
        TrajectorySample
            Values, each of shape (..., *batch, nq or nv).
        """
        t = as_numbers("t", t)
        if np.isnan(t).any():
            raise InputError(
                f"t must not be NaN: expected one time or an array of times, in s; got {t.tolist()!r:.200}"
            )
        begin, end = self.times[..., 0], self.times[..., -1]
        whole = t.reshape(t.shape + (1,) * len(self.batch))
        inside = np.clip(whole, begin, end)
        k = pieces(padded(self.times), inside)
        own = tuple(np.indices(self.batch, sparse=True))  # of each trajectory its own piece
        s = inside - self.times[(*own, k)]
        q, *rates = mover(self.model, self.degree)(self.q[(*own, k)], self.coefficients[(*own, k)], s)
        resting = ((whole < begin) | (whole > end))[..., None]
        return TrajectorySample(q, *(np.where(resting, 0.0, x) for x in rates))

    def sample(self, step: float) -> tuple[Array, Array, Array, Array]:
        """Sample the trajectory at equal steps.

        Parameters
        ----------
        step : float
            Step, s. The end is always included.

        Returns
        -------
        t : ndarray, shape (n,)
            Times, s.
        q : ndarray, shape (n, ..., nq)
            Configurations.
        v, a : ndarray, shape (n, ..., nv)
            Velocities and accelerations.
        """
        t = sampled(self.times, step)
        return t, *self(t)

    def smallest_distance(
        self,
        pairs: PairNames | None = None,
        *,
        obstacles: Sequence[Shape] = (),
        obstacle_poses: Any = None,
        points: ArrayLike | None = None,
        point_radius: float = 0.0,
    ) -> SmallestDistance:
        """Compute the smallest distance of the mechanism's shapes, and of obstacles, during the trajectory.

        The distances are computed at 512 times and at the ends of the pieces. The eight lowest local minima are refined
        to about 1e-6 of the duration.

        Parameters
        ----------
        pairs : sequence of tuple of str, optional
            Pairs of names of links, shapes or obstacles, as in :func:`linkwright.distances`.
        obstacles : sequence of Shape, optional
            Shapes of the body "world".
        obstacle_poses : array_like, shape (obstacles, 4, 4), or callable, optional
            Poses of the obstacles, or a function of times (n,) that returns them, (n, obstacles, 4, 4). By default the
            placements of the shapes.
        points : array_like, shape (n, 3), optional
            Point cloud at rest in the world, m: the obstacle "points".
        point_radius : float, optional
            Radius of the balls at the points, m.

        Returns
        -------
        SmallestDistance
            Distance, time, pair, configuration and nearest points.
        """
        self._one("measured")
        return smallest_distance(self, pairs, obstacles, obstacle_poses, points, point_radius)

    def as_values(self) -> ValueList:
        """Return the numbers of the trajectory and a function of them, so that another trajectory needs no compilation.

        Returns
        -------
        ValueList
            Numbers and function.
        """
        model = self.model

        def make(starts: Array, end: Any, q: Array, coefficients: Array) -> Any:
            return lambda t: read(model, t, starts, end, q, coefficients)

        arrays = {
            "starts": padded(self.times),
            "end": self.times[..., -1],
            "q": self.q,
            "coefficients": self.coefficients,
        }
        return ValueList((Trajectory, model), arrays, self.batch, make)

    # others made of it

    def __getitem__(self, index: Any) -> Trajectory:
        """One trajectory of a batch, or several of them."""
        index = index if isinstance(index, tuple) else (index,)
        try:
            if not self.batch or any(isinstance(k, bool) or k is Ellipsis or k is None for k in index):
                raise IndexError
            np.empty(self.batch)[index]
        except (IndexError, TypeError):
            raise UnknownMotionError(index, self.batch) from None
        return self._like(self.times[index], self.q[index], self.coefficients[index])

    def shifted(self, by: float) -> Trajectory:
        """Return the trajectory shifted in time.

        Parameters
        ----------
        by : float
            Time, s, added to all times.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        return self._like(self.times + number("by", by), self.q, self.coefficients)

    def retimed(self, duration: ArrayLike) -> Trajectory:
        """Return the same path with another duration, uniformly slower or faster.

        Parameters
        ----------
        duration : float or array_like, shape (...)
            Duration, s.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        wanted = broadcast("duration", finite("duration", duration), self.batch)
        if not (wanted > 0.0).all():
            raise InputError(f"duration is above 0, s; got {duration!r}")
        if not np.all(self.duration):
            raise InputError("a trajectory that takes no time cannot be made to take some")
        times, rate = stretched(self.times, wanted)
        powers = rate[..., None, None] ** np.arange(self.degree + 1)
        return self._like(times, self.q, self.coefficients * powers[..., None])

    def reversed(self) -> Trajectory:
        """Return the path in reverse, with the same duration.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        first, last = self.times[..., :1], self.times[..., -1:]
        turned = backwards(self.coefficients, np.diff(self.times))
        return self._like((first + last - self.times)[..., ::-1], self.q[..., ::-1, :], turned)

    def then(self, other: Trajectory) -> Trajectory:
        """Return this trajectory followed by another one.

        Parameters
        ----------
        other : Trajectory
            Trajectory that starts at the end of this one.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        if not isinstance(other, Trajectory) or other.model is not self.model:
            raise ArgumentError(f"then: expected a Trajectory of the same model; got {other!r}")
        if other.batch != self.batch:
            raise ShapeError(f"then: this is a batch {self.batch} of trajectories, the other {other.batch}")
        gap = np.abs(_difference(self.model, self.end, other.start))
        if (worst := gap.max(initial=0.0)) > GAP * max(1.0, np.abs(self.q).max(initial=0.0)):
            raise InputError(f"the other trajectory begins {worst:.3g} (m or rad) from where this one ends")
        n = max(self.degree, other.degree) + 1
        c = [_raised(x.coefficients, n) for x in (self, other)]
        shift = self.times[..., -1:] - other.times[..., :1]
        return self._like(
            np.concatenate([self.times, other.times[..., 1:] + shift], axis=-1),
            np.concatenate([self.q, other.q], axis=-2),
            np.concatenate(c, axis=-3),
        )

    def _kept(self) -> dict[str, Array]:
        """Return the data of a file in addition to the polynomials."""
        return {}

    def _like(self, times: Array, q: Array, coefficients: Array) -> Trajectory:
        return Trajectory.of(self.model, times, q, coefficients, self.limits)

    @staticmethod
    def of(model: Model, times: Array, q: Array, coefficients: Array, limits: dict[str, Array]) -> Trajectory:
        """Return a trajectory from consistent arrays, without checks.

        Parameters
        ----------
        model : Model
            Mechanism.
        times, q, coefficients : ndarray
            As for the class.
        limits : dict
            As for the class.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        made = object.__new__(Trajectory)
        made.model, made.times, made.q, made.coefficients, made.limits = model, times, q, coefficients, limits
        return made

    # pictures and files

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot positions, velocities, accelerations and jerks over time, with limits.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.trajectories.pictures import plot_trajectory

        self._one("plotted")
        figure = plot_trajectory(self)
        if path is not None:
            write_figure(path, figure)
        return figure

    def save(self, path: str | Path, step: float | None = None) -> Path:
        """Write the trajectory to a file.

        Parameters
        ----------
        path : str or Path
            File ``.npz`` (complete) or ``.csv`` (samples).
        step : float, optional
            Step of the samples, s, for ``.csv``.

        Returns
        -------
        Path
            The file.
        """
        from linkwright.trajectories.files import save

        return save(self, path, step)

    @staticmethod
    def load(path: str | Path, model: Model) -> Trajectory:
        """Read a trajectory from a file written by :meth:`save` as ``.npz``.

        Parameters
        ----------
        path : str or Path
            File.
        model : Model
            Mechanism of the trajectory.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        from linkwright.trajectories.files import load

        return load(path, model)

    def _one(self, what: str) -> None:
        if self.batch:
            raise ShapeError(f"this is a batch {self.batch} of trajectories; one is {what}: trajectory[0]")

    def __repr__(self) -> str:
        n = self.times.shape[-1] - 1
        what = f"{counted(n, 'piece')} of degree {self.degree}"
        if self.batch:
            d = np.asarray(self.duration)
            span = f"{d.min():.4g} to {d.max():.4g} s" if d.size else "none"
            return f"<Trajectory of {self.model.name!r}: batch {self.batch}, {what}, {span}>"
        return f"<Trajectory of {self.model.name!r}: {self.duration:.6g} s, {what}>"


def _raised(c: Array, n: int) -> Array:
    """Return coefficients, padded with zeros to a number of powers."""
    return np.concatenate([c, np.zeros((*c.shape[:-2], n - c.shape[-2], c.shape[-1]))], axis=-2)


def finite(name: str, x: Any) -> Array:
    """Numbers, all of them finite."""
    x = as_numbers(name, x)
    if not np.isfinite(x).all():
        place = [int(i) for i in np.argwhere(~np.isfinite(x))[0]]
        raise InputError(f"{name} is not finite: {float(x[tuple(place)])} at {place}")
    return x


def number(name: str, x: Any) -> float:
    """One finite number."""
    x = finite(name, x)
    if x.shape:
        raise ShapeError(f"{name} is one number; got shape {x.shape}")
    return float(x)


def stretched(times: Array, duration: Array) -> tuple[Array, Array]:
    """Times (…, n + 1) from the same beginning on in another duration (…,), and how much faster it goes (…,)."""
    rate = (times[..., -1] - times[..., 0]) / duration
    return times[..., :1] + (times - times[..., :1]) / rate[..., None], rate


def backwards(c: Array, spans: Array) -> Array:
    """Coefficients (…, pieces, degree + 1, n) of pieces that last so long (…, pieces), passed from the end on."""
    spans, turned = spans[..., None], np.zeros_like(c)
    for k in range(c.shape[-2]):  # (T − s)^k, by its powers of s
        for j in range(k + 1):
            turned[..., j, :] += c[..., k, :] * (math.comb(k, j) * (-1.0) ** j) * spans ** (k - j)
    return turned[..., ::-1, :, :]


def sampled(times: Array, step: Any) -> Array:
    """Every ``step`` seconds from the first of the times (…, n) to the last, which is among them; of none, none."""
    positive("step", step, "s")
    if not times.size:
        return np.zeros(0)
    begin, end = float(times.min()), float(times.max())
    count = (end - begin) / step
    if count > MOST_SAMPLES:
        raise InputError(
            f"a step of {step:.4g} s makes {count:.4g} samples of {end - begin:.4g} s; at most {MOST_SAMPLES} are made "
            "at once: take a longer one"
        )
    return np.append(begin + step * np.arange(math.ceil(count - 1e-9)), end)


def broadcast(name: str, x: Array, shape: tuple[int, ...]) -> Array:
    """An array of this shape, whose leading dimensions may be fewer."""
    try:
        if x.shape and x.shape[-1:] != shape[-1:]:
            raise ValueError
        return np.array(np.broadcast_to(x, shape))
    except ValueError:
        raise ShapeError(f"{name} has shape {x.shape}; expected {shape}") from None


def _limits(model: Model, limits: Mapping[str, Any] | None) -> dict[str, Array]:
    found = {}
    for kind, x in (limits or {}).items():
        if not is_choice(kind, KINDS):
            raise ArgumentError(f"limits are of {', '.join(KINDS)}; got {kind!r}")
        if x is not None:
            found[kind] = (
                broadcast(f"the limit of {kind}", as_numbers(kind, x), (model.nv,))
                if np.ndim(x)
                else (np.full(model.nv, float(as_numbers(kind, x))))
            )
    return found
