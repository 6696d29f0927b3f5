"""C, energies, momentum and the center of mass as equations, and the forms in which all of them are written."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from test_constraint_rows import four_bar
from test_equations import follower, once, with_joint

import linkwright as lw
from generated import LANGUAGES
from linkwright.errors import InputError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.symbolic import Equations, equations
from linkwright.symbolic.derivation.quantities import NAMES
from linkwright.symbolic.output.notation import FORMS
from mechanisms import relative_error

WHOLE = {
    "C": ("coriolis_matrix", lambda m, q, v: lw.coriolis_matrix(m, q, v)),
    "E": ("kinetic_energy", lambda m, q, v: lw.kinetic_energy(m, q, v)),
    "U": ("potential_energy", lambda m, q, v: lw.potential_energy(m, q)),
    "c": ("center_of_mass", lambda m, q, v: lw.center_of_mass(m, q)),
    "J_c": ("center_of_mass_jacobian", lambda m, q, v: lw.center_of_mass_jacobian(m, q)),
    "P": ("linear_momentum", lambda m, q, v: lw.momentum(m, q, v)[:3]),
    "L": ("angular_momentum", lambda m, q, v: lw.momentum(m, q, v)[3:]),
    "A_G": ("momentum_matrix", lambda m, q, v: lw.momentum_matrix(m, q)),
}
FIRST_PAGE = ("pendulum", "two_link", "planar:3", "spherical", "helical", "follower", "chain3d:1")


def ball() -> lw.Model:
    """A body on a spherical joint, with another hinged to it."""
    builder = lw.Builder("ball").body("a", 2.0, (0.1, 0, 0), (0.2, 0.3, 0.3)).body("b", 1.0, inertia=(0.1, 0.1, 0.2))
    builder.joint("first", "spherical", "world", "a").joint("second", "revolute", "a", "b", xyz=(0.4, 0, 0))
    return builder.build()


@cache
def made_of(name: str) -> lw.Model:
    known = {"ball": ball, "spherical": lambda: with_joint("spherical"), "helical": lambda: with_joint("helical")}
    known["follower"] = follower
    return known[name]() if name in known else lw.load(name)


def state_of(made: Equations, seed: int = 0) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    model = made.model
    q, v = model.random(seed=seed), np.random.default_rng(seed).normal(size=model.nv)
    values = {name: made._plan.values[name] for name in made.meanings}
    values |= dict(zip(made.coordinates.q, q, strict=True)) | dict(zip(made.coordinates.v, v, strict=True))
    return q, v, values


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("parameters", ["symbols", "numbers"])
@pytest.mark.parametrize("name", FIRST_PAGE)
def test_every_one_is_what_the_library_computes(name, parameters):
    made = once(made_of(name), parameters)
    q, v, values = state_of(made)
    for what, compute in WHOLE.values():
        array = made.polynomials(what)
        found = evaluate(array.flat, values).reshape(array.shape)
        assert relative_error(found, compute(made.model, q, v)) < 1e-12, what


@pytest.mark.parametrize("name", FIRST_PAGE)
def test_mass_matrix_rate_less_twice_c_is_skew_and_c_v_is_h(name):
    made = once(made_of(name))
    mechanism, ring = made._mechanism, made._mechanism.ring
    C, M = made.polynomials("coriolis_matrix"), made.canonical.mass_matrix
    v = np.array([ring[one] for one in made.coordinates.v], dtype=object)
    rates = dict(zip(made.coordinates.q, made.polynomials("rate_matrix") @ v, strict=True))
    M_dot = np.array([[ring.rate(x, rates) for x in row] for row in M], dtype=object)
    both = M_dot - 2 * C
    assert not any(bool(x) for x in (both + both.T).flat)
    assert not any(bool(x) for x in (C @ v - made.canonical.velocity_forces).flat)
    assert mechanism.mass == sum((link.rigid_inertia.mass for link in mechanism.closed.links), ring.zero)


def test_c_is_made_of_christoffels_symbols():
    made = equations(lw.load("planar:3"))
    ring, M, names = made._mechanism.ring, made.canonical.mass_matrix, made.coordinates
    for i, j in np.ndindex(3, 3):
        total = ring.zero
        for k, (q_k, v_k) in enumerate(zip(names.q, names.v, strict=True)):
            slopes = ring.derivative(M[i, j], q_k) + ring.derivative(M[i, k], names.q[j])
            total = total + (slopes - ring.derivative(M[j, k], names.q[i])) * ring[v_k] / 2
        assert made.polynomials("coriolis_matrix")[i, j] == total


def test_what_a_book_has_of_two_links():
    made = equations(lw.load("two_link"))
    lines = made.text(what="C,U,c,P,L").splitlines()
    for line in (
        "C[1,2] = -m2*l1*lg2*sin(theta2)*(theta1_dot + theta2_dot)",
        "U = m1*g*lg1*sin(theta1) + m2*g*(l1*sin(theta1) + lg2*sin(theta1 + theta2))",
        "m = m1 + m2",
        "c[1] = (m1*lg1*cos(theta1) + m2*(l1*cos(theta1) + lg2*cos(theta1 + theta2)))/m",
        "P[3] = 0",
    ):
        assert line in lines
    (spin,) = (line for line in lines if line.startswith("L[3]"))
    assert spin.startswith("L[3] = I1*theta1_dot + I2*(theta1_dot + theta2_dot) + m1*m2*(")
    assert made.text(what="M,C,g") != made.text()
    # what one body's mass divides leaves no fraction
    assert "c[1] = -lg1*sin(theta1)" in equations(lw.load("pendulum")).text(what="c")


@pytest.mark.variants("name")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["two_link", "ball", "planar:3"])
def test_every_form_is_the_same(name, form):
    """Text read as Python, of every quantity."""
    made = once(made_of(name))
    q, v, values = state_of(made)
    scope = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "pi": np.pi, **values}
    scope["m"] = lw.total_mass(made.model)
    arrays = {letter: compute(made.model, q, v) for letter, (_, compute) in WHOLE.items()}
    arrays |= {"M": lw.mass_matrix(made.model, q), "g": lw.gravity_forces(made.model, q)}
    count = 0
    for line in made.text(form, what="M,g,C,E,U,c,J_c,P,L,A_G").splitlines():
        left, right = line.split(" = ")
        if left == "m" or right.endswith("otherwise"):
            continue
        letter, _, indices = left.partition("[")
        place = tuple(int(k) - 1 for k in indices.rstrip("]").split(",") if k)
        value = eval(right.replace("^", "**"), scope)
        expected = np.asarray(arrays[letter])[place] if place or letter in "EU" else np.zeros(())
        assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-9), line
        assert not (form.startswith("expanded") and "*(" in right), "a bracket"
        count += 1
    assert count > 10


def test_expanded_and_factored():
    made = equations(lw.load("two_link"))
    assert made.text("expanded", "g").splitlines()[0] == (
        "g[1] = m1*g*lg1*cos(theta1) + m2*g*l1*cos(theta1) + m2*g*lg2*cos(theta1 + theta2)"
    )
    assert made.text("factored", "g").splitlines()[0] == (
        "g[1] = g*(m1*lg1*cos(theta1) + m2*(l1*cos(theta1) + lg2*cos(theta1 + theta2)))"
    )
    assert made.text("factored", "h").splitlines()[0].endswith("*theta2_dot*(2*theta1_dot + theta2_dot)")
    with pytest.raises(InputError, match="'expanded', 'expanded angles', 'factored'"):
        made.text("short")


def test_unreduced_is_what_differentiation_leaves():
    """The tutorial's first form, ratsimp, keeps sin² + cos², and sin(θ1) sin(θ1 + θ2) + cos(θ1) cos(θ1 + θ2)."""
    arm = once(lw.load("two_link"))
    lines = dict(line.split(" = ") for line in arm.text("unreduced", "M,h,g").splitlines())
    assert lines["M[2,2]"] == "m2*lg2^2*cos(theta1 + theta2)^2 + m2*lg2^2*sin(theta1 + theta2)^2 + I2"
    assert lines["M[1,2]"] == (
        "m2*l1*lg2*cos(theta1)*cos(theta1 + theta2) + m2*l1*lg2*sin(theta1)*sin(theta1 + theta2) + " + lines["M[2,2]"]
    )
    first, second = "cos(theta1)*sin(theta1 + theta2)", "sin(theta1)*cos(theta1 + theta2)"
    assert lines["h[2]"] == f"m2*l1*lg2*{first}*theta1_dot^2 - m2*l1*lg2*{second}*theta1_dot^2"
    assert r"\cos^{2}(\theta_{1} + \theta_{2})" in arm.latex("unreduced", "M")
    ElementTree.fromstring(arm.mathml("unreduced", "M,h,g,E,U"))


@pytest.mark.parametrize("name", ["two_link", "planar:3", "pendulum", "slider", "absolute", "numbers"])
def test_unreduced_is_the_same(name):
    if name == "slider":  # a pendulum on a cart
        builder = lw.Builder("cart").body("cart", 1.0).body("rod", 0.5, (0, 0, -0.4), 0.1)
        builder.joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0))
        made = once(builder.joint("hinge", "revolute", "cart", "rod", axis=(0, -1, 0)).build())
    else:
        made = once(lw.load("two_link" if name in ("absolute", "numbers") else name))
    if name == "absolute":
        made = made.in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
    if name == "numbers":
        made = once(lw.load("two_link"), "numbers")
    text = made.text("unreduced", "M,h,g,E,U")
    assert made.same_as(text), made.same_as(text)
    assert len(text) > len(made.text("expanded", "M,h,g,E,U"))


def test_unreduced_forms_that_do_not_exist():
    with pytest.raises(InputError, match="mechanisms in a plane"):
        once(lw.load("chain3d:1")).text("unreduced")
    with pytest.raises(InputError, match="of M, h, g, E, U; got C"):
        once(lw.load("two_link")).text("unreduced", "C")
    with pytest.raises(InputError, match="'unreduced' of M, h, g, E and U in text"):
        once(lw.load("two_link")).sympy("mass_matrix", "unreduced")


@pytest.mark.variants("name")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["two_link", "ball", "four_bar"])
def test_mathml_of_everything_is_well_formed(name, form):
    made = equations(four_bar() if name == "four_bar" else made_of(name))
    frame = made.model.bodies[-1].name
    what = ["C", "E", "U", "c", "J_c", "P", "L", "A_G", "G", *made.letters, "T", "J", "J_dot", "V"]
    found = ElementTree.fromstring(made.mathml(form, ",".join(what), frame))
    space = "{http://www.w3.org/1998/Math/MathML}"
    assert found.tag == f"{space}math"
    rows = found.findall(f"{space}mtable/{space}mtr")
    assert len(rows) == len(made.text(form, ",".join(what), frame).splitlines())
    for row in rows:
        left, equals, right = row
        assert "".join(equals.itertext()) == "="
        assert "".join(left.itertext())
        assert "".join(right.itertext())
    for fraction in found.iter(f"{space}mfrac"):
        assert len(fraction) == 2
    for script in found.iter(f"{space}msubsup"):
        assert len(script) == 3


def test_sympy_has_the_total_mass_written_out():
    made = equations(lw.load("two_link"))
    c = made.sympy("center_of_mass")
    m1, m2 = made.symbols["m1"], made.symbols["m2"]
    assert sympy.simplify(c[0].diff(made.symbols["lg1"]) * (m1 + m2) - m1 * sympy.cos(made.symbols["theta1"])) == 0
    E = made.sympy("kinetic_energy")
    v = sympy.Matrix([made.symbols[name] for name in made.coordinates.v])
    assert sympy.expand(E - (v.T * made.mass_matrix * v)[0] / 2) == 0
    assert sympy.expand((made.coriolis_matrix * v - made.velocity_forces)[0]) == 0


@pytest.mark.variants("name")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["two_link", "ball"])
def test_code_computes_the_same(name, language, tmp_path):
    made = once(made_of(name))
    what = ",".join(WHOLE)
    q, v, _ = state_of(made)
    expected = [np.atleast_1d(compute(made.model, q, v)) for _, compute in WHOLE.values()]
    letters = [letter for letter in (q.letter for q in NAMES.values()) if letter in WHOLE]
    expected = [np.atleast_1d(WHOLE[letter][1](made.model, q, v)) for letter in letters]
    code = made._code(what)
    function = LANGUAGES[language](getattr(made, language)(what), tmp_path)
    arguments = [{"q": q, "v": v, "p": np.array(list(code.values.values()))}[one.name] for one in code.arguments]
    for found, right in zip(function(arguments, [x.shape for x in expected]), expected, strict=True):
        assert relative_error(found, right) < 1e-12


def test_what_only_the_whole_depends_on_is_an_argument_of_its_code():
    """The mass of a body hung at its center of mass is no part of the motion, and of the center of mass of all."""
    builder = lw.Builder("wheel").body("wheel", 2.0, inertia=0.1).body("arm", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("a", "revolute", "world", "wheel").joint("b", "revolute", "world", "arm", xyz=(1, 0, 0))
    made = equations(builder.build())
    assert "m1" not in made.parameters
    q, _, _ = state_of(made)
    scope: dict = {}
    exec(made.python("c"), scope)
    found = scope["wheel_center_of_mass"](q)
    assert relative_error(np.array(found), lw.center_of_mass(made.model, q)) < 1e-12


def test_base_parameters_do_not_tell_masses():
    made = equations(lw.load("two_link"), base_parameters=True)
    with pytest.raises(InputError, match="c is not determined by base parameters"):
        made.text(what="c")
    q, v, values = state_of(made)
    energy = evaluate(made.polynomials("kinetic_energy").flat, values | made.parameters)
    assert energy[0] == pytest.approx(float(lw.kinetic_energy(lw.load("two_link"), q, v)))
