"""kernel.casadi(): the same values, names, shapes and derivatives, for straight-line code and loops."""

import subprocess
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import TooLargeError

ca = pytest.importorskip("casadi", reason="CasADi is optional")

ROBOTS = ("arm7", "puma560", "quadruped", "four_bar")
FUNCTIONS = (
    "inverse_dynamics forward_dynamics mass_matrix gravity_forces bias_forces kinetic_energy center_of_mass "
    "integrate difference"
).split()


def arguments(model, kernel, seed):
    """Return one row of random arguments; configurations are normalized."""
    random = np.random.default_rng(seed)
    return [
        model.random(seed=seed + k) if slot.name in ("q", "q0", "q1") else random.normal(size=slot.shape)
        for k, slot in enumerate(kernel.program.inputs)
    ]


def close(theirs, ours, tolerance=1e-13):
    ours = np.asarray(ours)
    shape = ours.shape if ours.ndim < 3 else (-1, ours.shape[-1])
    theirs = np.array(ca.DM(theirs)).reshape(ours.reshape(shape).shape)
    scale = max(1.0, np.abs(ours).max(initial=0.0))
    assert np.abs(theirs - ours.reshape(shape)).max(initial=0.0) <= tolerance * scale


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_public_functions(name, function):
    model = lw.load(name)
    kernel = lw.compile(getattr(lw, function), model)
    theirs = kernel.casadi()
    assert [theirs.name_in(k) for k in range(theirs.n_in())] == [slot.name for slot in kernel.program.inputs]
    assert [theirs.name_out(k) for k in range(theirs.n_out())] == [slot.name for slot in kernel.program.outputs]
    given = arguments(model, kernel, seed=3)
    ours, found = kernel(*given), theirs(*given)
    # M of a robot is inverted in forward dynamics, whose rounding grows with its condition
    tolerance = 1e-11 if function == "forward_dynamics" else 1e-13
    for x, y in zip(
        found if isinstance(found, tuple) else [found], ours if isinstance(ours, tuple) else [ours], strict=True
    ):
        close(x, y, tolerance)


@pytest.mark.parametrize("wrt", ["q", "v"])
def test_derivatives(wrt):
    arm = lw.load("arm7")
    kernel = lw.compile(lw.inverse_dynamics, arm)
    theirs = kernel.casadi()
    symbols = {theirs.name_in(k): ca.SX.sym(theirs.name_in(k), *theirs.size_in(k)) for k in range(theirs.n_in())}
    jacobian = ca.Function("J", list(symbols.values()), [ca.jacobian(theirs(*symbols.values()), symbols[wrt])])
    given = arguments(arm, kernel, seed=5)
    close(jacobian(*given), kernel.derivative(wrt)(*given))
    close(kernel.derivative(wrt).casadi()(*given), kernel.derivative(wrt)(*given))


def test_matrices_are_not_transposed():
    kernel = lw.compile(lambda A, x, B: (A @ x, A @ B, 2.0 * B), A=(2, 3), x=3, B=(3, 4))
    random = np.random.default_rng(0)
    given = [random.normal(size=slot.shape) for slot in kernel.program.inputs]
    for x, y in zip(kernel.casadi()(*given), kernel(*given), strict=True):
        assert x.shape == ((2, 1) if y.ndim == 1 else y.shape)
        close(x, y)


def test_more_than_two_axes():
    arm = lw.load("two_link")
    kernel = lw.compile(lw.mass_matrix, arm).derivative("q")
    q = arm.random(seed=1)
    assert kernel.casadi()(q).shape == (4, 2)
    close(kernel.casadi()(q), kernel(q))


OPERATIONS = [
    lambda x, y: lw.stack([np.rint(x[0] * 4.0), np.floor(y), np.ceil(y), lw.sign(x[0])]),
    lambda x, y: lw.stack([np.rint(y * 0.0 + 2.5), np.rint(y * 0.0 - 0.5), np.rint(y * 0.0 + 1.5)]),
    lambda x, y: lw.stack([lw.minimum(x[0], y), lw.maximum(x[1], y), abs(x[2]), lw.where(x[0] < y, x[1], x[2])]),
    lambda x, y: lw.stack([np.exp(x[0]), np.log(abs(y)), np.tanh(y), abs(y) ** x[0], np.sinh(y), lw.atan2(y, x[0])]),
    lambda x, y: lw.stack([np.arcsin(np.sin(y)), np.arccos(np.cos(y)), np.tan(y), 1.0 / np.sqrt(abs(y))]),
    lambda x, y: lw.stack([lw.where((x[0] < y) & (x[1] <= y) | ~(x[2] > y), np.sqrt(y), 1.0)]),
]


@pytest.mark.variants("seed")
@pytest.mark.parametrize("function", OPERATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_operations(function, seed):
    random = np.random.default_rng(seed)
    kernel = lw.compile(function, x=3, y=())
    given = [random.normal(size=3), abs(random.normal())]
    close(kernel.casadi()(*given), kernel(*given))


def steps(count, keep):
    return lambda x, c: lw.repeat(count, lambda k, x: x + 0.1 * np.sin(c * x + k), x, keep=keep)


@pytest.mark.parametrize(("count", "keep"), [(1, None), (7, None), (7, 1), (7, 2), (8, 4)])
def test_loops(count, keep):
    kernel = lw.compile(steps(count, keep), x=3, c=())
    given = [np.array([0.3, -0.2, 0.9]), 1.3]
    theirs = kernel.casadi()
    assert theirs.is_a("MXFunction")
    ours, found = kernel(*given), theirs(*given)
    for x, y in zip(found if keep else [found], ours if keep else [ours], strict=True):
        close(x, y)
    symbol = ca.MX.sym("x", 3)
    first = theirs(symbol, 1.3)[0] if keep else theirs(symbol, 1.3)
    derivative = kernel.derivative("x")(*given)
    close(ca.Function("J", [symbol], [ca.jacobian(first, symbol)])(given[0]), derivative[0] if keep else derivative)


@pytest.mark.parametrize("x", [0.5, 2.0, 9.0])
def test_loops_that_stop(x):
    kernel = lw.compile(
        lambda a: lw.until(lambda x: abs(x * x - a) < 1e-9, lambda k, x: (x + a / x) / 2.0, 1.0, limit=20), a=()
    )
    for theirs, ours in zip(kernel.casadi()(x), kernel(x), strict=True):
        close(theirs, ours)
    endless = lw.compile(lambda a: lw.until(lambda x: x > a, lambda x: x + 1.0, 0.0, limit=10**6), a=())
    with pytest.raises(TooLargeError, match="smaller limit"):
        endless.casadi()


def test_entries_at_computed_places():
    table = np.sin(np.arange(9.0))
    kernel = lw.compile(lambda x, A: lw.take(table, x) + lw.take(A, x) @ [1.0, 2.0], x=(), A=(9, 2))
    A = np.random.default_rng(0).normal(size=(9, 2))
    for x in (0.0, 4.0, 8.0):
        close(kernel.casadi()(x, A), kernel(x, A))


def test_products_of_large_matrices():
    A = np.random.default_rng(0).normal(size=(60, 50))
    kernel = lw.compile(lambda x, y: (A @ x, np.tanh(A @ x) * y), x=50, y=60)
    given = [np.random.default_rng(1).normal(size=n) for n in (50, 60)]
    for x, y in zip(kernel.casadi()(*given), kernel(*given), strict=True):
        close(x, y)


def test_names_that_casadi_does_not_accept():
    from linkwright.bridges.casadi_functions import _names

    names = _names(["wrench tool", "a__b", "null", "2x", "q", "q"])
    assert names == ["wrench_tool", "a_b", "x_null", "x_2x", "q", "q_out"]
    arm = lw.load("two_link")
    kernel = lw.compile(lw.inverse_dynamics, arm, wrenches=["tip"])
    theirs, given = kernel.casadi(), arguments(arm, kernel, 0)
    assert theirs.name_in(3) == "wrench_tip"
    close(theirs(*given), kernel(*given))


def test_loops_over_bodies_have_no_function():
    chain = lw.load("two_link")
    kernel = lw.compile(lw.inverse_dynamics, chain, unroll=False)
    with pytest.raises(TooLargeError, match="CasADi"):
        kernel.casadi()


def test_casadi_is_imported_lazily():
    code = "import sys, linkwright as lw; lw.compile(lw.mass_matrix, lw.load('two_link'))"
    code += "; assert 'casadi' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lw.compile(lambda model, q: ca.sin(q), lw.load("two_link")), "calls a function of PyTorch, JAX or"),
        (lambda: lw.compile(lambda model, q: q @ ca.MX.sym("x", 2), lw.load("two_link")), "those of NumPy"),
        (lambda: lw.compile(lambda model, q: q + ca.SX.sym("x", 2), lw.load("two_link")), "those of NumPy"),
        (lambda: lw.mass_matrix(lw.load("two_link"), ca.SX.sym("q", 2)), r"compile\(mass_matrix, model\)\.casadi\(\)"),
    ],
)
def test_symbols_of_casadi_are_explained(call, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        call()


def test_there_is_no_function_of_this_name_in_bridges():
    function = lw.compile(lw.mass_matrix, lw.load("two_link")).casadi()
    assert function.n_in() == 1
    with pytest.raises(AttributeError, match=r"kernel\.casadi\(\) returns functions of CasADi"):
        getattr(lw.bridges, "casadi")  # noqa: B009
