"""Singularities of a Jacobian, exactly: its determinant and the factors."""

from __future__ import annotations

import numpy as np

from linkwright.expression.polynomials.factors import Factored, determinant, factored
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose, motion_transform
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism


def factors_of_determinant(mechanism: LagrangianMechanism, A: np.ndarray) -> Factored:
    """Return the factors of the determinant of a square matrix of elements."""
    return factored(determinant(mechanism.ring, A))


def columns_amid(model: Model, q: Array, body: int) -> Array:
    """The twists (6, nv) that the joints give a body, seen from the middle of its chain.

    They are those of its Jacobian multiplied by a matrix whose determinant is 1, and take the fewest angles to write.
    """
    x, path = model.coordinates(q), model.path(body)
    columns = [np.zeros((6, link.motion.nv)) for link in model.links]
    middle = len(path) // 2
    T = np.eye(4)
    for k in path[middle + 1 :]:
        T = T @ model.links[k].transform(x[k])
        columns[k] = motion_transform(T) @ model.links[k].motion_subspace(x[k])
    T = np.eye(4)
    for k in path[middle::-1]:
        columns[k] = motion_transform(T) @ model.links[k].motion_subspace(x[k])
        T = T @ inverse_pose(model.links[k].transform(x[k]))
    return model.assemble(columns)
