"""Compare the training of examples/ppo_walk.py with the same training in mjbatch: processor time to walk at 0.5 m/s.

    pip install mjbatch stable-baselines3
    python benchmarks/walking.py linkwright [seed]
    python benchmarks/walking.py mjbatch [seed]

Both train the same network with the same options of PPO on one thread, on the same robot, springs, observations, noise,
ranges of commands, friction and masses. In mjbatch only the pairs of the example touch, actuators of MuJoCo are the
springs, the solver has MuJoCo's default options (feet creep; with cone="elliptic" and impratio=100 the robot stands as
in the example, and steps take 2.7 times as long), and NumPy computes observations and rewards: the rewards once an
action, times its steps, as evaluating them in each step would need five calls. A policy walks when 32 robots on command
0.5 m/s reach a median of 0.48 m/s and none falls in 6 s.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import ppo_walk as task

MOST = 4e6
"""actions"""


def mujoco_model() -> Any:
    """Return the robot of the example for MuJoCo, with its springs as actuators."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = lw.load("go2", root="free").with_ground()
        spec = mujoco.MjSpec.from_file(str(robot.save(Path(folder) / "go2.xml")))
        spec.option.timestep = task.STEP
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
        for geom in spec.geoms:  # only the explicit pairs touch
            geom.contype = geom.conaffinity = 0
        for joint in robot.joints[1:]:
            limit = float(joint.effort_limit[0])
            actuator = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=task.STIFFNESS, kv=task.DAMPING)
            actuator.forcerange, actuator.forcelimited = [-limit, limit], True
        return spec.compile()


class MjbatchEnv(VecEnv):
    """The task of the example in mjbatch, as a ``VecEnv`` of Stable-Baselines3."""

    def __init__(self, n: int, slowest: np.ndarray, fastest: np.ndarray, limit: float):
        import gymnasium
        import mjbatch

        model = mujoco_model()
        self.batch, self.limit = mjbatch.Batch(model, n, num_threads=1), limit
        self.qpos, self.qvel, self.ctrl = (self.batch.bind(name) for name in ("qpos", "qvel", "ctrl"))
        self.force, xpos = self.batch.bind("actuator_force"), self.batch.bind("xpos")
        self.friction, self.mass = self.batch.expand("pair_friction"), self.batch.expand("body_mass")
        self.base = model.body("base").id
        self.feet = [xpos[:, model.body(name).id, 2] for name in task.FEET]
        self.slowest, self.fastest, self.rng = slowest, fastest, np.random.default_rng()
        self.command, self.age = np.zeros((n, 3)), np.zeros(n, dtype=int)
        self.action, self.previous = np.zeros((2, n, 12))
        self.physics = 0.0
        self.render_mode = None
        size = len(task.NOISE)
        spaces = gymnasium.spaces.Box(-np.inf, np.inf, (size,)), gymnasium.spaces.Box(-10.0, 10.0, (12,))
        super().__init__(n, *spaces)

    def reset(self) -> np.ndarray:
        seeds = [seed for seed in self._seeds if seed is not None]
        self._reset_seeds()
        if seeds:
            self.rng = np.random.default_rng(seeds[0])
        self.start(np.ones(self.num_envs, dtype=bool))
        return self.observations()

    def start(self, mask: np.ndarray) -> None:
        k, rng = int(mask.sum()), self.rng
        self.command[mask] = rng.uniform(self.slowest, self.fastest, (k, 3))
        self.friction[mask, :, :2] = rng.uniform(0.5, 1.0, k)[:, None, None]
        self.mass[mask, self.base] = rng.uniform(6.5, 8.5, k)
        q = np.tile(task.START, (k, 1))
        q[:, 7:] += rng.uniform(-0.1, 0.1, (k, 12))
        self.qpos[mask], self.qvel[mask] = q, 0.1 * rng.standard_normal((k, 18))
        self.ctrl[mask], self.action[mask], self.previous[mask], self.age[mask] = task.BENT, 0.0, 0.0, 0
        begun = time.process_time()
        self.batch.reset(mask)
        self.physics += time.process_time() - begun

    def base_velocity(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the third row of the rotation matrices, and velocities in the axes of the base."""
        w, x, y, z = self.qpos[:, 3:7].T
        R = np.stack(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        linear = np.einsum("ijn,ni->nj", R, self.qvel[:, :3])
        return R[2].T, np.concatenate([linear, self.qvel[:, 3:6]], axis=1)

    def clock(self) -> np.ndarray:
        return task.clock(task.STEP * task.HELD * self.age).T

    def observations(self) -> np.ndarray:
        up, v = self.base_velocity()
        base = [up, 2.0 * v[:, :3], 0.25 * v[:, 3:], 2.0 * self.command]
        joints = [self.qpos[:, 7:] - task.BENT, 0.05 * self.qvel[:, 6:]]
        clean = np.concatenate([*base, *joints, self.action, self.clock()], axis=1)
        return (clean + task.NOISE * self.rng.standard_normal(clean.shape)).astype(np.float32)

    def step_async(self, actions: np.ndarray) -> None:
        self.previous, self.action = self.action, actions.astype(float)
        self.ctrl[:] = task.BENT + task.SCALE * self.action

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        begun = time.process_time()
        self.batch.step(nstep=task.HELD)
        self.physics += time.process_time() - begun
        self.age += 1
        up, v = self.base_velocity()
        height = self.qpos[:, 2]
        change, hips = self.action - self.previous, self.qpos[:, 7::3] - task.BENT[::3]
        reward = (
            0.5
            + 1.5 * np.exp(-((v[:, 0] - self.command[:, 0]) ** 2 + (v[:, 1] - self.command[:, 1]) ** 2) / 0.1)
            + 0.75 * np.exp(-4.0 * (v[:, 5] - self.command[:, 2]) ** 2)
            - 2.0 * v[:, 2] ** 2
            - 0.05 * (v[:, 3] ** 2 + v[:, 4] ** 2)
            - 5.0 * (up[:, 0] ** 2 + up[:, 1] ** 2)
            - 20.0 * (height - 0.3) ** 2
            - 2e-4 * (self.force**2).sum(axis=1)
            - 0.01 * (change**2).sum(axis=1)
            - 0.5 * (hips**2).sum(axis=1)
        )
        swing = self.clock()[:, 0]
        for foot, half in zip(self.feet, task.FEET.values(), strict=True):
            reward -= 10.0 * abs(foot - task.RADIUS - task.LIFT * np.maximum(half * swing, 0.0))
        fallen = (height < 0.18) | (up[:, 2] < 0.7)
        done = fallen | (self.age >= self.limit)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if done.any():
            last = self.observations()
            for k in np.flatnonzero(done).tolist():
                infos[k] = {"terminal_observation": last[k], "TimeLimit.truncated": not fallen[k]}
            self.start(done)
        reward = (task.STEP * task.HELD * reward).astype(np.float32)
        return self.observations(), reward, done, infos

    def close(self) -> None:
        pass

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [self.qpos.copy() if attr_name == "q" else getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        return [getattr(self, method_name)(*method_args, **method_kwargs)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def timed(env: Any) -> Any:
    """Return a vector environment of Linkwright, whose ``physics`` is the processor time of its steps."""
    hold = env.hold
    env.physics = 0.0

    def measured(actions: Any) -> Any:
        begun = time.process_time()
        found = hold(actions)
        env.physics += time.process_time() - begun
        return found

    env.hold = measured
    return lw.bridges.stable_baselines3(env)


MAKERS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "linkwright": (
        lambda: timed(task.environment(512)),
        lambda: lw.bridges.stable_baselines3(task.environment(32, task.WALK, task.WALK, None)),
    ),
    "mjbatch": (
        lambda: MjbatchEnv(512, task.SLOWEST, task.FASTEST, 500),
        lambda: MjbatchEnv(32, task.WALK, task.WALK, np.inf),
    ),
}


def main(name: str, seed: int) -> None:
    env, test = (make() for make in MAKERS[name])
    for found in task.training(env, test, seed, MOST):
        print(f"{name}: {found}; of these {env.get_attr('physics')[0]:.0f} s of steps", flush=True)
        if found.walks:
            break


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
