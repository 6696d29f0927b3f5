"""Batches for reinforcement learning. Written by tools/write_examples.py from docs/how_to/batches.md: change that page."""

# %% [markdown]
# # Batches for reinforcement learning
#
# `lw.Batch` keeps many simulations of one mechanism in memory. Its arrays are the memory that compiled steps read and write. Write
# controls, take steps, read states: no array is allocated or converted.

# %%
import numpy as np
import linkwright as lw

robot = lw.load("quadruped").with_ground()
bent = np.tile([0.0, 0.7, -1.4], 4)
start = np.concatenate([[0.0, 0.0, 0.33], [1.0, 0.0, 0.0, 0.0], bent])
n, rng = 64, np.random.default_rng(0)


def legs(model, t, q, v, *, controls):
    efforts = lw.clip(40.0 * (controls - q[7:]) - v[6:], -40.0, 40.0)
    return np.concatenate([np.zeros(6), efforts])


from functools import partial

batch = lw.Batch(
    robot,
    n,
    start,
    step=2e-3,
    controller=partial(legs, controls=bent),
    parameters={"trunk.mass": rng.uniform(3.0, 9.0, n), "pairs.friction": 0.8},
    episode=lw.Episode(terminate=lambda model, t, q, v: q[2] < 0.2),
)
batch.controls[:] = bent + 0.1 * rng.standard_normal((n, 12))   # the targets of the springs, for each simulation
batch.step(10)
print(batch.q[0, 2], batch.time[0])

over = batch.status != batch.RUNNING
batch.reset(over)                                               # the others continue
batch.parameters["pairs.friction"][over] = rng.uniform(0.4, 1.0, over.sum())

# %% [markdown]
# Robots from MJCF files touch as the file says after `with_contact()`, and other robots after `with_ground()`.
# Without a controller `batch.controls` are those of the model's actuators, or the efforts of all joints but free ones.
#
# ## Arrays
#
# | array | shape | |
# |---|---|---|
# | `q`, `v` | (n, nq), (n, nv) | states |
# | `controls` | (n, …) | the value bound as `controls`, controls of actuators, or efforts |
# | `values["gain"]` | (n, …) or (…) | values bound to the controller, the reward or `terminate` |
# | `parameters["trunk.mass"]` | (n, …) | [parameters of the mechanism](domain_randomization.md) |
# | `start` | (n, nq), (n, nv) | states to which `reset` returns by default: at first the arguments `q0` and `v0` |
# | `activations` | (n, na) | of actuators; None if no actuator has one |
# | `time`, `status`, `rewards` | (n,) | time since the last reset; 0 running, 1 ended, 2 diverged; sum over the last `step` |
# | `reward_terms["speed"]` | (n,) | sum of a term over the last `step`, of a reward that returns a mapping |
# | `contact_forces` | (n, pairs, 3) | in N, world axes, on the first shape of each pair in the order of `model.pairs`; means over the last step |
# | `sensors["imu"]` | (n, size) | readings of the model's [sensors](drive_actuators.md#read-sensors), also of touch, force, torque and range |
# | `observe(function)` | (n, …) | result of `function(model, q, v)`; keyword-only arguments are `time` and entries of `values` |
# | `height_scan(points)` | (n, m) | height of the base above the ground at points (x forward, y left) in the yaw-aligned frame of the base: origin at the base, z vertical, x along its heading; beyond a height field that of its edge |
#
# Measured accelerations are means over the last step, and zero before the first step and after a reset. The arrays from
# `contact_forces` on are computed after each `step` and `reset`, from their first use on; they are read-only. They take into
# account the `parameters` of each simulation: masses, geometry and gravity. After a write into `q`, `v` or `parameters` `batch.refresh()` computes
# them again. Values that are written are not checked; assigned ones, such as `batch.q = q`, are checked and written. A simulation that diverges keeps its
# last finite state and stops; `status` reports it.

# %%
hills = lw.load("quadruped").with_ground(heights=0.1 * rng.random((40, 40)), size=(8.0, 8.0))
x, y = np.meshgrid(np.linspace(-0.4, 0.8, 7), np.linspace(-0.4, 0.4, 5))
there = lw.Batch(hills, n, start + np.eye(19)[2] * 0.1)
scan = there.height_scan(np.stack([x.ravel(), y.ravel()], axis=1))
there.step()
print(scan.shape)                                               # (64, 35)

# %% [markdown]
# `step(k)` repeated has the bits of one [`lw.rollout`](../topics/motion/rollouts.md), on any number of threads, also next to simulations
# that end. `method=lw.Integrator(threads=2)` sets the number of threads. With `cpus=[0, 1]` each processor simulates one part of the batch,
# always the same.
#
# ## Reset, stop and seed
#
# | call | |
# |---|---|
# | `reset(rows)` | starts simulations again from `start`; `rows`: truth values, indices or a slice, all by default |
# | `reset(rows, q, v)` | the same from these states; entries written into `start` apply to all later resets |
# | `stop(rows)` | ends simulations: they do not move, with the status 1, until `reset`. With `Episode(reset=…)` simulations start again where they end, and do not stop |
# | `seed(seed)` | sets the random numbers of noise and of random resets: one number for all simulations, which have different random numbers, or (n,) |

# %%
batch.start[0][:, 2] += 0.02                                    # all later starts are 2 cm higher
batch.stop(batch.q[:, 2] < 0.25)
batch.reset(batch.status != batch.RUNNING)

# %% [markdown]
# ## Tensors of the same memory
#
# With PyTorch installed (`pip install "linkwright[torch]"`):

# %%
import torch

q, controls = torch.from_numpy(batch.q), torch.from_numpy(batch.controls)
controls.zero_()
batch.step()
print(bool((q.numpy() == batch.q).all()))                       # True: it is one array

# %% [markdown]
# Tensors have float64. A policy of float32 copies its observations: `torch.from_numpy(seen).float()`.
#
# ## Learning libraries
#
# Environments with rewards, termination and observations are those of [Gymnasium](../topics/motion/rollouts.md#reinforcement-learning-libraries).
# They are built on a batch, and so are the adapters. Observations and rewards may take actions, commands and time, and each episode may
# draw its own masses and friction: [Train a quadruped to walk with PPO](ppo.md).
#
# | their tool | one line | what works | what does not |
# |---|---|---|---|
# | Gymnasium 1.1 | `env = VectorEnv(robot, 256, …)`, after `from linkwright.gymnasium import VectorEnv` | vector environments, seeds, `reset_mask`, pickling, `check_env` of `Env` | autoreset modes other than "next step" |
# | Stable-Baselines3 2.9 | `PPO("MlpPolicy", lw.bridges.stable_baselines3(env))` | `VecEnv`: PPO, `VecMonitor`, `VecNormalize`, `terminal_observation`, terms of the reward | wrappers and attributes of one motion: all share them |
# | RSL-RL 5.5 | `OnPolicyRunner(lw.bridges.rsl_rl(env), settings)` | `VecEnv` on the CPU, time-outs, random initial ages, terms of the reward in the log | one group of observations |
# | skrl 2.1 | `wrap_env(env)` | skrl's own wrapper of Gymnasium's vector environments; PPO | float64 spaces are converted to float32 |
# | PyTorch | `torch.from_numpy(batch.q)` | one memory | tensors on a GPU are copies |
# | PufferLib 3 (`pufferlib-core` 3.0) | `pufferlib.vector.make(made, …)`, where `made(buf, seed)` returns `lw.bridges.pufferlib(env, buf)` | `PufferEnv` in PufferLib's buffers, means over the episodes that end | its trainer loads libraries of CUDA; the package `pufferlib` itself requires NumPy 1 |
#
# ## Time
#
# `python benchmarks/batches.py` measures the processor time of a step in the same run, on one thread (AMD EPYC, two processors with
# other load; minima of 15 alternating rounds):
#
# | µs a step | 16 simulations | 256 simulations |
# |---|---|---|
# | quadruped on its feet, springs of 40 N m/rad: `lw.Batch` | 0.32 | 0.25 |
# | the same robot in mjbatch 0.1.4 (MuJoCo 3.14) | 8.0 | 8.0 |
# | the same robot in `mujoco.rollout` 3.14 | 8.3 | 8.1 |
# | Ant of Gymnasium's file, on the ground: `lw.Batch` | 0.74 | 0.53 |
# | EnvPool 1.2.5, its task Ant-v4 with observations and rewards | 32.5 | 33.5 |
#
# MuJoCo solves another contact model, by Newton's method to its default tolerance. EnvPool's steps include observations, rewards and new
# episodes, and integrate by the method of its task: its row does not compare the same computation.
#
# Sensors are compiled with the steps. Four of them, of force, torque and range, add 13 % to five steps of 256 of these quadrupeds, and 32 %
# (7 µs) to those of 16: the last step of each call has its own call of the kernel, for the accelerations. Rays of rangefinders to meshes and height fields are computed by NumPy, in milliseconds.
#
# ## Related pages
#
# - [Randomize the model of a simulation](domain_randomization.md)
# - [Train a quadruped to walk with PPO](ppo.md)
# - [Train a quadruped to trot](learning.md), by an evolution strategy
# - [Rollouts](../topics/motion/rollouts.md)
