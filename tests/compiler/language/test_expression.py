"""Expressions: the rules change no values, equal ones are one, and what cannot be a symbol says so."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import program_of
from linkwright.errors import ExpressionError, TooLargeError
from linkwright.expression.graph import Expr, Graph
from linkwright.expression.operations import OPERATIONS
from linkwright.expression.order import needed
from linkwright.expression.rules import COMMUTATIVE, RULES

# rules do not change values

CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 0.3)
POWERS = (0.0, 1.0, 2.0, 3.0, 5.0, 16.0, -1.0, -2.0, 0.5)
SAFE = tuple(op for op in OPERATIONS if op not in ("pow", "asin", "acos", "exp", "log", "tan"))


def random_steps(rng, n_inputs, length):
    """Instructions (operation, numbers of earlier values), favoring what rules look for."""
    steps = [("symbol", ())] * n_inputs + [(value, ()) for value in CONSTANTS]
    while len(steps) < length:
        op = str(rng.choice([*SAFE, "add", "sub", "mul", "neg", "div", "sin", "cos", "pow", "square", "same"]))
        recent = rng.integers(max(0, len(steps) - 12), len(steps), 3)
        anywhere = rng.integers(0, len(steps), 3)
        a, b, c = (int(x) for x in np.where(rng.uniform(size=3) < 0.6, recent, anywhere))
        if op == "square":
            steps.append(("mul", (a, a)))
        elif op == "same":
            steps.append((str(rng.choice(["min", "max", "sub", "div", "add"])), (a, a)))
        elif op == "pow":
            steps += [(float(rng.choice(POWERS)), ()), ("pow", (a, len(steps)))]
        else:
            steps.append((op, (a, b, c)[: OPERATIONS[op].arity]))
    return steps


def directly(steps, inputs):
    """The values of all steps by NumPy, in the precision of the inputs."""
    values, left = [], list(inputs)
    with np.errstate(all="ignore"):
        for op, args in steps:
            if op == "symbol":
                values.append(left.pop(0))
            elif isinstance(op, float):
                values.append(np.full_like(inputs[0], op))
            else:
                values.append(OPERATIONS[op].evaluate(*(values[a] for a in args)).astype(inputs[0].dtype))
    return values


def traced(steps, n_inputs):
    """The same steps through the rules, as a program with every step as a result."""
    graph = Graph()
    symbols = graph.symbols("x", n_inputs)
    left, values = list(symbols), []
    for op, args in steps:
        if op == "symbol":
            values.append(left.pop(0))
        elif isinstance(op, float):
            values.append(graph.constant(op))
        else:
            values.append(graph.apply(op, *(values[a] for a in args)))
    results = np.empty(len(values), dtype=object)
    results[:] = values
    return program_of("steps", graph, {"x": symbols}, results)


@pytest.mark.parametrize("seed", range(40))
def test_rules_change_no_values(seed):
    """Wherever the direct value is finite and well determined (float64 and extended precision agree)."""
    rng = np.random.default_rng(seed)
    steps = random_steps(rng, 4, 60)
    x = rng.normal(size=(50, 4)) * rng.choice([0.1, 1.0, 3.0], size=(50, 1))
    plain = np.array(directly(steps, list(x.T)))
    precise = np.array(directly(steps, list(x.T.astype(np.longdouble))), dtype=float)
    # what depends on what is not determined is not determined: a comparison of two equal values, say
    with np.errstate(all="ignore"):
        determined = np.isfinite(plain) & (np.abs(plain - precise) <= 1e-12 * (1e-3 + np.abs(plain)))
    for k, (op, args) in enumerate(steps):
        for a in args:
            determined[k] &= determined[a]
        if op in ("less", "less_equal", "min", "max", "sign", "where", "abs"):
            x1, x2 = plain[args[0]], plain[args[1]] if len(args) == 2 else 0.0
            with np.errstate(all="ignore"):
                exact = args[0] == args[-1] or all(isinstance(steps[a][0], float) for a in args)
                determined[k] &= exact | (np.abs(x1 - x2) > 1e-9)
    found = interpret(traced(steps, 4), x)[0].T
    with np.errstate(all="ignore"):
        error = np.abs(found - plain) / (1e-3 + np.abs(plain))
    assert determined.mean() > 0.3
    assert error[determined].max() < 1e-9


def test_every_rule_is_reached():
    """The random steps above meet each rule: with any rule turned off, their programs grow."""
    counts = {op: 0 for op in RULES}

    def counting(op, rule):
        def counted(*args):
            result = rule(*args)
            counts[op] += result is not None
            return result

        return counted

    originals = dict(RULES)
    try:
        RULES.update({op: counting(op, rule) for op, rule in originals.items()})
        for seed in range(200):
            traced(random_steps(np.random.default_rng(seed), 4, 60), 4)
    finally:
        RULES.update(originals)
    assert min(counts.values()) > 0, counts


@pytest.fixture
def xy():
    return tuple(Graph().symbols("x", 2))


def test_simplifications(xy):
    x, y = xy
    assert (x - x).value == 0.0
    assert (0.0 * x).value == 0.0
    assert x + 0.0 is x
    assert 1.0 * x is x
    negated = -x
    assert -negated is x
    assert x - (-y) is x + y
    assert x + (-y) is x - y
    assert (-x) * y is -(x * y)
    assert (-x) * (-y) is x * y
    assert 2.0 * (3.0 * x) is 6.0 * x
    assert x / 4.0 is 0.25 * x
    assert (-x).cos() is x.cos()
    assert (-x).sin() is -(x.sin())
    assert (x.sin() * x.sin() + x.cos() * x.cos()).value == 1.0
    assert x**2.0 is x * x
    assert abs(-x) is abs(x)
    assert x.graph.constant(1.0).where(x, y) is x


def test_a_quotient_of_equals_is_no_number_where_both_are_zero():
    kernel = lw.compile(lambda x: x / x, x=())
    assert kernel(2.0) == 1.0
    assert np.isnan(kernel(0.0))
    assert np.isnan(kernel(np.inf))


@pytest.mark.parametrize("function", [np.nan_to_num, np.nansum, np.nanmean, np.nanmax])
def test_functions_that_look_for_nan_are_refused(function):
    """NumPy takes objects for numbers that are never NaN."""
    for x in (lw.symbols("x", 3), lw.symbols("x")):
        with pytest.raises(ExpressionError, match=f"numpy.{function.__name__} tests for NaN"):
            function(x)


def test_conditions_simplify(xy):
    x, y = xy
    assert (x < y).where(1.0, 0.0) is (x < y)
    assert (~(x < y)).where(x, y) is (x < y).where(y, x)
    assert ~~(x < y) is (x < y)
    assert ((x < y) & True) is (x < y)
    assert ((x < y) & False).value == 0.0
    assert ((x < y) | True).value == 1.0


def test_conditions_joined_many_times_are_looked_through_once(xy):
    x, y = xy
    odd = x < y
    for k in range(60):  # each level stands in the next twice
        odd = (odd & ~(x < k * y)) | (~odd & (x < k * y))
    assert odd.op == "where"


def test_equal_expressions_are_one(xy):
    x, y = xy
    for op in COMMUTATIVE:
        assert x.graph.apply(op, x, y) is x.graph.apply(op, y, x)
    assert x - y is not y - x
    assert (x + y) * y is (y + x) * y
    count = x.graph.count
    for _ in range(100):
        np.sin((x + y) * 3.0)
    assert x.graph.count <= count + 3


def test_constants_keep_the_sign_of_zero_and_nan(xy):
    graph = xy[0].graph
    assert np.signbit(graph.constant(-0.0).value)
    assert not np.signbit(graph.constant(0.0).value)
    assert graph.constant(float("nan")) is graph.constant(float("nan"))


def test_long_chains_need_no_recursion():
    x = Graph().symbols("x", ())[()]
    y = x
    for k in range(50_000):
        y = (y + x).sin() if k % 2 else y * x
    assert len(needed([y])) > 50_000
    assert len(repr(y)) <= 201


# arrays of symbols through NumPy


def test_numpys_functions_go_through():
    x = lw.symbols("x", 3)

    def function(x):
        return np.concatenate(
            [
                np.sin(x) + np.cos(x) * np.tan(x),
                np.sqrt(np.abs(x)) - np.exp(-x) / np.log(x + 5.0),
                np.arctan(x) + np.arctan2(x, 2.0) + np.arcsin(x / 9.0) + np.arccos(x / 9.0) + np.tanh(x),
                [x @ x, np.dot(x, x[::-1]), np.sum(x), np.prod(x), np.linalg.norm(np.ones(2)) * x[0]],
                np.cross(x, np.array([1.0, 2.0, 3.0])),
                x**2 + 2.0**x + x**-1.5 + (+x),
                lw.where(np.greater(x, 0.5, dtype=object), x, -x) + lw.where(x[1] <= x[2], x, 2.0),
                lw.minimum(x, 0.1) * lw.maximum(x, np.array([0.0, 1.0, 2.0])),
                [lw.where(x[0] >= 0.5, 1.0, x[1]), lw.where(x[0] < 0.5, 1.0, 2.0), lw.where(x[0] >= 0.2, 3.0, 4.0)],
                (np.outer(x, x) @ x).reshape(-1),
            ]
        )

    numbers = np.array([0.3, 0.7, 1.9])
    kernel = lw.compile(function, x=3)
    assert np.allclose(kernel(numbers), function(numbers), rtol=1e-14, atol=1e-14)
    assert function(x).dtype == object
    assert all(isinstance(entry, Expr) for entry in function(x))


# what cannot be done says so


def test_symbols_have_no_truth_value(xy):
    x, y = xy
    for attempt in (
        lambda: bool(x),
        lambda: x if x > y else y,
        lambda: min(x, y),
        lambda: x > 0.0 and y > 0.0,
        lambda: np.maximum(np.array([x]), np.array([y])),
        lambda: sorted([x, y]),
    ):
        with pytest.raises(ExpressionError, match="where"):
            attempt()


def test_symbols_are_not_compared_by_equality(xy):
    x, y = xy
    assert x == x
    for attempt in (lambda: x == y, lambda: x == 1.0, lambda: x != y, lambda: x in [y]):
        with pytest.raises(ExpressionError, match="=="):
            attempt()


def test_symbols_are_not_numbers(xy):
    x, _ = xy
    for attempt in (lambda: float(x), lambda: np.float64(x), lambda: np.zeros(1).__setitem__(0, x)):
        with pytest.raises((ExpressionError, TypeError, ValueError)):
            attempt()
    with pytest.raises(ExpressionError, match=r"np\.sin"):
        float(x)
    assert float(x.graph.constant(2.5)) == 2.5


def test_symbols_of_two_calls_do_not_mix():
    x, y = lw.symbols("x", 2), lw.symbols("y", 2)
    for attempt in (lambda: x + y, lambda: x[0] ** y[0], lambda: lw.where(x[0], y[0], 1.0)):
        with pytest.raises(ExpressionError, match="mixed"):
            attempt()
    with pytest.raises(ExpressionError, match="mixed"):
        lw.compile(lambda z: z @ y, z=2)
    a, b = lw.symbols("a b", (2, 2))
    assert (a + b).shape == (2,)


@pytest.mark.parametrize("other", [1j, "1", None, [1.0], np.complex128(1j)])
def test_symbols_combine_with_real_numbers_only(xy, other):
    for attempt in (lambda: xy[0] + other, lambda: other * xy[0], lambda: xy[0] ** other):
        with pytest.raises((ExpressionError, TypeError)):
            attempt()


def test_too_many_expressions_are_noticed_early():
    graph = Graph(limit=100)
    x = graph.symbols("x", 2)

    def grow(x):
        for _ in range(200):
            x = np.sin(x @ x) * x
        return x

    with pytest.raises(TooLargeError, match="100"):
        grow(x)
    assert graph.count < 120


def test_nothing_is_raised_inside_a_matrix_product():
    """NumPy's product of object arrays would give up references that it does not have: a crash, sooner or later."""
    for limit in range(60, 300, 7):
        graph = Graph(limit)
        x, y = graph.symbols("x", (4, 4)), graph.symbols("y", (4, 4))
        try:
            z = -y  # of whose products a rule makes negations
        except TooLargeError:
            continue
        x @ z @ z @ x @ (z @ x)  # nothing is raised yet
        assert graph.failure is not None
        with pytest.raises(TooLargeError, match=f"more than {limit}"):
            x - z


RAISED_AT_ONCE = {
    "sum": lambda x: x + "1",
    "product": lambda x: 2.0 * (x * "ω"),
    "after a letter of two bytes": lambda ω: [ω, ω + "1"],
    "several lines": lambda x: (
        (x - 1.0)  # with a comment (
        * "1"
    ),
    "among products": lambda x: np.ones(2) @ np.ones(2) + (x + "1"),
    "arrays": lambda x: np.array([x, x]) * np.array(["1", 2.0], dtype=object),
    "arrays of two traces": lambda x: np.array([x]) + np.array([lw.symbols("y")]),
}

A = np.array([["1", 2.0], [3.0, 4.0]], dtype=object)

KEPT = {
    "matmul": lambda x: np.array([[x, x], [x, x]]) @ A,
    "in a sum": lambda x: 1.0 + np.array([[x, x], [x, x]]) @ A,
    "function": lambda x: np.matmul(np.array([[x, x], [x, x]]), A),
    "dot": lambda x: np.array([x, x]).dot(A[0]),
    "stacked": lambda x: np.array([[[x, x]]] * 5) @ A,
    "two traces": lambda x: np.array([x, x]) @ np.array([lw.symbols("y"), 1.0]),
    "without a text": eval("lambda x: x + '1'"),
}


@pytest.mark.parametrize("attempt", RAISED_AT_ONCE)
def test_operators_raise_at_once(attempt):
    x = lw.symbols("x")
    with pytest.raises(ExpressionError, match=r"combined with|mixed"):
        RAISED_AT_ONCE[attempt](x)
    assert x.graph.failure is None


def test_assignments_raise_at_once():
    x = lw.symbols("x")
    with pytest.raises(ExpressionError, match="combined with '1'"):
        x += "1"
    assert x.graph.failure is None


@pytest.mark.parametrize("attempt", KEPT)
def test_matrix_products_keep_what_went_wrong_for_the_next_operation(attempt):
    x = lw.symbols("x")
    KEPT[attempt](x)
    assert x.graph.failure is not None
    with pytest.raises(ExpressionError, match=r"combined with '1'|mixed"):
        np.sin(x)


def test_threads_share_no_graph():
    """The same function traced in many threads gives one and the same program."""
    arm = lw.load("arm7")
    digests = []

    def trace():
        digests.append(lw.compile(lw.forward_dynamics, arm).program.digest)

    threads = [threading.Thread(target=trace) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(digests) == 4
    assert len(set(digests)) == 1


def test_programs_say_what_they_do():
    kernel = lw.compile(lambda x, y: np.sin(x) * y / x + np.cos(x) - np.sqrt(y) + lw.where(x > 1.0, x, y), x=(), y=())
    counts = kernel.operations
    assert counts == (1, 3, 1, 1, 1, 2)
    assert counts.total == 4
    assert str(kernel.program).count("\n") == len(kernel.program.instructions) + 1
    assert "1 multiplications + 3 additions" in repr(kernel)
