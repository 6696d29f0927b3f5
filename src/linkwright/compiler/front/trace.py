"""From a function to a straight-line program: the function is run once, on symbols."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from linkwright.call_stack import with_room
from linkwright.compiler.front.bind import BoundFunction
from linkwright.compiler.front.random_draws import warning_of_draws
from linkwright.compiler.ir.program import Program, program_of
from linkwright.compiler.ir.rerolling import rerolled
from linkwright.errors import ExpressionError, LinkwrightError, TooLargeError
from linkwright.expression.graph import SYMBOL_AS_INDEX, Expr, Graph
from linkwright.status import with_status_message

NODE_LIMIT = 400_000
"""Expressions a trace may make, whether they are needed in the end or not."""

OPERATION_LIMIT = 90_000
"""Operations a straight-line program may have; beyond it the code generator takes minutes."""

RETRACED = 3000
"""Instructions up to which a program is traced again with sines and cosines of sums of angles, where it has such."""

SINCOS_COST = 30
"""Operations that take as long as a sine and cosine."""


OF_SYMBOLS = re.compile(r"\b(Expr|Symbols|SymbolArray|object_|casadi|ufunc|dtype|arrays?|sequence of integers)\b")
"""Words in errors of Python, NumPy and other libraries for operations that symbols do not support."""

OF_LIBRARIES = re.compile(r"\b(Tensor|object_|casadi|[SM]X|overloaded function|abstract array)\b")
"""Words in errors of PyTorch, CasADi and JAX whose functions are called with symbols."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Expressions are made by the hundred thousand and none is let go: the garbage collector waits until they are."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@with_room
def trace(bound: BoundFunction, node_limit: int = NODE_LIMIT, operation_limit: int = OPERATION_LIMIT) -> Program:
    """Return the program of a bound function; :class:`TooLargeError` where it would be too long."""
    with warning_of_draws(bound.book), uncollected():
        program, sums_met = _traced(bound, Graph(node_limit))
    if program.length > operation_limit:
        raise TooLargeError(f"{program.length} operations, more than {operation_limit}")
    if sums_met and program.length <= RETRACED:
        with uncollected():
            shared, _ = _traced(bound, Graph(node_limit, angle_sums=True))
        program = min(program, shared, key=_cost)
    return replace(program, algorithm=bound.algorithm)


@with_status_message(lambda bound: f"compiling {bound.title}")
def _traced(bound: BoundFunction, graph: Graph) -> tuple[Program, bool]:
    """Return the program, and whether sines and cosines of sums of angles could be shared in it."""
    inputs = {name: graph.symbols(name, shape) for name, shape in bound.shapes.items()}
    arrays = [x.copy() if x.shape else x[()] for x in inputs.values()]  # the function may write in its arguments
    try:
        result = bound.function(*arrays)
    except LinkwrightError:
        raise
    except IndexError as error:
        if graph.indexed:
            raise ExpressionError(f"{bound.name}: {SYMBOL_AS_INDEX}") from error
        if "used as indices" in str(error):
            raise ExpressionError(
                f"{bound.name}: a condition on symbols selects no entries of an array, whose number would depend on "
                "values; linkwright.where(condition, a, b) chooses each entry"
            ) from error
        raise
    except AttributeError as error:
        if not isinstance(error.obj, (Expr, int, float)) or not isinstance(
            getattr(np, error.name or "", None), np.ufunc
        ):
            raise
        ours = "; linkwright.atan2(y, x) does" if error.name == "arctan2" else ""
        raise ExpressionError(
            f"{bound.name} cannot be run on symbols: numpy.{error.name} does not take what it is given{ours}"
        ) from error
    except (TypeError, NotImplementedError) as error:
        if not OF_SYMBOLS.search(str(error)):  # a mistake like any other
            raise
        if OF_LIBRARIES.search(str(error)):
            raise ExpressionError(
                f"{bound.name} calls a function of PyTorch, JAX or CasADi, which take no symbols; use those of NumPy "
                f"and of linkwright inside ({str(error).splitlines()[0]})"
            ) from error
        raise ExpressionError(
            f"{bound.name} cannot be run on symbols: {error}. They know arithmetic, comparisons for where(), matrix "
            "products and NumPy's elementary functions; no %, //, or NumPy's linear algebra (linkwright's solve, "
            "norm and cholesky stand in for it); stack([…]) makes arrays of them"
        ) from error
    program = program_of(bound.name, graph, inputs, result)
    graph.release()
    return rerolled(program), graph.angle_sums_met


def _cost(program: Program) -> int:
    """Operations, a sine and cosine counted as the instructions they take."""
    return program.operations.total + SINCOS_COST * program.operations.sincos
