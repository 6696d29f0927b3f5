"""Configurations: moving along velocities, differences, and the check of what a user gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError
from linkwright.model.joint_type import JointType
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped, as_numbers

UNIT_TOLERANCE = 1e-6
"""How far from 1 the length of a quaternion may be."""


@takes_model
def integrate(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nq"]:
    """q ⊕ Exp(v) (nq,): where a unit time at the constant joint velocity v leads.

    Exact on SO(3), SE(2), SE(3) (v in body axes); the quaternions returned are unit.
    """
    return _per_joint(model, "nq", lambda motion, q, v: motion.integrate(q, v), (q, "nq"), (v, "nv"))


@takes_model
def difference(model: Model, q0: Shaped[Array, "nq"], q1: Shaped[Array, "nq"]) -> Shaped[Array, "nv"]:
    """The v (nv,) with integrate(q0, v) = q1; of rotations the shorter way, its angle at most π."""
    return _per_joint(model, "nv", lambda motion, q0, q1: motion.difference(q0, q1), (q0, "nq"), (q1, "nq"))


@takes_model
def configuration_rate(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "nq"]:
    """q̇ = G(q) v (nq,)."""
    return _per_joint(model, "nq", lambda motion, q, v: motion.configuration_rate(q, v), (q, "nq"), (v, "nv"))


@takes_model
def configuration_distance(model: Model, q0: Shaped[Array, "nq"], q1: Shaped[Array, "nq"]) -> Any:
    """The length of :func:`difference`, m and rad together."""
    v = difference(model, q0, q1)
    return np.sqrt(v @ v)


@takes_model
def integrate_derivatives(
    model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]
) -> tuple[Shaped[Array, "nv nv"], Shaped[Array, "nv nv"]]:
    """The derivatives (nv, nv) of :func:`integrate` by q and by v, each (nv, nv).

    Of configurations these are in δ of ``integrate(q, δ)`` at 0, on both sides: Ad(Exp(v))⁻¹ and J_r(v).
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
    """The derivatives (nv, nv) of :func:`difference` by q0 and by q1, in δ of ``integrate(q, δ)`` at 0.

    With v the difference: −J_r(−v)⁻¹ and J_r(v)⁻¹.
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
    """[u, v] (nv,): how much moving along u, then v, differs from v, then u; zero for plain coordinates."""
    return _per_joint(model, "nv", lambda motion, u, v: motion.bracket(u, v), (u, "nv"), (v, "nv"))


def turning_rate(model: Model, v: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """How fast v (nv,) changes by the turning of its own axes alone, turned about: (ω × v, 0) of a free body."""

    def rate(motion: JointType, v: Array) -> Array:
        turn, rest = _turn_apart(motion, v)
        return motion.bracket(turn, rest)

    return _per_joint(model, "nv", rate, (v, "nv"))


def move_straight(
    model: Model, q: Shaped[Array, "nq"], x: Shaped[Array, "nv"], v: Shaped[Array, "nv"]
) -> tuple[Shaped[Array, "nq"], Shaped[Array, "nv"]]:
    """(q, v) after a motion x (nv,) in which axes that turn with bodies do not turn x: free bodies go straight.

    v (nv,), a velocity in the axes before, is told in those after it.
    """

    def moved(motion: JointType, q: Array, x: Array) -> Array:
        turn, rest = _turn_apart(motion, x)
        return motion.integrate(motion.integrate(q, rest), turn) if motion.turning else motion.integrate(q, x)

    def told(motion: JointType, x: Array, v: Array) -> Array:
        return motion.adjoint(_turn_apart(motion, x)[0]) @ v if motion.turning else v

    return _per_joint(model, "nq", moved, (q, "nq"), (x, "nv")), _per_joint(model, "nv", told, (x, "nv"), (v, "nv"))


def told_before(model: Model, x: Shaped[Array, "nv"], v1: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """A velocity v1 (nv,) in the axes after a motion x (nv,), told in those before it.

    It is what :func:`move_straight` was given as v. Axes do not move in their own turn, so x may be told in either.
    """

    def told(motion: JointType, x: Array, v: Array) -> Array:
        return motion.adjoint(-_turn_apart(motion, x)[0]) @ v if motion.turning else v

    return _per_joint(model, "nv", told, (x, "nv"), (v1, "nv"))


def with_turning(model: Model, v: Shaped[Array, "nv"], turning: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """Replace in v (nv,) the velocities that turn a joint's own axes by those of ``turning`` (nv,)."""

    def replaced(motion: JointType, v: Array, turning: Array) -> Array:
        return _turn_apart(motion, v)[1] + _turn_apart(motion, turning)[0] if motion.turning else v

    return _per_joint(model, "nv", replaced, (v, "nv"), (turning, "nv"))


def _turn_apart(motion: JointType, v: Array) -> tuple[Array, Array]:
    """The turning of a joint's axes, and the rest of its velocity."""
    share = np.array([float(k in motion.turning) for k in range(motion.nv)])
    return share * v, (1.0 - share) * v


def exp_gradient(model: Model, u: Shaped[Array, "nv"], f: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """J_r(u)ᵀ f (nv,): a gradient with respect to δ in q ⊕ Exp(u) ⊕ Exp(δ), as one with respect to u."""
    return _per_joint(model, "nv", lambda motion, u, f: motion.exp_gradient(u, f), (u, "nv"), (f, "nv"))


def exp_gradient_inverse(model: Model, u: Shaped[Array, "nv"], f: Shaped[Array, "nv"]) -> Shaped[Array, "nv"]:
    """J_r(u)⁻ᵀ f (nv,): a gradient with respect to u, as one with respect to δ in q ⊕ Exp(u) ⊕ Exp(δ)."""
    return _per_joint(model, "nv", lambda motion, u, f: motion.exp_gradient_inverse(u, f), (u, "nv"), (f, "nv"))


def exp_rates(model: Model, *u: Array) -> list[Array]:
    """The velocity v (nv,) of q ⊕ Exp(u(t)) and its rates v̇, …, one fewer than given: from u, u̇, ü, … (nv,)."""
    found = model.each(lambda link, *xs: np.stack(link.motion.exp_rates(xs)), *(model.rates(x) for x in u))
    return [model.velocities([rates[k] for rates in found]) for k in range(len(u) - 1)]


def _per_joint(model: Model, result: str, function: Callable[..., Array], *coordinates: tuple[Array, str]) -> Array:
    """``function(joint type, its part of every array)`` for each joint with coordinates of its own, joined."""
    pieces = [model.coordinates(x) if width == "nq" else model.rates(x) for x, width in coordinates]
    results = model.each(lambda link, *xs: function(link.motion, *xs), *pieces)
    return model.positions(results) if result == "nq" else model.velocities(results)


@takes_model
def check(model: Model, q: Any) -> None:
    """Raise where q (…, nq) is not a configuration: of wrong shape, not finite, a quaternion not unit.

    Limits are not looked at. Kernels themselves check shapes only (`docs/reference/conventions.md`).
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
    """q0 (…, nq) and v0 (…, nv), and of which batch they are together; raises where they are no states."""
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
