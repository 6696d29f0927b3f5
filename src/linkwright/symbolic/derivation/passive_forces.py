"""Dampers, Coulomb friction and springs of the joints, exactly: D(v) and K(q).

They have a separate ring, which keeps their names out of the long polynomials of M, h and g. sign(v) is a variable of
it: D is linear in these.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import NoReturn

import numpy as np

from linkwright.dynamics.forces.statics import spring_effort
from linkwright.errors import ModelError
from linkwright.expression.polynomials.polynomial import Polynomial, Ring
from linkwright.model.elements import Joint
from linkwright.symbolic.derivation.coordinate_change import CoordinateChange, LocalCoordinateChange
from linkwright.symbolic.derivation.coordinates import Coordinates
from linkwright.symbolic.derivation.equations_of_motion import in_ring
from linkwright.symbolic.derivation.plan import DerivationPlan, Entry
from linkwright.symbolic.interpretation.phrases import listed


class PassiveForces:
    """The efforts that friction and springs take: M v̇ + h + g + D + K = τ."""

    def __init__(self, plan: DerivationPlan, coordinates: Coordinates, change: CoordinateChange | None = None):
        self.plan, self.model, self.coordinates = plan, plan.model, coordinates
        signs = [f"sign({name})" for name in coordinates.v]
        lengths = [name for name in coordinates.q if name not in coordinates.angles]
        constants = set(change.constants if change else ())
        angles = [name for name in plan.angle_names if name in constants]
        names = [name for name in plan.values if name in plan.passive_names or name in constants.difference(angles)]
        self.ring = ring = Ring((*coordinates.angles, *angles), (), [*names, *lengths, *coordinates.v, *signs])
        self._q, self._v = self._variables(coordinates.q), self._variables(coordinates.v)
        self._signs = self._variables(signs)
        self._local: LocalCoordinateChange | None = change.local(ring) if change else None
        if self._local:
            self._q, self._v = self._local.q, self._local.v
            self._signs = np.array([self._sign_of(p) for p in self._v], dtype=object)

    def _sign_of(self, velocity: Polynomial) -> Polynomial | None:
        """The sign of a velocity that is a multiple of another; None where it has no letter."""
        (only, *others) = velocity
        factors, coefficient = only
        if others or len(factors) != 1 or factors[0][1] != 1:
            return None
        sign: Polynomial = self.ring[f"sign({factors[0][0]})"] * (1 if coefficient > 0 else -1)
        return sign

    def _changed(self, forces: np.ndarray) -> np.ndarray:
        """Along the new coordinates, where there are any."""
        return self.ring.array(self._local.J.T @ forces) if self._local else self.ring.array(forces)

    def _variables(self, names: tuple[str, ...] | list[str]) -> np.ndarray:
        return np.array([self.ring[name] for name in names], dtype=object)

    def _values(self, entries: Sequence[Entry]) -> np.ndarray:
        make = partial(in_ring, self.ring)
        return np.array([self.ring.coerce(self.plan.value(entry, make)) for entry in entries], dtype=object)

    @cached_property
    def friction_forces(self) -> np.ndarray:
        """D (nv,): b v + μ sign(v) of every joint, those of followers carried to their leaders.

        Raises :class:`ModelError` where there are dampers between bodies.
        """
        forces = [damping * v + friction * sign for damping, friction, v, sign in self._losses()]
        return self._changed(self.model.assemble(forces))

    @cached_property
    def dissipation(self) -> np.ndarray:
        """Rayleigh's function ½ Σ b v² + Σ μ v sign(v) of every joint, an array of shape (); D is its slope along v.

        The second part, Coulomb's friction, has no slope at v = 0. Raises as :attr:`friction_forces`.
        """
        total = self.ring.zero
        for damping, friction, v, sign in self._losses():
            total = total + damping @ (v * v) / 2 + friction @ (v * sign)
        return self.ring.array(total)

    def _losses(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Dampers, friction, velocities and their signs of every joint."""
        if dampers := [spring.name for spring in self.model.springs if spring.damping]:
            refuse_between(dampers)
        model, found = self.model, []
        rates, signs = model.rates(self._v), model.rates(self._signs)
        for joint, one, v, sign in zip(model.joints, self.plan.passive, rates, signs, strict=True):
            leader = joint.coupling.leader if joint.coupling else None
            if any(x is None for x in (sign if leader is None else signs[leader])):
                if joint.friction.any():
                    raise ModelError(
                        f"the friction of joint {joint.name!r} is after the sign of its velocity, which in these "
                        f"coordinates is {v[0]!r}, and a sign has a letter for one velocity; ask for what is without "
                        "friction, or keep that joint's coordinate"
                    )
                sign = np.array([self.ring.zero] * len(v), dtype=object)
            elif joint.coupling:  # sign(n v) = sign(n) sign(v)
                sign = np.sign(joint.coupling.multiplier) * signs[joint.coupling.leader]
            found.append((self._values(one.damping), self._values(one.friction), v, sign))
        return found

    @cached_property
    def spring_forces(self) -> np.ndarray:
        """Return K (nv,), the gradient of ½ Σ k u², with the deflections u from rest.

        Raises :class:`ModelError` for a spring of a quaternion, whose angle is no polynomial, or between bodies, whose
        distance is none.
        """
        if springs := [spring.name for spring in self.model.springs if spring.stiffness]:
            refuse_between(springs)
        model, forces = self.model, []
        for joint, one, q in zip(model.joints, self.plan.passive, model.coordinates(self._q), strict=True):
            if not joint.stiffness.any():
                forces.append(np.zeros(joint.motion.nv))
                continue
            if joint.motion.quaternions:
                refuse_spring(joint)
            forces.append(spring_effort(joint.motion, self._values(one.stiffness), self._values(one.rest), q))
        return self._changed(model.assemble(forces))


def refuse_between(names: Sequence[str]) -> NoReturn:
    """Raise for springs or dampers between bodies."""
    raise ModelError(
        f"{listed([f'spring {name!r}' for name in names])} between points of two bodies "
        f"{'act' if len(names) > 1 else 'acts'} along the line through them, whose length is the square root of "
        "a polynomial and no polynomial itself; "
        'passive_forces has what they do, and so has code of what="rhs"'
    )


def refuse_spring(joint: Joint) -> NoReturn:
    """Raise for a spring that acts on the rotation of a quaternion."""
    raise ModelError(
        f"the spring of joint {joint.name!r} resists a rotation vector, the logarithm of a quaternion, "
        "which is no polynomial; passive_forces has it"
    )
