"""Dampers, Coulomb friction and springs of the joints, exactly: D(v) and K(q) beside M, h and g.

They have a ring of their own, which keeps their names out of the long polynomials of M, h and g.
sign(v) is a variable of it: D is linear in those.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NoReturn

import numpy as np

from linkwright.dynamics.statics import spring_effort
from linkwright.equations.derive.plan import Entry, Plan
from linkwright.equations.derive.twice import Coordinates, in_ring
from linkwright.equations.read.wording import listed
from linkwright.errors import ModelError
from linkwright.expression.polynomial import Ring
from linkwright.model.tree import Joint


class PassiveForces:
    """The efforts that friction and springs take: M v̇ + h + g + D + K = τ."""

    def __init__(self, plan: Plan, coordinates: Coordinates):
        self.plan, self.model, self.coordinates = plan, plan.model, coordinates
        self._signs = [f"sign({name})" for name in coordinates.v]
        lengths = [name for name in coordinates.q if name not in coordinates.angles]
        names = [name for name in plan.values if name in plan.passive_names]
        self.ring = Ring(coordinates.angles, (), [*names, *lengths, *coordinates.v, *self._signs])

    def _variables(self, names: tuple[str, ...] | list[str]) -> np.ndarray:
        return np.array([self.ring[name] for name in names], dtype=object)

    def _values(self, entries: list[Entry]) -> np.ndarray:
        return np.array([in_ring(self.ring, *entry) for entry in entries], dtype=object)

    @cached_property
    def friction_forces(self) -> np.ndarray:
        """D (nv,): b v + μ sign(v) of every joint, those of followers carried to their leaders.

        Raises :class:`ModelError` where there are dampers between bodies.
        """
        forces = [damping * v + friction * sign for damping, friction, v, sign in self._losses()]
        return self.ring.array(self.model.assemble(forces))

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
        rates, signs = model.rates(self._variables(self.coordinates.v)), model.rates(self._variables(self._signs))
        for joint, one, v, sign in zip(model.joints, self.plan.passive, rates, signs, strict=True):
            if joint.coupling:  # sign(n v) = sign(n) sign(v)
                sign = np.sign(joint.coupling.multiplier) * signs[joint.coupling.leader]
            found.append((self._values(one.damping), self._values(one.friction), v, sign))
        return found

    @cached_property
    def spring_forces(self) -> np.ndarray:
        """K (nv,): the gradient of ½ Σ k u², u the deflections from rest, of every joint likewise.

        Raises :class:`ModelError` where a spring resists the turn of a quaternion, whose angle is no polynomial,
        or is between bodies, whose distance is none.
        """
        if springs := [spring.name for spring in self.model.springs if spring.stiffness]:
            refuse_between(springs)
        model, forces = self.model, []
        for joint, one, q in zip(
            model.joints, self.plan.passive, model.coordinates(self._variables(self.coordinates.q)), strict=True
        ):
            if not joint.stiffness.any():
                forces.append(np.zeros(joint.motion.nv))
                continue
            if joint.motion.quaternions:
                refuse_spring(joint)
            forces.append(spring_effort(joint.motion, self._values(one.stiffness), self._values(one.rest), q))
        return self.ring.array(model.assemble(forces))


def refuse_between(names: Sequence[str]) -> NoReturn:
    """Raise for springs or dampers between bodies."""
    raise ModelError(
        f"{listed([f'spring {name!r}' for name in names])} between points of two bodies "
        f"{'act' if len(names) > 1 else 'acts'} along the line through them, whose length is the square root of "
        "a polynomial and no polynomial itself; "
        'passive_forces has what they do, and so has code of what="rhs"'
    )


def refuse_spring(joint: Joint) -> NoReturn:
    """Raise for a spring that resists the turn of a quaternion."""
    raise ModelError(
        f"the spring of joint {joint.name!r} resists a rotation vector, the logarithm of a quaternion, "
        "which is no polynomial; passive_forces has it"
    )
