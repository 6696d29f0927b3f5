"""The nearest point within limits: a quadratic program for `daqp`, warm-started from the previous one."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import MissingExtraError
from linkwright.spatial.arrays import Array

TOLERANCE = 1e-8
"""By how much limits may be passed, of rows of length one."""

SOFT = 8
"""The solver's code for soft constraints."""

YIELDING = 1e-8
"""Weight of the violation of soft constraints."""


def _solver() -> Any:
    try:
        import daqp
    except ImportError:
        raise MissingExtraError("quadratic programs need the package daqp: pip install 'linkwright[qp]'") from None
    return daqp


class Nearest:
    """Solve a sequence of problems of one size: z (n,) of least |z − g| with lower ≤ A z ≤ upper."""

    def __init__(self) -> None:
        self._model: Any = None

    def __call__(self, A: Array, g: Array, lower: Array, upper: Array) -> tuple[Array | None, int]:
        """Return z and the number of iterations of the solver; None if the problem is infeasible."""
        if not len(A):
            return g, 0
        if self._model is None:
            self._model = _solver().Model()
            self._model.settings = {"eps_prox": 0.0, "primal_tol": TOLERANCE}
            flag, _ = self._model.setup(np.eye(len(g)), -g, A, upper, lower)
        else:
            flag = self._model.update(None, -g, A, upper, lower)
        if flag >= 0:
            z, _, flag, info = self._model.solve()
            if flag > 0:
                return z, info["iterations"]
        self._model = None  # no warm start from where it stopped
        return None, 0


def nearest_with_soft(A: Array, g: Array, lower: Array, upper: Array, soft: Array) -> Array | None:
    """Return z where soft rows (m,) may violate their limits as little as necessary; None if infeasible."""
    sense = np.where(soft, SOFT, 0).astype(np.int32)
    z, _, flag, _ = _solver().solve(
        np.eye(len(g)), -g, A, upper, lower, sense, eps_prox=0.0, primal_tol=TOLERANCE, rho_soft=YIELDING
    )
    return z if flag > 0 else None
