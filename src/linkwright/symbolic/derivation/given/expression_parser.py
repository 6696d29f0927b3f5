"""Expressions that somebody types, read without running anything: only what this grammar knows has a meaning.

    sum      = product {("+" | "-") product}
    product  = sign {("*" | "/") sign}
    sign     = {"+" | "-"} power
    power    = atom [("^" | "**") sign]
    atom     = number | name | function "(" sum {"," sum} ")" | "(" sum ")"
    name     = letters ["[" index "]" | "(" index ")" | "(" "t" ")"]

Letters may be Greek, with dots above and lowered digits, powers raised (θ̇₁²). Spellings of programs: np.sin and
std::sin, ** or ^, .* and .^, q[0] and q(1), %pi, pow(x, 2). Derivatives by time: dot(x), ddot(x), diff(x, t),
'diff(x, t, 2), Derivative(x(t), t). SymPy's expressions are read into the same tree. Length, depth and the size of
numbers are bounded, so that no text takes long.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from linkwright.errors import ArgumentError, InputError
from linkwright.expression.polynomials.polynomial import Polynomial, Ring, rational

MOST_LETTERS, DEEPEST, LARGEST_POWER, MOST_BITS = 100_000, 60, 64, 20_000
"""of a text, of brackets in each other, of a whole power, and of a number that is raised to one"""
ROUNDED_DIGITS = 11
"""Equations are printed with 12 digits, of which the last may be 0."""
FUNCTIONS = ("sin", "cos", "tan", "sqrt", "sign")
OTHER_FUNCTIONS = {"signum": "sign", "sgn": "sign"}
"""of Maxima and other programs"""
QUOTIENTS, POWERS = ("Rational", "Fraction"), ("pow", "power")
"""functions of two arguments"""
RATES = {"dot": 1, "ddot": 2}
DERIVATIVES = ("diff", "Derivative", "derivative")
"""by time: dot(x), and diff(x, t, n)"""
TIME, PI = "t", ("pi", "%pi", "M_PI")

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_RAISED = {"²": "^2", "³": "^3"}
_SIGNS = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "∗": "*", "√": "sqrt", "′": "'", "’": "'"})
_DOTS = {"\N{COMBINING DOT ABOVE}": "_dot", "\N{COMBINING DIAERESIS}": "_ddot"}
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:\.(?![*/^])\d*)?|\.\d+)(?:[eEdD][+-]?\d+)?)
    |(?:(?:np|numpy|math|sp|sympy|jnp)\.|std::)?(?P<name>%?[A-Za-z_]\w*)
    |(?P<sign>\*\*|\.\*\*|\.[*/^]|==|[-+*/^()=,'\[\]])
    )""",
    re.ASCII | re.VERBOSE,
)
_COMMA_NUMBER = re.compile(r"\s*\d")
_SAME_SIGNS = {"**": "^", ".^": "^", ".**": "^", ".*": "*", "./": "/", "==": "="}


class SyntaxNode(NamedTuple):
    """An operation, and what it is of: nodes, or the number or name itself."""

    operation: str
    """"number", "name", "+", "-" (of one), "*", "/" (one by it), "^", the name of a function, or "rate" (the
    derivative by time)"""
    of: tuple[Any, ...]


def parsed(text: str, first: int = 1) -> tuple[SyntaxNode, SyntaxNode | None]:
    """Return the expressions to the left and right of the equality sign; None for the right one without a sign.

    ``first`` is the first index in square brackets: 0 in Python and C.
    """
    reader = _ExpressionParser(text, first)
    left = reader.sum()
    right = reader.sum() if reader.took("=") else None
    reader.end()
    return left, right


def spelled(text: str) -> str:
    """The text in letters that names of variables have: theta1_dot for θ̇₁."""
    for raised, power in _RAISED.items():
        text = text.replace(raised, power)
    text = unicodedata.normalize("NFD", text.translate(_LOWERED).translate(_SIGNS))
    for letter, name in _GREEK.items():
        text = text.replace(letter, name)
    for dot, ending in _DOTS.items():  # after the whole name: θ̇1 is theta1_dot
        text = re.sub(rf"{dot}(\w*)", rf"\1{ending}", text)
    return text


class _ExpressionParser:
    def __init__(self, text: str, first: int = 1):
        if not isinstance(text, str):
            raise ArgumentError(f"an expression is given as text; got {text!r}")
        if len(text) > MOST_LETTERS:
            raise InputError(f"a given expression has at most {MOST_LETTERS} letters; this one has {len(text)}")
        self.text, self.place, self.depth, self.first = spelled(text), 0, 0, first
        self.kind, self.token = "", ""
        self.advance()

    def advance(self) -> None:
        found = _TOKEN.match(self.text, self.place)
        if found is None:
            rest = self.text[self.place :].strip()
            if rest:
                self.refuse(f"{rest[0]!r} has no meaning there")
            self.kind, self.token = "end", ""
            return
        self.place = found.end()
        self.kind, self.token = str(found.lastgroup), found[str(found.lastgroup)]
        if self.kind == "sign":
            self.token = _SAME_SIGNS.get(self.token, self.token)

    def refuse(self, why: str) -> NoReturn:
        read = self.text[max(0, self.place - 30) : self.place]
        raise InputError(
            f"the given expression cannot be read after {read!r}: {why}. It may have numbers, names, + - * / ^ and "
            f"brackets, {', '.join(FUNCTIONS)} of an expression in brackets, and derivatives dot(x), diff(x, {TIME})"
        )

    def took(self, sign: str) -> bool:
        if self.kind == "sign" and self.token == sign:
            self.advance()
            return True
        return False

    def end(self) -> None:
        if self.kind != "end":
            self.refuse(f"{self.token!r} is too much")

    def sum(self) -> SyntaxNode:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(f"brackets are nested more than {DEEPEST} deep")
        terms = [self.product()]
        while self.kind == "sign" and self.token in "+-":
            minus = self.token == "-"
            self.advance()
            term = self.product()
            terms.append(SyntaxNode("-", (term,)) if minus else term)
        self.depth -= 1
        return terms[0] if len(terms) == 1 else SyntaxNode("+", tuple(terms))

    def product(self) -> SyntaxNode:
        factors = [self.signed()]
        while self.kind == "sign" and self.token in "*/":
            divides = self.token == "/"
            self.advance()
            factor = self.signed()
            factors.append(SyntaxNode("/", (factor,)) if divides else factor)
        return factors[0] if len(factors) == 1 else SyntaxNode("*", tuple(factors))

    def signed(self) -> SyntaxNode:
        minus = False
        while self.kind == "sign" and self.token in "+-":
            minus ^= self.token == "-"
            self.advance()
        made = self.power()
        return SyntaxNode("-", (made,)) if minus else made

    def power(self) -> SyntaxNode:
        base = self.atom()
        if not self.took("^"):
            return base
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(f"powers are nested more than {DEEPEST} deep")
        exponent = self.signed()
        self.depth -= 1
        return SyntaxNode("^", (base, exponent))

    def atom(self) -> SyntaxNode:
        kind, token = self.kind, self.token
        if kind == "number":
            self.advance()
            return SyntaxNode("number", (_number(token),))
        if kind == "name":
            self.advance()
            if self.took("("):
                return self.applied(token)
            if token in PI:
                return SyntaxNode("name", ("pi",))
            if token.startswith("%"):
                self.refuse(f"{token} is no constant that is known; there is %pi")
            if self.took("["):
                return self.indexed(token, self.first, "]")
            return SyntaxNode("name", (token,))
        if self.took("("):
            return self.bracket()
        if self.took("'"):  # Maxima does not evaluate what follows
            if self.kind != "name" or self.token not in DERIVATIVES:
                self.refuse("' stands before diff only")
            return self.atom()
        self.refuse(f"{token!r} is no number, name or bracket" if token else "it ends there")

    def bracket(self) -> SyntaxNode:
        inside = self.sum()
        if not self.took(")"):
            self.refuse("a bracket is not closed")
        return inside

    def applied(self, name: str) -> SyntaxNode:
        """Read the bracket after a name: arguments, an index, or the time."""
        name = OTHER_FUNCTIONS.get(name, name)
        if name in FUNCTIONS:
            return SyntaxNode(name, (self.bracket(),))
        if name in RATES:
            return _rate_of(self.bracket(), RATES[name])
        if name in DERIVATIVES:
            return self.derivative()
        if name in QUOTIENTS or name in POWERS:
            one = self.sum()
            if not self.took(","):
                self.refuse(f"{name} has two arguments")
            other = self.bracket()
            return (
                SyntaxNode("^", (one, other)) if name in POWERS else SyntaxNode("*", (one, SyntaxNode("/", (other,))))
            )
        if self.kind == "name" and self.token == TIME:
            self.advance()
            if not self.took(")"):
                self.refuse(f"{name} is a function of {TIME} alone")
            return SyntaxNode("name", (name,))
        if self.kind == "number":
            return self.indexed(name, 1, ")")
        self.refuse(f"{name} is no function that is known; there are {', '.join(FUNCTIONS)}")

    def indexed(self, name: str, first: int, end: str) -> SyntaxNode:
        """One entry of an array of variables: q[0] or q(1) is q1."""
        index = self.token
        if not (self.kind == "number" and index.isdecimal() and len(index) < 4) or name[-1].isdigit():
            self.refuse(f"{name} has an index that is no whole number, or two of them")
        self.advance()
        if not self.took(end):
            self.refuse(f"the index of {name} is not closed")
        k = int(index) - first + 1
        if k < 1:
            self.refuse(f"the first index is {first}")
        return SyntaxNode("name", (f"{name}{k}",))

    def derivative(self) -> SyntaxNode:
        """The arguments of diff: an expression, t, and how many times, also as (t, 2) or t, t."""
        inside, times = self.sum(), 0
        while self.took(","):
            pair = self.took("(")
            if not (self.kind == "name" and self.token == TIME):
                self.refuse(f"derivatives are by the time {TIME}")
            self.advance()
            many = 1
            if (self.took(",") if pair else self.number_follows()) and self.kind == "number":
                many = int(self.token) if self.token in ("1", "2") else 0
                self.advance()
            times += many or self.refuse("derivatives are the first or the second")
            if pair and not self.took(")"):
                self.refuse("a bracket is not closed")
        if not self.took(")"):
            self.refuse("a bracket is not closed")
        if times not in (1, 2):
            self.refuse(f"derivatives by {TIME} are the first or the second, diff(x, {TIME}, 2)")
        return _rate_of(inside, times)

    def number_follows(self) -> bool:
        """Whether a comma and a number come next; the comma is taken."""
        return bool(self.kind == "sign" and self.token == "," and _COMMA_NUMBER.match(self.text, self.place)) and (
            self.took(",")
        )


def _rate_of(node: SyntaxNode, times: int) -> SyntaxNode:
    for _ in range(times):
        node = SyntaxNode("rate", (node,))
    return node


def _number(text: str) -> Fraction:
    text = text.lower().replace("d", "e")  # Fortran's 1.0d0
    mantissa, _, exponent = text.partition("e")
    if len(mantissa) > 60 or (exponent and abs(int(exponent[:9])) > 60):
        raise InputError(f"the number {text[:30]} is too long or too large")
    return Fraction(text)


def of_sympy(expression: Any) -> SyntaxNode:
    """SymPy's expression as the same tree; functions of time are taken by their names, x(t) and its rates."""
    import sympy

    try:
        given = sympy.sympify(expression, strict=True)
    except sympy.SympifyError:
        raise InputError(
            f"an equation is given as text, or an expression or a matrix of SymPy; got {expression!r}"
        ) from None
    return _of_sympy(given, sympy, 0)


def _of_sympy(x: Any, sympy: Any, depth: int) -> SyntaxNode:
    if depth > 4 * DEEPEST:
        raise InputError("the expression is too deep to be compared")

    def inner(one: Any) -> SyntaxNode:
        return _of_sympy(one, sympy, depth + 1)

    if x is sympy.pi:
        return SyntaxNode("name", ("pi",))
    if x.is_Rational:
        return SyntaxNode("number", (Fraction(int(x.p), int(x.q)),))
    if x.is_Float:
        return SyntaxNode("number", (rational(float(x)),))
    if x.is_Symbol:
        return SyntaxNode("name", (spelled(x.name),))
    if x.is_Add or x.is_Mul:
        return SyntaxNode("+" if x.is_Add else "*", tuple(map(inner, x.args)))
    if x.is_Pow:
        if x.exp in (sympy.Rational(1, 2), sympy.Rational(-1, 2)):
            root = SyntaxNode("sqrt", (inner(x.base),))
            return root if x.exp > 0 else SyntaxNode("/", (root,))
        return SyntaxNode("^", (inner(x.base), inner(x.exp)))
    for name in ("sin", "cos", "tan", "sign"):
        if isinstance(x, getattr(sympy, name)):
            return SyntaxNode(name, (inner(x.args[0]),))
    if isinstance(x, sympy.Derivative) and len(x.variable_count) == 1:
        times = int(x.variable_count[0][1])
        if times <= 2:
            return _rate_of(inner(x.expr), times)
    if isinstance(x, sympy.core.function.AppliedUndef):
        return SyntaxNode("name", (spelled(x.func.__name__),))
    raise InputError(f"{x} is no sum, product, power, sine or cosine of symbols; it cannot be compared")


def trees(typed: Any, first: int = 1) -> tuple[SyntaxNode, SyntaxNode | None]:
    """Left and right side of an equation that is text or SymPy's, or an expression and None."""
    if isinstance(typed, str):
        return parsed(typed, first)
    if hasattr(typed, "lhs") and hasattr(typed, "rhs"):
        return of_sympy(typed.lhs), of_sympy(typed.rhs)
    return of_sympy(typed), None


class Ratio(NamedTuple):
    """A fraction of elements of a ring."""

    numerator: Polynomial
    denominator: Polynomial


def whole(p: Polynomial) -> Ratio:
    """Return a polynomial as a fraction with denominator one."""
    return Ratio(p, p.ring.one)


class Evaluation:
    """Evaluation of trees in a ring, whose names ``named`` resolves; errors of the ring are raised.

    ``rates`` are the variables that are the derivatives by time of variables, None where there are none.
    """

    def __init__(self, ring: Ring, named: Callable[[str], Ratio], rates: Mapping[str, str | None] | None = None):
        self.ring, self.named, self.rates = ring, named, rates

    def value(self, node: SyntaxNode) -> Ratio:
        made = self._value(node)
        self.ring.check()
        return made

    def _value(self, node: SyntaxNode) -> Ratio:
        ring, operation = self.ring, node.operation
        if operation == "number":
            return whole(ring.constant(node.of[0]))
        if operation == "name":
            return whole(ring["pi"]) if node.of[0] == "pi" else self.named(node.of[0])
        if operation == "^":
            return self._power(*node.of)
        parts = [self._value(one) for one in node.of]
        if operation == "+":
            return self.sum(parts)
        if operation == "-":
            return Ratio(-parts[0].numerator, parts[0].denominator)
        if operation == "*":
            made = parts[0]
            for one in parts[1:]:
                made = Ratio(made.numerator * one.numerator, made.denominator * one.denominator)
            return made
        if operation == "/":
            return self._quotient(whole(ring.one), parts[0])
        (inside,) = parts
        if operation == "rate":
            return self._rate(inside)
        if operation == "sqrt":
            return whole(self._root(inside))
        p = self._polynomial(inside, operation)
        if operation == "sign":
            (name,) = names if len(names := p.used()) == 1 else ("",)
            if not name or p != ring[name] or f"sign({name})" not in ring.index:
                raise InputError(f"the sign of {p!r} is not known; signs are of single velocities")
            return whole(ring[f"sign({name})"])
        c, s = p.cos(), p.sin()
        return self._quotient(whole(s), whole(c)) if operation == "tan" else whole(c if operation == "cos" else s)

    def sum(self, parts: Sequence[Ratio]) -> Ratio:
        """Over a common denominator."""
        n, d = self.ring.zero, self.ring.one
        for one in parts:
            if one.denominator == d:
                n = n + one.numerator
            else:
                n, d = n * one.denominator + one.numerator * d, d * one.denominator
        return Ratio(n, d)

    def _quotient(self, above: Ratio, below: Ratio) -> Ratio:
        self.ring.check()
        if not below.numerator:
            raise InputError("the given expression divides by zero")
        n, d = above.numerator * below.denominator, above.denominator * below.numerator
        if not d.used() and d:
            return whole(n / d)
        return Ratio(n, d)

    def _rate(self, x: Ratio) -> Ratio:
        """The derivative by time."""
        if self.rates is None:
            raise InputError("derivatives by time are not available here")
        n, d = x
        bare = {re.sub(r"^(?:cos|sin)\((.*)\)$", r"\1", name) for name in n.used() | d.used()}
        rates = {name: self.rates[name] for name in bare if name in self.rates}
        if unknown := [name for name, rate in rates.items() if rate is None]:
            raise InputError(f"the derivative of {min(unknown)} by time is no letter of the equations")
        known = {name: self.ring[rate] for name, rate in rates.items() if rate}
        by_n, by_d = self.ring.rate(n, known), self.ring.rate(d, known)
        return Ratio(by_n * d - n * by_d, d * d) if by_d else Ratio(by_n, d)

    def _power(self, base: SyntaxNode, exponent: SyntaxNode) -> Ratio:
        made = self._value(exponent)
        n = self._constant(made)
        if n == Fraction(1, 2):
            return whole(self._root(self._value(base)))
        if n is None or n.denominator != 1 or abs(n) > LARGEST_POWER:
            raise InputError(f"powers are whole numbers up to {LARGEST_POWER}; got {made.numerator!r}")
        x = self._value(base)
        if n < 0:
            x, n = self._quotient(whole(self.ring.one), x), -n
        self.ring.check()
        for p in x if n > 1 else ():
            numbers = max((abs(c.numerator) + c.denominator for _, c in p), default=1)
            degree = max((sum(e for _, e in factors) for factors, _ in p), default=0)
            if numbers.bit_length() * n > MOST_BITS or degree * n > MOST_BITS:
                raise InputError(f"what is raised to the power {n} in the given expression becomes too large")
        return Ratio(x.numerator ** int(n), x.denominator ** int(n))

    def _constant(self, x: Ratio) -> Fraction | None:
        if x.numerator.used() or x.denominator != self.ring.one:
            return None
        return next((c for _, c in x.numerator), Fraction(0))

    def _root(self, x: Ratio) -> Polynomial:
        number = self._constant(x)
        roots = {1: self.ring.one, 2: self.ring["sqrt2"], 3: self.ring["sqrt3"]}
        roots[6] = roots[2] * roots[3]
        if number is not None and number >= 0:
            product = number.numerator * number.denominator
            for square, root in roots.items():
                k = _whole_root(product // square) if product % square == 0 else None
                if k is not None:
                    return root * Fraction(k, number.denominator)
        raise InputError(f"the square root of {x.numerator!r} is not known: roots are of numbers, and of 2, 3 and 6")

    def _polynomial(self, x: Ratio, function: str) -> Polynomial:
        self.ring.check()
        if x.denominator != self.ring.one:
            raise InputError(f"the {function} of a fraction, ({x.numerator!r})/({x.denominator!r}), is no polynomial")
        return x.numerator


def has_rounded_number(node: SyntaxNode) -> bool:
    """Return whether a decimal in a tree has ROUNDED_DIGITS significant digits or more, as rounded results have."""
    if node.operation == "name":
        return False
    if node.operation != "number":
        return any(map(has_rounded_number, node.of))
    (x,) = node.of
    rest, places = x.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:  # a fraction that has no last decimal
        return False
    digits = abs(x.numerator) * 10**places // x.denominator
    while digits and digits % 10 == 0:
        digits //= 10
    return digits >= 10 ** (ROUNDED_DIGITS - 1)


def _whole_root(n: int) -> int | None:
    from math import isqrt

    k = isqrt(n)
    return k if k * k == n else None


def names_in(node: SyntaxNode) -> Iterator[str]:
    """The names of variables in a tree."""
    if node.operation == "name":
        yield str(node.of[0])
    elif node.operation != "number":
        for one in node.of:
            yield from names_in(one)
