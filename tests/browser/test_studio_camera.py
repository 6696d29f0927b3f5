"""Where one looks from: views of the whole robot, and the camera that goes along with it; without a browser."""

from __future__ import annotations

import time
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.view.camera import LEASH, TURNING, VIEWS


class Page:
    """A browser's camera as the server knows it."""

    client_id = 5

    def __init__(self, width=800, height=500):
        self.camera = SimpleNamespace(
            position=np.array([3.0, 1.0, 1.0]),
            look_at=np.zeros(3),
            up_direction=np.array([0.0, 0.0, 1.0]),
            fov=np.radians(40.0),
            image_width=width,
            image_height=height,
        )
        self.atomic = nullcontext

    @property
    def away(self):
        return np.asarray(self.camera.position) - np.asarray(self.camera.look_at)

    def seen(self, points):
        """(n, 2): where points (n, 3) are in the picture, whose edges are at ±1."""
        near = self.away / np.linalg.norm(self.away)
        right = np.cross(self.camera.up_direction, near)
        right /= np.linalg.norm(right)
        rows = (points - self.camera.position) @ np.stack([right, np.cross(near, right), -near]).T
        high = np.tan(0.5 * self.camera.fov)
        return rows[:, :2] / rows[:, 2:] / np.array([high * self.camera.image_width / self.camera.image_height, high])


@pytest.fixture
def shown():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    made = []

    def opened(name, page=None):
        one = lw.studio(lw.load(name), port=18995)
        made.append(one)
        if page is not None:
            one.server.get_clients = lambda: {page.client_id: page}
        return one

    yield opened
    for one in made:
        one.stop()


@pytest.mark.variants("view")
@pytest.mark.parametrize("name", ["humanoid", "two_link", "arm7"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("width", "height"), [(900, 500), (300, 600)])
def test_every_view_has_all_of_the_robot_and_its_gizmo_and_little_more(shown, name, view, width, height):
    page = Page(width, height)
    made = shown(name)
    made.camera.look(page, view)
    seen = page.seen(np.concatenate([made.camera._points(), made.hand.extent()]))
    assert 0.5 < np.abs(seen).max() < 0.95
    assert np.isfinite(page.camera.position).all()


def test_views_are_from_where_they_say(shown):
    page = Page()
    made = shown("humanoid")
    for view, towards in (("Front", [1, 0, 0]), ("Side", [0, -1, 0]), ("Top", [0, 0, 1])):
        made.camera.look(page, view)
        np.testing.assert_allclose(page.away / np.linalg.norm(page.away), towards, atol=2e-3)
    before = page.away / np.linalg.norm(page.away)
    made.camera.look(page, "Fit")
    np.testing.assert_allclose(page.away / np.linalg.norm(page.away), before, atol=1e-9)


def test_the_camera_goes_along_with_what_floats(shown):
    page = Page()
    made = shown("quadruped", page)
    assert made.camera.follow.value
    away, start, q = page.away, page.camera.look_at, made.q
    q[0] += 0.5 * LEASH * made.scene.size
    made.show(q)
    np.testing.assert_array_equal(page.camera.look_at, start)  # not for so little
    q[0] += 2.0
    made.show(q)
    moved = page.camera.look_at - start
    np.testing.assert_allclose(moved, [2.0 - 0.5 * LEASH * made.scene.size, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(page.away, away)
    made.camera.follow.value = False
    q[1] += 3.0
    made.show(q)
    np.testing.assert_allclose(page.camera.look_at - start, moved)


def test_what_does_not_float_is_not_followed_unless_requested(shown):
    page = Page()
    made = shown("arm7", page)
    assert not made.camera.follow.value
    start = page.camera.look_at
    made.show(np.full(7, 0.9))
    np.testing.assert_array_equal(page.camera.look_at, start)


def test_an_answer_that_comes_late_does_not_hold_the_camera_back(shown):
    """A page answers with an earlier state: later additions must not be lost."""
    page = Page()
    made = shown("quadruped", page)
    q, start = made.q, page.camera.look_at
    asked = []
    for _ in range(20):
        q[0] += 0.1
        made.show(q)
        asked.append((page.camera.position, page.camera.look_at))
        if len(asked) > 3:
            page.camera.position, page.camera.look_at = asked[-4]
    moved = asked[-1][1] - start
    np.testing.assert_allclose(moved, [2.0 - LEASH * made.scene.size, 0.0, 0.0], atol=1e-6)


def test_while_the_mouse_turns_the_picture_the_camera_waits(shown):
    page = Page()
    made = shown("quadruped", page)
    q = made.q
    q[0] += 1.0
    made.show(q)
    here = page.camera.look_at
    page.camera.position = here + np.array([0.0, 3.0, 1.0])  # turned by the mouse
    q[0] += 1.0
    made.show(q)
    np.testing.assert_array_equal(page.camera.look_at, here)
    end = time.monotonic() + 20.0 * TURNING
    while np.array_equal(page.camera.look_at, here) and time.monotonic() < end:
        time.sleep(0.02)
    np.testing.assert_allclose(page.camera.look_at - here, [1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(page.away, [0.0, 3.0, 1.0])


def test_a_page_that_is_opened_later_looks_at_the_robot(shown):
    page = Page()
    made = shown("quadruped")
    q = made.q
    q[0] += 2.0
    made.show(q)
    made.camera._joined(page)
    np.testing.assert_allclose(page.camera.position, [5.0 - LEASH * made.scene.size, 1.0, 1.0], atol=1e-6)


def test_setting_it_going_moves_the_camera_once(shown):
    page = Page()
    made = shown("humanoid", page)
    before = made.camera._middle() - page.camera.look_at
    made.simulating.begin(play=False)
    np.testing.assert_allclose(made.camera._middle() - page.camera.look_at, before, atol=0.02 * made.scene.size)


def test_keys_play_and_pause_once(shown):
    made = shown("pendulum")
    panel = made.simulating.begin(play=False)
    commands = {one.label: one for one in made.server.gui._command_handle_from_uuid.values()}
    assert commands["Play or pause"].hotkey == "space"
    assert commands["Reset"].hotkey == "backspace"
    panel._pressed()
    panel._pressed()  # the button, pressed by the same key
    assert panel.clock.playing
    time.sleep(0.4)
    panel._pressed()
    assert not panel.clock.playing
