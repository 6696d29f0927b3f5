"""Single operations as programs, values that are hard on them, and programs as C."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from pathlib import Path

import numpy as np

from linkwright.compiler.ir.program import Program, program_of
from linkwright.expression.graph import Graph
from linkwright.expression.operations import OPERATIONS

HOSTILE = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, np.pi, -1e6, 12345.678, 1e9, -1e300, 1.7e308),
    *(5e-324, -5e-324, 1e-310, 2.3e-308, np.inf, -np.inf, np.nan),
)
EXACT = frozenset(
    (
        *("add", "sub", "mul", "div", "neg", "sqrt", "abs", "sign", "floor", "round", "min", "max"),
        *("less", "less_equal", "where", "held", "held_in_derivative"),
    )
)
"""Operations that IEEE 754 decides to the last bit."""

ULPS = 8
"""How far the libraries' functions may be from each other; pow is the worst of them."""


def one_operation(op: str) -> Program:
    """The program f(x, y, …) = op(x, y, …) of scalars."""
    graph = Graph()
    inputs = {f"x{k}": graph.symbols(f"x{k}", ()) for k in range(OPERATIONS[op].arity)}
    return program_of(f"operation_{op}", graph, inputs, graph.apply(op, *(x[()] for x in inputs.values())))


def every_combination(values, arity: int) -> np.ndarray:
    """(arity, n): every choice of the values for the arguments."""
    return np.array(list(itertools.product(values, repeat=arity))).T


def within(op: str, columns: np.ndarray) -> np.ndarray:
    """(n,): which arguments the operation takes: reciprocal roots are of positive normal numbers."""
    return ((columns[0] > 1e-300) & (columns[0] < np.inf)) | (op != "inverse_root")


def same(op: str, found: np.ndarray, expected: np.ndarray, columns: np.ndarray) -> None:
    """The same numbers, NaN and infinities included; zeros may differ in sign (no algorithm looks at it)."""
    wrong = np.isnan(found) != np.isnan(expected)
    wrong |= np.isinf(expected) & (found != expected)
    finite = np.isfinite(expected) & ~wrong
    allowed = np.zeros(len(expected)) if op in EXACT else ULPS * np.spacing(np.abs(np.where(finite, expected, 1.0)))
    with np.errstate(all="ignore"):
        wrong |= finite & ~(np.abs(found - expected) <= allowed)
    shown = [(op, *columns[:, k], found[k], expected[k]) for k in np.flatnonzero(wrong)[:10]]
    assert not wrong.any(), shown


LONG_SOURCE = 50_000
"""Bytes of C from which it is compiled without optimization: what an optimizing compiler warns about, and makes of each
operation, all the shorter ones show."""


def optimization(source: Path) -> str:
    """Return the compiler's option for a file of C."""
    return "-O0" if source.stat().st_size > LONG_SOURCE else "-O1"


def in_c(kernel, folder):
    """The kernel, compiled as C."""
    path = kernel.save(folder / "code.c")
    strict = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-pedantic",
        optimization(path),
        "-ffp-contract=off",
    ]
    subprocess.run(["gcc", *strict, "-shared", "-fPIC", path, "-o", folder / "code.so", "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(folder / "code.so")), kernel.program.name)

    def call(*given):
        outs = [np.full(slot.shape, np.nan) for slot in kernel.program.outputs]
        arrays = [np.ascontiguousarray(x, dtype=float) for x in (*given,)]
        function(*(x.ctypes.data_as(ctypes.c_void_p) for x in (*arrays, *outs)))
        return outs

    return call
