"""A point of a body, pulled as by a spring: what the mouse does to a mechanism."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.bounds import not_negative
from linkwright.compiler.public import compile_or_not, public
from linkwright.dynamics import joint_forces, mass_matrix, pose
from linkwright.errors import InputError
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

FREQUENCY = 1.2
"""Hz: a spring swings so fast what it pulls at, alone"""

pose_of, mass_matrix_of = public(pose), public(mass_matrix)


@dataclass(frozen=True, eq=False)
class PulledPoint:
    """A point of a body that is pulled."""

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
        """The same to another place."""
        place = as_numbers("target", target)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise InputError(f"a push goes to a point of three finite numbers, m; got {target!r}")
        return replace(self, target=place, strength=not_negative("strength", strength))


class Pusher:
    """Efforts of pushes at the bodies of a mechanism."""

    def __init__(self, model: Model):
        self.model = model

    def grabbed(self, q: Array, frame: str, point: Any) -> PulledPoint:
        """A push at a point (3,) in world axes; as stiff as suits what moves there."""
        self.model.frame(frame)
        place = as_numbers("point", point)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise InputError(f"a point is three finite numbers, m; got {point!r}")
        T = pose_of(self.model, q, frame)
        local = T[:3, :3].T @ (place - T[:3, 3])
        J = self._jacobian(q, frame, place)
        mobility = J @ np.linalg.lstsq(mass_matrix_of(self.model, q), J.T, rcond=None)[0]
        fastest = float(np.linalg.eigvalsh(0.5 * (mobility + mobility.T))[-1]) if mobility.size else 0.0
        mass = 1.0 / fastest if fastest > 1e-9 else 0.0  # of what cannot move there is nothing to pull
        rate = 2.0 * np.pi * FREQUENCY
        return PulledPoint(frame, local, place, mass * rate * rate, 2.0 * mass * rate)

    def acting(self, q: Array, v: Array, push: PulledPoint) -> tuple[Array, Array, Array, Array]:
        """Where it acts (3,), where it pulls to (3,), its force (3,), N, and the efforts (nv,) of that."""
        T = pose_of(self.model, q, push.frame)
        place = T[:3, :3] @ push.point + T[:3, 3]
        J = self._jacobian(q, push.frame, place)
        force = push.strength * (push.stiffness * (push.target - place) - push.damping * (J @ v))
        return place, push.target, force, J.T @ force

    def _jacobian(self, q: Array, frame: str, place: Array) -> Array:
        """(3, nv), of the point of the frame's body that is at a place (3,) in the world."""
        model = self.model

        def efforts(model: Model, q: Array, place: Array, force: Array) -> Array:
            arm = place - pose(model, q, frame)[:3, 3]
            moment = np.stack([arm[k - 2] * force[k - 1] - arm[k - 1] * force[k - 2] for k in range(3)])
            return joint_forces(model, q, frame, np.concatenate([force, moment]))

        kernel = derived(model, Pusher, frame, make=lambda: compile_or_not(efforts, model, place=(3,), force=(3,)))
        return np.asarray(kernel(q, place, np.eye(3)))
