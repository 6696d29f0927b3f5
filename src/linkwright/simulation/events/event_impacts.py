"""Impacts of events, by the contact solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.dynamics import kinetic_energy, mass_matrix
from linkwright.dynamics.impulses.constraints import ConstraintGroup, ContactConstraint, contact_constraints
from linkwright.dynamics.impulses.impulse_solver import Solver
from linkwright.dynamics.impulses.inertia_factors import inertia_factors
from linkwright.dynamics.impulses.restitution import ImpactProblem
from linkwright.model.parts.pair import Pair
from linkwright.model.tree import Model
from linkwright.simulation.events.event import Event, Impact
from linkwright.spatial.arrays import Array

TOGETHER = 1e-9
"""m or rad: gaps below it take part in an impact"""

ROUNDS = 10_000
"""Largest number of rounds; balls in a row need one for each collision."""

SWEEPS = 10_000
"""Largest number of sweeps of one round."""

CLOSING = 1e-13
"""Relative closing rate below which a gap does not close."""

SETTLED = 1e-14
"""Relative change of velocities at which a round has converged."""


def velocity_after_impacts(
    model: Model, q: Array, v: Array, events: Sequence[Event], slopes: Array
) -> tuple[Array, Array, float]:
    """Return the velocity (nv,) after simultaneous impacts of events, which of them come to rest, and the energy lost,
    J.

    ``slopes`` (n, nv) give the rates of their gaps. Closing gaps are reflected with the restitution of their events and
    the friction of their contacts, with loops closed, repeatedly until none closes.
    """
    rates = slopes @ v
    scale = float(np.abs(rates).max(initial=0.0))
    groups = [_group(model, q, v, event, row, CLOSING * scale) for event, row in zip(events, slopes, strict=True)]
    solver = Solver(SWEEPS, SETTLED * scale, impacts="sequential", impact_iterations=ROUNDS)
    after = v
    if scale:
        impact = ImpactProblem(inertia_factors(model, q, mass_matrix(model, q)), groups, v, 1.0, solver)
        after = v + impact.velocity(impact.solve())
    rests = np.abs(slopes @ after) <= np.maximum(1e-9 * scale, 1e-12)
    return after, rests, float(kinetic_energy(model, q, v) - kinetic_energy(model, q, after))


def _group(model: Model, q: Array, v: Array, event: Event, slope: Array, least: float) -> ConstraintGroup:
    """Return the rows of an impact: of the contact points of the event, or of its gap alone."""
    action = event.action
    assert isinstance(action, Impact)
    rest_velocity = max(action.rest_velocity, least)
    if event.with_contact is not None:
        (group,) = contact_constraints(event.with_contact(model.physical or model), q, v, 1.0)
        near = [
            k
            for k, part in enumerate(group.constraints)
            if isinstance(part, ContactConstraint) and part.gap <= TOGETHER
        ]
        if near:
            rows = group.jacobian()[[row for k in near for row in group.places[k]]]
            parts = [_at_impact(group.constraints[k], action.restitution, rest_velocity) for k in near]
            return ConstraintGroup(tuple(parts), group.support, lambda: rows)
    part = _at_impact(ContactConstraint(0.0, (), Pair(0, 0)), action.restitution, rest_velocity)
    return ConstraintGroup((part,), tuple(range(model.nv)), lambda: slope[None])


def _at_impact(part: object, restitution: float, rest_velocity: float) -> ContactConstraint:
    """Return a closed rigid contact."""
    assert isinstance(part, ContactConstraint)
    pair = replace(part.pair, restitution=restitution, stiffness=None, damping=0.0)
    return replace(part, gap=0.0, pair=pair, rest_velocity=rest_velocity)
