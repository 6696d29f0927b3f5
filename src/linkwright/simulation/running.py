"""Forward simulation with a fixed step, the whole step compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np

from linkwright.dynamics.closed_loops.forces import Gains, checked_gains
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.impulses.solving import Solver
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError, warn
from linkwright.model.requirement import takes_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.acting.all import all_that_acts
from linkwright.simulation.acting.controllers import Hold, formula_of, require_controller
from linkwright.simulation.acting.laws import Ruled
from linkwright.simulation.acting.outside import (
    Environment,
    Wrenches,
    warn_if_friction_jumps,
    warn_if_hard,
    warn_if_pairs_are_hard,
)
from linkwright.simulation.acting.servos import Servos
from linkwright.simulation.events.driving import with_events
from linkwright.simulation.recorded.motion import Motion
from linkwright.simulation.recorded.record import Controller, Record
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.balance import warn_if_energy_is_wrong
from linkwright.simulation.stepping.chattering import HELD, LARGE, warn_if_chattering
from linkwright.simulation.stepping.impacts import constraints_of
from linkwright.simulation.stepping.integrators import (
    METHODS,
    IntegrationMethod,
    SemiImplicit,
    Tableau,
    Variational,
    method_of,
    stiffest,
    stiffest_feedback,
)
from linkwright.simulation.stepping.parts import closing
from linkwright.simulation.stepping.steps import Way
from linkwright.simulation.stepping.taking import STEPS_AT_ONCE, STEPS_BETWEEN_CHECKS, way_of_steps
from linkwright.spatial.arrays import Array, as_numbers, is_finite_number
from linkwright.status import told


@takes_model
def simulate(
    model: Model,
    q0: Any,
    v0: Any,
    duration: float,
    step: float = 1e-3,
    method: IntegrationMethod | None = None,
    controller: Controller | None = None,
    *,
    every: int = 1,
    progress: Callable[[float], None] | None = None,
    stabilisation: Gains | None = None,
    projection: bool = True,
    controller_at: Literal["step", "stages"] = "step",
    law: Callable[..., Any] | None = None,
    state0: Any = None,
    each: Collection[str] = (),
    period: float | None = None,
    delay: float = 0.0,
    lag: Any = 0.0,
    effort_limits: Any = False,
    noise: Mapping[str, Any] | None = None,
    seed: Any = 0,
    gear: Any = None,
    velocity_limits: Any = False,
    wrenches: Wrenches | None = None,
    environment: Environment | None = None,
    sensor: str | None = None,
    tolerance: Any = None,
    limits: bool = False,
    solver: Solver | None = None,
    servos: Servos | None = None,
    t0: float = 0.0,
    events: Sequence[Any] | None = None,
) -> Motion:
    """Simulate a motion from the configuration q0 (…, nq) and the velocity v0 (…, nv) over ``duration`` seconds.

    Gravity, springs, dampers and the joints' friction act, and the efforts ``controller(t, q, v)`` (nv,),
    which is asked at the beginning of every step and held over it; one with an attribute ``longest_step`` (s) is
    warned about where steps are longer. Leading dimensions are independent motions, simulated together. ``step`` in
    seconds (made a whole number of steps); ``method`` "rk4", "midpoint", "euler" (Runge–Kutta on the configuration
    manifold), "semi_implicit" (order one, stable with stiff dampers, friction and springs, which it
    damps), "dopri5" (order five, its steps as long as ``tolerance`` allows: see below), or "variational" (order two,
    symplectic: see below); every ``every``-th
    step is kept; ``progress`` is told the fraction done. Without ``method`` it is "rk4", or "semi_implicit" where
    dampers, friction or springs are too stiff for that at this step, or where ``hold`` and ``hold_joints`` need it.

    "variational" is the variational midpoint rule (Marsden & West, Acta Numerica 2001) on the configuration manifold,
    closed loops included. It is implicit, of order two, and symplectic: where nothing drives or damps the motion, the
    error of the energy stays bounded, of the order of h², over times exponentially long in 1/h (Hairer, Lubich &
    Wanner 2006, ch. IX), and the momenta of free bases that gravity and springs leave alone are conserved to rounding.
    The energy itself is not. Steps are iterated until the velocity no longer changes; where a hundred
    iterations do not suffice, that motion ends with a warning.

    "dopri5" is the pair of orders five and four of Dormand and Prince (1980) on the configuration manifold. It chooses
    its steps, and ``step`` is the time between samples, which lie within longer steps by a polynomial of order four.
    A step is as short as needed for the error that it adds, all coordinates together, to be less than ``tolerance``
    (1e-8; of a batch also (…,)) times 1 rad or the mechanism's length, and of velocities times that a second and the
    velocity itself. Errors of steps add up, and chaotic motions make them grow. Efforts that are held, of controllers
    and of laws, make steps end where they are asked; ``controller_at="stages"`` makes a law part of what is integrated.
    A motion that would need more than 10 000 steps between two samples ends there with a warning: something is too
    stiff, or jumps. ``lengths`` of the result tells how many steps were taken.

    A controller of Python is asked between steps. Those of ``hold`` and ``hold_joints``, and kernels of (t, q, v), run
    within the machine code of the steps, which without a controller, or with such a one, takes many in one call. So do
    kernels of further arrays whose values are bound, ``functools.partial(kernel, target=x)``, as they are at the start;
    in a batch each motion may have its own, x (…, 7).

    Efforts held over a step make any motion one of order one in the step. With ``controller_at="stages"`` the
    controller is asked at every stage of a Runge–Kutta method, at its time and state, and one that is smooth in them
    leaves the method its order; the record has the efforts of each step's beginning.

    ``law(model, t, q, v)`` gives the efforts (nv,) too, and is written for one motion, with the functions of this
    library and of NumPy: it is traced, as by ``compile``, into the machine code of the steps, which then need no
    Python. With a state of its own it is ``law(model, t, q, v, state) -> (efforts, state)``; ``state0`` is the first,
    an array, or a tuple or a dict of arrays. It is asked once a step, and ``state`` of the result has what it was at
    each sample. Gains, targets and functions of time are bound to a law by ``functools.partial``; numbers among them
    may be others in the next simulation, which is not compiled again for that. In a batch all motions have the same,
    but those named in ``each``, which are (…, *shape): ``law=partial(pd, gain=g, target=x), each=["target"]``; "state"
    stands for state0 there.

    What is between a law and the joints can be told too; all of it runs in machine code. ``period`` (s): how often the
    law is asked, a whole number of steps; its efforts are held in between. ``delay`` (s): how much later they act, a
    whole number of steps; nothing acts before. ``effort_limits``: efforts are cut to those of the joints (True), or to
    a number or (nv,); ``saturated`` of the result tells where. ``lag`` (s), a number or (nv,): the time constant of
    drives of first order, which follow from zero. ``noise={"q": …, "v": …}``: the law sees the state with normal noise,
    of these standard deviations (a number or (nv,); q along ``integrate``); ``seed`` makes it other noise. ``gear``, a
    ratio or (nv,): the law's efforts are those of motors, and act times this. ``velocity_limits``: efforts that speed a
    joint up fade shortly before the limit of its velocity and are nothing beyond, as of a motor that turns no faster;
    those of the joints (True), or a number or (nv,). ``tau`` of the result is what acts, the mean over each step.

    ``wrenches`` act from outside: {frame: (6,)}, [f; n] at the frame's origin in world axes, all the time; of a batch
    also (…, 6). Or a function of (t) or of (model, t, q, v) that returns such a dict; it is traced like a law, and
    numbers bound to it may be named in ``each``. ``environment``: a surface that a frame touches, or several,
    :class:`contact.Plane <linkwright.dynamics.contact.Plane>` or ``contact.Sphere``, whose numbers may be of each
    motion. Both are asked at every stage of a step. ``wrenches`` of the result has what acted at each frame.
    ``sensor``, a frame: the law is told, as its argument ``wrench`` (6,), what acts from outside on that frame's body,
    about the frame's origin in world axes; ``noise={"wrench": …}`` is a number or (6,).

    Shapes of the model's ``pairs`` (see :meth:`~linkwright.model.tree.Model.with_ground`) touch, and with ``limits``
    joints stay within theirs. Both act by impulses at the velocities of each step of "semi_implicit", which is then the
    default (Moreau 1988; Stewart & Trinkle 1996): Coulomb's cone, restitution, and joints' dry friction that sticks.
    With methods of Runge–Kutta and "dopri5" contact is a smooth force instead (Hunt & Crossley 1975),
    whose energy is part of the potential one; "dopri5" follows it however stiff. ``solver``
    (:class:`~linkwright.dynamics.impulses.solving.Solver`) tells how exactly impulses are found. ``impulses`` of
    the result has them.

    With ``servos``, a :class:`~linkwright.simulation.acting.servos.Servos`, the law tells where joints go, and their
    springs and dampers act within each step of "semi_implicit", with contacts and limits in one solver: stable however
    stiff they are. ``effort_limits`` is then what they can do; ``period``, ``delay`` and ``noise`` are of the law's
    answers.

    ``t0`` (s) is the time at the start. ``events``, a list of :class:`Event <linkwright.Event>`, such as
    ``lw.events.touch`` and ``lw.events.limits`` make, or of functions (model, t, q, v) -> a number: where such a number
    changes its sign is located to rounding by shorter steps, and something may happen there: the motion stops, what
    touches is thrown back, or it goes on with another state or as another mechanism. A sign that changes twice within
    a step is seen where samples tell of it: where a parabola through three of them comes near zero. Steps begin anew at
    an event; samples before and after it have its time. ``events`` of the result tells what happened, ``parts`` the
    motions of one mechanism after the other. Of single motions, and not with ``period``, ``delay``, ``lag`` or
    ``noise``.

    Closed loops stay closed: after each step configuration and velocity are projected on what the loops allow
    (:func:`~linkwright.dynamics.project`), unless ``projection`` is False; ``stabilisation`` gives Baumgarte's gains
    (α, β) as in ``forward_dynamics``, beside or instead. The start must be closed: see ``close`` and ``impulse``.

    Where joints turn far within a step, fixed steps may add energy that nothing supplies, or take some: from a tenth on
    that is warned of.

    A motion may grow beyond all numbers. A single one, of q0 (nq,) and v0 (nv,), ends there with a warning: the result
    is shorter. One of a batch keeps its samples, the later ones NaN, while the others go on, with a warning;
    ``ended`` of the result tells the times. Where all of a batch have ended, also in a batch of one, (1, nq), that
    raises.

    Raises :class:`~linkwright.errors.InputError` for a start that is not a configuration or not closed, for a record
    larger than the memory that this process may have, and for efforts that are not finite;
    :class:`~linkwright.errors.SimulationError` where all motions of a batch have ended (of one motion too, but not of
    a single one without a batch). Whatever ends the simulation, an error of the controller or an interrupt from the
    keyboard, carries what was computed as its attribute ``motion``.
    """
    given = {name: value for name, value in locals().items() if name not in KEPT_BY_EVENTS}  # none can be forgotten
    chosen = method_of("rk4" if method is None else method)
    if not (is_finite_number(t0)):
        raise InputError(f"t0 is the time at the start, s; got {t0!r}")
    for name, value in (("duration", duration), ("step", step)):
        if not (is_finite_number(value) and value > 0):
            raise InputError(f"{name} must be a positive number of seconds; got {value!r}")
    if not (isinstance(every, (int, np.integer)) and every > 0):
        raise InputError(f"every must be a whole number of steps; got {every!r}")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress is a function of the fraction done; got {progress!r}")
    if step > duration * (1.0 + 1e-9):
        raise InputError(f"a step of {step:g} s is longer than the {duration:g} s of the motion")
    steps = _steps(duration, step)
    if every > steps:
        raise InputError(f"every is {every}: none of the {steps} steps would be kept")
    h = duration / steps
    if events is not None:
        return with_events(simulate, model, q0, v0, duration, h, events, state0, t0, every, progress, given)
    if controller is not None and law is not None:
        raise ArgumentError("simulate takes a controller or a law, not both")
    if law is None and (state0 is not None or (each and not callable(wrenches))):
        raise ArgumentError("state0 and each are of a law, and none is given: simulate(…, law=…)")
    if controller is not None:
        require_controller(controller)
    if controller_at not in ("step", "stages"):
        raise InputError(f"controller_at is 'step' or 'stages'; got {controller_at!r}")
    staged = (controller is not None or law is not None) and controller_at == "stages"
    if staged and not isinstance(chosen, (Tableau, Embedded)):
        others = ", ".join(repr(name) for name, one in METHODS.items() if isinstance(one, (Tableau, Embedded)))
        raise InputError(f"controller_at='stages' goes with methods that have stages, {others}; got {method!r}")
    q, v, batch = check_state(model, q0, v0)
    require_mass(model)
    accuracy = checked_tolerance(tolerance, chosen, method, batch)
    gains = checked_gains(stabilisation)
    if gains is not None and isinstance(chosen, Variational):
        raise InputError("stabilisation is not for method 'variational', which closes loops itself at every step")
    projecting = bool(projection) and bool(model.loops) and not isinstance(chosen, Variational)
    require_closed(model, q, v)
    q, v = np.broadcast_to(q, (*batch, model.nq)).copy(), np.broadcast_to(v, (*batch, model.nv)).copy()
    smooth = bool(model.pairs) and method is not None and isinstance(chosen, (Tableau, Embedded))
    acting = all_that_acts(
        model,
        h,
        batch,
        law=law,
        state0=state0,
        each=each,
        wrenches=wrenches,
        environment=environment,
        smooth=smooth,
        sensor=sensor,
        elsewhere=[],
        period=period,
        delay=delay,
        lag=lag,
        effort_limits=effort_limits,
        noise=noise,
        seed=seed,
        gear=gear,
        velocity_limits=velocity_limits,
        servos=servos,
    )
    rule, outside = acting.driven, acting.outside
    controller = controller if rule is None else rule
    if smooth and isinstance(chosen, Tableau):
        warn_if_pairs_are_hard(model, q, h, len(chosen.stages))
    if outside is not None and isinstance(chosen, Variational):
        raise InputError("wrenches and environment are not for method 'variational'")
    if staged:
        if controller is not None and isinstance(chosen, Embedded) and formula_of(controller, model) is None:
            raise InputError(
                "controller_at='stages' takes a law with method 'dopri5', law=…, not a controller of Python"
            )
        if acting.drives is not None:
            raise InputError("controller_at='stages' is for laws with nothing between them and the joints")
        if rule is not None and rule.formula.state:
            raise InputError("a law with a state is asked once a step: controller_at='stages' is for laws without")
    size, shapes, cut = (rule.formula.state, rule.shapes, rule.cut) if rule else (0, None, None)
    constraints = constraints_of(model, limits, solver, not smooth, servos.names(model) if servos else ())
    if constraints is not None and method is None:
        method = "semi_implicit"
        chosen = method_of(method)
    if constraints is not None and not isinstance(chosen, SemiImplicit):
        raise InputError(
            "limits and servos act in steps of 'semi_implicit', contact there or as a smooth force in those of "
            f"'rk4', 'midpoint', 'euler' and 'dopri5'; got method={method!r}"
        )
    struck = 0 if constraints is None else constraints.size(model)
    told_of = (size + struck, shapes, cut, outside, size, float(t0))
    record = Record(model, h, steps, int(every), batch, controller is not None, *told_of)
    record.smooth = smooth
    record.constraints = constraints
    if rule is not None:
        record.asked = f"the law {rule.name}"
    if method is None:
        method = "rk4" if staged else suitable_method(model, q, v, h, controller)
        chosen = method_of(method)
    elif np.isfinite(chosen.stability) and model.nv:
        warn_if_stiff(model, q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1], h, method)
    if not staged:
        _warn_if_held_too_long(controller, h)
    if not isinstance(chosen, Embedded):
        warn_if_hard(model, q, environment, h)
    start = q, v
    if isinstance(chosen, Embedded):
        record.ending = f"could not be followed to a tolerance of {np.max(accuracy):g}"

    began = time.perf_counter()
    if isinstance(controller, Hold):
        controller = controller.within(method, staged)
    taking = way_of_steps(
        model,
        Way(method, gains, projecting, staged, constraints),
        controller,
        batch,
        outside,
        accuracy,
        steps + record.before,
        int(every),
    )
    if projecting:
        q, v = taking.projected(q, v)
    compile_time = time.perf_counter() - began

    alone = progress is None and (controller is None or isinstance(controller, (Hold, Ruled)))  # else others may write
    saying = told(f"simulating {model.name!r}") if alone else nullcontext()
    own = rule.state if rule else np.zeros((*batch, 0))
    record.keep(q, v, np.concatenate([own, np.zeros((*batch, struck))], axis=-1))
    between = STEPS_AT_ONCE if progress is None else STEPS_BETWEEN_CHECKS
    between = max(between // every * every, min(every, between))
    began = time.perf_counter()
    try:
        with np.errstate(all="ignore"), saying:  # a motion that diverges is told below
            k = 0
            while k < steps:
                count = min(between, steps - k)
                q, v = taking.take(record, q, v, k, count)
                if progress is not None:
                    progress(k / steps)
                if not record.goes_on(q, v):
                    break
                k += count
            if record.goes_on(q, v) and controller is not None and steps % every == 0:
                record.tau[-1] = taking.efforts(record, q, v, steps)
        run_time = time.perf_counter() - began
        if progress is not None:
            progress(1.0)
        if taking.control is not None:
            record.look_at_lengths(taking.control)
        motion = record.motion(compile_time, run_time)
        if not isinstance(chosen, Embedded):
            warn_if_friction_jumps(model, motion.q, motion.v, environment, h)
        outer = wrenches is not None or environment is not None
        warn_if_energy_is_wrong(motion, method, record.alive, supplied=outer, driven=controller is not None)
        if controller is not None and not staged and not np.all(record.alive):
            record.advice += _another_method(controller, method) or _too_stiff_feedback(
                model, controller, *start, h * (rule.period if rule else 1)
            )
        elif acting.law is not None and not staged and (acting.drives is None or acting.drives.lag is None):
            warn_if_chattering(model, acting.law, motion, h * (rule.period if rule else 1))
        record.tell(motion)
    except BaseException as error:
        record.give_to(error, compile_time, time.perf_counter() - began)
        raise
    return motion


KEPT_BY_EVENTS = ("model", "q0", "v0", "duration", "step", "every", "progress", "state0", "t0", "events")
"""Arguments of :func:`simulate` that are not those of each stretch between events."""

TOLERANCE = 1e-8
"""of methods that choose their steps, where none is given"""


def checked_tolerance(tolerance: Any, chosen: Any, method: Any, batch: tuple[int, ...]) -> Array:
    """The tolerance, one or (…,) for each motion; :class:`InputError` where it is none or for nobody."""
    if tolerance is None:
        return np.asarray(TOLERANCE)
    if not isinstance(chosen, Embedded):
        raise InputError(f"tolerance is for methods that choose their steps, 'dopri5'; the method is {method!r}")
    found = as_numbers("tolerance", tolerance)
    if not ((found >= 1e-15) & (found < 1.0)).all():
        raise InputError(f"tolerance is from 1e-15 to less than 1; got {tolerance!r}")
    if found.ndim and found.shape != batch:
        raise ShapeError(f"tolerance has shape {found.shape}; expected one number, or {batch}")
    return found


def _steps(duration: float, step: float) -> int:
    """How many steps there are."""
    try:
        return max(1, round(duration / step))
    except OverflowError:
        raise InputError(f"{duration:g} s in steps of {step:g} s are too many steps") from None


CLOSED = 1e-6
"""How far from closed, of the mechanism's length or rad, a start may be; its velocity likewise, beside the largest."""


def require_closed(model: Model, q: Array, v: Array) -> None:
    """Raise :class:`InputError` where a motion cannot start: its loops open, or about to be."""
    if not model.loops:
        return
    scale = scale_of(model)
    opened, rates = (np.abs(x) for x in closing(model)(q, v))
    if not (opened <= CLOSED * scale.rows).all():
        raise InputError(
            f"the loops of {model.name!r} are open at q0, by up to {opened.max():.3g} m or rad: start from "
            "close(model, q0)"
        )
    if not (rates <= CLOSED * scale.rows * (1.0 + np.abs(v / scale.velocities).max(initial=0.0))).all():
        raise InputError(
            f"the velocity v0 would open the loops of {model.name!r}, at up to {rates.max():.3g} m/s or rad/s: start "
            "from impulse(model, q0, v0)[0], the nearest that does not"
        )


def suitable_method(
    model: Model, q: Array, v: Array, h: float, controller: Controller | None = None
) -> IntegrationMethod:
    """The default: what the controller needs, else "rk4", unless passive forces are too stiff for it.

    That is asked of the dampers, friction and springs of the first row (…, nq).
    """
    if isinstance(controller, Hold) and controller.method:
        return controller.method
    if not q.size or not v.size or model.nv > LARGE:
        return "rk4"
    q, v = q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1]
    limit = METHODS["rk4"].stability
    return "rk4" if stiffest(model, q[0], v[0], limit / h)[0] * h < limit else "semi_implicit"


def warn_if_stiff(model: Model, q: Array, v: Array, h: float, method: str) -> None:
    """Say so where the joints' dampers or friction are too stiff for an explicit method at this step."""
    if not len(q) or model.nv > LARGE:
        return
    limit = method_of(method).stability
    rate, joint = stiffest(model, q[0], v[0], limit / h)
    if rate * h > limit:
        warn(
            f"joint {joint!r} of {model.name!r} is damped within {1.0 / rate:.2g} s: at a step of {h:g} s the explicit "
            f"method {method!r} will not be stable; take a step below {limit / rate:.2g} s, or method='semi_implicit'",
        )


def _warn_if_held_too_long(controller: Controller | None, h: float) -> None:
    """Say so where a controller tells that its efforts are not to be held over so long a step."""
    longest = getattr(controller, "longest_step", np.inf)
    if h > longest:
        warn(
            f"the controller's efforts are held over {h:g} s, longer than the {longest:.2g} s after which they "
            "would not let the motion settle; take a smaller step, or make the controller for this one (hold's step=…)",
        )


def _another_method(controller: Controller, method: str) -> str:
    """Which method a posture would have been held with."""
    if not isinstance(controller, Hold) or controller.method in (None, method):
        return ""
    return f", or method={controller.method!r}: the posture is not sure to be held by {method!r}"


def _too_stiff_feedback(model: Model, controller: Controller, q: Array, v: Array, h: float) -> str:
    """Why a motion may have ended, where its controller's feedback at the start is too stiff for the step."""
    if model.nv > LARGE:
        return ""
    try:
        rate, joint = stiffest_feedback(model, lambda q, v: np.asarray(controller(0.0, q, v), float), q, v)
    except Exception:  # it was asked beside the motion
        return ""
    if not rate * h > HELD:
        return ""
    return (
        f"; the controller acts on joint {joint!r} within {1.0 / rate:.2g} s, and what is held over {h:g} s comes too "
        f"late for that: hold it for less than {HELD / rate:.2g} s, by a smaller step or period, or take smaller gains"
    )
