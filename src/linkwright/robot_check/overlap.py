"""Collision shapes that overlap in the neutral configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.dynamics.overlaps import UNBOUNDED, always_overlapping, overlap_depths
from linkwright.model.transformations.contact_pairs import possible_pairs
from linkwright.model.tree import Model
from linkwright.robot_check.finding import FileFinding

SHALLOW = 1e-4
"""m: smaller overlaps are no finding, since shapes of neighbors may touch."""


def overlap_findings(model: Model, before: Sequence[FileFinding]) -> Iterator[FileFinding]:
    """Yield links whose collision shapes overlap in the neutral configuration, within limits."""
    pairs = [
        pair
        for pair in possible_pairs(model)
        if not {model.shapes[pair.first].kind, model.shapes[pair.second].kind} & {*UNBOUNDED}
    ]
    q = np.clip(model.neutral(), model.lower, model.upper)
    deepest: dict[tuple[str, str], float] = {}
    for pair, depth in zip(pairs, overlap_depths(model, pairs, q), strict=True):
        first, second = sorted((model.shapes[pair.first].body, model.shapes[pair.second].body))
        if depth > 0.0:
            deepest[first, second] = max(depth, deepest.get((first, second), 0.0))
    always = {
        frozenset((model.shapes[pair.first].body, model.shapes[pair.second].body))
        for pair in always_overlapping(model, pairs)
    }
    places = {body.name: body.place for body in model.description.bodies}
    for (first, second), depth in sorted(deepest.items(), key=lambda item: -item[1]):
        if depth > SHALLOW:
            shapes = f"the collision shapes of {first!r} and {second!r}"
            text = f"{shapes} overlap by {1e3 * depth:.3g} mm in the neutral configuration"
            if frozenset((first, second)) in always:
                text += " and in all others: with_contact() leaves them out"
            yield FileFinding("warning", "overlap", places.get(first, ""), text)
