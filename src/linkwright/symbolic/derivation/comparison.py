"""Comparison of given equations with derived ones: an exact identity of polynomials in normal form.

Given equations may contain fractions; n/d equals a polynomial p if n − d p is zero: the ring of sines and cosines
modulo c² + s² = 1 has no divisors of zero. If given numbers have as many digits as printed equations, they are treated
as rounded: n − d p may then be as small as rounding leaves it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, LinkwrightError, UnknownNameError
from linkwright.expression.polynomial import Polynomial, Ring
from linkwright.symbolic.derivation.coordinates import Coordinates
from linkwright.symbolic.derivation.expression_parser import (
    Evaluation,
    Ratio,
    SyntaxNode,
    has_rounded_number,
    names_in,
    spelled,
    trees,
    whole,
)
from linkwright.symbolic.derivation.plan import DerivationPlan
from linkwright.symbolic.derivation.quantities import QUANTITIES, Quantity
from linkwright.symbolic.derivation.statements import EquationText, Statement, equation_text, flat, place_of
from linkwright.symbolic.derivation.total_mass import MASS, RECIPROCAL
from linkwright.symbolic.output.notation import FORMS, Order, Product, Sum, grouped, latex_of, number_text, text_of

if TYPE_CHECKING:
    from linkwright.symbolic.forms import ExactForms

Sides = tuple[SyntaxNode, SyntaxNode | None]
TERMS = 100_000
"""Terms that a given expression may have."""
ROUNDING = 1e-12
"""Difference that rounding to 12 digits leaves, of the sum of the coefficients of like terms"""

ROW_TERMS = ("M", "C", "h", "g", "D", "K")
"""Terms of an equation of motion."""

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


@dataclass(frozen=True)
class Comparison:
    """Result of a comparison, with the differing entries; true if there are none."""

    compared: tuple[str, ...]
    """entries (M[1,2]) and equations (tau[1])"""
    differences: tuple[Difference, ...]
    lines: tuple[int, ...] = ()
    """line of the given text for each of :attr:`compared`"""
    left_out: tuple[int, ...] = ()
    """lines that state no equation to compare: headers of functions, values of parameters"""
    defined: tuple[str, ...] = ()
    """names that the text defines and uses, such as c2 = cos(q2)"""
    abbreviations: tuple[str, ...] = ()
    """"c12 = cos(theta1 + theta2)", sines and cosines that the text uses without a definition"""

    def __bool__(self) -> bool:
        return not self.differences

    def text(self) -> str:
        """A line for everything compared: whether it is the same, or typed less ours."""
        found = {(one.place, one.line): one.text for one in self.differences}
        return "\n".join(
            f"{place}: typed less ours is {found[place, line]}" if (place, line) in found else f"{place}: the same"
            for place, line in zip(self.compared, self.lines, strict=True)
        )

    __str__ = text

    def __repr__(self) -> str:
        return f"<Comparison: {self.text()}>"


def compare(
    made: ExactForms,
    typed: Any,
    what: str | None,
    terms: str,
    frame: str | None,
    reference_frame: Any,
    names: Mapping[str, Any],
) -> Comparison:
    """See :meth:`linkwright.Equations.same_as`."""
    if not isinstance(names, Mapping):
        raise ArgumentError(f"names is a dict of meanings by letter, {{'a1': 'l1'}}; got {names!r:.200}")
    mechanism = made._framed(frame)
    _equation_terms(made, terms)
    vocabulary = Vocabulary(mechanism.plan, made.coordinates, mechanism.mass, made.passive_names, names)
    if what is None and isinstance(typed, str):
        given = equation_text(typed, vocabulary.has)
    else:
        if what is None:
            trees(typed)  # an expression of SymPy, no matrix
        place = ("", ()) if what is None else place_of(what) or (what, ())
        given = EquationText([Statement(1, *place, typed)], 1, ())
    if not given.statements:
        raise InputError("there is nothing given to compare")
    return _TextComparison(made, vocabulary, terms, frame, reference_frame, given).result()


class _TextComparison:
    """The comparison of the statements of a text, one after the other."""

    def __init__(
        self,
        made: ExactForms,
        vocabulary: Vocabulary,
        terms: str,
        frame: str | None,
        reference_frame: Any,
        given: EquationText,
    ):
        self.made, self.vocabulary, self.given = made, vocabulary, given
        self.terms, self.frame, self.reference_frame = terms, frame, reference_frame
        self.compared: list[tuple[str, int]] = []
        self.differences: list[Difference] = []
        self.left_out = list(given.left_out)
        self.defined: list[str] = []

    def result(self) -> Comparison:
        read = []
        for one in self.given.statements:
            with self.at(one.line):
                read.append((one, [trees(entry, self.given.first) for entry in flat(one.typed)]))
        sides = [side for _, entries in read for pair in entries for side in pair if side]
        self.vocabulary.rounded = any(map(has_rounded_number, sides))
        uses = [{name for pair in entries for side in pair if side for name in names_in(side)} for _, entries in read]
        for k, (one, entries) in enumerate(read):
            with self.at(one.line):
                if one.letter and one.letter != "tau":
                    if not self.energy(one, entries):
                        self.quantity(one, entries)
                elif one.letter or not self.is_definition(one, entries, uses[k + 1 :]):
                    self.rows(one, entries)
        if not self.compared:
            raise InputError("there is nothing given to compare: the text has definitions and values only")
        places, lines = zip(*self.compared, strict=True)
        return Comparison(
            places,
            tuple(self.differences),
            lines,
            tuple(sorted({*self.left_out})),
            tuple(self.defined),
            tuple(self.vocabulary.abbreviations.values()),
        )

    @contextmanager
    def at(self, line: int) -> Iterator[None]:
        """Say in errors which line of several it is."""
        try:
            yield
        except LinkwrightError as error:
            if len(self.given.statements) > 1:
                error.args = (f"line {line}: {error}",)
            raise

    def report(self, line: int, place: str, one: Ratio, ours: Ratio) -> None:
        self.compared.append((place, line))
        if (found := self.vocabulary.difference(place, one, ours, line)) is not None:
            self.differences.append(found)

    def is_definition(self, one: Statement, entries: list[Sides], later: list[set[str]]) -> bool:
        """Whether it defines a name for what follows, c2 = cos(q2), or gives a parameter a value, which is left out."""
        (left, right), *more = entries
        if more or right is None or left.operation != "name":
            return False
        (name,), vocabulary = left.of, self.vocabulary
        if vocabulary.has(name):
            if name in vocabulary.parameters and not {*names_in(right)} - {"pi"}:
                self.left_out.append(one.line)
                return True
            return False
        if not any(name in names for names in later):
            return False
        vocabulary.known[name] = vocabulary.evaluation.value(right)
        self.defined.append(name)
        return True

    def energy(self, one: Statement, entries: list[Sides]) -> bool:
        """Compare an energy in the letters of textbooks, and return whether it is one.

        L is the Lagrangian, where it is one expression: the angular momentum has three entries. Without springs K is
        the kinetic energy, and K1 that of the first link, as U1 is its potential energy.
        """
        if not entries:
            return False
        (left, right), *more = entries
        if more or right is not None or not isinstance(one.typed, str) or len(one.indices) > 1:
            return False
        if not any(True for _ in names_in(left)):  # K = 0: there are no springs
            return False
        if one.letter == "L" and not one.indices:
            name, ours = "L", self._energy("kinetic_energy") - self._energy("potential_energy")
        elif one.letter == "K" and not one.indices and self._has_no_springs:
            name, ours = "K", self._energy("kinetic_energy")
        elif (one.letter == "K" and self._has_no_springs) or (one.letter == "U" and one.indices):
            name, ours = f"{one.letter}{one.indices[0]}", self._link_energy(one.letter, one.indices[0])
        else:
            return False
        value = self.vocabulary.evaluation.value(left)
        self.report(one.line, name, value, self.vocabulary.carried(ours))
        if not self.vocabulary.has(name):
            self.vocabulary.known[name] = value  # for what follows: L = K1 + K2 - U1 - U2
        return True

    @property
    def _has_no_springs(self) -> bool:
        model = self.made.model
        return not (model.springs or model.compensated_weights) and not any(
            joint.stiffness.any() for joint in model.joints
        )

    def _energy(self, name: str) -> Polynomial:
        found: Polynomial = self.made.polynomials(name).item()
        return found

    def _link_energy(self, letter: str, number: int) -> Polynomial:
        if self.made.substituted or self.made.grouping:
            raise InputError(
                f"{letter}{number} is the energy of a link, of equations in the coordinates of the mechanism and "
                "without base parameters"
            )
        bodies = self.made.derivation.bodies
        if not 1 <= number <= len(bodies):
            raise InputError(f"links are {letter}1 to {letter}{len(bodies)}; got {letter}{number}")
        body = bodies[number - 1]
        return body.kinetic_energy if letter == "K" else body.potential_energy

    def quantity(self, one: Statement, entries: list[Sides]) -> None:
        """Compare an entry or all entries of a quantity."""
        if one.letter not in QUANTITIES:
            raise InputError(f"there is no {one.letter!r}; there are tau (the equations) and {', '.join(QUANTITIES)}")
        quantity, vocabulary = QUANTITIES[one.letter], self.vocabulary
        own = self.frame if quantity.framed else None
        array = self.made.polynomials(quantity.name, own, self.reference_frame)
        places = _places(array, one.letter, one.indices)
        if isinstance(one.typed, str):
            entries = entries * len(places)
        if len(entries) != len(places):
            raise InputError(f"{one.letter} has {len(places)} entries; {len(entries)} were given")
        for place, (left, right) in zip(places, entries, strict=True):
            shown = ",".join(str(k + 1) for k in place)
            name = f"{one.letter}[{shown}]" if shown else one.letter
            if right is not None:
                raise InputError(f"{name} is compared with an expression; got an equation")
            value = vocabulary.evaluation.value(left)
            self.report(one.line, name, value, vocabulary.carried(array[place]))
            if not shown and not vocabulary.has(name):
                vocabulary.known[name] = value  # an energy, for what follows

    def rows(self, one: Statement, entries: list[Sides]) -> None:
        """Compare equations of motion: one, or with tau = [...] all rows."""
        vocabulary, n = self.vocabulary, len(self.made.coordinates.v)
        if len(entries) > 1 and len(entries) != n:
            raise InputError(f"tau has {n} entries; {len(entries)} were given")
        for k, (left, right) in enumerate(entries, start=1):
            indices = (k,) if len(entries) > 1 else one.indices
            if right is None and not indices and n > 1:
                raise InputError('it is unknown which row it is: write its effort (tau1 = …), or give what="tau[1]"')
            if right is None:  # the effort is what was typed
                wanted = indices[0] if indices else 1
                left, right = SyntaxNode("name", (f"tau{wanted}",)), left
            both = vocabulary.evaluation.value(left), vocabulary.evaluation.value(right)
            if vocabulary.difference("", *both) is None:
                self.compared.append(("an identity", one.line))
                continue
            rows = _rows(self.made, vocabulary, self.terms)
            row = _row(indices, len(rows))
            self.report(one.line, *vocabulary.equation(*both, rows, row))


def _row(indices: tuple[int, ...], n: int) -> int | None:
    if indices and (len(indices) != 1 or not 1 <= indices[0] <= n):
        raise InputError(f"rows are tau[1] to tau[{n}]; got tau[{','.join(map(str, indices))}]")
    return indices[0] - 1 if indices else None


def _places(array: np.ndarray, letter: str, indices: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the indices of the requested entries: one, or all."""
    if not indices:
        return list(np.ndindex(*array.shape))
    if len(indices) != array.ndim or not all(1 <= k <= n for k, n in zip(indices, array.shape, strict=True)):
        size = " x ".join(map(str, array.shape)) or "one entry"
        raise InputError(f"{letter} has {size}; got {letter}[{','.join(map(str, indices))}]")
    return [tuple(k - 1 for k in indices)]


def _equation_terms(made: ExactForms, terms: str) -> list[Quantity]:
    """Return the terms of a row; raise :class:`InputError` for letters that are no terms."""
    if not isinstance(terms, str):
        raise ArgumentError(f"terms lists letters, as 'M,h,g'; got {terms!r:.200}")
    letters = [letter.strip() for letter in terms.split(",")]
    if terms != "all" and (unknown := [letter for letter in letters if letter not in ROW_TERMS]):
        raise InputError(f"the terms of an equation are {', '.join(ROW_TERMS)}; got {unknown[0]!r:.50}")
    found = made._chosen(terms, None)
    return [quantity for quantity in found if quantity.letter in ROW_TERMS]


def _rows(made: ExactForms, vocabulary: Vocabulary, terms: str) -> list[Ratio]:
    """Return the right-hand side of the efforts, M v̇ and the other terms, row by row."""
    ring, c = vocabulary.ring, made.coordinates
    total = [whole(ring.zero) for _ in c.v]
    for quantity in _equation_terms(made, terms):
        factors = {"M": c.a, "C": c.v}.get(quantity.letter)
        for k, row in enumerate(made.polynomials(quantity.name)):
            parts = [total[k]]
            if factors is None:
                parts.append(vocabulary.carried(row))
            else:
                for p, name in zip(row, factors, strict=True):
                    own = vocabulary.carried(p)
                    parts.append(Ratio(own.numerator * ring[name], own.denominator))
            total[k] = vocabulary.evaluation.sum(parts)
    return total


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
        self.order = Order(plan.values, (*c.v, *c.a), self.ring.angles)
        self.parameters = frozenset(parameters)
        self.known = {name: whole(self.ring[name]) for name in (*parameters, *c.q, *c.v, *c.a, *self.efforts)}
        self.mass = self.carried(mass).numerator
        self.rounded = False
        """whether typed numbers are rounded, so that differences as small as rounding leaves count as none"""
        if MASS not in self.known:
            self.known[MASS] = whole(self.mass)
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
        ring, divided = self.ring, {"1/pi": self.ring["pi"], RECIPROCAL: getattr(self, "mass", self.ring.one)}
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
