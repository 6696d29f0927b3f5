"""Against MuJoCo, free joints with armature, damping and friction loss: these act along the world's axes."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.formats.mjcf.reading import velocity_from_mujoco
from mechanisms import relative_error

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (mujoco-core, the extra 'mjcf') is not installed")

CASES = {
    "armature": 'armature="0.5"',
    "friction": 'frictionloss="0.3"',
    "all": 'armature="0.5" frictionloss="0.3" damping="0.2"',
}


def both(tmp_path, attributes, gravity="0 0 -9.81"):
    path = tmp_path / "body.xml"
    path.write_text(f"""<mujoco><option gravity="{gravity}"/><default><joint {attributes}/></default>
      <worldbody><body name="b" pos="0.1 0.2 0.3" quat="1 2 3 4"><joint name="f" type="free"/>
      <geom type="box" size=".1 .2 .3" mass="1" pos="0.1 0 0.05"/>
      <body name="c" pos="0 0.3 0"><joint name="h" axis="1 2 0"/><geom type="box" size=".1 .05 .2" mass="0.5"/></body>
      </body></worldbody></mujoco>""")
    with pytest.warns(FormatWarning, match="free joint 'f' has armature or friction loss along world axes"):
        ours = lw.load(path)
    return ours, mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize("case", CASES)
def test_dynamics_are_those_of_mujoco(tmp_path, case):
    ours, theirs = both(tmp_path, CASES[case])
    data, rng = mujoco.MjData(theirs), np.random.default_rng(1)
    assert ours.neutral() == pytest.approx(theirs.qpos0)
    for q in ours.random(5, seed=rng):
        v, tau = rng.normal(size=(2, theirs.nv)) * 3.0
        data.qpos[:], data.qvel[:] = q, v
        assert velocity_from_mujoco(ours, q, v) == pytest.approx(v)
        mujoco.mj_forward(theirs, data)
        pose = lw.pose(ours, q, "b")
        assert relative_error(pose[:3, 3], data.xpos[1]) < 1e-12
        assert relative_error(pose[:3, :3], data.xmat[1].reshape(3, 3)) < 1e-12
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        assert relative_error(lw.mass_matrix(ours, q), M) < 1e-12
        assert relative_error(lw.bias_forces(ours, q, v), data.qfrc_bias) < 1e-11
        a = lw.forward_dynamics(ours, q, v, tau)
        assert relative_error(a, np.linalg.solve(M, tau - data.qfrc_bias)) < 1e-11
        assert relative_error(lw.inverse_dynamics(ours, q, v, a), tau) < 1e-11
        fast = 1e3 * np.sign(v) * np.maximum(np.abs(v), 1.0)  # beyond where friction is smoothed
        losses = -theirs.dof_damping * fast - theirs.dof_frictionloss * np.sign(fast)
        assert relative_error(lw.passive_forces(ours, q, fast), losses) < 1e-6


def test_a_force_free_body_goes_straight_and_keeps_its_energy(tmp_path):
    ours, _ = both(tmp_path, 'armature="0.5"', gravity="0 0 0")
    v = np.array([1.0, -0.5, 0.2, 0.3, -1.0, 2.0, 0.5])
    motion = lw.simulate(ours, ours.neutral(), v, 1.0, 1e-3)
    assert motion.drift < 1e-9 * motion.energy[0]
    p = lw.momentum(ours, motion.q, motion.v)[:, :3] + 0.5 * motion.v[:, :3]
    assert np.abs(p - p[0]).max() < 1e-9  # of the bodies, and of what is geared to the slides


def test_free_joints_without_these_stay_free(tmp_path):
    path = tmp_path / "body.xml"
    path.write_text('<mujoco><worldbody><body><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>')
    assert lw.load(path).joints[0].type == "free"
