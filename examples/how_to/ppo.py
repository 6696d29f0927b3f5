"""Train a quadruped to walk with PPO. Written by tools/write_examples.py from docs/how_to/ppo.md: change that page."""

# %% [markdown]
# # Train a quadruped to walk with PPO
#
# Proximal policy optimization (PPO) of Stable-Baselines3 trains a network in a vector environment whose steps are compiled.
# `examples/ppo_walk.py` is the complete program for the Unitree Go2:
#
# ```
# pip install "linkwright[gymnasium,robots]" stable-baselines3
# python examples/ppo_walk.py
# ```
#
# ![Four moments of the learned trot of a Go2 with a commanded speed of 0.5 m/s](../pictures/ppo_walk.png)
#
# Median speed of 32 robots with a commanded speed of 0.5 m/s, noise, and random friction and payloads, and the processor time on one
# thread of an AMD EPYC with other load:
#
# | million actions | 0.6 | 0.9 | 1.2 | 1.5 | 1.8 | 2.1 | 2.4 |
# |---|---|---|---|---|---|---|---|
# | Stable-Baselines3, m/s | 0.04 | 0.22 | 0.40 | 0.45 | 0.46 | 0.48 | 0.48 |
# | processor time, s | 29 | 42 | 55 | 68 | 82 | 95 | 108 |
# | RSL-RL, m/s | 0.00 | 0.38 | 0.48 | 0.50 | 0.50 | 0.51 | 0.51 |
# | processor time, s | 27 | 39 | 52 | 65 | 77 | 90 | 102 |
# | Stable-Baselines3 with mjbatch 0.1.4 (MuJoCo 3.14), m/s | 0.00 | 0.00 | 0.40 | 0.48 | 0.49 | | |
# | processor time, s | 76 | 109 | 142 | 174 | 205 | | |
#
# The seed is 0. With Stable-Baselines3 seeds 1 and 2 have a median of 0.48 and 0.47 m/s after 1.8 million actions (78 and 77 s of
# processor time). No robot falls in 6 s from 1.2 million actions on, in mjbatch from 1.5 million on.
#
# In Linkwright about half of the time is that of the steps with rewards and observations, the other half that of the policy and of PPO. In
# mjbatch steps take 165 s of 205 s, with the same contact pairs, springs and options of PPO (`python benchmarks/walking.py mjbatch`).
# MuJoCo has its default contact solver, in which feet creep, and its rewards are evaluated once an action.
#
# ## Environment
#
# The policy acts 50 times a second. An action is an offset to the reference posture of the proportional–derivative
# controllers of the joints. These lines are those of the example, for the
# built-in quadruped:

# %%
import gymnasium
import numpy as np
import linkwright as lw
from linkwright.gymnasium import Interface, VectorEnv

robot = lw.load("quadruped").with_ground()
bent = np.tile([0.0, 0.7, -1.4], 4)
start = np.concatenate([[0.0, 0.0, 0.31, 1.0, 0.0, 0.0, 0.0], bent])


def springs(model, t, q, v, *, action):
    efforts = 30.0 * (bent + 0.25 * action - q[7:]) - 0.8 * v[6:]
    return np.concatenate([np.zeros(6), lw.clip(efforts, -40.0, 40.0)])


def observe(model, q, v, *, time, action, command):
    up = lw.pose(model, q, "trunk")[2, :3]
    clock = np.stack([np.sin(4.0 * np.pi * time), np.cos(4.0 * np.pi * time)])
    return np.concatenate([up, v[:3], 0.25 * v[3:6], command, q[7:] - bent, 0.05 * v[6:], action, clock])


def reward(model, t, q, v, tau, *, action, previous_action, command):
    change = action - previous_action
    return {
        "velocity": 0.004 * np.exp(-10.0 * ((v[0] - command[0]) ** 2 + (v[1] - command[1]) ** 2)),
        "action_rate": -4e-5 * (change @ change),
        "efforts": -1e-6 * (tau @ tau),
    }


def fallen(model, t, q, v):
    return (q[2] < 0.2) | (lw.pose(model, q, "trunk")[2, 2] < 0.7)


def reset(model, q0, v0, random):
    drawn = {
        "command": random.uniform([0.3, -0.1, -0.3], [0.7, 0.1, 0.3], 3),
        "pairs.friction": random.uniform(0.5, 1.0),
        "trunk.mass": random.uniform(3.0, 4.0),
    }
    return q0, v0 + random.normal(0.1, model.nv), drawn


env = VectorEnv(
    robot,
    64,
    start,
    step=4e-3,
    controller=springs,
    interface=Interface(
        observation=observe,
        noise=0.02,
        action_space=gymnasium.spaces.Box(-10.0, 10.0, (12,), np.float32),
        steps=5,
        limit=500,
    ),
    episode=lw.Episode(reward=reward, terminate=fallen, reset=reset),
)
observed, _ = env.reset(seed=0)
observed, rewards, terminated, truncated, info = env.step(np.zeros((64, 12)))
print(observed.shape, info["reward_terms"]["velocity"].mean())

# %% [markdown]
# | argument of a function | value |
# |---|---|
# | `action`, `previous_action` | the action that acts and the one before; zero at the start of an episode |
# | `time` | of observations: time since the start of the episode in s |
# | `command` and others | values that `reset` draws for each episode, by their names |
#
# - `v[:3]` and `v[3:6]` of a floating base are its linear and angular velocity in its own axes, as
#   [conventions](../reference/conventions.md) state.
# - Names that `reset` draws and no function takes are [parameters of the mechanism](domain_randomization.md#parameters-of-the-model):
#   each episode has its own friction, masses or geometry.
# - `noise` is the standard deviation of the normal noise that is added to the observation: one number, or one per entry.
# - A reward of named terms is their sum. `info["reward_terms"]` and `infos[k]["reward_terms"]` of Stable-Baselines3 are the sums of each term
#   over an episode; `extras["log"]` of RSL-RL are their means over the episodes that ended.
# - An episode that reaches `limit` is truncated, not terminated: the adapters report it as a time-out, and PPO continues its
#   return with the value of the last observation.
#
# ## Training

# %%
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

normalized = VecNormalize(lw.bridges.stable_baselines3(env), norm_reward=False)
policy = PPO(
    "MlpPolicy",
    normalized,
    n_steps=24,
    batch_size=64 * 24 // 4,
    n_epochs=5,
    learning_rate=5e-4,
    ent_coef=0.005,
    target_kl=0.015,
    policy_kwargs={"net_arch": [128, 64]},
    device="cpu",
)
policy.learn(64 * 24)                            # the example: 512 robots and 2.5 million actions

# %% [markdown]
# - `VecNormalize` normalizes observations by their mean and variance.
# - `target_kl` ends the epochs of an update that changes the policy too much.
# - A network of two small hidden layers suffices.
# - PyTorch is fastest here with one thread, `torch.set_num_threads(1)`.
#
# ## RSL-RL
#
# RSL-RL adapts the learning rate to the change of the policy. Its normalization is `obs_normalization`:
#
# ```py
# from rsl_rl.runners import OnPolicyRunner
#
# network = {"class_name": "MLPModel", "hidden_dims": [128, 64], "activation": "elu", "obs_normalization": True}
# normal = {"class_name": "GaussianDistribution", "init_std": 1.0}
# settings = {
#     "num_steps_per_env": 24,
#     "save_interval": 100,
#     "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
#     "actor": {**network, "distribution_cfg": normal},
#     "critic": network,
#     "algorithm": {
#         "class_name": "PPO",
#         "num_learning_epochs": 5,
#         "num_mini_batches": 4,
#         "learning_rate": 1e-3,
#         "schedule": "adaptive",
#         "desired_kl": 0.01,
#         "entropy_coef": 0.005,
#     },
# }
# runner = OnPolicyRunner(lw.bridges.rsl_rl(env), settings, log_dir="logs")
# runner.learn(200, init_at_random_ep_len=True)
# ```
#
# ## Related pages
#
# - [Batches for reinforcement learning](batches.md): live arrays and other libraries
# - [Train a quadruped to trot](learning.md), by an evolution strategy, without other packages
