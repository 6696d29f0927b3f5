"""Tendons against MuJoCo: lengths, forces and motions of tendons of joints, straight ones, and around geoms."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, ModelError
from linkwright.formats.load import load
from linkwright.model.parts.spring import Spring

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

FILE = """<mujoco>
  <option timestep="0.001" integrator="RK4"/>
  <default><geom contype="0" conaffinity="0" density="500"/></default>
  <worldbody>
    <site name="ground" pos="-.3 .02 .9"/><site name="above" pos=".1 0 1.4"/>
    <geom name="post" type="cylinder" size=".06 .2" pos=".1 0 1.15" euler="80 10 5"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" type="ball"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
      <site name="middle" pos=".2 .05 .1"/>
      <geom name="knob" type="sphere" size=".05" pos=".4 .01 0"/><site name="front" pos=".4 .1 .02"/>
      <body name="lower" pos=".4 0 0">
        <joint name="elbow" axis="0 1 0"/><joint name="reach" type="slide" axis="1 0 0" ref=".1"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="tip" pos=".3 .04 .05"/>
        <geom name="drum" type="cylinder" size=".04 .1" euler="90 0 0"/><site name="back" pos="-.02 0 -.1"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="pair" stiffness="40" damping=".3" springlength=".1 .2">
      <joint joint="elbow" coef=".5"/><joint joint="reach" coef="-2"/></fixed>
    <fixed name="one" stiffness="30"><joint joint="elbow" coef="1.5"/></fixed>
    <spatial name="around_knob" stiffness="50" damping="2" springlength=".1">
      <site site="middle"/><geom geom="knob"/><site site="tip"/></spatial>
    <spatial name="in_front" stiffness="50" springlength=".1">
      <site site="middle"/><geom geom="knob" sidesite="front"/><site site="tip"/></spatial>
    <spatial name="around_post" stiffness="20" damping="1" springlength=".2">
      <site site="ground"/><geom geom="post"/><site site="middle"/></spatial>
    <spatial name="over_post" stiffness="20" springlength=".2">
      <site site="ground"/><geom geom="post" sidesite="above"/><site site="middle"/><site site="tip"/></spatial>
    <spatial name="around_drum" stiffness="20" springlength=".2">
      <site site="middle"/><geom geom="drum" sidesite="back"/><site site="tip"/></spatial>
  </tendon>
  <actuator><muscle name="m" tendon="around_drum" lengthrange=".1 .9" force="20"/>
    <motor name="w" tendon="over_post" gear="2"/></actuator>
</mujoco>"""


@pytest.fixture(scope="module")
def both():
    return lw.load(FILE, trusted=True), mujoco.MjModel.from_xml_string(FILE)


def test_lengths_and_forces_are_those_of_mujoco(both):
    model, peer = both
    data, rng = mujoco.MjData(peer), np.random.default_rng(0)
    wrapped = np.zeros(peer.ntendon, bool)
    straight = np.zeros(peer.ntendon, bool)
    for _ in range(300):
        q = model.random(seed=int(rng.integers(1 << 30)))
        q[-2:] = rng.uniform([-2.5, -0.2], [2.5, 0.3])
        v = rng.normal(size=model.nv)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(peer, data)
        for t in range(2, peer.ntendon):
            around = (data.wrap_obj.ravel()[data.ten_wrapadr[t] :][: data.ten_wrapnum[t]] >= 0).any()
            wrapped[t] |= around
            straight[t] |= not around
        np.testing.assert_allclose(lw.spring_lengths(model, q), data.ten_length, atol=1e-13)
        np.testing.assert_allclose(lw.passive_forces(model, q, v), data.qfrc_spring + data.qfrc_damper, atol=1e-11)
    assert wrapped[2:].all()
    assert straight[[2, 4]].all()  # MuJoCo wraps along a side site also where the line passes on the other side


def test_motions_are_those_of_mujoco(both):
    model, peer = both
    data = mujoco.MjData(peer)
    q, v, h = model.neutral(), np.array([0.3, -0.5, 0.2, 0.4, 0.1]), 1e-4
    peer.opt.timestep = h
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, [0.6, 3.0]
    motion = lw.simulate(model, q, v, 200 * h, h, "rk4", actuation=lw.Actuation(controls=[0.6, 3.0]))
    for _ in range(200):
        mujoco.mj_step(peer, data)
    np.testing.assert_allclose(motion.q[-1], data.qpos, atol=1e-11)
    np.testing.assert_allclose(motion.v[-1], data.qvel, atol=1e-9)


def test_forces_are_minus_the_gradient_of_the_energy(both):
    model, _ = both
    gradient = lw.derivative(lw.spring_energy, "q")
    for seed in range(5):
        q = model.random(seed=seed)
        np.testing.assert_allclose(-lw.passive_forces(model, q, np.zeros(model.nv)), gradient(model, q), atol=1e-11)


def test_written_and_read_again(both, tmp_path):
    model, _ = both
    model.save(tmp_path / "again.xml")
    again = load(tmp_path / "again.xml", trusted=True)
    assert again.springs == model.springs
    assert again.actuators == model.actuators
    (tmp_path / "first.xml").write_text(FILE)
    assert load(tmp_path / "first.xml").springs == model.springs  # as data of a child


def test_transformed_models_have_the_same_tendons(both):
    model, _ = both
    q = model.neutral()
    q[-2:] = 0.4, 0.2
    locked = model.lock({"reach": 0.2})
    kept = [spring.name for spring in locked.springs]
    assert kept == [spring.name for spring in model.springs]
    both_energies = [float(lw.spring_energy(one, x)) for one, x in ((model, q), (locked, q[:-1]))]
    np.testing.assert_allclose(both_energies[0], both_energies[1], rtol=1e-13)
    mirror = model.mirror("y")
    mirrored = [joint.motion.mirrored(np.diag([1.0, -1.0, 1.0])).signs for joint in model.joints]
    x = np.concatenate(mirrored) * q
    np.testing.assert_allclose(lw.spring_lengths(mirror, x), lw.spring_lengths(model, q), atol=1e-13)
    double = model.append(model, prefix="other_")
    assert double.springs[len(model.springs)].coefficients[0][0] == "other_elbow"
    assert "around_knob: middle on upper ─ knob" in str(model)


LIMITED = """<mujoco><worldbody><body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".05" pos=".3 0 0"
  contype="0" conaffinity="0"/><body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom size=".05" pos=".3 0 0"
  contype="0" conaffinity="0"/><site name="tip" pos=".3 0 0"/></body></body><site name="top" pos="0 0 1.1"/></worldbody>
  <tendon>TENDONS</tendon></mujoco>"""


@pytest.mark.parametrize(
    "tendon",
    [
        '<fixed name="t" limited="true" range="-.2 .5"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed>',
        '<spatial name="t" limited="true" range="0 .62"><site site="top"/><site site="tip"/></spatial>',
    ],
)
def test_a_limit_stops_the_length(tendon):
    model = lw.load(LIMITED.replace("TENDONS", tendon), trusted=True)
    q, v = np.array([0.0, 0.0]), np.zeros(2)
    stops = lw.Integrator("semi_implicit", joint_limits=True)
    for h in (1e-3, 2.5e-4):
        motion = lw.simulate(model, q, v, 1.0, h, stops)
        lengths = lw.spring_lengths(model, motion.q)[:, 0]
        assert lengths.max() < model.springs[0].limits[1] + 1e-4
    free = lw.spring_lengths(model, lw.simulate(model, q, v, 1.0, 1e-3, "semi_implicit").q)[:, 0]
    assert free.max() > model.springs[0].limits[1] + 0.01
    touching = lengths > model.springs[0].limits[1] - 1e-6
    held = motion.limit_efforts[touching]
    assert np.abs(held).max() > 0.1
    row = motion.limit_efforts[np.abs(motion.limit_efforts).max(axis=1) > 0.1]
    if model.springs[0].coefficients:
        np.testing.assert_allclose(row[:, 1], 2.0 * row[:, 0], atol=1e-9)


def test_friction_of_a_tendon_holds_up_to_its_force():
    tendon = '<fixed name="t" frictionloss="F"><joint joint="a" coef="1"/><joint joint="b" coef=".5"/></fixed>'
    peer = mujoco.MjModel.from_xml_string(LIMITED.replace("TENDONS", tendon.replace("F", "1")))
    weight = mujoco.MjData(peer)
    mujoco.mj_forward(peer, weight)
    model = lw.load(LIMITED.replace("TENDONS", tendon.replace("F", "50")), trusted=True)
    held = replace(model, joints=(model.joints[0], replace(model.joints[1], friction=np.array([50.0]))))
    stops = lw.Integrator("semi_implicit", joint_limits=True)
    made = replace(held, springs=(replace(held.springs[0], limits=(-10.0, 10.0)),))
    motion = lw.simulate(made, [0.0, 0.0], [0.0, 0.0], 0.5, 1e-3, stops)
    assert np.abs(motion.q).max() < 1e-6  # dry friction sticks where impulses act
    smooth = lw.passive_forces(model, [0.0, 0.0], [0.3, 0.4])
    np.testing.assert_allclose(smooth, -50.0 * np.array([1.0, 0.5]), rtol=1e-3)
    model = lw.load(LIMITED.replace("TENDONS", tendon.replace("F", "0.01")), trusted=True)
    assert np.abs(lw.simulate(model, [0.0, 0.0], [0.0, 0.0], 0.1).q[-1]).max() > 0.01


@pytest.mark.parametrize(
    ("tendon", "message"),
    [
        (("tip",), "two frames or more"),
        (("tip", ("joint1", 1.0)), "not of both"),
        ((lw.Wrap("tip", 0.1), "base", "tip"), "between two frames"),
        (("base", lw.Wrap("tip", 0.1), lw.Wrap("tip", 0.1), "tip"), "between two frames"),
    ],
)
def test_wrong_paths(tendon, message):
    with pytest.raises((ModelError, InputError), match=message):
        lw.load("two_link").with_actuators(lw.Actuator("motor", tendon=tendon))


def test_wrong_springs():
    arm = lw.load("two_link")
    description = arm.description
    from linkwright.model.build.assembly import assemble

    for spring, message in (
        (Spring("s", (("joint9", 1.0),), 1.0), "joint9"),
        (Spring("s", (("joint1", np.nan),), 1.0), "coefficient"),
        (Spring("s", (("joint1", 1.0),), 1.0, limits=(1.0, 0.0)), "shortest length"),
        (Spring("s", (("joint1", 1.0),), friction=-1.0), "friction"),
    ):
        with pytest.raises(ModelError, match=message):
            assemble(replace(description, springs=(spring,)))
    for options, message in ((dict(radius=0.0), "positive"), (dict(radius=1.0, kind="box"), "wrap around")):
        with pytest.raises(InputError, match=message):
            lw.Wrap("tip", **options)


EQUAL = """<mujoco><worldbody><body pos="0 0 1"><joint name="a" axis="0 1 0" ref="20"/><geom size=".05" pos=".3 0 0"
  contype="0" conaffinity="0"/><body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom size=".05" pos=".3 0 0"
  contype="0" conaffinity="0"/><body pos=".3 0 0"><joint name="c" axis="0 1 0" ref="-10"/><geom size=".05" pos=".1 0 0"
  contype="0" conaffinity="0"/></body></body></body></worldbody><tendon>
  <fixed name="all"><joint joint="a" coef=".5"/><joint joint="b" coef="2"/><joint joint="c" coef="-1"/></fixed>
  <fixed name="two"><joint joint="a" coef=".5"/><joint joint="b" coef="2"/></fixed>
  <fixed name="last"><joint joint="c" coef="3"/></fixed></tendon><equality>EQUALITY</equality></mujoco>"""


@pytest.mark.filterwarnings("ignore:.*tendons without forces")
@pytest.mark.parametrize(
    "equality",
    [
        '<tendon tendon1="all"/>',
        '<tendon tendon1="all" polycoef=".1 0 0 0 0"/>',
        '<tendon tendon1="two" tendon2="last" polycoef=".1 .5 0 0 0"/>',
        '<tendon tendon1="two" tendon2="last" polycoef=".1 .5 .2 -.3 .1"/>',
        '<tendon tendon1="last" tendon2="two" polycoef=".1 .5 0 0 0"/>',
        '<tendon tendon1="all" tendon2="last" polycoef="0 -.5 0 0 0"/>',
    ],
)
def test_equal_tendons_of_joints_are_loops(equality, tmp_path):
    text = EQUAL.replace("EQUALITY", equality)
    model, peer = lw.load(text, trusted=True), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    ratios = []
    for seed in range(4):
        data.qpos[:] = model.random(seed=seed)
        mujoco.mj_forward(peer, data)
        ratios.append(lw.constraint_residual(model, data.qpos)[0] / data.efc_pos[0])
        K = lw.derivative(lw.constraint_residual, "q")(model, data.qpos.copy())
        np.testing.assert_allclose(K[0], ratios[-1] * data.efc_J.ravel()[:3], atol=1e-12)
    np.testing.assert_allclose(ratios, ratios[0])  # residuals are those of the first joint
    q = lw.close_loops(model, model.neutral())
    assert abs(lw.constraint_residual(model, q)).max() < 1e-9
    model.save(tmp_path / "again.xml")
    again = load(tmp_path / "again.xml", trusted=True)
    for seed in range(3):
        x = model.random(seed=seed)
        np.testing.assert_allclose(lw.constraint_residual(again, x), lw.constraint_residual(model, x), atol=1e-13)
    motion = lw.simulate(model, q, np.zeros(3), 0.2, method=lw.Integrator("rk4"))
    assert np.abs(lw.constraint_residual(model, motion.q)).max() < 1e-9
