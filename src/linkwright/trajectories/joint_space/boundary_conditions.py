"""Arguments of the planners: end states and limits, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import public
from linkwright.errors import InputError, ShapeError
from linkwright.model.coordinates import velocity_names
from linkwright.model.memo import kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.trajectories.joint_space.closed_loops import closed, driving, others
from linkwright.trajectories.trajectory import Trajectory, finite

BEYOND = 1e-6
"""Tolerance of position limits, relative to 1 and the coordinate, for rounding and inverse kinematics."""

_difference = public(dynamics.difference)


def velocity_limits(model: Model) -> Array:
    """(nv,), infinite where there are none; of a joint that others follow, so that they keep theirs too."""
    G = np.abs(model.coupling_matrix)
    own = np.concatenate([np.zeros(0), *(joint.velocity_limit for joint in model.joints)])
    with np.errstate(divide="ignore"):
        return np.min(np.where(G > 0.0, own[:, None] / np.where(G > 0.0, G, 1.0), np.inf), axis=0, initial=np.inf)


@kept
def turning(model: Model) -> list[slice]:
    """Return the slices of v of spherical, planar and free joints."""
    found, at = [], 0
    for joint in model.joints:
        if joint.nv and len(joint.motion.plain) != joint.nv:
            found.append(slice(at, at + joint.nv))
        at += joint.nv
    return found


class EndStates:
    """Two configurations (…, nq), with velocities and accelerations (…, nv), zero by default.

    ``duration`` (…,), s, and ``limits``, each a number or (…, nv), may be batches too. Raises :class:`InputError` for
    an end beyond the position limits of the model; a start beyond them is accepted.
    """

    def __init__(
        self,
        model: Model,
        start: Any,
        end: Any,
        duration: Any = None,
        *,
        limits: Mapping[str, Any] | None = None,
        actuated: Iterable[str] | None = None,
        **rates: Any,
    ):
        self.model, self.actuated = model, driving(model, actuated)
        configurations = [finite(name, x) for name, x in (("start", start), ("end", end))]
        for name, x in zip(("start", "end"), configurations, strict=True):
            if x.shape[-1:] != (model.nq,):
                raise ShapeError(f"{name} has shape {x.shape}; expected (…, {model.nq}) for {model.name!r}")
            dynamics.check(model, x)
        within_limits(model, "the end", configurations[1])
        options = {name: _rate(name, x, model) for name, x in rates.items()}
        self.duration = None if duration is None else finite("duration", duration)
        if self.duration is not None and not (self.duration >= 0.0).all():
            raise InputError(f"duration is a time, s, not below zero; got {duration!r}")
        self.limits = {kind: _limit(kind, x, model) for kind, x in (limits or {}).items()}
        """each (nv,) or (…, nv)"""
        leads = [x.shape[:-1] for x in (*configurations, *options.values(), *self.limits.values())] + [
            () if self.duration is None else self.duration.shape
        ]
        try:
            self.batch = np.broadcast_shapes(*leads)
        except ValueError:
            raise ShapeError(f"batch dimensions {leads} do not broadcast") from None
        self.start, self.end = (np.broadcast_to(x, (*self.batch, model.nq)) for x in configurations)
        if self.actuated is not None:
            options = {name: np.where(others(model, self.actuated), 0.0, x) for name, x in options.items()}
        self.rates = {name: np.broadcast_to(x, (*self.batch, model.nv)) for name, x in options.items()}

    @cached_property
    def way(self) -> Array:
        """(…, nv), from the one to the other."""
        way: Array = _difference(self.model, self.start, self.end)
        return way if self.actuated is None else np.where(others(self.model, self.actuated), 0.0, way)

    def resting(self, what: str) -> None:
        """Raise where a joint moves at the ends that must rest there."""
        for places in turning(self.model):
            if any(x[..., places].any() for x in self.rates.values()):
                name = velocity_names(self.model)[places.start].rpartition(".")[0]
                raise InputError(
                    f"{what}: joint {name!r} turns about a point or moves in space or a plane, and begins and ends at "
                    "rest; `polynomial` takes any velocities"
                )

    def trajectory(self, times: Array, coefficients: Array) -> Trajectory:
        """Return the trajectory of displacements from the start."""
        n = coefficients.shape[-3]
        q = np.repeat(self.start[..., None, :], n, axis=-2)
        shown = {kind: x for kind, x in self.limits.items() if x.ndim == 1 and np.isfinite(x).any()}
        plan = Trajectory.of(self.model, times, q, coefficients, shown)
        return plan if self.actuated is None else closed(plan, self.actuated, self.end)


def no_motion(wanted: float, soonest: float) -> InputError:
    """Return the error for an infeasible duration."""
    return InputError(f"no motion within the limits takes {wanted:.9g} s; the next that does takes {soonest:.9g} s")


def within_limits(model: Model, what: str, q: Array) -> None:
    """Raise where a coordinate of a configuration (…, nq) is beyond the model's limits of position."""
    for limit, out in ((model.lower, model.lower - q), (model.upper, q - model.upper)):
        if (beyond := out > BEYOND * (1.0 + np.abs(q))).any():
            *row, k = (int(x) for x in np.argwhere(beyond)[0])
            raise InputError(
                f"{what} of {model.coordinate_names[k]!r} is {q[(*row, k)]:.6g}, "
                f"beyond its limit {limit[k]:.6g} (rad or m)" + (f", in row {row}" if row else "")
            )


def _limit(kind: str, x: Any, model: Model) -> Array:
    """A limit above zero, of every velocity (…, nv) from a number or numbers."""
    x = as_numbers(f"the limit of {kind}", x)
    if x.ndim and x.shape[-1] != model.nv:
        raise ShapeError(f"the limit of {kind} has shape {x.shape}; expected a number or (…, {model.nv})")
    if not (x > 0.0).all():
        raise InputError(f"the limit of {kind} is above zero; got {x.tolist()}")
    return x if x.ndim else np.full(model.nv, float(x))


def _rate(name: str, x: Any, model: Model) -> Array:
    x = np.zeros(model.nv) if x is None else finite(name, x)
    if x.ndim and x.shape[-1] != model.nv:
        raise ShapeError(f"{name} has shape {x.shape}; expected (…, {model.nv})")
    return x if x.ndim else np.full(model.nv, float(x))


class TrajectoryRows:
    """Planned coordinates: plain ones individually, spherical, planar and free joints along their displacement."""

    def __init__(self, ends: EndStates):
        self.ends, self.joints = ends, turning(ends.model)
        nv = ends.model.nv
        self.plain = np.ones(nv, dtype=bool)
        for places in self.joints:
            self.plain[places] = False
        self.way = self._joined(
            ends.way, [np.any(ends.way[..., places], axis=-1).astype(float) for places in self.joints]
        )

    def _joined(self, x: Array, more: list[Array]) -> Array:
        return np.concatenate([x[..., self.plain], *(one[..., None] for one in more)], axis=-1)

    def rates(self, x: Array) -> Array:
        """(…, rows), of ends' velocities or accelerations."""
        return self._joined(x, [np.zeros(x.shape[:-1])] * len(self.joints))

    def limits(self, x: Array) -> Array:
        """Return limits (…, rows) from limits (…, nv): along a displacement the one that is reached first."""
        if not self.joints:
            return x
        with np.errstate(divide="ignore"):
            each = x / np.abs(self.ends.way)
        more = [each[..., places].min(axis=-1) for places in self.joints]
        more = [np.where(np.isfinite(one), one, 1.0) for one in more]  # it stays where it is
        return self._joined(np.broadcast_to(x, self.ends.way.shape), more)

    def spread(self, coefficients: Array) -> Array:
        """(…, pieces, degree + 1, nv) from those of rows."""
        if not self.joints:
            return coefficients
        found = np.zeros((*coefficients.shape[:-1], self.ends.model.nv))
        count = int(self.plain.sum())
        found[..., self.plain] = coefficients[..., :count]
        for k, places in enumerate(self.joints):
            found[..., places] = coefficients[..., count + k, None] * self.ends.way[..., None, None, places]
        return found

    def named(self, error: InputError) -> InputError:
        """The error with the name of the coordinate in place of its number."""
        text, _, place = str(error).rpartition(", at [")
        if not text:
            return error
        names = [name for name, plain in zip(velocity_names(self.ends.model), self.plain, strict=True) if plain]
        *row, k = (int(x) for x in place.rstrip("]").split(","))
        if k >= len(names):
            return error
        return InputError(f"{names[k]!r}: {text}" + (f", in row {row}" if row else ""))
