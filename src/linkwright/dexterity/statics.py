"""Singular directions, null spaces, and wrenches of joint efforts, for numbers.

The rank of a Jacobian is computed in the mechanism's units, with lengths relative to its length. Wrenches and efforts
that are not unique are of least norm in N and N m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.compiler.public import public
from linkwright.dynamics.frames.manipulability import RANK, own_lengths, rows_of
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.provided import numbers_of_sympy
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

_jacobian_of: Callable[..., Array] = public(dynamics.jacobian)


class StaticWrench(NamedTuple):
    """Wrench that balances joint efforts, and the part of them that is not unique or not balanced.

    Parameters
    ----------
    wrench : ndarray, shape (..., 6)
        Wrench [f; n] at the frame's origin on the surroundings, in N and N m.
    rank : ndarray, shape (...)
        Rank of the Jacobian: the number of components of a wrench that the joints control.
    residual : ndarray, shape (..., nv)
        Efforts τ − Jᵀ wrench that no wrench balances.
    unproduced : ndarray, shape (..., 6, k)
        Unit wrenches that need no effort and may be added to `wrench`; rows with fewer than k have zeros.
    """

    wrench: Array
    rank: Array
    residual: Array
    unproduced: Array


@takes_model
def null_space(
    model: Model,
    q: ArrayLike,
    frame: str,
    directions: str | Sequence[str] = "all",
    reference_frame: str = "world_aligned",
    relative_to: str = "world",
) -> Array:
    """Compute the joint velocities at which a frame does not move.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of the frame.
    directions : str or sequence of str, optional
        Directions in which the frame is fixed, as for :func:`~linkwright.manipulability`.
    reference_frame : str, optional
        Axes of the directions.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (..., nv, k)
        Unit columns, orthogonal in the mechanism's units. In a batch k is the largest dimension; smaller null spaces
        are padded with zeros.
    """
    J = _jacobian(model, q, frame, directions, reference_frame, relative_to)
    units = scale_of(model).velocities
    own = own_lengths(model, directions)[:, None] * J * units
    _, s, Vt = np.linalg.svd(own)
    rank = _rank(s)
    return _unit(units[:, None] * _rest(Vt, rank))


@takes_model
def singular_directions(
    model: Model,
    q: ArrayLike,
    frame: str,
    directions: str | Sequence[str] = "all",
    reference_frame: str = "world_aligned",
    relative_to: str = "world",
) -> Array:
    """Compute the directions in which a frame cannot move: unit w with wᵀ J v = 0 for all joint velocities v.

    These are wrenches that the bearings support without joint efforts.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of the frame.
    directions : str or sequence of str, optional
        Directions of the task, m of them, as for :func:`~linkwright.manipulability`.
    reference_frame : str, optional
        Axes of the directions.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    ndarray, shape (..., m, k)
        Unit columns, k = 0 at regular configurations. Batches as for :func:`null_space`.
    """
    J = _jacobian(model, q, frame, directions, reference_frame, relative_to)
    return _lost(model, J, directions)[0]


@takes_model
def static_wrench(
    model: Model,
    q: ArrayLike,
    frame: str,
    tau: ArrayLike,
    reference_frame: str = "world_aligned",
    relative_to: str = "world",
) -> StaticWrench:
    """Compute the wrench at a frame that balances joint efforts: F with Jᵀ F = τ, without gravity.

    This inverts :func:`~linkwright.joint_forces`. If no wrench balances the efforts, the result is the least-squares
    solution; if several do, the smallest.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    frame : str
        Name of the frame.
    tau : array_like, shape (..., nv)
        Efforts.
    reference_frame : str, optional
        Axes of the wrench.
    relative_to : str, optional
        Frame that replaces the world.

    Returns
    -------
    StaticWrench
        Wrench, rank and residual.

    Examples
    --------
    >>> import numpy as np
    >>> import linkwright as lw
    >>> arm = lw.load("planar:3")
    >>> found = lw.static_wrench(arm, [0.0, 0.0, 0.0], "tip", [1.0, 0.5, 0.2])
    >>> np.round(found.wrench, 4) + 0.0
    array([ 0.    ,  0.4   ,  0.    ,  0.    ,  0.    , -0.2333])
    >>> int(found.rank), np.round(found.residual, 4)
    (2, array([ 0.0333, -0.0667,  0.0333]))
    """
    J = _jacobian(model, q, frame, "all", reference_frame, relative_to)
    efforts = as_numbers("tau", tau)
    if efforts.shape[-1:] != (model.nv,):
        raise ShapeError(f"tau has shape {efforts.shape}; expected (…, {model.nv}) for {model.name!r}")
    unproduced, rank = _lost(model, J, "all")
    U, s, Vt = np.linalg.svd(J)
    kept = np.arange(s.shape[-1]) < rank[..., None]
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    n = s.shape[-1]
    try:
        along = (Vt[..., :n, :] @ efforts[..., None])[..., 0]
    except ValueError:
        raise ShapeError(
            f"static_wrench: these batch dimensions do not broadcast: q {J.shape[:-2]}, tau {efforts.shape[:-1]}"
        ) from None
    wrench = (U[..., :, :n] @ (inverse * along)[..., None])[..., 0]
    residual = efforts - (np.swapaxes(J, -1, -2) @ wrench[..., None])[..., 0]
    return StaticWrench(wrench, rank, residual, unproduced)


def _jacobian(
    model: Model, q: Any, frame: str, directions: str | Sequence[str], reference_frame: str, relative_to: str
) -> Array:
    """Return the rows (…, m, nv) of the Jacobian after a check that they are finite numbers."""
    q = numbers_of_sympy(q)
    if is_symbolic(q):
        raise ArgumentError("singular directions and null spaces need numbers; manipulability accepts symbols")
    model.require_numbers("a search of singular directions", placements_only=True)
    rows = rows_of(directions)
    J = _jacobian_of(model, as_numbers("q", q), frame, reference_frame=reference_frame, relative_to=relative_to)
    J = J[..., rows, :]
    if not np.isfinite(J).all():
        raise InputError("q is not finite")
    return J


def _rank(s: Array) -> Array:
    """Return the number of nonzero singular values (…, n)."""
    return (s > RANK * s.max(axis=-1, keepdims=True, initial=0.0)).sum(axis=-1)


def _lost(model: Model, J: Array, directions: str | Sequence[str]) -> tuple[Array, Array]:
    """Return unit wrenches w (…, m, k) with wᵀJ = 0, and the rank."""
    lengths = own_lengths(model, directions)[:, None]
    U, s, _ = np.linalg.svd(lengths * J * scale_of(model).velocities)
    rank = _rank(s)
    return _unit(lengths * _rest(np.swapaxes(U, -1, -2), rank)), rank


def _rest(rows: Array, rank: Array) -> Array:
    """Return a sparse orthonormal basis (…, n, k) of the span of orthonormal rows (…, n, n) after the first ``rank``.

    It consists of the columns of the projection, the longest first, orthogonalized: along coordinate axes if possible.
    """
    n = rows.shape[-1]
    beyond = np.where((np.arange(n) >= rank[..., None])[..., None], rows, 0.0)
    P = np.swapaxes(beyond, -1, -2) @ beyond
    columns = []
    for k in range(n - int(rank.min(initial=n))):
        diagonal = np.diagonal(P, axis1=-2, axis2=-1)
        first = np.argmax(diagonal > (1.0 - 1e-9) * diagonal.max(axis=-1, keepdims=True), axis=-1)[..., None]
        column = np.take_along_axis(P, first[..., None], axis=-1)[..., 0]
        length = np.sqrt(np.take_along_axis(diagonal, first, axis=-1))
        there = (k < n - rank)[..., None]
        column = np.where(there, column / np.where(there, length, 1.0), 0.0)
        P = P - column[..., :, None] * column[..., None, :]
        columns.append(np.where(np.abs(column) < 1e-13, 0.0, column))
    return np.stack(columns, axis=-1) if columns else np.zeros((*rows.shape[:-1], 0))


def _unit(X: Array) -> Array:
    """Return the columns (…, n, k) normalized; zero columns are unchanged."""
    lengths = np.linalg.norm(X, axis=-2, keepdims=True)
    return X / np.where(lengths > 0.0, lengths, 1.0)
