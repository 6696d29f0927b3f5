"""Timed paths of a hand: straight lines and circles, with a rotation about a fixed axis.

A piece of a path is p(s) = p₀ + s d + (cos αs − 1) e₁ + sin αs e₂, R(s) = R₀ Exp(s w); s is a polynomial of time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import finite_number, positive
from linkwright.errors import ArgumentError, InputError, ShapeError, counted, explained
from linkwright.files import write_figure
from linkwright.geometry.checks import TOLERANCE
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, maximum, minimum, where
from linkwright.spatial.loops.tables import take
from linkwright.spatial.rotation import rotation_exp, rotation_log
from linkwright.spatial.transform import pose_matrix
from linkwright.spatial.values import ValueList
from linkwright.trajectories.evaluation import padded, piece, polynomial
from linkwright.trajectories.joint_space.hermite import between
from linkwright.trajectories.joint_space.mixtures import pieces
from linkwright.trajectories.joint_space.s_curves import JERKS, s_curves
from linkwright.trajectories.trajectory import backwards, finite, number, sampled, stretched

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 25
"""numbers of a piece of a path: p₀, d, e₁, e₂ (3 each), α, R₀ (9), w (3)"""

GAP = 1e-9
"""m and rad: how far apart paths may be that are joined"""

STEEP = 10.0
"""rad/m, and m/rad: above this ratio of rotation to length (or length to rotation) both need limits"""


class PoseTrajectory:
    """Trajectory of a frame: a call with a time returns (pose (4, 4), velocity (6,), acceleration (6,)).

    Velocities are [v; ω] in world axes, as of :func:`~linkwright.velocity`. Times are numbers or symbols, so that the
    trajectory is a ``reference`` of :func:`~linkwright.control.operational_space`. It rests before its beginning and
    after its end. Created by :func:`straight`, :func:`circle` and :func:`arc`, and concatenated by :meth:`then`.

    Parameters
    ----------
    times : ndarray, shape (pieces + 1,)
        Times, s.
    s : ndarray, shape (pieces, degree + 1)
        Coefficients of the path parameter of each piece, lowest power first.
    paths : ndarray, shape (pieces, 28)
        Numbers of the path of each piece.
    """

    def __init__(self, times: Array, s: Array, paths: Array):
        self.times = times
        """(pieces + 1,), s"""
        self.s = s
        """(pieces, degree + 1): polynomials of time, the path parameter"""
        self.paths = paths
        """(pieces, 25)"""

    @property
    def duration(self) -> float:
        """Duration, s."""
        return float(self.times[-1] - self.times[0])

    @property
    def start(self) -> Array:
        """Pose (4, 4) at the beginning."""
        return self(self.times[0])[0]

    @property
    def end(self) -> Array:
        """Pose (4, 4) at the end."""
        return self(self.times[-1])[0]

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Return (pose, velocity, acceleration) at one time, s, or at times (…): (…, 4, 4), (…, 6), (…, 6)."""
        if t is None or not is_symbolic(t):
            t = as_numbers("t", t)
            if np.isnan(t).any():
                raise InputError(
                    f"t must not be NaN: expected one time or an array of times, in s; got {t.tolist()!r:.200}"
                )
            if t.ndim:
                rows = [self(x) for x in t.ravel()]
                shapes = ((4, 4), (6,), (6,))
                return tuple(  # type: ignore[return-value]
                    np.reshape([row[k] for row in rows], (*t.shape, *shape)) for k, shape in enumerate(shapes)
                )
        elif np.ndim(t):
            raise ShapeError(f"a trajectory is read at one symbolic time; got shape {np.shape(t)}")
        return _read(np.asarray(t)[()], padded(self.times), self.times[-1], self.s, self.paths)

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
        poses : ndarray, shape (n, 4, 4)
            Poses.
        velocities, accelerations : ndarray, shape (n, 6)
            Velocities and accelerations [v; ω].
        """
        t = sampled(self.times, step)
        return t, *self(t)

    def as_values(self) -> ValueList:
        """Return the numbers of the trajectory and a function of them, so that another trajectory needs no compilation.

        Returns
        -------
        ValueList
            Numbers and function.
        """

        def make(starts: Array, end: Any, s: Array, paths: Array) -> Any:
            return lambda t: _read(t, starts, end, s, paths)

        arrays = {"starts": padded(self.times), "end": self.times[-1], "s": self.s, "paths": self.paths}
        return ValueList(PoseTrajectory, arrays, (), make)

    def shifted(self, by: float) -> PoseTrajectory:
        """Return the trajectory shifted in time.

        Parameters
        ----------
        by : float
            Time, s, added to all times.

        Returns
        -------
        PoseTrajectory
            The trajectory.
        """
        return PoseTrajectory(self.times + number("by", by), self.s, self.paths)

    def retimed(self, duration: float) -> PoseTrajectory:
        """Return the same path with another duration, uniformly slower or faster.

        Parameters
        ----------
        duration : float
            Duration, s.

        Returns
        -------
        PoseTrajectory
            The trajectory.
        """
        times, rate = stretched(self.times, np.asarray(positive("duration", duration, "s")))
        return PoseTrajectory(times, self.s * rate ** np.arange(self.s.shape[1]), self.paths)

    def reversed(self) -> PoseTrajectory:
        """Return the path in reverse, with the same duration.

        Returns
        -------
        PoseTrajectory
            The trajectory.
        """
        s = backwards(self.s[..., None], np.diff(self.times))[..., 0]
        return PoseTrajectory((self.times[0] + self.times[-1] - self.times)[::-1], s, self.paths[::-1])

    def then(self, other: PoseTrajectory) -> PoseTrajectory:
        """Return this trajectory followed by another one.

        Parameters
        ----------
        other : PoseTrajectory
            Trajectory that starts at the end of this one.

        Returns
        -------
        PoseTrajectory
            The trajectory.
        """
        if not isinstance(other, PoseTrajectory):
            raise ArgumentError(f"then: expected a PoseTrajectory; got {other!r}")
        if (gap := np.abs(self.end - other.start).max()) > GAP:
            raise InputError(f"the other trajectory begins {gap:.3g} (m or rad) from where this one ends")
        n = max(self.s.shape[1], other.s.shape[1])
        s = [np.pad(x.s, ((0, 0), (0, n - x.s.shape[1]))) for x in (self, other)]
        later = other.times[1:] - other.times[0] + self.times[-1]
        return PoseTrajectory(
            np.concatenate([self.times, later]), np.concatenate(s), np.concatenate([self.paths, other.paths])
        )

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot the path with axes of the frame, and speeds and accelerations over time.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.trajectories.pictures import plot_poses

        figure = plot_poses(self)
        if path is not None:
            write_figure(path, figure)
        return figure

    def __repr__(self) -> str:
        return f"<PoseTrajectory: {self.duration:.6g} s, {counted(len(self.s), 'piece')}>"


def _read(t: Any, starts: Array, end: Any, s: Array, paths: Array) -> tuple[Array, Array, Array]:
    inside = minimum(maximum(t, starts[0]), end)
    k = piece(starts, inside)
    c, since = take(s, k), inside - take(starts, k)
    moving = where((t >= starts[0]) & (t <= end), 1.0, 0.0)
    x, x1, x2 = (polynomial(c, since, order) for order in range(3))
    x1, x2 = moving * x1, moving * x2
    g = take(paths, k)
    p0, d, e1, e2, a, R0, w = g[:3], g[3:6], g[6:9], g[9:12], g[12], g[13:22].reshape(3, 3), g[22:]
    cosine, sine = np.cos(a * x), np.sin(a * x)
    slope, bend = d + a * (cosine * e2 - sine * e1), (a * a) * (cosine * e1 + sine * e2)
    axis = R0 @ w
    pose = pose_matrix(R0 @ rotation_exp(x * w), p0 + x * d + (cosine - 1.0) * e1 + sine * e2)
    return (
        pose,
        np.concatenate([x1 * slope, x1 * axis]),
        np.concatenate([x2 * slope - (x1 * x1) * bend, x2 * axis]),
    )


@explained
def straight(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    jerk: float | None = None,
    angular_velocity: float | None = None,
    angular_acceleration: float | None = None,
    angular_jerk: float | None = None,
) -> PoseTrajectory:
    """Plan a straight line of a hand from pose to pose, with a rotation about a fixed axis (slerp).

    The hand moves from rest to rest: with a duration by a quintic polynomial, otherwise in the least time within the
    limits by an S-curve.

    Parameters
    ----------
    start : array_like, shape (4, 4)
        Initial pose.
    end : array_like, shape (4, 4) or (3,)
        Final pose, or final position with unchanged orientation.
    duration : float, optional
        Duration, s.
    velocity, acceleration, jerk : float, optional
        Limits along the line, m/s, m/s² and m/s³.
    angular_velocity, angular_acceleration, angular_jerk : float, optional
        Limits of the rotation, rad/s, rad/s² and rad/s³. At least one of both jerks is required without a duration.

    Returns
    -------
    PoseTrajectory
        The trajectory.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> lw.trajectories.straight(np.eye(4), [0.3, 0.0, 0.0], velocity=0.2, acceleration=1.0, jerk=10.0)
    <PoseTrajectory: 1.8 s, 7 pieces>
    """
    T0 = _pose("start", start)
    T1 = _end(T0, end)
    d, w = T1[:3, 3] - T0[:3, 3], rotation_log(T0[:3, :3].T @ T1[:3, :3])
    zero = np.zeros(3)
    return _timed(
        np.concatenate([T0[:3, 3], d, zero, zero, [0.0], T0[:3, :3].reshape(9), w]),
        float(np.linalg.norm(d)),
        float(np.linalg.norm(w)),
        duration,
        (velocity, acceleration, jerk),
        (angular_velocity, angular_acceleration, angular_jerk),
    )


@explained
def circle(
    start: ArrayLike,
    center: ArrayLike,
    axis: ArrayLike,
    angle: float = 2.0 * np.pi,
    duration: float | None = None,
    *,
    turning: bool = False,
    velocity: float | None = None,
    acceleration: float | None = None,
    jerk: float | None = None,
) -> PoseTrajectory:
    """Plan a circle of a hand about an axis.

    The hand moves from rest to rest: with a duration by a quintic polynomial, otherwise in the least time within the
    limits by an S-curve.

    Parameters
    ----------
    start : array_like, shape (4, 4)
        Initial pose.
    center, axis : array_like, shape (3,)
        Point and direction of the axis of the circle.
    angle : float, optional
        Angle, rad; by default a full circle.
    duration : float, optional
        Duration, s.
    turning : bool, optional
        Whether the hand rotates with the circle; by default it keeps its orientation.
    velocity, acceleration, jerk : float, optional
        Limits along the circle, m/s, m/s² and m/s³. The centripetal acceleration v²/r is not limited.

    Returns
    -------
    PoseTrajectory
        The trajectory.
    """
    T0, middle = _pose("start", start), finite("center", center)
    n = finite("axis", axis)
    if middle.shape != (3,) or n.shape != (3,):
        raise ShapeError(f"center and axis have shapes {middle.shape} and {n.shape}; expected (3,)")
    if not (long := float(np.linalg.norm(n))) > 0.0:
        raise InputError("axis has no direction: it is zero")
    n = n / long
    finite_number("angle", angle, "rad")
    e1 = T0[:3, 3] - middle
    e1 = e1 - (n @ e1) * n
    if not (radius := float(np.linalg.norm(e1))) > 0.0:
        raise InputError("the hand starts on the axis: a circle has a radius")
    w = float(angle) * (T0[:3, :3].T @ n) if turning else np.zeros(3)
    row = [T0[:3, 3], np.zeros(3), e1, np.cross(n, e1), [float(angle)], T0[:3, :3].reshape(9), w]
    return _timed(
        np.concatenate(row), radius * abs(float(angle)), 0.0, duration, (velocity, acceleration, jerk), (None,) * 3
    )


@explained
def arc(
    start: ArrayLike,
    through: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    jerk: float | None = None,
    angular_velocity: float | None = None,
    angular_acceleration: float | None = None,
    angular_jerk: float | None = None,
) -> PoseTrajectory:
    """Plan a circular arc of a hand through a point, with a rotation about a fixed axis.

    Parameters
    ----------
    start : array_like, shape (4, 4)
        Initial pose.
    through : array_like, shape (3,)
        Point on the arc.
    end : array_like, shape (4, 4) or (3,)
        Final pose, or final position with unchanged orientation.
    duration : float, optional
        Duration, s.
    velocity, acceleration, jerk : float, optional
        Limits along the arc, m/s, m/s² and m/s³.
    angular_velocity, angular_acceleration, angular_jerk : float, optional
        Limits of the rotation, rad/s, rad/s² and rad/s³.

    Returns
    -------
    PoseTrajectory
        The trajectory.

    Raises
    ------
    InputError
        If the points are collinear.
    """
    T0 = _pose("start", start)
    T1, b = _end(T0, end), finite("through", through)
    if b.shape != (3,):
        raise ShapeError(f"through has shape {b.shape}; expected (3,)")
    a, c = T0[:3, 3], T1[:3, 3]
    u, v = b - a, c - a
    n = np.cross(u, v)
    size = float(np.linalg.norm(u) * np.linalg.norm(v))
    if not float(np.linalg.norm(n)) > 1e-9 * size or not size > 0.0:
        raise InputError("start, through and end lie in one line, or are not three points: no circle goes through them")
    middle = a + ((v @ v) * np.cross(n, u) + (u @ u) * np.cross(v, n)) / (2.0 * (n @ n))
    n = n / np.linalg.norm(n)
    e1, e = a - middle, c - middle
    e2 = np.cross(n, e1)
    angle = float(np.arctan2(e @ e2, e @ e1)) % (2.0 * np.pi)
    w = rotation_log(T0[:3, :3].T @ T1[:3, :3])
    return _timed(
        np.concatenate([a, np.zeros(3), e1, e2, [angle], T0[:3, :3].reshape(9), w]),
        float(np.linalg.norm(e1)) * angle,
        float(np.linalg.norm(w)),
        duration,
        (velocity, acceleration, jerk),
        (angular_velocity, angular_acceleration, angular_jerk),
    )


def _timed(
    path: Array,
    length: float,
    turn: float,
    duration: float | None,
    along: tuple[float | None, ...],
    about: tuple[float | None, ...],
) -> PoseTrajectory:
    """Return a timed path: the path parameter from 0 to 1 is a quintic of the duration, or an S-curve within limits."""
    if not length and not turn:
        raise InputError("the path has no length: start and end are the same")
    given = zip(LIMITS, (*along, *about), strict=True)
    options = {name: number(f"the limit of {name}", limit) for name, limit in given if limit is not None}
    for name, limit in options.items():
        if not limit > 0.0:
            raise InputError(f"the limit of {name} is above zero; got {limit!r}")
    if duration is not None:
        if options:
            raise ArgumentError("a path takes a duration, or limits; both are given")
        positive("duration", duration, "s")
        zero, one = np.zeros(1), np.ones(1)
        s = between([zero, zero, zero], [one, zero, zero], np.asarray(float(duration)))
        return PoseTrajectory(np.array([0.0, float(duration)]), s.T, path[None])
    for have, lack, size, other, names in (
        (along, about, length, turn, LIMITS[3:]),
        (about, along, turn, length, LIMITS),
    ):
        if other > STEEP * size and any(x is not None for x in have) and all(x is None for x in lack):
            raise ArgumentError(
                f"on {length:.4g} m the hand rotates by {turn:.4g} rad: give {', '.join(names[:3])} or some of them"
            )
    limits: list[float] = []
    for x, y in zip(along, about, strict=True):
        own = [limit / size for limit, size in ((x, length), (y, turn)) if limit is not None and size]
        limits.append(min(own, default=np.inf))
    if not np.isfinite(limits[2]):
        raise ArgumentError(
            "a path takes a duration, or limits, among them jerk (or angular_jerk, where the hand only turns)"
        )
    zero, one = np.zeros(1), np.ones(1)
    plan = s_curves(zero, zero, zero, one, zero, zero, *([x] for x in limits))
    levels = limits[2] * np.stack([JERKS, -JERKS])[None]
    times, s = pieces(plan.duration, plan.phases, levels, plan.part, [zero] * 3)
    return PoseTrajectory(times, s[..., 0], np.repeat(path[None], len(s), axis=0))


LIMITS = ("velocity", "acceleration", "jerk", "angular_velocity", "angular_acceleration", "angular_jerk")


def _pose(name: str, x: Any) -> Array:
    T = finite(name, x)
    if T.shape != (4, 4):
        raise ShapeError(f"{name} has shape {T.shape}; expected a pose (4, 4)")
    R = T[:3, :3]
    if np.abs(T[3] - [0.0, 0.0, 0.0, 1.0]).max() > TOLERANCE:
        raise InputError(f"{name} is not a pose: its last row is {T[3].tolist()}; expected [0, 0, 0, 1]")
    if np.abs(R @ R.T - np.eye(3)).max() > TOLERANCE or np.linalg.det(R) < 0.0:
        raise InputError(f"{name} is not a pose: its upper left (3, 3) is not a rotation")
    return T


def _end(start: Array, end: Any) -> Array:
    """A pose, or a point with the orientation of the start."""
    place = finite("end", end)
    return pose_matrix(start[:3, :3], place) if place.shape == (3,) else _pose("end", place)
