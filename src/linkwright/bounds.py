"""Checks of scalar arguments: one function for each kind of bound.

Every check returns the value, or raises :class:`~linkwright.errors.InputError` with the accepted range and the given
value.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError


def whole_number(name: str, given: Any, least: int | None = None, most: int | None = None) -> int:
    """Return an integer from `least` to `most`; booleans are rejected."""
    number = _scalar(given)
    number = number if isinstance(number, (int, np.integer)) and not isinstance(number, bool) else None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        span = f" from {least} to {most}" if most is not None else f" from {least} on" if least is not None else ""
        raise InputError(f"{name} is a whole number{span}; got {given!r}")
    return int(number)


def truth(name: str, given: Any) -> bool:
    """Return a boolean; raise :class:`~linkwright.errors.ArgumentError` for any other value."""
    if not isinstance(given, (bool, np.bool_)):
        raise ArgumentError(f"{name} is True or False; got {given!r}")
    return bool(given)


def finite_number(name: str, given: Any, unit: str = "") -> float:
    """Return a finite number; booleans are rejected."""
    return _number(name, given, "a finite number", unit, -math.inf, math.inf, ends=False)


def positive(name: str, given: Any, unit: str = "") -> float:
    """Return a finite number greater than zero."""
    return _number(name, given, "a positive number", unit, 0.0, math.inf, ends=False)


def not_negative(name: str, given: Any, unit: str = "") -> float:
    """Return a finite number that is zero or greater."""
    return at_least(name, given, 0.0, unit)


def at_least(name: str, given: Any, least: float, unit: str = "") -> float:
    """Return a finite number that is `least` or greater."""
    return _number(name, given, f"a number from {least:g} on", unit, least, math.inf)


def between(name: str, given: Any, least: float, most: float, unit: str = "") -> float:
    """Return a finite number from `least` to `most`, inclusive."""
    return _number(name, given, f"a number from {least:g} to {most:g}", unit, least, most)


def _number(name: str, given: Any, expected: str, unit: str, least: float, most: float, ends: bool = True) -> float:
    number, scalar = math.nan, _scalar(given)
    if isinstance(scalar, (int, float, np.integer, np.floating)) and not isinstance(scalar, bool):
        with suppress(OverflowError):  # 10**400
            number = float(scalar)
    within = least <= number <= most if ends else least < number < most
    if not (math.isfinite(number) and within):
        raise InputError(f"{name} is {expected}{f' ({unit})' if unit else ''}; got {given!r}")
    return number


def _scalar(given: Any) -> Any:
    """Return the entry of a zero-dimensional array, and exact numbers of SymPy as numbers; other objects unchanged."""
    entry: Any = given[()] if isinstance(given, np.ndarray) and not given.ndim else given
    if isinstance(entry, (int, float)) or getattr(entry, "is_comparable", None) is not True:
        return entry
    return int(entry) if entry.is_Integer else float(entry)
