"""Generated C and Python against the compiled library; Fortran and Octave where their compilers are."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_equations import follower, once, with_joint

import linkwright as lw
from generated import LANGUAGES, function_name
from linkwright.errors import ArgumentError, InputError
from linkwright.model.tree import Model
from linkwright.symbolic import Equations, equations
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


@pytest.fixture(scope="module", params=CASES)
def case(request):
    maker, parameters = CASES[request.param]
    return maker(), parameters


@pytest.fixture
def model(case):
    return case[0]


@pytest.fixture
def made(case):
    return once(*case)


def expected(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
    g = lw.gravity_forces(model, q)
    return lw.mass_matrix(model, q), lw.bias_forces(model, q, v) - g, g


def arguments(made: Equations, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    p = np.array(list(made.parameters.values()))
    return [np.ascontiguousarray(x, dtype=float) for x in (q, v, *([p] if len(p) else []))]


@pytest.mark.variants("case")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_agrees_with_the_library(language, made, model, tmp_path):
    function = LANGUAGES[language](getattr(made, language)(), tmp_path)
    for seed in range(3):
        q, v, _ = state(model, seed)
        theirs = expected(model, q, v)
        for ours, reference in zip(function(arguments(made, q, v), [x.shape for x in theirs]), theirs, strict=True):
            assert relative_error(ours, reference) < 1e-12


def test_python_knows_the_parameters(made, model):
    scope: dict = {}
    exec(made.python(), scope)
    function, (q, v, _) = scope[function_name(made.python())], state(model, 5)
    assert function(q, v) == function(*arguments(made, q, v))


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


@pytest.mark.parametrize("given", [3, None, ["M"], {"M"}, b"M", np.array(["M"])], ids=repr)
@pytest.mark.parametrize("write", ["text", "latex", "python", "c"])
def test_what_is_wanted_is_a_string(write, given):
    with pytest.raises(ArgumentError, match="what lists letters"):
        getattr(lw.equations(lw.load("pendulum")), write)(what=given)


def test_names_and_angles_of_wrong_types_are_reported(tmp_path):
    made = lw.equations(lw.load("two_link"))
    for read in (made.pose, made.frame_parameters, made.frame_meanings):
        with pytest.raises(ArgumentError, match="a frame is given by its name"):
            read(["tip"])
    with pytest.raises(ArgumentError, match="a frame is given by its name"):
        made.c("T", frame=["tip"])
    for frames in ("tip", 3):
        with pytest.raises(ArgumentError, match="frames is a list of names"):
            made.save(tmp_path, frames=frames)
    with pytest.raises(InputError, match="angle_tolerance is a number from 0 to"):
        lw.equations(made.model, angle_tolerance="small")


def test_long_names_of_functions_stay_apart():
    arm = lw.equations(lw.load("two_link"))
    names = [re.search(r"two_link_\w+(?=\()", arm.c(what))[0] for what in ("M,h,C,g,E", "M,h,C,g,P")]
    assert len(set(names)) == 2
    assert max(map(len, names)) <= 63
