"""Measure the energy that contact adds: random drops of boxes, capsules, ellipsoids and chains of two links.

For every step: the change of the kinetic energy by impulses, ΔT = pᵀr + ½ pᵀAp, of impacts and of the step after them,
and the increase of the total energy. The first is never positive except for rounding. The second is of second order in
the step: rotations within a step bend the paths of points, and the position correction lifts overlapping bodies.
Arguments: number of drops of each kind (25 000), step lengths in ms (2 and 1).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.kinematics import body_poses
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_motion, constrained_velocity
from linkwright.spatial.arrays import maximum

SECONDS = 1.5
Arrays = tuple[np.ndarray, np.ndarray]


def box() -> lw.Model:
    """A cube of a kilogramme, 20 cm."""
    return _body("box", np.full(3, 0.04 / 6.0), size=(0.2, 0.2, 0.2))


def slab() -> lw.Model:
    """A brick, which wobbles as it flies."""
    return _body("box", np.array([0.05, 0.10, 0.13]) / 12.0, size=(0.3, 0.2, 0.1))


def capsule() -> lw.Model:
    """A capsule, half a meter from tip to tip."""
    return _body("capsule", np.array([0.02, 0.02, 0.002]), radius=0.08, length=0.34)


def ellipsoid() -> lw.Model:
    """An ellipsoid of three axes."""
    return _body("ellipsoid", np.array([0.0325, 0.05, 0.0425]) / 5.0, size=(0.4, 0.3, 0.2))


def chain() -> lw.Model:
    """Two capsules on a hinge."""
    rod: dict[str, Any] = {"mass": 1.0, "center_of_mass": (0.2, 0, 0), "inertia": (0.001, 0.014, 0.014)}
    along: dict[str, Any] = {"radius": 0.05, "length": 0.3, "xyz": (0.2, 0, 0), "rpy": (0, np.pi / 2, 0)}
    builder = lw.Builder("chain").body("upper", **rod).joint("root", "free", "world", "upper")
    builder.body("lower", **rod).joint("hinge", "revolute", "upper", "lower", xyz=(0.4, 0, 0), axis=(0, 1, 0))
    return builder.shape("upper", "capsule", **along).shape("lower", "capsule", **along).build()


def _body(kind: str, inertia: np.ndarray, **shape: Any) -> lw.Model:
    builder = lw.Builder(kind).body("thing", 1.0, inertia=inertia).joint("root", "free", "world", "thing")
    return builder.shape("thing", kind, **shape).build()


def starts(model: lw.Model, count: int, seed: int) -> Arrays:
    """Random postures a meter up, velocities of a meter a second and ten radians a second."""
    generator = np.random.default_rng(seed)
    q = model.random(count, seed)
    q[:, :3] = [0.0, 0.0, 1.0]
    v = generator.normal(size=(count, model.nv))
    v[:, 3:] *= 10.0 if model.nv == 6 else 3.0
    return q, v


def dropping(model: lw.Model, steps: int) -> Callable[..., Any]:
    """Return the kernel (q, v, h) -> (work, rise, above, overlap): the maximum of each over a number of steps."""
    constraints = Constraints()
    size = constraints.size(model)

    def drop(model: lw.Model, q: Any, v: Any, h: Any) -> tuple[Any, ...]:
        def energy(q: Any, v: Any) -> Any:
            return dynamics.kinetic_energy(model, q, v) + dynamics.potential_energy(model, q)

        def one(k: Any, q: Any, v: Any, p: Any, E: Any, *most: Any) -> tuple[Any, ...]:
            work, rise, above, deepest = most
            struck = constrained_velocity(model, q, v, np.zeros(model.nv), h, p, constraints)
            done = struck.work
            q, v = constrained_motion(model, q, h, struck)
            after = energy(q, v)
            poses = body_poses(model, q)
            for pair in model.pairs:
                for touch in points_between(model, pair, poses):
                    deepest = maximum(deepest, -touch.gap)
            return (
                q,
                v,
                struck.p,
                after,
                maximum(work, done),
                maximum(rise, after - E),
                maximum(above, after - first),
                deepest,
            )

        nil, first = 0.0 * q[0], energy(q, v)
        found = lw.repeat(steps, one, q, v, np.zeros(size) + nil, first, nil, nil, nil, nil)
        return found[4:]

    return lw.compile(drop, model, h=())


def _energy_above_ground(model: lw.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return lw.kinetic_energy(model, q, v) + lw.potential_energy(model, q)


def main(arguments: list[str]) -> None:
    """Print a line for each kind of body and step."""
    count = int(arguments[0]) if arguments else 25_000
    lengths = [float(x) for x in arguments[1:]] or [2.0, 1.0]
    print(f"{count} drops of each, {SECONDS} s; the most of all drops and steps")
    for make in (box, slab, capsule, ellipsoid, chain):
        for e in (0.0, 0.8):
            for ms in lengths:
                model = make().with_ground(contact=lw.ContactProperties(friction=0.6, restitution=e))
                kernel = dropping(model, round(SECONDS * 1e3 / ms))
                energy = partial(_energy_above_ground, model)
                q, v = starts(model, count, 1)
                work, rise, above, overlap = kernel(q, v, ms * 1e-3)
                bad = int((~np.isfinite(work + rise)).sum())
                print(
                    f"{make.__name__:10} e = {e}  h = {ms} ms  work of impulses ≤ {work.max():8.1e} J  "
                    f"energy rises in a step by ≤ {rise.max():8.1e} J (99 %: {np.quantile(rise, 0.99):8.1e})  "
                    f"above the start's by ≤ {above.max():8.1e}, which is {np.median(energy(q, v)):.0f} J  "
                    f"overlap ≤ {1e3 * overlap.max():.3f} mm (99 %: {1e3 * np.quantile(overlap, 0.99):.3f})  NaN {bad}",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
