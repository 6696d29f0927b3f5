"""One chunk of a study: compute its parameters, call the function, write the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.native.threads import one_thread
from linkwright.errors import InputError
from linkwright.spatial.arrays import Array
from linkwright.studies.columns import Column, columns, one_row
from linkwright.studies.samples import Samples
from linkwright.studies.store import Store, StoredArray

LONGEST_TEXT = 500
"""characters of an error that are kept"""

BLOCK = 2**14
"""Rows per call of the function, which keeps intermediate results small; constant, since the last bit of a result
may depend on it.
"""


class ChunkTask(NamedTuple):
    """All that a chunk needs; it travels to other processes by pickle."""

    function: Callable[..., Any]
    samples: Samples
    batched: bool
    keep: tuple[str, ...] | None
    kept_parameters: tuple[str, ...]


class Outcome(NamedTuple):
    """Result of a chunk."""

    number: int
    rows: int
    failed: int


class Memory:
    """Arrays for the outputs of whole chunks, used again and again: the system gives new memory page by page, which
    takes as long as some rows that are quick."""

    def __init__(self, layouts: Mapping[str, StoredArray], rows: int):
        self.layouts, self.rows = layouts, rows
        self.unused: SimpleQueue[dict[str, Array]] = SimpleQueue()

    def take(self) -> dict[str, Array]:
        """An array (rows, *shape) of each output, with anything in it."""
        try:
            return self.unused.get_nowait()
        except Empty:
            return {name: np.empty((self.rows, *one.shape), one.dtype) for name, one in self.layouts.items()}

    def give(self, arrays: dict[str, Array]) -> None:
        """They are not needed any more."""
        self.unused.put(arrays)


class Given(NamedTuple):
    """Result of the function for some rows."""

    columns: dict[str, Column]
    """of the rows that did not fail; empty where all did"""
    fixed: dict[str, Array]
    failures: dict[int, str]
    """errors, by row"""


def called(
    work: ChunkTask, parameters: Mapping[str, Array], rows: int, room: Mapping[str, Array] | None = None, start: int = 0
) -> Given:
    """Call the function for these rows, block by block; bisect a block that fails until the failing rows are known.

    Outputs of several blocks are written to ``room``, if given; ``start`` is the number of the first row, for messages.
    Raises :class:`InputError` for wrong outputs, or outputs unlike those of other rows.
    """
    failures: dict[int, str] = {}
    whole: dict[str, Column] = {}
    fixed: dict[str, Array] = {}
    waiting = [(k, min(rows, k + BLOCK)) for k in range(0, rows, BLOCK)][::-1]
    while waiting:
        first, last = waiting.pop()
        some = {name: x[first:last] for name, x in parameters.items()}
        try:
            if work.batched:
                result = work.function(**some)
            else:
                result = work.function(**{name: x[0] for name, x in some.items()}) if last - first == 1 else None
        except (Exception, SystemExit) as error:  # a function that calls sys.exit does not end the study
            if last - first == 1:
                failures[first] = f"{type(error).__name__}: {error}"[:LONGEST_TEXT]
            else:
                waiting += [((first + last) // 2, last), (first, (first + last) // 2)]
            continue
        if not work.batched and last - first > 1:
            waiting += [(k, k + 1) for k in reversed(range(first, last))]
            continue
        found, fixed = columns(result, some, last - first) if work.batched else one_row(result)
        if work.keep is not None:
            if unknown := [name for name in work.keep if name not in found]:
                raise InputError(f"keep names outputs of the function, {', '.join(found)}; got {unknown[0]!r}")
            found = {name: found[name] for name in work.keep}
        if not found:
            raise InputError("the function gave no outputs: it gives an array, or a dict of arrays by name")
        if last - first == rows:
            return Given(found, fixed, failures)
        _put(whole, found, slice(first, last), rows, room, start + first)
    failed = [*failures]
    for one in whole.values():
        one.values[failed] = StoredArray.of(one).missing
    return Given(whole, fixed, failures)


def _put(
    whole: dict[str, Column],
    found: Mapping[str, Column],
    where: slice,
    rows: int,
    room: Mapping[str, Array] | None,
    number: int,
) -> None:
    """Copy results of some rows into the arrays of all rows."""
    if not whole:
        for name, one in found.items():
            if room is not None and name in room:
                values = room[name][:rows]
            else:
                values = np.empty((rows, *one.values.shape[1:]), dtype=one.values.dtype)
            whole[name] = one._replace(values=values)
    _require_the_same({name: StoredArray.of(one) for name, one in whole.items()}, found, number)
    for name, one in found.items():
        whole[name].values[where] = one.values


def _require_the_same(known: Mapping[str, StoredArray], found: Mapping[str, Column], number: int) -> None:
    """That what was found from row ``number`` on can be kept with what is known of other rows, and nothing is lost:
    whole numbers may come among floating-point ones, not the other way round."""
    shapes = {name: one.shape for name, one in known.items()}
    here = {name: one.values.shape[1:] for name, one in found.items()}
    if shapes != here:
        raise InputError(
            f"the function gave {_shown(here)} for row {number}, and {_shown(shapes)} for others: outputs are the same "
            "of all rows"
        )
    for name, one in found.items():
        kept = np.dtype(known[name].dtype)
        if not np.can_cast(one.values.dtype, kept, "safe"):
            raise InputError(
                f"the output {name!r} is {one.values.dtype} from row {number} on, and {kept} in others, where it would "
                f"lose digits: give it one type in all rows, such as np.{np.promote_types(kept, one.values.dtype)}"
            )


def _shown(shapes: Mapping[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {shape}" if shape else name for name, shape in shapes.items()) or "nothing"


def first_rows(work: ChunkTask, rows: int) -> Given:
    """Return the results of the first rows, computed as a chunk of them."""
    parameters = work.samples.at(0, rows)
    with one_thread(), np.errstate(all="ignore"):
        return called(work, parameters, rows)


class Computed(NamedTuple):
    """A chunk that is to be written."""

    number: int
    arrays: dict[str, Array]
    rows: int
    failures: dict[int, str]
    room: dict[str, Array]
    """of the memory, where its outputs may be"""


def computed(work: ChunkTask, store: Store, memory: Memory, k: int) -> Computed:
    """Compute the k-th chunk."""
    (first, last), room = store.bounds(k), memory.take()
    with one_thread(), np.errstate(all="ignore"):
        parameters = work.samples.at(first, last)
        given = called(work, parameters, last - first, room, first)
    arrays: dict[str, Array] = {name: parameters[name] for name in work.kept_parameters}
    if given.columns:
        _require_the_same(memory.layouts, given.columns, first)
        arrays.update({name: one.values for name, one in given.columns.items()})
    return Computed(k, arrays, last - first, given.failures, room)


def written(store: Store, memory: Memory, one: Computed) -> Outcome:
    """Write a chunk."""
    store.write(one.number, one.arrays, one.failures)
    memory.give(one.room)
    return Outcome(one.number, one.rows, len(one.failures))
