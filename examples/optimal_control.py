"""Optimal motions of docs/topics/control/optimal_control.md: a cart-pole swings up, an arm reaches within its limits.

Writes the pictures of that page into a folder: python examples/optimal_control.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import linkwright as lw

control = lw.control


def swing_up() -> control.OptimalMotion:
    built = lw.Builder("cart_pole").body("cart", mass=1.0).body("pole", mass=0.2, center_of_mass=[0.0, 0.0, 0.5])
    built.joint("slider", "prismatic", parent="world", child="cart", axis=[1, 0, 0])
    model = built.joint("hinge", "revolute", parent="cart", child="pole", axis=[0, 1, 0]).build()
    upright, start = [0.0, 0.0], [0.0, np.pi]
    running = [control.EffortCost(0.02), control.VelocityCost(0.02), control.PostureCost(upright, [0.2, 0.1])]
    final = [control.PostureCost(upright, 300.0), control.VelocityCost(30.0)]
    options = {"effort_limits": 8.0, "actuated": ["slider"], "method": "semi_implicit"}
    return control.ilqr(model, start, [0.0, 0.0], 100, 0.03, running, final, **options)


def reach() -> control.OptimalMotion:
    arm = lw.load("arm7")
    start, there = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1]), np.array([0.35, -0.35, 0.55])
    limits = np.array([40, 40, 25, 20, 5, 4, 1.0])
    running = [control.EffortCost(1e-3), control.VelocityCost(0.5), control.PostureCost(start, 1.0)]
    final = [control.FrameCost("tool", there, 1e4), control.VelocityCost(10.0)]
    return control.ilqr(arm, start, np.zeros(7), 60, 0.02, running, final, effort_limits=limits, method="semi_implicit")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name, title, found in (
        ("optimal_swing_up", "a cart-pole swings up, the motor within 8 N", swing_up()),
        ("optimal_reach", "an arm reaches within its limits", reach()),
    ):
        print(found)
        found.plot(title=title).savefig(folder / f"{name}.png", dpi=70)


if __name__ == "__main__":
    main()
