"""Sensors of MJCF files: readings as MuJoCo's, written and read again, and kept by transformations."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning, InputError, ModelError, ShapeError, UnknownNameError
from linkwright.formats.load import load
from linkwright.formats.mjcf import velocity_from_mujoco, velocity_to_mujoco

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

FRAME_SENSORS = "".join(
    f'<frame{what} objtype="{kind}" objname="{name}"/>'
    for what in ("pos", "quat", "xaxis", "yaxis", "zaxis", "linvel", "angvel", "linacc", "angacc")
    for kind, name in (("site", "imu"), ("xbody", "leg"), ("body", "leg"), ("geom", "shin"))
)
RELATIVE = "".join(
    f'<frame{what} objtype="site" objname="imu" reftype="xbody" refname="base"/>'
    for what in ("pos", "quat", "xaxis", "linvel", "angvel")
)
TEXT = f"""<mujoco>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint name="root"/><geom size=".1 .2 .3" type="box"/>
      <body name="leg" pos=".1 0 0">
        <joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0" ref="10"/>
        <geom name="shin" size=".1" pos="0 .1 -.2"/><site name="imu" pos=".1 .2 .3" euler="10 20 30"/>
        <body name="foot" pos="0 0 -.4"><joint name="ankle" type="ball"/><geom size=".05" pos=".1 0 0"/></body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="pitch" kp="10" kv="1"/><general name="lag" joint="yaw" dyntype="filter"/>
  </actuator>
  <sensor>
    <jointpos joint="pitch"/><jointvel joint="yaw"/><ballquat joint="ankle"/><ballangvel joint="ankle"/>
    <jointactuatorfrc joint="pitch"/><actuatorpos actuator="servo"/><actuatorvel actuator="servo"/>
    <actuatorfrc actuator="servo"/><actuatorfrc actuator="lag" cutoff=".25"/>
    <accelerometer name="accelerometer" site="imu"/><velocimeter site="imu"/><gyro site="imu" cutoff="1"/>
    <subtreecom body="base"/><subtreelinvel body="leg"/><subtreeangmom body="leg"/>
    {FRAME_SENSORS}{RELATIVE}
  </sensor>
</mujoco>"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("sensors") / "robot.xml"
    path.write_text(TEXT)
    return lw.load(path, trusted=True), mujoco.MjModel.from_xml_path(str(path)), path


def readings(model, peer, seed):
    """Readings of both at a random state and control, MuJoCo's by number."""
    data, rng = mujoco.MjData(peer), np.random.default_rng(seed)
    q, v, u, z = model.random(seed=rng), rng.normal(size=model.nv), rng.normal(size=2), rng.normal(size=1)
    data.qpos[:], data.qvel[:], data.ctrl[:], data.act[:] = q, velocity_to_mujoco(model, q, v), u, z
    mujoco.mj_forward(peer, data)
    tau = lw.passive_forces(model, q, v) + velocity_from_mujoco(model, q, data.qfrc_actuator)
    a = lw.forward_dynamics(model, q, v, tau)
    theirs = [data.sensordata[at : at + n] for at, n in zip(peer.sensor_adr, peer.sensor_dim, strict=True)]
    return lw.sensor_readings(model, q, v, a, controls=u, activations=z), theirs


@pytest.mark.parametrize("seed", range(3))
def test_readings_are_those_of_mujoco(robot, seed):
    model, peer, _ = robot
    ours, theirs = readings(model, peer, seed)
    assert len(ours) == peer.nsensor
    for sensor, x, y in zip(model.sensors, ours.values(), theirs, strict=True):
        sign = np.sign(x @ y) if "quat" in sensor.type else 1.0
        np.testing.assert_allclose(x, sign * y, atol=1e-12 * max(1.0, np.abs(y).max()), err_msg=f"{sensor}")


def test_readings_of_a_batch_are_those_of_its_rows(robot):
    model, *_ = robot
    q, rng = model.random(4, seed=0), np.random.default_rng(1)
    v, a = rng.normal(size=(4, model.nv)), rng.normal(size=model.nv)
    together = lw.sensor_readings(model, q, v, a, controls=[1.0, 2.0])
    alone = lw.sensor_readings(model, q[2], v[2], a, controls=[1.0, 2.0])
    for name, x in alone.items():
        np.testing.assert_array_equal(together[name][2], x)


@pytest.mark.usefixtures("in_children")
def test_a_separate_process_and_a_written_file_have_the_same_sensors(robot, tmp_path):
    model, _, path = robot
    assert lw.load(path).sensors == model.sensors
    model.save(tmp_path / "again.xml")
    again = load(tmp_path / "again.xml", trusted=True)
    assert again.sensors == model.sensors


def test_transformations_drop_sensors_without_target(robot):
    model, *_ = robot
    locked = model.lock({"ankle": [1.0, 0.0, 0.0, 0.0]})
    assert len(locked.sensors) == len(model.sensors) - 2
    assert not model.mirror().sensors
    double = model.append(lw.load("two_link").with_sensors(lw.Sensor("tip", "gyro", "tip")), "foot", prefix="tool_")
    assert double.sensors[-1] == lw.Sensor("tool_tip", "gyro", "tool_tip")


def test_other_sensors_are_remarked(tmp_path):
    path = tmp_path / "touch.xml"
    path.write_text(
        '<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1"/><site name="s"/></body></worldbody>'
        '<sensor><user name="contact" dim="1"/><clock/></sensor></mujoco>'
    )
    with pytest.warns(FormatWarning, match="sensors of the kind user .1: contact.*sensors of the kind clock"):
        assert not lw.load(path, trusted=True).sensors


def test_wrong_sensors_and_arguments(robot):
    model, *_ = robot
    q, v = model.neutral(), np.zeros(model.nv)
    with pytest.raises(UnknownNameError, match="unknown sensor type"):
        lw.Sensor("a", "speedometer", "imu")
    with pytest.raises(InputError, match="cutoff is not negative"):
        lw.Sensor("a", "gyro", "imu", cutoff=-1.0)
    with pytest.raises(ModelError, match="has no 'nowhere' for 'gyro'"):
        model.with_sensors(lw.Sensor("a", "gyro", "nowhere"))
    with pytest.raises(InputError, match="'accelerometer' needs the acceleration"):
        lw.sensor_readings(model, q, v)
    with pytest.raises(ShapeError, match="controls has shape"):
        lw.sensor_readings(model, q, v, v, controls=[1.0])
