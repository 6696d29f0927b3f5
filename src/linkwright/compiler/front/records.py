"""Values passed between recorded sweeps: expressions for each kind of joint.

Arithmetic on vectors of all joints (``tau + passive``, ``0.01 * v``) is arithmetic on each body's part of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from linkwright.errors import TooLargeError
from linkwright.expression.symbols import comparable

if TYPE_CHECKING:
    from linkwright.compiler.front.sweeps import Recorder


class NotASweep(TooLargeError):
    """An algorithm did with what was recorded something that is no step."""


COMPUTES = "it computes with what all joints have between its sweeps"


class BodyRecords:
    """Results of a step, or data of all bodies: expressions for each kind."""

    def __init__(self, by_kind: Sequence[Any]):
        self.by_kind = by_kind

    def __len__(self) -> int:
        raise NotASweep("it reads single bodies between its sweeps")

    def __getitem__(self, k: Any) -> Any:
        raise NotASweep("it reads single bodies between its sweeps")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotASweep(COMPUTES)


class BodyStates(BodyRecords):
    """The states that a sweep outwards left: those of single bodies belong to all."""

    def __init__(self, by_kind: Sequence[Any], bodies: int, look: Callable[[int], Any]):
        super().__init__(by_kind)
        self.bodies, self.look = bodies, look

    def __getitem__(self, k: Any) -> Any:
        if not isinstance(k, (int, np.integer)) or not 0 <= k < self.bodies:
            raise NotASweep("it reads several bodies between its sweeps")
        return self.look(int(k))


class JointVector(BodyRecords, NDArrayOperatorsMixin):
    """A vector of all joints, or a matrix with a column for each: every body's part, its last axis the joint's own.

    ``width``: "nq" or "nv". ``number``: of the input that it is. ``followers``: of joints that follow others, whether
    parts are their leaders' ("leaders"), are to be added to these ("added"), or are what they have themselves ("own").
    """

    dtype = np.dtype(object)

    def __init__(
        self,
        recorder: Recorder,
        by_kind: Sequence[Any],
        width: str,
        number: int | None = None,
        followers: str = "leaders",
    ):
        super().__init__(by_kind)
        self.recorder, self.width, self.number, self.followers = recorder, width, number, followers

    @property
    def lead(self) -> tuple[int, ...]:
        """The axes before the last."""
        return np.shape(self.by_kind[0])[:-1]

    @property
    def shape(self) -> tuple[int, ...]:
        """As of the array that it stands for."""
        return (*self.lead, getattr(self.recorder, self.width))

    @property
    def ndim(self) -> int:
        """As of the array that it stands for."""
        return len(self.lead) + 1

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        if self.lead and (isinstance(key, (int, slice, list, np.integer)) or key is Ellipsis):
            return self._with([part[key] for part in self.by_kind])
        if self.number is None:
            raise NotASweep("it reads single joints between its sweeps")
        entries = self.recorder.entries(self.number, self.shape[0])
        return comparable(entries[key])

    def _with(self, by_kind: Sequence[Any], width: str = "") -> JointVector:
        return JointVector(self.recorder, by_kind, width or self.width, followers=self.followers)

    @property
    def summed(self) -> bool:
        """Whether values of mimic joints are added to those of their leaders."""
        return self.followers == "added"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            raise NotASweep(f"it applies {ufunc.__name__}.{method} to all joints at once")
        if ufunc is np.matmul:
            return self.recorder.product(*inputs)
        joints = [x for x in inputs if isinstance(x, JointVector)]
        width = "nq" if any(x.width == "nq" for x in joints) else "nv"
        summed = any(x.summed for x in joints)
        if any(self.recorder.follow) and any(x.followers == "own" for x in joints):
            raise NotASweep("joints follow others, and it combines what all joints have with what their leaders have")
        if summed and not (ufunc in _LINEAR and (len(joints) == 1 or ufunc in _SUMS)):
            raise NotASweep("joints follow others, and their efforts are known when all are summed")
        if ufunc in _SUMS and summed and any(np.ndim(x) == 0 for x in inputs if not isinstance(x, JointVector)):
            raise NotASweep("joints follow others, and their efforts are known when all are summed")
        columns = [self.recorder.parts(x, width, summed and ufunc in _SUMS) for x in inputs]
        kind = {"dtype": object} if ufunc in _COMPARING else {}
        try:
            by_kind = [comparable(np.asarray(ufunc(*parts, **kind))) for parts in zip(*columns, strict=True)]
        except ValueError as error:
            raise NotASweep(f"its arrays of all joints do not go together, joint by joint: {error}") from None
        return JointVector(self.recorder, by_kind, width, followers="added" if summed else "leaders")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.dot and len(args) == 2 and not kwargs:
            return self.recorder.product(*args)
        if function is np.sum and len(args) == 1 and not kwargs and not self.lead:
            return self.recorder.total(BodyRecords([part.sum() if part.size else 0.0 for part in self.own()]))
        if function is np.zeros_like:
            return np.zeros(self.shape)
        if function is np.shape:
            return self.shape
        if function is np.ndim:
            return self.ndim
        raise NotASweep(f"numpy.{function.__name__} reads all joints at once")

    def own(self) -> list[Any]:
        """Return the parts, none of joints that follow others."""
        return [
            np.zeros((*self.lead, 0)) if follows and not self.summed else part
            for part, follows in zip(self.by_kind, self.recorder.follow, strict=True)
        ]


_SUMS = (np.add, np.subtract, np.negative, np.positive)
_LINEAR = (*_SUMS, np.multiply, np.divide)
_COMPARING = (np.less, np.less_equal, np.greater, np.greater_equal)
