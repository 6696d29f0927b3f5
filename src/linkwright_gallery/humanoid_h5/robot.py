"""The humanoid H5, its states and motions, and the cost of functions compiled for it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import CYCLE, figure, written
from linkwright_gallery.exhibit import Remark, measured

ENDS = ("left_foot", "right_foot", "left_gripper", "right_gripper")
LEG = ("hip_rotation", "hip_abduction", "hip_flexion", "knee_flexion", "ankle_flexion", "ankle_abduction")
ROWS = 64


@cache
def humanoid() -> lw.Model:
    """H5, as RoKi describes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # four inertias are not symmetric by their last digit
        return lw.load(Path(__file__).with_name("H5.ztk"))


@cache
def left_leg() -> lw.Model:
    """The left leg alone: all other joints are locked in the neutral position."""
    robot = humanoid()
    joints = {f"left_{name}" for name in LEG}
    rest = {name: robot.neutral()[robot.slice(name).q] for name in robot.joint_names if name not in joints}
    return robot.lock(rest).with_frame("hand", "left_ankle_abduction", placement=robot.frames["left_foot"].placement)


def state() -> tuple[Array, Array, Array]:
    """A configuration, rates and efforts, all random."""
    robot, rng = humanoid(), np.random.default_rng(0)
    v, tau = rng.normal(size=(2, robot.nv))
    return robot.random(seed=0), v, tau


# Postures and motions


def standing() -> tuple[Array, Array, dict[str, Array]]:
    """A squat on both feet: configuration, efforts, and the wrenches [f; n] of the ground on the feet.

    Of all wrenches that hold the base, those with the smallest norm.
    """
    robot, q = humanoid(), squat(0.15)
    still = np.zeros(robot.nv)
    J = np.vstack([lw.jacobian(robot, q, foot) for foot in ENDS[:2]])
    F = np.linalg.pinv(J[:, :6].T) @ lw.gravity_forces(robot, q)[:6]
    wrenches = {"left_foot": F[:6], "right_foot": F[6:]}
    return q, lw.inverse_dynamics(robot, q, still, still, wrenches), wrenches


@cache
def squat(depth: float) -> Array:
    """Inverse kinematics: both feet stay, the torso is lower by ``depth``, and the hands are in front."""
    robot = humanoid()
    start = robot.neutral()
    base = lw.pose(robot, start, "torso")
    base[:3, 3] -= [0.0, 0.0, depth]
    targets: dict[Any, Any] = {"torso": base, **{foot: lw.pose(robot, start, foot) for foot in ENDS[:2]}}
    for sign, hand in zip((1.0, -1.0), ENDS[2:], strict=True):
        targets[lw.tasks.Position(hand)] = base[:3, 3] + [0.3, 0.2 * sign, -0.1]
    return np.asarray(lw.inverse_kinematics(robot, targets, seed=1).q)


@cache
def thrown() -> lw.Motion:
    """H5 is thrown, turning, with moving joints: 0.6 s."""
    robot, (_, v, _) = humanoid(), state()
    v[:6] = (0.5, 0.0, 3.0, 0.6, 1.5, 0.4)
    return lw.simulate(robot, squat(0.15), v, 0.6, 1e-3, every=10)


# Costs


def costs(kernels: dict[str, lw.Kernel], *inputs: Array) -> Iterator[Remark]:
    """Operations of each kernel, and the time of a row in a batch on one thread."""
    from linkwright_gallery.benchmark.clock import interleaved

    for kernel in kernels.values():
        kernel.threads = 1
    calls: dict[str, Any] = {name: (partial(kernel, *inputs), ROWS) for name, kernel in kernels.items()}
    times = interleaved(calls, 10, 5e-4, time.process_time)
    for name, kernel in kernels.items():
        yield measured(f"{name}: operations", "not printed", kernel.operations.total, 0)
        yield measured(f"{name}: µs, a row of a batch of {ROWS}", "not printed", times[name].minimum * 1e-3)


def batch() -> tuple[Array, Array, Array]:
    """Random configurations, rates and efforts (64 rows: H of all fits a cache)."""
    robot, rng = humanoid(), np.random.default_rng(2)
    v, tau = rng.normal(size=(2, ROWS, robot.nv))
    return robot.random(ROWS, seed=2), v, tau


def bars(path: Path, title: str, kernels: dict[str, lw.Kernel]) -> Path:
    """Operations of kernels as bars."""
    made = figure(8.0, 0.9 + 0.5 * len(kernels))
    axes = made.subplots()
    counts = [kernel.operations.total for kernel in kernels.values()]
    axes.barh(list(kernels), counts, color=[CYCLE[k % len(CYCLE)] for k in range(len(kernels))])
    for k, count in enumerate(counts):
        axes.text(count, k, f" {count}", va="center", fontsize=9)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.grid(axis="y", visible=False)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("multiplications and additions")
    return written(path, made)
