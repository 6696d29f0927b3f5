"""Contact points of convex hulls: those of the box where a hull is a box, and smooth normals where shapes touch."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from linkwright.dynamics.contact.shapes.candidate import FAR, ContactCandidate
from linkwright.dynamics.contact.shapes.convex.hull_table import MOST_CORNERS, hull_faces
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.model.parts.shape import Shape
from linkwright.spatial.rotation import rotation_about
from touching_shapes import SHAPES, at, pose, separation

HALF = (0.1, 0.15, 0.2)
HULL = Shape(
    "a", "mesh", vertices=np.array(list(itertools.product(*[(-x, x) for x in HALF]))), faces=np.array([[0, 1, 2]])
)


def present(found: list[ContactCandidate]) -> list[ContactCandidate]:
    return [one for one in found if one.gap < 0.5 * FAR]


@pytest.mark.parametrize("gap", [0.0, 1e-3, -1e-3, 1e-9, -1e-9, 1e-12, -1e-12])
@pytest.mark.parametrize("kind", ["box", "mesh"])
def test_a_box_rests_flat_on_a_hull_with_four_points(kind: str, gap: float) -> None:
    upper = HULL if kind == "mesh" else SHAPES["box"]
    found = present(candidates(upper, at(0.05, 0.0, 0.4 + gap), HULL, np.eye(4)))
    places = {tuple(np.round(one.point[:2], 6)) for one in found}
    assert places == {(x, y) for x in (-0.05, 0.1) for y in (-0.15, 0.15)}
    assert len(found) == 4
    for one in found:
        assert abs(one.gap - gap) < 1e-12
        np.testing.assert_allclose(one.normal, [0.0, 0.0, 1.0], atol=1e-15)
        assert abs(one.point[2] - 0.2 - 0.5 * gap) < 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_a_hull_of_a_box_is_as_deep_as_the_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    T1, T2 = pose(rng, 0.1), pose(rng, 0.1)
    (hull, other) = (
        min(candidates(SHAPES["box"], T1, shape, T2), key=lambda one: one.gap) for shape in (HULL, SHAPES["box"])
    )
    if other.gap < 0.0:
        assert abs(hull.gap - other.gap) < 1e-4 * min(HALF) + 1e-9
        assert abs(separation(SHAPES["box"], T1, HULL, T2, hull.normal) - hull.gap) < 1e-9


@pytest.mark.parametrize("kind", ["sphere", "ellipsoid", "cylinder", "capsule", "box", "mesh"])
def test_normals_do_not_jump_where_shapes_touch(kind: str) -> None:
    """The shape is moved through contact along the normal, which stays."""
    rng = np.random.default_rng(3)
    T = pose(rng, 0.05)
    shape = SHAPES[kind]
    for _ in range(8):
        deepest = min(candidates(shape, T, HULL, np.eye(4)), key=lambda one: one.gap)
        T[:3, 3] -= deepest.gap * deepest.normal
    normals = []
    for depth in (1e-4, 1e-7, 1e-10, 0.0, -1e-10, -1e-7, -1e-4):
        moved = T.copy()
        moved[:3, 3] += depth * deepest.normal
        one = min(candidates(shape, moved, HULL, np.eye(4)), key=lambda one: one.gap)
        assert abs(one.gap - depth) < 1e-8
        normals.append(one.normal)
    assert np.ptp(normals, axis=0).max() < 1e-3


def test_a_capsule_lies_on_a_hull_at_two_points() -> None:
    lying = rotation_about(np.array([0.0, 1.0, 0.0]), np.pi / 2)
    found = present(candidates(SHAPES["capsule"], at(0.0, 0.0, 0.25, lying), HULL, np.eye(4)))
    assert {round(float(one.point[0]), 6) for one in found} == {-0.1, 0.1}
    np.testing.assert_allclose([one.gap for one in found], 0.0, atol=1e-9)


def test_a_hull_stands_on_a_level_field_at_four_points() -> None:
    field = Shape("world", "height_field", size=(2.0, 2.0, 0.0), heights=np.full((5, 6), 0.1))
    found = present(candidates(HULL, at(0.1, 0.0, 0.3), field, np.eye(4)))
    near = [one for one in found if one.gap < 0.01]
    assert len(near) == 4
    np.testing.assert_allclose([one.gap for one in near], 0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_faces_of_a_hull_contain_all_vertices_on_their_inner_side(seed: int) -> None:
    vertices = np.random.default_rng(seed).normal(size=(30, 3))
    normals, corners = hull_faces(vertices)
    assert corners.shape[1] <= MOST_CORNERS
    for n, own in zip(normals, corners, strict=True):
        assert (vertices @ n).max() - (vertices[own] @ n).min() < 1e-6
        a, b, c = vertices[own[:3]]
        assert np.cross(b - a, c - a) @ n > 0.0


@pytest.mark.parametrize("kind", ["sphere", "ellipsoid", "cylinder", "capsule", "box", "mesh"])
def test_a_limit_changes_the_points_of_shapes_that_are_farther_apart_alone(kind: str) -> None:
    rng = np.random.default_rng(4)
    farther = 0
    for _ in range(12):
        T, limit = pose(rng, 0.35), rng.uniform(0.0, 0.3)
        whole = candidates(SHAPES[kind], T, HULL, np.eye(4))
        limited = candidates(SHAPES[kind], T, HULL, np.eye(4), limit)
        if min(one.gap for one in whole) < limit:
            for one, other in zip(whole, limited, strict=True):
                np.testing.assert_array_equal(one.numbers, other.numbers)
        else:
            assert min(one.gap for one in limited) >= limit
            farther += 1
    assert 1 < farther < 11
