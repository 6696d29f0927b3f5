"""The equations of a small mechanism in the panel: terms light up with how large they are at the moment.

They are MathML, which browsers set by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

import numpy as np

from linkwright.expression.harmonics import Atom, Wave
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.symbolic import Equations, equations
from linkwright.symbolic.write.mathml import LEADING_MINUS, MINUS, PLUS, mathml_letter, mathml_of
from linkwright.symbolic.write.notation import DIVISION, Product, Sum

MOST_VELOCITIES, MOST_TERMS = 4, 60
"""Larger equations are not read in a panel."""
FADING = 0.995
"""A term is as bright as it is large beside the largest one lately: what that is fades so at every picture."""
PALE, POSITIVE, NEGATIVE = np.array([176.0, 182.0, 190.0]), np.array([196.0, 60.0, 20.0]), np.array([24.0, 90.0, 190.0])
QUANTITIES = ("mass_matrix", "velocity_forces", "gravity_forces")
TITLES = {"M": "Inertia", "h": "Centrifugal and Coriolis", "g": "Gravity"}


class MatrixEntry(NamedTuple):
    """One entry of M, h or g."""

    letter: str
    indices: tuple[str, ...]
    terms: Sum


class Typeset:
    """M, h and g of a mechanism, with numbers put in; made by :func:`typeset`."""

    def __init__(self, made: Equations, lines: list[MatrixEntry]):
        self.made, self.lines = made, lines
        arrays = [made.polynomials(name, None, "world_aligned") for name in QUANTITIES]
        self.named = made.named_in(p for array in arrays for p in array.flat)
        """values and meanings of the names, as the mechanism is"""
        self._links = {name: meaning for name, (_, meaning) in self.named.items()}
        self._largest: dict[str, float] = {}

    def values(
        self, q: Array, v: Array, masses: Mapping[str, float] | None = None, gravity: float | None = None
    ) -> dict[str, float]:
        """The values of all names; ``masses``: by link, how many times as heavy (and its inertia) it is."""
        names = self.made.coordinates
        found = {name: value for name, (value, _) in self.named.items()}
        for name, meaning in self._links.items():
            for link, times in (masses or {}).items():
                if meaning.startswith((f"mass of {link},", f"inertia of {link} about")):
                    found[name] *= times
            if gravity is not None and meaning.startswith("magnitude of gravity"):
                found[name] = gravity
        return found | dict(zip(names.q, map(float, q), strict=True)) | dict(zip(names.v, map(float, v), strict=True))

    def sizes(self, values: Mapping[str, float]) -> list[list[float]]:
        """The terms of each line as numbers."""
        return [[value_of(term, values) for term in line.terms] for line in self.lines]

    def html(self, values: Mapping[str, float]) -> str:
        """All lines as HTML; terms are gray where they are small, red where they add, blue where they take away."""
        sizes = self.sizes(values)
        for letter in TITLES:
            mine = [own for line, own in zip(self.lines, sizes, strict=True) if line.letter == letter]
            now = max((abs(x) for own in mine for x in own), default=0.0)
            self._largest[letter] = max(now, FADING * self._largest.get(letter, 0.0))
        parts = ['<div style="padding:0 10px 6px;font-size:13px;line-height:1.25;overflow-x:auto">']
        parts.append(f'<div style="margin:4px 0 8px">{_law()}</div>')
        told = ""
        for line, own in zip(self.lines, sizes, strict=True):
            if line.letter != told:
                told = line.letter
                parts.append(f'<div style="color:#68707c;margin-top:8px">{TITLES[told]}</div>')
            parts.append(self._line(line, own))
        parts.append("</div>")
        return "".join(parts)

    def _line(self, line: MatrixEntry, sizes: list[float]) -> str:
        left = mathml_letter(line.letter, *line.indices)
        largest = self._largest[line.letter] or 1.0
        terms = []
        for k, (term, size) in enumerate(zip(line.terms, sizes, strict=True)):
            share = float(np.sqrt(min(abs(size) / largest, 1.0)))
            color = _mixed(share, size)
            sign = (MINUS if term.coefficient < 0 else PLUS) if k else (LEADING_MINUS if term.coefficient < 0 else "")
            shown = mathml_of((term._replace(coefficient=abs(term.coefficient)),))
            terms.append(f'{sign}<mrow style="color:{color}">{shown}</mrow>')
        body = "".join(terms) or "<mn>0</mn>"
        value = f"{sum(sizes):.3g}".replace("-", "−")
        return (
            '<div style="display:flex;justify-content:space-between;gap:12px;margin:3px 0;white-space:nowrap">'
            f"<math><mrow>{left}<mo>=</mo>{body}</mrow></math>"
            f'<span style="font-variant-numeric:tabular-nums;color:#222">{escape(value)}</span></div>'
        )


def typeset(model: Model) -> Typeset | None:
    """The equations of a mechanism to be shown; None where they are too long to be read beside it."""
    if not 0 < model.nv <= MOST_VELOCITIES or model.loops:
        return None
    made = equations(model)
    lines = [
        MatrixEntry(letter, tuple(place.strip("[]").split(",")), terms)
        for what in TITLES
        for letter, place, terms in made.entries("products", what)
        if letter in TITLES and place and "i" not in place
    ]
    if sum(len(line.terms) for line in lines) > MOST_TERMS:
        return None
    return Typeset(made, lines)


def value_of(term: Product, values: Mapping[str, float]) -> float:
    """A term as a number."""
    found = float(term.coefficient)
    for atom, power in term.factors:
        found *= _atom(atom, values) ** power
    for bracket in term.brackets:
        found *= sum(value_of(one, values) for one in bracket)
    return found


def _atom(atom: Atom, values: Mapping[str, float]) -> float:
    if isinstance(atom, Wave):
        angle = sum(n * _atom(name, values) for name, n in atom.angles)
        return float(np.cos(angle) if atom.function == "cos" else np.sin(angle))
    if atom in values:
        return values[atom]
    if atom in ("sqrt2", "sqrt3"):
        return float(np.sqrt(float(atom[-1])))
    if atom in ("pi", "1/pi"):
        return float(np.pi if atom == "pi" else 1.0 / np.pi)
    if atom == DIVISION:
        return 1.0 / values["m"]
    if atom.startswith("sign("):
        return float(np.sign(values[atom[5:-1]]))
    raise KeyError(atom)


def _mixed(share: float, size: float) -> str:
    r, g, b = PALE + share * ((POSITIVE if size > 0.0 else NEGATIVE) - PALE)
    return f"rgb({r:.0f},{g:.0f},{b:.0f})"


def _law() -> str:
    return (
        "<math><mrow><mi>M</mi><mo stretchy='false'>(</mo><mi>q</mi><mo stretchy='false'>)</mo>"
        "<mover accent='true'><mi>q</mi><mo>¨</mo></mover><mo>+</mo><mi>h</mi><mo stretchy='false'>(</mo><mi>q</mi>"
        "<mo>,</mo><mover accent='true'><mi>q</mi><mo>˙</mo></mover><mo stretchy='false'>)</mo><mo>+</mo><mi>g</mi>"
        "<mo stretchy='false'>(</mo><mi>q</mi><mo stretchy='false'>)</mo><mo>=</mo><mi>τ</mi></mrow></math>"
    )
