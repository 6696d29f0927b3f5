"""Pairs of shapes that may touch, with their contact parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from linkwright.errors import explained, with_article
from linkwright.model.parts.shape import SURFACE, Shape, surface_problems
from linkwright.spatial.arrays import is_symbolic

FRICTION = 0.7
"""Coefficient of friction of a pair if neither shape has one."""

PARTNERS: dict[str, tuple[str, ...]] = {
    "plane": ("sphere", "capsule", "box", "cylinder", "ellipsoid", "cone", "mesh"),
    "height_field": ("sphere", "capsule", "box", "cylinder", "ellipsoid", "cone", "mesh"),
    "mesh": ("sphere", "capsule", "box", "cylinder", "cone", "mesh"),
    "ellipsoid": ("sphere", "capsule", "box", "cylinder", "cone", "mesh", "ellipsoid"),
    "cone": ("sphere", "capsule", "box", "cylinder", "cone"),
    "box": ("sphere", "capsule", "box", "cylinder"),
    "cylinder": ("sphere", "capsule", "cylinder"),
    "capsule": ("sphere", "capsule"),
    "sphere": ("sphere",),
}
"""Kinds of the first shape by the kind of the second; other pairs have no contact points."""


@explained
@dataclass(frozen=True)
class Pair:
    """Two shapes that may touch, with their contact parameters, which may be symbols during tracing.

    Forces act on the first shape along the normal from the second to the first; planes and height fields are second.

    Parameters
    ----------
    first, second : int
        Indices of the shapes in ``model.shapes``.
    friction : float, optional
        Coefficient of friction.
    torsional_friction : float, optional
        Largest moment about the normal per normal force in m.
    rolling_friction : float, optional
        Largest moment against rolling per normal force in m.
    restitution : float or None, optional
        Ratio of the normal speeds after and before an impact, from 0 to 1. For a compliant pair it holds at 1 m/s, by
        an additional dissipation; None adds none.
    stiffness : float, optional
        Stiffness of each contact point in N/m; None: rigid.
    damping : float, optional
        Damping of each contact point in N s/m.
    margin : float, optional
        Distance in m at which the shapes touch.
    """

    first: int
    second: int
    friction: float = FRICTION
    torsional_friction: float = 0.0
    rolling_friction: float = 0.0
    restitution: float | None = 0.0
    stiffness: float | None = None
    damping: float = 0.0
    margin: float = 0.0

    @property
    def holds_symbols(self) -> bool:
        """Whether a parameter is a symbol."""
        own = (getattr(self, what) for what in SURFACE)
        return any(x is not None and not isinstance(x, (float, int)) and is_symbolic(x) for x in own)


def combined(shapes: Sequence[Shape], i: int, j: int) -> Pair | None:
    """Return the pair of the shapes at two indices, in its order; None where their kinds have no contact points.

    The smaller coefficient of friction and of restitution is used, or the only one; by default 0.7 and 0 (None for a
    compliant pair without additional dissipation). The larger torsional and rolling friction is used. Both compliances
    are springs in series, 1/k = 1/k₁ + 1/k₂ (a rigid shape adds nothing), with the damping d = k² (d₁/k₁² + d₂/k₂²) of
    the same force in slow motion: exact for d₁/k₁ = d₂/k₂. Margins are added.
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
    """Return whether shapes of these kinds, in this order, have contact points."""
    return first in PARTNERS.get(second, ())


def pairs_problems(pairs: Sequence[Pair], shapes: Sequence[Shape]) -> Iterator[str]:
    """Yield the problems of pairs of these shapes, with the names of the shapes."""
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
    """Yield the problems of the parameters of a pair among `count` shapes."""
    if pair.first is pair.second or pair.first == pair.second:
        yield f"it has two shapes; both are {pair.first!r}"
    for what in ("first", "second"):
        place = getattr(pair, what)
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < count:
            yield f"its {what} shape is an index below {count}; got {place!r}"
    if not pair.holds_symbols:
        if pair.friction is None:
            yield "its coefficient of friction is a number; got None"
        yield from surface_problems(pair)
