"""Collision shapes that overlap in the neutral configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from linkwright.dynamics.distance.cores import CONVEX
from linkwright.dynamics.distance.shape_pairs import MeasuredPair, frame_poses, pair_collisions, pair_separations
from linkwright.dynamics.overlaps import SAMPLES, held_together
from linkwright.errors import LinkwrightError, ModelError
from linkwright.formats.meshes.reading import hull_of
from linkwright.geometry.distances import chosen_pairs
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model
from linkwright.robot_check.finding import FileFinding
from linkwright.spatial.arrays import Array

SHALLOW = 1e-4
"""m: smaller overlaps are no finding, since shapes of neighbors may touch."""


def overlap_findings(model: Model, before: Sequence[FileFinding]) -> Iterator[FileFinding]:
    """Yield links whose collision shapes overlap in the neutral configuration, within limits."""
    shapes = tuple(shape for shape in map(_with_hull, model.shapes) if shape is not None)
    model = replace(model, shapes=shapes, pairs=(), listed_pairs=())
    try:
        pairs = [pair for pair in chosen_pairs(model, None, ()) if {one.shape.kind for one in pair} <= {*CONVEX}]
    except ModelError:  # no shapes may collide
        return
    neutral = np.clip(model.neutral(), model.lower, model.upper)
    deepest: dict[tuple[str, str], float] = {}
    overlapping = []
    for pair, depth in zip(pairs, _depths(model, pairs, neutral), strict=True):
        if depth > SHALLOW:
            overlapping.append(pair)
            deepest[_links(pair)] = max(depth, deepest.get(_links(pair), 0.0))
    always = [pair for pair in overlapping if held_together(model, *(one.shape for one in pair))]
    for q in model.random(SAMPLES, seed=0):
        if always:
            touching = pair_collisions(frame_poses(model, q, None), always, 0.0)
            always = [pair for pair, one in zip(always, touching, strict=True) if float(one)]
    all_over = {_links(pair) for pair in always}
    places = {body.name: body.place for body in model.description.bodies}
    for links, deep in sorted(deepest.items(), key=lambda item: -item[1]):
        text = f"the collision shapes of {links[0]!r} and {links[1]!r} overlap by {1e3 * deep:.3g} mm"
        text += " in the neutral configuration" + " and in all others" * (links in all_over)
        yield FileFinding("warning", "overlap", places.get(links[0], ""), text)


def _links(pair: MeasuredPair) -> tuple[str, str]:
    first, second = sorted(one.shape.body for one in pair)
    return first, second


def _depths(model: Model, pairs: Sequence[MeasuredPair], q: Array) -> list[float]:
    """Return the depth of overlap of each pair, m; without compilation, since each configuration is computed once."""
    if not pairs:
        return []
    return [-float(found.distance) for found in pair_separations(frame_poses(model, q, None), pairs, 0.0)]


def _with_hull(shape: Shape) -> Shape | None:
    """Return a collision shape, a mesh with its convex hull; None for other shapes and unreadable meshes."""
    if not shape.touches:
        return None
    try:
        return replace(shape, hull=hull_of(shape)) if shape.kind == "mesh" and shape.hull is None else shape
    except LinkwrightError:  # reported with the meshes
        return None
