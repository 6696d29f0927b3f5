"""Measure whole-body control of a humanoid: 59 unknowns, 18 equations, 98 inequalities, state to efforts, in µs.

    python benchmarks/whole_body.py

CPU time of this thread, minima of single calls in many short rounds, alternating with solvers of the whole program:
`daqp`, and `quadprog` if it is installed. Their matrices are made beforehand and not timed.
"""

from __future__ import annotations

import os
import time

import numpy as np

import linkwright as lw
from linkwright.control import StanceContact, WholeBody
from linkwright.control.whole_body.quadratic_program import Tick

ROUNDS, CALLS = 100, 10
SOLE = [(x, y, 0.0) for x in (-0.06, 0.18) for y in (-0.05, 0.05)]
CenterOfMass, Joints, Pose, Rotation = lw.tasks.CenterOfMass, lw.tasks.Joints, lw.tasks.Pose, lw.tasks.Rotation


def written_out(body, q, v, targets):
    """H, g, A, lower, upper of ½ xᵀHx + gᵀx with lower ≤ A x ≤ upper in x = [v̇; f/m], the equations first."""
    arrays = body._target_arrays(targets)
    layout, model = body._layout, body.model
    tick = Tick(layout, q, v, body._all, arrays)
    n, k = len(tick.back), layout.equations
    R = np.zeros((len(layout.whole[0]),) * 2)
    R[:n, :n] = np.linalg.inv(tick.back)
    R[n:, n:] = np.eye(len(R) - n) / layout.unit
    slope = layout.terms(q, v, body._all, *arrays)[3]
    g = -R.T @ np.concatenate([slope, np.zeros(len(R) - n)])
    A = layout.whole @ R
    normals = np.zeros((len(layout.axes), len(R)))
    normals[np.arange(len(normals)), n + 2 + 3 * np.arange(len(normals))] = 1.0  # implied, and counted by others
    shift = np.concatenate([tick.e, tick.constants[k:], np.zeros(len(layout.upper) - len(layout.limits))])
    lower = np.concatenate([0.0 * tick.e, layout.lower]) + shift
    upper = np.concatenate([0.0 * tick.e, layout.upper]) + shift
    assert A.shape[1] == model.nv + 24
    ones = np.zeros(len(normals))
    return (
        R.T @ R,
        g,
        np.ascontiguousarray(np.concatenate([A, normals])),
        np.concatenate([lower, ones]),
        np.concatenate([upper, np.full(len(ones), 1e30)]),
        k,
    )


def peers(program):
    """Solvers of the whole program."""
    import daqp

    H, g, A, lower, upper, k = program
    lower = np.maximum(lower, -1e30)
    sense = np.zeros(len(A), dtype=np.int32)
    sense[:k] = 5
    model = daqp.Model()
    model.settings = {"eps_prox": 0.0}
    model.setup(H, g, A, upper, lower, sense)
    model.solve()

    def warm():
        model.update(H, g, A, upper, lower)
        return model.solve()[0]

    found = {
        "daqp, the whole program, cold": lambda: daqp.solve(H, g, A, upper, lower, sense, eps_prox=0.0)[0],
        "daqp, the whole program, warm": warm,
    }
    try:
        import quadprog
    except ImportError:
        return found
    finite_lower, finite_upper = lower[k:] > -1e29, upper[k:] < 1e29
    C = np.concatenate([A[:k], A[k:][finite_lower], -A[k:][finite_upper]]).T
    b = np.concatenate([lower[:k], lower[k:][finite_lower], -upper[k:][finite_upper]])
    return found | {"quadprog, the whole program": lambda: quadprog.solve_qp(H, -g, C, b, k)[0]}


def main() -> None:
    man = lw.load("humanoid")
    q, v = man.neutral(), np.zeros(man.nv)
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.4), ("knee_pitch", 0.8), ("ankle_pitch", -0.4), ("elbow_pitch", -0.5)):
            q[man.slice(f"{side}_{joint}")[0]] = angle
    names = [joint.name for joint in man.joints[1:]]
    com, turn, hand, posture = (
        CenterOfMass(weight=10.0),
        Rotation("torso"),
        Pose("left_hand"),
        Joints(names, weight=0.1),
    )
    tasks = dict.fromkeys((com, turn, hand, posture), (50.0, 15.0))
    contacts = [StanceContact(f"{side}_sole", SOLE) for side in ("left", "right")]
    place = lw.center_of_mass(man, q) + np.array([0.05, 0.02, -0.05])
    goal = lw.pose(man, q, "left_hand")
    goal[:3, 3] += [0.2, 0.1, 0.3]
    targets = {com: place, turn: lw.pose(man, q, "torso")[:3, :3], hand: goal, posture: q[7:] + 0.3}
    print(f"load {os.getloadavg()[0]:.1f}; µs of CPU time")
    for limit in (150.0, 40.0, 15.0):
        body = WholeBody(man, contacts, tasks, effort_limits=limit)

        def cold(body=body):
            body._nearest._model = None
            return body(q, v, targets)

        answer = cold()
        program = written_out(body, q, v, targets)
        x = np.concatenate([answer.acceleration, answer.forces.ravel() / lw.total_mass(man)])
        calls = {"ours, all of the tick, warm": lambda body=body: body(q, v, targets), "ours, all of it, cold": cold}
        others = peers(program)
        apart = {name: np.abs(call() - x).max() for name, call in others.items()}
        calls |= others
        best = dict.fromkeys(calls, np.inf)
        for _ in range(ROUNDS):
            for name, call in calls.items():
                for _ in range(CALLS):
                    start = time.thread_time()
                    call()
                    best[name] = min(best[name], time.thread_time() - start)
        print(f"\nefforts within {limit:g} N m: {answer.iterations} iterations cold")
        assert answer.feasible
        for name, one in best.items():
            difference = f"   apart by {apart[name]:.1g} from ours" if name in apart else ""
            print(f"  {name:32} {1e6 * one:7.1f}{difference}")


if __name__ == "__main__":
    main()
