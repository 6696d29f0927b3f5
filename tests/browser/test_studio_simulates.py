"""The tab of the studio that sets a mechanism going, and the command's pages, without a browser."""

from __future__ import annotations

import time

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.live.live import Live
from linkwright.browser.live.simulation_tab import level_of
from linkwright.browser.page import Studio
from linkwright.cli import main


def until(condition, what):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


@pytest.fixture
def studio():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    made = []

    def opened(name):
        made.append(lw.studio(lw.load(name), port=18900))
        return made[-1]

    yield opened
    for one in made:
        one.stop()


def test_it_is_set_going_and_all_that_shows_the_posture_follows(studio):
    made = studio("two_link")
    assert made.simulating.live is None  # nothing is compiled for those who only look
    made.posture.move([0.4, 0.3])
    panel = made.simulating.begin()
    live = made.simulating.live
    np.testing.assert_array_equal(live.start[0], [0.4, 0.3])
    until(lambda: live.t > 0.2, "it to move")
    assert not made.hand.visible
    panel.pause()
    time.sleep(0.2)
    until(lambda: np.allclose(made.scene.q, live.q), "the scene")
    assert "math" in made.simulating._equations.content
    made.posture.move([1.0, -0.5])  # by a slider, while it stands still
    np.testing.assert_array_equal(live.q, [1.0, -0.5])
    assert made.simulating.begin() is panel
    assert len(made.simulating.motion().t) > 1


def test_sliders_that_are_moved_while_it_is_held_tell_where_to_go(studio):
    made = studio("arm7")
    panel = made.simulating.begin()
    live = made.simulating.live
    live.set_mode("hold")
    goal = np.full(7, 0.2)
    panel.placed(goal)
    np.testing.assert_array_equal(live.posture, goal)
    until(lambda: np.abs(live.q - goal).max() < 0.05, "the joints to go there")


def test_a_robot_on_legs_is_put_on_its_ground(studio):
    made = studio("quadruped")
    made.simulating.begin(play=False)
    live = made.simulating.live
    assert live.stands
    height = level_of(live.model)
    assert height == 0.0
    np.testing.assert_allclose(made.scene.ground.position, [0.0, 0.0, height], atol=1e-9)
    live.take(300)
    made.simulating.panel._show(live.now)
    assert made.scene.poses[0][2, 3] > 0.25
    assert len(made.scene._named["contact forces"].points) >= 4


def test_a_robot_that_was_raised_is_dropped(studio):
    made = studio("quadruped")
    q = made.q
    q[2] += 1.0
    q[0] += 0.3
    made.posture.move(q)
    made.simulating.begin(play=False)
    live = made.simulating.live
    standing = lw.standing_configuration(live.model, q)
    np.testing.assert_allclose(live.q[:3] - standing[:3], [0.0, 0.0, 1.0], atol=1e-9)
    live.take(250)
    assert live.q[2] - standing[2] == pytest.approx(1.0 - 0.5 * 9.81 * 0.25**2, abs=0.01)  # it falls freely
    live.take(1500)
    assert not live.lost
    assert live.q[2] < standing[2] + 0.02


def test_a_robot_whose_legs_were_bent_stands(studio):
    made = studio("quadruped")
    q = made.q
    q[8:10] += [0.3, -0.6]
    made.posture.move(q)
    made.simulating.begin(play=False)
    live = made.simulating.live
    np.testing.assert_allclose(live.q, lw.standing_configuration(live.model, q), atol=1e-9)


def test_what_is_too_large_says_so_in_the_panel(studio, monkeypatch):
    made = studio("two_link")

    def large(*_, **__):
        raise lw.errors.TooLargeError("so many <b>bodies</b>")

    monkeypatch.setattr(Live, "prepare", large)
    assert made.simulating.begin() is None
    assert "bodies" in made.simulating.text.content
    assert "<b>" not in made.simulating.text.content
    assert not made.simulating.button.disabled


def test_closed_loops_stay_closed_while_they_are_pushed():
    live = Live(lw.load("four_bar"))
    coupler = live.model.bodies[1].name
    place = lw.pose(live.model, live.q, coupler)[:3, 3]
    live.take(100)
    live.grab(coupler, lw.pose(live.model, live.q, coupler)[:3, 3])
    live.pull(place + np.array([0.2, 0.1, 0.0]))
    live.take(300)
    assert not live.lost
    assert np.abs(lw.constraint_residual(live.model, live.q)).max() < 1e-6


def test_the_command_has_the_pages(monkeypatch, capsys):
    pytest.importorskip("viser", reason="the extra studio is not installed")
    titles = []

    def waited(self):
        titles.append(self.TITLE)
        self.stop()

    monkeypatch.setattr(Studio, "wait", waited)
    for page in ("forward-kinematics", "statics", "double-pendulum"):
        with pytest.raises(SystemExit) as done:
            main(["studio", "--page", page, "--no-browser", "--port", "18950"])
        assert not done.value.code
        assert f"{page} is at http://127.0.0.1:18950/" in capsys.readouterr().out
    assert titles == ["Forward and inverse kinematics", "Statics of a planar arm", "Double pendulum"]
    with pytest.raises(SystemExit) as done:
        main(["studio", "arm7", "--page", "statics"])
    assert done.value.code
    assert "arm7" in capsys.readouterr().err
