"""A push by the mouse: a spring that pulls a point of a body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.bounds import not_negative
from linkwright.compiler.public import compile_or_not, public
from linkwright.dynamics import joint_forces, mass_matrix, pose
from linkwright.errors import InputError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

FREQUENCY = 1.2
"""Natural frequency of the spring with the effective mass of its point, Hz."""

pose_of, mass_matrix_of = public(pose), public(mass_matrix)


@dataclass(frozen=True, eq=False)
class PulledPoint:
    """A point of a body that a spring pulls to a target."""

    frame: str
    point: Array
    """(3,), m, in the frame's axes"""
    target: Array
    """(3,), m, world axes"""
    stiffness: float
    """N/m, at strength 1"""
    damping: float
    """N s/m"""
    strength: float = 1.0

    def towards(self, target: Any, strength: float = 1.0) -> PulledPoint:
        """Return the same spring with another target."""
        place = as_numbers("target", target)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise InputError(f"target must be three finite numbers, m; got {target!r}")
        return replace(self, target=place, strength=not_negative("strength", strength))


class Pusher:
    """Joint efforts of pushes."""

    def __init__(self, model: Model):
        self.model = model

    def grabbed(self, q: Array, frame: str, point: Any) -> PulledPoint:
        """Return a push at a point (3,) in world axes, with a stiffness for the effective mass there."""
        self.model.frame(frame)
        place = as_numbers("point", point)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise InputError(f"point must be three finite numbers, m; got {point!r}")
        T = pose_of(self.model, q, frame)
        local = T[:3, :3].T @ (place - T[:3, 3])
        J = self._jacobian(q, frame, place)
        mobility = J @ np.linalg.lstsq(mass_matrix_of(self.model, q), J.T, rcond=None)[0]
        fastest = float(np.linalg.eigvalsh(0.5 * (mobility + mobility.T))[-1]) if mobility.size else 0.0
        mass = 1.0 / fastest if fastest > 1e-9 else 0.0  # a fixed point cannot be pulled
        rate = 2.0 * np.pi * FREQUENCY
        return PulledPoint(frame, local, place, mass * rate * rate, 2.0 * mass * rate)

    def acting(self, q: Array, v: Array, push: PulledPoint) -> tuple[Array, Array, Array, Array]:
        """Return the point (3,), the target (3,), the force (3,), N, and its joint efforts (nv,)."""
        T = pose_of(self.model, q, push.frame)
        place = T[:3, :3] @ push.point + T[:3, 3]
        J = self._jacobian(q, push.frame, place)
        force = push.strength * (push.stiffness * (push.target - place) - push.damping * (J @ v))
        return place, push.target, force, J.T @ force

    def _jacobian(self, q: Array, frame: str, place: Array) -> Array:
        """Return the Jacobian (3, nv) of the body point at a position (3,) in the world."""
        model = self.model

        def efforts(model: Model, q: Array, place: Array, force: Array) -> Array:
            arm = place - pose(model, q, frame)[:3, 3]
            moment = np.stack([arm[k - 2] * force[k - 1] - arm[k - 1] * force[k - 2] for k in range(3)])
            return joint_forces(model, q, frame, np.concatenate([force, moment]))

        kernel = derived(model, Pusher, frame, make=lambda: compile_or_not(efforts, model, place=(3,), force=(3,)))
        return np.asarray(kernel(q, place, np.eye(3)))
