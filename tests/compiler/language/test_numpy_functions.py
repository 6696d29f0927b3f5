"""NumPy's own functions in functions that are compiled: they work, or name what stands in for them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ExpressionError
from mechanisms import relative_error


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: np.linalg.solve(x, x), r"linkwright\.solve\(A, b\)"),
        (lambda x: np.linalg.inv(x), r"linkwright\.solve\(A, np\.eye"),
        (lambda x: np.linalg.cholesky(x), r"linkwright\.cholesky"),
        (lambda x: np.clip(x, 0.0, 1.0), "clip"),
        (lambda x: np.max(x), "maximum"),
        (lambda x: np.where(x > 0.0, x, 0.0), r"linkwright\.where"),
        (lambda x: np.copyto(np.zeros((2, 2)), x) or x, "stack"),
        (lambda x: [np.zeros(2).__setitem__(0, x[0, 0]), x][1], r"lw\.stack"),
        (lambda x: np.clip(x, 0.0, 1.0), r"linkwright\.clip\(x, low, high\)"),
        (lambda x: np.max(x), r"numpy\.max .* functools\.reduce\(linkwright\.maximum, x\)"),
        (lambda x: np.min(x, axis=0), r"functools\.reduce\(linkwright\.minimum, x\)"),
        (lambda x: np.linalg.det(x), r"linkwright\.cholesky"),
        (lambda x: np.linalg.svd(x), r"linkwright\.solve, cholesky and norm"),
        (lambda x: np.select([x > 0.0], [x]), r"linkwright\.where"),
        (lambda x: np.sort(x), r"linkwright\.where, minimum and maximum"),
        (lambda x: np.sign(x), "or sign"),
        (lambda x: np.arctan2(1.0, x), r"linkwright\.atan2\(y, x\)"),
        (lambda x: np.fmod(x, 2.0), r"numpy\.fmod does not take"),
        (lambda x: np.add(x, 1.0, out=np.zeros((2, 2))), "stack"),
    ],
)
def test_numpys_names_say_ours(function, words):
    with pytest.raises(ExpressionError, match=words):
        lw.compile(function, x=(2, 2))
    with pytest.raises(ExpressionError, match=words):
        lw.compile(lambda x: lw.repeat(3, lambda k, x: function(x), x), x=(2, 2))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.linalg.norm(x, axis=1),
        lambda x: np.linalg.norm(x),
        lambda x: np.einsum("ij,kj->ik", x, x),
        lambda x: np.cross(x, [1.0, 2.0, 3.0]),
        lambda x: np.concatenate([x, np.ones((1, 3)), x]),
        lambda x: np.block([[x, np.eye(3)]]),
        lambda x: np.where([True, False, True], x, 0.0),
        lambda x: np.hypot(x, 2.0) + np.fabs(x),
        lambda x: np.sinh(x) - np.cosh(0.5 * x) + np.sinh(1e-9 * x) * 1e9,
        lambda x: np.log2(abs(x)) + np.log10(abs(x)),
        lambda x: np.deg2rad(x) + np.radians(x) + np.rad2deg(x) - np.degrees(0.3 * x),
    ],
)
def test_numpys_functions_that_take_symbols(function):
    """In kernels, and in steps."""
    x = np.random.default_rng(0).normal(size=(3, 3))
    assert relative_error(lw.compile(function, x=(3, 3))(x), function(x)) < 1e-14
    kernel = lw.compile(lambda x: lw.repeat(2, lambda k, y: y + function(0.5 * x), function(x)), x=(3, 3))
    assert relative_error(kernel(x), function(x) + 2.0 * function(0.5 * x)) < 1e-14
