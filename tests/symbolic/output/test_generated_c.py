"""C for microcontrollers: strict compilers take it and its header, and its own test program tells right from wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from test_equations import once, with_joint
from test_passive import damped_arm

import linkwright as lw
from generated import CC, GFORTRAN, OCTAVE, STRICT, run
from linkwright.symbolic import equations

pytestmark = pytest.mark.skipif(CC is None or sys.platform == "win32", reason="there is no C compiler here")
CXX = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)

CASES = {
    "two_link": (lambda: lw.load("two_link"), "tip"),
    "free": (lambda: with_joint("free"), "tool"),
    "damped": (damped_arm, "lower"),
    "arm7": (lambda: lw.load("arm7"), "link7"),
}
WHATS = [("M,h,g", False), ("rhs", False), ("M,h,g,D,K", False), ("T,J,J_dot,V", True)]


@cache
def made_of(case: str, parameters: str = "symbols"):
    maker, frame = CASES[case]
    model = maker()
    return once(model, parameters), frame if frame in model.frames else list(model.frames)[-1]


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("case", CASES)
def test_the_test_program_passes(case, parameters, tmp_path):
    made, frame = made_of(case, parameters)
    for what, framed in WHATS:
        source = made.c(what, frame if framed else None, test_main=True)
        (tmp_path / "made.c").write_text(source, encoding="utf-8")
        run(CC, *STRICT, tmp_path / "made.c", "-o", tmp_path / "made", "-lm")
        printed = run(tmp_path / "made")
        found = [float(x) for x in re.findall(r"differs by (\S+) from the library in 3 states", printed)]
        assert len(found) == (1 if what == "rhs" else what.count(",") + 1)
        assert max(found) < 1e-12


@pytest.mark.parametrize("wrong", ["h[0] = 1.0 +", "h[0] = 0.0 / (q[0] - q[0]) +"])
def test_the_test_program_fails_where_the_code_is_wrong(wrong, tmp_path):
    source = equations(lw.load("two_link")).c(test_main=True)
    assert source.count("h[0] =") == 1
    (tmp_path / "made.c").write_text(source.replace("h[0] =", wrong), encoding="utf-8")
    run(CC, *STRICT, tmp_path / "made.c", "-o", tmp_path / "made", "-lm")
    done = subprocess.run([str(tmp_path / "made")], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "M differs by" in done.stdout


def test_nothing_is_allocated_and_nothing_but_sines_called():
    for source in (equations(lw.load("two_link")).c(), equations(lw.load("two_link")).c("rhs")):
        assert set(re.findall(r"#include (\S+)", source)) == {"<math.h>"}
        called = set(re.findall(r"\b([a-z]\w*)\(", source.split("{\n")[1]))
        assert called == {"cos", "sin"}


@pytest.mark.parametrize("case", ["two_link", "free"])
def test_the_header_fits_the_source_in_c_and_in_cpp(case, tmp_path):
    made, frame = made_of(case)
    (tmp_path / "made.h").write_text(made.c_header("T,J", frame), encoding="utf-8")
    (tmp_path / "made.c").write_text(made.c("T,J", frame), encoding="utf-8")
    run(CC, *STRICT, "-include", "made.h", "-include", "made.h", "-c", "made.c", cwd=tmp_path)
    if CXX is None:
        pytest.skip("there is no C++ compiler here")
    name = re.search(r"void (\w+)\(", made.c_header("T,J", frame))[1]
    n, nq, p = len(made.coordinates.v), len(made.coordinates.q), len(made.frame_parameters(frame))
    main = f"""#include "made.h"
#include <cstdio>
int main() {{
    double q[{nq}] = {{{", ".join(["0.3"] * nq)}}}, T[16], J[{6 * n}];
    {name}(q, {name}_parameters, T, J);
    std::printf("%.17g %.17g\\n", T[3], {name}_parameters[{p - 1}]);
}}
"""
    (tmp_path / "main.cpp").write_text(main, encoding="utf-8")
    run(CXX, "-Wall", "-Wextra", "-Werror", "-pedantic", "main.cpp", "made.o", "-o", "made", "-lm", cwd=tmp_path)
    x, last = map(float, run(tmp_path / "made").split())
    assert last == list(made.frame_parameters(frame).values())[-1]
    assert x == pytest.approx(lw.dynamics.pose(made.model, np.full(nq, 0.3), frame)[0, 3], rel=1e-12)


def test_names_cannot_end_comments():
    builder = lw.Builder("odd").body('a*/ """ \\u ??/ %s', 1.0, (0.1, 0, 0), 0.1)
    model = builder.joint("j/*", "revolute", "world", 'a*/ """ \\u ??/ %s', axis=(1, 0, 0)).build()
    made = equations(model)
    for source in (made.c(test_main=True), made.c_header(), made.octave(), made.fortran()):
        assert '*/ "' not in source
        assert source.isascii()
        assert "??" not in source
    compile(made.python(), "made", "exec")


def test_a_mechanism_that_cannot_move(tmp_path):
    made = equations(lw.load("pendulum").lock({"hinge": 0.0}))
    for what in ("M,h,g", "rhs"):
        (tmp_path / "made.c").write_text(made.c(what, test_main=True), encoding="utf-8")
        run(CC, *STRICT, tmp_path / "made.c", "-o", tmp_path / "made", "-lm")
        assert run(tmp_path / "made") == ""
    (tmp_path / "made.c").write_text(made.c("T", "tip", test_main=True), encoding="utf-8")
    run(CC, *STRICT, tmp_path / "made.c", "-o", tmp_path / "made", "-lm")
    assert "T differs by 0 from" in run(tmp_path / "made")


def test_everything_is_saved_and_works(tmp_path):
    made = equations(lw.load("two_link"))
    files = {path.name for path in made.save(tmp_path / "out", frames=["tip"])}
    kinematics = "two_link_pose_jacobian_jacobian_dot_tip"
    assert files == {
        *(f"two_link{end}" for end in (".c", ".h", "_test.c", ".py", ".f90", ".tex", "_equations.m", "_rhs.m")),
        f"{kinematics}.m",
    }
    assert files == {path.name for path in (tmp_path / "out").iterdir()}
    folder = tmp_path / "out"
    run(CC, *STRICT, "two_link.c", "two_link_test.c", "-o", "test", "-lm", cwd=folder)
    assert run(folder / "test").count("\n") == 3 + 1 + 3
    script = (
        f"import two_link as t; print(t.two_link_rhs(0, [0.1, 0.2, 0, 0]), t.{kinematics}([0, 0], [0, 0])[0][0][3])"
    )
    assert run(sys.executable, "-c", script, cwd=folder).endswith(" 2.0\n")
    if GFORTRAN:
        run(GFORTRAN, "-std=f2008", "-Wall", "-c", "two_link.f90", cwd=folder)
    if OCTAVE:
        printed = run(OCTAVE, "-qf", "--eval", f"T = {kinematics}([0 0], [0 0]); printf('%g', T(1, 4))", cwd=folder)
        assert printed == "2"
