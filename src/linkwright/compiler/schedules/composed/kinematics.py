"""What is made of the Jacobian of mechanisms of which it is too long for one kernel: its Hessian, its singular values.

The columns come from a kernel, and so does what joints add to the Hessian whose axes move in their own bodies; NumPy
works on those of all rows at once, which takes about as long as to write what comes of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.dynamics.frames.hessian import order_along, own_changes, products
from linkwright.dynamics.frames.manipulability import (
    check_measure,
    check_moves,
    inverses,
    of_own_units,
    own_lengths,
    own_units,
    rows_of,
    shortest_by_longest,
)
from linkwright.dynamics.kinematics import ReferenceFrame, check_reference_frame, way_between
from linkwright.model.derived import kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.singular import singular_values


@kept
def independent(model: Model) -> Model:
    """The same mechanism with no joint following another."""
    return replace(model, joints=tuple(replace(joint, coupling=None) for joint in model.joints))


def all_coordinates(model: Model, q: Array) -> Array:
    """The coordinates (…, n) of every joint, followers included, from rows q (…, nq)."""
    starts = np.cumsum([0, *(joint.nq for joint in model.joints)])
    places: list[int] = []
    factors: list[float] = []
    offsets: list[float] = []
    for k, joint in enumerate(model.joints):
        c = joint.coupling
        n, leader = joint.motion.nq, k if c is None else c.leader
        places += range(starts[leader], starts[leader] + n)
        factors += [1.0 if c is None else c.multiplier] * n
        offsets += [0.0 if c is None else c.offset] * n
    return np.array(factors) * q[..., np.array(places, dtype=int)] + np.array(offsets)


def changing(model: Model) -> list[int]:
    """The joints whose axes move in their own bodies."""
    found = []
    for k, joint in enumerate(model.joints):
        x = np.linspace(0.3, 0.9, joint.motion.nq)
        if any(np.any(model.links[k].motion_subspace_rate(x, unit)) for unit in np.eye(joint.motion.nv)):
            found.append(k)
    return found


def padded_changes(
    model: Model, q: Array, frame: str, reference_frame: ReferenceFrame, relative_to: str, width: int
) -> Any:
    """Of every body (6, width, width), what changes since its joint's axes do."""

    def padded(block: Array) -> Array:
        rest = width - block.shape[-1]
        if rest < 0:
            block, rest = block[:, :width, :width], 0
        wide = np.concatenate([block, np.zeros((6, block.shape[1], rest))], axis=2)
        return np.concatenate([wide, np.zeros((6, rest, width))], axis=1)

    return own_changes(model, q, frame, reference_frame, relative_to, padded)


def hessian(of: Callable[..., Any], model: Model, options: dict[str, Any]) -> Callable[[Array], Array]:
    """The Hessian of all rows; ``of`` gives kernels of functions of a model."""
    told = _told(options)
    check_reference_frame(told["reference_frame"])
    free = independent(model) if model.has_couplings else model
    way = way_between(model, told["frame"], told["relative_to"])
    before = order_along(model, way)
    columns = of(dynamics.jacobian, free, **told)
    some = [k for k in changing(free) if way.signs[k]]
    width = max((free.joints[k].nv for k in some), default=0)
    changes = of(padded_changes, free, **told, width=width) if some else None
    starts = np.cumsum([0, *(joint.motion.nv for joint in model.joints)])

    def all_rows(q: Array) -> Array:
        x = all_coordinates(model, q) if model.has_couplings else q
        H = products(columns(x), before, told["reference_frame"])
        if changes is not None:
            found = changes(x)
            for k in some:
                at, n = slice(starts[k], starts[k + 1]), free.joints[k].nv
                H[..., at, at] += found[..., k, :, :n, :n]
        return model.coupling_matrix.T @ H @ model.coupling_matrix if model.has_couplings else H

    return all_rows


def _told(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("frame", "reference_frame", "relative_to")}


def manipulability(of: Callable[..., Any], model: Model, options: dict[str, Any]) -> Callable[[Array], Array]:
    """The measure of all rows; ``of`` gives kernels of functions of a model."""
    measure, directions = options["measure"], options["directions"]
    check_measure(model, measure)
    columns = _moved(of, model, options)
    lengths, units = own_lengths(model, directions)[:, None], own_units(model, directions)
    masses = of(dynamics.mass_matrix) if measure == "asada" else None

    def all_rows(q: Array) -> Array:
        J = columns(q)
        if measure == "yoshikawa":
            return singular_values(J)[1].prod(axis=-1)
        if masses is not None:
            L = np.linalg.cholesky(masses(q))
            J = np.swapaxes(np.linalg.solve(L, np.swapaxes(lengths * J, -1, -2)), -1, -2)
        else:
            J = units * J
        ratio: Array = shortest_by_longest(singular_values(J)[1])
        return ratio * ratio if masses is not None else ratio

    return all_rows


def _moved(of: Callable[..., Any], model: Model, options: dict[str, Any]) -> Callable[[Array], Array]:
    """What gives the rows (…, m, nv) of the Jacobian of a frame that something moves."""
    check_moves(model, options["frame"], options["relative_to"])
    rows, columns = rows_of(options["directions"]), of(dynamics.jacobian, **_told(options))
    return lambda q: columns(q)[..., rows, :]


def velocity_ellipsoid(of: Callable[..., Any], model: Model, options: dict[str, Any]) -> Callable[[Array], Any]:
    """Axes and semi-axes of all rows."""
    columns = _moved(of, model, options)
    return lambda q: singular_values(columns(q))


def force_ellipsoid(of: Callable[..., Any], model: Model, options: dict[str, Any]) -> Callable[[Array], Any]:
    """The same of forces."""
    directions, columns = options["directions"], _moved(of, model, options)

    def all_rows(q: Array) -> tuple[Array, Array]:
        J = columns(q)
        axes, s = singular_values(J)
        return axes[..., ::-1], inverses(s, of_own_units(model, directions, J, s))[..., ::-1]

    return all_rows
