"""Test the robustness of robots on the ground: random starts, random torques, joint limits, two seconds.

Only the feet of the built-in robots touch the ground. Here trunks, heads, hands, knees and elbows touch it too, as
spheres and capsules; otherwise a trunk sinks through the ground, and joint limits carry its weight. The last argument
"feet" selects contact of the feet alone.

A quadruped and a humanoid start at random configurations within their limits, with random orientation and velocities
and their lowest point on the ground. Random torques change every 50 ms. The table has the number of rows with inf or
NaN, the largest penetration after half a second, and the largest violation of joint limits after that time. Arguments:
number of rows (10 000), step in ms (2), iterations and position iterations of the solver (its defaults).
"""

from __future__ import annotations

import functools
import sys
import time
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.impulses.impulse_solver import Solver
from linkwright.dynamics.kinematics import body_poses
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_step
from linkwright.spatial.arrays import maximum, minimum

SECONDS, SETTLED, HELD = 2.0, 0.5, 0.05
SHARE = 0.1
"""Of the joints' effort limits, the standard deviation of torques; of joints without one"""
ACCELERATION = 20.0
"""rad/s², by their own inertia, that of all they move."""


def starts(model: lw.Model, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random postures, turned anyhow, whose lowest point is on the ground, and velocities."""
    generator = np.random.default_rng(seed)
    q = model.random(count, seed)
    q[:, :3] = 0.0
    v = generator.normal(size=(count, model.nv))
    q[:, 2] -= lw.compile(least_gap, model)(q)
    return q, v


def whole(name: str) -> lw.Model:
    """A built-in robot all of which touches."""
    builder = lw.Builder(lw.load(name))
    if name == "quadruped":
        builder.shape("trunk", "box", size=(0.38, 0.10, 0.10), use="collision")
        for leg in (f"{end}_{side}" for end in ("front", "hind") for side in ("left", "right")):
            builder.shape(f"{leg}_thigh", "sphere", radius=0.04, use="collision")
            builder.shape(f"{leg}_shank", "sphere", radius=0.025, use="collision")
        return builder.build()
    across: dict[str, Any] = {"rpy": (np.pi / 2, 0.0, 0.0), "use": "collision"}
    builder.shape("pelvis", "capsule", radius=0.09, length=0.16, xyz=(0, 0, 0.03), **across)
    builder.shape("chest", "capsule", radius=0.10, length=0.20, xyz=(0, 0, 0.08), **across)
    builder.shape("head", "sphere", radius=0.10, xyz=(0, 0, 0.13), use="collision")
    for side in ("left", "right"):
        builder.shape(f"{side}_shank", "sphere", radius=0.05, use="collision")
        builder.shape(f"{side}_forearm", "sphere", radius=0.04, use="collision")
        builder.shape(f"{side}_hand", "sphere", radius=0.04, xyz=(0, 0, -0.06), use="collision")
    return builder.build()


def least_gap(model: lw.Model, q: Any) -> Any:
    """Between what touches, m."""
    poses = body_poses(model, q)
    gaps = [touch.gap for pair in model.pairs for touch in points_between(model, pair, poses)]
    return functools.reduce(minimum, gaps)


def shaken(model: lw.Model, constraints: Constraints, steps: int, h: float) -> Any:
    """The kernel (q, v, p, tau) -> (q, v, p, overlap, excess): after some steps, and the most of each, m and rad."""

    def shake(model: lw.Model, q: Any, v: Any, p: Any, tau: Any) -> tuple[Any, ...]:
        def one(k: Any, q: Any, v: Any, p: Any, overlap: Any, excess: Any) -> tuple[Any, ...]:
            q, v, p = constrained_step(model, q, v, tau, h, p, constraints)
            overlap = maximum(overlap, -least_gap(model, q))
            for low, high, x in zip(model.lower, model.upper, q, strict=True):
                if np.isfinite(low):
                    excess = maximum(excess, maximum(low - x, x - high))
            return q, v, p, overlap, excess

        nil = 0.0 * q[0]
        return lw.repeat(steps, one, q, v, p, nil, nil)

    return lw.compile(shake, model, p=(constraints.size(model),), tau=(model.nv,))


def run(name: str, count: int, h: float, solver: Solver, feet: bool = False) -> None:
    """Print what becomes of one robot; ``feet``: of one that touches with its feet alone."""
    model = (lw.load(name) if feet else whole(name)).with_ground(contact=lw.ContactProperties(friction=0.8))
    constraints = Constraints(limits=True, solver=solver)
    kernel = shaken(model, constraints, round(HELD / h), h)
    q, v = starts(model, count, 1)
    limits = np.concatenate([joint.effort_limit for joint in model.joints])
    own = ACCELERATION * np.diag(lw.mass_matrix(model, model.neutral()))
    torque = np.where(np.isfinite(limits), SHARE * limits, own) * (np.arange(model.nv) >= 6)
    p, generator = np.zeros((count, constraints.size(model))), np.random.default_rng(2)
    overlap, excess, began = np.zeros(count), np.zeros(count), time.process_time()
    for k in range(round(SECONDS / HELD)):
        tau = torque * generator.normal(size=(count, model.nv))
        q, v, p, deep, beyond = kernel(q, v, p, tau)
        if k * HELD >= SETTLED - 1e-9:
            overlap, excess = np.maximum(overlap, deep), np.maximum(excess, beyond)
    took = (time.process_time() - began) / count / (SECONDS / h)
    there = np.isfinite(q).all(axis=1)
    mm, rad = 1e3 * overlap[there], excess[there]
    print(
        f"{name}{', feet alone' if feet else ''}: {count} rows, h = {1e3 * h} ms, "
        f"{solver.iterations} iterations, {solver.position_limit} position iterations, "
        f"{1e6 * took:.2f} µs a step: no numbers {(~there).sum()}, speed ≤ {np.abs(v[there]).max():.0f}; "
        f"after {SETTLED} s penetration ≤ {mm.max():.3f} mm (99.9 % {np.quantile(mm, 0.999):.3f}, "
        f"99 % {np.quantile(mm, 0.99):.3f}, above 2 mm {(mm > 2).sum()}), "
        f"limits exceeded by ≤ {rad.max():.5f} rad (99 % {np.quantile(rad, 0.99):.5f}, "
        f"above 0.01 {(rad > 0.01).sum()})",
        flush=True,
    )


def main(arguments: list[str]) -> None:
    """Both robots."""
    feet = "feet" in arguments
    arguments = [one for one in arguments if one != "feet"]
    count = int(arguments[0]) if arguments else 10_000
    h = 1e-3 * (float(arguments[1]) if len(arguments) > 1 else 2.0)
    counts = dict(zip(("iterations", "position_iterations"), map(int, arguments[2:4]), strict=False))
    for name in ("quadruped", "humanoid"):
        run(name, count, h, Solver(**counts), feet)


if __name__ == "__main__":
    main(sys.argv[1:])
