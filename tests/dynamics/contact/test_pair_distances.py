"""Distances of convex shapes against independent bounds: supporting planes and sampled directions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright.dynamics.distance.cores import CONVEX, POLYTOPES, ConvexCore
from linkwright.dynamics.distance.separation import Separation, above_plane, separation, touch

PAIRS = 200
SIZE = 0.3
CURVED_BOUND = 3e-4
"""m: bound of the error of the depth of curved shapes of 0.3 m"""


def vertices(seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(60, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True) * [0.05, 0.08, 0.15]


def mesh(seed: int) -> lw.Shape:
    V = vertices(seed)
    return lw.Shape("world", "mesh", vertices=V, faces=ConvexHull(V).simplices)


SHAPES = {
    "sphere": lw.Shape("world", "sphere", radius=0.1),
    "capsule": lw.Shape("world", "capsule", radius=0.05, length=0.2),
    "box": lw.Shape("world", "box", size=(0.1, 0.2, 0.15)),
    "cylinder": lw.Shape("world", "cylinder", radius=0.06, length=0.2),
    "ellipsoid": lw.Shape("world", "ellipsoid", size=(0.1, 0.2, 0.15)),
    "cone": lw.Shape("world", "cone", radius=0.08, length=0.2),
    "mesh": mesh(1),
}


def hull_of(shape: lw.Shape) -> np.ndarray | None:
    return None if shape.vertices is None else np.asarray(shape.vertices)


def extent(shape: lw.Shape, R: np.ndarray, d: np.ndarray) -> np.ndarray:
    """max d·x over the shape at the origin, for directions d (…, 3): independent of the library."""
    # Rᵀd; einsum takes four times as long for so many small products
    x = np.stack([sum(d[..., i] * R[..., i, j] for i in range(3)) for j in range(3)], axis=-1)
    r, half = shape.radius, 0.5 * shape.length
    flat = np.hypot(x[..., 0], x[..., 1])
    if shape.kind == "sphere":
        return r * np.linalg.norm(x, axis=-1)
    if shape.kind == "capsule":
        return half * abs(x[..., 2]) + r * np.linalg.norm(x, axis=-1)
    if shape.kind == "box":
        return abs(x) @ (0.5 * np.array(shape.size))
    if shape.kind == "cylinder":
        return half * abs(x[..., 2]) + r * flat
    if shape.kind == "cone":
        return np.maximum(half * x[..., 2], r * flat - half * x[..., 2])
    if shape.kind == "ellipsoid":
        return np.linalg.norm(x * (0.5 * np.array(shape.size)), axis=-1)
    return (x @ np.asarray(shape.vertices).T).max(axis=-1)


def inside(shape: lw.Shape, T: np.ndarray, point: np.ndarray) -> float:
    """How far a point is outside of the shape, by many of its supporting planes."""
    d = DIRECTIONS
    return float((d @ (point - T[:3, 3]) - extent(shape, T[:3, :3], d)).max())


def spiral(count: int) -> np.ndarray:
    z = (2.0 * np.arange(count) + 1.0) / count - 1.0
    turn, r = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count), np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


COMBINATIONS = list(combinations_with_replacement(CONVEX, 2))

DIRECTIONS = spiral(2000)


def poses(spread: tuple[float, float], count: int = PAIRS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    T1, T2 = (np.tile(np.eye(4), (count, 1, 1)) for _ in range(2))
    T1[:, :3, :3] = Rotation.random(count, random_state=1).as_matrix()
    T2[:, :3, :3] = Rotation.random(count, random_state=2).as_matrix()
    away = rng.normal(size=(count, 3))
    T2[:, :3, 3] = away / np.linalg.norm(away, axis=1, keepdims=True) * rng.uniform(*spread, count)[:, None]
    return T1, T2


def book(a: lw.Shape, b: lw.Shape) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def numbers(T1: np.ndarray, T2: np.ndarray) -> np.ndarray:
        return separation(ConvexCore.of(a, T1, hull_of(a)), ConvexCore.of(b, T2, hull_of(b)), SIZE).numbers

    return numbers


@cache
def kernel_of(one: str, other: str) -> lw.Kernel:
    """Compile the separation of two shapes, for all tests."""
    return lw.compile(book(SHAPES[one], SHAPES[other]), T1=(4, 4), T2=(4, 4))


def gap_along(a: lw.Shape, T1: np.ndarray, b: lw.Shape, T2: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Distance of the supporting planes normal to n (…, 3), from b to a: a lower bound of the signed distance."""
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)
    between = np.sum(n * (T1[..., :3, 3] - T2[..., :3, 3]), axis=-1)
    return between - extent(a, T1[..., :3, :3], -n) - extent(b, T2[..., :3, :3], n)


TURNS = np.pi / 16 * np.arange(32)


def refined(a: lw.Shape, T1: np.ndarray, b: lw.Shape, T2: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The largest gap of supporting planes near a direction of each pair (K, 3): directions on two circles around it
    are tried, which shrink where none is better."""
    rng, k = np.random.default_rng(0), np.arange(len(n))
    n = n / np.linalg.norm(n, axis=1, keepdims=True)
    scale, found = np.full(len(n), 0.05), gap_along(a, T1, b, T2, n)
    while (scale > 1e-10).any():
        u = np.cross(n, rng.normal(size=n.shape))  # the circles begin anywhere, or sharp ridges would stop them
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        circle = np.cos(TURNS)[:, None] * u[:, None] + np.sin(TURNS)[:, None] * np.cross(n, u)[:, None]
        tried = n[:, None] + scale[:, None, None] * np.concatenate([circle, 0.3 * circle], axis=1)
        gaps = gap_along(a, T1[:, None], b, T2[:, None], tried)
        best = gaps.argmax(axis=1)
        better = gaps[k, best] > found + 1e-15
        n = np.where(better[:, None], tried[k, best], n)
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        found, scale = np.maximum(found, gaps[k, best]), np.where(better, scale, 0.8 * scale)
    return found


@pytest.mark.parametrize(("one", "other"), COMBINATIONS)
def test_apart_the_supporting_planes_prove_the_distance(one: str, other: str) -> None:
    """The witness points are in both shapes and their distance is that of two supporting planes: nothing is nearer."""
    a, b = SHAPES[one], SHAPES[other]
    T1, T2 = poses((0.15, 0.5))
    found = kernel_of(one, other)(T1, T2)
    apart = np.flatnonzero(found[:, 0] > 0.0)
    assert len(apart) > PAIRS // 2
    s = Separation.of_numbers(found[apart].T)
    normals = s.normal.T
    np.testing.assert_allclose(s.a - s.b, s.distance * s.normal, atol=1e-12)
    gaps = gap_along(a, T1[apart], b, T2[apart], normals)
    unproved = np.flatnonzero(s.distance - gaps > 1e-9)  # the normal is known to a root of that only
    k = apart[unproved]
    gaps[unproved] = refined(a, T1[k], b, T2[k], normals[unproved])
    assert (abs(s.distance - gaps) <= 1e-9).all()
    assert len(unproved) < PAIRS // 25
    for k in apart[:20]:
        assert inside(a, T1[k], found[k, 4:7]) < 1e-10
        assert inside(b, T2[k], Separation.of_numbers(found[k]).b) < 1e-10


@pytest.mark.parametrize(("one", "other"), COMBINATIONS)
def test_the_depth_is_the_least_over_all_directions(one: str, other: str) -> None:
    """No sampled direction, refined, separates with less; the normal found separates with the depth."""
    a, b = SHAPES[one], SHAPES[other]
    T1, T2 = poses((0.0, 0.12))
    found = kernel_of(one, other)(T1, T2)
    deep = np.flatnonzero(found[:, 0] < 0.0)
    assert len(deep) > PAIRS // 2
    bound = 1e-9 if {one, other} <= set(POLYTOPES) else CURVED_BOUND
    deep = deep[:60]
    T1, T2, s = T1[deep], T2[deep], Separation.of_numbers(found[deep].T)
    np.testing.assert_allclose(gap_along(a, T1, b, T2, s.normal.T), s.distance, atol=bound, rtol=0.0)
    gaps = gap_along(a, T1[:, None], b, T2[:, None], DIRECTIONS)
    assert (gaps.max(axis=1) <= s.distance + bound).all()
    assert (refined(a, T1, b, T2, DIRECTIONS[gaps.argmax(axis=1)]) <= s.distance + bound).all()
    for k in range(len(deep)):
        assert inside(a, T1[k], s.a[:, k]) < 3.0 * bound
        assert inside(b, T2[k], s.b[:, k]) < 3.0 * bound


@pytest.mark.parametrize(("one", "other"), [("box", "box"), ("cylinder", "mesh"), ("capsule", "cone")])
def test_numbers_and_machine_code_agree(one: str, other: str) -> None:
    a, b = SHAPES[one], SHAPES[other]
    T1, T2 = poses((0.0, 0.4), 6)
    found = kernel_of(one, other)(T1, T2)
    for k in range(len(T1)):
        assert book(a, b)(T1[k], T2[k])[:4] == pytest.approx(found[k, :4], abs=1e-6)


@pytest.mark.parametrize(("one", "other"), COMBINATIONS)
def test_shapes_touch_where_their_distance_is_less_than_the_margin(one: str, other: str) -> None:
    a, b = SHAPES[one], SHAPES[other]
    T1, T2 = poses((0.0, 0.4))
    margin = 0.02

    def touching(T1: np.ndarray, T2: np.ndarray) -> np.ndarray:
        A, B = ConvexCore.of(a, T1, hull_of(a)), ConvexCore.of(b, T2, hull_of(b))
        return lw.where(touch(A, B, SIZE, margin), 1.0, 0.0)

    distance = kernel_of(one, other)(T1, T2)[:, 0]
    touches = lw.compile(touching, T1=(4, 4), T2=(4, 4))(T1, T2)
    clear = abs(distance - margin) > 1e-8
    assert ((distance <= margin) == (touches > 0.5))[clear].all()
    assert 0.1 < touches.mean() < 0.9


@pytest.mark.parametrize("kind", CONVEX)
def test_above_a_plane(kind: str) -> None:
    a = SHAPES[kind]
    T1, T2 = poses((0.1, 0.5), 50)
    for T, plane in zip(T1, T2, strict=True):
        s = above_plane(ConvexCore.of(a, T, hull_of(a)), plane)
        n = plane[:3, 2]
        assert s.distance == pytest.approx(n @ (T[:3, 3] - plane[:3, 3]) - extent(a, T[:3, :3], -n), abs=1e-12)
        assert n @ (s.b - plane[:3, 3]) == pytest.approx(0.0, abs=1e-12)


def test_touching_and_coincident_shapes_have_a_depth() -> None:
    """Equal poses, faces in one plane, an edge on a face: no direction is special for the algorithms."""
    T, aside = np.eye(4), np.eye(4)
    aside[0, 3] = 0.1
    for a, b, T2, expected in (
        ("box", "box", T, -0.1),
        ("box", "box", aside, 0.0),
        ("sphere", "sphere", T, -0.2),
        ("capsule", "capsule", T, -0.1),
        ("sphere", "box", T, -0.15),
        ("cylinder", "cylinder", T, -0.12),
        ("mesh", "mesh", T, None),
    ):
        found = kernel_of(a, b)(T, T2)
        assert np.isfinite(found).all()
        assert np.linalg.norm(found[1:4]) == pytest.approx(1.0)
        if expected is not None:
            assert found[0] == pytest.approx(expected, abs=2e-5)
