"""Messages and state of the studio: joint limits, a closed page, the first picture of the curves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.hand import Hand
from linkwright.browser.live.live import Live
from linkwright.browser.live.panel import LivePanel
from linkwright.browser.live.plots import Plots
from linkwright.browser.live.simulation_tab import narrow
from linkwright.browser.posture import Posture, beyond_limits
from linkwright.browser.recorded.export import Saving
from linkwright.browser.recorded.page import page_of
from linkwright.browser.serving import number_of_this_machine
from linkwright.browser.sliders import Sliders
from linkwright.browser.view.scene import BrowserScene
from linkwright.browser.view.solids import solids_of, touching_solids
from linkwright.errors import InputError, UnknownNameError
from linkwright.simulation.ground import on_ground


class Client:
    """A page that was closed while it was asked for a picture."""

    client_id = 7

    def get_render(self, **_):
        raise RuntimeError("Render request failed: the client disconnected before returning a frame.")


@pytest.fixture
def viser():
    return pytest.importorskip("viser", reason="the extra studio is not installed")


@pytest.fixture
def ball():
    made = lw.Builder("ball").body("ball", mass=1.0, inertia=0.01).joint("free", "free", "world", "ball")
    return made.shape("ball", "sphere", radius=0.1).build().with_ground(-0.5)


def saving(server, shown):
    model = lw.load("two_link")
    motion = lw.simulate(model, [0.5, 0.8], [0.0, 0.0], 0.1)
    return Saving(server, BrowserScene(server, model), lambda: motion, shown.append, lambda: None)


@pytest.mark.parametrize("kind", ["GIF", "PNG"])
def test_a_page_that_is_closed_while_it_is_written_ends_it_quietly(server, kind):
    messages = []
    made = saving(server, messages)
    made._clicked(SimpleNamespace(client=Client(), target=SimpleNamespace(value=kind)))
    assert messages[0].startswith("Writing")
    assert messages[-1] == ""
    assert not made.busy


def test_what_fails_while_the_page_is_there_is_not_hidden(server, monkeypatch):
    made = saving(server, [])
    monkeypatch.setattr(server, "get_clients", lambda: {7: Client()})
    with pytest.raises(RuntimeError, match="Render"):
        made._clicked(SimpleNamespace(client=Client(), target=SimpleNamespace(value="PNG")))
    assert not made.busy


def resting():
    """A ball that fell on its ground, with the forces of contact."""
    made = lw.Builder("ball").body("ball", mass=1.0, inertia=0.01).joint("free", "free", "world", "ball")
    model = made.shape("ball", "sphere", radius=0.1).build().with_ground()
    start = model.neutral()
    start[2] = 0.3
    return lw.simulate(model, start, np.zeros(6), 0.4, step=2e-3)


def test_a_film_shows_the_forces_of_each_picture_and_then_what_was(server, monkeypatch):
    motion, seen, printed = resting(), [], []
    scene = BrowserScene(server, motion.model)
    scene.arrows("push", [[0, 0, 0]], [[1, 0, 0]])
    scene.arrows("contact forces", [[0, 0, 0]], [[1, 0, 0]])

    def picture(height, width):
        names = server.scene._handle_from_node_name
        seen.append((scene.q[2], {name.split("/")[-1] for name in names if name.startswith("/arrows/")}))
        return np.zeros((height, width, 3), dtype=np.uint8)

    made = Saving(server, scene, lambda: motion, printed.append, lambda: printed.append("again"))
    made.content("gif", SimpleNamespace(get_render=picture))
    in_air = [arrows for z, arrows in seen if z > 0.12]
    on_floor = [arrows for z, arrows in seen if z < 0.1005]
    assert in_air
    assert on_floor
    assert all(arrows == set() for arrows in in_air)
    assert on_floor[-1] == {"contact_forces"}
    assert printed[-1] == "again"
    assert "left. Click again to stop." in printed[-2]


def test_a_click_stops_a_film(server):
    messages = []
    made = saving(server, messages)
    button = SimpleNamespace(value="GIF")

    def picture(height, width):
        made._clicked(SimpleNamespace(client=Client(), target=button))
        return np.zeros((height, width, 3), dtype=np.uint8)

    made._clicked(SimpleNamespace(client=SimpleNamespace(get_render=picture), target=button))
    assert messages[-1] == "Stopped: no file was written."
    assert not made.busy


def test_what_has_not_moved_is_not_written_as_a_motion(server):
    with lw.studio(lw.load("two_link"), port=18990) as made, pytest.raises(InputError, match="There is no motion yet"):
        made.saving.content("gif", None)


def test_pads_of_the_built_in_robots_are_not_part_of_what_is_seen():
    model = lw.load("humanoid")
    grounded = on_ground(model, None, None, True)
    assert len(solids_of(grounded).solids) == len(solids_of(model).solids)
    assert len(touching_solids(grounded)) > len(touching_solids(model))


def test_a_picture_has_the_name_of_what_it_shows(server):
    client = SimpleNamespace(get_render=lambda height, width: np.zeros((8, 8, 3), dtype=np.uint8))
    name, content = saving(server, []).content("png", client)
    assert name == "two_link.png"
    assert content.startswith(b"\x89PNG")


def test_what_floats_is_met_on_the_floor_of_its_file(ball, server):
    assert lw.default_configuration(ball)[0][2] == pytest.approx(-0.4)
    posture = Posture(ball)
    assert posture.q[2] == pytest.approx(-0.4)
    assert Posture(ball, ball.neutral()).q[2] == 0.0
    high = lw.load("quadruped").with_ground(20.0)
    posture = Posture(high)
    knob = next(one for one in Sliders(server.gui, posture).knobs if one.place == 2 and one.turn is None)
    assert knob.low < 20.0 < posture.q[2] < knob.high


def test_what_is_beyond_its_limits_is_reported(server):
    arm = lw.load("arm7")
    q = arm.neutral()
    assert beyond_limits(arm, q) == ""
    q[1] = np.radians(900.0)
    assert beyond_limits(arm, q).startswith("Beyond the joint limits: joint2 at 900° (from -120° to 120°)")
    assert beyond_limits(arm, np.full(7, 9.0)).endswith(", and 4 more.")
    slide = lw.Builder("slide").body("cart", mass=1.0, inertia=0.1)
    slide = slide.joint("rail", "prismatic", "world", "cart", limits=(-0.5, 0.5)).build()
    assert beyond_limits(slide, np.array([1.0])).endswith("rail at 1 m (from -0.5 to 0.5 m).")


def test_the_page_tells_what_is_beyond_and_leaves_other_words(viser):
    with lw.studio(lw.load("arm7"), port=18970) as made:
        made.show_message("my own words")
        made.show(np.zeros(7))
        assert "my own words" in made._status.content
        made.show([9.0] * 7)
        assert "Beyond the joint limits" in made._status.content
        made.show(np.zeros(7))
        assert made._status.content == ""
        with pytest.raises(InputError, match="point 0 is not finite"):
            made.scene.arrows("a", [[0, 0, np.nan]], [[0, 0, 1]])
        with pytest.raises(InputError, match="vector 0 is not finite"):
            made.scene.arrows("a", [[0, 0, 0]], [[0, np.inf, 1]])
        made._simulated()
        assert made._hand_note.visible
        assert not made.hand.visible
        made._hand_seen.value = True
        made._see_hand()
        assert not made._hand_note.visible
        assert made.hand.visible


def test_an_unknown_page_says_how_a_robot_is_shown(viser):
    with pytest.raises(UnknownNameError, match=r"to show a robot, call lw.studio\(lw.load\(\"arm7\"\)\)"):
        lw.studio("nosuch")


def test_curves_of_a_motion_show_all_of_it_from_the_first(viser):
    model = lw.load("two_link")
    motion = lw.simulate(model, [0.5, 0.8], [0.0, 0.0], 2.0)
    with lw.studio(motion, port=18970) as made:
        t, first, *_, line = made.player.curves.joints.data
        assert (t[0], t[-1]) == (0.0, 2.0)
        assert first[-1] == pytest.approx(motion.q[-1, 0])
        assert np.flatnonzero(np.isfinite(line)).tolist() == [1, 2]
        np.testing.assert_array_equal(t[1:3], 0.0)
        made.player.seek(1.5)
        made.player.curves.update(made.player.samples, 1.5)
        t, first, *_, line = made.player.curves.joints.data
        there = np.isfinite(line)
        np.testing.assert_allclose(t[there], 1.5)
        np.testing.assert_allclose(first[there], motion.q[1500, 0], atol=1e-4)
        assert (np.diff(t) >= 0.0).all()


def test_curves_of_what_does_not_move_yet_show_where_it_is(server):
    live = Live(lw.load("two_link"), [0.5, 0.8])
    panel = LivePanel(server, BrowserScene(server, live.shown, live.q), live)
    curves = panel.add_curves()
    t, first, second = curves.joints.data
    assert (t[0], t[-1]) == (0.0, 1.0)
    assert (first[0], second[0]) == (0.5, 0.8)
    assert curves.energies.data[3][0] == pytest.approx(sum(live.measured()))
    low, high = curves.efforts.scales["y"]["range"]  # nothing holds it: a line at zero
    assert (low, high) == (-1.0, 1.0)
    live.take(300)
    curves.update(list(live.history))
    assert "y" not in curves.joints.scales
    assert curves.joints._impl.props.title == "Positions, rad"


def test_an_axis_of_values_does_not_change_at_once_with_the_times(server):
    """The page would show a part of the times ever after."""
    live = Live(lw.load("two_link"), [0.5, 0.5])
    panel = LivePanel(server, BrowserScene(server, live.shown, live.q), live)
    curves = panel.add_curves()
    live.take(3000)
    assert not curves.update(list(live.history))
    assert curves.joints.data[0][-1] == 1.0
    assert "y" not in curves.joints.scales
    assert curves.update(list(live.history))
    assert curves.joints.data[0][-1] == pytest.approx(3.0)
    live.take(1000)
    panel._draw()
    assert panel._drawn_to == 4.0


def test_titles_tell_the_units_that_there_are(server):
    assert Plots(server, lw.load("stewart")).efforts._impl.props.title.endswith("N m and N")


def test_it_pauses_when_the_last_page_is_closed(server, monkeypatch):
    live = Live(lw.load("two_link"), [0.5, 0.8])
    panel = LivePanel(server, BrowserScene(server, live.shown, live.q), live)
    panel.clock.playing = True
    monkeypatch.setattr(server, "get_clients", lambda: {1: None, 7: None})
    panel._left(Client())
    assert panel.clock.playing
    monkeypatch.setattr(server, "get_clients", lambda: {7: None})
    panel._left(Client())
    assert not panel.clock.playing


def test_of_a_picture_one_sample_is_remembered():
    live = Live(lw.load("pendulum"))
    live.take(20)
    for _ in range(5):
        live.take(4)
    live.thin(0.02)
    np.testing.assert_allclose([one.t for one in live.history], [0.0, 0.02, 0.04])


def test_a_page_that_is_slower_says_so(viser):
    model = lw.load("pendulum")
    motion = lw.simulate(model, [0.5], [0.0], 0.1)
    slow = page_of(motion, speed=0.5)
    assert slow.count("0.5 × real time") == 2
    assert "× real time" not in page_of(motion)


@pytest.mark.parametrize(
    ("name", "q", "seen"),
    [
        ("arm7", [0.81, -0.96, -2.72, -2.03, 1.86, 1.73, 0.65], False),
        ("arm7", [0.07, 1.89, -2.11, 1.88, -1.12, -0.32, 2.0], True),
        ("puma560", [-0.2, 0.3, -0.4, 0.5, -0.6, 0.7], True),
    ],
)
def test_ghosts_that_have_the_outline_of_the_robot_are_reported(server, name, q, seen):
    model = lw.load(name)
    posture = Posture(model)
    hand = Hand(BrowserScene(server, model, posture.q), posture)
    posture.listen(hand.scene.show)
    posture.move(q)
    result = hand.set_branches(True)
    assert len(hand._branches) > 0
    assert result.endswith("the outline is nearly the same.") != seen


def test_one_steps_back_where_the_picture_is_narrow():
    assert narrow(1200, 700) == 1.0
    assert narrow(400, 700) == pytest.approx(1.4)
    assert narrow(-50, 700) == 2.0


def test_the_number_of_this_machine_is_an_address():
    number = number_of_this_machine()
    assert number == "" or number.count(".") == 3
