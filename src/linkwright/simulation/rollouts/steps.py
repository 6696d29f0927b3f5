"""The steps of a rollout as one function, and the kernel of it.

What a motion carries from step to step, beside q and v, is one vector, its *rest*: pieces one after the other, named
in :class:`Layout`. A kernel takes (q, v, rest, …) and gives them some steps later; motions that have ended do not
change any more.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.parameters import parametrised
from linkwright.errors import TooLargeError
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.integrators import Tableau, method_of
from linkwright.simulation.laws import Formula, apart, size_of
from linkwright.simulation.parts import in_parts
from linkwright.simulation.randomness import STATES, Random
from linkwright.simulation.rollouts import functions
from linkwright.simulation.rollouts.functions import Told
from linkwright.simulation.steps import UNROLLED, Way, one_step
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
    """What a rollout's kernel is made of."""

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
    """further results: "tau" of the last step, "reward" of all steps, "state" of the law at the end"""

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


def kernel_of_rollout(model: Model, plan: Plan, limit: int) -> Kernel:
    """The kernel (q, v, rest, q0, v0, start, shared, own, numbers, *parameters) -> (q, v, rest, *more).

    ``shared``, ``own``: the values of all motions, and of each; ``numbers``: the step's length, how many steps, the
    discount; ``q0``, ``v0``, ``start``: where motions begin again, and the law's state there. Steps are ``limit`` at
    most. Raises :class:`TooLargeError` where it would be too large.
    """

    def make() -> Kernel:
        return _made(model, plan, limit)

    kernel: Kernel = derived(model, kernel_of_rollout, plan.key, plan.of_each, plan.shapes, limit, make=make)
    return kernel


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


def _made(model: Model, plan: Plan, limit: int) -> Kernel:
    if in_parts(model):
        raise TooLargeError(f"{len(model.links)} bodies")
    whole = model if plan.parameters else model.minimal()
    shared, own = sizes_of_values(plan)
    state = plan.formula.state if plan.formula else 0
    method = method_of(plan.way.method)
    several = isinstance(method, Tableau) and len(method.stages) > 1
    looped = several

    def rollout_steps(
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
        step = Step(model, plan, values_of(plan, shared, own), numbers[0], numbers[2], (q_start, v_start, start))
        step.looped = looped
        begun = {"tau": np.zeros(model.nv), "reward": 0.0}
        told = [name for name in plan.more if name in begun]

        def one(k: Any, left: Any, q: Array, v: Array, rest: Array, *more: Any) -> tuple[Any, ...]:
            q, v, rest, tau, reward = step.taken(q, v, rest)
            collected = {name: tau if name == "tau" else x + reward for name, x in zip(told, more, strict=True)}
            return left - 1.0, q, v, rest, *collected.values()

        _, q, v, rest, *found = until(
            lambda left, q, v, rest, *more: left * step.alive(rest) < 0.5,
            one,
            numbers[1],
            q,
            v,
            rest,
            *(begun[name] for name in told),
            limit=limit,
        )
        more = {**dict(zip(told, found, strict=False)), "state": plan.layout.apart(rest).get("law")}
        return q, v, rest, *(more[name] for name in plan.more)

    sizes = {
        "rest": (plan.layout.size,),
        "q_start": (model.nq,),
        "v_start": (model.nv,),
        "start": (max(1, state),),
        "shared": (shared,),
        "own": (own,),
        "numbers": (3,),
    }
    bound = bind(rollout_steps, whole, sizes)
    if plan.parameters:
        bound = parametrised(bound, plan.parameters)
    program = trace(bound)
    if several and program.length <= UNROLLED:
        looped = False
        program = trace(bound)
    return Kernel(program, whole)


class Step:
    """One step of a motion, with all that a rollout does in it."""

    def __init__(
        self, model: Model, plan: Plan, values: list[Any], h: Any, discount: Any, start: tuple[Array, Array, Array]
    ):
        self.model, self.plan, self.h, self.discount, self.start = model, plan, h, discount, start
        self.own, self.others = plan.sorted_values(values)
        self.looped = False
        """whether the stages of a Runge–Kutta method are a loop"""

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
        """The step of the mechanism: the one place where impulses are handed on from step to step."""
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

        way, outside = plan.way, pushing if formula and formula.outside else None
        t = x["step"][0] * self.h
        memory = x.get("memory", np.zeros(0))
        q, v, tau, memory = one_step(model, way, t, q, v, efforts, self.h, self.looped, outside, memory)
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
        """(q, v), where the motion has ended those of a new one, for which all is as at the start."""
        plan, (q0, v0, law) = self.plan, self.start
        again = ended > 0.5
        x["episodes"] = x["episodes"] + ended
        for name in ("step", "memory"):
            if name in x:
                x[name] = where(again, 0.0, x[name])
        if "weight" in x:
            x["weight"] = where(again, 1.0, x["weight"])
        if "law" in x:
            begun = where(again, law, x["law"])
            at = plan.random
            x["law"] = begun if at is None else np.concatenate([begun[: at.start], x["law"][at], begun[at.stop :]])
        reset = plan.reset
        if not isinstance(reset, Told):
            return where(again, q0, q), where(again, v0, v)

        def renewed(k: Any, ended: Any, q: Array, v: Array, random: Array) -> tuple[Any, ...]:
            numbers = Random(random)
            found = reset.function(self.model, q0, v0, numbers, self.others[2])
            return 0.0 * ended, *functions.state(reset, found, self.model.nq, self.model.nv), numbers.state

        # what is rarely needed is computed where a row of the lanes needs it
        _, q, v, x["random"], _ = until(lambda ended, *state: ended < 0.5, renewed, ended, q, v, x["random"], limit=1)
        return q, v


def layout_of(formula: Formula | None, impulses: int, rewarded: bool, ends: bool, reset: Told | str | None) -> Layout:
    """The pieces that a motion needs; ``impulses``: how many are remembered."""
    sizes = [("step", 1)]
    if formula is not None and formula.state:
        sizes.append(("law", formula.state))
    if impulses:
        sizes.append(("memory", impulses))
    if rewarded:
        sizes += [("total", 1), ("weight", 1)]
    if reset is not None:
        sizes.append(("episodes", 1))
    elif ends:
        sizes.append(("alive", 1))
    if isinstance(reset, Told):
        sizes.append(("random", STATES))
    return Layout(tuple(sizes))
