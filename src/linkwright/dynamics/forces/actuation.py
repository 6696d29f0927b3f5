"""Inverse dynamics where only some joints are driven, and loops or nothing bear the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics import inverse
from linkwright.dynamics.closed_loops.forces import row_orders
from linkwright.dynamics.closed_loops.independent import row_scales
from linkwright.dynamics.closed_loops.rows import constraint_bias, constraint_jacobian, loop_rows
from linkwright.dynamics.inverse import Wrenches
from linkwright.errors import ArgumentError, InconsistentMotionError, InputError
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_symbolic
from linkwright.spatial.linalg import semidefinite_factors

POSSIBLE = 1e-6
"""How large, in the mechanism's units and relative to efforts or accelerations, what is missing or opens may be."""


@takes_model
def inverse_dynamics(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
    actuated: Sequence[str] | None = None,
) -> Shaped[Array, "nv"]:
    """The efforts τ (nv,) that give the acceleration a: τ = M a + b − Jᵀf, N or N m.

    ``wrenches``: {frame: (6,)} acting on the bodies, at the frames' origins in world axes.
    Reflected rotor inertias (armature) are in it; passive joint forces are not.

    ``actuated``: names of the joints that are driven. Then closed loops bear what they can: τ + Kᵀλ = M a + b − Jᵀf
    with zeros at the other joints, and of all such efforts τ is the least (in N and N m). Without it loops are not
    looked at: every joint is driven. Raises :class:`~linkwright.errors.InconsistentMotionError` where these joints
    cannot give the motion, or it opens the loops; compiled kernels cannot raise: see :func:`actuated_efforts`.
    """
    if actuated is None:
        return inverse.inverse_dynamics(model, q, v, a, wrenches)
    efforts, missing, opening = actuated_efforts(model, q, v, a, actuated, wrenches)
    if not is_symbolic(efforts, missing, opening):
        require_possible(model, a, efforts, missing, opening)
    return efforts


@takes_model
def actuated_efforts(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    actuated: Sequence[str],
    wrenches: Wrenches | None = None,
) -> tuple[Shaped[Array, "nv"], Shaped[Array, "nv"], Shaped[Array, "m"]]:
    """The least efforts (nv,) of some joints for a motion, and by how much they fail to give it.

    That is, the efforts (nv,) that neither they nor the loops can provide (the efforts come as near as they can, by
    least squares), and the accelerations K a + K̇ v (m,) at which the motion opens the loops. Zeros where it is
    possible.
    """
    places = velocity_places(model, actuated, "actuated")
    h = inverse.inverse_dynamics(model, q, v, a, wrenches)
    efforts, missing = least_efforts(model, q, h, places)
    return efforts, missing, constraint_jacobian(model, q) @ a + constraint_bias(model, q, v)


def least_efforts(model: Model, q: Array, h: Array, places: Sequence[int]) -> tuple[Array, Array]:
    """The least efforts (nv,) at some places of v that, with the loops, give h (nv,); and what is missing (nv,).

    With P = 1 − Kᵀ(KKᵀ)⁺K, which takes off what loops bear, and E the columns of the driven joints:
    P E τ = P h, so τ = (Eᵀ P E)⁺ Eᵀ P h: in units of the mechanism's length, and of those the least in N and N m.
    """
    units = scale_of(model).velocities
    K, h = constraint_jacobian(model, q) * units, h * units
    E = np.eye(model.nv)[:, places]
    scales = row_scales(model)
    whole = None if scales is None else np.concatenate([np.zeros(0), *(one.plain for one in scales)])
    bearing = semidefinite_factors(K @ K.T, scales=whole, order=row_orders(model).whole.order)
    W = bearing.half(K[:, places])
    ones = np.ones(len(places))
    free = semidefinite_factors(np.diag(ones) - (W.T * bearing.inverse) @ W, ones, scales=ones)
    efforts = np.zeros(len(places))
    missing = h
    for _ in range(2):  # once more, for rounding
        missing = missing - K.T @ bearing.solve(K @ missing)
        change = free.least_norm(free.solve(free.least_norm(missing[places])))
        efforts, missing = efforts + change, missing - E @ change
    missing = missing - K.T @ bearing.solve(K @ missing)
    efforts = free.least_norm(efforts, weights=1.0 / units[places])
    return (E @ efforts) / units, missing / units


def with_motors(model: Model) -> list[int]:
    """Where in v the joints are that have motors where nobody tells: all but free ones."""
    kinds = [joint.type for joint in model.joints for _ in range(joint.nv)]
    return [k for k, kind in enumerate(kinds) if kind != "free"]


def joint_effort_limits(model: Model) -> Array:
    """(nv,), N m or N, infinite where there are none: the joints' own; those that follow others are driven by them."""
    return np.concatenate([np.zeros(0), *(joint.effort_limit for joint in model.joints if not joint.coupling)])


def joint_velocity_limits(model: Model) -> Array:
    """(nv,), rad/s or m/s, likewise."""
    return np.concatenate([np.zeros(0), *(joint.velocity_limit for joint in model.joints if not joint.coupling)])


def velocity_places(model: Model, names: Sequence[str], what: str) -> list[int]:
    """Where in v the coordinates of these joints are; ``what`` names the argument they came in."""
    if isinstance(names, str) or not isinstance(names, Sequence) or {*map(type, names)} - {str}:
        raise ArgumentError(f"{what} is a list of joint names; got {names!r}")
    places: list[int] = []
    for name in names:
        joint = model.joint(name)
        if joint.coupling:
            raise InputError(f"joint {name!r} follows {model.joints[joint.coupling.leader].name!r}: drive that one")
        places += range(model.nv)[model.slice(name).v]
    if len(set(places)) < len(places):
        raise InputError(f"{what} names a joint twice: {', '.join(names)}")
    return places


def require_possible(model: Model, a: Array, efforts: Array, missing: Array, opening: Array) -> None:
    """Raise :class:`InconsistentMotionError` where :func:`actuated_efforts` fail to give a motion; of any batch."""
    require_closed(model, a, opening)
    units = scale_of(model).efforts
    largest = np.maximum(np.abs(efforts / units), np.abs(missing / units)).max(axis=-1, initial=0.0, keepdims=True)
    if (np.abs(missing / units) > POSSIBLE * (1.0 + largest)).any():
        worst = np.unravel_index(np.abs(missing).argmax(), missing.shape)
        names = [joint.name for joint in model.joints for _ in range(joint.nv)]
        raise InconsistentMotionError(
            f"the actuated joints cannot give this motion: an effort of {abs(missing[worst]):.3g} N or N m is missing "
            f"at joint {names[worst[-1]]!r}",
            missing,
        )


def require_closed(model: Model, a: Array, opening: Array) -> None:
    """Raise :class:`InconsistentMotionError` where a motion opens the loops, K a + K̇ v ≠ 0; of any batch."""
    scale = scale_of(model)
    largest = np.abs(a / scale.velocities).max(axis=-1, initial=0.0, keepdims=True)
    if (np.abs(opening / scale.rows) > POSSIBLE * (1.0 + largest)).any():
        worst = np.unravel_index(np.abs(opening).argmax(), opening.shape)
        names = [
            loop.name
            for loop, one in zip(model.loops, loop_rows(model, model.neutral(), np.zeros(model.nv)), strict=True)
            for _ in one.residual
        ]
        raise InconsistentMotionError(
            f"the motion opens loop {names[worst[-1]]!r} at {abs(opening[worst]):.3g} m/s² or rad/s²: K a + K̇ v is not "
            "zero",
            opening,
        )
