"""Where the built-in mechanisms start when they are shown."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.browser.balance import raised
from linkwright.errors import FormatWarning
from linkwright.model.library.built_in import BUILT_IN, COUNTED
from linkwright.model.tree import floating_bases
from linkwright.simulation.initial_state import STARTS, placed_above, showing_bend

NAMES = [f"{name}:3" if name in COUNTED else name for name in BUILT_IN]


@pytest.mark.parametrize("name", NAMES)
def test_every_built_in_mechanism_starts_to_move(name):
    model = lw.load(name)
    q, v = lw.default_configuration(model)
    lw.check(model, q)
    if model.loops:
        assert np.abs(dynamics.constraint_residual(model, q)).max() < 1e-8
        assert np.abs(dynamics.constraint_jacobian(model, q) @ v).max() < 1e-8
    rates = v[6:] if model.joints[0].type == "free" else v
    moving = np.abs(rates).max(initial=0.0) > 0.5 or showing_bend(model) is not None
    assert moving or np.abs(dynamics.forward_dynamics(model, q, v, np.zeros(model.nv))).max() > 1.0


def test_every_built_in_mechanism_has_one_with_names_of_its_own():
    assert set(STARTS) == set(BUILT_IN)
    for name in set(BUILT_IN) - set(COUNTED):
        joints = {joint.name for joint in lw.load(name).joints}
        start = STARTS[name]
        assert {*start.posture, *start.velocity, *start.stands, *start.bend} <= joints


def test_a_platform_sways_and_a_crank_turns():
    stewart = lw.load("stewart")
    lift = dynamics.pose(stewart, lw.default_configuration(stewart)[0], "tool") - dynamics.pose(
        stewart, stewart.neutral(), "tool"
    )
    assert np.linalg.norm(lift[:3, 3]) > 0.2  # from where its springs bear it
    crank = lw.load("slider_crank")
    motion = lw.simulate(crank, *lw.default_configuration(crank), 2.0, 2e-3, every=5)
    assert np.ptp(motion.q[:, 0]) > 2.0 * np.pi
    assert np.ptp(motion.q[:, 2]) == pytest.approx(0.4, abs=0.01)


def test_what_is_thrown_comes_back_after_ten_seconds():
    model = lw.load("humanoid")
    q, v = lw.default_configuration(model)
    speed = dynamics.momentum(model, q, v)[:3] / lw.total_mass(model)
    assert speed[2] * 10.0 == pytest.approx(0.5 * 9.81 * 10.0**2)


def test_a_robot_of_ones_own_of_the_same_name_starts_neutral():
    builder = lw.Builder("pendulum").body("rod", 1.0, (0, 0, -1), 0.1)
    model = builder.joint("axle", "revolute", "world", "rod", limits=(0.5, 1.0)).build()
    q, v = lw.default_configuration(model)
    np.testing.assert_array_equal(q, [0.5])
    np.testing.assert_array_equal(v, [0.0])
    q, v = lw.default_configuration(lw.load("arm7", root="free"))
    assert not q[7:].any()


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_robots_on_legs_start_standing_where_they_have_a_ground(name):
    robot = lw.load(name).with_ground()
    q, v = lw.default_configuration(robot)
    lw.check(robot, q)
    assert (q >= robot.lower).all()
    assert (q <= robot.upper).all()
    assert not v.any()
    np.testing.assert_array_equal(q, lw.standing_configuration(robot, q))
    bend = showing_bend(robot)
    bent = lw.standing_configuration(robot, lw.integrate(robot, q, bend))
    assert bent[2] < q[2] - 0.05
    assert (bent >= robot.lower).all()
    assert (bent <= robot.upper).all()


def test_a_free_joint_with_armature_is_put_on_the_ground():
    pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    text = """<mujoco><worldbody><body pos="0 0 1"><joint type="free" armature="0.1"/><geom size="0.2"/></body>
      </worldbody></mujoco>"""
    with pytest.warns(lw.errors.FormatWarning, match="three slides and a ball"):
        model = lw.load(text, trusted=True)
    q = lw.standing_configuration(model.with_ground(), model.neutral())
    np.testing.assert_allclose(q, [0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_free_joints_with_armature_are_floating_bases():
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="trunk" pos="0 0 {z}">{joint}
      <geom size="0.1" mass="2"/></body></worldbody></mujoco>"""
    joints = '<joint type="free"/>', '<joint name="base" type="free" armature="0.5"/>'
    for joint in joints:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            model = lw.load(text.format(z=1, joint=joint)).with_contact()
        assert floating_bases(model) == [0]
        q = model.neutral()
        standing = lw.standing_configuration(model, q)
        assert placed_above(model, q, standing) == pytest.approx(0.9)
        assert raised(model, standing, 0.3)[:3] == pytest.approx([0.0, 0.0, 0.4])
