"""Base parameters: the combinations of inertial parameters that motion shows, as few as determine it.

What multiplies one parameter in τ = Y π may be a constant combination of what multiplies others: Y_g = Σ Y_k β_kg.
Parameter g can then be left out where the others take their share of it, π_k + Σ β_kg π_g (Gautier & Khalil, IEEE
Trans. RA 6(3), 1990). `model/change/movable.py` finds body by body what vanishes so, and nothing else does, so that
mechanisms of any size have their base parameters, and how many there are is certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.configuration import integrate
from linkwright.dynamics.inverse import inverse_dynamics
from linkwright.dynamics.parameters.inertial import parameter_names, public_placements
from linkwright.errors import ModelError, ShapeError, explained, warn
from linkwright.model.change.minimal import regroupable
from linkwright.model.change.movable import UNITS, LinkGroup, length_of, movable, units_of
from linkwright.model.derived import kept
from linkwright.model.requirement import takes_model
from linkwright.model.rotors import rotor_velocities
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.spatial.inertia import of_parameters
from linkwright.spatial.transform import inverse_pose

NOTHING = 1e-13
"""What is so little of the parameters of a combination is rounding."""

DOUBTFUL = 1e-8
"""What shows less than this beside others may be rounding, or angles of a file of few digits."""

PREFERENCE = ([0], [1, 2, 3], [6, 4, 9, 5, 7, 8])
"""Which of a body's ten vanish first, where there is a choice: m; of m c the largest; of I Iyy, then Ixx."""


class Relation(NamedTuple):
    """Parameters that vanish together: what multiplies them is a combination of what multiplies others."""

    gone: Array
    """numbers of those that vanish"""
    others: Array
    """of those of the same bodies that take a share of them"""
    shares: Array
    """(others, gone)"""
    parents: Array
    """of the ten of the body that they hang on, none on the ground"""
    parents_shares: Array
    """(10 or 0, gone)"""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The base parameters β = K π of a mechanism: Y[:, index] β = Y π, and no combination more shows in any motion."""

    mechanism: str
    parameters: tuple[str, ...]
    """the names (p,) of all: :func:`parameter_names`"""
    index: Array
    """(b,), the column of the regressor that multiplies each base parameter"""
    certainty: float
    """the smallest singular value that was taken for none that vanishes, of the largest: rounding has 1e-15"""
    relations: Sequence[Relation] = field(repr=False)
    """from the root on"""

    @property
    def rank(self) -> int:
        """How many base parameters there are: the rank of regressors of motions that show all."""
        return len(self.index)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of each (b,) the name of the parameter that it stands for, with an R where others are regrouped with it."""
        alone = (self.matrix != 0.0).sum(axis=1) == 1
        return tuple(self.parameters[k] + "R" * (not one) for k, one in zip(self.index, alone, strict=True))

    @cached_property
    def matrix(self) -> Array:
        """K (b, p), the base parameters as combinations of all parameters; K[:, index] is the unit matrix."""
        K = np.zeros((self.rank, len(self.parameters)))
        K[np.arange(self.rank), self.index] = 1.0
        for one in self.relations:
            K[:, one.gone] = K[:, one.others] @ one.shares + K[:, one.parents] @ one.parents_shares
        K[np.abs(K) <= NOTHING * np.abs(K).max(axis=1, initial=0.0, keepdims=True)] = 0.0
        K.setflags(write=False)
        return K

    @explained
    def of(self, parameters: Any) -> Array:
        """β (…, b) of parameters π (…, p): K π, without the matrix."""
        pi = as_numbers("parameters", parameters)
        if pi.shape[-1:] != (len(self.parameters),):
            raise ShapeError(f"expected parameters (…, {len(self.parameters)}) of {self.mechanism!r}; got {pi.shape}")
        pi = np.moveaxis(pi, -1, 0).copy()
        for one in reversed(self.relations):
            pi[one.others] += np.tensordot(one.shares, pi[one.gone], 1)
            pi[one.parents] += np.tensordot(one.parents_shares, pi[one.gone], 1)
        return np.moveaxis(pi[self.index], 0, -1)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The names of the parameters that show in no motion at all."""
        return tuple(self.parameters[k] for k in np.flatnonzero(~self.matrix.any(axis=0)))

    def __str__(self) -> str:
        head = f"{self.rank} base parameters of {self.mechanism!r}, of {len(self.parameters)} parameters"
        width = max(map(len, self.names), default=0)
        lines = [
            f"  {name:<{width}} = {combination(row, int(k), self.parameters)}" if name.endswith("R") else f"  {name}"
            for name, row, k in zip(self.names, self.matrix, self.index, strict=True)
        ]
        return "\n".join([head, *lines])


def combination(row: Array, first: int, names: Sequence[str]) -> str:
    """A sum of parameters as text, the first with factor 1: "a.Izz + 0.25 b.m - b.mcx"."""
    terms = names[first]
    for k in np.flatnonzero(row).tolist():
        if k != first:
            size = f"{abs(row[k]):.6g}"
            terms += f" {'-' if row[k] < 0.0 else '+'} {'' if size == '1' else size + ' '}{names[k]}"
    return terms


@takes_model
def base_parameters(model: Model, armature: bool = False, friction: bool = False) -> BaseParameters:
    """The combinations of inertial parameters that efforts, momentum and energy determine, as few as there are.

    ``armature`` and ``friction`` as in :func:`regressor`, whose columns they are. Printed, the result tells each
    combination; ``.matrix`` (b, p) and ``.names`` have them as numbers, ``Y[..., base.index] @ base.of(π)`` is Y π.
    Closed loops are left open, limits aside. Raises :class:`ModelError` for a mechanism that holds symbols, whose base
    parameters ``equations(…, base_parameters=True)`` tells in letters.
    """
    if not regroupable(model):
        raise ModelError(f"{model.name!r} holds symbols; equations(model, base_parameters=True) tells in letters")
    found = _found(model, bool(armature), bool(friction))
    if found.certainty < DOUBTFUL:
        warn(
            f"{model.name!r} has axes so nearly parallel, or lengths so different, that {found.rank} base parameters "
            f"are not certain: some show {found.certainty:.0e} as much as others; model.snapped() makes angles right"
        )
    return found


@kept
def _found(model: Model, armature: bool, friction: bool) -> BaseParameters:
    names, groups = parameter_names(model, armature, friction), movable(model, rotors=armature)
    relations = _relations(model, groups)
    left = np.ones(len(names), dtype=bool)
    for one in relations:
        left[one.gone] = False
    certainty = min((group.certainty for group in groups), default=1.0)
    found = BaseParameters(model.name, names, np.flatnonzero(left), certainty, relations)
    _require_true(model, found, armature)
    return found


def _relations(model: Model, groups: Sequence[LinkGroup]) -> list[Relation]:
    """What vanishes, in public parameters."""
    units, length, n = units_of(length_of(model)), length_of(model), 10 * len(model.links)
    placements = public_placements(model)
    of_rotors = [1.0 if unit == "m" else length**2 for j in model.joints if j.nv for unit in j.motion.units]
    column = {velocity: n + at for at, velocity in enumerate(rotor_velocities(model))}
    rest = model.coordinates(model.neutral())
    found = []
    for group in groups:
        bodies, d = group.bodies, group.basis.shape[1]
        if not d:
            continue
        ten = [np.arange(10 * k, 10 * k + 10) for k in bodies]
        rows = np.concatenate([*ten, np.array([column[i] for i in group.rotors], dtype=int)])
        scale = np.concatenate([*[units] * len(bodies), np.array([of_rotors[i] for i in group.rotors])])
        basis = scale[:, None] * group.basis
        for at, k in enumerate(bodies):  # from calculated frames to the file's
            back = inverse_pose(placements[k])
            own = slice(10 * at, 10 * at + 10)
            basis[own] = np.stack([unit.moved(back).parameters() for unit in UNITS], axis=1) @ basis[own]
        scaled = basis / scale[:, None]
        gone = _vanishing(scaled, [10 * at for at in reversed(range(len(bodies)))])
        scaled = scaled @ np.linalg.inv(scaled[gone])
        halves = np.round(2.0 * scaled) / 2.0
        scaled = np.where(np.abs(scaled - halves) < 1e-12, halves, scaled)
        basis = scale[:, None] * scaled / scale[gone]
        others = np.flatnonzero((basis != 0.0).any(axis=1) & ~np.isin(np.arange(len(rows)), gone))
        parents, moved = np.zeros(0, dtype=int), np.zeros((0, d))
        if group.parent >= 0:
            parents, moved = np.arange(10 * group.parent, 10 * group.parent + 10), np.zeros((10, d))
            poses = {group.parent: inverse_pose(placements[group.parent])}
            for at, k in enumerate(bodies):
                poses[k] = poses[model.links[k].parent] @ model.links[k].transform(rest[k])
                T = poses[k] @ placements[k]
                moved += np.stack([of_parameters(x).moved(T).parameters() for x in basis[10 * at :][:10].T], axis=1)
            moved[np.abs(moved) <= NOTHING * np.abs(moved).max(initial=0.0)] = 0.0
        found.append(Relation(rows[gone], rows[others], -basis[others], parents, moved))
    return found


def _vanishing(basis: Array, bodies: Sequence[int]) -> list[int]:
    """The rows of a basis (n, d) that the others can take the place of: rotors', then those of bodies as they come."""
    Q, _ = np.linalg.qr(basis)
    gone: list[int] = []
    rotors = list(range(max(bodies) + 10, len(Q)))
    for rows in [rotors, *([start + k for k in one] for start in bodies for one in PREFERENCE)]:
        while rows and Q.shape[1]:
            size = (Q[rows] ** 2).sum(axis=1)
            if size.max() < 1e-3:
                break
            row = rows[int(np.argmax(size > (1.0 - 1e-6) * size.max()))]
            gone.append(row)
            Q = _without(Q, row)
    return gone


def _without(Q: Array, row: int) -> Array:
    """The rest (n, d − 1) of an orthonormal basis (n, d), with nothing in this row: reflected, the first left out."""
    u = Q[row].copy()
    u[0] += np.copysign(np.linalg.norm(u), u[0])
    return (Q - np.outer(Q @ u, 2.0 / (u @ u) * u))[:, 1:]


def _require_true(model: Model, found: BaseParameters, armature: bool) -> None:
    """Raise where random parameters and their base parameters alone do not take the same efforts in a random motion.

    What one random motion shows of random parameters tells of all: relations that do not hold would show.
    """
    rng = np.random.default_rng(1)
    pi = rng.normal(size=len(found.parameters))
    alone = np.zeros(len(pi))
    alone[found.index] = found.of(pi)
    q, v, a = integrate(model, model.neutral(), rng.normal(size=model.nv)), *rng.normal(size=(2, model.nv))
    tau, same = (inverse_dynamics(_with(model, x, armature), q, v, a) for x in (pi, alone))
    if np.abs(tau - same).max(initial=0.0) > 1e-8 * (1.0 + np.abs(tau).max(initial=0.0)):
        raise ModelError(
            f"the base parameters of {model.name!r} cannot be told: its lengths, or angles between its axes, are too "
            "different in size to tell what vanishes from what is small"
        )


def _with(model: Model, pi: Array, armature: bool) -> Model:
    """A mechanism for its efforts alone, whose parameters may be any."""
    armatures = np.zeros(model.nv)
    if armature:
        rotors = rotor_velocities(model)
        armatures[rotors] = pi[10 * len(model.links) :][: len(rotors)]
    links = []
    for k, (link, joint, placement) in enumerate(zip(model.links, model.joints, public_placements(model), strict=True)):
        own = armatures[model.slice(joint.name).v] if joint.nv else np.zeros(joint.motion.nv)
        rigid = of_parameters(pi[10 * k : 10 * k + 10]).moved(placement)
        links.append(replace(link, rigid_inertia=rigid, armature=own))
    return replace(model, links=tuple(links))
