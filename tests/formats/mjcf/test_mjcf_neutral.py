"""The neutral configuration of MJCF files is MuJoCo's qpos0, through the writer and transformations."""

import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError

mujoco = pytest.importorskip("mujoco")

ROBOT = """
<mujoco><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="1 2 3" quat="0.5 0.5 0.5 0.5"><freejoint name="root"/><geom size=".1"/>
    <body name="arm" pos="0.3 0 0">
      <joint name="hinge" axis="0 1 0" ref="0.4" pos="0 0.1 0"/>
      <joint name="slide" type="slide" ref="-0.2" axis="1 0 1"/>
      <geom size=".1" pos="0 0 1"/>
      <body name="hand" pos="0.3 0 0.2"><joint name="ball" type="ball"/><geom size=".1" pos="0 0 1"/></body>
    </body>
    <body name="leg" pos="0.3 1 0" euler="0.3 0 0">
      <joint name="knee" axis="0 1 0" ref="0.7" pos="0.1 0 0"/><geom size=".1" pos="0 0 1"/>
    </body>
  </body>{more}
</worldbody><equality><joint joint1="hinge" joint2="knee" polycoef="0.1 1 0.2 0 0"/></equality></mujoco>
"""
OBJECT = """
  <body name="box" pos="1 -1 1" euler="0.3 0.5 0">
    <joint type="free" armature="0.1" name="of box"/><geom size=".1"/></body>
"""

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")


@pytest.fixture(scope="module")
def robot():
    return lw.load(ROBOT.format(more=OBJECT))


@pytest.fixture(scope="module")
def alone():
    return lw.load(ROBOT.format(more=""))


def test_neutral_is_the_pose_of_the_file(robot):
    m = mujoco.MjModel.from_xml_string(ROBOT.format(more=OBJECT))
    data = mujoco.MjData(m)
    mujoco.mj_kinematics(m, data)
    np.testing.assert_array_equal(robot.neutral(), m.qpos0)
    for name in ("trunk", "arm", "hand", "leg", "box"):
        T = lw.pose(robot, robot.neutral(), name)
        np.testing.assert_allclose(T[:3, 3], data.body(name).xpos, atol=1e-12)
        np.testing.assert_allclose(T[:3, :3], data.body(name).xmat.reshape(3, 3), atol=1e-12)


def test_written_file_has_the_same_neutral_configuration(robot, tmp_path):
    robot.save(tmp_path / "again.xml")
    again = lw.load(tmp_path / "again.xml")
    np.testing.assert_allclose(again.neutral(), robot.neutral(), atol=1e-15)
    q = robot.random(seed=3)
    for name in robot.frames:
        np.testing.assert_allclose(lw.pose(again, q, name), lw.pose(robot, q, name), atol=1e-12)
    np.testing.assert_allclose(lw.mass_matrix(again, q), lw.mass_matrix(robot, q), atol=1e-12)
    np.testing.assert_allclose(again.loops[0].coefficients, robot.loops[0].coefficients, atol=1e-15)


def test_mimic_joints_are_written_relative_to_the_neutral_coordinates(tmp_path):
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="second" type="continuous"><parent link="b"/><child link="c"/>
        <mimic joint="first" multiplier="2" offset="0.3"/></joint>
      <joint name="first" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    model = lw.load(text).with_joint("first", neutral=0.5)
    with pytest.warns(lw.errors.FormatWarning):
        model.save(tmp_path / "mimic.xml")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "mimic.xml"))
    follower, leader = m.joint("second").qposadr[0], m.joint("first").qposadr[0]
    assert (m.eq_obj1id[0], m.eq_obj2id[0]) == (m.joint("second").id, m.joint("first").id)
    c = m.eq_data[0, :2]
    for q in (0.0, 0.8):
        x = m.qpos0[follower] + c[0] + c[1] * (q - m.qpos0[leader])
        assert x == pytest.approx(2.0 * q + 0.3)


def test_writers_without_neutral_coordinates_report_the_loss(alone, tmp_path):
    with pytest.warns(lw.errors.FormatWarning, match="neutral coordinates of joints are lost"):
        alone.save(tmp_path / "robot.sdf")


def test_transformations_keep_the_neutral_configuration(alone):
    assert pickle.loads(pickle.dumps(alone)) == alone
    locked = alone.lock({"hinge": 0.2})
    assert locked.nq == alone.nq - 1
    np.testing.assert_array_equal(locked.neutral(), np.delete(alone.neutral(), 7))
    assert alone.joint("slide").neutral == -0.2
    rerooted = alone.reroot("leg")
    mirrored, M = alone.mirror("x"), np.diag([-1.0, 1.0, 1.0, 1.0])
    for name in alone.frames:
        T = lw.pose(alone, alone.neutral(), name)
        np.testing.assert_allclose(lw.pose(rerooted, rerooted.neutral(), name), T, atol=1e-12)
        np.testing.assert_allclose(lw.pose(mirrored, mirrored.neutral(), name), M @ T @ M, atol=1e-12)


def test_changed_neutral_coordinates(alone):
    assert alone.with_joint("knee", neutral=0.1).neutral()[-1] == 0.1
    assert alone.with_joint("knee", neutral=None).neutral()[-1] == 0.0
    for name, wrong in (("knee", np.nan), ("knee", [1.0, 2.0]), ("knee", "x"), ("root", np.zeros(7))):
        with pytest.raises(LinkwrightError, match="neutral"):
            alone.with_joint(name, neutral=wrong)


def test_a_floating_robot_may_be_loaded_with_a_free_root(alone):
    assert lw.load(ROBOT.format(more=""), root="free") == alone


@pytest.mark.parametrize(("file", "starts"), [(0.5, 0.5), (0.05, 0.1), (0.0, 0.1)])
def test_a_body_on_a_floor_starts_where_its_file_places_it(file, starts):
    text = '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="2 0 {}"><freejoint/>'
    ball = lw.load((text + '<geom size="0.1"/></body></worldbody></mujoco>').format(file))
    np.testing.assert_allclose(lw.default_configuration(ball)[0][:3], [2.0, 0.0, starts], atol=1e-9)
