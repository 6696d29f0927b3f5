"""The whole motion of a batch in machine code."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import checked_threads
from linkwright.dynamics.closed_loops.forces import Gains
from linkwright.dynamics.impulses.solving import Solver
from linkwright.errors import InputError, TooLargeError, warn
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.acting.outside import Environment, Wrenches
from linkwright.simulation.acting.servos import Servos
from linkwright.simulation.recorded import memory
from linkwright.simulation.recorded.record import SMALL
from linkwright.simulation.rollouts.prepare import Prepared, prepared
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.integrators import IntegrationMethod, method_of
from linkwright.simulation.stepping.many import MANY, kernels_of_steps, values_apart
from linkwright.simulation.stepping.steps import fewer_pairs
from linkwright.spatial.arrays import Array


@takes_model
def rollout(
    model: Model,
    q0: Any,
    v0: Any,
    steps: int,
    step: float = 1e-3,
    law: Callable[..., Any] | None = None,
    every: int | None = None,
    *,
    method: IntegrationMethod | None = None,
    state0: Any = None,
    each: Collection[str] = (),
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
    tolerance: Any = None,
    limits: bool = False,
    solver: Solver | None = None,
    servos: Servos | None = None,
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
    functions are told; ``episodes`` of the result counts. Motions that would grow beyond all numbers end before, or
    begin again, as well; without ``terminate`` and ``reset`` they stay what is no number, with a warning.

    ``parameters`` are what the mechanism of each motion is made of, by the names of :func:`compile`:
    ``{"hand.mass": m}``, m a number, or (…,) for each motion; ``{"pairs.friction": mu}`` is that of all pairs of shapes
    that touch. With one start, q0 (nq,) and v0 (nv,), the batch is that of the parameters.

    Numbers bound to the controller, the reward, the conditions and ``reset`` by ``functools.partial`` are the same for
    all motions; those named in ``each`` are (…, *shape).

    With ``method="dopri5"`` each motion chooses its own steps, as short as ``tolerance``, of all or (…,), asks for;
    ``step`` is then the time between two looks at it: of the law, the reward and the conditions.

    Shapes of the model's pairs touch, and with ``limits`` joints stay within theirs, as of :func:`simulate`; the
    impulses of a step are where the next one begins to look, also from one rollout to the next.

    ``start``, an earlier result, goes on from its end, with what everything carried; q0 and v0 may be None, or where
    motions begin again. In two parts or in one, on any number of ``threads``, in any part of the batch by itself: the
    bits of each motion are the same. Random numbers depend on ``seed`` and a motion's place in the batch, or, where
    ``seed`` is (…,), on its own seed alone.

    Raises :class:`~linkwright.errors.InputError` for a start that is not a configuration, for ``every`` that does not
    divide ``steps``, and for what would take more memory than there is; :class:`~linkwright.errors.TooLargeError` for
    mechanisms whose step is too large for straight-line code, which :func:`simulate` moves.
    """
    of = prepared(
        model,
        q0,
        v0,
        step,
        method=method,
        law=law,
        state0=state0,
        each=each,
        keep=keep,
        reward=reward,
        discount=discount,
        terminate=terminate,
        reset=reset,
        parameters=parameters,
        start=start,
        stabilisation=stabilisation,
        projection=projection,
        period=period,
        delay=delay,
        lag=lag,
        effort_limits=effort_limits,
        noise=noise,
        seed=seed,
        gear=gear,
        velocity_limits=velocity_limits,
        wrenches=wrenches,
        environment=environment,
        sensor=sensor,
        tolerance=tolerance,
        limits=limits,
        solver=solver,
        servos=servos,
    )
    return taken(of, steps, every, threads)


def taken(of: Prepared, steps: int, every: int | None, threads: int | None) -> Rollout:
    """So many steps of a rollout."""
    for name, value in (("steps", steps), ("every", steps if every is None else every)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 < value <= MANY:
            raise InputError(f"{name} must be a whole number of steps, from 1 to {MANY:.0e}; got {value!r}")
    if every is not None and steps % every:
        near = [n for n in (steps // every * every, -(-steps // every) * every) if n]
        raise InputError(
            f"every is {every}, which does not divide {steps} steps: take {' or '.join(map(str, near))} steps"
        )
    calls, count = (1, int(steps)) if every is None else (steps // every, int(every))
    kernel = _kernels(of)[count > 1]
    arrays = [*of.now, *_fixed(of, count)]
    rows, plan = ([math.prod(of.batch)] if of.batch else []), of.plan
    kept = [name in of.keep for name in ("q", "v")] + [False] + [True] * len(plan.more)
    results = _memory(kernel, calls, rows, kept)
    if not rows or rows[0]:
        slots = zip(arrays, kernel.program.inputs, strict=True)
        given = [_rows(x, slot.shape, of.batch) for x, slot in slots]
        number = None if threads is None else checked_threads("threads", threads)
        kernel.in_sequence(calls, given, {0: 0, 1: 1, 2: 2}, results, count, number)
    shaped = [x.reshape((len(x), *of.batch, *x.shape[1 + len(rows) :])) for x in results]
    last = [x[-1 if every_one else (calls - 1) % 2] for x, every_one in zip(shaped, kept, strict=True)]
    named = zip(("q", "v", "rest", *plan.more), shaped, kept, last, strict=True)
    found = {name: x if every_one else end[None] for name, x, every_one, end in named}
    result = Rollout(
        of.model,
        of.h * (of.taken + count * np.arange(1, calls + 1)),
        found["q"],
        found["v"],
        found.get("tau"),
        found.get("reward"),
        found.get("state"),
        of.h,
        of.shapes,
        of.start[:2],
        of.taken + int(steps),
        (last[0], last[1], last[2]),
        plan.layout,
    )
    if plan.terminate is None and not plan.again:
        _warn_of_endless(result, isinstance(method_of(plan.way.method), Embedded))
    return result


def _kernels(of: Prepared) -> tuple[Kernel, Kernel]:
    try:
        return kernels_of_steps(of.model, of.plan)
    except TooLargeError as error:
        raise TooLargeError(
            f"a rollout of {of.model.name!r} is too large for machine code ({error}): take simulate, which runs it "
            f"uncompiled{fewer_pairs(of.model)}"
        ) from None


def _fixed(of: Prepared, count: int) -> list[Array]:
    """What a kernel of rollouts is told beside (q, v, rest)."""
    q0, v0, law = of.start
    begun = law if law.shape[-1] else np.zeros(1)
    return [q0, v0, begun, *values_apart(of.plan, of.batch), np.array([of.h, count, of.discount]), *of.parameters]


def _rows(x: Array, shape: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """An argument as machine code takes it: of one batch dimension, or shared."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim > len(shape) and batch:
        x = x.reshape((-1, *shape))
    return np.ascontiguousarray(x) if x.ndim else x


def _memory(kernel: Kernel, calls: int, rows: list[int], kept: Sequence[bool]) -> list[Array]:
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


def _warn_of_endless(result: Rollout, adapting: bool) -> None:
    """Say so where motions have grown beyond all numbers; ``adapting``: in steps that their method chose."""
    q, v, _ = result.end
    lost = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))
    if not lost.any():
        return
    which = f"{int(lost.sum())} of {lost.size} motions" if lost.ndim else "the motion"
    why, advice = "grew beyond all numbers", f"a smaller step than {result.step:g} s"
    if adapting:
        why, advice = "could not be followed to their tolerance", "a larger tolerance, softer contact"
    warn(f"{which} of {result.model.name!r} {why}; {advice} may help, or terminate=…, which ends motions before")
