"""Checks of single numbers, by what they may be: one function for each kind of bound.

Every check returns the number and raises :class:`~linkwright.errors.InputError` with what was expected and given.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np

from linkwright.errors import InputError


def whole_number(name: str, given: Any, least: int | None = None, most: int | None = None) -> int:
    """A whole number from `least` to `most`; True and False are none."""
    number = given if isinstance(given, (int, np.integer)) and not isinstance(given, bool) else None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        span = f" from {least} to {most}" if most is not None else f" from {least} on" if least is not None else ""
        raise InputError(f"{name} is a whole number{span}; got {given!r}")
    return int(number)


def finite_number(name: str, given: Any, unit: str = "") -> float:
    """A finite number; True and False are none."""
    return _number(name, given, "a finite number", unit, -math.inf, math.inf, ends=False)


def positive(name: str, given: Any, unit: str = "") -> float:
    """A finite number above zero."""
    return _number(name, given, "a positive number", unit, 0.0, math.inf, ends=False)


def not_negative(name: str, given: Any, unit: str = "") -> float:
    """A finite number, zero or more."""
    return _number(name, given, "a number from 0 on", unit, 0.0, math.inf)


def between(name: str, given: Any, least: float, most: float, unit: str = "") -> float:
    """A finite number from `least` to `most`, both included."""
    return _number(name, given, f"a number from {least:g} to {most:g}", unit, least, most)


def _number(name: str, given: Any, expected: str, unit: str, least: float, most: float, ends: bool = True) -> float:
    number = math.nan
    if isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool):
        with suppress(OverflowError):  # 10**400
            number = float(given)
    within = least <= number <= most if ends else least < number < most
    if not (math.isfinite(number) and within):
        raise InputError(f"{name} is {expected}{f' ({unit})' if unit else ''}; got {given!r}")
    return number
