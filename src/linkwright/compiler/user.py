"""Functions for users' functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compiler.front.bind import shape_of
from linkwright.errors import ArgumentError, ShapeError, explained
from linkwright.expression.graph import Graph
from linkwright.expression.symbols import comparable


@explained
def symbols(names: str | Sequence[str], shape: int | tuple[int, ...] | Sequence[Any] = ()) -> Any:
    """Create symbols, which can be arguments of every algorithm.

    Symbols of different calls cannot be combined.

    Parameters
    ----------
    names : str or sequence of str
        Name, or several names, separated by spaces or commas.
    shape : int or tuple, optional
        Shape of the array; for several names one shape each: ``symbols("q v", (7, 7))``,
        ``symbols(["q", "v"], [7, (3, 3)])``.

    Returns
    -------
    ndarray of object or tuple
        Symbols.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.symbols("x", 2)
    SymbolArray([x[0], x[1]], dtype=object)
    """
    listed = names.replace(",", " ").split() if isinstance(names, str) else names
    several = list(listed) if isinstance(listed, (list, tuple)) else []
    if not several or not all(isinstance(name, str) for name in several):
        raise ArgumentError(f"symbols are named by text, 'x' or 'q v', or a list of it; got {names!r}")
    graph = Graph()
    if isinstance(names, str) and len(several) == 1:
        x = graph.symbols(several[0], _lengths(shape))
        return x if x.shape else x[()]
    each = isinstance(shape, (tuple, list)) and len(shape) > 0
    shapes = list(shape) if each else [shape] * len(several)  # type: ignore[arg-type]
    if len(shapes) != len(several):
        raise ArgumentError(f"{len(several)} names ({', '.join(several)}) need {len(several)} shapes; got {shapes!r}")
    arrays = [graph.symbols(name, _lengths(s)) for name, s in zip(several, shapes, strict=True)]
    return tuple(x if x.shape else x[()] for x in arrays)


def _lengths(shape: Any) -> tuple[int, ...]:
    lengths = shape_of(shape)
    if lengths is None:
        raise ArgumentError(f"a shape is a whole number or a tuple of them; got {shape!r}")
    return lengths


@explained
def stack(entries: Sequence[Any], axis: int = 0) -> np.ndarray:
    """Join numbers, symbols and arrays of equal shapes along a new axis.

    Parameters
    ----------
    entries : sequence
        Numbers, symbols or arrays.
    axis : int, optional
        Position of the new axis.

    Returns
    -------
    ndarray
        Array.
    """
    try:
        joined: np.ndarray = comparable(np.stack([np.asarray(x) for x in entries], axis=axis))
    except (ValueError, TypeError) as error:
        raise ShapeError(f"stack takes a list of arrays of one shape, and an axis of the result: {error}") from None
    return joined
