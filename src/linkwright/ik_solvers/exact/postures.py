"""The hand at a posture, and its distance from a target: functions of numbers or symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.ik_solvers.exact.chain import Arm, RigidMotion
from linkwright.ik_solvers.exact.formulas.families import JointSolution
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine, cross, dot
from linkwright.spatial.arrays import Array

TURN = 2.0 * np.pi


def motion_to(arm: Arm, T: Array) -> RigidMotion:
    """G: the hand's motion from where it is at q = 0 to T."""
    R = T[:3, :3] @ arm.hand.R.T
    return RigidMotion(R, T[:3, 3] - R @ arm.hand.p)


def off(arm: Arm, T: Array, answer: JointSolution) -> Any:
    """How far an answer is from T: the joints near the base undone on T, the others done on the hand."""
    square: Any = 0.0
    for k in range(3):
        x, v = halves(arm, answer, arm.hand.R[:, k], T[:3, k], False)
        square = square + 0.5 * dot(x - v, x - v)
    x, v = halves(arm, answer, arm.hand.p, T[:3, 3], True)
    return np.sqrt(square + dot(x - v, x - v))


def halves(arm: Arm, answer: JointSolution, v: Array, x: Array, points: bool) -> tuple[Array, Array]:
    """x with the joints near the base undone, and v with the others done: points, or directions."""
    chain, half = arm.chain, len(arm.chain) // 2
    for i in reversed(range(half, len(chain))):
        v = chain.move(i, answer.turns[i], v) if points else chain.spin(i, answer.turns[i], v)
    for i in range(half):
        x = chain.back(i, answer.turns[i], x) if points else chain.spin_back(i, answer.turns[i], x)
    return x, v


def coordinate(turn: Any, lower: float, upper: float) -> Any:
    """Return the coordinate of an angle, shifted by full turns into the limits if possible."""
    return into_limits(turn.angle(), lower, upper) if isinstance(turn, SineCosine) else turn


def without_turns(angle: Any) -> Any:
    """An angle without its whole turns, in [-π, π]."""
    return angle - TURN * np.rint(angle / TURN)


def into_limits(angle: Any, lower: float, upper: float) -> Any:
    """An angle in (-π, π], with the whole turns added that bring it within the limits, if any do."""
    if (lower <= -np.pi and upper >= np.pi) or (lower >= -np.pi and upper <= np.pi):
        return angle
    if np.isfinite(lower) and np.isfinite(upper):
        middle = 0.5 * (lower + upper)
    else:
        middle = lower + np.pi if np.isfinite(lower) else upper - np.pi
    return angle - TURN * np.rint((angle - middle) / TURN)


def fault_of(T: Array) -> Any:
    """Nothing where T is a pose, if its numbers are finite."""
    x, y, z = T[:3, 0], T[:3, 1], T[:3, 2]
    n = cross(x, y) - z
    square = (dot(x, x) - 1.0) ** 2 + (dot(y, y) - 1.0) ** 2 + dot(x, y) ** 2 + dot(n, n)
    below = T[3, 0] ** 2 + T[3, 1] ** 2 + T[3, 2] ** 2 + (T[3, 3] - 1.0) ** 2
    return np.sqrt(square + below)


def orthonormal(T: Array) -> Array:
    """A pose whose rotation is one to 1e-6 with the nearest that is one to 1e-12."""
    R = T[:3, :3]
    return np.concatenate([1.5 * R - 0.5 * (R @ (R.T @ R)), T[:3, 3:]], axis=1)


def miss(arm: Arm, q: list[Any], T: Array) -> tuple[Array, list[Array], Any]:
    """Return the residual to T (6,), the hand's Jacobian by columns (6,), and the distance to T.

    They are relative to a joint in the middle: inner joints are inverted on T, outer joints applied to the hand, so
    that each axis is moved by few joints. When T is reached these are world values in rotated axes.
    """
    chain, half = arm.chain, len(arm.chain) // 2
    turns = [x if slides else SineCosine(np.sin(x), np.cos(x)) for x, slides in zip(q, chain.slides, strict=True)]
    hand = JointSolution(tuple(turns), True)
    x, p = halves(arm, hand, arm.hand.p, T[:3, 3], True)
    pairs = [halves(arm, hand, arm.hand.R[:, k], T[:3, k], False) for k in range(2)]
    pairs.append((cross(pairs[0][0], pairs[1][0]), cross(pairs[0][1], pairs[1][1])))
    J = []
    for i in range(len(chain)):
        h, c = chain.axes[i], chain.points[i]
        for j in range(i + 1, half):
            h, c = chain.spin_back(j, turns[j], h), chain.back(j, turns[j], c)
        for j in reversed(range(half, i)):
            h, c = chain.spin(j, turns[j], h), chain.move(j, turns[j], c)
        moved = x if i < half else p
        J.append(np.concatenate([h, 0.0 * h] if chain.slides[i] else [cross(h, moved - c), h]))
    left = x - p
    turn = sum(0.5 * cross(of, to) for to, of in pairs)
    square = dot(left, left) + sum(0.5 * dot(to - of, to - of) for to, of in pairs)
    return np.concatenate([left, turn]), J, np.sqrt(square)
