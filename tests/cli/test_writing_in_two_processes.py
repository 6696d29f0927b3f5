"""Files of a motion that a forked process writes are those that one process writes."""

from __future__ import annotations

import os
import sys

import pytest

import linkwright as lw
from linkwright.cli.output import results
from linkwright.cli.output.results import writing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
NAMES = ["motion.npz", "motion.csv", "positions.png", "velocities.png", "energies.png"]


@pytest.fixture(scope="module")
def motion():
    return lw.simulate(lw.load("pendulum"), [1.0], [0.0], 0.05, 1e-3)


@pytest.fixture
def two_processes(monkeypatch):
    monkeypatch.setattr(results, "MANY_NUMBERS", 0)
    monkeypatch.setattr(results, "default_threads", lambda: 2)


def written(motion, folder):
    folder.mkdir()
    files = []
    with writing(motion, folder, files):
        pass
    return files


def test_the_files_are_the_same(motion, tmp_path, two_processes, monkeypatch):
    forked = written(motion, tmp_path / "two")
    monkeypatch.setattr(results, "default_threads", lambda: 1)
    monkeypatch.delattr("os.fork")
    alone = written(motion, tmp_path / "one")
    assert [file.name for file in forked] == [file.name for file in alone] == NAMES
    for one, other in zip(alone[1:], forked[1:], strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert sorted(os.listdir(tmp_path / "two")) == sorted(NAMES)


def test_an_interrupt_of_other_work_leaves_whole_files(motion, tmp_path, two_processes):
    files = []
    with pytest.raises(KeyboardInterrupt), writing(motion, tmp_path, files):
        raise KeyboardInterrupt
    assert [file.name for file in files] == NAMES
    assert all(file.stat().st_size > 0 for file in files)


def test_an_interrupt_while_waiting_ends_the_process(motion, tmp_path, two_processes, monkeypatch):
    waited, wait = [], os.waitpid

    def interrupted(*more):
        waited.append(more[0])
        if len(waited) == 1:
            raise KeyboardInterrupt
        return wait(*more)

    monkeypatch.setattr("os.waitpid", interrupted)
    files = []
    with pytest.raises(KeyboardInterrupt), writing(motion, tmp_path, files):
        pass
    assert [file.name for file in files] == NAMES[:1]
    assert set(os.listdir(tmp_path)) <= set(NAMES)
    with pytest.raises(ProcessLookupError):
        os.kill(waited[0], 0)


def test_files_are_written_here_if_the_process_fails(motion, tmp_path, two_processes, monkeypatch):
    here, written_here = os.getpid(), results._written

    def failing(*more):
        if os.getpid() != here:
            os.close(1), os.close(2)
            raise OSError("no room")
        return written_here(*more)

    monkeypatch.setattr(results, "_written", failing)
    assert [file.name for file in written(motion, tmp_path / "here")] == NAMES
