"""Exact inverse kinematics beside EAIK and ssik: all branches of batches of targets, one thread, one run.

Times are minima of interleaved rounds, microseconds a target; targets are the poses of random postures within the
limits. ``coverage`` as an argument looks instead at how many of 100 000 random postures (or so many, as a second
argument) are among the branches, and how far branches are from their targets.

    python benchmarks/exact_inverse_kinematics.py [coverage [N]]
"""

from __future__ import annotations

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("LINKWRIGHT_THREADS", "1")

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import linkwright as lw
from linkwright.benchmark.clock import interleaved, machine
from linkwright.errors import FormatWarning
from linkwright.model.library.dh import DHRow, from_dh

ROWS, SINGLE = 20_000, 50


class Case(NamedTuple):
    name: str
    model: Any
    frame: str
    given: str | None = None
    task: str = "pose"


def real_robot(file: str) -> Any:
    robots = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return lw.load(next(Path(str(robots)).rglob(file)))


def random_arm(seed: int, three: str = "", first: int = 0) -> Any:
    """Six hinges; with three neighbours that meet or are parallel where that is asked for."""
    random = np.random.default_rng(seed)
    axes = random.standard_normal((6, 3))
    points = random.uniform(-0.4, 0.4, (6, 3))
    for j in (first + 1, first + 2) if three else ():
        (points if three == "meet" else axes)[j] = (points if three == "meet" else axes)[first]
    builder, before, at = lw.Builder(f"{three or 'any'}{first or ''}"), "world", np.zeros(3)
    for k in range(6):
        builder.body(f"l{k}", 1.0, (0, 0, 0), (1, 1, 1))
        axis = tuple(axes[k] / np.linalg.norm(axes[k]))
        builder.joint(f"j{k}", "continuous", before, f"l{k}", xyz=tuple(points[k] - at), axis=axis)
        before, at = f"l{k}", points[k]
    return builder.frame("tool", before, xyz=(0.1, 0.05, 0.2)).build()


def sixteen() -> Any:
    lengths, offsets = (0.3, 1.0, 0.0, 1.5, 0.0, 0.0), (0.0, 0.0, 0.2, 0.0, 0.0, 0.0)
    rows = [DHRow(*row) for row in zip(lengths, (np.pi / 2, 1.0) * 3, offsets, strict=True)]
    return from_dh("sixteen", rows, "standard")


def cases() -> Iterator[Case]:
    panda = real_robot("panda.urdf")
    yield Case("puma560", lw.load("puma560"), "tool")
    yield Case("ur5", real_robot("ur5_robot.urdf"), "tool0")
    yield Case("panda, joint 7", panda, "panda_hand_tcp", "panda_joint7")
    yield Case("panda, joint 5", panda, "panda_hand_tcp", "panda_joint5")
    yield Case("iiwa, elbow angle", lw.load("arm7"), "tool", "elbow angle")
    yield Case("iiwa, joint 3", lw.load("arm7"), "tool", "joint3")
    for three in ("meet", "parallel"):
        for first in range(4):
            yield Case(f"{first + 1} {first + 2} {first + 3} {three}", random_arm(first, three, first), "tool")
    for seed in (10, 11, 12):
        yield Case(f"any geometry {seed - 9}", random_arm(seed), "tool")
    yield Case("sixteen", sixteen(), "tool")
    yield Case("arm4", lw.load("arm4"), "tool")
    yield Case("arm4, pitch", lw.load("arm4"), "tool", task="pitch")
    yield Case("planar:3", lw.load("planar:3"), "tip")


def prepared(case: Case, n: int) -> tuple[Any, np.ndarray, list[np.ndarray]]:
    """The solver, random postures, and what the solver takes for them."""
    solver = lw.analytic_inverse_kinematics(case.model, case.frame, given=case.given, task=case.task)
    q = case.model.random(n, seed=0)
    arrays = [lw.pose(case.model, q, case.frame)]
    if case.task == "pitch":
        arrays = [np.concatenate([arrays[0][:, :3, 3], q[:, 1:].sum(axis=1, keepdims=True)], axis=1)]
    if case.given == "elbow angle":
        arrays.append(solver.elbow_angle(q))
    elif case.given:
        arrays.append(q[:, case.model.slice(case.given).q.start].copy())
    return solver, q, arrays


def coverage(n: int) -> None:
    """How many postures are found, and how true the branches are."""
    print(f"{'arm':<20} {'family':<36} {'lost':>5} {'of':>7} {'error, worst':>13} {'99.9 %':>9} {'odd counts':>10}")
    for case in cases():
        solver, q, arrays = prepared(case, n)
        lost, worst, odd = 0, [], 0
        for at in range(0, n, 20_000):
            part = slice(at, at + 20_000)
            found = solver(*(x[part] for x in arrays))
            places = list(found.places)
            gap = np.remainder(found.q - q[part, None] + np.pi, 2.0 * np.pi) - np.pi
            gap = np.where(found.exact, np.abs(gap[..., places]).max(axis=-1), np.inf).min(axis=-1)
            lost += int((gap > 1e-4).sum())
            worst.append(found.error[found.exact])
            odd += int((found.count % 2).sum())
        error = np.concatenate(worst)
        tail = np.quantile(error, 0.999)
        print(f"{case.name:<20} {solver.family:<36} {lost:>5} {n:>7} {error.max():>13.1e} {tail:>9.1e} {odd:>10}")


def eaik(case: Case, T: np.ndarray) -> tuple[Callable[[], Any], int] | None:
    """EAIK's own batch call, in one thread; None where it has no decomposition."""
    try:
        from eaik.IK_HP import HPRobot
    except ImportError:
        return None
    q = case.model.neutral()
    hand = lw.pose(case.model, q, case.frame)
    points = [*(lw.pose(case.model, q, joint.child)[:3, 3] for joint in case.model.joints), hand[:3, 3]]
    H = lw.jacobian(case.model, q, case.frame)[3:].T.copy()
    robot = HPRobot(H, np.diff(np.array(points), axis=0, prepend=np.zeros((1, 3))))
    if not robot.hasKnownDecomposition():
        return None
    goals = T.copy()
    goals[:, :3, :3] = T[:, :3, :3] @ hand[:3, :3].T
    targets = list(goals)
    return lambda: robot._robot.calculate_IK_batched(targets, 1), len(targets)


def ssik(case: Case, T: np.ndarray) -> tuple[Callable[[], Any], int] | None:
    """ssik's call, one target after the other: it has no batches."""
    try:
        from ssik.prebuilt import unimation, universal_robots
    except ImportError:
        return None
    arms = {"puma560": (unimation, "puma560_ik"), "ur5": (universal_robots, "ur5_ik")}
    if case.name not in arms:
        return None
    package, name = arms[case.name]
    module = __import__(f"{package.__name__}.{name}", fromlist=["solve"])
    q = np.random.default_rng(0).uniform(-2.0, 2.0, (len(T), 6))
    targets = [module.fk(x) for x in q]
    return lambda: [module.solve(t, respect_limits=False) for t in targets], len(T)


def main() -> None:
    if sys.argv[1:2] == ["coverage"]:
        coverage(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
        return
    print("  ".join(f"{key}: {value}" for key, value in machine().items()))
    contenders: dict[str, tuple[Callable[[], Any], int]] = {}
    shown: list[tuple[str, Any, float]] = []
    for case in cases():
        solver, _, arrays = prepared(case, ROWS)
        found = solver(*arrays)
        shown.append((case.name, solver, float(np.mean(found.count))))
        contenders[f"{case.name}|ours"] = (lambda s=solver, a=arrays: s(*a), ROWS)
        one = [x[0] for x in arrays]
        contenders[f"{case.name}|single"] = (lambda s=solver, a=one: s(*a), 1)
        if case.model.nq == 6 and case.task == "pose":
            for name, make, rows in (("EAIK", eaik, 2000), ("ssik", ssik, SINGLE)):
                peer = make(case, arrays[0][:rows])
                if peer is not None:
                    contenders[f"{case.name}|{name}"] = peer
    times = interleaved(contenders, rounds=15)
    print(f"{'arm':<20} {'family':<36} {'branches':>8} {'batch µs':>9} {'single µs':>9} {'EAIK µs':>8} {'ssik µs':>8}")
    for name, solver, mean in shown:
        row = [times.get(f"{name}|{who}") for who in ("ours", "single", "EAIK", "ssik")]
        told = [f"{t.minimum * 1e-3:.3g}" if t else "" for t in row]
        print(f"{name:<20} {solver.family:<36} {mean:>8.2f} {told[0]:>9} {told[1]:>9} {told[2]:>8} {told[3]:>8}")


if __name__ == "__main__":
    main()
