"""Compare persistent batches with mjbatch, mujoco.rollout and EnvPool: microseconds of processor time a step.

    pip install mjbatch envpool      # those that are missing are left out
    python benchmarks/batches.py [256]

The quadruped stands on the ground by servos of the same gains, from the same scattered starts, with steps of 1 ms, ten
in each call. Batches and rollouts use one thread. EnvPool has tasks of its own: its Ant is shown with the same file in
Linkwright, five steps of 10 ms in each call. Times are minima of alternating rounds, of the processor time of the
whole process, so that threads of peers count.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

import linkwright as lw

ROUNDS, CALLS, HELD = 15, 20, 10
H = 1e-3
KP, KD = 40.0, 1.0
"""N m/rad and N m s/rad, of the servos"""
BENT = np.tile([0.0, 0.7, -1.4], 4)


def servo(model, t, q, v, *, controls):
    return np.concatenate([np.zeros(6), KP * (controls - q[7:]) - KD * v[6:]])


def starts(robot: lw.Model, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q = np.tile(np.concatenate([[0.0, 0.0, 0.33, 1.0, 0.0, 0.0, 0.0], BENT]), (n, 1))
    q[:, 7:] += rng.uniform(-0.1, 0.1, (n, 12))
    return q, 0.2 * rng.standard_normal((n, robot.nv))


def stepped(batch: lw.Batch, k: int) -> None:
    batch.step(k)
    assert not batch.status.any()


def of_linkwright(robot: lw.Model, n: int) -> Callable[[], object]:
    q, v = starts(robot, n)
    method = lw.Integrator("semi_implicit", threads=1)
    batch = lw.Batch(robot, n, q, v, H, partial(servo, controls=BENT), method=method)
    return partial(stepped, batch, HELD)


def mujoco_model(robot: lw.Model):
    import mujoco

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = mujoco.MjSpec.from_file(str(robot.save(Path(folder) / "model.xml")))
    spec.option.timestep, spec.option.integrator = H, mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            actuator = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=KP, kv=KD)
    return spec.compile()


def of_mjbatch(robot: lw.Model, n: int) -> Callable[[], object]:
    import mjbatch

    batch = mjbatch.Batch(mujoco_model(robot), n, num_threads=1)
    batch.bind("qpos")[:], batch.bind("qvel")[:] = starts(robot, n)
    batch.bind("ctrl")[:] = BENT
    return lambda: batch.step(nstep=HELD)


def of_mujoco_rollout(robot: lw.Model, n: int) -> Callable[[], object]:
    import mujoco
    from mujoco import rollout

    m = mujoco_model(robot)
    kind, data = mujoco.mjtState.mjSTATE_FULLPHYSICS, mujoco.MjData(m)
    state = np.zeros((n, mujoco.mj_stateSize(m, kind)))
    for row, q, v in zip(state, *starts(robot, n), strict=True):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_getState(m, data, row, kind)
    control = np.tile(BENT, (n, HELD, 1))
    now = [state]

    def call() -> None:
        now[0] = rollout.rollout(m, data, now[0], control, nstep=HELD)[0][:, -1].copy()

    return call


def of_envpool(n: int) -> Callable[[], object]:
    import envpool

    env = envpool.make_gymnasium("Ant-v4", num_envs=n, num_threads=1)
    env.reset()
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (n, 8))
    return lambda: env.step(actions)


def of_ant(n: int) -> Callable[[], object]:
    import gymnasium.envs.mujoco

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ant = lw.load(Path(gymnasium.envs.mujoco.__file__).parent / "assets" / "ant.xml").with_contact(itself=False)
    q = ant.neutral()
    q[2] = 0.75
    batch = lw.Batch(ant, n, q, step=0.01, method=lw.Integrator("semi_implicit", joint_limits=True, threads=1))
    batch.controls[:] = np.random.default_rng(0).uniform(-0.3, 0.3, batch.controls.shape)
    return partial(stepped, batch, 5)


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main(n: int) -> None:
    robot = lw.load("quadruped").with_ground()
    makers = {
        "quadruped: linkwright.Batch": (partial(of_linkwright, robot, n), HELD),
        "quadruped: mjbatch": (partial(of_mjbatch, robot, n), HELD),
        "quadruped: mujoco.rollout": (partial(of_mujoco_rollout, robot, n), HELD),
        "Ant: linkwright.Batch": (partial(of_ant, n), 5),
        "Ant: EnvPool": (partial(of_envpool, n), 5),
    }
    runs = {}
    for name, (make, steps) in makers.items():
        try:
            runs[name] = make(), steps
        except ImportError as error:
            print(f"{name}: left out ({error})")
    best = dict.fromkeys(runs, np.inf)
    for _ in range(ROUNDS):
        for name, (run, _) in runs.items():
            begun = time.process_time()
            for _ in range(CALLS):
                run()
            best[name] = min(best[name], time.process_time() - begun)
    print(f"{processor()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {n} simulations, one thread")
    for package in ("linkwright", "mujoco", "mjbatch", "envpool"):
        try:
            print(f"{package} {version(package)}", end="  ")
        except PackageNotFoundError:
            continue
    print()
    for name, (_, steps) in runs.items():
        each = best[name] / (CALLS * steps * n)
        print(f"{name:30s} {1e6 * each:8.3f} µs a step  {1.0 / each:12,.0f} steps a second")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 256)
