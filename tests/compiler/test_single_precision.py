"""Kernels in single precision: float32 in and out, the same laws, no number of another format in between."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from operations_on import one_operation
from test_refill import arguments, wandering

import linkwright as lw
from linkwright.compiler.emit.straight import batches_text, row_text
from linkwright.compiler.ir.formats import SINGLE
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native import cache
from linkwright.compiler.native.machine import target
from linkwright.compiler.precision import in_precision
from linkwright.errors import ArgumentError, ShapeError, TooLargeError
from linkwright.model.joints.joint import JOINT_TYPES
from mechanisms import one_of_each, random_tree, relative_error, state

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

W = target().lanes(4)
REFERENCES = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "inverse_root": lambda x: 1.0 / np.sqrt(x),
    "atan2": np.arctan2,
    "pow": np.power,
}
STRIDE = 30011
"""Every so many numbers of float32 are arguments."""


@pytest.fixture(params=range(2))
def seed(request):
    return request.param


def numbers_of_all_sizes(count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Float32 numbers with evenly spaced bits, in other orders for further arguments."""
    bits = np.arange(rng.integers(STRIDE), 2**32, STRIDE).astype(np.uint32)
    first = bits.view(np.float32)
    return [first, *(rng.permutation(first) for _ in range(count - 1))]


def ulps(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Return errors in units in the last place of the exact values in float32."""
    return abs(found - exact) / np.maximum(np.spacing(abs(exact.astype(np.float32))), 2.0**-149)


@pytest.mark.variants("seed")
@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize("op", REFERENCES)
def test_elementary_functions_are_accurate(op, seed):
    kernel = Kernel(in_precision(one_operation(op), "single"))
    rng = np.random.default_rng(seed)
    given = numbers_of_all_sizes(len(kernel.program.inputs), rng)
    if op in ("atan2", "pow"):
        given[0] = np.where(rng.random(len(given[0])) < 0.5, given[0], rng.normal(size=len(given[0])))
        given = [np.where(abs(x) > 1e3, np.log2(abs(x)), x).astype(np.float32) for x in given]
    found, exact = kernel(*given), REFERENCES[op](*(x.astype(float) for x in given))
    assert found.dtype == np.float32
    among = (given[0] > SINGLE.least_normal) & np.isfinite(given[0]) | (op != "inverse_root")
    largest = float(np.finfo(np.float32).max)
    finite = among & np.isfinite(exact) & (abs(exact) < largest)
    assert finite.sum() > 10_000
    assert np.nanmax(np.where(finite, ulps(found.astype(float), exact), 0.0)) <= 2.0
    assert np.isfinite(found[finite]).all()
    beyond = among & (abs(exact) > 1.001 * largest)
    assert (found[beyond] == np.copysign(np.inf, exact[beyond])).all()
    assert np.isnan(found[among & np.isnan(exact)]).all()


def given_arrays(kernel: Kernel, model: lw.Model, rows: int) -> list[np.ndarray]:
    states = [state(model, seed) for seed in range(rows)]
    q, v, a = (np.array(x) for x in zip(*states, strict=True))
    known = {"q": q, "q0": q, "q1": q[::-1], "v": v, "a": a, "tau": a}
    return [known[slot.name].astype(np.float32) for slot in kernel.program.inputs]


@pytest.mark.variants("seed")
@pytest.mark.parametrize(
    "function",
    [lw.inverse_dynamics, lw.forward_dynamics, lw.mass_matrix, lw.integrate, lw.difference, lw.kinetic_energy],
)
def test_algorithms_equal_those_in_double_precision(function, seed):
    model = one_of_each(seed)
    kernel, double = lw.compile(function, model, precision="single"), lw.compile(function, model)
    arrays = given_arrays(kernel, model, 2 * W + 3)
    found, exact = kernel(*arrays), double(*(x.astype(float) for x in arrays))
    assert found.dtype == np.float32
    condition = np.linalg.cond(lw.mass_matrix(model, arrays[0])) if function is lw.forward_dynamics else 1.0
    for row in range(len(found)):
        size = 2e-5 if np.ndim(condition) == 0 else 2e-6 * condition[row] + 2e-5
        assert relative_error(found[row], exact[row]) < size, row
    assert relative_error(found, interpret(kernel.program, *arrays)[0]) < 4e-5 * np.max(condition)


def test_laws_on_random_mechanisms(seed):
    rng = np.random.default_rng(seed)
    for _ in range(2):
        kinds = [JOINT_TYPES[k] for k in rng.integers(len(JOINT_TYPES), size=rng.integers(2, 5))]
        model = random_tree(kinds, int(rng.integers(1000)))
        inverse, forward, mass = (
            lw.compile(f, model, precision="single") for f in (lw.inverse_dynamics, lw.forward_dynamics, lw.mass_matrix)
        )
        q, v, tau = given_arrays(forward, model, W)
        a, M = forward(q, v, tau), mass(q)
        still = np.zeros_like(v)
        along = inverse(q, still, v) - inverse(q, still, still)  # M v
        assert relative_error(np.einsum("nij,nj->ni", M, v), along) < 1e-4
        assert (np.swapaxes(M, 1, 2) == M).all()
        energy = np.einsum("ni,nij,nj->n", v, M, v) / 2.0
        kinetic = lw.compile(lw.kinetic_energy, model, precision="single")(q, v)
        assert relative_error(kinetic, energy) < 1e-4
        assert relative_error(inverse(q, v, a), tau) < 1e-5 * np.linalg.cond(M).max() + 1e-4


def test_a_row_is_the_same_alone_and_in_every_batch():
    model = one_of_each(3)
    kernel = lw.compile(lw.forward_dynamics, model, precision="single")
    arrays = given_arrays(kernel, model, 3 * W + 1)
    together = kernel(*arrays)
    for rows in (1, W - 1, W + 1):
        assert np.array_equal(kernel(*(x[:rows] for x in arrays)), together[:rows])
    assert np.array_equal(kernel(*(np.asfortranarray(x) for x in arrays)), together)
    for row in (0, W, 3 * W):
        assert np.array_equal(kernel(*(x[row] for x in arrays)), together[row])


def test_far_angles():
    """Angles beyond the lanes' reduction are computed by the C library, in double precision."""
    kernel = lw.compile(lambda x: np.sin(x), x=(), precision="single")
    x = np.concatenate([np.linspace(0.9e5, 1.1e5, 101), [1e30, -3e38]]).astype(np.float32)
    assert (ulps(kernel(x).astype(float), np.sin(x.astype(float))) < 2.0).all()
    assert all(kernel(one) == found for one, found in zip(x, kernel(x), strict=True))


def test_repetitions_conditions_and_refilled_lanes():
    kernel = lw.compile(wandering, x=2, speed=(), until=(), precision="single")
    given = [x.astype(np.float32) for x in arguments(3 * W + 5)]
    found = kernel(*given)
    assert all(x.dtype == np.float32 for x in found)
    for row in range(len(given[0])):
        alone = kernel(*(np.array(x[row]) for x in given))
        assert all(np.array_equal(a[row], b) for a, b in zip(found, alone, strict=True)), row
    for x, y in zip(found, interpret(kernel.program, *given), strict=True):
        assert y.dtype == np.float32
        assert relative_error(x, y) < 1e-3


def rows_in_memory(x, A, k):
    table = np.sin(np.arange(60.0))
    last, kept = lw.repeat(6, lambda _, s: np.cos(s) + 0.1 * (A @ s), x, keep=2)
    return last, kept, lw.take(table, k) + lw.take(x, lw.where(k < 5.0, k, 1.0))


def test_rows_in_memory_and_computed_indices():
    kernel = lw.compile(rows_in_memory, x=30, A=(30, 30), k=(), precision="single")
    rng = np.random.default_rng(0)
    x, A, k = rng.normal(size=(W + 3, 30)), rng.normal(size=(W + 3, 30, 30)), rng.integers(0, 60, W + 3)
    x, A = x.astype(np.float32), A.astype(np.float32)
    for matrices in (A, A[0]):
        found = kernel(x, matrices, k)
        exact = lw.compile(rows_in_memory, x=30, A=(30, 30), k=())(x, matrices, k)
        for a, b in zip(found, exact, strict=True):
            assert a.dtype == np.float32
            assert relative_error(a, b) < 1e-4
        alone = kernel(x[2], matrices[2] if matrices is A else matrices, k[2])
        assert all(np.array_equal(a[2], b) for a, b in zip(found, alone, strict=True))


def test_no_instruction_computes_in_double_precision():
    model = one_of_each(2)
    for kernel in (
        lw.compile(lw.forward_dynamics, model, precision="single"),
        lw.compile(rows_in_memory, x=30, A=(30, 30), k=(), precision="single"),
    ):
        assert isinstance(kernel.program, Program)
        for text in (batches_text(kernel.program, W, target()), row_text(kernel.program, W, target())):
            lines = [
                line
                for line in text.splitlines()
                if "double" in line and "@sin" not in line and "@cos" not in line and "zeroinitializer" not in line
            ]
            assert all("fpext" in line or "fptrunc" in line for line in lines), lines  # around the C library's
            assert "f64" not in text


def test_arguments_of_other_types_are_rounded():
    kernel = lw.compile(lambda x, y: x * y, x=2, y=(), precision="single")
    x, y = np.array([0.1, 0.2]), 3
    expected = np.array([0.1, 0.2], np.float32) * np.float32(3.0)
    for given in (x, list(x), x.astype(np.longdouble), x.astype(np.float32)):
        for factor in (y, float(y), np.float64(y), np.float32(y), np.array(y)):
            found = kernel(given, factor)
            assert found.dtype == np.float32
            assert np.array_equal(found, expected)
    out = np.empty((3, 2), np.float32)
    assert kernel(np.tile(x, (3, 1)), y, out=out) is out
    assert np.array_equal(out[1], expected)
    assert kernel(x, 1e300)[0] == np.inf
    assert isinstance(lw.compile(lambda x: x + 1.0, x=(), precision="single")(0.5), np.float32)
    with pytest.raises(ArgumentError, match="real numbers"):
        kernel(x * 1j, y)
    with pytest.raises(ShapeError, match="expected"):
        kernel(x[:1], y)


def test_constants_stay_nonzero_and_finite():
    kernel = lw.compile(lambda x: (x / (x * x + 1e-100), x * 0.0 + 1e100), x=(), precision="single")
    for x in (0.0, np.zeros(W + 1)):
        quotient, large = kernel(x)
        assert np.all(quotient == 0.0)
        assert np.all(large == np.finfo(np.float32).max)


def test_derivatives_pickles_and_measured_widths_keep_the_precision():
    model = lw.load("two_link")
    kernel = lw.compile(lw.gravity_forces, model, precision="single", tune=True)
    q = np.array([0.3, 0.4], np.float32)
    for one in (kernel, pickle.loads(pickle.dumps(kernel))):
        assert one(q).dtype == one.derivative("q")(q).dtype == np.float32
    assert relative_error(kernel.derivative("q")(q), lw.compile(lw.gravity_forces, model).derivative("q")(q)) < 1e-5
    assert "single precision" in str(kernel.program)


def test_the_cache_distinguishes_precisions():
    model = lw.load("two_link")
    keys = {
        cache.key(lw.compile(lw.gravity_forces, model, precision=x).program.digest, target(), 8)
        for x in ("double", "single")
    }
    assert len(keys) == 2


def test_what_has_no_single_precision():
    model = lw.load("two_link")
    with pytest.raises(ArgumentError, match="precision is 'double' or 'single'; got 'float32'"):
        lw.compile(lw.mass_matrix, model, precision="float32")
    with pytest.raises(TooLargeError, match="double precision only"):
        lw.compile(lw.gravity_forces, lw.load("planar:120"), precision="single")

    def counting(x):
        return lw.until(lambda y: y > 1.0, lambda y: y + 1.0, x, limit=2**24 + 1)

    with pytest.raises(ArgumentError, match="exact up to 16777216"):
        lw.compile(counting, x=(), precision="single")
