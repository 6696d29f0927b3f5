"""Environments whose functions take actions and drawn values, terms of rewards, noise of observations."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

import linkwright as lw

gymnasium = pytest.importorskip("gymnasium", reason="the extra gymnasium is not installed")

from linkwright.gymnasium import Interface, VectorEnv  # noqa: E402

N, STEPS, H = 3, 5, 1e-3
SPACE = gymnasium.spaces.Box(-10.0, 10.0, (1,), np.float64)


def torque(model, t, q, v, *, action, gain):
    return gain * action


def terms(model, t, q, v, tau, *, action, previous_action, command):
    change = action[0] - previous_action[0]
    return {"follow": -((v[0] - command[0]) ** 2), "rate": -change * change, "effort": tau @ tau}


def observe(model, q, v, *, time, action, previous_action, command, gain):
    weight = lw.potential_energy(model, np.zeros(1))  # proportional to the mass
    return np.concatenate([q, v, action, previous_action, command, np.stack([time, gain, weight])])


def start(model, q0, v0, random):
    drawn = {"command": random.uniform(-1.0, 1.0, 2), "gain": random.uniform(1.0, 2.0)}
    return q0 + random.uniform(-0.1, 0.1, 1), v0, {**drawn, "rod.mass": random.uniform(0.5, 1.5)}


@pytest.fixture(scope="module")
def pendulum():
    return lw.load("pendulum")


def environment(model, reset=start, reward=terms, controller=torque, parameters=None, **more):
    interface = Interface(**{"observation": observe, "action_space": SPACE, "steps": STEPS, "limit": 4, **more})
    episode = lw.Episode(reward=reward, reset=reset)
    return VectorEnv(
        model, N, step=H, controller=controller, episode=episode, interface=interface, parameters=parameters
    )


def parts(observed):
    """Return q, v, action, previous action, command, time, gain, and the potential energy at q = 0."""
    return np.split(observed, [1, 2, 3, 4, 6, 7, 8], axis=1)


def test_functions_take_actions_and_what_each_episode_draws(pendulum):
    env, rng = environment(pendulum), np.random.default_rng()
    first, _ = env.reset(seed=int(rng.integers(1000)))
    _, v, action, previous, command, time, gain, weight = parts(first)
    assert not np.concatenate([action, previous, time, v]).any()
    assert len(np.unique(command)) == 2 * N
    assert ((abs(command) < 1.0) & (gain > 1.0) & (gain < 2.0)).all()
    mass = weight[:, 0] / lw.potential_energy(pendulum, [0.0])
    assert len(np.unique(mass)) == N
    last, sums = np.zeros((N, 1)), np.zeros((2, N))
    for k in range(3):
        q, v, given = env.q.copy(), env.v.copy(), rng.uniform(-1.0, 1.0, (N, 1))
        observed, rewards, *_, info = env.step(given)
        found = parts(observed)
        for x, expected in zip(found[2:5], (given, last, command), strict=True):
            assert np.array_equal(x, expected)
        np.testing.assert_allclose(found[5], (k + 1) * STEPS * H)
        for one in range(N):  # the same motion of a pendulum of this mass, under these values
            law = partial(torque, action=given[one], gain=gain[one, 0])
            task = partial(terms, action=given[one], previous_action=last[one], command=command[one])
            model = pendulum.with_link("rod", mass=mass[one], inertia=pendulum.bodies[0].inertia)
            alone = lw.rollout(model, q[one], v[one], STEPS, H, law, episode=lw.Episode(reward=task))
            np.testing.assert_allclose(observed[one, :2], np.concatenate([alone.q[-1], alone.v[-1]]), rtol=1e-9)
            np.testing.assert_allclose(rewards[one], alone.reward, rtol=1e-9)
        sums += [-STEPS * (given - last)[:, 0] ** 2, STEPS * (gain * given)[:, 0] ** 2]
        np.testing.assert_allclose([info["reward_terms"][name] for name in ("rate", "effort")], sums, rtol=1e-9)
        last = given
    env.step(last)  # the limit
    again = parts(env.step(last)[0])
    assert not np.concatenate([again[2], again[3], again[5]]).any()
    assert not np.isin(again[4], command).any()
    assert not np.isin(again[7], weight).any()
    assert not any(x.any() for x in env.reward_terms.values())


def test_noise_of_observations_has_the_given_deviations_and_depends_on_the_seed(pendulum):
    scale = np.concatenate([[0.1, 0.5], np.zeros(7)])
    clean, noisy = environment(pendulum), environment(pendulum, noise=scale)
    errors = []
    for seed in range(40):
        first, second = clean.reset(seed=N * seed)[0], noisy.reset(seed=N * seed)[0]
        errors += [second - first, *(noisy.step(x)[0] - clean.step(x)[0] for x in np.ones((3, N, 1)))]
        assert np.array_equal(noisy.q, clean.q)
    assert not np.array(errors)[..., 2:].any()
    deviations = np.concatenate(errors)[:, :2].std(axis=0) / scale[:2]
    np.testing.assert_allclose(deviations, 1.0, atol=0.2)
    assert len(np.unique(np.array(errors)[..., 0])) == np.array(errors)[..., 0].size
    assert np.array_equal(noisy.reset(seed=3)[0], noisy.reset(seed=3)[0])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_with_values_and_noise(pendulum, duplicate):
    first, rng = environment(pendulum, noise=0.1), np.random.default_rng()
    first.reset(seed=int(rng.integers(1000)))
    first.step(rng.uniform(-1.0, 1.0, (N, 1)))
    second = duplicate(first)
    assert np.array_equal(first.observations, second.observations)
    for _ in range(7):
        action = rng.uniform(-1.0, 1.0, (N, 1))
        for x, y in zip(first.step(action)[:4], second.step(action)[:4], strict=True):
            assert np.array_equal(x, y)
        assert not np.shares_memory(first.observations, second.observations)


def test_learning_libraries_get_the_terms_of_the_reward(pendulum):
    for bridge in ("stable_baselines3", "rsl_rl"):
        pytest.importorskip(bridge, reason=f"{bridge} is not installed")
        vector = environment(pendulum)
        env = getattr(lw.bridges, bridge)(vector)
        env.reset() if bridge == "stable_baselines3" else None
        for k in range(4):
            given = np.ones((N, 1))
            if bridge == "rsl_rl":
                import torch

                given = torch.from_numpy(given)
            *_, infos = env.step(given)
            if k < 3:
                sums = vector.reward_terms
        if bridge == "stable_baselines3":
            found = [info["reward_terms"]["effort"] for info in infos]
        else:
            found = infos["log"]["Episode_Reward/effort"]
        np.testing.assert_allclose(np.mean(found), 4.0 / 3.0 * sums["effort"].mean(), rtol=1e-6)


def test_observations_of_batches_take_bound_values_and_further_arrays(pendulum):
    batch = lw.Batch(pendulum, 2, controller=partial(torque, action=np.ones(1), gain=2.0))
    goal = np.array([[1.0], [2.0]])

    def error(model, q, v, *, goal, gain, time, factor=1.0):
        return np.concatenate([factor * (goal - q), np.stack([gain, time])])

    seen = batch.observe(error, {"goal": goal})
    goal[:] = 3.0
    batch.values["gain"][...] = 4.0
    batch.step(3)
    np.testing.assert_allclose(seen, np.concatenate([3.0 - batch.q, [[4.0, 3e-3]] * 2], axis=1), rtol=1e-12)
    for wrong in (np.ones((3, 1)), np.ones((2, 1), np.float32), [[1.0], [2.0]]):
        with pytest.raises(lw.errors.ShapeError, match="the value 'goal' of an observation"):
            batch.observe(error, {"goal": wrong})
    with pytest.raises(lw.errors.UnknownNameError, match="goal"):
        batch.observe(error)


def drawing(**values):
    return lambda model, q0, v0, random: (q0, v0, values)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (dict(reset=drawing(gain=1.0, speed=1.0)), "speed"),
        (dict(reset=drawing(gain=1.0, command=np.zeros(2), **{"rod.mass": np.ones(2)})), "expected one number"),
        (dict(reset=drawing(gain=1.0, command=np.zeros(2), **{"rot.mass": 1.0})), "rot"),
        (dict(parameters={"rod.mass": 1.0}), "drawn by reset"),
        (dict(reset=lambda model, q0, v0, random: (q0, v0, 1.0)), "command"),
        (dict(reset=drawing(gain=1.0)), "command"),
        (dict(reset=drawing(gain=1.0, action=1.0)), "'action', an argument that environments set"),
        (dict(observation=lambda model, q, v, time: q), "keyword-only"),
        (dict(observation=lambda model, q, v, *, tme: q), "'tme'"),
        (dict(reward=lambda model, t, q, v, tau: {}), "returns"),
        (dict(reward=lambda model, t, q, v, tau: {"speed": v, "rate": None}), "returned None"),
        (dict(controller=partial(torque, gain=1.0)), "'gain' is drawn by reset, and bound"),
        (dict(reward=lambda model, t, q, v, tau, *, gian: 0.0), "unknown argument of the reward 'gian'"),
        (dict(noise=-1.0), "not negative"),
        (dict(noise=np.nan), "not negative"),
        (dict(noise=np.ones(2)), r"noise has shape \(2,\); expected one number or \(9,\)"),
    ],
)
def test_wrong_values_are_reported(pendulum, more, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        environment(pendulum, **more)


@pytest.mark.parametrize(
    "draw", [np.random.uniform, np.random.default_rng().uniform, lambda: np.random.default_rng().random()]
)
def test_resets_that_draw_from_other_generators_are_refused(pendulum, draw):
    with pytest.raises(lw.errors.ArgumentError, match=r"draws from its argument random"):
        environment(pendulum, reset=lambda model, q0, v0, random: (q0 + draw(), v0, start(model, q0, v0, random)[2]))


def test_resets_return_values_of_the_same_names(pendulum):
    def sometimes(model, q0, v0, random):
        q, v, drawn = start(model, q0, v0, random)
        return q, v, drawn if isinstance(q0[0], float) else {"gain": 1.0}

    with pytest.raises(lw.errors.ArgumentError, match="same names in every call"):
        environment(pendulum, reset=sometimes)


@pytest.mark.parametrize(
    ("name", "low", "high", "message"),
    [("gain", -2.0, -1.0, "reset drew gain that is not finite"), ("rod.mass", -3.0, -1.0, "rod.mass must not")],
)
def test_drawn_values_are_checked(pendulum, name, low, high, message):
    def wrong(model, q0, v0, random):
        q, v, drawn = start(model, q0, v0, random)
        x = random.uniform(low, high)
        return q, v, {**drawn, name: np.sqrt(x) if name == "gain" else x}

    with pytest.raises(lw.errors.InputError, match=message):
        environment(pendulum, reset=wrong).reset(seed=0)


def test_rewards_that_are_not_finite_are_reported_except_where_the_motion_diverges(pendulum):
    def reward(model, t, q, v, tau, *, action):
        return {"speed": -v[0] * v[0], "root": np.sqrt(1.0 - action[0])}

    def drive(model, t, q, v, *, action):
        return action * np.exp(abs(v)) * v

    def moving(model, q0, v0, random):
        return q0, v0 + random.uniform(0.5, 1.0, 1)

    env = environment(
        pendulum, moving, reward, drive, observation=None, action_space=gymnasium.spaces.Box(-1e6, 1e6, (1,)), steps=40
    )
    env.reset(seed=0)
    _, rewards, terminated, *_, info = env.step(np.array([[0.0], [0.0], [1e6]]))
    assert terminated.tolist() == [False, False, True]
    assert np.isfinite(rewards).all()
    assert all(np.isfinite(x).all() for x in info["reward_terms"].values())
    with pytest.raises(lw.errors.InputError, match="the reward, its term 'root', of motion 1 is not finite"):
        env.step(np.array([[0.0], [2.0], [0.0]]))
