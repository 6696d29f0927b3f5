"""Products of large matrices: what NumPy gives, in the interpreter, on lanes, alone, in C, with derivatives."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from operations_on import in_c

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.native.machine import target
from linkwright.expression import derivative
from linkwright.expression.loops.products import LARGE
from mechanisms import relative_error

W = target().width
ROWS = 2 * W + 3
N, M = 27, 13
LAST = np.random.default_rng(3).normal(size=(4, 90))


def layers(x, A, B, c):
    """An argument as it is, turned, in part and as columns, beside constants."""
    y = np.tanh(A @ x + c)
    z = np.dot(B.T[3:], y) + (y @ B)[3:]
    both = A @ lw.stack([x, np.cos(x)], axis=1)
    return lw.stack([*z, *(LAST @ np.concatenate([z, both.reshape(-1), x[:1] * np.ones(90 - len(z) - 2 * N)]))])


def policy(x, A, B, c):
    """A law of two layers, some steps long, and what it costs."""

    def step(k, s, total):
        s = s + 0.1 * np.tanh(np.tanh(A @ s + c) @ B[:, :M] + 0.01 * k)
        return s, total + s @ s

    return lw.repeat(4, step, x, 0.0)[1]


def of_rows():
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) / 3.0 for shape in ((ROWS, M), (ROWS, N, M), (ROWS, N, 17), (ROWS, N))]


@pytest.fixture(scope="module", params=[layers, policy])
def kernel(request):
    assert LAST.size >= LARGE <= N * M
    return lw.compile(request.param, x=M, A=(N, M), B=(N, 17), c=N), request.param


def products(program):
    inner = [i.value.program for i in program.instructions if i.op == "repeat"]
    return sum(i.op == "product" for i in program.instructions) + sum(map(products, inner))


@pytest.mark.parametrize("shared", [False, True])
def test_all_ways_give_what_numpy_gives(kernel, shared):
    kernel, function = kernel
    assert products(kernel.program) >= 2
    x, *weights = of_rows()
    given = [x, *(one[2] if shared else one for one in weights)]
    together, interpreted = kernel(*given), interpret(kernel.program, *given)[0]
    assert relative_error(together, interpreted) < 1e-13
    for row in range(ROWS):
        one = [x[row], *(a if shared else a[row] for a in given[1:])]
        assert np.array_equal(kernel(*one), together[row])
        assert relative_error(together[row], function(*one)) < 1e-13


def test_lines_do_not_grow_with_the_matrix():
    lengths = [
        lw.compile(lambda A, x: A @ x, A=(40, n), x=n).program.length - lw.compile(lambda x: x @ x, x=n).program.length
        for n in (20, 80)
    ]
    assert abs(lengths[1] - lengths[0]) < 100
    sparse = np.eye(60)
    assert products(lw.compile(lambda x: sparse @ x, x=60).program) == 0
    assert products(lw.compile(lambda A, x: (A * 2.0) @ x, A=(30, 30), x=30).program) == 0


@pytest.mark.parametrize(
    "function",
    [
        lambda A, x: A @ x,
        lambda A, x: np.dot(A, x),
        lambda A, x: A.dot(x),
        lambda A, x: np.einsum("ij,j->i", A, x),
        lambda A, x: np.einsum("ji, i -> j", A, x),
        lambda A, x: np.einsum("j,ij->i", x, A),
        lambda A, x: np.einsum("ij,jk->ki", A, lw.stack([x, 2.0 * x], axis=1)),
        lambda A, x: lw.stack([x, 2.0 * x]) @ A.T,
        lambda A, x: lw.stack([x] * 20) @ A.T,
    ],
)
def test_ways_to_write_a_product(function):
    A, x = np.random.default_rng(0).normal(size=(2, 20, 20))
    kernel = lw.compile(function, A=(20, 20), x=20)
    assert kernel.program.length < 1500
    assert relative_error(kernel(A, x[0]), function(A, x[0])) < 1e-13


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_products_in_c(kernel, tmp_path):
    kernel, _ = kernel
    given = [x[0] for x in of_rows()]
    (found,) = in_c(kernel, tmp_path)(*given)
    assert relative_error(found, kernel(*given)) < 1e-13


@pytest.mark.parametrize("wrt", ["x", "A", "B", "c"])
def test_derivatives(kernel, wrt, tmp_path, monkeypatch):
    """By weights too, forwards and backwards."""
    kernel, _ = kernel
    arguments = dict(zip(("x", "A", "B", "c"), of_rows(), strict=True))
    scalar = not kernel.program.outputs[0].shape
    if not scalar and wrt in ("A", "B"):
        kernel = lw.compile(lambda x, A, B, c: layers(x, A, B, c)[:2], x=M, A=(N, M), B=(N, 17), c=N)
    derived = kernel.derivative(wrt)
    found = derived(*arguments.values())
    for row in (0, W, ROWS - 1):
        assert np.array_equal(derived(*(x[row] for x in arguments.values())), found[row])
    assert relative_error(interpret(derived.program, *arguments.values())[0], found) < 1e-12
    unit = np.random.default_rng(1).normal(size=arguments[wrt].shape)
    ends = [kernel(*(arguments | {wrt: arguments[wrt] + s * 1e-6 * unit}).values()) for s in (1.0, -1.0)]
    axes = tuple(range(-unit.ndim + 1, 0))
    slope = (found * unit.reshape(ROWS, *(() if scalar else (1,)), *unit.shape[1:])).sum(axis=axes)
    if not scalar and wrt in ("x", "c"):
        slope = np.einsum("rik,rk->ri", found, unit)
    assert relative_error(slope, (ends[0] - ends[1]) / 2e-6) < 1e-7
    if shutil.which("gcc"):
        (in_plain_c,) = in_c(derived, tmp_path)(*(x[0] for x in arguments.values()))
        assert relative_error(in_plain_c, found[0]) < 1e-12
    if wrt == "x" and scalar:
        monkeypatch.setattr(derivative, "BACKWARDS", 10**6)
        assert relative_error(kernel.derivative(wrt)(*arguments.values()), found) < 1e-12
