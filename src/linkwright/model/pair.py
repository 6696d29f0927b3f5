"""Pairs of shapes that may touch, and what their contact is like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from linkwright.errors import explained, with_article
from linkwright.model.shape import SURFACE, Shape, surface_problems
from linkwright.spatial.arrays import is_symbolic

FRICTION = 0.7
"""The coefficient of friction where neither of two shapes has one."""

PARTNERS: dict[str, tuple[str, ...]] = {
    "plane": ("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"),
    "height_field": ("sphere", "capsule", "box", "cylinder"),
    "box": ("sphere", "capsule", "box", "cylinder"),
    "cylinder": ("sphere", "capsule", "cylinder"),
    "capsule": ("sphere", "capsule"),
    "sphere": ("sphere",),
}
"""Of a pair's second shape, which kinds the first may be of; what is not here has no points of contact."""


@explained
@dataclass(frozen=True)
class Pair:
    """Two shapes that may touch. ``first`` and ``second`` are their places in ``model.shapes``.

    Forces act on the first along the normal that points to it from the second; planes and height fields are second.
    The numbers may be symbols while a function is traced.
    """

    first: int
    second: int
    friction: Any = FRICTION
    """coefficient of friction"""
    torsional_friction: Any = 0.0
    """m: a normal force f resists turning about the normal by up to this times f"""
    rolling_friction: Any = 0.0
    """m: a normal force f resists rolling by up to this times f"""
    restitution: Any = 0.0
    """0 to 1, of the speed of approach what is left after an impact; of a soft pair at 1 m/s, by a dissipation that is
    added to its spring and damper: None adds none"""
    stiffness: Any = None
    """N/m, of each point of contact; None is rigid"""
    damping: Any = 0.0
    """N s/m, of the same"""
    margin: Any = 0.0
    """m: they touch where they are that near"""

    @property
    def holds_symbols(self) -> bool:
        """Whether some of its numbers are symbols."""
        own = (getattr(self, what) for what in SURFACE)
        return any(x is not None and not isinstance(x, (float, int)) and is_symbolic(x) for x in own)


def combined(shapes: Sequence[Shape], i: int, j: int) -> Pair | None:
    """The pair of the shapes at two places, in its order; None where their kinds have no points of contact.

    Of two coefficients of friction and of restitution the smaller counts, where one shape has none that of the other,
    where both have none 0.7 and 0 (None of a soft pair: its spring and damper alone).
    Of torsional and rolling friction the larger counts. Both give way as springs in
    a row, 1/k = 1/k₁ + 1/k₂ (a rigid one adds nothing), with the damper d = k² (d₁/k₁² + d₂/k₂²) of the same force
    in slow motion: exact where d₁/k₁ = d₂/k₂. Margins add.
    """
    if not served(shapes[i].kind, shapes[j].kind):
        i, j = j, i
        if not served(shapes[i].kind, shapes[j].kind):
            return None
    a, b = shapes[i], shapes[j]
    stiffness, damping = None, 0.0
    soft = [one for one in (a, b) if one.stiffness is not None]
    if soft:
        stiffness = 1.0 / sum(1.0 / one.stiffness for one in soft if one.stiffness is not None)
        damping = sum(one.damping * (stiffness / one.stiffness) ** 2 for one in soft if one.stiffness is not None)
    return Pair(
        i,
        j,
        friction=min((one.friction for one in (a, b) if one.friction is not None), default=FRICTION),
        torsional_friction=max(a.torsional_friction, b.torsional_friction),
        rolling_friction=max(a.rolling_friction, b.rolling_friction),
        restitution=min(
            (one.restitution for one in (a, b) if one.restitution is not None), default=None if soft else 0.0
        ),
        stiffness=stiffness,
        damping=damping,
        margin=a.margin + b.margin,
    )


def served(first: str, second: str) -> bool:
    """Whether shapes of these kinds, in this order, have points of contact."""
    return first in PARTNERS.get(second, ())


def pairs_problems(pairs: Sequence[Pair], shapes: Sequence[Shape]) -> Iterator[str]:
    """The problems of pairs of these shapes, each with the names of its shapes."""
    seen: set[tuple[int, int]] = set()
    for pair in pairs:
        if wrong := list(pair_problems(pair, len(shapes))):
            yield from (f"the pair of shapes {pair.first!r} and {pair.second!r}: {problem}" for problem in wrong)
            continue
        first, second = shapes[pair.first], shapes[pair.second]
        both = (min(pair.first, pair.second), max(pair.first, pair.second))
        if not served(first.kind, second.kind):
            wrong.append(f"{with_article(first.kind)} and {with_article(second.kind)} have no points of contact")
        if both in seen:
            wrong.append("these are a pair already")
        seen.add(both)
        yield from (f"the pair of {first.called} and {second.called}: {problem}" for problem in wrong)


def pair_problems(pair: Pair, count: int) -> Iterator[str]:
    """What is wrong with the numbers of a pair among so many shapes."""
    if pair.first is pair.second or pair.first == pair.second:
        yield f"it has two shapes; both are {pair.first!r}"
    for what in ("first", "second"):
        place = getattr(pair, what)
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < count:
            yield f"its {what} shape is a place among {count}, from 0; got {place!r}"
    if not pair.holds_symbols:
        if pair.friction is None:
            yield "its coefficient of friction is a number; got None"
        yield from surface_problems(pair)
