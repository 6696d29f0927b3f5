"""Rows that stop make room for the next ones: each stays what it is alone, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.emit import refill
from linkwright.compiler.emit.instructions import arithmetic
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.native.machine import target
from mechanisms import relative_error

pytestmark = [
    pytest.mark.usefixtures("optimized"),  # code as users have it
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

W = target().width


def rolled(x, speed):
    """A step that takes long, for a single number."""
    for k in range(6):
        x = x + 0.1 * np.sin(speed * x + k) * np.cos(x)
    return x


def wandering(x, speed, until):
    """Work before, a loop before, rows of all lengths, loops within steps, work after with a loop in it."""
    speed = np.exp(0.1 * speed) + x[0] * 0.01
    root, _ = lw.until(lambda y: abs(y * y - speed) < 1e-12, lambda y: 0.5 * (y + speed / y), 1.0, limit=30)

    def step(k, x, total):
        inner, steps = lw.until(lambda y: y > 2.0, lambda y: y + abs(np.sin(x[1])) + 0.3, x[0] * 0.1, limit=9)
        return lw.stack([rolled(x[0], root), x[1] + 0.01 * inner * k]), total + 1.0 + 0.001 * steps

    x, total, steps = lw.until(lambda x, total: total >= until, step, x, 0.0, limit=60)
    last, _ = lw.until(lambda y: y < 1.0, lambda y: 0.7 * y, total + root, limit=50)
    return x, steps, last * speed, lw.where(speed < 1.0, x[0], root)


def arguments(rows, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 2)), rng.normal(size=rows), np.floor(rng.exponential(12.0, rows))


@pytest.fixture(scope="module")
def kernel():
    return lw.compile(wandering, x=2, speed=(), until=())


def assert_alone(kernel, found, given):
    """Each row is what it is by itself."""
    for row in range(len(given[0])):
        alone = kernel(*(np.array(x[row]) for x in given))
        assert all(np.array_equal(a[row], b, equal_nan=True) for a, b in zip(found, alone, strict=True)), row


def test_which_loops_are_refilled(kernel):
    split = refill.parts(kernel.program)
    assert split is not None
    assert split.steps.count == 60
    short = lw.compile(lambda x: lw.until(lambda y: y * y < x, lambda y: 0.9 * y, x, limit=99), x=())
    assert refill.parts(short.program) is None
    kept = lw.compile(lambda x: lw.until(lambda y: y < 0.0, lambda y: rolled(y, 1.0), x, limit=9, keep=3), x=())
    assert refill.parts(kept.program) is None


@pytest.mark.parametrize("rows", [0, 1, W - 1, W, W + 1, 3 * W + 2])
def test_rows_of_all_lengths(kernel, rows):
    given = arguments(rows)
    assert_alone(kernel, kernel(*given), given)


def test_more_rows_than_are_under_way_at_once(kernel):
    split = refill.parts(kernel.program)
    rows = 2 * split.chunk(W) + W + 3
    given = arguments(rows)
    found = kernel(*given)
    assert len(set(found[1])) > 20
    assert found[1].max() == 60.0  # the limit
    assert_alone(kernel, found, given)
    for a, b in zip(interpret(kernel.program, *given), found, strict=True):
        assert relative_error(a, b) < 1e-9


def test_rows_that_lie_apart_and_are_shared(kernel):
    x, speed, until = arguments(5 * W + 1)
    wide = np.zeros((2, len(speed), 7))
    wide[..., 1:5:3] = x
    apart = wide[..., 1:5:3]
    outs = tuple(np.zeros((2, len(speed), 3, *slot.shape))[:, :, 1] for slot in kernel.program.outputs)
    found = kernel(apart, speed, until[:, None].T, out=outs)
    alone = kernel(x, speed, until)
    for a, b, c in zip(found, alone, outs, strict=True):
        assert a is c
        assert np.array_equal(a, [b, b])


def test_a_batch_of_one_row_whose_entries_lie_apart(kernel):
    x, speed, until = arguments(1)
    wide = np.full((1, 6), np.nan)
    wide[:, 1:5:3] = x
    out = tuple(np.zeros((1, *slot.shape, 2))[..., 1] for slot in kernel.program.outputs)
    assert_alone(kernel, kernel(wide[:, 1:5:3], speed, until, out=out), (x, speed, until))


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e9])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_what_is_not_finite_or_far_stays_in_its_row(kernel, value, which):
    given = arguments(4 * W + 3)
    given[which][2] = value
    assert_alone(kernel, kernel(*given), given)


def test_threads_change_nothing(kernel):
    given = arguments(20_000)
    several = lw.compile(wandering, x=2, speed=(), until=())
    several.threads = 3
    for a, b in zip(kernel(*given), several(*given), strict=True):
        assert np.array_equal(a, b)


def test_derivatives(kernel):
    def root(x):
        return lw.until(
            lambda y: abs(y * y - x) < 1e-14 * x, lambda y: 0.5 * (y + x / y) + 1e-18 * rolled(y, 1.0), x, limit=40
        )[0]

    derivative = lw.compile(root, x=()).derivative("x")
    assert refill.parts(derivative.program) is not None
    x = np.exp(np.random.default_rng(0).uniform(-3.0, 9.0, 9 * W))
    found = derivative(x)
    assert np.array_equal(found, [derivative(y) for y in x])
    assert relative_error(found, 0.5 / np.sqrt(x)) < 1e-9


def test_inverse_kinematics_by_damped_least_squares():
    """As users write it: rows from two steps to the limit."""
    arm = lw.load("two_link")

    def solve(model, q, goal):
        def step(q):
            J = lw.jacobian(model, q, "link2")[:2]
            error = goal - lw.pose(model, q, "link2")[:2, 3]
            return q + J.T @ lw.solve(J @ J.T + 1e-4 * np.eye(2), error)

        return lw.until(lambda q: lw.norm(goal - lw.pose(model, q, "link2")[:2, 3]) < 1e-9, step, q, limit=50)

    kernel = lw.compile(solve, arm, goal=2)
    given = arm.random(6 * W, seed=0), lw.pose(arm, arm.random(6 * W, seed=1), "link2")[:, :2, 3]
    found = kernel(*given)
    assert len(set(found[1])) > 3
    assert_alone(kernel, found, given)


TERRAIN = np.random.default_rng(5).normal(size=(40, 2))
WEIGHTS = np.random.default_rng(6).normal(size=(20, 20)) / 5.0


def test_tables_of_constants_are_read_by_rows_that_take_each_others_place():
    """Tables that are arguments are not: their rows would have to change with the lanes."""

    def descent(x, slope):
        def step(k, y):
            cell = np.floor(4.0 * y)
            bent = np.tanh(WEIGHTS @ (np.arange(20.0) * rolled(y, slope)))
            return y + 0.2 + 0.01 * lw.take(TERRAIN, cell)[0] * bent[3] + 1e-3 * lw.take(TERRAIN[:, 1], k)

        y, steps = lw.until(lambda y: y > 4.0 + lw.take(TERRAIN, y)[1], step, x, limit=90)
        return y, steps, lw.take(TERRAIN, steps)[0]

    kernel = lw.compile(descent, x=(), slope=())
    assert refill.parts(kernel.program) is not None
    rng = np.random.default_rng(0)
    given = rng.uniform(-5.0, 4.0, 4 * W + 3), rng.normal(size=4 * W + 3)
    found = kernel(*given)
    assert len(set(found[1])) > W
    assert_alone(kernel, found, given)
    for a, b in zip(interpret(kernel.program, *given), found, strict=True):
        assert relative_error(a, b) < 1e-9
    table = lw.compile(
        lambda x, t: lw.until(lambda y: y > lw.take(t, y), lambda y: rolled(y, x), x, limit=9), x=(), t=4
    )
    assert refill.parts(table.program) is None


def test_code_that_is_cut_into_blocks(monkeypatch):
    """Wherever it is: states are stored in another block than the lane's row stopped in."""
    monkeypatch.setattr(arithmetic, "LONGEST", 8)
    monkeypatch.setattr(arithmetic, "BLOCK", 1)
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    kernel = lw.compile(wandering, x=2, speed=(), until=())
    given = arguments(4 * W + 3)
    assert_alone(kernel, kernel(*given), given)
