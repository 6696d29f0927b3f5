"""Exciting trajectories for identification: periodic, within the limits, with a small condition number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import dynamics
from linkwright.bounds import positive, whole_number
from linkwright.compiler.public import public
from linkwright.errors import ModelError
from linkwright.files import write_figure
from linkwright.identification.fitting.columns import RegressorColumns
from linkwright.identification.fitting.unknowns import Unknowns
from linkwright.identification.measurements.record import Measurements
from linkwright.model.coordinates import velocity_names
from linkwright.model.joints.joint_type import generator
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = 40
"""Random motions of which the best is improved."""

DENSE = 64
"""Samples per harmonic at which limits are checked: between them a sum of harmonics is larger by at most 1/cos(π/64)
(Ehlich & Zeller 1964).
"""

BETWEEN = 1.0 / np.cos(np.pi / DENSE)

ROOM = 0.95
"""Used share of the range of a joint."""

FREE = np.pi
"""Amplitude of a joint without limits, rad or m / the length of the mechanism."""

inverse_dynamics = public(dynamics.inverse_dynamics)
passive_forces = public(dynamics.passive_forces)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExcitingTrajectory:
    """Fourier series q(t) = center + Σ a_k/(kω) sin kωt − b_k/(kω) cos kωt, from rest to rest.

    A call with times, s, returns q, v and a.
    """

    model: Model
    """mechanism"""
    center: Array
    """(nq,)"""
    sines: Array
    """a (nv, harmonics)"""
    cosines: Array
    """b (nv, harmonics)"""
    period: float
    """s"""
    condition: float
    """of the regressor's base columns at unit length, over a period"""
    first_condition: float
    """that of the best random one"""

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations (…, nv) at times (…), s."""
        t = as_numbers("t", t)
        q, v, a = _motion(self.sines, self.cosines, self.period, np.ravel(t))
        shape = (*t.shape, len(self.center))
        return q.reshape(shape) + self.center, v.reshape(shape), a.reshape(shape)

    def sampled(self, rate: float = 100.0, periods: int = 1) -> Measurements:
        """Sample the trajectory, with the efforts of the model.

        Parameters
        ----------
        rate : float, optional
            Samples per second.
        periods : int, optional
            Number of periods.

        Returns
        -------
        Measurements
            Samples; ``t`` starts at 0.
        """
        positive("rate", rate, "Hz")
        whole_number("periods", periods, 1)
        t = np.arange(int(np.floor(periods * self.period * rate * (1.0 + 1e-12))) + 1) / rate
        q, v, a = self(t)
        return Measurements(q, v, a, _efforts(self.model, q, v, a), t)

    def save(self, path: str | Path, rate: float = 100.0, periods: int = 1) -> Path:
        """Write samples of the trajectory to a file: time, q, v, a and the efforts of the model.

        Parameters
        ----------
        path : str or Path
            File ``.csv`` or ``.npz``.
        rate : float, optional
            Samples per second.
        periods : int, optional
            Number of periods.

        Returns
        -------
        Path
            The file.
        """
        return self.sampled(rate, periods).save(path, self.model)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot positions and velocities over a period, with the limits.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.identification.pictures import plot_excitation

        figure = plot_excitation(self)
        if path is not None:
            write_figure(path, figure)
        return figure

    def __repr__(self) -> str:
        return f"<ExcitingTrajectory of {self.model.name!r}: {self.period:g} s, condition {self.condition:.3g}>"


@takes_numeric_model()
def exciting_trajectory(
    model: Model,
    period: float = 10.0,
    harmonics: int = 5,
    *,
    armature: bool = False,
    friction: bool = False,
    steps: int = 40,
    seed: int = 0,
) -> ExcitingTrajectory:
    """Plan a periodic motion for identification, with a small condition number of the regressor.

    The motion is a Fourier series that starts and ends at rest, v = a = 0. The best of 40 random motions is improved by
    a quasi-Newton method, which minimizes the condition number of the base columns of the regressor at unit length.
    Limits of position and velocity hold at all times, those of effort at 64 samples per harmonic for the parameters of
    the model. Joints without limits move by at most π to either side. Collisions are not checked: inspect the motion
    before a robot executes it.

    Parameters
    ----------
    model : Model
        Mechanism without quaternions and closed loops.
    period : float, optional
        Period, s.
    harmonics : int, optional
        Number of harmonics.
    armature, friction : bool, optional
        Whether these parameters of the joints are identified too.
    steps : int, optional
        Number of steps of the quasi-Newton method.
    seed : int, optional
        Seed of the random motions.

    Returns
    -------
    ExcitingTrajectory
        The motion.

    Raises
    ------
    ModelError
        If the mechanism has quaternions or closed loops, or its limits cannot be satisfied.

    References
    ----------
    Swevers, Ganseman, Tükel, De Schutter & Van Brussel, IEEE Trans. Robotics and Automation 13(5) (1997).
    """
    unknowns = Unknowns.of(model, armature=armature, friction=friction)
    if model.nq != model.nv or model.quaternion_starts:
        raise ModelError(f"exciting motions are of joints with plain coordinates; {model.name!r} has others")
    harmonics, steps = whole_number("harmonics", harmonics, 3), whole_number("steps", steps, 0)
    search = _ExcitationSearch(model, unknowns, positive("period", period, "s"), harmonics)
    rng = generator(seed)
    starts = rng.standard_normal((STARTS, model.nv * (2 * harmonics - 2)))
    costs = search.costs(starts)
    best = starts[np.nanargmin(costs)]
    found = search.improved(best, steps)
    (center,), (sines,), (cosines,) = search.motions(found[None])
    return ExcitingTrajectory(
        model=model,
        center=center,
        sines=sines,
        cosines=cosines,
        period=float(period),
        condition=float(np.exp(search.costs(found[None])[0])),
        first_condition=float(np.exp(np.nanmin(costs))),
    )


class _ExcitationSearch:
    """The condition number of motions as a function of free numbers."""

    def __init__(self, model: Model, unknowns: Unknowns, period: float, harmonics: int):
        self.model, self.period, self.harmonics = model, period, harmonics
        self.columns = RegressorColumns.of(unknowns)
        k = np.arange(1, harmonics + 1)
        # coefficients with Σ a = 0 and Σ k b = 0: the null spaces of these rows
        self.of_sines = np.linalg.svd(np.ones((1, harmonics)))[2][1:]
        self.of_cosines = np.linalg.svd(k[None].astype(float))[2][1:]
        self.t = np.arange(4 * harmonics * max(2, -(-len(self.columns.chosen) // (4 * model.nv)))) + 0.5
        self.t *= period / len(self.t)
        self.dense = np.arange(DENSE * harmonics) * (period / (DENSE * harmonics))
        limits = np.array([np.full(model.nv, np.inf)] * 2)
        for joint in model.joints:
            if joint.nv:
                places = model.slice(joint.name).v
                limits[0, places], limits[1, places] = joint.velocity_limit, joint.effort_limit
        self.fastest, self.strongest = limits
        bounded = np.isfinite(model.lower) & np.isfinite(model.upper)
        low = np.where(
            np.isfinite(model.lower), model.lower, np.where(np.isfinite(model.upper), model.upper - 2 * FREE, -FREE)
        )
        high = np.where(np.isfinite(model.upper), model.upper, low + 2 * FREE)
        self.middle, self.half = 0.5 * (low + high), 0.5 * (high - low) * np.where(bounded, ROOM, 1.0)

    def motions(self, xs: Array) -> tuple[Array, Array, Array]:
        """center (n, nv), a and b (n, nv, harmonics) of free numbers (n, …), as large as limits let them be."""
        m = self.harmonics - 1
        parts = xs.reshape(len(xs), self.model.nv, 2 * m)
        a, b = parts[..., :m] @ self.of_sines, parts[..., m:] @ self.of_cosines
        q, v, _ = _motion(a, b, self.period, self.dense)
        high, low = q.max(axis=1), q.min(axis=1)
        scale = np.minimum(
            self.half / (BETWEEN * 0.5 * (high - low)), ROOM * self.fastest / (BETWEEN * np.abs(v).max(axis=1))
        )
        if np.isfinite(self.strongest).any():
            scale = scale * self._weak_enough(a, b, 0.5 * (high + low), scale)[:, None]
        return self.middle - scale * 0.5 * (high + low), scale[..., None] * a, scale[..., None] * b

    def _weak_enough(self, a: Array, b: Array, middle: Array, scale: Array) -> Array:
        """By how much (n,) motions are to be smaller, that efforts keep their limits."""
        share = np.ones(len(a))
        while True:
            now = share[:, None] * scale
            q, v, acceleration = _motion(now[..., None] * a, now[..., None] * b, self.period, self.dense)
            tau = _efforts(self.model, q + (self.middle - now * middle)[:, None], v, acceleration)
            beyond = np.abs(tau).max(axis=1) / self.strongest
            wrong = beyond.max(axis=1) > ROOM
            if not wrong.any():
                return share
            share[wrong] *= 0.85
            if share.min() < 0.02:
                row = int(share.argmin())
                worst = int(beyond[row].argmax())
                raise ModelError(
                    f"joint {velocity_names(self.model)[worst]!r} of {self.model.name!r} takes "
                    f"{beyond[row, worst]:.3g} times its limit of effort even in small motions about its middle"
                )

    def rows(self, xs: Array) -> list[Array]:
        """Return the columns (n, times, own) of each velocity for the motions of free numbers (n, …)."""
        center, a, b = self.motions(xs)
        q, v, acceleration = _motion(a, b, self.period, self.t)
        return [x[..., :-1] for x in self.columns.rows(q + center[:, None], v, acceleration, np.zeros_like(v))]

    def spectra(self, xs: Array) -> tuple[Array, Array, Array]:
        """Lengths (n, r) of the columns, and of their normal matrix at unit length eigenvalues and -vectors."""
        r = len(self.columns.chosen)
        G = np.zeros((len(xs), r, r))
        for own, A in zip(self.columns.there, self.rows(xs), strict=True):
            G[:, own[:, None], own] += np.swapaxes(A, 1, 2) @ A
        lengths = np.sqrt(np.einsum("nii->ni", G))
        lengths[lengths == 0.0] = 1.0
        return (lengths, *np.linalg.eigh(G / lengths[:, :, None] / lengths[:, None, :]))

    def costs(self, xs: Array) -> Array:
        """The logarithm of the condition number of each row of free numbers (n, …)."""
        _, values, _ = self.spectra(xs)
        return 0.5 * np.log(values[:, -1] / np.maximum(values[:, 0], 1e-300))

    def slope(self, x: Array) -> tuple[float, Array]:
        """The same of one row, and its gradient: by differences, eigenvectors held (they change to second order)."""
        tiny = 1e-6
        _, values, vectors = self.spectra(x[None])
        ends = vectors[0][:, [0, -1]]
        moved = self.rows(x + tiny * np.eye(len(x)))
        squares = np.zeros((len(x), len(ends)))
        for own, A in zip(self.columns.there, moved, strict=True):
            squares[:, own] += np.einsum("ntk,ntk->nk", A, A)
        turned = ends / np.sqrt(np.where(squares > 0.0, squares, 1.0))[..., None]  # (n, r, 2)
        found = np.zeros((len(x), 2))
        for own, A in zip(self.columns.there, moved, strict=True):
            found += ((A @ turned[:, own]) ** 2).sum(axis=1)
        least, most = values[0, 0], values[0, -1]
        changes = (found[:, 1] - most) / most - (found[:, 0] - least) / least
        return 0.5 * float(np.log(most / least)), 0.5 * changes / tiny

    def improved(self, x: Array, steps: int) -> Array:
        """Downhill by BFGS; all slopes are one batch of the kernel."""
        n = len(x)
        x = x / np.linalg.norm(x) * np.sqrt(n)
        value, g = self.slope(x)
        H = np.eye(n) / max(1.0, float(np.linalg.norm(g)))
        lengths = np.array([2.0, 1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.001])
        for _ in range(steps):
            p = -H @ g
            if p @ g >= 0.0:
                H = np.eye(n) / max(1.0, float(np.linalg.norm(g)))
                p = -H @ g
            costs = self.costs(x + lengths[:, None] * p)
            best = int(np.nanargmin(costs))
            if not costs[best] < value:
                return x
            s = lengths[best] * p
            x = x + s
            value, g_next = self.slope(x)
            y, g = g_next - g, g_next
            if (sy := float(s @ y)) > 1e-12:
                V = np.eye(n) - np.outer(s, y) / sy
                H = V @ H @ V.T + np.outer(s, s) / sy
        return x


def _motion(a: Array, b: Array, period: float, t: Array) -> tuple[Array, Array, Array]:
    """Displacements, velocities and accelerations (…, times, nv) of coefficients (…, nv, harmonics)."""
    w = 2.0 * np.pi / period * np.arange(1, a.shape[-1] + 1)
    both = np.concatenate([a, b], axis=-1)
    s, c = np.sin(np.multiply.outer(t, w)), np.cos(np.multiply.outer(t, w))
    waves = (np.hstack([s / w, -c / w]), np.hstack([c, s]), np.hstack([-s * w, c * w]))
    return tuple(np.swapaxes(both @ wave.T, -1, -2) for wave in waves)  # type: ignore[return-value]


def _efforts(model: Model, q: Array, v: Array, a: Array) -> Array:
    tau: Array = inverse_dynamics(model, q, v, a) - passive_forces(model, q, v)
    return tau
