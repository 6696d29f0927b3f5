"""A rollout as it is told of, checked and put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.parameters import parameter_of
from linkwright.dynamics.closed_loops.forces import Gains, checked_gains
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.impulses.solving import Solver
from linkwright.dynamics.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.adaptive.pair import Embedded
from linkwright.simulation.drives import between, driving
from linkwright.simulation.impacts import Constraints, constraints_of
from linkwright.simulation.integrators import METHODS, IntegrationMethod, Tableau, Variational, method_of
from linkwright.simulation.laws import names_of_each, ruled, under
from linkwright.simulation.outside import (
    Environment,
    Wrenches,
    bound_to_wrenches,
    outside_of,
    warn_if_hard,
    warn_if_pairs_are_hard,
    with_pairs,
)
from linkwright.simulation.randomness import checked_seed, seeds
from linkwright.simulation.rollouts.functions import Told, names_bound, told_function
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.steps import (
    Layout,
    Plan,
    layout_of,
)
from linkwright.simulation.running import (
    require_a_sensor,
    require_closed,
    suitable_method,
    warn_if_stiff,
    warn_of_other_steps,
)
from linkwright.simulation.steps import Way
from linkwright.spatial.arrays import Array, as_numbers

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
    limits: bool = False,
    solver: Solver | None = None,
) -> Prepared:
    """As :func:`rollout` is told of it, checked."""
    if not isinstance(model, Model):
        raise ArgumentError(f"rollout: the first argument is a Model; got {model!r}")
    chosen = method_of(method or "rk4")
    if isinstance(chosen, (Variational, Embedded)):
        others = [repr(name) for name, one in METHODS.items() if not isinstance(one, (Variational, Embedded))]
        raise InputError(
            f"rollouts take the same steps in all motions, by {', '.join(others)}; {method!r} is simulate's"
        )
    if not (isinstance(step, (int, float, np.number)) and np.isfinite(step) and step > 0):
        raise InputError(f"step must be a positive number of seconds; got {step!r}")
    names = (keep,) if isinstance(keep, str) else tuple(keep)
    if unknown := [name for name in names if name not in KEPT]:
        raise ArgumentError(f"keep names what is kept, of {', '.join(KEPT)}; got {unknown[0]!r}")
    if law is None and state0 is not None:
        raise ArgumentError("state0 is of a law, and none is given: rollout(…, law=…)")
    if not (isinstance(discount, (int, float, np.number)) and np.isfinite(discount) and discount >= 0):
        raise InputError(f"discount must be a number, not negative; got {discount!r}")
    if isinstance(reset, str) and reset != "start":
        raise ArgumentError(f"reset is 'start' or a function (model, q0, v0, random) -> (q, v); got {reset!r}")
    if start is not None and not isinstance(start, Rollout):
        raise ArgumentError(f"start is what an earlier rollout gave; got {start!r}")
    if start is not None and (q0 is None or v0 is None):
        q0, v0 = (start.start[0] if q0 is None else q0), (start.start[1] if v0 is None else v0)
    h = float(step)
    q, v, batch = check_state(model, q0, v0)
    require_mass(model)
    require_closed(model, q, v)
    q, v = (np.ascontiguousarray(np.broadcast_to(x, (*batch, n))) for x, n in ((q, model.nq), (v, model.nv)))
    gains = checked_gains(stabilisation)
    projecting = bool(projection) and bool(model.loops)

    elsewhere = dict(bound_to_wrenches(wrenches))
    for what, given in (("reward", reward), ("terminate", terminate), ("reset", reset)):
        elsewhere.update(names_bound(what, given))
    each = {each} if isinstance(each, str) else {*each}
    if law is None:
        rule, each = None, names_of_each(each, batch, elsewhere)
    else:
        rule = ruled(model, law, state0, each, batch, sensor is not None, elsewhere)
    law_names = rule.names if rule else ()
    outside = outside_of(model, wrenches, environment, each, batch)
    smooth = bool(model.pairs) and method is not None and isinstance(chosen, Tableau)
    if smooth:  # contact is a force where accelerations are integrated
        outside = with_pairs(model, outside)
        warn_if_pairs_are_hard(model, q, h)
    require_a_sensor(model, sensor, rule, outside)
    drives = between(
        model, h, period, delay, lag, effort_limits, noise, seed, gear, velocity_limits, sensor is not None, batch
    )
    if rule is not None:
        warn_of_other_steps(rule, h * drives.period if drives else h)
    if drives is not None:
        if rule is None:
            raise ArgumentError(
                "period, delay, lag, gear, effort_limits, velocity_limits and noise tell what is between a law and the "
                "joints: give law=…"
            )
        rule = driving(model, rule, drives, h, batch)
    formula = rule.formula if rule else None
    if outside is not None:
        formula = under(formula, outside, model, sensor)
    constraints = constraints_of(model, limits, solver, not smooth)
    if constraints is not None:
        if method not in (None, "semi_implicit"):
            raise InputError(f"limits act in steps of 'semi_implicit'; got method={method!r}")
        method = "semi_implicit"
    elif method is None:
        method = suitable_method(model, q, v, h)
    elif np.isfinite(chosen.stability) and model.nv:
        warn_if_stiff(model, q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1], h, method)
    warn_if_hard(model, q, environment, h)

    functions = [told_function(what, x, each, batch) for what, x in (("reward", reward), ("terminate", terminate))]
    again = reset if isinstance(reset, str) else told_function("reset", reset, each, batch)
    if "reward" in names and reward is None:
        raise ArgumentError("keep names 'reward', and there is none: rollout(…, reward=…)")
    if "state" in names and (formula is None or not formula.state):
        raise ArgumentError("keep names 'state', and the law has none")
    impulses = _impulses(model, constraints, parameters or {})
    plan = Plan(
        Way(method, gains, projecting, False, constraints),
        formula,
        rule.random if rule else None,
        functions[0],
        functions[1],
        again,
        layout_of(formula, impulses, reward is not None, terminate is not None, again),
        tuple(parameters or ()),
        tuple(name for name in KEPT[2:] if name in names),
    )
    own = _parameters(model, parameters or {}, batch)
    law_start = rule.state if rule and rule.formula.state else np.zeros((*batch, 0))
    now = _now(plan.layout, start, q, v, law_start, checked_seed(seed, batch), batch, model, h)
    shapes, taken = (rule.shapes if rule else None), (start.taken if start else 0)
    start_of_all = (q, v, law_start)
    return Prepared(
        model, plan, batch, h, float(discount), start_of_all, now, taken, own, shapes, names, _names(plan, law_names)
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


def _parameters(model: Model, given: Mapping[str, Any], batch: tuple[int, ...]) -> list[Array]:
    """What mechanisms are made of, (…, *shape) of a batch, or the same for all."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"parameters are {{'hand.mass': …}}; got {given!r}")
    found = []
    for name, value in given.items():
        known, x = parameter_of(model, name), as_numbers(name, value)
        if not np.isfinite(x).all():
            raise InputError(f"{name} is not finite")
        if x.shape == known.shape:
            found.append(x)
            continue
        try:
            found.append(np.broadcast_to(x, (*batch, *known.shape)))
        except ValueError:
            raise ShapeError(
                f"{name} has shape {np.shape(value)}; expected {known.shape or 'one number'}, or "
                f"{(*batch, *known.shape)}"
            ) from None
    return found


def _now(
    layout: Layout,
    start: Rollout | None,
    q: Array,
    v: Array,
    law: Array,
    seed: Any,
    batch: tuple[int, ...],
    model: Model,
    h: float,
) -> tuple[Array, Array, Array]:
    """With what motions go on (*batch, n)."""
    if start is not None:
        if start.layout != layout or start.end[0].shape != q.shape or start.model.nv != model.nv:
            raise InputError(
                f"start is of {_told(start.layout, start.end[0].shape)}, and here are {_told(layout, q.shape)}: go on "
                "with the same law, reward, terminate and reset as before"
            )
        if abs(start.step - h) > 1e-12 * h:
            raise InputError(f"start took steps of {start.step:g} s; here they are {h:g} s")
        return start.end
    pieces = {name: np.zeros((*batch, size)) for name, size in layout.sizes}
    for name, x in (("law", law), ("weight", 1.0), ("alive", 1.0)):
        if name in pieces:
            pieces[name] = np.broadcast_to(x, pieces[name].shape)
    if "random" in pieces:
        pieces["random"] = seeds(seed, batch, RESET_STREAM)
    return q, v, layout.joined(pieces)


def _told(layout: Layout, shape: tuple[int, ...]) -> str:
    return f"motions {shape[:-1]} that carry {', '.join(f'{name} ({size},)' for name, size in layout.sizes)}"
