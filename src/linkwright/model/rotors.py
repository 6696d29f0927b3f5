"""The velocities that can have an armature, damping or friction."""

from __future__ import annotations

from linkwright.model.tree import Model


def rotor_velocities(model: Model) -> list[int]:
    """Return the indices in v of the velocities that can have an armature.

    These are all but the translations of free and planar joints, whose velocities are in axes that rotate with the
    body.
    """
    return [
        model.slice(joint.name).v.start + k
        for joint in model.joints
        if joint.nv
        for k in range(joint.nv)
        if k not in joint.motion.carried
    ]


def joint_parameters(model: Model, armature: bool, friction: bool) -> dict[str, list[int]]:
    """Return the velocities that have each parameter of joints, in the order of the parameters."""
    every = list(range(model.nv))
    rotors = {"armature": rotor_velocities(model)} if armature else {}
    return rotors | ({"damping": every, "friction": every} if friction else {})
