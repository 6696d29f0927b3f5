"""Blocks of Lagrange's equations, recursions within blocks and plain assembly: operations and times by size of blocks.

``python benchmarks/written_blocks.py times`` measures built-in mechanisms; ``structures`` and ``operations`` count
those of the robots of the package example-robot-data. They write their tables into docs/internals/assembly/written.md.
All masses and lengths are arguments of the kernels (``parameters=["structure"]``).

Operations are the compiler's counts. Times are processor times of one thread, minima of interleaved rounds: one call of
the kernel with Python's part, and a row of a batch of 512.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.dynamics.assembly.structure_parameters import structural_form
from linkwright_gallery.benchmark.clock import interleaved, machine
from linkwright_gallery.experiments.survey import robot_files

PAGE = Path(__file__).parent.parent / "docs" / "internals" / "assembly" / "written.md"
MECHANISMS = ("arm7", "puma560", "planar:7", "chain3d:6", "chain3d:12", "quadruped")
SIZES = (1, 2, 3, 4, 5, 6)
ROWS = 512
SURVEYED = SIZES
MOST_BODIES = 20
"""Larger robots take minutes to trace."""


def compiled(model: lw.Model, size: int, blocks: str) -> lw.Kernel | None:
    """Return forward dynamics in blocks with masses and lengths as arguments; None if it is too long."""
    try:
        kernel = lw.compile(
            lw.forward_dynamics, model, method="hybrid", partition=size, blocks=blocks, parameters=["structure"]
        )
    except lw.errors.TooLargeError:
        return None
    kernel.threads = 1
    return kernel


def rows_of(name: str, rounds: int) -> list[str]:
    """Return the rows of a mechanism: the kernels by the number of bodies in a block."""
    model = lw.load(name)
    q, rng = model.random(ROWS, seed=0), np.random.default_rng(1)
    v, tau = rng.normal(size=(2, ROWS, model.nv))
    expected = lw.forward_dynamics(model, q, v, tau)
    calls: dict[str, tuple[Callable[[], Any], int]] = {}
    kernels: dict[tuple[int, str], lw.Kernel] = {}
    n = len(model.bodies)
    worst = 0.0
    sizes = sorted({*(size for size in SIZES if size < n), n})
    for size in sizes:
        for blocks in ("recursive", "lagrange"):
            kernel = compiled(model, size, blocks)
            if kernel is None:
                continue
            kernels[size, blocks] = kernel
            structure = lw.structure_parameters(model, size)
            found = kernel(q, v, tau, structure)
            worst = max(worst, float(np.abs(found - expected).max() / np.abs(expected).max()))
            one = (np.ascontiguousarray(x[0]) for x in (q, v, tau))
            calls[f"single {size} {blocks}"] = partial(kernel, *one, structure), 1
            calls[f"batch {size} {blocks}"] = partial(kernel, q, v, tau, structure, out=found), ROWS
    times = interleaved(calls, rounds, 1e-3, time.process_time)
    made = []
    for size in sizes:
        cells = []
        for blocks in ("recursive", "lagrange"):
            kernel = kernels.get((size, blocks))
            if kernel is None:
                cells += ["–"] * 3
                continue
            single, batch = (times[f"{kind} {size} {blocks}"].minimum for kind in ("single", "batch"))
            cells += [f"{kernel.operations.total:,}", f"{single / 1000:.2f}", f"{batch:.0f}"]
        label = "1 (plain assembly)" if size == 1 else f"all {n}" if size == n else str(size)
        made.append(f"| {name} | {label} | {' | '.join(cells)} |")
        print(made[-1], flush=True)
    print(f"{name}: largest relative error {worst:.0e}", flush=True)
    return made


def measure(rounds: int) -> None:
    """Write the table of operations and times."""
    heads = "| mechanism | bodies in a block, at most | recursion: operations | µs, one call | ns, a row |"
    heads += " Lagrange: operations | µs, one call | ns, a row |"
    lines = [heads, f"|---|---|{'---:|' * 6}"]
    for name in MECHANISMS:
        lines += rows_of(name, rounds)
    here = machine()
    lines += ["", f"Measured on {here['processor']} ({here['code generated for']}), {here['clock']}, {rounds} rounds."]
    replace_part("times", "\n".join(lines))


def robots(most: int) -> list[lw.Model]:
    """Return the robots of example-robot-data of at most ``most`` bodies, each tree once, without mimic joints."""
    found: dict[Any, lw.Model] = {}
    for file in robot_files():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = lw.load(file).snapped()
        except lw.errors.LinkwrightError:
            continue
        if model.bodies and not model.has_couplings and len(model.bodies) <= most:
            axes = tuple(round(float(link.placement[2, 2]), 3) for link in model.links)
            found.setdefault((tuple(link.parent for link in model.links), axes), model)
    return list(found.values())


def count_structures() -> None:
    """Write the table of structures over the blocks of the robots."""
    structures: Counter[Any] = Counter()
    axes: Counter[Any] = Counter()
    many = 0
    for model in robots(most=1000):
        try:
            found = structural_form(model, None, 4).structures
        except lw.errors.LinkwrightError as error:
            print(f"{model.name}: {error}"[:150], flush=True)
            continue
        many += 1
        for one in found:
            if one is not None:
                structures[one] += 1
                axes[one._replace(joints=tuple(joint and joint[:2] for joint in one.joints))] += 1
    lines = [
        f"| structures of {sum(axes.values())} blocks of at most 4 bodies, {many} robots | different | best 5 "
        "| best 10 | best 20 |",
        "|---|---:|---:|---:|---:|",
    ]
    for label, counted in (("tree, handles and axes", axes), ("and the lengths that occur", structures)):
        shares = [sum(times for _, times in counted.most_common(k)) / sum(counted.values()) for k in (5, 10, 20)]
        lines.append(f"| {label} | {len(counted)} | {' | '.join(f'{100.0 * x:.0f} %' for x in shares)} |")
    lines += ["", "| most frequent | blocks |", "|---|---:|"]
    lines += [f"| {name_of(one)} | {times} |" for one, times in axes.most_common(8)]
    replace_part("structures", "\n".join(lines))


def name_of(structure: Any) -> str:
    """Return a structure in words: "base R⊥R∥R, handles 0 3": each joint with its relation to the one before."""
    signs = {"parallel": "∥", "antiparallel": "∦", "perpendicular": "⊥", "oblique": "∠"}
    text = "base" if structure.floating else "ground"
    for k, joint in enumerate(structure.joints):
        if joint is not None:
            parent, kind = structure.parents[k], "R" if joint[0] == "hinge" else "P"
            branch = "" if parent in (k - 1, -1) else f", from {parent} "
            text += f"{branch}{signs[joint[1]] if parent >= 0 else ' '}{kind}"
    return f"{text}; handles {' '.join(map(str, structure.handles)) or 'none'}"


def count_operations() -> None:
    """Write the table of operations by the size of blocks, over the robots of at most MOST_BODIES bodies."""
    ratios: dict[str, dict[str, float]] = {}
    for model in robots(most=MOST_BODIES):
        counts: dict[str, float] = {}
        try:
            for size in SURVEYED:
                for blocks in ("recursive", "lagrange"):
                    if (kernel := compiled(model, size, blocks)) is not None:
                        counts[f"{size} {blocks}"] = float(kernel.operations.total)
        except lw.errors.LinkwrightError as error:
            print(f"{model.name}: {error}"[:150], flush=True)
            continue
        ratios[model.name] = {key: value / counts["1 lagrange"] for key, value in counts.items()}
        print(model.name, len(model.bodies), {k: round(x, 2) for k, x in ratios[model.name].items()}, flush=True)
    lines = [
        "| bodies in a block, at most | recursion: operations to those of plain assembly | Lagrange: the same "
        "| robots with the fewest, Lagrange |",
        "|---|---:|---:|---:|",
    ]
    for size in SURVEYED:
        columns = ([one[f"{size} {blocks}"] for one in ratios.values()] for blocks in ("recursive", "lagrange"))
        means = [float(np.mean(column)) for column in columns]
        best = sum(min(SURVEYED, key=lambda k: one[f"{k} lagrange"]) == size for one in ratios.values())
        lines.append(f"| {size} | {means[0]:.2f} | {means[1]:.2f} | {best} |")
    lines += ["", f"Means over {len(ratios)} robots of at most {MOST_BODIES} bodies."]
    replace_part("operations", "\n".join(lines))


def replace_part(name: str, content: str) -> None:
    """Replace the part of the page between two comments."""
    first, last = f"<!-- {name}: written by benchmarks/written_blocks.py -->", f"<!-- end of {name} -->"
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(f"{re.escape(first)}.*?{re.escape(last)}", text, re.DOTALL)
    if not found:
        sys.exit(f"{PAGE} has no part {name!r}")
    PAGE.write_text(text.replace(found[0], f"{first}\n\n{content}\n\n{last}"), encoding="utf-8")


def main() -> None:
    """Measure or count, and write the table."""
    parser = argparse.ArgumentParser(description="Compare written-out blocks, recursions in blocks, and assembly.")
    parser.add_argument("what", choices=("times", "structures", "operations"))
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    {"times": partial(measure, options.rounds), "structures": count_structures, "operations": count_operations}[
        options.what
    ]()


if __name__ == "__main__":
    main()
