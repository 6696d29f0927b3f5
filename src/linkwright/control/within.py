"""Laws within laws: what an observer, an estimate of velocities or a decision has around the law that it serves.

The inner law is bound to the outer as ``law``; the outer's state is a dict, with the inner law's own as "law" where it
has one. What a sensor measures is handed on.
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
from linkwright.simulation.acting.bindings import name_of_function, taken_apart
from linkwright.simulation.acting.laws import start_of
from linkwright.spatial.arrays import Array, as_numbers, where
from linkwright.spatial.repeats import when

Law = Callable[..., Any]
State = dict[str, Any]


def starting(start: Callable[..., Any]) -> Callable[[Law], Law]:
    """Tell a law's state at the start, ``start(model, **bound)``, which refuses what cannot be bound."""

    def told(law: Law) -> Law:
        law.start = start  # type: ignore[attr-defined]
        return law

    return told


def begun(model: Model, law: Law) -> State:
    """What the state of a law around ``law`` has of that."""
    found = start_of(model, law)
    return {} if found is None else {"law": found}


def answer(law: Law, model: Model, t: Any, q: Array, v: Array, state: State, **told: Any) -> tuple[Array, State]:
    """The efforts of the law within, and what the state around it has of it then."""
    if "law" not in state:
        return law(model, t, q, v, **told), {}
    tau, own = law(model, t, q, v, state["law"], **told)
    return tau, {"law": own}


def _assumed(model: Model, *, law: Law, mechanism: Model) -> Any:
    require_model(mechanism, "assuming", "mechanism")
    if [joint.motion.type for joint in mechanism.joints] != [joint.motion.type for joint in model.joints]:
        raise ArgumentError(f"{mechanism.name!r} has other joints than {model.name!r}, which it is to stand for")
    return start_of(mechanism, law)


@takes_model
@starting(_assumed)
def assuming(
    model: Model, t: Any, q: Array, v: Array, state: Any = None, *, law: Law, mechanism: Model, **measured: Array
) -> Any:
    """The law takes the mechanism for another one, of the same joints: for masses that it does not know."""
    own = () if state is None else (state,)
    return law(mechanism, t, q, v, *own, **measured)


def _start_of_deciding(model: Model, *, law: Law, decide: Callable[..., Any], every: Any) -> State:
    whole_number("every", every, 1, 10**9)
    function, _ = taken_apart(law)
    parameters = inspect.signature(function).parameters
    if "action" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            f"the law is told what was decided, law(model, t, q, v, *, action); {name_of_function(function)} takes "
            f"({', '.join(parameters)})"
        )
    if start_of(model, decide) is not None:
        raise ArgumentError("what decides has no state of its own: decide(model, t, q, v) -> an array")
    action = as_numbers("what is decided", decide(model, 0.0, model.neutral(), np.zeros(model.nv)))
    return {**begun(model, law), "action": 0.0 * action, "asked": np.zeros(())}


@takes_model
@starting(_start_of_deciding)
def deciding(
    model: Model,
    t: Any,
    q: Array,
    v: Array,
    state: State,
    *,
    law: Law,
    decide: Callable[..., Any],
    every: Any,
    **measured: Array,
) -> tuple[Array, State]:
    """``decide(model, t, q, v)`` tells ``law`` its ``action`` at the first asking and every so many, and no other.

    In between what was decided is held, while the law is asked at every step: ``law(model, t, q, v, *, action)``.
    Springs may so be followed in steps of a millisecond to targets that a policy chooses fifty times a second. Machine
    code asks who decides only where that is due. "action" of the state has what was decided.
    """
    due = state["asked"] < 0.5
    action = when(due, lambda: np.asarray(decide(model, t, q, v)), state["action"])
    tau, own = answer(partial(law, action=action), model, t, q, v, state, **measured)
    asked = where(state["asked"] > every - 1.5, 0.0, state["asked"] + 1.0)
    return tau, {**own, "action": action, "asked": asked}


def require_positive(name: str, x: Any, n: int | None = None, zero: bool = False) -> Array:
    """A number, or where ``n`` is told (n,) of them, as what is bound to a law must be."""
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
