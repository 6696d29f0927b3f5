"""Closed loops: what holds two frames of a tree together, as virtual joints that are never moved.

A loop says how its second frame may move in its first. T is the pose (4, 4) of the *first* frame in the
*second's*, V the twist (6,) of the second relative to the first, everything in the second frame's axes at its
origin. A kind of loop is the residual φ(T) (m,), zero where it is closed, and the constraint subspace (6, m), with

    φ̇ = subspaceᵀ V   where it is closed.

Pairs (weld, ball, revolute, …) have constant subspaces, those of joints. What depends on T is linear in it, so that
polynomials stay polynomials and the rate of a subspace is the same function of Ṫ. Axes are canonical as those of
joints (z; a universal loop turns about the first's z, then the second's y): a :class:`Loop` keeps the turn
to given axes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.equality import ByValue
from linkwright.spatial.arrays import Array, atan2, finite
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import pose_matrix, split_pose

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""The six directions of a relative motion: along, then about, the axes of the second frame."""

EYE = np.eye(3)


@dataclass(frozen=True)
class LoopType(ABC):
    """A kind of loop."""

    type: ClassVar[str]

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The unit of each of the m rows of φ: "m" or "rad\"."""

    @abstractmethod
    def residual(self, T: Array) -> Array:
        """φ (m,), m and rad: zero where the loop is closed."""

    @abstractmethod
    def subspace(self, T: Array) -> Array:
        """The directions (6, m) that are held, of forces as well as of motions, in the second frame's axes."""

    def subspace_rate(self, T: Array, V: Array) -> Array:
        """Its rate (6, m) in those axes."""
        return 0.0 * self.subspace(T)

    def alignment(self, T: Array) -> Any:
        """The cosine of the angle by which axes that shall coincide are apart: -1 is closed the wrong way round."""
        return 1.0

    def turns(self) -> Array:
        """Which of the m rows are of turns that bring such axes together (m,)."""
        return np.zeros(self.subspace(np.eye(4)).shape[1], dtype=bool)


def _rate(T: Array, V: Array) -> Array:
    """Ṫ: whatever rests in the first frame, seen from the second, moves with −V."""
    R, o = split_pose(T)
    v, W = V[:3], skew(V[3:])
    top = np.concatenate([-W @ R, -(v + W @ o)[:, None]], axis=1)
    return np.concatenate([top, np.zeros((1, 4))], axis=0)


def _turn(R: Array, held: Array) -> Array:
    """By how much R (3, 3), the first frame's axes, is turned back, (3,) rad for small turns; 0 where not held.

    Of three directions ½ Σ aₖ × eₖ over the axes a of the first and e of the second frame; of two, the axis aₖ × eₖ
    about which they may turn; of one, say about x, that z of the first is perpendicular to y of the second.
    """
    crossed = [skew(R[:, k]) @ EYE[k] for k in range(3)]
    if held.all():
        return 0.5 * (crossed[0] + crossed[1] + crossed[2])
    if held.sum() == 2:
        return np.where(held, 1.0, 0.0) * crossed[int(np.argmin(held))]
    return np.where(held, 1.0, 0.0) * np.stack([R[1, 2], R[2, 0], R[0, 1]])


def _turn_subspace(R: Array, held: Array) -> Array:
    """The gradient (3, 3) of :func:`_turn`: its rate is subspaceᵀ ω; linear in R."""
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


@dataclass(frozen=True)
class BodyPair(LoopType):
    """A joint that is not moved: some directions of the second frame's axes are held, always the same."""

    held: ClassVar[tuple[str, ...]]

    @property
    def mask(self) -> Array:
        """Which of the six directions are held (6,)."""
        return np.array([direction in self.held for direction in DIRECTIONS])

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("rad" if direction.startswith("r") else "m" for direction in self.held)

    def residual(self, T: Array) -> Array:
        R, o = split_pose(T)
        turn = _turn(R, self.mask[3:])
        shift = -(o + skew(turn) @ o)  # as seen with the turn taken back, so that its rate is v alone
        return np.concatenate([shift, turn])[self.mask]

    def subspace(self, T: Array) -> Array:
        return np.eye(6)[:, self.mask]

    def alignment(self, T: Array) -> Any:
        return _turn_alignment(T[:3, :3], self.mask[3:])

    def turns(self) -> Array:
        return np.array([direction.startswith("r") for direction in self.held])


class Weld(BodyPair):
    """Nothing may move."""

    type = "weld"
    held = DIRECTIONS


class Ball(BodyPair):
    """The origins coincide."""

    type = "ball"
    held = ("x", "y", "z")


class RevolutePair(BodyPair):
    """The second frame may turn about z."""

    type = "revolute"
    held = ("x", "y", "z", "rx", "ry")


class PrismaticPair(BodyPair):
    """The second frame may slide along z."""

    type = "prismatic"
    held = ("x", "y", "rx", "ry", "rz")


class CylindricalPair(BodyPair):
    """The second frame may slide along and turn about z."""

    type = "cylindrical"
    held = ("x", "y", "rx", "ry")


class PlanarPair(BodyPair):
    """The x-y planes coincide."""

    type = "planar"
    held = ("z", "rx", "ry")


@dataclass(frozen=True)
class HelicalPair(LoopType):
    """A screw about z, which advances by ``pitch`` meters a turn; any thread of the screw will do."""

    pitch: float
    type = "helical"

    @property
    def advance(self) -> float:
        """meters per radian"""
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
    """The origins coincide, and the first frame's z stays perpendicular to the second's y."""

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
    """A massless rod between the origins: φ = ½ (|o|² / length − length)."""

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
class Mask(LoopType):
    """Any of the directions held by themselves: of x, the first frame's origin stays in the second's y-z plane;
    of turning about x alone, the first's z stays perpendicular to the second's y; and so on."""

    held: tuple[str, ...]
    type = "mask"

    @property
    def mask(self) -> Array:
        """Which of the six directions are held (6,)."""
        return np.array([direction in self.held for direction in DIRECTIONS])

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("rad" if direction.startswith("r") else "m" for direction in self.held)

    def residual(self, T: Array) -> Array:
        R, o = split_pose(T)
        return np.concatenate([-o, _turn(R, self.mask[3:])])[self.mask]

    def subspace(self, T: Array) -> Array:
        return np.concatenate([np.eye(6)[:, :3], np.zeros((6, 3))], axis=1)[:, self.mask] + self._turning(T)

    def _turning(self, T: Array) -> Array:
        """The part that depends on T, and linearly so."""
        R, o = split_pose(T)
        moments = np.concatenate([skew(o), _turn_subspace(R, self.mask[3:])], axis=1)  # −eᵢ × o = o × eᵢ
        return np.concatenate([np.zeros((3, 6)), moments])[:, self.mask]

    def subspace_rate(self, T: Array, V: Array) -> Array:
        return self._turning(_rate(T, V))

    def alignment(self, T: Array) -> Any:
        return _turn_alignment(T[:3, :3], self.mask[3:])

    def turns(self) -> Array:
        several = sum(direction.startswith("r") for direction in self.held) > 1
        return np.array([several and direction.startswith("r") for direction in self.held])


@dataclass(frozen=True, eq=False)
class Loop(ByValue):
    """A closed loop: how the frame ``second`` may move in the frame ``first``."""

    name: str
    first: str
    """name of a frame"""
    second: str
    kind: LoopType
    placement: Array = field(default_factory=lambda: np.eye(4))
    """(4, 4), the pose of the second frame in the first where the loop is closed and nothing has moved"""
    alignment: Array = field(default_factory=lambda: np.eye(3))
    """(3, 3), takes the canonical axes to those of the second frame"""
    place: str = field(default="", compare=False)

    @property
    def type(self) -> str:
        """ "weld", "ball", "revolute", …"""
        return self.kind.type

    @property
    def first_axes(self) -> Array:
        """The pose (4, 4) of the canonical axes in the first frame."""
        return self.placement @ self.second_axes

    @property
    def second_axes(self) -> Array:
        """The pose (4, 4) of the canonical axes in the second frame."""
        return pose_matrix(self.alignment)


@dataclass(frozen=True)
class CoordinateLoop:
    """Ties coordinates of two joints: first = c₀ + c₁ second + c₂ second² + …"""

    name: str
    first: str
    """name of a coordinate, as in ``model.coordinate_names``; "" stands for 0"""
    second: str
    """name of another; "" stands for 0"""
    coefficients: tuple[float, ...]
    place: str = field(default="", compare=False)
    type: ClassVar[str] = "joint"

    def residual(self, first: Any, second: Any) -> Any:
        """first − polynomial(second)."""
        return first - _polynomial(self.coefficients, second)

    def slope(self, second: Any) -> Any:
        """The derivative of the residual with respect to the second coordinate; that to the first is 1."""
        return -_polynomial(_derived(self.coefficients), second)

    def curvature(self, second: Any) -> Any:
        """The second derivative."""
        return -_polynomial(_derived(_derived(self.coefficients)), second)


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Horner's rule."""
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
"""The names by which loops between frames are described; "joint" ties coordinates instead."""

AXIAL = ("revolute", "prismatic", "cylindrical", "helical", "universal", "planar")
"""Loops with an axis."""


def loop_type(type: str, pitch: Any = None, length: Any = None, held: Any = None) -> LoopType:
    """The kind of loop of that name, with the one value that some need: a pitch, a length, the directions held."""
    if not isinstance(type, str) or type not in LOOP_TYPES:
        raise UnknownNameError("loop type", type, (*LOOP_TYPES, "joint"))
    needed = {"helical": "pitch", "distance": "length", "mask": "held"}.get(type)
    given = {"pitch": pitch, "length": length, "held": held}
    for name, value in given.items():
        if (value is not None) != (name == needed):
            raise InputError(f"a {type} loop {'needs' if name == needed else 'has no'} {name}")
    if type == "mask":
        return Mask(_directions(held))
    if needed is None:
        return LOOP_TYPES[type]()  # type: ignore[no-any-return]
    value = float(finite(f"the {needed} of a {type} loop", given[needed], ()))
    if value == 0.0 or (type == "distance" and value < 0.0):
        raise InputError(
            f"the {needed} of a {type} loop must be {'positive' if needed == 'length' else 'nonzero'}, "
            f"in meters{'' if needed == 'length' else ' a turn'}; got {given[needed]!r}"
        )
    return LOOP_TYPES[type](value)  # type: ignore[no-any-return]


def _directions(held: Any) -> tuple[str, ...]:
    if not isinstance(held, (str, list, tuple)):
        raise ArgumentError(f"held names directions, as 'x y rz'; got {held!r}")
    named = tuple(held.split()) if isinstance(held, str) else tuple(held)
    for direction in named:
        if direction not in DIRECTIONS:
            raise UnknownNameError("direction of a relative motion", direction, DIRECTIONS)
    if not named or len(set(named)) < len(named):
        raise InputError(f"held names one or more of {', '.join(DIRECTIONS)}, each once; got {held!r}")
    return tuple(direction for direction in DIRECTIONS if direction in named)
