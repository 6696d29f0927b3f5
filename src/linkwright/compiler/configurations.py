"""Between configurations: made of ``integrate`` and ``difference``, on any batch, on symbols, in users' functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.public import public
from linkwright.dynamics.closed_loops.closure import steps_to_closed
from linkwright.dynamics.closed_loops.rows import loop_groups
from linkwright.errors import InputError, ShapeError
from linkwright.model.derived import derived, identity
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

_integrate, _difference = public(dynamics.integrate), public(dynamics.difference)

ROUNDS = 100
"""Steps to a mean at most; each leaves a part of the error that shrinks with the spread of what is averaged."""

NEAR = 1e-12
"""m or rad: a step of less than this, of the spread too, is the last."""


@takes_model
def interpolate(model: Model, q0: Any, q1: Any, s: Any) -> Array:
    """The configuration (…, nq) a part ``s`` of the way from q0 to q1, at s = 0 and 1 these: q0 ⊕ s (q1 ⊖ q0).

    The shortest way: of plain coordinates straight, of rotations at constant angular velocity, of free bodies along a
    screw. ``s`` (…) broadcasts with the leading dimensions of q0 and q1, and may lie beyond 0 and 1.

    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.interpolate(arm, [0.0, 1.0], [1.0, 2.0], [0.0, 0.5, 1.0])[:, 0].tolist()
    [0.0, 0.5, 1.0]
    """
    part = np.asarray(s) if is_symbolic(s) else as_numbers("s", s)
    return _integrate(model, q0, part[..., None] * _difference(model, q0, q1))  # type: ignore[no-any-return]


@takes_model
def close_loops(model: Model, initial_guess: Any, fixed: Iterable[str] = ()) -> Array:
    """A configuration (…, nq) near the guess in which all loops are closed (to 1e-10, mostly to 1e-14).

    Levenberg and Marquardt's method on the configuration manifold, with steps of least norm. Lengths are counted in
    the mechanism's own (`model/scale.py`), turns in rad: what is closed is so at any size. The joints named in
    ``fixed`` stay where they are. Limits are not looked at. Batches of a mechanism that is not too large are closed by
    machine code. Raises :class:`~linkwright.errors.ClosureError`, which tells what is left open, where none is found.
    """
    names: Any = fixed if isinstance(fixed, str) or not isinstance(fixed, Iterable) else tuple(fixed)
    size = np.shape(initial_guess)
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
    for k in np.flatnonzero(~(left <= EXACT)):  # beside singular postures squares of the rows tell too little
        q[k] = dynamics.close_loops(model, rows[k], names)
    return np.reshape(q, size)


EXACT = 1e-12
"""What is open at most where machine code has closed the loops to rounding."""

LARGE = 120
"""Velocities and rows of loops, together, of what is too large for that."""


@takes_model
def mean_configuration(model: Model, q: Any, weights: Any = None) -> Array:
    """The configuration (nq,) to which those of q (n, nq) have the least sum of squared distances (Karcher's mean).

    Of plain coordinates their mean; of rotations found by steps, which converge where these are within a quarter turn
    of each other. ``weights`` (n,) are not negative; equal unless given. Raises :class:`InputError` where it does not
    converge.
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
