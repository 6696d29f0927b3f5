"""Actuators against MuJoCo: every transmission, gain, bias and activation over a hundred steps; their options."""

from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, TooLargeError
from linkwright.formats.load import load
from linkwright.formats.mjcf import velocity_from_mujoco, velocity_to_mujoco
from linkwright.model.joints.joint import Revolute
from linkwright.simulation.integrators import split_kernels
from mechanisms import random_tree

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

H = 2e-3

WORLD = """<mujoco>
  <option timestep="0.002" integrator="RK4"/>
  <default>
    <geom contype="0" conaffinity="0" density="500"/><joint damping=".01"/>
    <default class="strong"><motor gear="30" ctrlrange="-1 1"/></default>
  </default>
  <worldbody>
    <site name="ground" pos=".2 .1 .5"/>
    <body name="upper" pos="0 0 1">
      <site name="middle" pos=".1 0 .05"/>
      <joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <body name="lower" pos=".3 0 0">
        <joint name="elbow" axis="0 1 0" ref="20"/><joint name="reach" type="slide" axis="1 0 0"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
        <site name="tip" pos=".3 0 .01" euler="10 20 30"/>
        <body name="hand" pos=".3 0 0">
          <joint name="wrist" WRIST damping="0"/><geom type="box" size=".05 .03 .02" pos=".05 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>ACTUATORS</actuator>
</mujoco>"""

KINDS = {
    "motor": '<motor joint="elbow" class="strong" forcerange="-.6 .8"/>',
    "position": '<position joint="elbow" kp="20" kv="1"/><position joint="reach" kp="50" timeconst=".02"/>',
    "velocity": '<velocity joint="shoulder" kv="3" ctrlrange="-.5 .5"/>',
    "intvelocity": '<intvelocity joint="elbow" kp="20" kv=".5" actrange="-.01 .015"/>',
    "damper": '<damper joint="elbow" kv="5" ctrlrange="0 2"/>',
    "cylinder": '<cylinder joint="reach" timeconst=".03" area="20" bias="1 -2 -3"/>',
    "general": (
        '<general joint="elbow" gaintype="affine" gainprm=".3 .02 .01" biastype="affine" biasprm=".1 -.2 -.05" '
        'gear="-2"/>'
    ),
    "filter": '<general joint="shoulder" dyntype="filter" dynprm=".01" gainprm="5"/>',
    "filterexact": '<general joint="shoulder" dyntype="filterexact" dynprm=".01" gainprm="5" actrange="-.2 .3"/>',
    "early": '<general joint="shoulder" dyntype="filterexact" dynprm=".01" gainprm="5" actearly="true"/>',
    "integrator": '<general joint="shoulder" dyntype="integrator" gainprm="50" ctrlrange="-.5 .5"/>',
    "ball": '<motor joint="wrist" gear=".001 .002 .003"/><position joint="wrist" kp=".002" gear="1 .5 0"/>',
    "in parent": '<motor jointinparent="wrist" gear=".001 .002 .003"/>',
    "site": '<motor site="tip" gear="1 2 3 .1 .2 .3"/><velocity site="tip" kv="2" gear="0 1 0 0 0 0"/>',
    "tendon of joints": (
        '<motor tendon="pair" gear="3"/><position tendon="pair" kp="5" kv=".2"/></actuator><tendon><fixed name="pair">'
        '<joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed></tendon><actuator>'
    ),
    "tendon of sites": (
        '<motor tendon="cord" gear="3"/><position tendon="cord" kp="5" kv=".2"/></actuator><tendon>'
        '<spatial name="cord"><site site="ground"/><site site="middle"/><site site="tip"/></spatial></tendon><actuator>'
    ),
    "muscle": (
        '<muscle joint="shoulder" gear=".1" lengthrange="-.1 .2"/>'
        '<muscle joint="elbow" gear="-.1" lengthrange="-.2 .1" force="30" range=".8 1.2" fpmax="2" vmax="5"/>'
        '<muscle joint="elbow" gear=".1" lengthrange="-.01 .01" force="3" tausmooth=".3" timeconst=".02 .05"/>'
    ),
    "two on a joint": '<motor joint="elbow"/><velocity joint="elbow" kv=".5"/>',
}


def sines(model, t, q, v, *, phase):
    return 1.5 * np.sin(7.0 * t + phase)


def both(tmp_path, actuators):
    path = tmp_path / "robot.xml"
    wrist = 'type="ball"' if "wrist" in actuators else 'axis="0 0 1"'
    path.write_text(WORLD.replace("ACTUATORS", actuators).replace("WRIST", wrist))
    peer = mujoco.MjModel.from_xml_path(str(path))
    return lw.load(path, trusted=True), peer, mujoco.MjData(peer), path


def start(model, data):
    q = lw.integrate(model, model.neutral(), 0.3 * np.arange(1.0, model.nv + 1.0) / model.nv)
    v = np.linspace(-0.2, 0.3, model.nv)
    data.qpos[:], data.qvel[:] = q, velocity_to_mujoco(model, q, v)
    return q, v


def same(motion, model, data):
    """Whether a motion ends where MuJoCo does.

    MuJoCo adds the rotations of ball joints over the stages of a step as vectors: these differ by terms of third order.
    """
    ball = any(joint.motion.quaternions for joint in model.joints)
    v, atol = velocity_to_mujoco(model, motion.q[-1], motion.v[-1]), 1e-7 if ball else 1e-11
    np.testing.assert_allclose(motion.q[-1], data.qpos, atol=atol)
    np.testing.assert_allclose(v, data.qvel, atol=atol * max(1.0, np.abs(data.qvel).max()))
    if model.na:
        np.testing.assert_allclose(motion.activations[-1], data.act, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_actuated_motions_are_those_of_mujoco(kind, tmp_path):
    model, peer, data, _ = both(tmp_path, KINDS[kind])
    assert model.nu == peer.nu
    q, v = start(model, data)
    phase = np.arange(1.0, model.nu + 1.0)
    control = partial(sines, phase=phase)
    motion = lw.simulate(model, q, v, 100 * H, H, "rk4", control, actuation=lw.Actuation(controls=True))
    data.ctrl[:] = sines(None, 0.0, None, None, phase=phase)
    mujoco.mj_forward(peer, data)
    np.testing.assert_allclose(motion.tau[0], data.qfrc_actuator, atol=1e-12)
    for k in range(100):
        data.ctrl[:] = sines(None, k * H, None, None, phase=phase)
        mujoco.mj_step(peer, data)
    assert np.abs(motion.tau).max() > 1e-3
    same(motion, model, data)


@pytest.mark.parametrize("kind", KINDS)
def test_written_and_read_again_the_actuators_are_the_same(kind, tmp_path):
    model, *_ = both(tmp_path, KINDS[kind])
    model.save(tmp_path / "again.xml")
    again = load(tmp_path / "again.xml", trusted=True)
    assert again.actuators == model.actuators
    assert load(tmp_path / "robot.xml").actuators == model.actuators  # as data of a child


def test_a_wrench_of_a_free_base_in_both_axes(tmp_path):
    text = """<mujoco><option timestep="0.002" integrator="RK4"/><worldbody><body name="b" pos="0 0 1">
      <freejoint name="root"/><geom type="box" size=".1 .2 .3"/></body></worldbody><actuator>
      <motor joint="root" gear="1 2 3 .4 .5 .6"/><motor jointinparent="root" gear="0 0 0 .4 .5 .6"/></actuator>
      </mujoco>"""
    path = tmp_path / "free.xml"
    path.write_text(text)
    model, peer = lw.load(path, trusted=True), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    q, v = model.random(seed=2), np.linspace(-1.0, 1.0, 6)
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, velocity_to_mujoco(model, q, v), [2.0, 3.0]
    mujoco.mj_forward(peer, data)
    motion = lw.simulate(model, q, v, H, H, "rk4", actuation=lw.Actuation(controls=[2.0, 3.0]))
    np.testing.assert_allclose(motion.tau[0], velocity_from_mujoco(model, q, data.qfrc_actuator), atol=1e-12)


def test_the_limits_of_joints_bound_all_actuators_together(tmp_path):
    model, peer, data, path = both(tmp_path, KINDS["two on a joint"])
    path.write_text(path.read_text().replace('name="elbow"', 'name="elbow" actuatorfrcrange="-.3 .3"'))
    model, peer = lw.load(path, trusted=True), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    q, v = start(model, data)
    data.ctrl[:] = [2.0, 0.5]
    for _ in range(100):
        mujoco.mj_step(peer, data)
    motion = lw.simulate(model, q, v, 100 * H, H, "rk4", actuation=lw.Actuation(controls=[2.0, 0.5]))
    assert np.abs(motion.tau[:, model.slice("elbow").v]).max() == 0.3
    same(motion, model, data)


def test_batches_have_their_own_controls_and_activations(tmp_path):
    model, *_ = both(tmp_path, KINDS["filter"] + KINDS["motor"])
    q, v = model.neutral(), np.zeros(model.nv)
    u, z = np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 2.0]]), np.array([[0.0], [0.5], [1.0]])
    together = lw.simulate(
        model, np.tile(q, (3, 1)), v, 0.1, H, "rk4", actuation=lw.Actuation(controls=u, activations=z)
    )
    for k in range(3):
        alone = lw.simulate(model, q, v, 0.1, H, "rk4", actuation=lw.Actuation(controls=u[k], activations=z[k]))
        np.testing.assert_array_equal(together.q[:, k], alone.q)
        np.testing.assert_array_equal(together.activations[:, k], alone.activations)
    rolled = lw.rollout(
        model, np.tile(q, (3, 1)), v, 50, H, method="rk4", actuation=lw.Actuation(controls=u, activations=z)
    )
    np.testing.assert_array_equal(rolled.q[-1], together.q[-1])


def integral(model, t, q, v, state):
    return np.stack([-state[0], 0.1 - q[1]]), state + 0.01 * q[:1]


def test_a_controller_with_a_state_returns_controls(tmp_path):
    model, *_ = both(tmp_path, KINDS["filter"] + KINDS["motor"])
    q, v = model.neutral(), np.zeros(model.nv)
    motion = lw.simulate(
        model, q, v, 0.1, H, "rk4", integral, actuation=lw.Actuation(controls=True, initial_state=np.array([0.2]))
    )
    assert motion.state.shape == (51, 1)
    assert motion.activations.shape == (51, 1)
    np.testing.assert_allclose(np.diff(motion.state[:, 0]), 0.01 * motion.q[:-1, 0], atol=1e-15)


def test_sampling_and_delay_act_on_controls(tmp_path):
    model, *_ = both(tmp_path, KINDS["motor"])
    late = lw.Actuation(controls=True, period=5 * H, delay=2 * H)
    motion = lw.simulate(
        model, model.neutral(), np.zeros(model.nv), 20 * H, H, "rk4", partial(sines, phase=np.ones(1)), actuation=late
    )
    elbow = motion.tau[:-1, model.slice("elbow").v][:, 0]
    assert np.all(elbow[:2] == 0.0)
    assert np.all(np.ptp(elbow[2:17].reshape(3, 5), axis=1) == 0.0)


@pytest.mark.parametrize("method", ["euler", "midpoint", "semi_implicit", "dopri5"])
def test_every_method_of_enough_accuracy_gives_the_same_motion(method, tmp_path):
    model, *_ = both(tmp_path, KINDS["position"].replace(' timeconst=".02"', "") + KINDS["velocity"])
    q, v, held = model.neutral(), np.zeros(model.nv), lw.Actuation(controls=[0.3, 0.05, 0.2])
    exact = lw.simulate(model, q, v, 0.05, 1e-4, "rk4", actuation=held)
    step = 1e-2 if method == "dopri5" else 1e-4
    other = lw.simulate(model, q, v, 0.05, step, method, actuation=held)
    atol = {"euler": 1e-3, "semi_implicit": 1e-3, "midpoint": 1e-6, "dopri5": 1e-6}[method]
    np.testing.assert_allclose(other.q[-1], exact.q[-1], atol=atol)


def test_actuators_do_not_act_without_controls(tmp_path):
    model, *_ = both(tmp_path, KINDS["general"])
    bare = model.with_actuators()
    q, v = model.neutral(), np.zeros(model.nv)
    np.testing.assert_array_equal(lw.simulate(model, q, v, 0.1).q, lw.simulate(bare, q, v, 0.1).q)


def test_a_printed_model_lists_its_actuators(tmp_path):
    model, *_ = both(tmp_path, KINDS["motor"] + KINDS["filter"] + KINDS["tendon of joints"])
    text = str(model)
    assert "actuators:" in text
    assert "actuator0: elbow, gear 30" in text
    assert "actuator1: shoulder, gear 1, filter" in text
    assert "1 shoulder + -0.5 elbow, gear 3" in text


def test_actuators_of_locked_joints_are_dropped_and_others_renamed(tmp_path):
    model, *_ = both(tmp_path, KINDS["motor"] + KINDS["filter"] + KINDS["site"])
    assert len(model.lock({"elbow": 0.0}).actuators) == model.nu - 1
    assert model.mirror().nu == 0
    double = model.append(model, prefix="other_")
    assert double.nu == 2 * model.nu
    assert double.actuators[model.nu].joint == "other_elbow"
    assert double.actuators[-1].frame == "other_tip"


def test_mimic_joints_are_driven_with_their_leader():
    made = lw.Builder("pair").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1)
    made.joint("lead", "revolute", "world", "a", axis=(0, 1, 0))
    made.joint("follow", "revolute", "a", "b", axis=(0, 1, 0), xyz=(1, 0, 0))
    model = made.mimic("follow", "lead", 2.0).build().with_actuators(lw.Actuator("motor", "follow", gear=3.0))
    motion = lw.simulate(model, [0.1], [0.0], 0.01, actuation=lw.Actuation(controls=[1.0]))
    np.testing.assert_allclose(motion.tau[0], [6.0])


def arm():
    return random_tree([Revolute, Revolute], 1)


@pytest.mark.parametrize(
    ("actuator", "message"),
    [
        (dict(joint="nothing"), "nothing"),
        (dict(joint="joint0", gear=(1.0, 2.0, 3.0)), "gear has 3 numbers"),
        (dict(frame="tip"), "gear has 1 numbers"),
        (dict(), "acts on one joint, tendon or frame"),
        (dict(joint="joint0", tendon=(("joint0", 1.0),)), "acts on one joint, tendon or frame"),
        (dict(tendon=("tip",)), "two frames or more"),
        (dict(joint="joint0", dynamics="spring"), "dynamics is one of"),
        (dict(joint="joint0", dynamics="muscle"), "that of a muscle, and none is given"),
        (dict(joint="joint0", gain=(1.0,)), "gain is 3 numbers"),
        (dict(joint="joint0", control_range=(1.0, -1.0)), "control_range is"),
        (dict(joint="joint0", time_constant=-1.0), "time_constant is not negative"),
    ],
)
def test_wrong_actuators(actuator, message):
    with pytest.raises((ModelError, InputError), match=message):
        arm().with_actuators(lw.Actuator("motor", **actuator))


def test_wrong_options():
    model = arm().with_actuators(lw.Actuator("a", arm().joints[0].name, dynamics="filter"))
    q, v = model.neutral(), np.zeros(2)

    def run(controller=None, method="rk4", **options):
        lw.simulate(model, q, v, 0.01, method=method, controller=controller, actuation=lw.Actuation(**options))

    with pytest.raises(ShapeError, match="controls have shape"):
        run(controls=[1.0, 2.0])
    with pytest.raises(ShapeError, match="returned controls of shape"):
        run(lambda model, t, q, v: q, controls=True)
    with pytest.raises(ArgumentError, match="none is given"):
        run(controls=True)
    with pytest.raises(ArgumentError, match="a controller is given"):
        run(lambda model, t, q, v: q[:1], controls=[1.0])
    with pytest.raises(ArgumentError, match="gear is for controllers that return efforts"):
        run(controls=[1.0], gear=2.0)
    with pytest.raises(ArgumentError, match="activations are those of actuators"):
        run(activations=[1.0])
    with pytest.raises(ShapeError, match="activations have shape"):
        run(controls=[1.0], activations=[1.0, 2.0])
    with pytest.raises(InputError, match="activations are not for method 'dopri5'"):
        run(controls=[1.0], method="dopri5")
    with pytest.raises(ArgumentError, match="has no actuators"):
        lw.simulate(arm(), q, v, 0.01, actuation=lw.Actuation(controls=[1.0]))


def test_actuators_act_with_contact_and_in_rollouts(tmp_path):
    text = """<mujoco><worldbody><body name="b" pos="0 0 .1"><freejoint name="root"/><geom size=".1" density="300"/>
      <body name="arm"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 .1 0 0 .3" size=".03"
      contype="0" conaffinity="0"/></body></body></worldbody>
      <actuator><position name="servo" joint="hinge" kp="20" kv="1"/></actuator></mujoco>"""
    path = tmp_path / "ball.xml"
    path.write_text(text)
    model = lw.load(path, trusted=True).with_ground()
    held = lw.Actuation(controls=[0.3])
    q = np.array([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0])
    motion = lw.simulate(model, q, np.zeros(7), 0.2, actuation=held)
    rolled = lw.rollout(model, q, np.zeros(7), 200, 1e-3, actuation=held)
    np.testing.assert_array_equal(rolled.q[-1], motion.q[-1])
    assert motion.impulses.max() > 0.0
    np.testing.assert_allclose(motion.q[-1, 7], 0.3, atol=0.05)


def test_steps_too_large_for_machine_code_hold_no_efforts_of_actuators(monkeypatch):
    monkeypatch.setattr(split_kernels, "BODIES_OF_STEPS", 100)
    servo = lw.Actuator("servo", "joint1", gain=(3.0, 0.0, 0.0), bias=(0.0, -3.0, -0.1))
    chain, driven = lw.load("planar:100").with_actuators(servo), lw.Actuation(controls=[0.3])
    start = (chain, chain.neutral(), np.zeros(chain.nv), 2e-3)
    with pytest.raises(TooLargeError, match=r"act at every stage of 'rk4'.*take 'semi_implicit' or 'euler'"):
        lw.simulate(*start, 1e-3, "rk4", actuation=driven)
    motion = lw.simulate(*start, 1e-3, "euler", actuation=driven)
    np.testing.assert_allclose(motion.tau[:2, 0], 3.0 * (0.3 - motion.q[:2, 0]) - 0.1 * motion.v[:2, 0], rtol=1e-12)
