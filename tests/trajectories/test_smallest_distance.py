"""The smallest distance during a trajectory against dense samples."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ModelError, ShapeError

BALL = lw.Shape("world", "sphere", radius=0.1, name="ball")


@pytest.fixture(scope="module")
def arm() -> lw.Model:
    made = lw.Builder(lw.load("arm7"))
    for body in made.build().bodies:
        made.shape(body.name, "capsule", radius=0.05, length=0.15, use="collision")
    return made.build()


def moving(t: np.ndarray) -> np.ndarray:
    """Poses (n, 1, 4, 4) of a ball that crosses the workspace."""
    t = np.asarray(t)
    places = np.stack([0.6 - 0.5 * t, 0.4 * np.cos(3.0 * t), 0.5 + 0.1 * np.sin(7.0 * t)], axis=-1)
    return lw.transform.make(np.eye(3), places)[:, None]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_nearer_in_dense_samples(arm: lw.Model, seed: int) -> None:
    path = lw.trajectories.spline(arm, arm.random(4, seed=seed), np.linspace(0.0, 2.0, 4))
    t = np.linspace(0.0, 2.0, 40001)
    for options, poses in (({}, None), ({"obstacles": [BALL], "obstacle_poses": moving}, moving(t))):
        found = path.smallest_distance(**options)
        dense = lw.distances(arm, path(t)[0], obstacles=[BALL] if options else [], obstacle_poses=poses)
        assert found.distance <= dense.smallest.min() + 1e-9
        assert found.distance == pytest.approx(dense.smallest.min(), abs=1e-5)
        assert found.time == pytest.approx(t[np.argmin(dense.smallest)], abs=2e-3) or found.distance < 0.0
        assert found.pair == dense.pairs[dense.closest[np.argmin(dense.smallest)]] or found.distance < 0.0
        assert found.q == pytest.approx(path(found.time)[0])
        assert np.linalg.norm(found.first - found.second) == pytest.approx(abs(found.distance), abs=1e-12)


def test_a_point_cloud_is_an_obstacle(arm: lw.Model) -> None:
    path = lw.trajectories.spline(arm, arm.random(4, seed=1), np.linspace(0.0, 2.0, 4))
    last, cloud = arm.bodies[-1].name, np.random.default_rng(3).uniform(-2.0, 2.0, (50, 3))
    found = path.smallest_distance([(last, "points")], points=cloud, point_radius=0.01)
    t = np.linspace(0.0, 2.0, 4001)
    dense = lw.distances(arm, path(t)[0], [(last, "points")], points=cloud, point_radius=0.01).smallest
    assert found.distance == pytest.approx(dense.min(), abs=1e-4)
    assert found.distance <= dense.min() + 1e-9
    assert np.linalg.norm(cloud - found.second, axis=1).min() == pytest.approx(0.01)
    with pytest.raises(ShapeError, match=r"points of a trajectory are \(n, 3\)"):
        path.smallest_distance(points=cloud[None])
    with pytest.raises(lw.errors.InputError, match="points are not finite"):
        path.smallest_distance(points=np.nan * cloud)


def test_mistakes_are_explained(arm: lw.Model) -> None:
    times = [0.0, 0.5, 1.0]
    path, both = (
        lw.trajectories.spline(arm, x, times) for x in (arm.random(3, seed=0), arm.random(6, seed=0).reshape(2, 3, -1))
    )
    with pytest.raises(ShapeError, match="one is measured"):
        both.smallest_distance()
    bare = lw.load("two_link")
    with pytest.raises(ModelError, match="no two shapes"):
        lw.trajectories.spline(bare, bare.random(3, seed=0), times).smallest_distance()
    with pytest.raises(lw.errors.UnknownNameError, match="wall"):
        path.smallest_distance([("wall", arm.bodies[0].name)])
    with pytest.raises(lw.errors.InputError, match="finite at all times; got others at t = 0 s"):
        path.smallest_distance(obstacles=[BALL], obstacle_poses=np.nan * moving(np.zeros(1))[0])
