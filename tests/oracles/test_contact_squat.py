"""Robots that stand, held by springs and dampers, and bodies on inclines, against MuJoCo: heights, forces, paths.

MuJoCo's contact yields. It is made so stiff here (a time constant of 10 ms, an impedance of 0.95 to 0.99) that feet
sink in by less than 0.5 mm, far less than what is compared; its cones are round, as ours.

A figure of ours squats as MuJoCo's own humanoid does, which is not ours to hand on: that one squats too where
LINKWRIGHT_MUJOCO_HUMANOID tells where `humanoid.xml` of MuJoCo's repository is.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")

SQUATTING = [Path(__file__).parent.parent / "formats" / "mjcf" / "squatting.xml"]
if "LINKWRIGHT_MUJOCO_HUMANOID" in os.environ:
    SQUATTING.append(Path(os.environ["LINKWRIGHT_MUJOCO_HUMANOID"]))
SOLREF, SOLIMP = [1e-2, 1.0], [0.95, 0.99, 1e-3, 0.5, 2.0]
G = 9.81


def stiff(spec):
    """A specification with stiff contact, and what acts on joints besides springs and dampers left out."""
    for one in [*spec.actuators, *spec.tendons]:
        spec.delete(one)
    for geom in [*spec.geoms, *spec.pairs]:
        geom.solref, geom.solimp = SOLREF, SOLIMP
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    return spec


def saved(model, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what MuJoCo does not have
        return stiff(mujoco.MjSpec.from_file(str(model.save(folder / "model.xml"))))


def moved(compiled, q, v, duration, step):
    """MuJoCo's state after so many seconds, and by bodies the force with which they press on the world."""
    data = mujoco.MjData(compiled)
    data.qpos[:], data.qvel[:] = q, v
    compiled.opt.timestep = step
    for _ in range(round(duration / step)):
        mujoco.mj_step(compiled, data)
    mujoco.mj_forward(compiled, data)
    found: dict[str, float] = {}
    for k, contact in enumerate(data.contact):
        force = np.zeros(6)
        mujoco.mj_contactForce(compiled, data, k, force)
        assert contact.dist > -5e-4
        bodies = {int(compiled.geom_bodyid[geom]) for geom in contact.geom}
        assert 0 in bodies
        (body,) = bodies - {0}
        name = compiled.body(body).name
        found[name] = found.get(name, 0.0) + force[0]
    return data, found


def held(model, posture, stiffness, damping):
    """With springs and dampers at all joints but those that float."""
    joints = [
        joint
        if joint.type == "free"
        else replace(
            joint,
            stiffness=np.full(joint.motion.nv, stiffness),
            damping=np.full(joint.motion.nv, damping),
            rest=posture[model.slice(joint.name).q],
        )
        for joint in model.joints
    ]
    return replace(model, joints=tuple(joints))


def settled(model, q, duration, step=2e-3):
    """The end of a motion, and by bodies the force with which they press."""
    method = lw.Integrator(solver=lw.Solver(50, 1e-6))
    motion = lw.simulate(model, q, np.zeros(model.nv), duration, step, method=method)
    contacts, found = motion.contacts, {}
    for pair, force in zip(model.pairs, contacts.of_pairs[-1], strict=True):
        assert model.shapes[pair.second].kind == "plane"
        body = model.shapes[pair.first].body
        found[body] = found.get(body, 0.0) + force[2]
    assert np.abs(motion.v[-1]).max() < 1e-5
    return motion.q[-1], found


def compared(model, ours, theirs, within):
    q, forces = ours
    data, others = theirs
    weight = G * lw.total_mass(model)
    assert np.abs(data.qvel).max() < 1e-3
    assert abs(q[2] / data.qpos[2] - 1.0) < within
    assert np.abs(q[7:] - data.qpos[7:]).max() < within
    assert {name for name, force in forces.items() if force > 0.0} == others.keys()
    for name, force in others.items():
        assert abs(forces[name] / force - 1.0) < within
    assert sum(forces.values()) == pytest.approx(weight, rel=1e-4)
    assert sum(others.values()) == pytest.approx(weight, rel=1e-4)


@pytest.mark.parametrize("path", SQUATTING, ids=lambda path: path.stem)
def test_humanoids_squat_as_high_and_press_as_hard_as_in_mujoco(path):
    K, D = 2000.0, 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.load(path).with_contact()
    spec = stiff(mujoco.MjSpec.from_file(str(path)))
    for geom in spec.geoms:  # with the floor alone, on both sides
        geom.contype, geom.conaffinity = (1, 0) if geom.type == mujoco.mjtGeom.mjGEOM_PLANE else (0, 1)
    compiled = spec.compile()
    squat = compiled.key_qpos[0].copy()
    compiled.jnt_stiffness[1:], compiled.dof_damping[6:], compiled.qpos_spring[7:] = K, D, squat[7:]

    floor = [k for k, shape in enumerate(model.shapes) if shape.kind == "plane"]
    feet = [p for p in model.pairs if p.second in floor and "foot" in model.shapes[p.first].body]
    model = replace(held(model, squat, K, D), pairs=tuple(feet))
    theirs = moved(compiled, squat, np.zeros(model.nv), 4.0, 5e-4)
    assert theirs[1].keys() == {"foot_left", "foot_right"}
    compared(model, settled(model, squat, 4.0), theirs, 2e-3)


STANDING = {
    "quadruped": ({"hip_pitch": 0.6, "knee": -1.2}, 60.0, 4.0),
    "humanoid": ({"hip_pitch": -0.6, "knee_pitch": 1.2, "ankle_pitch": -0.6}, 2000.0, 200.0),
}


@pytest.mark.parametrize("name", STANDING)
def test_robots_of_ours_stand_in_mujoco_as_high_and_press_as_hard(name, tmp_path):
    bent, stiffness, damping = STANDING[name]
    model = lw.load(name).with_ground()
    q = model.neutral()
    for joint in model.joints:
        for part, angle in bent.items():
            if joint.name.endswith(part):
                q[model.slice(joint.name).q] = angle
    model = held(model, q, stiffness, damping)
    q = lw.standing_configuration(model, q)
    theirs = moved(saved(model, tmp_path).compile(), q, np.zeros(model.nv), 4.0, 5e-4)
    compared(model, settled(model, q, 4.0), theirs, 2e-3)


def box(size, friction, slope):
    """A box on an incline: its gravity leans by ``slope``, rad."""
    x, y, z = size
    builder = lw.Builder("box")
    inertia = np.diag([y * y + z * z, z * z + x * x, x * x + y * y]) / 12.0
    builder.body("box", mass=1.0, inertia=inertia)
    builder.joint("root", "free", parent="world", child="box")
    builder.shape("box", "box", size=size, contact=lw.ContactProperties(friction=friction))
    down = [G * np.sin(slope), 0.0, -G * np.cos(slope)]
    return builder.build().with_gravity(down).with_ground(contact=lw.ContactProperties(friction=friction))


@pytest.mark.parametrize(("slope", "slides"), [(0.3, False), (0.6, True)])
def test_boxes_slide_down_inclines_as_far_as_in_mujoco(slope, slides, tmp_path):
    mu, duration, h = 0.5, 1.0, 1e-3
    model = box((0.4, 0.3, 0.1), mu, slope)
    q = np.array([0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0])
    motion = lw.simulate(model, q, np.zeros(6), duration, h)
    data, _ = moved(saved(model, tmp_path).compile(), q, np.zeros(6), duration, 0.25 * h)
    way = 0.5 * G * (np.sin(slope) - mu * np.cos(slope)) * duration**2 if slides else 0.0
    assert motion.q[-1, 0] == pytest.approx(way, abs=1e-9 if not slides else 2e-3 * way)
    assert motion.q[-1, 0] == pytest.approx(data.qpos[0], abs=2e-3)  # it creeps there, by 1 mm in a second
    assert abs(motion.q[-1, 2] - data.qpos[2]) < 1e-3  # and hops a little
    assert np.abs(motion.q[-1, 1:] - q[1:]).max() < 1e-6


@pytest.mark.parametrize(("slope", "tips"), [(0.2, False), (0.35, True)])
def test_tall_boxes_tip_over_where_they_do_in_mujoco(slope, tips, tmp_path):
    """Of 0.1 m by 0.4 m it does beyond atan(1/4) = 0.245."""
    model = box((0.1, 0.1, 0.4), 1.0, slope)
    q = np.array([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0])
    motion = lw.simulate(model, q, np.zeros(6), 0.4, 5e-4)
    data, _ = moved(saved(model, tmp_path).compile(), q, np.zeros(6), 0.4, 5e-4)
    angles = [2.0 * np.arctan2(x[5], x[3]) for x in (motion.q[-1], data.qpos)]
    assert (angles[0] > 0.1) == tips
    assert angles[0] == pytest.approx(angles[1], abs=0.01 * abs(angles[1]) + 1e-3)


def test_balls_fall_as_far_and_rest_as_high_as_in_mujoco(tmp_path):
    builder = lw.Builder("ball")
    builder.body("ball", mass=0.5, inertia=2e-3 * np.eye(3))
    builder.joint("root", "free", parent="world", child="ball")
    builder.shape("ball", "sphere", radius=0.1)
    model = builder.build().with_ground()
    q = np.array([0.0, 0.0, 1.1, 1.0, 0.0, 0.0, 0.0])
    compiled = saved(model, tmp_path).compile()
    motion = lw.simulate(model, q, np.zeros(6), 1.5, 1e-3)
    for duration in (0.4, 0.45, 1.5):  # it meets the ground after 0.4515 s
        data, _ = moved(compiled, q, np.zeros(6), duration, 1e-3)
        assert motion.q[round(duration / 1e-3), 2] == pytest.approx(data.qpos[2], abs=1e-4)
    assert motion.q[-1, 2] == pytest.approx(0.1, abs=1e-6)
