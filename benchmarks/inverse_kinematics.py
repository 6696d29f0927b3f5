"""Compare inverse kinematics with other libraries on one core, interleaved in one run.

    python benchmarks/inverse_kinematics.py [panda ur5 arm7 chain]

Times are processor times of this thread, minima over rounds. Targets are poses of random configurations within the
limits, and initial guesses are random. A target is reached if the error is at most 1e-6 (m and rad together) within the
limits, by independent forward kinematics in this file. Robots come from example-robot-data. Peers are measured if they
are installed: Robotics Toolbox (`ik_LM`, whose `tol` is ½ eᵀe), placo, pink, mink.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright_gallery.benchmark.clock import machine

TOLERANCE, ROUNDS = 1e-6, 8
OURS, TOOLBOX, OTHERS = 16_000, 500, 20
"""targets"""
RESTARTS, ITERATIONS = 10, 100
"""of robots without their own limits"""


def robots() -> dict[str, tuple[lw.Model, str, Path | None]]:
    folder = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
    panda, ur5 = folder / "panda_description/urdf/panda.urdf", folder / "ur_description/urdf/ur5_robot.urdf"
    hand = {"panda_finger_joint1": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        found = {
            "panda": (lw.load(panda).lock(hand), "panda_hand_tcp", panda),
            "ur5": (lw.load(ur5), "tool0", ur5),
            "arm7": (lw.load("arm7"), "tool", None),
            "chain": (chain(12), "tip", None),
        }
    return {name: found[name] for name in sys.argv[1:] or found}


def chain(n: int) -> lw.Model:
    builder, before = lw.Builder(f"chain of {n}"), "world"
    for k in range(n):
        axis = np.eye(3)[(2, 1, 0)[k % 3]]
        builder.body(f"link{k}", 1.0).joint(
            f"joint{k}", "revolute", before, f"link{k}", axis=axis, xyz=(0.1, 0, 0), limits=(-2.0, 2.0)
        )
        before = f"link{k}"
    return builder.frame("tip", before, xyz=(0.1, 0, 0)).build()


def missing(model: lw.Model, frame: str, q: np.ndarray, T: np.ndarray) -> np.ndarray:
    """What lacks to the targets, by products of matrices: neither kernel nor solver has a part in it."""
    place = model.frames[frame]
    X = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    for k in model.path(place.body):
        angle = q[:, model.slice(model.joints[k].name).q.start]
        turn = np.zeros((len(q), 4, 4))
        turn[:, 0, 0] = turn[:, 1, 1] = np.cos(angle)
        turn[:, 1, 0], turn[:, 0, 1] = np.sin(angle), -np.sin(angle)
        turn[:, 2, 2] = turn[:, 3, 3] = 1.0
        X = X @ model.links[k].placement @ turn
    X = X @ place.placement
    D = T[:, :3, :3] @ X[:, :3, :3].swapaxes(1, 2)
    sine = 0.5 * np.linalg.norm(D[:, [2, 0, 1], [1, 2, 0]] - D[:, [1, 2, 0], [2, 0, 1]], axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(D, axis1=1, axis2=2) - 1.0))
    return np.hypot(np.linalg.norm(X[:, :3, 3] - T[:, :3, 3], axis=1), angle)


def success(model: lw.Model, frame: str, q: np.ndarray, T: np.ndarray, tolerance: float) -> float:
    inside = ((q >= model.lower - 1e-9) & (q <= model.upper + 1e-9)).all(axis=1)
    return float((inside & (missing(model, frame, np.nan_to_num(q), T) <= tolerance)).mean())


Solve = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(targets, random starts) -> q"""


def ours(model: lw.Model, frame: str) -> Solve:
    lw.inverse_kinematics(model, {frame: np.eye(4)[None].repeat(9, 0)}, restarts=0)
    for kept in model.memo.values():
        if hasattr(getattr(kept, "kernel", None), "threads"):
            kept.kernel.threads = 1
    return lambda T, _: lw.inverse_kinematics(model, {frame: T}).q


def toolbox(model: lw.Model, frame: str) -> Solve:
    import roboticstoolbox as rtb

    ets = rtb.ETS()
    place = model.frames[frame]
    for k in model.path(place.body):
        limits = model.joints[k].lower[0], model.joints[k].upper[0]
        ets = ets * rtb.ET.SE3(model.links[k].placement) * rtb.ET.Rz(qlim=np.array(limits))
    ets = ets * rtb.ET.SE3(place.placement)

    def solve(T: np.ndarray, _: np.ndarray) -> np.ndarray:
        found = [ets.ik_LM(one, tol=0.5 * TOLERANCE**2, slimit=100, method="chan", k=1.0) for one in T]
        return np.array([one[0] for one in found])

    return solve


def attempts(model: lw.Model, attempt: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, bool]]) -> Solve:
    """Restarts for libraries that take single steps."""
    random = np.random.default_rng(3)

    def one(T: np.ndarray, q: np.ndarray) -> np.ndarray:
        for _ in range(RESTARTS):
            found, there = attempt(T, q)
            if there:
                return found
            q = random.uniform(model.lower, model.upper)
        return found

    return lambda T, start: np.array([one(*pair) for pair in zip(T, start, strict=True)])


def without_meshes(path: Path) -> str:
    return re.sub(r"<(visual|collision)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def pink_solver(model: lw.Model, frame: str, path: Path) -> Solve:
    import pink
    import pinocchio as pin

    whole = pin.buildModelFromXML(without_meshes(path))
    fingers = [whole.getJointId(name) for name in whole.names if "finger" in name]
    theirs = pin.buildReducedModel(whole, fingers, pin.neutral(whole))
    data, task = theirs.createData(), pink.FrameTask(frame, 1.0, 1.0, lm_damping=1e-6)

    def attempt(T: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, bool]:
        configuration = pink.Configuration(theirs, data, q.copy())
        task.set_target(pin.SE3(T))
        for _ in range(ITERATIONS):
            if np.linalg.norm(task.compute_error(configuration)) < TOLERANCE:
                return configuration.q.copy(), True
            try:
                v = pink.solve_ik(configuration, [task], 1.0, solver="daqp")
            except pink.exceptions.PinkError:  # beyond its limits, by rounding
                break
            configuration.integrate_inplace(v, 1.0)
        return configuration.q.copy(), False

    return attempts(model, attempt)


def placo_solver(model: lw.Model, frame: str, path: Path) -> Solve:
    import placo

    robot = placo.RobotWrapper(str(path), placo.Flags.ignore_collisions, without_meshes(path))
    names = [joint.name for joint in model.joints]
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.enable_joint_limits(True)
    task = solver.add_frame_task(frame, np.eye(4))
    task.configure(frame, "soft", 1.0, 1.0)
    solver.add_regularization_task(1e-8)

    def attempt(T: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, bool]:
        for name, x in zip(names, q, strict=True):
            robot.set_joint(name, x)
        robot.update_kinematics()
        task.T_world_frame = T
        for _ in range(ITERATIONS):
            try:
                solver.solve(True)
            except RuntimeError:
                break
            robot.update_kinematics()
            if np.hypot(task.position().error_norm(), task.orientation().error_norm()) < TOLERANCE:
                return np.array([robot.get_joint(name) for name in names]), True
        return np.array([robot.get_joint(name) for name in names]), False

    return attempts(model, attempt)


def mink_solver(model: lw.Model, frame: str, path: Path) -> Solve:
    import mink
    import mujoco

    keep = '<mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco></robot>'
    theirs = mujoco.MjModel.from_xml_string(without_meshes(path).replace("</robot>", keep))
    n, task = len(model.lower), mink.FrameTask(frame, "body", 1.0, 1.0, lm_damping=1e-6)
    limits = [mink.ConfigurationLimit(theirs)]

    def attempt(T: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, bool]:
        configuration = mink.Configuration(theirs, np.concatenate([q, np.zeros(theirs.nq - n)]))
        task.set_target(mink.SE3.from_matrix(T))
        for _ in range(ITERATIONS):
            if np.linalg.norm(task.compute_error(configuration)) < TOLERANCE:
                return configuration.q[:n].copy(), True
            try:
                v = mink.solve_ik(configuration, [task], 1.0, "daqp", limits=limits)
            except mink.MinkError:
                break
            configuration.integrate_inplace(v, 1.0)
        return configuration.q[:n].copy(), False

    return attempts(model, attempt)


def contenders(model: lw.Model, frame: str, path: Path | None) -> dict[str, tuple[Solve, int]]:
    found = {"linkwright": (ours(model, frame), OURS)}
    makers: dict[str, tuple[Callable[[], Solve], int]] = {"ik_LM": (partial(toolbox, model, frame), TOOLBOX)}
    if path is not None:
        for name, make in (("placo", placo_solver), ("pink", pink_solver), ("mink", mink_solver)):
            makers[name] = partial(make, model, frame, path), OTHERS
    for name, (make, rows) in makers.items():
        try:
            found[name] = make(), rows
        except ImportError as error:
            print(f"  {name} is not measured: {error}")
    return found


def compare(name: str, model: lw.Model, frame: str, path: Path | None) -> None:
    print(f"{name}: {model.nv} joints, targets of random postures, random starts")
    q, start = model.random(OURS, seed=1), model.random(OURS, seed=2)
    T = lw.pose(model, q, frame)
    measured = contenders(model, frame, path)
    best, right = dict.fromkeys(measured, np.inf), {}
    for _ in range(ROUNDS):
        for who, (solve, rows) in measured.items():
            began = time.thread_time()
            found = solve(T[:rows], start[:rows])
            best[who] = min(best[who], (time.thread_time() - began) / rows * 1e6)
            right[who] = [success(model, frame, found, T[:rows], tolerance) for tolerance in (TOLERANCE, 1e-3)]
    for who, least in best.items():
        exact, rough = right[who]
        ratio = f", {least / best['linkwright']:.0f} times ours" if who != "linkwright" else ""
        print(
            f"  {who:12} {least:10.2f} us a target, {100 * exact:6.2f} % at 1e-6, {100 * rough:6.2f} % at 1e-3{ratio}"
        )
    single(model, frame, q, start, T)


def single(model: lw.Model, frame: str, q: np.ndarray, start: np.ndarray, T: np.ndarray) -> None:
    """One call after the other, from Python."""
    near = np.clip(q + 0.05 * np.random.default_rng(0).normal(size=q.shape), model.lower, model.upper)
    goals: list[Any] = list(T[:300])
    for what, starts in (("nearby (0.05 rad)", near), ("from nowhere", None)):
        rows = [None] * 300 if starts is None else list(starts[:300])
        least = np.inf
        for _ in range(20):
            began = time.thread_time()
            for goal, row in zip(goals, rows, strict=True):
                lw.inverse_kinematics(model, {frame: goal}, row)
            least = min(least, (time.thread_time() - began) / 300 * 1e6)
        print(f"  one call from Python, {what}: {least:.1f} us")
    out_of_reach(model, frame, T)


def out_of_reach(model: lw.Model, frame: str, T: np.ndarray) -> None:
    """Targets that cannot be: five times as far, and the places of some with the rotations of others."""
    far, turned = T[:1000].copy(), T[:1000].copy()
    far[:, :3, 3] *= 5.0
    turned[:, :3, :3] = T[1000:2000, :3, :3]
    for what, goals in (("five times as far", far), ("turned otherwise", turned)):
        reasons = lw.inverse_kinematics(model, {frame: goals}).reason
        bad = goals[reasons != ""]
        for of, rows in (("one call", bad[0]), (f"a row of {len(bad)}", bad)):
            least = np.inf
            for _ in range(ROUNDS):
                began = time.thread_time()
                lw.inverse_kinematics(model, {frame: rows})
                least = min(least, (time.thread_time() - began) / np.prod(rows.shape[:-2]) * 1e3)
            print(f"  out of reach, {what}, {of}: {least:.2f} ms")


def main() -> None:
    print(machine())
    for name, robot in robots().items():
        compare(name, *robot)


if __name__ == "__main__":
    main()
