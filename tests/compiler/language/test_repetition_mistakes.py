"""Mistakes in loops of the language are explained; systems of equations, norms and limits have NumPy's results."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native.machine import target
from linkwright.errors import ArgumentError, ExpressionError, InputError, ShapeError, TooLargeError
from mechanisms import relative_error

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it


ROWS = 2 * target().width + 3


def z3():
    return np.zeros(3)


MISTAKES = {
    "count": (lambda: lw.repeat(2.5, lambda k, x: x, 1.0), InputError, "count is a whole number from 0 on; got 2.5"),
    "keep": (lambda: lw.repeat(2, lambda k, x: x, 1.0, keep=0), InputError, "keep is a whole number from 1"),
    "limit": (lambda: lw.until(lambda x: x, lambda x: x, 1.0, limit=True), InputError, "limit is a whole number"),
    "nothing": (lambda: lw.repeat(2, lambda k: k), ArgumentError, "a step needs a state"),
    "shape": (
        lambda: lw.repeat(2, lambda k, x: x[:2], np.ones(3)),
        ShapeError,
        r"\(2,\); the state is an array \(3,\)",
    ),
    "text": (lambda: lw.repeat(2, lambda k, x: x, "a"), ArgumentError, "real numbers"),
    "condition": (
        lambda: lw.compile(lambda x: lw.until(lambda x: x[:1] < 0.0, lambda x: x - 1.0, x, limit=3)[0], x=2),
        ShapeError,
        r"the condition has shape \(1, 2\) of states that begin with \(1,\)",
    ),
    "condition on numbers": (
        lambda: lw.until(lambda x: x[:1] < 0.0, lambda x: x - 1.0, np.ones(2), limit=3),
        ShapeError,
        r"the condition has shape \(1, 2\) of states that begin with \(1,\)",
    ),
    "index": (
        lambda: lw.compile(lambda x: lw.repeat(3, lambda k, y: y + np.ones(3)[k], x), x=()),
        ExpressionError,
        "cannot be an index",
    ),
    "kept": (
        lambda: lw.compile(lambda x: lw.repeat(10**9, lambda k, y: y, x, keep=1)[1], x=()),
        TooLargeError,
        "1000000000 numbers are stored",
    ),
    "leak": (
        lambda: lw.compile(lambda x: [y := [], lw.repeat(3, lambda k, z: y.append(z) or z, x), y[0]][2], x=()),
        ArgumentError,
        "known outside",
    ),
    "nothing returned": (
        lambda: lw.repeat(2, lambda k, x: None, 1.0),
        ShapeError,
        "returns None; the state is a number",
    ),
    "list": (lambda: lw.repeat(2, lambda k, x, y: [x, y], z3(), z3()), ShapeError, "returned as a tuple"),
    "None": (lambda: lw.repeat(2, lambda k, x: x, None), ArgumentError, "real numbers; got None"),
    "no truth": (
        lambda: lw.until(lambda x: x + 1.0, lambda x: x, 1.0, limit=3),
        ArgumentError,
        r"returns 2\.0; expected a",
    ),
    "no truth at all": (lambda: lw.until(lambda x: None, lambda x: x, 1.0, limit=3), ArgumentError, "returns None"),
    "damping": (lambda: lw.solve(np.eye(3), z3(), damping=-1.0), InputError, "d ≥ 0"),
    "within": (
        lambda: lw.compile(lambda x: lw.repeat(4, lambda k, a, b: (a, b), x, x[:2], keep=2), x=3),
        ArgumentError,
        "a tuple within a tuple",
    ),
    "two graphs": (
        lambda: lw.repeat(3, lambda k, x, y: (x + 1, y + 1), lw.symbols("x", 3), lw.symbols("y", 3)),
        ExpressionError,
        "two traces",
    ),
    "branch": (
        lambda: lw.compile(lambda x: lw.repeat(3, lambda k, x: x if k > 1 else -x, x), x=()),
        ExpressionError,
        "if cannot depend on q, v, t",
    ),
    # mistakes that have nothing to do with symbols are Python's own
    "no limit": (
        lambda: lw.compile(lambda x: lw.until(lambda x: x < 1.0, lambda x: x / 2.0, x)[0], x=()),
        ArgumentError,
        r"^until lacks 'limit'; it takes \(condition, step, \*state, limit, keep=None\)$",
    ),
    "too few arguments": (
        lambda: lw.compile(lambda x: lw.repeat(3, lambda x: x, x), x=()),
        TypeError,
        r"takes 1 positional argument but 2 were given$",
    ),
    "a word too many": (lambda: lw.compile(lambda x: lw.norm(x, axis=0), x=3), TypeError, "'axis'; it takes \\(x\\)$"),
    "None added": (lambda: lw.compile(lambda x: x.sum() + (None + 1), x=3), TypeError, "'NoneType' and 'int'$"),
    "a word as index": (lambda: lw.compile(lambda x: x["a"], x=3), IndexError, "^only integers"),
    "raised by the function": (lambda: lw.compile(lambda x: _refuse(x), x=3), TypeError, "^gains must be text$"),
}


def _refuse(x):
    raise TypeError("gains must be text")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_explained(mistake):
    call, error, words = MISTAKES[mistake]
    with pytest.raises(error, match=words):
        call()


# linear algebra


@pytest.mark.parametrize("n", [1, 2, 5])
def test_systems_of_equations(n):
    rng = np.random.default_rng(n)
    A, b, B = rng.normal(size=(ROWS, n, n)), rng.normal(size=(ROWS, n)), rng.normal(size=(ROWS, n, 3))
    A[0, 0, 0] = 0.0 if n > 1 else 1.0  # the first pivot is not the diagonal
    S, tall = A @ np.swapaxes(A, 1, 2) + np.eye(n), rng.normal(size=(ROWS, n + 2, n))
    cases = [
        (lambda A, b: lw.solve(A, b), (A, b), np.linalg.solve(A, b[..., None])[..., 0]),
        (lambda A, b: lw.solve(A, b), (A, B), np.linalg.solve(A, B)),
        (lambda A, b: lw.solve(A, b, symmetric=True), (S, B), np.linalg.solve(S, B)),
        (
            lambda A, b: lw.solve(A, b, damping=0.0),
            (tall, np.ones((ROWS, n + 2))),
            np.linalg.pinv(tall) @ np.ones(n + 2),
        ),
        (lambda A, b: lw.solve(np.swapaxes(A, -1, -2), b, damping=0.3), (tall, b), None),
        (lambda A, b: lw.cholesky(A) @ b, (S, b), (np.linalg.cholesky(S) @ b[..., None])[..., 0]),
    ]
    for function, (left, right), expected in cases:
        kernel = lw.compile(function, A=left.shape[1:], b=right.shape[1:])
        if expected is None:
            J = np.swapaxes(left, 1, 2)
            expected = (left @ np.linalg.solve(J @ left + 0.09 * np.eye(n), right[..., None]))[..., 0]
        assert relative_error(kernel(left, right), expected) < 1e-8
        if function is not cases[-1][0]:
            assert relative_error(function(left, right), expected) < 1e-8


def test_lengths_and_limits():
    x = np.random.default_rng(0).normal(size=(ROWS, 4))
    assert relative_error(lw.compile(lw.norm, x=4)(x), np.linalg.norm(x, axis=1)) < 1e-15
    assert relative_error(lw.norm(x), np.linalg.norm(x, axis=1)) < 1e-15
    assert lw.compile(lambda x: lw.norm(x[0]), x=4)(x[0]) == abs(x[0, 0])
    for size in (1e-300, 1e-200, 1e-150, 1.0, 1e150, 1e200, 1e300):
        y = x * size
        expected = np.linalg.norm(y / size, axis=1) * size
        for computed in (lw.norm(y), lw.compile(lw.norm, x=4)(y), np.array([lw.norm(row) for row in y])):
            assert computed == pytest.approx(expected, rel=1e-15, abs=0.0)
        slopes = lw.compile(lw.norm, x=4).derivative("x")(y)
        assert relative_error(slopes, y / expected[:, None]) < 1e-14
    assert lw.norm(np.zeros(3)) == lw.compile(lw.norm, x=3)(np.zeros(3)) == 0.0
    assert lw.norm([4_000_000_000_000, 3_000_000_000_000]) == 5e12
    assert np.isnan(lw.norm([np.nan, 1.0]))
    assert lw.norm([np.inf, 1.0]) == lw.compile(lw.norm, x=2)([np.inf, 1.0]) == np.inf
    assert np.array_equal(lw.clip(x, None, 0.3), np.minimum(x, 0.3))
    kernel = lw.compile(lambda x: lw.clip(x, -0.5, 0.3), x=4)
    assert np.array_equal(kernel(x), np.clip(x, -0.5, 0.3))


def test_matrices_that_cannot_be_solved():
    with pytest.raises(InputError, match="singular"):
        lw.solve(np.zeros((2, 2)), [1.0, 2.0])
    with pytest.raises(InputError, match="positive definite"):
        lw.cholesky([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ShapeError, match=r"\(2, 3\)"):
        lw.solve(np.ones((2, 3)), [1.0, 2.0])
    kernel = lw.compile(lambda A: lw.solve(A, np.ones(2)), A=(2, 2))
    assert not np.isfinite(kernel(np.ones((2, 2)))).all()
