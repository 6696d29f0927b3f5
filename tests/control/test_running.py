"""The humanoid of examples/running.py runs, by contact alone and within its limits, and both dynamics agree."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from linkwright.formats.lookup.installed_robots import example_robots
from shortened import long_form

pytest.importorskip("daqp")
pytestmark = pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
PATH = Path(__file__).parents[2] / "examples" / "running.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("running", PATH)
    module = sys.modules["running"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(example):
    return example.run(2.5)


def test_it_runs_with_flight_and_within_its_limits(found):
    speed, flight, _, effort, velocity = np.array(list(found.strides()))[-1, 1:]
    assert speed > 1.0
    assert flight > 0.1
    assert effort <= 1.0 + 1e-9
    assert velocity < 1.0
    assert not found.runner.infeasible
    assert not found.motion.tau[:, :6].any()  # nothing but contact moves the base


def test_feet_take_turns_and_only_push(example, found):
    forces = found.motion.contacts.forces
    assert (forces[..., 2] >= 0.0).all()
    across = np.hypot(forces[..., 0], forces[..., 1])
    assert (across <= example.FRICTION * forces[..., 2] * (1.0 + 1e-6) + 1e-6).all()
    running = found.motion.t > example.PUSH_OFF + example.STEP
    assert not (found.pressing[running] > 0.0).all(axis=1).any()
    down = [foot for _, event, foot in found.runner.events if event == "touch-down"]
    assert down == [k % 2 for k in range(len(down))]


@pytest.mark.parametrize("feet", [[0], *long_form([0, 1])])
def test_assembly_with_connected_and_cut_feet_agrees_with_rigid_contact(example, found, feet):
    rows, _ = example.SecondDynamics(found).compared(feet)
    assert {what for what, *_ in rows} >= {"lift-off", "ten of a flight", "left foot, touch-down"}
    for what, count, off in rows:
        assert len(off) == count > 0
        assert off.max() < 1e-6, what


def test_a_plan_ends_at_the_height_and_speed_of_the_next_flight(example):
    for z, dz, preload in ((0.66, -0.3, 1.5), (0.60, 0.0, example.G), (0.63, -0.5, 0.0)):
        plan = example.StancePlan(z, dz, 0.22, preload)
        np.testing.assert_allclose(
            plan.motion(0.22)[:2], [example.HEIGHT, 0.5 * example.G * example.FLIGHT], atol=1e-12
        )
        s, h = 0.1, 1e-5
        rate = (plan.motion(s + h)[0] - plan.motion(s - h)[0]) / (2.0 * h)
        np.testing.assert_allclose(rate, plan.motion(s)[1], atol=1e-7)
        # the transition is that of x'' = f/z x
        x = np.array([0.05, -0.4])
        for at in np.arange(0.0, 0.22 - 1e-9, 1e-5):
            w = plan.force(at) / plan.motion(at)[0]
            x = x + 1e-5 * np.array([x[1], w * x[0]])
        np.testing.assert_allclose(plan.transition(0.0) @ [0.05, -0.4], x, atol=1e-4)
