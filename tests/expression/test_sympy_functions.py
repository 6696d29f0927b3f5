"""SymPy's functions, sums and matrices as kernels: values, derivatives and errors."""

import hypothesis.strategies as st
import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, reject, settings
from sympy.codegen import cfunctions

import linkwright as lw
from linkwright.errors import ArgumentError, ExpressionError
from linkwright.expression.sympy.functions import FUNCTIONS

x, y = sp.symbols("x y", real=True)
k, n = sp.symbols("k n", integer=True)
POINTS = [s * p for p in (1e-12, 1e-7, 1e-3, 0.24, 0.26, 0.45, 0.48, 0.97, 1.03, 3.9, 4.1, 7.0) for s in (-1.0, 1.0)]
OF_REAL_NUMBERS = [
    name
    for name in FUNCTIONS
    if isinstance(function := getattr(sp, name, getattr(cfunctions, name, None)), sp.core.function.FunctionClass)
    and function.nargs == sp.FiniteSet(1)
    and name not in ("re", "im", "conjugate", "arg", "sign", "floor", "ceiling", "frac", "Not", "ITE")
]


@pytest.mark.parametrize("name", OF_REAL_NUMBERS)
def test_values_and_derivatives_to_rounding(name):
    made = getattr(sp, name, getattr(cfunctions, name, None))(x)
    kernel, of = lw.compile(made, [x]), 0
    derivative, slope = kernel.derivative("x"), made.diff(x)
    for at in POINTS:
        exactly, exact_slope = (e.subs(x, sp.Rational(at)).evalf(25) for e in (made, slope))
        if exactly.is_real:
            of += 1
            assert kernel(at) == pytest.approx(float(exactly), rel=2e-14, abs=1e-300)
            if exact_slope.is_real and exact_slope.is_finite:
                assert derivative(at) == pytest.approx(float(exact_slope), rel=1e-13, abs=1e-15)
    assert of >= 4


@pytest.mark.parametrize("function", [sp.sinc, sp.asinh, sp.atanh, sp.erf, sp.acot, cfunctions.log1p, cfunctions.expm1])
def test_derivatives_at_zero(function):
    made = function(x)
    kernel = lw.compile(made, [x])
    at = {x: 0} if function is not sp.sinc else {x: sp.Rational(1, 10**9)}
    assert kernel.derivative("x")(0.0) == pytest.approx(float(made.diff(x).subs(at)), abs=1e-9)
    second = kernel.derivative("x").derivative("x")(0.0)
    assert second == pytest.approx(-1.0 / 3.0 if function is sp.sinc else float(made.diff(x, 2).subs(x, 0)), abs=1e-9)


UNARY = [
    sp.acot,
    sp.sinc,
    sp.erf,
    sp.erfc,
    sp.asinh,
    sp.sech,
    sp.Abs,
    sp.sign,
    sp.floor,
    cfunctions.expm1,
    sp.conjugate,
]
BINARY = [
    *(
        sp.Min,
        sp.Max,
        lambda a, b: sp.Mod(a, 2 + sp.Abs(b)),
        cfunctions.hypot,
        sp.KroneckerDelta,
        lambda a, b: sp.Heaviside(a - b, 1),
    ),
    *(lambda a, b: sp.Max(a, b, a * b, 1), lambda a, b: sp.Sum(sp.sin(k * a) * b, (k, 1, 3))),
    *(
        lambda a, b: sp.Product(a + k * b, (k, 1, 2)),
        lambda a, b: sp.Piecewise((a, sp.Interval(-1, b).contains(a)), (b, True)),
    ),
    *(lambda a, b: sp.SingularityFunction(a, 1, 2),),
    lambda a, b: sp.Determinant(sp.ImmutableMatrix([[a, b], [1, a]])),
]


def applied(function, *arguments):
    """Return what SymPy makes of a function; reject what it cannot make, such as comparisons of infinities."""
    try:
        return function(*arguments)
    except (TypeError, ValueError, ZeroDivisionError):
        reject()


expressions = st.recursive(
    st.sampled_from([x, y, sp.Rational(2, 7), sp.Float(0.3)]),
    lambda inner: st.one_of(
        st.builds(applied, st.sampled_from(UNARY), inner),
        st.builds(applied, st.sampled_from(BINARY), inner, inner),
    ),
    max_leaves=4,
)


@settings(max_examples=20, deadline=None)
@given(some=expressions)
def test_values_are_those_of_sympy(some):
    some = sp.sympify(some)
    assume(not some.has(sp.zoo, sp.nan, sp.I, sp.oo))
    kernel, plain = lw.compile(some, [x, y]), applied(lambda: some.doit())
    for a, b in ((0.37, -1.21), (-2.3, 0.64), (1.9, 2.6)):
        rows = [(sp.Rational(s * a), sp.Rational(s * b)) for s in (1.0, 1.0 + 1e-9, 1.0 - 1e-9)]
        values = applied(lambda rows: np.array([complex(plain.subs({x: p, y: q}).evalf(20)) for p, q in rows]), rows)
        if np.ptp(values.real) < 1e-5 and not values.imag.any():  # no jump at this point
            np.testing.assert_allclose(kernel(a, b), values[0].real, rtol=1e-9, atol=1e-10)


def test_matrices_and_arrays():
    W, v, a = sp.MatrixSymbol("W", 3, 3), sp.MatrixSymbol("v", 3, 1), sp.IndexedBase("a", shape=(3,))
    A, u = np.random.default_rng(0).normal(size=(3, 3)), np.array([1.0, -2.0, 0.5])
    made = (sp.Determinant(W), sp.Trace(W * W.T), (W * v)[1, 0], (v.T * W * v)[0, 0], sp.Sum(a[k] ** 2, (k, 0, 2)))
    wanted = np.linalg.det(A), np.trace(A @ A.T), (A @ u)[1], u @ A @ u, u @ u
    np.testing.assert_allclose(lw.compile(made, [W, v, a])(A, u, u), wanted, rtol=1e-13)
    assert lw.compile(sp.Determinant(W), [W])(np.eye(3)[[1, 0, 2]]) == -1.0  # its first pivot is zero
    explicit = sp.Determinant(sp.ImmutableMatrix([[x, y], [1, x]]))  # whose number of rows is one of Python
    assert lw.compile(explicit, [x, y])(2.0, 3.0) == 1.0
    b = sp.IndexedBase("b")
    assert lw.compile(b[0] - b[1], [[b[0], b[1]]])([3.0, 1.0]) == 2.0


def test_remainders():  # SymPy evaluates Rem of numbers only
    kernel = lw.compile([sp.Rem(x, y), sp.Mod(x, y)], [x, y])
    rows = np.array([(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-0.3, 5.0), (0.0, 2.0)])
    np.testing.assert_array_equal(kernel(*rows.T), np.stack([np.fmod(*rows.T), np.mod(*rows.T)], axis=-1))


def test_further_forms():
    assert lw.compile(sp.Lambda((x, y), x + 2 * y))(1.0, 2.0) == 5.0
    assert lw.compile(sp.Lambda(((x, y), k), x + y * k))([1.0, 2.0], 3.0) == 7.0
    assert lw.compile(sp.Lambda((x, y), x - y), [y, x])(1.0, 2.0) == 1.0
    assert lw.compile(sp.Tuple(x, [y]), [x, y])(1.0, 2.0)[1].tolist() == [2.0]
    assert lw.compile(sp.UnevaluatedExpr(x) + 1, [x])(2.0) == 3.0
    assert lw.compile(sp.Poly(x**2 + 1, x), [x])(2.0) == 5.0
    assert lw.compile(sp.Sum(x**k / sp.factorial(k), (k, 0, sp.oo)), [x])(1.0) == pytest.approx(np.e)
    assert lw.compile(sp.Subs(sp.sin(x), x, y + 1), [y])(1.0) == np.sin(2.0)
    assert lw.compile(sp.Derivative(sp.sin(x) ** 2, x), [x])(1.0) == pytest.approx(np.sin(2.0))
    assert lw.compile(sp.real_root(sp.Symbol("z"), 3), [sp.Symbol("z")])(-8.0) == pytest.approx(-2.0)


f = sp.Function("f")
REFUSED = [
    (lambda: sp.Integral(sp.exp(-(x**2)), (x, 0, y)), "doit"),
    (lambda: sp.Limit(sp.sin(x) / x, x, 0), "doit"),
    (lambda: sp.gamma(x), "gamma.* replace it by a symbol"),
    (lambda: sp.besselj(0, x), "besselj.* replace it by a symbol"),
    (lambda: sp.DiracDelta(x), "no function of real numbers"),
    (lambda: f(x) + y, r"f\(x\); the arguments are x, y. Add them to the symbols, or substitute"),
    (lambda: f(x**2).diff(x), "replace it by a symbol"),
    (lambda: sp.Sum(sp.sin(k * x), (k, 0, n)), "lw.repeat"),
    (lambda: sp.Sum(sp.sin(k * x), (k, 0, 10**7)), "10000001 terms; lw.repeat"),
    (lambda: sp.Symbol("x") + 1, "other assumptions differ: x"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_cannot_be_compiled_is_explained(make, message):
    with pytest.raises(ExpressionError, match=message):
        lw.compile(make(), [x, y])


def test_shapes_of_numbers_are_needed():
    for wrong, message in ((sp.MatrixSymbol("A", n, n), "shapes of numbers"), (sp.IndexedBase("b"), "has no shape")):
        with pytest.raises(ArgumentError, match=message):
            lw.compile(x, [x, wrong])
