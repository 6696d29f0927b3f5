"""All that acts on a mechanism in a step: a controller, its path to the joints, and what comes from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from linkwright.errors import ArgumentError, names_given, warn
from linkwright.model.tree import Model
from linkwright.simulation.acting.bindings import Named, names_of_each
from linkwright.simulation.acting.controllers import is_of_state, require_callback
from linkwright.simulation.acting.drives import Between, between, driving
from linkwright.simulation.acting.laws import Ruled, ruled, under
from linkwright.simulation.acting.outside import Outside, bound_to_wrenches, outside_of, with_pairs
from linkwright.simulation.acting.servos import with_servos

if TYPE_CHECKING:
    from linkwright.simulation.setup import Setup


class Acting(NamedTuple):
    """What acts, put together."""

    law: Ruled | None
    """the controller alone"""
    driven: Ruled | None
    """with its path to the joints, and with what acts from outside"""
    drives: Between | None
    outside: Outside | None
    callback: Callable[..., Any] | None
    """(t, q, v) -> efforts, of Python or compiled"""

    @property
    def controller(self) -> Callable[..., Any] | None:
        """What gives the efforts, (t, q, v) -> (…, nv)."""
        return self.driven if self.driven is not None else self.callback


def all_that_acts(
    model: Model, h: float, batch: tuple[int, ...], setup: Setup, smooth: bool, elsewhere: Sequence[Named]
) -> Acting:
    """Check what acts in a run, and put it together.

    ``smooth``: contact of the model's pairs is a force. ``elsewhere``: names of values that other functions than the
    controller and ``wrenches`` are bound to.
    """
    actuation, around = setup.actuation, setup.surroundings
    controller, callback = setup.controller, setup.callback
    if is_of_state(controller):  # of (t, q, v), and compiled
        controller, callback = None, controller
    if callback is not None:
        require_callback(callback)
    elsewhere = [*bound_to_wrenches(around.wrenches), *elsewhere]
    sensed = around.sensor is not None
    if controller is None:
        if actuation.initial_state is not None:
            raise ArgumentError("initial_state is that of a controller, and none is given: controller=…")
        if actuation.each and not elsewhere:
            raise ArgumentError(
                f"each names {names_given('each', actuation.each)[0]!r}, a value bound to a controller, and none is "
                "given: controller=…"
            )
        rule, each = None, names_of_each(actuation.each, batch, elsewhere)
    else:
        each = {*names_given("each", actuation.each)}
        rule = ruled(model, controller, actuation.initial_state, each, batch, sensed, elsewhere)
    outside = outside_of(model, around.wrenches, around.surfaces, each, batch)
    if smooth:
        outside = with_pairs(model, outside)
    _require_use(model, around.sensor, rule, outside)
    found = between(model, h, actuation, sensed, batch)
    if rule is not None:
        _warn_of_other_steps(rule, h * found.period if found else h)
    driven = rule
    if found is not None:
        if rule is None:
            raise ArgumentError(
                f"{actuation.own_path[0]} is on the path from a controller (model, t, q, v) to the joints, and none "
                "is given: controller=…"
            )
        driven = driving(model, rule, found, h, batch)
    if actuation.servos is not None:
        driven = with_servos(model, driven, actuation.servos, actuation.effort_limits, batch)
    if driven is not None and outside is not None:
        driven.formula = under(driven.formula, outside, model, around.sensor)
    return Acting(rule, driven, found, outside, callback)


def _require_use(model: Model, sensor: str | None, rule: Ruled | None, outside: Outside | None) -> None:
    """Raise :class:`ArgumentError` for a sensor without a controller, or with nothing to measure."""
    if sensor is None:
        return
    model.frame(sensor)
    if rule is None or outside is None:
        raise ArgumentError(
            "a sensor measures external wrenches for a controller: give controller=…, and wrenches=… or surfaces=…"
        )
    if rule.frame != sensor and rule.frame in model.frames:
        warn(
            f"the controller {rule.name} is given the wrench at {sensor!r}, about that origin, and takes it for that "
            f"at {rule.frame!r}: give sensor={rule.frame!r}"
        )


def _warn_of_other_steps(rule: Ruled, period: float) -> None:
    """Warn of a controller that integrates or filters over another time than there is between two evaluations."""
    for name, step in rule.steps.items():
        if step.size and abs(step / period - 1.0).max() > 1e-6:
            warn(
                f"the controller {rule.name} is bound to {name}={step.flat[0]:g} s, and is evaluated every {period:g} s"
            )
