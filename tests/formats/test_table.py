"""A file format is one row of one table."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import linkwright as lw
from linkwright.cli.shell.installing import _suffixes
from linkwright.errors import ArgumentError, FormatError
from linkwright.formats.table import FORMATS, FileFormat, _function, format_of, suffixes, written_format
from linkwright.formats.writing import Losses
from linkwright.model.build.assembly import assemble, described


@pytest.mark.parametrize("name", FORMATS)
def test_every_row_names_functions_that_exist(name):
    row = FORMATS[name]
    assert row.name == name
    assert callable(_function(row.reader))
    assert bool(row.writer) == bool(row.written)
    assert not row.writer or callable(_function(row.writer))
    assert row.suffixes or row.root_element


def test_suffixes_are_of_one_format_each():
    for of in (suffixes(), [suffix for row in FORMATS.values() for suffix in row.written]):
        assert len(set(of)) == len(of)
    assert all(format_of(f"robot{suffix}") is row for row in FORMATS.values() for suffix in row.suffixes)


def test_what_is_expected_is_listed_from_the_table(tmp_path):
    with pytest.raises(
        ArgumentError, match=r"as \.urdf \(URDF\), \.xml, \.mjcf \(MJCF\), \.sdf \(SDF\) or \.ztk \(ZTK\)"
    ):
        written_format("robot.stl")
    (tmp_path / "robot.xml").write_text("<html/>")
    with pytest.raises(FormatError, match=r"is <html>; expected <robot> \(URDF\), <mujoco> \(MJCF\) or <sdf> \(SDF\)"):
        lw.load(tmp_path / "robot.xml")


def test_a_format_is_added_by_one_row(monkeypatch, tmp_path):
    """A format of a name and a built-in mechanism of that name: read, written, offered by the shell, refused."""
    module = ModuleType("linkwright.formats.named_only")
    module.read = lambda path, root: assemble(described(lw.load(Path(path).read_text())).rooted(root))
    module.text = lambda description, path: (description.name, Losses(path, "names"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = FileFormat("names", "Names", "named_only:read", (".name",), writer="named_only:text", written=(".name",))
    monkeypatch.setitem(FORMATS, "names", row)
    arm = lw.load("two_link")
    path = arm.save(tmp_path / "robot.name")
    assert path.read_text() == arm.name
    assert lw.load(path, formats=["names"]).joints == arm.joints
    assert "name" in _suffixes().split("|")
    with pytest.raises(FormatError, match=r"is names; allowed is urdf"):
        lw.load(path, formats=["urdf"])
    with pytest.raises(ArgumentError, match=r"or \.name \(Names\)"):
        arm.save(tmp_path / "robot.stl")
