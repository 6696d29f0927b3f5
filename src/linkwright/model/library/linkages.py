"""Built-in linkages with closed loops, defined by points; all body axes are the world's when neutral."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.model.build.builder import Builder
from linkwright.model.build.description import WORLD
from linkwright.model.library.bodies import ACCENT, SHELL, BodyShapes
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

THICKNESS = 0.02
"""m: the radius of round bars"""
DENSITY = 2.0
"""kg/m: of bars"""

IN_PLANE = (0.0, -9.81, 0.0)
"""gravity of planar linkages in the x–y plane"""


class _Linkage:
    """Builder with the position of each body's frame at the neutral configuration."""

    def __init__(self, name: str, gravity: Sequence[float] = (0.0, 0.0, -9.81)):
        self.builder = Builder(name, gravity)
        self.shapes = BodyShapes(self.builder)
        self.origins: dict[str, Array] = {WORLD: np.zeros(3)}

    def joint(self, name: str, type: str, parent: str, child: str, point: Any, axis: Any = None) -> None:
        """Join a body, whose frame is at the point, to its parent."""
        self.origins[child] = np.array(point, dtype=float)
        self.builder.joint(name, type, parent, child, xyz=self.origins[child] - self.origins[parent], axis=axis)

    def bar(self, name: str, joint: str, type: str, parent: str, start: Any, end: Any, axis: Any = None) -> None:
        """Add a uniform round bar between two points, with a joint at its start."""
        r = np.array(end, dtype=float) - np.array(start, dtype=float)
        length = np.linalg.norm(r)
        mass = DENSITY * float(length)
        across, along = mass * (length**2 / 12.0 + THICKNESS**2 / 4.0), mass * THICKNESS**2 / 2.0
        direction = np.outer(r, r) / length**2
        self.builder.body(name, mass, r / 2.0, across * (np.eye(3) - direction) + along * direction)
        self.joint(joint, type, parent, name, start, axis)

    def disc(self, name: str, mass: float, radius: float, center: Any, origin: Any) -> None:
        """Add a horizontal disc of the thickness of the bars; its frame is at the origin."""
        across = mass * (radius**2 / 4.0 + THICKNESS**2 / 3.0)
        moments = np.array([across, across, mass * radius**2 / 2.0])
        self.builder.body(name, mass, np.array(center, dtype=float) - np.array(origin, dtype=float), moments)

    def close(self, name: str, type: str, first: str, second: str, point: Any, axis: Any = None) -> None:
        """Close a loop between two bodies at a point; the second body gets a frame of the loop's name."""
        at = np.array(point, dtype=float)
        self.builder.frame(f"{name}_end", second, xyz=at - self.origins[second])
        self.builder.loop(name, type, first, f"{name}_end", xyz=at - self.origins[first], axis=axis)


def four_bar() -> Model:
    """Return a crank–rocker in the x–y plane, gravity (0, −9.81, 0): ground 0.9 m, crank 0.3, coupler 0.8, rocker 0.6.

    All joints are about z. The loop is a spatial revolute pair: two of its five constraints are independent. Bars
    have 2 kg/m.

    """
    one = _Linkage("four_bar", IN_PLANE)
    A, D = np.zeros(3), np.array([0.9, 0.0, 0.0])
    B = np.array([0.0, 0.3, 0.0])
    C = _corner(B, D, 0.8, 0.6)
    one.bar("crank_bar", "crank", "continuous", WORLD, A, B)
    one.bar("coupler_bar", "coupler", "continuous", "crank_bar", B, C)
    one.bar("rocker_bar", "rocker", "continuous", WORLD, D, C)
    one.close("pin", "revolute", "coupler_bar", "rocker_bar", C)
    return one.builder.build()


def _corner(B: Array, D: Array, from_B: float, from_D: float) -> Array:
    """Return the point at these distances from B and D, to the left of the line from B to D."""
    way = D - B
    length = np.linalg.norm(way)
    x = (length**2 + from_B**2 - from_D**2) / (2.0 * length)
    y = np.sqrt(from_B**2 - x**2)
    e = way / length
    corner: Array = B + x * e + y * np.array([-e[1], e[0], 0.0])
    return corner


def slider_crank() -> Model:
    """Return a crank of 0.2 m and a rod of 0.6 m that drive a slider of 1 kg along x; gravity (0, −9.81, 0)."""
    one = _Linkage("slider_crank", IN_PLANE)
    B = np.array([0.0, 0.2, 0.0])
    C = np.array([np.sqrt(0.6**2 - 0.2**2), 0.0, 0.0])
    one.bar("crank_bar", "crank", "continuous", WORLD, np.zeros(3), B)
    one.bar("rod_bar", "rod", "continuous", "crank_bar", B, C)
    one.builder.body("block", 1.0, inertia=1e-3)
    one.joint("slider", "prismatic", WORLD, "block", C, axis=(1, 0, 0))
    one.close("pin", "revolute", "rod_bar", "block", C)
    return one.builder.build()


def four_bars(n: int) -> Model:
    """Return a chain of n trapezoidal four-bars in the x–y plane, each on the coupler of the previous; gravity −9.81 y.

    Each has pivots 0.5 m apart above and 0.4 m apart below, at a distance of 0.4 m, and one degree of freedom. Joints
    are spatial, so that three of the five constraints of every loop are redundant.
    """
    one = _Linkage(f"four_bars:{n}", IN_PLANE)
    above, below, drop = 0.25, 0.2, 0.4
    parent, y = WORLD, 0.0
    for k in range(1, n + 1):
        tops = np.array([[-above, y, 0.0], [above, y, 0.0]])
        ends = np.array([[-below, y - drop, 0.0], [below, y - drop, 0.0]])
        one.bar(f"left{k}_bar", f"left{k}", "continuous", parent, tops[0], ends[0])
        one.bar(f"coupler{k}_bar", f"coupler{k}", "continuous", f"left{k}_bar", ends[0], ends[1])
        one.bar(f"right{k}_bar", f"right{k}", "continuous", parent, tops[1], ends[1])
        one.close(f"pin{k}", "revolute", f"coupler{k}_bar", f"right{k}_bar", ends[1])
        parent, y = f"coupler{k}_bar", y - drop
    return one.builder.build()


def bricard() -> Model:
    """Return Bricard's linkage with six joints and threefold symmetry: neighbors are 1 m apart, at right angles.

    A closed chain of six joints is rigid in general; this one rotates endlessly through itself
    (Bricard 1897; Chen, You & Tarnai 2005), since one of five constraints is redundant. The first bar is the ground.
    """
    one = _Linkage("bricard")
    x, z, p = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.zeros(3)
    points, axes = [p], [z]
    for k in range(6):  # Denavit–Hartenberg: π/2 about z, 1 m along x, ±π/2 about x
        x = np.cross(z, x)
        p = p + x
        z = np.cross(x, z) if k % 2 == 0 else -np.cross(x, z)
        points.append(p)
        axes.append(z)
    parent = WORLD
    for k in range(1, 6):
        one.bar(f"bar{k}", f"hinge{k}", "continuous", parent, points[k], points[k + 1], axis=axes[k])
        parent = f"bar{k}"
    one.close("last_hinge", "revolute", WORLD, parent, points[6], axis=axes[6])
    return one.builder.build()


def delta() -> Model:
    """Return a delta robot (Clavel 1988): three actuated arms, six rods with universal and ball joints, a platform.

    Arms of 0.3 m with springs, on joints 0.2 m from the center; rods of 0.8 m in pairs 0.1 m apart; a platform of
    radius 0.1 m and 1 kg, which translates without rotation: three degrees of freedom. The tree contains the first rod;
    five loops are closed.
    """
    one = _Linkage("delta")
    arm, rod, base, plate, half = 0.3, 0.8, 0.2, 0.1, 0.05
    drop = np.sqrt(rod**2 - (base + arm - plate) ** 2)
    center, platform = np.array([0.0, 0.0, -drop]), "platform"
    loops = []
    for k, angle in enumerate(2.0 * np.pi / 3.0 * np.arange(3), 1):
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        side = np.array([-np.sin(angle), np.cos(angle), 0.0])
        elbow, wrist = (base + arm) * out, center + plate * out
        one.bar(f"arm{k}_bar", f"arm{k}", "continuous", WORLD, base * out, elbow, axis=side)
        one.builder.joint_spring(f"arm{k}", 40.0, rest=-0.28)
        one.shapes.rod(f"arm{k}_bar", (0, 0, 0), arm * out, 0.026, ACCENT)
        one.shapes.rod(f"arm{k}_bar", arm * out - half * side, arm * out + half * side, 0.014)
        one.shapes.drum(WORLD, base * out - 0.06 * side, base * out + 0.06 * side, 0.04)
        for letter, sign in (("a", 1.0), ("b", -1.0)):
            name = f"rod{k}{letter}"
            start, end = elbow + sign * half * side, wrist + sign * half * side
            across = np.cross(end - start, side)
            one.bar(f"{name}_bar", name, "universal", f"arm{k}_bar", start, end, axis=[side, across])
            one.shapes.rod(f"{name}_bar", (0, 0, 0), end - start, 0.011)
            one.shapes.ball(f"{name}_bar", (0, 0, 0), 0.018)
            one.shapes.ball(f"{name}_bar", end - start, 0.018)
            if platform not in one.origins:
                one.disc(platform, 1.0, plate, center, end)
                one.joint("wrist", "spherical", f"{name}_bar", platform, end)
            else:
                loops.append((f"ball{k}{letter}", f"{name}_bar", end))
    for name, bar, end in loops:
        one.close(name, "ball", bar, platform, end)
    one.shapes.drum(WORLD, (0, 0, 0.01), (0, 0, 0.06), base + 0.06, SHELL)
    middle = center - one.origins[platform]
    half_thick = np.array([0.0, 0.0, 0.012])
    one.shapes.drum(platform, middle - half_thick, middle + half_thick, plate, SHELL)
    return one.builder.frame("tool", platform, xyz=center - one.origins[platform]).build()


def stewart() -> Model:
    """Return a Stewart platform: six prismatic legs, universal joints on the ground, ball joints at a platform of 20
    kg.

    Springs of 4 kN/m in the legs carry the weight. The joints on the ground are on a circle of radius 0.6 m, those of
    the platform on one of 0.35 m, 0.7 m above. The tree contains the first leg, five loops are closed: six degrees of
    freedom.
    """
    one = _Linkage("stewart")
    ground, plate, height, platform = 0.6, 0.35, 0.7, "platform"
    center = np.array([0.0, 0.0, height])
    loops = []
    for k in range(1, 7):
        pair, sign = (k - 1) // 2, 1.0 if k % 2 else -1.0
        below = 2.0 * np.pi / 3.0 * pair + sign * np.radians(15.0)
        above = 2.0 * np.pi / 3.0 * pair + sign * np.radians(45.0)
        start = ground * np.array([np.cos(below), np.sin(below), 0.0])
        end = center + plate * np.array([np.cos(above), np.sin(above), 0.0])
        along = end - start
        first = np.cross(along, np.array([0.0, 0.0, 1.0]))
        axes = [first, np.cross(along, first)]
        one.bar(f"leg{k}_tube", f"leg{k}", "universal", WORLD, start, start + 0.6 * along, axis=axes)
        one.bar(f"leg{k}_rod", f"slide{k}", "prismatic", f"leg{k}_tube", start + 0.4 * along, end, axis=along)
        one.builder.joint_spring(f"slide{k}", 4000.0, rest=0.015)
        one.shapes.ball(f"leg{k}_tube", (0, 0, 0), 0.035)
        one.shapes.drum(f"leg{k}_tube", (0, 0, 0), 0.6 * along, 0.027, ACCENT)
        one.shapes.drum(f"leg{k}_rod", (0, 0, 0), 0.6 * along, 0.016, SHELL)
        one.shapes.ball(f"leg{k}_rod", 0.6 * along, 0.028)
        if k == 1:
            one.disc(platform, 20.0, plate, center, end)
            one.joint("ball1", "spherical", "leg1_rod", platform, end)
        else:
            loops.append((f"ball{k}", f"leg{k}_rod", end))
    for name, rod, end in loops:
        one.close(name, "ball", rod, platform, end)
    one.shapes.drum(WORLD, (0, 0, -0.05), (0, 0, -0.015), ground + 0.08)
    middle = center - one.origins[platform]
    half_thick = np.array([0.0, 0.0, 0.02])
    one.shapes.drum(platform, middle - half_thick, middle + half_thick, plate + 0.03, SHELL)
    return one.builder.frame("tool", platform, xyz=center - one.origins[platform]).build()
