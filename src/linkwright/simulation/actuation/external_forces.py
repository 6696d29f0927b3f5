"""External forces: wrenches over time and smooth contact of pairs.

They are functions of time and state, evaluated at every stage of the integration and compiled with the steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.contact.smooth import fastest_pair, pair_wrenches
from linkwright.errors import ArgumentError, InputError, ShapeError, warn
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import bindings, name_of_function, unwrap_partials
from linkwright.simulation.actuation.fingerprint import fingerprint
from linkwright.simulation.actuation.law_controller import pack_values, packed_size, unpack_values
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.spatial.rotation import skew

Wrenches = Mapping[str, Any] | Callable[..., Mapping[str, Any]]
"""Wrenches (…, 6) by frame, or a function that returns them."""

FORM = "wrenches are {frame: (6,)}, or a function (t) or (model, t, q, v) -> {frame: (6,)}"

STIFF = 1.0
"""Largest rate of a contact, times the step, for which explicit steps are stable."""

GROWING = 0.005
"""Likewise for explicit steps of Euler: what swings at the rate ω gains the part ω² h of its energy every second."""


class ExternalForce(NamedTuple):
    """One external force, as a function."""

    function: Callable[..., Mapping[str, Array]]
    """(model, t, q, v, *values) -> {frame: wrench (6,)}"""
    key: Hashable
    """key of the function, independent of the values"""
    values: tuple[Array, ...]
    """its arguments, each (…, *shape)"""
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class ExternalForces:
    """All external forces."""

    pieces: tuple[ExternalForce, ...]

    @property
    def key(self) -> Hashable:
        """Key of the functions, independent of the values."""
        return tuple(piece.key for piece in self.pieces)

    @property
    def values(self) -> tuple[Array, ...]:
        """Arguments of all forces."""
        return tuple(x for piece in self.pieces for x in piece.values)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the arguments, for one motion."""
        return tuple(shape for piece in self.pieces for shape in piece.shapes)

    def packed_values(self, batch: tuple[int, ...] = ()) -> Array:
        """Return all values packed, (size,) or (*batch, size)."""
        packed = pack_values(self.values, self.shapes)
        return np.broadcast_to(packed, (*batch, packed.shape[-1])) if packed.ndim > 1 else packed

    def wrenches(self, model: Model, t: Any, q: Array, v: Array, *values: Array) -> dict[str, Array]:
        """Return the wrench (6,) at each frame: [f; n] at its origin, in world axes."""
        found: dict[str, Array] = {}
        at, whole = 0, model.physical or model
        for piece in self.pieces:
            own, at = values[at : at + len(piece.values)], at + len(piece.values)
            for frame, wrench in piece.function(whole, t, q, v, *own).items():
                found[frame] = found[frame] + wrench if frame in found else wrench
        return found

    def efforts(self, model: Model, t: Any, q: Array, v: Array, *values: Array) -> Array:
        """Return Σ Jᵀ w (nv,)."""
        efforts = np.zeros(model.nv)
        for frame, wrench in self.wrenches(model, t, q, v, *values).items():
            efforts = efforts + dynamics.joint_forces(model, q, frame, wrench)
        return efforts

    def measured_wrench(self, model: Model, t: Any, q: Array, v: Array, sensor: str, *values: Array) -> Array:
        """Return the external wrench (6,) on the body of a sensor, about the origin of its frame, in world axes."""
        body, force, moment = model.frame(sensor).body, np.zeros(3), np.zeros(3)
        for frame, wrench in self.wrenches(model, t, q, v, *values).items():
            if model.frame(frame).body != body:
                continue
            force, moment = force + wrench[:3], moment + wrench[3:]
            if frame != sensor:
                arm = dynamics.pose(model, q, frame)[:3, 3] - dynamics.pose(model, q, sensor)[:3, 3]
                moment = moment + skew(arm) @ wrench[:3]
        return np.concatenate([force, moment])

    def effort_kernel(self, model: Model) -> Callable[..., Array]:
        """Return the kernel (q, v, t, values) of ``efforts``; smooth contact that is too large is an error."""

        def outer_efforts(model: Model, q: Array, v: Array, t: Any, packed: Array) -> Array:
            return self.efforts(model, t, q, v, *unpack_values(packed, self.shapes))

        def make() -> Callable[..., Array]:
            inputs: dict[str, Any] = {"t": (), "packed": (packed_size(self.shapes),)}
            if any(piece.function is _touching for piece in self.pieces):  # never uncompiled because of contact
                return Kernel(trace(bind(outer_efforts, model, inputs)), model)
            return compile_or_not(outer_efforts, model, **inputs)

        kernel: Callable[..., Array] = derived(model, ExternalForces.effort_kernel, self.key, make=make)
        return kernel

    def wrench_history(self, model: Model, t: Array, q: Array, v: Array) -> dict[str, Array]:
        """Return the wrenches at each frame (n, …, 6), at times (n,) and states (n, …)."""

        def make() -> tuple[list[str], Callable[..., Any]]:
            frames: list[str] = []

            def outer_wrenches(model: Model, q: Array, v: Array, t: Any, packed: Array) -> Array:
                found = self.wrenches(model, t, q, v, *unpack_values(packed, self.shapes))
                frames[:] = found
                return np.stack([*found.values()]) if found else np.zeros((0, 6))

            return frames, compile_or_not(outer_wrenches, model, t=(), packed=(packed_size(self.shapes),))

        frames, kernel = derived(model, ExternalForces.wrench_history, self.key, make=make)
        batch = q.shape[1:-1]
        with np.errstate(all="ignore"):  # of motions that diverged
            found = kernel(q, v, t.reshape(-1, *(1 for _ in batch)), self.packed_values(batch))
        return {frame: found[..., k, :] for k, frame in enumerate(frames)}


def warn_if_pairs_are_hard(model: Model, q: Array, h: float, stages: int) -> None:
    """Warn if contact of pairs is too stiff for the steps of an explicit method, at the first row of q (…, nq)."""
    if not q.size:
        return
    rate, k = fastest_pair(model, q.reshape(-1, model.nq)[0])
    limit = STIFF if stages > 1 else GROWING
    if rate * h > limit:
        pair = model.pairs[k]
        first, second = (model.shapes[place].name or model.shapes[place].body for place in (pair.first, pair.second))
        warn(
            f"{first!r} on {second!r} move within {1.0 / rate:.2g} s where they touch: a step of {h:g} s does not "
            f"follow that; take one below {limit / rate:.2g} s, method='dopri5', a softer pair (stiffness=…), or "
            "'semi_implicit', where contact acts by impulses"
        )


def names_bound_to_wrenches(wrenches: Any) -> list[str]:
    """Return the names of the values bound to a function of wrenches."""
    if not callable(wrenches):
        return []
    return [*unwrap_partials(wrenches, FORM)[1]]


def external_forces_of(
    model: Model, wrenches: Any, each: Collection[str], batch: tuple[int, ...], smooth: bool
) -> ExternalForces | None:
    """Check the wrenches of ``Surroundings`` and add smooth contact of the pairs; None without any."""
    pieces = [] if wrenches is None else [_of_wrenches(model, wrenches, each, batch)]
    if smooth:
        pieces.append(ExternalForce(_touching, "pairs", (), ()))
    return ExternalForces(tuple(pieces)) if pieces else None


def _touching(model: Model, t: Any, q: Array, v: Array) -> dict[str, Array]:
    return pair_wrenches(model, q, v)


def _of_wrenches(model: Model, wrenches: Any, each: Collection[str], batch: tuple[int, ...]) -> ExternalForce:
    if callable(wrenches):
        return _of_function(model, wrenches, each, batch)
    if not isinstance(wrenches, Mapping):
        raise ArgumentError(f"{FORM}; got {wrenches!r}")
    frames, values = [*wrenches], []
    for frame in frames:
        model.frame(frame)
        x = as_numbers(f"the wrench at {frame!r}", wrenches[frame])
        if x.shape[-1:] != (6,):
            raise ShapeError(f"the wrench at {frame!r} has shape {x.shape}; expected (6,), or {(*batch, 6)}")
        if not np.isfinite(x).all():
            raise InputError(f"the wrench at {frame!r} is not finite")
        values.append(_for(batch, f"the wrench at {frame!r}", x, (6,)))

    def held(model: Model, t: Any, q: Array, v: Array, *given: Array) -> dict[str, Array]:
        return dict(zip(frames, given, strict=True))

    return ExternalForce(held, ("held", *frames), tuple(values), ((6,),) * len(frames))


def _of_function(model: Model, wrenches: Any, each: Collection[str], batch: tuple[int, ...]) -> ExternalForce:
    function, bound = unwrap_partials(wrenches, FORM)
    name = name_of_function(function)
    packed = bindings(name, bound, each, batch)
    parameters = inspect.signature(function).parameters.values()
    free = [p for p in parameters if p.name not in bound and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed = [p.name for p in free if p.default is p.empty]
    if len(needed) not in (1, 4) or any(p.kind is p.KEYWORD_ONLY for p in free if p.default is p.empty):
        raise ArgumentError(
            f"{FORM}, and what else it needs is bound, functools.partial({name}, …); {name} takes ({', '.join(needed)})"
        )
    of_time = len(needed) == 1

    def force(model: Model, t: Any, q: Array, v: Array, *given: Array) -> dict[str, Array]:
        found = function(*([t] if of_time else [model, t, q.copy(), v.copy()]), **packed.named(given))
        return _checked(name, model, found)

    try:
        key: Hashable = (fingerprint(function), packed.key, of_time)
        hash(key)
    except TypeError:  # a mutable bound value may change: no shared kernel
        key = force
    return ExternalForce(force, key, tuple(packed.numbers.values()), tuple(packed.shapes.values()))


def _checked(name: str, model: Model, found: Any) -> dict[str, Array]:
    if not isinstance(found, Mapping):
        raise ArgumentError(f"{name} returns {{frame: wrench (6,)}}; it returned {found!r}")
    checked = {}
    for frame, wrench in found.items():
        model.frame(frame)
        wrench = np.asarray(wrench)
        if wrench.shape != (6,):
            raise ShapeError(f"{name} returned a wrench of shape {wrench.shape} at {frame!r}; expected (6,), [f; n]")
        checked[frame] = wrench
    return checked


def _for(batch: tuple[int, ...], name: str, x: Array, shape: tuple[int, ...]) -> Array:
    """Numbers of the shape, for all motions or for each."""
    lead = x.shape[: x.ndim - len(shape)]
    if lead and lead != batch:
        motions = f"motions {batch}" if batch else "a single motion"
        raise ShapeError(f"{name} has shape {x.shape}, and simulated are {motions}; expected {shape or 'one number'}")
    return x
