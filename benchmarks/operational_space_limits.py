"""Measure operational-space control of a 7-joint arm within effort limits: ns per row and control step.

    python benchmarks/operational_space_limits.py

Batches on one core; CPU time of this thread, minima of many short rounds, alternating between the control law with
limits and the one without.
"""

from __future__ import annotations

import time

import numpy as np

import linkwright as lw

ROWS, ROUNDS = 2048, 60


def law(model, q, v, goal, limits):
    gains = {"stiffness": 400.0, "damping": 40.0}
    return lw.control.operational_space(model, 0.0, q, v, frame="tool", reference=goal, effort_limits=limits, **gains)


def without(model, q, v, goal):
    return lw.control.operational_space(model, 0.0, q, v, frame="tool", reference=goal, stiffness=400.0, damping=40.0)


def main() -> None:
    arm, rng = lw.load("arm7"), np.random.default_rng(0)
    q, v = 0.5 * arm.random(ROWS, seed=0), 0.3 * rng.normal(size=(ROWS, 7))
    goal = lw.pose(arm, lw.integrate(arm, q, 0.05 * rng.normal(size=(ROWS, 7))), "tool")
    free = lw.compile(without, arm, goal=(4, 4))
    within = lw.compile(law, arm, goal=(4, 4), limits=(7,))
    free.threads = within.threads = 1
    asked = free(q, v, goal)
    print("limits N m (first joint)   rows at limits   without ns   within ns")
    for size in (300.0, 100.0, 50.0, 25.0):
        limits = size * np.array([1.0, 1.0, 0.8, 0.8, 0.5, 0.3, 0.3])
        calls = [lambda: free(q, v, goal), lambda limits=limits: within(q, v, goal, limits)]
        best = [np.inf, np.inf]
        for _ in range(ROUNDS):
            for k, call in enumerate(calls):
                start = time.thread_time()
                call()
                best[k] = min(best[k], (time.thread_time() - start) / ROWS)
        share = (np.abs(asked) > limits).any(axis=-1).mean()
        print(f"{size:24g} {share:16.0%} {1e9 * best[0]:12.0f} {1e9 * best[1]:11.0f}")


if __name__ == "__main__":
    main()
