"""Derivatives of expressions by the chain rule over the graph: the result is expressions again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.expression.graph import Expr, elements, needed
from linkwright.expression.operations import OPERATIONS


def jacobian(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """∂ outputs / ∂ inputs, shape ``outputs.shape + (len(inputs),)``.

    By the forward mode, or, of fewer outputs than inputs, by the reverse one where that makes fewer expressions.
    """
    outputs = np.asarray(outputs, dtype=object)
    result = forward(outputs, inputs)
    if outputs.size >= len(inputs):
        return result
    return min(result, reverse(outputs, inputs), key=_size)


def _size(entries: np.ndarray) -> int:
    return len(needed(x for x in elements(entries) if isinstance(x, Expr)))


def reverse(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """:func:`jacobian` from the outputs to the inputs, one output after the other (the adjoint)."""
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    for place in np.ndindex(*outputs.shape):
        x = outputs[place]
        if not isinstance(x, Expr):
            continue
        order = needed([x])
        depends = {symbol.index for symbol in inputs}
        depends.update(node.index for node in order if any(a.index in depends for a in node.args))  # args come first
        adjoints: dict[int, Any] = {x.index: 1.0}
        for node in reversed(order):
            dx = adjoints.get(node.index, 0.0)
            if not node.args or node.index not in depends or _is_zero(dx):
                continue
            for a, partial in zip(node.args, OPERATIONS[node.op].partials(node, *node.args), strict=True):
                if a.index in depends:
                    term = partial * dx
                    adjoints[a.index] = adjoints[a.index] + term if a.index in adjoints else term
        for k, symbol in enumerate(inputs):
            result[(*place, k)] = adjoints.get(symbol.index, 0.0)
    return result


def forward(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """:func:`jacobian` from the inputs to the outputs: a node carries derivatives by the inputs it depends on."""
    expressions = [x for x in elements(outputs) if isinstance(x, Expr)]
    tangents: dict[int, dict[int, Any]] = {x.index: {k: 1.0} for k, x in enumerate(inputs)}
    for node in needed(expressions):
        depends = [(i, tangents[a.index]) for i, a in enumerate(node.args) if tangents.get(a.index)]
        if not depends or node.index in tangents:
            continue
        partials = OPERATIONS[node.op].partials(node, *node.args)
        total: dict[int, Any] = {}
        for i, tangent in depends:
            for k, dx in tangent.items():
                term = partials[i] * dx
                total[k] = total[k] + term if k in total else term
        tangents[node.index] = {k: dx for k, dx in total.items() if not _is_zero(dx)}
    result = np.zeros((*outputs.shape, len(inputs)), dtype=object)
    for place in np.ndindex(*outputs.shape):
        x = outputs[place]
        if isinstance(x, Expr):
            for k, dx in tangents.get(x.index, {}).items():
                result[(*place, k)] = dx
    return result


def _is_zero(x: Any) -> bool:
    return (x.value if isinstance(x, Expr) else x) == 0.0
