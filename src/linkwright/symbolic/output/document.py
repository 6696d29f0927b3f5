"""Equations set on pages: long lines broken, a whole LaTeX document, a figure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple

from linkwright.errors import TooLargeError
from linkwright.symbolic.output.notation import latex_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINE_LIMIT = 400
"""Lines of a figure: more are pages."""

FONT_SIZE, LEADING, MARGIN = 12.0, 7.0, 14.0
"""points"""


class Equation(NamedTuple):
    """One equation of LaTeX, in two parts."""

    left: str
    right: str


class FormulaLine(NamedTuple):
    """A part of an equation that fits on a line; ``left`` is empty where it goes on."""

    left: str
    right: str
    indent: int


def glyphs(latex: str) -> float:
    """About how many letters wide LaTeX is when it is set."""
    width, scale = 0.0, 1.0
    for token in re.findall(r"\\[A-Za-z]+|\\.|[_^]\{|.", latex):
        if token in ("_{", "^{"):
            scale = 0.7
        elif token == "}":
            scale = 1.0
        elif token in (r"\sin", r"\cos"):
            width += 3.2
        elif token == r"\,":
            width += 0.35
        elif token in "+-=":
            width += 2.6
        elif token not in (" ", "{", "_", "^", r"\dot", r"\ddot", r"\mathit", r"\mathrm", r"\left", r"\right"):
            width += scale
    return width


def broken(equation: Equation, width: float) -> list[FormulaLine]:
    r"""The equation in lines of about ``width`` letters, broken before + and −, outside brackets where possible.

    Brackets cannot be of one size across lines: \left and \right are left out.
    """
    pieces, depths = _pieces(equation.right.replace(r"\left", "").replace(r"\right", ""))
    sizes = [glyphs(piece) for piece in pieces]
    lines, start, indent = [], 0, 0
    while start < len(pieces):
        room = width - 2.0 * indent - glyphs(equation.left)
        filled = list(accumulate(sizes[start:]))
        end = start + max(1, sum(size <= room for size in filled))
        if end < len(pieces):
            places = [k for k in range(start + 1, end + 1) if filled[k - start - 1] >= 0.4 * room] or [end]
            end = min(places, key=lambda k: (depths[k], -k))
        lines.append(FormulaLine("" if start else equation.left, "".join(pieces[start:end]).strip(), indent))
        indent = 1 + depths[end] if end < len(pieces) else 0
        start = end
    return lines


def _pieces(latex: str) -> tuple[list[str], list[int]]:
    """Return the terms of a sum with their operators, and the depth of brackets at the beginning of each."""
    pieces, depths, braces, depth = [""], [0], 0, 0
    for token in re.split(r"( [+-] |[{}()])", latex):
        if token in (" + ", " - ") and not braces and not pieces[-1].rstrip().endswith(("cos(", "sin(")):
            pieces.append("")
            depths.append(depth)
        braces += (token == "{") - (token == "}")
        depth += (token == "(") - (token == ")")
        pieces[-1] += token
    return pieces, depths


def document(title: str, equations: Iterable[tuple[str, Equation]], introduction: str, names: str) -> str:
    """A LaTeX document that needs amsmath, geometry and longtable; equations of one group stand aligned."""
    text = [
        r"\documentclass{article}",
        r"\usepackage[a4paper, margin=2cm]{geometry}",
        r"\usepackage{amsmath, longtable}",
        r"\allowdisplaybreaks",
        r"\setlength{\parindent}{0pt}",
        r"\begin{document}",
        rf"\section*{{{plain(title)}}}",
        introduction,
    ]
    for _, group in groupby(equations, key=lambda item: item[0]):
        text += [r"\begin{align*}", _lines(equation for _, equation in group), r"\end{align*}"]
    return "\n".join([*text, names, r"\end{document}", ""])


def display(equations: Iterable[tuple[str, Equation]]) -> str:
    """The equations as one piece of display mathematics, long lines broken."""
    return rf"\begin{{aligned}} {_lines(equation for _, equation in equations)} \end{{aligned}}"


def _lines(equations: Iterable[Equation]) -> str:
    lines = []
    for equation in equations:
        for line in broken(equation, 88.0):
            lead = "{} " if not line.left and line.right[:1] in "+-" else ""
            indent = line.indent * r"\quad "
            lines.append(f"{line.left} &{'=' if line.left else ''} {indent}{lead}{line.right}")
    return " \\\\\n".join(lines)


def names_table(named: Mapping[str, tuple[float, str]], spelled: Mapping[str, str]) -> str:
    """Parameters with their values and meanings, for a document; ``spelled``: LaTeX of names that have their own."""
    if not named:
        return ""
    rows = [
        rf"${latex_name(name, spelled)}$ & {value:.6g} & {plain(meaning)} \\"
        for name, (value, meaning) in named.items()
    ]
    return "\n".join([r"\begin{longtable}{lll}", *rows, r"\end{longtable}"])


_SPELLED = {"²": "$^2$", "π": r"$\pi$", "·": r"$\cdot$", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
_SPELLED |= {"^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$", '"': "''"}
_SPELLED |= {c: f"\\{c}" for c in "&%$#_{}"}


def plain(text: str) -> str:
    """Any text as LaTeX sets it; letters of other scripts are spelled in ASCII as far as they can be."""
    made = []
    for c in text:
        if c not in _SPELLED and not " " <= c <= "~":
            c = unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode() or "?"
        made.append("".join(_SPELLED.get(x, x) for x in c))
    return "".join(made)


def figure(equations: Sequence[Equation], width: float) -> Figure:
    """The equations as a figure just large enough, set by matplotlib; equals signs stand under each other."""
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    lines = [line for equation in equations for line in broken(equation, width)]
    if len(lines) > LINE_LIMIT:
        raise TooLargeError(
            f"a figure of {len(lines)} lines cannot be read; the limit is {LINE_LIMIT}. Choose fewer equations by "
            "what=…, or set pages by latex(document=True)"
        )
    parser, font = MathTextParser("path"), FontProperties(size=FONT_SIZE, math_fontfamily="cm")

    def extent(latex: str) -> tuple[float, float, float]:
        if not latex:
            return 0.0, 0.0, 0.0
        parsed = parser.parse(f"${latex}$", dpi=72, prop=font)
        return parsed.width, parsed.height - parsed.depth, parsed.depth

    parts = [(line.left, rf"= \; {line.right}" if line.left else rf"\quad {line.right}", line.indent) for line in lines]
    extents = [(extent(left), extent(right)) for left, right, _ in parts]
    equals = MARGIN + max((left[0] for left, _ in extents), default=0.0) + 0.4 * FONT_SIZE
    shifts = [FONT_SIZE * (1.2 * indent) for _, _, indent in parts]
    total_width = (
        max((equals + s + right[0] for s, (_, right) in zip(shifts, extents, strict=True)), default=0.0) + MARGIN
    )
    heights = [(max(left[1], right[1], 0.8 * FONT_SIZE), max(left[2], right[2])) for left, right in extents]
    total_height = 2 * MARGIN + sum(up + down + LEADING for up, down in heights)
    made = Figure(figsize=(total_width / 72.0, total_height / 72.0), facecolor="white")
    y = total_height - MARGIN
    for (left, right, _), shift, (up, down) in zip(parts, shifts, heights, strict=True):
        y -= up + LEADING / 2.0
        for latex, x, side in ((left, equals - 0.4 * FONT_SIZE, "right"), (right, equals + shift, "left")):
            if latex:
                made.text(x / total_width, y / total_height, f"${latex}$", fontproperties=font, ha=side, va="baseline")
        y -= down + LEADING / 2.0
    return made
