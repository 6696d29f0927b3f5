"""From expressions of SymPy, or of ``symbols``, to a program."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.front.trace import NODE_LIMIT, uncollected
from linkwright.compiler.ir.program import Program, program_of
from linkwright.compiler.ir.rerolling import rerolled
from linkwright.errors import ArgumentError
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.sympy.conversion import from_sympy, require_real, symbol_types
from linkwright.expression.sympy.functions import entries_of
from linkwright.model.tree import Model

NAME = "expressions"
"""of programs, and of the function in C"""


def are_expressions(x: Any) -> bool:
    """Return whether something is an expression, an array or a matrix of them, or a list of these."""
    if isinstance(x, (list, tuple)):
        return bool(x) and any(are_expressions(one) for one in x)
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(are_expressions(one) for one in x.flat)
    return isinstance(x, Expr) or _is_sympy(x) or _is_vector(x)


def _is_vector(x: Any) -> bool:
    """Return whether something is a vector of SymPy's mechanics, which `_array` refuses with the alternative."""
    vectors = sys.modules.get("sympy.physics.vector")
    return vectors is not None and isinstance(x, (vectors.Vector, vectors.Dyadic))


def _is_sympy(x: Any) -> bool:
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(x, (sympy.Basic, sympy.MatrixBase))


def program_of_expressions(expressions: Any, symbols: Any) -> Program:
    """Return the program of expressions; ``symbols``: its arguments, in order or by name, by default a Lambda's."""
    import sympy

    if isinstance(expressions, sympy.Lambda):
        symbols = list(expressions.signature) if symbols is None else symbols
        expressions = expressions.expr
    if isinstance(expressions, sympy.Tuple):
        expressions = tuple(expressions)
    if symbols is None:
        raise ArgumentError("expressions are compiled with their symbols: compile(expressions, symbols)")
    arguments = _arguments(symbols)
    results = [_array(one) for one in (expressions if isinstance(expressions, tuple) else (expressions,))]
    own = [x.graph for array in [*arguments.values(), *results] for x in array.flat if isinstance(x, Expr)]
    with uncollected():
        if own:
            inputs, arrays, graph = _of_own(arguments, results, own[0])
        else:
            graph = Graph(NODE_LIMIT)
            inputs, arrays = _of_sympy(graph, arguments, results)
        program = program_of(NAME, graph, inputs, tuple(arrays) if isinstance(expressions, tuple) else arrays[0])
        return rerolled(program)


def _of_own(
    arguments: Mapping[str, np.ndarray], results: Sequence[np.ndarray], graph: Graph
) -> tuple[dict[str, np.ndarray], list[np.ndarray], Graph]:
    for name, array in arguments.items():
        strange = [x for x in array.flat if not isinstance(x, Expr) or x.op != "symbol"]
        if strange and _is_sympy(strange[0]):
            raise ArgumentError(f"symbols of SymPy and of linkwright.symbols cannot be mixed; got {name} among others")
        if strange:
            raise ArgumentError(f"the argument {name} must be symbols; got {strange[0]!r}")
    for x in (x for array in results for x in array.flat):
        if _is_sympy(x) and not x.is_number:
            raise ArgumentError(f"expressions of SymPy and of linkwright.symbols cannot be mixed; got {x} among others")
    numbers = [np.vectorize(lambda x: x if isinstance(x, Expr) else float(x), otypes=[object])(a) for a in results]
    return dict(arguments), numbers, graph


def _of_sympy(
    graph: Graph, arguments: Mapping[str, np.ndarray], results: Sequence[np.ndarray]
) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    inputs = {name: graph.symbols(name, array.shape) for name, array in arguments.items()}
    known: dict[Any, Expr] = {}
    for name, array in arguments.items():
        for symbol, ours in zip(array.flat, inputs[name].flat, strict=True):
            if not _is_symbol(symbol):
                raise ArgumentError(
                    f"the argument {name} must be symbols, functions of time or their derivatives; got {symbol}"
                )
            require_real(symbol)
            if symbol in known:
                raise ArgumentError(f"{symbol} is given twice among the arguments")
            known[symbol] = ours
    arrays = []
    converted = iter(from_sympy(graph, [x for array in results for x in array.flat], known))
    for array in results:
        made = np.empty(array.shape, dtype=object)
        for place in np.ndindex(*array.shape):
            made[place] = next(converted)
        arrays.append(made)
    return inputs, arrays


def _is_symbol(x: Any) -> bool:
    import sympy

    return isinstance(x, symbol_types(sympy))


def _arguments(symbols: Any) -> dict[str, np.ndarray]:
    """Return the arrays of symbols by name; a list has one argument an entry."""
    if isinstance(symbols, Mapping):
        return {str(name): _vector(some) for name, some in symbols.items()}
    if not isinstance(symbols, (list, tuple)):
        symbols = [symbols]
    if strange := [x for x in symbols if isinstance(x, (str, Model))]:
        raise ArgumentError(
            "expressions are compiled with their symbols, of SymPy or of linkwright.symbols: compile(x + y, [x, y]); "
            f"got {strange[0]!r:.200} among the symbols"
        )
    found: dict[str, np.ndarray] = {}
    for number, some in enumerate(symbols):
        array = _vector(some)
        name = _name(some, array) or f"x{number}"
        found[name if name not in found else f"x{number}"] = array
    return found


def _vector(x: Any) -> np.ndarray:
    """Return an argument as an array; a matrix of one column is a vector."""
    array = _array(x)
    return array[:, 0] if _is_sympy(x) and array.ndim == 2 and array.shape[1] == 1 else array


def _name(given: Any, array: np.ndarray) -> str:
    """Return the name of an argument: of a symbol its own, of several what their names begin with."""
    import sympy

    if isinstance(given, (sympy.MatrixSymbol, sympy.IndexedBase)):
        return str(given.name)
    parts = [(x.name or "", "") if isinstance(x, Expr) else _name_of_sympy(x) for x in array.flat]
    if not array.ndim:
        return "".join(parts[0]).removesuffix("[]")
    stem = parts[0][0] if parts else ""
    while not all(name.startswith(stem) for name, _ in parts):
        stem = stem[:-1]
    rates = {rate for _, rate in parts}
    stem = stem.rstrip("0123456789_[,]")
    return stem + rates.pop() if stem and len(rates) == 1 else stem


def _name_of_sympy(x: Any) -> tuple[str, str]:
    """Return the name of a symbol or a function of time, and one d for each derivative."""
    import sympy

    if isinstance(x, sympy.Derivative):
        name, rate = _name_of_sympy(x.expr)
        return name, rate + "d" * sum(int(count) for _, count in x.variable_count)
    return str(x.func) if isinstance(x, sympy.core.function.AppliedUndef) else str(x), ""


def _array(x: Any) -> np.ndarray:
    """Return an expression, a matrix or a list of expressions as an array."""
    sympy = sys.modules.get("sympy")
    if sympy is not None:
        if isinstance(x, sympy.MatrixExpr):
            if not all(length.is_Integer for length in map(sympy.S, x.shape)):
                raise ArgumentError(f"the shape of the matrix {x} is {x.shape}; kernels have shapes of numbers")
            x = entries_of(x, sympy)
        if isinstance(x, sympy.Poly):
            x = x.as_expr()
        if isinstance(x, sympy.IndexedBase):
            if x.shape is None:
                raise ArgumentError(
                    f"{x} has no shape: IndexedBase({str(x)!r}, shape=(n,)), or name its entries in a list"
                )
            x = sympy.Array([x[place] for place in np.ndindex(*map(int, x.shape))], x.shape)
        if isinstance(x, (sympy.MatrixBase, sympy.NDimArray)):
            array = np.empty(x.shape, dtype=object)
            for place in np.ndindex(*x.shape):
                array[place] = x[place]
            return array
        if isinstance(x, sympy.Basic) and not isinstance(x, sympy.Tuple):
            if not isinstance(x, (sympy.Expr, sympy.logic.boolalg.Boolean)):
                raise ArgumentError(f"expressions and matrices are compiled; got {x} of type {type(x).__name__}")
            return _scalar(x)
    if isinstance(x, (Expr, int, float, np.number)):
        return _scalar(x)
    if isinstance(x, (list, tuple)) or (sympy is not None and isinstance(x, sympy.Tuple)):
        parts = [_array(one) for one in x]
        if len({part.shape for part in parts}) > 1:
            shapes = ", ".join(str(part.shape) for part in parts)
            raise ArgumentError(f"a list is one array; these shapes differ: {shapes}. A tuple is several results")
        return np.stack(parts) if parts else np.empty(0, dtype=object)
    if isinstance(x, np.ndarray):
        return np.asarray(x, dtype=object)
    raise ArgumentError(
        f"expressions, matrices and lists of them are compiled; got {x!r} of type {type(x).__name__}. Vectors of "
        "sympy.physics.mechanics have to_matrix(frame)"
    )


def _scalar(x: Any) -> np.ndarray:
    array = np.empty((), dtype=object)
    array[()] = x
    return array
