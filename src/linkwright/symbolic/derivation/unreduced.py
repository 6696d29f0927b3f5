"""Lagrange's equations of mechanisms in a plane as they are differentiated, without trigonometric identities.

The sine and the cosine of each sum of angles, as positions have them, are independent variables: sin² + cos² stays, and
sin θ1 sin(θ1 + θ2) is no cos θ2. This is what ``ratsimp`` of Maxima leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from linkwright.errors import InputError
from linkwright.expression.polynomials.harmonics import Atom, HarmonicTerm, Powers, Wave, terms_of
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism

FreePolynomial = dict[Powers, Fraction]
"""Coefficients by products of variables, of which the waves are independent."""


class UnreducedForms(NamedTuple):
    """The quantities in unreduced form, by their letters."""

    M: list[list[FreePolynomial]]
    h: list[FreePolynomial]
    g: list[FreePolynomial]
    E: FreePolynomial
    U: FreePolynomial


def unreduced_forms(mechanism: LagrangianMechanism) -> UnreducedForms:
    """Derive the equations from positions and energies; raise :class:`InputError` outside of a plane."""
    names = mechanism.coordinates
    if not mechanism.plan.planar or names.v != tuple(f"{name}_dot" for name in names.q):
        raise InputError(
            "the unreduced form is of mechanisms in a plane whose velocities are the rates of their coordinates; "
            "'expanded' is the form without brackets of all mechanisms"
        )
    found, ring = mechanism.lagrange, mechanism.ring
    rates = dict(zip(names.q, names.v, strict=True))
    kinetic, potential = found.kinetic_energy, _free(found.potential_energy)
    E: FreePolynomial = {}
    for body, link in zip(found.bodies, mechanism.model.links, strict=True):
        mass = ring.coerce(link.rigid_inertia.mass)
        kinetic = kinetic - mass * (body.velocity @ body.velocity) * Fraction(1, 2)
        for position in body.position:
            velocity = _rate(_free(position), rates)
            E = _sum([E, _product(_product(velocity, velocity), _free(mass * Fraction(1, 2)))])
    ring.check()
    E = _sum([E, _free(ring.coerce(kinetic))])  # of rotation
    momenta = [_derivative(E, v) for v in names.v]
    M = [[_derivative(p, v) for v in names.v] for p in momenta]
    h = [_sum([_rate(p, rates), _negative(_derivative(E, q))]) for p, q in zip(momenta, names.q, strict=True)]
    return UnreducedForms(M, h, [_derivative(potential, q) for q in names.q], E, potential)


def harmonic_terms(p: FreePolynomial) -> list[HarmonicTerm]:
    """Return the terms of a polynomial."""
    return [HarmonicTerm(coefficient, factors) for factors, coefficient in p.items()]


def _free(p: Polynomial) -> FreePolynomial:
    return _sum({_sorted(term.factors): term.coefficient} for term in terms_of(p))


def _sorted(factors: Iterable[tuple[Atom, int]]) -> Powers:
    merged: dict[Atom, int] = {}
    for atom, e in factors:
        merged[atom] = merged.get(atom, 0) + e
    return tuple(
        sorted(((atom, e) for atom, e in merged.items() if e), key=lambda one: (isinstance(one[0], Wave), one))
    )


def _sum(parts: Iterable[FreePolynomial]) -> FreePolynomial:
    total: FreePolynomial = {}
    for part in parts:
        for factors, coefficient in part.items():
            total[factors] = total.get(factors, Fraction(0)) + coefficient
    return {factors: coefficient for factors, coefficient in total.items() if coefficient}


def _negative(p: FreePolynomial) -> FreePolynomial:
    return {factors: -coefficient for factors, coefficient in p.items()}


def _product(p: FreePolynomial, q: FreePolynomial) -> FreePolynomial:
    return _sum({_sorted((*a, *b)): x * y} for a, x in p.items() for b, y in q.items())


def _derivative(p: FreePolynomial, name: str) -> FreePolynomial:
    """By a variable, also through sines and cosines of sums with it."""
    parts: list[FreePolynomial] = []
    for factors, coefficient in p.items():
        for k, (atom, e) in enumerate(factors):
            others: list[tuple[Atom, int]] = [*factors[:k], (atom, e - 1), *factors[k + 1 :]]
            if isinstance(atom, Wave):
                if times := dict(atom.angles).get(name, 0):
                    turned: Any = Wave("sin" if atom.function == "cos" else "cos", atom.angles)
                    sign = -1 if atom.function == "cos" else 1
                    parts.append({_sorted((*others, (turned, 1))): sign * coefficient * e * times})
            elif atom == name:
                parts.append({_sorted(others): coefficient * e})
    return _sum(parts)


def _rate(p: FreePolynomial, rates: dict[str, str]) -> FreePolynomial:
    """By time, at constant velocities."""
    return _sum(_product(_derivative(p, name), {((rate, 1),): Fraction(1)}) for name, rate in rates.items())
