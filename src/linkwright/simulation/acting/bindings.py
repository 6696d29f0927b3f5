"""What is bound to laws and other functions of a user: numbers, values of a kernel, and the rest, its code."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError, names_given
from linkwright.model.derived import exact
from linkwright.simulation.acting.fingerprint import fingerprint
from linkwright.spatial.arrays import Array, as_numbers

WITHIN = ("controller", "decide")
"""As what functions are bound to a law that are laws, or as good as: what is bound to them is known by name."""


@dataclass(frozen=True, eq=False)
class Bindings:
    """What is bound to a function by name."""

    name: str
    """of the function"""
    numbers: dict[str, Array]
    """which may be others the next time; of a batch each (…, *shape)"""
    shapes: dict[str, tuple[int, ...]]
    """of these, for one motion"""
    held: dict[str, Any]
    """things that hold numbers, of which the part p of the thing x is among these as x.p"""
    fixed: dict[str, Any]
    """the rest, which is part of the code"""

    @property
    def key(self) -> Hashable:
        """What tells these from others, whatever the numbers. :class:`TypeError` where it may change unseen."""
        made = tuple((key, thing.key) for key, thing in self.held.items())
        return fingerprint(self.fixed), made, exact(self.shapes)

    def named(self, given: Sequence[Any]) -> dict[str, Any]:
        """All that is bound, with numbers or symbols given for the numbers."""
        told = dict(zip(self.numbers, given, strict=True))
        made = {
            key: thing.make(**{part: told.pop(f"{key}.{part}") for part in thing.arrays})
            for key, thing in self.held.items()
        }
        return gathered({**self.fixed, **made, **told})


def bindings(name: str, bound: Mapping[str, Any], each: Collection[str], batch: tuple[int, ...]) -> Bindings:
    """Numbers and the rest apart; ``each``: names of what is given for each motion."""
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
    values = {key: of_each(key, x, batch, lead[key]) for key, x in numbers.items()}
    return Bindings(name, values, {key: x.shape[lead[key] :] for key, x in values.items()}, held, fixed)


class Named(NamedTuple):
    """The names of what is bound to a function."""

    function: str
    names: Collection[str]


def names_of_each(each: Collection[str], batch: tuple[int, ...], known: Sequence[Named]) -> set[str]:
    """The names, checked: ``known`` are those that there are, by what they are bound to."""
    each = {*names_given("each", each)}
    if each and not batch:
        raise ArgumentError("each names what every motion of a batch has of its own; here is one motion: q0 (…, nq)")
    names = [name for one in known for name in one.names]
    if unknown := sorted(each - {*names}):
        functions = dict.fromkeys(one.function for one in known)
        raise UnknownNameError(f"value bound to {' or '.join(functions)}", unknown[0], names)
    return each


def name_of_function(function: Any) -> str:
    """What it is called in messages."""
    return str(getattr(function, "__name__", type(function).__name__))


def taken_apart(law: Any, what: str = "a law is a function (model, t, q, v) -> efforts") -> tuple[Any, dict[str, Any]]:
    """The function, and what is bound to it by name."""
    bound: dict[str, Any] = {}
    while isinstance(law, partial):
        if law.args:
            raise ArgumentError(f"bind values by name, partial(function, gain=…); {law!r} has {law.args!r} by place")
        bound, law = {**law.keywords, **bound}, law.func
    if not callable(law):
        raise ArgumentError(f"{what}; got {law!r}")
    return law, bound


def spread(bound: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """What is bound, and what is bound to a law within: that is the function alone, what is bound to it "law.gain"."""
    found: dict[str, Any] = {}
    for key, x in bound.items():
        if key in WITHIN and isinstance(x, partial) and not x.args:
            found |= {within + key: x.func, **spread(x.keywords, f"{within}{key}.")}
        else:
            found[within + key] = x
    return found


def gathered(parts: Mapping[str, Any]) -> dict[str, Any]:
    """What is bound, from what :func:`spread` made of it."""
    found, within = apart_from_within(parts)
    return {**found, **{name: partial(found[name], **gathered(inner)) for name, inner in within.items()}}


def apart_from_within(parts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What is bound to a law itself, and by their names what is bound to those within, as :func:`spread` has it."""
    own: dict[str, Any] = {}
    within: dict[str, dict[str, Any]] = {}
    for key, x in parts.items():
        first, dot, rest = key.partition(".")
        if dot and first in WITHIN:
            within.setdefault(first, {})[rest] = x
        else:
            own[key] = x
    return own, within


def holds_numbers(x: Any) -> bool:
    """Whether it is a thing that tells its numbers apart, as a planned trajectory does."""
    return hasattr(type(x), "as_values")


def is_of_numbers(x: Any) -> bool:
    """Whether a bound value may be another one without being another law: numbers, but no choices."""
    if isinstance(x, (bool, np.bool_, str, bytes)) or x is None or callable(x):
        return False
    try:
        kind = np.asarray(x).dtype.kind
    except ValueError:
        return False
    return kind in "iuf"


def of_each(name: str, x: Array, batch: tuple[int, ...], lead: int) -> Array:
    """The array (…, *shape), of which each motion of the batch has its own if ``lead`` dimensions are the batch's."""
    if lead and x.shape[:lead] != batch:
        raise ShapeError(f"{name!r} is given for each motion and has shape {x.shape}; expected {(*batch, '…')}")
    return x
