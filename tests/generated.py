"""Generated source, compiled and called: one way for every language."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

CC = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
GFORTRAN, OCTAVE = shutil.which("gfortran"), shutil.which("octave")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2")

Arrays = Sequence[np.ndarray]
Shapes = Sequence[tuple[int, ...]]
Function = Callable[[Arrays, Shapes], list[np.ndarray]]
"""of the arguments, and of the shapes of the results"""


def function_name(source: str) -> str:
    """Of the one function in a source."""
    found = re.search(r"(?:^void |^def |^subroutine |^function .*= )(\w+)\(", source, re.MULTILINE)
    assert found
    return found[1]


def run(*command: object, cwd: Path | None = None) -> str:
    """Return the output of a command; fail with its error output."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python(source: str, folder: Path) -> Function:
    scope: dict = {}
    exec(source, scope)
    function = scope[function_name(source)]

    def call(arguments: Arrays, shapes: Shapes) -> list[np.ndarray]:
        results = function(*arguments)
        results = (results,) if len(shapes) == 1 else results
        return [np.reshape(x, shape) for x, shape in zip(results, shapes, strict=True)]

    return call


def c(source: str, folder: Path) -> Function:
    if CC is None or sys.platform == "win32":
        pytest.skip("there is no C compiler here")
    (folder / "made.c").write_text(source, encoding="utf-8")
    run(CC, *STRICT, "-fPIC", "-shared", folder / "made.c", "-o", folder / "made.so", "-lm")
    return _by_address(folder / "made.so", function_name(source), "C")


def fortran(source: str, folder: Path) -> Function:
    if GFORTRAN is None:
        pytest.skip("there is no Fortran compiler here")
    (folder / "made.f90").write_text(source, encoding="utf-8")
    run(GFORTRAN, "-std=f2008", "-Wall", "-fPIC", "-shared", folder / "made.f90", "-o", folder / "made.so", cwd=folder)
    return _by_address(folder / "made.so", function_name(source).lower() + "_", "F")


def _by_address(library: Path, name: str, order: str) -> Function:
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = None

    def call(arguments: Arrays, shapes: Shapes) -> list[np.ndarray]:
        inputs = [np.array(x, dtype=float) for x in arguments]
        outputs = [np.full(shape, np.nan, order=order) for shape in shapes]
        passed = [ctypes.c_double(float(x)) if x.ndim == 0 and order == "C" else _address(x) for x in inputs]
        function(*passed, *map(_address, outputs))
        return outputs

    return call


def _address(x: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


def octave(source: str, folder: Path) -> Function:
    if OCTAVE is None:
        pytest.skip("there is no Octave here")
    name = function_name(source)
    (folder / f"{name}.m").write_text(source, encoding="utf-8")

    def call(arguments: Arrays, shapes: Shapes) -> list[np.ndarray]:
        shown = ", ".join(f"[{' '.join(map(repr, map(float, np.ravel(x))))}]" for x in arguments)
        names = [f"r{k}" for k in range(len(shapes))]
        printed = "".join(f"printf('%.17g ', {one}');" for one in names)
        text = run(OCTAVE, "-qf", "--eval", f"[{', '.join(names)}] = {name}({shown}); {printed}", cwd=folder)
        parts = np.split(
            np.array(text.split(), dtype=float), np.cumsum([np.prod(shape, dtype=int) for shape in shapes])[:-1]
        )
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    return call


LANGUAGES = {"c": c, "python": python, "octave": octave, "fortran": fortran}
