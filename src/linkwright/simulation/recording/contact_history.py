"""Contact forces of a motion, and residuals of the contact solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler.public import kernel_of
from linkwright.dynamics.contact.points import pair_name, points_of_pair
from linkwright.dynamics.contact.smooth import smooth_laws, smooth_points
from linkwright.dynamics.impulses.constraints import (
    ConstraintGroup,
    dense_jacobian,
    friction_constraints,
    limit_constraints,
    servo_constraints,
    servo_coordinates,
)
from linkwright.dynamics.impulses.contact_impulses import contact_impulses, row_names
from linkwright.errors import InputError
from linkwright.model.coordinates import velocity_names
from linkwright.model.tree import Model
from linkwright.simulation.integrators.constrained_step import Constraints, step_residuals
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.simulation.recording.motion import Motion

ROWS_AT_ONCE = 100_000
"""Samples of one call of a kernel."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactForces:
    """Forces at contact points, (k,) in every state; world axes, SI units."""

    pair: Array
    """(k,) whole numbers: pair of each point"""
    points: Array
    """(n, …, k, 3), m"""
    normals: Array
    """(n, …, k, 3), unit, from the second shape to the first"""
    forces: Array
    """(n, …, k, 3), N"""
    moments: Array
    """(n, …, k, 3), N m, about the point: torsional and rolling friction"""

    @property
    def normal_forces(self) -> Array:
        """Normal forces (n, …, k), N; never negative."""
        return np.asarray(np.einsum("...i,...i->...", self.forces, self.normals))


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactHistory(ContactForces):
    """Contact points of a motion, (k,) at every sample; world axes, SI units.

    Forces act on the first shape of a pair, and the opposite forces on the second. With impulses they are means over
    the step that ends at the sample, zero at the first sample; with smooth contact they are those at the sample.
    """

    names: tuple[str, ...]
    """names of the pairs, such as "left_foot on ground\""""
    friction: Array
    """(k,): coefficient of friction of the pair"""
    gaps: Array
    """(n, …, k), m: negative where shapes overlap; 1000 where a point does not exist at the moment"""
    left: Callable[[], tuple[Array, Array, Array]]
    """returns (work, lift, residual), each (n, …)"""
    stored: Array
    """(n, …), J: energy stored in compliant pairs"""
    smooth: bool = False
    """whether forces are those of smooth contact"""

    @property
    def of_pairs(self) -> Array:
        """Forces (n, …, pairs, 3), N, on the first shape of each pair: sums over its points."""
        return np.stack([self.forces[..., self.pair == k, :].sum(axis=-2) for k in range(len(self.names))], axis=-2)

    @property
    def centers(self) -> Array:
        """Centers of pressure (n, …, pairs, 3), m, of each pair; without normal force the mean of its points."""
        found = []
        for k in range(len(self.names)):
            points = self.points[..., self.pair == k, :]
            weights = self.normal_forces[..., self.pair == k, None]
            weights = np.where(weights.sum(axis=-2, keepdims=True) > 0.0, weights, 1.0)
            found.append((weights * points).sum(axis=-2) / weights.sum(axis=-2))
        return np.stack(found, axis=-2)

    @property
    def penetration(self) -> float:
        """Largest overlap of the motion, m; 0 without overlap."""
        return max(0.0, -float(np.nanmin(self.gaps, initial=0.0)))

    @cached_property
    def _left(self) -> tuple[Array, Array, Array]:
        return self.left()

    @property
    def work(self) -> Array:
        """Work of all contacts (n, …), J, over the step that ends at each sample; friction and impacts dissipate
        energy.

        For smooth contact it is 0, and the energy of its springs is part of the potential energy of the motion.
        """
        return self._left[0]

    @property
    def lift(self) -> Array:
        """Potential energy (n, …), J, added by the correction of overlap in the step."""
        return self._left[1]

    @property
    def residual(self) -> Array:
        """Residual (n, …), m/s or rad/s: largest velocity error by the law of a contact, limit or joint with dry
        friction.

        In an impact with restitution it is the larger residual of the plastic impulses and of those with restitution.
        """
        return self._left[2]

    @property
    def energy_gained(self) -> Array:
        """Energy (…,), J, added by contacts: the sum over all steps in which they add energy.

        Both causes are of the second order in the step: the correction of overlap, and friction of bodies that roll or
        whose sliding changes its direction within a step. The energy of compliant pairs is not counted. For smooth
        contact the result is zero; ``motion.energy`` includes the energy of its springs.
        """
        if self.smooth:
            return np.zeros(self.stored.shape[1:])
        change = self.work + self.lift + np.diff(self.stored, axis=0, prepend=self.stored[:1])
        return np.asarray(np.fmax(change, 0.0).sum(axis=0))

    def __repr__(self) -> str:
        return f"<Contacts: {len(self.pair)} points of {len(self.names)} pairs, {len(self.gaps)} samples>"


def contact_history(motion: Motion) -> ContactHistory:
    """Compute the contacts of a motion; of a motion with changes of the mechanism, those of its parts."""
    if motion.parts:
        return _joined([contact_history(part) for part in motion.parts])
    model, q = motion.model, motion.q
    places = _places(model, motion.constraints)
    p = np.zeros((*q.shape[:-1], places.contacts.stop - places.contacts.start))
    if motion.impulses is not None:
        p = motion.impulses[..., places.contacts] / _durations(motion)
    whole = _every_step(motion)
    names = tuple(pair_name(model, pair) for pair in model.pairs)
    of_pair = pairs_of_points(model)
    friction = np.array([float(model.pairs[k].friction) for k in of_pair])
    if not model.pairs:
        none = np.zeros((*q.shape[:-1], 0))
        vectors = np.zeros((*none.shape, 3))
        table: list[Array] = [none, vectors, vectors, vectors, vectors]
    elif motion.smooth:
        table = _in_rows(kernel_of(_smooth_contacts, model), q, motion.v)
    else:
        # a step's impulses act along the frames of its beginning, if that is there
        begins = np.concatenate([p[1:], np.zeros_like(p[:1])]) if whole else p
        table = _in_rows(kernel_of(_contacts_by_impulses, model, p=(p.shape[-1],)), q, begins)
        if whole:
            table[3:] = [np.concatenate([np.zeros_like(x[:1]), x[:-1]]) for x in table[3:]]
    each = [law.stiffness for law in smooth_laws(model)] if motion.smooth else [pair.stiffness for pair in model.pairs]
    stiffness = np.array([float(each[i] or 0.0) for i in of_pair])
    stored = 0.5 * (stiffness * np.fmin(table[0], 0.0) ** 2).sum(axis=-1)
    gaps, points, normals, forces, moments = table
    left = partial(_left_of, motion, whole)
    return ContactHistory(
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


class _ImpulseLayout:
    """Layout of the impulses of a step."""

    def __init__(self, others: int, limits: int, contacts: int):
        """``others``: number of impulses of servos and dry friction."""
        self.limits = slice(others, others + limits)
        self.contacts = slice(others + limits, others + limits + contacts)


def _places(model: Model, constraints: Constraints | None) -> _ImpulseLayout:
    if constraints is None:
        return _ImpulseLayout(0, 0, len(list(row_names(model))))
    return _ImpulseLayout(
        len(servo_coordinates(model, constraints.servos))
        + (len(friction_constraints(model, model.neutral())) if constraints.friction else 0),
        len(_joint_limits(model, model.neutral())) if constraints.limits else 0,
        len(list(row_names(model))) if constraints.contact else 0,
    )


def impulse_names(model: Model, constraints: Constraints) -> list[str]:
    """Return the names of the impulses of a motion, in order."""
    velocities, found = velocity_names(model), []
    for what, groups in (
        ("servo", servo_constraints(model, model.neutral(), 1.0, constraints.servos, None)),
        ("friction", friction_constraints(model, model.neutral()) if constraints.friction else []),
        ("limit", _joint_limits(model, model.neutral()) if constraints.limits else []),
    ):
        rows = np.abs(dense_jacobian(groups, model.nv))
        names = [group.name for group in groups]
        found += [f"{what} of {name or velocities[int(np.argmax(row))]}" for name, row in zip(names, rows, strict=True)]
    return found + (list(row_names(model)) if constraints.contact else [])


def _joint_limits(model: Model, q: Array) -> list[ConstraintGroup]:
    return limit_constraints(model, q, np.zeros(model.nv), 1.0)


def limit_efforts(motion: Motion) -> Array:
    """Return the mean efforts (n, …, nv) of limits of joints and tendons over the step that ends at each sample."""
    if motion.parts:
        return np.concatenate([limit_efforts(part) for part in motion.parts])
    constraints = motion.constraints
    if motion.impulses is None or constraints is None or not constraints.limits:
        return np.zeros(motion.v.shape)
    model = motion.model
    p = motion.impulses[..., _places(model, constraints).limits]
    if any(spring.limits and not spring.coefficients for spring in model.springs):
        q = np.concatenate([motion.q[:1], motion.q[:-1]])  # rows at the beginning of each step
        J = kernel_of(_limit_rows, model)(q)
        return np.asarray((p[..., None, :] @ J)[..., 0, :] / _durations(motion))
    return np.asarray(p @ _limit_rows(model, model.neutral()) / _durations(motion))


def _limit_rows(model: Model, q: Array) -> Array:
    return dense_jacobian(_joint_limits(model, q), model.nv)


def _every_step(motion: Motion) -> bool:
    """Whether every step is recorded."""
    if motion.durations is None:
        return len(motion.t) < 2 or abs(float(motion.t[1] - motion.t[0]) - motion.step) < 1e-6 * motion.step
    between = np.diff(motion.t)
    return bool(((between == 0.0) | (np.abs(between - motion.durations[1:]) < 1e-6 * motion.step)).all())


def _durations(motion: Motion) -> Any:
    """Return the length of the step that ends at each sample, s: a number, or (n, 1)."""
    return motion.step if motion.durations is None else motion.durations[:, None]


def _contacts_by_impulses(model: Model, q: Array, p: Array) -> tuple[Array, ...]:
    return tuple(np.stack(one) for one in zip(*contact_impulses(model, q, p), strict=True))


def point_forces(
    model: Model, constraints: Constraints | None, q: Array, v: Array, impulses: Array, h: Any
) -> list[tuple[Array, Array, Array, Array]]:
    """Return point, normal, force and moment (3,) of all contact points of one state, as :class:`ContactForces`.

    ``impulses``: those of all constraints over a step of h seconds. Without constraints contact is smooth.
    """
    if constraints is None:
        return [(*one.point[1:], one.force, one.moment) for one in smooth_points(model, q, v)]
    place = _places(model, constraints).contacts
    found = contact_impulses(model, q, impulses[place])
    return [(one.point, one.normal, one.force / h, one.moment / h) for one in found]


def forces_of_pairs(model: Model, forces: Sequence[Array]) -> Array:
    """Return the sums (pairs, 3) of the forces (3,) at all contact points over the points of each pair."""
    ends = np.cumsum([0, *(points_of_pair(model, pair) for pair in model.pairs)])
    return np.stack([sum(forces[a:b][1:], forces[a]) for a, b in pairwise(ends)])


def pairs_of_points(model: Model) -> Array:
    """Return the pair of each contact point, (k,)."""
    counts = [points_of_pair(model, pair) for pair in model.pairs]
    return np.repeat(np.arange(len(counts)), counts).astype(int)


def _smooth_contacts(model: Model, q: Array, v: Array) -> tuple[Array, ...]:
    points = [(*one.point, one.force, one.moment) for one in smooth_points(model, q, v)]
    return tuple(np.stack(one) for one in zip(*points, strict=True))


def _left_of(motion: Motion, whole: bool) -> tuple[Array, Array, Array]:
    """See :func:`step_residuals`; zero at the first sample."""
    constraints, shape = motion.constraints, motion.q.shape[:-1]
    if motion.impulses is None or constraints is None:
        return np.zeros(shape), np.zeros(shape), np.zeros(shape)
    if not whole:
        raise InputError(
            "what a step leaves is known where every step is recorded: this motion has a sample each "
            f"{motion.t[1] - motion.t[0]:g} s and steps of {motion.step:g} s; simulate with every=1"
        )
    model, size = motion.model, constraints.size(motion.model)

    sizes = {"q1": (model.nq,), "v1": (model.nv,), "p": (size,), "h": ()}
    kernel = kernel_of(step_residuals, model, **sizes, constraints=constraints)
    q, v = motion.q, motion.v
    states = (q[:-1], v[:-1], q[1:], v[1:], motion.impulses[1:])
    h = motion.step if motion.durations is None else motion.durations[1:]
    found = _in_rows(kernel, *states, h)
    if motion.durations is not None:  # at an event there is no step between the states before and after it
        found = [np.where(np.diff(motion.t) > 0.0, x, 0.0) for x in found]
    work, lift, residual = (np.concatenate([np.zeros((1, *shape[1:])), x]) for x in found)
    return work, lift, residual


def _in_rows(kernel: Callable[..., Any], *arrays: Any) -> list[Array]:
    """Return the outputs of a kernel for all samples, computed in parts."""
    n, parts = len(arrays[0]), []
    with np.errstate(all="ignore"):  # motions that diverged
        for first in range(0, max(n, 1), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            parts.append(kernel(*(x[rows] if isinstance(x, np.ndarray) else x for x in arrays)))
    return [np.concatenate(some) if len(some) > 1 else np.asarray(some[0]) for some in zip(*parts, strict=True)]


def _joined(parts: list[ContactHistory]) -> ContactHistory:
    first = parts[0]
    if any(part.names != first.names or len(part.pair) != len(first.pair) for part in parts):
        raise InputError(
            "the mechanism's pairs of shapes changed during this motion: use those of its parts, "
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
