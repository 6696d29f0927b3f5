"""The tutorial's arm in closed form: a yaw and three pitches, and the hand's place with its pitch α (S3, chapter 3)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from linkwright.dynamics import pose
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

ON_AXIS = 1e-9
"""m: nearer to the axis of the first joint its angle does not matter"""
STRAIGHT = 1e-9


class Lengths(NamedTuple):
    """Lengths of the column and the three links, m."""

    column: float
    upper: float
    fore: float
    hand: float


class Answer(NamedTuple):
    """Angles (4,), rad, with which the hand reaches a position."""

    q: Array
    elbow: str
    """"up" or "down": on which side of the line from shoulder to wrist it is; "straight" on it"""
    backwards: bool
    """whether the first joint turns away from the hand, and the arm reaches over its shoulder"""


class TutorialAnswers(NamedTuple):
    """All solutions for a position, and its special properties."""

    answers: tuple[Answer, ...]
    free: bool
    """whether the hand is on the axis of joint 1, so that any θ1 will do"""
    beyond: float
    """m: how far out of reach the wrist is, negative where it is too near the shoulder; 0 where it is within"""


def lengths_of(model: Model) -> Lengths:
    """The lengths of an arm that is built like ``arm4``."""
    points = [pose(model, np.zeros(4), frame)[:3, 3] for frame in ("link2", "link3", "link4", "tool")]
    column = float(points[0][2])
    upper, fore, hand = (float(b[0] - a[0]) for a, b in pairwise(points))
    return Lengths(column, upper, fore, hand)


def forward(l: Lengths, q: Array) -> Array:
    """(x, y, z, α) of the hand, m and rad, of the angles (4,)."""
    a, b, c = q[1], q[1] + q[2], q[1] + q[2] + q[3]
    out = l.upper * np.cos(a) + l.fore * np.cos(b) + l.hand * np.cos(c)
    up = l.column + l.upper * np.sin(a) + l.fore * np.sin(b) + l.hand * np.sin(c)
    return np.array([np.cos(q[0]) * out, np.sin(q[0]) * out, up, c])


def inverse(l: Lengths, x: float, y: float, z: float, alpha: float, yaw: float = 0.0) -> TutorialAnswers:
    """All angles that bring the hand to (x, y, z), m, with the pitch α, rad; ``yaw``: θ1 where any will do.

    Geometry: the yaw from above, then the wrist from the hand and α, then the triangle shoulder, elbow, wrist.
    """
    r = float(np.hypot(x, y))
    free = r < ON_AXIS
    turn = yaw if free else float(np.arctan2(y, x))
    answers: list[Answer] = []
    misses = []
    # on the axis one way round is the same as the other, with another yaw
    for backwards in (False,) if free else (False, True):
        w = (-r if backwards else r) - l.hand * np.cos(alpha)
        h = z - l.column - l.hand * np.sin(alpha)
        far = float(np.hypot(w, h))
        misses.append(max(far - l.upper - l.fore, 0.0) + min(far - abs(l.upper - l.fore), 0.0))
        if abs(misses[-1]) > STRAIGHT:
            continue
        c3 = np.clip((far * far - l.upper**2 - l.fore**2) / (2.0 * l.upper * l.fore), -1.0, 1.0)
        bend = float(np.arccos(c3))
        straight = bend < 1e-7 or np.pi - bend < 1e-7
        ahead = w >= 0.0  # the wrist is before the shoulder: then the elbow that bends down is above
        sides = (("up", -bend), ("down", bend)) if ahead else (("up", bend), ("down", -bend))
        for elbow, t3 in (("straight", bend),) if straight else sides:
            t2 = np.arctan2(h, w) - np.arctan2(l.fore * np.sin(t3), l.upper + l.fore * np.cos(t3))
            q = np.array([turn + (np.pi if backwards else 0.0), t2, t3, alpha - t2 - t3])
            answers.append(Answer(wrapped(q), elbow, backwards))
    return TutorialAnswers(tuple(answers), free, min(misses, key=abs) if not answers else 0.0)


def nearest(answers: tuple[Answer, ...], q: Array) -> Answer:
    """The answer with the least Σ|Δθ| from the last posture (4,), as the tutorial's program takes it."""
    return min(answers, key=lambda answer: float(np.abs(wrapped(answer.q - q)).sum()))


def wrapped(q: Array) -> Array:
    """Angles between −π and π."""
    return np.asarray(np.pi - np.mod(np.pi - q, 2.0 * np.pi))
