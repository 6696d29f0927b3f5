"""Configurations: integration of velocities, differences, and validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import InputError, ShapeError
from linkwright.model.elements import Link
from linkwright.model.joints.joint_type import JointType
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, as_numbers

UNIT_TOLERANCE = 1e-6
"""Largest deviation of the length of a quaternion from 1."""


@takes_model
def integrate(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nq"]:
    """Integrate a constant velocity over a unit of time: q ⊕ Exp(v).

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity times the duration; of free, planar and spherical joints in body axes.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration. The integral is exact on SO(3), SE(2) and SE(3), and quaternions are unit.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.integrate(arm, [0.0, 0.0], [0.1, 0.2])
    array([0.1, 0.2])
    """
    return _per_joint(model, "nq", lambda motion, q, v: motion.integrate(q, v), (q, "nq"), (v, "nv"))


@takes_model
def difference(model: Model, q0: Shaped[Array, "nq"], q1: Shaped[Array, "nq"]) -> Shaped[Array, "nv"]:
    """Compute the difference of two configurations: the v with integrate(q0, v) = q1.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0, q1 : array_like, shape (..., nq)
        Configurations.

    Returns
    -------
    ndarray, shape (..., nv)
        Difference. The angle of a rotation is at most π.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.difference(arm, [0.0, 0.0], [0.1, 0.2])
    array([0.1, 0.2])
    """
    return _per_joint(model, "nv", lambda motion, q0, q1: motion.difference(q0, q1), (q0, "nq"), (q1, "nq"))


@takes_model
def configuration_rate(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nq"]:
    """Compute the time derivative of the configuration, q̇ = G(q) v.

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
    ndarray, shape (..., nq)
        Rate of the coordinates.
    """
    return _per_joint(model, "nq", lambda motion, q, v: motion.configuration_rate(q, v), (q, "nq"), (v, "nv"))


@takes_model
def configuration_distance(model: Model, q0: Shaped[Array, "nq"], q1: Shaped[Array, "nq"]) -> Any:
    """Compute the length of the difference of two configurations.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0, q1 : array_like, shape (..., nq)
        Configurations.

    Returns
    -------
    ndarray, shape (...)
        Euclidean norm of :func:`difference`, in which m and rad are added.
    """
    v = difference(model, q0, q1)
    return np.sqrt(v @ v)


@takes_model
def integrate_derivatives(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """Compute the derivatives of :func:`integrate` by the configuration and by the velocity.

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
    by_q : ndarray, shape (..., nv, nv)
        Derivative by q: Ad(Exp(v))⁻¹. Both configurations vary by δ in ``integrate(q, δ)`` at 0.
    by_v : ndarray, shape (..., nv, nv)
        Derivative by v: the right Jacobian J_r(v).
    """

    def by_v(link: Link, v: Array) -> Array:
        return np.stack([link.motion.exp_gradient(v, row) for row in np.eye(link.motion.nv)])

    rates = model.rates(v)
    return (
        model.block_diagonal(model.each(lambda link, v: link.motion.adjoint(v), rates)),
        model.block_diagonal(model.each(by_v, rates)),
    )


@takes_model
def difference_derivatives(
    model: Model, q0: Shaped[Array, "nq"], q1: Shaped[Array, "nq"]
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """Compute the derivatives of :func:`difference` by both configurations.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0, q1 : array_like, shape (..., nq)
        Configurations.

    Returns
    -------
    by_q0 : ndarray, shape (..., nv, nv)
        Derivative by δ in ``integrate(q0, δ)`` at 0: −J_r(−v)⁻¹, where v is the difference.
    by_q1 : ndarray, shape (..., nv, nv)
        Derivative by δ in ``integrate(q1, δ)`` at 0: J_r(v)⁻¹.
    """

    def rows(link: Link, q0: Array, q1: Array, sign: float) -> Array:
        v = sign * link.motion.difference(q0, q1)
        return np.stack([sign * link.motion.exp_gradient_inverse(v, row) for row in np.eye(link.motion.nv)])

    x0, x1 = model.coordinates(q0), model.coordinates(q1)
    first = model.each(lambda link, a, b: rows(link, a, b, -1.0), x0, x1)
    second = model.each(lambda link, a, b: rows(link, a, b, 1.0), x0, x1)
    return model.block_diagonal(first), model.block_diagonal(second)


@takes_model
def lie_bracket(model: Model, u: Shaped[Array, "nv"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Compute the Lie bracket [u, v]: the commutator of two motions.

    Parameters
    ----------
    model : Model
        Mechanism.
    u, v : array_like, shape (..., nv)
        Velocities.

    Returns
    -------
    ndarray, shape (..., nv)
        Bracket, which is zero for joints with Cartesian coordinates.
    """
    return _per_joint(model, "nv", lambda motion, u, v: motion.bracket(u, v), (u, "nv"), (v, "nv"))


def turning_rate(model: Model, v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Return the rate of v (nv,) due to the rotation of its own axes: (ω × v, 0) of a free body."""

    def rate(motion: JointType, v: Array) -> Array:
        turn, rest = _turn_apart(motion, v)
        return motion.bracket(turn, rest)

    return _per_joint(model, "nv", rate, (v, "nv"))


def move_straight(
    model: Model, q: Shaped[Array, "nq"], x: Shaped[Array, "nv"], v: Shaped[Array, "nv"]
) -> tuple[Shaped[Array, "nq"], Shaped[Array, "nv"]]:
    """Move by x (nv,) along straight lines: rotating axes do not rotate the translation of a free body.

    Returns the configuration and the velocity v (nv,), which is given in the initial axes, in the final axes.
    """

    def moved(motion: JointType, q: Array, x: Array) -> Array:
        turn, rest = _turn_apart(motion, x)
        return motion.integrate(motion.integrate(q, rest), turn) if motion.turning else motion.integrate(q, x)

    def velocity(motion: JointType, x: Array, v: Array) -> Array:
        return motion.adjoint(_turn_apart(motion, x)[0]) @ v if motion.turning else v

    return _per_joint(model, "nq", moved, (q, "nq"), (x, "nv")), _per_joint(model, "nv", velocity, (x, "nv"), (v, "nv"))


def velocity_before(model: Model, x: Shaped[Array, "nv"], v1: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Express a velocity v1 (nv,), given in the axes after a motion x (nv,), in the axes before the motion.

    This is the inverse of :func:`move_straight` in v. The axis of a rotation is invariant, so that x may be expressed
    in either axes.
    """

    def velocity(motion: JointType, x: Array, v: Array) -> Array:
        return motion.adjoint(-_turn_apart(motion, x)[0]) @ v if motion.turning else v

    return _per_joint(model, "nv", velocity, (x, "nv"), (v1, "nv"))


def with_turning(model: Model, v: Shaped[Array, "nv"], turning: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Replace in v (nv,) the angular velocities of rotating joint axes by those of ``turning`` (nv,)."""

    def replaced(motion: JointType, v: Array, turning: Array) -> Array:
        return _turn_apart(motion, v)[1] + _turn_apart(motion, turning)[0] if motion.turning else v

    return _per_joint(model, "nv", replaced, (v, "nv"), (turning, "nv"))


def _turn_apart(motion: JointType, v: Array) -> tuple[Array, Array]:
    """Split a joint's velocity into the rotation of its axes and the rest."""
    share = np.array([float(k in motion.turning) for k in range(motion.nv)])
    return share * v, (1.0 - share) * v


def exp_gradient(model: Model, u: Shaped[Array, "nv"], f: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Return J_r(u)ᵀ f (nv,): a gradient by δ in q ⊕ Exp(u) ⊕ Exp(δ), converted to a gradient by u."""
    return _per_joint(model, "nv", lambda motion, u, f: motion.exp_gradient(u, f), (u, "nv"), (f, "nv"))


def exp_gradient_inverse(model: Model, u: Shaped[Array, "nv"], f: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Return J_r(u)⁻ᵀ f (nv,): a gradient by u, converted to a gradient by δ in q ⊕ Exp(u) ⊕ Exp(δ)."""
    return _per_joint(model, "nv", lambda motion, u, f: motion.exp_gradient_inverse(u, f), (u, "nv"), (f, "nv"))


def exp_rates(model: Model, *u: Array) -> list[Array]:
    """Return the velocity v (nv,) of q ⊕ Exp(u(t)) and its rates v̇, …, from u, u̇, ü, … (nv,), one fewer than given."""
    found = model.each(lambda link, *xs: np.stack(link.motion.exp_rates(xs)), *(model.rates(x) for x in u))
    return [model.velocities([rates[k] for rates in found]) for k in range(len(u) - 1)]


def _per_joint(model: Model, result: str, function: Callable[..., Array], *coordinates: tuple[Array, str]) -> Array:
    """Apply ``function(joint type, coordinates)`` to each joint with independent coordinates and join the results."""
    pieces = [model.coordinates(x) if width == "nq" else model.rates(x) for x, width in coordinates]
    results = model.each(lambda link, *xs: function(link.motion, *xs), *pieces)
    return model.positions(results) if result == "nq" else model.velocities(results)


@takes_model
def check(model: Model, q: ArrayLike) -> None:
    """Check a configuration: its shape, finite values and unit quaternions.

    Joint limits are not checked. Kernels check shapes only (`docs/reference/conventions.md`).

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Raises
    ------
    ShapeError
        If the last dimension is not nq.
    InputError
        If a value is not finite or a quaternion is not unit.
    """
    x = as_numbers("q", q)
    if x.shape[-1:] != (model.nq,):
        raise ShapeError(f"q has shape {x.shape}; expected (…, {model.nq}) for {model.name!r}")
    if not np.isfinite(x).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
        raise InputError(f"q is not finite: {model.coordinate_names[place[-1]]!r} is {x[place]}" + _in_row(place[:-1]))
    for start in model.quaternion_starts:
        length = np.linalg.norm(x[..., start : start + 4], axis=-1)
        wrong = np.abs(length - 1.0) > UNIT_TOLERANCE
        if wrong.any():
            row = tuple(int(i) for i in np.argwhere(wrong)[0])
            name = model.coordinate_names[start]
            raise InputError(
                f"the quaternion (w, x, y, z) at q[{start}:{start + 4}] ({name!r} …) has length {length[row]:.9g}, "
                f"not 1{_in_row(row)}; divide it by its length"
            )


def check_state(model: Model, q0: Any, v0: Any) -> tuple[Array, Array, tuple[int, ...]]:
    """Return q0 (…, nq), v0 (…, nv) and their common batch shape; raise an error for an invalid state."""
    check(model, q0)
    q, v = as_numbers("q0", q0), as_numbers("v0", v0)
    if v.shape[-1:] != (model.nv,):
        raise ShapeError(f"v0 has shape {v.shape}; expected (…, {model.nv}) for {model.name!r}")
    if not np.isfinite(v).all():
        raise InputError("v0 is not finite")
    try:
        return q, v, np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    except ValueError:
        raise ShapeError(f"q0 {q.shape} and v0 {v.shape} do not broadcast") from None


def _in_row(row: tuple[int, ...]) -> str:
    return f", in row {list(row)}" if row else ""
