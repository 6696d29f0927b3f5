"""Measurements from files: tables (CSV), NumPy's archives, and recordings of ROS."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linkwright.errors import FormatError, UnknownNameError, counted, explained, warn
from linkwright.files import read_arrays, readable_file
from linkwright.identification.measurements.bags import BAGS, read_bag
from linkwright.identification.measurements.record import Measurements
from linkwright.model.coordinates import velocity_names
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model

TIMES = ("t", "time", "time_s", "timestamp", "seconds")

KINDS = {
    "q": ("q", "position", "pos"),
    "v": ("v", "qd", "dq", "velocity", "vel"),
    "a": ("a", "qdd", "ddq", "acceleration", "acc"),
    "tau": ("tau", "effort", "torque", "force"),
}
"""Words of a column header, before or after the name of the coordinate."""

OTHERS = ("kinetic", "potential", "energy")
"""Further arrays of a saved motion."""

_KIND = {word: kind for kind, words in KINDS.items() for word in words}


@explained
def read_measurements(path: str | Path, model: Model) -> Measurements:
    """Read measurements from a file.

    A table has a header and one row per sample, in SI units, separated by comma, semicolon or tab: ``time`` (or t),
    then ``q:NAME`` for each coordinate, and ``v:NAME``, ``a:NAME``, ``tau:NAME`` for each velocity, in any order.
    "position", "velocity", "acceleration", "effort" and "torque" are accepted too, before or after the name, separated
    by any of ``: . _ /``, numbers from 1 instead of names (``q1``), or a name alone for a position. Velocities and
    accelerations are optional. Files of :meth:`Motion.save` are accepted.

    Parameters
    ----------
    path : str or Path
        File ``.csv``, ``.npz`` (arrays ``q``, ``v``, ``a``, ``tau`` and ``t``), or a ROS recording (``.mcap``, ``.bag``
        or a folder) with ``sensor_msgs/JointState`` messages, which needs the extra ``bags``.
    model : Model
        Mechanism.

    Returns
    -------
    Measurements
        The measurements.

    Raises
    ------
    FormatError
        If the file is invalid; the message has line and column.
    MissingFileError
        If the file does not exist.
    """
    require_model(model, "read_measurements", "the second argument")
    is_path = isinstance(path, (str, os.PathLike))  # a number would be a file that is open
    file = Path(path) if is_path and os.path.isdir(path) else readable_file(path)
    if file.suffix.lower() in BAGS or file.is_dir():
        return read_bag(file, model)
    if file.suffix.lower() == ".npz":
        return _archive(file, model)
    if file.suffix.lower() in (".csv", ".tsv", ".txt"):
        return _table(file, model)
    raise FormatError(f"{file}: measurements are .csv, .npz, .mcap, .bag or a folder of a ROS recording")


def _archive(file: Path, model: Model) -> Measurements:
    arrays = read_arrays(file, "archive of measurements", ("q",), ("v", "a", "tau", "t"))
    for name, x in arrays.items():
        n = len(arrays["q"]) if arrays["q"].ndim else 0
        shape = (n,) if name == "t" else (n, model.nq if name == "q" else model.nv)
        if x.shape != shape or x.dtype.kind not in "fiu":
            raise FormatError(f"{file}: {name} is of numbers {shape}; got {x.shape} of {x.dtype}")
    return Measurements(**{name: x.astype(float, copy=False) for name, x in arrays.items()})


def _table(file: Path, model: Model) -> Measurements:
    try:
        with file.open(encoding="utf-8-sig") as lines:
            header = lines.readline()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{file}: {error}") from None
    separator = max(",;\t", key=header.count)
    names = [name.strip().strip('"').strip() for name in header.split(separator)]
    if not any(re.search("[A-Za-z]", name) for name in names):
        raise FormatError(f"{file}:1:1: the first line names the columns: time, q:NAME, v:NAME, a:NAME, tau:NAME")
    places = _places(file, names, model)
    try:
        with file.open(encoding="utf-8-sig") as lines, warnings.catch_warnings(action="ignore"):  # of no rows
            rows = np.loadtxt(lines, delimiter=separator, skiprows=1, ndmin=2, comments=None)
    except ValueError:
        raise _wrong_place(file, separator, names) or FormatError(f"{file}: it is no table of numbers") from None
    if not rows.size:
        raise FormatError(f"{file}:2:1: there are no samples below the header")
    if rows.shape[1] != len(names):
        raise _wrong_place(file, separator, names) or FormatError(
            f"{file}:2:1: {counted(len(names), 'column')} in the header, {rows.shape[1]} below"
        )
    used = sorted(k for columns in places.values() for k in columns)
    if not np.isfinite(rows[:, used]).all():
        raise _wrong_place(file, separator, names, used) or FormatError(f"{file}: a value is not finite")
    arrays = {what: rows[:, columns] for what, columns in places.items()}
    t = arrays.pop("t", None)
    return Measurements(**arrays, t=None if t is None else t[:, 0])


def _places(file: Path, header: Sequence[str], model: Model) -> dict[str, list[int]]:
    """In which columns the time and the coordinates are, in the order of the model."""
    coordinates = {"q": list(model.coordinate_names), **{kind: velocity_names(model) for kind in ("v", "a", "tau")}}
    found: dict[str, dict[str, int]] = {"t": {}, "q": {}, "v": {}, "a": {}, "tau": {}}
    ignored = []
    for k, name in enumerate(header):
        kind, coordinate = _meant(name, coordinates)
        if kind is None:
            ignored += [name] if name not in OTHERS else []
            continue
        if kind != "t" and coordinate not in coordinates[kind]:
            raise FormatError(
                f"{file}:1:{k + 1}: column {name!r}: {UnknownNameError('coordinate', coordinate, coordinates[kind])}"
            )
        if coordinate in found[kind]:
            raise FormatError(f"{file}:1:{k + 1}: column {name!r} repeats {coordinate or 'the time'}")
        found[kind][coordinate] = k
    for kind, names in coordinates.items():
        missing = [name for name in names if name not in found[kind]]
        if missing and (found[kind] or kind == "q"):
            headed = ", ".join(f"{kind}:{name}" for name in missing[:8]) + (", …" if len(missing) > 8 else "")
            raise FormatError(f"{file}:1:1: {counted(len(missing), 'column')} of {model.name!r} missing: {headed}")
    if ignored:
        warn(f"{file}: {counted(len(ignored), 'column')} not used: {', '.join(ignored[:8])}")
    ordered = {kind: [found[kind][name] for name in names] for kind, names in coordinates.items() if found[kind]}
    return ordered | ({"t": list(found["t"].values())} if found["t"] else {})


def _meant(name: str, coordinates: dict[str, list[str]]) -> tuple[str | None, str]:
    """Return the kind of a column, "t", "q", "v", "a", "tau" or None, and its coordinate."""
    if name.lower() in TIMES:
        return "t", ""
    if name in coordinates["q"]:
        return "q", name
    words = "|".join(sorted(_KIND, key=len, reverse=True))
    if before := re.fullmatch(rf"({words})\s*(?:[:._/ ]\s*(.+)|\[?(\d+)\]?)", name, re.IGNORECASE):
        kind = _KIND[before[1].lower()]
        coordinate, number = before[2], before[3]
    elif after := re.fullmatch(rf"(.+?)\s*[:._/ ]\s*({words})", name, re.IGNORECASE):
        kind, coordinate, number = _KIND[after[2].lower()], after[1], None
    else:
        return None, ""
    names = coordinates[kind]
    if coordinate is not None and coordinate not in names and coordinate.isdigit():
        number = coordinate
    if number is not None:
        place = int(number) if len(number) < 10 else 0  # more digits are no number of a coordinate
        return kind, names[place - 1] if 0 < place <= len(names) else f"{number} (from 1)"
    return kind, coordinate


def _wrong_place(
    file: Path, separator: str, header: Sequence[str], used: Sequence[int] | None = None
) -> FormatError | None:
    """The first thing wrong in a table, with its line and column."""
    with file.open(encoding="utf-8-sig", errors="surrogateescape") as lines:  # a wrong byte is in no number
        next(lines)
        for number, line in enumerate(lines, start=2):
            cells = line.rstrip("\r\n").split(separator)
            if cells == [""]:
                continue
            if len(cells) != len(header):
                return FormatError(
                    f"{file}:{number}:1: {counted(len(header), 'value')} expected, one a column; got {len(cells)}"
                )
            at = 1
            for k, cell in enumerate(cells):
                try:
                    value = float(cell)
                    if "_" in cell or not cell.isascii():  # which Python reads, and tables do not have
                        raise ValueError
                except ValueError:
                    return FormatError(f"{file}:{number}:{at}: {header[k]} is a number; got {cell.strip()!r}")
                if used is not None and k in used and not np.isfinite(value):
                    return FormatError(f"{file}:{number}:{at}: {header[k]} is finite; got {cell.strip()}")
                at += len(cell) + 1
    return None
