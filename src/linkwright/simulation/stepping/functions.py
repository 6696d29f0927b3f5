"""What a user tells of a rollout as functions, besides the law: rewards, where motions end, how they begin again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.simulation.acting.bindings import Named, bindings, name_of_function, taken_apart
from linkwright.simulation.acting.fingerprint import fingerprint
from linkwright.spatial.arrays import Array

FORMS = {
    "reward": "reward(model, t, q, v, tau) -> a number",
    "terminate": "terminate(model, t, q, v) -> a condition, such as q[2] < 0.2",
    "reset": "reset(model, q0, v0, random) -> (q, v)",
}


class Told(NamedTuple):
    """A function with what is bound to it."""

    name: str
    function: Callable[..., Any]
    """of the model, the arguments of its form, and then what is bound as one list"""
    key: Hashable
    """what tells it from others, whatever the values"""
    values: tuple[Array, ...]
    """in which alike ones differ, each (…, *shape)"""
    shapes: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    """of the values, as they are bound"""


def names_bound(what: str, given: Any) -> list[Named]:
    """The names of what is bound to a function."""
    if given is None or isinstance(given, str):
        return []
    function, bound = taken_apart(given, FORMS[what])
    return [Named(name_of_function(function), [*bound])]


def told_function(what: str, given: Any, each: Collection[str], batch: tuple[int, ...]) -> Told | None:
    """The function as a rollout is told of it, checked; None where there is none."""
    if given is None:
        return None
    form = FORMS[what]
    function, bound = taken_apart(given, form)
    name = name_of_function(function)
    _require_form(form, function, name, bound)
    told = bindings(f"{what} {name}", bound, each, batch)

    def called(model: Any, *arguments: Any) -> Any:
        *own, values = arguments
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in own]
        return function(model.physical or model, *copies, **told.named(values))

    try:
        key: Hashable = (what, fingerprint(function), told.key)
        hash(key)
    except TypeError:  # what is bound may change unseen: one of its own
        key = called
    return Told(name, called, key, tuple(told.numbers.values()), tuple(told.shapes.values()), tuple(told.numbers))


def _require_form(form: str, function: Any, name: str, bound: Collection[str]) -> None:
    """Raise :class:`ArgumentError` for a function that cannot be called as its form says."""
    arguments = form[form.index("(") + 1 : form.index(")")].split(", ")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # it does not tell its arguments
        return
    try:
        signature.bind(*arguments, **dict.fromkeys(bound))
    except TypeError:
        raise ArgumentError(
            f"{form}, and what else it needs is bound, functools.partial({name}, …); {name} takes "
            f"({', '.join(signature.parameters)})"
        ) from None


def number(told: Told, x: Any) -> Any:
    """What a reward is, checked."""
    if x is None:
        raise ArgumentError(f"the reward {told.name} returned None: is its `return` missing?")
    x = np.asarray(x)
    if x.size != 1 or x.dtype.kind not in "biufO":
        raise ArgumentError(f"the reward {told.name} returns one number; it returned {x!r}")
    return x.reshape(())[()]


def condition(told: Told, x: Any) -> Any:
    """What a condition is, checked."""
    x = np.asarray(x)
    if x.size != 1 or x.dtype.kind not in "bO":
        raise ArgumentError(f"{told.name} returns a condition, such as q[2] < 0.2; it returned {x!r}")
    x = x.reshape(())[()]
    if hasattr(x, "graph") and not x.graph.is_condition(x):
        raise ArgumentError(f"{told.name} returns a condition, such as q[2] < 0.2; it returned a number")
    return x


def state(told: Told, found: Any, nq: int, nv: int) -> tuple[Array, Array]:
    """What a motion begins with again, checked."""
    if not (isinstance(found, tuple) and len(found) == 2):
        raise ArgumentError(f"{told.name} returns (q, v); it returned {found!r}")
    q, v = (np.asarray(x) for x in found)
    if q.shape != (nq,) or v.shape != (nv,):
        raise ArgumentError(f"{told.name} returned q {q.shape} and v {v.shape}; expected ({nq},) and ({nv},)")
    return q, v
