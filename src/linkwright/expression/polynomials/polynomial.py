"""Exact polynomials in sines and cosines, quaternions, displacements, rates and parameters, in normal form.

The equations of mechanisms are polynomials in these. Modulo c² + s² = 1 for every angle, w² + x² + y² + z² = 1
for every quaternion, (√2)² = 2 and (√3)² = 3 — whose leading terms are powers of different
variables and hence form a Gröbner basis (Cox, Little & O'Shea, *Ideals, Varieties, and Algorithms*,
§2.9) — every element has one remainder without squares of c, w, √2, √3. Equal elements are
therefore equal term by term: ``==`` is exact, without a simplifier. An angle and its sine and cosine
are independent variables. Coefficients are exact rationals (python-flint's ``fmpq_mpoly``).

A :class:`Polynomial` behaves like a number, so object arrays of them go through the algorithms of the
library unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint
import numpy as np

from linkwright.errors import ExpressionError, TooLargeError

TERM_LIMIT = 300_000
"""Largest number of terms of an element, which takes hundreds of bytes per term."""

PRODUCT_LIMIT = 200_000_000
"""Largest number of products of terms in one multiplication: about a minute."""

SQUARE_ROOTS = {"sqrt2": 2, "sqrt3": 3}

_QUARTERS = ((4, 0, 0, 0), (0, 1, 0, 1), (0, 0, 2, 0), (0, 2, 0, 0), (2, 0, 0, 0), (0, -1, 0, 1), (0, 0, 0, 0))
"""4 cos kπ/12 for k = 0 … 6: a + b√2 + c√3 + d√6"""


def rational(x: Any) -> Fraction:
    """Return the intended rational number: for a float its shortest decimal, at 15 digits if that is sufficient."""
    if isinstance(x, (int, Fraction)):
        return Fraction(x)
    x = float(x)
    if not math.isfinite(x):
        raise ExpressionError(f"{x} is no rational number")
    return Fraction(f"{x:.15g}")


class Ring:
    """Polynomials of one mechanism: their variables and relations.

    ``angles`` are variables by their cosines and sines (and themselves, for screws), ``quaternions``
    are names of four variables, ``others`` have no relations. Elements of different rings cannot be mixed.
    """

    def __init__(
        self,
        angles: Sequence[str] = (),
        quaternions: Sequence[tuple[str, str, str, str]] = (),
        others: Sequence[str] = (),
        term_limit: int = TERM_LIMIT,
    ):
        circles = [(f"cos({name})", f"sin({name})") for name in angles]
        # each relation's leading variable stands before its others
        self.names = (
            *(name for pair in circles for name in pair),
            *(name for four in quaternions for name in four),
            *SQUARE_ROOTS,
            *angles,
            "pi",
            "1/pi",
            *others,
        )
        self.angles, self.quaternions = tuple(angles), tuple(quaternions)
        self.index = {name: k for k, name in enumerate(self.names)}
        if len(self.index) < len(self.names):
            raise ExpressionError(f"a variable is named twice among {', '.join(self.names)}")
        self.term_limit = term_limit
        self.failure: Exception | None = None
        self.divisors: dict[str, Polynomial] = {}
        """possible divisors, by the variable of their reciprocal; they are not reduced with it"""
        self._context = flint.fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(self.names))], flint.Ordering.lex)
        self._plain = self._context.gens()
        x = dict(zip(self.names, self._plain, strict=True))
        half = flint.fmpq(1, 2)
        relations: list[tuple[str, Any]] = [(c, (x[c] ** 2 + x[s] ** 2 - 1) * half) for c, s in circles]
        relations += [(four[0], (sum(x[name] ** 2 for name in four) - 1) * half) for four in quaternions]
        relations += [(root, (x[root] ** 2 - square) * half) for root, square in SQUARE_ROOTS.items()]
        self._relations = [(self.index[name], halved) for name, halved in relations]
        bits = {name: 1 << bit for bit, (name, _) in enumerate(relations)}
        self.zero, self.one = self._make(self._context.constant(0), 0), self._make(self._context.constant(1), 0)
        self.generators = {name: self._make(p, bits.get(name, 0)) for name, p in x.items()}
        self._numbers: dict[Any, Polynomial] = {0: self.zero, 1: self.one}
        self._circle = {
            id(self.generators[name]): (self.generators[c], self.generators[s])
            for name, (c, s) in zip(angles, circles, strict=True)
        }

    def __getitem__(self, name: str) -> Polynomial:
        return self.generators[name]

    def __reduce__(self) -> tuple[Any, ...]:
        others = self.names[self.index["1/pi"] + 1 :]
        return Ring, (self.angles, self.quaternions, others, self.term_limit), {"divisors": self.divisors}

    def _make(self, p: Any, squares: int) -> Polynomial:
        element = Polynomial.__new__(Polynomial)
        element.ring, element.terms, element._squares = self, p, squares
        return element

    def _made(self, p: Any, squares: int) -> Polynomial:
        count = len(p)
        if count == 0:
            return self.zero
        if count > self.term_limit:
            return self.refuse(TooLargeError(f"an expression reached {count} terms, more than {self.term_limit}"))
        return self._make(p, squares)

    def reduced(self, p: Any, squares: int) -> Any:
        """Return the remainder of p, in which the variables of the bits ``squares`` have at most squares.

        p = p₀ + p₁ c + p₂ c² gives p − p₂ (c² + s² − 1), and 2 p₂ is the second derivative: no division.
        """
        for bit, (variable, halved) in enumerate(self._relations):
            if squares >> bit & 1 and len(twice := p.derivative(variable).derivative(variable)):
                p = p - twice * halved
        return p

    def refuse(self, failure: Exception) -> Polynomial:
        """Store the error until :meth:`check`: NumPy's matrix product corrupts memory when + or * raise."""
        self.failure = self.failure or failure
        return self.zero

    def check(self) -> None:
        """Raise the stored error of sums and products, if there is one."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def constant(self, x: Any) -> Polynomial:
        """Return the element of a number, with exact decimals and exact multiples of 1/π."""
        known = self._numbers.get(x)
        if known is None:
            try:
                fraction = rational(x)
            except (TypeError, ValueError):
                return self.refuse(ExpressionError(f"a polynomial cannot be combined with {x!r}"))
            except ExpressionError as failure:
                return self.refuse(failure)
            p = self._context.constant(flint.fmpq(fraction.numerator, fraction.denominator))
            known = self._numbers[x] = self._made(p, 0)
        return known

    def coerce(self, x: Any) -> Polynomial:
        """Return ``x`` as an element."""
        if type(x) is Polynomial:
            if x.ring is not self:
                return self.refuse(ExpressionError("polynomials of two rings cannot be mixed"))
            return x
        return self.constant(x)

    def twelfths(self, k: int) -> Polynomial:
        """Return cos kπ/12."""
        k = abs((k + 12) % 24 - 12)  # 0 … 12
        if k > 6:
            return -self.twelfths(12 - k)
        a, b, c, d = _QUARTERS[k]
        two, three = self["sqrt2"], self["sqrt3"]
        return (a + two * b + three * c + two * three * d) / 4

    def array(self, x: Any) -> np.ndarray:
        """Return numbers and elements as an object array of elements; raise stored errors."""
        x = np.asarray(x, dtype=object)
        result = np.empty(x.shape, dtype=object)
        for place in np.ndindex(*x.shape):
            result[place] = self.coerce(x[place])
        self.check()
        return result

    def quotient(self, f: Polynomial, g: Polynomial) -> Polynomial | None:
        """Return f/g if it is an element, else None; g is not zero.

        Numerator and denominator are multiplied by the conjugates of g, with −c for c, until g has no c.
        """
        for bit, (variable, _) in enumerate(self._relations):
            if g._squares >> bit & 1:
                leading = self.generators[self.names[variable]]
                conjugate = g - self._made(g.terms.derivative(variable), g._squares) * leading * 2
                f, g = f * conjugate, g * conjugate
        whole, rest = divmod(f.terms, g.terms)
        return None if len(rest) else self._made(whole, f._squares)

    def lowest_terms(self, f: Polynomial, g: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Return the numerator and the denominator of f/g without common factors; the denominator 1 if it divides."""
        common = f.terms.gcd(g.terms)
        if len(common) > 1 or not common.is_constant():
            f, g = self._made(f.terms / common, f._squares), self._made(g.terms / common, g._squares)
        quotient = self.quotient(f, g)
        return (f, g) if quotient is None else (quotient, self.one)

    def derivative(self, f: Polynomial, variable: str) -> Polynomial:
        """Return ∂f/∂variable, for an angle also through its cosine and sine. For quaternions use :meth:`rate`."""
        k = self.index[variable]
        total = self._made(f.terms.derivative(k), f._squares)
        circle = self._circle.get(id(self.generators[variable]))
        if circle:
            c, s = circle
            by_c = self._made(f.terms.derivative(self.index[f"cos({variable})"]), f._squares)
            by_s = self._made(f.terms.derivative(self.index[f"sin({variable})"]), f._squares)
            total = total + by_s * c - by_c * s
        return total

    def put(self, f: Polynomial, numbers: Mapping[str, int | Fraction]) -> Polynomial:
        """Return f with rational numbers for some variables; cosines and sines are separate variables."""
        known = {f"x{self.index[name]}": flint.fmpq(x.numerator, x.denominator) for name, x in numbers.items()}
        return self._made(f.terms.subs(known), f._squares)

    def rate(self, f: Polynomial, rates: Mapping[str, Any]) -> Polynomial:
        """Return Σ ∂f/∂x ẋ over {x: ẋ}; rates of quaternions must preserve their length."""
        total = self.zero
        for variable, rate in rates.items():
            if not (rate is self.zero or (type(rate) is float and rate == 0.0)):
                total = total + self.derivative(f, variable) * rate
        return total


class Polynomial:
    """Element of a :class:`Ring` in normal form."""

    __slots__ = ("_squares", "ring", "terms")
    ring: Ring
    terms: Any
    """polynomial of python-flint"""
    _squares: int
    """bits of the relations whose leading variable may occur"""

    def __reduce__(self) -> tuple[Any, ...]:
        terms = [(exponents, int(c.p), int(c.q)) for exponents, c in self.terms.to_dict().items()]
        return _restored, (self.ring, terms, self._squares)

    def _operand(self, y: Any) -> Any:
        """Return ``y`` as an element of the same ring; NotImplemented for arrays, so that NumPy broadcasts."""
        return NotImplemented if isinstance(y, np.ndarray) else self.ring.coerce(y)

    def __add__(self, y: Any) -> Any:
        if type(y) is not Polynomial or y.ring is not self.ring:
            if (y := self._operand(y)) is NotImplemented:
                return y
        ring = self.ring
        if self is ring.zero:
            return y
        if y is ring.zero:
            return self
        return ring._made(self.terms + y.terms, self._squares | y._squares)

    __radd__ = __add__

    def __sub__(self, y: Any) -> Any:
        if type(y) is not Polynomial or y.ring is not self.ring:
            if (y := self._operand(y)) is NotImplemented:
                return y
        ring = self.ring
        if y is ring.zero:
            return self
        return ring._made(self.terms - y.terms, self._squares | y._squares)

    def __rsub__(self, y: Any) -> Any:
        return y if (y := self._operand(y)) is NotImplemented else y - self

    def __mul__(self, y: Any) -> Any:
        if type(y) is not Polynomial or y.ring is not self.ring:
            if type(y) is float:  # the most frequent product in matrix notation
                if y == 0.0:
                    return self.ring.zero
                if y == 1.0:
                    return self
            if (y := self._operand(y)) is NotImplemented:
                return y
        ring = self.ring
        if self is ring.zero or y is ring.zero:
            return ring.zero
        if self is ring.one:
            return y
        if y is ring.one:
            return self
        if ring.failure is not None:
            return ring.zero
        if (work := len(self.terms) * len(y.terms)) > PRODUCT_LIMIT:
            sizes = f"{len(self.terms)} and {len(y.terms)}"
            return ring.refuse(TooLargeError(f"expressions of {sizes} terms are to be multiplied: {work} products"))
        p = self.terms * y.terms
        common = self._squares & y._squares
        return ring._made(ring.reduced(p, common) if common else p, self._squares | y._squares)

    __rmul__ = __mul__

    def __neg__(self) -> Polynomial:
        return self if self is self.ring.zero else self.ring._make(-self.terms, self._squares)

    def __pos__(self) -> Polynomial:
        return self

    def __truediv__(self, y: Any) -> Any:
        if isinstance(y, np.ndarray):
            return NotImplemented
        if type(y) is not Polynomial:
            turns = float(y) / math.pi
            if turns and 64.0 * turns == round(64.0 * turns):  # divisors that are multiples of π: pitches
                return self * (self.ring["1/pi"] * Fraction(1 / turns))
        divisor = self.ring.coerce(y)
        for reciprocal, known in self.ring.divisors.items():
            if divisor == known:
                quotient = self.ring.quotient(self, divisor)
                return self * self.ring[reciprocal] if quotient is None else quotient
        if len(divisor.terms) != 1 or not divisor.terms.is_constant():
            raise ExpressionError(f"polynomials are divided by numbers other than zero only, not by {divisor!r}")
        return self.ring._make(self.terms * (1 / divisor.terms.leading_coefficient()), self._squares)

    def __rtruediv__(self, y: Any) -> Any:
        return y if (y := self._operand(y)) is NotImplemented else y / self

    def __pow__(self, n: Any) -> Polynomial:
        if n != int(n) or n < 0:
            raise ExpressionError(f"polynomials have whole powers only, not {n!r}")
        power = self.ring.one
        for _ in range(int(n)):
            power = power * self
        return power

    def __eq__(self, y: object) -> bool:
        if type(y) is not Polynomial:
            return isinstance(y, (int, float, Fraction)) and self == self.ring.constant(y)
        if self.ring is y.ring or self.ring.names == y.ring.names:
            return bool(self.terms == y.terms)
        # in different rings: normal forms are equal if the variables that occur have the same names
        return len(self) == len(y) and self._named() == y._named()

    def _named(self) -> dict[frozenset[tuple[str, int]], Fraction]:
        """Return the coefficients by the variables and their exponents."""
        return {frozenset(factors): coefficient for factors, coefficient in self}

    def __hash__(self) -> int:
        if not len(self.terms):
            return hash(0)
        if not self.terms.is_constant():  # by values that do not depend on the ring, unlike the leading term
            return hash((Polynomial, len(self.terms)))
        c = self.terms.leading_coefficient()  # equal numbers hash alike
        return hash(Fraction(int(c.p), int(c.q)))

    def __bool__(self) -> bool:
        return len(self.terms) > 0

    def __len__(self) -> int:
        return len(self.terms)

    def _angle(self) -> dict[str, int]:
        """Return the angles of which this is a sum, with integer multiples; for "pi" in twelfths."""
        found: dict[str, int] = {}
        for name, exponents, coefficient in (
            ([n for n, e in factors if e], sum(e for _, e in factors), c) for factors, c in self
        ):
            if name == ["pi"] and exponents == 1 and (12 * coefficient).denominator == 1:
                found["pi"] = int(12 * coefficient)
                continue
            if exponents != 1 or name[0] not in self.ring.angles or coefficient.denominator != 1:
                raise ExpressionError(
                    f"{self!r} is no sum of whole multiples of joint angles and of pi/12: its sine is no polynomial"
                )
            found[name[0]] = int(coefficient)
        return found

    def _turn(self) -> tuple[Polynomial, Polynomial]:
        """Return cosine and sine."""
        circle = self.ring._circle.get(id(self))
        if circle is not None:
            return circle
        c, s = self.ring.one, self.ring.zero
        for name, multiple in self._angle().items():
            if name == "pi":
                one_c, one_s = self.ring.twelfths(multiple), self.ring.twelfths(6 - multiple)
                c, s = c * one_c - s * one_s, s * one_c + c * one_s
                continue
            one_c, one_s = self.ring[f"cos({name})"], self.ring[f"sin({name})"] * (1 if multiple > 0 else -1)
            for _ in range(abs(multiple)):
                c, s = c * one_c - s * one_s, s * one_c + c * one_s
        return c, s

    def cos(self) -> Polynomial:
        """Return the cosine of an angle, or of a sum of angles."""
        return self._turn()[0]

    def sin(self) -> Polynomial:
        """Return the sine of an angle, or of a sum of angles."""
        return self._turn()[1]

    def conjugate(self) -> Polynomial:
        return self

    def __iter__(self) -> Iterator[tuple[list[tuple[str, int]], Fraction]]:
        """Yield the terms: ([(variable, exponent), …], coefficient), leading ones first."""
        names = self.ring.names
        for used, c in _terms(self.terms):
            yield [(names[k], e) for k, e in used], c

    def used(self) -> set[str]:
        """Return the variables that occur."""
        if not len(self.terms):
            return set()
        return {name for name, degree in zip(self.ring.names, self.terms.degrees(), strict=True) if degree}

    def __repr__(self) -> str:
        shown = []
        for k, (factors, coefficient) in enumerate(self):
            if k == 20:
                shown.append(f"… ({len(self)} terms)")
                break
            powers = [name if e == 1 else f"{name}^{e}" for name, e in factors]
            if coefficient != 1 or not powers:
                powers.insert(0, str(coefficient))
            shown.append("*".join(powers))
        return " + ".join(shown) or "0"


def _terms(p: Any) -> Iterator[tuple[list[tuple[int, int]], Fraction]]:
    """Yield the terms of python-flint's polynomial: ([(index of variable, exponent), …], coefficient)."""
    if not len(p):
        return
    degrees = p.degrees()
    used = [k for k, degree in enumerate(degrees) if degree]
    if len(degrees) > 20 + 2 * len(used):  # python-flint yields the exponents of all variables
        few = flint.fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(used))], flint.Ordering.lex)
        p = p.project_to_context(few, dict(zip(used, range(len(used)), strict=True)))
        places = list(enumerate(used))
    else:
        places = [(k, k) for k in used]
    for exponents, c in p.terms():
        yield [(k, int(exponents[at])) for at, k in places if exponents[at]], _fraction(int(c.p), int(c.q))


@lru_cache(4096)
def _fraction(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator)


def evaluate(polynomials: Iterable[Polynomial], values: Mapping[str, float]) -> np.ndarray:
    """Return the float values at values of the variables; cosines, sines, signs, roots and 1/π are derived.

    The arithmetic is exact: only derived values and the result are rounded. NaN where a value is missing.
    """
    points: dict[Ring, dict[str, flint.fmpq]] = {}
    results = []
    for p in polynomials:
        ring, used = p.ring, p.used()
        if ring not in points:
            points[ring] = _exact(_known(ring, values))
        point = points[ring]
        for reciprocal in ring.divisors.keys() & used - point.keys():
            divisor = float(evaluate([ring.divisors[reciprocal]], values)[0])
            point |= _exact({reciprocal: 1.0 / divisor})
        if used <= point.keys():
            value = p.terms(*(point.get(name, 0) for name in ring.names))
            results.append(int(value.p) / int(value.q))
        else:
            results.append(math.nan)
    return np.array(results)


def _known(ring: Ring, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values, and those derived from them."""
    known = {"pi": math.pi, "1/pi": 1.0 / math.pi, **{root: math.sqrt(n) for root, n in SQUARE_ROOTS.items()}}
    known |= values
    for angle in values.keys() & set(ring.angles):
        known |= {f"cos({angle})": math.cos(values[angle]), f"sin({angle})": math.sin(values[angle])}
    signs = [name for name in ring.names if name.startswith("sign(")]
    return known | {name: float(np.sign(values[name[5:-1]])) for name in signs}


def _exact(values: Mapping[str, float]) -> dict[str, flint.fmpq]:
    """Return the finite values as fractions."""
    numbers = {name: float(x) for name, x in values.items()}
    return {name: flint.fmpq(*x.as_integer_ratio()) for name, x in numbers.items() if math.isfinite(x)}


def _restored(ring: Ring, terms: list[tuple[tuple[int, ...], int, int]], squares: int) -> Polynomial:
    """Restore a pickled element, from exponents of all variables and numerators and denominators of coefficients."""
    coefficients = {tuple(map(int, exponents)): flint.fmpq(p, q) for exponents, p, q in terms}
    return ring._made(ring._context.from_dict(coefficients), squares)
