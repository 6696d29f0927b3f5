"""Leaf, join and split: assembly–disassembly step by step (`equations.md` §7).

A subassembly is a set of joined bodies. Its *handles* are the bodies with further joints to be
joined. With the force f_h on handle h, in that body's frame, the accelerations of its handles are

    a_h = Σ_k Φ_hk f_k + b_h.

Accelerations are classical, [p̈; ω̇] of the handle's origin in its axes. They differ from spatial accelerations
by ω × ṗ, which does not depend on forces: Φ is the same, and linear velocities are not needed. For another
point p of the body, [ω × (ω × p); 0] is added.

Yamane & Nakamura, "Efficient parallel dynamics computation of human figures", ICRA 2002; Jun Takahashi et al.,
"Symbolic-numeric hybrid modeling of MBS with constraints". A handle is a body rather than an end of a joint, so
that several joints on one body share it. When a joint is joined, the handle on its parent is expressed in the
child's frame, in which both ends of the joint then are.

The steps are pure functions of arrays of fixed shapes. The indices of handles are in a ``HandlePlacement``, of which
a mechanism of any size has few different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.model.elements import Link
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import compliance_beyond, inverse_inertia
from linkwright.spatial.linear_algebra.linalg import (
    SemidefiniteFactors,
    factorize,
    semidefinite_factors,
    solve_above,
    solve_below,
)
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, motion_to_child, split_pose


class Subassembly(NamedTuple):
    """Response of the handles of joined bodies to forces on them."""

    compliance: Array
    """Φ (6n, 6n) of n handles, symmetric: m/s² or rad/s² per N or N m, each handle in its body's frame"""
    bias: Array
    """b (6n,): accelerations of the handles without forces on them"""


class LeafInertia(NamedTuple):
    """Constants of one body."""

    compliance: Array
    """I⁻¹ (6, 6)"""
    center: Array
    """center of mass c (3,)"""
    moment: Array
    """inertia J (3, 3) about the center of mass"""


class HandlePlacement(NamedTuple):
    """Indices of the handles of a join; joins with the same placement and type of joint are the same program."""

    parent: int
    """handle of the parent's side with the joint"""
    child: int
    """handle of the child's side that the joint moves"""
    parent_kept: tuple[int, ...]
    """handles of the parent's side with further joints: first in the result"""
    child_kept: tuple[int, ...]
    """handles of the child's side with further joints: after them"""


class JointTerms(NamedTuple):
    """Terms of a joint for joining, in child axes."""

    pose: Array
    """pose (4, 4) of the child's frame in the parent's"""
    constrained: Array
    """N = [T, S_a √R] (6, m): directions of constraint forces, and efforts of the rotors (armature R)"""
    rotors: Array
    """(m,): 1 for each column of rotors, else 0"""
    driven: Array
    """S_a (6, d), with S_aᵀS = 1"""
    swing: Array
    """(6,), in the parent's axes: [ω × (ω × p); 0] at the joint's position p on the parent"""
    bias: Array
    """c (6,): a_child = X (a_parent + swing) + S v̇ + c"""
    effort: Array
    """τ (d,)"""


class Joined(NamedTuple):
    """Values of a join for the split. N is that of the joint; D_h maps a force on handle h to relative acceleration."""

    L: Array
    inverses: Array
    """Γ = NᵀPN + diag(rotors) = LᵀDL, and D⁻¹ (m,)"""
    Z: Array
    """L⁻ᵀNᵀDᵀ (m, 6n)"""
    z: Array
    """L⁻ᵀNᵀ(d + P S_a τ) (m,)"""
    along: Array
    """S_aᵀP (d, 6)"""
    along_outer: Array
    """S_aᵀDᵀ (d, 6n)"""
    along_bias: Array
    """S_aᵀd (d,)"""


class LoopTerms(NamedTuple):
    """Terms of a loop for its closure. y is the frame on its second body, in whose axes they are expressed."""

    pose_first: Array
    """pose (4, 4) of y in the frame of the loop's first body"""
    pose_second: Array
    """pose (4, 4) of y in the frame of its second body"""
    held: Array
    """T (6, m), the constrained directions"""
    swing_first: Array
    swing_second: Array
    """(6,), in the axes of the bodies: [ω × (ω × p); 0] at the position p of y on each"""
    required: Array
    """(m,), classical accelerations Tᵀ(a_y − a_y′) that keep the loop closed"""
    length: float | None
    """characteristic length of the mechanism in m; None for symbols"""


class ClosedLoopTerms(NamedTuple):
    """Values of the closure of a loop."""

    factors: SemidefiniteFactors
    Z: Array
    """(steps, 6n)"""
    z: Array
    """(steps,)"""


class SplitResult(NamedTuple):
    """Results of a split."""

    reaction: Array
    """force f (6,) of the joint on the child, in its frame: constraint force and effort"""
    acceleration: Array
    """acceleration v̇ (d,) of the joint"""
    parent_forces: Array
    """forces (6n,) on the handles of the parent's side"""
    child_forces: Array
    """forces (6n,) on the handles of the child's side"""


def joint_terms(link: Link, T: Array, q: Array, v: Array, tau: Array, w_parent: Array) -> JointTerms:
    """Return the terms of the joint of a body with pose T (4, 4) in its parent, whose angular velocity is ω (3,)."""
    motion = link.motion
    driven = motion.effort_subspace(q)
    constrained = np.concatenate([motion.constraint_subspace(q), driven * np.sqrt(link.armature)], axis=1)
    rotors = np.concatenate([np.zeros(6 - motion.nv), np.ones(motion.nv)])
    swing, bias = velocity_terms(link, T, q, v, w_parent)
    return JointTerms(T, constrained, rotors, driven, swing, bias, tau)


def velocity_terms(link: Link, T: Array, q: Array, v: Array, w_parent: Array) -> tuple[Array, Array]:
    """Return the swing (6,) and the bias c (6,) of a joint (see :class:`JointTerms`)."""
    R, p = split_pose(T)
    W = skew(w_parent)
    relative, rate = link.motion_subspace(q) @ v, link.velocity_product(q, v)
    w, v_joint, w_joint = R.T @ w_parent, relative[:3], relative[3:]
    # the joint adds v̇ + ω_joint × v, and the Coriolis term 2 ω_parent × v
    linear = skew(w + w + w_joint) @ v_joint + rate[:3]
    turning = skew(w) @ w_joint + rate[3:]
    return np.concatenate([W @ (W @ p), np.zeros(3)]), np.concatenate([linear, turning])


def angular_velocity(link: Link, parent: Array, T: Array, q: Array, v: Array) -> Array:
    """Return ω (3,) of a body in its axes from that of its parent: an outward step."""
    return T[:3, :3].T @ parent + (link.motion_subspace(q) @ v)[3:]


def leaf_inertia(link: Link) -> LeafInertia:
    """Return the constant terms of a body of a model."""
    m, h, I = link.rigid_inertia
    C = skew(h / m)
    return LeafInertia(inverse_inertia(link.rigid_inertia), h / m, mirror(I + m * (C @ C)))


def leaf(inertia: LeafInertia, w: Array, external: Array) -> Subassembly:
    """Return a body with angular velocity ω (3,) under an external force (6,) as a leaf: Φ = I⁻¹, b = −I⁻¹(p − f).

    Without f its center of mass c is not accelerated, and ω̇ = −J⁻¹(ω × J ω): at the origin p̈ = c × ω̇ − ω × (ω × c).
    """
    compliance, c, J = inertia
    W = skew(w)
    turning = -(compliance[3:, 3:] @ (W @ (J @ w)))
    linear = skew(c) @ turning - W @ (W @ c)
    return Subassembly(compliance, np.concatenate([linear, turning]) + compliance @ external)


def ground(gravity: Array) -> Subassembly:
    """Return the ground as a subassembly; its upward acceleration represents gravity."""
    return Subassembly(np.zeros((6, 6)), np.concatenate([-gravity, np.zeros(3)]))


def join(A: Subassembly, B: Subassembly, place: HandlePlacement, joint: JointTerms) -> tuple[Subassembly, Joined]:
    """Join handle ``place.parent`` of A and ``place.child`` of B by a joint: Φ' = Φ + D W Dᵀ, b' = b + D f₀."""
    T = joint.pose
    inner, outer_A, outer_B = _entries(place.parent), _entries(*place.parent_kept), _entries(*place.child_kept)
    own = _entries(place.child)
    rows = motion_to_child(T, A.compliance[np.ix_(inner, outer_A)])  # of the parent's handle, in the child's frame
    if place.parent in place.parent_kept:  # the rows include its own column
        at = 6 * place.parent_kept.index(place.parent)
        seen = mirror(motion_to_child(T, rows[:, at : at + 6].T))
    else:
        seen = compliance_beyond(A.compliance[np.ix_(inner, inner)], T)
    P = B.compliance[np.ix_(own, own)] + seen
    D = np.concatenate([-rows, B.compliance[np.ix_(own, outer_B)]], axis=1)  # transposed, by handles
    d = B.bias[own] - motion_to_child(T, A.bias[inner] + joint.swing) - joint.bias
    base = Subassembly(
        _block_diagonal(A.compliance[np.ix_(outer_A, outer_A)], B.compliance[np.ix_(outer_B, outer_B)]),
        np.concatenate([A.bias[outer_A], B.bias[outer_B]]),
    )
    return _constrained(base, P, D, d, joint)


def _constrained(base: Subassembly, P: Array, D: Array, d: Array, joint: JointTerms) -> tuple[Subassembly, Joined]:
    """Return the subassembly after f = N x + S_a τ restricts the relative acceleration P f + d + Dᵀf_outer to S v̇.

    Nᵀ(P f + d) = −diag(rotors) x: no relative acceleration along T, and √R v̇ for rotors (where x is −√R v̇).
    """
    N, rotors, S_a, tau = joint.constrained, joint.rotors, joint.driven, joint.effort
    L, inverses = factorize(mirror(N.T @ P @ N) + np.diag(rotors))
    driven = S_a @ tau
    Z, z = solve_above(L, N.T @ D), solve_above(L, N.T @ (d + P @ driven))
    ZD = Z.T * inverses
    result = Subassembly(mirror(base.compliance - ZD @ Z), base.bias + D.T @ driven - ZD @ z)
    return result, Joined(L, inverses, Z, z, S_a.T @ P, S_a.T @ D, S_a.T @ d)


def close(
    A: Subassembly,
    B: Subassembly,
    place: HandlePlacement,
    loop: LoopTerms,
    same: bool,
    sizes: tuple[Array, Array],
    order: Sequence[int] | None = None,
) -> tuple[Subassembly, ClosedLoopTerms]:
    """Close a loop as a rigid joint between two subassemblies, or between two handles of the same one (A).

    Γ = TᵀPT may be singular, for redundant loops and for directions that are already constrained. Dependent rows are
    omitted once the equations are consistent (`independent.py`; for several loops the caller ensures it): those that
    are small relative to ``sizes``, the diagonal of Γ before any loop was closed, or relative to its largest possible
    value (:func:`free_sizes`). ``order`` is the elimination order of symbolic rows (for numbers it is computed).
    """
    T = loop.held
    inner, own = _entries(place.parent), _entries(place.child)
    outer_A, outer_B = _entries(*place.parent_kept), _entries(*place.child_kept)
    y, y_first = loop.pose_second, loop.pose_first

    def seen(pose: Array, side: Subassembly, rows: Array, columns: Array) -> Array:
        return motion_to_child(pose, side.compliance[np.ix_(rows, columns)])

    P = compliance_beyond(A.compliance[np.ix_(inner, inner)], y_first)
    P = P + compliance_beyond(B.compliance[np.ix_(own, own)], y)
    d = motion_to_child(y, B.bias[own] + loop.swing_second) - motion_to_child(y_first, A.bias[inner] + loop.swing_first)
    if same:
        cross = motion_to_child(y_first, seen(y, A, own, inner).T)  # Φ_y′y
        P = P - cross - cross.T
        D = seen(y, A, own, outer_A) - seen(y_first, A, inner, outer_A)
        base = Subassembly(A.compliance[np.ix_(outer_A, outer_A)], A.bias[outer_A])
    else:
        D = np.concatenate([-seen(y_first, A, inner, outer_A), seen(y, B, own, outer_B)], axis=1)
        base = Subassembly(
            _block_diagonal(A.compliance[np.ix_(outer_A, outer_A)], B.compliance[np.ix_(outer_B, outer_B)]),
            np.concatenate([A.bias[outer_A], B.bias[outer_B]]),
        )
    factors = semidefinite_factors(mirror(T.T @ P @ T), sizes[0], order, sizes[1])
    Z, z = factors.half(T.T @ D), factors.half(factors.least_norm(T.T @ d - loop.required))
    ZD = Z.T * factors.inverse
    return Subassembly(mirror(base.compliance - ZD @ Z), base.bias - ZD @ z), ClosedLoopTerms(factors, Z, z)


def free_sizes(first: Array, second: Array, loop: LoopTerms) -> tuple[Array, Array]:
    """Return the diagonal (m,) of TᵀPT for a loop between bodies of compliances (6, 6), and its largest possible value
    (m,).

    The bound is for forces and moments in the most compliant directions, with lever arms up to the length of the
    mechanism. Where the bodies of a block only rotate about a point, the computed motion of that point is rounding.
    """
    P = compliance_beyond(first, loop.pose_first) + compliance_beyond(second, loop.pose_second)
    moved, turned = P[0, 0] + P[1, 1] + P[2, 2], P[3, 3] + P[4, 4] + P[5, 5]
    if loop.length is not None:
        square = loop.length**2
        moved, turned = moved + square * turned, turned + moved / square
    sizes = np.stack([t @ P @ t for t in loop.held.T])
    return sizes, np.stack([(t[:3] @ t[:3]) * moved + (t[3:] @ t[3:]) * turned for t in loop.held.T])


def open_again(
    place: HandlePlacement, sizes: tuple[int, int], loop: LoopTerms, closed: ClosedLoopTerms, outer: Array, same: bool
) -> tuple[Array, Array, Array]:
    """Return λ (m,) of the loop's force T λ on its second frame, and the forces on the handles of its sides."""
    multipliers = -closed.factors.back(closed.z + closed.Z @ outer)
    on_first, on_second = forces_of(loop, multipliers)
    n = 6 * len(place.parent_kept)
    parent_forces = _handed_down(outer[:n], place.parent_kept, place.parent, on_first, sizes[0])
    child_forces = _handed_down(outer[n:], place.child_kept, place.child, on_second, sizes[1])
    if same:
        return multipliers, parent_forces + child_forces, np.zeros(0)
    return multipliers, parent_forces, child_forces


def forces_of(loop: LoopTerms, multipliers: Array) -> tuple[Array, Array]:
    """Return the forces (6,) of a loop on its first and second bodies, in their frames."""
    f = loop.held @ multipliers
    return -force_to_parent(loop.pose_first, f), force_to_parent(loop.pose_second, f)


def split(
    place: HandlePlacement, sizes: tuple[int, int], joint: JointTerms, joined: Joined, outer: Array
) -> SplitResult:
    """Return the state of a join's joint from the forces (6n,) on the handles of its result.

    ``sizes`` are the numbers of handles of the parent's and the child's side.
    """
    L, inverses, Z, z, along, along_outer, along_bias = joined
    x = -solve_below(L, inverses * (z + Z @ outer))
    f = joint.constrained @ x + joint.driven @ joint.effort
    acceleration = along @ f + along_outer @ outer + along_bias
    n = 6 * len(place.parent_kept)
    on_parent = -force_to_parent(joint.pose, f)
    return SplitResult(
        f,
        acceleration,
        _handed_down(outer[:n], place.parent_kept, place.parent, on_parent, sizes[0]),
        _handed_down(outer[n:], place.child_kept, place.child, f, sizes[1]),
    )


def _handed_down(outer: Array, kept: tuple[int, ...], inner: int, force: Array, size: int) -> Array:
    """Return the forces (6 size,) on a side's handles: external forces on kept handles, and the joint's force."""
    pieces = [np.zeros(6)] * size
    for k, handle in enumerate(kept):
        pieces[handle] = outer[6 * k : 6 * k + 6]
    pieces[inner] = pieces[inner] + force
    return np.concatenate(pieces)


def _entries(*handles: int) -> Array:
    """Return the indices of the entries of these handles."""
    return np.array([6 * h + i for h in handles for i in range(6)], dtype=int)


def _block_diagonal(A: Array, B: Array) -> Array:
    top = np.concatenate([A, np.zeros((len(A), len(B)))], axis=1)
    return np.concatenate([top, np.concatenate([np.zeros((len(B), len(A))), B], axis=1)], axis=0)
