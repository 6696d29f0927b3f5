"""The tutorial's programs as pages, without a browser: what they compute, and what they tell."""

from __future__ import annotations

import time

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.view.equation_view import typeset
from linkwright.errors import ArgumentError, MissingExtraError, UnknownNameError
from linkwright_gallery.studio_pages.double_pendulum import Wrong
from linkwright_gallery.studio_pages.statics import Statics
from linkwright_gallery.studio_pages.tutorial_arm import forward, inverse, lengths_of, nearest, wrapped

ARM = lw.load("arm4")
LENGTHS = lengths_of(ARM)


@pytest.fixture
def opened():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    pages = []

    def made(name):
        pages.append(lw.studio(name, port=18500))
        return pages[-1]

    yield made
    for page in pages:
        page.stop()


def test_the_published_posture_and_its_other_elbow():
    q = np.array([0.4, 0.6, -0.8, 0.3])
    place = forward(LENGTHS, q)
    np.testing.assert_allclose(place, [0.924465, 0.390857, 0.522820, 0.1], atol=1e-6)
    found = {one.elbow: one.q for one in inverse(LENGTHS, *place).answers if not one.backwards}
    np.testing.assert_allclose(found["up"], q, atol=1e-12)
    np.testing.assert_allclose(found["down"], [0.4, -0.106115, 0.8, -0.593885], atol=1e-6)


def test_every_posture_is_found_again_and_elbows_are_where_they_are_said_to_be():
    for q in np.random.default_rng(3).uniform(-np.pi, np.pi, (200, 4)):
        place = forward(LENGTHS, q)
        np.testing.assert_allclose(place[:3], lw.pose(ARM, q, "tool")[:3, 3], atol=1e-12)
        answers = inverse(LENGTHS, *place).answers
        assert min(np.abs(wrapped(one.q - q)).max() for one in answers) < 1e-6
        for one in answers:
            np.testing.assert_allclose(lw.pose(ARM, one.q, "tool")[:3, 3], place[:3], atol=1e-9)
            assert np.isclose(np.exp(1j * one.q[1:].sum()), np.exp(1j * place[3]), atol=1e-9)
            shoulder, elbow, wrist = (lw.pose(ARM, one.q, frame)[:3, 3] for frame in ("link2", "link3", "link4"))
            out = np.array([np.cos(one.q[0]), np.sin(one.q[0])])
            share = (elbow[:2] @ out) / (wrist[:2] @ out)
            above = elbow[2] - (shoulder[2] + share * (wrist[2] - shoulder[2]))
            assert (above > 0.0) == (one.elbow == "up")


def test_out_of_reach_straight_and_on_the_axis():
    beyond = inverse(LENGTHS, 1.2, 0.0, 0.3, 0.0)
    assert not beyond.answers
    assert beyond.beyond == pytest.approx(1.2 - 1.1)
    thin = LENGTHS._replace(fore=0.5 * LENGTHS.upper)
    near = inverse(thin, 0.0, 0.0, LENGTHS.column + LENGTHS.hand, np.pi / 2)  # the wrist at the shoulder itself
    assert not near.answers
    assert near.beyond == pytest.approx(-0.5 * LENGTHS.upper)
    straight = inverse(LENGTHS, 1.1, 0.0, 0.3, 0.0).answers
    assert [one.elbow for one in straight if not one.backwards] == ["straight"]
    on_axis = inverse(LENGTHS, 0.0, 0.0, 0.8, 0.3, yaw=1.2)
    assert on_axis.free
    assert {one.q[0] for one in on_axis.answers} == {1.2}


def test_the_nearest_is_the_least_sum_of_turns():
    place = forward(LENGTHS, np.array([0.4, 0.6, -0.8, 0.3]))
    found = inverse(LENGTHS, *place).answers
    for one in found:
        assert nearest(found, one.q + 0.01) is one
        assert nearest(found, one.q + 2.0 * np.pi) is one


def test_the_arm_follows_its_hand_and_the_hand_its_joints(opened):
    page = opened("forward-kinematics")
    page.move_joints(np.array([0.4, 0.6, -0.8, 0.3]))
    assert [slider.value for slider in page.place] == pytest.approx([0.924, 0.391, 0.523, 5.7], abs=1e-9)
    assert "Elbow up" in page.state.content
    assert page.ghost.visible
    np.testing.assert_allclose(page.ghost.poses[3], lw.pose(ARM, [0.4, -0.106115, 0.8, -0.593885], "link4"), atol=1e-5)
    page.elbow.value = "down"
    page.move_hand(0.9, 0.3, 0.5, 0.1)
    np.testing.assert_allclose(forward(LENGTHS, page.q), [0.9, 0.3, 0.5, 0.1], atol=1e-12)
    assert "Elbow down" in page.state.content
    before = page.q
    page.move_hand(1.0, 0.9, 0.5, 0.1)
    assert "Out of reach" in page.state.content
    assert not page.ghost.visible
    np.testing.assert_array_equal(page.q, before)
    page.move_hand(0.0, 0.0, 0.8, 0.3)
    assert "any θ₁" in page.state.content


def test_statics_tells_the_efforts_of_a_force(opened):
    page = opened("statics")
    q, force = np.array([0.3, 0.4]), np.array([1.5, -2.0])
    tau = page.set(q, force)
    np.testing.assert_allclose(tau, lw.jacobian(page.model, q, "tip")[:2].T @ force, atol=1e-12)
    for k in range(2):
        assert f"Tau{k + 1}" in page.numbers.content
        assert f"{tau[k]:.3f}".replace("-", "−") in page.numbers.content
    arrow = page.scene._named["force at the tip"].points[0]
    np.testing.assert_allclose(arrow[0], lw.pose(page.model, q, "tip")[:3, 3], atol=1e-6)
    assert np.cross(arrow[1] - arrow[0], [*force, 0.0]) == pytest.approx(np.zeros(3), abs=1e-6)
    assert "Singular" not in page.state.content
    page.set([0.3, np.pi], force)
    assert "Singular" in page.state.content


def test_the_double_pendulum_moves_and_the_printed_program_goes_elsewhere(opened):
    page = opened("double-pendulum")
    page.live.take(1000)
    np.testing.assert_allclose(page.live.q, [-2.304586, -0.956472], atol=1e-6)
    np.testing.assert_allclose(page.live.v, [-5.947749, 7.263340], atol=1e-6)
    assert sum(page.live.measured()) == pytest.approx(11.593524, abs=1e-6)
    wrong = Wrong(page.model, np.radians([30.0, 30.0]))
    np.testing.assert_allclose(wrong.acceleration(wrong.x[:2], wrong.x[2:]), [-18.6428, 6.7312], atol=1e-4)
    np.testing.assert_allclose(wrong.at(1.0), [-8.2278, 5.1471], atol=2e-4)
    page.start_at(np.radians([90.0, 0.0]))
    assert page.live.t == 0.0
    page.panel.play()
    end = time.monotonic() + 30.0
    while page.live.t < 0.2 and time.monotonic() < end:
        time.sleep(0.02)
    page.panel.pause()
    assert page.live.t >= 0.2
    assert "math" in page.equations.content


@pytest.mark.parametrize("name", ["two_link", "pendulum", "planar:3", "arm4", "puma560", "arm7"])
def test_terms_of_equations_add_up_to_the_numbers(name):
    model = lw.load(name)
    made = typeset(model)
    q, v = model.random(seed=1), np.linspace(-1.0, 2.0, model.nv)
    M, g = lw.mass_matrix(model, q), lw.gravity_forces(model, q)
    h = lw.bias_forces(model, q, v) - g
    for line, sizes in zip(made.lines, made.sizes(made.values(q, v)), strict=True):
        place = tuple(int(k) - 1 for k in line.indices)
        assert sum(sizes) == pytest.approx(float({"M": M, "h": h, "g": g}[line.letter][place]), abs=1e-9)


def test_terms_follow_masses_and_gravity_and_light_up():
    model = lw.load("two_link")
    made = typeset(model)
    q, v = np.array([0.3, 0.4]), np.array([1.0, -1.0])
    heavy = model.with_gravity([0.0, -2.0, 0.0]).with_body("link2", mass=3.0, inertia=0.3)
    values = made.values(q, v, {"link2": 3.0}, 2.0)
    sizes = dict(zip(((line.letter, line.indices) for line in made.lines), made.sizes(values), strict=True))
    assert sum(sizes["g", ("1",)]) == pytest.approx(lw.gravity_forces(heavy, q)[0], abs=1e-9)
    assert sum(sizes["M", ("2", "2")]) == pytest.approx(lw.mass_matrix(heavy, q)[1, 1], abs=1e-9)
    still, moving = made.html(made.values(q, 0.0 * v)), made.html(made.values(q, v))
    pale = "rgb(176,182,190)"
    assert still.count(pale) > moving.count(pale)
    assert "<script" not in moving


def test_of_an_arm_of_seven_joints_the_gravity_terms_are_set_and_a_sentence_names_the_others():
    model = lw.load("arm7")
    made = typeset(model)
    assert made.letters == ["g"]
    page = made.html(made.values(model.random(seed=1), np.zeros(7)))
    assert "M and h of this robot are too long for the panel" in page
    assert "Inertia" not in page


def test_long_equations_are_not_set():
    assert typeset(lw.load("quadruped")) is None
    assert typeset(lw.load("humanoid")) is None
    assert typeset(lw.load("four_bar")) is None


def test_pages_are_reached_by_name(opened):
    studio = lw.studio("statics", port=18500)
    try:
        assert isinstance(studio, Statics)
    finally:
        studio.stop()
    with pytest.raises(UnknownNameError, match="double-pendulum"):
        lw.studio("nothing")
    with pytest.raises(ArgumentError, match="a Model, a Motion or a Trajectory"):
        lw.studio(3)
    with pytest.raises(ArgumentError, match="q is the initial posture"):
        lw.studio("statics", [0.0, 0.0])


def test_without_viser_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(MissingExtraError, match=r"linkwright\[studio\]"):
        lw.studio("statics")
