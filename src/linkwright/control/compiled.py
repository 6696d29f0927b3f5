"""A law as a kernel of its own, with all that is bound to it: to be called, or written as C for another machine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from linkwright.compiler.kernel import Kernel, compile
from linkwright.errors import ArgumentError, UnknownNameError
from linkwright.inverse_kinematics.solver import inputs_named
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.acting.bindings import taken_apart
from linkwright.simulation.acting.laws import ruled
from linkwright.spatial.arrays import Array


@takes_model
def compiled(
    model: Model, law: Callable[..., Any], state0: Any = None, *, inputs: Sequence[str] = ()
) -> tuple[Kernel, Array]:
    """The kernel (t, q, v) -> τ (nv,) of a law, and the state at the start, (0,) of a law without one.

    With a state it is the kernel (t, q, v, state) -> (τ, the next state), both states (size,): the arrays of the law's
    own state one after the other. Numbers that are bound are constants of the code, but those named in ``inputs``,
    which come last, in this order; of a law that is told a measured ``wrench`` (6,) this comes before them.
    ``kernel.save("law.c")`` writes C99 that allocates nothing.
    """
    if isinstance(inputs, str):
        raise ArgumentError(f"inputs is a list of names; got {inputs!r}")
    function, bound = taken_apart(law)
    parameter = inspect.signature(function).parameters.get("wrench")
    sensed = parameter is not None and parameter.default is parameter.empty and "wrench" not in bound
    rule = ruled(model, law, state0, (), (), sensed)
    formula = rule.formula
    places = {name.replace(".", "_"): k for k, name in enumerate(rule.names)}
    for name in inputs:
        if name not in places:
            raise UnknownNameError(f"number bound to {rule.name}", name, list(places))
    shapes: dict[str, Any] = {"t": (), "q": (model.nq,), "v": (model.nv,)}
    shapes |= {"state": (formula.state,)} if formula.state else {}
    shapes |= {"wrench": (6,)} if sensed else {}
    shapes |= {name: formula.shapes[places[name]] for name in inputs}

    def told(model: Model, t: Any, q: Array, v: Array, *more: Any) -> Any:
        given = dict(zip(list(shapes)[3:], more, strict=True))
        values = [given.get(name, formula.values[k]) for name, k in places.items()]
        state = (given["state"],) if formula.state else ()
        return formula.function(model, t, q, v, *state, *values, **({"wrench": given["wrench"]} if sensed else {}))

    told.__name__ = rule.name
    return compile(inputs_named(told, shapes), model, **shapes), rule.state
