"""The model of costs counts what the steps take; partitions and schedules are chosen by it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.program import program_of
from linkwright.compiler.kernel import compile
from linkwright.dynamics import forward_dynamics
from linkwright.dynamics.assembly.block import FORMS, BlockShape, BodyTerms, base_terms
from linkwright.dynamics.assembly.choice import block_schedule, candidates, optimal_schedule
from linkwright.dynamics.assembly.cost import LEAF, block_cost, chain, cheapest_form, join_cost, profile, time
from linkwright.dynamics.assembly.schedule import schedule_of
from linkwright.dynamics.assembly.subassembly import (
    HandlePlacement,
    JointTerms,
    LeafInertia,
    Subassembly,
    join,
    leaf,
    split,
)
from linkwright.errors import InputError
from linkwright.expression.graph import Graph
from linkwright.model.joints.joint import Revolute
from linkwright.model.library.built_in import built_in
from linkwright.spatial.arrays import mirror
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.transform import pose_matrix
from mechanisms import relative_error, state

HINGE = Revolute()


class Traced:
    """A step on symbols."""

    def __init__(self):
        self.graph, self.inputs = Graph(), {}

    def __call__(self, name, *shape):
        self.inputs[name] = self.graph.symbols(name, shape)
        return self.inputs[name] if shape else self.inputs[name][()]

    def operations(self, *results):
        return program_of("step", self.graph, self.inputs, tuple(map(np.asarray, results))).operations.total

    def hinge_pose(self, name):
        return pose_matrix(self(f"R{name}", 3, 3), self(f"p{name}", 3)) @ HINGE.transform(self(f"q{name}", 1))

    def swing(self, name):
        return np.concatenate([self(f"swing{name}", 3), np.zeros(3)])

    def bias(self, name):
        return np.concatenate([np.zeros(3), self(f"c{name}", 2), np.zeros(1)])


def traced_block(form, n, floating, handles):
    symbols = Traced()
    bodies = []
    for k in range(n):
        inertia = RigidInertia(symbols(f"m{k}"), symbols(f"h{k}", 3), mirror(symbols(f"I{k}", 3, 3)))
        body = BodyTerms(
            symbols.hinge_pose(k),
            HINGE.motion_subspace(np.zeros(1)),
            symbols(f"w{k}", 3),
            symbols.swing(k),
            symbols.bias(k),
            inertia,
            np.zeros(6),
            np.zeros(1),
            symbols(f"tau{k}", 1),
        )
        bodies.append(base_terms(body) if floating and k == 0 else body)
    shape = BlockShape(tuple(range(-1, n - 1)), floating, handles)
    base = np.concatenate([symbols("g", 3), np.zeros(3)])
    assembled, kept = FORMS[form].assemble(shape, tuple(bodies), base)
    rates = FORMS[form].split(shape, tuple(bodies), base, kept, symbols("f", 6 * len(handles)))
    return symbols.operations(*assembled, *rates[floating:])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("n", "floating", "handles"), [(2, False, ()), (4, False, (3,)), (4, True, (0,)), (6, True, (0, 5))]
)
def test_blocks_cost_what_they_take(form, n, floating, handles):
    assert block_cost(form, chain(n, floating), len(handles)) == pytest.approx(
        traced_block(form, n, floating, handles), rel=0.08
    )


@pytest.mark.parametrize(
    ("place", "sizes", "ground"),
    [
        (HandlePlacement(0, 0, (), ()), (1, 1), True),
        (HandlePlacement(0, 0, (0,), ()), (1, 1), False),
        (HandlePlacement(1, 0, (0,), (1,)), (2, 2), False),
    ],
)
def test_joins_cost_what_they_take(place, sizes, ground):
    symbols = Traced()

    def side(name, size):
        return Subassembly(mirror(symbols(f"compliance {name}", 6 * size, 6 * size)), symbols(name, 6 * size))

    T, S_a = HINGE.constraint_subspace(np.zeros(1)), HINGE.effort_subspace(np.zeros(1))
    pose = symbols.hinge_pose("")
    joint = JointTerms(pose, T, np.zeros(5), S_a, symbols.swing(""), symbols.bias(""), symbols("tau", 1))
    A = Subassembly(np.zeros((6, 6)), symbols.swing("g")) if ground else side("A", sizes[0])
    result, kept = join(A, side("B", sizes[1]), place, joint)
    handles = len(place.parent_kept) + len(place.child_kept)
    torn = split(place, sizes, joint, kept, symbols("f", 6 * handles))
    forces = (torn.child_forces,) if ground else (torn.child_forces, torn.parent_forces)
    assert join_cost(handles, ground) == pytest.approx(
        symbols.operations(*result, torn.acceleration, *forces), rel=0.01
    )


def test_a_leaf_costs_what_it_takes():
    symbols = Traced()
    inertia = LeafInertia(mirror(symbols("C", 6, 6)), symbols("c", 3), mirror(symbols("J", 3, 3)))
    assert symbols.operations(*leaf(inertia, symbols("w", 3), np.zeros(6))) == LEAF


def test_long_blocks_are_articulated():
    assert cheapest_form(chain(4, True), 2) == "composite"
    assert cheapest_form(chain(30, True), 2) == cheapest_form(chain(10_000), 1) == "articulated"
    assert chain(7) == profile(schedule_of(built_in("arm7"), blocks=[range(7)]), 0, [1] * 7)
    legs = built_in("quadruped")  # short branches
    whole = schedule_of(legs, blocks=[range(len(legs.links))])
    assert cheapest_form(profile(whole, 0, [link.motion.nv for link in legs.links]), 0) == "composite"


def test_one_processor_wants_one_block_many_want_many():
    model = built_in("planar:64")
    widths = [1] * 64
    alone = block_schedule(model)
    assert len(alone.blocks) == 1
    shared = block_schedule(model, "balanced", processors=64)
    assert len(shared.blocks) > 4
    assert time(shared, widths, 64) < 0.5 * time(alone, widths, 64)
    assert time(alone, widths) < time(shared, widths)
    serial, balanced = schedule_of(model, "serial"), schedule_of(model, "balanced")
    for processors in (1, 2, 4, 16, 256):
        best = time(optimal_schedule(model, processors), widths, processors)
        assert best <= min(time(serial, widths, processors), time(balanced, widths, processors))
    assert optimal_schedule(model).depth == serial.depth
    assert serial.depth > optimal_schedule(model, 4).depth > balanced.depth


def test_grouped_schedules():
    model = built_in("humanoid")
    q, v, tau = state(model, 2)
    expected = forward_dynamics(model, q, v, tau)
    for name in ("grouped:3", "grouped:8"):
        found = forward_dynamics(model, q, v, tau, None, "assembly", name)
        assert relative_error(found, expected) < 1e-10
    assert relative_error(forward_dynamics(model, q, v, tau, None, "hybrid", "grouped:2", 3), expected) < 1e-10
    with pytest.raises(InputError, match="grouped:N"):
        schedule_of(model, "grouped:none")


def test_an_order_of_joints_leaves_blocks():
    model = built_in("planar:9")
    made = block_schedule(model, ["joint4", 6])
    assert made.blocks == ((0, 1, 2), (3, 4, 5), (6, 7, 8))
    assert block_schedule(model, made) == made
    q, v, tau = state(model, 2)
    found = forward_dynamics(model, q, v, tau, None, "hybrid", ["joint4", 6])
    assert relative_error(found, forward_dynamics(model, q, v, tau)) < 1e-12


def test_fewer_operations_than_separate_bodies():
    """The cheapest blocks for one processor: less work than articulated bodies with all their parameters."""
    for name in ("planar:7", "arm7", "chain3d:12"):
        model = built_in(name)
        hybrid, alone = (
            trace(bind(forward_dynamics, model, {"method": method})).operations.total
            for method in ("hybrid", "assembly")
        )
        assert hybrid < alone, name


def test_partition_by_measurement():
    model = built_in("planar:3")
    assert candidates(model) == [((0,), (1,), (2,)), ((0, 1), (2,)), ((0, 1, 2),)]
    kernel = compile(forward_dynamics, model, method="hybrid", tune=True)
    q, v, tau = state(model, 2)
    assert relative_error(kernel(q, v, tau), forward_dynamics(model, q, v, tau)) < 1e-12
    assert 0.0 < kernel.measured_time() < math.inf
