"""Closed loops of large mechanisms: those alike compiled once, all of them at once as a batch.

Loops are alike where joints of the same kinds lead from the nearest common ancestor to both of their ends; in
placements, lengths and the like they differ. How far one is open, at what rate it opens, what it asks of the joints
on its way and how it acts on the bodies it holds are straight-line code, with what differs as an input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import folded, pose_from
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.schedules.composed.springs import LONGEST_PATH, MOST_KINDS
from linkwright.dynamics.closed_loops.rows import Pace, branches, loop_ends, walk_along
from linkwright.errors import TooLargeError
from linkwright.model.derived import kept
from linkwright.model.loop import CoordinateLoop, Loop, LoopType
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import force_to_parent, inverse_pose

Function = Callable[..., Any]


class LoopBatch:
    """Loops of one kind."""

    def __init__(self, model: Model, numbers: Sequence[int], rows: Array, ways: Sequence[_LoopPath]):
        self.model, self.numbers, self.rows = model, list(numbers), rows
        """``rows`` (loops, m): where in the residual theirs are"""
        self.way = ways[0]
        self.at_q, self.at_v = np.array([way.at_q for way in ways]), np.array([way.at_v for way in ways])
        """(loops, …): where in q and v what moves them is"""
        self.ends = np.array([way.ends for way in ways], int).reshape(len(ways), -1)
        """(loops, 2), the bodies that they hold"""
        self.places, columns = folded(np.array([way.numbers for way in ways]))
        self.constants = ways[0].numbers
        self.data = columns if columns.size else np.zeros((len(ways), 1))  # there is no code without data
        """(loops, …), in which they differ"""
        self.follow = [np.array([way.follow[which] for way in ways]) for which in (0, 1)]
        """(loops, n, 2) for q and for v: by which factor coordinates follow what moves the loop, and how far off"""
        self.known: dict[str, Kernel] = {}

    def opening(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Residuals (…, loops, m) and their rates."""
        residual, rate = self._called("opening", q, v)
        return residual, rate

    def asking(self, q: Array, v: Array) -> tuple[Array, Array]:
        """K (…, loops, m, n) of what moves each loop, and K̇ v (…, loops, m)."""
        K, bias = self._called("asking", q, v)
        return K * self.follow[1][:, None, :, 0], bias

    def acting(self, q: Array) -> tuple[Array, Array, Array]:
        """T (…, loops, 6, m), and the same as forces on the first body and on the second, in their axes."""
        T, first, second = self._called("acting", q, np.zeros(self.model.nv))
        return T, first, second

    @property
    def between_frames(self) -> bool:
        """Whether they hold bodies, not coordinates."""
        return bool(self.ends.size)

    def _called(self, what: str, q: Array, v: Array) -> Any:
        of_q, of_v = self.follow
        x = of_q[..., 0] * q[..., self.at_q] + of_q[..., 1]
        if what not in self.known:
            function = self._of_frames if self.between_frames else self._of_coordinates
            shapes: dict[str, Any] = {"data": self.data.shape[1:], "q": self.at_q.shape[1:], "v": self.at_v.shape[1:]}
            self.known[what] = compile(partial(function, QUANTITIES[what]), **shapes)
        return self.known[what](self.data, x, of_v[..., 0] * v[..., self.at_v])

    def _values(self, data: Array) -> list[Any]:
        return [self.constants[n] if place < 0 else data[place] for n, place in enumerate(self.places)]

    def _of_coordinates(self, found: Function, data: Array, q: Array, v: Array) -> Any:
        loop = self.model.loops[self.numbers[0]]
        assert isinstance(loop, CoordinateLoop)
        tie = replace(loop, coefficients=tuple(self._values(data)))
        x, y = q[:1] if loop.first else np.zeros(1), q[-1:] if loop.second else np.zeros(1)
        rate = v[-1:] if loop.second else np.zeros(1)
        columns = [np.ones((1, 1))] * bool(loop.first) + [np.reshape(tie.slope(y), (1, 1))] * bool(loop.second)
        K = np.concatenate(columns, axis=1)
        return found(_LoopQuantities(tie.residual(x, y), K @ v, K, tie.curvature(y) * (rate * rate)))

    def _of_frames(self, found: Function, data: Array, q: Array, v: Array) -> Any:
        loop = self.model.loops[self.numbers[0]]
        assert isinstance(loop, Loop)
        outwards, inwards = branches(self.model, *(end.body for end in loop_ends(self.model, loop)))
        numbers, paces = self._values(data), []
        for n, k in enumerate(outwards + inwards):
            link = replace(self.model.links[k], placement=pose_from(numbers[12 * n : 12 * n + 12]))
            nq, nv = link.motion.nq, link.motion.nv
            paces.append(Pace(k, link, q[:nq], v[:nv]))
            q, v = q[nq:], v[nv:]
        first, second = (pose_from(numbers[12 * n : 12 * n + 12]) for n in (len(paces), len(paces) + 1))
        kind = replace(loop.kind, **dict(zip(_numbers_of(loop.kind), numbers[12 * len(paces) + 24 :], strict=True)))
        walk = walk_along(paces[: len(outwards)], paces[len(outwards) :], first, second)
        T = kind.subspace(walk.pose)
        columns = np.concatenate([np.zeros((6, 0)), *(walk.columns[pace.number] for pace in paces)], axis=1)
        bias = T.T @ walk.rate + kind.subspace_rate(walk.pose, walk.twist).T @ walk.twist
        on_first = -force_to_parent(first @ inverse_pose(walk.pose), T)
        seen = _LoopQuantities(kind.residual(walk.pose), T.T @ walk.twist, T.T @ columns, bias, T, on_first)
        return found(seen._replace(on_second=force_to_parent(second, T)))


class _LoopQuantities(NamedTuple):
    """All there is to be told of a loop, of which each of :data:`FOUND` takes a part."""

    residual: Array
    rate: Array
    K: Array
    bias: Array
    T: Array = np.zeros((6, 0))
    on_first: Array = np.zeros((6, 0))
    on_second: Array = np.zeros((6, 0))


QUANTITIES: dict[str, Function] = {
    "opening": lambda seen: (seen.residual, seen.rate),
    "asking": lambda seen: (seen.K, seen.bias),
    "acting": lambda seen: (seen.T, seen.on_first, seen.on_second),
}


class _LoopPath(NamedTuple):
    """What a loop goes by."""

    kind: Any
    """the same in loops that are the same program"""
    numbers: Array
    """in which those may differ still"""
    at_q: Array
    at_v: Array
    follow: tuple[Array, Array]
    """(n, 2) for q and for v, factor and offset of every coordinate"""
    ends: tuple[int, ...]
    """the two bodies, if it holds bodies"""


@kept
def loop_batches(model: Model) -> list[LoopBatch]:
    """The loops by kind. Raises :class:`TooLargeError` where they are of too many, or reach too far."""
    starts = np.cumsum([(0, 0), *((joint.nq, joint.nv) for joint in model.joints)], axis=0)
    found: dict[Any, list[tuple[int, _LoopPath]]] = {}
    for number, loop in enumerate(model.loops):
        way = _by_frames(model, loop, starts) if isinstance(loop, Loop) else _by_coordinates(model, loop, starts)
        found.setdefault(way.kind, []).append((number, way))
    if len(found) > MOST_KINDS:
        raise TooLargeError(f"there are {len(found)} kinds of loops")
    ends = np.cumsum([0, *(1 if isinstance(loop, CoordinateLoop) else len(loop.kind.units) for loop in model.loops)])
    made = []
    for members in found.values():
        numbers, ways = zip(*members, strict=True)
        made.append(LoopBatch(model, numbers, np.array([np.arange(ends[k], ends[k + 1]) for k in numbers]), ways))
    return made


def _by_frames(model: Model, loop: Loop, starts: Array) -> _LoopPath:
    first, second = loop_ends(model, loop)
    outwards, inwards = branches(model, first.body, second.body)
    bodies = outwards + inwards
    if len(bodies) > LONGEST_PATH:
        raise TooLargeError(f"loop {loop.name!r} goes by {len(bodies)} bodies")
    motions = tuple(tuple(model.links[k].motion for k in side) for side in (outwards, inwards))
    places = [*(model.links[k].placement for k in bodies), first.placement, second.placement]
    names = _numbers_of(loop.kind)
    numbers = np.concatenate([*(T[:3].ravel() for T in places), [getattr(loop.kind, name) for name in names]])
    widths = ([(k, n) for k in bodies for n in range(getattr(model.links[k].motion, one))] for one in ("nq", "nv"))
    kind = (replace(loop.kind, **dict.fromkeys(names, 1.0)), *motions)
    return _LoopPath(kind, numbers, *_moved_by(model, starts, *widths), (first.body, second.body))


def _by_coordinates(model: Model, loop: CoordinateLoop, starts: Array) -> _LoopPath:
    tied = [model.plain_coordinates[name] for name in (loop.first, loop.second) if name]
    places = [[(one[0], one[1 + which]) for one in tied] for which in (0, 1)]
    kind = bool(loop.first), bool(loop.second), len(loop.coefficients)
    return _LoopPath(kind, np.array(loop.coefficients, dtype=float), *_moved_by(model, starts, *places), ())


def _moved_by(
    model: Model, starts: Array, of_q: list[tuple[int, int]], of_v: list[tuple[int, int]]
) -> tuple[Array, Array, tuple[Array, Array]]:
    """Where in q and v these coordinates of joints are, or those they follow, and how they follow them."""
    at, follow = [], []
    for which, places in enumerate((of_q, of_v)):
        couplings = [model.joints[k].coupling for k, _ in places]
        leaders = [k if c is None else c.leader for (k, _), c in zip(places, couplings, strict=True)]
        at.append(np.array([starts[k, which] + n for k, (_, n) in zip(leaders, places, strict=True)], int))
        numbers = [(1.0, 0.0) if c is None else (c.multiplier, c.offset) for c in couplings]
        follow.append(np.array(numbers).reshape(-1, 2))
    return at[0], at[1], (follow[0], follow[1])


def _numbers_of(kind: LoopType) -> list[str]:
    """The names of the numbers that a kind of loop has: a length, a pitch."""
    return [one.name for one in fields(kind) if isinstance(getattr(kind, one.name), float)]
