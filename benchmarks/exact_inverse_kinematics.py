"""Compare exact inverse kinematics with EAIK and ssik: all branches of batches of targets, one thread, one run.

    python benchmarks/exact_inverse_kinematics.py [coverage [N] | search [N]]

Times are minima of interleaved rounds, microseconds of processor time per target; targets are the poses of random
configurations within the limits. ``coverage`` counts how many of N (100 000) random configurations are among the
branches, and measures the pose errors of branches. ``search`` runs ``lw.inverse_kinematics`` from 200 random initial
guesses for each of N (200) targets, and counts solutions that are not among the branches.
"""

from __future__ import annotations

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("LINKWRIGHT_THREADS", "1")

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.model.library.dh import DHRow, from_dh
from linkwright_gallery.benchmark.clock import interleaved, machine

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


X, Y, Z = np.eye(3)


def made(name: str, kinds: str, axes: Any, points: Any) -> Any:
    """An arm of hinges (R) and slides (P) along axes through points at q = 0."""
    builder, before, at = lw.Builder(name), "world", np.zeros(3)
    for k, kind in enumerate(kinds):
        builder.body(f"l{k}", 1.0, (0, 0, 0), (1, 1, 1))
        limits = (-1.0, 1.0) if kind == "P" else None
        joint = "prismatic" if kind == "P" else "continuous"
        axis, place = tuple(axes[k] / np.linalg.norm(axes[k])), tuple(np.asarray(points[k]) - at)
        builder.joint(f"j{k}", joint, before, f"l{k}", xyz=place, axis=axis, limits=limits)
        before, at = f"l{k}", np.asarray(points[k])
    return builder.frame("tool", before, xyz=(0.1, 0.05, 0.2)).build()


def random_arm(seed: int, three: str = "", first: int = 0, n: int = 6) -> Any:
    """Return hinges, of which three neighbors intersect or are parallel if that is selected."""
    random = np.random.default_rng(seed)
    axes = random.standard_normal((n, 3))
    points = random.uniform(-0.4, 0.4, (n, 3))
    for j in (first + 1, first + 2) if three else ():
        (points if three == "meet" else axes)[j] = (points if three == "meet" else axes)[first]
    return made(f"{three or 'any'}{first or ''}", "R" * n, axes, points)


def with_slides(kinds: str, wrist: bool) -> Any:
    """Three joints of these kinds, as general as they have an answer; with a wrist, or for a position."""
    random = np.random.default_rng(0)
    axes, points = random.standard_normal((6, 3)), random.uniform(-0.5, 0.5, (6, 3))
    if kinds in ("RRP", "PRR"):  # the slider perpendicular to the adjacent hinge
        i, j = (2, 1) if kinds == "RRP" else (0, 1)
        axes[i] = np.cross(axes[j], X)
    if kinds == "PRP":
        axes[1] = axes[0]
    points[4] = points[5] = points[3]
    return made(kinds, kinds + "RRR" * wrist, axes, points)


def parallel_and_slanted(wrist: str) -> Any:
    """A hinge, two parallel ones, and a wrist with offsets: pairs of its postures share angles, or nearly so."""
    slanted = (1.0, 0.0, 2.6)
    wrists: dict[str, tuple[Any, Any]] = {
        "offset": ((Z, Y, Z), ((0.1, 0, 0.7), (0.1, 0, 0.9), (0.18, 0, 0.9))),
        "slanted": ((X, slanted, X), ((0.5, 0, 1.3), (0.9, 0, 1.3), (1.0, 0, 1.35))),
        "meeting": ((X, (1.0, 0.0, 1.0), X), ((0.4, 0, 0.85), (0.4, 0, 0.85), (0.5, 0, 0.95))),
    }
    axes, points = wrists[wrist]
    before = (
        ((0, 0, 0.2), (0, 0, 0.3), (0.05, 0, 0.6)) if wrist == "offset" else ((0, 0, 0), (0.1, 0, 0.3), (0.1, 0, 0.8))
    )
    return made(wrist, "RRRRRR", [Z, Y, Y, *map(np.asarray, axes)], [*before, *points])


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
    for wrist in ("offset", "slanted", "meeting"):
        yield Case(f"2 3 parallel, {wrist}", parallel_and_slanted(wrist), "tool")
    yield Case("seven, joint 4", random_arm(13, n=7), "tool", "j3")
    yield Case("arm4", lw.load("arm4"), "tool")
    yield Case("arm4, pitch", lw.load("arm4"), "tool", task="pitch")
    yield Case("planar:3", lw.load("planar:3"), "tip")
    for kinds in ("PPP", "RPP", "PPR", "RRP", "PRR", "PRP", "RPR"):
        yield Case(f"{kinds}, wrist", with_slides(kinds, True), "tool")
    for kinds in ("RRR", "RPR"):
        yield Case(f"{kinds}, position", with_slides(kinds, False), "tool", task="position")
    random = np.random.default_rng(1).uniform(-0.5, 0.5, (6, 3))
    yield Case("RR, position", made("two", "RR", [X, Y + Z], random), "tool", task="position")
    yield Case("SCARA", made("scara", "RRPR", [Z, Z, Z, -Z], random), "tool")
    yield Case("gantry", made("gantry", "PPPRR", [X, Y, Z, Z, X], [*random[:4], random[3]]), "tool")


def prepared(case: Case, n: int) -> tuple[Any, np.ndarray, list[np.ndarray]]:
    """The solver, random postures, and what the solver takes for them."""
    solver = lw.analytic_inverse_kinematics(case.model, case.frame, given=case.given, task=case.task)
    q = case.model.random(n, seed=0)
    arrays = [lw.pose(case.model, q, case.frame)]
    if case.task == "pitch":
        arrays = [np.concatenate([arrays[0][:, :3, 3], q[:, 1:].sum(axis=1, keepdims=True)], axis=1)]
    if case.task == "position":
        arrays = [arrays[0][:, :3, 3].copy()]
    if case.given == "elbow angle":
        arrays.append(solver.elbow_angle(q))
    elif case.given:
        arrays.append(q[:, case.model.slice(case.given).q.start].copy())
    return solver, q, arrays


def apart(case: Case, found: Any, q: np.ndarray) -> np.ndarray:
    """How far postures (…, nq) are from the nearest exact branch of their targets."""
    gap = found.q - q[..., None, :]
    gap = np.where(found.hinges, np.remainder(gap + np.pi, 2.0 * np.pi) - np.pi, gap)[..., list(found.places)]
    return np.where(found.exact, np.abs(gap).max(axis=-1), np.inf).min(axis=-1)


def coverage(n: int) -> None:
    """How many postures are found, and how true the branches are."""
    print(f"{'arm':<20} {'family':<44} {'lost':>5} {'of':>7} {'error, worst':>13} {'99.9 %':>9} {'odd counts':>10}")
    for case in cases():
        solver, q, arrays = prepared(case, n)
        lost, worst, odd = 0, [], 0
        for at in range(0, n, 20_000):
            part = slice(at, at + 20_000)
            found = solver(*(x[part] for x in arrays))
            lost += int((apart(case, found, q[part]) > 1e-4).sum())
            worst.append(found.error[found.exact])
            odd += int((found.count % 2).sum())
        error = np.concatenate(worst)
        tail = np.quantile(error, 0.999)
        row = f"{case.name:<20} {solver.family:<44} {lost:>5} {n:>7} {error.max():>13.1e} {tail:>9.1e} {odd:>10}"
        print(row, flush=True)


def search(n: int, starts: int = 200) -> None:
    """How many postures a search finds that the branches have not, and the other way round."""
    print(f"{'arm':<20} {'family':<44} {'branches':>8} {'searched':>8} {'missed':>6} {'false':>5} {'not searched':>12}")
    for case in cases():
        if case.task == "pitch":
            continue  # which the search does not know
        solver, q, arrays = prepared(case, n)
        model, T = case.model, lw.pose(case.model, q, case.frame)
        start = model.random(n * starts, seed=1).reshape(n, starts, -1)
        target = T[:, None, :3, 3] if case.task == "position" else T[:, None]
        fixed = [] if case.given in (None, "elbow angle") else [case.given]
        for name in fixed:
            start[..., model.slice(name).q] = q[:, None, model.slice(name).q]
        reached = lw.inverse_kinematics(
            model, {case.frame: target}, start, tolerance=1e-10, restarts=0, joint_limits=False, fixed=fixed
        )
        some, seen, missed, false, unseen = reached.converged, 0, 0, 0, 0
        for k in range(n):
            postures = reached.q[k][some[k]]
            given = [x[k] for x in arrays[1:]]
            if case.given == "elbow angle":  # any that a posture has
                angles = solver.elbow_angle(postures)
                found = solver(np.broadcast_to(T[k], (len(postures), 4, 4)), angles)
                seen, unseen = seen + len(postures), unseen
                missed += int((apart(case, found, postures) > 1e-3).sum())
            else:
                found = solver(arrays[0][k], *given)
                branches = found.q[found.exact][:, list(found.places)]
                hinges = found.hinges[list(found.places)]
                gap = branches[:, None] - postures[None][..., list(found.places)]
                gap = np.abs(np.where(hinges, np.remainder(gap + np.pi, 2.0 * np.pi) - np.pi, gap)).max(axis=-1)
                near = gap < 1e-3
                unseen += int((~near.any(axis=1)).sum())
                others = postures[~near.any(axis=0)]
                missed += len(np.unique(others.round(2), axis=0))
                seen += int(near.any(axis=1).sum())
            hands = lw.pose(model, found.q[found.exact], case.frame)
            off = np.abs(hands - T[k])[..., :3, 3] if case.task == "position" else np.abs(hands - T[k])
            false += int((off.reshape(len(hands), -1).max(axis=-1, initial=0.0) > 1e-9).sum())
        total = int(solver(*arrays).count.sum())
        row = f"{case.name:<20} {solver.family:<44} {total:>8} {seen:>8} {missed:>6} {false:>5} {unseen:>12}"
        print(row, flush=True)


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
    if sys.argv[1:2] == ["search"]:
        search(int(sys.argv[2]) if len(sys.argv) > 2 else 200)
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
        if case.model.nq == 6 and case.task == "pose" and found.hinges.all():
            for name, make, rows in (("EAIK", eaik, 2000), ("ssik", ssik, SINGLE)):
                peer = make(case, arrays[0][:rows])
                if peer is not None:
                    contenders[f"{case.name}|{name}"] = peer
    times = interleaved(contenders, rounds=15, clock=time.process_time)
    print(f"{'arm':<20} {'family':<36} {'branches':>8} {'batch µs':>9} {'single µs':>9} {'EAIK µs':>8} {'ssik µs':>8}")
    for name, solver, mean in shown:
        row = [times.get(f"{name}|{who}") for who in ("ours", "single", "EAIK", "ssik")]
        times = [f"{t.minimum * 1e-3:.3g}" if t else "" for t in row]
        print(f"{name:<20} {solver.family:<36} {mean:>8.2f} {times[0]:>9} {times[1]:>9} {times[2]:>8} {times[3]:>8}")


if __name__ == "__main__":
    main()
