"""What the public algorithms take and give: the book's signature, of one configuration, with room for batches."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

_SHAPED = re.compile(r"Shaped\[Array, ['\"]([^'\"]*)['\"]\]")


def batched(book: Callable[..., Any]) -> inspect.Signature:
    """The signature of the algorithm's public face, its annotations as text: arrays of any leading dimensions."""
    signature = inspect.signature(book)
    parameters = [p.replace(annotation=_taken(p.annotation)) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=_given(signature.return_annotation))


def _taken(annotation: Any) -> Any:
    """What a parameter may be: anything that NumPy makes an array of."""
    if not isinstance(annotation, str):
        return annotation
    if annotation == "Wrenches | None":
        return 'Mapping[str, Annotated[ArrayLike, "(…, 6)"]] | None'
    return _SHAPED.sub(lambda found: f'Annotated[ArrayLike, "{_shape(found[1])}"]', annotation)


def _given(annotation: Any) -> Any:
    """What a result is; scalars of a batch are an array, that of a single row is NumPy's float64."""
    if not isinstance(annotation, str):
        return annotation
    if annotation == "Any":
        return 'Annotated[Array, "(…)"]'
    return _SHAPED.sub(lambda found: f'Annotated[Array, "{_shape(found[1])}"]', annotation)


def _shape(named: str) -> str:
    return f"(…, {', '.join(named.split())})"
