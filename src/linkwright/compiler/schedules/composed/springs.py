"""Springs between bodies of large mechanisms: those alike compiled once, all of them at once as a batch.

Springs are alike whose ways (see `dynamics/forces/springs.py`) go over the same kinds of joint; in placements, points,
stiffness and the like they differ. The length of one and how every joint on its ways lengthens it are straight-line
code, with what differs as an input; forces and energies follow from them for all springs together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.kinds import folded, objects, plain, pose_from
from linkwright.compiler.kernel import Kernel, compile
from linkwright.dynamics.forces.springs import length_rows, pieces_of, stretched, ways_between
from linkwright.errors import TooLargeError
from linkwright.model.tree import Frame, Model
from linkwright.spatial.arrays import Array

LONGEST_PATH = 150
"""Bodies between the ends of a spring or loop; more are too many for straight-line code to be compiled soon."""
MOST_KINDS = 60
"""of springs or loops, each compiled"""


class SpringBatch(NamedTuple):
    """Springs of one kind."""

    springs: list[int]
    kernel: Kernel
    """(data, q of the joints on the ways) -> length and row"""
    data: Array
    """(springs, …), in which they differ"""
    at_q: Array
    """(springs, …), where in q the coordinates of those joints are"""
    at_v: Array
    law: Array
    """(4, springs): stiffness, damping, shortest and longest relaxed length"""

    def lengths(self, q: Array) -> tuple[Array, Array]:
        """Lengths (…, springs) and rows (…, springs, n) at configurations (…, nq)."""
        length, row = self.kernel(self.data, q[..., self.at_q])
        return length, row

    def elongation(self, length: Array) -> Array:
        """By how much they are longer than relaxed."""
        _, _, low, high = self.law
        x: Array = np.maximum(length - high, 0.0) + np.minimum(length - low, 0.0)
        return x


def spring_batches(model: Model) -> list[SpringBatch]:
    """The springs by kind. Raises :class:`TooLargeError` where they are of too many, or reach too far."""
    if model.has_couplings:
        raise TooLargeError("joints follow others")
    found: dict[Any, list[tuple[int, list[int], Array]]] = {}
    for number, spring in enumerate(model.springs):
        places = [model.frames[name] for name in spring.frames]
        pairs = pairwise(places)
        bodies = sorted({k for a, b in pairs for way in ways_between(model, a.body, b.body) for k in way})
        if len(bodies) > LONGEST_PATH:
            raise TooLargeError(f"spring {spring.name!r} is moved by {len(bodies)} bodies between its ends")
        local = {-1: -1, **{k: n for n, k in enumerate(bodies)}}
        links = [model.links[k] for k in bodies]
        parents = tuple(local.get(link.parent, -1) for link in links)
        kind = (tuple(link.motion for link in links), parents, tuple(local.get(place.body, -1) for place in places))
        numbers = [*(link.placement[:3].ravel() for link in links), *(place.placement[:3, 3] for place in places)]
        found.setdefault(kind, []).append((number, bodies, np.concatenate([*numbers, [spring.rounded]])))
    if len(found) > MOST_KINDS:
        raise TooLargeError(f"there are {len(found)} kinds of springs")
    at = np.cumsum([(0, 0), *((joint.nq, joint.nv) for joint in model.joints)], axis=0)

    def entries(bodies: list[int], which: int) -> Array:
        return np.concatenate([np.arange(at[k, which], at[k + 1, which]) for k in bodies])

    made = []
    for (_, parents, ends), members in found.items():
        numbers, bodies, rows = zip(*members, strict=True)
        kernel, data = _compiled(model, list(bodies[0]), parents, ends, np.array(rows))
        springs = [model.springs[number] for number in numbers]
        law = np.array([(one.stiffness, one.damping, *one.relaxed) for one in springs]).T
        at_q, at_v = (np.array([entries(one, which) for one in bodies]) for which in (0, 1))
        made.append(SpringBatch(list(numbers), kernel, data, at_q, at_v, law))
    return made


def _compiled(
    model: Model, bodies: list[int], parents: tuple[int, ...], ends: tuple[int, ...], rows: Array
) -> tuple[Kernel, Array]:
    """The code of springs like that between these bodies, and its data, from all that may differ."""
    places, columns = folded(rows[:, :-1])
    columns = np.concatenate([columns, rows[:, -1:]], axis=1)
    constants = rows[0]
    motions = [model.links[k].motion for k in bodies]
    frames = [str(n) for n in range(len(ends))]

    def length_and_row(data: Array, q: Array) -> tuple[Any, Array]:
        values = [constants[n] if place < 0 else data[place] for n, place in enumerate(places)]
        links = []
        for n, (k, parent) in enumerate(zip(bodies, parents, strict=True)):
            T = pose_from(values[12 * n : 12 * n + 12])
            links.append(replace(model.links[k], parent=parent, placement=T))
        start = 12 * len(bodies)
        points = {}
        for n, (name, end) in enumerate(zip(frames, ends, strict=True)):
            p = objects(values[start + 3 * n : start + 3 * n + 3])
            points[name] = Frame(end, plain(np.concatenate([np.eye(4)[:, :3], np.append(p, 1.0)[:, None]], axis=1)))
        few = replace(model, links=tuple(links), frames=MappingProxyType(points), springs=())
        x = np.split(q, np.cumsum([motion.nq for motion in motions])[:-1])
        pieces = pieces_of(few, frames, data[-1], x)
        row = length_rows(few, x, pieces)
        return stretched(pieces), np.concatenate([row.get(k, np.zeros(m.nv)) for k, m in enumerate(motions)])

    n = sum(motion.nq for motion in motions)
    return compile(length_and_row, data=(columns.shape[1],), q=(n,)), columns


Function = Callable[..., Any]


OF_SPRINGS = (dynamics.passive_forces, dynamics.spring_energy, dynamics.spring_lengths)


def with_springs(
    book: Function, model: Model, alike: list[SpringBatch], of_joints: Callable[[Function], Function]
) -> Function:
    """One of OF_SPRINGS, of all rows (…, nq) of a batch at once; ``of_joints`` compiles it for the joints alone."""
    sprung = any(np.any(joint.stiffness) for joint in model.joints)
    joints = of_joints(book) if book is dynamics.passive_forces or (book is dynamics.spring_energy and sprung) else None

    def lengths(q: Array) -> Array:
        found = np.empty((*q.shape[:-1], len(model.springs)))
        for one in alike:
            found[..., one.springs] = one.lengths(q)[0]
        return found

    def energy(q: Array) -> Any:
        total = joints(q) if joints else np.zeros(q.shape[:-1])
        for one in alike:
            x = one.elongation(one.lengths(q)[0])
            total = total + 0.5 * (one.law[0] * x * x).sum(axis=-1)
        return total

    def forces(q: Array, v: Array) -> Array:
        assert joints is not None
        total = np.array(joints(q, v))
        for one in alike:
            length, row = one.lengths(q)
            k, d, _, _ = one.law
            pull = k * one.elongation(length) + d * (row * v[..., one.at_v]).sum(axis=-1)
            np.subtract.at(np.moveaxis(total, -1, 0), one.at_v, np.moveaxis(pull[..., None] * row, (-2, -1), (0, 1)))
        return total

    made: dict[Function, Function] = {
        dynamics.passive_forces: forces,
        dynamics.spring_energy: energy,
        dynamics.spring_lengths: lengths,
    }
    return made[book]
