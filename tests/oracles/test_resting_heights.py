"""Resting heights of robots of files against MuJoCo: postures held by springs and dampers, on the ground.

A limp robot falls chaotically; held joints leave only contact to differ. MuJoCo's contact is stiff here: with its
default, the feet of these robots sink in by up to a centimeter, since its compliance counts per weight of the foot.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats.lookup.installed_robots import example_robots

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")
pytestmark = pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")

BENT = {
    "go2": {"thigh": 0.8, "calf": -1.5},
    "a1": {"thigh": 0.8, "calf": -1.5},
    "solo12": {"HFE": 0.8, "KFE": -1.6},
    "anymal_c_simple": {"F_HFE": 0.6, "F_KFE": -1.2, "H_HFE": -0.6, "H_KFE": 1.2},
}
DURATION, OURS, THEIRS = 3.0, 1e-3, 5e-4
RATE = 150.0
"""1/s, of a joint on its spring."""


def held(model, q):
    """Return the model with critically damped springs at all joints, without limits and friction."""
    inertia = 1.0 / np.diag(np.linalg.inv(lw.mass_matrix(model, q)))
    joints = []
    for joint in model.joints:
        if joint.motion.floating:
            joints.append(joint)
            continue
        at = model.slice(joint.name)
        k = RATE**2 * inertia[at.v]
        free = np.full(joint.nq, np.inf)
        joints.append(
            replace(joint, stiffness=k, damping=2.0 * k / RATE, rest=q[at.q], friction=0.0 * k, lower=-free, upper=free)
        )
    return replace(model, joints=tuple(joints))


def stiff(path):
    """Return MuJoCo's model of a file with stiff contact, of the ground only."""
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in [*spec.geoms, *spec.pairs]:
        geom.solref, geom.solimp = [8.0 * THEIRS, 1.0], [0.99, 0.999, 1e-3, 0.5, 2.0]
    for geom in spec.geoms:
        touches = bool(geom.contype or geom.conaffinity)
        plane = geom.type == mujoco.mjtGeom.mjGEOM_PLANE
        geom.contype, geom.conaffinity = int(plane), int(touches and not plane)
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
    spec.option.timestep, spec.option.integrator = THEIRS, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec.compile()


@pytest.mark.parametrize("name", BENT)
def test_held_robots_rest_as_high_as_in_mujoco(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.load(name, root="free").with_ground()
        q = model.neutral()
        for joint in model.joints:
            for part, angle in BENT[name].items():
                if part in joint.name:
                    q[model.slice(joint.name).q] = angle
        model = held(model, lw.standing_configuration(model, q))
        q = lw.standing_configuration(model, q)
        compiled = stiff(model.save(tmp_path / "robot.xml"))
    end = lw.rollout(
        model, q, np.zeros(model.nv), round(DURATION / OURS), OURS, method=lw.Integrator("semi_implicit")
    ).q[-1]
    data = mujoco.MjData(compiled)
    data.qpos[:] = q
    mujoco.mj_step(compiled, data, round(DURATION / THEIRS))
    assert np.abs(data.qvel).max() < 0.02
    assert end[2] == pytest.approx(data.qpos[2], rel=2e-3)
    assert end[7:] == pytest.approx(data.qpos[7:], abs=0.01)
