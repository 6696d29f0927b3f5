"""Parsing of postures, velocities, targets and parameters."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from linkwright.errors import InputError, UnknownNameError, counted
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


def named_parameters(text: str) -> str | dict[str, Any]:
    """Parse --parameters: one word for all, or {group: word, name: number}."""
    from linkwright.symbolic.derivation.plan import GROUPS

    if "=" not in text:
        return text
    parameters: dict[str, Any] = {}
    for entry in text.split(","):
        name, given, value = (part.strip() for part in entry.partition("="))
        if not given:
            raise InputError(f"--parameters: {entry.strip()!r} has no value; write group=numbers or name=0.5")
        parameters[name] = value if name in GROUPS else _value(value, "parameters")
    return parameters


def meanings(text: str, option: str) -> dict[str, str]:
    """Parse an option of names with expressions: phi1=theta1,phi2=theta1+theta2."""
    parts = [entry.partition("=") for entry in text.split(",")]
    if wrong := [name for name, equals, value in parts if not (equals and value.strip())]:
        raise InputError(f"--{option} expects name=expression, such as phi1=theta1; got {wrong[0]!r}")
    return {name.strip(): value for name, _, value in parts}


def starting_posture(model: Model, text: str, option: str = "posture") -> Array:
    """Return the configuration (nq,) of an option; coordinates without a value are neutral, within the limits."""
    if text == "random":
        return model.random()
    q = np.clip(model.neutral(), model.lower, model.upper)
    return _filled(model, q, text, model.coordinate_names, "nq", option)


def starting_velocity(model: Model, text: str) -> Array:
    """Return the velocity (nv,) of --velocity; coordinates without a value are zero."""
    from linkwright.model.coordinates import velocity_names

    if text == "random":
        return np.random.default_rng().normal(size=model.nv)
    return _filled(model, np.zeros(model.nv), text, velocity_names(model), "nv", "velocity")


def target_poses(text: str) -> Array:
    """Return the targets of --to: positions (n, 3), "x y z", or poses (n, 4, 4), "x y z roll pitch yaw"."""
    from linkwright.geometry import rotation, transform

    rows = [[_value(entry, "to") for entry in one.replace(",", " ").split()] for one in text.split(";") if one.strip()]
    widths = {len(row) for row in rows}
    if not widths <= {3, 6} or len(widths) != 1:
        raise InputError(
            f"--to expects x y z or x y z roll pitch yaw, the same for all targets; got {text!r}, "
            f"{' and '.join(map(str, sorted(widths))) or 'no'} numbers"
        )
    x = np.array(rows)
    return x if x.shape[1] == 3 else transform.make(rotation.from_rpy(x[:, 3:]), x[:, :3])


def _filled(model: Model, x: Array, text: str, names: Any, size: str, option: str) -> Array:
    """Return ``x`` with the values of ``text``: all values, or some by name."""
    if not text.strip():
        return x
    entries = [entry.strip() for entry in text.replace(";", ",").split(",") if entry.strip()]
    if not any("=" in entry for entry in entries):
        if len(entries) != len(x):
            hint = "; separate them by commas" if len(text.split()) > 1 and "," not in text else ""
            raise InputError(
                f"--{option} gives {counted(len(entries), 'value')}; {model.name!r} has {size} = {len(x)}{hint}"
            )
        return np.array([_value(entry, option) for entry in entries])
    x, given = x.copy(), set()
    for entry in entries:
        name, _, value = entry.partition("=")
        name = model.full_name(name.strip())
        if name not in names:
            raise UnknownNameError("coordinate", name, names)
        if name in given:
            raise InputError(f"--{option} gives {name!r} twice")
        given.add(name)
        x[list(names).index(name)] = _value(value, option)
    return x


_DEGREES = re.compile(r"([-+.\deE]+)\s*(?:degrees?|degs|°)", re.IGNORECASE)


def _value(text: str, option: str) -> float:
    """Return a finite number, in radians if it ends in "deg"."""
    number, degrees = (text.strip()[:-3], True) if text.strip().endswith("deg") else (text, False)
    try:
        value = float(number)
    except ValueError:
        unit = _DEGREES.fullmatch(text.strip())
        hint = f"; write {unit[1]}deg" if unit else ""
        raise InputError(f"--{option}: {text!r} is not a number{hint}") from None
    if not math.isfinite(value):
        raise InputError(f"--{option}: {text!r} is not finite")
    return float(np.radians(value)) if degrees else value
