"""Many steps as one function, and the kernel of it: what simulations and rollouts run.

What a motion carries from step to step, beside q and v, is one vector, its *rest*: pieces one after the other, named
in :class:`Layout`. A kernel takes (q, v, rest, …) and gives them some steps later; motions that have ended do not
change any more.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.bind import BoundFunction, bind
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.parameters import parametrized
from linkwright.errors import TooLargeError
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.acting.laws import Formula, apart, size_of
from linkwright.simulation.acting.randomness import STATES, Random
from linkwright.simulation.stepping import functions
from linkwright.simulation.stepping.functions import Told
from linkwright.simulation.stepping.parts import in_parts
from linkwright.simulation.stepping.steps import Way, compiled, is_smooth, memory_again, memory_of, one_step
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.repeats import until

MANY = 10**9
"""Steps of one call, at most."""

LARGEST = 1e300
"""What is not below it has grown beyond all numbers."""


@dataclass(frozen=True)
class Layout:
    """Where the pieces of a motion's rest are."""

    sizes: tuple[tuple[str, int], ...]

    @property
    def size(self) -> int:
        """Of all pieces."""
        return sum(size for _, size in self.sizes)

    @property
    def places(self) -> dict[str, slice]:
        """Of each piece."""
        ends = np.cumsum([size for _, size in self.sizes])
        return {name: slice(int(end) - size, int(end)) for (name, size), end in zip(self.sizes, ends, strict=True)}

    def apart(self, rest: Array) -> dict[str, Array]:
        """The pieces of (…, size)."""
        return {name: rest[..., place] for name, place in self.places.items()}

    def joined(self, pieces: Mapping[str, Array]) -> Array:
        """All of them (…, size)."""
        return np.concatenate([np.asarray(pieces[name]) for name, _ in self.sizes], axis=-1)


class Plan(NamedTuple):
    """What a kernel of many steps is made of."""

    way: Way
    formula: Formula | None
    random: slice | None
    """where the law's state is that of a generator, which does not begin again"""
    reward: Told | None
    terminate: Told | None
    reset: Told | str | None
    layout: Layout
    parameters: tuple[str, ...]
    more: tuple[str, ...]
    """further results: efforts of the first step, "begun", and of the last, "tau"; "reward" of all steps; at the end
    the law's "state", or "carried", the same with impulses"""

    @property
    def key(self) -> Hashable:
        """What tells it from others, whatever the values."""
        told = [x if x is None or isinstance(x, str) else x.key for x in (self.reward, self.terminate, self.reset)]
        formula = self.formula
        own = None if formula is None else (formula.key, formula.state, formula.sensor)
        return (
            self.way,
            own,
            self.random and (self.random.start, self.random.stop),
            *told,
            self.layout,
            self.parameters,
            self.more,
        )

    @property
    def values(self) -> tuple[Array, ...]:
        """What its functions are told, each (…, *shape)."""
        own = () if self.formula is None else self.formula.all_values
        return own + tuple(x for told in self._told for x in told.values)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of these, for one motion."""
        own = () if self.formula is None else self.formula.all_shapes
        return own + tuple(shape for told in self._told for shape in told.shapes)

    @property
    def _told(self) -> list[Told]:
        return [x for x in (self.reward, self.terminate, self.reset) if isinstance(x, Told)]

    @property
    def of_each(self) -> tuple[bool, ...]:
        """Which of the values each motion has of its own."""
        return tuple(x.ndim > len(shape) for x, shape in zip(self.values, self.shapes, strict=True))

    @property
    def again(self) -> bool:
        """Whether motions begin again."""
        return self.reset is not None

    def sorted_values(self, values: list[Any]) -> tuple[list[Any], list[list[Any]]]:
        """All of the formula, and those of the other functions."""
        n = 0 if self.formula is None else len(self.formula.all_shapes)
        own, at, others = values[:n], n, []
        for told in (self.reward, self.terminate, self.reset):
            count = len(told.shapes) if isinstance(told, Told) else 0
            others.append(values[at : at + count])
            at += count
        return own, others


def plan_of_motion(model: Model, way: Way, formula: Formula | None) -> Plan:
    """The plan of a motion that is recorded: with the efforts, and with what is carried that is told."""
    smooth = is_smooth(way, formula)
    memory = memory_of(model, way, smooth)
    more = ["begun"] if formula is not None and not formula.idle else []
    if (formula is not None and formula.state) or (way.constraints is not None and memory):
        more.append("carried")
    layout = layout_of(formula, memory, False, False, None)
    return Plan(way, formula, None, None, None, None, layout, (), tuple(more))


def kernels_of_steps(model: Model, plan: Plan) -> tuple[Kernel, Kernel]:
    """Kernels (q, v, rest, q0, v0, start, shared, own, numbers, *parameters) -> (q, v, rest, *more).

    ``shared``, ``own``: the values of all motions, and of each; ``numbers``: the step's length, how many steps, the
    discount; ``q0``, ``v0``, ``start``: where motions begin again, and the law's state there. The first takes one step
    in each call, the second any number of them. Raises :class:`TooLargeError` where they would be too large.
    """

    def make() -> tuple[Kernel, Kernel] | str:
        try:
            many = _made(model, plan)
        except TooLargeError as error:  # remembered, for to find it out takes as long as to compile
            return str(error)
        assert isinstance(many.program, Program)
        return Kernel(many.program.limited(MANY, 1), many.model), many

    made: tuple[Kernel, Kernel] | str
    made = derived(model, kernels_of_steps, plan.key, plan.of_each, plan.shapes, make=make)
    if isinstance(made, str):
        raise TooLargeError(made)
    return made


def sizes_of_values(plan: Plan) -> tuple[int, int]:
    """How many numbers all motions share, and each has."""
    shared = [shape for shape, own in zip(plan.shapes, plan.of_each, strict=True) if not own]
    return size_of(shared), size_of([shape for shape, own in zip(plan.shapes, plan.of_each, strict=True) if own])


def values_of(plan: Plan, shared: Array, own: Array) -> list[Any]:
    """In their order, from the two arrays that they lie in."""
    shapes = list(zip(plan.shapes, plan.of_each, strict=True))
    of_all = iter(apart(shared, [shape for shape, each in shapes if not each]))
    of_each = iter(apart(own, [shape for shape, each in shapes if each]))
    return [next(of_each if each else of_all) for _, each in shapes]


def values_apart(plan: Plan, batch: tuple[int, ...]) -> list[Array]:
    """The values that all motions share, and those that each has (*batch, size), one after the other."""
    shared, own = [], []
    for x, shape, each in zip(plan.values, plan.shapes, plan.of_each, strict=True):
        if each:
            own.append(np.broadcast_to(x, (*batch, *shape)).reshape((*batch, math.prod(shape))))
        else:
            shared.append(np.reshape(x, -1))
    found = [np.concatenate(some, axis=-1) if some else np.zeros(1) for some in (shared, own)]
    return [x if x.shape[-1] else np.zeros(1) for x in found]


def _made(model: Model, plan: Plan) -> Kernel:
    if in_parts(model):
        raise TooLargeError(f"{len(model.links)} bodies")
    whole = model if plan.parameters else model.minimal()
    shared, own = sizes_of_values(plan)
    sizes = {
        "rest": (plan.layout.size,),
        "q_start": (model.nq,),
        "v_start": (model.nv,),
        "start": (max(1, plan.formula.state if plan.formula else 0),),
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
            values, h, discount = values_of(plan, shared, own), numbers[0], numbers[2]
            step = Step(model, plan, values, h, discount, (q_start, v_start, start), looped)
            begun = {"begun": np.zeros(model.nv), "tau": np.zeros(model.nv), "reward": 0.0}
            told = [name for name in plan.more if name in begun]

            def one(k: Any, left: Any, q: Array, v: Array, rest: Array, *more: Any) -> tuple[Any, ...]:
                q, v, rest, tau, reward = step.taken(q, v, rest)
                before = dict(zip(told, more, strict=True))
                found = {"tau": tau}
                if "begun" in told:
                    found["begun"] = where(k < 0.5, tau, before["begun"])
                if "reward" in told:
                    found["reward"] = before["reward"] + reward
                return left - 1.0, q, v, rest, *(found[name] for name in told)

            _, q, v, rest, *found = until(
                lambda left, q, v, rest, *more: left * step.alive(rest) < 0.5,
                one,
                numbers[1],
                q,
                v,
                rest,
                *(begun[name] for name in told),
                limit=MANY,
            )
            x, more = plan.layout.apart(rest), dict(zip(told, found, strict=False))
            if "state" in plan.more:
                more["state"] = x["law"]
            if "carried" in plan.more:
                recorded = ("law", "memory") if plan.way.constraints else ("law",)
                more["carried"] = np.concatenate([x[name] for name in recorded if name in x])
            return q, v, rest, *(more[name] for name in plan.more)

        bound = bind(simulation_step, whole, sizes)
        return parametrized(bound, plan.parameters) if plan.parameters else bound

    return compiled(steps, plan.way, whole)


class Step:
    """One step of a motion, with all that is done in it."""

    def __init__(
        self,
        model: Model,
        plan: Plan,
        values: list[Any],
        h: Any,
        discount: Any,
        start: tuple[Array, Array, Array],
        looped: bool = False,
    ):
        """``looped``: whether the stages of a method are a loop."""
        self.model, self.plan, self.h, self.discount, self.start = model, plan, h, discount, start
        self.own, self.others = plan.sorted_values(values)
        self.looped = looped

    def alive(self, rest: Array) -> Any:
        """1, or 0 of a motion that has ended."""
        return self.plan.layout.apart(rest)["alive"][0] if "alive" in self.plan.layout.places else 1.0

    def taken(self, q: Array, v: Array, rest: Array) -> tuple[Array, Array, Array, Array, Any]:
        """(q, v, rest) after a step, its efforts, and its reward."""
        reward = 0.0
        plan, model, x = self.plan, self.model, self.plan.layout.apart(rest)
        ends, before = plan.terminate is not None or plan.again, (q, v)
        q, v, tau = self._driven(x, q, v)
        x["step"] = x["step"] + 1.0
        t = x["step"][0] * self.h
        finite = abs(v.sum()) < LARGEST if ends else None
        if finite is not None:  # where the step leads beyond all numbers, it is not taken
            q, v = (where(finite, new, old) for new, old in zip((q, v), before, strict=True))
        if plan.reward is not None:
            told = plan.reward.function(model, t, q, v, tau, self.others[0])
            reward = functions.number(plan.reward, told)
            reward = reward if finite is None else where(finite, reward, 0.0)
            x["total"], x["weight"] = x["total"] + x["weight"] * reward, x["weight"] * self.discount
        if finite is not None:
            ended = where(finite, self._ended(t, q, v), 1.0)
            if plan.again:
                q, v = self._begun_again(ended, x, q, v)
            else:
                x["alive"] = x["alive"] * (1.0 - ended)
        return q, v, plan.layout.joined(x), tau, reward

    def _driven(self, x: dict[str, Array], q: Array, v: Array) -> tuple[Array, Array, Array]:
        """The step of the mechanism: the one place where what is remembered is handed on from step to step."""
        plan, model, formula = self.plan, self.model, self.plan.formula
        after: list[Array] = []

        def efforts(t: Any, q: Array, v: Array) -> Array:
            if formula is None:
                return np.zeros(model.nv)
            found = formula.of_values(model, t, q, v, self.own, *([x["law"]] if formula.state else []))
            tau, after[:] = (found[0], found[1:]) if formula.state else (found, ())
            return tau  # type: ignore[no-any-return]

        def pushing(t: Any, q: Array, v: Array) -> Array:
            assert formula is not None
            return formula.pushed(model, t, q, v, self.own)

        outside, before = pushing if formula and formula.outside else None, x["step"][0]
        memory = x.get("memory", np.zeros(0))
        gone = before if is_smooth(plan.way, formula) else None
        q, v, tau, memory = one_step(
            model, plan.way, before * self.h, q, v, efforts, self.h, self.looped, outside, memory, gone
        )
        if "memory" in x:
            x["memory"] = memory
        if after:
            x["law"] = after[0]
        return q, v, tau

    def _ended(self, t: Any, q: Array, v: Array) -> Any:
        """1 where the motion has ended as it is told."""
        plan = self.plan
        if plan.terminate is None:
            return 0.0
        told = plan.terminate.function(self.model, t, q, v, self.others[1])
        return where(functions.condition(plan.terminate, told), 1.0, 0.0)

    def _begun_again(self, ended: Any, x: dict[str, Array], q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v), where the motion has ended of a new one, for which all else is as at the start."""
        plan, law = self.plan, self.start[2]
        again = ended > 0.5
        x["episodes"] = x["episodes"] + ended
        x["step"] = where(again, 0.0, x["step"])
        if "weight" in x:
            x["weight"] = where(again, 1.0, x["weight"])
        if "law" in x:
            begun = where(again, law, x["law"])
            at = plan.random
            x["law"] = begun if at is None else np.concatenate([begun[: at.start], x["law"][at], begun[at.stop :]])
        q, v = self._begin(ended, x, q, v)
        if "memory" in x:
            x["memory"] = where(again, memory_again(self.model, plan.way, x["memory"], q, v), x["memory"])
        return q, v

    def _begin(self, ended: Any, x: dict[str, Array], q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v), where the motion has ended those of a new one."""
        reset, (q0, v0, _) = self.plan.reset, self.start
        if not isinstance(reset, Told):
            return where(ended > 0.5, q0, q), where(ended > 0.5, v0, v)

        def renewed(k: Any, ended: Any, q: Array, v: Array, random: Array) -> tuple[Any, ...]:
            numbers = Random(random)
            found = reset.function(self.model, q0, v0, numbers, self.others[2])
            return 0.0 * ended, *functions.state(reset, found, self.model.nq, self.model.nv), numbers.state

        # what is rarely needed is computed where a row of the lanes needs it
        _, q, v, x["random"], _ = until(lambda ended, *state: ended < 0.5, renewed, ended, q, v, x["random"], limit=1)
        return q, v


def layout_of(formula: Formula | None, memory: int, rewarded: bool, ends: bool, reset: Told | str | None) -> Layout:
    """The pieces that a motion needs; ``memory``: how many numbers the method remembers."""
    sizes = [("step", 1)]
    if formula is not None and formula.state:
        sizes.append(("law", formula.state))
    if memory:
        sizes.append(("memory", memory))
    if rewarded:
        sizes += [("total", 1), ("weight", 1)]
    if reset is not None:
        sizes.append(("episodes", 1))
    elif ends:
        sizes.append(("alive", 1))
    if isinstance(reset, Told):
        sizes.append(("random", STATES))
    return Layout(tuple(sizes))
