"""Programs kept on disk: the second process reads them instead of tracing a function again.

A program is kept under a digest of all that determines it: the sources of the library, and the content of the model and
the options. Functions and classes of the library are known by their names, since its sources are part of the digest.
Those of others are not: a program that they determine is not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import pickle
import sys
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from linkwright.compiler.ir.program import Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.native.cache import read, write

PACKAGE = __name__.partition(".")[0]

KNOWN = (PACKAGE, "builtins", "numpy", "pathlib", "types", "collections", "functools", "enum", "fractions")
"""Packages whose functions and classes are known by their names"""


Made = TypeVar("Made", Program, "Program | Staged")


def kept_program(make: Callable[[], Made], *determined_by: Any) -> Made:
    """Return a program as it was kept on disk, or ``make()``, which is kept if it is a :class:`Program`.

    Parameters
    ----------
    make : callable
        Function without arguments that returns the program, a function of the library.
    *determined_by
        All that determines the program besides the sources of the library, such as the model and the options. If it
        includes functions or classes of others, the program is not kept.

    Returns
    -------
    Program
        The program.
    """
    name = _name(determined_by)
    image = read(name)
    if image is not None:
        with contextlib.suppress(zlib.error, pickle.UnpicklingError, AttributeError, ImportError, EOFError):
            program = pickle.loads(zlib.decompress(image))
            if isinstance(program, Program):
                return program
    program = make()
    if name is not None and isinstance(program, Program):
        write(name, zlib.compress(pickle.dumps(program, pickle.HIGHEST_PROTOCOL), level=1))
    return program


def _name(determined_by: tuple[Any, ...]) -> str | None:
    """Return the name under which a program is kept; None if it cannot be known what determines it."""
    own = sources()
    if own is None:
        return None
    content = io.BytesIO()
    try:
        _ContentPickler(content, pickle.HIGHEST_PROTOCOL).dump(determined_by)
    except (pickle.PicklingError, TypeError, AttributeError):  # of functions without a name, say
        return None
    return hashlib.sha256(b"program " + own + content.getbuffer()).hexdigest()


class _ContentPickler(pickle.Pickler):
    """Pickler of objects by their content; raises an error for functions and classes of other packages."""

    def reducer_override(self, x: Any) -> Any:
        if isinstance(x, (type, FunctionType, BuiltinFunctionType, np.ufunc, ModuleType)):
            home = str(getattr(x, "__module__", None) or "numpy").partition(".")[0]
            if home not in KNOWN:
                raise pickle.PicklingError(f"{x!r} may change")
        return NotImplemented


@cache
def sources() -> bytes | None:
    """Return a digest of the places, sizes and times of the library's sources, as Python compares them.

    It is None where they are not files.
    """
    home = Path(getattr(sys.modules[PACKAGE], "__file__", None) or "").parent
    found = []
    try:
        for path in sorted(home.rglob("*.py")):
            status = path.stat()
            found.append((str(path.relative_to(home)), status.st_size, status.st_mtime_ns))
    except OSError:
        return None
    return hashlib.sha256(repr((sys.version, np.__version__, found)).encode()).digest() if found else None
