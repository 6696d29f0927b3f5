"""Elementary functions on lanes: accurate to 2 units in the last place, C's answers at the edges, no calls."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from operations_on import one_operation

from linkwright.compiler.emit.straight import batches_text
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.machine import target

pytestmark = [
    pytest.mark.usefixtures("optimized"),  # code as users have it
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

EXACT = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan2": mpmath.atan2,
    "pow": mpmath.power,
    "inverse_root": lambda x: 1 / mpmath.sqrt(x),
}
N = 300


def spread(rng, low, high):
    """Numbers of all sizes between two."""
    return np.exp2(rng.uniform(np.log2(low), np.log2(high), N))


def signs(rng):
    return rng.choice([-1.0, 1.0], N)


def values(op):
    """Arguments all over the domain, and thickly where roundings show."""
    rng = np.random.default_rng(0)
    tiny, near_one = signs(rng) * spread(rng, 5e-324, 1.0), signs(rng) * spread(rng, 2.0**-52, 0.5)
    if op == "exp":
        return [np.concatenate([rng.uniform(-745.2, 709.78, N), tiny, rng.uniform(-745.2, -707.0, N)])]
    if op == "log":
        return [np.concatenate([spread(rng, 5e-324, 1.7e308), 1.0 + near_one, spread(rng, 5e-324, 2.3e-308)])]
    if op == "tanh":
        return [np.concatenate([rng.uniform(-22.0, 22.0, N), tiny, rng.uniform(-1.0, 1.0, N), rng.uniform(17, 19, N)])]
    if op in ("asin", "acos"):
        edge = signs(rng) * rng.uniform(0.49, 0.51, N)
        return [np.concatenate([rng.uniform(-1.0, 1.0, N), tiny, signs(rng) * (1.0 - abs(near_one)), edge])]
    if op == "tan":
        near = np.round(rng.uniform(-6e5, 6e5, N)) * (np.pi / 2.0)
        return [np.concatenate([rng.uniform(-1e6, 1e6, N), rng.uniform(-2.0, 2.0, N), near, tiny])]
    if op == "inverse_root":
        return [np.concatenate([spread(rng, 1e-300, 1.7e308), rng.uniform(0.25, 4.0, N), 1.0 + near_one])]
    if op == "atan2":
        sizes = spread(rng, 1e-300, 1e300) * signs(rng)
        slopes = np.concatenate([rng.uniform(0.0, 2.0, N), 0.5 + 0.01 * near_one])
        y = np.concatenate([slopes * np.tile(sizes, 2), signs(rng) * spread(rng, 5e-324, 1.7e308), tiny])
        x = np.concatenate([np.tile(sizes, 2), signs(rng) * spread(rng, 5e-324, 1.7e308), tiny[::-1]])
        return [y, x]
    x = np.concatenate([spread(rng, 5e-324, 1.7e308), rng.uniform(0.5, 2.0, N), 1.0 + near_one])
    y = np.where(rng.random(3 * N) < 0.5, rng.uniform(-744.0, 709.0, 3 * N) / np.log(x), rng.normal(size=3 * N))
    return [x, np.clip(y * np.log(x), -744.0, 709.0) / np.log(x)]


def ulps(found, exact):
    """The error in units in the last place of the exact value."""
    return float(abs(mpmath.mpf(float(found)) - exact) / mpmath.mpf(float(np.spacing(abs(float(exact))))))


@pytest.mark.parametrize("op", EXACT)
def test_functions_are_accurate(op):
    arguments = values(op)
    found = Kernel(one_operation(op))(*arguments)
    with mpmath.workdps(60):
        errors = [
            ulps(y, EXACT[op](*(mpmath.mpf(float(x)) for x in row)))
            for y, row in zip(found, zip(*arguments, strict=True), strict=True)
        ]
    worst = int(np.argmax(errors))
    assert errors[worst] <= 1.4, (errors[worst], [float(x[worst]).hex() for x in arguments])


def same_bits(x, y):
    """Equal, with the signs of zeros."""
    return (np.isnan(x) and np.isnan(y)) or (x == y and np.signbit(x) == np.signbit(y))


EDGES = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)
WHOLE_AND_HALF = (2.0, 3.0, -2.0, -3.0, 1.5, -1.5, 2.0**52 + 1.0, 2.0**53 + 2.0, -1e300)


@pytest.mark.parametrize("op", [op for op in EXACT if op not in ("acos", "atan2", "pow", "inverse_root")])
def test_edges_of_functions(op):
    kernel, numpys = Kernel(one_operation(op)), {"asin": np.arcsin}.get(op) or getattr(np, op)
    for x in (*EDGES, 5e-324, -5e-324, 710.0, -750.0):
        expected = numpys(x)
        if np.isfinite(expected) and expected not in (0.0, x, 1.0, -1.0):
            continue  # not decided to the last bit
        assert same_bits(kernel(np.array([x]))[0], expected), x


def test_edges_of_the_arc_cosine():
    found = Kernel(one_operation("acos"))(np.array([1.0, -1.0, 0.0, -0.0, np.nextafter(1.0, 2.0), np.inf, np.nan]))
    assert np.array_equal(found, [0.0, np.pi, np.pi / 2.0, np.pi / 2.0, np.nan, np.nan, np.nan], equal_nan=True)


def test_angles_of_points_on_the_axes_and_at_infinity():
    points = np.array(list(itertools.product((*EDGES, 5e-324, -5e-324, 1.7e308, -1.7e308), repeat=2))).T
    for y, x, found in zip(*points, Kernel(one_operation("atan2"))(*points), strict=True):
        assert same_bits(found, math.atan2(y, x)), (y, x, found)


def test_powers_of_what_is_no_plain_number():
    points = np.array(list(itertools.product((*EDGES, *WHOLE_AND_HALF), repeat=2))).T
    for x, y, found in zip(*points, Kernel(one_operation("pow"))(*points), strict=True):
        expected = np.power(x, y)
        assert same_bits(found, expected) or math.isclose(found, expected, rel_tol=1e-15), (x, y, found)


@pytest.mark.parametrize("op", [op for op in EXACT if op != "tan"])
def test_nothing_is_called_lane_by_lane(op):
    lanes = batches_text(one_operation(op), target().width, target())
    assert "call double" not in lanes.replace("call double @llvm.", "")


def test_coefficients_are_what_the_tool_finds():
    path = Path(__file__).parents[3] / "tools/minimax.py"
    spec = importlib.util.spec_from_file_location("minimax", path)
    assert spec is not None
    assert spec.loader is not None
    minimax = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(minimax)
    for precision, least in (("double", 2.0**-56), ("single", 2.0**-27)):
        form = FORMATS[precision]
        for name, wanted in minimax.TABLES[precision].items():
            with mpmath.workdps(60):
                found, worst = minimax.remez(wanted)
            assert worst < least
            assert tuple(form.rounded(float(c)) for c in found) == form.polynomials[name]
