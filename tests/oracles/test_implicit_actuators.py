"""Damping of actuators is implicit in semi-implicit steps, as in MuJoCo's implicitfast."""

import numpy as np
import pytest

import linkwright as lw

mujoco = pytest.importorskip("mujoco")

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")

ARM = """
<mujoco><option integrator="implicitfast" timestep="{h}"/><worldbody>
  <body><joint name="a" axis="0 1 0" armature="0.002" damping="0.1"/><geom size=".03" pos="0.2 0 0" mass="0.5"/>
    <body pos="0.3 0 0"><joint name="b" axis="0 1 0" armature="0.001"/><geom size=".02" pos="0.1 0 0" mass="0.1"/>
      <body pos="0.2 0 0"><joint name="c" type="slide" axis="1 0 0"/><geom size=".02" pos="0 0 0.05" mass="0.05"/>
      </body>
    </body>
  </body>
</worldbody>
<tendon><fixed name="t"><joint joint="a" coef="0.7"/><joint joint="b" coef="-0.4"/></fixed>
  <fixed name="one"><joint joint="c" coef="2"/></fixed></tendon>
<actuator>{actuators}</actuator></mujoco>
"""
CASES = {
    "position": '<position joint="a" kp="300" kv="20" gear="2"/><position joint="b" kp="50" kv="10"/>',
    "velocity and damper": '<velocity joint="b" kv="30"/><damper joint="c" kv="40" ctrlrange="0 1"/>',
    "tendons": '<velocity tendon="t" kv="30"/><position tendon="one" kp="100" kv="20"/>',
    "limited": '<position joint="a" kp="300" kv="20" forcerange="-4 4"/><position joint="b" kp="50" kv="10"/>',
    "filter": '<general joint="b" dyntype="filter" dynprm="0.05" gainprm="40" biastype="affine" biasprm="0 -40 -8"/>',
}


@pytest.mark.parametrize("case", CASES)
def test_steps_are_those_of_implicitfast(case):
    text = ARM.format(h=0.004, actuators=CASES[case])
    model, m = lw.load(text), mujoco.MjModel.from_xml_string(text)
    data, u = mujoco.MjData(m), np.array([0.4, 0.5])[: m.nu]
    data.qpos[:], data.qvel[:], data.ctrl[:] = (0.3, -0.5, 0.1), (1.0, -2.0, 0.3), u
    integrator = lw.Integrator("semi_implicit", joint_limits=False)
    motion = lw.simulate(model, data.qpos, data.qvel, 0.4, 0.004, integrator, actuation=lw.Actuation(controls=u))
    for q, v in zip(motion.q[1:], motion.v[1:], strict=True):
        mujoco.mj_step(m, data)
        np.testing.assert_allclose(q, data.qpos, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(v, data.qvel, rtol=1e-8, atol=1e-8)


def test_a_joint_at_its_effort_limit_is_not_damped():
    text = """<mujoco><worldbody><body><joint name="a" type="slide" axis="1 0 0" actuatorfrcrange="-2 2"/>
      <geom size=".1" mass="1"/></body></worldbody><actuator><velocity joint="a" kv="500"/></actuator></mujoco>"""
    controls = lw.Actuation(controls=[100.0])
    motion = lw.simulate(lw.load(text), [0.0], [0.0], 0.5, 0.002, lw.Integrator("semi_implicit"), actuation=controls)
    np.testing.assert_allclose(motion.v[:, 0], 2.0 * motion.t, atol=1e-12)


def test_efforts_in_contact_are_those_that_act():
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><joint type="slide" axis="0 0 1"/>
      <geom size=".1" mass="1"/><body pos="0 0 0.3"><joint name="a" axis="0 1 0" armature="0.001"/>
      <geom size=".03" pos="0.1 0 0" mass="0.1" contype="0" conaffinity="0"/></body></body></worldbody>
      <actuator><position joint="a" kp="20" kv="10"/></actuator></mujoco>"""
    model = lw.load(text).with_contact()
    motion = lw.simulate(model, model.neutral(), [0.0, 0.0], 1.0, 0.002, actuation=lw.Actuation(controls=[0.5]))
    assert np.isfinite(motion.q).all()
    assert motion.q[-1, 1] == pytest.approx(0.5, abs=0.1)
    x, v, a = motion.q[:-1], motion.v[:-1], np.diff(motion.v, axis=0) / motion.step
    acted = lw.inverse_dynamics(model, x, v, a)[:, 1]
    np.testing.assert_allclose(motion.tau[:-1, 1], acted, atol=2e-2)


def test_stiff_actuators_select_the_semi_implicit_method():
    text = ARM.format(h=0.002, actuators='<position joint="b" kp="50" kv="{kv}"/>')
    for kv, chosen in (("10", "semi_implicit"), ("0.001", "rk4")):
        model = lw.load(text.replace("{kv}", kv)).with_joint("a", damping=0.0)
        run = lw.Actuation(controls=[0.2])
        motion = lw.simulate(model, np.zeros(3), np.zeros(3), 0.05, 0.002, actuation=run)
        one = lw.Integrator(chosen, joint_limits=False)
        again = lw.simulate(model, np.zeros(3), np.zeros(3), 0.05, 0.002, one, actuation=run)
        np.testing.assert_array_equal(motion.q, again.q)
