"""A live motion without a browser: its time, its energy, pushes, and what is changed while it runs."""

from __future__ import annotations

from time import perf_counter, sleep

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.live import live as live_module
from linkwright.browser.live.clock import Clock
from linkwright.browser.live.live import Live
from linkwright.errors import InputError, LinkwrightError, UnknownNameError


@pytest.fixture(scope="module")
def robot():
    """A quadruped on the ground, held; each test begins with it anew."""
    return Live(lw.load("quadruped"))


@pytest.fixture
def standing(robot):
    robot.set_mode("hold")
    robot.set_gravity(9.81)
    robot.set_friction(0.7)
    robot.set_gains(1.0, 1.0)
    for link, ten in robot.masses.items():
        robot.set_mass(link, ten[0])
    robot.reset()
    return robot


def test_keeps_the_energy_and_the_time_of_simulate():
    model = lw.load("two_link")
    live = Live(model, [0.5, 0.8])
    for _ in range(100):
        assert live.take(10) == 10
    motion = lw.simulate(model, [0.5, 0.8], [0.0, 0.0], 1.0)
    assert live.t == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(live.q, motion.q[-1], atol=1e-9)
    total = [one.kinetic + one.potential for one in live.history]
    assert np.ptp(total) < 1e-6 * np.ptp([one.potential for one in live.history])
    np.testing.assert_allclose(live.motion().energy, total, rtol=1e-9)


def test_a_robot_on_legs_stands_and_its_feet_bear_its_weight(standing):
    for _ in range(10):
        standing.take(100)
    height = lw.pose(standing.model, standing.q, "trunk")[2, 3]
    assert height > 0.3
    weight = 9.81 * sum(body.mass for body in standing.model.bodies)
    assert standing.touching().forces.sum(axis=0)[2] == pytest.approx(weight, rel=0.02)
    assert len(standing.touching().points) >= 4


def test_a_push_moves_what_is_pulled_to_the_mouse_and_lets_go(standing):
    standing.take(200)
    place = lw.pose(standing.model, standing.q, "trunk")[:3, 3]
    standing.grab("trunk", place)
    standing.pull(place + np.array([0.0, 0.15, 0.0]))
    at, _, force = standing.pulled()
    np.testing.assert_allclose(at, place, atol=1e-9)
    assert force[1] > 0.0
    standing.take(200)
    moved = lw.pose(standing.model, standing.q, "trunk")[:3, 3] - place
    assert moved[1] > 0.01
    standing.release()
    assert standing.pulled() is None


def test_a_push_exerts_its_force_at_its_point():
    live = Live(lw.load("two_link"), [0.3, 0.4])
    live.grab("link2", [1.6, 0.9, 0.0])
    live.pull([1.7, 1.2, 0.0], strength=2.0)
    at, _, force = live.pulled()
    place, _, _, efforts = live.pusher.acting(live.q, live.v, live.push)
    arms = [place, place - lw.pose(live.model, live.q, "link2")[:3, 3]]
    np.testing.assert_allclose(efforts, [np.cross(r, force)[2] for r in arms], rtol=1e-9)
    np.testing.assert_allclose(at, [1.6, 0.9, 0.0], atol=1e-12)


def test_nothing_is_compiled_again_when_numbers_change(standing, monkeypatch):
    standing.take(3)
    compiled = []
    import linkwright.compiler.kernel as kernel

    whole = kernel.Kernel.__init__

    def counted(self, *given, **more):
        compiled.append(1)
        whole(self, *given, **more)

    monkeypatch.setattr(kernel.Kernel, "__init__", counted)
    standing.set_gravity([0.0, 0.0, -1.62])
    standing.set_mass("trunk", 30.0)
    standing.set_friction(0.2)
    standing.set_gains(2.0, 0.5)
    standing.set_mode("free")
    standing.take(5)
    assert not compiled


def test_masses_gravity_and_friction_act_at_once(standing):
    standing.take(500)
    before = standing.touching().forces.sum(axis=0)[2]
    own = standing.mass("trunk")
    standing.set_mass("trunk", own + 5.0)
    for _ in range(15):
        standing.take(100)
    assert standing.touching().forces.sum(axis=0)[2] - before == pytest.approx(5.0 * 9.81, rel=0.05)
    standing.set_gravity(0.0)
    assert standing.measured()[1] == pytest.approx(0.0, abs=1e-9)
    standing.take(200)
    assert np.linalg.norm(standing.touching().forces.sum(axis=0)) < 0.5 * before


def test_softer_joints_sink():
    live = Live(lw.load("quadruped"))
    live.take(1000)
    high = live.q[2]
    live.set_gains(stiffness=0.4)
    live.take(1500)
    assert live.q[2] < high - 0.01


def test_joints_are_held_against_gravity_or_let_go():
    live = Live(lw.load("arm7"), np.full(7, 0.4), mode="hold")
    live.take(500)
    np.testing.assert_allclose(live.q, 0.4, atol=1e-6)
    live.set_mode("free")
    live.take(300)
    assert np.abs(live.q - 0.4).max() > 0.05


def test_goes_back_and_on_from_there():
    live = Live(lw.load("two_link"), [0.5, 0.8])
    for _ in range(50):
        live.take(10)
    there = live.sample_at(0.2)
    assert there.t == pytest.approx(0.2)
    end = live.q
    live.go_back(0.2)
    assert live.now.t == pytest.approx(0.2)
    np.testing.assert_array_equal(live.q, there.q)
    live.take(300)
    np.testing.assert_allclose(live.q, end, atol=1e-9)
    live.reset()
    assert live.t == 0.0
    assert len(live.history) == 1


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(live_module, "KEPT", 50)
    live = Live(lw.load("pendulum"))
    for _ in range(80):
        live.take(1)
    assert len(live.history) == 50


def test_the_clock_is_never_fast_and_says_when_it_is_slow():
    live = Live(lw.load("two_link"), [0.5, 0.8])
    live.prepare()
    pictures = []
    clock = Clock(live, lambda moved: pictures.append(moved))
    clock.start()
    try:
        clock.speed = 0.5
        began = perf_counter()
        clock.play()
        sleep(0.8)
        clock.pause()
        took = perf_counter() - began
        assert 0.02 < live.t <= 0.5 * took + 0.03
        assert any(pictures)
        t = live.t
        sleep(0.1)
        assert live.t - t < 0.05
        whole = live.take
        live.take = lambda n: (sleep(n * live.step * 4.0), whole(n))[1]
        clock.speed = 1.0
        clock.play()
        sleep(1.2)
        assert clock.slower
        assert clock.ratio < 0.5
    finally:
        clock.stop()


def test_the_clock_tells_what_went_wrong():
    live = Live(lw.load("pendulum"))
    errors = []

    def broken(moved):
        if moved:
            raise InputError("broken")

    clock = Clock(live, broken, errors.append)
    clock.start()
    clock.play()
    for _ in range(100):
        if errors:
            break
        sleep(0.02)
    clock.stop()
    assert str(errors[0]) == "broken"
    assert not clock.playing


def test_a_motion_that_runs_away_is_stopped_before_it_is_no_number():
    live = Live(lw.load("two_link"), [0.5, 0.8])
    live.grab("link2", [1.0, 1.0, 0.0])
    live.pull([1e7, 0.0, 0.0], strength=1e6)
    live.take(200)
    assert live.lost
    assert np.isfinite(live.q).all()
    assert live.take(5) == 0
    live.reset()
    assert live.take(5) == 5


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda live: live.set_gravity([0, 1]), InputError, "three finite numbers"),
        (lambda live: live.set_gravity(np.nan), InputError, "finite"),
        (lambda live: live.set_mass("trunk", 0.0), InputError, "positive"),
        (lambda live: live.set_mass("nose", 1.0), UnknownNameError, "nose"),
        (lambda live: live.set_friction(-1.0), InputError, "a number from 0 on"),
        (lambda live: live.set_gains(stiffness=np.inf), InputError, "stiffness"),
        (lambda live: live.set_mode("dance"), InputError, "'bend'"),
        (lambda live: live.grab("nose", [0, 0, 0]), UnknownNameError, "nose"),
        (lambda live: live.grab("trunk", [0, 0]), InputError, "three"),
        (lambda live: live.pull([0, 0, 0]), InputError, "grab"),
        (lambda live: live.place(np.zeros(3)), LinkwrightError, "q"),
    ],
)
def test_what_is_wrong_is_reported(standing, wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(standing)
