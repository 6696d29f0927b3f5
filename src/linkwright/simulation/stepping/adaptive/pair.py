"""Pairs of Runge–Kutta methods: one that is followed, one that tells its error, and what is between its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Embedded:
    """An explicit method whose last stage is at the end of its step: the first of the next."""

    order: int
    stages: tuple[tuple[float, ...], ...]
    """stage i starts from the rates of earlier stages weighted by row i; the last row is the method"""
    errors: tuple[float, ...]
    """by which rates tell the error of a step: the weights less those of the method of lower order"""
    between: tuple[tuple[float, ...], ...]
    """of each stage the weights of θ, θ², …: what has been gone after the part θ of a step"""
    stability: float = np.inf
    """it takes steps that are short enough"""

    @property
    def times(self) -> tuple[float, ...]:
        """Where in a step its stages are: 0 at its beginning, 1 at its end."""
        return tuple(float(sum(row)) for row in self.stages)


DORMAND_PRINCE = Embedded(
    5,
    (
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
    (
        (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)
"""Order 5 with an error of order 4 (Dormand & Prince 1980), between the ends of order 4 (Shampine 1986)."""
