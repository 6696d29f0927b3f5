"""Gravity compensation of MJCF files: forces as MuJoCo's, energy, transformations, files and large mechanisms."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning, LinkwrightError
from linkwright.formats.mjcf import velocity_from_mujoco, velocity_to_mujoco

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

TEXT = """<mujoco>
  <default><geom contype="0" conaffinity="0"/></default>
  <option gravity="1 2 -9"/>
  <worldbody>
    <body name="base" gravcomp="1">
      <freejoint/><geom size=".1 .2 .3" type="box"/>
      <body name="leg" pos=".1 0 0" gravcomp=".5">
        <joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0" ref="10"/><geom size=".1" pos="0 .1 -.2"/>
        <body name="welded" pos="0 0 .2" gravcomp="2"><geom size=".1" pos=".1 0 0"/></body>
        <body name="foot" pos="0 0 -.4" gravcomp="-.3">
          <joint name="ankle" type="ball"/><geom size=".05" pos=".1 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


@pytest.fixture(scope="module")
def robot():
    return lw.load(TEXT, trusted=True), mujoco.MjModel.from_xml_string(TEXT)


def both(robot, seed):
    model, peer = robot
    data, rng = mujoco.MjData(peer), np.random.default_rng(seed)
    q, v = model.random(seed=rng), rng.normal(size=model.nv)
    data.qpos[:], data.qvel[:] = q, velocity_to_mujoco(model, q, v)
    mujoco.mj_forward(peer, data)
    return model, data, q, v


@pytest.mark.parametrize("seed", range(3))
def test_forces_are_those_of_mujoco_also_of_minimal_models(robot, seed):
    model, data, q, v = both(robot, seed)
    theirs = velocity_from_mujoco(model, q, data.qfrc_gravcomp)
    assert np.abs(theirs).max() > 1.0
    for one in (model, model.minimal()):
        np.testing.assert_allclose(lw.passive_forces(one, q, v), theirs, atol=1e-11)


def test_accelerations_are_those_of_mujoco(robot):
    model, data, q, _ = both(robot, 5)
    still = np.zeros(model.nv)
    data.qvel[:] = 0.0
    mujoco.mj_forward(robot[1], data)
    a = lw.forward_dynamics(model, q, still, lw.passive_forces(model, q, still))
    np.testing.assert_allclose(a, velocity_from_mujoco(model, q, data.qacc), atol=1e-10)


def test_forces_are_minus_the_gradient_of_the_energy(robot):
    model, _, q, v = both(robot, 1)
    h = 1e-5
    change = [lw.spring_energy(model, lw.integrate(model, q, s * h * v)) for s in (1.0, -1.0)]
    power = -lw.passive_forces(model, q, v) @ v
    np.testing.assert_allclose((change[0] - change[1]) / (2.0 * h), power, rtol=1e-6)


def test_energy_is_conserved_and_a_compensated_body_floats(robot):
    model, *_ = robot
    motion = lw.simulate(model, model.neutral(), np.linspace(0.1, 1.0, model.nv), 0.2)
    assert motion.drift < 1e-6
    made = lw.Builder("ball").body("ball", 2.0, (0.1, 0.0, 0.0), 0.1, gravity_compensation=1.0).build(root="free")
    assert np.abs(lw.simulate(made, made.neutral(), np.zeros(6), 0.1).v[-1]).max() < 1e-14


def test_locked_joints_and_appended_mechanisms_keep_compensation(robot):
    model, _, q, v = both(robot, 2)
    locked = model.lock({"ankle": [1.0, 0.0, 0.0, 0.0]})
    q[-4:] = 1.0, 0.0, 0.0, 0.0
    np.testing.assert_allclose(
        lw.passive_forces(locked, q[:-4], v[:-3]), lw.passive_forces(model, q, v)[:-3], atol=1e-11
    )
    double = model.append(model, "foot", prefix="other_")
    assert len(double.compensated_weights) == 2 * len(model.compensated_weights)
    assert model != lw.load(TEXT.replace('gravcomp=".5"', 'gravcomp=".6"'), trusted=True)


def test_written_files(robot, tmp_path):
    model, *_ = robot
    model.save(tmp_path / "again.xml")
    again = lw.load(tmp_path / "again.xml", trusted=True)
    assert again.compensated_weights == model.compensated_weights
    with pytest.warns(FormatWarning, match="gravity compensation is lost: 'base', 'leg', 'welded', 'foot'"):
        model.save(tmp_path / "robot.urdf")


def test_large_mechanisms():
    chain = lw.load("chain3d:120")
    made = lw.Builder("chain")
    for k, (body, joint) in enumerate(zip(chain.description.bodies, chain.description.joints, strict=True)):
        made.body(body.name, body.mass, body.center_of_mass, body.inertia, gravity_compensation=1.0 if k % 2 else 0.5)
        made.joint(
            joint.name, "revolute", joint.parent, joint.child, placement=joint.placement, axis=joint.alignment[:, 2]
        )
    model = made.build()
    q, v = model.random(3, seed=0), np.zeros(model.nv)
    book = [lw.dynamics.passive_forces(model, x, v) for x in q]
    np.testing.assert_allclose(lw.passive_forces(model, q, v), book, atol=1e-9 * np.abs(book).max())


@pytest.mark.parametrize("what", [["mass"], ["center_of_mass"], ["inertia"], ["mass", "center_of_mass"], ["inertial"]])
@pytest.mark.parametrize("link", ["base", "welded", "foot"])
def test_compensation_follows_parameters_of_the_mass(robot, link, what):
    model, _, q, v = both(robot, 6)
    changed = model.with_link(link, mass=7.0, center_of_mass=(0.1, -0.2, 0.3), inertia=0.2)
    named = {one: lw.compiler.parameters.value_of(changed, f"{link}.{one}") for one in what}
    if what != ["inertial"]:
        changed = model.with_link(
            link, **{one: np.diag([0.2] * 3) if one == "inertia" else value for one, value in named.items()}
        )
    names = [f"{link}.{one}" for one in what]
    for function in (lw.passive_forces, lw.spring_energy):
        given = (q, v)[: 1 + (function is lw.passive_forces)]
        found = lw.compile(function, model, parameters=names)(*given, *named.values())
        np.testing.assert_allclose(found, function(changed, *given), atol=1e-11)


def test_a_compensated_body_whose_mass_is_a_parameter_floats_in_rollouts():
    made = lw.Builder("ball").body("ball", 2.0, (0.1, 0.0, 0.0), 0.1, gravity_compensation=1.0).build(root="free")
    end = lw.rollout(made, made.neutral(), np.zeros(6), 100, parameters={"ball.mass": [0.5, 2.0, 5.0]}).v[:, -1]
    assert np.abs(end).max() < 1e-13


def test_wrong_compensation():
    for wrong in (np.nan, np.inf, "much", [1.0, 2.0]):
        with pytest.raises(LinkwrightError, match="gravity_compensation of body 'a'"):
            lw.Builder("arm").body("a", 1.0, gravity_compensation=wrong)


def test_derived_equations_state_and_contain_it():
    made = lw.Builder("arm").body("a", 2.0, (0.3, 0.0, 0.1), 0.1, gravity_compensation=0.7)
    model = made.joint("j", "revolute", "world", "a", axis=(0.0, 1.0, 0.0)).build()
    equations = lw.equations(model)
    assert "The gravity compensation of a is not among them" in equations.explanation().text()
    names: dict = {}
    exec(equations.python("rhs"), names)
    q, v = [0.3], [0.4]
    a = lw.forward_dynamics(model, q, v, lw.passive_forces(model, q, v))
    np.testing.assert_allclose(names["arm_rhs"](0.0, [*q, *v])[1:], a, rtol=1e-12)
