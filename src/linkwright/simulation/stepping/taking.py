"""Steps of every motion of a batch, taken and recorded: one by one, or many in each call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.errors import InputError, ShapeError, TooLargeError, warn
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.acting.controllers import formula_of
from linkwright.simulation.acting.laws import Formula, Ruled, one_after_another, under
from linkwright.simulation.acting.outside import Outside
from linkwright.simulation.recorded.record import Efforts, Record, finite, flat
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.adaptive.steps import Control, control_of
from linkwright.simulation.stepping.integrators import Variational, method_of
from linkwright.simulation.stepping.many import kernels_of_steps, plan_of_motion, values_apart
from linkwright.simulation.stepping.parts import in_parts, projection
from linkwright.simulation.stepping.steps import (
    Way,
    asked_size,
    efforts_over_step,
    fewer_pairs,
    is_smooth,
    memory_at_start,
    stepper,
    stepper_at_stages,
)
from linkwright.spatial.arrays import Array

STEPS_BETWEEN_CHECKS, STEPS_AT_ONCE = 256, 4096
"""Steps between which progress is told, and at which it is looked whether motions go on where nobody is told it"""

ENOUGH, LEAST = 2**15, 32
"""Steps of a call: so many of all rows of a batch together, which are soon done, or so many of each"""

AGAIN = 256
"""Rows of a batch whose steps are taken again together, to see where efforts ended."""


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
    controller: Efforts | None,
    batch: tuple[int, ...],
    outside: Outside | None = None,
    tolerance: Any = None,
    last: float = 0.0,
    every: int = 1,
) -> Taking:
    """Many steps at a time where controllers are formulas, else one by one.

    ``tolerance`` is for methods that choose their steps, and ``last`` when they end, in steps; ``every``: which steps
    are recorded.
    """
    if isinstance(method_of(way.method), Embedded) and in_parts(model):
        raise InputError(
            f"{way.method!r} is for mechanisms of fewer bodies than the {len(model.links)} of {model.name!r}: take "
            "'rk4'"
        )
    formula = formula_of(controller, model)
    if outside is not None and not (formula and formula.outside) and (controller is None or formula is not None):
        formula = under(formula, outside, model)
    if (controller is None or formula is not None) and not isinstance(method_of(way.method), Variational):
        state = controller.state if isinstance(controller, Ruled) else np.zeros((*batch, 0))
        try:
            return _Together(model, way, formula, state, batch, (tolerance, last), every)
        except TooLargeError as error:
            single, reason = _OneByOne(model, way, controller, batch, outside, tolerance), str(error)
            if model.pairs and single.is_compiled and not in_parts(model):
                derived(model, _warn_of_single_steps, way, make=lambda: _warn_of_single_steps(model, reason))
            return single
    return _OneByOne(model, way, controller, batch, outside, tolerance)


def _warn_of_single_steps(model: Model, reason: str) -> None:
    warn(
        f"many steps of {model.name!r} are too large for one kernel ({reason}); each is a call from Python"
        f"{fewer_pairs(model)}"
    )


class _OneByOne:
    def __init__(
        self,
        model: Model,
        way: Way,
        controller: Efforts | None,
        batch: tuple[int, ...],
        outside: Outside | None,
        tolerance: Any,
    ):
        self._model, self._controller, self._size = model, controller, asked_size(model, way.constraints)
        self._servos = way.constraints if way.constraints is not None and way.constraints.servos else None
        self._tau = np.zeros((*batch, self._size))
        self._told = np.zeros((*batch, 1)) if outside is None else outside.told(batch)
        self._pushing = outside.pushing(model) if outside is not None and way.staged else None
        self._step = None if way.staged else stepper(model, way, outside)
        self._staged = stepper_at_stages(model, way) if way.staged else None
        self._projection = projection(model) if way.projecting else None
        self._adapts, self._struck = isinstance(method_of(way.method), Embedded), way.constraints is not None
        self._memory = memory_at_start(model, way, False, tolerance, 0.0, self._tau, self._tau[..., : model.nv])
        if not self._memory.shape[-1]:
            self._memory = np.zeros((*batch, 1))

    @property
    def is_compiled(self) -> bool:
        """Whether a step is machine code."""
        return isinstance(self._step, Kernel)

    def take(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        tau, h, every, controller = self._tau, record.h, record.every, self._controller
        step, staged = self._step, self._staged
        for k in range(first, first + count):
            if controller is not None:
                if not record.goes_on(q, v):
                    break
                tau = record.efforts(controller, record.time(k), q, v, self._size)
            if step is not None:
                q, v, self._memory = step(q, v, tau, h, record.time(k), self._told, self._memory)
            else:
                assert staged is not None
                acting = tau if self._pushing is None else tau + self._pushing(q, v, record.time(k), self._told)
                q, v = staged(record.time(k), q, v, acting, h, lambda t, q, v: self._asked(record, t, q, v))
            if controller is not None and k % every == 0:
                record.tau[k // every] = self._acted(tau, self._memory, h)
            if (k + 1) % every == 0:
                record.keep(q, v, self._state())
        return q, v

    def _acted(self, tau: Array, memory: Array, h: float) -> Array:
        """The efforts (…, nv) of a step: with servos the mean over it."""
        return tau if self._servos is None else efforts_over_step(self._model, self._servos, tau, memory, h)

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
        t = record.time(first)
        asked = record.efforts(self._controller, t, q, v, self._size)
        if self._servos is None:
            return asked
        assert self._step is not None  # what servos will do is known by the step that would follow
        *_, memory = self._step(q, v, asked, record.h, t, self._told, self._memory)
        return self._acted(asked, memory, record.h)


class _Together:
    """Many steps in each call of a kernel, which writes them where the record has them."""

    def __init__(
        self,
        model: Model,
        way: Way,
        formula: Formula | None,
        state: Array,
        batch: tuple[int, ...],
        adapting: tuple[Any, float],
        every: int,
    ):
        """``state``: the law's at the start; ``adapting``: the tolerance, and when the motion ends, in steps."""
        self._model, self._way, self._batch, self._adapting = model, way, batch, adapting
        self._smooth, self._law = is_smooth(way, formula), state
        self._plan = plan_of_motion(model, way, formula)
        self._kernel = kernels_of_steps(model, self._plan)[every > 1]
        self._kernel.prepare(rows=not batch, batches=bool(batch))  # before time is measured
        try:
            shared, own = values_apart(self._plan, batch)
        except ValueError:
            of = one_after_another(self._plan.values, self._plan.shapes).shape[:-1]
            raise ShapeError(f"the controller is for motions {of}; simulated are {batch}") from None
        nothing = np.zeros(max(1, state.shape[-1]))  # no motion begins again
        self._told = [np.zeros(model.nq), np.zeros(model.nv), nothing, shared, flat(own)]
        """arguments of the kernel that stay"""
        self._closing = projection(model) if way.projecting and "memory" in self._plan.layout.places else None
        """what closes loops; without it a step of no time does, where that does nothing else"""
        self._rest: Array | None = None

    def take(self, record: Record, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        end, every = first + count, record.every
        most = max(LEAST, ENOUGH // max(1, math.prod(self._batch)))
        while first < end:
            each = min(every - first % every, end - first)
            calls = max(1, min(end - first, most) // every) if each == every else 1
            now = (q, v, self._rest_at(q, v, first + record.before))
            found = self._called(now, self._told, record.h, calls, each, record.places(first, calls, each))
            if "begun" in found and not np.isfinite(found["v"][-1]).all():
                self._look_for_efforts(record, now, first, calls, each, found)
            first += calls * each
            q, v, self._rest = (found[name][calls - 1] for name in ("q", "v", "rest"))
            record.written(first)
        return q, v

    def _rest_at(self, q: Array, v: Array, step: float) -> Array:
        """What motions carry beside q and v before a step of this number."""
        if self._rest is None:
            memory = memory_at_start(self._model, self._way, self._smooth, *self._adapting, q, v)
            self._rest = np.concatenate([np.zeros((*self._batch, 1)), self._law, memory], axis=-1)
        self._rest[..., 0] = step
        return self._rest

    def _called(
        self, now: Sequence[Array], told: Sequence[Array], h: float, calls: int, each: int, places: dict[str, Array]
    ) -> dict[str, Array]:
        """All results (calls, …, n) of so many calls of so many steps, where there are places for them."""
        lead = now[0].shape[:-1]
        rows = (math.prod(lead),) if lead else ()
        found = {
            name: places[name] if name in places else np.empty((calls, *lead, *slot.shape))
            for name, slot in zip(("q", "v", "rest", *self._plan.more), self._kernel.program.outputs, strict=True)
        }
        if math.prod(rows):
            given = [x.reshape((*rows, x.shape[-1])) for x in now]
            results = [x.reshape((calls, *rows, x.shape[-1])) for x in found.values()]
            given += [*told, np.array([h, each, 1.0])]
            if calls == 1:
                self._kernel(*given, out=tuple(x[0] for x in results))
            else:
                self._kernel.in_sequence(calls, given, {0: 0, 1: 1, 2: 2}, results, each)
        return found

    def _look_for_efforts(
        self, record: Record, before: Sequence[Array], first: int, calls: int, each: int, found: dict[str, Array]
    ) -> None:
        """Tell the record of motions that end for want of efforts: of steps that are not told, by taking them again."""
        if each == 1:
            q, v = (np.concatenate([x[None], found[name]]) for x, name in zip(before, "qv", strict=False))
            return record.look_for_efforts(first, q, v, found["begun"])
        *told, own = self._told
        ended = np.flatnonzero(finite(*before[:2]) & ~finite(found["q"][-1], found["v"][-1]))
        for k in range(0, len(ended), AGAIN):
            rows = ended[k : k + AGAIN] if self._batch else ...
            now = [flat(x)[rows] for x in before]
            of_each = [*told, own if own.ndim == 1 else own[rows]]
            again = self._called(now, of_each, record.h, calls * each, 1, {})
            self._look_for_efforts(record, now, first, calls * each, 1, again)

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v) with the loops closed. What grows beyond all numbers stays."""
        if self._closing is not None:
            return self._closing(q, v)
        found = self._called((q, v, self._rest_at(q, v, 0.0)), self._told, 0.0, 1, 1, {})
        there = np.asarray(finite(found["q"][0], found["v"][0]))[..., None]
        return np.where(there, found["q"][0], q), np.where(there, found["v"][0], v)

    def efforts(self, record: Record, q: Array, v: Array, first: int) -> Array:
        now = (q, v, self._rest_at(q, v, first + record.before))
        return self._called(now, self._told, record.h, 1, 1, {})["begun"][0]

    @property
    def control(self) -> Control | None:
        """What is known of the steps."""
        if self._rest is None or not isinstance(method_of(self._way.method), Embedded):
            return None
        return control_of(self._plan.layout.apart(self._rest)["memory"])
