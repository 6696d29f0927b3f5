"""Interface of joint types, and random configurations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.random  # else imported during the first call

from linkwright.errors import InputError
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""Indices of a twist with its rotation before its translation."""


Nested = tuple[tuple[float, ...], ...]
"""Matrix as nested tuples, which have equality and a hash."""


def nested(T: Any) -> Nested:
    """Return a matrix as nested tuples."""
    return tuple(tuple(map(float, row)) for row in np.asarray(T))


UNMOVED = nested(np.eye(4))


@dataclass(frozen=True)
class JointPart:
    """Part of a compound joint: its placement (4 × 4) in the frame before it, and its name."""

    placement: Nested
    motion: JointType
    name: str = ""


class MirroredJoint(NamedTuple):
    """Mirror image of a joint type."""

    motion: JointType
    reflection: Array
    """(3, 3), N in the joint's axes: N T(q) N is the motion of the image"""
    signs: Array
    """(nq,), of the coordinates"""


class InvertedJoint(NamedTuple):
    """Joint type with child and parent exchanged."""

    motion: JointType
    turn: Array
    """(3, 3), F in the joint's axes: F⁻¹ T(q)⁻¹ F is the motion"""
    of_q: list[int]
    """indices in q of the coordinates"""
    of_v: list[int]
    inverse: bool = False
    """whether the coordinates are those of the inverse motion"""


ACROSS_Z, ACROSS_Y = np.diag([1.0, 1.0, -1.0]), np.diag([1.0, -1.0, 1.0])
"""Reflections about the planes perpendicular to z and to y."""

HALF_TURN = np.diag([1.0, -1.0, -1.0])
"""Half turn about x."""


@dataclass(frozen=True)
class JointType(ABC):
    """Interface of joint types; the defaults are those of joints with Cartesian coordinates."""

    type: ClassVar[str]
    units: ClassVar[tuple[str, ...]]
    """unit of the displacement of each velocity coordinate: "m" or "rad\""""
    coordinate_names: ClassVar[tuple[str, ...]]
    hinge: ClassVar[bool] = False
    """whether the motion is a rotation about one axis"""
    slide: ClassVar[bool] = False
    """whether the motion is a translation along one axis"""
    axial: ClassVar[bool] = False
    """whether the motion is along and about one axis: rotated by π about a perpendicular axis it is its own inverse"""
    isotropic: ClassVar[bool] = False
    """whether all directions of v are equivalent"""
    floating: ClassVar[bool] = False
    """whether there is no constraint"""

    @property
    def pitch(self) -> float:
        """Displacement along the axis per turn about it in m; 0 for joints that are not screws."""
        return 0.0

    @property
    def parts(self) -> tuple[JointPart, ...]:
        """Joints of a compound joint; () for other joints."""
        return ()

    @property
    def end(self) -> Nested:
        """Pose (4 × 4) of the child frame in the moving frame of the last part."""
        return UNMOVED

    def simple_parts(self) -> tuple[JointPart, ...]:
        """Joints whose product is the motion; the joint itself for other joints."""
        return self.parts or (JointPart(UNMOVED, self),)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the entries of v: those of the coordinates where their numbers are equal."""
        return self.coordinate_names if self.nq == self.nv else tuple(map(str, range(self.nv)))

    @property
    def circular(self) -> tuple[int, ...]:
        """Indices in q of angles: coordinates with period 2π."""
        return ()

    def mirrored(self, M: Array) -> MirroredJoint:
        """Return the mirror image; M (3, 3) is the reflection in its axes where the axes cannot be chosen."""
        return MirroredJoint(self, ACROSS_Z, np.ones(self.nq))

    def inverted(self) -> InvertedJoint:
        """Return the joint type with child and parent exchanged."""
        F = HALF_TURN if self.axial else np.eye(3)
        return InvertedJoint(self, F, list(range(self.nq)), list(range(self.nv)), not self.axial)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return len(self.coordinate_names)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return len(self.units)

    @property
    def length(self) -> float:
        """Length in m that relates forces of the joint to moments: a power of two near its offsets, or 1."""
        return 1.0

    @property
    def neutral(self) -> Array:
        """Coordinates (nq,) at which the child frame and the parent-side frame coincide."""
        return np.zeros(self.nq)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Indices in q at which quaternions start."""
        return ()

    @property
    def plain(self) -> tuple[tuple[int, int], ...]:
        """Coordinates whose rates are velocity coordinates: indices in q and in v."""
        return tuple((k, k) for k in range(self.nv)) if self.nq == self.nv else ()

    @property
    def turning(self) -> tuple[int, ...]:
        """Indices in v of the angular velocity of axes that rotate with the body; empty without such axes."""
        return ()

    @property
    def carried(self) -> tuple[int, ...]:
        """Linear velocities in axes that rotate with the body: their indices in v."""
        return tuple(k for k in range(self.nv) if k not in self.turning) if self.turning else ()

    def in_units(self, length: float) -> JointType:
        """Return the same joint with lengths in units of `length` meters."""
        return self

    @property
    def numbers(self) -> tuple[float, ...]:
        """Parameters of joints of the same kind: a pitch, the placements of parts."""
        return ()

    def with_numbers(self, numbers: Sequence[Any]) -> JointType:
        """Return the same joint with other parameters, which may be symbols."""
        return self

    @property
    def kind(self) -> JointType:
        """Joint type without its parameters."""
        return self

    @abstractmethod
    def transform(self, q: Array) -> Array:
        """Return the pose (4, 4) of the child frame in the parent-side frame."""

    @abstractmethod
    def motion_subspace(self, q: Array) -> Array:
        """Return S (6, nv): the child's twist relative to the parent-side frame, in child axes, is S v."""

    def motion_subspace_rate(self, q: Array, v: Array) -> Array:
        """Return Ṡ (6, nv) in child axes: zero where S is constant."""
        return np.zeros((6, self.nv))

    def velocity_product(self, q: Array, v: Array) -> Array:
        """Return Ṡ v (6,)."""
        return self.motion_subspace_rate(q, v) @ v

    def velocity_product_derivative(self, q: Array, v: Array) -> Array:
        """Return ∂(Ṡ v)/∂δ (6, nv) by δ in integrate(q, δ) at 0: zero where S is constant in the child frame."""
        return np.zeros((6, self.nv))

    def constraint_subspace(self, q: Array) -> Array:
        """Return T (6, 6 − nv) with TᵀS = 0: the directions of constraint forces, in child axes.

        If S does not consist of unit vectors, T is the complement of the reflections that make S upper triangular
        (Householder 1958). They start with the angular rows, so that rotational joints have a constant linear part of
        T.
        """
        units = np.array([1.0 / self.length] * 3 + [1.0] * 3)
        R = (units[:, None] * self.motion_subspace(q))[ANGULAR_FIRST]
        T: Array = np.eye(6)[:, self.nv :]
        mirrors = []
        for k in range(self.nv):
            x = R[k:, k]
            u = np.concatenate([x[:1] + where(x[0] < 0.0, -1.0, 1.0) * np.sqrt(x @ x), x[1:]])
            u = np.concatenate([np.zeros(k), u])
            mirrors.append((u, 2.0 / (u @ u)))
            R = R - mirrors[-1][1] * u[:, None] * (u @ R)
        for u, factor in reversed(mirrors):
            T = T - factor * u[:, None] * (u @ T)
        return units[:, None] * T[ANGULAR_FIRST]

    def effort_subspace(self, q: Array) -> Array:
        """Return S_a (6, nv) with S_aᵀS = 1: the force of a unit effort without effect on other coordinates, S (SᵀS)⁻¹.

        Lengths are in the joint's units, as for T; other units may lose digits.
        """
        units = np.array([1.0 / self.length] * 3 + [1.0] * 3)
        S = units[:, None] * self.motion_subspace(q)
        return units[:, None] * solve_symmetric(S.T @ S, S.T).T

    def integrate(self, q: Array, v: Array) -> Array:
        """Return q ⊕ Exp(v): the configuration after a unit of time at the constant body velocity v."""
        return q + v

    def difference(self, q0: Array, q1: Array) -> Array:
        """Return the v that moves from q0 to q1 in a unit of time."""
        return q1 - q0

    def configuration_rate(self, q: Array, v: Array) -> Array:
        """Return q̇ = G(q) v."""
        return v

    def bracket(self, u: Array, v: Array) -> Array:
        """Return the Lie bracket [u, v] of two velocities: zero for Cartesian coordinates."""
        return np.zeros(self.nv)

    def adjoint(self, v: Array) -> Array:
        """Return Ad(Exp(v))⁻¹ (nv, nv): δ' in q ⊕ δ ⊕ Exp(v) = q ⊕ Exp(v) ⊕ δ'; 1 for Cartesian coordinates."""
        return np.eye(self.nv)

    def exp_gradient(self, u: Array, f: Array) -> Array:
        """Return J_r(u)ᵀ f (nv,): the gradient f by δ in q ⊕ Exp(u) ⊕ Exp(δ), converted to a gradient by u."""
        return f

    def exp_gradient_inverse(self, u: Array, f: Array) -> Array:
        """Return J_r(u)⁻ᵀ f (nv,), the inverse, for rotations up to π."""
        return f

    def exp_rates(self, u: Sequence[Array]) -> list[Array]:
        """Return v, v̇, … (nv,) of q ⊕ Exp(u(t)) from u, u̇, ü, …: v = J_r(u) u̇."""
        return list(u[1:])

    def displacement(self, rest: Array, q: Array) -> Array:
        """Return the deflection u (nv,) of a spring with the potential ½ uᵀK u: a rotation vector for rotations."""
        return self.difference(rest, q)

    def displacement_gradient(self, rest: Array, q: Array, f: Array) -> Array:
        """Return (∂u/∂δ)ᵀ f (nv,) for the deflection u by δ in integrate(q, δ) at 0: the effort of a spring with f = K
        u.

        For a rotation ∂u/∂δ = J_r(u)⁻¹, with the right Jacobian J_r of Exp.
        """
        return f

    @property
    def reach(self) -> Array:
        """Return the half range (nq,) of random coordinates without limits: π, 1 m; it is not used for quaternions."""
        return np.array([np.pi if unit == "rad" else 1.0 for unit in self.units])

    def sample(self, generator: np.random.Generator, lower: Array, upper: Array) -> Array:
        """Return a random configuration (nq,): uniform within limits, else within ±π and ±1 m, and over rotations."""
        return samples(generator, lower, upper, self.reach, self.quaternions)


def generator(seed: Any) -> np.random.Generator:
    """Return the random generator of a seed, or the generator itself; raise :class:`~linkwright.errors.InputError`."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InputError(f"seed is a whole number from 0 on, or a random generator; got {seed!r}") from None


NO_LIMIT = 1e6
"""Limits beyond this multiple of the reach of a coordinate do not limit random configurations."""


def sampled_range(lower: Array, upper: Array, reach: Array) -> tuple[Array, Array]:
    """Return the range of random coordinates: the limits, else ±reach; a single limit is an end of twice the reach.

    Limits beyond a million times the reach do not count: some files write them for joints without limits.
    """
    below, above = lower > -NO_LIMIT * reach, upper < NO_LIMIT * reach
    low = np.where(below, lower, np.where(above, upper - 2.0 * reach, -reach))
    return low, np.where(above, upper, np.where(below, lower + 2.0 * reach, reach))


def samples(
    generator: np.random.Generator,
    lower: Array,
    upper: Array,
    reach: Array,
    quaternions: Sequence[int],
    rows: tuple[int, ...] = (),
) -> Array:
    """Return random configurations (*rows, nq): uniform within limits (nq,), else within ``reach``.

    Quaternions, which start at the given indices, are uniform over rotations: four normal numbers, normalized (Muller
    1959).
    """
    low, high = sampled_range(lower, upper, reach)
    q = generator.random((*rows, len(reach)))
    q -= 0.5  # in place for large arrays, and relative to the center, since the range may overflow
    q *= 2.0
    q *= 0.5 * high - 0.5 * low
    q += 0.5 * high + 0.5 * low
    np.clip(q, low, high, out=q)
    for start in quaternions:
        x = generator.normal(size=(*rows, 4))
        q[..., start : start + 4] = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return q


SYNONYMS = {
    "hinge": "revolute", "rotational": "revolute", "rotary": "revolute", "pin": "revolute",
    "slide": "prismatic", "slider": "prismatic", "linear": "prismatic", "translational": "prismatic",
    "screw": "helical",
    "hooke": "universal", "cardan": "universal",
    "ball": "spherical", "sphere": "spherical",
    "float": "free", "floating": "free", "6dof": "free",
    "weld": "fixed", "welded": "fixed",
}  # fmt: skip
"""Names of joint types in other libraries (RoKi, EusLisp, MuJoCo, Modelica) and textbooks."""


def joint_name(name: Any) -> Any:
    """Return the name in this library of a joint type that has another one elsewhere."""
    return SYNONYMS.get(name, name) if isinstance(name, str) else name
