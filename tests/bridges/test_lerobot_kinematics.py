"""LeRobot's interface: degrees, the gripper's position kept, weights of position and orientation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.ik_solvers.test_exact import real_robot

import linkwright as lw
from linkwright.bridges.lerobot import RobotKinematics
from linkwright.errors import ArgumentError, FormatWarning, InputError, ModelError, ShapeError, UnknownNameError

FRAME = "gripper_frame_link"
ARM = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"]


@pytest.fixture(scope="module")
def so101():
    return real_robot("so101.urdf")


@pytest.fixture(scope="module")
def puma():
    return lw.load("puma560")


def test_so101_reaches_its_own_poses_and_keeps_its_gripper(so101):
    kinematics = RobotKinematics(so101)
    assert kinematics.joint_names == [*ARM, "gripper"]
    random = np.random.default_rng(2)
    for q in so101.random(20, seed=2):
        degrees = np.rad2deg(q)
        T = kinematics.forward_kinematics(degrees)
        assert np.allclose(T, lw.pose(so101, q, FRAME), rtol=0.0, atol=1e-12)
        current = degrees + random.uniform(-3.0, 3.0, 6)
        current[5] = 140.0  # beyond its limit
        found = kinematics.inverse_kinematics(current, T)
        assert found[5] == 140.0
        lower, upper = np.rad2deg([so101.lower[:5], so101.upper[:5]])
        assert ((found[:5] >= lower - 1e-9) & (found[:5] <= upper + 1e-9)).all()
        assert np.allclose(kinematics.forward_kinematics(found), T, rtol=0.0, atol=1e-5)


def test_entries_behind_the_joints_are_kept_and_arguments_are_not_changed(so101):
    kinematics = RobotKinematics(so101, joint_names=ARM)
    current = np.array([10.0, 20.0, -30.0, 40.0, 5.0, 33.0, 44.0])
    T = kinematics.forward_kinematics(current + 1.0)
    given = current.copy()
    found = kinematics.inverse_kinematics(current, T)
    assert found[5:].tolist() == [33.0, 44.0]
    assert np.allclose(found[:5], current[:5] + 1.0, atol=1e-3)
    assert (current == given).all()


def error(kinematics, degrees, T, orientation_weight):
    X = kinematics.forward_kinematics(degrees)
    turn = np.linalg.norm(lw.rotation.log(X[:3, :3].T @ T[:3, :3]))
    # of far rotations the error is 4 sin(θ/4)
    return ((X[:3, 3] - T[:3, 3]) ** 2).sum() + orientation_weight * (4.0 * np.sin(0.25 * turn)) ** 2


@pytest.mark.parametrize("weight", [0.01, 1.0])
def test_an_orientation_that_five_joints_cannot_reach_is_weighed_against_the_position(so101, weight):
    kinematics = RobotKinematics(so101, joint_names=ARM)
    current = np.array([10.0, -20.0, 30.0, 40.0, 5.0])
    T = kinematics.forward_kinematics(current)
    T[:3, :3] = lw.rotation.exp([0.1, -0.05, 0.15]) @ T[:3, :3]
    found = kinematics.inverse_kinematics(current, T, 1.0, weight)
    least = error(kinematics, found, T, weight)
    assert 1e-8 < least < error(kinematics, current, T, weight)
    for change in np.concatenate([np.eye(5), -np.eye(5)]):
        assert error(kinematics, found + 0.3 * change, T, weight) > least


def test_the_posture_stays_near_the_current_one():
    arm = lw.load("arm4")
    kinematics = RobotKinematics(arm, "tool")
    current = np.array([20.0, 30.0, -50.0, 20.0])
    T = kinematics.forward_kinematics(current)
    T[:3, 3] += [5e-4, 5e-4, 0.0]  # with this orientation, out of reach for four joints
    assert np.allclose(kinematics.inverse_kinematics(current, T), [20.02, 29.91, -49.81, 19.90], atol=0.01)
    random = np.random.default_rng()
    for q in 0.9 * arm.random(50, seed=int(random.integers(1000))):
        current = np.rad2deg(q)
        T = kinematics.forward_kinematics(current)
        T[:3, 3] += random.uniform(-3e-4, 3e-4, 3)
        assert np.abs(kinematics.inverse_kinematics(current, T) - current).max() < 10.0


def test_position_alone_and_orientation_alone(so101):
    kinematics = RobotKinematics(so101)
    current = np.array([10.0, -20.0, 30.0, 40.0, 5.0, 0.0])
    T = kinematics.forward_kinematics(current + 5.0)
    turned = T.copy()
    turned[:3, :3] = turned[:3, :3] @ lw.rotation.about("x", 0.5)
    found = kinematics.inverse_kinematics(current, turned, orientation_weight=0.0)
    assert np.allclose(kinematics.forward_kinematics(found)[:3, 3], T[:3, 3], atol=1e-5)
    found = kinematics.inverse_kinematics(current, T + np.eye(4)[:, 3] * [[9.0], [9.0], [9.0], [0.0]], 0.0, 1.0)
    assert np.allclose(kinematics.forward_kinematics(found)[:3, :3], T[:3, :3], atol=1e-5)


def test_other_joints_rest(puma):
    kinematics = RobotKinematics(puma, "tool", ["joint2", "joint1"])
    T = lw.pose(puma, np.array([0.2, 0.1, 0.0, 0.0, 0.0, 0.0]), "tool")
    assert np.allclose(kinematics.forward_kinematics(np.rad2deg([0.1, 0.2])), T)
    found = kinematics.inverse_kinematics(np.zeros(2), T)
    assert np.allclose(found, np.rad2deg([0.1, 0.2]), atol=1e-3)


def test_files_are_read(puma, tmp_path):
    with pytest.warns(FormatWarning, match="armature"):
        file = puma.save(tmp_path / "puma.urdf")
    T = RobotKinematics(str(file), target_frame_name="tool").forward_kinematics(np.full(6, 30.0))
    assert np.allclose(T, lw.pose(puma, np.full(6, np.deg2rad(30.0)), "tool"))


def test_wrong_calls(puma):
    kinematics = RobotKinematics(puma, "tool")
    T, zero = np.eye(4), np.zeros(6)
    with pytest.raises(UnknownNameError, match="hand"):
        RobotKinematics(puma, "hand")
    with pytest.raises(UnknownNameError, match="joint9"):
        RobotKinematics(puma, "tool", ["joint1", "joint9"])
    for names in ("joint1", ["joint1", "joint1"]):
        with pytest.raises(ArgumentError, match="joint_names"):
            RobotKinematics(puma, "tool", names)
    with pytest.raises(ModelError, match=r"no angle in degrees.*joint_names="):
        RobotKinematics(lw.load("slider_crank"), lw.load("slider_crank").bodies[0].name)
    for wrong in (np.zeros(5), np.zeros((2, 6))):
        with pytest.raises(ShapeError, match="joint_pos"):
            kinematics.forward_kinematics(wrong)
    with pytest.raises(InputError, match="finite"):
        kinematics.inverse_kinematics(np.full(6, np.nan), T)
    with pytest.raises(ShapeError, match="desired_ee_pose"):
        kinematics.inverse_kinematics(zero, T[:3])
    with pytest.raises(InputError):
        kinematics.inverse_kinematics(zero, T * np.nan)
    for weights in ((0.0, 0.0), (-1.0, 1.0), (1.0, np.nan)):
        with pytest.raises(InputError, match="weight"):
            kinematics.inverse_kinematics(zero, T, *weights)
