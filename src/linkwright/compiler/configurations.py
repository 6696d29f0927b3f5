"""Functions of several configurations, composed of ``integrate`` and ``difference``: for batches and symbols."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.public import public
from linkwright.dynamics.closed_loops.closure import steps_to_closed
from linkwright.dynamics.closed_loops.rows import loop_groups
from linkwright.errors import InputError, ShapeError
from linkwright.model.memo import derived, identity
from linkwright.model.requirement import takes_model, takes_numeric_model
from linkwright.model.tree import Model
from linkwright.provided import accepts_sympy
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, numbers_or_symbols

_integrate, _difference = public(dynamics.integrate), public(dynamics.difference)

ROUNDS = 100
"""Steps to a mean at most; each leaves a part of the error that shrinks with the spread of what is averaged."""

NEAR = 1e-12
"""m or rad: a step of less than this, of the spread too, is the last."""


@accepts_sympy
@takes_model
def interpolate(model: Model, q0: ArrayLike, q1: ArrayLike, s: ArrayLike) -> Array:
    """Interpolate between configurations along the geodesic: q0 ⊕ s (q1 ⊖ q0).

    Plain coordinates are interpolated linearly, rotations with constant angular velocity, poses along a screw.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0, q1 : array_like, shape (..., nq)
        Configurations at s = 0 and s = 1.
    s : float or array_like, shape (...)
        Parameter; values outside [0, 1] extrapolate.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.interpolate(arm, [0.0, 1.0], [1.0, 2.0], [0.0, 0.5, 1.0])[:, 0].tolist()
    [0.0, 0.5, 1.0]
    """
    part = numbers_or_symbols("s", s)
    return _integrate(model, q0, part[..., None] * _difference(model, q0, q1))  # type: ignore[no-any-return, arg-type]


@takes_model
def close_loops(model: Model, initial_guess: ArrayLike, fixed: Iterable[str] = ()) -> Array:
    """Find a configuration near a guess in which all loops are closed, to 1e-10 (usually to 1e-14).

    Levenberg–Marquardt on the configuration manifold, with steps of minimum norm. Lengths are relative to that of the
    mechanism, rotations in rad. Joint limits are ignored. Batches of mechanisms that are not too large are compiled.

    Parameters
    ----------
    model : Model
        Mechanism.
    initial_guess : array_like, shape (..., nq)
        Initial guess.
    fixed : iterable of str, optional
        Names of joints that keep their coordinates.

    Returns
    -------
    ndarray, shape (..., nq)
        Configuration.

    Raises
    ------
    ClosureError
        If none is found; the message states the remaining error.
    """
    names: Any = fixed if isinstance(fixed, str) or not isinstance(fixed, Iterable) else tuple(fixed)
    size = np.shape(initial_guess if is_symbolic(initial_guess) else as_numbers("initial_guess", initial_guess))
    if (
        not isinstance(model, Model)
        or not isinstance(names, tuple)
        or len(size) < 2
        or not 0 < model.nv + sum(len(one.rows) for one in loop_groups(model)) <= LARGE
    ):
        return dynamics.close_loops(model, initial_guess, names)
    dynamics.check(model, initial_guess)
    rows = as_numbers("initial_guess", initial_guess).reshape(-1, model.nq)

    def compiled() -> Kernel:
        return compile(lambda model, q: steps_to_closed(model, q, names), model, q=model.nq)

    q, left = derived(model, identity(close_loops), names, make=compiled)(rows)
    for k in np.flatnonzero(~(left <= EXACT)):  # near singular postures squares of the rows are too inaccurate
        q[k] = dynamics.close_loops(model, rows[k], names)
    return np.reshape(q, size)


EXACT = 1e-12
"""Largest error after compiled closing to rounding."""

LARGE = 120
"""Velocities and rows of loops, together, of what is too large for that."""


@takes_numeric_model()
def mean_configuration(model: Model, q: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Compute the mean of configurations: the least sum of squared distances (Karcher mean).

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (n, nq)
        Configurations.
    weights : array_like, shape (n,), optional
        Weights, not negative. By default equal.

    Returns
    -------
    ndarray, shape (nq,)
        Mean.

    Raises
    ------
    InputError
        If the iteration does not converge; it does for rotations within a quarter turn of each other.
    """
    rows = as_numbers("q", q)
    if rows.ndim != 2 or rows.shape[1] != model.nq or not len(rows):
        raise ShapeError(f"the mean is of configurations (n, {model.nq}), one or more; got shape {rows.shape}")
    w = np.ones(len(rows)) if weights is None else as_numbers("weights", weights)
    if w.shape != (len(rows),) or not (w >= 0.0).all() or not 0.0 < w.sum() < np.inf:
        raise InputError(f"weights are {len(rows)} numbers, not negative and not all zero; got {weights!r}")
    w = w / w.sum()
    mean = rows[int(np.argmax(w))]
    for _ in range(ROUNDS):
        apart = _difference(model, mean, rows)
        step = w @ apart
        mean = _integrate(model, mean, step)
        if np.abs(step).max(initial=0.0) <= NEAR * (1.0 + np.abs(apart).max(initial=0.0)):
            return mean
    raise InputError(
        f"the mean of these {len(rows)} configurations is not found in {ROUNDS} steps: they lie too far apart"
    )
