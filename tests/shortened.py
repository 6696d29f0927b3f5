"""Long forms of tests, which the nightly run has: further values of a parameter, further combinations of variants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def long_form(*values: Any) -> list[Any]:
    """Return values of a parameter, or tuples of several parameters', that only the nightly run has."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly) for value in values
    ]


def leave_combinations_to_nightly(items: Iterable[pytest.Item]) -> None:
    """Mark most combinations of tests with the marker ``variants``, whose arguments name the parameters in question.

    For each combination of the other parameters, such as of laws and robots, one combination of variants stays in the
    normal run, and for the next one another, so that each variant occurs.
    """
    tests: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("variants"):
            tests[item.nodeid.partition("[")[0]].append(item)
    for group in tests.values():
        names = group[0].get_closest_marker("variants").args
        unknown = set(names) - set(group[0].callspec.params)
        assert not unknown, f"{group[0].nodeid} has no parameter {unknown}"
        others, variants = zip(*(_values(item, names) for item in group), strict=True)
        places, _ = _numbered(others)
        chosen, counts = _numbered(variants)
        most = max(map(sum, places))
        shifts = range(max(1, max(counts) - most))  # where there are more variants than places
        for item, place, numbers in zip(group, places, chosen, strict=True):
            wanted = ([(sum(place) + shift) % count for count in counts] for shift in shifts)
            if list(numbers) not in wanted:
                item.add_marker(pytest.mark.nightly)


def _values(item: pytest.Function, names: Sequence[str]) -> tuple[list[Any], list[Any]]:
    """Return the values of the parameters of a test that are given together: of those that are no variants, and others.

    Values are told apart by their identity: not all can be compared.
    """
    left = dict(item.callspec.params)
    sides: tuple[list[Any], list[Any]] = [], []
    for mark in item.iter_markers("parametrize"):
        given = [name.strip() for name in mark.args[0].split(",")] if isinstance(mark.args[0], str) else mark.args[0]
        sides[not set(names).isdisjoint(given)].append(tuple(id(left.pop(name)) for name in given))
    for name, value in left.items():  # of fixtures
        sides[name in names].append(id(value))
    return sides


def _numbered(rows: Sequence[Sequence[Any]]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return values as their places in the order in which they occur, and how many there are in each column."""
    columns = [{value: k for k, value in enumerate(dict.fromkeys(column))} for column in zip(*rows, strict=True)]
    return [tuple(c[x] for c, x in zip(columns, row, strict=True)) for row in rows], list(map(len, columns))
