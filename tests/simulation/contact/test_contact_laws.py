"""Contact of tops, wheels, stacks and joints, against closed forms and against what is known of them."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.impulses import constraints
from linkwright.dynamics.impulses.impulse_solver import LEFT, Solver
from linkwright.dynamics.kinematics import body_poses
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step
from linkwright.spatial.arrays import minimum

G = 9.81
H = 1e-3
FINE = Solver(50, 1e-6)


def at(x: float, y: float, z: float, axis: Any = (0.0, 0.0, 1.0), angle: float = 0.0) -> np.ndarray:
    """The configuration of a free body."""
    n = np.asarray(axis) / np.linalg.norm(axis)
    return np.array([x, y, z, np.cos(angle / 2), *(np.sin(angle / 2) * n)])


def free(inertia: Any, mass: float = 1.0) -> lw.Builder:
    return lw.Builder("thing").body("thing", mass, inertia=inertia).joint("root", "free", "world", "thing")


def upright(inertia: float) -> lw.Builder:
    """A body in the x-z plane."""
    builder = lw.Builder("thing").body("thing", 1.0, inertia=inertia)
    return builder.joint("root", "planar", "world", "thing", rpy=(np.pi / 2, 0, 0))


def test_a_rimless_wheel_rolls_down_as_fast_as_its_impacts_let_it() -> None:
    spokes, slope, inertia = 8, 0.08, 0.25
    half, tip = np.pi / spokes, 1e-4
    builder = upright(inertia)
    for k in range(spokes):
        a = 2 * np.pi * k / spokes
        builder.shape("thing", "sphere", radius=tip, xyz=((1 - tip) * np.sin(a), -(1 - tip) * np.cos(a), 0))
    model = builder.build().with_ground(
        normal=(np.sin(slope), 0, np.cos(slope)), contact=lw.ContactProperties(friction=2.0)
    )
    eta = (inertia + np.cos(2 * half)) / (inertia + 1)
    steady = np.sqrt(eta**2 / (1 - eta**2) * 4 * G / (inertia + 1) * np.sin(half) * np.sin(slope))
    assert steady == pytest.approx(1.16637, abs=1e-5)
    hub = -np.array([np.sin(half - slope), -np.cos(half - slope)])  # from the foot that has just come down
    angle, rate, errors = np.arctan2(-hub[0], hub[1]), -2.0, []
    way = rate * np.array([-hub[1], hub[0]])
    c, s = np.cos(angle), np.sin(angle)
    v0 = [c * way[0] + s * way[1], c * way[1] - s * way[0], rate]
    for h in (H, H / 4):
        spin = -lw.simulate(model, [*hub, angle], v0, 14.0, h, method=lw.Integrator(solver=FINE)).v[:, 2]
        falls = np.flatnonzero(np.diff(spin) < -0.05)
        after = spin[falls[np.append(np.diff(falls) > 20, True)] + 1]
        squares = after**2 - steady**2
        assert squares[1] / squares[0] == pytest.approx(eta**2, abs=0.01)
        errors.append(after[-1] / steady - 1.0)
    assert abs(errors[0]) < 0.012
    assert abs(errors[1]) < 0.004


def test_a_rod_that_slides_as_painleves_is_stopped_by_a_finite_impulse() -> None:
    """Where no force can keep it sliding, an impulse without a collision stops it: p = A⁻¹ (v, h g)."""
    tip, angle = 1e-6, np.arctan(2.0)
    model = (
        upright(1 / 3)
        .shape("thing", "sphere", radius=tip, xyz=(-1, 0, 0))
        .build()
        .with_ground(contact=lw.ContactProperties(friction=1.6))
    )
    c, s = np.cos(angle), np.sin(angle)
    motion = lw.simulate(
        model,
        [c, s + tip, angle],
        [-c, s, 0.0],
        2 * H,
        H,
        method=lw.Integrator(solver=Solver(iterations=10_000, tolerance=1e-14)),
    )
    assert motion.impulses is not None
    normal = ((1 + 3 * s * s) * G * H + 3 * s * c) / 4
    assert normal == pytest.approx(0.308, abs=1e-3)
    assert motion.impulses[1, 0] == pytest.approx(normal, abs=1e-6)
    vx, vy, turn = motion.v[1]
    angle = motion.q[1, 2]
    foot = [vx * np.cos(angle) - (vy - turn) * np.sin(angle), vx * np.sin(angle) + (vy - turn) * np.cos(angle)]
    assert np.abs(foot).max() < 1e-3


def test_a_tippe_top_turns_over() -> None:
    radius, off, mass = 0.02, 0.003, 0.02
    inertia, tilt = 0.4 * mass * radius**2, 0.1
    model = free(inertia, mass).shape("thing", "sphere", radius=radius, xyz=(0, 0, off)).build()
    model, drifts = model.with_ground(contact=lw.ContactProperties(friction=0.3)), []
    spin = 180.0 * np.array([-np.sin(tilt), 0.0, np.cos(tilt)])
    for h in (H, H / 2):
        start = at(0, 0, radius - off * np.cos(tilt), (0, 1, 0), tilt)
        motion = lw.simulate(model, start, [0, 0, 0, *spin], 3.0, h, method=lw.Integrator(solver=FINE))
        R = lw.pose(model, motion.q, "thing")[:, :3, :3]
        up = R[:, :, 2]
        assert up[0, 2] > 0.99
        assert up[-1, 2] < -0.98
        assert np.diff(motion.energy).max() < 0.0
        L = inertia * np.einsum("kij,kj->ki", R, motion.v[:, 3:])
        jellett = np.einsum("ki,ki->k", L, off * up - [0.0, 0.0, radius])
        drifts.append(np.abs(jellett / jellett[0] - 1.0).max())
    assert drifts == pytest.approx([5.2e-5, 2.8e-5], rel=0.1)


def test_a_rattleback_turns_back_from_one_direction_only() -> None:
    """The celt of Kane & Levinson 1982."""
    inertia = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
    model = free(inertia).shape("thing", "ellipsoid", size=(0.4, 0.06, 0.04), xyz=(0, 0, 0.01)).build()
    model, ends = model.with_ground(contact=lw.ContactProperties(friction=1.0)), []
    for spin in (5.0, -5.0):
        motion = lw.simulate(model, at(0, 0, 0.01, (1, 0, 0), np.radians(0.5)), [0, 0, 0, 0, 0, spin], 8.0, H / 4)
        R = lw.pose(model, motion.q, "thing")[:, :3, :3]
        ends.append((R[-1] @ motion.v[-1, 3:])[2])
    assert 4.9 < ends[0] < 5.0
    assert ends[1] > 1.0


def test_a_spinning_ball_is_stopped_by_torsional_friction_in_its_time() -> None:
    radius, reach, spin = 0.1, 0.01, 5.0
    inertia = 0.4 * radius**2
    model = (
        free(inertia)
        .shape("thing", "sphere", radius=radius)
        .build()
        .with_ground(contact=lw.ContactProperties(torsional_friction=reach))
    )
    motion = lw.simulate(model, at(0, 0, radius), [0, 0, 0, 0, 0, spin], 0.4, H)
    stops = inertia * spin / (reach * G)
    exact = spin * np.maximum(1.0 - motion.t / stops, 0.0)
    assert np.abs(motion.v[:, 5] - exact).max() < 1e-9 + spin * H / stops
    assert np.abs(motion.v[motion.t < stops - H, 5] - exact[motion.t < stops - H]).max() < 1e-9
    assert np.abs(motion.v[motion.t > stops + H, 5]).max() < 1e-12


def test_a_rolling_ball_is_slowed_by_rolling_friction() -> None:
    """ω̇ = −reach m g/(I + m r²)."""
    radius, reach, speed = 0.1, 0.004, 1.0
    model = free(0.4 * radius**2).shape("thing", "sphere", radius=radius).build()
    model = model.with_ground(contact=lw.ContactProperties(friction=0.9, rolling_friction=reach))
    motion = lw.simulate(
        model,
        at(0, 0, radius),
        [speed, 0, 0, 0, speed / radius, 0],
        1.0,
        H,
        method=lw.Integrator(solver=Solver(200, 1e-6)),
    )
    slows = reach * G / (1.4 * radius)
    assert motion.v[-1, 4] * radius == pytest.approx(speed - slows, abs=1e-6)


def test_soft_contact_is_an_implicit_spring_and_damper() -> None:
    stiffness, damping, mass = 2000.0, 15.0, 1.0
    builder = lw.Builder("weight").body("weight", mass).joint("rail", "prismatic", "world", "weight")
    model = builder.shape("weight", "sphere", radius=0.1).build()
    model = model.with_ground(contact=lw.ContactProperties(stiffness=stiffness, damping=damping))
    motion = lw.simulate(model, [0.1 - 0.02], [0.0], 0.5, H)
    z, v = -0.02, 0.0
    for k in range(1, len(motion.t)):
        free = v - H * G
        v = (free - H * stiffness * z / mass) / (1 + H * (damping + H * stiffness) / mass)
        z += H * v
        if stiffness * z + damping * v > 0.0:  # it would pull
            break
        assert motion.v[k, 0] == pytest.approx(v, abs=1e-10)
        assert motion.q[k, 0] - 0.1 == pytest.approx(z, abs=1e-12)
    assert k > 20


def test_joints_stop_at_their_limits() -> None:
    builder = lw.Builder("slider").body("slider", 2.0)
    model = builder.joint("rail", "prismatic", "world", "slider", limits=(-0.3, 1.0)).build()
    motion = lw.simulate(model, [0.2], [1.0], 1.0, H, method=lw.Integrator(joint_limits=True))
    assert motion.q.min() >= -0.3 - 1e-9
    assert motion.q[-1, 0] == pytest.approx(-0.3, abs=1e-9)
    assert abs(motion.v[-1, 0]) < 1e-12


def test_joints_stop_with_what_follows_them() -> None:
    builder = lw.Builder("pair").body("first", 1.0, inertia=0.1).body("second", 1.0, inertia=0.1)
    builder.joint("lead", "revolute", "world", "first", axis=(0, 1, 0), limits=(-0.5, 0.5))
    builder.joint("follow", "revolute", "world", "second", axis=(0, 1, 0), limits=lw.JointLimits(lower=-0.4)).mimic(
        "follow", "lead", -2.0
    )
    motion = lw.simulate(builder.build(), [0.0], [3.0], 1.0, H, method=lw.Integrator(joint_limits=True))
    assert motion.q[-1, 0] == pytest.approx(0.2, abs=1e-9)
    assert motion.q.max() < 0.2 + 1e-9


@pytest.mark.parametrize("push", [0.999, 1.001, 3.0])
def test_dry_friction_of_a_joint_holds_below_it_and_slides_above(push: float) -> None:
    friction, mass = 4.0, 2.0
    builder = lw.Builder("slider", gravity=(0, 0, 0)).body("slider", mass)
    builder.joint("rail", "prismatic", "world", "slider", friction=friction, limits=(-9.0, 9.0))
    model = builder.build()
    motion = lw.simulate(
        model,
        [0.0],
        [0.0],
        0.5,
        H,
        controller=lambda model, t, q, v: np.array([push * 4.0]),
        method=lw.Integrator(joint_limits=True),
    )
    assert motion.v[-1, 0] == pytest.approx(0.5 * max(push - 1.0, 0.0) * friction / mass, abs=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_stacked_boxes_stay(count: int) -> None:
    builder = lw.Builder("stack")
    for k in range(count):
        builder.body(f"box{k}", 1.0, inertia=0.01 / 6).shape(f"box{k}", "box", size=(0.1, 0.1, 0.1))
        builder.joint(f"root{k}", "free", "world", f"box{k}")
    model = builder.build().with_ground()
    if count > 1:
        model = model.with_contact()
    q0 = np.concatenate([at(0, 0, 0.05 + 0.1 * k) for k in range(count)])
    motion = lw.simulate(model, q0, np.zeros(6 * count), 1.0, 2e-3)
    assert np.abs(motion.q[-1] - q0).max() < 2e-4
    assert np.abs(motion.v[-1]).max() < 2e-3


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_loops_stay_closed_while_links_knock_against_the_ground(name: str) -> None:
    model = lw.load(name)
    builder, up = lw.Builder(model), -np.asarray(model.gravity) / np.linalg.norm(model.gravity)
    for body in model.bodies:
        builder.shape(body.name, "sphere", radius=0.02, xyz=body.center_of_mass)
    q0 = lw.close_loops(model, model.neutral())
    heights = [up @ (lw.pose(model, q0, one.name) @ [*one.center_of_mass, 1.0])[:3] for one in model.bodies]
    ground = {"normal": up, "height": float((min(heights) - 0.05) / up[2])} if up[2] else {"normal": up}
    model = builder.build().with_ground(**ground)
    v0 = lw.impulse(model, q0, 3.0 * np.ones(model.nv))[0]
    motion = lw.simulate(model, q0, v0, 2.0, H)
    assert motion.impulses is not None
    assert motion.impulses.max() > 0.1
    assert motion.closure < 1e-8
    assert motion.energy.max() <= motion.energy[0] + 1e-3 * abs(motion.energy[0])


@pytest.mark.parametrize("name", ["box", "humanoid"])
def test_velocities_do_not_depend_on_how_redundant_contacts_share_the_load(name: str) -> None:
    """On four corners, and on two flat feet, where they stick: from any impulses, the velocities are the same."""
    if name == "box":
        model = free(0.01 / 6).shape("thing", "box", size=(0.1, 0.1, 0.1)).build()
        q, v = at(0, 0, 0.05 - 1e-6), np.array([0.1, 0.05, -1.0, 0.0, 0.0, 0.2])
    else:
        model = lw.load("humanoid")
        q, v = model.neutral(), 0.02 * np.random.default_rng(3).normal(size=model.nv)
        v[2] -= 0.5
        feet = [model.shapes[pair.first] for pair in model.with_ground().pairs]
        low = [(lw.pose(model, q, foot.body) @ foot.placement)[2, 3] - foot.size[2] / 2 for foot in feet]
        q = q - min(low) * np.eye(model.nq)[2]
    model = model.with_ground(contact=lw.ContactProperties(friction=0.6))
    result = Constraints(solver=Solver(4000, 1e-6))

    def velocity(model: lw.Model, q: Any, v: Any, p: Any) -> Any:
        return constrained_step(model, q, v, np.zeros(model.nv), H, p, result)[1]

    size = result.size(model)
    starts = np.abs(np.random.default_rng(1).normal(size=(8, size))) * [[0.0], *[[1.0]] * 7]
    found = lw.compile(velocity, model, p=(size,))(np.tile(q, (8, 1)), np.tile(v, (8, 1)), starts)
    assert np.abs(found - found[0]).max() < 1e-6


def test_dominoes_fall_one_after_another() -> None:
    builder, size, count = lw.Builder("dominoes"), np.array([0.02, 0.05, 0.1]), 4
    inertia = 0.1 / 12 * (size @ size - size**2)
    for k in range(count):
        builder.body(f"d{k}", 0.1, inertia=inertia).joint(f"root{k}", "free", "world", f"d{k}")
        builder.shape(f"d{k}", "box", size=size, contact=lw.ContactProperties(friction=0.4))
    model = builder.build().with_ground()
    for k in range(count - 1):
        model = model.with_contact(between=[f"d{k}", f"d{k + 1}"])
    q0 = np.concatenate([at(0.05 * k, 0, 0.05) for k in range(count)])
    v0 = np.zeros(6 * count)
    v0[4] = 4.0
    v0[0] = 4.0 * 0.05
    motion = lw.simulate(model, q0, v0, 1.0, H)
    tilts = np.arccos(np.clip([lw.pose(model, motion.q, f"d{k}")[:, 2, 2] for k in range(count)], -1, 1))
    falls = [float(motion.t[np.argmax(tilt > 0.3)]) for tilt in tilts]
    assert np.all(tilts[:, -1] > 0.3)
    assert np.all(np.diff(falls) > 0.0)
    assert np.diff(motion.energy).max() < 1e-4


def lowest(model: lw.Model, q: Any) -> Any:
    """The least gap between what touches."""
    poses = body_poses(model, q)
    return reduce(minimum, [one.gap for pair in model.pairs for one in points_between(model, pair, poses)])


def test_a_quadruped_that_falls_anyhow_stays_sound() -> None:
    """Random postures, turned anyhow, and torques: `benchmarks/contact_robust.py` tells of many more."""
    model, rows = lw.load("quadruped").with_ground(contact=lw.ContactProperties(friction=0.8)), 64
    generator = np.random.default_rng(1)
    q = model.random(rows, 1)
    q[:, :3] = 0.0
    q[:, 2] -= lw.compile(lowest, model)(q)
    v = generator.normal(size=(rows, model.nv))
    pushes = 1.7 * generator.normal(size=(rows, model.nv)) * (np.arange(model.nv) >= 6)
    law = partial(lambda model, t, q, v, push: push, push=pushes)
    motion = lw.simulate(
        model,
        q,
        v,
        1.5,
        H,
        controller=law,
        every=10,
        method=lw.Integrator(joint_limits=True),
        actuation=lw.Actuation(each=["push"]),
    )
    late = motion.q[50:]
    assert np.isfinite(motion.q).all()
    assert np.maximum(model.lower - late, late - model.upper).max() < 0.01
    assert lw.compile(lowest, model)(late).min() > -2e-3


@pytest.mark.parametrize("faster", [8.0, 0.0], ids=["seen before", "seen after"])
def test_light_joints_that_are_struck_within_a_step_keep_their_limits(
    faster: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weight falls on the ground; the light flaps at its sides get several times the greatest speed in that step.

    Their limits are far until then. Whether a step expects them or not, they hold at its end.
    """
    monkeypatch.setattr(constraints, "FASTER", faster)
    builder = (
        lw.Builder("weight")
        .body("weight", 5.0, inertia=0.1)
        .joint("down", "prismatic", "world", "weight", axis=(0, 0, 1))
    )
    for k in range(9):
        builder.body(f"flap{k}", 0.01, center_of_mass=(0.03, 0, 0), inertia=1e-6)
        builder.joint(f"hinge{k}", "revolute", "weight", f"flap{k}", axis=(0, 1, 0), limits=(-0.02, 0.02))
    model = builder.shape("weight", "sphere", radius=0.1).build().with_ground()
    q = model.neutral()
    q[0], v = 0.1005, np.zeros(model.nv)
    v[0] = -2.0
    motion = lw.simulate(model, q, v, 0.003, method=lw.Integrator(joint_limits=True))
    assert np.abs(motion.v[:, 0]).min() < 0.1  # it was struck
    assert np.abs(motion.q[:, 1:]).max() > 0.0199
    assert np.abs(motion.q[:, 1:]).max() < (0.0201 if faster else 0.02 + 1.01 * LEFT)


def test_a_foot_on_a_leg_that_swings_fast_does_not_sink() -> None:
    """The hip is low, the knee above it: the thigh turns by 0.1 rad in a step, which lowers the knee by ½ h² ω² l.

    To the first order the foot moves level, along the ground.
    """
    builder = lw.Builder("leg").body("hip", 1.0, inertia=0.01).joint("up", "prismatic", "world", "hip", axis=(0, 0, 1))
    builder.body("thigh", 0.3, center_of_mass=(0, 0, 0.15), inertia=0.003)
    builder.joint("hip", "revolute", "hip", "thigh", axis=(0, 1, 0))
    builder.body("shank", 0.3, center_of_mass=(0, 0, -0.2), inertia=0.003)
    builder.joint("knee", "revolute", "thigh", "shank", xyz=(0, 0, 0.3), axis=(0, 1, 0))
    builder.shape("shank", "box", size=(0.06, 0.04, 0.02), xyz=(0, 0, -0.39))
    model, bend = builder.build().with_ground(), 0.5 * (100.0 * H) ** 2 * 0.3
    assert bend == pytest.approx(1.5e-3)
    contacts = lw.simulate(model, [0.1, 0.0, 0.0], [0.0, 100.0, -100.0], 0.006).contacts
    assert contacts.gaps.max() > 1e-3  # the corners behind are lifted: it turned
    assert contacts.penetration < 1.01 * LEFT
    assert contacts.work.max() < 1e-12


def test_deep_overlap_goes_in_a_step_and_leaves_velocities_alone() -> None:
    box = lw.Builder("box").body("box", 2.0, inertia=0.01).joint("root", "free", "world", "box")
    model = box.shape("box", "box", size=(0.2, 0.2, 0.2)).build().with_ground()
    motion = lw.simulate(model, at(0.0, 0.0, 0.095), np.zeros(6), 0.003, method=lw.Integrator(solver=FINE))
    deep = -motion.contacts.gaps.min(axis=1)
    assert deep == pytest.approx([5e-3, LEFT, LEFT / 2, LEFT / 4], rel=1e-4)
    assert np.abs(motion.v).max() < 1e-6  # what the solver leaves


def test_what_gets_fast_within_a_step_does_not_sink(monkeypatch: pytest.MonkeyPatch) -> None:
    """A light seesaw on a heavy weight that falls: its short end is struck, so the long one comes down at 22 m/s.

    That end is 15 mm above the ground, where no contact is expected in the step, and would be 7 mm below after it.
    """
    monkeypatch.setattr(constraints, "MANY", 1)
    short, long, tip = 0.02, 0.2, 0.005
    builder = lw.Builder("weight").body("weight", 100.0, inertia=1.0)
    builder.joint("down", "prismatic", "world", "weight", axis=(0, 0, 1))
    builder.body("rod", 0.01, inertia=1e-4).joint("hinge", "revolute", "weight", "rod", axis=(0, 1, 0))
    builder.shape("rod", "sphere", radius=tip, xyz=(short, 0, 0)).shape("rod", "sphere", radius=tip, xyz=(-long, 0, 0))
    model, gap = builder.build().with_ground(), 0.015
    tilt = np.arcsin((gap - 1e-4) / (short + long))  # the short end just above the ground, the long one at the gap
    q = [tip + 1e-4 + short * np.sin(tilt), tilt]
    contacts = lw.simulate(model, q, [-2.0, 0.0], 0.003).contacts
    assert contacts.gaps[0] == pytest.approx([1e-4, gap])
    assert contacts.penetration < 1.01 * LEFT


@pytest.mark.parametrize(
    ("upper", "lower", "spin"), [(-1.7, 1.55, 300.0), (-1.55, 1.55, -300.0)], ids=["sank", "was thrown"]
)
def test_a_hand_on_an_arm_that_spins_fast_is_lifted_by_what_lifts_it_at_the_end(
    upper: float, lower: float, spin: float
) -> None:
    """Both halves of the arm stand nearly upright and turn by up to 0.3 rad in the step.

    By the levers of its beginning the hand still sank by 3 mm after its overlap was undone, or was thrown up by 79 mm.
    """
    builder = lw.Builder("arm").body("post", 1000.0, inertia=1.0)
    builder.joint("up", "prismatic", "world", "post", axis=(0, 0, 1))
    half: dict[str, Any] = {"mass": 0.1, "center_of_mass": (0.1, 0, 0), "inertia": 1e-4}
    builder.body("upper", **half).joint("shoulder", "revolute", "post", "upper", axis=(0, 1, 0))
    builder.body("lower", **half).joint("elbow", "revolute", "upper", "lower", xyz=(0.2, 0, 0), axis=(0, 1, 0))
    model = builder.shape("lower", "sphere", radius=0.02, xyz=(0.2, 0, 0)).build().with_ground()
    height = 0.0201 + 0.2 * (np.sin(upper) + np.sin(lower))  # the hand 0.1 mm above the ground
    contacts = lw.simulate(model, [height, upper, lower - upper], [0.0, spin, -spin], H).contacts
    assert contacts.penetration < 1.01 * LEFT
    assert contacts.gaps[1, 0] < 4e-3
