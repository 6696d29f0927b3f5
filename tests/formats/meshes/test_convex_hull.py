"""Convex hulls of meshes with a bounded number of vertices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

import linkwright as lw
from linkwright.errors import InputError


def ball(count: int) -> lw.Shape:
    x = np.random.default_rng(0).normal(size=(count, 3))
    return lw.Shape("world", "mesh", vertices=x / np.linalg.norm(x, axis=1, keepdims=True), faces=np.array([[0, 1, 2]]))


def test_the_error_is_the_distance_of_the_farthest_vertex() -> None:
    """Against least squares with weights that are not negative."""
    mesh = ball(300)
    hull = lw.convex_hull(mesh, 40)
    assert len(hull.vertices) == 40
    far, heavy = 0.0, 1e4
    A = np.vstack([hull.vertices.T, heavy * np.ones(40)])
    for x in np.asarray(mesh.vertices):
        weights, _ = nnls(A, np.append(x, heavy))
        far = max(far, float(np.linalg.norm(weights @ hull.vertices - x)))
    assert hull.error == pytest.approx(far, rel=1e-4)
    assert 0.0 < lw.convex_hull(mesh).error < hull.error


def test_a_hull_of_few_vertices_is_exact() -> None:
    mesh = ball(12)
    hull = lw.convex_hull(mesh)
    assert len(hull.vertices) == 12
    assert hull.error == 0.0


def test_other_shapes_and_numbers_are_rejected() -> None:
    with pytest.raises(InputError, match="kind 'mesh'"):
        lw.convex_hull(lw.Shape("world", "sphere", radius=1.0))
    with pytest.raises(InputError, match="vertices"):
        lw.convex_hull(ball(12), 3)
