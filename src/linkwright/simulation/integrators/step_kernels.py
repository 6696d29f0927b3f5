"""Kernels of many steps, which simulations and rollouts run.

A motion carries from step to step, in addition to q and v, one vector, its *rest*, with the parts of
:class:`StateLayout`. A kernel maps (q, v, rest, …) to their values some steps later; motions that have ended do not
change.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.bind import BoundFunction, bind
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.parameters import parametrized
from linkwright.compiler.precision import in_precision
from linkwright.errors import TooLargeError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import EffortFunction, packed_size, unpack_values
from linkwright.simulation.actuation.random_numbers import STATES, RandomGenerator
from linkwright.simulation.integrators import rollout_functions
from linkwright.simulation.integrators.methods import Efforts, method_of
from linkwright.simulation.integrators.position_sums import PositionSum, placed
from linkwright.simulation.integrators.rollout_functions import UserFunction
from linkwright.simulation.integrators.split_kernels import step_in_parts
from linkwright.simulation.integrators.step_function import (
    StepOptions,
    begun_memory,
    compiled,
    is_smooth,
    memory_entries,
    memory_length,
    restarted_memory,
    single_step,
)
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.loops.memory import is_memory_row
from linkwright.spatial.loops.repeats import until

MANY = 10**9
"""Largest number of steps of a call."""

LARGEST = 1e300
"""Motions with larger coordinates or velocities have diverged."""

DIVERGED = -1.0
"""Part "alive" of motions that have diverged; it is 1 of those that go on, and 0 of those that have ended."""


RECENT = 0.3
"""Share of the last step in the mean number of iterations"""

VALUES, NUMBERS, PARAMETERS = slice(6, 8), 8, 9
"""Indices among the arguments of :func:`step_kernels`: values that all motions share and values of each; numbers; the
first parameter."""

FED = {0: 0, 1: 1, 2: 2}
"""q, v and the carried state: arguments of a kernel, and their indices among its results."""


@dataclass(frozen=True)
class StateLayout:
    """Layout of the carried state of a motion."""

    sizes: tuple[tuple[str, int], ...]

    @property
    def size(self) -> int:
        """Size of all parts."""
        return sum(size for _, size in self.sizes)

    @cached_property  # batches read it in each step
    def places(self) -> Mapping[str, slice]:
        """Place of each part."""
        ends = np.cumsum([size for _, size in self.sizes])
        return {name: slice(int(end) - size, int(end)) for (name, size), end in zip(self.sizes, ends, strict=True)}

    @property
    def without_memory(self) -> StateLayout:
        """Layout without the memory of the method."""
        return StateLayout(tuple(one for one in self.sizes if one[0] != "memory"))

    def split(self, rest: Array) -> dict[str, Array]:
        """Split (…, size) into its parts."""
        return {name: rest[..., place] for name, place in self.places.items()}

    def join(self, pieces: Mapping[str, Array]) -> Array:
        """Join all parts, (…, size)."""
        return np.concatenate([np.asarray(pieces[name]) for name, _ in self.sizes], axis=-1)


class StepKernelSpec(NamedTuple):
    """Specification of a kernel of many steps."""

    options: StepOptions
    effort_function: EffortFunction | None
    random: slice | None
    """where the state of the controller is that of a random generator, which is not reset"""
    reward: UserFunction | None
    terminate: UserFunction | None
    reset: UserFunction | str | None
    layout: StateLayout
    parameters: tuple[str, ...]
    more: tuple[str, ...]
    """further results: efforts of the first step, "begun", and of the last, "tau"; "reward" of all steps, and its
    "terms"; final "state" of the controller, or "carried", the same with impulses"""
    precision: str = "double"
    summed: tuple[int, ...] = ()
    """indices in q of coordinates with compensated sums"""
    terms: tuple[str, ...] = ()
    """names of the terms of the reward"""

    @property
    def key(self) -> Hashable:
        """Key of the kernel, independent of the values."""
        functions = [x if x is None or isinstance(x, str) else x.key for x in (self.reward, self.terminate, self.reset)]
        effort_function = self.effort_function
        own = None if effort_function is None else (effort_function.key, effort_function.state, effort_function.sensor)
        return (
            self.options,
            own,
            self.random and (self.random.start, self.random.stop),
            *functions,
            self.layout,
            self.parameters,
            self.more,
            self.precision,
            self.summed,
            self.terms,
        )

    @property
    def dtype(self) -> np.dtype:
        """Type of the arrays of the kernel."""
        return FORMATS[self.precision].dtype

    @property
    def most_steps(self) -> int:
        """Largest number of steps of a motion, which are counted in this precision."""
        return min(MANY, FORMATS[self.precision].most_counted)

    @property
    def values(self) -> tuple[Array, ...]:
        """Values of its functions, each (…, *shape)."""
        own = () if self.effort_function is None else self.effort_function.all_values
        return own + tuple(x for function in self._functions for x in function.values)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the values, for one motion."""
        own = () if self.effort_function is None else self.effort_function.all_shapes
        return own + tuple(shape for function in self._functions for shape in function.shapes)

    @property
    def _functions(self) -> list[UserFunction]:
        return [x for x in (self.reward, self.terminate, self.reset) if isinstance(x, UserFunction)]

    @property
    def per_motion(self) -> tuple[bool, ...]:
        """Which values differ between motions."""
        return tuple(x.ndim > len(shape) for x, shape in zip(self.values, self.shapes, strict=True))

    @property
    def restarts(self) -> bool:
        """Return whether motions restart."""
        return self.reset is not None

    def split_values(self, values: list[Any]) -> tuple[list[Any], list[list[Any]]]:
        """Split values into those of the controller and those of each other function."""
        n = 0 if self.effort_function is None else len(self.effort_function.all_shapes)
        own, at, others = values[:n], n, []
        for function in (self.reward, self.terminate, self.reset):
            count = len(function.shapes) if isinstance(function, UserFunction) else 0
            others.append(values[at : at + count])
            at += count
        return own, others


def motion_kernel_spec(model: Model, options: StepOptions, effort_function: EffortFunction | None) -> StepKernelSpec:
    """Return the specification of a recorded motion, with efforts, controller state and impulses as results."""
    smooth = is_smooth(options, effort_function)
    memory = memory_length(model, options, smooth)
    more = ["begun"] if effort_function is not None and not effort_function.idle else []
    if (effort_function is not None and effort_function.state) or (options.constraints is not None and memory):
        more.append("carried")
    layout = make_layout(effort_function, memory, False, False, None)
    return StepKernelSpec(options, effort_function, None, None, None, None, layout, (), tuple(more))


def step_kernels(model: Model, spec: StepKernelSpec) -> tuple[Kernel, Kernel]:
    """Return kernels (q, v, rest, q0, v0, start, shared, own, numbers, *parameters) -> (q, v, rest, *more).

    ``shared``, ``own``: values of all motions, and of each; ``numbers``: length and number of steps, discount; ``q0``,
    ``v0``, ``start``: state of restarts, with that of the controller. The first kernel takes one step in each call, the
    second any number. Raises :class:`TooLargeError` where they would be too large.
    """

    def make() -> tuple[Kernel, Kernel] | str:
        try:
            many = _made(model, spec)
        except TooLargeError as error:  # kept: the attempt takes as long as compilation
            return str(error)
        assert isinstance(many.program, Program)
        program = many.program
        if spec.precision != "double":
            program = in_precision(program.limited(MANY, spec.most_steps), spec.precision)
            many = Kernel(program, many.model)
        return Kernel(program.limited(spec.most_steps, 1), many.model), many

    made: tuple[Kernel, Kernel] | str
    made = derived(model, step_kernels, spec.key, spec.per_motion, spec.shapes, make=make)
    if isinstance(made, str):
        raise TooLargeError(made)
    return made


def value_sizes(spec: StepKernelSpec) -> tuple[int, int]:
    """Return the sizes of the shared values, and of those of each motion."""
    shared = [shape for shape, own in zip(spec.shapes, spec.per_motion, strict=True) if not own]
    return packed_size(shared), packed_size(
        [shape for shape, own in zip(spec.shapes, spec.per_motion, strict=True) if own]
    )


def unpacked_values(spec: StepKernelSpec, shared: Array, own: Array) -> list[Any]:
    """Return all values in order, from the packed shared ones and those of each motion."""
    shapes = list(zip(spec.shapes, spec.per_motion, strict=True))
    of_all = iter(unpack_values(shared, [shape for shape, each in shapes if not each]))
    of_each = iter(unpack_values(own, [shape for shape, each in shapes if each]))
    return [next(of_each if each else of_all) for _, each in shapes]


def shared_and_own_values(spec: StepKernelSpec, batch: tuple[int, ...]) -> list[Array]:
    """Return the packed values that all motions share, and those of each motion (*batch, size)."""
    shared, own = [], []
    for x, shape, each in zip(spec.values, spec.shapes, spec.per_motion, strict=True):
        if each:
            own.append(np.broadcast_to(x, (*batch, *shape)).reshape((*batch, math.prod(shape))))
        else:
            shared.append(np.reshape(x, -1))
    found = [np.concatenate(some, axis=-1) if some else np.zeros(1) for some in (shared, own)]
    return [x if x.shape[-1] else np.zeros(1) for x in found]


def _made(model: Model, spec: StepKernelSpec) -> Kernel:
    if step_in_parts(model):
        raise TooLargeError(f"{len(model.links)} bodies")
    whole = model if spec.parameters else model.minimal()
    shared, own = value_sizes(spec)
    sizes = {
        "rest": (spec.layout.size,),
        "q_start": (model.nq,),
        "v_start": (model.nv,),
        "start": (max(1, spec.effort_function.state if spec.effort_function else 0),),
        "shared": (shared,),
        "own": (own,),
        "numbers": (3,),
    }

    def steps(looped: bool) -> BoundFunction:
        def simulation_step(
            model: Model,
            q: Array,
            v: Array,
            rest: Array,
            q_start: Array,
            v_start: Array,
            start: Array,
            shared: Array,
            own: Array,
            numbers: Array,
        ) -> tuple[Array, ...]:
            values, h, discount = unpacked_values(spec, shared, own), numbers[0], numbers[2]
            step = RolloutStep(model, spec, values, h, discount, (q_start, v_start, start), looped)
            begun = {"begun": np.zeros(model.nv), "tau": np.zeros(model.nv), "reward": 0.0}
            begun["terms"] = np.zeros(len(spec.terms))
            recorded = [name for name in spec.more if name in begun]

            def one(k: Any, left: Any, q: Array, v: Array, rest: Array, memory: Any, *more: Any) -> tuple[Any, ...]:
                q, v, rest, memory, tau, (reward, terms) = step.advance(q, v, rest, memory)
                before = dict(zip(recorded, more, strict=True))
                found = {"tau": tau}
                if "begun" in recorded:
                    found["begun"] = where(k < 0.5, tau, before["begun"])
                if "reward" in recorded:
                    found["reward"] = before["reward"] + reward
                if "terms" in recorded:
                    found["terms"] = before["terms"] + np.stack([terms[name] for name in spec.terms])
                return left - 1.0, q, v, rest, memory, *(found[name] for name in recorded)

            x = spec.layout.split(rest)
            memory = x.get("memory", np.zeros(0))
            _, q, v, rest, memory, *found = until(
                lambda left, q, v, rest, *more: left * step.alive(rest) < 0.5,
                one,
                numbers[1],
                q,
                v,
                spec.layout.without_memory.join(x),
                begun_memory(model, spec.options, memory),
                *(begun[name] for name in recorded),
                limit=MANY,
            )
            x, more = spec.layout.without_memory.split(rest), dict(zip(recorded, found, strict=False))
            if "memory" in spec.layout.places:
                x["memory"] = step.remembered(rest, memory)
            rest = spec.layout.join(x)
            if "state" in spec.more:
                more["state"] = x["law"]
            if "carried" in spec.more:
                kept = ("law", "memory") if spec.options.constraints else ("law",)
                more["carried"] = np.concatenate([x[name] for name in kept if name in x])
            return q, v, rest, *(more[name] for name in spec.more)

        bound = bind(simulation_step, whole, sizes)
        return parametrized(bound, spec.parameters) if spec.parameters else bound

    return compiled(steps, spec.options, whole, step_kernels, spec.key, spec.per_motion, spec.shapes)


class RolloutStep:
    """One step of a motion with reward, termination and reset."""

    def __init__(
        self,
        model: Model,
        spec: StepKernelSpec,
        values: list[Any],
        h: Any,
        discount: Any,
        start: tuple[Array, Array, Array],
        looped: bool = False,
    ):
        """``looped``: whether the stages of the method are a loop."""
        self.model, self.spec, self.h, self.discount, self.start = model, spec, h, discount, start
        self.own, self.others = spec.split_values(values)
        self.looped, self.layout = looped, spec.layout.without_memory

    def alive(self, rest: Array) -> Any:
        """Return 1; 0 for a motion that has ended."""
        return self.layout.split(rest)["alive"][0] if "alive" in self.layout.places else 1.0

    def remembered(self, rest: Array, memory: Any) -> Array:
        """Return the entries of the memory (size,) after the steps; of a row, zeros for a motion that has ended.

        Steps write into the row of such a motion as long as others go on.
        """
        found = memory_entries(memory, dict(self.spec.layout.sizes)["memory"])
        ends = is_memory_row(memory) and "alive" in self.layout.places
        return where(self.alive(rest) > 0.5, found, 0.0) if ends else found

    def advance(self, q: Array, v: Array, rest: Array, memory: Any) -> tuple[Array, Array, Array, Any, Array, Any]:
        """Return (q, v, rest, memory) after a step, its efforts, and its reward with the terms of it by name."""
        reward: Any = 0.0
        terms: dict[str, Any] = {}
        spec, model, x = self.spec, self.model, {**self.layout.split(rest), "memory": memory}
        ends, before, carried = spec.terminate is not None or spec.restarts, (q, v), dict(x)
        q, v, tau = self._driven(x, q, v)
        x["step"] = x["step"] + 1.0
        t = x["step"][0] * self.h
        finite = abs(v.sum()) + abs(q.sum()) < LARGEST if ends else None
        if finite is not None:  # a step that diverges is not taken
            q, v = (where(finite, new, old) for new, old in zip((q, v), before, strict=True))
            for name in ("step", "law", "sums"):
                if name in x:
                    x[name] = where(finite, x[name], carried[name])
        if spec.reward is not None:
            reward = spec.reward.function(model, t, q, v, tau, self.others[0])
            reward, terms = rollout_functions.checked_reward(spec.reward, reward)
            if finite is not None:
                reward = where(finite, reward, 0.0)
                terms = {name: where(finite, x, 0.0) for name, x in terms.items()}
            x["total"], x["weight"] = x["total"] + x["weight"] * reward, x["weight"] * self.discount
        if finite is not None:
            ended = where(finite, self._ended(t, q, v), 1.0)
            if spec.restarts:
                q, v = self._restarted(ended, x, q, v)
            else:
                assert finite is not None
                x["alive"] = where(finite, x["alive"] * (1.0 - ended), DIVERGED)
        return q, v, self.layout.join(x), x["memory"], tau, (reward, terms)

    def _driven(self, x: dict[str, Array], q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Advance the mechanism, the controller and the memory of the method by a step."""
        spec, model, effort_function = self.spec, self.model, self.spec.effort_function
        after: list[Array] = []

        def efforts(t: Any, q: Array, v: Array) -> Array:
            if effort_function is None:
                return np.zeros(model.nv)
            found = effort_function.of_values(model, t, q, v, self.own, *([x["law"]] if effort_function.state else []))
            tau, after[:] = (found[0], found[1:]) if effort_function.state else (found, ())
            return tau  # type: ignore[no-any-return]

        acting: Efforts = efforts
        if effort_function is not None and effort_function.actuated:
            method, t = method_of(spec.options.method), x["step"][0] * self.h
            acting, *after = effort_function.actuator_efforts(
                model, t, q, v, self.own, x.get("law", np.zeros(0)), self.h, method
            )

        def external_efforts(t: Any, q: Array, v: Array) -> Array:
            assert effort_function is not None
            return effort_function.external_efforts(model, t, q, v, self.own)

        external, before = external_efforts if effort_function and effort_function.external else None, x["step"][0]
        number = before if is_smooth(spec.options, effort_function) else None
        sums = PositionSum(spec.summed, x["sums"]) if spec.summed else None
        place = placed if sums is None else sums.placed
        h, looped = self.h, self.looped

        def record(iterations: Any) -> None:
            if "iterations" in x:
                x["iterations"] = x["iterations"] + RECENT * (iterations - x["iterations"])

        q, v, tau, x["memory"] = single_step(
            model, spec.options, before * h, q, v, acting, h, looped, external, x["memory"], number, place, record
        )
        if sums is not None:
            x["sums"] = sums.errors
        if after:
            x["law"] = after[0]
        return q, v, tau

    def _ended(self, t: Any, q: Array, v: Array) -> Any:
        """Return 1 where ``terminate`` holds."""
        spec = self.spec
        if spec.terminate is None:
            return 0.0
        ends = spec.terminate.function(self.model, t, q, v, self.others[1])
        return where(rollout_functions.checked_condition(spec.terminate, ends), 1.0, 0.0)

    def _restarted(self, ended: Any, x: dict[str, Array], q: Array, v: Array) -> tuple[Array, Array]:
        """Return (q, v), of a new motion where the motion has ended; its carried state is that of a start."""
        spec, law = self.spec, self.start[2]
        again = ended > 0.5
        x["episodes"] = x["episodes"] + ended
        x["step"] = where(again, 0.0, x["step"])
        if "weight" in x:
            x["weight"] = where(again, 1.0, x["weight"])
        if "law" in x:
            begun = where(again, law, x["law"])
            at = spec.random
            x["law"] = begun if at is None else np.concatenate([begun[: at.start], x["law"][at], begun[at.stop :]])
        for name in {"sums", "iterations"} & x.keys():
            x[name] = where(again, 0.0, x[name])
        q, v = self._reset(ended, x, q, v)
        x["memory"] = restarted_memory(self.model, spec.options, x["memory"], again, q, v)
        return q, v

    def _reset(self, ended: Any, x: dict[str, Array], q: Array, v: Array) -> tuple[Array, Array]:
        """Return (q, v), the start of a new motion where the motion has ended."""
        reset, (q0, v0, _) = self.spec.reset, self.start
        if not isinstance(reset, UserFunction):
            return where(ended > 0.5, q0, q), where(ended > 0.5, v0, v)

        def reset_once(k: Any, ended: Any, q: Array, v: Array, random: Array) -> tuple[Any, ...]:
            numbers = RandomGenerator(random)
            found = reset.function(self.model, q0, v0, numbers, self.others[2])
            return (
                0.0 * ended,
                *rollout_functions.checked_state(reset, found, self.model.nq, self.model.nv),
                numbers.state,
            )

        # resets are rare: computed only if a row of the SIMD lanes needs one
        _, q, v, x["random"], _ = until(
            lambda ended, *state: ended < 0.5, reset_once, ended, q, v, x["random"], limit=1
        )
        return q, v


def make_layout(
    effort_function: EffortFunction | None,
    memory: int,
    rewarded: bool,
    ends: bool,
    reset: UserFunction | str | None,
    sums: int = 0,
    iterations: bool = False,
) -> StateLayout:
    """Return the layout of the carried state.

    ``memory``: size of the memory of the method; ``sums``: number of sums of positions; ``iterations``: whether the
    mean number of iterations of the contact solver in the last steps is part of it.
    """
    sizes = [("step", 1)]
    if sums:
        sizes.append(("sums", sums))
    if effort_function is not None and effort_function.state:
        sizes.append(("law", effort_function.state))
    if memory:
        sizes.append(("memory", memory))
    if iterations:
        sizes.append(("iterations", 1))
    if rewarded:
        sizes += [("total", 1), ("weight", 1)]
    if reset is not None:
        sizes.append(("episodes", 1))
    elif ends:
        sizes.append(("alive", 1))
    if isinstance(reset, UserFunction):
        sizes.append(("random", STATES))
    return StateLayout(tuple(sizes))
