"""Keyframes: named states of a mechanism that its file stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwright.errors import UnknownNameError, explained
from linkwright.model.elements import Joint
from linkwright.model.equality import ByValue
from linkwright.model.parts.actuator import Actuator
from linkwright.spatial.arrays import Array

Numbers = tuple[float, ...]

UNIT = 1e-6
"""Largest deviation of the length of a quaternion from 1."""


@dataclass(frozen=True)
class JointState:
    """State of a joint in a keyframe."""

    joint: str
    q: Numbers
    v: Numbers


@dataclass(frozen=True)
class ActuatorState:
    """Control and activation of an actuator in a keyframe."""

    actuator: str
    control: float
    activation: float = 0.0


@dataclass(frozen=True)
class KeyframeSpec:
    """Named state of joints and actuators in a description; those without a state are neutral and at rest."""

    name: str
    joints: tuple[JointState, ...]
    actuators: tuple[ActuatorState, ...] = ()
    time: float = 0.0


@explained
@dataclass(frozen=True, eq=False)
class Keyframe(ByValue):
    """Named state of a model: the values of ``model.keyframes``.

    Parameters
    ----------
    name : str
        Name of the keyframe.
    q : ndarray, shape (nq,)
        Configuration.
    v : ndarray, shape (nv,)
        Velocity.
    controls : ndarray, shape (nu,), optional
        Controls of the actuators.
    activations : ndarray, shape (na,), optional
        Activations of the actuators.
    time : float, optional
        Time in s.

    Examples
    --------
    A simulation starts from a keyframe:

    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> home = lw.Keyframe("home", arm.neutral(), np.zeros(arm.nv))
    >>> lw.simulate(arm, home.q, home.v, 0.1).q.shape
    (101, 2)
    """

    name: str
    q: Array
    v: Array
    controls: Array = field(default_factory=lambda: np.zeros(0))
    activations: Array = field(default_factory=lambda: np.zeros(0))
    time: float = 0.0


class KeyframeTable(dict[str, Keyframe]):
    """Keyframes by name, which :class:`MappingProxyType` makes read-only."""

    def __missing__(self, name: object) -> Keyframe:
        raise UnknownNameError("keyframe", name, self, advice="" if self else "; the model has no keyframes")


def keyframes_of(
    specs: Sequence[KeyframeSpec], joints: Sequence[Joint], actuators: Sequence[Actuator]
) -> KeyframeTable:
    """Return the keyframes that fit the joints; states of joints and actuators that do not exist are omitted.

    A keyframe does not fit where a joint has another number of coordinates, or values that are no configuration.
    """
    moving = [joint for joint in joints if joint.coupling is None]
    found = KeyframeTable()
    for spec in specs:
        states = {state.joint: state for state in spec.joints}
        rest = [JointState(j.name, tuple(j.neutral.tolist()), (0.0,) * j.motion.nv) for j in moving]
        own = [states.get(state.joint, state) for state in rest]
        if all(_fits(state, joint) for state, joint in zip(own, moving, strict=True)):
            q, v = (_row([getattr(state, of) for state in own]) for of in "qv")
            driven = {state.actuator: state for state in spec.actuators}
            inputs = [driven.get(one.name, ActuatorState(one.name, 0.0)) for one in actuators]
            activations = [(s.activation,) for s, one in zip(inputs, actuators, strict=True) if one.has_activation]
            controls = _row([(state.control,) for state in inputs])
            found[spec.name] = Keyframe(spec.name, q, v, controls, _row(activations), spec.time)
    return found


def _fits(state: JointState, joint: Joint) -> bool:
    """Return whether a state has the coordinates of a joint."""
    if (len(state.q), len(state.v)) != (joint.motion.nq, joint.motion.nv):
        return False
    if not np.isfinite([*state.q, *state.v]).all():
        return False
    turns = [state.q[start : start + 4] for start in joint.motion.quaternions]
    return all(abs(np.linalg.norm(turn) - 1.0) < UNIT for turn in turns)


def _row(parts: Sequence[Numbers]) -> Array:
    row = np.array([x for part in parts for x in part], dtype=float)
    row.setflags(write=False)
    return row
