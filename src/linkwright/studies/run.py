"""Studies: a function for many sets of parameters, chunk by chunk, to arrays on disk; resumed where they stopped."""

from __future__ import annotations

import math
import os
import platform
import shutil
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from threading import Semaphore
from typing import Any, NamedTuple

import numpy as np

import linkwright
from linkwright.bounds import whole_number
from linkwright.compiler.native.threads import checked_threads, default_threads
from linkwright.errors import ArgumentError, InputError, explained, warn
from linkwright.spatial.arrays import Array
from linkwright.studies.chunk import ChunkTask, Computed, Given, Memory, Outcome, computed, first_rows, written
from linkwright.studies.digest import Parts, function_name, function_parts, samples_parts
from linkwright.studies.progress import Progress
from linkwright.studies.result import Study
from linkwright.studies.rollouts import as_function_of_names
from linkwright.studies.samples import ParameterGrid, Samples, as_samples
from linkwright.studies.store import FAILED, STATUS, Store, StoredArray, StoreMetadata

MOST_ROWS = 1_000_000
"""of a chunk"""

CHUNK_TIME = 1.0
"""s that a chunk should take"""

VERSIONS = {"Linkwright": linkwright.__version__, "NumPy": np.__version__, "Python": platform.python_version()}

LEAST_TIME = 0.1
"""s that it should take at least"""

CHUNK_BYTES = 16 * 2**20
"""that its parameters and outputs should take at most; there are a few chunks for each thread in memory"""

MOST_BYTES = 2**30
"""likewise, where ``chunk`` is given"""

TRIALS = (1, 8, 64, 1024, 16384)
"""rows that are computed first, one number after the other, to see what the function gives and how long it takes"""

TRIAL_ROWS = 64
"""Number of first rows; if all fail, the study is refused."""

TRIAL_TIME, TRIAL_LONG = 0.02, 0.2
"""s, durations of a trial from which the time of a row is estimated, if more rows take longer, and if not"""

AHEAD = 2
"""Tasks that are sent to each thread of a worker: one waits while it does another."""

TASK_TIME = 5.0
"""s that a task of a worker should take"""


@explained
def study(
    function: Callable[..., Any],
    parameters: Samples | Mapping[str, Any],
    store: str | Path,
    workers: Any = None,
    *,
    keep: Collection[str] | None = None,
    keep_parameters: bool | Collection[str] = True,
    units: Mapping[str, str] | None = None,
    batched: bool = True,
    chunk: int | None = None,
    compress: bool = True,
    progress: Callable[[float], None] | None = None,
    title: str = "",
) -> Study:
    """Evaluate a function for many sets of parameters, and store the results in a folder, which can be continued.

    The store is a zarr group (version 3) with an array for each output, whose first dimension is the row, and
    ``status``: 1 computed, 2 failed. Rows are computed in chunks; a chunk is complete or absent, whenever the run
    stops. Rows for which the function raises are recorded with the error. Only one run may write to a store.

    Parameters
    ----------
    function : callable
        Function of arrays (n, *shape), by the names of `parameters`. It returns an array (n, ...), a dict of arrays, or
        a motion, a rollout or a result of :func:`~linkwright.inverse_kinematics` of a batch, such as
        ``partial(lw.simulate, arm, duration=2.0)`` for parameters q0 and v0. It must be deterministic.
    parameters : Samples or mapping
        Sets of parameters of :mod:`samples <linkwright.studies.samples>`: a grid, a table, random draws or Sobol's
        sequence; a mapping of arrays of equal length is a table.
    store : str or Path
        New folder, or that of the same study, whose missing rows are computed.
    workers : int or distributed.Client, optional
        Number of threads of this process (by default all processors), or a client whose workers see the same folder.
    keep : collection of str, optional
        Names of the stored outputs. By default all.
    keep_parameters : bool or collection of str, optional
        Whether parameters are stored, or their names.
    units : mapping, optional
        Units of outputs and parameters by name.
    batched : bool, optional
        Whether the function takes n rows; otherwise it takes one row, without the first dimension.
    chunk : int, optional
        Rows of a chunk. By default about a second of work, at most a million rows.
    compress : bool, optional
        Whether chunks are compressed, with lz4.
    progress : callable, optional
        Function of the completed share. By default a line on the terminal.
    title : str, optional
        Title of the study.

    Returns
    -------
    Study
        The study.

    Raises
    ------
    InputError
        If the store cannot be written, is in use, or belongs to another study, or the function fails for all first
        rows.
    """
    if not callable(function):
        raise ArgumentError(f"study: the first argument is a function of the parameters; got {function!r}")
    samples, path = as_samples(parameters), _path(store)
    work = _work(function, samples, batched, keep, keep_parameters)
    number = _number_of(workers)
    parts, values = function_parts(function), samples_parts(samples)
    known = Store(path)
    if known.is_new:
        plan = _planned(work, units or {}, _checked_chunk(chunk), number)
        _warn_if_disk_is_short(path, samples.rows * plan.bytes_each)
        _begin(known, work, plan, parts, values, title, bool(compress))
    _require_the_same(known, parts, values, chunk)
    if not known.complete().all():
        with known.alone():
            _run(known, work, workers if _is_cluster(workers) else None, number, progress)
    else:
        known.forget_killed_run()
        if progress is not None:
            progress(1.0)
    return Study(path)


class StudyEstimate(NamedTuple):
    """Estimated cost of a study."""

    rows: int
    chunk: int
    chunks: int
    outputs: tuple[str, ...]
    seconds: float
    workers: int
    bytes: int
    """before they are compressed"""


def estimate(
    function: Callable[..., Any],
    parameters: Samples | Mapping[str, Any],
    workers: Any = None,
    *,
    keep: Collection[str] | None = None,
    keep_parameters: bool | Collection[str] = True,
    units: Mapping[str, str] | None = None,
    batched: bool = True,
    chunk: int | None = None,
    title: str = "",
) -> StudyEstimate:
    """Estimate the cost of a :func:`study` with these arguments from its first rows; nothing is written."""
    samples = as_samples(parameters)
    work = _work(function, samples, batched, keep, keep_parameters)
    number = _number_of(workers)
    plan = _planned(work, units or {}, _checked_chunk(chunk), number)
    seconds = samples.rows * plan.row_time / number
    chunks = -(-samples.rows // plan.chunk)
    return StudyEstimate(
        samples.rows, plan.chunk, chunks, tuple(plan.outputs), seconds, number, samples.rows * plan.bytes_each
    )


class StudyPlan(NamedTuple):
    """Layout of a study on disk."""

    chunk: int
    parameters: dict[str, StoredArray]
    outputs: dict[str, StoredArray]
    fixed: dict[str, Array]
    row_time: float
    """s"""
    bytes_each: int
    """of a row, as they are computed"""


def _begin(
    store: Store, work: ChunkTask, plan: StudyPlan, parts: Parts, values: Parts, title: str, compress: bool
) -> None:
    samples = work.samples
    kept = StoreMetadata(
        samples.rows,
        plan.chunk,
        parts,
        values,
        list(samples.shapes),
        list(plan.outputs),
        title or function_name(work.function),
        samples.described()["kind"],
        dict(zip(samples.axes, samples.lengths, strict=True)) if isinstance(samples, ParameterGrid) else None,
        VERSIONS,
    )
    with store.alone():
        if store.is_new:  # else another run began it meanwhile
            Store.create(store.path, kept, plan.parameters, plan.outputs, plan.fixed, compress)


def _warn_if_disk_is_short(path: Path, size: int) -> None:
    """Say so where all rows may not fit on the disk; how well they compress is not known before they are computed."""
    nearest = next((one for one in (path.absolute(), *path.absolute().parents) if one.exists()), Path.cwd())
    free = shutil.disk_usage(nearest).free
    if size > free > 0:  # unknown free space: writing fails instead
        warn(
            f"all rows take up to {size / 1e9:.3g} GB, less where they compress well, and the disk of {str(path)!r} "
            f"has {free / 1e9:.3g} GB free: keep fewer outputs (keep), or take fewer rows"
        )


def _work(
    function: Callable[..., Any],
    samples: Samples,
    batched: bool,
    keep: Collection[str] | None,
    keep_parameters: bool | Collection[str],
) -> ChunkTask:
    kept = None if keep is None else (keep,) if isinstance(keep, str) else tuple(keep)
    if kept == ():
        raise InputError("keep names the outputs that are kept; got none of them. All are kept unless it is given")
    return ChunkTask(
        as_function_of_names(function), samples, bool(batched), kept, _kept_parameters(keep_parameters, samples)
    )


def _is_cluster(workers: Any) -> bool:
    """Whether the workers are those of a ``distributed.Client``."""
    return hasattr(workers, "submit") and hasattr(workers, "nthreads")


def _number_of(workers: Any) -> int:
    """The number of threads of this process, or of a cluster."""
    if workers is None:
        return default_threads()
    if _is_cluster(workers):
        return max(1, sum(workers.nthreads().values()))
    if not isinstance(workers, (int, np.integer)):
        raise ArgumentError(f"workers is a number of threads or a distributed.Client; got {workers!r}")
    return checked_threads("workers", workers)


def _path(store: Any) -> Path:
    if not isinstance(store, (str, os.PathLike)) or not str(store):
        raise ArgumentError(f"store is the path of a folder; got {store!r}")
    return Path(store)


def _kept_parameters(given: Any, samples: Samples) -> tuple[str, ...]:
    if isinstance(given, bool):
        return tuple(samples.shapes) if given else ()
    names = (given,) if isinstance(given, str) else tuple(given)
    if unknown := [name for name in names if name not in samples.shapes]:
        raise InputError(f"keep_parameters names parameters, {', '.join(samples.shapes)}; got {unknown[0]!r}")
    return names


def _checked_chunk(chunk: Any) -> int | None:
    return None if chunk is None else whole_number("chunk", chunk, 1)


def _planned(work: ChunkTask, units: Mapping[str, str], chunk: int | None, workers: int) -> StudyPlan:
    """By a trial of the first rows."""
    samples = work.samples
    given, row_time = _tried(work, timed=chunk is None)
    outputs = {name: StoredArray.of(one) for name, one in given.columns.items()}
    parameters = {
        name: StoredArray(shape, samples.at(0, 1)[name].dtype.str[1:], tuple(f"{name}_{k}" for k in range(len(shape))))
        for name, shape in samples.shapes.items()
        if name in work.kept_parameters
    }
    _require_names(parameters, outputs, given.fixed)
    known = {**parameters, **outputs}
    if unknown := [name for name in units if name not in known]:
        raise InputError(f"units are of {', '.join(known)}; got {unknown[0]!r}")
    if odd := [unit for unit in units.values() if not isinstance(unit, str)]:
        raise InputError(f"a unit is text, such as 'm'; got {odd[0]!r}")
    options = {name: one._replace(unit=str(units.get(name, one.unit))) for name, one in known.items()}
    each = sum(_bytes(one.shape, one.dtype) for one in known.values())
    drawn = sum(_bytes(shape, "f8") for name, shape in samples.shapes.items() if name not in parameters)
    if chunk is not None and min(chunk, samples.rows) * (each + drawn) > MOST_BYTES:
        raise InputError(f"chunk is at most {MOST_BYTES // (each + drawn)} rows here, which take 1 GB; got {chunk}")
    own = chunk or _suitable(samples.rows, row_time, each + drawn, workers)
    return StudyPlan(
        own,
        {name: options[name] for name in parameters},
        {name: options[name] for name in outputs},
        given.fixed,
        row_time,
        each,
    )


def _tried(work: ChunkTask, timed: bool) -> tuple[Given, float]:
    """Return the results of the first rows, of more rows until the run is long enough to measure the time per row.

    If eight rows take as long as one, the time per row is unknown: more are computed until the time grows with the
    number of rows, or is long.
    """
    most, before, rows_before = work.samples.rows, 0.0, 0
    for rows in TRIALS:
        rows = min(rows, most)
        given = first_rows(work, rows)
        if not given.columns and (rows == most or rows >= TRIAL_ROWS):
            hint = "; for a function of a single row, pass batched=False" if work.batched else ""
            raise InputError(f"the function failed for all of the first {rows} rows: {given.failures[0]}{hint}")
        if not given.columns:
            continue
        if not timed:
            return given, 0.0
        began = time.perf_counter()
        first_rows(work, rows)  # what was compiled by the first call does not count
        taken = time.perf_counter() - began
        each = (taken - before) / (rows - rows_before) if rows > rows_before else 0.0
        if rows == most or taken > TRIAL_LONG or (taken > TRIAL_TIME and rows_before and each * rows > 0.5 * taken):
            break
        before, rows_before = taken, rows
    return given, taken / rows


def _bytes(shape: tuple[int, ...], dtype: str) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize


def _suitable(rows: int, row_time: float, each: int, workers: int) -> int:
    """Rows of a chunk: a second of work, not too much memory, and some chunks for every worker; a round number."""
    second, least = CHUNK_TIME / max(row_time, 1e-9), LEAST_TIME / max(row_time, 1e-9)
    shared = max(rows / (4 * workers), least)  # chunks that cost more to write than to compute help nobody
    wanted = min(MOST_ROWS, second, CHUNK_BYTES / max(each, 1), shared)
    return max(n for n in (step * 10**power for step in (1, 2, 5) for power in range(7)) if n <= max(1.0, wanted))


def _require_names(
    parameters: Mapping[str, StoredArray], outputs: Mapping[str, StoredArray], fixed: Mapping[str, Array]
) -> None:
    taken = {STATUS, *parameters, *fixed}
    if twice := [name for name in outputs if name in taken]:
        raise InputError(f"the output {twice[0]!r} has the name of a parameter, or a reserved name")
    if empty := [name for name, one in outputs.items() if 0 in one.shape]:
        raise InputError(f"the output {empty[0]!r} has shape {outputs[empty[0]].shape} of each row: nothing to keep")
    if odd := [name for name in (*parameters, *outputs) if not name or "/" in name or name.startswith(("_", "."))]:
        raise InputError(f"names of outputs and parameters are names of arrays on disk; {odd[0]!r} cannot be one")


def _require_the_same(store: Store, parts: Parts, values: Parts, chunk: Any) -> None:
    """Raise :class:`InputError` where a store is of something else, and say of what."""
    kept, place = store.kept, repr(str(store.path))
    if what := _changes(kept.function, parts):
        if kept.versions["Python"].split(".")[:2] != VERSIONS["Python"].split(".")[:2]:
            what.append(f"it was written by Python {kept.versions['Python']}, here is {VERSIONS['Python']}")
        raise InputError(f"{place} is the study of another function: {'; '.join(what)}. Give another folder")
    if what := _changes(kept.parameters, values):
        raise InputError(f"{place} is of other parameters: {'; '.join(what)}. Give another folder")
    if chunk is not None and chunk != kept.chunk:
        raise InputError(f"{place} is kept in chunks of {kept.chunk} rows, not {chunk}: omit chunk to continue")
    if updated := {name: one for name, one in VERSIONS.items() if kept.versions.get(name) != one}:
        changed = ", ".join(
            f"{name} {kept.versions.get(name)}, and goes on with {one}" for name, one in updated.items()
        )
        warn(f"{place} was begun with {changed}: rows may differ slightly from those there")


def _changes(kept: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """Return in words what differs between two descriptions."""
    gone, new = ([name for name in one if name not in other] for one, other in ((kept, here), (here, kept)))
    other = [name for name in kept if here.get(name, kept[name]) != kept[name] and (name != "order" or not gone + new)]
    return [
        *(f"{name} {kept[name]}, not {here[name]}" if name in TOLD else f"{name} has changed" for name in other),
        *(f"{name} was there" for name in gone),
        *(f"{name} is new" for name in new),
    ]


TOLD = ("kind", "rows", "seed", "base", "scrambled", "order")
"""of parameters, what is kept as it is"""


def _run(store: Store, work: ChunkTask, client: Any, threads: int, progress: Callable[[float], None] | None) -> None:
    store.sweep()
    missing = [int(k) for k in np.flatnonzero(~store.complete())]
    layouts = {name: _layout(store.arrays[name]) for name in store.kept.outputs}
    sizes = [last - first for first, last in map(store.bounds, missing)]
    done = store.kept.rows - sum(sizes)
    outcomes = (
        _on_threads(store, work, layouts, missing, threads)
        if client is None
        else _on_cluster(store, work, layouts, missing, client)
    )
    with Progress(store.kept.title, store.kept.rows, done, progress) as shown:
        for outcome in outcomes:
            shown.add(outcome.rows, outcome.failed)


def _layout(array: Any) -> StoredArray:
    return StoredArray(array.shape[1:], np.dtype(array.dtype).str[1:], ())


def _on_threads(
    store: Store, work: ChunkTask, layouts: Mapping[str, StoredArray], missing: list[int], threads: int
) -> Iterator[Outcome]:
    """Some threads compute, and as many others write what they made, for which those wait only if it is slower."""
    room, memory = Semaphore(threads), Memory(layouts, store.kept.chunk)

    def compute(k: int) -> Future[Outcome]:
        one = computed(work, store, memory, k)
        room.acquire()
        return writers.submit(write, one)

    def write(one: Computed) -> Outcome:
        try:
            return written(store, memory, one)
        finally:
            room.release()

    left = iter(missing)
    with (
        ThreadPoolExecutor(threads, thread_name_prefix="linkwright study writes") as writers,
        ThreadPoolExecutor(threads, thread_name_prefix="linkwright study") as computers,
    ):
        waiting: set[Future[Any]] = {computers.submit(compute, k) for k in islice(left, threads)}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    found = future.result()
                    if isinstance(found, Outcome):
                        yield found
                        continue
                    waiting.add(found)
                    waiting |= {computers.submit(compute, k) for k in islice(left, 1)}
        finally:
            computers.shutdown(cancel_futures=True)


def _on_cluster(
    store: Store, work: ChunkTask, layouts: Mapping[str, StoredArray], missing: list[int], client: Any
) -> Iterator[Outcome]:
    """Run tasks of several chunks, about ``TASK_TIME`` each: a task costs as much as some ten thousand fast rows.

    Results of a chunk are read from the store, which is faster than a query to the worker, which is computing.
    """
    from distributed import KilledWorker, as_completed

    store = Store(store.path.resolve())
    # a task, not data that is scattered: where the worker that has it dies, another makes it again
    task = client.submit(_together, work, store, dict(layouts), pure=False)
    left, workers, done, began = deque(missing), _number_of(client), 0, time.perf_counter()
    sent: dict[Any, list[int]] = {}
    running: Any = as_completed()  # type: ignore[no-untyped-call]

    def send() -> None:
        if left:
            suitable = TASK_TIME * done / (workers * (time.perf_counter() - began))
            number = max(1, int(min(suitable, len(left) / (AHEAD * workers))))  # few at the end, where others wait
            chunks = [left.popleft() for _ in range(number)]
            future = client.submit(_at_worker, task, chunks, pure=False, retries=2)
            sent[future.key] = chunks
            running.add(future)

    try:
        for _ in range(AHEAD * workers):
            send()
        for future in running:
            if future.status != "finished":
                try:
                    future.result()
                except KilledWorker as error:
                    raise InputError(
                        f"workers died again and again at a chunk of {store.kept.chunk} rows, as they do where memory "
                        f"is short ({error}). Complete chunks are kept; run it again to continue"
                    ) from error
            for k in sent.pop(future.key):
                status = store.status_of(k)
                if status is None:
                    raise InputError(
                        f"a worker wrote to a folder {str(store.path)!r} that is not the one here: a store is on a "
                        "disk that all workers see"
                    )
                done += 1
                yield Outcome(k, len(status), int(np.count_nonzero(status == FAILED)))
            send()
    finally:
        client.cancel([*running.futures])


def _together(
    work: ChunkTask, store: Store, layouts: Mapping[str, StoredArray]
) -> tuple[ChunkTask, Store, Mapping[str, StoredArray]]:
    """Return the data that all chunks need; each worker receives it once, and opens the store once."""
    return work, store, layouts


def _at_worker(task: tuple[ChunkTask, Store, Mapping[str, StoredArray]], chunks: list[int]) -> None:
    """One chunk is computed while the one before is written."""
    work, store, layouts = task
    memory = Memory(layouts, store.kept.chunk)
    with ThreadPoolExecutor(1, thread_name_prefix="linkwright study writes") as writer:
        before: Future[Outcome] | None = None
        for k in chunks:
            if store.has(k):  # by a worker that died later
                continue
            one = computed(work, store, memory, k)
            if before is not None:
                before.result()
            before = writer.submit(written, store, memory, one)
        if before is not None:
            before.result()
