"""Independent steps of a loop run together on the lanes of a single motion, and compute the same to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.emit import straight
from linkwright.compiler.native import machine
from linkwright.spatial.loops.entry_table import EntryTable, MarkedRows
from linkwright.spatial.loops.memory import empty_row, memory_row, read, write
from linkwright.spatial.loops.repeats import for_each, repeat, symbol_among, when

COUNTS = (1, 3, 4, 5, 8, 13, 67)
ROWS = 19


def stepwise(function: Any, count: int, *arrays: np.ndarray) -> Any:
    """Compile a function of arrays, and compare a single row with a batch, and with the interpreter."""
    arm = lw.load("pendulum")
    kernel = lw.compile(function, arm, **{f"x{k}": x.shape for k, x in enumerate(arrays)})
    batch = kernel(*(np.stack([x + 0.01 * row for row in range(ROWS)]) for x in arrays))
    for row in (0, ROWS - 1):
        one = kernel(*(x + 0.01 * row for x in arrays))
        assert np.array_equal(one, batch[row], equal_nan=True)
    expected = function(arm, *arrays)
    assert np.allclose(kernel(*arrays), expected, rtol=1e-13, atol=1e-13, equal_nan=True)
    return kernel


def test_code_of_a_single_row_has_vectors():
    def squares(model: Any, x0: Any) -> Any:
        x, row = memory_row(x0), empty_row(symbol_among([x0]), 16)
        return read(for_each(16, lambda k, row: write(row, k, [read(x, k, 1)[0] ** 2]), row), 0.0, 16)

    kernel = stepwise(squares, 16, np.arange(16.0))
    target = machine.target()
    width = target.lanes(8)
    text = straight.row_text(kernel.program, width, target)
    assert (f"<{width} x double>" in text) == (width >= 4)


@pytest.mark.parametrize("count", COUNTS)
def test_places(count):
    """Places are multiples of the number of a step, from tables, or the same in all steps; tables may be computed."""
    random = np.random.default_rng(count)
    order = random.permutation(count)

    def f(model: Any, x0: Any, x1: Any) -> Any:
        graph = None if (symbol := symbol_among([x0])) is None else symbol.graph
        table = EntryTable(graph, [[float(order[k]), x0[k], 0.5 * k, x1[k % 3]] for k in range(count)])
        x, y = memory_row(x0), memory_row(x1)

        def step(k: Any, row: Any, back: Any) -> tuple[Any, Any]:
            here, there = table.one(k, 1), read(x, table.one(k, 0), 1)[0]
            fixed, whole = read(y, 2.0, 1)[0], x0[0] + x1[1]
            row = write(row, k * 2.0 + 1.0, [here - there * fixed])
            row = write(row, k * 2.0, [np.sin(there) + whole * table.one(k, 2)])
            return row, write(back, table.one(k, 0), [k + here * table.one(k, 3)])

        rows = empty_row(symbol, 2 * count), empty_row(symbol, count)
        one, other = for_each(count, step, *rows)
        return np.concatenate([read(one, 0.0, 2 * count), read(other, 0.0, count)])

    stepwise(f, count, random.standard_normal(count), random.standard_normal(3))


@pytest.mark.parametrize("count", COUNTS)
def test_conditions_loops_and_large_angles(count):
    """Steps leave out computations, have loops of their own, and handle angles beyond the range of the lanes' sine."""

    def f(model: Any, x0: Any) -> Any:
        x, symbol = memory_row(x0), symbol_among([x0])

        def step(k: Any, row: Any) -> Any:
            here = read(x, k, 1)[0]

            def costly() -> Any:
                def inner(i: Any, s: Any) -> Any:
                    return s + np.sin(here * read(x, i, 1)[0]) * (i + 1.0) + read(x, k, 1)[0]

                return repeat(3, inner, here)

            return write(row, k, [when(here > 0.0, costly, -here)])

        return read(for_each(count, step, empty_row(symbol, count)), 0.0, count)

    start = np.random.default_rng(count).standard_normal(max(count, 3))
    start[0] = 3e7
    stepwise(f, count, start)


@pytest.mark.parametrize("count", [70, 523])
def test_rows_that_are_marked(count):
    """The visits of marked rows are independent, too; those of the last block that do not exist are none.

    Blocks of many rows are in groups.
    """

    def f(model: Any, x0: Any) -> Any:
        symbol = symbol_among([x0])
        if symbol is None:
            found = np.where(x0 > 0.5, 2.0 * x0, 0.0)
            return np.concatenate([found, [found.sum(), 1.0 if np.any(found) else 0.0]])
        x = symbol.graph.row(list(x0))
        marked = MarkedRows.computed(symbol.graph, count, lambda k: lw.where(read(x, k, 1)[0] > 0.5, 1.0, 0.0))
        row = for_each(count, lambda k, row: write(row, k, [0.0]), empty_row(symbol, count))

        def visit(k: Any, row: Any) -> Any:
            on = marked.mark(k) > 0.5
            return when(on, lambda: write(row, k, [lw.where(on, 2.0 * read(x, k, 1)[0], 0.0)]), row)

        def add(k: Any, total: Any) -> Any:
            return when(marked.mark(k) > 0.5, lambda: total + 2.0 * read(x, k, 1)[0], total)

        total = marked.each(add, symbol.graph.coerce(0.0))
        return np.concatenate([read(marked.for_each(visit, row), 0.0, count), [total, marked.largest()]])

    start = np.random.default_rng(0).standard_normal(count)
    start[count // 4 : count // 2] = 0.0
    stepwise(f, count + 2, start)
    stepwise(f, count + 2, 0.0 * start)


def test_sines_of_a_single_row_are_computed_together():
    """Each has the bits that it has alone, next to angles that are too large for the lanes, to NaN and infinities."""
    arm = lw.load("pendulum")

    def sines(model: Any, x: Any) -> Any:
        return np.concatenate([np.sin(x), np.cos(x), np.sin(x[:-1] + x[1:])])

    x = np.random.default_rng(0).uniform(-10.0, 10.0, 11)
    x[2], x[5], x[9] = 1e9, np.nan, -np.inf
    kernel, one = lw.compile(sines, arm, x=(11,)), lw.compile(lambda model, x: np.sin(x), arm, x=(1,))
    single = np.array([one(angle[None])[0] for angle in np.concatenate([x, x[:-1] + x[1:]])])
    found = kernel(x)
    assert np.array_equal(found[[*range(11), *range(22, 32)]], single, equal_nan=True)
    assert np.array_equal(kernel(np.tile(x, (9, 1)))[4], found, equal_nan=True)
    assert single[2] == np.sin(1e9)
