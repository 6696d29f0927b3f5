"""Interleaved timing: every contender once a round, so that what else the machine does hits all alike."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any, NamedTuple

import numpy as np


class Timing(NamedTuple):
    """Nanoseconds per row (or call)."""

    minimum: float
    median: float


def interleaved(
    contenders: Mapping[str, tuple[Callable[[], Any], int]],
    rounds: int = 25,
    least: float = 2e-3,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Time each contender (a call, and how many rows it does) once a round.

    A call is repeated within a round until ``least`` seconds have passed, so that clocks and caches settle.
    ``clock`` may be ``time.process_time``: of one thread on a busy machine it leaves out what others took.
    """
    repeats: dict[str, int] = {}
    for name, (call, _) in contenders.items():
        call()
        repeats[name] = _repeats(call, least, clock)
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (call, rows) in contenders.items():
            began = clock()
            for _ in range(repeats[name]):
                call()
            samples[name].append((clock() - began) / repeats[name] / rows * 1e9)
    return {name: Timing(min(times), median(times)) for name, times in samples.items()}


def _repeats(call: Callable[[], Any], least: float, clock: Callable[[], float]) -> int:
    """Return how many calls take ``least`` seconds; clocks of processor time may be coarse."""
    repeats = 1
    while True:
        began = clock()
        for _ in range(repeats):
            call()
        taken = clock() - began
        if taken >= 0.5 * least:
            return max(1, int(repeats * least / taken))
        repeats *= 2


def cycles_per_ns() -> float:
    """The core's clock now: whole numbers squared one after the other take three cycles each (x86-64, most arm64)."""
    import ctypes

    import llvmlite.binding as llvm

    from linkwright.compiler.native.machine import generate

    squares = "\n".join(f"  %x{k + 1} = mul i64 %x{k}, %x{k}" for k in range(8))
    text = f"""define i64 @squares(i64 %n, i64 %x) {{
start:
  br label %turn
turn:
  %i = phi i64 [0, %start], [%next, %turn]
  %x0 = phi i64 [%x, %start], [%x8, %turn]
{squares}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret i64 %x8
}}"""
    code = generate(text)
    linker = llvm.create_lljit_compiler()
    library = llvm.JITLibraryBuilder().add_object_img(code).export_symbol("squares").link(linker, "clock")
    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(library["squares"])
    turns, best = 500_000, float("inf")
    for _ in range(8):
        began = time.process_time()  # without the time that other processes take
        run(turns, 3)
        best = min(best, time.process_time() - began)
    return 3 * 8 * turns / best * 1e-9


def machine() -> dict[str, str]:
    """Return a description of the machine."""
    from linkwright.compiler.native.machine import target

    found = target()
    vectors = [f for f in ("avx2", "fma", "avx512f", "neon") if f in found.enabled]
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": load,
        "clock": f"{cycles_per_ns():.2f} GHz",
        "vectors": f"{' '.join(vectors)} ({found.width} lanes)",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvm": ".".join(map(str, found.llvm)),
        "code generated for": found.cpu,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
        return names[0] if names else platform.processor()
    except OSError:
        return platform.processor() or platform.machine()
