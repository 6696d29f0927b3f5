"""The parameters of a mechanism as one vector π: ten of every body, then those of its joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.model.names import velocity_names
from linkwright.model.requirement import takes_model
from linkwright.model.rotors import rotor_velocities
from linkwright.model.tree import Joint, Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose

TEN = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""A body's parameters: mass, mass times center of mass, inertia about the body's origin, in the body's axes."""


@takes_model
def inertial_parameters(model: Model, armature: bool = False, friction: bool = False) -> Array:
    """π (p,), in which efforts, energy and momentum are linear: see :func:`linkwright.regressor`.

    Of every body in the order of ``model.bodies`` m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz: about the body's origin,
    in the body's axes; kg, kg m, kg m². Then, where asked for, the ``armature`` of every velocity but the translations
    of free and planar joints, which have none; then of every velocity its damping and, after the dampings of all, its
    Coulomb ``friction``. Of joints that follow others by a factor k the armature
    and the damping count k²-fold, the friction |k|-fold, in what their leaders have.

    :meth:`Model.with_parameters` is the way back.
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
def parameter_names(model: Model, armature: bool = False, friction: bool = False) -> tuple[str, ...]:
    """The names (p,) of :func:`inertial_parameters`: "link3.m", "link3.mcx", "link3.Ixx", …, "elbow.damping"."""
    names = [f"{body.name}.{one}" for body in model.bodies for one in TEN]
    velocities = velocity_names(model)
    rotors = [f"{velocities[k]}.armature" for k in rotor_velocities(model)] if armature else []
    resisting = ["damping", "friction"] if friction else []
    return (*names, *rotors, *(f"{velocity}.{what}" for what in resisting for velocity in velocities))


def public_placements(model: Model) -> list[Array]:
    """Of every body the pose (4, 4) of the frame that its file gave it in the one that is calculated in."""
    return [model.frames[body.name].placement for body in model.bodies]


def _of_velocities(model: Model, of: Callable[[Joint], Array], share: Callable[[float], Any]) -> Array:
    """(nv,): what joints have, their followers' share added."""
    own = [of(joint) for joint in model.joints]
    for joint in model.joints:
        if (c := joint.coupling) is not None:
            own[c.leader] = own[c.leader] + share(c.multiplier) * of(joint)
    return model.velocities(own)
