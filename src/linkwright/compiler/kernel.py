"""Kernels: functions compiled for one mechanism."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.compiler import c, cache, llvm, machine
from linkwright.compiler.call import universal_function
from linkwright.compiler.interpreter import interpret
from linkwright.compiler.program import Operations, Program
from linkwright.compiler.trace import bind, differentiate, trace
from linkwright.dynamics.configuration import as_numbers
from linkwright.errors import ArgumentError, LinkwrightError, ShapeError
from linkwright.model.tree import Model


class Kernel:
    """Machine code for one function of one mechanism. Made by :func:`compile`.

    ``kernel(*arrays, out=None)`` takes arrays in the order of ``kernel.program.inputs``, each with any
    leading batch dimensions, which broadcast. Shapes and types are checked; values are not: NaN and
    infinities propagate.
    """

    def __init__(self, program: Program, model: Model | None = None):
        self.program = program
        self.model = model
        self.threads = 1
        self.from_cache = False
        self._call, self._keep = self._build()
        self.__name__ = program.name

    def _build(self) -> tuple[Callable[..., Any], Any]:
        program = self.program
        if any(slot.size == 0 for slot in (*program.inputs, *program.outputs)) or not program.inputs:
            return self._interpreted, None  # nothing worth machine code; NumPy has no functions of no entries
        target = machine.target()
        name = cache.key(program.digest, target, target.width)
        image = cache.read(name)
        self.from_cache = image is not None
        code = None
        if image is not None:
            try:
                code = machine.Code(image)
            except (RuntimeError, LinkwrightError):
                self.from_cache = False  # not loadable by this LLVM: made anew
        if code is None:
            image = machine.generate(llvm.module_text(program, target.width, target.fused))
            cache.write(name, image)
            code = machine.Code(image)
        return universal_function(program, code)

    def _interpreted(self, *arrays: Any, out: Any = None) -> Any:
        named = zip(self.program.inputs, arrays, strict=True)
        results = interpret(self.program, *(as_numbers(slot.name, x) for slot, x in named))
        if out is not None:
            for target, result in zip(out if isinstance(out, tuple) else (out,), results, strict=True):
                np.copyto(target, result)
            return out
        results = tuple(x if x.ndim else x[()] for x in results)
        return results[0] if len(results) == 1 else results

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        """The results for arrays in the order of the program's inputs; a tuple where there are several."""
        try:
            if out is None:
                return self._call(*arrays)
            return self._call(*arrays, out=out)
        except (ValueError, TypeError) as error:
            self._explain(arrays, out)
            raise ArgumentError(f"{self.program.name}: {error}") from None

    def _explain(self, arrays: tuple[Any, ...], out: Any) -> None:
        """Raise what is wrong with a call, in words of its arguments."""
        name, slots = self.program.name, self.program.inputs
        expected = ", ".join(f"{slot.name} {_shown(slot.shape)}" for slot in slots)
        if len(arrays) != len(slots):
            raise ArgumentError(f"{name} takes {len(slots)} arrays ({expected}); got {len(arrays)}") from None
        leads = []
        for slot, given in zip(slots, arrays, strict=True):
            try:
                x = np.asarray(given)
            except ValueError:
                raise ShapeError(f"{name}: the rows of {slot.name} are not of one length") from None
            if x.dtype.kind not in "fiub":
                raise ArgumentError(
                    f"{name}: {slot.name} must be an array of real numbers; got dtype {x.dtype}"
                ) from None
            core = x.shape[x.ndim - len(slot.shape) :] if x.ndim >= len(slot.shape) else x.shape
            if core != slot.shape:
                raise ShapeError(f"{name}: {slot.name} has shape {x.shape}; expected {_shown(slot.shape)}") from None
            leads.append(x.shape[: x.ndim - len(slot.shape)])
        try:
            batch = np.broadcast_shapes(*leads)
        except ValueError:
            shown = ", ".join(f"{slot.name} {lead}" for slot, lead in zip(slots, leads, strict=True))
            raise ShapeError(f"{name}: these batch dimensions do not broadcast: {shown}") from None
        if out is not None:
            for slot, target in zip(self.program.outputs, out if isinstance(out, tuple) else (out,), strict=False):
                if not isinstance(target, np.ndarray) or target.shape != (*batch, *slot.shape):
                    got = target.shape if isinstance(target, np.ndarray) else target
                    raise ShapeError(f"{name}: out must be an array {(*batch, *slot.shape)}; got {got!r}") from None

    @property
    def operations(self) -> Operations:
        """How many multiplications, additions, … one evaluation takes."""
        return self.program.operations

    def derivative(self, wrt: str) -> Kernel:
        """The kernel of the derivative with respect to an argument, added as last axis.

        With respect to a configuration it is with respect to δ in ``integrate(model, q, δ)`` at 0.
        """
        return Kernel(differentiate(self.program, wrt, self.model), self.model)

    def save(self, path: str | Path) -> Path:
        """Write the kernel as self-contained C99; ``path`` ends in .c."""
        target = Path(path)
        if target.suffix != ".c":
            raise ArgumentError(f"kernels are saved as C; {str(path)!r} does not end in .c")
        target.write_text(c.source(self.program), encoding="utf-8")
        return target

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.program, self.model)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{slot.name} {_shown(slot.shape)}" for slot in self.program.inputs)
        outputs = ", ".join(_shown(slot.shape) for slot in self.program.outputs)
        return f"<Kernel {self.program.name}({inputs}) -> {outputs}: {self.operations}>"


def _shown(shape: tuple[int, ...]) -> str:
    return f"(…, {', '.join(map(str, shape))})" if shape else "(…)"


def compile(
    function: Callable[..., Any], model: Model | None = None, *, regroup: bool = True, **inputs: Any
) -> Kernel:
    """Compile a function for a mechanism (or, without one, a function of arrays alone).

    ``function(model, q, v, …)`` is any algorithm of the library or your own, made of them and of NumPy;
    without a model, ``function(x, …)``. It is run once, on symbols. ``inputs`` gives the shapes of its
    arrays; q, q0, q1 are (nq,), v, a, tau, u are (nv,) by themselves. Text and None are bound now;
    ``wrenches=["tool", …]`` appends one (6,) array per frame. Joint-space dynamics are compiled from the
    minimal model (:meth:`Model.minimal`), unless ``regroup`` is False: the same to rounding, with fewer operations.

    Raises :class:`TooLargeError` where straight-line code would be too long, and
    :class:`ExpressionError` where the function branches on values.

    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> kernel = lw.compile(lw.mass_matrix, arm)
    >>> kernel(arm.neutral()).shape
    (2, 2)
    """
    return Kernel(trace(bind(function, model, inputs, regroup)), model)
