"""Loops in the language: what Python's own loop gives, on numbers, in the interpreter, on lanes, alone, in C."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess
from functools import partial

import numpy as np
import pytest
from operations_on import optimization

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.native.machine import target
from linkwright.errors import ArgumentError
from linkwright.expression.graph import Expr
from linkwright.model.joints.joint import Prismatic, Revolute, Spherical
from linkwright.spatial.arrays import maximum
from linkwright.spatial.loops.memory import empty_row, read, write
from linkwright.spatial.loops.repeats import repeat, when
from mechanisms import one_of_each, random_tree, relative_error

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it

W = target().width
ROWS = 2 * W + 3


def unrolled(count, step, *state):
    """Return the result of ``repeat``, computed by a loop of Python."""
    kept = []
    for k in range(count):
        state = step(k, *state)
        state = state if isinstance(state, tuple) else (state,)
        kept.append(state)
    return state, kept


def swing(model, q, v, tau):
    """A motion, its every third state, and what was computed once."""
    weight = lw.gravity_forces(model, q)

    def step(k, q, v):
        v = v + 1e-3 * (1.0 + 0.1 * k) * lw.forward_dynamics(model, q, v, tau - weight)
        return lw.integrate(model, q, 1e-3 * v), v

    (q, v), (qs, vs) = lw.repeat(7, step, q, v, keep=3)
    return q, v, qs, vs, vs[1] * 2.0


def roots(x):
    """Newton's method, as many steps as each row needs, inside steps that are counted."""

    def step(k, total):
        root, steps = lw.until(
            lambda y: abs(y * y - x - k) < 1e-13 * (x + k), lambda y: 0.5 * (y + (x + k) / y), x, limit=40
        )
        return total + root * steps

    root, steps, kept = lw.until(
        lambda y: abs(y * y - x) < 1e-13 * x, lambda k, y: 0.5 * (y + x / y) + 0.0 * k, 1.0 + x, limit=40, keep=4
    )
    return lw.repeat(3, step, 0.0), root, steps, kept


def tuples(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.fixture(scope="module")
def model():
    return one_of_each(2)


@pytest.fixture
def state(model):
    rng = np.random.default_rng(0)
    return [model.random(ROWS, seed=0), *rng.normal(size=(2, ROWS, model.nv))]


def test_the_interpreter_ends_when_all_rows_have_stopped():
    """Of a billion steps it takes those of the slowest row; stored states are those at the end."""

    def counted(x):
        y, steps = lw.until(lambda y: y * y > x, lambda y: y + 1.0, 0.0 * x, limit=10**9)
        _, _, kept = lw.until(lambda y: y * y > x, lambda y: y + 1.0, 0.0 * x, limit=20, keep=3)
        return y, steps, kept

    kernel, x = lw.compile(counted, x=()), np.array([3.5, 50.0, 0.5])
    for found, interpreted in zip(kernel(x), interpret(kernel.program, x), strict=True):
        np.testing.assert_array_equal(found, interpreted)
    y, steps, kept = interpret(kernel.program, x)
    np.testing.assert_array_equal(y, [2.0, 8.0, 1.0])
    np.testing.assert_array_equal(steps, y)
    np.testing.assert_array_equal(kept[1], [3.0, 6.0, 8.0, 8.0, 8.0, 8.0])


def test_a_motion_is_what_pythons_loop_gives(model, state):
    kernel = lw.compile(swing, model)
    together, interpreted = kernel(*state), interpret(kernel.program, *state)
    for row in range(ROWS):
        q, v, tau = (x[row] for x in state)
        weight = lw.dynamics.gravity_forces(model, q)

        def step(k, q, v, tau=tau, weight=weight):
            v = v + 1e-3 * (1.0 + 0.1 * k) * lw.dynamics.forward_dynamics(model, q, v, tau - weight)
            return lw.dynamics.integrate(model, q, 1e-3 * v), v

        final, on_the_way = unrolled(7, step, q, v)
        kept = [np.stack([states[which] for states in on_the_way[2::3]]) for which in (0, 1)]
        expected = (*final, *kept, kept[1][1] * 2.0)
        alone = kernel(q, v, tau)
        for x, y, z, w in zip(together, alone, interpreted, expected, strict=True):
            assert np.array_equal(x[row], y)
            assert relative_error(x[row], w) < 1e-9
            assert relative_error(z[row], w) < 1e-9


def test_steps_are_written_once_and_what_does_not_change_is_before_them(model):
    def motion(count):
        def run(model, q, v, tau):
            return lw.repeat(count, lambda k, v: v + lw.forward_dynamics(model, q, v, tau), v)

        return lw.compile(run, model)

    short, long = motion(3), motion(3000)
    assert short.program.length == long.program.length
    assert long.operations.total > 500 * short.operations.total
    once = lw.compile(lambda x: lw.repeat(1000, lambda k, y: y + np.sin(x) * np.cos(x), 0.0), x=())
    assert once.operations.sincos == 1


@pytest.mark.parametrize("rows", [1, W - 1, W, ROWS])
def test_every_row_stops_by_itself(rows):
    kernel = lw.compile(roots, x=())
    x = np.exp(np.random.default_rng(rows).uniform(-6.0, 20.0, rows))
    total, root, steps, kept = kernel(x)
    assert relative_error(root, np.sqrt(x)) < 1e-12
    assert np.array_equal(root, kept[:, -1])
    assert rows < max(W, 4) or len(set(steps)) > 2
    for k in range(rows):
        assert all(np.array_equal(a[k], b) for a, b in zip((total, root, steps, kept), kernel(x[k]), strict=True))
        own = roots(x[k])
        assert own[2] == steps[k]
        assert relative_error(kept[k], own[3]) < 1e-12
    for a, b in zip(interpret(kernel.program, x), (total, root, steps, kept), strict=True):
        assert relative_error(a, b) < 1e-12


def halved(x, y):
    """A batch within the states, one of which its rows share at first."""
    *state, steps, kept = lw.until(
        lambda x, s, n: x < 1e-3,
        lambda k, x, s, n: (0.5 * x, (s[0] + x[:, None] * y, s[1] + k), n + 1.0),
        *(x, (np.zeros((3, 2)), 0.0), 0.0),
        limit=12,
        keep=5,
    )
    x, (s, t), n = state
    return x, s, t, n, steps, kept[0], kept[1][0]


def test_conditions_of_several_values_stop_one_by_one():
    """In kernels as on numbers."""
    kernel = lw.compile(halved, x=3, y=2)
    x = np.array([1.0, 1e-2, 7e9]) * np.exp(np.random.default_rng(0).normal(size=(ROWS, 3)))
    y = np.array([2.0, 3.0])
    found = kernel(x, y)
    assert len(set(found[4].reshape(-1))) > 3
    for row in range(ROWS):
        for a, b, c in zip(found, kernel(x[row], y), halved(x[row], y), strict=True):
            assert np.array_equal(a[row], b)
            assert b.shape == np.shape(c)
            assert relative_error(b, c) < 1e-14


def test_all_and_any_of_a_condition():
    def f(x):
        together, steps = lw.until(lambda x: np.all(x < 1e-9), lambda x: 0.5 * x, x, limit=100)
        first, fewer = lw.until(lambda x: (x < 1.0).any(), lambda x: 0.5 * x, x, limit=100)
        return together, steps, first, fewer, lw.where(np.any(x[:, None] < x, axis=1), x, -x)

    x = np.array([[1.0, 2.0, 3e5], [4.0, 5.0, 6.0]])
    kernel = lw.compile(f, x=3)
    for row in range(2):
        for a, b in zip(kernel(x[row]), f(x[row]), strict=True):
            assert np.array_equal(a, b)


def test_rows_that_are_not_numbers_stop_and_leave_the_others_alone():
    kernel = lw.compile(roots, x=())
    x = np.linspace(1.0, 50.0, ROWS)
    expected = kernel(x)
    x[[1, W]] = np.nan, np.inf
    found = kernel(x)
    others = np.setdiff1d(np.arange(ROWS), [1, W])
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(a[others], b[others])
        assert not np.isfinite(a[1]).all() or a is found[2]


def test_far_angles_inside_steps():
    """Lanes leave rows aside whose angles are too large for their sine, wherever they meet them."""

    def turn(x, speed):
        y, steps = lw.until(lambda y: np.cos(y) > 0.99, lambda k, y: y + speed, x, limit=50)
        return lw.repeat(20, lambda k, z: np.sin(z * speed) + z, y), y, steps

    kernel = lw.compile(turn, x=(), speed=())
    rng = np.random.default_rng(0)
    x, speed = rng.normal(size=ROWS), rng.normal(size=ROWS)
    speed[3], x[W + 1] = 3e7, 4e8
    together = kernel(x, speed)
    for k in range(ROWS):
        assert all(np.array_equal(a[k], b) for a, b in zip(together, kernel(x[k], speed[k]), strict=True))
    for a, b in zip(together, interpret(kernel.program, x, speed), strict=True):
        assert np.abs(a - b).max() < 1e-6


def test_large_records_are_kept_outside_the_stack():
    kernel = lw.compile(lambda x: lw.repeat(4000, lambda k, x: 0.5 * x + np.sin(x[::-1]), x, keep=1)[1], x=5)
    x = np.random.default_rng(0).normal(size=(ROWS, 5))
    found = kernel(x)
    assert found.shape == (ROWS, 4000, 5)
    assert np.array_equal(found[4], kernel(x[4]))
    y = x[4]
    for row in found[4][:50]:
        y = 0.5 * y + np.sin(y[::-1])
        assert relative_error(row, y) < 1e-9


@pytest.mark.parametrize("wrt", ["q", "v", "tau"])
def test_derivatives_are_carried_along(wrt):
    model = random_tree([Spherical, Revolute, Prismatic], seed=1)
    kernel = lw.compile(swing, model)
    derivative = kernel.derivative(wrt)
    v, tau = np.random.default_rng(1).normal(size=(2, model.nv))
    arguments = {"q": model.random(seed=1), "v": v, "tau": tau}
    found = derivative(*arguments.values())
    h = 1e-6
    for column, unit in enumerate(np.eye(model.nv)):
        ends = []
        for sign in (h, -h):
            moved = dict(arguments)
            moved[wrt] = lw.integrate(model, moved[wrt], sign * unit) if wrt == "q" else moved[wrt] + sign * unit
            ends.append(kernel(*moved.values()))
        for D, x, y in zip(found, *ends, strict=True):
            assert relative_error(D[..., column], (x - y) / (2.0 * h)) < 1e-6


def test_derivatives_of_what_stops_are_those_of_the_steps_taken():
    def root(x):
        return lw.until(lambda y: abs(y * y - x) < 1e-14 * x, lambda k, y: 0.5 * (y + x / y), x, limit=40)[0]

    x = np.linspace(2.0, 30.0, ROWS)
    assert relative_error(lw.compile(root, x=()).derivative("x")(x), 0.5 / np.sqrt(x)) < 1e-9


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("function", [swing, roots])
def test_loops_in_c(function, model, state, tmp_path):
    kernel = lw.compile(function, model) if function is swing else lw.compile(function, x=())
    path = kernel.save(tmp_path / "code.c")
    assert "for (" in path.read_text()
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", optimization(path), "-ffp-contract=off"]
    subprocess.run(["gcc", *strict, "-shared", "-fPIC", path, "-o", tmp_path / "code.so", "-lm"], check=True)
    call = getattr(ctypes.CDLL(str(tmp_path / "code.so")), kernel.program.name)
    given = [x[0].copy() for x in state] if function is swing else [np.array(7.0)]
    outs = [np.full(slot.shape, np.nan) for slot in kernel.program.outputs]
    call(*(x.ctypes.data_as(ctypes.c_void_p) for x in (*given, *outs)))
    for x, y in zip(outs, kernel(*given), strict=True):
        assert relative_error(x, y) < 1e-9


def in_c(kernel, folder, given, more=()):
    """Return the results of the C source of a kernel, compiled without warnings."""
    path = kernel.save(folder / "code.c")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", optimization(path), "-ffp-contract=off"]
    subprocess.run(["gcc", *strict, "-shared", "-fPIC", path, "-o", folder / "code.so", "-lm"], check=True)
    call = getattr(ctypes.CDLL(str(folder / "code.so")), kernel.program.name)
    outs = [np.full(slot.shape, np.nan) for slot in kernel.program.outputs]
    call(*(x.ctypes.data_as(ctypes.c_void_p) for x in (*given, *outs, *more)))
    return outs, path.read_text()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_large_records_in_c_lie_in_memory_that_is_lent(tmp_path):
    """And of what is kept only what is read is stored."""

    def last(x):
        kept = lw.repeat(5000, lambda k, x: 0.5 * x + np.sin(x[::-1]), x, keep=1)[1]
        few, final = lw.repeat(30, lambda k, x: 0.9 * x, x, keep=10)
        return kept[1234:1236, 3].sum() + kept[4999, 1], final[:, 0] * 2.0, few

    kernel = lw.compile(last, x=5)
    x, work = np.random.default_rng(0).normal(size=5), np.full(10_000, np.nan)
    found, text = in_c(kernel, tmp_path, [x], [work])
    assert "double work[10000]" in text
    assert "double kept2[3];" in text
    assert np.isfinite(work).all()
    for a, b in zip(found, kernel(x), strict=True):
        assert relative_error(a, b) < 1e-9


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_what_nobody_reads_is_not_kept_in_c(tmp_path):
    kernel = lw.compile(lambda x: lw.repeat(5000, lambda k, x: 0.5 * x, x, keep=1)[0], x=5)
    x = np.ones(5)
    found, text = in_c(kernel, tmp_path, [x])
    assert "kept" not in text
    assert "%" not in text
    assert np.array_equal(found[0], kernel(x))


def test_kernels_with_loops_are_kept_pickled_and_printed(model):
    kernel = lw.compile(swing, model)
    again = pickle.loads(pickle.dumps(kernel))
    assert again.program.digest == kernel.program.digest
    assert "repeat 7 times" in str(kernel.program)
    other = lw.compile(lambda model, q, v, tau: lw.repeat(7, lambda k, v: v + tau, v), model)
    assert other.program.digest != kernel.program.digest


def test_states_of_any_structure():
    x, (y, z) = lw.repeat(2, lambda k, x, yz: (yz[0], (yz[1], x)), 1.0, (2.0, 3.0))
    assert (x, y, z) == (3.0, 1.0, 2.0)
    kernel = lw.compile(lambda x: lw.repeat(2, lambda k, x, yz: (yz[0], (yz[1], x)), x[0], (x[1], x[2]))[1][0], x=3)
    assert kernel([1.0, 2.0, 3.0]) == 1.0
    assert lw.repeat(0, lambda k, x: x + 1.0, 2.0) == 2.0
    assert lw.compile(lambda x: lw.repeat(0, lambda k, x: x + 1.0, x), x=())(2.0) == 2.0


def test_numbers_in_batches_stop_row_by_row():
    x = np.array([2.0, 900.0, 1e6])
    root, steps = lw.until(lambda y: abs(y * y - x) < 1e-9 * x, lambda y: 0.5 * (y + x / y), x, limit=50)
    for k in range(3):
        own, count = lw.until(
            lambda y, k=k: abs(y * y - x[k]) < 1e-9 * x[k], lambda y, k=k: 0.5 * (y + x[k] / y), x[k], limit=50
        )
        assert (own, count) == (root[k], steps[k])


def test_symbols_that_only_the_step_knows():
    y = lw.symbols("y", 3)
    assert str(lw.repeat(2, lambda k, x: x + y, np.zeros(3))[0]).startswith("item")


@pytest.mark.parametrize("way", ["around", "default", "partial", "condition"])
def test_steps_from_numbers_to_symbols_are_traced_at_once(way):
    """They are not run on numbers first."""
    asked = []

    def function(x):
        def step(k, y, x=x):
            asked.append(k)
            return y + x

        if way == "around":
            return lw.repeat(4, lambda k, y: asked.append(k) or y + x, 0.0)
        if way == "default":
            return lw.repeat(4, step, 0.0)
        if way == "partial":
            return lw.repeat(4, partial(lambda x, k, y: asked.append(k) or y + x, x), 0.0)
        return lw.until(lambda y: y > x, lambda k, y: asked.append(k) or y + 1.0, 0.0, limit=9)[0]

    kernel = lw.compile(function, x=())
    assert all(isinstance(k, Expr) for k in asked)
    assert kernel(2.5) == (10.0 if way != "condition" else 3.0)


@pytest.mark.parametrize("wrt", [None, "x"])
def test_what_a_loop_gives_is_used_in_another(wrt):
    def powers(x):
        y, kept = lw.repeat(3, lambda k, y: 0.5 * y + x, x, keep=1)
        return lw.repeat(4, lambda k, z: np.sin(z) + y * kept[1], 0.0) + y

    kernel = lw.compile(powers, x=())
    x = np.linspace(-1.0, 1.0, ROWS)
    if wrt is None:
        assert relative_error(kernel(x), [powers(each) for each in x]) < 1e-14
        assert relative_error(interpret(kernel.program, x)[0], kernel(x)) < 1e-14
    else:
        found = (kernel(x + 1e-6) - kernel(x - 1e-6)) / 2e-6
        assert relative_error(kernel.derivative(wrt)(x), found) < 1e-8


def test_steps_may_write_in_their_state():
    start = np.zeros(3)

    def step(k, x):
        x[0] = x[0] + 1.0
        return x

    final, kept = lw.repeat(3, step, start, keep=1)
    assert np.array_equal(final, [3.0, 0.0, 0.0])
    assert np.array_equal(kept[:, 0], [1.0, 2.0, 3.0])
    assert not start.any()
    within = lw.compile(lambda x: lw.repeat(3, step, np.zeros(3)) + x, x=3)
    assert np.array_equal(within(start), final)
    rows, steps = lw.until(lambda x: x[..., 0] > 2.0, lambda x: x.__iadd__(1.0), np.arange(6.0).reshape(2, 3), limit=10)
    assert np.array_equal(rows, [[3.0, 4.0, 5.0], [3.0, 4.0, 5.0]])
    assert np.array_equal(steps, [3.0, 0.0])
    assert lw.repeat(0, step, start) is not start


def test_states_that_all_rows_share():
    x, count, steps = lw.until(
        lambda x, c: x > 10.0, lambda x, c: (x * 2.0, c + 1.0), np.array([1.0, 4.0, 20.0]), 0.0, limit=9
    )
    assert np.array_equal(x, [16.0, 16.0, 20.0])
    assert np.array_equal(count, steps)
    assert np.array_equal(steps, [4.0, 2.0, 0.0])


def repetitions(program):
    inner = [i.value.program for i in program.instructions if i.op == "repeat"]
    return len(inner) + sum(map(repetitions, inner))


def of_motion(model, q, v):
    """A number, the end, and states on the way."""

    def step(k, q, v):
        v = v + 1e-2 * lw.forward_dynamics(model, q, v, 0.0 * v)
        return lw.integrate(model, q, 1e-2 * v), v

    (q, v), (qs, _) = lw.repeat(12, step, q, v, keep=4)
    return q @ q + v @ v, q, qs


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("first", [True, False])
def test_a_motion_beside_its_derivative_runs_once(which, first):
    """The derivative's loop has the states too, forwards and backwards."""
    model = lw.load("two_link")

    def value(model, q, v):
        return of_motion(model, q, v)[which]

    derivative = lw.derivative(value, "q")

    def both(model, q, v):
        return (value(model, q, v), derivative(model, q, v))[:: 1 if first else -1]

    kernel = lw.compile(both, model)
    alone = lw.compile(lambda model, q, v: derivative(model, q, v), model)
    assert repetitions(kernel.program) == repetitions(alone.program)
    assert kernel.program.operations.total < alone.program.operations.total + 50
    q, v = model.random(ROWS, seed=0), np.random.default_rng(0).normal(size=(ROWS, 2))
    found, D = kernel(q, v)[:: 1 if first else -1]
    assert relative_error(found, lw.compile(value, model)(q, v)) < 1e-12
    assert relative_error(D, alone(q, v)) < 1e-12
    for x, y in zip(kernel(q, v), interpret(kernel.program, q, v), strict=True):
        assert relative_error(x, y) < 1e-11


def test_loops_that_start_alike_within_each_other():
    def nested(x):
        total = lw.repeat(5, lambda k, y: y + np.sin(k + x), 0.0)

        def step(k, y):
            own = lw.repeat(5, lambda i, z: z + np.cos(i * k + y), 0.0)
            return y + own * lw.repeat(5, lambda i, z: z + np.sin(i + x), 0.0)

        return total, lw.repeat(5, step, 0.0), lw.repeat(5, lambda k, y: y + np.sin(k + x), 0.0, keep=1)[1]

    kernel = lw.compile(nested, x=())
    assert repetitions(kernel.program) <= 5
    for found, expected in zip(kernel(0.3), nested(0.3), strict=True):
        assert relative_error(found, expected) < 1e-13


def test_a_function_run_twice_is_one_loop():
    model = lw.load("two_link")
    once = lw.compile(lambda model, q, v: of_motion(model, q, v)[1], model)
    twice = lw.compile(lambda model, q, v: (of_motion(model, q, v)[1], of_motion(model, q, v)[0]), model)
    assert repetitions(twice.program) == repetitions(once.program) == 1


@pytest.mark.parametrize("rows", [1, 3, 8, 21])
@pytest.mark.parametrize("scale", [1.0, 1e9])  # lanes leave large angles to the code of single rows
def test_states_are_kept_in_memory_of_any_stride(rows, scale):
    def turned(x):
        return lw.repeat(5, lambda k, x: 1e7 * np.sin(x) + k, x, keep=1)

    kernel = lw.compile(turned, x=3)
    x = scale * np.random.default_rng(0).normal(size=(rows, 3))
    kept = kernel(x)[1]
    samples = np.zeros((5, rows + 2, 3))  # step by step, all rows, with others before and after
    kernel(x, out=(np.empty((rows, 3)), samples[:, 1:-1].swapaxes(0, 1)))
    assert np.array_equal(samples[:, 1:-1].swapaxes(0, 1), kept)
    assert not samples[:, [0, -1]].any()
    other = np.zeros((5, 2, 6))
    kernel(x[0], out=(np.empty(3), other[:, 1, ::2]))
    assert np.array_equal(other[:, 1, ::2], kernel(x[0])[1])
    assert np.array_equal(other[:, 1, ::2], kept[0])


def test_a_program_of_fewer_steps():
    def turned(x, y):
        def step(k, z):
            return np.sin(z) + k * y + lw.repeat(3, lambda k, a: np.cos(a), 1.0 * y)

        z, steps = lw.until(lambda z: z[0] > 5.0, step, x, limit=50)
        return z, steps, lw.repeat(3, lambda k, a: a + x, y)

    kernel = lw.compile(turned, x=3, y=3)
    x, y = np.random.default_rng(0).normal(size=(2, ROWS, 3))
    for most in (1, 2):
        few = lw.Kernel(kernel.program.limited(50, most))
        z = x
        for k in range(most):
            z = np.sin(z) + k * y + np.cos(np.cos(np.cos(y)))
        np.testing.assert_allclose(few(x, y)[0], z, atol=1e-13)
        assert (few(x, y)[1] == most).all()
        assert np.array_equal(few(x, y)[2], kernel(x, y)[2])
        np.testing.assert_allclose(few(x[0], y[0])[0], z[0], atol=1e-13)


def test_a_condition_is_a_truth_value_in_kernels_too():
    with pytest.raises(ArgumentError, match="expected a truth value"):
        lw.compile(lambda x: lw.until(lambda x: x[0] - 9.0, lambda x: x + 1.0, x, limit=50), x=2)
    kernel = lw.compile(lambda x: lw.until(lambda x: (x[0] > 9.0) | (x[1] > 9.0), lambda x: x + 1.0, x, limit=50), x=2)
    assert kernel([0.5, 3.0])[1] == 7.0


def test_what_is_needed_by_no_row_is_left_out():
    def chosen(x, y):
        return when(y > 0.5, lambda: np.sin(x) * np.exp(x) + np.tan(x), 2.0 * x)

    def nested(x, y):
        inner = lambda: when(y > 1.5, lambda: (x / y, x + y), x, y * x)  # noqa: E731
        return repeat(3, lambda k, a: when(y > 0.5, lambda: a + inner()[0] - inner()[1], a), x)

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(ROWS, 3)), rng.choice([0.0, 1.0, 2.0], ROWS)
    y[:W] = 0.0
    for function in (chosen, nested):
        kernel = lw.compile(function, x=(3,), y=())
        wanted = np.array([function(a, b) for a, b in zip(x, y, strict=True)])
        found = kernel(x, y)
        assert np.allclose(found, wanted, rtol=1e-13, atol=1e-13)
        assert np.allclose(interpret(kernel.program, x, y)[0], wanted, rtol=1e-13, atol=1e-13)
        assert np.array_equal(found, np.array([kernel(a, b) for a, b in zip(x, y, strict=True)]))


def test_a_loop_with_the_symbols_of_an_earlier_one_does_not_repeat_what_is_between_them() -> None:
    """Loops with the same number of steps and start share symbols; rows of memory written between them stay outside."""

    def largest(x: np.ndarray) -> np.ndarray:
        first = repeat(20, lambda k, most: maximum(most, x[0] * k), x[1])
        row = repeat(20, lambda k, row: write(row, k, [first + x[0] * k]), empty_row(x[0], 20))
        return np.stack([first, repeat(20, lambda k, most: maximum(most, read(row, k, 1)[0]), x[1])])

    kernel = lw.compile(largest, x=(2,))
    loops = [value for op, _, value in kernel.program.instructions if op == "repeat"]
    assert len(loops) == 3
    assert all(op != "repeat" for loop in loops for op, *_ in loop.program.instructions)
    assert kernel(np.array([0.5, 1.0])).tolist() == [9.5, 19.0]


@pytest.mark.parametrize("whole", [False, True], ids=["rows", "sum"])
def test_derivatives_of_rows_that_are_written_where_a_condition_holds(whole: bool) -> None:
    def twice(x: np.ndarray) -> np.ndarray:
        first, second = empty_row(x[0], 20), empty_row(x[0], 20)
        first = when(x[0] > 0.5, lambda: write(first, 0.0, x[0] * x), first)
        second = when(x[0] > 0.5, lambda: write(second, 0.0, x[1] * read(first, 0.0, 20)), second)
        found = read(second, 0.0, 20)
        return found.sum() if whole else found

    x = np.random.default_rng(3).uniform(0.6, 1.0, 20)
    wanted = x[0] * x[1] * np.eye(20)
    wanted[:, 0] += x[1] * x
    wanted[:, 1] += x[0] * x
    found = lw.compile(twice, x=20).derivative("x")(x)
    assert np.allclose(found, wanted.sum(0) if whole else wanted, rtol=0.0, atol=1e-14)
