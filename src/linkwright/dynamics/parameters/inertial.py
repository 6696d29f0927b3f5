"""Inertial parameters of a mechanism as one vector π: ten of every body, then those of its joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.model.coordinates import rotor_velocities, velocity_names
from linkwright.model.elements import Joint
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.provided import returns_sympy
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose

TEN = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Parameters of a body: mass, mass times center of mass, inertia about the body's origin, in the body's axes."""


@takes_model
@returns_sympy
def inertial_parameters(model: Model, *, armature: bool = False, friction: bool = False) -> Array:
    """Return the inertial parameters π, in which efforts, energy and momentum are linear.

    Parameters
    ----------
    model : Model
        Mechanism.
    armature : bool, optional
        Add the armatures of the joints to the parameters.
    friction : bool, optional
        Add the damping and the Coulomb friction of the joints to the parameters.

    Returns
    -------
    ndarray, shape (p,)
        For every body in the order of ``model.bodies``: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the body's
        origin in the body's axes, in kg, kg m, kg m². Then optionally the armature of every velocity except
        translations of free and planar joints; the damping of every velocity; and the Coulomb friction of every
        velocity. A mimic joint with the factor k adds k² times its armature and damping and |k| times its friction to
        its leader.

    Notes
    -----
    :meth:`Model.with_parameters` is the inverse, and :func:`linkwright.regressor` the matrix of these parameters.
    """
    model.require_physical("the inertial parameters")
    parts = [np.zeros(0)]
    for link, placement in zip(model.links, public_placements(model), strict=True):
        parts.append(link.rigid_inertia.moved(inverse_pose(placement)).parameters())
    if armature:
        parts.append(model.armature[rotor_velocities(model)])
    if friction:
        parts.append(_of_velocities(model, lambda joint: joint.damping, lambda k: k * k))
        parts.append(_of_velocities(model, lambda joint: joint.friction, abs))
    return np.concatenate(parts)


@takes_model
def parameter_names(model: Model, *, armature: bool = False, friction: bool = False) -> tuple[str, ...]:
    """Return the names of :func:`inertial_parameters`.

    Parameters
    ----------
    model : Model
        Mechanism.
    armature : bool, optional
        Add the armatures of the joints to the parameters.
    friction : bool, optional
        Add the damping and the Coulomb friction of the joints to the parameters.

    Returns
    -------
    tuple of str, length p
        Names: "link3.m", "link3.mcx", "link3.Ixx", …, "elbow.damping".
    """
    names = [f"{body.name}.{one}" for body in model.bodies for one in TEN]
    velocities = velocity_names(model)
    rotors = [f"{velocities[k]}.armature" for k in rotor_velocities(model)] if armature else []
    resisting = ["damping", "friction"] if friction else []
    return (*names, *rotors, *(f"{velocity}.{what}" for what in resisting for velocity in velocities))


def public_placements(model: Model) -> list[Array]:
    """Return for every body the pose (4, 4) of the frame of the file in the canonical frame."""
    return [model.frames[body.name].placement for body in model.bodies]


def _of_velocities(model: Model, of: Callable[[Joint], Array], share: Callable[[float], Any]) -> Array:
    """Return a property (nv,) of the joints, with the shares of mimic joints added to their leaders."""
    own = [of(joint) for joint in model.joints]
    for joint in model.joints:
        if (c := joint.coupling) is not None:
            own[c.leader] = own[c.leader] + share(c.multiplier) * of(joint)
    return model.velocities(own)
