"""Tasks: poses of frames and their parts, the center of mass, joints, momentum.

A task is the key, its target the value: ``{Pose("hand"): T, CenterOfMass("xy", priority=2): c}``. The name of a frame
stands for its :class:`Pose` or :class:`Position`. Errors are in meters and radians, in the axes of ``relative_to``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.errors import ArgumentError, InputError, explained
from linkwright.ik_solvers.gradients import AwayFromLimits, Manipulability
from linkwright.ik_solvers.minimum_distance import MinimumDistance
from linkwright.ik_solvers.task import Task
from linkwright.model.build.description import WORLD
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, atan2, maximum, where
from linkwright.spatial.rotation import rotation_flaw, rotation_from_z, rotation_log, skew, translation_of_log
from linkwright.spatial.transform import split_pose

ROTATION = 1e-5
"""Tolerance of the entries of RᵀR for a rotation."""

HALF_TURN = 1e-9
"""1 + cos θ below which a rotation counts as one by π"""


@dataclass(frozen=True, repr=False)
class _OfFrame(Task):
    """A task of a frame, seen from another."""

    frame: str
    relative_to: str = WORLD

    @property
    def words(self) -> str:
        seen = "" if self.relative_to == WORLD else f" seen from {self.relative_to!r}"
        return f"the {type(self).__name__.lower()} of {self.frame!r}{seen}"

    def check(self, model: Model) -> None:
        super().check(model)
        model.frame(self.frame)
        model.frame(self.relative_to)
        if self.frame == self.relative_to:
            raise InputError(f"{self} is of {self.frame!r} relative to itself, which is constant")

    def pose(self, model: Model, q: Array) -> Array:
        """Return the pose of the frame.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (4, 4)
            Pose relative to the other frame.
        """
        return dynamics.pose(model, q, self.frame, self.relative_to)

    def twists(self, model: Model, q: Array) -> tuple[Array, Array]:
        """Return the linear and angular Jacobians of the frame relative to the other frame, in its axes.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        linear : ndarray, shape (3, nv)
            Jacobian of the velocity of the origin.
        angular : ndarray, shape (3, nv)
            Jacobian of the angular velocity.
        """
        J = dynamics.jacobian(model, q, self.frame, relative_to=self.relative_to)
        return J[:3], J[3:]


def _turn(R: Array, goal: Array) -> Array:
    """Return 2 sin(θ/2) a (3,) of the rotation θ about a from R to the goal, without an arctangent.

    Near the angle π, where the sine vanishes, 1 + Dᵢᵢ = 2 aᵢ² of D = goal Rᵀ: close enough to a, or −a, to start with.
    """
    diagonal = (R * goal).sum(axis=1)
    cosine = 0.5 * (diagonal.sum() - 1.0)
    turn = _half_sine(0.5 * sum(skew(R[:, k]) @ goal[:, k] for k in range(3)), cosine)
    return where(cosine < HALF_TURN - 1.0, 1.0 + diagonal, turn)


def _half_sine(axis: Array, cosine: Any) -> Array:
    """Return 2 sin(θ/2) a from sin θ a and cos θ; its norm is correct at the angle π, where the sine vanishes."""
    return axis * np.sqrt(2.0 / maximum(1.0 + cosine, HALF_TURN))


def _near(places: Array, length: float) -> tuple[Array, Array]:
    """|p − pₙ|² less |p|², in units of the length, as a product with p (3,)."""
    return -2.0 / length**2 * places, (places**2).sum(axis=-1) / length**2


@explained
@dataclass(frozen=True, repr=False)
class Pose(_OfFrame):
    """Pose of a frame: target (4, 4), velocity the twist [v; ω] (6,).

    Parameters
    ----------
    frame : str
        Name of the frame.
    relative_to : str, optional
        Frame of the target.
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    def shape(self, model: Model) -> tuple[int, ...]:
        return 4, 4

    def rate_shape(self, model: Model) -> tuple[int, ...]:
        return (6,)

    def scales(self, model: Model) -> Array:
        return np.array([scale_of(model).length] * 3 + [1.0] * 3)

    def value(self, model: Model, q: Array) -> Array:
        return self.pose(model, q)

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        R, p = split_pose(self.pose(model, q))
        return np.concatenate([target[:3, 3] - p, _turn(R, target[:3, :3])])

    def left(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        """Return the exact error Log(X⁻¹T).

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.
        target : ndarray, shape (4, 4)
            Target.
        start : ndarray, shape (nq,)
            Start of the search.

        Returns
        -------
        ndarray, shape (6,)
            Error, m and rad.
        """
        R, p = split_pose(self.pose(model, q))
        r = rotation_log(R.T @ target[:3, :3])
        return np.concatenate([translation_of_log(r, R.T @ (target[:3, 3] - p)), r])

    def jacobian(self, model: Model, q: Array) -> Array:
        return np.concatenate(self.twists(model, q))

    def flaw(self, target: Array) -> float:
        last = target[3] - np.array([0.0, 0.0, 0.0, 1.0])
        return rotation_flaw(target[:3, :3]) + last @ last

    def wanted(self, model: Model) -> str:
        return "a pose: a rotation (3, 3), a position, and (0, 0, 0, 1) as last row"

    def likeness(self, target: Array) -> Array:
        return np.concatenate([target[:3, 3], target[:3, :3].reshape(9)])

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        factors, constants = _near(values[:, :3, 3], length)
        return np.concatenate([factors, -values[:, :3, :3].reshape(-1, 9)], axis=1), constants


@explained
@dataclass(frozen=True, repr=False)
class Position(_OfFrame):
    """Position of a frame's origin: target and velocity along the axes, (len(axes),).

    Parameters
    ----------
    frame : str
        Name of the frame.
    relative_to : str, optional
        Frame of the target.
    axes : str, optional
        Axes of `relative_to`, some of "xyz".
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    axes: str = "xyz"

    def check(self, model: Model) -> None:
        super().check(model)
        _places(self.axes, self)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(self.axes),)

    def value(self, model: Model, q: Array) -> Array:
        return self.pose(model, q)[_places(self.axes, self), 3]

    def jacobian(self, model: Model, q: Array) -> Array:
        return self.twists(model, q)[0][_places(self.axes, self)]

    def likeness(self, target: Array) -> Array:
        return target

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        return _near(values, length)


@explained
@dataclass(frozen=True, repr=False)
class Rotation(_OfFrame):
    """Orientation of a frame: target a rotation matrix (3, 3), velocity the angular velocity (3,).

    Parameters
    ----------
    frame : str
        Name of the frame.
    relative_to : str, optional
        Frame of the target.
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    def shape(self, model: Model) -> tuple[int, ...]:
        return 3, 3

    def rate_shape(self, model: Model) -> tuple[int, ...]:
        return (3,)

    def scales(self, model: Model) -> Array:
        return np.ones(3)

    def value(self, model: Model, q: Array) -> Array:
        return self.pose(model, q)[:3, :3]

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        return _turn(self.value(model, q), target)

    def left(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        return rotation_log(self.value(model, q).T @ target)

    def jacobian(self, model: Model, q: Array) -> Array:
        return self.twists(model, q)[1]

    def flaw(self, target: Array) -> float:
        return rotation_flaw(target)

    def wanted(self, model: Model) -> str:
        return "a rotation: RᵀR = 1, det R = 1"

    def likeness(self, target: Array) -> Array:
        return target.reshape(9)

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        return -values.reshape(-1, 9), np.zeros(len(values))


@explained
@dataclass(frozen=True, repr=False)
class Direction(_OfFrame):
    """Direction of an axis of a frame: target a vector (3,) of any length, velocity its rate (3,).

    Parameters
    ----------
    frame : str
        Name of the frame.
    relative_to : str, optional
        Frame of the target.
    axis : str or tuple of float, optional
        Axis of the frame: "x", "y", "z", with "-" for the opposite direction, or a vector.
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    axis: str | tuple[float, float, float] = "z"

    def check(self, model: Model) -> None:
        super().check(model)
        self.across()

    def across(self) -> Array:
        """Return the axis and two perpendicular directions, right-handed, in the frame.

        Returns
        -------
        ndarray, shape (3, 3)
            Directions as columns.
        """
        axis = self.axis
        if isinstance(axis, str):
            name = axis.removeprefix("-")
            if name not in ("x", "y", "z"):
                raise InputError(f"the axis of a direction is x, y, z, -x, -y, -z or a vector; got {axis!r}")
            vector = np.eye(3)["xyz".index(name)] * (-1.0 if axis.startswith("-") else 1.0)
        else:
            try:
                vector = np.asarray(axis, dtype=float)
            except (TypeError, ValueError):
                vector = np.zeros(0)
        if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
            raise InputError(f"the axis of a direction is x, y, z, -x, -y, -z or a vector; got {axis!r}")
        return rotation_from_z(vector)[:, [2, 0, 1]]

    def shape(self, model: Model) -> tuple[int, ...]:
        return (3,)

    def scales(self, model: Model) -> Array:
        return np.ones(2)

    def value(self, model: Model, q: Array) -> Array:
        return self.pose(model, q)[:3, :3] @ self.across()[:, 0]

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        a, b, c = (self.pose(model, q)[:3, :3] @ self.across()).T
        d = target / np.sqrt(target @ target)
        turn = _half_sine(skew(a) @ d, a @ d)
        opposed = a @ d < HALF_TURN - 1.0  # any turn leads there
        return np.stack([where(opposed, 2.0, b @ turn), where(opposed, 0.0, c @ turn)])

    def left(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        d = target / np.sqrt(target @ target)
        away, along = self.value(model, q) - d, self.value(model, q) + d
        return 2.0 * np.stack([atan2(np.sqrt(away @ away), np.sqrt(along @ along))])

    def jacobian(self, model: Model, q: Array) -> Array:
        _, b, c = (self.pose(model, q)[:3, :3] @ self.across()).T
        J = self.twists(model, q)[1]
        return np.stack([b @ J, c @ J])

    def rate_jacobian(self, model: Model, q: Array) -> Array:
        _, b, c = (self.pose(model, q)[:3, :3] @ self.across()).T
        J = self.twists(model, q)[1]
        return np.stack([c @ J, -(b @ J)])  # the components of ω × a along b and c

    def followed(self, model: Model, q: Array, velocity: Array) -> Array:
        _, b, c = (self.pose(model, q)[:3, :3] @ self.across()).T
        return np.stack([b @ velocity, c @ velocity])

    def flaw(self, target: Array) -> float:
        return where(target @ target > 0.0, 0.0, 1.0)

    def wanted(self, model: Model) -> str:
        return "a vector that is not zero"

    def likeness(self, target: Array) -> Array:
        return target / np.sqrt(target @ target)

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        return -values, np.zeros(len(values))


@explained
@dataclass(frozen=True, repr=False)
class CenterOfMass(Task):
    """Position of the center of mass along axes of the world: target and velocity (len(axes),).

    Parameters
    ----------
    axes : str, optional
        Axes, some of "xyz".
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    axes: str = "xyz"

    def check(self, model: Model) -> None:
        super().check(model)
        _places(self.axes, self)
        model.require_physical("the center of mass")

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(self.axes),)

    def value(self, model: Model, q: Array) -> Array:
        return dynamics.center_of_mass(model, q)[_places(self.axes, self)]

    def jacobian(self, model: Model, q: Array) -> Array:
        return dynamics.center_of_mass_jacobian(model, q)[_places(self.axes, self)]

    def likeness(self, target: Array) -> Array:
        return target

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        return _near(values, length)


@explained
@dataclass(frozen=True, repr=False)
class Joints(Task):
    """Coordinates of joints, concatenated: targets are coordinates, velocities joint velocities.

    Parameters
    ----------
    names : tuple of str, optional
        Names of joints. By default all.
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.names is not None and not isinstance(self.names, tuple):
            raise ArgumentError(f"names of joints are given as a list of names; got {self.names!r}")

    def check(self, model: Model) -> None:
        super().check(model)
        if self.names is not None and len(set(self.names)) < len(self.names):
            raise ArgumentError(f"each joint of a task is named once; got {list(self.names)}")
        if self.names == () or not len(self.places(model)[1]):
            raise InputError(f"{self} has no coordinates")

    def places(self, model: Model) -> tuple[Array, Array]:
        """Return the indices of the coordinates and velocities.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        coordinates : ndarray of int
            Indices in q.
        velocities : ndarray of int
            Indices in v.
        """
        if self.names is None:
            return np.arange(model.nq), np.arange(model.nv)
        slices = [model.slice(name) for name in self.names]
        at = [np.r_[tuple(np.arange(one.start, one.stop) for one in part)] for part in zip(*slices, strict=True)]
        return at[0].astype(int), at[1].astype(int)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(self.places(model)[0]),)

    def rate_shape(self, model: Model) -> tuple[int, ...]:
        return (len(self.places(model)[1]),)

    def scales(self, model: Model) -> Array:
        return scale_of(model).velocities[self.places(model)[1]]

    def value(self, model: Model, q: Array) -> Array:
        return q[self.places(model)[0]]

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        at_q, at_v = self.places(model)
        wanted = list(q)
        for k, place in enumerate(at_q):
            wanted[place] = target[k]
        return dynamics.difference(model, q, np.stack(wanted))[at_v]

    def jacobian(self, model: Model, q: Array) -> Array:
        return np.eye(model.nv)[self.places(model)[1]]

    def flaw(self, target: Array) -> float:
        return 0.0


@explained
@dataclass(frozen=True, repr=False)
class Momentum(Task):
    """Momentum [P; L] about the center of mass, N s and N m s.

    For inverse kinematics it is that of the displacement from the start in one second: A(q) · difference(start, q).

    Parameters
    ----------
    part : {"both", "linear", "angular"}, optional
        Part of the momentum, (6,) or (3,).
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    part: str = "both"

    def check(self, model: Model) -> None:
        super().check(model)
        self.rows()
        model.require_physical("momentum")

    def rows(self) -> slice:
        """Return the controlled rows of [P; L].

        Returns
        -------
        slice
            Rows.
        """
        parts = {"both": slice(0, 6), "linear": slice(0, 3), "angular": slice(3, 6)}
        if self.part not in parts:
            raise InputError(f"the part of a momentum is {', '.join(map(repr, parts))}; got {self.part!r}")
        return parts[self.part]

    def shape(self, model: Model) -> tuple[int, ...]:
        return (6 if self.part == "both" else 3,)

    def scales(self, model: Model) -> Array:
        length, mass = scale_of(model)[:2]
        return np.array([mass * length] * 3 + [mass * length**2] * 3)[self.rows()]

    def value(self, model: Model, q: Array) -> Array:
        return np.zeros(self.shape(model))

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        return target - self.jacobian(model, q) @ dynamics.difference(model, start, q)

    def jacobian(self, model: Model, q: Array) -> Array:
        return dynamics.momentum_matrix(model, q)[self.rows()]

    @property
    def uses_start(self) -> bool:
        return True


def _places(axes: Any, task: Task) -> list[int]:
    """Which of x, y and z."""
    if not isinstance(axes, str) or not axes or any(axes.count(x) != 1 or x not in "xyz" for x in axes):
        raise InputError(f"the axes of {type(task).__name__} are some of xyz, each once; got {axes!r}")
    return ["xyz".index(x) for x in axes]


__all__ = [
    "AwayFromLimits",
    "CenterOfMass",
    "Direction",
    "Joints",
    "Manipulability",
    "MinimumDistance",
    "Momentum",
    "Pose",
    "Position",
    "Rotation",
    "Task",
]


def __dir__() -> list[str]:
    return __all__
