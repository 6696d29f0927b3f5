"""An arm as a product of turns and slides: E₁(q₁) … Eₙ(qₙ) = G, with G the hand's motion from where it is at q = 0.

E_i turns about (or slides along) the axis h_i through the point c_i, as they lie in the world at q = 0. In this form
the mirror image of an arm, an arm with a joint held and the ring that an arm closes with its target, opened at another
joint, are arms again: other axes, another G.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.errors import ModelError
from linkwright.ik_solvers.exact.formulas.subproblems import SineCosine, turned
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, snap

SNAP = 1e-9
"""Directions and places this near to 0 (of the arm's length) are there, for decimals in files are not exact."""


class RigidMotion(NamedTuple):
    """A rigid motion x → R x + p."""

    R: Array
    p: Array

    def __call__(self, x: Array) -> Array:
        return self.R @ x + self.p

    def inverse(self) -> RigidMotion:
        """The motion back."""
        return RigidMotion(self.R.T, -(self.R.T @ self.p))


@dataclass(frozen=True)
class Chain:
    """Axes (3,) and points (3,) on them, of numbers or symbols, in the order from the base to the hand."""

    axes: tuple[Array, ...]
    points: tuple[Array, ...]
    slides: tuple[bool, ...]
    """which joints slide"""

    def __len__(self) -> int:
        return len(self.axes)

    def move(self, i: int, turn: Any, x: Array) -> Array:
        """E_i x; ``turn`` is a SineCosine, or how far a joint slides."""
        if self.slides[i]:
            return x + self.axes[i] * turn
        return self.points[i] + turned(self.axes[i], turn, x - self.points[i])

    def back(self, i: int, turn: Any, x: Array) -> Array:
        """E_i⁻¹ x."""
        return self.move(i, -turn if self.slides[i] else turn.back(), x)

    def spin(self, i: int, turn: Any, v: Array) -> Array:
        """What E_i makes of a direction."""
        return v if self.slides[i] else turned(self.axes[i], turn, v)

    def spin_back(self, i: int, turn: Any, v: Array) -> Array:
        """What E_i⁻¹ makes of a direction."""
        return v if self.slides[i] else turned(self.axes[i], turn.back(), v)

    def mirrored(self) -> Chain:
        """The chain from the hand to the base, of the same coordinates: its product is G⁻¹."""
        return Chain(tuple(-h for h in self.axes[::-1]), self.points[::-1], self.slides[::-1])

    def opened(self, at: int, G: RigidMotion) -> Chain:
        """The ring E₁ … Eₙ G⁻¹ = 1, opened before joint ``at``: E_at … Eₙ (G⁻¹E₁G) …, whose product is G."""
        inverse = G.inverse()
        axes = (*self.axes[at:], *(inverse.R @ h for h in self.axes[:at]))
        points = (*self.points[at:], *(inverse(c) for c in self.points[:at]))
        return Chain(axes, points, (*self.slides[at:], *self.slides[:at]))

    def moved(self, at: int) -> range:
        """The joints that move with joint ``at`` where it is held: those behind it, or the fewer before it."""
        return range(at + 1, len(self)) if 2 * at + 1 >= len(self) else range(at)

    def held(self, at: int, turn: Any, G: RigidMotion) -> tuple[Chain, RigidMotion]:
        """The chain without joint ``at``, which is held, and its motion.

        The joints behind it are moved with it, and G becomes G E_at⁻¹; or those before it against it, and G becomes
        E_at⁻¹ G.
        """
        moved = self.moved(at)
        rest = [i for i in range(len(self)) if i != at]
        if 2 * at + 1 >= len(self):
            axes = [self.spin(at, turn, h) if i in moved else h for i, h in enumerate(self.axes)]
            points = [self.move(at, turn, c) if i in moved else c for i, c in enumerate(self.points)]
            R = np.stack([self.spin(at, turn, row) for row in G.R])  # (G E⁻¹)ᵀ = E Gᵀ
            left = RigidMotion(R, G(self.back(at, turn, np.zeros(3))))
        else:
            axes = [self.spin_back(at, turn, h) if i in moved else h for i, h in enumerate(self.axes)]
            points = [self.back(at, turn, c) if i in moved else c for i, c in enumerate(self.points)]
            R = np.stack([self.spin_back(at, turn, column) for column in G.R.T]).T
            left = RigidMotion(R, self.back(at, turn, G.p))
        slides = tuple(self.slides[i] for i in rest)
        return Chain(tuple(axes[i] for i in rest), tuple(points[i] for i in rest), slides), left

    def unmoved(self, at: int, turn: Any, joint: int, c: Array) -> Array:
        """Where a point of a joint is at q = 0, of where it is while joint ``at`` is held."""
        if joint not in self.moved(at):
            return c
        return self.back(at, turn, c) if joint > at else self.move(at, turn, c)


@dataclass(frozen=True)
class Arm:
    """The joints of a model between the world and a frame."""

    frame: str
    chain: Chain
    joints: tuple[str, ...]
    places: tuple[int, ...]
    """where in q their coordinates stand"""
    hand: RigidMotion
    """the frame's pose at q = 0"""
    length: float
    """the sum of the distances between neighboring axes' points, m: about how far it reaches"""


def arm_of(model: Model, frame: str) -> Arm:
    """The arm of a model that moves a frame; of hinges and slides only."""
    found = model.frame(frame)
    model.require_numbers("exact inverse kinematics", placements_only=True)
    at_zero = np.zeros(model.nq)
    for start in model.quaternion_starts:
        at_zero[start] = 1.0
    names, places, axes, points, slides = [], [], [], [], []
    for body in model.path(found.body):
        joint = model.joints[body]
        if joint.coupling is not None:
            raise ModelError(
                f"{frame!r} of {model.name!r} is moved by joint {joint.name!r}, which follows another: exact inverse "
                "kinematics has no answer for it; inverse_kinematics has"
            )
        if joint.type not in ("revolute", "prismatic"):
            raise ModelError(
                f"{frame!r} of {model.name!r} is moved by joint {joint.name!r}, a {joint.type} one: exact inverse "
                "kinematics takes revolute and prismatic joints; inverse_kinematics takes all"
            )
        names.append(joint.name)
        places.append(model.slice(joint.name).q.start)
        T = dynamics.pose(model, at_zero, joint.child)
        # a link's frame may be turned in its body's: the axis is z of the body's own
        T = T @ np.linalg.inv(model.frames[joint.child].placement)
        axes.append(snap(T[:3, 2], SNAP))
        points.append(T[:3, 3])
        slides.append(joint.type == "prismatic")
    if not names:
        raise ModelError(f"no joint of {model.name!r} moves {frame!r}: there is nothing to solve")
    T = dynamics.pose(model, at_zero, frame)
    hand = RigidMotion(snap(T[:3, :3], SNAP), T[:3, 3])
    ends = np.array([*points, hand.p])
    length = float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum()) or 1.0
    points = [np.where(np.abs(c) <= SNAP * length, 0.0, c) for c in points]
    return Arm(frame, Chain(tuple(axes), tuple(points), tuple(slides)), tuple(names), tuple(places), hand, length)


def forward(chain: Chain, q: Array) -> RigidMotion:
    """The product of all motions at coordinates q."""
    R, p = np.eye(3), np.zeros(3)
    for i in reversed(range(len(chain))):
        turn = q[i] if chain.slides[i] else SineCosine(np.sin(q[i]), np.cos(q[i]))
        R = np.stack([chain.spin(i, turn, column) for column in R.T]).T
        p = chain.move(i, turn, p)
    return RigidMotion(R, p)


def with_points(chain: Chain, points: dict[int, Array]) -> Chain:
    """The chain with other points on some axes."""
    return replace(chain, points=tuple(points.get(i, c) for i, c in enumerate(chain.points)))
