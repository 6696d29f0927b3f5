"""Starts of the episodes of an environment: states, and values that are drawn for each episode."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from linkwright.compiler.kernel import compile
from linkwright.compiler.parameters import parameter_of
from linkwright.errors import ArgumentError, ShapeError, UnknownNameError
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import unwrap_partials
from linkwright.simulation.actuation.random_numbers import STATES, RandomGenerator, seeds
from linkwright.simulation.integrators.rollout_functions import UserFunction, checked_state, user_function
from linkwright.simulation.rollouts.preparation import RESET_STREAM
from linkwright.spatial.arrays import Array, as_numbers

ACTIONS = ("action", "previous_action")
RESERVED = (*ACTIONS, "time")
"""Names of arguments that environments set."""

STATE = ("model", "t", "q", "v", "tau")
"""Names of positional arguments of functions."""


class EpisodeStarts:
    """Starts that ``reset(model, q0, v0, random) -> (q, v)`` or ``(q, v, values)`` draws; None: always q0 and v0."""

    def __init__(self, model: Model, reset: Callable[..., Any] | None, q0: Any, v0: Any):
        """``q0``, ``v0``: starts (nq,) and (nv,), or (n, ...) of all motions."""
        self.model, self.draw = model, user_function("reset", reset, (), ())
        self.sample: dict[str, Array] = {}
        """values drawn once, by name"""
        if self.draw is not None:
            start = [np.array(x, dtype=float).reshape(-1, np.shape(x)[-1])[0] for x in (q0, v0)]
            first, again = self._sample(*start), self._sample(*start)
            if any(name in again and not np.array_equal(x, again[name], equal_nan=True) for name, x in first.items()):
                raise ArgumentError(
                    f"{self.draw.name} returned other values for the same arguments: a reset is compiled, and draws "
                    "from its argument random, such as random.uniform(low, high), not from np.random"
                )
            self.sample = {name: x for name, x in first.items() if name not in ("q", "v")}

    def _sample(self, q0: Array, v0: Array) -> dict[str, Array]:
        """Draw q, v and the values once, by name."""
        assert self.draw is not None
        random = RandomGenerator(seeds(np.uint64(0), (), RESET_STREAM))
        with np.errstate(all="ignore"):
            found = self.draw.function(self.model, q0, v0, random, list(self.draw.values))
        q, v, values = _parts(self.draw, self.model, found)
        return {"q": q, "v": v} | {name: as_numbers(name, x) for name, x in values.items()}

    def shapes_of_values(self, taken: Collection[str]) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the drawn values that are arguments of functions: those with names in `taken`."""
        return {name: x.shape for name, x in self.sample.items() if name in taken}

    def parameters(self, taken: Collection[str], given: Collection[str], bound: Collection[str]) -> dict[str, Array]:
        """Return the drawn parameters of the mechanism.

        ``taken``: names of arguments that functions take; ``given``: of parameters of the whole environment; ``bound``:
        of values that are bound to functions.
        """
        for name in self.sample:
            if name in bound:
                raise ArgumentError(
                    f"{name!r} is drawn by reset, and bound to a function: omit it from functools.partial(…)"
                )
        found = {name: x for name, x in self.sample.items() if name not in taken}
        for name, x in found.items():
            if name in given:
                raise ArgumentError(f"{name!r} is drawn by reset: omit it from parameters=…")
            if "." not in name and name != "gravity":
                raise UnknownNameError("argument or parameter drawn by reset", name, {*taken} - {*STATE})
            if x.shape != (shape := parameter_of(self.model, name).shape):
                raise ShapeError(f"reset returned {name} of shape {x.shape}; expected {shape or 'one number'}")
        return found

    def compiled(self, given: Sequence[str]) -> Callable[..., Sequence[Array]]:
        """Compile (q0, v0, random states, *parameters) -> (q, v, new random states, *drawn values) of several motions.

        ``given``: names of the parameters; drawn ones have the values of the model.
        """
        if self.draw is None:
            return lambda q0, v0, random, *parameters: (q0, v0, random)
        draw, names = self.draw, list(self.sample)

        def start_of_episode(model: Model, q0: Array, start: Array, random: Array) -> Any:
            numbers = RandomGenerator(random)
            q, v, drawn = _parts(draw, model, draw.function(model, q0, start, numbers, list(draw.values)))
            if {*drawn} != {*names}:
                raise ArgumentError(
                    f"{draw.name} returns values of the same names in every call; it returned "
                    f"{', '.join(names) or 'none'}, and then {', '.join(drawn) or 'none'}"
                )
            return q, v, numbers.state, *(np.asarray(drawn[name]) for name in names)

        return compile(start_of_episode, self.model, parameters=given, start=self.model.nv, random=STATES)


def _parts(draw: UserFunction, model: Model, found: Any) -> tuple[Array, Array, Mapping[str, Any]]:
    """Return (q, v, values) of what a reset returned."""
    values: Any = {}
    if isinstance(found, tuple) and len(found) == 3:
        *state, values = found
        found = tuple(state)
        if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
            raise ArgumentError(f'{draw.name} returns (q, v, {{"command": …}}); its last result is {values!r}')
        if reserved := [name for name in RESERVED if name in values]:
            raise ArgumentError(f"{draw.name} draws {reserved[0]!r}, an argument that environments set: rename it")
    return *checked_state(draw, found, model.nq, model.nv), values


def observation_noise(scale: Any, shape: tuple[int, ...]) -> Callable[..., Any]:
    """Compile (random states) -> (normal numbers of a shape, new random states) of several motions."""
    scales = as_numbers("noise", scale)
    if scales.shape not in ((), shape):
        raise ShapeError(f"noise has shape {scales.shape}; expected one number or {shape}, that of an observation")

    def noise(random: Array) -> Any:
        numbers = RandomGenerator(random)
        return numbers.normal(scales, shape), numbers.state

    return compile(noise, random=STATES)


def arguments_of(function: Callable[..., Any] | None) -> set[str]:
    """Return the names of the arguments of a function that are not bound."""
    if function is None:
        return set()
    inner, bound = unwrap_partials(function)
    try:
        return {*inspect.signature(inner).parameters} - {*bound}
    except (TypeError, ValueError):  # no signature
        return set()


def bound_to(function: Callable[..., Any] | None) -> set[str]:
    """Return the names of the values bound to a function."""
    return set() if function is None else {*unwrap_partials(function)[1]}


def require_known(what: str, function: Callable[..., Any] | None, known: Collection[str]) -> None:
    """Raise :class:`UnknownNameError` for a keyword-only argument of a function to which nothing is given."""
    if function is None:
        return
    inner, bound = unwrap_partials(function)
    try:
        arguments = inspect.signature(inner).parameters.values()
    except (TypeError, ValueError):  # no signature
        return
    for one in arguments:
        if one.kind is one.KEYWORD_ONLY and one.default is one.empty and one.name not in {*known, *bound}:
            raise UnknownNameError(f"argument of {what}", one.name, known, f"arguments of {what}")


def with_values(function: Callable[..., Any] | None, values: Mapping[str, Array]) -> Callable[..., Any] | None:
    """Bind those values that a function takes."""
    names = arguments_of(function) & {*values}
    return partial(function, **{name: values[name] for name in names}) if function is not None and names else function
