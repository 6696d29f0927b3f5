"""Programs of products with the Jacobian matrix of a program, which is not formed.

The Jacobian matrix is that by the entries of the arguments. (:func:`differentiate` differentiates by a configuration
along :func:`~linkwright.integrate`.) The products are programs like any other, and have products themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwright.compiler.front import trace
from linkwright.compiler.front.differentiation import replay
from linkwright.compiler.ir.program import ArraySpec, Program, program_of
from linkwright.compiler.ir.rerolling import rerolled
from linkwright.errors import TooLargeError
from linkwright.expression.adjoint import Irreversible, pullback
from linkwright.expression.derivative import directional, forward
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.order import elements
from linkwright.status import with_status_message


@with_status_message(lambda program: f"differentiating {program.name}")
@trace.uncollected()
def jacobian_vector_product(program: Program, wrt: Sequence[int]) -> Program:
    """Return the program of J t, in forward mode.

    Its arguments are those of `program`, then tangents of the arguments `wrt`; its results are tangents of the results.
    """

    def products(inputs: list[np.ndarray], tangents: list[np.ndarray]) -> list[np.ndarray]:
        results = replay(program, graph, inputs)
        x = [symbol for k in wrt for symbol in elements(inputs[k])]
        return [directional(result, x, [t for part in tangents for t in elements(part)]) for result in results]

    graph = Graph(trace.NODE_LIMIT)
    return _made(program, "jvp", graph, [program.inputs[k] for k in wrt], products)


@with_status_message(lambda program: f"differentiating {program.name}")
@trace.uncollected()
def vector_jacobian_product(program: Program, wrt: Sequence[int]) -> Program:
    """Return the program of Jᵀ w, in reverse mode; forward mode through loops that have no reverse mode.

    Its arguments are those of `program`, then adjoints of its results; its results are adjoints of the arguments `wrt`.
    """

    def products(inputs: list[np.ndarray], adjoints: list[np.ndarray]) -> list[np.ndarray]:
        results = replay(program, graph, inputs)
        return _pulled(results, adjoints, [inputs[k] for k in wrt])

    graph = Graph(trace.NODE_LIMIT)
    return _made(program, "vjp", graph, program.outputs, products)


@with_status_message(lambda program: f"differentiating {program.name}")
@trace.uncollected()
def product_of_products(program: Program, along: Program, count: int, wrt: Sequence[int]) -> Program:
    """Return the vector–Jacobian product of a vector–Jacobian product, in reverse mode over forward mode.

    ``uᵀ (Jᵀ w) = wᵀ (J u)``: the adjoints of the product are those of J u, the program `along`, whose loops have a
    reverse mode. Those of `program` itself, which run backwards already, have none.

    Parameters
    ----------
    program : Program
        A :func:`vector_jacobian_product`: (x, w) -> Jᵀ w.
    along : Program
        The :func:`jacobian_vector_product` of the same arguments: (x, u) -> J u.
    count : int
        Number of the arrays x.
    wrt : sequence of int
        Arguments of `program`.
    """

    def products(inputs: list[np.ndarray], u: list[np.ndarray]) -> list[np.ndarray]:
        x, w = inputs[:count], inputs[count:]
        results = replay(along, graph, [*x, *u])
        of_x = [x[k] for k in wrt if k < count]
        found = iter(_pulled(results, w, of_x) if of_x else ())
        return [next(found) if k < count else results[k - count] for k in wrt]

    graph = Graph(trace.NODE_LIMIT)
    return _made(program, "vjp", graph, program.outputs, products)


def _pulled(
    results: Sequence[np.ndarray], adjoints: Sequence[np.ndarray], inputs: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Return the adjoints of arrays of symbols."""
    pairs = [
        (y, w)
        for result, adjoint in zip(results, adjoints, strict=True)
        for y, w in zip(elements(result), elements(adjoint), strict=True)
        if isinstance(y, Expr)
    ]
    outputs, weights = [y for y, _ in pairs], [w for _, w in pairs]
    symbols = [symbol for x in inputs for symbol in elements(x)]
    if not symbols:
        return [np.zeros(x.shape, dtype=object) for x in inputs]
    try:
        pulled = pullback(outputs, weights, symbols)
    except Irreversible:
        total = sum(w * y for y, w in pairs)
        pulled = list(forward(np.asarray(total, dtype=object), symbols))
    found, at = [], 0
    for x in inputs:
        part = np.zeros(x.size, dtype=object)
        part[:] = pulled[at : at + x.size]
        found.append(part.reshape(x.shape))
        at += x.size
    return found


def _made(
    program: Program,
    kind: str,
    graph: Graph,
    more: Sequence[ArraySpec],
    products: Callable[[list[np.ndarray], list[np.ndarray]], list[np.ndarray]],
) -> Program:
    """Return the program of products, whose arguments are those of a program and vectors."""
    inputs: dict[str, np.ndarray] = {slot.name: graph.symbols(slot.name, slot.shape) for slot in program.inputs}
    own = list(inputs.values())
    for slot in more:
        name = f"{slot.name} {kind}"
        while name in inputs:
            name += "'"
        inputs[name] = graph.symbols(name, slot.shape)
    made = products(own, list(inputs.values())[len(own) :])
    found = rerolled(program_of(f"{program.name}_{kind}", graph, inputs, tuple(made)).as_derivative())
    if found.length > trace.OPERATION_LIMIT:
        raise TooLargeError(
            f"the derivative of {program.name} has {found.length} operations, more than {trace.OPERATION_LIMIT}"
        )
    return found
