"""Joint reactions, prescribed motions and plastic impacts, by assembly–disassembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.assembly.loops import (
    Closing,
    loop_bodies,
    loop_terms,
    row_orders,
)
from linkwright.dynamics.assembly.method import (
    DisassemblyResult,
    assemble,
    closed_singly,
    leaves_of,
    state_of,
    terms_of,
)
from linkwright.dynamics.assembly.partition import require_inertia
from linkwright.dynamics.assembly.schedule import GROUND, schedule_of
from linkwright.dynamics.assembly.subassembly import (
    JointTerms,
    LoopTerms,
    Subassembly,
    forces_of,
    ground,
)
from linkwright.dynamics.closed_loops.independent import row_space
from linkwright.dynamics.closed_loops.rows import (
    constraint_bias,
    constraint_jacobian,
    constraint_rate,
    constraint_residual,
    loop_ends,
)
from linkwright.dynamics.forces.actuation import least_efforts, require_closed, require_closed_state, velocity_places
from linkwright.dynamics.inverse import Wrenches, inverse_dynamics
from linkwright.errors import ModelError
from linkwright.model.elements import Link
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, Shaped, is_symbolic
from linkwright.spatial.inertia import inverse_inertia
from linkwright.spatial.linear_algebra.linalg import SemidefiniteFactors
from linkwright.spatial.transform import force_to_parent, inverse_pose, motion_to_child


@takes_model
def joint_reactions(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    wrenches: Wrenches | None = None,
    schedule: Any = None,
) -> Shaped[Array, "n 6"]:
    """Compute the wrenches of the joints on their bodies in forward dynamics.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    tau : array_like, shape (..., nv)
        Efforts of the joints in N or N m.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.
    schedule : {"serial", "balanced", "grouped:N"} or sequence of str, optional
        Order of assembly as in :func:`forward_dynamics`.

    Returns
    -------
    ndarray, shape (..., n, 6)
        Row k: the wrench [f; n] of the joint of body k on this body, in N and N m, at the origin of the body's own
        frame in its axes. It is the sum of the constraint force and the effort without the inertial force of the rotor,
        so that Sᵀ times the wrench is τ − armature · v̇. Loops are closed; for redundant loops the reactions are those
        of the least-norm loop forces (:func:`constraint_forces`).

    Raises
    ------
    ModelError
        If the model has couplings.
    """
    require_independent(model, "joint_reactions")
    s = state_of(model, q, v, tau, wrenches)
    terms = loop_terms(model, q, v, s.w, Closing())
    found = closed_singly(model, q, v, tau, wrenches, schedule, Closing())
    return _in_own_frames(model, _with_least_loops(model, q, s.poses, terms, found))


def _with_least_loops(
    model: Model, q: Array, poses: list[Array], terms: Mapping[int, LoopTerms], found: DisassemblyResult
) -> list[Array]:
    """Return the joint forces (6,) on the bodies for the least-norm loop forces with the same effect.

    Accelerations do not change: each joint compensates the change of the loop forces on all outward bodies.
    """
    if not terms:
        return [found.reactions[k] for k in range(len(model.links))]
    multipliers = np.concatenate([found.multipliers[number] for number in terms])
    more = row_space(model, q).within(multipliers) - multipliers
    on_bodies = [np.zeros(6)] * len(model.links)
    at = 0
    for number, loop in terms.items():
        m = loop.held.shape[1]
        ends = loop_ends(model, model.loops[number - len(model.links)])  # type: ignore[arg-type]
        for end, f in zip(ends, forces_of(loop, more[at : at + m]), strict=True):
            if end.body != GROUND:
                on_bodies[end.body] = on_bodies[end.body] + f
        at += m

    def inward(link: Link, received: tuple[Array], T: Array, on_body: Array) -> tuple[Array, tuple[Array]]:
        change = received[0] - on_body
        return change, (force_to_parent(T, change),)

    changes, _ = model.inward(inward, (np.zeros(6),), poses, on_bodies)
    return [found.reactions[k] + change for k, change in enumerate(changes)]


@takes_model
def prescribed_dynamics(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    prescribed: Sequence[str],
    wrenches: Wrenches | None = None,
    schedule: Any = None,
) -> tuple[Shaped[Array, "nv"], Shaped[Array, "nv"]]:
    """Compute forward dynamics with prescribed accelerations of some joints.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocity.
    tau : array_like, shape (..., nv)
        Efforts of the other joints in N or N m; entries of prescribed joints are ignored.
    a : array_like, shape (..., nv)
        Accelerations of the prescribed joints; entries of other joints are ignored.
    prescribed : sequence of str
        Names of the prescribed joints.
    wrenches : dict of str to array_like, shape (..., 6), optional
        External wrenches [f; n] in N and N m by frame, at the frame's origin in world axes.
    schedule : {"serial", "balanced", "grouped:N"} or sequence of str, optional
        Order of assembly as in :func:`forward_dynamics`.

    Returns
    -------
    a : ndarray, shape (..., nv)
        Accelerations of all joints.
    tau : ndarray, shape (..., nv)
        Efforts of all joints in N or N m. Where loops and prescribed joints share a load, the efforts are of least
        norm, as in :func:`inverse_dynamics` with ``actuated``.

    Raises
    ------
    InconsistentMotionError
        If the loops are open, or the given motion opens them; compiled kernels do not raise it.
    ModelError
        If the model has couplings.

    Notes
    -----
    A joint with prescribed acceleration is a joint with constraint forces in all directions (T = 1).

    References
    ----------
    Featherstone, *Rigid Body Dynamics Algorithms* (2008), section 9.2.
    """
    rates, efforts, opening = prescribed_motion_and_opening(model, q, v, tau, a, prescribed, wrenches, schedule)
    if not is_symbolic(rates, opening):
        require_closed_state(model, v, constraint_residual(model, q), constraint_rate(model, q, v))
        require_closed(model, rates, opening)
    return rates, efforts


@takes_model
def prescribed_motion_and_opening(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    tau: Shaped[Array, "nv"],
    a: Shaped[Array, "nv"],
    prescribed: Sequence[str],
    wrenches: Wrenches | None = None,
    schedule: Any = None,
) -> tuple[Shaped[Array, "nv"], Shaped[Array, "nv"], Shaped[Array, "m"]]:
    """Return the results of :func:`prescribed_dynamics`, and the accelerations K a + K̇ v (m,) at which the loops open.

    The accelerations are zero for a possible motion. Otherwise loops are closed in the rows that are not omitted.
    """
    require_independent(model, "prescribed_dynamics")
    places = velocity_places(model, prescribed, "prescribed")
    closing = Closing()
    loops = loop_bodies(model, closing)
    made = schedule_of(model, "serial" if schedule is None else schedule, loops=loops)
    names = [joint.name for joint in model.joints]
    given = model.rates(a)

    def joined(q: Array, v: Array, tau: Array, wrenches: Wrenches | None) -> DisassemblyResult:
        s = state_of(model, q, v, tau, wrenches)
        terms: dict[int, JointTerms | LoopTerms] = {**loop_terms(model, q, v, s.w, closing)}
        for k, link in enumerate(model.links):
            own = terms_of(model, s, k)
            if names[k] in prescribed:
                bias = own.bias + link.motion_subspace(s.q[k]) @ given[k]
                own = own._replace(
                    constrained=np.eye(6), rotors=np.zeros(6), bias=bias, effort=np.zeros(link.motion.nv)
                )
            terms[k] = own
        orders = row_orders(model, made, q, factors_at, tuple(sorted(prescribed)))
        return assemble(made, leaves_of(model, s), ground(model.gravity), terms, orders)

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return joined(q, still, still, None).loops

    found = joined(q, v, tau, wrenches)
    bodies = range(len(model.links))
    rates = model.assemble([given[k] if names[k] in prescribed else found.accelerations[k] for k in bodies])
    efforts = zip(names, model.rates(tau), strict=True)
    known = model.assemble([np.zeros(len(x)) if name in prescribed else x for name, x in efforts])
    if model.loops:
        opening = constraint_jacobian(model, q) @ rates + constraint_bias(model, q, v)
        needed = inverse_dynamics(model, q, v, rates, wrenches) - known
        return rates, known + least_efforts(model, q, needed, places)[0], opening
    S = [link.motion_subspace(x_k) for link, x_k in zip(model.links, model.coordinates(q), strict=True)]
    borne = [
        S[k].T @ found.reactions[k] + link.armature * given[k] if names[k] in prescribed else np.zeros(link.motion.nv)
        for k, link in enumerate(model.links)
    ]
    return rates, known + model.assemble(borne), np.zeros(0)


@takes_model
def plastic_impact(
    model: Model,
    q: Shaped[Array, "nq"],
    v: Shaped[Array, "nv"],
    twists: Shaped[Array, "n 6"],
) -> tuple[Shaped[Array, "nv"], Shaped[Array, "n 6"]]:
    """Compute the velocities and impulses of a plastic impact at which joints connect bodies that moved independently.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (..., nq)
        Configuration.
    v : array_like, shape (..., nv)
        Velocities of the joints' rotors before the impact, of joints with armature.
    twists : array_like, shape (..., n, 6)
        Row k: twist [v; ω] of body k before the impact, at the origin of the body's frame in body axes
        (``velocity(…, reference_frame="body")``).

    Returns
    -------
    v : ndarray, shape (..., nv)
        Velocities after the impact, M v⁺ = Σ JᵀI V + armature · v.
    impulses : ndarray, shape (..., n, 6)
        Impulses on the bodies in N s and N m s, in the form of :func:`joint_reactions`.

    Raises
    ------
    ModelError
        If the model has couplings.

    Notes
    -----
    The steps are those of assembly for accelerations, applied to velocities. Closed loops are connected like joints.
    The function is for mechanisms whose structure changes during a motion (:mod:`linkwright.structure`).
    """
    require_independent(model, "plastic_impact")
    require_inertia(model)
    closing = Closing()
    made = schedule_of(model, loops=loop_bodies(model, closing))

    def taken(q: Array, v: Array, twists: Array) -> DisassemblyResult:
        s = state_of(model, q, v, np.zeros(model.nv), None)
        still = np.zeros(6)
        terms: dict[int, JointTerms | LoopTerms] = {}
        leaves = []
        for k, (body, link) in enumerate(zip(model.bodies, model.links, strict=True)):
            seen = motion_to_child(inverse_pose(model.frames[body.name].placement), twists[k])
            leaves.append(Subassembly(inverse_inertia(link.rigid_inertia), seen))
            terms[k] = terms_of(model, s, k)._replace(swing=still, bias=still, effort=link.armature * s.v[k])
        for number, one in loop_terms(model, q, v, s.w, closing).items():
            required = np.zeros(one.held.shape[1])
            terms[number] = one._replace(swing_first=still, swing_second=still, required=required)
        orders = row_orders(model, made, q, lambda q: taken(q, np.zeros(model.nv), np.zeros((len(leaves), 6))).loops)
        return assemble(made, leaves, ground(np.zeros(3)), terms, orders)

    found = taken(q, v, twists)
    s = state_of(model, q, v, np.zeros(model.nv), None)
    impulses = _with_least_loops(model, q, s.poses, loop_terms(model, q, v, s.w, closing), found)
    accelerations = [found.accelerations[k] for k in range(len(model.links))]
    return model.assemble(accelerations), _in_own_frames(model, impulses)


def require_independent(model: Model, what: str) -> None:
    """Raise :class:`ModelError` for mimic joints."""
    if model.has_couplings:
        raise ModelError(
            f"{what} needs independent joints, but {model.name!r} has mimic joints; use the method "
            '"composite" of forward dynamics'
        )


def _in_own_frames(model: Model, forces: list[Array]) -> Array:
    """Return forces (6,) on the bodies in the bodies' own frames: (n, 6)."""
    placements = [model.frames[body.name].placement for body in model.bodies]
    seen = [force_to_parent(inverse_pose(T), f) for T, f in zip(placements, forces, strict=True)]
    return np.stack(seen) if seen else np.zeros((0, 6))
