"""The fuzzer: its inputs are a function of the seed, and what is not the library's own error is reported."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linkwright.errors import FormatError
from linkwright.formats.isolation import child_process

TOOLS = Path(__file__).parents[1] / "tools"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="fuzzers read in forked processes")


@pytest.fixture
def fuzz(monkeypatch):
    pytest.importorskip("rosbags")
    monkeypatch.syspath_prepend(str(TOOLS))
    yield importlib.import_module("fuzz")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("fuzz", "fuzzing")]:
        del sys.modules[name]


def test_inputs_are_a_function_of_the_seed(fuzz):
    files = fuzz.FORMATS["urdf"].seeds()
    first = [fuzz.made("urdf", files, 3, k) for k in range(40)]
    assert first == [fuzz.made("urdf", files, 3, k) for k in range(40)]
    assert first != [fuzz.made("urdf", files, 4, k) for k in range(40)]
    assert len(set(first)) > 35


def test_the_readers_hold(fuzz, monkeypatch, tmp_path, capfd):
    arguments = ["fuzz", "urdf", "csv", "trajectory", "--count", "60", "--save", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert fuzz.main() == 0
    assert "csv: 60 inputs" in capfd.readouterr().out


def foreign(path):
    if b"world" in path.read_bytes():
        raise KeyError("world")


def endless(path):
    while True:
        time.sleep(1)


def crashing(path):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("read", "message"), [(foreign, "KeyError"), (endless, "ended by signal 14"), (crashing, "ended by signal 9")]
)
def test_failures_are_saved_and_reported(fuzz, monkeypatch, tmp_path, capfd, read, message):
    monkeypatch.setattr(fuzz, "HANG", 1)
    monkeypatch.setitem(fuzz.FORMATS, "odd", fuzz.Format("xml", ".xml", lambda: [b"<a/>", b"<a b='world'/>"], read))
    monkeypatch.setattr(sys, "argv", ["fuzz", "odd", "--count", "2", "--save", str(tmp_path)])
    assert fuzz.main() == 1
    said = capfd.readouterr().out
    assert message in said
    saved = [file.name for file in tmp_path.iterdir()]
    assert saved == ["odd-0-1.xml"] if read is foreign else "odd-0-0.xml" in saved


def test_ended_processes_are_saved_and_are_no_failures(fuzz, monkeypatch, tmp_path, capfd):
    monkeypatch.setitem(fuzz.FORMATS, "odd", fuzz.Format("xml", ".xml", lambda: [b"<a/>"], crashing, may_end=True))
    monkeypatch.setattr(sys, "argv", ["fuzz", "odd", "--count", "1", "--save", str(tmp_path)])
    assert fuzz.main() == 0
    assert "1 ended" in capfd.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == ["odd-0-0.xml"]


def burning(path):
    begun = time.process_time()
    while time.process_time() < begun + 0.05:
        pass


def burning_child(path):
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.05: pass"], check=True)


@pytest.mark.parametrize("read", [burning, burning_child])
def test_formats_keep_to_their_share_of_the_time(fuzz, monkeypatch, read):
    """The processor time that other formats used before, and that of child processes, is counted rightly."""
    for _ in range(10):
        burning(None)
    monkeypatch.setitem(fuzz.FORMATS, "odd", fuzz.Format("xml", ".xml", lambda: [b"<a/>"], read))
    report = fuzz.fuzz("odd", [b"<a/>"], 0, 0, 1000, 0.3)
    assert 1 <= report.outcomes["read"] <= 7
    assert report.longest >= 0.05


def test_forked_children_answer_as_started_ones(fuzz, tmp_path):
    pytest.importorskip("mujoco", reason="needs mujoco-core, the extra mjcf")
    path = tmp_path / "a.xml"
    answers = []
    for inside in ('<body name="b"><joint/><geom size="1"/></body>', '<body name="b"><joint/></body>', "<replicate/>"):
        path.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
        for how in (contextlib.nullcontext(), fuzz.children.forked()):
            with how:
                try:
                    answers.append(repr(child_process.confined("mjcf", str(path))))
                except FormatError as error:
                    answers.append(str(error))
    assert answers[::2] == answers[1::2]
    assert "BodySpec" in answers[0]
    assert "a.xml" in answers[2]
    assert child_process.subprocess is subprocess


def test_a_forked_child_that_takes_too_long_is_ended(fuzz, tmp_path):
    pytest.importorskip("xacrodoc", reason="xacro files need the extra xacro")
    path = tmp_path / "a.xacro"
    text = "${[j for i in range(10**9) for j in range(10**9) if 0 > j]}"
    path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{text}"/></robot>')
    with fuzz.children.forked(), pytest.raises(FormatError, match="time was up"):
        child_process.confined("xacro", str(path), "{}", seconds=1.0)
