"""Studies that are killed, at any moment: what is there is whole, what is missing is computed, nothing differs."""

from __future__ import annotations

import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.studies import samples
from shortened import long_form

JOB = """
import os, signal, sys, time
import filelock, google_crc32c, numcodecs.blosc, zarr.codecs
import numpy as np
from linkwright.studies import samples, store, study

def job(a, b):
    time.sleep(0.001)
    if (a > 0.999).any():
        raise ValueError("large")
    return {"sum": a[:, None] + b, "flag": a > b[:, 0], "zero": 0.0 * a}

count = 0

def run(folder, moment, place):
    def at(here):
        global count
        count += here == place
        if here == place and count == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(function, here):
        def call(*given, **named):
            at(here + " before")
            result = function(*given, **named)
            at(here + " after")
            return result
        return call
    os.fsync = watched(os.fsync, "fsync")
    os.replace = watched(os.replace, "replace")
    rows = samples.random(6000, 7, a=samples.uniform(0, 1), b=samples.normal([0, 1], 1))
    study(job, rows, folder, chunk=500, workers=2)

# what is imported is imported once: each run is a fork of this process, which has no threads and no study of its own
for line in sys.stdin:
    folder, moment, place = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if not child:
        run(folder, int(moment), place)
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no kill −9")


def contents(folder: Path) -> dict[str, bytes]:
    places = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in places}


class Runs:
    """Runs of the job, one after the other: forks of one process that has imported what they need."""

    def __init__(self, script: Path) -> None:
        self.server = subprocess.Popen(
            [sys.executable, str(script)], cwd=script.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda: list(map(self.answers.put, self.server.stdout)), daemon=True).start()

    def start(self, folder: Path, moment: int = 0, place: str = "") -> int:
        """Start a run and return its process."""
        print(folder, moment, place, sep="\t", file=self.server.stdin, flush=True)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the run and return its status."""
        return int(self.answers.get(timeout=120))

    def close(self) -> None:
        self.server.stdin.close()
        try:
            self.server.wait(timeout=60)
        finally:
            self.server.kill()


@pytest.fixture
def runs(tmp_path):
    script = tmp_path / "job.py"
    script.write_text(JOB)
    made = Runs(script)
    yield made
    made.close()


@pytest.mark.parametrize("rounds", [1, *long_form(4)])
def test_kills_change_nothing(tmp_path, runs, rounds):
    """In each round four where files are written, flushed and named, and one at any time."""
    draw = random.Random(4)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    runs.start(whole)
    began = time.monotonic()
    assert runs.wait() == 0
    usual = min(time.monotonic() - began, 2.0)  # s; longer where other processes had the processor
    killed = 0
    for place in ["replace before", "fsync before", "fsync after", "replace after"] * rounds:
        runs.start(stopped, draw.randint(1, 9), place)
        status = runs.wait()
        assert status in (0, -signal.SIGKILL)
        if status == 0:  # all was done: begin anew
            assert contents(stopped) == contents(whole)
            stopped = tmp_path / f"stopped {killed}"
        killed += status != 0
    while killed < 5 * rounds:
        process = runs.start(stopped)
        time.sleep(draw.uniform(0.1, 0.9) * usual)
        with suppress(ProcessLookupError):  # it is done
            os.kill(process, signal.SIGKILL)
        status = runs.wait()
        killed += status != 0
        if status == 0:
            assert contents(stopped) == contents(whole)
            stopped = tmp_path / f"stopped {killed}"
    runs.start(stopped)
    assert runs.wait() == 0
    assert contents(stopped) == contents(whole)
    found = lw.Study(stopped)
    assert found.complete
    assert found.failed == np.count_nonzero(found["a"] > 0.999) > 0


def test_a_kill_after_the_last_chunk_leaves_nothing(tmp_path):
    folder = tmp_path / "study"
    rows = samples.random(20, 1, a=samples.uniform(0, 1))
    lw.study(double, rows, folder, workers=1)
    whole = contents(folder)
    (folder / ".running.json").write_text('{"process": 1}')
    lw.study(double, rows, folder, workers=1)
    assert contents(folder) == whole


def test_a_kill_while_the_first_file_is_written_leaves_nothing(tmp_path):
    folder = tmp_path / "study"
    rows = samples.random(20, 1, a=samples.uniform(0, 1))
    lw.study(double, rows, tmp_path / "whole", workers=1, chunk=10)
    folder.mkdir()
    (folder / ".lock").touch()
    (folder / ".new-0123456789ab.json").write_text('{"proc')
    lw.study(double, rows, folder, workers=1, chunk=10)
    assert contents(folder) == contents(tmp_path / "whole")


def double(a):
    return {"b": 2 * a}


def deadly(a, folder):
    """Kills its worker the first time that the fourth chunk is computed."""
    time.sleep(0.05)
    once = Path(folder) / "killed"
    if len(a) == 100 and a.min() >= 300 and not once.exists():
        once.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return {"twice": 2.0 * a}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("workers", [1, *long_form(2)])  # with one, nothing is left of what it was sent
def test_a_worker_that_is_killed_is_replaced(tmp_path, workers):
    from functools import partial

    distributed = pytest.importorskip("distributed")
    rows = {"a": np.arange(1000.0)}
    job = partial(deadly, folder=str(tmp_path))
    with (
        distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = lw.study(job, rows, tmp_path / "s", client, chunk=100)
    assert (tmp_path / "killed").exists()
    assert found.complete
    np.testing.assert_array_equal(found["twice"], 2.0 * rows["a"])
    lw.study(job, rows, tmp_path / "threads", chunk=100)
    assert contents(tmp_path / "s") == contents(tmp_path / "threads")


def test_samples_of_the_job_are_those_of_this_process():
    """So that the comparison above is of numbers that are known."""
    rows = samples.random(6000, 7, a=samples.uniform(0, 1)).at(0, 6000)
    assert 0 < np.count_nonzero(rows["a"] > 0.999) < 20
