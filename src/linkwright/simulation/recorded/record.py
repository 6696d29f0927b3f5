"""What a simulation keeps while it runs: samples as they come, and which of its motions go on."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError, SimulationError, warn
from linkwright.model.tree import Model
from linkwright.simulation.acting.outside import Outside
from linkwright.simulation.recorded import memory
from linkwright.simulation.recorded.motion import Motion, samples_there
from linkwright.simulation.stepping.adaptive.steps import MOST, Control
from linkwright.simulation.stepping.impacts import Constraints
from linkwright.spatial.arrays import Array, as_numbers

Efforts = Callable[[float, Array, Array], Any]
"""(t, q, v) -> efforts (nv,)"""

SMALL = 2**26
"""Bytes of a record that are not worth asking the system for."""

TOLD = 5
"""Motions of a batch that a message lists."""


class Record:
    """The samples of motions of a batch, every ``every``-th of ``steps`` steps of ``h`` seconds."""

    def __init__(
        self,
        model: Model,
        h: float,
        steps: int,
        every: int,
        batch: tuple[int, ...],
        controlled: bool,
        state: int = 0,
        shapes: Any = None,
        cut: slice | None = None,
        outside: Outside | None = None,
        own: int | None = None,
        t0: float = 0.0,
    ):
        self.own = state if own is None else own
        """of the state, how many numbers are the controller's; the others are impulses"""
        self.struck = state - self.own
        """how many numbers impulses are"""
        self.outside = outside
        self.before = t0 / h
        """steps from time zero to the first sample"""
        self.shapes, self.cut, self.asked = shapes, cut, "the controller"
        self.model, self.h, self.every, self.batch = model, h, every, batch
        kept = steps // every + 1
        size = 8 * kept * (1 + math.prod(batch) * (model.nq + 2 * model.nv + 2 + state))
        if size > SMALL and size > (room := memory.available()):
            raise _too_large(kept, size, f"the {room / 2**30:.3g} GiB that this process can still have")
        try:
            self.t = t0 + h * every * np.arange(kept)
            self.q, self.v = np.empty((kept, *batch, model.nq)), np.empty((kept, *batch, model.nv))
            self.tau, self.state = np.zeros((kept, *batch, model.nv)), np.zeros((kept, *batch, state))
        except MemoryError:
            raise _too_large(kept, size, "this process can have") from None
        if controlled:
            self.tau[:] = np.nan  # until they are known
        self.count = 0
        """samples that are there"""
        self.alive: Array = np.ones(batch, dtype=bool)
        """which motions go on"""
        self.uncontrolled = 0
        """how many of the others have ended for want of finite efforts"""
        self.advice = f"a smaller step than {h:g} s may help"
        self.ending = "grew beyond all numbers"
        """what happened to motions that have ended"""
        self.lengths: Array | None = None
        """(…, 2): steps taken, and taken again, of a method that chooses them"""
        self.smooth = False
        """whether pairs touch by smooth forces"""
        self.constraints: Constraints | None = None
        """what acts by impulses"""
        self._shown: tuple[Array, Array] | None = None
        self._lost_at = 0.0

    def time(self, step: int) -> float:
        """When a step begins, s."""
        return self.h * (self.before + step)

    def keep(self, q: Array, v: Array, state: Array | None = None) -> None:
        """Add a sample, of a law with its state."""
        self.q[self.count], self.v[self.count] = q, v
        if state is not None:
            self.state[self.count] = state
        self.count += 1  # the last thing done: an interrupt leaves whole samples

    def places(self, first: int, calls: int, each: int) -> dict[str, Array]:
        """Where what is recorded of so many times ``each`` steps after the first belongs, (calls, …, n).

        q, v and what is carried after them, where there is a sample then, and the efforts begun with, where there is
        one before. They are there when they are told to be :meth:`written`.
        """
        at = first // self.every
        places = {} if first % self.every else {"begun": self.tau[at : at + calls]}
        if (first + each) % self.every == 0:
            then = slice(at + 1, at + 1 + calls)
            places |= {"q": self.q[then], "v": self.v[then], "carried": self.state[then]}
        return places

    def written(self, steps: int) -> None:
        """All samples of so many steps are there. :class:`InputError` where no motion goes on for want of efforts."""
        self.count = steps // self.every + 1
        if self.uncontrolled and self.uncontrolled == np.size(self.alive):
            raise self._no_efforts(self._lost_at)

    def look_for_efforts(self, first: int, q: Array, v: Array, tau: Array) -> None:
        """Count the motions that end for want of efforts in steps with the states (steps + 1, …, n) at their ends."""
        there = finite(q, v)
        lost = there[:-1] & ~there[1:] & ~np.isfinite(tau).all(axis=-1)
        if lost.any():
            self.uncontrolled += int(lost.sum())
            self._lost_at = self.h * (self.before + first + int(np.argwhere(lost)[:, 0].max()))

    def goes_on(self, q: Array, v: Array) -> bool:
        """Whether any motion is finite still (or there are none)."""
        if np.isfinite(q).all() and np.isfinite(v).all():
            return True
        self.alive = self.alive & finite(q, v)
        return bool(np.any(self.alive))

    def efforts(self, controller: Efforts, t: float, q: Array, v: Array, size: int | None = None) -> Array:
        """The checked output (…, ``size``) of the controller; with servos it is longer than nv.

        Motions that have ended it sees as they were last.

        A motion of a batch for which it has no finite efforts ends there; :class:`InputError` where all do.
        """
        if self._shown is not None and not np.all(self.alive):
            alive = np.asarray(self.alive)[..., None]
            q, v = np.where(alive, q, self._shown[0]), np.where(alive, v, self._shown[1])
        self._shown = q, v
        tau, shape = as_numbers(f"efforts of {self.asked}", controller(t, q.copy(), v.copy())), v.shape
        if size is not None:
            shape = (*v.shape[:-1], size)
        if tau.shape != shape:
            try:
                if shape[-1] != (tau.shape[-1] if tau.ndim else 1):  # one number is not that of every joint
                    raise ValueError
                tau = np.broadcast_to(tau, shape)
            except ValueError:
                raise ShapeError(f"{self.asked} returned shape {tau.shape} at t = {t:g} s; expected {shape}") from None
        if not np.isfinite(tau).all():
            good = self.alive & np.isfinite(tau).all(axis=-1)
            if not np.any(good):
                raise self._no_efforts(t)
            self.uncontrolled += int(np.sum(self.alive & ~good))
            self.alive = good  # their accelerations, and all after, will not be numbers
        return tau

    def _no_efforts(self, t: float) -> InputError:
        return InputError(f"{self.asked} returned efforts that are not finite at t = {t:g} s")

    def motion(self, compile_time: float = 0.0, run_time: float = 0.0) -> Motion:
        """What there is: of a motion that has ended NaN after its last finite sample."""
        t, q, v, tau, state = self._samples()
        wrenches = self.outside.acting(self.model, t, q, v) if self.outside else {}
        law, impulses = state[..., : self.own], state[..., self.own :] if state.shape[-1] > self.own else None
        return Motion(
            model=self.model,
            t=t,
            q=q,
            v=v,
            tau=tau,
            step=self.h,
            compile_time=compile_time,
            run_time=run_time,
            states=law,
            shapes=self.shapes,
            cut=self.cut,
            wrenches=wrenches,
            lengths=self.lengths,
            impulses=impulses,
            smooth=self.smooth,
            constraints=self.constraints,
        )

    def look_at_lengths(self, control: Control) -> None:
        """Note how many steps there were, and of motions that have ended why."""
        self.lengths = np.stack([control.taken, control.refused], axis=-1)
        stopped = control.stopped
        many, short = int(np.sum(stopped == 2.0)), int(np.sum(stopped == 1.0))
        if many or short:
            why = [f"more than {MOST} steps were needed from one sample to the next"] * bool(many)
            why += ["steps became too short for numbers"] * bool(short)
            self.advice = (
                f"{' and '.join(why)}: something acts too stiffly or jumps there; a larger tolerance, softer contact "
                "or method='semi_implicit' may help"
            )

    def _samples(self) -> tuple[Array, Array, Array, Array, Array]:
        q, v, tau, state = (x[: self.count] for x in (self.q, self.v, self.tau, self.state))
        if not self.count or finite(q[-1], v[-1]).all():  # what is no number stays none
            return self.t[: self.count], q, v, tau, state
        there = samples_there(q, v)
        longest = int(there.max()) if there.size else self.count
        for row in map(tuple, np.argwhere(np.asarray(there < longest))):
            after = (slice(there[row], None), *row)
            q[after] = v[after] = tau[after] = state[after] = np.nan
        return self.t[:longest], q[:longest], v[:longest], tau[:longest], state[:longest]

    def give_to(self, error: BaseException, compile_time: float, run_time: float) -> None:
        """Put what there is on an error that ends the simulation, as its ``motion``."""
        motion = self.motion(compile_time, run_time)
        with suppress(Exception):  # an error may refuse attributes
            error.motion = motion  # type: ignore[attr-defined]
            error.add_note(f"what was simulated, until t = {motion.t[-1]:g} s, is this exception's .motion")

    def tell(self, motion: Motion) -> None:
        """Warn of motions that have ended; :class:`SimulationError` where all of a batch have."""
        if np.all(self.alive):
            return
        ended = np.argwhere(~np.asarray(self.alive))
        advice = self.advice
        name, times = self.model.name, motion.ended
        if not self.batch:
            message = f"the motion of {name!r} {self.ending} after t = {times:g} s and ends there; {advice}"
            warn(message)
            return
        each = [f"[{', '.join(map(str, row))}] after t = {times[tuple(row)]:g} s" for row in ended[:TOLD]]
        told = ", ".join(each + ["…"] * (len(ended) > TOLD))
        if self.uncontrolled:
            told += f"; for {self.uncontrolled} of them {self.asked}'s efforts were not finite"
        if len(ended) == np.size(self.alive):
            raise SimulationError(f"all {len(ended)} motions of {name!r} {self.ending}: {told}; {advice}")
        warn(
            f"{len(ended)} of {np.size(self.alive)} motions of {name!r} {self.ending}: {told}; their later "
            f"samples are NaN (motion.ended has the times), the others go on; {advice}",
        )


def flat(x: Array) -> Array:
    """(…, n) with all motions of a batch along one axis; a single one stays (n,)."""
    return x if x.ndim == 1 else x.reshape(-1, x.shape[-1])


def _too_large(kept: int, size: float, room: str) -> InputError:
    return InputError(
        f"the record of {kept} samples would take {size / 2**30:.3g} GiB, more than {room}; keep only "
        "some of them (every=…), or take fewer steps"
    )


def finite(q: Array, v: Array) -> Any:
    """(…,) truth values: which are finite."""
    return np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
