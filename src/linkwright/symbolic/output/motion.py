"""Motion from the equations: the generated right-hand side in Python, integrated by SciPy.

By DOP853, Dormand and Prince's explicit method of order eight (Hairer, Nørsett & Wanner 1993, §II.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics import check
from linkwright.errors import InputError, MissingExtraError, ShapeError
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.symbolic.result import Equations


def motion_of(made: Equations, q0: Any, v0: Any, t: Any, tolerance: float = 1e-12) -> tuple[Array, Array]:
    """Return coordinates (n, nq) and velocities (n, nv) at the times t (n,), from q0 (nq,) and v0 (nv,) at the first.

    ``tolerance``, relative and absolute, is that of every step. Raises :class:`InputError` if the integration stops
    before the last time, and :class:`MissingExtraError` without SciPy. Exceptions, interrupts too, have the computed
    part as their attribute ``computed``, (q, v).
    """
    try:
        from scipy.integrate import DOP853
    except ImportError:
        raise MissingExtraError("motion from the generated equations needs SciPy: pip install scipy") from None

    nq, nv = len(made.coordinates.q), len(made.coordinates.v)
    q0, v0, times = (np.asarray(x, dtype=float) for x in (q0, v0, t))
    check(made.model, q0)
    if q0.shape != (nq,) or v0.shape != (nv,):
        raise ShapeError(f"q0 has shape ({nq},) and v0 ({nv},); got {q0.shape} and {v0.shape}")
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise InputError("t has one or more times, finite and increasing")
    if not np.isfinite(v0).all():
        raise InputError("v0 is not finite")
    scope: dict[str, Any] = {}
    exec(made.python("rhs"), scope)  # our own source
    (rate,) = (value for name, value in scope.items() if name.endswith("_rhs"))
    found = np.empty((len(times), nq + nv))
    found[0] = np.concatenate([q0, v0])
    there = 1
    try:
        solver = DOP853(lambda t, y: rate(t, y.tolist()), times[0], found[0], times[-1], rtol=tolerance, atol=tolerance)
        while there < len(times):
            message = solver.step()
            if solver.status == "failed":
                raise InputError(f"the motion cannot be followed beyond t = {solver.t:g} s: {message}")
            after = int(np.searchsorted(times, solver.t, side="right"))
            if after > there:
                found[there:after] = solver.dense_output()(times[there:after]).T
                there = after
    except BaseException as error:
        error.computed = found[:there, :nq], found[:there, nq:]  # type: ignore[attr-defined]
        raise
    return found[:, :nq], found[:, nq:]
