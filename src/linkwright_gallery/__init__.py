"""The gallery: what the sources of this library printed, run again.

>>> import linkwright_gallery as gallery
>>> print(gallery.run("statics").findings[0].ours)
[-L2, L1 - L3, 1; -L2, -L3, 1; 0, -L3, 1]

Each source has a module that can be read as a book: :mod:`composite_bodies <linkwright_gallery.composite_bodies>`,
:mod:`hybrid_assembly <linkwright_gallery.hybrid_assembly>`, :mod:`momentum_jacobians
<linkwright_gallery.momentum_jacobians>`, :mod:`tutorial <linkwright_gallery.tutorial>` and :mod:`jacobian_rate
<linkwright_gallery.jacobian_rate>`. :mod:`humanoid_h5 <linkwright_gallery.humanoid_h5>` takes one robot through all
five. ``exhibit`` says what an exhibit is, ``page`` writes it down, ``drawing`` has what
the pictures share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from linkwright.errors import UnknownNameError
from linkwright_gallery import (
    composite_bodies,
    humanoid_h5,
    hybrid_assembly,
    jacobian_rate,
    momentum_jacobians,
    tutorial,
)
from linkwright_gallery.exhibit import Erratum, Exhibit, ExhibitResult, Finding, OpenPoint, PublishedSource

SOURCES: dict[PublishedSource, tuple[Exhibit, ...]] = {
    module.SOURCE: module.EXHIBITS
    for module in (composite_bodies, hybrid_assembly, momentum_jacobians, tutorial, jacobian_rate, humanoid_h5)
}
"""The exhibits of each source, S0 to S4, and of the robot H5"""

EXHIBITS: tuple[Exhibit, ...] = tuple(exhibit for made in SOURCES.values() for exhibit in made)

__all__ = [
    "EXHIBITS",
    "SOURCES",
    "Erratum",
    "Exhibit",
    "ExhibitResult",
    "Finding",
    "OpenPoint",
    "PublishedSource",
    "find",
    "run",
    "source_of",
]


def find(name: str) -> tuple[Exhibit, ...]:
    """The exhibits of that number ("S3.5"), name ("statics", "two-link-motion") or source ("S3").

    Raises :class:`~linkwright.errors.UnknownNameError` for others, with those that there are.
    """
    wanted = name.strip().lower().replace("-", "_")
    found = tuple(one for one in EXHIBITS if wanted in (one.number.lower(), one.name))
    found = found or tuple(one for one in EXHIBITS if one.number.lower().partition(".")[0] == wanted)
    if not found:
        by_number = NUMBERED.match(wanted) is not None
        known = [one.number if by_number else one.name for one in EXHIBITS]
        raise UnknownNameError("exhibit", name, known, advice=ALL)
    return found


NUMBERED = re.compile(r"[sh]\d")
"""Prefix of the number of an exhibit or of a source."""

ALL = "; `linkwright gallery` without a name lists them all, each with its number and its name"


def run(name: str) -> ExhibitResult:
    """Run one exhibit, by number or name: published results, our results, and remarks.

    Raises :class:`~linkwright.errors.UnknownNameError` if there is none, or several, of that name.
    """
    found = find(name)
    if len(found) > 1:
        raise UnknownNameError("exhibit", name, [one.number for one in found])
    return found[0].run()


def source_of(exhibit: Exhibit) -> PublishedSource:
    """The source that an exhibit is of."""
    return next(source for source, made in SOURCES.items() if exhibit in made)


def chosen(names: Sequence[str]) -> tuple[Exhibit, ...]:
    """The exhibits of several names, each once, in their order."""
    wanted = {one.number for name in names for one in find(name)}
    return tuple(one for one in EXHIBITS if one.number in wanted)
