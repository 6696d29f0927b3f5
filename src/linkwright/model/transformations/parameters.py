"""Model of a vector of inertial parameters, in the order of regressors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError, counted
from linkwright.model.build.assembly import described
from linkwright.model.build.description import BodySpec, JointSpec
from linkwright.model.coordinates import joint_parameters
from linkwright.model.transformations.additions import remade
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic, numbers_or_symbols
from linkwright.spatial.inertia import RigidInertia, about_center_of_mass, of_parameters

ROUNDING = 1e-9
"""Moments below this fraction of a body's moments are rounding."""


def with_parameters(model: Model, parameters: Any, armature: bool, friction: bool, physical: bool) -> Model:
    """See :meth:`Model.with_parameters`."""
    n, nv = len(model.bodies), model.nv
    places = joint_parameters(model, armature, friction)
    pi, expected = numbers_or_symbols("parameters", parameters), 10 * n + sum(map(len, places.values()))
    if pi.shape != (expected,):
        further = "".join(f", {counted(len(having), 'number')} of {what}" for what, having in places.items())
        raise ShapeError(
            f"expected parameters of shape ({expected},), ten of each of {counted(n, 'body', 'bodies')}{further}; "
            f"got {pi.shape}"
        )
    for place, x in enumerate(pi):
        if not is_symbolic(x) and not np.isfinite(x):
            raise InputError(f"parameters must be finite; got {x} at {place}")
    tens = pi[: 10 * n].reshape(n, 10)
    own = {body.name: of_parameters(ten) for body, ten in zip(model.bodies, tens, strict=True)}
    of_numbers = {name: one for name, one in own.items() if not is_symbolic(*one)}
    odd = [f"body {name!r}: {wrong}" for name, one in of_numbers.items() if (wrong := impossible(one, physical))]
    if odd:
        instead = "; physical=False takes moments as they are" if physical else ""
        raise InputError("\n  ".join([f"no rigid bodies have these parameters{instead}", *odd]))
    welded = {link for body in model.bodies for link in body.links} - set(own)
    description = described(model)

    def of_body(spec: BodySpec) -> BodySpec:
        if spec.name in welded:
            return BodySpec(spec.name)
        if spec.name not in own:  # welded to the world
            return spec
        m, c, I = about_center_of_mass(own[spec.name])
        m = m if is_symbolic(m) else float(m)
        return replace(spec, mass=m, center_of_mass=c, inertia=I, place="parameters", inertia_place="")

    of_joints, rest = {}, pi[10 * n :]
    for what, having in places.items():
        of_velocities = np.zeros(nv, dtype=pi.dtype)
        of_velocities[having], rest = rest[: len(having)], rest[len(having) :]
        of_joints[what] = _of_joints(model, of_velocities)

    def of_joint(spec: JointSpec) -> JointSpec:
        values: dict[str, Any] = {what: found[spec.name] for what, found in of_joints.items() if spec.name in found}
        return replace(spec, **values)

    joints = tuple(map(of_joint, description.joints))
    return remade(model, replace(description, bodies=tuple(map(of_body, description.bodies)), joints=joints))


def _of_joints(model: Model, x: Array) -> dict[str, Array]:
    """Return a value of each joint from (nv,), and nothing for mimic joints."""
    return {
        joint.name: np.zeros(joint.motion.nv) if joint.coupling else x[model.slice(joint.name).v]
        for joint in model.joints
    }


def impossible(body: RigidInertia, physical: bool = True) -> str:
    """Return the reason why no rigid body has this inertia, or "".

    A mass distribution exists if [[Σ, h], [hᵀ, m]], Σ = ∫ r rᵀ dm, is positive semidefinite (Wensing, Kim &
    Slotine 2018): if m and Σ about the center of mass are.
    """
    m, h, I = body
    if m < 0.0:
        return f"its mass is {m:.6g} kg"
    if m == 0.0 and h.any():
        return f"it has no mass, but a first moment of {np.abs(h).max():.3g} kg m"
    moments = np.linalg.eigvalsh(about_center_of_mass(body)[2])
    if not physical or moments[2] - moments[1] - moments[0] <= ROUNDING * max(np.abs(moments).max(), np.abs(I).max()):
        return ""
    shown = ", ".join(f"{one:.6g}" for one in moments)
    return (
        f"its principal moments of inertia ({shown}) violate the triangle inequality: the largest exceeds the sum of "
        "the others"
    )
