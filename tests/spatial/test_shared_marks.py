"""Marks of rows that several loops share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.spatial.loops.entry_table import (
    BLOCK,
    PASSED_OVER,
    EntryTable,
    KnownMarks,
    MarkedRows,
    by_marks,
    in_order_of_marks,
    mapped,
    marked,
)
from linkwright.spatial.loops.repeats import when

COUNT = 3 * PASSED_OVER * BLOCK + 5
KINDS = [k % 3 for k in range(COUNT)]
KEYS = [(kind, -(k % 4)) for k, kind in enumerate(KINDS)]


def squares(numbers: Any) -> Any:
    return [lw.where(numbers[0] > 0.0, 1.0, 0.0), numbers[0] * numbers[1]]


def table_of(x: np.ndarray) -> list[list[Any]]:
    return [[one, float(k)] for k, one in enumerate(x)]


def inputs(seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(9, COUNT))
    x[:, BLOCK : COUNT // 2] = -1.0  # whole blocks without a mark
    x[3] = -1.0
    return x


def test_results_with_marks_are_those_without() -> None:
    def with_marks(x: np.ndarray) -> np.ndarray:
        return np.stack([y for own in marked(squares, table_of(x), 2, KnownMarks(KEYS)) for y in own])

    def without(x: np.ndarray) -> np.ndarray:
        return np.stack([y for own in mapped(squares, table_of(x), 2) for y in own])

    x = inputs(0)
    found, expected = (lw.compile(f, x=(COUNT,)) for f in (with_marks, without))
    assert np.array_equal(found(x), expected(x))
    assert np.array_equal(found(x[4]), expected(x[4]))


@pytest.mark.parametrize("half", [False, True], ids=["whole kind", "part of a kind"])
def test_loops_visit_the_marked_rows_of_a_kind(half: bool) -> None:
    def chosen(near: Any) -> list[int]:
        kept = [k for k in range(COUNT) if not half or k % 4 in (1, 2)]
        return in_order_of_marks([k for k in kept if KINDS[k] == 1], lambda k: near[k])

    def sums(x: np.ndarray) -> Any:
        found = marked(squares, table_of(x), 2, KnownMarks(KEYS))
        near = [own[0] for own in found]
        rows = chosen(near)
        table = EntryTable(near[0].graph, [[near[k], found[k][1]] for k in rows])
        known = MarkedRows.known(table, 0, len(rows))
        assert known is not None
        assert known.shared

        def visit(k: Any, total: Any) -> Any:
            acts = known.mark(k) > 0.5
            return when(acts, lambda: total + lw.where(acts, table.one(k, 1), 0.0), total)

        return known.each(visit, 0.0 * x[0])

    x = inputs(1)
    own = [k for k in range(COUNT) if KINDS[k] == 1 and (not half or k % 4 in (1, 2))]
    expected = np.where(x > 0.0, x * np.arange(COUNT), 0.0)[:, own].sum(axis=1)
    compiled = lw.compile(sums, x=(COUNT,))
    assert np.allclose(compiled(x), expected, rtol=1e-12, atol=1e-10)
    assert np.allclose(compiled(x[5]), expected[5], rtol=1e-12, atol=1e-10)


def test_rows_of_several_kinds_are_separated() -> None:
    seen: list[list[list[int]]] = []

    def traced(x: np.ndarray) -> Any:
        near = [own[0] for own in marked(squares, table_of(x), 2, KnownMarks(KEYS))]
        seen.append(by_marks(range(COUNT), lambda k: near[k]))
        return x[0]

    lw.compile(traced, x=(COUNT,))
    (kinds,) = seen
    assert [{KINDS[k] for k in own} for own in kinds] == [{0}, {1}, {2}]
    assert sorted(k for own in kinds for k in own) == list(range(COUNT))
    assert all(list(own) == sorted(own, key=lambda k: (KEYS[k][1], k)) for own in kinds)
    assert by_marks([3, 1], lambda k: 1.0) == [[3, 1]]
