"""Loops: steps on numbers are run, steps on symbols become a loop of the trace."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.bounds import whole_number
from linkwright.errors import ArgumentError, ShapeError, explained
from linkwright.provided import accepts_sympy
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic, where


@accepts_sympy
@explained
def repeat(count: int, step: Callable[..., Any], *state: Any, keep: int | None = None) -> Any:
    """Repeat a step: ``state = step(k, *state)`` for k = 0, 1, ….

    In a compiled function the step is traced once and becomes a loop of the machine code; values that do not depend on
    the state are computed once, before the loop.

    Parameters
    ----------
    count : int
        Number of steps.
    step : callable
        ``step(k, *state)``, which returns a state of the same structure and shapes.
    *state : array_like or tuple
        Initial states: arrays, numbers, or nested tuples of them.
    keep : int, optional
        Number of steps between stored states.

    Returns
    -------
    state : array_like or tuple
        State after `count` steps; a tuple for several states.
    kept : array_like or tuple
        With `keep`: the states after every `keep` steps, with a first axis of length ``count // keep``.

    Examples
    --------
    >>> import linkwright as lw
    >>> float(lw.repeat(3, lambda k, x: x + k, 10.0))
    13.0
    """
    return _repeated(whole_number("count", count, 0), step, None, state, keep)


@accepts_sympy
@explained
def until(
    condition: Callable[..., Any], step: Callable[..., Any], *state: Any, limit: int, keep: int | None = None
) -> Any:
    """Repeat a step until a condition holds.

    Parameters
    ----------
    condition : callable
        ``condition(*state)``, evaluated before each step. A condition with several values defines a batch within the
        states, whose first axes are those of the condition; use ``np.all(…)`` to stop all rows together.
    step : callable
        ``step(k, *state)`` or ``step(*state)``, which returns the next state.
    *state : array_like or tuple
        Initial states.
    limit : int
        Largest number of steps.
    keep : int, optional
        Number of steps between stored states, as in :func:`repeat`; those of a stopped row do not change.

    Returns
    -------
    *state : array_like or tuple
        States at the end. In a batch each row stops independently and keeps its state.
    steps : int or ndarray of int
        Number of steps. It may be `limit` whether or not the condition holds; evaluate the condition of the final
        state.
    kept : array_like or tuple
        With `keep`: the stored states.

    Examples
    --------
    >>> import linkwright as lw
    >>> x, steps = lw.until(lambda x: abs(x * x - 2.0) < 1e-9, lambda k, x: (x + 2.0 / x) / 2.0, 1.0, limit=20)
    >>> int(steps)
    4
    """
    return _repeated(whole_number("limit", limit, 0), _numbered(step, len(state)), condition, state, keep)


def for_each(count: int, step: Callable[..., Any], *rows: Any) -> Any:
    """Return rows in memory after independent steps: ``rows = step(k, *rows)`` for k = 0, 1, …, in any order.

    A step writes entries that no other step reads or writes, and does the same if it runs twice. In the machine code of
    a single motion, whose vector registers are empty otherwise, several steps run together on lanes. A step that leaves
    out a computation by :func:`when` may then write its entries all the same: they are undefined there.
    """
    return _repeated(whole_number("count", count, 0), step, None, rows, None, independent=True)


@explained
def when(condition: Any, compute: Callable[[], Any], *otherwise: Any) -> Any:
    """Return ``compute()`` where the condition holds, else ``otherwise``, of the same structure and shapes.

    In machine code the operations of ``compute`` are skipped if the condition holds for none of the rows
    that are computed together. :func:`where` computes both values.
    """

    stopped = ~condition if is_symbolic(condition) else np.logical_not(condition)
    found = _repeated(1, lambda k, *state: compute(), lambda *state: stopped, otherwise, None, True)
    return found[0] if len(otherwise) == 1 else found[:-1]


def _repeated(
    count: int,
    step: Callable[..., Any],
    condition: Callable[..., Any] | None,
    state: tuple[Any, ...],
    keep: int | None,
    whole: bool = False,
    independent: bool = False,
) -> Any:
    every = 0 if keep is None else whole_number("keep", keep, 1)
    form = _LoopForm(state)
    arrays = [x if symbol_among([x]) is not None else _of_numbers(x).copy() for x in _leaves(state)]
    task = _RepeatTask(count, step, condition, form, arrays, every, whole, independent)
    symbol = symbol_among(arrays)
    around = [step] if condition is None else [step, condition]
    if symbol is None:
        symbol = symbol_among([x for function in around for x in _taken_from_around(function)])
    if symbol is None:
        try:
            final, steps, kept = _on_numbers(task)
        except _Symbols as found:  # in variables of enclosing functions
            symbol = found.symbol
    if symbol is not None:
        try:
            final, steps, kept = _on_symbols(symbol, task)
        except _SeveralConditions as found:  # the condition has several values
            final, steps, kept = _on_symbols_in_batch(symbol, task, found.shape)
    results = form.bare(final) if condition is None else (*form.state(final), steps)
    if not every:
        return results
    return (results, form.bare(kept)) if condition is None else (*results, form.bare(kept))


def _of_numbers(x: Array) -> Array:
    """Return a state of numbers, which may have been taken from an array with symbols."""
    if x.dtype.hasobject and all(isinstance(entry, (int, float)) for entry in x.flat):
        x = x.astype(float)
    return as_numbers("a state", x[()])


class _RepeatTask(NamedTuple):
    """Loop on numbers or symbols; its result is the final state, the number of steps, and the stored states."""

    most: int
    """largest number of steps"""
    step: Callable[..., Any]
    condition: Callable[..., Any] | None
    form: _LoopForm
    arrays: list[Any]
    every: int
    whole: bool = False
    """whether all new values of a step are computed in it"""
    independent: bool = False
    """whether steps are independent"""


class _Symbols(Exception):
    """Raised where a step on numbers returns symbols."""

    def __init__(self, symbol: Any):
        self.symbol = symbol


class _SeveralConditions(Exception):
    """Raised where a condition on symbols has several values."""

    def __init__(self, shape: tuple[int, ...]):
        self.shape = shape


def _on_numbers(task: _RepeatTask) -> tuple[list[Any], Any, list[Any]]:
    """Run the steps; with a condition of batches, rows stop one by one."""
    count, step, condition, form, arrays, every, *_ = task
    steps: Any = float(count) if condition is None else 0.0
    going: Any = np.asarray(True)
    kept: list[list[Any]] = [[] for _ in arrays]
    for k in range(count):
        if condition is not None:
            ends = _truth(condition(*form.copies(arrays)))
            if k and ends.shape != going.shape:
                raise _other_shape(ends.shape, going.shape)
            going = going & ~ends
            if ends.shape:
                arrays = form.in_batch(arrays, ends.shape)
            if not np.any(going) and not every:
                break
            steps = steps + going
        if np.any(going):
            after = form.arrays(step(k, *form.copies(arrays)))
            if (symbol := symbol_among(after)) is not None:
                raise _Symbols(symbol)
            if np.ndim(going):
                after = [_where_rows(going, x, y) for x, y in zip(after, arrays, strict=True)]
            arrays = [np.array(x, dtype=np.float64) for x in after]
        if every and (k + 1) % every == 0:
            for rows, x in zip(kept, arrays, strict=True):
                rows.append(x)
    tables = [np.reshape(rows, (len(rows), *shape)) for rows, shape in zip(kept, form.shapes, strict=True)]
    return [x if x.shape else x[()] for x in arrays], np.asarray(steps, dtype=np.float64)[()], tables


def _other_shape(shape: tuple[int, ...], batch: tuple[int, ...]) -> ShapeError:
    return ShapeError(f"the condition has shape {shape} of states that begin with {batch}")


def _truth(truth: Any) -> Any:
    """Return the value of a condition on numbers."""
    truth = np.asarray(truth)
    if (symbol := symbol_among([truth])) is not None:
        raise _Symbols(symbol)
    if truth.dtype != bool:
        raise _no_truth(truth.tolist())
    return truth


def _no_truth(truth: Any) -> ArgumentError:
    return ArgumentError(f"the condition returns {truth!r}; expected a truth value, such as that of x < 1.0")


def _where_rows(going: Array, after: Array, before: Array) -> Array:
    chosen: Array = where(going.reshape(going.shape + (1,) * (after.ndim - going.ndim)), after, before)
    return chosen


def _on_symbols(symbol: Any, task: _RepeatTask) -> tuple[list[Any], Any, list[Any]]:
    """Trace the step once, into the graph of this symbol."""
    count, step, condition, form, arrays, every, whole, independent = task
    graph = symbol.graph

    def entries(arrays: Iterable[Any]) -> list[Any]:
        return [graph.coerce(x) for array in arrays for x in np.asarray(array).reshape(-1)]

    def next_state(k: Any, state: list[Any]) -> list[Any]:
        return entries(form.arrays(step(k, *form.state(form.apart(graph.array(state))))))

    def stops(state: list[Any]) -> Any:
        assert condition is not None
        ends = np.asarray(condition(*form.state(form.apart(graph.array(state)))))
        if ends.shape:
            raise _SeveralConditions(ends.shape)
        stop = graph.coerce(ends[()])
        if not graph.is_condition(stop):
            raise _no_truth(stop)
        return stop

    ends = None if condition is None else stops
    results = graph.repeated(count, next_state, entries(arrays), ends, every, whole, independent)
    if graph.failure is not None:
        failure, graph.failure = graph.failure, None
        raise failure
    n = form.size
    rows = count // every if every else 0
    kept = form.apart(graph.array(results[n + 1 :]).reshape(rows, n)) if every else []
    return form.apart(graph.array(results[:n])), results[n], kept


def _on_symbols_in_batch(symbol: Any, task: _RepeatTask, batch: tuple[int, ...]) -> tuple[list[Any], Any, list[Any]]:
    """Trace the step for a condition with several values: flags and step counts of the rows are additional states."""
    form, condition = task.form, task.condition
    assert condition is not None
    arrays = form.in_batch(list(task.arrays), batch)

    def rows_on(state: tuple[Any, ...], going: Array) -> Array:
        ends = np.asarray(condition(*state))
        if ends.shape != batch:
            raise _other_shape(ends.shape, batch)
        on: Array = where(ends, 0.0, going)
        return on

    def step(k: Any, state: tuple[Any, ...], going: Array, steps: Array) -> tuple[Any, ...]:
        before = list(_leaves(state, np.asanyarray))  # arrays that can be compared
        going = rows_on(form.copies(before), going)
        after = form.arrays(task.step(k, *form.copies(before)))
        chosen = [_where_rows(going, x, y) for x, y in zip(after, before, strict=True)]
        return form.state(chosen), going, steps + going

    def over(state: tuple[Any, ...], going: Array, steps: Array) -> Any:
        return rows_on(state, going).sum() < 0.5

    whole = (form.state(arrays), np.ones(batch), np.zeros(batch))
    every = _RepeatTask(task.most, step, over, _LoopForm(whole), list(_leaves(whole)), task.every)
    final, _, kept = _on_symbols(symbol, every)
    n = len(arrays)
    return final[:n], final[n + 1], kept[:n]


def _numbered(step: Callable[..., Any], states: int) -> Callable[..., Any]:
    """Return a step that accepts its number, from one that may not."""
    try:
        parameters = inspect.signature(step).parameters.values()
    except (TypeError, ValueError):  # its signature is unknown
        return step
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return step
    needed = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return step if len(needed) != states else lambda k, *state: step(*state)


def symbol_among(arrays: list[Any]) -> Any:
    """Return any symbol among the entries."""
    for x in arrays:
        if is_symbolic(x):
            for entry in np.asarray(x).flat:
                if hasattr(entry, "graph"):
                    return entry
    return None


def _taken_from_around(function: Callable[..., Any]) -> list[Any]:
    """Return the arrays and symbols among the closure variables and defaults of a function."""
    if isinstance(function, partial):
        found = [*function.args, *function.keywords.values(), *_taken_from_around(function.func)]
    elif inspect.isfunction(function):
        found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # assigned later
                found.append(cell.cell_contents)
    else:
        found = []
    return [x for x in found if getattr(x, "graph", None) is not None or isinstance(x, np.ndarray)]


class _LoopForm:
    """Structure of a state: its arrays and their shapes."""

    def __init__(self, state: tuple[Any, ...]):
        self.structure = _structure(state)
        self.single = len(state) == 1
        arrays = list(_leaves(state))
        if not arrays:
            raise ArgumentError("a step needs a state: pass one or more arrays")
        self.shapes = [x.shape for x in arrays]
        self.sizes = [x.size for x in arrays]
        self.size = sum(self.sizes)

    def arrays(self, result: Any) -> list[Array]:
        """Return the arrays of a step's result, which must have the structure of the state."""
        state = (result,) if self.single else result
        found = list(_leaves(state))
        numbers = all(x.dtype.kind in "fiub" or symbol_among([x]) is not None for x in found)
        if not numbers or _structure(state) != self.structure or [x.shape for x in found] != self.shapes:
            several = "" if self.single or isinstance(result, tuple) else "; several states are returned as a tuple"
            raise ShapeError(
                f"the step returns {_described(result)}; the state is {self.described()} and must not change{several}"
            )
        return found

    def state(self, arrays: Iterable[Any]) -> tuple[Any, ...]:
        """Return the states assembled from arrays."""
        filled: tuple[Any, ...] = _filled(self.structure, (x if np.ndim(x) else np.asarray(x)[()] for x in arrays))
        return filled

    def copies(self, arrays: list[Any]) -> tuple[Any, ...]:
        """Return the state in arrays that a step may write."""
        return self.state(x.copy() for x in arrays)

    def in_batch(self, arrays: list[Any], batch: tuple[int, ...]) -> list[Any]:
        """Return the arrays with these leading axes; arrays that all rows share are broadcast."""
        for k, x in enumerate(arrays):
            if x.shape[: len(batch)] != batch:
                arrays[k] = np.broadcast_to(x, batch + x.shape).copy()
                self.shapes[k], self.sizes[k] = arrays[k].shape, arrays[k].size
        self.size = sum(self.sizes)
        return arrays

    def bare(self, arrays: Iterable[Any]) -> Any:
        """Return the states; a single state without a tuple."""
        state = self.state(arrays)
        return state[0] if self.single else state

    def apart(self, entries: Array) -> list[Any]:
        """Return the arrays from all their entries along the last axis."""
        pieces = np.split(entries, np.cumsum(self.sizes)[:-1], axis=-1)
        shaped = [x.reshape(x.shape[:-1] + shape) for x, shape in zip(pieces, self.shapes, strict=True)]
        return [x if x.shape else x[()] for x in shaped]

    def described(self) -> str:
        return _described(self.bare(np.empty(shape) for shape in self.shapes))


def _leaves(state: Any, array: Callable[[Any], Array] = np.asarray) -> Iterator[Array]:
    if isinstance(state, tuple):
        for x in state:
            yield from _leaves(x, array)
    else:
        x = array(state)
        yield x if x.size else np.zeros(x.shape)  # empty arrays are numbers


def _structure(state: Any) -> Any:
    """Return the nesting of tuples without their contents."""
    return tuple(map(_structure, state)) if isinstance(state, tuple) else None


def _filled(structure: Any, arrays: Iterator[Any]) -> Any:
    return next(arrays) if structure is None else tuple(_filled(part, arrays) for part in structure)


def _described(state: Any) -> str:
    """Return a description of a state: the shapes of its arrays."""
    if isinstance(state, tuple):
        return f"({', '.join(map(_described, state))})"
    x = np.asarray(state)
    if x.dtype.kind not in "fiub" and symbol_among([x]) is None:
        return repr(state)
    return f"an array {x.shape}" if x.shape else "a number"
