"""Functions of upper layers that lower layers call.

The package, which is above all layers, sets them when it is imported (`linkwright/__init__.py`). No lower layer imports
an upper layer.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from linkwright.errors import LinkwrightError

F = TypeVar("F", bound=Callable[..., Any])


class Provided:
    """A function of an upper layer."""

    def __init__(self, purpose: str):
        self.purpose = purpose
        self.function: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self.function is None:
            raise LinkwrightError(f"no function is provided that {self.purpose}: import the package 'linkwright' first")
        return self.function(*arguments, **options)


save_model = Provided("writes a model to a file")
hull_of_mesh = Provided("reads the convex hull of a mesh")
always_overlapping = Provided("finds shapes that overlap in all configurations")
disabled_collisions = Provided("reads the disabled collisions of an SRDF file")
show_in_studio = Provided("shows a motion in the browser")
save_motion_page = Provided("writes a motion as a page")
save_motion_log = Provided("writes a motion as a log of Foxglove or Rerun")
written_equations = Provided("writes out the equations of a block")
symbols_of_sympy = Provided("converts expressions of SymPy")
casadi_function = Provided("converts a program to a function of CasADi")
on_sympy = Provided("evaluates functions of expressions of SymPy")


def holds_sympy(x: Any) -> bool:
    """Return whether an array, or a mapping of arrays, has expressions of SymPy."""
    sympy = sys.modules.get("sympy")
    if sympy is None:
        return False
    if not hasattr(x, "__iter__"):  # a number, an expression, of which traces have many, or a matrix of SymPy
        return isinstance(x, (sympy.Basic, sympy.MatrixBase))
    if getattr(getattr(x, "dtype", None), "kind", "O") != "O":
        return False
    if isinstance(x, Mapping):
        return any(map(holds_sympy, x.values()))
    import numpy as np  # here: `import linkwright` needs no NumPy

    try:
        entries = np.asarray(x, dtype=object)
    except (ValueError, TypeError, RuntimeError):  # no array, such as nested states of a loop; of another library
        return any(map(holds_sympy, x)) if isinstance(x, (list, tuple)) else False
    return any(isinstance(entry, sympy.Basic) for entry in entries.flat)


def returns_sympy(function: F) -> F:
    """Return a function of a model whose results are SymPy's if the model has symbols of SymPy."""

    @functools.wraps(function)
    def call(model: Any, *args: Any, **named: Any) -> Any:
        return on_sympy(function, (model, *args), named) if model.holds_symbols else function(model, *args, **named)

    return call  # type: ignore[return-value]


def numbers_of_sympy(x: Any) -> Any:
    """Return exact numbers of SymPy, also in arrays and mappings, as numbers; objects without them are unchanged.

    Arrays with symbols are unchanged, too.
    """
    if not holds_sympy(x):
        return x
    if isinstance(x, Mapping):
        return {name: numbers_of_sympy(one) for name, one in x.items()}
    try:
        numbers = symbols_of_sympy(x)
    except (LinkwrightError, ValueError):  # a complex number; arrays that do not form one
        return x
    return numbers[()] if getattr(getattr(numbers, "dtype", None), "kind", "") == "f" else x


def accepts_sympy(function: F) -> F:
    """Return a function of symbols that accepts expressions of SymPy, too; its results are then SymPy's.

    This is the only conversion of arguments: the function is evaluated on symbols of this library.
    """

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if "sympy" in sys.modules:
            for x in (*args, *named.values()):
                if holds_sympy(x):
                    return on_sympy(function, args, named)
        return function(*args, **named)

    return call  # type: ignore[return-value]
