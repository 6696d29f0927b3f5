"""Shapes that rest on each other: contact points of boxes, cylinders, capsules and meshes in known positions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from linkwright.dynamics.contact.shapes.candidate import FAR, ContactCandidate
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.errors import InputError
from linkwright.model.parts.shape import Shape
from linkwright.spatial.rotation import rotation_about
from touching_shapes import SHAPES, at, is_in, nearest, pose, touch

seeds = st.integers(0, 2**32 - 1)


def on_ground(kind, T) -> list[ContactCandidate]:
    return touch(kind, T, "plane", np.eye(4))


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_the_four_corners_of_a_box_are_the_lowest_on_one_side(seed):
    T = pose(np.random.default_rng(seed), 0.3)
    corners = T[:3, 3] + np.array(list(itertools.product((-0.1, 0.1), (-0.15, 0.15), (-0.2, 0.2)))) @ T[:3, :3].T
    found = sorted(one.gap for one in on_ground("box", T))
    assert abs(found[0] - corners[:, 2].min()) < 1e-14
    missing = sorted(set(np.round(corners[:, 2], 12)) - set(np.round(found, 12)))
    assert missing[0] >= found[0] + 0.2 / np.sqrt(3.0) - 1e-9


def test_a_box_lies_on_four_corners():
    assert [one.gap for one in on_ground("box", at(0.0, 0.0, 0.2))] == [0.0] * 4
    assert {tuple(one.point[:2]) for one in on_ground("box", at(0.0, 0.0, 0.2))} == {
        (x, y) for x in (-0.1, 0.1) for y in (-0.15, 0.15)
    }


def test_a_cylinder_stands_on_four_points_and_lies_on_two():
    standing = [one for one in on_ground("cylinder", at(0.0, 0.0, 0.15)) if one.gap < 1e-6]
    assert len(standing) == 4
    np.testing.assert_allclose(np.mean([one.point for one in standing], axis=0), 0.0, atol=1e-7)
    for angle in (0.0, 1.0, 2.5):
        R = rotation_about([1.0, 0.0, 0.0], np.pi / 2) @ rotation_about([0.0, 0.0, 1.0], angle)
        lying = [one for one in on_ground("cylinder", at(0.0, 0.0, 0.1, R)) if one.gap < 1e-6]
        assert len(lying) == 2
        np.testing.assert_allclose(sorted(one.point[1] for one in lying), [-0.15, 0.15], atol=1e-9)


def test_capsules_side_by_side_touch_at_both_ends_of_their_overlap():
    found = touch("capsule", at(0.1, 0.0, 0.1), "capsule", at(0.0, 0.0, 0.0))
    np.testing.assert_allclose([one.gap for one in found], 0.0, atol=1e-12)
    np.testing.assert_allclose([one.point for one in found], [(0.05, 0.0, -0.1), (0.05, 0.0, 0.2)], atol=1e-8)
    crossing = touch("capsule", at(0.1, 0.0, 0.0, rotation_about([1.0, 0.0, 0.0], 1.0)), "capsule", np.eye(4))
    assert sorted(one.gap < 1e-9 for one in crossing) == [False, True]


def test_a_capsule_lies_on_a_box():
    R = rotation_about([0.0, 1.0, 0.0], np.pi / 2)
    found = touch("capsule", at(0.05, 0.0, 0.25, R), "box", np.eye(4))
    np.testing.assert_allclose([one.gap for one in found], 0.0, atol=1e-12)
    np.testing.assert_allclose(sorted(one.point[0] for one in found), [-0.1, 0.1], atol=1e-8)
    np.testing.assert_allclose([one.normal for one in found], [(0.0, 0.0, 1.0)] * 2, atol=1e-6)


def test_a_capsule_through_a_box_leaves_it_across_an_edge():
    T = at(0.03, 0.02, 0.0, rotation_about([0.0, 0.6, 0.8], 0.7))
    block, stick = Shape("a", "box", size=(0.1, 0.1, 0.1)), SHAPES["capsule"]
    (one,) = [one for one in candidates(stick, T, block, np.eye(4)) if one.gap < FAR]
    assert abs(one.normal @ T[:3, 2]) < 1e-12
    assert np.sort(abs(one.normal))[0] < 1e-12
    corner = 0.05 * np.sign(one.normal)
    assert abs(one.gap + 0.05 - one.normal @ (T[:3, 3] - corner)) < 1e-12


def test_a_mesh_lies_on_the_corners_that_are_far_apart():
    cube = np.array(list(itertools.product((-0.1, 0.1), (-0.1, 0.1), (-0.1, 0.0, 0.1))))
    block = Shape("a", "mesh", vertices=cube, faces=np.array([[0, 1, 2]]))
    for angle in (0.0, 0.4, np.pi / 4):
        R = rotation_about([0.0, 0.0, 1.0], angle)
        found = [one for one in candidates(block, at(0.0, 0.0, 0.1, R), SHAPES["plane"], np.eye(4)) if one.gap < 1e-9]
        corners = np.array([one.point @ np.block([[R], [np.zeros((0, 3))]]) for one in found])
        assert {tuple(np.round(x[:2], 9)) for x in corners} == {(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)}
        assert len(found) == 4


def test_meshes_of_many_vertices_are_refused():
    ball = Shape("a", "mesh", vertices=np.random.default_rng(0).normal(size=(65, 3)), faces=np.array([[0, 1, 2]]))
    with pytest.raises(
        InputError, match="65 vertices, contact takes up to 64: give it a coarser convex hull, or a box"
    ):
        candidates(ball, np.eye(4), SHAPES["plane"], np.eye(4))


# a box on a box


def touching(found) -> list[ContactCandidate]:
    return [one for one in found if abs(one.gap) < 1e-9]


def corners_of(found, digits=6) -> set:
    return {tuple(np.round(one.point, digits) + 0.0) for one in found}


@pytest.mark.parametrize("order", [1, -1])
def test_equal_boxes_stack_on_their_four_corners(order):
    upper, lower = at(0.0, 0.0, 0.4), np.eye(4)
    found = touching(touch("box", *((upper, "box", lower) if order > 0 else (lower, "box", upper))))
    assert corners_of(found) == {(x, y, 0.2) for x in (-0.1, 0.1) for y in (-0.15, 0.15)}
    assert len(found) == 4
    assert all(tuple(one.normal) == (0.0, 0.0, order) for one in found)


def test_a_box_across_another_touches_where_their_faces_overlap():
    beam = Shape("a", "box", size=(2.0, 0.1, 0.1))
    for angle, corners in ((np.pi / 2, {(x, y, 0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)}), (0.3, None)):
        T = at(0.0, 0.0, 0.1, rotation_about([0.0, 0.0, 1.0], angle))
        found = touching(candidates(beam, T, beam, np.eye(4)))
        assert len(found) == 4
        if corners:
            assert corners_of(found) == corners
        for one in found:
            assert is_in(beam, T, one.point, 1e-9)
            assert is_in(beam, np.eye(4), one.point, 1e-9)


def test_a_box_over_the_edge_of_a_table_is_held_at_the_edge():
    table = Shape("a", "box", size=(2.0, 2.0, 0.2))
    found = touching(candidates(SHAPES["box"], at(0.95, 0.0, 0.3), table, np.eye(4)))
    assert corners_of(found) == {(x, y, 0.1) for x in (0.85, 1.0) for y in (-0.15, 0.15)}


def test_two_edges_touch_where_they_cross():
    half_turn = np.pi / 4
    bar = Shape("a", "box", size=(1.0, 0.2, 0.2))
    lower = at(0.0, 0.0, 0.0, rotation_about([1.0, 0.0, 0.0], half_turn))
    R = rotation_about([0.0, 0.0, 1.0], 1.0) @ rotation_about([1.0, 0.0, 0.0], half_turn)
    upper = at(0.02, 0.01, 0.2 * np.sqrt(2.0) - 0.003, R)
    (one,) = [one for one in candidates(bar, upper, bar, lower) if one.gap < FAR]
    assert abs(one.gap + 0.003) < 1e-12
    np.testing.assert_allclose(one.normal, [0.0, 0.0, 1.0], atol=1e-12)
    assert abs(one.point[2] - 0.1 * np.sqrt(2.0) + 0.0015) < 1e-12
    assert abs(one.point[1]) < 1e-12  # on the lower edge


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_the_deepest_point_of_a_face_is_there(seed):
    """Against a linear program over the points of both faces."""
    rng = np.random.default_rng(seed)
    R = rotation_about([0.0, 0.0, 1.0], rng.uniform(0.0, 6.3))
    tilt = rng.normal(size=3) * (0.1, 0.1, 0.0)
    angle = np.linalg.norm(tilt)
    T = at(*rng.uniform(-0.08, 0.08, size=2), 0.395, rotation_about(tilt / angle, angle) @ R)
    found = touch("box", T, "box", np.eye(4))
    if all(one.normal[2] == 1.0 for one in found):
        e, f, out = 0.1 * T[:3, 0], 0.15 * T[:3, 1], 0.2 * T[:3, 2]
        low = T[:3, 3] - out
        A = np.array([[e[0], f[0]], [-e[0], -f[0]], [e[1], f[1]], [-e[1], -f[1]]])
        bounds = np.array([0.1 - low[0], 0.1 + low[0], 0.15 - low[1], 0.15 + low[1]])
        lowest = linprog([e[2], f[2]], A, bounds, bounds=(-1.0, 1.0)).fun + low[2] - 0.2
        assert abs(nearest(found).gap - lowest) < 1e-8
        for one in found:
            if one.gap < FAR:
                assert is_in(SHAPES["box"], np.eye(4), one.point + (0.2 - one.point[2]) * one.normal, 1e-8)


# a cylinder on a box


def test_a_cylinder_stands_on_a_box():
    table, T = Shape("a", "box", size=(2.0, 2.0, 0.2)), at(0.3, 0.2, 0.25)
    found = touching(candidates(SHAPES["cylinder"], T, table, np.eye(4)))
    assert len(found) == 4
    np.testing.assert_allclose(np.mean([one.point for one in found], axis=0), [0.3, 0.2, 0.1], atol=1e-6)
    for one in found:
        assert one.normal[2] == 1.0
        assert abs(np.hypot(one.point[0] - 0.3, one.point[1] - 0.2) - 0.1) < 1e-9


def test_a_box_stands_on_a_cylinder_that_is_wider():
    drum = Shape("a", "cylinder", radius=0.5, length=0.2)
    found = touching(candidates(SHAPES["box"], at(0.1, 0.0, 0.3), drum, np.eye(4)))
    assert corners_of(found) == {(x, y, 0.1) for x in (0.0, 0.2) for y in (-0.15, 0.15)}


def test_a_cylinder_over_the_edge_of_a_table_is_held_at_the_edge():
    table = Shape("a", "box", size=(2.0, 2.0, 0.2))
    found = touching(candidates(SHAPES["cylinder"], at(0.97, 0.0, 0.25), table, np.eye(4)))
    chord = np.sqrt(0.1**2 - 0.03**2)
    assert {(1.0, round(y, 6)) for y in (-chord, chord)} <= {tuple(np.round(one.point[:2], 6)) for one in found}
    assert min(one.point[0] for one in found) < 0.9


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.0, 3.0])
def test_a_cylinder_lies_on_a_box(angle):
    R = rotation_about([0.0, 1.0, 0.0], np.pi / 2) @ rotation_about([0.0, 0.0, 1.0], angle)
    found = touching(touch("cylinder", at(0.05, 0.0, 0.3, R), "box", np.eye(4)))
    assert corners_of(found) == {(-0.1, 0.0, 0.2), (0.1, 0.0, 0.2)}


def test_the_edge_of_a_box_lies_across_a_cylinder():
    edge_down = rotation_about([1.0, 0.0, 0.0], np.pi / 4)
    bar, log = Shape("a", "box", size=(0.4, 0.1, 0.1)), Shape("a", "cylinder", radius=0.1, length=0.6)
    lying = rotation_about([1.0, 0.0, 0.0], np.pi / 2)
    found = candidates(bar, at(0.0, 0.05, 0.1 + 0.05 * np.sqrt(2.0) - 0.002, edge_down), log, at(0.0, 0.0, 0.0, lying))
    (one,) = [one for one in found if one.gap < 1e-3]
    assert abs(one.gap + 0.002) < 1e-9
    np.testing.assert_allclose(one.point, [0.0, 0.05, 0.099], atol=1e-6)
    np.testing.assert_allclose(one.normal, [0.0, 0.0, 1.0], atol=1e-6)


# a cylinder on a cylinder


@pytest.mark.parametrize("radius", [0.1, 0.05, 0.2])
def test_cylinders_stack(radius):
    lower = Shape("a", "cylinder", radius=radius, length=0.2)
    T = at(0.0, 0.0, 0.25)
    found = touching(candidates(SHAPES["cylinder"], T, lower, np.eye(4)))
    assert len(found) >= 4
    np.testing.assert_allclose(np.mean([one.point for one in found[:4]], axis=0), [0.0, 0.0, 0.1], atol=1e-6)
    for one in found:
        assert one.normal[2] == 1.0
        assert abs(np.hypot(*one.point[:2]) - min(radius, 0.1)) < 1e-8


def test_cylinders_that_stack_aside_touch_within_both_rims():
    found = touching(touch("cylinder", at(0.1, 0.0, 0.3), "cylinder", np.eye(4)))
    half_chord = np.sqrt(0.1**2 - 0.05**2)
    assert {(0.05, y) for y in (-round(half_chord, 6), round(half_chord, 6))} <= {
        tuple(np.round(one.point[:2], 6)) for one in found
    }
    for one in found:
        assert is_in(SHAPES["cylinder"], np.eye(4), one.point, 1e-6)
        assert is_in(SHAPES["cylinder"], at(0.1, 0.0, 0.3), one.point, 1e-6)


def test_cylinders_side_by_side_touch_at_both_ends_of_their_overlap():
    found = touching(touch("cylinder", at(0.2, 0.0, 0.1), "cylinder", np.eye(4)))
    assert corners_of(found) == {(0.1, 0.0, -0.05), (0.1, 0.0, 0.15)}
    np.testing.assert_allclose([one.normal for one in found], [(1.0, 0.0, 0.0)] * 2, atol=1e-12)


def test_logs_that_cross_touch_in_one_point():
    lying, other = (rotation_about(axis, np.pi / 2) for axis in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    found = touch("cylinder", at(0.02, 0.03, 0.199, other), "cylinder", at(0.0, 0.0, 0.0, lying))
    (one,) = [one for one in found if one.gap < 0.0]
    assert abs(one.gap + 0.001) < 1e-12
    np.testing.assert_allclose(one.point, [0.0, 0.03, 0.0995], atol=1e-9)
    np.testing.assert_allclose(one.normal, [0.0, 0.0, 1.0], atol=1e-9)
