"""Events: conditions of time and state, impacts of contacts and of joint limits."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from linkwright import dynamics
from linkwright.bounds import between, not_negative, whole_number
from linkwright.dynamics.contact.shapes.pairs import candidates
from linkwright.errors import ArgumentError, InputError, ModelError, explained
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.shape import Shape
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, minimum
from linkwright.spatial.transform import pose_matrix

Direction = Literal["up", "down", "both"]

Condition = Callable[[Model, Any, Array, Array], Any]
"""(model, t, q, v) -> number, of one motion; it is traced"""

SLOWEST = 1e-4
"""m/s or rad/s: slower impacts have no restitution"""


@explained
@dataclass(frozen=True)
class Impact:
    """Impact with Newton's law of restitution and Coulomb friction.

    Gaps that close simultaneously are reflected together; gaps that still close are reflected again, until none closes
    (Smith et al., Reflections on simultaneous impact, 2012). Newton's cradle is exact. Friction is that of
    the pair of :func:`touch`; other conditions have none. The contact solver
    (:class:`~linkwright.Solver`) computes the impulses, which add no energy.

    Parameters
    ----------
    restitution : float, optional
        Velocity of the gap after the impact, relative to that before.
    rest_velocity : float, optional
        Velocity, m/s or rad/s, below which the restitution is zero; if the event has an ``attach``, the gap then stays
        closed until the constraint would have to pull.
    """

    restitution: float = 0.0
    rest_velocity: float = SLOWEST

    def __post_init__(self) -> None:
        between("restitution", self.restitution, 0.0, 1.0)
        not_negative("rest_velocity", self.rest_velocity, "m/s")


@explained
@dataclass(frozen=True, eq=False)
class Event:
    """Condition whose zero is located in time, and its action.

    Parameters
    ----------
    condition : callable
        Function ``condition(model, t, q, v)`` that returns a number for one motion, with functions of this library and
        of NumPy: ``q[0]`` rather than ``q[0] > 0``.
    action : {None, "stop"}, Impact or callable, optional
        None records the event, "stop" ends the simulation. A function (model, t, q, v) returns None, a new state (q,
        v), or a state of another mechanism, (model, q, v), as :func:`linkwright.structure.add_loop` does; the
        simulation continues with that mechanism.
    direction : {"both", "up", "down"}, optional
        Direction of the sign change: "up" where the condition becomes positive, "down" where it becomes negative.
    name : str, optional
        Name in the record.
    once : bool, optional
        Whether the event occurs only once.
    attach : callable, optional
        Function (model, name) -> (model, time) that closes the gap by a loop after an impact comes to rest.
    pair : int, optional
        Index of the contact pair that the event replaces.
    with_contact : callable, optional
        Function that returns the model with the contact of the event, for its impulses.
    """

    condition: Condition
    action: Any = None
    direction: Direction = "both"
    name: str = ""
    once: bool = False
    attach: Callable[[Model, str], tuple[Model, float]] | None = field(default=None, repr=False)
    """(model, name) -> model with the gap closed by a loop of that name, and the sign of its pressing force"""
    pair: int | None = field(default=None, repr=False)
    """index of the pair in contact"""
    with_contact: Callable[[Model], Model] | None = field(default=None, repr=False)
    """model with the pair of this gap alone, for its contact points and friction"""

    def __post_init__(self) -> None:
        if not callable(self.condition):
            raise ArgumentError(f"an event's condition is a function (model, t, q, v); got {self.condition!r}")
        if self.direction not in ("up", "down", "both"):
            raise InputError(f"direction is 'up', 'down' or 'both'; got {self.direction!r}")
        if not (
            self.action is None or self.action == "stop" or isinstance(self.action, Impact) or callable(self.action)
        ):
            raise ArgumentError(
                f"an event's action is None, 'stop', an Impact or a function (model, t, q, v); got {self.action!r}"
            )
        for what, function in (("condition", self.condition), ("action", self.action)):
            if callable(function):
                _require_four(f"the {what} of the event {self.title!r}", function)

    @property
    def title(self) -> str:
        """Name of the event."""
        return self.name or getattr(self.condition, "__name__", "event")


def _require_four(what: str, function: Callable[..., Any]) -> None:
    """Raise for a function that cannot be called with (model, t, q, v)."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # no signature
        return
    try:
        signature.bind(*"mtqv")
    except TypeError:
        raise ArgumentError(f"{what} is called with (model, t, q, v); it takes {signature}") from None


@dataclass(frozen=True, eq=False)
class Occurrence:
    """Event that occurred."""

    t: float
    """s"""
    name: str
    """name of the event"""
    before: tuple[Array, Array]
    """(q, v)"""
    after: tuple[Array, Array]
    """(q, v) of the mechanism after the event"""
    lost: float = 0.0
    """J, lost kinetic energy"""

    def __repr__(self) -> str:
        return f"<{self.name!r} at t = {self.t:.9g} s>"


# Functions of events are partial functions of the module, which pickle carries to other processes.


def _held_on_plane(model: Model, loop: str, *, ball: Shape, plane: Shape, margin: float) -> tuple[Model, float]:
    """Return the model with the center of a ball held at its distance from a plane."""
    center, level = f"{loop}: ball", f"{loop}: plane"
    if center not in model.frames:
        raised = pose_matrix(p=np.array([0.0, 0.0, ball.radius + margin]))
        model = model.with_frame(center, ball.body, placement=ball.placement)
        model = model.with_frame(level, plane.body, placement=plane.placement @ raised)
    return model.with_loop(loop, ("mask", "z"), center, level), -1.0


def _with_pair_of(model: Model, *, shapes: tuple[Shape, Shape], pair: Pair) -> Model:
    """Return the model with these shapes and this pair alone."""
    return replace(model, shapes=shapes, pairs=(pair,))


@takes_model
def limits(
    model: Model,
    joints: Sequence[str] | None = None,
    *,
    restitution: float = 0.0,
    rest_velocity: float = SLOWEST,
    action: Any = ...,
) -> list[Event]:
    """Return events for the limits of joints: impacts by default.

    A joint that comes to rest at its limit stays there until an effort moves it away.

    Parameters
    ----------
    model : Model
        Mechanism.
    joints : sequence of str, optional
        Names of joints. By default all.
    restitution : float, optional
        Restitution of the impact.
    rest_velocity : float, optional
        Velocity, rad/s or m/s, below which the restitution is zero.
    action : optional
        Action of the events, as for :class:`Event`.

    Returns
    -------
    list of Event
        One event for each limit.
    """
    if joints is not None and isinstance(joints, str):
        raise ArgumentError(f"joints is a list of names; got {joints!r}")
    places = [range(model.nq)[model.slice(name).q] for name in joints] if joints is not None else [range(model.nq)]
    impact = Impact(restitution, rest_velocity) if action is ... else action
    found = []
    for k in (k for some in places for k in some):
        for bound, sign in ((model.lower[k], 1.0), (model.upper[k], -1.0)):
            if np.isfinite(bound):
                coordinate = model.coordinate_names[k]
                side = "lower" if sign > 0.0 else "upper"
                found.append(_limit(coordinate, float(bound), sign, impact, f"{coordinate} at its {side} limit"))
    if not found and joints:
        raise InputError(f"the joints {', '.join(map(repr, joints))} of {model.name!r} have no limits")
    return found


def _limit(coordinate: str, bound: float, sign: float, action: Any, name: str) -> Event:
    where: dict[str, Any] = {"coordinate": coordinate, "bound": bound, "sign": sign}
    return Event(partial(_room, **where), action, "down", name, attach=partial(_held_at_limit, **where))


def _room(model: Model, t: Any, q: Array, v: Array, *, coordinate: str, bound: float, sign: float) -> Any:
    """Return the distance of a coordinate from its limit."""
    if coordinate not in model.coordinate_names:  # it is locked
        return 1.0 + 0.0 * t
    return sign * (q[model.coordinate_names.index(coordinate)] - bound)


def _held_at_limit(model: Model, loop: str, *, coordinate: str, bound: float, sign: float) -> tuple[Model, float]:
    return model.with_loop(loop, ("joint", [bound]), coordinate), sign


@takes_model
def touch(model: Model, pair: int = 0, *, rest_velocity: float = SLOWEST, action: Any = ..., name: str = "") -> Event:
    """Return the event of contact of a pair: an impact with the restitution and friction of the pair by default.

    Friction, torsional and rolling friction of the pair act at all points in contact at that moment. A sphere that
    comes to rest on a plane slides on it without friction, held by a loop, until the loop would have to pull; other
    shapes are not held. A simulation with this event has no other contact of this pair, unless `action` is given.

    Parameters
    ----------
    model : Model
        Mechanism.
    pair : int, optional
        Index of the pair in ``model.pairs``.
    rest_velocity : float, optional
        Velocity, m/s, below which the restitution is zero.
    action : optional
        Action of the event, as for :class:`Event`.
    name : str, optional
        Name in the record.

    Returns
    -------
    Event
        The event.
    """
    if not model.pairs:
        raise ModelError(
            f"{model.name!r} has no pairs of shapes that touch: with_ground() and with_contact() make them"
        )
    one = model.pairs[whole_number("pair, a place in model.pairs,", pair, 0, len(model.pairs) - 1)]
    first, second = model.shapes[one.first], model.shapes[one.second]
    impact = Impact(float(one.restitution or 0.0), rest_velocity) if action is ... else action
    hold = None
    if (first.kind, second.kind) == ("sphere", "plane"):
        hold = partial(_held_on_plane, ball=first, plane=second, margin=one.margin)
    return Event(
        partial(_nearest, first=first, second=second, margin=one.margin),
        impact,
        "down",
        name or f"{first.name or first.body} touches {second.name or second.body}",
        attach=hold,
        pair=pair,
        with_contact=partial(_with_pair_of, shapes=(first, second), pair=replace(one, first=0, second=1)),
    )


def _nearest(model: Model, t: Any, q: Array, v: Array, *, first: Shape, second: Shape, margin: float) -> Any:
    """Return the smallest gap of two shapes."""
    T = [dynamics.pose(model, q, shape.body) @ shape.placement for shape in (first, second)]
    gaps = [candidate.gap for candidate in candidates(first, T[0], second, T[1])]
    nearest = gaps[0]
    for other in gaps[1:]:
        nearest = minimum(nearest, other)
    return nearest - margin
