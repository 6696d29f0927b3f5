"""Between configurations: parts of the way, distances, means, and derivatives of moving along velocities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.errors import LinkwrightError
from mechanisms import one_of_each, relative_error, state, trees

some = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def by_differences(f, n: int, h: float = 1e-5) -> np.ndarray:
    return np.stack([(f(h * e) - f(-h * e)) / (2 * h) for e in np.eye(n)], axis=1)


@some
@given(trees(), seeds, st.sampled_from([1e-9, 0.3, 4.0]))
def test_derivatives_of_integrate(model, seed, size):
    d = lw.dynamics
    q, v, _ = state(model, seed)
    v = size * v
    end = d.integrate(model, q, v)
    by_q, by_v = d.integrate_derivatives(model, q, v)
    moved_q = by_differences(
        lambda x: d.difference(model, end, d.integrate(model, d.integrate(model, q, x), v)), model.nv
    )
    moved_v = by_differences(lambda x: d.difference(model, end, d.integrate(model, q, v + x)), model.nv)
    assert relative_error(by_q, moved_q) < 1e-8
    assert relative_error(by_v, moved_v) < 1e-8


@some
@given(trees(), seeds)
def test_derivatives_of_difference(model, seed):
    d = lw.dynamics
    q0, v, _ = state(model, seed)
    q1 = d.integrate(model, q0, 0.5 * v)
    by_0, by_1 = d.difference_derivatives(model, q0, q1)
    moved_0 = by_differences(lambda x: d.difference(model, d.integrate(model, q0, x), q1), model.nv)
    moved_1 = by_differences(lambda x: d.difference(model, q0, d.integrate(model, q1, x)), model.nv)
    assert relative_error(by_0, moved_0) < 1e-8
    assert relative_error(by_1, moved_1) < 1e-8


def test_their_kernels():
    model = one_of_each(1, mimics=True)
    q, v, _ = state(model, 0)
    for name, arrays in (("integrate_derivatives", (q, v)), ("difference_derivatives", (q, model.random(seed=3)))):
        book = getattr(lw.dynamics, name)
        for x, y in zip(lw.compile(book, model)(*arrays), book(model, *arrays), strict=True):
            assert relative_error(x, y) < 1e-12


@some
@given(trees(), seeds, st.floats(0.0, 1.0))
def test_parts_of_the_way(model, seed, s):
    d = lw.dynamics
    q0, v, _ = state(model, seed)
    q1 = d.integrate(model, q0, 0.3 * v)
    way = d.difference(model, q0, q1)
    q = d.integrate(model, q0, s * way)
    assert relative_error(d.difference(model, q0, q), s * way) < 1e-9
    assert d.configuration_distance(model, q0, q1) == pytest.approx(np.linalg.norm(way))


def test_interpolation_broadcasts():
    model = one_of_each(0)
    q0, q1 = model.random(2, seed=0)
    s = np.linspace(0.0, 1.0, 5)
    q = lw.interpolate(model, q0, q1, s)
    assert q.shape == (5, model.nq)
    assert relative_error(q[0], q0) < 1e-15
    assert np.abs(lw.difference(model, q[4], q1)).max() < 1e-12
    for k in range(5):
        assert relative_error(q[k], lw.interpolate(model, q0, q1, s[k])) < 1e-12
    assert lw.configuration_distance(model, q0, q).shape == (5,)


def test_interpolation_in_functions_that_are_compiled():
    model = one_of_each(0)
    q0, q1 = model.random(2, seed=0)

    def halfway(model, q0, q1, s):
        return lw.pose(model, lw.interpolate(model, q0, q1, s), "tip"), lw.configuration_distance(model, q0, q1)

    kernel = lw.compile(halfway, model, s=())
    for x, y in zip(kernel(q0, q1, 0.3), halfway(model, q0, q1, 0.3), strict=True):
        assert relative_error(x, y) < 1e-11


def test_the_mean_is_as_near_to_all_as_can_be():
    model = one_of_each(0)
    center = model.random(seed=0)
    rng = np.random.default_rng(1)
    v = 0.4 * rng.normal(size=(6, model.nv))
    q, w = lw.integrate(model, center, v), rng.uniform(0.5, 1.0, 6)
    mean = lw.mean_configuration(model, q, w)
    assert np.abs(w @ lw.difference(model, mean, q)).max() < 1e-11
    both = lw.integrate(model, center, np.stack([v[0], -v[0]]))
    assert lw.configuration_distance(model, lw.mean_configuration(model, both), center) < 1e-11
    assert relative_error(lw.mean_configuration(model, q[:1]), q[0]) < 1e-14


def test_what_has_no_mean_is_reported():
    model = lw.load("two_link")
    for q, weights in (
        (np.zeros((0, 2)), None),
        (np.zeros(2), None),
        (np.zeros((3, 2)), [1, 1]),
        (np.zeros((1, 2)), [0]),
    ):
        with pytest.raises(LinkwrightError):
            lw.mean_configuration(model, q, weights)
