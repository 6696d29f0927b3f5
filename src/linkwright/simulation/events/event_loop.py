"""Simulation with events: intervals until the next event, which is located by shorter steps.

An interval is simulated and the conditions are evaluated at all samples. Where a condition changes its sign, the step
is repeated from its beginning with the length at whose end the condition is zero. The state there has the order of the
method. Brent's method finds the length to rounding.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.compiler.kernel import compile
from linkwright.compiler.public import compile_or_not
from linkwright.dynamics import constraint_forces, joint_forces, kinetic_energy, passive_forces, project
from linkwright.dynamics.configuration import check_state
from linkwright.errors import ArgumentError, InputError, SimulationError, warn
from linkwright.expression.graph import Expr
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.actuation.fingerprint import fingerprint
from linkwright.simulation.events.concatenation import concatenated_motion
from linkwright.simulation.events.event import Event, Impact, Occurrence
from linkwright.simulation.events.event_impacts import TOGETHER, velocity_after_impacts
from linkwright.simulation.events.root_finding import brent_root, find_dip
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.setup import Setup
from linkwright.spatial.arrays import Array

FIRST, MOST = 32, 512
"""Numbers of samples of an interval: after an event, and at most."""

SOON = 1e-6
"""Share of a step after which the sign of a condition at zero is determined."""

ZERO = 1e-12
"""Conditions below it count as zero; their sign is determined shortly after."""

NEARLY = 0.1
"""Share of the nearest sample below which a minimum is examined."""

ROUNDED = 8
"""Tolerances of time by which a sample may differ from the end of the same step alone."""

MANY = 1000
"""Largest number of events within one step."""

NOT_HELD = ("period", "delay", "lag", "noise")
"""Options with memory of earlier steps, which cannot restart at an event."""

SimulateInterval = Callable[..., Motion]
"""(model, q, v, t0, steps, h, setup) -> the motion without events"""


def simulate_with_events(
    simulate_interval: SimulateInterval,
    model: Model,
    q0: Any,
    v0: Any,
    times: tuple[float, float, float],
    setup: Setup,
    events: Sequence[Any],
    every: int,
) -> Motion:
    """Return the motion with its events; ``times``: of the start, the duration and the step."""
    if isinstance(events, Event) or callable(events) or not isinstance(events, Sequence):
        raise ArgumentError(f"events is a list of Event, or of functions (model, t, q, v); got {events!r}")
    (t0, duration, h), (q, v, batch) = times, check_state(model, q0, v0)
    if batch:
        raise InputError(f"events are located in single motions; simulate those of the batch {batch} one by one")
    if late := [name for name in setup.actuation.own_path if name in NOT_HELD]:
        raise InputError(f"{', '.join(late)} and events: memory of earlier steps cannot be reset at an event")
    if setup.actuation.is_of_actuators and model.na:
        raise InputError("events are not for actuators with activations, which cannot be reset at an event")
    if setup.integrator.method == "variational":
        raise InputError("events are not for method 'variational': a step of another length would not go on from it")
    known, progress = [_event(one) for one in events], setup.integrator.progress
    setup = replace(setup, integrator=replace(setup.integrator, progress=None))
    simulation = _EventSimulation(simulate_interval, _without_pairs_of(model, known), known, h, setup)
    simulation.restart(t0, q, v, setup.actuation.initial_state)
    end = t0 + duration
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while simulation.t < end - 1e-9 * simulation.h and not simulation.stopped:
            simulation.advance(end)
            if progress is not None:
                progress(min(1.0, (simulation.t - t0) / duration))
    _warn_once(caught)
    return concatenated_motion(simulation.pieces, simulation.occurred, h, every)


def _event(one: Any) -> Event:
    if isinstance(one, Event):
        return one
    if callable(one):
        return Event(one)
    raise ArgumentError(f"an event is an Event, or a function (model, t, q, v) -> a number; got {one!r}")


def _without_pairs_of(model: Model, events: Sequence[Event]) -> Model:
    """Return the model without the pairs whose contact is an impact of an event."""
    impacts = {event.pair for event in events if event.pair is not None and isinstance(event.action, Impact)}
    if not impacts:
        return model
    left = tuple(pair for k, pair in enumerate(model.pairs) if k not in impacts)
    made: Model = derived(
        model,
        _without_pairs_of,
        tuple(sorted(impacts)),
        make=lambda: replace(model, pairs=left, description=replace(model.description, pairs=left)),
    )
    return made


def _warn_once(caught: Sequence[warnings.WarningMessage]) -> None:
    """Give each warning of the intervals once."""
    for category, text in dict.fromkeys((one.category, str(one.message)) for one in caught):
        warn(text, category)  # type: ignore[arg-type]


class _EventSimulation:
    """State of a simulation with events."""

    def __init__(self, simulate_interval: SimulateInterval, model: Model, events: list[Event], h: float, setup: Setup):
        self.simulate_interval, self.model, self.events, self.h, self.setup = simulate_interval, model, events, h, setup
        self.pieces: list[Motion] = []
        self.occurred: list[Occurrence] = []
        self.stopped = False
        self.closed: dict[int, tuple[str, float]] = {}
        """for each event with a closed gap: its loop, and the sign of the pressing force"""
        self.base: Model | None = model
        """mechanism without these loops, if known"""
        self.disabled: set[int] = set()
        """events that cannot occur again"""
        self._size = FIRST
        self._recent: list[float] = []

    def restart(self, t: float, q: Array, v: Array, state: Any) -> None:
        """Continue from a state; the signs of conditions are determined again."""
        self.t, self.q, self.v, self.state = t, q, v, state
        self._sides: Array | None = None
        self._open: set[int] = set()
        """events whose gaps have just opened"""

    # stretches

    def _simulate(self, t: float, q: Array, v: Array, state: Any, duration: float, steps: int = 1) -> Motion:
        return self.simulate_interval(self.model, q, v, t, steps, duration / steps, self.setup.with_state(state))

    def advance(self, end: float) -> None:
        """Simulate an interval, or up to the next event."""
        left = end - self.t
        count = min(self._size, max(1, math.ceil(left / self.h - 1e-9)))
        duration = min(left, count * self.h)
        motion = self._simulate(self.t, self.q, self.v, self.state, duration, count)
        g = self._conditions(motion)
        if self._sides is None:
            self._sides = self._first_sides(g[0])
        crossing = _first_crossing(self._sides, g)
        self._require_numbers(motion, g[: crossing[0] + 1 if crossing else None])
        for k, i in _near_misses(self._sides, g[: crossing[0] + 1 if crossing else None]):
            if self._is_crossed(i, self._sides[i]) and (s := self._find_dip(motion, k, i, self._sides[i])) is not None:
                self._size = FIRST
                self._locate_first(motion, k, [i], g, s)
                return
        if crossing is None or not len(self.events):
            self._sides = _sides_of(g[-1], self._sides)
            self._append(motion)
            if len(motion.t) < count + 1:  # it diverged
                self.stopped = True
            self._size = min(2 * self._size, MOST)
            return
        k, seen = crossing
        self._size = FIRST
        self._locate_first(motion, k, seen, g)

    def _require_numbers(self, motion: Motion, g: Array) -> None:
        """Raise where conditions (n, m) at the samples are NaN."""
        wrong = np.argwhere(np.isnan(g))
        if len(wrong):
            k, i = wrong[0]
            raise InputError(f"the condition of the event {self.events[i].title!r} is nan at t = {motion.t[k]:g} s")

    def _append(self, motion: Motion) -> None:
        """Append a part; one of zero duration that begins in the last state adds nothing."""
        if len(motion.t) > 1 or not self._ends_where(motion):
            self.pieces.append(motion)
        self.t, self.q, self.v = float(motion.t[-1]), motion.q[-1], motion.v[-1]
        self.state = _last_state(motion)

    def _ends_where(self, motion: Motion) -> bool:
        """Return whether the previous part ends in the state in which this one begins."""
        if not self.pieces or self.pieces[-1].model is not motion.model:
            return False
        last = self.pieces[-1]
        return all(np.array_equal(getattr(last, name)[-1], getattr(motion, name)[0]) for name in ("t", "q", "v"))

    def _conditions(self, motion: Motion) -> Array:
        """Return the conditions (n, m) at the samples; 1 for disabled events."""
        found = self._evaluate(motion.t, motion.q, motion.v)
        for i in self.disabled:
            found[:, i] = 1.0
        if self.closed:
            forces = self._forces(motion)
            rows = _first_rows(self.model)
            for i, (loop, sign) in self.closed.items():
                found[:, i] = sign * forces[:, rows[loop]]  # of what is closed: what presses
        return found

    def _evaluate(self, t: Array, q: Array, v: Array) -> Array:
        if not self.events:
            return np.zeros((len(t), 0))
        return np.array(conditions_of(self.model, self.events)(q, v, t))

    def _forces(self, motion: Motion) -> Array:
        """Return the multipliers (n, m) of the loops at the samples."""
        external = [np.zeros(self.model.nv)] * len(motion.t)
        for frame, wrench in motion.wrenches.items():
            for k, w in enumerate(wrench):
                external[k] = external[k] + joint_forces(self.model, motion.q[k], frame, w)
        found = []
        for q, v, tau, more in zip(motion.q, motion.v, motion.tau, external, strict=True):
            effort = np.where(np.isfinite(tau), tau, 0.0) + more + passive_forces(self.model, q, v)
            found.append(constraint_forces(self.model, q, v, effort))
        return np.array(found)

    def _first_sides(self, now: Array) -> Array:
        """Return the signs of conditions at the start; of those at zero, the signs shortly after."""
        sides = np.sign(now)
        near = np.abs(now) <= ZERO
        if near.any():
            soon = self._simulate(self.t, self.q, self.v, self.state, SOON * self.h)
            later = self._conditions(soon)[-1]
            sides = np.where(near, np.sign(later), sides)
            if not self.pieces:  # what touches at the beginning, and closes, has an impact
                impacts = np.array([isinstance(event.action, Impact) for event in self.events])
                sides = np.where(near & impacts, 1.0, sides)
        for i in self._open:
            sides[i] = 1.0
        for i in self.closed:
            sides[i] = 1.0
        return sides

    # events

    def _find_dip(self, motion: Motion, k: int, i: int, side: float) -> float | None:
        """Return the time after sample k at which a condition has the other sign within the step, or None."""
        at = (float(motion.t[k]), motion.q[k], motion.v[k], _state_at(motion, k, self.state))

        def value(s: float) -> float:
            return float(side * self._conditions(self._simulate(*at, s))[-1, i])

        return find_dip(value, float(motion.t[k + 1] - motion.t[k]), ZERO)

    def _locate_first(self, motion: Motion, k: int, seen: list[int], g: Array, until: float | None = None) -> None:
        """Locate the first of the events seen in step k, or at the time ``until`` after its beginning, and apply its
        action."""
        assert self._sides is not None
        at = (float(motion.t[k]), motion.q[k], motion.v[k], _state_at(motion, k, self.state))
        length = float(motion.t[k + 1] - motion.t[k]) if until is None else until
        sides = self._sides
        for row in g[1 : k + 1]:
            sides = _sides_of(row, sides)
        tolerance = 1e-15 + 4.0 * np.finfo(float).eps * abs(at[0])
        taken: dict[float, tuple[Motion, Array]] = {}

        def after(s: float) -> tuple[Motion, Array]:
            if s not in taken:
                one = self._simulate(*at, s) if s > 0.0 else _samples(motion, slice(k, k + 1))
                taken[s] = one, self._conditions(one)[-1]
            return taken[s]

        def value(s: float, i: int) -> float:
            return float(after(s)[1][i] * sides[i])

        places = []
        for i in seen:
            if self._is_crossed(i, sides[i]):
                within = partial(value, i=i)
                places.append((_located(within, float(g[k, i] * sides[i]), length, tolerance), i))
        if not places:  # crossed the other way round
            self._append(_samples(motion, slice(k + 2)))
            self._sides = _sides_of(g[k + 1], sides)
            return
        s, first = min(places)
        if s > SOON * length and (value(0.5 * s, first) < -ZERO or value(0.5 * (s + length), first) > ZERO):
            warn(
                f"the condition of the event {self.events[first].title!r} changes its sign several times within a step "
                f"of {self.h:g} s, and some of these events are missed; take a smaller step"
            )
        here = after(s)[0]
        together = [i for place, i in places if place - s <= ZERO * max(1.0, abs(at[0]))]
        if k:
            self._append(_samples(motion, slice(k + 1)))
        self._append(here)
        self._require_few(length)
        self._apply(together, after(s)[1])

    def _is_crossed(self, i: int, side: float) -> bool:
        """Return whether an event occurs where its condition leaves this sign."""
        return i in self.closed or self.events[i].direction in ("both", "down" if side > 0.0 else "up")

    def _require_few(self, length: float) -> None:
        self._recent = [t for t in self._recent if t > self.t - self.h] + [self.t]
        if len(self._recent) > MANY:
            raise SimulationError(
                f"more than {MANY} events of {self.model.name!r} within {self.h:g} s, at t = {self.t:g} s; the last: "
                f"{self.occurred[-1].name!r}"
            )

    def _apply(self, together: list[int], now: Array) -> None:
        """Apply the actions of simultaneous events: impacts together, others in sequence."""
        t, state = self.t, self.state
        opened: set[int] = set()
        released = [i for i in together if i in self.closed]
        for i in released:
            self._release(i)
            opened.add(i)
        fresh = [i for i in together if i not in released]
        if any(isinstance(self.events[i].action, Impact) for i in fresh):
            opened |= self._impact(fresh, now)
        for i in fresh:
            event = self.events[i]
            if isinstance(event.action, Impact):
                continue
            before, old, held = (self.q, self.v), self.model, event.action
            if callable(held):
                with _naming(f"in the action of the event {event.title!r}, at t = {self.t:g} s"):
                    found = held(self.model, self.t, self.q.copy(), self.v.copy())
                self._continue_with(found, event.title)
            elif held == "stop":
                self.stopped = True
            lost = float(kinetic_energy(old, *before) - kinetic_energy(self.model, self.q, self.v))
            self.occurred.append(Occurrence(self.t, event.title, before, (self.q, self.v), lost))
            if event.once:
                self.disabled.add(i)
        self.restart(t, self.q, self.v, state)
        self._open = opened

    def _continue_with(self, found: Any, name: str) -> None:
        """Continue with the result of an action."""
        if found is None:
            return
        if isinstance(found, str) and found == "stop":
            self.stopped = True
            return
        parts = tuple(found) if isinstance(found, (tuple, list)) else ()
        model = parts[0] if parts and isinstance(parts[0], Model) else self.model
        state = parts[1:3] if parts and isinstance(parts[0], Model) else parts
        if len(state) != 2:
            raise ArgumentError(f"the action of {name!r} returns None, (q, v), (model, q, v) or 'stop'; got {found!r}")
        self.q, self.v, batch = check_state(model, *state)
        if batch:
            raise InputError(f"the action of {name!r} returned a batch {batch}")
        if model is not self.model:  # what is held still goes on being held
            left = {loop.name for loop in model.loops}
            self.closed = {i: held for i, held in self.closed.items() if held[0] in left}
            self.model, self.base = model, None if self.closed else model

    def _impact(self, fresh: list[int], now: Array) -> set[int]:
        """Reflect all closing gaps; return the events whose gaps are open afterwards."""
        hitting = [i for i in fresh if isinstance(self.events[i].action, Impact)]
        others = [
            i
            for i, event in enumerate(self.events)
            if i not in fresh and i not in self.closed and i not in self.disabled
            and isinstance(event.action, Impact) and abs(now[i]) <= TOGETHER
        ]  # fmt: skip
        rows = hitting + others
        J = np.array(slopes_of(self.model, self.events)(self.q, self.v, self.t))[rows]
        before = self.q, self.v
        after, rests, lost = velocity_after_impacts(self.model, self.q, self.v, [self.events[i] for i in rows], J)
        self.v = after
        for k, i in enumerate(rows):
            if k < len(hitting) or J[k] @ (after - before[1]) != 0.0:
                self.occurred.append(Occurrence(self.t, self.events[i].title, before, (self.q, after), lost))
                lost = 0.0
        rates = J @ after
        opened = {i for i, rate in zip(rows, rates, strict=True) if rate > 0.0}
        if rests.any():
            soon = self._simulate(self.t, self.q, self.v, self.state, SOON * self.h)
            slopes = np.array(slopes_of(self.model, self.events)(soon.q[-1], soon.v[-1], soon.t[-1]))[rows]
            pressed = slopes @ soon.v[-1] < -ZERO * (1.0 + np.abs(after).max(initial=0.0))
            for k, i in enumerate(rows):
                if rests[k] and pressed[k]:
                    self._close(i)
        return opened

    def _close(self, i: int) -> None:
        """Keep a gap closed from now on."""
        hold, loop = self.events[i].attach, f"held: {self.events[i].title}"
        if hold is None:
            self.stopped = True
            warn(
                f"{self.events[i].title!r}: comes to rest at t = {self.t:g} s, and nothing says how it is held there; "
                "the motion ends"
            )
            return
        before = self.model
        self.model, sign = derived(before, _EventSimulation._close, self.events[i], make=lambda: hold(before, loop))
        self.closed[i] = loop, sign
        self.q, self.v = project(self.model, self.q, self.v)

    def _release(self, i: int) -> None:
        loop, _ = self.closed.pop(i)
        self.model = self.base if self.base is not None and not self.closed else self.model.without_loop(loop)
        self.base = self.base if self.closed else self.model
        self.occurred.append(Occurrence(self.t, f"{self.events[i].title}: leaves", (self.q, self.v), (self.q, self.v)))


def conditions_of(model: Model, events: Sequence[Event]) -> Callable[..., Array]:
    """Return the kernel (q, v, t) -> conditions (m,) of all events."""
    kernel: Callable[..., Array] = derived(
        model, conditions_of, _key(events), make=lambda: compile_or_not(_conditions(events), model, t=())
    )
    return kernel


def slopes_of(model: Model, events: Sequence[Event]) -> Callable[..., Array]:
    """Return the kernel (q, v, t) -> derivatives (m, nv) of the conditions along :func:`integrate`."""
    kernel: Callable[..., Array] = derived(
        model, slopes_of, _key(events), make=lambda: compile(_conditions(events), model, t=()).derivative("q")
    )
    return kernel


def _key(events: Sequence[Event]) -> Any:
    try:
        key = tuple(fingerprint(event.condition) for event in events)
        hash(key)
        return key
    except TypeError:  # what is bound may change unseen
        return tuple(events)


def _conditions(events: Sequence[Event]) -> Callable[..., Any]:
    def conditions(model: Model, q: Array, v: Array, t: Any) -> Array:
        whole = model.physical or model
        found = []
        for event in events:
            with _naming(f"in the condition of the event {event.title!r}"):
                one = event.condition(whole, t, q.copy(), v.copy())
            _require_number(event.title, one)
            found.append(one + 0.0 * t)
        return np.stack(found)

    return conditions


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Add a note with their origin to errors of user functions."""
    try:
        yield
    except Exception as error:
        error.add_note(where)
        raise


def _require_number(name: str, found: Any) -> None:
    """Raise for a condition that is not one number, or symbol, that may change its sign."""
    what = f"the condition of the event {name!r} is one number"
    if found is None:
        raise ArgumentError(f"{what}; it returned None: is its `return` missing?")
    if np.shape(found) != ():
        raise ArgumentError(f"{what}; it has shape {np.shape(found)}")
    if np.asarray(found).dtype.kind not in "biufO":
        raise ArgumentError(f"{what}; it returned {found!r}")
    if isinstance(found, (bool, np.bool_)) or (
        isinstance(found, Expr) and found.value is None and found.graph.is_condition(found)
    ):
        raise ArgumentError(f"{what} that changes its sign; it returned a truth value: q[0] > 0.3 is q[0] - 0.3")


def _first_rows(model: Model) -> dict[str, int]:
    """Return the index of the first multiplier of each loop."""
    rows, at = {}, 0
    for loop in model.loops:
        rows[loop.name] = at
        at += 1 if loop.type == "joint" else len(loop.kind.units)  # type: ignore[union-attr]
    return rows


def _sides_of(g: Array, before: Array) -> Array:
    """Return the signs of conditions; of those at zero the previous signs."""
    return np.where(np.abs(g) > ZERO, np.sign(g), before)


def _first_crossing(sides: Array, g: Array) -> tuple[int, list[int]] | None:
    """Return the first step in which conditions (n, m) change their signs, and which."""
    before = np.array(sides, dtype=float)
    for k in range(1, len(g)):
        left = np.flatnonzero(before * g[k] < -ZERO)  # less is rounding of what stays closed
        if len(left):
            return k - 1, [int(i) for i in left]
        before = _sides_of(g[k], before)
    return None


def _near_misses(sides: Array, g: Array) -> list[tuple[int, int]]:
    """Return steps and conditions (n, m) between whose samples a parabola comes near zero and returns."""
    found = []
    y = sides * g
    for k in range(1, len(y) - 1):
        before, here, after = y[k - 1], y[k], y[k + 1]
        bent = after - 2.0 * here + before
        turned = (before >= here) & (after >= here) & (here > ZERO) & (bent > 0.0)
        for i in np.flatnonzero(turned):
            ahead = -0.5 * (after[i] - before[i]) / bent[i]  # samples from here to its least
            if here[i] - 0.5 * bent[i] * ahead * ahead <= NEARLY * here[i]:
                found.append((k if ahead >= 0.0 else k - 1, int(i)))
    return found


def _located(f: Callable[[float], float], at_start: float, length: float, tolerance: float) -> float:
    """Return the time at which f, positive shortly after 0, becomes zero within the step."""
    low, f_low = 0.0, at_start
    high, f_high = length, f(length)
    for _ in range(ROUNDED):  # alone the step ends a rounding error before the sample at which the sign was seen
        if not f_high > 0.0:
            break
        high += tolerance
        f_high = f(high)
    else:
        return length
    s = length
    while not f_low > 0.0:  # it begins at zero: where it is positive first
        s *= 0.5
        if s < SOON * length:  # nowhere: it happens at once
            return 4.0 * tolerance
        value = f(s)
        if value > 0.0:
            low, f_low = s, value
        else:
            high, f_high = s, value
    return brent_root(f, low, f_low, high, f_high, tolerance)


def _samples(motion: Motion, cut: slice) -> Motion:
    """Return some of the samples of a motion."""
    return replace(
        motion,
        t=motion.t[cut],
        q=motion.q[cut],
        v=motion.v[cut],
        tau=motion.tau[cut],
        states=None if motion.states is None else motion.states[cut],
        wrenches={frame: wrench[cut] for frame, wrench in motion.wrenches.items()},
        impulses=None if motion.impulses is None else motion.impulses[cut],
    )


def _state_at(motion: Motion, k: int, otherwise: Any) -> Any:
    return otherwise if motion.states is None or motion.shapes is None else _parts(motion.state, k)


def _last_state(motion: Motion) -> Any:
    return _state_at(motion, -1, None)


def _parts(state: Any, k: int) -> Any:
    if isinstance(state, dict):
        return {name: _parts(x, k) for name, x in state.items()}
    return tuple(_parts(x, k) for x in state) if isinstance(state, tuple) else state[k]
