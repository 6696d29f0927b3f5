"""Functions of PyTorch tensors: eager calls with their own autograd function, and one operator for `torch.compile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from linkwright.bridges.functions import DifferentiableFunction, function_by_key, remedy
from linkwright.errors import ArgumentError

Tensors = tuple[Any, ...]

_FLOAT64, _FLOAT32 = torch.float64, torch.float32
_transforms_active = torch._C._are_functorch_transforms_active
_is_tracing, _dispatch_modes = torch._C._is_tracing, torch._C._len_torch_dispatch_stack
"""Whether `torch.jit` or a mode, such as that of `make_fx` and of fake tensors, records the calls of operators."""


class TorchFunction:
    """A function of tensors, created by :func:`linkwright.bridges.torch`.

    Parameters
    ----------
    function : DifferentiableFunction
        Function.
    """

    def __init__(self, function: DifferentiableFunction):
        self.function = function
        self.__name__ = function.name
        self.__doc__ = f"{function.name} of PyTorch tensors ({', '.join(function.names)})."
        self._key, self._single, self._count = function.key, function.single, len(function.shapes)
        self._kernel = function.kernel

    def __call__(self, *tensors: Any, **named: Any) -> Any:
        """Return the result as a tensor, several results as a tuple."""
        if named or len(tensors) != self._count:
            tensors = self.function.in_order(tensors, named)
        if torch.is_autocast_enabled("cpu"):
            tensors = tuple([_without_half_precision(x) for x in tensors])
        if torch.compiler.is_compiling() or _is_tracing() or _dispatch_modes():
            results = torch.ops.linkwright.call(list(tensors), self._key)
        elif self._single and (dtype := _plain_dtype(tensors)) is not None:
            kernel = self._kernel if dtype is _FLOAT64 else self.function.single_kernel or self._kernel
            try:
                result = _tensor(kernel(*[x.numpy() for x in tensors]))
                return result if result.dtype is dtype else result.to(dtype)
            except (TypeError, RuntimeError):  # explained below
                results = _evaluated(self.function, tensors)
        else:
            results = _evaluated(self.function, tensors)
        return results[0] if self._single else tuple(results)

    def __repr__(self) -> str:
        return f"<{self.__name__} of PyTorch tensors ({', '.join(self.function.names)})>"


def _without_half_precision(x: Any) -> Any:
    """Return a tensor that `torch.autocast` has made in half precision in single precision, as its own operators do."""
    return x.float() if isinstance(x, torch.Tensor) and x.dtype in (torch.bfloat16, torch.float16) else x


def _plain_dtype(tensors: Tensors) -> Any:
    """Return the common type of tensors that need neither derivatives nor conversions: the shortest path; or None."""
    dtype = tensors[0].dtype if isinstance(tensors[0], torch.Tensor) else None
    if dtype is not _FLOAT64 and dtype is not _FLOAT32:
        return None
    for x in tensors:
        if x.__class__ is not torch.Tensor or x.dtype is not dtype or x.requires_grad:
            return None
    return dtype if not _transforms_active() and forward_ad._current_level < 0 else None


def _evaluated(f: DifferentiableFunction, xs: Tensors) -> Tensors:
    """Return the results of eager tensors, in a graph of autograd where that is needed."""
    for name, x in zip(f.names, xs, strict=True):
        if not isinstance(x, torch.Tensor):
            raise ArgumentError(
                f"{f.name}: {name} must be a torch.Tensor; got {type(x).__name__}: torch.as_tensor({name})"
            )
    if _transforms_active() or forward_ad._current_level >= 0:
        results: Tensors = _TransformedCall.apply(f, *xs)
        return results
    if torch.is_grad_enabled():
        for x in xs:
            if x.requires_grad:
                results = _RecordedCall.apply(f, *xs)
                return results
    return _run(f, xs)


def _run(f: DifferentiableFunction, xs: Tensors) -> Tensors:
    """Run the kernel of the tensors' type on arrays that share their memory; others are converted to float64."""
    dtype, kernel = _FLOAT64, f.kernel
    for x in xs:
        if x.dtype is not _FLOAT64:
            dtype = _checked_dtype(f, xs)
            if dtype is _FLOAT32:
                kernel = f.single_kernel or kernel
            break
    try:
        arrays = [x.detach().numpy() for x in xs]
    except (TypeError, RuntimeError) as error:
        if any(map(torch._C._functorch.is_legacy_batchedtensor, xs)):
            raise ArgumentError(
                f"{f.name}: PyTorch batches this derivative by an earlier form of vmap (is_grads_batched, vectorize, "
                "check_batched_grad), which needs rules of PyTorch's own operators: use torch.func.vmap, "
                "torch.func.jacrev or torch.func.jacfwd"
            ) from error
        _checked_dtype(f, xs)
        arrays = [x.numpy(force=True) for x in xs]  # also of a tensor of zeros without memory, or of a negative view
    found = kernel(*arrays)
    results = found if found.__class__ is tuple else (found,)
    if dtype is _FLOAT64 or kernel is not f.kernel:
        return tuple([_tensor(y) for y in results])
    return tuple([_tensor(y).to(dtype) for y in results])


def _tensor(result: Any) -> Any:
    """Return a kernel's result, an array or a number, as a tensor that shares its memory."""
    return torch.from_numpy(result) if result.__class__ is np.ndarray else _number(result)


def _number(result: Any) -> Any:
    return torch.scalar_tensor(result, dtype=_FLOAT32 if result.__class__ is np.float32 else _FLOAT64)


def _checked_dtype(f: DifferentiableFunction, xs: Tensors) -> Any:
    """Return the type of the results, after checks of the tensors."""
    dtype = xs[0].dtype
    for name, x in zip(f.names, xs, strict=True):
        if x.dtype is not _FLOAT64 and x.dtype is not _FLOAT32:
            raise ArgumentError(
                f"{f.name}: {name} has dtype {x.dtype}; expected torch.float64 or torch.float32: "
                + remedy(name, str(x.dtype).removeprefix("torch."), "to(torch.{})")
            )
        if x.device.type != "cpu":
            raise ArgumentError(
                f"{f.name}: {name} is on device {x.device}; Linkwright computes on the CPU: {name}.cpu()"
            )
        if x.is_nested:
            raise ArgumentError(f"{f.name}: {name} is a nested tensor; expected a dense tensor")
        if x.layout is not torch.strided:
            raise ArgumentError(f"{f.name}: {name} has layout {x.layout}; expected a dense tensor: {name}.to_dense()")
        dtype = torch.promote_types(dtype, x.dtype)
    return dtype


def _pulled_back(f: DifferentiableFunction, needed: Sequence[bool], xs: Tensors, ws: Tensors, call: Any) -> list[Any]:
    """Return the adjoints of the arguments that need one, summed over dimensions along which they were broadcast."""
    wrt = tuple(k for k, one in enumerate(needed) if one)
    found: list[Any] = [None] * len(xs)
    if wrt:
        for k, adjoint in zip(wrt, call(f.vjp(wrt), (*xs, *ws)), strict=True):
            found[k] = adjoint.sum_to_size(xs[k].shape).to(xs[k].dtype)
    return found


class _RecordedCall(torch.autograd.Function):  # type: ignore[misc]
    """A call in a graph of autograd, without transformations of `torch.func`: less than half of their overhead."""

    @staticmethod
    def forward(ctx: Any, f: DifferentiableFunction, *xs: Any) -> Tensors:  # type: ignore[override]
        ctx.f = f
        ctx.save_for_backward(*xs)
        return _run(f, xs)

    @staticmethod
    def backward(ctx: Any, *ws: Any) -> Any:
        return None, *_pulled_back(ctx.f, ctx.needs_input_grad[1:], ctx.saved_tensors, ws, _evaluated)


class _TransformedCall(torch.autograd.Function):  # type: ignore[misc]
    """A call under transformations of `torch.func`, or in forward mode."""

    @staticmethod
    def forward(f: DifferentiableFunction, *xs: Any) -> Tensors:  # type: ignore[override]
        return _run(f, xs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.f, *xs = inputs
        ctx.save_for_backward(*xs)
        ctx.save_for_forward(*xs)

    @staticmethod
    def backward(ctx: Any, *ws: Any) -> Any:
        return None, *_pulled_back(ctx.f, ctx.needs_input_grad[1:], ctx.saved_tensors, ws, _evaluated)

    @staticmethod
    def jvp(ctx: Any, _: Any, *ts: Any) -> Any:  # type: ignore[override]
        xs = ctx.saved_tensors
        wrt = tuple(k for k, t in enumerate(ts) if t is not None)
        return tuple(_evaluated(ctx.f.jvp(wrt), (*xs, *(ts[k] for k in wrt))))

    @staticmethod
    def vmap(info: Any, in_dims: Any, f: DifferentiableFunction, *xs: Any) -> Any:
        arrays = _with_batch_first(f, in_dims[1:], xs)
        results = _evaluated(f, arrays)
        return results, (0,) * len(results)


def _with_batch_first(f: DifferentiableFunction, places: Sequence[int | None], xs: Tensors) -> Tensors:
    """Return tensors whose mapped dimension comes first, before all other batch dimensions."""
    most = max(x.ndim - (place is not None) - len(s) for x, place, s in zip(xs, places, f.shapes, strict=True))
    found = []
    for x, place, shape in zip(xs, places, f.shapes, strict=True):
        if place is not None:
            x = x.movedim(place, 0)
            lead = x.ndim - 1 - len(shape)
            x = x.reshape((x.shape[0], *(1,) * (most - lead), *x.shape[1:]))
        found.append(x)
    return tuple(found)


def _run_operator(xs: list[torch.Tensor], key: str) -> list[torch.Tensor]:
    """Run a function in a compiled graph."""
    return list(_run(function_by_key(key), tuple(xs)))


def _results_of_operator(xs: list[torch.Tensor], key: str) -> list[torch.Tensor]:
    """Return tensors of the shapes of the results, while a graph is compiled."""
    f = function_by_key(key)
    dtype = _checked_dtype(f, tuple(xs))
    batch = f.batch_of([x.shape for x in xs], torch.broadcast_shapes)
    return [torch.empty((*batch, *shape), dtype=dtype) for shape in f.result_shapes]


def _called(f: DifferentiableFunction, xs: Tensors) -> Any:
    return torch.ops.linkwright.call(list(xs), f.key)


def _keep_arguments(ctx: Any, inputs: Any, output: Any) -> None:
    xs, ctx.key = inputs
    ctx.save_for_backward(*xs)


def _pull_back(ctx: Any, ws: Any) -> Any:
    xs = ctx.saved_tensors
    return _pulled_back(function_by_key(ctx.key), ctx.needs_input_grad[0], xs, tuple(ws), _called), None


def _map_operator(info: Any, in_dims: Any, xs: Any, key: str) -> Any:
    results = _called(f := function_by_key(key), _with_batch_first(f, in_dims[0], tuple(xs)))
    return results, [0] * len(results)


_SCHEMA = "(Tensor[] xs, str key) -> Tensor[]"
"""Types of the operator; PyTorch 2.6 does not derive them from ``list[Tensor]``."""

_operator = torch.library.custom_op(
    "linkwright::call", _run_operator, mutates_args=(), device_types="cpu", schema=_SCHEMA
)
"""The operator of all functions in compiled graphs."""
_operator.register_fake(_results_of_operator)
_operator.register_autograd(_pull_back, setup_context=_keep_arguments)
_operator.register_vmap(_map_operator)
