"""Constraints of a step and the rows J of their relative velocities u = J v.

A contact has a row along its normal and, depending on its coefficients of friction, two along the surface, one about
the normal, and two about axes in the surface. The limit of a joint keeps a velocity within bounds; dry friction of a
joint resists it with a bounded impulse; a servo drives it. Constraints on the same bodies are a group, which is skipped
where none of them can be active.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.contact.looped_points import PERSISTENT, PairPoints
from linkwright.dynamics.contact.points import contact_points, points_of_pair
from linkwright.dynamics.contact.shapes.candidate import DISTANT, WIDTH, ContactCandidate, contact_frame
from linkwright.dynamics.forces.springs import joints_of, length_rows, pieces_of, stretched
from linkwright.dynamics.impulses.point_jacobians import PointJacobians
from linkwright.dynamics.impulses.supports import (
    LIMIT_STRIDE,
    bodies_of,
    coupled_coordinates,
    filled_support,
    moving_coordinates,
)
from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.spring import Spring
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero, largest, maximum, minimum, where
from linkwright.spatial.loops.entry_table import KnownMarks, marked
from linkwright.spatial.loops.repeats import when

REACH, SUDDEN = 1e-2, 2.0
"""m, m/s: contacts with a gap larger than SUDDEN times the step, or than REACH, that does not close within two steps at
the present speed are inactive. SUDDEN is a change of a normal speed by impulses in a step. Contacts that faster changes
close all the same are corrected by a position shift, and by impulses from the next step on."""

FASTER = 4.0
"""Factor of the largest joint speed that a light joint may reach within a step after an impact. A limit that is passed
all
the same is corrected by a position shift, and by impulses from the next step on."""

MANY = 8
"""Number of pairs, or limits, from which the proximity of each point is tested before its rows are computed."""


@dataclass(frozen=True, eq=False)
class FrictionDisc:
    """Rows of a contact with |p| ≤ reach · p_n, where p_n is the normal impulse."""

    rows: tuple[int, ...]
    reach: Any
    """coefficient of friction; m for rows of rotation"""


class FrictionAxis(NamedTuple):
    """Direction of a friction row."""

    name: str
    turns: bool
    """whether it is a rotation about the axis, else a translation along it"""
    axis: int
    """0: the normal; 1, 2: tangents"""


SLIDING = (FrictionAxis("friction 1", False, 1), FrictionAxis("friction 2", False, 2))
SPINNING = (FrictionAxis("torsion", True, 0),)
ROLLING = (FrictionAxis("rolling 1", True, 1), FrictionAxis("rolling 2", True, 2))


def friction_rows(pair: Pair) -> list[tuple[Any, tuple[FrictionAxis, ...]]]:
    """Return the friction coefficients of a pair, each with its rows, in order after the normal row."""
    found = ((pair.friction, SLIDING), (pair.torsional_friction, SPINNING), (pair.rolling_friction, ROLLING))
    return [(reach, rows) for reach, rows in found if not is_zero(reach)]


@dataclass(frozen=True, eq=False)
class ContactConstraint:
    """Contact point, or possible one: a normal row with p_n ≥ 0, and the rows of friction."""

    gap: Any
    """m, negative where the shapes overlap"""
    frictions: tuple[FrictionDisc, ...]
    pair: Pair
    speed: Any = None
    """m/s: normal velocity at the beginning of the step; known of pairs with restitution"""
    rest_velocity: Any = None
    """m/s: slower contacts have no restitution; None: the threshold of the solver"""

    @property
    def size(self) -> int:
        """Number of rows."""
        return 1 + sum(len(one.rows) for one in self.frictions)


@dataclass(frozen=True, eq=False)
class LimitConstraint:
    """Limits of a coordinate: no impulse where u keeps it within them."""

    below: Any
    """lower limit − coordinate, ≤ 0 within the limits; −inf without a limit"""
    above: Any
    """upper limit − coordinate"""
    size = 1


@dataclass(frozen=True, eq=False)
class FrictionConstraint:
    """Dry friction of a joint: an effort of at most ``effort`` opposes the velocity."""

    effort: Any
    """N or N m"""
    size = 1


@dataclass(frozen=True, eq=False)
class ServoConstraint:
    """Servo: the effort pull − slope · u, within ±``most``, at the velocity u after the step."""

    pull: Any
    """N or N m; None: the impulse is given"""
    slope: Any
    """N s/m or N m s/rad"""
    most: Any
    size = 1


Constraint = ContactConstraint | LimitConstraint | FrictionConstraint | ServoConstraint


@dataclass(frozen=True, eq=False)
class PairContact:
    """Contact points of a pair, in a tree without closed loops."""

    jacobians: PointJacobians
    points: tuple[Array, ...]
    """(3,) of each constraint"""
    normals: tuple[Array, ...]
    rows: tuple[FrictionAxis, ...]
    """friction rows"""


@dataclass(frozen=True, eq=False)
class ConstraintGroup:
    """Constraints on the same coordinates."""

    constraints: tuple[Constraint, ...]
    support: tuple[int, ...]
    """velocity coordinates of nonzero columns, with all their ancestors"""
    jacobian: Callable[[], Array]
    """returns J (k, s) on these coordinates"""
    near: Any = None
    """1 where a constraint may be active in this step, else 0; None: not tested"""
    contact: PairContact | None = None
    """of the points of a pair, where loops can compute its rows"""
    bodies: tuple[int, int] = (-1, -1)
    """of the shapes of a contact; -1: at rest in the world"""
    name: str = ""
    """of a tendon"""

    @property
    def size(self) -> int:
        """Number of rows."""
        return sum(constraint.size for constraint in self.constraints)

    @property
    def between_bodies(self) -> bool:
        """Whether both shapes of a contact are on bodies."""
        return min(self.bodies) >= 0

    @property
    def places(self) -> list[list[int]]:
        """Rows of each constraint."""
        ends = np.cumsum([0, *(constraint.size for constraint in self.constraints)]).tolist()
        return [list(range(*two)) for two in pairwise(ends)]


def contact_rows(model: Model) -> int:
    """Return the number of rows of the contacts of all pairs, which is the same at every configuration."""
    return sum(
        points_of_pair(model, pair) * (1 + sum(len(rows) for _, rows in friction_rows(pair))) for pair in model.pairs
    )


def contact_constraints(
    model: Model, q: Array, v: Array, h: Any, points: Sequence[Sequence[ContactCandidate]] | None = None
) -> list[ConstraintGroup]:
    """Return the contacts of all pairs of the model, in order; their number is the same at every configuration.

    ``points``: the contact points of the pairs, where they are known.
    """
    if not model.pairs:
        return []
    poses = body_poses(model, q)
    points = contact_points(model, poses) if points is None else points
    tested = tests_points(model)
    moving = tested or any(has_restitution(pair) for pair in model.pairs)
    jacobians = PointJacobians(model, poses, q, body_velocities(model, q, v) if moving else None)
    groups = point_groups(model, points)
    touching = points.touching if isinstance(points, PairPoints) else None
    activity = _activity(model, groups, jacobians, h, touching) if tested else [(None, None)] * len(groups)
    return [
        _of_points(model, model.pairs[k], own, jacobians, one) for (k, own), one in zip(groups, activity, strict=True)
    ]


def contact_reach(h: Any) -> Any:
    """Return the gap in m up to which contacts may be active in a step of h seconds, whatever the present speed."""
    return minimum(SUDDEN * h, REACH)


def tests_points(model: Model) -> bool:
    """Return whether the proximity of each contact point is tested before its rows are computed."""
    return len(model.pairs) >= MANY


def _activity(
    model: Model,
    groups: Sequence[tuple[int, Sequence[ContactCandidate]]],
    jacobians: PointJacobians,
    h: Any,
    touching: Sequence[Any] | None,
) -> list[tuple[Any, Any]]:
    """Return of groups of one point its normal velocity, m/s, and 1 where it may be active in this step, else 0.

    The velocity is None where no pair has restitution. ``touching``: see :class:`PairPoints`.
    """
    bounce = any(has_restitution(pair) for pair in model.pairs)
    nothing = np.zeros(1 + bounce)

    def activity(numbers: Array) -> Sequence[Any]:
        def exists() -> Array:
            _, point, normal = ContactCandidate.of_numbers(numbers[:WIDTH])
            first, second = numbers[WIDTH], numbers[WIDTH + 1]
            speed = normal @ jacobians.velocity(first, second, point)
            near = where(numbers[0] < contact_reach(h) + 2.0 * h * maximum(-speed, 0.0), 1.0, 0.0)
            return np.stack([near, speed] if bounce else [near])

        def tested() -> Any:
            return when(numbers[0] < DISTANT, exists, nothing)

        return tested() if touching is None else when(numbers[WIDTH + 2] > 0.5, tested, nothing)  # type: ignore[no-any-return]

    rows = [[*point.numbers, *map(float, bodies_of(model, model.pairs[k]))] for k, (point,) in groups]
    if touching is not None:
        rows = [[*row, touching[k]] for row, (k, _) in zip(rows, groups, strict=True)]
    keys = {k: _mark_key(model, model.pairs[k]) for k in dict.fromkeys(k for k, _ in groups)}
    known = KnownMarks([keys[k] for k, _ in groups])
    return [(one[1] if bounce else None, one[0]) for one in marked(activity, rows, 1 + bounce, known)]


def _mark_key(model: Model, pair: Pair) -> tuple[Any, Any]:
    """Return the kind of the points of a pair, for loops over their rows, and the order of the points of a kind."""
    bodies = bodies_of(model, pair)
    support = filled_support(model, bodies)
    loops = tuple(len(loop) for loop in coupled_coordinates(model) if not set(loop) - set(support))
    rows = tuple(len(rows) for _, rows in friction_rows(pair))
    return (len(support), min(bodies) >= 0, rows), (not has_persistent_points(pair, model), loops)


def point_groups(
    model: Model, points: Sequence[Sequence[ContactCandidate]]
) -> list[tuple[int, Sequence[ContactCandidate]]]:
    """Return the index of the pair and the points of each group: of a pair, or with many pairs of each point."""
    if len(model.pairs) < MANY:
        return list(enumerate(points))
    return [(k, [one]) for k, own in enumerate(points) for one in own]


def _of_points(
    model: Model,
    pair: Pair,
    points: Sequence[ContactCandidate],
    jacobians: PointJacobians,
    activity: tuple[Any, Any],
) -> ConstraintGroup:
    """Return some contact points of a pair as a group; ``activity``: see :func:`_activity`."""
    first, second = bodies_of(model, pair)
    support = (filled_support if len(model.pairs) >= MANY else moving_coordinates)(model, [first, second])
    frictions, at = [], 1
    for reach, rows in friction_rows(pair):
        frictions.append(FrictionDisc(tuple(range(at, at + len(rows))), reach))
        at += len(rows)
    near, speeds = activity[1], [activity[0]] * len(points)
    if near is None and has_restitution(pair):
        speeds = [normal @ jacobians.velocity(first, second, point) for _, point, normal in points]
    constraints = tuple(
        ContactConstraint(point.gap, tuple(frictions), pair, speed) for point, speed in zip(points, speeds, strict=True)
    )

    def jacobian() -> Array:
        found = []
        for _, point, normal in points:
            linear, turning = jacobians.at(first, second, point, support)
            axes = (normal, *contact_frame(normal))
            found.append(normal @ linear)
            for row in (row for _, rows in friction_rows(pair) for row in rows):
                found.append(axes[row.axis] @ (turning if row.turns else linear))
        return np.stack(found)

    contact = None
    if max(first, second) >= 0:
        directions = tuple(row for _, rows in friction_rows(pair) for row in rows)
        points_of, normals = (tuple(one[k] for one in points) for k in (1, 2))
        contact = PairContact(jacobians, points_of, normals, directions)
    return ConstraintGroup(constraints, support, jacobian, near, contact, (first, second))


def has_restitution(pair: Pair) -> bool:
    """Return whether a rigid pair has restitution; a compliant pair bounces by its spring."""
    return pair.stiffness is None and pair.restitution is not None and not is_zero(pair.restitution)


def has_persistent_points(pair: Pair, model: Model) -> bool:
    """Return whether the contact points of a rigid pair persist as its bodies move a little."""
    kinds = {model.shapes[number].kind for number in (pair.first, pair.second)}
    return pair.stiffness is None and bool(kinds & PERSISTENT)


def dense_jacobian(groups: Sequence[ConstraintGroup], nv: int) -> Array:
    """Return J (m, nv) of all rows, active or not."""
    rows = []
    for group in groups:
        columns = dict(zip(group.support, group.jacobian().T, strict=True))
        rows.append(np.stack([columns.get(k, np.zeros(group.size)) for k in range(nv)], axis=1))
    return np.concatenate([np.zeros((0, nv)), *rows])


def limit_constraints(model: Model, q: Array, v: Array, h: Any) -> list[ConstraintGroup]:
    """Return the limits of all joints, one group a coordinate; spherical joints have none."""
    x, found = model.coordinates(q), []
    fastest = largest(v)
    reach = REACH + FASTER * h * fastest
    places = limited_coordinates(model)
    for k, at_q, at_v in places:
        low, high = model.joints[k].lower[at_q], model.joints[k].upper[at_q]
        constraint = LimitConstraint(low - x[k][at_q], high - x[k][at_q])
        near: Any = False
        if np.isfinite(low):
            near = (constraint.below > -reach) | near
        if np.isfinite(high):
            near = (constraint.above < reach) | near
        tested = len(places) >= MANY
        found.append(_of_coordinate(model, constraint, k, at_v, where(near, 1.0, 0.0) if tested else None, tested))
    return [*found, *(_of_tendon(model, spring, x, _tendon_limit) for spring in model.springs if spring.limits)]


def limited_coordinates(model: Model) -> list[tuple[int, int, int]]:
    """Return of each coordinate with limits its joint, and its index among the coordinates and rates of the joint."""
    return [
        (k, at_q, at_v)
        for k, joint in enumerate(model.joints)
        for at_q, at_v in joint.motion.plain
        if np.isfinite(joint.lower[at_q]) or np.isfinite(joint.upper[at_q])
    ]


def has_limits(model: Model) -> bool:
    """Return whether any joint or tendon has limits."""
    return any(spring.limits for spring in model.springs) or bool(limited_coordinates(model))


def friction_constraints(model: Model, q: Array) -> list[ConstraintGroup]:
    """Return the dry friction of all joints, one group a coordinate, and of all tendons."""
    of_tendons = [spring for spring in model.springs if spring.friction]
    x = model.coordinates(q) if of_tendons else []
    filled = len(limited_coordinates(model)) >= MANY
    return [
        _of_coordinate(model, FrictionConstraint(effort), k, i, filled=filled)
        for k, joint in enumerate(model.joints)
        for i, effort in enumerate(joint.friction)
        if not is_zero(effort)
    ] + [_of_tendon(model, spring, x, lambda one, _: FrictionConstraint(one.friction)) for spring in of_tendons]


def servo_coordinates(model: Model, names: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return of each coordinate with a servo its joint, its index among the rates of the joint, and its index in v."""
    return [
        (k, own, model.slice(joint.name).v.start + own)
        for k, joint in enumerate(model.joints)
        if joint.name in names
        for _, own in joint.motion.plain
    ]


def servo_constraints(
    model: Model, q: Array, h: Any, names: Sequence[str], commands: Array | None
) -> list[ConstraintGroup]:
    """Return the servos of some joints; ``commands`` (4 k,): targets, stiffness, damping and limits of k coordinates.

    Targets are velocities where the stiffness is zero. Without commands the impulses stay as they are.
    """
    found, x = [], model.coordinates(q)
    places = servo_coordinates(model, names)
    for n, (k, own, _) in enumerate(places):
        constraint = ServoConstraint(None, 0.0, 0.0)
        if commands is not None:
            goal, stiffness, damping, most = (commands[n + i * len(places)] for i in range(4))
            here = x[k][next(at_q for at_q, at_v in model.joints[k].motion.plain if at_v == own)]
            pull = where(stiffness > 0.0, stiffness * (goal - here), damping * goal)
            constraint = ServoConstraint(pull, h * stiffness + damping, most)
        found.append(_of_coordinate(model, constraint, k, own))
    return found


def _of_coordinate(
    model: Model, constraint: Constraint, joint: int, coordinate: int, near: Any = None, filled: bool = False
) -> ConstraintGroup:
    """Return the row of the rate of a coordinate; ``filled``: whether it is one of many in loops."""
    pieces = [np.zeros((1, link.motion.nv)) for link in model.links]
    pieces[joint] = np.eye(model.links[joint].motion.nv)[coordinate : coordinate + 1]
    support = filled_support(model, [joint], LIMIT_STRIDE) if filled else moving_coordinates(model, [joint])
    J = model.assemble(pieces, (1,))[:, list(support)]
    return ConstraintGroup((constraint,), support, lambda: J, near)


def _tendon_limit(spring: Spring, length: Any) -> LimitConstraint:
    assert spring.limits is not None
    return LimitConstraint(spring.limits[0] - length, spring.limits[1] - length)


def _of_tendon(
    model: Model, spring: Spring, x: Sequence[Array], constraint: Callable[[Spring, Any], Constraint]
) -> ConstraintGroup:
    """Return the row of the rate of a tendon's length, with a constraint of its length."""
    pieces = pieces_of(model, spring.tendon, spring.rounded, x)
    rows = length_rows(model, x, pieces)
    support = moving_coordinates(model, sorted(joints_of(model, spring)))
    still = [np.zeros(link.motion.nv) for link in model.links]
    J = model.assemble([rows.get(k, zeros) for k, zeros in enumerate(still)])[None, list(support)]
    return ConstraintGroup((constraint(spring, stretched(pieces)),), support, lambda: J, name=spring.name)
