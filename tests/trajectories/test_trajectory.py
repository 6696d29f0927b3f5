"""Trajectories: what holds of every piecewise motion, on joints of every kind."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.simulation.actuation.law_controller import law_controller
from mechanisms import few_trees, one_of_each
from shortened import long_form


def pieces_of(model, seed, batch=(), n=3, degree=5, size=0.4):
    """Any polynomials, which meet where the pieces do."""
    rng = np.random.default_rng(seed)
    times = 0.3 + np.cumsum(rng.uniform(0.5, 1.0, (*batch, n + 1)), axis=-1)
    c = size * rng.normal(size=(*batch, n, degree + 1, model.nv))
    c[..., 0, :] = 0.0
    start = model.random(int(np.prod(batch, dtype=int)), seed=seed).reshape(*batch, model.nq)
    return lw.Trajectory(model, times, start, c)


@settings(max_examples=20, deadline=None)
@given(few_trees(), st.integers(0, 2**31))
def test_velocity_acceleration_and_jerk_are_the_rates(model, seed):
    """Of q by `difference`, of v and of a by plain differences, for every joint type."""
    trajectory = pieces_of(model, seed)
    t = np.random.default_rng(seed).uniform(trajectory.times[0] + 0.01, trajectory.times[-1] - 0.01)
    t = t + 1e-3 * np.any(np.abs(t - trajectory.times) < 1e-4)
    h = 1e-5
    before, at, after = (trajectory.at(x) for x in (t - h, t, t + h))
    scale = 1.0 + np.abs(at.v).max() ** 3 + np.abs(at.a).max() ** 2 + np.abs(at.jerk).max()
    rate = (lw.difference(model, at.q, after.q) - lw.difference(model, at.q, before.q)) / (2 * h)
    assert np.allclose(rate, at.v, atol=1e-7 * scale)
    assert np.allclose((after.v - before.v) / (2 * h), at.a, atol=1e-7 * scale)
    assert np.allclose((after.a - before.a) / (2 * h), at.jerk, atol=1e-6 * scale * (1.0 + scale))


@pytest.mark.parametrize("size", [1e-9, 1e-3, 3.0, 8.0])
def test_rates_hold_for_turns_of_any_size(size):
    model = one_of_each()
    trajectory = pieces_of(model, 3, n=1, size=size)
    h, t = 1e-5, trajectory.times[0] + 0.37
    before, at, after = (trajectory.at(x) for x in (t - h, t, t + h))
    scale = max(np.abs(at.a).max() ** 2, np.abs(at.jerk).max())
    assert np.allclose((after.v - before.v) / (2 * h), at.a, atol=1e-6 * scale)
    assert np.allclose((after.a - before.a) / (2 * h), at.jerk, atol=1e-6 * scale * (1.0 + scale))


def test_it_rests_before_it_begins_and_after_it_has_ended():
    model = one_of_each()
    trajectory = pieces_of(model, 1)
    begin, end = trajectory.times[[0, -1]]
    for t, q in ((begin - 1.0, trajectory.start), (end + 1.0, trajectory.end)):
        at = trajectory.at(t)
        assert np.allclose(at.q, q, atol=1e-12)
        assert not np.any([at.v, at.a, at.jerk])
    assert np.any(trajectory.at(begin).v)
    assert np.any(trajectory.at(end).v)


def test_a_batch_is_its_trajectories():
    model = one_of_each()
    many = pieces_of(model, 2, (2, 3))
    t = np.linspace(0.0, 5.0, 11)
    all_of = many.at(t)
    assert all_of.q.shape == (11, 2, 3, model.nq)
    for k in np.ndindex(2, 3):
        for x, y in zip(many[k].at(t), all_of, strict=True):
            assert np.allclose(x, y[(slice(None), *k)], rtol=1e-12, atol=1e-12)
    assert many[0].batch == (3,)
    assert many.duration.shape == (2, 3)


@pytest.mark.parametrize("n", [1, 5, 9, *long_form(2, 8)])
def test_symbols_give_what_numbers_give(n):
    model = one_of_each()
    trajectory = pieces_of(model, n, n=n)

    def sampled(model, t):
        return trajectory(t)

    kernel = lw.compile(sampled, model, t=())
    for t in [*np.linspace(0.0, trajectory.times[-1] + 0.2, 37), *trajectory.times]:
        for x, y in zip(kernel(t), trajectory(t), strict=True):
            assert np.allclose(x, y, rtol=1e-11, atol=1e-11)


def following(trajectory, **gains):
    return partial(lw.control.computed_torque, reference=trajectory, **{"stiffness": 400.0, "damping": 40.0} | gains)


def test_a_law_follows_it():
    arm = lw.load("arm7")
    trajectory = pieces_of(arm, 1, n=1, size=0.1)
    trajectory = trajectory.shifted(-trajectory.times[0])
    q0, v0, _ = trajectory(0.0)
    law = following(trajectory)
    motion = lw.simulate(arm, q0, v0, 0.9 * trajectory.duration, step=1e-3, controller=law)
    assert np.abs(motion.q - trajectory(motion.t)[0]).max() < 1e-3
    assert np.allclose(lw.compile(law, arm, t=())(0.1, q0, v0), law(arm, 0.1, q0, v0), atol=1e-8)


def test_alike_trajectories_are_one_kernel():
    arm = lw.load("arm7")
    keys = {law_controller(arm, following(pieces_of(arm, seed)), None, (), ()).effort_function.key for seed in range(3)}
    assert len(keys) == 1
    more = law_controller(arm, following(pieces_of(arm, 0, n=4, degree=3)), None, (), ()).effort_function.key
    assert more not in keys


def test_each_motion_of_a_batch_follows_its_own():
    arm = lw.load("two_link")
    many = pieces_of(arm, 5, (4,), n=1, size=0.2)
    many = lw.Trajectory(arm, many.times - many.times[:, :1], many.start, many.coefficients)
    q0, v0, _ = many(0.0)
    motions = lw.simulate(arm, q0, v0, 0.5, controller=following(many), actuation=lw.Actuation(each=["reference"]))
    assert np.abs(motions.q - many(motions.t)[0]).max() < 2e-3
    with pytest.raises(LinkwrightError, match=r"batch \(4,\).*each=\['reference'\]"):
        lw.simulate(arm, q0, v0, 0.1, controller=following(many))


def test_backwards_slower_later_and_one_after_the_other():
    model = one_of_each()
    one = pieces_of(model, 7)
    begin, end = one.times[[0, -1]]
    t = np.linspace(begin, end, 13)
    here, back = one.at(t), one.reversed().at(begin + end - t)
    for sign, x, y in zip((1.0, -1.0, 1.0, -1.0), here, back, strict=True):
        assert np.allclose(x, sign * y, atol=1e-9)
    slow = one.retimed(2.0 * one.duration).at(begin + 2.0 * (t - begin))
    for k, (x, y) in enumerate(zip(here, slow, strict=True)):
        assert np.allclose(x, 2.0**k * y, atol=1e-9)
    assert np.allclose(one.shifted(2.0).at(t + 2.0).v, here.v)
    both = one.then(one.reversed().shifted(5.0))
    assert both.duration == pytest.approx(2.0 * one.duration)
    assert np.allclose(both.at(end + (end - t)).q, here.q, atol=1e-9)


def test_what_is_saved_is_loaded(tmp_path):
    model = one_of_each()
    one = pieces_of(model, 3)
    one.limits["velocity"] = np.ones(model.nv)
    again = lw.Trajectory.load(one.save(tmp_path / "a.npz"), model)
    assert np.array_equal(again.coefficients, one.coefficients)
    assert np.array_equal(again.limits["velocity"], np.ones(model.nv))
    with pytest.raises(LinkwrightError, match="is a trajectory of the coordinates"):
        lw.Trajectory.load(tmp_path / "a.npz", lw.load("arm7"))
    table = np.loadtxt(one.save(tmp_path / "a.csv", 0.1), delimiter=",", skiprows=1)
    t, q, v, a = one.sample(0.1)
    assert np.array_equal(table, np.column_stack([t, q, v, a]))
    assert t[-1] == one.times[-1]
    (tmp_path / "b.npz").write_bytes(b"none")
    with pytest.raises(LinkwrightError, match="no trajectory"):
        lw.Trajectory.load(tmp_path / "b.npz", model)


def test_it_is_drawn_with_its_limits(tmp_path):
    arm = lw.load("arm7")
    figure = pieces_of(arm, 1).plot(tmp_path / "a.png")
    assert len(figure.axes) == 4
    assert "planned" in figure.get_suptitle()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(times=[0.0, 1.0]), r"times has shape \(2,\); expected \(3,\)"),
        (dict(times=[0.0, 1.0, 0.9]), "times do not decrease"),
        (dict(times=[0.0, np.nan, 1.0]), r"times is not finite: nan at \[1\]"),
        (dict(coefficients=np.zeros((2, 4, 3))), r"expected \(…, pieces, degree \+ 1, 2\)"),
        (dict(coefficients=np.zeros((4, 2))), r"expected \(…, pieces, degree \+ 1, 2\)"),
        (dict(q=[0.0, 0.0, 0.0]), r"q has shape \(3,\); expected \(2,\)"),
        (dict(q=[[0.0, 0.0], [1.0, 0.0]]), "piece 0 ends 1 .* from where the next begins"),
        (dict(limits={"speed": 1.0}), "limits are of velocity, acceleration, jerk; got 'speed'"),
    ],
)
def test_what_is_no_trajectory_is_refused(change, message):
    right = dict(times=[0.0, 1.0, 2.0], q=[0.0, 0.0], coefficients=np.zeros((2, 4, 2)))
    with pytest.raises(LinkwrightError, match=message):
        lw.Trajectory(lw.load("two_link"), **right | change)


@pytest.mark.parametrize("limit", [np.nan, -1.0, 0.0])
def test_a_file_with_limits_that_are_none_is_refused(limit, tmp_path):
    arm = lw.load("two_link")
    plan = lw.trajectories.s_curve(arm, [0, 0], [1, 1], velocity=1.0, acceleration=4.0, jerk=30.0)
    arrays = dict(np.load(plan.save(tmp_path / "plan.npz")))
    arrays["limit_velocity"] = np.array([1.0, limit])
    np.savez(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(lw.errors.FormatError, match="limits are positive numbers; limit_velocity"):
        lw.Trajectory.load(tmp_path / "wrong.npz", arm)
