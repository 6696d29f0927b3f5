"""Base parameters: the minimal set of combinations of inertial parameters that determines the dynamics.

The column of one parameter in τ = Y π may be a constant combination of other columns: Y_g = Σ Y_k β_kg.
Parameter g can then be eliminated by π_k + Σ β_kg π_g in place of π_k (Gautier & Khalil, IEEE
Trans. RA 6(3), 1990). `model/transformations/inertia_equivalence.py` finds all such relations body by
body, so that mechanisms of any size have their base parameters, and the number of base parameters is certain.
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
from linkwright.model.coordinates import rotor_velocities
from linkwright.model.memo import kept
from linkwright.model.requirement import takes_model
from linkwright.model.transformations.inertia_equivalence import UNITS, LinkGroup, length_of, movable, units_of
from linkwright.model.transformations.minimal import regroupable
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.spatial.inertia import of_parameters
from linkwright.spatial.transform import inverse_pose

NOTHING = 1e-13
"""A coefficient below this fraction of a combination is rounding."""

DOUBTFUL = 1e-8
"""Below this relative size an effect may be rounding, or due to angles with few digits in a file."""

PREFERENCE = ([0], [1, 2, 3], [6, 4, 9, 5, 7, 8])
"""Order of elimination among a body's ten parameters: m; the largest of m c; of I first Iyy, then Ixx."""


class Relation(NamedTuple):
    """Parameters that are eliminated together: their columns are combinations of other columns."""

    gone: Array
    """indices of the eliminated parameters"""
    others: Array
    """indices of the parameters of the same bodies in the combinations"""
    shares: Array
    """(others, gone)"""
    parents: Array
    """indices of the ten parameters of the parent body; none on the ground"""
    parents_shares: Array
    """(10 or 0, gone)"""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters β = K π of a mechanism, with Y[:, index] β = Y π in every motion.

    Parameters
    ----------
    mechanism : str
        Name of the mechanism.
    parameters : tuple of str, length p
        Names of all parameters as in :func:`parameter_names`.
    index : ndarray of int, shape (b,)
        Column of the regressor of each base parameter.
    certainty : float
        Smallest singular value of the kept parameters relative to the largest; rounding is about 1e-15.
    relations : sequence of Relation
        Eliminated parameters, from the root outward.
    """

    mechanism: str
    parameters: tuple[str, ...]
    index: Array
    certainty: float
    relations: Sequence[Relation] = field(repr=False)

    @property
    def rank(self) -> int:
        """Number of base parameters: the rank of the regressor over all motions."""
        return len(self.index)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of the parameter of each base parameter, with an R where others are regrouped with it."""
        alone = (self.matrix != 0.0).sum(axis=1) == 1
        return tuple(self.parameters[k] + "R" * (not one) for k, one in zip(self.index, alone, strict=True))

    @cached_property
    def matrix(self) -> Array:
        """Matrix K (b, p) of the combinations; K[:, index] is the identity matrix."""
        K = np.zeros((self.rank, len(self.parameters)))
        K[np.arange(self.rank), self.index] = 1.0
        for one in self.relations:
            K[:, one.gone] = K[:, one.others] @ one.shares + K[:, one.parents] @ one.parents_shares
        K[np.abs(K) <= NOTHING * np.abs(K).max(axis=1, initial=0.0, keepdims=True)] = 0.0
        K.setflags(write=False)
        return K

    @explained
    def of(self, parameters: Any) -> Array:
        """Compute the base parameters β = K π without forming the matrix.

        Parameters
        ----------
        parameters : array_like, shape (..., p)
            Inertial parameters π.

        Returns
        -------
        ndarray, shape (..., b)
            Base parameters β.

        Raises
        ------
        ShapeError
            If the number of parameters is not p.
        """
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
        """Names of the parameters that have no effect on any motion."""
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
    """Return a sum of parameters as text, the first with factor 1: "a.Izz + 0.25 b.m - b.mcx"."""
    terms = names[first]
    for k in np.flatnonzero(row).tolist():
        if k != first:
            size = f"{abs(row[k]):.6g}"
            terms += f" {'-' if row[k] < 0.0 else '+'} {'' if size == '1' else size + ' '}{names[k]}"
    return terms


@takes_model
def base_parameters(model: Model, *, armature: bool = False, friction: bool = False) -> BaseParameters:
    """Compute the base parameters: the minimal combinations that determine efforts, momentum and energy.

    Parameters
    ----------
    model : Model
        Mechanism.
    armature : bool, optional
        Add the armatures of the joints to the parameters.
    friction : bool, optional
        Add the damping and the Coulomb friction of the joints to the parameters.

    Returns
    -------
    BaseParameters
        Combinations, which are printed; ``.matrix`` (b, p) and ``.names`` contain them as numbers, and
        ``Y[..., base.index] @ base.of(π)`` is Y π. Closed loops and joint limits are ignored.

    Raises
    ------
    ModelError
        If the model has symbols (use ``equations(…, base_parameters=True)``), or if the number of base parameters
        is uncertain.

    References
    ----------
    Gautier & Khalil, "Direct calculation of minimum set of inertial parameters of serial robots", *IEEE Transactions on
    Robotics and Automation* 6(3), 1990.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> lw.base_parameters(arm).rank
    6
    """
    if not regroupable(model):
        model.require_numbers("base_parameters")
    found = _found(model, bool(armature), bool(friction))
    if found.certainty < DOUBTFUL:
        warn(
            f"the {found.rank} base parameters of {model.name!r} are not certain: its axes are nearly parallel or its "
            f"lengths very different (relative effect {found.certainty:.0e}); model.snapped() makes angles right"
        )
    return found


@kept
def _found(model: Model, armature: bool, friction: bool) -> BaseParameters:
    names, groups = parameter_names(model, armature=armature, friction=friction), movable(model, rotors=armature)
    relations = _relations(model, groups)
    left = np.ones(len(names), dtype=bool)
    for one in relations:
        left[one.gone] = False
    certainty = min((group.certainty for group in groups), default=1.0)
    found = BaseParameters(model.name, names, np.flatnonzero(left), certainty, relations)
    _require_true(model, found, armature)
    return found


def _relations(model: Model, groups: Sequence[LinkGroup]) -> list[Relation]:
    """Return the eliminated parameters as public parameters."""
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
        for at, k in enumerate(bodies):  # from canonical frames to those of the file
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
    """Return the rows of a basis (n, d) that other rows can replace: those of rotors, then those of bodies in order."""
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
    """Return an orthonormal basis (n, d − 1) without a component in this row, by a reflection of the basis (n, d)."""
    u = Q[row].copy()
    u[0] += np.copysign(np.linalg.norm(u), u[0])
    return (Q - np.outer(Q @ u, 2.0 / (u @ u) * u))[:, 1:]


def _require_true(model: Model, found: BaseParameters, armature: bool) -> None:
    """Raise an error where random parameters and their base parameters give different efforts in a random motion.

    One random motion with random parameters reveals every wrong relation.
    """
    rng = np.random.default_rng(1)
    pi = rng.normal(size=len(found.parameters))
    alone = np.zeros(len(pi))
    alone[found.index] = found.of(pi)
    q, v, a = integrate(model, model.neutral(), rng.normal(size=model.nv)), *rng.normal(size=(2, model.nv))
    tau, same = (inverse_dynamics(_with(model, x, armature), q, v, a) for x in (pi, alone))
    if np.abs(tau - same).max(initial=0.0) > 1e-8 * (1.0 + np.abs(tau).max(initial=0.0)):
        raise ModelError(
            f"the base parameters of {model.name!r} cannot be determined: its lengths, or the angles between its axes, "
            "differ too much in size"
        )


def _with(model: Model, pi: Array, armature: bool) -> Model:
    """Return a mechanism for inverse dynamics whose parameters need not be physically consistent."""
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
