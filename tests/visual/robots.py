"""Mechanisms to draw."""

from __future__ import annotations

import numpy as np

from linkwright.model.build.builder import Builder
from linkwright.model.tree import Model


def planar(n: int, axis: tuple[float, float, float] = (0, 0, 1), gravity: tuple[float, float, float] = (0, -9.8, 0)):
    """n links of 1 m along x, joints about ``axis``."""
    builder, parent = Builder(f"planar {n}", gravity=gravity), "world"
    for k in range(n):
        builder.body(f"link{k}", 1.0, [0.5, 0, 0], 0.1)
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[1.0 if k else 0.0, 0, 0], axis=axis)
        parent = f"link{k}"
    return builder.frame("tip", parent, xyz=[1, 0, 0]).build()


def arm() -> Model:
    """Seven joints, about z and y in turn, 0.2 m apart along z."""
    builder, parent = Builder("arm"), "world"
    for k in range(7):
        builder.body(f"link{k}", 1.0, [0, 0, 0.1], 0.01)
        axis = [0, 0, 1] if k % 2 == 0 else [0, 1, 0]
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[0, 0, 0.2], axis=axis, limits=(-1.0, 1.0))
        parent = f"link{k}"
    return builder.frame("tool", parent, xyz=[0.05, 0, 0.1]).build()


def walker() -> Model:
    """A floating trunk with four legs of two joints."""
    builder = Builder("walker").body("trunk", 5.0, inertia=0.1).joint("root", "free", "world", "trunk")
    for name, x, y in (("a", 1, 1), ("b", 1, -1), ("c", -1, 1), ("d", -1, -1)):
        builder.body(f"{name}_thigh", 1.0, [0, 0, -0.1], 0.01)
        builder.joint(
            f"{name}_hip_joint", "revolute", "trunk", f"{name}_thigh", xyz=[0.2 * x, 0.1 * y, 0], axis=[0, 1, 0]
        )
        builder.body(f"{name}_calf", 0.5, [0, 0, -0.1], 0.01)
        builder.joint(
            f"{name}_knee_joint", "revolute", f"{name}_thigh", f"{name}_calf", xyz=[0, 0, -0.2], axis=[0, 1, 0]
        )
        builder.frame(f"{name}_foot", f"{name}_calf", xyz=[0, 0, -0.2])
    return builder.build()


def cart_pole() -> Model:
    """A slide along x and a pole on it."""
    return (
        Builder("cart-pole")
        .body("cart", 1.0)
        .joint("slide", "prismatic", "world", "cart", axis=[1, 0, 0])
        .body("pole", 0.3, [0, 0, 0.5], [0.025, 0.025, 0.001])
        .joint("hinge", "revolute", "cart", "pole", axis=[0, 1, 0])
        .build()
    )


def satellite() -> Model:
    """A single free body."""
    return Builder("satellite").body("box", 3.0, inertia=[0.5, 1.0, 1.2]).joint("root", "free", "world", "box").build()


def waving(model: Model, t: np.ndarray, amplitude: float = 0.5) -> np.ndarray:
    """A motion (len(t), nq) of every joint of one coordinate; floating bodies stay where they are."""
    q = np.tile(model.neutral(), (len(t), 1))
    at = 0
    for joint in model.joints:
        if joint.nq == 1:
            q[:, at] += amplitude * np.sin(3.0 * t + 0.7 * at)
        at += joint.nq
    return q
