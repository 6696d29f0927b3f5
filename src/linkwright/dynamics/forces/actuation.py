"""Inverse dynamics of mechanisms with passive joints and closed loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dynamics import inverse
from linkwright.dynamics.closed_loops.forces import whole_elimination
from linkwright.dynamics.closed_loops.independent import row_scales
from linkwright.dynamics.closed_loops.rows import (
    constraint_bias,
    constraint_jacobian,
    constraint_rate,
    constraint_residual,
    loop_rows,
)
from linkwright.dynamics.inverse import Wrenches
from linkwright.errors import ArgumentError, InconsistentMotionError, InputError
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_symbolic
from linkwright.spatial.linear_algebra.linalg import semidefinite_factors

POSSIBLE = 1e-6
"""Largest missing effort or loop acceleration, in the mechanism's units, relative to the total."""


@takes_model
def inverse_dynamics(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
    actuated: Sequence[str] | None = None,
) -> Shaped[Array, "nv"]:
    """Compute the efforts of the joints for given accelerations: τ = M a + b − Jᵀf.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    a : array_like, shape (..., nv)
        Acceleration.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.
    actuated : sequence of str, optional
        Names of the actuated joints; the other joints have no effort. Closed loops then transmit forces, and
        τ + Kᵀλ = M a + b − Jᵀf. The solution is the τ of least norm, in N and N m. By default every joint is actuated
        and loops are ignored.

    Returns
    -------
    ndarray, shape (..., nv)
        Efforts in N or N m. Reflected rotor inertias (armature) are included; passive joint forces are not.

    Raises
    ------
    InconsistentMotionError
        If the actuated joints cannot produce the motion, or if the loops are open or the motion opens them. Compiled
        kernels cannot raise errors; they use :func:`actuated_efforts`.

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 5.3.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.inverse_dynamics(arm, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(9)
    array([19.6,  4.9])
    """
    if actuated is None:
        return inverse.inverse_dynamics(model, q, v, a, wrenches)
    efforts, missing, opening = actuated_efforts(model, q, v, a, actuated, wrenches)
    if not is_symbolic(efforts, missing, opening):
        require_closed_state(model, v, constraint_residual(model, q), constraint_rate(model, q, v))
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
    """Compute the least-norm efforts of the actuated joints for a motion, with the residuals.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    a : array_like, shape (..., nv)
        Acceleration.
    actuated : sequence of str
        Names of the actuated joints.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.

    Returns
    -------
    efforts : ndarray, shape (..., nv)
        Efforts τ in N or N m, zero at passive joints; a least-squares solution where the motion is impossible.
    missing : ndarray, shape (..., nv)
        Generalized force that neither the actuated joints nor the loops provide; zero for a possible motion.
    opening : ndarray, shape (..., m)
        Acceleration K a + K̇ v at which the motion opens the loops; zero for a possible motion.
    """
    places = velocity_places(model, actuated, "actuated")
    h = inverse.inverse_dynamics(model, q, v, a, wrenches)
    efforts, missing = least_efforts(model, q, h, places)
    return efforts, missing, constraint_jacobian(model, q) @ a + constraint_bias(model, q, v)


def least_efforts(model: Model, q: Array, h: Array, places: Sequence[int]) -> tuple[Array, Array]:
    """Return the least-norm efforts (nv,) at some velocity indices that, with the loops, give h (nv,), and the
    residual.

    With P = 1 − Kᵀ(KKᵀ)⁺K, the projection that removes the constraint forces, and E the columns of the actuated joints,
    P E τ = P h gives τ = (Eᵀ P E)⁺ Eᵀ P h. The residual is minimized in units of the mechanism's length, the norm of τ
    in N and N m.
    """
    units = scale_of(model).velocities
    K, h = constraint_jacobian(model, q) * units, h * units
    E = np.eye(model.nv)[:, places]
    scales = row_scales(model)
    whole = None if scales is None else np.concatenate([np.zeros(0), *(one.plain for one in scales)])
    bearing = semidefinite_factors(K @ K.T, scales=whole, order=whole_elimination(model).order)
    W = bearing.half(K[:, places])
    ones = np.ones(len(places))
    free = semidefinite_factors(np.diag(ones) - (W.T * bearing.inverse) @ W, ones, scales=ones)
    efforts = np.zeros(len(places))
    missing = h
    for _ in range(2):  # the second step reduces the rounding error
        missing = missing - K.T @ bearing.solve(K @ missing)
        change = free.least_norm(free.solve(free.least_norm(missing[places])))
        efforts, missing = efforts + change, missing - E @ change
    missing = missing - K.T @ bearing.solve(K @ missing)
    efforts = free.least_norm(efforts, weights=1.0 / units[places])
    return (E @ efforts) / units, missing / units


def with_motors(model: Model) -> list[int]:
    """Return the velocity indices of the joints with motors by default: all but free joints."""
    kinds = [joint.type for joint in model.joints for _ in range(joint.nv)]
    return [k for k, kind in enumerate(kinds) if kind != "free"]


def joint_effort_limits(model: Model) -> Array:
    """Return the effort limits (nv,) in N m or N, infinite where a joint has none, without those of mimic joints."""
    return np.concatenate([np.zeros(0), *(joint.effort_limit for joint in model.joints if not joint.coupling)])


def joint_velocity_limits(model: Model) -> Array:
    """Return the velocity limits (nv,) in rad/s or m/s, in the same form."""
    return np.concatenate([np.zeros(0), *(joint.velocity_limit for joint in model.joints if not joint.coupling)])


def velocity_places(model: Model, names: Sequence[str], what: str) -> list[int]:
    """Return the velocity indices of these joints; ``what`` is the name of the argument in messages."""
    if isinstance(names, str) or not isinstance(names, Sequence) or {*map(type, names)} - {str}:
        raise ArgumentError(f"{what} is a list of joint names; got {names!r}")
    places: list[int] = []
    for name in names:
        joint = model.joint(name)
        if joint.coupling:
            raise InputError(
                f"joint {name!r} is a mimic joint; use its leader {model.joints[joint.coupling.leader].name!r}"
            )
        places += range(model.nv)[model.slice(name).v]
    if len(set(places)) < len(places):
        raise InputError(f"{what} names a joint twice: {', '.join(names)}")
    return places


def require_possible(model: Model, a: Array, efforts: Array, missing: Array, opening: Array) -> None:
    """Raise :class:`InconsistentMotionError` where the efforts of any motion of a batch are insufficient."""
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
    """Raise :class:`InconsistentMotionError` where a motion of a batch opens the loops, K a + K̇ v ≠ 0."""
    scale = scale_of(model)
    largest = np.abs(a / scale.velocities).max(axis=-1, initial=0.0, keepdims=True)
    if (np.abs(opening / scale.rows) > POSSIBLE * (1.0 + largest)).any():
        name, value = _worst_loop(model, opening)
        raise InconsistentMotionError(
            f"the motion opens loop {name!r} at {value:.3g} m/s² or rad/s²: K a + K̇ v is not zero", opening
        )


def require_closed_state(model: Model, v: Array, residual: Array, rate: Array) -> None:
    """Raise :class:`InconsistentMotionError` where loops of any state of a batch are open or the velocity opens them.

    ``residual``, ``rate``: φ(q) and K v, (..., m).
    """
    scale = scale_of(model)
    if (np.abs(residual / scale.rows) > POSSIBLE).any():
        name, value = _worst_loop(model, residual)
        raise InconsistentMotionError(
            f"loop {name!r} is open by {value:.3g} m or rad: close_loops(model, q) returns a closed configuration",
            residual,
        )
    largest = np.abs(v / scale.velocities).max(axis=-1, initial=0.0, keepdims=True)
    if (np.abs(rate / scale.rows) > POSSIBLE * (1.0 + largest)).any():
        name, value = _worst_loop(model, rate)
        raise InconsistentMotionError(
            f"the velocity opens loop {name!r} at {value:.3g} m/s or rad/s: K v is not zero; impulse(model, q, v)[0] "
            "is the nearest that does not",
            rate,
        )


def _worst_loop(model: Model, rows: Array) -> tuple[str, float]:
    """Return the name of the loop with the largest entry of rows (..., m), and its absolute value."""
    worst = np.unravel_index(np.abs(rows).argmax(), rows.shape)
    names = [
        loop.name
        for loop, one in zip(model.loops, loop_rows(model, model.neutral(), np.zeros(model.nv)), strict=True)
        for _ in one.residual
    ]
    return names[worst[-1]], float(abs(rows[worst]))
