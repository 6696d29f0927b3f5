"""Splines through waypoints on joints of every kind, and paths of a hand with joints that follow them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ShapeError
from mechanisms import few_trees, one_of_each

plans = lw.trajectories


def waypoints_of(model, seed, n=5, size=0.6, batch=()):
    """Not too far from one to the next."""
    rng = np.random.default_rng(seed)
    q = model.random(int(np.prod(batch, dtype=int)), seed=seed).reshape(*batch, model.nq)
    found = [q]
    for _ in range(n - 1):
        found.append(lw.integrate(model, found[-1], size * rng.uniform(-1.0, 1.0, (*batch, model.nv))))
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.4, 1.0, n - 1))])
    return np.stack(found, axis=-2), times


@settings(max_examples=12, deadline=None)
@given(few_trees(), st.integers(0, 2**31), st.sampled_from(["clamped", "natural"]))
def test_splines_go_through_with_continuous_accelerations(model, seed, ends):
    q, t = waypoints_of(model, seed)
    options = (
        {} if ends == "natural" else dict(start_velocity=np.full(model.nv, 0.1), end_velocity=np.full(model.nv, -0.2))
    )
    plan = plans.spline(model, q, t, ends=ends, **options)
    assert np.abs(lw.difference(model, plan(t)[0], q)).max() < 1e-10
    h = 1e-8
    scale = 1.0 + np.abs(plan.at(t).a).max()
    for knot in t[1:-1]:
        before, after = plan.at(knot - h), plan.at(knot + h)
        assert np.allclose(before.v, after.v, atol=1e-6 * scale)
        assert np.allclose(before.a, after.a, atol=1e-5 * scale**2)
    first, last = plan.at(t[0]), plan.at(t[-1])
    if ends == "natural":
        assert np.allclose([first.a, last.a], 0.0, atol=1e-9 * scale)
    else:
        assert np.allclose(first.v, 0.1)
        assert np.allclose(last.v, -0.2)


@pytest.mark.parametrize("ends", ["clamped", "natural"])
def test_of_plain_coordinates_it_is_the_textbooks_spline(ends):
    arm = lw.load("arm7")
    q, t = waypoints_of(arm, 1, n=30)
    q = np.clip(q, arm.lower, arm.upper)
    oracle = CubicSpline(t, q, bc_type=ends)
    times = np.linspace(t[0], t[-1], 500)
    at = plans.spline(arm, q, t, ends=ends).at(times)
    for order, x in enumerate((at.q, at.v, at.a)):
        assert np.allclose(x, oracle(times, order), atol=1e-9 * 10**order)


def test_splines_of_batches_are_those_of_each():
    model = one_of_each()
    q, t = waypoints_of(model, 2, batch=(3,))
    many = plans.spline(model, q, t)
    for k in range(3):
        assert np.allclose(many[k].coefficients, plans.spline(model, q[k], t).coefficients, atol=1e-9)
    shared = plans.spline(model, q, 4.0)
    assert np.allclose(shared.duration, 4.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(waypoints=[[0.0, 0.0]]), r"waypoints have shape \(1, 2\)"),
        (dict(times=[0.0, 1.0, 1.0]), "times increase"),
        (dict(times=[0.0, 1.0]), r"shape"),
        (dict(times=2.0, waypoints=[[0, 0], [1, 1], [1, 1]]), "waypoints 1 and 2 are equal"),
        (dict(times=0.0), "duration is above zero"),
        (dict(ends="free"), "ends are 'clamped' or 'natural'; got 'free'"),
        (dict(ends="natural", end_velocity=[0.0, 0.0]), "no given end velocities"),
        (dict(waypoints=[[0.0, np.nan]] * 3), "waypoints is not finite"),
    ],
)
def test_what_no_spline_goes_through_is_reported(change, message):
    right = dict(waypoints=[[0.0, 0.0], [1.0, 0.5], [0.0, 1.0]], times=[0.0, 1.0, 2.0])
    with pytest.raises((LinkwrightError, ValueError), match=message):
        plans.spline(lw.load("two_link"), **right | change)


HOME = lw.transform.make(lw.rotation.about([1.0, 2.0, 3.0], 0.7), [0.4, -0.1, 0.5])
THERE = lw.transform.make(lw.rotation.about([0.0, 1.0, 3.0], 2.0), [0.5, 0.2, 0.3])
FAST = dict(velocity=0.3, acceleration=1.0, jerk=8.0)
PATHS = {
    "straight": lambda **options: plans.straight(HOME, THERE, **options),
    "circle": lambda **options: plans.circle(HOME, [0.4, 0.0, 0.5], [1.0, 0.0, 0.2], **options),
    "turning": lambda **options: plans.circle(HOME, [0.4, 0.0, 0.5], [1.0, 0.0, 0.2], -2.0, turning=True, **options),
    "arc": lambda **options: plans.arc(HOME, [0.5, 0.0, 0.6], THERE, **options),
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("message", [dict(duration=2.0), FAST])
def test_velocities_and_accelerations_of_paths_are_the_rates(name, message):
    path = PATHS[name](**message)
    h = 1e-5
    for t in np.linspace(0.07, 0.93, 9) * path.duration:
        (before, v0, _), (pose, v, a), (after, v1, _) = (path(x) for x in (t - h, t, t + h))
        assert np.allclose((after - before)[:3, 3] / (2 * h), v[:3], atol=1e-8)
        turn = lw.rotation.log(after[:3, :3] @ before[:3, :3].T) / (2 * h)
        assert np.allclose(turn, v[3:], atol=1e-8)
        assert np.allclose((v1 - v0) / (2 * h), a, atol=1e-3)
        assert np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    assert not np.any(path(-1.0)[1])
    assert np.allclose(path(path.duration + 1.0)[0], path.end)


def test_paths_begin_and_end_where_they_are_reported():
    for name in ("straight", "arc"):
        path = PATHS[name](duration=1.0)
        assert np.allclose(path.start, HOME, atol=1e-14)
        assert np.allclose(path.end, THERE, atol=1e-12)
    assert np.allclose(PATHS["circle"](duration=1.0).end, HOME, atol=1e-12)
    arc = PATHS["arc"](duration=1.0)
    nearest = np.linalg.norm(arc(np.linspace(0.0, 1.0, 2000))[0][:, :3, 3] - [0.5, 0.0, 0.6], axis=1).min()
    assert nearest < 1e-3
    still = plans.straight(HOME, [0.0, 0.0, 0.0], duration=1.0)
    assert np.allclose(still.end[:3, :3], HOME[:3, :3])


def test_limits_along_paths_are_kept_and_met():
    for name in ("straight", "arc", "circle"):
        path = PATHS[name](**FAST)
        t = np.linspace(0.0, path.duration, 800)
        speed = np.linalg.norm(path(t)[1][:, :3], axis=1)
        assert speed.max() == pytest.approx(0.3, rel=1e-6)
    slow = plans.straight(HOME, THERE, **FAST, angular_velocity=0.5, angular_acceleration=2.0, angular_jerk=20.0)
    turn = np.linalg.norm(slow(np.linspace(0.0, slow.duration, 800))[1][:, 3:], axis=1)
    assert turn.max() == pytest.approx(0.5, rel=1e-6)
    only = plans.straight(HOME, lw.transform.make(THERE[:3, :3], HOME[:3, 3]), angular_velocity=0.5, angular_jerk=9.0)
    assert only.duration > 1.0


def test_symbols_give_what_numbers_give():
    path = PATHS["straight"](duration=1.5).then(plans.straight(THERE, HOME, **FAST))
    kernel = lw.compile(lambda t: path(t), t=())
    for t in np.linspace(-0.2, path.duration + 0.2, 40):
        for x, y in zip(kernel(t), path(t), strict=True):
            assert np.allclose(x, y, atol=1e-12)


def test_a_hand_is_controlled_along_a_path():
    arm = lw.load("arm7")
    q0 = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
    home = lw.pose(arm, q0, "tool")
    path = plans.circle(
        home, home[:3, 3] + [0.0, 0.0, -0.08], [1.0, 0.0, 0.0], velocity=0.3, acceleration=1.0, jerk=10.0
    )
    law = partial(lw.control.operational_space, frame="tool", reference=path, stiffness=400.0, damping=40.0)
    motion = lw.simulate(arm, q0, np.zeros(7), path.duration, controller=law)
    wanted = path(motion.t[::50])[0]
    assert np.abs(lw.pose(arm, motion.q[::50], "tool") - wanted).max() < 1e-3


def test_joints_follow_a_path():
    arm = lw.load("arm7")
    q0 = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
    home = lw.pose(arm, q0, "tool")
    path = plans.straight(home, home[:3, 3] + [0.1, 0.05, -0.1], velocity=0.2, acceleration=1.0, jerk=10.0)
    plan = plans.follow(arm, "tool", path, q0, tolerance=1e-6)
    t = np.linspace(0.0, path.duration, 333)
    assert np.abs(lw.pose(arm, plan(t)[0], "tool") - path(t)[0]).max() < 3e-6
    v = lw.velocity(arm, plan(t)[0], plan(t)[1], "tool")
    assert np.abs(v - path(t)[1]).max() < 1e-3
    far = plans.straight(home, [3.0, 0.0, 0.0], duration=1.0)
    with pytest.raises(InputError, match="'tool' cannot follow the path at"):
        plans.follow(arm, "tool", far, q0)


def test_paths_are_drawn(tmp_path):
    figure = PATHS["arc"](**FAST).plot(tmp_path / "path.png")
    assert len(figure.axes) == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plans.straight(np.eye(3), THERE, 1.0), r"start has shape \(3, 3\); expected a pose \(4, 4\)"),
        (lambda: plans.straight(2.0 * np.eye(4), THERE, 1.0), "start is not a pose"),
        (lambda: plans.straight(HOME, HOME, 1.0), "the path has no length"),
        (lambda: plans.straight(HOME, THERE), "a path takes a duration, or limits"),
        (lambda: plans.straight(HOME, THERE, 1.0, velocity=1.0), "both are given"),
        (lambda: plans.straight(HOME, THERE, 0.0), "duration is a positive number"),
        (lambda: plans.straight(HOME, THERE, velocity=0.0, jerk=1.0), "the limit of velocity is above zero"),
        (lambda: plans.straight(HOME, THERE, np.nan), "duration is a positive number"),
        (lambda: plans.circle(HOME, HOME[:3, 3], [0, 0, 1], duration=1.0), "starts on the axis"),
        (lambda: plans.circle(HOME, [0.0, 0.0, 0.0], [0, 0, 0], duration=1.0), "axis has no direction"),
        (lambda: plans.arc(HOME, HOME[:3, 3], THERE, 1.0), "lie in one line"),
        (lambda: plans.arc(HOME, 0.5 * (HOME + THERE)[:3, 3], THERE, 1.0), "lie in one line"),
        (lambda: PATHS["arc"](duration=1.0).then(PATHS["arc"](duration=1.0)), "begins .* from where this one ends"),
    ],
)
def test_what_is_no_path_is_reported(make, message):
    with pytest.raises((InputError, ArgumentError, LinkwrightError), match=message):
        make()


def test_a_jump_is_reported_with_the_joint_that_stops_it():
    arm = lw.load("arm7")
    home = lw.pose(arm, np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1]), "tool")
    ring = plans.circle(home, home[:3, 3] + [0.0, 0.0, -0.1], [1.0, 0.3, 0.0], duration=2.0)
    start = arm.random(seed=4)
    with pytest.raises(InputError, match=r"past 0\.249\d* s: there 'joint3' is at its limit; the initial guess is 1.9"):
        plans.follow(arm, "tool", ring, start)
    with pytest.raises(ShapeError, match="initial_guess has shape"):
        plans.follow(arm, "tool", ring, np.zeros((2, 7)))


@pytest.mark.parametrize("beside", [0.0, 1e-3])
def test_a_path_past_the_shoulder_is_reported_to_be_singular(beside):
    arm = lw.load("two_link")
    out = lw.pose(arm, np.array([0.0, 2.0]), "tip")
    flat = int(np.argmax(np.abs(out[:3, 3])))
    other = next(k for k in range(3) if k != flat and abs(out[k, 3]) > 1e-9)
    begin, end = np.eye(4), np.zeros(3)
    begin[flat, 3], end[flat] = 0.5, -0.5
    begin[other, 3] = end[other] = beside
    with pytest.raises(InputError, match="singular"):
        plans.follow(arm, "tip", plans.straight(begin, end, 1.0), np.array([0.1, 2.0]))


def test_what_is_fixed_stays_where_it_is():
    body = lw.load("humanoid")
    q0 = body.neutral()
    frame = next(name for name in body.frames if "hand" in name)
    home = lw.pose(body, q0, frame)
    joint = body.joints[0].name
    path = plans.straight(home, home[:3, 3] + [0.03, 0.0, 0.05], 1.0)
    plan = plans.follow(body, frame, path, q0, fixed=[joint])
    places = body.slice(joint)
    np.testing.assert_allclose(
        plan(np.linspace(0.0, 1.0, 20))[0][:, places.q], np.tile(q0[places.q], (20, 1)), atol=1e-9
    )


def test_paths_of_a_hand_are_turned_round_and_slowed():
    T = np.eye(4)
    line = plans.straight(T, [0.3, 0.1, 0.0], velocity=0.3, acceleration=1.5, jerk=15.0)
    ring = plans.circle(line.end, [0.3, 0.1, -0.1], [0.0, 1.0, 0.0], 1.0, turning=True, duration=0.7)
    path = line.then(ring).shifted(0.2)
    back, slow = path.reversed(), path.retimed(3.0 * path.duration)
    t = np.linspace(path.times[0], path.times[-1], 200)[1:-1]
    pose, v, a = path(t)
    for one, when, by in ((back, path.times[0] + path.times[-1] - t, -1.0), (slow, 0.2 + 3.0 * (t - 0.2), 1.0 / 3.0)):
        there = one(when)
        for x, wanted in zip(there, (pose, by * v, by * by * a), strict=True):
            np.testing.assert_allclose(x, wanted, atol=1e-9)
    assert path.shifted(-0.2).then(back).duration == pytest.approx(2.0 * path.duration)


def test_a_large_turn_on_a_short_way_asks_for_its_own_limits():
    start, end = np.eye(4), np.eye(4)
    end[:3, :3], end[0, 3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], 1e-6
    limits = dict(velocity=1.0, acceleration=1.0, jerk=1.0)
    with pytest.raises(ArgumentError, match=r"rotates by 1.571 rad: give angular_velocity"):
        plans.straight(start, end, **limits)
    turn = plans.straight(start, end, **limits, angular_velocity=0.5)
    assert np.abs(turn(np.linspace(0.0, turn.duration, 500))[1][:, 3:]).max() < 0.5 + 1e-9
    start[3] = [0.0, 0.0, 1.0, 1.0]
    with pytest.raises(InputError, match="last row"):
        plans.straight(start, [0.1, 0.0, 0.0], 1.0)
