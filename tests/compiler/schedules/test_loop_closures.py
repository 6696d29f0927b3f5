"""Closed loops as joins on lanes: what the whole system of equations gives, however many there are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.schedules.assembly.levels import LevelProgram
from linkwright.compiler.schedules.assembly.loop_closures import LoopVariant
from linkwright.dynamics.closed_loops.forces import position_correction, velocity_correction
from linkwright.errors import ModelError, TooLargeError
from linkwright.model.joints.joint import Revolute
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.tree import Model
from mechanisms import looped, random_tree, relative_error, with_loops

WAYS = (
    {"method": "assembly"},
    {"method": "assembly", "schedule": "serial"},
    {"method": "hybrid", "partition": 2},
    {"method": "hybrid", "partition": 3, "schedule": "serial"},
)


def on_lanes(model: Model, **options: object) -> Kernel:
    kernel = lw.compile(lw.forward_dynamics, model, unroll=False, **options)
    assert isinstance(kernel.program, LevelProgram)
    return kernel


def moving(model: Model, q: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A state in which the loops stay closed, and efforts."""
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, model.nv))
    K = dynamics.constraint_jacobian(model, q)
    return q, v - np.linalg.pinv(K, rcond=1e-9) @ (K @ v), tau


def linkages(many: int) -> Model:
    """Four-bars of different size on the ground, some closed at the ground."""
    builder = lw.Builder("linkages", gravity=(0, -9.8, 0))
    for k in range(many):
        long = 1.0 + 0.01 * k
        for name, center in (("crank", (0, 0.5, 0)), ("coupler", (0.5 * long, 0, 0)), ("rocker", (0, 0.5, 0))):
            builder.body(f"{name}{k}", 1.0, center, (0.1, 0.1, 0.1))
        builder.joint(f"a{k}", "revolute", "world", f"crank{k}", xyz=(0, 0, k), axis=(0, 0, 1))
        builder.joint(f"b{k}", "revolute", f"crank{k}", f"coupler{k}", xyz=(0, 1, 0), axis=(0, 0, 1))
        if k % 3:
            builder.joint(f"c{k}", "revolute", "world", f"rocker{k}", xyz=(long, 0, k), axis=(0, 0, 1))
            builder.frame(f"end{k}", f"coupler{k}", xyz=(long, 0, 0)).frame(f"top{k}", f"rocker{k}", xyz=(0, 1, 0))
        else:
            builder.joint(f"c{k}", "revolute", f"coupler{k}", f"rocker{k}", xyz=(long, 0, 0), axis=(0, 0, 1))
            builder.frame(f"end{k}", "world", xyz=(long, 0, k)).frame(f"top{k}", f"rocker{k}", xyz=(0, -1, 0))
        builder.loop(f"d{k}", "revolute", f"end{k}", f"top{k}", axis=(0, 0, 1))
    return builder.build()


@settings(max_examples=3, deadline=None)
@given(looped(mimics=False), st.integers(0, 2**32 - 1))
def test_every_kind_of_loop(closed: tuple[Model, np.ndarray], seed: int) -> None:
    """As exact as the same assembly in straight lines, which is held to the whole system elsewhere."""
    model, q = closed
    if any(isinstance(loop, CoordinateLoop) for loop in model.loops) or not model.loops:
        return
    x = moving(model, q, seed)
    K, M = dynamics.constraint_jacobian(model, q), dynamics.mass_matrix(model, q)
    sizes = np.linalg.eigvalsh(K @ np.linalg.inv(M) @ K.T)
    kept = sizes[sizes > 1e-9 * sizes.max(initial=0.0)]
    condition = np.linalg.cond(M) * kept.max(initial=1.0) / kept.min(initial=1.0)
    expected = dynamics.forward_dynamics(model, *x, method="composite")
    for way in WAYS[::3]:
        assert relative_error(on_lanes(model, **way)(*x), expected) < 1e-8 * max(1.0, 1e-4 * condition), way


@pytest.mark.variants("way")
@pytest.mark.parametrize("way", WAYS[:3], ids=str)
@pytest.mark.parametrize("kinds", [["ball"], ["weld"], ["distance", "planar"], ["universal", "mask"], ["helical"]])
def test_kinds_of_loop(kinds: list[str], way: dict[str, object]) -> None:
    model, q = with_loops(random_tree([Revolute] * 9, seed=7), kinds, seed=len(kinds[0]))
    assert model.loops
    x = moving(model, q, 0)
    expected = dynamics.forward_dynamics(model, *x, method="composite")
    assert relative_error(on_lanes(model, **way)(*x), expected) < 1e-8


@pytest.mark.variants("way")
@pytest.mark.parametrize("way", WAYS[:3], ids=str)
@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bricard", "delta", "stewart", "four_bars:9"])
def test_linkages_of_the_library(name: str, way: dict[str, object]) -> None:
    model = lw.load(name)
    x = moving(model, lw.close_loops(model, model.neutral()), 1)
    expected = dynamics.forward_dynamics(model, *x, method="composite")
    assert relative_error(on_lanes(model, **way)(*x), expected) < 1e-9


@pytest.mark.parametrize("many", [1, 9, 20])
def test_linkages_beside_each_other(many: int) -> None:
    """Loops of different numbers on lanes; ends on bodies and on the ground."""
    model = linkages(many)
    q = model.neutral()
    assert np.abs(dynamics.constraint_residual(model, q)).max() < 1e-12
    x = moving(model, q, 2)
    expected = dynamics.forward_dynamics(model, *x)
    for way in WAYS:
        assert relative_error(on_lanes(model, **way)(*x), expected) < 1e-10, way


def test_rods_of_different_length_are_alike() -> None:
    """A row of pendulums, the ends of neighbors held at whatever distance they have."""
    builder, many = lw.Builder("rods"), 24
    rng = np.random.default_rng(0)
    for k in range(many):
        builder.body(f"bar{k}", 1.0, (0.3, 0, 0), (0.1, 0.2, 0.3))
        builder.joint(f"pin{k}", "spherical", "world", f"bar{k}", xyz=(0, k, 0.1 * rng.normal()))
        builder.frame(f"end{k}", f"bar{k}", xyz=rng.normal(size=3))
    tree = builder.build()
    q = tree.random(seed=1)
    ends = [lw.pose(tree, q, f"end{k}")[:3, 3] for k in range(many)]
    for k in range(0, many, 2):
        builder.loop(f"rod{k}", ("distance", float(np.linalg.norm(ends[k + 1] - ends[k]))), f"end{k}", f"end{k + 1}")
    model = builder.build()
    x = moving(model, q, 1)
    kernel = on_lanes(model, method="assembly")
    assert sum(isinstance(one, LoopVariant) for one in kernel.program.parts.variants) <= 2
    assert relative_error(kernel(*x), dynamics.forward_dynamics(model, *x)) < 1e-10


def test_programs_do_not_grow_with_the_number_of_loops() -> None:
    few, many = (on_lanes(lw.load(f"four_bars:{k}"), method="assembly", schedule="serial").program for k in (10, 100))
    assert few.parts.variants == many.parts.variants
    assert sum(isinstance(one, LoopVariant) for one in many.parts.variants) <= 3
    assert many.layout.bytes < 10.5 * few.layout.bytes
    assert many.operations.total < 10.5 * few.operations.total


def test_gains_and_open_loops() -> None:
    model = lw.load("four_bars:5")
    q, v, tau = moving(model, lw.close_loops(model, model.neutral()), 3)
    q = q + 1e-3
    for options in ({"stabilization": (20.0, 30.0)}, {"loops": "ignore"}):
        expected = dynamics.forward_dynamics(model, q, v, tau, **options)
        assert relative_error(on_lanes(model, method="assembly", **options)(q, v, tau), expected) < 1e-10


def test_angles_far_away_and_numbers_that_are_not() -> None:
    model = linkages(20)
    q, v, tau = moving(model, model.neutral(), 4)
    kernel = on_lanes(model, method="hybrid", partition=3)
    turned = q.copy()
    turned[13] += 2.0 * np.pi * 400_000
    assert relative_error(kernel(turned, v, tau), dynamics.forward_dynamics(model, turned, v, tau)) < 1e-9
    tau[4] = np.nan
    found = kernel(q, v, tau)
    assert np.isnan(found[3:6]).all()
    assert np.isfinite(np.delete(found, (3, 4, 5))).all()


def test_chosen_by_size() -> None:
    """Without a word of it: compiled, where straight lines would be too long or take long to compile."""
    model = lw.load("four_bars:40")
    q = model.neutral()
    tau = np.random.default_rng(0).normal(size=model.nv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lw.forward_dynamics(model, q, 0.0 * q, tau)
    assert isinstance(lw.compile(lw.forward_dynamics, model).program, LevelProgram)
    assert relative_error(found, dynamics.forward_dynamics(model, q, 0.0 * q, tau)) < 1e-9
    assert isinstance(lw.compile(lw.forward_dynamics, lw.load("four_bars:8")).program, Program)


@pytest.mark.parametrize("name", ["delta", "stewart", "four_bars:9"])
def test_what_closes_loops_again(name: str) -> None:
    """The least motions that take back what loops are open by."""
    model = lw.load(name)
    rng = np.random.default_rng(5)
    v = rng.normal(size=model.nv)
    q = dynamics.integrate(model, lw.close_loops(model, model.neutral()), 1e-3 * rng.normal(size=model.nv))
    corrections = []
    for function, x in ((position_correction, (q,)), (velocity_correction, (q, v))):
        kernel = lw.compile(function, model, unroll=False)
        assert isinstance(kernel.program, LevelProgram)
        corrections.append(kernel(*x))
        assert relative_error(corrections[-1], function(model, *x)) < 1e-11
    after = dynamics.integrate(model, q, corrections[0])
    before, left = (np.abs(dynamics.constraint_residual(model, x)).max() for x in (q, after))
    assert left < 0.05 * before


def test_many_linkages_move_as_one_does() -> None:
    many, one = linkages(34), linkages(1)
    q, v, _ = moving(many, many.neutral(), 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        together = lw.simulate(many, q, v, 0.05, step=1e-3)
    alone = lw.simulate(one, q[:3], v[:3], 0.05, step=1e-3)
    assert relative_error(together.q[-1][:3], alone.q[-1]) < 1e-12
    assert np.abs(together.q[-1] - q).max() > 1e-2
    assert np.abs(dynamics.constraint_residual(many, together.q[-1])).max() < 1e-13
    assert abs(together.energy[-1] - together.energy[0]) < 1e-8 * np.abs(together.energy[0])


def test_tied_coordinates_are_not_of_bodies() -> None:
    model, _ = with_loops(random_tree([Revolute] * 4, seed=1), ["joint"], seed=2)
    with pytest.raises(TooLargeError, match="couples coordinates"):
        lw.compile(lw.forward_dynamics, model, unroll=False)
    with pytest.raises(ModelError, match="couples coordinates"):
        lw.compile(lw.forward_dynamics, model, unroll=False, method="hybrid")
