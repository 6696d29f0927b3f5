"""Built-in robots have bodies that are seen, and these change nothing but pictures."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.model.build.assembly import assemble, described

ROBOTS = ("arm4", "arm7", "puma560", "quadruped", "humanoid", "delta", "stewart")
TOUCHING = {"quadruped": 4, "humanoid": 2}


@pytest.mark.parametrize("name", ROBOTS)
def test_every_heavy_body_is_seen_and_no_contact_is_added(name):
    model = lw.load(name)
    seen = {model.frames[shape.body].body for shape in model.shapes if shape.is_seen}
    unseen = {body.name for k, body in enumerate(model.bodies) if k not in seen}
    assert all(name.endswith(("_ball", "_axis")) for name in unseen), unseen
    assert sum(shape.touches for shape in model.shapes) == TOUCHING.get(name, 0)
    if name in TOUCHING:
        assert len(model.with_ground().pairs) == TOUCHING[name]


@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics_are_those_of_the_robot_without_shapes(name):
    model = lw.load(name)
    description = described(model)
    bare = assemble(replace(description, shapes=()))
    q = model.random(seed=1)
    v = np.random.default_rng(1).normal(size=model.nv)
    assert np.array_equal(lw.mass_matrix(model, q), lw.mass_matrix(bare, q))
    assert np.array_equal(lw.bias_forces(model, q, v), lw.bias_forces(bare, q, v))


@pytest.mark.parametrize("ending", ["xml", "urdf", "sdf", "ztk"])
@pytest.mark.parametrize("name", ["arm7", "puma560", "humanoid"])
def test_a_converted_robot_keeps_its_shapes_and_its_dynamics(name, ending, tmp_path):
    model, path = lw.load(name), tmp_path / f"robot.{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save(path)
        read = lw.load(path, root="free" if (name, ending) == ("humanoid", "sdf") else None)
    extent = _extent(model)
    assert np.allclose(_extent(read), extent, atol=1e-9)
    q = model.random(seed=2)
    found, expected = (lw.mass_matrix(x, q) - np.diag(x.armature) for x in (read, model))
    assert np.allclose(found, expected, atol=1e-10)  # without rotor inertia, which URDF and SDF do not have


def _extent(model):
    """The least and the greatest of all corners of what is seen, at the neutral configuration."""
    from linkwright.visual.drawing.linkage import poses_along
    from linkwright.visual.drawing.skin import skin

    found = skin(model)
    assert found is not None
    points = found.at(poses_along(model, model.neutral())[0])
    return points.min(axis=0), points.max(axis=0)


def test_mujoco_shows_all_of_the_humanoid_with_a_light_and_a_floor(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    model, path = lw.load("humanoid"), tmp_path / "h.xml"
    model.save(path)
    m = mujoco.MjModel.from_xml_path(str(path))
    assert (m.ngeom, m.nlight) == (len(model.shapes) + 1, 1)
    floor = m.geom("floor")
    lowest = -lw.pose(model, model.neutral(), "left_sole")[2, 3]
    assert floor.pos[2] == pytest.approx(-lowest, abs=1e-9)
    assert m.body_mass.sum() == pytest.approx(73.0, rel=0.02)
    with pytest.warns(lw.errors.FormatWarning, match="contact of 2 geoms"):
        assert len(lw.load(path).shapes) == len(model.shapes)


@pytest.mark.filterwarnings("ignore:(?s).*velocity limits are lost:linkwright.errors.FormatWarning")
@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_a_converted_legged_robot_that_is_dropped_in_mujoco_rests_on_its_floor(name, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    model, path = lw.load(name), tmp_path / "robot.xml"
    model.save(path)
    m = mujoco.MjModel.from_xml_path(str(path))
    m.jnt_stiffness[1:], m.dof_damping[6:] = 2e4, 400.0  # stiff springs hold the posture of the file
    data = mujoco.MjData(m)
    start = data.qpos[2]
    data.qpos[2] += 0.05
    mujoco.mj_step(m, data, 1000)
    assert abs(data.qpos[2] - start) < 0.003
    assert abs(data.qvel).max() < (1e-3 if name == "quadruped" else 0.1)  # stiff on flat soles, the humanoid rocks
    weight = np.linalg.norm(m.opt.gravity) * m.body_mass.sum()
    forces, wrench = [], np.zeros(6)
    for _ in range(500):
        mujoco.mj_step(m, data)
        forces.append(0.0)
        for k in range(data.ncon):
            assert mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_GEOM, data.contact[k].geom1) == "floor"
            assert data.contact[k].friction[0] == pytest.approx(0.7)
            mujoco.mj_contactForce(m, data, k, wrench)
            forces[-1] += wrench[0]
    assert np.mean(forces) == pytest.approx(weight, rel=0.02)
    height = float(m.geom("floor").pos[2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.with_ground(height).save(path)
    m.jnt_stiffness[1:], m.dof_damping[6:] = 0.0, 0.0
    grounded, moving = mujoco.MjModel.from_xml_path(str(path)), []
    for one in (m, grounded):
        data = mujoco.MjData(one)
        data.qpos[2] += 0.05
        mujoco.mj_step(one, data, 150)
        moving.append(data.qpos.copy())
    assert np.allclose(*moving, atol=1e-6)  # the floor acts as the ground of with_ground() does


@pytest.mark.filterwarnings("ignore:(?s).*velocity limits are lost:linkwright.errors.FormatWarning")
def test_the_floor_below_a_fixed_arm_touches_nothing_and_a_floor_of_a_file_is_kept(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm7.xml"
    lw.load("arm7").save(path)
    floor = mujoco.MjModel.from_xml_path(str(path)).geom("floor")
    assert floor.contype == floor.conaffinity == 0
    own = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/><body name="ball" pos="0 0 1"><freejoint/>
      <geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""
    (tmp_path / "ball.xml").write_text(own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert any(shape.name == "floor" for shape in lw.load(tmp_path / "ball.xml").shapes)
