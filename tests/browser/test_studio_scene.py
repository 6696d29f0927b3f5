"""A mechanism as nodes of a scene: where they are is where its bodies are, whatever it is called."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.browser.hand import Hand
from linkwright.browser.posture import Posture
from linkwright.browser.view.overlays import GREEN, RED, Looks, ellipsoid, ellipsoid_of
from linkwright.browser.view.robot import MOST_BODIES, RobotNodes, node_name
from linkwright.browser.view.scene import BrowserScene
from linkwright.browser.view.solids import MOST_OF_A_MESH, along, creased, solids_of, turned
from linkwright.errors import InputError, ShapeError
from linkwright.visual.drawing.linkage import poses_along, skeleton

HOSTILE = '../../<img src=x onerror="alert(1)">/[a](javascript:alert(1))**b** $x$' + "x" * 300


def placed(node):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = lw.rotation.from_quaternion(np.array(node.wxyz)), node.position
    return T


@pytest.mark.parametrize("name", ["arm7", "humanoid", "four_bar", "stewart", "chain3d:4"])
def test_nodes_stand_where_bodies_are(name, server):
    model = lw.load(name)
    scene = BrowserScene(server, model)
    q = model.random(seed=2)
    q = lw.close_loops(model, q) if model.loops else q
    scene.show(q)
    for node, body in zip(scene.robot.nodes, model.bodies, strict=True):
        np.testing.assert_allclose(placed(node), lw.pose(model, q, body.name), atol=2e-5)
    np.testing.assert_allclose(scene.poses, lw.pose(model, q, [body.name for body in model.bodies]), atol=1e-12)


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "bricard", "puma560"])
def test_drawn_solids_follow_the_skeleton(name, server):
    """Shapes in the axes of links, placed at the nodes, reach from point to point of the skeleton."""
    model = lw.load(name)
    q = model.neutral() if not model.loops else lw.close_loops(model, model.neutral())
    robot = RobotNodes(server, model)
    robot.show(q)
    bones = skeleton(model)
    points = bones.along(poses_along(model, q[None]))[0]
    corners = []
    for solid, _ in robot.solids:
        T = np.eye(4) if solid.body < 0 else robot.poses[solid.body]
        corners.append(solid.mesh.vertices @ T[:3, :3].T + T[:3, 3])
    for _, node in robot.struts:
        T = placed(node)
        corners.append(np.array([T[:3, 3], T[:3, 3] + node.scale[2] * T[:3, 2]]))
    every = np.concatenate(corners)
    size = np.ptp(points, axis=0).max()
    far = [np.linalg.norm(every - p, axis=1).min() for p in points[np.unique(bones.segments)]]
    assert max(far) < 0.05 * size


def test_a_rod_that_slides_out_is_stretched(server):
    model = lw.load("stewart")
    robot = RobotNodes(server, model)
    q = lw.close_loops(model, model.neutral())
    robot.show(q)
    short = [node.scale[2] for _, node in robot.struts]
    leg = next(joint for joint in model.joints if joint.type == "prismatic")
    q[model.slice(leg.name).q] += 0.05
    robot.show(q)
    longer = [node.scale[2] for _, node in robot.struts]
    assert np.isclose(np.max(np.subtract(longer, short)), 0.05, atol=1e-4)


def test_hostile_names_are_no_paths(server):
    builder = lw.Builder(HOSTILE)
    builder.body(HOSTILE + "1", mass=1.0, center_of_mass=[0.1, 0, 0], inertia=np.eye(3))
    builder.joint(HOSTILE, "revolute", "world", HOSTILE + "1", axis=[0, 0, 1])
    model = builder.build()
    scene = BrowserScene(server, model)
    scene.show(np.array([0.3]))
    scene.arrows(HOSTILE, [[0, 0, 0]], [[1, 0, 0]])
    fine = re.compile(r"(/[A-Za-z0-9_-]{1,60})*")
    for name in server.scene._handle_from_node_name:
        assert fine.fullmatch(name), name
    assert f"/arrows/{node_name(HOSTILE)}" in server.scene._handle_from_node_name
    assert node_name("../..") == "_____"
    assert node_name("") == "_"


def test_arrows_come_and_go(server):
    scene = BrowserScene(server, lw.load("two_link"))
    known = server.scene._handle_from_node_name
    scene.arrows("f", [[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 2, 0]])
    np.testing.assert_allclose(known["/arrows/f"].points[1], [[1, 0, 0], [1, 2, 0]])
    scene.arrows("f", [[0, 0, 0], [1, 0, 0]], [[0, 3, 0], [0, 2, 0]])
    np.testing.assert_allclose(known["/arrows/f"].points[0, 1], [0, 3, 0])
    scene.arrows("f", [[0, 0, 0]], [[0, 1, 0]])
    assert len(known["/arrows/f"].points) == 1
    scene.arrows("f", [], [])
    assert "/arrows/f" not in known
    with pytest.raises(ShapeError, match="2 points and 1 vectors"):
        scene.arrows("f", np.zeros((2, 3)), np.zeros((1, 3)))


def test_too_many_bodies_are_reported(server):
    model = lw.load("two_link")
    many = replace(model, links=model.links * MOST_BODIES)
    with pytest.raises(InputError, match=f"up to {MOST_BODIES} bodies"):
        RobotNodes(server, many)


def area(mesh):
    A, B, C = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(B - A, C - A), axis=1).sum()


def test_corners_are_split_at_sharp_edges_only():
    cylinder = turned([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], 32)
    split = creased(cylinder)
    assert len(split.vertices) == 4 * 32 + 2  # two rims, twice, and two middles
    assert len(split.faces) == len(cylinder.faces)
    assert np.isclose(area(split), area(cylinder))


def test_along_points_from_one_to_the_other():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 3.0])
    T = along(a, b)
    np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(T[:3, 3] + np.linalg.norm(b - a) * T[:3, 2], b)
    assert np.linalg.det(T[:3, :3]) > 0.0


def test_missing_meshes_are_reported_and_their_bodies_drawn(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="none.stl"/></geometry></visual></link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    with pytest.warns(lw.errors.FormatWarning, match=r"'none\.stl' is not found; paths start at"):
        found = solids_of(lw.load(path))
    assert found.solids


def test_an_ellipsoid_has_the_mass_and_inertia_of_its_link():
    rng = np.random.default_rng(3)
    semi, mass = np.array([0.1, 0.4, 0.2]), 3.0
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = R @ np.diag(mass / 5.0 * ((semi**2).sum() - semi**2)) @ R.T
    found, axes = ellipsoid_of(mass, inertia)
    np.testing.assert_allclose(np.sort(found), np.sort(semi))
    np.testing.assert_allclose(axes @ np.diag(found**2) @ axes.T, R @ np.diag(semi**2) @ R.T, atol=1e-12)
    assert np.linalg.det(axes) > 0.0
    assert not ellipsoid_of(0.0, np.zeros((3, 3)))[0].any()


def test_velocities_of_closed_loops_are_those_of_what_drives_them():
    """A crank's pin goes round it: unit speed of the crank gives its length as speed, across the crank alone."""
    model = lw.load("slider_crank")
    q = lw.close_loops(model, model.neutral())
    frame = model.bodies[1].name  # the rod's joint is at the crank's pin
    length = np.linalg.norm(lw.pose(model, q, frame)[:3, 3] - lw.pose(model, q, model.bodies[0].name)[:3, 3])
    axes, semi = ellipsoid(model, q, frame, "velocity")
    np.testing.assert_allclose(semi, [length, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(np.abs(axes[:, 0] @ np.asarray(lw.jacobian(model, q, frame))[:3, 0]), length, atol=1e-9)
    _, bounds = ellipsoid(model, q, frame, "force")
    np.testing.assert_allclose(bounds, [1.0 / length, np.inf, np.inf])


def test_of_open_chains_they_are_the_librarys():
    model = lw.load("arm7")
    q = model.random(seed=5)
    for what, function in (("velocity", lw.velocity_ellipsoid), ("force", lw.force_ellipsoid)):
        axes, semi = ellipsoid(model, q, "tool", what)
        np.testing.assert_array_equal(axes, function(model, q, "tool").axes)
        np.testing.assert_array_equal(semi, function(model, q, "tool").semi_axes)


def test_all_that_can_be_shown_follows_the_robot(server):
    model = lw.load("arm7")
    posture = Posture(model)
    scene = BrowserScene(server, model, posture.q)
    posture.listen(scene.show)
    looks = Looks(server.gui, scene, posture, Hand(scene, posture))
    for what in looks.boxes:
        looks.set(what, True)
    q = model.random(seed=6)
    posture.move(q)
    known = server.scene._handle_from_node_name
    np.testing.assert_allclose(known["/center_of_mass"].position, lw.center_of_mass(model, q), atol=2e-5)
    tool = next(name for name in known if name.endswith("_tool"))
    body = placed(known[tool.rpartition("/")[0]])
    np.testing.assert_allclose(body @ placed(known[tool]), lw.pose(model, q, "tool"), atol=2e-5)
    velocities = lw.velocity_ellipsoid(model, q, "tool")
    axes, semi = velocities.axes, velocities.semi_axes
    shown = np.array(known["/ellipsoids/velocity"].scale)
    np.testing.assert_allclose(shown / shown.max(), semi / semi.max(), atol=1e-6)
    turned_by = placed(known["/ellipsoids/velocity"])[:3, :3]
    np.testing.assert_allclose(np.abs(np.sum(turned_by * axes, axis=0)), 1.0, atol=1e-5)
    for what in looks.boxes:
        looks.set(what, False)
    assert not known["/center_of_mass"].visible
    assert not scene.robot.visible


def test_the_smallest_distance_is_red_below_the_bound(server):
    made = lw.Builder(lw.load("arm7"))
    for body in made.build().bodies:
        made.shape(body.name, "capsule", radius=0.05, length=0.15, use="collision")
    model = made.build()
    q = model.random(50, seed=0)
    found = lw.closest_pair(model, q)
    posture = Posture(model)
    scene = BrowserScene(server, model, posture.q)
    looks = Looks(server.gui, scene, posture, None)
    looks.set("distance", True)
    assert looks.bound.visible
    known = server.scene._handle_from_node_name
    for bound, color in ((0.0, GREEN), (1000.0, RED)):
        looks.bound.value = bound
        k = int(np.argmax(found.distance))
        posture.move(q[k])
        np.testing.assert_allclose(known["/distance"].points[0], [found.first[k], found.second[k]], atol=1e-5)
        np.testing.assert_array_equal(known["/distance"].colors[0], [color, color])
        assert known["/distance/0"].text.startswith(f"{round(1000.0 * float(found.distance[k]))} mm")
        assert known["/distance/1"].visible == (bound > 0.0)
    looks.set("distance", False)
    assert not known["/distance/0"].visible


def test_very_fine_meshes_are_shown_with_fewer_triangles():
    n = 420
    x, y = np.meshgrid(np.linspace(0.0, 1.0, n), np.linspace(0.0, 1.0, n))
    at = np.arange(n * n).reshape(n, n)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    builder = lw.Builder("fine").body("plate", mass=1.0, inertia=np.eye(3))
    builder.joint("hinge", "revolute", "world", "plate")
    vertices = np.stack([x, y, 0.05 * np.sin(9.0 * x) * np.cos(7.0 * y)], axis=-1).reshape(-1, 3)
    builder.mesh("plate", vertices=vertices, faces=faces, use="visual")
    (solid,) = (one for one in solids_of(builder.build()).solids if one.body == 0)
    assert len(faces) > MOST_OF_A_MESH >= len(solid.mesh.faces) > 1000
    np.testing.assert_allclose(np.ptp(solid.mesh.vertices, axis=0)[:2], 1.0, atol=0.05)
