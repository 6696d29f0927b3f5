"""``linkwright doctor``: check of the installation. It must work even if the rest of the library does not."""

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
from linkwright.cli.output import terminal
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
    "mjcf": ("read and write MJCF, the files of MuJoCo (.xml)", _named("mujoco-core")),
    "xacro": ("read xacro files", _named("xacrodoc")),
    "usd": ("read USD Physics files", _named("usd-core")),
    "meshes": ("draw meshes; compute masses from meshes", _named("trimesh", "pycollada", "scipy")),
    "decomposition": ("decompose collision meshes into convex parts", _named("coacd")),
    "robots": ("load robots by name", _named("example-robot-data")),
    "bags": ("read ROS bags", _named("rosbags")),
    "studio": ("drag and simulate a robot in the browser", _named("viser", "trimesh", "pycollada")),
    "study": (
        "parameter studies",
        _named("zarr", "numcodecs", "google-crc32c", "filelock", "xarray", "scipy", "SALib"),
    ),
    "cluster": ("parameter studies on a cluster", _named("distributed")),
    "casadi": ("functions of CasADi", _named("casadi")),
    "qp": ("whole-body control", _named("daqp")),
    "foxglove": (
        "logs of motions for Foxglove (.mcap)",
        _named("mcap", "mcap-protobuf-support", "foxglove-schemas-protobuf"),
    ),
    "rerun": ("logs of motions for Rerun (.rrd)", _named("rerun-sdk")),
    "gymnasium": ("environments for reinforcement learning", _named("gymnasium")),
    "torch": ("functions of PyTorch tensors", _named("torch", "sympy")),
    "jax": ("functions of JAX arrays", _named("jax", "jaxlib")),
    "peers": ("compare with Pinocchio and MuJoCo", _named("numpy", "pin", "mujoco-core")),
    "oracles": ("compare exact inverse kinematics", _named("EAIK", "ssik")),
}
"""Extras, their purpose, and their packages: ``pip install "linkwright[mjcf]"``."""

PROGRAMS = {
    "ffmpeg": "animations as MP4; or: pip install imageio-ffmpeg",
    "cc": "compiling exported C",
}

VARIABLES = ("LINKWRIGHT_CACHE", "LINKWRIGHT_THREADS", "LINKWRIGHT_TARGET", "LINKWRIGHT_CODE", "LINKWRIGHT_STATUS")

VECTOR_UNITS = {8: "AVX-512", 4: "AVX"}


@app.command
def doctor() -> None:
    """Check the installation: installed and missing packages, and a self-test.

    The self-test compiles a small mechanism and compares results with known values. The exit status is 1 if a required
    package is missing or a test fails. Add the output of this command to bug reports.

    Example: ``linkwright doctor``
    """
    out = terminal.output
    trouble: list[str] = []
    for title, part in PARTS.items():
        out.print(f"\n{title}")
        try:
            for text in part(trouble):
                out.print(text, soft_wrap=True)
        except Exception as error:  # the other parts are still reported
            trouble.append(f"{title}: {_shown(error)}")
            out.print(f"  check failed: {_shown(error)}", soft_wrap=True)
    out.print()
    if trouble:
        out.print("problems:")
        for line in trouble:
            out.print(f"  {line}", soft_wrap=True)
        sys.exit(1)
    out.print("everything works")


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().rstrip(":").split("\n")[0]


def _columns(rows: Iterator[tuple[str, ...]]) -> str:
    """Return rows in columns, without wrapping, so that lines can be copied."""
    table = [(f"  {row[0]}", *row[1:]) for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*table, fillvalue="")]
    return "\n".join("  ".join(f"{x:<{n}}" for x, n in zip(row, widths, strict=False)).rstrip() for row in table)


def _here(trouble: list[str]) -> Iterator[str]:
    """Versions of the library, of Python and of the system."""
    import linkwright

    def rows() -> Iterator[tuple[str, ...]]:
        yield "linkwright", f"{linkwright.__version__}, {Path(linkwright.__file__).parent}"
        yield "Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
        yield "system", platform.platform()

    yield _columns(rows())


def _required(trouble: list[str]) -> Iterator[str]:
    """Required packages."""

    def rows() -> Iterator[tuple[str, ...]]:
        for package in REQUIRED:
            found = version(package)
            if found is None:
                trouble.append(f"{package.name} is missing: pip install {package.name}")
            yield package.name, found or "MISSING"

    yield _columns(rows())


def _extras(trouble: list[str]) -> Iterator[str]:
    """Optional packages."""

    def rows() -> Iterator[tuple[str, ...]]:
        for extra, (what, packages) in EXTRAS.items():
            versions = {package.name: version(package) for package in packages}
            missing = [name for name, found in versions.items() if found is None]
            there = ", ".join(f"{name} {found}" for name, found in versions.items() if found is not None)
            state = "installed" if not missing else "partial" if there else "missing"
            how = there if not missing else f'pip install "linkwright[{extra}]"'
            yield extra, state, what, how

    yield _columns(rows())


def _programs(trouble: list[str]) -> Iterator[str]:
    """External programs."""
    yield _columns((name, shutil.which(name) or "missing", what) for name, what in PROGRAMS.items())


def _machine(trouble: list[str]) -> Iterator[str]:
    """Target of the compiler."""
    from linkwright.compiler.native.machine import target
    from linkwright.compiler.native.threads import default_threads

    def rows() -> Iterator[tuple[str, ...]]:
        made_for = target()
        yield "processor", f"{made_for.cpu} ({made_for.processor})"
        units = VECTOR_UNITS.get(made_for.width, "128 bits")
        fused = "with" if made_for.fused else "without"
        yield "vector units", f"{units}: {made_for.width} doubles per instruction, {fused} fused multiply-add"
        yield "LLVM", ".".join(map(str, made_for.llvm))
        yield "threads", f"{default_threads()} for large batches, {os.cpu_count()} processors"
        for name in VARIABLES:
            if name in os.environ:
                yield name, os.environ[name]

    yield _columns(rows())


def _cache(trouble: list[str]) -> Iterator[str]:
    """The cache of compiled code."""
    from linkwright.compiler.native import cache

    def rows() -> Iterator[tuple[str, ...]]:
        where = cache.folder()
        if where is None:
            yield "folder", "none: every process compiles again"
            return
        files, size = cache.size()
        yield "folder", str(where)
        yield "contents", f"{files} compiled functions, {size / 2**20:.1f} MiB (remove: linkwright cache --clear)"
        if why := _write_error(where):
            trouble.append(f"the cache folder is not writable: {why}; set LINKWRIGHT_CACHE to another folder")
            yield "problem", "not writable"
        elif where.exists() and not cache.is_trusted(where, private=True):
            trouble.append(
                f"the cache folder is accessible to other users, and therefore not used: run chmod 700 {where}"
            )
            yield "problem", "accessible to other users"

    yield _columns(rows())


def _write_error(folder: Path) -> str:
    """Return why no file can be written in a folder, or "". A missing folder is created.

    The function tries it: reported permissions are not valid on all file systems, nor for all users.
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
            with suppress(OSError):  # another process has written a file there
                path.rmdir()
    return ""


def _tried(trouble: list[str]) -> Iterator[str]:
    """Compile a small mechanism and compare results with known values.

    The self-test runs in its own process, because wrong machine code may end a process without a message.
    """
    command = [sys.executable, "-c", TRY]
    seen = dict(os.environ, PYTHONPATH=os.pathsep.join(path or os.getcwd() for path in sys.path))
    try:
        done = subprocess.run(command, env=seen, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        status, output = None, ""
    found = dict(line.split("\t", 1) for line in output.splitlines() if "\t" in line)

    def rows() -> Iterator[tuple[str, ...]]:
        for name in TRIALS:
            state, _, more = found.get(name, "not tried").partition("\t")
            if state == "FAILED":
                trouble.append(f"{name}: {more}")
            yield name, state, more

    yield _columns(rows())
    if status is None:
        trouble.append(f"the self-test took longer than {PATIENCE} s")
    elif status or len(found) < len(TRIALS):
        how = f"signal {-status}" if status < 0 else f"status {status}"
        last = done.stderr.strip().splitlines()[-1:] or [""]
        trouble.append(f"the self-test ended early with {how}: {last[0]}".rstrip(": "))


TRY = "from linkwright.cli.commands.doctor import try_all; try_all()"
PATIENCE = 300
"""seconds"""


def try_all() -> None:
    """Run each test and print its name, its result, and its time or error."""
    for name, trial in TRIALS.items():
        start = time.perf_counter()
        try:
            trial()
        except Exception as error:
            print(name, "FAILED", _shown(error), sep="\t", flush=True)
        else:
            print(name, "works", f"{1000 * (time.perf_counter() - start):.0f} ms", sep="\t", flush=True)


class WrongNumbersError(LinkwrightError, ArithmeticError):
    """A result differs from the known value."""


def _compare(found: Any, expected: Any, tolerance: float) -> None:
    import numpy as np

    error = float(np.abs(np.subtract(found, expected)).max())
    if not error <= tolerance:
        raise WrongNumbersError(f"differs by {error:.2g} from the known value")


def _mass_matrix() -> None:
    import numpy as np

    import linkwright as lw

    expected = [[2.5660254037844387, 0.7830127018922193], [0.7830127018922193, 0.35]]  # by hand, at 30° and 30°
    q = np.radians([[30.0, 30.0]] * 9)  # more rows than a SIMD vector has entries
    _compare(lw.mass_matrix(lw.load("two_link"), q), expected, 1e-12)


def _forward_of_inverse() -> None:
    import linkwright as lw

    arm = lw.load("two_link")
    q, v, a = [0.3, -0.4], [1.0, 2.0], [0.5, -0.7]
    _compare(lw.forward_dynamics(arm, q, v, lw.inverse_dynamics(arm, q, v, a)), a, 1e-10)


def _fall() -> None:
    import linkwright as lw

    motion = lw.simulate(lw.load("two_link"), [0.5, 0.5], [0.0, 0.0], 1.0)
    _compare(motion.energy, motion.energy[0], 1e-6)


def _reach() -> None:
    import linkwright as lw

    arm = lw.load("two_link")
    reached = lw.inverse_kinematics(arm, {"tip": [1.2, 0.5, 0.0]})
    _compare(lw.pose(arm, reached.q, "tip")[:3, 3], [1.2, 0.5, 0.0], 1e-5)


def _written_equations() -> None:
    import sympy

    import linkwright as lw

    if not lw.equations(lw.load("pendulum")).gravity_forces.has(sympy.sin, sympy.cos):
        raise WrongNumbersError("the equations of a pendulum have no gravity term")


TRIALS: dict[str, Callable[[], None]] = {
    "compiling a function": _mass_matrix,
    "forward and inverse dynamics": _forward_of_inverse,
    "simulation": _fall,
    "inverse kinematics": _reach,
    "equations": _written_equations,
}

PARTS: dict[str, Callable[[list[str]], Iterator[str]]] = {
    "versions": _here,
    "required": _required,
    "extras": _extras,
    "programs": _programs,
    "machine": _machine,
    "cache of compiled code": _cache,
    "self-test": _tried,
}


def version(package: Package) -> str | None:
    """Return the installed version: "?" if the module has none, None if it is missing."""
    try:
        return metadata.version(package.name)
    except metadata.PackageNotFoundError:
        pass
    try:
        return "?" if util.find_spec(package.module) is not None else None
    except (ImportError, ValueError):
        return None
