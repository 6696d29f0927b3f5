"""Assembly–disassembly and hybrid blocks equal the other methods, on every mechanism and by every schedule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linkwright
from linkwright import dynamics as lw
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.program import program_of
from linkwright.dynamics.assembly.block import FORMS
from linkwright.dynamics.assembly.method import by_blocks
from linkwright.dynamics.assembly.partition import blocks_of, partition_of
from linkwright.dynamics.assembly.schedule import schedule_of
from linkwright.dynamics.assembly.subassembly import HandlePlacement, JointTerms, Subassembly, join, split
from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.expression.graph import Graph
from linkwright.model.build.builder import Builder
from linkwright.model.joints.joint import JOINT_TYPES, Compound, Free, Prismatic, Revolute, Spherical, Universal
from linkwright.model.library.built_in import built_in
from linkwright.spatial.arrays import mirror
from linkwright.spatial.transform import force_to_parent, inverse_pose
from mechanisms import one_of_each, random_tree, relative_error, state, trees

laws = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def bound(model, q):
    """How far two methods may be apart: rounding, times how badly the mechanism is conditioned.

    Assembly solves with SᵀS of each joint, whose condition is that of the joint's axes squared.
    """
    axes = [joint.motion.motion_subspace(q[model.slice(joint.name).q]) for joint in model.joints]
    worst = max((np.linalg.cond(S) ** 2 for S in axes if S.size), default=1.0)
    return 1e-14 * max(np.linalg.cond(lw.mass_matrix(model, q)), worst, 100.0)


@laws
@example(random_tree([Compound], 161, mimics=False), 0)  # three axes of slides almost in one plane
@given(trees(8, mimics=False), seeds)
def test_every_schedule_gives_the_accelerations_of_articulated_bodies(model, seed):
    q, v, tau = state(model, seed)
    wrenches = {"tip": np.arange(6.0), "body0": np.ones(6)}
    expected = lw.forward_dynamics(model, q, v, tau, wrenches)
    order = np.random.default_rng(seed).permutation(len(model.joints)).tolist()
    for schedule in (None, "serial", "balanced", order, [model.joints[k].name for k in order]):
        found = lw.forward_dynamics(model, q, v, tau, wrenches, "assembly", schedule)
        assert relative_error(found, expected) < bound(model, q), schedule


@laws
@given(trees(8, mimics=False), seeds, st.integers(1, 9), st.sampled_from(["serial", "balanced"]))
def test_every_partition_gives_the_accelerations_of_articulated_bodies(model, seed, size, schedule):
    q, v, tau = state(model, seed)
    wrenches = {"tip": np.arange(6.0), "body0": np.ones(6)}
    expected = lw.forward_dynamics(model, q, v, tau, wrenches)
    for form in FORMS:
        found = by_blocks(model, q, v, tau, wrenches, schedule, size, form=form)
        assert relative_error(found, expected) < bound(model, q), form


def test_a_block_may_stand_on_the_ground_with_several_feet():
    model = one_of_each(5)
    assert sum(link.parent < 0 for link in model.links) > 1
    q, v, tau = state(model, 3)
    expected = lw.forward_dynamics(model, q, v, tau)
    for form in FORMS:
        found = by_blocks(model, q, v, tau, partition=[range(len(model.links))], form=form)
        assert relative_error(found, expected) < bound(model, q)


@pytest.mark.parametrize("floating", [False, True])
def test_two_hundred_links_of_all_joint_types(floating):
    rng = np.random.default_rng(7)
    kinds = [Free if floating else Revolute] + [JOINT_TYPES[k] for k in rng.integers(len(JOINT_TYPES), size=199)]
    model = random_tree(kinds, 3, floating=floating)
    q, v, tau = state(model, 5)
    expected = lw.forward_dynamics(model, q, v, tau)
    for method, schedule in (("assembly", "serial"), ("assembly", "balanced"), ("hybrid", "balanced")):
        found = lw.forward_dynamics(model, q, v, tau, None, method, schedule)
        assert relative_error(found, expected) < 1e-10, (method, schedule)


def test_joint_types_have_complementary_subspaces():
    model = one_of_each(4)
    q, _, _ = state(model, 1)
    for link, x in zip(model.links, model.coordinates(q), strict=True):
        S, T, S_a = link.motion_subspace(x), link.motion.constraint_subspace(x), link.motion.effort_subspace(x)
        nv = link.motion.nv
        assert T.shape == (6, 6 - nv)
        assert np.abs(T.T @ S).max(initial=0.0) < 1e-14, link.motion.type
        assert np.abs(S_a.T @ S - np.eye(nv)).max() < 1e-13, link.motion.type
        assert np.linalg.matrix_rank(np.concatenate([T, S], axis=1)) == 6, link.motion.type


def test_shape_of_schedules():
    chain = built_in("planar:15")
    assert schedule_of(chain, "serial").depth == 2 * 15
    assert schedule_of(chain, "balanced").depth == 2 * 4  # the ground is the sixteenth
    long = built_in("chain3d:1000")
    assert schedule_of(long, "balanced").depth == 2 * 10
    for made in (schedule_of(long, "serial"), schedule_of(long, "balanced", blocks_of(range(-1, 999), 4))):
        assert max(map(len, made.handles)) <= 2
        for node, one in enumerate(made.joins, len(made.blocks)):
            below = [other for other in (one.child_node, one.parent_node) if other >= 0]
            assert all(made.level_of[other] < made.level_of[node] for other in below)
    # on one handle each: the work of articulated bodies
    assert all(len(join.place.parent_kept) + len(join.place.child_kept) <= 1 for join in schedule_of(long).joins)


def test_trees_are_put_together_in_few_rounds():
    builder = Builder("binary")
    for k in range(1, 128):
        builder.body(f"b{k}", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
        builder.joint(f"j{k}", "revolute", f"b{k // 2}" if k > 1 else "world", f"b{k}", axis=(0, 0, 1))
    tree = builder.build()
    assert schedule_of(tree, "balanced").depth <= 2 * 14
    star = Builder("star").body("hub", 1.0, (0, 0, 0), (1, 1, 1)).joint("root", "free", "world", "hub")
    for k in range(40):
        star.body(f"b{k}", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)).joint(f"j{k}", "revolute", "hub", f"b{k}", axis=(0, 0, 1))
    model = star.build()
    made = schedule_of(model, "balanced")
    assert max(map(len, made.handles)) == 1  # joints on one body share a handle
    q, v, tau = state(model, 0)
    found = lw.forward_dynamics(model, q, v, tau, None, "assembly", made)
    assert relative_error(found, lw.forward_dynamics(model, q, v, tau)) < 1e-12


@laws
@given(trees(6, mimics=False), seeds)
def test_joint_reactions_move_the_bodies(model, seed):
    """Newton–Euler: what joints and surroundings do to a body is what its motion takes."""
    q, v, tau = state(model, seed)
    wrench = np.array([3.0, -1.0, 2.0, 0.5, 1.5, -0.7])
    a = lw.forward_dynamics(model, q, v, tau, {"tip": wrench})
    reactions = lw.joint_reactions(model, q, v, tau, {"tip": wrench})
    poses = body_poses(model, q)
    total = np.zeros((len(model.bodies), 6))  # at the world's origin, in world axes
    for k, (body, link) in enumerate(zip(model.bodies, model.links, strict=True)):
        on_world = force_to_parent(lw.pose(model, q, body.name), reactions[k])
        total[k] += on_world
        if link.parent >= 0:
            total[link.parent] -= on_world
        own = force_to_parent(inverse_pose(poses[k] @ np.eye(4)), on_world)
        S = link.motion_subspace(model.coordinates(q)[k])
        expected = model.rates(tau)[k] - link.armature * model.rates(a)[k]
        assert relative_error(S.T @ own, expected) < bound(model, q)
    place = lw.pose(model, q, "tip")
    on_tip = model.frame("tip").body
    if on_tip >= 0:
        total[on_tip] += np.concatenate([wrench[:3], wrench[3:] + np.cross(place[:3, 3], wrench[:3])])
    for k, (body, link) in enumerate(zip(model.bodies, model.links, strict=True)):
        rate = lw.acceleration(model, q, v, a, body.name, "world")
        twist = lw.velocity(model, q, v, body.name, "world")
        I = link.rigid_inertia.moved(poses[k])
        momentum = I.times(twist)
        P, L, V, W = momentum[:3], momentum[3:], twist[:3], twist[3:]
        change = I.times(rate) + np.concatenate([np.cross(W, P), np.cross(W, L) + np.cross(V, P)])
        weight = np.concatenate([I.mass * model.gravity, np.cross(I.first_moment, model.gravity)])
        assert relative_error(total[k] + weight, change) < bound(model, q), body.name


@laws
@given(trees(6, mimics=False), seeds)
def test_prescribed_joints_take_the_effort_their_motion_needs(model, seed):
    q, v, tau = state(model, seed)
    rng = np.random.default_rng(seed)
    given_a = rng.normal(size=model.nv)
    chosen = tuple(joint.name for joint in model.joints if rng.uniform() < 0.5)
    a, efforts = lw.prescribed_dynamics(model, q, v, tau, given_a, chosen, {"tip": np.ones(6)})
    assert relative_error(lw.inverse_dynamics(model, q, v, a, {"tip": np.ones(6)}), efforts) < 10 * bound(model, q)
    for k, joint in enumerate(model.joints):
        if joint.name in chosen:
            assert np.array_equal(model.rates(a)[k], model.rates(given_a)[k])
        else:
            assert np.array_equal(model.rates(efforts)[k], model.rates(tau)[k])


@laws
@given(trees(6, mimics=False), seeds)
def test_plastic_impact_keeps_the_momentum_joints_allow(model, seed):
    q, v, _ = state(model, seed)
    rng = np.random.default_rng(seed)
    moving = np.array([lw.velocity(model, q, v, body.name, "body") for body in model.bodies])
    kept, impulses = lw.plastic_impact(model, q, v, moving)
    assert relative_error(kept, v) < 10 * bound(model, q)  # what the joints allow already stays
    jump = rng.normal(size=moving.shape)
    after, impulses = lw.plastic_impact(model, q, v, moving + jump)
    taken = np.zeros(model.nv)
    for body, link, own, twist in zip(model.bodies, model.links, body_poses(model, q), jump, strict=True):
        J = lw.jacobian(model, q, body.name, "body")
        T = inverse_pose(own) @ lw.pose(model, q, body.name)  # of the named frame in the body's
        taken += J.T @ link.rigid_inertia.moved(inverse_pose(T)).times(twist)
    assert relative_error(lw.mass_matrix(model, q) @ (after - v), taken) < 10 * bound(model, q)
    assert impulses.shape == (len(model.bodies), 6)


def test_a_ball_is_caught():
    """Two bodies that flew apart, now hinged: momentum is that of both."""
    apart = Builder("apart", gravity=(0, 0, 0))
    for name in ("left", "right"):
        apart.body(name, 2.0, (0, 0, 0), (0.1, 0.1, 0.1)).joint(f"free {name}", "free", "world", name)
    caught = Builder("caught", gravity=(0, 0, 0))
    caught.body("left", 2.0, (0, 0, 0), (0.1, 0.1, 0.1)).joint("free left", "free", "world", "left")
    caught.body("right", 2.0, (0, 0, 0), (0.1, 0.1, 0.1))
    caught.joint("grip", "revolute", "left", "right", xyz=(0.4, 0, 0), axis=(0, 0, 1))
    before, after = apart.build(), caught.build()
    q = np.array([0, 0, 0, 1.0, 0, 0, 0, 0.4, 0, 0, 1, 0, 0, 0])
    v = np.array([0.3, 0, 0, 0, 0, 0.5, -1.0, 0.2, 0.1, 0, 0, -2.0])
    twists = np.array([linkwright.velocity(before, q, v, name, "body") for name in ("left", "right")])
    q_after = np.concatenate([q[:7], [0.0]])
    rates, impulses = linkwright.plastic_impact(after, q_after, np.zeros(after.nv), twists)
    assert relative_error(linkwright.momentum(after, q_after, rates), linkwright.momentum(before, q, v)) < 1e-14
    assert linkwright.kinetic_energy(after, q_after, rates) < linkwright.kinetic_energy(before, q, v)
    assert np.abs(impulses[0]).max() < 1e-14  # nothing holds the left body
    assert abs(impulses[1][5]) < 1e-14  # nor does a hinge about its axis


def test_compiled_for_single_rows_and_batches():
    model = random_tree([Free, Revolute, Universal, Prismatic], 2)
    rng = np.random.default_rng(0)
    q, v, tau = model.random(5, seed=rng), rng.normal(size=(5, model.nv)), rng.normal(size=(5, model.nv))
    expected = linkwright.forward_dynamics(model, q, v, tau)
    blocks = [[model.joints[k].name for k in block] for block in partition_of(model, 3)]
    for options in (
        {"method": "assembly"},
        {"method": "assembly", "schedule": "balanced"},
        {"method": "assembly", "schedule": [joint.name for joint in model.joints]},
        {"method": "hybrid"},
        {"method": "hybrid", "partition": 2},
        {"method": "hybrid", "partition": blocks},
    ):
        for _ in range(2):  # the second time by the kernel made the first
            found = linkwright.forward_dynamics(model, q, v, tau, **options)
            assert relative_error(found, expected) < 1e-9, options
        one = linkwright.forward_dynamics(model, q[0], v[0], tau[0], **options)
        assert relative_error(one, expected[0]) < 1e-9, options
    reactions = linkwright.joint_reactions(model, q, v, tau)
    assert relative_error(reactions[3], lw.joint_reactions(model, q[3], v[3], tau[3])) < 1e-9


def step_operations(place: HandlePlacement, sizes: tuple[int, int]) -> tuple[int, int]:
    """Multiplications and additions of joining and splitting a hinge, general compliances, no transforms."""
    graph, inputs = Graph(), {}

    def symbols(name, shape):
        inputs[name] = graph.symbols(name, shape)
        return inputs[name]

    def side(name, size):
        return Subassembly(mirror(symbols(f"compliance {name}", (6 * size, 6 * size))), symbols(name, (6 * size,)))

    hinge = Revolute()
    T, S_a = hinge.constraint_subspace(np.zeros(1)), hinge.effort_subspace(np.zeros(1))
    joint = JointTerms(np.eye(4), T, np.zeros(5), S_a, np.zeros(6), symbols("c", 6), symbols("tau", 1))
    result, kept = join(side("A", sizes[0]), side("B", sizes[1]), place, joint)
    torn = split(place, sizes, joint, kept, symbols("f", 6 * len(place.parent_kept + place.child_kept)))
    count = program_of("step", graph, inputs, (*result, *kept, *torn)).operations
    return count.multiplications, count.additions


def test_steps_take_the_operations_of_the_literature():
    """Cited for a hinge: joining and splitting take 343 + 310 on one outer handle, 784 + 721 on two."""
    one = step_operations(HandlePlacement(1, 0, (0,), ()), (2, 1))
    two = step_operations(HandlePlacement(1, 0, (0,), (1,)), (2, 2))
    assert one <= (333, 321)
    assert two <= (780, 702)


def test_serial_assembly_is_least_work():
    model = random_tree([Revolute] * 12, 5, springs=False)
    counts = {
        schedule: trace(bind(lw.forward_dynamics, model, {"method": "assembly", "schedule": schedule})).operations
        for schedule in ("serial", "balanced")
    }
    assert counts["serial"].total < counts["balanced"].total


def test_couplings_are_solved_by_composite():
    model = random_tree([Revolute, Prismatic, Revolute, Revolute, Revolute], 3, mimics=True)
    assert model.has_couplings
    q, v, tau = state(model, 0)
    expected = lw.forward_dynamics(model, q, v, tau, None, "composite")
    assert np.array_equal(lw.forward_dynamics(model, q, v, tau, None, "assembly"), expected)
    for call in (
        lambda: lw.joint_reactions(model, q, v, tau),
        lambda: lw.prescribed_dynamics(model, q, v, tau, tau, ("joint0",)),
        lambda: lw.plastic_impact(model, q, v, np.zeros((5, 6))),
    ):
        with pytest.raises(ModelError, match="composite"):
            call()


def test_bodies_without_inertia_are_named():
    model = built_in("two_link")
    builder = Builder("thin").body("bar", 1.0, (0.5, 0, 0), (0.0, 0.1, 0.1)).joint("a", "revolute", "world", "bar")
    thin = builder.build()
    one = np.zeros(1)
    with pytest.raises(ModelError, match="'bar' lacks"):
        lw.forward_dynamics(thin, one, one, one, None, "assembly")
    assert lw.forward_dynamics(thin, one, one, one, None, "hybrid") == pytest.approx(
        lw.forward_dynamics(thin, one, one, one)
    )
    hinged = Builder("hinged")
    for k, thickness in enumerate((0.1, 0.0, 0.1, 0.1)):
        hinged.body(f"b{k}", 1.0, (0.5, 0, 0), (thickness, 0.1, 0.1))
        hinged.joint(f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", xyz=(1, 0, 0), axis=(0, k % 2, 1))
    flat = hinged.build()
    q, v, tau = state(flat, 0)
    with pytest.raises(ModelError, match="'b1' lacks"):
        lw.forward_dynamics(flat, q, v, tau, None, "hybrid", partition=1)
    expected = lw.forward_dynamics(flat, q, v, tau)
    for options in ({"schedule": "balanced"}, {"partition": 2}, {"partition": [[0], [1, 2], [3]]}):
        assert relative_error(lw.forward_dynamics(flat, q, v, tau, None, "hybrid", **options), expected) < 1e-12
    assert lw.forward_dynamics(model, np.zeros(2), np.zeros(2), np.zeros(2), None, "assembly").shape == (2,)


def test_mistakes_are_reported():
    model = random_tree([Revolute, Spherical, Revolute, Prismatic], 1)
    q, v, tau = state(model, 0)

    def forward(method="assembly", **options):
        return linkwright.forward_dynamics(model, q, v, tau, method=method, **options)

    for schedule, kind, text in (
        ("sideways", InputError, "'serial', 'balanced'"),
        (3, ArgumentError, "order of joints"),
        ([0, 1, 2], InputError, "each of its 4 joints"),
        ([0, 1, 2, 2], InputError, "got 4, 3 of them"),
        (["joint0", "elbow"], UnknownNameError, "elbow"),
        ([0, 1, 2, 3.5], ArgumentError, "3.5"),
        (schedule_of(built_in("planar:4")), InputError, "a tree other than"),
    ):
        with pytest.raises(kind, match=text):
            forward(schedule=schedule)
    for partition, kind, text in (
        (0, InputError, "at least one"),
        ("big", ArgumentError, "big"),
        ([[0, 1]], InputError, "is in none"),
        ([[0, 1], [1, 2, 3]], InputError, "in two"),
        ([[0, 1], [1, 2, 3]], InputError, r"; 'body2' is in two \(numbers 0, 1\)$"),
        ([[0, 1], [], [1, 2]], InputError, r"; 'body2' is in two \(numbers 0, 2\), 'body\d' is in none$"),
        ([["body0", "leg"]], UnknownNameError, "leg"),
        ([3], ArgumentError, "list of lists"),
    ):
        with pytest.raises(kind, match=text):
            forward("hybrid", partition=partition)
    with pytest.raises(InputError, match="schedule is for method"):
        forward("articulated", schedule="serial")
    with pytest.raises(InputError, match="partition is for method"):
        forward("assembly", partition=2)
    with pytest.raises(UnknownNameError, match="hinge"):
        linkwright.prescribed_dynamics(model, q, v, tau, v, ["hinge"])
    chain = built_in("planar:4")
    with pytest.raises(InputError, match="hang together"):
        partition_of(chain, [[0, 2], [1, 3]])
    with pytest.raises(InputError, match="another partition"):
        schedule_of(chain, schedule_of(chain), blocks_of(range(-1, 3), 2))
    with pytest.raises(InputError, match="several bodies"):
        lw.forward_dynamics(
            chain, *np.zeros((3, 4)), None, "assembly", schedule_of(chain, blocks=blocks_of(range(-1, 3), 2))
        )
