"""Sweeps compiled as loops over the bodies: the same numbers as straight-line code, for mechanisms of any size."""

from __future__ import annotations

import os
import pickle
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.compiler.native.machine import target
from linkwright.compiler.passes.minimum_cut import Cut
from linkwright.compiler.schedules import selection
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.compiler.schedules.loops import LoopProgram
from linkwright.dynamics.kinematics import body_poses, body_velocities
from linkwright.errors import InconsistentMotionError, TooLargeError
from linkwright.model.joints.joint import JOINT_TYPES
from mechanisms import one_of_each, random_tree, relative_error, state, trees
from shortened import long_form

SWEEPS = (lw.forward_dynamics, lw.inverse_dynamics, lw.bias_forces, lw.gravity_forces)


def arguments(function, model, seed):
    q, v, a = state(model, seed)
    return {lw.gravity_forces: (q,), lw.bias_forces: (q, v)}.get(function, (q, v, a))


def conditioned(model, q):
    """Return the condition number of M, by which rounding errors grow."""
    return np.linalg.cond(lw.dynamics.mass_matrix(model, q))


@settings(max_examples=5, deadline=None)
@given(trees(max_joints=8, mimics=False), st.integers(0, 1000))
def test_loops_compute_what_the_book_does(model, seed):
    for function in (lw.forward_dynamics, lw.inverse_dynamics):
        arrays = arguments(function, model, seed)
        kernel = lw.compile(function, model, unroll=False)
        assert isinstance(kernel.program, LoopProgram)
        scale = 1e-12 if function is not lw.forward_dynamics else 1e-15 * conditioned(model, arrays[0]) + 1e-12
        assert relative_error(kernel(*arrays), function.book(model, *arrays)) < scale


@pytest.mark.usefixtures("optimized")  # code as users have it, of every joint type
@pytest.mark.parametrize("function", SWEEPS)
def test_every_joint_type_on_lanes_and_alone(function):
    model = one_of_each(3)
    rows = [arguments(function, model, seed) for seed in range(19)]  # two blocks of lanes, and some over
    kernel = lw.compile(function, model, unroll=False)
    together = kernel(*(np.array(x) for x in zip(*rows, strict=True)))
    book = np.array([function.book(model, *row) for row in rows])
    assert np.array_equal(together, np.array([kernel(*row) for row in rows]))
    assert relative_error(together, book) < 1e-11


@pytest.mark.parametrize("reference_frame", ["world_aligned", "body", "world"])
def test_kinematics_of_a_frame(reference_frame):
    model = one_of_each(5)
    q, v, a = state(model, 1)
    for function, arrays in ((lw.velocity, (q, v)), (lw.acceleration, (q, v, a))):
        kernel = lw.compile(function, model, unroll=False, frame="tip", reference_frame=reference_frame)
        assert relative_error(kernel(*arrays), function.book(model, *arrays, "tip", reference_frame)) < 1e-13
    kernel = lw.compile(lw.pose, model, unroll=False, frame="tip")
    assert relative_error(kernel(q), lw.dynamics.pose(model, q, "tip")) < 1e-14


def test_results_of_every_body():
    model = random_tree(list(JOINT_TYPES) * 2, seed=8)
    q, v, _ = state(model, 2)
    poses, twists = lw.compile(body_poses, model, unroll=False), lw.compile(body_velocities, model, unroll=False)
    assert poses(q).shape == (len(model.bodies), 4, 4)
    assert relative_error(poses(q), np.array(body_poses(model, q))) < 1e-14
    assert relative_error(twists(q, v), np.array(body_velocities(model, q, v))) < 1e-13


def test_several_results():
    model = lw.load("arm7")

    def both(model, q, v):
        """Poses and velocities."""
        return body_poses(model, q), body_velocities(model, q, v)

    q, v, _ = state(model, 2)
    poses, twists = lw.compile(both, model, unroll=False)(q, v)
    assert relative_error(poses, np.array(body_poses(model, q))) < 1e-14
    assert relative_error(twists, np.array(body_velocities(model, q, v))) < 1e-14


def test_machine_code_for_rows_and_for_batches_is_made_when_it_is_needed():
    model = lw.load("planar:12")
    rows = [np.array(x) for x in zip(*(state(model, seed) for seed in range(3)), strict=True)]
    kernel = lw.compile(lw.inverse_dynamics, model, unroll=False)
    assert set(kernel._native._codes) == {"row"}
    alone = kernel(*(x[1] for x in rows))
    assert set(kernel._native._codes) == {"row"}
    assert np.array_equal(kernel(*rows)[1], alone)
    assert set(kernel._native._codes) == {"row", "batches"}
    lanes_taken = lw.compile(lw.forward_dynamics, model, unroll=False, method="assembly")
    assert set(lanes_taken._native._codes) == {"both"}


def test_mechanisms_of_a_hundred_bodies_run_in_loops_by_themselves():
    chain = lw.load("chain3d:120")
    q, v, tau = state(chain, 0)
    kernel = lw.compile(lw.forward_dynamics, chain)
    assert isinstance(kernel.program, LoopProgram)
    a = lw.forward_dynamics(chain, q, v, tau)
    assert np.array_equal(a, kernel(q, v, tau))
    assert relative_error(a, lw.dynamics.forward_dynamics(chain, q, v, tau)) < 1e-9
    assert relative_error(lw.inverse_dynamics(chain, q, v, a), tau) < 1e-7
    assert not isinstance(lw.compile(lw.forward_dynamics, chain, unroll=True).program, LoopProgram)


@pytest.mark.parametrize("links", [2_000, *long_form(10_000)])
def test_thousands_of_links(links):
    chain = lw.load(f"planar:{links}")
    rng = np.random.default_rng(0)
    q, v, tau = 0.01 * rng.normal(size=links), 0.01 * rng.normal(size=links), rng.normal(size=links)
    kernel = lw.compile(lw.forward_dynamics, chain)
    assert kernel.program.record_bytes <= 600
    a = kernel(q, v, tau)
    assert relative_error(a, lw.dynamics.forward_dynamics(chain, q, v, tau)) < 1e-9
    tip = lw.compile(lw.pose, chain, frame=chain.bodies[-1].name)(q)
    assert relative_error(tip, lw.dynamics.pose(chain, q, chain.bodies[-1].name)) < 1e-9


def test_code_does_not_grow_with_the_chain():
    short, long = (lw.compile(lw.forward_dynamics, lw.load(f"planar:{n}"), unroll=False) for n in (50, 500))
    steps = [[[s.program.instructions for s in one] for one in k.program.loops.steps] for k in (short, long)]
    assert steps[0] == steps[1]
    assert long.operations.total > 9 * short.operations.total


def test_angles_beyond_the_sine_of_lanes_and_what_is_no_number():
    model = lw.load("planar:12")
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 16, 12))
    q[3] += 1e9
    v[5, 2], q[7, 0] = np.nan, np.inf
    kernel = lw.compile(lw.inverse_dynamics, model, unroll=False)
    result = kernel(q, v, a)
    for k in range(16):
        assert np.array_equal(result[k], kernel(q[k], v[k], a[k]), equal_nan=True)
    assert np.isnan(result[5]).any()
    assert np.isnan(result[7]).any()
    good = [k for k in range(16) if k not in (5, 7)]
    assert np.isfinite(result[good]).all()
    expected = np.array([lw.dynamics.inverse_dynamics(model, q[k], v[k], a[k]) for k in good])
    assert relative_error(result[good], expected) < 1e-12


def test_results_may_be_written_over_arguments():
    model = one_of_each(1)
    q, v, tau = state(model, 0)
    kernel = lw.compile(lw.forward_dynamics, model, unroll=False)
    expected = kernel(q, v, tau)
    for which in (1, 2):
        arrays = [q.copy(), v.copy(), tau.copy()]
        assert np.array_equal(kernel(*arrays, out=arrays[which]), expected)


def test_batches_strides_threads_and_copies():
    model = lw.load("chain3d:20")
    rng = np.random.default_rng(0)
    q = model.random(40, seed=0)
    v, tau = rng.normal(size=(2, 40, model.nv))
    kernel = lw.compile(lw.forward_dynamics, model, unroll=False)
    expected = kernel(q, v, tau)
    assert np.array_equal(kernel(np.asfortranarray(q), v, tau), expected)
    assert np.array_equal(kernel(q[::-1], v[::-1], tau[::-1]), expected[::-1])
    assert np.array_equal(kernel(q, v[0], tau)[0], expected[0])
    assert np.array_equal(pickle.loads(pickle.dumps(kernel))(q, v, tau), expected)
    kernel.threads = 1
    many = [np.tile(x, (200, 1)) for x in (q, v, tau)]
    alone = kernel(*many)
    kernel.threads = 2
    assert np.array_equal(kernel(*many), alone)
    assert kernel(q[:0], v[:0], tau[:0]).shape == (0, model.nv)


def test_what_is_no_sweep_says_so():
    model = lw.load("two_link")

    def by_hand(model, q):
        """Every body's pose, looked at by itself."""
        return sum(T[:3, 3] for T in body_poses(model, q))

    def turned(model, q, v):
        """Joints one by one."""
        return v[0] * np.sin(q + v)[1]

    for function, match in ((by_hand, "several bodies"), (turned, "single joints")):
        with pytest.raises(TooLargeError, match=match):
            lw.compile(function, model, unroll=False)
    with pytest.raises(TooLargeError, match="computes with what all joints have"):
        lw.compile(lw.forward_dynamics, random_tree(list(JOINT_TYPES), 4, mimics=True), unroll=False)
    with pytest.raises(TooLargeError, match="forces on single bodies"):
        lw.compile(lw.forward_dynamics, model, unroll=False, wrenches=["tip"], method="assembly")
    kernel = lw.compile(lw.inverse_dynamics, model, unroll=False)
    with pytest.raises(TooLargeError, match="derivative"):
        kernel.derivative("q")


def test_an_algorithm_of_ones_own_as_steps():
    """How far every joint is from the world along the tree."""

    def reach(model, q):
        """The length of the way to each body."""

        def outward(link, parent, q):
            p = link.transform(q)[:3, 3]
            return parent + np.sqrt(p @ p)

        return model.outward(outward, 0.0, model.coordinates(q))

    model = random_tree(list(JOINT_TYPES), seed=3)
    q = model.random(seed=0)
    assert relative_error(lw.compile(reach, model, unroll=False)(q), np.array(reach(model, q))) < 1e-14


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured through /proc")
def test_memory_is_used_again():
    model = lw.load("planar:2000")
    q, v, tau = state(model, 0)
    kernel = lw.compile(lw.forward_dynamics, model)

    def resident():
        with open(f"/proc/{os.getpid()}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    kernel(q, v, tau)
    before = resident()
    for _ in range(300):
        kernel(q, v, tau)
    assert resident() - before < 20 * 8 * max(kernel.program.loops.sizes) * 2000


def brute_cut(edges, n, source, sink):
    best = np.inf
    for bits in range(2**n):
        side = [bits >> k & 1 for k in range(n)]
        if side[source] and not side[sink]:
            best = min(best, sum(c for a, b, c in edges if side[a] and not side[b]))
    return best


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 9)), max_size=16))
@settings(max_examples=60, deadline=None)
def test_the_cut_is_minimal(edges):
    cut = Cut(7)
    for a, b, c in edges:
        cut.edge(a, b, float(c))
    near = cut.near(0, 6)
    assert near[0]
    assert not near[6]
    assert sum(c for a, b, c in edges if near[a] and not near[b]) == brute_cut(edges, 7, 0, 6)


# blocks of long chains


def long_chain(kinds, n, seed):
    """A chain of these joints over and over, its bodies and placements at random."""
    rng = np.random.default_rng(seed)
    builder = lw.Builder(f"chain{n}")
    parent = "world"
    for k in range(n):
        joint = kinds[k % len(kinds)]
        points, weights = 0.1 * rng.normal(size=(5, 3)), rng.uniform(0.1, 1.0, 5)
        center = weights @ points / weights.sum()
        r = points - center
        inertia = sum(w * (x @ x * np.eye(3) - np.outer(x, x)) for w, x in zip(weights, r, strict=True))
        builder.body(f"body{k}", mass=float(weights.sum()), center_of_mass=center, inertia=0.5 * (inertia + inertia.T))
        kind = ("helical", 0.3) if joint == "helical" else joint
        axis = {} if joint in ("free", "spherical") else {"axis": rng.normal(size=3)}
        builder.joint(
            f"joint{k}",
            kind,
            parent,
            f"body{k}",
            xyz=0.2 * rng.normal(size=3),
            rpy=rng.normal(size=3),
            **axis,
        )
        parent = f"body{k}"
    return builder.build()


@pytest.mark.parametrize(
    "kinds", [["revolute"], ["revolute", "prismatic", "helical"], ["spherical", "cylindrical"], ["planar", "universal"]]
)
def test_long_chains_in_blocks(kinds):
    model = long_chain(kinds, 102, seed=len(kinds))
    kernel = lw.compile(lw.forward_dynamics, model, method="hybrid")
    assert isinstance(kernel.program, LevelProgram)
    q, v, tau = state(model, 1)
    v, tau = 0.1 * v, 0.1 * tau
    book = lw.dynamics.forward_dynamics(model, q, v, tau)
    assert relative_error(kernel(q, v, tau), book) < 1e-9
    assert relative_error(lw.forward_dynamics(model, q, v, tau, method="hybrid"), book) < 1e-9
    rows = kernel(np.stack([q, q]), np.stack([v, -v]), tau)
    assert np.array_equal(rows[0], kernel(q, v, tau))
    assert relative_error(rows[1], lw.dynamics.forward_dynamics(model, q, -v, tau)) < 1e-9


@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize("name", ["planar:300", "chain3d:301"])
def test_chains_of_equal_links_in_blocks(name):
    model = lw.load(name)
    q, v, tau = state(model, 3)
    a = lw.compile(lw.forward_dynamics, model, method="hybrid")(q, v, tau)
    assert relative_error(a, lw.dynamics.forward_dynamics(model, q, v, tau)) < 1e-9


def test_far_angles_in_blocks():
    model = lw.load("planar:200")
    q, v, tau = (0.1 * x for x in state(model, 0))
    turns = np.zeros(200)
    turns[70] = 2.0 * np.pi * 400_000
    kernel = lw.compile(lw.forward_dynamics, model, method="hybrid")
    assert relative_error(kernel(q + turns, v, tau), lw.dynamics.forward_dynamics(model, q + turns, v, tau)) < 1e-9


def test_what_is_short_or_branches_is_one_block():
    for name in ("humanoid", "arm7"):
        model = lw.load(name)
        q, v, tau = state(model, 5)
        kernel = lw.compile(lw.forward_dynamics, model, method="hybrid", unroll=False)
        assert isinstance(kernel.program, LoopProgram)
        assert relative_error(kernel(q, v, tau), lw.dynamics.forward_dynamics(model, q, v, tau)) < 1e-11


@pytest.mark.skipif(target().processor not in ("x86", "arm"), reason="other processors keep tiny numbers")
@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize("method", ["articulated", "assembly", "hybrid"])
def test_tiny_numbers_are_zero_in_loops_and_nowhere_else(method):
    """A chain at rest on whose end next to nothing acts stays at rest; whoever calls keeps tiny numbers."""
    model = lw.load("planar:200").with_gravity((0.0, 0.0, 0.0))
    q, rest, tau = 0.1 * np.ones(200), np.zeros(200), np.zeros(200)
    kernel = lw.compile(lw.forward_dynamics, model, method=method, unroll=False)
    for effort, moves in ((1e-200, True), (1e-310, False)):
        tau[-1] = effort
        for result in (kernel(q, rest, tau), kernel(np.tile(q, (9, 1)), rest, tau)):
            assert result.any() == moves
            assert (np.full(3, 1e-310) * 0.5).all()


@pytest.mark.parametrize("function", [lw.kinetic_energy, lw.potential_energy, lw.center_of_mass, lw.momentum])
def test_what_the_world_receives(function):
    model = one_of_each(4)
    q, v, _ = state(model, 3)
    arrays = (q, v) if function in (lw.kinetic_energy, lw.momentum) else (q,)
    kernel = lw.compile(function, model, unroll=False)
    assert isinstance(kernel.program, LoopProgram)
    assert relative_error(kernel(*arrays), function.book(model, *arrays)) < 1e-13
    rows = kernel(*(np.tile(x, (11, 1)) for x in arrays))
    assert np.array_equal(rows[10], kernel(*arrays))


def test_what_is_more_than_sweeps_is_straight_line_code(monkeypatch):
    monkeypatch.setattr(selection, "BODIES_IN_LOOPS", 3)
    chain = lw.load("planar:4")
    q, v, a = chain.random(seed=0), np.ones(4), np.zeros(4)
    names = [joint.name for joint in chain.joints]
    expected = lw.dynamics.inverse_dynamics(chain, q, v, a)
    assert relative_error(lw.inverse_dynamics(chain, q, v, a, actuated=names), expected) < 1e-14
    assert relative_error(lw.compile(lw.inverse_dynamics, chain, actuated=names)(q, v, a), expected) < 1e-14
    with pytest.raises(InconsistentMotionError, match="joint1"):
        lw.inverse_dynamics(chain, q, v, a, actuated=names[1:])


@pytest.mark.parametrize(
    ("options", "form"),
    [
        ({}, "loops over 150 bodies of 2 kinds"),
        ({"method": "assembly"}, "150 joins of 150 parts on lanes"),
        ({"method": "hybrid"}, r"\d+ joins of \d+ parts on lanes"),
    ],
)
def test_programs_of_loops_are_reported_in_a_line(options, form):
    kernel = lw.compile(lw.forward_dynamics, lw.load("planar:150"), **options)
    shown = rf"<forward_dynamics\(q\[150\], v\[150\], tau\[150\]\) as {form}: {re.escape(str(kernel.operations))}>"
    assert re.fullmatch(shown, str(kernel.program))


def test_what_is_computed_with_all_joints_is_no_sweep():
    """Loops of users over large mechanisms are straight lines, and what is too large says what to do."""
    model = lw.load("planar:100")

    def fall(model, q, v):
        return lw.repeat(3, lambda k, v: v + 1e-3 * lw.forward_dynamics(model, q, v, 0.0 * v), v)

    q, v, _ = state(model, 1)
    expected = v
    for _ in range(3):
        expected = expected + 1e-3 * lw.forward_dynamics(model, q, expected, 0.0 * expected)
    assert relative_error(lw.compile(fall, model)(q, v), expected) < 1e-9

    def solved(model, q, tau):
        return lw.solve(lw.mass_matrix(model, q), tau - lw.gravity_forces(model, q))

    with pytest.raises(TooLargeError, match="to solve with the mass matrix, forward_dynamics takes no matrix"):
        lw.compile(solved, model)
