"""Distances and collisions of models: pairs, obstacles, Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.distance.shape_pairs import frame_poses, pair_separations
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, UnknownNameError
from linkwright.geometry import distances as distances_module
from linkwright.geometry.distances import chosen_pairs


@pytest.fixture(scope="module")
def arm() -> lw.Model:
    made = lw.Builder(lw.load("arm7"))
    kinds = ("capsule", "box", "sphere", "cylinder", "capsule", "box", "ellipsoid")
    for body, kind in zip(made.build().bodies, kinds, strict=True):
        size = {"box": {"size": (0.1, 0.08, 0.2)}, "ellipsoid": {"size": (0.1, 0.12, 0.2)}, "sphere": {"radius": 0.08}}
        made.shape(body.name, kind, use="collision", **size.get(kind, {"radius": 0.05, "length": 0.2}))
    return made.build()


OBSTACLES = [
    lw.Shape("world", "box", size=(0.3, 0.3, 0.3), name="crate"),
    lw.Shape("world", "plane", name="floor"),
    lw.Shape("world", "sphere", radius=0.2),
]


def poses(seed: int, shape: tuple[int, ...] = ()) -> np.ndarray:
    rng = np.random.default_rng(seed)
    R = lw.rotation.exp(rng.normal(size=(*shape, 3, 3)))
    return lw.transform.make(R, rng.uniform(-0.8, 0.8, (*shape, 3, 3)))


def test_pairs_and_shapes_of_the_results(arm: lw.Model) -> None:
    q = arm.random(5, seed=0)
    found = lw.distances(arm, q)
    assert len(found.pairs) == 15  # 7 bodies, without neighbors
    neighbors = {frozenset((a.name, b.name)) for a, b in pairwise(arm.bodies)}
    assert not neighbors & {frozenset(pair) for pair in found.pairs}
    assert found.distance.shape == (5, 15)
    assert found.normal.shape == found.first.shape == found.second.shape == (5, 15, 3)
    assert found.jacobian is None
    assert (found.first - found.second) == pytest.approx(found.distance[..., None] * found.normal, abs=1e-12)
    assert found.smallest == pytest.approx(np.take_along_axis(found.distance, found.closest[:, None], -1)[:, 0])
    assert lw.distances(arm, q[0]).distance == pytest.approx(found.distance[0], abs=0.0)


def test_distances_without_a_configuration_are_not_numbers(arm: lw.Model) -> None:
    q = arm.random(3, seed=0)
    q[1] = np.nan
    assert np.isnan(lw.distances(arm, q).distance[1]).all()
    assert np.isnan(lw.closest_pair(arm, q).distance).tolist() == [False, True, False]


def test_given_pairs_keep_their_order(arm: lw.Model) -> None:
    q, (a, b, c) = arm.random(seed=1), [body.name for body in arm.bodies[:3]]
    one, other = lw.distances(arm, q, [(a, c), (a, b)]), lw.distances(arm, q, [(c, a)])
    assert one.pairs == ((a, c), (a, b))
    assert other.pairs == ((c, a),)
    assert other.normal[0] == pytest.approx(-one.normal[0])
    assert other.first[0] == pytest.approx(one.second[0])


def test_obstacles_move_without_compilation(arm: lw.Model) -> None:
    q = arm.random(seed=2)
    at = poses(0)
    before = lw.distances(arm, q, obstacles=OBSTACLES, obstacle_poses=at)
    kernels = len(arm.memo)
    rows = lw.distances(arm, q, obstacles=OBSTACLES, obstacle_poses=poses(1, (4,)))
    assert len(arm.memo) == kernels
    assert rows.distance.shape == (4, len(before.pairs))
    assert {"crate", "floor", "obstacle2"} <= {name for pair in before.pairs for name in pair}
    body = arm.bodies[2].name  # the ball of radius 0.08
    apart = np.linalg.norm(lw.pose(arm, q, body)[:3, 3] - at[2, :3, 3])
    k = before.pairs.index((body, "obstacle2"))
    assert before.distance[k] == pytest.approx(apart - 0.28)
    k = before.pairs.index((body, "floor"))
    n = at[1, :3, 2]
    assert before.distance[k] == pytest.approx(n @ (lw.pose(arm, q, body)[:3, 3] - at[1, :3, 3]) - 0.08)


def test_the_jacobian_is_the_derivative(arm: lw.Model) -> None:
    q, h = arm.random(20, seed=3), 1e-6
    found = lw.distances(arm, q, obstacles=OBSTACLES, obstacle_poses=poses(0), jacobian=True)
    assert found.jacobian is not None
    smooth = 0
    for j in range(arm.nv):
        step = h * np.eye(arm.nv)[j]
        up, down = (
            lw.distances(arm, lw.integrate(arm, q, s * step), obstacles=OBSTACLES, obstacle_poses=poses(0)).distance
            for s in (1.0, -1.0)
        )
        numerical = (up - down) / (2.0 * h)
        close = abs(numerical - found.jacobian[..., j]) < 1e-4
        smooth += close[found.distance > 0.0].mean()
    assert smooth / arm.nv > 0.99  # the others have a jump of the nearest points within the step


def test_collisions_are_distances_below_the_margin(arm: lw.Model) -> None:
    q = arm.random(200, seed=4)
    for margin in (0.0, 0.05):
        near = lw.collisions(arm, q, obstacles=OBSTACLES, obstacle_poses=poses(0), margin=margin)
        found = lw.distances(arm, q, obstacles=OBSTACLES, obstacle_poses=poses(0))
        assert near.pairs == found.pairs
        clear = abs(found.distance - margin) > 1e-9
        assert (near.colliding == (found.distance <= margin))[clear].all()
        assert (near.any == near.colliding.any(axis=-1)).all()
        assert 0.0 < near.colliding.mean() < 1.0


def test_within_gives_lower_bounds_beyond(arm: lw.Model) -> None:
    q = arm.random(100, seed=5)
    exact, near = lw.distances(arm, q), lw.distances(arm, q, within=0.1)
    assert (near.distance <= exact.distance + 1e-12).all()
    assert near.distance[exact.distance < 0.1] == pytest.approx(exact.distance[exact.distance < 0.1], abs=1e-12)
    assert (near.distance < exact.distance - 1e-3).any()


def test_the_book_runs_on_numbers(arm: lw.Model) -> None:
    q = arm.random(seed=6)
    pairs = chosen_pairs(arm, None, ())
    found = [one.distance for one in pair_separations(frame_poses(arm, q, None), pairs)]
    assert found == pytest.approx(lw.distances(arm, q).distance, abs=1e-9)


def test_code_does_not_grow_with_the_number_of_pairs() -> None:
    """Nine and thirty-one links with boxes and capsules: the loops have the same steps."""

    def steps(bodies: int) -> list[int]:
        made = lw.Builder(lw.load(f"planar:{bodies}"))
        for k, body in enumerate(made.build().bodies):
            size = {"size": (0.1, 0.2, 0.3 + 0.01 * k)} if k % 2 else {"radius": 0.1 + 0.01 * k, "length": 0.5}
            made.shape(body.name, "box" if k % 2 else "capsule", **size)
        model = made.build()
        pairs = chosen_pairs(model, None, ())

        def computed(poses: np.ndarray) -> np.ndarray:
            return np.stack([one.distance for one in pair_separations(poses, pairs)])

        program = lw.compile(computed, poses=(len(model.bodies) + 1, 12)).program
        return [len(value.program.instructions) for op, _, value in program.instructions if op == "repeat"]

    few, many = steps(9), steps(31)
    assert len(few) == len(many) == 4  # poses, and three pairs of kinds
    assert max(abs(a - b) for a, b in zip(few, many, strict=True)) < 20


def test_point_clouds_are_spheres_at_the_points(arm: lw.Model) -> None:
    q, rng = arm.random(6, seed=8), np.random.default_rng(0)
    cloud = rng.uniform(-1.0, 1.0, (11, 3))
    balls = [lw.Shape("world", "sphere", radius=0.02, name=f"ball{k}") for k in range(len(cloud))]
    links = [body.name for body in arm.bodies]
    at = lw.transform.make(np.eye(3), cloud)
    each = lw.distances(arm, q, [(x, ball.name) for x in links for ball in balls], obstacles=balls, obstacle_poses=at)
    pairs = [(x, "points") for x in links]
    found = lw.distances(arm, q, pairs, points=cloud, point_radius=0.02, jacobian=True)
    assert list(found.pairs) == pairs
    for k in range(len(pairs)):
        of_link = [j for j, (link, other) in enumerate(each.pairs) if link == found.pairs[k][0] and "ball" in other]
        assert len(of_link) == len(cloud)
        assert found.distance[:, k] == pytest.approx(each.distance[:, of_link].min(axis=1), abs=1e-12)
    near = lw.closest_pair(arm, q, pairs, points=cloud, point_radius=0.02)
    assert near.distance == pytest.approx(found.smallest, abs=1e-12)
    for margin in (0.0, 0.1):
        colliding = lw.collisions(arm, q, pairs, points=cloud, point_radius=0.02, margin=margin).colliding
        assert (colliding == (found.distance <= margin)).all()
    kernels = len(arm.memo)
    moved = lw.distances(arm, q, pairs, points=cloud + rng.normal(size=(6, 1, 3)), point_radius=0.02, jacobian=True)
    assert len(arm.memo) == kernels
    assert (moved.distance != found.distance).all()
    cloud[3] = np.nan
    assert np.isnan(lw.distances(arm, q[0], pairs, points=cloud, point_radius=0.02, jacobian=True).distance).all()


@pytest.mark.parametrize("count", [41, 7])
def test_large_clouds_are_computed_in_parts(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    arm = lw.Builder(lw.load("two_link")).shape("link2", "sphere", radius=0.1, xyz=(1.0, 0.0, 0.0)).build()
    q, rng = arm.random(6, seed=8), np.random.default_rng(0)
    balls = [lw.Shape("world", "sphere", radius=0.1) for _ in range(3)]
    worlds = [
        {"points": rng.uniform(-2.0, 2.0, (count, 3))},
        {"points": rng.uniform(-2.0, 2.0, (6, count, 3)), "obstacles": balls, "obstacle_poses": poses(1, (6,))},
    ]

    def results(q: np.ndarray, world: dict[str, Any]) -> list[np.ndarray]:
        each, near = lw.distances(arm, q, **world, jacobian=True), lw.closest_pair(arm, q, **world)
        touch = lw.collisions(arm, q, **world, margin=1.0).colliding
        return [each.distance, each.normal, each.first, each.jacobian, near.distance, near.first, near.index, touch]

    whole = [results(q, world) for world in worlds]
    assert [other for _, other in lw.distances(arm, q, **worlds[1]).pairs].count("points") == 1
    assert whole[0][-1].any()
    monkeypatch.setattr(distances_module, "MOST_POINTS", 7)
    for world, expected in zip(worlds, whole, strict=True):
        for x, y in zip(results(q, world), expected, strict=True):
            assert x == pytest.approx(y, abs=1e-12)
    for x, y in zip(results(q[0], worlds[0]), whole[0], strict=True):
        assert x == pytest.approx(y[0], abs=1e-12)
    lost = worlds[0]["points"].copy()
    lost[-1] = np.nan
    assert np.isnan(lw.distances(arm, q, points=lost).distance).all()
    with pytest.raises(InputError, match="not finite"):
        lw.collisions(arm, q, points=lost)


def test_a_depth_image_is_a_cloud(arm: lw.Model) -> None:
    q, cloud = arm.neutral(), np.random.default_rng(1).uniform(-1.0, 1.0, (320 * 400, 3))
    last = arm.bodies[-1].name
    found = lw.collisions(arm, q, [(arm.bodies[2].name, "points")], points=cloud + 9.0)
    assert not found.any
    cloud[-1] = lw.pose(arm, q, last)[:3, 3]  # in the last part
    assert lw.collisions(arm, q, [(last, "points")], points=cloud).any


def test_code_does_not_grow_with_the_number_of_points(arm: lw.Model) -> None:
    q, rng = arm.random(2, seed=9), np.random.default_rng(1)
    pairs = [(arm.bodies[0].name, "points"), (arm.bodies[2].name, "points")]
    far = rng.uniform(-1.0, 1.0, (20_000, 3))
    found = lw.distances(arm, q, pairs, points=far)
    center = lw.pose(arm, q, arm.bodies[2].name)[:, None, :3, 3]
    expected = np.linalg.norm(far - center, axis=-1).min(axis=1) - 0.08
    assert found.distance[:, 1] == pytest.approx(expected, abs=1e-12)


def test_an_obstacle_is_checked_again_after_a_change() -> None:
    arm = lw.Builder(lw.load("two_link")).shape("link2", "sphere", radius=0.1, xyz=(1.0, 0.0, 0.0)).build()
    q, ball = arm.neutral(), lw.Shape("world", "sphere", radius=0.1, placement=np.eye(4))
    checks = []
    problems = lw.Shape.problems

    def counted(shape: lw.Shape) -> Iterator[str]:
        checks.append(shape)
        return problems(shape)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lw.Shape, "problems", counted)
        before = [lw.distances(arm, q, obstacles=[ball]).smallest for _ in range(3)][-1]
        assert sum(one is ball for one in checks) == 1
        assert lw.distances(arm, q, obstacles=[ball, ball]).pairs[-1][1] == "obstacle1"
        ball.placement[:3, 3] = 9.0, 0.0, 0.0  # in place
        assert lw.distances(arm, q, obstacles=[ball]).distance[-1] > before + 1.0
        assert sum(one is ball for one in checks) == 3
    ball.placement[0, 0] = 2.0
    with pytest.raises(InputError, match="placement of obstacle 0 is not a pose"):
        lw.distances(arm, q, obstacles=[ball])


def test_mistakes_are_explained(arm: lw.Model) -> None:
    q = arm.neutral()
    calls: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (UnknownNameError, "hand", lambda: lw.distances(arm, q, [("hand", arm.bodies[0].name)])),
        (ArgumentError, "pairs is a list of pairs of names", lambda: lw.distances(arm, q, ["link1"])),
        (ArgumentError, "obstacles is a list of shapes", lambda: lw.collisions(arm, q, obstacles=OBSTACLES[0])),
        (
            InputError,
            "is a shape of 'world'",
            lambda: lw.distances(arm, q, obstacles=[lw.Shape("tool", "sphere", radius=1.0)]),
        ),
        (ArgumentError, "obstacle_poses are the poses", lambda: lw.distances(arm, q, obstacle_poses=poses(0))),
        (ModelError, "no two shapes", lambda: lw.distances(lw.load("two_link"), [0.0, 0.0])),
        (ArgumentError, "pairs is empty", lambda: lw.distances(arm, q, [])),
        (InputError, "names of obstacles are unique", lambda: lw.closest_pair(arm, q, obstacles=[OBSTACLES[0]] * 2)),
        (
            InputError,
            "has the name of a link",
            lambda: lw.distances(arm, q, obstacles=[lw.Shape("world", "sphere", radius=1.0, name=arm.bodies[0].name)]),
        ),
        (ShapeError, r"points are \(..., n, 3\)", lambda: lw.distances(arm, q, points=[0.0, 0.0, 1.0])),
        (ArgumentError, "real numbers", lambda: lw.distances(arm, q, points=[[0.0, 0.0, 1.0], [0.0, 1.0]])),
        (
            InputError,
            "not a pose",
            lambda: lw.distances(arm, q, obstacles=OBSTACLES, obstacle_poses=2.0 * poses(0)),
        ),
        (
            InputError,
            "placement of obstacle 0 is not a pose",
            lambda: lw.distances(
                arm, q, obstacles=[lw.Shape("world", "sphere", radius=1.0, placement=np.diag([2.0, 2.0, 2.0, 1.0]))]
            ),
        ),
        (ShapeError, "pose", lambda: lw.distances(arm, q, obstacles=[replace(OBSTACLES[0], placement=np.zeros(3))])),
        *(
            (InputError, what, lambda shape=shape: lw.distances(arm, q, obstacles=[shape]))
            for what, shape in (
                ("three numbers", lw.Shape("world", "box", size=(1.0, 1.0))),
                ("three numbers", lw.Shape("world", "box", size=1.0)),
                ("is a number", lw.Shape("world", "sphere", radius="a")),
                (
                    "rows of three finite numbers",
                    lw.Shape("world", "mesh", vertices=np.array([["a", 1, 2]]), faces=np.zeros((1, 3), int)),
                ),
            )
        ),
        (ShapeError, "^distances: q has shape", lambda: lw.distances(arm, np.zeros(3))),
        (ArgumentError, "give points", lambda: lw.collisions(arm, q, point_radius=0.1)),
        (InputError, "are not finite", lambda: lw.collisions(arm, q + np.nan)),
        (InputError, "margin", lambda: lw.collisions(arm, q, margin=-1.0)),
    ]
    for error, text, call in calls:
        with pytest.raises(error, match=text):
            call()


def test_the_closest_pair_is_that_of_all_distances(arm: lw.Model) -> None:
    q = arm.random(500, seed=7)
    options: dict[str, object] = {"obstacles": OBSTACLES, "obstacle_poses": poses(2)}
    for given in ({}, options):
        found, near = lw.distances(arm, q, **given), lw.closest_pair(arm, q, **given)
        assert set(near.pairs) == set(found.pairs)
        assert near.distance == pytest.approx(found.smallest, abs=1e-12)
        k = found.closest[:, None, None]
        assert [tuple(x) for x in near.pair] == [found.pairs[i] for i in found.closest]
        for name in ("normal", "first", "second"):
            expected = np.take_along_axis(getattr(found, name), k, 1)[:, 0]
            assert getattr(near, name) == pytest.approx(expected, abs=1e-9)
    one = lw.closest_pair(arm, q[0])
    assert one.pair == lw.distances(arm, q[0]).pairs[int(lw.distances(arm, q[0]).closest)]
