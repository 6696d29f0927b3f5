"""Measured motions and efforts, as arrays that belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import InputError, ShapeError
from linkwright.files import replacing
from linkwright.model.names import velocity_names
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

UNIT = 1e-2
"""How far the length of a measured quaternion may be off 1."""

AT_ONCE = 4096
"""Rows of a table that are written."""


class Measurements(NamedTuple):
    """What was measured, a row for each sample. ``lw.identify(model, *measurements)`` takes all of it."""

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

    def resampled(self, step: float) -> Measurements:
        """On an even grid of times, ``step`` seconds apart, by straight lines between samples."""
        if self.t is None:
            raise InputError("these measurements have no times")
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
        """Write ``.csv`` (one row a sample, header t, q:…, v:…, a:…, tau:…) or ``.npz`` (arrays by name)."""
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
                        np.savetxt(file, table, delimiter=",", fmt="%.12g")
        return Path(path)


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
        told = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ShapeError(f"q, v, a and tau have a row for each sample; got so many rows: {told}")
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
