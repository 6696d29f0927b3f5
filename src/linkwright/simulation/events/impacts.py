"""Impacts of events: the solver of impulses at a moment, in which nothing but impulses acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.dynamics import kinetic_energy, mass_matrix
from linkwright.dynamics.impulses.collisions import Collision
from linkwright.dynamics.impulses.rows import Group, Touch, touches
from linkwright.dynamics.impulses.solving import Solver
from linkwright.dynamics.impulses.system import inertia
from linkwright.model.pair import Pair
from linkwright.model.tree import Model
from linkwright.simulation.events.event import Event, Impact
from linkwright.spatial.arrays import Array

TOGETHER = 1e-9
"""m or rad: gaps that are that near to closed at an impact are part of it"""

ROUNDS = 10_000
"""Balls in a row take a round for each meeting."""

SWEEPS = 10_000
"""of one round, at most"""

CLOSING = 1e-13
"""of the fastest rate of closing before: what closes more slowly does not"""

SETTLED = 1e-14
"""of the same: a round is over when no sweep changes a velocity by more"""


def thrown(model: Model, q: Array, v: Array, events: Sequence[Event], slopes: Array) -> tuple[Array, Array, float]:
    """The velocity (nv,) after impacts of events at the same time, which of them rest, and the energy lost, J.

    ``slopes`` (n, nv) give the rates at which their gaps change. What closes is reflected with the restitution of
    its event and the friction of what touches there, loops kept closed; and so again until nothing closes.
    """
    rates = slopes @ v
    scale = float(np.abs(rates).max(initial=0.0))
    groups = [_group(model, q, v, event, row, CLOSING * scale) for event, row in zip(events, slopes, strict=True)]
    solver = Solver(SWEEPS, SETTLED * scale, impacts="sequential", impact_iterations=ROUNDS)
    after = v
    if scale:
        impact = Collision(inertia(model, q, mass_matrix(model, q)), groups, v, 1.0, solver)
        after = v + impact.velocity(impact.found())
    rests = np.abs(slopes @ after) <= np.maximum(1e-9 * scale, 1e-12)
    return after, rests, float(kinetic_energy(model, q, v) - kinetic_energy(model, q, after))


def _group(model: Model, q: Array, v: Array, event: Event, slope: Array, least: float) -> Group:
    """The rows of an impact: of the points that touch, where the event tells of them; else of its gap alone."""
    action = event.action
    assert isinstance(action, Impact)
    rest_velocity = max(action.rest_velocity, least)
    if event.with_contact is not None:
        (group,) = touches(event.with_contact(model.physical or model), q, v, 1.0)
        near = [k for k, part in enumerate(group.parts) if isinstance(part, Touch) and part.gap <= TOGETHER]
        if near:
            rows = group.jacobian()[[row for k in near for row in group.places[k]]]
            parts = [_at_impact(group.parts[k], action.restitution, rest_velocity) for k in near]
            return Group(tuple(parts), group.support, lambda: rows)
    part = _at_impact(Touch(0.0, (), Pair(0, 0)), action.restitution, rest_velocity)
    return Group((part,), tuple(range(model.nv)), lambda: slope[None])


def _at_impact(part: object, restitution: float, rest_velocity: float) -> Touch:
    """A contact that is just closed, and rigid."""
    assert isinstance(part, Touch)
    pair = replace(part.pair, restitution=restitution, stiffness=None, damping=0.0)
    return replace(part, gap=0.0, pair=pair, rest_velocity=rest_velocity)
