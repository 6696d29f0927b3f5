"""Shapes of links: built by hand, read from URDF, SDF and MJCF, written, and messages on mistakes."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, FormatWarning, InputError, ModelError, UnknownNameError
from linkwright.formats.meshes.reading import mesh_file
from linkwright.formats.sdf import parse_sdf
from linkwright.formats.urdf import parse_urdf
from linkwright.formats.ztk import parse_ztk
from linkwright.model.parts.shape import KINDS


def arm():
    builder = lw.Builder("arm").body("a", 1.0, [0, 0, 0.1], 0.01).joint("j", "revolute", "world", "a", axis=[0, 1, 0])
    return builder.body("b", 1.0, [0, 0, 0.1], 0.01).joint("k", "prismatic", "a", "b", xyz=[0, 0.1, 0])


def full():
    builder = arm().shape(
        "a", "sphere", radius=0.1, name="ball", use="collision", contact=lw.ContactProperties(friction=0.5)
    )
    builder.shape("a", "box", size=[0.1, 0.2, 0.3], xyz=[1, 2, 3], rpy=[0.1, 0.2, 0.3], use="visual", color=[1, 0, 0])
    builder.shape("b", "cylinder", radius=0.1, length=0.2, color=[0, 1, 0, 0.5])
    return builder.mesh("b", "meshes/part.stl", scale=[1, 2, 3], use="visual").build()


def test_a_model_keeps_its_shapes():
    model = full()
    assert [(shape.body, shape.kind, shape.use) for shape in model.shapes] == [
        ("a", "sphere", "collision"),
        ("a", "box", "visual"),
        ("b", "cylinder", "both"),
        ("b", "mesh", "visual"),
    ]
    assert model.shapes[1].color == (1.0, 0.0, 0.0, 1.0)
    assert (model.shapes[0].is_seen, model.shapes[0].touches) == (False, True)
    assert (model.shapes[1].is_seen, model.shapes[1].touches) == (True, False)
    assert model != arm().build()
    assert lw.Builder(model).build() == model
    for kept in (model.lock({"k": 0.1}), model.with_gravity([0, 0, 0]), model.with_joint("k", lower=0.0)):
        assert kept.shapes == model.shapes


def test_shapes_go_along_when_models_are_changed():
    whole = arm().frame("hand", "b", xyz=[0, 0, 1]).build().append(full(), "hand", "tool_")
    assert [shape.body for shape in whole.shapes] == ["tool_a", "tool_a", "tool_b", "tool_b"]
    grounded = lw.Builder("table").shape("world", "plane").body("a", 1.0, inertia=0.1)
    table = grounded.joint("j", "revolute", "world", "a").build()
    on = arm().frame("hand", "b", xyz=[0, 0, 1]).build().append(table, "hand", "t_").shapes[0]
    assert (on.body, on.placement[2, 3]) == ("b", 1.0)
    image = full().mirror("y")
    for shape, other in zip(full().shapes, image.shapes, strict=True):
        M = np.diag([1.0, -1.0, 1.0, 1.0])
        mirrored = M @ shape.placement @ np.diag([*shape.scale, 1.0])
        same = other.placement @ np.diag([*other.scale, 1.0])
        if shape.kind != "mesh":  # which are their own mirror images across their y
            mirrored = mirrored @ M
        np.testing.assert_allclose(mirrored, same, atol=1e-15)
        assert np.linalg.det(other.placement[:3, :3]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kind": "spere", "radius": 1}, UnknownNameError, "unknown shape 'spere'; there are box, capsule, cone"),
        ({"kind": "sphere"}, ArgumentError, "a shape of 'a': a sphere needs a radius"),
        ({"kind": "sphere", "radius": 1, "length": 1}, ArgumentError, "a shape of 'a': a sphere has no length"),
        ({"kind": "sphere", "radius": -1}, InputError, "the radius of a sphere is finite and above zero; got -1.0"),
        ({"kind": "box", "size": [1, 2]}, lw.errors.LinkwrightError, "a shape of 'a': size"),
        ({"kind": "mesh"}, ArgumentError, "a mesh is added by Builder.mesh(…)"),
        ({"kind": "plane", "use": "seen"}, InputError, "a shape is for 'visual', 'collision', 'both'; got 'seen'"),
        ({"kind": "plane", "contact": 0.5}, ArgumentError, "a shape of 'a': contact is lw.ContactProperties(…)"),
        ({"kind": "plane", "color": [0, 0, 2]}, InputError, "a color is red, green, blue and opacity"),
    ],
)
def test_what_is_wrong_with_a_shape_is_reported(given, error, message):
    with pytest.raises(error) as caught:
        arm().shape("a", **given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "a mesh is given by a file, or by vertices and faces"),
        (
            {"vertices": np.eye(3), "faces": [[0, 1, 3]]},
            "the faces of a mesh are numbers of its 3 vertices, from 0; got 0 to 3",
        ),
    ],
)
def test_wrong_meshes_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        arm().mesh("a", **given)


def test_a_shape_of_no_body_is_reported():
    with pytest.raises(ModelError, match="a shape of 'c': unknown body 'c'"):
        arm().shape("c", "plane").build()


URDF = """<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="a">
  <visual name="v"><origin xyz="1 2 3" rpy="0 0 1.5"/><geometry><box size="1 2 3"/></geometry>
    <material name="red"/></visual>
  <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
  <visual><geometry><mesh filename="package://x/y.dae" scale="1 1 -1"/></geometry></visual>
  {more}
</link></robot>"""


def test_urdf():
    box, cylinder, mesh = parse_urdf(URDF.format(more="")).shapes
    assert (box.body, box.kind, box.size, box.use, box.name) == ("a", "box", (1.0, 2.0, 3.0), "visual", "v")
    np.testing.assert_allclose(box.placement[:3, 3], [1, 2, 3])
    assert box.placement[1, 0] == pytest.approx(np.sin(1.5))
    assert box.color == (1.0, 0.0, 0.0, 1.0)
    assert (cylinder.use, cylinder.radius, cylinder.length) == ("collision", 0.1, 0.5)
    assert (mesh.file, mesh.scale) == ("package://x/y.dae", (1.0, 1.0, -1.0))


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ("<visual/>", "<visual>: it has no geometry; expected one of box, cylinder, sphere, capsule, mesh"),
        ("<visual><geometry><ball/></geometry></visual>", "it has no geometry"),
        ('<visual><geometry><sphere radius="x"/></geometry></visual>', "the radius of <sphere> is 'x'; expected"),
        ("<collision><geometry><sphere/></geometry></collision>", "the radius of <sphere> is missing"),
        ('<visual><geometry><box size="1 2"/></geometry></visual>', "the size of <box> is '1 2'; expected 3 numbers"),
        ('<visual><geometry><box size="1 2 0"/></geometry></visual>', "the size of a box is finite and above zero"),
        ("<visual><geometry><mesh/></geometry></visual>", "the filename of <mesh> is missing"),
    ],
)
def test_a_wrong_shape_of_a_urdf_is_left_out_and_reported(element, message):
    with pytest.warns(FormatWarning) as caught:
        model = parse_urdf(URDF.format(more=element))
    assert len(model.shapes) == 3
    assert message in str(caught[0].message)
    assert ":7:" in str(caught[0].message)
    assert "the shape is left out" in str(caught[0].message)


SDF = """<sdf version="1.10"><model name="r"><link name="a"><pose>0 0 1 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial>
<visual name="v"><pose relative_to="tip">0 0 0.1 0 0 0</pose><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid>
</geometry><material><diffuse>0 0 1</diffuse></material></visual>
<collision name="c"><geometry><plane><normal>1 0 0</normal></plane></geometry>
<surface><friction><ode><mu>0.7</mu></ode></friction></surface></collision>
<visual name="m"><geometry><mesh><uri>model://x/y.stl</uri></mesh></geometry></visual>
<visual name="e"><geometry><empty/></geometry></visual>{more}</link>
<frame name="tip" attached_to="a"><pose>0 0 1 0 0 0</pose></frame></model></sdf>"""


def test_sdf():
    ellipsoid, plane, mesh = parse_sdf(SDF.format(more="")).shapes
    assert (ellipsoid.size, ellipsoid.use, ellipsoid.color) == ((2.0, 4.0, 6.0), "visual", (0.0, 0.0, 1.0, 1.0))
    np.testing.assert_allclose(ellipsoid.placement[:3, 3], [0, 0, 1.1])
    np.testing.assert_allclose(plane.placement[:3, 2], [1, 0, 0], atol=1e-15)
    assert (plane.use, plane.friction) == ("collision", 0.7)
    assert (mesh.file, mesh.scale) == ("model://x/y.stl", (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("normal", "expected"),
    [("1e-200 0 1", (0, 0, 1)), ("0 0 1e-200", (0, 0, 1)), ("1e-200 1e-200 0", (0.5**0.5,) * 2 + (0,))],
)
def test_sdf_planes_with_tiny_normals(normal, expected):
    plane = parse_sdf(SDF.format(more="").replace("<normal>1 0 0</normal>", f"<normal>{normal}</normal>")).shapes[1]
    np.testing.assert_allclose(plane.placement[:3, 2], expected, atol=1e-15)


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ('<visual name="w"/>', "<visual>: it has no geometry; read are box, capsule, cone"),
        ("<visual><geometry><heightmap/></geometry></visual>", "its geometry is <heightmap>"),
        ("<visual><geometry><sphere/></geometry></visual>", "<sphere> has no <radius>"),
        ("<visual><geometry><mesh/></geometry></visual>", "<mesh> has no <uri>"),
        (
            '<visual><pose relative_to="top"/><geometry><plane/></geometry></visual>',
            "relative_to: unknown frame 'top'; there are a, tip",
        ),
    ],
)
def test_a_wrong_shape_of_an_sdf_is_left_out_and_reported(element, message):
    with pytest.warns(FormatWarning) as caught:
        model = parse_sdf(SDF.format(more=element))
    assert len(model.shapes) == 3
    assert message in str(caught[0].message)


def test_mjcf(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "r.xml").write_text(
        """<mujoco><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
        <geom type="plane" size="1 1 1"/><body name="a"><joint/>
        <geom name="f" type="capsule" fromto="0 0 0 0 0 1" size="0.1" friction="0.7"/>
        <geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0" rgba="1 0 0 1"/>
        <geom type="sphere" size="0.1" group="3"/><geom type="mesh" mesh="t" pos="1 0 0"/>
        </body></worldbody></mujoco>"""
    )
    with pytest.warns(FormatWarning, match="contact of"):
        model = lw.load(tmp_path / "r.xml", trusted=True)
    plane, capsule, box, sphere, mesh = model.shapes
    assert (plane.body, plane.kind) == ("world", "plane")
    assert (capsule.radius, capsule.length, capsule.friction, capsule.name) == (0.1, 1.0, 0.7, "f")
    np.testing.assert_allclose(capsule.placement[:3, 3], [0, 0, 0.5])
    assert (box.size, box.use, box.color, box.friction) == ((0.2, 0.4, 0.6), "visual", (1.0, 0.0, 0.0, 1.0), None)
    assert sphere.use == "collision"
    corners = mesh.vertices @ mesh.placement[:3, :3].T + mesh.placement[:3, 3]
    expected = np.array([[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]])
    assert all(np.abs(corners - corner).max(axis=1).min() < 1e-6 for corner in expected)


ZTK = """[roki::chain]
name: r
[zeo::shape]
name: block
type: box
center: 1, 2, 3
depth: 0.1
width: 0.2
height: 0.3
[zeo::shape]
name: other
mirror: block y
pos: 0, 0, 1
[zeo::shape]
name: wedge
type: polyhedron
vert: 0 { 0 0 0 }
vert: 1 { 1 0 0 }
vert: 2 { 0 1 0 }
vert: 3 { 0 0 1 }
face: 0 2 1
face: 0 1 3
face: 0 3 2
face: 1 2 3
[zeo::shape]
name: rod
type: cylinder
center: 0, 0, 0
center: 0, 0.4, 0
radius: -0.03
[zeo::shape]
name: point
type: sphere
center: 0, 0, 0
radius: 0
[roki::link]
name: a
jointtype: revolute
mass: 1
COM: 0.1, 0, 0
inertia: { 1 0 0 0 1 0 0 0 1 }
shape: block other
shape: wedge
shape: rod
shape: point
"""


def test_ztk():
    with pytest.warns(FormatWarning, match=r"the radius of a sphere is finite .* got 0\.0; it is not drawn"):
        model = parse_ztk(ZTK)
    block, other, wedge, rod = model.shapes
    assert (block.kind, block.size, block.use) == ("box", (0.1, 0.2, 0.3), "visual")
    np.testing.assert_allclose(block.placement[:3, 3], [1, 2, 3])
    np.testing.assert_allclose(other.placement[:3, 3], [1, -2, 4])
    assert lw.mass_properties(wedge, density=6.0).mass == pytest.approx(1.0)
    assert (rod.kind, rod.radius, rod.length) == ("cylinder", 0.03, 0.4)
    np.testing.assert_allclose(rod.placement[:3, 2], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(rod.placement[:3, 3], [0, 0.2, 0])


def test_shapes_go_through_ztk_as_what_is_seen(tmp_path):
    vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    where = {"xyz": [0.1, 0.2, 0.3], "rpy": [0.4, 0.5, 0.6], "use": "visual"}
    builder = arm().shape("a", "box", size=[0.1, 0.2, 0.3], **where).shape("a", "sphere", radius=0.1, **where)
    builder.shape("b", "cylinder", radius=0.1, length=0.3, **where).shape("b", "cone", radius=0.1, length=0.3, **where)
    builder.shape("b", "capsule", radius=0.1, length=0.3, **where).shape("b", "ellipsoid", size=[1, 2, 3], **where)
    model = builder.mesh("a", vertices=vertices, faces=faces, scale=[1, -2, 3], **where).build()
    with pytest.warns(FormatWarning, match="a joint has the name of its link"):
        model.save(tmp_path / "r.ztk")
    read = lw.load(tmp_path / "r.ztk")
    assert sorted((s.body, s.kind, s.use) for s in read.shapes) == sorted((s.body, s.kind, s.use) for s in model.shapes)
    for shape in model.shapes:
        other = next(one for one in read.shapes if one.kind == shape.kind)
        mine, theirs = (lw.mass_properties(one, density=1.0) for one in (shape, other))
        for one, same in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(same, one, atol=1e-12)


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
@pytest.mark.parametrize("ending", [".urdf", ".sdf", ".xml"])
@pytest.mark.parametrize("name", ["meshes/part.obj", "package://arms/meshes/part.obj", "model://arms/meshes/part.obj"])
def test_meshes_are_found_from_wherever_a_robot_is_saved(name, ending, tmp_path, monkeypatch):
    if ending == ".xml":
        pytest.importorskip("mujoco")
    for folder in ("home/arms/meshes", "home/arms/sub", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "home/arms/meshes/part.obj").write_text(TETRAHEDRON)
    source = tmp_path / "home/arms/r.urdf"
    source.write_text(URDF.format(more="").replace("package://x/y.dae", name))
    monkeypatch.chdir(tmp_path / "home/arms")
    built = arm().mesh("a", "meshes/part.obj").build()
    for model in (lw.load(source), built):
        for place in ("home/arms/sub", "elsewhere"):
            moved = lw.load(model.save(tmp_path / place / f"m{ending}"), trusted=True)
            mesh = next(shape for shape in moved.shapes if shape.kind == "mesh")
            if ending != ".xml":
                assert mesh_file(mesh).samefile(tmp_path / "home/arms/meshes/part.obj")
                kept = mesh.file == name
                assert kept == (place == "home/arms/sub" and "://" in name and model is not built)
            assert lw.mass_properties(mesh, density=6.0, hull=True).volume > 0.1


@pytest.mark.parametrize("ending", [".urdf", ".sdf", ".xml"])
def test_meshes_that_are_not_found_are_reported_on_writing(ending, tmp_path):
    model = arm().mesh("a", "nope.stl", use="visual").build()
    with pytest.warns(FormatWarning, match="meshes are not found: 'nope.stl'"):
        model.save(tmp_path / f"m{ending}")


@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
@pytest.mark.parametrize("ending", [".urdf", ".sdf", ".xml"])
def test_shapes_go_through_files(ending, tmp_path):
    if ending == ".xml":
        pytest.importorskip("mujoco")
    model = full()
    (tmp_path / "meshes").mkdir()
    vertices, faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "meshes" / "part.obj").write_text(vertices + faces)
    parts = [shape for shape in model.shapes if shape.kind != "mesh"]
    builder = arm()
    for shape in parts:
        given = {what: getattr(shape, what) for what in KINDS[shape.kind]}
        contact = lw.ContactProperties(friction=shape.friction if ending != ".urdf" else None)
        place = {"placement": shape.placement, "use": shape.use, "color": shape.color}
        builder.shape(shape.body, shape.kind, contact=contact, **place, **given)
    built = builder.mesh("b", str(tmp_path / "meshes" / "part.obj"), scale=[1, 2, 3], use="visual").build()
    built.save(tmp_path / f"r{ending}")
    read = lw.load(tmp_path / f"r{ending}", trusted=True)

    def described(shapes):
        uses = {"visual": ["visual"], "collision": ["collision"], "both": ["visual", "collision"]}
        return sorted((shape.body, shape.kind, use) for shape in shapes for use in uses[shape.use])

    assert described(read.shapes) == described(built.shapes)
    for shape in built.shapes:
        other = next(one for one in read.shapes if one.kind == shape.kind)
        np.testing.assert_allclose(shape.placement, other.placement, atol=1e-7 if shape.kind == "mesh" else 1e-15)
        for what in ("radius", "length", "size", "scale"):
            np.testing.assert_allclose(getattr(shape, what), getattr(other, what), rtol=1e-12)
        if shape.touches and ending != ".urdf" and shape.friction is not None:
            touching = next(one for one in read.shapes if one.kind == shape.kind and one.touches)
            assert touching.friction == shape.friction
        if shape.is_seen and shape.color is not None:
            assert other.color == shape.color
