"""MJCF against MuJoCo itself: poses, masses, inertias, forces; and remarks on unused elements."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli.input.arguments import starting_posture, starting_velocity
from linkwright.dynamics import bias_forces, mass_matrix, pose, spring_lengths, velocity
from linkwright.dynamics.forces.statics import passive_forces
from linkwright.errors import (
    FormatError,
    FormatWarning,
    InputError,
    MissingExtraError,
    ModelError,
    ShapeError,
    UnknownNameError,
)
from linkwright.formats.mjcf import read_mjcf, velocity_from_mujoco, velocity_to_mujoco
from linkwright.model.tree import Model

mujoco = pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")

HERE = Path(__file__).parent
FILES = ["tree.xml", "loops.xml", "unused.xml", "arm.xml", "springs.xml"]


def read(path: str | Path, **options) -> tuple[Model, str]:
    """The model and the remarks on it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = read_mjcf(path, trusted=True, **options)
    assert len(caught) <= 1
    assert all(issubclass(warning.category, FormatWarning) for warning in caught)
    return model, str(caught[0].message) if caught else ""


def both(name: str, seed: int = 0):
    """Our model, MuJoCo's, its data, and one random configuration and velocity (ours) set in both."""
    model, _ = read(HERE / name)
    peer = mujoco.MjModel.from_xml_path(str(HERE / name))
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(seed)
    q, v = model.random(seed=rng), rng.normal(size=model.nv)
    data.qpos[:], data.qvel[:] = q, velocity_to_mujoco(model, q, v)
    mujoco.mj_forward(peer, data)
    return model, peer, data, q, v


def turn(model: Model, q: np.ndarray) -> np.ndarray:
    """T (nv, nv) with MuJoCo's velocity = T ours."""
    return velocity_to_mujoco(model, q, np.eye(model.nv)).T


@pytest.mark.parametrize("name", FILES)
def test_sizes_and_order_of_coordinates(name):
    model, peer, *_ = both(name)
    assert (model.nq, model.nv) == (peer.nq, peer.nv)
    names = [peer.joint(j).name for j in range(peer.njnt)]
    flat = [part.name for joint in model.joints for part in (joint.motion.parts or [joint])]
    assert len(flat) == len(names)
    assert all(given in ("", ours) for ours, given in zip(flat, names, strict=True))


@pytest.mark.variants("seed")
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", range(3))
def test_poses(name, seed):
    model, peer, data, q, _ = both(name, seed)
    for b in range(1, peer.nbody):
        T = pose(model, q, peer.body(b).name or f"body{b}")
        np.testing.assert_allclose(T[:3, 3], data.xpos[b], atol=1e-13)
        np.testing.assert_allclose(T[:3, :3].ravel(), data.xmat[b], atol=1e-13)
    for s in range(peer.nsite):
        name = peer.site(s).name
        if name and name not in [peer.body(b).name for b in range(peer.nbody)]:
            T = pose(model, q, name)
            np.testing.assert_allclose(T[:3, 3], data.site_xpos[s], atol=1e-13)
            np.testing.assert_allclose(T[:3, :3].ravel(), data.site_xmat[s], atol=1e-13)


@pytest.mark.parametrize("name", FILES)
def test_masses(name):
    model, peer, *_ = both(name)
    total = sum(body.mass for body in model.bodies) + model.welded.mass
    assert total == pytest.approx(peer.body_mass.sum(), rel=1e-14)
    np.testing.assert_array_equal(model.gravity, peer.opt.gravity)


@pytest.mark.variants("seed")
@pytest.mark.parametrize("name", ["tree.xml", "unused.xml", "arm.xml"])
@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix(name, seed):
    model, peer, data, q, _ = both(name, seed)
    M = np.zeros((peer.nv, peer.nv))
    for k, unit in enumerate(np.eye(peer.nv)):
        mujoco.mj_mulM(peer, data, M[k], unit)
    T = turn(model, q)
    np.testing.assert_allclose(mass_matrix(model, q), T.T @ M @ T, atol=1e-12 * np.abs(M).max())


@pytest.mark.parametrize("seed", range(3))
def test_bias_forces(seed):
    model, peer, data, q, v = both("tree.xml", seed)
    # theirs = T v, so their acceleration is T v̇ + Ṫ v, with Ṫ v = R (ω × v) for the free joint
    rate = np.zeros(model.nv)
    rate[:3] = np.cross(v[3:6], v[:3])
    carried = np.zeros(model.nv)
    mujoco.mj_mulM(peer, data, carried, velocity_to_mujoco(model, q, rate))
    theirs = velocity_from_mujoco(model, q, data.qfrc_bias + carried)
    np.testing.assert_allclose(bias_forces(model, q, v), theirs, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_springs_and_dampers(seed):
    model, peer, data, q, v = both("tree.xml", seed)
    friction = np.concatenate([joint.friction for joint in model.joints])
    np.testing.assert_array_equal(friction, peer.dof_frictionloss)  # friction is MuJoCo's constraint solver's
    smooth = friction == 0.0
    dampers = passive_forces(model, q, v) - passive_forces(model, q, 0.0 * v)
    theirs = velocity_from_mujoco(model, q, data.qfrc_damper)
    np.testing.assert_allclose(dampers[smooth], theirs[smooth], atol=1e-13)
    np.testing.assert_allclose(passive_forces(model, q, 0.0 * v), data.qfrc_spring, atol=1e-12)
    np.testing.assert_array_equal(np.concatenate([joint.damping for joint in model.joints]), peer.dof_damping)


def test_limits():
    model, _ = read(HERE / "tree.xml")
    swing = model.joint("swing")
    np.testing.assert_allclose(np.degrees([swing.lower[0], swing.upper[0]]), [-100, 110])
    assert swing.effort_limit[0] == 9.0
    assert swing.armature[0] == 0.03
    leg = model.joint("leg_joints")
    assert leg.coordinate_names == ("leg_joints.leg_y", "leg_joints.leg_lift", "leg_joints.leg_x")
    np.testing.assert_allclose(leg.lower, [-np.inf, -np.inf, np.radians(-30)])
    np.testing.assert_allclose(leg.upper, [np.inf, np.inf, np.radians(60)])
    assert np.isinf(leg.effort_limit).all()


def test_names_of_the_unnamed():
    model, messages = read(HERE / "tree.xml")
    assert model.name == "tree"
    assert [body.name for body in model.bodies] == ["base", "arm", "slider", "body4", "leg", "body7", "cart"]
    assert [joint.name for joint in model.joints] == [
        "base",
        "swing",
        "slide",
        "body4_joint",
        "leg_joints",
        "body7_joints",
        "cart_joints",
    ]
    assert model.joint("body7_joints").coordinate_names[0] == "body7_joints.body7_joint"
    assert {"shoe", "camera", "tip", "lamp", "table"} < set(model.frames)
    assert "sites of names that bodies have (1: slider)" in messages
    assert read(HERE / "arm.xml")[0].name == "arm"  # after the file, where it names none


def test_a_hinge_turns_about_its_own_anchor_from_its_reference():
    model, _ = read(HERE / "tree.xml")
    q = model.neutral()
    q[7] = np.radians(25.0)  # ref: the arm is as written in the file
    T = np.linalg.inv(pose(model, q, "base")) @ pose(model, q, "arm")
    np.testing.assert_allclose(T[:3, 3], [0.3, 0.1, 0.0], atol=1e-15)
    q[7] += 1.0
    S = np.linalg.inv(pose(model, q, "base")) @ pose(model, q, "arm")
    anchor = np.array([0.05, -0.02, 0.1, 1.0])
    np.testing.assert_allclose(S @ anchor, T @ anchor, atol=1e-15)
    assert np.linalg.norm(S[:3, 3] - T[:3, 3]) > 0.05


def test_velocities_go_over_and_back_in_batches():
    model, _ = read(HERE / "tree.xml")
    rng = np.random.default_rng(5)
    q, v = model.random(6, seed=rng).reshape(2, 3, -1), rng.normal(size=(3, model.nv))
    theirs = velocity_to_mujoco(model, q, v)
    assert theirs.shape == (2, 3, model.nv)
    np.testing.assert_allclose(
        velocity_from_mujoco(model, q, theirs), np.broadcast_to(v, theirs.shape), rtol=0, atol=1e-14
    )
    R = pose(model, q[1, 2], "base")[:3, :3]
    np.testing.assert_allclose(theirs[1, 2, :3], R @ v[2, :3], atol=1e-14)
    np.testing.assert_array_equal(theirs[1, 2, 3:], v[2, 3:])
    assert velocity_to_mujoco(model, np.zeros((0, model.nq)), v[0]).shape == (0, model.nv)
    with pytest.raises(ShapeError, match="q has shape"):
        velocity_to_mujoco(model, q[..., 1:], v)


def test_velocity_is_that_of_mujocos_integrator():
    model, peer, data, q, v = both("tree.xml", 2)
    theirs = velocity_to_mujoco(model, q, v)
    step = data.qpos.copy()
    mujoco.mj_integratePos(peer, step, theirs, 1e-7)
    moved = (pose(model, step, "tip")[:3, 3] - pose(model, q, "tip")[:3, 3]) / 1e-7
    np.testing.assert_allclose(velocity(model, q, v, "tip")[:3], moved, atol=1e-5)


def loop_of(model: Model, name: str):
    (loop,) = [loop for loop in model.loops if loop.name == name]
    return loop


def test_equality_constraints_become_loops():
    model, messages = read(HERE / "loops.xml")
    assert [(loop.name, loop.type) for loop in model.loops] == [
        ("pin", "ball"),
        ("glue", "weld"),
        ("ground", "weld"),
        ("hook", "ball"),
        ("gear", "joint"),
        ("equality5", "joint"),
    ]
    assert "inactive equality constraints (1: off)" in messages
    peer = mujoco.MjModel.from_xml_path(str(HERE / "loops.xml"))
    # MuJoCo closes welds and pins of bodies at the reference configuration
    for name in ("pin", "glue", "ground"):
        loop = loop_of(model, name)
        first, second = pose(model, peer.qpos0, loop.first), pose(model, peer.qpos0, loop.second)
        np.testing.assert_allclose(first[:3, 3], second[:3, 3], atol=1e-13)
        if loop.type == "weld":
            np.testing.assert_allclose(first, second, atol=1e-13)
    hook, q = loop_of(model, "hook"), model.random(seed=1)
    np.testing.assert_allclose(pose(model, q, hook.first), pose(model, q, "end"))
    np.testing.assert_allclose(pose(model, q, hook.second), pose(model, q, "post"))


def test_residuals_of_loops_are_mujocos():
    model, peer, data, q, _ = both("loops.xml", 3)
    residual = dict.fromkeys(range(peer.neq), ())
    for row in range(data.nefc):
        if data.efc_type[row] == mujoco.mjtConstraint.mjCNSTR_EQUALITY:
            residual[data.efc_id[row]] += (data.efc_pos[row],)
    for e, name in ((0, "pin"), (1, "glue"), (2, "ground"), (3, "hook")):
        loop = loop_of(model, name)
        gap = pose(model, q, loop.first)[:3, 3] - pose(model, q, loop.second)[:3, 3]
        np.testing.assert_allclose(gap, residual[e][:3], atol=1e-13)
    at = dict(zip(model.coordinate_names, q, strict=True))
    for e, name in ((4, "gear"), (5, "equality5")):
        loop = loop_of(model, name)
        driven = np.polynomial.Polynomial(loop.coefficients)(at[loop.second] if loop.second else 0.0)
        assert at[loop.first] - driven == pytest.approx(residual[e][0], abs=1e-13)


def test_what_is_not_used_is_listed_in_one_warning():
    _, messages = read(HERE / "unused.xml")
    for part in (
        "contact of 3 geoms acts once its pairs are found",
        "not used: ",
        "tendons without forces (1: string)",
        "actuators with a transmission of the kind body (1: stick)",
        "sensors of the kind clock (1: time)",
        "mocap bodies, welded where they are (1: hand)",
        "limits of ball joints (1: shoulder)",
        "the medium",
        'the flag frictionloss="disable"',
    ):
        assert part in messages
    assert read(HERE / "arm.xml")[1] == ""


def test_tendons_from_site_to_site_are_springs():
    model, peer, data, q, v = both("springs.xml", 5)
    names = [peer.tendon(t).name or f"tendon{t}" for t in range(peer.ntendon)]
    assert [spring.name for spring in model.springs] == names
    assert [len(spring.frames) for spring in model.springs] == [2, 2, 4, 2, 2, 2, 2]
    np.testing.assert_allclose(spring_lengths(model, q), data.ten_length, rtol=1e-13)
    here, T = passive_forces(model, q, 0.0 * v), turn(model, q)
    np.testing.assert_allclose(here, T.T @ data.qfrc_spring, atol=1e-12)
    np.testing.assert_allclose(passive_forces(model, q, v) - here, T.T @ data.qfrc_damper, atol=1e-12)
    assert "tendon" not in read(HERE / "springs.xml")[1]


def test_tendons_that_are_no_springs_here_are_reported(tmp_path):
    file = tmp_path / "tendons.xml"
    file.write_text("""<mujoco><worldbody><site name="a"/><site name="b" pos="0 0 1"/><site name="axis" pos=".2 0 .41"/>
      <geom name="pin" type="cylinder" size=".05 .1" pos=".2 0 .4" contype="0"/>
      <body name="arm"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0" contype="0"/>
      <site name="c" pos=".5 0 0"/></body></worldbody><tendon>
      <spatial name="idle"><site site="a"/><site site="c"/></spatial>
      <spatial name="bent" stiffness="1"><site site="b"/><geom geom="pin"/><site site="c"/></spatial>
      <spatial name="inside" stiffness="1"><site site="b"/><geom geom="pin" sidesite="axis"/><site site="c"/></spatial>
      <spatial name="block" stiffness="1"><site site="a"/><site site="b"/><pulley divisor="2"/><site site="a"/>
        <site site="c"/></spatial>
      <spatial name="still" stiffness="1"><site site="a"/><site site="b"/></spatial>
      <fixed name="gear" stiffness="3"><joint joint="j" coef="1"/></fixed>
      <spatial name="kept" stiffness="1" limited="true" range="0 1" frictionloss="1">
        <site site="b"/><site site="c"/></spatial>
      </tendon></mujoco>""")
    model, messages = read(file)
    assert [spring.name for spring in model.springs] == ["bent", "gear", "kept"]
    for part in (
        "tendons without forces (1: idle)",
        "tendons over pulleys (1: block)",
        "tendons through geoms (their sidesite is inside) (1: inside)",
        "springs of tendons within one body (1: still)",
    ):
        assert part in messages
    file.write_text(file.read_text().replace('stiffness="1" limited', 'stiffness="-1" limited'))
    with pytest.raises((FormatError, ModelError), match="kept"):
        read(file)


def test_nonlinear_damping_is_reported(tmp_path):
    file = tmp_path / "poly.xml"
    joint = '<joint name="j" damping="1 2 3" stiffness="4 5"/>'
    file.write_text(f'<mujoco><worldbody><body>{joint}<geom size=".1"/></body></worldbody></mujoco>')
    if not hasattr(mujoco.MjModel, "dof_dampingpoly"):
        pytest.skip("this MuJoCo has linear damping only")
    model, messages = read(file)
    assert model.joint("j").damping[0] == 1.0
    assert model.joint("j").stiffness[0] == 4.0
    assert "higher-order stiffnesses of joints (1: j)" in messages
    assert "higher-order dampings of joints (1: j)" in messages


def test_gravity_may_be_switched_off(tmp_path):
    file = tmp_path / "space.xml"
    file.write_text('<mujoco><option gravity="0 0 -5"><flag gravity="disable"/></option></mujoco>')
    model, _ = read(file)
    assert model.nq == 0
    np.testing.assert_array_equal(model.gravity, 0.0)


def test_root():
    fixed, _ = read(HERE / "arm.xml")
    assert [joint.name for joint in fixed.joints] == ["hinge"]
    afloat, _ = read(HERE / "arm.xml", root="free")
    assert [joint.name for joint in afloat.joints] == ["root", "hinge"]
    assert afloat.nq == 8
    with pytest.raises(InputError, match="needs one base"):
        read(HERE / "tree.xml", root="free")


def test_missing_meshes_do_not_matter_where_inertias_are_given():
    model, messages = read(HERE / "missing_mesh.xml")
    assert "Error opening file" in messages
    assert "is left out, given inertias stand" in messages
    assert [body.name for body in model.bodies] == ["given", "computed"]
    assert model.bodies[0].mass == 3.0
    wedge = 2000 * 0.1**3 / 6
    assert model.bodies[1].mass == pytest.approx(1.5 + wedge, rel=1e-6)
    assert "sensors (1)" in messages
    assert "stand" in model.frames


def test_missing_meshes_that_inertias_need(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(
        '<mujoco><asset><mesh name="m" file="nowhere.stl"/></asset><worldbody><body name="hand"><joint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    with pytest.raises(FormatError, match=r"robot\.xml: .*nowhere\.stl.*inertia of 'hand' is to come from meshes"):
        read_mjcf(file, trusted=True)


BALL = '<geom size=".1"/>'
INERTIAL = '<inertial pos="0 0 0" mass="{}" diaginertia="1 1 {}"/>'

BROKEN = {
    "not XML": ("hello", "not well-formed XML"),
    "cut short": ("<mujoco><worldbody>", "XML"),
    "another format": ("<robot name='r'/>", "<robot>; MJCF has <mujoco>"),
    "doctype": ("<!DOCTYPE mujoco [<!ENTITY a 'b'>]><mujoco/>", "DOCTYPE"),
    "unknown element": ("<mujoco><wurldbody/></mujoco>", "wurldbody"),
    "no mass": ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "mass and inertia"),
    "missing include": ('<mujoco><include file="nowhere.xml"/></mujoco>', "nowhere.xml"),
    "two of a name": (
        '<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>',
        "repeated name 'a'",
    ),
    "not a number": (
        '<mujoco><worldbody><body name="a" pos="nan 0 0"><joint/><geom size=".1"/></body></worldbody></mujoco>',
        "body 'a': its pos is not finite",
    ),
    **{
        case: (f'<mujoco><worldbody><body name="a">{inside}</body></worldbody>{more}</mujoco>', message)
        for case, inside, more, message in [
            (
                "unknown attribute",
                '<joint axes="0 0 1"/>',
                "",
                "unrecognized attribute: 'axes' Element 'joint'",
            ),
            ("too few numbers", '<joint axis="0 1"/>', "", "attribute 'axis' does not have enough data"),
            ("letters", '<joint axis="0 0 z"/>', "", "broken.xml:1: bad format in attribute 'axis' Element 'joint'"),
            ("no axis", f'<joint axis="0 0 0"/>{BALL}', "", "axis too small in joint"),
            ("unknown type", '<joint type="screw"/>', "", "broken.xml:1: invalid keyword: 'screw' Element 'joint'"),
            ("negative mass", f"<joint/>{INERTIAL.format(-1, 1)}", "", "must be larger than mjMINVAL Element name 'a'"),
            ("no such inertia", f"<joint/>{INERTIAL.format(1, 5)}", "", "inertia must satisfy A + B >= C"),
            ("a box of no size", '<joint/><geom type="box"/>', "", "size 0 must be positive in geom"),
            ("free below", f"{BALL}<body><freejoint/>{BALL}</body>", "", "free joint can only be used on top level"),
            ("too many joints", f"<freejoint/><joint/>{BALL}", "", "more than 6 dofs in body 'a'"),
            ("crossed limits", f'<joint range="1 -1" limited="true"/>{BALL}', "", "range[0] should be smaller than"),
            ("unknown class", f'<joint class="big"/>{BALL}', "", "unknown default class name 'big'"),
            ("two joints of a name", f'<joint name="j"/><joint name="j"/>{BALL}', "", "repeated name 'j' in joint"),
            (
                "a huge quaternion",
                f'<joint/>{INERTIAL.format(1, 1)}<site name="s" quat="0 1e300 0 0"/>',
                "",
                "site 's': its quat",
            ),
            *(
                (
                    f"a {size} quaternion of inertia",
                    f'<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1" quat="{size} 0 0 0"/>',
                    "",
                    "body 'a': its quaternion",
                )
                for size in ("1e300", "1e-200")
            ),
            (
                "a huge quaternion of a weld",
                f"<joint/>{BALL}",
                '<equality><weld name="w" body1="a" relpose="0 0 0 0 1e300 0 0"/></equality>',
                "equality 'w': its quaternion has no direction",
            ),
            ("a quaternion of zeros", '<inertial pos="0 0 0" quat="0 0 0 0" mass="1"/>', "", "zero quaternion"),
            ("unknown mesh", '<joint/><geom type="mesh" mesh="m"/>', "", "mesh 'm' not found in geom 0"),
            ("unknown joint tied", BALL, '<equality><joint joint1="k"/></equality>', "unknown element 'k' in equality"),
            ("unknown body welded", BALL, '<equality><weld body1="b"/></equality>', "unknown element 'b' in equality"),
            ("unknown joint driven", BALL, '<actuator><motor joint="k"/></actuator>', "transmission target 'k'"),
            (
                "unknown site",
                BALL,
                '<tendon><spatial><site site="s"/><site site="t"/></spatial></tendon>',
                "site 's' not found in wrap 0",
            ),
            ("a mass beyond all", f"<joint/>{INERTIAL.format(1e300, 1)}", "", "1: body 'a': the mass is 1e+300 kg"),
            (
                "endless stiffness",
                f'<joint stiffness="inf"/>{BALL}',
                "",
                "'a_joint': its stiffness is not finite",
            ),
            ("negative damping", f'<joint damping="-1"/>{BALL}', "", "1: joint 'a_joint': damping must be finite and"),
        ]
    },
    "joint of the world": ("<mujoco><worldbody><joint/></worldbody></mujoco>", "World body cannot have joints"),
    "attribute twice": ('<mujoco model="a" model="b"/>', "an attribute is given twice"),
    "unknown entity": ('<mujoco model="&x;"/>', "an entity that is not defined"),
    "too deep": (
        "<mujoco><worldbody>" + "<body>" * 600 + "</body>" * 600 + "</worldbody></mujoco>",
        "too deep",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, message = BROKEN[case]
    file = tmp_path / "broken.xml"
    file.write_text(text)
    with pytest.raises(FormatError) as raised:
        read_mjcf(file, trusted=True)
    assert "broken.xml" in str(raised.value)
    assert message in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["broken.xml"]  # MuJoCo would leave a log


def test_no_file(tmp_path):
    with pytest.raises(FormatError, match="there is no file"):
        read_mjcf(tmp_path / "nowhere.xml")


def test_without_mujoco(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match=r"linkwright\[mjcf\]"):
        read_mjcf(HERE / "arm.xml", trusted=True)


def test_default_names_give_way_to_given_ones(tmp_path):
    file = tmp_path / "names.xml"
    file.write_text(
        '<mujoco><worldbody><body name="body2"><joint/><geom size=".1"/>'
        '<body><joint name="body2_joint"/><geom size=".1"/></body></body></worldbody></mujoco>'
    )
    model, _ = read(file)
    assert [body.name for body in model.bodies] == ["body2", "body2_"]
    assert [joint.name for joint in model.joints] == ["body2_joint_", "body2_joint"]


@pytest.mark.parametrize("name", ["swing", "slide", "body4_joint", "leg_joints", "body7_joints"])
def test_joints_about_anchors_can_be_locked(name):
    model, _ = read(HERE / "tree.xml")
    q = model.random(seed=4)
    at = dict(zip((joint.name for joint in model.joints), model.coordinates(q), strict=True))
    locked = model.lock({name: at.pop(name)})
    rest = np.concatenate(list(at.values()))
    for frame in ("tip", "shoe", "body7", "camera"):
        np.testing.assert_allclose(pose(locked, rest, frame), pose(model, q, frame), atol=1e-13)


MEMBERS = ["leg_y", "leg_lift", "leg_x", "body7_joint", "body7_joint_", "x", "yaw"]


def test_names_stay_valid_when_joints_merge():
    """Joints have the names and positions that MuJoCo gives them."""
    model, peer, *_ = both("tree.xml")
    for j in range(peer.njnt):
        name = peer.joint(j).name
        if not name:
            continue
        joint, (at_q, at_v) = model.joint(name), model.slice(name)
        assert joint.name == name
        assert (at_q.start, at_v.start) == (peer.jnt_qposadr[j], peer.jnt_dofadr[j])
        assert (at_q.stop - at_q.start, at_v.stop - at_v.start) == (joint.nq, joint.nv)
        np.testing.assert_allclose(joint.damping, peer.dof_damping[at_v])
        np.testing.assert_allclose(joint.rest, peer.qpos_spring[at_q])
    assert model.joint("leg_joints.leg_x").type == "revolute"
    assert model.slice("leg_x") == model.slice("leg_joints.leg_x")
    with pytest.raises(UnknownNameError, match=r"'leg_z'; there are .*leg_x"):
        model.slice("leg_z")


@pytest.mark.parametrize("names", [[name] for name in MEMBERS] + [["leg_y", "leg_x"], ["leg_x", "leg_lift", "leg_y"]])
def test_members_of_merged_joints_can_be_locked(names):
    model, _ = read(HERE / "tree.xml")
    q, v = model.random(seed=4), np.random.default_rng(4).normal(size=model.nv)
    locked = model.lock({name: q[model.slice(name).q] for name in names})
    free_q, free_v = np.ones(model.nq, dtype=bool), np.ones(model.nv, dtype=bool)
    for name in names:
        free_q[model.slice(name).q] = False
        free_v[model.slice(name).v] = False
    assert locked.coordinate_names == tuple(np.array(model.coordinate_names)[free_q])
    for frame in ("tip", "shoe", "body7", "camera"):
        np.testing.assert_allclose(pose(locked, q[free_q], frame), pose(model, q, frame), atol=1e-13)
    np.testing.assert_allclose(
        mass_matrix(locked, q[free_q]), mass_matrix(model, q)[np.ix_(free_v, free_v)], atol=1e-12
    )
    mine, whole = passive_forces(locked, q[free_q], v[free_v]), passive_forces(model, q, free_v * v)
    np.testing.assert_allclose(mine, whole[free_v], atol=1e-13)
    for name in {*MEMBERS} - {*names}:
        assert model.joint(name) == replace(locked.joint(name), parent=model.joint(name).parent)


def test_members_of_merged_joints_are_driven_held_and_typed():
    model, _ = read(HERE / "tree.xml")
    q, v, a = model.random(seed=1), np.ones(model.nv), np.zeros(model.nv)
    others = [joint.name for joint in model.joints if joint.name != "leg_joints"]
    driven = [*others, "leg_x", "leg_lift", "leg_y"]
    whole = lw.inverse_dynamics(model, q, v, a)
    np.testing.assert_allclose(lw.inverse_dynamics(model, q, v, a, actuated=driven), whole, atol=1e-12)
    with pytest.raises(InputError, match="twice"):
        lw.inverse_dynamics(model, q, v, a, actuated=["leg_joints", "leg_x"])
    with pytest.raises(InputError, match="locked twice"):
        model.lock({"leg_joints": [0.1, 0.2, 0.3], "leg_x": 0.0})
    typed = starting_posture(model, "leg_x=10deg, leg_joints.leg_y=0.5, body7_joint_.w=1, yaw=0.25")
    assert typed[model.slice("leg_x").q] == np.radians(10.0)
    assert typed[model.slice("leg_y").q] == 0.5
    assert typed[model.slice("yaw").q] == 0.25
    assert starting_velocity(model, "leg_lift=2")[model.slice("leg_lift").v] == 2.0
    with pytest.raises(InputError, match="twice"):
        starting_posture(model, "leg_x=1, leg_joints.leg_x=2")
