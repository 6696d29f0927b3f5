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
from linkwright.spatial.loops.repeats import when

ControlLaw = Callable[..., Any]
State = dict[str, Any]


def begun(model: Model, controller: ControlLaw) -> State:
    """Return the inner controller's entry of the state of a controller around it."""
    found = initial_state_of(model, controller)
    return {} if found is None else {"controller": found}


def answer(
    controller: ControlLaw, model: Model, t: float | Array, q: Array, v: Array, state: State, **inputs: Any
) -> tuple[Array, State]:
    """Return the efforts of the inner controller, and its entry of the next state."""
    if "controller" not in state:
        return controller(model, t, q, v, **inputs), {}
    tau, own = controller(model, t, q, v, state["controller"], **inputs)
    return tau, {"controller": own}


def _assumed(model: Model, *, controller: ControlLaw, mechanism: Model) -> Any:
    require_model(mechanism, "with_model", "mechanism")
    if [joint.motion.type for joint in mechanism.joints] != [joint.motion.type for joint in model.joints]:
        raise ArgumentError(f"{mechanism.name!r} has other joints than {model.name!r}")
    return initial_state_of(mechanism, controller)


@control_law(_assumed)
@takes_model
def with_model(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: Any = None,
    *,
    controller: ControlLaw,
    mechanism: Model,
    **measured: Array,
) -> Any:
    """Return the efforts of a controller that assumes another model of the mechanism, such as one with wrong masses.

    Parameters
    ----------
    model : Model
        The mechanism that is simulated.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : object, optional
        State of `controller`.
    controller : callable
        Inner controller.
    mechanism : Model
        Model that the inner controller uses; it has the same joints.
    **measured : ndarray
        Measurements of a sensor, passed to `controller`.

    Returns
    -------
    ndarray or tuple
        Result of `controller`.

    Raises
    ------
    ArgumentError
        If the joints of the models differ.
    """
    own = () if state is None else (state,)
    return controller(mechanism, t, q, v, *own, **measured)


def _start_of_deciding(model: Model, *, controller: ControlLaw, decide: Callable[..., Any], every: Any) -> State:
    whole_number("every", every, 1, 10**9)
    function, _ = unwrap_partials(controller)
    parameters = inspect.signature(function).parameters
    if "action" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            "the controller must accept the action, controller(model, t, q, v, *, action); "
            f"{name_of_function(function)} takes ({', '.join(parameters)})"
        )
    if initial_state_of(model, decide) is not None:
        raise ArgumentError("decide must have no state: decide(model, t, q, v) -> array")
    action = as_numbers("what is decided", decide(model, 0.0, model.neutral(), np.zeros(model.nv)))
    return {**begun(model, controller), "action": 0.0 * action, "calls": np.zeros(())}


@control_law(_start_of_deciding)
@takes_model
def with_policy(
    model: Model,
    t: float | Array,
    q: Array,
    v: Array,
    state: State,
    *,
    controller: ControlLaw,
    decide: Callable[..., Any],
    every: Any,
    **measured: Array,
) -> tuple[Array, State]:
    """Return the efforts of a controller for the action of a policy that is evaluated less often.

    The policy is evaluated every ``every``-th time and its action is held in between, while the controller is evaluated
    at every step. For example, springs act every millisecond toward targets that a policy selects 50 times a second.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : float
        Time, s.
    q, v : ndarray, shapes (nq,) and (nv,)
        Configuration and joint velocity.
    state : dict
        State; "action" is the present action, "controller" the state of `controller`.
    controller : callable
        Inner controller ``controller(model, t, q, v, *, action)``.
    decide : callable
        Policy ``decide(model, t, q, v)``, which returns an array.
    every : int
        Steps between evaluations of the policy.
    **measured : ndarray
        Measurements of a sensor, passed to `controller`.

    Returns
    -------
    tau : ndarray, shape (nv,)
        Efforts.
    state : dict
        Next state.
    """
    due = state["calls"] < 0.5
    action = when(due, lambda: np.asarray(decide(model, t, q, v)), state["action"])
    tau, own = answer(partial(controller, action=action), model, t, q, v, state, **measured)
    calls = where(state["calls"] > every - 1.5, 0.0, state["calls"] + 1.0)
    return tau, {**own, "action": action, "calls": calls}


def require_positive(name: str, x: Any, n: int | None = None, zero: bool = False) -> Array:
    """Return a bound value as a positive number, or with ``n`` as a number or (n,) positive numbers."""
    x = as_numbers(name, x)
    if x.shape not in ((), (n,)):
        raise ShapeError(f"{name} has shape {x.shape}; expected a number" + (f" or ({n},)" if n is not None else ""))
    if not np.isfinite(x).all() or (x < 0.0).any() or not (zero or (x > 0.0).all()):
        raise InputError(f"{name} must be {'zero or more' if zero else 'above zero'}; got {x.tolist()!r}")
    return x


def require_open(model: Model, what: str) -> None:
    """Raise :class:`ArgumentError` for a mechanism with loops, for controllers that do not include loop forces."""
    if model.loops:
        raise ArgumentError(f"{what} is for mechanisms without loops; {model.name!r} has {len(model.loops)}")
