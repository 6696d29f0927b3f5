"""All that acts on a mechanism in a step: a law, what is between it and the joints, and what comes from outside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from linkwright.errors import ArgumentError, names_given, warn
from linkwright.model.tree import Model
from linkwright.simulation.acting.bindings import Named, names_of_each
from linkwright.simulation.acting.drives import Between, between, driving
from linkwright.simulation.acting.laws import Ruled, ruled, under
from linkwright.simulation.acting.outside import (
    Environment,
    Outside,
    Wrenches,
    bound_to_wrenches,
    outside_of,
    with_pairs,
)
from linkwright.simulation.acting.servos import Servos, with_servos


class Acting(NamedTuple):
    """What acts, put together."""

    law: Ruled | None
    """as it was given"""
    driven: Ruled | None
    """with what is between it and the joints, and with what acts from outside"""
    drives: Between | None
    outside: Outside | None


def all_that_acts(
    model: Model,
    h: float,
    batch: tuple[int, ...],
    *,
    law: Callable[..., Any] | None,
    state0: Any,
    each: Collection[str],
    wrenches: Wrenches | None,
    environment: Environment | None,
    smooth: bool,
    sensor: str | None,
    elsewhere: Sequence[Named],
    servos: Servos | None,
    effort_limits: Any,
    **drives: Any,
) -> Acting:
    """As ``simulate`` is told of it, checked.

    ``smooth``: contact of the model's pairs is a force. ``elsewhere``: names of values that other functions than the
    law and ``wrenches`` are bound to. ``drives`` are arguments of
    :func:`~linkwright.simulation.acting.drives.between`.
    """
    elsewhere = [*bound_to_wrenches(wrenches), *elsewhere]
    if law is None:
        rule, each = None, names_of_each(each, batch, elsewhere)
    else:
        each = {*names_given("each", each)}
        rule = ruled(model, law, state0, each, batch, sensor is not None, elsewhere)
    outside = outside_of(model, wrenches, environment, each, batch)
    if smooth:
        outside = with_pairs(model, outside)
    _require_use(model, sensor, rule, outside)
    cut = effort_limits if servos is None else None
    found = between(model, h, sensed=sensor is not None, batch=batch, effort_limits=cut, **drives)
    if servos is not None and found is not None:
        late = [name for name in ("lag", "gear", "fastest") if getattr(found, name) is not None]
        if late:
            told = {"fastest": "velocity_limits"}.get(late[0], late[0])
            raise ArgumentError(f"{told} is of a law's efforts, and with servos it tells where to go: leave it away")
    if rule is not None:
        _warn_of_other_steps(rule, h * found.period if found else h)
    driven = rule
    if found is not None:
        if rule is None:
            raise ArgumentError(
                "period, delay, lag, gear, effort_limits, velocity_limits and noise tell what is between a law and the "
                "joints: give law=…"
            )
        driven = driving(model, rule, found, h, batch)
    if servos is not None:
        driven = with_servos(model, driven, servos, effort_limits, batch)
    if driven is not None and outside is not None:
        driven.formula = under(driven.formula, outside, model, sensor)
    return Acting(rule, driven, found, outside)


def _require_use(model: Model, sensor: str | None, rule: Ruled | None, outside: Outside | None) -> None:
    """Raise :class:`ArgumentError` for a sensor with nobody to tell, or nothing to measure."""
    if sensor is None:
        return
    model.frame(sensor)
    if rule is None or outside is None:
        raise ArgumentError("a sensor tells a law what acts from outside: give law=… and wrenches=… or environment=…")
    if rule.frame != sensor and rule.frame in model.frames:
        warn(
            f"the law {rule.name} is told what acts at {sensor!r}, about that origin, and takes it for what acts at "
            f"{rule.frame!r}: give sensor={rule.frame!r}"
        )


def _warn_of_other_steps(rule: Ruled, period: float) -> None:
    """Warn of a law that integrates or filters over another time than there is between two questions."""
    for name, step in rule.steps.items():
        if step.size and abs(step / period - 1.0).max() > 1e-6:
            warn(f"the law {rule.name} is bound to {name}={step.flat[0]:g} s, and is asked every {period:g} s")
