"""The impulses of one step: contacts, stops and brakes together, restitution, and overlap undone.

0 ≤ p_n ⊥ u_n + max(g, 0)/h ≥ 0, friction of maximum dissipation (Moreau 1988; Stewart & Trinkle 1996; Anitescu & Potra
1997). Newton's restitution with friction may create energy (Kane & Levinson 1985); here the impulses with it are mixed
with those without, p = p⁰ + s (pᵉ − p⁰), with the largest s ≤ 1 by which the contacts do no work in all.

Overlap is undone by a shift of the configuration beside the velocities, the least by kinetic energy, which leaves
the velocities, and so the kinetic energy, alone: half of what is left of it in each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.dynamics.impulses.rows import Block, Brake, Stop, Touch
from linkwright.dynamics.impulses.sweeps import Bound, Contact, Law, Resistance, Sweeps, swept
from linkwright.dynamics.impulses.system import Inertia, System, system
from linkwright.spatial.arrays import Array, is_zero, maximum, minimum, where


@dataclass(frozen=True)
class Solver:
    """How impulses are found."""

    sweeps: int = 8
    """through all impulses in each step; with a tolerance, at most so many"""
    tolerance: float | None = None
    """m/s: no more sweeps once none has changed a velocity by more"""
    shifts: int = 4
    """sweeps through the shifts that undo overlap"""
    rest_speed: float = 1e-2
    """m/s: what comes more slowly does not bounce"""


class Impulses:
    """What acts over a step: impulses (m,) along rows, and the shift that undoes overlap."""

    def __init__(self, inertia: Inertia, blocks: Sequence[Block], v_free: Array, v: Array, h: Any, solver: Solver):
        self._inertia, self._blocks, self._h, self._solver = inertia, blocks, h, solver
        self._v = v
        J = np.concatenate([block.J for block in blocks])
        self._J = J
        self._rows = _places(blocks)
        self.system: System = system(inertia, J, J @ v_free, self._rows, solver.sweeps)

    @property
    def size(self) -> int:
        """How many impulses there are."""
        return len(self._J)

    def found(self, start: Array) -> Array:
        """The impulses (m,), from those of the step before."""
        sweeps = Sweeps(self._solver.sweeps, self._solver.tolerance)
        laws = [self._law(block, rows) for block, rows in zip(self._blocks, self._rows, strict=True)]
        p = swept(self.system, laws, start, sweeps)
        bouncing = [isinstance(one, Touch) and not is_zero(one.pair.restitution) for one in self._blocks]
        if not any(bouncing):
            return p
        again = [
            self._law(block, rows, self._J[rows[0]] @ self._v) if bounces else law
            for block, rows, law, bounces in zip(self._blocks, self._rows, laws, bouncing, strict=True)
        ]
        return self._without_gain(p, swept(self.system, again, p, sweeps))

    def velocity(self, p: Array) -> Array:
        """M̂⁻¹ Jᵀ p (nv,)."""
        return self._inertia.moved(self.system.carried(p))

    def shift(self, p: Array) -> Array | None:
        """δ (nv,) by which the configuration is moved besides, as overlap at the end of the step asks for."""
        found = [
            (block, rows[0])
            for block, rows in zip(self._blocks, self._rows, strict=True)
            if isinstance(block, Stop) or (isinstance(block, Touch) and block.pair.stiffness is None)
        ]
        if not found:
            return None
        places = [row for _, row in found]
        u = np.stack([self.system.velocities([row], p, self.system.carried(p))[0] for row in places])
        own = System(
            self.system.Y[:, places],
            self.system.scaled[:, places],
            0.0 * u,
            None if self.system.A is None else self.system.A[np.ix_(places, places)],
        )
        laws: list[Law] = []
        for k, ((block, _), rate) in enumerate(zip(found, u, strict=True)):
            moved = self._h * rate
            B = own.block([k])
            if isinstance(block, Touch):
                laws.append(Contact([k], B, Touch(block.J[:1], 0.0, (), block.pair), _half_if(block.gap + moved), 0.0))
            else:
                assert isinstance(block, Stop)
                low, high = -_half_if(moved - block.below), _half_if(block.above - moved)
                laws.append(Bound([k], B, low, high))
        x = swept(own, laws, np.zeros(len(found)) + 0.0 * u, Sweeps(self._solver.shifts))
        return self._inertia.moved(own.carried(x))

    def _law(self, block: Block, rows: list[int], before: Any = None) -> Law:
        """``before``: the normal velocity at the beginning, of a contact that bounces."""
        B, h = self.system.block(rows), self._h
        if isinstance(block, Stop):
            return Bound(rows, B, minimum(block.below / h, 0.0), maximum(block.above / h, 0.0))
        if isinstance(block, Brake):
            return Resistance(rows, B, h * block.effort)
        k, d = block.pair.stiffness, block.pair.damping
        bias, softness = maximum(block.gap, 0.0) / h, 0.0
        if k is not None:
            softness = where(block.gap > 0.0, 0.0, 1.0 / (h * (d + h * k)))
            bias = where(block.gap > 0.0, block.gap / h, k * block.gap / (d + h * k))
        if before is not None:
            meets = (before < -self._solver.rest_speed) & (block.gap + h * before <= 0.0)
            bias = where(meets, block.pair.restitution * before, bias)
        return Contact(rows, B, block, bias, softness)

    def _without_gain(self, p: Array, bounced: Array) -> Array:
        change = bounced - p
        a = 0.5 * self.system.work(change, change)
        b = change @ self.system.r + self.system.work(change, p)
        c = minimum(p @ self.system.r + 0.5 * self.system.work(p, p), 0.0)
        root = np.sqrt(maximum(b * b - 4.0 * a * c, 0.0))
        tiny = a < 1e-300
        s = where(tiny, 1.0, minimum((root - b) / where(tiny, 1.0, 2.0 * a), 1.0))
        return p + s * change


def _half_if(gap: Any) -> Any:
    """How far a gap may shrink; of an overlap, half is to go."""
    return where(gap > 0.0, gap, 0.5 * gap)


def _places(blocks: Sequence[Block]) -> list[list[int]]:
    at, found = 0, []
    for block in blocks:
        found.append(list(range(at, at + len(block.J))))
        at += len(block.J)
    return found
