"""What every joint can do: the class that all joints derive from, and how random configurations are drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.random  # imported on first use otherwise, in the midst of the first call

from linkwright.errors import InputError
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.linalg import solve_symmetric

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""A twist's entries with the turn before the shift."""


Nested = tuple[tuple[float, ...], ...]
"""A matrix as nested tuples, which compare and hash."""


def nested(T: Any) -> Nested:
    """A matrix as nested tuples."""
    return tuple(tuple(map(float, row)) for row in np.asarray(T))


UNMOVED = nested(np.eye(4))


@dataclass(frozen=True)
class JointPart:
    """One of several joints between two bodies: its placement (4 × 4) in the frame before it, and its name."""

    placement: Nested
    motion: JointType
    name: str = ""


class MirroredJoint(NamedTuple):
    """A joint type seen in a mirror."""

    motion: JointType
    reflection: Array
    """(3, 3), N in the joint's own axes: N T(q) N is the image's motion"""
    signs: Array
    """(nq,), of the coordinates"""


class InvertedJoint(NamedTuple):
    """A joint type whose child carries its parent."""

    motion: JointType
    turn: Array
    """(3, 3), F in the joint's own axes: F⁻¹ T(q)⁻¹ F is the motion"""
    of_q: list[int]
    """indices in q of the coordinates"""
    of_v: list[int]
    inverse: bool = False
    """whether the coordinates are those of the inverse motion"""


ACROSS_Z, ACROSS_Y = np.diag([1.0, 1.0, -1.0]), np.diag([1.0, -1.0, 1.0])
"""Reflections in the plane at right angles to z, and to y."""

HALF_TURN = np.diag([1.0, -1.0, -1.0])
"""About x."""


@dataclass(frozen=True)
class JointType(ABC):
    """What every joint can do. The defaults are those of a joint whose coordinates are plain numbers."""

    type: ClassVar[str]
    units: ClassVar[tuple[str, ...]]
    """the unit of each velocity coordinate's displacement: "m" or "rad\""""
    coordinate_names: ClassVar[tuple[str, ...]]
    hinge: ClassVar[bool] = False
    """whether the motion is a rotation about one axis, and nothing else"""
    slide: ClassVar[bool] = False
    """whether the motion is a translation along one axis, and nothing else"""
    axial: ClassVar[bool] = False
    """whether the motion is along and about one axis: turned about another at right angles, it is its own inverse"""
    isotropic: ClassVar[bool] = False
    """whether all directions of v are alike"""
    floating: ClassVar[bool] = False
    """whether nothing is constrained"""

    @property
    def pitch(self) -> float:
        """Displacement along the axis for one turn about it, m; 0 of a joint that is no screw."""
        return 0.0

    @property
    def parts(self) -> tuple[JointPart, ...]:
        """The joints that a compound joint consists of; () of any other."""
        return ()

    @property
    def end(self) -> Nested:
        """Pose (4 × 4) of the child frame in the moving frame of the last part."""
        return UNMOVED

    def simple_parts(self) -> tuple[JointPart, ...]:
        """The joints of which the motion is the product; the joint itself where it is not one of several."""
        return self.parts or (JointPart(UNMOVED, self),)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the entries of v: those of the coordinates where there are as many."""
        return self.coordinate_names if self.nq == self.nv else tuple(map(str, range(self.nv)))

    @property
    def circular(self) -> tuple[int, ...]:
        """Indices in q of angles: coordinates whose configuration is the same a whole turn later."""
        return ()

    def mirrored(self, M: Array) -> MirroredJoint:
        """The joint type in a mirror; M (3, 3) is the reflection in its own axes where these cannot be chosen."""
        return MirroredJoint(self, ACROSS_Z, np.ones(self.nq))

    def inverted(self) -> InvertedJoint:
        """The joint type by which the child carries the parent."""
        F = HALF_TURN if self.axial else np.eye(3)
        return InvertedJoint(self, F, list(range(self.nq)), list(range(self.nv)), not self.axial)

    @property
    def nq(self) -> int:
        """How many position coordinates."""
        return len(self.coordinate_names)

    @property
    def nv(self) -> int:
        """How many velocity coordinates."""
        return len(self.units)

    @property
    def length(self) -> float:
        """By which forces of the joint are compared with moments, m: a power of two near its offsets; 1 for none."""
        return 1.0

    @property
    def neutral(self) -> Array:
        """The coordinates (nq,) at which child and parent-side frames coincide."""
        return np.zeros(self.nq)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Where in q quaternions start."""
        return ()

    @property
    def plain(self) -> tuple[tuple[int, int], ...]:
        """The coordinates whose rates are velocity coordinates: where in q, and where in v."""
        return tuple((k, k) for k in range(self.nv)) if self.nq == self.nv else ()

    @property
    def turning(self) -> tuple[int, ...]:
        """Of velocities in axes that turn with the body: where in v that turning is. Nowhere where none are."""
        return ()

    @property
    def carried(self) -> tuple[int, ...]:
        """Linear velocities in axes that rotate with the body: their indices in v."""
        return tuple(k for k in range(self.nv) if k not in self.turning) if self.turning else ()

    def in_units(self, length: float) -> JointType:
        """The same joint, lengths counted in units of so many meters."""
        return self

    @property
    def numbers(self) -> tuple[float, ...]:
        """What joints of one kind differ in: a pitch, the placements of parts."""
        return ()

    def with_numbers(self, numbers: Sequence[Any]) -> JointType:
        """The same joint with others, which may be symbols."""
        return self

    @property
    def kind(self) -> JointType:
        """What all joints are alike that differ in their numbers alone."""
        return self

    @abstractmethod
    def transform(self, q: Array) -> Array:
        """The pose (4, 4) of the child frame in the parent-side frame."""

    @abstractmethod
    def motion_subspace(self, q: Array) -> Array:
        """S (6, nv): the child's twist relative to the parent-side frame, in child axes, is S v."""

    def motion_subspace_rate(self, q: Array, v: Array) -> Array:
        """Ṡ (6, nv), in child axes: zero where S is constant there."""
        return np.zeros((6, self.nv))

    def velocity_product(self, q: Array, v: Array) -> Array:
        """Ṡ v (6,)."""
        return self.motion_subspace_rate(q, v) @ v

    def velocity_product_derivative(self, q: Array, v: Array) -> Array:
        """∂(Ṡ v)/∂δ (6, nv) of δ in integrate(q, δ) at 0: zero where S is constant in the child frame."""
        return np.zeros((6, self.nv))

    def constraint_subspace(self, q: Array) -> Array:
        """T (6, 6 − nv) with TᵀS = 0: the forces the joint bears, in child axes.

        Where S is not made of unit vectors: what reflections that make S upper triangular (Householder 1958) leave
        over. They start with the angular rows, so that joints that only turn keep T's linear part constant.
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
        """S_a (6, nv) with S_aᵀS = 1: the force of a unit effort that no other coordinate feels: S (SᵀS)⁻¹.

        As T, of lengths in units of the joint's own: others may lose digits.
        """
        units = np.array([1.0 / self.length] * 3 + [1.0] * 3)
        S = units[:, None] * self.motion_subspace(q)
        return units[:, None] * solve_symmetric(S.T @ S, S.T).T

    def integrate(self, q: Array, v: Array) -> Array:
        """q ⊕ Exp(v): where a unit time at the constant body velocity v leads."""
        return q + v

    def difference(self, q0: Array, q1: Array) -> Array:
        """The v that leads from q0 to q1 in unit time."""
        return q1 - q0

    def configuration_rate(self, q: Array, v: Array) -> Array:
        """q̇ = G(q) v."""
        return v

    def bracket(self, u: Array, v: Array) -> Array:
        """The Lie bracket [u, v] of two velocities: zero for plain numbers."""
        return np.zeros(self.nv)

    def adjoint(self, v: Array) -> Array:
        """Ad(Exp(v))⁻¹ (nv, nv): δ' in q ⊕ δ ⊕ Exp(v) = q ⊕ Exp(v) ⊕ δ'; the identity for plain numbers."""
        return np.eye(self.nv)

    def exp_gradient(self, u: Array, f: Array) -> Array:
        """J_r(u)ᵀ f (nv,): the gradient f with respect to δ in q ⊕ Exp(u) ⊕ Exp(δ), as one with respect to u."""
        return f

    def exp_gradient_inverse(self, u: Array, f: Array) -> Array:
        """J_r(u)⁻ᵀ f (nv,), its inverse; of turns up to half a one."""
        return f

    def exp_rates(self, u: Sequence[Array]) -> list[Array]:
        """v, v̇, … (nv,) of q ⊕ Exp(u(t)) from u, u̇, ü, …: v = J_r(u) u̇."""
        return list(u[1:])

    def displacement(self, rest: Array, q: Array) -> Array:
        """The deflection u (nv,) of a spring, whose potential is ½ uᵀK u: of turns their rotation vector."""
        return self.difference(rest, q)

    def displacement_gradient(self, rest: Array, q: Array, f: Array) -> Array:
        """(∂u/∂δ)ᵀ f (nv,) of the deflection u and δ in integrate(q, δ) at 0: what deflects with f = K u as effort.

        Of a turn ∂u/∂δ = J_r(u)⁻¹, J_r the right Jacobian of Exp.
        """
        return f

    @property
    def reach(self) -> Array:
        """How far (nq,) from zero coordinates without limits are sampled: π, 1 m; of quaternions it is not used."""
        return np.array([np.pi if unit == "rad" else 1.0 for unit in self.units])

    def sample(self, generator: np.random.Generator, lower: Array, upper: Array) -> Array:
        """A random configuration (nq,): uniform in the limits, else in ±π and ±1 m, over rotations."""
        return samples(generator, lower, upper, self.reach, self.quaternions)


def generator(seed: Any) -> np.random.Generator:
    """The generator of random numbers of this seed, or itself. :class:`~linkwright.errors.InputError` for no seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InputError(f"seed is a whole number from 0 on, or a random generator; got {seed!r}") from None


def samples(
    generator: np.random.Generator,
    lower: Array,
    upper: Array,
    reach: Array,
    quaternions: Sequence[int],
    rows: tuple[int, ...] = (),
) -> Array:
    """Random configurations (*rows, nq) of one joint or of many: uniform in the limits (nq,), else within ``reach``.

    One limit alone is the end of a range twice as long as the reach. Quaternions, which start at the given places,
    are uniform over rotations: four normal numbers, made unit (Muller 1959).
    """
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2.0 * reach, reach))
    q = generator.random((*rows, len(reach)))
    q -= 0.5  # in place, for a million rows are many; and from the middle, for the range itself may overflow
    q *= 2.0
    q *= 0.5 * high - 0.5 * low
    q += 0.5 * high + 0.5 * low
    np.clip(q, low, high, out=q)
    for start in quaternions:
        x = generator.normal(size=(*rows, 4))
        q[..., start : start + 4] = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return q
