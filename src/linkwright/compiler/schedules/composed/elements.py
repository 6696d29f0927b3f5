"""Closed loops and springs of large mechanisms as elements: those alike compiled once, all of them called as one batch.

Elements are alike where joints of the same kinds move them; in placements, lengths and the like they differ. What is
asked of one is straight-line code, its numbers and the coordinates of the joints that move it being inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from linkwright.compiler.front.kinds import folded
from linkwright.compiler.kernel import Kernel, compile
from linkwright.errors import TooLargeError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

LONGEST_PATH = 150
"""Bodies that an element goes by; more are too many for straight-line code to be compiled soon."""
MOST_KINDS = 60
"""of elements, each compiled"""

Coordinates = list[tuple[int, int]]
"""Coordinates of single joints: which joint's, and which of its own."""


class BatchElement(NamedTuple):
    """A loop or a spring."""

    kind: Any
    """the same in elements that are the same program"""
    numbers: Array
    """in which those may differ still"""
    moved_by: tuple[Coordinates, Coordinates]
    """coordinates of q and of v"""


class CoordinateGather:
    """Coordinates of joints from those of all that follow no others: of q, or of v."""

    def __init__(self, model: Model, coordinates: Sequence[Coordinates], width: str):
        starts = np.cumsum([0, *(getattr(joint, width) for joint in model.joints)])
        joints = []
        for k, joint in enumerate(model.joints):
            leader, factor, offset = (
                (k, 1.0, 0.0) if (c := joint.coupling) is None else (c.leader, c.multiplier, c.offset)
            )
            joints.append((starts[leader], factor, offset if width == "nq" else 0.0))
        self.at = np.array([[joints[k][0] + n for k, n in own] for own in coordinates], int)
        """(groups, n)"""
        self.factors, self._offsets = (
            np.array([[joints[k][one] for k, _ in own] for own in coordinates], float) for one in (1, 2)
        )
        self._follows = bool(np.any(self.factors != 1.0) or np.any(self._offsets))

    def __call__(self, x: Array) -> Array:
        """(…, groups, n) of rows (…, nq) or (…, nv)."""
        found: Array = x[..., self.at]
        return self.factors * found + self._offsets if self._follows else found


class ElementBatch:
    """Elements of one kind; those of loops and of springs say what there is to be told of one."""

    def __init__(self, model: Model, which: list[int], elements: Sequence[BatchElement]):
        self.model, self.which = model, which
        self.q = CoordinateGather(model, [one.moved_by[0] for one in elements], "nq")
        self.v = CoordinateGather(model, [one.moved_by[1] for one in elements], "nv")
        self._constants = elements[0].numbers
        self._columns, data = folded(np.array([one.numbers for one in elements]))
        self._data = data if data.size else np.zeros((len(elements), 1))  # there is no code without data
        self._kernels: dict[str, Kernel] = {}

    def told(self, what: str, numbers: list[Any], q: Array, v: Array) -> Any:
        """What is asked of an element with these numbers."""
        raise NotImplementedError

    def ask(self, what: str, q: Array, v: Array | None = None) -> Any:
        """The same of all at (…, nq), at rest or at (…, nv): arrays (…, elements, …)."""

        def element(data: Array, q: Array, v: Array) -> Any:
            pairs = zip(self._constants, self._columns, strict=True)
            return self.told(what, [x if column < 0 else data[column] for x, column in pairs], q, v)

        def at_rest(data: Array, q: Array) -> Any:
            return element(data, q, np.zeros(self.v.at.shape[1:]))

        if what not in self._kernels:
            shapes: dict[str, Any] = {"data": self._data.shape[1:], "q": self.q.at.shape[1:]}
            moving = {} if v is None else {"v": self.v.at.shape[1:]}
            self._kernels[what] = compile(at_rest if v is None else element, **shapes, **moving)
        return self._kernels[what](self._data, self.q(q), *([] if v is None else [self.v(v)]))


Batch = TypeVar("Batch", bound=ElementBatch)


def batches_of(batch: type[Batch], model: Model, elements: Sequence[BatchElement], title: str) -> list[Batch]:
    """The elements by kind. Raises :class:`TooLargeError` where they are of too many."""
    kinds: dict[Any, list[int]] = {}
    for number, element in enumerate(elements):
        kinds.setdefault(element.kind, []).append(number)
    if len(kinds) > MOST_KINDS:
        raise TooLargeError(f"there are {len(kinds)} kinds of {title}")
    return [batch(model, which, [elements[number] for number in which]) for which in kinds.values()]


def coordinates_of(model: Model, bodies: Sequence[int]) -> tuple[Coordinates, Coordinates]:
    """All coordinates of these bodies' joints."""
    motions = [(k, model.links[k].motion) for k in bodies]
    return [(k, n) for k, one in motions for n in range(one.nq)], [(k, n) for k, one in motions for n in range(one.nv)]


def along(model: Model, bodies: Sequence[int], title: str) -> tuple[Coordinates, Coordinates]:
    """The same of an element. Raises :class:`TooLargeError` where it goes by too many bodies."""
    if len(bodies) > LONGEST_PATH:
        raise TooLargeError(f"{title} goes by {len(bodies)} bodies")
    return coordinates_of(model, bodies)
