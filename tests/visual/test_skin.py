"""Shapes in pictures: bodies that have some are drawn by them, the others as sticks."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.formats.meshes.reading import Mesh
from linkwright.model.parts.shape import Shape
from linkwright.visual.animations.animation import animate
from linkwright.visual.drawing.linkage import SegmentKind, poses_along, skeleton
from linkwright.visual.drawing.scene import draw
from linkwright.visual.drawing.skin import coarse, skin
from linkwright.visual.rendering.surfaces import primitive


def arm(**given):
    builder = lw.Builder("arm").body("a", 1.0, [0.5, 0, 0], 0.01).joint("j", "revolute", "world", "a", axis=[0, 1, 0])
    builder.body("b", 1.0, [0.5, 0, 0], 0.01).joint("k", "revolute", "a", "b", xyz=[1, 0, 0], axis=[0, 0, 1])
    return builder.shape("a", "box", size=[1.0, 0.1, 0.1], xyz=[0.5, 0, 0], **given)


def test_a_body_with_a_shape_loses_its_stick():
    model = arm().build()
    bones, covered = skeleton(model), skin(model)
    bare = covered.bare(bones)
    assert 0 in bones.owner[bones.kinds == SegmentKind.LINK]
    assert set(bare.owner[bare.kinds == SegmentKind.LINK].tolist()) == {1}
    assert len(bare.marks) < len(bones.marks)
    both = arm().shape("b", "sphere", radius=0.1).build()
    assert len(skin(both).bare(skeleton(both)).segments) == 0


def test_what_is_not_seen_is_not_drawn():
    assert skin(lw.load("two_link")) is None
    assert skin(arm(use="collision").build()) is None
    assert skin(lw.Builder(lw.load("two_link")).shape("world", "plane").build()) is None
    hall = arm().shape("world", "box", size=[100.0, 100.0, 1.0]).build()
    assert -1 not in skin(hall).body


def test_points_move_with_their_bodies():
    model = arm().build()
    covered = skin(model)
    q = np.array([-np.pi / 2, 0.0])  # about −y: x goes up
    points = covered.at(poses_along(model, q)[0])
    np.testing.assert_allclose(points.min(axis=0), [-0.05, -0.05, 0.0], atol=1e-12)
    np.testing.assert_allclose(points.max(axis=0), [0.05, 0.05, 1.0], atol=1e-12)
    corners = covered.corners_along(poses_along(model, q))[0]
    np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], [points.min(axis=0), points.max(axis=0)])


@pytest.mark.parametrize("kind", ["sphere", "box", "ellipsoid", "cylinder", "capsule", "cone"])
def test_surfaces_are_closed_and_face_outwards(kind):
    shape = Shape("a", kind, radius=0.3, length=0.5, size=(0.2, 0.3, 0.4))
    V, F = primitive(shape)
    edges = [(V[a].round(12), V[b].round(12)) for f in F for a, b in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))]
    there = {(tuple(a + 0.0), tuple(b + 0.0)) for a, b in edges}
    assert there == {(b, a) for a, b in there}
    corners = V[F]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("fi,fi->f", normals, corners.mean(axis=1)) > 0.0).all()


def test_coarse_meshes_keep_their_form():
    fine = primitive(Shape("a", "sphere", radius=1.0))
    V, F = fine
    for _ in range(3):  # each triangle in four
        n = len(V)
        middles = [0.5 * (V[F[:, k]] + V[F[:, (k + 1) % 3]]) for k in range(3)]
        V = np.concatenate([V, *middles])
        ab, bc, ca = (n + k * len(F) + np.arange(len(F)) for k in range(3))
        a, b, c = F.T
        F = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    few, left = coarse(Mesh(V, F), 500)
    assert len(few.faces) == len(left) <= 500 < len(F)
    was = V[F[left]].mean(axis=1)
    assert np.linalg.norm(few.vertices[few.faces].mean(axis=1) - was, axis=1).max() < 0.2  # the same triangles
    distances = np.linalg.norm(few.vertices, axis=1)
    assert distances.min() > 0.85
    assert distances.max() <= 1.0 + 1e-12
    assert coarse(fine, 10_000)[0] is fine


def test_a_picture_with_shapes_is_another_than_without():
    model = arm(color=[1.0, 0.0, 0.0]).build()

    def pixels(**options):
        figure = draw(model, [0.3, 0.4], **options)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)

    red = pixels()
    reddish = (red[..., 0] > red[..., 1] + 60) & (red[..., 1] == red[..., 2])
    assert reddish.sum() > 1000
    sticks = pixels(shapes=False)
    assert not ((sticks[..., 0] > sticks[..., 1] + 60) & (sticks[..., 1] == sticks[..., 2])).any()


def test_what_has_little_opacity_is_seen_through():
    def shown(opacity):
        """The colors of two boxes, a blue one before and round a red one."""
        builder = arm(color=[1.0, 0.0, 0.0])
        model = builder.shape("b", "box", size=[3.0, 3.0, 3.0], color=[0.0, 0.0, 1.0, opacity], use="visual").build()
        figure = draw(model, [0.3, 0.4])
        figure.canvas.draw()
        red, green, blue = np.moveaxis(np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int), -1, 0)
        bluish = np.where(red == green, blue - red, 0)
        return (bluish > 20).sum(), bluish.max(), ((green == blue) & (red > blue + 20)).sum()

    solid, faint, none = shown(1.0), shown(0.2), shown(0.0)
    assert solid[0] > 1000
    assert solid[1] > 1.5 * faint[1] > 30
    assert none[0] < 10  # of the smoothed edges of other colors
    assert none[2] > solid[2] == 0


def test_motions_and_ghosts_are_drawn_with_shapes(tmp_path):
    model = arm().shape("b", "capsule", radius=0.1, length=0.5, rpy=[0, np.pi / 2, 0], xyz=[0.4, 0, 0]).build()
    q = np.linspace([0.0, 0.0], [1.0, 1.0], 5)
    film = animate(model, np.linspace(0.0, 0.2, 5), q, tmp_path / "m.gif")
    assert film.stat().st_size > 1000
    assert draw(model, q) is not None


def test_meshes_in_millimeters_are_reported(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((400.0, 50.0, 50.0)).export(tmp_path / "a.stl")
    arm = lw.Builder("arm").body("a", 1.0, [0.2, 0, 0], 0.01).joint("j", "revolute", "world", "a")
    arm = arm.body("b", 1.0, [0.2, 0, 0], 0.01).joint(
        "k", "revolute", "a", "b", placement=lw.transform.make(np.eye(3), [0.4, 0, 0])
    )
    with pytest.warns(FormatWarning, match=r"a mesh is 400 m large, .* add up to 0\.4 m; .*scale=\"0\.001"):
        skin(lw.Builder(arm.build()).mesh("a", str(tmp_path / "a.stl")).build())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        skin(lw.Builder(arm.build()).mesh("a", str(tmp_path / "a.stl"), scale=0.001).build())


def test_missing_meshes_leave_sticks_and_broken_ones_are_reported(tmp_path):
    pytest.importorskip("trimesh")
    builder = lw.Builder("arm").body("a", 1.0, [0.5, 0, 0], 0.01).joint("j", "revolute", "world", "a")
    missing = builder.mesh("a", str(tmp_path / "a.stl")).build()
    with pytest.warns(FormatWarning, match=r"'arm': shapes are not drawn: .*a\.stl' is not found"):
        assert skin(missing) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert skin(missing) is None  # one warning
    (tmp_path / "a.stl").write_bytes(b"not a mesh")
    broken = lw.Builder(missing).build()
    with pytest.warns(FormatWarning, match=r"'arm': shapes are not drawn: .*a\.stl"):
        assert skin(broken) is None


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_a_real_robot_has_a_skin_of_its_meshes():
    pytest.importorskip("collada")
    pytest.importorskip("trimesh")
    model = lw.load("panda")
    covered = skin(model)
    assert set(covered.body.tolist()) == {-1, *range(len(model.bodies))}
    assert len(covered.faces) < 200_000
    reach = covered.at(poses_along(model, model.neutral()[None])[0])
    assert 1.0 < np.ptp(reach[:, 2]) < 1.2
