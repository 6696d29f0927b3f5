"""Everything Linkwright raises or warns on purpose.

Each error is a :class:`LinkwrightError` and, where Python already has a fitting kind
(``ValueError``, ``KeyError``, …), that kind too, so both ways of catching it work.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

__all__ = [
    "ArgumentError",
    "CacheWarning",
    "ClosureError",
    "DisplayError",
    "ExpressionError",
    "FormatError",
    "FormatWarning",
    "InconsistentMotionError",
    "InputError",
    "LinkwrightError",
    "LinkwrightWarning",
    "MissingExtraError",
    "MissingFileError",
    "ModelError",
    "NoDerivativeError",
    "ShapeError",
    "SimulationError",
    "TooLargeError",
    "UnknownMotionError",
    "UnknownNameError",
]


def __dir__() -> list[str]:
    return __all__


F = TypeVar("F", bound=Callable[..., Any])


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number of things: "1 body", "3 bodies"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def printable(text: str, keep: str = "\n\t") -> str:
    """The text with signs for its control characters (␛ for escape), which would command the terminal."""
    return _COMMANDS.sub(lambda found: found[0] if found[0] in keep else _sign(found[0]), text)


_COMMANDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what follows."""


def _sign(character: str) -> str:
    code = ord(character)
    return chr(0x2400 + code) if code < 32 else "␡" if code == 127 else "�"


class LinkwrightError(Exception):
    """Base of every error raised on purpose."""

    def __str__(self) -> str:
        return printable(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the attributes; the arguments of a subclass need not be what made the message."""
        return _unpickled, (type(self), self.args), self.__dict__


def _unpickled(kind: type[LinkwrightError], args: tuple[Any, ...]) -> LinkwrightError:
    """The error of this class with this message, without the constructor of its class."""
    base: Any = kind.__base__  # the one whose layout it has: of OSError, of ImportError
    error: LinkwrightError = base.__new__(kind)
    super(LinkwrightError, error).__init__(*args)
    return error


class ModelError(LinkwrightError, ValueError):
    """A mechanism that cannot be built, or an operation this mechanism does not allow.

    ``problems`` lists everything found wrong, each with its place in the file where there is one.
    """

    def __init__(self, problems: str | Iterable[str]):
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(listed(self.problems))


class FormatError(ModelError):
    """A file that cannot be read."""


class MissingFileError(FormatError, FileNotFoundError):
    """A file that is not there."""


def is_choice(value: object, names: Iterable[str]) -> bool:
    """Whether an option is one of these names; an array, which compares by its entries, is none."""
    return isinstance(value, str) and value in names


def names_given(argument: str, given: object) -> tuple[str, ...]:
    """The names of an argument that is one or several of them; :class:`ArgumentError` where it is something else."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Collection) and all(isinstance(name, str) for name in given):
        return tuple(given)
    raise ArgumentError(f"{argument} is a name or a list of names; got {given!r:.200}")


def with_article(noun: str) -> str:
    """a box, an ellipsoid"""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def listed(problems: tuple[str, ...], what: str = "problems") -> str:
    """One problem as it is, several below each other, their file named once; of very many, the first fifty."""
    if len(problems) == 1:
        return problems[0]
    more = [f"… and {len(problems) - 50} more"] if len(problems) > 50 else []
    shown = list(problems[:50])
    files = Counter(found[0] for problem in shown if (found := _FILE.match(problem)))
    file, count = files.most_common(1)[0] if files else ("", 0)
    if count > 1:
        shown = [problem.removeprefix(file).lstrip() for problem in shown]
    heading = f"{len(problems)} {what}" + (f" in {file}" if count > 1 else ":")
    return heading + "".join(f"\n  {problem}" for problem in [*shown, *more])


_FILE = re.compile(r".+?\.\w+:(?=\d+:\d+: | )")
"""The name of a file, before what is said of it or of a place in it."""


class InputError(LinkwrightError, ValueError):
    """A value that cannot be used: NaN, a quaternion that is not unit, an option that does not exist."""


class ShapeError(LinkwrightError, ValueError):
    """An array of the wrong shape."""


class ArgumentError(LinkwrightError, TypeError):
    """An argument of the wrong type, missing, or of a name that does not exist."""


class _Left:
    """How the default of an argument that is left as it is reads."""

    def __repr__(self) -> str:
        return "..."


_LEFT = _Left()


def wrong_call(name: str, signature: inspect.Signature, args: Sequence[Any], named: Iterable[str]) -> ArgumentError:
    """The error of a call whose arguments do not fit: what is wrong with them, and what the function takes."""
    parameters = [
        p.replace(annotation=p.empty, default=_LEFT if p.default is ... else p.default)
        for p in signature.parameters.values()
    ]
    starred = [p.name for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    kinds = {p.kind for p in parameters}
    unbounded, any_name = inspect.Parameter.VAR_POSITIONAL in kinds, inspect.Parameter.VAR_KEYWORD in kinds
    needed = [p.name for p in parameters if p.default is p.empty and p.name not in starred]
    unknown = [one for one in named if one not in signature.parameters and not any_name]
    by_place, more = places[: len(args)], len(args) > len(places) and not unbounded
    wrong = {
        "lacks {}": [repr(one) for one in needed if one not in by_place and one not in named],
        "has no argument {}": [repr(one) for one in unknown],
        "is given {} twice": [repr(one) for one in by_place if one in named],
        "is given {} by place": [f"{len(args)} arguments"] if more else [],
    }
    told = " and ".join(what.format(", ".join(which)) for what, which in wrong.items() if which)
    meant = [near[0] for one in unknown if (near := difflib.get_close_matches(one, signature.parameters, n=1))]
    hint = f"did you mean {', '.join(map(repr, meant))}?"
    if meant and len(parameters) > FEW:
        return ArgumentError(f"{name} {told}; {hint}")
    return ArgumentError(f"{name} {told}; it takes {inspect.Signature(parameters)}" + (f": {hint}" if meant else ""))


FEW = 10
"""arguments that can be overlooked; of more, where a name is near, that one is told alone"""


def explained(function: F) -> F:
    """Return the function, or the class, which raises :class:`ArgumentError` where arguments do not fit."""
    if isinstance(function, type):
        function.__init__ = explained(function.__init__)  # type: ignore[misc]
        return function

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:  # from within the function
                raise
        signature = inspect.signature(function)
        first, *others = signature.parameters.values()
        name = function.__qualname__
        if first.name in ("self", "cls"):
            if first.name == "self" and args:  # by the class that users know, not by the base that has the method
                name = f"{type(args[0]).__qualname__}.{function.__name__}"
            signature, args = signature.replace(parameters=others), args[1:]
        name = name.removesuffix(".__init__").removesuffix(".__new__")
        raise wrong_call(name, signature, args, named)

    return call  # type: ignore[return-value]


class UnknownNameError(LinkwrightError, KeyError):
    """A name that does not exist; the message lists near ones, or all of them where they are few, then ``advice``."""

    def __init__(self, what: str, name: object, known: Iterable[str], many: str | None = None, advice: str = ""):
        known = sorted(known)
        # near names of very long ones, or among very many, would take too long to find
        searched = known if len(str(name)) <= 200 and len(known) <= 1000 else []
        part = str(name).lower()
        alike = difflib.get_close_matches(str(name), searched, n=5, cutoff=0.5)
        near = [*dict.fromkeys([*alike, *(one for one in searched if part in one.lower())])][:5]
        shown = known if len(known) <= 16 else near
        message = f"unknown {what} {name!r}"
        if shown:
            message += f"; there {'is' if len(shown) == 1 else 'are'} {', '.join(shown)}"
        if len(known) > len(shown):
            message += f" (of {counted(len(known), what, many)})"
        super().__init__(message + advice)

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return printable(str(self.args[0]))


class ExpressionError(LinkwrightError, TypeError):
    """An expression used where a number is needed, or expressions of two traces mixed."""


class ClosureError(LinkwrightError, ArithmeticError):
    """Loops that could not be closed; ``residual`` (m,) is what is left open at ``q`` (nq,), the nearest found."""

    def __init__(self, message: str, residual: object, q: object):
        self.residual, self.q = residual, q
        super().__init__(message)


class InconsistentMotionError(LinkwrightError, ValueError):
    """A motion that no efforts of the actuated joints give; ``residual`` (nv,) is the effort that is missing."""

    def __init__(self, message: str, residual: object):
        self.residual = residual
        super().__init__(message)


class UnknownMotionError(LinkwrightError, IndexError):
    """There is no such motion in a batch."""

    def __init__(self, index: tuple[object, ...], batch: tuple[int, ...]):
        told = ", ".join(map(repr, index))
        super().__init__(
            f"there is no motion [{told}] in a batch of shape {batch}; take one by whole numbers or slices"
        )


class SimulationError(LinkwrightError, ArithmeticError):
    """A simulation of which nothing goes on; ``motion`` is what was computed, as on all that interrupts one."""

    motion: object


class TooLargeError(LinkwrightError):
    """More operations than straight-line code may have."""


class NoDerivativeError(TooLargeError):
    """A derivative that is too large to be formed at all."""


class MissingExtraError(LinkwrightError, ImportError):
    """An optional package is not installed; the message says which extra brings it."""


class DisplayError(LinkwrightError, RuntimeError):
    """No window can be opened here; the message says what to do instead."""


class LinkwrightWarning(UserWarning):
    """Base of every warning given on purpose."""

    def __str__(self) -> str:
        return printable(super().__str__())


class FormatWarning(LinkwrightWarning):
    """Something in a file that was ignored or mended; the robot stays usable."""


class CacheWarning(LinkwrightWarning):
    """The cache of compiled kernels could not be used; everything still works, only slower to start."""


def warn(message: str, category: type[LinkwrightWarning] = LinkwrightWarning) -> None:
    """Warn at the line that called the library, however many of its own functions are in between."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


PACKAGE = __name__.partition(".")[0]
