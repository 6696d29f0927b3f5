"""A controller as a kernel, with all bound values: to call, or to write as C for another machine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from linkwright.compiler.kernel import Kernel, compile
from linkwright.errors import ArgumentError, UnknownNameError
from linkwright.ik_solvers.search.solver import inputs_named
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import unwrap_partials
from linkwright.simulation.actuation.law_controller import law_controller
from linkwright.spatial.arrays import Array


@takes_model
def compiled(
    model: Model, controller: Callable[..., Any], initial_state: Any = None, *, inputs: Sequence[str] = ()
) -> tuple[Kernel, Array]:
    """Compile a controller to a kernel (t, q, v) -> τ, or (t, q, v, state) -> (τ, next state).

    Parameters
    ----------
    model : Model
        Mechanism.
    controller : callable
        Controller with bound gains. Bound numbers are constants of the code, except those named in `inputs`.
    initial_state : array_like or dict, optional
        Initial state, for a controller that does not define one.
    inputs : sequence of str, optional
        Names of bound numbers that become inputs of the kernel, after all others, in this order. The measured `wrench`
        (6,) of a controller that takes one comes before them.

    Returns
    -------
    kernel : Kernel
        The compiled controller. ``kernel.save("controller.c")`` writes C99 that allocates no memory.
    state : ndarray, shape (size,)
        Initial state: the arrays of the controller's state, concatenated; (0,) without a state.

    Raises
    ------
    UnknownNameError
        If no number of that name is bound.
    """
    if isinstance(inputs, str):
        raise ArgumentError(f"inputs is a list of names; got {inputs!r}")
    function, bound = unwrap_partials(controller)
    parameter = inspect.signature(function).parameters.get("wrench")
    sensed = parameter is not None and parameter.default is parameter.empty and "wrench" not in bound
    rule = law_controller(model, controller, initial_state, (), (), sensed)
    effort_function = rule.effort_function
    places = {name.replace(".", "_"): k for k, name in enumerate(rule.names)}
    for name in inputs:
        if name not in places:
            raise UnknownNameError(f"number bound to {rule.name}", name, list(places))
    shapes: dict[str, Any] = {"t": (), "q": (model.nq,), "v": (model.nv,)}
    shapes |= {"state": (effort_function.state,)} if effort_function.state else {}
    shapes |= {"wrench": (6,)} if sensed else {}
    shapes |= {name: effort_function.shapes[places[name]] for name in inputs}

    def of_inputs(model: Model, t: float | Array, q: Array, v: Array, *more: Any) -> Any:
        given = dict(zip(list(shapes)[3:], more, strict=True))
        values = [given.get(name, effort_function.values[k]) for name, k in places.items()]
        state = (given["state"],) if effort_function.state else ()
        return effort_function.function(
            model, t, q, v, *state, *values, **({"wrench": given["wrench"]} if sensed else {})
        )

    of_inputs.__name__ = rule.name
    return compile(inputs_named(of_inputs, shapes), model, **shapes), rule.state
