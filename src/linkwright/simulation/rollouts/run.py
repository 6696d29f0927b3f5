"""The whole motion of a batch in machine code."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import checked_threads
from linkwright.compiler.parameters import parameter_of
from linkwright.dynamics.closed_loops.forces import Gains, checked_gains
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError, TooLargeError, explained, warn
from linkwright.model.tree import Model
from linkwright.simulation import memory
from linkwright.simulation.adaptive.pair import Embedded
from linkwright.simulation.drives import between, driving
from linkwright.simulation.integrators import METHODS, IntegrationMethod, Variational, method_of
from linkwright.simulation.laws import names_of_each, ruled, under
from linkwright.simulation.outside import Environment, Wrenches, bound_to_wrenches, outside_of, warn_if_hard
from linkwright.simulation.randomness import checked_seed, seeds
from linkwright.simulation.record import SMALL
from linkwright.simulation.rollouts.functions import names_bound, told_function
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.steps import (
    MANY,
    Layout,
    Plan,
    kernel_of_rollout,
    layout_of,
)
from linkwright.simulation.running import (
    require_a_sensor,
    require_closed,
    suitable_method,
    warn_if_stiff,
    warn_of_other_steps,
)
from linkwright.simulation.steps import Way
from linkwright.spatial.arrays import Array, as_numbers

KEPT = ("q", "v", "tau", "reward", "state")
"""What may be kept of every n-th step."""

LAW_STREAM, RESET_STREAM = 0, 1
"""Random numbers of noise, and of beginnings, of the same seed."""


@explained
def rollout(
    model: Model,
    q0: Any,
    v0: Any,
    steps: int,
    step: float = 1e-3,
    *,
    method: IntegrationMethod | None = None,
    law: Callable[..., Any] | None = None,
    state0: Any = None,
    each: Collection[str] = (),
    every: int | None = None,
    keep: Collection[str] = ("q", "v"),
    reward: Callable[..., Any] | None = None,
    discount: float = 1.0,
    terminate: Callable[..., Any] | None = None,
    reset: Callable[..., Any] | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    start: Rollout | None = None,
    threads: int | None = None,
    stabilisation: Gains | None = None,
    projection: bool = True,
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
) -> Rollout:
    """Motions of a batch from the configurations q0 (…, nq) and velocities v0 (…, nv), all of it in machine code.

    ``steps`` steps of ``step`` seconds are taken, with no Python between the first and the last: the mechanism, its
    ``law`` and all that is between the law and the joints, as of :func:`simulate`, whose arguments of the same names
    mean the same. Other than there, only what is asked for is kept: the end, or with ``every=n`` what is after every
    n-th step (``steps`` is a multiple of n); of that what ``keep`` names: "q", "v", "tau" (the efforts of the step
    before), "reward" (what was collected since the sample before), "state" (the law's).

    ``reward(model, t, q, v, tau)`` is a number for each step: t, q, v are those after it, tau what acted over it. The
    result's ``reward`` is the sum, each reward times ``discount`` to the power of the number of steps before it.

    ``terminate(model, t, q, v)`` is a condition, asked after each step: where it holds, that motion ends, keeps its
    state and earns nothing more. With ``reset`` it begins again instead: ``reset="start"`` at its q0 and v0, or with
    ``reset(model, q0, v0, random) -> (q, v)``, where ``random.uniform(low, high, shape)`` and ``random.normal(scale,
    shape)`` are random numbers of that motion. What the law carries begins again too, and so does the time t that
    functions are told; ``episodes`` of the result counts. Motions that grow beyond all numbers end, or begin again, as
    well; without ``terminate`` and ``reset`` they stay what is no number, with a warning.

    ``parameters`` are what the mechanism of each motion is made of, by the names of :func:`compile`:
    ``{"hand.mass": m}``, m a number, or (…,) for each motion. Numbers bound to the law, the reward, the conditions and
    ``reset`` by ``functools.partial`` are the same for all motions; those named in ``each`` are (…, *shape).

    ``start``, an earlier result, goes on from its end, with what everything carried; q0 and v0 may be None, or where
    motions begin again. In two parts or in one, on any number of ``threads``, in any part of the batch by itself: the
    bits of each motion are the same. Random numbers depend on ``seed`` and a motion's place in the batch, or, where
    ``seed`` is (…,), on its own seed alone.

    Raises :class:`~linkwright.errors.InputError` for a start that is not a configuration, for ``every`` that does not
    divide ``steps``, and for what would take more memory than there is; :class:`~linkwright.errors.TooLargeError` for
    mechanisms whose step is too large for straight-line code, which :func:`simulate` moves.
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"rollout: the first argument is a Model; got {model!r}")
    chosen = method_of(method or "rk4")
    if isinstance(chosen, (Variational, Embedded)):
        others = [repr(name) for name, one in METHODS.items() if not isinstance(one, (Variational, Embedded))]
        raise InputError(
            f"rollouts take the same steps in all motions, by {', '.join(others)}; {method!r} is simulate's"
        )
    if not (isinstance(step, (int, float, np.number)) and np.isfinite(step) and step > 0):
        raise InputError(f"step must be a positive number of seconds; got {step!r}")
    for name, value in (("steps", steps), ("every", steps if every is None else every)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 < value <= MANY:
            raise InputError(f"{name} must be a whole number of steps, from 1 to {MANY:.0e}; got {value!r}")
    if every is not None and steps % every:
        raise InputError(
            f"every is {every}, which does not divide {steps} steps: take {steps // every * every} steps, or "
            f"{-(-steps // every) * every}"
        )
    names = (keep,) if isinstance(keep, str) else tuple(keep)
    if unknown := [name for name in names if name not in KEPT]:
        raise ArgumentError(f"keep names what is kept, of {', '.join(KEPT)}; got {unknown[0]!r}")
    if law is None and state0 is not None:
        raise ArgumentError("state0 is of a law, and none is given: rollout(…, law=…)")
    if not (isinstance(discount, (int, float, np.number)) and np.isfinite(discount) and discount >= 0):
        raise InputError(f"discount must be a number, not negative; got {discount!r}")
    if isinstance(reset, str) and reset != "start":
        raise ArgumentError(f"reset is 'start' or a function (model, q0, v0, random) -> (q, v); got {reset!r}")
    if start is not None and not isinstance(start, Rollout):
        raise ArgumentError(f"start is what an earlier rollout gave; got {start!r}")
    if start is not None and (q0 is None or v0 is None):
        q0, v0 = (start.start[0] if q0 is None else q0), (start.start[1] if v0 is None else v0)
    h = float(step)
    q, v, batch = check_state(model, q0, v0)
    require_mass(model)
    require_closed(model, q, v)
    q, v = np.broadcast_to(q, (*batch, model.nq)).copy(), np.broadcast_to(v, (*batch, model.nv)).copy()
    gains = checked_gains(stabilisation)
    projecting = bool(projection) and bool(model.loops)

    elsewhere = dict(bound_to_wrenches(wrenches))
    for what, given in (("reward", reward), ("terminate", terminate), ("reset", reset)):
        elsewhere.update(names_bound(what, given))
    each = {each} if isinstance(each, str) else {*each}
    if law is None:
        rule, each = None, names_of_each(each, batch, elsewhere)
    else:
        rule = ruled(model, law, state0, each, batch, sensor is not None, elsewhere)
    outside = outside_of(model, wrenches, environment, each, batch)
    require_a_sensor(model, sensor, rule, outside)
    drives = between(
        model, h, period, delay, lag, effort_limits, noise, seed, gear, velocity_limits, sensor is not None, batch
    )
    if rule is not None:
        warn_of_other_steps(rule, h * drives.period if drives else h)
    if drives is not None:
        if rule is None:
            raise ArgumentError(
                "period, delay, lag, gear, effort_limits, velocity_limits and noise tell what is between a law and the "
                "joints: give law=…"
            )
        rule = driving(model, rule, drives, h, batch)
    formula = rule.formula if rule else None
    if outside is not None:
        formula = under(formula, outside, model, sensor)
    if method is None:
        method = suitable_method(model, q, v, h)
    elif np.isfinite(chosen.stability) and model.nv:
        warn_if_stiff(model, q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1], h, method)
    warn_if_hard(model, q, environment, h)

    functions = [told_function(what, x, each, batch) for what, x in (("reward", reward), ("terminate", terminate))]
    again = reset if isinstance(reset, str) else told_function("reset", reset, each, batch)
    if "reward" in names and reward is None:
        raise ArgumentError("keep names 'reward', and there is none: rollout(…, reward=…)")
    if "state" in names and (formula is None or not formula.state):
        raise ArgumentError("keep names 'state', and the law has none")
    plan = Plan(
        Way(method, gains, projecting, False),
        formula,
        rule.random if rule else None,
        functions[0],
        functions[1],
        again,
        layout_of(formula, reward is not None, terminate is not None, again),
        tuple(parameters or ()),
        tuple(name for name in KEPT[2:] if name in names),
    )
    own = _parameters(model, parameters or {}, batch)
    law_start = rule.state if rule and rule.formula.state else np.zeros((*batch, 0))
    now = _now(plan.layout, start, q, v, law_start, checked_seed(seed, batch), batch, model, h)
    run = _Run(model, plan, batch, h, float(discount), (q, v, law_start), own, threads)
    arrays, ends = run(now, int(steps), None if every is None else int(every), names)
    taken = start.taken if start else 0
    kept = 1 if every is None else steps // every
    t = h * (taken + (steps // kept) * np.arange(1, kept + 1))
    shapes = rule.shapes if rule else None
    result = Rollout(
        model,
        t,
        arrays["q"],
        arrays["v"],
        arrays.get("tau"),
        arrays.get("reward"),
        arrays.get("state"),
        h,
        shapes,
        (q, v),
        taken + int(steps),
        ends,
        plan.layout,
    )
    _warn_of_endless(result, terminate is not None or reset is not None)
    return result


def _parameters(model: Model, given: Mapping[str, Any], batch: tuple[int, ...]) -> list[Array]:
    """What mechanisms are made of, (…, *shape) of a batch, or the same for all."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"parameters are {{'hand.mass': …}}; got {given!r}")
    found = []
    for name, value in given.items():
        known, x = parameter_of(model, name), as_numbers(name, value)
        if not np.isfinite(x).all():
            raise InputError(f"{name} is not finite")
        if x.shape == known.shape:
            found.append(x)
            continue
        try:
            found.append(np.broadcast_to(x, (*batch, *known.shape)))
        except ValueError:
            raise ShapeError(
                f"{name} has shape {np.shape(value)}; expected {known.shape or 'one number'}, or "
                f"{(*batch, *known.shape)}"
            ) from None
    return found


def _now(
    layout: Layout,
    start: Rollout | None,
    q: Array,
    v: Array,
    law: Array,
    seed: Any,
    batch: tuple[int, ...],
    model: Model,
    h: float,
) -> tuple[Array, Array, Array]:
    """With what motions go on (*batch, n)."""
    if start is not None:
        if start.layout != layout or start.end[0].shape != q.shape or start.model.nv != model.nv:
            raise InputError(
                f"start is of {_told(start.layout, start.end[0].shape)}, and here are {_told(layout, q.shape)}: go on "
                "with the same law, reward, terminate and reset as before"
            )
        if abs(start.step - h) > 1e-12 * h:
            raise InputError(f"start took steps of {start.step:g} s; here they are {h:g} s")
        return start.end
    pieces = {name: np.zeros((*batch, size)) for name, size in layout.sizes}
    for name, x in (("law", law), ("weight", 1.0), ("alive", 1.0)):
        if name in pieces:
            pieces[name] = np.broadcast_to(x, pieces[name].shape)
    if "random" in pieces:
        pieces["random"] = seeds(seed, batch, RESET_STREAM)
    return q, v, layout.joined(pieces)


def _told(layout: Layout, shape: tuple[int, ...]) -> str:
    return f"motions {shape[:-1]} that carry {', '.join(f'{name} ({size},)' for name, size in layout.sizes)}"


class _Run(NamedTuple):
    """Motions of a batch as calls of a kernel."""

    model: Model
    plan: Plan
    batch: tuple[int, ...]
    h: float
    discount: float
    start: tuple[Array, Array, Array]
    parameters: Sequence[Array]
    threads: int | None

    def __call__(
        self, now: tuple[Array, Array, Array], steps: int, every: int | None, keep: Collection[str]
    ) -> tuple[dict[str, Array], tuple[Array, Array, Array]]:
        """What is kept, by name (kept, *batch, n), and (q, v, rest) at the end."""
        batch, plan = self.batch, self.plan
        calls, count = (1, steps) if every is None else (steps // every, every)
        kernel = self._kernel(1 if count == 1 else MANY)
        arrays = [*now, *self.start[:2], self._law_start(), *self._values(), np.array([self.h, count, self.discount])]
        given = [
            self._rows(x, slot.shape)
            for x, slot in zip([*arrays, *self.parameters], kernel.program.inputs, strict=True)
        ]
        rows = [math.prod(batch)] if batch else []
        kept = [name in keep for name in ("q", "v")] + [False] + [True] * len(plan.more)
        results = self._memory(kernel, calls, rows, kept)
        if not rows or rows[0]:
            turns = count if count > 1 else 1.0
            kernel.in_sequence(calls, given, {0: 0, 1: 1, 2: 2}, results, turns, _threads(self.threads))
        shaped = [x.reshape((len(x), *batch, *x.shape[1 + len(rows) :])) for x in results]
        last = [x[(calls - 1) % 2 if not every_one else -1] for x, every_one in zip(shaped, kept, strict=True)]
        named = zip(("q", "v", "rest", *plan.more), shaped, kept, last, strict=True)
        found = {name: x if every_one else end[None] for name, x, every_one, end in named}
        ends = tuple(x.copy() for x in last[:3])
        return found, ends  # type: ignore[return-value]

    def _kernel(self, limit: int) -> Kernel:
        try:
            return kernel_of_rollout(self.model, self.plan, limit)
        except TooLargeError as error:
            raise TooLargeError(
                f"a rollout of {self.model.name!r} is too large for machine code ({error}): take simulate"
            ) from None

    def _law_start(self) -> Array:
        law = self.start[2]
        return law if law.shape[-1] else np.zeros(1)

    def _values(self) -> list[Array]:
        """Those that all motions share, and those that each has, one after the other."""
        plan = self.plan
        shared = [np.zeros(0)]
        own = [np.zeros((*self.batch, 0))]
        for x, shape, each in zip(plan.values, plan.shapes, plan.of_each, strict=True):
            if each:
                own.append(np.broadcast_to(x, (*self.batch, *shape)).reshape((*self.batch, math.prod(shape))))
            else:
                shared.append(np.reshape(x, -1))
        several = np.concatenate(own, axis=-1)
        whole = np.concatenate(shared)
        return [whole if whole.size else np.zeros(1), several if several.shape[-1] else np.zeros(1)]

    def _rows(self, x: Array, shape: tuple[int, ...]) -> Array:
        """An argument as machine code takes it: of one batch dimension, or shared."""
        x = np.asarray(x, dtype=np.float64)
        if x.ndim > len(shape):
            x = x.reshape((-1, *shape)) if self.batch else x
        return np.ascontiguousarray(x) if x.ndim else x

    def _memory(self, kernel: Kernel, calls: int, rows: list[int], kept: Sequence[bool]) -> list[Array]:
        """For all results; :class:`InputError` where it is more than there is."""
        shapes = [
            (calls if every_one else 2 if calls > 1 else 1, *rows, *slot.shape)
            for slot, every_one in zip(kernel.program.outputs, kept, strict=True)
        ]
        size = 8.0 * sum(math.prod(shape) for shape in shapes)
        if size > SMALL and size > (room := memory.available()):
            raise InputError(
                f"what is kept would take {size / 2**30:.3g} GiB, more than the {room / 2**30:.3g} GiB that this "
                "process can still have: keep less (every=…, keep=…), or take the batch in parts"
            )
        return [np.empty(shape) for shape in shapes]


def _threads(threads: int | None) -> int | None:
    return None if threads is None else checked_threads("threads", threads)


def _warn_of_endless(result: Rollout, told: bool) -> None:
    """Say so where motions have grown beyond all numbers, and nothing is told that would end them."""
    q, v, _ = result.end
    lost = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))
    if not told and lost.any():
        which = f"{int(lost.sum())} of {lost.size} motions" if lost.ndim else "the motion"
        warn(
            f"{which} of {result.model.name!r} grew beyond all numbers; a smaller step than {result.step:g} s may "
            "help, or terminate=…, which ends motions before"
        )
