"""Single precision: batches of kernels with float32 and float64, interleaved, on one thread, in process time.

python benchmarks/single_precision.py
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwright as lw
from linkwright_gallery.benchmark.clock import machine

ROWS = 1024
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "forward_dynamics": lw.forward_dynamics,
    "inverse_dynamics": lw.inverse_dynamics,
    "mass_matrix": lw.mass_matrix,
}


def damped_steps(model: lw.Model, q: Any, v: Any) -> Any:
    """Ten steps of a damped fall, as a loop."""

    def step(k: Any, q: Any, v: Any) -> Any:
        v = v + 1e-3 * (lw.forward_dynamics(model, q, v, -0.1 * v))
        return lw.integrate(model, q, 1e-3 * v), v

    return lw.repeat(10, step, q, v)


def kernel_times(function: Callable[..., Any], model: lw.Model, rounds: int) -> tuple[dict[str, float], float]:
    """Nanoseconds of a row in each precision, minima of all rounds, and the largest relative difference."""
    rng = np.random.default_rng(0)
    q = np.array([lw.integrate(model, model.neutral(), rng.normal(size=model.nv)) for _ in range(ROWS)])
    calls, results, known = {}, {}, {"q": q}
    for precision, dtype in (("double", np.float64), ("single", np.float32)):
        kernel = lw.compile(function, model, precision=precision)
        kernel.threads = 1
        arrays = []
        for slot in kernel.program.inputs:
            given = known.setdefault(slot.name, rng.normal(size=(ROWS, *slot.shape)))
            arrays.append(np.ascontiguousarray(given, dtype))
        outs = tuple(np.empty((ROWS, *slot.shape), dtype) for slot in kernel.program.outputs)
        out = outs[0] if kernel.program.single else outs
        calls[precision] = lambda kernel=kernel, arrays=arrays, out=out: kernel(*arrays, out=out)
        calls[precision]()
        results[precision] = outs[0]
    times = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for precision, call in calls.items():
            began = time.process_time_ns()
            for _ in range(10):
                call()
            times[precision] = min(times[precision], (time.process_time_ns() - began) / (10 * ROWS))
    exact = results["double"]
    return times, float(abs(results["single"] - exact).max() / abs(exact).max())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    table = Table("robot", "function", "float64, ns a row", "float32, ns a row", "ratio", "difference")
    for robot in ("arm7", "quadruped", "humanoid"):
        model = lw.load(robot)
        for name, function in {**FUNCTIONS, "ten damped steps": damped_steps}.items():
            times, difference = kernel_times(function, model, rounds)
            double, single = times["double"], times["single"]
            table.add_row(robot, name, f"{double:.1f}", f"{single:.1f}", f"{double / single:.2f}", f"{difference:.0e}")
    console = Console()
    console.print(f"batches of {ROWS} rows, one thread, process time; {machine()}")
    console.print(table)


if __name__ == "__main__":
    main()
