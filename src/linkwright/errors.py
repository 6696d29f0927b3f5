"""Exceptions and warnings of Linkwright.

Each error is a :class:`LinkwrightError` and, where Python has a matching built-in class (``ValueError``,
``KeyError``, …), an instance of that class too.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import linecache
import os
import re
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

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
    """Return a count with its noun: "1 body", "3 bodies"."""
    return f"{count} {one if count == 1 else many or plural(one)}"


def plural(noun: str) -> str:
    """Return the plural of a noun: "bodies", "bodies or joints", "types of sensor"."""
    found = _COMPLEMENT.search(noun)
    head = noun[: found.start()] if found else noun
    return " or ".join(map(_plural, head.split(" or "))) + noun[len(head) :]


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    if word.endswith("is"):
        return f"{word[:-2]}es"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def printable(text: str, keep: str = "\n\t") -> str:
    """Replace control characters, which a terminal would execute, by visible signs (␛ for escape)."""
    return _COMMANDS.sub(lambda found: found[0] if found[0] in keep else _sign(found[0]), text)


_COMMANDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that change the writing direction."""

_COMPLEMENT = re.compile(r" (?:of|in|with|bound|drawn|that) ")
"""Words after which a noun has no plural ending: "type of sensor"."""


def _sign(character: str) -> str:
    code = ord(character)
    return chr(0x2400 + code) if code < 32 else "␡" if code == 127 else "�"


class LinkwrightError(Exception):
    """Base class of all errors that Linkwright raises."""

    def __str__(self) -> str:
        return printable(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the attributes; the constructor of a subclass may have other arguments."""
        return _unpickled, (type(self), self.args), self.__dict__


def _unpickled(kind: type[LinkwrightError], args: tuple[Any, ...]) -> LinkwrightError:
    """Restore an error with its message without calling the constructor of its class."""
    base: Any = kind.__base__  # the class whose memory layout it has, such as OSError
    error: LinkwrightError = base.__new__(kind)
    super(LinkwrightError, error).__init__(*args)
    return error


class ModelError(LinkwrightError, ValueError):
    """Error of a mechanism that cannot be built, or of an operation that the mechanism does not allow.

    Parameters
    ----------
    problems : str or iterable of str
        Problems found, each with its line and column where it comes from a file.

    Attributes
    ----------
    problems : tuple of str
        All problems found.
    """

    def __init__(self, problems: str | Iterable[str]):
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(listed(self.problems))


class FormatError(ModelError):
    """Error of a file that cannot be read.

    Parameters
    ----------
    problems : str or iterable of str
        Problems found, each with its line and column.
    """


class MissingFileError(FormatError, FileNotFoundError):
    """Error of a file that does not exist.

    Parameters
    ----------
    problems : str or iterable of str
        Problems found.
    """


def is_choice(value: object, names: Iterable[str]) -> bool:
    """Return whether an option is one of these names; arrays, which compare elementwise, are rejected."""
    return isinstance(value, str) and value in names


def names_given(argument: str, given: object) -> tuple[str, ...]:
    """Return the names of an argument that is a name or several; raise :class:`ArgumentError` otherwise."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Collection) and all(isinstance(name, str) for name in given):
        return tuple(given)
    raise ArgumentError(f"{argument} is a name or a list of names; got {given!r:.200}")


def with_article(noun: str) -> str:
    """Return a noun with its article: a box, an ellipsoid."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def listed(problems: tuple[str, ...], what: str = "problems") -> str:
    """Return the text of one problem, or of a list of at most fifty, with their common file named once."""
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
"""Name of a file at the beginning of a problem."""


class InputError(LinkwrightError, ValueError):
    """Error of a value that cannot be used: NaN, a quaternion that is not unit, an unknown option."""


class ShapeError(LinkwrightError, ValueError):
    """Error of an array of the wrong shape."""


class ArgumentError(LinkwrightError, TypeError):
    """Error of an argument of the wrong type, a missing argument or an argument that does not exist."""


class _Left:
    """Representation of a default value that is not shown."""

    def __repr__(self) -> str:
        return "..."


_LEFT = _Left()


def wrong_call(name: str, signature: inspect.Signature, args: Sequence[Any], named: Iterable[str]) -> ArgumentError:
    """Return the error of a call with arguments that do not fit: what is wrong, and the accepted arguments."""
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
        "is given {}": [f"{len(args)} positional arguments"] if more else [],
    }
    text = " and ".join(what.format(", ".join(which)) for what, which in wrong.items() if which)
    meant = [near[0] for one in unknown if (near := difflib.get_close_matches(one, signature.parameters, n=1))]
    hint = f"did you mean {', '.join(map(repr, meant))}?"
    if meant and len(parameters) > FEW:
        return ArgumentError(f"{name} {text}; {hint}")
    return ArgumentError(f"{name} {text}; it takes {inspect.Signature(parameters)}" + (f": {hint}" if meant else ""))


FEW = 10
"""Number of parameters above which the message lists only the parameter with a similar name."""


def explained(function: F) -> F:
    """Return the function or class so that wrong arguments raise :class:`ArgumentError`."""
    if isinstance(function, type):
        function.__init__ = explained(function.__init__)  # type: ignore[misc]
        return function

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except ExpressionError as error:  # the mistake is in user code, far below many frames of the library
            raise error.with_traceback(_of_user_code(error.__traceback__)) from error.__cause__
        except LinkwrightError:
            raise
        except _RAW as raw:
            inside = raw.__traceback__ is not None and raw.__traceback__.tb_next is not None
            if inside or not isinstance(raw, TypeError):
                _raise_explained(function, raw, args, named)
        raise wrong_call(*_shown_call(function, args), named)

    add_entry(call)
    return call  # type: ignore[return-value]


_RAW = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
"""Errors of Python and NumPy by which a computation ends for values that it cannot use."""

_ENTRIES: set[types.CodeType] = set()
"""Code of functions that explain such errors of what they call."""


def add_entry(function: Any) -> None:
    """Note that a function explains such errors of what it calls."""
    _ENTRIES.add(function.__code__)


def call_explained(
    call: Callable[[], Any], function: Callable[..., Any], args: Sequence[Any], named: dict[str, Any]
) -> Any:
    """Return ``call()``, which computes a public function of these arguments; wrong ones raise :class:`ArgumentError`.

    The function that calls this one is an entry (:func:`add_entry`).
    """
    try:
        return call()
    except LinkwrightError:
        raise
    except _RAW as raw:
        _raise_explained(function, raw, args, named)


def _raise_explained(
    function: Callable[..., Any], raw: Exception, args: Sequence[Any], named: dict[str, Any]
) -> NoReturn:
    """Raise the error of a call that ended by an error of Python or NumPy: which argument has no suitable value.

    Errors of the user's functions, and those of functions that another public function calls, are raised unchanged.
    """
    from linkwright.argument_types import array_shape, given_arguments, is_library, is_user_code, unsuitable_arguments

    entries, frame = 0, sys._getframe(1)
    while frame is not None and is_library(frame):  # type: ignore[redundant-expr]
        entries += frame.f_code in _ENTRIES
        frame = frame.f_back  # type: ignore[assignment]
    if entries > 1:  # a public function within another one
        raise raw
    own = raw.__traceback__
    if is_user_code(own and own.tb_next):
        raise raw
    try:
        arguments = inspect.signature(function).bind(*args, **named).arguments
    except TypeError:
        raise raw from None
    name = _shown_call(function, [*arguments.values()])[0]
    defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}
    arguments = {n: x for n, x in arguments.items() if n not in ("self", "cls") and x is not defaults[n]}
    if wrong := unsuitable_arguments(function, arguments):
        raise ArgumentError(f"{name}: {'; '.join(wrong)}") from raw
    for n, x in arguments.items():
        if str(raw).startswith(f"{getattr(x, '__qualname__', '')}()"):  # the message on wrong calls of Python functions
            raise ArgumentError(f"{name} calls {n} with other arguments: {raw}") from raw
    reason = f"{type(raw).__name__}: {raw}"
    given = given_arguments(function, arguments)
    kind: type[LinkwrightError] = ArgumentError
    if isinstance(raw, ArithmeticError) or type(raw).__name__ == "LinAlgError":
        kind = InputError
    elif isinstance(raw, ValueError) and any(map(array_shape, arguments.values())):
        kind = ShapeError
    raise kind(f"{name} cannot be computed ({reason}); its arguments were {given}") from raw


def _shown_call(function: Callable[..., Any], args: Sequence[Any]) -> tuple[str, inspect.Signature, Sequence[Any]]:
    """Return the name of a function or method as users see it, its parameters and its arguments, without self."""
    signature = inspect.signature(function)
    name = function.__qualname__
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name in ("self", "cls"):
        if parameters[0].name == "self" and args:  # name the object's class, not a private base class
            name = f"{type(args[0]).__qualname__}.{function.__name__}"
        signature, args = signature.replace(parameters=parameters[1:]), args[1:]
    return name.removesuffix(".__init__").removesuffix(".__new__"), signature, args


def _of_user_code(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Return a traceback without the frames of the library and of NumPy."""
    frames = []
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in (PACKAGE, "numpy"):
            frames.append(traceback)
        traceback = traceback.tb_next
    for one in reversed(frames):
        traceback = types.TracebackType(traceback, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return traceback


class UnknownNameError(LinkwrightError, KeyError):
    """Error of a name that does not exist, with similar names or all names in the message.

    Parameters
    ----------
    what : str
        Kind of the name: "frame".
    name : object
        Name that was given.
    known : iterable of str
        Names that exist.
    many : str, optional
        Plural of `what`; by default that of :func:`plural`.
    advice : str, optional
        End of the message.
    """

    def __init__(self, what: str, name: object, known: Iterable[str], many: str | None = None, advice: str = ""):
        known = sorted(known)
        # the search for similar names takes too long for very long names or very many
        searched = known if len(str(name)) <= 200 and len(known) <= 1000 else []
        part = str(name).lower()
        alike = difflib.get_close_matches(str(name), searched, n=5, cutoff=0.5)
        near = [*dict.fromkeys([*alike, *(one for one in searched if part in one.lower())])][:5]
        shown = known if len(known) <= 16 else near
        message = f"unknown {what} {name!r}"
        if not known:
            message += f"; there are no {many or plural(what)}"
        if shown:
            message += f"; there {'is' if len(shown) == 1 else 'are'} {', '.join(shown)}"
        if len(known) > len(shown):
            message += f" (of {counted(len(known), what, many)})"
        super().__init__(message + advice)

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return printable(str(self.args[0]))


class ExpressionError(LinkwrightError, TypeError):
    """Error of an expression in place of a number, or of expressions from two traces in one function."""


class ClosureError(LinkwrightError, ArithmeticError):
    """Error of loops that could not be closed.

    Parameters
    ----------
    message : str
        Message.
    residual : ndarray, shape (m,)
        Residual of the loop constraints at `q`.
    q : ndarray, shape (nq,)
        Configuration with the smallest residual that was found.
    """

    def __init__(self, message: str, residual: object, q: object):
        self.residual, self.q = residual, q
        super().__init__(message)


class InconsistentMotionError(LinkwrightError, ValueError):
    """Error of a motion that no efforts of the actuated joints produce.

    Parameters
    ----------
    message : str
        Message.
    residual : ndarray, shape (nv,)
        Generalized force that the actuated joints cannot produce.
    """

    def __init__(self, message: str, residual: object):
        self.residual = residual
        super().__init__(message)


class UnknownMotionError(LinkwrightError, IndexError):
    """Error of an index outside a batch of motions.

    Parameters
    ----------
    index : tuple
        Index that was given.
    batch : tuple of int
        Shape of the batch.
    """

    def __init__(self, index: tuple[object, ...], batch: tuple[int, ...]):
        text = ", ".join(map(repr, index))
        super().__init__(
            f"there is no motion [{text}] in a batch of shape {batch}; take one by whole numbers or slices"
        )


class SimulationError(LinkwrightError, ArithmeticError):
    """Error of a simulation in which every motion has ended; ``motion`` is the part that was computed."""

    motion: object


class TooLargeError(LinkwrightError):
    """Error of a function with too many operations for straight-line code."""


class NoDerivativeError(TooLargeError):
    """Error of a derivative that is too large to be computed."""


class MissingExtraError(LinkwrightError, ImportError):
    """Error of an optional package that is not installed; the message names the extra that installs it."""


class DisplayError(LinkwrightError, RuntimeError):
    """Error of a window that cannot be opened; the message names an alternative."""


class LinkwrightWarning(UserWarning):
    """Base class of all warnings that Linkwright issues."""

    def __str__(self) -> str:
        return printable(super().__str__())


class FormatWarning(LinkwrightWarning):
    """Warning of elements of a file that were ignored or repaired; the model can be used.

    Parameters
    ----------
    message : str
        Message.
    remarks : sequence of str, optional
        The remarks in the message, each with its line and column where these are known; by default the message.
    """

    def __init__(self, message: str, remarks: Sequence[str] = ()):
        self.remarks = tuple(remarks) or (message,)
        super().__init__(message)


class CacheWarning(LinkwrightWarning):
    """Warning of a cache of compiled kernels that cannot be used; kernels are compiled again in each process."""


def warn(message: str | LinkwrightWarning, category: type[LinkwrightWarning] = LinkwrightWarning) -> None:
    """Issue a warning at the line of user code that called the library, of a category or as an object."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def calling_line() -> str:
    """Return the innermost line outside of the library, " (line 3 of run.py: if q[0] > 0:)"; "" if there is none."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (PACKAGE, "numpy"):
        frame = frame.f_back
    if frame is None:
        return ""
    file, line = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(file, line).strip()
    return f" (line {line} of {os.path.basename(file)}{': ' if source else ''}{source:.80})"


PACKAGE = __name__.partition(".")[0]
