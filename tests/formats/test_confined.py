"""Hostile files: what reads them may crash, hang or want all memory; nobody else notices."""

from __future__ import annotations

import io
import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError, FormatWarning, InputError
from linkwright.formats import confined as process
from linkwright.formats.confined import confined
from linkwright.formats.mjcf import read_mjcf

HERE = Path(__file__).parent
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="a"/></robot>'
POSIX = pytest.mark.skipif(os.name == "nt", reason="limits of memory and pipes are those of POSIX")


def mjcf(tmp_path, inside):
    pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    path = tmp_path / "hostile.xml"
    path.write_text(f"<mujoco>{inside}</mujoco>")
    return path


def xacro(tmp_path, inside):
    pytest.importorskip("xacrodoc", reason="xacro files need the extra xacro")
    path = tmp_path / "package" / "hostile.xacro"
    path.parent.mkdir(exist_ok=True)
    path.write_text(XACRO.format(inside))
    return path


def test_a_file_says_the_same_in_both_processes():
    pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        apart, here = lw.load(HERE / "mjcf" / "loops.xml"), read_mjcf(HERE / "mjcf" / "loops.xml", trusted=True)
    assert repr(apart.description) == repr(here.description)
    q = here.random(seed=0)
    np.testing.assert_array_equal(lw.dynamics.mass_matrix(apart, q), lw.dynamics.mass_matrix(here, q))


@POSIX
@pytest.mark.parametrize(
    "inside",
    [
        '<asset><hfield name="h" nrow="2147483647" ncol="2147483647" size="1 1 1 1"/></asset>',
        '<asset><hfield name="h" nrow="46000" ncol="46000" size="1 1 1 1"/></asset>',
    ],
    ids=["crash", "memory"],
)
def test_what_kills_its_reader_is_refused(tmp_path, inside):
    path = mjcf(tmp_path, inside)
    with pytest.raises(FormatError, match=r"hostile\.xml: .*(signal|memory)"):
        lw.load(path)


@POSIX
def test_what_takes_for_ever_is_ended(tmp_path):
    path = mjcf(tmp_path, '<worldbody><replicate count="100000000"><geom size=".1"/></replicate></worldbody>')
    with pytest.raises(FormatError, match=r"hostile\.xml: .*(time was up|more than 1 s|memory)"):
        confined("mjcf", str(path), seconds=1.0)


@POSIX
def test_a_pipe_is_no_robot_file(tmp_path):
    for name in ("pipe.xml", "pipe.urdf", "pipe.xacro", "pipe.txt"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(FormatError, match=f"{name} is a pipe"):
            lw.load(tmp_path / name)


def test_xacro_opens_files_of_its_packages_only(tmp_path):
    path = xacro(tmp_path, '<xacro:include filename="../other/more.xacro"/>')
    more = tmp_path / "other" / "more.xacro"
    more.parent.mkdir()
    more.write_text(XACRO.format('<link name="b"/>'))
    with pytest.raises(FormatError, match="not in the folders of the packages given"):
        lw.load(path)
    text = process.confined("xacro", str(path), str(more.parent))
    assert '<link name="b"/>' in text


@pytest.mark.parametrize("inside", ["$(env SECRET_OF_MINE)", "${xacro.load_yaml('/etc/hostname')}"])
def test_xacro_sees_neither_the_environment_nor_other_files(tmp_path, monkeypatch, inside):
    monkeypatch.setenv("SECRET_OF_MINE", "seen")
    with pytest.raises(FormatError, match=r"SECRET_OF_MINE|not in the folders"):
        lw.load(xacro(tmp_path, f'<link name="{inside}"/>'))


def test_formats_restrict(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text("<mujoco/>")
    with pytest.raises(FormatError, match=r"r\.xml is mjcf; allowed is urdf"):
        lw.load(path, formats=("urdf",))
    with pytest.raises(InputError, match="formats is a list of some of 'urdf', 'xacro', 'mjcf'"):
        lw.load(path, formats="urdf")
    assert lw.load(HERE / "robots" / "arm.urdf", formats=("urdf",)).nq == 3


def test_odd_arguments_are_told(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    for wrong in ({"trusted": "no"}, {"packages": 3}, {"packages": "x"}, {"formats": 3}, {"formats": ["step"]}):
        with pytest.raises(lw.errors.LinkwrightError, match=next(iter(wrong))):
            lw.load(path, **wrong)
    with pytest.raises(lw.errors.ArgumentError, match="name or goes on from a Model"):
        lw.Builder(None)


def test_an_answer_holds_descriptions_only():
    class Evil:
        def __reduce__(self):
            return os.getenv, ("PATH",)

    with pytest.raises(pickle.UnpicklingError, match="does not belong here"):
        process._Plain(io.BytesIO(pickle.dumps(Evil()))).load()
