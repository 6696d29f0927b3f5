"""Closed loops: chains of four-bars, and a humanoid held at its feet and hands, beside Pinocchio.

One core, one process, in turns; minima (and medians) of many runs. To be run on a quiet machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pinocchio as pin

import linkwright as lw
from linkwright import dynamics
from linkwright.benchmark.clock import interleaved, machine
from linkwright.benchmark.peers import Pinocchio, States
from linkwright.dynamics.constraint import loop_ends
from linkwright.model.assembly import assemble
from linkwright.model.loop import Ball, Loop, Weld

FOUR_BARS = (1, 2, 4, 8, 16, 32, 64)
ROWS = 512


class Peer:
    """The same mechanism, its welds and balls, in Pinocchio, by both of its methods."""

    def __init__(self, model: lw.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray):
        tree = Pinocchio(model, States(q[None], v[None], 0.0 * v[None], tau[None], "world"))
        self.model, self.q, self.v, self.tau = tree.model, tree.q[0], v, tau
        kinds = {"weld": pin.ContactType.CONTACT_6D, "ball": pin.ContactType.CONTACT_3D}
        self.loops = pin.StdVec_RigidConstraintModel()
        for loop in model.loops:
            ends = [
                (end.body + 1, pin.SE3(end.placement[:3, :3], end.placement[:3, 3]))
                for end in loop_ends(model, loop)[::-1]
            ]
            self.loops.append(pin.RigidConstraintModel(kinds[loop.type], self.model, *ends[0], *ends[1], pin.LOCAL))

    def runs(self) -> dict[str, Callable[[], np.ndarray]]:
        """A call of each method."""
        found: dict[str, Callable[[], np.ndarray]] = {}
        for name, function in (("constraintDynamics", pin.constraintDynamics), ("lcaba", pin.lcaba)):
            data, of_loops = self.model.createData(), pin.StdVec_RigidConstraintData()
            for loop in self.loops:
                of_loops.append(loop.createData())
            if name == "lcaba":
                pin.computeJointMinimalOrdering(self.model, data, self.loops)
                settings = pin.ProximalSettings(1e-10, 1e-9, 10)
            else:
                pin.initConstraintDynamics(self.model, data, self.loops, of_loops)
                settings = pin.ProximalSettings(1e-12, 1e-9, 10)

            arguments = (self.model, data, self.q, self.v, self.tau, self.loops, of_loops, settings)
            found[name] = partial(function, *arguments)
        return found


def difference(x: np.ndarray, reference: np.ndarray) -> float:
    return float(np.abs(x - reference).max() / (1.0 + np.abs(reference).max()))


def dense(model: lw.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The accelerations by pseudo-inverse of everything at once."""
    M, b = dynamics.mass_matrix(model, q), dynamics.bias_forces(model, q, v)
    K, c = dynamics.constraint_jacobian(model, q), dynamics.constraint_bias(model, q, v)
    free = np.linalg.solve(M, tau - b)
    inverse = np.linalg.solve(M, K.T)
    a: np.ndarray = free - inverse @ (np.linalg.pinv(K @ inverse, rcond=1e-10, hermitian=True) @ (K @ free + c))
    return a


def report(name: str, model: lw.Model, q: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    v = lw.impulse(model, q, rng.normal(size=model.nv))[0]
    tau = rng.normal(size=model.nv)
    start = time.perf_counter()
    kernel = lw.compile(lw.forward_dynamics, model)
    compiled = time.perf_counter() - start
    kernel.threads = 1
    expected, out = dense(model, q, v, tau), np.empty(model.nv)
    batch = [np.tile(x, (ROWS, 1)) for x in (q, v, tau)]
    many = np.empty((ROWS, model.nv))
    contenders: dict[str, Callable[[], object]] = {
        "ours": lambda: kernel(q, v, tau, out=out),
        "ours in batches": lambda: kernel(*batch, out=many),
    }
    theirs = Peer(model, q, v, tau).runs()
    errors = {"ours": difference(kernel(q, v, tau), expected)}
    errors |= {who: difference(run(), expected) for who, run in theirs.items()}
    calls = {who: (run, ROWS if who == "ours in batches" else 1) for who, run in (contenders | theirs).items()}
    timings = interleaved(calls, rounds=60)
    best = {who: timing.minimum for who, timing in timings.items()}
    quicker = min(best[who] for who in theirs)
    times = ", ".join(f"{who} {t.minimum / 1e3:.2f} ({t.median / 1e3:.2f})" for who, t in timings.items())
    ratio = f"{quicker / best['ours']:.1f}× single, {quicker / best['ours in batches']:.1f}× in batches"
    wrong = ", ".join(f"{who} {x:.0e}" for who, x in errors.items())
    print(
        f"{name}: µs: {times}; {ratio}; compiled in {compiled:.1f} s; differ from a dense solution: {wrong}", flush=True
    )


def main() -> None:
    print(machine())
    for k in FOUR_BARS:
        model = lw.load(f"four_bars:{k}")
        loops = tuple(replace(loop, kind=Ball()) for loop in model.loops)  # what Pinocchio can close
        model = assemble(replace(model.description, loops=loops))
        start = model.neutral() + 0.1 * np.random.default_rng(1).normal(size=model.nq)
        report(f"{k} four-bars", model, lw.close(model, start))
    for what, hands in (("feet", None), ("feet and hands", Weld)):
        model = lw.load("humanoid")
        q = model.neutral()
        q[7:] = np.random.default_rng(0).uniform(-0.3, 0.3, model.nq - 7)
        ends = {"left_foot": Weld, "right_foot": Weld} | ({"left_hand": hands, "right_hand": hands} if hands else {})
        held = [Loop(f"{n} held", "world", n, kind(), dynamics.pose(model, q, n)) for n, kind in ends.items()]
        report(f"humanoid, {what}", assemble(replace(model.description, loops=tuple(held))), q)


if __name__ == "__main__":
    main()
