"""Functions of one row, made to take any number of them: compiled for numbers, on symbols as they are written."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from linkwright.compiler.call_errors import no_array
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.signatures import batched
from linkwright.errors import ArgumentError, ShapeError, add_entry, call_explained, wrong_call
from linkwright.expression.symbols import comparable
from linkwright.expression.sympy.numbers import unwrapped, wrapped
from linkwright.provided import holds_sympy
from linkwright.spatial.arrays import Array, is_symbolic

F = TypeVar("F", bound=Callable[..., Any])

_SHAPED = re.compile(r"Shaped\[\w+, ['\"]([^'\"]*)['\"]\]")


def rows(function: F) -> F:
    """Return a function of arrays of fixed shapes, given by its annotations, with support for leading dimensions.

    For numbers it is compiled at the first call; arguments that are text, or have no annotated shape, are constants.
    For symbols, also in a function that is being compiled, the function itself is evaluated.
    """
    return _face(function, None, None)


def rows_looked_at(doubt: Callable[..., Any], look: Callable[..., None]) -> Callable[[F], F]:
    """Return :func:`rows` of a function whose numerical arguments are checked.

    ``doubt`` of its arguments is a number per row, computed in the same kernel; if one is positive, ``look`` is called
    with the arguments by name, and raises or warns.
    """
    return lambda function: _face(function, doubt, look)


def _face(function: F, doubt: Callable[..., Any] | None, look: Callable[..., None] | None) -> F:
    signature = inspect.signature(function)
    name, names = function.__name__, list(signature.parameters)
    shapes = {n: annotated_shape(p.annotation) for n, p in signature.parameters.items()}
    by_name = {n for n, p in signature.parameters.items() if shapes[n] is None or "str" in str(p.annotation)}
    kernels: dict[Any, Kernel] = {}
    of_numbers = function if doubt is None else _with_doubt(function, doubt)

    def kernel(fixed: dict[str, Any]) -> Kernel:
        inputs = {n: shape for n, shape in shapes.items() if shape is not None and n not in fixed}
        return Kernel(trace(bind(of_numbers, None, inputs, values=fixed)))

    def otherwise(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """A first call, arguments by name or left out, symbols, or a mistake to explain."""
        try:
            given = signature.bind(*args, **named)
        except TypeError:
            raise wrong_call(name, signature, args, named) from None
        given.apply_defaults()
        arguments = given.arguments
        fixed = {n: x for n, x in arguments.items() if shapes[n] is None or (isinstance(x, str) and n in by_name)}
        arrays = {n: x for n, x in arguments.items() if n not in fixed}
        for n, x in arrays.items():
            try:
                large = _holds_large_numbers(x)
            except (TypeError, RuntimeError):  # of a library that records operations on it
                raise no_array(name, n, x, name) from None
            if large:
                raise ArgumentError(f"{name}: {n} must be an array of real numbers; got {x!r:.200}")
        if _any_symbols(arrays):
            return _on_symbols(function, fixed, arrays, {n: shapes[n] or () for n in arrays})
        try:
            made = kernels.get(key := tuple(fixed.get(n) for n in names))
        except TypeError:
            raise ArgumentError(f"{name}: options are names and numbers; got {fixed!r}") from None
        if made is None:
            made = kernels[key] = kernel(fixed)
        found = made(*arrays.values())
        if look is None:
            return found
        if _any_above(found[-1]):
            look(**arguments)
        return _but_last(found)

    of_arrays = (None,) * len(names)  # the kernel where nothing is bound

    @functools.wraps(function)
    def plain(*args: Any, **named: Any) -> Any:
        if not named:
            try:
                return kernels[of_arrays](*args)
            except Exception:
                pass
        return call_explained(lambda: otherwise(args, named), function, args, named)

    @functools.wraps(function)
    def looking(*args: Any, **named: Any) -> Any:
        if not named:
            try:
                found = kernels[of_arrays](*args)
            except Exception:
                pass
            else:
                if _any_above(found[-1]) and look is not None:
                    look(**dict(zip(names, args, strict=True)))
                return _but_last(found)
        return call_explained(lambda: otherwise(args, named), function, args, named)

    face = plain if look is None else looking
    add_entry(face)
    annotated: Any = face
    annotated.book = function
    annotated.__signature__ = batched(function)
    return annotated


def _any_above(x: Any) -> bool:
    """Return whether any entry is positive; for one row without the overhead of NumPy."""
    return x > 0.0 if isinstance(x, float) else bool((x > 0.0).any())


def _but_last(results: tuple[Any, ...]) -> Any:
    return results[0] if len(results) == 2 else results[:-1]


def _with_doubt(function: Callable[..., Any], doubt: Callable[..., Any]) -> Callable[..., Any]:
    """The results of a function, and what is doubted of its arguments."""

    @functools.wraps(function)
    def both(*args: Any, **named: Any) -> Any:
        found = function(*args, **named)
        return (*(found if isinstance(found, tuple) else (found,)), doubt(*args, **named))

    return both


def annotated_shape(annotation: Any) -> tuple[int, ...] | None:
    """Return the shape of an annotation."""
    found = _SHAPED.search(str(annotation))
    return None if found is None else tuple(int(n) for n in found[1].split())


def _holds_large_numbers(x: Any) -> bool:
    """Return whether an array has integers that are too large for float64, which NumPy stores as objects."""
    if isinstance(x, np.ndarray) and x.dtype.kind != "O":
        return False
    try:
        entries = np.asarray(x)
    except ValueError:  # rows of different lengths; the kernel says which
        return False
    return entries.dtype.kind == "O" and entries.size > 0 and all(isinstance(one, int) for one in entries.flat)


def _any_symbols(arrays: dict[str, Any]) -> bool:
    try:
        return is_symbolic(*arrays.values())
    except ValueError:  # rows of different lengths; the kernel says which
        return False


def _on_symbols(
    function: Callable[..., Any], fixed: dict[str, Any], arrays: dict[str, Any], shapes: dict[str, tuple[int, ...]]
) -> Any:
    """The function of every row of arrays of which some are symbols."""
    given = {n: np.asarray(x, dtype=object if is_symbolic(x) else float) for n, x in arrays.items()}
    leads = {}
    for n, x in given.items():
        lead = x.ndim - len(shapes[n])
        if lead < 0 or x.shape[lead:] != shapes[n]:
            wanted = f"(…, {', '.join(map(str, shapes[n]))})" if shapes[n] else "(…)"
            raise ShapeError(f"{function.__name__}: {n} has shape {x.shape}; expected {wanted}")
        leads[n] = x.shape[:lead]
    try:
        batch = np.broadcast_shapes(*leads.values())
    except ValueError:
        raise ShapeError(f"{function.__name__}: these batch dimensions do not broadcast: {leads}") from None
    of_sympy = any(holds_sympy(x) for x in given.values() if x.dtype == object)
    if of_sympy:
        given = {n: wrapped(x) for n, x in given.items()}
    finished = unwrapped if of_sympy else comparable
    every = {n: np.broadcast_to(x, batch + shapes[n]) for n, x in given.items()}
    if 0 in batch:  # no rows: the shapes of one
        of_one = function(**fixed, **{n: np.ones(shapes[n]) for n in given})
        return _each(lambda x: np.empty((*batch, *np.shape(x))), of_one)
    results = [function(**fixed, **{n: x[i] for n, x in every.items()}) for i in np.ndindex(*batch)]
    if not batch:
        return _each(finished, results[0])
    if isinstance(results[0], tuple):
        return tuple(finished(_joined(parts, batch)) for parts in zip(*results, strict=True))
    return finished(_joined(results, batch))


def _each(of: Callable[[Any], Any], result: Any) -> Any:
    return tuple(map(of, result)) if isinstance(result, tuple) else of(result)


def _joined(parts: Any, batch: tuple[int, ...]) -> Array:
    joined = np.stack([np.asarray(x) for x in parts])
    return joined.reshape(batch + joined.shape[1:])
