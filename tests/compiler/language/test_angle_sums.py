"""Sines and cosines of sums of angles, shared along parallel axes where that takes fewer operations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.front import trace as tracing
from linkwright.compiler.front.bind import bind
from linkwright.compiler.ir.interpreter import interpret
from linkwright.compiler.ir.program import program_of
from linkwright.expression.graph import Graph
from mechanisms import random_tree, relative_error, state

FUNCTIONS = {"sin": np.sin, "cos": np.cos}


@pytest.mark.variants("swapped", "sign")
@pytest.mark.parametrize("names", list(itertools.product(("sin", "cos"), repeat=4)), ids=" ".join)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("swapped", [False, True])
def test_every_sum_of_two_products_keeps_its_value(names, sign, swapped):
    f, g, h, k = (FUNCTIONS[name] for name in names)

    def of(x):
        c, d = (x[1], x[0]) if swapped else (x[0], x[1])
        return f(x[0]) * g(x[1]) + sign * (h(c) * k(d))

    graph = Graph(angle_sums=True)
    x = graph.symbols("x", 2)
    program = program_of("f", graph, {"x": x}, of(x))
    values = np.random.default_rng(0).uniform(-3, 3, (50, 2))
    expected = np.array([of(row) for row in values])
    assert np.abs(interpret(program, values)[0] - expected).max() < 1e-15 * 4


def test_a_planar_chain_needs_no_products_for_its_pose():
    model = lw.load("planar:5")
    kernel = lw.compile(lw.pose, model, frame="tip")
    assert kernel.operations.multiplications == 0
    assert kernel.operations.sincos == 5
    q = model.random(20, seed=0)
    expected = [lw.dynamics.pose(model, row, "tip") for row in q]
    assert relative_error(kernel(q), np.array(expected)) < 1e-14


def test_only_what_is_cheaper_is_taken():
    """A joint across the others needs its own sine and cosine as well."""
    model = lw.load("puma560")
    bound = bind(lw.pose, model, {"frame": "tool"})
    shared, met = tracing._traced(bound, Graph(angle_sums=True))
    assert met
    assert shared.operations.total < tracing.trace(bound).operations.total
    assert shared.operations.sincos > tracing.trace(bound).operations.sincos


@pytest.mark.parametrize("seed", range(5))
def test_shared_sums_change_no_values(seed):
    from linkwright.model.joints.joint import Planar, Revolute

    model = random_tree([Revolute, Planar, Revolute, Planar], seed)
    q, v, _ = state(model, seed)
    bound = bind(lw.jacobian_dot, model, {"frame": "tip"})
    shared, _ = tracing._traced(bound, Graph(angle_sums=True))
    assert relative_error(interpret(shared, q, v)[0], lw.dynamics.jacobian_dot(model, q, v, "tip")) < 1e-13
