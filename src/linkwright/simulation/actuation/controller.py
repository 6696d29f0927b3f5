"""The protocol of controllers, and functions as controllers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, runtime_checkable

from linkwright.errors import wrong_call
from linkwright.model.tree import Model
from linkwright.provided import accepts_sympy

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


@runtime_checkable
class Controller(Protocol):
    """Efforts as a function of the state of a mechanism, ``controller(model, t, q, v)``.

    A plain function is a controller without a state. An object with these methods may have a state,
    ``controller(model, t, q, v, state) -> (efforts, state)``, and may check the values bound to it; both methods are
    optional.

    Examples
    --------
    A leaky integrator of the position error:

    >>> import linkwright as lw
    >>> import numpy as np
    >>> class Integral:
    ...     def initial_state(self, model):
    ...         return np.zeros(model.nv)
    ...     def __call__(self, model, t, q, v, state):
    ...         return -20.0 * q - v - state, 0.999 * state + 1e-3 * q
    >>> pendulum = lw.load("pendulum")
    >>> lw.simulate(pendulum, [0.1], [0.0], 0.5, controller=Integral()).state.shape
    (501, 1)
    """

    def __call__(self, model: Model, t: Any, q: Any, v: Any, *state: Any, **bound: Any) -> Any:
        """Return the efforts (nv,); with a state (efforts, next state)."""

    def initial_state(self, model: Model, **bound: Any) -> Any:
        """Return the initial state, an array, or a tuple or dict of arrays; None without a state."""

    def check(self, model: Model, bound: Mapping[str, Any], leads: Mapping[str, int]) -> None:
        """Raise an error for bound values that are wrong; ``leads``: their numbers of batch dimensions."""


class FunctionController(Generic[P, R]):
    """A function as a controller, with its initial state and a check of bound values."""

    __name__: str
    __qualname__: str

    def __init__(
        self,
        function: Callable[P, R],
        initial_state: Callable[..., Any] | None = None,
        check: Callable[[Model, Mapping[str, Any], Mapping[str, int]], None] | None = None,
    ):
        functools.update_wrapper(self, function, updated=())  # its attributes may be named as methods here
        self.function, self._initial_state, self._check = function, initial_state, check

    @property
    def has_state(self) -> bool:
        """Whether the function takes a state."""
        return self._initial_state is not None

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        return self.function(*args, **named)

    def initial_state(self, model: Model, **bound: Any) -> Any:
        """Return the initial state; None without a state. Raises :class:`ArgumentError` for unknown bound names."""
        if self._initial_state is None:
            return None
        signature = inspect.signature(self._initial_state)
        try:
            signature.bind(model, **bound)
        except TypeError:
            named = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
            raise wrong_call(self.__name__, signature.replace(parameters=named), (), bound) from None
        return self._initial_state(model, **bound)

    def check(self, model: Model, bound: Mapping[str, Any], leads: Mapping[str, int]) -> None:
        """Raise an error for bound values that are wrong."""
        if self._check is not None:
            self._check(model, bound, leads)

    def __repr__(self) -> str:
        return f"<controller {self.__name__}>"

    def __reduce__(self) -> Any:
        if "<" in self.__qualname__:  # a local one
            return FunctionController, (self.function, self._initial_state, self._check)
        return self.__qualname__  # pickled by its name, as functions are


def has_initial_state(function: Any) -> bool:
    """Return whether a controller, a function or an object, defines an initial state."""
    if isinstance(function, FunctionController):
        return function.has_state
    return hasattr(function, "initial_state")


def controller_of(function: Any) -> Controller:
    """Return the controller that a function or an object with some of the methods is."""
    if isinstance(function, Controller):
        return function
    return FunctionController(function, getattr(function, "initial_state", None), getattr(function, "check", None))


def control_law(
    initial_state: Callable[..., Any] | None = None,
    check: Callable[[Model, Mapping[str, Any], Mapping[str, int]], None] | None = None,
) -> Callable[[Callable[P, R]], FunctionController[P, R]]:
    """Make a controller of a function, with its initial state and a check of bound values."""

    def made(function: Callable[P, R]) -> FunctionController[P, R]:
        return FunctionController(accepts_sympy(function), initial_state, check)

    return made
