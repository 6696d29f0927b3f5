"""Passive forces that compensate the weight of links, in whole or in part."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.model.elements import Link, motion_subspace, transform
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped
from linkwright.spatial.transform import force_to_parent, split_pose


def compensation_efforts(model: Model, q: Shaped[Array, "nq"]) -> Shaped[Array, "nv"]:
    """Return the efforts (nv,) of the forces −m g at the centers of mass of the compensated weights."""

    def outward(link: Link, parent: Array, T: Array) -> Array:
        return parent @ T[:3, :3]

    def inward(
        link: Link, received: tuple[Array], R: Array, T: Array, S: Array, weight: Array
    ) -> tuple[Array, tuple[Array]]:
        lift = -(model.gravity @ R)
        f = received[0] + np.concatenate([weight[0] * lift, np.cross(weight[1:], lift)])
        return S.T @ f, (force_to_parent(T, f),)

    x = model.coordinates(q)
    T, S = model.each(transform, x), model.each(motion_subspace, x)
    R = model.outward(outward, np.eye(3), T)
    efforts, _ = model.inward(inward, (np.zeros(6),), R, T, S, _weights(model))
    return model.assemble(efforts)


def compensation_energy(model: Model, q: Shaped[Array, "nq"]) -> Any:
    """Return the potential energy Σ m gᵀc of the compensating forces in J."""

    def outward(link: Link, parent: Array, T: Array) -> Array:
        return parent @ T

    def height(link: Link, T: Array, weight: Array) -> Any:
        return model.gravity @ (weight[0] * T[:3, 3] + T[:3, :3] @ weight[1:])

    poses = model.outward(outward, np.eye(4), model.each(transform, model.coordinates(q)))
    return model.total(model.each(height, poses, _weights(model)))


def _weights(model: Model) -> list[Array]:
    """Return the compensated mass and its first moment (4,) of each body, in its (canonical) axes."""
    found: dict[int, Array] = {}
    for one in model.compensated_weights:
        frame = model.frames[one.frame]
        R, p = split_pose(frame.placement)
        own = np.concatenate([np.stack([one.mass]), R @ one.first_moment + one.mass * p])
        found[frame.body] = found.get(frame.body, np.zeros(4)) + own
    weights: list[Array] = model.on_bodies(found, np.zeros(4))
    return weights
