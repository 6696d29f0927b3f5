"""Values bound to controllers and other user functions: numbers become arguments of kernels, other values part of the
code."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError, names_given
from linkwright.model.memo import exact
from linkwright.simulation.actuation.fingerprint import fingerprint
from linkwright.spatial.arrays import Array, as_numbers

INNER = ("controller", "decide")
"""Parameter names of inner functions; values bound to them have names such as ``controller.gain``."""


@dataclass(frozen=True, eq=False)
class Bindings:
    """Values bound to a function by name."""

    name: str
    """of the function"""
    numbers: dict[str, Array]
    """numbers, which may differ between calls; for a batch (…, *shape)"""
    shapes: dict[str, tuple[int, ...]]
    """shapes of the numbers, for one motion"""
    held: dict[str, Any]
    """objects with numbers; the number p of the object x is named x.p"""
    fixed: dict[str, Any]
    """other values, which are part of the code"""

    @property
    def key(self) -> Hashable:
        """Key of the bindings, independent of the numbers; :class:`TypeError` for mutable values."""
        made = tuple((key, thing.key) for key, thing in self.held.items())
        return fingerprint(self.fixed), made, exact(self.shapes)

    def named(self, given: Sequence[Any]) -> dict[str, Any]:
        """Return all bound values with the given numbers or symbols."""
        values = dict(zip(self.numbers, given, strict=True))
        made = {
            key: thing.make(**{part: values.pop(f"{key}.{part}") for part in thing.arrays})
            for key, thing in self.held.items()
        }
        return nested_bindings({**self.fixed, **made, **values})


def bindings(name: str, bound: Mapping[str, Any], each: Collection[str], batch: tuple[int, ...]) -> Bindings:
    """Separate numbers from other values; ``each``: names of values given for each motion."""
    held = {key: x.as_values() for key, x in bound.items() if holds_numbers(x)}
    for what, thing in held.items():
        if thing.batch and what not in each:
            raise ShapeError(f"{what!r} is a batch {thing.batch}: each=[{what!r}] gives each motion of a batch its own")
    numbers = {key: as_numbers(key, x) for key, x in bound.items() if is_of_numbers(x)}
    numbers |= {f"{key}.{part}": x for key, thing in held.items() for part, x in thing.arrays.items()}
    for what, x in numbers.items():
        if np.isnan(x).any():
            raise InputError(f"{what!r}, which is bound to {name}, is not a number")
    fixed = {key: x for key, x in bound.items() if key not in numbers and key not in held}
    named = tuple(f"{one}." for one in each)
    lead = {key: len(batch) if f"{key}.".startswith(named) else 0 for key in numbers}
    values = {key: per_motion_values(key, x, batch, lead[key]) for key, x in numbers.items()}
    return Bindings(name, values, {key: x.shape[lead[key] :] for key, x in values.items()}, held, fixed)


def checked_each(each: Collection[str], batch: tuple[int, ...], known: Collection[str]) -> set[str]:
    """Check names of values given for each motion; ``known``: names of all values bound to functions."""
    each = {*names_given("each", each)}
    if each and not batch:
        raise ArgumentError("values for each motion need a batch of initial states, q0 (n, nq); got one state q0 (nq,)")
    if unknown := sorted(each - {*known}):
        advice = f"; bind it to the function that takes it: functools.partial(function, {unknown[0]}=…)"
        raise UnknownNameError("bound value", unknown[0], known, advice=advice)
    return each


def name_of_function(function: Any) -> str:
    """Return the name of a function in messages."""
    return str(getattr(function, "__name__", type(function).__name__))


def unwrap_partials(
    function: Any, what: str = "a controller is a function (model, t, q, v) -> efforts"
) -> tuple[Any, dict[str, Any]]:
    """Return the function, and the values bound to it by name."""
    bound: dict[str, Any] = {}
    while isinstance(function, partial):
        if function.args:
            raise ArgumentError(
                f"bind values by name, partial(function, gain=…); {function!r} has the positional values "
                f"{function.args!r}"
            )
        bound, function = {**function.keywords, **bound}, function.func
    if not callable(function):
        raise ArgumentError(f"{what}; got {function!r}")
    return function, bound


def flattened_bindings(bound: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """Return bound values with those of inner functions flattened, named "controller.gain"."""
    found: dict[str, Any] = {}
    for key, x in bound.items():
        if key in INNER and isinstance(x, partial) and not x.args:
            found |= {within + key: x.func, **flattened_bindings(x.keywords, f"{within}{key}.")}
        else:
            found[within + key] = x
    return found


def nested_bindings(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return bound values, the inverse of :func:`flattened_bindings`."""
    found, within = own_and_inner_bindings(parts)
    return {**found, **{name: partial(found[name], **nested_bindings(inner)) for name, inner in within.items()}}


def own_and_inner_bindings(parts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the values bound to a controller itself, and by name those bound to inner controllers."""
    own: dict[str, Any] = {}
    within: dict[str, dict[str, Any]] = {}
    for key, x in parts.items():
        first, dot, rest = key.partition(".")
        if dot and first in INNER:
            within.setdefault(first, {})[rest] = x
        else:
            own[key] = x
    return own, within


def holds_numbers(x: Any) -> bool:
    """Whether an object lists its numbers, as a trajectory does."""
    return hasattr(type(x), "as_values")


def is_of_numbers(x: Any) -> bool:
    """Whether a bound value is numeric, so that another value does not change the code."""
    if isinstance(x, (bool, np.bool_, str, bytes)) or x is None or callable(x):
        return False
    try:
        kind = np.asarray(x).dtype.kind
    except ValueError:
        return False
    return kind in "iuf"


def per_motion_values(name: str, x: Array, batch: tuple[int, ...], lead: int) -> Array:
    """Check the array (…, *shape); with ``lead`` leading dimensions each motion of the batch has its own."""
    if lead and x.shape[:lead] != batch:
        raise ShapeError(f"{name!r} is given for each motion and has shape {x.shape}; expected {(*batch, '…')}")
    return x
