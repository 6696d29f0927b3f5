"""Controllers as functions that are compiled with the steps.

A controller is ``controller(model, t, q, v) -> tau`` or, with a state, ``controller(model, t, q, v, state) -> (tau,
state)``. It is written for one motion and traced once; numbers bound to it by ``functools.partial`` are values of the
kernel, so that other gains are not another kernel; so are those of objects that list them (`spatial/values.py`), and
those bound to an inner controller, which is bound as ``controller`` (or ``decide``): their names are
``controller.gain``. See :class:`~linkwright.simulation.actuation.controller.Controller` for the protocol.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler.front.random_draws import watch
from linkwright.compiler.public import compile_or_not
from linkwright.errors import ArgumentError, InputError, ShapeError, joined, wrong_call
from linkwright.model.memo import derived, exact
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.actuator_step import actuated_step
from linkwright.simulation.actuation.bindings import (
    bindings,
    checked_each,
    flattened_bindings,
    is_of_numbers,
    name_of_function,
    nested_bindings,
    own_and_inner_bindings,
    per_motion_values,
    unwrap_partials,
)
from linkwright.simulation.actuation.controller import controller_of, has_initial_state
from linkwright.simulation.actuation.fingerprint import fingerprint
from linkwright.spatial.arrays import Array, as_numbers

if TYPE_CHECKING:
    from linkwright.simulation.actuation.external_forces import ExternalForces


Shapes = Any
"""A shape, or a tuple or a dict of shapes: how a state is put together."""


@dataclass(frozen=True, eq=False)
class EffortFunction:
    """Efforts as a function that can be compiled with the steps."""

    function: Callable[..., Any]
    """(model, t, q, v, *values) -> efforts (nv,), for numbers and symbols; with a state (model, t, q, v, state,
    *values) -> (efforts, state), the state (size,)"""
    key: Hashable
    """key of the function, independent of the values"""
    values: tuple[Array, ...] = ()
    """its arguments, each (…, *shape)"""
    shapes: tuple[tuple[int, ...], ...] = ()
    state: int = 0
    """size of the state"""
    external: ExternalForces | None = None
    """external forces that act in addition; their values precede the others"""
    idle: bool = False
    """whether the efforts are zero: only external forces act"""
    sensor: str | None = None
    """frame of the sensor; the function has an argument ``wrench`` (6,)"""
    actuated: bool = False
    """whether the function returns the controls (nu,) of the model's actuators; the end of the state are their
    activations, and the last value is the step in s"""

    def activation_count(self, model: Model) -> int:
        """Return the number of activations of actuators, the end of the state."""
        return model.na if self.actuated else 0

    @property
    def all_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of all values, for one motion."""
        return (self.external.shapes if self.external else ()) + self.shapes

    @property
    def all_values(self) -> tuple[Array, ...]:
        """Values of the external forces, then its own."""
        return (self.external.values if self.external else ()) + self.values

    @property
    def size(self) -> int:
        """Size of all values."""
        return packed_size(self.all_shapes)

    def packed_values(self) -> Array:
        """Return all values packed, (…, size)."""
        return pack_values(self.all_values, self.all_shapes)

    def efforts(self, model: Model, t: Any, q: Array, v: Array, packed: Array, *state: Array) -> Any:
        """Return the efforts (nv,) from all values packed (size,); with a state (efforts, state)."""
        return self.of_values(model, t, q, v, unpack_values(packed, self.all_shapes), *state)

    def of_values(self, model: Model, t: Any, q: Array, v: Array, values: Sequence[Any], *state: Array) -> Any:
        """Return the efforts (nv,) from all values; with a state (efforts, state)."""
        if not self.actuated:
            return self._output(model, t, q, v, values, *state)
        before = state[0] if state else np.zeros(0)
        efforts, *after = self.actuator_efforts(model, t, q, v, values, before, values[-1], None)
        return (efforts(t, q, v), *after) if after else efforts(t, q, v)

    def actuator_efforts(
        self, model: Model, t: Any, q: Array, v: Array, values: Sequence[Any], state: Array, h: Any, method: Any
    ) -> tuple[Any, ...]:
        """Return the efforts of the actuators within a step of h seconds, and the next state if there is one."""
        own = self.state - model.na
        found = self._output(model, t, q, v, values[:-1], *([state[:own]] if own else []))
        controls, *after = found if own else (found,)
        efforts, activations = actuated_step(model, controls, state[own:], h, method)
        return (efforts, np.concatenate([*after, activations])) if self.state else (efforts,)

    def _output(self, model: Model, t: Any, q: Array, v: Array, values: Sequence[Any], *state: Array) -> Any:
        """Return the output of the function from all values; with a state (output, state)."""
        others = len(self.external.shapes) if self.external else 0
        if self.external is None or self.sensor is None:
            return self.function(model, t, q, v, *state, *values[others:])
        wrench = self.external.measured_wrench(model, t, q, v, self.sensor, *values[:others])
        return self.function(model, t, q, v, *state, *values[others:], wrench=wrench)

    def external_efforts(self, model: Model, t: Any, q: Array, v: Array, values: Sequence[Any]) -> Array:
        """Return the efforts (nv,) of the external forces, from all values."""
        assert self.external is not None
        return self.external.efforts(model, t, q, v, *values[: len(self.external.shapes)])


def with_external_forces(
    effort_function: EffortFunction | None, external: ExternalForces, model: Model, sensor: str | None = None
) -> EffortFunction:
    """Add external forces to an effort function; None: to zero efforts."""
    effort_function = effort_function or zero_efforts()
    return replace(effort_function, key=(effort_function.key, external.key, sensor), external=external, sensor=sensor)


def zero_efforts() -> EffortFunction:
    """Return the effort function of zero efforts."""
    return EffortFunction(lambda model, t, q, v: np.zeros(model.nv), None, idle=True)


def packed_size(shapes: Collection[tuple[int, ...]]) -> int:
    """Return the total size of arrays, one at least: kernels with empty arrays run uncompiled."""
    return max(1, sum(map(math.prod, shapes)))


def pack_values(values: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> Array:
    """Return arrays (…, *shape) packed as (…, size)."""
    leads = [x.shape[: x.ndim - len(shape)] for x, shape in zip(values, shapes, strict=True)]
    try:
        lead = np.broadcast_shapes(*leads)
    except ValueError:
        raise ShapeError(f"the batches {leads} of the values bound to the controller do not broadcast") from None
    parts = [
        np.broadcast_to(x, (*lead, *shape)).reshape((*lead, math.prod(shape)))
        for x, shape in zip(values, shapes, strict=True)
    ]
    rest = packed_size(shapes) - sum(part.shape[-1] for part in parts)
    return np.concatenate([*parts, np.zeros((*lead, rest))], axis=-1)


def unpack_values(packed: Array, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """Return the arrays packed in (size,)."""
    ends = np.cumsum([0, *map(math.prod, shapes)])
    return [
        packed[a:b].reshape(shape) if shape else packed[a] for a, b, shape in zip(ends, ends[1:], shapes, strict=False)
    ]


class LawController:
    """A control law of a simulation: a controller (t, q, v) -> efforts (…, nv) that updates its state."""

    def __init__(
        self,
        model: Model,
        effort_function: EffortFunction,
        state: Array,
        shapes: Shapes,
        name: str,
        cut: slice | None = None,
        period: int = 1,
        names: tuple[str, ...] = (),
    ):
        self.model, self.effort_function, self.state, self.shapes, self.name = (
            model,
            effort_function,
            state,
            shapes,
            name,
        )
        self.cut = cut
        """where the state counts the steps with saturated efforts"""
        self.period = period
        """steps between evaluations"""
        self.random: slice | None = None
        """where the state is that of a random generator"""
        self.steps: dict[str, Array] = {}
        """values bound as ``step``, by name: the period that the controller assumes, s"""
        self.sensed = False
        """whether it has the measured ``wrench`` as an argument"""
        self.frame: str | None = None
        """value bound as ``frame`` to a controller with a sensor"""
        self.names = names
        """names of the bound values"""

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the efforts and update the state."""
        found = self._kernel(t, q, v, self._packed, *([self.state] if self.effort_function.state else []))
        tau, self.state = found if self.effort_function.state else (found, self.state)
        result: Array = tau
        return result

    def efforts_at(self, t: float, q: Array, v: Array, packed: Array, state: Array) -> Array:
        """Return the efforts from all values (size,), without an update of the state."""
        found = self._kernel(t, q, v, packed, *([state] if self.effort_function.state else []))
        tau: Array = found[0] if self.effort_function.state else found
        return tau

    @cached_property
    def _packed(self) -> Array:
        return self.effort_function.packed_values()

    @cached_property
    def _kernel(self) -> Callable[..., Any]:
        effort_function, model = self.effort_function, self.model
        sizes: dict[str, tuple[int, ...]] = {"t": (), "packed": (effort_function.size,)}

        def law(model: Model, t: Any, q: Array, v: Array, packed: Array) -> Any:
            return effort_function.efforts(model, t, q, v, packed)

        def law_with_state(model: Model, t: Any, q: Array, v: Array, packed: Array, state: Array) -> Any:
            return effort_function.efforts(model, t, q, v, packed, state)

        def make() -> Callable[..., Any]:
            if effort_function.state:
                return compile_or_not(law_with_state, model, **sizes, state=(effort_function.state,))
            return compile_or_not(law, model, **sizes)

        kernel: Callable[..., Any] = derived(model, LawController, effort_function.key, make=make)
        return kernel


def law_controller(
    model: Model,
    law: Callable[..., Any],
    initial_state: Any,
    each: Collection[str],
    batch: tuple[int, ...],
    sensed: bool = False,
    other_bindings: Sequence[str] = (),
    sound: bool = True,
    controls: bool = False,
) -> LawController:
    """Return the checked controller of a batch of motions.

    ``each``: names of bound values, and "state", that are given for each motion (…, *shape); names in
    ``other_bindings`` belong to other functions. ``sensed``: the controller has an argument ``wrench``. ``sound``: its
    ``check`` is called. ``controls``: it returns the controls (nu,) of actuators instead of efforts. Raises
    :class:`ArgumentError` and :class:`ShapeError` for a function that is no controller or does not return them.
    """
    function, own = unwrap_partials(law)
    name, bound = name_of_function(function), flattened_bindings(own)
    named = [*bound, *(["state"] if initial_state is not None or has_initial_state(function) else [])]
    each = checked_each(each, batch, [*named, *other_bindings])
    _look_at(model, function, bound, each, len(batch), sound)
    initial_state = _at_start(model, function, bound, initial_state, each, batch)
    if sensed:
        _require_a_place_for(function, name, bound)
    stateful = initial_state is not None
    _require_call(function, name, [*own_and_inner_bindings(bound)[0], *(["wrench"] if sensed else [])], stateful)
    packed = bindings(f"the controller {name}", bound, each, batch)
    lead = len(batch) if "state" in each else 0
    shapes = _shapes_of(initial_state, batch, lead) if stateful else None
    if stateful and not _size(shapes):
        raise InputError("initial_state is empty: a controller without a state is controller(model, t, q, v)")
    state = _flatten_state(initial_state, shapes, batch, lead) if stateful else np.zeros((*batch, 0))
    output = ("controls", model.nu) if controls else ("efforts", model.nv)

    def efforts(model: Model, t: Any, q: Array, v: Array, *given: Any, **measured: Array) -> Any:
        own = (unflatten_state(shapes, given[0]),) if stateful else ()
        whole = model.physical or model  # a controller may use energies, momenta and parameters
        watch(function)
        q, v = q.copy(), v.copy()  # a controller may write into its arguments
        found = function(whole, t, q, v, *own, **packed.named(given[len(own) :]), **measured)
        if not stateful:
            return _checked_output(name, found, *output)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise ArgumentError(
                f"the controller {name} has a state and returns ({output[0]}, state); it returned {found!r}"
            )
        return _checked_output(name, found[0], *output), _checked_state(name, found[1], shapes)

    try:
        key: Hashable = (fingerprint(function), packed.key, exact(_frozen(shapes)), controls)
        hash(key)
    except TypeError:  # a mutable bound value may change: no shared kernel
        key = efforts
    effort_function = EffortFunction(
        efforts, key, tuple(packed.numbers.values()), tuple(packed.shapes.values()), state.shape[-1]
    )
    rule = LawController(model, effort_function, state, shapes, name=name, names=tuple(packed.numbers))
    rule.sensed = sensed
    rule.frame = own.get("frame") if sensed and isinstance(own.get("frame"), str) else None
    rule.steps = {key: x for key, x in packed.numbers.items() if key.rpartition(".")[2] == "step"}
    return rule


def _require_a_place_for(function: Callable[..., Any], name: str, bound: Collection[str]) -> None:
    """Raise :class:`ArgumentError` for a controller without an argument ``wrench``."""
    parameters = inspect.signature(function).parameters
    if "wrench" in bound:
        raise ArgumentError(f"wrench is bound to the controller {name}, and a sensor measures it: remove one of both")
    if "wrench" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            "a sensor is for controllers with the argument wrench, controller(model, t, q, v, *, wrench, …); "
            f"{name} takes ({', '.join(parameters)})"
        )


def _look_at(
    model: Model, function: Any, bound: Mapping[str, Any], each: Collection[str], lead: int, sound: bool
) -> None:
    """Check the values bound to a controller and to nested controllers, as listed by :func:`flattened_bindings`."""
    own, within = own_and_inner_bindings(bound)
    parameters = _parameters(function)
    if parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()) and not {*own} <= {*parameters}:
        packed = {"model", "t", "q", "v", "state", *[key for key, x in parameters.items() if x.default is x.empty]}
        raise wrong_call(
            name_of_function(function),
            inspect.signature(function),
            (),
            [*own, *sorted(packed & {*parameters} - {*own})],
        )
    if sound:
        controller_of(function).check(model, own, {key: lead if key in each else 0 for key in own})
    for name, inner in within.items():
        _look_at(model, own[name], inner, own_and_inner_bindings(dict.fromkeys(each))[1].get(name, ()), lead, sound)


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function by name; none if it has no signature."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


@takes_model
def initial_state_of(model: Model, controller: Callable[..., Any]) -> Any:
    """Return the initial state of a controller.

    Parameters
    ----------
    model : Model
        Mechanism.
    controller : callable
        Controller with bound gains.

    Returns
    -------
    object
        Initial state: arrays, tuples or dicts of arrays; None for a controller without a state.

    Raises
    ------
    ArgumentError
        If the controller takes a state and defines no initial one.
    """
    function, bound = unwrap_partials(controller)
    found = controller_of(function).initial_state(model, **bound)
    if found is None and not _fits(function, bound) and _fits(function, bound, state=True):
        name = name_of_function(function)
        raise ArgumentError(
            f"{name} takes a state, and has no initial one: give it a method initial_state(model, **bound), or "
            "initial_state=…"
        )
    return found


def _fits(function: Any, bound: Collection[str], state: bool = False) -> bool:
    """Return whether a controller can be called with (model, t, q, v), or with a state too."""
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
    """Return the initial state: the given one, else that of the controller for the values of the first motion."""
    first = {key: _of_first(key, x, batch) if key in each and is_of_numbers(x) else x for key, x in bound.items()}
    own = controller_of(function).initial_state(model, **nested_bindings(first))
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
    packed = f"{form}; {name} takes ({', '.join(p.name for p in parameters)})"
    if state and _fits(function, bound):
        raise ArgumentError(f"initial_state is given, and {name} has no parameter for a state after v: {packed}")
    if _fits(function, bound, state=True):
        raise ArgumentError(f"{packed}: give its initial state, initial_state=…, or bind it")
    free = [p for p in parameters if p.name not in bound and p.default is p.empty]
    lacking = [p.name for p in free if p.kind is p.KEYWORD_ONLY]
    lacking += [p.name for p in free if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][4 + state :]
    if "wrench" in lacking:
        raise ArgumentError(
            f"the controller {name} needs the measured wrench (6,): give sensor=frame, where it is measured, or bind "
            f"it, functools.partial({name}, wrench=…)"
        )
    if lacking:
        lacking = [one for one in lacking if one != "state"] or lacking
        values = ", ".join(f"{one}=…" for one in lacking)
        raise ArgumentError(
            f"the controller {name} needs {joined(lacking)}: give {'it' if len(lacking) == 1 else 'them'}, "
            f"functools.partial({name}, {values}); {packed}"
        )
    raise ArgumentError(packed)


def _of_first(name: str, x: Any, batch: tuple[int, ...]) -> Any:
    """Return the values of the first motion of a batch."""
    every = per_motion_values(name, as_numbers(name, x), batch, len(batch))
    return every[(0,) * len(batch)] if all(batch) else np.zeros(every.shape[len(batch) :])


def _shapes_of(state: Any, batch: tuple[int, ...], lead: int) -> Shapes:
    if isinstance(state, dict):
        return {key: _shapes_of(part, batch, lead) for key, part in state.items()}
    if isinstance(state, (tuple, list)) and any(isinstance(x, (tuple, list, dict, np.ndarray)) for x in state):
        return [_shapes_of(part, batch, lead) for part in state]
    return per_motion_values("initial_state", as_numbers("initial_state", state), batch, lead).shape[lead:]


def _size(shapes: Shapes) -> int:
    parts = shapes.values() if isinstance(shapes, dict) else shapes if isinstance(shapes, list) else None
    return math.prod(shapes) if parts is None else sum(map(_size, parts))


def _flatten_state(state: Any, shapes: Shapes, batch: tuple[int, ...], lead: int) -> Array:
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


def unflatten_state(shapes: Shapes, x: Array) -> Any:
    """The arrays that lie in (…, size) one after the other, as they are put together."""
    return _taken(shapes, x, 0)[0]


def activations_in(states: Array | None, count: int) -> Array | None:
    """Return the activations (…, count) at the end of packed states; None without."""
    return states[..., -count:] if states is not None and count else None


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


def _checked_output(name: str, tau: Any, what: str, size: int) -> Array:
    if tau is None:
        raise ArgumentError(f"the controller {name} returned None: is its `return` missing?")
    if isinstance(tau, (dict, str)) or (tau := np.asarray(tau)).dtype.kind not in "biufO":
        raise ArgumentError(f"the controller {name} returns {what} ({size},); it returned {tau!r}")
    if tau.shape != (size,):
        raise ShapeError(f"the controller {name} returned {what} of shape {tau.shape}; expected ({size},)")
    return tau


def _checked_state(name: str, state: Any, shapes: Shapes) -> Array:
    """Return the next state of a controller as one vector."""
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
