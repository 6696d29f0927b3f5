"""Exact solvers as C, C++, Rust and Python return the library's solutions."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest
from tests.ik_solvers.test_exact import left, random_model, real_robot, turned_by

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.model.library.dh import DHRow, from_dh

HALF = 0.5 * np.pi


def from_rows(name, rows):
    return from_dh(name, [DHRow(*row) for row in rows], "standard")


def kuka_kr6():
    """A KR 6 R900: a spherical wrist, an offset shoulder and an offset elbow."""
    shoulder = [(0.025, -HALF, 0.4), (0.455, 0.0, 0.0), (0.035, -HALF, 0.0)]
    return from_rows("kr6", [*shoulder, (0.0, HALF, 0.42), (0.0, -HALF, 0.0), (0.0, 0.0, 0.08)])


def abb_irb120():
    """An arm whose first axes meet."""
    shoulder = [(0.0, -HALF, 0.29), (0.27, 0.0, 0.0), (0.07, -HALF, 0.0)]
    return from_rows("irb120", [*shoulder, (0.0, HALF, 0.302), (0.0, -HALF, 0.0), (0.0, 0.0, 0.072)])


ARMS = {
    "puma560": (lambda: lw.load("puma560"), "tool", {}),
    "ur5": (lambda: real_robot("ur5_robot.urdf"), "tool0", {}),
    "kr6": (kuka_kr6, "tool", {}),
    "irb120": (abb_irb120, "tool", {}),
    "panda": (lambda: real_robot("panda.urdf"), "panda_hand_tcp", {"given": "panda_joint7"}),
    "arm7": (lambda: lw.load("arm7"), "tool", {"given": "elbow angle"}),
    "any_geometry": (lambda: random_model(0), "tool", {}),
    "arm4": (lambda: lw.load("arm4"), "tool", {"task": "pitch"}),
}


class SavedSolver:
    """A solver, targets that it can reach, and the solutions of each."""

    def __init__(self, name):
        make, self.frame, options = ARMS[name]
        self.name, self.model = name, make()
        self.solver = lw.analytic_inverse_kinematics(self.model, self.frame, **options)
        self.branches = self.solver.branches
        self.places = list(self.solver._arm.places)
        q = self.model.random(30, seed=3)
        T = lw.pose(self.model, q, self.frame)
        if name == "arm4":
            T = np.stack([self.solver._task.target_of(x[self.places]) for x in q])
        self.targets, self.given = T, None
        if self.solver.given is not None:
            joint = self.solver.given
            self.given = self.solver.elbow_angle(q) if joint == "elbow angle" else q[:, self.model.slice(joint).q][:, 0]
        found = self.solver(T) if self.given is None else self.solver(T, self.given)
        kept = found.exact & found.within
        self.expected = [x[some][:, self.places] for x, some in zip(found.q, kept, strict=True)]

    def assert_equal(self, solve):
        """``solve``: of a target[, given] -> solutions (m, n)."""
        assert sum(map(len, self.expected)) >= len(self.targets)
        for k, (target, expected) in enumerate(zip(self.targets, self.expected, strict=True)):
            found = np.asarray(solve(target, *(() if self.given is None else (self.given[k],))))
            assert found.shape == expected.shape
            gap = np.abs(found[:, None] - expected).max(axis=-1)
            assert gap.min(axis=0).max() < 1e-8
            assert gap.min(axis=1).max() < 1e-8


@pytest.fixture(scope="module")
def cases():
    return [SavedSolver(name) for name in ARMS]


def called(library, case):
    """A function of a shared library with C's arguments."""
    function, branches, n = (
        library[f"{case.name}_ik"],
        case.branches,
        len(case.places),
    )

    def solve(target, *given):
        q = np.full((branches, n), np.nan)
        target = np.ascontiguousarray(target)
        pointers = (x.ctypes.data_as(ctypes.c_void_p) for x in (target, q))
        first, last = pointers
        count = function(first, *map(ctypes.c_double, given), last)
        assert np.isnan(q[max(count, 0) :]).all()
        return None if count < 0 else q[:count]

    return solve


def built(command, missing):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{missing} is not installed")
    subprocess.run(command, check=True, capture_output=True, text=True)


STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]


def test_c(cases, tmp_path):
    files = [str(case.solver.save(tmp_path / f"{case.name}.c", name=f"{case.name}_ik")) for case in cases]
    built(["gcc", "-std=c99", *STRICT, *files, "-o", str(tmp_path / "all.so"), "-lm"], "gcc")
    library = ctypes.CDLL(str(tmp_path / "all.so"))
    for case in cases:
        solve = called(library, case)
        case.assert_equal(solve)
        singular = library[f"{case.name}_ik_is_singular"]
        regular = np.ascontiguousarray(solve(case.targets[0], *(() if case.given is None else (case.given[0],)))[0])
        folded = np.zeros(len(case.places))
        assert not singular(regular.ctypes.data_as(ctypes.c_void_p))
        assert singular(folded.ctypes.data_as(ctypes.c_void_p))
        given = () if case.given is None else (0.0,)
        assert solve(np.full(case.targets[0].shape, np.nan), *given) is None
        far = case.targets[0].copy()
        (far[:3] if far.ndim == 1 else far[:3, 3])[:] = 9.0
        assert len(solve(far, *given)) == 0
        if given:
            assert solve(case.targets[0], np.inf) is None
        if far.shape == (4, 4):
            assert solve(1.001 * far, *given) is None


def test_cpp(cases, tmp_path):
    """The header has the code of C: some arms."""
    cases, text = [case for case in cases if case.name in ("puma560", "panda", "arm4")], []
    for case in cases:
        file = case.solver.save(tmp_path / f"{case.name}.hpp", name=f"{case.name}_of_header")
        shape = f"[{case.branches}][{len(case.places)}]"
        given, handed = ("", "") if case.given is None else (", double x", ", x")
        text.append(f'#include "{file.name}"\n#include "{file.name}"')
        text.append(f'extern "C" int {case.name}_ik(const double *T{given}, double q{shape}) {{')
        text.append(f"    return {case.name}_of_header(T{handed}, q);\n}}")
    (tmp_path / "all.cpp").write_text("\n".join([*text, ""]))
    built(["g++", "-std=c++11", *STRICT, str(tmp_path / "all.cpp"), "-o", str(tmp_path / "all.so")], "g++")
    library = ctypes.CDLL(str(tmp_path / "all.so"))
    for case in cases:
        case.assert_equal(called(library, case))


def test_rust(cases, tmp_path):
    text = []
    for case in cases:
        text.append(case.solver.save(tmp_path / f"{case.name}.rs", name=f"{case.name}_of_module").read_text())
        n, size = len(case.places), case.targets[0].size
        rows = f"[[f64; {n}]; {case.branches}]"
        given, handed = ("", "") if case.given is None else (", x: f64", ", x")
        text += [
            "#[no_mangle]",
            f'pub extern "C" fn {case.name}_ik(t: &[f64; {size}]{given}, q: &mut {rows}) -> i32 {{',
            f"    match {case.name}_of_module(t{handed}, q) {{ Some(count) => count as i32, None => -1 }}\n}}",
            f'#[no_mangle]\npub extern "C" fn {case.name}_is_singular(q: &[f64; {n}]) -> i32 {{',
            f"    {case.name}_of_module_is_singular(q) as i32\n}}",
        ]
    (tmp_path / "all.rs").write_text("\n".join([*text, ""]))
    library = str(tmp_path / "all.so")
    built(
        [
            "rustc",
            "-D",
            "warnings",
            "-C",
            "opt-level=0",
            "--crate-type",
            "cdylib",
            str(tmp_path / "all.rs"),
            "-o",
            library,
        ],
        "rustc",
    )
    loaded = ctypes.CDLL(library)
    for case in cases:
        solve = called(loaded, case)
        case.assert_equal(solve)
        assert solve(np.full(case.targets[0].shape, np.nan), *(() if case.given is None else (0.0,))) is None
        folded = np.zeros(len(case.places))
        assert loaded[f"{case.name}_is_singular"](folded.ctypes.data_as(ctypes.c_void_p))


def imported(file):
    spec = spec_from_file_location(file.stem, file)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_python(cases, tmp_path):
    for case in cases:
        module = imported(case.solver.save(tmp_path / f"{case.name}_solver.py", name="solve"))
        case.assert_equal(module.solve)
        case.assert_equal(lambda target, *given, solve=module.solve: solve(target.tolist(), *given))
        given = () if case.given is None else (0.0,)
        target = case.targets[0]
        other_shape = target.ravel().tolist() if target.ndim == 2 else [target.tolist()]
        for bad in (np.full(target.shape, np.nan), target[:2], other_shape, None):
            with pytest.raises(ValueError, match="expected"):
                module.solve(bad, *given)
        if given:
            with pytest.raises(ValueError, match="a given number"):
                module.solve(target, None)
        assert module.solve.__doc__.startswith(f"Exact inverse kinematics of '{case.frame}'")


def assert_singular_where_the_jacobian_is(case, module, full):
    for q in full:
        J = lw.jacobian(case.model, q, case.frame)
        if case.name == "panda":  # whose last joint is given
            J = np.delete(J, case.places[-1], axis=1)
        J[:3] /= case.solver._arm.length
        smallest = np.linalg.svd(J)[1][min(J.shape) - 1]
        told = module.solve_is_singular(q[case.places])
        if case.name == "arm7":  # the elbow angle may be singular where the Jacobian is not
            assert told or smallest > 1e-8
        elif not 1e-8 < smallest < 1e-4:
            assert told == (smallest <= 1e-8)


def test_singular_targets_raise_nothing_and_all_solutions_are_true(cases, tmp_path):
    random = np.random.default_rng(5)
    for case in cases:
        if case.name == "arm4":
            continue
        module = imported(case.solver.save(tmp_path / f"{case.name}_at.py", name="solve", joint_limits=False))
        q = np.zeros((20, case.model.nq))
        q[1:] = 0.5 * np.pi * random.integers(-2, 3, (19, case.model.nq))
        for x, T in zip(q, lw.pose(case.model, q, case.frame), strict=True):
            given = () if case.given is None else (x[case.places[-1]] if case.name == "panda" else 0.0,)
            found = np.array(module.solve(T, *given)).reshape(-1, len(case.places))
            full = np.zeros((len(found), case.model.nq))
            full[:, case.places] = found
            assert_singular_where_the_jacobian_is(case, module, full)
            assert left(case.model, case.frame, T, full).max(initial=0.0) < 2e-9
            gap = np.abs(turned_by(found[:, None], found)).max(axis=-1)
            assert (gap[~np.eye(len(found), dtype=bool)] > 1e-7).all()


def test_limits_are_applied(cases, tmp_path):
    case = next(case for case in cases if case.name == "puma560")
    solve = imported(case.solver.save(tmp_path / "all_postures.py", name="solve", joint_limits=False)).solve
    counts = [len(solve(T)) for T in case.targets]
    assert counts == case.solver(case.targets).count.tolist()
    assert sum(counts) > sum(map(len, case.expected))


def test_wrong_calls(tmp_path):
    solver = lw.analytic_inverse_kinematics(lw.load("puma560"), "tool")
    with pytest.raises(ArgumentError, match=r"exact solvers are written as \.c, \.hpp, \.rs or \.py"):
        solver.save(tmp_path / "ik.java")
    for name in ("", "a b", "while", "lambda", "template", "fn", "a*/", 3):
        with pytest.raises(ArgumentError, match="name is that of a function"):
            solver.save(tmp_path / "ik.c", name=name)
    with pytest.raises(ArgumentError, match="joint_limits is True or False"):
        solver.save(tmp_path / "ik.c", joint_limits=np.zeros(6))
    assert list(tmp_path.iterdir()) == []
    assert "int puma560_tool_ik(const double T[16], double q[8][6])" in solver.save(tmp_path / "ik.c").read_text()
