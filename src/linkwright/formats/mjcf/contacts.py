"""Contact in MJCF files: surface parameters of geoms, pairs in contact, and MuJoCo's combination of two geoms.

Two geoms touch in MuJoCo unless they are on one body (including welded ones), on a body and its parent (other
than the world), have contypes and conaffinities without a common bit, or are on excluded bodies; <pair> lists more.
MuJoCo uses the larger condim and friction of two geoms, or those of higher priority, while two shapes use the smaller
friction: pairs with a different result are listed explicitly, so that contact acts as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import counted
from linkwright.model.pair import Pair, combined, served
from linkwright.model.shape import Shape
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
"""MuJoCo's defaults."""

BITS = 0xFFFFFFFF


def surface_of(m: Any, g: int) -> dict[str, Any]:
    """Return the surface parameters of a geom of the compiled model; its condim selects the frictions that act.

    A geom without friction (condim 1) has that of the other geom, since the larger condim is used.
    """
    slide, spin, roll = m.geom_friction[g].tolist()
    condim = int(m.geom_condim[g])
    return {
        "friction": slide if condim >= 3 else None,
        "torsional_friction": spin if condim >= 4 else 0.0,
        "rolling_friction": roll if condim >= 6 else 0.0,
        "margin": float(m.geom_margin[g]),
        "contype": int(m.geom_contype[g]) & BITS,
        "conaffinity": int(m.geom_conaffinity[g]) & BITS,
    }


def touching(m: Any) -> Array:
    """Return which geoms (ngeom,) of the compiled model take part in contact."""
    found = np.asarray((m.geom_contype != 0) | (m.geom_conaffinity != 0))
    found[m.pair_geom1] = True
    found[m.pair_geom2] = True
    return found


@dataclass(frozen=True)
class Contacts:
    """Contact pairs of a file."""

    listed: tuple[Pair, ...]
    excluded: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    """contact elements that are not used"""


def contacts_of(reader: MjcfReader, shapes: list[Shape], places: dict[int, int]) -> Contacts:
    """Return the contact pairs; ``places`` maps geoms to shapes."""
    m = reader.m
    signatures = m.exclude_signature.tolist()
    excluded = tuple((reader.bodies[s >> 16], reader.bodies[s & 0xFFFF]) for s in signatures)
    explicit = [_explicit(m, p, shapes, places) for p in range(m.npair)]
    listed = {frozenset((pair.first, pair.second)): pair for pair in explicit if pair is not None}
    parents = bool(m.opt.disableflags & reader.mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    for pair in _others(m, shapes, places, set(signatures), parents):
        listed.setdefault(frozenset((pair.first, pair.second)), pair)
    notes = []
    if lost := sum(pair is None for pair in explicit):
        notes.append(f"contact pairs of shapes without points of contact ({lost})")
    if soft := _soft(m):
        notes.append(
            f"compliance of contact of {counted(soft, 'geom or pair', 'geoms or pairs')} (solref, solimp: by mass)"
        )
    if uneven := int((m.pair_friction[:, 0] != m.pair_friction[:, 1]).sum()):
        notes.append(f"friction that differs between directions, of {uneven} contact pairs: the smaller is taken")
    return Contacts(tuple(listed.values()), excluded, tuple(notes))


def _explicit(m: Any, p: int, shapes: list[Shape], places: dict[int, int]) -> Pair | None:
    """Return a <pair> of the file; None without contact points."""
    slide, across, spin, roll, over = m.pair_friction[p].tolist()
    numbers = (min(slide, across), spin, min(roll, over))
    return _pair(
        shapes, places, int(m.pair_geom1[p]), int(m.pair_geom2[p]), int(m.pair_dim[p]), numbers, float(m.pair_margin[p])
    )


def _pair(
    shapes: list[Shape],
    places: dict[int, int],
    g: int,
    h: int,
    condim: int,
    friction: tuple[float, float, float],
    margin: float,
) -> Pair | None:
    if g not in places or h not in places:
        return None
    i, j = places[g], places[h]
    if not served(shapes[i].kind, shapes[j].kind):
        i, j = j, i
    if not served(shapes[i].kind, shapes[j].kind):
        return None
    slide, spin, roll = friction
    return Pair(
        i,
        j,
        friction=slide if condim >= 3 else 0.0,
        torsional_friction=spin if condim >= 4 else 0.0,
        rolling_friction=roll if condim >= 6 else 0.0,
        margin=margin,
    )


def _others(m: Any, shapes: list[Shape], places: dict[int, int], never: set[int], parents: bool) -> Iterator[Pair]:
    """Yield the pairs that MuJoCo's filters allow and whose parameters differ from those of two shapes; ``parents``:
    whether bodies touch their parents.

    Geoms with the same numbers are compared once.
    """
    geoms = np.array([g for g in places if m.geom_contype[g] or m.geom_conaffinity[g]], dtype=int)
    numbers = np.column_stack(
        [m.geom_priority[geoms], m.geom_condim[geoms], m.geom_friction[geoms], m.geom_margin[geoms]]
    )
    classes, of = np.unique(numbers, axis=0, return_inverse=True)
    first = {k: int(geoms[np.argmax(of.ravel() == k)]) for k in range(len(classes))}
    differs = np.zeros((len(classes), len(classes)), dtype=bool)
    for a, g in first.items():
        for b, h in first.items():
            differs[a, b] = not _same(_mixed(m, g, h), [shapes[places[g]], shapes[places[h]]])
    weld = m.body_weldid[m.geom_bodyid[geoms]]
    above = m.body_weldid[m.body_parentid[weld]]
    for at, g in enumerate(geoms.tolist()):
        later = slice(at + 1, None)
        meet = ((m.geom_contype[g] & m.geom_conaffinity[geoms[later]]) != 0) | (
            (m.geom_contype[geoms[later]] & m.geom_conaffinity[g]) != 0
        )
        joined = (weld[later] != 0) & (weld[at] != 0) & ((above[later] == weld[at]) | (above[at] == weld[later]))
        unlike = differs[of.ravel()[at], of.ravel()[later]] | joined
        found = meet & (weld[later] != weld[at]) & (~joined | parents) & unlike
        for h in geoms[later][found].tolist():
            bodies = sorted((int(m.geom_bodyid[g]), int(m.geom_bodyid[h])))
            if (bodies[0] << 16) + bodies[1] in never:
                continue
            pair = _pair(shapes, places, g, h, *_mixed(m, g, h))
            if pair is not None:
                yield pair


def _mixed(m: Any, g: int, h: int) -> tuple[int, tuple[float, float, float], float]:
    """Return MuJoCo's condim, friction (slide, spin, roll) and margin of two geoms."""
    margin = float(m.geom_margin[g] + m.geom_margin[h])
    if m.geom_priority[g] != m.geom_priority[h]:
        k = g if m.geom_priority[g] > m.geom_priority[h] else h
        slide, spin, roll = m.geom_friction[k].tolist()
        return int(m.geom_condim[k]), (slide, spin, roll), margin
    slide, spin, roll = np.maximum(m.geom_friction[g], m.geom_friction[h]).tolist()
    return int(max(m.geom_condim[g], m.geom_condim[h])), (slide, spin, roll), margin


def _same(mixed: tuple[int, tuple[float, float, float], float], two: list[Shape]) -> bool:
    """Return whether two shapes have the same contact parameters; kinds are ignored."""
    ball = [Shape(shape.body, "sphere", radius=1.0, **_numbers(shape)) for shape in two]
    places = {0: 0, 1: 1}
    return combined(ball, 0, 1) == _pair(ball, places, 0, 1, *mixed)


def _numbers(shape: Shape) -> dict[str, Any]:
    return {what: getattr(shape, what) for what in ("friction", "torsional_friction", "rolling_friction", "margin")}


def _soft(m: Any) -> int:
    """Count the geoms and pairs with their own compliance, which MuJoCo defines by accelerations per meter."""
    touch = np.flatnonzero(touching(m))
    own = [(m.geom_solref[touch], m.geom_solimp[touch]), (m.pair_solref, m.pair_solimp)]
    return sum(int(((ref != SOLREF).any(axis=1) | (imp != SOLIMP).any(axis=1)).sum()) for ref, imp in own if len(ref))
