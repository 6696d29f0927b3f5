"""Entries at computed places: what NumPy gives, in the interpreter, on lanes, alone, in C, with derivatives."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from operations_on import in_c

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.native.machine import target
from linkwright.errors import ArgumentError, ExpressionError, ShapeError, TooLargeError
from linkwright.expression import adjoint, derivative
from mechanisms import relative_error

W = target().width
ROWS = 2 * W + 3
TABLE = np.random.default_rng(7).normal(size=(5, 3))


def looked_up(x, u, k):
    """Tables of constants, of an argument and of what is computed, read by number of step and by value."""

    def step(i, s):
        return 0.9 * s + lw.take(u, i) @ lw.take(TABLE, 4 - i) + lw.take(np.cos(u), 2 * i)[0] + lw.take(x * TABLE, s)[1]

    at_once = lw.take(u[:, 1], lw.stack([k, k + 1.0, 1.0]))
    return lw.take(TABLE, k), lw.take(np.sin(u) * x, k + 0.5), at_once, lw.repeat(5, step, x)


def handed_on(x, u, k):
    """Rows stored by one repetition are read in another, from the last to the first."""
    _, (kept, sums) = lw.repeat(6, lambda i, s, y: (np.sin(s + y), y + i), u[0], x, keep=2)

    def step(i, total):
        return total + lw.take(kept, 2 - i) * lw.take(sums, k) + lw.take(u[1:3], i)

    return lw.repeat(3, step, 0.0 * u[0])


def rounded(x, u, k):
    return np.floor(x), np.ceil(x), np.rint(x), np.floor(4.0 * u), k


def sought(x, u, k):
    """Steps that stop by themselves, of tables around them and within."""
    rough = lw.take(u[:, 0], k)

    def step(i, y, n):
        return y + 0.1 + 0.01 * np.tanh(lw.take(TABLE[:, 1], y)) + 1e-3 * np.exp(-(lw.take(u[:, 2], i) ** 2)), n + 1.0

    y, n, steps = lw.until(lambda y, n: y > lw.take(u[:, 1], n) + 1.0, step, np.sin(x), 0.0, limit=60)

    def halved(z):
        return 0.5 * z + 1e-2 * np.sin(np.tanh(z) * np.exp(-z * z))

    z, other = lw.until(lambda z: z * z < 1e-3, halved, x, limit=40)
    return y, n, steps, z + rough, other + lw.take(TABLE, other)[0] + lw.take(u, other)[2]


FUNCTIONS = [looked_up, handed_on, rounded, sought]


def of_rows():
    rng = np.random.default_rng(0)
    k = rng.uniform(-2.0, 7.0, ROWS)
    k[:6] = np.nan, 1e300, -np.inf, 2.5, -0.4, 4.5
    return 3.0 * rng.normal(size=ROWS), rng.normal(size=(ROWS, 5, 3)), k


@pytest.fixture(scope="module", params=FUNCTIONS)
def kernel(request):
    return lw.compile(request.param, x=(), u=(5, 3), k=()), request.param


def same(found, expected):
    for x, y in zip(found, expected, strict=True):
        assert np.array_equal(np.isnan(x), np.isnan(y))
        assert relative_error(np.nan_to_num(x), np.nan_to_num(y)) < 1e-12


def tuples(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.variants("rows")
@pytest.mark.parametrize("rows", [1, W - 1, W, ROWS])
def test_all_ways_give_what_numpy_gives(kernel, rows):
    kernel, function = kernel
    given = [x[-rows:] for x in of_rows()] if rows < ROWS else of_rows()
    together, interpreted = tuples(kernel(*given)), interpret(kernel.program, *given)
    for row in range(rows):
        one = [x[row] for x in given]
        for x, y in zip(together, tuples(kernel(*one)), strict=True):
            assert np.array_equal(x[row], y, equal_nan=True)
        same([x[row] for x in together], tuples(function(*one)))
        same([x[row] for x in together], [x[row] for x in interpreted])


def test_one_table_for_all_rows_and_strides(kernel):
    kernel, _ = kernel
    x, u, k = of_rows()
    for shared in (u[3], np.asfortranarray(u[3])):
        for row, found in enumerate(zip(*tuples(kernel(x, shared, k)), strict=True)):
            same(found, tuples(kernel(x[row], u[3], k[row])))
    strided = np.repeat(u, 2, axis=0)[::2]
    for a, b in zip(tuples(kernel(x, strided, k)), tuples(kernel(x, u, k)), strict=True):
        assert np.array_equal(a, b, equal_nan=True)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_tables_in_c(kernel, tmp_path):
    kernel, _ = kernel
    call = in_c(kernel, tmp_path)
    for row in range(7):
        given = [np.array(x[row]) for x in of_rows()]
        same(call(*given), tuples(kernel(*given)))


def test_large_tables_are_one_instruction():
    rng = np.random.default_rng(0)
    large = rng.normal(size=100_000)
    constant = lw.compile(lambda x, k: x * lw.take(large, k), x=(), k=())
    argument = lw.compile(lambda x, k, table: x * lw.take(table, k), x=(), k=(), table=large.shape)
    assert constant.program.length < 20
    assert argument.program.length < 20
    x, k = rng.normal(size=ROWS), rng.uniform(-10.0, 1e5 + 10.0, ROWS)
    expected = x * large[np.clip(np.rint(k), 0, 99_999).astype(int)]
    assert np.array_equal(constant(x, k), expected)
    assert np.array_equal(argument(x, k, large), expected)
    assert argument(x[0], k[0], large) == expected[0]


def test_numbers_and_what_is_said_of_mistakes():
    assert lw.take([1.0, 2.0, 4.0], 0.5) == 1.0
    assert lw.take([1.0, 2.0, 4.0], 1.5) == 4.0
    assert lw.take([1.0, 2.0, 4.0], -7) == 1.0
    assert np.array_equal(lw.take(TABLE, [[4, 99]]), TABLE[[[4, 4]]])
    assert np.array_equal(lw.take(TABLE, np.nan), np.full(3, np.nan), equal_nan=True)
    with pytest.raises(ShapeError, match="at least one entry"):
        lw.take(3.0, 0)
    with pytest.raises(ShapeError, match="at least one entry"):
        lw.take(np.zeros((0, 2)), 0)
    with pytest.raises(ShapeError, match="the rows of the table have different lengths"):
        lw.take([[1.0, 2.0], [3.0]], 0)
    with pytest.raises(ArgumentError, match="take lacks 'k'"):
        lw.take([1.0, 2.0])
    with pytest.raises(ArgumentError, match="real numbers"):
        lw.take(["a"], 0)
    for table in (TABLE, None):
        with pytest.raises(ExpressionError, match=r"linkwright\.take"):
            lw.compile(lambda u, k, table=table: (u if table is None else table)[k], u=3, k=())


def test_a_place_within_the_table_is_read_without_asking():
    kernel = lw.compile(lambda u: lw.repeat(5, lambda k, y: y + lw.take(u, k), 0.0), u=5)
    (steps,) = (i.value for i in kernel.program.instructions if i.op == "repeat")
    assert not {"min", "max", "round"} & {i.op for i in steps.program.instructions}


@pytest.mark.parametrize("wrt", ["x", "u", "k"])
def test_derivatives_of_entries(wrt):
    """Forwards: of all entries by the table, by what it is computed from, and none by the place."""
    kernel = lw.compile(looked_up, x=(), u=(5, 3), k=())
    found = kernel.derivative(wrt)
    arguments = {"x": 0.3, "u": np.random.default_rng(1).normal(size=(5, 3)), "k": 2.2}
    derivatives = found(*arguments.values())
    h = 1e-6
    for place in np.ndindex(np.shape(arguments[wrt])):
        unit = np.zeros(np.shape(arguments[wrt]))
        unit[place] = h
        ends = [kernel(*(arguments | {wrt: arguments[wrt] + s * unit}).values()) for s in (1.0, -1.0)]
        for D, a, b in zip(derivatives, *ends, strict=True):
            assert np.abs(D[(..., *place)] - (a - b) / (2.0 * h)).max() < 1e-8


N = 23


def cost(x, u, p):
    """Of a motion: controls by number of step, forwards and backwards, a table read by value, states on the way."""

    def step(k, s, c):
        a = lw.take(u, k) + lw.take(TABLE[:, 0], s[0]) * p[0] + 0.1 * lw.take(u, N - 1 - k) * np.cos(p[1])
        bent = lw.repeat(2, lambda i, y: np.sin(y) + p[1] * i, s[0])
        s = s + 0.1 * lw.stack([s[1], a - bent * p[0] - 0.1 * s[1]])
        return s, c + s @ s + 0.01 * a * a + 1e-3 * k * s[0]

    (s, c), (kept, _) = lw.repeat(N, step, x, 0.0 * p[0], keep=4)
    again = lw.repeat(5, lambda k, y: y * y + 0.1 * lw.take(kept, k)[1], x[0])
    return c + s[0] ** 2 * lw.take(u, p[0]) + kept[2, 1] * kept[4, 0] + again


def plain_cost(x, u, p):
    """The same without anything kept."""

    def step(k, s, c):
        s = s + 0.1 * lw.stack([s[1], lw.take(u, k) - np.sin(s[0]) * p[0] - 0.1 * s[1]])
        return s, c + s @ s + p[1] * lw.take(u, k) ** 2

    s, c = lw.repeat(N, step, x, 0.0 * p[0])
    return c + s[0] * s[1]


@pytest.mark.parametrize("tape", [0, 10_000])
@pytest.mark.parametrize("function", [cost, plain_cost])
def test_gradients_go_back_over_the_steps(function, tape, monkeypatch, tmp_path):
    """Finite differences, forward mode, lanes, interpreter and C: with all states kept, and with some."""
    monkeypatch.setattr(adjoint, "TAPE", tape)
    rng = np.random.default_rng(1)
    arguments = {
        "x": rng.normal(size=(ROWS, 2)),
        "u": rng.normal(size=(ROWS, N)),
        "p": rng.uniform(1.0, 1.3, (ROWS, 2)),
    }
    kernel = lw.compile(function, **{name: x.shape[1:] for name, x in arguments.items()})
    for wrt, given in arguments.items():
        monkeypatch.setattr(derivative, "BACKWARDS", 1)
        back = kernel.derivative(wrt)
        monkeypatch.setattr(derivative, "BACKWARDS", 10**6)
        forth = type(kernel)(kernel.program, None).derivative(wrt)
        found, expected = back(*arguments.values()), forth(*arguments.values())
        assert back.program.digest != forth.program.digest
        assert relative_error(found, expected) < 1e-11
        assert relative_error(interpret(back.program, *arguments.values())[0], found) < 1e-11
        for row in range(ROWS):
            assert np.array_equal(back(*(x[row] for x in arguments.values())), found[row])
        unit = rng.normal(size=given.shape)
        ends = [kernel(*(arguments | {wrt: given + s * 1e-6 * unit}).values()) for s in (1.0, -1.0)]
        assert relative_error((found * unit).sum(axis=-1), (ends[0] - ends[1]) / 2e-6) < 1e-6
        if shutil.which("gcc"):
            folder = tmp_path / wrt
            folder.mkdir()
            (in_plain_c,) = in_c(back, folder)(*(x[0] for x in arguments.values()))
            assert relative_error(in_plain_c, found[0]) < 1e-11


def test_what_many_inputs_cost_does_not_grow_with_them():
    """The gradient by a thousand controls takes a few times the operations of the motion, and little memory."""
    steps = 1000

    def motion(x, u):
        def step(k, s, c):
            s = s + 0.01 * lw.stack([s[1], lw.take(u, k) - np.sin(s[0])])
            return s, c + s @ s

        return lw.repeat(steps, step, x, 0.0)[1]

    kernel = lw.compile(motion, x=2, u=steps)
    assert kernel.derivative("u").program.operations.total < 6 * kernel.program.operations.total
    x, u = np.array([0.1, 0.2]), np.sin(np.arange(steps))
    found = kernel.derivative("u")(x, u)
    assert abs(found[500] - (kernel(x, u + 1e-4 * (np.arange(steps) == 500)) - kernel(x, u)) / 1e-4) < 1e-3
    long = lw.compile(lambda x: lw.repeat(10**5, lambda k, y: y + 1e-5 * np.sin(y), x).sum(), x=8).derivative("x")
    kept = [i.value for i in long.program.instructions if i.op == "repeat"]
    assert max(one.rows for one in kept) < 1000


def rolled(x, u):
    """A motion that is driven step by step: its end, and its states on the way."""

    def step(k, s):
        return s + 0.1 * lw.stack([s[1], lw.take(u, k)[0] - np.sin(s[0]), s[0] * lw.take(u, k)[1] - s[2]])

    return lw.repeat(len(u), step, x, keep=1)


@pytest.mark.parametrize("rows", [1, ROWS])
def test_several_gradients_are_rows_of_a_result(rows, tmp_path):
    """And what is not written by a loop is put between them."""

    def mixed(x, u):
        y = rolled(x, u)[0]
        return lw.stack([y[0], x[0] * u[0, 0] + x[1], y[2]])

    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(rows, 3)), rng.normal(size=(rows, 20, 2))
    kernel = lw.compile(mixed, x=3, u=(20, 2))
    derivative = kernel.derivative("u")
    assert len(derivative.program.in_rows[0]) == 2
    found = derivative(x, u)
    unit = rng.normal(size=u.shape)
    expected = (kernel(x, u + 1e-6 * unit) - kernel(x, u - 1e-6 * unit)) / 2e-6
    assert relative_error(np.einsum("rijk,rjk->ri", found, unit), expected) < 1e-7
    assert np.array_equal(derivative(x[0], u[0]), found[0])
    assert relative_error(interpret(derivative.program, x, u)[0], found) < 1e-12
    if shutil.which("gcc"):
        assert relative_error(in_c(derivative, tmp_path)(x[0], u[0])[0], found[0]) < 1e-12


@pytest.mark.parametrize("tape", [0, 10_000])
def test_several_numbers_go_back_together(tape, monkeypatch):
    """Of the end, of states on the way, of two motions, of none."""

    def several(x, u, p):
        (s, c), (kept, _) = lw.repeat(10, lambda k, s, c: (np.sin(s) + lw.take(u, k), c + s @ s * p[0]), x, 0.0, keep=2)
        other = lw.repeat(7, lambda k, y: y * p[1] + lw.take(kept[:, 0], k - 2), c)
        return lw.stack([s[0], c, other, kept[1, 0] * kept[3, 1], p[0] * u[3], lw.take(kept, p[0])[1]])

    monkeypatch.setattr(adjoint, "TAPE", tape)
    rng = np.random.default_rng(2)
    given = rng.normal(size=2), rng.normal(size=N), rng.uniform(0.9, 1.1, 2)
    kernel = lw.compile(several, x=2, u=N, p=2)
    for wrt in ("x", "u", "p"):
        monkeypatch.setattr(derivative, "BACKWARDS", 0)
        back = kernel.derivative(wrt)
        monkeypatch.setattr(derivative, "BACKWARDS", 10**6)
        forth = type(kernel)(kernel.program, None).derivative(wrt)
        assert back.program.digest != forth.program.digest
        assert relative_error(back(*given), forth(*given)) < 1e-12
        assert relative_error(interpret(back.program, *given)[0], forth(*given)) < 1e-12


def test_derivatives_that_are_too_large_say_which_are_not():
    kernel = lw.compile(lambda x, u: rolled(x, u)[1], x=3, u=(300, 2))
    with pytest.raises(TooLargeError, match="goes backwards and is short"):
        kernel.derivative("u")


def test_derivatives_by_steps_that_stop_go_forwards():
    def root(x):
        return lw.until(lambda y: abs(y @ y - 1.0) < 1e-12, lambda k, y: 0.5 * y + 0.5 * y / lw.norm(y), x, limit=60)[
            0
        ][0]

    found = lw.compile(root, x=6).derivative("x")(np.arange(1.0, 7.0))
    x = np.arange(1.0, 7.0)
    expected = np.eye(6)[0] / np.linalg.norm(x) - x[0] * x / np.linalg.norm(x) ** 3
    assert relative_error(found, expected) < 1e-6


def test_steps_that_stop_within_steps_go_forwards_and_nothing_is_kept():
    def total(x):
        def step(k, y):
            return y + 0.1 * lw.until(lambda z: z * z < 0.3, lambda z: 0.5 * z, y @ y + k, limit=30)[0] * np.cos(y)

        return lw.repeat(9, step, x).sum()

    kernel = lw.compile(total, x=5)
    derivative = kernel.derivative("x")
    assert all(i.value.keep == 0 for i in derivative.program.instructions if i.op == "repeat")
    x = np.linspace(0.1, 0.6, 5)
    expected = (kernel(x + 1e-7 * np.eye(5)) - kernel(x - 1e-7 * np.eye(5))) / 2e-7
    assert relative_error(derivative(x), expected) < 1e-6


def test_gradients_in_users_functions():
    """A gradient taken inside a function that is compiled, and its own derivative."""

    def energy(model, x):
        return lw.repeat(8, lambda k, y: y + 0.1 * np.sin(y) * x.sum(), x)[0]

    def slope(model, q):
        return lw.derivative(lambda model, q: energy(model, q), "q")(model, q) @ q

    model = lw.load("planar:6")
    kernel = lw.compile(slope, model)
    q = model.random(seed=1)
    h = 1e-6
    gradient = np.array([(energy(model, q + h * e) - energy(model, q - h * e)) / (2.0 * h) for e in np.eye(6)])
    assert relative_error(kernel(q), gradient @ q) < 1e-7
    D = kernel.derivative("q")(q)
    ends = [kernel(q + s * h * np.eye(6)) for s in (1.0, -1.0)]
    assert relative_error(D, (ends[0] - ends[1]) / (2.0 * h)) < 1e-6
