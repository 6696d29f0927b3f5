"""Keyframes of MJCF files: states as in MuJoCo, read and written, and kept by transformations that keep coordinates."""

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning, InputError, UnknownNameError
from linkwright.formats.load import load
from linkwright.formats.mjcf import velocity_to_mujoco
from linkwright.model.build.assembly import assemble, described
from linkwright.model.joints.joint import JOINT_TYPES, Cylindrical, Free, Prismatic, Revolute, Spherical, Universal
from linkwright.model.parts.keyframe import JointState, KeyframeSpec
from mechanisms import random_tree

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

TEXT = """<mujoco>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint name="root"/>
      <geom size=".1"/>
      <body name="leg" pos=".1 0 0">
        <joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0" ref="10"/>
        <geom size=".1" pos="0 0 -.2"/>
        <body name="foot" pos="0 0 -.4"><joint name="ankle" type="ball"/><geom size=".05" pos=".1 0 0"/></body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="yaw"/><intvelocity joint="pitch" actrange="-2 2"/><adhesion body="foot" ctrlrange="0 1"/>
    <general joint="yaw" dyntype="filter"/>
  </actuator>
  <keyframe>
    <key name="home" time="2" ctrl="1 2 .5 4" act=".5 -.5"
      qpos="1 2 3 .6 0 .8 0 .1 .2 .5 .5 .5 .5" qvel="1 2 3 4 5 6 7 8 9 10 11"/>
    <key qpos="0 0 1 1 0 0 0 0 0 1 0 0 0"/>
  </keyframe>
</mujoco>"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "robot.xml"
    path.write_text(TEXT)
    with pytest.warns(FormatWarning, match="actuators with a transmission of the kind body"):
        model = lw.load(path, trusted=True)
    return model, mujoco.MjModel.from_xml_path(str(path)), path


def saved(model, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        model.save(path)
        return load(path, trusted=True)


def keyed(model, seed=0):
    """The model with one keyframe, of a random state."""
    q, v = model.random(seed=seed), np.random.default_rng(seed).normal(size=model.nv)
    states = tuple(
        JointState(joint.name, tuple(q[model.slice(joint.name).q]), tuple(v[model.slice(joint.name).v]))
        for joint in model.joints
        if not joint.coupling
    )
    return assemble(replace(described(model), keyframes=(KeyframeSpec("one", states, time=0.5),)))


def test_keyframes_are_states_of_mujoco(robot):
    model, peer, _ = robot
    assert [*model.keyframes] == ["home", "key1"]
    assert [key.time for key in model.keyframes.values()] == [2.0, 0.0]
    data = mujoco.MjData(peer)
    for k, key in enumerate(model.keyframes.values()):
        mujoco.mj_resetDataKeyframe(peer, data, k)
        np.testing.assert_allclose(key.q, data.qpos, atol=1e-15)
        np.testing.assert_allclose(velocity_to_mujoco(model, key.q, key.v), data.qvel, atol=1e-14)
        np.testing.assert_array_equal(key.controls, data.ctrl[[0, 1, 3]])
        np.testing.assert_array_equal(key.activations, data.act)


@pytest.mark.usefixtures("in_children")
def test_a_separate_process_reads_the_same(robot):
    model, _, path = robot
    with pytest.warns(FormatWarning):
        assert lw.load(path).keyframes == model.keyframes


def test_controls_and_activations_are_written(robot, tmp_path):
    model, _, _ = robot
    again = saved(model, tmp_path / "again.xml")
    for name, key in model.keyframes.items():
        np.testing.assert_array_equal(again.keyframes[name].controls, key.controls)
        np.testing.assert_array_equal(again.keyframes[name].activations, key.activations)


def test_models_with_other_keyframes_differ_and_copies_are_equal(robot):
    model, _, _ = robot
    assert pickle.loads(pickle.dumps(model)) == model
    assert keyed(model, 1) != keyed(model, 2)


@pytest.mark.parametrize("kinds", [[Revolute, Prismatic], [Free, Revolute, Spherical], [Cylindrical, Universal]])
def test_written_and_read_again_the_state_is_the_same(kinds, tmp_path):
    model = keyed(random_tree(kinds, 3, springs=False))
    again = saved(model, tmp_path / "robot.xml")
    (key,), (read,) = model.keyframes.values(), again.keyframes.values()
    assert read.name == "one"
    assert read.time == 0.5
    for body in model.bodies:
        np.testing.assert_allclose(lw.pose(again, read.q, body.name), lw.pose(model, key.q, body.name), atol=1e-12)
        np.testing.assert_allclose(
            lw.velocity(again, read.q, read.v, body.name), lw.velocity(model, key.q, key.v, body.name), atol=1e-11
        )


def test_a_mimic_joint_has_its_coordinate_in_the_file(tmp_path):
    made = lw.Builder("pair").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1)
    made.joint("lead", "revolute", "world", "a", axis=(0, 1, 0))
    made.joint("follow", "revolute", "a", "b", axis=(0, 1, 0), xyz=(1, 0, 0))
    model = keyed(made.mimic("follow", "lead", 2.0, 0.1).build())
    again = saved(model, tmp_path / "pair.xml")
    (key,), (read,) = model.keyframes.values(), again.keyframes.values()
    np.testing.assert_allclose(read.q, [key.q[0], 2.0 * key.q[0] + 0.1])
    np.testing.assert_allclose(read.v, [key.v[0], 2.0 * key.v[0]])


def test_keyframes_of_joints_that_mujoco_lacks_are_a_loss(tmp_path):
    model = keyed(random_tree([JOINT_TYPES[-1], *JOINT_TYPES], 1, springs=False))
    with pytest.warns(FormatWarning, match="keyframes are lost"):
        model.save(tmp_path / "robot.xml")


@pytest.mark.parametrize("ending", [".urdf", ".sdf", ".ztk"])
def test_other_formats_report_lost_keyframes(ending, tmp_path):
    with pytest.warns(FormatWarning, match="keyframes are lost: 'one'"):
        keyed(lw.load("two_link")).save(tmp_path / f"arm{ending}")


def test_locked_joints_are_omitted_and_new_ones_are_neutral(robot):
    model, _, _ = robot
    home = model.keyframes["home"]
    locked = model.lock({"ankle": [1.0, 0.0, 0.0, 0.0]})
    np.testing.assert_array_equal(locked.keyframes["home"].q, home.q[:9])
    np.testing.assert_array_equal(locked.keyframes["home"].v, home.v[:8])
    more = model.append(keyed(lw.load("two_link")), "foot", prefix="tool_")
    assert [*more.keyframes] == ["home", "key1"]
    np.testing.assert_array_equal(more.keyframes["home"].q, [*home.q, 0.0, 0.0])
    for other in (model.with_gravity([0, 0, -1]), model.minimal(), model.with_joint("pitch", damping=1.0)):
        np.testing.assert_array_equal(other.keyframes["home"].q, home.q)


def test_other_coordinates_drop_keyframes(robot):
    model, _, _ = robot
    assert not model.mirror().keyframes
    assert not model.reroot("foot").keyframes
    assert not model.lock({"pitch": 0.0}).keyframes  # leg_joints has one coordinate less


def test_a_simulation_starts_from_a_keyframe(robot):
    model, peer, _ = robot
    home, data = model.keyframes["home"], mujoco.MjData(peer)
    peer.opt.integrator, peer.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-3
    peer.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_step(peer, data, 10)
    driven = lw.Actuation(controls=home.controls, activations=home.activations)
    motion = lw.simulate(model, home.q, home.v, 0.01, method="rk4", actuation=driven)
    np.testing.assert_allclose(motion.q[-1], data.qpos, atol=1e-6)


DRIVEN = TEXT.replace('<adhesion body="foot" ctrlrange="0 1"/>', "").replace('ctrl="1 2 .5 4"', 'ctrl="1 2 4"')
"""without the actuator that is left out with a warning"""


def test_an_unknown_keyframe_is_reported_with_the_names():
    model = load(DRIVEN)
    for one in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        with pytest.raises(UnknownNameError, match="unknown keyframe 'hom'; there are home, key1"):
            one.keyframes["hom"]
        assert "hom" not in one.keyframes
        assert one.keyframes.get("hom") is None
    with pytest.raises(KeyError, match="the model has no keyframes"):
        lw.load("two_link").keyframes["up"]


@pytest.mark.parametrize("controls", [np.nan, [1.0, np.inf, 0.0], [[0.0, 0.0, np.nan]]])
def test_controls_that_are_not_finite_are_refused_by_name(controls):
    model = load(DRIVEN)
    if np.ndim(controls) == 2:
        q, v = np.tile(model.neutral(), (1, 1)), np.zeros((1, model.nv))
    else:
        q, v = model.neutral(), np.zeros(model.nv)
    with pytest.raises(InputError, match="controls are not finite"):
        lw.simulate(model, q, v, 0.01, 1e-3, actuation=lw.Actuation(controls=controls))
    with pytest.raises(InputError, match="controls are not finite"):
        lw.rollout(model, q, v, 5, 1e-3, actuation=lw.Actuation(controls=controls))
