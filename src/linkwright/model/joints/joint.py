"""Joint types: one small class each, the only code that depends on their coordinates.

A joint moves its child frame in its parent-side frame. Axes are canonical (z; a universal
joint rotates about z, then y); placements contain the rotation to the axes of the file.
To add a joint, write a class and list it in ``JOINT_TYPES``; all tests of joints then run on it.

Coordinates q and velocities v (SI, radians):

=============  =======================  ==========================================
revolute       angle                    its rate
revolute       angle                    its rate
helical        angle                    its rate; displacement = pitch · q / 2π
cylindrical    displacement, angle      their rates
universal      two angles               their rates
planar         x, y, θ                  [vx, vy, ω] in body axes
spherical      quaternion (w, x, y, z)  ω in body axes
free           x, y, z, quaternion      twist [v; ω] of the body in body axes
compound       of its parts, in order   of its parts, in order
=============  =======================  ==========================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.random  # else imported during the first call

from linkwright.model.joints.joint_in_body_axes import Free, Planar, Spherical
from linkwright.model.joints.joint_type import (
    ACROSS_Y,
    ACROSS_Z,
    UNMOVED,
    InvertedJoint,
    JointPart,
    JointType,
    MirroredJoint,
    Nested,
    nested,
)
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import rotation_about, rotation_from_z, rotation_z
from linkwright.spatial.transform import inverse_pose, motion_to_child, pose_matrix, split_pose
from linkwright.spatial.vectors import motion_cross

X, Y, Z = np.eye(3)
ALONG_Z, ABOUT_Z = np.concatenate([Z, 0.0 * Z])[:, None], np.concatenate([0.0 * Z, Z])[:, None]


@dataclass(frozen=True)
class Revolute(JointType):
    """Rotation about z; a continuous joint has no limits."""

    type = "revolute"
    units = ("rad",)
    coordinate_names = ("",)
    hinge = axial = True

    @property
    def circular(self) -> tuple[int, ...]:
        return (0,)

    def transform(self, q: Array) -> Array:
        return pose_matrix(rotation_z(q[0]))

    def motion_subspace(self, q: Array) -> Array:
        return ABOUT_Z

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, :5]

    def effort_subspace(self, q: Array) -> Array:
        return ABOUT_Z


@dataclass(frozen=True)
class Prismatic(JointType):
    """Translation along z."""

    type = "prismatic"
    units = ("m",)
    coordinate_names = ("",)
    slide = axial = True

    def mirrored(self, M: Array) -> MirroredJoint:
        return MirroredJoint(self, ACROSS_Y, np.ones(1))

    def transform(self, q: Array) -> Array:
        return pose_matrix(p=q[0] * Z)

    def motion_subspace(self, q: Array) -> Array:
        return ALONG_Z

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, [0, 1, 3, 4, 5]]

    def effort_subspace(self, q: Array) -> Array:
        return ALONG_Z


@dataclass(frozen=True)
class Helical(JointType):
    """Screw about z, which advances by ``pitch`` meters per turn."""

    pitch: float = 0.0  # type: ignore[misc]
    type = "helical"
    units = ("rad",)
    coordinate_names = ("",)
    axial = True

    def mirrored(self, M: Array) -> MirroredJoint:
        return MirroredJoint(replace(self, pitch=-self.pitch), ACROSS_Z, np.ones(1))

    @property
    def advance(self) -> float:
        """Displacement in meters per radian."""
        return self.pitch / (2.0 * np.pi)

    def in_units(self, length: float) -> JointType:
        return replace(self, pitch=self.pitch / length)

    @property
    def numbers(self) -> tuple[float, ...]:
        return (self.pitch,)

    def with_numbers(self, numbers: Sequence[Any]) -> JointType:
        return replace(self, pitch=numbers[0])

    @property
    def kind(self) -> JointType:
        return Helical()

    def transform(self, q: Array) -> Array:
        return pose_matrix(rotation_z(q[0]), (self.advance * q[0]) * Z)

    def motion_subspace(self, q: Array) -> Array:
        return ABOUT_Z + self.advance * ALONG_Z

    def constraint_subspace(self, q: Array) -> Array:
        return np.concatenate([np.eye(6)[:, [0, 1, 3, 4]], ALONG_Z - self.advance * ABOUT_Z], axis=1)

    def effort_subspace(self, q: Array) -> Array:
        return ABOUT_Z


@dataclass(frozen=True)
class Cylindrical(JointType):
    """Translation along and rotation about the same axis, z."""

    type = "cylindrical"
    units = ("m", "rad")
    coordinate_names = ("displacement", "angle")
    axial = True

    def simple_parts(self) -> tuple[JointPart, ...]:
        return JointPart(UNMOVED, Prismatic(), "displacement"), JointPart(UNMOVED, Revolute(), "angle")

    @property
    def circular(self) -> tuple[int, ...]:
        return (1,)

    def mirrored(self, M: Array) -> MirroredJoint:
        return MirroredJoint(self, ACROSS_Z, np.array([-1.0, 1.0]))

    def transform(self, q: Array) -> Array:
        return pose_matrix(rotation_z(q[1]), q[0] * Z)

    def motion_subspace(self, q: Array) -> Array:
        return np.concatenate([ALONG_Z, ABOUT_Z], axis=1)

    def constraint_subspace(self, q: Array) -> Array:
        return np.eye(6)[:, [0, 1, 3, 4]]

    def effort_subspace(self, q: Array) -> Array:
        return self.motion_subspace(q)


@dataclass(frozen=True)
class Compound(JointType):
    """Several joints between the same two bodies as one joint, without massless bodies.

    ``transform`` is the product of those of the parts, ``end`` the constant pose of the child frame in the
    last part's frame, and the motion subspace contains those of all parts in the child frame.
    """

    parts: tuple[JointPart, ...] = ()  # type: ignore[misc]
    end: Nested = UNMOVED  # type: ignore[misc]
    unit: float = 0.0
    """length that relates forces to moments, if not given by placements (0: it is)"""
    type = "compound"

    @cached_property
    def units(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(unit for part in self.parts for unit in part.motion.units)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(
            ".".join(filter(None, (part.name or str(k), name)))
            for k, part in enumerate(self.parts)
            for name in part.motion.coordinate_names
        )

    @property
    def length(self) -> float:
        if self.unit:
            return self.unit
        offsets = [part.placement[i][3] for part in self.parts[1:] for i in range(3)]
        offsets += [part.motion.pitch for part in self.parts]
        longest = max(map(abs, offsets), default=0.0)
        return 2.0 ** round(math.log2(longest)) if longest else 1.0

    @property
    def neutral(self) -> Array:
        return np.concatenate([part.motion.neutral for part in self.parts])

    @property
    def quaternions(self) -> tuple[int, ...]:
        starts, at = [], 0
        for part in self.parts:
            starts += [at + start for start in part.motion.quaternions]
            at += part.motion.nq
        return tuple(starts)

    @property
    def plain(self) -> tuple[tuple[int, int], ...]:
        places, at_q, at_v = [], 0, 0
        for part in self.parts:
            places += [(at_q + q, at_v + v) for q, v in part.motion.plain]
            at_q, at_v = at_q + part.motion.nq, at_v + part.motion.nv
        return tuple(places)

    @property
    def turning(self) -> tuple[int, ...]:
        return self._places(lambda motion: motion.turning)

    @property
    def carried(self) -> tuple[int, ...]:
        return self._places(lambda motion: motion.carried)

    def _places(self, of: Callable[[JointType], tuple[int, ...]]) -> tuple[int, ...]:
        """Return indices in v of velocities of the parts, from ``of`` for each part."""
        starts = np.cumsum([0, *(part.motion.nv for part in self.parts)])
        return tuple(int(at) + k for at, part in zip(starts, self.parts, strict=False) for k in of(part.motion))

    @property
    def circular(self) -> tuple[int, ...]:
        starts = np.cumsum([0, *(part.motion.nq for part in self.parts)]).tolist()
        return tuple(at + k for at, part in zip(starts, self.parts, strict=False) for k in part.motion.circular)

    def mirrored(self, M: Array) -> MirroredJoint:
        """Return the mirror image part by part; placements are mirrored between the axes of consecutive parts."""
        first = before = ACROSS_Y
        parts, signs = [], [np.zeros(0)]
        for part in self.parts:
            image = part.motion.mirrored(before)
            T = np.array(part.placement)
            placement = pose_matrix(before @ T[:3, :3] @ image.reflection, before @ T[:3, 3])
            parts.append(replace(part, motion=image.motion, placement=nested(placement)))
            signs.append(image.signs)
            before = image.reflection
        T = np.array(self.end)
        end = pose_matrix(before @ T[:3, :3] @ first, before @ T[:3, 3])
        return MirroredJoint(replace(self, parts=tuple(parts), end=nested(end)), first, np.concatenate(signs))

    def inverted(self) -> InvertedJoint:
        """Return the inverse part by part from the last: P₁ T₁ P₂ T₂ … E has the inverse E⁻¹ … T₂⁻¹ P₂⁻¹ T₁⁻¹ P₁⁻¹."""
        parts: list[JointPart] = []
        of_q: list[int] = []
        of_v: list[int] = []
        between, at_q, at_v, inverse = inverse_pose(np.array(self.end)), self.nq, self.nv, False
        for part in reversed(self.parts):
            own = part.motion.inverted()
            F = pose_matrix(own.turn)
            parts.append(JointPart(nested(between @ F), own.motion, part.name))
            between = inverse_pose(np.array(part.placement) @ F)
            at_q, at_v = at_q - part.motion.nq, at_v - part.motion.nv
            of_q += [at_q + k for k in own.of_q]
            of_v += [at_v + k for k in own.of_v]
            inverse = inverse or own.inverse
        motion = Compound(tuple(parts), nested(between), self.unit)
        return InvertedJoint(motion, np.eye(3), of_q, of_v, inverse)

    def in_units(self, length: float) -> JointType:
        parts = tuple(
            JointPart(nested(pose_in_units(part.placement, length)), part.motion.in_units(length), part.name)
            for part in self.parts
        )
        return replace(self, parts=parts, end=nested(pose_in_units(self.end, length)))

    @property
    def numbers(self) -> tuple[float, ...]:
        placements = [*(part.placement for part in self.parts), self.end]
        own = [x for part in self.parts for x in part.motion.numbers]
        return (*(x for placement in placements for row in placement[:3] for x in row), *own)

    def with_numbers(self, numbers: Sequence[Any]) -> JointType:
        last, n = (0.0, 0.0, 0.0, 1.0), len(self.parts) + 1
        rows = [tuple(numbers[k : k + 4]) for k in range(0, 12 * n, 4)]
        placements = [(*rows[k : k + 3], last) for k in range(0, 3 * n, 3)]
        rest, parts = list(numbers[12 * n :]), []
        for part, placement in zip(self.parts, placements, strict=False):
            own = len(part.motion.numbers)
            parts.append(replace(part, placement=placement, motion=part.motion.with_numbers(rest[:own])))
            rest = rest[own:]
        return replace(self, parts=tuple(parts), end=placements[-1], unit=self.length)

    @property
    def kind(self) -> JointType:
        parts = tuple(JointPart((), part.motion.kind) for part in self.parts)
        return replace(self, parts=parts, end=(), unit=0.0)

    def _split(self, x: Array, width: str) -> list[Array]:
        return split(x, [getattr(part.motion, width) for part in self.parts])

    def _each(self, function: Callable[..., Array], *coordinates: tuple[Array, str]) -> Array:
        """Apply ``function(motion, coordinates)`` to every part and join the results."""
        pieces = zip(*(self._split(x, width) for x, width in coordinates), strict=True)
        return np.concatenate([function(part.motion, *xs) for part, xs in zip(self.parts, pieces, strict=True)])

    def transform(self, q: Array) -> Array:
        T: Array = np.eye(4)
        for part, q_part in zip(self.parts, self._split(q, "nq"), strict=True):
            T = T @ np.array(part.placement) @ part.motion.transform(q_part)
        return T @ np.array(self.end)

    def _carried(self, q: Array) -> list[tuple[JointType, Array, Array]]:
        """Return each part's joint type, its coordinates, and the pose of the child frame in its moving frame."""
        carried, T = [], np.array(self.end)
        for part, q_part in reversed(list(zip(self.parts, self._split(q, "nq"), strict=True))):
            carried.append((part.motion, q_part, T))
            T = np.array(part.placement) @ part.motion.transform(q_part) @ T
        return carried[::-1]

    def motion_subspace(self, q: Array) -> Array:
        columns = [motion_to_child(T, motion.motion_subspace(x)) for motion, x, T in self._carried(q)]
        return np.concatenate(columns, axis=1)

    def motion_subspace_rate(self, q: Array, v: Array) -> Array:
        columns, beyond = [], np.zeros(6)  # the child's twist relative to the part's moving frame
        parts = list(zip(self._carried(q), self._split(v, "nv"), strict=True))
        for (motion, x, T), v_part in reversed(parts):
            S = motion_to_child(T, motion.motion_subspace(x))
            own = motion_to_child(T, motion.motion_subspace_rate(x, v_part))
            columns.append(own - motion_cross(beyond) @ S)
            beyond = beyond + S @ v_part
        return np.concatenate(columns[::-1], axis=1)

    def velocity_product_derivative(self, q: Array, v: Array) -> Array:
        # Ṡ v = Σ (c − beyond × u), u = S v and c = Ṡ v of each part, beyond the sum of the u after it:
        # a moving part rotates inner parts in the opposite direction and does not affect outer parts
        parts = []
        for (motion, x, T), v_part in zip(self._carried(q), self._split(v, "nv"), strict=True):
            S, c = motion_to_child(T, motion.motion_subspace(x)), motion_to_child(T, motion.velocity_product(x, v_part))
            own = [motion.motion_subspace_rate(x, unit) @ v_part for unit in np.eye(motion.nv)]
            u_own = motion_to_child(T, np.stack(own, axis=1))
            c_own = motion_to_child(T, motion.velocity_product_derivative(x, v_part))
            parts.append((S, S @ v_part, c, u_own, c_own))
        columns, after = [], np.zeros(6)
        for moving in reversed(range(len(parts))):
            S, u, _, u_rate, c_rate = parts[moving]
            total = c_rate - motion_cross(after) @ u_rate
            beyond, beyond_rate = after + u, u_rate
            for _, u_before, c, _, _ in reversed(parts[:moving]):
                u_rate, c_rate = motion_cross(u_before) @ S, motion_cross(c) @ S
                total = total + c_rate - motion_cross(beyond) @ u_rate + motion_cross(u_before) @ beyond_rate
                beyond, beyond_rate = beyond + u_before, beyond_rate + u_rate
            columns.append(total)
            after = after + u
        return np.concatenate(columns[::-1], axis=1)

    def integrate(self, q: Array, v: Array) -> Array:
        return self._each(lambda motion, q, v: motion.integrate(q, v), (q, "nq"), (v, "nv"))

    def difference(self, q0: Array, q1: Array) -> Array:
        return self._each(lambda motion, q0, q1: motion.difference(q0, q1), (q0, "nq"), (q1, "nq"))

    def configuration_rate(self, q: Array, v: Array) -> Array:
        return self._each(lambda motion, q, v: motion.configuration_rate(q, v), (q, "nq"), (v, "nv"))

    def bracket(self, u: Array, v: Array) -> Array:
        return self._each(lambda motion, u, v: motion.bracket(u, v), (u, "nv"), (v, "nv"))

    def adjoint(self, v: Array) -> Array:
        blocks, at = [], 0
        for part, v_part in zip(self.parts, self._split(v, "nv"), strict=True):
            n = part.motion.nv
            blocks.append(
                np.concatenate(
                    [np.zeros((n, at)), part.motion.adjoint(v_part), np.zeros((n, self.nv - at - n))], axis=1
                )
            )
            at += n
        return np.concatenate(blocks)

    def exp_gradient(self, u: Array, f: Array) -> Array:
        return self._each(lambda motion, u, f: motion.exp_gradient(u, f), (u, "nv"), (f, "nv"))

    def exp_gradient_inverse(self, u: Array, f: Array) -> Array:
        return self._each(lambda motion, u, f: motion.exp_gradient_inverse(u, f), (u, "nv"), (f, "nv"))

    def exp_rates(self, u: Sequence[Array]) -> list[Array]:
        pieces = zip(*(self._split(x, "nv") for x in u), strict=True)
        parts = [part.motion.exp_rates(xs) for part, xs in zip(self.parts, pieces, strict=True)]
        return [np.concatenate(rates) for rates in zip(*parts, strict=True)]

    def displacement(self, rest: Array, q: Array) -> Array:
        return self._each(lambda motion, rest, q: motion.displacement(rest, q), (rest, "nq"), (q, "nq"))

    def displacement_gradient(self, rest: Array, q: Array, f: Array) -> Array:
        return self._each(
            lambda motion, rest, q, f: motion.displacement_gradient(rest, q, f), (rest, "nq"), (q, "nq"), (f, "nv")
        )

    @property
    def reach(self) -> Array:
        return np.concatenate([part.motion.reach for part in self.parts])


def pose_in_units(T: Any, length: float) -> Array:
    """Return a pose (4, 4) with its position in units of `length` meters."""
    R, p = split_pose(np.asarray(T))
    return pose_matrix(R, p / length)


def split(x: Array, widths: list[int]) -> list[Array]:
    """Split a vector into consecutive pieces of the given widths."""
    pieces, at = [], 0
    for width in widths:
        pieces.append(x[at : at + width])
        at += width
    return pieces


_TO_Y = pose_matrix(rotation_about(np.eye(3)[0], -np.pi / 2))
_TO_Z = nested(inverse_pose(_TO_Y))


@cache
def in_world_axes() -> Compound:
    """Return three translations along the world's axes and a ball: q and v are qpos and qvel of MuJoCo's free joint."""
    parts, before = [], np.eye(3)
    for name, axis in zip("xyz", np.eye(3), strict=True):
        turn = rotation_from_z(axis)
        parts.append(JointPart(nested(pose_matrix(before.T @ turn)), Prismatic(), name))
        before = turn
    return Compound((*parts, JointPart(nested(pose_matrix(before.T)), Spherical(), "ball")))


@dataclass(frozen=True)
class Universal(Compound):
    """Universal (Hooke) joint: a rotation about z, then about the moving y."""

    parts: tuple[JointPart, ...] = (
        JointPart(nested(np.eye(4)), Revolute(), "first"),
        JointPart(nested(_TO_Y), Revolute(), "second"),
    )
    end: Nested = _TO_Z
    type = "universal"

    def mirrored(self, M: Array) -> MirroredJoint:
        return MirroredJoint(self, -np.eye(3), np.ones(2))  # rotations are invariant under a point reflection

    def constraint_subspace(self, q: Array) -> Array:
        x, _, z = self.motion_subspace(q)[3:, 0]  # the first axis, perpendicular to the second, y
        across = np.stack([0.0 * x, 0.0 * x, 0.0 * x, z, 0.0 * x, -x])
        return np.concatenate([np.eye(6)[:, :3], across[:, None]], axis=1)

    def effort_subspace(self, q: Array) -> Array:
        return self.motion_subspace(q)  # its columns are orthonormal


JOINT_TYPES: tuple[type[JointType], ...] = (
    Revolute,
    Prismatic,
    Helical,
    Cylindrical,
    Universal,
    Planar,
    Spherical,
    Free,
    Compound,
)
"""All joint types; a fixed joint has no class, since it merges two bodies when a model is built."""

__all__ = [
    "JOINT_TYPES",
    "Compound",
    "Cylindrical",
    "Free",
    "Helical",
    "JointPart",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
    "nested",
    "pose_in_units",
    "split",
]
