"""The record of a motion."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import kernel_of, public
from linkwright.dynamics.contact.smooth import pair_energy, soft_pair_energy
from linkwright.dynamics.forces.actuation import joint_velocity_limits
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownMotionError
from linkwright.files import file_at, replacing, write_arrays, write_figure, write_rows
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.provided import save_motion_log, save_motion_page, show_in_studio
from linkwright.simulation.actuation.law_controller import activations_in, unflatten_state
from linkwright.simulation.integrators.constrained_step import Constraints
from linkwright.simulation.integrators.split_kernels import measuring
from linkwright.simulation.recording.contact_history import (
    ContactHistory,
    contact_history,
    impulse_names,
    limit_efforts,
)
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwright.visual.animations.animation import Animation


ROWS_AT_ONCE = 4096
"""of a table that is written"""

PICTURED_BY = {
    ".html": "save_html",
    ".gif": "animate",
    ".mp4": "animate",
    ".png": "plot",
    ".svg": "plot",
    ".pdf": "plot",
}
"""Methods that write a motion as files that :meth:`Motion.save` does not write."""

constraint_residual = public(dynamics.constraint_residual)


@dataclass(frozen=True, eq=False, kw_only=True)
class Motion:
    """A sampled motion; arrays are indexed by the sample, ``q[k]`` at the time ``t[k]``.

    In a batch, motions that diverged are NaN after their last sample, whose time is in ``ended``.
    """

    model: Model
    """mechanism"""
    t: Array
    """(n,), s"""
    q: Array
    """(n, …, nq)"""
    v: Array
    """(n, …, nv)"""
    tau: Array
    """(n, …, nv), efforts of the controller; those of sample k act from t[k] to t[k + 1]"""
    step: float
    """of the integration, s"""
    compile_time: float = 0.0
    """s"""
    run_time: float = 0.0
    """s, of the integration alone"""
    states: Array | None = None
    """(n, …, size), packed states of the controller: see ``state``"""
    shapes: Any = None
    """structure of the state of the controller"""
    activation_count: int = 0
    """number of activations of actuators, the end of the packed states"""
    cut: slice | None = None
    """where the state counts saturated efforts"""
    wrenches: Mapping[str, Array] = field(default_factory=dict)
    """by frame (n, …, 6): external wrenches, including those of smooth contact"""
    lengths: Array | None = None
    """(…, 2): numbers of accepted and rejected steps, of an adaptive method"""
    impulses: Array | None = None
    """(n, …, m), N s or N m s, of contacts and limits over the step that ends at each sample"""
    parts: tuple[Motion, ...] = ()
    """motions of the successive mechanisms, where the mechanism changed. ``model`` is the one with most coordinates;
    coordinates that another does not have keep their values from when they were locked"""
    events: tuple[Any, ...] = ()
    """events that occurred: each has ``t`` (s), ``name``, ``before`` and ``after``, (q, v), and ``lost`` (J)"""
    smooth: bool = False
    """whether contact is a smooth force, whose springs are then part of the potential energy"""
    constraints: Constraints | None = None
    """constraints solved by impulses"""
    durations: Array | None = None
    """(n,), s: the length of the step that ends at each sample, where events made some shorter than ``step``"""

    @cached_property
    def _energies(self) -> tuple[Array, Array]:
        if self.parts:
            return tuple(np.concatenate(some) for some in zip(*(part._energies for part in self.parts), strict=True))  # type: ignore[return-value]
        return self.energies_at(slice(None))

    def energies_at(self, samples: Any) -> tuple[Array, Array]:
        """Return the energies at some samples, of one mechanism.

        Parameters
        ----------
        samples : int, slice or array_like
            Indices of samples.

        Returns
        -------
        kinetic : ndarray, shape (n, ...)
            Kinetic energy, J.
        potential : ndarray, shape (n, ...)
            Potential energy, J.
        """
        q, v = self.q[samples], self.v[samples]
        with np.errstate(all="ignore"):  # a motion that diverged
            kinetic, potential = measuring(self.model)(q, v)
            if self.smooth:
                potential = potential + kernel_of(pair_energy, self.model)(q)
            elif self.constraints is not None and self.constraints.contact and _is_soft(self.model):
                potential = potential + kernel_of(soft_pair_energy, self.model)(q)
            return kinetic, potential

    @cached_property
    def contacts(self) -> ContactHistory:
        """Contact points with their gaps and forces, and the residuals of the contact solver; empty without pairs.

        See :class:`~linkwright.simulation.recording.contact_history.ContactHistory`.
        """
        return contact_history(self)

    @property
    def pressing(self) -> dict[str, Array]:
        """Normal forces (n, …), N, by pair: sums over its points. Empty without pairs."""
        if not self._touching:
            return {}
        found: dict[str, Array] = {}
        normal = self.contacts.normal_forces
        for k, name in enumerate(self.contacts.names):
            label = name if name not in found else f"{name} ({k})"
            found[label] = normal[..., self.contacts.pair == k].sum(axis=-1)
        return found

    @property
    def limit_efforts(self) -> Array:
        """Mean efforts (n, …, nv) of joint limits over the step that ends at each sample."""
        return limit_efforts(self)

    @property
    def state(self) -> Any:
        """State of the controller at each sample, structured as its initial state: arrays (n, …, *shape), or None."""
        return None if self.states is None or self.shapes is None else unflatten_state(self.shapes, self.states)

    @property
    def activations(self) -> Array | None:
        """Activations of actuators at each sample, (n, …, na); None without."""
        return activations_in(self.states, self.activation_count)

    @property
    def saturated(self) -> Array:
        """Which efforts (n, …, nv) are saturated, by limits of efforts or velocities, until the next sample."""
        found = np.zeros(self.v.shape, dtype=bool)
        if self.states is not None and self.cut is not None:
            found[:-1] = np.diff(self.states[..., self.cut], axis=0) > 0.5
        return found

    @property
    def overspeed(self) -> Array:
        """Which velocities (n, …, nv) exceed the limits of their joints."""
        return np.asarray(np.abs(self.v) > joint_velocity_limits(self.model))

    @property
    def kinetic(self) -> Array:
        """Kinetic energy (n, …), J; energies are computed on first use."""
        return self._energies[0]

    @property
    def potential(self) -> Array:
        """Potential energy (n, …), J: of gravity and springs, including those of smooth contact and compliant pairs."""
        return self._energies[1]

    @property
    def energy(self) -> Array:
        """Total energy (n, …), J."""
        return self.kinetic + self.potential

    @property
    def ended(self) -> Array:
        """Times (…,), s, of the last sample of each motion: ``t[-1]``, or the last before it diverged."""
        there = samples_there(self.q, self.v)
        times: Array = np.append(self.t, np.nan)[there - 1]  # none at all: NaN
        return times

    @property
    def drift(self) -> float:
        """The largest change of the total energy, J: an error where nothing drives or damps the motion."""
        return _largest(self.energy - self.energy[0])

    @property
    def closure(self) -> float:
        """The largest error of the loops, m or rad."""
        if self.parts:
            return max(part.closure for part in self.parts)
        return _largest(constraint_residual(self.model, self.q)) if self.model.loops else 0.0

    @property
    def steps_per_second(self) -> float:
        """Integration steps per second of computing time."""
        steps = (self.t[-1] - self.t[0]) / self.step if self.lengths is None else np.max(self.lengths.sum(axis=-1))
        return float(steps / self.run_time) if self.run_time else float("inf")

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot positions, velocities, efforts, external wrenches if any, and energies over time.

        Parameters
        ----------
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from linkwright.visual.plots import plot_motion

        self._one()
        tau = self.tau if np.any(self.tau) else None
        options: dict[str, Any] = {"title": self.model.name, "wrenches": self.wrenches, "contacts": self.pressing}
        options["reached"] = self.limit_efforts != 0.0
        figure = plot_motion(self.model, self.t, self.q, self.v, tau, self.kinetic, self.potential, **options)
        if path is not None:
            write_figure(path, figure)
        return figure

    def animate(self, path: str | Path | None = None, **options: Any) -> Animation:
        """Write the motion as a GIF, an MP4 or numbered pictures.

        Parameters
        ----------
        path : str or Path, optional
            File ``.gif`` or ``.mp4``, a folder ("frames/"), or numbered pictures ("sim%04d.png"). By default a
            temporary GIF, which a notebook shows.
        **options
            Options of :func:`linkwright.visual.animations.animation.animate`. Contact forces are arrows, unless
            ``forces=False``.

        Returns
        -------
        Animation
            The written file.
        """
        from linkwright.visual.animations.animation import animate

        self._one()
        return animate(self.model, *self.playing, path, **self._with_forces(options))

    def show(self, where: Literal["studio", "window"] | None = None, **options: Any) -> Any:
        """Play the motion in the studio, in a window, or inside a notebook.

        Parameters
        ----------
        where : {"studio", "window"}, optional
            By default the studio, if its extra is installed.
        **options
            ``speed``, playback speed; ``block``, whether to wait until the window is closed or the studio is stopped by
            Ctrl-C; options of :func:`linkwright.visual.animations.window.show`; ``port`` of the studio; ``height`` in
            pixels of notebooks.

        Returns
        -------
        object
            The player.
        """
        if where not in (None, "studio", "window"):
            raise InputError(f"where is 'studio' or 'window'; got {where!r}")
        self._one()
        if where == "studio" or (where is None and find_spec("viser") is not None):
            return show_in_studio(self, **options)
        from linkwright.visual.animations.window import show

        return show(self.model, *self.playing, **self._with_forces(options))

    def save_html(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as one HTML page that plays in a browser, offline and without a server.

        Parameters
        ----------
        path : str or Path
            File.
        **options
            ``fps`` (30), frames per second; ``speed`` (1), playback speed; ``forces`` (True), whether contact forces
            are arrows; ``dark`` (False), whether the theme is dark; ``curves`` (True), whether the page has curves of
            joints, energies and efforts.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        MissingExtraError
            If the extra ``studio`` is not installed.
        """
        self._one()
        written: Path = save_motion_page(self, path, **options)
        return written

    def _with_forces(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options with contact forces, unless forces are given or not wanted."""
        given = dict(options)
        if (wanted := given.get("forces", True)) is not True and wanted is not False:
            return given
        given.pop("forces", None)
        if wanted and (arrows := self.contact_arrows) is not None:
            given["forces"] = arrows
        return given

    def save(self, path: str | Path) -> Path:
        """Write the samples to a file.

        Parameters
        ----------
        path : str or Path
            File ``.npz`` (arrays by name), ``.csv`` (one row per sample, with a header), ``.mcap`` (a log of Foxglove)
            or ``.rrd`` (a log of Rerun). Logs have the poses and solids of the links, and the positions, velocities and
            efforts of the joints.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        MissingExtraError
            If the extra of a log, ``foxglove`` or ``rerun``, is not installed.
        ShapeError
            If a batch of motions is to become a table or a log.
        """
        writers = {
            ".npz": self._write_arrays,
            ".csv": self._write_table,
            ".mcap": self._write_log,
            ".rrd": self._write_log,
        }
        for ending, method in PICTURED_BY.items():
            if str(path).lower().endswith(ending):
                raise ArgumentError(f"motion.save writes no {ending}; motion.{method}({str(path)!r}) does")
        path = file_at(path, "motions", *writers)
        with replacing(path) as place:
            writers[path.suffix.lower()](place)
        return path

    def _write_log(self, path: Path) -> None:
        self._one()
        save_motion_log(self, path)

    def _write_arrays(self, path: Path) -> None:
        own: dict[str, Any] = {} if self.state is None else {"state": self.states}
        own |= {f"wrench:{frame}": wrench for frame, wrench in self.wrenches.items()}
        if self.impulses is not None and self.constraints is not None and not self.parts:
            own |= {"impulses": self.impulses, "impulse_names": np.array(impulse_names(self.model, self.constraints))}
        if self._touching:
            of = self.contacts
            own |= {"contact_names": np.array(of.names), "contact_pair": of.pair, "contact_gaps": of.gaps}
            own |= {"contact_points": of.points, "contact_forces": of.forces, "contact_moments": of.moments}
        arrays = {"t": self.t, "q": self.q, "v": self.v, "tau": self.tau}
        arrays |= {"kinetic": self.kinetic, "potential": self.potential, "energy": self.energy}
        write_arrays(path, arrays | {"coordinate_names": np.array(self.model.coordinate_names)} | own)

    def _write_table(self, path: Path) -> None:
        self._one()
        velocities = velocity_names(self.model)
        header = [
            "t",
            *(f"q:{name}" for name in self.model.coordinate_names),
            *(f"v:{name}" for name in velocities),
            *(f"tau:{name}" for name in velocities),
            "kinetic",
            "potential",
            "energy",
            *(f"wrench:{frame}:{name}" for frame in self.wrenches for name in ("fx", "fy", "fz", "nx", "ny", "nz")),
        ]
        energies = (self.kinetic, self.potential, self.energy)
        columns = [self.t, self.q, self.v, self.tau, *energies, *self.wrenches.values()]
        if self.impulses is not None and self.constraints is not None and not self.parts:
            header += [f"impulse:{_plain(name)}" for name in impulse_names(self.model, self.constraints)]
            columns.append(self.impulses)
        if self._touching:
            header += [f"force:{_plain(name)}:{axis}" for name in self.contacts.names for axis in ("fx", "fy", "fz")]
            columns.append(self.contacts.of_pairs)
        with path.open("w", encoding="utf-8") as file:
            file.write(",".join(header) + "\n")
            for first in range(0, len(self.t), ROWS_AT_ONCE):  # a table of all would double the memory
                rows = slice(first, first + ROWS_AT_ONCE)
                table = np.column_stack([x[rows].reshape(len(self.t[rows]), -1) for x in columns])
                write_rows(file, table)

    @property
    def playing(self) -> tuple[Array, Array]:
        """Return the times (n,), s, and configurations (n, …, nq) to be shown; of several at one time the last."""
        last = np.append(np.diff(self.t) > 0.0, True)
        return self.t[last], self.q[last]

    @property
    def contact_arrows(self) -> tuple[Array, Array] | None:
        """Return the center and force of each pair, (n, …, pairs, 3), m and N, at the times of ``playing``.

        None without pairs, or if the pairs change.
        """
        if not self._touching:
            return None
        last = np.append(np.diff(self.t) > 0.0, True)
        return self.contacts.centers[last], self.contacts.of_pairs[last]

    @property
    def _touching(self) -> bool:
        """Whether the mechanism has pairs that do not change."""
        return bool(self.model.pairs) and not any(part.model.pairs != self.model.pairs for part in self.parts)

    def _one(self) -> None:
        if self.q.ndim != 2:
            raise ShapeError(f"this is a batch of motions {self.q.shape[1:-1]}; take one first: motion[0]")

    def __getitem__(self, index: Any) -> Motion:
        """Return one motion of a batch, until its end, or several of them."""
        if self.q.ndim == 2:
            raise ShapeError("this is a single motion")
        index = index if isinstance(index, tuple) else (index,)
        at = (slice(None), *index)
        try:
            places = (int, np.integer, slice, list, np.ndarray)
            if not all(isinstance(k, places) and not isinstance(k, bool) for k in index):
                raise IndexError
            np.broadcast_to(0.0, self.q.shape[:-1])[at]
        except IndexError:
            raise UnknownMotionError(index, self.q.shape[1:-1]) from None
        if self.q[at].ndim == 2:
            at = (slice(int(samples_there(self.q[at], self.v[at]))), *index)
        return Motion(
            model=self.model,
            t=self.t[at[0]],
            q=self.q[at],
            v=self.v[at],
            tau=self.tau[at],
            step=self.step,
            compile_time=self.compile_time,
            run_time=self.run_time,
            states=None if self.states is None else self.states[at],
            shapes=self.shapes,
            activation_count=self.activation_count,
            cut=self.cut,
            wrenches={frame: wrench[at] for frame, wrench in self.wrenches.items()},
            lengths=None if self.lengths is None else self.lengths[index],
            impulses=None if self.impulses is None else self.impulses[at],
            smooth=self.smooth,
            constraints=self.constraints,
        )

    def _repr_html_(self) -> str:
        """Return the representation in a notebook: a line, and plots of a single motion."""
        text = f"<p>{escape(repr(self)[1:-1])}</p>"
        if self.q.ndim != 2 or not len(self.t):
            return text
        picture = BytesIO()
        self.plot().savefig(picture, format="png", dpi=80)
        data = b64encode(picture.getvalue()).decode("ascii")
        return f'{text}<img src="data:image/png;base64,{data}" alt="plots" style="max-width:100%">'

    def __repr__(self) -> str:
        return f"<Motion of {self.model.name!r}: {len(self.t)} samples over {self.t[-1] - self.t[0]:g} s>"


def _plain(name: str) -> str:
    """Return a name as a column header."""
    return name.replace(",", ";").replace("\n", " ")


def samples_there(q: Array, v: Array) -> Array:
    """Return the number of samples of each motion (…,) before the first that is not finite."""
    bad = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))
    return np.where(bad.any(axis=0), bad.argmax(axis=0), len(bad)) if len(bad) else np.zeros(q.shape[1:-1], dtype=int)


def _largest(x: Array) -> float:
    """Return the largest finite absolute value."""
    return float(np.fmax.reduce(np.abs(x), axis=None, initial=0.0))


def _is_soft(model: Model) -> bool:
    """Whether some pairs are compliant."""
    return any(pair.stiffness is not None for pair in model.pairs)
