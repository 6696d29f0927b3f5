"""Sensors of touch, force, torque and range: readings as MuJoCo's, at rest, and written and read again."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.distance.rays import ray_distance
from linkwright.errors import ArgumentError, FormatWarning, InputError, ShapeError
from linkwright.formats.mjcf import velocity_to_mujoco

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

pytestmark = pytest.mark.filterwarnings("ignore:.*(contact of .* acts once its pairs are found|the flag contact=)")

TEXT = """<mujoco>
  <option><flag contact="disable"/></option>
  <asset><mesh name="mesh" vertex="0 0 0 1 0 0 0 1 0 0 0 1 .2 .8 .9"/></asset>
  <worldbody>
    <geom type="plane" size="0 0 1" pos="0 0 -3" euler="5 9 0"/>
    <geom type="box" size=".3 .5 .7" pos="3 0 0" euler="20 30 40"/>
    <geom type="cylinder" size=".5 .7" pos="0 3 0" euler="70 30 40"/>
    <geom type="capsule" size=".5 .7" pos="0 -3 0" euler="70 30 40"/>
    <geom type="ellipsoid" size=".5 .7 .9" pos="0 0 3" euler="70 30 40"/>
    <geom type="sphere" size=".8" pos="-3 0 0"/><geom type="mesh" mesh="mesh" pos="-2 -2 0"/>
    <geom type="sphere" size="9" rgba="0 0 0 0"/>
    <body name="base">
      <freejoint/><geom size=".1 .2 .3" type="box"/>
      <body name="leg" pos=".1 0 0">
        <joint name="yaw" axis="0 0 1" armature=".1"/><joint name="pitch" axis="0 1 0" ref="10"/>
        <geom size=".1" pos="0 .1 -.2"/><site name="on_leg" pos=".1 .2 .3" euler="10 20 30"/>
        <body name="welded" pos="0 0 .2" euler="10 20 30">
          <geom size=".1" pos=".1 0 0"/><site name="on_welded" pos=".1 .2 .3" euler="10 20 30"/>
          <body name="tail" pos="0 .1 0"><joint/><geom size=".1" pos=".2 0 0"/></body>
        </body>
        <body name="foot" pos="0 0 -.4">
          <joint name="ankle" type="ball"/><geom size=".05" pos=".1 0 0"/><site name="on_foot" euler="40 0 30"/>
        </body>
      </body>
    </body>
  </worldbody>
  <sensor>
    <force site="on_leg"/><torque site="on_leg"/><force site="on_welded"/><torque site="on_welded"/>
    <force site="on_foot"/><torque site="on_foot" cutoff=".2"/>
    <rangefinder site="on_leg"/><rangefinder site="on_welded"/><rangefinder site="on_foot" cutoff=".3"/>
  </sensor>
</mujoco>"""

STANDING = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 .5">
      <freejoint/><geom type="box" size=".2 .1 .05" contype="0" conaffinity="0"/>
      <body name="left" pos="0 .1 0">
        <joint axis="1 0 0" stiffness="1e4" damping="1e2"/><site name="left_hip"/>
        <geom type="box" size=".1 .02 .05" pos="0 0 -.4"/>
        <site name="left_sole" pos="0 0 -.45" type="box" size=".11 .03 .01"/>
        <site name="left_toe" pos=".1 0 -.45" size=".06"/>
      </body>
      <body name="right" pos="0 -.1 0">
        <joint axis="1 0 0" stiffness="1e4" damping="1e2"/>
        <geom type="box" size=".1 .02 .05" pos="0 0 -.4"/>
        <site name="right_sole" pos="0 0 -.45" type="box" size=".11 .03 .01"/>
        <site name="right_above" pos="0 0 -.2" type="cylinder" size=".15 .05"/>
      </body>
    </body>
  </worldbody>
  <sensor>
    <touch name="left" site="left_sole"/><touch name="toe" site="left_toe"/><touch name="right" site="right_sole"/>
    <touch name="above" site="right_above"/><force name="hip" site="left_hip"/>
  </sensor>
</mujoco>"""


@pytest.fixture(scope="module")
def robot():
    return lw.load(TEXT, trusted=True), mujoco.MjModel.from_xml_string(TEXT)


@pytest.fixture(scope="module")
def standing():
    model = lw.load(STANDING, trusted=True).with_contact()
    motion = lw.simulate(model, [0.0, 0.0, 0.45, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], np.zeros(model.nv), 0.5)
    return model, motion


def test_wrenches_and_ranges_are_those_of_mujoco(robot):
    model, peer = robot
    data, rng, hits = mujoco.MjData(peer), np.random.default_rng(0), 0
    q, v = model.random(60, seed=rng), rng.normal(size=(60, model.nv))
    q[:, :3] = rng.uniform(-2.0, 2.0, (60, 3))
    a = lw.forward_dynamics(model, q, v, np.zeros(model.nv))
    ours = np.concatenate(list(lw.sensor_readings(model, q, v, a).values()), axis=-1)
    for k in range(60):
        data.qpos[:], data.qvel[:] = q[k], velocity_to_mujoco(model, q[k], v[k])
        mujoco.mj_forward(peer, data)
        np.testing.assert_allclose(ours[k], data.sensordata, atol=1e-10 * max(1.0, np.abs(ours[k]).max()))
        hits += (ours[k, 18:] > 0.0).sum()
    assert 30 < hits < 180


def test_height_fields_from_above():
    text = """<mujoco><asset><hfield name="h" nrow="3" ncol="4" size="1 2 .4 .1"
      elevation="0 5 2 3 1 4 2 0 3 1 2 5"/></asset>
      <worldbody><geom type="hfield" hfield="h"/><body pos="0 0 2"><joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 1 0"/><geom size=".1"/><site name="s" euler="170 5 0"/></body></worldbody>
      <sensor><rangefinder site="s"/></sensor></mujoco>"""
    model, peer = lw.load(text, trusted=True), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    for q in np.random.default_rng(0).uniform([-0.7, -1.4], [0.7, 1.4], (20, 2)):
        data.qpos[:] = q
        mujoco.mj_forward(peer, data)
        (x,) = lw.sensor_readings(model, q, [0.0, 0.0]).values()
        np.testing.assert_allclose(x, data.sensordata, atol=1e-6)  # MuJoCo stores heights in single precision


def test_rays_to_a_cone():
    up, side = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    p = np.array([[0.0, 0.0, -3.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.5]])
    u = np.array([up, side, up, -up])
    np.testing.assert_allclose(ray_distance("cone", np.array([1.0, 2.0]), p, u), [2.0, 1.5, np.inf, 1.5])


def test_touch_and_force_at_rest(standing):
    model, motion = standing
    weight = 9.81 * lw.total_mass(model)
    a = np.diff(motion.v, axis=0, prepend=motion.v[:1]) / motion.step
    read = {
        name: x[-1] for name, x in lw.sensor_readings(model, motion.q, motion.v, a, contacts=motion.contacts).items()
    }
    np.testing.assert_allclose(read["left"] + read["right"], weight, rtol=1e-3)
    np.testing.assert_allclose(read["toe"], 0.5 * read["left"], rtol=0.05)
    assert read["above"] == 0.0  # the rays of contacts leave the foot downwards
    leg = 9.81 * next(body.mass for body in model.bodies if body.name == "left")
    np.testing.assert_allclose(read["hip"][2], leg - read["left"][0], rtol=1e-3)


def test_touch_at_rest_is_that_of_mujoco(standing):
    model, motion = standing
    peer = mujoco.MjModel.from_xml_string(STANDING)
    data = mujoco.MjData(peer)
    data.qpos[:3] = 0.0, 0.0, 0.45
    for _ in range(1000):
        mujoco.mj_step(peer, data)
    mujoco.mj_forward(peer, data)
    read = lw.sensor_readings(model, motion.q, motion.v, 0.0 * motion.v, contacts=motion.contacts)
    ours = np.concatenate([x[-1] for x in read.values()])
    np.testing.assert_allclose(ours, data.sensordata, rtol=0.03, atol=1.0)


def test_written_files(robot, standing, tmp_path):
    for k, model in enumerate((robot[0], standing[0])):
        model.save(tmp_path / f"{k}.xml")
        assert lw.load(tmp_path / f"{k}.xml", trusted=True).sensors == model.sensors
    names = model.append(model, "trunk", prefix="other_")
    assert names.sensors[-1] == lw.Sensor("other_hip", "force", "other_left_hip")


def test_wrong_sensors_and_arguments(robot, standing):
    model, motion = standing
    q, v = motion.q, motion.v
    with pytest.raises(InputError, match=r"'left' needs the contact forces: .*contacts=motion.contacts"):
        lw.sensor_readings(model, q, v, v)
    with pytest.raises(ArgumentError, match="contacts are those of a motion"):
        lw.sensor_readings(model, q, v, v, contacts=motion)
    with pytest.raises(ShapeError, match="the contacts are those of"):
        lw.sensor_readings(model, q[0], v[0], v[0], contacts=motion.contacts)
    with pytest.raises(InputError, match="pairs of another mechanism"):
        lw.sensor_readings(robot[0], robot[0].neutral(), np.zeros(12), np.zeros(12), contacts=motion.contacts)
    with pytest.raises(InputError, match="'a' needs zone"):
        lw.Sensor("a", "touch", "tip")
    with pytest.raises(InputError, match="'a' of this type has no zone"):
        lw.Sensor("a", "force", "tip", zone=("sphere", (1.0,)))
    for wrong in (
        ("sphere", (0.0,)),
        ("sphere", 1.0),
        ("box", (np.nan,) * 3),
        ("cone", (1.0, 1.0)),
        (),
        "box",
        ("sphere", "1"),
    ):
        with pytest.raises(InputError, match="a zone is one of"):
            lw.Sensor("a", "touch", "tip", zone=wrong)
    closed = lw.load("four_bar")
    frame = closed.bodies[0].name
    with pytest.raises(InputError, match="contains the force of the loop"):
        lw.sensor_readings(closed.with_sensors(lw.Sensor("a", "force", frame)), *[np.zeros(n) for n in (3, 3, 3)])


def test_ranges_of_other_kinds_are_remarked():
    text = """<mujoco><worldbody><body><joint/><geom size=".1"/><site name="s"/><camera name="c"/></body></worldbody>
      <sensor><rangefinder name="one" camera="c"/>
      <rangefinder name="two" site="s" data="dist point"/></sensor></mujoco>"""
    with pytest.warns(FormatWarning, match="sensors of the kind rangefinder .2: one, two"):
        assert not lw.load(text, trusted=True).sensors


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "cone", "box", "ellipsoid", "plane"])
def test_compiled_distances_along_rays_are_those_of_numbers(kind):
    counts = {"sphere": 1, "capsule": 2, "cylinder": 2, "cone": 2, "plane": 0}
    rng = np.random.default_rng()
    size = rng.uniform(0.5, 1.5, counts.get(kind, 3))
    p, u = rng.uniform(-1.5, 1.5, (2, 200, 3))
    u[:60:3] = np.eye(3)[rng.integers(0, 3, 20)]  # parallel to axes and faces
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    expected = ray_distance(kind, size, p, u)
    assert 0 < np.isfinite(expected).sum() < 200 or kind == "plane"

    def distance(p, u):
        return np.stack([ray_distance(kind, size, p, u)])

    np.testing.assert_allclose(lw.compile(distance, p=3, u=3)(p, u)[:, 0], expected, rtol=1e-12)
