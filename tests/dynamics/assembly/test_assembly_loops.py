"""Closed loops by assembly: joints that are never moved, redundant ones too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import linkwright as public
from linkwright import dynamics as lw
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.dynamics.assembly.loops import Closing, loop_bodies
from linkwright.dynamics.assembly.reactions import prescribed_motion_and_opening
from linkwright.dynamics.assembly.schedule import schedule_of
from linkwright.errors import InconsistentMotionError, ModelError
from linkwright.model.build.assembly import assemble
from linkwright.model.build.builder import Builder
from linkwright.model.build.description import FrameSpec
from linkwright.model.joints.joint import Free, Revolute
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.spatial.transform import inverse_pose
from mechanisms import looped, random_tree, relative_error, state, with_loops

laws = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)

WAYS = (
    {"method": "assembly"},
    {"method": "assembly", "schedule": "balanced"},
    {"method": "hybrid"},
    {"method": "hybrid", "partition": 2, "schedule": "balanced"},
)


def four_bars(k):
    """A chain of k planar four-bars, each on the coupler of the one before, and a state where they are closed."""
    builder = Builder(f"four_bars:{k}", gravity=(0, -9.8, 0))
    before = "world"
    for i in range(k):
        for name, center in (("crank", (0, 0.5, 0)), ("coupler", (0.5, 0, 0)), ("rocker", (0, 0.5, 0))):
            builder.body(f"{name}{i}", 1.0, center, (0.1, 0.1, 0.1))
        builder.joint(f"a{i}", "revolute", before, f"crank{i}", axis=(0, 0, 1))
        builder.joint(f"b{i}", "revolute", f"crank{i}", f"coupler{i}", xyz=(0, 1, 0), axis=(0, 0, 1))
        builder.joint(f"c{i}", "revolute", before, f"rocker{i}", xyz=(1, 0, 0), axis=(0, 0, 1))
        builder.frame(f"end{i}", f"coupler{i}", xyz=(1, 0, 0)).frame(f"top{i}", f"rocker{i}", xyz=(0, 1, 0))
        builder.loop(f"d{i}", "revolute", f"end{i}", f"top{i}", xyz=(0, 0, 0), axis=(0, 0, 1))
        before = f"coupler{i}"
    model = builder.build()
    # a parallelogram: crank and rocker turn alike, the coupler does not
    turn = np.random.default_rng(k).normal(size=k)
    signs = {"a": 1.0, "b": -1.0, "c": 1.0}
    v = np.array([signs[joint.name[0]] * turn[int(joint.name[1:])] for joint in model.joints])
    return model, np.zeros(model.nq), v


@laws
@given(looped(mimics=False), seeds)
# in a block the body that turns about the loop's point moves there by rounding alone
@example(with_loops(random_tree([Revolute, Free], 0, mimics=False), ["weld", "mask"], 241987529), 0)
def test_accelerations_are_those_of_the_whole_system(closed, seed):
    model, q = closed
    if any(isinstance(loop, CoordinateLoop) for loop in model.loops):
        return
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, model.nv))
    K, M = lw.constraint_jacobian(model, q), lw.mass_matrix(model, q)
    if seed % 2:  # else rows that depend on each other ask for what cannot be
        v = v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v)
    sizes = np.linalg.eigvalsh(K @ np.linalg.inv(M) @ K.T)
    largest = sizes.max(initial=0.0)
    assume(
        not ((sizes > 1e-13 * largest) & (sizes < 1e-6 * largest)).any()
    )  # else independence is a matter of tolerance
    kept = sizes[sizes > 1e-9 * largest]
    condition = np.linalg.cond(M) * kept.max(initial=1.0) / kept.min(initial=1.0)
    expected = lw.forward_dynamics(model, q, v, tau, method="composite")
    for way in WAYS:
        found = lw.forward_dynamics(model, q, v, tau, **way)
        assert relative_error(found, expected) < 1e-9 * max(1.0, 1e-5 * condition), way


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_hinge_held_at_a_point_of_its_axis(size):
    """Its rows of translations are rounding alone, and say nothing of how it turns."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        axis, inertia = rng.normal(size=3), (0.1 * size**2,) * 3
        builder = Builder("held", gravity=tuple(5.0 * rng.normal(size=3)))
        builder.body("door", 1.0, tuple(size * rng.normal(size=3)), inertia)
        xyz, rpy = tuple(size * rng.normal(size=3)), tuple(rng.normal(size=3))
        builder.joint("hinge", "revolute", "world", "door", xyz=xyz, rpy=rpy, axis=tuple(axis))
        builder.frame("on", "door", xyz=tuple(size * rng.normal() * axis / np.linalg.norm(axis)))
        q = rng.normal(size=1)
        builder.frame("to", "world", xyz=tuple(lw.pose(builder.build(), q, "on")[:3, 3]))
        builder.loop("held", "weld", "to", "on")
        for way in ({"method": "composite"}, *WAYS):
            found = lw.forward_dynamics(builder.build(), q, np.zeros(1), np.full(1, size), **way)
            assert abs(size * found[0]) < 1e-9, (seed, way)


@pytest.mark.parametrize("k", [1, 5, 24])
def test_redundant_four_bars(k):
    """Planar loops of five rows each, of which three depend on the others."""
    model, q, v = four_bars(k)
    tau = np.random.default_rng(0).normal(size=model.nv)
    assert relative_error(lw.constraint_jacobian(model, q) @ v, np.zeros(5 * k)) < 1e-14
    expected = lw.forward_dynamics(model, q, v, tau, method="articulated")
    for way in WAYS:
        assert relative_error(lw.forward_dynamics(model, q, v, tau, **way), expected) < 1e-9, way


def test_loops_are_closed_as_soon_as_their_bodies_are_joined():
    model, _, _ = four_bars(8)
    loops = loop_bodies(model, Closing())
    serial, balanced = (schedule_of(model, name, loops=loops) for name in ("serial", "balanced"))
    assert max(map(len, serial.handles)) <= 3
    assert balanced.depth < serial.depth
    assert sum(join.joint >= len(model.joints) for join in serial.joins) == 8
    assert schedule_of(model, schedule_of(model), loops=loops) == serial


def test_work_grows_with_the_number_of_loops():
    counts = []
    for k in (2, 4, 8):
        model, _, _ = four_bars(k)
        counts.append(trace(bind(lw.forward_dynamics, model, {"method": "assembly"})).operations.total)
    assert (counts[2] - counts[1]) / 4 < 1.2 * (counts[1] - counts[0]) / 2


def test_compiled_and_in_batches():
    model, q, v = four_bars(2)
    rng = np.random.default_rng(1)
    tau = rng.normal(size=(4, model.nv))
    rates = rng.normal(size=(4, 1)) * v
    expected = np.array([lw.forward_dynamics(model, q, *row) for row in zip(rates, tau, strict=True)])
    for way in WAYS:
        assert relative_error(public.forward_dynamics(model, q, rates, tau, **way), expected) < 1e-10, way


def test_gains_bring_loops_back():
    model, q, v = four_bars(2)
    q = q + 1e-3 * np.arange(model.nq)
    tau = np.ones(model.nv)
    expected = lw.forward_dynamics(model, q, v, tau, None, "composite", stabilization=(3.0, 4.0))
    bare = lw.forward_dynamics(model, q, v, tau, None, "composite")
    assert relative_error(expected, bare) > 1e-4
    for way in WAYS:
        found = lw.forward_dynamics(model, q, v, tau, stabilization=(3.0, 4.0), **way)
        # out of the closed configuration loops that depend on each other contradict each other a little
        assert relative_error(found, expected) < 0.1 * relative_error(bare, expected), way


def test_loops_can_be_left_open():
    model, q, v = four_bars(2)
    tau = np.ones(model.nv)
    expected = lw.forward_dynamics(model, q, v, tau, None, "articulated", loops="ignore")
    for way in WAYS:
        found = lw.forward_dynamics(model, q, v, tau, loops="ignore", **way)
        assert relative_error(found, expected) < 1e-12


def test_reactions_and_impacts_know_loops():
    model, q, v = four_bars(2)
    tau = np.ones(model.nv)
    a = lw.forward_dynamics(model, q, v, tau)
    for k, joint in enumerate(model.joints):  # hinges about z: the moment about their axis is the effort
        assert lw.joint_reactions(model, q, v, tau)[k, 5] == pytest.approx(tau[k], abs=1e-10), joint.name
    assert np.isfinite(a).all()
    loose = np.random.default_rng(2).normal(size=model.nv)
    twists = np.array([lw.velocity(model, q, loose, body.name, "body") for body in model.bodies])
    after, _ = lw.plastic_impact(model, q, np.zeros(model.nv), twists)
    assert relative_error(after, lw.impulse(model, q, loose)[0]) < 1e-10


def without_loops(model, q, multipliers):
    """The tree alone, and the wrenches that its loops exert, each on a frame of its own."""
    frames, wrenches, at = [], {}, 0
    for one in lw.loop_constraints(model, q, np.zeros(model.nv)):
        m = one.T.shape[1]
        f = one.T @ multipliers[at : at + m]
        at += m
        y = lw.pose(model, q, one.loop.second) @ one.loop.second_axes
        wrench = np.concatenate([y[:3, :3] @ f[:3], y[:3, :3] @ f[3:]])
        for which, sign in (("first", -1.0), ("second", 1.0)):  # both at the same point
            end = getattr(one.loop, which)
            place = inverse_pose(lw.pose(model, q, end)) @ y
            names = {frame.name: frame for frame in model.description.frames}
            body, placement = (end, np.eye(4)) if end not in names else (names[end].body, names[end].placement)
            frames.append(FrameSpec(f"{one.loop.name} {which}", body, placement @ place))
            wrenches[frames[-1].name] = sign * wrench
    cut = replace(model.description, loops=(), frames=(*model.description.frames, *frames))
    return assemble(cut), {name: f for name, f in wrenches.items()}


@laws
@given(looped(mimics=False), seeds)
def test_reactions_are_those_of_the_tree_under_the_least_forces_of_the_loops(closed, seed):
    """However redundant: the loops' forces are the least, and the joints bear what goes with them."""
    model, q = closed
    if not all(isinstance(loop, Loop) for loop in model.loops):
        return
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, model.nv))
    K, M = lw.constraint_jacobian(model, q), lw.mass_matrix(model, q)
    sizes = np.linalg.eigvalsh(K @ np.linalg.inv(M) @ K.T)
    largest = sizes.max(initial=0.0)
    assume(not ((sizes > 1e-13 * largest) & (sizes < 1e-6 * largest)).any())
    kept = sizes[sizes > 1e-9 * largest]
    condition = np.linalg.cond(M) * kept.max(initial=1.0) / kept.min(initial=1.0)
    tree, wrenches = without_loops(model, q, lw.constraint_forces(model, q, v, tau))
    expected = lw.joint_reactions(tree, q, v, tau, wrenches)
    for schedule in ("serial", "balanced"):
        found = lw.joint_reactions(model, q, v, tau, schedule=schedule)
        assert relative_error(found, expected) < 1e-9 * max(1.0, 1e-5 * condition), schedule


@laws
@given(looped(mimics=False), seeds)
def test_prescribed_joints_with_loops(closed, seed):
    """Told to move as they would, joints do so; their efforts, with the loops, give the same motion, and are least."""
    model, q = closed
    if any(isinstance(loop, CoordinateLoop) for loop in model.loops):
        return
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, model.nv))
    K, M = lw.constraint_jacobian(model, q), lw.mass_matrix(model, q)
    sizes = np.linalg.eigvalsh(K @ np.linalg.inv(M) @ K.T)
    largest = sizes.max(initial=0.0)
    assume(not ((sizes > 1e-13 * largest) & (sizes < 1e-6 * largest)).any())
    v = v - np.linalg.pinv(K, rcond=1e-7) @ (K @ v)
    kept = sizes[sizes > 1e-9 * largest]
    condition = np.linalg.cond(M) * kept.max(initial=1.0) / kept.min(initial=1.0)
    scale = 1e-8 * max(1.0, 1e-4 * condition)
    expected = lw.forward_dynamics(model, q, v, tau, method="composite")
    chosen = [joint.name for joint in model.joints if rng.uniform() < 0.5]
    free = np.concatenate([np.full(joint.nv, joint.name not in chosen) for joint in model.joints])
    reduced = np.linalg.svd(K[:, free], compute_uv=False)
    assume(not ((reduced > 1e-13 * np.sqrt(largest)) & (reduced < 1e-2 * np.sqrt(largest))).any())
    # what is not to be looked at is not
    a, efforts = lw.prescribed_dynamics(
        model, q, v, np.where(free, tau, np.nan), np.where(free, np.nan, expected), chosen, schedule="balanced"
    )
    assert relative_error(a, expected) < scale
    assert np.array_equal(a[~free], expected[~free])
    assert np.array_equal(efforts[free], tau[free])
    assert relative_error(lw.forward_dynamics(model, q, v, efforts, method="composite"), expected) < scale
    assert np.linalg.norm(efforts) <= np.linalg.norm(tau) * (1.0 + scale) + scale
    if np.linalg.matrix_rank(K[:, free], 1e-7) == np.linalg.matrix_rank(K, 1e-7):  # the loops can bear none of these
        assert relative_error(efforts, tau) < scale


def test_what_is_prescribed_may_be_impossible():
    """Crank and rocker of a parallelogram turn alike, or not at all."""
    model, q, v = four_bars(2)
    tau, chosen = np.random.default_rng(5).normal(size=model.nv), ["a0", "c0", "b1"]
    expected = lw.forward_dynamics(model, q, v, tau)
    for functions in (lw, public):
        a, efforts = functions.prescribed_dynamics(model, q, v, tau, expected, chosen)
        assert relative_error(a, expected) < 1e-10
        assert relative_error(functions.forward_dynamics(model, q, v, efforts), expected) < 1e-10
        both = functions.inverse_dynamics(model, q, v, a, actuated=[joint.name for joint in model.joints])
        assert np.linalg.norm(both) <= np.linalg.norm(efforts) < np.linalg.norm(tau)
        with pytest.raises(InconsistentMotionError, match=r"opens loop 'd0' at .*") as caught:
            functions.prescribed_dynamics(model, q, v, tau, expected + np.eye(model.nv)[0], chosen)
        assert caught.value.residual.shape == (10,)
    rates, _, opening = prescribed_motion_and_opening(model, q, v, tau, expected + np.eye(model.nv)[0], chosen)
    K, k = lw.constraint_jacobian(model, q), lw.constraint_bias(model, q, v)
    assert relative_error(opening, K @ rates + k) < 1e-12


def test_impulses_of_the_joints_are_the_same_however_loops_are_taken():
    """Of loops said twice, both act alike: what joints bear is as if they were said once."""
    model, q, _ = four_bars(2)
    again = tuple(replace(loop, name=f"{loop.name} again") for loop in model.loops)
    twice = assemble(replace(model.description, loops=(*model.loops, *again)))
    twists = np.random.default_rng(1).normal(size=(len(model.bodies), 6))
    for a, b in zip(
        lw.plastic_impact(model, q, np.zeros(model.nv), twists),
        lw.plastic_impact(twice, q, np.zeros(model.nv), twists),
        strict=True,
    ):
        assert relative_error(a, b) < 1e-11


def test_tied_coordinates_are_refused():
    builder = Builder("tied")
    for k in range(2):
        builder.body(f"b{k}", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.1))
        builder.joint(f"j{k}", "revolute", "world", f"b{k}", axis=(0, 1, 0))
    builder.loop("tie", ("joint", (0.0, 1.0)), "j0", "j1")
    model = builder.build()
    q, v, tau = state(model, 0)
    for method in ("assembly", "hybrid"):
        with pytest.raises(ModelError, match="couples coordinates"):
            lw.forward_dynamics(model, q, v, tau, None, method)
