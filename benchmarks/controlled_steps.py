"""Measure controlled steps of a 7-joint arm with compiled control laws: ns per step on one core, in batches.

    python benchmarks/controlled_steps.py [--quick]

The whole of `simulate` is timed, including the recording, which happens once at the end or at every step. CPU time of
this thread, minima of several rounds, alternating with two peers:

- the same control law and step row by row with Pinocchio from Python (`pin`: `rnea` and `aba`);
- `simulate(…, controller=…)` with a Python function that calls a kernel of the law once a step, for all motions or one.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial

os.environ["LINKWRIGHT_THREADS"] = "1"

import numpy as np

import linkwright as lw

ROWS, STEPS, ROUNDS, H = 512, 512, 6, 1e-3
START = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
DAMPING = np.array([20.0, 20.0, 20.0, 10.0, 2.0, 1.0, 0.2])


def laws(arm):
    """Each law, and its state at the start."""
    c, home = lw.control, lw.pose(arm, START, "tool")
    wrench = np.array([300.0] * 3 + [10.0] * 3)
    return {
        "no law": (None, None),
        "pd": (partial(c.pd, target=START, stiffness=5.0 * DAMPING, damping=DAMPING), None),
        "pid": (
            partial(c.pid, target=START, stiffness=5.0 * DAMPING, damping=DAMPING, integral=0.5 * DAMPING, step=H),
            np.zeros(7),
        ),
        "computed_torque": (partial(c.computed_torque, reference=START, stiffness=100.0, damping=20.0), None),
        "impedance": (
            partial(
                c.impedance, frame="tool", target=home, stiffness=wrench, damping=0.1 * wrench, joint_damping=DAMPING
            ),
            None,
        ),
        "operational_space": (
            partial(c.operational_space, frame="tool", reference=home, stiffness=100.0, damping=20.0),
            None,
        ),
        "operational_space, limits": (
            partial(
                c.operational_space,
                frame="tool",
                reference=home,
                stiffness=100.0,
                damping=20.0,
                effort_limits=np.array([120.0, 120.0, 90.0, 90.0, 40.0, 15.0, 8.0]),
            ),
            None,
        ),
    }


def row_by_row(arm, rows, steps):
    """Computed torque and a semi-implicit step with Pinocchio, from Python; None where it is not installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        model = pin.buildModelFromUrdf(str(arm.save(Path(folder) / "arm.urdf")))
    model.armature[:] = 0.0
    data = model.createData()

    def run():
        for _ in range(rows):
            q, v = START + 0.05, np.zeros(7)
            for _ in range(steps):
                tau = pin.rnea(model, data, q, v, 100.0 * (START - q) - 20.0 * v)
                v = v + H * pin.aba(model, data, q, v, tau)
                q = q + H * v

    return run


def through_python(arm, q):
    """Simulate motions whose controller is a Python function that calls a kernel."""

    def law(model, t, q, v):
        return lw.control.computed_torque(model, t, q, v, reference=START, stiffness=100.0, damping=20.0)

    kernel = lw.compile(law, arm, t=())

    def controller(t, q, v):
        return kernel(t, q, v)

    options = {"method": "semi_implicit", "every": STEPS, "callback": controller}
    return lambda: lw.simulate(arm, q, np.zeros((*q.shape[:-1], 7)), STEPS * H, **options)


def main() -> None:
    arm, quick = lw.load("arm7"), "--quick" in sys.argv
    rounds = 1 if quick else ROUNDS
    q = START + 0.05 * np.random.default_rng(0).normal(size=(ROWS, 7))
    rest = np.zeros((ROWS, 7))
    calls = {}
    for method in ("semi_implicit", "rk4"):
        for name, (law, first) in laws(arm).items():
            for every in (STEPS, 1):
                options = {} if law is None else {"controller": law, "actuation": lw.Actuation(initial_state=first)}
                calls[method, name, every] = (
                    partial(lw.simulate, arm, q, rest, STEPS * H, method=method, every=every, **options),
                    ROWS * STEPS,
                )
    peer = row_by_row(arm, 2, STEPS)
    if peer is not None:
        calls["semi_implicit", "computed_torque, Pinocchio from Python", STEPS] = peer, 2 * STEPS
    calls["semi_implicit", "computed_torque, controller= of Python", STEPS] = through_python(arm, q), ROWS * STEPS
    calls["semi_implicit", "the same, one motion", STEPS] = through_python(arm, q[0]), STEPS
    best = dict.fromkeys(calls, np.inf)
    for call, _ in calls.values():
        call()
    for _ in range(rounds):
        for key, (call, steps) in calls.items():
            start = time.thread_time()
            call()
            best[key] = min(best[key], (time.thread_time() - start) / steps)
    print(f"load {os.getloadavg()[0]:.1f}; {ROWS} motions, {STEPS} steps; ns a step and core")
    print(f"{'method':14} {'law':42} {'recorded at the end':>20} {'at every step':>14}")
    for (method, name, every), time_ in best.items():
        if every == STEPS:
            each = best.get((method, name, 1))
            print(f"{method:14} {name:42} {1e9 * time_:20.1f} {'' if each is None else f'{1e9 * each:14.1f}'}")


if __name__ == "__main__":
    main()
