"""S3: T. Nagai's tutorial on robotics (2018), chapter by chapter."""

from __future__ import annotations

from linkwright_gallery.exhibit import Exhibit, PublishedSource
from linkwright_gallery.tutorial import coordinates, further, hand, lagrange, motion

SOURCE = PublishedSource(
    "S3",
    "A tutorial on robotics",
    "T. Nagai, a tutorial on robotics in twelve chapters, with programs in Octave, Python and Maxima (2018)",
    "The tutorial leads from rotations to kinematics, statics and Lagrange's equations, to their code, simulation "
    "and animation. Its main example is a planar arm with two links. Many results are typeset formulas; few numbers "
    "are printed.",
)


def _chapter(exhibit: Exhibit) -> int:
    return int(exhibit.number.partition(".")[2])


EXHIBITS = tuple(
    sorted(
        (
            *coordinates.EXHIBITS,
            *hand.EXHIBITS,
            *lagrange.EXHIBITS,
            *motion.EXHIBITS,
            *further.EXHIBITS,
        ),
        key=_chapter,
    )
)
"""in the order of the chapters"""
