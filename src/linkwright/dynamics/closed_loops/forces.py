"""Dynamics with closed loops: constrained accelerations, constraint forces and impulses.

    M a + b = τ + Jᵀf + Kᵀλ,   K a + K̇ v + 2α K v + β² φ = 0

(the last two terms are Baumgarte's stabilization, zero by default). With M = Lᵀ D L the multipliers λ follow from
Y = L⁻ᵀ Kᵀ by Yᵀ D⁻¹ Y λ = …, in which dependent rows (redundant loops, singular configurations) are omitted
once the equations are consistent (`independent.py`). "composite" uses the whole matrix.
"articulated" propagates the loop forces inward with the articulated bodies and eliminates each loop at the last
common ancestor of its ends (as Sathya & Carpentier, "Constrained articulated body dynamics algorithms", IEEE T-RO 2024,
do for contacts); its cost is linear in a chain of loops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwright.dynamics.closed_loops.articulated import moving
from linkwright.dynamics.closed_loops.independent import (
    AS_THEY_COME,
    IndependentRowElimination,
    elimination_like,
    row_scales,
    some_closed_configuration,
)
from linkwright.dynamics.closed_loops.rows import (
    constraint_bias,
    constraint_jacobian,
    constraint_rate,
    constraint_residual,
    loop_constraints,
    loop_groups,
    loop_rows,
)
from linkwright.dynamics.closed_loops.stabilization import Gains, checked_gains, stabilizing
from linkwright.dynamics.configuration import integrate
from linkwright.dynamics.frames.jacobian import jacobian
from linkwright.dynamics.inertias.mass import mass_matrix
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.dynamics.inverse import Wrenches, inverse_dynamics
from linkwright.dynamics.kinematics import pose
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.memo import kept
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_symbolic
from linkwright.spatial.linear_algebra.linalg import (
    SemidefiniteFactors,
    factorize,
    semidefinite_factors,
    solve_above,
    solve_below,
)
from linkwright.spatial.transform import split_pose


class Constrained(NamedTuple):
    """Factorized system M a = h + Kᵀλ with K a = −k."""

    y: Array
    """L⁻ᵀ h (nv,)"""
    Y: Array
    """L⁻ᵀ Kᵀ (nv, m)"""
    L: Array
    """(nv, nv)"""
    inverse: Array
    """(nv,), of D"""
    loops: SemidefiniteFactors
    """of K M⁻¹ Kᵀ"""
    k: Array
    """(m,), consistent part"""
    left_out: int | None
    """number of rows that may be omitted, for symbols; None: any number"""

    def _asked(self, y: Array) -> Array:
        """Return K a + k (m,) of a propagated a."""
        return (self.Y.T * self.inverse) @ y + self.k

    def opened_by(self, k: Array) -> Constrained:
        """Return the same system with another k (m,)."""
        return self._replace(k=self.loops.least_norm(k, self.left_out))

    def motion(self) -> Array:
        """Return a (nv,), with one correction, since the selected rows may be worse conditioned than all rows."""
        y = self.y
        for _ in range(2):
            y = y - self.Y @ self.loops.solve(self._asked(y))
        return solve_below(self.L, self.inverse * y)

    def multipliers(self) -> Array:
        """Return the λ (m,) of least norm, with one correction."""
        multipliers = np.zeros(len(self.k))
        for _ in range(2):
            multipliers = multipliers - self.loops.solve(self._asked(self.y + self.Y @ multipliers))
        return self.loops.least_norm(multipliers, self.left_out)


def constrained(model: Model, q: Array, h: Array, k: Array) -> Constrained:
    """Return the system of a model with loops for forces (or momenta) h (nv,) and k (m,)."""
    L, inverse = factorize(mass_matrix(model, q))
    y, Y = solve_above(L, h), solve_above(L, constraint_jacobian(model, q).T)
    A = (Y.T * inverse) @ Y
    order, left_out = whole_elimination(model) if is_symbolic(A) else AS_THEY_COME
    scales = row_scales(model)
    whole = None if scales is None else np.concatenate([np.zeros(0), *(one.by_mass for one in scales)])
    loops = semidefinite_factors(A, scales=whole, order=order)
    return Constrained(y, Y, L, inverse, loops, loops.least_norm(k, left_out), left_out)


@kept
def whole_elimination(model: Model) -> IndependentRowElimination:
    """Return the elimination order of pivoting for the rows of all loops at a closed configuration."""
    q = some_closed_configuration(model)
    if q is None:
        return AS_THEY_COME
    whole = constrained(model, q, np.zeros(model.nv), np.zeros(len(constraint_residual(model, q)))).loops
    return elimination_like(whole, len(loop_groups(model)))


def _of_state(
    model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None, gains: Gains | None
) -> Constrained:
    bias = inverse_dynamics(model, q, v, np.zeros(model.nv), wrenches)
    k = constraint_bias(model, q, v)
    if gains is not None:
        k = k + stabilizing(gains, constraint_jacobian(model, q) @ v, constraint_residual(model, q))
    return constrained(model, q, tau - bias, k)


def composite(model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None, gains: Gains | None) -> Array:
    """Return the accelerations (nv,) by the whole mass matrix."""
    return _of_state(model, q, v, tau, wrenches, gains).motion()


def articulated(model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None, gains: Gains | None) -> Array:
    """Return the accelerations (nv,) by articulated bodies with loops."""
    return moving(model, q, v, tau, wrenches, gains).a


@takes_model
def constraint_forces(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
    stabilization: Gains | None = None,
) -> Shaped[Array, "m"]:
    """Compute the constraint forces of the loops: the multipliers λ of Kᵀλ in forward dynamics.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    tau : array_like, shape (..., nv)
        Efforts of the joints in N or N m.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.
    stabilization : tuple of float, optional
        Gains (α, β) in 1/s of Baumgarte's stabilization, K a = −K̇ v − 2α K v − β² φ.

    Returns
    -------
    ndarray, shape (..., m)
        Multipliers in N and N m in the order of :func:`constraint_residual`. A loop acts on its second frame with the
        force T λ and on its first with the opposite force, where T are the constrained directions
        (`model/joints/loop.py`). For a ball, λ is the force on the second frame in that frame's axes. For redundant
        loops λ has least norm.
    """
    gains = checked_gains(stabilization)
    if model.loops:
        require_mass(model)
    if _is_small(model):
        return _of_state(model, q, v, tau, wrenches, gains).multipliers()
    return moving(model, q, v, tau, wrenches, gains).least_multipliers(model, q)


@takes_model
def constraint_wrenches(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
    stabilization: Gains | None = None,
) -> Shaped[Array, "n 6"]:
    """Compute the wrenches of the loops on their second frames in forward dynamics.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    tau : array_like, shape (..., nv)
        Efforts of the joints in N or N m.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.
    stabilization : tuple of float, optional
        Gains (α, β) in 1/s of Baumgarte's stabilization, K a = −K̇ v − 2α K v − β² φ.

    Returns
    -------
    ndarray, shape (..., n, 6)
        Wrench [f; n] of each loop in N and N m, at the origin of its second frame in world axes, in the order of
        ``model.loops``. The opposite wrench acts on the first frame. Rows of loops that couple coordinates are zero.
    """
    multipliers = constraint_forces(model, q, v, tau, wrenches, stabilization)
    frames = iter(loop_constraints(model, q, v))
    acting, at = [], 0
    for loop, rows in zip(model.loops, loop_rows(model, q, v), strict=True):
        m = len(rows.residual)
        if isinstance(loop, CoordinateLoop):
            acting.append(np.zeros(6))
        else:
            f = next(frames).T @ multipliers[at : at + m]
            R, _ = split_pose(pose(model, q, loop.second) @ loop.second_axes)
            acting.append(np.concatenate([R @ f[:3], R @ f[3:]]))
        at += m
    return np.stack(acting) if acting else np.zeros((0, 6))


@takes_model
def impulse(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"], wrenches: Wrenches | None = None
) -> tuple[Shaped[Array, "nv"], Shaped[Array, "m"]]:
    """Compute the velocity after a plastic impact that closes the loops, and the impulses of the loops.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity before the impact.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External impulses in N s and N m s by frame, at the frame's origin in world axes.

    Returns
    -------
    v : ndarray, shape (..., nv)
        Velocity v⁺ with M (v⁺ − v) = Jᵀp + Kᵀλ and K v⁺ = 0. Of all velocities that keep the loops closed it is the
        nearest to `v` in the metric of the kinetic energy.
    impulses : ndarray, shape (..., m)
        Impulses λ in N s and N m s, in the order of :func:`constraint_forces`; of least norm for redundant loops.
    """
    require_mass(model)
    if not _is_small(model):
        still, weightless = np.zeros(model.nv), replace(model, gravity=np.zeros(3))
        found = moving(weightless, q, still, still, wrenches, None, constraint_rate(model, q, v))
        return v + found.a, found.least_multipliers(model, q)
    h = mass_matrix(model, q) @ v
    for frame, p in (wrenches or {}).items():
        h = h + jacobian(model, q, frame).T @ p
    system = constrained(model, q, h, np.zeros(len(constraint_residual(model, q))))
    return system.motion(), system.multipliers()


@takes_model
def project(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]
) -> tuple[Shaped[Array, "nq"], Shaped[Array, "nv"]]:
    """Project a state onto the constraints of the loops by one step of Newton's method.

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
    q : ndarray, shape (..., nq)
        Configuration; a small residual is squared by the step. For large residuals use :func:`close_loops`.
    v : ndarray, shape (..., nv)
        Velocity that keeps the loops closed. Both corrections are the smallest in the metric of the kinetic energy, as
        in :func:`impulse`.
    """
    step, change = _least_motions(model, q, constraint_residual(model, q), constraint_rate(model, q, v))
    return integrate(model, q, step), v + change


def position_correction(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "nv"]:
    """Return the step (nv,) of :func:`project` from a configuration."""
    return _least_motions(model, q, constraint_residual(model, q))[0]


def velocity_correction(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Return the correction of a velocity (nv,) by :func:`project`."""
    return _least_motions(model, q, constraint_rate(model, q, v))[0]


WHOLE = 60
"""Number of velocities up to which projections and loop forces use a factorization of the whole mass matrix."""


def _is_small(model: Model) -> bool:
    return model.nv <= WHOLE or model.has_couplings


def _least_motions(model: Model, q: Array, *openings: Array) -> list[Array]:
    """Return the velocities (nv,) of least kinetic energy that compensate residuals (m,): K v = −opening."""
    require_mass(model)
    still = np.zeros(model.nv)
    if _is_small(model):
        system = constrained(model, q, still, openings[0])
        return [one.motion() for one in (system, *map(system.opened_by, openings[1:]))]
    weightless = replace(model, gravity=np.zeros(3))
    return [moving(weightless, q, still, still, None, None, opening).a for opening in openings]
