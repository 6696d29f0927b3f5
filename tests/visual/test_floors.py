"""The ground of a model in pictures: planes, slopes and surfaces of heights."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.visual.drawing.floors import floors_of, level_of, lines_over
from linkwright.visual.drawing.linkage import poses_along, skeleton
from linkwright.visual.drawing.scene import draw
from linkwright.visual.drawing.skin import skin
from linkwright.visual.drawing.vector import vector_drawing
from linkwright.visual.drawing.view import choose_view, grid_lines


def view_of(model, **options):
    bones = skeleton(model)
    poses = poses_along(model, model.neutral()[None])
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    return choose_view(points, centers, model.gravity, floors=floors_of(model), **options)


@pytest.mark.parametrize("height", [-2.0, -0.404, 0.0])
def test_the_ground_of_a_picture_is_the_models_own(height):
    model = lw.load("quadruped").with_ground(height)
    view = view_of(model)
    assert view.ground == pytest.approx(height)
    found = grid_lines(view, np.zeros(3))
    assert ("height" in found[2]) == (height != 0.0)


def test_without_one_it_is_where_it_was():
    bare = lw.load("quadruped")
    assert view_of(bare).ground == pytest.approx(-0.404)


def test_a_slope_is_drawn_as_a_plane_and_casts_no_level_shadow():
    model = lw.load("quadruped").with_ground(-0.5, normal=(0.3, 0.0, 1.0))
    view = view_of(model)
    assert view.ground is None
    segments, far, note = grid_lines(view, np.zeros(3))
    assert len(segments) == len(far) > 20
    assert note.startswith("grid")


def test_lines_over_heights_lie_on_them():
    z = np.random.default_rng(0).normal(size=(30, 50))
    model = lw.load("quadruped").with_ground(0.5, heights=z, size=(5.0, 3.0), normal=(0.1, 0.2, 1.0))
    (floor,) = floors_of(model)
    assert level_of((floor,), np.array([0.0, 0.0, 1.0])) is None
    segments, far = lines_over(floor, np.array([0.3, 0.2, 0.1]), 1.0)
    assert len(segments) > 100
    assert far.min() < 0.2
    T = floor.T
    local = (segments.reshape(-1, 3) - T[:3, 3]) @ T[:3, :3]
    column, row = (local[:, 0] / 5.0 + 0.5) * 49, (local[:, 1] / 3.0 + 0.5) * 29
    np.testing.assert_allclose(column, np.round(column), atol=1e-9)
    np.testing.assert_allclose(row, np.round(row), atol=1e-9)
    np.testing.assert_allclose(local[:, 2], z[np.round(row).astype(int), np.round(column).astype(int)], atol=1e-9)


def test_a_large_field_is_drawn_about_the_mechanism_alone():
    model = lw.load("quadruped").with_ground(heights=np.zeros((1000, 1000)), size=(1000.0, 1000.0))
    (floor,) = floors_of(model)
    segments, _ = lines_over(floor, np.array([100.0, 0.0, 0.0]), 3.0)
    assert 0 < len(segments) < 500
    assert np.abs(segments[..., 0] - 100.0).max() < 6.0
    assert len(lines_over(floor, np.array([2000.0, 0.0, 0.0]), 3.0)[0]) == 0


def test_a_plane_seen_end_on_is_a_line_at_its_height():
    model = lw.load("planar:2").with_gravity([0.0, -9.81, 0.0])
    model = lw.Builder(model).shape("link2", "sphere", radius=0.1).build().with_ground(normal=(0.0, 1.0, 0.0))
    view = view_of(model)
    assert view.flat
    segments, far, _ = grid_lines(view, np.zeros(3))
    assert far.tolist() == [-1.0]
    on_it = view.project(np.array([[0.3, 0.0, 0.0], [0.7, 0.0, 0.0]]))[0]
    r = segments[0, 1] - segments[0, 0]
    for p in on_it:
        s = p - segments[0, 0]
        assert r[0] * s[1] - r[1] * s[0] == pytest.approx(0.0, abs=1e-12)


def test_touching_shapes_are_drawn_over_the_sticks_on_request():
    model = lw.load("quadruped").with_ground(-0.4)
    assert not skin(model).over
    touching = skin(model, "touching")
    bones = skeleton(model)
    assert touching.bare(bones) is bones
    assert len(set(touching.body.tolist())) == 4
    with pytest.raises(InputError, match="shapes is True, False or 'touching'; got 'collision'"):
        skin(model, "collision")


@pytest.mark.parametrize(
    "message",
    [{}, {"normal": (0.3, 0.0, 1.0)}, {"heights": np.ones((4, 4)), "size": (1.0, 1.0)}],
    ids=["plane", "slope", "heights"],
)
def test_every_ground_is_drawn(message):
    model = lw.load("quadruped").with_ground(-0.4, **message)
    figure = draw(model, model.neutral(), shapes="touching")
    assert len(figure.axes[0].collections[0].get_segments()) > 3
    assert "<path" in vector_drawing(model, model.neutral())
