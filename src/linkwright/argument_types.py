"""Arguments of a call that has failed, compared with their annotations and their documentation.

Functions compute without a check of every argument, since a check would cost more than many of them. Only after an
error of Python or NumPy inside a function are its arguments examined here.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

_ARRAYS = ("Annotated", "array_like", "array_like of bool", "ArrayLike", "Array", "np.ndarray", "NDArray", "Shaped")
_NUMBERS = ("float", "int")
_ITERABLES = ("Sequence", "Iterable", "Collection", "list", "tuple")


def unsuitable_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> list[str]:
    """Return the arguments that do not have the documented type, each with the type and the given value."""
    documented = documented_types(function)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in arguments or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given, annotation = arguments[parameter.name], parameter.annotation
        if given is parameter.default or annotation is parameter.empty:
            continue
        text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")
        if text == "Any" and parameter.name in documented:
            text = " | ".join(re.split(r", | or ", documented[parameter.name]))
        if not _is_of(given, text, getattr(function, "__globals__", {})):
            found.append(
                f"{parameter.name} must be {_with_article(documented.get(parameter.name, text))}; got {_shown(given)}"
            )
    return found


def _with_article(kind: str) -> str:
    """Return a documented type as a noun with its article: "a sequence of str", "an array_like"; unions unchanged."""
    if not re.match(r"[A-Za-z_]", kind) or re.search(r"\||\bor\b|^None", kind):
        return kind
    return f"{'an' if re.match('[aeiou]|nd', kind) else 'a'} {kind}"


def given_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> str:
    """Return the given arguments as text: of arrays their shapes, with the documented types."""
    documented = documented_types(function)
    parts = []
    for name, given in arguments.items():
        shape = array_shape(given)
        text = f"{name} of shape {shape}" if shape else f"{name} = {_shown(given)}"
        parts.append(text + (f" (expected: {documented[name]})" if name in documented else ""))
    return "; ".join(parts)


def documented_types(function: Callable[..., Any]) -> dict[str, str]:
    """Return the types of the parameters in a docstring of numpydoc's form."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n--|\Z)", inspect.getdoc(function) or "", re.M | re.S)
    lines = re.findall(r"^(\S[^\n]*?) : (.+)$", section[1] if section else "", re.M)
    return {n.strip(" *"): kind.removesuffix(", optional") for names, kind in lines for n in names.split(",")}


def array_shape(given: Any) -> tuple[int, ...] | None:
    """Return the shape of an array of numbers or symbols; None for other objects."""
    import numpy as np  # here: `import linkwright` needs no NumPy

    try:
        return tuple(np.shape(given)) if _is_array(given) else None
    except ValueError:
        return None


def is_user_code(traceback: types.TracebackType | None) -> bool:
    """Return whether a traceback goes through functions of the user."""
    while traceback is not None:
        if not is_library(traceback.tb_frame):
            return True
        traceback = traceback.tb_next
    return False


def is_library(frame: types.FrameType) -> bool:
    """Return whether a frame belongs to this library, to Python's or to those that it calls."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in _LIBRARIES or package in sys.stdlib_module_names


_LIBRARIES = (
    *("linkwright", "numpy", "scipy", "sympy", "mpmath", "matplotlib", "llvmlite"),
    *("torch", "jax", "jaxlib", "casadi"),
)


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _is_of(given: Any, annotation: str, scope: Mapping[str, Any]) -> bool:
    return any(_is_one_of(given, one, scope) for one in _alternatives(annotation))


def _alternatives(annotation: str) -> Iterator[str]:
    """Yield the types of a union: those between bars outside of brackets."""
    depth, start = 0, 0
    for k, letter in enumerate(annotation):
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and not depth:
            yield annotation[start:k].strip()
            start = k + 1
    yield annotation[start:].strip()


def _is_one_of(given: Any, annotation: str, scope: Mapping[str, Any]) -> bool:
    """Return whether a value is of a type; true for types that are not known here."""
    kind, _, parameters = annotation.partition("[")
    if kind == "None":
        return given is None
    if kind in _ARRAYS:
        return _is_array(given)
    if kind in _NUMBERS:
        return array_shape(given) == ()
    if kind == "bool":
        return isinstance(given, bool)
    if kind == "str":
        return isinstance(given, str)
    if kind in ("Callable", "Step"):
        return callable(given)
    if kind in ("Mapping", "dict"):
        return isinstance(given, Mapping)
    if kind in _ITERABLES:
        if not isinstance(given, Iterable) or isinstance(given, str) or getattr(given, "shape", None) == ():
            return False
        return parameters != "str]" or all(isinstance(one, str) for one in given)
    known = scope.get(kind)
    if not isinstance(known, type) or known is Any:
        return True
    try:
        return isinstance(given, known)
    except TypeError:  # a protocol
        return True


def _is_array(given: Any) -> bool:
    """Return whether an object is an array of real numbers or symbols, without masked entries."""
    import numpy as np  # here: `import linkwright` needs no NumPy

    if given is None or isinstance(given, (str, bytes, Mapping, set)) or np.ma.is_masked(given):
        return False
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, RuntimeError):  # rows of different lengths; other libraries
        return False
    return array.dtype.kind in "fiub" or (array.dtype.kind == "O" and all(map(_is_entry, array.flat)))


def _is_entry(x: Any) -> bool:
    """Return whether an entry of an array of objects is a symbol or a number in the range of float64."""
    if isinstance(x, int):
        return abs(x) < 2**1023
    return isinstance(x, float) or (hasattr(x, "__truediv__") and not isinstance(x, complex))
