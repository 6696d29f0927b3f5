"""Controllers of the controls of actuators, which are held over a step; the activations are the end of their state."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import LawController
from linkwright.spatial.arrays import Array, as_numbers


def constant_controls(model: Model, t: Any, q: Array, v: Array, *, controls: Array) -> Array:
    """Return constant controls (nu,): a controller."""
    return controls


def controller_of_controls(model: Model, controller: Any, controls: Any) -> Any:
    """Return the controller whose output are the controls: the given one, or one of constant controls."""
    if not model.nu:
        raise ArgumentError(f"{model.name!r} has no actuators for controls: model.with_actuators(lw.Actuator(…))")
    if controls is True:
        if controller is None:
            raise ArgumentError("controls=True: the controller returns the controls, and none is given: controller=…")
        return controller
    if controller is not None:
        raise ArgumentError(
            "controls are constant numbers, and a controller is given: with controls=True it returns them"
        )
    u = as_numbers("controls", controls)
    if u.ndim == 0:
        u = np.full(model.nu, u)
    if u.shape[-1] != model.nu:
        raise ShapeError(f"controls have shape {u.shape}; expected (…, {model.nu}) for {model.name!r}")
    if not np.isfinite(u).all():
        raise InputError("controls are not finite")
    return partial(constant_controls, controls=u)


def with_actuators(
    model: Model, controller: LawController, activations: Any, h: float, batch: tuple[int, ...]
) -> LawController:
    """Return the controller of the efforts that actuators exert under the controls of a controller."""
    inner = controller.effort_function
    start = as_numbers("activations", 0.0 if activations is None else activations)
    if start.ndim and start.shape[-1] != model.na:
        raise ShapeError(f"activations have shape {start.shape}; {model.name!r} has {model.na}")
    if not np.isfinite(start).all():
        raise InputError("activations are not finite")
    try:
        begun = np.broadcast_to(start, (*batch, model.na))
    except ValueError:
        raise ShapeError(f"activations have shape {start.shape}; expected {(*batch, model.na)}") from None
    actuated = copy(controller)
    actuated.state = np.concatenate([controller.state, begun], axis=-1)
    actuated.effort_function = replace(
        inner,
        key=(with_actuators, inner.key, inner.state),
        values=(*inner.values, np.array(h)),
        shapes=(*inner.shapes, ()),
        state=inner.state + model.na,
        actuated=True,
    )
    return actuated
