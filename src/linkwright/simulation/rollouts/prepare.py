"""A rollout as it is told of, checked and put together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.parameters import Parameter, parameter_of, require_possible
from linkwright.errors import ArgumentError, InputError, ShapeError, names_given
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.acting.controllers import formula_of
from linkwright.simulation.acting.laws import Formula, under
from linkwright.simulation.acting.randomness import checked_seed, seeds
from linkwright.simulation.episode import KEPT, Episode
from linkwright.simulation.preparation import checked_start, prepare
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.setup import Setup, options_of
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.functions import Told, names_bound, told_function
from linkwright.simulation.stepping.impacts import Constraints
from linkwright.simulation.stepping.integrators import METHODS, Variational, method_of
from linkwright.simulation.stepping.many import (
    Layout,
    Plan,
    layout_of,
)
from linkwright.simulation.stepping.steps import is_smooth, memory_at_start, memory_of
from linkwright.spatial.arrays import Array, as_numbers, is_finite_number

RESET_STREAM = 1
"""Random numbers of beginnings, of the same seed as noise, whose stream is 0."""


class Prepared(NamedTuple):
    """All that a rollout is, but for its number of steps."""

    model: Model
    plan: Plan
    batch: tuple[int, ...]
    h: float
    discount: float
    start: tuple[Array, Array, Array]
    """q0, v0 and the law's state there"""
    now: tuple[Array, Array, Array]
    """(q, v, rest) from which motions go on"""
    taken: int
    """steps before"""
    parameters: Sequence[Array]
    shapes: Any
    """how the law's state is put together"""
    keep: tuple[str, ...]
    names: tuple[str, ...]
    """of the plan's values, as they are bound; "" of what is no user's"""


def prepared(
    model: Model,
    q0: Any,
    v0: Any,
    step: float,
    setup: Setup,
    episode: Episode | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Prepared:
    """Check a rollout, and put it together. ``q0`` may be an earlier rollout, which goes on from its end."""
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
    if not (is_finite_number(step) and step > 0):
        raise InputError(f"step must be a positive number of seconds; got {step!r}")
    earlier = q0 if isinstance(q0, Rollout) else None
    if earlier is not None:
        if v0 is not None:
            raise ArgumentError("v0 is given, and the rollout goes on from the end of an earlier one: v0=None")
        q0, v0 = earlier.start
    h = float(step)
    known = _known_parameters(model, parameters or {})
    single = earlier is None and np.ndim(q0) < 2 and np.ndim(v0) < 2
    start = checked_start(model, q0, v0, _batch_of(known) if single else ())
    q, v, batch = start
    functions_given = (("reward", reward), ("terminate", terminate), ("reset", reset))
    elsewhere = [one for what, given in functions_given for one in names_bound(what, given)]
    each = {*names_given("each", setup.actuation.each)}
    run = prepare(model, start, h, setup, elsewhere)
    acting, way, accuracy = run.acting, run.way, run.tolerance
    adaptive = isinstance(method_of(way.method), Embedded)
    rule = acting.driven
    law_names = acting.law.names if acting.law else ()
    formula = rule.formula if rule else _formula_of_state(acting.callback, model)
    if rule is None and acting.outside is not None:
        formula = under(formula, acting.outside, model, setup.surroundings.sensor)

    functions = [told_function(what, x, each, batch) for what, x in (("reward", reward), ("terminate", terminate))]
    again = reset if isinstance(reset, str) else told_function("reset", reset, each, batch)
    if "reward" in names and reward is None:
        raise ArgumentError("keep names 'reward', and there is none: Episode(reward=…)")
    if "state" in names and (formula is None or not formula.state):
        raise ArgumentError("keep names 'state', and the controller has none")
    smooth_motion = is_smooth(way, formula)
    remembered = _impulses(model, way.constraints, parameters or {}) or memory_of(model, way, smooth_motion)
    plan = Plan(
        way,
        formula,
        rule.random if rule else None,
        functions[0],
        functions[1],
        again,
        layout_of(formula, remembered, reward is not None, terminate is not None, again),
        tuple(parameters or ()),
        tuple(name for name in KEPT[2:] if name in names),
    )
    own = [_of_batch(one, x, batch) for one, x in known]
    law_start = rule.state if rule and rule.formula.state else np.zeros((*batch, 0))
    begun = {"law": law_start, "weight": np.ones(1), "alive": np.ones(1)}
    if adaptive:
        begun["memory"] = memory_at_start(model, way, smooth_motion, accuracy, np.inf, q, v)
    if isinstance(again, Told):
        begun["random"] = seeds(checked_seed(setup.actuation.seed, batch), batch, RESET_STREAM)
    now = _now(plan.layout, earlier, q, v, begun, h)
    if earlier is not None and adaptive:
        rest = now[2].copy()
        rest[..., plan.layout.places["memory"].start] = accuracy
        now = now[0], now[1], rest
    shapes, taken = (rule.shapes if rule else None), (earlier.taken if earlier else 0)
    start_of_all = (q, v, law_start)
    return Prepared(
        model,
        plan,
        batch,
        h,
        float(episode.discount),
        start_of_all,
        now,
        taken,
        own,
        shapes,
        names,
        _names(plan, law_names),
    )


def _formula_of_state(controller: Any, model: Model) -> Formula | None:
    """The formula of a controller (t, q, v); :class:`InputError` where it is not compiled."""
    formula = formula_of(controller, model)
    if controller is not None and formula is None:
        raise InputError("a rollout takes compiled controllers: functions (model, t, q, v), or kernels of (t, q, v)")
    return formula


def _impulses(model: Model, constraints: Constraints | None, parameters: Collection[str]) -> int:
    """How many are remembered from step to step, whatever the parameters of the pairs are."""
    if constraints is None:
        return 0
    named = tuple(what for owner, _, what in (name.partition(".") for name in parameters) if owner == "pairs")
    told: int = derived(model, _impulses, constraints, named, make=lambda: _count(model, constraints, named))
    return told


def _count(model: Model, constraints: Constraints, named: Collection[str]) -> int:
    changed = {what: 1.0 for what in named}
    return constraints.size(replace(model, pairs=tuple(replace(pair, **changed) for pair in model.pairs)))  # type: ignore[arg-type]


def _names(plan: Plan, of_law: tuple[str, ...]) -> tuple[str, ...]:
    """Of the plan's values, as users bind them."""
    told = [name for x in (plan.reward, plan.terminate, plan.reset) if isinstance(x, Told) for name in x.names]
    others = len(plan.values) - len(told) - len(of_law)
    return ("",) * others + of_law + tuple(told)


def _known_parameters(model: Model, given: Mapping[str, Any]) -> list[tuple[Parameter, Array]]:
    """Parameters with their values, checked but for their shapes."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"parameters are {{'hand.mass': …}}; got {given!r}")
    found = []
    for name, value in given.items():
        known, x = parameter_of(model, name), as_numbers(name, value)
        if not np.isfinite(x).all():
            raise InputError(f"{name} is not finite")
        require_possible(known, x)
        found.append((known, x))
    return found


def _batch_of(known: Sequence[tuple[Parameter, Array]]) -> tuple[int, ...]:
    """The batch of motions that differ in their parameters alone: that of the values (…, *shape), broadcast."""
    leads = {one.name: x.shape[: x.ndim - len(one.shape)] for one, x in known if x.shape != one.shape}
    for one, x in known:
        if x.shape[x.ndim - len(one.shape) :] != one.shape:
            raise _wrong_shape(one, x, ())
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        told = ", ".join(f"{name} {lead}" for name, lead in leads.items())
        raise ShapeError(f"the parameters' batch dimensions do not broadcast: {told}") from None


def _of_batch(known: Parameter, x: Array, batch: tuple[int, ...]) -> Array:
    """The values of a parameter, (*batch, *shape), or those of all motions (*shape)."""
    if x.shape == known.shape:
        return x
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
    layout: Layout, start: Rollout | None, q: Array, v: Array, begun: Mapping[str, Array], h: float
) -> tuple[Array, Array, Array]:
    """With what motions go on (*batch, n); ``begun``: what they carry at their start, where it is not zero."""
    if start is None:
        lead = q.shape[:-1]
        pieces = {name: np.broadcast_to(begun.get(name, np.zeros(1)), (*lead, n)) for name, n in layout.sizes}
        return q, v, layout.joined(pieces)
    if start.layout != layout or start.end[0].shape != q.shape or start.end[1].shape != v.shape:
        raise InputError(
            f"the earlier rollout is of {_told(start.layout, start.end[0].shape)}, and here are "
            f"{_told(layout, q.shape)}: go on with the same controller, reward, terminate and reset as before"
        )
    if abs(start.step - h) > 1e-12 * h:
        raise InputError(f"the earlier rollout took steps of {start.step:g} s; here they are {h:g} s")
    return start.end


def _told(layout: Layout, shape: tuple[int, ...]) -> str:
    return f"motions {shape[:-1]} that carry {', '.join(f'{name} ({size},)' for name, size in layout.sizes)}"
