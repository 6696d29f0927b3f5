"""Inertial parameters regrouped: a model with fewer of them and the same dynamics in joint space.

Some of what a body weighs shows in no joint effort by itself: the mass of a body on a hinge acts as
if it were part of the body before. Ten parameters per body (m, h = m c and the second moment
Σ = ∫ r rᵀ dm about the origin, I = tr Σ 1 − Σ) are more than the motion can tell apart; on a hinge m,
h along its axis and Σ along it are too many. What cannot be told apart may be moved from body to body
(Gautier & Khalil, "Direct calculation of minimum set of inertial parameters of serial robots",
IEEE Trans. RA 6(3), 1990; Khalil & Dombre 2002, ch. 9). Moved from the leaves to the root until the
most of them are zero, they leave an algorithm much less to compute.

Parameters n of body k act as part of its parent where, for every motion, their kinetic energy is that
of a constant inertia of the parent, and their potential energy differs by a constant: two Lagrangians
with these properties give the same equations. Where the parent can move at will this is

    I(n) S = 0   and   ᴾX*(q) I(n) ᴾX*(q)ᵀ constant,

a property of the joint alone. Near the ground, whose own inertia never shows, bodies move in few
ways, and more can be moved: of a body turning about an upright axis only one moment remains.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import InputError
from linkwright.model.build.origins import with_near_origins
from linkwright.model.joint import pose_in_units
from linkwright.model.joint_type import JointType
from linkwright.model.scale import scale_of
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.transform import force_transform, inverse_pose, motion_transform

SAMPLES = 8
"""Configurations at which "for every motion" is tried; four already have equations enough."""

NOTHING = 1e-12
"""A singular value of less than this of the largest is none."""

UPPER = np.triu_indices(3)
DIAGONAL = [4, 7, 9]

SECOND_MOMENT = np.diag([1.0] * 4 + [-1.0] * 6)
SECOND_MOMENT[np.ix_(DIAGONAL, DIAGONAL)] = 0.5 - np.eye(3)
"""(m, h, Σxx, Σxy, Σxz, Σyy, Σyz, Σzz) from (m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)"""

FORMS = {
    "second moment": (SECOND_MOMENT, (0, 3, 2, 1, 9, 8, 6, 5, 7, 4)),
    "inertia": (np.eye(10), (0, 3, 2, 1, 7, 4, 8, 6, 5, 9)),
}
"""Of which parameters zeros are made, and in which order: the mass first. Where the moment of what a body's points
are accelerated by is summed, Σzz should be zero; where inertias are moved, Iyy."""

ROUNDING = 1e-15
"""What is left of sums of numbers this much larger is no inertia but their rounding."""


def minimal(model: Model, form: str) -> Model:
    """See :meth:`Model.minimal`; ``form`` is one of FORMS."""
    if form not in FORMS:
        raise InputError(f"form is {form!r}; it may be {', '.join(map(repr, FORMS))}")
    if model.physical is not None or not regroupable(model):
        return model
    physical, model = model, with_near_origins(model)
    F, order = FORMS[form]
    parameters: list[Any] = [_vector(link.rigid_inertia) for link in model.links]
    size = [np.abs(x) for x in parameters]  # of what is summed: rounding is told from values by it
    movable, units = _movable(model), _units(_length(model))
    for k in reversed(range(len(model.links))):
        link, x = model.links[k], parameters[k]
        moved, choices = np.zeros(10), _chosen(movable[k], F, order)
        choices = [(row, direction * units / units[row]) for row, direction in choices]
        for row, direction in choices:
            moved = moved + (F[row] @ (x - moved)) * direction
        if link.parent >= 0:
            T = link.transform(link.motion.neutral)
            parameters[link.parent] = parameters[link.parent] + _vector(_inertia(moved).moved(T))
            size[link.parent] = size[link.parent] + _size_of_moved(moved, T)
        rest, size[k] = F @ (x - moved), np.abs(F) @ (size[k] + np.abs(moved))
        rest[[row for row, _ in choices]] = 0.0
        parameters[k] = np.linalg.inv(F) @ np.where(np.abs(rest) <= ROUNDING * size[k], 0.0, rest)
    links = [replace(link, rigid_inertia=_inertia(x)) for link, x in zip(model.links, parameters, strict=True)]
    return replace(model, links=tuple(links), physical=physical)


def _size_of_moved(x: Array, T: Array) -> Array:
    """The size (10,) of the terms that are summed where parameters (10,) are moved by T (4, 4)."""
    m, h, I = _inertia(np.abs(x))
    R, p = np.abs(T[:3, :3]), np.abs(T[:3, 3])
    h = R @ h
    return _vector(RigidInertia(m, h + m * p, R @ I @ R.T + 2.0 * (h @ p) + m * (p @ p)))


def regroupable(model: Model) -> bool:
    """Whether geometry and inertias are numbers."""
    return not any(is_symbolic(link.placement, *link.rigid_inertia) for link in model.links)


def _vector(body: RigidInertia) -> Array:
    """The ten parameters (m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
    return np.array([body.mass, *body.first_moment, *body.inertia[UPPER]])


def _inertia(x: Array) -> RigidInertia:
    I = np.zeros((3, 3))
    I[UPPER] = x[4:]
    return RigidInertia(float(x[0]), x[1:4].copy(), I + np.triu(I, 1).T)


def _length(model: Model) -> float:
    """The power of two nearest to the mechanism's length: nothing is rounded by it."""
    return float(2.0 ** round(np.log2(scale_of(model).length)))


def _units(length: float) -> Array:
    """(10,): of parameters with lengths in units of so many metres, in SI (of mass it may be any)."""
    return np.array([1.0] + [length] * 3 + [length**2] * 6)


UNITS = [_inertia(unit) for unit in np.eye(10)]
UNIT_MATRICES = np.array([unit.matrix() for unit in UNITS])


class _Tied(NamedTuple):
    """Of a body that cannot move at will, at every sample: pose in the world and basis of its twists, in its axes."""

    poses: Array
    """(SAMPLES, 4, 4)"""
    twists: Array
    """(SAMPLES, 6, r)"""


def _movable(model: Model) -> list[Array]:
    """For each body, a basis (10, d) of what of it acts as part of its parent, in the mechanism's length."""
    rng = np.random.default_rng(0)
    length = _length(model)
    tied = {-1: _Tied(np.tile(np.eye(4), (SAMPLES, 1, 1)), np.zeros((SAMPLES, 6, 0)))}
    bases: list[Array] = []
    for k, link in enumerate(model.links):
        before = tied.get(link.parent)
        if before is None:
            bases.append(_of_joint(link.motion.in_units(length)))
            continue
        link = replace(link, motion=link.motion.in_units(length), placement=pose_in_units(link.placement, length))
        qs = _samples(link.motion, rng)
        T = np.array([link.transform(q) for q in qs])
        carried = np.array([motion_transform(inverse_pose(T_k)) for T_k in T]) @ before.twists
        S = np.array([link.motion_subspace(q) for q in qs])
        reached = _Tied(before.poses @ T, np.concatenate([carried, S], axis=2))
        bases.append(_null_space(_near_the_ground(model.gravity / length, link, before, reached)))
        U, sizes, _ = np.linalg.svd(reached.twists, full_matrices=False)
        rank = int((sizes > 1e-9 * sizes[:, :1]).sum(axis=1).max()) if sizes.size else 0
        if rank < 6:
            tied[k] = _Tied(reached.poses, U[:, :, :rank])
    return bases


def _samples(motion: JointType, rng: np.random.Generator) -> list[Array]:
    """Configurations of a joint, its limits left aside."""
    unlimited = np.full(motion.nq, np.inf)
    return [motion.sample(rng, -unlimited, unlimited) for _ in range(SAMPLES)]


def _near_the_ground(gravity: Array, link: Link, before: _Tied, reached: _Tied) -> Array:
    """The equations (…, 10) for parameters whose energies are those of part of the parent."""
    X = force_transform(link.transform(link.motion.neutral))
    moved = X @ UNIT_MATRICES @ X.T
    kinetic = _at_every_sample(reached.twists, UNIT_MATRICES)
    n = before.twists.shape[2]
    kinetic[:, :, :n, :n] -= _at_every_sample(before.twists, moved)
    potential = _lifted(gravity, UNIT_MATRICES, reached.poses) - _lifted(gravity, moved, before.poses)
    rows = np.concatenate([kinetic.reshape(10, -1), (potential - potential[:1]).T], axis=1)
    return rows.T


def _at_every_sample(twists: Array, inertias: Array) -> Array:
    """Bᵀ I B (10, SAMPLES, r, r) for bases of twists (SAMPLES, 6, r) and inertias (10, 6, 6)."""
    return twists.transpose(0, 2, 1) @ (inertias[:, None] @ twists)


def _lifted(gravity: Array, inertias: Array, poses: Array) -> Array:
    """gᵀ(R h + m p) (SAMPLES, 10): the potential energies of inertias (10, 6, 6), of opposite sign."""
    m, h = inertias[:, 0, 0], inertias[:, [5, 3, 4], [1, 2, 0]]  # from the blocks m 1 and [h]×
    return (gravity @ poses[:, :3, :3]) @ h.T + np.outer(poses[:, :3, 3] @ gravity, m)


@lru_cache(maxsize=256)
def _of_joint(motion: JointType) -> Array:
    """What of a body on such a joint acts as part of a parent that moves at will."""
    qs = _samples(motion, np.random.default_rng(0))
    columns = []
    for unit in UNITS:
        at_rest = _vector(unit.moved(motion.transform(motion.neutral)))
        rows = [np.ravel(unit.times(motion.motion_subspace(q))) for q in qs]
        rows += [_vector(unit.moved(motion.transform(q))) - at_rest for q in qs]
        columns.append(np.concatenate(rows))
    return _null_space(np.stack(columns, axis=1))


def _null_space(A: Array) -> Array:
    """An orthonormal basis (n, d) of what A (…, n) takes to zero."""
    _, sizes, Vh = np.linalg.svd(A, full_matrices=len(A) < A.shape[1])  # all of Vh, but not a long A's U
    rank = int((sizes > NOTHING * max(float(sizes[0]), 1e-300)).sum())
    return Vh[rank:].T


def _chosen(basis: Array, F: Array, order: tuple[int, ...]) -> list[tuple[int, Array]]:
    """(row, direction (10,)) in the span of a basis (10, d): each is 1 in that row of F x and 0 in the rows before."""
    basis, _ = np.linalg.qr(basis)
    choices: list[tuple[int, Array]] = []
    for row in order:
        if basis.shape[1] == 0:
            break
        along = basis @ (basis.T @ F[row])
        if F[row] @ along < 1e-3:
            continue
        direction = along / (F[row] @ along)
        halves = np.round(2.0 * direction) / 2.0
        choices.append((row, np.where(np.abs(direction - halves) < 1e-12, halves, direction)))
        basis = basis @ _null_space(F[row][None] @ basis)  # the rest of the span, with nothing in this row
    return choices
