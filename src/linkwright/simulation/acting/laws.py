"""Controllers as formulas, which are part of the machine code of the steps.

A controller is ``controller(model, t, q, v) -> tau`` or, with a state, ``controller(model, t, q, v, state) -> (tau,
state)``. It is written for one motion and traced once; numbers bound to it by ``functools.partial`` are values of the
kernel, so that other gains are not another kernel; so are those of objects that list them (`spatial/values.py`), and
those bound to an inner controller, which is bound as ``controller`` (or ``decide``): their names are
``controller.gain``. See :class:`~linkwright.simulation.acting.controller.Controller` for the protocol.
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
from linkwright.simulation.acting.controller import controller_of, has_initial_state
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
    initial_state: Any,
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
    named = [*bound, *(["state"] if initial_state is not None or has_initial_state(function) else [])]
    each = names_of_each(each, batch, [Named(name, named), *elsewhere])
    _look_at(model, function, bound, each, len(batch), sound)
    initial_state = _at_start(model, function, bound, initial_state, each, batch)
    if sensed:
        _require_a_place_for(function, name, bound)
    stateful = initial_state is not None
    _require_call(function, name, [*apart_from_within(bound)[0], *(["wrench"] if sensed else [])], stateful)
    told = bindings(f"the controller {name}", bound, each, batch)
    lead = len(batch) if "state" in each else 0
    shapes = _shapes_of(initial_state, batch, lead) if stateful else None
    if stateful and not _size(shapes):
        raise InputError("initial_state is empty: a controller without a state is controller(model, t, q, v)")
    state = _flat(initial_state, shapes, batch, lead) if stateful else np.zeros((*batch, 0))

    def efforts(model: Model, t: Any, q: Array, v: Array, *given: Any, **measured: Array) -> Any:
        own = (joined(shapes, given[0]),) if stateful else ()
        whole = model.physical or model  # a law may ask for energies, momenta and parameters
        q, v = q.copy(), v.copy()  # a law may write into what it is given
        found = function(whole, t, q, v, *own, **told.named(given[len(own) :]), **measured)
        if not stateful:
            return _checked_efforts(name, found, model)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise ArgumentError(
                f"the controller {name} has a state and returns (efforts, state); it returned {found!r}"
            )
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
        raise ArgumentError(f"wrench is bound to the controller {name}, and a sensor is to tell it: leave one away")
    if "wrench" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            "a sensor is for controllers with the argument wrench, controller(model, t, q, v, *, wrench, …); "
            f"{name} takes ({', '.join(parameters)})"
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
    if sound:
        controller_of(function).check(model, own, {key: lead if key in each else 0 for key in own})
    for name, inner in within.items():
        _look_at(model, own[name], inner, apart_from_within(dict.fromkeys(each))[1].get(name, ()), lead, sound)


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Of a function, by name; none where it does not tell them."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


@takes_model
def initial_state_of(model: Model, law: Callable[..., Any]) -> Any:
    """Return the initial state of a controller; None of a controller without a state.

    Raises :class:`ArgumentError` for a controller that takes a state and has no initial one.
    """
    function, bound = taken_apart(law)
    found = controller_of(function).initial_state(model, **bound)
    if found is None and not _fits(function, bound) and _fits(function, bound, state=True):
        name = name_of_function(function)
        raise ArgumentError(
            f"{name} takes a state, and has no initial one: give it a method initial_state(model, **bound), or "
            "initial_state=…"
        )
    return found


def _fits(function: Any, bound: Collection[str], state: bool = False) -> bool:
    """Whether a controller can be called with (model, t, q, v), or with a state too."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # it does not list its parameters
        return True
    try:
        signature.bind(*("model", "t", "q", "v", "state")[: 5 if state else 4], **dict.fromkeys(bound))
    except TypeError:
        return False
    return True


def _at_start(
    model: Model,
    function: Any,
    bound: Mapping[str, Any],
    initial_state: Any,
    each: Collection[str],
    batch: tuple[int, ...],
) -> Any:
    """The state at the start: what is given, or else what the law says; of what each motion has, by the first one's."""
    first = {key: _of_first(key, x, batch) if key in each and is_of_numbers(x) else x for key, x in bound.items()}
    own = controller_of(function).initial_state(model, **gathered(first))
    if initial_state is None or own is None:
        return own if initial_state is None else initial_state
    given, wanted = _shapes_of(initial_state, batch, len(batch) if "state" in each else 0), _shapes_of(own, (), 0)
    if given != wanted:
        raise ShapeError(
            f"initial_state of the controller {name_of_function(function)} is put together as {given}; expected "
            f"{wanted}"
        )
    return initial_state


def _require_call(function: Any, name: str, bound: Collection[str], state: bool) -> None:
    """Raise :class:`ArgumentError` for a function that cannot be called as a controller, with or without a state."""
    if _fits(function, bound, state):
        return
    parameters = inspect.signature(function).parameters.values()
    form = (
        "a controller is called as controller(model, t, q, v), or with its state as controller(model, t, q, v, state)"
    )
    told = f"{form}; {name} takes ({', '.join(p.name for p in parameters)})"
    if state and _fits(function, bound):
        raise ArgumentError(f"initial_state is given, and {name} has no place for a state after v: {told}")
    if _fits(function, bound, state=True):
        raise ArgumentError(f"{told}: give its initial state, initial_state=…, or bind it")
    free = [p for p in parameters if p.name not in bound and p.default is p.empty]
    lacking = [p.name for p in free if p.kind is p.KEYWORD_ONLY]
    lacking += [p.name for p in free if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][4 + state :]
    if "wrench" in lacking:
        raise ArgumentError(
            f"the controller {name} needs the measured wrench (6,): give sensor=frame, where it is measured, or bind "
            f"it, functools.partial({name}, wrench=…)"
        )
    if lacking:
        raise ArgumentError(f"{told}: bind the rest, functools.partial({name}, {lacking[-1]}=…)")
    raise ArgumentError(told)


def _of_first(name: str, x: Any, batch: tuple[int, ...]) -> Any:
    """What the first motion of a batch has."""
    every = of_each(name, as_numbers(name, x), batch, len(batch))
    return every[(0,) * len(batch)] if all(batch) else np.zeros(every.shape[len(batch) :])


def _shapes_of(state: Any, batch: tuple[int, ...], lead: int) -> Shapes:
    if isinstance(state, dict):
        return {key: _shapes_of(part, batch, lead) for key, part in state.items()}
    if isinstance(state, (tuple, list)) and any(isinstance(x, (tuple, list, dict, np.ndarray)) for x in state):
        return [_shapes_of(part, batch, lead) for part in state]
    return of_each("initial_state", as_numbers("initial_state", state), batch, lead).shape[lead:]


def _size(shapes: Shapes) -> int:
    parts = shapes.values() if isinstance(shapes, dict) else shapes if isinstance(shapes, list) else None
    return math.prod(shapes) if parts is None else sum(map(_size, parts))


def _flat(state: Any, shapes: Shapes, batch: tuple[int, ...], lead: int) -> Array:
    """A state of numbers (*batch, size)."""
    pieces = []
    for x, shape in _leaves(state, shapes):
        x = as_numbers("initial_state", x)
        if not np.isfinite(x).all():
            raise ArgumentError("initial_state is not finite")
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
        raise ArgumentError(f"the controller {name} returned None: is its `return` missing?")
    if isinstance(tau, (dict, str)) or (tau := np.asarray(tau)).dtype.kind not in "biufO":
        raise ArgumentError(f"the controller {name} returns efforts ({model.nv},); it returned {tau!r}")
    if tau.shape != (model.nv,):
        raise ShapeError(f"the controller {name} returned efforts of shape {tau.shape}; expected ({model.nv},)")
    return tau


def _checked_state(name: str, state: Any, shapes: Shapes) -> Array:
    """The state after a law, as one vector."""
    wrong = f"the controller {name} returned a state that is put together otherwise than initial_state, {shapes!r}"
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
