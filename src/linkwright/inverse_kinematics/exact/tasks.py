"""What a target is: a pose, a position, or a position and a pitch; for each its array, its motion, what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwright.geometry.rotation import exp
from linkwright.inverse_kinematics.exact.chain import Arm, Motion, forward
from linkwright.inverse_kinematics.exact.families import Answer, alike, pitched
from linkwright.inverse_kinematics.exact.postures import (
    fault_of,
    halves,
    miss,
    motion_to,
    off,
    orthonormal,
    without_turns,
)
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

    def linearized(self, parts: list[Any], target: Array, held: int | None) -> tuple[Array, Array, Any]:
        """The residual, its Jacobian with a joint held, and the error of a posture."""
        e, columns, error = miss(self.arm, parts, self.cleaned(target))
        return e, _columns(columns, held), error

    def moved(self, target: Array, distance: float, random: np.random.Generator) -> Array:
        """Targets (n, …) at a distance (rad and parts of the arm's length) from these, in random directions."""
        v = distance * random.standard_normal((len(target), 6)) / np.sqrt(6.0)
        moved = target.copy()
        moved[:, :3, :3] = exp(v[:, 3:]) @ target[:, :3, :3]
        moved[:, :3, 3] += self.arm.length * v[:, :3]
        return moved


def _columns(columns: list[Array], held: int | None) -> Array:
    """The Jacobian of these columns; zero in that of a joint that is held."""
    return np.stack([0.0 * column if k == held else column for k, column in enumerate(columns)], axis=1)


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

    def linearized(self, parts: list[Any], target: Array, held: int | None) -> tuple[Array, Array, Any]:
        T = np.concatenate([np.eye(3), target[:3, None]], axis=1)
        e, columns, _ = miss(self.arm, parts, T)
        return e[:3], _columns(columns, held)[:3], np.sqrt(dot(e[:3], e[:3]))

    def moved(self, target: Array, distance: float, random: np.random.Generator) -> Array:
        return np.asarray(target + self.arm.length * distance * random.standard_normal(target.shape))

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

    def linearized(self, parts: list[Any], target: Array, held: int | None) -> tuple[Array, Array, Any]:
        e, J, _ = super().linearized(parts, target, held)
        axes = self.arm.chain.axes
        sides = [0.0, *(float(axes[1] @ axes[k]) for k in (1, 2, 3))]
        turn = target[3] - sum(side * x for side, x in zip(sides, parts, strict=True))
        e = np.concatenate([e, [np.sin(turn)]])
        error = np.sqrt(dot(e[:3], e[:3]) + (2.0 * np.sin(0.5 * turn)) ** 2)
        return e, np.concatenate([J, [sides]]), error

    def rows(self, J: Array) -> Array:
        axes = self.arm.chain.axes
        return np.concatenate([J[:3], [[0.0, *(float(axes[1] @ axes[k]) for k in (1, 2, 3))]]])


STEP = 0.05
"""rad or m: so far joints are moved to see whether the hand stays"""


def free_joints(task: Pose, held: int | None, q: Array, elbow: Callable[[Array], float] | None = None) -> list[int]:
    """The joints that can move while the hand stays, and ``elbow``, the elbow angle of a posture, where it is given."""
    arm = task.arm

    def at(x: Array) -> tuple[Array, Array]:
        e, columns, _ = miss(arm, list(x), goal)
        J = task.rows(_columns(columns, held))
        if elbow is not None:
            sides = 1e-6 * np.eye(len(q))
            slope = [without_turns(elbow(x + d) - elbow(x - d)) / 2e-6 for d in sides]
            return np.concatenate([J, [slope]]), np.concatenate([e, [without_turns(angle - elbow(x))]])
        if task.shape == (4, 4):
            return J, e
        turned = [float(arm.chain.axes[1] @ arm.chain.axes[k]) * (q[k] - x[k]) for k in range(1, len(q))]
        return J, np.concatenate([e[:3], [sum(turned)]])[: len(J)]

    G = forward(arm.chain, q)
    goal = pose_matrix(G.R @ arm.hand.R, G(arm.hand.p))
    angle = 0.0 if elbow is None else elbow(q)
    J, _ = at(q)
    _, values, V = np.linalg.svd(J)
    rank = int((values > 1e-7 * values[0]).sum())
    nothing = [v for v in V[rank:] if held is None or abs(v[held]) < 0.5]
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
