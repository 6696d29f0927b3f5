"""Actuators: how the controls of a mechanism become efforts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from linkwright.errors import InputError, explained, is_choice
from linkwright.model.parts.tendon import Tendon, coefficients_of, frames_of, renamed_tendon, tendon_problem

Dynamics = Literal["none", "integrator", "filter", "filterexact", "muscle"]

Range = tuple[float, float]

ZEROS = (0.0, 0.0, 0.0)


@explained
@dataclass(frozen=True)
class Muscle:
    """Muscle of an actuator: its force by length, velocity and activation.

    With the optimal length L₀, normalized length L and velocity V, the activation z and the peak force F, a muscle
    exerts −F (z f_L(L) f_V(V) + f_P(L)); the curves are MuJoCo's.

    Parameters
    ----------
    force : float
        Peak active force in N.
    length_range : (float, float)
        Lengths of the actuator at the ends of the `operating_range`.
    operating_range : (float, float), optional
        Normalized lengths at these ends.
    active_range : (float, float), optional
        Normalized lengths between which the active force is not zero.
    fastest : float, optional
        Shortening velocity in L₀/s at which the active force is zero.
    passive_force : float, optional
        Passive force at the upper end of the `active_range` in peak forces.
    lengthening_force : float, optional
        Active force at the fastest lengthening in peak forces.
    activation_times : (float, float), optional
        Time constants of activation and deactivation in s.
    smoothing : float, optional
        Width of the transition between both time constants.

    References
    ----------
    Millard, Uchida, Seth & Delp, *J. Biomech. Eng.* 135 (2013); MuJoCo documentation, "Muscle actuators".

    Examples
    --------
    >>> import linkwright as lw
    >>> flexor = lw.Actuator("flexor", "joint2", gear=0.03, dynamics="muscle", muscle=lw.Muscle(500.0, (-0.03, 0.06)))
    """

    force: float
    length_range: Range
    operating_range: Range = (0.75, 1.05)
    active_range: Range = (0.5, 1.6)
    fastest: float = 1.5
    passive_force: float = 1.3
    lengthening_force: float = 1.2
    activation_times: Range = (0.01, 0.04)
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        for name in ("length_range", "operating_range", "active_range", "activation_times"):
            _finite(f"{name} of a muscle", getattr(self, name), (2,))
        for name in ("force", "fastest", "passive_force", "lengthening_force", "smoothing"):
            _finite(f"{name} of a muscle", getattr(self, name), (1,))
        for name in ("length_range", "operating_range", "active_range"):
            low, high = getattr(self, name)
            if not low < high:
                raise InputError(f"{name} of a muscle is (low, high); got {getattr(self, name)!r}")


@explained
@dataclass(frozen=True)
class Actuator:
    """Actuator of a joint, a tendon or a frame, with the meaning of MuJoCo's ``general``.

    With its input w, the length l and the velocity l̇ of its transmission, it exerts the force

        f = (g₀ + g₁ l + g₂ l̇) w + b₀ + b₁ l + b₂ l̇,

    clipped to `force_range`, and the efforts J ᵀ f with l̇ = J v. The input w is the control u, clipped to
    `control_range`, or the activation z that follows it:

    ============== =======================================
    "none"         w = u
    "integrator"   ż = u
    "filter"       ż = (u − z)/T
    "filterexact"  the same, integrated exactly over a step
    "muscle"       that of the `muscle`
    ============== =======================================

    Parameters
    ----------
    name : str
        Name of the actuator.
    joint : str, optional
        Name of the joint, or of a part of a compound joint. l is `gear` times its coordinate; for a ball joint `gear`
        (3,) times the rotation vector. For a ball or free joint `gear` (3,) or (6,) are the efforts of f = 1, force in
        world axes and moment in body axes.
    tendon : tuple, optional
        Tendon, instead of a joint: ((joint, coefficient), …) of joints, whose length is the sum of coefficients times
        coordinates; or (frame, frame, …), straight from origin to origin, or around a :class:`Wrap` between two frames.
        l is `gear` times its length.
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
    dynamics : {"none", "integrator", "filter", "filterexact", "muscle"}, optional
        Equation of the activation.
    time_constant : float, optional
        Time constant T in s.
    control_range, force_range, activation_range : (float, float), optional
        Ranges to which u, f and z are clipped.
    early : bool, optional
        Whether the activation at the end of the step acts.
    muscle : Muscle, optional
        Muscle, instead of gain and bias.

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
    tendon: Tendon = ()
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
    muscle: Muscle | None = None

    def __post_init__(self) -> None:
        who = f"actuator {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"an actuator needs a name; got {self.name!r}")
        if sum(map(bool, self.targets.values())) != 1:
            raise InputError(f"{who} acts on one joint, tendon or frame; got {self.targets}")
        if self.tendon and (problem := tendon_problem(self.tendon)):
            raise InputError(f"{who}: {problem}; got {self.tendon}")
        if not is_choice(self.dynamics, get_args(Dynamics)):
            raise InputError(f"{who}: dynamics is one of {', '.join(get_args(Dynamics))}; got {self.dynamics!r}")
        for name, counts in (("gear", (1, 3, 6)), ("gain", (3,)), ("bias", (3,)), ("time_constant", (1,))):
            _finite(f"{who}: {name}", getattr(self, name), counts)
        if self.dynamics == "muscle" and self.muscle is None:
            raise InputError(f"{who}: dynamics='muscle' is that of a muscle, and none is given: muscle=lw.Muscle(…)")
        if not self.time_constant >= 0.0:
            raise InputError(f"{who}: time_constant is not negative, in s; got {self.time_constant!r}")
        for name in ("control_range", "force_range", "activation_range"):
            limits = getattr(self, name)
            if limits is not None and (np.shape(limits) != (2,) or not limits[0] <= limits[1]):
                raise InputError(f"{who}: {name} is (low, high); got {limits!r}")

    @property
    def targets(self) -> Mapping[str, Any]:
        """Joint, tendon and frame, of which one is not empty."""
        return {"joint": self.joint, "tendon": self.tendon, "frame": self.frame}

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that are named: its own, or those of a tendon."""
        return (self.joint,) if self.joint else tuple(name for name, _ in self.coefficients)

    @property
    def coefficients(self) -> tuple[tuple[str, float], ...]:
        """Joints of a tendon of joints, with their coefficients."""
        return coefficients_of(self.tendon)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames that are named: its own, or those of a tendon."""
        return (self.frame,) if self.frame else frames_of(self.tendon)

    def renamed(self, name: Callable[[str], str], frame: Callable[[str], str]) -> Actuator:
        """Change the names.

        Parameters
        ----------
        name, frame : callable
            Functions of the name of an actuator or joint, and of a frame.

        Returns
        -------
        Actuator
            Actuator with other names.
        """
        tendon = renamed_tendon(self.tendon, name, frame)
        joint, at = self.joint and name(self.joint), self.frame and frame(self.frame)
        return replace(self, name=name(self.name), joint=joint, tendon=tendon, frame=at)

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
