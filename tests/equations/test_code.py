"""Generated C and Python against the compiled library; Fortran and Octave where their compilers are."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from test_equations import follower, with_joint

import linkwright as lw
from linkwright.equations import Equations, equations
from linkwright.model.tree import Model
from mechanisms import relative_error, state

CASES = {
    "two_link": (lambda: lw.load("two_link"), "symbols"),
    "two_link numbers": (lambda: lw.load("two_link"), "numbers"),
    "planar:3": (lambda: lw.load("planar:3"), "symbols"),
    "puma560": (lambda: lw.load("puma560"), "symbols"),
    "arm7 numbers": (lambda: lw.load("arm7"), "numbers"),
    "free": (lambda: with_joint("free"), "symbols"),
    "helical": (lambda: with_joint("helical"), "symbols"),
    "universal numbers": (lambda: with_joint("universal"), "numbers"),
    "follower": (follower, "symbols"),
}

CC = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
GFORTRAN, OCTAVE = shutil.which("gfortran"), shutil.which("octave")


@pytest.fixture(params=CASES)
def case(request):
    maker, parameters = CASES[request.param]
    return maker(), parameters


@pytest.fixture
def model(case):
    return case[0]


@pytest.fixture
def made(case):
    return equations(*case)


def expected(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
    g = lw.gravity_forces(model, q)
    return lw.mass_matrix(model, q), lw.bias_forces(model, q, v) - g, g


def arguments(made: Equations, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    p = np.array(list(made.parameters.values()))
    return [np.ascontiguousarray(x, dtype=float) for x in (q, v, *([p] if len(p) else []))]


def agree(model: Model, call) -> None:
    for seed in range(3):
        q, v, _ = state(model, seed)
        for ours, theirs in zip(call(q, v), expected(model, q, v), strict=True):
            assert relative_error(np.reshape(ours, theirs.shape), theirs) < 1e-12


def function_name(source: str) -> str:
    return re.search(r"(\w+_equations)\(", source)[1]


def call_by_address(library, name: str, made: Equations, order: str):
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = None
    n = len(made.coordinates.v)

    def call(q, v):
        inputs = arguments(made, q, v)
        outputs = [np.full((n, n), np.nan, order=order), np.full(n, np.nan), np.full(n, np.nan)]
        function(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
        return outputs

    return call


@pytest.mark.skipif(CC is None or sys.platform == "win32", reason="there is no C compiler here")
def test_c(made, model, tmp_path):
    source = tmp_path / "made.c"
    source.write_text(made.c(), encoding="utf-8")
    command = [CC, "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fPIC", "-shared", str(source)]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "made.so"), "-lm"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    agree(model, call_by_address(tmp_path / "made.so", function_name(made.c()), made, "C"))


def test_python(made, model):
    source = made.python()
    scope: dict = {}
    exec(source, scope)
    function = scope[function_name(source)]
    agree(model, lambda q, v: function(*arguments(made, q, v)))
    if made.parameters:
        q, v, _ = state(model, 5)
        assert function(q, v) == function(*arguments(made, q, v))


@pytest.mark.skipif(GFORTRAN is None, reason="there is no Fortran compiler here")
def test_fortran(made, model, tmp_path):
    source = tmp_path / "made.f90"
    source.write_text(made.fortran(), encoding="utf-8")
    command = [GFORTRAN, "-std=f2008", "-Wall", "-fPIC", "-shared", str(source), "-o", str(tmp_path / "made.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    agree(model, call_by_address(tmp_path / "made.so", f"{function_name(made.c())}_", made, "F"))


@pytest.mark.skipif(OCTAVE is None, reason="there is no Octave here")
def test_octave(made, model, tmp_path):
    source = made.octave()
    name = function_name(source)
    (tmp_path / f"{name}.m").write_text(source, encoding="utf-8")

    def call(q, v):
        shown = ", ".join(f"[{' '.join(map(repr, map(float, x)))}]" for x in arguments(made, q, v))
        script = f"[M, h, g] = {name}({shown}); printf('%.17g ', M', h, g);"
        done = subprocess.run(
            [OCTAVE, "-qf", "--eval", script], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        numbers, n = np.array(done.stdout.split(), dtype=float), len(v)
        return numbers[: n * n], numbers[n * n : n * n + n], numbers[n * n + n :]

    agree(model, call)


def test_languages_write_the_same_program(made, model):
    """The lines of every language, brought to Python's notation, give the same numbers."""
    q, v, _ = state(model, 1)
    n = len(v)
    inputs = dict(zip(("q", "v", "p"), arguments(made, q, v), strict=False))
    reference = None
    for source in (made.python(), made.octave(), made.fortran(), made.c()):
        scope = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt}
        if "\ndef " in source:
            exec(source, scope)
            M, h, g = scope[function_name(source)](*inputs.values())
            reference = np.concatenate([np.ravel(M), h, g])
            continue
        first = 1 if "%" in source or "subroutine" in source else 0
        results = {"M": np.zeros((n, n)), "h": np.zeros(n), "g": np.zeros(n)}
        flat = {"M": results["M"].reshape(-1), "h": results["h"], "g": results["g"]}
        if first:
            scope |= {name: (lambda *k, x=x: x[tuple(i - 1 for i in k)]) for name, x in inputs.items()}
        else:
            scope |= inputs
        for line in source.splitlines():
            line = re.sub(r"(?<=\d)d(?=[-+]?\d)", "e", line.strip().removeprefix("const double ").rstrip(";"))
            if hit := re.fullmatch(r"(t\d+) = (.*)", line):
                scope[hit[1]] = eval(hit[2], scope)
            elif hit := re.fullmatch(r"([Mhg])[\[(]([\d, ]+)[\])] = (.*)", line):
                place = tuple(int(k) - first for k in hit[2].split(","))
                (results if first else flat)[hit[1]][place] = eval(hit[3], scope)
        found = np.concatenate([x.ravel() for x in results.values()])
        assert relative_error(found, reference) < 1e-14


def test_operations_are_printed_and_few():
    small = equations(lw.load("two_link"), "numbers")
    assert str(small.operations) in small.c()
    assert str(small.operations) in small.python()
    assert small.operations.total <= 25
    assert equations(lw.load("puma560"), "numbers").operations.total <= 600


def test_names_become_identifiers():
    assert "void planar_3_equations(" in equations(lw.load("planar:3")).c()
    assert not [character for character in equations(with_joint("free")).c() if ord(character) > 127]
