"""Closed loops and springs of large mechanisms as elements: equal ones are compiled once and called as one batch.

Elements are equal if joints of the same kinds move them; placements, lengths and other numbers may differ. The
quantities of an element are straight-line code, with its numbers and the coordinates of its joints as inputs.
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
"""Largest number of bodies on the paths of an element, for short compilation of straight-line code."""
MOST_KINDS = 60
"""Largest number of kinds of elements, each of which is compiled."""

Coordinates = list[tuple[int, int]]
"""Coordinates of single joints: index of the joint, and index in its coordinates."""


class BatchElement(NamedTuple):
    """Loop or spring."""

    kind: Any
    """key of elements with the same program"""
    numbers: Array
    """numbers in which these elements may differ"""
    moved_by: tuple[Coordinates, Coordinates]
    """coordinates in q and in v"""


class CoordinateGather:
    """Selection of joint coordinates from all independent coordinates, of q or of v."""

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
        """Return (…, groups, n) from rows (…, nq) or (…, nv)."""
        found: Array = x[..., self.at]
        return self.factors * found + self._offsets if self._follows else found


class ElementBatch:
    """Elements of one kind; the subclasses of loops and springs define their quantities."""

    def __init__(self, model: Model, which: list[int], elements: Sequence[BatchElement]):
        self.model, self.which = model, which
        self.q = CoordinateGather(model, [one.moved_by[0] for one in elements], "nq")
        self.v = CoordinateGather(model, [one.moved_by[1] for one in elements], "nv")
        self._constants = elements[0].numbers
        self._columns, data = folded(np.array([one.numbers for one in elements]))
        self._data = data if data.size else np.zeros((len(elements), 1))  # code needs data
        self._kernels: dict[str, Kernel] = {}

    def expressions(self, what: str, numbers: list[Any], q: Array, v: Array) -> Any:
        """Return a quantity of an element with these numbers."""
        raise NotImplementedError

    def evaluate(self, what: str, q: Array, v: Array | None = None) -> Any:
        """Return a quantity of all elements at (…, nq), at rest or at (…, nv): arrays (…, elements, …)."""

        def element(data: Array, q: Array, v: Array) -> Any:
            pairs = zip(self._constants, self._columns, strict=True)
            return self.expressions(what, [x if column < 0 else data[column] for x, column in pairs], q, v)

        def at_rest(data: Array, q: Array) -> Any:
            return element(data, q, np.zeros(self.v.at.shape[1:]))

        if what not in self._kernels:
            shapes: dict[str, Any] = {"data": self._data.shape[1:], "q": self.q.at.shape[1:]}
            shapes |= {} if v is None else {"v": self.v.at.shape[1:]}
            self._kernels[what] = compile(at_rest if v is None else element, **shapes)
        return self._kernels[what](self._data, self.q(q), *([] if v is None else [self.v(v)]))


Batch = TypeVar("Batch", bound=ElementBatch)


def batches_of(batch: type[Batch], model: Model, elements: Sequence[BatchElement], title: str) -> list[Batch]:
    """Return the elements by kind. Raises :class:`TooLargeError` for too many kinds."""
    kinds: dict[Any, list[int]] = {}
    for number, element in enumerate(elements):
        kinds.setdefault(element.kind, []).append(number)
    if len(kinds) > MOST_KINDS:
        raise TooLargeError(f"there are {len(kinds)} kinds of {title}")
    return [batch(model, which, [elements[number] for number in which]) for which in kinds.values()]


def coordinates_of(model: Model, bodies: Sequence[int]) -> tuple[Coordinates, Coordinates]:
    """Return all coordinates of these bodies' joints."""
    motions = [(k, model.links[k].motion) for k in bodies]
    return [(k, n) for k, one in motions for n in range(one.nq)], [(k, n) for k, one in motions for n in range(one.nv)]


def along(model: Model, bodies: Sequence[int], title: str) -> tuple[Coordinates, Coordinates]:
    """Return the coordinates of an element. Raises :class:`TooLargeError` for too many bodies on its paths."""
    if len(bodies) > LONGEST_PATH:
        raise TooLargeError(f"{title} goes by {len(bodies)} bodies")
    return coordinates_of(model, bodies)
