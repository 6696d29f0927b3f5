"""Single numbers that are checked: by one function for each kind of bound."""

from __future__ import annotations

import re

import numpy as np
import pytest

from linkwright.bounds import at_least, between, finite_number, not_negative, positive, truth, whole_number
from linkwright.errors import ArgumentError, InputError

NO_NUMBERS = [True, "1", None, [1.0], np.ones(1), 1j, np.complex128(1.0), np.nan, np.inf, -np.inf]


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (lambda x: whole_number("n", x, 1, 5), [1, 5, np.int64(3), np.array(4)], [0, 6, 2.0]),
        (lambda x: whole_number("n", x, 0), [0, 10**30], [-1, 0.0]),
        (lambda x: whole_number("n", x), [-7], [1.5]),
        (lambda x: finite_number("x", x), [-1.0, 0, np.float32(2.5)], [10**400]),
        (lambda x: positive("x", x, "m"), [1e-300, 3, np.array(0.5)], [0.0, -0.0, -1]),
        (lambda x: not_negative("x", x), [0, -0.0, 2.0], [-1e-300]),
        (lambda x: at_least("x", x, 0.5), [0.5, 2], [0.0, 0.4999]),
        (lambda x: between("x", x, 0.0, 1.0), [0.0, 1, 0.5], [-1e-9, 1.1]),
    ],
)
def test_numbers_within_bounds_are_returned_and_others_refused(check, right, wrong):
    for x in right:
        assert check(x) == x
        assert type(check(x)) in (int, float)
    for x in [*wrong, *NO_NUMBERS]:
        with pytest.raises(InputError, match=re.escape(f"; got {x!r}")):
            check(x)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: whole_number("steps", 0, 1), "steps is a whole number from 1 on; got 0"),
        (lambda: whole_number("a port", "x", 1, 9), "a port is a whole number from 1 to 9; got 'x'"),
        (lambda: positive("step", -1.0, "s"), "step is a positive number (s); got -1.0"),
        (lambda: not_negative("delay", None), "delay is a number from 0 on; got None"),
        (lambda: between("angle", 2, 0.0, 0.01, "rad"), "angle is a number from 0 to 0.01 (rad); got 2"),
    ],
)
def test_messages_say_what_is_expected(check, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        check()


def test_truth_is_true_or_false():
    assert truth("check", True) is True
    assert truth("check", np.bool_(False)) is False
    for x in (1, 0.0, "yes", None, np.ones(1, bool)):
        with pytest.raises(ArgumentError, match=re.escape(f"check is True or False; got {x!r}")):
            truth("check", x)
