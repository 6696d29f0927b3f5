"""Impacts of events with friction: balls, rods and boxes against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.events import Event, Impact, touch

G, R, M = 9.81, 0.1, 2.0
TIP = 1e-10
INERTIA = 0.4 * M * R**2


def ball(**surface: Any) -> lw.Model:
    builder = lw.Builder("ball").body("ball", mass=M, inertia=INERTIA).joint("free", "free", "world", "ball")
    return builder.shape("ball", "sphere", radius=R).build().with_ground(contact=lw.ContactProperties(**surface))


def dropped(v: Any, e: float, **rough: float) -> lw.Motion:
    """A ball from 0.1 m over the ground, with the velocity v of its center."""
    model = ball(restitution=e, **rough)
    q = np.array([0.0, 0.0, R + 0.1, 1.0, 0.0, 0.0, 0.0])
    return lw.simulate(model, q, v, 0.15, 0.01, method="dopri5", events=[touch(model)])


def in_world(motion: lw.Motion, event: Any) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (6,) of the center before and after."""
    return lw.velocity(motion.model, *event.before, "ball"), lw.velocity(motion.model, *event.after, "ball")


@pytest.mark.parametrize("spin", [-60.0, -5.0, 0.0, 9.0, 80.0])
@pytest.mark.parametrize("e", [0.2, 0.8])
def test_a_spinning_ball_slides_or_rolls_off(spin: float, e: float) -> None:
    """With the slip s = v − R × ω it slides off, Δv = −μ (1 + e) v_n s/|s|, or rolls off, Δv = −2/7 s."""
    mu, v = 0.3, np.array([1.0, 0.5, 0.0, 0.3 * spin, spin, 2.0])
    motion = dropped(v, e, friction=mu)
    before, after = in_world(motion, motion.events[0])
    fast = -before[2]
    assert fast == pytest.approx(np.sqrt(2 * G * 0.1), rel=1e-2)  # as exactly as it flies
    assert after[2] == pytest.approx(e * fast, abs=1e-12)
    slip = before[:2] + np.array([-before[4], before[3]]) * R
    size = np.linalg.norm(slip)
    change = -slip / size * min(mu * (1 + e) * fast, 2 / 7 * size)
    assert np.abs(after[:2] - before[:2] - change).max() < 1e-12
    turned = M * R / INERTIA * np.array([change[1], -change[0], 0.0])
    assert np.abs(after[3:] - before[3:] - turned).max() < 1e-11
    rolls = after[:2] + np.array([-after[4], after[3]]) * R
    assert (np.abs(rolls).max() < 1e-12) == (mu * (1 + e) * fast > 2 / 7 * size)
    assert motion.events[0].lost >= -1e-12


def test_torsional_and_rolling_friction_of_an_impact() -> None:
    v = np.array([0.0, 0.0, 0.0, 0.0, 30.0, 40.0])
    rough = dict(friction=0.0, torsional_friction=2e-3, rolling_friction=1e-3)
    motion = dropped(v, 0.5, **rough)
    before, after = in_world(motion, motion.events[0])
    impulse = -1.5 * M * before[2]
    turned = impulse / INERTIA * np.array([0.0, rough["rolling_friction"], rough["torsional_friction"]])
    assert np.abs(before[3:] - after[3:] - turned).max() < 1e-11


def rod() -> lw.Model:
    """A rod of a mass of 1 and a length of 2 in the x–z plane, with a tiny sphere at its lower end."""
    builder = lw.Builder("rod")
    builder.body("x", mass=0.0).joint("x", "prismatic", "world", "x", axis=(1, 0, 0))
    builder.body("z", mass=0.0).joint("z", "prismatic", "x", "z", axis=(0, 0, 1))
    builder.body("rod", mass=1.0, inertia=1.0 / 3.0).joint("turn", "revolute", "z", "rod", axis=(0, 1, 0))
    return builder.shape("rod", "sphere", radius=TIP, xyz=(-1.0, 0.0, 0.0)).build()


def of_tip(theta: float) -> np.ndarray:
    """(2, 3): how the tip moves, along x and along z, of a rod that leans by θ from the ground: q[2] = −θ."""
    return np.array([[1.0, 0.0, -np.sin(theta)], [0.0, 1.0, np.cos(theta)]])


def landed(theta: float, v: Any, mu: float, e: float) -> tuple[np.ndarray, np.ndarray, float]:
    model = rod().with_gravity((0, 0, 0)).with_ground(contact=lw.ContactProperties(restitution=e, friction=mu))
    q = np.array([0.0, np.sin(theta) + TIP + 1e-9, -theta])
    motion = lw.simulate(model, q, v, 1e-4, 1e-5, events=[touch(model)])
    first = motion.events[0]
    assert abs(-first.before[0][2] - theta) < 1e-3
    return first.before[1], first.after[1], first.lost


@pytest.mark.parametrize("e", [0.0, 0.6])
@pytest.mark.parametrize(("theta", "mu", "vx"), [(0.7, 0.3, 3.0), (0.7, 0.3, -3.0), (0.4, 0.9, 0.2), (1.2, 0.1, 1.0)])
def test_the_tip_of_a_rod_slides_or_sticks(theta: float, mu: float, vx: float, e: float) -> None:
    before, after, lost = landed(theta, [vx, -1.0, 0.0], mu, e)
    J = of_tip(theta)
    A = J @ np.diag([1.0, 1.0, 3.0]) @ J.T
    u = J @ before
    p = np.linalg.solve(A, [-u[0], -(1 + e) * u[1]])  # it sticks
    if abs(p[0]) > mu * p[1]:  # or goes on sliding
        side = mu * np.sign(p[0])
        p = -(1 + e) * u[1] / (A[1, 1] + A[1, 0] * side) * np.array([side, 1.0])
        assert u[0] * p[0] < 0.0
        assert (u + A @ p)[0] * p[0] <= 1e-9
    gained = p @ u + 0.5 * p @ A @ p
    assert gained < 0.0
    assert after - before == pytest.approx(np.diag([1.0, 1.0, 3.0]) @ J.T @ p, abs=1e-8)
    assert lost == pytest.approx(-gained, abs=1e-8)


def test_a_rod_that_cannot_slide_stops_dead() -> None:
    """Painlevé: at tan θ = 2 and μ = 1.6 no impulse of sliding forward keeps the tip above the ground."""
    theta, mu = np.arctan(2.0), 1.6
    J = of_tip(theta)
    A = J @ np.diag([1.0, 1.0, 3.0]) @ J.T
    assert A[1, 1] - mu * abs(A[0, 1]) < 0.0
    v = [np.sign(A[0, 1]), -1e-3, 0.0]
    before, after, lost = landed(theta, v, mu, 0.0)
    assert np.abs(J @ after).max() < 1e-9
    u = J @ before
    assert lost == pytest.approx(0.5 * u @ np.linalg.solve(A, u), rel=1e-9)


def test_no_impact_with_friction_brings_energy() -> None:
    rng, found = np.random.default_rng(3), []
    for _ in range(30):
        theta, mu, e = rng.uniform(0.1, 1.4), rng.uniform(0.1, 2.0), rng.uniform(0.5, 1.0)
        v = np.array([*rng.normal(size=1) * 3, -rng.uniform(3.0, 5.0), rng.normal()])
        _, after, lost = landed(theta, v, mu, e)
        J = of_tip(theta)
        assert (J @ after)[1] > -1e-9
        found.append(lost)
    assert min(found) > -1e-12
    assert max(found) > 0.5


def test_a_box_that_falls_flat_is_thrown_back_flat() -> None:
    builder = lw.Builder("box").body("box", mass=1.0, inertia=[0.02, 0.03, 0.04]).joint("j", "free", "world", "box")
    model = (
        builder.shape("box", "box", size=(0.3, 0.2, 0.1))
        .build()
        .with_ground(contact=lw.ContactProperties(friction=0.4, restitution=0.5))
    )
    q = np.array([0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0])
    motion = lw.simulate(model, q, np.zeros(6), 0.2, 0.01, method="dopri5", events=[touch(model)])
    first = motion.events[0]
    assert first.after[1] == pytest.approx([0.0, 0.0, 0.5 * np.sqrt(2 * G * 0.1), 0.0, 0.0, 0.0], abs=1e-9)


def test_what_does_not_move_is_struck_by_nothing() -> None:
    """A gap that nothing moves beside one that closes."""

    def still(model: lw.Model, t: Any, q: Any, v: Any) -> Any:
        return 0.0 * q[0] + 0.0

    builder = lw.Builder("ball").body("ball", mass=M, inertia=0.1)
    builder.joint("up", "prismatic", "world", "ball", axis=(0, 0, 1)).shape("ball", "sphere", radius=R)
    model = builder.build().with_ground(contact=lw.ContactProperties(restitution=0.5, friction=0.0))
    events = [touch(model), Event(still, Impact(0.5), "down")]
    motion = lw.simulate(model, [R + 0.1], [0.0], 0.2, 0.01, events=events)
    assert motion.events[0].after[1][0] == pytest.approx(0.5 * np.sqrt(2 * G * 0.1), rel=1e-12)
