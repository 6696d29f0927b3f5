"""Impacts with restitution: impulses at one configuration, in which nothing but contacts and limits acts.

Newton's restitution with friction can create kinetic energy (Kane & Levinson 1985). The impulses pᵉ with restitution
are therefore mixed with the plastic impulses p⁰, p = p⁰ + s (pᵉ − p⁰), with the largest s ≤ 1 for which the kinetic
energy does not grow:

    ΔT = pᵀ J v + ½ pᵀ A p ≤ 0

p⁰ itself fulfills this: the plastic velocity is the least change of v within a convex set that contains rest, and
friction dissipates. Sweeps that end early may not; then p⁰ is scaled down. So ΔT ≤ 0 holds for every solver.

Bodies that touch in a row are struck together, or one after the other: in rounds, in each of which only contacts that
still approach are reflected, until none does (Smith, Kaufman, Vouga, Tamstorf & Grinspun 2012): Newton's cradle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dynamics.impulses.laws import Contact, Law, Task
from linkwright.dynamics.impulses.rows import Group, Part, Stop, Touch, bouncing
from linkwright.dynamics.impulses.solving import Found, Impulses, Solver, fitted, parts_of
from linkwright.dynamics.impulses.system import TINY, Inertia
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.spatial.repeats import until

AWAY = 1e100
"""m/s: contacts that do not reach this velocity have no impulse"""


def takes_part(group: Group) -> bool:
    """Whether a group acts in impacts: rigid contacts and limits do; friction of joints, servos and springs do not."""
    first = group.parts[0]
    return isinstance(first, Stop) or (isinstance(first, Touch) and first.pair.stiffness is None)


def bounces(groups: Sequence[Group]) -> bool:
    """Whether any contact has restitution."""
    return any(_bounces(part) for group in groups for part in group.parts)


def meets(groups: Sequence[Group], h: Any, solver: Solver) -> Any:
    """Whether any contact that bounces closes within a step of h seconds."""
    found: Any = False
    for part in (part for group in groups for part in group.parts):
        if _bounces(part):
            assert isinstance(part, Touch)
            found = _closes(part, part.speed, h, solver) | found
    return found


class Collision(Impulses):
    """Impulses (m,) of an impact at velocities v (nv,), of groups that :func:`takes_part` allows.

    Contacts that close within h seconds, faster than the rest speed, bounce. ``pull`` (nv,) is the change of v by
    gravity in the step that follows. As far as energy allows, bounces start faster by it, so that the velocity at the
    end of the step is that of the restitution.
    """

    def __init__(
        self, inertia: Inertia, groups: Sequence[Group], v: Array, h: Any, solver: Solver, pull: Array | None = None
    ):
        super().__init__(inertia, groups, v, h, solver)
        self._pull = None if pull is None else inertia.carried_velocity(pull)

    def found(self, start: Array | None = None) -> Found:
        """The impulses (m,). They do not depend on those of the step before."""
        return self.solved()[0]

    def solved(self) -> tuple[Found, Any]:
        """The impulses, and the residual in m/s: how far the solutions that are mixed are from their laws, at most."""
        none = np.zeros(self.size)
        if self._solver.impacts == "sequential" and bounces(self.groups):
            return self._in_rounds(none)
        stopped, off = self._stopped(self._tasks())
        if not bounces(self.groups):
            return stopped, off
        reflecting = [self._task(k, tuple(self._reflecting(k))) for k in range(len(self.groups))]
        bounced = self._swept(reflecting, stopped)
        off = maximum(off, self._residual(reflecting, bounced.p))
        return without_gain(self._speeds(), stopped, bounced), off

    def _stopped(self, tasks: Sequence[Task]) -> tuple[Found, Any]:
        """The plastic impulses, and their residual."""
        found = fitted(tasks, self._swept(tasks, self._sum(tasks, np.zeros(self.size))))
        return found, self._residual(tasks, found.p)

    def _speeds(self) -> Array:
        """J v (m,) of all rows."""
        return np.concatenate([np.zeros(0), *(rows.r for rows in self.rows)])

    def _reflecting(self, k: int) -> Iterator[Law]:
        """The laws of a group's parts, with restitution of the contacts that close."""
        group, rows = self.groups[k], self.rows[k]
        for part, block, places in parts_of(group, rows):
            law = self._law(part, block)
            if _bounces(part):
                assert isinstance(part, Touch)
                assert isinstance(law, Contact)
                u, first = rows.r[places[0]], places[0]
                leaves = part.pair.restitution * u
                if self._pull is not None:
                    leaves = leaves + minimum(rows.Y[:, first] @ self._pull[list(group.support)], 0.0)
                law = replace(law, bias=where(_closes(part, u, self._h, self._solver), leaves, law.bias))
            yield law

    def _in_rounds(self, none: Array) -> tuple[Found, Any]:
        """Impulses of rounds, then plastic ones of all that take part, and the residual.

        The residual includes the speed at which a contact still closes after the last round.
        """
        chosen = [k for k, group in enumerate(self.groups) if any(_bounces(part) for part in group.parts)]

        def closing(u: Array) -> list[list[Any]]:
            """Of each part of the groups chosen."""
            return [
                [
                    isinstance(part, Touch) and _bounces(part) and _closes(part, own, self._h, self._solver)
                    for part, own in zip(self.groups[k].parts, self._normal_speeds(k, u), strict=True)
                ]
                for k in chosen
            ]

        def fastest(u: Array) -> Any:
            """m/s, of those that still close."""
            most: Any = 0.0
            for k, closes in zip(chosen, closing(u), strict=True):
                for meet, own in zip(closes, self._normal_speeds(k, u), strict=True):
                    most = maximum(most, where(meet, -own, 0.0))
            return most

        def over(p: Array, z: Array, u: Array) -> Any:
            return fastest(u) <= 0.0

        def reflected(p: Array, z: Array, u: Array) -> tuple[Array, Array, Array]:
            stopping: list[Task] = []
            bounce: list[Task] = []
            for k, closes in zip(chosen, closing(u), strict=True):
                group, rows, own = self.groups[k], self.rows[k], u[self._at[k]]
                laws: tuple[list[Law], list[Law]] = ([], [])
                for (part, block, places), meet in zip(parts_of(group, rows), closes, strict=True):
                    assert isinstance(part, Touch)
                    for some, leaves in zip(laws, (0.0, part.pair.restitution * own[places[0]]), strict=True):
                        some.append(Contact(block, part.frictions, where(meet, leaves, AWAY)))
                for some, tasks in zip(laws, (stopping, bounce), strict=True):
                    tasks.append(self._task(k, tuple(some))._replace(r=own))
            stopped = fitted(stopping, self._swept(stopping, Found(0.0 * p, 0.0 * z)))
            more = without_gain(u, stopped, self._swept(bounce, stopped))
            faster = np.concatenate([rows.Y.T @ more.z[list(group.support)] for group, rows in self._both()])
            return p + more.p, z + more.z, u + faster

        start = (none, np.zeros(len(self.inertia.roots)), self._speeds())
        p, z, u, _ = until(over, reflected, *start, limit=self._solver.impact_iterations)
        rest, off = self._stopped([task._replace(r=u[task.at]) for task in self._tasks()])
        return Found(p + rest.p, z + rest.z), maximum(off, fastest(u))

    def _normal_speeds(self, k: int, u: Array) -> list[Any]:
        """Of each part of a group."""
        return [u[self._at[k][places[0]]] for places in self.groups[k].places]


def without_gain(u: Array, stopped: Found, bounced: Found) -> Found:
    """Plastic impulses, with the largest share of the change to those with restitution that adds no kinetic energy.

    ``u`` (m,): the velocities J v of all rows before the impact.
    """
    change, faster = bounced.p - stopped.p, bounced.z - stopped.z
    a, b = 0.5 * (faster @ faster), change @ u + faster @ stopped.z
    c = minimum(stopped.p @ u + 0.5 * (stopped.z @ stopped.z), 0.0)
    s = where(a + b + c > 0.0, _crossing(a, b, c), 1.0)
    return Found(stopped.p + s * change, stopped.z + s * faster)


def _crossing(a: Any, b: Any, c: Any) -> Any:
    """The s from 0 to 1 at which a s² + b s + c becomes positive; it is c ≤ 0 at 0 and positive at 1."""
    root = np.sqrt(maximum(b * b - 4.0 * a * c, TINY))
    falls = b < 0.0  # then a > 0
    s = where(falls, (root - b) / where(falls, 2.0 * a, 1.0), -2.0 * c / where(falls, 1.0, b + root))
    return clip(s, 0.0, 1.0)


def _closes(touch: Touch, u: Any, h: Any, solver: Solver) -> Any:
    """Whether a contact of normal velocity u closes within the step, faster than it rests."""
    least = solver.rest_velocity if touch.rest_velocity is None else touch.rest_velocity
    return (u < -least) & (touch.gap + h * u <= 0.0)


def _bounces(part: Part) -> bool:
    return isinstance(part, Touch) and bouncing(part.pair)
