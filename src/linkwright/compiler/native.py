"""From a program to machine code that Python can call: from the cache, or made and kept there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler import cache, llvm, machine
from linkwright.compiler.call import universal_function
from linkwright.compiler.program import Looped, Program
from linkwright.errors import LinkwrightError

_ROWS_MEASURED = 512


class Native(NamedTuple):
    """A program's machine code."""

    batches: Callable[..., Any]
    """NumPy's generalised universal function"""
    entry: int
    """address of the way in for single rows"""
    width: int
    """rows at once"""
    from_cache: bool
    exported: Mapping[str, int]
    """addresses of further functions"""
    keep: Any
    """what must live as long as the code may be called"""


def build(program: Program | Looped, symbols: Mapping[str, int], tune: bool = False) -> Native:
    """The machine code, with as many lanes as the target's registers have, or as measured fastest."""
    target = machine.target()
    if isinstance(program, Looped):
        return _with_lanes(program, symbols, program.width(target.width))
    if not tune:
        return _with_lanes(program, symbols, target.width)
    name = cache.key(f"tuned {program.digest}", target, 0)
    kept = cache.read(name)
    if kept is not None:
        return _with_lanes(program, symbols, int(kept))
    made = [_with_lanes(program, symbols, width) for width in target.widths]
    best = min(made, key=measurement(program))
    cache.write(name, str(best.width).encode())
    return best


def _with_lanes(program: Program | Looped, symbols: Mapping[str, int], width: int) -> Native:
    target = machine.target()
    tables, kept = program.tables() if isinstance(program, Looped) else ({}, None)
    symbols, exports = {**symbols, **tables}, program.exports if isinstance(program, Looped) else ()
    name = cache.key(program.digest, target, width)
    image = cache.read(name)
    if image is not None:
        try:
            return _native(program, machine.Code(image, symbols, exports), width, True, kept)
        except (RuntimeError, LinkwrightError):
            pass  # not loadable by this LLVM: made anew
    if isinstance(program, Looped):
        text = program.text(target, width)
    else:
        text = llvm.module_text(program, width, target.fused, target.processor)
    image = machine.generate(text, _scheduled(program))
    cache.write(name, image)
    return _native(program, machine.Code(image, symbols, exports), width, False, kept)


MANY_RESULTS = 40
LONG = 10_000


def _scheduled(program: Program | Looped) -> bool:
    """Whether LLVM's scheduler is of use.

    It wins up to a tenth where results are few. Where they are many, each stored as soon as it is known, its
    reordering keeps more of them waiting (measured: up to a third slower); and on long programs it takes most
    of the time of compilation.
    """
    if isinstance(program, Looped):
        return False  # steps write many numbers each
    results = sum(slot.size for slot in program.outputs)
    return results <= MANY_RESULTS and len(program.instructions) <= LONG


def _native(program: Program | Looped, code: machine.Code, width: int, from_cache: bool, tables: Any = None) -> Native:
    batches, keep = universal_function(program, code)
    return Native(batches, code.entry, width, from_cache, code.exported, (keep, tables))


def measurement(program: Program | Looped) -> Callable[[Native], float]:
    """How long a batch takes: the shortest of many runs, which other work on the machine disturbs least."""
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((_ROWS_MEASURED, *slot.shape)) for slot in program.inputs]
    outputs = tuple(np.empty((_ROWS_MEASURED, *slot.shape)) for slot in program.outputs)

    def measure(native: Native) -> float:
        return shortest(lambda: native.batches(*inputs, out=outputs))

    return measure


def shortest(run: Callable[[], object]) -> float:
    """Seconds of the shortest of many runs."""
    times: list[float] = []
    end = time.perf_counter() + 0.02
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def row_time(program: Program | Looped, width: int) -> float:
    """Roughly how many nanoseconds a row of a batch takes, to decide on threads."""
    count = program.operations
    costly = 30 * count.sincos + 10 * (count.divisions + count.square_roots) + 20 * width * count.other
    moved = sum(slot.size for slot in (*program.inputs, *program.outputs))
    return (count.total + costly + 4 * moved) / (6 * width)
