"""Default initial states of built-in mechanisms, as used by ``linkwright simulate NAME``.

In the neutral configuration at rest many mechanisms do not move: a pendulum hangs, a platform is in equilibrium on its
springs, a robot in the air only falls. From the states listed here they move clearly for some seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from linkwright.dynamics import close_loops, impulse, momentum, total_mass
from linkwright.errors import LinkwrightError
from linkwright.model.library.built_in import BUILT_IN, built_in
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model, floating_bases
from linkwright.simulation.standing_posture import standing_configuration
from linkwright.spatial.arrays import Array

Entries = Mapping[str, float | tuple[float, ...]]
"""Coordinates or velocities by joint; joints that a mechanism does not have are left out."""

FLOORS = ("plane", "height_field")

THROWN = (1.0, 0.0, 49.05)
"""m/s: with this upward velocity a mechanism returns to its height after ten seconds, under 9.81 m/s²."""


@dataclass(frozen=True)
class Start:
    """Posture and velocities; joints without an entry are neutral and at rest."""

    posture: Entries = field(default_factory=dict)
    """rad and m; in mechanisms with loops these coordinates are fixed and the others are solved for"""
    velocity: Entries = field(default_factory=dict)
    """rad/s and m/s; in mechanisms with loops projected on allowed velocities"""
    throw: tuple[float, float, float] | None = None
    """m/s: velocity of the center of mass of a floating mechanism"""
    stands: Entries = field(default_factory=dict)
    """whether the posture stands on the ground"""
    bend: Entries = field(default_factory=dict)
    """amplitude of the motion of the held posture: while standing, or always if it does not stand"""


def _on_each_side(**entries: float) -> dict[str, float | tuple[float, ...]]:
    return {f"{side}_{name}": value for name, value in entries.items() for side in ("left", "right")}


def _on_each_leg(**entries: float) -> dict[str, float | tuple[float, ...]]:
    return {f"{end}_{name}": value for end in ("front", "hind") for name, value in _on_each_side(**entries).items()}


STARTS: dict[str, Start] = {
    "pendulum": Start({"hinge": 2.6}),
    "two_link": Start({"joint1": 0.5, "joint2": 0.8}),
    "planar": Start(),  # level: it falls
    "chain3d": Start(
        {}, {"root": (0.0, 0.0, 0.0, 0.5, 0.6, 1.2), "joint2": 2.0, "joint3": -1.5, "joint4": 1.0}, THROWN
    ),
    "arm4": Start({"joint2": 1.2, "joint3": -0.7, "joint4": -0.4}, {"joint1": 1.5}),
    "puma560": Start(
        {"joint1": -1.2, "joint2": 0.7, "joint3": 0.3},
        bend={"joint1": 2.4, "joint2": -1.5, "joint3": 0.9, "joint4": 1.5, "joint5": -0.8},
    ),  # its friction is large: let go, it would soon lie still
    "arm7": Start(dict(zip((f"joint{k}" for k in range(1, 8)), (0.3, 0.9, -0.4, -1.2, 0.5, 0.8, 0.0), strict=True))),
    "quadruped": Start(
        _on_each_leg(hip_pitch=0.7, knee=-1.4),
        {"root": (0.0, 0.0, 0.0, 0.6, 1.8, 0.3), "front_left_hip_pitch": -1.0, "hind_right_hip_pitch": 1.0},
        THROWN,
        _on_each_leg(hip_roll=0.0, hip_pitch=0.6, knee=-1.24),
        _on_each_leg(hip_roll=0.0, hip_pitch=0.45, knee=-0.95),
    ),
    "humanoid": Start(
        _on_each_side(hip_pitch=-0.6, knee_pitch=1.0, shoulder_pitch=-0.5, elbow_pitch=-0.8),
        {"root": (0.0, 0.0, 0.0, 0.2, 1.5, 0.4), "left_shoulder_pitch": -1.5, "right_shoulder_pitch": 1.0},
        THROWN,
        _on_each_side(hip_pitch=-0.15, knee_pitch=0.4, ankle_pitch=-0.25, shoulder_pitch=0.1, elbow_pitch=-0.3),
        {
            **_on_each_side(hip_pitch=-1.2, knee_pitch=0.7, ankle_pitch=-0.08, shoulder_pitch=-1.5, elbow_pitch=0.1),
            **{"waist_pitch": -0.1, "neck_pitch": -0.3},
        },
    ),
    "four_bar": Start({}, {"crank": 6.0}),
    "slider_crank": Start({}, {"crank": 5.0}),
    "four_bars": Start({"left1": 0.6, "left2": -0.3}),
    "bricard": Start(),  # bent: it falls, and turns inside out
    "delta": Start({"arm1": 0.5, "arm2": 0.0, "arm3": 0.0}, {"arm2": 2.0, "arm3": -2.0}),
    "stewart": Start(
        dict(zip((f"slide{k}" for k in range(1, 7)), (0.12, 0.0, -0.04, -0.10, -0.04, 0.02), strict=True)),
        dict(zip((f"slide{k}" for k in range(1, 7)), (0.0, 0.0, 0.6, 0.6, -0.6, -0.6), strict=True)),
    ),
}
"""Initial states by the names of :data:`~linkwright.model.library.built_in.BUILT_IN`."""


@takes_model
def default_configuration(model: Model) -> tuple[Array, Array]:
    """Return a state from which a built-in mechanism moves clearly, with closed loops.

    Legged robots with a ground stand on it with bent knees, at rest (:func:`standing_configuration`); without a ground
    they are thrown. Other mechanisms start in the neutral configuration, clipped to the limits and closed, at rest;
    floating ones with a floor in their file stand on it, unless the file places them above it.

    Parameters
    ----------
    model : Model
        Mechanism.

    Returns
    -------
    q : ndarray, shape (nq,)
        Configuration.
    v : ndarray, shape (nv,)
        Joint velocity.

    Raises
    ------
    ClosureError
        If the loops cannot be closed.
    """
    start = _start_of(model)
    on_ground = bool(model.pairs) and bool(start.stands)
    if on_ground:
        start = Start(start.stands)
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
    if on_ground:
        q0 = standing_configuration(model, q0)
    elif not is_built_in(model):
        q0 = on_its_floor(model, q0)
    if not model.loops:
        return q0, v0
    q0 = close_loops(model, q0, [joint.name for joint in moved if joint.name in start.posture])
    return q0, np.asarray(impulse(model, q0, v0)[0])


def on_its_floor(model: Model, q: Array) -> Array:
    """Return the configuration q (nq,), lowered or raised to the floor of the model; unchanged without a floor or a
    floating base, or if the file of the model places it above the floor."""
    floors = any(s.kind in FLOORS and s.touches and model.frame(s.body).body < 0 for s in model.shapes)
    if not (floors and floating_bases(model)):
        return q
    try:
        grounded = model if model.pairs else model.with_contact(exclude_overlapping=False)
        standing = np.asarray(standing_configuration(grounded, q))
        return q if placed_above(model, q, standing) > 0.0 else standing
    except LinkwrightError:  # nothing of it can stand there: it is met where it is
        return q


def placed_above(model: Model, q: Array, standing: Array) -> float:
    """Return the height (m) of a configuration q (nq,) above ``standing``, the one on the ground; 0 unless the file of
    the model places a free body."""
    for k in floating_bases(model):
        joint = model.joints[k]
        if np.any(joint.neutral != joint.motion.neutral):
            moved = (q - standing)[model.slice(joint.name).q][:3]
            return max(0.0, float(model.links[k].placement[2, :3] @ moved))
    return 0.0


def showing_bend(model: Model) -> Array | None:
    """Return the amplitude (nv,) of the shown motion of a built-in robot: its legs if it stands; None for others."""
    start = _start_of(model)
    bend = start.bend
    if not bend or (start.stands and not model.pairs):
        return None
    moved = [joint for joint in model.joints if joint.nv]
    return np.concatenate([np.atleast_1d(np.broadcast_to(bend.get(joint.name, 0.0), (joint.nv,))) for joint in moved])


def _start_of(model: Model) -> Start:
    return STARTS[model.name.partition(":")[0]] if is_built_in(model) else Start()


def is_built_in(model: Model) -> bool:
    """Return whether a model is the built-in mechanism of its name; models from files may have the same names."""
    kind, _, count = model.name.partition(":")
    if kind not in BUILT_IN or (count and not (count.isdigit() and int(count[:7]) <= len(model.joints))):
        return False
    return _joints_of(model.name) == [(joint.name, joint.type) for joint in model.joints]


@cache
def _joints_of(name: str) -> list[tuple[str, str]]:
    """Return the names and types of the joints of a built-in mechanism; none if there is no mechanism of this name."""
    try:
        return [(joint.name, joint.type) for joint in built_in(name).joints]
    except LinkwrightError:
        return []
