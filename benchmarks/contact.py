"""Compare rollouts with contact with MuJoCo, same robots in one run on one core: nanoseconds of CPU time per step.

    python benchmarks/contact.py [arm quadruped policy humanoid=FILE memory]

- "quadruped": it stands on four feet, held by servos with implicit damping in both programs (steps of 2 ms). MuJoCo
  runs with its defaults, with one iteration of its solver ("fast"), and with 8 sweeps of projected Gauss-Seidel and
  elliptic cones ("PGS 8"); Linkwright runs with 8 and with 4 sweeps.
- "policy": a network of two layers of 64 controls the quadruped.
- "humanoid": MuJoCo's humanoid without controls (suite/humanoid.xml of dm_control), which sinks down on its feet, and
  lies, with joint limits and the floor, at the default settings of all programs. MuJoCo, mjbatch and MotrixSim (where
  they are installed) run with and without contact between bodies. "humanoid_all=FILE" gives Linkwright all pairs too.
- "arm": `arm7` without contact.
- "memory": a million quadrupeds, 100 steps, in one call in a separate process: seconds and peak memory.

Times are minima of alternating rounds, since other processes lengthen some rounds. Linkwright stores the end of each
motion, MuJoCo every state. Both are compared before they are timed: "height" is the median final height of the bases.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.dynamics.impulses.impulse_solver import Solver

ROUNDS = 15
KP, KD = 60.0, 2.0
"""N m/rad and N m s/rad, of the quadruped's servos"""
POSTURE = np.tile([0.0, 0.6, -1.2], 4)
GPU = {"MuJoCo Warp, humanoid, one RTX 5090 (newton#4053, September 2026)": 6.45e6}
"""published steps a second"""

Run = Callable[[], np.ndarray]
"""gives the configurations at the end, (rows, nq)"""


def peer(spec: Any, h: float, options: Mapping[str, Any] | None = None) -> Callable[[Any, Any, int, Any], Run]:
    """Of starts, a number of steps and controls, MuJoCo's rollout of them."""
    import mujoco
    from mujoco import rollout

    spec.option.timestep = h
    for name, value in (options or {}).items():
        setattr(spec.option, name, value)
    m = spec.compile()
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = mujoco.MjData(m)

    def prepared(q: np.ndarray, v: np.ndarray, steps: int, held: np.ndarray | None = None) -> Run:
        starts = np.zeros((len(q), mujoco.mj_stateSize(m, kind)))
        for row, q_row, v_row in zip(starts, q, v, strict=True):
            data.qpos[:], data.qvel[:] = q_row, v_row
            mujoco.mj_getState(m, data, row, kind)
        control = None if held is None else np.broadcast_to(held, (len(q), steps, len(held))).copy()
        return lambda: rollout.rollout(m, data, starts, control, nstep=steps)[0][:, -1, 1 : 1 + m.nq]

    return prepared


def saved(model: lw.Model) -> Any:
    """A model as MuJoCo's, without limits of joints and efforts."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what these motions do not need
        spec = mujoco.MjSpec.from_file(str(model.save(Path(folder) / "model.xml")))
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    for joint in spec.joints:
        joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
    return spec


def shortest(runs: Mapping[str, Run]) -> dict[str, float]:
    """Seconds of CPU time of each: the shortest of many rounds in turn."""
    found = dict.fromkeys(runs, np.inf)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begun = time.process_time()  # MotrixSim has threads of its own
            run()
            found[name] = min(found[name], time.process_time() - begun)
    return found


def table(what: str, ours: Mapping[str, Run], theirs: Mapping[str, Run], steps: int, height: int | None = None) -> None:
    """The table of one case; ``steps``: of all rows together."""
    print(f"{what}")
    ends = {name: run() for name, run in {**ours, **theirs}.items()}
    found = shortest({**ours, **theirs})
    for name, seconds in found.items():
        each = seconds / steps
        line = f"  {name:42}{each * 1e9:9.0f} ns"
        if name in ours:
            line += "".join(f"{found[other] / seconds:8.1f}×" for other in theirs)
            line += f"{1e-6 / each:9.2f} million steps a second and core"
        if height is not None:
            line += f"   height {np.median(ends[name][..., height]):.4f} m"
        print(line, flush=True)


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def arm() -> None:
    """arm7, which touches nothing."""
    import mujoco

    model, rng, h = lw.load("arm7"), np.random.default_rng(0), 1e-3
    for what, rows, steps in (("batch of 256", 256, 100), ("one motion", 1, 1000)):
        q, v = model.random(rows, seed=0), 0.3 * rng.standard_normal((rows, model.nv))
        q0, v0 = (q, v) if rows > 1 else (q[0], v[0])
        ours = {
            f"Linkwright, {method}": partial(end, model, q0, v0, steps, h, method=lw.Integrator(method, threads=1))
            for method in ("semi_implicit", "rk4")
        }
        theirs = {
            f"MuJoCo, {name}": peer(saved(model), h, {"integrator": getattr(mujoco.mjtIntegrator, kind)})(q, v, steps)
            for name, kind in (("Euler", "mjINT_EULER"), ("implicitfast", "mjINT_IMPLICITFAST"), ("RK4", "mjINT_RK4"))
        }
        table(f"arm7, no contact, {what}, {steps} steps", ours, theirs, rows * steps)


def end(*about: Any, **more: Any) -> np.ndarray:
    q: np.ndarray = lw.rollout(*about, **more).q[-1]
    return q


def one_thread(iterations: int, **options: Any) -> lw.Integrator:
    return lw.Integrator(solver=Solver(iterations=iterations), threads=1, **options)


def springs(model: lw.Model, t: float, q: np.ndarray, v: np.ndarray, *, posture: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(6), KP * (posture - q[7:])])


def standing() -> lw.Model:
    """The quadruped on the ground, its joints damped."""
    model = lw.load("quadruped")
    first, *joints = model.joints
    damped = [replace(joint, damping=np.full(joint.motion.nv, KD)) for joint in joints]
    return replace(model, joints=(first, *damped)).with_ground()


def starts(model: lw.Model, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Above the ground, turning a little in all joints."""
    q = np.tile(np.concatenate([[0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0], POSTURE]), (rows, 1))
    return q, 0.3 * np.random.default_rng(0).standard_normal((rows, model.nv))


def mujoco_options() -> dict[str, dict[str, Any]]:
    import mujoco

    return {
        "default": {},
        "fast": {"iterations": 1, "ls_iterations": 4},
        "PGS 8": {
            "solver": mujoco.mjtSolver.mjSOL_PGS,
            "iterations": 8,
            "cone": mujoco.mjtCone.mjCONE_ELLIPTIC,
        },
    }


def quadruped_of_mujoco(model: lw.Model) -> Any:
    import mujoco

    spec = saved(model)
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_position(kp=KP)
    return spec


def quadruped() -> None:
    model, h = standing(), 2e-3
    law = partial(springs, posture=POSTURE)
    for what, rows, steps in (("batch of 256", 256, 300), ("one motion", 1, 600)):
        q, v = starts(model, rows)
        q0, v0 = (q, v) if rows > 1 else (q[0], v[0])
        ours = {
            f"Linkwright, {n} sweeps": partial(end, model, q0, v0, steps, h, law, method=one_thread(n)) for n in (8, 4)
        }
        theirs = {
            f"MuJoCo, {name}": peer(quadruped_of_mujoco(model), h, options)(q, v, steps, POSTURE)
            for name, options in mujoco_options().items()
        }
        table(f"quadruped, four feet on the ground, {what}, {steps} steps", ours, theirs, rows * steps, 2)


def policy() -> None:
    """The quadruped and a network of two layers of 64; for MuJoCo it would be called from outside."""
    model, h, steps = standing(), 2e-3, 300
    net = lw.Policy(model, (64, 64))
    gains = {"stiffness": KP, "damping": 0.0, "scale": 0.3}
    ours: dict[str, Run] = {}
    for n in (8, 4):
        shared = partial(net, weights=net.random(0), **gains)
        each = partial(net, weights=net.random(0, (256,)), **gains)
        q, v = starts(model, 256)
        about = (model, q, v, steps, h)
        ours[f"weights of all, {n} sweeps"] = partial(end, *about, shared, method=one_thread(n))
        ours[f"weights of each, {n} sweeps"] = partial(
            end, *about, each, method=one_thread(n), actuation=lw.Actuation(each=["weights"])
        )
    table(f"quadruped moved by {net}, batch of 256, {steps} steps", ours, {}, 256 * steps)


def of_mjbatch(spec: Any, h: float, q: np.ndarray, v: np.ndarray, steps: int) -> Run:
    import mjbatch

    spec.option.timestep = h
    batch = mjbatch.Batch(spec.compile(), len(q), num_threads=1)
    positions, velocities = batch.bind("qpos"), batch.bind("qvel")

    def run() -> np.ndarray:
        positions[:], velocities[:] = q, v
        batch.step(nstep=steps)
        return positions.copy()

    return run


@cache
def motrixsim_on_one_thread() -> Any:
    """MotrixSim, whose threads can be counted once in a process."""
    import motrixsim

    motrixsim.init_thread_pool(num_threads=1)
    return motrixsim


def of_motrixsim(spec: Any, h: float, q: np.ndarray, v: np.ndarray, steps: int) -> Run:
    """MotrixSim computes in single precision; its quaternions end with their real part."""
    motrixsim = motrixsim_on_one_thread()
    spec.option.timestep = h
    model = motrixsim.load_mjcf_str(spec.to_xml())
    data = motrixsim.SceneData(model, batch=(len(q),))
    theirs = np.concatenate((q[:, :3], q[:, 4:7], q[:, 3:4], q[:, 7:]), axis=1).astype(np.float32)
    velocities = v.astype(np.float32)

    def run() -> np.ndarray:
        data.reset(model)
        data.set_dof_pos(theirs, model)
        data.set_dof_vel(velocities)
        model.step_n(data, steps)
        return np.asarray(data.dof_pos)

    return run


def humanoid(path: str, everything: bool = False) -> None:
    """MuJoCo's own humanoid, limp, at the default settings of all programs."""
    import mujoco

    h = 5e-3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = lw.load(path).with_contact()
    planes = {k for k, shape in enumerate(every.shapes) if shape.kind == "plane"}
    floor = replace(every, pairs=tuple(p for p in every.pairs if {p.first, p.second} & planes))
    model = every if everything else floor
    name = f"all {len(every.pairs)} pairs" if everything else f"the floor, {len(floor.pairs)} pairs"

    def spec(themselves: bool) -> Any:
        found = mujoco.MjSpec.from_file(path)
        # MotrixSim does not read MuJoCo's default attributes of textures
        for one in [*found.actuators, *found.tendons, *found.sensors, *found.materials, *found.textures]:
            found.delete(one)
        for geom in found.geoms:
            geom.material = ""
            if not themselves:
                ground = geom.type == mujoco.mjtGeom.mjGEOM_PLANE
                geom.contype, geom.conaffinity = (1, 0) if ground else (0, 1)
        return found

    method = lw.Integrator(joint_limits=True, threads=1)
    rng = np.random.default_rng(0)
    upright, moving = np.tile(every.neutral(), (256, 1)), 0.3 * rng.standard_normal((256, every.nv))
    upright[:, 2] = 1.28
    fallen = lw.rollout(floor, upright, moving, 400, h, method=method)
    for what, rows, (q, v) in (
        ("sinks down on its feet, batch of 256", 256, (upright, moving)),
        ("lies, batch of 256", 256, (fallen.q[-1], fallen.v[-1])),
        ("sinks down on its feet, one motion", 1, (upright[:1], moving[:1])),
        ("lies, one motion", 1, (fallen.q[-1][:1], fallen.v[-1][:1])),
    ):
        steps = 100
        q0, v0 = (q, v) if rows > 1 else (q[0], v[0])
        ours = {
            f"Linkwright, {name}{precision}": partial(end, model, q0, v0, steps, h, method=way)
            for precision, way in (("", method), (", float32", replace(method, precision="single")))
        }
        for label, run in ours.items():
            begun = time.process_time()
            run()
            print(f"  {label}: {time.process_time() - begun:.1f} s of CPU time to the end of the first run")
        theirs = {}
        for pairs, themselves in (("with itself", True), ("the floor", False)):
            theirs[f"MuJoCo, {pairs}"] = peer(spec(themselves), h)(q, v, steps, None)
            for program, prepared in (("mjbatch", of_mjbatch), ("MotrixSim", of_motrixsim)):
                if importlib.util.find_spec(program.lower()):
                    theirs[f"{program}, {pairs}"] = prepared(spec(themselves), h, q, v, steps)
        table(f"humanoid with limits, limp, {what}, {steps} steps", ours, theirs, rows * steps, 2)


MILLION = """
import resource, time
import numpy as np
import linkwright as lw
from functools import partial
from contact import POSTURE, springs, standing, starts
model, n, steps = standing(), 10**6, 100
law = partial(springs, posture=POSTURE)
lw.rollout(model, *starts(model, 64), steps, 2e-3, law)
q, v = starts(model, n)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
wall, cpu = time.perf_counter(), time.process_time()
end = lw.rollout(model, q, v, steps, 2e-3, law)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
given, kept = (q.nbytes + v.nbytes) / 2**20, (end.q.nbytes + end.v.nbytes) / 2**20
each = cpu / n / steps * 1e9
print(f"a million quadrupeds, {steps} steps: {wall:.1f} s, {cpu:.1f} s of CPU time, {each:.0f} ns a step")
print(f"  memory: {before:.0f} MiB before with the starts ({given:.0f}), at the peak {after:.0f}; kept {kept:.0f}")
"""


def memory() -> None:
    """Measure memory in a separate process."""
    here = str(Path(__file__).parent)
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run([sys.executable, "-c", MILLION], check=True, env={**os.environ, "PYTHONPATH": path})


def main(names: list[str]) -> None:
    print(f"{processor()}; load {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors; one thread each")
    for name in names:
        kind, _, path = name.partition("=")
        if kind in ("humanoid", "humanoid_all"):
            humanoid(path, kind == "humanoid_all")
        else:
            {"arm": arm, "quadruped": quadruped, "policy": policy, "memory": memory}[kind]()
    for what, rate in GPU.items():
        print(f"{what}: {rate / 1e6:.2f} million steps a second")


if __name__ == "__main__":
    main(sys.argv[1:] or ["arm", "quadruped", "policy", "memory"])
