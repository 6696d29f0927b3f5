"""What touched in a motion: where, how near, with which forces; and what the solver of impulses left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler.public import compile_or_not
from linkwright.dynamics.contact.points import pair_name, points_of_pair
from linkwright.dynamics.contact.smooth import smooth_laws, smooth_points
from linkwright.dynamics.impulses.exerted import exerted, row_names
from linkwright.dynamics.impulses.rows import Group, brakes, dense_jacobian, driven_places, servos, stops
from linkwright.errors import InputError
from linkwright.model.derived import derived
from linkwright.model.names import velocity_names
from linkwright.model.tree import Model
from linkwright.simulation.stepping.impacts import Constraints, left_by
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.simulation.recorded.motion import Motion

ROWS_AT_ONCE = 100_000
"""Samples that are looked at in one call."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Contacts:
    """The points at which shapes of a motion may touch, (k,) of them at every sample; world axes, SI units.

    Forces act on the first shape of a pair, and the opposite ones on the second. Of impulses they are the mean over the
    step that ends at the sample, and none at the first; of smooth contact they are those at the sample.
    """

    names: tuple[str, ...]
    """of the pairs, as "left_foot on ground" """
    pair: Array
    """(k,) whole numbers: of which pair each point is"""
    friction: Array
    """(k,): the pair's coefficient"""
    gaps: Array
    """(n, …, k), m: less than zero where shapes overlap; 1000 where a point does not exist at the moment"""
    points: Array
    """(n, …, k, 3), m"""
    normals: Array
    """(n, …, k, 3), unit, from the second shape to the first"""
    forces: Array
    """(n, …, k, 3), N"""
    moments: Array
    """(n, …, k, 3), N m, about the point: of torsional and rolling friction"""
    left: Callable[[], tuple[Array, Array, Array]]
    """(work, lift, residual), each (n, …), when they are asked for"""
    stored: Array
    """(n, …), J, in compliant pairs"""
    smooth: bool = False
    """whether forces are those of smooth contact"""

    @property
    def normal_forces(self) -> Array:
        """(n, …, k), N: how strongly each point presses; never less than zero."""
        return np.asarray(np.einsum("...i,...i->...", self.forces, self.normals))

    @property
    def of_pairs(self) -> Array:
        """(n, …, pairs, 3), N: the force on the first shape of each pair, all its points together."""
        return np.stack([self.forces[..., self.pair == k, :].sum(axis=-2) for k in range(len(self.names))], axis=-2)

    @property
    def centers(self) -> Array:
        """(n, …, pairs, 3), m: where the normal force of each pair acts; without one, the middle of its points."""
        found = []
        for k in range(len(self.names)):
            points = self.points[..., self.pair == k, :]
            weights = self.normal_forces[..., self.pair == k, None]
            weights = np.where(weights.sum(axis=-2, keepdims=True) > 0.0, weights, 1.0)
            found.append((weights * points).sum(axis=-2) / weights.sum(axis=-2))
        return np.stack(found, axis=-2)

    @property
    def penetration(self) -> float:
        """The deepest overlap of the whole motion, m; 0 without one."""
        return max(0.0, -float(np.nanmin(self.gaps, initial=0.0)))

    @cached_property
    def _left(self) -> tuple[Array, Array, Array]:
        return self.left()

    @property
    def work(self) -> Array:
        """(n, …), J: the work of all contacts over the step that ends there; friction and impacts take energy out.

        Of smooth contact it is not known: 0. Its springs are part of the motion's potential energy.
        """
        return self._left[0]

    @property
    def lift(self) -> Array:
        """(n, …), J: what undoing overlap added to the potential energy in that step."""
        return self._left[1]

    @property
    def residual(self) -> Array:
        """(n, …), m/s or rad/s: the largest error of a velocity by the law of its contact, limit or joint friction.

        In an impact with restitution plastic impulses and those with restitution are mixed. The residual is that of
        both, each by its own law.
        """
        return self._left[2]

    @property
    def energy_gained(self) -> Array:
        """(…,), J: what contacts added in all the steps in which they added any; what they took is not set against it.

        Both causes are of the second order in the step: overlap that is undone, and friction of bodies that roll or
        whose sliding changes its direction within a step. The energy of compliant pairs is not counted.
        Of smooth contact, whose work is not known, it is zero; ``motion.energy`` includes the energy of its springs.
        """
        if self.smooth:
            return np.zeros(self.stored.shape[1:])
        change = self.work + self.lift + np.diff(self.stored, axis=0, prepend=self.stored[:1])
        return np.asarray(np.fmax(change, 0.0).sum(axis=0))

    def __repr__(self) -> str:
        return f"<Contacts: {len(self.pair)} points of {len(self.names)} pairs, {len(self.gaps)} samples>"


def contacts_of(motion: Motion) -> Contacts:
    """The contacts of a motion, of one that changed its mechanism those of its parts, where these have the same."""
    if motion.parts:
        return _joined([contacts_of(part) for part in motion.parts])
    model, q = motion.model, motion.q
    places = _places(model, motion.constraints)
    p = np.zeros((*q.shape[:-1], places.contacts.stop - places.contacts.start))
    if motion.impulses is not None:
        p = motion.impulses[..., places.contacts] / _durations(motion)
    whole = _every_step(motion)
    names = tuple(pair_name(model, pair) for pair in model.pairs)
    counts = [points_of_pair(model, pair) for pair in model.pairs]
    of_pair = np.repeat(np.arange(len(counts)), counts).astype(int)
    friction = np.array([float(model.pairs[k].friction) for k in of_pair])
    if not model.pairs:
        none = np.zeros((*q.shape[:-1], 0))
        vectors = np.zeros((*none.shape, 3))
        table: list[Array] = [none, vectors, vectors, vectors, vectors]
    elif motion.smooth:
        table = _in_rows(derived(model, _exerting_smoothly, make=lambda: _exerting_smoothly(model)), q, motion.v)
    else:
        # a step's impulses act along the frames of its beginning, if that is there
        begins = np.concatenate([p[1:], np.zeros_like(p[:1])]) if whole else p
        table = _in_rows(derived(model, _exerting, make=lambda: _exerting(model, p.shape[-1])), q, begins)
        if whole:
            table[3:] = [np.concatenate([np.zeros_like(x[:1]), x[:-1]]) for x in table[3:]]
    each = [law.stiffness for law in smooth_laws(model)] if motion.smooth else [pair.stiffness for pair in model.pairs]
    stiffness = np.array([float(each[i] or 0.0) for i in of_pair])
    stored = 0.5 * (stiffness * np.fmin(table[0], 0.0) ** 2).sum(axis=-1)
    gaps, points, normals, forces, moments = table
    left = partial(_left_of, motion, whole)
    return Contacts(
        names=names,
        pair=of_pair,
        friction=friction,
        gaps=gaps,
        points=points,
        normals=normals,
        forces=forces,
        moments=moments,
        left=left,
        stored=stored,
        smooth=motion.smooth,
    )


class _Places:
    """Where impulses are among all."""

    def __init__(self, others: int, stops: int, contacts: int):
        """``others``: those of servos and of dry friction."""
        self.stops = slice(others, others + stops)
        self.contacts = slice(others + stops, others + stops + contacts)


def _places(model: Model, constraints: Constraints | None) -> _Places:
    if constraints is None:
        return _Places(0, 0, len(list(row_names(model))))
    return _Places(
        len(driven_places(model, constraints.servos)) + (len(brakes(model)) if constraints.friction else 0),
        len(_stops(model)) if constraints.limits else 0,
        len(list(row_names(model))) if constraints.contact else 0,
    )


def impulse_names(model: Model, constraints: Constraints) -> list[str]:
    """What the impulses of a motion are called, in their order."""
    velocities, found = velocity_names(model), []
    for what, groups in (
        ("servo", servos(model, model.neutral(), 1.0, constraints.servos, None)),
        ("friction", brakes(model) if constraints.friction else []),
        ("limit", _stops(model) if constraints.limits else []),
    ):
        rows = np.abs(dense_jacobian(groups, model.nv))
        found += [f"{what} of {velocities[int(np.argmax(row))]}" for row in rows]
    return found + (list(row_names(model)) if constraints.contact else [])


def _stops(model: Model) -> list[Group]:
    return stops(model, model.neutral(), np.zeros(model.nv), 1.0)


def limit_efforts(motion: Motion) -> Array:
    """(n, …, nv): the mean efforts by which limits held the joints over the step that ends at each sample."""
    if motion.parts:
        return np.concatenate([limit_efforts(part) for part in motion.parts])
    constraints = motion.constraints
    if motion.impulses is None or constraints is None or not constraints.limits:
        return np.zeros(motion.v.shape)
    model = motion.model
    J = dense_jacobian(_stops(model), model.nv)
    return np.asarray(motion.impulses[..., _places(model, constraints).stops] @ J / _durations(motion))


def _every_step(motion: Motion) -> bool:
    """Whether every step is recorded."""
    if motion.durations is None:
        return len(motion.t) < 2 or abs(float(motion.t[1] - motion.t[0]) - motion.step) < 1e-6 * motion.step
    between = np.diff(motion.t)
    return bool(((between == 0.0) | (np.abs(between - motion.durations[1:]) < 1e-6 * motion.step)).all())


def _durations(motion: Motion) -> Any:
    """The length of the step that ends at each sample, s: a number, or (n, 1)."""
    return motion.step if motion.durations is None else motion.durations[:, None]


def _exerting(model: Model, size: int) -> Callable[..., Any]:
    def found(model: Model, q: Array, p: Array) -> tuple[Array, ...]:
        return tuple(np.stack(one) for one in zip(*exerted(model, q, p), strict=True))

    return compile_or_not(found, model, p=(size,))


def _exerting_smoothly(model: Model) -> Callable[..., Any]:
    def found(model: Model, q: Array, v: Array) -> tuple[Array, ...]:
        points = [(*one.point, one.force, one.moment) for one in smooth_points(model, q, v)]
        return tuple(np.stack(one) for one in zip(*points, strict=True))

    return compile_or_not(found, model)


def _left_of(motion: Motion, whole: bool) -> tuple[Array, Array, Array]:
    """See :func:`left_by`; of the first sample nothing."""
    constraints, shape = motion.constraints, motion.q.shape[:-1]
    if motion.impulses is None or constraints is None:
        return np.zeros(shape), np.zeros(shape), np.zeros(shape)
    if not whole:
        raise InputError(
            "what a step leaves is known where every step is recorded: this motion has a sample each "
            f"{motion.t[1] - motion.t[0]:g} s and steps of {motion.step:g} s; simulate with every=1"
        )
    model, size = motion.model, constraints.size(motion.model)

    def make() -> Callable[..., Any]:
        def left(model: Model, q: Array, v: Array, q1: Array, v1: Array, p: Array, h: Any) -> tuple[Any, ...]:
            return left_by(model, q, v, q1, v1, p, h, constraints)

        return compile_or_not(left, model, q1=(model.nq,), v1=(model.nv,), p=(size,), h=())

    q, v = motion.q, motion.v
    states = (q[:-1], v[:-1], q[1:], v[1:], motion.impulses[1:])
    h = motion.step if motion.durations is None else motion.durations[1:]
    found = _in_rows(derived(model, _left_of, constraints, make=make), *states, h)
    if motion.durations is not None:  # at an event there is no step between the states before and after it
        found = [np.where(np.diff(motion.t) > 0.0, x, 0.0) for x in found]
    work, lift, residual = (np.concatenate([np.zeros((1, *shape[1:])), x]) for x in found)
    return work, lift, residual


def _in_rows(kernel: Callable[..., Any], *arrays: Any) -> list[Array]:
    """A kernel's outputs of all samples, some at a time."""
    n, parts = len(arrays[0]), []
    with np.errstate(all="ignore"):  # of motions that grew beyond all numbers
        for first in range(0, max(n, 1), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            parts.append(kernel(*(x[rows] if isinstance(x, np.ndarray) else x for x in arrays)))
    return [np.concatenate(some) if len(some) > 1 else np.asarray(some[0]) for some in zip(*parts, strict=True)]


def _joined(parts: list[Contacts]) -> Contacts:
    first = parts[0]
    if any(part.names != first.names or len(part.pair) != len(first.pair) for part in parts):
        raise InputError(
            "the mechanism's pairs of shapes changed within this motion: look at those of its parts, "
            "motion.parts[0].contacts and so on"
        )
    gaps, points, normals, forces, moments = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("gaps", "points", "normals", "forces", "moments")
    )

    def left() -> tuple[Array, Array, Array]:
        work, lift, residual = (np.concatenate(some) for some in zip(*(part.left() for part in parts), strict=True))
        return work, lift, residual

    stored = np.concatenate([part.stored for part in parts])
    return replace(
        first, gaps=gaps, points=points, normals=normals, forces=forces, moments=moments, left=left, stored=stored
    )
