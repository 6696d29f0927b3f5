"""Two short forms of polynomials in sines and cosines: few products, and multiple angles.

A normal form writes cos(θ1 + θ2) as a difference of two products. Terms with equal other factors are
combined here, and their coefficient, a polynomial in sines and cosines, is written either with
sums of angles (by the addition theorems, as long as they combine terms) or by product-to-sum formulas
as a Fourier series, which is a normal form too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from math import lcm
from typing import NamedTuple

from linkwright.errors import InputError
from linkwright.expression.polynomials.polynomial import Polynomial

Angles = tuple[tuple[str, int], ...]
"""Sum of angles with integer multiples, in the order of their names."""


class Wave(NamedTuple):
    """Cosine or sine of a sum of angles."""

    function: str
    """"cos" or "sin\""""
    angles: Angles


Atom = str | Wave
Powers = tuple[tuple[Atom, int], ...]
"""Product of powers."""


class HarmonicTerm(NamedTuple):
    """Number times powers of variables and of cosines and sines."""

    coefficient: Fraction
    factors: Powers


FORMS = ("products", "angles")


def terms_of(p: Polynomial, form: str = "products") -> list[HarmonicTerm]:
    """Return the terms of p in the form "products" (few products) or "angles" (multiple angles)."""
    if form not in FORMS:
        raise InputError(f"form is {form!r}; it may be {', '.join(map(repr, FORMS))}")
    order = {name: k for k, name in enumerate(p.ring.angles)}
    groups: dict[Powers, dict[Powers, Fraction]] = {}
    for factors, coefficient in p:
        plain = _without_pi_over_pi(tuple((name, e) for name, e in factors if not name.startswith(("cos(", "sin("))))
        turns = tuple(
            (Wave(name[:3], ((name[4:-1], 1),)), e) for name, e in factors if name.startswith(("cos(", "sin("))
        )
        group = groups.setdefault(plain, {})
        group[turns] = group.get(turns, Fraction(0)) + coefficient
    found = []
    for plain, waves in groups.items():
        if form == "angles":
            short = _series(waves, order)
        elif len(short := _joined(waves, order)) > 1:
            short = min(short, _series(waves, order), key=len)
        found += [
            HarmonicTerm(coefficient, (*plain, *factors)) for factors, coefficient in short.items() if coefficient
        ]
    return found


def _without_pi_over_pi(factors: Powers) -> Powers:
    """Return powers with π, or with 1/π, but not with both."""
    powers = dict(factors)
    if not {"pi", "1/pi"} <= powers.keys():
        return factors
    net = powers.pop("pi") - powers["1/pi"]
    powers["1/pi"] = abs(net)  # both stand side by side
    return tuple(("pi" if name == "1/pi" and net > 0 else name, e) for name, e in powers.items() if e)


def _sum(a: Angles, b: Angles, sign: int, order: dict[str, int]) -> tuple[Angles, int]:
    """Return a ± b with a positive first multiple, and the required sign."""
    total = dict(a)
    for name, n in b:
        total[name] = total.get(name, 0) + sign * n
    angles = tuple(sorted(((name, n) for name, n in total.items() if n), key=lambda item: order[item[0]]))
    if angles and angles[0][1] < 0:
        return tuple((name, -n) for name, n in angles), -1
    return angles, 1


def _series(waves: dict[Powers, Fraction], order: dict[str, int]) -> dict[Powers, Fraction]:
    """Apply product-to-sum formulas: every term becomes a number times one cosine or sine."""
    total: dict[Wave, int] = {}
    angles = tuple(order)
    parts = [(_series_of_product(factors, angles), coefficient) for factors, coefficient in waves.items()]
    whole = lcm(*(coefficient.denominator for coefficient in waves.values()))  # common denominator
    halves = max(n for (_, n), _ in parts)
    for (series, n), coefficient in parts:
        share = coefficient.numerator * (whole // coefficient.denominator) << (halves - n)
        for wave, c in series:
            total[wave] = total.get(wave, 0) + share * c
    whole <<= halves
    return {((wave, 1),) if wave.angles else (): Fraction(c, whole) for wave, c in total.items() if c}


@lru_cache(maxsize=4096)
def _series_of_product(factors: Powers, angles: tuple[str, ...]) -> tuple[tuple[tuple[Wave, int], ...], int]:
    """Return the series of a product: integer multiples of waves, and the number of factors ½."""
    order = {name: k for k, name in enumerate(angles)}
    series, halves = {Wave("cos", ()): 1}, 0
    for wave, exponent in factors:
        assert isinstance(wave, Wave)
        for _ in range(exponent):
            series, halves = _twice_times(series, wave, order), halves + 1
    return tuple(series.items()), halves


def _twice_times(series: dict[Wave, int], wave: Wave, order: dict[str, int]) -> dict[Wave, int]:
    result: dict[Wave, int] = {}
    for one, c in series.items():
        for way in (1, -1):  # a ± b
            angles, sign = _sum(one.angles, wave.angles, way, order)
            if one.function == wave.function:  # cos cos and sin sin
                function, part = "cos", c if one.function == "cos" else -way * c
            else:  # sin a cos b, cos a sin b
                function, part = "sin", sign * c if one.function == "sin" else sign * way * c
            if function == "cos" or angles:
                key = Wave(function, angles)
                result[key] = result.get(key, 0) + part
    return {key: c for key, c in result.items() if c}


def _joined(waves: dict[Powers, Fraction], order: dict[str, int]) -> dict[Powers, Fraction]:
    """Combine pairs of terms by addition theorems and by 1 − sin² = cos², as long as possible."""
    terms = dict(waves)
    changed = len(terms) > 1
    while changed:
        changed = False
        for factors in list(terms):
            if factors not in terms:
                continue
            for partner, joints in _partners(factors, order):
                beside = terms.get(partner)
                if beside is None:
                    continue
                c = terms[factors]
                found = next((one for one in joints() if beside == one.ratio * c), None)
                if found is not None:
                    del terms[factors], terms[partner]
                    terms[found.joint] = terms.get(found.joint, Fraction(0)) + found.sign * c
                    if not terms[found.joint]:
                        del terms[found.joint]
                    changed = True
                    break
    return terms


class _CombinedTerm(NamedTuple):
    """Result of combining a term with its partner."""

    ratio: int
    """required coefficient of the partner relative to that of the term"""
    joint: Powers
    sign: int


def _partners(factors: Powers, order: dict[str, int]) -> Iterator[tuple[Powers, Callable[[], Iterator[_CombinedTerm]]]]:
    """Yield the terms that can be combined with a term, and the results."""
    items = [wave for wave, _ in factors if isinstance(wave, Wave)]
    for i, a in enumerate(items):
        if a.function == "sin" and dict(factors)[a] >= 2:  # −X sin² + X = X cos²
            rest = _swapped(factors, (a, a), (), order)
            yield rest, partial(_with_cosine, rest, Wave("cos", a.angles), order)
        for b in items[i + 1 :]:
            if a.angles != b.angles and (a.function == b.function == "cos" or (a.function, b.function) == _MIXED):
                others = Wave(_OTHER[a.function], a.angles), Wave(_OTHER[b.function], b.angles)
                yield _swapped(factors, (a, b), others, order), partial(_with_others, factors, a, b, order)


_OTHER = {"cos": "sin", "sin": "cos"}
_MIXED = ("sin", "cos")


def _with_cosine(rest: Powers, cosine: Wave, order: dict[str, int]) -> Iterator[_CombinedTerm]:
    yield _CombinedTerm(-1, _swapped(rest, (), (cosine, cosine), order), -1)


def _with_others(factors: Powers, a: Wave, b: Wave, order: dict[str, int]) -> Iterator[_CombinedTerm]:
    for way in (1, -1):
        angles, sign = _sum(a.angles, b.angles, way, order)
        joint = _swapped(factors, (a, b), (Wave(a.function, angles),), order)
        if a.function == "cos":  # cos a cos b ∓ sin a sin b = cos(a ± b)
            yield _CombinedTerm(-way, joint, 1)
        else:  # sin a cos b ± cos a sin b = sin(a ± b)
            yield _CombinedTerm(way, joint, sign)


def _swapped(factors: Powers, out: tuple[Wave, ...], into: tuple[Wave, ...], order: dict[str, int]) -> Powers:
    powers = dict(factors)
    for wave in out:
        powers[wave] -= 1
    for wave in into:
        powers[wave] = powers.get(wave, 0) + 1

    def rank(item: tuple[Atom, int]) -> tuple[int, Angles, bool]:
        wave = item[0]
        assert isinstance(wave, Wave)
        return order[wave.angles[0][0]], wave.angles, wave.function == "sin"

    return tuple(sorted(((w, e) for w, e in powers.items() if e), key=rank))
