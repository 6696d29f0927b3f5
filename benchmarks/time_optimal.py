"""Compare time-optimal motions along paths with toppra, with limits of velocity and effort.

The 7-joint arm with 5 waypoints, 45 % of its efforts and a grid of 100 points; toppra uses Pinocchio's dynamics. Both
run in one process, interleaved, on one thread; minima of many rounds of processor time. ``--short``: fewer problems and
rounds.
"""

from __future__ import annotations

import os
import sys
import time

os.environ["LINKWRIGHT_THREADS"] = "1"

import numpy as np

import linkwright as lw
from linkwright.trajectories import spline, time_optimal
from linkwright_gallery.benchmark.clock import interleaved, machine
from linkwright_gallery.benchmark.peers import Pinocchio, States

SHORT = "--short" in sys.argv
COUNT = 64 if SHORT else 256
POINTS = 100


def excess(motion: lw.Trajectory, places: int = 33) -> float:
    """By what part limits of velocity and effort are exceeded at most, between grid points too."""
    inside = np.linspace(1e-9, 1.0 - 1e-9, places)
    q, v, a = motion(motion.times[:-1, None] + np.diff(motion.times)[:, None] * inside)
    tau = lw.inverse_dynamics(motion.model, q, v, a)
    used = np.concatenate([v / motion.allowed["velocity"], tau / motion.allowed["effort"]], axis=-1)
    return float(np.abs(used).max() - 1.0)


def toppra_of(arm: lw.Model, path: lw.Trajectory, effort: np.ndarray, s: np.ndarray):
    """toppra's solver on the same path and grid, limits at both ends of each interval; dynamics by Pinocchio."""
    import logging

    import toppra
    from toppra.algorithm import TOPPRA
    from toppra.constraint import DiscretizationType, JointTorqueConstraint, JointVelocityConstraint

    logging.disable(logging.WARNING)
    zero = np.zeros((1, 7))
    peer = Pinocchio(arm, States(arm.neutral()[None], zero, zero, zero, "world"))
    rnea, model, data = peer.pin.rnea, peer.model, peer.data
    velocity = np.concatenate([joint.velocity_limit for joint in arm.joints])
    knots = np.concatenate([path.q, path.end[None]])
    curve = toppra.SplineInterpolator(path.times, knots, bc_type="natural")

    def solve() -> float:
        speeds = JointVelocityConstraint(np.stack([-velocity, velocity], axis=1))
        torques = JointTorqueConstraint(
            lambda q, v, a: rnea(model, data, q, v, a),
            np.stack([-effort, effort], axis=1),
            np.zeros(7),
            discretization_scheme=DiscretizationType.Interpolation,
        )
        found = TOPPRA([speeds, torques], curve, gridpoints=s, solver_wrapper="seidel").compute_parameterization(0, 0)
        return float((2.0 * np.diff(s) / (found[1][1:] + found[1][:-1])).sum())

    return solve


def main() -> None:
    print(machine())
    arm = lw.load("arm7")
    effort = 0.45 * np.concatenate([joint.effort_limit for joint in arm.joints])
    waypoints = 0.6 * arm.random(5 * COUNT, seed=0).reshape(COUNT, 5, 7)
    paths = spline(arm, waypoints, 1.0, ends="natural")
    one = time_optimal(arm, paths[0], effort=effort, scheme="interpolation")
    theirs = toppra_of(arm, paths[0], effort, one.s)
    print(f"the same grid and scheme: {one.duration:.9f} s, toppra {theirs():.9f} s")
    contenders = {
        "toppra, one problem": (theirs, 1),
        "one problem": (lambda: time_optimal(arm, paths[0], effort=effort), 1),
        f"{COUNT} problems": (lambda: time_optimal(arm, paths, effort=effort), COUNT),
        f"{COUNT} problems, not checked": (lambda: time_optimal(arm, paths, effort=effort, check=False), COUNT),
    }
    times = interleaved(contenders, rounds=3 if SHORT else 30, clock=time.process_time)
    slow = times["toppra, one problem"].minimum
    for name, timing in times.items():
        ratio = f"{slow / timing.minimum:8.1f} times as fast" if "toppra" not in name else ""
        print(f"{name:30} {timing.minimum * 1e-3:9.1f} µs each (median {timing.median * 1e-3:9.1f}) {ratio}")
    finest = 400 if SHORT else 1000
    print(f"\nduration relative to a grid of {finest} points, and violation between grid points (worst of 8 paths)")
    many = {
        n: [time_optimal(arm, paths[k], effort=effort, points=n) for k in range(8)] for n in (25, 50, 100, 200, finest)
    }
    for n, motions in many.items():
        longer = [x.duration / y.duration - 1.0 for x, y in zip(motions, many[finest], strict=True)]
        print(
            f"{n:5} points: {100 * np.mean(longer):7.3f} % longer, {max(map(excess, motions)):9.1e} of a limit exceeded"
        )


if __name__ == "__main__":
    main()
