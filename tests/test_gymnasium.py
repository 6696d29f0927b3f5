"""Environments: Gymnasium's own checks, its way to begin again, and the motions of rollouts."""

import copy
import pickle
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
import setups

gymnasium = pytest.importorskip("gymnasium", reason="the extra gymnasium is not installed")

from linkwright.gymnasium import Env, Interface, VectorEnv  # noqa: E402

grouped = partial(setups.grouped, {**setups.OBJECTS, "interface": Interface})


def upright(model, t, q, v, tau):
    return np.cos(q[0]) - 0.01 * v[0] ** 2


def seen(model, q, v):
    return np.stack([np.cos(q[0]), np.sin(q[0]), v[0]])


def torque(model, t, q, v, *, action):
    return 3.0 * action


def far(model, t, q, v, *, angle):
    return abs(q[0]) > angle


def anew(model, q0, v0, random):
    return q0 + random.uniform(-0.5, 0.5, 1), random.normal(0.1, 1)


@pytest.fixture(scope="module")
def pendulum():
    return lw.load("pendulum")


def setting(**more):
    space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)
    return dict(reward=upright, observation=seen, controller=torque, action_space=space, reset=anew, steps=20, **more)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasiums_own_checks_pass(pendulum):
    from gymnasium.utils.env_checker import check_env

    check_env(Env(pendulum, **grouped(terminate=partial(far, angle=2.0), limit=50, **setting())))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_it_is_what_gymnasium_makes_of_single_ones(pendulum):
    """Motion by motion the same as Gymnasium's own vector of single environments, also where they begin again."""
    of = setting(terminate=partial(far, angle=0.3), limit=7)
    ours = VectorEnv(pendulum, 3, **grouped(**of))
    theirs = gymnasium.vector.SyncVectorEnv([lambda: Env(pendulum, **grouped(**of))] * 3)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    a, b = ours.reset(seed=5)[0], theirs.reset(seed=5)[0]
    assert np.array_equal(a, b)
    ours.action_space.seed(1)
    ended = np.zeros(2, dtype=int)
    for _ in range(60):
        actions = ours.action_space.sample()
        one, other = ours.step(actions), theirs.step(actions)
        for x, y in zip(one[:4], other[:4], strict=True):
            assert np.array_equal(x, y)
        ended += one[2].sum(), one[3].sum()
    assert (ended > 3).all()


def test_an_action_is_held_for_some_steps_of_a_rollout(pendulum):
    of = VectorEnv(pendulum, 2, **grouped(q0=np.array([[0.3], [0.7]]), **{**setting(), "reset": None}))
    of.reset(seed=0)
    actions = np.array([[0.5], [-1.0]])
    observed, rewards, terminated, truncated, _ = of.step(actions)
    found = lw.rollout(
        pendulum,
        [[0.3], [0.7]],
        [0.0],
        20,
        controller=partial(torque, action=actions),
        actuation=lw.Actuation(each=["action"]),
        episode=lw.Episode(reward=upright),
    )
    assert np.array_equal(of.q, found.q[0])
    np.testing.assert_allclose(observed[:, 1], np.sin(found.q[0, :, 0]), rtol=1e-12)
    np.testing.assert_allclose(rewards, found.reward, rtol=1e-12)
    assert not terminated.any()
    assert not truncated.any()


def test_without_a_law_actions_are_efforts_within_limits():
    arm = lw.load("arm7")
    of = VectorEnv(arm, 2, episode=lw.Episode(reward=upright))
    limits = np.concatenate([joint.effort_limit for joint in arm.joints])
    assert np.array_equal(of.single_action_space.high, limits)
    assert of.reset(seed=0)[0].shape == (2, 14)
    assert of.step(np.zeros((2, 7)))[0].shape == (2, 14)


def test_without_a_law_actions_are_controls_of_actuators_within_their_ranges():
    arm = lw.load("two_link").with_actuators(
        lw.Actuator("servo", "joint2", gain=(30.0, 0.0, 0.0), bias=(0.0, -30.0, -5.0), control_range=(-0.5, 1.0)),
    )
    of = VectorEnv(arm, 3, step=2e-3, episode=lw.Episode(reward=upright))
    space = of.single_action_space
    assert (space.low.tolist(), space.high.tolist()) == ([-0.5], [1.0])
    of.reset(seed=0)
    actions = np.array([[-0.5], [0.3], [1.0]])
    seen_now = of.step(actions)[0]
    batch = lw.Batch(arm, 3, step=2e-3)
    batch.controls[:] = actions
    batch.step(10)
    assert np.array_equal(seen_now, np.concatenate([batch.q, batch.v], axis=1))
    free = arm.with_actuators(lw.Actuator("motor", "joint1"))
    with pytest.raises(lw.errors.ArgumentError, match=r"of 'two_link' have no control range: motor; give Interface"):
        VectorEnv(free, 3, episode=lw.Episode(reward=upright))


def test_a_robot_on_the_ground_with_noise_and_masses_of_its_own():
    robot = lw.load("quadruped").with_ground()
    posture = np.tile([0.0, 0.7, -1.4], 4)
    q0 = np.concatenate([[0.0, 0.0, 0.33, 1.0, 0.0, 0.0, 0.0], posture])

    def legs(model, t, q, v, *, action):
        return np.concatenate([np.zeros(6), 40.0 * (posture + 0.3 * action - q[7:]) - v[6:]])

    of = VectorEnv(
        robot,
        3,
        controller=legs,
        q0=q0,
        step=2e-3,
        parameters={"pairs.friction": np.array([0.2, 0.5, 0.9])},
        actuation=lw.Actuation(noise={"q": 0.01, "v": 0.05}),
        episode=lw.Episode(reward=lambda model, t, q, v, tau: v[0], terminate=lambda model, t, q, v: q[2] < 0.1),
        interface=Interface(action_space=gymnasium.spaces.Box(-1.0, 1.0, (12,), np.float64), steps=4),
    )
    runs = []
    for _ in range(2):
        of.reset(seed=3)
        of.action_space.seed(2)
        runs.append([of.step(of.action_space.sample())[0] for _ in range(20)])
    assert np.array_equal(*runs)
    assert np.isfinite(runs[0]).all()
    assert len(np.unique(runs[0][-1][:, 2])) == 3


def test_observations_and_starts_are_those_of_the_parameters():
    """Lengths of links, which a model of one motion has in itself."""
    lengths = np.array([0.5, 1.5])

    def tip(model, q, v):
        return lw.pose(model, q, "tip")[:3, 3]

    def near(model, q0, v0, random):
        return q0 + 0.1 * lw.pose(model, q0, "tip")[:2, 3], v0

    arm = lw.load("two_link")
    more = dict(
        controller=lambda model, t, q, v, *, action: action,
        interface=Interface(observation=tip, action_space=gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float64)),
        episode=lw.Episode(reward=lambda model, t, q, v, tau: v[0], reset=near),
    )
    several = VectorEnv(arm, 2, [0.3, 0.4], parameters={"joint2.distance": lengths}, **more)
    found, (after, *_) = several.reset(seed=0)[0], several.step(np.ones((2, 2)))
    for k, length in enumerate(lengths):
        alone = VectorEnv(arm.with_geometry({"joint2.distance": length}), 1, [0.3, 0.4], **more)
        np.testing.assert_allclose(found[k], alone.reset(seed=0)[0][0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(after[k], alone.step(np.ones((1, 2)))[0][0], rtol=1e-9, atol=1e-12)


def test_the_page_runs():
    """The environments of `docs/topics/motion/rollouts.md` run after the blocks above them."""
    page = Path(__file__).parents[1] / "docs" / "topics" / "motion" / "rollouts.md"
    blocks = re.findall(r"```(?:python|py)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert any("VectorEnv" in block for block in blocks)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), scope)


def test_some_begin_again_where_they_are_reported(pendulum):
    of = VectorEnv(pendulum, 3, **grouped(**setting()))
    of.reset(seed=1)
    of.step(np.zeros((3, 1)))
    before = of.q.copy()
    of.reset(options={"reset_mask": np.array([True, False, True])})
    assert np.array_equal(of.q[1], before[1])
    assert not np.array_equal(of.q[0], before[0])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (dict(num_envs=0), "num_envs is a whole number from 1"),
        (dict(action_space=None), "a controller needs the space of its actions"),
        (dict(controller=None, action_space=None), r"give Interface\(action_space"),
        (dict(controller=lambda model, t, q, v: v), r"controller\(model, t, q, v, \*, action\)"),
        (dict(discount=0.9), "takes no discount"),
        (dict(controller=None, action_space=gymnasium.spaces.Box(-1.0, 1.0, (2,))), r"efforts \(1,\) .* shape \(2,\)"),
        (dict(observation_space=gymnasium.spaces.Box(-1.0, 1.0, (4,))), r"observations have shape \(3,\)"),
        (dict(observation_space=3), "observation_space is a"),
        (dict(observation=3), r"an observation is a function .* got 3"),
        (dict(observation=lambda model, q, v: {"q": q}), "a dict with the keys 'q'"),
        (dict(observation=lambda model, q, v: (q, np.zeros(3))), "parts of different shapes"),
        (dict(terminate=lambda model, t, q, v: lw.stack([q[0], v[0]]) > 1.0), r"2 conditions .* add \.any\(\)"),
        (dict(terminate=lambda model, t, q, v: None), "is its `return` missing"),
    ],
)
def test_what_is_wrong_is_reported(pendulum, more, said):
    with pytest.raises(lw.errors.LinkwrightError, match=said):
        VectorEnv(pendulum, **grouped(**{"num_envs": 2, **setting(), **more}))


def test_actions_of_another_shape_are_refused(pendulum):
    of = VectorEnv(pendulum, 2, **grouped(**setting()))
    of.reset(seed=0)
    with pytest.raises(lw.errors.ShapeError, match=r"expected \(2, 1\)"):
        of.step(np.zeros(2))
    with pytest.raises(lw.errors.InputError, match="not finite"):
        of.step(np.full((2, 1), np.nan))
    with pytest.raises(lw.errors.InputError, match="seed is a whole number"):
        of.reset(seed=-1)
    with pytest.raises(lw.errors.ArgumentError, match="reset_mask"):
        of.reset(options={"mask": np.ones(2, dtype=bool)})
    with pytest.raises(ValueError, match="read-only"):
        of.q[:] = 1.0


def test_pictures(pendulum):
    several = VectorEnv(pendulum, 2, **grouped(render_mode="rgb_array", **setting()))
    several.reset(seed=1)
    one, other = several.render()
    assert one.dtype == np.uint8
    assert one.ndim == 3
    assert one.shape[2] == 3
    assert one.shape == other.shape
    assert not np.array_equal(one, other)
    assert np.array_equal(several.render()[0], one)
    single = Env(
        lw.load("quadruped"),
        episode=lw.Episode(reward=lambda model, t, q, v, tau: q[2]),
        interface=Interface(render_mode="rgb_array"),
    )
    single.reset(seed=0)
    near = single.render()
    single._several._batch.q[0, 0] += 3.0  # it is followed: what has gone away is still in the middle of the picture
    dark = [np.argwhere(picture.max(axis=2) < 60)[:, 1].mean() for picture in (near, single.render())]
    assert abs(dark[0] - dark[1]) < 0.02 * near.shape[1]
    assert VectorEnv(pendulum, 2, **grouped(**setting())).render() is None


def test_copies_go_on_alike(pendulum):
    first = VectorEnv(pendulum, 3, **grouped(**setting(terminate=partial(far, angle=0.3), limit=7)))
    first.reset(seed=4)
    first.action_space.seed(2)
    for _ in range(5):
        first.step(first.action_space.sample())
    second = pickle.loads(pickle.dumps(first))
    for _ in range(12):
        action = first.action_space.sample()
        for x, y in zip(first.step(action)[:4], second.step(action)[:4], strict=True):
            assert np.array_equal(x, y)
    one = Env(pendulum, **grouped(**setting()))
    one.reset(seed=1)
    other = copy.deepcopy(one)
    assert np.array_equal(one.step([0.5])[0], other.step([0.5])[0])


def test_what_environments_do_not_take_is_reported(pendulum):
    with pytest.raises(lw.errors.ArgumentError, match="has no argument 'rewards'"):
        VectorEnv(pendulum, 2, **grouped(rewards=upright, **setting()))
    with pytest.raises(lw.errors.InputError, match="rgb_array"):
        Env(pendulum, **grouped(render_mode="human", **setting()))
    with pytest.raises(lw.errors.InputError, match=r"before the first reset"):
        VectorEnv(pendulum, 2, **grouped(**setting())).step(np.zeros((2, 1)))
    with pytest.raises(lw.errors.ArgumentError, match="num_envs"):
        Env(pendulum, **grouped(num_envs=3, **setting()))
