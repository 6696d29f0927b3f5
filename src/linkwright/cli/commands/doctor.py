"""``linkwright doctor``: what is installed, what is missing, and whether it works. It must not fail itself."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import metadata, util
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from linkwright.cli.app import app
from linkwright.cli.told import terminal
from linkwright.errors import LinkwrightError


class Package(NamedTuple):
    """A package as it is installed by one name and imported by another."""

    name: str
    module: str


def _named(*names: str) -> tuple[Package, ...]:
    return tuple(Package(name, IMPORTED_AS.get(name, name.replace("-", "_"))) for name in names)


IMPORTED_AS = {
    "pillow": "PIL",
    "python-flint": "flint",
    "mujoco-core": "mujoco",
    "usd-core": "pxr",
    "pycollada": "collada",
    "pin": "pinocchio",
    "SALib": "SALib",
    "EAIK": "eaik",
}

REQUIRED = _named("numpy", "llvmlite", "matplotlib", "pillow", "sympy", "python-flint", "cyclopts", "rich")

EXTRAS = {
    "mjcf": ("read and write MuJoCo's files (.xml)", _named("mujoco-core")),
    "xacro": ("read xacro, the macros of URDF", _named("xacrodoc")),
    "usd": ("read USD with physics", _named("usd-core")),
    "meshes": ("draw and weigh meshes of files", _named("trimesh", "pycollada", "scipy")),
    "robots": ("load robots by their names", _named("example-robot-data")),
    "bags": ("read recordings of ROS", _named("rosbags")),
    "studio": ("see and drag a robot in the browser", _named("viser", "trimesh", "pycollada")),
    "study": (
        "run studies and keep them on disk",
        _named("zarr", "numcodecs", "google-crc32c", "filelock", "xarray", "scipy", "SALib"),
    ),
    "cluster": ("run studies on a cluster", _named("distributed")),
    "qp": ("whole-body control", _named("daqp")),
    "gymnasium": ("environments for reinforcement learning", _named("gymnasium")),
    "peers": ("compare with Pinocchio and MuJoCo", _named("numpy", "pin", "mujoco-core")),
    "oracles": ("compare exact inverse kinematics", _named("EAIK", "ssik")),
}
"""What can be installed beside, what for, and the packages: ``pip install "linkwright[mjcf]"``."""

PROGRAMS = {
    "ffmpeg": "animations as MP4; or: pip install imageio-ffmpeg",
    "cc": "trying exported C",
}

VARIABLES = ("LINKWRIGHT_CACHE", "LINKWRIGHT_THREADS", "LINKWRIGHT_TARGET", "LINKWRIGHT_CODE", "LINKWRIGHT_STATUS")

VECTOR_UNITS = {8: "AVX-512", 4: "AVX"}


@app.command
def doctor() -> None:
    """Tell what is installed, what is missing and what that would be for, and try whether everything works.

    The last part compiles a small mechanism, computes with it, and compares with known numbers. The status is 1 where
    something that is needed is missing or wrong. When you report a mistake, add what this command says.

    Example: ``linkwright doctor``
    """
    out = terminal.output
    trouble: list[str] = []
    for title, part in PARTS.items():
        out.print(f"\n{title}")
        try:
            for text in part(trouble):
                out.print(text, soft_wrap=True)
        except Exception as error:  # whatever is broken: the other parts are told all the same
            trouble.append(f"{title}: {_said(error)}")
            out.print(f"  could not be found out: {_said(error)}", soft_wrap=True)
    out.print()
    if trouble:
        out.print("not all is well:")
        for line in trouble:
            out.print(f"  {line}", soft_wrap=True)
        sys.exit(1)
    out.print("all is well")


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().rstrip(":").split("\n")[0]


def _told_of(rows: Iterator[tuple[str, ...]]) -> str:
    """Rows in columns. No table, which would wrap or cut at the terminal's width what is there to be copied."""
    table = [(f"  {row[0]}", *row[1:]) for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*table, fillvalue="")]
    return "\n".join("  ".join(f"{x:<{n}}" for x, n in zip(row, widths, strict=False)).rstrip() for row in table)


def _here(trouble: list[str]) -> Iterator[str]:
    """This library, Python, the machine."""
    import linkwright

    def rows() -> Iterator[tuple[str, ...]]:
        yield "linkwright", f"{linkwright.__version__}, {Path(linkwright.__file__).parent}"
        yield "Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
        yield "system", platform.platform()

    yield _told_of(rows())


def _required(trouble: list[str]) -> Iterator[str]:
    """Packages without which nothing works."""

    def rows() -> Iterator[tuple[str, ...]]:
        for package in REQUIRED:
            found = version(package)
            if found is None:
                trouble.append(f"{package.name} is missing: pip install {package.name}")
            yield package.name, found or "MISSING"

    yield _told_of(rows())


def _extras(trouble: list[str]) -> Iterator[str]:
    """Packages for some tasks."""

    def rows() -> Iterator[tuple[str, ...]]:
        for extra, (what, packages) in EXTRAS.items():
            versions = {package.name: version(package) for package in packages}
            missing = [name for name, found in versions.items() if found is None]
            there = ", ".join(f"{name} {found}" for name, found in versions.items() if found is not None)
            state = "installed" if not missing else "in part" if there else "missing"
            how = there if not missing else f'pip install "linkwright[{extra}]"'
            yield extra, state, what, how

    yield _told_of(rows())


def _programs(trouble: list[str]) -> Iterator[str]:
    """Programs beside Python."""
    yield _told_of((name, shutil.which(name) or "missing", what) for name, what in PROGRAMS.items())


def _machine(trouble: list[str]) -> Iterator[str]:
    """What code is made for."""
    from linkwright.compiler.native.machine import target
    from linkwright.compiler.native.threads import default_threads

    def rows() -> Iterator[tuple[str, ...]]:
        made_for = target()
        yield "processor", f"{made_for.cpu} ({made_for.processor})"
        units = VECTOR_UNITS.get(made_for.width, "128 bits")
        fused = "with" if made_for.fused else "without"
        yield "vector units", f"{units}: {made_for.width} numbers at a time, {fused} fused multiply-add"
        yield "LLVM", ".".join(map(str, made_for.llvm))
        yield "threads", f"{default_threads()} for large batches, of {os.cpu_count()} processors"
        for name in VARIABLES:
            if name in os.environ:
                yield name, os.environ[name]

    yield _told_of(rows())


def _cache(trouble: list[str]) -> Iterator[str]:
    """Where compiled code is kept."""
    from linkwright.compiler.native import cache

    def rows() -> Iterator[tuple[str, ...]]:
        where = cache.folder()
        if where is None:
            yield "folder", "none: code is compiled anew in every process"
            return
        files, size = cache.size()
        yield "folder", str(where)
        yield "holds", f"{files} pieces of machine code, {size / 2**20:.1f} MiB (linkwright cache --clear)"
        if why := _cannot_be_written(where):
            trouble.append(f"the cache cannot be written: {why}; set LINKWRIGHT_CACHE to a folder of yours")
            yield "but", "it cannot be written"

    yield _told_of(rows())


def _cannot_be_written(folder: Path) -> str:
    """Why no file can be made in a folder, which is made where it is not there; "" where one can.

    It is tried: what the system says of its permissions does not hold of all file systems, nor for all users.
    """
    made: list[Path] = []
    try:
        for path in reversed((folder, *folder.absolute().parents)):
            if not path.exists():
                path.mkdir(mode=0o700)
                made.append(path)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return str(error)
    finally:
        for path in reversed(made):
            with suppress(OSError):  # another process keeps something there by now
                path.rmdir()
    return ""


def _tried(trouble: list[str]) -> Iterator[str]:
    """A small mechanism: compiled, computed with, held against known numbers.

    In a process of its own, for where machine code goes wrong, a process may end without a word.
    """
    command = [sys.executable, "-c", TRY]
    seen = dict(os.environ, PYTHONPATH=os.pathsep.join(path or os.getcwd() for path in sys.path))
    try:
        done = subprocess.run(command, env=seen, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
        ended, told = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        ended, told = None, ""
    found = dict(line.split("\t", 1) for line in told.splitlines() if "\t" in line)

    def rows() -> Iterator[tuple[str, ...]]:
        for name in TRIALS:
            state, _, more = found.get(name, "not tried").partition("\t")
            if state == "FAILED":
                trouble.append(f"{name}: {more}")
            yield name, state, more

    yield _told_of(rows())
    if ended is None:
        trouble.append(f"trying took longer than {PATIENCE} s")
    elif ended or len(found) < len(TRIALS):
        how = f"signal {-ended}" if ended < 0 else f"status {ended}"
        last = done.stderr.strip().splitlines()[-1:] or [""]
        trouble.append(f"trying ended early, by {how}: {last[0]}".rstrip(": "))


TRY = "from linkwright.cli.commands.doctor import try_all; try_all()"
PATIENCE = 300
"""seconds"""


def try_all() -> None:
    """Try each, and print a line of it: its name, how it went, and how long it took or what was wrong."""
    for name, trial in TRIALS.items():
        start = time.perf_counter()
        try:
            trial()
        except Exception as error:
            print(name, "FAILED", _said(error), sep="\t", flush=True)
        else:
            print(name, "works", f"{1000 * (time.perf_counter() - start):.0f} ms", sep="\t", flush=True)


class WrongNumbersError(LinkwrightError, ArithmeticError):
    """What was computed is not what it must be."""


def _held_against(found: Any, expected: Any, tolerance: float) -> None:
    import numpy as np

    error = float(np.abs(np.subtract(found, expected)).max())
    if not error <= tolerance:
        raise WrongNumbersError(f"differs by {error:.2g} from what it must be")


def _mass_matrix() -> None:
    import numpy as np

    import linkwright as lw

    expected = [[2.5660254037844387, 0.7830127018922193], [0.7830127018922193, 0.35]]  # by hand, at 30° and 30°
    q = np.radians([[30.0, 30.0]] * 9)  # more rows than a vector has numbers
    _held_against(lw.mass_matrix(lw.load("two_link"), q), expected, 1e-12)


def _there_and_back() -> None:
    import linkwright as lw

    arm = lw.load("two_link")
    q, v, a = [0.3, -0.4], [1.0, 2.0], [0.5, -0.7]
    _held_against(lw.forward_dynamics(arm, q, v, lw.inverse_dynamics(arm, q, v, a)), a, 1e-10)


def _fall() -> None:
    import linkwright as lw

    motion = lw.simulate(lw.load("two_link"), [0.5, 0.5], [0.0, 0.0], 1.0)
    _held_against(motion.energy, motion.energy[0], 1e-6)


def _reach() -> None:
    import linkwright as lw

    arm = lw.load("two_link")
    reached = lw.inverse_kinematics(arm, {"tip": [1.2, 0.5, 0.0]})
    _held_against(lw.pose(arm, reached.q, "tip")[:3, 3], [1.2, 0.5, 0.0], 1e-5)


def _written_equations() -> None:
    import sympy

    import linkwright as lw

    if not lw.equations(lw.load("pendulum")).gravity_forces.has(sympy.sin, sympy.cos):
        raise WrongNumbersError("the equations of a pendulum lack its gravity")


TRIALS: dict[str, Callable[[], None]] = {
    "compiling a function": _mass_matrix,
    "dynamics, there and back": _there_and_back,
    "simulation": _fall,
    "inverse kinematics": _reach,
    "equations": _written_equations,
}

PARTS: dict[str, Callable[[list[str]], Iterator[str]]] = {
    "here": _here,
    "needed": _required,
    "extras": _extras,
    "programs": _programs,
    "machine": _machine,
    "cache of compiled code": _cache,
    "tried": _tried,
}


def version(package: Package) -> str | None:
    """The version that is installed; "?" where a module does not tell one, None where there is none."""
    try:
        return metadata.version(package.name)
    except metadata.PackageNotFoundError:
        pass
    try:
        return "?" if util.find_spec(package.module) is not None else None
    except (ImportError, ValueError):
        return None
