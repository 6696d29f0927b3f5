"""Where the built-in mechanisms start when they are shown: what ``linkwright simulate NAME`` sets going.

At neutral coordinates and at rest many of them stay where they are: a pendulum hangs, a platform stands on its
springs, a robot in the air only falls. Each has a start here from which it moves clearly for some seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from linkwright.dynamics import close, impulse, momentum, total_mass
from linkwright.errors import LinkwrightError, explained
from linkwright.model.library.built_in import BUILT_IN, built_in
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Entries = Mapping[str, float | tuple[float, ...]]
"""by the joint's name: its coordinates, or its velocities; names that a short chain has not are left out"""

THROWN = (1.0, 0.0, 49.05)
"""m/s: thrown like this under 9.81 m/s², a mechanism is back at its height after ten seconds"""


@dataclass(frozen=True)
class Start:
    """A posture and velocities; joints that are not named stay neutral, and at rest."""

    posture: Entries = field(default_factory=dict)
    """rad and m; of mechanisms with loops these stay as they are, and the others follow"""
    velocity: Entries = field(default_factory=dict)
    """rad/s and m/s; of mechanisms with loops these are struck, and what the loops allow of them is left"""
    throw: tuple[float, float, float] | None = None
    """m/s: the velocity of the centre of mass of a mechanism that floats"""


def _on_each_side(**entries: float) -> dict[str, float | tuple[float, ...]]:
    return {f"{side}_{name}": value for name, value in entries.items() for side in ("left", "right")}


STARTS: dict[str, Start] = {
    "pendulum": Start({"hinge": 2.6}),
    "two_link": Start({"joint1": 0.5, "joint2": 0.8}),
    "planar": Start(),  # level: it falls
    "chain3d": Start(
        {}, {"root": (0.0, 0.0, 0.0, 0.5, 0.6, 1.2), "joint2": 2.0, "joint3": -1.5, "joint4": 1.0}, THROWN
    ),
    "arm4": Start({"joint2": 1.2, "joint3": -0.7, "joint4": -0.4}, {"joint1": 1.5}),
    "puma560": Start(
        {"joint1": -1.2, "joint2": 0.7, "joint3": 0.3}, {"joint1": 6.0, "joint4": 6.0}
    ),  # its friction is large
    "arm7": Start(dict(zip((f"joint{k}" for k in range(1, 8)), (0.3, 0.9, -0.4, -1.2, 0.5, 0.8, 0.0), strict=True))),
    "quadruped": Start(
        {
            f"{end}_{side}_{name}": value
            for end in ("front", "hind")
            for side in ("left", "right")
            for name, value in (("hip_pitch", 0.7), ("knee", -1.4))
        },
        {"root": (0.0, 0.0, 0.0, 0.6, 1.8, 0.3), "front_left_hip_pitch": -1.0, "hind_right_hip_pitch": 1.0},
        THROWN,
    ),
    "humanoid": Start(
        _on_each_side(hip_pitch=-0.6, knee_pitch=1.0, shoulder_pitch=-0.5, elbow_pitch=-0.8),
        {"root": (0.0, 0.0, 0.0, 0.2, 1.5, 0.4), "left_shoulder_pitch": -1.5, "right_shoulder_pitch": 1.0},
        THROWN,
    ),
    "four_bar": Start({}, {"crank": 6.0}),
    "slider_crank": Start({}, {"crank": 15.0}),
    "four_bars": Start({"left1": 0.6, "left2": -0.3}),
    "bricard": Start(),  # bent: it falls, and turns inside out
    "delta": Start({"arm1": 0.5, "arm2": 0.0, "arm3": 0.0}, {"arm2": 2.0, "arm3": -2.0}),
    "stewart": Start(
        dict(zip((f"slide{k}" for k in range(1, 7)), (0.12, 0.0, -0.04, -0.10, -0.04, 0.02), strict=True)),
        dict(zip((f"slide{k}" for k in range(1, 7)), (0.0, 0.0, 0.6, 0.6, -0.6, -0.6), strict=True)),
    ),
}
"""by the names of :data:`~linkwright.model.library.built_in.BUILT_IN`"""


@explained
def showing_start(model: Model) -> tuple[Array, Array]:
    """A start q0 (nq,), v0 (nv,) from which a built-in mechanism moves clearly, its loops closed.

    >>> import linkwright as lw
    >>> stewart = lw.load("stewart")
    >>> motion = lw.simulate(stewart, *lw.showing_start(stewart), duration=2.0)

    Of other mechanisms it is the neutral configuration, brought within the limits and closed, at rest. Raises
    :class:`~linkwright.errors.ClosureError` where the loops of such a one cannot be closed.
    """
    start = STARTS[model.name.partition(":")[0]] if _is_built_in(model) else Start()
    neutral = np.clip(model.neutral(), model.lower, model.upper)
    q, v, at = [np.zeros(0)], [np.zeros(0)], 0
    moved = [joint for joint in model.joints if joint.nq]
    for joint in moved:
        q.append(np.atleast_1d(np.asarray(start.posture.get(joint.name, neutral[at : at + joint.nq]), dtype=float)))
        v.append(np.atleast_1d(np.asarray(start.velocity.get(joint.name, np.zeros(joint.nv)), dtype=float)))
        at += joint.nq
    q0, v0 = np.concatenate(q), np.concatenate(v)
    if start.throw is not None:  # the base's axes are still the world's
        v0[:3] = start.throw - (momentum(model, q0, v0)[:3] / total_mass(model) - v0[:3])
    if not model.loops:
        return q0, v0
    q0 = close(model, q0, [joint.name for joint in moved if joint.name in start.posture])
    return q0, np.asarray(impulse(model, q0, v0)[0])


def _is_built_in(model: Model) -> bool:
    """Whether it is the built-in mechanism of its name: files may bear the same names."""
    kind, _, count = model.name.partition(":")
    if kind not in BUILT_IN or (count and not (count.isdigit() and int(count[:7]) <= len(model.joints))):
        return False
    try:
        made = built_in(model.name)
    except LinkwrightError:
        return False
    return [(joint.name, joint.type) for joint in made.joints] == [(joint.name, joint.type) for joint in model.joints]
