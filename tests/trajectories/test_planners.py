"""Planners from state to state: ends are met, limits kept, times the least there are."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ShapeError
from linkwright.trajectories.joint_space.extremes import VelocityChange, durations, length, longest
from linkwright.trajectories.joint_space.least_time import kernels
from mechanisms import few_trees, one_of_each

plans = lw.trajectories


def ends_of(model, seed, batch=(), size=1.0):
    rng = np.random.default_rng(seed)
    q = model.random(2 * int(np.prod(batch, dtype=int)), seed=seed).reshape(2, *batch, model.nq)
    return q, [size * rng.uniform(-1.0, 1.0, (2, *batch, model.nv)) for _ in range(3)]


@settings(max_examples=15, deadline=None)
@given(few_trees(), st.integers(0, 2**31), st.sampled_from([3, 5, 7]))
def test_polynomials_meet_their_ends_on_every_joint(model, seed, degree):
    (start, end), rates = ends_of(model, seed)
    names = ("velocity", "acceleration", "jerk")[: (degree - 1) // 2]
    options = {
        f"{side}_{name}": x[k] for name, x in zip(names, rates, strict=False) for k, side in enumerate(("start", "end"))
    }
    plan = plans.polynomial(model, start, end, 1.7, degree=degree, **options)
    assert plan.degree == degree
    for k, (t, q) in enumerate(((0.0, start), (1.7, end))):
        at = plan.at(t)
        assert np.abs(lw.difference(model, at.q, q)).max() < 1e-9
        for x, wanted in zip(at[1:], rates[: len(names)], strict=False):
            assert np.allclose(x, wanted[k], atol=1e-8 * (1.0 + np.abs(x).max()))


def test_peaks_of_polynomials_from_rest_to_rest():
    arm = lw.load("two_link")
    peaks = {
        3: (1.5, 6.0, 12.0),
        5: (1.875, 10.0 / np.sqrt(3.0), 60.0),
        7: (35.0 / 16.0, 84.0 * np.sqrt(5.0) / 25.0, 52.5),
    }
    for degree, wanted in peaks.items():
        at = plans.polynomial(arm, [0.0, 0.0], [3.0, 0.0], 2.0, degree=degree).at(np.linspace(0.0, 2.0, 20001))
        for k, x in enumerate(at[1:]):
            assert np.abs(x[:, 0]).max() == pytest.approx(wanted[k] * 3.0 / 2.0 ** (k + 1), rel=1e-6)


def test_polynomials_of_batches_and_durations():
    model = one_of_each()
    (start, end), rates = ends_of(model, 4, (3,))
    T = np.array([0.5, 1.0, 2.0])
    many = plans.polynomial(model, start, end, T, start_velocity=rates[0][0])
    for k in range(3):
        one = plans.polynomial(model, start[k], end[k], T[k], start_velocity=rates[0][0][k])
        assert np.allclose(one.coefficients, many[k].coefficients, rtol=1e-11, atol=1e-11)


LIMITS = dict(velocity=1.0, acceleration=2.0, jerk=6.0)


@pytest.mark.variants("seed")
@pytest.mark.parametrize("planner", ["s_curve", "trapezoid"])
@pytest.mark.parametrize("seed", range(6))
def test_ends_are_met_and_limits_kept(planner, seed):
    arm = lw.load("arm7")
    (start, end), (v, a, _) = ends_of(arm, seed, (4,), 0.45)
    end = start + np.linspace(0.01, 1.0, 4)[:, None] * (end - start)
    limits = dict(LIMITS)
    options = dict(start_velocity=v[0], end_velocity=v[1], start_acceleration=a[0], end_acceleration=a[1])
    if planner == "trapezoid":
        limits.pop("jerk"), options.pop("start_acceleration"), options.pop("end_acceleration")
    plan = getattr(plans, planner)(arm, start, end, **limits, **options)
    for k in range(4):
        one = plan[k]
        at = one.at(np.concatenate([np.linspace(0.0, one.duration, 2000), one.times]))
        for x, limit in zip(at[1:], limits.values(), strict=False):
            assert np.abs(x).max() <= limit * (1.0 + 1e-9)
        first, last = one.at(0.0), one.at(one.duration)
        assert np.allclose(first.q, start[k], atol=1e-12)
        assert np.allclose(last.q, end[k], atol=1e-10)
        assert np.allclose([first.v, last.v], v[:, k], atol=1e-10)
        if planner == "s_curve":
            assert np.allclose([first.a, last.a], a[:, k], atol=1e-9)
        single = getattr(plans, planner)(arm, start[k], end[k], **limits, **{name: x[k] for name, x in options.items()})
        assert single.duration == pytest.approx(one.duration, rel=1e-12)
        times = np.linspace(0.0, one.duration, 50)
        assert np.allclose(single(times)[0], one(times)[0], atol=1e-10)


@pytest.mark.parametrize("planner", ["s_curve", "trapezoid"])
def test_positions_and_velocities_are_continuous(planner):
    arm = lw.load("arm7")
    (start, end), (v, *_) = ends_of(arm, 11, size=0.4)
    limits = LIMITS if planner == "s_curve" else {k: LIMITS[k] for k in ("velocity", "acceleration")}
    plan = getattr(plans, planner)(arm, start, end, start_velocity=v[0], end_velocity=v[1], **limits)
    again = lw.Trajectory(arm, plan.times, plan.q, plan.coefficients)  # which checks that pieces meet
    for t in again.times[1:-1]:
        before, after = again.at(t - 1e-9), again.at(t + 1e-9)
        assert np.allclose(before.v, after.v, atol=1e-7)
        if planner == "s_curve":
            assert np.allclose(before.a, after.a, atol=1e-6)


@pytest.mark.parametrize("planner", ["s_curve", "trapezoid"])
def test_joints_of_every_kind_go_from_rest_to_rest_within_limits(planner):
    model = one_of_each()
    (start, end), _ = ends_of(model, 2)
    limits = LIMITS if planner == "s_curve" else {k: LIMITS[k] for k in ("velocity", "acceleration")}
    plan = getattr(plans, planner)(model, start, end, **limits)
    at = plan.at(np.linspace(0.0, plan.duration, 3000))
    for x, limit in zip(at[1:], limits.values(), strict=False):
        assert np.abs(x).max() <= limit * (1.0 + 1e-9)
    assert np.abs(lw.difference(model, at.q[-1], end)).max() < 1e-10
    with pytest.raises(InputError, match="begins and ends at rest; `polynomial` takes any"):
        getattr(plans, planner)(model, start, end, start_velocity=0.1, **limits)


def states_of(count, n, seed, accelerated=True):
    """Random states and limits, such that none is beyond: p, v, a, p, v, a, V, A, J, each (count, n)."""
    rng = np.random.default_rng(seed)
    V, A, J = rng.uniform(0.5, 2.0, (count, n)), rng.uniform(0.5, 3.0, (count, n)), rng.uniform(1.0, 10.0, (count, n))
    found = []
    for sign in (1.0, -1.0):
        a = accelerated * rng.uniform(-1.0, 1.0, (count, n)) * np.minimum(A, np.sqrt(J * V))
        a *= rng.uniform(size=(count, n)) < 0.7
        a[rng.uniform(size=(count, n)) < 0.05] *= 0.999999
        middle = -sign * a * np.abs(a) / (2.0 * J)
        v = np.clip(rng.uniform(-1.0, 1.0, (count, n)) * V, -V + np.maximum(middle, 0), V + np.minimum(middle, 0))
        v *= 1.0 - 1e-9  # on the very limit ruckig may find nothing
        found += [rng.normal(size=(count, n)) * rng.choice([0.01, 0.1, 1.0, 5.0], (count, n)), v, a]
    return [*found, V, A, J]


def ruckigs_time(states):
    ruckig = pytest.importorskip("ruckig")
    n = states.shape[1]
    asked, found = ruckig.InputParameter(n), ruckig.Trajectory(n)
    names = [f"{end}_{what}" for end in ("current", "target") for what in ("position", "velocity", "acceleration")]
    for name, x in zip([*names, "max_velocity", "max_acceleration", "max_jerk"], states, strict=True):
        setattr(asked, name, x.tolist())
    ruckig.Ruckig(n).calculate(asked, found)
    return found.duration


@pytest.mark.parametrize(("n", "count"), [(1, 3000), (2, 1000), (3, 1000), (7, 400)])
@pytest.mark.parametrize("accelerated", [True, False])
def test_times_are_ruckigs(n, count, accelerated):
    """Of states with accelerations too, and where one joint cannot take the time of another."""
    states = states_of(count, n, n, accelerated)
    plan = plans.s_curves(*states)
    wanted = [ruckigs_time(np.stack([x[k] for x in states])) for k in range(count)]
    assert np.abs(plan.duration - wanted).max() < 1e-11


def test_no_shorter_time_is_possible_on_limits_and_at_zeros():
    """Velocities, accelerations and ways that are none, half of a limit or the very limit, where families meet.

    (Ruckig finds nothing for some of them, or ends the process.)
    """
    rng, shape = np.random.default_rng(3), (3000, 1)
    V, A, J = rng.choice([0.5, 1.0, 2.0], shape), rng.choice([0.5, 1.0, 2.0], shape), rng.choice([1.0, 2.0, 4.0], shape)
    parts, states = [-1.0, -0.5, 0.0, 0.0, 0.5, 1.0], []
    for sign, p in ((1.0, np.zeros(shape)), (-1.0, rng.choice([-4.0, -0.5, -0.25, 0.0, 0.0, 0.25, 0.5, 1.0], shape))):
        v, a, bad = np.zeros(shape), np.zeros(shape), np.ones(shape, dtype=bool)
        while bad.any():
            v = np.where(bad, rng.choice(parts, shape) * V, v)
            a = np.where(bad, rng.choice(parts, shape) * A, a)
            bad = np.abs(v + sign * a * np.abs(a) / (2.0 * J)) > V
        states += [p, v, a]
    states += [V, A, J]
    plan = plans.s_curves(*states)
    possible = kernels()[1]
    assert not (possible(*states, plan.duration[:, None])[..., 15] > 0.5).sum() > 20  # but for rounding
    shorter = plan.duration[:, None] * np.linspace(0.0, 0.9999, 400)
    wrong = (possible(*states, shorter)[..., 15] < 0.5) & (plan.duration[:, None] > 1e-9)
    assert not wrong.any()


def test_the_way_may_grow_and_shrink_and_grow_again():
    """Turning back with the acceleration at its limit throughout: of three roots the first."""
    plan = plans.s_curves([0.0], [2.0], [-2.0], [-0.25], [-2.0], [-1.0], [2.0], [2.0], [1.0])
    assert plan.duration == pytest.approx(2.382076117641083, abs=1e-12)


def test_no_joint_takes_any_time():
    """A time that one joint has and another skips: the next that both have is longer than either's least."""
    states = states_of(4000, 2, 5)
    plan = plans.s_curves(*states)
    alone = plans.s_curves(*(x[..., None] for x in states)).duration
    later = plan.duration > alone.max(axis=-1) * (1.0 + 1e-9)
    assert 20 < later.sum() < 2000
    row = int(np.argmax(later))
    with pytest.raises(InputError, match=r"no motion within the limits takes .* the next that does takes"):
        plans.s_curves(*(x[row] for x in states), duration=alone[row].max())


def test_a_longer_time_is_taken_where_it_is_requested():
    arm = lw.load("arm7")
    start, end = arm.random(2, seed=1)
    for planner, limits in (("s_curve", LIMITS), ("trapezoid", {k: LIMITS[k] for k in ("velocity", "acceleration")})):
        least = getattr(plans, planner)(arm, start, end, **limits)
        longer = getattr(plans, planner)(arm, start, end, duration=2.0 * least.duration, **limits)
        assert longer.duration == pytest.approx(2.0 * least.duration)
        both = getattr(plans, planner)(arm, start, end, duration=least.duration * np.array([1.0, 1.5]), **limits)
        assert np.allclose(both.duration, least.duration * np.array([1.0, 1.5]))
        assert np.allclose(longer.end, end, atol=1e-12)
        with pytest.raises(InputError, match=r"no motion within the limits takes 0\.1 s; the next that does takes"):
            getattr(plans, planner)(arm, start, end, duration=0.1, **limits)


def test_the_longest_way_grows_with_its_slope():
    """dD/dT as the Hamiltonian says it, in all kinds of motions."""
    _, v0, a0, _, v1, a1, V, A, J = (x[:, 0] for x in states_of(3000, 1, 8))
    of = VelocityChange(v0, a0, v1, a1, V, A, J)
    T = durations(of)[2] * 1.01 + np.random.default_rng(0).uniform(0.0, 4.0, len(V))
    h = 1e-6
    ways = [length(of, longest(of, T + x))[0] for x in (-h, h)]
    slope = length(of, longest(of, T))[1]
    off = np.abs((ways[1] - ways[0]) / (2.0 * h) - slope)
    assert (off < 1e-4).mean() > 0.99  # but for those about a kink


def test_without_limits_of_velocity_or_acceleration():
    arm = lw.load("two_link")
    plan = plans.s_curve(arm, [0.0, 0.0], [8.0, 0.0], velocity=np.inf, acceleration=np.inf, jerk=4.0)
    assert plan.duration == pytest.approx((32.0 * 8.0 / 4.0) ** (1.0 / 3.0), rel=1e-12)
    plan = plans.trapezoid(arm, [0.0, 0.0], [8.0, 0.0], velocity=np.inf, acceleration=2.0)
    assert plan.duration == pytest.approx(2.0 * np.sqrt(8.0 / 2.0), rel=1e-12)


def test_limits_of_velocity_are_the_models():
    arm = lw.load("arm7")
    free = plans.s_curve(arm, np.full(7, -1.5), np.full(7, 1.5), acceleration=50.0, jerk=1e4)
    own = np.concatenate([joint.velocity_limit for joint in arm.joints])
    assert np.array_equal(free.limits["velocity"], own) if np.isfinite(own).all() else "velocity" not in free.limits
    slow = plans.s_curve(arm, np.full(7, -1.5), np.full(7, 1.5), velocity=0.5, acceleration=50.0, jerk=1e4)
    assert slow.duration > 6.0


def test_where_nothing_moves_it_takes_no_time():
    arm = lw.load("two_link")
    for plan in (
        plans.s_curve(arm, [1.0, 2.0], [1.0, 2.0], velocity=1.0, acceleration=1.0, jerk=1.0),
        plans.trapezoid(arm, [1.0, 2.0], [1.0, 2.0], velocity=1.0, acceleration=1.0),
    ):
        assert plan.duration == 0.0
        assert np.array_equal(plan(3.0)[0], [1.0, 2.0])
        with pytest.raises(InputError, match="takes no time"):
            plan.retimed(1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(jerk=0.0), "the limit of jerk is above zero; got 0.0"),
        (dict(velocity=-1.0), "the limit of velocity is above zero"),
        (dict(acceleration=np.nan), "the limit of acceleration is above zero; got nan"),
        (dict(jerk=np.inf), "the limit of jerk is finite; without one, take `trapezoid`"),
        (dict(start_velocity=[0.0, 2.0]), "begins with the velocity 2, beyond the limit 1"),
        (dict(end_velocity=[-2.0, 0.0]), "ends with the velocity -2, beyond the limit 1"),
        (dict(start_acceleration=3.0), "begins with the acceleration 3, beyond the limit 2"),
        (dict(start_velocity=0.9, start_acceleration=2.0), "will reach the velocity 1.23333333, beyond the limit 1"),
        (dict(end_velocity=0.9, end_acceleration=-2.0), "comes from the velocity 1.23333333, beyond the limit 1"),
        (dict(start_velocity=np.nan), "start_velocity is not finite"),
        (dict(start=[0.0, np.nan]), "start is not finite"),
        (dict(end=[0.0, 0.0, 0.0]), r"end has shape \(3,\); expected \(…, 2\)"),
        (dict(start_velocity=[0.0, 0.0, 0.0]), r"start_velocity has shape \(3,\); expected \(…, 2\)"),
        (dict(velocity=[1.0, 1.0, 1.0]), r"the limit of velocity has shape \(3,\); expected a number or \(…, 2\)"),
        (dict(duration=np.nan), "duration is not finite"),
        (dict(duration=-1.0), "duration is a time"),
    ],
)
def test_what_cannot_be_planned_is_reported(change, message):
    right = dict(start=[0.0, 0.0], end=[1.0, 2.0], **LIMITS)
    with pytest.raises(LinkwrightError, match=message):
        plans.s_curve(lw.load("two_link"), **right | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(duration=0.0), "duration is above zero"),
        (dict(degree=4), "degree is 3, 5 or 7; got 4"),
        (dict(degree=3, end_acceleration=1.0), "a polynomial of degree 3 has no end_acceleration"),
        (dict(duration=np.inf), "duration is not finite"),
        (dict(start=[0.0]), r"start has shape \(1,\)"),
    ],
)
def test_what_no_polynomial_does_is_reported(change, message):
    right = dict(start=[0.0, 0.0], end=[1.0, 2.0], duration=1.0)
    with pytest.raises(LinkwrightError, match=message):
        plans.polynomial(lw.load("two_link"), **right | change)


def test_states_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError, match=r"shapes \(…, n\) that broadcast; got p0 \(2,\), v0 \(3,\)"):
        plans.s_curves(np.zeros(2), np.zeros(3), 0, 0, 0, 0, 1, 1, 1)
    with pytest.raises(ShapeError, match=r"arrays of coordinates"):
        plans.s_curves(0, 0, 0, 1, 0, 0, 1, 1, 1)


def test_an_end_beyond_limits_of_position_is_reported_and_a_start_is_not():
    arm = lw.load("arm7")
    far, near = np.full(7, 10.0), np.full(7, 1.0)
    text = "the end of 'joint1' is 10, beyond its limit 2.96706"
    for plan in (
        lambda a, b: plans.s_curve(arm, a, b, velocity=1.0, acceleration=1.0, jerk=1.0),
        lambda a, b: plans.trapezoid(arm, a, b, velocity=1.0, acceleration=1.0),
        lambda a, b: plans.polynomial(arm, a, b, 2.0),
    ):
        with pytest.raises(InputError, match=text):
            plan(near, far)
        with pytest.raises(InputError, match=r"in row \[1\]"):
            plan(near, np.stack([near, far]))
        assert np.allclose(plan(far, near).end, near)
    with pytest.raises(InputError, match="a waypoint of 'joint1' is 10"):
        plans.spline(arm, [near, far], 1.0)


def test_limits_may_be_those_of_each_motion_of_a_batch():
    arm = lw.load("two_link")
    start, end, V = np.zeros(2), np.array([1.0, 0.5]), np.array([[1.0, 2.0], [0.2, 0.3], [0.5, 0.1]])
    for make in (partial(plans.s_curve, jerk=30.0), plans.trapezoid):
        many = make(arm, start, end, velocity=V, acceleration=3.0)
        one = [make(arm, start, end, velocity=v, acceleration=3.0).duration for v in V]
        assert np.allclose(many.duration, one, rtol=1e-12)


def test_durations_that_numbers_cannot_take_are_reported():
    arm = lw.load("two_link")
    for duration in (1e-300, 1e300):
        with pytest.raises(InputError, match="so short or so long"):
            plans.polynomial(arm, [0.0, 0.0], [1.0, 0.5], duration)
    with pytest.raises(InputError, match="degree is 3, 5 or 7"):
        plans.polynomial(arm, [0.0, 0.0], [1.0, 0.5], 1.0, degree=5.0)
    plan = plans.polynomial(arm, [0.0, 0.0], [1.0, 0.5], 1.0)
    for by in (np.nan, np.inf):
        with pytest.raises(InputError, match="by is not finite"):
            plan.shifted(by)
    with pytest.raises(ShapeError, match="duration has shape"):
        plan.retimed([1.0, 2.0])
    with pytest.raises(ArgumentError, match="t must be"):
        plan(None)
