"""Compare contact points of one pair of shapes with MuJoCo, on one core: nanoseconds of CPU time per pair.

    python benchmarks/contact_points.py [box cylinder …]

The first shape has 1024 random poses near the second shape. Linkwright finds gaps, points and normals of all rows in
one call of a kernel, which includes reading both poses (sixteen numbers each); planes and height fields rest in the
world. MuJoCo's `mj_collision` runs on one placed pose after the other, and the time of an empty Python call is
subtracted. It returns early where bounding volumes do not overlap, so poses that touch and poses that do not have a
column each. Times are minima of alternating rounds.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import linkwright as lw
from linkwright.dynamics.contact.shapes.pairs import SERVED, candidates, points_of
from linkwright.model.parts.shape import Shape

ROWS, ROUNDS = 1024, 30
HEIGHTS = np.random.default_rng(0).normal(size=(20, 30)) * 0.05
SHAPES = {
    "sphere": Shape("a", "sphere", radius=0.1),
    "capsule": Shape("a", "capsule", radius=0.05, length=0.4),
    "box": Shape("a", "box", size=(0.2, 0.3, 0.4)),
    "cylinder": Shape("a", "cylinder", radius=0.1, length=0.3),
    "ellipsoid": Shape("a", "ellipsoid", size=(0.2, 0.3, 0.4)),
    "mesh": Shape("a", "mesh", vertices=np.random.default_rng(1).normal(size=(32, 3)), faces=np.array([[0, 1, 2]])),
    "plane": Shape("world", "plane"),
    "height_field": Shape("world", "height_field", size=(4.0, 4.0, 0.0), heights=HEIGHTS),
}


def poses(reach: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(ROWS, 4))
    T = np.tile(np.eye(4), (ROWS, 1, 1))
    T[:, :3, :3] = lw.rotation.from_quaternion(q / np.linalg.norm(q, axis=1, keepdims=True))
    T[:, :3, 3] = reach * rng.normal(size=(ROWS, 3))
    return T


def of_linkwright(first: Shape, second: Shape):
    at_rest = second.body == "world"

    def points(T, U):
        found = candidates(first, T, second, np.eye(4) if at_rest else U)
        return tuple(np.stack([one[k] for one in found]) for k in range(3))

    shapes = {"T": (4, 4)} if at_rest else {"T": (4, 4), "U": (4, 4)}
    kernel = lw.compile((lambda T: points(T, None)) if at_rest else points, **shapes)
    kernel.threads = 1
    return lambda T, U: kernel(T) if at_rest else kernel(T, U)


def geom(shape: Shape) -> str:
    half = [0.5 * x for x in shape.size]
    size = {
        "sphere": [shape.radius],
        "capsule": [shape.radius, 0.5 * shape.length],
        "cylinder": [shape.radius, 0.5 * shape.length],
        "plane": [0.0, 0.0, 1.0],
    }.get(shape.kind, half)
    joint = "" if shape.body == "world" else "<freejoint/>"
    return f'<body>{joint}<geom type="{shape.kind}" size="{" ".join(map(repr, size))}"/></body>'


def of_mujoco(first: Shape, second: Shape):
    """For each pose a placed scene, and a function that finds the contacts of all of them; nothing for meshes."""
    import mujoco

    if {first.kind, second.kind} & {"mesh", "height_field"}:
        return None
    xml = f"<mujoco><worldbody>{geom(first)}{geom(second)}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)

    def prepared(T, U):
        placed = []
        for A, B in zip(T, U, strict=True):
            data = mujoco.MjData(model)
            for k, X in enumerate((A, B)[: model.nq // 7]):
                data.qpos[7 * k : 7 * k + 3] = X[:3, 3]
                mujoco.mju_mat2Quat(data.qpos[7 * k + 3 : 7 * k + 7], X[:3, :3].flatten())
            mujoco.mj_kinematics(model, data)
            placed.append(data)

        def run(function=mujoco.mj_collision):
            for data in placed:
                function(model, data)

        run()
        return run, lambda: run(mujoco.mj_checkAcc), np.array([data.ncon > 0 for data in placed])

    return prepared


def shortest(*runs) -> list[float]:
    found = [np.inf] * len(runs)
    for _ in range(ROUNDS):
        for k, run in enumerate(runs):
            start = time.thread_time()
            run()
            found[k] = min(found[k], time.thread_time() - start)
    return found


def main(names: list[str]) -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; ns a pair of shapes")
    print(f"{'':24}points Linkwright  MuJoCo touching, apart")
    for a, b in SERVED:
        if names and not {a, b} & set(names):
            continue
        first, second = SHAPES[a], SHAPES[b]
        T, U = poses(0.2, 0), poses(0.05, 1)
        kernel, peer = of_linkwright(first, second), of_mujoco(first, second)
        kernel(T, U)
        line = f"{a + ' – ' + b:24}{points_of(a, b):6}"
        if peer is None:
            (own,) = shortest(lambda kernel=kernel, T=T, U=U: kernel(T, U))
            print(f"{line}{own / ROWS * 1e9:11.1f}")
            continue
        _, _, touch = peer(T, U)
        times = []
        for rows in (touch, ~touch):
            run, empty, _ = peer(T[rows], U[rows])
            own, other, nothing = shortest(lambda kernel=kernel, T=T, U=U: kernel(T, U), run, empty)
            times.append((other - nothing) / max(rows.sum(), 1) * 1e9)
        print(f"{line}{own / ROWS * 1e9:11.1f}{times[0]:12.0f}{times[1]:8.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
