"""Letters of given equations, and differences of their expressions from the derived ones."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from linkwright.errors import InputError, UnknownNameError
from linkwright.expression.polynomials.polynomial import Polynomial, Ring
from linkwright.symbolic.derivation.coordinates import Coordinates
from linkwright.symbolic.derivation.given.expression_parser import Evaluation, Ratio, spelled, trees, whole
from linkwright.symbolic.derivation.plan import DerivationPlan
from linkwright.symbolic.output.notation import (
    FORMS,
    Order,
    Product,
    Sum,
    divisor_of,
    grouped,
    latex_of,
    number_text,
    text_of,
)

TERMS = 100_000
"""Terms that a given expression may have."""
ROUNDING = 1e-12
"""Difference that rounding to 12 digits leaves, of the sum of the coefficients of like terms"""

MOST_TERMS = 2000
"""Terms of an entry that are compared one by one."""


@dataclass(frozen=True)
class TermDifference:
    """A term with other coefficients in the given and the derived expression, zero where it does not occur."""

    term: str
    given: Fraction
    derived: Fraction

    @property
    def text(self) -> str:
        """The term with both coefficients."""
        if not self.given:
            return f"missing: {_with_sign(self.derived, self.term)}"
        if not self.derived:
            return f"not derived: {_with_sign(self.given, self.term)}"
        return f"{self.term}: coefficient {number_text(self.given)}, derived {number_text(self.derived)}"


def _with_sign(coefficient: Fraction, term: str) -> str:
    size = abs(coefficient)
    return "-" * (coefficient < 0) + (term if size == 1 else f"{number_text(size)}*{term}")


@dataclass(frozen=True)
class Difference:
    """A differing entry: the given minus the derived expression, in the shortest form, over a denominator."""

    place: str
    numerator: Sum
    denominator: Sum = ()
    line: int = 1
    """line of the given text"""
    terms: tuple[TermDifference, ...] = ()
    """differing terms, in multiple angles; none of fractions and of expressions with thousands of terms"""

    @property
    def text(self) -> str:
        """The difference as plain text."""
        above, below = text_of(self.numerator), text_of(self.denominator)
        return f"({above})/({below})" if self.denominator else above

    @property
    def latex(self) -> str:
        """The difference in LaTeX."""
        above = latex_of(self.numerator)
        return rf"\frac{{{above}}}{{{latex_of(self.denominator)}}}" if self.denominator else above


class Vocabulary:
    """The ring of all letters of a mechanism, accelerations and efforts too, and what typed names mean in it."""

    def __init__(
        self,
        plan: DerivationPlan,
        coordinates: Coordinates,
        mass: Polynomial,
        passive: Sequence[str],
        names: Mapping[str, Any],
    ):
        self.coordinates = c = coordinates
        self.efforts = tuple(f"tau{k + 1}" for k in range(len(c.v)))
        fours = sum(c.quaternions, ())
        lengths = [name for name in c.q if name not in c.angles and name not in fours]
        parameters = list(dict.fromkeys([*plan.values, *passive]))
        constants = [name for name in parameters if name not in plan.angle_names]
        signs = [f"sign({name})" for name in c.v]
        others = list(dict.fromkeys([*constants, *lengths, *c.v, *c.a, *signs, *self.efforts]))
        self.ring = Ring((*c.angles, *plan.angle_names), c.quaternions, others, TERMS)
        self.order = Order(plan.values, (*c.v, *c.a), self.ring.angles, plan.inertial_names)
        self.parameters = frozenset(parameters)
        self.known = {name: whole(self.ring[name]) for name in (*parameters, *c.q, *c.v, *c.a, *self.efforts)}
        self.mass = self.carried(mass).numerator
        self.rounded = False
        """whether typed numbers are rounded, so that differences as small as rounding leaves count as none"""
        self.known.setdefault(plan.mass_letter, whole(self.mass))
        self.others = self._other_names(plan)
        self.abbreviations: dict[str, str] = {}
        rates: dict[str, str | None] = dict.fromkeys((*c.q, *c.v, *c.a, *signs, *self.efforts))
        rates.update({name: f"{name}_dot" for name in c.q if f"{name}_dot" in c.v}, **dict(zip(c.v, c.a, strict=True)))
        self.evaluation = Evaluation(self.ring, self.named, rates)
        for name, meaning in names.items():  # the user's own words, which go before ours
            left, right = trees(meaning)
            if right is not None:
                raise InputError(
                    f"names has an equation for {name!r}; it takes an expression of letters of the equations"
                )
            self.known[spelled(name)] = self.evaluation.value(left)

    def _other_names(self, plan: DerivationPlan) -> dict[str, str]:
        """Return alternative names of coordinates and their derivatives; single quantities also without number."""
        c, found = self.coordinates, dict[str, str]()
        for k, name in enumerate(c.q, start=1):
            found[f"q{k}"] = name
        for k, (v, a) in enumerate(zip(c.v, c.a, strict=True), start=1):
            both = [(v, ("v{k}",), 1), (a, ("a{k}",), 2)]
            if v.endswith("_dot"):
                tag = c.q.index(v.removesuffix("_dot")) + 1
                word, number = _parted(v.removesuffix("_dot"))
                short = [("th", number)] * (word == "theta")
                for letters in (("q", str(tag)), (word, number), *short):
                    for target, times in ((v, 1), (a, 2)):
                        d = "d" * times
                        dots = f"{d}ot"
                        word, number = letters
                        for shape in (f"{word}{d}{number}", f"{d}{word}{number}", f"{word}{dots}{number}"):
                            found.setdefault(shape, target)
                        for shape in (f"{word}{number}_{dots}", f"{word}{number}{dots}", f"{word}_{dots}{number}"):
                            found.setdefault(shape, target)
                        found.setdefault(f"{word}{number}_{d}", target)
            for target, shapes, _ in both:
                for shape in shapes:
                    found.setdefault(shape.format(k=k), target)
        for name in c.angles:
            found.setdefault(name.replace("theta", "th"), name)
        if len(c.v) == 1 and len(plan.links) == 1:
            for known in [*self.known, *found]:
                if (bare := re.sub(r"1(?=$|_)", "", known, count=1)) != known:
                    found.setdefault(bare, found.get(known, known))
        return {name: target for name, target in found.items() if name not in self.known}

    def has(self, name: str) -> bool:
        """Return whether a name has a meaning."""
        return name in self.known or name in self.others or _without_bars(name) in {*self.known, *self.others}

    def named(self, name: str) -> Ratio:
        """Return the quantity of a given name, also of l_1 for l1; raise :class:`UnknownNameError` if there is none."""
        for one in (name, _without_bars(name)):
            if one in self.known:
                return self.known[one]
            if one in self.others:
                return self.known[self.others[one]]
        if (short := self._abbreviated(name)) is not None:
            return short
        known = {one for one in self.known if one not in self.efforts} | {self.efforts[0] if self.efforts else "g"}
        advice = f'. A letter with another name is defined by names={{"{name:.40}": "…"}}'
        raise UnknownNameError("letter of the equations", name, known, "letters of the equations", advice)

    def _abbreviated(self, name: str) -> Ratio | None:
        """Return the sine or cosine that a name of textbooks abbreviates: c12 is cos(theta1 + theta2)."""
        found = re.fullmatch(r"([cs])([1-9]+)", _without_bars(name))
        angles = [f"theta{digit}" for digit in found[2]] if found else []
        if not found or len({*angles}) < len(angles) or not {*angles} <= {*self.coordinates.angles}:
            return None
        function = {"c": "cos", "s": "sin"}[found[1]]
        self.abbreviations[name] = f"{name} = {function}({' + '.join(angles)})"
        total = self.ring.coerce(sum((self.ring[angle] for angle in angles), self.ring.zero))
        return whole(total.cos() if function == "cos" else total.sin())

    def carried(self, p: Polynomial) -> Ratio:
        """A polynomial of another ring, reciprocals cleared from it."""
        ring, mass = self.ring, getattr(self, "mass", self.ring.one)
        divided = {"1/pi": ring["pi"], **{name: mass for name in p.used() if divisor_of(name)}}
        most = {name: max((dict(factors).get(name, 0) for factors, _ in p), default=0) for name in divided}
        total = ring.zero
        for factors, coefficient in p:
            term, powers = ring.constant(coefficient), dict(factors)
            for name, e in factors:
                if name not in divided:
                    term = term * ring[name] ** e
            for name, divisor in divided.items():
                if missing := most[name] - powers.get(name, 0):
                    term = term * divisor**missing
            total = total + term
        below = ring.one
        for name, divisor in divided.items():
            below = below * divisor ** most[name]
        ring.check()
        return Ratio(total, below)

    def difference(self, place: str, typed: Ratio, ours: Ratio, line: int = 1) -> Difference | None:
        """Typed less ours, None where they are the same."""
        ring = self.ring
        left, right = typed.numerator * ours.denominator, ours.numerator * typed.denominator
        above = left - right
        ring.check()
        if not above or (self.rounded and self._is_rounding(above, left, right)):
            return None
        below = typed.denominator * ours.denominator
        ring.check()
        quotient = ring.quotient(above, below)
        if quotient is None:
            return Difference(place, self.shortest(above), self.shortest(below), line)
        given, derived = ring.quotient(left, below), ring.quotient(right, below)
        terms = self._terms(given, derived) if place and given is not None and derived is not None else ()
        return Difference(place, self.shortest(quotient), (), line, terms)

    def _terms(self, left: Polynomial, right: Polynomial) -> tuple[TermDifference, ...]:
        """The terms with other coefficients; sums of multiple angles are unique."""
        if max(len(left), len(right)) > MOST_TERMS:
            return ()
        given, derived = (
            {one.factors: one.coefficient for one in grouped(p, self.order, "expanded angles")} for p in (left, right)
        )
        found = []
        for factors in dict.fromkeys([*derived, *given]):
            a, b = given.get(factors, Fraction(0)), derived.get(factors, Fraction(0))
            if abs(a - b) > (ROUNDING * max(abs(a), abs(b)) if self.rounded else 0):
                found.append(TermDifference(text_of((Product(Fraction(1), factors),)), a, b))
        return tuple(found)

    def _is_rounding(self, above: Polynomial, left: Polynomial, right: Polynomial) -> bool:
        """Return whether a difference is within the rounding of terms that are equal up to angles."""
        turning = {*(f"{f}({name})" for f in ("cos", "sin") for name in self.ring.angles)}
        turning |= {name for four in self.ring.quaternions for name in four}

        def sizes(*polynomials: Polynomial) -> dict[frozenset[tuple[str, int]], float]:
            found: dict[frozenset[tuple[str, int]], float] = {}
            for factors, coefficient in itertools.chain(*polynomials):
                alike = frozenset(one for one in factors if one[0] not in turning)
                found[alike] = found.get(alike, 0.0) + abs(float(coefficient))
            return found

        whole_sizes = sizes(left, right)
        return all(size <= ROUNDING * whole_sizes.get(alike, 0.0) for alike, size in sizes(above).items())

    def shortest(self, p: Polynomial) -> Sum:
        """In the form whose text is the shortest."""
        return min((grouped(p, self.order, form) for form in FORMS), key=lambda terms: len(text_of(terms)))

    def equation(
        self, left: Ratio, right: Ratio, rows: Sequence[Ratio], wanted: int | None
    ) -> tuple[str, Ratio, Ratio]:
        """Which row a typed equation is, and both sides as what equals the row's effort: typed and ours.

        The equation may be any multiple of the row, with the effort on either side or, where it is zero, nowhere: then
        the row is said to be without effort.
        """
        ring = self.ring
        zero = left.numerator * right.denominator - right.numerator * left.denominator
        ring.check()
        found = [k for k, name in enumerate(self.efforts) if name in zero.used()]
        if len(found) > 1:
            shown = ", ".join(self.efforts[k] for k in found)
            raise InputError(f"only one row is compared, with one effort; the given equation has {shown}")
        if found:
            (k,) = found
            if wanted is not None and wanted != k:
                raise InputError(f"the typed equation has {self.efforts[k]}, not that of row {wanted + 1}")
            slope = ring.derivative(zero, self.efforts[k])
            if self.efforts[k] in slope.used():
                raise InputError(f"the typed equation is not linear in {self.efforts[k]}")
            rest = ring.put(zero, {self.efforts[k]: 0})
            return f"tau[{k + 1}]", Ratio(-rest, slope), rows[k]
        options = [wanted] if wanted is not None else list(range(len(rows)))
        scaled = [(k, self._scaled(zero, rows[k])) for k in options]
        for k, one in scaled:
            if self.difference("", one, rows[k]) is None:
                return self._free(k), one, rows[k]
        if len(scaled) > 1:
            raise InputError(
                f"the typed equation has no effort (tau1 …) and is no multiple of any of the {len(rows)} rows; "
                'give the row, what="tau[1]"'
            )
        k, one = scaled[0]
        return self._free(k), one, rows[k]

    def _free(self, k: int) -> str:
        """The name of a row of motion without efforts."""
        return f"tau[{k + 1}] with {self.efforts[k]} = 0"

    def _scaled(self, zero: Polynomial, row: Ratio) -> Ratio:
        """A left side times what makes the first acceleration that both have stand before the same factor."""
        ring = self.ring
        for name in self.coordinates.a:
            a, b = ring.derivative(zero, name), ring.derivative(row.numerator, name)
            if a and b and name not in a.used():
                return Ratio(zero * b, row.denominator * a)
        return whole(zero)


def _parted(name: str) -> tuple[str, str]:
    """theta12 as theta and 12."""
    found = re.fullmatch(r"([A-Za-z]+)(.*)", name)
    assert found
    return found[1], found[2]


def _without_bars(name: str) -> str:
    """l_1 and l_g2 as l1 and lg2, theta_1_dot as theta1_dot."""
    base, dots = re.fullmatch(r"(.*?)(_d{1,2}ot)?", name, re.DOTALL).groups()  # type: ignore[union-attr]
    return base.replace("_", "") + (dots or "")
