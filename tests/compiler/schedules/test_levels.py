"""Assembly–disassembly as joins on lanes: what articulated bodies give, whatever the order of joining."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.compiler.ir.program import Program
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.dynamics.assembly.schedule import Schedule, schedule_of
from linkwright.errors import InputError, ModelError, TooLargeError
from linkwright.model.joints.joint import JOINT_TYPES, Prismatic, Revolute, Spherical
from linkwright.model.tree import Model
from mechanisms import random_tree, relative_error

ORDERS = ["serial", "balanced"]


def assembly(model: Model, schedule: object = None, **options: object) -> lw.compiler.kernel.Kernel:
    return lw.compile(lw.forward_dynamics, model, method="assembly", schedule=schedule, unroll=False, **options)


def state(model: Model, seed: int, rows: tuple[int, ...] = ()) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    q = np.stack([model.random(seed=rng) for _ in range(int(np.prod(rows, dtype=int)))]).reshape(*rows, model.nq)
    return [q, rng.normal(size=(*rows, model.nv)), rng.normal(size=(*rows, model.nv))]


@pytest.mark.parametrize("kind", JOINT_TYPES, ids=lambda kind: kind.__name__)
def test_every_joint_type(kind: type) -> None:
    model = random_tree([kind, kind, kind, Revolute], seed=3)
    x = state(model, 1)
    reference = dynamics.forward_dynamics(model, *x)
    for order in ORDERS:
        kernel = assembly(model, order)
        assert isinstance(kernel.program, LevelProgram)
        assert relative_error(kernel(*x), reference) < 1e-10, order


@pytest.mark.parametrize("order", ORDERS)
def test_trees_with_branches_of_different_joints(order: str) -> None:
    types = [(Revolute, Prismatic, Spherical)[k] for k in np.random.default_rng(5).integers(3, size=30)]
    model = random_tree(types, seed=5)
    x = state(model, 2)
    assert relative_error(assembly(model, order)(*x), dynamics.forward_dynamics(model, *x)) < 1e-10


@pytest.mark.parametrize(("seed", "order"), [(0, "serial"), (1, "balanced"), (2, "grouped:5"), (3, "balanced")])
def test_no_lane_disturbs_another(seed: int, order: str) -> None:
    """Chunks that fill ports in part, beside others."""
    model = random_tree([Revolute] * 70, seed=seed)
    x = state(model, seed)
    reference = lw.compile(lw.forward_dynamics, model, unroll=False)(*x)
    assert relative_error(assembly(model, order)(*x), reference) < 1e-10


@pytest.mark.parametrize("name", ["chain3d:150", "planar:151"])
@pytest.mark.parametrize("order", ORDERS)
def test_long_chains(name: str, order: str) -> None:
    model = lw.load(name)
    x = state(model, 3)
    kernel = assembly(model, order)
    reference = lw.compile(lw.forward_dynamics, model, unroll=False)(*x)
    assert relative_error(kernel(*x), reference) < 1e-10


def test_any_order_of_joints() -> None:
    model = lw.load("planar:40")
    x = state(model, 4)
    order = np.random.default_rng(0).permutation(40).tolist()
    reference = dynamics.forward_dynamics(model, *x)
    for schedule in (order, schedule_of(model, order), [model.joints[k].name for k in order]):
        assert relative_error(assembly(model, schedule)(*x), reference) < 1e-10
    assert isinstance(schedule_of(model, order), Schedule)


def test_a_hub_with_many_arms_shares_its_handle() -> None:
    builder = lw.Builder("star")
    inertia = {"mass": 1.0, "center_of_mass": (0.2, 0.1, 0.0), "inertia": np.diag([0.2, 0.3, 0.4])}
    builder.body("hub", **inertia).joint("base", "free", "world", "hub")
    for k in range(11):
        builder.body(f"arm{k}", **inertia)
        builder.joint(f"hinge{k}", "revolute", "hub", f"arm{k}", axis=np.array([np.cos(k), np.sin(k), 0.3]))
    model = builder.build()
    x = state(model, 5)
    for order in ORDERS:
        assert relative_error(assembly(model, order)(*x), dynamics.forward_dynamics(model, *x)) < 1e-10


def test_rows_of_a_batch_are_single_calls_and_results_may_lie_on_arguments() -> None:
    model = lw.load("chain3d:100")
    kernel = assembly(model, "balanced")
    x = state(model, 6, (2, 3))
    together = kernel(*x)
    assert together.shape == (2, 3, model.nv)
    for row in np.ndindex(2, 3):
        assert np.array_equal(together[row], kernel(*(array[row] for array in x)))
    q, v, tau = (array[0, 0].copy() for array in x)
    kernel(q, v, tau, out=v)
    assert np.array_equal(v, together[0, 0])


def test_far_angles_and_numbers_that_are_not() -> None:
    model = lw.load("planar:100")
    kernel = assembly(model, "balanced")
    q, v, tau = state(model, 7)
    q[57] = 3e7
    reference = dynamics.forward_dynamics(model, q, v, tau)
    assert relative_error(kernel(q, v, tau), reference) < 1e-10
    tau[3] = np.nan
    assert np.isnan(kernel(q, v, tau)).any()
    tau[3] = 0.0
    assert np.isfinite(kernel(q, v, tau)).all()  # nothing is left of it


def test_memory_grows_with_the_bodies_and_code_does_not() -> None:
    small, large = (assembly(lw.load(f"planar:{n}"), "balanced").program for n in (512, 1024))
    assert small.parts.variants == large.parts.variants
    assert [one.program.digest for one in small.parts.join] == [one.program.digest for one in large.parts.join]
    assert large.layout.bytes < 2.05 * small.layout.bytes
    serial = assembly(lw.load("planar:512"), "serial").program
    assert serial.layout.bytes < 400 * 512


def test_chosen_by_size() -> None:
    long = lw.compile(lw.forward_dynamics, lw.load("planar:100"), method="assembly")
    short = lw.compile(lw.forward_dynamics, lw.load("planar:5"), method="assembly")
    assert isinstance(long.program, LevelProgram)
    assert isinstance(short.program, Program)
    with pytest.raises(TooLargeError):
        long.derivative("q")


def test_refusals_are_clear() -> None:
    with pytest.raises(TooLargeError, match="mimic joints"):
        assembly(random_tree([Revolute, Revolute, Revolute], seed=2, mimics=True))
    with pytest.raises(InputError, match="serial"):
        assembly(lw.load("planar:5"), "sideways")
    builder = lw.Builder("thin").body("rod", mass=1.0, inertia=np.diag([0.0, 1.0, 1.0]))
    thin = builder.joint("hinge", "revolute", "world", "rod", axis=np.array([0.0, 0.0, 1.0])).build()
    with pytest.raises(ModelError, match="rod"):
        assembly(thin)
