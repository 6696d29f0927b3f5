"""Equations that somebody typed against ours: decided, with what differs, and nothing of the text is run."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
import sympy
from test_equations import follower, once, with_joint

import linkwright as lw
from linkwright.errors import ArgumentError, ExpressionError, InputError, LinkwrightError, UnknownNameError
from linkwright.symbolic import equations
from linkwright.symbolic.derivation.given.expression_parser import parsed, spelled
from linkwright.symbolic.output.notation import FORMS

TWO_LINK = {
    "M[1,1]": "m1*lg1^2 + m2*(l1^2 + lg2^2 + 2*l1*lg2*cos(q2)) + I1 + I2",
    "M[1,2]": "m2*(lg2^2 + l1*lg2*cos(q2)) + I2",
    "M[2,1]": "m2*(lg2^2 + l1*lg2*cos(q2)) + I2",
    "M[2,2]": "m2*lg2^2 + I2",
    "h[1]": "-m2*l1*lg2*sin(q2)*qd2*(2*qd1 + qd2)",
    "h[2]": "m2*l1*lg2*sin(q2)*qd1^2",
    "g[1]": "m2*g*(lg2*cos(q1 + q2) + l1*cos(q1)) + m1*g*lg1*cos(q1)",
    "g[2]": "m2*g*lg2*cos(q1 + q2)",
}
"""the tutorial's, as its programs print them"""

UNTIDY = {
    # ratsimp keeps squares of sines and cosines, and the velocity of the second link as it came
    "M[1,1]": "m1*lg1^2 + I1 + I2 + m2*((l1*sin(q1) + lg2*sin(q1+q2))^2 + (l1*cos(q1) + lg2*cos(q1+q2))^2)",
    "M[1,2]": "I2 + m2*lg2^2*(sin(q1+q2)**2 + cos(q1+q2)**2) + m2*l1*lg2*(sin(q1)*sin(q1+q2) + cos(q1)*cos(q1+q2))",
    # trigreduce keeps two terms of h2 that cancel
    "h[2]": "m2*l1*lg2*sin(q2)*qd1*(qd1 + qd2) - m2*l1*lg2*sin(q2)*qd1*qd2",
    "g[2]": "m2*g*lg2*(cos(q1)*cos(q2) - sin(q1)*sin(q2))",
}


def test_the_tutorials_two_links_as_printed():
    made = equations(lw.load("two_link"))
    for what, typed in [*TWO_LINK.items(), *UNTIDY.items()]:
        assert made.same_as(typed, what), what
        assert made.same_as(f"{what} = {typed}")
    assert made.same_as("\n".join(f"{what} = {typed}" for what, typed in TWO_LINK.items()))
    for k in "12":
        inertial = " + ".join(f"({TWO_LINK[f'M[{k},{j}]']})*qdd{j}" for j in "12")
        assert made.same_as(f"tau{k} = {inertial} + {TWO_LINK[f'h[{k}]']} + {TWO_LINK[f'g[{k}]']}")


def test_what_differs_is_reported_in_its_shortest_form():
    made = equations(lw.load("two_link"))
    wrong = TWO_LINK["h[1]"].replace("2*qd1", "qd1")  # a factor forgotten
    result = made.same_as(wrong, "h[1]")
    assert not result
    assert result.differences[0].text == "m2*l1*lg2*sin(theta2)*theta1_dot*theta2_dot"
    assert str(result) == "h[1]: given minus derived is m2*l1*lg2*sin(theta2)*theta1_dot*theta2_dot"
    assert (
        result.differences[0].latex
        == r"m_{2} \, l_{1} \, l_{g2} \, \sin \theta_{2} \, \dot{\theta}_{1} \, \dot{\theta}_{2}"
    )
    both = made.same_as("g[2] = m2*g*lg2*cos(q1 + q2)\ng[1] = 0")
    assert [one.place for one in both.differences] == ["g[1]"]
    assert both.compared == ("g[2]", "g[1]")
    assert both.text().splitlines()[0] == "g[2]: the same"
    assert made.same_as("2*m2*lg2^2/2 + I2 + 1/l1", "M[2,2]").differences[0].text == "(1)/(l1)"


@pytest.mark.variants("form")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["two_link", "planar:3", "chain3d:1", "helical", "planar", "follower", "numbers"])
def test_every_form_that_is_printed_is_the_same_and_a_changed_one_is_not(name, form):
    model = follower() if name == "follower" else with_joint(name) if name in ("helical", "planar") else None
    model = model or lw.load("two_link" if name == "numbers" else name)
    made = once(model, "numbers" if name in ("numbers", "helical", "planar") else "symbols")
    what = "M,h,g" if name in ("helical", "planar") else "M,h,C,g,E,U,c,P"
    text = made.text(form, what)
    assert made.same_as(text), made.same_as(text)
    line = next(line for line in text.splitlines() if line.startswith("M[1,1]"))
    result = made.same_as(f"{line} + {made.coordinates.v[0]}")
    assert [one.text for one in result.differences] == [made.coordinates.v[0]]


def test_printed_numbers_are_rounded_and_compare_as_rounded():
    made = once(lw.load("puma560"), "numbers")
    lines = made.text("products", "M,h,g").splitlines()
    assert made.same_as("\n".join(lines))
    line = next(line for line in lines if line.startswith("M[2,2]"))
    assert made.same_as(line), made.same_as(line)
    number = max(re.findall(r"\d+\.\d+", line), key=len)
    assert not made.same_as(line.replace(number, f"{float(number) * (1 + 1e-9):.12g}"))
    assert not made.same_as(f"{line} + 1e-10")
    assert not made.same_as(f"{line} + 1e-10*theta2_dot")  # there are no terms alike, of which this would be rounding
    assert not made.same_as("M[2,2] = 0.5 + 1e-13", names={})


def test_short_numbers_are_exact():
    made = once(lw.load("two_link"), "numbers")
    short = made.text("products", "g").splitlines()[0]
    assert not re.search(r"\d{11}|\d\.\d{10}", short)
    assert made.same_as(short)
    assert not made.same_as(f"{short} + 1e-13*cos(theta1)")


@pytest.mark.parametrize("letter", ["T", "J", "J_dot", "V"])
def test_kinematics_of_a_frame(letter):
    made = equations(lw.load("two_link"))
    assert made.same_as(made.text("angles", letter, "tip"), frame="tip")
    assert made.same_as("l1*cos(q1) + l2*cos(q1 + q2)", "T[1,4]", frame="tip")
    assert not made.same_as("l1*cos(q1) + l2*cos(q2)", "T[1,4]", frame="tip")


@pytest.mark.parametrize(
    "typed",
    [
        "tau1 = (m1*lg1^2 + I1)*theta1_ddot + m1*g*lg1*sin(theta1)",
        "(m1*lg1^2 + I1)*theta1_ddot + m1*g*lg1*sin(theta1) - tau1 = 0",
        "theta1_ddot = (tau1 - m1*g*lg1*sin(theta1))/(m1*lg1^2 + I1)",
        "tau = (m*lg^2 + I)*qdd + m*g*lg*sin(q)",
        "qdd + m*g*lg/(m*lg^2 + I)*sin(q) = 0",
        "-2*m*g*lg*sin(q)/(m*lg^2 + I) = 2*qdd",
        "τ₁ = (m₁·lg₁² + I₁)·θ̈₁ + m₁·g·lg₁·sin(θ₁)",
        "(m*lg**2 + I)*ddq1 + 2*m*g*lg*tan(q)*cos(q)/2",
        "tau1 = (m1*lg1^2 + I1)*qdd1 + m1*g*lg1*cos(q1 - pi/2)",
        "tau1 = (m1*lg1^2 + I1)*qdd1 + m1*g*lg1*sqrt(2)*(sin(q1 + pi/4) + sin(q1 - pi/4))/2",
    ],
)
def test_an_equation_may_be_written_in_many_ways(typed):
    made = equations(lw.load("pendulum"))
    assert made.same_as(typed), made.same_as(typed)
    wrong = typed.replace("sin(", "3*sin(").replace("cos(", "3*cos(")
    result = made.same_as(wrong)
    assert not result
    assert result.differences[0].place.split()[0] == "tau[1]"


def test_sympy_expressions_and_functions_of_time():
    made = equations(lw.load("two_link"))
    for matrix in ("mass_matrix", "gravity_forces", "coriolis_matrix"):
        letter = {"mass_matrix": "M", "gravity_forces": "g", "coriolis_matrix": "C"}[matrix]
        assert made.same_as(sympy.expand(getattr(made, matrix), trig=True), letter)
        assert len(made.same_as(2 * getattr(made, matrix), letter).differences) > 0
    t, m2, g, lg2 = sympy.symbols("t m2 g lg2")
    q1, q2 = (sympy.Function(name)(t) for name in ("theta1", "theta2"))
    assert made.same_as(m2 * g * lg2 * sympy.cos(q1 + q2), "g[2]")
    assert made.same_as(m2 * sympy.Symbol("l1") * lg2 * sympy.sin(q2) * q1.diff(t) ** 2, "h[2]")
    equation = sympy.Eq(
        sympy.Symbol("tau1"),
        sum(
            (made.mass_matrix[0, j] * made_a for j, made_a in enumerate(sympy.symbols(made.coordinates.a))),
            made.velocity_forces[0] + made.gravity_forces[0],
        ),
    )
    assert made.same_as(equation)
    with pytest.raises(InputError, match="cannot be compared"):
        made.same_as(sympy.exp(m2), "g[2]")
    nested = [[str(x) for x in row] for row in np.array(made.mass_matrix)]
    assert made.same_as(nested, "M")
    with pytest.raises(InputError, match="M has 4 entries; 2 were given"):
        made.same_as(["1", "2"], "M")


def test_own_names():
    made = equations(lw.load("two_link"))
    names = {"a1": "l1", "r2": "lg2", "x": "theta1 + theta2", "J2": "I2 + m2*lg2^2"}
    assert made.same_as("m2*g*r2*cos(x)", "g[2]", names=names)
    assert made.same_as("J2 + m2*a1*r2*cos(q2)", "M[1,2]", names=names)
    with pytest.raises(UnknownNameError, match="'r2'"):
        made.same_as("m2*g*r2*cos(q1)", "g[2]")
    with pytest.raises(InputError, match="equation for 'x'"):
        made.same_as("x", "g[2]", names={"x": "theta1 = 1"})


def test_dampers_friction_and_springs():
    builder = lw.Builder("damped").body("a", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("j", "revolute", "world", "a", axis=(0, 1, 0), damping=0.3, friction=0.1).joint_spring(
        "j", 2.0, rest=0.2
    )
    made = equations(builder.build())
    gravity = equations(builder.build()).text(what="g").split(" = ")[1]
    typed = f"tau = (m*lg^2 + I)*qdd + {gravity} + b*qd + mu*sign(qd) + k*(q - rest)"
    result = made.same_as(typed)
    assert not result
    assert "b1*theta1_dot" in result.text()
    assert made.same_as(typed, terms="all"), made.same_as(typed, terms="all")
    assert made.same_as("b1*theta1_dot + mu1*sign(theta1_dot)", "D[1]")


HOSTILE = [
    "__import__('os').system('touch made_by_text')",
    "open('made_by_text', 'w')",
    "().__class__.__bases__[0].__subclasses__()",
    "q1.__class__",
    "lambda: 1",
    "exec('1')",
    "[x for x in (1, 2)]",
    "{1: 2}",
    "'text'",
    "q1; q2",
    "q1\nimport os",
    "9^9^9^9",
    "((((9^64)^64)^64)^64)^64",
    "((((q1^64)^64)^64)^64)^64",
    "(" * 100_000,
    "(" * 2000 + "q1" + ")" * 2000,
    "-" * 90_000,
    "2^" * 40_000 + "2",
    "1e999999999",
    "9" * 1000,
    "1/0",
    "1/(sin(q1)^2 + cos(q1)^2 - 1)",
    "sqrt(-1)",
    "sqrt(q1)",
    "",
    "q1 q2",
    "q1 = q2 = q1",
    "a" * 200_000,
    "\0",
    "\N{FULLWIDTH LATIN SMALL LETTER Q}1",
    "sin",
    "sin(",
    "q1 +",
    "sign(q1)",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_refused_and_does_nothing(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = equations(lw.load("two_link"))
    with pytest.raises(LinkwrightError):
        made.same_as(text, "g[1]")
    assert os.listdir(tmp_path) == []


def test_long_flat_text_is_read():
    made = equations(lw.load("two_link"))
    assert made.same_as("1" + "*q1/q1" * 5000 + "-1" + "+q2-q2" * 5000 + "+ m2*lg2^2 + I2", "M[2,2]")


def test_wrong_requests_are_reported():
    made = equations(lw.load("two_link"))
    for what, said in (
        ("M[3,1]", "M has 2 x 2"),
        ("M[1]", "M has 2 x 2"),
        ("Q", "there is no 'Q'"),
        ("tau[3]", "tau\\[1\\] to tau\\[2\\]"),
    ):
        with pytest.raises(InputError, match=said):
            made.same_as("q1" if what != "tau[3]" else "q1 = 0", what)
    with pytest.raises(InputError, match="which row"):
        made.same_as("qdd1 + qdd2")
    with pytest.raises(InputError, match="only one row is compared"):
        made.same_as("tau1 = tau2 + q1")
    with pytest.raises(InputError, match="no multiple of any of the 2 rows"):
        made.same_as("qdd1 = qdd2")
    with pytest.raises(ExpressionError, match=r"sine is no polynomial"):
        made.same_as("sin(q1/5)", "g[1]")
    with pytest.raises(InputError, match="divides by zero"):
        made.same_as("1/(q1 - q1)", "g[1]")
    with pytest.raises(ArgumentError):
        parsed(5)


def test_letters_are_spelled_as_names():
    assert spelled("θ̇₁² + φ̈2 − ½").startswith("theta1_dot^2 + phi2_ddot -")
    assert spelled("θ\N{COMBINING DOT ABOVE}1") == "theta1_dot"


@pytest.mark.parametrize("typed", [None, [], ["g[2] = 0"], np.eye(2)])
def test_what_is_no_expression_is_reported(typed):
    with pytest.raises(InputError, match="text, or an expression or a matrix of SymPy"):
        lw.equations(lw.load("two_link")).same_as(typed)


def test_an_equation_without_an_effort_is_one_of_motion_without_efforts():
    pendulum = lw.equations(lw.load("pendulum"))
    free = pendulum.same_as("qdd = -m*g*lg*sin(q)/(m*lg^2 + I)")
    assert free
    assert "tau[1] with tau1 = 0: the same" in str(free)
    assert "with" not in str(pendulum.same_as("qdd = (tau - m*g*lg*sin(q))/(m*lg^2 + I)"))


ENERGIES = {
    "K1": "(m1*lg1^2 + I1)*qd1^2/2",
    "K2": "m2*(l1^2*qd1^2 + lg2^2*(qd1 + qd2)^2 + 2*l1*lg2*cos(q2)*qd1*(qd1 + qd2))/2 + I2*(qd1 + qd2)^2/2",
    "U1": "m1*g*lg1*sin(q1)",
    "U2": "m2*g*(l1*sin(q1) + lg2*sin(q1 + q2))",
}
"""of the links, as in the tutorial"""


def test_energies_of_links_and_the_lagrangian():
    made = equations(lw.load("two_link"))
    lines = [f"{name} = {typed}" for name, typed in ENERGIES.items()]
    assert made.same_as("\n".join([*lines, "K = K1 + K2", "U = U1 + U2", "L = K - U"]))
    assert made.same_as(f"L = {ENERGIES['K1']} + {ENERGIES['K2']} - {ENERGIES['U1']} - {ENERGIES['U2']}")
    wrong = made.same_as(f"K1 = 2*({ENERGIES['K1']})")
    assert [one.place for one in wrong.differences] == ["K1"]
    assert not made.same_as(f"L = {ENERGIES['K1']}")
    with pytest.raises(InputError, match="links are K1 to K2; got K3"):
        made.same_as("K3 = qd1^2")
    turned = made.in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
    with pytest.raises(InputError, match="K1 is the energy of a link"):
        turned.same_as(f"K1 = {ENERGIES['K1']}")
    assert made.same_as("K[1] = 0")  # the mechanism has no springs
    springs = equations(lw.Builder(lw.load("two_link")).joint_spring(lw.load("two_link").joints[0].name, 2.0).build())
    assert springs.same_as("K1 = k1*q1")


@pytest.mark.parametrize("terms", ["Z", "", "M,h,A", "M;h", 5, None, ["M"]])
def test_terms_that_are_none_of_an_equation_are_refused(terms):
    with pytest.raises(LinkwrightError, match=r"terms of an equation are M, C, h, g, D, K|terms lists letters"):
        equations(lw.load("two_link")).same_as("M[2,2] = m2*lg2^2 + I2", terms=terms)
