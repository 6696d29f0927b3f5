"""Controls of batches: of actuators, efforts of joints, or values that a controller takes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.dynamics.forces.actuation import with_motors
from linkwright.errors import names_given
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import is_of_numbers, unwrap_partials
from linkwright.simulation.setup import Setup
from linkwright.spatial.arrays import Array, as_numbers


def held_efforts(model: Model, t: Any, q: Array, v: Array, *, controls: Array) -> Array:
    """Apply controls as the efforts (motors,) of all joints but free ones: the default controller of a batch."""
    places = with_motors(model)
    return np.stack([controls[places.index(k)] if k in places else 0.0 * controls[0] for k in range(model.nv)])


def with_controls(model: Model, n: int, setup: Setup) -> Setup:
    """Return the setup with controls for each simulation."""
    actuation, controller = setup.actuation, setup.controller
    if controller is None and not actuation.is_of_actuators:
        if model.nu:
            actuation = replace(actuation, controls=np.zeros((n, model.nu)))
        elif motors := with_motors(model):
            controller = partial(held_efforts, controls=np.zeros((n, len(motors))))
            actuation = replace(actuation, each={*names_given("each", actuation.each), "controls"})
        return replace(setup, controller=controller, actuation=actuation)
    if actuation.is_of_actuators and actuation.controls is not True:
        controls = as_numbers("controls", actuation.controls)
        if controls.ndim == 0 or controls.shape == (model.nu,):
            actuation = replace(actuation, controls=np.broadcast_to(controls, (n, model.nu)))
        return replace(setup, actuation=actuation)
    if controller is None:  # actuators whose controls a controller would return: reported below
        return setup
    _, bound = unwrap_partials(controller)
    each = {*names_given("each", actuation.each)}
    if "controls" in bound and "controls" not in each and is_of_numbers(bound["controls"]):
        controls = as_numbers("controls", bound["controls"])
        controller = partial(controller, controls=np.broadcast_to(controls, (n, *controls.shape)))
        actuation = replace(actuation, each={*each, "controls"})
    return replace(setup, controller=controller, actuation=actuation)
