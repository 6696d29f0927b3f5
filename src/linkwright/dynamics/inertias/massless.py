"""Detection of joints and bodies without inertia, which make the mass matrix singular."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwright.dynamics.inertias.mass import composite_inertias, mass_matrix
from linkwright.errors import ModelError
from linkwright.model.coordinates import velocity_names
from linkwright.model.elements import Link, transform
from linkwright.model.memo import kept
from linkwright.model.requirement import takes_model
from linkwright.model.scale import SMALLEST, some_configuration
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import RigidInertia, congruence
from linkwright.spatial.rotation import skew


@takes_model
def require_mass(model: Model, what: str = "forward dynamics") -> None:
    """Check that every joint moves mass, so that forward dynamics is defined.

    Parameters
    ----------
    model : Model
        Mechanism.
    what : str, optional
        Quantity that needs the inverse of the mass matrix, for the message.

    Raises
    ------
    ModelError
        If the mass matrix is singular.
    """
    massless = massless_joints(model)
    if massless:
        more = ", …" if len(massless) > 8 else ""
        names = ", ".join(map(repr, massless[:8])) + more
        bodies = ", ".join(repr(model.joint(name).child) for name in massless[:8]) + more
        raise ModelError(
            f"{what} of {model.name!r} is undefined: its mass matrix is singular; the bodies moved by joint {names} "
            f"have no inertia in some direction of the motion; give body {bodies}, or its descendants, "
            "mass and inertia, or the joint an armature"
        )


SINGULAR = 1e-13
"""An inertia below this fraction of its largest possible value, about another axis through the joint, is zero."""


INDEFINITE = 1e-12
"""Smallest eigenvalue of the mass matrix with a diagonal of ones, below which it is singular."""

SHARE = 0.1
"""Component of an eigenvector of length 1 above which a coordinate is named."""


def massless_motion(model: Model, q: Array) -> list[str]:
    """Return the names of velocities that together can move without moving mass at q (nq,), often at few postures."""
    M = mass_matrix(model, q)
    if is_symbolic(M):
        return []
    diagonal, names = np.diagonal(M), velocity_names(model)
    if not np.isfinite(M).all() or not np.all(diagonal > 0.0):
        return [name for name, m in zip(names, diagonal, strict=True) if not m > 0.0]
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    if not len(values) or values[0] >= INDEFINITE:
        return []
    return [name for name, x in zip(names, vectors[:, 0], strict=True) if abs(x) > SHARE]


def massless_motion_advice(model: Model, q: Array) -> str:
    """Return advice on a motion from q (nq,) that diverged, if the mass matrix is singular there; "" if not."""
    if not (names := massless_motion(model, q)):
        return ""
    listed = ", ".join(map(repr, names[:8])) + ", …" * (len(names) > 8)
    return (
        f"; at the start, {listed} can move{' together' * (len(names) > 1)} without moving mass, where the mass matrix "
        "is singular: give their bodies inertia, or their joints an armature"
    )


@kept
def massless_joints(model: Model) -> list[str]:
    """Return the joints without inertia at a random configuration; none for a model with symbols."""
    model = model.physical or model
    if any(is_symbolic(link.placement, link.armature, *link.rigid_inertia) for link in model.links):
        return []
    if all_have_inertia(link.rigid_inertia for link in model.links):
        return []
    q = some_configuration(model)
    x = model.coordinates(q)
    inertias, _ = composite_inertias(model, model.each(transform, x))
    could_be = [
        _could_be(I, link.motion_subspace(x_k)) + link.armature
        for link, I, x_k in zip(model.links, inertias, x, strict=True)
    ]
    if model.has_couplings:
        carried = [
            x * (c.multiplier if (c := joint.coupling) else 1.0)
            for joint, x in zip(model.joints, could_be, strict=True)
        ]
        return _weakest(model, q, model.assemble(carried))  # assemble multiplies mimic joints by their factor again
    massless: list[str] = []

    def inward(link: Link, received: tuple[Array], k: int, q: Array, could_be: Array) -> tuple[None, tuple[Array]]:
        S = link.motion_subspace(q)
        I = link.rigid_inertia.matrix() + received[0]
        D = S.T @ I @ S + np.diag(link.armature)
        if is_definite(D, could_be):
            I = I - I @ S @ np.linalg.solve(D, S.T @ I)
        else:
            massless.append(model.joints[k].name)
        return None, (congruence(I, link.transform(q)),)

    model.inward(inward, (np.zeros((6, 6)),), range(len(model.links)), x, could_be)
    return massless[::-1]


def all_have_inertia(bodies: Iterable[RigidInertia]) -> bool:
    """Return whether every body has mass, and moments of inertia about its center of mass that are not nearly zero."""
    inertias = list(bodies)
    m = np.array([body.mass for body in inertias], dtype=float)
    if not (m >= SMALLEST).all():
        return False
    H = np.array([skew(body.first_moment) for body in inertias], dtype=float).reshape(-1, 3, 3)
    I = np.array([body.inertia for body in inertias], dtype=float).reshape(-1, 3, 3)
    moments = np.linalg.eigvalsh(I + H @ H / m[:, None, None])
    return bool((moments[:, 0] > np.maximum(SINGULAR * np.trace(I, axis1=1, axis2=2), SMALLEST)).all())


def _could_be(I: RigidInertia, S: Array) -> Array:
    """Return the largest possible inertia (nv,) along the columns of S (6, nv), about any axis through the joint."""
    return I.mass * (S[:3] ** 2).sum(axis=0) + np.trace(I.inertia) * (S[3:] ** 2).sum(axis=0)


def is_definite(D: Array, could_be: Array) -> bool:
    """Return whether an inertia (nv, nv) is positive definite beyond rounding, relative to `could_be` (nv,)."""
    own = np.diagonal(D)
    could_be = np.maximum(could_be, own)  # regrouped inertias may be negative in other directions
    if not (own > np.maximum(SINGULAR * could_be, SMALLEST)).all():
        return False
    size = np.sqrt(could_be)
    return bool(np.linalg.eigvalsh(D / np.outer(size, size)).min(initial=1.0) > SINGULAR)


def _weakest(model: Model, q: Array, could_be: Array) -> list[str]:
    """Return the joint that moves most in the motion of least inertia, if that inertia is zero."""
    M = mass_matrix(model, q)
    if not model.nv or is_definite(M, could_be):
        return []
    size = np.sqrt(np.where(could_be > SMALLEST, could_be, 1.0))
    names = [joint.name for joint in model.joints for _ in range(joint.nv)]
    return [names[int(np.abs(np.linalg.eigh(M / np.outer(size, size)).eigenvectors[:, 0]).argmax())]]
