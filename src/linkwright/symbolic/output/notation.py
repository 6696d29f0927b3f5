"""Equations grouped for reading, and written as plain text, LaTeX and SymPy.

Terms are grouped by the inertial parameter or stiffness they hold, then by velocities; what a group has in common
stands before its bracket.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

from linkwright.errors import InputError
from linkwright.expression.polynomials.factors import factored
from linkwright.expression.polynomials.harmonics import Atom, HarmonicTerm, Powers, Wave, terms_of
from linkwright.expression.polynomials.polynomial import Polynomial


class Product(NamedTuple):
    """A number times powers, times brackets where there are any."""

    coefficient: Fraction
    factors: Powers
    brackets: tuple[tuple[Product, ...], ...] = ()


Sum = tuple[Product, ...]


class Order:
    """Order and classes of a mechanism's variables."""

    def __init__(
        self,
        parameters: Iterable[str],
        velocities: Iterable[str],
        angles: Sequence[str],
        inertial: Container[str] | None = None,
    ):
        """``inertial``: inertial parameters and stiffnesses; None: those that are spelled as ours."""
        self._parameters = {name: k for k, name in enumerate(parameters)}
        self._velocities = {name: k for k, name in enumerate(velocities)}
        self._angles = {name: k for k, name in enumerate(angles)}
        own = re.compile(r"mR?\d|mc|I|k\d")
        self.classes = (
            frozenset(x for x in self._parameters if (own.match(x) if inertial is None else x in inertial)),
            frozenset(self._velocities),
        )

    def rank(self, atom: Atom) -> tuple[Any, ...]:
        """Parameters, coordinates, cosines and sines, velocities, their signs."""
        if atom in ("pi", "1/pi"):
            return 0, -1
        if isinstance(atom, Wave):
            return 2, [(self._angles[name], n) for name, n in atom.angles], atom.function
        if atom in self._parameters:
            if atom.startswith("rest"):  # after the coordinate it is taken from
                return 1, f"~{atom}"
            return 0, self._parameters[atom]
        if atom in self._velocities:
            return 3, self._velocities[atom]
        if atom.startswith("sign("):
            return 4, self._velocities[atom[5:-1]]
        return 1, atom


FORMS = ("products", "angles", "expanded", "expanded angles", "factored")
"""Forms of equations: with brackets, and either few products of sines and cosines or none (multiple angles); the same
without brackets; and as a product of factors where there are several.
"""

FACTORED_TERMS = 400
"""Largest number of terms that are factored: more would take minutes, and be unreadable."""


UNREDUCED = "unreduced"
"""Form of the equations of motion and the energies as they are differentiated, sin² + cos² kept."""


def checked_form(form: str) -> str:
    """The form; raises :class:`InputError` where there is no such one."""
    if form not in FORMS:
        raise InputError(
            f"form is {form!r}; it may be {', '.join(map(repr, FORMS))}, and {UNREDUCED!r} of M, h, g, E and U in "
            "text, LaTeX and MathML"
        )
    return form


def grouped(p: Polynomial, order: Order, form: str = "products") -> Sum:
    """A polynomial as a sum of products, with brackets in the forms that have them."""
    if checked_form(form) == "factored":
        return _as_factors(p, order)
    terms = terms_of(p, "angles" if form.endswith("angles") else "products")
    if form.startswith("expanded"):
        return sum_of(terms, order)
    divided = [term for term in terms if any(divisor_of(atom) for atom, _ in term.factors)]
    if not divided:
        return _grouped(terms, order, 0)
    whole = [term for term in terms if term not in divided]
    return (*(_grouped(whole, order, 0) if whole else ()), _bracketed(divided, order, 0))


def sum_of(terms: Iterable[HarmonicTerm], order: Order) -> Sum:
    """Terms without brackets, in their order."""
    made = (Product(c, _ranked(factors, order)) for c, factors in terms)
    return tuple(sorted(made, key=lambda one: _position(one, order)))


def _as_factors(p: Polynomial, order: Order) -> Sum:
    """A product of factors, where there are several; unique (:mod:`linkwright.expression.polynomials.factors`)."""
    if not 1 < len(p) <= FACTORED_TERMS:
        return grouped(p, order)
    found = factored(p)
    powers: list[tuple[Atom, int]] = []
    brackets: list[Sum] = []
    coefficient = found.coefficient
    for factor, power in found.factors:
        inside = grouped(factor, order)
        if len(inside) == 1 and not inside[0].brackets:
            coefficient *= inside[0].coefficient ** power
            powers += [(atom, e * power) for atom, e in inside[0].factors]
        else:
            brackets += [inside] * power
    if len(brackets) == 1 and not powers:
        return grouped(p, order)
    return (Product(coefficient, _ranked(tuple(powers), order), tuple(brackets)),)


def _grouped(terms: list[HarmonicTerm], order: Order, level: int) -> Sum:
    made: list[Product] = []
    while level < len(order.classes):
        count = Counter(atom for term in terms for atom, _ in term.factors if atom in order.classes[level])
        if not count:
            level += 1
            continue
        atom, times = min(count.items(), key=lambda item: (-item[1], order.rank(item[0])))
        if times < 2:
            level += 1
            continue
        inside: list[HarmonicTerm] = []
        outside: list[HarmonicTerm] = []
        for term in terms:
            (inside if any(a == atom for a, _ in term.factors) else outside).append(term)
        terms = outside
        made.append(_bracketed(inside, order, level))
    made = _shared(made, order, level)
    made += [Product(c, _ranked(factors, order)) for c, factors in terms]
    return tuple(sorted(made, key=lambda one: _position(one, order)))


def _bracketed(terms: list[HarmonicTerm], order: Order, level: int) -> Product:
    """The common factor of the terms before what is left of them."""
    common = dict(terms[0].factors)
    for term in terms[1:]:
        powers = dict(term.factors)
        common = {atom: min(e, powers[atom]) for atom, e in common.items() if atom in powers}
    numbers = [term.coefficient for term in terms]
    content = Fraction(gcd(*(n.numerator for n in numbers)), lcm(*(n.denominator for n in numbers)))
    if content.denominator > 1 and any(n.denominator > 1000 for n in numbers):
        content = Fraction(1)  # of decimals a common divisor tells nothing
    left = []
    for term in terms:
        rest = tuple([(atom, e - common.get(atom, 0)) for atom, e in term.factors if e > common.get(atom, 0)])
        left.append(HarmonicTerm(term.coefficient if content == 1 else term.coefficient / content, rest))
    bracket = _grouped(left, order, level)
    if bracket[0].coefficient < 0:
        content, bracket = -content, tuple(one._replace(coefficient=-one.coefficient) for one in bracket)
    factors = _ranked(tuple(common.items()), order)
    if len(bracket) == 1:  # all in one bracket of the next class
        (one,) = bracket
        return Product(content * one.coefficient, _ranked((*factors, *one.factors), order), one.brackets)
    return Product(content, factors, (bracket,))


def _shared(products: list[Product], order: Order, level: int) -> list[Product]:
    """Those of the same bracket joined: 2 a (x + y) + b (x + y) = (2 a + b) (x + y)."""
    alike: dict[tuple[Sum, ...], list[Product]] = {}
    for one in products:
        alike.setdefault(one.brackets, []).append(one)
    joined: list[Product] = []
    for brackets, group in alike.items():
        if not brackets or len(group) == 1:
            joined += group
        else:
            c, factors, own = _bracketed([HarmonicTerm(one.coefficient, one.factors) for one in group], order, level)
            joined.append(Product(c, factors, (*own, *brackets)))
    return joined


def _ranked(factors: Powers, order: Order) -> Powers:
    merged: dict[Atom, int] = {}
    for atom, e in factors:
        merged[atom] = merged.get(atom, 0) + e
    return tuple(sorted(merged.items(), key=lambda item: order.rank(item[0])))


def _position(one: Product, order: Order) -> tuple[Any, ...]:
    constant = not any(isinstance(atom, Wave) for atom, _ in one.factors)
    inertial = any(atom in order.classes[0] for atom, _ in one.factors)
    return not (constant or inertial), [order.rank(atom) for atom, _ in one.factors]


def number_text(x: Fraction) -> str:
    """A fraction as it is where that is short, else as a decimal."""
    if x.denominator == 1 and abs(x.numerator) < 10**9:
        return str(x.numerator)
    if x.denominator <= 64 and abs(x.numerator) < 1000 and x.denominator not in (2, 4, 5, 8, 10, 20, 25, 40, 50):
        return f"{x.numerator}/{x.denominator}"
    return f"{float(x):.12g}"


def divisor_of(atom: Atom) -> str:
    """Return the letter of the total mass for its reciprocal, which is written after a product, as /m; otherwise ""."""
    return atom[2:] if isinstance(atom, str) and atom.startswith("1/") and atom != "1/pi" else ""


_ROOTS = {"sqrt2": "sqrt(2)", "sqrt3": "sqrt(3)"}


def names_in(terms: Sum) -> set[str]:
    """Return the names in a sum, and in its brackets."""
    found: set[str] = set()
    for one in terms:
        for atom, _ in one.factors:
            found |= {name for name, _ in atom.angles} if isinstance(atom, Wave) else {atom}
        found |= set().union(*map(names_in, one.brackets))
    return found


def text_of(terms: Sum) -> str:
    """Plain text that Python, Octave and most programs for algebra read (with ^ for powers)."""
    return _join(
        [(one.coefficient < 0, _text_product(one._replace(coefficient=abs(one.coefficient)))) for one in terms]
    )


def _join(parts: list[tuple[bool, str]]) -> str:
    if not parts:
        return "0"
    first = ("-" if parts[0][0] else "") + parts[0][1]
    return first + "".join(f" {'-' if minus else '+'} {text}" for minus, text in parts[1:])


def _text_product(one: Product) -> str:
    shown, after = [], ""
    for atom, e in one.factors:
        if letter := divisor_of(atom):
            after = f"/{letter}" if e == 1 else f"/{letter}^{e}"
            continue
        name = _ROOTS.get(atom, atom) if isinstance(atom, str) else f"{atom.function}({_angle_text(atom, '*')})"
        if name == "1/pi":
            name = "(1/pi)"
        shown.append(name if e == 1 else f"{name}^{e}")
    shown += [f"({text_of(bracket)})" for bracket in one.brackets]
    if one.coefficient != 1 or not shown:
        shown.insert(0, number_text(one.coefficient))
    return "*".join(shown) + after


def _angle_text(wave: Wave, times: str, names: Mapping[str, str] | None = None) -> str:
    parts = []
    for name, n in wave.angles:
        shown = names[name] if names else name
        parts.append((n < 0, shown if abs(n) == 1 else f"{abs(n)}{times}{shown}"))
    return _join(parts)


class Name(NamedTuple):
    """Parts of a variable's name: theta1_dot is theta, "", "1", one dot; mcx1 is mc, x, 1."""

    letters: str
    axis: str
    tag: str
    dots: int


def name_of(name: str) -> Name:
    """The parts of a variable's name."""
    base, _, dots = name.partition("_d") if name.endswith(("_dot", "_ddot")) else (name, "", "")
    found = re.fullmatch(r"([A-Za-z]+?)((?:(?<=I)[axyz]+|(?<=lg)|(?<=mc)[xyz]|(?<=[vwqg])[wxyz])?R?)(\d.*)?", base)
    if found is None:  # of a user's symbol: m_1, l_arm
        letters, _, tag = base.partition("_")
        letters, axis, tag = (letters, "", tag) if letters else (base, "", "")
    else:
        letters, axis, tag = found[1], found[2] or "", found[3] or ""
    if letters in ("lg", "la", "lb"):
        letters, axis = "l", letters[1]
    return Name(letters, axis, tag.replace("_", ","), {"": 0, "ot": 1, "dot": 2}[dots])


GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "w": "ω",
}  # fmt: skip
"""names that are letters"""


def latex_name(name: str, spelled: Mapping[str, str] | None = None) -> str:
    r"""A variable's name in LaTeX: theta1_dot as \dot{\theta}_{1}, lg2 as l_{g2}, mcx1 as mc_{x1}.

    ``spelled``: LaTeX of names that have their own.
    """
    if spelled and name in spelled:
        return spelled[name]
    if name in ("sqrt2", "sqrt3"):
        return rf"\sqrt{{{name[-1]}}}"
    if name == "pi":
        return r"\pi"
    if name == "1/pi":
        return r"\pi^{-1}"
    if name.startswith("sign("):
        return rf"\operatorname{{sign}}({latex_name(name[5:-1])})"
    letters, axis, tag, dots = name_of(name)
    if letters in GREEK:
        letters = rf"\{'omega' if letters == 'w' else letters}"
    elif len(letters) > 2:  # a word
        letters = rf"\mathit{{{letters}}}"
    if dots:
        letters = rf"\{'d' * dots}ot{{{letters}}}"
    return f"{letters}_{{{axis}{tag}}}" if axis or tag else letters


def latex_of(terms: Sum, spelled: Mapping[str, str] | None = None) -> str:
    """LaTeX, for mathematics mode; ``spelled``: as of :func:`latex_name`."""
    parts = []
    for one in terms:
        shown, below = [], ""
        for atom, e in one.factors:
            power = "" if e == 1 else f"^{{{e}}}"
            if letter := divisor_of(atom):
                below = latex_name(letter) + power
            elif isinstance(atom, str):
                name = latex_name(atom, spelled)
                name = rf"{{{name}}}" if power and "^" in name else name  # no second exponent
                shown.append(rf"\pi^{{-{e}}}" if atom == "1/pi" else name + power)
            else:
                names = {name: latex_name(name, spelled) for name, _ in atom.angles}
                inner = _angle_text(atom, " ", names)
                inner = f" {inner}" if len(atom.angles) == 1 and atom.angles[0][1] == 1 else f"({inner})"
                shown.append(rf"\{atom.function}{power}{inner}")
        shown += [rf"\left({latex_of(bracket, spelled)}\right)" for bracket in one.brackets]
        size = abs(one.coefficient)
        if size != 1 or not shown:
            number = number_text(size)
            if "/" in number:
                number = rf"\frac{{{size.numerator}}}{{{size.denominator}}}"
            mantissa, small, exponent = number.partition("e")
            shown.insert(0, rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if small else number)
        product = r" \, ".join(shown)
        parts.append((one.coefficient < 0, rf"{product} \,/\, {below}" if below else product))
    return _join(parts)


def sympy_of(terms: Sum, symbols: dict[str, Any]) -> Any:
    """A SymPy expression, its brackets kept; ``symbols`` keeps the symbols by name."""
    import sympy

    def symbol(name: str) -> Any:
        if name in _ROOTS:
            return sympy.sqrt(int(name[-1]))
        if name in ("pi", "1/pi"):
            return sympy.pi if name == "pi" else 1 / sympy.pi
        if letter := divisor_of(name):
            return 1 / symbol(letter)
        if name.startswith("sign("):
            return sympy.sign(symbol(name[5:-1]))
        if name not in symbols:
            symbols[name] = sympy.Symbol(name, real=True)
        return symbols[name]

    def atom_of(atom: Atom) -> Any:
        if isinstance(atom, str):
            return symbol(atom)
        return getattr(sympy, atom.function)(sympy.Add(*(n * symbol(name) for name, n in atom.angles)))

    made = []
    for c, factors, brackets in terms:
        parts = [atom_of(atom) ** e for atom, e in factors]
        parts += [sympy_of(bracket, symbols) for bracket in brackets]
        made.append(sympy.Mul(sympy.Rational(c.numerator, c.denominator), *parts))
    return sympy.Add(*made)
