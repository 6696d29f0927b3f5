"""Recorder of a running simulation: samples, and which motions have not diverged."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from linkwright.errors import InputError, ShapeError, SimulationError, warn
from linkwright.model.tree import Model
from linkwright.simulation.actuation.external_forces import ExternalForces
from linkwright.simulation.integrators.adaptive_step import MOST, StepSizeControl
from linkwright.simulation.integrators.constrained_step import Constraints
from linkwright.simulation.recording import available_memory
from linkwright.simulation.recording.motion import Motion, samples_there
from linkwright.spatial.arrays import Array, as_numbers

Efforts = Callable[[float, Array, Array], Any]
"""(t, q, v) -> efforts (nv,)"""

LISTED = 5
"""Largest number of motions listed in a message."""


class MotionRecorder:
    """Record every ``every``-th of ``steps`` steps of ``h`` seconds, of a batch of motions."""

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
        external: ExternalForces | None = None,
        own: int | None = None,
        t0: float = 0.0,
    ):
        self.own = state if own is None else own
        """number of entries of the state that belong to the controller; the others are impulses"""
        self.impulse_count = state - self.own
        """number of impulses"""
        self.external = external
        self.before = t0 / h
        """steps from time zero to the first sample"""
        self.shapes, self.cut, self.source = shapes, cut, "the controller"
        self.model, self.h, self.every, self.batch = model, h, every, batch
        kept = steps // every + 1
        size = 8 * kept * (1 + math.prod(batch) * (model.nq + 2 * model.nv + 2 + state))
        if left := available_memory.lacking(size):
            raise _too_large(kept, size, left)
        try:
            self.t = t0 + h * every * np.arange(kept)
            self.q, self.v = np.empty((kept, *batch, model.nq)), np.empty((kept, *batch, model.nv))
            self.tau, self.state = np.zeros((kept, *batch, model.nv)), np.zeros((kept, *batch, state))
        except MemoryError:
            raise _too_large(kept, size, "this process can have") from None
        if controlled:
            self.tau[:] = np.nan  # until they are known
        self.count = 0
        """number of recorded samples"""
        self.alive: Array = np.ones(batch, dtype=bool)
        """which motions have not ended"""
        self.uncontrolled = 0
        """number of ended motions whose efforts were not finite"""
        self.advice = f"a smaller step than {h:g} s may help"
        self.ending = "diverged (inf or NaN)"
        """description of the end, for messages"""
        self.lengths: Array | None = None
        """(…, 2): numbers of accepted and rejected steps, of an adaptive method"""
        self.activation_count = 0
        """number of activations of actuators, the end of the controller's state"""
        self.smooth = False
        """whether contact is a smooth force"""
        self.constraints: Constraints | None = None
        """constraints solved by impulses"""
        self._shown: tuple[Array, Array] | None = None
        self._lost_at = 0.0

    def time(self, step: int) -> float:
        """Return the time at the beginning of a step, s."""
        return self.h * (self.before + step)

    def add_sample(self, q: Array, v: Array, state: Array | None = None) -> None:
        """Add a sample, with the state of the controller."""
        self.q[self.count], self.v[self.count] = q, v
        if state is not None:
            self.state[self.count] = state
        self.count += 1  # the last thing done: an interrupt leaves whole samples

    def buffers(self, first: int, calls: int, each: int) -> dict[str, Array]:
        """Return the buffers (calls, …, n) of ``calls`` results, ``each`` steps apart, after step ``first``.

        These are q, v and the carried state where a sample follows, and the initial efforts where one precedes. They
        are part of the record after :meth:`mark_recorded`.
        """
        at = first // self.every
        places = {} if first % self.every else {"begun": self.tau[at : at + calls]}
        if (first + each) % self.every == 0:
            then = slice(at + 1, at + 1 + calls)
            places |= {"q": self.q[then], "v": self.v[then], "carried": self.state[then]}
        return places

    def mark_recorded(self, steps: int) -> None:
        """Mark all samples of these steps as recorded; raise :class:`InputError` if all motions ended without finite
        efforts."""
        self.count = steps // self.every + 1
        if self.uncontrolled and self.uncontrolled == np.size(self.alive):
            raise self._no_efforts(self._lost_at)

    def count_missing_efforts(self, first: int, q: Array, v: Array, tau: Array) -> None:
        """Count motions that end without finite efforts, from the states (steps + 1, …, n) at the ends of steps."""
        there = finite(q, v)
        lost = there[:-1] & ~there[1:] & ~np.isfinite(tau).all(axis=-1)
        if lost.any():
            self.uncontrolled += int(lost.sum())
            self._lost_at = self.h * (self.before + first + int(np.argwhere(lost)[:, 0].max()))

    def any_finite(self, q: Array, v: Array) -> bool:
        """Whether any motion is still finite; True for an empty batch."""
        if np.isfinite(q).all() and np.isfinite(v).all():
            return True
        self.alive = self.alive & finite(q, v)
        return bool(np.any(self.alive))

    def efforts(self, controller: Efforts, t: float, q: Array, v: Array, size: int | None = None) -> Array:
        """Evaluate and check the output (…, ``size``) of the controller; with servos it is longer than nv.

        The controller receives the last states of motions that have ended. A motion whose efforts are not finite ends;
        raises :class:`InputError` if none is left.
        """
        if self._shown is not None and not np.all(self.alive):
            alive = np.asarray(self.alive)[..., None]
            q, v = np.where(alive, q, self._shown[0]), np.where(alive, v, self._shown[1])
        self._shown = q, v
        tau, shape = as_numbers(f"efforts of {self.source}", controller(t, q.copy(), v.copy())), v.shape
        if size is not None:
            shape = (*v.shape[:-1], size)
        if tau.shape != shape:
            try:
                if shape[-1] != (tau.shape[-1] if tau.ndim else 1):  # one number is not that of every joint
                    raise ValueError
                tau = np.broadcast_to(tau, shape)
            except ValueError:
                raise ShapeError(f"{self.source} returned shape {tau.shape} at t = {t:g} s; expected {shape}") from None
        if not np.isfinite(tau).all():
            good = self.alive & np.isfinite(tau).all(axis=-1)
            if not np.any(good):
                raise self._no_efforts(t)
            self.uncontrolled += int(np.sum(self.alive & ~good))
            self.alive = good  # their accelerations, and all after, will not be numbers
        return tau

    def _no_efforts(self, t: float) -> InputError:
        return InputError(f"{self.source} returned efforts that are not finite at t = {t:g} s")

    def motion(self, compile_time: float = 0.0, run_time: float = 0.0) -> Motion:
        """Return the motion; samples after the end of a motion are NaN."""
        t, q, v, tau, state = self._samples()
        wrenches = self.external.wrench_history(self.model, t, q, v) if self.external else {}
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
            activation_count=self.activation_count,
            cut=self.cut,
            wrenches=wrenches,
            lengths=self.lengths,
            impulses=impulses,
            smooth=self.smooth,
            constraints=self.constraints,
        )

    def record_step_counts(self, control: StepSizeControl) -> None:
        """Record the numbers of steps, and the reasons of motions that have ended."""
        self.lengths = np.stack([control.taken, control.refused], axis=-1)
        stopped = control.stopped
        many, short = int(np.sum(stopped == 2.0)), int(np.sum(stopped == 1.0))
        if many or short:
            why = [f"more than {MOST} steps were needed from one sample to the next"] * bool(many)
            why += ["steps became shorter than rounding allows"] * bool(short)
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

    def attach_to(self, error: BaseException, compile_time: float, run_time: float) -> None:
        """Attach the motion to an error that ends the simulation, as its ``motion``."""
        motion = self.motion(compile_time, run_time)
        with suppress(Exception):  # an error may refuse attributes
            error.motion = motion  # type: ignore[attr-defined]
            error.add_note(f"what was simulated, until t = {motion.t[-1]:g} s, is this exception's .motion")

    def warn_of_divergence(self, motion: Motion) -> None:
        """Warn of motions that have ended; raise :class:`SimulationError` if all of a batch have ended."""
        if np.all(self.alive):
            return
        ended = np.argwhere(~np.asarray(self.alive))
        advice = self.advice
        name, times = self.model.name, motion.ended
        if not self.batch:
            message = f"The simulation of {name!r} {self.ending} at t = {times:g} s and ends there; {advice}"
            warn(message)
            return
        each = [f"[{', '.join(map(str, row))}] after t = {times[tuple(row)]:g} s" for row in ended[:LISTED]]
        listed = ", ".join(each + ["…"] * (len(ended) > LISTED))
        if self.uncontrolled:
            listed += f"; for {self.uncontrolled} of them {self.source}'s efforts were not finite"
        if len(ended) == np.size(self.alive):
            raise SimulationError(f"all {len(ended)} simulations of {name!r} {self.ending}: {listed}; {advice}")
        warn(
            f"{len(ended)} of {np.size(self.alive)} motions of {name!r} {self.ending}: {listed}; their later "
            f"samples are NaN (motion.ended has the times), the others continue; {advice}",
        )


def flat(x: Array) -> Array:
    """Return (…, n) with all motions of a batch along one axis; a single motion stays (n,)."""
    return x if x.ndim == 1 else x.reshape(-1, x.shape[-1])


def _too_large(kept: int, size: float, room: str) -> InputError:
    return InputError(
        f"the record of {kept} samples would take {size / 2**30:.3g} GiB, more than {room}; keep only "
        "some of them (every=…), or take fewer steps"
    )


def finite(q: Array, v: Array) -> Any:
    """Return which states are finite, (…,)."""
    return np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
