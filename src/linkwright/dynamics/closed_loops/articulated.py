"""Closed loops in the articulated-body algorithm, at a cost linear in a chain of loops.

Loop forces are propagated inward, and each loop is eliminated at the last common ancestor of its ends (as Sathya
& Carpentier, "Constrained articulated body dynamics algorithms", IEEE T-RO 2024, do for contacts).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.closed_loops.independent import (
    AS_THEY_COME,
    IndependentRowElimination,
    RowScales,
    beyond_rows,
    elimination_like,
    row_scales,
    row_space,
    some_closed_configuration,
)
from linkwright.dynamics.closed_loops.rows import (
    LoopConstraint,
    branches,
    loop_constraints,
    loop_groups,
    loop_rows,
)
from linkwright.dynamics.closed_loops.stabilization import Gains, stabilizing
from linkwright.dynamics.inverse import Wrenches, external_forces
from linkwright.dynamics.kinematics import body_velocities
from linkwright.model.elements import Link
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.memo import kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import congruence
from linkwright.spatial.linear_algebra.linalg import (
    SemidefiniteFactors,
    semidefinite_factors,
    solve_symmetric,
)
from linkwright.spatial.transform import force_to_parent, inverse_pose, motion_to_child
from linkwright.spatial.vectors import force_cross, motion_cross


class Open(NamedTuple):
    """Loops that are open at a body and close further inward, by their numbers.

    The equation of loop i is Fᵢᵀ a + rᵢ + Σ Aᵢⱼ λⱼ = 0 with the acceleration a of the body.
    """

    F: dict[int, Array]
    """(6, m)"""
    r: dict[int, Array]
    """(m,)"""
    A: dict[tuple[int, int], Array]
    """(m_i, m_j), i ≤ j"""
    sizes: dict[int, Array]
    """(m,), the diagonal of A before outer loops were eliminated"""

    def __add__(self, other: Open) -> Open:  # type: ignore[override]
        F, r, A, sizes = other
        return Open(_added(self.F, F), _added(self.r, r), _added(self.A, A), _added(self.sizes, sizes))

    def block(self, i: int, j: int) -> Array:
        """Return Aᵢⱼ."""
        A = self.A.get((min(i, j), max(i, j)))
        if A is None:
            return np.zeros((len(self.r[i]), len(self.r[j])))
        return A if i <= j else A.T

    def numbers(self) -> list[int]:
        """Return the numbers of the loops."""
        return sorted(self.F)


def _added(mine: dict[Any, Array], others: dict[Any, Array]) -> dict[Any, Array]:
    return {**mine, **{key: mine[key] + x if key in mine else x for key, x in others.items()}}


NONE = Open({}, {}, {}, {})


class Closed(NamedTuple):
    """Loops that are eliminated at a body: λ = −A⁺(r + Fᵀ a + Σ Aⱼ λⱼ), after forward elimination."""

    numbers: list[int]
    sizes: list[int]
    A: SemidefiniteFactors
    r: Array
    """(m,)"""
    F: Array
    """(m, 6)"""
    outer: dict[int, Array]
    """(m, m_j) of the loops j that remain open"""

    def multipliers(self, a: Array, known: dict[int, Array]) -> dict[int, Array]:
        """Return λ of each loop, from the body's acceleration and the λ of loops that close further inward."""
        right = self.r + self.F @ a
        for j, A in self.outer.items():
            right = right + A @ known[j]
        pieces = np.split(-self.A.back(right), np.cumsum(self.sizes)[:-1])
        return dict(zip(self.numbers, pieces, strict=True))


def _closed(
    opened: Open, numbers: list[int], scales: list[RowScales] | None, elimination: IndependentRowElimination
) -> tuple[Closed, Array, Array, Open]:
    """Eliminate loops at a body; return their factors, the inertia (6, 6) and bias (6,) that they add, and the open
    loops.

    The rows are made consistent (`independent.py`): the part of r that A maps to zero is removed. For groups of loops
    that do not all close at this body the caller ensures it.
    """
    rest = [j for j in opened.numbers() if j not in numbers]
    A = np.concatenate([np.concatenate([opened.block(i, j) for j in numbers], axis=1) for i in numbers])
    sizes = np.concatenate([opened.sizes[i] for i in numbers])
    could_be = None if scales is None else np.concatenate([scales[i].by_mass for i in numbers])
    solver = semidefinite_factors(A, sizes, elimination.order, could_be)
    r = solver.half(solver.least_norm(np.concatenate([opened.r[i] for i in numbers]), elimination.left_out))
    F = solver.half(np.concatenate([opened.F[i] for i in numbers], axis=1).T)
    outer = {j: solver.half(np.concatenate([opened.block(i, j) for i in numbers])) for j in rest}
    F_weighted = F.T * solver.inverse
    left = Open(
        {j: opened.F[j] - F_weighted @ outer[j] for j in rest},
        {j: opened.r[j] - (outer[j].T * solver.inverse) @ r for j in rest},
        {(i, j): opened.block(i, j) - (outer[i].T * solver.inverse) @ outer[j] for i in rest for j in rest if i <= j},
        {j: opened.sizes[j] for j in rest},
    )
    closed = Closed(numbers, [len(opened.r[i]) for i in numbers], solver, r, F, outer)
    return closed, F_weighted @ F, F_weighted @ r, left


class LoopGroups(NamedTuple):
    """Loops of a model at a state, by the bodies at which they start and end."""

    starts: list[Open]
    """for every body, and last the world: equations of the loops that start there"""
    own: list[dict[int, Array]]
    """for every joint: by loop, the rows (m, nv) of its coordinates"""
    closing: list[list[int]]
    """for every body, and last the world: loops that close there"""


def _plan(model: Model, q: Array, v: Array, gains: Gains | None, opening: Array | None) -> LoopGroups:
    """Collect the loops; ``opening`` (m,) replaces −γ."""
    n = len(model.links)
    own = [dict[int, Array]() for _ in range(n)]
    rates = model.rates(v)
    frames = iter(loop_constraints(model, q, v))
    closures: list[tuple[Array, list[int], list[Array]]] = []  # r of every loop, its bodies and the forces on them
    for i, (loop, rows) in enumerate(zip(model.loops, loop_rows(model, q, v), strict=True)):
        m = len(rows.residual)
        if isinstance(loop, CoordinateLoop):
            ends = [model.links[k].parent for k in rows.columns]
            rate = sum((row @ rates[k] for k, row in rows.columns.items()), np.zeros(m))
            closures.append((rows.bias + stabilizing(gains, rate, rows.residual), ends, [np.zeros((6, m))] * len(ends)))
            for k, row in rows.columns.items():
                own[k][i] = row
        else:
            one = next(frames)
            r = -one.gamma + stabilizing(gains, one.T.T @ one.twist, one.residual)
            closures.append((r, [one.first.body, one.second.body], _end_forces(one)))
    wheres = [_common_ancestor(model, ends) for _, ends, _ in closures]
    apart = [group for group in loop_groups(model) if len({wheres[i] for i in group.loops}) > 1]
    if opening is not None:
        beyond = opening - row_space(model, q, apart).within(opening)
    else:
        beyond = beyond_rows(model, q, v, 0.0 if gains is None else gains[1], apart)
    starts, closing, at = [NONE] * (n + 1), [list[int]() for _ in range(n + 1)], 0
    for i, ((r, ends, forces), where) in enumerate(zip(closures, wheres, strict=True)):
        m = len(r)
        r = (r if opening is None else opening[at : at + m]) - beyond[at : at + m]
        at += m
        closing[where].append(i)
        starts[where] = starts[where] + Open(
            {i: np.zeros((6, m))}, {i: r}, {(i, i): np.zeros((m, m))}, {i: np.zeros(m)}
        )
        for body, F in zip(ends, forces, strict=True):
            starts[body] = starts[body] + Open({i: F}, {i: np.zeros(m)}, {}, {i: np.zeros(m)})
    return LoopGroups(starts, own, closing)


def _end_forces(one: LoopConstraint) -> list[Array]:
    """Return the forces (6, m) of a loop on its two bodies, in their axes."""
    y_in_first = one.first.placement @ inverse_pose(one.pose)
    return [-force_to_parent(y_in_first, one.T), force_to_parent(one.second.placement, one.T)]


def _common_ancestor(model: Model, bodies: Sequence[int]) -> int:
    first, *others = bodies
    for body in others:
        below = branches(model, first, body)[0]
        first = model.links[below[0]].parent if below else first
    return first


class Swept(NamedTuple):
    """Results of the inward sweep."""

    T: list[Array]
    S: list[Array]
    kept: list[tuple[Any, ...]]
    """values of every body for the outward sweep, with the loops that closed there last"""
    world: Closed | None


def _swept(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    gains: Gains | None,
    opening: Array | None = None,
) -> Swept:
    """Run the inward sweep of articulated bodies (Featherstone 2008, table 7.1) with loops."""
    plan = _plan(model, q, v, gains, opening)
    ground = np.concatenate([-model.gravity, np.zeros(3)])
    symbolic = is_symbolic(q, v, tau) and any(plan.closing)
    orders = closing_eliminations(model) if symbolic else {}
    scales = row_scales(model)

    def inward(
        link: Link,
        received: tuple[Array, Array, Open],
        k: int,
        T: Array,
        S: Array,
        q: Array,
        v: Array,
        tau: Array,
        V: Array,
        f: Array,
    ) -> tuple[tuple[Any, ...], tuple[Array, Array, Open]]:
        c = link.velocity_product(q, v) + motion_cross(V) @ (S @ v)
        I = link.rigid_inertia.matrix() + received[0]
        p = force_cross(V) @ link.rigid_inertia.times(V) - f + received[1]
        opened, closed = received[2] + plan.starts[k], None
        if plan.closing[k]:
            closed, I_loops, p_loops, opened = _closed(opened, plan.closing[k], scales, orders.get(k, AS_THEY_COME))
            I, p = I + I_loops, p + p_loops
        U = I @ S
        D = S.T @ U + np.diag(link.armature)
        u = tau - S.T @ p
        K = solve_symmetric(D, U.T)  # D⁻¹ Uᵀ
        passing = {**{i: np.zeros((6, len(row))) for i, row in plan.own[k].items()}, **opened.F}
        Y = {i: S.T @ F + plan.own[k][i].T if i in plan.own[k] else S.T @ F for i, F in passing.items()}
        Z = {i: solve_symmetric(D, Y_i) for i, Y_i in Y.items()}
        A = {(i, j): Y[i].T @ Z[j] for i in Y for j in Y if i <= j}
        kept = (c, D, u, K, Y, closed)
        if link.parent < 0:  # the acceleration of the world is known
            a = motion_to_child(T, ground) + c
            a_joint = solve_symmetric(D, u) - K @ a
            r = {i: F.T @ a + Y[i].T @ a_joint for i, F in passing.items()}
            F = {i: np.zeros(F.shape) for i, F in passing.items()}
        else:
            left = {i: F - U @ Z[i] for i, F in passing.items()}
            r = {i: F.T @ c + Z[i].T @ u for i, F in left.items()}
            F = {i: force_to_parent(T, F) for i, F in left.items()}
        I_a = I - U @ K
        p_a = p + I_a @ c + K.T @ u
        sizes = {i: np.diagonal(A[i, i]) for i in Y}
        sent = Open(F, _added(opened.r, r), _added(opened.A, A), _added(opened.sizes, sizes))
        return kept, (congruence(I_a, T), force_to_parent(T, p_a), sent)

    x, rates = model.coordinates(q), model.rates(v)
    T = [link.transform(x_k) for link, x_k in zip(model.links, x, strict=True)]
    S = [link.motion_subspace(x_k) for link, x_k in zip(model.links, x, strict=True)]
    V = body_velocities(model, q, v)
    external = external_forces(model, q, wrenches)
    start = (np.zeros((6, 6)), np.zeros(6), NONE)
    bodies = range(len(model.links))
    kept, (_, _, opened) = model.inward(inward, start, bodies, T, S, x, rates, model.rates(tau), V, external)
    closed = None
    if plan.closing[-1]:
        at_world = opened + plan.starts[-1]  # the acceleration of the world is known
        r = {i: r + at_world.F[i].T @ ground for i, r in at_world.r.items()}
        at_world = at_world._replace(F={i: np.zeros(F.shape) for i, F in at_world.F.items()}, r=r)
        closed, _, _, _ = _closed(at_world, plan.closing[-1], scales, orders.get(-1, AS_THEY_COME))
    return Swept(T, S, kept, closed)


@kept
def closing_eliminations(model: Model) -> dict[int, IndependentRowElimination]:
    """Return the elimination orders of pivoting for the rows that close at each body (-1: the world)."""
    q, still = some_closed_configuration(model), np.zeros(model.nv)
    if q is None or model.has_couplings:
        return {}
    swept = _swept(model, q, still, still, None, None)
    closed, groups = {k: kept[-1] for k, kept in enumerate(swept.kept)} | {-1: swept.world}, loop_groups(model)
    return {
        k: elimination_like(one.A, sum(not set(group.loops).isdisjoint(one.numbers) for group in groups))
        for k, one in closed.items()
        if one is not None
    }


class MovingGroup(NamedTuple):
    """Results of the outward sweep."""

    a: Array
    """(nv,)"""
    multipliers: list[Array]
    """λ of every loop, zero in omitted rows"""

    def least_multipliers(self, model: Model, q: Array) -> Array:
        """Return the λ (m,) of least norm."""
        return row_space(model, q).within(np.concatenate([np.zeros(0), *self.multipliers]))


def moving(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    gains: Gains | None,
    opening: Array | None = None,
) -> MovingGroup:
    """Run both sweeps; ``opening`` (m,) replaces the loop accelerations."""
    swept = _swept(model, q, v, tau, wrenches, gains, opening)
    ground = np.concatenate([-model.gravity, np.zeros(3)])

    def outward(
        link: Link, parent: tuple[Array, Array, dict[int, Array]], T: Array, S: Array, kept: tuple[Any, ...]
    ) -> tuple[Array, Array, dict[int, Array]]:
        c, D, u, K, Y, closed = kept
        a = motion_to_child(T, parent[0]) + c
        multipliers = parent[2]
        for i, Y_i in Y.items():
            u = u + Y_i @ multipliers[i]
        a_joint = solve_symmetric(D, u) - K @ a
        a = a + S @ a_joint
        if closed is not None:
            multipliers = {**multipliers, **closed.multipliers(a, multipliers)}
        return a, a_joint, multipliers

    multipliers = swept.world.multipliers(ground, {}) if swept.world else {}
    states = model.outward(outward, (ground, np.zeros(0), multipliers), swept.T, swept.S, swept.kept)
    for _, _, found in states:
        multipliers = multipliers | found
    return MovingGroup(
        model.assemble([a_joint for _, a_joint, _ in states]), [multipliers[i] for i in sorted(multipliers)]
    )
