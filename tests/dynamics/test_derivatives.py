"""Derivatives of dynamics: against differences on the manifold and differentiated traces; compiled as in the book."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright
from linkwright import dynamics as lw
from linkwright.compiler.front.algorithms import TABLE
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.differentiation import SHORT, differentiate
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.interpreter import interpret
from linkwright.errors import ArgumentError
from linkwright.expression.derivative import forward, jacobian, reverse
from linkwright.expression.graph import Graph
from linkwright.expression.order import needed
from linkwright.model.joints.joint import JOINT_TYPES
from mechanisms import one_of_each, random_tree, relative_error, state, trees

laws = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)
FRAMES = ("tip", "body0", "base")


def rate(f, h=1e-3):
    """d/dt f at 0 by central differences of order six."""
    return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)


def some_wrenches(seed, given):
    rng = np.random.default_rng(seed)
    return {frame: 5.0 * rng.normal(size=6) for frame in FRAMES} if given else None


def some_direction(model, seed):
    return np.random.default_rng(seed + 1).normal(size=model.nv)


def traced(function, model, *arrays, **inputs):
    """The function's trace on numbers, not compiled."""
    results = interpret(trace(bind(function, model, inputs)), *arrays)
    return results if len(results) > 1 else results[0]


@laws
@given(trees(), seeds, st.booleans())
def test_inverse_dynamics(model, seed, pushed):
    q, v, a = state(model, seed)
    wrenches, u = some_wrenches(seed, pushed), some_direction(model, seed)
    by_q, by_v, by_a = lw.inverse_dynamics_derivatives(model, q, v, a, wrenches)
    along_q = rate(lambda h: lw.inverse_dynamics(model, lw.integrate(model, q, h * u), v, a, wrenches))
    along_v = rate(lambda h: lw.inverse_dynamics(model, q, v + h * u, a, wrenches))
    along_a = rate(lambda h: lw.inverse_dynamics(model, q, v, a + h * u, wrenches))
    assert relative_error(by_q @ u, along_q) < 1e-8
    assert relative_error(by_v @ u, along_v) < 1e-9
    assert relative_error(by_a @ u, along_a) < 1e-9
    assert relative_error(by_a, lw.mass_matrix(model, q)) < 1e-13


@laws
@given(trees(), seeds, st.booleans())
def test_forward_dynamics(model, seed, pushed):
    q, v, tau = state(model, seed)
    wrenches, u = some_wrenches(seed, pushed), some_direction(model, seed)
    by_q, by_v, by_tau = lw.forward_dynamics_derivatives(model, q, v, tau, wrenches)
    a = lw.forward_dynamics(model, q, v, tau, wrenches)
    tau_q, tau_v, M = lw.inverse_dynamics_derivatives(model, q, v, a, wrenches)
    condition = max(np.linalg.cond(M), 100.0)
    assert relative_error(by_tau @ M, np.eye(model.nv)) < 1e-14 * condition
    assert relative_error(by_tau, by_tau.T) == 0.0
    assert relative_error(by_q, -np.linalg.solve(M, tau_q)) < 1e-14 * condition
    assert relative_error(by_v, -np.linalg.solve(M, tau_v)) < 1e-14 * condition
    along_q = rate(lambda h: lw.forward_dynamics(model, lw.integrate(model, q, h * u), v, tau, wrenches))
    along_v = rate(lambda h: lw.forward_dynamics(model, q, v + h * u, tau, wrenches))
    assert relative_error(by_q @ u, along_q) < 1e-9 * condition
    assert relative_error(by_v @ u, along_v) < 1e-10 * condition


@pytest.mark.parametrize("name", ["puma560", "arm7"])
def test_arms_by_complex_steps(name):
    """Im f(x + ih)/h has no cancellation: it tells the derivative to rounding."""
    model = linkwright.load(name)
    q, v, a = state(model, 1)
    by_q, by_v, by_a = lw.inverse_dynamics_derivatives(model, q, v, a)
    h, steps = 1e-30, 1e-30j * np.eye(model.nv)
    expected_q = np.stack([lw.inverse_dynamics(model, q + step, v, a).imag / h for step in steps], axis=1)
    expected_v = np.stack([lw.inverse_dynamics(model, q, v + step, a).imag / h for step in steps], axis=1)
    expected_a = np.stack([lw.inverse_dynamics(model, q, v, a + step).imag / h for step in steps], axis=1)
    assert relative_error(by_q, expected_q) < 1e-14
    assert relative_error(by_v, expected_v) < 1e-14
    assert relative_error(by_a, expected_a) < 1e-14


@pytest.mark.variants("seed")
@pytest.mark.parametrize("kind", JOINT_TYPES)
@pytest.mark.parametrize("seed", range(5))  # of compound joints there are five
def test_velocity_product_derivative(kind, seed):
    model = random_tree([kind], seed)
    joint = model.links[0].motion
    q, v, u = state(model, seed + 5)
    expected = rate(lambda h: joint.velocity_product(joint.integrate(q, h * u), v))
    assert relative_error(joint.velocity_product_derivative(q, v) @ u, expected) < 1e-9


def test_free_base_humanoid():
    """Traced, as in the book and along one direction as by differences."""
    model = linkwright.load("humanoid")
    q, v, a = state(model, 2)
    u = some_direction(model, 2)
    book = lw.inverse_dynamics_derivatives(model, q, v, a)
    for x, y in zip(traced(lw.inverse_dynamics_derivatives, model, q, v, a), book, strict=True):
        assert relative_error(x, y) < 1e-13
    along = rate(lambda h: lw.inverse_dynamics(model, lw.integrate(model, q, h * u), v + h * u, a + h * u))
    assert relative_error(sum(book) @ u, along) < 1e-9
    by_q, by_v, by_tau = lw.forward_dynamics_derivatives(model, q, v, a)
    along = rate(lambda h: lw.forward_dynamics(model, lw.integrate(model, q, h * u), v + h * u, a + h * u))
    assert relative_error((by_q + by_v + by_tau) @ u, along) < 1e-7
    # nothing but gravity tells where a floating mechanism is and how it is turned
    assert relative_error(by_q[:, :3], np.zeros((model.nv, 3))) < 1e-9
    assert relative_error(by_q[6:, 3:6], np.zeros((model.nv - 6, 3))) < 1e-9


@pytest.mark.parametrize("mimics", [False, True])
def test_compiled_as_in_the_book(mimics):
    """Through the public functions, batches and symbols included."""
    model = one_of_each(4, mimics=mimics)
    q = model.random((3), seed=0)
    v, a = np.random.default_rng(1).normal(size=(2, 3, model.nv))
    compiled = linkwright.inverse_dynamics_derivatives(model, q, v, a)
    assert isinstance(compiled, tuple)
    for row in range(3):
        for x, y in zip(compiled, lw.inverse_dynamics_derivatives(model, q[row], v[row], a[row]), strict=True):
            assert relative_error(x[row], y) < 1e-13
    condition = np.linalg.cond(lw.mass_matrix(model, q[0]))
    book = lw.forward_dynamics_derivatives(model, q[0], v[0], a[0])
    for x, y in zip(traced(lw.forward_dynamics_derivatives, model, q[0], v[0], a[0]), book, strict=True):
        assert relative_error(x, y) < 1e-14 * condition


@pytest.mark.variants("pushed")
@pytest.mark.parametrize(
    ("algorithm", "wrt"),
    [(book, wrt) for book, known in TABLE.items() for wrt in known.derivatives],
    ids=lambda x: getattr(x, "__name__", x),
)
@pytest.mark.parametrize("pushed", [False, True])
def test_what_is_known_is_what_differentiating_the_trace_gives(algorithm, wrt, pushed):
    takes_wrenches = algorithm in (lw.inverse_dynamics, lw.forward_dynamics)
    model = random_tree([*JOINT_TYPES[:7], JOINT_TYPES[8]], 7, mimics=True)
    q, v, a = state(model, 8)
    wrenches = some_wrenches(9, pushed and takes_wrenches) or {}
    program = trace(bind(algorithm, model, {"wrenches": tuple(wrenches)} if wrenches else {}))
    arrays = [q, v, a][: sum(not slot.name.startswith("wrench") for slot in program.inputs)] + list(wrenches.values())
    assert program.algorithm is algorithm
    known = differentiate(program, wrt, model)
    traced = differentiate(replace(program, algorithm=None), wrt, model)
    assert known.inputs == traced.inputs
    assert known.outputs == traced.outputs
    assert len(program.instructions) > SHORT
    assert known.digest != traced.digest  # it was another way
    condition = np.linalg.cond(lw.mass_matrix(model, q))
    assert relative_error(interpret(known, *arrays)[0], interpret(traced, *arrays)[0]) < 1e-14 * condition


def test_kernels_and_public_functions_know_them_too():
    arm = linkwright.load("arm7")
    q, v, a = state(arm, 3)
    by_q, by_v, _ = lw.inverse_dynamics_derivatives(arm, q, v, a)
    kernel = linkwright.compile(linkwright.inverse_dynamics, arm).derivative("q")
    plain = differentiate(replace(trace(bind(lw.inverse_dynamics, arm, {})), algorithm=None), "q", arm)
    assert kernel.operations.total < plain.operations.total
    assert relative_error(kernel(q, v, a), by_q) < 1e-13
    assert relative_error(linkwright.derivative(linkwright.inverse_dynamics, "v")(arm, q, v, a), by_v) < 1e-13

    def mine(model, q, v, a):
        return 2.0 * linkwright.inverse_dynamics(model, q, v, a)

    assert relative_error(linkwright.derivative(mine, "q")(arm, q, v, a), 2.0 * by_q) < 1e-13


@pytest.mark.parametrize("seed", [1, 2])
def test_energies_of_every_joint_type(seed):
    """∂²T/∂v² = M; ∂V/∂q = g, and once more ∂g/∂q, whose δ do not commute where joints turn about points."""
    model = one_of_each(seed)
    q, v, _ = state(model, seed)
    inertia = linkwright.derivative(linkwright.derivative(linkwright.kinetic_energy, "v"), "v")
    assert relative_error(inertia(model, q, v), lw.mass_matrix(model, q)) < 1e-13
    gravity = linkwright.derivative(linkwright.potential_energy, "q")
    assert relative_error(gravity(model, q), lw.gravity_forces(model, q)) < 1e-13
    twice = linkwright.derivative(gravity, "q")(model, q)
    assert relative_error(twice, linkwright.derivative(linkwright.gravity_forces, "q")(model, q)) < 1e-12
    # H_ij − H_ji = ∂V along [e_j, e_i]
    bracket = np.array([[lw.lie_bracket(model, y, x) for x in np.eye(model.nv)] for y in np.eye(model.nv)])
    assert np.abs(bracket).max() == 1.0
    assert relative_error(np.abs(twice - twice.T), np.abs(bracket @ lw.gravity_forces(model, q))) < 1e-12


def test_axes_of_derivatives_of_derivatives_are_in_the_order_they_were_taken():
    model = linkwright.load("two_link")
    q, v, a = state(model, 6)
    both = linkwright.derivative(linkwright.derivative(linkwright.inverse_dynamics, "a"), "q")(model, q, v, a)
    expected = [rate(lambda h, e=e: lw.mass_matrix(model, q + h * e)) for e in np.eye(2)]
    assert relative_error(both, np.stack(expected, axis=-1)) < 1e-9
    other = linkwright.derivative(linkwright.derivative(linkwright.inverse_dynamics, "q"), "a")(model, q, v, a)
    assert relative_error(other, np.swapaxes(both, 1, 2)) < 1e-14
    with pytest.raises(ArgumentError, match="tau"):
        linkwright.derivative(linkwright.derivative(linkwright.inverse_dynamics, "q"), "tau")


@laws
@given(st.lists(st.sampled_from(["add", "sub", "mul", "div", "sin", "atan2", "max", "where"]), max_size=12), seeds)
def test_reverse_and_forward_mode_are_the_same(operations, seed):
    rng = np.random.default_rng(seed)
    graph = Graph()
    x = graph.symbols("x", 4)
    values = [*x, graph.constant(0.7)]
    for op in operations:
        a, b, c = (values[k] for k in rng.integers(len(values), size=3))
        arity = {"sin": 1, "where": 3}.get(op, 2)
        if op == "div":
            b = 2.0 + b * b
        values.append(graph.apply(op, *((b < c, a, c) if op == "where" else (a, b, c)[:arity])))
    outputs = np.array([values[-1], values[-2] * values[0]], dtype=object)
    numbers = dict(zip((s.index for s in x), rng.normal(size=4), strict=True))

    def value(array):
        return np.array([evaluated(entry, numbers) for entry in array.flat]).reshape(array.shape)

    assert relative_error(value(reverse(outputs, list(x))), value(forward(outputs, list(x)))) < 1e-12


SELECTING = {
    "root": (lambda x: linkwright.where(x[0] > 0.0, np.sqrt(x[0]), x[1]), [-1.0, 2.0, 3.0], [0.0, 1.0, 0.0]),
    "norm": (lambda x: linkwright.where(x @ x > 0.0, np.sqrt(x @ x), 0.0), [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    "quotients": (
        lambda x: linkwright.where(x[0] > 0.0, x[1] * (x[2] * (1.0 / x[0])), x[1]),
        [0.0, 2.0, 3.0],
        [0.0, 1.0, 0.0],
    ),
    "within": (
        lambda x: linkwright.where(x[1] > 0.0, linkwright.where(x[0] > 0.0, np.log(x[0]), x[2]), np.sqrt(x[1])),
        [0.0, 1.0, 3.0],
        [0.0, 0.0, 1.0],
    ),
    "twice": (
        lambda x: linkwright.where(x[0] > 0.0, 1.0 / x[0], x[1]) + linkwright.where(x[0] > 1.0, 2.0 / x[0], x[2]),
        [0.0, 1.0, 3.0],
        [0.0, 1.0, 1.0],
    ),
    "largest": (lambda x: linkwright.maximum(x[0], np.log(x[1])), [5.0, 0.0, 3.0], [1.0, 0.0, 0.0]),
    "smallest": (lambda x: linkwright.minimum(x[0], 1.0 / x[1]), [5.0, 0.0, 3.0], [1.0, 0.0, 0.0]),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SELECTING)
def test_derivatives_do_not_depend_on_what_is_not_selected(name):
    """In both modes: 0 · inf of a value that is not selected would be NaN."""
    function, x, expected = SELECTING[name]
    graph = Graph()
    symbols = list(graph.symbols("x", 3))
    y = np.array([function(linkwright.stack(symbols))], dtype=object)
    numbers = dict(zip((s.index for s in symbols), x, strict=True))

    def value(array):
        return np.array([evaluated(entry, numbers) for entry in array.flat])

    for mode in (forward, reverse):
        found = value(mode(y, symbols))
        assert np.array_equal(found, expected), mode
    assert np.array_equal(linkwright.compile(function, x=(3,)).derivative("x")(np.array(x)), expected)


def evaluated(expression, numbers):
    """The value of an expression at given inputs."""
    from linkwright.expression.operations import OPERATIONS

    if isinstance(expression, (int, float)):
        return expression
    values = dict(numbers)
    for node in needed([expression]):
        if node.value is not None:
            values[node.index] = node.value
        elif node.args:
            values[node.index] = OPERATIONS[node.op].evaluate(*(values[a.index] for a in node.args))
    return values[expression.index]


def test_the_gradient_of_a_scalar_is_cheap():
    """The adjoint of a scalar takes at most some four times its operations, the forward mode up to nv times."""
    graph, model = Graph(), linkwright.load("humanoid")
    q, v = graph.symbols("q", model.nq), graph.symbols("v", model.nv)
    energy = np.array(lw.kinetic_energy(model, q, v), dtype=object)

    def size(entries):
        return len(needed(x for x in entries.flat if not isinstance(x, (int, float))))

    assert size(jacobian(energy, list(v))) < 4 * size(energy) < size(forward(energy, list(v)))
