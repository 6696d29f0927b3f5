"""Rollouts: the steps of all motions of a batch in one call of machine code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import whole_number
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.native.threads import checked_threads
from linkwright.compiler.precision import in_range
from linkwright.dynamics.inertias.massless import massless_motion_advice
from linkwright.errors import InputError, TooLargeError, warn
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.episode import Episode
from linkwright.simulation.integrators.methods import EmbeddedPair, IntegrationMethod, method_of
from linkwright.simulation.integrators.step_function import fewer_pairs
from linkwright.simulation.integrators.step_kernels import FED, MANY, shared_and_own_values, step_kernels
from linkwright.simulation.recording import available_memory
from linkwright.simulation.rollouts.preparation import PreparedRollout, prepare_rollout
from linkwright.simulation.rollouts.regrouping import OVER_STEPS, interval_of, pays_off, take_sorted_steps
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, takes_options
from linkwright.spatial.arrays import Array


@takes_options
@takes_model
def rollout(
    model: Model,
    q0: ArrayLike | Rollout,
    v0: ArrayLike | None,
    steps: int,
    step: float = 1e-3,
    controller: Callable[..., Any] | None = None,
    every: int | None = None,
    *,
    method: IntegrationMethod | Integrator | None = None,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    episode: Episode | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Rollout:
    """Simulate a batch of motions in machine code, from the first step to the last.

    The arguments of the same names have the meaning that they have in :func:`simulate`. Only what is needed is
    recorded: the end, or every ``every``-th step.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0 : array_like, shape (..., nq), or Rollout
        Initial configurations; or an earlier rollout, which goes on from its end, with everything that its motions
        carried.
    v0 : array_like, shape (..., nv), or None
        Initial velocities; None where an earlier rollout goes on.
    steps : int
        Number of steps, a multiple of ``every``.
    step : float, optional
        Step in s; of "dopri5" the time between two evaluations of the controller, the reward and the conditions.
    controller : callable, optional
        Controller ``(model, t, q, v[, state])``, or a kernel of (t, q, v).
    every : int, optional
        Record every ``every``-th step; by default the end alone.
    method : str or Integrator, optional
        Method of integration and its options; ``Integrator(threads=…)`` sets the number of threads.
    actuation : Actuation, optional
        Path from the controller to the joints, and names of values given for each motion.
    surroundings : Surroundings, optional
        External wrenches and a sensor.
    episode : Episode, optional
        Reward, termination, reset, and recorded quantities.
    parameters : mapping, optional
        Parameters of the mechanism by the names of :func:`compile`: ``{"hand.mass": m}``, m a number, or (...) for
        each motion; ``"pairs.friction"`` is that of all pairs. With a single start the batch is that of the parameters.

    Returns
    -------
    Rollout
        Samples and the end of every motion, rewards, episodes.

    Raises
    ------
    InputError
        If a start is no configuration, ``every`` does not divide ``steps``, or the memory does not suffice.
    TooLargeError
        If a step of the mechanism is too large for machine code; the message names remedies, such as fewer pairs of
        shapes.

    Notes
    -----
    In two parts or in one, on any number of threads, in any part of the batch: the bits of each motion are the same.
    Random numbers depend on the seed and the index of a motion in the batch, or, with a seed for each motion, on that
    alone. Motions that diverge end, or begin again with ``reset``; without ``terminate`` and ``reset`` they are NaN,
    with a warning.

    Examples
    --------
    >>> import linkwright as lw
    >>> import numpy as np
    >>> arm = lw.load("two_link")
    >>> lw.rollout(arm, np.zeros((100, 2)), np.zeros((100, 2)), 1000).q.shape
    (1, 100, 2)
    """
    setup = Setup.of(controller, None, method, actuation, surroundings)
    of = prepare_rollout(model, q0, v0, step, setup, episode, parameters)
    return run_rollout(of, steps, every, setup.integrator.threads)


def run_rollout(of: PreparedRollout, steps: int, every: int | None, threads: int | None) -> Rollout:
    """Take the steps of a rollout."""
    for name, value in (("steps", steps), ("every", steps if every is None else every)):
        whole_number(name, value, 1, MANY)
    if every is not None and steps % every:
        near = [n for n in (steps // every * every, -(-steps // every) * every) if n]
        raise InputError(
            f"every is {every}, which does not divide {steps} steps: take {' or '.join(map(str, near))} steps"
        )
    calls, count = (1, int(steps)) if every is None else (steps // every, int(every))
    if (whole := of.taken + int(steps)) > of.spec.most_steps:
        raise InputError(
            f"a rollout with precision={of.spec.precision!r} takes at most {of.spec.most_steps} steps, which are "
            f"counted in that precision; {whole} steps need precision='double'"
        )
    kernel = rollout_kernels(of)[count > 1]
    rows, spec = ([math.prod(of.batch)] if of.batch else []), of.spec
    kept = [name in of.keep for name in ("q", "v")] + [False] + [True] * len(spec.more)
    results = _memory(kernel, calls, rows, kept)
    if not rows or rows[0]:
        given = kernel_arguments(of, kernel, count)
        number = None if threads is None else checked_threads("threads", threads)
        divisible = of.batch and not OVER_STEPS & {*spec.more}
        if divisible and calls * count >= 2 * interval_of(spec.layout.places) and pays_off(of, kernel, given):
            take_sorted_steps(kernel, spec.layout.places, given, calls, count, results, number)
        else:
            kernel.sequence(calls, given, FED, results, count, number)()
    shaped = [x.reshape((len(x), *of.batch, *x.shape[1 + len(rows) :])) for x in results]
    last = [x[-1 if every_one else (calls - 1) % 2] for x, every_one in zip(shaped, kept, strict=True)]
    named = zip(("q", "v", "rest", *spec.more), shaped, kept, last, strict=True)
    found = {name: x if every_one else end[None] for name, x, every_one, end in named}
    result = Rollout(
        model=of.model,
        t=of.h * (of.taken + count * np.arange(1, calls + 1)),
        q=found["q"],
        v=found["v"],
        tau=found.get("tau"),
        rewards=found.get("reward"),
        controller_states=found.get("state"),
        step=of.h,
        shapes=of.shapes,
        activation_count=0 if spec.effort_function is None else spec.effort_function.activation_count(of.model),
        start=of.start[:2],
        taken=of.taken + int(steps),
        end=(last[0], last[1], last[2]),
        layout=spec.layout,
    )
    if spec.terminate is None and not spec.restarts:
        _warn_of_endless(result, isinstance(method_of(spec.options.method), EmbeddedPair))
    return result


def rollout_kernels(of: PreparedRollout) -> tuple[Kernel, Kernel]:
    """Return the kernels of one step and of any number of steps; see :func:`step_kernels`."""
    try:
        return step_kernels(of.model, of.spec)
    except TooLargeError as error:
        raise TooLargeError(
            f"a rollout of {of.model.name!r} is too large for machine code ({error})"
            f"{fewer_pairs(of.model, of.spec.options)}"
        ) from None


def kernel_arguments(of: PreparedRollout, kernel: Kernel, count: int) -> list[Array]:
    """Return the arguments of a kernel for ``count`` steps, contiguous, with one batch dimension or shared."""
    q0, v0, law = of.start
    begun = law if law.shape[-1] else np.zeros(1)
    numbers = np.array([of.h, count, of.discount])
    arrays = [*of.now, q0, v0, begun, *shared_and_own_values(of.spec, of.batch), numbers, *of.parameters]
    return [
        _rows(x, slot.shape, of.batch, of.spec.dtype) for x, slot in zip(arrays, kernel.program.inputs, strict=True)
    ]


def _rows(x: Array, shape: tuple[int, ...], batch: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return an argument of this type with one batch dimension, or shared."""
    x = in_range(np.asarray(x), dtype)
    if x.ndim > len(shape) and batch:
        x = x.reshape((-1, *shape))
    return np.ascontiguousarray(x) if x.ndim else x


def _memory(kernel: Kernel, calls: int, rows: list[int], kept: Sequence[bool]) -> list[Array]:
    """Return buffers for all results; raise :class:`InputError` if the memory does not suffice."""
    shapes = [
        (calls if every_one else 2 if calls > 1 else 1, *rows, *slot.shape)
        for slot, every_one in zip(kernel.program.outputs, kept, strict=True)
    ]
    dtype = FORMATS[kernel.program.precision].dtype
    size = float(dtype.itemsize) * sum(math.prod(shape) for shape in shapes)
    if left := available_memory.lacking(size):
        raise InputError(
            f"what is kept would take {size / 2**30:.3g} GiB, more than {left}: keep less (every=…, "
            "Episode(keep=…)), or take the batch in parts"
        )
    return [np.empty(shape, dtype) for shape in shapes]


def _warn_of_endless(result: Rollout, adapting: bool) -> None:
    """Warn of motions that diverged; ``adapting``: with adaptive steps."""
    q, v, _ = result.end
    lost = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))
    if not lost.any():
        return
    which = f"{int(lost.sum())} of {lost.size} motions" if lost.ndim else "the motion"
    why, advice = "diverged", f"a smaller step than {result.step:g} s"
    if adapting:
        why, advice = "could not be followed to their tolerance", "a larger tolerance, softer contact"
    warn(
        f"{which} of {result.model.name!r} {why}; {advice} may help, or Episode(terminate=…), which ends motions before"
        + massless_motion_advice(result.model, np.broadcast_to(result.start[0], q.shape)[lost][0])
    )
