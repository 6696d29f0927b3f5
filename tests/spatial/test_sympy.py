"""Rotations and poses of SymPy's symbols: exact matrices, as textbooks print them."""

from __future__ import annotations

import html

import numpy as np
import pytest
import sympy as sp

import linkwright as lw
from linkwright.errors import ExpressionError, ShapeError, UnknownNameError

theta, x, y, z = sp.symbols("theta x y z")
c, s = sp.cos(theta), sp.sin(theta)
PRINTED = {
    "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
    "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
    "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
}


@pytest.mark.parametrize("axis", "xyz")
def test_the_axis_matrices_of_textbooks_in_three_ways(axis):
    along = [theta * int(axis == name) for name in "xyz"]
    assert lw.rotation.about(axis, theta).tolist() == PRINTED[axis]  # Rodrigues
    assert lw.rotation.exp(along).tolist() == PRINTED[axis]  # the exponential of a rotation vector
    series = sp.Matrix(lw.rotation.skew(along)).exp().applyfunc(lambda entry: entry.rewrite(sp.cos))
    assert sp.simplify(series - sp.Matrix(PRINTED[axis])) == sp.zeros(3)  # the exponential of the matrix


@pytest.mark.parametrize("axis", [(1, 1, 1), (1, -2, 2), (0.3, 0.4, 0)])
def test_symbols_and_numbers_agree(axis):
    R = sp.Matrix(lw.rotation.about(axis, theta))
    assert sp.simplify(R.T * R - sp.eye(3)) == sp.zeros(3)
    at = np.array(R.subs(theta, 0.7), dtype=float)
    np.testing.assert_allclose(at, lw.rotation.about(axis, 0.7), atol=1e-12)
    r = 0.7 * np.array(axis) / np.linalg.norm(axis)
    E = sp.Matrix(lw.rotation.exp([x, y, z])).subs(dict(zip((x, y, z), r, strict=True)))
    np.testing.assert_allclose(np.array(E, dtype=float), at, atol=1e-12)


FUNCTIONS = {
    "from_rpy": lambda a: lw.rotation.from_rpy(a),
    "from_euler": lambda a: lw.rotation.from_euler(a, "zxz"),
    "euler_axes": lambda a: lw.rotation.euler_axes(a, "zyx"),
    "left_jacobian": lambda a: lw.rotation.left_jacobian(a),
    "left_jacobian_inverse": lambda a: lw.rotation.left_jacobian_inverse(a),
    "right_jacobian": lambda a: lw.rotation.right_jacobian(a),
    "right_jacobian_inverse": lambda a: lw.rotation.right_jacobian_inverse(a),
    "transform.exp": lambda a: lw.transform.exp([*a[::-1], *a]),
    "transform.inverse": lambda a: lw.transform.inverse(lw.transform.make(lw.rotation.from_rpy(a), a)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_functions_are_exact(name):
    r = np.array([0.3, -0.4, 1.1])
    found = np.array(sp.Matrix(FUNCTIONS[name]([x, y, z])).subs(dict(zip((x, y, z), r, strict=True))), dtype=float)
    np.testing.assert_allclose(found, FUNCTIONS[name](r), atol=1e-12)


def test_rows_of_symbols():
    R = lw.rotation.about("y", [theta, 2 * theta])
    assert R.shape == (2, 3, 3)
    assert R[1].tolist() == [[entry.subs(theta, 2 * theta) for entry in map(sp.S, row)] for row in PRINTED["y"]]
    assert lw.rotation.about([[1, 0, 0], [0, 0, 2]], theta)[1].tolist() == PRINTED["z"]
    assert lw.rotation.about("z", sp.pi / 3)[0, 0] == sp.Rational(1, 2)


def test_a_pose_in_mathml():
    T = lw.transform.make(lw.rotation.about("z", theta), [x, y, 0])
    assert sp.Matrix(T @ lw.transform.inverse(T)).applyfunc(sp.simplify) == sp.eye(4)
    text = sp.mathml(sp.Matrix(T), printer="presentation")
    assert text.count("<mtr>") == 4
    assert html.unescape(text).count("<mi>θ</mi>") == 4


def test_what_symbols_cannot_do_is_an_error():
    R = lw.rotation.about("z", theta)
    for wrong in (lambda: lw.rotation.log(R), lambda: lw.rotation.to_quaternion(R), lambda: lw.rotation.to_rpy(R)):
        with pytest.raises(ExpressionError, match=r"selects by the size of its arguments, .* linkwright.symbols"):
            wrong()
    with pytest.raises(ExpressionError, match="expressions of SymPy are expected"):
        lw.rotation.about("z", sp.Eq(x, y))
    with pytest.raises(UnknownNameError, match="unknown axis 'q'"):
        lw.rotation.about("q", theta)
    with pytest.raises(ShapeError, match=r"axis has shape \(2,\)"):
        lw.rotation.about([x, 1], theta)
