"""A second simulation of a model traces and loads nothing again."""

from __future__ import annotations

import numpy as np
import pytest
from tests.setups import grouped

import linkwright as lw
from linkwright.compiler.kernel import Kernel
from linkwright.expression.graph import Graph


@pytest.fixture
def made(monkeypatch):
    """Kernels and graphs of traces, as they are made."""
    found = []
    for kind in (Kernel, Graph):

        def init(self, *args, kind=kind, before=kind.__init__, **more):
            found.append(kind)
            before(self, *args, **more)

        monkeypatch.setattr(kind, "__init__", init)
    return found


def sprung():
    return (
        lw.Builder("sprung")
        .body("rod", 1.0, [0, 0, -0.5], 0.1)
        .body("ball", 1.0, [0.1, 0, 0], 0.2)
        .joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0], damping=0.1)
        .joint_spring("hinge", 2.0)
        .joint("socket", "spherical", "rod", "ball", friction=0.01)
        .build()
    )


def moves(model, k, **options):
    """A motion that no other has, of a start, a duration, a batch and a step of its own."""
    q, v = model.neutral(), np.zeros(model.nv)
    if k:
        q = np.stack([q] * (2 + k))
    return lw.simulate(model, q, v, 0.01 * (1 + k), 1e-3 / (1 + k), **grouped(every=1 + k, **options))


CASES = {
    "plain": (sprung, lambda model, k: moves(model, k)),
    "semi_implicit": (sprung, lambda model, k: moves(model, k, method="semi_implicit")),
    "loops": (lambda: lw.load("four_bar"), lambda model, k: moves(model, k)),
    "loops with gains": (
        lambda: lw.load("four_bar"),
        lambda model, k: moves(model, k, stabilization=(9.0, 9.0), projection=False),
    ),
    "hold": (
        lambda: lw.load("two_link"),
        lambda model, k: moves(
            model, k, callback=lw.control.hold_posture(model, [0.1 * k, 0.2], 1.0 + k, 0.7 + 0.1 * k)
        ),
    ),
    "hold_joints": (
        lambda: lw.load("four_bar"),
        lambda model, k: moves(model, k, callback=lw.control.hold_joints(model, model.neutral(), 1.0 + k)),
    ),
    "stages": (
        sprung,
        lambda model, k: moves(model, k, callback=lambda t, q, v: -v, evaluated_at="stages"),
    ),
    "many bodies": (
        lambda: lw.load("planar:100"),
        lambda model, k: lw.simulate(model, np.full(100, 0.1 * k), np.zeros(100), 0.002),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_second_simulation_makes_nothing(name, made):
    build, simulate = CASES[name]
    model = build()
    simulate(model, 0)
    assert made
    made.clear()
    for k in (1, 2):
        motion = simulate(model, k)
        assert not made
    alone = simulate(build(), 2)
    assert np.array_equal(motion.q, alone.q)
    assert np.array_equal(motion.energy, alone.energy)
