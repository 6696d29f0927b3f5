"""Rows of closed loops as equations: against the numeric constraint Jacobian and its bias."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from test_equations import follower, once
from tests.symbolic.output.test_code import arguments

import linkwright as lw
from generated import CC, GFORTRAN, OCTAVE
from linkwright import dynamics
from linkwright.errors import InputError, TooLargeError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.model.joints.loop import LOOP_TYPES
from linkwright.model.tree import Model
from linkwright.symbolic import Equations, equations
from mechanisms import relative_error, state

PARAMETERS = {"helical": 0.2, "distance": 0.3, "mask": "x z ry"}
AXES = {"revolute", "prismatic", "cylindrical", "helical", "universal", "planar"}


@cache
def with_loop(*kinds: str, first: str = "left", second: str = "right") -> Model:
    """Two branches on a floating body, tied to each other or to the ground."""
    builder = lw.Builder("closed").body("base", 2.0, (0.1, 0, 0), 0.1)
    builder.joint("root", "planar", "world", "base", rpy=(np.pi / 2, 0, 0))
    for name, axis in (("left", (0, 1, 0)), ("right", (0, 0, 1))):
        builder.body(f"{name}_upper", 1.0, (0, 0.1, 0), 0.1).body(name, 1.0, (0.1, 0, 0.2), 0.1)
        builder.joint(f"{name}_shoulder", "universal", "base", f"{name}_upper", axis=axis, xyz=(0.1, 0.2, 0))
        builder.joint(f"{name}_elbow", "revolute", f"{name}_upper", name, xyz=(0, 0, 0.3), rpy=(0, np.pi / 4, 0))
    builder.frame("grip", "right", xyz=(0.1, 0.0, 0.25), rpy=(np.pi / 3, 0, 0))
    for k, kind in enumerate(kinds):
        type = (kind, PARAMETERS[kind]) if kind in PARAMETERS else kind
        axis = (1, 0, 0) if kind in AXES else None
        builder.loop(f"loop{k}", type, first, second, xyz=(0.2, 0.1, 0.3), rpy=(0, np.pi / 6, 0), axis=axis)
    return builder.build()


def four_bar() -> Model:
    """A parallelogram closed by a hinge."""
    builder = lw.Builder("four_bar")
    for name, length in (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.3)):
        builder.body(name, 1.0, (length / 2, 0, 0), length**2 / 12)
    builder.joint("a", "revolute", "world", "crank")
    builder.joint("b", "revolute", "crank", "coupler", xyz=(0.3, 0, 0))
    builder.joint("c", "revolute", "world", "rocker", xyz=(0.8, 0, 0))
    builder.loop("d", "revolute", "rocker", "coupler_end", xyz=(0.3, 0, 0))
    return builder.frame("coupler_end", "coupler", xyz=(0.8, 0, 0)).build()


def tied() -> Model:
    builder = lw.Builder("tied").body("a", 1.0, inertia=0.1).body("b", 1.0).body("c", 1.0, inertia=0.2)
    builder.joint("one", "revolute", "world", "a").joint("two", "prismatic", "a", "b")
    builder.joint("three", "spherical", "b", "c")
    builder.loop("cam", ("joint", (0.1, 0.3, 0.0, -0.7)), "two", "one")
    return builder.loop("stop", ("joint", (0.2,)), "one").build()


def rows(made: Equations, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values = made.parameters | dict(zip((*made.coordinates.q, *made.coordinates.v), (*q, *v), strict=True))
    A, b = made.polynomials("constraint_jacobian"), made.polynomials("constraint_bias")
    return evaluate(A.flat, values).reshape(A.shape), evaluate(b, values)


def expected(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of rods are multiplied by their length."""
    A, b = dynamics.constraint_jacobian(model, q), dynamics.constraint_bias(model, q, v)
    one = len(model.loops) == 1 and model.loops[0].type == "distance"
    return (0.3 * A, 0.3 * b) if one else (A, b)


@pytest.mark.variants("first", "parameters")
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize(("first", "second"), [("left", "grip"), ("world", "right_upper")])
@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_every_kind(kind, first, second, parameters):
    model = with_loop(kind, first=first, second=second)
    made = equations(model, parameters)
    assert made.left_out == ()
    for seed in range(2):
        q, v, _ = state(model, seed)
        for ours, theirs in zip(rows(made, q, v), expected(model, q, v), strict=True):
            assert relative_error(ours, theirs) < 1e-12
    for ours, theirs in zip(made.canonical, once(with_loop(), parameters).canonical, strict=True):
        assert [str(p) for p in ours.flat] == [str(p) for p in theirs.flat]


@pytest.mark.parametrize("maker", [tied, four_bar, lambda: with_loop("ball", "distance", "revolute")])
def test_bias_is_the_rate_of_the_rows(maker):
    """b = Ȧ v, identically."""
    made = equations(maker())
    A, b = made.polynomials("constraint_jacobian"), made.polynomials("constraint_bias")
    ring, v = b[0].ring, np.array([b[0].ring[name] for name in made.coordinates.v], dtype=object)
    rates = dict(
        zip(
            made.coordinates.q,
            dynamics.configuration_rate(
                maker(), np.array([ring[name] for name in made.coordinates.q], dtype=object), v
            ),
            strict=True,
        )
    )
    for row, bias in zip(A, b, strict=True):
        assert sum((ring.rate(x, rates) * v_j for x, v_j in zip(row, v, strict=True)), ring.zero) == bias


def test_ties_of_coordinates():
    model = tied()
    made = equations(model, "numbers")
    assert made.text(what="A,b").splitlines()[:2] == ["A[1,1] = -0.3 + 2.1*theta1^2", "A[1,2] = 1"]
    assert "b[1] = 4.2*theta1*theta1_dot^2" in made.text(what="b")
    assert made.constraint_rows == ("loop 'cam': of coordinates", "loop 'stop': of coordinates")
    q, v, _ = state(model, 0)
    for ours, theirs in zip(rows(made, q, v), expected(model, q, v), strict=True):
        assert relative_error(ours, theirs) < 1e-13


def test_rows_that_vanish_are_left_out_and_said():
    made = equations(four_bar())
    assert made.constraint_rows == ("loop 'd': x", "loop 'd': y")
    assert made.left_out == ("loop 'd': z", "loop 'd': rx", "loop 'd': ry")
    assert made.constraint_jacobian.shape == (2, 3)
    assert made.constraint_bias.shape == (2, 1)
    assert made.text(what="A").splitlines()[:3] == [
        "A[1,1] = l1*sin(theta2)",
        "A[1,2] = 0",
        "A[1,3] = -l1*sin(theta2) + l0_3*sin(theta1 + theta2)",
    ]
    assert made.meanings["la1"] == "from rocker's joint to loop 'd' along x of the first, m"
    assert "l_{b1}" in made.latex(what="A")
    assert made.model.loops[0].type == "revolute"


def test_accelerations_keep_a_four_bar_closed():
    """M v̇ + h + g = τ + Aᵀ λ with A v̇ + b = 0: both ends of the coupler go on together."""
    model = four_bar()
    made = equations(model, "numbers")
    scope: dict = {}
    exec(made.python("M,h,g,A,b"), scope)
    q = np.array([0.7, -0.7, 0.7])  # a parallelogram
    v = 1.3 * np.array([1.0, -1.0, 1.0])
    M, h, g, A, b = (np.array(x) for x in scope["four_bar_equations"](q, v))
    assert np.abs(A @ v).max() < 1e-14
    solved = np.linalg.solve(np.block([[M, -A.T], [A, np.zeros((2, 2))]]), np.concatenate([-h - g, -b]))
    ends = [lw.acceleration(model, q, v, solved[:3], frame)[:3] for frame in ("coupler_end", "rocker")]
    tip = lw.acceleration(model, q, v, solved[:3], "rocker")
    arm = 0.3 * np.array([np.cos(0.7), np.sin(0.7), 0.0])
    ends[1] = tip[:3] + np.cross(tip[3:], arm) - 1.3**2 * arm
    assert relative_error(ends[0], ends[1]) < 1e-12


@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("maker", [four_bar, lambda: with_loop("helical", "mask", "weld")])
def test_code(maker, parameters, tmp_path):
    model = maker()
    made = equations(model, parameters)
    scope: dict = {}
    source = made.python("A,b")
    exec(source, scope)
    assert "tau + A(q)^T lambda, A(q) a + b(q, v) = 0" in source
    q, v, _ = state(model, 2)
    inputs = arguments(made, q, v)
    wanted = rows(made, q, v)
    function = scope[f"{model.name}_equations"]
    for ours, theirs in zip(function(*inputs), wanted, strict=True):
        assert relative_error(ours, theirs) < 1e-12
    for compiler, source, order, flags in (
        (CC, "c", "C", ["-std=c99", "-Wall", "-Werror"]),
        (GFORTRAN, "fortran", "F", ["-std=f2008"]),
    ):
        if compiler is None or sys.platform == "win32":
            continue
        path = tmp_path / f"made.{'c' if source == 'c' else 'f90'}"
        path.write_text(getattr(made, source)("A,b"), encoding="utf-8")
        subprocess.run(
            [compiler, *flags, "-fPIC", "-shared", str(path), "-o", str(tmp_path / source), "-lm"], check=True
        )
        name = f"{model.name}_equations{'' if source == 'c' else '_'}"
        outputs = [np.full(x.shape, np.nan, order=order) for x in wanted]
        compiled = getattr(ctypes.CDLL(str(tmp_path / source)), name)
        compiled(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *outputs)))
        for ours, theirs in zip(outputs, wanted, strict=True):
            assert relative_error(ours, theirs) < 1e-12


@pytest.mark.skipif(OCTAVE is None, reason="there is no Octave here")
def test_octave(tmp_path):
    model = four_bar()
    made = equations(model, "numbers")
    (tmp_path / "four_bar_equations.m").write_text(made.octave("A"), encoding="utf-8")
    script = "printf('%.17g ', four_bar_equations([0.3 0.5 0.2], [1 2 3])');"
    done = subprocess.run([OCTAVE, "-qf", "--eval", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    A, _ = rows(made, np.array([0.3, 0.5, 0.2]), np.zeros(3))
    assert relative_error(np.array(done.stdout.split(), dtype=float), A.ravel()) < 1e-12


def test_what_has_no_loops_has_no_rows():
    with pytest.raises(InputError, match="no closed loops, so no A"):
        equations(follower()).text(what="A")


def test_rows_that_are_too_long():
    """Six legs are derived, their constraints refused with advice."""
    legs = equations(lw.load("stewart"))
    with pytest.raises(TooLargeError, match="constraint_jacobian and constraint_bias compute them"):
        legs.text(what="A")


def test_the_page_tells_that_loops_are_closed(tmp_path):
    text = equations(four_bar()).html(tmp_path / "bars.html").read_text(encoding="utf-8")
    assert "One closed loop ties the three velocities of the tree" in text
    assert "3 velocities, 1 closed loop." in text  # those of the tree, which are no degrees of freedom
    assert "degrees of freedom" not in text
