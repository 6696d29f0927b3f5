"""Compare optimal motions of a seven-joint arm with Crocoddyl, and swing up a cart-pole from a thousand starts.

    python benchmarks/optimal_control.py [--short]

The comparison needs a Python with Crocoddyl. Both solve the same problem: 100 nodes of 10 ms with semi-implicit steps
between two distant configurations, with costs on configuration, velocity and effort. One core; each round solves the
problem once with each library, interleaved; minima of CPU time over all rounds. Crocoddyl 3.2 was built for Pinocchio
4.0; with Pinocchio 4.1 its steps are wrong.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("LINKWRIGHT_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import linkwright as lw

control = lw.control
NODES, STEP = 100, 0.01
START = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
GOAL = np.array([1.0, 0.2, 0.5, -0.6, -0.3, 0.2, 0.6])


def ours(arm: lw.Model, q0: np.ndarray, limits: float | None = None) -> Any:
    running = [control.PostureCost(START, 0.1), control.VelocityCost(0.1), control.EffortCost(1e-3)]
    final = [control.PostureCost(GOAL, 1000.0), control.VelocityCost(10.0)]
    options: dict[str, Any] = {"method": "semi_implicit", "effort_limits": limits}
    return control.ilqr(arm, q0, np.zeros(7), NODES, STEP, running, final, **options)


def theirs(arm: lw.Model) -> Any:
    """Crocoddyl's solver of the same problem, and what it begins with."""
    import crocoddyl
    import pinocchio

    with tempfile.TemporaryDirectory() as folder:
        arm.save(Path(folder) / "arm.urdf")
        model = pinocchio.buildModelFromUrdf(str(Path(folder) / "arm.urdf"))
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)

    def node(reference: np.ndarray, weights: list[float], effort: float, step: float) -> Any:
        costs = crocoddyl.CostModelSum(state)
        activation = crocoddyl.ActivationModelWeightedQuad(np.array(weights))
        wanted = crocoddyl.ResidualModelState(state, np.concatenate([reference, np.zeros(7)]))
        costs.addCost("state", crocoddyl.CostModelResidual(state, activation, wanted), 1.0)
        if effort:
            costs.addCost(
                "effort", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, 7)), effort
            )
        model = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        return crocoddyl.IntegratedActionModelEuler(model, step)

    running, final = node(START, [0.1] * 14, 1e-3, STEP), node(GOAL, [1000.0] * 7 + [10.0] * 7, 0.0, 0.0)
    problem = crocoddyl.ShootingProblem(np.concatenate([START, np.zeros(7)]), [running] * NODES, final)
    solver = crocoddyl.SolverDDP(problem)
    efforts = [lw.gravity_forces(arm, START)] * NODES
    return solver, problem.rollout(efforts), efforts


def cart_pole() -> lw.Model:
    built = lw.Builder("cart_pole").body("cart", mass=1.0).body("pole", mass=0.2, center_of_mass=[0.0, 0.0, 0.5])
    built.joint("slider", "prismatic", parent="world", child="cart", axis=[1, 0, 0])
    return built.joint("hinge", "revolute", parent="cart", child="pole", axis=[0, 1, 0]).build()


def swing_ups(rows: int) -> None:
    """From random starts that hang, swing and roll, in one call."""
    model, rng = cart_pole(), np.random.default_rng(0)
    q0 = np.stack([rng.uniform(-0.5, 0.5, rows), np.pi + rng.uniform(-1.0, 1.0, rows)], axis=1)
    v0 = 0.5 * rng.normal(size=(rows, 2))
    running = [control.EffortCost(0.02), control.VelocityCost(0.02), control.PostureCost([0.0, 0.0], [0.2, 0.1])]
    final = [control.PostureCost([0.0, 0.0], 300.0), control.VelocityCost(30.0)]
    options: dict[str, Any] = {"effort_limits": 20.0, "actuated": ["slider"], "method": "rk4"}

    def solved() -> Any:
        return control.ilqr(model, q0, v0, 100, 0.03, running, final, **options)

    solved()  # compiled, before time is measured
    since, cpu = time.perf_counter(), time.thread_time()
    found = solved()
    spent, cpu = time.perf_counter() - since, time.thread_time() - cpu
    up = np.abs(found.q[:, -1, 1]) < 0.1
    print(
        f"cart-pole, {rows} starts in one call: {spent:.1f} s ({cpu:.1f} s of CPU), "
        f"{int(found.converged.sum())} converged, {int(up.sum())} upright, {found.iterations.mean():.0f} iterations "
        f"on average, largest effort {np.abs(found.tau).max():.6g} N"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few rounds and starts")
    short = parser.parse_args().short
    rows, rounds = (128, 2) if short else (256, 8)
    arm = lw.load("arm7")
    q0 = START + 0.1 * np.random.default_rng(0).normal(size=(rows, 7))
    q0[0] = START
    ours(arm, q0)
    ours(arm, q0, 60.0)
    try:
        solver, xs, us = theirs(arm)
    except ImportError:
        solver = None
    best = {"ours": np.inf, "within limits": np.inf, "Crocoddyl": np.inf}
    for _ in range(rounds):
        for name, limits in (("ours", None), ("within limits", 60.0)):
            since = time.thread_time()
            found = ours(arm, q0, limits)
            spent = time.thread_time() - since
            best[name] = min(best[name], spent / (found.iterations + 1).sum() / NODES)
        if solver is not None:
            since = time.thread_time()
            solver.solve(xs, us, 100, True)
            best["Crocoddyl"] = min(best["Crocoddyl"], (time.thread_time() - since) / (solver.iter + 1) / NODES)
    found = ours(arm, q0)
    cpuinfo = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = next((x.split(":")[1].strip() for x in cpuinfo.splitlines() if "model name" in x), "")
    print(
        f"{model}, load {os.getloadavg()[0]:.1f}; {rows} problems of {NODES} nodes, "
        f"{int(found.converged.sum())} converged"
    )
    for name, spent in best.items():
        if np.isfinite(spent):
            print(f"  {name:14s} {1e6 * spent:7.2f} µs a node and iteration")
    if solver is not None:
        print(f"  ratio {best['Crocoddyl'] / best['ours']:.1f}")
        apart = np.abs(np.array(solver.us) - found.tau[0]).max()
        print(f"  costs {found.cost[0]:.9g} (ours), {solver.cost:.9g}; efforts at most {apart:.2g} N m apart")
    swing_ups(100 if short else 1000)


if __name__ == "__main__":
    main()
