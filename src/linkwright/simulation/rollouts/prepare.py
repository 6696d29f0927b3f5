"""A rollout as it is told of, checked and put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.parameters import Parameter, parameter_of, require_possible
from linkwright.dynamics.closed_loops.forces import Gains, checked_gains
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.impulses.solving import Solver
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError, names_given
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.acting.all import all_that_acts
from linkwright.simulation.acting.laws import under
from linkwright.simulation.acting.outside import (
    Environment,
    Wrenches,
    warn_if_hard,
    warn_if_pairs_are_hard,
)
from linkwright.simulation.acting.randomness import checked_seed, seeds
from linkwright.simulation.acting.servos import Servos
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.running import (
    checked_tolerance,
    require_closed,
    suitable_method,
    warn_if_stiff,
)
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.functions import Told, names_bound, told_function
from linkwright.simulation.stepping.impacts import Constraints, constraints_of
from linkwright.simulation.stepping.integrators import METHODS, IntegrationMethod, Tableau, Variational, method_of
from linkwright.simulation.stepping.many import (
    Layout,
    Plan,
    layout_of,
)
from linkwright.simulation.stepping.steps import Way, is_smooth, memory_at_start, memory_of
from linkwright.spatial.arrays import Array, as_numbers, is_finite_number

KEPT = ("q", "v", "tau", "reward", "state")
"""What may be kept of every n-th step."""

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
    step: float = 1e-3,
    *,
    method: IntegrationMethod | None = None,
    law: Callable[..., Any] | None = None,
    state0: Any = None,
    each: Collection[str] = (),
    keep: Collection[str] = ("q", "v"),
    reward: Callable[..., Any] | None = None,
    discount: float = 1.0,
    terminate: Callable[..., Any] | None = None,
    reset: Callable[..., Any] | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    start: Rollout | None = None,
    stabilisation: Gains | None = None,
    projection: bool = True,
    period: float | None = None,
    delay: float = 0.0,
    lag: Any = 0.0,
    effort_limits: Any = False,
    noise: Mapping[str, Any] | None = None,
    seed: Any = 0,
    gear: Any = None,
    velocity_limits: Any = False,
    wrenches: Wrenches | None = None,
    environment: Environment | None = None,
    sensor: str | None = None,
    tolerance: Any = None,
    limits: bool = False,
    solver: Solver | None = None,
    servos: Servos | None = None,
) -> Prepared:
    """As :func:`rollout` is told of it, checked."""
    chosen = method_of("rk4" if method is None else method)
    if isinstance(chosen, Variational):
        others = [repr(name) for name, one in METHODS.items() if not isinstance(one, Variational)]
        raise InputError(f"rollouts take steps by {', '.join(others)}; {method!r} is simulate's")
    if not (is_finite_number(step) and step > 0):
        raise InputError(f"step must be a positive number of seconds; got {step!r}")
    names = names_given("keep", keep)
    if unknown := [name for name in names if name not in KEPT]:
        raise ArgumentError(f"keep names what is kept, of {', '.join(KEPT)}; got {unknown[0]!r}")
    if law is None and state0 is not None:
        raise ArgumentError("state0 is of a law, and none is given: rollout(…, law=…)")
    if not (is_finite_number(discount) and discount >= 0):
        raise InputError(f"discount must be a number, not negative; got {discount!r}")
    if isinstance(reset, str) and reset != "start":
        raise ArgumentError(f"reset is 'start' or a function (model, q0, v0, random) -> (q, v); got {reset!r}")
    if start is not None and not isinstance(start, Rollout):
        raise ArgumentError(f"start is what an earlier rollout gave; got {start!r}")
    if start is not None:
        if reset is None and any(given is not None for given in (q0, v0)):
            _require_the_same_start(start, q0, v0)
        q0, v0 = (start.start[0] if q0 is None else q0), (start.start[1] if v0 is None else v0)
    h = float(step)
    q, v, batch = check_state(model, q0, v0)
    known = _known_parameters(model, parameters or {})
    if not batch and start is None:
        batch = _batch_of(known)
    accuracy = checked_tolerance(tolerance, chosen, method, batch)
    require_mass(model)
    require_closed(model, q, v)
    q, v = (np.ascontiguousarray(np.broadcast_to(x, (*batch, n))) for x, n in ((q, model.nq), (v, model.nv)))
    gains = checked_gains(stabilisation)
    projecting = bool(projection) and bool(model.loops)

    functions_given = (("reward", reward), ("terminate", terminate), ("reset", reset))
    elsewhere = [one for what, given in functions_given for one in names_bound(what, given)]
    each = {*names_given("each", each)}
    smooth = bool(model.pairs) and method is not None and isinstance(chosen, (Tableau, Embedded))
    acting = all_that_acts(
        model,
        h,
        batch,
        law=law,
        state0=state0,
        each=each,
        wrenches=wrenches,
        environment=environment,
        smooth=smooth,
        sensor=sensor,
        elsewhere=elsewhere,
        period=period,
        delay=delay,
        lag=lag,
        effort_limits=effort_limits,
        noise=noise,
        seed=seed,
        gear=gear,
        velocity_limits=velocity_limits,
        servos=servos,
    )
    if smooth and isinstance(chosen, Tableau):
        warn_if_pairs_are_hard(model, q, h, len(chosen.stages))
    rule = acting.driven
    law_names = acting.law.names if acting.law else ()
    formula = rule.formula if rule else None
    if formula is None and acting.outside is not None:
        formula = under(None, acting.outside, model, sensor)
    constraints = constraints_of(model, limits, solver, not smooth, servos.names(model) if servos else ())
    if constraints is not None:
        if method not in (None, "semi_implicit"):
            raise InputError(f"limits act in steps of 'semi_implicit', and so do servos; got method={method!r}")
        method = "semi_implicit"
    elif method is None:
        method = suitable_method(model, q, v, h)
    elif np.isfinite(chosen.stability) and model.nv:
        warn_if_stiff(model, q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1], h, method)
    if not isinstance(chosen, Embedded):
        warn_if_hard(model, q, environment, h)

    functions = [told_function(what, x, each, batch) for what, x in (("reward", reward), ("terminate", terminate))]
    again = reset if isinstance(reset, str) else told_function("reset", reset, each, batch)
    if "reward" in names and reward is None:
        raise ArgumentError("keep names 'reward', and there is none: rollout(…, reward=…)")
    if "state" in names and (formula is None or not formula.state):
        raise ArgumentError("keep names 'state', and the law has none")
    way = Way(method, gains, projecting, False, constraints)
    smooth_motion = is_smooth(way, formula)
    remembered = _impulses(model, constraints, parameters or {}) or memory_of(model, way, smooth_motion)
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
    if isinstance(chosen, Embedded):
        begun["memory"] = memory_at_start(model, way, smooth_motion, accuracy, np.inf, q, v)
    if isinstance(again, Told):
        begun["random"] = seeds(checked_seed(seed, batch), batch, RESET_STREAM)
    now = _now(plan.layout, start, q, v, begun, h)
    if start is not None and isinstance(chosen, Embedded):
        rest = now[2].copy()
        rest[..., plan.layout.places["memory"].start] = accuracy
        now = now[0], now[1], rest
    shapes, taken = (rule.shapes if rule else None), (start.taken if start else 0)
    start_of_all = (q, v, law_start)
    return Prepared(
        model, plan, batch, h, float(discount), start_of_all, now, taken, own, shapes, names, _names(plan, law_names)
    )


def _require_the_same_start(start: Rollout, q0: Any, v0: Any) -> None:
    """Raise :class:`ArgumentError` for another start than an earlier rollout's, where motions never begin again."""
    for name, given, known in (("q0", q0, start.start[0]), ("v0", v0, start.start[1])):
        if given is not None and not np.array_equal(np.broadcast_to(as_numbers(name, given), known.shape), known):
            raise ArgumentError(
                f"motions go on from the end of start, and {name} is another place: leave q0 and v0 away (None). They "
                "are where motions begin again, with reset"
            )


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
            f"start is of {_told(start.layout, start.end[0].shape)}, and here are {_told(layout, q.shape)}: go on "
            "with the same law, reward, terminate and reset as before"
        )
    if abs(start.step - h) > 1e-12 * h:
        raise InputError(f"start took steps of {start.step:g} s; here they are {h:g} s")
    return start.end


def _told(layout: Layout, shape: tuple[int, ...]) -> str:
    return f"motions {shape[:-1]} that carry {', '.join(f'{name} ({size},)' for name, size in layout.sizes)}"
