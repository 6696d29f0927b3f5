"""Functions of JAX arrays: a primitive whose code XLA calls directly, without Python.

Every function, every product with its Jacobian matrix, and every product of those is one call of the same primitive.
Its derivative along tangents is the call of another function, which is linear in the tangents; the transposed function
of that is the product with the transposed Jacobian matrix. JAX derives everything else from these two rules.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from linkwright.bridges.functions import DifferentiableFunction, function_by_key, remedy
from linkwright.compiler.native import machine, runtime
from linkwright.compiler.native.entry import call_table
from linkwright.errors import ArgumentError, LinkwrightError

_LOADED: list[Any] = []
"""Handlers and their tables: XLA knows their addresses for the rest of the process."""


class JaxFunction:
    """A function of JAX arrays, created by :func:`linkwright.bridges.jax`.

    Parameters
    ----------
    function : DifferentiableFunction
        Function.
    """

    def __init__(self, function: DifferentiableFunction):
        self.function = function
        self.__name__ = function.name
        self.__doc__ = f"{function.name} of JAX arrays ({', '.join(function.names)})."

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """Return the result as an array, several results as a tuple."""
        f = self.function
        xs = _checked(f, f.in_order(arrays, named))
        batch = f.batch_of([x.shape for x in xs], jnp.broadcast_shapes)
        xs = [_broadcast(x, batch, shape) for x, shape in zip(xs, f.shapes, strict=True)]
        results = _call.bind(*xs, key=f.key)
        return results[0] if f.single else tuple(results)

    def __repr__(self) -> str:
        return f"<{self.__name__} of JAX arrays ({', '.join(self.function.names)})>"


def _checked(f: DifferentiableFunction, given: Sequence[Any]) -> list[Any]:
    """Return the arguments as arrays of one type, float64 or float32."""
    xs = []
    for name, x in zip(f.names, given, strict=True):
        try:
            kind = None if isinstance(x, np.ndarray) else jnp.result_type(float)
            x = x if isinstance(x, jax.Array) else jnp.asarray(x, kind)
        except (TypeError, ValueError) as error:
            kind = getattr(x, "dtype", None)
            what = "must be an array of real numbers; got" if kind is None else f"has dtype {kind}, which JAX lacks:"
            raise ArgumentError(f"{f.name}: {name} {what} {x!r:.200}") from error
        if x.dtype not in (np.float64, np.float32):
            raise ArgumentError(
                f"{f.name}: {name} has dtype {x.dtype}; expected float64 or float32: "
                + remedy(name, str(x.dtype), "astype({!r})")
            )
        xs.append(x)
    dtype = jnp.result_type(*xs)
    return [x if x.dtype == dtype else x.astype(dtype) for x in xs]


def _broadcast(x: Any, batch: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Return an array with all batch dimensions, or none: one row that all share."""
    whole = (*batch, *shape)
    return x if x.shape in (shape, whole) else jnp.broadcast_to(x, whole)


_call = Primitive("linkwright_call")
_call.multiple_results = True


def _batch(f: DifferentiableFunction, xs: Sequence[Any]) -> tuple[int, ...]:
    return max((x.shape[: x.ndim - len(s)] for x, s in zip(xs, f.shapes, strict=True)), key=len)


def _abstract_results(*xs: Any, key: str) -> list[ShapedArray]:
    f = function_by_key(key)
    batch = _batch(f, xs)
    return [ShapedArray((*batch, *shape), xs[0].dtype) for shape in f.result_shapes]


def _by_xla(*xs: Any, key: str) -> Any:
    """Return the results by a handler of XLA."""
    f = function_by_key(key)
    batch = _batch(f, xs)
    if f.kernel._native is None:
        raise LinkwrightError(f"{f.name} has arrays without entries, and therefore no machine code that XLA can call")
    results = [jax.ShapeDtypeStruct((*batch, *shape), xs[0].dtype) for shape in f.result_shapes]
    single = all(isinstance(size, int) and size == 1 for size in batch)  # a size may be a symbol of jax.export
    precision = "single" if xs[0].dtype == np.float32 and f.single_kernel is not None else "double"
    call = jax.ffi.ffi_call(_target(key, single, precision), results, vmap_method="broadcast_all")
    return list(call(*xs))


@cache
def _target(key: str, single: bool, precision: str) -> str:
    """Return the name by which XLA finds the handler of a function, of one row or of batches."""
    f = function_by_key(key)
    kernel = f.single_kernel if precision == "single" else f.kernel
    assert kernel is not None
    native = kernel._native
    assert native is not None
    kernel.prepare(rows=single, batches=not single)
    table = call_table(kernel.program, native.long, _never)
    if single:
        table.row = native.row
    else:
        table.loop = native.loop
    text = (
        "declare ptr @call_from_xla(ptr, ptr, i64)\n"
        "define ptr @handler(ptr %frame) {\n"
        f"  %table = inttoptr i64 {ctypes.addressof(table)} to ptr\n"
        f"  %failure = tail call ptr @call_from_xla(ptr %frame, ptr %table, i64 {_minor_version()})\n"
        "  ret ptr %failure\n"
        "}\n"
    )
    code = machine.Code(machine.generate(text), _shared_code(), ("handler",))
    machine.stay(code)
    _LOADED.append((code, table, f))
    name = f"linkwright {key} {'row' if single else 'batch'} {precision}"
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(code.exported["handler"]), platform="cpu")
    return name


@cache
def _minor_version() -> int:
    """Return the minor version of XLA's interface of handlers, from the header that is installed with it."""
    header = Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text(encoding="utf-8")
    major, minor = (re.search(rf"#define XLA_FFI_API_{part} (\d+)", header) for part in ("MAJOR", "MINOR"))
    if major is None or minor is None or major[1] != "0":
        raise LinkwrightError("this version of JAX calls external code in another way: update Linkwright")
    return int(minor[1])


def _never(*_: Any) -> None:
    """Stand for the function in Python of a call table, which XLA does not call."""


@cache
def _shared_code() -> dict[str, int]:
    """Return the address of `call_from_xla` (`compiler/native/c/xla.c`)."""
    return runtime.load(
        runtime.__name__, "c/xla.ll", ("call_from_xla",), {"poll_signals": runtime.addresses()["poll_signals"]}
    )


def _tangents(xs: Sequence[Any], ts: Sequence[Any], *, key: str) -> Any:
    f = function_by_key(key)
    results = _call.bind(*xs, key=key)
    wrt = tuple(k for k, t in enumerate(ts) if type(t) is not ad.Zero)
    moved = [ad.instantiate_zeros(ts[k]) for k in wrt]
    return results, _call.bind(*xs, *moved, key=f.jvp(wrt).key)


def _transposed(cotangents: Sequence[Any], *xs: Any, key: str) -> Any:
    """Return the cotangents of the arguments that are unknown, in which the function is linear."""
    f = function_by_key(key)
    unknown = [k for k, x in enumerate(xs) if ad.is_undefined_primal(x)]
    if f.product_of is None:
        raise ArgumentError(f"{f.name} is not linear, and has no transpose; jax.vjp transposes its derivative")
    of, wrt, kind = f.product_of
    count = len(of.shapes)
    known = xs[:count]
    cotangents = [ad.instantiate_zeros(c) for c in cotangents]
    if kind == "jvp":
        asked = tuple(wrt[k - count] for k in unknown)
        found = _call.bind(*known, *cotangents, key=of.vjp(asked).key)
    else:
        every = _call.bind(*known, *cotangents, key=of.jvp(wrt).key)
        found = [every[k - count] for k in unknown]
    pulled: list[Any] = [None] * len(xs)
    for k, c in zip(unknown, found, strict=True):
        own = xs[k].aval.shape
        pulled[k] = c if c.shape == own else c.reshape(-1, *own).sum(0)  # of one row that all share
    return pulled


def _mapped(xs: Sequence[Any], places: Sequence[Any], *, key: str) -> Any:
    f = function_by_key(key)
    size = next(x.shape[p] for x, p in zip(xs, places, strict=True) if p is not None)
    # numbers of Python come as numbers
    moved = [jnp.asarray(x) if p is None else jnp.moveaxis(x, p, 0) for x, p in zip(xs, places, strict=True)]
    of_one = [x.shape[(p is not None) :] for x, p in zip(moved, places, strict=True)]
    batch = max((s[: len(s) - len(shape)] for s, shape in zip(of_one, f.shapes, strict=True)), key=len)
    arrays = []
    for x, p, own, shape in zip(moved, places, of_one, f.shapes, strict=True):
        if p is not None and own == shape:  # rows of this dimension, shared by all others
            x = jnp.broadcast_to(x.reshape(size, *(1,) * len(batch), *shape), (size, *batch, *shape))
        elif p is None and own != shape:
            x = jnp.broadcast_to(x, (size, *x.shape))
        arrays.append(x)
    results = _call.bind(*arrays, key=key)
    return results, [0] * len(results)


def _on_other_platforms(*xs: Any, key: str) -> Any:
    """Raise :class:`ArgumentError` where XLA compiles for a GPU or TPU."""
    raise ArgumentError(
        f"{function_by_key(key).name} is compiled for a device other than the CPU; Linkwright computes on the CPU: "
        'place the arrays there, jax.device_put(x, jax.devices("cpu")[0])'
    )


_call.def_abstract_eval(_abstract_results)
_call.def_impl(jax.jit(_by_xla, static_argnames="key"))
mlir.register_lowering(_call, mlir.lower_fun(_by_xla, multiple_results=True), platform="cpu")
mlir.register_lowering(_call, mlir.lower_fun(_on_other_platforms, multiple_results=True))
ad.primitive_jvps[_call] = _tangents
ad.primitive_transposes[_call] = _transposed
batching.primitive_batchers[_call] = _mapped
