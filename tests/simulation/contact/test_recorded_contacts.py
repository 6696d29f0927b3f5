"""Contacts of a motion: gaps, forces, residuals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, ModelError
from linkwright.simulation.recording.contact_history import impulse_names
from linkwright.simulation.standing_posture import held


def crouching():
    robot = lw.load("quadruped").with_ground()
    q = robot.neutral()
    q[8::3], q[9::3] = 0.7, -1.4
    return robot, lw.standing_configuration(robot, q)


@cache
def standing():
    robot, q = crouching()
    holding = held(robot, q)
    return lw.simulate(
        holding.model,
        q,
        np.zeros(robot.nv),
        2.0,
        controller=holding.controller,
        method=lw.Integrator(joint_limits=True),
    )


def ball(restitution=0.0, friction=0.5, stiffness=None, damping=0.0):
    builder = lw.Builder("ball").body("ball", 2.0, inertia=0.4 * 2.0 * 0.1**2).joint("root", "free", "world", "ball")
    contact = lw.ContactProperties(restitution=restitution, friction=friction, stiffness=stiffness, damping=damping)
    return builder.shape("ball", "sphere", radius=0.1, contact=contact).build().with_ground()


def test_forces_of_what_stands_are_its_weight_within_the_cone():
    motion = standing()
    contacts = motion.contacts
    assert contacts.names[0] == "front_left_foot on ground"
    assert len(contacts.names) == 4
    weight = lw.total_mass(motion.model) * 9.81
    np.testing.assert_allclose(contacts.forces[-1].sum(axis=0), [0.0, 0.0, weight], atol=1e-3 * weight)
    np.testing.assert_allclose(contacts.of_pairs[-1], contacts.forces[-1])  # a point each
    pressing = contacts.normal_forces
    across = np.linalg.norm(contacts.forces - pressing[..., None] * contacts.normals, axis=-1)
    assert pressing.min() >= 0.0
    assert (across <= contacts.friction * pressing + 1e-9 * weight).all()
    assert not contacts.forces[0].any()


def test_gaps_and_penetration_are_those_of_the_samples():
    motion = standing()
    contacts = motion.contacts
    feet = [f"{end}_{side}_foot" for end in ("front", "hind") for side in ("left", "right")]
    heights = np.stack([lw.pose(motion.model, motion.q, foot)[:, 2, 3] for foot in feet], axis=-1)
    np.testing.assert_allclose(contacts.gaps, heights - 0.02, atol=1e-12)
    assert contacts.penetration == max(0.0, -contacts.gaps.min())
    np.testing.assert_allclose(contacts.points[..., 2], 0.5 * contacts.gaps, atol=1e-12)


def test_the_momentum_changes_by_forces_and_gravity():
    model = ball(restitution=0.6, friction=0.0)
    q = lw.standing_configuration(model, model.neutral())
    q[2] += 0.3
    motion = lw.simulate(model, q, [0.5, 0, 0, 0, 0, 0], 1.5)
    p = lw.momentum(model, motion.q, motion.v)[:, :3]
    force = motion.contacts.forces.sum(axis=1)
    assert np.ptp(p[:, 2]) > 4.0  # it bounces
    weight = np.array([0.0, 0.0, -2.0 * 9.81])
    np.testing.assert_allclose(np.diff(p, axis=0), motion.step * (force[1:] + weight), atol=1e-9)


def test_energy_changes_by_what_contacts_do():
    """Friction stops a body that slides without rotation and dissipates all its energy; none is added."""
    builder = lw.Builder("puck")
    for name, axis, parent in (("x", (1, 0, 0), "world"), ("y", (0, 1, 0), "along_x"), ("z", (0, 0, 1), "along_y")):
        builder.body(f"along_{name}", 1.0 if name == "z" else 0.1, inertia=0.1)
        builder.joint(name, "prismatic", parent, f"along_{name}", axis=axis)
    model = (
        builder.shape("along_z", "sphere", radius=0.1, contact=lw.ContactProperties(friction=0.5)).build().with_ground()
    )
    method = lw.Integrator(solver=lw.Solver(50, 1e-6))
    motion = lw.simulate(model, [0.0, 0.0, 0.1], [1.0, 0.5, 0.0], 0.5, method=method)
    contacts = motion.contacts
    assert motion.kinetic[-1] < 1e-12
    assert contacts.work.sum() == pytest.approx(-motion.kinetic[0], abs=1e-9)
    np.testing.assert_allclose(contacts.work[1:], np.diff(motion.kinetic), atol=1e-9)
    assert contacts.energy_gained == pytest.approx(0.0, abs=1e-9)
    assert contacts.residual.max() < 1e-9
    assert contacts.penetration < 1e-9


def test_what_a_soft_contact_stores_is_not_gained():
    model = ball(stiffness=5e3, damping=10.0)
    q = lw.standing_configuration(model, model.neutral())
    q[2] += 0.05
    contacts = lw.simulate(model, q, np.zeros(6), 1.0).contacts
    assert contacts.stored.max() > 0.1
    assert contacts.penetration == pytest.approx(-contacts.gaps.min())
    assert contacts.energy_gained < 0.005 * contacts.stored.max()


def test_overlap_at_the_start_is_reported_and_its_lift_is_energy_gained():
    model = ball()
    q = lw.standing_configuration(model, model.neutral())
    q[2] -= 0.01
    contacts = lw.simulate(model, q, np.zeros(6), 0.5).contacts
    assert contacts.penetration == pytest.approx(0.01)
    assert contacts.energy_gained == pytest.approx(2.0 * 9.81 * 0.01, rel=1e-2)


def test_smooth_contact_has_forces_too():
    model = ball()
    q = lw.standing_configuration(model, model.neutral())
    motion = lw.simulate(model, q, [0.3, 0, 0, 0, 0, 0], 2.0, method="dopri5", step=1e-2)
    force = motion.contacts.forces[-1, 0]
    assert force[2] == pytest.approx(2.0 * 9.81, rel=1e-4)
    assert motion.contacts.penetration == pytest.approx(1e-3, rel=0.1)


def test_batches_and_every_few_steps():
    robot, q = crouching()
    starts = np.stack([q, q + 0.1 * np.eye(robot.nq)[2]])
    every = lw.simulate(robot, starts, np.zeros((2, robot.nv)), 0.2)
    fifth = lw.simulate(robot, starts, np.zeros((2, robot.nv)), 0.2, every=5)
    assert every.contacts.forces.shape == (201, 2, 4, 3)
    assert fifth.contacts.forces.shape == (41, 2, 4, 3)
    np.testing.assert_allclose(fifth.contacts.forces, every.contacts.forces[::5], atol=1e-6)
    np.testing.assert_allclose(every[1].contacts.forces, every.contacts.forces[:, 1], atol=1e-9)
    with pytest.raises(InputError, match="every=1"):
        fifth.contacts.work  # noqa: B018


def test_what_touches_nothing_has_no_contacts():
    contacts = lw.simulate(lw.load("pendulum"), [1.0], [0.0], 0.1).contacts
    assert contacts.names == ()
    assert contacts.forces.shape == (101, 0, 3)
    assert contacts.penetration == 0.0
    assert contacts.energy_gained == 0.0


def test_limits_tell_their_efforts():
    builder = lw.Builder("stop").body("bar", 1.0, (1.0, 0, 0), 0.1)
    model = builder.joint("hinge", "revolute", "world", "bar", axis=(0, 1, 0), limits=(-1.0, 0.2)).build()
    motion = lw.simulate(model, [0.0], [0.0], 2.0, method=lw.Integrator(joint_limits=True))
    assert motion.q.max() < 0.2 + 1e-3
    np.testing.assert_allclose(motion.limit_efforts[-1], lw.gravity_forces(model, motion.q[-1]), rtol=1e-6)
    assert not motion.limit_efforts[:50].any()
    assert impulse_names(model, motion.constraints) == ["limit of hinge"]


def test_saved_motions_have_contacts_with_names(tmp_path):
    motion = standing()
    with np.load(motion.save(tmp_path / "motion.npz")) as saved:
        np.testing.assert_array_equal(saved["impulses"], motion.impulses)
        assert len(saved["impulse_names"]) == motion.impulses.shape[-1]
        assert list(saved["contact_names"]) == list(motion.contacts.names)
        np.testing.assert_array_equal(saved["contact_forces"], motion.contacts.forces)
    table = motion.save(tmp_path / "motion.csv")
    header = table.open(encoding="utf-8").readline().strip().split(",")
    values = np.loadtxt(table, delimiter=",", skiprows=1)
    at = header.index("force:front_left_foot on ground:fz")
    np.testing.assert_array_equal(values[:, at], motion.contacts.of_pairs[:, 0, 2])
    assert "impulse:front_left_foot on ground normal" in header
    assert "impulse:limit of front_left_knee" in header


def test_stand_puts_a_posture_on_what_is_beneath():
    robot, q = crouching()
    assert lw.simulate(robot, q, np.zeros(robot.nv), 0.01).contacts.gaps[0].min() == pytest.approx(0.0, abs=1e-12)
    lifted = q + 0.7 * np.eye(robot.nq)[2]
    np.testing.assert_allclose(lw.standing_configuration(robot, lifted), q, atol=1e-12)
    slope = lw.load("quadruped").with_ground(height=0.3, normal=(0.3, 0.0, 1.0))
    tilted = lw.standing_configuration(slope, np.stack([q, q + 5.0 * np.eye(robot.nq)[2]]))
    np.testing.assert_allclose(tilted[0], tilted[1], atol=1e-9)
    gaps = lw.simulate(slope, tilted[0], np.zeros(robot.nv), 0.01).contacts.gaps[0]
    assert gaps.min() == pytest.approx(0.0, abs=1e-9)
    assert gaps.max() > 0.05
    x = np.linspace(-2.0, 2.0, 9)
    hills = lw.load("quadruped").with_ground(heights=0.2 * np.sin(x)[None, :] * np.cos(x)[:, None], size=(4.0, 4.0))
    q = lw.standing_configuration(hills, q)
    gaps = lw.simulate(hills, q, np.zeros(robot.nv), 0.01).contacts.gaps[0]
    assert gaps.min() == pytest.approx(0.0, abs=1e-9)


def test_stand_of_a_robot_without_a_ground_and_of_what_cannot():
    q = crouching()[1]
    np.testing.assert_allclose(lw.standing_configuration(lw.load("quadruped"), q), q, atol=1e-12)
    with pytest.raises(ModelError, match="free"):
        lw.standing_configuration(lw.load("arm7"), np.zeros(7))
    with pytest.raises(ModelError, match="touches"):
        lw.standing_configuration(lw.load("chain3d:3"), lw.load("chain3d:3").neutral())


def dropped(method, **own):
    builder = lw.Builder("ball").body("ball", 1.0, inertia=0.004)
    builder.joint("up", "prismatic", "world", "ball", axis=(0, 0, 1)).shape(
        "ball", "sphere", radius=0.1, contact=lw.ContactProperties(**own)
    )
    return lw.simulate(builder.build().with_ground(), [0.5], [0.0], 0.8, step=1e-4, method=method)


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_energy_includes_what_soft_contact_stores_under_every_method(method):
    """A ball on a spring without a damper: gravity and the spring only exchange energy.

    Semi-implicit steps take h²ω² of it in each step of contact, 1 % in all at h = 0.1 ms and ω = 32 rad/s.
    """
    motion = dropped(method, stiffness=1e3)
    assert motion.contacts.stored.max() > 4.0
    assert np.abs(motion.energy - motion.energy[0]).max() < 0.015 * motion.energy[0]
    assert motion.contacts.energy_gained == pytest.approx(0.0, abs=1e-9)


def test_stand_on_a_ground_without_pairs_says_what_is_missing():
    """So is a robot whose meshes are not read: it has a ground, and nothing that touches it."""
    model = replace(ball(), pairs=())
    with pytest.raises(ModelError, match=r"cannot be put on its ground, .*: no shape of it is paired with it"):
        lw.standing_configuration(model, model.neutral())
