"""Algorithms of large mechanisms that are more than sweeps, composed of several kernels for all rows of a batch.

A kernel of loops over the bodies, or of assembly on lanes, computes accelerations, efforts or joint forces.
The constraints of closed loops are small (`constraints.py`) and solved by NumPy. Their forces follow from
accelerations: Kᵀλ is the difference between M a + b and the efforts. Loops that cannot be assembled (couplings of
coordinates, or prescribed motions of joints) are closed together by the dense matrix K M⁻¹ Kᵀ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import BoundFunction
from linkwright.compiler.schedules.composed import kinematics, regressors, springs
from linkwright.compiler.schedules.composed.constraints import (
    LoopConstraints,
    group_stacks,
    loop_forces,
    loop_residuals,
)
from linkwright.compiler.schedules.composed.kernels import ComponentKernels, Function, weightless
from linkwright.dynamics.assembly.loops import Closing, loop_bodies
from linkwright.dynamics.assembly.partition import require_inertia
from linkwright.dynamics.assembly.reactions import prescribed_motion_and_opening, require_independent
from linkwright.dynamics.assembly.schedule import schedule_of
from linkwright.dynamics.closed_loops import forces as constrained
from linkwright.dynamics.closed_loops.rows import constraint_rate, loop_ends
from linkwright.dynamics.closed_loops.stabilization import checked_gains
from linkwright.dynamics.derivatives import require_open
from linkwright.dynamics.forces.actuation import velocity_places
from linkwright.dynamics.forces.joint_reactions import borne_forces, efforts_of, partly_prescribed
from linkwright.dynamics.forward import cheapest_method, checked_options
from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import TooLargeError
from linkwright.model.elements import Frame
from linkwright.model.joints.loop import Loop
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.stacked import Semidefinite, times
from linkwright.spatial.transform import motion_transform
from linkwright.status import with_status_message

FORWARD = ("method", "schedule", "partition", "loops", "stabilization")


# sweeps that are compiled


def answer_of_others(model: Model, q: Array, tau: Array, prescribed: tuple[str, ...]) -> Array:
    """Return M⁻¹ τ with prescribed joints at rest."""
    still = np.zeros(model.nv)
    return partly_prescribed(model, q, still, tau, still, prescribed)


def rotations(model: Model, q: Array) -> Any:
    """Return the rotation (3, 3) of every body to the world."""
    return model.each(lambda link, T: T[:3, :3], body_poses(model, q))


def numbers_of(model: Model) -> int:
    """Return the approximate size of a row in numbers."""
    stacks = [np.size(one.rows) * (sum(one.rows.shape[1:]) + one.columns.shape[1]) for one in group_stacks(model)]
    rows = sum(one.rows.size for one in group_stacks(model))
    return 100 * len(model.links) + 8 * sum(stacks) + 2 * rows * model.nv


def correction(answer: Function, constraints: LoopConstraints, opening: Array) -> Array:
    """Return the smallest motion (…, nv) with K Δ = −opening in the independent rows, by K M⁻¹ Kᵀ."""
    if not constraints.size:
        return np.zeros((*opening.shape[:-1], constraints.model.nv))
    chosen = np.flatnonzero(constraints.independent.reshape(-1, constraints.size).any(axis=0))
    Y = answer(constraints.matrix(chosen))
    A = Semidefinite(constraints.rates_of_all(Y)[..., chosen, :], constraints.independent[..., chosen])
    moved = np.zeros((*opening.shape[:-1], constraints.model.nv))
    for _ in range(2):  # the second step reduces the rounding error
        moved = moved - times(np.swapaxes(Y, -1, -2), A.solve((opening + constraints.rates(moved))[..., chosen]))
    return moved


# algorithms: functions of all rows from the kernels


def _residual(p: ComponentKernels) -> Function:
    return lambda q: loop_residuals(p.model, q)[0]


def _rate(p: ComponentKernels) -> Function:
    return lambda q, v: loop_residuals(p.model, q, v)[1]


def _jacobian(p: ComponentKernels) -> Function:
    return lambda q: LoopConstraints(p.model, q).matrix()


def _bias(p: ComponentKernels) -> Function:
    return lambda q, v: LoopConstraints(p.model, q, v).bias


def _forward(p: ComponentKernels) -> Function:
    model = p.model
    options: dict[str, Any] = {name: p.options.get(name) for name in FORWARD}
    loops = options["loops"] or "closed"
    method = options["method"] or cheapest_method(model, loops)
    checked_options(method, options["schedule"], options["partition"], loops)
    gains = checked_gains(options["stabilization"])
    dynamics.require_mass(model)
    closed = bool(model.loops) and loops == "closed"
    if not model.has_couplings:
        simple = p.of(dynamics.forward_dynamics, **options) if p.frames else None
        if simple is not None:
            return lambda q, v, tau, *f: simple(q, v, tau + p.pushed(q, *f))
        if not closed and method == "articulated":
            raise TooLargeError("of a tree it is one sweep")
        tree = p.of(dynamics.forward_dynamics, method="articulated", loops="ignore")
    else:

        def tree(q: Array, v: Array, tau: Array, *f: Array) -> Any:
            return p.answer(q, tau - p.efforts(q, v, p.still, *f))

    def closed_tree(q: Array, v: Array, tau: Array, *f: Array) -> Any:
        constraints = LoopConstraints(model, q, v)
        k = constraints.bias
        if gains is not None:
            k = k + gains[1] ** 2 * loop_residuals(model, q)[0]
        k = constraints.within(k)
        if gains is not None:
            k = k + 2.0 * gains[0] * constraints.rates(v)
        a = tree(q, v, tau, *f)
        return a + correction(partial(p.answer, q), constraints, constraints.rates(a) + k)

    return closed_tree if closed else tree


def _forward_derivatives(p: ComponentKernels) -> Function:
    require_open(p.model)
    dynamics.require_mass(p.model)
    forward = p.of(dynamics.forward_dynamics, pushed=True)
    derivatives = p.of(dynamics.inverse_dynamics_derivatives, pushed=True)

    def all_rows(q: Array, v: Array, tau: Array, *f: Array) -> tuple[Array, Array, Array]:
        by_q, by_v, M = derivatives(q, v, forward(q, v, tau, *f), *f)
        inverse = np.linalg.inv(M)
        return -(inverse @ by_q), -(inverse @ by_v), 0.5 * (inverse + np.swapaxes(inverse, -1, -2))

    return all_rows


def _position_correction(p: ComponentKernels) -> Function:
    dynamics.require_mass(p.model)

    def all_rows(q: Array) -> Array:
        constraints = LoopConstraints(p.model, q)
        return correction(partial(p.answer, q), constraints, constraints.within(loop_residuals(p.model, q)[0]))

    return all_rows


def _velocity_correction(p: ComponentKernels) -> Function:
    dynamics.require_mass(p.model)

    def all_rows(q: Array, v: Array) -> Array:
        constraints = LoopConstraints(p.model, q)
        return correction(partial(p.answer, q), constraints, constraints.rates(v))

    return all_rows


def _project(p: ComponentKernels) -> Function:
    integrate, step = p.of(dynamics.integrate), p.of(constrained.position_correction)
    return lambda q, v: (integrate(q, step(q)), v + p.closing(q, v))


def _constraint_forces(p: ComponentKernels) -> Function:
    checked_gains(p.options.get("stabilization"))
    if not p.model.loops:
        return lambda q, v, tau, *f: np.zeros((*q.shape[:-1], 0))
    dynamics.require_mass(p.model)

    def all_rows(q: Array, v: Array, tau: Array, *f: Array) -> Array:
        lacking = p.efforts(q, v, p.forward(q, v, tau, *f), *f) - tau
        return LoopConstraints(p.model, q).multipliers(lacking)

    return all_rows


_WORLD = Frame(-1, np.eye(4))


def _constraint_wrenches(p: ComponentKernels) -> Function:
    forces = p.of(dynamics.constraint_forces, pushed=True, stabilization=p.options.get("stabilization"))
    if not p.model.loops:
        return lambda q, v, tau, *f: np.zeros((*q.shape[:-1], 0, 6))
    turns = p.of(rotations)
    seconds = [loop_ends(p.model, loop)[1] if isinstance(loop, Loop) else _WORLD for loop in p.model.loops]
    axes, bodies = np.array([one.placement[:3, :3] for one in seconds]), np.array([one.body for one in seconds])

    def all_rows(q: Array, v: Array, tau: Array, *f: Array) -> Array:
        found = loop_forces(p.model, q, forces(q, v, tau, *f)).on_second
        R = np.where((bodies < 0)[:, None, None], np.eye(3), turns(q)[..., bodies, :, :]) @ axes
        return np.concatenate([times(R, found[..., :3]), times(R, found[..., 3:])], axis=-1)

    return all_rows


def _impulse(p: ComponentKernels) -> Function:
    dynamics.require_mass(p.model)

    def all_rows(q: Array, v: Array, *f: Array) -> tuple[Array, Array]:
        constraints, push = LoopConstraints(p.model, q), p.pushed(q, *f)
        before = v + p.answer(q, push) if f else v
        after = before + p.closing(q, before)
        return after, constraints.multipliers(p.momenta(q, after - v) - push)

    return all_rows


def _require_parts(p: ComponentKernels, what: str) -> None:
    """Raise an error where the reference implementation does, which inverts inertias of parts."""
    require_independent(p.model, what)
    schedule = p.options.get("schedule")
    schedule_of(p.model, "serial" if schedule is None else schedule, loops=loop_bodies(p.model, Closing()))
    require_inertia(p.model)


def _joint_reactions(p: ComponentKernels) -> Function:
    _require_parts(p, "joint_reactions")
    borne = p.of(borne_forces, pushed=True, forces=(len(p.model.links), 6))

    def all_rows(q: Array, v: Array, tau: Array, *f: Array) -> Any:
        a = p.forward(q, v, tau, *f)
        forces = np.zeros((*q.shape[:-1], len(p.model.links), 6))
        if p.model.loops:
            multipliers = LoopConstraints(p.model, q).multipliers(p.efforts(q, v, a, *f) - tau)
            forces = loop_forces(p.model, q, multipliers).on_bodies
        return borne(q, v, a, forces, *f)

    return all_rows


def _plastic_impact(p: ComponentKernels) -> Function:
    _require_parts(p, "plastic_impact")
    model, shape = p.model, (len(p.model.links), 6)
    efforts = p.of(efforts_of, forces=shape)
    borne = p.of(borne_forces, weightless(model), forces=shape)
    seen = [motion_transform(model.frames[body.name].placement) for body in model.bodies]
    inertias = np.array([link.rigid_inertia.matrix() @ X for link, X in zip(model.links, seen, strict=True)])

    def all_rows(q: Array, v: Array, twists: Array) -> tuple[Array, Array]:
        constraints, had = LoopConstraints(model, q), times(inertias, twists)
        momenta = efforts(q, had) + model.armature * v
        before = p.answer(q, momenta)
        after = before + p.closing(q, before)
        on_bodies = loop_forces(model, q, constraints.multipliers(p.momenta(q, after) - momenta)).on_bodies
        return after, borne(q, np.zeros_like(v), after, had + on_bodies)

    return all_rows


def _prescribed_motion(p: ComponentKernels) -> Function:
    _require_parts(p, "prescribed_dynamics")
    model, prescribed = p.model, tuple(p.options["prescribed"])
    places = velocity_places(model, prescribed, "prescribed")
    is_prescribed = np.zeros(model.nv)
    is_prescribed[places] = 1.0
    moved = p.of(partly_prescribed, pushed=True, prescribed=prescribed)
    held = p.of(answer_of_others, weightless(model), prescribed=prescribed) if model.loops else None

    def all_rows(q: Array, v: Array, tau: Array, a: Array, *f: Array) -> tuple[Array, Array, Array]:
        tau, a = np.where(is_prescribed, 0.0, tau), np.where(is_prescribed, a, 0.0)
        rates = moved(q, v, tau, a, *f)
        if held is not None:
            constraints, free = LoopConstraints(model, q, v), LoopConstraints(model, q, v, free=1.0 - is_prescribed)
            opening = constraints.rates(rates) + constraints.bias
            rates = rates + correction(lambda X: held(q[..., None, :], X), free, opening)
            opening = constraints.rates(rates) + constraints.bias
            needed = p.efforts(q, v, rates, *f) - tau
            return rates, tau + constraints.least_efforts(needed, places)[0], opening
        efforts = np.where(is_prescribed, p.efforts(q, v, rates, *f), tau)
        return rates, efforts, np.zeros((*q.shape[:-1], 0))

    return all_rows


def _prescribed_dynamics(p: ComponentKernels) -> Function:
    """Return the function of a mechanism without loops, whose results need no check."""
    motion = _prescribed_motion(p)
    return lambda *arrays: motion(*arrays)[:2]


def _actuated_efforts(p: ComponentKernels) -> Function:
    places = velocity_places(p.model, p.options["actuated"], "actuated")

    def all_rows(q: Array, v: Array, a: Array, *f: Array) -> tuple[Array, Array, Array]:
        constraints = LoopConstraints(p.model, q, v)
        efforts, missing = constraints.least_efforts(p.efforts(q, v, a, *f), places)
        return efforts, missing, constraints.rates(a) + constraints.bias

    return all_rows


COMPOSED: dict[Function, Callable[[ComponentKernels], Function]] = {
    dynamics.actuated_efforts: _actuated_efforts,
    dynamics.constraint_bias: _bias,
    dynamics.constraint_forces: _constraint_forces,
    dynamics.constraint_jacobian: _jacobian,
    constraint_rate: _rate,
    dynamics.constraint_residual: _residual,
    dynamics.constraint_wrenches: _constraint_wrenches,
    dynamics.forward_dynamics: _forward,
    dynamics.forward_dynamics_derivatives: _forward_derivatives,
    dynamics.impulse: _impulse,
    dynamics.joint_reactions: _joint_reactions,
    dynamics.force_ellipsoid: kinematics.force_ellipsoid,
    dynamics.kinematic_hessian: kinematics.hessian,
    dynamics.energy_regressor: regressors.energy_regressor,
    dynamics.momentum_regressor: regressors.regressor,
    dynamics.reference_regressor: regressors.regressor,
    dynamics.regressor: regressors.regressor,
    dynamics.manipulability: kinematics.manipulability,
    dynamics.velocity_ellipsoid: kinematics.velocity_ellipsoid,
    dynamics.passive_forces: springs.passive_forces,
    dynamics.plastic_impact: _plastic_impact,
    constrained.position_correction: _position_correction,
    dynamics.prescribed_dynamics: _prescribed_dynamics,
    prescribed_motion_and_opening: _prescribed_motion,
    dynamics.project: _project,
    dynamics.spring_energy: springs.spring_energy,
    dynamics.spring_lengths: springs.spring_lengths,
    constrained.velocity_correction: _velocity_correction,
}


LARGEST = 2**25
"""Approximate size in numbers of all rows that are processed together."""


@with_status_message(lambda bound: f"compiling {bound.title}")
def composed(bound: BoundFunction, compiled: Function) -> tuple[BoundFunction, int]:
    """Return the algorithm of all rows of a batch, and the best block size; ``compiled(bound)`` compiles kernels.

    Raises :class:`TooLargeError` for loops of too many kinds or with too long paths.
    """
    pieces = ComponentKernels(bound, compiled)
    made = replace(bound, function=COMPOSED[bound.book](pieces))
    return made, max(1, LARGEST // numbers_of(pieces.model))
