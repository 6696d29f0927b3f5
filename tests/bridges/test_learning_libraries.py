"""Environments in the interfaces of learning libraries, against the libraries themselves."""

from functools import partial

import numpy as np
import pytest

import linkwright as lw

gymnasium = pytest.importorskip("gymnasium", reason="the extra gymnasium is not installed")

from linkwright.gymnasium import Env, Interface, VectorEnv  # noqa: E402

N = 3


def torque(model, t, q, v, *, action):
    return 3.0 * action


def upright(model, t, q, v, tau):
    return np.cos(q[0]) - 0.01 * v[0] ** 2


def far(model, t, q, v, *, angle):
    return abs(q[0]) > angle


def again(model, q0, v0, random):
    return q0 + random.uniform(-0.2, 0.2, 1), random.normal(0.1, 1)


def setting():
    space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)
    return dict(
        controller=torque,
        episode=lw.Episode(reward=upright, terminate=partial(far, angle=0.4), reset=again),
        interface=Interface(action_space=space, steps=20, limit=7),
    )


def environment():
    return VectorEnv(lw.load("pendulum"), N, **setting())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_stable_baselines3_sees_what_its_own_vector_of_single_ones_shows():
    pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    ours = lw.bridges.stable_baselines3(environment())
    theirs = DummyVecEnv([lambda: Env(lw.load("pendulum"), **setting())] * N)
    rng, ends = np.random.default_rng(), 0
    for env in (ours, theirs):
        env.seed(4)
    assert np.array_equal(ours.reset(), theirs.reset())
    for _ in range(40):
        actions = rng.uniform(-1.0, 1.0, (N, 1))
        one, other = ours.step(actions), theirs.step(actions)
        for x, y in zip(one[:3], other[:3], strict=True):
            assert np.array_equal(x, y)
        for info, expected in zip(one[3], other[3], strict=True):
            assert info.get("TimeLimit.truncated", False) == expected["TimeLimit.truncated"]
            if "terminal_observation" in expected:
                assert np.array_equal(info["terminal_observation"], expected["terminal_observation"])
                ends += 1
    assert ends > N
    PPO("MlpPolicy", ours, n_steps=4, batch_size=12, n_epochs=1, device="cpu").learn(12)


def test_rsl_rl_trains():
    pytest.importorskip("rsl_rl", reason="RSL-RL is not installed")
    import torch
    from rsl_rl.runners import OnPolicyRunner

    vector = environment()
    env = lw.bridges.rsl_rl(vector)
    ages, ended = env.episode_length_buf, np.zeros(N, dtype=bool)
    for _ in range(8):
        observed, rewards, done, extras = env.step(torch.zeros((N, 1)))
        done = done.numpy().astype(bool)
        assert not (extras["time_outs"].numpy() & ~done).any()
        assert not ages[done].any()
        ended |= done
    assert ended.all()  # by the limit of seven actions at the latest
    assert rewards.shape == (N,)
    assert np.array_equal(observed["policy"].numpy(), vector.observations.astype(np.float32))
    network = {"class_name": "MLPModel", "hidden_dims": [8], "activation": "tanh"}
    normal = {"class_name": "GaussianDistribution", "init_std": 0.5}
    settings = {
        "num_steps_per_env": 4,
        "save_interval": 100,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**network, "distribution_cfg": normal},
        "critic": network,
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 1},
    }
    OnPolicyRunner(env, settings).learn(2, init_at_random_ep_len=True)


def test_pufferlib_sees_the_vector_environment_in_its_buffers():
    pytest.importorskip("pufferlib", reason="PufferLib is not installed")
    import pufferlib.vector

    def made(buf=None, seed=None):
        return lw.bridges.pufferlib(environment(), buf)

    env = pufferlib.vector.make(made, num_envs=2, backend=pufferlib.vector.Serial)
    own = environment()
    first, _ = pufferlib.vector.reset(env, 5)
    assert first.shape == (2 * N, 2)
    assert np.array_equal(first[:N], own.reset(seed=5)[0].astype(np.float32))
    rng, lengths = np.random.default_rng(), []
    for _ in range(20):
        actions = rng.uniform(-1.0, 1.0, (2 * N, 1)).astype(np.float32)
        observed, rewards, terminated, truncated, infos = pufferlib.vector.step(env, actions)
        expected = own.hold(actions[:N])
        ended = expected[1] | expected[2]
        if ended.any():
            own.reset(options={"reset_mask": ended})
        np.testing.assert_array_equal(observed[:N], own.observations.astype(np.float32))
        for x, y in zip((rewards, terminated, truncated), expected, strict=True):
            np.testing.assert_array_equal(x[:N], y.astype(x.dtype))
        lengths += [info["episode_length"] for info in infos]
    assert 0.0 < np.mean(lengths) <= 7.0
    env.close()


def test_skrl_trains(tmp_path):
    pytest.importorskip("skrl", reason="skrl is not installed")
    import torch
    from skrl.envs.wrappers.torch import wrap_env

    vector = environment()
    env = wrap_env(vector, verbose=False)
    first, _ = env.reset()
    observed, rewards, *_ = env.step(torch.zeros((N, 1)))
    assert first.shape == observed.shape == (N, 2)
    assert rewards.shape == (N, 1)
    np.testing.assert_allclose(observed.cpu().numpy(), vector.observations, rtol=1e-6)
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.memories.torch import RandomMemory
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils.model_instantiators.torch import deterministic_model, gaussian_model

    network = [{"name": "net", "input": "OBSERVATIONS", "layers": [8], "activations": "elu"}]
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}
    models = {
        "policy": gaussian_model(**spaces, network=network, output="ACTIONS"),
        "value": deterministic_model(**spaces, network=network, output="ONE"),
    }
    settings = PPO_CFG()
    settings.rollouts, settings.learning_epochs, settings.mini_batches = 4, 1, 1
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    settings.experiment.directory = str(tmp_path)
    memory = RandomMemory(memory_size=4, num_envs=N, device=env.device)
    agent = PPO(models=models, memory=memory, cfg=settings, state_space=None, **spaces)
    trainer = {"timesteps": 8, "headless": True, "disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(cfg=trainer, env=env, agents=agent).train()
    assert all(torch.isfinite(x).all() for x in models["policy"].parameters())
    assert memory.filled


@pytest.mark.parametrize("bridge", ["stable_baselines3", "rsl_rl", "pufferlib"])
def test_other_objects_are_refused(bridge):
    pytest.importorskip(bridge, reason=f"{bridge} is not installed")
    with pytest.raises(lw.errors.ArgumentError, match=r"takes a linkwright\.gymnasium\.VectorEnv"):
        getattr(lw.bridges, bridge)(lw.load("pendulum"))
