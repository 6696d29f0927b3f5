"""Equations as MathML, which browsers typeset.

A long sum is written as several pieces, between which a line may break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape

from linkwright.expression.polynomials.harmonics import Atom, Wave
from linkwright.symbolic.interpretation.explanation import Symbol, Token
from linkwright.symbolic.output.notation import GREEK, Product, Sum, divisor_of, name_of, number_text

TIMES = '<mo lspace=".15em">\u2062</mo>'
APPLY = "<mo>\u2061</mo>"
APPLY_SPACED = '<mo lspace=".15em">\u2061</mo>'
OPEN, CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
PLUS, MINUS = '<mo form="infix">+</mo>', '<mo form="infix">−</mo>'
LEADING_MINUS = '<mo form="prefix">−</mo>'
DOTS = ("", "˙", "¨")
ACCENTS = {"dot": DOTS[1], "ddot": DOTS[2]}
PRIMES = ("T", "+", "*", "′")
"""powers that are no numbers"""
UNBROKEN = 5
"""Factors up to which a bracket's sum stays on a line."""


@lru_cache(maxsize=4096)
def mathml_name(name: str, power: int = 1) -> str:
    """A variable's name, raised to a power: theta1_dot with a dot above, lg2 as l with the index g2."""
    if name in ("sqrt2", "sqrt3"):
        root = f"<msqrt><mn>{name[-1]}</mn></msqrt>"
        return root if power == 1 else f"<msup>{root}{_number(power)}</msup>"
    if name == "pi":
        return "<mi>π</mi>" if power == 1 else f"<msup><mi>π</mi>{_number(power)}</msup>"
    if name == "1/pi":
        return f"<msup><mi>π</mi>{_number(-power)}</msup>"
    if name.startswith("sign("):
        shown = f"<mi>sign</mi>{APPLY}{OPEN}{mathml_name(name[5:-1])}{CLOSE}"
        return shown if power == 1 else f"<msup><mrow>{OPEN}{shown}{CLOSE}</mrow>{_number(power)}</msup>"
    letters, axis, tag, dots = name_of(name)
    letters = GREEK.get(letters, letters)
    shown = f"<mi>{letters}</mi>"
    if len(letters) == 2:  # a product in meaning: mc; longer ones are words
        shown = f"<mrow>{''.join(f'<mi>{letter}</mi>' for letter in letters)}</mrow>"
    if dots:
        shown = f'<mover accent="true">{shown}<mo stretchy="false">{DOTS[dots]}</mo></mover>'
    index = "".join(f"<mi>{letter}</mi>" for letter in axis) + (f"<mn>{tag}</mn>" if tag else "")
    index = index if index.count("</") < 2 else f"<mrow>{index}</mrow>"
    if index and power != 1:
        return f"<msubsup>{shown}{index}{_number(power)}</msubsup>"
    if index:
        return f"<msub>{shown}{index}</msub>"
    return shown if power == 1 else f"<msup>{shown}{_number(power)}</msup>"


def _number(n: int) -> str:
    return f"<mn>{n}</mn>" if n >= 0 else f"<mrow><mo>−</mo><mn>{-n}</mn></mrow>"


@lru_cache(maxsize=4096)
def _atom(atom: Atom, power: int) -> str:
    if not isinstance(atom, Wave):
        return mathml_name(atom, power)
    function = f"<mi>{atom.function}</mi>"
    if power != 1:
        function = f"<msup>{function}{_number(power)}</msup>"
    if len(atom.angles) == 1 and atom.angles[0][1] == 1:
        return function + APPLY_SPACED + mathml_name(atom.angles[0][0])
    inner = ""
    for k, (name, n) in enumerate(atom.angles):
        sign = (PLUS if n > 0 else MINUS) if k else ("" if n > 0 else LEADING_MINUS)
        inner += sign + (mathml_name(name) if abs(n) == 1 else f"<mn>{abs(n)}</mn>{TIMES}{mathml_name(name)}")
    return function + APPLY + OPEN + inner + CLOSE


def mathml_of(terms: Sum) -> str:
    """Return the contents of a ``math`` element, on one line."""
    return "".join(mathml_pieces(terms))


def mathml_pieces(terms: Sum, left: str = "") -> list[str]:
    """The same in pieces, lines to be broken between them; ``left`` is put before the first."""
    if not terms:
        return [left + "<mn>0</mn>"]
    pieces: list[str] = []
    for k, one in enumerate(terms):
        sign = (MINUS if one.coefficient < 0 else PLUS) if k else (LEADING_MINUS if one.coefficient < 0 else "")
        pieces += _product(one, ("" if k else left) + sign)
    return pieces


def _product(one: Product, before: str) -> list[str]:
    shown = [_atom(atom, e) for atom, e in one.factors if not divisor_of(atom)]
    below = "".join(mathml_name(letter, e) for atom, e in one.factors if (letter := divisor_of(atom)))
    size = abs(one.coefficient)
    if size != 1 or not (shown or one.brackets):
        number = number_text(size)
        mantissa, small, exponent = number.partition("e")
        if "/" in number:
            text = f"<mfrac><mn>{size.numerator}</mn><mn>{size.denominator}</mn></mfrac>"
        elif small:
            text = f"<mn>{mantissa}</mn><mo>·</mo><msup><mn>10</mn>{_number(int(exponent))}</msup>"
        else:
            text = f"<mn>{number}</mn>"
        shown.insert(0, text)
    pieces = [before + TIMES.join(shown)]
    for k, bracket in enumerate(one.brackets):
        pieces[-1] += TIMES if shown or k else ""
        inside = mathml_pieces(bracket, OPEN)
        inside[-1] += CLOSE
        if _factors(bracket) <= UNBROKEN:
            inside = ["".join(inside)]
        pieces[-1] += inside[0]
        pieces += inside[1:]
    if below:
        pieces[-1] += f'<mo lspace="0" rspace="0">/</mo>{below}'
    return pieces


def _factors(terms: Sum) -> int:
    """Return the number of factors of a sum, a measure of its length."""
    return sum(1 + len(one.factors) + sum(map(_factors, one.brackets)) for one in terms)


def mathml_letter(letter: str, *indices: str) -> str:
    """Return a quantity's letter with indices: M with 1,2; J_c has a letter of two characters, J_dot a dot."""
    base, _, own = letter.partition("_")
    shown = f"<mi>{'𝓡' if base == 'R' else base}</mi>"
    if own == "dot":
        shown, own = f'<mover accent="true">{shown}<mo stretchy="false">˙</mo></mover>', ""
    parts = [f"<mi>{own}</mi>"] * bool(own) + [f"<mn>{','.join(indices)}</mn>"] * any(indices)
    index = "".join(parts) if len(parts) < 2 else f"<mrow>{''.join(parts)}</mrow>"
    return f"<msub>{shown}{index}</msub>" if index else shown


def mathml_otherwise(so: bool) -> str:
    """Return the text after the line that applies to all entries without a separate line."""
    return '<mspace width="1em"></mspace><mtext>otherwise</mtext>' if so else ""


def mathml_table(rows: Iterable[tuple[str, str]]) -> str:
    """A whole element of equations, left and right sides, that stand under each other."""
    lines = "".join(
        f'<mtr><mtd style="text-align: right">{left}</mtd><mtd><mo>=</mo></mtd>'
        f'<mtd style="text-align: left">{right}</mtd></mtr>\n'
        for left, right in rows
    )
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        f'<mtable displaystyle="true">\n{lines}</mtable></math>'
    )


def mathml_formula(tokens: Iterable[Token]) -> list[str]:
    """A formula of an explanation, in pieces."""
    pieces: list[str] = []
    for token in tokens:
        if isinstance(token, str):
            made = [_words(token)]
        elif isinstance(token, Symbol):
            made = [_symbol(token)]
        else:
            made = mathml_pieces(token)
        pieces = [*pieces[:-1], pieces[-1] + made[0], *made[1:]] if pieces else made
    return pieces


def _symbol(symbol: Symbol) -> str:
    shown = f"<mi>{symbol.letter}</mi>"
    if symbol.accent:
        shown = f'<mover accent="true">{shown}<mo stretchy="false">{ACCENTS[symbol.accent]}</mo></mover>'
    index = f"<mn>{symbol.indices}</mn>" if symbol.indices[:1].isdigit() else f"<mi>{escape(symbol.indices)}</mi>"
    power = f"<mo>{symbol.power}</mo>" if symbol.power in PRIMES else f"<mn>{symbol.power.replace('-', '−')}</mn>"
    if symbol.indices and symbol.power:
        return f"<msubsup>{shown}{index}{power}</msubsup>"
    if symbol.indices:
        return f"<msub>{shown}{index}</msub>"
    return f"<msup>{shown}{power}</msup>" if symbol.power else shown


def _words(text: str) -> str:
    """Operators, numbers, single letters and words as they stand."""
    made = []
    for number, word, operator in re.findall(r"([0-9.]+|½)|([^\W\d_]+(?: [^\W\d_]{2,})*)|([^\s])", text):
        if number:
            made.append(f"<mn>{number}</mn>")
        elif word in FUNCTIONS:
            made.append(f"<mi>{word}</mi>{APPLY}")
        elif word and len(word) > 1:
            made.append(f"<mtext>\u00a0{word}\u00a0</mtext>")
        elif word:
            made.append(f"<mi>{word}</mi>")
        elif operator in "-−":
            between = not made[-1].endswith(SIGNLESS) if made else text[0].isspace()
            made.append(MINUS if between else LEADING_MINUS)
        else:
            made.append(f"<mo{_FORMS.get(operator, '')}>{escape(operator)}</mo>")
    return "".join(made)


FUNCTIONS = ("exp", "sin", "cos", "sign", "log", "det")
SIGNLESS = ("=</mo>", "(</mo>", ",</mo>", "[</mo>", ">±</mo>")
"""after these a minus is a sign"""
_FORMS = {
    **dict.fromkeys("([{", ' form="prefix" stretchy="false"'),
    **dict.fromkeys(")]}", ' form="postfix" stretchy="false"'),
    "/": ' lspace="0" rspace="0"',
    "∂": ' form="prefix"',
}
