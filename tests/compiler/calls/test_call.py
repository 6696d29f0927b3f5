"""Calls from Python: what goes straight to machine code, what goes through NumPy, and that they are the same."""

from __future__ import annotations

import gc
import inspect
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.compiler.native import cache
from linkwright.compiler.native.layout import supported
from linkwright.errors import ArgumentError, LinkwrightError, ShapeError

pytestmark = pytest.mark.usefixtures("optimized")  # code as users have it

needs_entry = pytest.mark.skipif(not supported(), reason="this Python's objects are entered through NumPy")


# what machine code takes itself


@needs_entry
def test_plain_rows_go_straight_to_machine_code(kernel, rows, slow_calls):
    out = np.empty(2)
    made = kernel.prepare()(*rows)
    assert kernel(*rows, out=out) is out
    assert slow_calls == []
    assert all((made.flags.owndata, made.flags.c_contiguous, made.flags.writeable, made.dtype == np.float64))
    assert made.tobytes() == out.tobytes()


@needs_entry
def test_several_results(several, slow_calls):
    A, x = np.arange(6.0).reshape(2, 3), np.array([1.0, -2.0, 3.0])
    y, s, D = several.prepare()(A, x)
    given = (np.empty(2), np.empty(()), np.empty((2, 3)))
    assert several(A, x, out=given) is given
    assert slow_calls == []
    assert type(s) is np.float64
    assert np.array_equal(y, A @ x)
    assert s == 14.0
    assert np.array_equal(D, 2 * A)
    for a, b in zip((y, s, D), given, strict=True):
        assert np.array_equal(a, b)


@needs_entry
def test_numbers(slow_calls):
    kernel = lw.compile(lambda x: 3.0 * x + 1.0, x=()).prepare()
    assert kernel(np.array(2.0)) == 7.0
    assert slow_calls == []
    assert type(kernel(np.array(2.0))) is np.float64
    assert kernel(2.0) == kernel(np.float64(2.0)) == 7.0
    assert slow_calls == []
    assert kernel(2) == kernel(np.float32(2)) == 7.0
    assert len(slow_calls) == 2
    assert kernel([1.0, 2.0]).tolist() == [4.0, 7.0]


@needs_entry
def test_a_number_beside_arrays(slow_calls):
    kernel = lw.compile(lambda x, gain: (gain * x, gain + x[0]), x=2, gain=()).prepare()
    x = np.array([1.0, 2.0])
    batch = np.array([x, 3.0 * x])
    kernel(batch, 1.0)  # the way for batches is open from now on
    slow_calls.clear()
    scaled, moved = kernel(x, 2.5)
    assert np.array_equal(scaled, 2.5 * x)
    assert moved == 3.5
    many, numbers = kernel(batch, 2.5)
    assert np.array_equal(many, 2.5 * batch)
    assert np.array_equal(numbers, [3.5, 5.5])
    assert np.array_equal(kernel(batch, np.array([2.0, -1.0]))[0], [2.0 * x, -3.0 * x])
    assert slow_calls == []
    with pytest.raises(ArgumentError, match=r"gain must be an array of real numbers"):
        kernel(x, "2.5")


@needs_entry
def test_batches_go_straight_to_machine_code(kernel, slow_calls):
    q, v, a = np.random.default_rng(1).standard_normal((3, 37, 2))
    expected = kernel._native.batches(q, v, a)
    kernel(q, v, a)
    slow_calls.clear()
    made, out = kernel(q, v, a), np.empty((37, 2))
    assert kernel(q, v, a, out=out) is out
    wide = np.zeros((37, 5))
    kernel(q, v, a, out=wide[:, 1:3])
    turned = kernel(q[::-1], v[::-1], a[::-1])
    whole = np.hstack([q, v, a])
    parts = kernel(whole[:, :2], whole[:, 2:4], whole[:, 4:])
    assert slow_calls == []
    assert all((made.flags.owndata, made.flags.c_contiguous, made.flags.writeable, made.dtype == np.float64))
    for result in (made, out, wide[:, 1:3], turned[::-1], parts):
        assert np.array_equal(result, expected)
    assert not wide[:, [0, 3, 4]].any()
    shared = kernel(q[0], v, a[0])
    assert slow_calls == []
    assert np.array_equal(shared, kernel._native.batches(q[0], v, a[0]))
    assert np.array_equal(kernel(q[:1], v[:1], a[:1])[0], kernel(q[0], v[0], a[0]))


@needs_entry
def test_batches_of_several_results(several, slow_calls):
    random = np.random.default_rng(2)
    A, x = random.standard_normal((9, 2, 3)), random.standard_normal((9, 3))
    expected = several(A, x)
    slow_calls.clear()
    made, given = several(A, x), (np.empty((9, 2)), np.empty(9), np.empty((9, 2, 3)))
    assert several(A, x, out=given) is given
    assert slow_calls == []
    for one, two, three in zip(expected, made, given, strict=True):
        assert one.shape == two.shape
        assert np.array_equal(one, two)
        assert np.array_equal(one, three)


@needs_entry
def test_what_is_no_plain_batch_goes_through_numpy(kernel, slow_calls):
    """Each of these would be wrong if machine code read it as it reads plain rows."""
    q, v, a = np.random.default_rng(1).standard_normal((3, 6, 2))
    expected = kernel(q, v, a)
    readonly = np.empty((6, 2))
    readonly.flags.writeable = False
    slow_calls.clear()
    several = np.stack([q, q])
    results = [
        kernel(q[:, ::-1][:, ::-1].astype(">f8"), v, a),
        kernel(np.asfortranarray(q), v, a),
        kernel(q.tolist(), v, a),
        kernel(several, v, a)[1],
        kernel(q[:, None], v[:, None], a[:, None])[:, 0],
        kernel(q, v, a=a),
    ]
    assert len(slow_calls) == len(results)
    for result in results:
        assert np.array_equal(result, expected)
    with pytest.raises(ArgumentError, match="read-only"):
        kernel(q, v, a, out=readonly)
    for wrong in (q[:5], q[:, :1], np.empty((6, 3))):
        with pytest.raises(ShapeError):
            kernel(wrong, v, a)
        with pytest.raises(ShapeError):
            kernel(q, v, a, out=wrong)
    assert kernel(q[:0], v[:0], a[:0]).shape == (0, 2)
    assert np.array_equal(kernel(q[:1], v, a), kernel(q[0], v, a))


@needs_entry
@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
def test_results_may_lie_where_the_arguments_of_a_batch_do(kernel, shift):
    """NumPy copies what one row would write before another reads it."""
    v, a = np.random.default_rng(1).standard_normal((2, 40, 2))
    memory = np.random.default_rng(2).standard_normal((44, 2))
    q = memory[2:42]
    expected = kernel(q.copy(), v, a)
    assert np.array_equal(kernel(q, v, a, out=memory[2 + shift : 42 + shift]), expected)


@needs_entry
def test_long_batches_leave_python_to_others(kernel, slow_calls):
    """Calls longer than a few tenths of a millisecond go through NumPy, which lets other threads run."""
    rows = 300_000
    q = np.zeros((rows, 2))
    kernel(q[:4], q[:4], q[:4])
    slow_calls.clear()
    kernel(q, q, q)
    assert len(slow_calls) == 1


@needs_entry
def test_what_machine_code_reads_is_still_there(kernel, rows):
    """Views into memory of which nothing else is left."""
    expected = kernel(*rows)
    whole = np.array(rows)
    views = [whole[k] for k in range(3)]
    del whole
    gc.collect()
    assert np.array_equal(kernel(*views), expected)
    made = kernel(*(np.array(x) for x in rows))
    gc.collect()
    assert np.array_equal(made, expected)


@needs_entry
def test_machine_code_is_made_when_it_is_needed(slow_calls):
    """A first row makes code for rows, a first batch for batches; angles that lanes leave aside take the former."""

    def codes(kernel):
        return set(kernel._native._codes)

    x = np.array([0.5, 2e15, -1.0])
    rows = lw.compile(lambda x: np.sin(x) * x, x=())
    assert codes(rows) == set()
    one = rows(x[0])
    assert codes(rows) == {"row"}
    before = len(slow_calls)
    assert rows(np.array(x[0])) == one
    assert len(slow_calls) == before
    batches = lw.compile(lambda x: np.sin(x) * x, x=())
    near = batches(x[[0, 2]])
    assert codes(batches) == {"batches"}
    far = batches(x)
    assert codes(batches) == {"row", "batches"}
    assert np.array_equal(far, [rows(each) for each in x])
    assert np.array_equal(near, far[[0, 2]])


def test_why_a_row_could_not_be_made_is_raised(monkeypatch):
    kernel = lw.compile(lambda x: np.sin(x), x=())
    kernel(np.zeros(3))

    def full(*arguments, **options):
        raise MemoryError("no room")

    monkeypatch.setattr(cache, "code", full)
    with pytest.raises(MemoryError, match="no room"):
        kernel(np.array([1e15, 0.0]))
    monkeypatch.undo()
    assert np.array_equal(kernel(np.array([1e15, 0.0])), np.sin([1e15, 0.0]))


# what goes through NumPy: the same results


class Derived(np.ndarray):
    pass


def strided(x):
    wide = np.full(5, np.nan)
    wide[::2][:2] = x
    return wide[::2][:2]


OTHER_FORMS = {
    "list": list,
    "tuple": tuple,
    "strided": strided,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "unaligned": lambda x: np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view(np.float64),
    "class derived from arrays": lambda x: x.view(Derived),
    "masked": np.ma.array,
    "another copy of the dtype": lambda x: pickle.loads(pickle.dumps(x)),
    "batch of one": lambda x: x[None],
    "long double": lambda x: x.astype(np.longdouble),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
@pytest.mark.parametrize("place", range(3))
def test_other_forms_give_the_same(kernel, rows, form, place):
    expected = kernel(*rows)
    given = [OTHER_FORMS[form](x) if k == place else x for k, x in enumerate(rows)]
    if form == "long double" and np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(ArgumentError):  # as NumPy: digits are not dropped unasked
            kernel(*given)
        return
    assert np.asarray(kernel(*given)).reshape(2).tobytes() == expected.tobytes()


def test_masked_entries_have_no_value(kernel, rows):
    masked = np.ma.array(rows[0], mask=[True, False])
    with pytest.raises(ArgumentError, match=r"q is a masked array, and 1 of its entries .*: give q\.filled\(value\)"):
        kernel(masked, *rows[1:])
    unmasked = kernel(np.ma.array(rows[0], mask=[False, False]), *rows[1:])
    assert type(unmasked) is np.ndarray


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, bool])
def test_other_numbers_are_converted(kernel, dtype):
    q = np.array([1, 0], dtype)
    assert np.array_equal(kernel(q, q, q), kernel(*[q.astype(float)] * 3))


def test_an_empty_batch(kernel):
    assert kernel(*np.empty((3, 0, 2))).shape == (0, 2)


@settings(max_examples=60, deadline=None)
@given(
    leads=st.lists(st.sampled_from([(), (1,), (3,), (4, 1), (4, 3), (2, 4, 3)]), min_size=3, max_size=3),
    transposed=st.booleans(),
    steps=st.lists(st.sampled_from([1, 2, -1, -3]), min_size=3, max_size=3),
    seed=st.integers(0, 99),
)
def test_rows_of_any_batch_are_single_rows_bit_for_bit(kernel, leads, transposed, steps, seed):
    random = np.random.default_rng(seed)
    arrays = []
    for lead, step in zip(leads, steps, strict=True):
        x = random.standard_normal((*lead, 2 * abs(step)))[..., ::step]
        arrays.append(np.asfortranarray(x) if transposed else x)
    results = kernel(*arrays)
    batch = np.broadcast_shapes(*leads)
    assert results.shape == (*batch, 2)
    out = np.empty((*batch, 4))[..., ::2]
    assert kernel(*arrays, out=out) is out
    each = [np.broadcast_to(x, (*batch, 2)) for x in arrays]
    for i in np.ndindex(*batch):
        alone = kernel(*(x[i].copy() for x in each))
        assert results[i].tobytes() == out[i].tobytes() == alone.tobytes()


# out=


@pytest.mark.parametrize("place", range(3))
def test_the_result_may_replace_an_argument(kernel, rows, place):
    expected = kernel(*rows)
    given = [x.copy() for x in rows]
    kernel(*given, out=given[place])
    assert given[place].tobytes() == expected.tobytes()


def test_results_overlapping_arguments(kernel, rows):
    expected = kernel(*rows)
    for shift in (0, 1, 2):
        memory = np.zeros(8)
        q, out = memory[2:4], memory[2 + shift : 4 + shift]
        q[:] = rows[0]
        kernel(q, rows[1], rows[2], out=out)
        assert out.tobytes() == expected.tobytes()


def test_results_that_cannot_be_written(kernel, rows):
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    with pytest.raises(LinkwrightError):
        kernel(*rows, out=frozen)
    assert np.array_equal(frozen, [0, 0])


@pytest.mark.parametrize(
    "out",
    [np.zeros(3), np.zeros((2, 1)), [0.0, 0.0], (np.zeros(2), np.zeros(2)), (), "x", np.zeros(())],
    ids=range(7),
)
def test_results_of_the_wrong_form(kernel, rows, out):
    with pytest.raises(LinkwrightError):
        kernel(*rows, out=out)


def test_out_in_other_forms(kernel, rows):
    expected = kernel(*rows)
    for out in (np.empty(4)[::2], np.empty(2, ">f8"), np.empty(2, np.longdouble), np.empty(2).view(Derived)):
        kernel(*rows, out=out)
        assert np.array_equal(out, expected)
    out = np.empty(2)
    kernel(*rows, out=(out,))
    assert np.array_equal(out, expected)
    assert np.array_equal(kernel(*rows, out=None), expected)


def test_several_results_of_the_wrong_form(several):
    A, x = np.ones((2, 3)), np.ones(3)
    for out in (np.empty(2), (np.empty(2),), [np.empty(2), np.empty(()), np.empty((2, 3))], (None, 1, "x")):
        with pytest.raises(LinkwrightError):
            several(A, x, out=out)


# mistakes


def test_mistakes_are_explained(kernel, rows):
    q, v, a = rows
    with pytest.raises(ArgumentError, match="takes 3 arrays"):
        kernel(q, v)
    with pytest.raises(ArgumentError, match="takes 3 arrays"):
        kernel()
    with pytest.raises(ArgumentError, match="takes 3 arrays"):
        kernel(q, v, a, a)
    with pytest.raises(ShapeError, match="v has shape"):
        kernel(q, np.ones(3), a)
    with pytest.raises(ShapeError, match="do not broadcast"):
        kernel(np.ones((3, 2)), np.ones((4, 2)), a)
    with pytest.raises(ArgumentError, match="real numbers"):
        kernel(q + 1j, v, a)
    with pytest.raises(TypeError):
        kernel(q, v, a, into=a)
    with pytest.raises(TypeError):
        kernel(q, v, a, out=a, other=a)
    with pytest.raises(TypeError):
        kernel(q, v, a, a=a)


@pytest.mark.parametrize("thing", [None, "text", object(), {}, 1.5, float, len], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("place", range(3))
def test_things_that_are_no_arrays(kernel, rows, thing, place):
    with pytest.raises(LinkwrightError):
        kernel(*(thing if k == place else x for k, x in enumerate(rows)))


def test_values_that_are_not_finite_pass_without_warnings(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (np.nan, np.inf, -np.inf, 1e308):
            for shape in ((2,), (3, 2), (50, 2)):
                kernel(*[np.full(shape, x)] * 3)


# by name


def test_arrays_may_be_given_by_name(kernel, rows):
    q, v, a = rows
    expected, out = kernel(q, v, a), np.empty(2)
    assert kernel(q, a=a, v=v).tobytes() == kernel(q=q, v=v, a=a).tobytes() == expected.tobytes()
    assert kernel(q, v, a=a, out=out) is out
    assert out.tobytes() == expected.tobytes()
    assert kernel(a=a, v=v, q=[q] * 3).shape == (3, 2)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"foo": 1}, r"inverse_dynamics has no argument 'foo'; it has q, v, a, out"),
        ({"q": 1}, "q is given twice"),
        ({}, r"takes 3 arrays \(q .*; got 2"),
        ({"out": None}, r"takes 3 arrays \(q .*; got 2"),
    ],
)
def test_mistakes_with_names_are_explained(kernel, rows, named, message):
    with pytest.raises(ArgumentError, match=message):
        kernel(*rows[:2], **named)
    with pytest.raises(ArgumentError, match="takes q, v, a; v, a is not given"):
        kernel(q=rows[0])


def test_signatures_are_what_is_taken(arm, rows):
    wrench = np.arange(6.0)
    kernel = lw.compile(lw.inverse_dynamics, arm, wrenches=["tip"])
    assert str(inspect.signature(kernel)) == "(q, v, a, wrench_tip, *, out=None)"
    bound = inspect.signature(kernel).bind(*rows, wrench_tip=wrench)
    assert np.array_equal(kernel(*bound.args, **bound.kwargs), kernel(*rows, wrench))
    clashing = lw.compile(lambda out, x: out + 2.0 * x, out=2, x=2)
    assert str(inspect.signature(clashing)) == "(out_, x, *, out=None)"
    assert np.array_equal(clashing(out_=rows[0], x=rows[1]), rows[0] + 2.0 * rows[1])
    assert [*inspect.signature(lw.Kernel).parameters] == ["program", "model", "tune"]
    for wrong in ((3,), (kernel.program, 3)):
        with pytest.raises(ArgumentError, match="got 3"):
            lw.Kernel(*wrong)
