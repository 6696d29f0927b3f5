"""Entries that are alike are loops: the same numbers in the interpreter, on lanes, alone and in C, in few lines."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from operations_on import in_c

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import Program
from linkwright.compiler.ir.rerolling import LEAST
from linkwright.compiler.native.machine import target
from mechanisms import relative_error

W = target().width
ROWS = 2 * W + 3
N, H = 19, 37
SCALES = np.random.default_rng(5).uniform(0.5, 2.0, 240)


def plain(x, A, B, b):
    """Two layers."""
    return B @ np.tanh(A @ x + b)


def other_way_round(x, A, B, b):
    """Weights turned; a number in every entry, constants that differ; entries of two kinds one after the other."""
    y = lw.maximum(x @ A.T - b * x[0], 0.0)
    z = lw.stack([*y[: H // 2], *(SCALES[: len(y)] * np.exp(-y * y) / (1.0 + y))[H // 2 :]])
    return B @ z + np.sqrt(1.0 + b[: N - 2] ** 2)


def shared(x, A, B, b):
    """Return a function of values that are used more than once, by rows and alone."""
    y = A @ x + b
    u = np.tanh(y)
    return B @ (u * (1.0 - u) + y) + u[3] + y[5]


def turned_round(x, A, B, b):
    """Entries in the opposite order, and every other one; what is no operation."""
    y = np.tanh(A @ x)
    return B @ lw.stack([*(y[::-1] + b[::-1])[: H - 17], *b[1:18]]) + B @ (y[:H] * 2.0)


def every_other(x, A, B, b):
    """Rows of arguments of which every other entry is used, turned round as well."""
    return B[:, ::-2] @ np.tanh((A @ x)[::2] * b[::-2] + b[::2])


def one_after_the_other(x, A, B, b):
    """Entries that depend on each other stay as they are."""
    y, found = A @ x, [b[0]]
    for k in range(1, H):
        found.append(np.tanh(y[k] + 0.5 * found[-1]))
    return B @ lw.stack(found)


def in_steps(x, A, B, b):
    """A law some steps long, where what an argument holds is given to the steps as rows."""

    def step(k, s):
        inner = lw.repeat(2, lambda j, w: 0.5 * w + 0.1 * (B @ np.tanh(A @ w + b))[0] + b[0], s)
        return s + 0.1 * lw.stack([*(B @ np.tanh(A @ inner + b * 0.1 * k)), *s[:2]])

    return lw.repeat(3, step, x)[: N - 2]


def until_small(x, A, B, b):
    """Steps that stop, each row by itself."""
    return lw.until(
        lambda s: s @ s < 0.3, lambda s: 0.7 * s - 1e-2 * lw.stack([*(B @ np.tanh(A @ s + b)), *s[:2]]), x, limit=9
    )[0][: N - 2]


FUNCTIONS = [plain, other_way_round, shared, turned_round, every_other, one_after_the_other, in_steps, until_small]


def of_rows():
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) / 3.0 for shape in ((ROWS, N), (ROWS, H, N), (ROWS, N - 2, H), (ROWS, H))]


def loops(program: Program) -> int:
    inner = [i.value.program for i in program.instructions if i.op == "repeat"]
    return sum(i.op == "each" for i in program.instructions) + sum(map(loops, inner))


def compiled(function, h=H):
    return lw.compile(function, x=N, A=(h, N), B=(N - 2, h), b=h)


@pytest.fixture(scope="module", params=FUNCTIONS)
def kernel(request):
    return compiled(request.param), request.param


@pytest.mark.variants("alike")
@pytest.mark.parametrize("alike", [False, True])
def test_all_ways_give_what_numpy_gives(kernel, alike, tmp_path):
    kernel, function = kernel
    assert bool(loops(kernel.program)) == (function is not one_after_the_other)
    x, *weights = of_rows()
    given = [x, *(one[2] if alike else one for one in weights)]
    together = kernel(*given)
    assert relative_error(together, interpret(kernel.program, *given)[0]) < 1e-13
    for row in range(ROWS):
        one = [x[row], *(a if alike else a[row] for a in given[1:])]
        assert np.array_equal(kernel(*one), together[row])
        assert relative_error(together[row], function(*one)) < 1e-13
    if shutil.which("gcc"):
        (found,) = in_c(kernel, tmp_path)(*one)
        assert relative_error(found, together[-1]) < 1e-12


@pytest.mark.parametrize("wrt", ["x", "b", "A"])
@pytest.mark.parametrize("function", [plain, other_way_round, shared, in_steps])
def test_derivatives_of_a_cost_go_through_loops(function, wrt):
    def cost(x, A, B, b):
        y = function(x, A, B, b)
        return y @ y

    kernel, arguments = compiled(cost), dict(zip(("x", "A", "B", "b"), of_rows(), strict=True))
    derived = kernel.derivative(wrt)
    found = derived(*arguments.values())
    assert np.array_equal(derived(*(x[1] for x in arguments.values())), found[1])
    unit = np.random.default_rng(1).normal(size=arguments[wrt].shape)
    ends = [kernel(*(arguments | {wrt: arguments[wrt] + s * 1e-6 * unit}).values()) for s in (1.0, -1.0)]
    slope = (found * unit).sum(axis=tuple(range(1, unit.ndim)))
    assert relative_error(slope, (ends[0] - ends[1]) / 2e-6) < 1e-7


@pytest.mark.parametrize("function", [plain, shared, in_steps])
def test_lines_do_not_grow_with_the_layers(function):
    lengths = [compiled(function, h).program.length for h in (60, 240)]
    assert lengths[1] - lengths[0] < 100


def test_results_that_are_a_layer_are_a_loop_and_small_ones_are_not():
    layer = lw.compile(lambda A, x: np.tanh(A @ x), A=(LEAST, 40), x=40)
    small = lw.compile(lambda A, x: np.tanh(A @ x), A=(LEAST - 1, 40), x=40)
    assert (loops(layer.program), loops(small.program)) == (1, 0)
    assert loops(lw.compile(lambda x: np.tanh(x), x=4 * LEAST).program) == 0  # in registers as they are
    A, x = np.random.default_rng(0).normal(size=(LEAST, 40)), np.ones(40)
    assert relative_error(layer(A, x), np.tanh(A @ x)) < 1e-13
