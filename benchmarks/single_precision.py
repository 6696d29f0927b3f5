"""Single precision: batches with float32 and float64, interleaved, on one thread, in process time.

    python benchmarks/single_precision.py [kernels] [contact] [ROBOT FILE ...]

- "kernels": functions of one configuration.
- "contact": steps of robots that fall on the ground from 1 cm with random velocities, and that rest there, with joints
  on springs, joint limits and the default solver; heights, speeds and drifts at rest in both precisions. The robots are
  a box, the library's quadruped and humanoid, and those of the files, such as go2.urdf.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwright as lw
from linkwright_gallery.benchmark.clock import machine

ROWS = 1024
MOTIONS, STEPS, H, SETTLE = 256, 50, 2e-3, 2000
RATE = 60.0
"""1/s, of a joint on its spring"""
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


def grounded(name: str) -> lw.Model:
    """Return a robot, or the box, on the ground."""
    if name == "box":
        made = lw.Builder("box").body("box", 1.0, inertia=0.004).joint("free", "free", "world", "box")
        return made.shape("box", "box", size=(0.2, 0.2, 0.2)).build().with_ground()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not Path(name).suffix:
            return lw.load(name).with_ground()
        model = lw.load(name, root="free") if name.endswith(".urdf") else lw.load(name)
        planes = any(shape.kind == "plane" for shape in model.shapes)
        return model.with_contact(itself=False) if planes else model.with_ground()


def on_springs(model: lw.Model, q: np.ndarray) -> lw.Model:
    """Return the robot with springs and dampers at all joints except the floating base."""
    inertia = 1.0 / np.diag(np.linalg.inv(lw.mass_matrix(model, q)))
    joints = []
    for joint in model.joints:
        at = model.slice(joint.name)
        k = RATE**2 * inertia[at.v].max()
        spring = {"stiffness": np.full(joint.nv, k), "damping": np.full(joint.nv, 2.0 * k / RATE), "rest": q[at.q]}
        joints.append(joint if joint.motion.floating else replace(joint, **spring))
    return replace(model, joints=tuple(joints))


def rest(model: lw.Model, q: np.ndarray, v: np.ndarray, method: lw.Integrator) -> tuple[float, ...]:
    """Return the median height, speed, and drift of the base in a second, after the fall."""
    end = lw.rollout(model, q, v, SETTLE, H, method=method)
    later = lw.rollout(model, end, None, round(1.0 / H), H, method=method)
    drift = np.linalg.norm(later.q[-1][:, :3] - end.q[-1][:, :3], axis=-1)
    return tuple(float(np.median(x)) for x in (1e3 * end.q[-1][:, 2], abs(later.v[-1]).max(axis=-1), 1e3 * drift))


def contact_steps(name: str, rounds: int, table: Table) -> None:
    """Add rows of a robot that falls and that rests."""
    model, rng = grounded(name), np.random.default_rng(0)
    single, double = (
        lw.Integrator("semi_implicit", joint_limits=True, threads=1, precision=one) for one in ("single", "double")
    )
    q = np.tile(model.neutral(), (MOTIONS, 1))
    if name != "box":
        q[:] = lw.standing_configuration(model, np.clip(model.neutral(), model.lower, model.upper))
        model = on_springs(model, q[0])
    q[:, 2] += 0.11 if name == "box" else 0.01
    v = 0.3 * rng.standard_normal((MOTIONS, model.nv))
    fallen = lw.rollout(model, q, v, SETTLE, H, method=double)
    for what, start in (("falls", (q, v)), ("rests", (fallen.q[-1], fallen.v[-1]))):
        run = {one: partial(lw.rollout, model, *start, STEPS, H, method=one) for one in (double, single)}
        times = {one: np.inf for one in run if run[one]()}
        for _ in range(rounds):
            for one, call in run.items():
                began = time.process_time_ns()
                call()
                times[one] = min(times[one], (time.process_time_ns() - began) / (STEPS * MOTIONS))
        cells = [f"{times[double]:.0f}", f"{times[single]:.0f}", f"{times[double] / times[single]:.2f}"]
        more = ["", "", ""]
        if what == "rests":
            of_each = zip(*(rest(model, q, v, one) for one in (double, single)), strict=True)
            more = [f"{one:.4g}, {other:.4g}" for one, other in of_each]
        table.add_row(Path(name).stem, what, str(len(model.pairs)), *cells, *more)


def _machine() -> str:
    return ", ".join(f"{name} {value}" for name, value in machine().items())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["kernels", "contact"])
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    console, files = Console(width=160), [one for one in arguments.parts if Path(one).suffix]
    if "kernels" in arguments.parts:
        console.print(f"batches of {ROWS} rows, one thread, process time; {_machine()}", kernel_table(arguments.rounds))
    if files or "contact" in arguments.parts:
        columns = ("robot", "motion", "pairs", "float64, ns a step", "float32, ns a step", "ratio")
        measured = ("median height, mm", "median speed, m/s", "drift in a second, mm")
        table = Table(*columns, *(f"{one} (64, 32)" for one in measured))
        for name in (*(("box", "quadruped", "humanoid") if "contact" in arguments.parts else ()), *files):
            contact_steps(name, max(3, arguments.rounds // 10), table)
        console.print(f"batches of {MOTIONS} motions, {H:g} s a step, one thread, process time; {_machine()}", table)


def kernel_table(rounds: int) -> Table:
    """Return the table of functions of one configuration."""
    table = Table("robot", "function", "float64, ns a row", "float32, ns a row", "ratio", "difference")
    for robot in ("arm7", "quadruped", "humanoid"):
        model = lw.load(robot)
        for name, function in {**FUNCTIONS, "ten damped steps": damped_steps}.items():
            times, difference = kernel_times(function, model, rounds)
            double, single = times["double"], times["single"]
            table.add_row(robot, name, f"{double:.1f}", f"{single:.1f}", f"{double / single:.2f}", f"{difference:.0e}")
    return table


if __name__ == "__main__":
    main()
