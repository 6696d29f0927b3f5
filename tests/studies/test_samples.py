"""Parameters of studies: row k is the same for every request, and numbers have the given distribution."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.studies import samples

SPREAD = {"a": samples.uniform(-1.0, 3.0), "b": samples.log_uniform(0.1, 10.0), "c": samples.normal(2.0, 0.5)}

ALL = {
    "grid": samples.grid(a=[1.0, 2.0, 3.0], q=np.arange(8.0).reshape(4, 2), c=np.arange(9)),
    "table": samples.table(a=np.arange(100.0), q=np.arange(300.0).reshape(100, 3)),
    "random": samples.random(
        100_003, 5, q=samples.normal(np.zeros((2, 3)), 1.0), k=samples.choice([1, 5, 7]), **SPREAD
    ),
    "sobol": samples.sobol(1000, 5, q=samples.uniform(np.zeros(3), 1.0), **SPREAD),
    "plain sobol": samples.sobol(64, scramble=False, **SPREAD),
    "saltelli": samples.saltelli(64, 5, **SPREAD),
}


@pytest.mark.parametrize("kind", ALL)
def test_rows_are_the_same_however_they_are_requested(kind):
    some, draw = ALL[kind], np.random.default_rng(1)
    whole = some.at(0, some.rows)
    assert {name: x.shape for name, x in whole.items()} == {n: (some.rows, *s) for n, s in some.shapes.items()}
    for _ in range(12):
        first, last = np.sort(draw.integers(0, some.rows + 1, 2))
        for name, x in some.at(int(first), int(last)).items():
            np.testing.assert_array_equal(x, whole[name][first:last])


def test_a_parameter_is_drawn_alike_whatever_comes_after_it():
    alone = samples.random(10, 3, a=SPREAD["a"]).at(0, 10)
    with_others = samples.random(1000, 3, a=SPREAD["a"], b=SPREAD["b"]).at(0, 10)
    np.testing.assert_array_equal(alone["a"], with_others["a"])


def test_seeds_and_names_differ():
    u = samples.uniform(0.0, 1.0)
    one, other = samples.random(1000, 1, a=u, b=u).at(0, 1000), samples.random(1000, 2, a=u, b=u).at(0, 1000)
    for x, y in ((one["a"], one["b"]), (one["a"], other["a"]), (one["b"], other["b"])):
        assert abs(np.corrcoef(x, y)[0, 1]) < 0.15


@pytest.mark.parametrize("kind", ["random", "sobol", "saltelli"])
def test_numbers_are_spread_as_given(kind):
    rows = ALL[kind].at(0, ALL[kind].rows) if kind != "saltelli" else samples.saltelli(1024, **SPREAD).at(0, 5120)
    laws = {
        "a": scipy.stats.uniform(-1.0, 4.0),
        "b": scipy.stats.loguniform(0.1, 10.0),
        "c": scipy.stats.norm(2.0, 0.5),
    }
    for name, law in laws.items():
        assert scipy.stats.ks_1samp(rows[name][::5], law.cdf).pvalue > 1e-4, name
    if kind == "random":
        assert scipy.stats.chisquare([np.sum(rows["k"] == k) for k in (1, 5, 7)]).pvalue > 1e-4
        assert abs(rows["q"].mean(0)).max() < 0.02


def test_far_rows_are_drawn_at_once():
    far = samples.random(10**12, 0, a=SPREAD["a"])
    first, second = far.at(10**12 - 10, 10**12), far.at(10**12 - 4, 10**12)
    np.testing.assert_array_equal(first["a"][6:], second["a"])


def test_a_grid_has_every_combination_the_last_name_fastest():
    rows = samples.grid(a=[1, 2], b=[5.0, 6.0, 7.0]).at(0, 6)
    assert rows["a"].tolist() == [1, 1, 1, 2, 2, 2]
    assert rows["b"].tolist() == [5, 6, 7, 5, 6, 7]


def test_saltelli_has_one_column_of_the_other_point_at_a_time():
    x = np.stack([*samples.saltelli(8, a=SPREAD["a"], b=SPREAD["a"]).at(0, 32).values()], axis=1).reshape(8, 4, 2)
    a, b = x[:, 0], x[:, 3]
    np.testing.assert_array_equal(x[:, 1], np.stack([b[:, 0], a[:, 1]], axis=1))
    np.testing.assert_array_equal(x[:, 2], np.stack([a[:, 0], b[:, 1]], axis=1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: samples.table(a=[1, 2, 3], b=[1, 2]), ShapeError, "a 3, b 2"),
        (lambda: samples.table(), ArgumentError, "at least one parameter"),
        (lambda: samples.grid(a=[]), ShapeError, "at least one row"),
        (lambda: samples.random(0, a=SPREAD["a"]), InputError, "rows is a whole number"),
        (lambda: samples.random(10.0, a=SPREAD["a"]), InputError, "10.0"),
        (lambda: samples.random(10, -1, a=SPREAD["a"]), InputError, "seed"),
        (lambda: samples.uniform(2.0, 1.0), InputError, "low may not be above high"),
        (lambda: samples.uniform([1.0, 2.0], [3.0, 4.0, 5.0]), ShapeError, "do not broadcast"),
        (lambda: samples.uniform(0.0, np.inf), InputError, "finite"),
        (lambda: samples.log_uniform(0.0, 1.0), InputError, "0 < low"),
        (lambda: samples.normal(0.0, -1.0), InputError, "not negative"),
        (lambda: samples.choice([]), InputError, "list of finite numbers"),
        (lambda: samples.saltelli(8, a=samples.uniform(np.zeros(2), 1.0)), ShapeError, "'a'"),
        (lambda: samples.grid(a=np.zeros(2**27), b=np.zeros(2**27)), InputError, "more than can be counted"),
    ],
)
def test_what_is_wrong_is_reported(make, error, message):
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize("scramble", [True, False])
def test_sobol_points_are_those_of_scipy_wherever_they_are_requested(scramble):
    from scipy.stats import qmc

    known = qmc.Sobol(3, scramble=scramble, rng=5 if scramble else None, bits=32).random(2**15)
    here = samples.sobol(2**15, 5, scramble=scramble, x=samples.uniform(np.zeros(3), 1.0))
    for first, last in ((0, 2**15), (0, 1), (5, 5), (4095, 4097), (100, 20000), (32767, 32768)):
        np.testing.assert_array_equal(here.at(first, last)["x"], known[first:last])


def test_sobol_points_far_away_take_no_long_way_twice():
    import time

    far = samples.sobol(2**27, 5, x=samples.uniform(0.0, 1.0))
    far.at(2**27 - 1, 2**27)
    began = time.process_time()
    assert far.at(2**27 - 2000, 2**27)["x"].shape == (2000,)
    assert time.process_time() - began < 0.05  # the generator takes ten times as long


def test_more_points_than_sobols_sequence_has_are_refused():
    with pytest.raises(InputError, match="2³² points"):
        samples.sobol(2**32 + 1, x=samples.uniform(0.0, 1.0))
