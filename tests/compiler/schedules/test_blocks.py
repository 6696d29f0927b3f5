"""Blocks of bodies as leaves of the assembly, those that are alike on lanes: what articulated bodies give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.schedules.assembly.blocks import BlockVariant
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.compiler.schedules.assembly.programs import programs_of
from linkwright.compiler.schedules.loops import LoopProgram
from linkwright.dynamics.assembly.choice import block_schedule
from linkwright.errors import InputError, ModelError, TooLargeError
from linkwright.model.joints.joint import JOINT_TYPES, Prismatic, Revolute, Spherical
from linkwright.model.tree import Model
from mechanisms import random_tree, relative_error
from shortened import long_form

ROD = {"mass": 1.0, "center_of_mass": (0.2, 0.0, 0.0), "inertia": np.diag([0.02, 0.1, 0.1])}


def hybrid(model: Model, **options: object) -> Kernel:
    return lw.compile(lw.forward_dynamics, model, method="hybrid", unroll=False, **options)


def state(model: Model, seed: int, rows: tuple[int, ...] = ()) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    q = np.stack([model.random(seed=rng) for _ in range(int(np.prod(rows, dtype=int)))]).reshape(*rows, model.nq)
    return [q, rng.normal(size=(*rows, model.nv)), rng.normal(size=(*rows, model.nv))]


def crawler(trunks: int, legs: int = 2, long: int = 3) -> Model:
    """A chain of trunks with legs on each, its first trunk free."""
    builder = lw.Builder("crawler")
    for k in range(trunks):
        builder.body(f"trunk{k}", **ROD)
        if k == 0:
            builder.joint("base", "free", "world", "trunk0")
        else:
            axis = np.array([0.0, k % 2, 1 - k % 2])
            builder.joint(f"back{k}", "revolute", f"trunk{k - 1}", f"trunk{k}", axis=axis, xyz=(0.4, 0.0, 0.0))
        for side in range(legs):
            _limb(builder, f"{k}{'abcd'[side]}", f"trunk{k}", long, np.array([0.1, 0.1 * side, 0.0]))
    return builder.build()


def crowd(many: int, long: int, free: bool = False) -> Model:
    """Chains beside each other that have nothing to do with each other."""
    builder = lw.Builder("crowd")
    for k in range(many):
        if free:
            builder.body(f"base{k}", **ROD).joint(f"free{k}", "free", "world", f"base{k}")
        _limb(builder, f"{k}", f"base{k}" if free else "world", long, np.array([0.1 * k, 0.0, 0.0]))
    return builder.build()


def _limb(builder: lw.Builder, name: str, parent: str, long: int, start: np.ndarray) -> None:
    for j in range(long):
        builder.body(f"limb {name} {j}", **ROD)
        axis, xyz = np.array([1.0 - j % 2, 0.0, j % 2]), start if j == 0 else np.array([0.4, 0.0, 0.0])
        builder.joint(f"joint {name} {j}", "revolute", parent, f"limb {name} {j}", axis=axis, xyz=xyz)
        parent = f"limb {name} {j}"


@pytest.mark.variants("size")
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("kind", JOINT_TYPES, ids=lambda kind: kind.__name__)
def test_every_joint_type_in_a_block_and_between_blocks(kind: type, size: int) -> None:
    model = random_tree([kind, kind, Revolute, kind, kind, kind], seed=3)
    x = state(model, 1)
    reference = dynamics.forward_dynamics(model, *x)
    kernel = hybrid(model, partition=size)
    assert isinstance(kernel.program, LevelProgram)
    assert relative_error(kernel(*x), reference) < 1e-10


@given(seed=st.integers(0, 10_000), sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5))
@settings(max_examples=3, deadline=None)
def test_any_partition_of_a_tree(seed: int, sizes: list[int]) -> None:
    """Blocks that hang together anyhow, at most so many bodies in one after the other."""
    rng = np.random.default_rng(seed)
    types = [(Revolute, Prismatic, Spherical)[k] for k in rng.integers(3, size=11)]
    model = random_tree(types, seed=seed)
    blocks: list[list[int]] = []
    block_of: dict[int, int] = {}
    for k, link in enumerate(model.links):
        own = block_of.get(link.parent, -1)
        if link.parent < 0 or len(blocks[own]) >= sizes[own % len(sizes)] or rng.random() < 0.2:
            own = len(blocks)
            blocks.append([])
        block_of[k] = own
        blocks[own].append(k)
    x = state(model, seed)
    reference = dynamics.forward_dynamics(model, *x)
    for schedule in ("balanced", "serial"):
        assert relative_error(hybrid(model, partition=blocks, schedule=schedule)(*x), reference) < 1e-9


@pytest.mark.parametrize("size", [2, 7, 16, *long_form(3, 30)])
def test_legs_on_trunks(size: int) -> None:
    model = crawler(20)
    x = state(model, size)
    reference = lw.compile(lw.forward_dynamics, model, unroll=False)(*x)
    assert relative_error(hybrid(model, partition=size)(*x), reference) < 1e-11


@pytest.mark.parametrize("many", [1, 7, 8, 9, 30])
@pytest.mark.parametrize("free", [False, True])
def test_mechanisms_beside_each_other(many: int, free: bool) -> None:
    """Blocks without handles; lanes filled and not."""
    model = crowd(many, 4, free)
    x = state(model, many)
    kernel = hybrid(model, partition=5)
    assert not kernel.program.schedule.order
    assert relative_error(kernel(*x), dynamics.forward_dynamics(model, *x)) < 1e-11


def test_a_block_costs_what_it_costs_alone() -> None:
    """Values common to all blocks are constants of their code and computed once for any number of blocks."""
    few, many = (hybrid(crowd(n, 5), partition=5).program for n in (3, 50))
    assert [part.program.digest for part in few.parts.split] == [part.program.digest for part in many.parts.split]
    assert many.operations.total == 50 / 3 * few.operations.total
    long = [programs_of(model, block_schedule(model, "balanced", 7)) for model in (crawler(64), crawler(128))]
    assert long[0].variants == long[1].variants
    assert sum(isinstance(variant, BlockVariant) for variant in long[0].variants) < 6


def test_rows_of_a_batch_are_single_calls_and_results_may_lie_on_arguments() -> None:
    model = crawler(8)
    kernel = hybrid(model, partition=7)
    x = state(model, 6, (2, 3))
    together = kernel(*x)
    for row in np.ndindex(2, 3):
        assert np.array_equal(together[row], kernel(*(array[row] for array in x)))
    q, v, tau = (array[0, 0].copy() for array in x)
    kernel(q, v, tau, out=v)
    assert np.array_equal(v, together[0, 0])


def test_far_angles_and_numbers_that_are_not() -> None:
    model = crowd(20, 5)
    kernel = hybrid(model, partition=5)
    q, v, tau = state(model, 7)
    q[57] = 3e7
    assert relative_error(kernel(q, v, tau), dynamics.forward_dynamics(model, q, v, tau)) < 1e-10
    tau[3] = np.nan
    found = kernel(q, v, tau)
    assert np.isnan(found[:5]).all()
    assert np.isfinite(found[5:]).all()  # of lanes beside it nothing


def test_chosen_by_what_is_alike() -> None:
    alike = lw.compile(lw.forward_dynamics, crawler(64), method="hybrid")
    assert isinstance(alike.program, LevelProgram)
    assert {len(block) for block in alike.program.schedule.blocks} == {7}  # a trunk and its legs
    beside = lw.compile(lw.forward_dynamics, crowd(20, 6), method="hybrid")
    assert isinstance(beside.program, LevelProgram)
    assert not beside.program.schedule.order
    assert isinstance(lw.compile(lw.forward_dynamics, lw.load("planar:150"), method="hybrid").program, LevelProgram)
    unlike = random_tree([Revolute] * 120, seed=1)
    assert isinstance(lw.compile(lw.forward_dynamics, unlike, method="hybrid").program, LoopProgram)


def test_measured_in_single_rows() -> None:
    kernel = lw.compile(lw.forward_dynamics, crowd(30, 4), method="hybrid", tune=True)
    assert isinstance(kernel.program, LevelProgram)
    assert not kernel.program.schedule.order


def test_a_rod_without_inertia_about_itself_may_be_in_a_block() -> None:
    builder = lw.Builder("thin")
    for k in range(8):
        builder.body(f"arm{k}", **ROD).joint(f"shoulder{k}", "revolute", "world", f"arm{k}", axis=np.array([0, 0, 1.0]))
        builder.body(f"rod{k}", mass=1.0, inertia=np.diag([0.0, 1.0, 1.0]))
        builder.joint(f"elbow{k}", "revolute", f"arm{k}", f"rod{k}", axis=np.array([0, 1.0, 0]), xyz=(0.4, 0, 0))
    model = builder.build()
    x = state(model, 2)
    assert relative_error(hybrid(model, partition=2)(*x), dynamics.forward_dynamics(model, *x)) < 1e-11
    with pytest.raises(ModelError, match="rod0"):
        hybrid(model, partition=1)


def test_blocks_too_large_for_straight_lines() -> None:
    model = lw.load("chain3d:210")
    whole = hybrid(model, partition=210)
    assert isinstance(whole.program, LoopProgram)  # one block is one recursion
    with pytest.raises(TooLargeError, match="105"):
        hybrid(model, partition=105)
    with pytest.raises(InputError, match="block"):
        hybrid(model, partition=0)


def test_an_order_by_name_leaves_the_blocks_to_choose() -> None:
    model = crawler(30)
    chosen = lw.compile(lw.forward_dynamics, model, method="hybrid", schedule="serial")
    assert isinstance(chosen.program, LevelProgram)
    assert len(chosen.program.schedule.blocks) < len(model.bodies)
    x = state(model, 9)
    assert relative_error(chosen(*x), lw.compile(lw.forward_dynamics, model, unroll=False)(*x)) < 1e-11


def test_options_that_do_not_go_together_are_reported_at_any_size() -> None:
    for model in (lw.load("planar:5"), lw.load("planar:120")):
        with pytest.raises(InputError, match="partition is for"):
            lw.compile(lw.forward_dynamics, model, method="assembly", partition=3)


def test_derivatives_take_the_options_of_what_they_are_of() -> None:
    arm = lw.load("arm7")
    x = state(arm, 3)
    d_tau = lw.derivative(lw.forward_dynamics, "tau")
    found = d_tau(arm, *x, method="hybrid", partition=3)
    assert relative_error(found, np.linalg.inv(lw.mass_matrix(arm, x[0]))) < 1e-9


def test_large_trees_are_simulated() -> None:
    """Their energies too, without a word of what would be too large."""
    model = crowd(26, 4)
    motion = lw.simulate(model, model.neutral(), np.zeros(model.nv), 0.01, step=1e-3)
    assert motion.q.shape == (11, model.nq)
    assert abs(motion.energy[-1] - motion.energy[0]) < 1e-8 * (1.0 + np.abs(motion.energy[0]))
