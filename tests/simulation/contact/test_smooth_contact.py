"""Pairs of shapes that touch by smooth forces: restitution, friction, energy, what warns."""

import warnings

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.dynamics.contact import smooth
from linkwright.errors import InputError, LinkwrightWarning

G = 9.81


def a_body(kind="sphere", mass=1.0, gravity=(0, 0, -G), **size):
    size = size or {"radius": 0.1}
    made = lw.Builder("body", gravity=gravity).body("body", mass=mass, inertia=[0.004 * mass] * 3)
    return made.joint("free", "free", "world", "body").shape("body", kind, **size).build()


def at(model, *xyz):
    q = model.neutral()
    q[:3] = xyz
    return q


@pytest.mark.parametrize("e", [0.9, 0.5, 0.2])
@pytest.mark.parametrize(("mass", "stiffness"), [(1.0, 1e5), (7.0, 1e4)])
def test_restitution_is_exact_at_a_meter_a_second(e, mass, stiffness):
    model = a_body(mass=mass, gravity=(0, 0, 0)).with_ground(
        contact=lw.ContactProperties(restitution=e, stiffness=stiffness)
    )
    v = np.array([0, 0, -1.0, 0, 0, 0])
    motion = lw.simulate(model, at(model, 0, 0, 0.11), v, 0.4, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-9))
    assert motion.v[-1, 2] == pytest.approx(e, rel=1e-5)
    assert (motion.wrenches["body"][:, 2] >= 0.0).all()


def test_an_elastic_bounce_keeps_its_energy_with_what_is_stored():
    model = a_body().with_ground(contact=lw.ContactProperties(friction=0.0, restitution=1.0, stiffness=1e5))
    motion = lw.simulate(
        model, at(model, 0, 0, 0.3), np.zeros(6), 1.0, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-10)
    )
    assert motion.drift < 1e-6
    deepest = 0.1 - motion.q[:, 2].min()
    assert deepest == pytest.approx(np.sqrt(2 * G * 0.2 / 1e5), rel=0.05)
    free = lw.simulate(model, at(model, 0, 0, 5.0), np.zeros(6), 0.1, 1e-3, method="rk4")
    assert free.wrenches["body"] == pytest.approx(0.0, abs=1e-12)


def test_a_rigid_pair_sinks_in_by_a_millimeter_and_no_more():
    model = a_body("box", size=(0.2, 0.2, 0.1)).with_ground()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lw.simulate(model, at(model, 0, 0, 0.05), np.zeros(6), 1.0, 1e-3, method="rk4")
    assert 0.05 - motion.q[-1, 2] == pytest.approx(smooth.SUNK / 4.0, rel=0.2)  # on four corners
    assert motion.wrenches["body"][-1, 2] == pytest.approx(G, rel=0.05)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_box_on_a_slope_creeps_as_the_formula_says(method):
    angle, mu = 0.4, 0.7
    down = np.array([np.sin(angle), 0.0, -np.cos(angle)]) * G
    model = a_body("box", gravity=down, size=(0.4, 0.4, 0.02)).with_ground(contact=lw.ContactProperties(friction=mu))
    options = {"tolerance": 1e-7} if method == "dopri5" else {}
    motion = lw.simulate(model, at(model, 0, 0, 0.0098), np.zeros(6), 1.5, 1e-3, **grouped(method=method, **options))
    speed = (motion.q[-1, 0] - motion.q[-200, 0]) / (motion.t[-1] - motion.t[-200])
    assert speed == pytest.approx(smooth.SLIP * np.tan(angle) / np.sqrt(mu**2 - np.tan(angle) ** 2), rel=0.02)


def test_a_puck_stops_after_the_length_of_coulomb():
    model = a_body("box", size=(0.2, 0.2, 0.02)).with_ground(contact=lw.ContactProperties(friction=0.3))
    v = np.array([2.0, 0, 0, 0, 0, 0])
    motion = lw.simulate(model, at(model, 0, 0, 0.00975), v, 1.0, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-8))
    assert motion.q[-1, 0] == pytest.approx(2.0**2 / (2 * 0.3 * G), rel=1e-4)


def test_a_ball_that_slides_begins_to_roll_at_five_sevenths():
    model = a_body().with_ground(contact=lw.ContactProperties(friction=0.3, stiffness=1e7))
    v = np.array([2.0, 0, 0, 0, 0, 0])
    motion = lw.simulate(
        model, at(model, 0, 0, 0.1 - G / 1e7), v, 0.7, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-8)
    )
    assert lw.velocity(model, motion.q[-1], motion.v[-1], "body")[0] == pytest.approx(2.0 * 5 / 7, rel=1e-4)
    when, gone = 2 * 2.0 / (7 * 0.3 * G), 12 * 4.0 / (49 * 0.3 * G)
    assert motion.q[-1, 0] == pytest.approx(gone + (0.7 - when) * 2.0 * 5 / 7, rel=1e-4)


def test_accelerations_are_those_of_the_wrenches_and_a_batch_is_its_rows():
    model = lw.load("quadruped").with_ground()
    rng = np.random.default_rng(0)
    q, v = model.neutral(), 0.01 * rng.normal(size=model.nv)
    q[2] -= 0.0005 + min(float(point.gap) for _, point in smooth.pair_points(model, q))
    wrenches = smooth.pair_wrenches(model, q, v)
    assert max(np.abs(w).max() for w in wrenches.values()) > 0.0
    both = lw.simulate(
        model, np.stack([q, q]), np.stack([v, 0.5 * v]), 0.02, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-6)
    )
    one = lw.simulate(model, q, 0.5 * v, 0.02, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-6))
    assert both.v[:, 1] == pytest.approx(one.v, abs=1e-9)
    euler = lw.simulate(model, q, v, 1e-6, 1e-6, method="euler")
    a = lw.forward_dynamics(model, q, v, lw.passive_forces(model, q, v), wrenches)
    assert (euler.v[-1] - v) / 1e-6 == pytest.approx(a, rel=1e-6, abs=1e-6)


def test_two_bodies_push_each_other_apart():
    made = lw.Builder("two", gravity=(0, 0, 0))
    for name in "ab":
        made.body(name, mass=1.0, inertia=0.004).joint(name, "free", "world", name).shape(name, "sphere", radius=0.1)
    model = made.build().with_contact()
    q = model.neutral()
    q[7] = 0.25
    v = np.zeros(12)
    v[0] = 1.0
    motion = lw.simulate(model, q, v, 0.3, 1e-3, method=lw.Integrator("dopri5", tolerance=1e-9))
    assert motion.v[-1, 0] + motion.v[-1, 6] == pytest.approx(1.0, abs=1e-9)
    assert motion.v[-1, 6] > 0.5
    assert set(motion.wrenches) == {"a", "b"}
    assert motion.wrenches["a"] == pytest.approx(-motion.wrenches["b"], abs=1e-6)


def test_turning_is_resisted_about_the_normal():
    model = a_body().with_ground(contact=lw.ContactProperties(torsional_friction=0.01))
    v = np.array([0, 0, 0, 0, 0, 5.0])
    motion = lw.simulate(model, at(model, 0, 0, 0.1 - 0.001), v, 0.1, 1e-3, method="dopri5")
    assert motion.v[-1, 5] == pytest.approx(5.0 - 0.01 * G / 0.004 * 0.1, rel=0.05)


def test_steps_that_are_too_long_are_reported():
    model = a_body().with_ground(contact=lw.ContactProperties(stiffness=1e8))
    with pytest.warns(LinkwrightWarning, match="does not follow that"):
        lw.simulate(model, at(model, 0, 0, 0.3), np.zeros(6), 0.01, 1e-3, method="rk4")
    with pytest.raises(InputError, match="variational"):
        lw.simulate(model, at(model, 0, 0, 0.3), np.zeros(6), 0.01, 1e-3, method="variational")


def test_explicit_steps_of_euler_are_warned_of_where_springs_would_swing_more_and_more():
    ball = (
        lw.Builder("ball")
        .body("ball", mass=1.0, inertia=0.004)
        .joint("free", "free", "world", "ball")
        .shape("ball", "sphere", radius=0.1)
        .build()
        .with_ground()
    )
    q = lw.standing_configuration(ball, ball.neutral())
    with pytest.warns(LinkwrightWarning, match="take one below"):
        lw.simulate(ball, q, np.zeros(6), 0.01, method="euler")
    lw.simulate(ball, q, np.zeros(6), 0.01, method="midpoint")
