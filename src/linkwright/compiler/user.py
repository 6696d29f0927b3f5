"""What users need to write functions of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.expression.graph import Graph, comparable


def symbols(names: str | Sequence[str], shape: int | tuple[int, ...] | Sequence[Any] = ()) -> Any:
    """Symbols to put through any algorithm: an object array of the shape, or a tuple of them.

    ``symbols("x", 3)`` is one array; ``symbols("q v", (7, 7))`` or ``symbols(["q", "v"], [7, (3, 3)])`` are
    several of one graph, with one shape each. Symbols of different calls cannot be mixed.

    >>> import linkwright as lw
    >>> lw.symbols("x", 2)
    Symbols([x[0], x[1]], dtype=object)
    """
    several = names.split() if isinstance(names, str) else list(names)
    graph = Graph()
    if isinstance(names, str) and len(several) == 1:
        x = graph.symbols(several[0], _lengths(shape))
        return x if x.shape else x[()]
    shapes = [shape] * len(several) if isinstance(shape, int) or not len(shape) else list(shape)
    if len(shapes) != len(several):
        raise ArgumentError(f"{len(several)} names ({', '.join(several)}) need {len(several)} shapes; got {shapes!r}")
    arrays = [graph.symbols(name, _lengths(s)) for name, s in zip(several, shapes, strict=True)]
    return tuple(x if x.shape else x[()] for x in arrays)


def _lengths(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)


def stack(entries: Sequence[Any], axis: int = 0) -> np.ndarray:
    """Numbers, symbols and arrays of either, of equal shapes, joined along a new axis."""
    joined: np.ndarray = comparable(np.stack([np.asarray(x) for x in entries], axis=axis))
    return joined
