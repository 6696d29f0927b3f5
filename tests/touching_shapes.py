"""Shapes of every kind that touches, where they are, and how far they reach: what the tests of contact share."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.contact.shapes.candidate import ContactCandidate
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.model.parts.shape import Shape
from mechanisms import random_rotation

VERTICES = np.random.default_rng(5).normal(size=(24, 3)) * 0.15
HEIGHTS = np.random.default_rng(6).normal(size=(12, 15)) * 0.05

SHAPES = {
    "sphere": Shape("a", "sphere", radius=0.1),
    "capsule": Shape("a", "capsule", radius=0.05, length=0.4),
    "box": Shape("a", "box", size=(0.2, 0.3, 0.4)),
    "cylinder": Shape("a", "cylinder", radius=0.1, length=0.3),
    "ellipsoid": Shape("a", "ellipsoid", size=(0.2, 0.3, 0.4)),
    "mesh": Shape("a", "mesh", vertices=VERTICES, faces=np.array([[0, 1, 2]])),
    "plane": Shape("world", "plane"),
    "height_field": Shape("world", "height_field", size=(6.0, 5.0, 0.0), heights=HEIGHTS),
}


def pose(rng: np.random.Generator, reach: float) -> np.ndarray:
    """Any orientation, within about so many meters of the origin."""
    T = np.eye(4)
    T[:3, :3] = random_rotation(rng)
    T[:3, 3] = reach * rng.normal(size=3)
    return T


def at(x: float, y: float, z: float, R: np.ndarray | None = None) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T if R is None else T @ np.block([[R, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def reach(shape: Shape, T: np.ndarray, n: np.ndarray) -> float:
    """The largest n·x of the shape's points: its support function."""
    down, middle = T[:3, :3].T @ n, float(n @ T[:3, 3])
    half = 0.5 * np.asarray(shape.size)
    if shape.kind == "sphere":
        return middle + shape.radius
    if shape.kind == "capsule":
        return middle + shape.radius + 0.5 * shape.length * abs(down[2])
    if shape.kind == "cylinder":
        return middle + 0.5 * shape.length * abs(down[2]) + shape.radius * float(np.hypot(down[0], down[1]))
    if shape.kind == "box":
        return middle + float(half @ abs(down))
    if shape.kind == "ellipsoid":
        return middle + float(np.linalg.norm(half * down))
    if shape.kind == "mesh":
        return middle + float((shape.vertices @ down).max())
    assert shape.kind == "plane"
    return middle if down[2] > 1.0 - 1e-9 else np.inf


def separation(first: Shape, T1: np.ndarray, second: Shape, T2: np.ndarray, n: np.ndarray) -> float:
    """How far apart two shapes are along a unit vector n, from the second to the first."""
    return -reach(first, T1, -n) - reach(second, T2, n)


def is_in(shape: Shape, T: np.ndarray, point: np.ndarray, slack: float) -> bool:
    """Whether a point is within a shape, or by so little outside."""
    x = T[:3, :3].T @ (point - T[:3, 3])
    half = 0.5 * np.asarray(shape.size)
    if shape.kind == "sphere":
        return bool(np.linalg.norm(x) <= shape.radius + slack)
    if shape.kind == "capsule":
        on = np.clip(x[2], -0.5 * shape.length, 0.5 * shape.length)
        return bool(np.linalg.norm(x - (0.0, 0.0, on)) <= shape.radius + slack)
    if shape.kind == "cylinder":
        return bool(abs(x[2]) <= 0.5 * shape.length + slack and np.hypot(x[0], x[1]) <= shape.radius + slack)
    if shape.kind == "box":
        return bool((abs(x) <= half + slack).all())
    if shape.kind == "ellipsoid":
        return bool(np.linalg.norm(x / half) <= 1.0 + slack / half.min())
    if shape.kind == "plane":
        return bool(x[2] <= slack)
    assert shape.kind == "mesh"
    return bool(np.linalg.norm(np.asarray(shape.vertices) - x, axis=1).min() <= slack)


def touch(first: str, T1: np.ndarray, second: str, T2: np.ndarray) -> list[ContactCandidate]:
    """Return the candidates of a pair of `SHAPES`."""
    return candidates(SHAPES[first], T1, SHAPES[second], T2)


def nearest(found: list[ContactCandidate]) -> ContactCandidate:
    """Return the candidate with the smallest gap."""
    return min(found, key=lambda one: one.gap)
