"""Forward dynamics by assembly–disassembly, joint reactions, prescribed motions and plastic impacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.block import (
    FORMS,
    BlockAlgorithm,
    BlockShape,
    BodyTerms,
    base_terms,
    block_shape,
    body_terms,
)
from linkwright.dynamics.assembly.choice import block_schedule
from linkwright.dynamics.assembly.cost import cheapest_form, profile
from linkwright.dynamics.assembly.loops import (
    Closing,
    asking,
    found_orders,
    left_open,
    loop_bodies,
    loop_terms,
    row_orders,
)
from linkwright.dynamics.assembly.partition import flat_bodies, require_inertia
from linkwright.dynamics.assembly.schedule import GROUND, Schedule, schedule_of
from linkwright.dynamics.assembly.subassembly import (
    ClosedLoopTerms,
    JointTerms,
    LeafInertia,
    LoopTerms,
    Subassembly,
    angular_velocity,
    close,
    forces_of,
    free_sizes,
    ground,
    join,
    joint_terms,
    leaf,
    leaf_inertia,
    open_again,
    split,
)
from linkwright.dynamics.closed_loops.independent import row_space
from linkwright.dynamics.closed_loops.rows import constraint_bias, constraint_jacobian, loop_ends
from linkwright.dynamics.forces.actuation import least_efforts, require_closed, velocity_places
from linkwright.dynamics.inverse import Wrenches, external_forces, inverse_dynamics
from linkwright.errors import ModelError
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, Shaped, is_symbolic
from linkwright.spatial.inertia import inverse_inertia
from linkwright.spatial.linalg import SemidefiniteFactors
from linkwright.spatial.transform import force_to_parent, inverse_pose, motion_to_child


class DisassemblyResult(NamedTuple):
    """Results of the disassembly."""

    reactions: dict[int, Array]
    """force f (6,) of each joint on its body, in the body's frame, by body"""
    accelerations: dict[int, Array]
    """acceleration v̇ (its nv,) of each joint, by body"""
    leaf_forces: dict[int, Array]
    """forces (6n,) on the handles of each leaf, by its number"""
    loops: dict[int, SemidefiniteFactors]
    """factors of the eliminated rows of each loop"""
    multipliers: dict[int, Array]
    """λ of each loop, zero in omitted rows"""


def assemble(
    schedule: Schedule,
    leaves: Sequence[Subassembly],
    base: Subassembly,
    terms: Mapping[int, JointTerms | LoopTerms],
    orders: Mapping[int, Sequence[int]] = MappingProxyType({}),
) -> DisassemblyResult:
    """Join all nodes in the order of a schedule, then split them in the reverse order.

    ``base`` is the ground; ``terms`` are those of the joints by body and of the loops by number; ``orders``
    are those of the rows of loops (see :func:`close`).
    """
    nodes = list(leaves)
    kept: list[Any] = []
    for one in schedule.joins:
        A, B = (base if node == GROUND else nodes[node] for node in (one.parent_node, one.child_node))
        what = terms[one.joint]
        joined: Any
        if isinstance(what, LoopTerms):
            same = one.parent_node == one.child_node
            first, second = (_alone(schedule, leaves, base, body) for body in schedule.ends(one.joint))
            result, joined = close(A, B, one.place, what, same, free_sizes(first, second, what), orders.get(one.joint))
        else:
            result, joined = join(A, B, one.place, what)
        nodes.append(result)
        kept.append(joined)
    forces: dict[int, Array] = {}
    reactions, accelerations, multipliers = {}, {}, {}
    for number in reversed(range(len(kept))):
        one, joined = schedule.joins[number], kept[number]
        outer = forces.pop(len(leaves) + number, np.zeros(0))
        what = terms[one.joint]
        if isinstance(what, LoopTerms):
            same = one.parent_node == one.child_node
            multipliers[one.joint], *sides = open_again(one.place, schedule.sizes(one), what, joined, outer, same)
        else:
            torn = split(one.place, schedule.sizes(one), what, joined, outer)
            sides = [torn.parent_forces, torn.child_forces]
            reactions[one.joint], accelerations[one.joint] = torn.reaction, torn.acceleration
        # all forces of a loop within one node are on the parent's side
        for node, on_side in zip((one.child_node, one.parent_node), reversed(sides), strict=True):
            if node != GROUND:
                forces[node] = on_side
    closed = {
        one.joint: joined.factors
        for one, joined in zip(schedule.joins, kept, strict=True)
        if isinstance(joined, ClosedLoopTerms)
    }
    return DisassemblyResult(reactions, accelerations, forces, closed, multipliers)


def _alone(schedule: Schedule, leaves: Sequence[Subassembly], base: Subassembly, body: int) -> Array:
    """Return the compliance (6, 6) of a handle in its leaf."""
    if body == GROUND:
        return base.compliance
    leaf = schedule.leaf_of[body]
    at = 6 * schedule.handles[leaf].index(body)
    return leaves[leaf].compliance[at : at + 6, at : at + 6]


class _State(NamedTuple):
    """State of every body and its joint."""

    q: list[Array]
    v: list[Array]
    tau: list[Array]
    poses: list[Array]
    w: list[Array]
    """angular velocities of the bodies"""
    external: list[Array]


def _state(model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None) -> _State:
    x, rates = model.coordinates(q), model.rates(v)
    poses = [link.transform(x_k) for link, x_k in zip(model.links, x, strict=True)]
    w = model.outward(angular_velocity, np.zeros(3), poses, x, rates)
    return _State(x, rates, model.rates(tau), poses, w, external_forces(model, q, wrenches))


def _leaves(model: Model, s: _State, inertias: Sequence[LeafInertia] | None = None) -> list[Subassembly]:
    """Return every body as a leaf."""
    if inertias is None:
        require_inertia(model)
        inertias = [leaf_inertia(link) for link in model.links]
    return [leaf(inertia, w, f) for inertia, w, f in zip(inertias, s.w, s.external, strict=True)]


def _terms(model: Model, s: _State, k: int) -> JointTerms:
    parent = model.links[k].parent
    w_parent = np.zeros(3) if parent == GROUND else s.w[parent]
    return joint_terms(model.links[k], s.poses[k], s.q[k], s.v[k], s.tau[k], w_parent)


def by_assembly(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None = None,
    schedule: Any = None,
    closing: Closing | None = None,
    inertias: Sequence[LeafInertia] | None = None,
) -> Array:
    """Return v̇ (nv,) by forward dynamics with every body as a leaf; ``inertias`` are precomputed leaves."""
    found = _closed_singly(model, q, v, tau, wrenches, schedule, closing, inertias)
    return model.assemble([found.accelerations[k] for k in range(len(model.links))])


def _closed_singly(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    schedule: Any,
    closing: Closing | None,
    inertias: Sequence[LeafInertia] | None = None,
) -> DisassemblyResult:
    """Return the result of the disassembly, with a second correction of the loops."""
    still = np.zeros(model.nv)
    found = _joined_singly(model, q, v, tau, wrenches, schedule, closing, inertias)
    return _closed_again(
        model,
        q,
        v,
        found,
        closing,
        lambda asked: _joined_singly(model, q, still, still, None, schedule, Closing(), inertias, asked),
    )


def _closed_again(
    model: Model,
    q: Array,
    v: Array,
    found: DisassemblyResult,
    closing: Closing | None,
    answer: Callable[[Array], DisassemblyResult],
) -> DisassemblyResult:
    """Correct the remaining residual of the loops: with many loops, Φ is a small difference of large terms.

    ``answer`` computes the response of the mechanism at rest and without weight to loop accelerations (m,).
    """
    if closing is None or not model.loops:
        return found
    a = model.assemble([found.accelerations[k] for k in range(len(model.links))])
    more = answer(-left_open(model, q, v, a, closing))
    return found._replace(
        reactions={k: f + more.reactions[k] for k, f in found.reactions.items()},
        accelerations={k: x + more.accelerations[k] for k, x in found.accelerations.items()},
        multipliers={k: x + more.multipliers[k] for k, x in found.multipliers.items()},
    )


def _joined_singly(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    schedule: Any,
    closing: Closing | None,
    inertias: Sequence[LeafInertia] | None = None,
    asked: Array | None = None,
) -> DisassemblyResult:
    """Assemble single bodies; ``asked`` (m,) replaces the loop accelerations of a mechanism without weight."""
    made = schedule_of(model, "serial" if schedule is None else schedule, loops=loop_bodies(model, closing))
    s = _state(model, q, v, tau, wrenches)
    loops = loop_terms(model, q, v, s.w, closing)
    loops = loops if asked is None else asking(loops, asked)
    terms = {k: _terms(model, s, k) for k in range(len(model.links))} | loops
    base = ground(model.gravity if asked is None else np.zeros(3))

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return _joined_singly(model, q, still, still, None, made, closing, inertias).loops

    orders = row_orders(model, made, q, factors_at)
    return assemble(made, _leaves(model, s, inertias), base, terms, orders)


def orders_of_rows(model: Model, schedule: Schedule, closing: Closing | None) -> dict[int, Any]:
    """Return the elimination order of the rows of each loop, for any blocks of the schedule."""
    if not schedule.loops or flat_bodies(model):
        return {}
    single = schedule_of(model, loops=schedule.loops)

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return _joined_singly(model, q, still, still, None, single, closing).loops

    return found_orders(model, single, factors_at)


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
    s = _state(model, q, v, tau, wrenches)
    terms = loop_terms(model, q, v, s.w, Closing())
    found = _closed_singly(model, q, v, tau, wrenches, schedule, Closing())
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
        If the given motion opens the loops; compiled kernels do not raise it.
    ModelError
        If the model has couplings.

    Notes
    -----
    A joint with prescribed acceleration is a joint with constraint forces in all directions (T = 1).

    References
    ----------
    %fea section 9.2.
    """
    rates, efforts, opening = prescribed_motion_and_opening(model, q, v, tau, a, prescribed, wrenches, schedule)
    if not is_symbolic(rates, opening):
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
        s = _state(model, q, v, tau, wrenches)
        terms: dict[int, JointTerms | LoopTerms] = {**loop_terms(model, q, v, s.w, closing)}
        for k, link in enumerate(model.links):
            own = _terms(model, s, k)
            if names[k] in prescribed:
                bias = own.bias + link.motion_subspace(s.q[k]) @ given[k]
                own = own._replace(
                    constrained=np.eye(6), rotors=np.zeros(6), bias=bias, effort=np.zeros(link.motion.nv)
                )
            terms[k] = own
        orders = row_orders(model, made, q, factors_at, tuple(sorted(prescribed)))
        return assemble(made, _leaves(model, s), ground(model.gravity), terms, orders)

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return joined(q, still, still, None).loops

    found = joined(q, v, tau, wrenches)
    bodies = range(len(model.links))
    rates = model.assemble([given[k] if names[k] in prescribed else found.accelerations[k] for k in bodies])
    efforts = zip(names, model.rates(tau), strict=True)
    told = model.assemble([np.zeros(len(x)) if name in prescribed else x for name, x in efforts])
    if model.loops:
        opening = constraint_jacobian(model, q) @ rates + constraint_bias(model, q, v)
        needed = inverse_dynamics(model, q, v, rates, wrenches) - told
        return rates, told + least_efforts(model, q, needed, places)[0], opening
    S = [link.motion_subspace(x_k) for link, x_k in zip(model.links, model.coordinates(q), strict=True)]
    borne = [
        S[k].T @ found.reactions[k] + link.armature * given[k] if names[k] in prescribed else np.zeros(link.motion.nv)
        for k, link in enumerate(model.links)
    ]
    return rates, told + model.assemble(borne), np.zeros(0)


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
        s = _state(model, q, v, np.zeros(model.nv), None)
        still = np.zeros(6)
        terms: dict[int, JointTerms | LoopTerms] = {}
        leaves = []
        for k, (body, link) in enumerate(zip(model.bodies, model.links, strict=True)):
            seen = motion_to_child(inverse_pose(model.frames[body.name].placement), twists[k])
            leaves.append(Subassembly(inverse_inertia(link.rigid_inertia), seen))
            terms[k] = _terms(model, s, k)._replace(swing=still, bias=still, effort=link.armature * s.v[k])
        for number, one in loop_terms(model, q, v, s.w, closing).items():
            asked = np.zeros(one.held.shape[1])
            terms[number] = one._replace(swing_first=still, swing_second=still, asked=asked)
        orders = row_orders(model, made, q, lambda q: taken(q, np.zeros(model.nv), np.zeros((len(leaves), 6))).loops)
        return assemble(made, leaves, ground(np.zeros(3)), terms, orders)

    found = taken(q, v, twists)
    s = _state(model, q, v, np.zeros(model.nv), None)
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


def by_blocks(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None = None,
    schedule: Any = None,
    partition: Any = None,
    closing: Closing | None = None,
    form: str | None = None,
) -> Array:
    """Return v̇ (nv,) by forward dynamics with blocks as leaves; ``form`` of all blocks is the cheapest by default."""
    made = block_schedule(model, schedule, partition, loops=loop_bodies(model, closing))
    still = np.zeros(model.nv)
    found = _closed_again(
        model,
        q,
        v,
        _joined_in_blocks(model, q, v, tau, wrenches, made, closing, form),
        closing,
        lambda asked: _joined_in_blocks(model, q, still, still, None, made, Closing(), form, asked),
    )
    return model.assemble([found.accelerations[k] for k in range(len(model.links))])


def _joined_in_blocks(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    made: Schedule,
    closing: Closing | None,
    form: str | None,
    asked: Array | None = None,
) -> DisassemblyResult:
    """Return the result of the disassembly, with joints within blocks. ``asked``: see :func:`_joined_singly`."""
    require_inertia(model, made.blocks, made.joined)
    widths = [link.motion.nv for link in model.links]
    s = _state(model, q, v, tau, wrenches)
    base = ground(model.gravity if asked is None else np.zeros(3))
    leaves: list[Subassembly] = []
    blocks: dict[int, tuple[BlockAlgorithm, BlockShape, tuple[BodyTerms, ...], Any]] = {}
    for number, members in enumerate(made.blocks):
        if len(members) == 1 and members[0] in made.joined:
            k = members[0]
            leaves.append(leaf(leaf_inertia(model.links[k]), s.w[k], s.external[k]))
            continue
        shape = block_shape(made, number)
        bodies = [_body_terms(model, s, k) for k in members]
        if shape.floating:
            bodies[0] = base_terms(bodies[0])
        chosen = FORMS[form or cheapest_form(profile(made, number, widths), len(shape.handles))]
        assembled, kept = chosen.assemble(shape, tuple(bodies), base.bias)
        blocks[number] = chosen, shape, tuple(bodies), kept
        leaves.append(assembled)
    joints = [joint for joint in made.order if joint < len(model.links)]
    loops = loop_terms(model, q, v, s.w, closing)
    terms = {k: _terms(model, s, k) for k in joints} | (loops if asked is None else asking(loops, asked))

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return _joined_in_blocks(model, q, still, still, None, made, closing, form).loops

    found = assemble(made, leaves, base, terms, row_orders(model, made, q, factors_at))
    for number, (chosen, shape, of_bodies, kept) in blocks.items():
        outer = found.leaf_forces.get(number, np.zeros(0))
        of_block = chosen.split(shape, of_bodies, base.bias, kept, outer)
        first = 1 if shape.floating else 0  # the base's own joint is a join
        found.accelerations.update(zip(made.blocks[number][first:], of_block[first:], strict=True))
    return found


def takes_apart(model: Model, method: str, schedule: Any = None, partition: Any = None, loops: str = "closed") -> bool:
    """Return whether a method inverts the inertias of parts of a mechanism, which must then be rigid bodies."""
    if method != "hybrid":
        return method == "assembly"
    if model.loops and loops == "closed":
        return True
    return bool(block_schedule(model, schedule, partition).order)


def _body_terms(model: Model, s: _State, k: int) -> BodyTerms:
    link = model.links[k]
    w_parent = np.zeros(3) if link.parent == GROUND else s.w[link.parent]
    return body_terms(link, s.poses[k], s.q[k], s.v[k], s.tau[k], w_parent, s.w[k], s.external[k])
