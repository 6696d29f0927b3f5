"""Hybrid blocks: several bodies as one leaf of the assembly (`equations.md` §8).

A block is a chain or tree of bodies on a floating base body or on the ground. Its joint-space equations

    M [V̇; v̇] = r + Jᵀ f,   a_handles = J [V̇; v̇] + a₀

give the leaf's Φ = J M⁻¹ Jᵀ and b = J M⁻¹ r + a₀ (V̇ the acceleration of the base, absent on the
ground; r the efforts minus bias forces, a₀ the accelerations without V̇ and v̇). After Jun Takahashi et al.,
"Symbolic-numeric hybrid modeling of MBS with constraints".

There are two equivalent forms. "composite" is that of the paper: M by composite bodies, factorized along its branches.
"articulated" propagates unit forces on the handles through the articulated-body recursion. Its cost is linear in the
number of bodies, and higher for small blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.schedule import Schedule
from linkwright.dynamics.assembly.subassembly import Subassembly, velocity_terms
from linkwright.model.elements import Link
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import NO_INERTIA, RigidInertia, congruence, gyroscopic_force, inertia_force
from linkwright.spatial.linear_algebra.linalg import factorize, solve_above, solve_below
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, motion_to_child, split_pose


class BlockShape(NamedTuple):
    """Common properties of blocks that are compiled as one, in addition to their types of joints."""

    parents: tuple[int, ...]
    """parent of each body in the block; -1 for bodies on the ground or for the base"""
    floating: bool
    """whether the first body is a free base"""
    handles: tuple[int, ...]
    """bodies that are handles"""


def block_shape(schedule: Schedule, number: int) -> BlockShape:
    """Return the shape of a schedule's block."""
    members = schedule.blocks[number]
    place = {body: k for k, body in enumerate(members)}
    parents = tuple(place.get(schedule.parents[body], -1) for body in members)
    floating = members[0] in schedule.joined
    return BlockShape(parents, floating, tuple(place[body] for body in schedule.handles[number]))


class BodyTerms(NamedTuple):
    """Terms of a body and its joint in a block, in the body's axes."""

    pose: Array
    """pose (4, 4) in the parent"""
    motion_subspace: Array
    """S (6, d)"""
    w: Array
    """angular velocity ω (3,) of the body"""
    swing: Array
    bias: Array
    """c (6,): a = X (a_parent + swing) + S v̇ + c, of classical accelerations"""
    inertia: RigidInertia
    external: Array
    """external force (6,) on the body"""
    armature: Array
    """(d,)"""
    effort: Array
    """τ (d,)"""


def body_terms(
    link: Link, T: Array, q: Array, v: Array, tau: Array, w_parent: Array, w: Array, external: Array
) -> BodyTerms:
    """Return the terms of a body with pose T (4, 4) in its parent; ``w_parent``, ``w`` are angular velocities (3,)."""
    swing, bias = velocity_terms(link, T, q, v, w_parent)
    return BodyTerms(T, link.motion_subspace(q), w, swing, bias, link.rigid_inertia, external, link.armature, tau)


def base_terms(terms: BodyTerms) -> BodyTerms:
    """Return the terms of a block's base, which is free to move: its joint is joined later."""
    return terms._replace(motion_subspace=np.eye(6), armature=np.zeros(6), effort=np.zeros(6))


class ByComposite(NamedTuple):
    """Values of the composite form for the disassembly of a block."""

    L: Array
    inverses: Array
    """M = LᵀDL and D⁻¹"""
    Z: Array
    """L⁻ᵀJᵀ (n, 6 handles)"""
    z: Array
    """L⁻ᵀr (n,)"""


class BlockEquations(NamedTuple):
    """Equations of motion of a block, M x = r + Jᵀf and a_handles = J x + a₀, with x = [V̇; v̇]."""

    M: Array
    """(n, n)"""
    r: Array
    """(n,): efforts minus bias forces"""
    J: Array
    """(6 handles, n), each handle in its own axes"""
    a_0: Array
    """(6 handles,): accelerations of the handles for x = 0"""


def block_equations(shape: BlockShape, bodies: tuple[BodyTerms, ...], base: Array) -> BlockEquations:
    """Return a block's equations by composite bodies; ``base`` is the acceleration (6,) of the ground (its weight)."""
    n = len(bodies)
    widths = [body.motion_subspace.shape[1] for body in bodies]
    at = np.concatenate([[0], np.cumsum(widths)])
    a_0: list[tuple[Array, Array]] = []
    J: list[Array] = []
    for k, (parent, body) in enumerate(zip(shape.parents, bodies, strict=True)):
        before, after = np.zeros((6, at[k])), np.zeros((6, at[n] - at[k + 1]))
        if shape.floating and k == 0:
            a_0.append(_motion(body, np.zeros(6)))
        else:
            a, U = (base, np.zeros((3, 3))) if parent < 0 else a_0[parent]
            a_0.append(_motion(body, _carried(body, a, U)))
        if parent >= 0:
            before = motion_to_child(body.pose, J[parent][:, : at[k]])
        J.append(np.concatenate([before, body.motion_subspace, after], axis=1))

    inertias = [NO_INERTIA] * n
    forces = [np.zeros(6)] * n
    entries: list[list[Array]] = [[np.zeros((w, u)) for u in widths] for w in widths]
    r: list[Array] = [np.zeros(0)] * n
    for k in reversed(range(n)):
        body, S = bodies[k], bodies[k].motion_subspace
        inertias[k] = body.inertia + inertias[k]
        forces[k] = inertia_force(body.inertia, a_0[k][0][:3], a_0[k][1]) - body.external + forces[k]
        r[k] = body.effort - S.T @ forces[k]
        F = inertias[k].times(S)
        entries[k][k] = mirror(S.T @ F) + np.diag(body.armature)
        j = k
        while shape.parents[j] >= 0:
            F, j = force_to_parent(bodies[j].pose, F), shape.parents[j]
            entries[j][k] = bodies[j].motion_subspace.T @ F
        if (parent := shape.parents[k]) >= 0:
            inertias[parent] = inertias[parent] + inertias[k].moved(body.pose)
            forces[parent] = forces[parent] + force_to_parent(body.pose, forces[k])
    M = mirror(np.concatenate([np.concatenate(row, axis=1) for row in entries]))
    bias = np.concatenate([np.zeros(0), *(a_0[h][0] for h in shape.handles)])
    rows = np.concatenate([np.zeros((0, at[n])), *(J[h] for h in shape.handles)])
    return BlockEquations(M, np.concatenate(r), rows, bias)


def solved_block(equations: BlockEquations) -> tuple[Subassembly, ByComposite]:
    """Return Φ and b of a block from its equations."""
    M, r, J, a_0 = equations
    L, inverses = factorize(M)
    # one handle after another, since outward bodies have no effect on a handle
    Z, z = solve_above(L, J.T), solve_above(L, r)
    ZD = Z.T * inverses
    return Subassembly(mirror(ZD @ Z), a_0 + ZD @ z), ByComposite(L, inverses, Z, z)


def on_the_ground(equations: BlockEquations, body: BodyTerms, ground: Array) -> BlockEquations:
    """Return the equations of a block with a free base, V̇ = S v̇₀ + c, after a joint connects the base to the ground.

    ``body`` are the terms of the base and ``ground`` the ground's acceleration (6,); efforts are not included.
    """
    M, r, J, a_0 = equations
    S, c = body.motion_subspace, _carried(body, ground, np.zeros((3, 3)))
    inner = np.eye(len(M) - 6)
    B = np.concatenate(
        [
            np.concatenate([S, np.zeros((6, len(inner)))], axis=1),
            np.concatenate([np.zeros((len(inner), S.shape[1])), inner], axis=1),
        ]
    )
    return BlockEquations(mirror(B.T @ M @ B), B.T @ (r - M[:, :6] @ c), J @ B, a_0 + J[:, :6] @ c)


def by_composite(shape: BlockShape, bodies: tuple[BodyTerms, ...], base: Array) -> tuple[Subassembly, ByComposite]:
    """Return Φ and b of a block by its mass matrix; ``base`` is the acceleration (6,) of the ground (its weight)."""
    return solved_block(block_equations(shape, bodies, base))


def _motion(body: BodyTerms, a: Array) -> tuple[Array, Array]:
    """Return a body's acceleration and U = [ω̇]× + [ω]×²; its point r has the acceleration p̈ + U r."""
    W = skew(body.w)
    return a, skew(a[3:]) + W @ W


def _carried(body: BodyTerms, a: Array, U: Array) -> Array:
    """Return the acceleration of a body at zero joint acceleration, from its parent's (a, U)."""
    R, p = split_pose(body.pose)
    return np.concatenate([R.T @ (a[:3] + U @ p), R.T @ a[3:]]) + body.bias


def split_composite(shape: BlockShape, bodies: tuple[BodyTerms, ...], kept: ByComposite, outer: Array) -> list[Array]:
    """Return the accelerations v̇ (d,) of the block's joints, base first, under forces (6n,) on its handles."""
    x = solve_below(kept.L, kept.inverses * (kept.z + kept.Z @ outer))
    at = np.cumsum([body.motion_subspace.shape[1] for body in bodies])[:-1]
    return np.split(x, at)


class ByArticulated(NamedTuple):
    """Values of the articulated form for the disassembly of a block, for every body."""

    U: tuple[Array, ...]
    """I_A S (6, d)"""
    L: tuple[Array, ...]
    inverses: tuple[Array, ...]
    """SᵀI_A S + armature = LᵀDL and D⁻¹"""
    W: tuple[Array, ...]
    """SᵀF (d, 6 handles): efforts of unit forces on the handles"""
    u: tuple[Array, ...]
    """τ − Sᵀp_A (d,)"""


def by_articulated(shape: BlockShape, bodies: tuple[BodyTerms, ...], base: Array) -> tuple[Subassembly, ByArticulated]:
    """Return Φ and b of a block by articulated bodies, with the unit forces F on the handles propagated inward.

    With F_a = F − U(SᵀI_A S)⁻¹SᵀF: Φ = Σ WᵀD⁻¹W and b = Σ F_aᵀc + WᵀD⁻¹u, summed over the joints, including the base.
    """
    n, width = len(bodies), 6 * len(shape.handles)
    I_A = [np.zeros((6, 6))] * n
    p_A = [np.zeros(6)] * n
    F = [np.zeros((6, width))] * n
    for k, h in enumerate(shape.handles):
        F[h] = F[h] + np.eye(6, width, 6 * k)
    compliance, bias = np.zeros((width, width)), np.zeros(width)
    kept: list[tuple[Array, ...]] = []
    for k in reversed(range(n)):
        body, S = bodies[k], bodies[k].motion_subspace
        I = body.inertia.matrix() + I_A[k]
        p = gyroscopic_force(body.inertia, body.w) - body.external + p_A[k]
        U = I @ S
        L, inverses = factorize(mirror(S.T @ U) + np.diag(body.armature))
        W, u = S.T @ F[k], body.effort - S.T @ p
        Z, z, Y = solve_above(L, W), solve_above(L, u), solve_above(L, U.T)
        ZD = Z.T * inverses
        compliance = mirror(compliance + ZD @ Z)
        bias = bias + ZD @ z
        kept.append((U, L, inverses, W, u))
        if shape.floating and k == 0:
            continue
        YD = Y.T * inverses
        I_a, F_a = mirror(I - YD @ Y), F[k] - YD @ Z
        c = _carried_bias(body)
        p_a = p + I_a @ c + YD @ z
        bias = bias + F_a.T @ c
        carried = force_to_parent(body.pose, F_a)
        if (parent := shape.parents[k]) < 0:
            bias = bias + carried.T @ base
        else:
            I_A[parent] = I_A[parent] + congruence(I_a, body.pose)
            p_A[parent] = p_A[parent] + force_to_parent(body.pose, p_a)
            F[parent] = F[parent] + carried
    U_all, L_all, inverses_all, W_all, u_all = zip(*kept[::-1], strict=True)
    return Subassembly(compliance, bias), ByArticulated(U_all, L_all, inverses_all, W_all, u_all)


def _carried_bias(body: BodyTerms) -> Array:
    """Return X swing + c (6,)."""
    return motion_to_child(body.pose, body.swing) + body.bias


def split_articulated(
    shape: BlockShape, bodies: tuple[BodyTerms, ...], base: Array, kept: ByArticulated, outer: Array
) -> list[Array]:
    """Return the accelerations v̇ (d,) of the block's joints, base first, under forces (6n,) on its handles."""
    a: list[Array] = []
    found: list[Array] = []
    for k, (parent, body) in enumerate(zip(shape.parents, bodies, strict=True)):
        if shape.floating and k == 0:
            a_k = np.zeros(6)
        else:
            a_k = motion_to_child(body.pose, base if parent < 0 else a[parent]) + _carried_bias(body)
        u = kept.u[k] + kept.W[k] @ outer - kept.U[k].T @ a_k
        L = kept.L[k]
        rate = solve_below(L, kept.inverses[k] * solve_above(L, u))
        found.append(rate)
        a.append(a_k + body.motion_subspace @ rate)
    return found


class BlockAlgorithm(NamedTuple):
    """Functions that assemble and disassemble a block."""

    assemble: Callable[[BlockShape, tuple[BodyTerms, ...], Array], tuple[Subassembly, Any]]
    split: Callable[[BlockShape, tuple[BodyTerms, ...], Array, Any, Array], list[Array]]


FORMS = {
    "composite": BlockAlgorithm(
        by_composite, lambda shape, bodies, base, kept, outer: split_composite(shape, bodies, kept, outer)
    ),
    "articulated": BlockAlgorithm(by_articulated, split_articulated),
}
