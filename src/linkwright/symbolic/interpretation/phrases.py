"""Building blocks of sentences about equations: formulas of polynomials, lists, numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.symbolic.interpretation.degenerate import Leading
from linkwright.symbolic.interpretation.explanation import Formula, Paragraph, Piece, Token, variable
from linkwright.symbolic.interpretation.structure import Structure
from linkwright.symbolic.output.notation import Order, grouped

SHOWN_TERMS = 16
"""Terms up to which a polynomial is shown; of longer ones the number of terms is given."""

LISTED = 12
"""Rows, or other items, up to which each is listed."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

QUARTERS = {0: "0", 1: "π/2", 2: "π", -1: "−π/2"}


def by_higher_order(leading: Leading, kind: str) -> str:
    """Return how the leading derivatives of the potential decide on an equilibrium that is "stable", "unstable", …"""
    title = "The floor of a valley" if kind == "valley" else kind.capitalize()
    minimum = "so the energy has a strict minimum (Lagrange, Dirichlet)"
    if kind == "valley":
        minimum = "so the energy has its minimum along the floor"
    reason = (
        minimum
        if leading.minimum
        else "so the energy has no minimum, and motions leave it, at no rate of the linearized motion"
    )
    begin = f"{title}, by higher derivatives. The linearized motion does not decide, ω² = 0 in "
    if leading.directions == 1:
        sign = "positive" if leading.value > 0.0 else "negative"
        return (
            f"{begin}one direction; there the first derivative of the potential energy that does not vanish is "
            f"(numerically) that of order {leading.order}, which is {sign}, {reason}"
        )
    sign = "positive along all of them" if leading.minimum else "negative along some of them"
    return (
        f"{begin}{counted(leading.directions, 'direction')}; the first derivatives of the potential energy along these "
        f"that do not vanish are (numerically) those of order {leading.order}, {sign}, {reason}"
    )


def joined(parts: Sequence[Paragraph], last: str = " and ") -> Paragraph:
    """a, b and c."""
    pieces: list[Piece] = []
    for k, part in enumerate(parts):
        if k:
            pieces.append(last if k == len(parts) - 1 else ", ")
        pieces += part
    return tuple(pieces)


def listed(names: Sequence[str], last: str = " and ") -> str:
    """a, b and c, of plain words; of very many the first."""
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])}{last}{len(names) - LISTED} more"
    return last.join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])


def counted(n: int, noun: str, plural: str = "") -> str:
    """one term, two terms, 13 terms."""
    number = NUMBERS[n] if n < len(NUMBERS) else str(n)
    return f"{number} {noun if n == 1 else plural or noun + 's'}"


def number(x: float, digits: int = 5) -> str:
    """A number as formulas show it."""
    return f"{x:.{digits}g}".replace("-", "−")


@dataclass
class FormulaWriter:
    """Writes formulas of a mechanism's variables."""

    structure: Structure
    order: Order

    def formula(self, *tokens: Token | Polynomial, display: bool = False) -> Formula:
        """Tokens and polynomials, one after the other."""
        made = [grouped(token, self.order) if isinstance(token, Polynomial) else token for token in tokens]
        return Formula(tuple(made), display)

    def names(self, names: Iterable[str]) -> Paragraph:
        """Variables, listed."""
        return joined([(self.formula(variable(name)),) for name in names])

    def rate(self, i: int) -> str:
        """The name of a velocity."""
        return self.structure.mechanism.coordinates.v[i]

    def place(self, quarters: Mapping[str, int] | None, at: Mapping[str, float]) -> Paragraph:
        """θ1 = 0, θ2 = π/2: exactly where at multiples of π/2."""
        parts: list[Paragraph] = []
        for name, x in at.items():
            if quarters is not None and name in self.structure.mechanism.coordinates.angles:
                parts.append((self.formula(variable(name), " = ", QUARTERS[quarters[name]]),))
            elif quarters is not None:
                parts.append((self.formula(variable(name), " = ", str(quarters[name])),))
            else:
                close = 0.0 if abs(x) < 5e-7 * math.pi else x
                parts.append((self.formula(variable(name), " ≈ ", number(close)),))
        return joined(parts, ", ")
