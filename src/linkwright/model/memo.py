"""Results derived from a model and stored with it: regrouped models, elimination orders, compiled kernels.

All results are in ``model.memo`` under their function and its other arguments (without other arguments, under the
function's identity alone, which makes the lookup three times as fast). :func:`derived` is the only access. Another
model, also one made by ``replace``, has an empty memo.

The least recently used results are dropped: a full memo becomes ``earlier`` and replaces the previous one; results
found there return to the memo. A lookup therefore costs as much as one in a dict.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from linkwright.model.tree import Model

P = ParamSpec("P")
R = TypeVar("R")

KEPT = 256
"""Smallest number of results that a model stores; the largest is twice this."""


class Identity:
    """Identity of a function as a key: that object, referred to weakly.

    A bound method is identified by its object and its function, since each access creates another bound method. A
    derivative has the identity of its function and the array of differentiation, as its attribute ``identity``.
    """

    __slots__ = ("__weakref__", "_by", "_owner", "_part")

    def __init__(self, owner: Any, part: Any, by: tuple[str, ...]):
        try:
            self._owner: Callable[[], Any] = weakref.ref(owner)
        except TypeError:  # no weak reference; it lives as long as its results
            self._owner = lambda: owner
        self._part = part
        self._by = by

    @property
    def alive(self) -> bool:
        """Return whether the function is alive."""
        return self._owner() is not None

    def of(self, owner: Any, part: Any) -> bool:
        """Return whether this is the identity of a function."""
        return self._owner() is owner and self._part is part

    def derivative(self, wrt: str) -> Identity:
        """Return the identity of the derivative by an array."""
        return _identity(self._owner(), self._part, (*self._by, wrt))


_identities: weakref.WeakValueDictionary[Hashable, Identity] = weakref.WeakValueDictionary()


def identity(function: Callable[..., Any] | Identity) -> Identity:
    """Return the identity of a function: the same object while the function lives."""
    if isinstance(function, Identity):
        return function
    if isinstance(own := getattr(function, "identity", None), Identity):
        return own
    if inspect.ismethod(function):
        return _identity(function.__self__, function.__func__, ())
    return _identity(function, None, ())


def _identity(owner: Any, part: Any, by: tuple[str, ...]) -> Identity:
    place = (id(owner), id(part), by)
    found = _identities.get(place)
    if found is None or not found.of(owner, part):  # the memory address may have been reused
        found = _identities[place] = Identity(owner, part, by)
    return found


def exact(x: Any) -> Hashable:
    """Return a value as part of a key: arrays by entries, numbers by type too (1 is not True, nan is nan).

    Raises :class:`TypeError` for values that are mutable and have no hash.
    """
    if x is None or type(x) is str:
        return x
    if isinstance(x, float):
        return type(x), x.hex()
    if isinstance(x, np.ndarray):
        if x.dtype.hasobject:
            raise TypeError(f"{x!r} may change")
        return np.ndarray, x.dtype.str, x.shape, x.tobytes()
    if isinstance(x, (list, tuple)):
        return type(x), *map(exact, x)
    if isinstance(x, dict):
        return type(x), *((exact(name), exact(value)) for name, value in x.items())
    hash(x)
    return type(x), x


def derived(
    model: Model, function: Callable[..., Any] | Identity, *key: Hashable, make: Callable[[], Any] | None = None
) -> Any:
    """Return ``function(model, *key)``, or ``make()`` instead, computed once for each key."""
    place = _place(function, key)
    for known in (model.memo, model.earlier):
        try:
            value = known[place]
        except KeyError:
            continue
        if known is not model.memo:
            _add(model, place, value)
        return value
    value = make() if make is not None else function(model, *key)  # type: ignore[operator]
    keep(model, value, function, *key)
    return value


def keep(model: Model, value: Any, function: Callable[..., Any] | Identity, *key: Hashable) -> None:
    """Store a derived value; results of functions that no longer exist are dropped."""
    for known in (model.memo, model.earlier):
        for place in list(known):
            if not (place[0] if isinstance(place, tuple) else place).alive:
                known.pop(place, None)
    _add(model, _place(function, key), value)


def _place(function: Callable[..., Any] | Identity, key: tuple[Hashable, ...]) -> Identity | tuple[Any, ...]:
    own = identity(function)
    return (own, *key) if key else own


def _add(model: Model, place: Identity | tuple[Any, ...], value: Any) -> None:
    if len(model.memo) >= KEPT:
        model.earlier.clear()
        model.earlier.update(model.memo)
        model.memo.clear()
    model.memo[place] = value


def kept(function: Callable[Concatenate[Model, P], R]) -> Callable[Concatenate[Model, P], R]:
    """Decorate a function so that its results are :func:`derived`: computed once for each model and other arguments."""

    @functools.wraps(function)
    def once(model: Model, /, *key: P.args, **named: P.kwargs) -> R:
        if named:  # the key consists of positional values
            raise TypeError(f"{function.__name__} takes {', '.join(named)} as positional arguments only")
        value: R = derived(model, once, *key, make=lambda: function(model, *key))  # type: ignore[call-arg]
        return value

    return once


def share_derived(source: Model, target: Model, *functions: Callable[[Model], Any]) -> None:
    """Copy results of these functions (:func:`kept`) from one model to another."""
    for function in functions:
        keep(target, function(source), function)
