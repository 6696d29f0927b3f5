"""Compare rollouts with MuJoCo, same robots in one run on one core: nanoseconds of CPU time per step.

    python benchmarks/rollouts.py [arm7 quadruped …]

Both integrate by semi-implicit Euler without contact, and their steps are compared first (those of floating bases to
the order of the step, since MuJoCo integrates the base's velocity along the world's axes). The last lines are the
quadruped on its feet, held by servos. Times are minima of alternating rounds. Columns: "batch": 256 motions of 100
steps, of which Linkwright stores the end and MuJoCo every state; "every state": Linkwright stores every state too; "one
motion": a single motion of 1000 steps; "short": a single motion of 10 steps, including the call.
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
from pathlib import Path

import numpy as np

import linkwright as lw

ROUNDS = 40
H = 1e-3
KP, KD = 40.0, 1.0
"""N m/rad and N m s/rad, of the quadruped's servos"""


def peer(
    model: lw.Model, held: np.ndarray | None = None
) -> Callable[[np.ndarray, np.ndarray, int], Callable[[], np.ndarray]]:
    """Of starts and a number of steps, MuJoCo's rollout of them; ``held``: a posture, on the ground, by servos."""
    import mujoco
    from mujoco import rollout

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what motions without limits do not need
        path = model.save(Path(folder) / "model.xml")
        spec = mujoco.MjSpec.from_file(str(path))
    spec.option.timestep, spec.option.integrator = H, mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    if held is None:
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    else:
        for joint in spec.joints:
            if joint.type != mujoco.mjtJoint.mjJNT_FREE:
                servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
                servo.set_to_position(kp=KP, kv=KD)
    m = spec.compile()
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = mujoco.MjData(m)

    def prepared(q: np.ndarray, v: np.ndarray, steps: int) -> Callable[[], np.ndarray]:
        starts = np.zeros((len(q), mujoco.mj_stateSize(m, kind)))
        for row, q_row, v_row in zip(starts, q, v, strict=True):
            data.qpos[:], data.qvel[:] = q_row, v_row
            mujoco.mj_getState(m, data, row, kind)
        control = None if held is None else np.broadcast_to(held, (len(q), steps, len(held))).copy()
        return lambda: rollout.rollout(m, data, starts, control, nstep=steps)[0][:, :, 1 : 1 + model.nq]

    return prepared


def shortest(*runs: Callable[[], object]) -> list[float]:
    """Seconds of CPU time of each: the shortest of many rounds in turn."""
    found = [np.inf] * len(runs)
    for _ in range(ROUNDS):
        for k, run in enumerate(runs):
            begun = time.thread_time()
            run()
            found[k] = min(found[k], time.thread_time() - begun)
    return found


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main(names: list[str]) -> None:
    print(f"{processor()}; load {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors; one thread each")
    print(f"{'':12}{'':14}{'Linkwright':>12}{'MuJoCo':>12}{'':>8}")
    for name in names:
        model = lw.load(name)
        theirs, fixed = peer(model), model.joints[0].type != "free"
        rng = np.random.default_rng(0)
        for what, rows, steps, every in (
            ("batch", 256, 100, None),
            ("every state", 256, 100, 1),
            ("one motion", 1, 1000, 1),
            ("short", 1, 10, 1),
        ):
            q, v = model.random(rows, seed=0), 0.3 * rng.standard_normal((rows, model.nv))
            if not fixed:  # whose linear velocity is along the world's axes there
                v[:, :3] = 0.0
            other, (q0, v0) = theirs(q, v, steps), (q, v) if rows > 1 else (q[0], v[0])

            ours = partial(
                lw.rollout, model, q0, v0, steps, H, every=every, method=lw.Integrator("semi_implicit", threads=1)
            )
            differ = np.abs(ours().q[-1] - other()[:, -1]).max()
            if rows > 1 and differ > (1e-9 if fixed else 10 * H):
                print(f"{name}: the motions differ by {differ:.1e}")
            a, b = (x / (rows * steps) * 1e9 for x in shortest(ours, other))
            print(f"{name:12}{what:14}{a:9.1f} ns{b:9.0f} ns{b / a:7.1f}×", flush=True)


def hold(model: lw.Model, t: float, q: np.ndarray, v: np.ndarray, *, posture: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(6), KP * (posture - q[7:]) - KD * v[6:]])


def standing() -> None:
    """Measure the quadruped on the ground: four feet, friction, servos; the standing heights of both are compared."""
    model = lw.load("quadruped").with_ground()
    posture = np.tile([0.0, 0.7, -1.4], 4)
    theirs = peer(model, posture)
    start = np.concatenate([[0.0, 0.0, 0.32, 1.0, 0.0, 0.0, 0.0], posture])
    for what, rows, steps, every in (
        ("batch", 256, 300, None),
        ("every state", 256, 300, 1),
        ("one motion", 1, 500, 1),
    ):
        q, v = np.tile(start, (rows, 1)), np.zeros((rows, model.nv))
        v[:, 6:] = 0.3 * np.random.default_rng(0).standard_normal((rows, 12))
        other, (q0, v0) = theirs(q, v, steps), (q, v) if rows > 1 else (q[0], v[0])
        law = partial(hold, posture=posture)
        ours = partial(lw.rollout, model, q0, v0, steps, H, law, every, method=lw.Integrator(threads=1))
        differ = np.abs(ours().q[-1].reshape(rows, -1)[:, 2] - other()[:, -1, 2]).max()
        if differ > 2e-3:
            print(f"the heights differ by {differ:.1e} m")
        a, b = (x / (rows * steps) * 1e9 for x in shortest(ours, other))
        print(f"{'standing':12}{what:14}{a:9.1f} ns{b:9.0f} ns{b / a:7.1f}×", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["arm7", "quadruped", "humanoid"])
    standing()
