"""Studies that are killed, at any moment: what is there is whole, what is missing is computed, nothing differs."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.study import samples

JOB = """
import os, signal, sys, time
import numpy as np
from linkwright.study import samples, study

def job(a, b):
    time.sleep(0.001)
    if (a > 0.999).any():
        raise ValueError("large")
    return {"sum": a[:, None] + b, "flag": a > b[:, 0], "zero": 0.0 * a}

folder, moment, place = sys.argv[1], int(sys.argv[2]), sys.argv[3]
count = 0

def at(here):
    global count
    count += here == place
    if here == place and count == moment:
        os.kill(os.getpid(), signal.SIGKILL)

from linkwright.study import store
def watched(function, here):
    def call(*given, **named):
        at(here + " before")
        result = function(*given, **named)
        at(here + " after")
        return result
    return call
os.fsync = watched(os.fsync, "fsync")
os.replace = watched(os.replace, "replace")


study(job, samples.random(6000, 7, a=samples.uniform(0, 1), b=samples.normal([0, 1], 1)), folder, chunk=500, threads=2)
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no kill −9")


def contents(folder: Path) -> dict[str, bytes]:
    places = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in places}


def started(script: Path, folder: Path, moment: int = 0, place: str = "") -> subprocess.Popen:
    return subprocess.Popen([sys.executable, str(script), str(folder), str(moment), place], cwd=script.parent)


def test_twenty_kills_change_nothing(tmp_path):
    """Sixteen where files are written, flushed and named, four at any time."""
    script, draw = tmp_path / "job.py", random.Random(4)
    script.write_text(JOB)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    began = time.monotonic()
    assert started(script, whole).wait(60) == 0
    usual = time.monotonic() - began
    killed = 0
    for place in ["replace before", "fsync before", "fsync after", "replace after"] * 4:
        process = started(script, stopped, draw.randint(1, 9), place)
        assert process.wait(60) in (0, -signal.SIGKILL)
        if process.returncode == 0:  # all was done: begin anew
            assert contents(stopped) == contents(whole)
            stopped = tmp_path / f"stopped {killed}"
        killed += process.returncode != 0
    while killed < 20:
        process = started(script, stopped)
        time.sleep(draw.uniform(0.5, 1.0) * usual)
        process.kill()
        killed += process.wait(60) != 0
        if process.returncode == 0:
            stopped = tmp_path / f"stopped {killed}"
    assert started(script, stopped).wait(60) == 0
    assert contents(stopped) == contents(whole)
    found = lw.Study(stopped)
    assert found.complete
    assert found.failed == np.count_nonzero(found["a"] > 0.999) > 0


def deadly(a, folder):
    """Kills its worker the first time that the fourth chunk is computed."""
    time.sleep(0.05)
    once = Path(folder) / "killed"
    if len(a) == 100 and a.min() >= 300 and not once.exists():
        once.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return {"twice": 2.0 * a}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("workers", [1, 2])  # with one, nothing is left of what it was sent
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
