"""Explanations: titled sections of paragraphs with words and formulas.

A formula is stored by its parts, so that text, LaTeX and pages can each format it.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from linkwright.model.tree import Model
from linkwright.symbolic.output.notation import Product, Sum, latex_of, text_of


class Symbol(NamedTuple):
    """A letter of the theory: M, h, K, λ, with indices, a power ("2", "T", "-1") and an accent ("dot", "ddot")."""

    letter: str
    indices: str = ""
    power: str = ""
    accent: str = ""


Token = Symbol | Sum | str
"""a letter, a sum of products in the mechanism's variables, or operators and numbers as they are"""

_SUPERSCRIPTS = str.maketrans("0123456789-T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀ")
_LATEX = {
    "τ": r"\tau ", "σ": r"\sigma ",
    "π": r"\pi ", "δ": r"\delta ", "θ": r"\theta ", "λ": r"\lambda ", "ω": r"\omega ", "Σ": r"\sum ", "∂": r"\partial ",
    "½": r"\frac{1}{2} ", "·": r"\cdot ", "×": r"\times ", "±": r"\pm ", "−": "-", "≥": r"\ge ", "≤": r"\le ",
    "≠": r"\ne ", "≈": r"\approx ", "≡": r"\equiv ", "→": r"\to ", "∈": r"\in ", "∞": r"\infty ", "…": r"\dots ",
    "√": r"\surd ", "⇒": r"\Rightarrow ", "⇔": r"\Leftrightarrow ", "γ": r"\gamma ",
    "ε": r"\epsilon ", "Γ": r"\Gamma ", "Λ": r"\Lambda ", "∫": r"\int ",
}  # fmt: skip
"""what operators and numbers in formulas are in LaTeX"""
_IN_WORDS = {
    **{letter: f"${command.strip()}$" for letter, command in _LATEX.items()},
    **{letter: rf"\{letter}" for letter in "_%&#$"},
    **{letter: f"${letter}$" for letter in "<>|"},
    "²": "$^2$",
    "–": "--",
    "…": r"\dots ",
    "ᵀ": "$^T$",
    "⁻": "$^-$",
    "¹": "$^1$",
    "·": r"$\cdot$",
}
_DOTS = {"\N{COMBINING DOT ABOVE}": "dot", "\N{COMBINING DIAERESIS}": "ddot"}
_DOTTED = re.compile("([A-Za-z])([\N{COMBINING DOT ABOVE}\N{COMBINING DIAERESIS}])")


@dataclass(frozen=True)
class Formula:
    """A formula; ``display``: on a separate line."""

    terms: tuple[Token, ...]
    display: bool = False

    @cached_property
    def text(self) -> str:
        """As plain text, variables named as the equations' text names them."""
        return "".join(map(_text, self.terms))

    @cached_property
    def latex(self) -> str:
        """In LaTeX, for mathematics mode."""
        return "".join(map(_latex, self.terms)).strip()


Piece = str | Formula
Paragraph = tuple[Piece, ...]


@dataclass(frozen=True)
class ExplanationSection:
    """A title and what it says."""

    title: str
    paragraphs: tuple[Paragraph, ...]


class ExplanationText(ABC):
    """An explanation of a mechanism in sections, to be read as text or set in LaTeX."""

    model: Model

    @property
    @abstractmethod
    def sections(self) -> tuple[ExplanationSection, ...]:
        """Titles and paragraphs; a paragraph is a tuple of words (str) and :class:`Formula`."""

    def text(self) -> str:
        """Plain text: a title and a line for each paragraph."""
        return text_of_sections(self.sections)

    def latex(self) -> str:
        """LaTeX for the body of a document that has amsmath."""
        return latex_of_sections(self.sections)

    def __repr__(self) -> str:
        return f"<Explanation of {self.model.name!r}: {', '.join(section.title for section in self.sections)}>"


def sections_of(contents: Iterable[tuple[str, Iterable[Paragraph]]]) -> tuple[ExplanationSection, ...]:
    """Sections by their titles, those that say nothing left out."""
    made = [ExplanationSection(title, tuple(paragraphs)) for title, paragraphs in contents]
    return tuple(section for section in made if section.paragraphs)


def variable(name: str, coefficient: Fraction | int = 1) -> Sum:
    """A variable of the equations, in a formula."""
    return (Product(Fraction(coefficient), ((name, 1),)),)


def text_of_sections(sections: tuple[ExplanationSection, ...]) -> str:
    """Titles underlined, a line for each paragraph; displayed formulas on separate lines."""
    lines: list[str] = []
    for section in sections:
        lines += [section.title, "-" * len(section.title), ""]
        for paragraph in section.paragraphs:
            line = ""
            for piece in paragraph:
                if isinstance(piece, str):
                    line += piece
                elif not piece.display:
                    line += piece.text
                else:
                    lines += [line.rstrip()] * bool(line.strip()) + ["    " + piece.text]
                    line = ""
            lines += [line.strip()] * bool(line.strip()) + [""]
    return "\n".join(lines).rstrip()


def latex_of_sections(sections: tuple[ExplanationSection, ...]) -> str:
    r"""Unnumbered sections for a document with amsmath."""
    blocks: list[str] = []
    for section in sections:
        blocks.append(rf"\section*{{{_escaped(section.title)}}}")
        for paragraph in section.paragraphs:
            pieces = [_escaped(piece) if isinstance(piece, str) else _set(piece) for piece in paragraph]
            blocks.append("".join(pieces).strip())
    return "\n\n".join(blocks)


def _set(formula: Formula) -> str:
    return f"\n\\[ {formula.latex} \\]\n" if formula.display else f"${formula.latex}$"


def _escaped(words: str) -> str:
    shown = "".join(_IN_WORDS.get(letter, letter) for letter in unicodedata.normalize("NFD", words))
    return _DOTTED.sub(lambda found: rf"$\{_DOTS[found[2]]}{{{found[1]}}}$", shown)


def _text(token: Token) -> str:
    if isinstance(token, str):
        return token
    if not isinstance(token, Symbol):
        return text_of(token)
    dots = {"": "", "dot": "\N{COMBINING DOT ABOVE}", "ddot": "\N{COMBINING DIAERESIS}"}[token.accent]
    indices = f"[{token.indices}]" if token.indices else ""
    return token.letter + dots + indices + token.power.translate(_SUPERSCRIPTS)


def _latex(token: Token) -> str:
    if isinstance(token, str):
        words = re.sub(r"[A-Za-z]{2,}(?: [A-Za-z]+)*", lambda found: rf"\text{{{found[0]}}}", token)
        return "".join(_LATEX.get(letter, letter) for letter in words)
    if not isinstance(token, Symbol):
        return latex_of(token)
    letter = _LATEX.get(token.letter, token.letter)
    letter = rf"\{token.accent}{{{letter.strip()}}}" if token.accent else letter
    letter = letter.strip() if token.indices or token.power else letter
    indices = f"_{{{token.indices}}}" if token.indices else ""
    return letter + indices + (f"^{{{token.power}}}" if token.power else "")
