"""Large batches on several threads: slices of a batch through one function that releases the GIL."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.compiler.native import interrupts
from linkwright.errors import InputError

GRAIN = 100_000
"""Nanoseconds of work below which a slice is not worth a thread."""

LONG = 50_000_000
"""Nanoseconds of work from which a batch is done piece by piece, so that it can be stopped."""

MOST_THREADS = 256
"""Largest number of threads on any machine, or four per processor: more would only wait."""

_SLICES_EACH = 4  # so that a thread that is held up does not hold up the batch

_PIECE = 0.05
"""Seconds that a piece of a long slice should take: between pieces Python sees to signals, such as that of Ctrl-C."""

Job = Callable[[], Any]
"""A function to run; it may return another one, to run next."""


def default_threads() -> int:
    """Threads for large batches: LINKWRIGHT_THREADS, else as many as this process may use processors."""
    given = os.environ.get("LINKWRIGHT_THREADS", "").strip()
    if given in ("", "auto"):
        return _processors()
    return checked_threads("LINKWRIGHT_THREADS", int(given) if re.fullmatch("[0-9]{1,9}", given) else given)


def _processors() -> int:
    """Return the number of processors of this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Here(threading.local):
    most = MOST_THREADS


_here = _Here()


@contextmanager
def one_thread() -> Iterator[None]:
    """While this lasts, batches that this thread calls for take no further ones: it is one of several that do so."""
    before, _here.most = _here.most, 1
    try:
        yield
    finally:
        _here.most = before


def threads_here(wanted: int) -> int:
    """Return the number of threads available to a call of this thread."""
    return min(wanted, _here.most)


def checked_threads(what: str, number: Any) -> int:
    """A number of threads; :class:`InputError` where it is none, or so large that it must be a mistake."""
    most = max(MOST_THREADS, 4 * _processors())
    return whole_number(what, number, 1, most)


class _Pool:
    """Worker threads, created on demand, as many as the widest call needs."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Job] = SimpleQueue()
        self.size = 0
        self.lock = threading.Lock()

    def run(self, jobs: Sequence[Job], threads: int) -> None:
        """Do all jobs, this thread taking part; the first error of one is raised when none is under way.

        An interrupt leaves those that nobody has begun, has long loops of helpers stop, and is raised when no job is
        under way, too.
        """
        waiting, errors, stopped = deque(jobs), list[BaseException](), False
        inside, left = set[int](), SimpleQueue[None]()

        def work() -> None:
            while True:
                try:
                    job: Job | None = waiting.popleft()
                except IndexError:
                    return
                try:
                    while job is not None and not stopped:
                        job = job()
                except Exception as error:
                    errors.append(error)
                    if interrupts.of_handler(error):  # nobody wants the rest
                        stop()

        def stop() -> None:
            nonlocal stopped
            stopped = True
            waiting.clear()
            _whatever_comes(lambda: interrupts.give_up(inside))

        def assist() -> None:
            me = threading.get_ident()
            inside.add(me)  # before it takes a job: whoever empties what waits then knows who has one
            try:
                work()
            except BaseException as error:
                errors.append(error)
            finally:
                interrupts.leave(inside, me)
                left.put(None)

        def wait() -> None:
            # not for the helpers, which may be busy with another call: for those who have begun a job
            while inside:
                left.get()

        helpers = min(threads, len(jobs)) - 1
        self._grow(helpers)
        try:
            for _ in range(helpers):
                self.tasks.put(assist)
            work()
            wait()
        except BaseException:
            stop()
            _whatever_comes(wait)
            raise
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


def _whatever_comes(wait: Callable[[], None]) -> None:
    """Wait until nobody writes any more, through further interrupts."""
    while True:
        try:
            return wait()
        except BaseException:
            continue


_pool = _Pool()


def at_once(jobs: Sequence[Job], threads: int) -> None:
    """Run all jobs on several threads; return when all are done, or none is running after an interrupt."""
    _pool.run(jobs, threads)


def checked_processors(what: str, given: Sequence[int]) -> tuple[int, ...]:
    """Return processors of this process, each named once; raise :class:`InputError` for others."""
    if not hasattr(os, "sched_setaffinity"):
        raise InputError(f"{what} is for systems on which threads can be bound to processors, such as Linux")
    here = sorted(os.sched_getaffinity(0))
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError(f"{what} is a list of processors, of {here}; got {given!r}")
    cpus = tuple(whole_number(what, cpu, 0) for cpu in given)
    if not cpus or len({*cpus}) < len(cpus) or not {*cpus} <= {*here}:
        raise InputError(f"{what} is a list of different processors, of {here}; got {list(cpus)}")
    return cpus


def on_processor(cpu: int, job: Job) -> Any:
    """Run a job with this thread bound to a processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        return job()
    finally:
        os.sched_setaffinity(0, before)


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
    first: int | None = None,
) -> None:
    """``function(*arrays, out=outs)`` on slices of the longest dimension of the batch, in multiples of the width.

    ``first``: of a batch that takes long, how many rows are done first; then as many as take some ten milliseconds.
    """
    axis = int(np.argmax(batch))
    length = batch[axis]
    slices = min(slices, threads * _SLICES_EACH)
    step = -(-length // (slices * width)) * width

    def part(x: np.ndarray, leading: int, where: slice) -> np.ndarray:
        here = axis - (len(batch) - leading)
        if here < 0 or x.shape[here] == 1:
            return x
        return x[(slice(None),) * here + (where,)]

    def job(again: Callable[..., Job], start: int, stop: int, rows: int) -> Job:
        """``again``: this function, which holds the arrays until they are collected where it knows itself."""

        def work() -> Job | None:
            end = min(start + rows, stop)
            where = slice(start, end)
            inputs = [part(x, x.ndim - n, where) for x, n in zip(arrays, dims, strict=True)]
            results = tuple(part(x, len(batch), where) for x in outs)
            begun = time.perf_counter()
            function(*inputs, out=results)
            if end == stop:
                return None
            quick = _PIECE / max(time.perf_counter() - begun, 1e-9)
            return again(again, end, stop, max(1, int(rows * min(quick, 8.0)) // width) * width)

        return work

    at_once([job(job, start, min(start + step, length), first or step) for start in range(0, length, step)], threads)
