"""Whole-body inverse dynamics with contacts: efforts and contact forces by a quadratic program at every tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import not_negative, positive
from linkwright.control.effort_limits import limits_of
from linkwright.control.joint_space import driven
from linkwright.control.whole_body.contacts import StanceContact
from linkwright.control.whole_body.nearest_point import Nearest, nearest_with_soft
from linkwright.control.whole_body.quadratic_program import Tick, WholeBodyLayout
from linkwright.control.whole_body.reduction import FOLLOWED, FrameTask, Stance
from linkwright.dynamics.configuration import UNIT_TOLERANCE, check
from linkwright.errors import ArgumentError, InputError, ShapeError, SimulationError, UnknownNameError, explained
from linkwright.ik_solvers.task import Task
from linkwright.ik_solvers.tasks import Pose
from linkwright.model.build.description import WORLD
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

Targets = Mapping[Any, Any]
"""By tasks, or names of frames: a target, or (target, velocity, acceleration); of a momentum (momentum, rate)"""

FELT = 1e-6
"""Limits count as passed beyond this, of efforts and forces in N m and N."""

SHOWN, MOST = 1e-3, 3
"""Share of an effort limit from which missing efforts are reported, and the largest number of reported motors."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WholeBodyAnswer:
    """Result of a tick of :class:`WholeBody`."""

    efforts: Array
    """(nv,), N m or N; zero where there is no motor"""
    acceleration: Array
    """v̇ (nv,)"""
    forces: Array
    """(points, 3), N, on the mechanism, in world axes, in the order of the contacts and of their points"""
    feasible: bool
    """whether contacts hold within friction and effort limits"""
    reason: str
    """the constraints that cannot be satisfied, in words; empty if all can"""
    iterations: int
    """of the solver"""


class WholeBody:
    """Whole-body controller: track several tasks while contacts hold.

    Create it once for a model, its contacts and tasks, and call it at every tick: ``body(q, v, {task: target, …})``
    returns a :class:`WholeBodyAnswer`. Unknowns are the accelerations v̇ and the forces f at the contact points, with
    the constraints

    - M v̇ + h = Jᵀf in the unactuated rows, such as those of a floating base,
    - C v̇ + Ċ v = 0: contacts do not move,
    - |τ| ≤ ``effort_limits`` with τ = M v̇ + h − Jᵀf,
    - |f₁|, |f₂| ≤ μ fₙ/√2 at every point.

    The cost is Σ w |J v̇ + J̇ v − a|² + r |v̇, f/m|² with a = a_d + damping (v_d − J v) + stiffness · error of every
    task and its weight w; lengths are scaled by the size of the mechanism. The reduced problem is solved by the dual
    active-set method of `daqp` (Arnström, Bemporad & Axehill, IEEE TAC 67, 2022), warm-started from the previous tick.
    All other computations are compiled.

    Parameters
    ----------
    model : Model
        Mechanism without closed loops.
    contacts : sequence of StanceContact or str
        Contacts, or names of frames whose origin is the contact point.
    tasks : mapping
        Gains (stiffness in 1/s², damping in 1/s) by task: a task of :mod:`linkwright.tasks` (``Pose``, ``Position``,
        ``Rotation``, ``CenterOfMass``, ``Joints``, ``Momentum``, in world axes), or the name of a frame for its pose.
        The stiffness of a momentum is in 1/s. Priorities are weights.
    effort_limits : bool, float or array_like, shape (nv,), optional
        True for the limits of the joints, None for no limits, or numbers.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all but free joints.
    regularization : float, optional
        Weight r; it distributes forces evenly and damps motions that no task controls.
    """

    @takes_model
    def __init__(
        self,
        model: Model,
        contacts: Sequence[StanceContact | str],
        tasks: Mapping[Task | str, tuple[float, float]],
        *,
        effort_limits: ArrayLike = True,
        actuated: Sequence[str] | None = None,
        regularization: float = 1e-5,
    ):
        if model.loops:
            raise InputError(f"{model.name!r} has closed loops, which WholeBody does not support: pass the tree")
        model.require_physical("forces of contact")
        if isinstance(contacts, (str, StanceContact)) or not isinstance(contacts, Sequence):
            raise ArgumentError(f"contacts are a list of StanceContact and names of frames; got {contacts!r}")
        touching = tuple(one if isinstance(one, StanceContact) else StanceContact(one) for one in contacts)
        for one in touching:
            model.frame(one.frame)
        regularization = positive("regularization", regularization)
        self._names, followed = _followed(model, tasks)
        places = np.array(driven(model, actuated), dtype=int)
        self.model, self.contacts, self.tasks = model, touching, tuple(one.task for one in followed)
        stance = Stance(model, touching, followed, places, regularization)
        self._layout = WholeBodyLayout(stance, limits_of(model, effort_limits)[places])
        self._still = [[np.zeros(shape) for shape in one.shapes(model)[1:]] for one in followed]
        self._shapes = [one.shapes(model) for one in followed]
        self._nearest = Nearest()
        self._all = np.ones(len(touching))

    def __repr__(self) -> str:
        frames = ", ".join(one.frame for one in self.contacts)
        return f"<WholeBody of {self.model.name!r} on {frames or 'nothing'}: {', '.join(map(str, self.tasks))}>"

    @explained
    def __call__(self, q: Any, v: Any, targets: Targets, *, contacts: Sequence[str] | None = None) -> WholeBodyAnswer:
        """Compute efforts and contact forces at a state.

        If not all constraints can be satisfied, nothing is raised: ``answer.reason`` names them. The efforts are then
        within their limits, and forces leave the friction pyramids as little as possible.

        Parameters
        ----------
        q, v : array_like, shapes (nq,) and (nv,)
            Configuration and joint velocity.
        targets : mapping
            Target of every task, or (target, velocity, acceleration).
        contacts : sequence of str, optional
            Names of the frames whose contacts hold now; the forces of the others are zero. By default all hold.

        Returns
        -------
        WholeBodyAnswer
            The result.
        """
        active = self._all if contacts is None else self._active(contacts)
        tick = Tick(
            self._layout, np.ascontiguousarray(q), np.ascontiguousarray(v), active, self._target_arrays(targets)
        )
        for start in self.model.quaternion_starts:
            quaternion = np.asarray(q)[start : start + 4]
            if not abs(quaternion @ quaternion - 1.0) <= UNIT_TOLERANCE:
                check(self.model, q)
        z, iterations = self._nearest(tick.A, tick.g, tick.lower, tick.upper)
        reason = "" if z is not None else self._lacking(tick)
        if z is None:
            z = self._yielding(tick, forces=True)
        a, efforts, forces, left = tick.motion(tick.g if z is None else z)
        if tick.open(left):
            reason = f"contacts contradict each other, or the motion that there is: {self!r}"
        pushed: Array = (self._layout.axes @ forces[:, :, None])[:, :, 0]
        return WholeBodyAnswer(
            efforts=efforts, acceleration=a, forces=pushed, feasible=not reason, reason=reason, iterations=iterations
        )

    def controller(self, targets: Targets | Callable[[float], Targets]) -> Callable[[float, Array, Array], Array]:
        """Return a callback (t, q, v) -> efforts (nv,), for ``simulate(…, callback=…)``.

        Parameters
        ----------
        targets : mapping or callable
            Targets, or a function of time.

        Returns
        -------
        callable
            The callback. It raises :class:`~linkwright.errors.SimulationError` if contacts cannot hold.
        """

        def controller(t: float, q: Array, v: Array) -> Array:
            answer = self(q, v, targets(t) if callable(targets) else targets)
            if not answer.feasible:
                raise SimulationError(f"at {t:g} s {answer.reason}")
            return answer.efforts

        return controller

    def _active(self, contacts: Sequence[str]) -> Array:
        """Return the activities of the contacts, 1.0 or 0.0."""
        frames = [one.frame for one in self.contacts]
        if isinstance(contacts, str) or not isinstance(contacts, Sequence):
            raise ArgumentError(f"contacts are the names of frames that hold, some of {frames}; got {contacts!r}")
        if unknown := [name for name in contacts if name not in frames]:
            raise UnknownNameError("contact", str(unknown[0]), frames)
        return np.array([float(frame in contacts) for frame in frames])

    def _target_arrays(self, targets: Targets) -> list[Array]:
        """Targets, velocities and accelerations, as the kernel takes them."""
        arrays: list[Array] = []
        for name, shapes, still in zip(self._names, self._shapes, self._still, strict=True):
            try:
                given = targets[name]
            except (KeyError, TypeError):
                given = self._absent(targets, name)
            if type(given) is np.ndarray and given.shape == shapes[0] and given.flags.carray:
                arrays += [given, *still]
            elif isinstance(given, tuple) and len(given) == len(shapes) and np.shape(given[0]) == shapes[0]:
                for x, shape in zip(given, shapes, strict=True):
                    arrays.append(_shaped(name, x, shape))
            else:
                arrays += [_shaped(name, given, shapes[0]), *still]
        if len(targets) != len(self._names):
            self._absent(targets, None)
        return arrays

    def _absent(self, targets: Any, name: Any) -> Any:
        """Raise an error for wrong targets."""
        known = ", ".join(map(repr, self._names))
        if not isinstance(targets, Mapping):
            raise ArgumentError(f"targets are a dict by tasks, {{{known}}}; got {targets!r}")
        if unknown := [one for one in targets if one not in self._names]:
            raise UnknownNameError("task", str(unknown[0]), [str(one) for one in self._names])
        raise ArgumentError(f"there is no target of {name!r}; targets are of {known}")

    def _yielding(self, tick: Tick, forces: bool) -> Array | None:
        """The answer where friction, or else the limits of motors, give way as little as they must."""
        soft = np.arange(len(tick.A)) >= len(self._layout.limits)
        return nearest_with_soft(tick.A, tick.g, tick.lower, tick.upper, soft == forces)

    def _lacking(self, tick: Tick) -> str:
        """Return, in words, the friction or efforts with which the contacts would hold."""
        either = [self._friction_needed(tick), self._motors_needed(tick)]
        text = "; or ".join(one for one in either if one)
        nearest = f"for instance, by least squares of what is beyond: {text}" if text else "whatever motors do"
        return f"contacts cannot hold within friction and the motors' limits: {nearest}"

    def _friction_needed(self, tick: Tick) -> str:
        z = self._yielding(tick, forces=True)
        if z is None:
            return ""
        forces, at, problems = tick.motion(z)[2], 0, []
        for one in self.contacts:
            f = forces[at : at + len(one.points)]
            at += len(one.points)
            pulled = -np.minimum(f[:, 2], 0.0).sum()
            slipping = np.abs(f[:, :2]).max(axis=1) - one.friction / np.sqrt(2.0) * f[:, 2] > FELT
            if pulled > FELT:
                problems.append(f"{one.frame!r} would have to be pulled with {pulled:.3g} N")
            elif slipping.any():
                needed = np.sqrt(2.0) * (np.abs(f[slipping, :2]).max(axis=1) / np.maximum(f[slipping, 2], FELT)).max()
                problems.append(f"{one.frame!r} would need a friction of {needed:.3g}, and has {one.friction:g}")
        return ", ".join(problems)

    def _motors_needed(self, tick: Tick) -> str:
        z = self._yielding(tick, forces=False)
        if z is None:
            return ""
        efforts, limits, problems = tick.motion(z)[1], self._layout.limits, []
        joints = [joint for joint in self.model.joints for _ in range(joint.nv)]
        units = [unit for joint in self.model.joints if joint.nv for unit in joint.motion.units]
        for place, limit in zip(self._layout.driven, limits, strict=True):
            needed, unit = abs(efforts[place]), "N" if units[place] == "m" else "N m"
            words = f"{joints[place].name!r} would need {needed:.4g} {unit}, and has {limit:.4g} {unit}"
            problems.append((needed - limit, FELT + SHOWN * limit, words))
        found = [words for excess, least, words in sorted(problems, reverse=True) if excess > least]
        more = [f"{len(found) - MOST} more"] if len(found) > MOST else []
        return ", ".join(found[:MOST] + more)


def _shaped(name: Any, x: Any, shape: tuple[int, ...]) -> Array:
    found = np.ascontiguousarray(as_numbers(f"the target of {name!r}", x))  # the quick way into machine code
    if found.shape != shape:
        raise ShapeError(f"the target of {name!r}, or its rates, has shape {found.shape}; expected {shape}")
    return found


def _followed(model: Model, tasks: Any) -> tuple[list[Task | str], tuple[FrameTask, ...]]:
    """Return the given names of tasks, and the tasks with their gains."""
    if not isinstance(tasks, Mapping):
        raise ArgumentError(f"tasks are a dict {{task: (stiffness, damping)}}; got {tasks!r}")
    found = []
    for name, gains in tasks.items():
        task = Pose(name) if isinstance(name, str) else name
        if not isinstance(task, FOLLOWED):
            raise ArgumentError(
                f"tasks are names of frames, or {', '.join(x.__name__ for x in FOLLOWED)}; got {name!r}"
            )
        task.check(model)
        if (seen_from := getattr(task, "relative_to", WORLD)) != WORLD:
            raise InputError(f"{task} is seen from {seen_from!r}; tasks of WholeBody are in world axes")
        if not (isinstance(gains, (tuple, list)) and len(gains) == 2):
            raise ArgumentError(f"the gains of {task} are (stiffness, damping); got {gains!r}")
        stiffness, damping = (
            not_negative(f"the {name} of {task}", x) for name, x in zip(("stiffness", "damping"), gains, strict=True)
        )
        found.append(FrameTask(task, stiffness, damping))
    return list(tasks), tuple(found)
