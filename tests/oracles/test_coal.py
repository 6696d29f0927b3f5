"""Distances of convex shapes against coal, with its tolerances tightened."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.contact.test_pair_distances import COMBINATIONS, PAIRS, SHAPES, book, poses

import linkwright as lw
from linkwright.dynamics.distance.cores import POLYTOPES

coal = pytest.importorskip("coal", reason="coal (in the extra 'test') is not installed")

BOUND = 1e-6
"""m: difference of the distances of shapes that are apart, and of the depths of polytopes."""

TOLERANCE = 1e-10
"""of coal, m"""


def geometry(shape: lw.Shape) -> object:
    """Return the shape in coal."""
    r, length = shape.radius, shape.length
    if shape.kind == "mesh":
        points = coal.StdVec_Vec3s()
        for point in np.asarray(shape.vertices):
            points.append(np.ascontiguousarray(point))
        return coal.Convex.convexHull(points, True, "Qt")
    made = {
        "sphere": lambda: coal.Sphere(r),
        "capsule": lambda: coal.Capsule(r, length),
        "box": lambda: coal.Box(np.array(shape.size)),
        "cylinder": lambda: coal.Cylinder(r, length),
        "ellipsoid": lambda: coal.Ellipsoid(0.5 * np.array(shape.size)),
        "cone": lambda: coal.Cone(r, length),
    }
    return made[shape.kind]()


def their_distances(a: lw.Shape, T1: np.ndarray, b: lw.Shape, T2: np.ndarray) -> np.ndarray:
    request, one, other = coal.DistanceRequest(), geometry(a), geometry(b)
    request.gjk_tolerance = request.epa_tolerance = TOLERANCE
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    placed = [[coal.Transform3s(T[:3, :3], T[:3, 3]) for T in rows] for rows in (T1, T2)]
    return np.array(
        [coal.distance(one, T, other, U, request, coal.DistanceResult()) for T, U in zip(*placed, strict=True)]
    )


@pytest.mark.parametrize(("one", "other"), COMBINATIONS)
def test_distances_and_depths_are_those_of_coal(one: str, other: str) -> None:
    a, b = SHAPES[one], SHAPES[other]
    T1, T2 = poses((0.0, 0.5))
    ours = lw.compile(book(a, b), T1=(4, 4), T2=(4, 4))(T1, T2)[:, 0]
    theirs = their_distances(a, T1, b, T2)
    apart = theirs > 0.0
    assert PAIRS // 2 < apart.sum() < PAIRS
    compared = apart | ({one, other} <= set(POLYTOPES))  # coal's depths of curved shapes do not converge
    assert abs(ours - theirs)[compared].max() < BOUND
