"""Large batches on several threads: slices of a batch through one function that releases the GIL."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np

from linkwright.errors import InputError

GRAIN = 100_000
"""Nanoseconds of work below which a slice is not worth a thread."""

_SLICES_EACH = 4  # so that a thread that is held up does not hold up the batch

Job = Callable[[], Any]


def default_threads() -> int:
    """Threads for large batches: LINKWRIGHT_THREADS, else as many as this process may use processors."""
    given = os.environ.get("LINKWRIGHT_THREADS", "").strip()
    if given:
        if not given.isdigit() or int(given) < 1:
            raise InputError(f"LINKWRIGHT_THREADS is a number of threads, 1 or more; got {given!r}")
        return int(given)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Pool:
    """Threads that wait for work; made when first needed, as many as the widest call asks for."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Job] = SimpleQueue()
        self.size = 0
        self.lock = threading.Lock()

    def run(self, jobs: Sequence[Job], threads: int) -> None:
        """Do all jobs, this thread taking part; the first error of one is raised when none is under way."""
        waiting, done = deque(jobs), SimpleQueue[BaseException | None]()

        def work() -> None:
            while True:
                try:
                    job = waiting.popleft()
                except IndexError:
                    return
                try:
                    job()
                except BaseException as error:
                    done.put(error)
                else:
                    done.put(None)

        helpers = min(threads, len(jobs)) - 1
        self._grow(helpers)
        for _ in range(helpers):
            self.tasks.put(work)
        work()
        # not for the helpers, which may be busy with another call: for the jobs, all of which are begun by now
        errors = [error for error in (done.get() for _ in jobs) if error is not None]
        if errors:
            raise errors[0]

    def _grow(self, size: int) -> None:
        with self.lock:
            while self.size < size:
                threading.Thread(target=self._serve, name=f"linkwright {self.size}", daemon=True).start()
                self.size += 1

    def _serve(self) -> None:
        while True:
            self.tasks.get()()


_pool = _Pool()


def at_once(jobs: Sequence[Job], threads: int) -> None:
    """Do all jobs on so many threads; back when all are done."""
    _pool.run(jobs, threads)


def _after_fork() -> None:
    global _pool
    _pool = _Pool()  # the child has none of the parent's threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def rows_of(arrays: Sequence[Any], dims: Sequence[int]) -> tuple[int, ...] | None:
    """The batch of a call: the leading dimensions of its arrays together, given their numbers of core dimensions.

    None where it takes NumPy to know: other types than arrays, shapes that do not fit.
    """
    batch: tuple[int, ...] | None = None
    for x, n in zip(arrays, dims, strict=False):
        if type(x) is not np.ndarray or x.ndim < n:
            return None
        lead = x.shape[: x.ndim - n]
        if batch is None or batch == ():
            batch = lead
        elif lead not in ((), batch):
            try:
                batch = np.broadcast_shapes(batch, lead)
            except ValueError:
                return None
    return batch


def spread(
    function: Callable[..., Any],
    arrays: Sequence[np.ndarray],
    dims: Sequence[int],
    outs: Sequence[np.ndarray],
    batch: tuple[int, ...],
    threads: int,
    slices: int,
    width: int,
) -> None:
    """``function(*arrays, out=outs)`` on slices of the longest dimension of the batch, in multiples of the width."""
    axis = int(np.argmax(batch))
    length = batch[axis]
    slices = min(slices, threads * _SLICES_EACH)
    step = -(-length // (slices * width)) * width

    def part(x: np.ndarray, leading: int, where: slice) -> np.ndarray:
        here = axis - (len(batch) - leading)
        if here < 0 or x.shape[here] == 1:
            return x
        return x[(slice(None),) * here + (where,)]

    def job(start: int) -> Job:
        where = slice(start, start + step)
        inputs = [part(x, x.ndim - n, where) for x, n in zip(arrays, dims, strict=True)]
        results = tuple(part(x, len(batch), where) for x in outs)
        return lambda: function(*inputs, out=results)

    at_once([job(start) for start in range(0, length, step)], threads)
