"""Nested controllers: observers, velocity estimators and policies contain the controller that they serve.

The inner controller is bound to the outer one as ``controller``. The state of the outer one is a dict, with the state
of the inner one as "controller". Measurements of a sensor are passed on.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.requirement import require_model, takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import name_of_function, unwrap_partials
from linkwright.simulation.actuation.controller import control_law
from linkwright.simulation.actuation.law_controller import initial_state_of
from linkwright.spatial.arrays import Array, as_numbers, where
from linkwright.spatial.repeats import when

ControlLaw = Callable[..., Any]
State = dict[str, Any]


def begun(model: Model, controller: ControlLaw) -> State:
    """What the state of a controller around ``controller`` has of that."""
    found = initial_state_of(model, controller)
    return {} if found is None else {"controller": found}


def answer(
    controller: ControlLaw, model: Model, t: Any, q: Array, v: Array, state: State, **told: Any
) -> tuple[Array, State]:
    """The efforts of the controller within, and what the state around it has of it then."""
    if "controller" not in state:
        return controller(model, t, q, v, **told), {}
    tau, own = controller(model, t, q, v, state["controller"], **told)
    return tau, {"controller": own}


def _assumed(model: Model, *, controller: ControlLaw, mechanism: Model) -> Any:
    require_model(mechanism, "with_model", "mechanism")
    if [joint.motion.type for joint in mechanism.joints] != [joint.motion.type for joint in model.joints]:
        raise ArgumentError(f"{mechanism.name!r} has other joints than {model.name!r}, which it is to stand for")
    return initial_state_of(mechanism, controller)


@control_law(_assumed)
@takes_model
def with_model(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: Any = None,
    *,
    controller: ControlLaw,
    mechanism: Model,
    **measured: Array,
) -> Any:
    """Return the efforts of ``controller`` for another ``mechanism`` with the same joints: with wrong masses."""
    own = () if state is None else (state,)
    return controller(mechanism, t, q, v, *own, **measured)


def _start_of_deciding(model: Model, *, controller: ControlLaw, decide: Callable[..., Any], every: Any) -> State:
    whole_number("every", every, 1, 10**9)
    function, _ = unwrap_partials(controller)
    parameters = inspect.signature(function).parameters
    if "action" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            "the controller takes the action, controller(model, t, q, v, *, action); "
            f"{name_of_function(function)} takes ({', '.join(parameters)})"
        )
    if initial_state_of(model, decide) is not None:
        raise ArgumentError("what decides has no state of its own: decide(model, t, q, v) -> an array")
    action = as_numbers("what is decided", decide(model, 0.0, model.neutral(), np.zeros(model.nv)))
    return {**begun(model, controller), "action": 0.0 * action, "asked": np.zeros(())}


@control_law(_start_of_deciding)
@takes_model
def with_policy(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    decide: Callable[..., Any],
    every: Any,
    **measured: Array,
) -> tuple[Array, State]:
    """Return the efforts of ``controller`` for the ``action`` of a policy, which is evaluated every ``every``-th time.

    In between the action is held, while the controller is evaluated at every step:
    ``controller(model, t, q, v, *, action)``. Springs act in steps of a millisecond toward targets that a policy
    ``decide(model, t, q, v)`` selects fifty times a second. "action" of the state is the action.
    """
    due = state["asked"] < 0.5
    action = when(due, lambda: np.asarray(decide(model, t, q, v)), state["action"])
    tau, own = answer(partial(controller, action=action), model, t, q, v, state, **measured)
    asked = where(state["asked"] > every - 1.5, 0.0, state["asked"] + 1.0)
    return tau, {**own, "action": action, "asked": asked}


def require_positive(name: str, x: Any, n: int | None = None, zero: bool = False) -> Array:
    """A number, or where ``n`` is told (n,) of them, as what is bound to a controller must be."""
    x = as_numbers(name, x)
    if x.shape not in ((), (n,)):
        raise ShapeError(f"{name} has shape {x.shape}; expected a number" + (f" or ({n},)" if n is not None else ""))
    if not np.isfinite(x).all() or (x < 0.0).any() or not (zero or (x > 0.0).all()):
        raise InputError(f"{name} must be {'zero or more' if zero else 'above zero'}; got {x.tolist()!r}")
    return x


def require_open(model: Model, what: str) -> None:
    """Raise :class:`ArgumentError` of mechanisms with loops, whose joints feel the loops too."""
    if model.loops:
        raise ArgumentError(f"{what} is for mechanisms without loops; {model.name!r} has {len(model.loops)}")
