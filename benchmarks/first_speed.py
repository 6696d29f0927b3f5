"""Compare inverse and forward dynamics of arms and humanoids in batches with Pinocchio's batched functions.

One core, both in one run, interleaved, on the same mechanism (Pinocchio's model is built joint by joint from
Linkwright's, and the results are compared first). Run it on a quiet machine:

    python benchmarks/first_speed.py
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright_gallery.benchmark.clock import interleaved, machine
from linkwright_gallery.benchmark.peers import Pinocchio, States

RESULTS = Path(__file__).parent / "results"
ROWS = 4096
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": lw.inverse_dynamics,
    "forward_dynamics": lw.forward_dynamics,
}
LAST = {"inverse_dynamics": "a", "forward_dynamics": "tau"}


def robots() -> dict[str, lw.Model]:
    """Two arms of seven joints and two humanoids, built in and from files (where those are installed)."""
    found = {"arm7": lw.load("arm7"), "humanoid": lw.load("humanoid")}
    try:
        data = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        return found
    folder = Path(str(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        panda = lw.load(folder / "panda_description/urdf/panda.urdf")
        found["panda"] = panda.lock({"panda_finger_joint1": 0.02})
        found["g1"] = lw.load(folder / "g1_description/urdf/g1_29dof_rev_1_0.urdf", root="free")
    return {name: found[name] for name in ("arm7", "panda", "humanoid", "g1")}


def compile_times(function: Callable[..., Any], model: lw.Model, repeats: int = 3) -> tuple[float, float]:
    """Seconds from the function to a kernel that can be called: without a cache, and with."""

    def once() -> float:
        began = time.perf_counter()
        lw.compile(function, model)
        return time.perf_counter() - began

    before = os.environ.get("LINKWRIGHT_CACHE")
    try:
        os.environ["LINKWRIGHT_CACHE"] = "off"
        cold = min(once() for _ in range(repeats))
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            os.environ["LINKWRIGHT_CACHE"] = folder
            once()
            cached = min(once() for _ in range(repeats))
    finally:
        os.environ.pop("LINKWRIGHT_CACHE")
        if before is not None:
            os.environ["LINKWRIGHT_CACHE"] = before
    return cold, cached


def measure(name: str, function: str, model: lw.Model, rounds: int) -> dict[str, Any]:
    """One line of the table."""
    rng = np.random.default_rng(0)
    v, x = rng.normal(size=(2, ROWS, model.nv))
    states = States(model.random(ROWS, seed=rng), v, x, x, "world")
    kernel = lw.compile(FUNCTIONS[function], model)
    kernel.threads = 1
    arrays = (states.q, states.v, getattr(states, LAST[function]))
    out = kernel(*arrays)
    theirs = Pinocchio(model, states).batch(function, kernel.program)
    assert theirs is not None
    assert theirs.rows == ROWS
    gap = max(
        float(np.abs(x - y).max() / (1.0 + np.abs(y).max())) for x, y in zip(out, theirs.results(64), strict=False)
    )
    if not gap < 1e-8:
        raise SystemExit(f"{name} {function}: the results differ by {gap:.1e}; nothing was timed")
    times = interleaved({"ours": (lambda: kernel(*arrays, out=out), ROWS), "theirs": (theirs.call, ROWS)}, rounds)
    ours, other = times["ours"], times["theirs"]
    cold, cached = compile_times(FUNCTIONS[function], model)
    return {
        "robot": name,
        "nv": model.nv,
        "function": function,
        "operations": kernel.operations.total,
        "linkwright_ns": ours._asdict(),
        "pinocchio_ns": other._asdict(),
        "ratio_of_minima": other.minimum / ours.minimum,
        "ratio_of_medians": other.median / ours.median,
        "difference": gap,
        "compile_s": cold,
        "cached_s": cached,
    }


def shown(results: list[dict[str, Any]], about: dict[str, str]) -> Table:
    """The lines as a table."""

    def nanoseconds(timing: dict[str, float]) -> str:
        return f"{timing['minimum']:.1f} ({timing['median']:.1f})"

    title = f"{ROWS} rows, one thread; ns per row, minimum (median)\n" + ", ".join(f"{k} {v}" for k, v in about.items())
    table = Table(title=title, title_justify="left")
    for column in (
        "robot",
        "nv",
        "function",
        "operations",
        "Pinocchio",
        "Linkwright",
        "ratio",
        "compile s",
        "cached s",
    ):
        table.add_column(column, justify="left" if column in ("robot", "function") else "right")
    for line in results:
        table.add_row(
            line["robot"],
            str(line["nv"]),
            line["function"],
            str(line["operations"]),
            nanoseconds(line["pinocchio_ns"]),
            nanoseconds(line["linkwright_ns"]),
            f"{line['ratio_of_minima']:.1f} ({line['ratio_of_medians']:.1f})",
            f"{line['compile_s']:.2f}",
            f"{line['cached_s']:.3f}",
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50, help="how often each is timed, in turns")
    rounds = parser.parse_args().rounds
    if not Pinocchio.installed():
        raise SystemExit("Pinocchio is not installed: pip install linkwright[peers]")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    about = machine() | {"Pinocchio": version("pin"), "Linkwright": version("linkwright")}
    results = [measure(name, function, model, rounds) for name, model in robots().items() for function in FUNCTIONS]
    Console().print(shown(results, about))
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"first_speed-{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.write_text(json.dumps({"machine": about, "rows": ROWS, "results": results}, indent=1), encoding="utf-8")
    print(f"written to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")


if __name__ == "__main__":
    main()
