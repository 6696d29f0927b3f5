"""Dependencies of expressions, and orders of evaluation."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from linkwright.expression.graph import Expr


def needed(outputs: Iterable[Expr], given: Container[int] = (), stop: Container[str] = ()) -> list[Expr]:
    """Return the nodes on which the outputs depend, in order of creation, which is an order of evaluation.

    ``given``, ``stop``: indices and operations of nodes at which the search stops.
    """
    found: dict[int, Expr] = {}
    stack = list(outputs)
    while stack:
        node = stack.pop()
        index = node.index
        if index not in found:
            found[index] = node
            if node.args and index not in given and node.op not in stop:
                stack += node.args[:1] if node.op == "item" else node.args
    return [found[index] for index in sorted(found)]


def demanded(computed: Iterable[Expr], results: Iterable[Expr]) -> list[Expr]:
    """Return the nodes in the order in which the results need them, so that fewer are live simultaneously."""
    left = {node.index: node for node in computed}
    order: list[Expr] = []
    for result in results:
        stack = [result]
        while stack:
            node = stack[-1]
            if node.index not in left:
                stack.pop()
                continue
            ahead = [a for a in node.args if a.index in left]
            if ahead:
                stack += reversed(ahead)
            else:
                order.append(left.pop(node.index))
                stack.pop()
    return order


def elements(x: Any) -> Iterator[Any]:
    """Yield the entries of an array or a scalar, row by row."""
    return iter(x.flat) if isinstance(x, np.ndarray) else iter((x,))
