"""Quantities of the whole mechanism: those divided by the total mass m, as in books.

m is a sum of names, and its reciprocal no polynomial: the reciprocal is a separate variable, whose product with m is
not simplified to 1. Terms without moments of inertia are therefore brought to a common denominator.
"""

from __future__ import annotations

import numpy as np

from linkwright.expression.polynomials.polynomial import Polynomial, Ring

MASS, RECIPROCAL = "m", "1/m"
"""the letter of the total mass, where it is no number, and the variable that stands for one by it"""


def over_mass(array: np.ndarray, mass: Polynomial) -> np.ndarray:
    """Every entry as a part that is not divided by the mass, of terms with inertias, and one that is."""
    made = np.empty(array.shape, dtype=object)
    for place in np.ndindex(*array.shape):
        made[place] = _over_one(array.item(*place), mass)
    return made


def _over_one(p: Polynomial, mass: Polynomial) -> Polynomial:
    ring = p.ring
    if RECIPROCAL not in p.used():
        return p
    divided = ring.derivative(p, RECIPROCAL)  # it stands to the first power
    rest = ring.put(p, {RECIPROCAL: 0})
    inertial = _with_inertias(ring, rest)
    whole = (rest - inertial) * mass + divided
    quotient = ring.quotient(whole, mass)
    made: Polynomial = inertial + (whole * ring[RECIPROCAL] if quotient is None else quotient)
    ring.check()
    return made


def _with_inertias(ring: Ring, p: Polynomial) -> Polynomial:
    """The terms that hold moments or products of inertia."""
    return p - ring.put(p, {name: 0 for name in p.used() if name.startswith("I")})
