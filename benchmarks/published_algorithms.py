"""Count and time the algorithms of the published sources next to the library's own, for 6 to 60 joints.

    python benchmarks/published_algorithms.py

This writes the tables into the page of this name in docs/internals. The mass matrix is computed by composite bodies, by
unit vectors and by Jacobians (S0); the Jacobian with its rate by the listing of S4 and by the library; the momentum
matrix by the recursion of irteus (S2) and by the library. All are compiled by the library, for chains and for trunks
with two arms of general revolute joints. Operations are the compiler's counts of multiplications and additions. Times
are processor times of a row in batches of 256 on one thread: minima of many interleaved rounds.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np

import linkwright as lw
from linkwright import dynamics
from linkwright.visual import palette
from linkwright_gallery.benchmark.clock import interleaved, machine
from linkwright_gallery.published import branched, momentum_by_subtrees, path_to_hand, rate_by_listing, serial

PAGE = Path(__file__).parent.parent / "docs" / "internals" / "benchmarks" / "published_algorithms.md"
PICTURE = PAGE.parents[2] / "pictures" / "published_algorithms.png"
SIZES = (6, 12, 20, 30, 40, 60)
TREES: dict[str, Callable[[int], lw.Model]] = {"serial": serial, "branched": branched}
ROWS = 256


class Algorithm(NamedTuple):
    """A kernel, and how often it runs for one row."""

    kernel: lw.Kernel
    runs: int = 1


Algorithms = dict[str, Algorithm | None]
"""None where the code would be too large"""


def compiled(function: Callable[..., Any], model: lw.Model | None = None, **options: Any) -> Algorithm | None:
    """Return an algorithm on one thread; None if it is too large."""
    try:
        kernel = lw.compile(function, model, **options)
    except lw.errors.TooLargeError:
        return None
    kernel.threads = 1
    return Algorithm(kernel)


def mass_matrices(model: lw.Model) -> Algorithms:
    """Three methods of the mass matrix; inverse dynamics n times where that is too large as one function."""
    methods = {"composite": "composite", "unit vectors": "unit_vector", "Jacobians": "jacobian"}
    made = {name: compiled(lw.mass_matrix, model, method=method) for name, method in methods.items()}
    if made["unit vectors"] is None:
        resting, still = model.with_gravity([0, 0, 0]), np.zeros(model.nv)
        column = compiled(lambda q, a: dynamics.inverse_dynamics(resting, q, still, a), q=model.nv, a=model.nv)
        made["unit vectors"] = column._replace(runs=model.nv) if column else None
    return made


def jacobian_rates(model: lw.Model) -> Algorithms:
    """The Jacobian of the hand with its rate, by the library and by the listing."""
    path, n = path_to_hand(model), model.nv
    on = list(path.joints)

    def both(model: lw.Model, q: Any, v: Any) -> Any:
        return lw.jacobian(model, q, "hand"), lw.jacobian_dot(model, q, v, "hand")

    listing = compiled(lambda q, v: rate_by_listing(path, q[on], v[on]), q=n, v=n)
    return {"Linkwright": compiled(both, model), "listing": listing}


def momentum_matrices(model: lw.Model) -> Algorithms:
    """The momentum matrix, by the library and by the recursion of irteus."""
    irteus = compiled(lambda q: momentum_by_subtrees(model, q), q=model.nv)
    return {"Linkwright": compiled(lw.momentum_matrix, model), "irteus": irteus}


TABLES: dict[str, Callable[[lw.Model], Algorithms]] = {
    "mass matrix": mass_matrices,
    "Jacobian and its rate": jacobian_rates,
    "momentum matrix": momentum_matrices,
}


def measured(algorithms: Algorithms, n: int, rounds: int) -> tuple[dict[str, str], float]:
    """Return "multiplications + additions | ns" of each algorithm, and the largest difference of their results."""
    q, v = np.random.default_rng(0).normal(size=(2, ROWS, n))
    calls: dict[str, tuple[Callable[[], Any], int]] = {}
    results = []
    for name, one in algorithms.items():
        if one is None:
            continue
        arguments = (q, v)[: len(one.kernel.program.inputs)]
        if one.runs > 1:
            arguments = np.repeat(q, n, axis=0), np.tile(np.eye(n), (ROWS, 1))
        out = one.kernel(*arguments)
        calls[name] = (partial(one.kernel, *arguments, out=out), ROWS)
        results.append(out)
    found = interleaved(calls, rounds, 1e-3, time.process_time)
    cells = {}
    for name, one in algorithms.items():
        if one is None:
            cells[name] = "– | –"
        else:
            count, times = one.kernel.operations, f"{one.runs} × " if one.runs > 1 else ""
            operations = f"{count.multiplications:,} + {count.additions:,}"
            cells[name] = f"{times}({operations}) | " if times else f"{operations} | "
            cells[name] += f"{found[name].minimum:,.0f}"
    gaps = [np.abs(_joined(other) - _joined(results[0])).max() for other in results[1:]]
    return cells, float(max(gaps, default=0.0))


def _joined(result: Any) -> Any:
    """Outputs one after another, without columns of zeros: those of joints that do not move the hand."""
    rows = np.concatenate([x.reshape(ROWS, -1) for x in (result if isinstance(result, tuple) else (result,))], axis=1)
    return rows[:, rows.any(axis=0)]


def table(name: str, sizes: Sequence[int], rounds: int) -> str:
    """Return one table in Markdown."""
    rows, heads = [], []
    for kind, make in TREES.items():
        for n in sizes:
            cells, gap = measured(TABLES[name](make(n)), n, rounds)
            heads = list(cells)
            rows.append(f"| {kind}, {n} | {' | '.join(cells.values())} |")
            print(f"{name}: {rows[-1]}  differ by {gap:.0e}", flush=True)
    columns = " | ".join(f"{head}: × + additions | ns" for head in heads)
    lines = [f"| joints | {columns} |", f"|---|{'---:|' * (2 * len(heads))}", *rows]
    return "\n".join(lines)


def part(text: str, name: str) -> str:
    """Return the part of a page between two comments, with the comments."""
    marks = f"<!-- {name}: written by benchmarks/published_algorithms.py -->", f"<!-- end of {name} -->"
    found = re.search(f"{re.escape(marks[0])}.*?{re.escape(marks[1])}", text, re.DOTALL)
    if not found:
        sys.exit(f"{PAGE} has no part {name!r}")
    return found[0]


def replaced(text: str, name: str, content: str) -> str:
    """Return a page with the content between two comments replaced."""
    old = part(text, name)
    first, last = old.splitlines()[0], old.splitlines()[-1]
    return text.replace(old, f"{first}\n\n{content}\n\n{last}")


def drawn(text: str) -> Any:
    """Return a figure of the times in the tables of a page, against the number of joints."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(TABLES), figsize=(12.0, 3.8), layout="constrained")
    for axes, name in zip(panels, TABLES, strict=True):
        lines = [line.strip("| ").split(" | ") for line in part(text, name).splitlines() if line.startswith("|")]
        heads = [head.partition(":")[0] for head in lines[0][1::2]]
        for kind, style in zip(TREES, ("o-", "s--"), strict=True):
            rows = [line for line in lines if line[0].startswith(kind)]
            for k, head in enumerate(heads):
                points = [(int(row[0].split()[1]), row[2 + 2 * k].strip()) for row in rows]
                known = [(n, float(time.replace(",", ""))) for n, time in points if time != "–"]
                axes.plot(*zip(*known, strict=True), style, color=palette.COLORS[k], label=f"{head}, {kind}", ms=4)
        axes.set(xscale="log", yscale="log", title=name, xlabel="joints", ylabel="ns per row")
        axes.set_xticks(SIZES, [str(n) for n in SIZES])
        axes.minorticks_off()
        axes.legend(fontsize=8)
    return figure


def main() -> None:
    """Measure the tables, and write them into the page with a picture of the times."""
    parser = argparse.ArgumentParser(description="Count and time published algorithms.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of joints")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--draw", action="store_true", help="only draw the picture of the page")
    options = parser.parse_args()
    if not options.draw:
        measure(options.sizes, options.rounds)
    with matplotlib.rc_context(palette.STYLE):
        drawn(PAGE.read_text(encoding="utf-8")).savefig(PICTURE, dpi=110)


def measure(sizes: Sequence[int], rounds: int) -> None:
    """Measure the tables, and write them into the page with a description of the machine."""
    for name in TABLES:
        content = table(name, sizes, rounds)
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), name, content), encoding="utf-8")
    here = machine()
    processor = f"{here['processor']} ({here['code generated for']}), {here['clock']}, {here['vectors']}"
    text = f"{processor}, LLVM {here['llvm']}, load {here['load']}"
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "machine", text), encoding="utf-8")


if __name__ == "__main__":
    main()
