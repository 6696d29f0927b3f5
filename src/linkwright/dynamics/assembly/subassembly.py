"""Leaf, join and split: assembly–disassembly step by step (`equations.md` §7).

A subassembly is some bodies joined already. Its *handles* are those of its bodies that still have joints to be
joined; with f_h the force on it at handle h, in that body's frame, the accelerations of its handles are

    a_h = Σ_k Φ_hk f_k + b_h.

Accelerations are the classical ones, [p̈; ω̇] of the handle's origin in its axes. They differ from the spatial ones of
the literature by ω × ṗ, which no force changes: Φ is the same, and linear velocities never appear. Seen from another
place p on the body, [ω × (ω × p); 0] is added.

Yamane & Nakamura, "Efficient parallel dynamics computation of human figures", ICRA 2002; Jun Takahashi et al.,
"Symbolic-numeric hybrid modeling of MBS with constraints". A handle is a body rather than an end of a joint, so
that several joints on one body share it; where a joint is joined, the handle on its parent is seen from the
child's frame, in which both of its ends then are.

The steps are pure functions of arrays of fixed shapes. Which handles they find where is said by a ``Place``, of which
a mechanism has few kinds, whatever its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.model.tree import Link
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import compliance_beyond, inverse_inertia
from linkwright.spatial.linalg import (
    SemidefiniteFactors,
    factorize,
    semidefinite_factors,
    solve_above,
    solve_below,
)
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import force_to_parent, motion_to_child, split_pose


class Subassembly(NamedTuple):
    """How the handles of some joined bodies answer to forces on them."""

    compliance: Array
    """Φ (6n, 6n) of n handles, symmetric: m/s² or rad/s² per N or N m, each handle in its body's frame"""
    bias: Array
    """b (6n,): the handles' accelerations without forces on them"""


class LeafInertia(NamedTuple):
    """What never changes of one body."""

    compliance: Array
    """I⁻¹ (6, 6)"""
    center: Array
    """c (3,), its center of mass"""
    moment: Array
    """J (3, 3), about the center of mass"""


class HandlePlacement(NamedTuple):
    """Where a join finds its handles; joins of one place and one kind of joint are the same program."""

    parent: int
    """which handle of the parent's side the joint sits on"""
    child: int
    """which handle of the child's side it moves"""
    parent_kept: tuple[int, ...]
    """the handles of the parent's side that have more joints to come: first in the result"""
    child_kept: tuple[int, ...]
    """those of the child's side: after them"""


class JointTerms(NamedTuple):
    """What joining needs to know of a joint, in child axes."""

    pose: Array
    """(4, 4), of the child's frame in the parent's"""
    constrained: Array
    """N = [T, S_a √R] (6, m): what the joint bears, and the efforts its rotors (armature R) take"""
    rotors: Array
    """(m,): 1 for each column of rotors, else 0"""
    driven: Array
    """S_a (6, d), with S_aᵀS = 1"""
    swing: Array
    """(6,), in the parent's axes: [ω × (ω × p); 0] of the joint's place p on the parent"""
    bias: Array
    """c (6,): a_child = X (a_parent + swing) + S v̇ + c"""
    effort: Array
    """τ (d,)"""


class Joined(NamedTuple):
    """What a join keeps for the split. N is that of the joint, D_h how the relative acceleration feels handle h."""

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
    """What closing needs to know of a loop. y is the frame on its second body, in whose axes it is said."""

    pose_first: Array
    """(4, 4), of y in the frame of the loop's first body"""
    pose_second: Array
    """(4, 4), of y in the frame of its second body"""
    held: Array
    """T (6, m), the directions held"""
    swing_first: Array
    swing_second: Array
    """(6,), in the axes of the bodies: [ω × (ω × p); 0] of y's place p on each"""
    asked: Array
    """(m,), of classical accelerations: Tᵀ(a_y − a_y′) where it stays closed"""
    length: float | None
    """m, the mechanism's own; None where its numbers are symbols"""


class ClosedLoopTerms(NamedTuple):
    """What closing a loop keeps."""

    factors: SemidefiniteFactors
    Z: Array
    """(steps, 6n)"""
    z: Array
    """(steps,)"""


class SplitResult(NamedTuple):
    """What a split finds."""

    reaction: Array
    """f (6,), on the child through the joint, in its frame: constraint and effort"""
    acceleration: Array
    """v̇ (d,) of the joint"""
    parent_forces: Array
    """(6n,), on the handles of the parent's side"""
    child_forces: Array
    """(6n,), on the handles of the child's side"""


def joint_terms(link: Link, T: Array, q: Array, v: Array, tau: Array, w_parent: Array) -> JointTerms:
    """Of the joint that moves a body with pose T (4, 4) in its parent, which turns with ω (3,) in its own axes."""
    motion = link.motion
    driven = motion.effort_subspace(q)
    constrained = np.concatenate([motion.constraint_subspace(q), driven * np.sqrt(link.armature)], axis=1)
    rotors = np.concatenate([np.zeros(6 - motion.nv), np.ones(motion.nv)])
    swing, bias = velocity_terms(link, T, q, v, w_parent)
    return JointTerms(T, constrained, rotors, driven, swing, bias, tau)


def velocity_terms(link: Link, T: Array, q: Array, v: Array, w_parent: Array) -> tuple[Array, Array]:
    """The swing (6,) and the bias c (6,) of a joint (see :class:`JointTerms`)."""
    R, p = split_pose(T)
    W = skew(w_parent)
    relative, rate = link.motion_subspace(q) @ v, link.velocity_product(q, v)
    w, v_joint, w_joint = R.T @ w_parent, relative[:3], relative[3:]
    # the joint's own motion adds v̇ + ω_joint × v, and Coriolis 2 ω_parent × v
    linear = skew(w + w + w_joint) @ v_joint + rate[:3]
    turning = skew(w) @ w_joint + rate[3:]
    return np.concatenate([W @ (W @ p), np.zeros(3)]), np.concatenate([linear, turning])


def angular_velocity(link: Link, parent: Array, T: Array, q: Array, v: Array) -> Array:
    """An outward step: ω (3,) of a body in its axes, from its parent's."""
    return T[:3, :3].T @ parent + (link.motion_subspace(q) @ v)[3:]


def leaf_inertia(link: Link) -> LeafInertia:
    """Of a body of a model: constant in its axes, so that it is found once."""
    m, h, I = link.rigid_inertia
    C = skew(h / m)
    return LeafInertia(inverse_inertia(link.rigid_inertia), h / m, mirror(I + m * (C @ C)))


def leaf(inertia: LeafInertia, w: Array, external: Array) -> Subassembly:
    """One body turning with ω (3,) under a force (6,) from outside: Φ = I⁻¹, b = −I⁻¹(p − f).

    Without f its center of mass c is not accelerated, and ω̇ = −J⁻¹(ω × J ω): at the origin p̈ = c × ω̇ − ω × (ω × c).
    """
    compliance, c, J = inertia
    W = skew(w)
    turning = -(compliance[3:, 3:] @ (W @ (J @ w)))
    linear = skew(c) @ turning - W @ (W @ c)
    return Subassembly(compliance, np.concatenate([linear, turning]) + compliance @ external)


def ground(gravity: Array) -> Subassembly:
    """What nothing moves; weight enters here, once, as its acceleration upwards."""
    return Subassembly(np.zeros((6, 6)), np.concatenate([-gravity, np.zeros(3)]))


def join(A: Subassembly, B: Subassembly, place: HandlePlacement, joint: JointTerms) -> tuple[Subassembly, Joined]:
    """Handle ``place.parent`` of A and ``place.child`` of B by a joint: Φ' = Φ + D W Dᵀ, b' = b + D f₀."""
    T = joint.pose
    inner, outer_A, outer_B = _entries(place.parent), _entries(*place.parent_kept), _entries(*place.child_kept)
    own = _entries(place.child)
    rows = motion_to_child(T, A.compliance[np.ix_(inner, outer_A)])  # of the parent's handle, seen from the child
    if place.parent in place.parent_kept:  # its own column is among them
        at = 6 * place.parent_kept.index(place.parent)
        seen = mirror(motion_to_child(T, rows[:, at : at + 6].T))
    else:
        seen = compliance_beyond(A.compliance[np.ix_(inner, inner)], T)
    P = B.compliance[np.ix_(own, own)] + seen
    D = np.concatenate([-rows, B.compliance[np.ix_(own, outer_B)]], axis=1)  # its transpose, by handles
    d = B.bias[own] - motion_to_child(T, A.bias[inner] + joint.swing) - joint.bias
    base = Subassembly(
        _block_diagonal(A.compliance[np.ix_(outer_A, outer_A)], B.compliance[np.ix_(outer_B, outer_B)]),
        np.concatenate([A.bias[outer_A], B.bias[outer_B]]),
    )
    return _constrained(base, P, D, d, joint)


def _constrained(base: Subassembly, P: Array, D: Array, d: Array, joint: JointTerms) -> tuple[Subassembly, Joined]:
    """The subassembly once f = N x + S_a τ holds the relative acceleration P f + d + Dᵀf_outer to S v̇.

    Nᵀ(P f + d) = −diag(rotors) x: no relative acceleration along T, and of rotors √R v̇ (x is −√R v̇ there).
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
    """A closed loop as a joint that is never moved, between two subassemblies, or two handles of the same (A).

    Γ = TᵀPT may be singular: loops that ask the same twice, or what is held already. What depends on other
    rows is left out, once none ask for what cannot be (`independent.py`; of several loops together that has been seen
    to): what of Γ is small beside ``sizes``, its diagonal before any loop was closed, or beside what that could be
    (:func:`free_sizes`).
    ``order``: in which order rows of symbols are eliminated (of numbers it is found).
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
    Z, z = factors.half(T.T @ D), factors.half(factors.least_norm(T.T @ d - loop.asked))
    ZD = Z.T * factors.inverse
    return Subassembly(mirror(base.compliance - ZD @ Z), base.bias - ZD @ z), ClosedLoopTerms(factors, Z, z)


def free_sizes(first: Array, second: Array, loop: LoopTerms) -> tuple[Array, Array]:
    """The diagonal (m,) of TᵀPT for a loop between two bodies of compliances (6, 6), and what it could be (m,).

    That is, if forces and moments met what gives way most, of translations and of rotations about points as far away
    as the mechanism is long: where the bodies of a block only turn about a point, how it moves is rounding alone.
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
    """λ (m,) of the loop's force T λ on its second frame, and the forces on the handles of both sides (or the one)."""
    multipliers = -closed.factors.back(closed.z + closed.Z @ outer)
    on_first, on_second = forces_of(loop, multipliers)
    n = 6 * len(place.parent_kept)
    parent_forces = _handed_down(outer[:n], place.parent_kept, place.parent, on_first, sizes[0])
    child_forces = _handed_down(outer[n:], place.child_kept, place.child, on_second, sizes[1])
    if same:
        return multipliers, parent_forces + child_forces, np.zeros(0)
    return multipliers, parent_forces, child_forces


def forces_of(loop: LoopTerms, multipliers: Array) -> tuple[Array, Array]:
    """A loop's forces (6,) on its first and second bodies, in their frames."""
    f = loop.held @ multipliers
    return -force_to_parent(loop.pose_first, f), force_to_parent(loop.pose_second, f)


def split(
    place: HandlePlacement, sizes: tuple[int, int], joint: JointTerms, joined: Joined, outer: Array
) -> SplitResult:
    """What a join's joint does once the forces (6n,) on its result's handles are known.

    ``sizes``: how many handles the parent's and the child's side have.
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
    """The forces (6 size,) on a side's handles: those from outside on what was kept, and the joint's."""
    pieces = [np.zeros(6)] * size
    for k, handle in enumerate(kept):
        pieces[handle] = outer[6 * k : 6 * k + 6]
    pieces[inner] = pieces[inner] + force
    return np.concatenate(pieces)


def _entries(*handles: int) -> Array:
    """Where the numbers of these handles are."""
    return np.array([6 * h + i for h in handles for i in range(6)], dtype=int)


def _block_diagonal(A: Array, B: Array) -> Array:
    top = np.concatenate([A, np.zeros((len(A), len(B)))], axis=1)
    return np.concatenate([top, np.concatenate([np.zeros((len(B), len(A))), B], axis=1)], axis=0)
