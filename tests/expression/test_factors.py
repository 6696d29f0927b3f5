"""Factors and determinants of polynomials in sines and cosines: products come back, whatever form they had taken."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.expression.polynomials.factors import determinant, factored
from linkwright.expression.polynomials.polynomial import Ring

RING = Ring(("a", "b"), (), ("l", "m"))
C, S, D, T = (RING[name] for name in ("cos(a)", "sin(a)", "cos(b)", "sin(b)"))
L, M = RING["l"], RING["m"]
PIECES = [
    S,
    T,
    L,
    L * C - M * S,
    L * C + M * (C * D - S * T),
    1 + C,
    1 - D,
    C * D - S * T,
    S * D + C * T,
    L + M * D,
    2 * L * C + 3 * M,
    M * M + L * L + 2 * L * M * D,
]


def size(found):
    return sum(power for _, power in found.factors)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(range(len(PIECES))), min_size=1, max_size=4), st.fractions(-3, 3, max_denominator=9))
def test_products_come_back_in_factors(chosen, number):
    product = RING.constant(number)
    for k in chosen:
        product = product * PIECES[k]
    found = factored(product)
    assert found.product(RING) == product
    if not number:
        assert found == (Fraction(0), ())
        return
    assert size(found) >= len(chosen)  # every piece is one, or splits further: 1 + cos a is 2 cos² of the half


@pytest.mark.parametrize("k", range(len(PIECES)))
def test_what_does_not_split_is_left(k):
    found = factored(PIECES[k])
    assert size(found) == 1
    assert found.product(RING) == PIECES[k]


def test_factors_hidden_by_the_normal_form():
    one, other = L * C - M * S, L * C + M * (C * D - S * T)
    assert [factor for factor, _ in factored(one * other * T * T).factors].count(T) == 1
    found = {repr(factor): power for factor, power in factored(one * one * other * S).factors}
    assert found == {repr(one): 2, repr(other): 1, repr(S): 1}
    assert factored(C * C + S * S).factors == ()
    assert factored(RING.constant(Fraction(-3, 4))) == (Fraction(-3, 4), ())


def test_determinants():
    rng = np.random.default_rng(0)
    for n in range(5):
        A = rng.integers(-3, 4, (n, n))
        assert determinant(RING, RING.array(A)) == RING.constant(round(float(np.linalg.det(A))))
    turn = RING.array([[C, -S, 0], [S, C, 0], [0, 0, 1]])
    assert determinant(RING, turn) == RING.one
