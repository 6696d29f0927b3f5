"""Child processes of the library, forked with their modules imported instead of started with an interpreter."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import IO, Any

from linkwright.formats.isolation import child_process

MODULES = ("mujoco", "pxr.Usd", "pxr.UsdGeom", "pxr.UsdPhysics", "xacrodoc")
"""Modules of native parsers, which take most of a child's start."""


class ForkedChild:
    """Replacement of `subprocess.Popen` in `formats/isolation/child_process.py`, with the same arguments and pipes."""

    def __init__(self, command: list[str], env: dict[str, str], **_: Any):
        (answer, out), (report, err) = os.pipe(), os.pipe()
        self._process = multiprocessing.get_context("fork").Process(target=_child, args=(command[2:], env, out, err))
        self._process.start()
        os.close(out)
        os.close(err)
        self._command = command
        self.stdout: IO[bytes] = os.fdopen(answer, "rb")
        self.stderr: IO[bytes] = os.fdopen(report, "rb")
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the child ends."""
        self._process.join(timeout)
        self.returncode = self._process.exitcode
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self._command, timeout or 0.0)

    def kill(self) -> None:
        """End the child."""
        self._process.kill()


def _child(arguments: list[str], environment: dict[str, str], out: int, err: int) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout = sys.stderr = os.fdopen(err, "w")
    sys.argv[:] = ["-c", *arguments[1:]]
    os.environ.clear()
    os.environ.update(environment)
    child_process.child()


@contextlib.contextmanager
def forked() -> Iterator[None]:
    """Fork the child processes of the library from this process."""
    for name in MODULES:
        with contextlib.suppress(ImportError):
            import_module(name)
    names = ("PIPE", "DEVNULL", "TimeoutExpired", "CompletedProcess")
    usual: Any = subprocess
    changed: Any = SimpleNamespace(Popen=ForkedChild, **{name: getattr(usual, name) for name in names})
    child_process.subprocess = changed
    try:
        yield
    finally:
        child_process.subprocess = usual
