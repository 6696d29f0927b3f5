"""The interface of LeRobot's kinematics: positions of joints in degrees, poses of one frame.

LeRobot's processors of end-effector poses take an object of this interface; neither LeRobot nor placo is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from linkwright.bounds import at_least
from linkwright.compiler.public import public
from linkwright.dynamics.kinematics import pose
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, explained
from linkwright.formats.load import load
from linkwright.ik_solvers.reach import descended
from linkwright.ik_solvers.task import Task
from linkwright.ik_solvers.tasks import Position, Rotation
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

__all__ = ["RobotKinematics"]

_POSE = public(pose)


class RobotKinematics:
    """Forward and inverse kinematics with the interface of LeRobot's class of this name.

    Parameters
    ----------
    urdf_path : str, Path or Model
        File of the robot, or its model.
    target_frame_name : str, optional
        Name of the frame that reaches the targets.
    joint_names : sequence of str, optional
        Joints of the arrays, in their order; by default all of the robot. Other joints stay at 0, or at the limit that
        is nearest to it.

    Raises
    ------
    UnknownNameError
        If the robot has no such frame or joint.
    ModelError
        If a joint has no angle: positions are in degrees.

    Notes
    -----
    Arrays may be longer than the joints: entries after these, such as that of a gripper, are kept. So are joints that
    do not move the frame, within their limits or not.

    Examples
    --------
    >>> import linkwright as lw
    >>> from linkwright.bridges.lerobot import RobotKinematics
    >>> kinematics = RobotKinematics(lw.load("puma560"), "tool")
    >>> target = kinematics.forward_kinematics([10.0, 20.0, 30.0, 40.0, 50.0, 60.0])
    >>> kinematics.inverse_kinematics([12.0, 18.0, 33.0, 40.0, 48.0, 60.0], target).round(6)
    array([10., 20., 30., 40., 50., 60.])
    """

    @explained
    def __init__(
        self,
        urdf_path: str | PathLike[str] | Model,
        target_frame_name: str = "gripper_frame_link",
        joint_names: Sequence[str] | None = None,
    ):
        self.robot = model = urdf_path if isinstance(urdf_path, Model) else load(urdf_path)
        self.target_frame_name = target_frame_name
        if isinstance(joint_names, str):
            raise ArgumentError(f"joint_names is a list of names; got {joint_names!r}")
        if joint_names is not None and not len(joint_names):
            raise ArgumentError("joint_names is empty; None selects all joints of the robot")
        free = [joint.name for joint in model.joints if joint.coupling is None]
        self.joint_names = free if joint_names is None else list(joint_names)
        joints = [model.joint(name) for name in self.joint_names]
        for joint in joints:
            if not joint.motion.hinge:
                raise ModelError(
                    f"joint {joint.name!r} of {model.name!r} has no angle in degrees: {joint.motion}; select "
                    "the joints of the arrays with joint_names=[…]"
                )
        if len(set(self.joint_names)) < len(joints):
            raise ArgumentError(f"joint_names lists a joint twice: {self.joint_names}")
        self._places = [model.slice(name).q.start for name in self.joint_names]
        self._rest = np.clip(model.neutral(), model.lower, model.upper)
        path = [model.joints[body].name for body in model.path(model.frame(target_frame_name).body)]
        self._moving = [k for k, name in enumerate(self.joint_names) if name in path]
        self._fixed = tuple(name for name in free if name not in self.joint_names or name not in path)
        self._tasks: dict[tuple[float, float], tuple[Task | None, Task | None]] = {}

    @explained
    def forward_kinematics(self, joint_pos_deg: Any) -> Array:
        """Compute the pose of the frame.

        Parameters
        ----------
        joint_pos_deg : array_like, shape (n,)
            Positions of the joints, degrees; further entries are ignored.

        Returns
        -------
        ndarray, shape (4, 4)
            Pose in the world.
        """
        _, q = self._configuration("joint_pos_deg", joint_pos_deg)
        return np.asarray(_POSE(self.robot, q, self.target_frame_name))

    @explained
    def inverse_kinematics(
        self,
        current_joint_pos: Any,
        desired_ee_pose: Any,
        position_weight: float = 1.0,
        orientation_weight: float = 0.01,
    ) -> Array:
        """Compute positions of the joints near the current ones with which the frame is at or nearest to a pose.

        The error decreases from the current positions to a local minimum: the posture does not jump to another one,
        even one with a smaller error.

        Parameters
        ----------
        current_joint_pos : array_like, shape (n,)
            Current positions of the joints, degrees: the start of the search.
        desired_ee_pose : array_like, shape (4, 4)
            Pose in the world.
        position_weight, orientation_weight : float, optional
            Weights of the squared errors, m² and rad²; 0 leaves the position or the orientation free.

        Returns
        -------
        ndarray, shape (n,)
            Positions of the joints within their limits, degrees; further entries and joints that do not move the frame
            are those given.
        """
        current, q = self._configuration("current_joint_pos", current_joint_pos)
        target = as_numbers("desired_ee_pose", desired_ee_pose)
        if target.shape != (4, 4):
            raise ShapeError(f"desired_ee_pose has shape {target.shape}; expected (4, 4)")
        position, rotation = self._tasks_of(position_weight, orientation_weight)
        targets: dict[Task, Array] = {}
        if position is not None:
            targets[position] = target[:3, 3]
        if rotation is not None:
            targets[rotation] = target[:3, :3]
        q = np.clip(q, self.robot.lower, self.robot.upper)
        reached = descended(self.robot, targets, q, self._fixed)
        for k in self._moving:
            current[k] = np.rad2deg(reached[self._places[k]])
        return current

    def _tasks_of(self, position_weight: float, orientation_weight: float) -> tuple[Task | None, Task | None]:
        key = position_weight, orientation_weight
        if key not in self._tasks:
            at_least("position_weight", position_weight, 0.0)
            at_least("orientation_weight", orientation_weight, 0.0)
            if position_weight == orientation_weight == 0.0:
                raise InputError("position_weight and orientation_weight are 0: nothing is to be reached")
            frame, length = (
                self.target_frame_name,
                scale_of(self.robot).length,
            )  # errors are relative to it
            self._tasks[key] = (
                Position(frame, weight=position_weight * length * length) if position_weight else None,
                Rotation(frame, weight=orientation_weight) if orientation_weight else None,
            )
        return self._tasks[key]

    def _configuration(self, name: str, degrees: Any) -> tuple[Array, Array]:
        """A copy of the positions, and the configuration."""
        given, n = np.array(as_numbers(name, degrees), dtype=float), len(self._places)
        if given.ndim != 1 or len(given) < n:
            raise ShapeError(f"{name} has shape {given.shape}; expected ({n},) or more: {', '.join(self.joint_names)}")
        if not np.isfinite(given[:n]).all():
            raise InputError(f"{name} is {given}; expected finite numbers")
        q = self._rest.copy()
        q[self._places] = np.deg2rad(given[:n])
        return given, q
