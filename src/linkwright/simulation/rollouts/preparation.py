"""Preparation of a rollout: checks, kernel specification, initial carried state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.bounds import positive
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.parameters import Parameter, parameter_of, require_possible
from linkwright.compiler.precision import in_range, precision_of
from linkwright.errors import ArgumentError, InputError, ShapeError, names_given
from linkwright.model.memo import derived
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import EffortFunction, with_external_forces
from linkwright.simulation.actuation.posture_control import effort_function_of
from linkwright.simulation.actuation.random_numbers import checked_seed, seeds
from linkwright.simulation.episode import KEPT, Episode
from linkwright.simulation.integrators.constrained_step import Constraints
from linkwright.simulation.integrators.methods import METHODS, EmbeddedPair, Variational, method_of
from linkwright.simulation.integrators.position_sums import summed_coordinates
from linkwright.simulation.integrators.rollout_functions import UserFunction, bound_names, user_function
from linkwright.simulation.integrators.step_function import is_smooth, memory_at_start, memory_length
from linkwright.simulation.integrators.step_kernels import (
    StateLayout,
    StepKernelSpec,
    make_layout,
)
from linkwright.simulation.preparation import prepare, require_closed, states_of_motions
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.setup import Setup, options_of
from linkwright.spatial.arrays import Array, as_numbers

GAP_ROUNDING = 4.0
"""Rounding error of gaps, relative to that of the length of the mechanism"""

RESET_STREAM = 1
"""Stream of random numbers of resets; the stream of noise is 0."""


class PreparedRollout(NamedTuple):
    """A rollout that is ready to take steps."""

    model: Model
    spec: StepKernelSpec
    batch: tuple[int, ...]
    h: float
    discount: float
    start: tuple[Array, Array, Array]
    """q0, v0 and the initial state of the controller"""
    now: tuple[Array, Array, Array]
    """present (q, v, rest)"""
    taken: int
    """number of previous steps"""
    parameters: Sequence[Array]
    shapes: Any
    """structure of the state of the controller"""
    keep: tuple[str, ...]
    names: tuple[str, ...]
    """names of the values of the kernel; "" for values that are not bound by the user"""
    tolerance: Array
    """of adaptive methods: one, or (*batch,)"""


def prepare_rollout(
    model: Model,
    q0: Any,
    v0: Any,
    step: float,
    setup: Setup,
    episode: Episode | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> PreparedRollout:
    """Check and prepare a rollout. ``q0`` may be an earlier rollout, which is continued from its end."""
    episode = options_of("episode", episode, Episode)
    reward, terminate, reset, names = episode.reward, episode.terminate, episode.reset, episode.names
    if isinstance(setup.integrator.chosen, Variational):
        others = [repr(name) for name, one in METHODS.items() if not isinstance(one, Variational)]
        raise InputError(
            f"rollouts take steps by {', '.join(others)}; {setup.integrator.method!r} is a method of simulate"
        )
    if setup.integrator.progress is not None:
        raise InputError("progress is an option of simulate: a rollout is one call of machine code")
    if setup.actuation.evaluated_at != "step":
        raise InputError("evaluated_at='stages' is an option of simulate: rollouts evaluate a controller once a step")
    earlier = q0 if isinstance(q0, Rollout) else None
    if earlier is not None:
        if v0 is not None:
            raise ArgumentError("v0 is given, and the rollout goes on from the end of an earlier one: v0=None")
        q0, v0 = earlier.start
        own_precision = precision_of(earlier.q.dtype)
        if own_precision != setup.integrator.precision:
            raise InputError(
                f"the earlier rollout has precision={own_precision!r}; go on with the same, "
                f"method=lw.Integrator(precision={own_precision!r})"
            )
    else:
        q0, v0 = as_numbers("q0", q0), as_numbers("v0", v0)
    h = positive("step", step, "s")
    known = _known_parameters(model, parameters or {})
    single = earlier is None and q0.ndim < 2 and v0.ndim < 2
    start = states_of_motions(model, q0, v0, _batch_of(known) if single else ())
    q, v, batch = start
    own = [_of_batch(one, x, batch) for one, x in known]
    require_closed(model, q, v, {one.name: x for (one, _), x in zip(known, own, strict=True)})
    functions_given = (("reward", reward), ("terminate", terminate), ("reset", reset))
    other_bindings = [one for what, given in functions_given for one in bound_names(what, given)]
    each = {*names_given("each", setup.actuation.each)}
    run = prepare(model, start, h, setup, other_bindings)
    inputs, options, accuracy = run.inputs, run.options, run.tolerance
    adaptive = isinstance(method_of(options.method), EmbeddedPair)
    law = inputs.driven
    law_names = inputs.law.names if inputs.law else ()
    effort_function = law.effort_function if law else _effort_function_of_feedback(inputs.callback, model)
    if law is None and inputs.external is not None:
        effort_function = with_external_forces(effort_function, inputs.external, model, setup.surroundings.sensor)

    precision = setup.integrator.precision
    if precision != "double" and (setup.actuation.noise or callable(reset)):
        raise InputError(
            f"{'noise' if setup.actuation.noise else 'a random reset'} needs whole numbers up to 2^31, which "
            f"precision={precision!r} does not have: use precision='double'"
        )
    functions = [user_function(what, x, each, batch) for what, x in (("reward", reward), ("terminate", terminate))]
    again = reset if isinstance(reset, str) else user_function("reset", reset, each, batch)
    if "reward" in names and reward is None:
        raise ArgumentError("keep names 'reward', and there is none: Episode(reward=…)")
    if "state" in names and (effort_function is None or not effort_function.state):
        raise ArgumentError("keep names 'state', and the controller has none")
    smooth_motion = is_smooth(options, effort_function)
    remembered = _impulses(model, options.constraints, parameters or {}) or memory_length(model, options, smooth_motion)
    summed = summed_coordinates(model) if precision != "double" else ()
    if options.constraints is not None and precision != "double":
        error = GAP_ROUNDING * float(np.finfo(FORMATS[precision].dtype).eps) * scale_of(model).length
        options = options._replace(constraints=replace(options.constraints, gap_error=error))
    iterations = options.constraints is not None and options.constraints.tests_points(model)
    spec = StepKernelSpec(
        options,
        effort_function,
        law.random if law else None,
        functions[0],
        functions[1],
        again,
        make_layout(
            effort_function, remembered, reward is not None, terminate is not None, again, len(summed), iterations
        ),
        tuple(parameters or ()),
        tuple(name for name in KEPT[2:] if name in names),
        precision,
        summed,
    )
    law_start = law.state if law and law.effort_function.state else np.zeros((*batch, 0))
    begun = {"law": law_start, "weight": np.ones(1), "alive": np.ones(1)}
    if adaptive:
        begun["memory"] = memory_at_start(model, options, smooth_motion, accuracy, np.inf, q, v)
    if isinstance(again, UserFunction):
        begun["random"] = seeds(checked_seed(setup.actuation.seed, batch), batch, RESET_STREAM)
    now = _now(spec.layout, earlier, q, v, begun, h)
    if earlier is not None and adaptive:
        rest = now[2].copy()
        rest[..., spec.layout.places["memory"].start] = accuracy
        now = now[0], now[1], rest
    shapes, taken = (law.shapes if law else None), (earlier.taken if earlier else 0)
    dtype = spec.dtype
    return PreparedRollout(
        model,
        spec,
        batch,
        h,
        float(episode.discount),
        (in_range(q, dtype), in_range(v, dtype), in_range(law_start, dtype)),
        (in_range(now[0], dtype), in_range(now[1], dtype), in_range(now[2], dtype)),
        taken,
        own,
        shapes,
        names,
        _names(spec, law_names),
        accuracy,
    )


def _effort_function_of_feedback(controller: Any, model: Model) -> EffortFunction | None:
    """Return the effort function of a controller (t, q, v); raise :class:`InputError` if it is not compiled."""
    effort_function = effort_function_of(controller, model)
    if controller is not None and effort_function is None:
        raise InputError("a rollout takes compiled controllers: functions (model, t, q, v), or kernels of (t, q, v)")
    return effort_function


def _impulses(model: Model, constraints: Constraints | None, parameters: Collection[str]) -> int:
    """Return the number of impulses kept from step to step, for all values of the parameters of pairs."""
    if constraints is None:
        return 0
    named = tuple(what for owner, _, what in (name.partition(".") for name in parameters) if owner == "pairs")
    bound: int = derived(model, _impulses, constraints, named, make=lambda: _count(model, constraints, named))
    return bound


def _count(model: Model, constraints: Constraints, named: Collection[str]) -> int:
    return constraints.size(with_all_impulses(model, named))


def with_all_impulses(model: Model, named: Collection[str]) -> Model:
    """Return the model with the impulses of any values of these parameters of its pairs: with friction, for example."""
    changed = {what: 1.0 for what in named}
    return replace(model, pairs=tuple(replace(pair, **changed) for pair in model.pairs))  # type: ignore[arg-type]


def _names(spec: StepKernelSpec, of_law: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the values of the kernel."""
    bound = [name for x in (spec.reward, spec.terminate, spec.reset) if isinstance(x, UserFunction) for name in x.names]
    behind = 1 if spec.effort_function is not None and spec.effort_function.actuated else 0  # the step of actuators
    before = len(spec.values) - len(bound) - behind - len(of_law)
    return ("",) * before + of_law + ("",) * behind + tuple(bound)


def _known_parameters(model: Model, given: Mapping[str, Any]) -> list[tuple[Parameter, Array]]:
    """Return parameters with their values, checked except for their shapes."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"parameters are {{'hand.mass': …}}; got {given!r}")
    return [possible_values(model, name, value) for name, value in given.items()]


def possible_values(model: Model, name: str, value: Any) -> tuple[Parameter, Array]:
    """Return a parameter with its values (of any shape), which a mechanism can have."""
    known, x = parameter_of(model, name), as_numbers(name, value)
    if not np.isfinite(x).all():
        raise InputError(f"{name} is not finite")
    require_possible(known, x)
    return known, x


def _batch_of(known: Sequence[tuple[Parameter, Array]]) -> tuple[int, ...]:
    """Return the batch of motions that differ in parameters alone: that of the values (…, *shape), broadcast."""
    leads = {one.name: x.shape[: x.ndim - len(one.shape)] for one, x in known if x.shape != one.shape}
    for one, x in known:
        if x.shape[x.ndim - len(one.shape) :] != one.shape:
            raise _wrong_shape(one, x, ())
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        bound = ", ".join(f"{name} {lead}" for name, lead in leads.items())
        raise ShapeError(f"the parameters' batch dimensions do not broadcast: {bound}") from None


def _of_batch(known: Parameter, x: Array, batch: tuple[int, ...]) -> Array:
    """Return the values of a parameter, (*batch, *shape), or (*shape) shared by all motions."""
    if x.shape == known.shape:
        return x
    if known.shape and x.shape[-len(known.shape) :] != known.shape:
        raise _wrong_shape(known, x, batch)
    try:
        return np.broadcast_to(x, (*batch, *known.shape))
    except ValueError:
        raise _wrong_shape(known, x, batch) from None


def _wrong_shape(known: Parameter, x: Array, batch: tuple[int, ...]) -> ShapeError:
    of_each = (
        f"{(*batch, *known.shape)}, of the batch {batch} of q0 and v0"
        if batch
        else (f"(…, {', '.join(map(str, known.shape))}) of each motion")
    )
    return ShapeError(f"{known.name} has shape {x.shape}; expected {known.shape or 'one number'}, or {of_each}")


def _now(
    layout: StateLayout, start: Rollout | None, q: Array, v: Array, begun: Mapping[str, Array], h: float
) -> tuple[Array, Array, Array]:
    """Return (q, v, rest) of motions (*batch, n); ``begun``: nonzero parts of the initial carried state."""
    if start is None:
        lead = q.shape[:-1]
        pieces = {name: np.broadcast_to(begun.get(name, np.zeros(1)), (*lead, n)) for name, n in layout.sizes}
        return q, v, layout.join(pieces)
    if start.layout != layout or start.end[0].shape != q.shape or start.end[1].shape != v.shape:
        raise InputError(
            f"the earlier rollout is of {_described(start.layout, start.end[0].shape)}, and here are "
            f"{_described(layout, q.shape)}: go on with the same controller, reward, terminate and reset as before"
        )
    if abs(start.step - h) > 1e-12 * h:
        raise InputError(f"the earlier rollout took steps of {start.step:g} s; here they are {h:g} s")
    return start.end


def _described(layout: StateLayout, shape: tuple[int, ...]) -> str:
    return f"motions {shape[:-1]} that carry {', '.join(f'{name} ({size},)' for name, size in layout.sizes)}"
