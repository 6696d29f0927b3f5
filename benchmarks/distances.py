"""Compare the self-distances of a Panda with coal through Pinocchio (computeDistances), in one run on one core.

    python benchmarks/distances.py

Both compute all pairs of collision shapes that lw.distances selects: those of panda.urdf, whose shapes are meshes, and
those of panda_collision.urdf, whose shapes are cylinders and spheres. Pinocchio has the meshes as its URDF reader makes
them (triangles), and as the convex hulls of Linkwright ("hulls"). Times are microseconds of CPU time per configuration,
minima of alternating rounds. The largest difference of the distances of separated pairs is printed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin

import linkwright as lw

ROUNDS = 5
ROWS = {"triangles": 4, "hulls": 256, "primitives": 256}
"""configurations of Pinocchio a round"""
BATCH = 1024


def models() -> Path:
    return Path(pin.__file__).parents[4] / "share/example-robot-data/robots/panda_description/urdf"


def peer(
    path: Path, model: lw.Model, pairs: tuple[tuple[str, str], ...], hulls: bool
) -> Callable[[np.ndarray], np.ndarray]:
    """Of configurations, the distances of the same pairs."""
    robot = pin.buildModelFromUrdf(str(path))
    shapes = pin.buildGeomFromUrdf(robot, str(path), pin.GeometryType.COLLISION, package_dirs=[str(path.parents[4])])
    links = [robot.frames[one.parentFrame].name for one in shapes.geometryObjects]
    names = [n if links.count(n) == 1 else f"{n}[{links[:k].count(n)}]" for k, n in enumerate(links)]
    own = [shape for shape in model.shapes if shape.touches]
    if hulls:
        for k, (one, link) in enumerate(zip(shapes.geometryObjects, links, strict=True)):
            shape = [shape for shape in own if shape.body == link][links[:k].count(link)]
            if shape.kind != "mesh":
                continue
            points = coal.StdVec_Vec3s()
            for vertex in lw.convex_hull(shape).vertices:
                points.append(np.ascontiguousarray(vertex))
            one.geometry, one.meshScale = coal.Convex.convexHull(points, True, "Qt"), np.ones(3)
    for a, b in pairs:
        shapes.addCollisionPair(pin.CollisionPair(names.index(a), names.index(b)))
    data, found = robot.createData(), pin.GeometryData(shapes)

    def distances(q: np.ndarray) -> np.ndarray:
        rows = np.empty((len(q), len(pairs)))
        for k, row in enumerate(q):
            # both fingers are coordinates there; the second mimics the first
            pin.computeDistances(robot, data, shapes, found, np.append(row, row[-1]))
            rows[k] = [result.min_distance for result in found.distanceResults] if k < 4 else 0.0
        return rows

    return distances


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def compare(name: str, kind: str) -> None:
    path = models() / name
    model = lw.load(path)
    q = model.random(BATCH, seed=0)
    start = time.process_time()
    ours = lw.distances(model, q)
    first = time.process_time() - start
    theirs, rows = peer(path, model, ours.pairs, kind == "hulls"), ROWS[kind]
    expected = theirs(q[:4])
    apart = (expected > 0.0) & (ours.distance[:4] > 0.0)
    print(f"{name}, {kind}: {len(ours.pairs)} pairs, first call {first:.1f} s CPU")
    print(f"  largest difference of distances apart {abs(expected - ours.distance[:4])[apart].max():.1e} m")
    times: dict[str, float] = {}
    for _ in range(ROUNDS):
        for what, count, run in (
            ("coal, Pinocchio computeDistances", rows, lambda: theirs(q[:rows])),
            ("Linkwright distances", BATCH, lambda: lw.distances(model, q)),
            ("Linkwright distances, within 0.05 m", BATCH, lambda: lw.distances(model, q, within=0.05)),
            ("Linkwright distances and Jacobian", BATCH, lambda: lw.distances(model, q, jacobian=True)),
            ("Linkwright closest pair", BATCH, lambda: lw.closest_pair(model, q)),
            ("Linkwright collisions", BATCH, lambda: lw.collisions(model, q)),
        ):
            times[what] = min(times.get(what, np.inf), seconds(run) / count)
    base = times["coal, Pinocchio computeDistances"]
    for what, value in times.items():
        print(f"  {what:38s} {value * 1e6:10.2f} us  {base / value:8.1f} x")


if __name__ == "__main__":
    for name, kind in (("panda.urdf", "triangles"), ("panda.urdf", "hulls"), ("panda_collision.urdf", "primitives")):
        compare(name, kind)
