"""Impacts with restitution: impulses of contacts and limits at one configuration.

Newton's restitution with friction can create kinetic energy (Kane & Levinson 1985). The impulses pᵉ with restitution
are therefore mixed with the plastic impulses p⁰, p = p⁰ + s (pᵉ − p⁰), with the largest s ≤ 1 for which the kinetic
energy does not grow:

    ΔT = pᵀ J v + ½ pᵀ A p ≤ 0

p⁰ fulfills this: the plastic velocity is the smallest change of v into a convex set that contains rest, and friction
dissipates. Iterations that end early may violate it; then p⁰ is scaled down. Hence ΔT ≤ 0 holds for every solver.

Impacts of bodies in contact are simultaneous, or propagate in rounds. In each round only approaching contacts are
reflected, until none approaches (Smith, Kaufman, Vouga, Tamstorf & Grinspun 2012). Rounds reproduce Newton's cradle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dynamics.impulses.constraints import (
    Constraint,
    ConstraintGroup,
    ContactConstraint,
    LimitConstraint,
    has_restitution,
)
from linkwright.dynamics.impulses.impulse_laws import ContactLaw, ImpulseLaw, Subproblem, velocity_change
from linkwright.dynamics.impulses.impulse_solver import (
    ImpulseProblem,
    ImpulseSolution,
    Solver,
    constraints_with_blocks,
)
from linkwright.dynamics.impulses.inertia_factors import TINY, InertiaFactors
from linkwright.dynamics.impulses.projected_gauss_seidel import largest_residual, rescaled_by_work
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.spatial.loops.repeats import until

OPEN = 1e100
"""m/s: bias of a contact without an impulse"""


def acts_in_impacts(group: ConstraintGroup) -> bool:
    """Return whether a group acts in impacts: rigid contacts and limits, not joint friction, servos and springs."""
    first = group.constraints[0]
    return isinstance(first, LimitConstraint) or (isinstance(first, ContactConstraint) and first.pair.stiffness is None)


def any_restitution(groups: Sequence[ConstraintGroup]) -> bool:
    """Return whether any contact has restitution."""
    return any(_bounces(constraint) for group in groups for constraint in group.constraints)


def any_closing(groups: Sequence[ConstraintGroup], h: Any, solver: Solver) -> Any:
    """Return whether any contact with restitution closes within a step of h seconds."""
    found: Any = False
    for constraint in (constraint for group in groups for constraint in group.constraints):
        if _bounces(constraint):
            assert isinstance(constraint, ContactConstraint)
            found = _closes(constraint, constraint.speed, h, solver) | found
    return found


class ImpactProblem(ImpulseProblem):
    """Impulses (m,) of an impact at velocities v (nv,), of groups that :func:`acts_in_impacts` allows.

    Contacts that close within h seconds, faster than the rest velocity, have restitution. ``pull`` (nv,) is the change
    of v by gravity in the following step. As far as energy allows, rebound velocities are increased by it, so that the
    velocity at the end of the step is that of the restitution.
    """

    def __init__(
        self,
        factors: InertiaFactors,
        groups: Sequence[ConstraintGroup],
        v: Array,
        h: Any,
        solver: Solver,
        pull: Array | None = None,
    ):
        super().__init__(factors, groups, v, h, solver)
        self._pull = None if pull is None else factors.velocity_to_factor_space(pull)

    def solve(self, start: Array | None = None) -> ImpulseSolution:
        """Return the impulses (m,); they do not depend on those of the previous step."""
        return self.solve_with_residual()[0]

    def solve_with_residual(self) -> tuple[ImpulseSolution, Any]:
        """Return the impulses, and the residual in m/s: the larger one of the two solutions that are combined."""
        none = np.zeros(self.size)
        if self._solver.impacts == "sequential" and any_restitution(self.groups):
            return self._in_rounds(none)
        plastic, off = self._plastic(self._subproblems())
        if not any_restitution(self.groups):
            return plastic, off
        with_restitution = [self._subproblem(k, tuple(self._laws_with_restitution(k))) for k in range(len(self.groups))]
        bounced = self._solve(with_restitution, plastic)
        off = maximum(off, largest_residual(with_restitution, bounced.p, bounced.z))
        return without_energy_gain(self._speeds(), plastic, bounced), off

    def _plastic(self, subproblems: Sequence[Subproblem]) -> tuple[ImpulseSolution, Any]:
        """Return the plastic impulses and their residual."""
        found = _rescaled(
            subproblems, self._solve(subproblems, self._in_factor_space(subproblems, np.zeros(self.size)))
        )
        return found, largest_residual(subproblems, found.p, found.z)

    def _speeds(self) -> Array:
        """Return J v (m,) of all rows."""
        return np.concatenate([np.zeros(0), *(rows.r for rows in self.rows)])

    def _laws_with_restitution(self, k: int) -> Iterator[ImpulseLaw]:
        """Yield the laws of the constraints of a group, with restitution for closing contacts."""
        group, rows = self.groups[k], self.rows[k]
        both = zip(constraints_with_blocks(group, rows), self._compliance[k], strict=True)
        for (constraint, block, places), compliance in both:
            law = self._law(constraint, block, compliance)
            if _bounces(constraint):
                assert isinstance(constraint, ContactConstraint)
                assert isinstance(law, ContactLaw)
                u, first = rows.r[places[0]], places[0]
                leaves = constraint.pair.restitution * u
                if self._pull is not None:
                    pull = velocity_change(rows.Y[:, [first]], self._pull[list(group.support)], group.near)[0]
                    leaves = leaves + minimum(pull, 0.0)
                law = replace(law, bias=where(_closes(constraint, u, self._h, self._solver), leaves, law.bias))
            yield law

    def _in_rounds(self, none: Array) -> tuple[ImpulseSolution, Any]:
        """Return the impulses of all rounds and of a final plastic impact of all constraints, and the residual.

        The residual includes the speed of contacts that still close after the last round.
        """
        chosen = [
            k for k, group in enumerate(self.groups) if any(_bounces(constraint) for constraint in group.constraints)
        ]

        def closing(u: Array) -> list[list[Any]]:
            """Return which constraints of the chosen groups close."""
            return [
                [
                    isinstance(constraint, ContactConstraint)
                    and _bounces(constraint)
                    and _closes(constraint, own, self._h, self._solver)
                    for constraint, own in zip(self.groups[k].constraints, self._normal_speeds(k, u), strict=True)
                ]
                for k in chosen
            ]

        def fastest(u: Array) -> Any:
            """Return the largest closing speed, m/s."""
            most: Any = 0.0
            for k, closes in zip(chosen, closing(u), strict=True):
                for meet, own in zip(closes, self._normal_speeds(k, u), strict=True):
                    most = maximum(most, where(meet, -own, 0.0))
            return most

        def over(p: Array, z: Array, u: Array) -> Any:
            return fastest(u) <= 0.0

        def reflected(p: Array, z: Array, u: Array) -> tuple[Array, Array, Array]:
            stopping: list[Subproblem] = []
            bounce: list[Subproblem] = []
            for k, closes in zip(chosen, closing(u), strict=True):
                group, rows, own = self.groups[k], self.rows[k], u[self._at[k]]
                laws: tuple[list[ImpulseLaw], list[ImpulseLaw]] = ([], [])
                for (constraint, block, places), meet in zip(constraints_with_blocks(group, rows), closes, strict=True):
                    assert isinstance(constraint, ContactConstraint)
                    for some, leaves in zip(laws, (0.0, constraint.pair.restitution * own[places[0]]), strict=True):
                        some.append(ContactLaw(block, constraint.frictions, where(meet, leaves, OPEN)))
                for some, subproblems in zip(laws, (stopping, bounce), strict=True):
                    subproblems.append(self._subproblem(k, tuple(some))._replace(r=own))
            plastic = _rescaled(stopping, self._solve(stopping, ImpulseSolution(0.0 * p, 0.0 * z)))
            more = without_energy_gain(u, plastic, self._solve(bounce, plastic))
            faster = np.concatenate(
                [velocity_change(rows.Y, more.z[list(group.support)], group.near) for group, rows in self._both()]
            )
            return p + more.p, z + more.z, u + faster

        start = (none, np.zeros(len(self.factors.roots)), self._speeds())
        p, z, u, _ = until(over, reflected, *start, limit=self._solver.impact_iterations)
        rest, off = self._plastic([subproblem._replace(r=u[subproblem.at]) for subproblem in self._subproblems()])
        return ImpulseSolution(p + rest.p, z + rest.z), maximum(off, fastest(u))

    def _normal_speeds(self, k: int, u: Array) -> list[Any]:
        """Return the normal velocity of each constraint of a group."""
        return [u[self._at[k][places[0]]] for places in self.groups[k].places]


def _rescaled(subproblems: Sequence[Subproblem], found: ImpulseSolution) -> ImpulseSolution:
    return ImpulseSolution(*rescaled_by_work(subproblems, found.p, found.z))


def without_energy_gain(u: Array, plastic: ImpulseSolution, bounced: ImpulseSolution) -> ImpulseSolution:
    """Return p⁰ + s (pᵉ − p⁰) with the largest s that adds no energy; pᵉ are the impulses with restitution.

    ``u`` (m,): the velocities J v of all rows before the impact.
    """
    change, faster = bounced.p - plastic.p, bounced.z - plastic.z
    a, b = 0.5 * (faster @ faster), change @ u + faster @ plastic.z
    c = minimum(plastic.p @ u + 0.5 * (plastic.z @ plastic.z), 0.0)
    s = where(a + b + c > 0.0, _crossing(a, b, c), 1.0)
    return ImpulseSolution(plastic.p + s * change, plastic.z + s * faster)


def _crossing(a: Any, b: Any, c: Any) -> Any:
    """Return the s in [0, 1] at which a s² + b s + c becomes positive; it is c ≤ 0 at 0 and positive at 1."""
    root = np.sqrt(maximum(b * b - 4.0 * a * c, TINY))
    falls = b < 0.0  # then a > 0
    s = where(falls, (root - b) / where(falls, 2.0 * a, 1.0), -2.0 * c / where(falls, 1.0, b + root))
    return clip(s, 0.0, 1.0)


def _closes(contact: ContactConstraint, u: Any, h: Any, solver: Solver) -> Any:
    """Return whether a contact with normal velocity u closes within the step, faster than the rest velocity."""
    least = solver.rest_velocity if contact.rest_velocity is None else contact.rest_velocity
    return (u < -least) & (contact.gap + h * u <= 0.0)


def _bounces(constraint: Constraint) -> bool:
    return isinstance(constraint, ContactConstraint) and has_restitution(constraint.pair)
