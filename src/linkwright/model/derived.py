"""What is derived from a model is kept with it: regrouped models, orders of elimination, compiled kernels.

All of it lies in ``model.memo`` under the function that it comes from and what else that was told (where that is
nothing, under the function's identity alone, which is found in a third of the time), and :func:`derived` is the one
way to it. Another model, though made by ``replace``, begins with nothing.

What was not asked for longest is forgotten: when the memo is full it becomes what was kept ``earlier``, and what
that was is gone; what is found there joins the memo again. So looking up costs what a dict costs.
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
"""So many results a model keeps at least; twice as many are the most."""


class Identity:
    """A function as what comes from it is kept under: that very object, which may die all the same.

    A bound method is told by its object and its function, for every look at it makes another. A derivative has
    the identity of its function with what that was differentiated by, as its attribute ``identity``.
    """

    __slots__ = ("__weakref__", "_by", "_owner", "_part")

    def __init__(self, owner: Any, part: Any, by: tuple[str, ...]):
        try:
            self._owner: Callable[[], Any] = weakref.ref(owner)
        except TypeError:  # it cannot be referred to weakly, and lives as long as what it gave is kept
            self._owner = lambda: owner
        self._part = part
        self._by = by

    @property
    def alive(self) -> bool:
        """Whether anybody can still ask for what comes from the function."""
        return self._owner() is not None

    def of(self, owner: Any, part: Any) -> bool:
        """Whether it is this function's."""
        return self._owner() is owner and self._part is part

    def derivative(self, wrt: str) -> Identity:
        """That of the derivative by an array."""
        return _identity(self._owner(), self._part, (*self._by, wrt))


_identities: weakref.WeakValueDictionary[Hashable, Identity] = weakref.WeakValueDictionary()


def identity(function: Callable[..., Any] | Identity) -> Identity:
    """The identity of a function: the same object as long as the function lives."""
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
    if found is None or not found.of(owner, part):  # the place in memory may have been another's
        found = _identities[place] = Identity(owner, part, by)
    return found


def exact(x: Any) -> Hashable:
    """A value as part of a key: arrays by their entries, numbers by their kind, too (1 is not True, nan is nan).

    Raises :class:`TypeError` where a value could change unseen: it has no hash.
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
    """``function(model, *key)``, or what ``make()`` gives in its place: made once for each key, and kept."""
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
    """From now on this is what is derived so; what functions gave that are no more is forgotten."""
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
    """The function, whose results are :func:`derived`: computed once for each model and whatever else it is told."""

    @functools.wraps(function)
    def once(model: Model, /, *key: P.args, **named: P.kwargs) -> R:
        if named:  # what it is kept by are values in their order
            raise TypeError(f"{function.__name__} takes {', '.join(named)} by place, not by name")
        value: R = derived(model, once, *key, make=lambda: function(model, *key))  # type: ignore[call-arg]
        return value

    return once


def share_derived(source: Model, target: Model, *functions: Callable[[Model], Any]) -> None:
    """Let a model take over what these functions (:func:`kept`) give of another: they shall not ask it themselves."""
    for function in functions:
        keep(target, function(source), function)
