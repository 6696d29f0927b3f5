"""What every task has: a target, an error, a Jacobian."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from linkwright.bounds import positive, whole_number
from linkwright.errors import ShapeError
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic


def _frozen(x: Any) -> Any:
    """Lists and arrays as tuples: a task is a key of dicts."""
    if isinstance(x, np.ndarray):
        x = x.tolist()
    return tuple(map(_frozen, x)) if isinstance(x, list | tuple) else x


@dataclass(frozen=True, kw_only=True, repr=False)
class Task(ABC):
    """One thing to reach. Those of a smaller ``priority`` number come first, strictly: later ones do not disturb them.

    Within one priority, the sum of weight · |error|² is made least, lengths counted in the mechanism's own; where not
    all can be reached, a turn by θ rad counts as 4 sin(θ/4), which is θ within 1 % up to one radian.
    """

    weight: float = 1.0
    priority: int = 1

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, _frozen(getattr(self, one.name)))

    def __repr__(self) -> str:
        told = [(one.name, getattr(self, one.name)) for one in fields(self) if getattr(self, one.name) != one.default]
        told.sort(key=lambda pair: pair[0] in ("weight", "priority"))
        return f"{type(self).__name__}({', '.join(f'{name}={x!r}' for name, x in told)})"

    @property
    def words(self) -> str:
        """What it is about, in words."""
        return str(self)

    def check(self, model: Model) -> None:
        """Raise where the model has not what the task names."""
        positive(f"the weight of {self}", self.weight)
        whole_number(f"the priority of {self}", self.priority, 1)

    @abstractmethod
    def shape(self, model: Model) -> tuple[int, ...]:
        """The shape of a target."""

    def rate_shape(self, model: Model) -> tuple[int, ...]:
        """The shape of a velocity to follow."""
        return self.shape(model)

    def scales(self, model: Model) -> Array:
        """What each row (m,) of the error is counted in: the mechanism's length, or 1 rad."""
        return np.full(len(self.jacobian(model, model.neutral())), scale_of(model).length)

    @abstractmethod
    def value(self, model: Model, q: Array) -> Array:
        """What the target is compared with."""

    def error(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        """What is missing (m,), m and rad: of turns along the rotation vector, and as long where they are small."""
        return target - self.value(model, q)

    def left(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        """What is missing, exactly."""
        return self.error(model, q, target, start)

    @abstractmethod
    def jacobian(self, model: Model, q: Array) -> Array:
        """J (m, nv): −J v is the rate of the error, near the target."""

    def rate_jacobian(self, model: Model, q: Array) -> Array:
        """J (m, nv): J v is the velocity to follow, or what counts of it."""
        return self.jacobian(model, q)

    def followed(self, model: Model, q: Array, velocity: Array) -> Array:
        """What counts (m,) of the velocity to follow."""
        return velocity

    def flaw(self, target: Array) -> Any:
        """How far a target is from what it must be; it must be finite in any case."""
        return 0.0

    def wanted(self, model: Model) -> str:
        """What a target must be, in words."""
        return "finite numbers"

    def likeness(self, target: Array) -> Array:
        """Numbers (k,) of a target whose products with :meth:`postures` tell how far it is from them."""
        return np.zeros(0)

    def postures(self, values: Array, length: float) -> tuple[Array, Array]:
        """Of values (n, …): factors (n, k) for :meth:`likeness` and constants (n,)."""
        return np.zeros((len(values), 0)), np.zeros(len(values))

    @property
    def of_rates(self) -> bool:
        """Whether it is a direction to go, and no target that is reached."""
        return False

    @property
    def uses_start(self) -> bool:
        """Whether the target is about the way from the start."""
        return False


def fitting(what: str, task: Task, x: Any, shape: tuple[int, ...]) -> Array:
    """What is given for a task, symbols or numbers (…, *shape)."""
    given = np.asarray(x) if is_symbolic(x) else as_numbers(f"the {what} of {task}", x)
    if given.ndim < len(shape) or given.shape[given.ndim - len(shape) :] != shape:
        wanted = ", ".join(["…", *map(str, shape)])
        raise ShapeError(f"the {what} of {task} has shape {given.shape}; expected ({wanted})")
    return given
