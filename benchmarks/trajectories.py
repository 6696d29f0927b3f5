"""Compare synchronized jerk-limited trajectories of 7 joints with ruckig, in batches and single.

Both run on one thread from the same states; thread time (`thread_time`), interleaved rounds, minima. A trajectory
contains the same data as the result of ruckig's `calculate`: the common duration and the duration of each phase of each
joint. Both check the states.
"""

from __future__ import annotations

import os
import time

os.environ["LINKWRIGHT_THREADS"] = "1"

import numpy as np
import ruckig

import linkwright as lw
from linkwright_gallery.benchmark.clock import machine

JOINTS = 7
ROUNDS = 60
KINDS = ("from rest to rest", "from velocity to velocity", "with accelerations too")


def states(count: int, kind: str) -> list[np.ndarray]:
    """p, v, a, p, v, a, V, A, J, each (count, joints), within their limits."""
    rng = np.random.default_rng(count)
    shape = (count, JOINTS)
    V, A, J = rng.uniform(0.5, 2.0, shape), rng.uniform(1.0, 5.0, shape), rng.uniform(5.0, 50.0, shape)
    found = []
    for sign in (1.0, -1.0):
        a = np.zeros(shape) if kind != KINDS[2] else rng.uniform(-1.0, 1.0, shape) * np.minimum(A, 0.9 * np.sqrt(J * V))
        carried = sign * a * np.abs(a) / (2.0 * J)
        low, high = np.maximum(-V, -V - carried), np.minimum(V, V - carried)
        v = np.zeros(shape) if kind == KINDS[0] else 0.99 * rng.uniform(low, high)
        found += [rng.uniform(-2.0, 2.0, shape), v, a]
    return [*found, V, A, J]


def asked(given: list[np.ndarray]) -> list[ruckig.InputParameter]:
    """The same for ruckig."""
    names = [f"{end}_{what}" for end in ("current", "target") for what in ("position", "velocity", "acceleration")]
    found = []
    for k in range(len(given[0])):
        one = ruckig.InputParameter(JOINTS)
        for name, x in zip([*names, "max_velocity", "max_acceleration", "max_jerk"], given, strict=True):
            setattr(one, name, x[k].tolist())
        found.append(one)
    return found


def compared(count: int, kind: str) -> None:
    given = states(count, kind)
    inputs, planner, found = asked(given), ruckig.Ruckig(JOINTS), ruckig.Trajectory(JOINTS)
    durations = np.empty(count)

    def theirs() -> None:
        for one in inputs:
            planner.calculate(one, found)

    for k, one in enumerate(inputs):
        planner.calculate(one, found)
        durations[k] = found.duration
    plan = lw.trajectories.s_curves(*given)
    off = np.abs(plan.duration - durations).max()
    least = {"ours": np.inf, "theirs": np.inf}
    for _ in range(ROUNDS):
        for name, run in (("ours", lambda: lw.trajectories.s_curves(*given)), ("theirs", theirs)):
            start = time.thread_time()
            run()
            least[name] = min(least[name], (time.thread_time() - start) / count * 1e6)
    print(
        f"{kind:26} batch {count:5}: {least['ours']:8.2f} µs, ruckig {least['theirs']:6.2f} µs, "
        f"ratio {least['theirs'] / least['ours']:6.2f}; times differ by {off:.0e} s"
    )


def main() -> None:
    print(machine(), "load", os.getloadavg()[0])
    for kind in KINDS:
        for count in (1, 16, 256, 2000):
            compared(count, kind)


if __name__ == "__main__":
    main()
