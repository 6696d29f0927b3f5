"""Kernels: functions compiled for one mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import provided
from linkwright.compiler.c_export import save_c
from linkwright.compiler.call_errors import explain_call, shown_shape, written_in_html
from linkwright.compiler.emit.repetition import longest_step
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.differentiation import differentiate
from linkwright.compiler.front.expressions import are_expressions, program_of_expressions
from linkwright.compiler.ir.formats import FORMATS
from linkwright.compiler.ir.interpreter import interpret_call
from linkwright.compiler.ir.program import Operations, Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.native.entry import Entered, call_table, enter_through, keep_entry
from linkwright.compiler.native.interrupts import raise_caught
from linkwright.compiler.native.layout import supported
from linkwright.compiler.native.native import Native, build, measurement, row_time, shortest
from linkwright.compiler.native.result_memory import LARGE, result_array
from linkwright.compiler.native.sequence import (
    LANE_WORK,
    CallsInSequence,
    Form,
    form_of,
    interpret_sequence,
    run_on_threads,
)
from linkwright.compiler.native.threads import (
    GRAIN,
    LONG,
    checked_threads,
    default_threads,
    rows_of,
    spread,
    threads_here,
)
from linkwright.compiler.parameters import parametrized
from linkwright.compiler.partitions import is_open_partition, partitioned
from linkwright.compiler.precision import checked_precision, in_precision, in_type
from linkwright.compiler.schedules.selection import program
from linkwright.compiler.signatures import KernelSignature, argument_names
from linkwright.errors import ArgumentError, MissingExtraError, TooLargeError, explained
from linkwright.model.tree import Model
from linkwright.spatial.arrays import without_mask


class Kernel(Entered):
    """Machine code for one function of one mechanism, created by :func:`compile`.

    ``kernel(*arrays, out=None)`` takes arrays in the order of ``kernel.program.inputs`` (or by name, which is slower),
    each with any leading batch dimensions, which broadcast. Shapes and types are checked; values are not: NaN and
    infinities propagate. The machine code for single rows and for batches is compiled on first use; :meth:`prepare`
    compiles both in advance.

    Parameters
    ----------
    program : Program
        Program to compile.
    model : Model, optional
        Mechanism of the function.
    tune : bool, optional
        Whether the number of lanes is chosen by measurement.
    """

    def __init__(self, program: Program | Staged, model: Model | None = None, tune: bool = False):
        if not isinstance(program, (Program, Staged)):
            raise ArgumentError(f"a kernel is created from a program, by compile(function, model); got {program!r}")
        if not isinstance(model, (Model, type(None))):
            raise ArgumentError(f"a kernel's model is a Model or None; got {model!r}")
        self.program = program
        self.model = model
        self._bound: dict[str, Any] = {}
        self._derivatives: dict[str, Kernel] = {}
        self.__name__ = program.name
        self._tune = tune
        self._threads = default_threads()
        self._width = 0
        self._native: Native | None = None
        self._dtype = FORMATS[program.precision].dtype
        self._dims = tuple(len(slot.shape) for slot in program.inputs)
        # without entries there is nothing worth machine code, and NumPy has no functions of no entries
        if program.inputs and all(slot.size for slot in (*program.inputs, *program.outputs)):
            name = f"{program.name} of {model.name!r}" if model else program.name
            self._native = build(program, tune, name)
            self._width = self._native.width
            self._row_time = row_time(program, self._width)
            self._longest = row_time(program, self._width, usual=False)
            # loops that look whether to stop do so within some milliseconds of each block of rows
            self._together = 64 * self._width if self._native.long else 0
        self._entered = self._opened = False
        self._form: Form | None = None
        if self._native and supported():
            self._table = call_table(program, self._native.long, _slowly)
            enter_through(self, self._table)
        else:
            self.__class__ = _EnteredSlowly

    @property
    def from_cache(self) -> bool:
        """Whether all machine code used so far came from the cache."""
        return self._native is not None and self._native.from_cache

    def prepare(self, *, rows: bool = True, batches: bool = True, soon: bool = False) -> Kernel:
        """Compile the machine code for single rows and for batches now instead of on first use.

        Parameters
        ----------
        rows : bool, optional
            Whether the code for single rows is compiled.
        batches : bool, optional
            Whether the code for batches is compiled.
        soon : bool, optional
            Whether code for single rows is compiled quickly, and optimized when sequences ran as long as that takes.

        Returns
        -------
        Kernel
            The kernel.
        """
        if self._native is not None:
            self._native.prepare(rows, batches, soon)
        if rows and type(self) is Kernel:
            self._enter()
        return self

    def _enter(self) -> None:
        """Enable direct calls of the machine code for single rows."""
        assert self._native is not None
        self._table.row = self._native.row
        self._entered = True

    def _call(self, *arrays: Any, out: Any = None) -> Any:
        """Return the results in the form of NumPy's universal functions."""
        if self._native is None:
            assert isinstance(self.program, Program)
            return interpret_call(self.program, *arrays, out=out)
        results = self._native.batches(*arrays) if out is None else self._native.batches(*arrays, out=out)
        if self._native.long:
            raise_caught()
        self._raise_failure()
        if not self._opened:
            self._open()
        return results

    def _raise_failure(self) -> None:
        """Raise the error of the compilation of code for rows that lanes left aside."""
        assert self._native is not None
        if self._native.failure is not None:
            failure, self._native.failure = self._native.failure, None
            raise failure

    def _open(self) -> None:
        """Enable direct calls of the machine code for small batches, which need no second thread."""
        assert self._native is not None
        self._opened = True
        if type(self) is Kernel and not self._native.long:
            few = min(2 * GRAIN / self._row_time, max(LONG / self._longest, self._together))
            self._native.table = self._table
            self._table.loop, self._table.most_rows = self._native.loop, max(0, math.ceil(few) - 1)

    def _any(self, arrays: tuple[Any, ...], out: Any) -> Any:
        """Return the results for objects that NumPy can convert to arrays."""
        if len(arrays) != len(self._dims):
            explain_call(self.program, arrays, out, self._hint(self._bound))  # NumPy would take further ones as results
        try:
            named = zip(self.program.inputs, arrays, strict=True)
            converted = tuple(in_type(without_mask(slot.name, x), self._dtype) for slot, x in named)
            if any(x is not y for x, y in zip(converted, arrays, strict=True)):
                return self(*converted) if out is None else self(*converted, out=out)
            in_order = tuple(map(_in_order, arrays, self._dims))
            if self._width:
                result = self._in_slices(in_order, out)
                if result is not None:
                    return result
            if type(self) is Kernel:
                row = self._row(arrays, out)
                if row is not None:
                    return self(*row) if out is None else self(*row, out=out)
            return self._call(*in_order, out=out)
        except (ValueError, TypeError, OverflowError, RuntimeError) as error:
            numbers = [provided.numbers_of_sympy(x) for x in arrays]
            if any(x is not y for x, y in zip(numbers, arrays, strict=True)):
                return self(*numbers) if out is None else self(*numbers, out=out)
            explain_call(self.program, arrays, out, self._hint(self._bound))
            raise ArgumentError(f"{self.program.name}: {error}") from None

    def _row(self, arrays: tuple[Any, ...], out: Any) -> list[np.ndarray] | None:
        """Return the arrays of a single row in the form of machine code; None if impossible or not needed."""
        if out is not None and not all(_plain(x, self._dtype) for x in (out if isinstance(out, tuple) else (out,))):
            return None
        row: list[np.ndarray] = []
        for x, slot in zip(arrays, self.program.inputs, strict=True):
            if type(x) is not np.ndarray or x.shape != slot.shape or x.dtype != self._dtype:
                return None
            if not _plain(x, self._dtype):
                x, other = np.empty(slot.shape, self._dtype), x
                x[...] = other
            row.append(x)
        if not self._entered:
            self._enter()
            return row
        return None if all(x is y for x, y in zip(row, arrays, strict=True)) else row

    def _is_long(self, rows: int) -> bool:
        return bool(rows > self._together and rows * self._longest > LONG)

    def _in_slices(self, arrays: tuple[Any, ...], out: Any) -> Any:
        """Return the results of a batch on several threads, of a long one or of a large one; None for a small batch."""
        program = self.program
        batch = rows_of(arrays, self._dims)
        if not batch:
            return None
        rows, width = math.prod(batch), self._width
        threads = threads_here(self._threads)
        slices = int(rows * self._row_time / GRAIN) if threads > 1 else 1
        long = self._is_long(rows)
        alone = slices < 2 and not long
        if alone and (out is not None or rows * max(slot.size for slot in program.outputs) < LARGE):
            return None
        first = max(1, int(LONG / 10 / (self._longest * rows / max(batch))) // width) * width
        if out is None:
            outs = tuple(result_array((*batch, *slot.shape), self._dtype) for slot in program.outputs)
        else:
            outs = out if isinstance(out, tuple) else (out,)
            shapes = [(*batch, *slot.shape) for slot in program.outputs]
            if [type(x) is np.ndarray and x.shape for x in outs] != shapes:
                return None
            if any(np.may_share_memory(x, y) for x in outs for y in (*arrays, *outs) if x is not y):
                return None  # one slice could write what another has yet to read
        if alone:
            return self._call(*arrays, out=outs)
        more = (first,) if long else ()
        spread(self._call, arrays, self._dims, outs, batch, threads, max(1, slices), width, *more)
        return outs[0] if len(outs) == 1 else outs

    def sequence(
        self,
        calls: int,
        arrays: Sequence[np.ndarray],
        fed: Mapping[int, int],
        results: Sequence[np.ndarray],
        turns: float = 1.0,
        threads: int | None = None,
        *,
        in_place: bool = False,
        cpus: Sequence[int] = (),
        order: np.ndarray | None = None,
    ) -> Callable[[], None]:
        """Prepare a sequence of calls, each with results of the previous one, without Python in between.

        Parameters
        ----------
        calls : int
            Number of calls.
        arrays : sequence of ndarray
            Arguments of the first call, contiguous arrays of the kernel's type: with one batch dimension, shared by all
            rows, or all of a single row.
        fed : mapping
            Index of the result that replaces an argument, by the index of the argument, from the second call on.
        results : sequence of ndarray
            Arrays for the results: with (calls, ...) all are recorded; with (2, ...) two alternate, and the last result
            is at ``(calls - 1) % 2``.
        turns : float, optional
            Expected number of steps of repetitions that stop, to estimate the time.
        threads : int, optional
            Number of threads. By default that of the kernel.
        in_place : bool, optional
            Whether the last results are also written into the arguments of `fed`, which have a batch dimension.
        cpus : sequence of int, optional
            Processors: the batch is divided into as many parts, and each part always runs on the same one.
        order : ndarray of int64, shape (rows,), optional
            Order in which the rows run, read in each call: rows that take as long are best next to each other.

        Returns
        -------
        callable
            Function without arguments that runs the calls, any number of times; the results are in `results`.
        """
        rows = [len(x) for x, n in zip(arrays, self._dims, strict=True) if x.ndim > n]
        if self._native is None:
            return partial(interpret_sequence, self._call, calls, arrays, fed, results, in_place)
        assert isinstance(self.program, Program)
        native, form = self._native, self._form
        if form is None:
            form = self._form = form_of(self.program, longest_step(self.program))
        alone = not rows or rows[0] == 1
        machine_code = native.row if alone else native.loop
        task = CallsInSequence(form, machine_code, alone, calls, arrays, fed, results, turns, in_place, order)
        if alone:
            return native.counted(partial(task.run, 0, 1, 1))
        each = calls * turns * form.work / (LANE_WORK * self._width)

        def run() -> None:
            run_on_threads(task, rows[0], self._width, threads_here(threads or self._threads), each, cpus)
            self._raise_failure()

        return run

    def measured_time(self, *, single: bool = False) -> float:
        """Measure the time of some hundred rows, or of a single row, in one thread.

        Parameters
        ----------
        single : bool, optional
            Whether a single row is measured.

        Returns
        -------
        float
            Time, s; infinite without machine code.
        """
        if self._native is None:
            return math.inf
        if not single:
            return measurement(self.program)(self._native)
        random = np.random.default_rng(0)
        row = [random.standard_normal(slot.shape).astype(self._dtype) for slot in self.program.inputs]
        return shortest(lambda: self(*row))

    @property
    def threads(self) -> int:
        """Largest number of threads for a large batch; single rows and small batches use one."""
        return self._threads

    @threads.setter
    def threads(self, number: int) -> None:
        """Largest number of threads for a large batch; single rows and small batches use one."""
        self._threads = checked_threads(f"{self.program.name}: threads", number)

    @property
    def _names(self) -> list[str]:
        return argument_names(slot.name for slot in self.program.inputs)

    def _in_order(self, arrays: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arrays of a call with some arguments by name."""
        names, own = self._names, self.program.name
        for name in named:
            if name not in names:
                hint = self._hint([name] if name in self._bound else [])
                raise ArgumentError(f"{own} has no argument {name!r}; it has {', '.join([*names, 'out'])}{hint}")
            if name in names[: len(arrays)]:
                raise ArgumentError(f"{own}: {name} is given twice, by position and by name")
        rest = names[len(arrays) :]
        missing = [name for name in rest if name not in named]
        if missing:
            raise ArgumentError(f"{own} takes {', '.join(names)}; {', '.join(missing)} is not given")
        return (*arrays, *(named[name] for name in rest))

    def _hint(self, names: Collection[str]) -> str:
        """Return a hint for names that are no arguments because they were bound to values."""
        text = ", ".join(f"{name} = {self._bound[name]!r}" for name in names)
        return f"; bound when it was compiled: {text} (a shape, () for a number, makes an argument)" if text else ""

    __signature__ = KernelSignature()

    @property
    def operations(self) -> Operations:
        """Operation counts of one evaluation: multiplications, additions etc."""
        return self.program.operations

    def derivative(self, wrt: str) -> Kernel:
        """Return the kernel of the derivative by an argument, which is added as last axis.

        The derivative by a configuration is that by δ in ``integrate(model, q, δ)`` at 0. It is derived once.

        Parameters
        ----------
        wrt : str or sympy.Symbol
            Name of the argument.

        Returns
        -------
        Kernel
            The derivative.
        """
        name = str(wrt) if provided.holds_sympy(wrt) else wrt
        made = self._derivatives.get(name) if isinstance(name, str) else None
        if made is None:
            program = differentiate(self._straight("derivative"), name, self.model)
            made = self._derivatives[name] = Kernel(in_precision(program, self.program.precision), self.model)
        return made

    def _straight(self, what: str) -> Program:
        if isinstance(self.program, Staged):
            raise TooLargeError(
                f"{self.program.name} runs as loops over the bodies, which have no {what}; compile(…, unroll=True) "
                "compiles straight-line code, unless it is too long; inverse_dynamics_derivatives runs as loops"
            )
        return self.program

    def save(
        self,
        path: str | Path,
        *,
        precision: str | None = None,
        prefix: str = "",
        static: bool = False,
        header: bool = False,
    ) -> Path:
        """Write the kernel as self-contained C99.

        Parameters
        ----------
        path : str or Path
            File ``.c``.
        precision : {"double", "single"}, optional
            Type of all numbers, ``double`` or ``float``. By default that of the kernel.
        prefix : str, optional
            Beginning of the function's name.
        static : bool, optional
            Whether the function is ``static``, for a file that is included in another one.
        header : bool, optional
            Whether the declaration is written to a header file as well, with the ending ``.h``.

        Returns
        -------
        Path
            The file.
        """
        return save_c(self._straight("C source"), path, precision, prefix, static, header)

    def casadi(self) -> Any:
        """Return the kernel as a function of CasADi, for optimal control and code generation.

        Straight-line code becomes an SX function, loops (:func:`repeat`, :func:`until`, :func:`take`) an MX function.
        Both have double precision.

        Returns
        -------
        casadi.Function
            Function with the names and shapes of the kernel's arrays: vectors are columns, and of arrays with more than
            two axes all but the last are one.

        Raises
        ------
        MissingExtraError
            If CasADi is not installed.
        TooLargeError
            If the kernel runs as loops over the bodies, or a loop that may stop earlier has more than 100 000 steps.

        Notes
        -----
        CasADi differentiates by the entries of a configuration, :meth:`derivative` by δ in ``integrate(model, q, δ)``;
        they are equal for joints of one coordinate. It evaluates both sides of :func:`where`, and all steps of
        :func:`until` up to its limit.
        """
        program = self._straight("CasADi function")
        try:
            return provided.casadi_function(program, self._names)
        except ImportError as error:
            message = f'kernel.casadi requires CasADi: pip install "linkwright[casadi]" ({error})'
            raise MissingExtraError(message) from None

    def __reduce__(self) -> tuple[Any, ...]:
        state: dict[str, Any] = {"_bound": self._bound} if self._bound else {}
        if self._threads != default_threads():
            state["_threads"] = self._threads
        return Kernel, (self.program, self.model, self._tune), state

    def _repr_html_(self) -> str:
        """Return the representation in notebooks: inputs and outputs with their shapes, and operation counts."""
        return written_in_html(self.program)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{slot.name} {shown_shape(slot.shape)}" for slot in self.program.inputs)
        outputs = ", ".join(shown_shape(slot.shape) for slot in self.program.outputs)
        return f"<Kernel {self.program.name}({inputs}) -> {outputs}: {self.operations}>"


def _slowly(kernel: Kernel, /, *arrays: Any, out: Any = None, **named: Any) -> Any:
    """Return the result of a call whose arguments are not plain arrays of one row."""
    return kernel._any(kernel._in_order(arrays, named) if named else arrays, out)


keep_entry(Kernel)


class _EnteredSlowly(Kernel):
    """A kernel without machine code, or where its entry does not fit the objects of this Python."""

    __call__ = _slowly


def _in_order(x: Any, dims: int) -> Any:
    """Return arrays shared by all rows as contiguous ones: otherwise every block of rows would copy them."""
    if type(x) is np.ndarray and x.ndim == dims and not x.flags.c_contiguous:
        return np.ascontiguousarray(x)
    return x


def _plain(array: Any, dtype: np.dtype) -> bool:
    """Return whether machine code can read and write an array directly."""
    return type(array) is np.ndarray and array.dtype is dtype and array.flags.carray


@explained
def compile(
    function: Callable[..., Any],
    model: Model | Any = None,
    *,
    regroup: bool = True,
    tune: bool = False,
    unroll: bool | None = None,
    parameters: Sequence[str] = (),
    precision: str = "double",
    **inputs: Any,
) -> Kernel:
    """Compile a function for a mechanism, a function of arrays alone, or expressions.

    The function is evaluated once, on symbols. Joint-space dynamics are compiled for the minimal model
    (:meth:`Model.minimal`): equal to rounding, with fewer operations.

    Parameters
    ----------
    function : callable
        ``function(model, q, v, …)``: an algorithm of the library or a function composed of them and of NumPy; without a
        model ``function(x, …)``. Or expressions of SymPy or of :func:`symbols`: one, a matrix, or a list is one result;
        a tuple is several.
    model : Model, optional
        Mechanism. For expressions their symbols, in the order of the arguments or in a dict ``{name: symbols}``; each
        argument is a symbol, a function of time, its derivative, or a list or matrix of them.
    regroup : bool, optional
        Whether the minimal model is used.
    tune : bool, optional
        Whether the number of lanes is chosen by measurement and stored in the cache; for forward dynamics with method
        "hybrid" without a ``partition`` also the size of blocks (for mechanisms of a hundred bodies and more: in a
        single row).
    unroll : bool, optional
        Whether sweeps over the bodies become straight-line code (True) or loops (False), with each step compiled once
        for each kind of joint. By default loops from a hundred bodies on.
    parameters : sequence of str, optional
        Parameters of the mechanism that become arguments, after all others: "gripper.mass", ".center_of_mass" (3,),
        ".inertia" (6,) about it (Ixx Ixy Iyy Ixz Iyz Izz), or all as ".inertial" (10,) (m, m c, and I about the link's
        origin); "elbow.armature", ".stiffness", ".damping", ".friction"; "gravity" (3,); "pairs.friction",
        ".restitution", ".stiffness" and ".damping" of all contact pairs; the geometry of joints, frames and shapes,
        as :meth:`Model.with_geometry` takes it: "elbow.position", ".orientation", ".distance", ".axis", "foot.radius",
        ".length", ".size"; "structure" alone, for forward dynamics by
        method "hybrid": all masses and lengths, as :func:`structure_parameters` computes them of any mechanism of the
        same structure. The code is straight-line; derivatives by them are :meth:`Kernel.derivative`.
    precision : {"double", "single"}, optional
        Precision of all numbers of the kernel. "single": arrays of float32, with twice as many rows at once; other
        arrays are rounded to float32. The topic "Single precision" lists where digits are lost.
    **inputs
        Shapes of the arguments, ``gain=()`` for a number. By default q, q0, q1 are (nq,), and v, a, tau, u are (nv,).
        Other values are treated as constants: text, None, ``gain=2.5``, an array (an int is a shape);
        ``wrenches=["tool", …]`` appends one (6,) array per frame.

    Returns
    -------
    Kernel
        The kernel.

    Raises
    ------
    TooLargeError
        If straight-line code would be too long.
    ExpressionError
        If the function branches on values.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> kernel = lw.compile(lw.mass_matrix, arm)
    >>> kernel(arm.neutral()).shape
    (2, 2)
    """
    for name, given, allowed in (
        ("regroup", regroup, (True, False)),
        ("tune", tune, (True, False)),
        ("unroll", unroll, (True, False, None)),
    ):
        if not any(given is x for x in allowed):
            raise ArgumentError(f"{name} is {' or '.join(map(str, allowed))}; got {given!r}")
    precision = checked_precision(precision)
    if are_expressions(function):
        if inputs or parameters:
            raise ArgumentError(f"expressions take their symbols only; got {', '.join([*inputs, *parameters])}")
        return Kernel(in_precision(program_of_expressions(function, model), precision), None, tune)
    if tune and model is not None and not parameters and is_open_partition(function, inputs):
        made = partitioned(partial(compile, function, model, regroup=regroup, unroll=unroll), model, inputs)
        large = any(isinstance(one.program, Staged) for one in made)  # whose rows are run one by one
        quickest = min(made, key=lambda one: one.measured_time(single=large))
        return Kernel(in_precision(quickest.program, precision), model, tune)
    bound = bind(function, model, inputs, regroup)
    if parameters:
        bound = parametrized(bound, parameters)
    kernel = Kernel(in_precision(program(bound, unroll), precision), model, tune)
    kernel._bound = {name: value for name, value in bound.options.items() if isinstance(value, (float, np.ndarray))}
    return kernel
