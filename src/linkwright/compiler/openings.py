"""By how much closed loops of large mechanisms are open: loops alike compiled once, all of them at once as a batch.

Loops are alike where joints of the same kinds lead from the nearest common ancestor to both of their ends; in
placements, lengths and the like they differ. How far one is open, and at what rate it opens, is straight-line code,
with what differs as an input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.kinds import folded, pose_from
from linkwright.compiler.springs import LONGEST_WAY, MOST_KINDS
from linkwright.dynamics.constraint import Pace, branches, constraint_rate, loop_ends, walk_along
from linkwright.errors import TooLargeError
from linkwright.model.loop import CoordinateLoop, Loop, LoopType
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Function = Callable[..., Any]

OPENINGS: tuple[Function, ...] = (dynamics.constraint_residual, constraint_rate)


class Alike(NamedTuple):
    """Loops of one kind."""

    rows: Array
    """(loops, m), where in the residual theirs is"""
    kernel: Kernel
    """(data, q, v) of the joints that a loop goes by -> residual and its rate"""
    data: Array
    """(loops, …), in which they differ"""
    at_q: Array
    """(loops, …), where in q the coordinates of those joints are"""
    at_v: Array


class _Way(NamedTuple):
    """What a loop goes by."""

    kind: Any
    """the same in loops that are the same program"""
    numbers: Array
    """in which those may differ still"""
    at_q: Array
    at_v: Array


def loops_alike(model: Model) -> list[Alike]:
    """The loops by kind. Raises :class:`TooLargeError` where they are of too many, or reach too far."""
    if model.has_couplings:
        raise TooLargeError("joints follow others")
    starts = np.cumsum([(0, 0), *((joint.nq, joint.nv) for joint in model.joints)], axis=0)
    found: dict[Any, list[tuple[int, _Way]]] = {}
    for number, loop in enumerate(model.loops):
        way = _by_frames(model, loop, starts) if isinstance(loop, Loop) else _by_coordinates(model, loop, starts)
        found.setdefault(way.kind, []).append((number, way))
    if len(found) > MOST_KINDS:
        raise TooLargeError(f"there are {len(found)} kinds of loops")
    ends = np.cumsum([0, *(1 if isinstance(loop, CoordinateLoop) else len(loop.kind.units) for loop in model.loops)])
    made = []
    for members in found.values():
        numbers, ways = zip(*members, strict=True)
        kernel, data = _compiled(model, numbers[0], np.array([way.numbers for way in ways]), ways[0])
        rows = np.array([np.arange(ends[k], ends[k + 1]) for k in numbers])
        at_q, at_v = np.array([way.at_q for way in ways]), np.array([way.at_v for way in ways])
        made.append(Alike(rows, kernel, data, at_q, at_v))
    return made


def _by_frames(model: Model, loop: Loop, starts: Array) -> _Way:
    first, second = loop_ends(model, loop)
    outwards, inwards = branches(model, first.body, second.body)
    bodies = outwards + inwards
    if len(bodies) > LONGEST_WAY:
        raise TooLargeError(f"loop {loop.name!r} goes by {len(bodies)} bodies")
    motions = tuple(tuple(model.links[k].motion for k in side) for side in (outwards, inwards))
    places = [*(model.links[k].placement for k in bodies), first.placement, second.placement]
    names = _numbers_of(loop.kind)
    numbers = np.concatenate([*(T[:3].ravel() for T in places), [getattr(loop.kind, name) for name in names]])
    at_q, at_v = (np.array([n for k in bodies for n in range(*starts[k : k + 2, which])], int) for which in (0, 1))
    return _Way((replace(loop.kind, **dict.fromkeys(names, 1.0)), *motions), numbers, at_q, at_v)


def _by_coordinates(model: Model, loop: CoordinateLoop, starts: Array) -> _Way:
    tied = [model.plain_coordinates[name] for name in (loop.first, loop.second) if name]
    at_q, at_v = (np.array([starts[one[0], which] + one[1 + which] for one in tied], int) for which in (0, 1))
    kind = bool(loop.first), bool(loop.second), len(loop.coefficients)
    return _Way(kind, np.array(loop.coefficients, dtype=float), at_q, at_v)


def _numbers_of(kind: LoopType) -> list[str]:
    """The names of the numbers that a kind of loop has: a length, a pitch."""
    return [one.name for one in fields(kind) if isinstance(getattr(kind, one.name), float)]


def _compiled(model: Model, number: int, rows: Array, way: _Way) -> tuple[Kernel, Array]:
    """The code of loops like that of this number, and its data, from all that may differ."""
    places, columns = folded(rows)
    if not columns.size:  # there is no code without data
        columns = rows[:, :1]
    loop = model.loops[number]

    def values(data: Array) -> list[Any]:
        return [rows[0, n] if place < 0 else data[place] for n, place in enumerate(places)]

    def of_coordinates(data: Array, q: Array, v: Array) -> tuple[Array, Array]:
        assert isinstance(loop, CoordinateLoop)
        tie = replace(loop, coefficients=tuple(values(data)))
        (x, x_rate), (y, y_rate) = (
            (q[k : k + 1], v[k : k + 1]) if name else (np.zeros(1), np.zeros(1))
            for name, k in ((loop.first, 0), (loop.second, len(q) - 1))
        )
        return tie.residual(x, y), x_rate + tie.slope(y) * y_rate

    def of_frames(data: Array, q: Array, v: Array) -> tuple[Array, Array]:
        assert isinstance(loop, Loop)
        outwards, inwards = branches(model, *(end.body for end in loop_ends(model, loop)))
        numbers, paces = values(data), []
        for n, k in enumerate(outwards + inwards):
            link = replace(model.links[k], placement=pose_from(numbers[12 * n : 12 * n + 12]))
            nq, nv = link.motion.nq, link.motion.nv
            paces.append(Pace(k, link, q[:nq], v[:nv]))
            q, v = q[nq:], v[nv:]
        first, second = (pose_from(numbers[12 * n : 12 * n + 12]) for n in (len(paces), len(paces) + 1))
        kind = replace(loop.kind, **dict(zip(_numbers_of(loop.kind), numbers[12 * len(paces) + 24 :], strict=True)))
        walk = walk_along(paces[: len(outwards)], paces[len(outwards) :], first, second)
        return kind.residual(walk.pose), kind.subspace(walk.pose).T @ walk.twist

    function = of_frames if isinstance(loop, Loop) else of_coordinates
    return compile(function, data=(columns.shape[1],), q=way.at_q.shape, v=way.at_v.shape), columns


def of_openings(book: Function, alike: list[Alike]) -> Function:
    """One of OPENINGS, of all rows (…, nq) of a batch at once."""
    which = OPENINGS.index(book)
    size = sum(one.rows.size for one in alike)

    def openings(q: Array, v: Array) -> Array:
        found = np.empty((*q.shape[:-1], size))
        for one in alike:
            found[..., one.rows] = one.kernel(one.data, q[..., one.at_q], v[..., one.at_v])[which]
        return found

    if book is not dynamics.constraint_residual:
        return openings
    still = np.zeros(1 + max((int(one.at_v.max(initial=-1)) for one in alike), default=-1))
    return lambda q: openings(q, still)
