"""The point nearest to another within limits: a quadratic program as `daqp` takes it, started from the last one."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import MissingExtraError
from linkwright.spatial.arrays import Array

TOLERANCE = 1e-8
"""By how much limits may be passed, of rows of length one."""

SOFT = 8
"""What the solver calls rows that may pass their limits where they must."""

YIELDING = 1e-8
"""How soft these are: by how much they give way beside what else is asked for."""


def _solver() -> Any:
    try:
        import daqp
    except ImportError:
        raise MissingExtraError("quadratic programs need the package daqp: pip install 'linkwright[qp]'") from None
    return daqp


class Nearest:
    """The z (n,) with the least |z − g| and lower ≤ A z ≤ upper, of problems of one size, one after the other."""

    def __init__(self) -> None:
        self._model: Any = None

    def __call__(self, A: Array, g: Array, lower: Array, upper: Array) -> tuple[Array | None, int]:
        """z and the solver's iterations; None where there is none."""
        if not len(A):
            return g, 0
        if self._model is None:
            self._model = _solver().Model()
            self._model.settings = {"eps_prox": 0.0, "primal_tol": TOLERANCE}
            flag, _ = self._model.setup(np.eye(len(g)), -g, A, upper, lower)
        else:
            flag = self._model.update(None, -g, A, upper, lower)
        if flag >= 0:
            z, _, flag, told = self._model.solve()
            if flag > 0:
                return z, told["iterations"]
        self._model = None  # where it stopped is no place to start from
        return None, 0


def nearest_with_soft(A: Array, g: Array, lower: Array, upper: Array, soft: Array) -> Array | None:
    """The same where some rows (m,) may pass their limits as little as they must; None where there is none."""
    sense = np.where(soft, SOFT, 0).astype(np.int32)
    z, _, flag, _ = _solver().solve(
        np.eye(len(g)), -g, A, upper, lower, sense, eps_prox=0.0, primal_tol=TOLERANCE, rho_soft=YIELDING
    )
    return z if flag > 0 else None
