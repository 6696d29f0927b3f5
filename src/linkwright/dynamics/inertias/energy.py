"""Kinetic, potential and spring energy."""

from __future__ import annotations

from typing import Any

from linkwright.dynamics.forces.gravity_compensation import compensation_energy
from linkwright.dynamics.forces.springs import springs_at, stretched
from linkwright.dynamics.inertias.momentum import first_moment
from linkwright.dynamics.kinematics import body_velocities
from linkwright.model.elements import Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_zero


@takes_model
def kinetic_energy(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Any:
    """Compute the kinetic energy, ½ vᵀ M v.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.

    Returns
    -------
    ndarray, shape (...)
        Energy in J, including that of reflected rotor inertias (armature).

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> round(float(lw.kinetic_energy(arm, [0.0, 0.0], [1.0, 0.0])), 9)
    1.35
    """
    model.require_physical("kinetic energy")

    def inward(link: Link, received: tuple[Any], v: Array, V: Array) -> tuple[None, tuple[Any]]:
        return None, (received[0] + V @ link.rigid_inertia.times(V) + v @ (link.armature * v),)

    _, (total,) = model.inward(inward, (0.0,), model.rates(v), body_velocities(model, q, v))
    return 0.5 * total


@takes_model
def potential_energy(model: Model, q: Shaped[Array, "nq"]) -> Any:
    """Compute the gravitational potential energy, −Σ m gᵀc.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (...)
        Energy of all moving bodies in J, zero at the origin of the world, without :func:`spring_energy`.
    """
    model.require_physical("potential energy")
    return -(model.gravity @ first_moment(model, q))


@takes_model
def spring_energy(model: Model, q: Shaped[Array, "nq"]) -> Any:
    """Compute the potential energy of the springs, ½ Σ k u², and of gravity compensation, Σ m gᵀc.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (...)
        Energy in J of the springs of joints and between bodies, with the deflections u of :func:`passive_forces`,
        and of the compensated weights.
    """

    def twice(link: Link, q: Array, stiffness: Array, rest: Array) -> Any:
        if all(is_zero(k) for k in stiffness):
            return 0.0
        u = link.motion.displacement(rest, q)
        return u @ (stiffness * u)

    stiffness, rest = [joint.stiffness for joint in model.joints], [joint.rest for joint in model.joints]
    total = model.total(model.each(twice, model.coordinates(q), stiffness, rest))
    for spring, pieces in springs_at(model, q):
        x = spring.elongation(stretched(pieces))
        total = total + spring.stiffness * (x * x)
    energy = 0.5 * total
    return energy + compensation_energy(model, q) if model.compensated_weights else energy
