"""The equations of motion in normal form, derived twice: by the recursive algorithms, and after Lagrange.

M(q) v̇ + h(q, v) + g(q) = τ, with q̇ = G(q) v where coordinates and velocities differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.equations.derive.loops import Closure, closure_of, without_loops
from linkwright.equations.derive.plan import Plan, realised
from linkwright.equations.derive.quantities import Quantity
from linkwright.equations.derive.surd import Surd
from linkwright.equations.derive.whole import RECIPROCAL, over_mass
from linkwright.expression.polynomial import TERM_LIMIT, Polynomial, Ring
from linkwright.model.joint import Compound
from linkwright.model.joint_type import JointType
from linkwright.model.tree import Model
from linkwright.spatial.transform import split_pose
from linkwright.status import telling


class Coordinates(NamedTuple):
    """The names of a mechanism's coordinates."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    a: tuple[str, ...]
    angles: tuple[str, ...]
    quaternions: tuple[tuple[str, str, str, str], ...]


def coordinates_of(model: Model) -> Coordinates:
    """theta1, d2, … for the angle of joint 1 and the displacement of joint 2, theta1_dot for a rate."""
    q: list[str] = []
    v: list[str] = []
    angles: list[str] = []
    quaternions: list[tuple[str, str, str, str]] = []

    def add(motion: JointType, tag: str) -> None:
        if isinstance(motion, Compound):
            for letter, part in zip("abcdefghijklmnopqrstuvwxyz", motion.parts, strict=False):
                add(part.motion, tag + letter)
            return
        own, rates = _OWN[motion.type]
        names = [name + tag for name in own]
        q.extend(names)
        v.extend([rate + tag for rate in rates] or [name + "_dot" for name in names])
        angles.extend(name for name in names if name.startswith("theta"))
        for start in motion.quaternions:
            w, x, y, z = names[start : start + 4]
            quaternions.append((w, x, y, z))

    for k, joint in enumerate(model.joints, start=1):
        if joint.nq:
            add(joint.motion, str(k))
    a = tuple(name[:-4] + "_ddot" if name.endswith("_dot") else name + "_dot" for name in v)
    return Coordinates(tuple(q), tuple(v), a, tuple(angles), tuple(quaternions))


_OWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "revolute": (("theta",), ()),
    "helical": (("theta",), ()),
    "prismatic": (("d",), ()),
    "cylindrical": (("d", "theta"), ()),
    "planar": (("x", "y", "theta"), ("vx", "vy", "w")),
    "spherical": (("qw", "qx", "qy", "qz"), ("wx", "wy", "wz")),
    "free": (("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")),
}
"""The letters of a joint's coordinates, and of its velocities where those are no rates of coordinates."""


class Forms(NamedTuple):
    """The equations of motion as arrays of polynomials."""

    mass_matrix: np.ndarray
    velocity_forces: np.ndarray
    gravity_forces: np.ndarray

    @property
    def terms(self) -> int:
        """The number of terms in all."""
        return sum(len(p) for form in self for p in form.flat)

    def __eq__(self, other: object) -> bool:
        """Whether they are the same equations, entry by entry; a proof, for every entry has one normal form."""
        return isinstance(other, Forms) and all(map(np.array_equal, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other


class Body(NamedTuple):
    """What the Lagrange route finds of one body."""

    name: str
    position: np.ndarray
    """of the centre of mass in a plane, else of the joint, in the world"""
    velocity: np.ndarray
    """its rate"""
    angular_velocity: np.ndarray
    """in body axes, from Rᵀ Ṙ"""
    kinetic_energy: Polynomial
    potential_energy: Polynomial


@dataclass
class Derivation:
    """Lagrange's equations step by step; Boltzmann and Hamel's where v ≠ q̇ (Greenwood 2003, §4.4)."""

    bodies: list[Body]
    kinetic_energy: Polynomial
    potential_energy: Polynomial
    lagrangian: Polynomial
    momenta: np.ndarray
    """∂L/∂v"""
    momentum_rates: np.ndarray
    """d/dt ∂L/∂v less M v̇: what of it does not hold accelerations"""
    slopes: np.ndarray
    """∂L/∂q, along each velocity coordinate: Σ ∂L/∂q G"""
    turning: np.ndarray
    """ad*ᵥ ∂L/∂v, rotors aside: zero where v = q̇"""
    forms: Forms


def in_ring(ring: Ring, coefficient: Surd, name: str) -> Polynomial:
    """A number of the plan as an element."""
    two, three = ring["sqrt2"], ring["sqrt3"]
    a, b, c, d = coefficient
    number: Polynomial = two * b + three * c + two * three * d + a
    return number * ring[name] if name else number


def _deriving(mechanism: Mechanism) -> str:
    return f"deriving the equations of {mechanism.model.name!r}"


class Mechanism:
    """A plan on polynomials. ``more`` and ``angles`` are further variables, the latter with cosines and sines."""

    def __init__(self, plan: Plan, term_limit: int = TERM_LIMIT, more: Sequence[str] = (), angles: Sequence[str] = ()):
        self.plan = plan
        self.coordinates = names = coordinates_of(plan.model)
        displacements = [n for n in names.q if n not in names.angles and n not in sum(names.quaternions, ())]
        constants = [name for name in plan.rigid_names if name not in plan.angle_names]
        others = [*constants, *displacements, *names.v, RECIPROCAL, *more]
        self.ring = ring = Ring((*names.angles, *plan.angle_names, *angles), names.quaternions, others, term_limit)
        self.closed = realised(plan, self._number)
        self.mass = ring.coerce(sum((link.rigid_inertia.mass for link in self.closed.links), ring.zero))
        if self.mass.used():  # of names: divided by where that leaves no fraction, else the reciprocal has a name
            ring.divisors[RECIPROCAL] = self.mass
        self.model = without_loops(self.closed)
        self.q = _objects([ring[name] for name in names.q])
        self.v = _objects([ring[name] for name in names.v])

    def _number(self, coefficient: Surd, name: str) -> Polynomial:
        return in_ring(self.ring, coefficient, name)

    @cached_property
    @telling(_deriving)
    def recursive(self) -> Forms:
        """By composite bodies and by the recursive Newton–Euler method, as the library has them."""
        ring, model, still = self.ring, self.model, np.zeros(self.model.nv)
        M = dynamics.mass_matrix(model, self.q)
        ring.check()
        weightless = _with_gravity(model, np.zeros(3))
        h = dynamics.inverse_dynamics(weightless, self.q, self.v, still)
        ring.check()
        return Forms(ring.array(M), ring.array(h), self.gravity_forces)

    @cached_property
    def gravity_forces(self) -> np.ndarray:
        """g, by the recursive Newton–Euler method at rest."""
        still = np.zeros(self.model.nv)
        return self.ring.array(dynamics.inverse_dynamics(self.model, self.q, still, still))

    @telling(_deriving)
    def form(self, quantity: Quantity, frame: str = "", reference: str = "world_aligned") -> np.ndarray:
        """One quantity, by the library's algorithm, as an array of polynomials."""
        if quantity.looped:
            rows: np.ndarray = getattr(self.closure, quantity.name)
            return rows
        made = quantity.value(self.model, self.q, self.v, frame, reference)
        self.ring.check()
        return over_mass(self.ring.array(made), self.mass) if quantity.needs_masses else self.ring.array(made)

    @cached_property
    def closure(self) -> Closure:
        """The constraints of closed loops; without any, no rows."""
        return closure_of(self.closed, self.ring, self.q, self.v)

    @cached_property
    @telling(_deriving)
    def lagrange(self) -> Derivation:
        """From the energies: positions are differentiated, nothing of the recursions is used but the poses."""
        ring, model, v = self.ring, self.model, self.v
        units = [dynamics.configuration_rate(model, self.q, unit) for unit in np.eye(model.nv)]
        along = [dict(zip(self.coordinates.q, unit, strict=True)) for unit in units]
        in_time = dict(zip(self.coordinates.q, dynamics.configuration_rate(model, self.q, v), strict=True))
        bodies = self._bodies(in_time)
        K = sum((body.kinetic_energy for body in bodies), ring.zero)
        K = K + (v @ (model.armature * v)) * 0.5 if model.nv else K
        U = sum((body.potential_energy for body in bodies), ring.zero)
        L = K - U
        p = _objects([ring.derivative(L, name) for name in self.coordinates.v])
        M = _matrix([[ring.derivative(x, name) for name in self.coordinates.v] for x in p])
        rates = _objects([ring.rate(x, in_time) for x in p])
        slopes = _objects([ring.rate(K, direction) for direction in along])
        pulls = _objects([ring.rate(U, direction) for direction in along])
        # reflected rotors are no part of the bodies: the library keeps them on the diagonal and turns nothing by them
        turned = p - model.armature * v
        turning = _objects([ring.coerce(turned @ dynamics.lie_bracket(model, v, unit)) for unit in np.eye(model.nv)])
        ring.check()
        forms = Forms(M, rates - slopes - turning, pulls)
        return Derivation(bodies, K, U, L, p, rates, slopes - pulls, turning, forms)

    def _bodies(self, in_time: dict[str, Any]) -> list[Body]:
        ring, found = self.ring, []

        def rate(X: np.ndarray) -> np.ndarray:
            made = [ring.rate(ring.coerce(x), in_time) for x in X.flat]
            return _objects(made).reshape(X.shape)

        plan, model = self.plan, self.model
        for k, T in enumerate(dynamics.kinematics.body_poses(model, self.q)):
            R, p = split_pose(T)
            m, h, I = model.links[k].rigid_inertia
            W = R.T @ rate(R)
            w = _objects([ring.coerce(x) for x in (W[2, 1], W[0, 2], W[1, 0])])
            weight = -(model.gravity @ (R @ h + m * p))
            if plan.planar:  # about the centre of mass, as books have it
                one = plan.links[k]
                c = np.array([self._number(*x) for x in one.center], dtype=object)
                I = _matrix([[self._number(*x) for x in row] for row in one.inertia])
                p = p + R @ c
                velocity = rate(p)
                K = (velocity @ velocity) * m * 0.5 + (w @ (I @ w)) * 0.5
            else:
                velocity = rate(p)
                local = R.T @ velocity
                swept = np.cross(w, h)
                K = (velocity @ velocity) * m * 0.5 + local @ swept + (w @ (I @ w)) * 0.5
            ring.check()
            p, K, U = _objects([ring.coerce(x) for x in p]), ring.coerce(K), ring.coerce(weight)
            found.append(Body(plan.model.bodies[k].name, p, velocity, w, K, U))
        return found


def _with_gravity(model: Model, gravity: np.ndarray) -> Model:
    """Under another gravity; nothing else changes, and no description is made of numbers that are none."""
    return replace(model, gravity=gravity)


def _objects(x: Sequence[Any]) -> np.ndarray:
    array = np.empty(len(x), dtype=object)
    array[:] = x
    return array


def _matrix(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    array = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for place in np.ndindex(*array.shape):
        array[place] = rows[place[0]][place[1]]
    return array
