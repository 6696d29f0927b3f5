"""What a target is: a pose, a position, or a position and a pitch; for each its array, its motion, what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwright.inverse_kinematics.exact.chain import Arm, Motion, forward
from linkwright.inverse_kinematics.exact.families import Answer, alike, pitched
from linkwright.inverse_kinematics.exact.postures import fault_of, halves, miss, motion_to, off, orthonormal
from linkwright.inverse_kinematics.exact.subproblems import Turn, dot
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import pose_matrix


@dataclass(frozen=True)
class Pose:
    """The whole pose of the hand."""

    arm: Arm
    shape: ClassVar[tuple[int, ...]] = (4, 4)
    name: ClassVar[str] = "T"
    wanted: ClassVar[str] = "no pose: a rotation (to 1e-6), a position, and 0 0 0 1 below"

    def fault(self, target: Array) -> Any:
        """Nothing where finite numbers are a target."""
        return fault_of(target)

    def cleaned(self, target: Array) -> Array:
        """The target, its rotation one to rounding."""
        return orthonormal(target)

    def motion(self, target: Array) -> Motion:
        """The hand's motion from where it is at q = 0."""
        return motion_to(self.arm, target)

    def off(self, target: Array, answer: Answer) -> Any:
        """What is left: the distance (m) and 2 sin(angle / 2), together."""
        return off(self.arm, target, answer)

    def rows(self, J: Array) -> Array:
        """Of the hand's Jacobian (6, n) what the task sees."""
        return J


@dataclass(frozen=True)
class Position(Pose):
    """The place of the hand."""

    shape = (3,)
    name = "p"
    wanted = "no position: three finite numbers"

    def fault(self, target: Array) -> Any:
        return 0.0

    def cleaned(self, target: Array) -> Array:
        return target

    def rows(self, J: Array) -> Array:
        return J[:3]

    def motion(self, target: Array) -> Motion:
        return Motion(np.eye(3), target - self.arm.hand.p)

    def off(self, target: Array, answer: Answer) -> Any:
        x, v = halves(self.arm, answer, self.arm.hand.p, target, True)
        return np.sqrt(dot(x - v, x - v))


@dataclass(frozen=True)
class Pitch(Position):
    """The place of the hand, and its turn about the parallel axes of a hinge and a plane."""

    shape = (4,)
    name = "p"
    wanted = "no position and pitch: four finite numbers"

    def motion(self, target: Array) -> Motion:
        return pitched(self.arm.chain.axes[1], target[3], self.arm.hand.p, target[:3])

    def off(self, target: Array, answer: Answer) -> Any:
        h, axes = self.arm.chain.axes[1], self.arm.chain.axes
        whole = Turn(np.sin(target[3]), np.cos(target[3]))
        for k in (1, 2, 3):
            whole = whole.then(alike(h, axes[k], answer.turns[k]).back())
        x, v = halves(self.arm, answer, self.arm.hand.p, target[:3], True)
        return np.sqrt(dot(x - v, x - v) + whole.s * whole.s + (1.0 - whole.c) * (1.0 - whole.c))

    def rows(self, J: Array) -> Array:
        axes = self.arm.chain.axes
        return np.concatenate([J[:3], [[0.0, *(float(axes[1] @ axes[k]) for k in (1, 2, 3))]]])


STEP = 0.05
"""rad or m: so far joints are moved to see whether the hand stays"""


def free_joints(task: Pose, held: int | None, q: Array, redundant: bool) -> list[int]:
    """The joints that can move while the hand stays; ``redundant`` where one freedom is left in any posture."""
    arm = task.arm

    def at(x: Array) -> tuple[Array, Array]:
        e, columns, _ = miss(arm, list(x), goal)
        J = task.rows(np.stack([0.0 * c if k == held else c for k, c in enumerate(columns)], axis=1))
        if task.shape == (4, 4):
            return J, e
        turned = [float(arm.chain.axes[1] @ arm.chain.axes[k]) * (q[k] - x[k]) for k in range(1, len(q))]
        return J, np.concatenate([e[:3], [sum(turned)]])[: len(J)]

    G = forward(arm.chain, q)
    goal = pose_matrix(G.R @ arm.hand.R, G(arm.hand.p))
    J, _ = at(q)
    _, values, V = np.linalg.svd(J)
    rank = int((values > 1e-7 * values[0]).sum())
    nothing = [v for v in V[rank:] if held is None or abs(v[held]) < 0.5]
    if len(nothing) <= redundant:
        return []
    moved = np.zeros(len(q))
    for v in nothing:
        x = q + STEP * v
        for _ in range(20):
            J, e = at(x)
            x = x + np.linalg.pinv(J, rcond=1e-5) @ e
        off = x - q
        if np.abs(at(x)[1]).max() < 1e-9 and np.abs(off).max() > 0.2 * STEP:
            moved = np.maximum(moved, np.abs(off))
    return [k for k, x in enumerate(moved) if x > 1e-3 * STEP]


def task_of(name: str, arm: Arm) -> Pose:
    """The task of that name."""
    return {"pose": Pose, "position": Position, "pitch": Pitch}[name](arm)
