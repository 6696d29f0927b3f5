"""Planned motions of mechanisms with closed loops, by the joints that drive them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, ModelError

plans = lw.trajectories
LIMITS = {"velocity": 1.0, "acceleration": 3.0}
DRIVEN = {"four_bar": ["crank"], "slider_crank": ["crank"], "delta": ["arm1", "arm2", "arm3"]}


def ends_of(model, actuated):
    start = lw.default_configuration(model)[0]
    guess = np.array(start)
    for name in actuated:
        guess[model.slice(name).q] += 0.3
    return start, lw.close_loops(model, guess, fixed=actuated)


@pytest.mark.parametrize("name", DRIVEN)
def test_loops_stay_closed_on_the_way(name):
    model, actuated = lw.load(name), DRIVEN[name]
    start, end = ends_of(model, actuated)
    for plan in (
        plans.s_curve(model, start, end, jerk=30.0, actuated=actuated, **LIMITS),
        plans.trapezoid(model, start, end, actuated=actuated, **LIMITS),
        plans.polynomial(model, start, end, 1.0, actuated=actuated),
        plans.spline(model, [start, end], 1.0, actuated=actuated),
    ):
        q, v, _ = plan(np.linspace(0.0, plan.duration, 301))
        assert np.abs(lw.constraint_residual(model, q)).max() < 1e-6
        assert np.abs(np.einsum("nij,nj->ni", lw.constraint_jacobian(model, q), v)).max() < 1e-3
        assert np.allclose(plan.start, start, atol=1e-9)
        assert np.allclose(plan.end, end, atol=1e-9)


def test_the_limits_of_the_driven_joint_are_kept_and_met():
    model = lw.load("four_bar")
    start, end = ends_of(model, ["crank"])
    plan = plans.s_curve(model, start, end, jerk=30.0, actuated=["crank"], **LIMITS)
    alone = plans.s_curves([start[0]], 0, 0, [end[0]], 0, 0, 1.0, 3.0, 30.0)
    assert plan.duration == pytest.approx(float(alone.duration), rel=1e-12)
    fastest = np.abs(plan.at(np.linspace(0.0, plan.duration, 500)).a[:, 0]).max()
    assert fastest == pytest.approx(3.0, rel=0.02)


def test_a_batch_is_its_motions():
    model = lw.load("four_bar")
    start, end = ends_of(model, ["crank"])
    plan = plans.s_curve(model, start, end, jerk=30.0, actuated=["crank"], **LIMITS)
    many = plans.s_curve(model, start, np.stack([end, start]), jerk=30.0, actuated=["crank"], **LIMITS)
    assert many.batch == (2,)
    assert np.allclose(many[0](0.3)[0], plan(0.3)[0], atol=1e-12)
    assert many[1].duration == 0.0


def test_what_does_not_close_is_reported():
    model = lw.load("four_bar")
    start, end = ends_of(model, ["crank"])
    with pytest.raises(ModelError, match=r"name the joints that are actuated, such as actuated=\['crank'\]"):
        plans.s_curve(model, start, end, jerk=30.0, **LIMITS)
    with pytest.raises(InputError, match="the trajectory with actuated joints 'crank' ends"):
        plans.polynomial(model, start, start + 0.3, 1.0, actuated=["crank"])
    with pytest.raises(InputError, match="'crank' begins"):
        plans.polynomial(model, start + np.array([0.3, 0.0, 0.0]), end, 1.0, actuated=["crank"])
    with pytest.raises(InputError, match="leave 1 velocity of 'four_bar' free"):
        plans.polynomial(model, start, end, 1.0, actuated=[])
    with pytest.raises(ArgumentError, match="has no closed loops"):
        plans.polynomial(lw.load("two_link"), [0.0, 0.0], [1.0, 1.0], 1.0, actuated=["joint1"])
