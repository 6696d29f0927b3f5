"""Compare two threads with two processes, and measure the memory of a batch of a million rows."""

from __future__ import annotations

import multiprocessing
import resource
import time

import numpy as np

import linkwright as lw
from linkwright_gallery.benchmark.clock import machine

ROWS = 1_000_000


def batches(kernel: lw.Kernel, arrays: list[np.ndarray], seconds: float) -> float:
    """Rows per second over some time."""
    out = kernel(*arrays)
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        kernel(*arrays, out=out)
        done += len(out)
    return done / (time.perf_counter() - began)


def states(model: lw.Model, rows: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-3, 3, (rows, model.nq)), rng.normal(size=(rows, model.nv)), rng.normal(size=(rows, model.nv))]


def alone(seconds: float, ready: multiprocessing.Barrier, results: multiprocessing.Queue) -> None:
    model = lw.load("arm7")
    kernel = lw.compile(lw.forward_dynamics, model)
    kernel.threads = 1
    arrays = states(model, 100_000)
    kernel(*arrays)
    ready.wait()
    results.put(batches(kernel, arrays, seconds))


def main() -> None:
    print(machine())
    model = lw.load("arm7")
    kernel = lw.compile(lw.forward_dynamics, model)
    arrays = states(model, 100_000)
    seconds, context = 2.0, multiprocessing.get_context("spawn")
    best = {"two threads": 0.0, "two processes": 0.0, "one thread": 0.0}
    for _ in range(4):
        ready, results = context.Barrier(2), context.Queue()
        workers = [context.Process(target=alone, args=(seconds, ready, results)) for _ in range(2)]
        for worker in workers:
            worker.start()
        both = sum(results.get() for _ in workers)
        for worker in workers:
            worker.join()
        best["two processes"] = max(best["two processes"], both)
        for threads, name in ((2, "two threads"), (1, "one thread")):
            kernel.threads = threads
            best[name] = max(best[name], batches(kernel, arrays, seconds))
    for name, rate in best.items():
        print(f"{name}: {rate / 1e6:.1f} million rows a second")
    print(f"two threads / two processes: {best['two threads'] / best['two processes']:.2f}")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    arrays = states(model, ROWS)
    out = np.empty((ROWS, model.nv))
    filled = sum(x.nbytes for x in (*arrays, out)) / 2**20
    out[:] = 0.0
    with_arrays = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for threads in (1, 2):
        kernel.threads = threads
        kernel(*arrays, out=out)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{ROWS} rows: inputs and outputs {filled:.0f} MiB; peak {before:.0f} MiB before them, {with_arrays:.0f} with"
    )
    print(f"them, {after:.0f} after the batch: {after - with_arrays:.1f} MiB more")


if __name__ == "__main__":
    main()
