"""A robot in Linkwright and in Pinocchio, and the way from one's conventions to the other's."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

pin = pytest.importorskip("pinocchio", reason="Pinocchio (the extra 'peers') is not installed")


def robot_folder() -> Path:
    """The robots of example-robot-data; skips the module where they are not installed."""
    try:
        place = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        pytest.skip("example-robot-data (the extra 'robots') is not installed", allow_module_level=True)
    return Path(str(place))


def read_urdf(path: Path, root: str | None = None) -> lw.Model:
    """A real robot: what its file has that is ignored or mended does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        return lw.load(path, root=root)


@dataclass
class Pair:
    """The same URDF read by both.

    Pinocchio ignores couplings, so its quantities are those of all joints ("full"); ours are theirs
    projected by G (v_full = G v), and G is the identity where no joint mimics another.
    """

    path: Path
    floating: bool

    @cached_property
    def ours(self) -> lw.Model:
        return read_urdf(self.path, "free" if self.floating else None)

    @cached_property
    def theirs(self) -> pin.Model:
        if self.floating:
            return pin.buildModelFromUrdf(str(self.path), pin.JointModelFreeFlyer())
        return pin.buildModelFromUrdf(str(self.path))

    @cached_property
    def data(self) -> pin.Data:
        return self.theirs.createData()

    @property
    def G(self) -> np.ndarray:
        return self.ours.coupling_matrix

    @cached_property
    def joints(self) -> list[pin.JointModel]:
        """Their joint of each of ours."""
        names = ["root_joint" if joint.type == "free" else joint.name for joint in self.ours.joints]
        assert all(self.theirs.existJointName(name) for name in names)
        assert self.theirs.njoints == len(names) + 1
        return [self.theirs.joints[self.theirs.getJointId(name)] for name in names]

    @cached_property
    def order(self) -> np.ndarray:
        """Where each of our full velocity coordinates stands among theirs."""
        return np.concatenate([np.arange(joint.idx_v, joint.idx_v + joint.nv) for joint in self.joints])

    def q(self, q: np.ndarray) -> np.ndarray:
        """Our coordinates as theirs: quaternions x y z w, unlimited angles as cosine and sine."""
        result = np.empty(self.theirs.nq)
        for ours, theirs, x in zip(self.ours.joints, self.joints, self.ours.coordinates(q), strict=True):
            if ours.type == "free":
                x = np.concatenate([x[:3], x[4:], x[3:4]])
            elif theirs.nq == 2:
                x = np.array([np.cos(x[0]), np.sin(x[0])])
            result[theirs.idx_q : theirs.idx_q + theirs.nq] = x
        return result

    def v(self, v: np.ndarray) -> np.ndarray:
        """Our velocities (accelerations) as theirs."""
        result = np.empty(self.theirs.nv)
        result[self.order] = self.G @ v
        return result

    def efforts(self, tau: np.ndarray) -> np.ndarray:
        """Their efforts as ours."""
        return self.G.T @ tau[self.order]

    def columns(self, J: np.ndarray) -> np.ndarray:
        """Their matrix over velocities as ours."""
        return J[:, self.order] @ self.G

    def square(self, M: np.ndarray) -> np.ndarray:
        """Their bilinear form over velocities as ours."""
        return self.G.T @ M[np.ix_(self.order, self.order)] @ self.G

    def frame(self, name: str) -> int:
        """Their number of a link."""
        return self.theirs.getFrameId(name, pin.FrameType.BODY)

    @cached_property
    def some_frames(self) -> list[str]:
        """A link in the middle of the longest chain, and one behind a fixed joint at its end if there is one."""
        depths = [len(self.ours.path(k)) for k in range(len(self.ours.bodies))]
        deepest = int(np.argmax(depths))
        body = self.ours.bodies[deepest]
        middle = self.ours.bodies[self.ours.path(deepest)[len(self.ours.path(deepest)) // 2]]
        return [body.links[-1], middle.name]

    def forces(self, q: np.ndarray, wrenches: dict[str, np.ndarray]) -> list[pin.Force]:
        """Our wrenches (at the frames' origins, world axes) as theirs (on the joints, local axes)."""
        pin.framesForwardKinematics(self.theirs, self.data, q)
        forces = [pin.Force.Zero() for _ in range(self.theirs.njoints)]
        for name, wrench in wrenches.items():
            number = self.frame(name)
            frame, R = self.theirs.frames[number], self.data.oMf[number].rotation
            local = pin.Force(R.T @ wrench[:3], R.T @ wrench[3:])
            forces[frame.parentJoint] += frame.placement.act(local)
        return forces


ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "kinova": ("kinova_description/robots/kinova.urdf", False),  # continuous joints
    "panda": ("panda_description/urdf/panda.urdf", False),  # mimic finger
    "pr2": ("pr2_description/urdf/pr2.urdf", False),  # continuous, prismatic, mimic
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", False),
    "anymal": ("anymal_c_simple_description/urdf/anymal.urdf", True),
    "solo12": ("solo_description/robots/solo12.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
    "icub": ("icub_description/robots/icub.urdf", True),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
}
"""URDF files of example-robot-data, and whether the base floats."""


def pair_of(name: str) -> Pair:
    """The robot of that name, read by both."""
    path, floating = ROBOTS[name]
    return Pair(robot_folder() / path, floating)


def states_of(pair: Pair, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random (q, v, a), each (rows, n)."""
    rng = np.random.default_rng(7)
    n = (rows, pair.ours.nv)
    return pair.ours.random(rows, seed=rng), rng.normal(size=n), rng.normal(size=n)
