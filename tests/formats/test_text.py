"""Robots from the text of a file, and folders of packages by name."""

import io
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli import main
from linkwright.errors import ArgumentError, FormatError, InputError, UnknownNameError
from linkwright.formats import load as loading
from linkwright.formats.meshes.reading import mesh_file, missing_meshes

MESH = (
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
)
URDF = """<?xml version="1.0" encoding="latin-1"?>
<robot name="Käfer">
  <link name="a"/>
  <link name="b">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://beetle/meshes/leg.stl"/></geometry></visual>
  </link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
</robot>
"""
MJCF = """<mujoco>
  <worldbody><body name="b"><joint name="h"/><geom size="0.1"/></body></worldbody>
</mujoco>
"""


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
def test_the_text_of_a_file_is_the_robot_of_the_file(tmp_path, suffix):
    if suffix == "xml":
        pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    path = lw.load("two_link").with_gravity((0.0, 0.0, -9.81)).save(tmp_path / f"arm.{suffix}")
    q = [0.3, -0.7]
    expected = lw.mass_matrix(lw.load(path), q)
    text = path.read_text(encoding="utf-8")
    assert np.array_equal(lw.mass_matrix(lw.load(text), q), expected)
    assert lw.load(text, root="fixed").name == lw.load(path).name


def test_a_text_may_begin_with_blank_lines_and_declares_any_encoding():
    for before in ("", "\n\n  ", "\ufeff"):
        assert lw.load(before + URDF).name == "Käfer"
    wrong = "\n" + URDF.replace("continuous", "contineous")
    with pytest.raises(FormatError, match=r"^<text>:9:3: joint 'j': unknown type 'contineous'"):
        lw.load(wrong)


@pytest.mark.usefixtures("in_children")
def test_mjcf_texts_are_read_in_a_process_or_here():
    pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    confined, here = lw.load(MJCF), lw.load(MJCF, trusted=True)
    assert confined == here
    assert confined.name == "robot"
    with pytest.raises(FormatError, match=r"^<text>:2: .*worldbdy"):
        lw.load(MJCF.replace("worldbody", "worldbdy"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("joint_limits:\n  a: 1\n", r"the text is no XML: it begins with 'joint_limits: a: 1'"),
        ("String value is: <robot/>", r"does not begin with '<', as XML does, but with 'String value is: <robot/>'"),
        ("data: '<?xml version=\"1.0\"?><robot/>'", r"remove what precedes '<'"),
        ("<robot", r"^<text>:1:1: not well-formed XML"),
        ("<urdf/>", r"^<text>: the root element is <urdf>; expected <robot> \(URDF\)"),
        ("<robot name='r'>\n<link/>\n</robot>", r"^<text>:2:1: the name of <link> is missing"),
        ("<robot><link name='a'/><xacro:m/></robot>", r"is xacro: expand the file first"),
    ],
)
def test_texts_that_are_no_robot_are_explained(text, message):
    with pytest.raises(FormatError, match=message):
        lw.load(text)


def test_a_name_is_no_text():
    with pytest.raises(UnknownNameError, match=r"unknown file or built-in mechanism 'two_lnk'"):
        lw.load("two_lnk")


def test_the_formats_and_the_size_of_texts_are_limited(monkeypatch):
    with pytest.raises(FormatError, match="the text is urdf; allowed is sdf"):
        lw.load(URDF, formats=("sdf",))
    monkeypatch.setattr(loading, "MAX_BYTES", 100)
    with pytest.raises(FormatError, match="the text is longer than"):
        lw.load(URDF)


def test_a_package_has_the_folder_that_is_given_for_its_name(tmp_path):
    leg = tmp_path / "somewhere" / "meshes" / "leg.stl"
    leg.parent.mkdir(parents=True)
    leg.write_text(MESH)
    assert missing_meshes(lw.load(URDF)) == ["package://beetle/meshes/leg.stl"]
    found = lw.load(URDF, packages={"beetle": tmp_path / "somewhere", "other": tmp_path})
    assert mesh_file(found.shapes[0]) == leg
    three = URDF.replace("package://", "package:///")  # as in files of Talos
    assert mesh_file(lw.load(three, packages={"beetle": tmp_path / "somewhere"}).shapes[0]) == leg
    found.save(tmp_path / "beetle.urdf")
    assert missing_meshes(lw.load(tmp_path / "beetle.urdf")) == []
    assert missing_meshes(lw.load(URDF, packages={"bee": tmp_path})) == ["package://beetle/meshes/leg.stl"]


def test_packages_that_are_no_folders_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder '.*nowhere', which is given for 'beetle'"):
        lw.load(URDF, packages={"beetle": tmp_path / "nowhere"})
    with pytest.raises(InputError, match="a package has a name without slashes; got 'a/b'"):
        lw.load(URDF, packages={"a/b": tmp_path})
    for wrong in ("folder", [3], {"beetle": 3}, 5):
        with pytest.raises(ArgumentError, match="a list of folders, or a mapping of names of packages to folders"):
            lw.load(URDF, packages=wrong)


def test_xacro_finds_a_package_by_the_name_that_is_given(tmp_path):
    pytest.importorskip("xacrodoc", reason="xacro files need the extra xacro")
    robot = tmp_path / "one" / "robot.xacro"
    more = tmp_path / "elsewhere" / "more.xacro"
    for path, text in ((robot, '<xacro:include filename="$(find parts)/more.xacro"/>'), (more, '<link name="a"/>')):
        path.parent.mkdir()
        path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{text}</robot>')
    with pytest.raises(FormatError, match="parts"):
        lw.load(robot)
    assert "a" in lw.load(robot, packages={"parts": more.parent}).frames


class Piped:
    """A standard input that a program fills."""

    def __init__(self, data):
        self.buffer = io.BytesIO(data)

    def isatty(self):
        return False


def test_commands_read_a_robot_from_the_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Piped(URDF.encode()))
    with pytest.raises(SystemExit) as stop:
        main(["info", "--no-operations", "-"])
    assert stop.value.code == 0
    assert "Käfer: 1 moving body" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the standard input is empty; expected the text of a robot file; example: ros2 param get"),
        (b"\xff\xfe", "the standard input is not UTF-8 text"),
        (b"a: 1\nb: 2\n", "the text is no XML: it begins with 'a: 1 b: 2'"),
    ],
)
def test_a_standard_input_that_is_no_robot_is_explained(monkeypatch, capsys, data, message):
    monkeypatch.setattr(sys, "stdin", Piped(data))
    with pytest.raises(SystemExit) as stop:
        main(["info", "-"])
    assert stop.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_terminal_is_no_robot(monkeypatch, capsys):
    monkeypatch.setattr(Piped, "isatty", lambda self: True)
    monkeypatch.setattr(sys, "stdin", Piped(b""))
    with pytest.raises(SystemExit):
        main(["info", "-"])
    assert "nothing is piped into it" in capsys.readouterr().err
