"""Calls of public functions: from machine code for arrays, from Python for everything else, with the same results."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import sys
import weakref

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native.layout import supported
from linkwright.compiler.native.public_call import PublicFunction
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, LinkwrightError, ShapeError

pytestmark = pytest.mark.skipif(not supported(), reason="this Python's objects are entered through NumPy")


@pytest.fixture(scope="module")
def arm():
    return lw.load("two_link")


@pytest.fixture
def rows():
    return tuple(np.random.default_rng(0).standard_normal((3, 2)))


@pytest.fixture
def counted():
    """Of an algorithm, a public function and the calls that machine code handed on to its function in Python."""
    kept = []

    def made(book):
        function, calls = public(book), []
        assert isinstance(function, PublicFunction)

        def from_python(*arguments, **named):
            calls.append((arguments, named))
            return function.__wrapped__(*arguments, **named)

        kept.append((function, from_python))
        function._table.from_python = id(from_python)
        return function, calls

    return made


def test_arrays_of_a_model_with_a_kernel_need_no_python(arm, rows, counted):
    function, calls = counted(lw.inverse_dynamics.book)
    expected = function(arm, *rows)
    calls.clear()
    many = np.tile(rows[0], (5, 1))
    np.testing.assert_array_equal(function(arm, *rows), expected)
    np.testing.assert_array_equal(function(arm, many, *rows[1:]), np.tile(expected, (5, 1)))
    assert not calls


def test_everything_else_is_called_from_python(arm, rows, counted):
    function, calls = counted(lw.inverse_dynamics.book)
    q, v, a = rows
    expected = function(arm, q, v, a)
    other = lw.load("two_link")
    for given, named in (
        ((arm, list(q), v, a), {}),
        ((arm, q, v), {"a": a}),
        ((other, q, v, a), {}),  # it has no kernel yet
    ):
        calls.clear()
        np.testing.assert_array_equal(function(*given, **named), expected)
        assert len(calls) == 1
    other.memo.clear()
    np.testing.assert_array_equal(function(other, q, v, a), expected)
    symbols = function(arm, lw.symbols("q", 2), v, a)
    assert symbols.dtype == object


def test_options_are_part_of_the_key(arm, rows, counted):
    function, calls = counted(lw.jacobian.book)
    q, book = rows[0], lw.jacobian.book
    for given, named in (
        (("tip",), {}),
        ((), {"frame": "tip"}),
        (("tip", "body"), {}),
        (("tip",), {"reference_frame": "body"}),
        (("tip",), {"relative_to": "link1", "reference_frame": "world"}),
    ):
        expected = book(arm, q, *given, **named)
        function(arm, q, *given, **named)  # compiled
        calls.clear()
        np.testing.assert_allclose(function(arm, q, *given, **named), expected, atol=1e-14)
        assert not calls
    defaults, calls = counted(lw.inverse_dynamics.book)
    expected = defaults(arm, *rows)
    calls.clear()
    np.testing.assert_array_equal(defaults(arm, *rows, None, actuated=None), expected)
    assert not calls
    frames, calls = counted(lw.pose.book)
    for _ in range(2):
        assert frames(arm, q, ["tip", "world"]).shape == (2, 4, 4)  # a list has no hash
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda arm, q, v, a: (arm, q[:1], v, a), ShapeError),
        (lambda arm, q, v, a: (arm, q, v), ArgumentError),
        (lambda arm, q, v, a: (arm, q, v, a, None, None, 1), ArgumentError),
        (lambda arm, q, v, a: (3, q, v, a), ArgumentError),
        (lambda arm, q, v, a: (arm, q, v, a + 1j), ArgumentError),
        (lambda arm, q, v, a: (arm, q, v, np.array(["x", "y"])), ArgumentError),
        (lambda arm, q, v, a: (), ArgumentError),
    ],
)
def test_wrong_calls_raise_our_errors(arm, rows, change, error):
    lw.inverse_dynamics(arm, *rows)
    with pytest.raises(error, match="inverse_dynamics"):
        lw.inverse_dynamics(*change(arm, *rows))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), {}),
        (("tip", "body", "world", "more"), {}),
        (("tip",), {"frames": "tip"}),
        (("nowhere",), {}),
        (("tip", "nothing"), {}),
        ((np.zeros(2),), {}),
    ],
)
def test_wrong_options_raise_our_errors(arm, rows, arguments, options):
    lw.jacobian(arm, rows[0], "tip")
    with pytest.raises(LinkwrightError):
        lw.jacobian(arm, rows[0], *arguments, **options)


def test_nothing_is_leaked(arm, rows):
    function = lw.inverse_dynamics
    function(arm, *rows)
    lw.jacobian(arm, rows[0], "tip", reference_frame="body")
    objects = (arm, arm.memo, rows[0], function, function.__wrapped__, lw.jacobian._objects)
    before = [sys.getrefcount(x) for x in objects]
    for _ in range(100):
        function(arm, *rows)
        function(arm, list(rows[0]), *rows[1:])
        lw.jacobian(arm, rows[0], "tip", reference_frame="body")
        with pytest.raises(ShapeError):
            function(arm, rows[0][:1], *rows[1:])
    assert [sys.getrefcount(x) for x in objects] == before
    own = public(function.book)
    own(arm, *rows)
    left = weakref.ref(own)
    del own
    gc.collect()
    assert left() is None


def test_they_are_functions_for_tools():
    function = lw.mass_matrix
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert inspect.isroutine(function)
    assert function.__name__ == "mass_matrix"
    assert next(iter(inspect.signature(function).parameters)) == "model"
    assert lw.compile(function, lw.load("two_link")).program.name == "mass_matrix"
    kept = type("Kept", (), {"matrix": function})()
    with pytest.raises(ArgumentError, match="Model"):  # bound like a function: the object is the first argument
        kept.matrix(np.zeros(2))
