"""The equations of motion in normal form, derived twice: by the recursive algorithms, and after Lagrange.

M(q) v̇ + h(q, v) + g(q) = τ, with q̇ = G(q) v where coordinates and velocities differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.errors import TooLargeError
from linkwright.expression.polynomials.polynomial import TERM_LIMIT, Polynomial, Ring
from linkwright.model.tree import Model
from linkwright.spatial.transform import split_pose
from linkwright.status import with_status_message
from linkwright.symbolic.derivation.coordinate_change import CoordinateChange, LocalCoordinateChange
from linkwright.symbolic.derivation.coordinates import coordinates_of
from linkwright.symbolic.derivation.exact_rotations import Surd
from linkwright.symbolic.derivation.loops import Closure, closure_of, without_loops
from linkwright.symbolic.derivation.plan import DerivationPlan
from linkwright.symbolic.derivation.quantities import QUANTITIES, Quantity
from linkwright.symbolic.derivation.realization import realized
from linkwright.symbolic.derivation.total_mass import over_mass


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
        """Return whether the equations are equal, entry by entry; a proof, since every entry has one normal form."""
        return isinstance(other, Forms) and all(map(np.array_equal, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other


class LagrangianBody(NamedTuple):
    """Intermediate results of the Lagrangian derivation for one body."""

    name: str
    position: np.ndarray
    """of the center of mass in a plane, else of the joint, in the world"""
    velocity: np.ndarray
    """its rate"""
    angular_velocity: np.ndarray
    """in body axes, from Rᵀ Ṙ"""
    kinetic_energy: Polynomial
    potential_energy: Polynomial


@dataclass
class Derivation:
    """Lagrange's equations step by step; Boltzmann and Hamel's where v ≠ q̇ (Greenwood 2003, §4.4)."""

    bodies: list[LagrangianBody]
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


def _deriving(mechanism: LagrangianMechanism) -> str:
    return f"deriving the equations of {mechanism.model.name!r}"


class LagrangianMechanism:
    """A plan on polynomials, in other coordinates where there is a ``change``.

    ``more`` and ``angles`` are further variables, the latter with cosines and sines.
    """

    def __init__(
        self,
        plan: DerivationPlan,
        term_limit: int = TERM_LIMIT,
        more: Sequence[str] = (),
        angles: Sequence[str] = (),
        change: CoordinateChange | None = None,
    ):
        self.plan, self.change = plan, change
        self.coordinates = names = change.coordinates if change else coordinates_of(plan.model)
        displacements = [n for n in names.q if n not in names.angles and n not in sum(names.quaternions, ())]
        self.reciprocal = f"1/{plan.mass_letter}"
        constants = [name for name in plan.rigid_names if name not in plan.angle_names]
        others = [*constants, *displacements, *names.v, self.reciprocal, *more]
        self.ring = ring = Ring((*names.angles, *plan.angle_names, *angles), names.quaternions, others, term_limit)
        self.closed = realized(plan, self._number)
        self.mass = ring.coerce(sum((link.rigid_inertia.mass for link in self.closed.links), ring.zero))
        if self.mass.used():  # of names: divided by where that leaves no fraction, else the reciprocal has a name
            ring.divisors[self.reciprocal] = self.mass
        self.model = without_loops(self.closed)
        self.rates = self.v = _objects([ring[name] for name in names.v])
        """the velocities, and those of the mechanism's own coordinates"""
        self.q = _objects([ring[name] for name in names.q])
        self.local: LocalCoordinateChange | None = change.local(ring) if change else None
        if self.local:
            self.q, self.v = self.local.q, self.local.v

    def _number(self, coefficient: Surd, name: str) -> Polynomial:
        return in_ring(self.ring, coefficient, name)

    @cached_property
    @with_status_message(_deriving)
    def recursive(self) -> Forms:
        """By composite bodies and by the recursive Newton–Euler method, as the library has them."""
        ring, model, still = self.ring, self.model, np.zeros(self.model.nv)
        M = ring.array(dynamics.mass_matrix(model, self.q))
        ring.check()
        weightless = _with_gravity(model, np.zeros(3))
        h = ring.array(dynamics.inverse_dynamics(weightless, self.q, self.v, still))
        ring.check()
        if self.local:
            M, h = (self._changed(letter, {"M": M, "h": h}.__getitem__) for letter in "Mh")
        return Forms(M, h, self.gravity_forces)

    def replaced(self) -> list[tuple[str, Polynomial]]:
        """The mechanism's own coordinates that are functions of others, and these functions."""
        if self.change is None:
            return []
        return [(name, self.q[self.change.own.q.index(name)]) for name, _ in self.change.functions]

    def _changed(self, letter: str, value: Callable[[str], np.ndarray]) -> np.ndarray:
        """In other coordinates, where there are any."""
        if not self.local:
            return value(letter)
        made = self.local.changed(letter, value)
        self.ring.check()
        return self.ring.array(made)

    @cached_property
    def gravity_forces(self) -> np.ndarray:
        """g, by the recursive Newton–Euler method at rest."""
        still = np.zeros(self.model.nv)
        own = self.ring.array(dynamics.inverse_dynamics(self.model, self.q, still, still))
        return self._changed("g", lambda _: own)

    @with_status_message(_deriving)
    def form(self, quantity: Quantity, frame: str = "", reference_frame: str = "world_aligned") -> np.ndarray:
        """One quantity, by the library's algorithm, as an array of polynomials."""
        if quantity.looped:
            rows: np.ndarray = getattr(self.closure, quantity.name)
            return rows

        def value(letter: str) -> np.ndarray:
            made = QUANTITIES[letter].value(self.model, self.q, self.v, frame, reference_frame)
            self.ring.check()
            return self.ring.array(made)

        made = self._changed(quantity.letter, value)
        return over_mass(made, self.mass, self.reciprocal) if quantity.needs_masses else made

    @cached_property
    def closure(self) -> Closure:
        """The constraints of closed loops; without any, no rows."""
        try:
            own = closure_of(self.closed, self.ring, self.q, self.v)
        except TooLargeError as failure:
            raise TooLargeError(
                f"the constraints A and b of the closed loops of {self.model.name!r} are too long to be written out: "
                f"{failure}; with numbers for parameters they are shorter, M, h and g are derived without them, and "
                "constraint_jacobian and constraint_bias compute them"
            ) from None
        rows = {"A": own.constraint_jacobian, "b": own.constraint_bias}
        A, b = (self._changed(letter, rows.__getitem__) for letter in "Ab")
        return own._replace(constraint_jacobian=A, constraint_bias=b)

    @cached_property
    @with_status_message(_deriving)
    def lagrange(self) -> Derivation:
        """From the energies: positions are differentiated, nothing of the recursions is used but the poses."""
        ring, model, v = self.ring, self.model, self.v
        units = [dynamics.configuration_rate(model, self.q, unit) for unit in np.eye(model.nv)]
        along = [dict(zip(self.coordinates.q, unit, strict=True)) for unit in units]
        in_time = dict(zip(self.coordinates.q, dynamics.configuration_rate(model, self.q, self.rates), strict=True))
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
        turning = _objects(
            [ring.coerce(turned @ dynamics.lie_bracket(model, self.rates, unit)) for unit in np.eye(model.nv)]
        )
        ring.check()
        forms = Forms(M, rates - slopes - turning, pulls)
        return Derivation(bodies, K, U, L, p, rates, slopes - pulls, turning, forms)

    def _bodies(self, in_time: dict[str, Any]) -> list[LagrangianBody]:
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
            if plan.planar:  # about the center of mass, as books have it
                one = plan.links[k]
                c = np.array([plan.value(x, self._number) for x in one.center], dtype=object)
                I = _matrix([[plan.value(x, self._number) for x in row] for row in one.inertia])
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
            found.append(LagrangianBody(plan.model.bodies[k].name, p, velocity, w, K, U))
        return found


def _with_gravity(model: Model, gravity: np.ndarray) -> Model:
    """Return the model with another gravity; symbolic numbers are kept."""
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
