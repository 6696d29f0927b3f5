"""Poses, Jacobians and their rates, exactly: against the library, against each other, in text and in code."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy
from test_equations import follower, once, with_joint

import linkwright as lw
from generated import LANGUAGES
from linkwright.dynamics.configuration import configuration_rate
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.model.build.description import JOINT_NAMES
from linkwright.model.tree import Model
from linkwright.symbolic import Equations, equations
from mechanisms import relative_error, state
from shortened import long_form

KINDS = [kind for kind in JOINT_NAMES if kind != "fixed"]
REFERENCE_FRAMES = ("world_aligned", "body", "world")


def library(model: Model, q: np.ndarray, v: np.ndarray, frame: str, reference_frame: str) -> dict[str, np.ndarray]:
    G = np.stack([configuration_rate(model, q, unit) for unit in np.eye(model.nv)], axis=1)
    return {
        "G": G,
        "T": lw.pose(model, q, frame),
        "J": lw.jacobian(model, q, frame, reference_frame),
        "J_dot": lw.jacobian_dot(model, q, v, frame, reference_frame),
        "V": lw.velocity(model, q, v, frame, reference_frame),
    }


def values_at(made: Equations, frame: str, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
    names = (*made.coordinates.q, *made.coordinates.v)
    return made.frame_parameters(frame) | dict(zip(names, (*q, *v), strict=True))


def read(text: str, values: dict[str, float], shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Arrays from the printed lines; what has no line of its own is zero where the text says so."""
    known = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "pi": np.pi, **values}
    found = {letter: np.full(shape, np.nan) for letter, shape in shapes.items()}
    for line in text.splitlines():
        left, right = line.split(" = ")
        letter, _, place = left.partition("[")
        if right == "0 otherwise" or not place:
            rest = np.isnan(found[letter])
            assert rest.any()
            found[letter][rest] = 0.0
        else:
            found[letter][tuple(int(k) - 1 for k in place[:-1].split(","))] = eval(right.replace("^", "**"), known)
    return found


FRAMES = (("tool", "world_aligned"), ("side", "body"), ("tool", "world"))


@pytest.mark.parametrize(
    ("kind", "parameters", "frames"),
    # by the same derivation: one frame of each, all three among them
    [(kind, "symbols", FRAMES[k % 3 : k % 3 + 1]) for k, kind in enumerate(KINDS, 2)]
    + long_form(*((kind, parameters, FRAMES) for kind in KINDS for parameters in ("symbols", "numbers"))),
)
def test_every_joint_type_in_text(kind, parameters, frames):
    model = with_joint(kind)
    made = once(model, parameters)
    for seed, (frame, reference_frame) in enumerate(frames):
        q, v, _ = state(model, seed)
        theirs = library(model, q, v, frame, reference_frame)
        text = made.text(what="G,T,J,J_dot,V", frame=frame, reference_frame=reference_frame)
        ours = read(text, values_at(made, frame, q, v), {letter: x.shape for letter, x in theirs.items()})
        for letter, reference_value in theirs.items():
            assert relative_error(ours[letter], reference_value) < 1e-12, (letter, frame)


@pytest.mark.parametrize("kind", KINDS)
def test_identities_hold_exactly(kind):
    """V = J v, J̇ is the rate of J, and the rate of the position is the velocity, as polynomials."""
    made = once(with_joint(kind))
    mechanism = made._framed("tool")
    ring = mechanism.ring
    rates = dict(zip(made.coordinates.q, made.polynomials("rate_matrix") @ made._mechanism.v, strict=True))
    rates = {name: evaluated(ring, rate) for name, rate in rates.items()}
    forms = {name: made.polynomials(name, "tool") for name in ("pose", "jacobian", "jacobian_dot", "velocity")}
    J, V = forms["jacobian"], forms["velocity"]
    for k in range(6):
        total = sum((x * y for x, y in zip(J[k], mechanism.v, strict=True)), ring.zero)
        assert total == V[k]
        for j in range(J.shape[1]):
            assert ring.rate(J[k, j], rates) == forms["jacobian_dot"][k, j]
    for k in range(3):
        assert ring.rate(forms["pose"][k, 3], rates) == V[k]


def evaluated(ring, p):
    """A polynomial of another ring in this one, which has all its names."""
    total = ring.zero
    for factors, coefficient in p:
        term = ring.one * coefficient
        for name, e in factors:
            term = term * ring[name] ** e
        total = total + term
    return total


@pytest.mark.parametrize("name", ["puma560", "arm7", "chain3d:3"])
def test_built_in_mechanisms(name):
    model = lw.load(name)
    frame = list(model.frames)[-1]
    made = equations(model, {"inertial": "numbers"})
    q, v, _ = state(model, 3)
    theirs, values = library(model, q, v, frame, "world_aligned"), values_at(made, frame, q, v)
    names = {"T": "pose", "J": "jacobian", "V": "velocity"}
    for letter, what in names.items():
        form = made.polynomials(what, frame)
        assert relative_error(evaluate(form.flat, values).reshape(form.shape), theirs[letter]) < 1e-12


def test_two_links_as_books_print_them():
    made = equations(lw.load("two_link"))
    l1, l2, t1, t2 = (sympy.Symbol(name, real=True) for name in "l1 l2 theta1 theta2".split())
    x = l1 * sympy.cos(t1) + l2 * sympy.cos(t1 + t2)
    y = l1 * sympy.sin(t1) + l2 * sympy.sin(t1 + t2)
    assert made.pose("tip")[:2, 3] == sympy.ImmutableMatrix([x, y])
    J = made.jacobian("tip")
    assert J.shape == (6, 2)
    assert J[:2, :] == sympy.ImmutableMatrix([x, y]).jacobian([t1, t2])
    assert made.jacobian_dot("tip").shape == (6, 2)
    assert made.velocity("tip").shape == (6, 1)
    assert made.rate_matrix == sympy.eye(2)
    assert made.frame_parameters("tip")["l2"] == 1.0
    assert list(made.frame_parameters("tip"))[:-1] == list(made.parameters)
    assert made.frame_meanings("tip")["l2"] == "from link2's joint to frame tip along x of the first, m"
    assert made.text(what="T", frame="tip").splitlines()[2] == "T[1,4] = l1*cos(theta1) + l2*cos(theta1 + theta2)"
    assert r"\dot{J}_{1,2} &= " in made.latex(what="J_dot", frame="tip")


def test_names_of_frames():
    builder = lw.Builder("named").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1)
    builder.joint("first", "revolute", "world", "a").joint("second", "revolute", "a", "b", xyz=(0.4, 0, 0))
    builder.frame("mid-way", "a", xyz=(0.1, 0.2, 0)).frame("tool", "b", xyz=(0.3, 0, 0)).frame("2", "a", xyz=(1, 0, 0))
    builder.frame("stand", "world", xyz=(0, 0, 2.0))
    model = builder.build()
    made = equations(model)
    own = {frame: set(made.frame_parameters(frame)) - set(made.parameters) for frame in model.frames}
    assert own["mid-way"] == {"l1x_mid_way", "l1y_mid_way"}
    assert own["tool"] == {"l2"}
    assert own["2"] == {"l1_2"}
    assert own["stand"] == {"l0_stand"}
    assert own["world"] == own["a"] == own["b"] == set()
    assert "l_{1x,mid,way}" in made.latex(what="T", frame="mid-way")
    given = equations(model, {"l2": 0.5, "l1x_mid_way": 0.25})
    assert "l2" not in given.frame_parameters("tool")
    assert "0.5*" in given.text(what="J", frame="tool")
    assert equations(model, {"geometry": "numbers"}).frame_parameters("tool").keys() == made.parameters.keys() - {"l1"}
    with pytest.raises(UnknownNameError, match="l7"):
        equations(model, {"l7": 0.5})


def test_frames_are_snapped_and_listed_or_refused():
    def tilted(angle):
        builder = lw.Builder("tilted").body("a", 1.0, (0.1, 0.2, 0.3), 0.1).joint("hinge", "revolute", "world", "a")
        return builder.frame("tool", "a", xyz=(0.1, 0, 0), rpy=(angle, 0, 0)).build()

    made = equations(tilted(1.0472))
    assert not made.snapped
    assert "sqrt(3)" in made.text(what="T", frame="tool")
    assert "frame 'tool'" in made.snapped[0]
    named = equations(tilted(1.05))
    assert named.text(what="T", frame="tool").splitlines()[2] == "T[1,3] = sin(theta1)*sin(alpha1_tool)"
    assert named.frame_parameters("tool")["alpha1_tool"] == 1.05
    assert named.frame_meanings("tool")["alpha1_tool"].startswith("turn of frame 'tool' about x, rad")
    assert "alpha1_tool" not in named.parameters
    refused = equations(tilted(1.05), "numbers")
    assert "M[1,1]" in refused.text()
    with pytest.raises(ModelError, match="frame 'tool' turns by angles that are no multiples"):
        refused.pose("tool")


def test_wrong_requests_are_reported():
    made = equations(lw.load("two_link"))
    for call in (made.text, made.latex, made.c, made.python):
        with pytest.raises(InputError, match="T is of a frame"):
            call(what="M,T")
        with pytest.raises(InputError, match="are of no frame"):
            call(what="M,h", frame="tip")
        with pytest.raises(InputError, match="there is no 'Q'; there are M, h, C, g"):
            call(what="Q")
        with pytest.raises(UnknownNameError, match="hand"):
            call(what="T", frame="hand")
        with pytest.raises(InputError, match="reference_frame is 'tool'"):
            call(what="J", frame="tip", reference_frame="tool")
    with pytest.raises(InputError, match="of no frame"):
        made.python("rhs", frame="tip")
    with pytest.raises(ArgumentError, match="by its name"):
        made.pose(3)
    with pytest.raises(InputError, match=r"pose \(T\)"):
        made.sympy("poses", frame="tip")


CASES = {
    "two_link": (lambda: lw.load("two_link"), "symbols", "tip"),
    "arm7 numbers": (lambda: lw.load("arm7"), "numbers", "link7"),
    "free": (lambda: with_joint("free"), "symbols", "tool"),
    "planar": (lambda: with_joint("planar"), "symbols", "tool"),
    "helical": (lambda: with_joint("helical"), "numbers", "tool"),
    "follower": (follower, "symbols", "c"),
}


@cache
def mechanism(case: str) -> Model:
    return CASES[case][0]()


@pytest.mark.variants("language")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_code_agrees_with_the_library(language, case, tmp_path):
    _, parameters, frame = CASES[case]
    model = mechanism(case)
    frame = frame if frame in model.frames else list(model.frames)[-1]
    made = once(model, parameters)
    p = np.array(list(made.frame_parameters(frame).values()))
    for letters, reference_frame in (("T,J", "world_aligned"), ("g,G,J_dot,V", "body")):
        folder = tmp_path / reference_frame
        folder.mkdir()
        function = LANGUAGES[language](getattr(made, language)(letters, frame, reference_frame), folder)
        for seed in range(2):
            q, v, _ = state(model, seed)
            known = library(model, q, v, frame, reference_frame) | {"g": lw.gravity_forces(model, q)}
            theirs = [known[letter] for letter in letters.split(",")]
            arguments = [q, *([v] if "V" in letters else []), *([p] if len(p) else [])]
            for ours, expected in zip(function(arguments, [x.shape for x in theirs]), theirs, strict=True):
                assert relative_error(ours, expected) < 1e-12
