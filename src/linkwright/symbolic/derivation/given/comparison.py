"""Comparison of given equations with derived ones: an exact identity of polynomials in normal form.

Given equations may contain fractions; n/d equals a polynomial p if n − d p is zero: the ring of sines and cosines
modulo c² + s² = 1 has no divisors of zero. If given numbers have as many digits as printed equations, they are treated
as rounded: n − d p may then be as small as rounding leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, LinkwrightError
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.symbolic.derivation.given.expression_parser import (
    Ratio,
    SyntaxNode,
    has_rounded_number,
    names_in,
    trees,
    whole,
)
from linkwright.symbolic.derivation.given.statements import EquationText, Statement, equation_text, flat, place_of
from linkwright.symbolic.derivation.given.vocabulary import Difference, Vocabulary
from linkwright.symbolic.derivation.quantities import QUANTITIES, Quantity

if TYPE_CHECKING:
    from linkwright.symbolic.forms import ExactForms

Sides = tuple[SyntaxNode, SyntaxNode | None]

ROW_TERMS = ("M", "C", "h", "g", "D", "K")
"""Terms of an equation of motion."""


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
        """A line for everything compared: whether it is the same, or given minus derived."""
        found = {(one.place, one.line): one.text for one in self.differences}
        return "\n".join(
            f"{place}: given minus derived is {found[place, line]}" if (place, line) in found else f"{place}: the same"
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
