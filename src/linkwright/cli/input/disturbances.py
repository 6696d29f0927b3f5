"""The options --drop and --push of ``linkwright simulate``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from linkwright.errors import InputError, ModelError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, where

DROP = 0.5
"""m"""

PUSH_TIME, PUSH_LASTS = 1.0, 0.1
"""Begin and duration of the push, s."""

PUSH = (0.6, 0.27, 0.0)
"""Default impulse divided by the mass, m/s."""


@dataclass(frozen=True)
class TimedForce:
    """A force on a link for a limited time."""

    frame: str
    impulse: Array
    """(3,), N s, world axes"""

    @property
    def wrenches(self) -> Callable[..., dict[str, Array]]:
        """The external forces for ``simulate``."""
        return partial(_pushing, frame=self.frame, force=self.impulse / PUSH_LASTS)


def _pushing(model: Model, t: Any, q: Array, v: Array, force: Array, frame: str) -> dict[str, Array]:
    acts = where((t >= PUSH_TIME - 1e-9) & (t < PUSH_TIME + PUSH_LASTS - 1e-9), 1.0, 0.0)
    return {frame: np.concatenate([acts * force, np.zeros(3)])}


def numbers(option: str, given: Sequence[str] | None, robot: str | None) -> list[float] | None:
    """Return the numbers after an option. The error for a robot name after an option explains the order."""
    found = []
    for word in given or ():
        try:
            found.append(float(word))
        except ValueError:
            several = word.replace(",", " ").split()
            hint = f"; separate them by spaces: {option} {' '.join(several)}" if len(several) > 1 else ""
            if robot is None and not hint:
                hint = f"; the robot comes first: linkwright simulate {word} {option}"
            raise InputError(f"{option} expects numbers; got {word!r}{hint}") from None
    return None if given is None else found


def dropped(words: Sequence[str] | None, robot: str | None) -> float:
    """Return the height of --drop, m."""
    given = numbers("--drop", words, robot)
    if given is None:
        return 0.0
    if len(given) > 1 or not all(0.0 < x < np.inf for x in given):
        raise InputError(f"--drop expects one height above 0 m; got {' '.join(f'{x:g}' for x in given)}")
    return given[0] if given else DROP


def pushed(model: Model, words: Sequence[str] | None, robot: str | None) -> TimedForce | None:
    """Return the force of --push: default, N s sideways, or N s along x, y and z."""
    given = numbers("--push", words, robot)
    if given is None:
        return None
    if not np.isfinite(given).all():
        raise InputError(f"--push expects finite numbers, N s; got {' '.join(f'{x:g}' for x in given)}")
    if len(given) not in (0, 1, 3):
        raise InputError(
            f"--push expects no number, one (N s sideways) or three (N s along x, y and z); got {len(given)} numbers"
        )
    if not model.joints:
        raise ModelError(f"{model.name!r} has no joints; --push needs a joint")
    frame = next((j.child for j in model.joints if j.motion.floating), model.joints[-1].child)
    mass = sum(body.mass for body in model.bodies)
    x = [mass * each for each in PUSH] if not given else [0.0, given[0], 0.0] if len(given) == 1 else list(given)
    return TimedForce(frame, np.array(x))
