"""Signatures of kernels, and of the public algorithms: those of the book, with batch dimensions added."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

_SHAPED = re.compile(r"Shaped\[(?:Array|Any), ['\"]([^'\"]*)['\"]\]")


class KernelSignature:
    """Signature of the class of kernels and of each kernel, for which Python uses one name."""

    def __get__(self, kernel: Any, kind: type[Any]) -> inspect.Signature:
        if kernel is None:
            of_init = inspect.signature(kind.__init__)  # type: ignore[misc]
            return of_init.replace(parameters=list(of_init.parameters.values())[1:])
        arrays = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in kernel._names]
        return inspect.Signature([*arrays, inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)])


def argument_names(names: Iterable[str]) -> list[str]:
    """Return the names of a kernel's arrays as arguments of Python: "wrench tool" is wrench_tool."""
    found = ["out"]
    for name in names:
        own = re.sub(r"\W", "_", name)
        while own in found:
            own += "_"
        found.append(own)
    return found[1:]


def batched(book: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of an algorithm's public wrapper, with annotations as text: arrays of any leading shape."""
    signature = inspect.signature(book)
    parameters = [p.replace(annotation=_with_rows(p.annotation, "ArrayLike")) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=_with_rows(signature.return_annotation, "Array"))


def _with_rows(annotation: Any, kind: str) -> Any:
    """Return the annotation with arrays of that kind with leading dimensions."""

    def array(shape: str) -> str:
        return f'Annotated[{kind}, "({shape})"]'

    if not isinstance(annotation, str):
        return annotation
    if annotation == "Wrenches | None":
        return f"Mapping[str, {array('…, 6')}] | None"
    if annotation == "Any" and kind == "Array":  # a scalar result: of one row it is NumPy's float64
        return array("…")
    return _SHAPED.sub(lambda found: array(", ".join(["…", *found[1].split()])), annotation)
