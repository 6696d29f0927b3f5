"""Rollouts: what simulate gives, whole in machine code, whatever the threads, the parts and the neighbors."""

from functools import partial

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.compiler.native.native import Native
from linkwright.errors import ArgumentError, InputError, LinkwrightError

ROWS = 37


@pytest.fixture(scope="module")
def arm():
    return lw.load("arm4")


@pytest.fixture(scope="module")
def start(arm):
    return arm.random(ROWS, seed=1), np.random.default_rng(2).standard_normal((ROWS, arm.nv))


def pd(model, t, q, v, *, kp, kd, target):
    return kp * (target - q) - kd * v


def integral(model, t, q, v, state, *, kp, ki, step=1e-3):
    state = state + step * q
    return -kp * q - ki * state, state


def cost(model, t, q, v, tau, *, weight):
    return -(q @ q) - weight * (tau @ tau)


def low(model, t, q, v, *, least=-2.0):
    return q[1] < least


def anew(model, q0, v0, random, *, spread):
    return q0 + random.normal(spread, len(q0)), random.uniform(-1.0, 1.0, len(v0))


LAW = partial(pd, kp=np.array([20.0, 20.0, 10.0, 2.0]), kd=np.array([2.0, 2.0, 1.0, 0.05]), target=np.zeros(4))
FULL = dict(
    controller=LAW,
    reward=partial(cost, weight=1e-3),
    discount=0.99,
    terminate=low,
    reset=partial(anew, spread=0.3),
    noise={"q": 0.01, "v": 0.02},
    delay=2e-3,
    effort_limits=5.0,
    seed=3,
)


def same(a, b):
    pairs = [
        (a.q, b.q),
        (a.v, b.v),
        *((getattr(a, x), getattr(b, x)) for x in ("reward", "steps", "alive", "episodes")),
    ]
    return all(np.array_equal(x, y) for x, y in pairs if x is not None or y is not None)


@pytest.mark.parametrize("method", ["euler", "midpoint", "semi_implicit", "rk4"])
def test_it_is_what_simulate_gives(arm, start, method):
    motion = lw.simulate(arm, *start, 0.06, controller=LAW, method=method)
    found = lw.rollout(
        arm, *start, 60, controller=LAW, every=5, method=method, episode=lw.Episode(keep=("q", "v", "tau"))
    )
    assert np.array_equal(found.q, motion.q[5::5])
    assert np.array_equal(found.v, motion.v[5::5])
    assert np.array_equal(found.tau, motion.tau[4:-1:5])
    np.testing.assert_allclose(found.t, motion.t[5::5], rtol=1e-12)


@pytest.mark.parametrize("name", ["quadruped", "four_bar"])
def test_bases_that_float_and_loops_are_moved_as_by_simulate(name):
    model = lw.load(name)
    q0, v0 = lw.default_configuration(model)
    motion = lw.simulate(model, q0, v0, 0.05)
    found = lw.rollout(model, q0, v0, 50, every=10)
    np.testing.assert_allclose(found.q, motion.q[10::10], rtol=0, atol=1e-10)
    assert found.steps == 50
    assert found.alive


def test_what_is_between_a_law_and_the_joints_is_as_in_simulate(arm, start):
    options = dict(controller=LAW, noise={"q": 0.01}, delay=2e-3, period=4e-3, lag=5e-3, effort_limits=5.0, seed=7)
    motion = lw.simulate(arm, *start, 0.06, **grouped(**options))
    assert np.array_equal(lw.rollout(arm, *start, 60, **grouped(**options)).q[-1], motion.q[-1])


def test_a_laws_state_is_carried(arm, start):
    law = partial(integral, kp=5.0, ki=3.0)
    motion = lw.simulate(arm, *start, 0.05, controller=law, actuation=lw.Actuation(initial_state=np.zeros(4)))
    found = lw.rollout(
        arm,
        *start,
        50,
        controller=law,
        every=10,
        actuation=lw.Actuation(initial_state=np.zeros(4)),
        episode=lw.Episode(keep=("q", "state")),
    )
    assert np.array_equal(found.q, motion.q[10::10])
    assert np.array_equal(found.states, motion.state[10::10])
    assert np.array_equal(found.state, motion.state[-1])
    assert np.array_equal(found.v, motion.v[-1:])


def test_wrenches_and_surfaces_act(arm, start):
    wrenches = {"tool": np.array([1.0, 0.0, 3.0, 0.0, 0.0, 0.0])}
    motion = lw.simulate(arm, *start, 0.02, surroundings=lw.Surroundings(wrenches=wrenches))
    assert np.array_equal(
        lw.rollout(arm, *start, 20, surroundings=lw.Surroundings(wrenches=wrenches)).q[-1], motion.q[-1]
    )


def test_the_bits_do_not_depend_on_threads_or_parts_of_the_batch(arm, start):
    q0, v0 = (np.concatenate([x] * 30) for x in start)
    numbers = np.arange(len(q0))
    options = {**FULL, "seed": numbers, "every": 50}
    whole = lw.rollout(arm, q0, v0, 300, **grouped(threads=1, **options))
    assert same(whole, lw.rollout(arm, q0, v0, 300, **grouped(threads=2, **options)))
    for part in (slice(0, 401), slice(401, None), slice(7, 8)):
        found = lw.rollout(arm, q0[part], v0[part], 300, **grouped(**{**options, "seed": numbers[part]}))
        assert np.array_equal(found.q, whole.q[:, part])
        assert np.array_equal(found.reward, whole.reward[part])
    one = lw.rollout(arm, q0[5], v0[5], 300, **grouped(**{**options, "seed": numbers[5]}))
    assert np.array_equal(one.q, whole.q[:, 5])


def test_two_rollouts_are_one_long_one(arm, start):
    whole = lw.rollout(arm, *start, 300, **grouped(every=1, keep=("q", "v", "reward"), **FULL))
    first = lw.rollout(arm, *start, 100, **grouped(every=20, **FULL))
    second = lw.rollout(arm, first, None, 200, **grouped(every=20, **FULL))
    assert np.array_equal(np.concatenate([first.q, second.q]), whole.q[19::20])
    np.testing.assert_allclose(np.concatenate([first.t, second.t]), whole.t[19::20])
    assert np.array_equal(second.reward, whole.reward)
    assert np.array_equal(second.episodes, whole.episodes)


def test_rewards_are_of_the_state_after_a_step_and_the_efforts_before(arm, start):
    found = lw.rollout(
        arm,
        *start,
        20,
        controller=LAW,
        every=1,
        episode=lw.Episode(keep=("q", "v", "tau", "reward"), reward=partial(cost, weight=1e-3), discount=0.9),
    )
    result = -(found.q**2).sum(-1) - 1e-3 * (found.tau**2).sum(-1)
    np.testing.assert_allclose(found.rewards, result, rtol=1e-12)
    np.testing.assert_allclose(found.reward, (0.9 ** np.arange(20) @ result), rtol=1e-12)


def test_a_motion_that_ends_keeps_its_state_and_earns_no_more(arm, start):
    def one(model, t, q, v, tau):
        return 1.0

    found = lw.rollout(arm, *start, 400, every=1, episode=lw.Episode(terminate=partial(low, least=-0.5), reward=one))
    over = found.q[:, :, 1] < -0.5
    ended = over.any(axis=0)
    assert 0 < ended.sum() < ROWS
    when = np.where(ended, over.argmax(axis=0) + 1, 400)
    assert np.array_equal(found.steps, when)
    assert np.array_equal(found.reward, when.astype(float))
    assert np.array_equal(found.alive, ~ended)
    free = lw.rollout(arm, *start, 400, every=1).q
    for row, n in enumerate(when):
        assert np.array_equal(found.q[:n, row], free[:n, row])
        assert (found.q[n - 1 :, row] == found.q[n - 1, row]).all()


def test_a_motion_that_has_ended_stays_so_when_it_goes_on(arm, start):
    ends = partial(low, least=-0.5)
    first = lw.rollout(arm, *start, 400, episode=lw.Episode(terminate=ends))
    second = lw.rollout(arm, first, None, 10, episode=lw.Episode(terminate=ends))
    assert np.array_equal(second.q[0, ~first.alive], first.q[0, ~first.alive])
    assert np.array_equal(second.steps[~first.alive], first.steps[~first.alive])
    assert (second.steps[second.alive] == 410).all()


def test_beginning_again_at_the_start_repeats_the_motion(arm, start):
    def late(model, t, q, v, *, end=0.0095):
        return t > end

    law = partial(integral, kp=5.0, ki=300.0)
    found = lw.rollout(
        arm,
        *start,
        35,
        controller=law,
        every=1,
        actuation=lw.Actuation(initial_state=np.ones(4)),
        episode=lw.Episode(terminate=late, reset="start"),
    )
    assert (found.episodes == 3).all()
    assert (found.steps == 5).all()
    assert np.array_equal(found.q[9], start[0])
    assert np.array_equal(found.q[10:19], found.q[:9])
    assert np.array_equal(found.q[20:29], found.q[:9])


def test_beginnings_are_random_as_they_are_reported(arm):
    n = 4000

    def at_once(model, t, q, v):
        return t > -1.0

    q0, v0 = np.zeros((n, 4)), np.zeros((n, 4))
    found = lw.rollout(arm, q0, v0, 2, every=1, episode=lw.Episode(terminate=at_once, reset=partial(anew, spread=0.3)))
    for q, v in zip(found.q, found.v, strict=True):
        assert np.abs(q.mean(axis=0)).max() < 5 * 0.3 / np.sqrt(n)
        assert np.abs(q.std(axis=0) / 0.3 - 1.0).max() < 5 / np.sqrt(2 * n)
        assert np.abs(v.mean(axis=0)).max() < 5 / np.sqrt(3 * n)
        assert -1.0 < v.min() < -0.99
        assert 0.99 < v.max() < 1.0
    both = np.concatenate([found.q.reshape(-1, 4), found.v.reshape(-1, 4)], axis=1)
    assert np.abs(np.corrcoef(both.T) - np.eye(8)).max() < 5 / np.sqrt(2 * n)
    assert len(np.unique(both[:, 0])) == 2 * n


def test_what_grows_beyond_all_numbers_begins_again(arm):
    def wild(model, t, q, v):
        return 1e200 * v * abs(v)

    n = 9
    found = lw.rollout(arm, np.zeros((n, 4)), np.ones((n, 4)), 50, controller=wild, episode=lw.Episode(reset="start"))
    assert np.isfinite(found.q).all()
    assert (found.episodes > 3).all()
    ended = lw.rollout(arm, np.zeros((n, 4)), np.ones((n, 4)), 50, controller=wild, episode=lw.Episode(terminate=low))
    assert not ended.alive.any()
    assert (ended.steps < 10).all()
    assert np.isfinite(ended.q).all()


@pytest.mark.filterwarnings("ignore:9 of 9 motions")
def test_what_grows_beyond_all_numbers_is_reported(arm):
    def wild(model, t, q, v):
        return 1e200 * v * abs(v)

    with pytest.warns(lw.errors.LinkwrightWarning, match="9 of 9 motions"):
        found = lw.rollout(arm, np.zeros((9, 4)), np.ones((9, 4)), 50, controller=wild)
    assert not found.alive.any()


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_parameters_of_each_motion_are_those_of_a_mechanism_made_so(method):
    builder = lw.Builder("two")
    builder.body("upper", mass=1.0, center_of_mass=[0.3, 0, 0], inertia=[0.02, 0.1, 0.1])
    builder.body("lower", mass=0.5, center_of_mass=[0.2, 0, 0], inertia=[0.01, 0.05, 0.05])
    builder.joint("shoulder", "revolute", parent="world", child="upper", axis=[0, -1, 0], damping=0.1)
    builder.joint("elbow", "revolute", parent="upper", child="lower", axis=[0, -1, 0], xyz=[0.6, 0, 0], damping=0.05)
    model = builder.build()
    mass, damping = np.array([0.5, 2.0, 3.0]), np.array([0.0, 0.3, 1.0])
    q0, v0 = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    options = {"lower.mass": mass, "shoulder.damping": damping, "gravity": [0.0, 0.0, -3.0]}
    found = lw.rollout(model, np.tile(q0, (3, 1)), v0, 200, method=method, parameters=options)
    for k in range(3):
        one = lw.Builder("two")
        one.body("upper", mass=1.0, center_of_mass=[0.3, 0, 0], inertia=[0.02, 0.1, 0.1])
        one.body("lower", mass=mass[k], center_of_mass=[0.2, 0, 0], inertia=[0.01, 0.05, 0.05])
        one.joint("shoulder", "revolute", parent="world", child="upper", axis=[0, -1, 0], damping=damping[k])
        one.joint("elbow", "revolute", parent="upper", child="lower", axis=[0, -1, 0], xyz=[0.6, 0, 0], damping=0.05)
        alone = lw.rollout(one.build().with_gravity([0.0, 0.0, -3.0]), q0, v0, 200, method=method)
        np.testing.assert_allclose(found.q[0, k], alone.q[0], rtol=0, atol=1e-10)


def test_each_motion_may_have_its_own_gains(arm, start):
    kp = np.linspace(1.0, 30.0, ROWS)
    found = lw.rollout(arm, *start, 30, controller=partial(LAW, kp=kp), actuation=lw.Actuation(each=["kp"]))
    for row in (0, 20):
        alone = lw.rollout(arm, start[0][row], start[1][row], 30, controller=partial(LAW, kp=kp[row]))
        assert np.array_equal(found.q[0, row], alone.q[0])


def test_batches_of_several_dimensions_and_of_none(arm, start):
    q0, v0 = (x[:6].reshape(2, 3, 4) for x in start)
    found = lw.rollout(arm, q0, v0, 20, every=10, episode=lw.Episode(reward=partial(cost, weight=1.0)))
    flat = lw.rollout(
        arm, q0.reshape(6, 4), v0.reshape(6, 4), 20, every=10, episode=lw.Episode(reward=partial(cost, weight=1.0))
    )
    assert found.q.shape == (2, 2, 3, 4)
    assert np.array_equal(found.q.reshape(2, 6, 4), flat.q)
    assert np.array_equal(found.reward.reshape(6), flat.reward)
    assert (
        lw.rollout(arm, q0[0, 0], v0[0, 0], 20, episode=lw.Episode(reward=partial(cost, weight=1.0))).reward.shape == ()
    )
    empty = lw.rollout(arm, q0[:0], v0[:0], 20, every=10)
    assert empty.q.shape == (2, 0, 3, 4)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (dict(steps=10, every=3), "every is 3, which does not divide 10 steps: take 9 or 12 steps"),
        (dict(steps=10, every=30), "10 steps: take 30 steps"),
        (dict(steps=0), "steps is a whole number"),
        (dict(steps=10, step=-1.0), "step is a positive"),
        (dict(steps=10, keep=("q", "w")), "keep names what is kept"),
        (dict(steps=10, keep="reward"), "keep names 'reward', and there is none"),
        (dict(steps=10, keep="state"), "keep names 'state', and the controller has none"),
        (dict(steps=10, method="variational"), "rollouts take steps by 'rk4'"),
        (dict(steps=10, tolerance=1e-6), "tolerance is for methods that choose their steps"),
        (dict(steps=10, reset="begin"), "reset is 'start' or a function"),
        (dict(steps=10, reward=lambda model, q: q[0]), "what else it needs is bound"),
        (dict(steps=10, reward=lambda model, t, q, v, tau: q), "returns one number"),
        (dict(steps=10, reward=lambda model, t, q, v, tau: None), "is its `return` missing"),
        (dict(steps=10, terminate=lambda model, t, q, v: q), "returns a condition"),
        (dict(steps=10, reset=lambda model, q0, v0, random: q0), "returns \\(q, v\\)"),
        (dict(steps=10, parameters={"hand.mas": 1.0}), "hand.mas"),
        (dict(steps=10, parameters={"gravity": [1.0, 2.0]}), "gravity has shape"),
        (dict(steps=10, seed=-1), "seed is a whole number"),
        (dict(steps=10, seed=[1, 2]), "seed has shape"),
        (dict(steps=10, each=["kp"]), "kp"),
        (dict(steps=10, noise={"q": 1.0}), "noise is on the path from a controller"),
        (dict(steps=10, parameters={"pairs.friction": 1.0}), "has no pairs"),
        (dict(steps=10, reward=3), "reward"),
    ],
)
def test_what_is_wrong_is_reported(arm, start, message, said):
    with pytest.raises(lw.errors.LinkwrightError, match=said):
        lw.rollout(arm, *start, **grouped(**{"reset": None, **message}))


def test_going_on_with_something_else_is_refused(arm, start):
    first = lw.rollout(arm, *start, 10)
    with pytest.raises(lw.errors.InputError, match="go on with the same controller"):
        lw.rollout(arm, first, None, 10, episode=lw.Episode(reward=partial(cost, weight=1.0)))
    with pytest.raises(lw.errors.InputError, match=r"took steps of 0\.001 s"):
        lw.rollout(arm, first, None, 10, step=2e-3)


@pytest.fixture(scope="module")
def dropped():
    """A quadruped on the ground, and starts from which it falls on its feet."""
    model = lw.load("quadruped").with_ground()
    posture = np.tile([0.0, 0.7, -1.4], 4)
    q0 = np.tile(np.concatenate([[0.0, 0.0, 0.33, 1.0, 0.0, 0.0, 0.0], posture]), (7, 1))

    def stand(model, t, q, v, *, kp, posture):
        return np.concatenate([np.zeros(6), kp * (posture - q[7:]) - v[6:]])

    return model, q0, 0.3 * np.random.default_rng(0).standard_normal((7, 18)), partial(stand, kp=40.0, posture=posture)


def test_contact_acts_and_goes_on_from_the_impulses_before(dropped):
    model, q0, v0, law = dropped
    motion = lw.simulate(model, q0, v0, 0.12, controller=law)
    whole = lw.rollout(model, q0, v0, 120, controller=law)
    assert np.array_equal(whole.q[-1], motion.q[-1])
    first = lw.rollout(model, q0, v0, 80, controller=law)
    assert np.array_equal(lw.rollout(model, first, None, 40, controller=law).q, whole.q)
    one = lw.rollout(model, q0[2], v0[2], 120, controller=law)
    assert np.array_equal(one.q, whole.q[:, 2])


def test_contact_is_a_smooth_force_where_accelerations_are_integrated():
    builder = lw.Builder("ball")
    builder.body("ball", mass=1.0, inertia=[0.01] * 3)
    builder.joint("root", "free", parent="world", child="ball")
    builder.shape("ball", "sphere", radius=0.1, contact=lw.ContactProperties(stiffness=2e4, damping=200.0))
    model = builder.build().with_ground()
    q0 = np.array([[0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0] for z in (0.11, 0.15)])
    motion = lw.simulate(model, q0, np.zeros(6), 0.2, 5e-4, method="rk4")
    found = lw.rollout(model, q0, np.zeros(6), 400, 5e-4, method="rk4")
    assert np.array_equal(found.q[-1], motion.q[-1])
    assert (np.abs(found.q[-1][:, 2] - 0.1) < 5e-3).all()  # on the ground


def test_the_friction_of_each_motion(dropped):
    model, q0, v0, law = dropped
    friction = np.linspace(0.0, 1.0, 7)
    found = lw.rollout(model, q0, v0, 120, controller=law, parameters={"pairs.friction": friction})
    for row in (1, 6):
        alone = lw.load("quadruped").with_ground(contact=lw.ContactProperties(friction=friction[row]))
        there = lw.rollout(alone, q0[row], v0[row], 120, controller=law)
        np.testing.assert_allclose(found.q[0, row], there.q[0], rtol=0, atol=1e-10)


def test_limits_of_joints_hold():
    model = lw.load("arm7")
    q0, v0 = np.zeros((3, 7)), np.linspace(-3.0, 3.0, 21).reshape(3, 7)
    found = lw.rollout(model, q0, v0, 1500, every=100, method=lw.Integrator(joint_limits=True))
    assert (found.q > model.lower - 0.01).all()
    assert (found.q < model.upper + 0.01).all()
    assert np.array_equal(
        found.q[-1], lw.simulate(model, q0, v0, 1.5, every=100, method=lw.Integrator(joint_limits=True)).q[-1]
    )
    with pytest.raises(lw.errors.InputError, match="joint_limits and servos act in steps of 'semi_implicit'"):
        lw.rollout(model, q0, v0, 10, method=lw.Integrator("rk4", joint_limits=True))


def test_other_counts_and_values_compile_nothing_again(arm, start, monkeypatch):
    lw.rollout(arm, *start, 10, **grouped(**FULL))
    made = []
    monkeypatch.setattr(lw.Kernel, "__init__", lambda *args, **named: made.append(args))
    lw.rollout(
        arm,
        *start,
        23,
        **grouped(**{**FULL, "reward": partial(cost, weight=2.0), "controller": partial(LAW, kd=np.ones(4))}),
    )
    assert not made


def swing(model, t, q, v):
    return np.sin(7.0 * t) - 0.4 * v


def falling_over(model, t, q, v):
    return abs(q[0]) > 2.0


@pytest.mark.parametrize("law", [None, swing], ids=["free", "held"])
def test_dopri5_follows_each_motion_as_simulate_does(law):
    model = lw.load("two_link")
    rng = np.random.default_rng(5)
    q, v = rng.uniform(-1.0, 1.0, (11, 2)), rng.standard_normal((11, 2))
    options = dict(controller=law, method="dopri5", tolerance=1e-10)
    whole = lw.rollout(model, q, v, 60, 5e-3, **grouped(every=10, **options))
    motion = lw.simulate(model, q, v, 0.3, 5e-3, **grouped(every=10, **options))
    np.testing.assert_allclose(whole.q, motion.q[1:], atol=1e-9)
    np.testing.assert_allclose(whole.v, motion.v[1:], atol=1e-9)
    first = lw.rollout(model, q, v, 25, 5e-3, **grouped(**options))
    second = lw.rollout(model, first, None, 35, 5e-3, **grouped(threads=2, **options))
    assert np.array_equal(second.q[-1], whole.q[-1])
    few = lw.rollout(model, q[3:5], v[3:5], 60, 5e-3, **grouped(**options))
    assert np.array_equal(few.v[-1], whole.v[-1, 3:5])


@pytest.mark.parametrize("law", [None, swing], ids=["free", "held"])
def test_dopri5_begins_anew_where_motions_begin_again(law):
    model = lw.load("two_link")
    q, v = np.array([[1.0, 0.0], [0.2, 0.1]]), np.array([[3.0, 0.0], [0.0, 0.0]])
    options = dict(controller=law, method="dopri5", terminate=falling_over)
    found = lw.rollout(model, q, v, 200, 5e-3, **grouped(reset="start", **options))
    assert found.episodes[0] > 0
    alone = lw.rollout(model, q[0], v[0], int(found.steps[0]), 5e-3, **grouped(**options))
    np.testing.assert_allclose(found.q[-1, 0], alone.q[-1], atol=1e-12)
    np.testing.assert_allclose(found.v[-1, 0], alone.v[-1], atol=1e-12)


def test_a_batch_needs_code_for_single_rows_only_where_an_angle_is_too_large_for_lanes(arm, monkeypatch):
    """Code for each takes as long to make; rows that lanes leave aside have it made then, or tell why it is not."""
    made = []
    ours = Native._made
    monkeypatch.setattr(Native, "_made", lambda self, part, soon: made.append(part) or ours(self, part, soon))
    model = arm.with_payload(arm.bodies[-1].name, 0.123)
    q0, v0 = arm.random(ROWS, seed=1), np.zeros((ROWS, arm.nv))
    lw.rollout(model, q0, v0, 20)
    assert made == ["batches"]
    q0[5, 1] = 1e9
    far = lw.rollout(model, q0, v0, 20)
    assert made == ["batches", "row"]
    assert np.array_equal(lw.rollout(model, q0[5], v0[5], 20).q, far.q[:, 5])


def test_code_that_cannot_be_made_while_a_batch_runs_is_reported(arm, monkeypatch):
    model = arm.with_payload(arm.bodies[-1].name, 0.124)
    q0 = np.full((ROWS, arm.nq), 1e9)
    ours = Native._made

    def fails(self, part, soon):
        if part == "row":
            raise MemoryError("no room for code")
        return ours(self, part, soon)

    monkeypatch.setattr(Native, "_made", fails)
    with pytest.raises(MemoryError, match="no room for code"):
        lw.rollout(model, q0, np.zeros((ROWS, arm.nv)), 5)


def test_what_no_mechanism_has_is_refused_as_a_parameter():
    model = lw.load("pendulum")
    body = model.description.bodies[0].name
    for name, value in ((f"{body}.mass", -1.0), (f"{model.joints[0].name}.damping", [0.1, -0.1])):
        with pytest.raises(InputError, match="must not be negative; got -"):
            lw.rollout(model, np.zeros((2, 1)), np.zeros((2, 1)), 3, parameters={name: value})
    box = (
        lw.Builder("box")
        .body("box", 1.0, inertia=0.01)
        .joint("free", "free", "world", "box")
        .shape("box", "sphere", radius=0.1)
        .build()
        .with_ground()
    )
    for name, value, why in (("friction", -0.2, "not be negative"), ("restitution", 3.0, "from 0 to 1")):
        with pytest.raises(InputError, match=why):
            lw.rollout(box, box.neutral()[None], np.zeros((1, 6)), 3, parameters={f"pairs.{name}": value})


def test_functions_of_one_name_keep_what_is_bound_to_each():
    model, start = lw.load("pendulum"), (np.zeros((3, 1)), np.zeros((3, 1)))
    law = partial(lambda model, t, q, v, push: push, push=np.array([[1.0], [2.0], [3.0]]))
    gave = lw.rollout(
        model,
        *start,
        5,
        controller=law,
        actuation=lw.Actuation(each=["push"]),
        episode=lw.Episode(reward=lambda model, t, q, v, tau: tau[0]),
    )
    assert gave.reward == pytest.approx([5.0, 10.0, 15.0])


def test_a_condition_is_no_number_and_a_start_is_no_end():
    model = lw.load("pendulum")
    q, v = np.full((2, 1), 0.1), np.zeros((2, 1))
    with pytest.raises(ArgumentError, match="returns a condition"):
        lw.rollout(model, q, v, 3, episode=lw.Episode(terminate=lambda model, t, q, v: q[0]))
    first = lw.rollout(model, q, v, 3)
    with pytest.raises(ArgumentError, match="goes on from the end of an earlier one"):
        lw.rollout(model, first, v, 3)
    assert np.array_equal(lw.rollout(model, first, None, 3).q, lw.rollout(model, first, None, 3).q)


def test_the_batch_may_be_that_of_the_parameters():
    model = lw.load("arm4")
    hand, q, v = model.bodies[-1].name, model.neutral(), np.full(model.nv, 0.1)
    masses = np.array([0.5, 1.0, 2.0])
    found = lw.rollout(model, q, v, 50, parameters={f"{hand}.mass": masses})
    tiled = lw.rollout(model, np.tile(q, (3, 1)), v, 50, parameters={f"{hand}.mass": masses})
    assert found.q.shape == tiled.q.shape
    assert (found.q == tiled.q).all()
    assert (found.v == tiled.v).all()
    assert np.abs(found.q[..., 0, :] - found.q[..., 2, :]).max() > 1e-6
    gravity = np.array([[[0, 0, -9.81]], [[0, 0, -1.6]]])
    both = lw.rollout(model, q, v, 50, parameters={f"{hand}.mass": masses, "gravity": gravity})
    assert both.end[0].shape == (2, 3, model.nq)
    on = lw.rollout(model, found, None, 50, parameters={f"{hand}.mass": masses})
    assert on.end[0].shape == (3, model.nq)
    same = lw.rollout(model, q, v, 50, parameters={"gravity": gravity[1, 0]})  # of the one motion
    assert same.end[0].shape == (model.nq,)


@pytest.mark.parametrize(
    ("lead", "message", "match"),
    [
        ((), {"gravity": np.zeros((3, 2))}, r"gravity has shape \(3, 2\); expected \(3,\), or \(…, 3\) of each motion"),
        ((2,), {"gravity": np.zeros((4, 3))}, r"gravity has shape \(4, 3\).* of the batch \(2,\) of q0 and v0"),
        ((), {"gravity": np.zeros((4, 3)), "pairs.friction": np.ones(3)}, r"do not broadcast: gravity \(4,\), pairs"),
    ],
)
def test_parameters_of_other_batches_are_refused(lead, message, match):
    made = lw.Builder("ball").body("ball", 1.0, inertia=0.01).joint("free", "free", "world", "ball")
    model = made.shape("ball", "sphere", radius=0.1).build().with_ground()
    with pytest.raises(LinkwrightError, match=match):
        lw.rollout(model, np.broadcast_to(model.neutral(), (*lead, 7)), np.zeros(6), 3, parameters=message)
