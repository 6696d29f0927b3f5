"""Volumes, centers and inertias of solids: those of fine polyhedra of the same shape."""

import numpy as np
import pytest

from linkwright.formats import solids
from linkwright.spatial.rotation import rotation_rpy
from linkwright.spatial.transform import pose_matrix

R = rotation_rpy([0.4, -0.7, 1.1])


def revolved(profile, n=400):
    """A solid of revolution about z, as triangles: rows (r, z) from its lower to its upper end on the axis."""
    angles = 2 * np.pi * np.arange(n) / n
    rings = np.array([[[r * np.cos(t), r * np.sin(t), z] for t in angles] for r, z in profile])
    faces = []
    for i in range(len(profile) - 1):
        for j in range(n):
            a, b = i * n + j, i * n + (j + 1) % n
            faces += [[a, b, b + n], [a, b + n, a + n]]
    return rings.reshape(-1, 3), np.array(faces)


def same(solid, other, rel):
    assert solid.volume == pytest.approx(other.volume, rel=rel)
    scale = solid.volume ** (1 / 3)
    np.testing.assert_allclose(solid.center, other.center, atol=rel * scale, rtol=0)
    np.testing.assert_allclose(solid.inertia, other.inertia, atol=rel * np.abs(other.inertia).max(), rtol=0)


HALF = np.linspace(-np.pi / 2, np.pi / 2, 200)
ROUND = {
    "cylinder": (
        lambda: solids.cylinder(np.zeros(3), np.array([0, 0, 0.7]), 0.2),
        [(0, 0), (0.2, 0), (0.2, 0.7), (0, 0.7)],
    ),
    "cone": (lambda: solids.cone(np.zeros(3), np.array([0, 0, 0.7]), 0.2), [(0, 0), (0.2, 0), (0, 0.7)]),
    "sphere": (
        lambda: solids.ellipsoid(np.zeros(3), np.eye(3), np.full(3, 0.3)),
        [(0.3 * np.cos(t), 0.3 * np.sin(t)) for t in HALF],
    ),
    "capsule": (
        lambda: solids.capsule(np.zeros(3), np.array([0, 0, 0.5]), 0.3),
        [(0.3 * np.cos(t), 0.3 * np.sin(t) + 0.5 * (t > 0)) for t in HALF],
    ),
}


@pytest.mark.parametrize("name", ROUND)
def test_round_solids_are_their_polyhedra(name):
    make, profile = ROUND[name]
    same(make(), solids.polyhedron(*revolved(profile)), 2e-4)


def test_ellipsoid_and_elliptic_cylinder_are_stretched_round_ones():
    stretch = np.array([1.0, 1.5, 0.6])
    vertices, faces = revolved([(0.3 * np.cos(t), 0.3 * np.sin(t)) for t in HALF])
    same(solids.ellipsoid(np.zeros(3), np.eye(3), 0.3 * stretch), solids.polyhedron(vertices * stretch, faces), 2e-4)
    vertices, faces = revolved([(0, 0), (0.2, 0), (0.2, 0.7), (0, 0.7)])
    ours = solids.elliptic_cylinder(np.zeros(3), np.array([0, 0, 0.42]), 0.2, 0.3, np.array([2.0, 0.0, 0.1]))
    same(ours, solids.polyhedron(vertices * stretch, faces), 2e-4)


def test_a_box_is_a_prism_is_a_polyhedron_wherever_it_lies():
    a, b, c = 0.3, 0.5, 0.7
    polygon = np.array([[-a, -b, -c], [a, -b, -c], [a, b, -c], [-a, b, -c]]) / 2
    swept = solids.prism(polygon, np.array([0, 0, c]))
    backwards = solids.prism(polygon[::-1], np.array([0, 0, c]))
    T = pose_matrix(R, np.array([0.1, -0.2, 0.3]))
    box = solids.box(T[:3, 3], R, np.array([a, b, c]))
    same(swept.moved(T), box, 1e-13)
    same(backwards.moved(T), box, 1e-13)


def test_a_prism_of_a_polygon_with_a_bay():
    shape = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [1, 0.5, 0], [0, 2, 0]], dtype=float)
    parts = [shape[[0, 1, 3]], shape[[1, 2, 3]], shape[[0, 3, 4]]]
    up = np.array([0.0, 0.0, 0.5])
    same(solids.prism(shape, up), solids.together([solids.prism(part, up) for part in parts]), 1e-13)


def test_a_pyramid_is_a_third_of_its_prism():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    pyramid = solids.pyramid(square, np.array([0.5, 0.5, 0.6]))
    assert pyramid.volume == pytest.approx(0.2)
    np.testing.assert_allclose(pyramid.center, [0.5, 0.5, 0.15])


def test_mirrored_twice_is_itself():
    solid = solids.box(np.array([0.1, 0.2, 0.3]), R, np.array([0.3, 0.5, 0.7]))
    same(solid.mirrored(1).mirrored(1), solid, 1e-15)
    assert solid.mirrored(1).center[1] == -0.2
    assert solid.mirrored(1).inertia[0, 1] == pytest.approx(-solid.inertia[0, 1])
