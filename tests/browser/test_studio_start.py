"""The first steps of the studio, progress while compiling, and the record of a simulation."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.live.live import Live
from linkwright.browser.progress import CompileProgress
from linkwright.browser.recorded.page import page_of
from linkwright.browser.view.equation_view import typeset
from linkwright.errors import InputError
from linkwright.status import CompileRate, compiling_code


def until(condition, what):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


@pytest.fixture
def arm():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    with lw.studio(lw.load("arm7"), port=18960) as made:
        yield made


def test_a_simulation_begins_without_ghosts_and_without_a_floor_that_does_not_bear(arm):
    assert "ghost" not in arm._status.content
    arm._ghosts.value = True
    result = arm.hand.set_branches(True)
    arm.show_message(result)
    assert any(ghost.visible for ghost in arm.hand._ghosts)
    arm.start_with("Simulate")
    assert not any(ghost.visible for ghost in arm.hand._ghosts)
    assert not arm._ghosts.value
    assert "posture" not in arm._status.content
    assert not arm.scene.ground.visible
    assert not arm.looks.boxes["ground"].value
    arm.start_with("Drag")
    assert not arm.simulating.panel.clock.playing
    assert arm.hand.visible


def test_a_recorded_motion_has_a_ground_only_if_it_touches_it(server):
    from linkwright.browser.recorded.motion_studio import MotionStudio

    legged, arm = lw.load("quadruped").with_ground(), lw.load("arm7")
    fall = lw.simulate(arm, np.full(7, 0.3), np.zeros(7), 0.05)
    stand = lw.simulate(legged, lw.standing_configuration(legged, legged.neutral()), np.zeros(legged.nv), 0.02)
    line = lw.trajectories.polynomial(arm, np.zeros(7), np.full(7, 0.3), 1.0)
    for what, seen in ((fall, False), (stand, True), (line, True)):
        made = MotionStudio(what, port=18970)
        assert made.scene.ground.visible == seen
        made.stop()


def test_a_push_is_short_and_the_joints_hold_before_and_after(arm):
    result = arm.start_with("Push")
    assert result is None
    live = arm.simulating.live
    assert live.mode == "hold"
    until(lambda: live.t > 0.6, "the push to end")
    arm.simulating.panel.pause()
    assert live.push is None
    pushed = [sample for sample in live.record() if sample.push is not None]
    assert 0.0 < pushed[-1].t - pushed[0].t < 0.4
    assert max(np.abs(sample.v).max() for sample in live.record()) > 0.1
    with_push = page_of(arm.simulating.playable(), fps=10.0, curves=False)
    assert len(with_push) > len(page_of(live.motion(), fps=10.0, curves=False))


def test_a_robot_on_its_ground_leaves_contact_forces_in_what_is_saved(arm):
    live = Live(lw.load("quadruped"))
    live.take(20)
    live.take(20)
    arm.simulating.live = live
    play = arm.simulating.playable()
    assert play.forces is not None
    weight = 9.81 * lw.total_mass(live.model)
    assert play.forces[1][-1, :, 2].sum() == pytest.approx(weight, rel=0.3)
    assert play.pushes is None


def test_hold_posture_holds_where_the_robot_is_within_the_effort_limits(arm):
    arm.simulating.begin(play=False)
    panel, live = arm.simulating.panel, arm.simulating.live
    live.place(np.full(7, 0.3), np.linspace(2.0, -6.0, 7))
    here = live.q.copy()
    panel.mode.value = "hold posture"
    panel._another_mode(SimpleNamespace(client=1))
    np.testing.assert_array_equal(live.posture, here)
    largest = np.zeros(7)
    for _ in range(200):
        live.take(10)
        largest = np.maximum(largest, np.abs(live.tau))
    assert (largest <= 1.05 * live.effort_limits).all()
    assert largest.max() > 1.0
    assert np.abs(live.q - here).max() < 0.02


def test_joints_at_their_limits_are_named():
    live = Live(lw.load("arm7"))
    q = np.zeros(7)
    q[1] = live.model.upper[1]
    live.place(q)
    assert live.at_limits == ["joint2"]
    assert Live(lw.load("two_link")).at_limits == []


def test_the_bar_grows_and_estimates_from_the_size_of_the_code(server, monkeypatch):
    monkeypatch.setattr(CompileRate, "rate", 4e-6)
    with CompileProgress(server.gui) as progress:
        assert progress.words.startswith("Deriving")
        seen = [progress.fraction]
        with compiling_code(3_000_000):
            seconds = float(progress.words.removeprefix("Compiling: about ").split()[0])
            for _ in range(3):
                time.sleep(0.05)
                seen.append(progress.fraction)
        seen.append(progress.fraction)
    assert seen == sorted(seen)
    assert seen[-1] < 1.0
    assert seconds == pytest.approx(4e-6 * 3e6 * 1.075, abs=1.5)
    fast = CompileRate.rate  # measured: the code took 0.15 s
    assert fast == pytest.approx(0.15 / (3e6 * 1.075), rel=0.8)


def test_a_film_has_the_part_that_is_chosen(arm):
    saving, t = arm.saving, np.linspace(0.0, 20.0, 201)
    assert saving.period(t) == (15.0, 20.0)
    saving.part.value = "all"
    assert saving.period(t) == (0.0, 20.0)
    saving.part.value = "from … to"
    assert saving.first.visible
    saving.first.value, saving.last.value = 3.0, 4.5
    assert saving.period(t) == (3.0, 4.5)
    saving.first.value = 5.0
    with pytest.raises(InputError, match="must begin before it ends"):
        saving.period(t)


def test_equations_have_a_legend_and_units():
    made = typeset(lw.load("two_link"))
    page = made.html(made.values(np.zeros(2), np.ones(2)))
    for word in ("small", "positive", "negative", "Inertia, kg m²", "Gravity, N m"):
        assert word in page


def test_all_first_steps_are_offered_and_equations_stand_below_the_curves(arm):
    steps = ("Drag", "Simulate", "Equations", "Push")
    assert tuple(arm.first_steps.options) == steps
    arm.start_with("Equations")
    assert "gravity" in arm.simulating._equations.content.lower()
    assert not arm.simulating.panel.clock.playing
    with lw.studio(lw.load("two_link"), port=18961) as made:
        assert tuple(made.first_steps.options) == steps
        made.start_with("Equations")
        assert "math" in made.simulating._equations.content
        assert not made.simulating.panel.clock.playing


def test_equations_that_are_too_long_are_refused_with_a_sentence_and_without_a_simulation(server):
    with lw.studio(lw.load("quadruped"), port=18963) as made:
        made.start_with("Equations")
        assert "linkwright equations" in made._status.content
        assert made.simulating.panel is None
    with lw.studio(lw.load("four_bar"), port=18964) as made:
        made.start_with("Equations")
        assert "closed loops" in made._status.content


def test_a_dark_page_has_a_dark_ground(arm):
    light = arm.scene.ground.cell_color
    arm.scene.set_dark(True)
    assert sum(arm.scene.ground.cell_color) < sum(light)
    arm.scene.set_dark(False)
    assert arm.scene.ground.cell_color == light


def test_a_telephone_sees_the_robot_above_the_controls():
    from linkwright.browser.view.camera import free_share

    assert free_share(1280, 720) == 1.0
    assert 0.8 < free_share(390, 844) < 0.85


def test_curves_show_all_joints_of_an_arm(server):
    from linkwright.browser.live.plots import groups_of

    ((name, (q, v)),) = groups_of(lw.load("arm7")).items()
    assert name == "joint1 … joint7"
    assert (q, v) == (list(range(7)), list(range(7)))
    groups = groups_of(lw.load("humanoid"))
    assert sorted(k for _, places in groups.values() for k in places) == list(range(lw.load("humanoid").nv))
