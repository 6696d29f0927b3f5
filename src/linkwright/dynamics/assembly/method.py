"""Forward dynamics by assembly–disassembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright import provided
from linkwright.dynamics.assembly.block import (
    FORMS,
    BlockEquations,
    BodyTerms,
    base_terms,
    block_shape,
    body_terms,
    on_the_ground,
    solved_block,
    split_composite,
)
from linkwright.dynamics.assembly.choice import block_schedule, lagrange_schedule
from linkwright.dynamics.assembly.cost import cheapest_form, profile
from linkwright.dynamics.assembly.loops import (
    Closing,
    found_orders,
    left_open,
    loop_bodies,
    loop_terms,
    row_orders,
    with_required,
)
from linkwright.dynamics.assembly.normal_form import NormalForm, normal_form
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
    free_sizes,
    ground,
    join,
    joint_terms,
    leaf,
    leaf_inertia,
    open_again,
    split,
)
from linkwright.dynamics.inverse import Wrenches, external_forces
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.linear_algebra.linalg import SemidefiniteFactors


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


def state_of(model: Model, q: Array, v: Array, tau: Array, wrenches: Wrenches | None) -> _State:
    """Return the state of every body."""
    x, rates = model.coordinates(q), model.rates(v)
    poses = [link.transform(x_k) for link, x_k in zip(model.links, x, strict=True)]
    w = model.outward(angular_velocity, np.zeros(3), poses, x, rates)
    return _State(x, rates, model.rates(tau), poses, w, external_forces(model, q, wrenches))


def leaves_of(model: Model, s: _State, inertias: Sequence[LeafInertia] | None = None) -> list[Subassembly]:
    """Return every body as a leaf."""
    if inertias is None:
        require_inertia(model)
        inertias = [leaf_inertia(link) for link in model.links]
    return [leaf(inertia, w, f) for inertia, w, f in zip(inertias, s.w, s.external, strict=True)]


def terms_of(model: Model, s: _State, k: int) -> JointTerms:
    """Return the terms of the joint of body k."""
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
    found = closed_singly(model, q, v, tau, wrenches, schedule, closing, inertias)
    return model.assemble([found.accelerations[k] for k in range(len(model.links))])


def closed_singly(
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
        lambda required: _joined_singly(model, q, still, still, None, schedule, Closing(), inertias, required),
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
    required: Array | None = None,
) -> DisassemblyResult:
    """Assemble single bodies; ``required`` (m,) replaces the loop accelerations of a mechanism without weight."""
    made = schedule_of(model, "serial" if schedule is None else schedule, loops=loop_bodies(model, closing))
    s = state_of(model, q, v, tau, wrenches)
    loops = loop_terms(model, q, v, s.w, closing)
    loops = loops if required is None else with_required(loops, required)
    terms = {k: terms_of(model, s, k) for k in range(len(model.links))} | loops
    base = ground(model.gravity if required is None else np.zeros(3))

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return _joined_singly(model, q, still, still, None, made, closing, inertias).loops

    orders = row_orders(model, made, q, factors_at)
    return assemble(made, leaves_of(model, s, inertias), base, terms, orders)


def orders_of_rows(model: Model, schedule: Schedule, closing: Closing | None) -> dict[int, Any]:
    """Return the elimination order of the rows of each loop, for any blocks of the schedule."""
    if not schedule.loops or flat_bodies(model):
        return {}
    single = schedule_of(model, loops=schedule.loops)

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return _joined_singly(model, q, still, still, None, single, closing).loops

    return found_orders(model, single, factors_at)


def by_blocks(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None = None,
    schedule: Any = None,
    partition: Any = None,
    blocks: str = "recursive",
    closing: Closing | None = None,
    form: str | None = None,
) -> Array:
    """Return v̇ (nv,) by forward dynamics with blocks as leaves.

    ``form`` of recursive blocks is the cheapest by default.
    """
    loops = loop_bodies(model, closing)
    if blocks == "lagrange":
        normal = normal_form(model, lagrange_schedule(model, schedule, partition, loops))
        require_inertia(model, normal.schedule.blocks, normal.schedule.joined)
        return by_normal_form(normal, q, v, tau, wrenches, blocks, closing)
    made = block_schedule(model, schedule, partition, loops=loops)
    require_inertia(model, made.blocks, made.joined)
    solver = _by_recursion(model, made, form)
    return _with_closed_loops(model, q, v, tau, wrenches, closing, partial(_joined_in_blocks, model, made, solver))


def by_normal_form(
    form: NormalForm,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None = None,
    blocks: str = "lagrange",
    closing: Closing | None = None,
) -> Array:
    """Return v̇ (nv,) of a mechanism in normal form, whose masses and lengths may be symbols."""
    model, made = form.model, form.schedule
    solver = _written_out(form, wrenches) if blocks == "lagrange" else _by_recursion(model, made, None, form.grounds)
    joined = partial(_joined_in_blocks, model, made, solver, inertias=form.leaves)
    return _with_closed_loops(model, form.coordinates(q), v, tau, wrenches, closing, joined)


def _with_closed_loops(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    closing: Closing | None,
    joined: Callable[..., DisassemblyResult],
) -> Array:
    """Return v̇ (nv,) by a function that assembles a state, with a second correction of the loops."""
    still = np.zeros(model.nv)
    found = _closed_again(
        model,
        q,
        v,
        joined(q, v, tau, wrenches, closing),
        closing,
        lambda required: joined(q, still, still, None, Closing(), required=required),
    )
    return model.assemble([found.accelerations[k] for k in range(len(model.links))])


class _SolvedBlock(NamedTuple):
    """A block as a leaf, and its disassembly."""

    subassembly: Subassembly
    accelerations: Callable[[Array], list[Array]]
    """accelerations (d,) of the block's joints, base first, under forces (6n,) on its handles"""


_BlockSolver = Callable[[int, _State, Array], _SolvedBlock]
"""of the block's number, the state and the acceleration (6,) of the ground"""


def _by_recursion(
    model: Model, made: Schedule, form: str | None, grounds: Mapping[int, Array] = MappingProxyType({})
) -> _BlockSolver:
    """Return the solution of blocks by recursions over their bodies."""
    widths = [link.motion.nv for link in model.links]

    def solved(number: int, s: _State, base: Array) -> _SolvedBlock:
        shape, base = block_shape(made, number), grounds.get(number, base)
        bodies = [_body_terms(model, s, k) for k in made.blocks[number]]
        if shape.floating:
            bodies[0] = base_terms(bodies[0])
        chosen = FORMS[form or cheapest_form(profile(made, number, widths), len(shape.handles))]
        assembled, kept = chosen.assemble(shape, tuple(bodies), base)
        return _SolvedBlock(assembled, lambda outer: chosen.split(shape, tuple(bodies), base, kept, outer))

    return solved


def _written_out(form: NormalForm, wrenches: Wrenches | None) -> _BlockSolver:
    """Return the solution of blocks by their written equations."""
    model, made = form.model, form.schedule
    pushed = {model.frame(name).body for name in wrenches or {}}

    def solved(number: int, s: _State, base: Array) -> _SolvedBlock:
        members, structure = made.blocks[number], form.structures[number]
        assert structure is not None
        shape, first, base = block_shape(made, number), members[0], form.grounds.get(number, base)
        # bodies with wrenches are shown like handles, since forces on them act through their Jacobians
        more = [k for k, body in enumerate(members) if body in pushed and k not in shape.handles]
        rotation = model.links[first].placement[:3, :3]
        known = provided.written_equations(structure._replace(handles=(*shape.handles, *more)))
        M, r, J, a_0 = known.at(form.letters(number, s.q, s.v, s.w[first], rotation.T @ base[:3]))
        for place, k in enumerate((*shape.handles, *more)):
            if members[k] in pushed:
                r = r + J[6 * place : 6 * place + 6].T @ s.external[members[k]]
        width = 6 * len(shape.handles)
        equations = BlockEquations(M, r, J[:width], a_0[:width])
        bodies = [_body_terms(model, s, k) for k in members]
        if shape.floating:
            bodies[0] = base_terms(bodies[0])
        elif structure.floating:
            equations = on_the_ground(equations, bodies[0], base)
        efforts = np.concatenate([body.effort for body in bodies])
        rotors = np.diag(np.concatenate([body.armature for body in bodies]))
        assembled, kept = solved_block(equations._replace(M=equations.M + rotors, r=equations.r + efforts))
        return _SolvedBlock(assembled, lambda outer: split_composite(shape, tuple(bodies), kept, outer))

    return solved


def _joined_in_blocks(
    model: Model,
    made: Schedule,
    solver: _BlockSolver,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Wrenches | None,
    closing: Closing | None,
    required: Array | None = None,
    inertias: Mapping[int, LeafInertia] = MappingProxyType({}),
) -> DisassemblyResult:
    """Return the result of the disassembly, with joints within blocks. ``required``: see :func:`_joined_singly`.

    ``inertias``: those of single bodies by number, else of the model's links.
    """
    s = state_of(model, q, v, tau, wrenches)
    base = ground(model.gravity if required is None else np.zeros(3))
    leaves: list[Subassembly] = []
    blocks: dict[int, _SolvedBlock] = {}
    for number, members in enumerate(made.blocks):
        if len(members) == 1 and members[0] in made.joined:
            k = members[0]
            leaves.append(leaf(inertias.get(k) or leaf_inertia(model.links[k]), s.w[k], s.external[k]))
            continue
        blocks[number] = solver(number, s, base.bias)
        leaves.append(blocks[number].subassembly)
    joints = [joint for joint in made.order if joint < len(model.links)]
    loops = loop_terms(model, q, v, s.w, closing)
    terms = {k: terms_of(model, s, k) for k in joints} | (loops if required is None else with_required(loops, required))

    def factors_at(q: Array) -> dict[int, SemidefiniteFactors]:
        still = np.zeros(model.nv)
        return _joined_in_blocks(model, made, solver, q, still, still, None, closing).loops

    found = assemble(made, leaves, base, terms, row_orders(model, made, q, factors_at))
    for number, block in blocks.items():
        accelerations = block.accelerations(found.leaf_forces.get(number, np.zeros(0)))
        first = 1 if made.blocks[number][0] in made.joined else 0  # the base's own joint is a join
        found.accelerations.update(zip(made.blocks[number][first:], accelerations[first:], strict=True))
    return found


def takes_apart(
    model: Model,
    method: str,
    schedule: Any = None,
    partition: Any = None,
    loops: str = "closed",
    blocks: str | None = None,
) -> bool:
    """Return whether a method inverts the inertias of parts of a mechanism, which must then be rigid bodies."""
    if method != "hybrid":
        return method == "assembly"
    if model.loops and loops == "closed":
        return True
    divided = lagrange_schedule if blocks == "lagrange" else block_schedule
    return bool(divided(model, schedule, partition).order)


def _body_terms(model: Model, s: _State, k: int) -> BodyTerms:
    link = model.links[k]
    w_parent = np.zeros(3) if link.parent == GROUND else s.w[link.parent]
    return body_terms(link, s.poses[k], s.q[k], s.v[k], s.tau[k], w_parent, s.w[k], s.external[k])
