"""Gaps and normals of convex hulls and ellipsoids next to MuJoCo's, apart and in overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.model.parts.shape import Shape
from touching_shapes import SHAPES, pose

mujoco = pytest.importorskip("mujoco")

ROUND = ["sphere", "capsule", "box", "cylinder"]
PAIRS = [(kind, "mesh") for kind in (*ROUND, "mesh")] + [(kind, "ellipsoid") for kind in (*ROUND, "mesh", "ellipsoid")]
POLYTOPES = {"sphere", "capsule", "box", "mesh"}
COUNT = 1000


def geom(shape: Shape) -> str:
    half = " ".join(str(0.5 * x) for x in shape.size)
    sizes = {"sphere": f"{shape.radius}", "box": half, "ellipsoid": half}
    size = sizes.get(shape.kind, f"{shape.radius} {0.5 * shape.length}")
    return 'type="mesh" mesh="hull"' if shape.kind == "mesh" else f'type="{shape.kind}" size="{size}"'


def measured(first: Shape, T1: np.ndarray, second: Shape, T2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return MuJoCo's distances (n,) and normals (n, 3), from the second shape to the first."""
    vertices = " ".join(f"{x:.17g}" for x in np.asarray(SHAPES["mesh"].vertices).reshape(-1))
    bodies = "".join(f'<body mocap="true"><geom {geom(shape)}/></body>' for shape in (first, second))
    model: Any = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="hull" vertex="{vertices}"/></asset><worldbody>{bodies}</worldbody></mujoco>'
    )
    model.opt.ccd_tolerance, model.opt.ccd_iterations = 1e-10, 200
    data, ends = mujoco.MjData(model), np.zeros(6)
    distances, normals = [], []
    for poses in zip(T1, T2, strict=True):
        for j, T in enumerate(poses):
            data.mocap_pos[j] = T[:3, 3]
            mujoco.mju_mat2Quat(data.mocap_quat[j], T[:3, :3].reshape(-1))
        mujoco.mj_kinematics(model, data)
        distance = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, ends)
        n = (ends[:3] - ends[3:]) * np.sign(distance)
        distances.append(distance)
        normals.append(n / np.linalg.norm(n))
    return np.array(distances), np.array(normals)


@pytest.mark.parametrize("pair", PAIRS)
def test_gaps_and_normals_are_those_of_mujoco(pair: tuple[str, str]) -> None:
    first, second = (SHAPES[kind] for kind in pair)
    rng = np.random.default_rng(0)
    T1, T2 = (np.array([pose(rng, reach) for _ in range(COUNT)]) for reach in (0.2, 0.05))

    def points(T1: np.ndarray, T2: np.ndarray) -> np.ndarray:
        return np.stack([np.array([one.gap, *one.normal]) for one in candidates(first, T1, second, T2)])

    found = lw.compile(points, T1=(4, 4), T2=(4, 4))(T1, T2)
    deepest = found[np.arange(COUNT), found[:, :, 0].argmin(axis=1)]
    distances, normals = measured(first, T1, second, T2)
    error = abs(deepest[:, 0] - distances)
    exact = set(pair) <= POLYTOPES
    assert (distances > 0.0).sum() > 100
    assert (distances < 0.0).sum() > 100
    assert error[distances > 0.0].max() < 1e-7, "MuJoCo's vertices are in single precision"
    assert error[(distances <= 0.0) & (exact | (deepest[:, 0] > -0.02))].max() < 1e-6
    assert np.quantile(error, 0.95) < 1e-5
    assert error.max() < 1e-3, "deeper in curved shapes, another direction may be nearly as short"
    assert np.median(np.linalg.norm(normals - deepest[:, 1:], axis=1)) < 1e-5
