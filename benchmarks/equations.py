"""Measure the derivation of exact equations of motion, and SymPy's own two methods with simplification.

Every case runs in a separate process with a time limit, which also separates peak memory. Linkwright's equations are
checked against the compiled dynamics at random states and parameters, SymPy's against Linkwright's. Run it on a quiet
machine:

    python benchmarks/equations.py
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwright as lw
from linkwright.errors import TooLargeError
from linkwright_gallery.benchmark.clock import machine

RESULTS = Path(__file__).parent / "results"
INERTIAL = {"geometry": "numbers", "inertial": "all", "gravity": "numbers", "passive": "numbers"}
CASES: dict[str, tuple[str, Any, float]] = {
    "two links, all symbolic": ("two_link", "symbols", 0.020),
    "three links, all symbolic": ("planar:3", "symbols", 0.1),
    "four links, all symbolic": ("planar:4", "symbols", 0.1),
    "seven links in a plane, all symbolic": ("planar:7", "symbols", 1.0),
    "PUMA 560, numeric geometry, all inertial symbolic": ("puma560", INERTIAL, 1.0),
    "seven joints in space (arm7), the same": ("arm7", INERTIAL, 5.0),
}
"""robot, parameters, and the seconds it may take"""
TOO_LARGE = ("planar:12", "planar:20", "humanoid")
LINKS = (2, 3, 4)
METHODS = ("LagrangesMethod", "KanesMethod")
SIMPLIFIERS = ("trigsimp", "simplify")
ROUNDS = 15
ENOUGH = 20.0
"""s, after which a measurement is not repeated"""
AGREE = 1e-12


# what the processes do; each prints lines of JSON as soon as it knows something


def report(**found: Any) -> None:
    print(json.dumps(found), flush=True)


def repeated(once: Callable[[], Any], rounds: int) -> list[float]:
    """Seconds of each round; fewer rounds where they take long."""
    times: list[float] = []
    while len(times) < rounds and sum(times) < ENOUGH:
        began = time.perf_counter()
        once()
        times.append(time.perf_counter() - began)
    return times


def peak_memory() -> float:
    """Return the peak memory in MiB, of this process alone where the system reports it."""
    status = Path("/proc/self/status")
    if status.exists():
        found = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(found.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)


def derive(robot: str, parameters: Any) -> None:
    """M, h and g in normal form."""
    model = lw.load(robot)
    lw.equations(lw.load("pendulum")).canonical  # noqa: B018 (what is imported when first needed)
    report(before_MiB=peak_memory())
    times = repeated(lambda: lw.equations(model, parameters).canonical, ROUNDS)
    made = lw.equations(model, parameters)
    report(first_s=times[0], median_s=median(times), rounds=len(times), terms=made.canonical.terms)
    report(names=len(made.parameters), operations=made.operations.total, peak_MiB=peak_memory())
    report(disagreement=disagreement(made))


def disagreement(made: lw.Equations) -> float:
    """max |x − ref| / (1 + max |ref|) of M, g and h + g in floats, against the compiled dynamics.

    At the model's parameters and at two random sets of them, five random states each.
    """
    from linkwright.expression.polynomials.polynomial import evaluate
    from linkwright.symbolic.derivation.plan import realized

    worst = 0.0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        values = dict(made.parameters)
        if seed:
            values = {name: x * rng.uniform(0.5, 2.0) if x else rng.normal() for name, x in values.items()}
        model = realized(made._plan, lambda x, name, at=values: float(x) * (at[name] if name else 1.0))
        for q in model.random(5, seed=rng):
            v = rng.normal(size=model.nv)
            at = values | dict(zip(made.coordinates.q, q, strict=True)) | dict(zip(made.coordinates.v, v, strict=True))
            M, h, g = (evaluate(form.flat, at).reshape(form.shape) for form in made.canonical)
            for x, y in (
                (M, lw.mass_matrix(model, q)),
                (g, lw.gravity_forces(model, q)),
                (h + g, lw.bias_forces(model, q, v)),
            ):
                worst = max(worst, float(np.abs(x - y).max() / (1.0 + np.abs(y).max())))
    return worst


def convert(robot: str, parameters: Any) -> None:
    """Text, and SymPy's matrices, of what is derived already."""
    import sympy

    model = lw.load(robot)
    first = lw.equations(lw.load("pendulum"))
    first.text(), first.mass_matrix
    made = lw.equations(model, parameters)
    made.canonical  # noqa: B018
    report(text_s=median(repeated(made.text, 3)), characters=len(made.text()))

    def matrices() -> None:
        sympy.core.cache.clear_cache()
        for what in ("mass_matrix", "velocity_forces", "gravity_forces"):
            made.sympy(what)

    report(sympy_s=median(repeated(matrices, 3)), peak_MiB=peak_memory())


def refuse(robot: str, _: Any) -> None:
    """What is too large, and its code."""
    model = lw.load(robot)
    made = lw.equations(model)
    began = time.perf_counter()
    try:
        report(terms=made.canonical.terms)
    except TooLargeError as failure:
        report(refused_s=time.perf_counter() - began, says=str(failure))
    began = time.perf_counter()
    source = made.c()
    report(code_s=time.perf_counter() - began, kB=len(source) / 1000, operations=made.operations.total)
    report(peak_MiB=peak_memory())


def theirs(n: int, method: str, simplifier: str) -> None:
    """SymPy's method for n links in a plane, simplified, compared with ours."""
    import sympy
    import sympy.physics.mechanics
    from sympy.core.cache import clear_cache

    simplify = getattr(sympy, simplifier)
    derived: list[float] = []
    simplified: list[float] = []
    while not simplified or (len(simplified) < 3 and sum(derived) + sum(simplified) < ENOUGH):
        clear_cache()
        began = time.perf_counter()
        M, forcing, symbols = sympy_chain(n, method)
        derived.append(time.perf_counter() - began)
        report(derived_s=median(derived), raw_operations=int(sympy.count_ops(M) + sympy.count_ops(forcing)))
        began = time.perf_counter()
        M, forcing = M.applyfunc(simplify), forcing.applyfunc(simplify)
        simplified.append(time.perf_counter() - began)
        report(simplified_s=median(simplified), rounds=len(simplified), peak_MiB=peak_memory())
    made = lw.equations(lw.load(f"planar:{n}"))
    rng = np.random.default_rng(n)
    values = {name: float(x) for name, x in zip(symbols, rng.uniform(0.5, 2.0, len(symbols)), strict=True)}
    numbers = {symbols[name]: x for name, x in values.items()}
    from linkwright.expression.polynomials.polynomial import evaluate

    ours_M, h, g = (evaluate(form.flat, values).reshape(form.shape) for form in made.canonical)
    their_M, their_f = (np.array(x.subs(numbers).evalf(), dtype=float) for x in (M, forcing))
    gaps = (np.abs(ours_M - their_M).max(), np.abs(h + g + their_f.ravel()).max())
    report(disagreement=float(max(gaps) / (1.0 + np.abs(ours_M).max())))
    report(operations=int(sympy.count_ops(M) + sympy.count_ops(forcing)))


def sympy_chain(n: int, method: str) -> tuple[Any, Any, dict[str, Any]]:
    """Mass matrix and forcing of n links in a plane, in symbols named as ours are."""
    import sympy
    from sympy.physics import mechanics

    q = mechanics.dynamicsymbols(" ".join(f"theta{k}" for k in range(1, n + 1)), seq=True)
    u = mechanics.dynamicsymbols(" ".join(f"u{k}" for k in range(1, n + 1)), seq=True)
    rates = [x.diff(mechanics.dynamicsymbols._t) for x in q]
    speeds = rates if method == "LagrangesMethod" else u
    names = {name: sympy.Symbol(name, positive=True) for k in range(1, n + 1) for name in (f"m{k}", f"lg{k}", f"I{k}")}
    names |= {f"l{k}": sympy.Symbol(f"l{k}", positive=True) for k in range(1, n)} | {"g": sympy.Symbol("g")}
    world, origin = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    origin.set_vel(world, 0)
    frame, joint, bodies, loads = world, origin, [], []
    for k in range(1, n + 1):
        turned = frame.orientnew(f"A{k}", "Axis", (q[k - 1], frame.z))
        turned.set_ang_vel(frame, speeds[k - 1] * frame.z)
        center = joint.locatenew(f"G{k}", names[f"lg{k}"] * turned.x)
        center.v2pt_theory(joint, world, turned)
        inertia = (mechanics.inertia(turned, 0, 0, names[f"I{k}"]), center)
        body = mechanics.RigidBody(f"B{k}", center, turned, names[f"m{k}"], inertia)
        body.potential_energy = names[f"m{k}"] * names["g"] * center.pos_from(origin).dot(world.y)
        loads.append((center, -names[f"m{k}"] * names["g"] * world.y))
        bodies.append(body)
        if k < n:
            joint = joint.locatenew(f"J{k + 1}", names[f"l{k}"] * turned.x)
            joint.v2pt_theory(center, world, turned)
        frame = turned
    if method == "LagrangesMethod":
        made = mechanics.LagrangesMethod(mechanics.Lagrangian(world, *bodies), q)
        made.form_lagranges_equations()
    else:
        made = mechanics.KanesMethod(world, q, u, [x - y for x, y in zip(rates, u, strict=True)])
        made.kanes_equations(bodies, loads)
    known = names | {f"theta{k + 1}": q[k] for k in range(n)} | {f"theta{k + 1}_dot": speeds[k] for k in range(n)}
    return made.mass_matrix, made.forcing, known


WORKERS: dict[str, Callable[..., None]] = {"derive": derive, "convert": convert, "refuse": refuse, "theirs": theirs}


# what starts them


def measured(worker: str, *arguments: Any, limit: float) -> dict[str, Any]:
    """Return the figures that a process reported until its end or the time limit."""
    command = [sys.executable, __file__, "--worker", json.dumps([worker, *arguments])]
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as stopped:
        return reported(stopped.stdout or b"") | {"stopped_after_s": limit}
    if done.returncode:
        raise SystemExit(f"{worker} {arguments} failed:\n{done.stderr.decode()}")
    return reported(done.stdout)


def reported(lines: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in lines.decode().splitlines():
        found |= json.loads(line)
    return found


def seconds(x: float | None) -> str:
    if x is None:
        return ""
    return f"{1000.0 * x:.1f} ms" if x < 1.0 else f"{x:.1f} s"


def table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    made = Table(title=title, title_justify="left")
    for k, head in enumerate(heads):
        made.add_column(head, justify="right" if k else "left")
    for row in rows:
        made.add_row(*row)
    return made


def show_ours(found: dict[str, dict[str, Any]]) -> Table:
    heads = (
        "equations",
        "names",
        "terms",
        "median",
        "first",
        "allowed",
        "peak MiB",
        "as text",
        "as SymPy",
        "differ by",
    )
    rows = (
        (
            name,
            str(one["names"]),
            str(one["terms"]),
            seconds(one["median_s"]),
            seconds(one["first_s"]),
            seconds(CASES[name][2]),
            f"{one['peak_MiB']:.0f}",
            seconds(one.get("text_s")),
            seconds(one["sympy_s"]) if "sympy_s" in one else "over the limit",
            f"{one['disagreement']:.1e}",
        )
        for name, one in found.items()
    )
    return table("M, h and g in normal form", heads, rows)


def show_theirs(found: list[dict[str, Any]]) -> Table:
    heads = ("SymPy", "links", "derives", "simplifies", "by", "operations", "ours", "with SymPy", "ratio", "error")
    rows = []
    for one in found:
        stopped = "stopped_after_s" in one
        simplified = f"> {one['stopped_after_s']:.0f} s" if stopped else seconds(one["simplified_s"])
        rows.append(
            (
                one["method"],
                str(one["links"]),
                seconds(one.get("derived_s")),
                simplified,
                one["simplifier"],
                str(one.get("operations", "")),
                seconds(one["ours_s"]),
                seconds(one["ours_with_sympy_s"]),
                f"{'> ' if stopped else ''}{one['ratio']:.0f}",
                f"{one['disagreement']:.1e}" if "disagreement" in one else "",
            )
        )
    return table("planar arms, all symbolic: derived and simplified", heads, rows)


def show_large(found: dict[str, dict[str, Any]]) -> Table:
    heads = ("too large", "refused after", "code after", "operations", "C, kB", "peak MiB", "says")
    rows = (
        (
            name,
            seconds(one.get("refused_s")),
            seconds(one["code_s"]),
            str(one["operations"]),
            f"{one['kB']:.0f}",
            f"{one['peak_MiB']:.0f}",
            one.get("says", f"{one.get('terms')} terms"),
        )
        for name, one in found.items()
    )
    return table("too large", heads, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that any one measurement may take")
    parser.add_argument("--links", type=int, nargs="*", default=LINKS, help="how many links SymPy is measured on")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        worker, *arguments = json.loads(chosen.worker)
        WORKERS[worker](*arguments)
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import sympy

    about = machine() | {"SymPy": sympy.__version__}
    console = Console(width=170)
    console.print(", ".join(f"{k} {v}" for k, v in about.items()))
    ours: dict[str, dict[str, Any]] = {}
    for name, (robot, parameters, _) in CASES.items():
        ours[name] = measured("derive", robot, parameters, limit=chosen.limit)
        ours[name] |= {k: v for k, v in measured("convert", robot, parameters, limit=chosen.limit).items() if "_s" in k}
    console.print(show_ours(ours))
    large = {robot: measured("refuse", robot, None, limit=chosen.limit) for robot in TOO_LARGE}
    console.print(show_large(large))
    peers = []
    for n in chosen.links:
        own = measured("derive", f"planar:{n}", "symbols", limit=chosen.limit)
        own |= {k: v for k, v in measured("convert", f"planar:{n}", "symbols", limit=chosen.limit).items() if "_s" in k}
        for method in METHODS:
            for simplifier in SIMPLIFIERS:
                one = measured("theirs", n, method, simplifier, limit=chosen.limit)
                total = one.get("stopped_after_s") or one["derived_s"] + one["simplified_s"]
                one |= {"method": method, "links": n, "simplifier": simplifier, "ours_s": own["median_s"]}
                one |= {"ours_with_sympy_s": own["median_s"] + own["sympy_s"], "ratio": total / own["median_s"]}
                one |= {"ratio_with_sympy": total / one["ours_with_sympy_s"]}
                peers.append(one)
                console.print(f"{method}, {n} links, {simplifier}: {seconds(total)}")
    console.print(show_theirs(peers))
    failures = [f"{name}: {one['disagreement']:.1e}" for name, one in ours.items() if not one["disagreement"] < AGREE]
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"equations-{time.strftime('%Y%m%d-%H%M%S')}.json"
    whole = {"machine": about, "limit_s": chosen.limit, "ours": ours, "sympy": peers, "too_large": large}
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    print(f"written to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
    if failures:
        raise SystemExit(f"these differ from the compiled dynamics: {', '.join(failures)}")


if __name__ == "__main__":
    main()
