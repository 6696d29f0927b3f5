"""Laws of impulses for projected Gauss–Seidel (Moreau 1988; Jean 1999); their fixed points are exact solutions.

Contact k has rows (n, t1, t2, …) and the diagonal block B = A_kk; c = u_k − B p_k is its velocity without its impulse:

    p_n = max(0, p_n − (c_n + B_n p + bias + γ p_n) / s)    s = B_nn + γ, or more where friction changes u_n by more
    p_f = Π(p_f − (c + B p)_f / λ)      λ the largest eigenvalue of B_ff,  Π scaling onto |p_f| ≤ μ p_n

Both lines are evaluated twice. Both tangents share one λ: with separate steps 1/B₁₁ and 1/B₂₂ the projection has other
fixed points. The complementarity condition is 0 ≤ p_n ⊥ u_n + bias + γ p_n ≥ 0. A rigid contact has γ = 0 and, for a
gap g > 0, the bias g/h: the gap closes at the end of the step at the earliest. A compliant contact of stiffness k and
damping d is a soft row, γ = 1/(h (d + h k)), bias = h k/(d + h k) · g/h (Catto 2011), which equals the implicit spring
and damper exactly. The dissipation c of the restitution adds k c δ to d, with the overlap δ at the beginning of the
step; in the step in which shapes meet, the spring acts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.impulses.constraints import Constraint, ConstraintGroup, ContactConstraint, FrictionDisc
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors
from linkwright.spatial.arrays import Array, clip, inverse_root, is_symbolic, maximum, minimum, where
from linkwright.spatial.loops.entry_table import largest_of
from linkwright.spatial.loops.memory import MemoryArray, plain
from linkwright.spatial.loops.repeats import when

TINY_SQUARE = 1e-200
"""Added to a square under a root, so that the derivative of the root is finite at zero."""

LARGEST_EXTRAPOLATION = 30.0
"""Largest step of Anderson mixing, in differences of two iterations."""

SAFETY = 8.0
"""Safety factor of the stopping criterion: changes by other constraints add to that of one."""

LEFT = 5e-4
"""m or rad: largest overlap that a step leaves; of smaller overlap it leaves half"""

RELAXATION = 0.6
"""Share, above one half, of the largest change of a normal velocity by its own impulse and friction."""


class ProjectedGaussSeidel(NamedTuple):
    """Options of projected Gauss–Seidel."""

    iterations: int
    """number of iterations; with a tolerance the largest number"""
    tolerance: Any
    """m/s: iterations stop when no velocity changes by more; None: all iterations are taken"""
    accelerated: bool = True
    """whether iterations are accelerated by Anderson mixing"""


class DiagonalBlock(NamedTuple):
    """Diagonal block of A, of one constraint."""

    B: Array
    """(k, k)"""
    inverse: Any
    """1/s of the first row"""
    steps: Array
    """1/λ of each friction disc"""


class JacobianBlock(NamedTuple):
    """Rows of a group: Y = D^(−½) L⁻ᵀ Jᵀ, free velocities, diagonal blocks."""

    Y: Array | MemoryArray
    """(s, k); undefined where the group is not near"""
    r: Array
    """(k,), J v_free; undefined where the group is not near"""
    blocks: tuple[DiagonalBlock, ...]
    """of the constraints"""
    normals: Array
    """1/B of the first row of each constraint"""


def jacobian_block(
    group: ConstraintGroup, factors: InertiaFactors, v_free: Array, softness: Sequence[Any]
) -> JacobianBlock:
    """Compute the rows of a group, of contacts where they are near; ``softness``: γ of each constraint."""
    places = list(group.support)

    def made() -> JacobianBlock:
        J = group.jacobian()
        Y = factors.to_factor_space(J.T, group.support)
        blocks = []
        for constraint, at, soft in zip(group.constraints, group.places, softness, strict=True):
            own = Y[:, at]
            blocks.append(diagonal_block(constraint, own.T @ own, soft, factors.least))
        normals = np.stack([reciprocal(block.B[0, 0], factors.least) for block in blocks])
        return JacobianBlock(Y, J @ v_free[places], tuple(blocks), normals)

    if group.near is None or not isinstance(group.constraints[0], ContactConstraint):
        return made()
    zeros = JacobianBlock(
        np.zeros((len(places), group.size)),
        np.zeros(group.size),
        tuple(
            DiagonalBlock(
                np.zeros((constraint.size, constraint.size)), 0.0, np.zeros(len(getattr(constraint, "frictions", ())))
            )
            for constraint in group.constraints
        ),
        np.zeros(len(group.constraints)),
    )
    return _rebuilt(when(group.near > 0.5, lambda: _plain(made()), *_plain(zeros)))


def _plain(rows: JacobianBlock) -> tuple[Any, ...]:
    return (rows.Y, rows.r, tuple(tuple(block) for block in rows.blocks), rows.normals)


def _rebuilt(found: tuple[Any, ...]) -> JacobianBlock:
    Y, r, blocks, normals = found
    return JacobianBlock(Y, r, tuple(DiagonalBlock(*block) for block in blocks), normals)


def diagonal_block(constraint: Constraint, B: Array, softness: Any, least: Any) -> DiagonalBlock:
    """Return the diagonal block with entries B of A; ``softness``: γ, ``least``: entries below it count as zero."""
    own = B[0, 0] + softness
    if not isinstance(constraint, ContactConstraint) or not constraint.frictions:
        return DiagonalBlock(B, reciprocal(own, least), np.zeros(0))
    pulled = own  # largest change by friction
    for friction in constraint.frictions:
        across = B[0, list(friction.rows)]
        pulled = pulled + friction.reach * _root(across @ across + TINY_SQUARE)
    steps = [reciprocal(_largest_eigenvalue(B[np.ix_(one.rows, one.rows)]), least) for one in constraint.frictions]
    return DiagonalBlock(B, reciprocal(maximum(own, RELAXATION * pulled), least), np.stack(steps))


def reciprocal(x: Any, least: Any) -> Any:
    """Return 1/x of an entry of A; 0 where no impulse moves the row."""
    moves = x > least
    root = inverse_root(where(moves, x, 1.0))
    return where(moves, root * root, 0.0)


def _largest_eigenvalue(B: Array) -> Any:
    """Return that of a symmetric matrix (1, 1) or (2, 2)."""
    if len(B) == 1:
        return B[0, 0]
    mean, half = 0.5 * (B[0, 0] + B[1, 1]), 0.5 * (B[0, 0] - B[1, 1])
    return mean + _root(half * half + (B[0, 1] * B[0, 1] + TINY_SQUARE))


def _root(x: Any) -> Any:
    """Return √x of x > 0, by the reciprocal root, whose instructions run in parallel with others."""
    return x * inverse_root(x)


@dataclass(frozen=True, eq=False)
class ImpulseLaw:
    """Law of one constraint: its impulse as a function of its velocity without it."""

    block: DiagonalBlock

    def solve(self, p: Array, c: Array, conditional: bool = False) -> Array:
        """Return new impulses (k,) from the present ones and the velocities c (k,) without them.

        ``conditional``: whether machine code may skip operations; reverse differentiation requires that it does not.
        """
        raise NotImplementedError

    def keeps_zero(self, u: Any) -> Any:
        """Return whether zero impulses remain zero at the velocity u of the first row; None: it is not known."""

    @property
    def kind(self) -> Any:
        """Key shared by impulse laws that differ by numbers alone."""
        return (type(self), *(x is None for x in self._own()))

    @property
    def numbers(self) -> list[Any]:
        """Numbers of the impulse law, in a fixed order."""
        B, steps = self.block.B, self.block.steps
        return [*B[np.triu_indices(len(B))], self.block.inverse, *steps, *(x for x in self._own() if x is not None)]

    def of_numbers(self, numbers: Sequence[Any]) -> ImpulseLaw:
        """Return the impulse law of the same kind with these numbers."""
        left = iter(numbers)
        k = len(self.block.B)
        upper = [next(left) for _ in range(k * (k + 1) // 2)]
        at = dict(zip([(i, j) for i in range(k) for j in range(i, k)], upper, strict=True))
        B = np.stack([np.stack([at[min(i, j), max(i, j)] for j in range(k)]) for i in range(k)])
        inverse, steps = next(left), [next(left) for _ in self.block.steps]
        block = DiagonalBlock(B, inverse, np.stack(steps) if steps else np.zeros(0))
        return self._with(block, [None if x is None else next(left) for x in self._own()])

    def _own(self) -> list[Any]:
        """Return the fields other than the block."""
        return [getattr(self, one.name) for one in fields(self) if one.name != "block"]

    def _with(self, block: DiagonalBlock, own: Sequence[Any]) -> ImpulseLaw:
        names = [one.name for one in fields(self) if one.name != "block"]
        return replace(self, block=block, **dict(zip(names, own, strict=True)))

    def moves(self, change: Array) -> Any:
        """Return the largest change of an own velocity by a change (k,) of the impulses."""
        most: Any = 0.0
        for k, x in enumerate(change):
            most = maximum(most, abs(x) * self.block.B[k, k])
        return most


@dataclass(frozen=True, eq=False)
class ContactLaw(ImpulseLaw):
    """Signorini's condition with Coulomb friction; ``bias`` (m/s) and ``softness`` γ are those of the normal row."""

    frictions: tuple[FrictionDisc, ...]
    bias: Any
    softness: Any = 0.0

    @property
    def kind(self) -> Any:
        """See :attr:`ImpulseLaw.kind`."""
        return (type(self), *(one.rows for one in self.frictions))

    def _own(self) -> list[Any]:
        return [self.bias, self.softness, *(one.reach for one in self.frictions)]

    def _with(self, block: DiagonalBlock, own: Sequence[Any]) -> ImpulseLaw:
        bias, softness, *reaches = own
        frictions = tuple(replace(one, reach=x) for one, x in zip(self.frictions, reaches, strict=True))
        return ContactLaw(block, frictions, bias, softness)

    def keeps_zero(self, u: Any) -> Any:
        """See :meth:`ImpulseLaw.keeps_zero`."""
        return u + self.bias >= 0.0

    def solve(self, p: Array, c: Array, conditional: bool = False) -> Array:
        """Return the impulses after two passes.

        Terms that depend on the latest results are added last, which shortens the chain of dependent instructions.
        """
        B, inverse, now = self.block.B, self.block.inverse, list(p)
        for late in (False, True) if self.frictions else (False,):
            own = self.bias + self.softness * now[0] + B[0, 0] * now[0]
            across = sum((B[0, j] * now[j] for j in range(1, len(now))), 0.0)
            known, last = (own + c[0], across) if late else (own + across, c[0])
            now[0] = maximum(now[0] - inverse * known - inverse * last, 0.0)
            for friction, step in zip(self.frictions, self.block.steps, strict=True):
                moved = [
                    now[i] - step * sum((B[i, j] * now[j] for j in range(1, len(now))), c[i]) - step * B[i, 0] * now[0]
                    for i in friction.rows
                ]
                for i, x in zip(friction.rows, _onto_disc(moved, friction.reach * now[0], conditional), strict=True):
                    now[i] = x
        return np.stack(now)


@dataclass(frozen=True, eq=False)
class PositionLaw(ImpulseLaw):
    """Position shift of a contact with a ``gap`` at the end of the step, m: it corrects overlap, and adds none."""

    gap: Any

    @property
    def bias(self) -> Any:
        """Distance by which the gap may shrink, m."""
        return corrected_gap(self.gap)

    def keeps_zero(self, u: Any) -> Any:
        """See :meth:`ImpulseLaw.keeps_zero`."""
        return u + self.bias >= 0.0

    def solve(self, p: Array, c: Array, conditional: bool = False) -> Array:
        """See :meth:`ImpulseLaw.solve`."""
        inverse = self.block.inverse
        known = self.bias + self.block.B[0, 0] * p[0]
        return np.stack([maximum(p[0] - inverse * known - inverse * c[0], 0.0)])


def corrected_gap(gap: Any) -> Any:
    """Return by how much a gap may shrink; negative for an overlap, which shrinks by half, or to :data:`LEFT`."""
    return where(gap > 0.0, gap, minimum(0.5 * gap, gap + LEFT))


@dataclass(frozen=True, eq=False)
class LimitLaw(ImpulseLaw):
    """Complementarity at two bounds: low ≤ u ≤ high, with an impulse at a bound only."""

    low: Any
    high: Any

    def keeps_zero(self, u: Any) -> Any:
        """See :meth:`ImpulseLaw.keeps_zero`."""
        return (u >= self.low) & (u <= self.high)

    def solve(self, p: Array, c: Array, conditional: bool = False) -> Array:
        """See :meth:`ImpulseLaw.solve`."""
        return np.stack([(clip(c[0], self.low, self.high) - c[0]) * self.block.inverse])


@dataclass(frozen=True, eq=False)
class FrictionLaw(ImpulseLaw):
    """Dry friction: the impulse within ±``most`` that minimizes the velocity."""

    most: Any

    def solve(self, p: Array, c: Array, conditional: bool = False) -> Array:
        """See :meth:`ImpulseLaw.solve`."""
        return np.stack([clip(-c[0] * self.block.inverse, -self.most, self.most)])


@dataclass(frozen=True, eq=False)
class ServoLaw(ImpulseLaw):
    """Servo with saturation: the impulse pull − slope · u, within ±``most``, at the velocity u = c + B p after it.

    Hence p = (pull − slope · c)/(1 + slope · B).
    """

    pull: Any
    slope: Any
    most: Any

    def solve(self, p: Array, c: Array, conditional: bool = False) -> Array:
        """See :meth:`ImpulseLaw.solve`."""
        if self.pull is None:
            return p
        whole = (self.pull - self.slope * c[0]) / (1.0 + self.slope * self.block.B[0, 0])
        return np.stack([clip(whole, -self.most, self.most)])


def _onto_disc(p: Sequence[Any], radius: Any, conditional: bool) -> list[Any]:
    """Project p on the disc of this radius; ``conditional``: skip the root where it is not needed: contacts stick."""
    if len(p) == 1:
        return [clip(p[0], -radius, radius)]
    square = p[0] * p[0] + (p[1] * p[1] + TINY_SQUARE)
    outside = square > radius * radius

    def projected() -> tuple[Any, ...]:
        shrunk = inverse_root(square)
        return tuple(radius * x * shrunk for x in p)

    if conditional and is_symbolic(square):
        return list(when(outside, projected, *p))
    return [where(outside, *two) for two in zip(projected(), p, strict=True)]


class Subproblem(NamedTuple):
    """Subproblem of a Gauss–Seidel iteration: the impulse laws and rows of one group."""

    laws: tuple[ImpulseLaw, ...]
    places: tuple[list[int], ...]
    """rows of each impulse law among those of the group"""
    Y: Array | MemoryArray
    """(s, k)"""
    r: Array
    """(k,)"""
    support: list[int]
    at: list[int]
    """indices of its rows among all impulses"""
    near: Any
    table: Any = None
    """key of the groups whose rows are in the same table"""


def initial_change(subproblems: Sequence[Subproblem], least: Any) -> Any:
    """Return the change of a velocity before the first iteration: below the tolerance where no group is near."""
    if any(subproblem.near is None for subproblem in subproblems):
        return 2.0 * least
    return 2.0 * least * largest_of(lambda near: near[0], [[subproblem.near] for subproblem in subproblems])


def velocity_change(Y: Array | MemoryArray, z: Array, near: Any) -> Array:
    """Return Yᵀ z (k,), of z (s,) on the coordinates of a group; 0 where it is not near."""
    change = plain(Y).T @ z
    return change if near is None else where(near > 0.5, change, 0.0)
