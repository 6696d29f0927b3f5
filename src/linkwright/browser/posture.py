"""The configuration that all parts of the studio share."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from linkwright.compiler.public import public
from linkwright.dynamics import close_loops, velocity_ellipsoid
from linkwright.errors import ClosureError
from linkwright.model.tree import Model
from linkwright.simulation.initial_state import on_its_floor
from linkwright.spatial.arrays import Array
from linkwright.visual.animations.film import default_trace
from linkwright.visual.drawing.linkage import configurations

_velocity_ellipsoid = public(velocity_ellipsoid)

TRIES = 20
"""Number of random configurations of a mechanism with loops."""


HANDS = ("tcp", "tool0", "ee", "effector", "hand", "gripper", "palm", "platform", "wrist")
"""Words in the names of hands, the most likely first."""
BENT, MOST_BENT = 0.8, 5
"""Angle of a bent joint, rad, and number of joints that may be bent, from the first."""
AT_END = 0.03
"""Share of its range within which a joint is at a limit."""
EVEN = 0.15
"""Smallest ratio of the semi-axes of the velocity ellipsoid of a welcoming posture."""


PAST, MOST_TOLD = 1e-6, 3
"""Tolerance of limits, rad or m, and largest number of coordinates in a warning."""


class Posture:
    """A configuration of a model, shared by threads, with listeners."""

    def __init__(self, model: Model, q: Any = None):
        self.model = model
        self._lock = threading.RLock()
        self._listening: list[tuple[Any, Callable[[Array], None]]] = []
        self.start: Array = on_its_floor(model, welcoming(model)) if q is None else configurations(model, q)[-1]
        """(nq,), initial posture"""
        self._q = self.start

    @property
    def q(self) -> Array:
        """(nq,), a copy."""
        return self._q.copy()

    def listen(self, listener: Callable[[Array], None], who: Any = None) -> None:
        """Call ``listener(q)`` after each move, except those of ``who``."""
        self._listening.append((who, listener))

    def move(self, q: Any, by: Any = None) -> None:
        """Move to a configuration (nq,) and call all listeners except ``by``."""
        q = np.array(q, dtype=float)
        with self._lock:
            self._q = q
            for who, listener in self._listening:
                if who is None or who is not by:
                    listener(q)


class Newest:
    """Runs only the newest of several waiting calls.

    A dragged mouse sends a position every few milliseconds, each from its own thread. ``run(function)`` returns after
    the call, or when a newer call has replaced it.
    """

    def __init__(self) -> None:
        self._count = 0
        self._counting, self._doing = threading.Lock(), threading.Lock()

    def run(self, function: Callable[[], None]) -> bool:
        """Run the function unless a newer call waits; return whether it ran."""
        with self._counting:
            self._count += 1
            ticket = self._count
        with self._doing:
            if ticket != self._count:
                return False
            function()
            return True


def beyond_limits(model: Model, q: Array) -> str:
    """Return a sentence about coordinates of q (nq,) beyond their limits, or ""."""
    wrong = [
        _beyond(model, k, float(q[k]))
        for k in range(model.nq)
        if not model.lower[k] - PAST <= q[k] <= model.upper[k] + PAST
    ]
    if not wrong:
        return ""
    more = f", and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
    return f"Beyond the joint limits: {', '.join(wrong[:MOST_TOLD])}{more}."


def _beyond(model: Model, k: int, value: float) -> str:
    """Return one coordinate, its value and its limits; angles in degrees."""
    name, low, high = model.coordinate_names[k], float(model.lower[k]), float(model.upper[k])
    if _is_length(model, k):
        return f"{name} at {value:.4g} m (from {low:.4g} to {high:.4g} m)"
    value, low, high = (float(np.degrees(x)) for x in (value, low, high))
    return f"{name} at {value:.4g}° (from {low:.4g}° to {high:.4g}°)"


def _is_length(model: Model, k: int) -> bool:
    """Return whether a coordinate is in meters."""
    for joint in model.joints:
        where = model.slice(joint.name).q if joint.nq else slice(0, 0)
        if where.start <= k < where.stop and joint.nq == joint.nv:
            return joint.motion.units[k - where.start] == "m"
    return False


def zero(model: Model) -> Array:
    """Return the configuration (nq,) nearest to zero within the limits, with closed loops."""
    q = np.clip(model.neutral(), model.lower, model.upper)
    return close_loops(model, q) if model.loops else q


def default_frame(model: Model) -> str:
    """Return the default hand: the end of an arm, or a frame with the name of a hand."""
    if "tool" in model.frames:
        return "tool"
    traced = default_trace(model)
    if traced is not None:
        return traced
    moving = [name for name, frame in model.frames.items() if frame.body >= 0]
    for word in HANDS:
        found = [name for name in moving if word in re.split(r"[^a-z]+", name.lower())]
        if found:
            return found[-1]
    return model.outermost(max(set(range(len(model.links))) - {link.parent for link in model.links}))


def welcoming(model: Model) -> Array:
    """Return the initial posture (nq,): :func:`zero`, with hinges at a limit moved to the middle of their range.

    A stretched arm is bent, so that its hand can move in all directions: of the postures with some of the first joints
    bent, the one with the roundest velocity ellipsoid and few bent joints.
    """
    q = zero(model)
    if model.loops or not model.links:
        return q
    frame = default_frame(model)
    path = model.path(model.frames[frame].body)
    joints = [model.joints[k] for k in path if model.joints[k].nq]
    if len(joints) < 2 or any(joint.nq != 1 or joint.nv != 1 for joint in joints):
        return q
    hinges = [model.slice(joint.name).q.start for joint in joints if joint.motion.units != ("m",)]
    ends = np.minimum(q - model.lower, model.upper - q)[hinges] < AT_END * (model.upper - model.lower)[hinges]
    at_end = np.array(hinges, dtype=int)[ends]
    q[at_end] = 0.5 * (model.lower[at_end] + model.upper[at_end])
    hinges = hinges[:MOST_BENT]
    patterns = np.array(list(product((0.0, BENT, -BENT), repeat=len(hinges))))
    rows = np.tile(q, (len(patterns), 1))
    rows[:, hinges] += patterns
    rows = rows[((rows >= model.lower) & (rows <= model.upper)).all(axis=1)]
    semi = np.asarray(_velocity_ellipsoid(model, rows, frame).semi_axes)
    rank = int((semi.max(axis=0) > 1e-6 * semi.max()).sum())
    if rank < 2:
        return q
    even = semi[:, rank - 1] / np.maximum(semi[:, 0], 1e-300)
    if even[(rows == q).all(axis=1)].max() > EVEN:
        return q
    best = int(np.argmax(np.minimum(even, 2.0 * EVEN) - 0.02 * (rows != q).sum(axis=1)))
    return np.array(rows[best])


def random(model: Model, generator: np.random.Generator, stay: Array) -> Array:
    """Return a random configuration (nq,) with closed loops; floating joints keep their values of ``stay`` (nq,).

    Raises :class:`ClosureError` if no configuration closes the loops.
    """
    for attempt in range(TRIES):
        q = model.random(seed=generator)
        for joint in model.joints:
            if joint.motion.floating and joint.nq:
                places = model.slice(joint.name).q
                q[places] = stay[places]
        if not model.loops:
            return q
        try:
            q = close_loops(model, q)
        except ClosureError:
            if attempt == TRIES - 1:
                raise
            continue
        if ((q >= model.lower - 1e-9) & (q <= model.upper + 1e-9)).all() or attempt == TRIES - 1:
            return q
    raise AssertionError("unreachable")
