"""Constraint equations of closed loops: residuals, Jacobian and bias.

A loop connects a frame y of one body with a frame y′ of another (see `model/joints/loop.py`). Its residual φ(q) is
zero when closed. The twist V of y relative to y′ gives the rate K v = Tᵀ V = φ̇, with the constrained directions T, and

    K a + K̇ v = 0,   equally   Tᵀ(a_y − a_y′) = γ

of the spatial accelerations of both frames (`equations.md` §7). Only joints between the two frames and their last
common ancestor change their relative pose; the columns of all others are structural zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwright.dynamics.kinematics import body_velocities
from linkwright.model.elements import Frame, Link
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.memo import kept
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_symbolic, snap
from linkwright.spatial.transform import inverse_pose, motion_to_child, motion_transform
from linkwright.spatial.vectors import motion_cross


@dataclass(frozen=True, eq=False)
class LoopConstraint:
    """Constraint of a loop between two frames at a state: Tᵀ(a_y − a_y′) = γ, for spatial accelerations in y's axes."""

    loop: Loop
    first: Frame
    """y′: its body and placement, including the loop's canonical axes"""
    second: Frame
    """y"""
    pose: Array
    """pose (4, 4) of y′ in y"""
    twist: Array
    """twist V (6,) of y relative to y′, in y's axes"""
    T: Array
    """T (6, m), the constrained directions, in y's axes; the force of the loop on y is T λ"""
    T_rate: Array
    """(6, m), in y's axes"""
    gamma: Array
    """(m,), Tᵀ(V_y × V) − Ṫᵀ V with V_y the twist of y in the world"""
    residual: Array
    """φ (m,)"""


def loop_ends(model: Model, loop: Loop) -> tuple[Frame, Frame]:
    """Return the frames y′ and y of a loop, including its canonical axes."""
    return _own_ends(model).get(id(loop)) or _ends(model, loop)


@kept
def _own_ends(model: Model) -> dict[int, tuple[Frame, Frame]]:
    """Return the ends of the model's own loops by the identity of the loop."""
    return {id(loop): _ends(model, loop) for loop in model.loops if isinstance(loop, Loop)}


def _ends(model: Model, loop: Loop) -> tuple[Frame, Frame]:
    return tuple(  # type: ignore[return-value]
        Frame(end.body, _snapped(end.placement @ axes))
        for end, axes in (
            (model.frame(loop.first), loop.first_axes),
            (model.frame(loop.second), loop.second_axes),
        )
    )


def loop_bodies(model: Model, loop: Loop | CoordinateLoop) -> list[int]:
    """Return the indices of the bodies on whose poses the residual of a loop depends; -1: at rest in the world."""
    if isinstance(loop, CoordinateLoop):
        return [model.plain_coordinates[name][0] for name in loop.coordinates]
    return [end.body for end in loop_ends(model, loop)]


def _snapped(T: Array) -> Array:
    """Return a numeric pose with exact zeros in its rotation."""
    if is_symbolic(T):
        return T
    R = np.concatenate([snap(T[:3, :3]), T[:3, 3:]], axis=1)
    return np.concatenate([R, T[3:]], axis=0)


class LoopRows(NamedTuple):
    """Rows of one loop."""

    residual: Array
    """φ (m,)"""
    columns: dict[int, Array]
    """K (m, nv of the joint) of the joints that move the loop, by their indices"""
    bias: Array
    """K̇ v (m,)"""


def branches(model: Model, first: int, second: int) -> tuple[list[int], list[int]]:
    """Return the bodies from the last common ancestor of two bodies (exclusive) to the first, and to the second."""
    to_first, to_second = list[int](), list[int]()
    while first != second:  # parents have lower indices
        if first > second:
            to_first.append(first)
            first = model.links[first].parent
        else:
            to_second.append(second)
            second = model.links[second].parent
    return to_first[::-1], to_second[::-1]


class Walk(NamedTuple):
    """Path from y inward to the common ancestor and outward to y′, in y's axes."""

    pose: Array
    """pose (4, 4) of y′ in y"""
    twist: Array
    """twist (6,) of y relative to y′"""
    rate: Array
    """rate (6,) of the twist at zero joint accelerations"""
    columns: dict[int, Array]
    """(6, nv): twist of y relative to y′ per velocity of each joint"""


def walk_between(model: Model, first: Frame, second: Frame, x: list[Array], rates: list[Array]) -> Walk:
    """Return the path from the second to the first of two frames."""
    outwards, inwards = (
        [Pace(k, model.links[k], x[k], rates[k]) for k in bodies] for bodies in branches(model, first.body, second.body)
    )
    return walk_along(outwards, inwards, first.placement, second.placement)


class Pace(NamedTuple):
    """A body on a path."""

    number: int
    link: Link
    q: Array
    v: Array


def walk_along(outwards: Sequence[Pace], inwards: Sequence[Pace], first: Array, second: Array) -> Walk:
    """Return the path with columns s = ±X S; vectors fixed in body k move relative to y with U = V_k − V_y: ṡ = U × s ±
    X Ṡ.

    The arguments are the bodies to the first and to the second frame, each outward from the common ancestor, and the
    placements of the frames on the last bodies.
    """
    T, U, bias = inverse_pose(second), np.zeros(6), np.zeros(6)
    columns: dict[int, Array] = {}
    for k, link, q, v in reversed(inwards):
        X = motion_transform(T)
        columns[k] = X @ link.motion_subspace(q)
        s_v = columns[k] @ v
        bias = bias + motion_cross(U) @ s_v + X @ link.velocity_product(q, v)
        U = U - s_v
        T = T @ inverse_pose(link.transform(q))
    for k, link, q, v in outwards:
        T = T @ link.transform(q)
        X = motion_transform(T)
        columns[k] = -(X @ link.motion_subspace(q))
        s_v = columns[k] @ v
        U = U - s_v
        bias = bias + motion_cross(U) @ s_v - X @ link.velocity_product(q, v)
    return Walk(T @ first, -U, bias, columns)


def _rows_between_frames(model: Model, loop: Loop, x: list[Array], rates: list[Array]) -> LoopRows:
    first, second = loop_ends(model, loop)
    walk = walk_between(model, first, second, x, rates)
    T = loop.kind.subspace(walk.pose)
    bias = T.T @ walk.rate + loop.kind.subspace_rate(walk.pose, walk.twist).T @ walk.twist
    return LoopRows(loop.kind.residual(walk.pose), {k: T.T @ s for k, s in walk.columns.items()}, bias)


def _rows_between_coordinates(model: Model, loop: CoordinateLoop, x: list[Array], rates: list[Array]) -> LoopRows:
    values, columns, bias = {"": np.zeros(1)}, dict[int, Array](), np.zeros(1)
    for name in filter(None, (loop.first, loop.second)):
        k, at_q, at_v = model.plain_coordinates[name]
        values[name] = x[k][at_q : at_q + 1]
        row = np.eye(model.links[k].motion.nv)[at_v : at_v + 1]
        if name == loop.second:
            rate = rates[k][at_v : at_v + 1]
            row, bias = loop.slope(values[name]) * row, loop.curvature(values[name]) * (rate * rate)
        columns[k] = columns[k] + row if k in columns else row
    residual = loop.residual(values[loop.first], values[loop.second])
    for name, factor in loop.others:
        k, at_q, at_v = model.plain_coordinates[name]
        row = -factor * np.eye(model.links[k].motion.nv)[at_v : at_v + 1]
        columns[k] = columns[k] + row if k in columns else row
        residual = residual - factor * x[k][at_q : at_q + 1]
    return LoopRows(residual, columns, bias)


def loop_rows(model: Model, q: Array, v: Array) -> Iterator[LoopRows]:
    """Return the rows of every loop, in the order of ``model.loops``."""
    x, rates = model.coordinates(q), model.rates(v)
    for loop in model.loops:
        if isinstance(loop, Loop):
            yield _rows_between_frames(model, loop, x, rates)
        else:
            yield _rows_between_coordinates(model, loop, x, rates)


def open_by(model: Model, q: Array) -> Iterator[tuple[Array, Array | None]]:
    """Return the residual φ (m,) of every loop, and for loops between frames the pose (4, 4) of y′ in y."""
    x = model.coordinates(q)
    for loop in model.loops:
        if isinstance(loop, Loop):
            first, second = loop_ends(model, loop)
            outwards, inwards = branches(model, first.body, second.body)
            T = inverse_pose(second.placement)
            for k in reversed(inwards):
                T = T @ inverse_pose(model.links[k].transform(x[k]))
            for k in outwards:
                T = T @ model.links[k].transform(x[k])
            pose = T @ first.placement
            yield loop.kind.residual(pose), pose
        else:
            values = {"": np.zeros(1)}
            for name in filter(None, (loop.first, loop.second)):
                k, at, _ = model.plain_coordinates[name]
                values[name] = x[k][at : at + 1]
            residual = loop.residual(values[loop.first], values[loop.second])
            for name, factor in loop.others:
                k, at, _ = model.plain_coordinates[name]
                residual = residual - factor * x[k][at : at + 1]
            yield residual, None


@takes_model
def constraint_residual(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "m"]:
    """Compute the residuals φ(q) of the loops, which are zero when closed.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (..., m)
        Residuals in m and rad, loop by loop in the order of ``model.loops``.
    """
    return np.concatenate([np.zeros(0), *(rows.residual for rows in loop_rows(model, q, np.zeros(model.nv)))])


def constraint_rate(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "m"]:
    """Return K v (m,): the rates at which the loops open."""
    rates = model.rates(v)
    opening = [
        sum((K @ rates[k] for k, K in rows.columns.items()), np.zeros(len(rows.residual)))
        for rows in loop_rows(model, q, np.zeros(model.nv))
    ]
    return np.concatenate([np.zeros(0), *opening])


@takes_model
def constraint_jacobian(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "m nv"]:
    """Compute the Jacobian K of the loop constraints: φ̇ = K v for closed loops.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.

    Returns
    -------
    ndarray, shape (..., m, nv)
        K; rows of loops between frames are in the second frame's axes.
    """
    rows = [_full_rows(model, rows) for rows in loop_rows(model, q, np.zeros(model.nv))]
    return np.concatenate([np.zeros((0, model.nv)), *rows])


def _full_rows(model: Model, rows: LoopRows) -> Array:
    """Return K (m, nv) of one loop."""
    m = len(rows.residual)
    return model.assemble([rows.columns.get(k, np.zeros((m, j.motion.nv))) for k, j in enumerate(model.joints)])


class LoopGroup(NamedTuple):
    """Loops that share joints, directly or through other loops."""

    loops: list[int]
    rows: list[int]
    """indices of the rows of K"""
    columns: list[int]
    """indices of the columns of K: the velocities that move the loops"""


@kept
def loop_groups(model: Model) -> list[LoopGroup]:
    """Return the groups of a model's loops."""
    starts = np.cumsum([0, *(joint.nv for joint in model.joints)])
    groups: list[LoopGroup] = []
    at = 0
    for number, one in enumerate(loop_rows(model, model.neutral(), np.zeros(model.nv))):
        loops = [number]
        movers = {k if (c := model.joints[k].coupling) is None else c.leader for k in one.columns}
        columns = {int(c) for k in movers for c in range(starts[k], starts[k + 1])}
        rows = list(range(at, at + len(one.residual)))
        at += len(rows)
        for other in [group for group in groups if not columns.isdisjoint(group.columns)]:
            groups.remove(other)
            loops, rows, columns = other.loops + loops, other.rows + rows, columns | set(other.columns)
        groups.append(LoopGroup(sorted(loops), sorted(rows), sorted(columns)))
    return groups


def rows_of_groups(model: Model, q: Array, groups: list[LoopGroup]) -> list[Array]:
    """Return K (m, n) of each group."""
    rows = [row for one in loop_rows(model, q, np.zeros(model.nv)) for row in _full_rows(model, one)]
    return [np.stack([rows[k][group.columns] for k in group.rows]) for group in groups]


@takes_model
def constraint_bias(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> Shaped[Array, "m"]:
    """Compute the bias K̇ v of the loop constraints: loops stay closed for K a = −K̇ v.

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
    ndarray, shape (..., m)
        K̇ v in m/s² and rad/s².
    """
    return np.concatenate([np.zeros(0), *(rows.bias for rows in loop_rows(model, q, v))])


@takes_model
def loop_constraints(model: Model, q: Shaped[Array, "nq"], v: Shaped[Array, "nv"]) -> list[LoopConstraint]:
    """Compute the constraints of the loops between frames on the accelerations of their bodies.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : ndarray, shape (nq,)
        Configuration.
    v : ndarray, shape (nv,)
        Velocity.

    Returns
    -------
    list of LoopConstraint
        Constraint of each loop at this state.
    """
    x, rates, twists = model.coordinates(q), model.rates(v), body_velocities(model, q, v)
    constraints = []
    for loop in model.loops:
        if not isinstance(loop, Loop):
            continue
        first, second = loop_ends(model, loop)
        walk = walk_between(model, first, second, x, rates)
        T, T_rate = loop.kind.subspace(walk.pose), loop.kind.subspace_rate(walk.pose, walk.twist)
        twist = motion_to_child(second.placement, twists[second.body]) if second.body >= 0 else np.zeros(6)
        gamma = T.T @ (motion_cross(twist) @ walk.twist) - T_rate.T @ walk.twist
        residual = loop.kind.residual(walk.pose)
        constraints.append(LoopConstraint(loop, first, second, walk.pose, walk.twist, T, T_rate, gamma, residual))
    return constraints
