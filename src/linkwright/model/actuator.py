"""Actuators: how the controls of a mechanism become efforts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

import numpy as np

from linkwright.errors import InputError, is_choice

Dynamics = Literal["none", "integrator", "filter", "filterexact"]

Range = tuple[float, float]

ZEROS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Actuator:
    """Actuator of a joint or of a frame, with the meaning of MuJoCo's ``general``.

    With its input w, the length l and the velocity l̇ of its transmission, it exerts the force

        f = (g₀ + g₁ l + g₂ l̇) w + b₀ + b₁ l + b₂ l̇,

    clipped to `force_range`, and the efforts J ᵀ f with l̇ = J v. The input w is the control u, clipped to
    `control_range`, or the activation z that follows it:

    ============== =======================================
    "none"         w = u
    "integrator"   ż = u
    "filter"       ż = (u − z)/T
    "filterexact"  the same, integrated exactly over a step
    ============== =======================================

    Parameters
    ----------
    name : str
        Name of the actuator.
    joint : str, optional
        Name of the joint, or of a part of a compound joint. l is `gear` times its coordinate; for a ball joint `gear`
        (3,) times the rotation vector. For a ball or free joint `gear` (3,) or (6,) are the efforts of f = 1, force in
        world axes and moment in body axes.
    frame : str, optional
        Name of a frame, instead of a joint: f times `gear` (6,) is a wrench [force; moment] in the axes of the frame at
        its origin, and l = 0.
    gear : float or tuple of float, optional
        Gear ratio, or a vector.
    in_parent : bool, optional
        Whether the moments of `gear` of a ball or free joint are in the axes of the parent.
    gain, bias : (float, float, float), optional
        Coefficients g and b: a motor has the gain (1, 0, 0), a position servo (kp, 0, 0) and the bias (0, −kp, −kv), a
        velocity servo (kv, 0, 0) and (0, 0, −kv), a damper the gain (0, 0, −kv).
    dynamics : {"none", "integrator", "filter", "filterexact"}, optional
        Equation of the activation.
    time_constant : float, optional
        Time constant T in s.
    control_range, force_range, activation_range : (float, float), optional
        Ranges to which u, f and z are clipped.
    early : bool, optional
        Whether the activation at the end of the step acts.

    References
    ----------
    MuJoCo documentation, "Computation: actuation model".

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link").with_actuators(
    ...     lw.Actuator("shoulder", "joint1", gear=10.0, control_range=(-1.0, 1.0)),
    ...     lw.Actuator("elbow", "joint2", gain=(50.0, 0.0, 0.0), bias=(0.0, -50.0, -5.0)),
    ... )
    >>> driven = lw.Actuation(controls=[0.5, 0.3])
    >>> lw.simulate(arm, [0.0, 0.0], [0.0, 0.0], 0.5, actuation=driven).q.shape
    (501, 2)
    """

    name: str
    joint: str = ""
    _: KW_ONLY
    frame: str = ""
    gear: float | tuple[float, ...] = 1.0
    in_parent: bool = False
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = ZEROS
    dynamics: Dynamics = "none"
    time_constant: float = 1.0
    control_range: Range | None = None
    force_range: Range | None = None
    activation_range: Range | None = None
    early: bool = False

    def __post_init__(self) -> None:
        who = f"actuator {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"an actuator needs a name; got {self.name!r}")
        if sum(map(bool, self.targets.values())) != 1:
            raise InputError(f"{who} acts on one joint or one frame; got {self.targets}")
        if not is_choice(self.dynamics, get_args(Dynamics)):
            raise InputError(f"{who}: dynamics is one of {', '.join(get_args(Dynamics))}; got {self.dynamics!r}")
        for name, counts in (("gear", (1, 3, 6)), ("gain", (3,)), ("bias", (3,)), ("time_constant", (1,))):
            _finite(f"{who}: {name}", getattr(self, name), counts)
        if not self.time_constant >= 0.0:
            raise InputError(f"{who}: time_constant is not negative, in s; got {self.time_constant!r}")
        for name in ("control_range", "force_range", "activation_range"):
            limits = getattr(self, name)
            if limits is not None and (np.shape(limits) != (2,) or not limits[0] <= limits[1]):
                raise InputError(f"{who}: {name} is (low, high); got {limits!r}")

    @property
    def targets(self) -> Mapping[str, str]:
        """Joint and frame, one of which is empty."""
        return {"joint": self.joint, "frame": self.frame}

    @property
    def has_activation(self) -> bool:
        """Whether the actuator has an activation, which is a state."""
        return self.dynamics != "none"

    @property
    def gears(self) -> tuple[float, ...]:
        """Gear ratio as a tuple."""
        return tuple(np.ravel(self.gear).tolist())


def _finite(what: str, x: Any, counts: tuple[int, ...]) -> None:
    try:
        numbers = np.asarray(x, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.size not in counts or not np.isfinite(numbers).all():
        wanted = " or ".join("one number" if n == 1 else f"{n} numbers" for n in counts)
        raise InputError(f"{what} is {wanted}, finite; got {x!r}")


def activation_count(actuators: Iterable[Actuator]) -> int:
    """Return the number of activations."""
    return sum(actuator.has_activation for actuator in actuators)
