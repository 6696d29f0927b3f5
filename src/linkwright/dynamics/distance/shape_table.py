"""Shapes of one kind in tables, which loops over pairs read by the index of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwright.dynamics.contact.shapes.convex.hull_table import HullTable
from linkwright.model.parts.shape import Shape
from linkwright.spatial.arrays import Array
from linkwright.spatial.loops.entry_table import EntryTable


class ShapeTable:
    """The first shapes of the pairs of a loop, or the second ones."""

    def __init__(
        self,
        graph: Any,
        shape: Shape,
        rows: Sequence[Sequence[Any]],
        hulls: Sequence[Array | None],
        faces: bool = False,
    ):
        """``shape``: the first one; ``rows``: numbers of each shape; ``hulls``: vertices of the meshes; ``faces``:
        whether the table of hulls has their faces."""
        self.shape, self.kind = shape, shape.kind
        self.columns = EntryTable(graph, rows)
        meshes = [x for x in hulls if x is not None]
        if meshes:
            distinct = {x.tobytes(): x for x in meshes}
            numbers = {key: float(k) for k, key in enumerate(distinct)}
            self._hulls = HullTable.of(list(distinct.values()), faces)
            self._hull = EntryTable(graph, [[numbers[x.tobytes()]] for x in meshes])

    def hull(self, k: Any) -> HullTable:
        """Return the table of the hulls, for that of pair k."""
        return self._hulls.at(self._hull.one(k, 0))
