"""Steps at the level of velocities, with contacts, limits and dry friction as impulses; `equations_contact.md` §11a.

    v_s = v + M⁻¹ Jᵀ p_s
    M̂ (v⁺ − v_s) = h (τ + passive − b − h K v_s) + Jᵀ p,   M̂ = M + h D + h² K,   q⁺ = q ⊕ (h v⁺ + δ)

p_s are the impulses of impacts with restitution, at one configuration (`dynamics/impulses/collisions.py`): they add no
kinetic energy. b follows from the velocity v_s after them. With b of the velocity before, vᵀb would not be the change
½ vᵀṀv of the kinetic energy at the velocity after an impact, and light links would gain energy in proportion to h.

Springs and dampers are in M̂, as in "semi_implicit". p are the impulses of `dynamics/impulses`, and δ undoes overlap
beside the velocities. Order one in the step. b is taken at the velocity in the middle of the step, as far as it is
known without impulses, and ⊕ carries free bodies straight on: else what turns gains energy by h² in each step, and by
so much that what spins fast grows beyond all numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.dynamics import configuration
from linkwright.dynamics.contact.points import points_after, points_between
from linkwright.dynamics.contact.shapes import Candidate
from linkwright.dynamics.impulses.collisions import Collision, bounces, meets, takes_part
from linkwright.dynamics.impulses.rows import (
    Group,
    Moves,
    Touch,
    brakes,
    dense_jacobian,
    driven_places,
    followed,
    limited,
    normal_rows,
    servos,
    stops,
    touches,
)
from linkwright.dynamics.impulses.solving import Ends, Impulses, Solver
from linkwright.dynamics.impulses.system import Inertia, inertia
from linkwright.dynamics.kinematics import body_poses
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.simulation.stepping.integrators import ImplicitTerms, implicit_terms, with_added_armature
from linkwright.spatial.arrays import Array, largest, maximum, where
from linkwright.spatial.repeats import when

BENT = 5e-3
"""rad or m: where no coordinate moves by more in a step, the ways of points are taken as straight: of a leg of 0.5 m
with four joints that turn the same way by so much, this is wrong by 0.1 mm"""


TURNED = 0.1
"""rad or m: where a coordinate moves by more in a step and contacts sink, they are moved apart along the ways that they
have at its end; those of its beginning may be quite others"""


@dataclass(frozen=True)
class Constraints:
    """What of a mechanism acts by impulses."""

    contact: bool = True
    """the model's pairs of shapes"""
    limits: bool = False
    """of the joints"""
    friction: bool = True
    """the joints' dry friction, which then sticks; else it is smoothed"""
    solver: Solver = field(default_factory=Solver)
    servos: tuple[str, ...] = ()
    """the joints that have some"""
    backwards: bool = False
    """whether derivatives are to go backwards: not through what is computed only where it is asked for"""

    def apart(self, model: Model, asked: Array) -> tuple[Array, Array | None]:
        """The efforts (nv,) of a law's answer, and what its servos are told: see `acting/servos.py`."""
        if not self.servos:
            return asked, None
        places = [at for _, _, at in driven_places(model, self.servos)]
        efforts = np.stack([0.0 * asked[k] if k in places else asked[k] for k in range(model.nv)])
        return efforts, np.concatenate([asked[places], asked[model.nv :]])

    def servo_efforts(self, model: Model, p: Array, h: Any) -> Any:
        """The efforts (nv,) of servos over a step, of its impulses (m,)."""
        found: list[Any] = [0.0] * model.nv
        for n, (_, _, at) in enumerate(driven_places(model, self.servos)):
            found[at] = p[n] / h
        return np.stack(found) if found else np.zeros(0)

    def size(self, model: Model) -> int:
        """How many impulses there are."""
        return derived(model, _size, self, make=lambda: _size(model, self))  # type: ignore[no-any-return]


def constraints_of(
    model: Model, limits: bool, solver: Solver | None = None, contact: bool = True, servos: tuple[str, ...] = ()
) -> Constraints | None:
    """What acts by impulses; None where nothing does. ``contact``: whether pairs do; ``servos``: joints with some."""
    touches, stops = contact and bool(model.pairs), limits and limited(model)
    return Constraints(touches, stops, True, solver or Solver(), servos) if touches or stops or servos else None


def _size(model: Model, constraints: Constraints) -> int:
    return sum(group.size for group in _groups(model, model.neutral(), np.zeros(model.nv), 1.0, constraints))


def _groups(
    model: Model, q: Array, v: Array, h: Any, constraints: Constraints, told: Array | None = None
) -> list[Group]:
    """What is gone through in each sweep: contacts last, for what comes last fits best. ``told``: to servos."""
    return [
        *(servos(model, q, h, constraints.servos, told) if constraints.servos else []),
        *(brakes(model) if constraints.friction else []),
        *(stops(model, q, v, h) if constraints.limits else []),
        *(touches(model, q, v, h) if constraints.contact else []),
    ]


class Struck(NamedTuple):
    """What impulses do in a step, in the axes at its beginning."""

    v: Array
    """(nv,), the velocity with them"""
    p: Array
    """(m,), N s or N m s"""
    shift: Array | None
    """(nv,), by which the configuration is moved besides"""
    work: Any
    """J, of the impulses"""


def constrained_step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    h: Any,
    memory: Array,
    constraints: Constraints,
    told: Array | None = None,
) -> tuple[Array, Array, Array]:
    """(q, v) after h seconds under efforts tau (nv,), and the impulses (m,); ``memory``: those of the step before.

    ``told``: to servos.
    """
    struck = strike(model, q, v, tau, h, memory, constraints, told)
    return *moved_on(model, q, h, struck), struck.p


def moved_on(model: Model, q: Array, h: Any, struck: Struck) -> tuple[Array, Array]:
    """(q, v) after h seconds with the velocity that impulses left.

    The shift that undoes overlap changes the configuration alone. A free body keeps its linear velocity in world axes,
    and so its linear momentum, and its angular velocity in body axes, and so its kinetic energy.
    """
    if struck.shift is None:
        return configuration.move_straight(model, q, h * struck.v, struck.v)
    q1, v1 = configuration.move_straight(model, q, h * struck.v + struck.shift, struck.v)
    return q1, configuration.with_turning(model, v1, struck.v)


def strike(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    h: Any,
    memory: Array,
    constraints: Constraints,
    told: Array | None = None,
) -> Struck:
    """What happens to the velocities in :func:`constrained_step`."""
    impact = _collided(model, q, v, h, constraints)
    v = impact.v
    smooth, terms, factors = _factorized(model, q, v, h, constraints)
    effort = tau + dynamics.passive_forces(smooth, q, v) - terms.pull
    v_free = _carried_on(model, q, v, h, factors, effort)
    groups = _groups(model, q, v, h, constraints, told)
    if not groups:
        return Struck(v_free, memory, None, 0.0)
    impulses = Impulses(factors, groups, v_free, h, constraints.solver)
    found = impulses.found(memory)
    after = v_free + impulses.velocity(found)
    ends = _ends(model, q, after, h, len(groups), constraints) if constraints.contact else None
    return Struck(after, impact.p + found.p, impulses.shift(found, ends), impact.work + impulses.work(found))


class _Collided(NamedTuple):
    """The impact at the beginning of a step."""

    v: Array
    """(nv,), the velocity after it"""
    p: Any
    """(m,), the impulses; 0 where nothing has restitution"""
    work: Any
    """J, by which the kinetic energy changed: not positive"""
    residual: Any
    """m/s, see :meth:`Collision.solved`"""


def _collided(model: Model, q: Array, v: Array, h: Any, constraints: Constraints) -> _Collided:
    """The impact of what closes within the step and bounces. Nothing of it is computed in steps without one."""
    groups = _groups(model, q, v, h, constraints)
    if not bounces(groups):
        return _Collided(v, 0.0, 0.0, 0.0)
    size = sum(group.size for group in groups)

    def collided() -> tuple[Any, ...]:
        chosen = [group for group in groups if takes_part(group)]
        factors = inertia(model, q, dynamics.mass_matrix(model, q))
        pull = -h * factors.velocity(dynamics.gravity_forces(model, q))
        impact = Collision(factors, chosen, v, h, constraints.solver, pull)
        found, residual = impact.solved()
        own = iter(np.split(found.p, np.cumsum([group.size for group in chosen])[:-1]))
        p = [next(own) if takes_part(group) else np.zeros(group.size) for group in groups]
        return v + impact.velocity(found), np.concatenate(p), impact.work(found), residual

    struck, nothing = meets(groups, h, constraints.solver), (v, np.zeros(size), 0.0, 0.0)
    if constraints.backwards:
        return _Collided(*(where(struck, x, y) for x, y in zip(collided(), nothing, strict=True)))
    return _Collided(*when(struck, collided, *nothing))


def _ends(model: Model, q: Array, v: Array, h: Any, count: int, constraints: Constraints) -> Ends | None:
    """Where the velocity v (nv,) after a step leads: the gaps of pairs, whose groups are the last of so many."""
    chosen = [k for k, pair in enumerate(model.pairs) if followed(pair, model)]
    if not chosen:
        return None

    poses = body_poses(model, q)
    points = [points_between(model, model.pairs[k], poses) for k in chosen]

    def moved() -> tuple[Array, list[Array], list[list[Candidate]]]:
        q1 = configuration.move_straight(model, q, h * v, v)[0]
        after = body_poses(model, q1)
        about = zip(chosen, points, strict=True)
        return q1, after, [points_after(model, model.pairs[k], own, poses, after) for k, own in about]

    def gaps() -> Array:
        return np.stack([point.gap for own in moved()[2] for point in own])

    def normals() -> list[Array]:
        q1, after, found = moved()
        moves = Moves(model, after, q1, None)
        return [normal_rows(model, model.pairs[k], own, moves) for k, own in zip(chosen, found, strict=True)]

    def told(g: Array) -> Array:
        return configuration.told_before(model, h * v, g)

    turned = h * largest(v)
    first = count - len(model.pairs)
    return Ends([first + k for k in chosen], gaps, turned > BENT, normals, told, turned > TURNED, constraints.backwards)


def _carried_on(model: Model, q: Array, v: Array, h: Any, factors: Inertia, effort: Array) -> Array:
    """The velocity after a step under an effort (nv,), in the axes before it."""

    def change(v: Array) -> Array:
        return h * (factors.velocity(effort - dynamics.bias_forces(model, q, v)) + configuration.turning_rate(model, v))

    return v + change(v + 0.5 * change(v))


def _factorized(
    model: Model, q: Array, v: Array, h: Any, constraints: Constraints
) -> tuple[Model, ImplicitTerms, Inertia]:
    """The model without the dry friction that acts by impulses, what of it is implicit, and the factors of M̂."""
    smooth = _without_friction(model) if constraints.friction else model
    terms = implicit_terms(smooth, q, v, h)
    M = dynamics.mass_matrix(with_added_armature(smooth, terms.joints), q)
    for e, c in terms.springs:
        M = M + c * np.outer(e, e)
    return smooth, terms, inertia(model, q, M)


def left_by(
    model: Model, q: Array, v: Array, q1: Array, v1: Array, p: Array, h: Any, constraints: Constraints
) -> tuple[Any, Any, Any]:
    """What a step from (q, v) to (q1, v1) by the impulses p (m,) leaves.

    The work of contacts, J; what undoing overlap added to the potential energy, J; and the residual, m/s or rad/s: the
    most by which the law of one contact, limit or joint's friction alone would still change one of its velocities.
    """
    v1 = configuration.with_turning(
        model, configuration.told_before(model, configuration.difference(model, q, q1), v1), v1
    )
    impact = _collided(model, q, v, h, constraints)
    groups = _groups(model, q, impact.v, h, constraints)
    J = dense_jacobian(groups, model.nv)
    at = len(J) - sum(group.size for group in groups if isinstance(group.parts[0], Touch))
    p, struck = p - impact.p, impact.p + 0.0 * p
    work = 0.0 * p[0]
    if at < len(J):
        work = 0.5 * (struck[at:] @ (J[at:] @ (v + impact.v)) + p[at:] @ (J[at:] @ (impact.v + v1)))
    lift = _potential(model, q1) - _potential(model, configuration.move_straight(model, q, h * v1, v1)[0])
    _, _, factors = _factorized(model, q, impact.v, h, constraints)
    free = v1 - factors.velocity(J.T @ p)
    residual = Impulses(factors, groups, free, h, constraints.solver).residual(p)
    return work, lift, maximum(residual, impact.residual)


def _potential(model: Model, q: Array) -> Any:
    return dynamics.potential_energy(model, q) + dynamics.spring_energy(model, q)


def _without_friction(model: Model) -> Model:
    if not any(np.any(joint.friction) for joint in model.joints):
        return model
    joints = tuple(replace(joint, friction=np.zeros(len(joint.friction))) for joint in model.joints)
    return replace(model, joints=joints)
