"""Quantities of the whole mechanism: those divided by the total mass m, as in books.

m is a sum of names, and its reciprocal no polynomial: the reciprocal is a separate variable, whose product with m is
not simplified to 1. Terms without moments of inertia are therefore brought to a common denominator.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from linkwright.expression.polynomials.polynomial import Polynomial, Ring

MASS = "m"
"""Letter of the total mass, unless it is a symbol of the model."""


def letter_of_mass(names: Container[str]) -> str:
    """Return the letter of the total mass, which no parameter has."""
    letter = MASS
    while letter in names:
        letter = "m_total" if letter == MASS else f"{letter}_"
    return letter


def over_mass(array: np.ndarray, mass: Polynomial, reciprocal: str) -> np.ndarray:
    """Every entry as a part that is not divided by the mass, of terms with inertias, and one that is."""
    made = np.empty(array.shape, dtype=object)
    for place in np.ndindex(*array.shape):
        made[place] = _over_one(array.item(*place), mass, reciprocal)
    return made


def _over_one(p: Polynomial, mass: Polynomial, reciprocal: str) -> Polynomial:
    ring = p.ring
    if reciprocal not in p.used():
        return p
    divided = ring.derivative(p, reciprocal)  # it stands to the first power
    rest = ring.put(p, {reciprocal: 0})
    inertial = _with_inertias(ring, rest)
    whole = (rest - inertial) * mass + divided
    quotient = ring.quotient(whole, mass)
    made: Polynomial = inertial + (whole * ring[reciprocal] if quotient is None else quotient)
    ring.check()
    return made


def _with_inertias(ring: Ring, p: Polynomial) -> Polynomial:
    """The terms that hold moments or products of inertia."""
    return p - ring.put(p, {name: 0 for name in p.used() if name.startswith("I")})
