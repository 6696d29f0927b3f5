"""Rollouts in studies: parameters of the mechanism and values bound to the controller, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.errors import UnknownNameError, names_given
from linkwright.simulation.rollouts.rollout_loop import rollout
from linkwright.simulation.setup import Actuation


@dataclass(frozen=True)
class RolloutOf:
    """A rollout as a function of names: its arguments, ``body.mass``, and values bound to its controller."""

    call: partial[Any]

    def __call__(self, **values: Any) -> Any:
        rows = len(next(iter(values.values())))
        given: dict[str, Any] = dict(
            inspect.signature(rollout).bind_partial(*self.call.args, **self.call.keywords).arguments
        )
        own = {name: x for name, x in values.items() if name in ARGUMENTS}
        made_of = {name: x for name, x in values.items() if name not in own and "." in name}
        bound = {name: x for name, x in values.items() if name not in own and name not in made_of}
        if bound and given.get("controller") is None:
            raise UnknownNameError("argument of rollout", next(iter(bound)), [*ARGUMENTS, "body.mass"])
        given |= own
        for name in ("q0", "v0"):
            if np.ndim(given.get(name, 0.0)) == 1:
                given[name] = np.broadcast_to(given[name], (rows, len(given[name])))
        if made_of:
            given["parameters"] = {**(given.get("parameters") or {}), **made_of}
        if bound:
            actuation = given.get("actuation") or Actuation()
            each = {*names_given("each", actuation.each), *bound}
            given |= {
                "controller": partial(given["controller"], **bound),
                "actuation": replace(actuation, each=each),
            }
        return rollout(**given)


ARGUMENTS = tuple(name for name in inspect.signature(rollout).parameters if name != "model")


def as_function_of_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function; for a rollout one of the names of mechanism parameters and bound values."""
    innermost = function
    while isinstance(innermost, partial):
        innermost = innermost.func
    if innermost is not rollout:
        return function
    call = function if isinstance(function, partial) else partial(function)
    return RolloutOf(call)
