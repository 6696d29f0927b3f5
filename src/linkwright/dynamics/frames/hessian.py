"""Kinematic Hessian: the derivative of each column of a Jacobian by each coordinate.

On the path from the base to the end, a joint rotates the axes of outer joints, and moves the point that inner joints
move. For columns J_i = [v_i; ω_i], i before j: ∂J_j/∂q_i = [ω_i × v_j; ω_i × ω_j], ∂J_i/∂q_j = [ω_i × v_j; 0].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.dynamics.frames.jacobian import columns, moving, seen_at
from linkwright.dynamics.kinematics import KinematicPath, ReferenceFrame, body_poses, check_reference_frame, way_between
from linkwright.model.elements import Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_zero


@takes_model
def kinematic_hessian(
    model: Model,
    q: Shaped[Array, "nq"],
    frame: str,
    reference_frame: ReferenceFrame = "world_aligned",
    relative_to: str = "world",
) -> Shaped[Array, "6 nv nv"]:
    """Compute the kinematic Hessian ∂J/∂q of the :func:`~linkwright.dynamics.frames.jacobian.jacobian` of a frame.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of a frame of `model`.
    reference_frame : {"world_aligned", "body", "world"}, optional
        Reference point and axes: the frame's origin in world axes, the frame's origin in its own axes, or the origin of
        the world in world axes.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (..., 6, nv, nv)
        Derivative of the Jacobian in the same axes. The last axis is that of the differentiation, by δ in
        ``integrate(model, q, δ)`` at 0. The product with v is J̇.
    """
    check_reference_frame(reference_frame)
    way = way_between(model, frame, relative_to)
    J = np.concatenate([np.zeros((6, 0)), *columns(model, q, way, reference_frame)], axis=1)
    own = own_changes(model, q, frame, reference_frame, relative_to)
    H = products(J, order_along(model, way), reference_frame) + blocks(own)
    if not model.has_couplings:
        return H
    G = model.coupling_matrix
    summed: Array = (G.T @ H) @ G
    return summed


def own_changes(
    model: Model,
    q: Array,
    frame: str,
    reference_frame: ReferenceFrame,
    relative_to: str,
    made: Callable[[Array], Array] = lambda block: block,
) -> Any:
    """Return (6, nv, nv) of every body: derivatives of its joint's columns by the joint's own coordinates."""
    way = way_between(model, frame, relative_to)
    poses = body_poses(model, q, way.root)
    point, axes = seen_at(way, poses, reference_frame)

    def own(link: Link, T: Array, q: Array, sign: float) -> Array:
        n = link.motion.nv
        rates = [link.motion_subspace_rate(q, unit) for unit in np.eye(n)]
        if is_zero(sign) or all(is_zero(entry) for rate in rates for entry in rate.flat):
            return made(np.zeros((6, n, n)))
        return made(np.stack([sign * moving(T, rate, point, axes) for rate in rates], axis=-1))

    return model.each(own, poses, model.coordinates(q), way.signs)


def order_along(model: Model, way: KinematicPath) -> Array:
    """Return (n, n) of all coordinates: 1.0 where the second moves the axis of the first, on the path to the end."""
    depth: list[int] = []
    for link in model.links:
        depth.append(1 + (depth[link.parent] if link.parent >= 0 else 0))
    rank = np.repeat([d * s for d, s in zip(depth, way.signs, strict=True)], [link.motion.nv for link in model.links])
    sign = np.sign(rank)
    body = np.repeat(np.arange(len(model.links)), [link.motion.nv for link in model.links])
    same = (body[:, None] == body[None, :]) & (sign[:, None] > 0)  # a body rotates with its own joint
    return ((rank[None, :] < rank[:, None]) | same).astype(float)


def products(J: Array, before: Array, reference_frame: ReferenceFrame) -> Array:
    """Return the products of columns (…, 6, n, n): the Hessian of joints whose axes are fixed in their bodies."""
    v, w = J[..., :3, :], J[..., 3:, :]
    ww, wv = _crossed(w, w), _crossed(w, v)  # [:, j, i] = ω_i × v_j
    if reference_frame == "world_aligned":
        linear = before * wv + (1.0 - before) * np.swapaxes(wv, -1, -2)
        return np.concatenate([linear, before * ww], axis=-3)
    spatial = np.concatenate([wv - np.swapaxes(wv, -1, -2), ww], axis=-3)
    return before * spatial if reference_frame == "world" else (before - 1.0) * spatial


def _crossed(a: Array, b: Array) -> Array:
    """Return a_i × b_j (…, 3, m, n) of the columns of a (…, 3, n) and b (…, 3, m)."""
    ax, ay, az = (a[..., k, None, :] for k in range(3))
    bx, by, bz = (b[..., k, :, None] for k in range(3))
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-3)


def blocks(parts: list[Array]) -> Any:
    """Return an array (6, n, n) with blocks (6, m, m) on its diagonal."""
    n = sum(part.shape[-1] for part in parts)
    rows, at = [np.zeros((6, 0, n))], 0
    for part in parts:
        m = part.shape[-1]
        rows.append(np.concatenate([np.zeros((6, m, at)), part, np.zeros((6, m, n - at - m))], axis=2))
        at += m
    return np.concatenate(rows, axis=1)
