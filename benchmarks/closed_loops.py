"""Compare forward dynamics with closed loops with Pinocchio's constraintDynamics and lcaba, on one core in one run.

Linkwright runs batches of 4096 rows (fewer for large mechanisms) and single calls. Pinocchio has no batches with
constraints, so it is called row by row. Times are minima of interleaved rounds; the largest difference of the
accelerations is printed too. The arguments are numbers of four-bars.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.closed_loops.rows import loop_ends
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.loop import Ball, Loop, Weld
from linkwright.model.tree import Model
from linkwright_gallery.benchmark.peers import Pinocchio, States

ROWS, ROUNDS = 4096, 30


def humanoid(hands: bool) -> tuple[Model, np.ndarray]:
    """Feet, or feet and hands, welded to the world."""
    model = lw.load("humanoid")
    q = model.neutral()
    q[7:] = np.random.default_rng(0).uniform(-0.3, 0.3, model.nq - 7)
    ends = ["left_foot", "right_foot", *(["left_hand", "right_hand"] if hands else [])]
    loops = tuple(Loop(f"{name}_held", "world", name, Weld(), lw.pose(model, q, name)) for name in ends)
    return assemble(replace(model.description, loops=loops)), q


def four_bars(n: int) -> tuple[Model, np.ndarray]:
    """With balls for pins: Pinocchio has no hinges as constraints."""
    model = lw.load(f"four_bars:{n}")
    loops = tuple(replace(loop, kind=Ball()) for loop in model.loops)
    return assemble(replace(model.description, loops=loops)), model.neutral()


def theirs(model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> dict[str, Callable[[], np.ndarray]]:
    """Return calls of both algorithms of Pinocchio, each with its own data."""
    tree = Pinocchio(model, States(q[None], v[None], 0.0 * v[None], tau[None], "world"))
    kinds = {"weld": pin.ContactType.CONTACT_6D, "ball": pin.ContactType.CONTACT_3D}
    loops = pin.StdVec_RigidConstraintModel()
    own, other = pin.StdVec_RigidConstraintData(), pin.StdVec_RigidConstraintData()
    for loop in model.loops:
        first, second = (
            (end.body + 1, pin.SE3(end.placement[:3, :3], end.placement[:3, 3])) for end in loop_ends(model, loop)
        )
        one = pin.RigidConstraintModel(kinds[loop.type], tree.model, *second, *first, pin.LOCAL)
        one.m_baumgarte_parameters.Kp = one.m_baumgarte_parameters.Kd = 0.0
        loops.append(one)
        own.append(one.createData())
        other.append(one.createData())
    settings = pin.ProximalSettings(1e-12, 1e-8, 10)
    pin.initConstraintDynamics(tree.model, tree.data, loops, own)
    x, data = tree.q[0], tree.model.createData()
    pin.computeJointMinimalOrdering(tree.model, data, loops)
    return {
        "constraintDynamics": lambda: pin.constraintDynamics(tree.model, tree.data, x, v, tau, loops, own, settings),
        "lcaba": lambda: pin.lcaba(tree.model, data, x, v, tau, loops, other, settings),
    }


def fastest(call: Callable[[], object], calls: int) -> float:
    """Seconds a call, of several."""
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - began) / calls


def measure(name: str, model: Model, q: np.ndarray) -> None:
    """One line a method."""
    rng = np.random.default_rng(1)
    _, v = dynamics.project(model, q, rng.normal(size=model.nv))
    tau = rng.normal(size=model.nv)
    rows = min(ROWS, 400_000 // model.nv)
    batch = tuple(np.tile(x, (rows, 1)) for x in (q, v, tau))
    out = np.empty((rows, model.nv))
    peers = theirs(model, q, v, tau)
    first = {key: np.array(call()) for key, call in peers.items()}  # lcaba's later results are not always the same
    ours: dict[str, Callable[[], object]] = {}
    found = {}
    ways: list[tuple[str, dict[str, object]]] = [("articulated", {"method": "articulated"})]
    if model.nv < 40:
        ways.append(("composite", {"method": "composite"}))
    if len(model.links) >= 48:  # the serial assembly on lanes, of which long mechanisms are compiled in a second
        ways.append(("on lanes", {"method": "assembly", "schedule": "serial", "unroll": False}))
    for method, options in ways:
        began = time.perf_counter()
        kernel = lw.compile(lw.forward_dynamics, model, **options)
        compiled = time.perf_counter() - began
        kernel.threads = 1
        ours[f"{method}, a row of a batch"] = lambda kernel=kernel: kernel(*batch, out=out)
        ours[f"{method}, single call"] = lambda kernel=kernel: kernel(q, v, tau)
        found[method] = kernel(q, v, tau)
        print(f"{name}, {method}: {type(kernel.program).__name__}, compiled in {compiled:.1f} s")
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for key, call in {**ours, **peers}.items():
            per = rows if "batch" in key else 1
            best[key] = min(best.get(key, np.inf), fastest(call, 1 if per > 1 or model.nv > 300 else 50) / per)
    reference = min(best[key] for key in peers)
    print(f"{name}: nv {model.nv}, {len(lw.constraint_residual(model, q))} rows")
    for key, seconds in best.items():
        print(f"  {key:32} {1e6 * seconds:9.3f} µs   {reference / seconds:6.2f} times the faster of Pinocchio's")
    for key, a in first.items():
        gap = np.abs(found["articulated"] - a).max() / (1.0 + np.abs(a).max())
        print(f"  {key} differs by {gap:.1e}")


if __name__ == "__main__":
    measure("humanoid, feet welded", *humanoid(hands=False))
    measure("humanoid, feet and hands welded", *humanoid(hands=True))
    for n in map(int, sys.argv[1:] or (1, 4, 16, 32, 64, 200)):
        measure(f"four_bars:{n}", *four_bars(n))
