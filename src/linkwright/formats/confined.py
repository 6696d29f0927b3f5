"""Files that are read by code which is not ours are read in a process of its own, with little memory, time and rights.

MuJoCo's parser is native code and a xacro file *is* a program: what either does to a hostile file, a crash, a hang or
gigabytes of memory, then happens to the child. The child answers with plain descriptions; nothing else is accepted
from it. This bounds accidents and clumsy attacks; it is no prison for a determined one (the child runs as this user).
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from linkwright import errors
from linkwright.errors import FormatError, LinkwrightError
from linkwright.formats.xml import shortened

SECONDS = 60
MEMORY = 4 * 2**30
LONGEST_ANSWER = 256 * 2**20
"""Bytes of a description; a million bodies have fewer."""

TASKS = {
    "mjcf": ("linkwright.formats.mjcf.reading", "described"),
    "usd": ("linkwright.formats.usd", "described"),
    "xacro": ("linkwright.formats.urdf.xacro", "expanded"),
    "trusted_xacro": ("linkwright.formats.urdf.xacro", "expanded_freely"),
}
"""What a child may be asked: (module, function of a path and further texts)."""

_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from linkwright.formats.confined import child; child()"
)


def confined(task: str, path: str, *more: str, seconds: float | None = None) -> Any:
    """What one of ``TASKS`` makes of a file, in a child process.

    ``seconds`` bounds its time (``SECONDS`` unless given); where they are infinite, nothing is bounded.
    Raises what the task raises, and :class:`FormatError`
    where the child does not live to answer.
    """
    allowed = SECONDS if seconds is None else seconds
    name = shortened(path, 300)
    folders = [os.path.abspath(place) for place in sys.path]  # "" would be the folder that a task moves to
    command = [sys.executable, "-c", _START, json.dumps(folders), str(allowed), task, path, *more]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=None
            if allowed == math.inf
            else allowed + 10.0,  # the child's own limit, in seconds of processor time, is met first
            env={**_environment(everything=allowed == math.inf), "OPENBLAS_NUM_THREADS": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FormatError(f"{name}: reading it took more than {allowed:g} s and was ended; {_ADVICE}") from None
    except OSError as error:
        raise FormatError(f"{name}: no process could be started to read it in ({error}); {_ADVICE}") from None
    try:
        answer = _Plain(io.BytesIO(done.stdout)).load()
        outcome, told = answer
    except Exception:  # whatever a broken child may have written
        raise FormatError(f"{name}: the process that read it {_ending(done)}; {_ADVICE}") from None
    if outcome == "result":
        return told
    raised, arguments = told
    found = getattr(errors, str(raised), None)
    kind = found if isinstance(found, type) and issubclass(found, LinkwrightError) else FormatError
    raise kind(*arguments)


def _environment(everything: bool) -> dict[str, str]:
    """What the child sees of the environment: a file can read it, and it may hold secrets."""
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

_ADVICE = f"it may use {SECONDS} s and {MEMORY >> 30} GiB unless load(…, trusted=True) says that the file is no harm"


def _ending(done: subprocess.CompletedProcess[bytes]) -> str:
    """How a child ended that did not answer."""
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    last = next((shortened(line.strip(), 200) for line in reversed(lines) if line.strip()), "")
    if done.returncode < 0:
        number = -done.returncode
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        why = " (its time was up)" if number == getattr(signal, "SIGXCPU", 0) else ""
        return f"was ended by signal {name}{why}" + (f": {last}" if last else "")
    return f"ended with status {done.returncode}" + (f": {last}" if last else "")


class _Plain(pickle.Unpickler):
    """Reads descriptions and the arrays in them, and nothing that would run code."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _ARRAYS and name in _ARRAYS[module]:
            return super().find_class(module, name)
        if module.startswith("linkwright.model."):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong here")


_ARRAYS = {
    "numpy": ("ndarray", "dtype"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
}


# the child's side


def child() -> None:
    """Do the task that the command line names, and write the answer to the standard output."""
    seconds, task, path, *more = sys.argv[2:]
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    if (allowed := float(seconds)) < math.inf:
        _limit(allowed)
    module, function = TASKS[task]
    work: Callable[..., Any] = getattr(import_module(module), function)
    try:
        answer: Any = ("result", work(path, *more))
        data = pickle.dumps(answer)
        if len(data) > LONGEST_ANSWER:
            raise FormatError(f"{shortened(path, 300)}: it describes more than {LONGEST_ANSWER >> 20} MB of parts")
    except LinkwrightError as error:
        data = pickle.dumps(("error", (type(error).__name__, _arguments(error))))
    except MemoryError:
        problem = f"{shortened(path, 300)}: reading it takes more than {MEMORY >> 30} GiB of memory; {_ADVICE}"
        data = pickle.dumps(("error", ("FormatError", (problem,))))
    with os.fdopen(answers, "wb") as out:
        out.write(data)
    os._exit(0)  # nothing is left to be done, whatever the file has set up


def _arguments(error: LinkwrightError) -> tuple[Any, ...]:
    problems = getattr(error, "problems", None)
    return (problems,) if problems is not None else tuple(map(str, error.args))


def _limit(seconds: float) -> None:
    """Bound this process: memory, processor time, no files written, no core dumps (where there is no POSIX, time)."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, max(1, round(seconds))),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, hard))  # of time, the soft limit ends it by a signal that tells so


def only_files_in(folders: Iterable[str | os.PathLike[str]]) -> None:
    """From now on this process opens files in these folders and Python's own alone, and starts no other programs.

    By Python's audit events: what native code opens by itself is not seen.
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
