"""Adaptive steps of an embedded Runge–Kutta pair on the configuration manifold.

Stages lie at q ⊕ Exp(u), v + w, as those of the other methods (`methods.py`). The series of dexp⁻¹ used there suffices
for order five: the omitted term ad_u⁴ v/720 is of order h⁵, because [u, v] is of order h².

A step is rejected and repeated with a shorter length where √Σ (error/scale)² exceeds 1. The scale of a coordinate is
the tolerance times the length of the mechanism or 1 rad; that of a velocity is the tolerance times the sum of this
length per second and the velocity. With the error e of the step and e₀ of the previous step, the next length is h · 0.9
e^−0.17 e₀^0.04, at most ten times and at least a fifth of h (Hairer, Nørsett & Wanner, Solving Ordinary Differential
Equations I, 1993, II.4 and IV.2).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import (
    DrivenMechanism,
    Efforts,
    EmbeddedPair,
    Options,
    advance,
    increments,
)
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.spatial.loops.repeats import repeat, until
from linkwright.spatial.loops.tables import take

MOST = 10_000
"""Largest number of steps between two samples, including rejected ones; a motion that needs more ends."""

SHORTEST = 1e-14
"""Shortest step, relative to the time since the start."""

LONGEST = 32.0
"""Longest step, in intervals of samples, so that short forces are not missed."""

ENOUGH = 1.0 - 1e-9
"""Share of an interval that counts as complete, to avoid tiny steps."""


class StepSizeControl(NamedTuple):
    """State of the step size control."""

    tolerance: Any
    last: Any
    """number of the last sample of the motion"""
    length: Any
    """length of the next step, s; zero at the start"""
    before: Any
    """error of the last accepted step"""
    again: Any
    """1 where the last step was rejected"""
    stopped: Any
    """1 where steps became too short for floating-point numbers, 2 where there were too many"""
    taken: Any
    """number of accepted steps"""
    refused: Any
    """number of rejected steps"""

    def after(self, h: Any, error: Any, cut: Any, shortest: Any) -> StepSizeControl:
        """Return the state after a step of h seconds with this error; ``cut``: the step was shortened by the end of the
        interval."""
        good = error <= 1.0
        known = clip(error, 1e-10, 1e10)
        grown = clip(0.9 * np.exp(0.04 * np.log(self.before) - 0.17 * np.log(known)), 0.2, 10.0)
        grown = where(self.again > 0.5, minimum(grown, 1.0), grown)
        shrunk = where(error < 1e10, clip(0.9 * np.exp(-0.17 * np.log(known)), 0.2, 0.9), 0.2)  # of NaN too
        length = h * where(good, grown, shrunk)
        kept = where(good & cut, maximum(length, self.length), length)
        return self._replace(
            length=kept,
            before=where(good, maximum(known, 1e-4), self.before),
            again=where(good, 0.0, 1.0),
            stopped=where((h > 0.0) & (h < shortest) & ~cut, 1.0, self.stopped),
            taken=self.taken + where(good & (h > 0.0), 1.0, 0.0),
            refused=self.refused + where(good, 0.0, 1.0),
        )


class DenseOutput(NamedTuple):
    """Dense output of the last accepted step; times are relative to the last sample."""

    begun: Any
    ended: Any
    q0: Array
    """(nq,), at its beginning"""
    v0: Array
    U: Array
    """(4, nv): u = Σ Uₖ θᵏ after the share θ of the step"""
    W: Array
    """(4, nv): the same of v"""
    q: Array
    """(nq,), at its end"""
    v: Array
    a: Array
    """(nv,), acceleration at its end"""

    def at(self, model: Model, time: Any) -> tuple[Array, Array]:
        """Return (q, v) within the step."""
        theta = clip((time - self.begun) / (self.ended - self.begun), 0.0, 1.0)
        powers = [theta, theta**2, theta**2 * theta, theta**2 * theta**2]
        u, w = (sum((p * row for p, row in zip(powers, X, strict=True)), np.zeros(model.nv)) for X in (self.U, self.W))
        return advance(model, self.q0, self.v0, u, w)


class AdaptiveProblem(NamedTuple):
    """Differential equation of a motion, and its method."""

    model: Model
    method: EmbeddedPair
    efforts: Efforts
    options: Options
    """options of forward dynamics"""
    projecting: bool
    """whether the state is projected on closed loops after each step"""
    looped: bool
    """whether the stages are a loop"""
    external: Efforts | None
    """efforts of external forces"""

    def closed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return (q, v), projected on closed loops if the problem requires it."""
        return dynamics.project(self.model, q, v) if self.projecting else (q, v)


class TrialStep(NamedTuple):
    """Step to be accepted or rejected."""

    q: Array
    v: Array
    U: Array
    W: Array
    a: Array
    error: Any


HEAD = len(StepSizeControl._fields)


def memory_size(model: Model, smooth: bool) -> int:
    """Return the size of the memory between samples."""
    return HEAD + (sum(map(int, map(np.prod, _shapes(model)))) if smooth else 0)


def memory_at_start(model: Model, smooth: bool, initial: Array, q: Array, v: Array) -> Array:
    """Return the memory (…, size) before the first step from q (…, nq) and v (…, nv).

    ``initial`` (…, 2): the tolerance, and the number of the last sample.
    """
    batch = v.shape[:-1]
    control = np.array(StepSizeControl(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0))[2:]
    parts = [initial, np.broadcast_to(control, (*batch, len(control)))]
    if smooth:
        nothing = memory_size(model, True) - HEAD - model.nq - 2 * model.nv
        parts += [np.zeros((*batch, nothing)), q, v, 0.0 * v]
    return np.concatenate(parts, axis=-1)


def initial_control(tolerance: Any, last: float, batch: tuple[int, ...]) -> Array:
    """Return the tolerance, one or (…,), and the number of the last sample, (…, 2)."""
    return np.stack([np.broadcast_to(x, batch) for x in (tolerance, last)], axis=-1)


def restarted_memory(model: Model, memory: Array, q: Array, v: Array) -> Array:
    """Return the memory of a motion that restarts at q and v."""
    return memory_at_start(model, memory.size > HEAD, memory[:2], q, v)


def step_size_control(memory: Array) -> StepSizeControl:
    """Return the step size control of a memory (…, size)."""
    return StepSizeControl(*np.moveaxis(memory[..., :HEAD], -1, 0))


def _shapes(model: Model) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of the fields of :class:`DenseOutput`."""
    nq, nv = (model.nq,), (model.nv,)
    return (), (), nq, nv, (4, *nv), (4, *nv), nq, nv, nv


def _split_memory(model: Model, memory: Array, smooth: bool) -> tuple[StepSizeControl, DenseOutput | None]:
    control = StepSizeControl(*memory[:HEAD])
    if not smooth:
        return control, None
    parts, at = [], HEAD
    for shape in _shapes(model):
        size = int(np.prod(shape))
        parts.append(memory[at : at + size].reshape(shape) if shape else memory[at])
        at += size
    return control, DenseOutput(*parts)


def _join_memory(control: StepSizeControl, past: DenseOutput | None = None) -> Array:
    return np.concatenate([np.stack([*control]), *(np.reshape(x, (-1,)) for x in past or ())])


def held_interval(
    problem: AdaptiveProblem, t: Any, h: Any, q: Array, v: Array, memory: Array
) -> tuple[Array, Array, Array]:
    """Return (q, v, memory) a time h after t under constant efforts, apart from ``external``."""
    control, _ = _split_memory(problem.model, memory, False)

    def one(elapsed: Any, q: Array, v: Array, state: tuple[Any, ...]) -> tuple[Any, ...]:
        control, rest = StepSizeControl(*state), h - elapsed
        wanted = where(control.length > 0.0, control.length, h)
        cut = wanted >= rest * ENOUGH
        g = where(cut, rest, wanted)
        trial = trial_step(problem, t + elapsed, q, v, g, None, control.tolerance)
        end = problem.closed(trial.q, trial.v)
        good = trial.error <= 1.0
        after = control._replace(length=wanted).after(g, trial.error, cut, SHORTEST * (t + h))
        return where(good, elapsed + g, elapsed), where(good, end[0], q), where(good, end[1], v), tuple(after)

    def enough(elapsed: Any, q: Array, v: Array, state: tuple[Any, ...]) -> Any:
        return (elapsed >= h * ENOUGH) | (StepSizeControl(*state).stopped > 0.5)

    elapsed, q, v, state, _ = until(enough, lambda k, *values: one(*values), 0.0 * t, q, v, tuple(control), limit=MOST)
    control = _too_many(StepSizeControl(*state), elapsed >= h * ENOUGH)
    return (*_unless_stopped(control, q, v), _join_memory(control))


def smooth_interval(problem: AdaptiveProblem, t: Any, h: Any, sample: Any, memory: Array) -> tuple[Array, Array, Array]:
    """Return (q, v, memory) a time h after t by dense output of steps that may be longer; ``sample``: number of the
    sample at t."""
    control, past = _split_memory(problem.model, memory, True)
    assert past is not None
    left = control.last - sample

    def enough(state: tuple[Any, ...], past: tuple[Any, ...]) -> Any:
        return (past[1] >= h * ENOUGH) | (StepSizeControl(*state).stopped > 0.5)

    def one(k: Any, state: tuple[Any, ...], output: tuple[Any, ...]) -> tuple[Any, ...]:
        control, past = StepSizeControl(*state), DenseOutput(*output)
        first, rest = control.length <= 0.0, maximum(left, 1.0) * h - past.ended
        cut = control.length >= rest * ENOUGH
        g = where(first, 0.0, where(cut, rest, control.length))  # a step of zero time computes the initial rates
        trial = trial_step(problem, t + past.ended, past.q, past.v, g, past.a, control.tolerance)
        end = problem.closed(trial.q, trial.v)
        good = trial.error <= 1.0
        new = DenseOutput(past.ended, past.ended + g, past.q, past.v, trial.U, trial.W, *end, trial.a)
        new = DenseOutput(*(where(good, x, y) for x, y in zip(new, past, strict=True)))
        after = control.after(g, trial.error, cut, SHORTEST * (t + h))
        after = after._replace(length=where(first, h, minimum(after.length, LONGEST * h)))
        return tuple(after), tuple(new)

    state, output, _ = until(enough, one, tuple(control), tuple(past), limit=MOST)
    past = DenseOutput(*output)
    control = _too_many(StepSizeControl(*state), past.ended >= h * ENOUGH)
    q, v = problem.closed(*past.at(problem.model, h))
    past = past._replace(begun=past.begun - h, ended=past.ended - h)
    return (*_unless_stopped(control, q, v), _join_memory(control, past))


def _too_many(control: StepSizeControl, there: Any) -> StepSizeControl:
    return control._replace(stopped=where((control.stopped < 0.5) & ~there, 2.0, control.stopped))


def _unless_stopped(control: StepSizeControl, q: Array, v: Array) -> tuple[Array, Array]:
    nan = where(control.stopped > 0.5, np.nan, 0.0)
    return q + nan, v + nan


def trial_step(
    problem: AdaptiveProblem, t: Any, q: Array, v: Array, h: Any, a: Array | None, tolerance: Any
) -> TrialStep:
    """Return a step of h seconds from q and v at t; ``a`` (nv,): the acceleration there, if known."""

    model, method = problem.model, problem.method
    driven = DrivenMechanism(model, problem.efforts, problem.options, problem.external)

    def rates(time: Any, u: Array, w: Array) -> tuple[Array, Array]:
        return driven.rates(time, q, v, u, w)[:2]

    stages = _in_a_loop if problem.looped else _written_out
    du, dw = stages(method, rates, t, v, h, a)
    (u, w), (u_off, w_off) = (
        increments(c, h, [*zip(du, dw, strict=True)]) for c in (method.stages[-1] + (0.0,), method.errors)
    )
    units = scale_of(model).velocities
    there, velocity = advance(model, q, v, u, w)
    speed = maximum(abs(v), abs(velocity))
    square = sum(((x / unit) ** 2 for x, unit in zip(u_off, units, strict=True)), 0.0 * h)
    square = square + sum(((x / (unit + s)) ** 2 for x, unit, s in zip(w_off, units, speed, strict=True)), 0.0 * h)
    U, W = (
        np.stack([sum((h * c * rate for c, rate in zip(column, rates, strict=True) if c), np.zeros(model.nv))
                  for column in zip(*method.between, strict=True)])
        for rates in (du, dw)
    )  # fmt: skip
    return TrialStep(there, velocity, U, W, dw[-1], np.sqrt(square) / tolerance)


def _written_out(method: EmbeddedPair, rates: Any, t: Any, v: Array, h: Any, a: Array | None) -> tuple[Any, Any]:
    found = [rates(t, 0.0 * v, 0.0 * v) if a is None else (v, a)]
    for row, when in zip(method.stages[1:], method.times[1:], strict=True):
        found.append(rates(t + h * when, *increments(row, h, found)))
    return [u for u, _ in found], [w for _, w in found]


def _in_a_loop(method: EmbeddedPair, rates: Any, t: Any, v: Array, h: Any, a: Array | None) -> tuple[Any, Any]:
    n, first = len(method.stages), 0 if a is None else 1
    table = np.array([row + (0.0,) * (n - len(row)) for row in method.stages])
    known = 0.0 * v if a is None else a

    def one(k: Any, du: Array, dw: Array) -> tuple[Array, Array]:
        row, here = take(table, k + first), take(np.eye(n), k + first)
        u, w = (h * sum((c * rate for c, rate in zip(row[:-1], X[:-1], strict=True)), 0.0 * v) for X in (du, dw))
        new = rates(t + h * take(np.array(method.times), k + first), u, w)
        return tuple(
            np.stack([where(chosen > 0.5, x, row) for chosen, row in zip(here, X, strict=True)])
            for x, X in zip(new, (du, dw), strict=True)
        )  # type: ignore[return-value]

    rest = [0.0 * v] * (n - 1)
    du, dw = repeat(n - first, one, np.stack([v, *rest]), np.stack([known, *rest]))
    return [*du], [*dw]
