"""Reading of files by third-party code in a child process with limited memory, time and rights.

MuJoCo's parser is native code, and a xacro file is a program: a crash, a hang or gigabytes of memory by a hostile file
then affect only the child. The child returns descriptions as data (`process_results.py`); nothing
else is accepted from it, and at most ``LONGEST_ANSWER`` bytes. This limits accidents and simple attacks; it is not
a sandbox (the child runs as this user).
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from linkwright.errors import (
    ArgumentError,
    FormatError,
    InputError,
    LinkwrightError,
    MissingExtraError,
    MissingFileError,
    ModelError,
    ShapeError,
)
from linkwright.formats.isolation.process_results import decoded, encoded
from linkwright.formats.xml import shortened
from linkwright.model.build.description import Description

SECONDS = 60
MEMORY = 4 * 2**30
LONGEST_ANSWER = 256 * 2**20
"""Largest size of a description in bytes; that of a million bodies is smaller."""

LONGEST_REPORT = 2**20
"""Largest size of the output of its libraries in bytes; its end explains why a child failed."""

DESCRIBED = tuple[Description, list[str]]
"""A mechanism, and remarks on its file."""

TASKS: dict[str, tuple[str, str, Any]] = {
    "mjcf": ("linkwright.formats.mjcf.reading", "described", DESCRIBED),
    "mjcf_text": ("linkwright.formats.mjcf.reading", "described_text", DESCRIBED),
    "usd": ("linkwright.formats.usd", "described", DESCRIBED),
    "xacro": ("linkwright.formats.urdf.xacro", "expanded", str),
    "trusted_xacro": ("linkwright.formats.urdf.xacro", "expanded_freely", str),
}
"""Tasks of a child: module, function of a path and further texts, type of its result."""

ERRORS: dict[str, type[LinkwrightError]] = {
    kind.__name__: kind
    for kind in (FormatError, MissingFileError, MissingExtraError, ModelError, InputError, ArgumentError, ShapeError)
}
"""Errors that a child may report unchanged; others are reported as a :class:`FormatError`."""

_START = """
import json, sys, types
sys.path[:], folder = json.loads(sys.argv[1])
package = types.ModuleType("linkwright")
package.__path__ = [folder]
sys.modules["linkwright"] = package
from linkwright.formats.isolation.child_process import child
child()
"""
"""Program of a child, which does not execute the package's own module with its imports of the compiler."""


def confined(task: str, path: str, *more: str, seconds: float | None = None) -> Any:
    """Return the result of one of ``TASKS`` for a file, computed in a child process.

    ``seconds`` limits its time (``SECONDS`` by default); an infinite time has no limits.
    Raises the errors of the task, and :class:`FormatError` if the child ends without an answer.
    """
    allowed = SECONDS if seconds is None else seconds
    name = shortened(path, 300)
    folders = [os.path.abspath(place) for place in sys.path]  # "" would be the folder of a task
    places = json.dumps([folders, str(Path(__file__).resolve().parents[2])])
    command = [sys.executable, "-c", _START, places, str(allowed), task, path, *more]
    try:
        done = _run(
            command,
            # the child's own limit, in processor time, is reached first
            None if allowed == math.inf else allowed + 10.0,
            {**_environment(everything=allowed == math.inf), "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise FormatError(f"{name}: reading it took more than {allowed:g} s and was stopped; {_ADVICE}") from None
    except OSError as error:
        raise FormatError(f"{name}: no process could be started to read it in ({error}); {_ADVICE}") from None
    if len(done.stdout) > LONGEST_ANSWER:
        raise FormatError(f"{name}: it describes more than {LONGEST_ANSWER >> 20} MB of parts")
    outcome, data = done.stdout[:1], done.stdout[1:]
    try:
        if outcome == b"r":
            return decoded(data, TASKS[task][2])
        raised, problems = decoded(data, tuple[str, list[str]])
    except FormatError:  # invalid output of a child
        advice = f"; {_ADVICE}" if done.returncode < 0 else ""
        raise FormatError(f"{name}: the process that read it {_ending(done)}{advice}") from None
    kind = ERRORS.get(raised, FormatError)
    raise kind(tuple(problems)) if issubclass(kind, ModelError) else kind(*problems)


def _run(command: list[str], seconds: float | None, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run a child and store a limited part of its output; a child with a longer answer is killed."""
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    answer, report = bytearray(), bytearray()

    def read_answer() -> None:
        for data in _chunks(child.stdout):
            answer.extend(data)
            if len(answer) > LONGEST_ANSWER:
                child.kill()
                break

    def read_report() -> None:
        for data in _chunks(child.stderr):
            report.extend(data)
            del report[:-LONGEST_REPORT]

    readers = [threading.Thread(target=read, daemon=True) for read in (read_answer, read_report)]
    for reader in readers:
        reader.start()
    try:
        child.wait(seconds)
    except BaseException:  # an interrupt also ends the child
        child.kill()
        child.wait()
        raise
    for reader in readers:
        reader.join(10.0)  # a grandchild may hold its pipes
    return subprocess.CompletedProcess(command, child.returncode, bytes(answer), bytes(report))


def _chunks(pipe: IO[bytes] | None) -> Iterator[bytes]:
    assert isinstance(pipe, io.BufferedReader)
    with pipe:
        while data := pipe.read1(2**16):
            yield data


def _environment(everything: bool) -> dict[str, str]:
    """Return the environment of the child: a file can read it, and it may contain secrets."""
    return {name: value for name, value in os.environ.items() if everything or name.upper().startswith(_SEEN)}


_SEEN = (
    "PATH",
    "PYTHON",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "LANG",
    "LC_",
    "LD_LIBRARY",
    "DYLD",
    "ROS_",
    "AMENT_",
    "COLCON_",
)

_ADVICE = f"the limits are {SECONDS} s and {MEMORY >> 30} GiB; load(…, trusted=True) removes them for safe files"


def _ending(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return how a child without an answer ended."""
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    last = next((shortened(line.strip(), 200) for line in reversed(lines) if line.strip()), "")
    if done.returncode < 0:
        number = -done.returncode
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        why = " (its time was up)" if number == getattr(signal, "SIGXCPU", 0) else ""
        return f"was ended by signal {name}{why}" + (f": {last}" if last else "")
    return f"ended with status {done.returncode}" + (f": {last}" if last else "")


# the child's side


def child() -> None:
    """Run the task of the command line and write the answer to the standard output."""
    seconds, task, path, *more = sys.argv[2:]
    answers = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not the answer
    if (allowed := float(seconds)) < math.inf:
        _limit(allowed)
    module, function, _ = TASKS[task]
    work: Callable[..., Any] = getattr(import_module(module), function)
    try:
        data = b"r" + encoded(work(path, *more))
        if len(data) > LONGEST_ANSWER:
            raise FormatError(f"{shortened(path, 300)}: it describes more than {LONGEST_ANSWER >> 20} MB of parts")
    except LinkwrightError as error:
        problems = getattr(error, "problems", None) or map(str, error.args)
        data = b"e" + encoded((type(error).__name__, list(problems)))
    except MemoryError:
        problem = f"{shortened(path, 300)}: reading it takes more than {MEMORY >> 30} GiB of memory; {_ADVICE}"
        data = b"e" + encoded(("FormatError", [problem]))
    except Exception as error:  # any error of native code and its bindings
        problem = f"{shortened(path, 300)}: reading it failed: {type(error).__name__}: {shortened(str(error), 300)}"
        data = b"e" + encoded(("FormatError", [problem]))
    with os.fdopen(answers, "wb") as out:
        out.write(data)
    os._exit(0)  # skips exit handlers of the file


def mapped_memory() -> int:
    """Return the bytes of memory that this process has mapped: a forked one has all libraries of its parent."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _limit(seconds: float) -> None:
    """Limit memory, processor time, written files and core dumps of this process (without POSIX only time)."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, mapped_memory() + MEMORY),
        (resource.RLIMIT_CPU, max(1, round(seconds))),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, hard))  # the soft limit of time ends it by its own signal


def only_files_in(folders: Iterable[str | os.PathLike[str]]) -> None:
    """Restrict this process to opening files in these folders and Python's own, without other programs.

    The restriction uses Python's audit events, which native code does not trigger.
    """
    python = {Path(place).parent for module in [*sys.modules.values()] if (place := getattr(module, "__file__", None))}
    roots = [Path(folder).resolve() for folder in (*folders, sys.prefix, sys.base_prefix, *python)]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            file = arguments[0]
            if isinstance(file, int) or file is None:
                return
            place = Path(os.fsdecode(file)).resolve()
            if not any(place.is_relative_to(root) for root in roots):
                raise PermissionError(errno.EACCES, "not in the folders of the packages given", str(place))
        elif event in ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "socket.connect"):
            raise PermissionError(errno.EPERM, "a robot file may not do that", event)

    sys.addaudithook(watch)
