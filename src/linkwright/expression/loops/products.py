"""Products of large matrices in a trace: one loop each, instead of thousands of operations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from linkwright.expression.graph import Expr, Graph
from linkwright.expression.loops import tables
from linkwright.expression.loops.tables import MatrixLayout
from linkwright.expression.symbols import SymbolArray

LARGE = 256
"""Number of entries of a matrix from which its products are loops; smaller ones are as fast unrolled."""


def product(A: Any, B: Any) -> Any:
    """Return ``A @ B`` of arrays with symbols; None if it is unrolled.

    A loop needs a large matrix of constants with few zeros, or one that is an argument of the function, or an evenly
    spaced part of one.
    """
    if not (isinstance(A, np.ndarray) and isinstance(B, np.ndarray)) or {A.ndim, B.ndim} - {1, 2}:
        return None
    if A.ndim + B.ndim < 3 or A.shape[-1] != B.shape[0] or not A.size or not B.size:
        return None
    graph = next((x.graph for one in (A, B) if one.dtype == object for x in one.flat if isinstance(x, Expr)), None)
    if graph is None:
        return None
    for one in sorted((A, B), key=np.size, reverse=True):  # the larger one if both are possible
        if one is A and A.ndim == 2 and (matrix := _matrix(graph, A)) is not None:
            return _times(graph, *matrix, B)
        if one is B and B.ndim == 2 and (matrix := _matrix(graph, B.T)) is not None:
            return _times(graph, *matrix, A.T).T.view(SymbolArray)
    return None


def summed(subscripts: Any, *operands: Any) -> Any:
    """Return ``np.einsum`` for a product of two arrays over one axis; None for other sums."""
    found = re.fullmatch(r"(\w\w?),(\w\w?)->(\w\w?)", subscripts.replace(" ", "")) if len(operands) == 2 else None
    if found is None:
        return None
    of_A, of_B, of_result = found.groups()
    over = set(of_A) & set(of_B)
    A, B = (x if isinstance(x, np.ndarray) else np.asarray(x) for x in operands)
    if len(over) != 1 or sorted(of_A + of_B) != sorted([*of_result, *over, *over]):
        return None
    if (A.ndim, B.ndim) != (len(of_A), len(of_B)):
        return None
    (letter,) = over
    made = product(A.T if of_A[0] == letter else A, B if of_B[0] == letter else B.T)
    return made if made is None or of_result == (of_A + of_B).replace(letter, "") else made.T


def _matrix(graph: Graph, A: np.ndarray) -> tuple[Expr, MatrixLayout] | None:
    """Return a matrix as a row of numbers, and its layout."""
    height, width = A.shape
    if A.size < LARGE:
        return None
    if A.dtype != object:
        if A.dtype.kind not in "fiub" or np.count_nonzero(A) < max(LARGE, A.size // 2):
            return None
        return tables.numbers(graph, A.reshape(-1)), MatrixLayout(height, width, width, 1)
    if not all(isinstance(x, Expr) and x.op == "symbol" and x.graph is graph for x in A.flat):
        return None
    places = np.array([x.index for x in A.flat]).reshape(A.shape)
    first = int(places.min())
    found = tables.argument_of(graph, first)
    if found is None or int(places.max()) >= found[0].index + len(found):
        return None
    down = int(places[1, 0] - places[0, 0]) if height > 1 else 0
    right = int(places[0, 1] - places[0, 0]) if width > 1 else 0
    even = places[0, 0] + down * np.arange(height)[:, None] + right * np.arange(width)
    if not np.array_equal(places, even):
        return None
    return tables.table(graph, found), MatrixLayout(height, width, down, right, int(places[0, 0]) - found[0].index)


def _times(graph: Graph, matrix: Expr, sides: MatrixLayout, B: np.ndarray) -> Any:
    """Return the matrix times a vector, or times each column of another matrix."""
    columns = B.reshape(len(B), -1).T
    result = np.empty((sides.height, len(columns)), dtype=object)
    for k, column in enumerate(columns):
        x = tables.in_memory(graph, [graph.coerce(entry) for entry in column])
        result[:, k] = tables.entries(tables.product(matrix, x, sides))
    return result.reshape(sides.height, *B.shape[1:]).view(SymbolArray)
