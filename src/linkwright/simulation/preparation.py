"""Preparation of a run: checks against model, initial state and step; selection of the method; system inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.kernel import compile
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError, names_given, warn
from linkwright.model.memo import derived
from linkwright.model.scale import scale_of
from linkwright.model.transformations.geometry import geometric_parameter
from linkwright.model.tree import Model
from linkwright.simulation.actuation.actuator_model import ActuatorModel, actuator_model, with_actuator_model
from linkwright.simulation.actuation.actuators import controller_of_controls, with_actuators
from linkwright.simulation.actuation.bindings import checked_each
from linkwright.simulation.actuation.external_forces import (
    ExternalForces,
    external_forces_of,
    names_bound_to_wrenches,
    warn_if_pairs_are_hard,
)
from linkwright.simulation.actuation.law_controller import LawController, law_controller, with_external_forces
from linkwright.simulation.actuation.posture_control import (
    Hold,
    effort_function_of,
    is_state_feedback,
    require_callback,
)
from linkwright.simulation.actuation.servos import with_servos
from linkwright.simulation.integrators.chattering import LARGE
from linkwright.simulation.integrators.constrained_step import Constraints, constraints_of
from linkwright.simulation.integrators.methods import (
    METHODS,
    EmbeddedPair,
    IntegrationMethod,
    SemiImplicit,
    Tableau,
    Variational,
    method_of,
    stiffest,
)
from linkwright.simulation.integrators.split_kernels import closing, closure
from linkwright.simulation.integrators.step_function import StepOptions
from linkwright.simulation.setup import TOLERANCE, Integrator, Setup
from linkwright.spatial.arrays import Array


class CheckedStart(NamedTuple):
    """Initial states of motions."""

    q: Array
    """(*batch, nq)"""
    v: Array
    """(*batch, nv)"""
    batch: tuple[int, ...]


def checked_start(model: Model, q0: Any, v0: Any) -> CheckedStart:
    """Check the initial states of motions."""
    start = states_of_motions(model, q0, v0)
    require_closed(model, start.q, start.v)
    return start


def states_of_motions(model: Model, q0: Any, v0: Any, batch: tuple[int, ...] = ()) -> CheckedStart:
    """Check the initial states of motions, whose loops may be open; ``batch``: that of a single state."""
    q, v, found = check_state(model, q0, v0)
    require_mass(model)
    batch = found or batch
    q, v = (np.broadcast_to(x, (*batch, n)).copy() for x, n in ((q, model.nq), (v, model.nv)))
    return CheckedStart(q, v, batch)


class SystemInputs(NamedTuple):
    """Controller, actuators and external forces of a run."""

    law: LawController | None
    """controller alone"""
    driven: LawController | None
    """controller with actuators and external forces"""
    drives: ActuatorModel | None
    external: ExternalForces | None
    callback: Callable[..., Any] | None
    """(t, q, v) -> efforts, a Python function or compiled"""
    calls_python: bool
    """whether the callback is a Python function"""

    @property
    def controller(self) -> Callable[..., Any] | None:
        """Controller of the run, (t, q, v) -> efforts (…, nv)."""
        return self.driven if self.driven is not None else self.callback


def system_inputs(
    model: Model, h: float, batch: tuple[int, ...], setup: Setup, smooth: bool, other_bindings: Sequence[str]
) -> SystemInputs:
    """Check the controller, actuators and external forces of a run, and combine them.

    ``smooth``: contact of the pairs is a smooth force. ``other_bindings``: names of values bound to functions other
    than the controller and ``wrenches``.
    """
    actuation, around = setup.actuation, setup.surroundings
    controller, callback = setup.controller, setup.callback
    if controller is not None and is_state_feedback(controller):  # of (t, q, v), and compiled
        controller, callback = None, controller
    calls_python = False
    if callback is not None:
        require_callback(callback)
        calls_python = not is_state_feedback(callback)
    if around.wrenches is not None:
        other_bindings = [*names_bound_to_wrenches(around.wrenches), *other_bindings]
    sensed, actuated = around.sensor is not None, actuation.is_of_actuators
    if actuated:
        if callback is not None:
            raise ArgumentError("controls are those of a controller (model, t, q, v), or constant, not of a callback")
        controller = controller_of_controls(model, controller, actuation.controls)
    if controller is None:
        if actuation.initial_state is not None:
            raise ArgumentError("initial_state is that of a controller, and none is given: controller=…")
        if actuation.each and not other_bindings:
            raise ArgumentError(
                f"each names {names_given('each', actuation.each)[0]!r}, a value bound to a controller, and none is "
                "given: controller=…"
            )
        law, each = None, checked_each(actuation.each, batch, other_bindings) if actuation.each else set()
    else:
        each = {*names_given("each", actuation.each)}
        if actuated and np.ndim(actuation.controls) > 1:
            each.add("controls")
        law = law_controller(
            model, controller, actuation.initial_state, each, batch, sensed, other_bindings, controls=actuated
        )
    external = external_forces_of(model, around.wrenches, each, batch, smooth)
    if around.sensor is not None:
        _require_use(model, around.sensor, law, external)
    found = actuator_model(model, h, actuation, sensed, batch)
    if law is not None:
        _warn_of_other_steps(law, h * found.period if found else h)
    driven = law
    if found is not None:
        if law is None:
            raise ArgumentError(
                f"{actuation.own_path[0]} is on the path from a controller (model, t, q, v) to the joints, and none "
                "is given: controller=…"
            )
        driven = with_actuator_model(model, law, found, h, batch, actuated)
    if actuated:
        assert driven is not None
        driven = with_actuators(model, driven, actuation.activations, h, batch)
    if actuation.servos is not None:
        driven = with_servos(model, driven, actuation.servos, actuation.effort_limits, batch)
    if driven is not None and external is not None:
        driven.effort_function = with_external_forces(driven.effort_function, external, model, around.sensor)
    return SystemInputs(law, driven, found, external, callback, calls_python)


def _require_use(model: Model, sensor: str, controller: LawController | None, external: ExternalForces | None) -> None:
    """Raise :class:`ArgumentError` for a sensor without a controller, or with nothing to measure."""
    model.frame(sensor)
    if controller is None or external is None:
        raise ArgumentError(
            "a sensor measures external wrenches for a controller: give controller=…, and wrenches=…, or a model with "
            "contact pairs and method='rk4', 'midpoint', 'euler' or 'dopri5', where contact is a force"
        )
    if controller.frame != sensor and controller.frame in model.frames:
        warn(
            f"the sensor measures the wrench at {sensor!r}, and the controller {controller.name} uses it as that at "
            f"{controller.frame!r}: give sensor={controller.frame!r}"
        )


def _warn_of_other_steps(controller: LawController, period: float) -> None:
    """Warn of a controller with a bound ``step`` that differs from its period."""
    for name, step in controller.steps.items():
        if step.size and abs(step / period - 1.0).max() > 1e-6:
            warn(
                f"the controller {controller.name} is bound to {name}={step.flat[0]:g} s, but is evaluated every "
                f"{period:g} s"
            )


class PreparedRun(NamedTuple):
    """A run that is ready to take steps."""

    inputs: SystemInputs
    options: StepOptions
    tolerance: Array
    """one, or (*batch,)"""
    smooth: bool
    """whether contact of the pairs is a smooth force"""

    @property
    def method(self) -> str:
        """Name of the method of integration."""
        return self.options.method


def prepare(
    model: Model, start: CheckedStart, h: float, setup: Setup, other_bindings: Sequence[str] = ()
) -> PreparedRun:
    """Check a setup against a model, its initial state and its step, and select the method of integration.

    ``other_bindings``: names of values bound to functions other than the controller and ``wrenches``.
    """
    model.require_numbers("a simulation")
    integrator, actuation = setup.integrator, setup.actuation
    method, chosen = integrator.method, integrator.chosen
    staged = actuation.evaluated_at == "stages" and (setup.controller is not None or setup.callback is not None)
    if staged:
        _require_stages(model, setup)
    tolerance = _tolerance_of(integrator, start.batch)
    smooth = bool(model.pairs) and method is not None and isinstance(chosen, (Tableau, EmbeddedPair))
    inputs = system_inputs(model, h, start.batch, setup, smooth, other_bindings)
    if staged and inputs.driven is not None and inputs.driven.effort_function.state:
        raise InputError(
            "a controller with a state is evaluated once a step: evaluated_at='stages' is for controllers without"
        )
    without_activations = (Variational, EmbeddedPair) if model.na else Variational
    if actuation.is_of_actuators and isinstance(chosen, without_activations):
        raise InputError(f"actuators{' with activations' * bool(model.na)} are not for method {integrator.method!r}")
    if inputs.external is not None and isinstance(chosen, Variational):
        raise InputError("wrenches are not for method 'variational'")
    if smooth and isinstance(chosen, Tableau):
        warn_if_pairs_are_hard(model, start.q, h, len(chosen.stages))
    servos = actuation.servos.names(model) if actuation.servos else ()
    constraints = constraints_of(model, integrator.joint_limits, integrator.solver, not smooth, servos)
    found = _method(model, start, h, integrator, constraints, staged, inputs.controller, actuation.is_of_actuators)
    if isinstance(inputs.callback, Hold):
        inputs = inputs._replace(callback=inputs.callback.within(found, staged))
    projecting = integrator.projection and bool(model.loops) and not isinstance(chosen, Variational)
    options = StepOptions(found, integrator.stabilization, bool(projecting), staged, constraints)
    return PreparedRun(inputs, options, tolerance, smooth)


def _method(
    model: Model,
    start: CheckedStart,
    h: float,
    integrator: Integrator,
    constraints: Constraints | None,
    staged: bool,
    controller: Any,
    actuated: bool,
) -> IntegrationMethod:
    """Return the name of the method: the given one, or that required by constraints and passive forces."""
    method, chosen = integrator.method, integrator.chosen
    if constraints is not None:
        if method is not None and not isinstance(chosen, SemiImplicit):
            raise InputError(
                "joint_limits and servos act in steps of 'semi_implicit', contact there or as a smooth force in those "
                f"of 'rk4', 'midpoint', 'euler' and 'dopri5'; got method={method!r}"
            )
        return "semi_implicit"
    if method is None:
        return "rk4" if staged else suitable_method(model, start.q, start.v, h, controller, actuated)
    if np.isfinite(chosen.stability) and model.nv:
        warn_if_stiff(model, start.q.reshape(-1, model.nq)[:1], start.v.reshape(-1, model.nv)[:1], h, method)
    return method


def _require_stages(model: Model, setup: Setup) -> None:
    """Raise :class:`InputError` where a controller cannot be evaluated at the stages of a step."""
    chosen = setup.integrator.chosen
    if not isinstance(chosen, (Tableau, EmbeddedPair)):
        others = ", ".join(repr(name) for name, one in METHODS.items() if isinstance(one, (Tableau, EmbeddedPair)))
        raise InputError(
            f"evaluated_at='stages' goes with methods that have stages, {others}; got {setup.integrator.method!r}"
        )
    if (
        isinstance(chosen, EmbeddedPair)
        and setup.callback is not None
        and effort_function_of(setup.callback, model) is None
    ):
        raise InputError("evaluated_at='stages' takes a controller with method 'dopri5', not a Python callback")
    if setup.actuation.own_path:
        raise InputError("evaluated_at='stages' is for controllers with nothing between them and the joints")


def _tolerance_of(integrator: Integrator, batch: tuple[int, ...]) -> Array:
    found = np.asarray(TOLERANCE if integrator.tolerance is None else integrator.tolerance, dtype=float)
    if found.ndim and found.shape != batch:
        raise ShapeError(f"tolerance has shape {found.shape}; expected one number, or {batch}")
    return found


CLOSED = 1e-6
"""Largest opening of loops at the start, relative to the length of the mechanism or 1 rad; relative velocity likewise.
"""


def require_closed(model: Model, q: Array, v: Array, parameters: Mapping[str, Array] = MappingProxyType({})) -> None:
    """Raise :class:`InputError` for an initial state whose loops are open, or whose velocity opens them.

    Loops are those of the geometry among the values (…, *shape) of ``parameters``.
    """
    if not model.loops:
        return
    scale = scale_of(model)
    geometry = {name: x for name, x in parameters.items() if geometric_parameter(model, name) is not None}
    kernel = closing(model)
    if geometry:
        names = tuple(geometry)
        kernel = derived(model, closure, names, make=lambda: compile(closure, model, parameters=names))
    opened, rates = (np.abs(x) for x in kernel(q, v, *geometry.values()))
    if not (opened <= CLOSED * scale.rows).all():
        raise InputError(
            f"the loops of {model.name!r} are open at q0, by up to {opened.max():.3g} m or rad: start from "
            "close_loops(model, q0)"
        )
    if not (rates <= CLOSED * scale.rows * (1.0 + np.abs(v / scale.velocities).max(initial=0.0))).all():
        raise InputError(
            f"the velocity v0 would open the loops of {model.name!r}, at up to {rates.max():.3g} m/s or rad/s: start "
            "from impulse(model, q0, v0)[0], the nearest that does not"
        )


def suitable_method(
    model: Model, q: Array, v: Array, h: float, controller: Any = None, actuated: bool = False
) -> IntegrationMethod:
    """Return the default method: that of a held posture, else "rk4", unless passive forces are too stiff for it.

    The stiffness is that of the dampers, friction and springs of the first row (…, nq), with ``actuated`` also that of
    the dampers of actuators.
    """
    if isinstance(controller, Hold) and controller.method:
        return controller.method
    if not q.size or not v.size or model.nv > LARGE:
        return "rk4"
    q, v = q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1]
    limit = METHODS["rk4"].stability
    return "rk4" if stiffest(model, q[0], v[0], limit / h, actuated)[0] * h < limit else "semi_implicit"


def warn_if_stiff(model: Model, q: Array, v: Array, h: float, method: str) -> None:
    """Warn where the joints' dampers or friction are too stiff for an explicit method at this step."""
    if not len(q) or model.nv > LARGE:
        return
    limit = method_of(method).stability
    rate, joint = stiffest(model, q[0], v[0], limit / h)
    if rate * h > limit:
        least = f"a step below {limit / rate:.2g} s, or " if np.isfinite(rate) else ""
        warn(
            f"joint {joint!r} of {model.name!r} is damped within {1.0 / rate:.2g} s: at a step of {h:g} s the explicit "
            f"method {method!r} will not be stable; take {least}method='semi_implicit'",
        )
