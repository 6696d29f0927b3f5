"""Faults of actuators, tendons and equality constraints in MJCF files: each is an error that names the place."""

import pytest

import linkwright as lw
from linkwright.errors import FormatError

pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

FILE = """<mujoco><worldbody><site name="ground"/>
  <body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom name="g" size=".1" pos=".3 0 0"/>
  <site name="s" pos=".3 0 0"/><body name="hand" pos=".3 0 0"><joint name="k" axis="1 0 0"/>
  <geom name="box" type="box" size=".1 .1 .1"/><site name="t"/></body></body>
  <body name="free"><freejoint name="f"/><geom size=".1"/></body></worldbody>
  PARTS</mujoco>"""

ACTUATORS = {
    '<motor name="m" joint="x"/>': ":6: .*'x'.*'m'",
    '<motor name="m"/>': "missing transmission target.*'m'",
    '<motor name="m" tendon="x"/>': "target 'x' not found",
    '<motor name="m" site="x"/>': "target 'x' not found",
    '<motor name="m" joint="j"/><motor name="m" joint="k"/>': "repeated name 'm'",
    '<motor name="m" joint="j" ctrllimited="true"/>': "invalid control range.*'m'",
    '<motor name="m" joint="j" gear="strong"/>': ":6: .*'gear'",
    '<motor name="m" joint="j" gear="nan"/>': "actuator 'm': gear is one number.*finite",
    '<general name="m" joint="j" gainprm="inf"/>': "actuator 'm': gain is 3 numbers, finite",
    '<general name="m" joint="j" dyntype="slow"/>': "keyword: 'slow'",
    '<general name="m" joint="j" gaintype="large"/>': "keyword: 'large'",
    '<general name="m" joint="j" dyntype="filter" dynprm="-1"/>': "actuator 'm': time_constant is not negative",
    '<motor name="m" joint="j" class="big"/>': "class name 'big'",
    '<position name="m" joint="j" kp="1" timeconst="-1"/>': "timeconst cannot be negative",
    '<muscle name="m" joint="j" lengthrange="0 1" range="2 1"/>': "required in muscle.*'m'",
    '<engine name="m" joint="j"/>': ":6: .*'engine'",
    '<motor name="m" joint="j" power="3"/>': ":6: .*'power'",
}
JOINT = '<joint joint="j" coef="1"/></fixed>'
TENDONS = {
    '<spatial name="t1" stiffness="1"><site site="s"/></spatial>': "'t1'.*at least two",
    '<spatial name="t1"/>': "'t1'.*path cannot be empty",
    '<spatial name="t1"><site site="s"/><site site="x"/></spatial>': "site 'x' not found",
    '<fixed name="t1"><joint joint="x" coef="1"/></fixed>': "joint 'x' not found",
    '<fixed name="t1"><joint joint="f" coef="1"/></fixed>': "joint 'f'.*slide or hinge",
    '<spatial name="t1"><site site="ground"/><geom geom="box"/><site site="s"/></spatial>': "'box'.*sphere or cylinder",
    '<spatial name="t1"><geom geom="g"/><site site="s"/></spatial>': "'t1'.*not bracketed by sites",
    f'<fixed name="t1" stiffness="-1">{JOINT}': "'t1': its stiffness must be finite and not negative; got -1",
    f'<fixed name="t1" damping="-1">{JOINT}': "'t1': its damping must be finite and not negative; got -1",
    f'<fixed name="t1" frictionloss="-1">{JOINT}': "'t1': its friction must be finite and not negative; got -1",
    '<fixed name="t1" stiffness="1"><joint joint="j" coef="nan"/></fixed>': "'t1'.*coefficient of 'j' must be finite",
    f'<fixed name="t1" limited="true" range="1 0">{JOINT}': "invalid limits.*'t1'",
    f'<fixed name="t1" stiffness="1" springlength="1 0">{JOINT}': "invalid springlength.*'t1'",
    '<spatial name="t1"><site site="s"/><site site="t"/><pulley divisor="0"/><site site="s"/></spatial>': (
        "pulley divisor must be positive|t1"
    ),
}
EQUALITIES = {
    '<connect name="e" body1="x" anchor="0 0 0"/>': "'x'.*'e'",
    '<connect name="e" body1="arm"/>': ":6: .*anchor",
    '<connect name="e" body1="arm" body2="free" anchor="inf 0 0"/>': "constraint 'e': its numbers are not finite",
    '<weld name="e" body1="arm" body2="arm"/>': "'arm' is repeated",
    '<joint name="e" joint1="x"/>': "'x'.*'e'",
    '<joint name="e" joint1="f"/>': "only HINGE and SLIDE.*'e'",
    '<joint name="e" joint1="j" joint2="k" polycoef="nan 1 0 0 0"/>': "constraint 'e': its numbers are not finite",
    '<tendon name="e" tendon1="x"/>': "'x'.*'e'",
}
CASES = [
    *((f"<actuator>{part}</actuator>", message) for part, message in ACTUATORS.items()),
    *((f"<tendon>{part}</tendon>", message) for part, message in TENDONS.items()),
    *((f"<equality>{part}</equality>", message) for part, message in EQUALITIES.items()),
]


@pytest.mark.parametrize(("parts", "message"), CASES)
def test_a_fault_is_an_error_that_names_it(parts, message):
    with pytest.raises(FormatError, match=f"<text>.*{message}"):
        lw.load(FILE.replace("PARTS", parts), trusted=True)
