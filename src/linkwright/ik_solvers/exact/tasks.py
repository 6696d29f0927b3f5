"""Kinds of targets: a pose, a position, or a position and a pitch; with their array, quantity and residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwright.geometry.rotation import exp
from linkwright.ik_solvers.exact.chain import Arm, Chain, RigidMotion, forward
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.formulas.families import (
    ElbowAngle,
    JointSolution,
    alike,
    direction,
    elbow_angle,
    elbow_direction,
    pitched,
)
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine, cross, dot
from linkwright.ik_solvers.exact.postures import (
    fault_of,
    halves,
    miss,
    motion_to,
    off,
    orthonormal,
)
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.linalg import damped_least_squares
from linkwright.spatial.transform import pose_matrix


@dataclass(frozen=True)
class PoseTarget:
    """The whole pose of the hand."""

    arm: Arm
    shape: ClassVar[tuple[int, ...]] = (4, 4)
    name: ClassVar[str] = "T"
    wanted: ClassVar[str] = "not a pose: a rotation (to 1e-6), a position, and 0 0 0 1 below"

    def fault(self, target: Array) -> Any:
        """Nothing where finite numbers are a target."""
        return fault_of(target)

    def cleaned(self, target: Array) -> Array:
        """The target, its rotation one to rounding."""
        return orthonormal(target)

    def motion(self, target: Array) -> RigidMotion:
        """The hand's motion from where it is at q = 0."""
        return motion_to(self.arm, target)

    def off(self, target: Array, answer: JointSolution) -> Any:
        """Residual: the distance (m) and 2 sin(angle / 2), together."""
        return off(self.arm, target, answer)

    def target_of(self, parts: Array) -> Array:
        """The target that a posture reaches."""
        G = forward(self.arm.chain, parts)
        return pose_matrix(G.R @ self.arm.hand.R, G(self.arm.hand.p))

    def given_of(self, parts: Array) -> Any:
        """The value that has to be given in addition to the target, at a posture."""
        return 0.0

    def linearized(self, parts: list[Any], target: Array, held: int | None, given: Any) -> tuple[Array, Array, Any]:
        """The residual, its Jacobian with a joint held, and the error of a posture."""
        e, columns, error = miss(self.arm, parts, self.cleaned(target))
        return e, _columns(columns, held), error

    def converged(
        self, parts: list[Any], target: Array, held: int | None, given: Any, steps: int, damping: Any = 1.0
    ) -> tuple[list[Any], Any]:
        """Postures after Levenberg–Marquardt steps, damped by a factor of the squared residual, and their error."""
        for _ in range(steps):
            e, J, _ = self.linearized(parts, target, held, given)
            step = damped_least_squares(J, e, damping * (e @ e) + 1e-24)
            parts = [x + d for x, d in zip(parts, step, strict=True)]
        return parts, self.linearized(parts, target, held, given)[2]

    def moved(self, target: Array, distance: float, random: np.random.Generator) -> Array:
        """Targets (n, …) at a distance (rad and parts of the arm's length) from these, all in one random direction."""
        v = distance * random.standard_normal(6) / np.sqrt(6.0)
        moved = target.copy()
        moved[:, :3, :3] = exp(v[3:]) @ target[:, :3, :3]
        moved[:, :3, 3] += self.arm.length * v[:3]
        return moved


def _columns(columns: list[Array], held: int | None) -> Array:
    """The Jacobian of these columns; zero in that of a joint that is held."""
    return np.stack([0.0 * column if k == held else column for k, column in enumerate(columns)], axis=1)


@dataclass(frozen=True)
class PoseAtElbowAngle(PoseTarget):
    """The pose of the hand of an arm with spherical shoulder and wrist, at a given elbow angle."""

    chain: Chain
    """its points 0 and 4 are the shoulder and the wrist"""

    def given_of(self, parts: Array) -> Any:
        return elbow_angle(self.chain, [SineCosine(np.sin(x), np.cos(x)) for x in parts])

    def linearized(self, parts: list[Any], target: Array, held: int | None, given: Any) -> tuple[Array, Array, Any]:
        e, J, error = super().linearized(parts, target, held, given)
        n, side = elbow_direction(self.chain, self.motion(self.cleaned(target)), given)
        across = cross(n, side)
        elbow = self.chain.axes[3]
        axes: list[Any] = []
        for i in (2, 1, 0):
            turn = SineCosine(np.sin(parts[i]), np.cos(parts[i]))
            elbow = self.chain.spin(i, turn, elbow)
            axes = [self.chain.axes[i], *(self.chain.spin(i, turn, h) for h in axes)]
        row = [dot(across, cross(h, elbow)) for h in axes] + [0.0 * parts[0]] * (len(parts) - 3)
        off = direction(elbow - n * dot(n, elbow), side) - side
        e, J = np.concatenate([e, [-dot(across, elbow)]]), np.concatenate([J, [row]])
        return e, J, np.sqrt(error * error + dot(off, off))


@dataclass(frozen=True)
class PositionTarget(PoseTarget):
    """The place of the hand."""

    shape = (3,)
    name = "p"
    wanted = "not a position: three finite numbers"

    def fault(self, target: Array) -> Any:
        return 0.0

    def cleaned(self, target: Array) -> Array:
        return target

    def target_of(self, parts: Array) -> Array:
        return forward(self.arm.chain, parts)(self.arm.hand.p)

    def linearized(self, parts: list[Any], target: Array, held: int | None, given: Any) -> tuple[Array, Array, Any]:
        T = np.concatenate([np.eye(3), target[:3, None]], axis=1)
        e, columns, _ = miss(self.arm, parts, T)
        return e[:3], _columns(columns, held)[:3], np.sqrt(dot(e[:3], e[:3]))

    def moved(self, target: Array, distance: float, random: np.random.Generator) -> Array:
        return np.asarray(target + self.arm.length * distance * random.standard_normal(self.shape))

    def motion(self, target: Array) -> RigidMotion:
        return RigidMotion(np.eye(3), target - self.arm.hand.p)

    def off(self, target: Array, answer: JointSolution) -> Any:
        x, v = halves(self.arm, answer, self.arm.hand.p, target, True)
        return np.sqrt(dot(x - v, x - v))


@dataclass(frozen=True)
class PitchTarget(PositionTarget):
    """Position of the hand, and its rotation about the parallel axes of a revolute and a planar joint."""

    shape = (4,)
    name = "p"
    wanted = "not a position and a pitch: four finite numbers"

    def motion(self, target: Array) -> RigidMotion:
        return pitched(self.arm.chain.axes[1], target[3], self.arm.hand.p, target[:3])

    def off(self, target: Array, answer: JointSolution) -> Any:
        h, axes = self.arm.chain.axes[1], self.arm.chain.axes
        whole = SineCosine(np.sin(target[3]), np.cos(target[3]))
        for k in (1, 2, 3):
            whole = whole.then(alike(h, axes[k], answer.turns[k]).back())
        x, v = halves(self.arm, answer, self.arm.hand.p, target[:3], True)
        return np.sqrt(dot(x - v, x - v) + whole.s * whole.s + (1.0 - whole.c) * (1.0 - whole.c))

    def target_of(self, parts: Array) -> Array:
        return np.append(super().target_of(parts), self._sides @ parts)

    def linearized(self, parts: list[Any], target: Array, held: int | None, given: Any) -> tuple[Array, Array, Any]:
        e, J, _ = super().linearized(parts, target, held, given)
        turn = target[3] - sum(side * x for side, x in zip(self._sides, parts, strict=True))
        e = np.concatenate([e, [np.sin(turn)]])
        error = np.sqrt(dot(e[:3], e[:3]) + (2.0 * np.sin(0.5 * turn)) ** 2)
        return e, np.concatenate([J, [self._sides]]), error

    @property
    def _sides(self) -> Array:
        axes = self.arm.chain.axes
        return np.array([0.0, *(float(axes[1] @ axes[k]) for k in (1, 2, 3))])


STEPS = (0.05, 0.005)
"""rad or m: a joint is free if it can move by about one of these distances while the hand stays.

The second one is for short closed curves of solutions, and for motions that rounding in a file stops.
"""

SMALL = 1e-4
"""Singular values of the Jacobian below this part of the largest are tried as free motions."""

RESTING = 2.0
"""The hand stays where its motion, in parts of the tolerance, is below this times a joint's, in rad or m."""

FREE = 5e-5
"""Joints that move by less do not count as free."""


def free_joints(
    task: PoseTarget, linearized: Callable[..., Any], moving: list[int], q: Array, tolerance: float
) -> list[int]:
    """The joints that can move while the hand, and what is given, stay within a part of a tolerance.

    ``linearized`` returns the residual of a posture, its Jacobian by the ``moving`` joints, and the error.
    """
    target, given = task.target_of(q), np.asarray(task.given_of(q), dtype=float)

    def at(x: Array) -> tuple[Array, Array, float]:
        e, by_moving, error = linearized(x, target, given)
        J = np.zeros((len(e), len(x)))
        J[:, moving] = by_moving
        return e, J, float(error)

    _, values, V = np.linalg.svd(at(q)[1][:, moving])
    if len(values) == len(moving) and values[-1] > tolerance / STEPS[0]:
        return []
    rank = int((values > SMALL * values[0]).sum())
    nothing = np.zeros((len(moving) - rank, len(q)))
    nothing[:, moving] = V[rank:]
    if len(nothing) > 1:  # several curves may cross: those along which single joints move most are likely among them
        columns = (nothing.T @ nothing)[:, (nothing**2).sum(axis=0) > 1e-6]
        nothing = np.concatenate([nothing, (columns / np.linalg.norm(columns, axis=0)).T])
    for step in STEPS:
        moved = np.zeros(len(q))
        for v in nothing:
            moved = np.maximum(moved, _moved(at, q, v, step, RESTING * step * tolerance))
        if moved.any():
            return [k for k, x in enumerate(moved) if x > FREE]
    return []


def _moved(at: Callable[[Array], tuple[Array, Array, float]], q: Array, v: Array, step: float, least: float) -> Array:
    """How far joints move by a step from a posture in a direction while the error is the least; 0 if they do not."""
    for _ in range(3):  # where curves cross, what is left of a direction leads along one of them
        x = q + step * v
        for _ in range(40):  # on a curve of double solutions each step leaves a quarter of the error
            e, J, error = at(x)
            if error <= least:
                break
            U, s, W = np.linalg.svd(J, full_matrices=False)
            x = x + (s / (s * s + e @ e + 1e-24) * (e @ U)) @ W
        if error > least:
            break
        off = x - q
        if np.abs(off).max() > 0.2 * step:
            return np.asarray(np.abs(off))
        v = off / max(float(np.linalg.norm(off)), 1e-9)
    return np.zeros(len(q))


def task_of(name: str, arm: Arm, way: Decomposition | None = None) -> PoseTarget:
    """The task of that name."""
    if way is not None and isinstance(way.family, ElbowAngle):
        return PoseAtElbowAngle(arm, way.chain)
    return {"pose": PoseTarget, "position": PositionTarget, "pitch": PitchTarget}[name](arm)
