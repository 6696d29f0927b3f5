"""C in single precision: no number of type double, and the interpreter's values; names, static functions, headers."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from operations_on import one_operation, optimization
from test_refill import arguments, wandering

import linkwright as lw
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.kernel import Kernel
from linkwright.errors import ArgumentError
from linkwright.expression.operations import OPERATIONS
from mechanisms import one_of_each, relative_error, state

COMPILER = shutil.which("gcc") or shutil.which("clang")
STRICT = [
    *("-std=c99", "-Wall", "-Wextra", "-Wno-unused-variable", "-Wno-unused-parameter", "-pedantic"),
    *("-Wdouble-promotion", "-Wfloat-conversion", "-Werror"),
]

pytestmark = [
    pytest.mark.skipif(COMPILER is None or sys.platform == "win32", reason="there is no C compiler here"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


def compiled(*command):
    done = subprocess.run([COMPILER, *STRICT, *map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def built(kernel: Kernel, folder, **options):
    """The C of a kernel in single precision, as a function of one row."""
    path = kernel.save(folder / "kernel.c", precision="single", **options)
    library = folder / f"{kernel.program.name}.so"
    compiled(optimization(path), "-fPIC", "-shared", path, "-o", library, "-lm")
    function = getattr(ctypes.CDLL(str(library)), options.get("prefix", "") + kernel.program.name)
    function.restype = None

    def call(*arrays):
        inputs = [np.ascontiguousarray(x, dtype=np.float32) for x in arrays]
        outputs = [np.full(slot.shape, np.nan, np.float32) for slot in kernel.program.outputs]
        function(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
        return outputs

    return call


@pytest.mark.parametrize("function", [lw.inverse_dynamics, lw.forward_dynamics, lw.integrate])
def test_algorithms(tmp_path, function):
    model = one_of_each(1)
    kernel = lw.compile(function, model)
    call = built(kernel, tmp_path)
    q, v, a = state(model, 5)
    known = {"q": q, "v": v, "a": a, "tau": a}
    arrays = [known[slot.name] for slot in kernel.program.inputs]
    assert relative_error(call(*arrays)[0], kernel(*arrays)) < 1e-3
    single = lw.compile(function, model, precision="single")
    assert relative_error(call(*arrays)[0], single(*arrays)) < 1e-3
    assert (tmp_path / "kernel.c").read_bytes() == single.save(tmp_path / "other.c").read_bytes()


def test_operations(tmp_path):
    rng = np.random.default_rng(0)
    for op in OPERATIONS:
        program = one_operation(op)
        call = built(Kernel(program), tmp_path)
        for row in rng.uniform(0.1, 0.9, (5, len(program.inputs))):
            (found,) = call(*row)
            exact = interpret(program, *row.astype(np.float32))[0]
            assert abs(found - exact) <= 4.0 * np.spacing(np.float32(abs(exact))), (op, row)


def test_repetitions_conditions_and_rows(tmp_path):
    kernel = lw.compile(wandering, x=2, speed=(), until=())
    call = built(kernel, tmp_path)
    for row in zip(*arguments(5), strict=True):
        for x, y in zip(call(*row), kernel(*row), strict=True):
            assert relative_error(x, y) < 1e-3

    def tables(x, k):
        table = np.sin(np.arange(60.0))
        last, kept = lw.repeat(6, lambda _, s: np.cos(s) + 0.1 * s, x, keep=2)
        return last, kept, lw.take(table, k) + lw.take(x, k - 30.0)

    kernel = lw.compile(tables, x=40, k=())
    call, x = built(kernel, tmp_path), np.linspace(-1.0, 1.0, 40)
    for found, expected in zip(call(x, 41), kernel(x, 41), strict=True):
        assert relative_error(found, expected) < 1e-4


@pytest.mark.parametrize("precision", ["double", "single"])
def test_headers_prefixes_and_static_functions(tmp_path, precision):
    kernel = lw.compile(lw.gravity_forces, lw.load("two_link"), precision=precision)
    number = {"double": "double", "single": "float"}[precision]
    kernel.save(tmp_path / "arm.c", prefix="left_", header=True)
    main = (
        '#include "arm.h"\n#include "arm.h"\nint main(void)\n{\n'
        f"    const {number} q[2] = {{0, 0}};\n    {number} tau[2];\n"
        "    left_gravity_forces(q, tau);\n    return tau[0] > 14 ? 0 : 1;\n}\n"
    )
    (tmp_path / "main.c").write_text(main)
    compiled("-O1", tmp_path / "main.c", tmp_path / "arm.c", "-o", tmp_path / "main", "-lm")
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0
    for side in ("left", "right"):
        kernel.save(tmp_path / f"{side}.c", prefix=f"{side}_", static=True)
        assert re.search(rf"^static void {side}_gravity_forces", (tmp_path / f"{side}.c").read_text(), re.M)
    main = '#include "left.c"\n#include "right.c"\n' + main.replace('#include "arm.h"\n', "")
    main = main.replace("    return", "    right_gravity_forces(q, tau);\n    return")
    (tmp_path / "main.c").write_text(main)
    compiled("-O1", tmp_path / "main.c", "-o", tmp_path / "main", "-lm")
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


def test_wrong_options(tmp_path):
    kernel = lw.compile(lw.gravity_forces, lw.load("two_link"))
    for options, reason in (
        ({"precision": "half"}, "precision is 'double' or 'single'"),
        ({"prefix": "2-"}, "prefix is the beginning of a name in C"),
        ({"static": 1}, "static is True or False"),
        ({"static": True, "header": True}, "which cannot call a static one"),
    ):
        with pytest.raises(ArgumentError, match=reason):
            kernel.save(tmp_path / "kernel.c", **options)
    assert not list(tmp_path.iterdir())
