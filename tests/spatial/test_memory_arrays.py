"""Arrays of entries in memory: tables read them in place, and only arithmetic makes expressions of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linkwright.expression.graph import Graph
from linkwright.spatial.loops.entry_table import MANY, EntryTable, largest_of, mapped
from linkwright.spatial.loops.memory import MemoryArray, entries_of, joined, plain

COUNT = 2 * MANY


@pytest.fixture
def row() -> Any:
    graph = Graph()
    found = graph.room(3 * COUNT)
    for k, x in enumerate(graph.symbols("x", 3 * COUNT)):
        found = graph.put(found, float(k), x)
    return found


def read(row: Any, place: int) -> Any:
    return row.graph.entry(row, float(place))


def test_a_table_of_stored_entries_makes_no_expression_of_each(row):
    stored = MemoryArray(row, np.arange(3 * COUNT).reshape(COUNT, 3))
    before = row.graph.count
    table = EntryTable(row.graph, [entries_of(one) for one in (stored[k] for k in range(COUNT))])
    assert row.graph.count - before <= 3
    assert all(table.one(row.graph.constant(4), k) is read(row, 12 + k) for k in range(3))


@pytest.mark.parametrize("places", [[5], [5, 5, 5], [0, 7, 1, 30]], ids=["one", "same", "scattered"])
def test_tables_of_any_places_have_expressions(row, places):
    table = EntryTable(row.graph, [entries_of(MemoryArray(row, np.array([place]))) for place in places])
    for k, place in enumerate(places):
        assert table.one(row.graph.constant(k), 0) is read(row, place)


def test_columns_of_stored_entries_and_others_are_copied(row):
    stored = entries_of(MemoryArray(row, np.array([3])))
    table = EntryTable(row.graph, [stored, [row.graph.constant(2.0)]])
    assert table.one(row.graph.constant(0), 0) is read(row, 3)
    assert table.one(row.graph.constant(1), 0).value == 2.0


def test_arrays_are_indexed_transposed_and_joined_in_memory(row):
    stored = MemoryArray(row, np.arange(6).reshape(2, 3))
    whole = joined([stored, MemoryArray(row, np.array([[20], [21]]))])
    assert whole.places.tolist() == [[0, 1, 2, 20], [3, 4, 5, 21]]
    assert whole.T[[3, 0]].places.tolist() == [[20, 21], [0, 3]]
    assert [x.place for x in entries_of(whole[:, 1])] == [1, 4]
    assert [
        [x is read(row, place) for x, place in zip(*two, strict=True)]
        for two in zip(plain(whole), whole.places, strict=True)
    ] == [[True] * 4] * 2


def test_arrays_of_different_memory_are_joined_as_expressions(row):
    found = joined([MemoryArray(row, np.array([[0], [1]])), np.zeros((2, 1))])
    assert found.shape == (2, 2)
    assert found[1, 0] is read(row, 1)


def test_functions_of_few_rows_receive_expressions(row):
    rows = [entries_of(MemoryArray(row, np.array([k, k + 1]))) for k in range(MANY - 1)]
    ((total,), *_) = mapped(lambda x: [x[0] + x[1]], rows, 1)
    assert total is read(row, 0) + read(row, 1)
    assert largest_of(lambda x: x[0], rows[:1]).op == "max"
