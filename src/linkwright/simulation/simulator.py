"""Forward simulation: :func:`simulate` checks, prepares, takes the steps and records them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import finite_number, positive, whole_number
from linkwright.dynamics.contact.points import contact_points, pair_name
from linkwright.dynamics.inertias.massless import massless_motion_advice
from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import InputError, warn
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.actuation.posture_control import Hold
from linkwright.simulation.events.event_loop import simulate_with_events
from linkwright.simulation.integrators.chattering import HELD, LARGE, warn_if_chattering
from linkwright.simulation.integrators.energy_balance import warn_if_energy_is_wrong
from linkwright.simulation.integrators.methods import EmbeddedPair, IntegrationMethod, method_of, stiffest_feedback
from linkwright.simulation.integrators.steppers import STEPS_AT_ONCE, STEPS_BETWEEN_CHECKS, Stepper, make_stepper
from linkwright.simulation.jump_at_start import DEEP, warn_of_jump_at_start
from linkwright.simulation.preparation import CheckedStart, PreparedRun, checked_start, prepare
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.recording.recorder import MotionRecorder
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, takes_options
from linkwright.spatial.arrays import Array
from linkwright.status import status_message


@takes_options
@takes_model
def simulate(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    duration: float | tuple[float, float],
    step: float = 1e-3,
    method: IntegrationMethod | Integrator | None = None,
    controller: Callable[..., Any] | None = None,
    *,
    callback: Callable[[float, Array, Array], Any] | None = None,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    events: Sequence[Any] | None = None,
    every: int = 1,
) -> Motion:
    """Simulate a motion.

    Gravity, springs, dampers and the friction of joints act. Shapes of the model's pairs touch (see
    :meth:`~linkwright.Model.with_ground`): by impulses at the velocities of each step of "semi_implicit", with
    Coulomb's cone, restitution and dry friction of joints that sticks; with Runge–Kutta methods and "dopri5" by smooth
    forces, whose energy is part of the potential energy. Closed loops stay closed.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0 : array_like, shape (..., nq)
        Initial configuration. Leading dimensions are independent motions, simulated together.
    v0 : array_like, shape (..., nv)
        Initial velocity.
    duration : float or (float, float)
        Duration in s, or the times of start and end.
    step : float, optional
        Step in s; it is made to divide the duration.
    method : str or Integrator, optional
        Name of the method of integration, or an :class:`~linkwright.Integrator` with its options and constraints. By
        default "rk4", or "semi_implicit" where contacts, joint limits or servos act or "rk4" is not stable.
    controller : callable, optional
        Controller ``(model, t, q, v) -> efforts`` (nv,), or with a state ``(model, t, q, v, state) -> (efforts,
        state)``: written for one motion with functions of this library and of NumPy, and compiled with the steps.
        Gains and targets are bound by :func:`functools.partial`; other numbers do not compile again. Results of
        :func:`~linkwright.control.hold_posture` and kernels of (t, q, v) are controllers too.
    callback : callable, optional
        Python function ``(t, q, v) -> efforts`` (..., nv), called at the beginning of every step instead of a
        controller. An attribute ``longest_step`` (s) causes a warning where steps are longer.
    actuation : Actuation, optional
        Path from the controller to the joints: sampling, delay, limits, noise, servos.
    surroundings : Surroundings, optional
        External wrenches and a sensor.
    events : sequence of Event or callable, optional
        Events, such as :func:`linkwright.events.touch` makes, or functions (model, t, q, v) -> number: a change of
        sign is located to rounding, and the motion stops, bounces, or goes on with another state or mechanism. For
        single motions, without ``period``, ``delay``, ``lag`` and ``noise``. A sign that changes twice within a step is
        found where a parabola through three samples comes near zero.
    every : int, optional
        Record every ``every``-th step.

    Returns
    -------
    Motion
        Samples of t, q, v, the efforts ``tau`` (means over each step), and what acted. A single motion that diverges
        is shorter, with a warning; of a batch its later samples are NaN, and ``ended`` has the times.

    Raises
    ------
    InputError
        If the start is no configuration, its loops are open, efforts are not finite, or the record exceeds the memory.
    SimulationError
        If all motions of a batch diverge, also of a batch of one.

    Notes
    -----
    Whatever ends the simulation, an error of the callback or an interrupt from the keyboard, carries the motion until
    then as its attribute ``motion``. Efforts held over a step make any motion one of order one in the step:
    ``Actuation(evaluated_at="stages")`` keeps the order. Where joints turn far within a step, fixed steps may add or
    remove energy: from a tenth on there is a warning.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> motion = lw.simulate(arm, [0.5, 0.5], [0.0, 0.0], 1.0)
    >>> motion.q.shape
    (1001, 2)
    """
    setup = Setup.of(controller, callback, method, actuation, surroundings)
    if setup.integrator.threads is not None:
        raise InputError("threads is an option of rollouts: rollout(…, method=Integrator(threads=…))")
    setup.integrator.require_double("simulate")
    t0, whole, steps = _times(duration, step)
    every = whole_number("every", every, 1)
    if every > steps:
        raise InputError(f"every is {every}: none of the {steps} steps would be kept")
    h = whole / steps
    if events is not None:
        return simulate_with_events(simulate_interval, model, q0, v0, (t0, whole, h), setup, events, every)
    return simulate_interval(model, q0, v0, t0, steps, h, setup, every)


def simulate_interval(
    model: Model, q0: Any, v0: Any, t0: float, steps: int, h: float, setup: Setup, every: int = 1
) -> Motion:
    """Return the motion over ``steps`` steps of ``h`` seconds, without events."""
    start = checked_start(model, q0, v0)
    run = prepare(model, start, h, setup)
    inputs, adaptive = run.inputs, isinstance(method_of(run.method), EmbeddedPair)
    controller = inputs.controller
    if not run.options.staged:
        _warn_if_held_too_long(controller, h)
    record = _record(model, start, run, t0, steps, h, every)
    began = time.perf_counter()
    last = steps + record.before
    stepper = make_stepper(
        model,
        run.options,
        controller,
        start.batch,
        inputs.external,
        run.tolerance if adaptive else None,
        last,
        every,
    )
    q, v = stepper.projected(start.q, start.v) if run.options.projecting else (start.q, start.v)
    compile_time = time.perf_counter() - began
    own = inputs.driven.state if inputs.driven else np.zeros((*start.batch, 0))
    record.add_sample(q, v, np.concatenate([own, np.zeros((*start.batch, record.impulse_count))], axis=-1))

    progress = setup.integrator.progress
    quiet = progress is not None or inputs.calls_python
    began = time.perf_counter()
    try:
        with np.errstate(all="ignore"), nullcontext() if quiet else status_message(f"simulating {model.name!r}"):
            _take_steps(record, stepper, q, v, steps, progress, controller is not None)
        run_time = time.perf_counter() - began
        motion = record.motion(compile_time, run_time)
        _warn_of_motion(motion, record, start, run, setup, controller)
        record.warn_of_divergence(motion)
    except BaseException as error:
        record.attach_to(error, compile_time, time.perf_counter() - began)
        raise
    return motion


def _record(
    model: Model, start: CheckedStart, run: PreparedRun, t0: float, steps: int, h: float, every: int
) -> MotionRecorder:
    """Return an empty recorder of a run."""
    inputs, driven, constraints = run.inputs, run.inputs.driven, run.options.constraints
    size, shapes, cut = (driven.effort_function.state, driven.shapes, driven.cut) if driven else (0, None, None)
    impulses = 0 if constraints is None else constraints.size(model)
    controlled = inputs.controller is not None
    state = (size + impulses, shapes, cut, inputs.external, size, t0)
    record = MotionRecorder(model, h, steps, every, start.batch, controlled, *state)
    record.smooth, record.constraints = run.smooth, constraints
    if driven is not None:
        record.activation_count = driven.effort_function.activation_count(model)
        record.source = f"the controller {driven.name}"
    elif inputs.calls_python:
        record.source = "the callback"
    if isinstance(method_of(run.method), EmbeddedPair):
        record.ending = f"could not be followed to a tolerance of {np.max(run.tolerance):g}"
    return record


def _take_steps(
    record: MotionRecorder,
    stepper: Stepper,
    q: Array,
    v: Array,
    steps: int,
    progress: Callable[[float], None] | None,
    controlled: bool,
) -> None:
    """Take and record all steps; they end where all motions diverge."""
    every = record.every
    between = STEPS_AT_ONCE if progress is None else STEPS_BETWEEN_CHECKS
    between = max(between // every * every, min(every, between))
    k = 0
    while k < steps:
        count = min(between, steps - k)
        q, v = stepper.take(record, q, v, k, count)
        if progress is not None:
            progress(k / steps)
        if not record.any_finite(q, v):
            break
        k += count
    if record.any_finite(q, v) and controlled and steps % every == 0:
        record.tau[-1] = stepper.efforts(record, q, v, steps)
    if progress is not None:
        progress(1.0)
    if stepper.control is not None:
        record.record_step_counts(stepper.control)


def _warn_of_motion(
    motion: Motion, record: MotionRecorder, start: CheckedStart, run: PreparedRun, setup: Setup, controller: Any
) -> None:
    """Warn of steps that do not follow the motion, and give advice where it diverged."""
    model, inputs, h = motion.model, run.inputs, record.h
    supplied = setup.surroundings.wrenches is not None
    warn_if_energy_is_wrong(motion, run.method, record.alive, supplied=supplied, driven=controller is not None)
    if not np.all(record.alive):
        lost = start.q[~np.asarray(record.alive)][0]
        record.advice += massless_motion_advice(model, lost) + _overlap_at_start(model, lost)
    else:
        limits = run.options.constraints is not None and run.options.constraints.limits
        warn_of_jump_at_start(model, record, limits)
    if controller is None or run.options.staged:
        return
    held = h * (inputs.driven.period if inputs.driven else 1)
    if not np.all(record.alive):
        record.advice += _another_method(controller, run.method) or _too_stiff_feedback(
            model, controller, start.q, start.v, held
        )
    elif inputs.law is not None and (inputs.drives is None or inputs.drives.lag is None):
        warn_if_chattering(model, inputs.law, motion, held)


def _overlap_at_start(model: Model, q: Array) -> str:
    """Return the advice to start without overlap, if shapes overlap deeply at q (nq,)."""
    points = contact_points(model, body_poses(model, q)) if model.pairs else []
    depth, pair = max(((-float(one.gap), k) for k, own in enumerate(points) for one in own), default=(0.0, 0))
    if not depth > DEEP * scale_of(model).length:
        return ""
    return (
        f"; at the start, {pair_name(model, model.pairs[pair])} overlap by {depth:.3g} m, which contact removes within "
        "a few steps: start without overlap, such as at lw.standing_configuration(model, q0)"
    )


def _times(duration: Any, step: Any) -> tuple[float, float, int]:
    """Return the initial time, the duration, and the number of steps."""
    t0, whole = 0.0, duration
    if isinstance(duration, (tuple, list)):
        if len(duration) != 2:
            raise InputError(f"duration is a number of seconds, or the times of start and end; got {duration!r}")
        t0, end = (finite_number("a time of duration", t, "s") for t in duration)
        whole = end - t0
    whole, step = positive("duration", whole, "s"), positive("step", step, "s")
    if step > whole * (1.0 + 1e-9):
        raise InputError(f"a step of {step:g} s is longer than the {whole:g} s of the motion")
    try:
        return t0, whole, max(1, round(whole / step))
    except OverflowError:
        raise InputError(f"{whole:g} s in steps of {step:g} s are too many steps") from None


def _warn_if_held_too_long(controller: Any, h: float) -> None:
    """Warn of a controller whose efforts are held over too long a step."""
    longest = getattr(controller, "longest_step", np.inf)
    if h > longest:
        warn(
            f"the controller's efforts are held over {h:g} s, longer than the {longest:.2g} s after which they "
            "would not let the motion settle; take a smaller step, or make the controller for this one (hold's step=…)",
        )


def _another_method(controller: Any, method: str) -> str:
    """Return the advice to use the method that a posture controller is made for."""
    if not isinstance(controller, Hold) or controller.method in (None, method):
        return ""
    return f", or method={controller.method!r}: the posture is not sure to be held by {method!r}"


def _too_stiff_feedback(model: Model, controller: Any, q: Array, v: Array, h: float) -> str:
    """Return an explanation where the feedback of a controller is too stiff for the step."""
    if model.nv > LARGE:
        return ""
    try:
        rate, joint = stiffest_feedback(model, lambda q, v: np.asarray(controller(0.0, q, v), float), q, v)
    except Exception:  # the check must not stop the motion
        return ""
    if not rate * h > HELD:
        return ""
    return (
        f"; the control period of {h:g} s is too long for these gains: the controls act on joint {joint!r} within "
        f"{1.0 / rate:.2g} s. Use a step or period below {HELD / rate:.2g} s, smaller gains, or lw.Servos, which are "
        "stable with any gains"
    )
