"""Velocity-level steps with contacts, joint limits and dry friction as impulses.

    v_s = v + M⁻¹ Jᵀ p_s
    M̂ (v⁺ − v_s) = h (τ + passive − b − h K v_s) + Jᵀ p,   M̂ = M + h D + h² K,   q⁺ = q ⊕ (h v⁺ + δ)

p_s are the impulses of impacts with restitution at one configuration (`dynamics/impulses/restitution.py`); they add no
kinetic energy. b is that of the velocity v_s after them: with b of the velocity before, vᵀb would differ from the
change ½ vᵀṀv of the kinetic energy after an impact, and light links would gain energy in proportion to h.

M̂ includes springs and dampers, also those of actuators, as in "semi_implicit". p are the impulses of
`dynamics/impulses`; the position shift δ
corrects overlap without a change of velocities. The step is of order one. b is evaluated at the midpoint velocity, as
predicted without impulses, and ⊕ moves free bodies along straight lines. Otherwise a rotating body would gain energy of
order h² in each step, and fast rotations would diverge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.dynamics import configuration
from linkwright.dynamics.contact.looped_points import Reach
from linkwright.dynamics.contact.points import contact_points
from linkwright.dynamics.contact.points_after import MovedBodies, PointsAfter
from linkwright.dynamics.contact.shapes.candidate import ContactCandidate
from linkwright.dynamics.forces.actuators import ActuatorDamping
from linkwright.dynamics.impulses.constraints import (
    ConstraintGroup,
    ContactConstraint,
    contact_constraints,
    contact_reach,
    contact_rows,
    friction_constraints,
    has_limits,
    has_persistent_points,
    has_restitution,
    limit_constraints,
    point_groups,
    servo_constraints,
    servo_coordinates,
    tests_points,
)
from linkwright.dynamics.impulses.contact_impulses import impulse_work
from linkwright.dynamics.impulses.end_rows import EndRows
from linkwright.dynamics.impulses.impulse_solver import EndGaps, ImpulseProblem, Solver
from linkwright.dynamics.impulses.inertia_factors import InertiaFactors, inertia_factors
from linkwright.dynamics.impulses.looped_gauss_seidel import impulse_row_size
from linkwright.dynamics.impulses.point_jacobians import PointJacobians
from linkwright.dynamics.impulses.restitution import ImpactProblem, acts_in_impacts, any_closing, any_restitution
from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.errors import InputError
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import ImplicitTerms, implicit_terms, with_added_armature
from linkwright.simulation.integrators.position_sums import Placement, placed
from linkwright.spatial.arrays import Array, is_symbolic, is_zero, largest, maximum, where
from linkwright.spatial.loops.memory import is_memory_row, read
from linkwright.spatial.loops.repeats import repeat, when

BENT = 5e-3
"""rad or m: largest displacement of a coordinate for which paths of points are taken as straight. For a leg of 0.5 m
with four joints that rotate equally by this angle, the error is 0.1 mm."""


LARGE = 24
"""Number of velocities from which the two evaluations of the free velocity share one body of code"""

MANY = 200
"""Number of impulses from which they lie in a row in memory from step to step"""

Points = Sequence[Sequence[ContactCandidate]]
"""Contact points of all pairs."""

TURNED = 0.1
"""rad or m: displacement of a coordinate from which sinking contacts are corrected by their rows at the end of the
step."""


@dataclass(frozen=True)
class Constraints:
    """Constraints that are solved by impulses."""

    contact: bool = True
    """pairs of shapes"""
    limits: bool = False
    """joint limits"""
    friction: bool = True
    """dry friction of joints, which then sticks; else it is smoothed"""
    solver: Solver = field(default_factory=Solver)
    servos: tuple[str, ...] = ()
    """joints with servos"""
    backwards: bool = False
    """whether reverse differentiation is required: no conditional evaluation"""
    gap_error: float = 0.0
    """m: rounding error of gaps, relative to which the solver may stop"""

    def split_commands(self, model: Model, output: Array) -> tuple[Array, Array | None]:
        """Split the output of a controller into efforts (nv,) and commands of servos: see `actuation/servos.py`."""
        if not self.servos:
            return output, None
        places = [at for _, _, at in servo_coordinates(model, self.servos)]
        efforts = np.stack([0.0 * output[k] if k in places else output[k] for k in range(model.nv)])
        return efforts, np.concatenate([output[places], output[model.nv :]])

    def tests_points(self, model: Model) -> bool:
        """Return whether the proximity of each contact point is tested: some take time in a step, and others do not."""
        return self.contact and tests_points(model)

    def servo_efforts(self, model: Model, p: Array, h: Any) -> Any:
        """Return the efforts (nv,) of servos over a step, from its impulses (m,), an array or a row in memory."""
        found: list[Any] = [0.0] * model.nv
        servos = servo_coordinates(model, self.servos)
        for (_, _, at), own in zip(servos, read(p, 0.0, len(servos)) if servos else (), strict=True):
            found[at] = own / h
        return np.stack(found) if found else np.zeros(0)

    def size(self, model: Model) -> int:
        """Return the number of impulses."""
        return derived(model, _size, self, make=lambda: _size(model, self))  # type: ignore[no-any-return]

    def row_size(self, model: Model) -> int | None:
        """Return the size of a row in memory of the impulses of all steps, or None: few are separate numbers."""
        size = self.size(model)
        if self.backwards or size < MANY or any(has_restitution(pair) for pair in model.pairs):
            return None
        return impulse_row_size(size, model.nv)


def constraints_of(
    model: Model, limits: bool, solver: Solver | None = None, contact: bool = True, servos: tuple[str, ...] = ()
) -> Constraints | None:
    """Return the constraints solved by impulses, or None. ``contact``: whether pairs are; ``servos``: joints with
    servos."""
    contact, limits = contact and bool(model.pairs), limits and has_limits(model)
    return Constraints(contact, limits, True, solver or Solver(), servos) if contact or limits or servos else None


def _size(model: Model, constraints: Constraints) -> int:
    others = _groups(model, model.neutral(), np.zeros(model.nv), 1.0, replace(constraints, contact=False))
    return sum(group.size for group in others) + (contact_rows(model) if constraints.contact else 0)


def _groups(
    model: Model,
    q: Array,
    v: Array,
    h: Any,
    constraints: Constraints,
    points: Points | None = None,
    commands: Array | None = None,
) -> list[ConstraintGroup]:
    """Return the groups of all constraints; contacts are last, since the last are solved most accurately."""
    return [
        *(servo_constraints(model, q, h, constraints.servos, commands) if constraints.servos else []),
        *(friction_constraints(model, q) if constraints.friction else []),
        *(limit_constraints(model, q, v, h) if constraints.limits else []),
        *(contact_constraints(model, q, v, h, points) if constraints.contact else []),
    ]


class ConstrainedVelocity(NamedTuple):
    """Velocity and impulses of a step, in the axes at its beginning."""

    v: Array
    """(nv,), velocity with impulses"""
    p: Array
    """(m,), N s or N m s"""
    shift: Array | None
    """(nv,), position shift"""
    work: Callable[[], Any]
    """returns the work of the impulses, J"""
    iterations: Any = 0.0
    """number of iterations of the solver"""


def constrained_step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    h: Any,
    memory: Array,
    constraints: Constraints,
    commands: Array | None = None,
    place: Placement = placed,
    record: Callable[[Any], None] | None = None,
    damping: ActuatorDamping | None = None,
) -> tuple[Array, Array, Array]:
    """Return (q, v) after h seconds under efforts tau (nv,), and the impulses (m,); ``memory``: those of the previous
    step, an array or a row in memory, as the result.

    ``commands``: commands of servos. ``place``: sum of positions, see `position_sums.py`. ``record``: receives the
    number of iterations of the solver. ``damping``: of the efforts tau, implicit in the step.
    """
    result = constrained_velocity(model, q, v, tau, h, memory, constraints, commands, damping)
    if record is not None:
        record(result.iterations)
    return *constrained_motion(model, q, h, result, place), result.p


def constrained_motion(
    model: Model, q: Array, h: Any, result: ConstrainedVelocity, place: Placement = placed
) -> tuple[Array, Array]:
    """Return (q, v) after h seconds with the velocity of a constrained step.

    The shift that corrects overlap changes the configuration alone. A free body keeps its linear velocity in world
    axes, and so its linear momentum, and its angular velocity in body axes, and so its kinetic energy.
    """
    x = h * result.v if result.shift is None else h * result.v + result.shift
    q1 = place(q, lambda q: configuration.move_straight(model, q, x, result.v)[0])
    v1 = configuration.move_straight(model, q, x, result.v)[1]
    return q1, v1 if result.shift is None else configuration.with_turning(model, v1, result.v)


def constrained_velocity(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    h: Any,
    memory: Array,
    constraints: Constraints,
    commands: Array | None = None,
    damping: ActuatorDamping | None = None,
) -> ConstrainedVelocity:
    """Compute the velocity of :func:`constrained_step`."""
    points = _points(model, q, v, h, constraints)
    impact = _step_impact(model, q, v, h, constraints, points)
    if damping is not None:
        tau = tau - damping.efforts(model, impact.v - v)
    v = impact.v
    smooth, terms, factors = _factorized(model, q, v, h, constraints, damping)
    effort = tau + dynamics.passive_forces(smooth, q, v) - terms.pull
    v_free = _free_velocity(model, q, v, h, factors, effort)
    groups = _groups(model, q, v, h, constraints, points, commands)
    if not groups:
        return ConstrainedVelocity(v_free, memory, None, lambda: 0.0)
    impulses = ImpulseProblem(factors, groups, v_free, h, constraints.solver, constraints.gap_error)
    if not is_memory_row(memory) and len(memory) != impulses.size:
        raise InputError(
            "friction of a joint or tendon that has none in the model is a parameter: with contact or limits it needs "
            "its own impulse. Give the model some friction there, such as 1e-9"
        )
    found = impulses.solve(memory)
    after = v_free + impulses.velocity(found)
    ends = _end_gaps(model, q, after, h, points, constraints, len(groups)) if constraints.contact else None
    p = found.p if impact.p is None else impact.p + found.p
    shift = impulses.shift(found, ends)
    return ConstrainedVelocity(after, p, shift, lambda: impact.work + impulses.work(found), found.iterations)


def _points(model: Model, q: Array, v: Array, h: Any, constraints: Constraints, whole: bool = False) -> Points:
    """Return the contact points at the beginning of a step; ``whole``: all numbers also of those that are far apart."""
    if not constraints.contact or not model.pairs:
        return []
    reach = Reach(contact_reach(h), 2.0 * h, body_velocities(model, q, v), tests_points(model) and not whole)
    return contact_points(model, body_poses(model, q), None if constraints.backwards else reach)


class _StepImpact(NamedTuple):
    """Impact at the beginning of a step."""

    v: Array
    """(nv,), velocity after the impact"""
    p: Any
    """(m,), impulses; None without restitution"""
    work: Any
    """J, change of the kinetic energy, ≤ 0"""
    residual: Any
    """m/s, see :meth:`ImpactProblem.solve_with_residual`"""


def _step_impact(
    model: Model, q: Array, v: Array, h: Any, constraints: Constraints, points: Points | None = None
) -> _StepImpact:
    """Compute the impact of contacts with restitution that close within the step; conditional on any."""
    groups = _groups(model, q, v, h, constraints, points)
    if not any_restitution(groups):
        return _StepImpact(v, None, 0.0, 0.0)
    size = sum(group.size for group in groups)

    def collided() -> tuple[Any, ...]:
        chosen = [group for group in groups if acts_in_impacts(group)]
        factors = inertia_factors(model, q, dynamics.mass_matrix(model, q))
        pull = -h * factors.velocity(dynamics.gravity_forces(model, q))
        impact = ImpactProblem(factors, chosen, v, h, constraints.solver, pull)
        found, residual = impact.solve_with_residual()
        own = iter(np.split(found.p, np.cumsum([group.size for group in chosen])[:-1]))
        p = [next(own) if acts_in_impacts(group) else np.zeros(group.size) for group in groups]
        return v + impact.velocity(found), np.concatenate(p), impact.work(found), residual

    collides, nothing = any_closing(groups, h, constraints.solver), (v, np.zeros(size), 0.0, 0.0)
    if constraints.backwards:
        return _StepImpact(*(where(collides, x, y) for x, y in zip(collided(), nothing, strict=True)))
    return _StepImpact(*when(collides, collided, *nothing))


def _end_gaps(
    model: Model, q: Array, v: Array, h: Any, points: Points, constraints: Constraints, count: int
) -> EndGaps | None:
    """Return the gaps of pairs at the end of a step with velocity v (nv,); ``count``: number of groups."""
    pairs = {k for k, pair in enumerate(model.pairs) if has_persistent_points(pair, model)}
    if not pairs:
        return None
    groups = point_groups(model, points)
    chosen = [n for n, (k, _) in enumerate(groups, count - len(groups)) if k in pairs]

    def motion() -> MovedBodies:
        q1 = configuration.move_straight(model, q, h * v, v)[0]
        return MovedBodies(q1, body_poses(model, q1))

    def to_initial_axes(g: Array) -> Array:
        return configuration.velocity_before(model, h * v, g)

    def jacobians() -> PointJacobians:
        q1, there = after.bodies()
        return PointJacobians(model, there, q1, None, to_initial_axes)

    displacement = h * largest(v)
    own = [(model.pairs[k], points[k]) for k in sorted(pairs)]
    after = PointsAfter(model, own, body_poses(model, q), motion, displacement > BENT, constraints.backwards)
    return EndGaps(chosen, EndRows(after, jacobians, to_initial_axes), displacement > TURNED, constraints.backwards)


def _free_velocity(model: Model, q: Array, v: Array, h: Any, factors: InertiaFactors, effort: Array) -> Array:
    """Return the velocity after a step under an effort (nv,), in the axes before it."""

    def change(v: Array) -> Array:
        return h * (factors.velocity(effort - dynamics.bias_forces(model, q, v)) + configuration.turning_rate(model, v))

    if model.nv < LARGE or not is_symbolic(v):
        return v + change(v + 0.5 * change(v))
    return repeat(2, lambda k, x: v + (0.5 + 0.5 * k) * change(x), v)  # type: ignore[no-any-return]


def _factorized(
    model: Model, q: Array, v: Array, h: Any, constraints: Constraints, damping: ActuatorDamping | None = None
) -> tuple[Model, ImplicitTerms, InertiaFactors]:
    """Return the model without dry friction by impulses, its implicit terms, and the factors of M̂."""
    smooth = _without_friction(model) if constraints.friction else model
    terms = implicit_terms(smooth, q, v, h, damping)
    M = dynamics.mass_matrix(with_added_armature(smooth, terms.joints), q)
    for e, c in terms.springs:
        M = M + c * np.outer(e, e)
    return smooth, terms, inertia_factors(model, q, M)


def step_residuals(
    model: Model, q: Array, v: Array, q1: Array, v1: Array, p: Array, h: Any, constraints: Constraints
) -> tuple[Any, Any, Any]:
    """Return the residuals of a step from (q, v) to (q1, v1) with impulses p (m,).

    The work of contacts, J; the potential energy added by the correction of overlap, J; and the residual, m/s or rad/s:
    the largest velocity error by the law of a contact, limit or joint with dry friction.
    """
    v1 = configuration.with_turning(
        model, configuration.velocity_before(model, configuration.difference(model, q, q1), v1), v1
    )
    points = _points(model, q, v, h, constraints, whole=True)
    impact = _step_impact(model, q, v, h, constraints, points)
    groups = _groups(model, q, impact.v, h, constraints, points)
    impact_p = 0.0 * p if impact.p is None else impact.p + 0.0 * p
    p = p - impact_p
    work = 0.0 * p[0]
    if constraints.contact and model.pairs:
        at = len(p) - sum(group.size for group in groups if isinstance(group.constraints[0], ContactConstraint))

        def done(p: Array, mean: Array) -> Any:
            poses, twists = body_poses(model, q), body_velocities(model, q, mean)
            return impulse_work(model, points, p[at:], PointJacobians(model, poses, q, twists))

        work = done(p, 0.5 * (impact.v + v1))
        if any_restitution(groups):
            work = work + done(impact_p, 0.5 * (v + impact.v))
    lift = _potential(model, q1) - _potential(model, configuration.move_straight(model, q, h * v1, v1)[0])
    _, _, factors = _factorized(model, q, impact.v, h, constraints)
    residual = ImpulseProblem(factors, groups, v1, h, constraints.solver).residual(p, None)
    return work, lift, maximum(residual, impact.residual)


def _potential(model: Model, q: Array) -> Any:
    return dynamics.potential_energy(model, q) + dynamics.spring_energy(model, q)


def _without_friction(model: Model) -> Model:
    if not all(is_zero(x) for joint in model.joints for x in joint.friction):
        joints = tuple(replace(joint, friction=np.zeros(len(joint.friction))) for joint in model.joints)
        model = replace(model, joints=joints)
    if any(spring.friction for spring in model.springs):
        model = replace(model, springs=tuple(replace(spring, friction=0.0) for spring in model.springs))
    return model
