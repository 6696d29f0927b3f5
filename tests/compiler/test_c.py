"""Exported C, compiled and called, against the interpreter."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest
from operations_on import HOSTILE, every_combination, one_operation, optimization, same

import linkwright as lw
from linkwright.compiler.emit.c import _distinct, source
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.kernel import Kernel
from linkwright.expression.operations import OPERATIONS
from mechanisms import one_of_each, relative_error, state

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

pytestmark = pytest.mark.skipif(COMPILER is None or sys.platform == "win32", reason="there is no C compiler here")


@pytest.fixture
def built(tmp_path):
    """``built(kernel)(*arrays)``: the C of a kernel, compiled without warnings, on one row."""

    def build(kernel: Kernel, name: str | None = None):
        source = kernel.save(tmp_path / "kernel.c")
        library = tmp_path / f"{id(kernel)}.so"
        flags = [
            "-std=c99",
            optimization(source),
            "-Wall",
            "-Wextra",
            "-Wno-unused-variable",
            "-Wno-unused-parameter",
            "-Werror",
        ]
        command = [COMPILER, *flags, "-fPIC", "-shared", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        function = getattr(ctypes.CDLL(str(library)), name or kernel.program.name)
        function.restype = None

        def call(*arrays):
            inputs = [np.ascontiguousarray(x, dtype=float) for x in arrays]
            outputs = [np.full(slot.shape, np.nan) for slot in kernel.program.outputs]
            function(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
            return outputs[0] if kernel.program.single else tuple(outputs)

        return call

    return build


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lw.inverse_dynamics, {}),
        (lw.forward_dynamics, {}),
        (lw.forward_dynamics, {"method": "composite"}),
        (lw.mass_matrix, {}),
        (lw.jacobian, {"frame": "tip"}),
        (lw.pose, {"frame": "tip"}),
        (lw.integrate, {}),
        (lw.difference, {}),
        (lw.passive_forces, {}),
        (lw.kinetic_energy, {}),
        (lw.inverse_dynamics, {"wrenches": ["tip", "body0"]}),
    ],
    ids=lambda x: getattr(x, "__name__", "-".join(map(str, x.values())) if isinstance(x, dict) else str(x)),
)
def test_algorithms(built, function, options):
    model = one_of_each(4, mimics=True)
    kernel = lw.compile(function, model, **options)
    rng = np.random.default_rng(2)
    call = built(kernel)
    for seed in range(3):
        known = {"q": model.random(seed=seed), "q0": model.random(seed=seed + 9), "q1": model.random(seed=seed)}
        arrays = [known.get(slot.name, rng.normal(size=slot.shape)) for slot in kernel.program.inputs]
        tolerance = 1e-12
        if function is lw.forward_dynamics:
            tolerance += 1e-15 * np.linalg.cond(lw.mass_matrix(model, arrays[0]))
        assert relative_error(call(*arrays), interpret(kernel.program, *arrays)[0]) < tolerance


def test_several_results_and_their_sizes(built):
    model = lw.load("two_link")

    def terms(model, q, v):
        return lw.mass_matrix(model, q), lw.bias_forces(model, q, v), lw.kinetic_energy(model, q, v)

    kernel = lw.compile(terms, model)
    q, v, _ = state(model, 0)
    M, b, T = built(kernel)(q, v)
    assert (M.shape, b.shape, T.shape) == ((2, 2), (2,), ())
    for x, y in zip((M, b, T), kernel(q, v), strict=True):
        assert relative_error(x, y) < 1e-14


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_on_hostile_values(built, op):
    program = one_operation(op)
    call = built(Kernel(program))
    columns = every_combination(HOSTILE, OPERATIONS[op].arity)
    expected = interpret(program, *columns)[0]
    found = np.array([call(*row)[()] for row in zip(*columns, strict=True)])
    same(op, found, expected, columns)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_constants_that_are_not_finite(built):
    def function(x):
        return np.stack([x + np.inf, lw.where(x > 0.0, -np.inf, x), lw.where(x > 0.0, np.nan, -0.5), x * 1e-310])

    kernel = lw.compile(function, x=())
    for x in (1.0, -1.0):
        assert np.array_equal(built(kernel)(x), kernel(x), equal_nan=True)


def test_names_that_c_has_taken(built):
    def gamma(double, v0, sin, result, π):
        return np.stack([double + v0, sin - result, np.sin(π)])

    kernel = lw.compile(gamma, double=(), v0=(), sin=(), result=(), π=())
    arguments = (1.5, 2.25, -3.0, 0.5, 0.7)
    assert relative_error(built(kernel, "gamma_")(*arguments), kernel(*arguments)) < 1e-15


def test_frames_whose_names_become_alike(built):
    builder = lw.Builder("alike")
    builder.body("a b", mass=1.0, inertia=np.eye(3))
    builder.joint("turn", "revolute", "world", "a b", axis=[0, 0, 1])
    builder.frame("a_b", "a b", xyz=[1.0, 0.0, 0.0])
    model = builder.build()
    kernel = lw.compile(lw.inverse_dynamics, model, wrenches=["a b", "a_b"])
    q, v, a = state(model, 0)
    wrenches = np.random.default_rng(0).normal(size=(2, 6))
    assert relative_error(built(kernel)(q, v, a, *wrenches), kernel(q, v, a, *wrenches)) < 1e-14


def test_names_in_other_scripts_stay_readable_and_distinct():
    names = ["α", "alpha", "θ", "Θ", "λ", "x₁", "ẋ", "é", "日", "本"]
    wanted = ["alpha", "alpha_", "theta", "Theta", "lambda", "x1", "x_dot", "e", "x", "x_"]
    assert _distinct(names, "") == wanted


def test_words_of_cpp_are_no_names_of_arguments():
    import sympy as sp

    kernel = lw.compile(sp.Symbol("class") + sp.Symbol("new"), sp.symbols("class new"))
    declaration = source(kernel.program)[1]
    assert "class_" in declaration
    assert "new_" in declaration
