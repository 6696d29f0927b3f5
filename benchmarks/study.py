"""Compare studies with the bare kernel: the cost of storing the results so that a study can be resumed.

    python benchmarks/study.py [--short] [--rows 1e8] [--workers] [--to FOLDER]

Each study draws its parameters, computes, compresses and writes the outputs to disk. The bare loop draws the same
parameters, calls the same function for as many rows per call from as many threads, and discards the results. The
difference is compression, the disk and bookkeeping. Both alternate piece by piece, since other processes slow down
whichever runs; the results are medians over the pieces. Processor time is that of the process with all threads.
``--workers`` uses two local processes of ``distributed`` instead of two threads, with the bare loop there too;
processor time then includes the scheduling process.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.compiler.native.threads import one_thread
from linkwright.studies.chunk import BLOCK

ARM = lw.load("arm7")
PENDULUM = lw.load("pendulum")


def reach(targets: np.ndarray) -> dict[str, np.ndarray]:
    """Inverse kinematics of a seven-joint arm."""
    found = lw.inverse_kinematics(ARM, {"tool": targets}, initial_guess=START, restarts=2)
    return {"error": found.error, "converged": found.converged}


def swing(q0: np.ndarray, v0: np.ndarray) -> dict[str, np.ndarray]:
    """A pendulum over 200 steps."""
    found = lw.rollout(PENDULUM, q0, v0, 200)
    return {"q": found.q[-1], "v": found.v[-1]}


START = np.array([0.3, 0.5, 0.2, -1.2, 0.1, 0.9, 0.0])
KERNELS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "inverse kinematics": (reach, {"targets": lw.samples.uniform([0.3, -0.2, 0.3], [0.5, 0.2, 0.6])}),
    "pendulum, 200 steps": (
        swing,
        {"q0": lw.samples.uniform([-1.0], [1.0]), "v0": lw.samples.normal([0.0], [1.0])},
    ),
}


def bare(function: Callable[..., Any], parameters: Any, first: int, last: int, chunk: int, threads: int) -> None:
    def some(k: int) -> None:
        drawn = parameters.at(k, min(last, k + chunk))
        with one_thread():
            for row in range(0, len(next(iter(drawn.values()))), BLOCK):
                function(**{name: x[row : row + BLOCK] for name, x in drawn.items()})

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(some, range(first, last, chunk)))


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def measured(name: str, rows: int, pieces: int, threads: int, folder: Path) -> None:
    function, spread = KERNELS[name]
    piece = rows // pieces
    found: list[tuple[float, ...]] = []
    for k in range(pieces):
        parameters = lw.samples.random(piece, k, **spread)
        store = folder / f"{name} {k}"
        chunk = min(500_000, max(1000, piece // (4 * threads)))
        study = partial(
            lw.study, function, parameters, store, workers=threads, chunk=chunk, keep_parameters=False,
            progress=lambda share: None,
        )  # fmt: skip
        loop = partial(bare, function, parameters, 0, piece, chunk, threads)
        if not k:
            bare(function, parameters, 0, min(piece, 40_000), 10_000, 1)  # compiled, and zarr imported
            first_store = folder / f"{name} first"
            lw.study(function, parameters, first_store, chunk=chunk, progress=lambda share: None, workers=1)
        first, second = (loop, study) if k % 2 else (study, loop)
        a, b = timed(first), timed(second)
        found.append((*a, *b) if first is loop else (*b, *a))
        size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
        shutil.rmtree(store)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report(name, piece, found, f"{size / piece:.1f} bytes a row, {memory:.0f} MB at most")


def report(name: str, piece: int, found: list[tuple[float, ...]], more: str) -> None:
    wall, processor, wall_study, processor_study = np.array(found).T / piece * 1e9
    print(
        f"{name:28s} {len(found)} · {piece:,d} rows  {np.median(wall):8.1f} {np.median(wall_study):8.1f} ns wall, "
        f"{np.median(wall / wall_study):6.1%}   {np.median(processor):8.1f} {np.median(processor_study):8.1f} ns "
        f"processor, {np.median(processor / processor_study):6.1%}   {more}"
    )


def on_workers(name: str, rows: int, pieces: int, folder: Path) -> None:
    from distributed import Client, LocalCluster

    function, spread = KERNELS[name]
    piece = rows // pieces
    chunk = max(1000, min(500_000, piece // 16))
    shares = [(k, min(piece, k + -(-piece // 2))) for k in range(0, piece, -(-piece // 2))]
    found: list[tuple[float, ...]] = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def processor() -> float:
            return float(sum(client.run(time.process_time).values())) + time.process_time()

        def timed_there(work: Callable[[], Any]) -> tuple[float, float]:
            before, wall = processor(), time.perf_counter()
            work()
            wall = time.perf_counter() - wall
            return wall, processor() - before

        def loop(parameters: Any) -> None:
            tasks = [
                client.submit(bare, function, parameters, *share, chunk, 1, pure=False, workers=[worker])
                for share, worker in zip(shares, client.nthreads(), strict=True)
            ]
            client.gather(tasks)

        for k in range(-1, pieces):
            parameters = lw.samples.random(piece if k >= 0 else 40_000, k + 1, **spread)
            store = folder / f"{name} {k}"
            study = partial(
                lw.study, function, parameters, store, client, chunk=chunk if k >= 0 else 1000, keep_parameters=False,
                progress=lambda share: None,
            )  # fmt: skip
            if k < 0:  # compiled, and zarr imported
                loop(lw.samples.random(piece // 20, 1, **spread))
                study()
                continue
            first, second = (partial(loop, parameters), study) if k % 2 else (study, partial(loop, parameters))
            a, b = timed_there(first), timed_there(second)
            found.append((*b, *a) if first is study else (*a, *b))
            shutil.rmtree(store)
        memory = max(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024).values())
    report(f"{name}, workers", piece, found, f"{memory:.0f} MB a worker at most")


def planned(rows: int, folder: Path) -> None:
    """So many rows are begun, and stopped after a few chunks."""

    class Enough(Exception):
        """of it"""

    def stop(share: float) -> None:
        if share > 0.0:
            raise Enough

    function, spread = KERNELS["inverse kinematics"]
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    with suppress(Enough):
        lw.study(function, lw.samples.random(rows, 1, **spread), folder / "planned", chunk=100_000, progress=stop)
    seconds = time.perf_counter() - began
    found = lw.Study(folder / "planned")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"planned: {found.rows:,d} rows, of which {found.done:,d} after {seconds:.1f} s; {grown:.0f} MB more memory")


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--rows", type=float, default=1e8)
    reader.add_argument("--pieces", type=int, default=5)
    reader.add_argument("--workers", action="store_true")
    reader.add_argument("--threads", type=int, default=2)
    reader.add_argument("--to", type=Path, default=None)
    options = reader.parse_args()
    rows, pieces = (200_000, 2) if options.short else (int(options.rows), options.pieces)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; bare, study: ns a row; the study's speed")
    with tempfile.TemporaryDirectory(dir=options.to) as folder:
        planned(10**9, Path(folder))
        for name in KERNELS:
            if options.workers:
                on_workers(name, rows, pieces, Path(tempfile.mkdtemp(dir=folder)))
            else:
                measured(name, rows, pieces, options.threads, Path(folder))


if __name__ == "__main__":
    main()
