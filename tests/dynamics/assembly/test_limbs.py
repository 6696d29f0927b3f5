"""Legs that hang from a welded base are found, and nothing else is taken for legs."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.limbs import legs_below_base
from linkwright.formats.lookup.installed_robots import example_robots


def walker(legs, length=0.5, base="free", rise=0.0):
    """A trunk with legs of two links below it, and a mast of height `rise`."""
    builder = lw.Builder("walker").body("trunk", 5.0, inertia=0.1).joint("root", base, "world", "trunk")
    for k in range(legs):
        for part, above, z in (("thigh", "trunk", 0.0), ("shank", f"thigh{k}", -0.5 * length)):
            builder.body(f"{part}{k}", 1.0, inertia=0.01)
            builder.joint(f"{part}_joint{k}", "revolute", above, f"{part}{k}", axis=(0, 1, 0), xyz=(0, 0.1 * k, z))
        builder.frame(f"foot{k}", f"shank{k}", xyz=(0, 0, -0.5 * length))
    if rise:
        builder.body("mast", 1.0, inertia=0.01).joint("pan", "revolute", "trunk", "mast", xyz=(0, 0, rise))
    return builder.build()


@pytest.mark.parametrize("legs", [2, 4, 6])
def test_legs_below_a_welded_base_are_counted(legs):
    robot = walker(legs, base="fixed")
    assert legs_below_base(robot) == legs
    assert legs_below_base(robot.with_gravity((0.0, 0.0, 9.81))) == 0, "what is below is above"
    assert legs_below_base(robot.with_gravity((0.0, 0.0, 0.0))) == 0, "nothing is below"


def test_a_base_that_moves_needs_no_other_one():
    assert legs_below_base(walker(4)) == 0
    assert legs_below_base(lw.load("quadruped")) == 0


def test_short_limbs_below_a_tall_robot_are_no_legs():
    assert legs_below_base(walker(2, 0.5, "fixed", rise=0.5)) == 2
    assert legs_below_base(walker(2, 0.5, "fixed", rise=3.0)) == 0


@pytest.mark.parametrize("name", ["arm4", "arm7", "puma560", "two_link", "planar:5", "delta", "stewart", "four_bar"])
def test_built_in_mechanisms_with_a_fixed_base_stand_on_it(name):
    assert legs_below_base(lw.load(name)) < 2


def test_mechanisms_without_joints_have_no_legs():
    assert legs_below_base(lw.Builder("rock").body("rock", 1.0).joint("on", "fixed", "world", "rock").build()) == 0


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_real_robots():
    legs = {
        **dict.fromkeys(("icub", "talos_reduced", "g1_29dof_rev_1_0", "bolt", "simple_humanoid", "romeo"), 2),
        **dict.fromkeys(("go2", "a1", "solo", "solo12", "anymal_c_simple", "hyq", "laikago"), 4),
        **dict.fromkeys(("panda", "ur5_robot", "baxter", "tiago", "pr2", "kinova", "alex_psyonic_hands"), 0),
    }
    for name, count in legs.items():
        robot = lw.load(name)
        assert legs_below_base(robot) == count, name
        if count:
            free = lw.load(name, root="free")
            assert legs_below_base(free) == 0
            assert free.nv == robot.nv + 6
            assert np.isclose(lw.total_mass(free), sum(float(body.mass) for body in robot.description.bodies)), name
