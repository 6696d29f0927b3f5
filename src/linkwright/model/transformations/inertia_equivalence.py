"""Redundant inertial parameters: those of a body that act as part of another body.

Parameters n of body k act as part of its parent if, for every motion, their kinetic energy is that
of a constant inertia of the parent, and their potential energy differs by a constant: two Lagrangians
with these properties have the same equations of motion. If the parent can move freely, this is

    I(n) S = 0   and   ᴾX*(q) I(n) ᴾX*(q)ᵀ constant,

a property of the joint alone. Near the ground, whose inertia has no effect, bodies have restricted motions, and more
parameters are redundant: for a body that rotates about a vertical axis a single moment remains. The inertia of a rotor
may then act as the body's. Mimic joints and the bodies between them and their leaders are treated together.

No other parameters are redundant. Let the parameters of all bodies have no effect on any motion, and move only the
joint of an outermost body: its energy cannot change, so that its parameters act as part of its parent's. Move them
there, and continue with the next body.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from linkwright.model.coordinates import rotor_velocities
from linkwright.model.elements import Link
from linkwright.model.joints.joint import pose_in_units
from linkwright.model.joints.joint_type import JointType
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.transform import force_transform, inverse_pose, motion_transform

SAMPLES = 8
"""Smallest number of configurations for "every motion"; four give enough equations for one joint."""

MOST_SAMPLES = 100
"""Largest number of configurations; each has many velocities."""

PROBES = 16
"""Number of joint velocities above which energies are compared at random velocities, instead of as quadratic forms."""

NOTHING = 1e-12
"""Singular values below this fraction of the largest are zero."""

UPPER = np.triu_indices(3)


class LinkGroup(NamedTuple):
    """Bodies that are treated together, mostly one, and their parameters that act as part of the parent body."""

    bodies: tuple[int, ...]
    parent: int
    rotors: tuple[int, ...]
    """velocities whose armatures are parameters"""
    basis: Array
    """(10 · bodies + rotors, d), in units of the mechanism's length: see :func:`units_of`"""
    certainty: float
    """smallest nonzero singular value relative to the largest"""


def vector(body: RigidInertia) -> Array:
    """Return the ten parameters (m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
    return np.array([body.mass, *body.first_moment, *body.inertia[UPPER]])


def inertia(x: Array) -> RigidInertia:
    """Return the inertia with these ten parameters."""
    I = np.zeros((3, 3))
    I[UPPER] = x[4:]
    return RigidInertia(float(x[0]), x[1:4].copy(), I + np.triu(I, 1).T)


UNITS = [inertia(unit) for unit in np.eye(10)]
UNIT_MATRICES = np.array([unit.matrix() for unit in UNITS])


def length_of(model: Model) -> float:
    """Return the power of two nearest to the mechanism's length; division by it is exact."""
    return float(2.0 ** round(np.log2(scale_of(model).length)))


def units_of(length: float) -> Array:
    """Return the units (10,) of the parameters in SI for a unit of length in meters; the unit of mass is arbitrary."""
    return np.array([1.0] + [length] * 3 + [length**2] * 6)


def movable(model: Model, rotors: bool = False, together: bool = True) -> list[LinkGroup]:
    """Return the redundant parameters of every group of bodies, from the root outward.

    ``rotors``: whether armatures are parameters. ``together``: whether mimic joints follow their leaders.
    """
    return _ParameterSearch(model, rotors, together).groups()


class _Tied(NamedTuple):
    """Body with restricted motion: its pose in the world and a basis of its twists, in its axes, at every sample."""

    poses: Array
    """(samples, 4, 4)"""
    twists: Array
    """(samples, 6, r)"""


class _ParameterSearch:
    """Search through the groups from the root outward, at samples of the coordinates, in the mechanism's units."""

    def __init__(self, model: Model, rotors: bool, together: bool):
        self.model, self.rotors, self.together = model, rotors, together and model.has_couplings
        self.length = length_of(model)
        self.rng = np.random.default_rng(0)
        self.parts = _parts(model) if self.together else [(k,) for k in range(len(model.links))]
        wanted = [SAMPLES, *(10 * len(part) + SAMPLES for part in self.parts if len(part) > 1)]
        self.samples = min(MOST_SAMPLES, max(wanted))
        self.drawn: dict[int, Array] = {}

    def groups(self) -> list[LinkGroup]:
        """Return all groups with their redundant parameters."""
        ground = np.tile(np.eye(4), (self.samples, 1, 1))
        tied = {-1: _Tied(ground, np.zeros((self.samples, 6, 0)))}
        found = []
        for part in self.parts:
            parent = self.model.links[part[0]].parent
            before, rotors = tied.get(parent), self._rotors(part)
            if before is None and len(part) == 1:  # only the joint matters; rotors are independent
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
        """Return the velocities of these joints that can have an armature."""
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
        """Return the leader of a mimic joint, the factors and the offsets."""
        c = self.model.joints[k].coupling
        if c is None or not self.together:
            return None
        own, leading = (self._scale(self.model.links[i].motion) for i in (k, c.leader))
        return c.leader, c.multiplier * leading / own, c.offset / own

    def _scale(self, motion: JointType) -> Array:
        """Return the SI value (nv,) of the units of the coordinates."""
        return np.array([self.length if unit == "m" else 1.0 for unit in motion.units])

    def _coordinates(self, k: int) -> Array:
        """Return samples of a joint's coordinates (samples, nq), without its limits."""
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
        """Return the motions of these bodies with their parent body and with their own joints."""
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
        """Return equations (…, 10 · bodies + rotors) of parameters that act as part of the parent."""
        n, width = before.twists.shape[2], moving[part[0]].twists.shape[2]
        probes = None
        if width > PROBES:
            probes = self.rng.normal(size=(self.samples, width, 2 + 2 * 10 * len(part) // self.samples))
        kinetic, potential = [], []
        directions = np.eye(3)
        if not is_symbolic(self.model.gravity):  # its direction is sufficient
            directions = self.model.gravity[None] / (float(np.linalg.norm(self.model.gravity)) or 1.0)
        for k in part:
            X = force_transform(moving[k].rest)
            moved = X @ UNIT_MATRICES @ X.T
            own = _energies(moving[k].twists, UNIT_MATRICES, probes)
            if probes is None:
                own[:, :, :n, :n] -= _energies(before.twists, moved, None)
            else:
                own = own - _energies(before.twists, moved, probes[:, :n])
            kinetic.append(own.reshape(10, -1))
            energies = [
                _lifted(gravity, UNIT_MATRICES, moving[k].poses) - _lifted(gravity, moved, before.poses)
                for gravity in directions
            ]
            changes = [(energy - energy[:1]).T for energy in energies if tied]
            potential.append(np.concatenate([np.zeros((10, 0)), *changes], axis=1))
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
        """Return the missing power of armatures D, vᵀD [v, u] (rotors, …), which is zero where velocities are rates.

        An armature takes the effort D v̇, like a geared rotor; a body with the kinetic energy ½ vᵀD v would also need
        an effort for its rotation.
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
    """Body at every sample: pose in the world, twists per velocity in its axes, and pose at rest in the body that
    carries the group."""

    poses: Array
    """(samples, 4, 4)"""
    twists: Array
    """(samples, 6, r + joints' own)"""
    rest: Array
    """(4, 4)"""


def _parts(model: Model) -> list[tuple[int, ...]]:
    """Return the bodies in groups with one parent body; bodies between a mimic joint and its leader are one group."""
    of = list(range(len(model.links)))

    def part(k: int) -> int:
        while of[k] != k:
            k = of[k]
        return k

    for k, joint in enumerate(model.joints):
        if joint.coupling is not None:
            i, j = k, joint.coupling.leader
            between = [i, j]
            while i != j:  # parents have lower indices
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
    """Return random configurations of a joint, without its limits."""
    unlimited = np.full(motion.nq, np.inf)
    return [motion.sample(rng, -unlimited, unlimited) for _ in range(count)]


def _energies(twists: Array, inertias: Array, probes: Array | None) -> Array:
    """Return Bᵀ I B (10, samples, r, r) for bases of twists (samples, 6, r) and inertias (10, 6, 6).

    With ``probes`` (samples, r, k), return the values at these velocities (10, samples, k).
    """
    if probes is None:
        return twists.transpose(0, 2, 1) @ (inertias[:, None] @ twists)
    V = twists @ probes
    return (V * (inertias[:, None] @ V)).sum(axis=2)


def _lifted(gravity: Array, inertias: Array, poses: Array) -> Array:
    """Return gᵀ(R h + m p) (samples, 10): minus the potential energies of inertias (10, 6, 6)."""
    m, h = inertias[:, 0, 0], inertias[:, [5, 3, 4], [1, 2, 0]]  # from the blocks m 1 and [h]×
    return (gravity @ poses[:, :3, :3]) @ h.T + np.outer(poses[:, :3, 3] @ gravity, m)


@lru_cache(maxsize=256)
def _of_joint(motion: JointType) -> tuple[Array, float]:
    """Return the parameters of a body on such a joint that act as part of a freely moving parent."""
    qs = _samples(motion, np.random.default_rng(0), SAMPLES)
    columns = []
    for unit in UNITS:
        at_rest = vector(unit.moved(motion.transform(motion.neutral)))
        rows = [np.ravel(unit.times(motion.motion_subspace(q))) for q in qs]
        rows += [vector(unit.moved(motion.transform(q))) - at_rest for q in qs]
        columns.append(np.concatenate(rows))
    return _null_space(np.stack(columns, axis=1))


def _condensed(A: Array) -> Array:
    """Return fewer equations (…, n) with the same solutions and singular values."""
    if len(A) <= 4 * A.shape[1]:
        return A
    R: Array = np.asarray(np.linalg.qr(A, mode="r"))
    return R


def null_space(A: Array) -> Array:
    """Return an orthonormal basis (n, d) of the null space of A (…, n)."""
    return _null_space(A)[0]


def _null_space(A: Array) -> tuple[Array, float]:
    """Return the basis, and the smallest nonzero singular value relative to the largest."""
    _, sizes, Vh = np.linalg.svd(A, full_matrices=len(A) < A.shape[1])  # all of Vh, but not U of a tall A
    largest = max(float(sizes[0]), 1e-300)
    rank = int((sizes > NOTHING * largest).sum())
    return Vh[rank:].T, float(sizes[rank - 1]) / largest if rank else 1.0
