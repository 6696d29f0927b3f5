"""Hostile files: what reads them may crash, hang or want all memory; nobody else notices."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError, FormatWarning, InputError
from linkwright.formats.findings import assembled
from linkwright.formats.isolation import child_process as process
from linkwright.formats.isolation.child_process import confined
from linkwright.formats.isolation.process_results import decoded, encoded
from linkwright.formats.mjcf import read_mjcf
from linkwright.model.build.description import BodySpec, Description, FrameSpec, JointSpec, Mimic
from linkwright.model.joints.joint import JOINT_TYPES, Compound, JointPart, Revolute, nested
from linkwright.model.joints.loop import LOOP_TYPES, CoordinateLoop, Loop
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.shape import Shape
from linkwright.model.parts.spring import Spring

HERE = Path(__file__).parent
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="a"/></robot>'
pytestmark = pytest.mark.usefixtures("in_children")
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
    text = process.confined("xacro", str(path), "{}", str(more.parent))
    assert '<link name="b"/>' in text


@pytest.mark.parametrize("inside", ["$(env SECRET_OF_MINE)", "${xacro.load_yaml('/etc/hostname')}"])
def test_xacro_sees_neither_the_environment_nor_other_files(tmp_path, monkeypatch, inside):
    monkeypatch.setenv("SECRET_OF_MINE", "seen")
    with pytest.raises(FormatError, match=r"SECRET_OF_MINE|not in the folders"):
        lw.load(xacro(tmp_path, f'<link name="{inside}"/>'))


def test_a_quote_that_is_not_closed_in_the_parameters_of_a_macro_takes_no_time(tmp_path):
    """The time of the search in xacro doubled with each letter of the default value."""
    macro = '<xacro:macro name="m" params="{}"><link name="${{x}}"/></xacro:macro>{}'
    closed = xacro(tmp_path, macro.format(f"x:='{'a' * 40}' y:=b", "<xacro:m/>"))
    assert f'<link name="{"a" * 40}"/>' in process.confined("xacro", str(closed), "{}", seconds=10.0)
    open_one = xacro(tmp_path, macro.format(f"x:={'a' * 40}' y:=b", "<xacro:m/>"))
    with pytest.raises(FormatError, match=r"a{40}'"):
        process.confined("xacro", str(open_one), "{}", seconds=10.0)


def test_formats_restrict(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text("<mujoco/>")
    with pytest.raises(FormatError, match=r"r\.xml is mjcf; allowed is urdf"):
        lw.load(path, formats=("urdf",))
    with pytest.raises(InputError, match="formats is a list of some of 'urdf', 'xacro', 'mjcf'"):
        lw.load(path, formats="urdf")
    assert lw.load(HERE / "robots" / "arm.urdf", formats=("urdf",)).nq == 3


def test_odd_arguments_are_reported(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    for wrong in ({"trusted": "no"}, {"packages": 3}, {"packages": "x"}, {"formats": 3}, {"formats": ["step"]}):
        with pytest.raises(lw.errors.LinkwrightError, match=next(iter(wrong))):
            lw.load(path, **wrong)
    with pytest.raises(lw.errors.ArgumentError, match="needs a name or a Model"):
        lw.Builder(None)


DESCRIBED = process.DESCRIBED


def a_description():
    """Something of every class that a child's result may hold."""
    I = nested(np.eye(4))
    base = [BodySpec("\udcff", mass=1.0, inertia=np.eye(3))]
    motions = [
        *(kind() for kind in JOINT_TYPES if kind is not Compound),
        Compound((JointPart(I, Revolute(), "a"),), I),
        None,
    ]
    joints = [JointSpec(f"j{k}", "world", "b", motion) for k, motion in enumerate(motions)]
    more = JointSpec("limited", "world", "b", Revolute(), lower=-np.inf, upper=np.array([1.0]), mimic=Mimic("j0", 2.0))
    numbers = {"helical": (1.0,), "distance": (1.0,), "mask": (("x", "rz"),)}
    loops = [Loop(name, "f", "f", kind(*numbers.get(name, ()))) for name, kind in LOOP_TYPES.items()]
    mesh = Shape(
        "b", "mesh", vertices=np.eye(3), faces=np.array([[0, 1, 2]], dtype=np.int32), color=(0.0, 0.0, 1.0, 1.0)
    )
    return Description(
        "r",
        tuple(base),
        (*joints, more),
        (FrameSpec("f", "b"),),
        (*loops, CoordinateLoop("c", "j0", "", (1.0, 2.0))),
        springs=(Spring("s", ("f", "f"), length=(0.0, np.inf)),),
        shapes=(mesh,),
        pairs=(Pair(0, 0, stiffness=np.float64(3.0)),),
        excluded=(("b", "b"),),
    )


def test_a_result_is_decoded_as_it_was():
    description = a_description()
    found, remarks = decoded(encoded((description, ["a", "ü"])), DESCRIBED)
    assert found == description
    assert remarks == ["a", "ü"]
    assert type(found.pairs[0].stiffness) is float
    assert found.shapes[0].faces.dtype == np.int32
    assert not found.bodies[0].inertia.flags.writeable


def test_a_result_that_is_not_of_the_declared_type_is_refused():
    good = encoded((a_description(), ["a"]))
    head, _, arrays = good.partition(b"\n")
    plain = json.loads(head)
    for wrong in (
        b"",
        b"\n",
        b"\xff\n",
        b"[" * 100_000 + b"\n",
        head,
        good[:-1],
        pickle.dumps(("result", ("r", []))),
        b'["os.system","touch x"]\n',
        b'["list"]\n',
        encoded((a_description(), ["a", 3])),
        encoded((a_description().bodies[0], [])),
        json.dumps(plain).replace('"BodySpec"', '"JointSpec"').encode() + b"\n" + arrays,
        json.dumps(plain).replace("<f8", "|O8").encode() + b"\n" + arrays,
        json.dumps(plain).replace("[3, 3]", "[9]").encode() + b"\n" + arrays,
        json.dumps(plain).replace("[3, 3]", "[-3, -3]").encode() + b"\n" + arrays,
        json.dumps(plain).replace("[3, 3]", f"[{10**300}, 3]").encode() + b"\n" + arrays,
    ):
        with pytest.raises(FormatError, match="malformed result of a child process"):
            decoded(wrong, DESCRIBED)
    with pytest.raises(FormatError, match="cannot be in a description"):
        encoded(Path("x"))


def test_damaged_results_give_the_library_s_own_errors():
    """Random damage to a result: it is decoded and assembled, or refused by an error of the library."""
    good = encoded((lw.load("humanoid").description, ["a"]))
    head, _, arrays = good.partition(b"\n")
    generator, accepted = np.random.default_rng(0), 0
    values = [None, True, -1, 0, 1e300, 10**400, "", "world", "tuple", "array", [], ["array", "<f8", [2], 0], ["tuple"]]
    for _ in range(300):
        plain = json.loads(head)
        for _ in range(int(generator.integers(1, 4))):
            place = plain
            while True:
                k = int(generator.integers(len(place)))
                if not isinstance(place[k], list) or not place[k] or generator.random() < 0.1:
                    break
                place = place[k]
            place[k] = copy.deepcopy(values[generator.integers(len(values))])
        with contextlib.suppress(lw.errors.LinkwrightError), warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.errors.LinkwrightWarning)
            assembled(decoded(json.dumps(plain).encode() + b"\n" + arrays, DESCRIBED)[0])
            accepted += 1
    assert 0 < accepted < 300


def test_a_child_imports_its_reader_and_not_the_whole_library(tmp_path, monkeypatch):
    """Algorithms and compiler would take longer to import than MuJoCo and the file to be read."""
    reports, run = [], process._run

    def kept(*arguments):
        done = run(*arguments)
        reports.append(done.stderr.decode())
        return done

    monkeypatch.setattr(process, "_run", kept)
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    lw.load(mjcf(tmp_path, '<worldbody><body name="b"><joint/><geom size="1"/></body></worldbody>'))
    imported = {line.rpartition("|")[2].strip() for line in reports[0].splitlines()}
    assert {"mujoco", "linkwright.formats.mjcf.reading"} <= imported
    assert not {"linkwright.compiler", "linkwright.dynamics", "llvmlite"} & imported


@POSIX
def test_a_child_that_was_taken_over_runs_nothing_here(tmp_path, monkeypatch):
    """A pickle that starts a program, written instead of a result, is refused and starts nothing."""
    mark = tmp_path / "ran"

    def text(x):
        return b"\x8c" + bytes([len(x)]) + x.encode()

    name = text("linkwright.model.build.assembly") + text("np.f2py.subprocess.Popen")
    evil = b"\x80\x04" + name + b"\x93((" + text("touch") + text(str(mark)) + b"ltR."
    program = f"import os, sys; os.write(1, {evil!r}); os._exit(0)"
    monkeypatch.setattr(process, "_START", program)
    with pytest.raises(FormatError, match="the process that read it ended with status 0"):
        confined("mjcf", "x.xml")
    assert not mark.exists()


@POSIX
@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_child_that_writes_without_end_is_ended(monkeypatch, descriptor):
    monkeypatch.setattr(process, "LONGEST_ANSWER", 2**20)
    program = f"import os\nfor _ in range(640): os.write({descriptor}, b'x' * 2**16)\nos._exit(3)"
    monkeypatch.setattr(process, "_START", program)
    with pytest.raises(FormatError, match="more than 1 MB of parts" if descriptor == 1 else "ended with status 3"):
        confined("mjcf", "x.xml")


@pytest.mark.parametrize(
    "inside",
    [
        b'<worldbody><body name="b\xff"><joint/><geom size="1"/></body></worldbody>',
        b'<worldbody><body name="b"><joint type="x\xff"/><geom size="1"/></body></worldbody>',
    ],
    ids=["name", "message"],
)
def test_texts_that_are_not_utf_8_are_refused_alike_in_both_processes(tmp_path, inside):
    pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    path = tmp_path / "latin.xml"
    path.write_bytes(b'<?xml version="1.0" encoding="latin-1"?><mujoco>' + inside + b"</mujoco>")
    for trusted in (False, True):
        with pytest.raises(FormatError, match=r"is not UTF-8: byte 0xff .*save the file as UTF-8$"):
            read_mjcf(path, trusted=trusted)
