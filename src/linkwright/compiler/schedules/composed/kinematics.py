"""Hessian and singular values of the Jacobian of mechanisms that are too large for one kernel.

The columns are computed by a kernel, and so is the contribution to the Hessian of joints whose axes move in their
bodies. NumPy processes those of all rows together, in about the time of writing the results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.schedules.composed.elements import CoordinateGather, coordinates_of
from linkwright.compiler.schedules.composed.kernels import ComponentKernels, Function
from linkwright.dynamics.frames.hessian import order_along, own_changes, products
from linkwright.dynamics.frames.manipulability import check_measure, check_moves, measured, of_forces, rows_of
from linkwright.dynamics.kinematics import ReferenceFrame, check_reference_frame, way_between
from linkwright.model.memo import kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.singular import singular_values


@kept
def independent(model: Model) -> Model:
    """Return the same mechanism without mimic joints."""
    return replace(model, joints=tuple(replace(joint, coupling=None) for joint in model.joints))


def changing(model: Model) -> list[int]:
    """Return the joints whose axes move in their bodies."""
    found = []
    for k, joint in enumerate(model.joints):
        x = np.linspace(0.3, 0.9, joint.motion.nq)
        if any(np.any(model.links[k].motion_subspace_rate(x, unit)) for unit in np.eye(joint.motion.nv)):
            found.append(k)
    return found


def padded_changes(
    model: Model, q: Array, frame: str, reference_frame: ReferenceFrame, relative_to: str, width: int
) -> Any:
    """Return derivatives (6, width, width) of every body by the motion of its joint's axes."""

    def padded(block: Array) -> Array:
        rest = width - block.shape[-1]
        if rest < 0:
            block, rest = block[:, :width, :width], 0
        wide = np.concatenate([block, np.zeros((6, block.shape[1], rest))], axis=2)
        return np.concatenate([wide, np.zeros((6, rest, width))], axis=1)

    return own_changes(model, q, frame, reference_frame, relative_to, padded)


def hessian(p: ComponentKernels) -> Function:
    """Return the Hessian of all rows."""
    model, options = p.model, _frame_options(p)
    check_reference_frame(options["reference_frame"])
    free = independent(model) if model.has_couplings else model
    every = CoordinateGather(model, [coordinates_of(model, range(len(model.links)))[0]], "nq")
    way = way_between(model, options["frame"], options["relative_to"])
    before = order_along(model, way)
    columns = p.of(dynamics.jacobian, free, **options)
    some = [k for k in changing(free) if way.signs[k]]
    width = max((free.joints[k].nv for k in some), default=0)
    changes = p.of(padded_changes, free, **options, width=width) if some else None
    starts = np.cumsum([0, *(joint.motion.nv for joint in model.joints)])

    def all_rows(q: Array) -> Array:
        x = every(q)[..., 0, :]
        H = products(columns(x), before, options["reference_frame"])
        if changes is not None:
            found = changes(x)
            for k in some:
                at, n = slice(starts[k], starts[k + 1]), free.joints[k].nv
                H[..., at, at] += found[..., k, :, :n, :n]
        return model.coupling_matrix.T @ H @ model.coupling_matrix if model.has_couplings else H

    return all_rows


def _frame_options(p: ComponentKernels) -> dict[str, Any]:
    return {name: p.choices[name] for name in ("frame", "reference_frame", "relative_to")}


def _moved(p: ComponentKernels) -> Function:
    """Return a function of the rows (…, m, nv) of a frame's Jacobian, after a check that a joint moves it."""
    check_moves(p.model, p.choices["frame"], p.choices["relative_to"])
    rows, columns = rows_of(p.choices["directions"]), p.of(dynamics.jacobian, **_frame_options(p))
    return lambda q: columns(q)[..., rows, :]


def manipulability(p: ComponentKernels) -> Function:
    """Return the measure of all rows."""
    measure, directions = p.choices["measure"], p.choices["directions"]
    check_measure(p.model, measure)
    rows, masses = _moved(p), p.of(dynamics.mass_matrix) if measure == "asada" else None
    return lambda q: measured(p.model, rows(q), measure, directions, masses(q) if masses else None)


def velocity_ellipsoid(p: ComponentKernels) -> Function:
    """Return axes and semi-axes of all rows."""
    rows = _moved(p)
    return lambda q: singular_values(rows(q))


def force_ellipsoid(p: ComponentKernels) -> Function:
    """Return axes and semi-axes of all rows, of forces."""
    rows = _moved(p)
    return lambda q: of_forces(p.model, rows(q), p.choices["directions"])
