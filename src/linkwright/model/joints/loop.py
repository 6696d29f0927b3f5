"""Loop types: constraints between two frames of a tree, as rigid virtual joints.

A loop restricts the motion of its second frame in its first. T is the pose (4, 4) of the *first* frame in the
*second's*, V the twist (6,) of the second relative to the first, in the second frame's axes at its
origin. A loop type is the residual φ(T) (m,), zero when closed, and the constraint subspace (6, m), with

    φ̇ = subspaceᵀ V   when closed.

Pairs (weld, ball, revolute, …) have the constant constraint subspaces of joints. Other subspaces are linear in T, so
that polynomials remain polynomials, and the rate of a subspace is the same function of Ṫ. Axes are canonical as those
of joints (z; a universal loop rotates about the first's z, then the second's y): a :class:`Loop` contains the rotation
to given axes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.equality import ByValue
from linkwright.model.joints.joint_type import joint_name
from linkwright.spatial.arrays import Array, atan2, entries, is_symbol
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import pose_matrix, split_pose

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""Six directions of a relative motion: along, then about, the axes of the second frame."""

EYE = np.eye(3)


@dataclass(frozen=True)
class LoopType(ABC):
    """Interface of loop types."""

    type: ClassVar[str]

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Unit of each of the m rows of φ: "m" or "rad\"."""

    @property
    def numbers(self) -> dict[str, Any]:
        """Parameters of loops of the same kind: a length, a pitch."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: x for name, x in own.items() if isinstance(x, float) or is_symbol(x)}

    def with_numbers(self, numbers: Sequence[Any]) -> LoopType:
        """Return the same loop with other parameters, which may be symbols."""
        return replace(self, **dict(zip(self.numbers, numbers, strict=True)))

    @property
    def kind(self) -> LoopType:
        """Loop type without its parameters."""
        return self.with_numbers([1.0] * len(self.numbers))

    @abstractmethod
    def residual(self, T: Array) -> Array:
        """Return φ (m,) in m and rad: zero when closed."""

    @abstractmethod
    def subspace(self, T: Array) -> Array:
        """Return the constrained directions (6, m) of motions and forces, in the second frame's axes."""

    def subspace_rate(self, T: Array, V: Array) -> Array:
        """Return the rate (6, m) of the subspace in these axes."""
        return 0.0 * self.subspace(T)

    def alignment(self, T: Array) -> Any:
        """Return the cosine of the angle between axes that should coincide: -1 for opposite axes."""
        return 1.0

    def turns(self) -> Array:
        """Return which of the m rows are rotations that align such axes (m,)."""
        return np.zeros(self.subspace(np.eye(4)).shape[1], dtype=bool)


def _rate(T: Array, V: Array) -> Array:
    """Return Ṫ: vectors at rest in the first frame move with −V relative to the second."""
    R, o = split_pose(T)
    v, W = V[:3], skew(V[3:])
    top = np.concatenate([-W @ R, -(v + W @ o)[:, None]], axis=1)
    return np.concatenate([top, np.zeros((1, 4))], axis=0)


def _turn(R: Array, held: Array) -> Array:
    """Return the rotation (3,) of R (3, 3), the first frame's axes, in rad for small angles; 0 in free directions.

    For three constrained directions ½ Σ aₖ × eₖ over the axes a of the first and e of the second frame; for two, aₖ ×
    eₖ of the free axis; for one, such as x, the condition that z of the first is perpendicular to y of the second.
    """
    crossed = [skew(R[:, k]) @ EYE[k] for k in range(3)]
    if held.all():
        return 0.5 * (crossed[0] + crossed[1] + crossed[2])
    if held.sum() == 2:
        return np.where(held, 1.0, 0.0) * crossed[int(np.argmin(held))]
    return np.where(held, 1.0, 0.0) * np.stack([R[1, 2], R[2, 0], R[0, 1]])


def _turn_subspace(R: Array, held: Array) -> Array:
    """Return the gradient (3, 3) of :func:`_turn`: its rate is subspaceᵀ ω; linear in R."""
    if held.all():
        return 0.5 * ((R[0, 0] + R[1, 1] + R[2, 2]) * EYE - R).T
    if held.sum() == 2:
        k = int(np.argmin(held))
        return (R[k, k] * EYE - np.outer(R[:, k], EYE[k])).T
    return np.stack([skew(EYE[(i + 1) % 3]) @ R[:, (i + 2) % 3] for i in range(3)], axis=1)


def _turn_alignment(R: Array, held: Array) -> Any:
    if held.all():
        return 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    return R[int(np.argmin(held)), int(np.argmin(held))] if held.sum() == 2 else 1.0


class HeldDirections(LoopType):
    """Constraint of some of the six directions, translation and rotation along the axes of the second frame."""

    held: tuple[str, ...]
    """names of the constrained directions"""

    @property
    def mask(self) -> Array:
        """Constrained directions among the six (6,)."""
        return np.array([direction in self.held for direction in DIRECTIONS])

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("rad" if direction.startswith("r") else "m" for direction in self.held)

    def alignment(self, T: Array) -> Any:
        return _turn_alignment(T[:3, :3], self.mask[3:])


@dataclass(frozen=True)
class BodyPair(HeldDirections):
    """Rigid virtual joint with constant constrained directions in the second frame's axes."""

    def residual(self, T: Array) -> Array:
        R, o = split_pose(T)
        turn = _turn(R, self.mask[3:])
        shift = -(o + skew(turn) @ o)  # with the rotation removed, so that its rate is v
        return np.concatenate([shift, turn])[self.mask]

    def subspace(self, T: Array) -> Array:
        return np.eye(6)[:, self.mask]

    def turns(self) -> Array:
        return np.array([direction.startswith("r") for direction in self.held])


class Weld(BodyPair):
    """No relative motion."""

    type = "weld"
    held = DIRECTIONS


class Ball(BodyPair):
    """Coincident origins."""

    type = "ball"
    held = ("x", "y", "z")


class RevolutePair(BodyPair):
    """Rotation of the second frame about z."""

    type = "revolute"
    held = ("x", "y", "z", "rx", "ry")


class PrismaticPair(BodyPair):
    """Translation of the second frame along z."""

    type = "prismatic"
    held = ("x", "y", "rx", "ry", "rz")


class CylindricalPair(BodyPair):
    """Translation along and rotation about z of the second frame."""

    type = "cylindrical"
    held = ("x", "y", "rx", "ry")


class PlanarPair(BodyPair):
    """Coincident x-y planes."""

    type = "planar"
    held = ("z", "rx", "ry")


@dataclass(frozen=True)
class HelicalPair(LoopType):
    """Screw about z, which advances by ``pitch`` meters per turn, on any thread."""

    pitch: float
    type = "helical"

    @property
    def advance(self) -> float:
        """Displacement in meters per radian."""
        return self.pitch / (2.0 * np.pi)

    @property
    def units(self) -> tuple[str, ...]:
        return (*CylindricalPair().units, "m")

    def residual(self, T: Array) -> Array:
        R, o = split_pose(T)
        ahead = -o[2] / self.advance - atan2(R[0, 1] - R[1, 0], R[0, 0] + R[1, 1])
        thread = self.advance * atan2(np.sin(ahead), np.cos(ahead))
        return np.concatenate([CylindricalPair().residual(T), np.stack([thread])])

    def subspace(self, T: Array) -> Array:
        return np.concatenate([CylindricalPair().subspace(T), np.array([[0, 0, 1.0, 0, 0, -self.advance]]).T], axis=1)

    def alignment(self, T: Array) -> Any:
        return CylindricalPair().alignment(T)

    def turns(self) -> Array:
        return np.append(CylindricalPair().turns(), False)


@dataclass(frozen=True)
class UniversalPair(LoopType):
    """Coincident origins, and the first frame's z perpendicular to the second's y."""

    type = "universal"
    units = ("m", "m", "m", "rad")  # type: ignore[assignment]

    def residual(self, T: Array) -> Array:
        R, o = split_pose(T)
        return np.concatenate([-o, np.stack([R[1, 2]])])

    def subspace(self, T: Array) -> Array:
        return np.concatenate([np.eye(6)[:, :3], self._turning(T)], axis=1)

    def _turning(self, T: Array) -> Array:
        return np.concatenate([np.zeros(3), skew(EYE[1]) @ T[:3, 2]])[:, None]

    def subspace_rate(self, T: Array, V: Array) -> Array:
        return np.concatenate([np.zeros((6, 3)), self._turning(_rate(T, V))], axis=1)


@dataclass(frozen=True)
class Distance(LoopType):
    """Massless rod between the origins: φ = ½ (|o|² / length − length)."""

    length: float
    type = "distance"
    units = ("m",)  # type: ignore[assignment]

    def residual(self, T: Array) -> Array:
        o = T[:3, 3]
        return np.stack([0.5 * ((1.0 / self.length) * (o @ o) - self.length)])

    def subspace(self, T: Array) -> Array:
        return np.concatenate([(-1.0 / self.length) * T[:3, 3], np.zeros(3)])[:, None]

    def subspace_rate(self, T: Array, V: Array) -> Array:
        return self.subspace(_rate(T, V))


@dataclass(frozen=True)
class Mask(HeldDirections):
    """Single constrained directions: for x, the first frame's origin stays in the second's y-z plane;
    for the rotation about x alone, the first's z stays perpendicular to the second's y; and so on."""

    held: tuple[str, ...]
    type = "mask"

    def residual(self, T: Array) -> Array:
        R, o = split_pose(T)
        return np.concatenate([-o, _turn(R, self.mask[3:])])[self.mask]

    def subspace(self, T: Array) -> Array:
        return np.concatenate([np.eye(6)[:, :3], np.zeros((6, 3))], axis=1)[:, self.mask] + self._turning(T)

    def _turning(self, T: Array) -> Array:
        """Return the part that is linear in T."""
        R, o = split_pose(T)
        moments = np.concatenate([skew(o), _turn_subspace(R, self.mask[3:])], axis=1)  # −eᵢ × o = o × eᵢ
        return np.concatenate([np.zeros((3, 6)), moments])[:, self.mask]

    def subspace_rate(self, T: Array, V: Array) -> Array:
        return self._turning(_rate(T, V))

    def turns(self) -> Array:
        several = sum(direction.startswith("r") for direction in self.held) > 1
        return np.array([several and direction.startswith("r") for direction in self.held])


@dataclass(frozen=True, eq=False)
class Loop(ByValue):
    """Closed loop: a constraint on the motion of the frame ``second`` in the frame ``first``."""

    name: str
    first: str
    """name of a frame"""
    second: str
    kind: LoopType
    placement: Array = field(default_factory=lambda: np.eye(4))
    """(4, 4), the pose of the second frame in the first when closed at zero displacement"""
    alignment: Array = field(default_factory=lambda: np.eye(3))
    """(3, 3), maps the canonical axes to those of the second frame"""
    place: str = field(default="", compare=False)

    @property
    def type(self) -> str:
        """ "weld", "ball", "revolute", …"""
        return self.kind.type

    @property
    def first_axes(self) -> Array:
        """Pose (4, 4) of the canonical axes in the first frame."""
        return self.placement @ self.second_axes

    @property
    def second_axes(self) -> Array:
        """Pose (4, 4) of the canonical axes in the second frame."""
        return pose_matrix(self.alignment)


@dataclass(frozen=True)
class CoordinateLoop:
    """Coupling of coordinates: first = c₀ + c₁ second + c₂ second² + … + Σ k other"""

    name: str
    first: str
    """name of a coordinate, as in ``model.coordinate_names``; "" is the constant 0"""
    second: str
    """name of another; "" is the constant 0"""
    coefficients: tuple[float, ...]
    place: str = field(default="", compare=False)
    others: tuple[tuple[str, float], ...] = ()
    """names of further coordinates, with their factors k"""
    type: ClassVar[str] = "joint"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of all its coordinates."""
        return tuple(filter(None, (self.first, self.second, *(name for name, _ in self.others))))

    def residual(self, first: Any, second: Any) -> Any:
        """Return first − polynomial(second), without the other coordinates."""
        return first - _polynomial(self.coefficients, second)

    def slope(self, second: Any) -> Any:
        """Return the derivative of the residual by the second coordinate; that by the first is 1."""
        return -_polynomial(_derived(self.coefficients), second)

    def curvature(self, second: Any) -> Any:
        """Return the second derivative."""
        return -_polynomial(_derived(_derived(self.coefficients)), second)


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Evaluate a polynomial by Horner's rule."""
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _derived(coefficients: Sequence[float]) -> tuple[float, ...]:
    return tuple(k * c for k, c in enumerate(coefficients))[1:]


LOOP_TYPES: dict[str, Any] = {
    "weld": Weld,
    "ball": Ball,
    "revolute": RevolutePair,
    "prismatic": PrismaticPair,
    "cylindrical": CylindricalPair,
    "helical": HelicalPair,
    "universal": UniversalPair,
    "planar": PlanarPair,
    "distance": Distance,
    "mask": Mask,
}
"""Loop types between frames by name; "joint" couples coordinates instead."""

AXIAL = ("revolute", "prismatic", "cylindrical", "helical", "universal", "planar")
"""Loops with an axis."""


PARAMETERS = {"helical": "pitch", "distance": "length", "mask": "directions"}
"""The parameter of those types that have one."""


def loop_name(name: Any) -> Any:
    """Return the name of a loop type that has another one elsewhere: "ball" for "spherical"."""
    known = joint_name(name)
    return {"spherical": "ball", "fixed": "weld"}.get(known, known) if isinstance(known, str) else known


def loop_type(type: str, parameter: Any = None) -> LoopType:
    """Return the loop type of a name, with its parameter: a pitch, a length or the constrained directions."""
    if not isinstance(type, str) or type not in LOOP_TYPES:
        raise UnknownNameError("loop type", type, (*LOOP_TYPES, "joint"))
    needed = PARAMETERS.get(type)
    if parameter is None and needed is not None:
        raise InputError(f'a {type} loop needs its {needed}: type=("{type}", {needed})')
    if parameter is not None and needed is None:
        raise InputError(f"a {type} loop has no parameter; got {parameter!r}")
    if type == "mask":
        return Mask(_directions(parameter))
    if needed is None:
        return LOOP_TYPES[type]()  # type: ignore[no-any-return]
    value = entries(f"the {needed} of a {type} loop", parameter, ()).item()
    if not is_symbol(value) and (value == 0.0 or (type == "distance" and value < 0.0)):
        raise InputError(
            f"the {needed} of a {type} loop must be {'positive' if needed == 'length' else 'nonzero'}, "
            f"in meters{'' if needed == 'length' else ' per revolution'}; got {parameter!r}"
        )
    return LOOP_TYPES[type](value)  # type: ignore[no-any-return]


def _directions(held: Any) -> tuple[str, ...]:
    if not isinstance(held, (str, list, tuple)):
        raise ArgumentError(f"a mask loop names its directions, as 'x y rz'; got {held!r}")
    named = tuple(held.split()) if isinstance(held, str) else tuple(held)
    for direction in named:
        if direction not in DIRECTIONS:
            raise UnknownNameError("direction of a relative motion", direction, DIRECTIONS)
    if not named or len(set(named)) < len(named):
        raise InputError(f"a mask loop names one or more of {', '.join(DIRECTIONS)}, each once; got {held!r}")
    return tuple(direction for direction in DIRECTIONS if direction in named)
