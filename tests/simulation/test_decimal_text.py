"""Tables of numbers as text: as Python writes each number with 17 digits."""

from __future__ import annotations

import io

import numpy as np
import pytest

from linkwright.simulation.recording import decimal_text
from linkwright.simulation.recording.decimal_text import write_rows

rng = np.random.default_rng()

TABLES = {
    "any bits": rng.integers(0, 2**64, (1000, 4), dtype=np.uint64).view(np.float64),
    "many sizes": rng.normal(size=(1000, 3)) * 10.0 ** rng.integers(-20, 20, (1000, 3)),
    "few digits": np.round(rng.normal(size=(1000, 3)), 3),
    "whole": rng.integers(-(10**6), 10**6, (1000, 2)).astype(float),
    "halves": np.ldexp(rng.integers(1, 200, (1000, 2)).astype(float), rng.integers(-1074, 900, (1000, 2))),
    "powers of ten": np.array([[float(f"{digits}e{k}") for digits in (1, 5, 3)] for k in range(-323, 308)]),
    "next to powers": np.nextafter([[float(f"1e{k}")] for k in range(-307, 308)], [[-np.inf, np.inf]]),
    "special": np.array([[0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1.7976931348623157e308, 1e-4, 9e-5, 1e16, 1e17]]),
}


def text_of(*columns):
    file = io.BytesIO()
    write_rows(file, *columns)
    return file.getvalue().decode()


@pytest.mark.parametrize("name", TABLES)
def test_numbers_are_written_as_python_writes_them(name):
    table = TABLES[name]
    assert text_of(table).splitlines() == [",".join(f"{x:.17g}" for x in row) for row in table.tolist()]


def test_numbers_whose_last_digit_needs_more_digits_are_left_to_python(monkeypatch):
    """As if the machine code never knew."""
    table = TABLES["many sizes"]
    whole = text_of(table)
    write, powers = decimal_text._writer()
    calls = []

    def stops(values, first, count, columns, *more):
        calls.append(first)
        return write(values, first, min(first + first % 2, count), columns, *more)

    monkeypatch.setattr(decimal_text, "_writer", lambda: (stops, powers))
    assert text_of(table) == whole
    assert len(calls) > 1000


def test_columns_of_any_kind_are_joined():
    columns = np.arange(3), np.arange(12.0).reshape(3, 2, 2)[:, ::-1], np.zeros((3, 0)), np.float32([0.5, 1.5, 2.5])
    assert text_of(*columns) == "0,2,3,0,1,0.5\n1,6,7,4,5,1.5\n2,10,11,8,9,2.5\n"
    assert text_of(np.zeros(0)) == ""
