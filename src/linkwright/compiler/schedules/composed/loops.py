"""Closed loops of large mechanisms: residual, rate, constraint equation in the joints on the paths from the last common
ancestor to the ends, and forces on the connected bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.front.kinds import pose_from
from linkwright.compiler.schedules.composed.elements import BatchElement, ElementBatch, along, batches_of
from linkwright.dynamics.closed_loops.rows import Pace, branches, loop_ends, walk_along
from linkwright.errors import TooLargeError
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.memo import kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import force_to_parent, inverse_pose


class LoopBatch(ElementBatch):
    """Loops of one kind."""

    def __init__(self, model: Model, which: list[int], elements: Sequence[BatchElement]):
        super().__init__(model, which, elements)
        ends = np.cumsum([0, *(1 if isinstance(one, CoordinateLoop) else len(one.kind.units) for one in model.loops)])
        self.rows = np.array([np.arange(ends[k], ends[k + 1]) for k in which])
        """(loops, m): indices of their residuals"""
        self.between_frames = isinstance(model.loops[which[0]], Loop)
        """whether they connect bodies, not coordinates"""

    def residuals(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return residuals (…, loops, m) and their rates."""
        residual, rate = self.evaluate("residuals", q, v)
        return residual, rate

    def jacobian(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return K (…, loops, m, n) of the joints that move each loop, and K̇ v (…, loops, m)."""
        K, bias = self.evaluate("jacobian", q, v)
        return K * self.v.factors[:, None, :], bias

    def wrenches(self, q: Array) -> tuple[Array, Array, Array]:
        """Return T (…, loops, 6, m), and its forces on the first body and on the second, in their axes."""
        T, first, second = self.evaluate("wrenches", q)
        return T, first, second

    @cached_property
    def ends(self) -> Array:
        """(loops, 2), the connected bodies."""
        loops = [self.model.loops[k] for k in self.which]
        return np.array([[end.body for end in loop_ends(self.model, one)] for one in loops if isinstance(one, Loop)])

    def expressions(self, what: str, numbers: list[Any], q: Array, v: Array) -> Any:
        """Return a quantity of a loop as straight-line code."""
        loop = self.model.loops[self.which[0]]
        if isinstance(loop, CoordinateLoop):
            return _of_coordinates(replace(loop, coefficients=tuple(numbers)), q, v)[what]
        return _of_frames(self.model, loop, numbers, q, v)[what]


def _of_coordinates(tie: CoordinateLoop, q: Array, v: Array) -> dict[str, tuple[Array, ...]]:
    x, y = q[:1] if tie.first else np.zeros(1), q[-1:] if tie.second else np.zeros(1)
    rate = v[-1:] if tie.second else np.zeros(1)
    columns = [np.ones((1, 1))] * bool(tie.first) + [np.reshape(tie.slope(y), (1, 1))] * bool(tie.second)
    K = np.concatenate(columns, axis=1)
    return {"residuals": (tie.residual(x, y), K @ v), "jacobian": (K, tie.curvature(y) * (rate * rate))}


def _of_frames(model: Model, loop: Loop, numbers: list[Any], q: Array, v: Array) -> dict[str, tuple[Array, ...]]:
    outwards, inwards = branches(model, *(end.body for end in loop_ends(model, loop)))
    bodies, paces = outwards + inwards, []
    poses = [pose_from(numbers[12 * n : 12 * n + 12]) for n in range(len(bodies) + 2)]
    for k, T in zip(bodies, poses, strict=False):
        link = replace(model.links[k], placement=T)
        nq, nv = link.motion.nq, link.motion.nv
        paces.append(Pace(k, link, q[:nq], v[:nv]))
        q, v = q[nq:], v[nv:]
    kind = loop.kind.with_numbers(numbers[12 * len(poses) :])
    walk = walk_along(paces[: len(outwards)], paces[len(outwards) :], *poses[-2:])
    T = kind.subspace(walk.pose)
    columns = np.concatenate([np.zeros((6, 0)), *(walk.columns[k] for k in bodies)], axis=1)
    return {
        "residuals": (kind.residual(walk.pose), T.T @ walk.twist),
        "jacobian": (T.T @ columns, T.T @ walk.rate + kind.subspace_rate(walk.pose, walk.twist).T @ walk.twist),
        "wrenches": (T, -force_to_parent(poses[-2] @ inverse_pose(walk.pose), T), force_to_parent(poses[-1], T)),
    }


@kept
def loop_batches(model: Model) -> list[LoopBatch]:
    """Return the loops by kind. Raises :class:`TooLargeError` for too many kinds or too long paths."""
    elements = [_by_frames(model, one) if isinstance(one, Loop) else _by_coordinates(model, one) for one in model.loops]
    return batches_of(LoopBatch, model, elements, "loops")


def _by_frames(model: Model, loop: Loop) -> BatchElement:
    first, second = loop_ends(model, loop)
    outwards, inwards = branches(model, first.body, second.body)
    bodies = outwards + inwards
    motions = tuple(tuple(model.links[k].motion for k in side) for side in (outwards, inwards))
    places = [*(model.links[k].placement for k in bodies), first.placement, second.placement]
    numbers = np.concatenate([*(T[:3].ravel() for T in places), [*loop.kind.numbers.values()]])
    return BatchElement((loop.kind.kind, *motions), numbers, along(model, bodies, f"loop {loop.name!r}"))


def _by_coordinates(model: Model, loop: CoordinateLoop) -> BatchElement:
    if loop.others:
        raise TooLargeError(f"the loop {loop.name!r} of a large mechanism couples more than two coordinates")
    tied = [model.plain_coordinates[name] for name in (loop.first, loop.second) if name]
    kind = bool(loop.first), bool(loop.second), len(loop.coefficients)
    joints = [(one[0], one[1]) for one in tied], [(one[0], one[2]) for one in tied]
    return BatchElement(kind, np.array(loop.coefficients, dtype=float), joints)
