"""Roots of trigonometric polynomials: each is between angles of its own, however near others are."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.ik_solvers.exact.formulas.general import determinant
from linkwright.ik_solvers.exact.formulas.roots import (
    CELL,
    basis,
    brackets,
    cell_with_roots,
    cells_with_roots,
    derivatives,
    root_between,
)

CELLS_OF = lw.compile(lambda p: lw.stack(cells_with_roots(p, 0.0)), p=(17,))
CELL_OF = lw.compile(cell_with_roots, polynomial=(17,), noise=(), middle=(), half=())
ANGLES = 2.0 * np.pi * np.arange(17) / 17.0
ROOT = lw.compile(root_between, polynomial=(17,), low=(), high=())


def with_roots(angles):
    """The polynomial (17,) whose sixteen roots these are, some perhaps complex: the product of sin ½(θ − θ_k)."""
    values = np.prod(np.sin(0.5 * (ANGLES[:, None] - np.asarray(angles))), axis=1)
    p = np.linalg.solve(basis(ANGLES), values.real)
    return p / np.abs(p).sum()


def roots_of(p):
    rows, low, high, several = brackets(p, np.zeros(len(p)), CELLS_OF(p), CELL_OF)
    return rows, ROOT(p[rows], low, high), several


def in_order(angles):
    """Angles in [-π, π), sorted."""
    return np.sort(np.remainder(angles + np.pi, 2.0 * np.pi) - np.pi, axis=-1)


def test_sixteen_random_roots_are_found():
    random = np.random.default_rng(0)
    angles = np.sort(random.uniform(-np.pi, np.pi, (50, 16)), axis=1)
    p = np.array([with_roots(x) for x in angles])
    rows, found, several = roots_of(p)
    good = np.ones(50, dtype=bool)
    good[rows[several]] = False  # two roots within 1e-3 among sixteen are one, as far as digits go
    assert good.sum() >= 45
    assert (np.bincount(rows, minlength=50)[good] == 16).all()
    np.testing.assert_allclose(in_order(found[good[rows]].reshape(-1, 16)), angles[good], rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "near", [[0.0, 0.006, 0.012], [0.0, 0.003, 0.007, 0.011], [0.0, 0.001], [-0.0242, -0.0039, 0.0]]
)
def test_roots_that_share_a_cell_are_reported_apart(near):
    """Three and four in a cell are what an arm of random geometry has once in some thousand postures."""
    random = np.random.default_rng(1)
    for start in random.uniform(-3.0, 3.0, 20):
        pairs = random.uniform(-3.0, 3.0, 8) + 1j * random.uniform(0.5, 2.0, 8)  # not real: none beside these
        free = (16 - len(near) - len(near) % 2) // 2
        others = [] if len(near) % 2 == 0 else [start + 2.0]
        p = with_roots(np.concatenate([start + np.array(near), others, pairs[:free], pairs[:free].conj()]))
        _, found, several = roots_of(p[None])
        assert not several.any()
        expected = np.concatenate([start + np.array(near), others])
        np.testing.assert_allclose(in_order(found), in_order(expected), rtol=0, atol=1e-6)


def test_a_root_on_the_border_of_cells_is_reported_once():
    pairs = np.linspace(-3.0, 3.0, 7) + 1j
    p = with_roots(np.concatenate([[5.0 * CELL, 2.0], pairs, pairs.conj()]))
    _, found, several = roots_of(p[None])
    np.testing.assert_allclose(np.sort(found), [5.0 * CELL, 2.0], atol=1e-9)
    assert not several.any()


def test_a_double_root_is_reported_as_doubtful():
    pairs = np.linspace(-3.0, 3.0, 7) + 1j
    p = with_roots(np.concatenate([[1.0, 1.0], pairs, pairs.conj()]))
    _, found, several = roots_of(p[None])
    assert several.all()
    assert np.abs(found - 1.0).max() < 1e-5
    assert abs(derivatives(p, 1.0)[1]) < 1e-12


def test_the_determinant_is_that_of_the_twelve_equations():
    random = np.random.default_rng(2)
    for _ in range(20):
        m = random.standard_normal((6, 9))
        m[3, 3:6] *= 1e-9  # elimination without the largest pivots loses digits here
        whole = np.zeros((12, 12))
        whole[:6, :9] = whole[6:, 3:] = m
        assert abs(determinant(m)[0]) == pytest.approx(abs(np.linalg.det(whole)), rel=1e-11)


def test_the_gradient_of_the_determinant_is_estimated_where_no_pivot_is_small():
    """Two coupled pivots of 1e-6 make a singular value of 1e-12: at straight arms, whose x₄ is 0."""
    random = np.random.default_rng(3)
    for k in range(200):
        m = random.standard_normal((6, 9))
        m[:, k % 3] *= 10.0 ** random.uniform(-6.0, 0.0)
        whole = np.zeros((12, 12))
        whole[:6, :9] = whole[6:, 3:] = m
        norm = np.prod(np.linalg.svd(whole, compute_uv=False)[:-1])
        assert 0.1 * norm < determinant(m)[1] < 10.0 * norm
