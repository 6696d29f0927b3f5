"""Pixels of solids: what is near hides what is far, round surfaces look round, pictures are filled."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.visual.animations.film import make_film
from linkwright.visual.drawing.linkage import poses_along
from linkwright.visual.drawing.skin import skin
from linkwright.visual.drawing.view import View, choose_view
from linkwright.visual.rendering.renderer import SolidRenderer, lay_over

RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def rendered(builder, view, side=200, about=(0.0, 0.0, 0.0)):
    """The pixels of one body at rest."""
    model = builder.joint("j", "continuous", "world", "a").build()
    covered = skin(model)
    colors = np.where(np.isnan(covered.colors), 0.8, covered.colors)
    poses = poses_along(model, model.neutral())[0]
    renderer = SolidRenderer(covered, view, side, side)
    return renderer.image(poses, renderer.paint(colors), np.array(about))


def seen_from_x(ground=None, distance=10.0, half=1.0):
    """A view against x, y to the right."""
    axes = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    window = half * np.array([[-1.0, -1.0], [1.0, 1.0]])
    return View(axes, distance == 0.0, np.zeros(3), distance, window, 1.0, axes[1], ground, False)


def boxes(*placed):
    builder = lw.Builder("boxes").body("a", 1.0)
    for x, color in placed:
        builder.shape("a", "box", size=(0.1, 1.0, 1.0), xyz=(x, 0.0, 0.0), color=color, use="visual")
    return builder


@pytest.mark.parametrize("distance", [10.0, 0.0], ids=["perspective", "parallel"])
@pytest.mark.parametrize("order", [1, -1])
def test_what_is_nearer_hides_what_is_farther(distance, order):
    pixels = rendered(boxes(*[(0.6, RED), (-0.6, GREEN)][::order]), seen_from_x(distance=distance))
    middle = pixels[100, 100]
    assert middle[3] == 255
    assert middle[0] > 150 > 60 > middle[1]


def test_crossing_surfaces_hide_each_other_along_their_line():
    builder = lw.Builder("cross").body("a", 1.0)
    for turn, color in ((0.6, RED), (-0.6, GREEN)):
        builder.shape("a", "box", size=(0.01, 1.4, 1.4), rpy=(0.0, 0.0, turn), color=color, use="visual")
    row = rendered(builder, seen_from_x())[100].astype(int)
    red = row[:, 0] > row[:, 1]
    shown = np.flatnonzero(row[:, 3] == 255)
    changes = np.flatnonzero(np.diff(red[shown].astype(int)))
    assert len(changes) == 1
    assert abs(shown[changes[0]] - 100) <= 2


def test_round_surfaces_are_shaded_smoothly():
    ball = lw.Builder("ball").body("a", 1.0).shape("a", "sphere", radius=0.9, use="visual")
    pixels = rendered(ball, seen_from_x())
    y, x = np.mgrid[:200, :200] - 99.5
    inside = np.hypot(x, y) < 80
    assert (pixels[inside][:, 3] == 255).all()
    tone = pixels[..., 0].astype(int)
    for axis in (0, 1):
        step = np.abs(np.diff(tone, axis=axis))
        both = inside & np.roll(inside, -1, axis=axis)
        assert step[both[:-1] if axis == 0 else both[:, :-1]].max() <= 12
    assert tone[inside].min() > 60  # no black speckles
    assert tone[40, 130] > tone[160, 70] + 40  # lit from above, from the right


def test_a_mechanism_casts_a_shadow_on_its_ground():
    def ball():
        return lw.Builder("ball").body("a", 1.0).shape("a", "sphere", radius=0.2, xyz=(0, 0, 0.1), use="visual")

    tilted = np.array([[0.0, 1.0, 0.0], [-0.6, 0.0, 0.8], [0.8, 0.0, 0.6]])
    window = np.array([[-1.0, -1.0], [1.0, 1.0]])
    views = [View(tilted, False, np.zeros(3), 10.0, window, 1.0, np.eye(3)[2], z, False) for z in (-0.1, None)]
    shadowed, floating = (rendered(ball(), view) for view in views)
    dark = (shadowed[..., 3] > 40) & (floating[..., 3] == 0)
    assert dark.sum() > 200
    assert shadowed[dark][:, :3].max() < 60
    assert np.array_equal(shadowed[floating[..., 3] == 255], floating[floating[..., 3] == 255])


def test_what_is_seen_through_shows_what_is_behind():
    pixels = rendered(boxes((0.6, (0.0, 0.0, 1.0, 0.4)), (-0.6, RED)), seen_from_x())
    red, _, blue, opacity = pixels[100, 100]
    assert opacity == 255
    assert red > 80
    assert blue > 60


def test_pixels_are_laid_over_a_picture():
    picture = np.full((4, 5, 4), 255, dtype=np.uint8)
    pixels = np.zeros((2, 2, 4), dtype=np.uint8)
    pixels[0, 0], pixels[1, 1] = (10, 20, 30, 255), (0, 0, 0, 51)
    lay_over(pixels, picture, 4, 1)
    assert picture[1, 4, :3].tolist() == [10, 20, 30]
    assert (picture[2] == 255).all()
    lay_over(pixels, picture, 1, 2)
    assert picture[3, 2, :3].tolist() == [204, 204, 204]


@pytest.mark.parametrize("name", ["arm7", "humanoid", "quadruped", "stewart"])
def test_films_are_filled(name):
    """The mechanism takes 60 to 95 % of the longer side of its pictures, over the whole motion."""
    model = lw.load(name)
    q, _ = lw.default_configuration(model)
    t = np.linspace(0.0, 1.0, 4)
    moved = [q if model.loops else lw.integrate(model, q, 0.1 * x * np.ones(model.nv)) for x in t]
    film = make_film(model, t, np.array(moved), t, 0.3)
    image = film.scene._skins[-1][1]
    covered = np.zeros((1, 1), dtype=bool)
    for k in range(4):
        film.show(k)
        covered = covered | (np.asarray(image.get_array())[..., 3] == 255)
    rows, columns = (np.flatnonzero(covered.any(axis=axis)) for axis in (1, 0))
    part = max(np.ptp(rows) / covered.shape[0], np.ptp(columns) / covered.shape[1])
    assert 0.6 < part < 0.95
    assert min(rows[0], columns[0]) > 0
    assert columns[-1] < covered.shape[1] - 1


def test_an_arm_that_reaches_below_its_base_still_stands_on_its_ground():
    points = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.4], [0.7, 0.0, -0.4]]] * 2)
    points[1, 2] = (0.0, 0.7, 0.3)
    for center, ground in ((0.3, 0.0), (-0.3, -0.4)):
        view = choose_view(
            points, np.array([[0.1, 0.1, center]] * 2), [0.0, 0.0, -9.81], "3d", anchors=np.array([[0.0, 0.0, 0.0]])
        )
        assert view.ground == pytest.approx(ground)


def test_an_arm_that_falls_below_its_base_has_a_pedestal_on_the_ground():
    model = lw.load("arm7")
    bent, low = np.array([0.0, 0.5, 0.0, -1.2, 0.0, 0.5, 0.0]), np.array([1.0, 2.1, 0.0, -0.5, 0.0, 0.0, 0.0])
    aside = np.array([1.0, 0.5, 0.5, -1.2, 0.0, 0.5, 0.0])
    scene = make_film(model, np.array([0.0, 1.0]), np.array([bent, low]), np.array([0.0, 1.0]), 0.5).scene
    deepest = min(scene.covered.at(poses_along(model, q[None])[0])[:, 2].min() for q in (bent, low))
    assert deepest - 0.06 < scene.view.ground <= deepest  # the boxes around shapes are larger than these
    pedestal = scene.covered.points[scene.covered.body < 0]
    assert pedestal[:, 2].min() == pytest.approx(scene.view.ground, abs=1e-6)
    upright = make_film(model, np.array([0.0, 1.0]), np.array([bent, aside]), np.array([0.0, 1.0]), 0.5).scene
    assert upright.view.pedestal is None
    assert upright.view.ground == pytest.approx(0.0, abs=1e-6)


def test_a_renderer_keeps_nothing_of_the_picture_before():
    """A picture of one configuration after another equals that of a new renderer."""
    model = lw.load("quadruped")
    view_of = lw.default_configuration(model)[0]
    film = make_film(model, np.array([0.0, 1.0]), np.array([view_of, view_of]), np.array([0.0, 1.0]), 0.3)
    covered, view = film.scene.covered, film.scene.view
    colors = np.where(np.isnan(covered.colors), 0.8, covered.colors)
    used = SolidRenderer(covered, view, 160, 120)
    moved = lw.integrate(model, view_of, 0.4 * np.ones(model.nv))
    first, second = (poses_along(model, q)[0] for q in (view_of, moved))
    about = second[0, :3, 3]
    before = used.image(first, used.paint(colors), about)
    after = used.image(second, used.paint(colors), about)
    new = SolidRenderer(covered, view, 160, 120)
    np.testing.assert_array_equal(after, new.image(second, new.paint(colors), about))
    assert not np.array_equal(before, after)
