"""Expressions of SymPy as kernels, ours as SymPy's, and SymPy's symbols as arguments."""

import hypothesis.strategies as st
import numpy as np
import pytest
import sympy as sp
import sympy.physics.mechanics as me
from hypothesis import assume, given, reject, settings

import linkwright as lw
from linkwright.errors import ArgumentError, ExpressionError, LinkwrightError

x, y, z = sp.symbols("x y z", real=True)

UNARY = [
    *(sp.sin, sp.cos, sp.tanh, sp.atan, sp.asinh, sp.Abs, sp.sign, sp.floor, sp.ceiling),
    *(lambda e: sp.exp(-(e**2)), lambda e: sp.log(1 + e**2), lambda e: sp.sqrt(1 + e**2), lambda e: 1 / (2 + e**2)),
    *(lambda e: -e, lambda e: e**3, lambda e: sp.cosh(sp.sin(e)), lambda e: sp.sinh(sp.cos(e))),
]
BINARY = [
    *(lambda a, b: a + b, lambda a, b: a - 2 * b, lambda a, b: a * b / 3, sp.Min, sp.Max, sp.atan2),
    *(lambda a, b: (1 + a**2) ** (b / (1 + b**2)), lambda a, b: a / (1 + b**2)),
    *(lambda a, b: sp.Piecewise((a, a < b), (b**2, a + b > 1), (sp.Rational(1, 3), True)),),
    *(lambda a, b: sp.Piecewise((a, (a < b) & (b > 0) | ~(a >= 1)), (b, True)),),
]


def applied(f, *arguments):
    """Return the function of the arguments, of those with which SymPy's rules for Piecewise come to an end."""
    try:
        return f(*arguments)
    except RecursionError:
        reject()


expressions = st.recursive(
    st.sampled_from([x, y, z, sp.Rational(2, 7), sp.Float(0.3), sp.pi]),
    lambda inner: st.one_of(
        st.builds(applied, st.sampled_from(UNARY), inner),
        st.builds(applied, st.sampled_from(BINARY), inner, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=10, deadline=None)
@given(some=st.lists(expressions, min_size=4, max_size=4))
def test_values_are_those_of_lambdify(some):
    assume(not any(e.has(sp.zoo, sp.nan, sp.I) for e in some))
    kernel = lw.compile(some, [x, y, z])
    function = sp.lambdify([x, y, z], some, "math", cse=True)
    again = lw.compile(lw.stack([0.0]).tolist() + some, {"x": x, "y": y, "z": z})  # with a number among them
    for row in np.random.default_rng(0).normal(size=(3, 3)):
        theirs = np.array([float(e) for e in function(*row)])
        np.testing.assert_allclose(kernel(*row), theirs, rtol=1e-11, atol=1e-12)
        np.testing.assert_array_equal(again(*row)[1:], kernel(*row))


@pytest.mark.parametrize(
    "function",
    [
        *("sin cos tan cot sec csc asin acos atan sinh cosh tanh asinh atanh exp log sqrt cbrt".split()),
        *("Abs sign floor ceiling frac".split()),
    ],
)
def test_elementary_functions(function):
    made = getattr(sp, function)(x)
    for at in (0.1, 0.7, 0.95):
        assert lw.compile(made, [x])(at) == pytest.approx(float(made.subs(x, at).evalf()), rel=1e-12, abs=1e-13)
    if function in ("sin", "tanh", "asinh", "atan", "sign", "floor", "cbrt"):
        assert lw.compile(sp.sin(made), [x])(-0.4 if function != "cbrt" else 0.4) is not None


def test_powers_and_fractions():
    a, b = 1.7, 0.6
    some = [x**-1, x**-2, x ** sp.Rational(3, 2), x ** sp.Rational(-1, 2), x**y, 2**x, x / y, x / y**2, sp.exp(1) * x]
    some += [x ** sp.Rational(1, 3), x**17, -x / (y * (x + 1)), sp.Mod(x, y), sp.Heaviside(x), sp.Mul(x, 1 / y, 1 / x)]
    theirs = [float(e.subs({x: a, y: b})) for e in some]
    np.testing.assert_allclose(lw.compile(some, [x, y])(a, b), theirs, rtol=1e-14)
    assert lw.compile(x / y, [x, y]).operations.total == 0
    assert lw.compile(x / y, [x, y]).operations.divisions == 1


def test_relations():
    kernel = lw.compile(
        [x < y, x <= y, sp.Eq(x, y), sp.Ne(x, y), (x > 0) & ~(y > 1), sp.ITE(x > y, x > 0, y > 0)], [x, y]
    )
    assert kernel(1.0, 1.0).tolist() == [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    assert kernel(1.0, 2.0).tolist() == [1.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    assert np.isnan(lw.compile(sp.Piecewise((x, x > 0)), [x])(-1.0))


def test_shapes_batches_derivatives_and_c(tmp_path):
    M = sp.Matrix([[x, y], [x * y, 1], [0, sp.sin(x)]])
    kernel = lw.compile((M, x * y, [x, [y, x][0]], M.T * M), [x, y])
    assert [slot.shape for slot in kernel.program.outputs] == [(3, 2), (), (2,), (2, 2)]
    batch = np.linspace(0.0, 1.0, 5)
    assert kernel(batch, 2.0)[0].shape == (5, 3, 2)
    derivative = kernel.derivative("x")(0.3, 2.0)[0]
    np.testing.assert_allclose(derivative, sp.lambdify([x, y], M.diff(x))(0.3, 2.0))
    assert "void expressions(const double x" in kernel.save(tmp_path / "f.c").read_text()


def test_matrix_symbols():
    A, b = sp.MatrixSymbol("A", 2, 3), sp.MatrixSymbol("b", 3, 1)
    kernel = lw.compile(A * b, [A, b])
    assert [(slot.name, slot.shape) for slot in kernel.program.inputs] == [("A", (2, 3)), ("b", (3,))]
    numbers = np.random.default_rng(0).normal(size=(2, 3)), np.random.default_rng(1).normal(size=3)
    np.testing.assert_allclose(kernel(*numbers)[:, 0], numbers[0] @ numbers[1])


def pendulum():
    """Return a double pendulum by Lagrange's method, and its coordinates, rates and parameters."""
    q, rates = me.dynamicsymbols("q1 q2"), me.dynamicsymbols("q1 q2", 1)
    m, g, length = sp.symbols("m g l", positive=True)
    at = [length * sp.sin(q[0]), -length * sp.cos(q[0])]
    below = [at[0] + length * sp.sin(q[1]), at[1] - length * sp.cos(q[1])]
    t = me.dynamicsymbols._t
    kinetic = m / 2 * sum(p.diff(t) ** 2 for p in (*at, *below))
    method = me.LagrangesMethod(kinetic - m * g * (at[1] + below[1]), q)
    method.form_lagranges_equations()
    return method, q, rates, [m, g, length]


def test_lagranges_method():
    method, q, rates, parameters = pendulum()
    kernel = lw.compile((method.mass_matrix_full, method.forcing_full), [q, rates, *parameters])
    assert [(slot.name, slot.shape) for slot in kernel.program.inputs] == [
        *(("q", (2,)), ("qd", (2,))),
        *(("m", ()), ("g", ()), ("l", ())),
    ]
    function = sp.lambdify([q, rates, *parameters], (method.mass_matrix_full, method.forcing_full), cse=True)
    given = ([0.3, -0.8], [1.0, 2.0], 1.3, 9.81, 0.7)
    for ours, theirs in zip(kernel(*given), function(*given), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_kanes_method():
    q, u = me.dynamicsymbols("q u")
    m, k, c = sp.symbols("m k c")
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, u * N.x)
    method = me.KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u])
    method.kanes_equations([me.Particle("body", P, m)], [(P, (-k * q - c * u) * N.x)])
    kernel = lw.compile((method.mass_matrix_full, method.forcing_full), {"q": q, "u": u, "parameters": [m, k, c]})
    M, f = kernel(0.5, 2.0, [3.0, 4.0, 5.0])
    np.testing.assert_allclose(M, [[1.0, 0.0], [0.0, 3.0]])
    np.testing.assert_allclose(f[:, 0], [2.0, -12.0])
    with pytest.raises(ArgumentError, match="to_matrix"):
        lw.compile([N.x], [q])


def test_errors_name_what_is_unknown():
    unknown = sp.Function("friction")(x)
    with pytest.raises(ExpressionError, match=r"friction\(x\), y"):
        lw.compile(x + y + unknown, [x])
    with pytest.raises(ExpressionError, match="gamma"):
        lw.compile(sp.gamma(x), [x])
    with pytest.raises(ExpressionError, match="real"):
        lw.compile(sp.I * x, [x])
    with pytest.raises(ArgumentError, match="twice"):
        lw.compile(x, [x, [x, y]])
    with pytest.raises(ArgumentError, match="must be symbols"):
        lw.compile(x, [x + 1])
    with pytest.raises(ArgumentError, match="with their symbols"):
        lw.compile(x)
    with pytest.raises(ArgumentError, match="shapes differ"):
        lw.compile([x, [x, y]], [x, y])
    own = lw.symbols("a", 2)
    with pytest.raises(ArgumentError, match="mixed"):
        lw.compile([x, own[0]], [own])
    with pytest.raises(LinkwrightError):
        lw.compile([x], [own])


OWN = [
    lambda a: np.sin(a[0]) * a[1] - a[2] ** 3 / 7.0 + 0.1,
    lambda a: lw.where((a[0] < a[1]) & ~(a[2] < 0.3), np.sqrt(abs(a[0])), a[1] ** 2.0),
    lambda a: lw.minimum(a[0], np.tanh(a[1])) + lw.maximum(a[1], a[2]) + lw.sign(a[0]) * (a[0] <= a[1]),
    lambda a: lw.atan2(a[0], a[1]) + np.rint(3.0 * a[2]) + np.floor(a[0]) + np.exp(-a[1]) + np.arccos(np.cos(a[2])),
]


@pytest.mark.parametrize("function", OWN)
def test_round_trip(function):
    a = lw.symbols("a", 3)
    ours = lw.compile(function(a), [a])
    back = lw.compile(function(a).sympy(), {"a": a.sympy()})
    rows = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(back(rows), ours(rows), rtol=1e-13, atol=1e-13)


def test_arrays_as_matrices():
    A = lw.symbols("A", (2, 3))
    assert A.sympy().shape == (2, 3)
    assert str(A.sympy()[1, 2]) == "A[1,2]"
    assert lw.symbols("T", (2, 2, 2)).sympy().shape == (2, 2, 2)
    with pytest.raises(ExpressionError, match="loops"):
        lw.repeat(100, lambda k, x: np.sin(x), lw.symbols("b")).sympy()


def test_symbols_of_sympy_are_arguments_of_algorithms():
    arm = lw.load("two_link")
    q, (length,) = me.dynamicsymbols("q1 q2"), sp.symbols("l,")
    M = lw.mass_matrix(arm, q)
    assert M.shape == (2, 2)
    assert all(isinstance(entry, sp.Expr) for entry in M.flat)
    at = dict(zip(q, (0.3, -0.8), strict=True))
    np.testing.assert_allclose(np.vectorize(lambda e: float(e.subs(at)))(M), lw.mass_matrix(arm, [0.3, -0.8]))
    tau = lw.inverse_dynamics(arm, [q[0], 0.5], [length / 2, 0.0], [0.0, sp.Rational(1, 3)])
    numbers = np.array([float(e.subs({q[0]: 0.3, length: 4.0})) for e in tau])
    np.testing.assert_allclose(numbers, lw.inverse_dynamics(arm, [0.3, 0.5], [2.0, 0.0], [0.0, 1.0 / 3.0]), rtol=1e-12)
    with pytest.raises(ArgumentError, match="mixed"):
        lw.inverse_dynamics(arm, q, lw.symbols("v", 2), [0.0, 0.0])


def test_large_inverses_and_determinants_of_symbols_end_with_an_error_that_names_solve():
    A, B = sp.MatrixSymbol("A", 6, 6), sp.MatrixSymbol("B", 12, 12)
    with pytest.raises(lw.errors.TooLargeError, match=r"the inverse of A, 6×6, .*lw\.solve"):
        lw.compile(A.inverse(), [A])
    with pytest.raises(lw.errors.TooLargeError, match=r"the determinant of B, 12×12, .*cholesky"):
        lw.compile(sp.Determinant(B), [B])
    assert lw.compile(sp.Determinant(sp.MatrixSymbol("C", 3, 3)), [sp.MatrixSymbol("C", 3, 3)])(2.0 * np.eye(3)) == 8.0


def test_roots_of_polynomials_are_numbers():
    x, y = sp.symbols("x y")
    kernel = lw.compile(sp.rootof(x**5 - x - 1, 0) * y, [y])
    assert kernel(2.0) == pytest.approx(2.0 * 1.1673039782614187)
