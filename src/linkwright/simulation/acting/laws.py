"""Laws: efforts as formulas, which are part of the machine code of the steps.

A law is ``law(model, t, q, v) -> tau`` or, with a state of its own, ``law(model, t, q, v, state) -> (tau, state)``. It
is written for one motion and traced once; numbers bound to it by ``functools.partial`` are values of the kernel, so
that other gains are not another kernel; so are those of things that tell them apart (`spatial/values.py`), and those
that are bound to a law within a law, which is bound to it as ``law`` (or ``decide``): their names are ``law.gain``.

A law's attribute ``start(model, **bound)`` gives its state at the start, so that ``state0`` need not; it may refuse
what is bound, and is asked in any case. So may ``check(model, bound, leads)``, of laws with a state or without, which
is told how many leading dimensions of what is bound, by name, are those of a batch.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.errors import ArgumentError, InputError, ShapeError, wrong_call
from linkwright.model.derived import derived, exact
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.acting.bindings import (
    Named,
    apart_from_within,
    bindings,
    gathered,
    is_of_numbers,
    name_of_function,
    names_of_each,
    of_each,
    spread,
    taken_apart,
)
from linkwright.simulation.acting.fingerprint import fingerprint
from linkwright.spatial.arrays import Array, as_numbers

if TYPE_CHECKING:
    from linkwright.simulation.acting.outside import Outside


Shapes = Any
"""A shape, or a tuple or a dict of shapes: how a state is put together."""


@dataclass(frozen=True, eq=False)
class Formula:
    """Efforts as a formula, which can be part of the machine code of steps."""

    function: Callable[..., Any]
    """(model, t, q, v, *values) -> efforts (nv,), for numbers and symbols; with a state (model, t, q, v, state,
    *values) -> (efforts, state), the state (size,)"""
    key: Hashable
    """what tells it from others, whatever the values"""
    values: tuple[Array, ...] = ()
    """in which alike ones differ, each (…, *shape)"""
    shapes: tuple[tuple[int, ...], ...] = ()
    state: int = 0
    """how many numbers its state is"""
    outside: Outside | None = None
    """what acts from outside at the same time; its values come before the others"""
    idle: bool = False
    """whether it gives no efforts: there is only what acts from outside"""
    sensor: str | None = None
    """the frame at which what acts from outside is measured: the function is told it as ``wrench`` (6,)"""

    @property
    def all_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of all values, for one motion."""
        return (self.outside.shapes if self.outside else ()) + self.shapes

    @property
    def all_values(self) -> tuple[Array, ...]:
        """Those of what acts from outside, and its own."""
        return (self.outside.values if self.outside else ()) + self.values

    @property
    def size(self) -> int:
        """How many numbers all values are."""
        return size_of(self.all_shapes)

    def told(self) -> Array:
        """All values one after the other (…, size)."""
        return one_after_another(self.all_values, self.all_shapes)

    def efforts(self, model: Model, t: Any, q: Array, v: Array, told: Array, *state: Array) -> Any:
        """The efforts (nv,) by all values (size,); with a state (efforts, state)."""
        return self.of_values(model, t, q, v, apart(told, self.all_shapes), *state)

    def of_values(self, model: Model, t: Any, q: Array, v: Array, values: Sequence[Any], *state: Array) -> Any:
        """The same by all values, one by one."""
        others = len(self.outside.shapes) if self.outside else 0
        if self.outside is None or self.sensor is None:
            return self.function(model, t, q, v, *state, *values[others:])
        wrench = self.outside.felt(model, t, q, v, self.sensor, *values[:others])
        return self.function(model, t, q, v, *state, *values[others:], wrench=wrench)

    def pushing(self, model: Model, t: Any, q: Array, v: Array, told: Array) -> Array:
        """What acts from outside as efforts (nv,), by all values (size,)."""
        return self.pushed(model, t, q, v, apart(told, self.all_shapes))

    def pushed(self, model: Model, t: Any, q: Array, v: Array, values: Sequence[Any]) -> Array:
        """The same by all values, one by one."""
        assert self.outside is not None
        return self.outside.efforts(model, t, q, v, *values[: len(self.outside.shapes)])


def under(formula: Formula | None, outside: Outside, model: Model, sensor: str | None = None) -> Formula:
    """The formula with what acts from outside; without one there are no efforts."""
    formula = formula or no_efforts()
    return replace(formula, key=(formula.key, outside.key, sensor), outside=outside, sensor=sensor)


def no_efforts() -> Formula:
    """The formula of nobody who acts."""
    return Formula(lambda model, t, q, v: np.zeros(model.nv), None, idle=True)


def size_of(shapes: Collection[tuple[int, ...]]) -> int:
    """How many numbers arrays are; one at least, for kernels with an array of none run uncompiled."""
    return max(1, sum(map(math.prod, shapes)))


def one_after_another(values: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> Array:
    """Arrays (…, *shape) one after the other (…, size)."""
    leads = [x.shape[: x.ndim - len(shape)] for x, shape in zip(values, shapes, strict=True)]
    try:
        lead = np.broadcast_shapes(*leads)
    except ValueError:
        raise ShapeError(f"the law's values are of batches {leads}, which do not broadcast") from None
    parts = [
        np.broadcast_to(x, (*lead, *shape)).reshape((*lead, math.prod(shape)))
        for x, shape in zip(values, shapes, strict=True)
    ]
    rest = size_of(shapes) - sum(part.shape[-1] for part in parts)
    return np.concatenate([*parts, np.zeros((*lead, rest))], axis=-1)


def apart(told: Array, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """The arrays that lie in (size,) one after the other."""
    ends = np.cumsum([0, *map(math.prod, shapes)])
    return [told[a:b].reshape(shape) if shape else told[a] for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]


class Ruled:
    """A law in a simulation: a controller (t, q, v) -> efforts (…, nv) whose state changes as it is asked."""

    def __init__(
        self,
        model: Model,
        formula: Formula,
        state: Array,
        shapes: Shapes,
        name: str,
        cut: slice | None = None,
        period: int = 1,
        names: tuple[str, ...] = (),
    ):
        self.model, self.formula, self.state, self.shapes, self.name = model, formula, state, shapes, name
        self.cut = cut
        """where the state counts the steps in which efforts were cut"""
        self.period = period
        """steps from one question to the next"""
        self.random: slice | None = None
        """where the state is that of a generator of random numbers"""
        self.steps: dict[str, Array] = {}
        """what is bound as ``step``, by name: how often the law believes that it is asked, s"""
        self.sensed = False
        """whether it is told what a sensor measures"""
        self.frame: str | None = None
        """what is bound as ``frame`` to a law that is told what a sensor measures"""
        self.names = names
        """of the formula's values, as they are bound"""

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The efforts; the state becomes what it is after them."""
        found = self._kernel(t, q, v, self._told, *([self.state] if self.formula.state else []))
        tau, self.state = found if self.formula.state else (found, self.state)
        result: Array = tau
        return result

    def answer(self, t: float, q: Array, v: Array, told: Array, state: Array) -> Array:
        """The efforts by all values (size,), in a state that stays."""
        found = self._kernel(t, q, v, told, *([state] if self.formula.state else []))
        tau: Array = found[0] if self.formula.state else found
        return tau

    @cached_property  # it is asked at every step
    def _told(self) -> Array:
        return self.formula.told()

    @cached_property
    def _kernel(self) -> Callable[..., Any]:
        formula, model = self.formula, self.model
        sizes: dict[str, tuple[int, ...]] = {"t": (), "told": (formula.size,)}

        def law(model: Model, t: Any, q: Array, v: Array, told: Array) -> Any:
            return formula.efforts(model, t, q, v, told)

        def law_with_state(model: Model, t: Any, q: Array, v: Array, told: Array, state: Array) -> Any:
            return formula.efforts(model, t, q, v, told, state)

        def make() -> Callable[..., Any]:
            if formula.state:
                return compile_or_not(law_with_state, model, **sizes, state=(formula.state,))
            return compile_or_not(law, model, **sizes)

        kernel: Callable[..., Any] = derived(model, Ruled, formula.key, make=make)
        return kernel


def ruled(
    model: Model,
    law: Callable[..., Any],
    state0: Any,
    each: Collection[str],
    batch: tuple[int, ...],
    sensed: bool = False,
    elsewhere: Sequence[Named] = (),
    sound: bool = True,
) -> Ruled:
    """The law within a simulation of a batch of motions.

    ``each``: names of bound values, and "state", that are given for each motion (…, *shape); of those bound
    ``elsewhere`` nothing is asked here. ``sensed``: it is told what is measured, ``wrench``. ``sound``: its own
    ``check`` is asked. Raises
    :class:`ArgumentError` and :class:`ShapeError` for what is no law, or does not give efforts (nv,).
    """
    function, own = taken_apart(law)
    name, bound = name_of_function(function), spread(own)
    own_names = [*bound, *(["state"] if state0 is not None or hasattr(function, "start") else [])]
    each = names_of_each(each, batch, [Named(name, own_names), *elsewhere])
    _look_at(model, function, bound, each, len(batch), sound)
    state0 = _at_start(model, function, bound, state0, each, batch)
    if sensed:
        _require_a_place_for(function, name, bound)
    stateful = _takes_a_state(function, name, {**bound, **({"wrench": None} if sensed else {})}, state0)
    told = bindings(f"the law {name}", bound, each, batch)
    lead = len(batch) if "state" in each else 0
    shapes = _shapes_of(state0, batch, lead) if stateful else None
    if stateful and not _size(shapes):
        raise InputError("state0 is empty: a law without a state is law(model, t, q, v)")
    state = _flat(state0, shapes, batch, lead) if stateful else np.zeros((*batch, 0))

    def efforts(model: Model, t: Any, q: Array, v: Array, *given: Any, **measured: Array) -> Any:
        own = (joined(shapes, given[0]),) if stateful else ()
        whole = model.physical or model  # a law may ask for energies, momenta and parameters
        q, v = q.copy(), v.copy()  # a law may write into what it is given
        found = function(whole, t, q, v, *own, **told.named(given[len(own) :]), **measured)
        if not stateful:
            return _checked_efforts(name, found, model)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise ArgumentError(f"the law {name} has a state and returns (efforts, state); it returned {found!r}")
        return _checked_efforts(name, found[0], model), _checked_state(name, found[1], shapes)

    try:
        key: Hashable = (fingerprint(function), told.key, exact(_frozen(shapes)))
        hash(key)
    except TypeError:  # what is bound may change unseen: a law of its own
        key = efforts
    formula = Formula(efforts, key, tuple(told.numbers.values()), tuple(told.shapes.values()), state.shape[-1])
    rule = Ruled(model, formula, state, shapes, name=name, names=tuple(told.numbers))
    rule.sensed = sensed
    rule.frame = own.get("frame") if sensed and isinstance(own.get("frame"), str) else None
    rule.steps = {key: x for key, x in told.numbers.items() if key.rpartition(".")[2] == "step"}
    return rule


def _require_a_place_for(function: Callable[..., Any], name: str, bound: Collection[str]) -> None:
    """Raise :class:`ArgumentError` for a law that cannot be told what a sensor measures."""
    parameters = inspect.signature(function).parameters
    if "wrench" in bound:
        raise ArgumentError(f"wrench is bound to the law {name}, and a sensor is to tell it: leave one away")
    if "wrench" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            f"a sensor is for laws that are told what it measures, law(model, t, q, v, *, wrench, …); {name} takes "
            f"({', '.join(parameters)})"
        )


def _look_at(
    model: Model, function: Any, bound: Mapping[str, Any], each: Collection[str], lead: int, sound: bool
) -> None:
    """Raise what is wrong with what is bound to a law, and to laws within, as :func:`spread` has it."""
    own, within = apart_from_within(bound)
    parameters = _parameters(function)
    if parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()) and not {*own} <= {*parameters}:
        told = {"model", "t", "q", "v", "state", *[key for key, x in parameters.items() if x.default is x.empty]}
        raise wrong_call(
            name_of_function(function), inspect.signature(function), (), [*own, *sorted(told & {*parameters} - {*own})]
        )
    look = getattr(function, "check", None)
    if sound and callable(look):
        look(model, own, {key: lead if key in each else 0 for key in own})
    for name, inner in within.items():
        _look_at(model, own[name], inner, apart_from_within(dict.fromkeys(each))[1].get(name, ()), lead, sound)


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Of a function, by name; none where it does not tell them."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


@takes_model
def start_of(model: Model, law: Callable[..., Any]) -> Any:
    """The state that a law has at the start, by its attribute ``start``; None of a law without one.

    Raises :class:`ArgumentError` for a law that has a state and does not tell it.
    """
    function, bound = taken_apart(law)
    found = _told_start(model, function, bound)
    if found is None and len(needed := _by_place(function, bound)) == 5:
        name = name_of_function(function)
        raise ArgumentError(
            f"{name} takes {needed[4]!r} as its state: what it is at the start an attribute of laws within laws tells, "
            f"{name}.start = lambda model, **bound: …"
        )
    return found


def _told_start(model: Model, function: Any, bound: Mapping[str, Any]) -> Any:
    start = getattr(function, "start", None)
    if not callable(start):
        return None
    signature = inspect.signature(start)
    try:
        signature.bind(model, **bound)
    except TypeError:
        named = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
        raise wrong_call(name_of_function(function), signature.replace(parameters=named), (), bound) from None
    return start(model, **bound)


def _by_place(function: Callable[..., Any], bound: Collection[str]) -> list[str]:
    """The arguments that a law must be given by place."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in bound]
    return [p.name for p in places if p.default is p.empty]


def _at_start(
    model: Model, function: Any, bound: Mapping[str, Any], state0: Any, each: Collection[str], batch: tuple[int, ...]
) -> Any:
    """The state at the start: what is given, or else what the law says; of what each motion has, by the first one's."""
    first = {key: _of_first(key, x, batch) if key in each and is_of_numbers(x) else x for key, x in bound.items()}
    own = _told_start(model, function, gathered(first))
    if state0 is None or own is None:
        return own if state0 is None else state0
    given, wanted = _shapes_of(state0, batch, len(batch) if "state" in each else 0), _shapes_of(own, (), 0)
    if given != wanted:
        raise ShapeError(
            f"state0 of the law {name_of_function(function)} is put together as {given}; expected {wanted}"
        )
    return state0


def _takes_a_state(function: Callable[..., Any], name: str, bound: Mapping[str, Any], state0: Any) -> bool:
    """Whether it is called with a state, which must then be there."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return state0 is not None
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in bound]
    needed = [p.name for p in by_place if p.default is p.empty]
    lacking = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in bound]
    any_more = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    takes = f"{name} takes ({', '.join(p.name for p in parameters)})"
    form = "a law is called as law(model, t, q, v), or with its state as law(model, t, q, v, state)"
    if not any_more and len(by_place) < 4:
        raise ArgumentError(f"{form}; {takes}")
    if lacking or len(needed) > 5:
        missing = (lacking or needed[5:])[0]
        if missing == "wrench":
            raise ArgumentError(
                f"the law {name} needs what pushes the hand, wrench (6,): give sensor=frame, where it is "
                f"measured, or bind it, functools.partial({name}, wrench=…)"
            )
        raise ArgumentError(f"{form}; {takes}: bind the rest, functools.partial({name}, {missing}=…)")
    if state0 is None and len(needed) == 5:
        raise ArgumentError(f"{form}; {takes}: give what {needed[4]!r} is at the start, state0=…, or bind it")
    if state0 is not None and not any_more and len(by_place) < 5:
        raise ArgumentError(f"state0 is given, and {takes}: no place for a state after v")
    return state0 is not None


def _of_first(name: str, x: Any, batch: tuple[int, ...]) -> Any:
    """What the first motion of a batch has."""
    every = of_each(name, as_numbers(name, x), batch, len(batch))
    return every[(0,) * len(batch)] if all(batch) else np.zeros(every.shape[len(batch) :])


def _shapes_of(state: Any, batch: tuple[int, ...], lead: int) -> Shapes:
    if isinstance(state, dict):
        return {key: _shapes_of(part, batch, lead) for key, part in state.items()}
    if isinstance(state, (tuple, list)) and any(isinstance(x, (tuple, list, dict, np.ndarray)) for x in state):
        return [_shapes_of(part, batch, lead) for part in state]
    return of_each("state0", as_numbers("state0", state), batch, lead).shape[lead:]


def _size(shapes: Shapes) -> int:
    parts = shapes.values() if isinstance(shapes, dict) else shapes if isinstance(shapes, list) else None
    return math.prod(shapes) if parts is None else sum(map(_size, parts))


def _flat(state: Any, shapes: Shapes, batch: tuple[int, ...], lead: int) -> Array:
    """A state of numbers (*batch, size)."""
    pieces = []
    for x, shape in _leaves(state, shapes):
        x = as_numbers("state0", x)
        if not np.isfinite(x).all():
            raise ArgumentError("state0 is not finite")
        whole = np.broadcast_to(x, (*batch, *shape))
        pieces.append(whole.reshape(*batch, math.prod(shape)))
    return np.concatenate([np.zeros((*batch, 0)), *pieces], axis=-1)


def _leaves(state: Any, shapes: Shapes) -> list[tuple[Any, tuple[int, ...]]]:
    """The arrays of a state, each with its shape; ValueError where it is put together otherwise."""
    if isinstance(shapes, dict):
        if not isinstance(state, dict) or state.keys() != shapes.keys():
            raise ValueError
        return [leaf for key, shape in shapes.items() for leaf in _leaves(state[key], shape)]
    if isinstance(shapes, list):
        if not isinstance(state, (tuple, list)) or len(state) != len(shapes):
            raise ValueError
        return [leaf for part, shape in zip(state, shapes, strict=True) for leaf in _leaves(part, shape)]
    return [(state, shapes)]


def joined(shapes: Shapes, x: Array) -> Any:
    """The arrays that lie in (…, size) one after the other, as they are put together."""
    return _taken(shapes, x, 0)[0]


def _taken(shapes: Shapes, x: Array, at: int) -> tuple[Any, int]:
    if isinstance(shapes, dict):
        found = {}
        for key, shape in shapes.items():
            found[key], at = _taken(shape, x, at)
        return found, at
    if isinstance(shapes, list):
        parts = []
        for shape in shapes:
            part, at = _taken(shape, x, at)
            parts.append(part)
        return tuple(parts), at
    size = math.prod(shapes)
    if not shapes:
        return x[..., at], at + 1
    return x[..., at : at + size].reshape((*x.shape[:-1], *shapes)), at + size


def _frozen(shapes: Shapes) -> Hashable:
    if isinstance(shapes, dict):
        return tuple((key, _frozen(shape)) for key, shape in shapes.items())
    return tuple(map(_frozen, shapes)) if isinstance(shapes, list) else shapes


def _checked_efforts(name: str, tau: Any, model: Model) -> Array:
    if tau is None:
        raise ArgumentError(f"the law {name} returned None: is its `return` missing?")
    if isinstance(tau, (dict, str)) or (tau := np.asarray(tau)).dtype.kind not in "biufO":
        raise ArgumentError(f"the law {name} returns efforts ({model.nv},); it returned {tau!r}")
    if tau.shape != (model.nv,):
        raise ShapeError(f"the law {name} returned efforts of shape {tau.shape}; expected ({model.nv},)")
    return tau


def _checked_state(name: str, state: Any, shapes: Shapes) -> Array:
    """The state after a law, as one vector."""
    wrong = f"the law {name} returned a state that is put together otherwise than state0, {shapes!r}"
    try:
        leaves = _leaves(state, shapes)
    except ValueError:
        raise ShapeError(f"{wrong}: {state!r}") from None
    pieces = []
    for x, shape in leaves:
        if np.shape(x) != shape:
            raise ShapeError(f"{wrong}: an array has shape {np.shape(x)}, not {shape}")
        pieces.append(np.reshape(np.asarray(x), -1))
    return np.concatenate(pieces)
