"""Friction and springs as equations: against passive_forces, which smooths the ideal law of friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy
from matplotlib.mathtext import MathTextParser
from tests.symbolic.output.test_code import expected

import linkwright as lw
from generated import LANGUAGES
from linkwright.errors import InputError, ModelError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.model.build.assembly import assemble
from linkwright.model.build.description import JOINT_NAMES
from linkwright.model.tree import Model
from linkwright.symbolic import Equations, equations
from mechanisms import relative_error, state

FAST = 1e9
"""So fast that smoothed friction is the ideal one."""


def with_forces(kind: str, **forces) -> Model:
    """A joint with friction or a spring, and a slide on it."""
    builder = lw.Builder(kind).body("a", 1.0, (0.1, 0, 0), 0.1).body("b", 1.0, (0, 0.1, 0), 0.1)
    builder.joint("first", ("helical", 0.3) if kind == "helical" else kind, "world", "a")
    model = builder.joint("second", "prismatic", "a", "b").build()
    return model.with_joint("first", **forces).with_joint("second", **forces)


def followers(**forces) -> Model:
    """One joint follows another backwards, one forwards."""
    builder = lw.Builder("followers").body("a", 1.0, inertia=0.1).body("b", 1.0).body("c", 1.0, inertia=0.1)
    builder.joint("lead", "revolute", "world", "a")
    builder.joint("back", "prismatic", "a", "b").mimic("back", "lead", -0.3, 0.1)
    model = builder.joint("twice", "revolute", "b", "c").mimic("twice", "lead", 2.0).build()
    for name in ("lead", "back", "twice"):
        model = model.with_joint(name, **forces)
    return model


def value(made: Equations, what: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    values = made.parameters | dict(zip((*made.coordinates.q, *made.coordinates.v), (*q, *v), strict=True))
    return evaluate(made.polynomials(what).flat, values)


KINDS = [*(kind for kind in JOINT_NAMES if kind != "fixed"), "followers"]


def model_of(kind: str, **forces) -> Model:
    return followers(**forces) if kind == "followers" else with_forces(kind, **forces)


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_joint(kind, parameters):
    damped, rubbing = model_of(kind, damping=0.4), model_of(kind, friction=0.3)
    q, v, _ = state(damped, 1)
    for model, speed in ((damped, 1.0), (rubbing, FAST)):
        D = value(equations(model, parameters), "friction_forces", q, v)
        assert np.all(D)
        assert relative_error(D, -lw.passive_forces(model, q, speed * v)) < 1e-14
    sprung = model_of(kind, stiffness=3.0, rest=None if kind in ("spherical", "free") else 0.2)
    made = equations(sprung, parameters)
    if kind in ("spherical", "free"):
        with pytest.raises(ModelError, match="'first' resists a rotation vector"):
            made.polynomials("spring_forces")
        assert made.vanishes("friction_forces")
    else:
        assert relative_error(value(made, "spring_forces", q, v), -lw.passive_forces(sprung, q, 0.0 * v)) < 1e-14


def test_unequal_springs_of_a_planar_joint():
    model = with_forces("planar")
    (first, second) = model.description.joints
    joints = (replace(first, stiffness=(3.0, 1.0, 2.0), rest=(0.2, -0.1, 0.3)), second)
    model = assemble(replace(model.description, joints=joints))
    q, v, _ = state(model, 1)
    for parameters in ("numbers", "symbols"):
        found = value(equations(model, parameters), "spring_forces", q, v)
        assert relative_error(found, -lw.passive_forces(model, q, 0.0 * v)) < 1e-14
        assert relative_error(found, lw.derivative(lw.spring_energy, "q")(model, q)) < 1e-14


def test_without_passive_forces_they_vanish():
    made = equations(lw.load("two_link"))
    assert made.vanishes("friction_forces")
    assert made.vanishes("spring_forces")
    assert made.text(what="M,D").splitlines()[-1] == "D = 0"


def damped_arm() -> Model:
    builder = lw.Builder("arm").body("upper", 1.0, (0.5, 0, 0), 0.1).body("lower", 1.0, (0.5, 0, 0), 0.1)
    forces = {"damping": 0.2, "friction": 0.05}
    builder.joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), **forces).joint_spring(
        "shoulder", 3.0, rest=0.25
    )
    return builder.joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), xyz=(1, 0, 0), **forces).build()


def test_names_and_print():
    made = equations(damped_arm())
    assert made.text(what="D,K").splitlines() == [
        "D[1] = b1*theta1_dot + mu1*sign(theta1_dot)",
        "D[2] = b2*theta2_dot + mu2*sign(theta2_dot)",
        "K[1] = k1*(theta1 - rest1)",
        "K[2] = 0",
    ]
    assert {name: made.parameters[name] for name in ("b1", "mu1", "k1", "rest1")} == {
        "b1": 0.2,
        "mu1": 0.05,
        "k1": 3.0,
        "rest1": 0.25,
    }
    assert made.meanings["mu2"] == "Coulomb friction of elbow"
    for line in made.latex(what="D,K").splitlines()[1:-1]:
        assert MathTextParser("path").parse(f"${line.removesuffix(chr(92) * 2).replace('&', '')}$").width > 0
    assert r"\mu_{1} \, \operatorname{sign}(\dot{\theta}_{1})" in made.latex(what="D")
    w = sympy.Symbol("theta1_dot", real=True)
    b, mu = sympy.symbols("b1 mu1", real=True)
    assert sympy.expand(made.friction_forces[0] - b * w - mu * sympy.sign(w)) == 0
    assert made.spring_forces.shape == (2, 1)


def test_numbers_are_chosen_by_group_and_by_name():
    made = equations(damped_arm(), {"passive": "numbers"})
    assert made.text(what="D,K").splitlines()[::2] == [
        "D[1] = 0.2*theta1_dot + 0.05*sign(theta1_dot)",
        "K[1] = -0.75 + 3*theta1",
    ]
    assert "b1" not in made.parameters
    assert equations(damped_arm(), {"mu1": 0.0, "rest1": 0}).text(what="D,K").splitlines()[::2] == [
        "D[1] = b1*theta1_dot",
        "K[1] = k1*theta1",
    ]
    with pytest.raises(InputError, match="there are M, h, C, g, D, R, K"):
        made.text(what="D,F")


def reference(model: Model, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    K = -lw.passive_forces(model, q, 0.0 * v)
    rubbing = -lw.passive_forces(model, q, FAST * v) - K
    D = np.array([0.2 * v_k + 0.05 * np.sign(v_k) for v_k in v])
    assert np.allclose(rubbing, D + (FAST - 1.0) * 0.2 * v, rtol=1e-12)
    return [*expected(model, q, v), D, K]


@pytest.mark.variants("what")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("what", "parameters"), [("M,h,g,D,K", "symbols"), ("K, D", "numbers"), ("D", "symbols")])
def test_code(language, what, parameters, tmp_path):
    model = damped_arm()
    made = equations(model, parameters)
    source = getattr(made, language)(what)
    assert ("M(q) a + h(q, v) + g(q) + D(v) + K(q) = tau" in source) == ("K" in what)
    function = LANGUAGES[language](source, tmp_path)
    for seed in range(3):
        q, v, _ = state(model, seed)
        v[0] *= seed  # sign(0) = 0
        given = [q, v, *([np.array(list(made.parameters.values()))] if made.parameters else [])]
        known = dict(zip("MhgDK", reference(model, q, v), strict=True))
        theirs = [known[letter] for letter in "MhgDK" if letter in what]  # in the order of the equation
        for ours, expected_value in zip(function(given, [x.shape for x in theirs]), theirs, strict=True):
            assert relative_error(ours, expected_value) < 1e-12
    assert "sign" not in made.octave()


def gate():
    return (
        lw.Builder("gate")
        .body("leaf", mass=20, center_of_mass=[0.5, 0, 0], inertia=[0.1, 1.7, 1.7])
        .joint("hinge", "revolute", "world", "leaf", axis=[0, 0, 1], damping=1.0)
        .joint_spring("hinge", 2.0)
        .spring(("world", [0.5, -0.6, 0]), ("leaf", [0.5, 0, 0]), 300.0, 80.0, name="closer")
        .build()
    )


def test_springs_between_bodies_have_no_polynomial_and_are_reported(tmp_path):
    made = equations(gate())
    assert made.letters == ("M", "h", "g")
    for what in ("K", "D"):
        with pytest.raises(ModelError, match=r"spring 'closer' between points.*square root.*passive_forces"):
            made.text(what=what)
    result = made.explanation().text()
    assert "closer between points of two bodies are not among them" in result
    assert "closer between bodies act in addition to gravity" in result
    assert "The damper of closer between bodies dissipates energy" in result
    assert "1. theta1 = 0;" in result
    assert "closer have no exact form" in made.html(tmp_path / "gate.html").read_text()


def lossy() -> lw.Model:
    """Dampers and friction on a hinge, on a slide, and on a joint that follows backwards; a damper on a ball."""
    builder = lw.Builder("lossy")
    for name in "abcd":
        builder.body(name, 1.0, (0.2, 0, 0), 0.1)
    builder.joint("one", "revolute", "world", "a", damping=0.3, friction=0.2)
    builder.joint("two", "prismatic", "a", "b", axis=(1, 0, 0), damping=0.5)
    builder.joint("back", "revolute", "b", "c", damping=0.1, friction=0.4).mimic("back", "one", -2.0)
    builder.joint("ball", "spherical", "c", "d", damping=0.7)
    return builder.build()


def test_friction_is_the_slope_of_rayleighs_function():
    made = equations(lossy())
    R, D = made.polynomials("dissipation").item(), made.polynomials("friction_forces")
    ring = R.ring
    for name, force in zip(made.coordinates.v, D, strict=True):
        assert ring.derivative(R, name) == force
    # the power lost is D v: twice the part of the dampers, once that of friction
    power = D @ np.array([ring[name] for name in made.coordinates.v], dtype=object)
    coulomb = ring.put(R, {name: 0 for name in R.used() if name.startswith("b")})
    assert power == 2 * (R - coulomb) + coulomb
    v = np.array([0.3, -0.5, 0.2, 0.1, -0.4])
    values = {name: made._plan.values[name] for name in made.passive_names} | dict(
        zip(made.coordinates.v, v, strict=True)
    )
    rates = [0.3, -0.5, -0.6, 0.2, 0.1, -0.4]
    expected = 0.5 * np.dot([0.3, 0.5, 0.1, 0.7, 0.7, 0.7], np.square(rates)) + 0.2 * 0.3 + 0.4 * 0.6
    assert evaluate([R], values)[0] == pytest.approx(expected)
    scope: dict = {}
    exec(made.python("R"), scope)
    assert scope["lossy_dissipation"](v)[0] == pytest.approx(expected)


def test_the_derivation_has_rayleighs_function_where_something_is_lost():
    lines = equations(lossy()).derivation_text().splitlines()
    (function,) = (line for line in lines if line.startswith("R = "))
    assert "theta1_dot*(b1 + 4*b3)" in function
    assert "sign(theta1_dot)" in function
    assert "dR/dd2_dot = b2*d2_dot" in lines
    assert lines[-1] == "d/dt dL/dv - slopes of L - turning + dR/dv = tau"
    lines = equations(lw.load("two_link")).derivation_text().splitlines()
    assert lines[-1] == "d/dt dL/dv - slopes of L = tau"
    assert not any(line.startswith(("R =", "dR/")) for line in lines)
    assert r"\mathcal{R} &=" in equations(lossy()).latex(what="R")
