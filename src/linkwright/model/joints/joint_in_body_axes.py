"""Planar, spherical and free joints, whose velocities are in axes that rotate with the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.model.joints.joint_type import JointType, MirroredJoint
from linkwright.spatial.arrays import Array, atan2
from linkwright.spatial.exp_rates import turn_rates, twist_rates
from linkwright.spatial.rotation import (
    exp_coefficients,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_matrix,
    quaternion_product,
    quaternion_unit,
    rotation_z,
    skew,
    translation_of_exp,
    translation_of_log,
    turn_gradient,
    twist_gradient,
    twist_gradient_inverse,
)
from linkwright.spatial.transform import motion_to_child, pose_matrix
from linkwright.spatial.vectors import motion_cross


def adjoint_of(motion: JointType, v: Array) -> Array:
    """Return the adjoint of a joint whose motions form a group: twists before a motion Exp(v), in the axes after it."""
    S = motion.motion_subspace(motion.neutral)
    return S.T @ motion_to_child(motion.transform(motion.integrate(motion.neutral, v)), S)


Z = np.eye(3)[2]
PLANE = [0, 1, 5]
"""Indices of the x-y plane in a twist."""


def _in_space(x: Array) -> Array:
    """Return a twist or wrench (6,) from its part (3,) in the x-y plane."""
    nil = 0.0 * x[0]
    return np.stack([x[0], x[1], nil, nil, nil, x[2]])


@dataclass(frozen=True)
class Planar(JointType):
    """Motion in the x-y plane; the velocity is in body axes."""

    type = "planar"
    units = ("m", "m", "rad")
    coordinate_names = ("x", "y", "angle")
    velocity_names = ("vx", "vy", "ω")

    @property
    def circular(self) -> tuple[int, ...]:
        return (2,)

    @property
    def plain(self) -> tuple[tuple[int, int], ...]:
        return ((2, 2),)

    @property
    def turning(self) -> tuple[int, ...]:
        return (2,)

    def transform(self, q: Array) -> Array:
        return pose_matrix(rotation_z(q[2]), np.stack([q[0], q[1], 0.0 * q[2]]))

    def motion_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, [0, 1, 5]]

    def integrate(self, q: Array, v: Array) -> Array:
        a, b, _ = exp_coefficients(v[2] * v[2])
        b = b * v[2]  # (1 − cos ω)/ω
        step = rotation_z(q[2])[:2, :2] @ np.stack([a * v[0] - b * v[1], b * v[0] + a * v[1]])
        return np.stack([q[0] + step[0], q[1] + step[1], q[2] + v[2]])

    def difference(self, q0: Array, q1: Array) -> Array:
        turn = q1[2] - q0[2]
        turn = atan2(np.sin(turn), np.cos(turn))  # the smaller angle
        step = rotation_z(q0[2]).T @ np.stack([q1[0] - q0[0], q1[1] - q0[1], 0.0 * turn])
        v = translation_of_log(turn * Z, step)
        return np.stack([v[0], v[1], turn])

    def configuration_rate(self, q: Array, v: Array) -> Array:
        rate = rotation_z(q[2])[:2, :2] @ v[:2]
        return np.stack([rate[0], rate[1], v[2]])

    def bracket(self, u: Array, v: Array) -> Array:
        return np.stack([v[2] * u[1] - u[2] * v[1], u[2] * v[0] - v[2] * u[0], 0.0 * u[2]])

    def adjoint(self, v: Array) -> Array:
        return adjoint_of(self, v)

    def exp_gradient(self, u: Array, f: Array) -> Array:
        return twist_gradient(_in_space(u), _in_space(f))[PLANE]

    def exp_gradient_inverse(self, u: Array, f: Array) -> Array:
        return twist_gradient_inverse(_in_space(u), _in_space(f))[PLANE]

    def exp_rates(self, u: Sequence[Array]) -> list[Array]:
        return [x[PLANE] for x in twist_rates([_in_space(x) for x in u])]

    def displacement(self, rest: Array, q: Array) -> Array:
        shift = rotation_z(q[2])[:2, :2].T @ (q[:2] - rest[:2])
        return np.stack([shift[0], shift[1], q[2] - rest[2]])

    def displacement_gradient(self, rest: Array, q: Array, f: Array) -> Array:
        x, y, _ = self.displacement(rest, q)  # the displacement is in axes that rotate with the body
        return np.stack([f[0], f[1], f[2] + y * f[0] - x * f[1]])

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, [2, 3, 4]]

    def effort_subspace(self, q: Array) -> Array:
        return self.motion_subspace(q)


@dataclass(frozen=True)
class Spherical(JointType):
    """Ball joint; q is a unit quaternion (w, x, y, z), v the angular velocity in body axes."""

    type = "spherical"
    units = ("rad", "rad", "rad")
    coordinate_names = ("w", "x", "y", "z")
    velocity_names = ("ωx", "ωy", "ωz")
    isotropic = True

    def mirrored(self, M: Array) -> MirroredJoint:
        return MirroredJoint(self, M, _mirrored_quaternion(M))

    @property
    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    @property
    def quaternions(self) -> tuple[int, ...]:
        return (0,)

    def transform(self, q: Array) -> Array:
        return pose_matrix(quaternion_matrix(q))

    def motion_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, 3:]

    def integrate(self, q: Array, v: Array) -> Array:
        return quaternion_unit(quaternion_product(q, quaternion_exp(v)))

    def difference(self, q0: Array, q1: Array) -> Array:
        return quaternion_log(quaternion_product(quaternion_conjugate(q0), q1))

    def configuration_rate(self, q: Array, v: Array) -> Array:
        return 0.5 * quaternion_product(q, np.stack([0.0 * v[0], v[0], v[1], v[2]]))

    def bracket(self, u: Array, v: Array) -> Array:
        return skew(u) @ v

    def adjoint(self, v: Array) -> Array:
        return adjoint_of(self, v)

    def exp_gradient(self, u: Array, f: Array) -> Array:
        return translation_of_exp(u, f)

    def exp_gradient_inverse(self, u: Array, f: Array) -> Array:
        return translation_of_log(u, f)

    def exp_rates(self, u: Sequence[Array]) -> list[Array]:
        return turn_rates(u)

    def displacement_gradient(self, rest: Array, q: Array, f: Array) -> Array:
        return turn_gradient(self.displacement(rest, q), f)

    @property
    def reach(self) -> Array:
        return np.ones(4)

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, :3]

    def effort_subspace(self, q: Array) -> Array:
        return self.motion_subspace(q)


@dataclass(frozen=True)
class Free(JointType):
    """Free motion: position, then quaternion; v is the twist [v; ω] of the body in body axes."""

    type = "free"
    units = ("m", "m", "m", "rad", "rad", "rad")
    coordinate_names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    velocity_names = ("vx", "vy", "vz", "ωx", "ωy", "ωz")
    floating = True

    def mirrored(self, M: Array) -> MirroredJoint:
        return MirroredJoint(self, M, np.concatenate([np.diag(M), _mirrored_quaternion(M)]))

    @property
    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    @property
    def quaternions(self) -> tuple[int, ...]:
        return (3,)

    @property
    def turning(self) -> tuple[int, ...]:
        return (3, 4, 5)

    def transform(self, q: Array) -> Array:
        return pose_matrix(quaternion_matrix(q[3:]), q[:3])

    def motion_subspace(self, q: Array) -> Array:
        return np.eye(6)

    def integrate(self, q: Array, v: Array) -> Array:
        p = q[:3] + quaternion_matrix(q[3:]) @ translation_of_exp(v[3:], v[:3])
        return np.concatenate([p, quaternion_unit(quaternion_product(q[3:], quaternion_exp(v[3:])))])

    def difference(self, q0: Array, q1: Array) -> Array:
        r = quaternion_log(quaternion_product(quaternion_conjugate(q0[3:]), q1[3:]))
        return np.concatenate([translation_of_log(r, quaternion_matrix(q0[3:]).T @ (q1[:3] - q0[:3])), r])

    def configuration_rate(self, q: Array, v: Array) -> Array:
        turn = np.stack([0.0 * v[3], v[3], v[4], v[5]])
        return np.concatenate([quaternion_matrix(q[3:]) @ v[:3], 0.5 * quaternion_product(q[3:], turn)])

    def bracket(self, u: Array, v: Array) -> Array:
        return motion_cross(u) @ v

    def adjoint(self, v: Array) -> Array:
        return adjoint_of(self, v)

    def exp_gradient(self, u: Array, f: Array) -> Array:
        return twist_gradient(u, f)

    def exp_gradient_inverse(self, u: Array, f: Array) -> Array:
        return twist_gradient_inverse(u, f)

    def exp_rates(self, u: Sequence[Array]) -> list[Array]:
        return twist_rates(u)

    def displacement(self, rest: Array, q: Array) -> Array:
        r = quaternion_log(quaternion_product(quaternion_conjugate(rest[3:]), q[3:]))
        return np.concatenate([quaternion_matrix(q[3:]).T @ (q[:3] - rest[:3]), r])

    def displacement_gradient(self, rest: Array, q: Array, f: Array) -> Array:
        u = self.displacement(rest, q)
        return np.concatenate([f[:3], turn_gradient(u[3:], f[3:]) - skew(u[:3]) @ f[:3]])

    @property
    def reach(self) -> Array:
        return np.ones(7)

    def constraint_subspace(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def effort_subspace(self, q: Array) -> Array:
        return self.motion_subspace(q)


def _mirrored_quaternion(M: Array) -> Array:
    """Return the signs (4,) of a quaternion in a mirror: a rotation vector r becomes −M r."""
    return np.concatenate([[1.0], -np.diag(M)])
