"""``linkwright simulate`` with a world: ground, drops, pushes, limits."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.formats.lookup.installed_robots import example_robots
from linkwright.simulation.ground import on_ground

pytestmark = pytest.mark.usefixtures("undrawn")

BOX = """<robot name="box"><link name="box">
  <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link></robot>"""


def simulated(out, capsys, *arguments):
    """The arrays that a command writes, and what it says."""
    status = 0
    try:
        main(["simulate", *map(str, arguments), "--no-animation", "--out", str(out)])
    except SystemExit as stop:
        status = int(stop.code or 0)
    result = capsys.readouterr()
    assert status == 0, result.err
    with np.load(out / "motion.npz") as saved:
        return dict(saved), result.out


def test_a_robot_with_feet_stands_by_default(tmp_path, capsys):
    motion, messages = simulated(tmp_path, capsys, "quadruped", "--time", 1.5)
    robot = lw.load("quadruped")
    assert "starts on the ground" in messages
    assert "penetration" in messages
    assert (tmp_path / "contacts.png").exists()
    weight = lw.total_mass(robot) * 9.81
    assert motion["contact_forces"][-500:, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.1)
    assert np.ptp(motion["q"][:, 2]) > 0.03  # it bends its legs
    assert np.abs(motion["q"][:, 4:6]).max() < 0.05  # and stays upright
    assert motion["contact_gaps"][:, :].min() > -1e-4


def test_held_it_keeps_still(tmp_path, capsys):
    motion, messages = simulated(tmp_path, capsys, "quadruped", "--time", 1.0, "--hold")
    assert "holds its posture" in messages
    assert np.abs(motion["v"][-1]).max() < 3e-2


def test_dropped_it_lands(tmp_path, capsys):
    motion, messages = simulated(tmp_path, capsys, "quadruped", "--drop", 0.3, "--time", 1.0)
    assert "dropped from 0.3 m" in messages
    assert motion["contact_gaps"][0, :4].min() == pytest.approx(0.3, abs=1e-9)
    force = motion["contact_forces"][:, :, 2].sum(axis=1)
    fall = round(1000 * np.sqrt(2 * 0.3 / 9.81))
    assert not force[: fall - 10].any()
    assert force[fall - 10 :].max() > 100.0


def test_a_push_is_as_strong_as_given(tmp_path, capsys):
    """With nothing beneath, the momentum changes by the newton-seconds."""
    robot = tmp_path / "box.urdf"
    robot.write_text(BOX)
    options = (robot, "--root", "free", "--push", 0, 3, 1, "--time", 1.5, "--no-ground")
    motion, messages = simulated(tmp_path / "out", capsys, *options)
    assert "(push" in messages
    assert "push at 1 s on box: 0 3 1 N s" in messages
    v = lw.velocity(lw.load(robot, root="free"), motion["q"], motion["v"], "box")[:, :3]
    np.testing.assert_allclose(2.0 * (v[1200] - v[900]), [0.0, 3.0, 1.0 - 2.0 * 9.81 * 0.3], atol=1e-6)


def test_a_file_stands_with_its_shapes_on_a_ground_of_any_height(tmp_path, capsys):
    robot = tmp_path / "box.urdf"
    robot.write_text(BOX)
    options = (robot, "--root", "free", "--height", 0.3, "--friction", 0.2, "--time", 0.2)
    motion, _ = simulated(tmp_path / "out", capsys, *options)
    np.testing.assert_allclose(motion["q"][:, 2], 0.35, atol=1e-6)
    options = (robot, "--root", "free", "--friction", 0.2, "--velocity", "root.0=1", "--time", 0.2)
    motion, _ = simulated(tmp_path / "out", capsys, *options)
    assert motion["v"][-1, 0] == pytest.approx(1.0 - 0.2 * 9.81 * 0.2, rel=1e-3)


def test_joints_stay_within_their_limits(tmp_path, capsys):
    arm = lw.load("arm7")
    start = ("--posture", "joint2=1,joint4=-1,joint6=1", "--velocity", "joint6=3,joint1=2", "--time", 1.5)
    motion, messages = simulated(tmp_path, capsys, "arm7", *start)
    assert "limits reached" in messages
    assert np.maximum(arm.lower - motion["q"], motion["q"] - arm.upper).max() < 0.01
    motion, messages = simulated(tmp_path, capsys, "arm7", *start, "--no-limits")
    assert np.maximum(arm.lower - motion["q"], motion["q"] - arm.upper).max() > 0.1
    assert "energy drift" in messages


def test_what_touches_nothing_falls_and_is_reported_what_would_help(tmp_path, capsys):
    _, messages = simulated(tmp_path, capsys, "chain3d:2", "--time", 0.05)
    assert "free fall" in messages
    assert "collision shapes" in messages


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("arm7", "--drop"), "its base is fixed"),
        (("quadruped", "--drop", "-1"), "above 0 m"),
        (("--drop", "quadruped"), "got 'quadruped'; the robot comes first: linkwright simulate quadruped --drop"),
        (("--push", "1", "quadruped"), "the robot comes first"),
        (("quadruped", "--push", "1", "2"), "got 2 numbers"),
        (("quadruped", "--push", "abc"), "error: --push expects numbers; got 'abc'\n"),
        (("quadruped", "--push", "1 2 3"), "got '1 2 3'; separate them by spaces: --push 1 2 3"),
        (("quadruped", "--push", "nan"), "finite numbers, N s; got nan"),
        (("quadruped", "--push"), "--push begins at 1 s, after the end at --time 0.01"),
        (("two_link", "--step", "0"), "--step is a positive number (s); got 0"),
        (("two_link", "--step", "nan", "--method", "equations"), "--step is a positive number"),
        (("two_link", "--root", "free"), "has none: the joint 'joint1' joins moving bodies to the world"),
        (("",), "the name that is given is empty"),
        ((".",), "'.' is a folder; expected a robot file"),
        (("no_robot",), "planar:N"),
        (("quadruped", "--limp", "--no-ground"), "--no-ground"),
        (("two_link", "--height", "0"), "--height"),
        (("quadruped", "--push", "--method", "equations"), "use another method"),
    ],
)
def test_what_makes_no_sense_is_reported(arguments, expected, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["simulate", *arguments, "--time", "0.01", "--no-animation", "--out", str(tmp_path)])
    assert stop.value.code == 2
    text = " ".join(capsys.readouterr().err.split())
    assert expected in text if "\n" not in expected else expected.strip() == text


def test_legs_on_a_welded_base_are_offered_a_ground(tmp_path, capsys):
    legs = lw.Builder("stool").body("seat", 1.0, inertia=0.1).joint("on", "fixed", "world", "seat")
    for k in range(3):
        legs.body(f"leg{k}", 1.0, inertia=0.1).joint(f"hip{k}", "revolute", "seat", f"leg{k}", xyz=(0.1 * k, 0, 0))
        legs.shape(f"leg{k}", "sphere", radius=0.02, xyz=(0, 0, -0.4)).frame(f"foot{k}", f"leg{k}", xyz=(0, 0, -0.4))
    path = legs.build().save(tmp_path / "stool.urdf")
    offer = "its base is welded to the world, and its legs hang from it; with --root free"
    motion, messages = simulated(tmp_path / "fixed", capsys, path, "--time", 0.01)
    assert offer in messages
    assert motion["q"].shape[1] == 3, "the result is that of the welded base"
    motion, messages = simulated(tmp_path / "free", capsys, path, "--time", 0.01, "--root", "free")
    assert offer not in messages
    assert "starts on the ground" in messages
    assert motion["q"].shape[1] == 10
    assert offer not in simulated(tmp_path / "arm", capsys, "arm7", "--time", 0.01)[1]


@pytest.mark.filterwarnings("ignore:at the start")  # joint limits move the joint back within a step
def test_an_odd_start_is_reported(tmp_path, capsys):
    _, messages = simulated(tmp_path, capsys, "arm7", "--posture", "joint2=400deg", "--time", 0.01)
    assert "the initial posture exceeds the limits of joint2" in messages
    _, messages = simulated(tmp_path, capsys, "two_link", "--posture", "1e300,1", "--time", 0.01)
    assert "too large for precise results (joint1)" in messages
    _, messages = simulated(tmp_path, capsys, "arm7", "--time", 0.01)
    assert "initial posture" not in messages


@pytest.mark.filterwarnings("ignore:The simulation of 'two_link' diverged")
def test_a_motion_that_ends_early_is_no_success(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["simulate", "two_link", "--velocity", "joint1=1e9", "--no-animation", "--out", str(tmp_path)])
    assert stop.value.code == 1
    said = capsys.readouterr()
    assert "the simulation diverged" in said.out
    assert "drift" not in said.out
    assert "the motion ended at 0.002 s of 10 s" in said.err


@pytest.mark.skipif("go2" not in example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_a_robot_from_a_file_stands_balanced_and_touches_with_all_its_shapes(tmp_path, capsys):
    """In its neutral posture at the limits of its knees, its feet are far behind its center of mass."""
    robot = lw.load("go2", root="free")
    motion, messages = simulated(tmp_path, capsys, "go2", "--root", "free", "--time", 1.5)
    assert "falls" not in messages
    assert motion["q"][-1, 2] > 0.9 * motion["q"][0, 2]
    assert motion["contact_forces"].shape[1] > 19  # points of 19 shapes
    feet = [lw.pose(robot, motion["q"][0], f"{leg}_foot")[:2, 3] for leg in ("FL", "FR", "RL", "RR")]
    np.testing.assert_allclose(lw.center_of_mass(robot, motion["q"][0])[:2], np.mean(feet, axis=0), atol=0.02)


def test_a_robot_that_falls_is_reported(tmp_path, capsys):
    builder = lw.Builder("mast").body("mast", 5.0, inertia=0.1, center_of_mass=(0.3, 0.0, 0.5))
    builder.joint("root", "free", "world", "mast").shape("mast", "sphere", radius=0.05, xyz=(0, 0, -0.5))
    builder.shape("mast", "sphere", radius=0.05, xyz=(0.0, 0.0, 0.6))
    path = builder.build().save(tmp_path / "mast.urdf")
    _, messages = simulated(tmp_path / "out", capsys, path, "--time", 2.0)
    assert "it falls" in messages


def body_of_bars(arms):
    """A trunk of three bars with arms that hang from it, two bars each."""
    builder = lw.Builder("fallen").body("trunk", 5.0, inertia=0.1).joint("root", "free", "world", "trunk")
    for z in (0.0, 0.2, 0.4):
        builder.shape("trunk", "capsule", radius=0.1, length=0.2, xyz=(0, 0, z), rpy=(0, np.pi / 2, 0), name="trunk")
    for k in range(arms):
        builder.body(f"arm{k}", 0.5, inertia=0.01).body(f"hand{k}", 0.2, inertia=0.01)
        builder.joint(f"shoulder{k}", "revolute", "trunk", f"arm{k}", xyz=(0.1 * k, 0.3, 0.4), axis=(0, 1, 0))
        builder.joint(f"wrist{k}", "revolute", f"arm{k}", f"hand{k}", xyz=(0, 0, -0.3), axis=(0, 1, 0))
        for body in (f"arm{k}", f"hand{k}"):
            for x in (0.0, 0.05):
                builder.shape(body, "capsule", radius=0.03, length=0.2, xyz=(x, 0, -0.15), name=body)
    return builder.build()


@pytest.mark.parametrize("arms", [3, 8])
def test_a_trunk_that_falls_does_not_sink_through_the_floor(arms):
    grounded = on_ground(body_of_bars(arms), None, None, True)
    assert len(grounded.pairs) == 3 + 4 * arms
    if arms == 3:
        start = grounded.neutral()
        start[2] = 0.7
        motion = lw.simulate(grounded, start, np.full(grounded.nv, 0.1), 1.5)
        assert motion.q[:, 2].min() > 0.05  # its lowest bar has a radius of 0.1


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_other_methods_have_a_ground_too(method, tmp_path, capsys):
    path = tmp_path / "box.urdf"
    path.write_text(BOX)
    motion, _ = simulated(tmp_path, capsys, path, "--root", "free", "--method", method, "--drop", 0.05, "--time", 1)
    assert motion["q"][0, 2] == pytest.approx(0.1, abs=1e-6)
    assert motion["q"][-1, 2] == pytest.approx(0.05, abs=2e-3)
    assert np.abs(motion["v"][-1]).max() < 0.05


def test_feet_that_are_not_level_are_reported(tmp_path, capsys):
    bent = "front_left_hip_pitch=0.7,front_left_knee=-1.4,front_right_hip_pitch=0.7,front_right_knee=-1.4"
    _, messages = simulated(tmp_path, capsys, "quadruped", "--posture", bent, "--time", 0.01)
    assert "not level" in messages
    assert "front_left" in messages
    assert "hind" not in messages.partition("not level")[2].partition(";")[0]
    _, messages = simulated(tmp_path, capsys, "quadruped", "--time", 0.01)
    assert "not level" not in messages


def test_steps_that_do_not_follow_contact_have_no_ground(tmp_path, capsys):
    motion, messages = simulated(tmp_path, capsys, "humanoid", "--method", "rk4", "--time", 0.01)
    assert "no ground: with rk4 its contact needs steps below 0.00045 s" in messages
    assert len(motion["t"]) == 11
