"""Partitions of a mechanism into blocks, of which the quickest is chosen by measurement."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from linkwright import dynamics
from linkwright.compiler.front.bind import book_of
from linkwright.dynamics.assembly.choice import MOST_WRITTEN, candidates
from linkwright.errors import ModelError, TooLargeError
from linkwright.model.tree import Model

K = TypeVar("K")


def is_open_partition(function: Callable[..., Any], inputs: dict[str, Any]) -> bool:
    """Return whether a call is forward dynamics by blocks without a given partition."""
    book = book_of(function)
    chosen = inputs.get("partition") is not None or not isinstance(inputs.get("schedule") or "", str)
    return book is dynamics.forward_dynamics and inputs.get("method") == "hybrid" and not chosen


def partitioned(compile: Callable[..., K], model: Model, inputs: dict[str, Any]) -> list[K]:
    """Return the kernels ``compile(**inputs, partition=…)`` of all partitions that are candidates."""
    made = []
    sizes = range(1, MOST_WRITTEN + 1) if inputs.get("blocks") == "lagrange" else candidates(model)
    for partition in (None, *sizes):
        with suppress(TooLargeError, ModelError):  # of straight-line code for large blocks, of weak small ones
            made.append(compile(**inputs, partition=partition))
    return made
