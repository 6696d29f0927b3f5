"""Measured motions and efforts, as arrays that belong together."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import InputError, ShapeError, explained
from linkwright.files import replacing, write_rows
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

GAP = 10.0
"""Gaps are steps between samples longer than this multiple of the median."""

UNIT = 1e-2
"""Largest deviation of the norm of a measured quaternion from 1."""

AT_ONCE = 4096
"""Rows of a table that are written."""


class _Arrays(NamedTuple):
    q: Array
    """(n, nq)"""
    v: Array | None = None
    """(n, nv)"""
    a: Array | None = None
    """(n, nv)"""
    tau: Array | None = None
    """(n, nv), N m or N"""
    t: Array | None = None
    """(n,), s"""


class Measurements(_Arrays):
    """Measured motion, one row per sample, for ``lw.identify(model, *measurements)``.

    Parameters
    ----------
    q : array_like, shape (n, nq)
        Configurations.
    v, a : array_like, shape (n, nv), optional
        Velocities and accelerations.
    tau : array_like, shape (n, nv), optional
        Efforts, N m or N.
    t : array_like, shape (n,), optional
        Times, s.

    Raises
    ------
    ShapeError
        If the numbers of samples differ.
    """

    __slots__ = ()

    @explained
    def __new__(cls, q: Any, v: Any = None, a: Any = None, tau: Any = None, t: Any = None) -> Measurements:
        rows = {name: np.shape(x)[:1] for name, x in zip(cls._fields, (q, v, a, tau, t), strict=True) if x is not None}
        if len(set(rows.values())) > 1:
            text = ", ".join(f"{name} {n[0]}" if n else f"{name} is one number" for name, n in rows.items())
            raise ShapeError(f"measurements have one row per sample; got numbers of rows: {text}")
        return super().__new__(cls, q, v, a, tau, t)

    def parts(self) -> list[Measurements]:
        """Split the measurements at gaps in the times, which are more than ten times the usual step.

        Returns
        -------
        list of Measurements
            Parts without gaps.
        """
        if self.t is None:
            raise InputError("these measurements have no times")
        ends = [0, *(k + 1 for k in gaps(self.t)), len(self.t)]
        return [
            Measurements(*(None if x is None else np.asarray(x)[i:j] for x in self))
            for i, j in itertools.pairwise(ends)
        ]

    def resampled(self, step: float) -> Measurements:
        """Interpolate the measurements linearly on an even grid of times.

        Parameters
        ----------
        step : float
            Step, s.

        Returns
        -------
        Measurements
            Resampled measurements.

        Raises
        ------
        InputError
            If there is a gap in the times; resample :meth:`parts` instead.
        """
        if self.t is None:
            raise InputError("these measurements have no times")
        if len(gap := gaps(self.t)):
            raise InputError(
                f"{gap_text(self.t, gap[0])}, of which nothing is known: [part.resampled({step!r}) for part in "
                "data.parts()], a list that identify takes"
            )
        if not 0.0 < step <= self.t[-1] - self.t[0]:
            raise InputError(f"the step is above 0 and at most {self.t[-1] - self.t[0]:g} s; got {step!r}")
        times, first = self.t, self.t[0]
        t = first + step * np.arange(int(np.floor((times[-1] - first) / step * (1.0 + 1e-12))) + 1)

        def on_grid(x: Array | None) -> Array | None:
            return None if x is None else np.stack([np.interp(t, times, column) for column in x.T], axis=1)

        q, v, a, tau = map(on_grid, self[:4])
        assert q is not None
        return Measurements(q, v, a, tau, t)

    def save(self, path: str | Path, model: Model) -> Path:
        """Write the measurements to a file.

        Parameters
        ----------
        path : str or Path
            File ``.csv`` (one row per sample, header t, q:…, v:…, a:…, tau:…) or ``.npz`` (arrays by name).
        model : Model
            Mechanism, for the names of coordinates.

        Returns
        -------
        Path
            The file.
        """
        named = {name: x for name, x in self._asdict().items() if x is not None}
        with replacing(path, "measurements", ".csv", ".npz") as place:
            if place.suffix.lower() == ".npz":
                with place.open("wb") as file:
                    np.savez_compressed(file, **named, coordinate_names=np.array(model.coordinate_names))
            else:
                velocities = velocity_names(model)
                columns = {"t": [""], "q": model.coordinate_names, **dict.fromkeys(("v", "a", "tau"), velocities)}
                kept = [what for what in columns if what in named]
                header = [f"{what}:{name}" if name else what for what in kept for name in columns[what]]
                with place.open("w", encoding="utf-8") as file:
                    file.write(",".join(header) + "\n")
                    for first in range(0, len(self.q), AT_ONCE):
                        part = [named[what][first : first + AT_ONCE] for what in kept]
                        table = np.column_stack([x.reshape(len(x), -1) for x in part])
                        write_rows(file, table, digits=12)
        return Path(path)


def gaps(t: Array) -> Array:
    """The numbers of samples after which times (n,) have a gap: a step of more than :data:`GAP` usual ones."""
    steps = np.diff(np.asarray(t, dtype=float))
    return np.flatnonzero(steps > GAP * np.median(steps)) if len(steps) else np.zeros(0, dtype=int)


def gap_text(t: Array, k: int) -> str:
    """The gap after sample k, in words."""
    return f"there is a gap of {t[k + 1] - t[k]:.4g} s in the times, after t[{k}] = {t[k]:g} s"


def checked(model: Model, q: Any, v: Any, a: Any, tau: Any) -> tuple[Array, Array, Array, Array]:
    """The arrays (n, …) of samples, finite and of one length; :class:`ShapeError`, :class:`InputError` of others."""
    given = {"q": (q, model.nq), "v": (v, model.nv), "a": (a, model.nv), "tau": (tau, model.nv)}
    arrays = {}
    for name, (x, width) in given.items():
        array = as_numbers(name, x)
        if array.ndim != 2 or array.shape[1] != width:
            raise ShapeError(f"{name} has shape {array.shape}; expected (samples, {width}) for {model.name!r}")
        arrays[name] = array
    lengths = {name: len(x) for name, x in arrays.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ShapeError(f"q, v, a and tau have one row per sample; got numbers of rows: {text}")
    for name, x in arrays.items():
        if not np.isfinite(x).all():
            row, column = np.argwhere(~np.isfinite(x))[0]
            names = model.coordinate_names if name == "q" else velocity_names(model)
            raise InputError(f"measurements are finite; {name}[{row}, {column}] ({names[column]}) is {x[row, column]}")
    arrays["q"] = _with_unit_quaternions(model, arrays["q"])
    return arrays["q"], arrays["v"], arrays["a"], arrays["tau"]


def _with_unit_quaternions(model: Model, q: Array) -> Array:
    """The same (n, nq) with quaternions divided by their lengths, which digits of files leave a little off 1."""
    if not model.quaternion_starts:
        return q
    q = q.copy()
    for start in model.quaternion_starts:
        length = np.linalg.norm(q[:, start : start + 4], axis=1)
        off = np.abs(length - 1.0)
        if (off > UNIT).any():
            row = int(np.argmax(off > UNIT))
            raise InputError(
                f"the quaternion (w, x, y, z) at q[{row}, {start}:{start + 4}] ({model.coordinate_names[start]!r} …) "
                f"has length {length[row]:.6g}, not 1"
            )
        q[:, start : start + 4] /= length[:, None]
    return q
