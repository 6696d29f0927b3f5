"""Which axes of an arm meet in a point, and which are parallel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from linkwright.ik_solvers.exact.chain import Chain
from linkwright.spatial.arrays import Array

TOLERANCE = 1e-6
"""Axes are parallel within this angle, and meet within this part of the arm's length."""


def parallel(chain: Chain, joints: Sequence[int]) -> bool:
    """Whether these axes are parallel (or opposite)."""
    first, *others = (chain.axes[i] for i in joints)
    return all(float(np.linalg.norm(np.cross(first, h))) < TOLERANCE for h in others)


def meeting(chain: Chain, joints: Sequence[int], length: float) -> Array | None:
    """The point (3,) in which these axes meet, no neighbors among them parallel; None where there is none."""
    if any(parallel(chain, pair) for pair in pairwise(joints)):
        return None
    across = [np.eye(3) - np.outer(chain.axes[i], chain.axes[i]) for i in joints]
    points = [chain.points[i] for i in joints]
    middle = sum(points) / len(points)
    x = middle + np.linalg.solve(sum(across), sum(P @ (c - middle) for P, c in zip(across, points, strict=True)))
    misses = max(float(np.linalg.norm(P @ (x - c))) for P, c in zip(across, points, strict=True))
    return np.where(np.abs(x) < 1e-12 * length, 0.0, x) if misses < TOLERANCE * length else None


def level(chain: Chain, joints: Sequence[int]) -> dict[int, Array]:
    """Points on parallel axes in the plane across them that holds the first one's."""
    h, c = chain.axes[joints[0]], chain.points[joints[0]]
    return {i: chain.points[i] - h * (h @ (chain.points[i] - c)) for i in joints}
