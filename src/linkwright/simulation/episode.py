"""Episodes of a rollout: rewards, termination, resets, and recorded quantities."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from linkwright.bounds import not_negative
from linkwright.errors import ArgumentError, explained, names_given

KEPT = ("q", "v", "tau", "reward", "state")
"""Quantities that can be recorded."""


@explained
@dataclass(frozen=True, eq=False, kw_only=True)
class Episode:
    """Describe the episodes of a rollout: reward, termination, reset, and recorded quantities.

    Functions are compiled with the steps. Numbers bound to them by :func:`functools.partial` are the same for all
    motions, unless ``Actuation(each=…)`` names them.

    Parameters
    ----------
    reward : callable, optional
        ``reward(model, t, q, v, tau) -> number`` of each step: t, q, v after the step, tau what acted over it. A
        mapping {name: number} is the sum of its terms, which batches and environments report by name.
    discount : float, optional
        Factor of the reward for each step before it; 1 by default.
    terminate : callable, optional
        ``terminate(model, t, q, v) -> condition`` after each step. Where it holds, the motion ends, keeps its state
        and earns no more reward.
    reset : {"start"} or callable, optional
        Where a motion that ended begins again: "start", at its q0 and v0, or
        ``reset(model, q0, v0, random) -> (q, v)`` with ``random.uniform(low, high, shape)`` and
        ``random.normal(scale, shape)``. The state of the controller and the time begin again too. In environments it
        may return ``(q, v, values)``, see :class:`linkwright.gymnasium.VectorEnv`.
    keep : collection of {"q", "v", "tau", "reward", "state"}, optional
        Quantities recorded at every sample: ``tau`` is the effort of the step before, ``reward`` the sum since the
        sample before, ``state`` that of the controller.

    Examples
    --------
    >>> import linkwright as lw
    >>> def upright(model, t, q, v, tau):
    ...     return -(q @ q)
    >>> task = lw.Episode(reward=upright, discount=0.999)
    """

    reward: Callable[..., Any] | None = None
    discount: float = 1.0
    terminate: Callable[..., Any] | None = None
    reset: Callable[..., Any] | str | None = None
    keep: Collection[str] = ("q", "v")

    def __post_init__(self) -> None:
        if unknown := [name for name in self.names if name not in KEPT]:
            raise ArgumentError(f"keep names what is kept, of {', '.join(KEPT)}; got {unknown[0]!r}")
        not_negative("discount", self.discount)
        if isinstance(self.reset, str) and self.reset != "start":
            raise ArgumentError(f"reset is 'start' or a function (model, q0, v0, random) -> (q, v); got {self.reset!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the recorded quantities."""
        return names_given("keep", self.keep)
