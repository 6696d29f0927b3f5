"""Contact against closed forms: the errors are of order one in the step; `equations_contact.md` §11e."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.impulses.impulse_solver import Solver
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step, constrained_velocity
from linkwright.spatial.arrays import maximum
from shortened import long_form

G = 9.81
H = 1e-3
CONVERGED = Solver(iterations=100_000, tolerance=1e-15)


def thing(kind: str, mass: float, inertia: Any, **shape: Any) -> lw.Model:
    """One free body of one shape, its center of mass in the middle."""
    builder = lw.Builder("thing").body("thing", mass=mass, inertia=inertia).joint("root", "free", "world", "thing")
    return builder.shape("thing", kind, **shape).build()


def ball(radius: float = 0.1, mass: float = 1.0) -> lw.Model:
    return thing("sphere", mass, 0.4 * mass * radius**2, radius=radius)


def block(x: float, y: float, z: float, mass: float = 1.0) -> lw.Model:
    inertia = mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    return thing("box", mass, inertia, size=(x, y, z))


def at(x: float, y: float, z: float, axis: Any = (0.0, 0.0, 1.0), angle: float = 0.0) -> np.ndarray:
    """The configuration of a free body."""
    n = np.asarray(axis) / np.linalg.norm(axis)
    return np.array([x, y, z, np.cos(angle / 2), *(np.sin(angle / 2) * n)])


def test_a_spinning_body_flies_straight_at_its_speed() -> None:
    model = ball().with_gravity((0.0, 0.0, 0.0)).with_ground()
    motion = lw.simulate(model, at(0, 0, 3), [1.0, 2.0, 0.5, 6.0, -9.0, 20.0], 1.0, 2e-3)
    assert np.abs(motion.q[-1, :3] - [1.0, 2.0, 3.5]).max() < 1e-12
    assert np.abs(motion.energy / motion.energy[0] - 1.0).max() < 1e-12


def test_a_puck_slides_to_rest() -> None:
    model, errors = block(0.1, 0.1, 0.02, 2.0).with_ground(contact=lw.ContactProperties(friction=0.3)), []
    for h in (H, H / 2):
        method = lw.Integrator(solver=Solver(50, 1e-6))
        motion = lw.simulate(model, at(0, 0, 0.01), [2.0, 0, 0, 0, 0, 0], 0.8, h, method=method)
        rests = motion.t[np.argmax(np.abs(motion.v[:, 0]) < 1e-5)]
        assert 0.0 <= rests - 2.0 / (0.3 * G) <= h
        assert np.abs(motion.q[-1, 1:3] - [0.0, 0.01]).max() < 1e-9
        errors.append(motion.q[-1, 0] * 2 * 0.3 * G / 4.0 - 1.0)
    assert errors == pytest.approx([-1.47e-3, -7.4e-4], rel=0.01)


def test_a_sliding_ball_begins_to_roll() -> None:
    radius, mu, v0 = 0.1, 0.2, 1.0
    model, errors = ball(radius).with_ground(contact=lw.ContactProperties(friction=mu)), []
    rolls, way = 2 * v0 / (7 * mu * G), 12 * v0**2 / (49 * mu * G)
    for h in (H, H / 2):
        motion = lw.simulate(model, at(0, 0, radius), [v0, 0, 0, 0, 0, 0], 0.5, h)
        assert (motion.q[-1, 0] - motion.q[-2, 0]) / h == pytest.approx(5 / 7 * v0, abs=1e-12)
        assert motion.v[-1, 4] == pytest.approx(5 / 7 * v0 / radius, abs=1e-9)
        errors.append(motion.q[-1, 0] / (way + 5 / 7 * v0 * (0.5 - rolls)) - 1.0)
    assert errors == pytest.approx([-3.77e-4, -1.89e-4], rel=0.02)


def test_a_ball_on_a_turntable_goes_in_a_circle() -> None:
    """At two sevenths of the table's rate, as it rolls."""
    radius, rate, circle = 0.05, 3.0, 0.44
    builder = lw.Builder("turntable").body("disc", 1.0, inertia=1e9).joint("axle", "continuous", "world", "disc")
    builder.body("ball", 1.0, inertia=0.4 * radius**2).joint("root", "free", "world", "ball")
    model = (
        builder.shape("disc", "plane")
        .shape("ball", "sphere", radius=radius, contact=lw.ContactProperties(friction=1.0))
        .build()
        .with_contact()
    )
    around, start = 2 / 7 * rate, np.array([0.3, 0.0, radius])
    v = np.array([0.0, around * circle, 0.0])
    slip = np.cross([0.0, 0.0, rate], start) - v  # what the ball's turning makes up for at the contact
    turn = np.array([slip[1], -slip[0], 0.0]) / radius
    errors = []
    for h in (H, H / 2):
        motion = lw.simulate(model, [0.0, *at(*start)], [rate, *v, *turn], 1.5, h)
        angle = around * motion.t
        x, y = start[0] - circle + circle * np.cos(angle), circle * np.sin(angle)
        errors.append(np.abs(motion.q[:, 1:3] - np.stack([x, y], axis=1)).max())
        assert np.abs(motion.q[:, 3] - radius).max() < 1e-12
    assert errors == pytest.approx([2.33e-4, 1.16e-4], rel=0.02)


def test_a_ball_bounces_to_the_heights_of_its_restitution() -> None:
    radius, e, errors = 0.1, 0.8, []
    model = ball(radius).with_ground(contact=lw.ContactProperties(restitution=e))
    for h in (H, H / 2):
        motion = lw.simulate(model, at(0, 0, radius + 1.0), np.zeros(6), 3.6, h)
        z = motion.q[:, 2] - radius
        tops = [k for k in range(1, len(z) - 1) if z[k - 1] < z[k] >= z[k + 1]]
        errors.append([z[k] / e ** (2 * n) - 1.0 for n, k in enumerate(tops[:6], 1)])
        assert z.min() > -1e-9
    assert np.max(np.abs(errors[0])) < 0.022
    assert np.max(np.abs(errors[1])) < 0.008


@pytest.mark.parametrize("steepness", [1.0 - 1e-6, 1.0 + 1e-6, *long_form(1.2)])
def test_a_block_on_a_slope_slides_where_it_is_steeper_than_friction(steepness: float) -> None:
    mu, duration = 0.5, 0.2
    slope = np.arctan(mu * steepness)
    normal = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    model = block(0.1, 0.1, 0.1).with_ground(normal=normal, contact=lw.ContactProperties(friction=mu))
    q0 = at(*(0.05 * normal), (0, 1, 0), -slope)
    motion = lw.simulate(model, q0, np.zeros(6), duration, H, method=lw.Integrator(solver=CONVERGED))
    rate = max(G * np.cos(slope) * (np.tan(slope) - mu), 0.0)
    begun = abs(motion.v[1, 0] + rate * H)  # what the sweeps of the first step leave
    assert begun < 1e-7
    assert motion.v[-1, 0] == pytest.approx(-duration * rate, abs=5e-8 if rate else 1e-12)
    assert np.abs(motion.v[-1, 1:]).max() < 1e-9


def cradle(balls: int, **surface: Any) -> lw.Model:
    """Equal balls in a row, that touch, on rails."""
    builder = lw.Builder("cradle", gravity=(0.0, 0.0, 0.0))
    for k in range(balls):
        builder.body(f"ball{k}", 1.0, inertia=1e-2).shape(
            f"ball{k}", "sphere", radius=0.1, contact=lw.ContactProperties(restitution=1.0, **surface)
        )
        builder.joint(f"rail{k}", "prismatic", "world", f"ball{k}", axis=(1, 0, 0), xyz=(0.2 * k, 0, 0))
    return builder.build().with_contact()


@pytest.mark.parametrize("struck", [1, 2, 3, 4])
def test_a_cradle_in_rounds_throws_as_many_balls_as_struck_it(struck: int) -> None:
    v0 = np.repeat([1.0, 0.0], [struck, 5 - struck])
    q0 = -0.01 * v0
    motion = lw.simulate(
        cradle(5), q0, v0, 0.05, H, method=lw.Integrator(solver=Solver(50, 1e-6, impacts="sequential"))
    )
    assert np.abs(motion.v[-1] - v0[::-1]).max() < 1e-12


def test_balls_that_strike_a_cradle_from_both_sides_part_again() -> None:
    motion = lw.simulate(
        cradle(4),
        [-0.01, 0.0, 0.0, 0.02],
        [1.0, 0.0, 0.0, -2.0],
        0.05,
        H,
        method=lw.Integrator(solver=Solver(50, 1e-6, impacts="sequential")),
    )
    assert motion.v[-1] == pytest.approx([-2.0, 0.0, 0.0, 1.0], abs=1e-12)


@pytest.mark.parametrize("balls", [2, 3, 5])
def test_a_row_of_balls_struck_together_moves_together(balls: int) -> None:
    first = np.eye(balls)[0]
    motion = lw.simulate(
        cradle(balls),
        -0.01 * first,
        first,
        0.05,
        H,
        method=lw.Integrator(solver=Solver(iterations=500, tolerance=1e-12)),
    )
    assert motion.v[-1] == pytest.approx(2.0 / balls - first, abs=1e-9)


def test_rounds_are_the_same_on_numbers() -> None:
    model, messages = cradle(3), Constraints(solver=Solver(50, 1e-6, impacts="sequential"))
    v, none = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    _, v, p = constrained_step(model, none, v, none, H, np.zeros(messages.size(model)), messages)
    assert np.abs(v - [0.0, 0.0, 1.0]).max() < 1e-12
    assert sorted(p)[-2:] == pytest.approx([1.0, 1.0])


def test_impacts_of_another_name_are_refused() -> None:
    with pytest.raises(lw.errors.ArgumentError, match="'simultaneous' or 'sequential'"):
        Solver(impacts="often")  # type: ignore[arg-type]


def tilted_ellipsoid() -> lw.Model:
    return thing("ellipsoid", 1.0, np.array([0.0325, 0.05, 0.0425]) / 5.0, size=(0.4, 0.3, 0.2))


@pytest.mark.parametrize(
    ("model", "restitution", "rise"),
    [
        (block(0.2, 0.2, 0.2), 0.0, 1e-5),
        (block(0.2, 0.2, 0.2), 0.8, 1e-12),
        (block(0.3, 0.2, 0.1), 0.8, 5e-5),
        (tilted_ellipsoid(), 0.0, 1e-3),
        (tilted_ellipsoid(), 0.8, 1e-3),
    ],
    ids=["cube", "cube that bounces", "brick that bounces", "ellipsoid", "ellipsoid that bounces"],
)
def test_passive_contact_brings_no_energy(model: lw.Model, restitution: float, rise: float) -> None:
    """Impulses do no work; beside them bodies are lifted out of what they overlap by within a step, by h²."""
    grounded, messages = (
        model.with_ground(contact=lw.ContactProperties(friction=0.6, restitution=restitution)),
        Constraints(),
    )
    generator, rows = np.random.default_rng(1), 400

    def drop(model: lw.Model, q: Any, v: Any) -> tuple[Any, Any, Any]:
        def energy(q: Any, v: Any) -> Any:
            return dynamics.kinetic_energy(model, q, v) + dynamics.potential_energy(model, q)

        def one(k: Any, q: Any, v: Any, p: Any, E: Any, work: Any, rise: Any) -> tuple[Any, ...]:
            struck = constrained_velocity(model, q, v, np.zeros(6), 2e-3, p, messages)
            done = struck.work()
            q, v, p = constrained_step(model, q, v, np.zeros(6), 2e-3, p, messages)
            return q, v, p, energy(q, v), maximum(work, done), maximum(rise, energy(q, v) - E)

        nil = 0.0 * q[0]
        _, _, _, E, work, rise = lw.repeat(750, one, q, v, np.zeros(messages.size(model)) + nil, energy(q, v), nil, nil)
        return E, work, rise

    q = grounded.random(rows, 1)
    q[:, :3] = [0.0, 0.0, 0.6]
    v = generator.normal(size=(rows, 6)) * [1, 1, 1, 10, 10, 10]
    E, work, most = lw.compile(drop, grounded)(q, v)
    assert work.max() < 1e-13
    assert most.max() < rise
    assert np.all(0.9 * (lw.kinetic_energy(grounded, q, v) + lw.potential_energy(grounded, q)) > E)
