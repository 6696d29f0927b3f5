"""Digests of the computation of a study: equal in all processes and on all machines for the same computation.

The digest of a function includes its code and all that it reads: bound values, closure variables, globals and,
recursively, called functions. Functions of installed packages are represented by their names.
"""

from __future__ import annotations

import dataclasses
import hashlib
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.errors import InputError
from linkwright.model.tree import Model
from linkwright.simulation.actuation.fingerprint import names_looked_up
from linkwright.studies.rollouts import RolloutOf
from linkwright.studies.samples import VALUES, Samples

TOOLS = ("_thread", "threading", "logging", "_io")
"""Modules whose objects do not affect results: locks, loggers, streams."""

Parts = dict[str, str]
"""digests of parts, by readable names"""


def function_parts(function: Callable[..., Any]) -> Parts:
    """Return the digest of a function, and separately those of the values bound by ``partial``.

    Raises :class:`InputError` for objects that cannot be identified.
    """
    parts: Parts = {}
    while isinstance(function, partial):
        for name, value in function.keywords.items():
            parts.setdefault(name, _digest(name, value))
        for k, value in enumerate(function.args):
            name = f"model {value.name!r}" if isinstance(value, Model) else f"argument {k + 1}"
            parts.setdefault(name, _digest(name, value))
        function = function.func
    return {f"function {function_name(function)!r}": _digest("the function", function), **parts}


def function_name(function: Callable[..., Any]) -> str:
    """As it is called where it is written."""
    while isinstance(function, (partial, RolloutOf)):
        function = function.call if isinstance(function, RolloutOf) else function.func
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return str(name or type(function).__qualname__).rpartition("<locals>.")[2].replace("<lambda>", "lambda")


def samples_parts(samples: Samples) -> Parts:
    """Return the description of sets of parameters: kind, rows and seed as they are, digests of arrays."""
    described = samples.described()
    parts = {name: str(x) for name, x in described.items() if name != VALUES}
    values = {f"parameter {name!r}": _digest(name, x) for name, x in described[VALUES].items()}
    return {**parts, **values, "order": ", ".join(described[VALUES])}  # on which draws and combinations depend


def _digest(what: str, x: Any) -> str:
    found = hashlib.blake2b(digest_size=16)
    try:
        for piece in _pieces(x, ()):
            found.update(len(piece).to_bytes(8, "little"))
            found.update(piece)
    except TypeError as error:
        raise InputError(
            f"a study goes on only with the same function, and cannot know whether {what} is the same: {error}"
        ) from None
    return found.hexdigest()


def _pieces(x: Any, around: tuple[int, ...]) -> Iterator[bytes | memoryview]:
    """Return bytes that identify an object, its kind first."""
    if id(x) in around:
        yield b"again"
        return
    if x is None or x is ... or isinstance(x, (bool, int, str, bytes, range, slice)):
        yield from (type(x).__name__.encode(), repr(x).encode())
        return
    if isinstance(x, (float, complex, np.generic)) or (isinstance(x, np.ndarray) and x.ndim == 0):
        array = np.asarray(x)
        yield from (b"number", array.dtype.str.encode(), array.tobytes())
        return
    inner = (*around, id(x))
    if isinstance(x, np.ndarray):
        if x.dtype.hasobject:
            raise TypeError("it has an array of objects")
        yield from (b"array", x.dtype.str.encode(), repr(x.shape).encode())
        yield np.ascontiguousarray(x).reshape(-1).view(np.uint8).data  # large tables are not copied
    elif isinstance(x, CodeType):
        yield from (b"code", x.co_code, repr((x.co_names, x.co_varnames, x.co_freevars)).encode())
        for constant in x.co_consts:
            yield from _pieces(constant, inner)
    elif isinstance(x, ModuleType):
        yield from (b"module", x.__name__.encode())
    elif isinstance(x, MethodType):
        yield b"method"
        yield from _pieces([x.__func__, x.__self__], inner)
    elif isinstance(x, BuiltinFunctionType) and not isinstance(x.__self__, (ModuleType, type, type(None))):
        yield from (b"method", x.__name__.encode())
        yield from _pieces(x.__self__, inner)
    elif isinstance(x, (BuiltinFunctionType, np.ufunc)) or (callable(x) and _package(x)):
        yield from (b"named", _name(x).encode())
    elif isinstance(x, type):
        yield from (b"class", _name(x).encode())
        yield from _pieces({name: one for name, one in vars(x).items() if _is_written(name, one)}, inner)
        yield from _pieces(x.__bases__, inner)
    elif isinstance(x, property):
        yield from _pieces(x.fget, inner)
    elif isinstance(x, partial):
        yield b"partial"
        yield from _pieces([x.func, x.args, x.keywords], inner)
    elif isinstance(x, FunctionType):
        yield b"function"
        cells = {name: _content(cell) for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True)}
        names = sorted({*names_looked_up(x.__code__)})
        read = {name: x.__globals__[name] for name in names if name in x.__globals__}
        own = [module for module in read.values() if isinstance(module, ModuleType) and not _is_installed(module)]
        parts = [{name: getattr(module, name) for name in names if hasattr(module, name)} for module in own]
        yield from _pieces([x.__code__, x.__defaults__, x.__kwdefaults__, cells, read, parts], inner)
    elif callable(x) and hasattr(x, "__wrapped__"):  # functools.cache and the like
        yield from _pieces(x.__wrapped__, inner)
    elif isinstance(x, (staticmethod, classmethod)):
        yield from _pieces(x.__func__, inner)
    elif isinstance(x, Kernel):
        yield b"kernel"
        program: Any = x.program
        yield from _pieces([program.inputs, program.outputs, program.instructions, program.results, x._bound], inner)
    elif isinstance(x, Mapping):
        yield b"mapping"
        for name in x:
            yield from _pieces(name, inner)
            yield from _pieces(x[name], inner)
    elif isinstance(x, (list, tuple)):
        yield type(x).__name__.encode()
        yield str(len(x)).encode()
        for piece in x:
            yield from _pieces(piece, inner)
    elif isinstance(x, (set, frozenset)):
        yield b"set"
        yield from sorted(_digest("a set", piece).encode() for piece in x)
    elif isinstance(x, Enum):
        yield from (b"enum", _name(type(x)).encode(), x.name.encode())
    elif isinstance(x, (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)):
        raise TypeError(
            "it has a random generator, which would give other numbers when the study goes on. Draw them as parameters "
            "(lw.samples.random), or make the generator within the function, from a seed that is a parameter"
        )
    elif type(x).__module__ in TOOLS:
        yield from (b"tool", _name(type(x)).encode())
    elif isinstance(x, Path):
        yield from (b"path", str(x).encode())
    elif dataclasses.is_dataclass(x):
        yield b"dataclass"
        yield from _pieces(type(x), inner)
        for field in dataclasses.fields(x):
            if field.compare:
                yield from _pieces(getattr(x, field.name), inner)
    elif hasattr(x, "__dict__"):
        yield b"object"
        yield from _pieces(type(x), inner)
        yield from _pieces({name: value for name, value in vars(x).items() if not name.startswith("__")}, inner)
    else:
        raise TypeError(f"it has {x!r}, and what a {type(x).__name__} holds is not known")


def _name(x: Any) -> str:
    return f"{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', getattr(x, '__name__', ''))}"


def _is_written(name: str, x: Any) -> bool:
    """Return whether a class attribute is written in the class, not added by Python."""
    if isinstance(x, (FunctionType, staticmethod, classmethod, property)):
        return True
    return not name.startswith("__") and isinstance(x, (bool, int, float, str, tuple, np.ndarray))


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing yet
        return None


def _package(x: Any) -> str:
    """The installed package that it is of; none where it is the user's own."""
    if not hasattr(x, "__qualname__"):
        return ""
    home = str(getattr(x, "__module__", None) or "")
    first = home.partition(".")[0]
    if first in ("linkwright", "builtins"):
        return first
    module = sys.modules.get(home)
    return first if module is not None and _is_installed(module) else ""


def _is_installed(module: ModuleType) -> bool:
    place = getattr(module, "__file__", None) or ""
    first = module.__name__.partition(".")[0]
    return (first in ("linkwright", *sys.stdlib_module_names) and first != "__main__") or "site-packages" in place
