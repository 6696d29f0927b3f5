"""Sliders and the dragged hand move one posture; without a browser, as its messages would."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.hand import Hand
from linkwright.browser.posture import Newest, Posture, default_frame, random, welcoming, zero
from linkwright.browser.sliders import Sliders, drivers, knobs_of, shortened
from linkwright.browser.view.scene import BrowserScene
from linkwright.errors import UnknownNameError


def slid(sliders, name, value):
    """Move a slider as the page does: set its value, then call its callbacks for a client."""
    handle = sliders.handles[name]
    handle._impl.value = value
    for callback in handle._impl.update_cb:
        callback(SimpleNamespace(client=object(), target=handle))


def dragged(hand, position, wxyz=None, phases=("start", "update", "end")):
    """Drag the gizmo as the page does."""
    loop = asyncio.new_event_loop()
    for phase in phases:
        hand.gizmo._impl.position = np.array(position, dtype=float)
        if wxyz is not None:
            hand.gizmo._impl.wxyz = np.array(wxyz, dtype=float)
        for callback in hand.gizmo._impl_aux.update_cb:
            loop.run_until_complete(callback(SimpleNamespace(phase=phase, client=object(), target=hand.gizmo)))
        hand._pool.submit(lambda: None).result()
        with hand._newest._doing:
            pass
    loop.close()


def made(server, name, **named):
    model = lw.load(name)
    posture = Posture(model)
    scene = BrowserScene(server, model, posture.q)
    posture.listen(scene.show)
    return model, posture, scene, Hand(scene, posture, **named)


def test_a_slider_moves_its_joint_in_its_unit(server):
    model = lw.load("arm7")
    posture = Posture(model)
    sliders = Sliders(server.gui, posture)
    slid(sliders, "joint2", 30.0)
    assert np.isclose(posture.q[1], np.radians(30.0))
    sliders.in_unit("radians")
    assert np.isclose(sliders.handles["joint2"].value, np.radians(30.0), atol=1e-3)
    slid(sliders, "joint4", -0.5)
    np.testing.assert_allclose(posture.q, [0, np.radians(30.0), 0, -0.5, 0, 0, 0], atol=1e-12)
    sliders.in_unit("degrees")
    assert (sliders.handles["joint2"].value, sliders.handles["joint4"].value) == (30.0, -28.6)  # no digits of rounding
    sliders.in_unit("radians")
    for knob, handle in zip(sliders.knobs, sliders.handles.values(), strict=True):
        assert 0.0 <= handle.min - model.lower[knob.place] <= handle.step
        assert 0.0 <= model.upper[knob.place] - handle.max <= handle.step


def test_sliders_follow_the_posture(server):
    model = lw.load("humanoid")
    posture = Posture(model)
    sliders = Sliders(server.gui, posture)
    q = model.random(seed=1)
    posture.move(q)
    for knob in sliders.knobs:
        shown = sliders.handles[knob.name].value
        value = np.clip(knob.read(q), knob.low, knob.high)
        assert np.isclose(shown, np.degrees(value) if knob.angle else value, atol=0.051 if knob.angle else 1e-3)


def test_a_floating_base_has_places_and_three_angles(server):
    model = lw.load("quadruped")
    posture = Posture(model)
    sliders = Sliders(server.gui, posture, unit="radians")
    root = model.joints[0].name
    names = [knob.name for knob in sliders.knobs if knob.joint == root]
    assert names == [f"{root} {what}" for what in ("x", "y", "z", "roll", "pitch", "yaw")]
    slid(sliders, f"{root} z", 0.2)
    slid(sliders, f"{root} roll", 0.3)
    slid(sliders, f"{root} yaw", -1.0)
    T = lw.pose(model, posture.q, model.bodies[0].name)
    np.testing.assert_allclose(T[:3, :3], lw.rotation.from_rpy(np.array([0.3, 0.0, -1.0])), atol=1e-12)
    assert np.isclose(T[2, 3], 0.2)
    lw.check(model, posture.q)


def test_angles_without_limits_are_wrapped(server):
    model = lw.load("pendulum")
    knob = knobs_of(model)[0]
    assert knob.endless
    assert np.isclose(knob.read(np.array([2.0 * np.pi + 0.5])), 0.5)


def test_which_joints_drive_a_mechanism_with_loops():
    four_bar, stewart = lw.load("four_bar"), lw.load("stewart")
    assert drivers(four_bar, zero(four_bar)) == ("crank",)
    slides = tuple(joint.name for joint in stewart.joints if joint.type == "prismatic")
    assert drivers(stewart, zero(stewart)) == slides


@pytest.mark.parametrize(("name", "joint", "value"), [("four_bar", "crank", 1.2), ("stewart", "slide2", 0.1)])
def test_loops_stay_closed_and_other_drivers_stay(name, joint, value, server):
    model = lw.load(name)
    posture = Posture(model)
    sliders = Sliders(server.gui, posture, unit="radians")
    before = posture.q
    slid(sliders, joint, value)
    q = posture.q
    assert np.isclose(q[model.slice(joint).q][0], value)
    assert np.abs(lw.constraint_residual(model, q)).max() < 1e-9
    for other in set(sliders.drivers) - {joint}:
        assert np.isclose(q[model.slice(other).q], before[model.slice(other).q])
    follower = next(knob for knob in sliders.knobs if knob.joint not in sliders.drivers)
    assert np.isclose(sliders.handles[follower.name].value, follower.read(q), atol=1e-3)


def test_a_crank_goes_round_without_leaving_its_assembly(server):
    model = lw.load("four_bar")
    posture = Posture(model)
    sliders = Sliders(server.gui, posture, unit="radians")
    start = posture.q
    for angle in np.linspace(0.0, 2.0 * np.pi, 25)[1:]:
        before = posture.q
        slid(sliders, "crank", float(np.arctan2(np.sin(angle), np.cos(angle))))
        way = posture.q - before
        assert np.abs(np.arctan2(np.sin(way), np.cos(way))).max() < 0.6
        assert np.abs(lw.constraint_residual(model, posture.q)).max() < 1e-9
    np.testing.assert_allclose(np.sin(posture.q), np.sin(start), atol=1e-7)


def test_where_loops_cannot_be_closed_it_stops_and_tells(server):
    model = lw.load("stewart")
    posture = Posture(model)
    messages = []
    sliders = Sliders(server.gui, posture, show_message=messages.append)
    knob = next(knob for knob in sliders.knobs if knob.joint == "slide1")
    slid(sliders, "slide1", knob.low)
    assert messages[-1] == "The loops cannot be closed beyond this value."
    assert np.abs(lw.constraint_residual(model, posture.q)).max() < 1e-9
    assert posture.q[knob.place] > knob.low
    assert np.isclose(sliders.handles["slide1"].value, posture.q[knob.place], atol=1e-3)


@pytest.mark.parametrize("name", ["arm7", "puma560", "stewart", "humanoid"])
def test_a_dragged_hand_is_where_it_was_dragged(name, server):
    model, posture, scene, hand = made(server, name)
    posture.move(zero(model) if model.loops else np.clip(0.3 + 0.0 * model.neutral(), model.lower, model.upper)
                 if name != "humanoid" else model.neutral())  # fmt: skip
    T = hand.pose(posture.q)
    step = [0.02, -0.01, 0.015 if name == "humanoid" else -0.02]
    dragged(hand, T[:3, 3] + step)
    here = hand.pose(posture.q)
    assert np.linalg.norm(here[:3, 3] - T[:3, 3] - step) < 1e-3
    assert np.abs(here[:3, :3] - T[:3, :3]).max() < 1e-3
    np.testing.assert_allclose(hand.gizmo.position, here[:3, 3], atol=1e-5)
    np.testing.assert_allclose(scene.poses, lw.pose(model, posture.q, [b.name for b in model.bodies]), atol=1e-12)
    if model.loops:
        assert np.abs(lw.constraint_residual(model, posture.q)).max() < 1e-8
    for base in hand.base:
        np.testing.assert_array_equal(posture.q[model.slice(base).q], model.neutral()[model.slice(base).q])


def test_out_of_reach_is_reported_with_the_nearest(server):
    messages = []
    _, posture, _, hand = made(server, "arm4", show_message=messages.append)
    assert hand.track == "position"
    dragged(hand, [5.0, 0.0, 0.3], phases=("start", "update"))
    here = hand.pose(posture.q)[:3, 3]
    assert np.isclose(here[0], 1.1, atol=1e-2)  # l2 + l3 + l4, stretched
    assert messages[-1] == "Out of reach. Nearest posture: 3.90 m away."
    np.testing.assert_allclose(hand.gizmo.position, [5.0, 0.0, 0.3])  # it stays with the mouse
    dragged(hand, [5.0, 0.0, 0.3], phases=("end",))
    np.testing.assert_allclose(hand.gizmo.position, hand.pose(posture.q)[:3, 3], atol=1e-4)


def test_in_a_plane_the_place_is_requested(server):
    _, posture, _, hand = made(server, "planar:7")
    assert hand.track == "position"
    place = hand.pose(posture.q)[:3, 3] + [-0.3, 0.2, 0.0]
    assert hand.reach(place) == "Target reached."
    assert np.linalg.norm(hand.pose(posture.q)[:3, 3] - place) < 1e-3


def test_a_hand_moves_with_the_sliders(server):
    model, posture, _, hand = made(server, "arm7")
    Sliders(server.gui, posture).set("joint2", 0.7)
    np.testing.assert_allclose(hand.gizmo.position, lw.pose(model, posture.q, "tool")[:3, 3], atol=1e-5)
    hand.take("link4")
    np.testing.assert_allclose(hand.gizmo.position, lw.pose(model, posture.q, "link4")[:3, 3], atol=1e-5)
    assert hand.track == "position"
    with pytest.raises(UnknownNameError, match="nowhere"):
        hand.take("nowhere")


def test_all_exact_postures_are_ghosts(server):
    model, posture, scene, hand = made(server, "puma560")
    posture.move(np.array([0.3, 0.4, -1.0, 0.5, 0.7, -0.2]))
    T = hand.pose(posture.q)
    found = hand.branches(T)
    assert len(found) > 1
    for q in found:
        np.testing.assert_allclose(hand.pose(q), T, atol=1e-6)
    assert str(len(found) - 1) in hand.set_branches(True)
    assert [ghost.visible for ghost in hand._ghosts] == [True] * (len(found) - 1)
    for ghost in hand._ghosts:
        np.testing.assert_allclose(
            ghost.poses[-1], lw.pose(model, hand._branches[hand._ghosts.index(ghost)], model.bodies[-1].name), atol=1e-9
        )
    for ghost in hand._ghosts:  # what would lie within the robot itself is not drawn
        for solid, node in ghost.solids:
            same = solid.body < 0 or np.abs(ghost.poses[solid.body] - scene.poses[solid.body]).max() < 1e-6
            assert node.visible != same
    before = posture.q
    hand.next_branch()
    assert np.abs(posture.q - before).max() > 1e-2
    np.testing.assert_allclose(hand.pose(posture.q), T, atol=1e-6)
    hand.set_branches(False)
    assert not any(ghost.visible for ghost in hand._ghosts)


def test_seven_joints_keep_their_elbow_angle(server):
    _, posture, _, hand = made(server, "arm7")
    posture.move(np.array([0.2, 0.6, -0.1, -1.0, 0.3, 0.8, 0.1]))
    T = hand.pose(posture.q)
    found = hand.branches(T)
    assert len(found) > 1
    assert min(np.abs(q - posture.q).max() for q in found) < 1e-6
    for q in found:
        np.testing.assert_allclose(hand.pose(q), T, atol=1e-6)


@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_ghosts_of_a_redundant_arm_show_its_self_motion(server):
    try:
        model = lw.load("panda")
    except lw.errors.InputError:
        pytest.skip("example-robot-data is not installed (the extra robots)")
    posture = Posture(model)
    hand = Hand(BrowserScene(server, model, posture.q), posture)
    hand.set_branches(True)
    wrists = {round(float(q[6] - posture.q[6]), 2) for q in hand._branches}
    assert wrists >= {-0.25, 0.25}
    for q in hand._branches:
        np.testing.assert_allclose(hand.pose(q), hand.pose(posture.q), atol=1e-6)


def test_hands_without_an_exact_answer_say_so(server):
    _, _, _, hand = made(server, "stewart")
    assert hand.set_branches(True).startswith("This hand has no exact inverse kinematics")
    assert hand.next_branch().startswith("This hand has no exact inverse kinematics")


def test_hands_are_found_by_their_names():
    assert default_frame(lw.load("arm7")) == "tool"
    assert "hand" in default_frame(lw.load("humanoid"))
    assert default_frame(lw.load("planar:3")) == "tip"


def test_random_postures_keep_limits_loops_and_the_base():
    generator = np.random.default_rng(1)
    for name in ("arm7", "humanoid", "four_bar", "stewart"):
        model = lw.load(name)
        stay = zero(model)
        q = random(model, generator, stay)
        assert (q >= model.lower - 1e-6).all()
        assert (q <= model.upper + 1e-6).all()
        if model.loops:
            assert np.abs(lw.constraint_residual(model, q)).max() < 1e-9
        if model.joints[0].type == "free":
            np.testing.assert_array_equal(q[:7], stay[:7])


@pytest.mark.parametrize("name", ["arm7", "arm4", "planar:3", "puma560"])
def test_an_arm_is_met_where_its_hand_can_go_every_way(name):
    model = lw.load(name)
    q = welcoming(model)
    lw.check(model, q)
    assert (q >= model.lower).all()
    assert (q <= model.upper).all()
    semi = lw.velocity_ellipsoid(model, q, default_frame(model)).semi_axes
    rank = 2 if name == "planar:3" else 3
    assert semi[rank - 1] > 0.15 * semi[0]
    stretched = lw.velocity_ellipsoid(model, zero(model), default_frame(model)).semi_axes
    assert stretched[rank - 1] < 0.15 * stretched[0] or np.array_equal(q, zero(model))


def test_others_are_met_at_zero():
    for name in ("humanoid", "stewart", "pendulum"):
        model = lw.load(name)
        np.testing.assert_array_equal(welcoming(model), zero(model))


def test_of_calls_that_come_too_fast_the_newest_is_done():
    newest, done, begun, go = Newest(), [], threading.Event(), threading.Event()

    def slow():
        begun.set()
        go.wait(5.0)
        done.append(0)

    threads = [threading.Thread(target=lambda: newest.run(slow))]
    threads[0].start()
    begun.wait(5.0)
    for k in range(1, 6):
        threads.append(threading.Thread(target=lambda k=k: newest.run(lambda: done.append(k))))
        threads[-1].start()
        while newest._count < k + 1:
            pass
    go.set()
    for thread in threads:
        thread.join()
    assert done == [0, 5]


def test_posture_tells_all_but_who_moves_it():
    posture = Posture(lw.load("two_link"))
    heard = []
    posture.listen(lambda q: heard.append(("a", q[0])), "a")
    posture.listen(lambda q: heard.append(("b", q[0])), "b")
    posture.listen(lambda q: heard.append(("all", q[0])))
    posture.move([1.0, 0.0], by="a")
    posture.move([2.0, 0.0])
    assert heard == [("b", 1.0), ("all", 1.0), ("a", 2.0), ("b", 2.0), ("all", 2.0)]


def test_long_names_keep_both_ends():
    assert shortened("a" * 32) == "a" * 32
    assert len(shortened("a" * 40 + "end")) == 32
    assert shortened("a" * 40 + "end").endswith("end")
