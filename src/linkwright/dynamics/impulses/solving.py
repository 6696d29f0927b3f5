"""The impulses of one step: contacts, stops and brakes together, restitution, and overlap undone.

0 ≤ p_n ⊥ u_n + max(g, 0)/h ≥ 0, friction of maximum dissipation (Moreau 1988; Stewart & Trinkle 1996; Anitescu & Potra
1997). Newton's restitution with friction may create energy (Kane & Levinson 1985); here the impulses with it are mixed
with those without, p = p⁰ + s (pᵉ − p⁰), with the largest s ≤ 1 by which the contacts do no work in all.

Bodies that touch in a row are struck together, or one after the other: in rounds, in each of which only what still
approaches is reflected, until nothing does (Smith, Kaufman, Vouga, Tamstorf & Grinspun 2012): Newton's cradle.

Overlap is undone by a shift of the configuration beside the velocities, the least by kinetic energy, which leaves
the velocities, and so the kinetic energy, alone: half of what is left of it in each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from linkwright.dynamics.impulses.rows import Block, Brake, Stop, Touch
from linkwright.dynamics.impulses.sweeps import TINY, Bound, Contact, Law, Place, Resistance, Sweeps, swept
from linkwright.dynamics.impulses.system import Inertia, System, system
from linkwright.errors import ArgumentError
from linkwright.spatial.arrays import Array, clip, is_zero, maximum, minimum, where
from linkwright.spatial.repeats import until

Impacts = Literal["together", "rounds"]


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
    impacts: Impacts = "together"
    """what bounces in a step does so "together", or in "rounds": an impact passes through bodies that touch"""
    rounds: int = 30
    """of impacts in a step, at most"""

    def __post_init__(self) -> None:
        if self.impacts not in get_args(Impacts):
            raise ArgumentError(f"impacts are 'together' or in 'rounds'; got {self.impacts!r}")


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
        bouncing = [isinstance(one, Touch) and not is_zero(one.pair.restitution) for one in self._blocks]
        if self._solver.impacts == "rounds" and any(bouncing):
            struck = self._in_rounds(start, sweeps)
            after = self._after(struck)
            return struck + swept(after, laws, _fitted(after, start), sweeps)
        p = swept(self.system, laws, _fitted(self.system, start), sweeps)
        if not any(bouncing):
            return p
        again = [
            self._law(block, rows, self._J[rows[0]] @ self._v) if bounces else law
            for block, rows, law, bounces in zip(self._blocks, self._rows, laws, bouncing, strict=True)
        ]
        return self._without_gain(self.system, p, swept(self.system, again, p, sweeps))

    def _after(self, p: Array) -> System:
        """The system after impulses (m,)."""
        return self.system._replace(r=self.system.r + self.system.Y.T @ self.system.carried(p))

    def _in_rounds(self, start: Array, sweeps: Sweeps) -> Array:
        """The impulses (m,) of impacts at the beginning of the step, of what approaches after all others as before."""
        places = [
            (block, rows)
            for block, rows in zip(self._blocks, self._rows, strict=True)
            if isinstance(block, Touch) and not is_zero(block.pair.restitution)
        ]
        before = self._J @ self._v

        def approaches(u: Array) -> list[Any]:
            return [self._meets(block, u[rows[0]]) for block, rows in places]

        def still(p: Array, u: Array) -> Any:
            coming: Any = 0.0
            for meets in approaches(u):
                coming = maximum(coming, where(meets, 1.0, 0.0))
            return coming < 0.5

        def reflected(p: Array, u: Array) -> tuple[Array, Array]:
            system, none = self.system._replace(r=u), 0.0 * p
            stopping, bouncing = [], []
            for (block, rows), meets in zip(places, approaches(u), strict=True):
                at = Place.of(system, rows)
                stopping.append(Contact(at, block, where(meets, 0.0, np.inf)))
                bouncing.append(Contact(at, block, where(meets, block.pair.restitution * u[rows[0]], np.inf)))
            stopped = swept(system, stopping, none, sweeps)
            own = self._without_gain(system, stopped, swept(system, bouncing, stopped, sweeps))
            return p + own, u + self.system.Y.T @ self.system.carried(own)

        found = until(still, reflected, 0.0 * start, before, limit=self._solver.rounds)
        return found[0]  # type: ignore[no-any-return]

    def _meets(self, touch: Touch, u: Any) -> Any:
        """Whether a contact is met within the step at a normal velocity at which it bounces."""
        return (u < -self._solver.rest_speed) & (touch.gap + self._h * u <= 0.0)

    def velocity(self, p: Array) -> Array:
        """M̂⁻¹ Jᵀ p (nv,)."""
        return self._inertia.moved(self.system.carried(p))

    def residual(self, p: Array) -> Any:
        """The most, m/s or rad/s, by which one block's own law would still change one of its velocities."""
        z, most = self.system.carried(p), 0.0
        for block, rows in zip(self._blocks, self._rows, strict=True):
            own = p[rows]
            bounces = isinstance(block, Touch) and not is_zero(block.pair.restitution)
            laws = [self._law(block, rows)]
            laws += [self._law(block, rows, self._J[rows[0]] @ self._v)] if bounces else []
            c = self.system.without(rows, p, z)
            off: Any = None
            for law in laws:  # what bounces may do so in part: see _without_gain
                change = law.solve(own, c) - own
                largest: Any = 0.0
                for k in range(len(rows)):
                    largest = maximum(largest, abs(change[k]) * law.B[k, k])
                off = largest if off is None else minimum(off, largest)
            most = maximum(most, off)
        return most

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
            self.system.least[places],
            None if self.system.A is None else self.system.A[np.ix_(places, places)],
        )
        laws: list[Law] = []
        for k, ((block, _), rate) in enumerate(zip(found, u, strict=True)):
            moved = self._h * rate
            at = Place.of(own, [k])
            if isinstance(block, Touch):
                laws.append(Contact(at, Touch(block.J[:1], 0.0, (), block.pair), _half_if(block.gap + moved), 0.0))
            else:
                assert isinstance(block, Stop)
                low, high = -_half_if(moved - block.below), _half_if(block.above - moved)
                laws.append(Bound(at, low, high))
        x = swept(own, laws, np.zeros(len(found)) + 0.0 * u, Sweeps(self._solver.shifts))
        return self._inertia.moved(own.carried(x))

    def _law(self, block: Block, rows: list[int], before: Any = None) -> Law:
        """``before``: the normal velocity at the beginning, of a contact that bounces."""
        at, h = Place.of(self.system, rows), self._h
        if isinstance(block, Stop):
            return Bound(at, minimum(block.below / h, 0.0), maximum(block.above / h, 0.0))
        if isinstance(block, Brake):
            return Resistance(at, h * block.effort)
        k, d = block.pair.stiffness, block.pair.damping
        bias, softness = maximum(block.gap, 0.0) / h, 0.0
        if k is not None:
            softness = where(block.gap > 0.0, 0.0, 1.0 / (h * (d + h * k)))
            bias = where(block.gap > 0.0, block.gap / h, k * block.gap / (d + h * k))
        if before is not None:
            bias = where(self._meets(block, before), block.pair.restitution * before, bias)
        return Contact(at, block, bias, softness)

    def _without_gain(self, system: System, p: Array, bounced: Array) -> Array:
        change = bounced - p
        a = 0.5 * system.work(change, change)
        b = change @ system.r + system.work(change, p)
        c = minimum(p @ system.r + 0.5 * system.work(p, p), 0.0)
        root = np.sqrt(maximum(b * b - 4.0 * a * c, 0.0))
        tiny = a < TINY
        s = where(tiny, 1.0, minimum((root - b) / where(tiny, 1.0, 2.0 * a), 1.0))
        return p + s * change


def _fitted(system: System, p: Array) -> Array:
    """As much of impulses (m,) as does the least work, pᵀr + ½ pᵀAp: of an impact in the step before, nothing."""
    square = system.work(p, p)
    return clip(-(p @ system.r) / where(square > TINY, square, 1.0), 0.0, 1.0) * p


def _half_if(gap: Any) -> Any:
    """How far a gap may shrink; of an overlap, half is to go."""
    return where(gap > 0.0, gap, 0.5 * gap)


def _places(blocks: Sequence[Block]) -> list[list[int]]:
    at, found = 0, []
    for block in blocks:
        found.append(list(range(at, at + len(block.J))))
        at += len(block.J)
    return found
