"""Steps as machine code: one at a time, or many of them in a loop of one kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import Bound, bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.public import RowByRow
from linkwright.dynamics.closed_loops.forces import Gains
from linkwright.errors import InputError, ShapeError, TooLargeError, warn
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.adaptive.pair import Embedded
from linkwright.simulation.adaptive.steps import (
    Control,
    control_of,
    held_interval,
    memory_at_start,
    memory_size,
    smooth_interval,
)
from linkwright.simulation.controllers import formula_of
from linkwright.simulation.impacts import Constraints, constrained_step
from linkwright.simulation.integrators import (
    Efforts,
    Options,
    Tableau,
    Variational,
    driven_step,
    method_of,
    total_acceleration,
)
from linkwright.simulation.laws import Formula, Ruled, apart, no_efforts, size_of, under
from linkwright.simulation.outside import Outside
from linkwright.simulation.parts import Projection, accelerating, in_parts, projection
from linkwright.simulation.record import Controller, Record, flat
from linkwright.simulation.stages import StagedStepper, staged_stepper
from linkwright.simulation.variational import variational_stepper
from linkwright.spatial.arrays import Array
from linkwright.spatial.repeats import until

UNROLLED = 1000
"""Instructions of a step, its stages a loop, up to which they are written out instead.

That runs up to 6 % faster where steps are short; long ones run as fast in a loop and are compiled in a third of the
time.
"""

TOGETHER = 32
"""Steps of one call, at most: Python's share of each is small, and what they give fits the near caches."""

STEPS_BETWEEN_CHECKS = 256

SCRATCH = 2**20
"""Bytes of states that rows of a batch may give together before they are put in the record."""

ENOUGH = 2000
"""Steps, of all rows of a batch, for which a call of its own costs nothing: what is not recorded need not be told."""

LANES = 16
"""Rows that are taken together are a multiple of this, which all machines' lanes divide."""

Stepper = Callable[..., tuple[Array, Array, Array]]
"""(q, v, tau, h, t, told, memory) -> (q, v, memory): what acts from outside is told, and a method may remember"""


class Way(NamedTuple):
    """How steps are taken."""

    method: str
    gains: Gains | None = None
    """of Baumgarte's stabilisation"""
    projecting: bool = False
    """whether loops are closed after each"""
    staged: bool = False
    """whether efforts are asked for at every stage"""
    constraints: Constraints | None = None
    """what acts by impulses, which are remembered from step to step"""

    @property
    def options(self) -> Options:
        """Of forward dynamics."""
        return {} if self.gains is None else {"stabilisation": self.gains}


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

    def steps(looped: bool) -> Bound:
        def simulation_step(
            model: Model, q: Array, v: Array, tau: Array, h: Any, t: Any, told: Array, memory: Array
        ) -> tuple[Array, Array, Array]:
            def pushing(t: Any, q: Array, v: Array) -> Array:
                assert outside is not None
                return outside.efforts(model, t, q, v, *apart(told, outside.shapes))

            acting = None if outside is None else pushing
            q, v, _, memory = one_step(model, way, t, q, v, lambda t, q, v: tau, h, looped, acting, memory)
            return q, v, memory

        size = 1 if outside is None else size_of(outside.shapes)
        sizes = {"h": (), "t": (), "told": (size,), "memory": (max(1, memory_of(model, way, False)),)}
        return bind(simulation_step, model, sizes)

    try:
        if in_parts(model) and isinstance(chosen, Tableau):
            raise TooLargeError(f"{len(model.links)} bodies")
        return _compiled(steps, chosen, model)
    except TooLargeError as error:
        if isinstance(chosen, Tableau):
            return _stepper_of_stages(model, way, outside)
        warn(
            f"a step of {model.name!r} ({len(model.bodies)} bodies) is too large for straight-line code ({error}); "
            "it runs uncompiled",
        )
        return RowByRow(steps(False))


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
) -> tuple[Array, Array, Array, Array]:
    """(q, v), the efforts at the beginning, and what is remembered."""
    chosen = method_of(way.method)
    if way.constraints is not None:
        tau = efforts(t, q, v)
        acting = tau if outside is None else tau + outside(t, q, v)
        q, v, memory = constrained_step(model, q, v, acting, h, memory, way.constraints)
        return (*(dynamics.project(model, q, v) if way.projecting else (q, v)), tau, memory)
    if isinstance(chosen, Embedded):
        tau = efforts(t, q, v)
        rest = (way.options, way.projecting, looped, outside)
        q, v, memory = held_interval(model, chosen, t, h, q, v, lambda t, q, v: tau, memory, *rest)
        return q, v, tau, memory
    held = not way.staged
    found = driven_step(model, t, q, v, efforts, h, way.method, way.options, way.projecting, held, looped, outside)
    return (*found, memory)


def memory_of(model: Model, way: Way, smooth: bool) -> int:
    """How many numbers a step needs of the one before; ``smooth``: whether nothing is held over steps."""
    if way.constraints is not None:
        return way.constraints.size(model)
    return memory_size(model, smooth) if isinstance(method_of(way.method), Embedded) else 0


def _compiled(steps: Callable[[bool], Bound], method: Any, model: Model) -> Kernel:
    """The kernel of steps, whose stages are a loop where they are long."""
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


def steps_together(model: Model, way: Way, formula: Formula | None) -> tuple[Kernel, Kernel] | None:
    """Many steps in one kernel, under no efforts or those of a formula; None where it would be too large.

    Beside it is the one that does not tell what is between: it is made, if it is called, without a further trace.
    """

    def make() -> tuple[Kernel, Kernel] | None:
        try:
            kernel = _together(_simulated(model), way, formula)
        except TooLargeError:
            return None
        assert isinstance(kernel.program, Program)
        return kernel, Kernel(kernel.program.ends(3 if any(_carried(model, way, formula)) else 2), kernel.model)

    if in_parts(model):
        return None
    kernels: tuple[Kernel, Kernel] | None = derived(model, steps_together, way, formula and formula.key, make=make)
    return kernels


def is_smooth(way: Way, controlled: bool) -> bool:
    """Whether a motion has no kinks at its samples: nothing is held between them."""
    return way.staged or not controlled


def _carried(model: Model, way: Way, formula: Formula | None) -> tuple[int, int]:
    """How many numbers go from step to step beside (q, v): the law's state, and after it the method's memory."""
    smooth = is_smooth(way, formula is not None and not formula.idle)
    return formula.state if formula else 0, memory_of(model, way, smooth)


def _together(model: Model, way: Way, formula: Formula | None) -> Kernel:
    """The kernel (q, v, told, h, first, count[, carried]) -> (q, v[, carried]) at the end, and of each step (q, v)
    after it, its efforts and the state after it.

    ``told``: the formula's values, without one the efforts; ``first``: steps before; ``count``: how many to take;
    ``carried``: the state of a formula that has one, the memory of a method that has one.
    """
    chosen, (state, memory) = method_of(way.method), _carried(model, way, formula)
    size = model.nv if formula is None else formula.size
    smooth = is_smooth(way, formula is not None and not formula.idle)

    def steps(looped: bool) -> Bound:
        def taken(
            model: Model, q: Array, v: Array, told: Array, h: Any, first: Any, count: Any, *carried: Array
        ) -> tuple[Array, ...]:
            def one(k: Any, left: Any, q: Array, v: Array, *more: Array) -> tuple[Any, ...]:
                before = more[formula is not None :]
                after: list[Array] = []

                def efforts(t: Any, q: Array, v: Array) -> Array:
                    if formula is None:
                        return told
                    if not state:
                        return formula.efforts(model, t, q, v, told)  # type: ignore[no-any-return]
                    tau, new = formula.efforts(model, t, q, v, told, before[0][:state])
                    after[:] = [new]
                    return tau  # type: ignore[no-any-return]

                def pushing(t: Any, q: Array, v: Array) -> Array:
                    assert formula is not None
                    return formula.pushing(model, t, q, v, told)

                outside, t = pushing if formula and formula.outside else None, (first + k) * h
                known = before[0][state:] if before else np.zeros(0)
                if isinstance(chosen, Embedded) and smooth:
                    tau, left_now = efforts(t, q, v), known[1] - (first + k)
                    rest = (way.options, way.projecting, looped, outside)
                    q, v, known = smooth_interval(model, chosen, t, h, left_now, efforts, known, *rest)
                else:
                    q, v, tau, known = one_step(model, way, t, q, v, efforts, h, looped, outside, known)
                if memory:
                    after.append(known)
                return left - 1.0, q, v, *([tau] if formula is not None else []), *_together_again(after)

            given = () if formula is None else (np.zeros(model.nv),)
            _, q, v, *rest, _, kept = until(_none_left, one, count, q, v, *given, *carried, limit=TOGETHER, keep=1)
            told_of = state + memory if way.constraints else state  # impulses are told, too
            recorded = [*kept[1 : 3 + len(given)], *([kept[-1][:, :told_of]] if told_of else [])]
            return q, v, *rest[len(given) :], *recorded

        def simulation_step(
            model: Model, q: Array, v: Array, told: Array, h: Any, first: Any, count: Any
        ) -> tuple[Array, ...]:
            return taken(model, q, v, told, h, first, count)

        def simulation_step_with_state(
            model: Model, q: Array, v: Array, told: Array, h: Any, first: Any, count: Any, carried: Array
        ) -> tuple[Array, ...]:
            return taken(model, q, v, told, h, first, count, carried)

        sizes: dict[str, tuple[int, ...]] = {"told": (size,), "h": (), "first": (), "count": ()}
        if state + memory:
            return bind(simulation_step_with_state, model, {**sizes, "carried": (state + memory,)})
        return bind(simulation_step, model, sizes)

    return _compiled(steps, chosen, model)


def _together_again(pieces: list[Array]) -> list[Array]:
    return [np.concatenate(pieces)] if len(pieces) > 1 else pieces


def _none_left(left: Any, *state: Array) -> Any:
    return left < 0.5


class Taking(Protocol):
    """A way to take steps of every motion of a batch."""

    def take(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        """(q, v) after ``count`` steps that follow the ``first``, all recorded."""

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v) with the loops closed."""

    def efforts(self, record: Record, q: Array, v: Array, first: int) -> Array:
        """The controller's efforts (…, nv) after the ``first`` steps."""

    @property
    def control(self) -> Control | None:
        """What is known of steps whose lengths the method chooses."""


def way_of_steps(
    model: Model,
    way: Way,
    controller: Controller | None,
    batch: tuple[int, ...],
    outside: Outside | None = None,
    tolerance: Any = None,
    last: float = 0.0,
) -> Taking:
    """Many steps at a time where controllers are formulas, else one by one.

    ``tolerance`` is for methods that choose their steps, and ``last`` when they end, in steps.
    """
    if isinstance(method_of(way.method), Embedded) and in_parts(model):
        raise InputError(
            f"{way.method!r} is for mechanisms of fewer bodies than the {len(model.links)} of {model.name!r}: take "
            "'rk4'"
        )
    formula = formula_of(controller, model)
    if outside is not None and not (formula and formula.outside) and (controller is None or formula is not None):
        formula = under(formula, outside, model)
    if way.constraints is not None and controller is None and formula is None:
        formula = no_efforts()
    if (controller is None or formula is not None) and not isinstance(method_of(way.method), Variational):
        kernels = steps_together(model, way, formula)
        if kernels is not None:
            state = controller.state if isinstance(controller, Ruled) else np.zeros((*batch, 0))
            if isinstance(method_of(way.method), Embedded):
                smooth = is_smooth(way, formula is not None and not formula.idle)
                return _Adapting(model, smooth, (tolerance, last), kernels, formula, state, batch)
            if way.constraints is not None:
                state = np.concatenate([state, np.zeros((*batch, way.constraints.size(model)))], axis=-1)
                return _Struck(kernels, formula, state, batch, projection(model) if way.projecting else None)
            return _Together(kernels, formula, state, batch)
    return _OneByOne(model, way, controller, batch, outside, tolerance)


class _OneByOne:
    def __init__(
        self,
        model: Model,
        way: Way,
        controller: Controller | None,
        batch: tuple[int, ...],
        outside: Outside | None,
        tolerance: Any,
    ):
        self._controller, self._tau = controller, np.zeros((*batch, model.nv))
        self._told = np.zeros((*batch, 1)) if outside is None else outside.told(batch)
        self._pushing = outside.pushing(model) if outside is not None and way.staged else None
        self._step = None if way.staged else stepper(model, way, outside)
        self._staged = stepper_at_stages(model, way) if way.staged else None
        self._projection = projection(model) if way.projecting else None
        self._adapts, self._struck = isinstance(method_of(way.method), Embedded), way.constraints is not None
        self._memory = np.zeros((*batch, max(1, memory_of(model, way, False))))
        if self._adapts:
            self._memory = memory_at_start(model, False, tolerance, 0, self._tau, self._tau)

    def take(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        tau, h, every, controller = self._tau, record.h, record.every, self._controller
        step, staged = self._step, self._staged
        for k in range(first, first + count):
            if controller is not None:
                if not record.goes_on(q, v):
                    break
                tau = record.efforts(controller, record.time(k), q, v)
                if k % every == 0:
                    record.tau[k // every] = tau
            if step is not None:
                q, v, self._memory = step(q, v, tau, h, record.time(k), self._told, self._memory)
            else:
                assert staged is not None
                acting = tau if self._pushing is None else tau + self._pushing(q, v, record.time(k), self._told)
                q, v = staged(record.time(k), q, v, acting, h, lambda t, q, v: self._asked(record, t, q, v))
            if (k + 1) % every == 0:
                record.keep(q, v, self._state())
        return q, v

    def _state(self) -> Array | None:
        """What is recorded of the law, and of impulses."""
        own = [self._controller.state] if isinstance(self._controller, Ruled) else []
        own += [self._memory] if self._struck else []
        return np.concatenate(own, axis=-1) if own else None

    @property
    def control(self) -> Control | None:
        """What is known of the steps."""
        return control_of(self._memory) if self._adapts else None

    def _asked(self, record: Record, t: float, q: Array, v: Array) -> Array:
        assert self._controller is not None
        record.goes_on(q, v)
        tau = record.efforts(self._controller, t, q, v)
        return tau if self._pushing is None else tau + self._pushing(q, v, t, self._told)

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        assert self._projection is not None
        return self._projection(q, v)

    def efforts(self, record: Record, q: Array, v: Array, first: int) -> Array:
        assert self._controller is not None
        return record.efforts(self._controller, record.time(first), q, v)


class _Together:
    control: Control | None = None

    def __init__(self, kernels: tuple[Kernel, Kernel], formula: Formula | None, state: Array, batch: tuple[int, ...]):
        (kernel, self._ends), self._controlled = kernels, formula is not None
        self._state: tuple[Array, ...] = (state,) if state.shape[-1] else ()
        """of the law, where the steps are"""
        self._kernel, self._batch = kernel, batch
        kernel.prepare(rows=not batch, batches=bool(batch))  # before time is measured
        told = np.zeros(kernel.program.inputs[2].shape) if formula is None else formula.told()
        try:
            self._told = told if told.ndim == 1 else flat(np.broadcast_to(told, (*batch, told.shape[-1])))
        except ValueError:
            raise ShapeError(f"the controller is for motions {told.shape[:-1]}; simulated are {batch}") from None
        self._ending = 2 + len(self._state)
        slots = kernel.program.outputs[self._ending :]
        size = 8 * sum(slot.size for slot in slots)
        self._rows = min(math.prod(batch), max(LANES, SCRATCH // max(1, size) // LANES * LANES))
        self._states = [np.empty((*([self._rows] if batch else []), *slot.shape)) for slot in slots]

    def _without_states(self, every: int) -> bool:
        """Whether states between are better left away than picked from: where rows of a batch are many."""
        return every > 1 and not self._controlled and every * math.prod(self._batch) > ENOUGH

    def take(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        end, every = first + count, record.every
        if not self._batch:
            q, v, first = self._single(record, q, v, first, end)
        while first < end:
            some = min(TOGETHER, end - first)
            if self._without_states(every):
                some = min(some, every - first % every)
            q, v = self._some(record, q, v, first, some)
            first += some
        return q, v

    def _single(self, record: Record, q: Array, v: Array, first: int, end: int) -> tuple[Array, Array, int]:
        """Steps of a single motion as long as they are many, where it can be straight to the record.

        (q, v) then, and how many there are.
        """
        kernel, told, h = self._kernel, self._told, float(record.h)
        now: tuple[Array, ...] = (q, v, *self._state)
        ends, following = [tuple(np.empty(x.shape) for x in now) for _ in range(2)]
        states = tuple(self._states)
        while end - first >= TOGETHER:
            last = first + TOGETHER
            if record.every == 1:
                states = tuple(record.places(first, TOGETHER, ...)[: len(states)])
            kernel(*now[:2], told, h, first + record.before, float(TOGETHER), *now[2:], out=(*ends, *states))
            if record.every != 1:
                record.write(first, TOGETHER, states, ...)
            if self._controlled and not np.isfinite(ends[1]).all():
                record.look_for_efforts(first, now, states)
            record.written(last)
            now, ends, following, first = ends, following, ends, last
        self._state = tuple(x.copy() for x in now[2:])
        return now[0], now[1], first

    def _some(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        after = tuple(np.empty(x.shape) for x in (q, v, *self._state))
        direct, alone = count == TOGETHER and record.every == 1, self._without_states(record.every)
        for rows, before in self._blocks(q, v):
            ends = [flat(x)[rows] for x in after]
            if alone:
                self._call(before, rows, (record.h, first + record.before, count), ends)
                continue
            states = record.places(first, count, rows)[: len(self._states)] if direct else self._memory(before[0])
            self._call(before, rows, (record.h, first + record.before, count), [*ends, *states])
            if not direct:
                record.write(first, count, states, rows)
            if self._controlled and not np.isfinite(ends[1]).all():
                record.look_for_efforts(first, before, states)
        if alone and (first + count) % record.every == 0:
            record.keep(*after[:2])
        elif not alone:
            record.written(first + count)
        self._state = after[2:]
        return after[0], after[1]

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v) with the loops closed: a step of no time does nothing else. What grows beyond all numbers stays."""
        after = q.copy(), v.copy()
        for rows, before in self._blocks(q, v):
            ends = [np.empty(x.shape) for x in before]
            self._call(before, rows, (0.0, 0, 1), [*ends, *self._memory(before[0])])
            finite = np.all([np.isfinite(x).all(axis=-1) for x in ends[:2]], axis=0)[..., None]
            for x, end in zip(after, ends, strict=False):
                flat(x)[rows] = np.where(finite, end, flat(x)[rows])
        return after

    def efforts(self, record: Record, q: Array, v: Array, first: int) -> Array:
        tau = np.empty(v.shape)
        for rows, before in self._blocks(q, v):
            ends, states = [np.empty(x.shape) for x in before], self._memory(before[0])
            self._call(before, rows, (record.h, first + record.before, 1), [*ends, *states])
            flat(tau)[rows] = states[2][..., 0, :]
        return tau

    def _blocks(self, q: Array, v: Array) -> Iterator[tuple[Any, tuple[Array, ...]]]:
        """Some rows of the batch after the other: which, their (q, v) and the law's state. A single motion is one."""
        now = [flat(x) for x in (q, v, *self._state)]
        n = len(now[0])
        for rows in [...] if now[0].ndim == 1 else [slice(k, k + self._rows) for k in range(0, n, self._rows or 1)]:
            yield rows, tuple(x[rows] for x in now)

    def _memory(self, q: Array) -> list[Array]:
        """For the states of as many rows as q has."""
        return self._states if q.ndim == 1 else [x[: len(q)] for x in self._states]

    def _call(
        self, before: tuple[Array, ...], rows: Any, numbers: tuple[float, float, int], out: Sequence[Array]
    ) -> None:
        """Steps of the length, after the first and as many as ``numbers`` say."""
        told = self._told if self._told.ndim == 1 else self._told[rows]
        kernel = self._kernel if len(out) > self._ending else self._ends
        kernel(*before[:2], told, *map(float, numbers), *before[2:], out=tuple(out))


class _Adapting(_Together):
    """With a method that chooses its steps, whose memory goes with the law's state."""

    def __init__(
        self, model: Model, smooth: bool, told: tuple[Any, float], kernels: Any, formula: Any, state: Array, batch: Any
    ):
        start = np.zeros((*batch, memory_size(model, smooth)))
        super().__init__(kernels, formula, np.concatenate([state, start], axis=-1), batch)
        self._model, self._smooth, self._numbers = model, smooth, told
        self._own = state.shape[-1]

    def take(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        if not first:
            start = memory_at_start(self._model, self._smooth, *self._numbers, q, v)
            self._state = (np.concatenate([self._state[0][..., : self._own], start], axis=-1),)
        return super().take(record, q, v, first, count)

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        return projection(self._model)(q, v)

    @property
    def control(self) -> Control:  # type: ignore[override]
        """What is known of the steps."""
        return control_of(self._state[0][..., self._own :])


class _Struck(_Together):
    """With impulses, which are remembered beside the law's state."""

    def __init__(self, kernels: Any, formula: Any, state: Array, batch: Any, closing: Projection | None):
        super().__init__(kernels, formula, state, batch)
        self._closing = closing

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        assert self._closing is not None  # a step of no time has no impulses
        return self._closing(q, v)
