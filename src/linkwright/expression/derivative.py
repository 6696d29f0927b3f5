"""Derivatives of expressions by the chain rule over the graph: the result is expressions again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.expression.graph import Expr, elements, needed
from linkwright.expression.operations import OPERATIONS


def jacobian(outputs: np.ndarray, inputs: Sequence[Expr]) -> np.ndarray:
    """∂ outputs / ∂ inputs, shape ``outputs.shape + (len(inputs),)``, by the forward mode.

    A node carries derivatives only with respect to the inputs it depends on.
    """
    outputs = np.asarray(outputs, dtype=object)
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
