"""Subproblems: the turns that fulfill a condition are found, and where none does those that come nearest."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.ik_solvers.exact.formulas.subproblems import (
    SineCosine,
    form_of,
    subproblem_1,
    subproblem_3,
    subproblem_4,
    subproblem_4_unit,
    subproblem_5,
    subproblem_6,
    turned,
    turns_of_quartic,
)
from linkwright.spatial.linear_algebra.linalg import damped_least_squares

SCAN = np.linspace(-np.pi, np.pi, 20001)


def unit(random):
    v = random.standard_normal(3)
    return v / np.linalg.norm(v)


def turn(angle):
    return SineCosine(np.sin(angle), np.cos(angle))


def scanned(k, p):
    """p turned about k by all angles (n, 3)."""
    along, beside = k * (k @ p), np.cross(k, p)
    return along + np.outer(np.sin(SCAN), beside) + np.outer(np.cos(SCAN), p - along)


@pytest.mark.parametrize("seed", range(20))
def test_one_turn_comes_as_near_as_any(seed):
    random = np.random.default_rng(seed)
    k, p, q, h = unit(random), *random.standard_normal((3, 3))
    d = random.uniform(-2.0, 2.0)
    all_turned = scanned(k, p)
    best = np.linalg.norm(all_turned - q, axis=1).min()
    assert np.linalg.norm(turned(k, subproblem_1(k, p, q), p) - q) <= best + 1e-12
    for pair, values in (
        (subproblem_4(k, p, h, d), lambda x: abs(x @ h - d)),
        (subproblem_3(k, p, q, np.array([d, 0.0, 0.0])), lambda x: abs((x - q) @ (x - q) - d * d)),
    ):
        best = np.array([values(x) for x in all_turned[::20]]).min()
        for one, exists in zip(*pair, strict=True):
            assert not exists or values(turned(k, one, p)) <= best + 1e-12
        exact = [one for one, exists in zip(*pair, strict=True) if exists and values(turned(k, one, p)) < 1e-12]
        changes = np.diff(np.sign([x @ h - d for x in all_turned])) if values(h) == abs(h @ h - d) else None
        assert changes is None or len(exact) == np.count_nonzero(changes)


@pytest.mark.parametrize("seed", range(20))
def test_two_turns_bring_directions_together(seed):
    random = np.random.default_rng(seed)
    k1, k2, p1 = unit(random), unit(random), unit(random)
    angles = random.uniform(-3.0, 3.0, 2)
    p2 = turned(k2, turn(-angles[1]), turned(k1, turn(angles[0]), p1))
    turns, exists = subproblem_4_unit(k1, p1, k2, p2)  # equal heights along k2
    assert all(exists)
    pairs = [(one, subproblem_1(k2, p2, turned(k1, one, p1))) for one in turns]
    for one, other in pairs:
        np.testing.assert_allclose(turned(k1, one, p1), turned(k2, other, p2), atol=1e-9)
    found = np.array([[one.angle(), other.angle()] for one, other in pairs])
    assert np.abs(found - angles).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_three_turns_and_two_equations(seed):
    random = np.random.default_rng(seed)
    k1, k2, k3 = (unit(random) for _ in range(3))
    p0, p1, p2, p3 = random.standard_normal((4, 3))
    angles = random.uniform(-3.0, 3.0, 3)
    t1, t2, t3 = map(turn, angles)
    p0 = turned(k2, t2, p2 + turned(k3, t3, p3)) - turned(k1, t1, p1)
    found = [x for x in subproblem_5("quartic", k1, k2, k3, p0, p1, p2, p3) if x[3]]
    off = [np.abs([t.angle() - a for t, a in zip(x[:3], angles, strict=True)]).max() for x in found]
    assert min(off) < 1e-7
    n1, n2 = random.standard_normal((2, 2, 2))
    for singular in (None, 0, 1):
        n1, n2 = n1.copy(), n2.copy()
        if singular is not None:
            (n1, n2)[singular][1] = (0.7, -0.4)[singular] * (n1, n2)[singular][0]
        d = n1 @ [t1.s, t1.c] + n2 @ [t2.s, t2.c]
        form = form_of([tuple(r) for r in n1], [tuple(r) for r in n2])
        found = subproblem_6([tuple(r) for r in n1], [tuple(r) for r in n2], list(d), form, (1.0, 1.0))
        off = [max(abs(x.first.angle() - angles[0]), abs(x.second.angle() - angles[1])) for x in found if x.exists]
        assert min(off) < 1e-7


def roots_on_circle(coefficients):
    a, b, c, d, e = coefficients
    z = np.roots([(d - 1j * e) / 2, (b - 1j * c) / 2, a, (b + 1j * c) / 2, (d + 1j * e) / 2])
    return np.sort(np.angle(z[np.abs(np.abs(z) - 1.0) < 1e-7]))


NEARLY_DOUBLE = (0.8091248006931532, -0.27428172619540836, 1.0, -0.19592818434363785, -0.11622742079507771)


def test_the_quartic_has_all_its_roots_on_the_circle():
    random = np.random.default_rng(0)
    polynomials = random.standard_normal((300, 5))
    polynomials[::5, 1] = 0.0
    polynomials[::7, 4] = 0.0

    def angles(p):
        return lw.stack([lw.where(exists, one.angle(), np.nan) for one, exists in turns_of_quartic(*p)])

    with np.errstate(invalid="ignore"):  # of what is no number
        kernel = lw.compile(angles, p=5)
    for p, compiled in zip(polynomials, kernel(polynomials), strict=True):
        expected = roots_on_circle(p)
        found = []
        for one, exists in turns_of_quartic(*p):
            value = p @ [1.0, one.c, one.s, one.c**2 - one.s**2, 2.0 * one.s * one.c]
            if exists and abs(value) < 1e-9:
                found.append(one.angle())
        np.testing.assert_allclose(np.sort(found), expected, atol=1e-6)
        assert np.isin(np.round(found, 6), np.round(compiled, 6)).all()


def test_two_roots_that_nearly_meet_are_both_found():
    found = [one.angle() for one, exists in turns_of_quartic(*NEARLY_DOUBLE) if exists]
    np.testing.assert_allclose(np.sort(found), [-1.30335838, -1.30297191], atol=1e-8)


def test_a_condition_that_any_turn_fulfils_has_one_answer():
    z = np.array([0.0, 0.0, 1.0])
    pair = subproblem_4(z, 2.0 * z, np.array([1.0, 0.0, 0.0]), 0.0)
    assert pair.turns[0].angle() == 0.0
    assert pair.exists[0]
    assert not pair.exists[1]
    assert subproblem_1(z, z, z).angle() == 0.0


def test_damped_least_squares_keeps_the_digits_of_small_singular_values():
    random = np.random.default_rng(0)
    U, V = (np.linalg.qr(random.standard_normal((n, n)))[0] for n in (6, 7))
    values = np.array([1.0, 0.5, 0.2, 0.1, 1e-3, 1e-8])
    A = U * values @ V[:6]
    b = U @ (values * np.ones(6))
    assert np.abs(damped_least_squares(A, b, 1e-24) - V[:6].sum(axis=0)).max() < 1e-6


def test_a_turn_of_a_point_near_the_axis_keeps_its_digits():
    k = np.array([1.0, 2.0, 2.0]) / 3.0
    side = np.array([2.0, 1.0, -2.0]) / 3.0
    p = k + 1e-9 * side
    turn = SineCosine(np.sin(0.7), np.cos(0.7))
    assert abs(subproblem_1(k, p, turned(k, turn, p)).angle() - 0.7) < 1e-6
