"""Readings of the sensors of a model, for states in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.forces.actuators import acting_inputs, limited_controls
from linkwright.dynamics.sensors import sensor_data
from linkwright.errors import InputError, ShapeError
from linkwright.model.memo import derived
from linkwright.model.parts.sensor import OF_ACCELERATIONS
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.contact_sensors import (
    check_contacts,
    check_loops,
    sensor_places,
    split_places,
    surrounding_readings,
)
from linkwright.simulation.recording.contact_history import ContactHistory
from linkwright.spatial.arrays import Array, as_numbers


@takes_model
def sensor_readings(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike | None = None,
    *,
    controls: ArrayLike | None = None,
    activations: ArrayLike | None = None,
    contacts: ContactHistory | None = None,
) -> dict[str, Array]:
    """Compute the readings of the sensors of a model.

    Parameters
    ----------
    model : Model
        Mechanism with sensors, ``model.sensors``.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    a : array_like, shape (..., nv), optional
        Acceleration, for accelerometers and other sensors of accelerations.
    controls : array_like, shape (..., nu), optional
        Controls of the actuators, for sensors of their forces; zeros by default.
    activations : array_like, shape (..., na), optional
        Activations of the actuators; zeros by default.
    contacts : ContactHistory, optional
        Contacts of the states, ``motion.contacts``, for sensors of touch, force and torque.

    Returns
    -------
    dict of str to ndarray, shape (..., size)
        Readings by the name of the sensor, without noise.

    Raises
    ------
    InputError
        If a sensor needs the acceleration or the contacts and none are given, or if a loop contributes an unknown
        force to its reading.

    Notes
    -----
    Impulses of contacts are means over the step that ends at a sample, so that the acceleration that belongs to
    ``motion.contacts`` is the difference of ``motion.v`` to the sample before, divided by the step.

    Examples
    --------
    The readings along a motion:

    >>> import linkwright as lw
    >>> arm = lw.load("two_link").with_sensors(lw.Sensor("speed", "velocimeter", "tip"))
    >>> motion = lw.simulate(arm, [0.5, 0.5], [0.0, 0.0], 0.1)
    >>> lw.sensor_readings(arm, motion.q, motion.v)["speed"].shape
    (101, 3)
    """
    q, v, _ = check_state(model, q, v)
    model.require_physical("the readings of sensors")
    needing = [one.name for one in model.sensors if one.type in OF_ACCELERATIONS]
    if a is None and needing:
        raise InputError(f"the sensor {needing[0]!r} needs the acceleration: sensor_readings(model, q, v, a)")
    others = [_given(*one) for one in (("a", a, model.nv), ("controls", controls, model.nu))]
    others.append(_given("activations", activations, model.na))
    try:
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in (q, v, *others)))
    except ValueError:
        raise ShapeError(f"q, v, a, controls and activations do not broadcast: {q.shape}, {v.shape}, …") from None
    if not model.sensors:
        return {}
    rows = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, v, np.concatenate(_joined(others, batch), axis=-1))]
    check_contacts(model, contacts, batch)
    check_loops(model)
    size = rows[2].shape[-1:]
    values = derived(model, sensor_readings, make=lambda: compile_or_not(all_readings, model, given=size))(*rows)
    entries = derived(model, sensor_places, make=lambda: compile_or_not(sensor_places, model))(rows[0])
    found = surrounding_readings(model, values, split_places(model, entries), contacts)
    return dict(zip((one.name for one in model.sensors), found, strict=True))


def all_readings(model: Model, q: Array, v: Array, given: Array) -> Array:
    """Return all readings without contacts and ranges, from acceleration, controls and activations (nv + nu + na,)."""
    n, u = model.nv, limited_controls(model, given[model.nv : model.nv + model.nu])
    return sensor_data(model, q, v, given[:n], acting_inputs(model, u, given[n + model.nu :], 0.0))


def _joined(arrays: list[Array], batch: tuple[int, ...]) -> list[Array]:
    return [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays]


def _given(name: str, x: Any, size: int) -> Array:
    """Return an argument (…, size); zeros where it is not given."""
    if x is None:
        return np.zeros(size)
    array = as_numbers(name, x)
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{name} has shape {array.shape}; expected (…, {size})")
    return array
