"""User functions of a rollout other than the controller: reward, termination, reset."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import bindings, name_of_function, unwrap_partials
from linkwright.simulation.actuation.fingerprint import fingerprint
from linkwright.spatial.arrays import Array

FORMS = {
    "reward": "reward(model, t, q, v, tau) -> a number, or a number for each named term",
    "terminate": "terminate(model, t, q, v) -> a condition, such as q[2] < 0.2",
    "reset": "reset(model, q0, v0, random) -> (q, v)",
}


class UserFunction(NamedTuple):
    """Function with its bound values."""

    name: str
    function: Callable[..., Any]
    """function of the model, its arguments, and a list of the bound values"""
    key: Hashable
    """key of the function, independent of the values"""
    values: tuple[Array, ...]
    """bound values, each (…, *shape)"""
    shapes: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    """names of the bound values"""


def bound_names(what: str, given: Any) -> list[str]:
    """Return the names of the values bound to a function."""
    if given is None or isinstance(given, str):
        return []
    return [*unwrap_partials(given, FORMS[what])[1]]


def user_function(what: str, given: Any, each: Collection[str], batch: tuple[int, ...]) -> UserFunction | None:
    """Check a user function of a rollout; None for None."""
    if given is None:
        return None
    form = FORMS[what]
    function, bound = unwrap_partials(given, form)
    name = name_of_function(function)
    _require_form(form, function, name, bound)
    bound_values = bindings(f"{what} {name}", bound, each, batch)

    def called(model: Any, *arguments: Any) -> Any:
        *own, values = arguments
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in own]
        return function(model.physical or model, *copies, **bound_values.named(values))

    try:
        key: Hashable = (what, fingerprint(function), bound_values.key)
        hash(key)
    except TypeError:  # a mutable bound value may change: no shared kernel
        key = called
    return UserFunction(
        name,
        called,
        key,
        tuple(bound_values.numbers.values()),
        tuple(bound_values.shapes.values()),
        tuple(bound_values.numbers),
    )


def _require_form(form: str, function: Any, name: str, bound: Collection[str]) -> None:
    """Raise :class:`ArgumentError` for a function with other arguments than its form."""
    arguments = form[form.index("(") + 1 : form.index(")")].split(", ")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # no signature
        return
    try:
        signature.bind(*arguments, **dict.fromkeys(bound))
    except TypeError:
        raise ArgumentError(
            f"{form}, and what else it needs is bound, functools.partial({name}, …); {name} takes "
            f"({', '.join(signature.parameters)})"
        ) from None


def checked_reward(function: UserFunction, x: Any) -> tuple[Any, dict[str, Any]]:
    """Return the value of a reward, and its terms by name where it returned a mapping."""
    if not isinstance(x, Mapping):
        return _checked_number(function, x), {}
    if not x or not all(isinstance(name, str) for name in x):
        raise ArgumentError(f'the reward {function.name} returns {{"speed": …}}; it returned {x!r}')
    terms = {name: _checked_number(function, term) for name, term in x.items()}
    return sum(terms.values()), terms


def reward_terms(function: UserFunction | None, model: Model, q: Array, v: Array) -> tuple[str, ...]:
    """Return the names of the terms of a reward, at the state q (nq,), v (nv,); none for a reward of one number."""
    if function is None:
        return ()
    values = [x.reshape((-1, *shape))[0] for x, shape in zip(function.values, function.shapes, strict=True)]
    with np.errstate(all="ignore"):
        return tuple(checked_reward(function, function.function(model, 0.0, q, v, np.zeros(model.nv), values))[1])


def _checked_number(function: UserFunction, x: Any) -> Any:
    """Check a number of a reward."""
    if x is None:
        raise ArgumentError(f"the reward {function.name} returned None: is its `return` missing?")
    x = np.asarray(x)
    if x.size != 1 or x.dtype.kind not in "biufO":
        raise ArgumentError(f"the reward {function.name} returns one number; it returned {x!r}")
    return x.reshape(())[()]


def checked_condition(function: UserFunction, x: Any) -> Any:
    """Check the value of a condition."""
    if x is None:
        raise ArgumentError(f"{function.name} returned None, and returns a condition: is its `return` missing?")
    x = np.asarray(x)
    if x.size != 1 and x.dtype.kind in "bO":
        raise ArgumentError(
            f"{function.name} returns a condition, such as q[2] < 0.2; it returned {x.size} conditions of shape "
            f"{x.shape}: add .any() or .all()"
        )
    if x.size != 1 or x.dtype.kind not in "bO":
        raise ArgumentError(f"{function.name} returns a condition, such as q[2] < 0.2; it returned {x!r}")
    x = x.reshape(())[()]
    if hasattr(x, "graph") and not x.graph.is_condition(x):
        raise ArgumentError(f"{function.name} returns a condition, such as q[2] < 0.2; it returned a number")
    return x


def checked_state(function: UserFunction, found: Any, nq: int, nv: int) -> tuple[Array, Array]:
    """Check the state of a reset."""
    if not (isinstance(found, tuple) and len(found) == 2):
        raise ArgumentError(f"{function.name} returns (q, v); it returned {found!r}")
    q, v = (np.asarray(x) for x in found)
    if q.shape != (nq,) or v.shape != (nv,):
        raise ArgumentError(f"{function.name} returned q {q.shape} and v {v.shape}; expected ({nq},) and ({nv},)")
    return q, v
