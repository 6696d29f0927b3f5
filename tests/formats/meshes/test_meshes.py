"""Meshes: masses, places of their files, and messages on unreadable ones."""

import struct
import subprocess
import sys
import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError, InputError, MissingFileError
from linkwright.formats.meshes import reading as meshes
from linkwright.formats.meshes.reading import mass_properties, mesh_file, mesh_of, painted_of, read_mesh, solid_of
from linkwright.model.parts.shape import Shape
from linkwright.spatial.rotation import rotation_rpy
from linkwright.spatial.transform import pose_matrix
from linkwright.visual.rendering.surfaces import primitive

pytest.importorskip("trimesh")

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
"""A block of 1 × 2 × 3 m, its first corner at the origin."""


def binary_stl(V, F):
    rows = b"".join(struct.pack("<12fH", 0.0, 0.0, 0.0, *V[f].ravel(), 0) for f in F)
    return b"\0" * 80 + struct.pack("<I", len(F)) + rows


def ascii_stl(V, F):
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in V[f])
        + "endloop\nendfacet\n"
        for f in F
    )
    return f"solid block\n{facets}endsolid block\n".encode()


def obj(V, F):
    lines = (
        [f"v {x} {y} {z}" for x, y, z in V] + ["mtllib /etc/passwd"] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in F]
    )
    return "\n".join(lines).encode()


def dae(V, F, unit=1.0, matrix="1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"):
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="{V.size}">{" ".join(map(str, V.ravel()))}</float_array>
<technique_common><accessor source="#a" count="{len(V)}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(F)}"><input semantic="VERTEX" source="#v" offset="0"/><p>{" ".join(map(str, F.ravel()))}</p>
</triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><matrix>{matrix}</matrix><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def msh(V, F):
    counts = struct.pack("<4i", len(V), 1, 1, len(F))
    return counts + b"".join([V.astype("<f4").tobytes(), b"\0" * 20, F.astype("<i4").tobytes()])


@pytest.mark.parametrize("make", [binary_stl, ascii_stl, obj, dae, msh])
def test_a_block_weighs_what_a_block_weighs(make, tmp_path):
    ending = {"obj": ".obj", "dae": ".DAE", "msh": ".msh"}.get(make.__name__, ".stl")
    if ending == ".DAE":
        pytest.importorskip("collada")
    path = tmp_path / f"block{ending}"
    path.write_bytes(make(CORNERS, FACES))
    m, c, I, volume = lw.mass_properties(path, density=100.0)
    assert (m, volume) == (pytest.approx(600.0), pytest.approx(6.0))
    np.testing.assert_allclose(c, [0.5, 1.0, 1.5], rtol=1e-12)
    np.testing.assert_allclose(I, np.diag([50.0 * 13, 50.0 * 10, 50.0 * 5]), rtol=1e-12, atol=1e-10)
    small = lw.mass_properties(path, mass=2.0, scale=0.001)
    assert (small.mass, small.volume) == (pytest.approx(2.0), pytest.approx(6e-9))
    np.testing.assert_allclose(small.inertia, np.diag([13.0, 10.0, 5.0]) / 6.0 * 1e-6, rtol=1e-9, atol=1e-18)


def test_units_and_nodes_of_dae_count(tmp_path):
    pytest.importorskip("collada")
    (tmp_path / "b.dae").write_bytes(dae(CORNERS, FACES, 0.1, "1 0 0 5  0 1 0 0  0 0 1 0  0 0 0 1"))
    m, c, _, volume = lw.mass_properties(tmp_path / "b.dae", density=1.0)
    assert m == volume == pytest.approx(6e-3)
    np.testing.assert_allclose(c, [0.55, 0.1, 0.15])


def test_far_away_and_inside_out(tmp_path):
    """Meshes far from their origin lose no digits; faces may be oriented inwards."""
    (tmp_path / "b.obj").write_bytes(obj(CORNERS + 1000.0, FACES[:, ::-1]))
    far = lw.mass_properties(tmp_path / "b.obj", density=1.0)
    np.testing.assert_allclose(far.inertia, np.diag([6.5, 5.0, 2.5]), rtol=1e-9, atol=1e-9)
    mirrored = lw.mass_properties(tmp_path / "b.obj", density=1.0, scale=[1, -1, 1])
    np.testing.assert_allclose(mirrored.center_of_mass, [1000.5, -1001.0, 1001.5])


def test_a_mesh_with_a_hole_is_refused_and_its_hull_is_not(tmp_path):
    (tmp_path / "b.stl").write_bytes(binary_stl(CORNERS, FACES[:-1]))
    with pytest.raises(FormatError, match=r"b\.stl is not closed: 3 of its 18 edges have a triangle on one side only"):
        lw.mass_properties(tmp_path / "b.stl", density=1.0)
    assert lw.mass_properties(tmp_path / "b.stl", density=1.0, hull=True).volume == pytest.approx(6.0)


@pytest.mark.parametrize(
    "shape",
    [
        Shape("a", "sphere", radius=0.3),
        Shape("a", "box", size=(0.1, 0.2, 0.3)),
        Shape("a", "ellipsoid", size=(0.1, 0.2, 0.3)),
        Shape("a", "cylinder", radius=0.1, length=0.5),
        Shape("a", "capsule", radius=0.1, length=0.5),
        Shape("a", "cone", radius=0.1, length=0.5),
    ],
    ids=lambda shape: shape.kind,
)
def test_solids_of_primitives_are_those_of_their_triangles(shape):
    """Formulas beside sums over fine surfaces, in frames of their own."""
    V, F = primitive(shape, facets=200)
    T = pose_matrix(rotation_rpy([0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.3]))
    shape = Shape(shape.body, shape.kind, T, radius=shape.radius, length=shape.length, size=shape.size)
    exact = mass_properties(shape, density=1000.0)
    summed = mass_properties(Shape("a", "mesh", T, vertices=V, faces=F), density=1000.0)
    assert summed.volume == pytest.approx(exact.volume, rel=1e-3)
    np.testing.assert_allclose(summed.center_of_mass, exact.center_of_mass, atol=1e-4)
    np.testing.assert_allclose(summed.inertia, exact.inertia, atol=2e-3 * np.abs(exact.inertia).max())


def test_several_shapes_of_a_body_weigh_together():
    model = (
        lw.Builder("dumbbell")
        .body("bar", 1.0, inertia=0.1)
        .joint("h", "revolute", "world", "bar")
        .shape("bar", "sphere", radius=0.1, xyz=[0.5, 0, 0])
        .shape("bar", "sphere", radius=0.1, xyz=[-0.5, 0, 0])
        .build()
    )
    m, c, I, _ = mass_properties(model.shapes, mass=2.0)
    ball = 0.4 * 0.1**2
    np.testing.assert_allclose(np.diag(I), [2 * ball, 2 * (ball + 0.25), 2 * (ball + 0.25)])
    assert m == pytest.approx(2.0)
    np.testing.assert_allclose(c, 0.0, atol=1e-15)
    with pytest.raises(InputError, match="a plane encloses nothing"):
        solid_of(Shape("a", "plane"))


def test_what_is_seen_and_what_touches_weigh_once(tmp_path):
    builder = lw.Builder("block").body("b", mass=1.0, inertia=0.1).joint("h", "revolute", "world", "b")
    block = builder.shape("b", "box", size=[0.1, 0.2, 0.3]).build()
    block.save(tmp_path / "b.urdf")
    again = lw.load(tmp_path / "b.urdf")
    assert [shape.use for shape in again.shapes] == ["visual", "collision"]
    for given in ({}, {"use": "visual"}, {"use": "collision"}):
        assert mass_properties(again.shapes, density=7800.0, **given).mass == pytest.approx(46.8)
        assert mass_properties(block.shapes, density=7800.0, **given).mass == pytest.approx(46.8)
    assert mass_properties(again.shapes, density=7800.0, use="all").mass == pytest.approx(93.6)
    for given, message in (
        ({"use": "both"}, "use is 'all', 'visual' or 'collision'; got 'both'"),
        ({"scale": 0.001}, "scale is for a mesh file; shapes have their own scale"),
        ({"scale": -1}, "scale is for a mesh file"),
    ):
        with pytest.raises(InputError, match=message):
            mass_properties(again.shapes, density=1.0, **given)
    with pytest.raises(InputError, match="none of these shapes is for 'visual': all are for 'collision'"):
        mass_properties([again.shapes[1]], density=1.0, use="visual")


def test_an_stl_file_of_another_length_is_reported(tmp_path):
    whole = binary_stl(CORNERS, FACES)
    for data, message in (
        (whole[:-1], r"it has 683 bytes, and its header says 12 triangles, 684 bytes"),
        (b"solid" + whole[5:300], r"it has 300 bytes, and its header says 12 triangles, 684 bytes"),
        (whole[:50], r"it has 50 bytes, and its header takes 84"),
        (binary_stl(CORNERS, FACES[:9])[:84] + whole[84:], r"it has 684 bytes, and its header says 9 triangles, 534"),
        (b"\0" * 84 + whole[84:], r"it has 684 bytes, and its header says 0 triangles, 84 bytes"),
    ):
        (tmp_path / "b.stl").write_bytes(data)
        with pytest.raises(FormatError, match=message):
            read_mesh(tmp_path / "b.stl")
    for more in (b"end of file", b"\0" * 1000):
        (tmp_path / "b.stl").write_bytes(whole + more)
        assert len(read_mesh(tmp_path / "b.stl").faces) == 12


def test_an_msh_file_of_another_length_is_reported(tmp_path):
    whole = msh(CORNERS, FACES)
    for data in (whole[:-1], whole + b"\0", whole[:10], struct.pack("<i", -1) + whole[4:]):
        (tmp_path / "b.msh").write_bytes(data)
        with pytest.raises(FormatError, match=f"it has {len(data)} bytes, and its header says"):
            read_mesh(tmp_path / "b.msh")


def test_an_obj_file_may_have_tabs_and_spaces_before_its_words(tmp_path):
    text = b"mtllib\tpaint.mtl\n" + obj(CORNERS, FACES).replace(b"mtllib /etc/passwd", b"usemtl red")
    (tmp_path / "paint.mtl").write_text("newmtl\tred\n\tKd\t1 0 0\n")
    path = tmp_path / "block.obj"
    for data in (text.replace(b" ", b"\t"), text.replace(b"\n", b"\r\n \t")):
        path.write_bytes(data)
        assert mass_properties(path, density=1.0).volume == pytest.approx(6.0)
        (paint,) = painted_of(Shape("a", "mesh", file=str(path)))[0].paints
        assert paint.color == (1.0, 0.0, 0.0, 1.0)


def test_where_meshes_are_found(tmp_path, monkeypatch):
    block = binary_stl(CORNERS, FACES)
    for place in ("ws/arm/meshes/b.stl", "ws/arm/urdf/c.stl", "ros/share/other/d.stl"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(block)
    folders = (str(tmp_path / "ws" / "arm" / "urdf"),)

    def found(file):
        return mesh_file(Shape("a", "mesh", file=file, folders=folders)).resolve().relative_to(tmp_path).as_posix()

    assert found("c.stl") == "ws/arm/urdf/c.stl"
    assert found("../meshes/b.stl") == "ws/arm/meshes/b.stl"
    assert found("package://arm/meshes/b.stl") == "ws/arm/meshes/b.stl"
    assert found("package:///arm/meshes/b.stl") == "ws/arm/meshes/b.stl"
    assert found(f"file://{tmp_path}/ws/arm/meshes/b.stl") == "ws/arm/meshes/b.stl"
    with pytest.raises(MissingFileError, match=r"there is no mesh package://other/d\.stl; looked for .*other/d"):
        found("package://other/d.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    assert found("package://other/d.stl") == "ros/share/other/d.stl"


def test_packages_of_load_count_for_meshes(tmp_path):
    (tmp_path / "else" / "arm").mkdir(parents=True)
    (tmp_path / "else" / "arm" / "b.stl").write_bytes(binary_stl(CORNERS, FACES))
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="arm/b.stl"/></geometry></visual></link>'
        "</robot>"
    )
    shape = lw.load(tmp_path / "r.urdf", packages=[tmp_path / "else"]).shapes[0]
    assert len(mesh_of(shape).faces) == 12


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.step", b"", r"meshes are read from \.stl, \.obj, \.dae, \.msh; this is '\.step'"),
        ("a.stl", b"", "a.stl cannot be read as a mesh|a.stl has no triangles"),
        ("a.stl", b"solid nothing\nendsolid\n", "a.stl"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 1000) + b"\0" * 50, "a.stl cannot be read as a mesh"),
        ("a.obj", b"v 1 2\nf 1 2 3\n", "a.obj"),
        ("a.obj", b"v 0 0\nv 1 0\nv 0 1\nv 1 1\nf 1 2 3\nf 2 3 4\n", "corners have 2 numbers each; expected 3"),
        ("a.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "its vertices are not all finite"),
        ("a.dae", b"<COLLADA", "a.dae"),
        ("a.dae", b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "DOCTYPE and entities are not allowed"),
        ("a.dae", b"<x/>", "a.dae"),
    ],
)
def test_what_is_wrong_with_a_mesh_is_reported(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_mesh(tmp_path / name)


def test_nothing_is_printed_of_a_bad_mesh(tmp_path):
    """trimesh logs the traceback of its own error, which Python prints where no program has set up logging."""
    text = "solid a\nfacet normal 0 0 x\nouter loop\nvertex 0 0\nendloop\nendfacet\nendsolid\n"
    (tmp_path / "a.stl").write_text(text)
    program = "import linkwright.formats.meshes.reading as m, linkwright.errors as e\n"
    program += "try: m.read_mesh('a.stl')\nexcept e.FormatError: pass"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_mesh_of_no_size_that_numbers_can_tell(tmp_path):
    (tmp_path / "tiny.obj").write_bytes(obj(CORNERS * 1e-320, FACES))
    with warnings.catch_warnings(action="error"), pytest.raises(FormatError, match="encloses no volume"):
        mass_properties(tmp_path / "tiny.obj", density=1.0)


def test_a_mesh_whose_name_no_file_can_have_is_missing(tmp_path):
    for name in ("a" * 300 + ".stl", "package://" + "b" * 300 + "/c.stl", "c\0.stl"):
        with pytest.raises(MissingFileError, match="there is no mesh"):
            mesh_file(Shape("b", "mesh", file=name, folders=(str(tmp_path),)))


def test_bounds(tmp_path, monkeypatch):
    (tmp_path / "b.stl").write_bytes(binary_stl(CORNERS, FACES))
    monkeypatch.setattr(meshes, "MAX_FACES", 11)
    with pytest.raises(FormatError, match=r"b\.stl has 12 triangles; up to 11 are read"):
        read_mesh(tmp_path / "b.stl")
    with pytest.raises(FormatError, match="is a directory"):
        read_mesh(_folder(tmp_path / "c.stl"))
    with pytest.raises(MissingFileError):
        read_mesh(tmp_path / "d.stl")


def _folder(path):
    path.mkdir()
    return path


def test_numbers_that_cannot_be_used(tmp_path):
    for given in ({}, {"density": 1.0, "mass": 1.0}):
        with pytest.raises(InputError, match="give either density in kg/m³ or mass in kg"):
            mass_properties("a.stl", **given)
    with pytest.raises(InputError, match="density is above zero; got -1"):
        mass_properties("a.stl", density=-1.0)
    with pytest.raises(InputError, match="the scale of a mesh is three finite numbers other than zero"):
        mass_properties("a.stl", density=1.0, scale=0.0)
    with pytest.raises(InputError, match="several bodies"):
        mass_properties([Shape("a", "sphere", radius=1.0), Shape("b", "sphere", radius=1.0)], density=1.0)
