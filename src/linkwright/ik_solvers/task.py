"""Base class of tasks: target, error, Jacobian."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from linkwright.bounds import positive, whole_number
from linkwright.errors import ShapeError
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, numbers_or_symbols


def _frozen(x: Any) -> Any:
    """Lists and arrays as tuples: a task is a key of dicts."""
    if isinstance(x, np.ndarray):
        x = x.tolist()
    return tuple(map(_frozen, x)) if isinstance(x, list | tuple) else x


@dataclass(frozen=True, kw_only=True, repr=False)
class Task(ABC):
    """A task of inverse kinematics or resolved rates.

    Tasks with a smaller `priority` come first, strictly: later ones do not affect them. Within a priority the sum of
    weight · |error|² is minimized, with lengths relative to that of the mechanism; where not all targets can be
    reached, a rotation by θ rad has the error 4 sin(θ/4), which is θ within 1 % up to one radian.

    Parameters
    ----------
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    weight: float = 1.0
    priority: int = 1

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, _frozen(getattr(self, one.name)))
        positive(f"the weight of {type(self).__name__}", self.weight)

    def __repr__(self) -> str:
        told = [(one.name, getattr(self, one.name)) for one in fields(self) if getattr(self, one.name) != one.default]
        told.sort(key=lambda pair: pair[0] in ("weight", "priority"))
        return f"{type(self).__name__}({', '.join(f'{name}={x!r}' for name, x in told)})"

    @property
    def words(self) -> str:
        """Description of the task."""
        return str(self)

    def check(self, model: Model) -> None:
        """Check that the model has the frames and joints of the task.

        Parameters
        ----------
        model : Model
            Mechanism.

        Raises
        ------
        UnknownNameError
            If a name is unknown.
        """
        whole_number(f"the priority of {self}", self.priority, 1)

    @abstractmethod
    def shape(self, model: Model) -> tuple[int, ...]:
        """Return the shape of a target.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        tuple of int
            Shape.
        """

    def rate_shape(self, model: Model) -> tuple[int, ...]:
        """Return the shape of a velocity of the task.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        tuple of int
            Shape.
        """
        return self.shape(model)

    def scales(self, model: Model) -> Array:
        """Return the scale of each row of the error: the mechanism's length, or 1 rad.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        ndarray, shape (m,)
            Scales.
        """
        return np.full(len(self.jacobian(model, model.neutral())), scale_of(model).length)

    @abstractmethod
    def value(self, model: Model, q: Array) -> Array:
        """Return the present value of the target quantity.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray
            Value, with the shape of a target.
        """

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        """Return the error of the search; for rotations a vector along the axis, close to the small rotation vector.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.
        target : ndarray
            Target.
        start : ndarray, shape (nq,)
            Start of the search.

        Returns
        -------
        ndarray, shape (m,)
            Error, m and rad.
        """
        return target - self.value(model, q)

    def left(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        """Return the exact error.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.
        target : ndarray
            Target.
        start : ndarray, shape (nq,)
            Start of the search.

        Returns
        -------
        ndarray, shape (m,)
            Error, m and rad.
        """
        return self.error(model, q, target, start)

    @abstractmethod
    def jacobian(self, model: Model, q: Array) -> Array:
        """Return the Jacobian of the error near the target: −J v is the rate of the error.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (m, nv)
            J.
        """

    def rate_jacobian(self, model: Model, q: Array) -> Array:
        """Return the Jacobian of the task's velocity.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (m, nv)
            J: J v is the controlled part of the velocity.
        """
        return self.jacobian(model, q)

    def followed(self, model: Model, q: Array, velocity: Array) -> Array:
        """Return the controlled part of a velocity.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.
        velocity : ndarray
            Velocity of the task.

        Returns
        -------
        ndarray, shape (m,)
            Controlled part.
        """
        return velocity

    def magnitude(self, target: Array) -> Any:
        """Return the sum of the absolute values of a target.

        Parameters
        ----------
        target : ndarray
            Target.

        Returns
        -------
        float
            Sum.
        """
        return abs(target).sum()

    def flaw(self, target: Array) -> float:
        """Return the deviation of a target from a valid one, such as that of a matrix from a rotation.

        Parameters
        ----------
        target : ndarray
            Target; it is finite.

        Returns
        -------
        float
            Deviation.
        """
        return 0.0

    def wanted(self, model: Model) -> str:
        """Return the description of a valid target.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        str
            Description.
        """
        return "finite numbers"

    def likeness(self, target: Array) -> Array:
        """Return the features of a target, whose products with those of :meth:`postures` measure their distance.

        Parameters
        ----------
        target : ndarray
            Target.

        Returns
        -------
        ndarray, shape (k,)
            Features.
        """
        return np.zeros(0)

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        """Return the features of stored configurations.

        Parameters
        ----------
        values : ndarray, shape (n, ...)
            Values of the task.
        length : float
            Length of the mechanism.

        Returns
        -------
        factors : ndarray, shape (n, k)
            Factors of the features of a target.
        constants : ndarray, shape (n,)
            Constants.
        """
        return np.zeros((len(values), 0)), np.zeros(len(values))

    def jacobian_and_error(self, model: Model, q: Array, target: Array, start: Array) -> tuple[Array, Array]:
        """Return the Jacobian and the error of the search.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.
        target : ndarray
            Target.
        start : ndarray, shape (nq,)
            Start of the search.

        Returns
        -------
        J : ndarray, shape (m, nv)
            Jacobian.
        error : ndarray, shape (m,)
            Error, m and rad.
        """
        return self.jacobian(model, q), self.error(model, q, target, start)

    @property
    def default(self) -> Any:
        """Target that None stands for."""
        return None

    @property
    def is_constraint(self) -> bool:
        """Whether the task is an inequality."""
        return False

    @property
    def of_rates(self) -> bool:
        """Whether the task is a direction of motion without a target."""
        return False

    @property
    def uses_start(self) -> bool:
        """Whether the target depends on the displacement from the start."""
        return False


def fitting(what: str, task: Task, x: Any, shape: tuple[int, ...]) -> Array:
    """Return the given value of a task, symbols or numbers (…, *shape); else raise."""
    given = numbers_or_symbols(f"the {what} of {task}", x)
    if given.ndim < len(shape) or given.shape[given.ndim - len(shape) :] != shape:
        wanted = ", ".join(["…", *map(str, shape)])
        raise ShapeError(f"the {what} of {task} has shape {given.shape}; expected ({wanted})")
    return given
