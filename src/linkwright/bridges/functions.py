"""Functions with products of their Jacobian matrix, for libraries of automatic differentiation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.front.algorithms import algorithm_of
from linkwright.compiler.front.bind import bind, book_of, shape_of
from linkwright.compiler.front.products import jacobian_vector_product, product_of_products, vector_jacobian_product
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.program import Program
from linkwright.compiler.ir.staged import Staged
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.precision import in_precision
from linkwright.compiler.rows import annotated_shape
from linkwright.errors import ArgumentError, ShapeError, TooLargeError, wrong_call
from linkwright.ik_solvers.derivatives import inverse_kinematics_kernel
from linkwright.ik_solvers.reach import inverse_kinematics
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model
from linkwright.simulation.rollouts.rollout_kernels import rollout_kernel
from linkwright.simulation.rollouts.rollout_loop import rollout

_FUNCTIONS: dict[str, DifferentiableFunction] = {}
"""All functions by key: compiled graphs of PyTorch and of JAX refer to them by it."""


class DifferentiableFunction:
    """A program with its kernel and the programs of its derivatives, each made when it is needed.

    Parameters
    ----------
    program : Program or Staged
        Program.
    model : Model or None
        Mechanism.
    key : str
        Name of the function among all.
    kernel : Kernel, optional
        Kernel of the program.
    """

    def __init__(self, program: Program | Staged, model: Model | None, key: str, kernel: Kernel | None = None):
        self.program, self.model, self.key, self._given = program, model, key, kernel
        self.name = program.name
        self.shapes = tuple(slot.shape for slot in program.inputs)
        self.result_shapes = tuple(slot.shape for slot in program.outputs)
        self.single = bool(getattr(program, "single", len(program.outputs) == 1))
        """whether the result is one array, not a tuple"""
        self.product_of: tuple[DifferentiableFunction, tuple[int, ...], str] | None = None
        """the function of which this is a product, by which arguments, and "jvp" or "vjp" """

    @cached_property
    def names(self) -> list[str]:
        """Names of the arguments in Python."""
        return [re.sub(r"\W", "_", slot.name) for slot in self.program.inputs]

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self._given or Kernel(self.program, self.model)

    @cached_property
    def single_kernel(self) -> Kernel | None:
        """The kernel of single precision, for arrays of float32.

        None for loops, whose sums and tolerances need the digits of float64: their arrays of float32 are converted.
        """
        program = self.program
        if isinstance(program, Staged) or any(op == "repeat" for op, *_ in program.instructions):
            return None
        return Kernel(in_precision(program, "single"), self.model)

    def jvp(self, wrt: tuple[int, ...]) -> DifferentiableFunction:
        """Return the function (arguments, tangents of the arguments `wrt`) -> tangents of the results."""
        return self._product("jvp", wrt, lambda: jacobian_vector_product(self._straight(), wrt))

    def vjp(self, wrt: tuple[int, ...]) -> DifferentiableFunction:
        """Return the function (arguments, adjoints of the results) -> adjoints of the arguments `wrt`."""
        return self._product("vjp", wrt, lambda: self._vector_jacobian_product(wrt))

    def _vector_jacobian_product(self, wrt: tuple[int, ...]) -> Program:
        program = self._straight()
        if self.product_of is not None and self.product_of[2] == "vjp":
            of, arguments, _ = self.product_of
            return product_of_products(program, of.jvp(arguments)._straight(), len(of.shapes), wrt)
        return vector_jacobian_product(program, wrt)

    def _product(self, kind: str, wrt: tuple[int, ...], make: Callable[[], Program]) -> DifferentiableFunction:
        key = f"{self.key} {kind} {','.join(map(str, wrt))}"
        found = _FUNCTIONS.get(key)
        if found is None:
            found = DifferentiableFunction(make(), self.model, key)
            found.product_of = (self, wrt, kind)
            found = _FUNCTIONS.setdefault(key, found)
        return found

    def _straight(self) -> Program:
        if isinstance(self.program, Staged):
            raise TooLargeError(
                f"{self.name} runs as loops over the bodies, which have no derivatives here; a kernel of compile(…, "
                "unroll=True) has, unless it is too long"
            )
        return self.program

    def in_order(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of a call in order."""
        names = self.names
        expected = f"{self.name} takes {', '.join(names)}"
        if len(arrays) > len(names):
            raise ArgumentError(f"{expected}; got {len(arrays)} arrays")
        for name in named:
            if name not in names:
                raise ArgumentError(f"{self.name} has no argument {name!r}; it has {', '.join(names)}")
            if name in names[: len(arrays)]:
                raise ArgumentError(f"{self.name}: {name} is given twice, by position and by name")
        missing = [name for name in names[len(arrays) :] if name not in named]
        if missing:
            raise ArgumentError(f"{expected}; {', '.join(missing)} is not given")
        return (*arrays, *(named[name] for name in names[len(arrays) :]))

    def batch_of(
        self, shapes: Sequence[tuple[int, ...]], broadcast: Callable[..., tuple[int, ...]] = np.broadcast_shapes
    ) -> tuple[int, ...]:
        """Return the batch dimensions of arguments of these shapes; ``broadcast``: that of sizes that are symbols."""
        leads = []
        for name, given, shape in zip(self.names, shapes, self.shapes, strict=True):
            lead = len(given) - len(shape)
            if lead < 0 or tuple(given[lead:]) != shape:
                expected = f"(…, {', '.join(map(str, shape))})" if shape else "(…)"
                raise ShapeError(f"{self.name}: {name} has shape {tuple(given)}; expected {expected}")
            leads.append(tuple(given[:lead]))
        try:
            return tuple(broadcast(*leads))
        except (ValueError, RuntimeError):
            shown = ", ".join(f"{name} {lead}" for name, lead in zip(self.names, leads, strict=True))
            raise ShapeError(f"{self.name}: these batch dimensions do not broadcast: {shown}") from None


def remedy(name: str, kind: str, convert: str) -> str:
    """Return the expression that makes an argument of another type real, of enough digits.

    ``kind``: its dtype; ``convert``: method that converts to float32 or float64, with ``{}`` for the type.
    """
    if kind.startswith("complex"):
        return f"{name}.real, if its imaginary part is zero"
    return f"{name}.{convert.format('float32' if kind in ('float16', 'bfloat16') else 'float64')}"


def function_by_key(key: str) -> DifferentiableFunction:
    """Return a function by its key, which contains how it is derived from the function of a program."""
    found = _FUNCTIONS.get(key)
    if found is not None:
        return found
    if " " not in key:
        raise ArgumentError(
            "this program calls a function of Linkwright that this process does not have: create it first, by the call "
            "of lw.bridges.torch(…) or lw.bridges.jax(…) with which the program was exported"
        )
    before, kind, wrt = key.rsplit(" ", 2)
    of = function_by_key(before)
    return (of.jvp if kind == "jvp" else of.vjp)(tuple(map(int, wrt.split(","))))


def function_of(function: Callable[..., Any], model: Model | None, inputs: dict[str, Any]) -> DifferentiableFunction:
    """Return the differentiable function of a function or a kernel."""
    kernel = function if isinstance(function, Kernel) else _compiled(function, model, inputs)
    if kernel is function:
        if inputs:
            raise ArgumentError(f"{kernel.program.name} is compiled: it takes no {', '.join(inputs)}")
        if model is not None:
            require_model(model, "bridges", "the mechanism")
            if kernel.model is not None and kernel.model is not model:
                raise ArgumentError(f"{kernel.program.name} is compiled for {kernel.model.name!r}, not for this model")
    if kernel.program.precision != "double":
        raise ArgumentError(
            f"{kernel.program.name} is of single precision; functions of PyTorch and JAX have the precision of their "
            "arguments, float32 or float64: compile it without precision"
        )
    if not kernel.program.inputs:
        raise ArgumentError(f"{kernel.program.name} has no arguments")
    key = kernel.program.digest
    return _FUNCTIONS.setdefault(key, DifferentiableFunction(kernel.program, kernel.model, key, kernel))


def _compiled(function: Callable[..., Any], model: Model | None, inputs: dict[str, Any]) -> Kernel:
    if function is rollout:
        if model is None:
            raise ArgumentError("a rollout requires a mechanism, and none is given: (rollout, model, steps=…)")
        signature = inspect.signature(rollout_kernel)
        try:
            signature.bind(model, **inputs)
        except TypeError:
            raise wrong_call("rollout", signature, (model,), inputs) from None
        return rollout_kernel(model, **inputs)
    if function is inverse_kinematics:
        if model is None:
            raise ArgumentError(
                "inverse kinematics requires a mechanism, and none is given: (inverse_kinematics, model, targets=…)"
            )
        return inverse_kinematics_kernel(model, **inputs)
    if model is None and getattr(function, "book", None) is not None and algorithm_of(book_of(function)) is None:
        book = book_of(function)
        parameters = inspect.signature(book).parameters
        annotated = {
            name: shape for name, p in parameters.items() if (shape := annotated_shape(p.annotation)) is not None
        }
        if annotated:  # a function of rows of arrays, whose shapes are annotated
            given = {name: x for name, x in inputs.items() if name in annotated and shape_of(x) is not None}
            fixed = {name: p.default for name, p in parameters.items() if name not in annotated}
            fixed |= {name: x for name, x in inputs.items() if name not in given}
            shapes = {name: shape for name, shape in (annotated | given).items() if name not in fixed}
            return Kernel(trace(bind(book, None, shapes, values=fixed)))
    return compile(function, model, **inputs)
