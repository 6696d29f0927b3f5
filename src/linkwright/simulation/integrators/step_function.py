"""One step as a function and as machine code; `step_kernels.py` compiles many steps as one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import BoundFunction, bind
from linkwright.compiler.front.trace import NODE_LIMIT, trace
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.kept_programs import kept_program
from linkwright.compiler.public import RowByRow, kernel_of
from linkwright.dynamics.closed_loops.stabilization import Gains
from linkwright.dynamics.impulses.constraints import servo_coordinates
from linkwright.dynamics.impulses.supports import bodies_of
from linkwright.errors import TooLargeError, warn
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.actuation.external_forces import ExternalForces
from linkwright.simulation.actuation.law_controller import EffortFunction, packed_size, unpack_values
from linkwright.simulation.integrators import adaptive_step
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step
from linkwright.simulation.integrators.methods import (
    Efforts,
    EmbeddedPair,
    Options,
    StageEfforts,
    Tableau,
    Variational,
    damping_of,
    driven_step,
    increments,
    method_of,
    total_acceleration,
)
from linkwright.simulation.integrators.position_sums import Placement, placed
from linkwright.simulation.integrators.split_kernels import accelerating, placing, step_in_parts
from linkwright.simulation.integrators.variational import variational_step_function
from linkwright.spatial.arrays import Array, is_symbolic, where
from linkwright.spatial.loops.memory import cleared_row, filled_row, is_memory_row, read

STEP_LIMIT = 500_000
"""Operations of steps up to which they are compiled, in about a minute: uncompiled steps are far slower."""

STEP_NODES = 1_000_000
"""Largest number of expressions of a trace of steps with impulses: up to 100 for each contact point, mostly memory."""

UNROLLED = 1000
"""Number of instructions of a step up to which its stages are unrolled.

Unrolled short steps run up to 6 % faster; long steps run as fast in a loop and compile in a third of the time.
"""

StepFunction = Callable[..., tuple[Array, Array, Array]]
"""(q, v, output, h, t, external_values, memory) -> (q, v, memory), with the output of the controller: efforts, then the
commands of servos; ``memory``: numbers kept from step to step"""


StagedStep = Callable[[float, Array, Array, Array, float, Efforts], tuple[Array, Array]]
"""(t, q, v, tau, h, efforts) -> (q, v), tau being the efforts at t"""


class StepOptions(NamedTuple):
    """Options of a step."""

    method: str
    gains: Gains | None = None
    """of Baumgarte's stabilization"""
    projecting: bool = False
    """whether the state is projected on closed loops after each step"""
    staged: bool = False
    """whether efforts are output for at every stage"""
    constraints: Constraints | None = None
    """constraints solved by impulses, which are kept from step to step"""

    @property
    def dynamics_options(self) -> Options:
        """Options of forward dynamics."""
        return {} if self.gains is None else {"stabilization": self.gains}


def step_function(model: Model, options: StepOptions, external: ExternalForces | None = None) -> StepFunction:
    """Return the step function: one kernel, or several where it would be too large.

    Raises :class:`TooLargeError` for a model with too many pairs of shapes.
    """

    def make() -> StepFunction | str:
        try:
            return _make_step_function(_simulation_model(model), options, external)
        except TooLargeError as error:  # kept: the attempt takes as long as compilation
            return str(error)

    made: StepFunction | str = derived(model, step_function, options, external and external.key, make=make)
    if isinstance(made, str):
        raise TooLargeError(made)
    return made


def _simulation_model(model: Model) -> Model:
    """Return the model of fewest operations; the model itself for large mechanisms with loops."""
    return model if model.loops and step_in_parts(model) else model.minimal()


def _make_step_function(model: Model, options: StepOptions, external: ExternalForces | None) -> StepFunction:
    chosen = method_of(options.method)
    if isinstance(chosen, Variational):
        iterated = variational_step_function(model, options.dynamics_options)
        return lambda q, v, tau, h, t, external_values, memory: (*iterated(q, v, tau, h), memory)

    def steps(looped: bool) -> BoundFunction:
        def simulation_step(
            model: Model, q: Array, v: Array, output: Array, h: Any, t: Any, external_values: Array, memory: Array
        ) -> tuple[Array, Array, Array]:
            def external_efforts(t: Any, q: Array, v: Array) -> Array:
                assert external is not None
                return external.efforts(model, t, q, v, *unpack_values(external_values, external.shapes))

            acting = None if external is None else external_efforts
            kept = begun_memory(model, options, memory)
            q, v, _, kept = single_step(model, options, t, q, v, lambda t, q, v: output, h, looped, acting, kept)
            return q, v, memory_entries(kept, len(memory))

        size = 1 if external is None else packed_size(external.shapes)
        sizes = {
            "h": (),
            "t": (),
            "external_values": (size,),
            "memory": (max(1, memory_length(model, options, False)),),
        }
        sizes["output"] = (output_size(model, options.constraints),)
        return bind(simulation_step, model, sizes)

    try:
        if step_in_parts(model) and isinstance(chosen, Tableau):
            raise TooLargeError(f"{len(model.links)} bodies")
        return compiled(steps, options, model, step_function, external and external.key)
    except TooLargeError as error:
        if isinstance(chosen, Tableau):
            return _step_function_of_stages(model, options, external)
        problem = f"a step of {model.name!r} ({len(model.bodies)} bodies) is too large for machine code ({error})"
        if model.pairs:
            raise TooLargeError(problem + fewer_pairs(model, options)) from None
        warn(f"{problem}; it runs uncompiled")
        return RowByRow(steps(False))


def output_size(model: Model, constraints: Constraints | None) -> int:
    """Return the size of the output of a controller: efforts (nv,), then stiffness, damping and limit of each servo."""
    return model.nv + (3 * len(servo_coordinates(model, constraints.servos)) if constraints else 0)


def efforts_over_step(model: Model, constraints: Constraints, output: Array, p: Array, h: float) -> Array:
    """Return the mean efforts (…, nv) over a step of h seconds, from the output (…, size) and the impulses (…, m)."""
    efforts: Array = output[..., : model.nv].copy()
    for n, (_, _, at) in enumerate(servo_coordinates(model, constraints.servos)):
        efforts[..., at] = p[..., n] / h
    return efforts


def fewer_pairs(model: Model, options: StepOptions) -> str:
    """Return the remedy for steps that are too large, as the end of a message; empty without pairs of shapes."""
    if not model.pairs:
        return ""
    limits = ""
    if options.constraints is not None and options.constraints.limits:
        limits = ". Joint limits add to the code: Integrator(joint_limits=False)"
    bodies = [bodies_of(model, pair) for pair in model.pairs]
    between_moving = sum(min(two) >= 0 for two in bodies)
    itself = ""
    if between_moving:
        itself = f"with_contact(itself=False) leaves out the {between_moving} pairs between moving bodies; "
    grounds = [model.shapes[pair.second] for pair, (_, other) in zip(model.pairs, bodies, strict=True) if other < 0]
    grounds.sort(key=lambda shape: shape.kind not in ("plane", "height_field"))
    ground = next((shape.name for shape in grounds if shape.name), "floor")
    return (
        f". Its {len(model.pairs)} pairs of shapes make it large. Reduce them where they are made: {itself}"
        f"with_ground(only=[…]), or with_contact(between=[{ground!r}, …]) for the ground of a file, keeps the links "
        f"that touch, such as feet; with_contact(exclude=[(…, …)]) leaves out pairs of links{limits}"
    )


def _step_function_of_stages(model: Model, options: StepOptions, external: ExternalForces | None) -> StepFunction:
    """Return the step function by stages, with efforts held."""
    staged = staged_step_function(model, options)
    try:
        external_efforts = None if external is None else external.effort_kernel(model)
    except TooLargeError as error:
        raise TooLargeError(
            f"smooth contact of {model.name!r} is too large for machine code ({error}): take the method "
            f"'semi_implicit', whose contacts are loops{fewer_pairs(model, options)}"
        ) from None

    def take(
        q: Array, v: Array, tau: Array, h: float, t: float, external_values: Array, memory: Array
    ) -> tuple[Array, Array, Array]:
        def efforts(t: float, q: Array, v: Array) -> Array:
            return tau if external_efforts is None else tau + external_efforts(q, v, t, external_values)

        return (*staged(t, q, v, efforts(t, q, v), h, efforts), memory)

    return take


def single_step(
    model: Model,
    options: StepOptions,
    t: Any,
    q: Array,
    v: Array,
    efforts: Efforts,
    h: Any,
    looped: bool,
    external: Efforts | None,
    memory: Array,
    number: Any = None,
    place: Placement = placed,
    record: Callable[[Any], None] | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Return (q, v), the efforts at the beginning, and the memory.

    ``number``: number of the step, of a motion that is smooth at its samples; None: efforts are held. ``place``: sum of
    positions, see `position_sums.py`. ``record``: receives the number of iterations of the contact solver.
    """
    chosen = method_of(options.method)
    if options.constraints is not None:
        tau, commands = options.constraints.split_commands(model, efforts(t, q, v))
        total = tau if external is None else tau + external(t, q, v)
        damping, before = damping_of(efforts, q, v), v
        q, v, memory = constrained_step(
            model, q, v, total, h, memory, options.constraints, commands, place, record, damping
        )
        tau = tau if damping is None else tau - damping.efforts(model, v - before)
        tau = tau if commands is None else tau + options.constraints.servo_efforts(model, memory, h)
        return (*(dynamics.project(model, q, v) if options.projecting else (q, v)), tau, memory)
    if isinstance(chosen, EmbeddedPair):
        tau = efforts(t, q, v)
        varies = number is not None or isinstance(efforts, StageEfforts)
        efforts_in_step: Efforts = efforts if varies else lambda t, q, v: tau
        problem = adaptive_step.AdaptiveProblem(
            model, chosen, efforts_in_step, options.dynamics_options, options.projecting, looped, external
        )
        if number is None:
            q, v, memory = adaptive_step.held_interval(problem, t, h, q, v, memory)
        else:
            q, v, memory = adaptive_step.smooth_interval(problem, t, h, number, memory)
        return q, v, tau, memory
    held = not options.staged
    found = driven_step(
        model,
        t,
        q,
        v,
        efforts,
        h,
        options.method,
        options.dynamics_options,
        options.projecting,
        held,
        looped,
        external,
        place,
    )
    return (*found, memory)


def memory_length(model: Model, options: StepOptions, smooth: bool) -> int:
    """Return the size of the memory of a step; ``smooth``: nothing is held over steps."""
    if options.constraints is not None:
        return options.constraints.size(model)
    return adaptive_step.memory_size(model, smooth) if isinstance(method_of(options.method), EmbeddedPair) else 0


def memory_at_start(
    model: Model, options: StepOptions, smooth: bool, tolerance: Any, last: float, q: Array, v: Array
) -> Array:
    """Return the memory (…, size) of motions that start at q and v; ``last``: number of the last sample."""
    batch = v.shape[:-1]
    if isinstance(method_of(options.method), EmbeddedPair):
        return adaptive_step.memory_at_start(model, smooth, adaptive_step.initial_control(tolerance, last, batch), q, v)
    return np.zeros((*batch, memory_length(model, options, smooth)))


def row_size(model: Model, options: StepOptions) -> int | None:
    """Return the size of the row that holds the memory of all steps of a kernel; None where it is an array."""
    return options.constraints.row_size(model) if options.constraints is not None else None


def begun_memory(model: Model, options: StepOptions, memory: Array) -> Any:
    """Return the memory of steps from its entries (size,): a row in memory if they are many, else the array.

    The other entries of the row are 1: any impulse may be nonzero (`looped_gauss_seidel.py`).
    """
    size = row_size(model, options)
    return filled_row(memory, size, 1.0) if size is not None and is_symbolic(memory) else memory


def memory_entries(memory: Any, size: int) -> Array:
    """Return the entries (size,) of the memory of steps."""
    return read(memory, 0.0, size) if is_memory_row(memory) else memory


def restarted_memory(model: Model, options: StepOptions, memory: Any, again: Any, q: Array, v: Array) -> Any:
    """Return the memory of a motion: of one that restarts at q and v where ``again`` holds."""
    if is_memory_row(memory):
        return cleared_row(memory, row_size(model, options) or 0, again)
    if isinstance(method_of(options.method), EmbeddedPair):
        return where(again, adaptive_step.restarted_memory(model, memory, q, v), memory)
    return where(again, 0.0, memory)


def compiled(steps: Callable[[bool], BoundFunction], options: StepOptions, model: Model, *determined_by: Any) -> Kernel:
    """Compile steps; the stages of long steps become a loop.

    ``determined_by``: what determines the steps, besides the options and the model.
    """

    def traced() -> Program:
        method = method_of(options.method)
        looped = isinstance(method, (Tableau, EmbeddedPair)) and len(method.stages) > 1
        program = trace(steps(looped), NODE_LIMIT if options.constraints is None else STEP_NODES, STEP_LIMIT)
        return trace(steps(False)) if looped and program.length <= UNROLLED else program

    return Kernel(kept_program(traced, options, model, *determined_by), model)


def staged_step_function(model: Model, options: StepOptions) -> StagedStep:
    """Return the step function of a Runge–Kutta method with a controller evaluated at every stage."""

    def make() -> StagedStep:
        one, chosen = _simulation_model(model), method_of(options.method)
        assert isinstance(chosen, Tableau)

        def simulated_acceleration(model: Model, q: Array, v: Array, tau: Array) -> Array:
            return total_acceleration(model, q, v, tau, options.dynamics_options)

        try:
            if step_in_parts(one):
                raise TooLargeError(f"{len(one.links)} bodies")
            acceleration: Callable[..., Any] = Kernel(trace(bind(simulated_acceleration, one, {})), one)
        except TooLargeError:
            acceleration = accelerating(one, options.dynamics_options)
        return staged_step(one, chosen, acceleration, kernel_of(dynamics.project, one) if options.projecting else None)

    made: StagedStep = derived(model, staged_step_function, options, make=make)
    return made


def staged_step(
    model: Model,
    method: Tableau,
    acceleration: Callable[[Array, Array, Array], Array],
    projected: Callable[..., Any] | None,
) -> StagedStep:
    """Return a step composed of ``acceleration(q, v, tau)``, followed by ``projected``.

    Efforts held over a step reduce the order to one. Efforts evaluated at the time and state of every stage keep the
    order of the method.
    """
    at = placing(model)

    def take(t: float, q: Array, v: Array, tau: Array, h: float, efforts: Efforts) -> tuple[Array, Array]:
        rates = [(v, acceleration(q, v, tau))]
        for row, when in zip(method.stages[1:], method.times[1:], strict=True):
            there, velocity, rate = at(q, v, *increments(row, h, rates))
            tau = efforts(t + h * when, there, velocity)
            rates.append((rate, acceleration(there, velocity, tau)))
        q, v, _ = at(q, v, *increments(method.weights, h, rates))
        return projected(q, v) if projected else (q, v)

    return take


def is_smooth(options: StepOptions, effort_function: EffortFunction | None) -> bool:
    """Return whether a motion is smooth at its samples: nothing is held between them."""
    return options.staged or effort_function is None or effort_function.idle
