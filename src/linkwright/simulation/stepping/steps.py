"""One step, and its machine code; many of them are one kernel in `many.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import BoundFunction, bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.public import RowByRow
from linkwright.dynamics.closed_loops.forces import Gains
from linkwright.dynamics.impulses.rows import driven_places
from linkwright.errors import TooLargeError, warn
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.acting.laws import Formula, apart, size_of
from linkwright.simulation.acting.outside import Outside
from linkwright.simulation.stepping.adaptive import steps as adaptive
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.impacts import Constraints, constrained_step
from linkwright.simulation.stepping.integrators import (
    Efforts,
    Options,
    Tableau,
    Variational,
    driven_step,
    method_of,
    total_acceleration,
)
from linkwright.simulation.stepping.parts import accelerating, in_parts, projection
from linkwright.simulation.stepping.stages import StagedStepper, staged_stepper
from linkwright.simulation.stepping.variational import variational_stepper
from linkwright.spatial.arrays import Array

UNROLLED = 1000
"""Instructions of a step, its stages a loop, up to which they are written out instead.

That runs up to 6 % faster where steps are short; long ones run as fast in a loop and are compiled in a third of the
time.
"""

Stepper = Callable[..., tuple[Array, Array, Array]]
"""(q, v, asked, h, t, told, memory) -> (q, v, memory). ``asked`` are efforts and the commands of servos, ``told`` the
values of external forces, and ``memory`` those that a method keeps"""


class Way(NamedTuple):
    """How steps are taken."""

    method: str
    gains: Gains | None = None
    """of Baumgarte's stabilization"""
    projecting: bool = False
    """whether loops are closed after each"""
    staged: bool = False
    """whether efforts are asked for at every stage"""
    constraints: Constraints | None = None
    """what acts by impulses, which are remembered from step to step"""

    @property
    def options(self) -> Options:
        """Of forward dynamics."""
        return {} if self.gains is None else {"stabilization": self.gains}


def stepper(model: Model, way: Way, outside: Outside | None = None) -> Stepper:
    """The step as one kernel; where that would be too large, put together from its parts."""
    key = outside and outside.key
    made: Stepper = derived(model, stepper, way, key, make=lambda: _made_stepper(_simulated(model), way, outside))
    return made


def _simulated(model: Model) -> Model:
    """The model that steps are made of: the one of fewest operations, except where bodies are to be taken apart."""
    return model if model.loops and in_parts(model) else model.minimal()


def _made_stepper(model: Model, way: Way, outside: Outside | None) -> Stepper:
    chosen = method_of(way.method)
    if isinstance(chosen, Variational):
        iterated = variational_stepper(model, way.options)
        return lambda q, v, tau, h, t, told, memory: (*iterated(q, v, tau, h), memory)

    def steps(looped: bool) -> BoundFunction:
        def simulation_step(
            model: Model, q: Array, v: Array, asked: Array, h: Any, t: Any, told: Array, memory: Array
        ) -> tuple[Array, Array, Array]:
            def pushing(t: Any, q: Array, v: Array) -> Array:
                assert outside is not None
                return outside.efforts(model, t, q, v, *apart(told, outside.shapes))

            acting = None if outside is None else pushing
            q, v, _, memory = one_step(model, way, t, q, v, lambda t, q, v: asked, h, looped, acting, memory)
            return q, v, memory

        size = 1 if outside is None else size_of(outside.shapes)
        sizes = {"h": (), "t": (), "told": (size,), "memory": (max(1, memory_of(model, way, False)),)}
        sizes["asked"] = (asked_size(model, way.constraints),)
        return bind(simulation_step, model, sizes)

    try:
        if in_parts(model) and isinstance(chosen, Tableau):
            raise TooLargeError(f"{len(model.links)} bodies")
        return compiled(steps, way, model)
    except TooLargeError as error:
        if isinstance(chosen, Tableau):
            return _stepper_of_stages(model, way, outside)
        warn(
            f"a step of {model.name!r} ({len(model.bodies)} bodies) is too large for straight-line code ({error}); "
            f"it runs uncompiled{fewer_pairs(model)}",
        )
        return RowByRow(steps(False))


def asked_size(model: Model, constraints: Constraints | None) -> int:
    """The size of a controller's output: efforts (nv,), then stiffness, damping and limit of each servo."""
    return model.nv + (3 * len(driven_places(model, constraints.servos)) if constraints else 0)


def efforts_over_step(model: Model, constraints: Constraints, asked: Array, p: Array, h: float) -> Array:
    """The mean efforts (…, nv) over a step of h seconds, by a controller's output (…, size) and its impulses (…, m)."""
    efforts: Array = asked[..., : model.nv].copy()
    for n, (_, _, at) in enumerate(driven_places(model, constraints.servos)):
        efforts[..., at] = p[..., n] / h
    return efforts


def fewer_pairs(model: Model) -> str:
    """The remedy for steps that are too large, as the end of a message; empty where no shapes touch."""
    if not model.pairs:
        return ""
    return (
        f". Its {len(model.pairs)} pairs of shapes make it large: take fewer, with_ground(only=feet) with the names of "
        "the bodies that touch the ground, or with_contact() of a model without the shapes that do not matter"
    )


def _stepper_of_stages(model: Model, way: Way, outside: Outside | None) -> Stepper:
    """The step stage by stage, with efforts held."""
    staged = stepper_at_stages(model, way)
    pushing = None if outside is None else outside.pushing(model)

    def take(
        q: Array, v: Array, tau: Array, h: float, t: float, told: Array, memory: Array
    ) -> tuple[Array, Array, Array]:
        def acting(t: float, q: Array, v: Array) -> Array:
            return tau if pushing is None else tau + pushing(q, v, t, told)

        return (*staged(t, q, v, acting(t, q, v), h, acting), memory)

    return take


def one_step(
    model: Model,
    way: Way,
    t: Any,
    q: Array,
    v: Array,
    efforts: Efforts,
    h: Any,
    looped: bool,
    outside: Efforts | None,
    memory: Array,
    gone: Any = None,
) -> tuple[Array, Array, Array, Array]:
    """(q, v), the efforts at the beginning, and what is remembered.

    ``gone``: steps before, of a motion without kinks at its samples; else efforts are held.
    """
    chosen = method_of(way.method)
    if way.constraints is not None:
        tau, told = way.constraints.apart(model, efforts(t, q, v))
        acting = tau if outside is None else tau + outside(t, q, v)
        q, v, memory = constrained_step(model, q, v, acting, h, memory, way.constraints, told)
        tau = tau if told is None else tau + way.constraints.servo_efforts(model, memory, h)
        return (*(dynamics.project(model, q, v) if way.projecting else (q, v)), tau, memory)
    if isinstance(chosen, Embedded):
        tau = efforts(t, q, v)
        followed_by: Efforts = efforts if gone is not None else lambda t, q, v: tau
        followed = adaptive.Followed(model, chosen, followed_by, way.options, way.projecting, looped, outside)
        if gone is None:
            q, v, memory = adaptive.held_interval(followed, t, h, q, v, memory)
        else:
            q, v, memory = adaptive.smooth_interval(followed, t, h, gone, memory)
        return q, v, tau, memory
    held = not way.staged
    found = driven_step(model, t, q, v, efforts, h, way.method, way.options, way.projecting, held, looped, outside)
    return (*found, memory)


def memory_of(model: Model, way: Way, smooth: bool) -> int:
    """How many numbers a step needs of the one before; ``smooth``: whether nothing is held over steps."""
    if way.constraints is not None:
        return way.constraints.size(model)
    return adaptive.memory_size(model, smooth) if isinstance(method_of(way.method), Embedded) else 0


def memory_at_start(model: Model, way: Way, smooth: bool, tolerance: Any, last: float, q: Array, v: Array) -> Array:
    """These numbers (…, size) of motions that begin at q and v; ``last``: the number of their last sample."""
    batch = v.shape[:-1]
    if isinstance(method_of(way.method), Embedded):
        return adaptive.memory_at_start(model, smooth, adaptive.told_at_start(tolerance, last, batch), q, v)
    return np.zeros((*batch, memory_of(model, way, smooth)))


def memory_again(model: Model, way: Way, memory: Array, q: Array, v: Array) -> Array:
    """These numbers (size,) where a motion begins anew at q and v."""
    return adaptive.memory_again(model, memory, q, v) if isinstance(method_of(way.method), Embedded) else 0.0 * memory


def compiled(steps: Callable[[bool], BoundFunction], way: Way, model: Model) -> Kernel:
    """The kernel of steps, told whether their stages are a loop: they are where they are long."""
    method = method_of(way.method)
    looped = isinstance(method, (Tableau, Embedded)) and len(method.stages) > 1
    program = trace(steps(looped))
    if looped and program.length <= UNROLLED:
        program = trace(steps(False))
    return Kernel(program, model)


def stepper_at_stages(model: Model, way: Way) -> StagedStepper:
    """The step of a Runge–Kutta method that asks for efforts at every stage."""

    def make() -> StagedStepper:
        one, chosen = _simulated(model), method_of(way.method)
        assert isinstance(chosen, Tableau)

        def simulated_acceleration(model: Model, q: Array, v: Array, tau: Array) -> Array:
            return total_acceleration(model, q, v, tau, way.options)

        try:
            if in_parts(one):
                raise TooLargeError(f"{len(one.links)} bodies")
            acceleration: Callable[..., Any] = Kernel(trace(bind(simulated_acceleration, one, {})), one)
        except TooLargeError:
            acceleration = accelerating(one, way.options)
        return staged_stepper(one, chosen, acceleration, projection(one) if way.projecting else None)

    made: StagedStepper = derived(model, stepper_at_stages, way, make=make)
    return made


def is_smooth(way: Way, formula: Formula | None) -> bool:
    """Whether a motion has no kinks at its samples: nothing is held between them."""
    return way.staged or formula is None or formula.idle
