"""The equations of motion of a mechanism in the panel, as MathML; colors show the present size of each term.

All terms of a small mechanism are shown, and of a larger one the gravity terms, which are derived within about a second
also for arms of seven joints: the mass matrix of arm7 has 352 terms, its gravity forces have 32.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

import numpy as np

from linkwright.expression.polynomials.harmonics import Atom, Wave
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.symbolic import Equations, equations
from linkwright.symbolic.output.mathml import LEADING_MINUS, MINUS, PLUS, mathml_letter, mathml_of
from linkwright.symbolic.output.notation import Product, Sum, divisor_of

MOST_VELOCITIES, MOST_TERMS = 4, 60
"""Limits of complete equations in the panel."""
MOST_VELOCITIES_OF_GRAVITY, MOST_TERMS_OF_GRAVITY = 9, 80
"""Limits of gravity terms in the panel."""
FADING = 0.995
"""The color of a term is its size relative to the largest recent term, which decays by this factor at each picture."""
PALE, POSITIVE, NEGATIVE = np.array([176.0, 182.0, 190.0]), np.array([196.0, 60.0, 20.0]), np.array([24.0, 90.0, 190.0])
QUANTITIES = {"M": "mass_matrix", "h": "velocity_forces", "g": "gravity_forces"}
TITLES = {"M": "Inertia", "h": "Centrifugal and Coriolis", "g": "Gravity"}
GRAVITY_ALONE = (
    "M and h of this robot are too long for the panel; <code>linkwright equations</code> writes all terms to a file."
)
HIGHLIGHTS = (("gray", PALE), ("red", POSITIVE), ("blue", NEGATIVE))


class MatrixEntry(NamedTuple):
    """One entry of M, h or g."""

    letter: str
    indices: tuple[str, ...]
    terms: Sum


class Typeset:
    """M, h and g of a mechanism, or g alone, with their present values; made by :func:`typeset`."""

    def __init__(self, made: Equations, lines: list[MatrixEntry]):
        self.made, self.lines = made, lines
        self.letters = [letter for letter in TITLES if any(line.letter == letter for line in lines)]
        """the quantities that are shown"""
        arrays = [made.polynomials(QUANTITIES[letter], None, "world_aligned") for letter in self.letters]
        self.named = made.named_in(p for array in arrays for p in array.flat)
        """values and meanings of the names"""
        self._links = {name: meaning for name, (_, meaning) in self.named.items()}
        self._largest: dict[str, float] = {}
        slides, turns = _kinds(made.model)
        efforts = " or ".join(["N m"] * turns + ["N"] * slides)
        masses = " or ".join(["kg m²"] * turns + ["kg m"] * (turns and slides) + ["kg"] * slides)
        self.units = {"M": masses, "h": efforts, "g": efforts}
        """units of the entries of each quantity"""

    def values(
        self, q: Array, v: Array, masses: Mapping[str, float] | None = None, gravity: float | None = None
    ) -> dict[str, float]:
        """Return the values of all names; ``masses``: factors of mass and inertia by link."""
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
        """Return the values of the terms of each line."""
        return [[value_of(term, values) for term in line.terms] for line in self.lines]

    def html(self, values: Mapping[str, float]) -> str:
        """Return all lines as HTML; small terms are gray, positive ones red, negative ones blue."""
        sizes = self.sizes(values)
        for letter in TITLES:
            mine = [own for line, own in zip(self.lines, sizes, strict=True) if line.letter == letter]
            now = max((abs(x) for own in mine for x in own), default=0.0)
            self._largest[letter] = max(now, FADING * self._largest.get(letter, 0.0))
        parts = ['<div style="padding:0 10px 6px;font-size:13px;line-height:1.25;overflow-x:auto">']
        parts.append(f'<div style="margin:4px 0 6px">{_law()}</div>{_legend()}')
        letter = ""
        for line, own in zip(self.lines, sizes, strict=True):
            if line.letter != letter:
                letter = line.letter
                title = f"{TITLES[letter]}, {self.units[letter]}"
                parts.append(f'<div style="opacity:0.7;margin-top:8px">{title}</div>')
            parts.append(self._line(line, own))
        if "M" not in self.letters:
            parts.append(f'<div style="opacity:0.7;white-space:normal;margin-top:8px">{GRAVITY_ALONE}</div>')
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
            '<div style="display:flex;flex-wrap:wrap;gap:0 12px;margin:3px 0;white-space:nowrap">'
            f"<math><mrow>{left}<mo>=</mo>{body}</mrow></math>"
            f'<span style="margin-left:auto;font-variant-numeric:tabular-nums">{escape(value)}</span></div>'
        )


def may_be_typeset(model: Model) -> bool:
    """Return whether the equations of a mechanism, or its gravity terms, can be short enough for the panel."""
    return 0 < model.nv <= MOST_VELOCITIES_OF_GRAVITY and not model.loops


def _kinds(model: Model) -> tuple[bool, bool]:
    """Return whether a mechanism has translations, and rotations."""
    units = {unit for joint in model.joints for unit in joint.motion.units}
    return "m" in units, bool(units - {"m"})


def typeset(model: Model) -> Typeset | None:
    """Return the equations of a mechanism for the panel, or its gravity terms; None if these are too long."""
    if not may_be_typeset(model):
        return None
    made = equations(model)
    for letters, most in ((tuple(TITLES), MOST_TERMS), (("g",), MOST_TERMS_OF_GRAVITY)):
        if letters != ("g",) and model.nv > MOST_VELOCITIES:
            continue
        lines = [
            MatrixEntry(letter, tuple(place.strip("[]").split(",")), terms)
            for what in letters
            for letter, place, terms in made.entries("products", what)
            if letter in letters and place and "i" not in place
        ]
        if 0 < sum(len(line.terms) for line in lines) <= most:
            return Typeset(made, lines)
    return None


def value_of(term: Product, values: Mapping[str, float]) -> float:
    """Return the value of a term."""
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
    if letter := divisor_of(atom):
        return 1.0 / values[letter]
    if atom.startswith("sign("):
        return float(np.sign(values[atom[5:-1]]))
    raise KeyError(atom)


def _mixed(share: float, size: float) -> str:
    r, g, b = PALE + share * ((POSITIVE if size > 0.0 else NEGATIVE) - PALE)
    return f"rgb({r:.0f},{g:.0f},{b:.0f})"


def _legend() -> str:
    words = {"gray": "small", "red": "positive", "blue": "negative"}
    entries = [
        f'<span style="color:rgb({",".join(f"{x:.0f}" for x in color)})">■</span> {words[name]}'
        for name, color in HIGHLIGHTS
    ]
    return (
        '<div style="opacity:0.85;font-size:12px;margin-bottom:4px">Terms: '
        f"{'&ensp;'.join(entries)}. Numbers: present values.</div>"
    )


def _law() -> str:
    return (
        "<math><mrow><mi>M</mi><mo stretchy='false'>(</mo><mi>q</mi><mo stretchy='false'>)</mo>"
        "<mover accent='true'><mi>q</mi><mo>¨</mo></mover><mo>+</mo><mi>h</mi><mo stretchy='false'>(</mo><mi>q</mi>"
        "<mo>,</mo><mover accent='true'><mi>q</mi><mo>˙</mo></mover><mo stretchy='false'>)</mo><mo>+</mo><mi>g</mi>"
        "<mo stretchy='false'>(</mo><mi>q</mi><mo stretchy='false'>)</mo><mo>=</mo><mi>τ</mi></mrow></math>"
    )
