"""Structure of the exact equations: kinds of terms, dependences, identities, conserved momenta. All by the ring.

Greenwood, *Advanced Dynamics* (2003), §2.1 (kinds of forces), §2.3 (ignorable coordinates), §4.4 (quasi-velocities).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.model.elements import Joint
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import split_pose
from linkwright.symbolic.derivation.equations_of_motion import Forms, LagrangianMechanism

SAMPLES = 3
"""Configurations at which springs are tested for where they act: what is zero at all of them is zero."""

NOTHING = 1e-9
"""A force of less than this of the largest is rounding."""


class EquationTerms(NamedTuple):
    """One equation of M v̇ + h + g = τ, by kinds of terms; numbers are those of velocities."""

    inertia: dict[int, Polynomial]
    """M_ij where not zero"""
    centrifugal: dict[int, Polynomial]
    """of v_j²"""
    coriolis: dict[tuple[int, int], Polynomial]
    """of v_j v_k, j < k"""
    gyroscopic: Polynomial
    """of axes that turn with the body, where v ≠ q̇; quadratic in v"""
    gravity: Polynomial


class ConservedMomentum(NamedTuple):
    """A momentum that no force changes while nothing drives the mechanism."""

    name: str
    polynomial: Polynomial
    row: int | None
    """of the generalized momentum ∂L/∂v; None where it is one about or along a fixed axis"""


@dataclass
class Structure:
    """Structural properties of the equations; each is computed on demand."""

    mechanism: LagrangianMechanism
    forms: Forms

    @cached_property
    def joints(self) -> list[Joint]:
        """The joint of every velocity."""
        return [joint for joint in self.mechanism.model.joints for _ in range(joint.nv)]

    @cached_property
    def coordinates(self) -> list[tuple[str, ...]]:
        """The coordinates of each velocity's joint, or the one whose rate it is."""
        found: list[tuple[str, ...]] = []
        names = iter(self.mechanism.coordinates.q)
        for joint in self.mechanism.model.joints:
            own = [next(names) for _ in range(joint.nq)]
            found += [(name,) for name in own] if joint.nq == joint.nv and not quasi(joint) else [tuple(own)] * joint.nv
        return found

    @cached_property
    def along(self) -> list[dict[str, Any]]:
        """∂q/∂π_i: how the coordinates move along every velocity."""
        names, units = self.mechanism.coordinates.q, np.eye(len(self.joints))
        return [
            dict(zip(names, dynamics.configuration_rate(self.mechanism.model, self.mechanism.q, unit), strict=True))
            for unit in units
        ]

    @cached_property
    def in_time(self) -> dict[str, Any]:
        """q̇ = G(q) v."""
        model, q, v = self.mechanism.model, self.mechanism.q, self.mechanism.v
        return dict(zip(self.mechanism.coordinates.q, dynamics.configuration_rate(model, q, v), strict=True))

    @cached_property
    def gyroscopic(self) -> list[Polynomial]:
        """−(∂K/∂v)·[v, e_i] of each row: Boltzmann's and Hamel's addition to Lagrange's terms; zero where v = q̇."""
        ring, model, v = self.mechanism.ring, self.mechanism.model, self.mechanism.v
        if not any(quasi(joint) for joint in model.joints):
            return [ring.zero] * len(v)
        p = self.forms.mass_matrix @ v - model.armature * v
        found = [-ring.coerce(p @ dynamics.lie_bracket(model, v, unit)) for unit in np.eye(len(v))]
        ring.check()
        return found

    @cached_property
    def rows(self) -> list[EquationTerms]:
        """The equations by kinds of terms."""
        ring, names = self.mechanism.ring, self.mechanism.coordinates.v
        found = []
        for M, h, gyroscopic, g in zip(
            self.forms.mass_matrix, self.forms.velocity_forces, self.gyroscopic, self.forms.gravity_forces, strict=True
        ):
            squares: dict[int, Polynomial] = {}
            products: dict[tuple[int, int], Polynomial] = {}
            for j, first in enumerate(names):
                slope = ring.derivative(h - gyroscopic, first)
                for k, second in enumerate(names[j:], start=j):
                    if coefficient := ring.derivative(slope, second):
                        if j == k:
                            squares[j] = coefficient * 0.5
                        else:
                            products[j, k] = coefficient
            found.append(EquationTerms({j: m for j, m in enumerate(M) if m}, squares, products, gyroscopic, g))
        return found

    def coordinates_in(self, polynomials: Iterable[Polynomial]) -> tuple[str, ...]:
        """The coordinates that occur, in order."""
        used: set[str] = set().union(*(p.used() for p in polynomials))
        bare = {name[4:-1] if name.startswith(("cos(", "sin(")) else name for name in used}
        return tuple(name for name in self.mechanism.coordinates.q if name in bare)

    @cached_property
    def is_hessian_of_kinetic_energy(self) -> bool:
        """Whether ½ vᵀMv is the kinetic energy of the bodies, which is computed without M; and M is symmetric."""
        ring, v, M = self.mechanism.ring, self.mechanism.v, self.forms.mass_matrix
        K = ring.coerce(dynamics.kinetic_energy(self.mechanism.model, self.mechanism.q, v))
        twice = ring.coerce(v @ (M @ v)) if len(v) else ring.zero
        ring.check()
        return twice == K * 2 and all(M[i, j] == M[j, i] for i, j in np.ndindex(*M.shape))

    @cached_property
    def _inertia_rates(self) -> np.ndarray:
        """Ṁ v."""
        ring, v, M = self.mechanism.ring, self.mechanism.v, self.forms.mass_matrix
        made = np.empty(len(v), dtype=object)
        for i, row in enumerate(M):
            made[i] = sum((ring.rate(m, self.in_time) * x for m, x in zip(row, v, strict=True)), ring.zero)
        ring.check()
        return made

    @cached_property
    def keeps_energy(self) -> bool:
        """Whether vᵀh = ½ vᵀṀv and vᵀg = U̇: then K + U changes by vᵀτ only."""
        ring, v = self.mechanism.ring, self.mechanism.v
        U = ring.coerce(dynamics.potential_energy(self.mechanism.model, self.mechanism.q))
        pull = ring.coerce(v @ self.forms.gravity_forces) if len(v) else ring.zero
        power = ring.coerce(v @ (self.forms.velocity_forces * 2 - self._inertia_rates)) if len(v) else ring.zero
        ring.check()
        return not power and pull == ring.rate(U, self.in_time)

    @cached_property
    def coriolis(self) -> np.ndarray:
        """C (nv, nv) of the library, with C v = h."""
        ring, mechanism = self.mechanism.ring, self.mechanism
        made = dynamics.coriolis_matrix(mechanism.model, mechanism.q, mechanism.v)
        ring.check()
        return ring.array(made)

    @cached_property
    def is_skew(self) -> bool:
        """Whether Ṁ − 2 C is skew, as Ṁ = C + Cᵀ, and C v = h."""
        ring, C, M = self.mechanism.ring, self.coriolis, self.forms.mass_matrix
        n = len(M)
        held = ring.array(C @ self.mechanism.v) if len(M) else np.zeros(0)
        ring.check()
        alike = all(not (x - y) for x, y in zip(held, self.forms.velocity_forces, strict=True))
        return alike and all(
            ring.rate(M.item(i, j), self.in_time) == C[i, j] + C[j, i] for i in range(n) for j in range(i, n)
        )

    @cached_property
    def _momentum_rates(self) -> np.ndarray:
        """d/dt (M v) where τ = 0: Ṁ v − h − g."""
        return self._inertia_rates - self.forms.velocity_forces - self.forms.gravity_forces

    @cached_property
    def conserved(self) -> list[ConservedMomentum]:
        """The momenta that no effort of weight or springs changes: their rates vanish identically."""
        pulled = [np.abs(force) > NOTHING * np.abs(force).max(initial=1e-300) for _, force in self._springs]
        free = ~np.any(pulled, axis=0) if pulled else np.ones(len(self.joints), dtype=bool)
        return [one for one in self._cyclic if free[one.row]] + self._spatial()

    @cached_property
    def sprung(self) -> list[ConservedMomentum]:
        """The momenta of cyclic coordinates, along which springs act all the same."""
        return [one for one in self._cyclic if one not in self.conserved]

    @cached_property
    def _momenta(self) -> np.ndarray:
        """M v."""
        return np.asarray(self.forms.mass_matrix @ self.mechanism.v)

    @cached_property
    def _cyclic(self) -> list[ConservedMomentum]:
        """The generalized momenta that bodies and their weight keep."""
        ring, p = self.mechanism.ring, self._momenta
        return [
            ConservedMomentum(f"dL/d{name}", ring.coerce(p[i]), i)
            for i, name in enumerate(self.mechanism.coordinates.v)
            if not self._momentum_rates[i]
        ]

    @cached_property
    def _springs(self) -> list[tuple[Array, Array]]:
        """Configurations, none of them special, and the forces (nv,) of springs there; empty without springs."""
        model, random = self.mechanism.plan.model, np.random.default_rng(0)
        if not (model.springs or model.compensated_weights) and not any(
            joint.stiffness.any() for joint in model.joints
        ):
            return []
        found = []
        for _ in range(SAMPLES):
            own = [joint.motion for joint in model.joints if joint.nq]
            unlimited = [np.full(motion.nq, np.inf) for motion in own]
            q = np.concatenate([m.sample(random, -far, far) for m, far in zip(own, unlimited, strict=True)])
            found.append((q, dynamics.passive_forces(model, q, np.zeros(model.nv))))
        return found

    def _spatial(self) -> list[ConservedMomentum]:
        """Momenta along and about axes fixed in the world, of all that hangs on a planar, spherical or free joint."""
        ring, model = self.mechanism.ring, self.mechanism.model
        found: list[ConservedMomentum] = []
        for number, (link, joint, q, v, own, rate) in enumerate(
            zip(
                model.links,
                model.joints,
                model.coordinates(self.mechanism.q),
                model.rates(self.mechanism.v),
                model.rates(self._momenta),
                model.rates(self._momentum_rates),
                strict=True,
            )
        ):
            if link.parent >= 0 or joint.motion.parts or not quasi(joint):
                continue
            S, (R, x) = joint.motion.motion_subspace(q), split_pose(joint.motion.transform(q))
            V, f, f_rate = S @ v, S @ own, S @ rate  # in body axes
            linear, linear_rate = R @ f[:3], R @ (np.cross(V[3:], f[:3]) + f_rate[:3])
            angular = np.cross(x, linear) + R @ f[3:]
            turned = R @ (np.cross(V[3:], f[3:]) + f_rate[3:])
            angular_rate = np.cross(R @ V[:3], linear) + np.cross(x, linear_rate) + turned
            known = [S[:, k].nonzero()[0].item() for k in range(joint.nv)]
            quantities = [*linear, *angular], [*linear_rate, *angular_rate]
            pulled = self._pulled(number)
            for k in known:
                if pulled[k]:
                    continue
                kind, axis = ("linear momentum along", "angular momentum about")[k // 3], "xyz"[k % 3]
                momentum, change = ring.coerce(quantities[0][k]), ring.coerce(quantities[1][k])
                ring.check()
                if not change and momentum:
                    place = f"the fixed {axis} axis of {joint.name}"
                    found.append(ConservedMomentum(f"{kind} {place}", momentum, None))
        return found

    def _pulled(self, number: int) -> Array:
        """Along and about which fixed axes (6,) springs act on all that hangs on a joint at the world."""
        model, found = self.mechanism.plan.model, np.zeros(6, dtype=bool)
        motion = model.joints[number].motion
        for q, forces in self._springs:
            own, force = model.coordinates(q)[number], model.rates(forces)[number]
            R, x = split_pose(motion.transform(own))
            f = motion.motion_subspace(own) @ force
            linear = R @ f[:3]
            wrench = np.concatenate([linear, np.cross(x, linear) + R @ f[3:]])
            found |= np.abs(wrench) > NOTHING * np.abs(forces).max(initial=1e-300)
        return found

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """The velocities whose equations hang together: others occur in none of their rows."""
        n = len(self.joints)
        owner: dict[str, list[int]] = {}
        for i, (rate, own) in enumerate(zip(self.mechanism.coordinates.v, self.coordinates, strict=True)):
            owner.setdefault(rate, []).append(i)
            for name in own:
                for shown in (name, f"cos({name})", f"sin({name})"):
                    owner.setdefault(shown, []).append(i)
        linked = np.eye(n, dtype=bool)
        for i in range(n):
            row = (*self.forms.mass_matrix[i], self.forms.velocity_forces[i], self.forms.gravity_forces[i])
            for name in set().union(*(p.used() for p in row)):
                linked[i, owner.get(name, [])] = True
            linked[i] |= [bool(m) for m in self.forms.mass_matrix[i]]
        linked |= linked.T
        for _ in range(n):
            linked = linked @ linked
        return sorted({tuple(np.flatnonzero(row).tolist()) for row in linked})

    def why_weightless(self, i: int) -> str:
        """Why g_i vanishes identically: "gravity", "parallel", "perpendicular" or "balanced"."""
        ring, model = self.mechanism.ring, self.mechanism.model
        gravity = ring.array(model.gravity)
        if not any(gravity):
            return "gravity"
        k = next(k for k, joint in enumerate(model.joints) if joint is self.joints[i])
        motion, axis = self.joints[i].motion, self._poses[k][:3, 2]
        if motion.hinge and not any(ring.coerce(x) for x in np.cross(axis, gravity)):
            return "parallel"
        if motion.slide and not ring.coerce(axis @ gravity):
            return "perpendicular"
        return "balanced"

    @cached_property
    def _poses(self) -> list[np.ndarray]:
        return dynamics.kinematics.body_poses(self.mechanism.model, self.mechanism.q)


def quasi(joint: Joint) -> bool:
    """Return whether the joint's velocities are no time derivatives of its coordinates."""
    return len(joint.motion.plain) < joint.motion.nv


def determinant(A: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """By its first row; for small matrices (n, n), n ≥ 1."""
    if len(A) == 1:
        return A[0][0]
    total = A[0][0].ring.zero
    for j, x in enumerate(A[0]):
        if x:
            total = total + x * determinant([[*row[:j], *row[j + 1 :]] for row in A[1:]]) * (-1) ** j
    return total


def sign_of(p: Polynomial, values: Mapping[str, float]) -> int:
    """1 or −1 where p is proved to have that sign whenever its parameters have the signs of ``values``; else 0.

    Every term is then of that sign or has even powers of whatever else occurs, and one has none of these.
    """
    known = {**{name: math.copysign(1.0, x) for name, x in values.items() if x}, "sqrt2": 1, "sqrt3": 1, "1/pi": 1}
    signs, strict = set(), False
    for factors, coefficient in p:
        sign, fixed = (1 if coefficient > 0 else -1), True
        for name, e in factors:
            if name in known:
                sign *= int(known[name]) ** e
            elif e % 2:
                return 0
            else:
                fixed = False
        signs.add(sign)
        strict = strict or fixed
    return signs.pop() if len(signs) == 1 and strict else 0
