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
    contenders: Mapping[str, tuple[Callable[[], Any], int]], rounds: int = 25, least: float = 2e-3
) -> dict[str, Timing]:
    """Time each contender (a call, and how many rows it does) once a round.

    A call is repeated within a round until ``least`` seconds have passed, so that clocks and caches settle.
    """
    repeats: dict[str, int] = {}
    for name, (call, _) in contenders.items():
        call()
        began = time.perf_counter()
        call()
        repeats[name] = max(1, int(least / max(time.perf_counter() - began, 1e-9)))
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (call, rows) in contenders.items():
            began = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            samples[name].append((time.perf_counter() - began) / repeats[name] / rows * 1e9)
    return {name: Timing(min(times), median(times)) for name, times in samples.items()}


def machine() -> dict[str, str]:
    """What this is measured on."""
    from linkwright.compiler.machine import target

    found = target()
    vectors = [f for f in ("avx2", "fma", "avx512f", "neon") if f in found.enabled]
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": load,
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
