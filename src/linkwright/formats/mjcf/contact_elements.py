"""Contact in written MJCF files: surface parameters of geoms, height fields, pairs and excluded bodies."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from linkwright.formats.writing import Losses, XmlNode
from linkwright.model.build.description import Description
from linkwright.model.parts.pair import FRICTION, Pair
from linkwright.model.parts.shape import Shape

THINNEST = 1e-3
"""m, smallest depth of the ground below a height field, and smallest range of its heights, required by MuJoCo."""


def surface(shape: Shape, alone: bool, losses: Losses) -> dict[str, Any]:
    """Return the surface parameters of a geom; ``alone``: no other shape has a friction that this one could use."""
    options: dict[str, Any] = {}
    if shape.friction is None and not alone:
        losses.add(f"friction that depends on the other shape is written as {FRICTION:g}", shape.called)
    numbers = (FRICTION if shape.friction is None else shape.friction, shape.torsional_friction, shape.rolling_friction)
    options |= {"friction": numbers, "condim": max(3, _condim(*numbers))}
    if shape.margin:
        options["margin"] = shape.margin
    for bits in ("contype", "conaffinity"):
        if getattr(shape, bits) != 1:
            options[bits] = signed(getattr(shape, bits))
    _lost(shape, shape.called, losses)
    return options


def _lost(of: Shape | Pair, called: str, losses: Losses) -> None:
    if of.restitution:
        losses.add("restitution is lost", called)
    if of.stiffness is not None:
        losses.add("stiffness and damping of contact are lost, which MuJoCo defines per mass", called)


def _condim(slide: float, spin: float, roll: float) -> int:
    """Return the condim: 1 plus the number of directions of a contact with friction."""
    return 6 if roll else 4 if spin else 3 if slide else 1


def signed(bits: int) -> int:
    """Return 32 bits as a signed integer."""
    return bits - (1 << 32) if bits >> 31 else bits


def height_field(shape: Shape) -> tuple[dict[str, Any], float]:
    """Return an hfield of the same surface, whose z = 0 is its lowest point, and the height of that in the shape's
    frame.

    The last row comes first in files.
    """
    assert shape.heights is not None
    low, high = float(shape.heights.min()), float(shape.heights.max())
    x, y, base = shape.size
    rows, columns = shape.heights.shape
    size = (0.5 * x, 0.5 * y, high - low if high > low else THINNEST, max(base + low, THINNEST))
    return {"nrow": rows, "ncol": columns, "size": size, "elevation": np.ravel(shape.heights[::-1] - low)}, low


def pairs_of(description: Description) -> list[Pair]:
    """Return the pairs to write: the present and the listed ones, each once."""
    found: dict[frozenset[int], Pair] = {}
    for pair in (*description.pairs, *description.listed_pairs):
        found.setdefault(frozenset((pair.first, pair.second)), pair)
    return list(found.values())


def contacts(root: XmlNode, description: Description, geoms: Mapping[int, str], losses: Losses) -> None:
    """<pair> and <exclude>."""
    node = XmlNode("contact")
    for pair in pairs_of(description):
        if pair.first in geoms and pair.second in geoms:
            slide, spin, roll = pair.friction, pair.torsional_friction, pair.rolling_friction
            options = {"margin": pair.margin} if pair.margin else {}
            _lost(pair, f"{geoms[pair.first]} ─ {geoms[pair.second]}", losses)
            node.add(
                "pair",
                geom1=geoms[pair.first],
                geom2=geoms[pair.second],
                condim=_condim(slide, spin, roll),
                friction=(slide, slide, spin, roll, roll),
                **options,
            )
    for first, second in dict.fromkeys(description.excluded):
        node.add("exclude", body1=first, body2=second)
    if node.children:
        root.children.append(node)
    if description.pairs and _more_meet(description):
        losses.add("in MuJoCo further shapes collide, by contype and conaffinity", description.name)


def _more_meet(description: Description) -> bool:
    """Return whether the bits allow contact of two shapes of different links that are no pair."""
    known = {frozenset((pair.first, pair.second)) for pair in description.pairs}
    touching = [k for k, shape in enumerate(description.shapes) if shape.touches]
    for i, j in combinations(touching, 2):
        a, b = description.shapes[i], description.shapes[j]
        meet = (a.contype & b.conaffinity) or (b.contype & a.conaffinity)
        if meet and a.body != b.body and frozenset((i, j)) not in known:
            return True
    return False
