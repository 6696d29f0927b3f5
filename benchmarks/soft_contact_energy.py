"""Measure the energy error of soft contact: random elastic collisions of two free bodies without friction.

The kinetic energy after a collision is compared with that before it. Contact points that appear or vanish while the
shapes overlap change the stored energy, and the ends of a contact area move along the surfaces. A sphere has only one
point, and no such changes. Argument: number of collisions of each pair and speed (400).
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

import linkwright as lw

SHAPES: dict[str, dict[str, Any]] = {
    "box": {"size": (0.2, 0.3, 0.4)},
    "cylinder": {"radius": 0.1, "length": 0.3},
    "capsule": {"radius": 0.05, "length": 0.4},
    "sphere": {"radius": 0.1},
}
PAIRS = [
    *[("box", "box"), ("cylinder", "box"), ("cylinder", "cylinder"), ("capsule", "box")],
    *[("capsule", "cylinder"), ("capsule", "capsule"), ("sphere", "box")],
]
STIFFNESS = 1e5
"""N/m, of each point"""

SPEEDS = (1.0, 3.0, 10.0)
"""m/s"""


def two_bodies(*kinds: str) -> lw.Model:
    """Two free bodies of 1 kg without gravity."""
    builder = lw.Builder("two", gravity=(0.0, 0.0, 0.0))
    for name, kind in zip("ab", kinds, strict=True):
        builder.body(name, 1.0, inertia=(0.01, 0.008, 0.004)).joint(f"free_{name}", "free", "world", name)
        builder.shape(name, kind, contact=lw.ContactProperties(friction=0.0, stiffness=2.0 * STIFFNESS), **SHAPES[kind])
    return builder.build().with_contact()


def starts(model: lw.Model, count: int, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Random orientations; the first body flies at the second one, 0.6 m away, and may miss its middle by 0.1 m."""
    rng = np.random.default_rng(0)
    q, v = model.random(count, 0), np.zeros((count, model.nv))
    place = rng.normal(size=(count, 3))
    q[:, :3], q[:, 7:10] = 0.6 * place / np.linalg.norm(place, axis=1, keepdims=True), 0.0
    way = 0.06 * rng.normal(size=(count, 3)) - q[:, :3]
    way *= speed / np.linalg.norm(way, axis=1, keepdims=True)
    v[:, :3] = np.einsum("nij,ni->nj", lw.rotation.from_quaternion(q[:, 3:7]), way)
    return q, v


def main(arguments: list[str]) -> None:
    """Print a line for each pair and speed."""
    count = int(arguments[0]) if arguments else 400
    for kinds in PAIRS:
        model = two_bodies(*kinds)
        for speed in SPEEDS:
            q, v = starts(model, count, speed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the energy
                motion = lw.simulate(model, q, v, 1.6 / speed, 1e-3, lw.Integrator("dopri5", tolerance=1e-8))
            struck = abs(motion.v[-1] - motion.v[0]).max(axis=1) > 1e-3
            change = (motion.energy[-1] / motion.energy[0] - 1.0)[struck]
            print(
                f"{'–'.join(kinds):20} {speed:4.0f} m/s  {len(change)} collisions  energy changes by more than 1 %: "
                f"{(abs(change) > 0.01).mean():6.1%}  rises by ≤ {change.max():6.1%}  falls by ≤ {-change.min():6.1%}  "
                f"overlap ≤ {1e3 * motion.contacts.penetration:.0f} mm",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
