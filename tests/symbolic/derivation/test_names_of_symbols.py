"""Names of a model's symbols in equations: collisions with our names, spellings, definitions, numbers for symbols."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import linkwright as lw
from linkwright.errors import ArgumentError, ExpressionError, InputError, LinkwrightWarning, ModelError

m, l, I = sp.symbols("m l I", positive=True)


def pendulum(mass=1.0, length=1.0, inertia=0.1, g=9.81):
    builder = lw.Builder("rod", gravity=(0, 0, -g)).body("rod", mass, [length, 0, 0], inertia)
    return builder.joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0]).build()


def test_names_made_by_us_avoid_those_of_symbols():
    mass, length, x, other = sp.symbols("e1 e3 s1 c1", positive=True)
    equations = lw.equations(pendulum(mass, sp.sqrt(length), x / other, other))
    M = sp.expand(mass * length + x / other)
    assert sp.simplify(equations.mass_matrix[0, 0] - M) == 0
    assert equations.text(what="M").splitlines()[:2] == ["e2 = sqrt(e3)", "e4 = s1/c1"]
    for written in (equations.latex(), equations.mathml(), equations.c(), equations.python(), equations.maxima()):
        assert "e" in written
    assert "e2: sqrt(e3)$" in equations.maxima()
    assert set(equations.parameters) == {"e1", "e2", "e4", "c1"}


def test_every_name_is_defined():
    equations = lw.equations(pendulum(m, sp.sqrt(l), I / sp.Symbol("r")))
    definitions = equations.text(what="M").splitlines()[:-1]
    assert definitions == ["e1 = sqrt(l)", "e2 = I/r"]
    assert equations.text(what="g").startswith("e1 = sqrt(l)\ng[1] = ")  # those that occur
    assert r"e_{1} &= \sqrt{l}" in equations.latex(what="g")
    assert r"e_{2} &=" not in equations.latex(what="g")
    assert "<msqrt><mi>l</mi></msqrt>" in equations.mathml(what="g")
    assert equations.derivation_text().startswith("e1 = sqrt(l)\n")
    assert "e1 = 1, = sqrt(l)" in equations.python()


def test_quotients_that_are_polynomials_are_reduced():
    """The center of mass of inertial parameters is a quotient, the equations are linear in the parameters."""
    arm = lw.load("two_link")
    x = np.array(sp.symbols("a1:21"))
    equations = lw.equations(arm.with_parameters(x))
    assert equations.text(what="M").splitlines()[-1] == "M[2,2] = a20"
    q = [equations.symbols.setdefault(name, sp.Symbol(name, real=True)) for name in equations.coordinates.q]
    numbers = dict(zip(x, lw.inertial_parameters(arm), strict=True)) | dict(zip(q, (0.3, -0.7), strict=True))
    found = np.array(equations.mass_matrix.subs(numbers), dtype=float)
    np.testing.assert_allclose(found, lw.mass_matrix(arm, [0.3, -0.7]), rtol=1e-12)
    assert not any(name.startswith("e") for name in equations.parameters)
    with_number = lw.equations(pendulum(m * l / 2, I / l, I), {"l": 2.0})
    assert sp.expand(with_number.mass_matrix[0, 0] - (m * I**2 / 4 + I)) == 0


def test_spellings_of_the_user():
    mass, length, angle = sp.Symbol("m_{1}"), sp.Symbol("l_c"), sp.Symbol(r"x^2")
    equations = lw.equations(pendulum(mass, length, angle))
    assert equations.text(what="M") == "M[1,1] = m_1*l_c^2 + x_2"
    assert "m_{1}" in equations.latex()
    assert sp.latex(angle) in equations.latex()
    assert equations.mass_matrix[0, 0].free_symbols == {mass, length, angle}
    for key in (mass, "m_{1}", "m_1"):
        assert lw.equations(pendulum(mass, length, angle), {key: sp.Rational(1, 2)}).text(what="g") == (
            "g[1] = -4.905*l_c*cos(theta1)"
        )
    rooted = lw.equations(pendulum(m, sp.sqrt(l), I), {"l": 0.3, "m": 1.0})
    assert rooted.text(what="M") == "M[1,1] = 0.3 + I"
    array = lw.symbols("p", 3)
    assert r"p_{0} \, p_{1}^{2} + p_{2}" in lw.equations(pendulum(*array)).latex()
    assert lw.equations(pendulum(*array), {array[1]: 2}).text(what="M") == "M[1,1] = 4*p_0 + p_2"
    own = lw.symbols("k")
    assert lw.equations(pendulum(own), {own: 2}).text(what="M") == "M[1,1] = 2.1"


def test_the_letter_of_the_total_mass_avoids_a_symbol():
    builder = lw.Builder("two").body("a", m, [1, 0, 0], 0.1).body("b", l, [1, 0, 0], 0.1)
    builder.joint("1", "revolute", "world", "a").joint("2", "revolute", "a", "b", xyz=[1, 0, 0])
    equations = lw.equations(builder.build())
    text = equations.text(what="c").splitlines()
    assert text[0] in ("m_total = m + l", "m_total = l + m")
    assert text[1].endswith("/m_total")
    center = equations.sympy("center_of_mass")[0]
    at = {x: 0 for x in center.free_symbols if x.name.startswith("theta")}
    assert sp.simplify(center.subs(at) - (m + 2 * l) / (m + l)) == 0
    assert equations.same_as("(m*cos(theta1) + l*(cos(theta1) + cos(theta1 + theta2)))/m_total", "c[1]")
    assert "m_total" in equations.maxima("c")


def test_pi_stays():
    equations = lw.equations(pendulum(sp.pi * m / 3, l, sp.pi, sp.pi))
    assert equations.mass_matrix[0, 0] == sp.pi + sp.pi * m * l**2 / 3
    assert equations.gravity_forces[0].has(sp.pi**2)
    assert equations.text(what="M") == "M[1,1] = pi + 1/3*pi*m*l^2"
    assert r"\pi \, m \, l^{2}" in equations.latex(what="M")
    assert lw.total_mass(pendulum(sp.pi * m)) == sp.pi * m
    over = lw.equations(pendulum(m / sp.pi, sp.pi * l, 0.0, sp.pi))
    assert over.text(what="M,g") == "M[1,1] = pi*m*l^2\ng[1] = -pi*m*l*cos(theta1)"
    scope: dict = {}
    exec(equations.python(), scope)
    M, _, g = scope["rod_equations"]([0.3], [0.0], [0.7, 0.4])
    numeric = pendulum(np.pi * 0.7 / 3, 0.4, np.pi, np.pi)
    np.testing.assert_allclose(M, lw.mass_matrix(numeric, [0.3]), rtol=1e-14)
    np.testing.assert_allclose(g, lw.gravity_forces(numeric, [0.3]), rtol=1e-14)


def test_symbols_that_are_no_real_numbers_are_refused():
    for assumption in ({"imaginary": True}, {"real": False}, {"commutative": False}):
        with pytest.raises(ExpressionError, match="the symbol z is no real number by its assumptions"):
            pendulum(sp.Symbol("z", **assumption))
    z = sp.Symbol("z", imaginary=True)
    with pytest.raises(ExpressionError, match="the symbol z is no real number"):
        lw.compile(z**2, [z])


def test_results_of_a_model_are_of_sympy():
    model = pendulum(m, l, I)
    assert lw.total_mass(model) == m
    parameters = lw.inertial_parameters(model)
    assert parameters[0] == m
    assert sp.simplify(parameters[-1] - (I + m * l**2)) == 0
    own = pendulum(lw.symbols("m"))
    assert not isinstance(lw.inertial_parameters(own)[0], sp.Basic)


def test_names_are_split_at_commas():
    x, y = lw.symbols("x, y", (2, 3))
    assert (x.shape, y.shape) == ((2,), (3,))
    assert str(lw.symbols("a,b")[1]) == "b[]"


def closed(length, pitch=0.3, rod=0.9):
    builder = lw.Builder("bars").body("a", 1.0, [0.5, 0, 0], 0.1).body("b", 1.0, [0.5, 0, 0], 0.1)
    builder.joint("1", "revolute", "world", "a").joint("2", "revolute", "a", "b", xyz=[1, 0, 0])
    builder.frame("end", "b", xyz=[1, 0, 0]).loop("rod", ("distance", rod), "end", "world", xyz=(length, 0.1, 0))
    return builder.loop("thread", ("helical", pitch), "end", "world", rpy=[length, 0, 0]).build()


@pytest.mark.parametrize("theirs", [True, False], ids=["SymPy", "Linkwright"])
def test_loops_at_symbolic_places(theirs):
    symbols = sp.symbols("L p r", positive=True) if theirs else lw.symbols("L p r")
    numbers = [0.7, 0.2, 1.1]
    model, numeric = closed(*symbols), closed(*numbers)
    q, v = [0.3, 0.4], [0.5, -0.2]
    for algorithm in (lw.constraint_residual, lw.constraint_jacobian):
        kernel = lw.compile(algorithm(model, q), list(symbols))
        np.testing.assert_allclose(kernel(*numbers), algorithm(numeric, q), atol=1e-14)
    kernel = lw.compile(lw.constraint_bias(model, q, v), list(symbols))
    np.testing.assert_allclose(kernel(*numbers), lw.constraint_bias(numeric, q, v), atol=1e-14)
    equations = lw.equations(model)
    names = dict(zip(("L", "p", "r", "theta1", "theta2"), [*numbers, *q], strict=True))
    A = equations.constraint_jacobian
    found = np.array(A.subs({x: names[x.name] for x in A.free_symbols}), float)
    expected = lw.constraint_jacobian(numeric, q)
    expected[0] *= numbers[2]  # the row of a rod is written without a division by its length
    np.testing.assert_allclose(found, expected[np.abs(expected).max(axis=1) > 1e-12], atol=1e-12)
    assert set(equations.parameters) == {"L", "p"}


def test_symbols_that_loops_cannot_have_are_explained():
    builder = lw.Builder(closed(0.1))
    with pytest.raises(ArgumentError, match="loop 'e': the coefficients of a joint loop are numbers"):
        builder.loop("e", ("joint", (0.0, l)), "1", "2")
    with pytest.raises(ArgumentError, match="loop 'e': the axis of a loop is of numbers"):
        builder.loop("e", "revolute", "end", "world", axis=[l, 0, 1])
    with pytest.raises(ModelError, match="needs numbers, but 'bars' has symbols"):
        lw.close_loops(closed(l), [0.3, 0.4])


def test_all_terms_or_a_warning():
    damped = lw.Builder("damped").body("a", 1.0, [0.5, 0, 0], 0.1)
    damped.joint("j", "revolute", "world", "a", axis=[0, 1, 0], damping=sp.Symbol("b"))
    model = damped.build().with_joint("j", stiffness=sp.Symbol("k"))
    letters = [line[0] for line in lw.equations(model).text(what="all").splitlines()]
    assert letters == ["M", "h", "g", "D", "K"]
    assert r"D_{1} &= b" in lw.equations(model).latex(what="all")
    hung = lw.Builder(model).spring(("a", [1, 0, 0]), ("world", [1, 0, 1]), 2.0, 0.1, length=1.0, name="s").build()
    with pytest.warns(LinkwrightWarning, match="without the forces of s"):
        lw.equations(hung).text(what="all")


def test_numbers_without_a_finite_value_are_refused():
    l = sp.Symbol("l", real=True)
    for mass, given in ((m / l, {l: 0}), (m / sp.sqrt(l), {l: 0}), (m * sp.log(l), {l: -1})):
        with pytest.raises(InputError, match=r"has no finite value with l = (0|-1): give other numbers"):
            lw.equations(pendulum(mass), given)
    far = lw.equations(pendulum(m * sp.sqrt(l - 5), I))  # of no value where symbols are about 1
    assert far.text(what="M").splitlines()[0] == "e1 = sqrt(l - 5)"


def test_terms_are_grouped_by_the_masses_of_the_model():
    rho, alpha, beta = sp.symbols("rho alpha beta")
    builder = lw.Builder("double").body("a", sp.Symbol("mu"), [alpha, 0, 0], 0.0).body("b", rho, [beta, 0, 0], 0.0)
    builder.joint("1", "revolute", "world", "a").joint("2", "revolute", "a", "b", xyz=[alpha, 0, 0])
    text = lw.equations(builder.build()).text(what="M").splitlines()[0]
    assert text == "M[1,1] = mu*alpha^2 + rho*(alpha^2 + beta^2 + 2*alpha*beta*cos(theta2))"


def test_maxima_names_quantities_apart_from_parameters():
    """Maxima replaces assigned names: g, the acceleration, is no matrix in U, nor the mass M in h and g."""
    mass, length, g = sp.symbols("M h g")
    source = lw.equations(pendulum(mass, length, I, g)).maxima("M,h,g,U")
    letters = [line.partition(":")[0] for line in source.splitlines() if ":" in line]
    assert letters == ["M_matrix", "h_vector", "g_vector", "U"]
    numeric = lw.equations(lw.load("two_link")).maxima("M,g,E,U")
    assert "M: matrix(" in numeric
    assert "g_vector: matrix(" in numeric


def test_maxima_has_functions_of_definitions_or_an_error():
    assert "max(1, l)" in lw.equations(pendulum(m, sp.Max(l, 1))).maxima("M")
    with pytest.raises(InputError, match="Maxima, which has no function 'Piecewise'"):
        lw.equations(pendulum(m, sp.Piecewise((l, l > 1), (1, True)))).maxima("M")


@pytest.mark.parametrize(
    "call",
    [
        lambda model: lw.null_space(model, [0.3], "rod"),
        lambda model: lw.static_wrench(model, [0.3], "rod", [0.1]),
        lambda model: lw.to_dh(model),
        lambda model: lw.analytic_inverse_kinematics(model, "rod"),
        lambda model: lw.exciting_trajectory(model),
        lambda model: lw.linearize(model, [0.3], [0.0], [0.0]),
        lambda model: lw.base_parameters(model),
    ],
    ids="null_space static_wrench to_dh exact excitation linearize base_parameters".split(),
)
def test_what_needs_numbers_says_so(call):
    builder = lw.Builder("rod").body("rod", m, [l, 0, 0], I)
    model = builder.joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0], xyz=[l, 0, 0]).build()
    with pytest.raises(ModelError, match=r"needs numbers, but .*'rod' ha(s|ve) symbols"):
        call(model)


def test_the_model_in_numbers_has_the_values_of_dampers_and_springs():
    builder = lw.Builder("damped").body("a", 1.0, [0.5, 0, 0], 0.1)
    builder.joint("j", "revolute", "world", "a", axis=[0, 1, 0], damping=0.3, friction=0.1)
    model = builder.joint_spring("j", 2.0, rest=0.2).build()
    (joint,) = lw.equations(model, {"b1": 0.7, "k1": 3.0, "rest1": 0.4}).model.joints
    assert [joint.damping[0], joint.friction[0], joint.stiffness[0], joint.rest[0]] == [0.7, 0.1, 3.0, 0.4]
    symbolic = model.with_joint("j", damping=sp.Symbol("B"))
    assert lw.equations(symbolic, {"B": 0.6}).model.joints[0].damping[0] == 0.6
    assert lw.equations(symbolic).model.joints[0].damping[0] == 1.0  # the placeholder


def test_the_name_of_a_quantity_is_text():
    equations = lw.equations(pendulum(m))
    assert equations.sympy("M") == equations.mass_matrix
    for wrong in ([1, 2], {}, None):
        for function in (equations.vanishes, equations.sympy):
            with pytest.raises(InputError, match=r"there is no .*; there are mass_matrix \(M\)"):
                function(wrong)


@pytest.mark.parametrize("mass", [sp.Rational(2, 7), m])
def test_exact_numbers_of_a_model_stay_exact(mass):
    third, g = sp.Rational(1, 3), sp.sqrt(2) * sp.pi / 4
    equations = lw.equations(pendulum(mass, third, third / 4, g), "numbers")
    assert equations.mass_matrix[0, 0] == mass / 9 + third / 4
    theta = sp.Symbol("theta1", real=True)
    assert sp.expand(equations.gravity_forces[0] + mass * third * g * sp.cos(theta)) == 0
    q = sp.Symbol("q")
    assert lw.gravity_forces(pendulum(mass, sp.sqrt(5), 0.0, sp.pi), [q])[0] == -sp.sqrt(5) * sp.pi * mass * sp.cos(q)


@pytest.mark.parametrize("value", [-1, 0, True, sp.oo, sp.I, sp.Symbol("z"), "x", None, [1.0]])
def test_values_that_a_positive_symbol_cannot_have_are_refused(value):
    with pytest.raises(InputError, match=r"'m' (must be a finite real number|is positive by its assumptions)"):
        lw.equations(pendulum(m, l), {m: value})


def test_values_meet_the_assumptions_of_their_symbols():
    n, x = sp.Symbol("n", integer=True), sp.Symbol("x", nonpositive=True)
    model = pendulum(2.0, n - x)
    assert lw.equations(model, {n: 3, x: 0}).mass_matrix.equals(lw.equations(pendulum(2.0, 3.0), "numbers").mass_matrix)
    for wrong in ({n: 0.5}, {x: 1.0}):
        with pytest.raises(InputError, match="by its assumptions"):
            lw.equations(model, wrong)


def test_words_that_maxima_reserves_are_renamed():
    mass, length = sp.symbols("if step", positive=True)
    made = lw.equations(pendulum(mass, sp.sqrt(length))).maxima("M")
    assert "if_" in made
    assert "sqrt(step_)" in made
    assert not {"if", "step"} & {*re.findall(r"\w+", made)}


def test_other_errors_name_what_was_given():
    with pytest.raises(InputError, match=r"got the function f\(m\)"):
        lw.equations(pendulum(sp.Function("f")(m)))
    with pytest.raises(InputError, match="must be a number or a symbol"):
        pendulum(sp.Matrix([m]))
    with pytest.raises(ModelError, match="cannot be negative"):
        pendulum(sp.Rational(-1, 2), l)
    with pytest.raises(ArgumentError, match="name"):
        lw.equations(pendulum(m)).frame_parameters(None)
