"""Steps of an embedded pair, each as long as its error allows, on the configuration manifold.

From q and v stages lie at q ⊕ Exp(u), v + w, as those of the other methods (`integrators.py`). The series of dexp⁻¹
used there suffices for order five: what it leaves out, ad_u⁴ v/720, is of order h⁵, for [u, v] is of order h².

A step is taken again, shorter, where √Σ (error/scale)² exceeds 1. The scale of a coordinate is the tolerance times the
mechanism's length or 1 rad, that of a velocity the tolerance times the same a second and the velocity itself. The next
length is h · 0.9 e^−0.17 e₀^0.04, e being the error and e₀ that of the step before, ten times as long at most and a
fifth at least (Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 1993, II.4 and IV.2).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.integrators import Efforts, Options, advance, increments, rates_at
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.spatial.repeats import repeat, until
from linkwright.spatial.tables import take

MOST = 10_000
"""Steps from one sample to the next, those taken again included; a motion that needs more ends."""

SHORTEST = 1e-14
"""of a step, of the time since the start"""

LONGEST = 32.0
"""of a step, in samples: what acts for a short time only is seen"""

ENOUGH = 1.0 - 1e-9
"""So much of the way to the end is all of it: no crumbs are left."""


class Control(NamedTuple):
    """What is known of the lengths of steps."""

    tolerance: Any
    last: Any
    """the number of the motion's last sample"""
    length: Any
    """of the next step, s; zero at the start"""
    before: Any
    """the error of the last step that was taken"""
    again: Any
    """1 where the last step was not taken"""
    stopped: Any
    """1 where steps became shorter than numbers can tell, 2 where there were too many of them"""
    taken: Any
    """steps"""
    refused: Any
    """steps that were taken again"""

    def after(self, h: Any, error: Any, cut: Any, shortest: Any) -> Control:
        """After a step of h seconds with this error, which ``cut`` says to be short for want of time."""
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


class Past(NamedTuple):
    """The step that was taken last: times are since the last sample."""

    begun: Any
    ended: Any
    q0: Array
    """(nq,), where it began"""
    v0: Array
    U: Array
    """(4, nv): u = Σ Uₖ θᵏ after the part θ of it"""
    W: Array
    """(4, nv), likewise of v"""
    q: Array
    """(nq,), where it ended"""
    v: Array
    a: Array
    """(nv,), the acceleration there"""

    def at(self, model: Model, time: Any) -> tuple[Array, Array]:
        """(q, v) within the step."""
        theta = clip((time - self.begun) / (self.ended - self.begun), 0.0, 1.0)
        powers = [theta, theta**2, theta**2 * theta, theta**2 * theta**2]
        u, w = (sum((p * row for p, row in zip(powers, X, strict=True)), np.zeros(model.nv)) for X in (self.U, self.W))
        return advance(model, self.q0, self.v0, u, w)


class Followed(NamedTuple):
    """What a motion follows, and how."""

    model: Model
    method: Embedded
    efforts: Efforts
    options: Options
    """of forward dynamics"""
    projecting: bool
    """whether loops are closed after each step"""
    looped: bool
    """whether the stages are a loop"""
    outside: Efforts | None
    """efforts of what acts from outside"""

    def closed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v) with the loops closed, where that is asked for."""
        return dynamics.project(self.model, q, v) if self.projecting else (q, v)


class Trial(NamedTuple):
    """A step, to be taken or not."""

    q: Array
    v: Array
    U: Array
    W: Array
    a: Array
    error: Any


HEAD = len(Control._fields)


def memory_size(model: Model, smooth: bool) -> int:
    """How many numbers are kept from sample to sample."""
    return HEAD + (sum(map(int, map(np.prod, _shapes(model)))) if smooth else 0)


def memory_at_start(model: Model, smooth: bool, told: Array, q: Array, v: Array) -> Array:
    """These numbers (…, size) before the first step from q (…, nq) and v (…, nv).

    ``told`` (…, 2): the tolerance, and the number of the last sample.
    """
    batch = v.shape[:-1]
    control = np.array(Control(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0))[2:]
    parts = [told, np.broadcast_to(control, (*batch, len(control)))]
    if smooth:
        nothing = memory_size(model, True) - HEAD - model.nq - 2 * model.nv
        parts += [np.zeros((*batch, nothing)), q, v, 0.0 * v]
    return np.concatenate(parts, axis=-1)


def told_at_start(tolerance: Any, last: float, batch: tuple[int, ...]) -> Array:
    """The tolerance, one or (…,), and the number of the last sample (…, 2)."""
    return np.stack([np.broadcast_to(x, batch) for x in (tolerance, last)], axis=-1)


def memory_again(model: Model, memory: Array, q: Array, v: Array) -> Array:
    """These numbers where a motion begins anew at q and v."""
    return memory_at_start(model, memory.size > HEAD, memory[:2], q, v)


def control_of(memory: Array) -> Control:
    """What is known of the steps (…, size) of motions."""
    return Control(*np.moveaxis(memory[..., :HEAD], -1, 0))


def _shapes(model: Model) -> tuple[tuple[int, ...], ...]:
    """Of what is in :class:`Past`."""
    nq, nv = (model.nq,), (model.nv,)
    return (), (), nq, nv, (4, *nv), (4, *nv), nq, nv, nv


def _apart(model: Model, memory: Array, smooth: bool) -> tuple[Control, Past | None]:
    control = Control(*memory[:HEAD])
    if not smooth:
        return control, None
    parts, at = [], HEAD
    for shape in _shapes(model):
        size = int(np.prod(shape))
        parts.append(memory[at : at + size].reshape(shape) if shape else memory[at])
        at += size
    return control, Past(*parts)


def _joined(control: Control, past: Past | None = None) -> Array:
    return np.concatenate([np.stack([*control]), *(np.reshape(x, (-1,)) for x in past or ())])


def held_interval(followed: Followed, t: Any, h: Any, q: Array, v: Array, memory: Array) -> tuple[Array, Array, Array]:
    """(q, v, memory) a time h after t, under efforts that do not change in between but by ``outside``."""
    control, _ = _apart(followed.model, memory, False)

    def one(gone: Any, q: Array, v: Array, told: tuple[Any, ...]) -> tuple[Any, ...]:
        control, rest = Control(*told), h - gone
        wanted = where(control.length > 0.0, control.length, h)
        cut = wanted >= rest * ENOUGH
        g = where(cut, rest, wanted)
        trial = tried(followed, t + gone, q, v, g, None, control.tolerance)
        end = followed.closed(trial.q, trial.v)
        good = trial.error <= 1.0
        after = control._replace(length=wanted).after(g, trial.error, cut, SHORTEST * (t + h))
        return where(good, gone + g, gone), where(good, end[0], q), where(good, end[1], v), tuple(after)

    def enough(gone: Any, q: Array, v: Array, told: tuple[Any, ...]) -> Any:
        return (gone >= h * ENOUGH) | (Control(*told).stopped > 0.5)

    gone, q, v, told, _ = until(enough, lambda k, *state: one(*state), 0.0 * t, q, v, tuple(control), limit=MOST)
    control = _too_many(Control(*told), gone >= h * ENOUGH)
    return (*_unless_stopped(control, q, v), _joined(control))


def smooth_interval(followed: Followed, t: Any, h: Any, gone: Any, memory: Array) -> tuple[Array, Array, Array]:
    """(q, v, memory) a time h after t, within steps that may be longer; ``gone``: the number of the sample at t."""
    control, past = _apart(followed.model, memory, True)
    assert past is not None
    left = control.last - gone

    def enough(told: tuple[Any, ...], past: tuple[Any, ...]) -> Any:
        return (past[1] >= h * ENOUGH) | (Control(*told).stopped > 0.5)

    def one(k: Any, told: tuple[Any, ...], seen: tuple[Any, ...]) -> tuple[Any, ...]:
        control, past = Control(*told), Past(*seen)
        first, rest = control.length <= 0.0, maximum(left, 1.0) * h - past.ended
        cut = control.length >= rest * ENOUGH
        g = where(first, 0.0, where(cut, rest, control.length))  # a step of no time tells how motion begins
        trial = tried(followed, t + past.ended, past.q, past.v, g, past.a, control.tolerance)
        end = followed.closed(trial.q, trial.v)
        good = trial.error <= 1.0
        new = Past(past.ended, past.ended + g, past.q, past.v, trial.U, trial.W, *end, trial.a)
        new = Past(*(where(good, x, y) for x, y in zip(new, past, strict=True)))
        after = control.after(g, trial.error, cut, SHORTEST * (t + h))
        after = after._replace(length=where(first, h, minimum(after.length, LONGEST * h)))
        return tuple(after), tuple(new)

    told, seen, _ = until(enough, one, tuple(control), tuple(past), limit=MOST)
    past = Past(*seen)
    control = _too_many(Control(*told), past.ended >= h * ENOUGH)
    q, v = followed.closed(*past.at(followed.model, h))
    past = past._replace(begun=past.begun - h, ended=past.ended - h)
    return (*_unless_stopped(control, q, v), _joined(control, past))


def _too_many(control: Control, there: Any) -> Control:
    return control._replace(stopped=where((control.stopped < 0.5) & ~there, 2.0, control.stopped))


def _unless_stopped(control: Control, q: Array, v: Array) -> tuple[Array, Array]:
    nan = where(control.stopped > 0.5, np.nan, 0.0)
    return q + nan, v + nan


def tried(followed: Followed, t: Any, q: Array, v: Array, h: Any, a: Array | None, tolerance: Any) -> Trial:
    """A step of h seconds from q and v at t; ``a`` (nv,): the acceleration there, where it is known."""

    model, method = followed.model, followed.method

    def rates(time: Any, u: Array, w: Array) -> tuple[Array, Array]:
        return rates_at(model, time, q, v, u, w, followed.efforts, followed.options, followed.outside)[:2]

    stages = _in_a_loop if followed.looped else _written_out
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
    return Trial(there, velocity, U, W, dw[-1], np.sqrt(square) / tolerance)


def _written_out(method: Embedded, rates: Any, t: Any, v: Array, h: Any, a: Array | None) -> tuple[Any, Any]:
    found = [rates(t, 0.0 * v, 0.0 * v) if a is None else (v, a)]
    for row, when in zip(method.stages[1:], method.times[1:], strict=True):
        found.append(rates(t + h * when, *increments(row, h, found)))
    return [u for u, _ in found], [w for _, w in found]


def _in_a_loop(method: Embedded, rates: Any, t: Any, v: Array, h: Any, a: Array | None) -> tuple[Any, Any]:
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
