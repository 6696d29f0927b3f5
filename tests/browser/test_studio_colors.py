"""Colors and pictures that files of meshes bring."""

import io
import os
import warnings
import zlib
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("trimesh")
pytest.importorskip("collada")

import linkwright as lw
from linkwright.browser.view.pictures import glb
from linkwright.browser.view.solids import PLAIN, solids_of
from linkwright.errors import FormatWarning
from linkwright.formats.meshes.materials import MOST_PAINTS
from linkwright.formats.meshes.reading import painted_of
from linkwright.model.parts.shape import Shape
from linkwright.visual.drawing.skin import skin

RED, BLUE, GIVEN = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)
BOTTOM, TOP = (255, 200, 0), (0, 40, 255)
"""of the picture"""

OBJ = """mtllib paint.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl first
f 1/1 2/2 3/3
f 1/1 3/3 4/4
usemtl second
f 1/1 2/2 5/4
"""
MTL = "newmtl first\nKd 1 0 0\nnewmtl second\nKd 0 0 1\nd 0.5\n"

DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified><unit meter="0.5"/></asset>
<library_images><image id="i"><init_from>{picture}</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><lambert><diffuse>{diffuse}</diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="m" name="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="v"><float_array id="va" count="12">0 0 0 2 0 0 2 2 0 0 2 0</float_array><technique_common>
<accessor source="#va" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<source id="u"><float_array id="ua" count="8">0 0 1 0 1 1 0 1</float_array><technique_common>
<accessor source="#ua" count="4" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor>
</technique_common></source>
<vertices id="p"><input semantic="POSITION" source="#v"/></vertices>
<triangles count="2" material="k"><input semantic="VERTEX" source="#p" offset="0"/>
<input semantic="TEXCOORD" source="#u" offset="1" set="0"/><p>0 0 1 1 2 2 0 0 2 2 3 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="k" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""
PICTURED = '<texture texture="t" texcoord="UV"/>'


def picture(path):
    """Of 64 × 64 pixels, its upper half in one color and its lower half in another."""
    from PIL import Image

    pixels = np.zeros((64, 64, 3), dtype=np.uint8)
    pixels[:32], pixels[32:] = TOP, BOTTOM
    Image.fromarray(pixels).save(path)


@pytest.fixture
def obj(tmp_path):
    (tmp_path / "mesh.obj").write_text(OBJ)
    (tmp_path / "paint.mtl").write_text(MTL)
    return tmp_path / "mesh.obj"


@pytest.fixture
def dae(tmp_path):
    (tmp_path / "mesh.dae").write_text(DAE.format(picture="cover.png", diffuse=PICTURED))
    picture(tmp_path / "cover.png")
    return tmp_path / "mesh.dae"


def of(path, **given):
    return Shape("rod", "mesh", file=str(path), **given)


def robot(path, material=""):
    """A URDF of one link that looks like a mesh."""
    urdf = path.with_suffix(".urdf")
    urdf.write_text(
        '<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        f'izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="{path.name}"/></geometry>'
        f'{material}</visual></link><joint name="j" type="continuous"><parent link="base"/><child link="rod"/></joint>'
        "</robot>"
    )
    return lw.load(urdf)


def looks(model):
    """The colors and opacities of what is shown on the moving body."""
    return {(solid.color, solid.opacity) for solid in solids_of(model).solids if solid.body == 0}


def described(model):
    """Return the warnings of drawing a robot, and the colors drawn."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        found = solids_of(model)
    assert all(issubclass(note.category, FormatWarning) for note in notes)
    return [str(note.message) for note in notes], [solid for solid in found.solids if solid.body == 0]


def test_an_obj_has_the_colors_of_its_mtl(obj):
    read, folder = painted_of(of(obj))
    assert folder == str(obj.parent)
    assert sorted(read.paints[k].color for k in read.paint) == [(*BLUE, 0.5), (*RED, 1.0), (*RED, 1.0)]
    assert looks(robot(obj)) == {((255, 0, 0), 1.0), ((0, 0, 255), 0.5)}


def test_pieces_are_the_whole_mesh(obj):
    """Cut by color, nothing is lost and nothing is twice."""
    areas = []
    for solid in solids_of(robot(obj)).solids:
        if solid.body == 0:
            A, B, C = (solid.mesh.vertices[solid.mesh.faces[:, k]] for k in range(3))
            areas.append(0.5 * np.linalg.norm(np.cross(B - A, C - A), axis=1).sum())
    assert np.allclose(sorted(areas), [0.5, 1.0])


GREEN = '<material name="green"><color rgba="0 1 0 1"/></material>'


def test_whose_color_is_shown(obj):
    """A URDF's is for meshes that have none, as in RViz; of others the shape's goes first; MuJoCo takes none."""
    assert looks(robot(obj, GREEN)) == {((255, 0, 0), 1.0), ((0, 0, 255), 0.5)}
    (obj.parent / "paint.mtl").unlink()
    os.utime(obj, ns=(2, 2))  # it is read again
    with pytest.warns(FormatWarning, match=r"paint\.mtl"):
        assert looks(robot(obj, GREEN)) == {((0, 255, 0), 1.0)}
    (obj.parent / "paint.mtl").write_text(MTL)
    os.utime(obj, ns=(1, 1))
    assert painted_of(of(obj, color=GIVEN))[0].paints == ()
    assert len(painted_of(of(obj, color=GIVEN, file_colors="first"))[0].paints) == 2
    assert painted_of(of(obj, file_colors="never"))[0].paints == ()


def test_grays_that_nobody_chose_give_way(obj):
    (obj.parent / "paint.mtl").write_text("newmtl first\nKd 0.64 0.64 0.64\nnewmtl second\nKd 0.64 0.64 0.64\n")
    assert looks(robot(obj, GREEN)) == {((0, 255, 0), 1.0)}
    assert looks(robot(obj)) == {((163, 163, 163), 1.0)}


def test_mujoco_takes_triangles_alone(obj):
    pytest.importorskip("mujoco")
    (obj.parent / "closed.obj").write_text(OBJ + "f 1 3 5\nf 2 5 3\n")
    path = obj.with_suffix(".xml")
    path.write_text(
        '<mujoco><asset><mesh name="m" file="closed.obj" inertia="shell"/></asset><worldbody><body name="rod">'
        '<joint/><geom type="mesh" mesh="m" rgba="0 1 0 1"/></body></worldbody></mujoco>'
    )
    assert looks(lw.load(path)) == {((0, 255, 0), 1.0)}


def test_a_picture_lies_on_its_mesh_as_the_file_says(dae):
    import trimesh

    notes, (solid,) = described(robot(dae))
    assert notes == []
    assert np.ptp(solid.mesh.vertices, axis=0).tolist() == [1.0, 1.0, 0.0]  # in its unit
    assert solid.picture is not None
    below = solid.mesh.vertices[:, 1] < 0.5
    assert np.allclose(solid.picture.uv[:, 1], np.where(below, 0.0, 1.0))
    read = trimesh.load(io.BytesIO(glb(solid.mesh, solid.picture)), file_type="glb", process=False)
    (mesh,) = read.geometry.values()
    pixels = np.asarray(mesh.visual.material.baseColorTexture.convert("RGB")).astype(int)
    lower = np.asarray(mesh.vertices)[:, 1] < 0.5
    rows = np.clip(((1.0 - np.asarray(mesh.visual.uv)[:, 1]) * 64).astype(int), 0, 63)
    assert np.abs(pixels[rows[lower], 5] - BOTTOM).max() < 12  # it is packed with losses
    assert np.abs(pixels[rows[~lower], 5] - TOP).max() < 12


def test_drawn_pictures_have_the_colors_too(obj, dae):
    drawn = skin(robot(obj))
    assert {tuple(color) for color in drawn.colors.tolist()} == {RED, BLUE}
    assert set(drawn.opacity.tolist()) == {1.0, 0.5}
    drawn = skin(robot(dae))  # a triangle has the tone of its middle: of two, one is in each half
    assert {tuple(round(255 * x) for x in color) for color in drawn.colors.tolist()} == {BOTTOM, TOP}


def bomb(path):
    """A PNG of a few bytes that says it is 40000 × 40000."""

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    side = (40_000).to_bytes(4, "big")
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", side + side + bytes([8, 2, 0, 0, 0])) + chunk(b"IDAT", zlib.compress(b""))
    )


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda place: place.unlink(), "there is no 'cover.png'"),
        (lambda place: place.write_bytes(b"not a picture"), "cannot be read as a picture"),
        (lambda place: place.write_bytes(place.read_bytes()[:60]), "cannot be read as a picture"),
        (bomb, "cannot be read as a picture|pixels"),
        (lambda place: (place.unlink(), os.mkfifo(place)), "there is no 'cover.png'"),
        (lambda place: (place.unlink(), place.mkdir()), "there is no 'cover.png'"),
    ],
    ids=["missing", "text", "cut", "bomb", "pipe", "folder"],
)
def test_what_is_no_picture_leaves_the_plain_color_and_a_note(dae, make, reason):
    import re

    make(dae.parent / "cover.png")
    notes, (solid,) = described(robot(dae))
    assert len(notes) == 1
    assert re.search(reason, notes[0])
    assert solid.picture is None
    assert solid.color == PLAIN
    with pytest.warns(FormatWarning, match=reason):
        assert np.isnan(skin(robot(dae)).colors).all()  # the body's own


@pytest.mark.parametrize("named", ["/etc/hostname", "../../../../etc/hostname", "file:///etc/shadow", "C:\\x\\y.doc"])
def test_only_pictures_are_read(dae, named):
    dae.write_text(DAE.format(picture=named, diffuse=PICTURED))
    notes, (solid,) = described(robot(dae))
    assert "is not one of .png" in notes[0]
    assert solid.picture is None


@pytest.mark.parametrize("named", ["C:\\Users\\me\\cover.png", "/home/me/cover.png", "file:///home/me/cover.png"])
def test_a_place_on_another_machine_is_looked_for_beside_the_mesh(dae, named):
    dae.write_text(DAE.format(picture=named, diffuse=PICTURED))
    notes, (solid,) = described(robot(dae))
    assert notes == []
    assert solid.picture is not None


def test_materials_without_end_and_nonsense_leave_the_plain_color(obj):
    n = 3 * MOST_PAINTS
    obj.write_text(OBJ.partition("usemtl")[0] + "".join(f"usemtl m{k}\nf 1 2 {3 + k % 3}\n" for k in range(n)))
    (obj.parent / "paint.mtl").write_text("".join(f"newmtl m{k}\nKd {k / n} nan 0\n" for k in range(n)))
    assert painted_of(of(obj))[0].paints == ()  # nan is no color
    (obj.parent / "paint.mtl").write_text("".join(f"newmtl m{k}\nKd {k / n} 0 0\n" for k in range(n)))
    os.utime(obj, ns=(1, 1))
    read = painted_of(of(obj))[0]
    assert len(read.paints) == MOST_PAINTS
    assert len(read.faces) == n
    assert "more than" in read.notes[0]


def test_a_wrong_word_for_whose_colors_is_reported():
    (problem,) = replace(of("a.obj"), file_colors="always").problems()
    assert "'first', 'else', 'never'" in problem
