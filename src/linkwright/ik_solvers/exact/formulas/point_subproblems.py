"""Subproblems of three joints, revolute and prismatic, that move a point to a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.ik_solvers.exact.chain import Chain
from linkwright.ik_solvers.exact.formulas.subproblems import (
    both,
    cross,
    distances,
    dot,
    form_of,
    pick,
    record_margin,
    subproblem_1,
    subproblem_3,
    subproblem_4,
    subproblem_5,
    subproblem_6,
    turned,
    turning,
)
from linkwright.spatial.arrays import Array, maximum

Place = tuple[Any, Any, Any, Any]
"""Displacement of each of three joints, and whether it exists."""

PARALLEL = 1e-6
"""Axes within this angle are parallel, or perpendicular."""


def kinds(chain: Chain) -> str:
    """Hinges and slides of the first three joints, "RRP"."""
    return "".join("P" if slides else "R" for slides in chain.slides[:3])


def place(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    """The first three joints' turns or slides with E₁E₂E₃ w = to."""
    return _PLACES[kinds(chain)](chain, w, to, form)


def form_of_place(chain: Chain, w: Array, to: Array) -> str | None:
    """How it is solved for these numbers: the form of subproblem 6, "" where there is none; None where it is not."""
    which = kinds(chain)
    h1, h2, h3 = chain.axes[:3]
    if which == "RRR":
        n1, n2, _ = distances(*_five(chain, w, to))
        return form_of(n1, n2)
    if which == "RPR":
        if _same(h1, h2) and _same(h3, h2):
            return ""
        n1, n2, _ = _across_slide(chain, w, to)
        return form_of(n1, n2)
    if which == "PPP":
        return "" if abs(dot(h1, cross(h2, h3))) > PARALLEL else None
    if which in ("RPP", "PPR"):
        a, b, c = (h1, h2, h3) if which == "RPP" else (h3, h1, h2)
        n = cross(b, c)
        return "" if np.linalg.norm(n) > PARALLEL and np.linalg.norm(cross(a, n)) > PARALLEL else None
    if which == "PRP":
        return "" if _same(h1, h2) and not _same(h2, h3) else None
    a, b, c = (h1, h2, h3) if which == "RRP" else (h3, h2, h1)
    if _same(a, b):
        return "" if abs(dot(b, c)) > PARALLEL else None
    return "" if abs(dot(b, c)) < PARALLEL else None


def _same(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL


def _five(chain: Chain, w: Array, to: Array) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    (h1, h2, h3), (c1, c2, c3) = chain.axes[:3], chain.points[:3]
    return -h1, h2, h3, c1 - c2, to - c1, c3 - c2, w - c3


def _three_hinges(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    return [(t1, t2, t3, exists) for t1, t2, t3, exists in subproblem_5(form, *_five(chain, w, to))]


def _three_slides(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    inverse = np.linalg.inv(np.stack(chain.axes[:3], axis=1))
    d = inverse @ (to - w)
    return [(d[0], d[1], d[2], True)]


def _along(a: Array, b: Array, v: Array) -> tuple[Any, Any]:
    """x and y of v = x a + y b."""
    aa, ab, bb = dot(a, a), dot(a, b), dot(b, b)
    va, vb = dot(v, a), dot(v, b)
    left = aa * bb - ab * ab
    return (va * bb - vb * ab) / left, (vb * aa - va * ab) / left


def _hinge_and_slides(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    h1, h2, h3 = chain.axes[:3]
    n, c1 = cross(h2, h3), chain.points[0]
    found = []
    for t1, exists in zip(*subproblem_4(-h1, to - c1, n, dot(n, w - c1)), strict=True):
        d2, d3 = _along(h2, h3, chain.back(0, t1, to) - w)
        found.append((t1, d2, d3, exists))
    return found


def _mirrored(which: Any) -> Any:
    """The same from the other end: E₃⁻¹E₂⁻¹E₁⁻¹ to = w."""

    def solved(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
        first = Chain(chain.axes[:3], chain.points[:3], chain.slides[:3]).mirrored()
        return [(t1, t2, t3, exists) for t3, t2, t1, exists in which(first, to, w, form)]

    return solved


def _square_roots(b: Any, c: Any) -> list[tuple[Any, Any]]:
    """Return the roots of x² + 2 b x + c, and whether there are two; without real roots, the minimum's position."""
    left = b * b - c
    record_margin(abs(left), b * b + abs(c))
    two = left > 1e-14 * (b * b + abs(c))
    r = np.sqrt(pick(two, maximum(left, 0.0), 0.0))
    return [(-b + r, True), (-b - r, two)]


def _two_hinges_and_a_slide(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    (h1, h2, h3), (c1, c2) = chain.axes[:3], chain.points[:2]
    found = []
    if _numeric(h1, h2) and _same(h1, h2):  # heights tell the slide, distances the first hinge
        d = dot(h2, to - w) / dot(h2, h3)
        v = w + h3 * d - c2
        for t1, exists in zip(*subproblem_3(-h1, to - c1, c2 - c1, v), strict=True):
            found.append((t1, subproblem_1(h2, v, chain.back(0, t1, to) - c2), d, exists))
        return found
    v = w - c2
    for t1, exists in zip(*subproblem_4(-h1, to - c1, h2, dot(h2, w - c1)), strict=True):
        z = chain.back(0, t1, to) - c2
        for d, too in _square_roots(dot(v, h3), dot(v, v) - dot(z, z)):
            found.append((t1, subproblem_1(h2, v + h3 * d, z), d, both(exists, too)))
    return found


def _numeric(*vectors: Array) -> bool:
    return all(v.dtype != object for v in vectors)


def _slide_hinge_slide(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    h1, h2, h3 = chain.axes[:3]
    c2 = chain.points[1]
    v, z = w - c2, to - c2
    z_flat, v_flat, h_flat = (x - h2 * dot(h2, x) for x in (z, v, h3))
    size = dot(h_flat, h_flat)
    found = []
    for d3, exists in _square_roots(dot(v_flat, h_flat) / size, (dot(v_flat, v_flat) - dot(z_flat, z_flat)) / size):
        d1 = dot(h2, z - v - h3 * d3) * dot(h1, h2)
        found.append((d1, subproblem_1(h2, v_flat + h_flat * d3, z_flat), d3, exists))
    return found


def _across_slide(chain: Chain, w: Array, to: Array) -> tuple[Any, Any, Any]:
    (h1, h2, h3), (c1, _, c3) = chain.axes[:3], chain.points[:3]
    u = cross(h2, np.eye(3)[int(np.argmin(np.abs(h2)))])
    n1, n2, d = [], [], []
    for across in (u, cross(h2, u)):
        a, b, e = turning(-h1, to - c1, across)
        f, g, i = turning(h3, w - c3, across)
        n1.append((a, b))
        n2.append((-f, -g))
        d.append(i - e + dot(across, c3 - c1))
    return n1, n2, d


def _hinge_slide_hinge(chain: Chain, w: Array, to: Array, form: str) -> list[Place]:
    (h1, h2, h3), (c1, _, c3) = chain.axes[:3], chain.points[:3]
    found: list[Place] = []
    if not form:  # all parallel: the slide is a height, the hinges two links in a plane
        d = dot(h2, to - w)
        v = w - c3
        v = v - h1 * dot(h1, v)
        a = c3 - c1
        a = a - h1 * dot(h1, a)
        z = to - c1
        z = z - h1 * dot(h1, z)
        for t3, exists in zip(*subproblem_4(h3, v, a, 0.5 * (dot(z, z) - dot(a, a) - dot(v, v))), strict=True):
            found.append((subproblem_1(h1, a + turned(h3, t3, v), z), d, t3, exists))
        return found
    n1, n2, d = _across_slide(chain, w, to)
    size = sum(dot(x, x) for x in (to - c1, w - c3, c3 - c1))
    for t1, t3, exists in subproblem_6(n1, n2, d, form, (size, size)):
        found.append((t1, dot(h2, chain.back(0, t1, to) - chain.move(2, t3, w)), t3, exists))
    return found


_PLACES: dict[str, Any] = {
    "RRR": _three_hinges,
    "PPP": _three_slides,
    "RPP": _hinge_and_slides,
    "PPR": _mirrored(_hinge_and_slides),
    "RRP": _two_hinges_and_a_slide,
    "PRR": _mirrored(_two_hinges_and_a_slide),
    "PRP": _slide_hinge_slide,
    "RPR": _hinge_slide_hinge,
}
