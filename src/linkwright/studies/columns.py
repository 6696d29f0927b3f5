"""Results of a function for some rows, as named arrays whose first dimension is the row."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import InputError, ShapeError, counted
from linkwright.ik_solvers.reach import Reached
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.rollouts.result import Rollout
from linkwright.spatial.arrays import Array

ROW = "row"
"""the name of the first dimension"""

TIME = "time"


class Column(NamedTuple):
    """An output, or a parameter."""

    values: Array
    """(rows, *shape)"""
    dimensions: tuple[str, ...]
    """names of those after the row"""
    unit: str = ""


def columns(result: Any, parameters: Mapping[str, Array], rows: int) -> tuple[dict[str, Column], dict[str, Array]]:
    """The outputs by name, and what is the same in all rows: the times of motions.

    A result is an array (rows, …), a number where there is one row, a mapping of such, a tuple with or without names,
    a dataclass, or a :class:`Motion`, :class:`Rollout` or :class:`Reached` of a batch.
    """
    found, fixed = _taken_apart(result)
    return {name: _checked(name, one, parameters, rows) for name, one in found.items()}, fixed


def _taken_apart(result: Any) -> tuple[dict[str, Column], dict[str, Array]]:
    if isinstance(result, (Motion, Rollout)):
        return _of_motion(result)
    if isinstance(result, Reached):
        units = {"error": "m or rad", "errors": "m or rad"}
        named = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
        return {name: _column(name, x, units.get(name, "")) for name, x in named.items()}, {}
    if isinstance(result, Mapping):
        found, fixed = {}, {}
        for name, x in result.items():
            if isinstance(x, (Motion, Rollout, Reached, Mapping)):
                inner, same = _taken_apart(x)
                found.update({f"{name}_{own}": one for own, one in inner.items()})
                fixed.update(same)
            else:
                found[str(name)] = _column(str(name), x)
        return found, fixed
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        return _taken_apart(result._asdict())
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        named = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
        return _taken_apart({name: x for name, x in named.items() if _is_numbers(x)})
    if isinstance(result, (tuple, list)) and any(np.ndim(x) for x in result):
        return _taken_apart({f"value_{k + 1}": x for k, x in enumerate(result)})
    return {"value": _column("value", result)}, {}


def _of_motion(motion: Motion | Rollout) -> tuple[dict[str, Column], dict[str, Array]]:
    """Samples come second, after the row."""
    found = {}
    for name, part, unit in (("q", "coordinate", ""), ("v", "joint", ""), ("tau", "joint", "N m or N")):
        x = getattr(motion, name)
        if x is not None and x.size:
            found[name] = Column(np.moveaxis(x, 0, -2), (TIME, part), unit)
    if isinstance(motion, Rollout):
        if motion.rewards is not None:
            found["rewards"] = Column(np.moveaxis(motion.rewards, 0, -1), (TIME,))
        for name in ("reward", "steps", "alive", "episodes"):
            if getattr(motion, name) is not None:
                found[name] = _column(name, getattr(motion, name))
    return found, {TIME: motion.t}


def _is_numbers(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, float, int, bool)) and np.asarray(x).dtype.kind in "fiub"


def _column(name: str, x: Any, unit: str = "") -> Column:
    try:
        values = np.asarray(x)
    except ValueError:
        values = np.empty((), dtype=object)
    if values.dtype.kind not in "fiub" or values.dtype.itemsize > 8:
        raise InputError(
            f"the output {name!r} is {type(x).__name__} of {values.dtype}: outputs are numbers, arrays of numbers "
            "(of 8 bytes at most) and truth values, in a dict by their names where there are several"
        )
    return Column(values, tuple(f"{name}_{k}" for k in range(max(0, values.ndim - 1))), unit)


def _checked(name: str, one: Column, parameters: Mapping[str, Array], rows: int) -> Column:
    if one.values.ndim == 0 or len(one.values) != rows:
        shapes = ", ".join(f"{key} {x.shape}" for key, x in parameters.items())
        raise ShapeError(
            f"the function was called with {counted(rows, 'row')} ({shapes}), and returned {name!r} of shape "
            f"{one.values.shape}; expected ({rows}, …). For a function of a single row, pass batched=False"
        )
    return one


def one_row(result: Any) -> tuple[dict[str, Column], dict[str, Array]]:
    """Return the columns of a function of a single row, with a dimension of one row added."""
    found, fixed = _taken_apart(result)
    alone = {}
    for name, one in found.items():
        shape = one.values.shape
        inner = len(shape) - len(one.dimensions)
        dimensions = one.dimensions if not inner else tuple(f"{name}_{k}" for k in range(len(shape)))
        alone[name] = Column(one.values[None], dimensions, one.unit)
    return alone, fixed
