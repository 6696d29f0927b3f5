"""Derived results are stored with their model only; the least recently used ones are dropped."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.model.memo import KEPT, derived, exact, identity, kept


def named(model, *key):
    return [model.name, *key]


@pytest.fixture
def arm():
    return lw.load("two_link")


def test_it_is_made_once_for_every_key(arm):
    first, other = derived(arm, named), derived(arm, named, 2)
    assert first == ["two_link"]
    assert other == ["two_link", 2]
    assert derived(arm, named) is first
    assert derived(arm, named, 2) is other
    once = kept(named)
    assert once(arm, 3) is once(arm, 3)


def test_what_is_reported_by_name_is_not_dropped(arm):
    with pytest.raises(TypeError, match="named takes size as positional arguments only"):
        kept(named)(arm, size=3)


def test_none_is_a_result_too(arm):
    calls = []

    def nothing(model):
        calls.append(model)

    assert derived(arm, nothing) is derived(arm, nothing) is None
    assert len(calls) == 1


@pytest.mark.parametrize(
    "another",
    [
        lambda arm: replace(arm, gravity=np.array([0.0, 0.0, -1.0])),
        lambda arm: arm.with_gravity((0.0, 0.0, -1.0)),
        lambda arm: pickle.loads(pickle.dumps(arm)),
        copy.copy,
        copy.deepcopy,
    ],
    ids=["replace", "with_gravity", "pickle", "copy", "deepcopy"],
)
def test_another_model_shares_nothing(arm, another):
    q = arm.random(seed=0)
    expected = lw.gravity_forces(arm, q), lw.derivative(lw.gravity_forces, "q")(arm, q)
    arm.minimal()
    other = another(arm)
    assert not other.memo
    assert not other.earlier
    scale = 1.0 if np.array_equal(other.gravity, arm.gravity) else 0.0  # it hangs on vertical axes there
    assert np.allclose(lw.gravity_forces(other, q), scale * expected[0])
    assert np.allclose(lw.derivative(lw.gravity_forces, "q")(other, q), scale * expected[1])


def test_what_was_requested_last_stays_and_no_more_than_twice_as_much(arm):
    first = derived(arm, named, 0)
    for k in range(1, 5 * KEPT):
        derived(arm, named, k)
        assert derived(arm, named, 0) is first  # it is asked for again and again
        assert len(arm.memo) + len(arm.earlier) <= 2 * KEPT
    last = [derived(arm, named, k) for k in range(10 * KEPT, 11 * KEPT)]
    assert all(derived(arm, named, 10 * KEPT + k) is one for k, one in enumerate(last))
    for k in range(2 * KEPT):
        derived(arm, named, -k)
    assert derived(arm, named, 11 * KEPT - 1) is not last[-1]


def test_what_a_dead_function_gave_is_forgotten(arm):
    def passing(k):
        return lambda model: k

    function = passing(1)
    assert derived(arm, function) == 1
    dead = weakref.ref(function)
    del function
    gc.collect()
    assert dead() is None
    for k in range(20):
        assert derived(arm, passing(k)) == k  # even where a new one lies where that was
    gc.collect()
    derived(arm, named)
    assert len(arm.memo) == 1


def test_functions_are_reported_apart_by_what_they_are(arm):
    class Two:
        def one(self):
            pass

        def other(self):
            pass

        def __eq__(self, x):
            return True

    a, b = Two(), Two()
    found = [identity(f) for f in (a.one, a.one, a.other, b.one)]
    assert found[0] is found[1]
    assert len(set(found)) == 3
    assert identity(a) is identity(a)
    assert identity(a) is not identity(b)
    assert found[0].derivative("q") is found[0].derivative("q")
    assert len({found[0], found[0].derivative("q"), found[0].derivative("v"), found[2].derivative("q")}) == 4


def test_values_are_reported_apart_exactly():
    assert exact(float("nan")) == exact(float("nan"))
    assert exact(np.array([1.0, np.nan])) == exact(np.array([1.0, np.nan]))
    assert exact([1, {"a": np.zeros(2)}]) == exact([1, {"a": np.zeros(2)}])
    different = [0.0, -0.0, 0, False, None, "", (), [], {}, np.zeros(1), np.zeros((1, 1)), np.zeros(1, int), (0.0,)]
    assert len({exact(x) for x in different}) == len(different)
    for changing in (set(), np.array([object()]), [set()]):
        with pytest.raises(TypeError):
            exact(changing)
