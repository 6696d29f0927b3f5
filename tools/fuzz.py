"""Fuzz the readers of files: mutated files must be read, or be refused by an error of the library, in bounded time.

    python tools/fuzz.py [FORMAT…] --count N --seed S

An input is a function of the seed, the format and its number, so that ``--first K --count 1`` repeats one. Inputs are
read in forked processes. A failure is an exception or a NumPy warning that is not the library's own, or a time above
``SECONDS``; its input is saved. Native parsers (MuJoCo, OpenUSD) and xacro read files in a child process. It is forked
too, with its modules imported; with ``--spawn`` the library starts its child processes itself. The formats
``mjcf-trusted``, ``usd-trusted`` and ``xacro-trusted`` read them without such a child. If such a parser ends or hangs
its process, the input is counted as "ended", which is no failure, and is saved too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzing import children, seeds
from fuzzing.mutations import mutate

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.formats.isolation import child_process
from linkwright.formats.mjcf.reading import described as mjcf_described
from linkwright.formats.sdf.reading import parse_sdf
from linkwright.formats.urdf.reading import parse_urdf
from linkwright.formats.urdf.xacro import expanded_freely
from linkwright.formats.usd import described as usd_described
from linkwright.formats.ztk.reading import parse_ztk
from linkwright.studies.file import read_study

SECONDS = 5.0
"""Processor time of one input, that of a child process included."""

HANG = 90
"""Seconds after which a process is ended; the library gives its own child processes less."""

MEMORY = 8 * 2**30
"""Bytes of address space of a process that reads."""


@dataclass(frozen=True)
class Format:
    """A kind of file: how its mutations are made, its seeds, what reads a file."""

    kind: str
    ending: str
    seeds: Callable[[], list[bytes]]
    read: Callable[[Path], Any]
    may_end: bool = False
    """whether a native parser, or a program in the file, runs in this process"""


def text(parse: Callable[[bytes], Any]) -> Callable[[Path], Any]:
    """Read a file by a parser of its content; every shape must have a finite placement."""

    def read(path: Path) -> None:
        model = parse(path.read_bytes())
        if not all(abs(shape.placement).max() < float("inf") for shape in model.shapes):
            raise ArithmeticError("a shape is placed at NaN")

    return read


def mesh(path: Path) -> None:
    """Weigh a mesh, then its convex hull."""
    with contextlib.suppress(LinkwrightError):
        lw.mass_properties(path, density=1.0)
    lw.mass_properties(path, density=1.0, hull=True)


def dh(path: Path) -> None:
    """Build the arm of a table, with the keys that rows have."""
    try:
        table = json.loads(path.read_bytes())
        rows = [{key: row[key] for key in ("a", "alpha", "d", "theta", "type")} for row in table["rows"]]
        name, convention = table["name"], table["convention"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    lw.from_dh(name, [lw.DHRow(**row) for row in rows], convention)


def bound(reader: Callable[..., Any]) -> Callable[[Path], Any]:
    """A reader that needs a model."""
    arm = lw.load("two_link")
    return lambda path: reader(path, arm)


POLICY = lw.Policy(lw.load("two_link"), hidden=(2,))

FORMATS = {
    "urdf": Format("xml", ".urdf", lambda: [seeds.URDF, *seeds.written(".urdf")], text(parse_urdf)),
    "sdf": Format("xml", ".sdf", lambda: [seeds.SDF, *seeds.written(".sdf")], text(parse_sdf)),
    "ztk": Format("text", ".ztk", lambda: [seeds.ZTK, *seeds.written(".ztk")], text(parse_ztk)),
    "dh": Format("text", ".json", seeds.dh, dh),
    "stl": Format("binary", ".stl", seeds.stl, mesh),
    "obj": Format("text", ".obj", lambda: [seeds.OBJ], mesh),
    "dae": Format("xml", ".dae", lambda: [seeds.DAE], mesh),
    "csv": Format("text", ".csv", lambda: seeds.CSV, bound(lw.read_measurements)),
    "npz": Format("zip", ".npz", seeds.archives("measurements"), bound(lw.read_measurements)),
    "trajectory": Format("zip", ".npz", seeds.archives("trajectory"), bound(lw.Trajectory.load)),
    "policy": Format("zip", ".npz", seeds.archives("policy"), POLICY.load),
    "study": Format("text", ".toml", lambda: seeds.STUDY, read_study),
    "bag": Format("binary", ".bag", seeds.bags(".bag"), bound(lw.read_measurements)),
    "mcap": Format("binary", ".mcap", seeds.bags(".mcap"), bound(lw.read_measurements)),
    "db3": Format("binary", ".db3", seeds.bags(".db3"), bound(lw.read_measurements)),
    "mjcf": Format("xml", ".xml", lambda: [seeds.MJCF, *seeds.written(".xml")], lw.load),
    "usd": Format("text", ".usda", lambda: [seeds.USD], lw.load),
    "xacro": Format("xml", ".xacro", lambda: [seeds.XACRO], lw.load),
    "mjcf-trusted": Format(
        "xml", ".xml", lambda: [seeds.MJCF, *seeds.written(".xml")], lambda path: mjcf_described(str(path)), True
    ),
    "usd-trusted": Format("text", ".usda", lambda: [seeds.USD], lambda path: usd_described(str(path)), True),
    "xacro-trusted": Format(
        "xml", ".xacro", lambda: [seeds.XACRO], lambda path: expanded_freely(str(path), "{}"), True
    ),
}


@dataclass
class Report:
    """Results of the inputs of one format."""

    outcomes: Counter[str]
    failures: dict[str, tuple[int, int, str]]
    """of each kind of failure, or of ended processes: how many, the first input, and its error"""
    longest: float = 0.0


def made(format: str, files: list[bytes], seed: int, number: int) -> bytes:
    """Input of that number: the first ones are the seeds themselves."""
    if number < len(files):
        return files[number]
    generator = random.Random(f"{format} {seed} {number}")
    return mutate(generator.choice(files), generator, FORMATS[format].kind)


def spent() -> float:
    """Processor time of this process and of those it has waited for, s."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def fuzz(format: str, files: list[bytes], seed: int, first: int, count: int, seconds: float) -> Report:
    """Read inputs in forked processes; one that ends a process is skipped by the next."""
    with tempfile.TemporaryDirectory() as folder:
        return _fuzz(format, files, seed, first, count, seconds, Path(folder))


def _fuzz(format: str, files: list[bytes], seed: int, first: int, count: int, seconds: float, folder: Path) -> Report:
    report, at = Report(Counter(), {}), mmap.mmap(-1, 8)
    last, end = first + count, spent() + seconds
    while first < last and (left := end - spent()) > 0:
        with tempfile.TemporaryFile() as results:
            child = os.fork()
            if child == 0:
                _work(format, files, seed, first, last, left, folder, at, results)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            results.seek(0)
            rows = [json.loads(line) for line in results.read().splitlines()]
        for row in rows:
            _note(report, **row)
        first = rows[-1]["number"] + 1 if rows else first
        if status:
            number = struct.unpack("q", at[:])[0]
            ended = f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"ended: {status >> 8}"
            outcome = "ended" if FORMATS[format].may_end and os.WIFSIGNALED(status) else "failure"
            _note(report, number, outcome, 0.0, ended, ended)
            first = number + 1
    return report


def _note(report: Report, number: int, outcome: str, seconds: float, kind: str = "", text: str = "") -> None:
    report.outcomes[outcome] += 1
    report.longest = max(report.longest, seconds)
    if outcome in ("failure", "ended"):
        times, earlier, text = report.failures.get(kind, (0, number, text))
        report.failures[kind] = (times + 1, earlier, text)


def _work(
    format: str,
    files: list[bytes],
    seed: int,
    first: int,
    last: int,
    seconds: float,
    folder: Path,
    at: mmap.mmap,
    results: Any,
) -> None:
    """Read inputs until this process has used its time, and write a line of JSON for each."""
    most = child_process.mapped_memory() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for number in range(first, last):
        if spent() > seconds:  # the times of a forked process begin at zero
            break
        at[:] = struct.pack("q", number)
        signal.alarm(HANG)
        path = folder / f"i{number}{FORMATS[format].ending}"
        path.write_bytes(made(format, files, seed, number))
        row = {"number": number, **_read(FORMATS[format], path)}
        path.unlink()
        results.write(json.dumps(row).encode() + b"\n")
        results.flush()


def _read(format: Format, path: Path) -> dict[str, Any]:
    begun, kind, text, outcome = spent(), "", "", "read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            format.read(path)
    except LinkwrightError:
        outcome = "refused"
    except Exception as error:
        outcome, last = "failure", traceback.extract_tb(error.__traceback__)[-1]
        kind, text = f"{type(error).__name__} {last.filename}:{last.lineno}", traceback.format_exc(limit=-8)
    seconds = spent() - begun
    if seconds > SECONDS and outcome != "failure":
        outcome, kind, text = "failure", "too long", f"{seconds:.1f} s of processor time"
    return {"outcome": outcome, "seconds": seconds, "kind": kind, "text": text}


def main() -> int:
    """Fuzz formats, and report each kind of failure with the input that shows it."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="by default all but the trusted")
    parser.add_argument("--count", type=int, default=1000, help="inputs of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="processor time of all formats together")
    parser.add_argument("--save", type=Path, default=Path("build/fuzz"), help="folder for inputs that fail")
    parser.add_argument("--spawn", action="store_true", help="start child processes as the library does (slow)")
    options = parser.parse_args()
    if unknown := [name for name in options.formats if name not in FORMATS]:
        parser.error(f"unknown format {unknown[0]!r}; there are {', '.join(FORMATS)}")
    chosen = options.formats or [name for name, one in FORMATS.items() if not one.may_end]
    failed, end = False, spent() + options.seconds
    for k, format in enumerate(chosen):
        share = (end - spent()) / (len(chosen) - k)  # what a format leaves is for the others
        files = FORMATS[format].seeds()
        with contextlib.nullcontext() if options.spawn else children.forked():
            report = fuzz(format, files, options.seed, options.first, options.count, share)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(report.outcomes.items()))
        print(f"{format}: {report.outcomes.total()} inputs: {counts}; longest {report.longest:.2f} s", flush=True)
        failed = failed or report.outcomes["failure"] > 0
        for kind, (times, number, text) in report.failures.items():
            options.save.mkdir(parents=True, exist_ok=True)
            path = options.save / f"{format}-{options.seed}-{number}{FORMATS[format].ending}"
            path.write_bytes(made(format, files, options.seed, number))
            again = f"python tools/fuzz.py {format} --seed {options.seed} --first {number} --count 1"
            print(f"  {kind}: {times} times, first in {path}\n  {again}\n    " + text.strip().replace("\n", "\n    "))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
