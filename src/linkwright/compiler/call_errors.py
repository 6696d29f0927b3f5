"""Arguments of kernels as text: errors of calls, and the representation in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from linkwright.compiler.ir.program import Program, ProgramSignature
from linkwright.compiler.ir.staged import Staged
from linkwright.errors import ArgumentError, ShapeError


def explain_call(program: ProgramSignature, arrays: tuple[Any, ...], out: Any, hint: str) -> None:
    """Raise the error of a call in terms of its arguments; ``hint``: on arguments that are bound to values."""
    name, slots = program.name, program.inputs
    expected = ", ".join(f"{slot.name} {shown_shape(slot.shape)}" for slot in slots)
    if len(arrays) != len(slots):
        raise ArgumentError(f"{name} takes {len(slots)} arrays ({expected}); got {len(arrays)}{hint}") from None
    leads = []
    for slot, given in zip(slots, arrays, strict=True):
        try:
            x = np.asarray(given)
        except ValueError:
            raise ShapeError(f"{name}: the rows of {slot.name} are not of one length") from None
        except (TypeError, RuntimeError):  # of a library that records operations on it
            raise no_array(name, slot.name, given, f"{name}, model") from None
        if x.dtype.kind not in "fiub":
            raise ArgumentError(f"{name}: {slot.name} must be an array of real numbers; got dtype {x.dtype}") from None
        core = x.shape[x.ndim - len(slot.shape) :] if x.ndim >= len(slot.shape) else x.shape
        if core != slot.shape:
            raise ShapeError(f"{name}: {slot.name} has shape {x.shape}; expected {shown_shape(slot.shape)}") from None
        leads.append(x.shape[: x.ndim - len(slot.shape)])
    try:
        batch = np.broadcast_shapes(*leads)
    except ValueError:
        shown = ", ".join(f"{slot.name} {lead}" for slot, lead in zip(slots, leads, strict=True))
        raise ShapeError(f"{name}: these batch dimensions do not broadcast: {shown}") from None
    if out is not None:
        for slot, target in zip(program.outputs, out if isinstance(out, tuple) else (out,), strict=False):
            if not isinstance(target, np.ndarray) or target.shape != (*batch, *slot.shape):
                got = target.shape if isinstance(target, np.ndarray) else target
                raise ShapeError(f"{name}: out must be an array {(*batch, *slot.shape)}; got {got!r}") from None


def no_array(name: str, argument: str, given: Any, bridged: str) -> ArgumentError:
    """Return the error of an object of JAX, PyTorch or CasADi without values; ``bridged``: arguments of the bridge."""
    library = type(given).__module__.partition(".")[0].removesuffix("lib")
    bridge = f"; linkwright.bridges.{library}({bridged}) accepts it" * (library in ("jax", "torch"))
    bridge += f"; linkwright.compile({bridged}).casadi() accepts it" * (library == "casadi")
    return ArgumentError(f"{name}: {argument} cannot be converted to an array of NumPy; got {given!r:.200}{bridge}")


def shown_shape(shape: tuple[int, ...]) -> str:
    """Return the shape of an argument with any batch dimensions, as text."""
    return f"(…, {', '.join(map(str, shape))})" if shape else "(…)"


def written_in_html(program: Program | Staged) -> str:
    """Return the inputs and outputs of a program with their shapes, and its operation counts, in HTML."""
    slots = [("input", s.name, shown_shape(s.shape)) for s in program.inputs]
    slots += [("output", s.name, shown_shape(s.shape)) for s in program.outputs]
    rows = "".join(f"<tr>{''.join(f'<td>{escape(x)}</td>' for x in row)}</tr>" for row in slots)
    text = f"<p>kernel <b>{escape(program.name)}</b>: {escape(str(program.operations))}</p>"
    return f"{text}<table><tr><th></th><th>name</th><th>shape</th></tr>{rows}</table>"
