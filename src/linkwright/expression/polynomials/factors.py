"""Determinants and factors of exact polynomials in sines and cosines.

Modulo c² + s² = 1 a product of two factors is not recognizable: c² became 1 − s². In half angles it is:
c = u² − t², s = 2 t u and 1 = t² + u² with t = sin(θ/2), u = cos(θ/2) give a form in t and u without relations, whose
factors are unique (Gauss). Factors of even degree are polynomials in c and s; factors of odd degree, such as the t
and u of a sine, are combined in pairs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Any, NamedTuple

import flint
import numpy as np

from linkwright.expression.polynomials.polynomial import Polynomial, Ring


class Factored(NamedTuple):
    """Product of powers; a zero polynomial has the coefficient 0 and no factors."""

    coefficient: Fraction
    factors: tuple[tuple[Polynomial, int], ...]

    def product(self, ring: Ring) -> Polynomial:
        """Return the expanded product."""
        whole = ring.constant(self.coefficient)
        for factor, power in self.factors:
            whole = whole * factor**power
        ring.check()
        return whole


def determinant(ring: Ring, A: np.ndarray) -> Polynomial:
    """Return the determinant of a matrix (n, n) of elements, by minors of its last rows, each computed once."""
    n = len(A)

    @cache
    def minor(columns: tuple[int, ...]) -> Polynomial:
        row = A[n - len(columns)] if columns else ()
        total = ring.zero if columns else ring.one
        for k, column in enumerate(columns):
            if bool(row[column]):
                below = minor(columns[:k] + columns[k + 1 :])
                total = total + row[column] * below if k % 2 == 0 else total - row[column] * below
        return total

    found = minor(tuple(range(n)))
    ring.check()
    return found


def factored(p: Polynomial) -> Factored:
    """Return the factors of an element, each with integer coefficients without a common divisor."""
    if not bool(p):
        return Factored(Fraction(0), ())
    halves = _Halves(p)
    even: list[tuple[_HalfAngleForm, int]] = []
    odd: list[tuple[_HalfAngleForm, int]] = []
    for factor, power in halves.factors():
        (odd if any(halves.parity(factor)) else even).append((factor, power))
    single: list[_HalfAngleForm] = []
    while odd:  # a sine is a product of t and u; else two equal factors form a square
        factor, power = odd.pop()
        partner = next((k for k, (other, _) in enumerate(odd) if halves.parity(other) == halves.parity(factor)), None)
        if partner is not None:
            other, times = odd.pop(partner)
            shared = min(power, times)
            even.append((halves.product(factor, other), shared))
            odd += [(one, n - shared) for one, n in ((factor, power), (other, times)) if n > shared]
        else:
            even += [(halves.product(factor, factor), power // 2)] * (power > 1)
            single += [factor] * (power % 2)
    while single:  # factors without a partner are combined with the next
        factor = single.pop()
        if any(halves.parity(factor)):
            single.append(halves.product(factor, single.pop()))
        else:
            even.append((factor, 1))
    elements = [(halves.back(factor), power) for factor, power in even]
    made = [(_primitive(element), power) for element, power in elements if element.used()]
    made.sort(key=lambda one: (len(one[0]), -one[1], repr(one[0])))
    product = Factored(Fraction(1), tuple(made)).product(p.ring)
    (leading, c), *_ = product
    ratio = next((x for factors, x in p if factors == leading), Fraction(0)) / c
    found = Factored(ratio, tuple(made))
    return found if found.product(p.ring) == p else Factored(Fraction(1), ((p, 1),))


class _HalfAngleForm(NamedTuple):
    """Form in t and u of half angles: its polynomial at u = 1, and its degree in each angle."""

    terms: Any
    degrees: tuple[int, ...]


class _Halves:
    """Element as a form in sines t and cosines u of half angles, at u = 1."""

    def __init__(self, p: Polynomial):
        self.ring, names = p.ring, p.used()
        self.angles = [a for a in p.ring.angles if names & {f"cos({a})", f"sin({a})"}]
        self.others = [n for n in p.ring.names if n in names and not n.startswith(("cos(", "sin("))]
        self.context = flint.fmpq_mpoly_ctx.get(
            [f"y{k}" for k in range(len(self.angles) + len(self.others))], flint.Ordering.lex
        )
        self.variables = dict(zip([*self.angles, *self.others], self.context.gens(), strict=True))
        terms = [(dict(factors), c) for factors, c in p]
        degrees = {a: max(self._trig(factors, a)[2] for factors, _ in terms) for a in self.angles}
        whole = self.context.constant(0)
        for factors, c in terms:
            term = self.context.constant(flint.fmpq(c.numerator, c.denominator))
            for a, degree in degrees.items():
                cosine, sine, power = self._trig(factors, a)
                t = self.variables[a]
                term = term * (1 - t**2) ** cosine * (2 * t) ** sine * (1 + t**2) ** (degree - power)
            for name in self.others:
                term = term * self.variables[name] ** factors.get(name, 0)
            whole = whole + term
        self.form = _HalfAngleForm(whole, tuple(2 * degrees[a] for a in self.angles))

    @staticmethod
    def _trig(factors: dict[str, int], angle: str) -> tuple[int, int, int]:
        cosine, sine = factors.get(f"cos({angle})", 0), factors.get(f"sin({angle})", 0)
        return cosine, sine, cosine + sine

    def factors(self) -> list[tuple[_HalfAngleForm, int]]:
        """Return the factors of the form with their powers, without t² + u² = 1; powers of u follow from the degree."""
        left = list(self.form.degrees)
        found: list[tuple[_HalfAngleForm, int]] = []
        for terms, power in self.form.terms.factor()[1]:
            degrees = tuple(int(n) for n in terms.degrees()[: len(self.angles)])
            left = [n - m * int(power) for n, m in zip(left, degrees, strict=True)]
            if not any(terms == self.variables[a] ** 2 + 1 for a in self.angles):
                found.append((_HalfAngleForm(terms, degrees), int(power)))
        unit = self.context.constant(1)
        places = range(len(self.angles))
        return found + [(_HalfAngleForm(unit, tuple(int(j == k) for j in places)), n) for k, n in enumerate(left) if n]

    @staticmethod
    def parity(form: _HalfAngleForm) -> tuple[int, ...]:
        """Return the parity of the degree in each angle."""
        return tuple(n % 2 for n in form.degrees)

    @staticmethod
    def product(one: _HalfAngleForm, other: _HalfAngleForm) -> _HalfAngleForm:
        """Return the product of two forms."""
        return _HalfAngleForm(one.terms * other.terms, tuple(map(sum, zip(one.degrees, other.degrees, strict=True))))

    def back(self, form: _HalfAngleForm) -> Polynomial:
        """Return a form of even degrees as an element, up to a power of two."""
        total = self.ring.zero
        for exponents, c in form.terms.terms():
            term = self.ring.constant(Fraction(int(c.p), int(c.q)))
            sines, powers = exponents[: len(self.angles)], exponents[len(self.angles) :]
            for angle, e, degree in zip(self.angles, sines, form.degrees, strict=True):
                term = term * self._whole(angle, int(e), degree)
            for name, e in zip(self.others, powers, strict=True):
                term = term * self.ring[name] ** int(e)
            total = total + term
        self.ring.check()
        return total

    def _whole(self, angle: str, sines: int, degree: int) -> Polynomial:
        """Return t^j u^(d − j) in the whole angle, t² = (1 − c)/2, u² = (1 + c)/2, t u = s/2; without the factors ½."""
        c, s = self.ring[f"cos({angle})"], self.ring[f"sin({angle})"]
        result = s if sines % 2 else self.ring.one
        return result * (1 - c) ** (sines // 2) * (1 + c) ** ((degree - sines) // 2)


def _primitive(p: Polynomial) -> Polynomial:
    """Return the element divided by its content, with a positive first coefficient."""
    numbers = [c for _, c in p]
    content = Fraction(gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers)))
    return p * (1 / content if numbers[0] > 0 else -1 / content)
