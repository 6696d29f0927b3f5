"""Transmissions of URDF files as actuators: their efforts, limits, faults, and files written from them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError, FormatWarning

ROBOT = """<robot name="arm">
  <link name="base"/>
  LINKS
  <joint name="tool" type="fixed"><parent link="b"/><child link="c"/></joint>
  <link name="c"/>
  PARTS
</robot>"""

LINK = """<link name="{name}"><inertial><origin xyz="0 0 .2"/><mass value="1"/>
  <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="q{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="40" velocity="3"/></joint>"""

SIMPLE = """<transmission name="drive"><type>transmission_interface/SimpleTransmission</type>
  <joint name="qa"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
  <actuator name="motor"><mechanicalReduction>-20</mechanicalReduction></actuator></transmission>"""

DIFFERENTIAL = """<transmission name="wrist"><type>transmission_interface/DifferentialTransmission</type>
  <actuator name="right"><role>actuator2</role><mechanicalReduction>3</mechanicalReduction></actuator>
  <actuator name="left"><role>actuator1</role><mechanicalReduction>2</mechanicalReduction></actuator>
  <joint name="qa"><role>joint1</role></joint>
  <joint name="qb"><role>joint2</role><mechanicalReduction>5</mechanicalReduction></joint></transmission>"""

CONTROL = """<ros2_control name="system" type="system"><hardware><plugin>x/Y</plugin></hardware>
  <joint name="qa"><command_interface name="effort"><param name="min">-10</param><param name="max">30</param>
    </command_interface><state_interface name="position"/></joint>
  <joint name="qb"><command_interface name="position"/></joint>
  TRANSMISSION</ros2_control>"""

OLD = '<transmission name="drive" type="SimpleTransmission"><actuator name="motor"/><joint name="qa"/>\n' + (
    "<mechanicalReduction>7</mechanicalReduction></transmission>"
)

NEW = """<transmission name="drive"><plugin>transmission_interface/SimpleTransmission</plugin>
  <actuator name="motor" role="actuator1"/><joint name="qa" role="joint1"><mechanical_reduction>4</mechanical_reduction>
  </joint></transmission>"""


def robot(parts):
    links = LINK.format(name="a", parent="base") + LINK.format(name="b", parent="a")
    return ROBOT.replace("LINKS", links).replace("PARTS", parts)


def read(parts):
    return lw.load(robot(parts))


def efforts(model, u):
    motion = lw.simulate(model, [0.3, 0.2], [0.0, 0.0], 1e-3, 1e-3, actuation=lw.Actuation(controls=u))
    return motion.tau[0]


@pytest.mark.parametrize(("parts", "gear"), [(SIMPLE, -20.0), (OLD, 7.0), (NEW, 4.0)])
def test_a_reduction_multiplies_the_effort_of_the_motor(parts, gear):
    model = read(parts)
    assert [(one.name, one.joint, one.gear) for one in model.actuators] == [("motor", "qa", gear)]
    np.testing.assert_allclose(efforts(model, [0.5]), [0.5 * gear, 0.0])
    np.testing.assert_allclose(efforts(model, [100.0]), [np.copysign(40.0, gear), 0.0])  # the limit of the joint
    np.testing.assert_array_equal([joint.velocity_limit[0] for joint in model.joints], 3.0)


def test_a_differential_couples_two_joints():
    model = read(DIFFERENTIAL)
    assert [one.name for one in model.actuators] == ["left", "right"]
    np.testing.assert_allclose(efforts(model, [1.0, 0.0]), [2.0, 10.0])
    np.testing.assert_allclose(efforts(model, [0.0, 1.0]), [3.0, -15.0])


def test_commands_of_ros2_control_have_ranges():
    model = read(CONTROL.replace("TRANSMISSION", NEW))
    assert [(one.name, one.joint) for one in model.actuators] == [("motor", "qa"), ("qb", "qb")]
    assert model.actuators[0].control_range == (-2.5, 7.5)  # of the motor
    np.testing.assert_allclose(efforts(model, [100.0, 3.0]), [30.0, 3.0])
    turned = read(CONTROL.replace("TRANSMISSION", SIMPLE))
    assert turned.actuators[0].control_range == (-1.5, 0.5)


@pytest.mark.parametrize("parts", [SIMPLE, DIFFERENTIAL, CONTROL.replace("TRANSMISSION", SIMPLE)])
def test_written_and_read_again_the_actuators_are_the_same(parts, tmp_path):
    model = read(parts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = lw.load(model.save(tmp_path / "again.urdf"))
    assert again.actuators == model.actuators
    with pytest.warns(FormatWarning, match="velocity limits are lost"):
        model.save(tmp_path / "again.xml")
    assert lw.load(tmp_path / "again.xml", trusted=True).actuators == model.actuators


def test_actuators_without_a_transmission_are_lost(tmp_path):
    model = read(SIMPLE)
    motor = model.actuators[0]
    others = (
        lw.Actuator("servo", "qb", gain=(3.0, 0.0, 0.0), bias=(0.0, -3.0, 0.0)),
        lw.Actuator("thruster", frame="c", gear=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
        lw.Actuator("cable", tendon=(("qa", 1.0), ("qb", 2.0))),
        replace(motor, name="strong", force_range=(-1.0, 1.0)),
    )
    with pytest.warns(FormatWarning) as caught:
        model.with_actuators(motor, *others).save(tmp_path / "again.urdf")
    text = str(caught[0].message)
    for part in ("no motors are lost: 'servo'", "frames and tendons are lost: 'thruster'", "cable", "strong"):
        assert part in text
    assert lw.load(tmp_path / "again.urdf").actuators == (motor,)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (SIMPLE.replace("Simple", "FourBarLinkage"), "type 'FourBarLinkageTransmission' is not read"),
        (SIMPLE.replace('"qa"', '"qx"'), "unknown joint 'qx'"),
        (DIFFERENTIAL.replace('<joint name="qa"><role>joint1</role></joint>', ""), "expected 2 joint"),
        (CONTROL.replace('"qb"', '"qx"').replace("TRANSMISSION", ""), "unknown joint 'qx' in <ros2_control>"),
    ],
)
def test_unread_transmissions_are_remarked(parts, message):
    with pytest.warns(FormatWarning, match=message):
        read(parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (SIMPLE.replace("-20", "0"), r"<text>:\d+:\d+: a mechanical reduction is 0"),
        (SIMPLE.replace("-20", "nan"), "a mechanical reduction is 'nan'"),
        (SIMPLE.replace("-20", ""), "a mechanical reduction is ''"),
        (CONTROL.replace(">30<", ">-30<").replace("TRANSMISSION", ""), "from -10 to -30; expected min < max"),
        (CONTROL.replace(">30<", ">lots<").replace("TRANSMISSION", ""), "the max of a command is 'lots'"),
    ],
)
def test_faults(parts, message):
    with pytest.raises(FormatError, match=message):
        read(parts)


def test_transmissions_of_fixed_joints_and_equal_names():
    fixed = SIMPLE.replace('"qa"', '"tool"')
    assert read(fixed).actuators == ()
    assert [one.name for one in read(SIMPLE + SIMPLE.replace('"qa"', '"qb"')).actuators] == ["motor", "motor_"]
