"""Contact in MJCF files: surface parameters of geoms, pairs in contact, and MuJoCo's combination of two geoms.

Two geoms touch in MuJoCo unless they are on one body (including welded ones), on a body and its parent (other
than the world), have contypes and conaffinities without a common bit, or are on excluded bodies; <pair> lists more.
MuJoCo uses the larger condim and friction of two geoms, or those of higher priority, while two shapes use the smaller
friction: pairs with a different result are listed explicitly, so that contact acts as in MuJoCo. Contact that is softer
than MuJoCo's default has a stiffness and a damping (`compliance.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwright.errors import counted
from linkwright.formats.mjcf.compliance import DEFAULT, PointCompliance, Softness, compliance, mixed_softness
from linkwright.model.parts.pair import Pair, combined, served
from linkwright.model.parts.shape import SURFACE, Shape
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

ROUNDING = 1e-9
"""Largest relative difference of equal stiffnesses, which are sums of compliances or of inverse weights."""

BITS = 0xFFFFFFFF


def surface_of(m: Any, g: int) -> dict[str, Any]:
    """Return the surface parameters of a geom of the compiled model; its condim selects the frictions that act.

    A geom without friction (condim 1) has that of the other geom, since the larger condim is used.
    """
    slide, spin, roll = m.geom_friction[g].tolist()
    condim = int(m.geom_condim[g])
    point = compliance(m, _softness(m, g), (int(m.geom_bodyid[g]),), slide, condim)
    return {
        "friction": slide if condim >= 3 else None,
        "torsional_friction": spin if condim >= 4 else 0.0,
        "rolling_friction": roll if condim >= 6 else 0.0,
        **point._asdict(),
        "margin": float(m.geom_margin[g]),
        "contype": int(m.geom_contype[g]) & BITS,
        "conaffinity": int(m.geom_conaffinity[g]) & BITS,
    }


def _softness(m: Any, g: int) -> Softness:
    return Softness.of(m.geom_solref[g], m.geom_solimp[g])


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
    remarks: tuple[str, ...]


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
    if uneven := int((m.pair_friction[:, 0] != m.pair_friction[:, 1]).sum()):
        notes.append(f"friction that differs between directions, of {uneven} contact pairs: the smaller is taken")
    soft = sum(shape.stiffness is not None for shape in shapes)
    soft += sum(pair is not None and pair.stiffness is not None for pair in explicit)
    remarks = [
        f"contact of {counted(soft, 'geom or pair', 'geoms or pairs')} is softer than by default (solref, solimp): "
        "a spring that yields as in MuJoCo under a quarter of the weight"
    ] * bool(soft)
    return Contacts(tuple(listed.values()), excluded, tuple(notes), tuple(remarks))


class Mixed(NamedTuple):
    """Contact parameters of two geoms."""

    condim: int
    friction: tuple[float, float, float]
    """slide, spin, roll"""
    margin: float
    point: PointCompliance


def _explicit(m: Any, p: int, shapes: list[Shape], places: dict[int, int]) -> Pair | None:
    """Return a <pair> of the file; None without contact points."""
    slide, across, spin, roll, over = m.pair_friction[p].tolist()
    g, h, condim = int(m.pair_geom1[p]), int(m.pair_geom2[p]), int(m.pair_dim[p])
    bodies = int(m.geom_bodyid[g]), int(m.geom_bodyid[h])
    soft = compliance(m, Softness.of(m.pair_solref[p], m.pair_solimp[p]), bodies, slide, condim)
    friction = (min(slide, across), spin, min(roll, over))
    return _pair(shapes, places, g, h, Mixed(condim, friction, float(m.pair_margin[p]), soft))


def _pair(shapes: list[Shape], places: dict[int, int], g: int, h: int, mixed: Mixed) -> Pair | None:
    if g not in places or h not in places:
        return None
    i, j = places[g], places[h]
    if not served(shapes[i].kind, shapes[j].kind):
        i, j = j, i
    if not served(shapes[i].kind, shapes[j].kind):
        return None
    slide, spin, roll = mixed.friction
    return Pair(
        i,
        j,
        friction=slide if mixed.condim >= 3 else 0.0,
        torsional_friction=spin if mixed.condim >= 4 else 0.0,
        rolling_friction=roll if mixed.condim >= 6 else 0.0,
        restitution=None if mixed.point.stiffness is not None else mixed.point.restitution or 0.0,
        stiffness=mixed.point.stiffness,
        damping=mixed.point.damping,
        margin=mixed.margin,
    )


def _others(m: Any, shapes: list[Shape], places: dict[int, int], never: set[int], parents: bool) -> Iterator[Pair]:
    """Yield the pairs that MuJoCo's filters allow and whose parameters differ from those of two shapes; ``parents``:
    whether bodies touch their parents.

    Geoms with the same numbers are compared once.
    """
    geoms = np.array([g for g in places if m.geom_contype[g] or m.geom_conaffinity[g]], dtype=int)
    columns = [m.geom_priority[geoms], m.geom_condim[geoms], m.geom_friction[geoms], m.geom_margin[geoms]]
    numbers = np.column_stack(columns)
    own = np.array([_softness(m, g) != DEFAULT for g in geoms], dtype=bool)
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
        found = meet & (weld[later] != weld[at]) & (~joined | parents) & (unlike | own[at] | own[later])
        for h, surely in zip(geoms[later][found].tolist(), unlike[found], strict=True):
            bodies = sorted((int(m.geom_bodyid[g]), int(m.geom_bodyid[h])))
            if (bodies[0] << 16) + bodies[1] in never:
                continue
            pair = _pair(shapes, places, g, h, _mixed(m, g, h))
            if pair is not None and (surely or not _as_soft(pair, combined(shapes, pair.first, pair.second))):
                yield pair


def _mixed(m: Any, g: int, h: int) -> Mixed:
    """Return MuJoCo's contact parameters of two geoms."""
    if m.geom_priority[g] != m.geom_priority[h]:
        k = g if m.geom_priority[g] > m.geom_priority[h] else h
        condim, friction = int(m.geom_condim[k]), m.geom_friction[k]
    else:
        condim, friction = (
            int(max(m.geom_condim[g], m.geom_condim[h])),
            np.maximum(m.geom_friction[g], m.geom_friction[h]),
        )
    slide, spin, roll = friction.tolist()
    bodies = int(m.geom_bodyid[g]), int(m.geom_bodyid[h])
    soft = compliance(m, mixed_softness(m, g, h), bodies, slide, condim)
    return Mixed(condim, (slide, spin, roll), float(m.geom_margin[g] + m.geom_margin[h]), soft)


def _same(mixed: Mixed, two: list[Shape]) -> bool:
    """Return whether two shapes have the same contact parameters but compliance; kinds are ignored."""
    ball = [Shape(shape.body, "sphere", radius=1.0, **_numbers(shape)) for shape in two]
    ours, theirs = combined(ball, 0, 1), _pair(ball, {0: 0, 1: 1}, 0, 1, mixed)
    rigid = [
        None if pair is None else replace(pair, stiffness=None, damping=0.0, restitution=0.0) for pair in (ours, theirs)
    ]
    return rigid[0] == rigid[1]


def _as_soft(pair: Pair, other: Pair | None) -> bool:
    """Return whether two pairs have the same stiffness, damping and restitution."""
    soft = [(one.stiffness or 0.0, one.damping, one.restitution or 0.0) for one in (pair, other) if one is not None]
    return len(soft) > 1 and np.allclose(soft[0], soft[1], rtol=ROUNDING, atol=0.0)


def _numbers(shape: Shape) -> dict[str, Any]:
    return {what: getattr(shape, what) for what in SURFACE if what not in ("restitution", "stiffness", "damping")}
