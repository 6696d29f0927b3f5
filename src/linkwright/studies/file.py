"""Studies described by a TOML file: the mechanism, the computation, the parameters, the outputs and the store."""

from __future__ import annotations

import importlib.util
import os
import re
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright
from linkwright.bounds import whole_number
from linkwright.errors import InputError, UnknownNameError, counted
from linkwright.files import read_arrays
from linkwright.formats.load import load
from linkwright.spatial.arrays import finite
from linkwright.studies import samples
from linkwright.studies.distributions import Distribution
from linkwright.studies.samples import Samples

KEYS = {
    "title": str,
    "model": str,
    "function": str,
    "store": str,
    "samples": str,
    "rows": int,
    "seed": int,
    "table": str,
    "batched": bool,
    "chunk": int,
    "keep": list,
    "with": dict,
    "vary": dict,
    "units": dict,
}
"""Keys of the file, and their types."""

OPTIONS = ("title", "batched", "chunk", "keep", "units")

KINDS = ("grid", "table", "random", "sobol", "saltelli")

DISTRIBUTIONS: dict[str, Callable[..., Distribution]] = {
    "uniform": samples.uniform,
    "log_uniform": samples.log_uniform,
    "normal": samples.normal,
}


@dataclass(frozen=True)
class StudyFile:
    """Contents of a study file."""

    function: Callable[..., Any]
    parameters: Samples
    store: Path
    options: Mapping[str, Any]
    """the other arguments of ``study``"""


def read_study(path: str | Path) -> StudyFile:
    """Read a study file; paths in it are relative to its folder.

    Raises :class:`InputError` with the position for invalid contents.
    """
    file = Path(path)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # also of integers that are too long, and of bytes that are no text
        raise InputError(f"{str(path)!r} is not TOML: {error}") from None
    for key, value in table.items():
        if key not in KEYS:
            raise UnknownNameError(f"key in {file.name}", key, KEYS)
        if not isinstance(value, KEYS[key]):
            raise InputError(f"{file.name}: {key} is {_kind(KEYS[key])}; got {value!r}")
    for key in ("function", "vary") if "table" not in table else ("function",):
        if key not in table:
            raise InputError(f"{file.name} has no {key}; it needs function, and vary or table")
    options: dict[str, Any] = {key: table[key] for key in OPTIONS if key in table}
    options.setdefault("title", file.stem)
    store = file.parent / table.get("store", file.stem)
    return StudyFile(_function(table, file), _samples(table, file), store, options)


def _kind(kind: type) -> str:
    return {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}[kind]


def _function(table: Mapping[str, Any], file: Path) -> Callable[..., Any]:
    """One of Linkwright's, or ``"programs.py:function"``, with the model and what is bound to it."""
    name, bound = table["function"], dict(table.get("with", {}))
    model = None
    if "model" in table:
        beside = file.parent / table["model"]
        # a folder may be the results of an earlier run
        model = load(str(beside) if os.path.isfile(beside) else table["model"])  # False for a name that is too long
    place, colon, inner = name.partition(":")
    if colon:
        function = _of_file(file.parent / place, inner)
    elif name in linkwright.__all__ and callable(getattr(linkwright, name)):
        function = getattr(linkwright, name)
    else:
        known = [one for one in linkwright.__all__ if callable(getattr(linkwright, one))]
        raise UnknownNameError("function", name, [*known, "FILE.py:NAME"])
    return partial(function, *([] if model is None else [model]), **bound)


def _of_file(path: Path, name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location(path.stem, path) if os.path.isfile(path) else None
    if spec is None or spec.loader is None:
        raise InputError(f"there is no Python file {str(path)!r}")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"{str(path)!r} fails: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [one for one, x in vars(module).items() if callable(x) and not one.startswith("_")]
        raise UnknownNameError(f"function in {path.name}", name, known)
    return function  # type: ignore[no-any-return]


def _samples(table: Mapping[str, Any], file: Path) -> Samples:
    vary = table.get("vary", {})
    if "table" in table:
        if vary or table.get("samples", "table") != "table":
            raise InputError(f"{file.name}: a table has all parameters; leave vary and samples away")
        return _table(file.parent / table["table"])
    read = {name: _spread(name, x, file) for name, x in vary.items()}
    spread = any(isinstance(x, Distribution) for x in read.values())
    kind = table.get("samples", "random" if spread else "grid")
    if kind not in KINDS:
        raise UnknownNameError("kind of samples", kind, KINDS)
    if kind in ("grid", "table"):
        if odd := [name for name, x in read.items() if isinstance(x, Distribution)]:
            raise InputError(f"{file.name}: a {kind} has lists of values; {odd[0]} is a distribution")
        return samples.grid(**read) if kind == "grid" else samples.table(read)
    if "rows" not in table:
        raise InputError(f"{file.name}: samples = {kind!r} needs rows, how many")
    make: Callable[..., Samples] = getattr(samples, kind)
    return make(table["rows"], table.get("seed", 0), **read)


MOST = 100_000_000
"""Values of a list that is written by its ends."""


def _spread(name: str, given: Any, file: Path) -> Any:
    """A list of values, or a distribution: ``{uniform = [low, high]}``, ``{linspace = [first, last, count]}``."""
    if not isinstance(given, dict):
        return given
    kinds = (*DISTRIBUTIONS, "choice", "linspace")
    if len(given) != 1 or next(iter(given)) not in kinds:
        raise InputError(f"{file.name}: {name} is a list of values or one of {', '.join(kinds)}; got {given!r}")
    ((kind, numbers),) = given.items()
    if kind == "choice":
        return samples.choice(numbers)
    count = 3 if kind == "linspace" else 2
    if not isinstance(numbers, list) or len(numbers) != count:
        raise InputError(f"{file.name}: {kind} of {name} takes {count} entries; got {numbers!r}")
    if kind == "linspace":
        whole_number(f"{file.name}: count of linspace [first, last, count] of {name}", numbers[2], 1)
        first, last = (finite(f"{file.name}: an end of linspace of {name}", x) for x in numbers[:2])
        if first.shape != last.shape and first.shape and last.shape:
            raise InputError(f"{file.name}: the ends of linspace of {name} differ in shape; got {numbers!r}")
        if numbers[2] * max(first.size, last.size) > MOST:
            raise InputError(f"{file.name}: linspace of {name} has more than {MOST} values; got {numbers!r}")
        with np.errstate(over="ignore", invalid="ignore"):  # of ends that are too far apart
            return finite(f"{file.name}: linspace of {name}", np.linspace(first, last, numbers[2]))
    return DISTRIBUTIONS[kind](*numbers)


WIDTHS = re.compile(r"Line #(\d+) \(got (\d+) columns instead of (\d+)\)")
"""NumPy's message for a row that is too short or too long."""


def _table(path: Path) -> Samples:
    """Columns of a CSV file with a header, or arrays of an archive of NumPy (.npz)."""
    try:
        if path.suffix == ".npz":
            return samples.table(read_arrays(path, "table of samples"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an empty file is reported below
            rows = np.genfromtxt(path, delimiter=",", names=True, encoding="utf-8", deletechars="")
    except IndexError:  # what NumPy raises where there is no header
        raise InputError(f"the table {str(path)!r} is empty; it needs a header with the names of its columns") from None
    except OSError as error:
        raise InputError(f"cannot read the table {str(path)!r}: {error.strerror or error}") from None
    except ValueError as error:
        if odd := WIDTHS.search(str(error)):
            line, found, wanted = odd.groups()
            raise InputError(
                f"the table {str(path)!r}: line {line} has {counted(int(found), 'entry', 'entries')}, the header "
                f"{counted(int(wanted), 'name')}"
            ) from None
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read the table {str(path)!r}: {' '.join(str(error).split())}") from None
    if rows.dtype.names is None or not rows.size:
        raise InputError(f"the table {str(path)!r} needs a header with the names of its columns, and rows below it")
    found = {name: np.atleast_1d(rows[name]) for name in rows.dtype.names}
    if bad := [name for name, x in found.items() if not np.isfinite(x).all()]:
        raise InputError(f"the table {str(path)!r}: the column {bad[0]!r} has entries that are no numbers")
    return samples.table(found)
