"""Springs between bodies of large mechanisms.

The length of a spring and its derivative by the joints on its paths (see `dynamics/forces/springs.py`) are code for one
element; forces and energies are computed from them for all springs together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright.compiler.front.kinds import objects, plain, pose_from
from linkwright.compiler.schedules.composed.elements import BatchElement, ElementBatch, along, batches_of
from linkwright.compiler.schedules.composed.kernels import ComponentKernels, Function
from linkwright.dynamics.forces.springs import length_rows, pieces_of, stretched, ways_between
from linkwright.errors import TooLargeError
from linkwright.model.elements import Frame
from linkwright.model.memo import kept
from linkwright.model.parts.spring import Spring
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array


class SpringBatch(ElementBatch):
    """Springs of one kind."""

    def __init__(self, model: Model, which: list[int], elements: Sequence[BatchElement]):
        super().__init__(model, which, elements)
        springs = [model.springs[number] for number in which]
        self.law = np.array([(one.stiffness, one.damping, *one.relaxed) for one in springs]).T
        """(4, springs): stiffness, damping, shortest and longest relaxed length"""

    def expressions(self, what: str, numbers: list[Any], q: Array, v: Array) -> Any:
        """Return the length, and its rate per velocity."""
        spring = self.model.springs[self.which[0]]
        bodies, ends = _ways(self.model, spring)
        local = {-1: -1, **{k: n for n, k in enumerate(bodies)}}
        links = []
        for n, link in enumerate(self.model.links[k] for k in bodies):
            T = pose_from(numbers[12 * n : 12 * n + 12])
            links.append(replace(link, parent=local.get(link.parent, -1), placement=T))
        frames = {}
        for n, end in enumerate(ends):
            p = objects(numbers[12 * len(bodies) + 3 * n :][:3])
            T = plain(np.concatenate([np.eye(4)[:, :3], np.append(p, 1.0)[:, None]], axis=1))
            frames[str(n)] = Frame(local.get(end, -1), T)
        few = replace(self.model, links=tuple(links), frames=MappingProxyType(frames), springs=())
        x = np.split(q, np.cumsum([link.motion.nq for link in links])[:-1])
        pieces = pieces_of(few, tuple(frames), numbers[-1], x)
        row = length_rows(few, x, pieces)
        rows = [row.get(k, np.zeros(link.motion.nv)) for k, link in enumerate(links)]
        return stretched(pieces), np.concatenate([np.zeros(0), *rows])

    def lengths(self, q: Array) -> tuple[Array, Array]:
        """Return lengths (…, springs) and rows (…, springs, n) at configurations (…, nq)."""
        length, row = self.evaluate("length", q)
        return length, self.v.factors * row

    def elongation(self, length: Array) -> Array:
        """Return the elongation beyond the relaxed length."""
        _, _, low, high = self.law
        x: Array = np.maximum(length - high, 0.0) + np.minimum(length - low, 0.0)
        return x


def _ways(model: Model, spring: Spring) -> tuple[list[int], list[int]]:
    """Return the bodies that move a spring, and those of its points."""
    ends = [model.frames[name].body for name in spring.frames]
    return sorted({k for pair in pairwise(ends) for way in ways_between(model, *pair) for k in way}), ends


def _element(model: Model, spring: Spring) -> BatchElement:
    if not spring.is_straight or spring.friction:
        raise TooLargeError(f"the spring {spring.name!r} of a large mechanism has friction, or is not straight")
    bodies, ends = _ways(model, spring)
    local = {-1: -1, **{k: n for n, k in enumerate(bodies)}}
    links = [model.links[k] for k in bodies]
    kind = (
        tuple((link.motion, local.get(link.parent, -1)) for link in links),
        tuple(local.get(end, -1) for end in ends),
    )
    points = [model.frames[name].placement[:3, 3] for name in spring.frames]
    numbers = np.concatenate([*(link.placement[:3].ravel() for link in links), *points, [spring.rounded]])
    return BatchElement(kind, numbers, along(model, bodies, f"spring {spring.name!r}"))


@kept
def springless(model: Model) -> Model:
    """Return the same mechanism without springs between bodies."""
    return replace(model, springs=())


@kept
def spring_batches(model: Model) -> list[SpringBatch]:
    """Return the springs by kind. Raises :class:`TooLargeError` for too many kinds or too long paths."""
    return batches_of(SpringBatch, model, [_element(model, spring) for spring in model.springs], "springs")


def spring_lengths(p: ComponentKernels) -> Function:
    """Return the spring lengths of all rows."""
    alike = spring_batches(p.model)

    def all_rows(q: Array) -> Array:
        found = np.empty((*q.shape[:-1], len(p.model.springs)))
        for one in alike:
            found[..., one.which] = one.lengths(q)[0]
        return found

    return all_rows


def spring_energy(p: ComponentKernels) -> Function:
    """Return the spring energy of all rows."""
    alike = spring_batches(p.model)
    joints = p.of(p.book, springless(p.model)) if any(np.any(one.stiffness) for one in p.model.joints) else None

    def all_rows(q: Array) -> Any:
        total = joints(q) if joints else np.zeros(q.shape[:-1])
        for one in alike:
            x = one.elongation(one.lengths(q)[0])
            total = total + 0.5 * (one.law[0] * x * x).sum(axis=-1)
        return total

    return all_rows


def passive_forces(p: ComponentKernels) -> Function:
    """Return the passive forces of all rows."""
    alike, joints = spring_batches(p.model), p.of(p.book, springless(p.model))

    def all_rows(q: Array, v: Array) -> Array:
        total = np.array(joints(q, v))
        for one in alike:
            length, row = one.lengths(q)
            k, d, _, _ = one.law
            pull = k * one.elongation(length) + d * (row * v[..., one.v.at]).sum(axis=-1)
            np.subtract.at(np.moveaxis(total, -1, 0), one.v.at, np.moveaxis(pull[..., None] * row, (-2, -1), (0, 1)))
        return total

    return all_rows
