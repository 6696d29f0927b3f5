"""The setup of a run: three option objects, which every function that moves a mechanism accepts.

:class:`Integrator` selects the method of integration and the constraints that it enforces, :class:`Actuation` describes
the path from a controller to the joints, :class:`Surroundings` the wrenches around the mechanism.
Each object checks what does not depend on the model; :mod:`linkwright.simulation.preparation` checks the rest.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

from numpy.typing import ArrayLike

from linkwright.bounds import not_negative, truth
from linkwright.compiler.native.threads import checked_threads
from linkwright.compiler.precision import checked_precision
from linkwright.dynamics.closed_loops.stabilization import Gains, checked_gains
from linkwright.dynamics.impulses.impulse_solver import Solver
from linkwright.errors import ArgumentError, InputError, explained, names_given
from linkwright.simulation.actuation.external_forces import Wrenches
from linkwright.simulation.actuation.servos import Servos
from linkwright.simulation.episode import Episode
from linkwright.simulation.integrators.methods import EmbeddedPair, IntegrationMethod, Method, Variational, method_of
from linkwright.spatial.arrays import as_numbers

F = TypeVar("F", bound=Callable[..., Any])
O = TypeVar("O")

TOLERANCE = 1e-8
"""Default tolerance of methods with adaptive steps."""


@dataclass(frozen=True, eq=False)
class Integrator:
    """Select the method of integration and the constraints that it enforces.

    Parameters
    ----------
    method : {"rk4", "midpoint", "euler", "semi_implicit", "dopri5", "variational"}, optional
        "rk4", "midpoint" and "euler" are Runge–Kutta methods on the configuration manifold. "semi_implicit" is of
        order one and stable with stiff dampers, friction and springs, which it damps; contacts, joint limits and
        servos act by impulses in its steps. "dopri5" is the pair of orders five and four of Dormand and Prince; it
        chooses its steps, and ``step`` is the time between samples. "variational" is the variational midpoint rule:
        implicit, of order two and symplectic. The default is "semi_implicit" where contacts, joint limits or servos
        act, or where passive forces are too stiff for explicit steps, and "rk4" otherwise.
    tolerance : float or array_like, shape (...), optional
        Error that a step of "dopri5" may add, relative to 1 rad or the length of the mechanism; 1e-8 by default. Of
        a batch each motion may have its own.
    joint_limits : bool, optional
        Whether joints stay within their limits, by impulses in steps of "semi_implicit".
    solver : Solver, optional
        Accuracy of the impulses.
    stabilization : (float, float), optional
        Baumgarte's gains (α, β) of closed loops, as in :func:`~linkwright.forward_dynamics`.
    projection : bool, optional
        Whether configuration and velocity are projected on the closed loops after each step.
    threads : int, optional
        Number of threads of a rollout; by default that of :func:`~linkwright.compile`.
    precision : {"double", "single"}, optional
        Precision of the steps of a rollout or an environment. With "single" the steps are computed in float32, with
        twice as many motions at once, and results are float32: see the topic "Single precision".
    progress : callable, optional
        Function of the fraction done, called by :func:`~linkwright.simulate` between steps.

    References
    ----------
    Hairer, Nørsett & Wanner, *Solving Ordinary Differential Equations I* (1993), II.5 (Dormand–Prince); Marsden &
    West, *Acta Numerica* (2001) (variational integrators); Stewart & Trinkle, *IJNME* 39 (1996) (impulses).

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> precise = lw.Integrator("dopri5", tolerance=1e-10)
    >>> lw.simulate(arm, [0.5, 0.5], [0.0, 0.0], 1.0, method=precise).q.shape
    (1001, 2)
    """

    method: IntegrationMethod | None = None
    _: KW_ONLY
    tolerance: ArrayLike | None = None
    joint_limits: bool = False
    solver: Solver | None = None
    stabilization: Gains | None = None
    projection: bool = True
    threads: int | None = None
    precision: Literal["double", "single"] = "double"
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        chosen = self.chosen
        if self.tolerance is not None:
            if not isinstance(chosen, EmbeddedPair):
                raise InputError(
                    f"tolerance is for methods that choose their steps, 'dopri5'; the method is {self.method!r}"
                )
            found = as_numbers("tolerance", self.tolerance)
            if not ((found >= 1e-15) & (found < 1.0)).all():
                raise InputError(f"tolerance is from 1e-15 to less than 1; got {self.tolerance!r}")
        truth("joint_limits", self.joint_limits)
        truth("projection", self.projection)
        if self.solver is not None and not isinstance(self.solver, Solver):
            raise ArgumentError(f"solver is lw.Solver(…); got {self.solver!r}")
        if checked_gains(self.stabilization) is not None and isinstance(chosen, Variational):
            raise InputError("stabilization is not for method 'variational', which closes loops at every step")
        if self.threads is not None:
            checked_threads("threads", self.threads)
        if checked_precision(self.precision) != "double" and isinstance(chosen, EmbeddedPair):
            raise InputError(
                f"precision={self.precision!r} is for steps of one length; the error estimates of {self.method!r} need "
                "double precision"
            )
        if self.progress is not None and not callable(self.progress):
            raise ArgumentError(f"progress is a function of the fraction done; got {self.progress!r}")

    def require_double(self, function: str) -> None:
        """Raise an error for a function of double precision only.

        Parameters
        ----------
        function : str
            Name of the function in the message.

        Raises
        ------
        InputError
            If ``precision`` is "single".
        """
        if self.precision != "double":
            raise InputError(
                f"{function} computes in double precision only; precision={self.precision!r} is an option of "
                "lw.rollout, which records samples with every=…, and of environments"
            )

    @property
    def chosen(self) -> Method:
        """Method of that name, or "rk4" where none is named."""
        return method_of("rk4" if self.method is None else self.method)


@explained
@dataclass(frozen=True, eq=False, kw_only=True)
class Actuation:
    """Describe the path from a controller to the joints; all of it is compiled with the steps.

    Parameters
    ----------
    initial_state : array_like, tuple or dict, optional
        Initial state of a controller with a state; by default the controller's own.
    each : collection of str, optional
        Names of the values bound to the controller and to other functions that are given for each motion of a batch,
        with shape (..., *shape). "state" stands for ``initial_state``.
    evaluated_at : {"step", "stages"}, optional
        Whether the controller is evaluated at the beginning of a step, and its efforts held, or at every stage of a
        Runge–Kutta method, which keeps the order of the method.
    period : float, optional
        Sampling period in s, a whole number of steps; efforts are held in between.
    delay : float, optional
        Time in s, a whole number of steps, until efforts act.
    lag : float or array_like, shape (nv,), optional
        Time constant of first-order drives in s.
    gear : float or array_like, shape (nv,), optional
        Gear ratio: the efforts of the controller are those of motors, and act times this ratio.
    effort_limits : bool, float or array_like, shape (nv,), optional
        Limits of the efforts; True: those of the joints.
    velocity_limits : bool, float or array_like, shape (nv,), optional
        Velocities beyond which drives do not accelerate a joint; True: those of the joints. Efforts fade over the last
        twentieth before the limit.
    noise : mapping, optional
        Standard deviations of the normal noise of measurements: {"q": …, "v": …, "wrench": …}, numbers, (nv,) or (6,).
    seed : int or array_like of int, shape (...), optional
        Seed of the noise, and of random resets of a rollout.
    controls : bool or array_like, shape (nu,) or (..., nu), optional
        Constant controls of the model's actuators (``model.actuators``), for each motion of a batch where given; True:
        the controller returns them, (nu,), instead of efforts. Controls are held over a step, and the forces of the
        actuators act at every stage of it, as in MuJoCo. Without it actuators do not act.
    activations : array_like, shape (na,) or (..., na), optional
        Initial activations of actuators; zeros by default.
    servos : Servos, optional
        Position or velocity servos: the controller returns their targets. Their springs and dampers act within each
        step of "semi_implicit", stable however stiff.

    Examples
    --------
    >>> import linkwright as lw
    >>> late = lw.Actuation(period=0.01, delay=0.002, effort_limits=True)
    """

    initial_state: Any = None
    each: Collection[str] = ()
    evaluated_at: Literal["step", "stages"] = "step"
    period: float | None = None
    delay: float = 0.0
    lag: ArrayLike = 0.0
    gear: ArrayLike | None = None
    effort_limits: ArrayLike = False
    velocity_limits: ArrayLike = False
    noise: Mapping[str, Any] | None = None
    seed: ArrayLike = 0
    controls: ArrayLike = False
    activations: ArrayLike | None = None
    servos: Servos | None = None

    def __post_init__(self) -> None:
        names_given("each", self.each)
        if self.evaluated_at not in ("step", "stages"):
            raise InputError(f"evaluated_at is 'step' or 'stages'; got {self.evaluated_at!r}")
        for name, time in (("period", self.period), ("delay", self.delay)):
            if time is not None:
                not_negative(name, time, "s")
        if self.noise is not None and not (
            isinstance(self.noise, Mapping) and self.noise and set(self.noise) <= {"q", "v", "wrench"}
        ):
            raise ArgumentError(f"noise is {{'q': …, 'v': …, 'wrench': …}}, standard deviations; got {self.noise!r}")
        if self.is_of_actuators:
            self._require_actuators_alone()
        elif self.activations is not None:
            raise ArgumentError("activations are those of actuators, which act where controls are given: controls=…")
        if self.servos is not None and not isinstance(self.servos, Servos):
            raise ArgumentError(f"servos is lw.Servos(stiffness, damping); got {self.servos!r}")

    @property
    def is_of_actuators(self) -> bool:
        """Whether the actuators of the model act."""
        return not (self.controls is None or self.controls is False)

    def _require_actuators_alone(self) -> None:
        """Raise :class:`ArgumentError` for options of efforts, which actuators have themselves."""
        given = [name for name in self.own_path if name not in ("period", "delay", "noise")]
        given += ["servos"] * (self.servos is not None) + ["evaluated_at"] * (self.evaluated_at != "step")
        if given:
            raise ArgumentError(
                f"{given[0]} is for controllers that return efforts; actuators, which act under controls=…, have "
                "their own gear, ranges and dynamics, and act at every stage of a step"
            )

    @property
    def own_path(self) -> tuple[str, ...]:
        """Names of the fields between controller and joints that differ from their defaults."""
        plain = {"delay": 0.0, "lag": 0.0, "effort_limits": False, "velocity_limits": False}
        given = {name: getattr(self, name) for name in ("period", "gear", "noise", *plain)}
        return tuple(name for name, x in given.items() if not (x is None or _same(x, plain.get(name))))


@explained
@dataclass(frozen=True, eq=False, kw_only=True)
class Surroundings:
    """Describe the wrenches that act on a mechanism from outside.

    Parameters
    ----------
    wrenches : mapping or callable, optional
        Wrenches {frame: (6,)}, [f; n] at the origin of the frame in world axes, or (..., 6) for each motion of a
        batch; or a function of (t) or of (model, t, q, v) that returns such a mapping. It is compiled with the steps.
    sensor : str, optional
        Name of the frame at which a controller measures the external wrench (6,), its argument ``wrench``: about
        the origin of the frame, in world axes.

    Examples
    --------
    >>> import linkwright as lw
    >>> pushed = lw.Surroundings(wrenches={"tip": [0.0, 5.0, 0.0, 0.0, 0.0, 0.0]})
    """

    wrenches: Wrenches | None = None
    sensor: str | None = None

    def __post_init__(self) -> None:
        if self.wrenches is not None and not (callable(self.wrenches) or isinstance(self.wrenches, Mapping)):
            raise ArgumentError(
                "wrenches are {frame: (6,)}, or a function (t) or (model, t, q, v) -> {frame: (6,)}; got "
                f"{self.wrenches!r}"
            )
        if self.sensor is not None and not isinstance(self.sensor, str):
            raise ArgumentError(f"sensor is the name of a frame; got {self.sensor!r}")


@dataclass(frozen=True, eq=False)
class Setup:
    """Setup of a run, apart from the model, its initial state and its duration."""

    controller: Callable[..., Any] | None = None
    callback: Callable[..., Any] | None = None
    integrator: Integrator = field(default_factory=Integrator)
    actuation: Actuation = field(default_factory=Actuation)
    surroundings: Surroundings = field(default_factory=Surroundings)

    @classmethod
    def of(
        cls,
        controller: Any = None,
        callback: Any = None,
        method: Any = None,
        actuation: Any = None,
        surroundings: Any = None,
    ) -> Setup:
        """Return the setup of these arguments; raise :class:`ArgumentError` for other kinds of objects."""
        if controller is not None and callback is not None:
            raise ArgumentError("a run takes a controller, which is compiled, or a Python callback, not both")
        actuation = options_of("actuation", actuation, Actuation)
        surroundings = options_of("surroundings", surroundings, Surroundings)
        return cls(controller, callback, integrator_of(method), actuation, surroundings)

    def with_state(self, state: Any) -> Setup:
        """Return the setup with another initial state of the controller."""
        return replace(self, actuation=replace(self.actuation, initial_state=state))


def _same(x: Any, default: Any) -> bool:
    return type(x) is type(default) and bool(x == default)


def takes_options(function: F) -> F:
    """Return the function; an option given as a separate argument raises an error with the name of its object."""
    parameters = inspect.signature(function).parameters
    name = function.__qualname__.removesuffix(".__init__")
    kinds = {"method": Integrator, "actuation": Actuation, "surroundings": Surroundings, "episode": Episode}
    owner = {
        one.name: f"{argument}=lw.{kind.__name__}({one.name}=…)"
        for argument, kind in kinds.items()
        if argument in parameters
        for one in fields(kind)
        if one.name not in parameters
    }

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if known := [name for name in named if name in owner]:
            raise ArgumentError(f"{name} has no argument {known[0]!r}, which is an option: {owner[known[0]]}")
        return function(*args, **named)

    return call  # type: ignore[return-value]


def integrator_of(method: Any) -> Integrator:
    """Return the integrator of an argument ``method``, a name or an :class:`Integrator`."""
    if isinstance(method, Integrator):
        return method
    if method is not None and not isinstance(method, str):
        raise ArgumentError(f"method is the name of a method or lw.Integrator(…); got {method!r}")
    return Integrator(method)  # type: ignore[arg-type]


def options_of(name: str, given: Any, kind: type[O]) -> O:
    """Return the options of an argument, the default ones for None; raise :class:`ArgumentError` for other objects."""
    if given is None:
        return kind()
    if not isinstance(given, kind):
        raise ArgumentError(f"{name} is lw.{kind.__name__}(…); got {given!r}")
    return given
