"""Which inertial parameters of a body act as part of another's: what no effort, momentum or energy can tell apart.

Parameters n of body k act as part of its parent where, for every motion, their kinetic energy is that
of a constant inertia of the parent, and their potential energy differs by a constant: two Lagrangians
with these properties give the same equations. Where the parent can move at will this is

    I(n) S = 0   and   ᴾX*(q) I(n) ᴾX*(q)ᵀ constant,

a property of the joint alone. Near the ground, whose own inertia never shows, bodies move in few
ways, and more can be moved: of a body turning about an upright axis only one moment remains. There the inertia of a
rotor may act as the body's. Joints that follow others move with them, and what lies between is looked at together.

Nothing else vanishes. Let the parameters of all bodies be such that no motion shows them, and move only the joint of
an outermost one: its own energy cannot change, so that its parameters act as part of its parent's. Put them there,
and go on with the next.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from linkwright.model.joint import pose_in_units
from linkwright.model.joint_type import JointType
from linkwright.model.rotors import rotor_velocities
from linkwright.model.scale import scale_of
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.transform import force_transform, inverse_pose, motion_transform

SAMPLES = 8
"""Configurations at which "for every motion" is tried, at least; four already have equations enough for one joint."""

MOST_SAMPLES = 100
"""Of these there are never more: each has many velocities."""

PROBES = 16
"""Velocities of joints looked at together, beyond which energies are compared at random ones, not form by form."""

NOTHING = 1e-12
"""A singular value of less than this of the largest is none."""

UPPER = np.triu_indices(3)


class LinkGroup(NamedTuple):
    """Bodies looked at together, mostly one, and what of them acts as part of the body that they hang on."""

    bodies: tuple[int, ...]
    parent: int
    rotors: tuple[int, ...]
    """the velocities whose armature counts among the parameters"""
    basis: Array
    """(10 · bodies + rotors, d), in units of the mechanism's length: see :func:`units_of`"""
    certainty: float
    """the smallest singular value that is not nothing, of the largest"""


def vector(body: RigidInertia) -> Array:
    """The ten parameters (m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
    return np.array([body.mass, *body.first_moment, *body.inertia[UPPER]])


def inertia(x: Array) -> RigidInertia:
    """What has these ten parameters."""
    I = np.zeros((3, 3))
    I[UPPER] = x[4:]
    return RigidInertia(float(x[0]), x[1:4].copy(), I + np.triu(I, 1).T)


UNITS = [inertia(unit) for unit in np.eye(10)]
UNIT_MATRICES = np.array([unit.matrix() for unit in UNITS])


def length_of(model: Model) -> float:
    """The power of two nearest to the mechanism's length: nothing is rounded by it."""
    return float(2.0 ** round(np.log2(scale_of(model).length)))


def units_of(length: float) -> Array:
    """(10,): of parameters with lengths in units of so many meters, in SI (of mass it may be any)."""
    return np.array([1.0] + [length] * 3 + [length**2] * 6)


def movable(model: Model, rotors: bool = False, together: bool = True) -> list[LinkGroup]:
    """What of every group of bodies acts as part of the body that they hang on, groups from the root on.

    ``rotors``: whether armatures are parameters too. ``together``: whether joints that follow others do.
    """
    return _ParameterSearch(model, rotors, together).groups()


class _Tied(NamedTuple):
    """Of a body that cannot move at will, at every sample: pose in the world and basis of its twists, in its axes."""

    poses: Array
    """(samples, 4, 4)"""
    twists: Array
    """(samples, 6, r)"""


class _ParameterSearch:
    """Groups are gone through from the root on, at samples of the joints' coordinates, in the mechanism's length."""

    def __init__(self, model: Model, rotors: bool, together: bool):
        self.model, self.rotors, self.together = model, rotors, together and model.has_couplings
        self.length = length_of(model)
        self.rng = np.random.default_rng(0)
        self.parts = _parts(model) if self.together else [(k,) for k in range(len(model.links))]
        wanted = [SAMPLES, *(10 * len(part) + SAMPLES for part in self.parts if len(part) > 1)]
        self.samples = min(MOST_SAMPLES, max(wanted))
        self.drawn: dict[int, Array] = {}

    def groups(self) -> list[LinkGroup]:
        """All, and what of them can be moved."""
        ground = np.tile(np.eye(4), (self.samples, 1, 1))
        tied = {-1: _Tied(ground, np.zeros((self.samples, 6, 0)))}
        found = []
        for part in self.parts:
            parent = self.model.links[part[0]].parent
            before, rotors = tied.get(parent), self._rotors(part)
            if before is None and len(part) == 1:  # its joint tells all, and no rotor acts as what moves at will
                basis, certainty = _of_joint(self.model.links[part[0]].motion.in_units(self.length))
                basis = np.concatenate([basis, np.zeros((len(rotors), basis.shape[1]))])
            else:
                free = _Tied(ground, np.tile(np.eye(6), (self.samples, 1, 1)))
                moving = self._moving(part, parent, before or free)
                equations = self._equations(part, rotors, before or free, moving, before is not None)
                basis, certainty = _null_space(_condensed(equations))
                if before is not None:
                    tied |= _still_tied(moving)
            found.append(LinkGroup(part, parent, rotors, basis, certainty))
        return found

    def _rotors(self, part: tuple[int, ...]) -> tuple[int, ...]:
        """The velocities of these joints that can have an armature."""
        able = set(rotor_velocities(self.model)) if self.rotors else set()
        return tuple(k for k in self._velocities(part) if k in able)

    def _velocities(self, part: tuple[int, ...]) -> list[int]:
        own = [self.model.slice(self.model.joints[k].name).v for k in part]
        return [k for places in own for k in range(places.start, places.stop)]

    def _link(self, k: int) -> Link:
        link = self.model.links[k]
        placement = pose_in_units(link.placement, self.length)
        return replace(link, motion=link.motion.in_units(self.length), placement=placement)

    def _coupling(self, k: int) -> tuple[int, Array, Array] | None:
        """Of a joint that follows another: that one, by which factors, from where."""
        c = self.model.joints[k].coupling
        if c is None or not self.together:
            return None
        own, leading = (self._scale(self.model.links[i].motion) for i in (k, c.leader))
        return c.leader, c.multiplier * leading / own, c.offset / own

    def _scale(self, motion: JointType) -> Array:
        """(nv,): how much in SI the unit of a coordinate is."""
        return np.array([self.length if unit == "m" else 1.0 for unit in motion.units])

    def _coordinates(self, k: int) -> Array:
        """Of a joint at every sample (samples, nq), its limits left aside."""
        if (coupling := self._coupling(k)) is not None:
            leader, factor, offset = coupling
            return factor * self._coordinates(leader) + offset
        if k not in self.drawn:
            motion = self.model.links[k].motion.in_units(self.length)
            self.drawn[k] = np.array(_samples(motion, self.rng, self.samples))
        return self.drawn[k]

    def _at_rest(self, k: int) -> Array:
        if (coupling := self._coupling(k)) is not None:
            return coupling[1] * self._at_rest(coupling[0]) + coupling[2]
        return self.model.links[k].motion.neutral

    def _moving(self, part: tuple[int, ...], parent: int, before: _Tied) -> dict[int, _Moving]:
        """How these bodies move with the one that they hang on, and with their own joints."""
        own = [k for k in part if self._coupling(k) is None]
        starts = np.cumsum([before.twists.shape[2], *(self.model.links[k].motion.nv for k in own)])
        columns, width = dict(zip(own, starts, strict=False)), int(starts[-1])
        room = np.zeros((self.samples, 6, width - before.twists.shape[2]))
        moving = {parent: _Moving(before.poses, np.concatenate([before.twists, room], axis=2), np.eye(4))}
        for k in part:
            link, qs, coupling = self._link(k), self._coordinates(k), self._coupling(k)
            T = np.array([link.transform(q) for q in qs])
            S = np.array([link.motion_subspace(q) for q in qs])
            if coupling is not None:
                S = S * coupling[1]
            start = columns[k if coupling is None else coupling[0]]
            last = moving[link.parent]
            twists = np.array([motion_transform(inverse_pose(T_k)) for T_k in T]) @ last.twists
            twists[:, :, start : start + S.shape[2]] += S
            moving[k] = _Moving(last.poses @ T, twists, last.rest @ link.transform(self._at_rest(k)))
        del moving[parent]
        return moving

    def _equations(
        self, part: tuple[int, ...], rotors: tuple[int, ...], before: _Tied, moving: dict[int, _Moving], tied: bool
    ) -> Array:
        """The equations (…, 10 · bodies + rotors) for parameters whose energies are those of part of the parent."""
        n, width = before.twists.shape[2], moving[part[0]].twists.shape[2]
        probes = None
        if width > PROBES:
            probes = self.rng.normal(size=(self.samples, width, 2 + 2 * 10 * len(part) // self.samples))
        kinetic, potential = [], []
        weight = float(np.linalg.norm(self.model.gravity))
        gravity = self.model.gravity / (weight or 1.0)  # its direction tells all
        for k in part:
            X = force_transform(moving[k].rest)
            moved = X @ UNIT_MATRICES @ X.T
            own = _energies(moving[k].twists, UNIT_MATRICES, probes)
            if probes is None:
                own[:, :, :n, :n] -= _energies(before.twists, moved, None)
            else:
                own = own - _energies(before.twists, moved, probes[:, :n])
            lifted = _lifted(gravity, UNIT_MATRICES, moving[k].poses) - _lifted(gravity, moved, before.poses)
            kinetic.append(own.reshape(10, -1))
            potential.append((lifted - lifted[:1]).T if tied else np.zeros((10, 0)))
        if rotors:
            having = [at for at, k in enumerate(self._velocities(part)) if k in rotors]
            each = (np.eye(width)[n:] if probes is None else np.swapaxes(probes[:, n:], 0, 1))[having]
            squares = [
                np.tile(np.outer(one, one), (self.samples, 1, 1)) if probes is None else one * one for one in each
            ]
            kinetic.append(np.reshape(squares, (len(rotors), -1)))
            potential.append(np.zeros((len(rotors), potential[0].shape[1])))
            turning = self._turning(part)[having]
            kinetic = [np.concatenate([x, np.zeros((len(x), turning.shape[1]))], axis=1) for x in kinetic[:-1]] + [
                np.concatenate([kinetic[-1], turning], axis=1)
            ]
        return np.concatenate([np.concatenate(kinetic), np.concatenate(potential)], axis=1).T

    def _turning(self, part: tuple[int, ...]) -> Array:
        """(rotors, …): the power that armatures D lack, vᵀD [v, u], which is none where velocities are rates.

        An armature takes the effort D v̇, as a rotor geared to the joint; a body with the kinetic energy ½ vᵀD v would
        take that of turning, too.
        """
        blocks = []
        for k in part:
            motion = self.model.links[k].motion.in_units(self.length)
            if self._coupling(k) is None:
                pairs = self.rng.normal(size=(motion.nv * SAMPLES, 2, motion.nv))
                blocks.append(np.array([v * motion.bracket(v, u) for v, u in pairs]).T)
        sizes = np.cumsum([0, *map(len, blocks)])
        wide = np.zeros((sizes[-1], sum(block.shape[1] for block in blocks)))
        at = 0
        for start, block in zip(sizes, blocks, strict=False):
            wide[start : start + len(block), at : at + block.shape[1]] = block
            at += block.shape[1]
        return wide


class _Moving(NamedTuple):
    """Of a body at every sample: pose in the world, twists with each velocity, in its axes; pose at rest in the body
    that the group hangs on."""

    poses: Array
    """(samples, 4, 4)"""
    twists: Array
    """(samples, 6, r + joints' own)"""
    rest: Array
    """(4, 4)"""


def _parts(model: Model) -> list[tuple[int, ...]]:
    """The bodies in parts that hang on one body each: those between joints that follow each other in one."""
    of = list(range(len(model.links)))

    def part(k: int) -> int:
        while of[k] != k:
            k = of[k]
        return k

    for k, joint in enumerate(model.joints):
        if joint.coupling is not None:
            i, j = k, joint.coupling.leader
            between = [i, j]
            while i != j:  # parents have lower numbers
                between.append(max(i, j))
                i, j = (model.links[i].parent, j) if i > j else (i, model.links[j].parent)
            first = min(map(part, between))
            for other in between:
                of[part(other)] = first
    found: dict[int, list[int]] = {}
    for k in range(len(of)):
        found.setdefault(part(k), []).append(k)
    return [tuple(bodies) for _, bodies in sorted(found.items())]


def _still_tied(moving: dict[int, _Moving]) -> dict[int, _Tied]:
    found = {}
    for k, one in moving.items():
        U, sizes, _ = np.linalg.svd(one.twists, full_matrices=False)
        rank = int((sizes > 1e-9 * sizes[:, :1]).sum(axis=1).max()) if sizes.size else 0
        if rank < 6:
            found[k] = _Tied(one.poses, U[:, :, :rank])
    return found


def _samples(motion: JointType, rng: np.random.Generator, count: int) -> list[Array]:
    """Configurations of a joint, its limits left aside."""
    unlimited = np.full(motion.nq, np.inf)
    return [motion.sample(rng, -unlimited, unlimited) for _ in range(count)]


def _energies(twists: Array, inertias: Array, probes: Array | None) -> Array:
    """Bᵀ I B (10, samples, r, r) for bases of twists (samples, 6, r) and inertias (10, 6, 6).

    With ``probes`` (samples, r, k) their values there (10, samples, k).
    """
    if probes is None:
        return twists.transpose(0, 2, 1) @ (inertias[:, None] @ twists)
    V = twists @ probes
    return (V * (inertias[:, None] @ V)).sum(axis=2)


def _lifted(gravity: Array, inertias: Array, poses: Array) -> Array:
    """gᵀ(R h + m p) (samples, 10): the potential energies of inertias (10, 6, 6), of opposite sign."""
    m, h = inertias[:, 0, 0], inertias[:, [5, 3, 4], [1, 2, 0]]  # from the blocks m 1 and [h]×
    return (gravity @ poses[:, :3, :3]) @ h.T + np.outer(poses[:, :3, 3] @ gravity, m)


@lru_cache(maxsize=256)
def _of_joint(motion: JointType) -> tuple[Array, float]:
    """What of a body on such a joint acts as part of a parent that moves at will."""
    qs = _samples(motion, np.random.default_rng(0), SAMPLES)
    columns = []
    for unit in UNITS:
        at_rest = vector(unit.moved(motion.transform(motion.neutral)))
        rows = [np.ravel(unit.times(motion.motion_subspace(q))) for q in qs]
        rows += [vector(unit.moved(motion.transform(q))) - at_rest for q in qs]
        columns.append(np.concatenate(rows))
    return _null_space(np.stack(columns, axis=1))


def _condensed(A: Array) -> Array:
    """Fewer equations (…, n) with the same solutions and the same singular values."""
    if len(A) <= 4 * A.shape[1]:
        return A
    R: Array = np.asarray(np.linalg.qr(A, mode="r"))
    return R


def null_space(A: Array) -> Array:
    """An orthonormal basis (n, d) of what A (…, n) takes to zero."""
    return _null_space(A)[0]


def _null_space(A: Array) -> tuple[Array, float]:
    """The basis, and the smallest singular value that counts, of the largest."""
    _, sizes, Vh = np.linalg.svd(A, full_matrices=len(A) < A.shape[1])  # all of Vh, but not a long A's U
    largest = max(float(sizes[0]), 1e-300)
    rank = int((sizes > NOTHING * largest).sum())
    return Vh[rank:].T, float(sizes[rank - 1]) / largest if rank else 1.0
