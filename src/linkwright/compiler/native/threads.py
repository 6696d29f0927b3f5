"""Large batches on several threads: slices of a batch through one function that releases the GIL."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.compiler.native import interrupts, together

GRAIN = 100_000
"""Nanoseconds of work below which a slice is not worth a thread."""

LONG = 50_000_000
"""Nanoseconds of work from which a batch is done piece by piece, so that it can be stopped."""

MOST_THREADS = 256
"""So many threads may be asked for on any machine, or four for each processor: more of them only wait."""

_SLOTS = 64
"""Threads that can be handed something while they are awake."""

_SLICES_EACH = 4  # so that a thread that is held up does not hold up the batch

_PIECE = 0.05
"""Seconds that a piece of a long slice should take: between pieces Python sees to signals, such as that of Ctrl-C."""

Job = Callable[[], Any]
"""What is to be done; a job may return another one, to go on with."""


def default_threads() -> int:
    """Threads for large batches: LINKWRIGHT_THREADS, else as many as this process may use processors."""
    given = os.environ.get("LINKWRIGHT_THREADS", "").strip()
    if given in ("", "auto"):
        return _processors()
    return checked_threads("LINKWRIGHT_THREADS", int(given) if re.fullmatch("[0-9]{1,9}", given) else given)


def _processors() -> int:
    """How many of them this process may use."""
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
    """As many as may be taken by a call of this thread that wants so many."""
    return min(wanted, _here.most)


def checked_threads(what: str, number: Any) -> int:
    """A number of threads; :class:`InputError` where it is none, or so large that it must be a mistake."""
    most = max(MOST_THREADS, 4 * _processors())
    return whole_number(what, number, 1, most)


class _Pool:
    """Threads that wait for work; made when first needed, as many as the widest call asks for."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Job | None] = SimpleQueue()
        """what to do; None: come to a board"""
        self.slots = together.lines(_SLOTS)
        self.place = self.slots.ctypes.data
        self.boards: list[together.Board] = []
        self.wanting: deque[together.Board] = deque()
        """those at which as many helpers are missing"""
        self.waking = 0
        """helpers called and not come yet"""
        self.abandoned: list[together.Board] = []
        self.native: together.Native | None = None
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
            if self.native:
                self.native.dismiss(self.place, min(self.size, _SLOTS))
            work()
            wait()
        except BaseException:
            stop()
            _whatever_comes(wait)
            raise
        if errors:
            raise errors[0]

    def run_stages(
        self, groups: tuple[int, ...], stage: int, args: int, memory: int, threads: int, kept: Any = None
    ) -> None:
        """Call ``stage(number, group, args, memory)`` for all groups of every stage, one stage after the other."""
        native = self.native = self.native or together.native()
        helpers = min(threads, max(groups)) - 1
        if self.size < helpers:
            self._grow(helpers)
        board = self._board()
        board.write(groups, stage, args, memory, helpers, kept)
        missing = 0

        def take_part() -> None:
            while not native.take_part(board.address, 0, native.wait_turns):
                time.sleep(0)  # a helper is held up: others may run

        try:
            missing = helpers - native.hand(self.place, min(self.size, _SLOTS), helpers, board.address)
            if missing:
                self._wake(board, missing)
            take_part()
        except BaseException:  # an interrupt, for which the rest of one row is short
            _whatever_comes(take_part)
            board.kept = None
            self.abandoned.append(board)  # to which helpers may come still, who will find nothing to do
            raise
        board.kept = None
        if missing:
            with self.lock:
                board.absent = self.wanting.count(board)  # done without them
                for _ in range(board.absent):
                    self.wanting.remove(board)
        self.boards.append(board)

    def _wake(self, board: together.Board, helpers: int) -> None:
        """Have so many come to the board who sleep; those who are waking up already come to the latest."""
        with self.lock:
            self.wanting.extend([board] * helpers)
            asleep = max(0, helpers - self.waking)
            self.waking += asleep
        for _ in range(asleep):
            self.tasks.put(None)

    def _come(self, slot: int | None) -> None:
        """Take part wherever helpers are missing, then linger."""
        assert self.native
        while True:
            with self.lock:
                if not self.wanting:
                    self.waking -= 1
                    break
                board = self.wanting.pop()
            self.native.join(board.address, self.native.wait_turns)
        if slot is not None and self.tasks.empty():
            place = self.place + together.LINE * slot
            self.native.linger(place, self.native.linger_turns, self.native.wait_turns)

    def _board(self) -> together.Board:
        """One that nobody is at."""
        for _ in range(len(self.boards)):
            try:
                board = self.boards.pop(0)
            except IndexError:  # another thread was quicker
                break
            if board.free:
                return board
            self.boards.append(board)
        return together.Board()

    def _grow(self, size: int) -> None:
        with self.lock:
            while self.size < size:
                name, slot = f"linkwright {self.size}", self.size if self.size < _SLOTS else None
                threading.Thread(target=self._serve, args=(slot,), name=name, daemon=True).start()
                self.size += 1

    def _serve(self, slot: int | None) -> None:
        while True:
            task = self.tasks.get()
            if task is None:
                self._come(slot)
            else:
                task()


def _whatever_comes(wait: Callable[[], None]) -> None:
    """Wait until nobody writes any more, through further interrupts."""
    while True:
        try:
            return wait()
        except BaseException:
            continue


_pool = _Pool()


def at_once(jobs: Sequence[Job], threads: int) -> None:
    """Do all jobs on so many threads; back when all are done, or none is under way any more after an interrupt."""
    _pool.run(jobs, threads)


def in_stages(groups: tuple[int, ...], stage: int, args: int, memory: int, threads: int, kept: Any) -> None:
    """Machine code ``stage(number, group, args, memory)``, at this address, for so many groups of each stage.

    One stage after the other, the groups of each on so many threads; back when all are done. ``kept``: what must
    live until then.
    """
    _pool.run_stages(groups, stage, args, memory, threads, kept)


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
