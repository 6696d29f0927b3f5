"""Predict the gain of more processors from the depth and the operations of schedules of long chains.

    python benchmarks/scaling.py [FILE]

Times are predicted, not measured: numbers of dependent operations (`dynamics/assembly/cost.py`) for 1 to 10 000
processors with one operation per processor simultaneously. The program writes a table and, given a file name, a figure.
"""

from __future__ import annotations

import sys

import numpy as np

import linkwright as lw
from linkwright.dynamics.assembly.choice import block_schedule
from linkwright.dynamics.assembly.cost import node_costs, time
from linkwright.dynamics.assembly.schedule import schedule_of
from linkwright.visual import palette

PROCESSORS = (1, 2, 8, 64, 512, 4096, 10_000)
LENGTHS = (32, 1000, 10_000)


def chain(n: int) -> lw.Model:
    """n hinges, no two links or axes alike: what is general, as the model of costs is."""
    rng = np.random.default_rng(0)
    builder, parent = lw.Builder(f"chain of {n}"), "world"
    for k in range(n):
        moments = rng.uniform(0.1, 0.2, 3)
        builder.body(f"body{k}", mass=rng.uniform(0.5, 1.0), center_of_mass=0.1 * rng.normal(size=3), inertia=moments)
        place = {"xyz": 0.2 * rng.normal(size=3), "rpy": rng.normal(size=3), "axis": rng.normal(size=3)}
        builder.joint(f"joint{k}", "revolute", parent, f"body{k}", **place)
        parent = f"body{k}"
    return builder.build()


def main() -> None:
    curves: dict[str, list[float]] = {}
    for n in LENGTHS:
        model = chain(n)
        widths = [1] * n
        print(f"\n{n} hinges: operations that wait for each other")
        schedules = {name: schedule_of(model, name) for name in ("serial", "balanced", "grouped:16")}
        for name, schedule in schedules.items():
            total = sum(node_costs(schedule, widths))
            waiting = [time(schedule, widths, P) for P in PROCESSORS]
            print(f"  {name}: depth {schedule.depth}, {total:.3g} in all; " + ", ".join(f"{x:.3g}" for x in waiting))
            curves[f"{name}, {n}"] = waiting
        best = [block_schedule(model, "balanced", processors=P) for P in PROCESSORS]
        waiting = [time(one, widths, P) for one, P in zip(best, PROCESSORS, strict=True)]
        sizes = ", ".join(f"{x:.3g} ({max(map(len, one.blocks))})" for x, one in zip(waiting, best, strict=True))
        print(f"  best blocks (most bodies in one): {sizes}")
        curves[f"blocks, {n}"] = waiting
    if len(sys.argv) > 1:
        draw(curves, sys.argv[1])


def draw(curves: dict[str, list[float]], path: str) -> None:
    import matplotlib.pyplot as plt

    plt.rcParams.update(palette.STYLE)
    figure, axes = plt.subplots(figsize=(7, 4.5))
    styles = {"serial": ":", "balanced": "--", "blocks": "-"}
    for name, values in curves.items():
        kind, n = name.split(", ")
        if kind in styles and int(n) >= 1000:
            axes.loglog(PROCESSORS, values, styles[kind], label=name, color="C0" if n == "1000" else "C1")
    axes.set_xlabel("processors (or lanes)")
    axes.set_ylabel("operations that wait for each other")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
