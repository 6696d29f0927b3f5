"""Derivatives: of every operation, of kernels, on manifolds; against differences."""

from __future__ import annotations

import functools
import gc
import inspect
import weakref

import numpy as np
import pytest
from operations_on import one_operation

import linkwright as lw
from linkwright.compiler import public
from linkwright.compiler.front import trace
from linkwright.compiler.kernel import Kernel
from linkwright.errors import ArgumentError, LinkwrightWarning, TooLargeError
from linkwright.expression.operations import HELD, OPERATIONS
from linkwright.model.joints.joint import Compound, Free, Planar, Revolute, Spherical
from linkwright.model.memo import derived
from mechanisms import random_tree, relative_error, state

ANALYTIC = (
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "exp",
    "log",
    "tanh",
    "pow",
    "inverse_root",
)
"""Operations NumPy evaluates on complex numbers, whose derivative is then exact to rounding."""

DOMAIN = {
    "sqrt": (0.1, 3.0),
    "log": (0.1, 3.0),
    "pow": (0.1, 3.0),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "inverse_root": (0.1, 3.0),
}


def points(op, n=40):
    """(arity, n) away from kinks."""
    low, high = DOMAIN.get(op, (-2.0, 2.0))
    return np.random.default_rng(3).uniform(low, high, (OPERATIONS[op].arity, n))


@pytest.mark.parametrize("op", [op for op in OPERATIONS if op not in HELD])
def test_partial_derivatives_of_every_operation(op):
    kernel, x = Kernel(one_operation(op)), points(op)
    evaluate = OPERATIONS[op].evaluate
    for k in range(len(x)):
        found = kernel.derivative(f"x{k}")(*x)
        step = np.zeros_like(x)
        step[k] = 1.0
        if op in ANALYTIC:
            expected = np.imag(evaluate(*(x + 1e-200j * step))) / 1e-200
            assert relative_error(found, expected) < 1e-14
        else:
            expected = (evaluate(*(x + 1e-6 * step)) - evaluate(*(x - 1e-6 * step))) / 2e-6
            assert relative_error(found, expected) < 1e-8


def test_every_operation_has_a_derivative_somewhere():
    """None of the tests above is of zeros alone, the piecewise constant ones excepted."""
    flat = {"sign", "less", "less_equal", "floor", "round", "held", "held_twice", "held_once"}
    for op in [op for op in OPERATIONS if op != "held_in_derivative"]:
        kernel, x = Kernel(one_operation(op)), points(op)
        largest = max(np.abs(kernel.derivative(f"x{k}")(*x)).max() for k in range(len(x)))
        assert (largest == 0.0) == (op in flat)


def test_derivatives_of_arrays_by_arrays():
    def function(x, A):
        return A @ np.sin(x), x @ A @ x

    x, A = np.array([0.3, -0.8]), np.array([[1.0, 2.0], [3.0, 4.0]])
    kernel = lw.compile(function, x=2, A=(2, 2))
    by_x = kernel.derivative("x")(x, A)
    assert np.allclose(by_x[0], A * np.cos(x), atol=1e-15)
    assert np.allclose(by_x[1], (A + A.T) @ x, atol=1e-15)
    by_A = kernel.derivative("A")(x, A)
    assert by_A[0].shape == (2, 2, 2)
    assert np.allclose(by_A[0], np.einsum("ij,k->ijk", np.eye(2), np.sin(x)), atol=1e-15)
    assert np.allclose(by_A[1], np.outer(x, x), atol=1e-15)
    second = kernel.derivative("x").derivative("x")(x, A)
    assert np.allclose(second[1], A + A.T, atol=1e-15)


def difference_on_manifold(f, model, q):
    """d f(integrate(q, δ)) / dδ at 0, the axis last; central differences of order six."""
    h = 1e-3

    def moved(unit, s):
        return np.asarray(f(lw.integrate(model, q, s * h * unit)))

    columns = [
        (
            45 * (moved(unit, 1) - moved(unit, -1))
            - 9 * (moved(unit, 2) - moved(unit, -2))
            + (moved(unit, 3) - moved(unit, -3))
        )
        / (60 * h)
        for unit in np.eye(model.nv)
    ]
    return np.stack(columns, axis=-1)


MODELS = {
    "free and spherical": lambda: random_tree([Free, Spherical], 2),
    "planar and compound": lambda: random_tree([Planar, Compound], 6),
    "couplings": lambda: random_tree([Revolute, Revolute, Spherical, Revolute], 0, mimics=True),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lw.inverse_dynamics, {}),
        (lw.forward_dynamics, {}),
        (lw.mass_matrix, {}),
        (lw.pose, {"frame": "tip"}),
        (lw.velocity, {"frame": "tip", "reference_frame": "body"}),
        (lw.passive_forces, {}),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_derivatives_with_respect_to_configurations(model, function, options):
    q, v, a = state(model, 1)
    kernel = lw.compile(function, model, **options)
    rest = [v, a][: len(kernel.program.inputs) - 1]
    expected = difference_on_manifold(lambda x: kernel(x, *rest), model, q)
    found = kernel.derivative("q")(q, *rest)
    assert relative_error(found, expected) < 1e-7
    by_itself = lw.derivative(function, "q")(model, q, *rest, **options)
    assert np.array_equal(by_itself, found)


def test_the_gradient_of_the_energy_is_gravity(model):
    q = model.random(5, seed=0)
    gradient = lw.derivative(lw.potential_energy, "q")(model, q)
    assert relative_error(gradient, lw.gravity_forces(model, q)) < 1e-13


def test_the_gradient_of_the_springs_energy_is_their_force(model):
    q = model.random(5, seed=0)
    gradient = lw.derivative(lw.spring_energy, "q")(model, q)
    assert relative_error(gradient, -lw.passive_forces(model, q, np.zeros(model.nv))) < 1e-13


def test_the_derivative_of_a_pose_is_the_jacobian(model):
    q = model.random(seed=0)
    p = lw.derivative(lw.pose, "q")(model, q, "tip")[:3, 3]
    assert relative_error(p, lw.jacobian(model, q, "tip")[:3]) < 1e-13


def test_derivatives_with_respect_to_velocities_and_efforts(model):
    q, v, a = state(model, 1)
    M = lw.mass_matrix(model, q)
    assert relative_error(lw.derivative(lw.inverse_dynamics, "a")(model, q, v, a), M) < 1e-12
    inverse = np.linalg.inv(M)
    found = lw.derivative(lw.forward_dynamics, "tau")(model, q, v, a)
    assert relative_error(found, inverse) < 1e-15 * max(100.0, np.linalg.cond(M))
    kernel = lw.compile(lw.inverse_dynamics, model)
    h = 1e-4
    expected = [(kernel(q, v + h * unit, a) - kernel(q, v - h * unit, a)) / (2 * h) for unit in np.eye(model.nv)]
    assert relative_error(kernel.derivative("v")(q, v, a), np.stack(expected, axis=-1)) < 1e-8  # quadratic in v
    assert relative_error(lw.derivative(lw.kinetic_energy, "v")(model, q, v), M @ v) < 1e-12


@pytest.mark.parametrize("wrt", ["q0", "q1"])
def test_derivatives_of_differences(model, wrt):
    q0, q1 = model.random(seed=0), model.random(seed=1)
    kernel = lw.compile(lw.difference, model)
    arguments = {"q0": q0, "q1": q1}

    def varied(x):
        return kernel(*(arguments | {wrt: x}).values())

    expected = difference_on_manifold(varied, model, arguments[wrt])
    assert relative_error(kernel.derivative(wrt)(q0, q1), expected) < 1e-7


def test_steps_of_no_length_have_a_derivative(model):
    """The series near zero are differentiated, not the closed forms."""
    q = model.random(seed=0)
    kernel = lw.compile(lambda model, q, v: lw.difference(model, q, lw.integrate(model, q, v)), model)
    for size in (0.0, 1e-12, 1e-3):
        found = kernel.derivative("v")(q, size * np.ones(model.nv))
        assert relative_error(found, np.eye(model.nv)) < 1e-12


def test_batches_wrenches_and_symbols():
    arm = lw.load("two_link")
    q, v, a = arm.random(7, seed=0), np.ones((7, 2)), np.zeros((7, 2))
    wrench = np.arange(6.0)
    frame = arm.bodies[-1].name
    J = lw.derivative(lw.inverse_dynamics, "q")(arm, q, v, a, {frame: wrench})
    assert J.shape == (7, 2, 2)
    plain = lw.derivative(lw.inverse_dynamics, "q")(arm, q, v, a)
    assert relative_error(J, plain) > 0.01
    x = lw.symbols("x", 2)
    expressions = lw.derivative(lw.gravity_forces, "q")(arm, x)
    assert expressions.shape == (2, 2)
    assert expressions.dtype == object
    hessian = lw.compile(lambda x: lw.derivative(lw.gravity_forces, "q")(arm, x), x=2)
    assert np.array_equal(hessian(q), lw.derivative(lw.gravity_forces, "q")(arm, q))


def test_what_cannot_be_differentiated_by_is_reported():
    arm = lw.load("two_link")
    for attempt in (
        lambda: lw.derivative(lw.mass_matrix, "v"),
        lambda: lw.derivative(lw.pose, "frame"),
        lambda: lw.derivative(lw.inverse_dynamics, "wrenches"),
        lambda: lw.compile(lw.mass_matrix, arm).derivative("v"),
    ):
        with pytest.raises(ArgumentError, match="it has q"):
            attempt()


def test_a_derivative_too_large_to_form_is_refused_once_and_for_all(monkeypatch):
    monkeypatch.setattr(trace, "NODE_LIMIT", 500)
    arm, calls = lw.load("arm7"), []

    def tip(model, q):
        calls.append(q)
        return lw.dynamics.pose(model, q, "tool")[:3, 3]

    by_q = lw.derivative(tip, "q")
    for _ in range(3):
        with pytest.raises(TooLargeError, match=r"derivative of tip by q is too large for 'arm7'.*500"):
            by_q(arm, np.zeros((4, 7)))
        assert len(calls) <= 2  # with and without sums of angles


def test_a_derivative_too_large_to_compile_is_formed_once(monkeypatch):
    arm, calls = lw.load("arm7"), []

    def bends(model, q):
        calls.append(q)
        return np.sin(lw.dynamics.pose(model, q, "tool")[:3, 3])

    by_q = lw.derivative(bends, "q")
    q = arm.random(3, seed=0)
    expected = by_q(lw.load("arm7"), q)
    calls.clear()
    monkeypatch.setattr(public, "program", too_large)
    with pytest.warns(LinkwrightWarning, match="row by row"):
        assert relative_error(by_q(arm, q), expected) < 1e-14
    assert relative_error(by_q(arm, q[0]), expected[0]) < 1e-14
    assert len(calls) <= 2


def too_large(bound):
    raise TooLargeError("as this test has it")


# functions of users: whatever can be called


def scaled(factor):
    def tip(model, q):
        return factor * lw.pose(model, q, "tip")[:3, 3]

    return tip


class Reach:
    """A function that is an object, and one that is a method; with an equality, so without a hash."""

    def __init__(self, factor):
        self.factor = factor

    def __eq__(self, other):
        return True

    def __call__(self, model, q):
        return self.factor * lw.pose(model, q, "tip")[:3, 3]

    def by_place(self, model, q, /):
        return self(model, q)


class Slotted:
    """A function that cannot be referred to weakly."""

    __slots__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, model, q):
        return scaled(self.factor)(model, q)


@pytest.mark.parametrize(
    "function_of",
    [
        scaled,
        lambda k: lambda m, q: k * lw.pose(m, q, "tip")[:3, 3],
        lambda k: functools.partial(lambda model, q, k: k * lw.pose(model, q, "tip")[:3, 3], k=k),
        lambda k: functools.partial(lambda k, model, q: k * lw.pose(model, q, "tip")[:3, 3], k),
        Reach,
        lambda k: Reach(k).__call__,
        lambda k: Reach(k).by_place,
        Slotted,
    ],
    ids=["function", "lambda", "partial", "partial by place", "object", "bound __call__", "method", "slots"],
)
def test_equal_names_are_different_functions(function_of):
    arm = lw.load("two_link")
    q = arm.random(3, seed=0)
    J = lw.jacobian(arm, q, "tip")[:, :3]
    one, two = function_of(1.0), function_of(2.0)
    for function, factor in ((one, 1.0), (two, 2.0), (one, 1.0)):
        assert relative_error(lw.derivative(function, "q")(arm, q), factor * J) < 1e-14
    on_symbols = lw.compile(lambda x: lw.derivative(two, "q")(arm, x), x=2)
    assert relative_error(on_symbols(q), 2.0 * J) < 1e-14
    again = lw.derivative(lw.derivative(two, "q"), "q")(arm, q)
    assert relative_error(again, 2.0 * lw.derivative(lw.derivative(one, "q"), "q")(arm, q)) < 1e-14


def with_defaults(model, q, top=float("inf"), odd=float("nan"), w=np.array([1.0, 2.0]), *, o={"a": 3}, x=object(), n=2):  # noqa: B006, B008
    return n * o["a"] * w * np.sin(q) if np.isinf(top) and np.isnan(odd) else q


def test_options_of_any_kind():
    arm = lw.load("two_link")
    q = arm.random(seed=0)
    by_q = lw.derivative(with_defaults, "q")
    expected = np.diag(6.0 * np.array([1.0, 2.0]) * np.cos(q))
    assert str(inspect.signature(by_q)) == str(inspect.signature(with_defaults))
    for options, factor in (
        ({}, 1.0),
        ({"n": 3}, 1.5),
        ({"n": True}, 0.5),
        ({"n": 1.0}, 0.5),
        ({"w": np.array([2.0, 4.0])}, 2.0),
        ({"w": [2.0, 4.0], "n": np.ones(2)}, 1.0),
        ({"o": {"a": 6}, "x": set()}, 2.0),
        ({}, 1.0),
    ):
        assert relative_error(by_q(arm, q, **options), factor * expected) < 1e-15
    assert np.array_equal(by_q(arm, q, 0.0), np.eye(2))
    assert np.array_equal(by_q(arm, q, top=1.0), np.eye(2))
    changing = {"a": 3}
    assert relative_error(by_q(arm, q, o=changing), expected) < 1e-15
    changing["a"] = 6
    assert relative_error(by_q(arm, q, o=changing), 2.0 * expected) < 1e-15


def test_derivatives_of_partial_algorithms():
    arm = lw.load("two_link")
    q, v, tau = arm.random(seed=0), np.ones(2), np.zeros(2)
    found = lw.derivative(functools.partial(lw.forward_dynamics, method="composite"), "tau")(arm, q, v, tau)
    assert relative_error(found, np.linalg.inv(lw.mass_matrix(arm, q))) < 1e-13


def test_functions_that_take_anything_are_refused():
    for function in (lambda model, *q: q, lambda *everything: everything, lambda model, q, **more: q):
        with pytest.raises(ArgumentError, match=r"function takes \*.*write its arrays out"):
            lw.derivative(function, "q")
    for function in (3, len, lambda: 1, functools.partial(lw.mass_matrix, lw.load("two_link"))):
        with pytest.raises(ArgumentError):
            lw.derivative(function, "q")


def test_functions_made_in_a_loop_leave_nothing():
    arm = lw.load("two_link")
    q = arm.random(seed=0)

    def differentiated(k):
        def function(model, q):
            return k * q

        assert np.array_equal(lw.derivative(function, "q")(arm, q), k * np.eye(2))
        return weakref.ref(function)

    functions = [differentiated(k) for k in range(6)]
    gc.collect()
    assert all(function() is None for function in functions)
    derived(arm, differentiated, make=lambda: None)
    assert len(arm.memo) == 1
