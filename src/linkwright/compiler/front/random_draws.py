"""Warn of random numbers of NumPy and Python that are drawn while a function is traced.

A trace runs the function once, so that each drawn number becomes a constant of the compiled code. The states of the
global generators, and of the generators that the function can reach, are compared before and after the trace. A
generator that the function makes itself is not found; with a fixed seed it draws equal numbers in every call anyway.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from linkwright.errors import warn
from linkwright.model.tree import Model

DRAWN_ONCE = (
    "A compiled function draws random numbers{place} only once, while it is compiled: they are equal in all steps and "
    "motions. A reset draws from its argument random: random.uniform(low, high). For measurement noise use "
    "actuation=lw.Actuation(noise={{'q': …, 'v': …}}, seed=…); for other noise draw the numbers before and pass them "
    "as an argument; callback= takes a Python function that is called in each step"
)

DEEPEST = 6
"""Nesting of objects in which generators are searched."""

Watched = dict[int, tuple[Any, bytes]]
"""Generators by identity, with their states at the beginning."""

_watched: ContextVar[Watched | None] = ContextVar("watched", default=None)


@contextmanager
def warning_of_draws(function: Callable[..., Any]) -> Iterator[None]:
    """Warn if random numbers are drawn inside the block, once for nested blocks."""
    if _watched.get() is not None:
        watch(function)
        yield
        return
    token = _watched.set({})
    try:
        watch(function)
        numpy_state, python_state = _global_state(), random.getstate()
        yield
        watched = _watched.get() or {}
    finally:
        _watched.reset(token)
    if _global_state() != numpy_state:
        warn(DRAWN_ONCE.format(place=" of np.random"))
    elif random.getstate() != python_state:
        warn(DRAWN_ONCE.format(place=" of Python's random"))
    elif any(_state(generator) != before for generator, before in watched.values()):
        warn(DRAWN_ONCE.format(place=" of a NumPy generator"))


def watch(function: Callable[..., Any]) -> None:
    """Compare the generators of a function that is called in a traced one, too."""
    watched = _watched.get()
    if watched is not None:
        for generator in _generators(function, set(), 0):
            watched.setdefault(id(generator), (generator, _state(generator)))


def _global_state() -> bytes:
    return pickle.dumps(np.random.get_state(legacy=False))  # noqa: NPY002 (the generator to watch)


def _state(generator: Any) -> bytes:
    if isinstance(generator, np.random.Generator):
        return pickle.dumps(generator.bit_generator.state)
    return pickle.dumps(generator.getstate() if isinstance(generator, random.Random) else generator.get_state())


def _generators(x: Any, seen: set[int], depth: int) -> Iterator[Any]:
    """Yield the generators in the closure, the default values, the globals and the attributes of an object."""
    if id(x) in seen or depth > DEEPEST:
        return
    seen.add(id(x))
    inner: list[Any] = []
    if isinstance(x, (np.random.Generator, np.random.RandomState, random.Random)):
        yield x
    elif isinstance(x, (Model, ModuleType, type, np.ndarray, str, bytes, int, float, complex, type(None))):
        return
    elif isinstance(x, partial):
        inner = [x.func, *x.args, *x.keywords.values()]
    elif isinstance(x, MethodType):
        inner = [x.__func__, x.__self__]
    elif isinstance(x, FunctionType):
        for cell in x.__closure__ or ():
            try:
                inner.append(cell.cell_contents)
            except ValueError:  # not assigned yet
                continue
        inner += [*(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
        if str(x.__module__).partition(".")[0] not in ("linkwright", "numpy"):  # None in code that exec() runs
            inner += [x.__globals__[name] for name in _names(x.__code__) if name in x.__globals__]
    elif isinstance(x, dict):
        inner = list(x.values())
    elif isinstance(x, (list, tuple, set, frozenset)):
        inner = list(x) if len(x) < 100 else []
    else:
        inner = [*getattr(x, "__dict__", {}).values(), vars(type(x)).get("__call__")]
    for one in inner:
        yield from _generators(one, seen, depth + 1)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
