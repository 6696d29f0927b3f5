"""Kernels as users have them: what they compile, say, refuse, survive."""

from __future__ import annotations

import inspect
import multiprocessing
import pickle
import sys
import threading
import warnings
from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.front import trace
from linkwright.compiler.ir.interpreter import interpret_call
from linkwright.compiler.schedules import selection
from linkwright.errors import (
    ArgumentError,
    ExpressionError,
    InputError,
    LinkwrightError,
    LinkwrightWarning,
    ShapeError,
    TooLargeError,
    UnknownNameError,
)
from mechanisms import one_of_each, relative_error, state


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


@pytest.fixture(scope="module")
def rows(arm):
    rng = np.random.default_rng(0)
    return arm.random(50, seed=rng), rng.normal(size=(50, 2)), rng.normal(size=(50, 2))


# own functions


def test_own_functions_fuse_algorithms(arm, rows):
    def tracking(model, q, v, goal, gain):
        """Computed torque towards a goal in the plane."""
        J = lw.jacobian(model, q, "link2")[:2]
        pull = gain * (goal - lw.pose(model, q, "link2")[:2, 3]) - J @ v
        return lw.inverse_dynamics(model, q, v, J.T @ pull), pull @ pull

    kernel = lw.compile(tracking, arm, goal=2, gain=())
    q, v, _ = rows
    goal = np.array([0.5, 0.7])
    tau, error = kernel(q, v, goal, 3.0)
    assert (tau.shape, error.shape) == ((50, 2), (50,))
    for k in range(5):
        one = tracking(arm, q[k], v[k], goal, 3.0)
        assert relative_error(tau[k], one[0]) < 1e-14
        assert relative_error(error[k], one[1]) < 1e-14
    assert "tracking" in repr(kernel)
    assert [slot.name for slot in kernel.program.inputs] == ["q", "v", "goal", "gain"]


def test_functions_without_a_model():
    kernel = lw.compile(lambda x, A: A @ x, x=3, A=(2, 3))
    x, A = np.random.default_rng(0).normal(size=(4, 3)), np.ones((2, 3))
    assert np.allclose(kernel(x, A), x @ A.T, atol=1e-15)


def test_values_are_bound_at_compile_time(arm, rows):
    q = rows[0]

    def scaled(model, q, reference_frame, by=1.0, method="composite"):
        return by * lw.jacobian(model, q, "link2", reference_frame), lw.mass_matrix(model, q, method)

    kernel = lw.compile(scaled, arm, reference_frame="body", by=2.0, method="jacobian")
    assert len(kernel.program.inputs) == 1
    J, M = kernel(q)
    # a form is chosen for each program as a whole: the same up to rounding
    assert relative_error(J, 2.0 * lw.jacobian(arm, q, "link2", "body")) < 1e-15
    assert relative_error(M, lw.mass_matrix(arm, q)) < 1e-14
    array = lw.compile(scaled, arm, reference_frame="body", by=())
    assert np.array_equal(array(q, 2.0)[0], J)
    for expected in (kernel, pickle.loads(pickle.dumps(kernel))):  # who takes the value for a shape is expected
        with pytest.raises(ArgumentError, match=r"bound when it was compiled: by = 2.0 \(a shape, \(\) for a number"):
            expected(q, 3.0)
        with pytest.raises(ArgumentError, match=r"has no argument 'by'; .* bound when it was compiled: by = 2.0"):
            expected(q, by=3.0)


def test_results_that_are_constants_or_inputs(arm):
    def function(model, q, v):
        return np.eye(2), q, np.stack([v[1], 1.5, q[0]]), 2.5, lw.total_mass(model)

    kernel = lw.compile(function, arm)
    q, v = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
    one, same, mixed, number, mass = kernel(q, v)
    assert np.array_equal(one, np.stack([np.eye(2)] * 3))
    assert np.array_equal(same, q)
    assert np.array_equal(mixed, [[1.0, 1.5, 0.0], [1.0, 1.5, 2.0], [1.0, 1.5, 4.0]])
    assert np.array_equal(number, [2.5] * 3)
    assert np.array_equal(mass, [lw.total_mass(arm)] * 3)


def test_symbols_through_algorithms(arm, rows):
    q, v, a = lw.symbols("q v a", (2, 2, 2))
    expressions = lw.inverse_dynamics(arm, q, v, a)
    assert expressions.shape == (2,)
    assert expressions.dtype == object
    again = lw.compile(lambda q, v, a: lw.inverse_dynamics(arm, q, v, a), q=2, v=2, a=2)
    assert np.array_equal(again(*rows), lw.inverse_dynamics(arm, *rows))
    mixed = lw.inverse_dynamics(arm, q, [0.0, 1.0], np.zeros(2))
    assert mixed.dtype == object


def test_kernels_are_kept_with_the_model(arm, rows):
    model = arm.with_gravity((0, 0, 0))
    assert not model.memo
    lw.mass_matrix(model, rows[0])
    kernels = dict(model.memo)
    lw.mass_matrix(model, rows[0][0])
    lw.mass_matrix(model, rows[0], "composite")
    assert {key: id(kernel) for key, kernel in model.memo.items()} == {key: id(k) for key, k in kernels.items()}
    assert np.array_equal(lw.gravity_forces(model, rows[0]), np.zeros((50, 2)))
    assert np.abs(lw.gravity_forces(arm, rows[0])).max() > 1.0


def test_public_functions_look_like_the_books(arm):
    for name in lw.__all__:
        if hasattr(face := getattr(lw, name), "book"):
            shown, book = inspect.signature(face), inspect.signature(face.book)
            assert {n: (p.kind, p.default) for n, p in shown.parameters.items()} == {
                n: (p.kind, p.default) for n, p in book.parameters.items()
            }, name
            assert inspect.getdoc(face).startswith(inspect.getdoc(face.book).splitlines()[0]), name


# errors


def errors_of_arrays(arm):
    q = np.zeros(2)
    return {
        "too short": (lambda: lw.mass_matrix(arm, np.zeros((5, 1))), ShapeError, r"q has shape \(5, 1\); expected"),
        "too long": (lambda: lw.mass_matrix(arm, np.zeros(3)), ShapeError, "expected"),
        "a number": (lambda: lw.mass_matrix(arm, 1.0), ShapeError, "expected"),
        "ragged": (lambda: lw.mass_matrix(arm, [[1.0, 2.0], [3.0]]), ShapeError, "not of one length"),
        "complex": (lambda: lw.mass_matrix(arm, q + 0j), ArgumentError, "real numbers; got dtype complex128"),
        "text": (lambda: lw.mass_matrix(arm, ["1", "2"]), ArgumentError, "real numbers"),
        "objects": (
            lambda: lw.mass_matrix(arm, np.array([1, 2], object)),
            ArgumentError,
            "real numbers; got dtype object",
        ),
        "objects and None": (lambda: lw.mass_matrix(arm, [None, 2]), ArgumentError, "real numbers; got dtype object"),
        "None": (lambda: lw.mass_matrix(arm, None), ArgumentError, "real numbers"),
        "dates": (lambda: lw.mass_matrix(arm, np.zeros(2, "datetime64[s]")), ArgumentError, "real numbers"),
        "batches": (
            lambda: lw.bias_forces(arm, np.zeros((3, 2)), np.zeros((4, 2))),
            ShapeError,
            r"do not broadcast: q \(3,\), v \(4,\)",
        ),
        "wrench": (lambda: lw.inverse_dynamics(arm, q, q, q, {"link2": np.zeros(3)}), ShapeError, "wrench link2"),
    }


def errors_of_names(arm):
    q = np.zeros(2)
    return {
        "frame": (lambda: lw.pose(arm, q, "lnk2"), UnknownNameError, "lnk2.*there are.*link2"),
        "wrenches' frame": (lambda: lw.inverse_dynamics(arm, q, q, q, {"hand": np.zeros(6)}), UnknownNameError, "hand"),
        "frame by number": (lambda: lw.pose(arm, q, 1), ArgumentError, "frame is a name, or a list"),
        "frames by number": (lambda: lw.pose(arm, q, ["link1", 1]), ArgumentError, "name"),
        "reference": (lambda: lw.jacobian(arm, q, "link1", "local"), InputError, "local.*body"),
        "method": (lambda: lw.mass_matrix(arm, q, method="crba"), InputError, "crba.*composite"),
        "model": (lambda: lw.mass_matrix("two_link", q), ArgumentError, "Model"),
        "wrenches": (lambda: lw.inverse_dynamics(arm, q, q, q, np.zeros(6)), ArgumentError, "dict"),
    }


def errors_of_compile(arm):
    return {
        "branch": (lambda: lw.compile(lambda m, q: q if q[0] > 0 else -q, arm), ExpressionError, "where"),
        "float": (lambda: lw.compile(lambda x: float(x[0]), x=3), ExpressionError, "cannot convert a symbol"),
        "unknown argument": (lambda: lw.compile(lw.mass_matrix, arm, foo=3), ArgumentError, "foo.*it has q"),
        "no shape": (lambda: lw.compile(lambda m, q, z: q, arm), ArgumentError, "'z'"),
        "starred": (lambda: lw.compile(lambda *x: x), ArgumentError, "one argument each"),
        "negative": (lambda: lw.compile(lambda x: x, x=-1), InputError, "negative"),
        "text": (lambda: lw.compile(lambda x: "a", x=3), ArgumentError, "real numbers"),
        "nothing": (lambda: lw.compile(lambda x: None, x=3), ArgumentError, "array"),
        "complex": (lambda: lw.compile(lambda x: 1j * x, x=3), ExpressionError, "complex"),
        "no model": (lambda: lw.compile(lw.mass_matrix, "two_link"), ArgumentError, "Model"),
        "frames": (lambda: lw.compile(lw.inverse_dynamics, arm, wrenches=["hand"]), UnknownNameError, "hand"),
        "foreign symbol": (lambda: lw.compile(lambda x: lw.symbols("y", 3), x=3), LinkwrightError, "mixed"),
        "not C": (lambda: lw.compile(lw.mass_matrix, arm).save("kernel.h"), ArgumentError, ".c"),
        "symbols": (lambda: lw.symbols("q v", (1, 2, 3)), ArgumentError, "2 names"),
        "negative symbols": (lambda: lw.symbols("x", -1), InputError, "negative"),
        "unnamed symbols": (lambda: lw.symbols(None), ArgumentError, "named by text.*None"),
        "no names": (lambda: lw.symbols(" "), ArgumentError, "named by text"),
        "names of numbers": (lambda: lw.symbols([1, 2], 3), ArgumentError, "named by text"),
        "symbols of no shape": (lambda: lw.symbols("x", 1.5), ArgumentError, "whole number.*1.5"),
        "symbols of shape None": (lambda: lw.symbols("q v", None), ArgumentError, "whole number.*None"),
        "empty tuple": (lambda: lw.compile(lambda x: (), x=3), ArgumentError, r"array.*got \(\)"),
        "empty list": (lambda: lw.compile(lambda x: [], x=3), ArgumentError, r"array.*got \[\]"),
        "wrenches by number": (lambda: lw.compile(lw.inverse_dynamics, arm, wrenches=3), ArgumentError, "a list"),
        "wrenches by text": (lambda: lw.compile(lw.inverse_dynamics, arm, wrenches="tip"), ArgumentError, "a list"),
        "wrenches by array": (
            lambda: lw.compile(lw.inverse_dynamics, arm, wrenches=np.zeros(6)),
            ArgumentError,
            "names of frames",
        ),
        "builtin": (lambda: lw.compile(max, x=3), ArgumentError, "has no signature"),
        "derivative of nothing": (lambda: lw.derivative(None, "q"), ArgumentError, "expected a function, .*; got None"),
        "derivative by nothing": (lambda: lw.derivative(lw.mass_matrix, None), ArgumentError, "it has q"),
        "no arrays": (lambda: lw.derivative(lambda m: m, "q"), ArgumentError, "it has none"),
        "unequal parts": (lambda: lw.stack([np.zeros(2), np.zeros(3)]), ShapeError, "one shape"),
        "no parts": (lambda: lw.stack([]), ShapeError, "one shape"),
    }


@pytest.mark.parametrize(
    ("collection", "name"),
    [
        (collection, name)
        for collection in (errors_of_arrays, errors_of_names, errors_of_compile)
        for name in collection(lw.load("two_link"))
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_mistakes_are_explained(collection, name, compiled):
    model = lw.load("two_link")
    if compiled:
        lw.mass_matrix(model, np.zeros(2))
        lw.bias_forces(model, np.zeros(2), np.zeros(2))
        lw.inverse_dynamics(model, *np.zeros((3, 2)), {"link2": np.zeros(6)})
    attempt, kind, message = collection(model)[name]
    with pytest.raises(kind, match=message) as caught:
        attempt()
    assert isinstance(caught.value, LinkwrightError)


def test_mistakes_with_kernels(arm, rows):
    q, v, a = rows
    kernel = lw.compile(lw.inverse_dynamics, arm)
    for attempt, kind, message in (
        (lambda: kernel(q, v), ArgumentError, "takes 3 arrays .*; got 2"),
        (lambda: kernel(q, v, a, a), ArgumentError, "got 4"),
        (lambda: kernel(), ArgumentError, "got 0"),
        (lambda: kernel(q, v, a, out=np.zeros((50, 3))), ShapeError, r"out must be an array \(50, 2\)"),
        (lambda: kernel(q, v, a, out=np.zeros((49, 2))), ShapeError, r"\(50, 2\)"),
        (lambda: kernel(q, v, a, out="here"), ShapeError, "out"),
        (lambda: kernel(q, v, a, out=np.zeros((50, 2), int)), ArgumentError, "int64"),
        (lambda: kernel(q[:, :1], v, a), ShapeError, "q has shape"),
    ):
        with pytest.raises(kind, match=message):
            attempt()
    frozen = np.zeros((50, 2))
    frozen.setflags(write=False)
    with pytest.raises((ArgumentError, ValueError), match=r"read-only|not writ"):
        kernel(q, v, a, out=frozen)


# pickling, threads, processes


def test_pickled_kernels_and_models(rows):
    model = one_of_each(2, mimics=True)
    q, v, a = state(model, 0)
    kernel = lw.compile(lw.inverse_dynamics, model, wrenches=["tip"])
    wrench = np.arange(6.0)
    again = pickle.loads(pickle.dumps(kernel))
    assert np.array_equal(again(q, v, a, wrench), kernel(q, v, a, wrench))
    assert again.program.digest == kernel.program.digest
    twin = pickle.loads(pickle.dumps(model))
    assert np.array_equal(lw.inverse_dynamics(twin, q, v, a, {"tip": wrench}), kernel(q, v, a, wrench))
    assert str(twin) == str(model)
    assert list(twin.frames) == list(model.frames)


def test_one_kernel_in_many_threads():
    model = lw.load("arm7")
    kernel = lw.compile(lw.forward_dynamics, model)
    rng = np.random.default_rng(0)
    q, v, tau = model.random(4001, seed=rng), *rng.normal(size=(2, 4001, 7))
    expected = kernel(q, v, tau)
    results: dict[int, list] = {k: [] for k in range(8)}

    def work(k):
        for _ in range(5):
            results[k].append(np.array_equal(kernel(q, v, tau), expected))
            results[k].append(np.array_equal(kernel(q[k], v[k], tau[k]), expected[k]))

    threads = [threading.Thread(target=work, args=(k,)) for k in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(all(found) and len(found) == 10 for found in results.values())


def test_a_first_call_in_many_threads():
    model = lw.load("arm7")
    q = model.random(20, seed=0)
    found = []
    threads = [threading.Thread(target=lambda: found.append(lw.mass_matrix(model, q))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(np.array_equal(x, found[0]) for x in found)


def _in_a_child(kernel, arrays, expected, queue):
    other = lw.load("planar:3")  # compiled here for the first time
    q = other.random(9, seed=0)
    queue.put(
        (
            np.array_equal(kernel(*arrays), expected),
            relative_error(lw.mass_matrix(other, q)[0], lw.dynamics.mass_matrix(other, q[0])),
        )
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_kernels_after_a_fork():
    model = lw.load("arm7")
    kernel = lw.compile(lw.inverse_dynamics, model)
    rng = np.random.default_rng(0)
    arrays = model.random(5000, seed=rng), *rng.normal(size=(2, 5000, 7))
    expected = kernel(*arrays)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_a_child, args=(kernel, arrays, expected, queue))
    child.start()
    same, error = queue.get(timeout=60)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert same
    assert error < 1e-13


# what is too large


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(trace.trace.__wrapped__, "__defaults__", (trace.NODE_LIMIT, 100))


@pytest.fixture
def nothing_fits(monkeypatch, small_limit):
    def refused(bound):
        raise TooLargeError("loops are for others")

    monkeypatch.setattr(selection, "in_loops", refused)


def test_too_large_functions_run_uncompiled_and_say_so_once(nothing_fits):
    model = lw.load("arm7")
    rng = np.random.default_rng(0)
    q, v, a = model.random(5, seed=rng), *rng.normal(size=(2, 5, 7))
    with pytest.warns(LinkwrightWarning, match="too large for straight-line code.*row by row") as caught:
        tau = lw.inverse_dynamics(model, q, v, a)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(lw.inverse_dynamics(model, q, v, a), tau)
        assert np.array_equal(lw.inverse_dynamics(model, q[0], v[0], a[0]), tau[0])
        assert lw.inverse_dynamics(model, q[:0], v[:0], a[:0]).shape == (0, 7)
        grid = lw.inverse_dynamics(model, q[:, None], v[None, :3], a[0])
    assert grid.shape == (5, 3, 7)
    expected = [lw.dynamics.inverse_dynamics(model, *row) for row in zip(q, v, a, strict=True)]
    assert relative_error(tau, expected) < 1e-15
    assert relative_error(grid[4, 2], lw.dynamics.inverse_dynamics(model, q[4], v[2], a[0])) < 1e-15
    for arrays, kind in (((q[:, :6], v, a), ShapeError), ((q, v[:2], a), ShapeError), ((q + 0j, v, a), ArgumentError)):
        with pytest.raises(kind):
            lw.inverse_dynamics(model, *arrays)


def test_too_large_with_wrenches_and_matrices(nothing_fits):
    model = lw.load("arm7")
    q = model.random(3, seed=0)
    wrench = np.ones((3, 6))
    with pytest.warns(LinkwrightWarning, match="too large"):
        tau = lw.inverse_dynamics(model, q, 0 * q, 0 * q, {"link7": wrench})
    zero = np.zeros(7)
    expected = [lw.dynamics.inverse_dynamics(model, x, zero, zero, {"link7": np.ones(6)}) for x in q]
    assert relative_error(tau, expected) < 1e-15
    with pytest.warns(LinkwrightWarning, match="too large"):
        assert lw.mass_matrix(model, q).shape == (3, 7, 7)


def test_too_large_kernels_are_refused(nothing_fits):
    with pytest.raises(TooLargeError, match="100"):
        lw.compile(lw.inverse_dynamics, lw.load("arm7"))


def test_what_is_too_large_for_straight_lines_is_loops_whatever_its_size(small_limit):
    kernel = lw.compile(lw.inverse_dynamics, lw.load("arm7"))
    assert "loops over 7 bodies" in kernel.program.form


def test_what_is_too_large_says_what_why_and_what_to_do(monkeypatch, small_limit):
    def mine(model, q):
        return lw.mass_matrix(model, q) @ q

    arm, unroll = lw.load("arm7"), {"unroll": True}
    with pytest.raises(
        TooLargeError,
        match=r"^mine of 'arm7' \(7 bodies\) is too large .*\d+ operations, .*; compile its parts",
    ):
        lw.compile(mine, arm)
    with pytest.raises(TooLargeError, match=r"remove unroll=True, so that it may run as loops"):
        lw.compile(lw.inverse_dynamics, arm, **unroll)
    with pytest.raises(TooLargeError, match=r"^function is too large for .*; compile its parts as several"):
        lw.compile(lambda x: np.sin(np.outer(x, x)), x=20)
    with pytest.raises(TooLargeError, match=r"^mine of 'arm7' .*cannot run as loops .*unroll=False\): it multiplies"):
        lw.compile(mine, arm, unroll=False)
    monkeypatch.setattr(selection, "BODIES_IN_LOOPS", 5)
    with pytest.raises(TooLargeError, match=r"straight-line code: \d+ operations, .*; it cannot run as loops .*: it"):
        lw.compile(mine, arm)


def test_public_functions_in_ones_own_run_as_loops_too():
    """Those that have kernels of their own already, too: these are not asked."""
    model = lw.load("planar:120")
    q = model.random(2, seed=0)
    energy = lw.kinetic_energy(model, q, q)

    def mine(model, q):
        return 2.0 * lw.kinetic_energy(model, q, q)

    assert relative_error(lw.compile(mine, model)(q), 2.0 * energy) < 1e-15


@pytest.mark.parametrize("shape", [10**7, (10**6, 10**6), (2**40, 2**40)])
def test_too_large_arrays_are_refused_at_once(shape):
    with pytest.raises(TooLargeError, match=r"x has \d+ entries"):
        lw.compile(lambda x: x, x=shape)
    with pytest.raises(TooLargeError, match=r"x has \d+ entries"):
        lw.symbols("x", (shape,) if isinstance(shape, int) else shape)


def test_too_large_traces_are_given_up_early(monkeypatch, nothing_fits):
    monkeypatch.setattr(trace.trace.__wrapped__, "__defaults__", (500, trace.OPERATION_LIMIT))
    model = lw.load("arm7")
    q = model.random(2, seed=0)
    with pytest.warns(LinkwrightWarning, match="more than 500 expressions"):
        M = lw.mass_matrix(model, q)
    assert relative_error(M[1], lw.dynamics.mass_matrix(model, q[1])) < 1e-15


@pytest.mark.parametrize("number", range(4))
def test_functions_that_symbols_cannot_go_through_are_refused(number):
    functions = [lambda x: x % 2.0, lambda x: x // 2.0, lambda x: np.linalg.inv(np.outer(x, x)), lambda x: x << 1]
    with pytest.raises(ExpressionError, match="symbols"):
        lw.compile(functions[number], x=3)


def test_only_functions_are_compiled():
    with pytest.raises(ArgumentError, match="function"):
        lw.compile(5)


def test_a_model_that_is_not_given_is_reported():
    def own(model, q):
        return lw.mass_matrix(model, q)

    def annotated(arm: lw.Model, q):
        return lw.mass_matrix(arm, q)

    for function in (own, annotated, lw.mass_matrix, lw.derivative(lw.mass_matrix, "q")):
        for given in ((), (None,)):
            with pytest.raises(ArgumentError, match=r"is a function of a mechanism, .* none is given: compile\("):
                lw.compile(function, *given, q=2)
    with pytest.raises(ArgumentError, match="own is a function of a mechanism, its first argument 'model'"):
        lw.compile(own, model=None)
    with pytest.raises(ArgumentError, match="requires the argument 'y': give its shape"):
        lw.compile(lambda x, y: x, x=3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: lw.where(x > 0.0, x, -x),
        lambda x: lw.where(x >= 0.5, 1.0, x),
        lambda x: lw.where((x > -0.5) & (x < 0.5), x, 0.0),
        lambda x: lw.where((x < -0.5) | ~(x <= 0.5), 2.0 * x, np.sin(x)),
        lambda x: lw.where(~((x >= -1.0) & ~(x > 1.0) & (x[0] > 0.0)) | (x < 0.3), x, x * x),
        lambda x: lw.where(np.array([0.1, -0.1, 0.0, 1.0]) > x, x, 7.0),
        lambda x: lw.where(np.concatenate([x, 2.0 * x]) > x[1], 1.0, -1.0),
        lambda x: lw.where(lw.stack([x[0], x[1] - x[2]]) > 0.0, 1.0, -1.0),
        lambda x: lw.where((lw.stack(np.outer(x, x)) > 0.2) & (x > 0.0), x, -1.0),
        lambda x: lw.where((x[0] > 0.0) | (x[1] > 0.0), x, -x),
        lambda x: lw.where((x > 0.0) & True, x, -x),
    ],
)
def test_conditions_are_those_of_numbers(function):
    kernel = lw.compile(function, x=4)
    x = np.random.default_rng(0).normal(size=(40, 4))
    expected = np.array([function(row) for row in x])
    assert relative_error(kernel(x), expected) < 1e-15


def test_poses_of_symbols_can_be_compared(arm, rows):
    def above(model, q):
        return lw.where(lw.pose(model, q, "link2")[:2, 3] > 0.0, 1.0, 0.0)

    q = rows[0]
    expected = lw.pose(arm, q, "link2")[:, :2, 3] > 0.0
    assert 0 < expected.sum() < expected.size
    assert np.array_equal(lw.compile(above, arm)(q), expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: lw.where(x & x, x, 0.0),
        lambda x: lw.where((x > 0.0) | 0.5, x, 0.0),
        lambda x: lw.where(~x, x, 0.0),
        lambda x: lw.where(lw.where(x > 0.0, x, 0.0) & (x > 1.0), x, 0.0),
    ],
)
def test_only_conditions_are_joined(function):
    with pytest.raises(ExpressionError, match="are for conditions"):
        lw.compile(function, x=2)


def test_plain_arrays_that_cannot_be_compared_say_what_can():
    with pytest.raises(ExpressionError, match=r"stack\(array\)"):
        lw.compile(lambda x: lw.where(np.array([x[0], x[1]]) > 0.0, 1.0, 0.0), x=2)


def test_a_function_may_write_in_its_arguments():
    def swap(x):
        x[[0, 1]] = x[[1, 0]]
        return x

    assert np.array_equal(lw.compile(swap, x=2)([3.0, 4.0]), [4.0, 3.0])


def test_the_square_of_a_root_is_no_number_where_the_root_is_none():
    kernel = lw.compile(lambda x: np.sqrt(x) * np.sqrt(x), x=2)
    root = kernel([4.0, -4.0])
    assert root[0] == 4.0
    assert np.isnan(root[1])


def test_options_of_strange_types_are_reported(arm):
    zero = np.zeros(2)
    with pytest.raises(ArgumentError, match=r"partition = \{1\}"):
        lw.forward_dynamics(arm, zero, zero, zero, method="hybrid", partition={1})
    for option in ("regroup", "tune", "unroll"):
        with pytest.raises(ArgumentError, match=f"{option} is True or False"):
            lw.compile(lw.mass_matrix, arm, **{option: "x"})


def test_a_notebook_shows_inputs_outputs_and_operations():
    shown = lw.compile(lw.dynamics.mass_matrix, lw.load("two_link"))._repr_html_()
    assert "kernel <b>mass_matrix</b>: 1 multiplications" in shown
    assert "<td>q</td><td>(…, 2)</td>" in shown
    assert "<td>(…, 2, 2)</td>" in shown


@pytest.mark.parametrize("form", [lambda out: out, lambda out: (out,)])
def test_an_interpreted_kernel_returns_the_array_that_it_wrote(arm, form):
    kernel, q = lw.compile(lw.mass_matrix, arm), np.array([0.3, -0.7])
    out = np.empty((2, 2))
    for call in (kernel, partial(interpret_call, kernel.program)):
        out[:] = np.nan
        assert call(q, out=form(out)) is out
        assert np.allclose(out, lw.mass_matrix(arm, q), atol=1e-12)


def test_a_derivative_is_made_once():
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y")
    kernel = lw.compile(x**2 * y, [x, y])
    assert kernel.derivative(x) is kernel.derivative("x")
    assert kernel.derivative("y") is not kernel.derivative("x")
    assert kernel.derivative(x)(3.0, 2.0) == 12.0
