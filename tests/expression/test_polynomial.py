"""The normal form: ring laws, equality that decides, NumPy arrays of elements, values, limits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.errors import ExpressionError, InputError, TooLargeError
from linkwright.expression.polynomials.harmonics import Wave, terms_of
from linkwright.expression.polynomials.polynomial import Ring, evaluate, rational
from linkwright.spatial.rotation import quaternion_matrix, rotation_z, skew

RING = Ring(["a", "b", "c"], [("w", "x", "y", "z")], ["d", "m"])
NAMES = [name for name in RING.names if name != "1/pi"]
VALUES = {
    "a": 0.7,
    "b": -1.9,
    "c": 2.6,
    "d": 0.3,
    "m": 1.7,
    **dict(zip("wxyz", np.array([1, -2, 3, 4]) / math.sqrt(30.0), strict=True)),
}
A, B = RING["a"], RING["b"]


@st.composite
def elements(draw):
    total = RING.zero
    for _ in range(draw(st.integers(0, 4))):
        term = RING.constant(draw(st.fractions(-3, 3, max_denominator=8)))
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=5)):
            term = term * RING[name]
        total = total + term
    return total


@settings(max_examples=60, deadline=None)
@given(elements(), elements(), elements())
def test_ring_laws(p, q, r):
    assert p * q == q * p
    assert p + q == q + p
    assert (p * q) * r == p * (q * r)
    assert (p + q) * r == p * r + q * r
    assert p - p == 0
    assert -p == 0 - p
    assert p - q == p + -q
    assert p * 1 == p
    assert p + 0.0 == p


@settings(max_examples=60, deadline=None)
@given(elements(), elements())
def test_values(p, q):
    x, y, product, total = evaluate([p, q, p * q, p - q], VALUES)
    assert product == pytest.approx(x * y, rel=1e-11, abs=1e-10)
    assert total == pytest.approx(x - y, rel=1e-11, abs=1e-10)


def test_values_are_those_of_exact_arithmetic():
    d, m = RING["d"], RING["m"]
    difference, other = d**2 - 2 * d * m + m**2, d + RING["w"]
    values = {"d": 1.0 + 2.0**-40, "m": 1.0, "w": math.inf}
    assert evaluate([difference, RING.zero], values).tolist() == [2.0**-80, 0.0]
    assert np.isnan(evaluate([other, A * d], values)).all()  # a value that is infinite, and one that is missing


@settings(max_examples=60, deadline=None)
@given(elements(), elements())
def test_no_leading_variable_stands_squared(p, q):
    for factors, _ in p * q:
        for name, exponent in factors:
            assert exponent == 1 or not (name.startswith("cos") or name in ("w", "sqrt2", "sqrt3"))


@settings(max_examples=40, deadline=None)
@given(elements(), elements(), st.sampled_from(["a", "c", "d", "m"]))
def test_derivative_is_a_derivation(p, q, name):
    def d(x):
        return RING.derivative(x, name)

    assert d(p * q) == d(p) * q + p * d(q)
    assert d(p + q) == d(p) + d(q)


def test_identities_are_equalities():
    assert A.sin() ** 2 + A.cos() ** 2 == 1
    assert (A + B).cos() == A.cos() * B.cos() - A.sin() * B.sin()
    assert (A - B).sin() == A.sin() * B.cos() - A.cos() * B.sin()
    assert (3 * A).sin() == 3 * A.sin() - 4 * A.sin() ** 3
    assert (2.0 * A).cos() == 1 - 2 * A.sin() ** 2
    assert RING["w"] ** 2 + RING["x"] ** 2 + RING["y"] ** 2 + RING["z"] ** 2 == 1
    assert (RING["sqrt2"] * RING["sqrt3"]) ** 2 == 6
    assert A.sin() ** 2 != A.cos() ** 2
    assert A.sin() != A
    assert RING.derivative(A.sin() * A, "a") == A.cos() * A + A.sin()
    assert len({A.sin() ** 2, 1 - A.cos() ** 2}) == 1


def test_numbers_are_taken_at_their_word():
    assert rational(0.1) == Fraction(1, 10)
    assert 0.1 * A == A / 10
    assert A / 0.5 == A + A
    assert rational(1e-20) == Fraction(1, 10**20)
    assert (0.3 * A) / (2.0 * np.pi) == A * RING["1/pi"] * Fraction(3, 20)
    assert np.float64(2.0) * A == A + A


def test_arrays_go_through_the_library():
    R = rotation_z(A) @ rotation_z(B)
    assert (RING.array(R) == RING.array(rotation_z(A + B))).all()
    Q = quaternion_matrix(np.array([RING[n] for n in "wxyz"]))
    assert (RING.array(Q @ Q.T) == RING.array(np.eye(3))).all()
    v = RING.array([1.0, 0.0, A])
    assert (RING.array(skew(v) @ v) == RING.zero).all()
    assert np.sin(np.array([A, B], dtype=object))[1] == B.sin()


def test_what_is_no_polynomial_is_refused():
    for wrong in (lambda: 1.0 / A, lambda: A / 0.0, lambda: A**-1, lambda: (0.5 * A).sin(), lambda: RING["d"].cos()):
        with pytest.raises(ExpressionError):
            wrong()
    with pytest.raises(InputError, match="'products', 'angles'"):
        terms_of(A.sin(), "waves")
    with pytest.raises(ExpressionError, match="twice"):
        Ring(["a"], (), ["a"])


def test_sums_and_products_never_raise_but_are_not_forgotten():
    other = Ring(["a"])["a"]
    M = np.array([[A, other], [B, 1.0]], dtype=object)
    _ = M @ M  # an exception in here would corrupt memory
    with pytest.raises(ExpressionError, match="two rings"):
        RING.check()
    RING.check()
    with pytest.raises(ExpressionError, match="combined with 'text'"):
        RING.array([A, "text"])


def test_too_many_terms_are_reported():
    ring = Ring([], (), [f"x{k}" for k in range(12)], term_limit=1000)
    total = sum(ring.generators[f"x{k}"] for k in range(12)) ** 5
    assert total == 0
    with pytest.raises(TooLargeError, match=r"reached 1365 terms, more than 1000"):
        ring.check()


@settings(max_examples=40, deadline=None)
@given(elements(), st.sampled_from(["products", "angles"]))
def test_other_forms_are_the_same(p, form):
    total = RING.zero
    for coefficient, factors in terms_of(p, form):
        term = RING.constant(coefficient)
        for atom, exponent in factors:
            if isinstance(atom, Wave):
                angle = sum((RING[name] * n for name, n in atom.angles), RING.zero)
                atom = angle.cos() if atom.function == "cos" else angle.sin()
            else:
                atom = RING[atom]
            term = term * atom**exponent
        total = total + term
        if form == "angles":
            assert sum(e for atom, e in factors if isinstance(atom, Wave)) <= 1
    assert total == p


@pytest.mark.parametrize("multiples", [(1, 1, 1), (1, -1, 1), (1, 1, -1), (0, 1, 1), (1, 0, -1)])
def test_sums_of_angles_are_recognized(multiples):
    angle = sum((RING[name] * n for name, n in zip("abc", multiples, strict=True)), RING.zero)
    for function in ("cos", "sin"):
        (term,) = terms_of(RING["m"] * getattr(angle, function)())
        assert term.coefficient == 1
        assert term.factors[1][0].function == function
        assert dict(term.factors[1][0].angles) == {n: k for n, k in zip("abc", multiples, strict=True) if k}


def test_squares_of_cosines_stay_one_term():
    (term,) = terms_of(A.cos() ** 2 * B.sin())
    assert dict(term.factors)[Wave("cos", (("a", 1),))] == 2


def test_quotients():
    ring = Ring(["a"], (), ["x", "y"])
    x, y, c, s = ring["x"], ring["y"], ring["a"].cos(), ring["a"].sin()
    two, three = ring["sqrt2"], ring["sqrt3"]
    for f, g in (
        (x + y, x - y),
        (x * two + y, two + three),
        (c * x + two, c + two * s + 1),
        (ring.one * 3, two * three + x * c),
    ):
        assert ring.quotient(f * g, g) == f
        assert ring.quotient(ring.zero, g) == 0
    assert ring.quotient(x, y) is None
    assert ring.quotient(s * s, c + 1) == 1 - c
    assert ring.quotient(ring.one, two) * two == 1
