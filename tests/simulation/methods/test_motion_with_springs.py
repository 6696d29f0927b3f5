"""Springs and dampers between bodies in simulated motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightWarning
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.joint import Revolute
from linkwright.model.parts.spring import Spring
from linkwright.simulation.integrators.methods import METHODS
from mechanisms import random_tree


def slides(between: bool, stiffness=400.0, damping=3.0):
    """Two masses on one line, held by springs of their slides, or by the same between points."""
    made = lw.Builder("slides", gravity=(3.0, 0, 0))
    parent = "world"
    for k in range(2):
        made.body(f"m{k}", mass=1.0 + k, inertia=1.0)
        made.joint(
            f"s{k}",
            "prismatic",
            parent,
            f"m{k}",
            xyz=[0.5 * k, 0, 0],
            axis=[1, 0, 0],
            damping=0.0 if between else damping,
        )
        if between:
            made.spring((parent, [0.5 * k - 1.0, 0, 0]), f"m{k}", stiffness, damping, 1.2)
        else:
            made.joint_spring(f"s{k}", stiffness, rest=0.2)
        parent = f"m{k}"
    return made.build()


@pytest.mark.parametrize("method", METHODS)
def test_along_a_slide_it_is_the_slide_s_own_spring(method):
    ends = [lw.simulate(slides(between), [0.3, 0.1], [0.0, 1.0], 0.2, 1e-3, method) for between in (False, True)]
    assert np.abs(ends[0].q - ends[1].q).max() < 1e-13
    assert np.abs(ends[0].energy - ends[1].energy).max() < 1e-11


def test_energy_is_kept_at_the_order_of_the_method():
    tree = random_tree([Revolute] * 3, 3, springs=False)
    rng = np.random.default_rng(0)
    ends = [("base", "body2"), ("body0", "tip"), ("world", "body1", "tip")]
    springs = tuple(Spring(f"s{k}", names, 30.0, 0.0, (0.1, 0.1)) for k, names in enumerate(ends))
    model = assemble(replace(tree.description, springs=springs))
    q, v = model.random(seed=0), rng.normal(size=model.nv)
    lost = []
    for step in (4e-3, 2e-3):
        energy = lw.simulate(model, q, v, 1.0, step).energy
        lost.append(np.abs(energy - energy[0]).max())
    assert lost[0] < 1e-3 * abs(energy[0])
    assert lost[0] / lost[1] > 13.0


def four_bar_with_spring(stiffness=200.0, damping=0.0, length: tuple[float, float] | None = (0.6, 0.6)):
    plain = lw.load("four_bar")
    spring = Spring("spring", ("crank_bar", "pin_end"), stiffness, damping, length)
    return assemble(replace(plain.description, springs=(spring,)))


def test_closed_loops_bear_springs():
    model = four_bar_with_spring()
    q = lw.close_loops(model, model.neutral())
    lost = []
    for step in (4e-3, 2e-3):
        motion = lw.simulate(model, q, np.zeros(model.nv), 0.4, step)
        lost.append(np.abs(motion.energy - motion.energy[0]).max())
        assert np.abs(lw.constraint_residual(model, motion.q)).max() < 1e-9
    assert np.ptp(lw.spring_lengths(model, motion.q)) > 0.01
    assert lost[0] / lost[1] > 13.0 or lost[1] < 1e-10


@pytest.mark.parametrize("length", [0.0, 0.3])
def test_stiff_ones_are_for_the_implicit_method(length):
    """A ball held by a spring as stiff as steel, along it and across."""
    model = (
        lw.Builder("held")
        .body("ball", mass=1.0, inertia=0.1)
        .joint("free", "free", "world", "ball")
        .spring(("world", [0.0, 0.0, 1.0]), "ball", 1e8, 1e4, length)
        .build()
    )
    q, v = [0.0, 0.0, 1.0 - length, 1.0, 0, 0, 0], [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]
    with pytest.warns(LinkwrightWarning, match="will not be stable.*semi_implicit"):
        lw.simulate(model, q, v, 2e-3, method="rk4")
    motion = lw.simulate(model, q, v, 1.0, 1e-3, "semi_implicit")
    assert np.abs(motion.q[:, :3]).max() < 1.1
    assert np.abs(lw.spring_lengths(model, motion.q[500:]) - length).max() < 1e-5


def test_of_a_closed_loop_too_the_implicit_method_is_stable():
    model = four_bar_with_spring(1e7, 1e3, None)
    q = lw.close_loops(model, model.neutral())
    v = lw.impulse(model, q, np.ones(model.nv))[0]
    motion = lw.simulate(model, q, v, 0.3, 1e-3, "semi_implicit", every=10)
    assert np.abs(motion.q).max() < 1e-2  # it holds like a rod
    assert motion.energy[-1] < motion.energy[0]
    assert np.abs(lw.constraint_residual(model, motion.q)).max() < 1e-9
