"""Steppers: they advance a batch of motions by many steps and record them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.public import kernel_of
from linkwright.dynamics import project
from linkwright.errors import InputError, ShapeError, TooLargeError, warn
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.actuation.external_forces import ExternalForces
from linkwright.simulation.actuation.law_controller import (
    EffortFunction,
    LawController,
    pack_values,
    with_external_forces,
)
from linkwright.simulation.actuation.posture_control import effort_function_of
from linkwright.simulation.integrators.adaptive_step import StepSizeControl, step_size_control
from linkwright.simulation.integrators.methods import EmbeddedPair, Variational, method_of
from linkwright.simulation.integrators.split_kernels import step_in_parts
from linkwright.simulation.integrators.step_function import (
    StepOptions,
    efforts_over_step,
    fewer_pairs,
    is_smooth,
    memory_at_start,
    output_size,
    staged_step_function,
    step_function,
)
from linkwright.simulation.integrators.step_kernels import motion_kernel_spec, shared_and_own_values, step_kernels
from linkwright.simulation.recording.recorder import Efforts, MotionRecorder, finite, flat
from linkwright.spatial.arrays import Array

STEPS_BETWEEN_CHECKS, STEPS_AT_ONCE = 256, 4096
"""Steps between reports of progress; steps between tests for divergence without reports"""

ENOUGH, LEAST = 2**15, 32
"""Steps of a call: the first number for all rows of a batch together, at least the second for each row"""

AGAIN = 256
"""Rows of a batch whose steps are repeated together, to find where efforts were not finite"""


class Stepper(Protocol):
    """Advances every motion of a batch by steps."""

    def take(self, record: MotionRecorder, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        """Return (q, v) after ``count`` steps from step ``first``, all recorded."""

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return (q, v) with the loops closed."""

    def efforts(self, record: MotionRecorder, q: Array, v: Array, first: int) -> Array:
        """Return the efforts (…, nv) of the controller at step ``first``."""

    @property
    def control(self) -> StepSizeControl | None:
        """State of the step size control, of an adaptive method."""


def make_stepper(
    model: Model,
    options: StepOptions,
    controller: Efforts | None,
    batch: tuple[int, ...],
    external: ExternalForces | None = None,
    tolerance: Any = None,
    last: float = 0.0,
    every: int = 1,
) -> Stepper:
    """Return a stepper that takes many steps in each call; with an uncompiled controller, one step.

    ``tolerance`` and ``last``, the time of the end in steps, are for adaptive methods; ``every``: interval of samples.
    """
    if isinstance(method_of(options.method), EmbeddedPair) and step_in_parts(model):
        raise InputError(
            f"{options.method!r} is for mechanisms of fewer bodies than the {len(model.links)} of {model.name!r}: take "
            "'rk4'"
        )
    effort_function = None if controller is None else effort_function_of(controller, model)
    if (
        external is not None
        and not (effort_function and effort_function.external)
        and (controller is None or effort_function is not None)
    ):
        effort_function = with_external_forces(effort_function, external, model)
    if (controller is None or effort_function is not None) and not isinstance(method_of(options.method), Variational):
        state = controller.state if isinstance(controller, LawController) else np.zeros((*batch, 0))
        try:
            return _KernelStepper(model, options, effort_function, state, batch, (tolerance, last), every)
        except TooLargeError as error:
            _require_one_stage(model, options, effort_function, error)
            single, reason = _SingleStepper(model, options, controller, batch, external, tolerance), str(error)
            if model.pairs and single.is_compiled and not step_in_parts(model):
                derived(
                    model, _warn_of_single_steps, options, make=lambda: _warn_of_single_steps(model, options, reason)
                )
            return single
    return _SingleStepper(model, options, controller, batch, external, tolerance)


def _require_one_stage(
    model: Model, options: StepOptions, effort_function: EffortFunction | None, error: TooLargeError
) -> None:
    """Raise an error for actuators under a method of several stages, since single steps hold the efforts."""
    method = method_of(options.method)
    if effort_function is not None and effort_function.actuated and len(getattr(method, "stages", ())) > 1:
        raise TooLargeError(
            f"the actuators of {model.name!r} act at every stage of {options.method!r}, for which its steps are too "
            f"large for machine code ({error}): take 'semi_implicit' or 'euler'{fewer_pairs(model, options)}"
        ) from None


def _warn_of_single_steps(model: Model, options: StepOptions, reason: str) -> None:
    warn(
        f"many steps of {model.name!r} are too large for one kernel ({reason}); each is a call from Python"
        f"{fewer_pairs(model, options)}"
    )


class _SingleStepper:
    def __init__(
        self,
        model: Model,
        options: StepOptions,
        controller: Efforts | None,
        batch: tuple[int, ...],
        external: ExternalForces | None,
        tolerance: Any,
    ):
        self._model, self._controller, self._size = model, controller, output_size(model, options.constraints)
        self._servos = options.constraints if options.constraints is not None and options.constraints.servos else None
        self._tau = np.zeros((*batch, self._size))
        self._external_values = np.zeros((*batch, 1)) if external is None else external.packed_values(batch)
        self._external_efforts = external.effort_kernel(model) if external is not None and options.staged else None
        self._step = None if options.staged else step_function(model, options, external)
        self._staged = staged_step_function(model, options) if options.staged else None
        self._projection = kernel_of(project, model) if options.projecting else None
        self._is_adaptive, self._has_impulses = (
            isinstance(method_of(options.method), EmbeddedPair),
            options.constraints is not None,
        )
        self._memory = memory_at_start(model, options, False, tolerance, 0.0, self._tau, self._tau[..., : model.nv])
        if not self._memory.shape[-1]:
            self._memory = np.zeros((*batch, 1))

    @property
    def is_compiled(self) -> bool:
        """Return whether the step is machine code."""
        return isinstance(self._step, Kernel)

    def take(self, record: MotionRecorder, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        tau, h, every, controller = self._tau, record.h, record.every, self._controller
        step, staged = self._step, self._staged
        for k in range(first, first + count):
            if controller is not None:
                if not record.any_finite(q, v):
                    break
                tau = record.efforts(controller, record.time(k), q, v, self._size)
            if step is not None:
                q, v, self._memory = step(q, v, tau, h, record.time(k), self._external_values, self._memory)
            else:
                assert staged is not None
                acting = (
                    tau
                    if self._external_efforts is None
                    else tau + self._external_efforts(q, v, record.time(k), self._external_values)
                )
                q, v = staged(record.time(k), q, v, acting, h, lambda t, q, v: self._efforts_at_stage(record, t, q, v))
            if controller is not None and k % every == 0:
                record.tau[k // every] = self._mean_efforts(tau, self._memory, h)
            if (k + 1) % every == 0:
                record.add_sample(q, v, self._state())
        return q, v

    def _mean_efforts(self, tau: Array, memory: Array, h: float) -> Array:
        """Return the efforts (…, nv) of a step; with servos their mean."""
        return tau if self._servos is None else efforts_over_step(self._model, self._servos, tau, memory, h)

    def _state(self) -> Array | None:
        """Return the recorded state: that of the controller, then impulses."""
        own = [self._controller.state] if isinstance(self._controller, LawController) else []
        own += [self._memory] if self._has_impulses else []
        return np.concatenate(own, axis=-1) if own else None

    @property
    def control(self) -> StepSizeControl | None:
        """See :class:`Stepper`."""
        return step_size_control(self._memory) if self._is_adaptive else None

    def _efforts_at_stage(self, record: MotionRecorder, t: float, q: Array, v: Array) -> Array:
        assert self._controller is not None
        record.any_finite(q, v)
        tau = record.efforts(self._controller, t, q, v)
        return tau if self._external_efforts is None else tau + self._external_efforts(q, v, t, self._external_values)

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        assert self._projection is not None
        return self._projection(q, v)

    def efforts(self, record: MotionRecorder, q: Array, v: Array, first: int) -> Array:
        assert self._controller is not None
        t = record.time(first)
        output = record.efforts(self._controller, t, q, v, self._size)
        if self._servos is None:
            return output
        assert self._step is not None  # efforts of servos follow from the next step
        *_, memory = self._step(q, v, output, record.h, t, self._external_values, self._memory)
        return self._mean_efforts(output, memory, record.h)


class _KernelStepper:
    """Takes many steps in each call of a kernel, which writes into the buffers of the recorder."""

    def __init__(
        self,
        model: Model,
        options: StepOptions,
        effort_function: EffortFunction | None,
        state: Array,
        batch: tuple[int, ...],
        adapting: tuple[Any, float],
        every: int,
    ):
        """``state``: initial state of the controller; ``adapting``: tolerance, and time of the end in steps."""
        self._model, self._way, self._batch, self._adapting = model, options, batch, adapting
        self._smooth, self._law = is_smooth(options, effort_function), state
        self._spec = motion_kernel_spec(model, options, effort_function)
        self._kernel = step_kernels(model, self._spec)[every > 1]
        self._kernel.prepare(rows=not batch, batches=bool(batch), soon=True)  # outside of the measured time
        try:
            shared, own = shared_and_own_values(self._spec, batch)
        except ValueError:
            of = pack_values(self._spec.values, self._spec.shapes).shape[:-1]
            raise ShapeError(f"the controller is for motions {of}; simulated are {batch}") from None
        nothing = np.zeros(max(1, state.shape[-1]))  # no motion restarts
        self._constant = [np.zeros(model.nq), np.zeros(model.nv), nothing, shared, flat(own)]
        """constant arguments of the kernel"""
        self._closing = (
            kernel_of(project, model) if options.projecting and "memory" in self._spec.layout.places else None
        )
        """projection on loops; without it a step of zero time projects, where it does nothing else"""
        self._rest: Array | None = None

    def take(self, record: MotionRecorder, q: Array, v: Array, first: int, count: int) -> tuple[Array, Array]:
        end, every = first + count, record.every
        most = max(LEAST, ENOUGH // max(1, math.prod(self._batch)))
        while first < end:
            each = min(every - first % every, end - first)
            calls = max(1, min(end - first, most) // every) if each == every else 1
            now = (q, v, self._rest_at(q, v, first + record.before))
            found = self._called(now, self._constant, record.h, calls, each, record.buffers(first, calls, each))
            if "begun" in found and not np.isfinite(found["v"][-1]).all():
                self._count_missing_efforts(record, now, first, calls, each, found)
            first += calls * each
            q, v, self._rest = (found[name][calls - 1] for name in ("q", "v", "rest"))
            record.mark_recorded(first)
        return q, v

    def _rest_at(self, q: Array, v: Array, step: float) -> Array:
        """Return the carried state of motions before a step of this number."""
        if self._rest is None:
            memory = memory_at_start(self._model, self._way, self._smooth, *self._adapting, q, v)
            self._rest = np.concatenate([np.zeros((*self._batch, 1)), self._law, memory], axis=-1)
        self._rest[..., 0] = step
        return self._rest

    def _called(
        self, now: Sequence[Array], constant: Sequence[Array], h: float, calls: int, each: int, places: dict[str, Array]
    ) -> dict[str, Array]:
        """Return all results (calls, …, n) of ``calls`` calls of ``each`` steps, in the given buffers."""
        lead = now[0].shape[:-1]
        rows = (math.prod(lead),) if lead else ()
        found = {
            name: places[name] if name in places else np.empty((calls, *lead, *slot.shape))
            for name, slot in zip(("q", "v", "rest", *self._spec.more), self._kernel.program.outputs, strict=True)
        }
        if math.prod(rows):
            given = [x.reshape((*rows, x.shape[-1])) for x in now]
            results = [x.reshape((calls, *rows, x.shape[-1])) for x in found.values()]
            given += [*constant, np.array([h, each, 1.0])]
            if calls == 1:
                self._kernel(*given, out=tuple(x[0] for x in results))
            else:
                self._kernel.sequence(calls, given, {0: 0, 1: 1, 2: 2}, results, each)()
        return found

    def _count_missing_efforts(
        self,
        record: MotionRecorder,
        before: Sequence[Array],
        first: int,
        calls: int,
        each: int,
        found: dict[str, Array],
    ) -> None:
        """Count motions that end because efforts are not finite; steps without recorded efforts are repeated."""
        if each == 1:
            q, v = (np.concatenate([x[None], found[name]]) for x, name in zip(before, "qv", strict=False))
            return record.count_missing_efforts(first, q, v, found["begun"])
        *constant, own = self._constant
        ended = np.flatnonzero(finite(*before[:2]) & ~finite(found["q"][-1], found["v"][-1]))
        for k in range(0, len(ended), AGAIN):
            rows = ended[k : k + AGAIN] if self._batch else ...
            now = [flat(x)[rows] for x in before]
            of_each = [*constant, own if own.ndim == 1 else own[rows]]
            again = self._called(now, of_each, record.h, calls * each, 1, {})
            self._count_missing_efforts(record, now, first, calls * each, 1, again)

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return (q, v) with the loops closed; diverged states stay unchanged."""
        if self._closing is not None:
            return self._closing(q, v)
        found = self._called((q, v, self._rest_at(q, v, 0.0)), self._constant, 0.0, 1, 1, {})
        there = np.asarray(finite(found["q"][0], found["v"][0]))[..., None]
        return np.where(there, found["q"][0], q), np.where(there, found["v"][0], v)

    def efforts(self, record: MotionRecorder, q: Array, v: Array, first: int) -> Array:
        now = (q, v, self._rest_at(q, v, first + record.before))
        return self._called(now, self._constant, record.h, 1, 1, {})["begun"][0]

    @property
    def control(self) -> StepSizeControl | None:
        """See :class:`Stepper`."""
        if self._rest is None or not isinstance(method_of(self._way.method), EmbeddedPair):
            return None
        return step_size_control(self._spec.layout.split(self._rest)["memory"])
