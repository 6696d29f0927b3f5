"""A Go2 learns to walk by PPO: a few minutes on two processors.

    pip install "linkwright[gymnasium,robots]" stable-baselines3
    python examples/ppo_walk.py [--short] [--seed 0] [--actions 2.5e6] [--threads 1] [--to FOLDER]

Stable-Baselines3 trains a network of two hidden layers, with 512 robots in one vector environment of compiled steps.
Every 0.3 million actions the program tests the policy on 32 robots that shall walk at 0.5 m/s. It writes the policy,
go2.zip and go2.pkl, and an animation, go2.gif, into the folder. ``--short`` takes a few seconds and shows that
everything runs.

The policy acts 50 times a second. An action is an offset to the reference posture of the proportional–derivative
controllers of the joints. The robot observes which way is up,
its velocities and joints, its last action, its command (velocities forwards, to the left and of turning) and a clock of
2 Hz. The terms of the reward follow Rudin, Hoeller, Reist & Hutter, "Learning to walk in minutes using massively
parallel deep reinforcement learning" (CoRL 2021); feet that are as high as the clock says make the gait a trot. Each
episode has its own command, friction and payload, and observations are noisy.
"""

import argparse
import time
import warnings
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.visual.animations.animation import animate

STEP, HELD = 4e-3, 5
"""s; steps of an action"""
SCALE, STIFFNESS, DAMPING = 0.25, 30.0, 0.8
"""rad of an action of one; N m/rad and N m s/rad of the joints"""
BENT = np.array([0.1, 0.8, -1.5, -0.1, 0.8, -1.5, 0.1, 0.8, -1.5, -0.1, 0.8, -1.5])
START = np.concatenate([[0.0, 0.0, 0.32], [1.0, 0.0, 0.0, 0.0], BENT])
HERTZ, LIFT, RADIUS = 2.0, 0.07, 0.022
"""steps of each foot in a second; m that feet are lifted; m, of a foot"""
FEET = {"FL_foot": 1.0, "RR_foot": 1.0, "FR_foot": -1.0, "RL_foot": -1.0}
"""in which half of the clock each foot is lifted: one diagonal after the other"""
SLOWEST, FASTEST = np.array([0.3, -0.1, -0.3]), np.array([0.7, 0.1, 0.3])
"""range of the commands: m/s forwards and to the left, rad/s"""
WALK = np.array([0.5, 0.0, 0.0])


def clock(t):
    return np.stack([np.sin(2 * np.pi * HERTZ * t), np.cos(2 * np.pi * HERTZ * t)])


def springs(model, t, q, v, *, action, limits):
    """Efforts of springs towards the posture that the action shifts."""
    efforts = STIFFNESS * (BENT + SCALE * action - q[7:]) - DAMPING * v[6:]
    return np.concatenate([np.zeros(6), lw.clip(efforts, -limits, limits)])


def observe(model, q, v, *, time, action, command):
    """Observe numbers of about one; velocities of the base are in its axes."""
    up = lw.pose(model, q, "base")[2, :3]
    base = np.concatenate([up, 2.0 * v[:3], 0.25 * v[3:6], 2.0 * command])
    return np.concatenate([base, q[7:] - BENT, 0.05 * v[6:], action, clock(time)])


NOISE = np.concatenate([[0.02] * 3, [0.1] * 3, [0.03] * 3, [0.0] * 3, [0.01] * 12, [0.03] * 12, [0.0] * 14])
"""standard deviations of the entries of an observation"""


def reward(model, t, q, v, tau, *, action, previous_action, command):
    """Return the terms of the reward of a step."""
    T, change, hips = lw.pose(model, q, "base"), action - previous_action, q[7::3] - BENT[::3]
    lifted = [LIFT * lw.maximum(half * clock(t)[0], 0.0) for half in FEET.values()]
    heights = [lw.pose(model, q, foot)[2, 3] - RADIUS for foot in FEET]
    terms = {
        "upright": 0.5,
        "velocity": 1.5 * np.exp(-((v[0] - command[0]) ** 2 + (v[1] - command[1]) ** 2) / 0.1),
        "turning": 0.75 * np.exp(-4.0 * (v[5] - command[2]) ** 2),
        "bouncing": -2.0 * v[2] ** 2 - 0.05 * (v[3] ** 2 + v[4] ** 2),
        "level": -5.0 * (T[2, 0] ** 2 + T[2, 1] ** 2),
        "height": -20.0 * (T[2, 3] - 0.3) ** 2,
        "efforts": -2e-4 * (tau[6:] @ tau[6:]),
        "action_rate": -0.01 * (change @ change),
        "hips": -0.5 * (hips @ hips),
        "feet": -10.0 * sum(abs(height - wanted) for height, wanted in zip(heights, lifted, strict=True)),
    }
    return {name: STEP * term for name, term in terms.items()}


def fallen(model, t, q, v):
    T = lw.pose(model, q, "base")
    return (T[2, 3] < 0.18) | (T[2, 2] < 0.7)


def start(model, q0, v0, random, *, slowest, fastest):
    """Draw the start of an episode, its command, and parameters of the robot and of the ground."""
    q = np.concatenate([q0[:7], q0[7:] + random.uniform(-0.1, 0.1, 12)])
    drawn = {
        "command": random.uniform(slowest, fastest, 3),
        "pairs.friction": random.uniform(0.5, 1.0),
        "base.mass": random.uniform(6.5, 8.5),
    }
    return q, v0 + random.normal(0.1, 18), drawn


def environment(n, slowest=SLOWEST, fastest=FASTEST, limit=500, threads=1):
    """Return a vector environment of n robots."""
    import gymnasium

    from linkwright.gymnasium import Interface, VectorEnv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about an attribute in the file
        robot = lw.load("go2", root="free").with_ground()
    limits = np.concatenate([joint.effort_limit for joint in robot.joints[1:]])
    return VectorEnv(
        robot,
        n,
        START,
        step=STEP,
        controller=partial(springs, limits=limits),
        method=lw.Integrator(threads=threads),
        interface=Interface(
            observation=observe,
            noise=NOISE,
            action_space=gymnasium.spaces.Box(-10.0, 10.0, (12,), np.float32),
            steps=HELD,
            limit=limit,
        ),
        episode=lw.Episode(
            reward=reward,
            terminate=fallen,
            reset=partial(start, slowest=slowest, fastest=fastest),
        ),
    )


@dataclass(frozen=True)
class Progress:
    """Progress of a training."""

    policy: object
    normalized: object
    """vector environment of the training, with the mean and the variance of its observations"""
    actions: int
    seconds: float
    processors: float
    """s of processors"""
    motion: np.ndarray
    """(actions, 32, nq), with a commanded speed of 0.5 m/s"""
    fell: np.ndarray

    @property
    def speeds(self):
        """Mean speeds of the robots that did not fall, over the second half of the motion."""
        last = self.motion[len(self.motion) // 2 :, ~self.fell, :2]
        return np.linalg.norm(last[-1] - last[0], axis=1) / ((len(last) - 1) * STEP * HELD)

    @property
    def walks(self):
        return not self.fell.any() and np.median(self.speeds) > 0.48

    def __str__(self):
        low, middle, high = np.quantile(self.speeds, [0.0, 0.5, 1.0]) if len(self.speeds) else np.zeros(3)
        return (
            f"{self.actions / 1e6:4.1f} million actions, {self.seconds:4.0f} s, {self.processors:4.0f} s of processors:"
            f" {middle:.2f} m/s ({low:.2f} to {high:.2f}), {self.fell.sum()} of {len(self.fell)} fell"
        )


def training(env, test, seed, most, steps=24, updates=24, seconds=6.0):
    """Train in a vector environment until a number of actions; yield the progress, tested in another environment."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    env = VecNormalize(env, norm_reward=False)
    test = VecNormalize(test, training=False, norm_reward=False)
    test.obs_rms = env.obs_rms  # normalized as in the training
    policy = PPO(
        "MlpPolicy",
        env,
        n_steps=steps,
        batch_size=env.num_envs * steps // 4,
        n_epochs=5,
        learning_rate=5e-4,
        gamma=0.99,
        ent_coef=0.005,
        vf_coef=1.0,
        max_grad_norm=1.0,
        target_kl=0.015,
        policy_kwargs={"net_arch": [128, 64], "activation_fn": torch.nn.ELU},
        seed=seed,
        device="cpu",
    )
    actions, took, used = 0, 0.0, 0.0
    while actions < most:
        begun, processors = time.perf_counter(), time.process_time()
        policy.learn(updates * env.num_envs * steps, reset_num_timesteps=False)
        took, used = took + time.perf_counter() - begun, used + time.process_time() - processors
        actions += updates * env.num_envs * steps
        test.seed(1)
        yield Progress(policy, env, actions, took, used, *walk(policy, test, seconds))


def walk(policy, env, seconds):
    """Walk from new starts; return the configurations (actions, robots, nq), and which robots fell."""
    observed, motion, fell = env.reset(), [], np.zeros(env.num_envs, dtype=bool)
    for _ in range(round(seconds / (STEP * HELD))):
        observed, _, done, _ = env.step(policy.predict(observed, deterministic=True)[0])
        fell |= done
        motion.append(env.get_attr("q")[0])
    return np.stack(motion), fell


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", action="store_true", help="a few seconds: everything runs, no more")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--actions", type=float, default=2.5e6)
    arguments.add_argument("--threads", type=int, default=1, help="threads of the simulation and of PyTorch")
    arguments.add_argument("--to", type=Path, default=Path("."), metavar="FOLDER")
    options = arguments.parse_args()
    missing = [name for name in ("gymnasium", "torch", "stable_baselines3") if find_spec(name) is None]
    if missing:
        print(f"skipped: {missing[0]} is not installed: pip install 'linkwright[gymnasium,robots]' stable-baselines3")
        return
    if "go2" not in example_robots():
        print("skipped: example-robot-data is not installed: pip install 'linkwright[robots]'")
        return
    import torch

    torch.set_num_threads(options.threads)
    robots, most, size = (64, 1, dict(steps=8, updates=1, seconds=0.2)) if options.short else (512, options.actions, {})
    env, test = environment(robots, threads=options.threads), environment(32, WALK, WALK, None)
    for now in training(*map(lw.bridges.stable_baselines3, (env, test)), options.seed, most, **size):
        print(now, flush=True)
    options.to.mkdir(parents=True, exist_ok=True)
    now.policy.save(options.to / "go2.zip")
    now.normalized.save(str(options.to / "go2.pkl"))
    print("wrote", options.to / "go2.zip", "and", options.to / "go2.pkl")
    if not options.short:
        t = STEP * HELD * np.arange(100)
        print("wrote", animate(env.model, t, now.motion[-100:, 0], options.to / "go2.gif"))


if __name__ == "__main__":
    main()
