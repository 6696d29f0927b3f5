"""Equations in other coordinates: the same motion, whatever it is described by."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from test_constraint_rows import four_bar
from test_equations import follower, with_joint

import linkwright as lw
from generated import LANGUAGES
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.symbolic import Equations, equations
from linkwright.symbolic.output.motion import motion_of
from mechanisms import relative_error


def sliders() -> lw.Model:
    """Two slides at a right angle, with dampers and a spring, the second body on a hinge too."""
    builder = lw.Builder("sliders", gravity=(0.0, -9.81, 0.0))
    builder.body("a", 1.0, inertia=0.1).body("b", 2.0, inertia=0.1).body("c", 0.5, (0.2, 0, 0), 0.1)
    builder.joint("x", "prismatic", "world", "a", axis=(1, 0, 0), damping=0.3)
    builder.joint("y", "prismatic", "a", "b", axis=(0, 1, 0)).joint_spring("y", 5.0, rest=0.1)
    builder.joint("turn", "revolute", "b", "c")
    return builder.build()


class Case(NamedTuple):
    """Coordinates, and by hand what they are: q, J with v = J ẏ, and its rate."""

    model: Callable[[], lw.Model]
    given: dict[str, str]
    names: tuple[str, ...]
    q: Callable[[np.ndarray], np.ndarray]
    J: Callable[[np.ndarray], np.ndarray]
    J_dot: Callable[[np.ndarray, np.ndarray], np.ndarray]


def linear(
    model: Callable[[], lw.Model], given: dict[str, str], names: str, J: list, shift: list | None = None
) -> Case:
    matrix = np.array(J, float)
    offset = np.zeros(len(J)) if shift is None else np.array(shift)
    zero = np.zeros_like(matrix)
    return Case(
        model, given, tuple(names.split()), lambda y: matrix @ y + offset, lambda y: matrix, lambda y, rate: zero
    )


def polar_J(y: np.ndarray) -> np.ndarray:
    r, phi, _ = y
    return np.array([[np.cos(phi), -r * np.sin(phi), 0], [np.sin(phi), r * np.cos(phi), 0], [0, -1, 1]])


def polar_J_dot(y: np.ndarray, rate: np.ndarray) -> np.ndarray:
    (r, phi, _), (r_dot, phi_dot, _) = y, rate
    s, c = np.sin(phi), np.cos(phi)
    return np.array(
        [
            [-s * phi_dot, -r_dot * s - r * c * phi_dot, 0],
            [c * phi_dot, r_dot * c - r * s * phi_dot, 0],
            [0, 0, 0],
        ]
    )


CASES = {
    "absolute": linear(
        lambda: lw.load("two_link"), {"phi1": "theta1", "phi2": "theta1 + theta2"}, "phi1 phi2", [[1, 0], [-1, 1]]
    ),
    "the other way": linear(
        lambda: lw.load("two_link"), {"theta1": "phi1", "theta2": "phi2 - phi1"}, "phi1 phi2", [[1, 0], [-1, 1]]
    ),
    "one keeps its name": linear(
        lambda: lw.load("two_link"), {"theta2": "theta2 - theta1"}, "theta1 theta2", [[1, 0], [-1, 1]]
    ),
    "three": linear(
        lambda: lw.load("planar:3"),
        {"a1": "theta1", "a2": "theta1 + theta2", "a3": "theta1 + theta2 + theta3"},
        "a1 a2 a3",
        [[1, 0, 0], [-1, 1, 0], [0, -1, 1]],
    ),
    "from hanging": linear(
        lambda: lw.load("two_link"),
        {"phi": "theta1 + pi/2", "psi": "-theta2 + pi/12"},
        "phi psi",
        [[1, 0], [0, -1]],
        [-np.pi / 2, np.pi / 12],
    ),
    "scaled slide": linear(sliders, {"s": "2*d1 - d2", "d": "d1/4"}, "s d theta3", [[0, 4, 0], [-1, 8, 0], [0, 0, 1]]),
    "polar": Case(
        sliders,
        {"d1": "r*cos(phi)", "d2": "r*sin(phi)", "theta3": "psi - phi"},
        ("r", "phi", "psi"),
        lambda y: np.array([y[0] * np.cos(y[1]), y[0] * np.sin(y[1]), y[2] - y[1]]),
        polar_J,
        polar_J_dot,
    ),
}


def at(made: Equations, case: Case, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]]:
    """Random coordinates, their rates and accelerations, and the values of all letters."""
    random = np.random.default_rng(seed)
    y, rate, a = random.normal(size=(3, len(case.names)))
    values = {name: made._plan.values[name] for name in made.meanings}
    values |= dict(zip(made.coordinates.q, y, strict=True)) | dict(zip(made.coordinates.v, rate, strict=True))
    return y, rate, a, values


def numbers(made: Equations, what: str, values: dict[str, float], frame: str | None = None) -> np.ndarray:
    array = made.polynomials(what, frame)
    return evaluate(array.flat, values).reshape(array.shape)


@pytest.mark.parametrize("parameters", ["symbols", "numbers"])
@pytest.mark.parametrize("name", CASES)
def test_the_same_motion(name, parameters):
    """Efforts do the same work, in whichever coordinates: Jᵀ τ, of the library's inverse dynamics."""
    case = CASES[name]
    made = equations(case.model(), parameters).in_coordinates(case.given)
    assert made.coordinates.q == case.names
    y, rate, a, values = at(made, case)
    M, h, g, C = (
        numbers(made, x, values) for x in ("mass_matrix", "velocity_forces", "gravity_forces", "coriolis_matrix")
    )
    q, J, J_dot = case.q(y), case.J(y), case.J_dot(y, rate)
    v, model = J @ rate, made.model
    expected = J.T @ lw.inverse_dynamics(model, q, v, J @ a + J_dot @ rate)
    assert relative_error(M @ a + h + g, expected) < 1e-12
    assert relative_error(C @ rate, h) < 1e-12
    assert relative_error(M, M.T) < 1e-14
    assert numbers(made, "kinetic_energy", values) == pytest.approx(float(lw.kinetic_energy(model, q, v)))
    assert numbers(made, "potential_energy", values) == pytest.approx(float(lw.potential_energy(model, q)))
    assert relative_error(numbers(made, "center_of_mass", values), lw.center_of_mass(model, q)) < 1e-12
    momentum = np.concatenate([numbers(made, x, values) for x in ("linear_momentum", "angular_momentum")])
    assert relative_error(momentum, lw.momentum(model, q, v)) < 1e-12
    frame = model.bodies[-1].name
    own = {"pose": lw.pose(model, q, frame), "jacobian": lw.jacobian(model, q, frame) @ J}
    own["jacobian_dot"] = lw.jacobian_dot(model, q, v, frame) @ J + lw.jacobian(model, q, frame) @ J_dot
    own["velocity"] = lw.velocity(model, q, v, frame)
    for what, right in own.items():
        assert relative_error(numbers(made, what, values, frame), right) < 1e-12, what
    if "D" in made.letters and parameters == "symbols":
        scope: dict = {}
        exec(made.python("R"), scope)
        (lost,) = scope["sliders_dissipation"](y, rate)
        assert lost == pytest.approx(0.15 * v[0] ** 2)
    if "D" in made.letters:
        passive = numbers(made, "friction_forces", values) + numbers(made, "spring_forces", values)
        assert relative_error(passive, -J.T @ lw.passive_forces(model, q, v)) < 1e-12


@pytest.mark.parametrize("name", CASES)
def test_mass_matrix_rate_less_twice_c_stays_skew_and_lagrange_finds_the_same(name):
    case = CASES[name]
    made = equations(case.model()).in_coordinates(case.given)
    ring, names = made._mechanism.ring, made.coordinates
    in_time = {q: ring[v] for q, v in zip(names.q, names.v, strict=True)}
    M_dot = np.array([[ring.rate(x, in_time) for x in row] for row in made.canonical.mass_matrix], dtype=object)
    both = M_dot - 2 * made.polynomials("coriolis_matrix")
    assert not any(bool(x) for x in (both + both.T).flat)
    assert made.canonical == made.derivation.forms
    ElementTree.fromstring(made.mathml(what="M,h,C,g,E,U,c,P,L"))


def test_what_absolute_angles_are_good_for():
    """The book's: no Coriolis terms, one angle in every gravity force."""
    made = equations(lw.load("two_link")).in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
    assert made.substitution == ("theta1 = phi1", "theta2 = -phi1 + phi2")
    assert made.singular_where() == "1"
    assert made.text().splitlines() == [
        "M[1,1] = m1*lg1^2 + m2*l1^2 + I1",
        "M[1,2] = m2*l1*lg2*cos(phi1 - phi2)",
        "M[2,2] = m2*lg2^2 + I2",
        "h[1] = m2*l1*lg2*sin(phi1 - phi2)*phi2_dot^2",
        "h[2] = -m2*l1*lg2*sin(phi1 - phi2)*phi1_dot^2",
        "g[1] = m1*g*lg1*cos(phi1) + m2*g*l1*cos(phi1)",
        "g[2] = m2*g*lg2*cos(phi2)",
    ]
    assert made.same_as("g[2] = m2*g*lg2*cos(phi2)\nh[1] = m2*l1*lg2*sin(phi1 - phi2)*qd2^2")
    assert r"\cos \phi_{2}" in made.latex(what="g")
    assert "theta" not in made.text()
    polar = equations(sliders()).in_coordinates(CASES["polar"].given)
    assert polar.singular_where() == "r"
    pendulum = equations(lw.load("pendulum"))
    upright = pendulum.in_coordinates({"phi": "theta1 - pi"})
    assert upright.text(what="g") == "g[1] = -m1*g*lg1*sin(phi)"
    assert upright != pendulum
    assert upright == pendulum.in_coordinates({"phi": "theta1 - pi"})
    assert upright.canonical == pendulum.in_coordinates({"phi": sympy.Symbol("theta1") - sympy.pi}).canonical
    assert len({upright, pendulum}) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["absolute", "polar"])
def test_code_of_it(name, language, tmp_path):
    case = CASES[name]
    made = equations(case.model()).in_coordinates(case.given)
    y, rate, _, values = at(made, case)
    code = made._code("M,h,C,g")
    function = LANGUAGES[language](getattr(made, language)("M,h,C,g"), tmp_path)
    expected = [
        numbers(made, x, values) for x in ("mass_matrix", "velocity_forces", "coriolis_matrix", "gravity_forces")
    ]
    arguments = [{"q": y, "v": rate, "p": np.array(list(code.values.values()))}[one.name] for one in code.arguments]
    for found, right in zip(function(arguments, [x.shape for x in expected]), expected, strict=True):
        assert relative_error(found, right) < 1e-12


@pytest.mark.parametrize("name", ["absolute", "from hanging", "polar"])
def test_the_right_hand_side_and_the_motion_of_it(name):
    case = CASES[name]
    made = equations(case.model()).in_coordinates(case.given)
    y, rate, _, _ = at(made, case)
    tau = np.arange(1.0, 1.0 + len(y))
    scope: dict = {}
    source = made.python("rhs")
    exec(source, scope)
    (right_hand_side,) = (x for key, x in scope.items() if key.endswith("_rhs"))
    found = np.array(right_hand_side(0.0, [*y, *rate], tau))
    q, J, J_dot = case.q(y), case.J(y), case.J_dot(y, rate)
    v = J @ rate
    efforts = np.linalg.solve(J.T, tau) + lw.passive_forces(made.model, q, v)
    a = np.linalg.solve(J, lw.forward_dynamics(made.model, q, v, efforts) - J_dot @ rate)
    assert relative_error(found, np.concatenate([rate, a])) < 1e-10
    assert "where theta" in source
    sample = made._programmer(None).samples(made._code("rhs"), [], None, "world_aligned")[0]
    t, state, efforts, p = sample.arguments
    assert relative_error(np.array(right_hand_side(t, state, efforts, p)), sample.results[0]) < 1e-10
    start = y if name != "polar" else np.array([1.0, 0.2, 0.3])
    times = np.linspace(0.0, 0.3, 4)
    moved, _ = motion_of(made, start, 0.1 * rate, times)
    own, _ = motion_of(equations(case.model()), case.q(start), case.J(start) @ (0.1 * rate), times)
    assert relative_error(np.array([case.q(x) for x in moved]), own) < 1e-8


@pytest.mark.parametrize("kind", ["spherical", "planar", "free", "helical"])
def test_other_joints_keep_theirs(kind):
    """A hinge replaced by twice another and one that is the difference, beside a joint whose v is no rate."""
    model = with_joint(kind)
    last = equations(model, "numbers").coordinates.q[-1]
    made = equations(model, "numbers").in_coordinates({"theta1": "psi1", last: "psi2 - 2*psi1 + pi/4"})
    n = model.nv
    J = np.eye(n)
    J[-1, 0] = -2.0
    random = np.random.default_rng(1)
    q, rate, a = model.random(seed=2), random.normal(size=n), random.normal(size=n)
    y = q.copy()
    y[-1] = q[-1] + 2.0 * q[0] - np.pi / 4
    values = dict(zip(made.coordinates.q, y, strict=True)) | dict(zip(made.coordinates.v, rate, strict=True))
    M, h, g = (numbers(made, x, values) for x in ("mass_matrix", "velocity_forces", "gravity_forces"))
    expected = J.T @ lw.inverse_dynamics(made.model, q, J @ rate, J @ a)
    assert relative_error(M @ a + h + g, expected) < 1e-11
    if kind != "free":
        assert made.canonical == made.derivation.forms


def test_closed_loops_and_followers():
    model = four_bar()
    own = equations(model)
    made = own.in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
    random = np.random.default_rng(0)
    y, rate = random.normal(size=(2, 3))
    values = own._plan.values | dict(zip(made.coordinates.q, y, strict=True))
    values |= dict(zip(made.coordinates.v, rate, strict=True))
    J = np.array([[1, 0, 0], [-1, 1, 0], [0, 0, 1.0]])
    before = own._plan.values | dict(zip(own.coordinates.q, J @ y, strict=True))
    before |= dict(zip(own.coordinates.v, J @ rate, strict=True))
    A, b = (numbers(made, x, values) for x in ("constraint_jacobian", "constraint_bias"))
    assert relative_error(A, numbers(own, "constraint_jacobian", before) @ J) < 1e-12
    assert relative_error(b, numbers(own, "constraint_bias", before)) < 1e-12
    scope: dict = {}
    exec(made.python("A,b"), scope)
    sample = made._programmer(None).samples(made._code("A,b"), made._chosen("A,b", None), None, "world_aligned")[0]
    (function,) = (x for key, x in scope.items() if key.endswith("_equations"))
    for found, right in zip(function(*sample.arguments), sample.results, strict=True):
        assert relative_error(np.array(found), right) < 1e-12
    follows = equations(follower()).in_coordinates({"theta1": "phi + pi/3"})
    assert follows.canonical == follows.derivation.forms


def test_the_page_has_them(tmp_path):
    made = equations(sliders()).in_coordinates(CASES["polar"].given)
    text = made.html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Other coordinates" in text
    assert "singular where <code>r</code> is zero" in text
    assert "Explanations are of the mechanism's own coordinates" in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"phi1": "theta1", "phi2": "2*theta1"}, "2 new coordinates .* are given by 1 of the mechanism's"),
        ({"phi1": "theta1 + theta2", "phi2": "2*theta1 + 2*theta2"}, "singular"),
        ({"theta1": "phi1 + phi2", "theta2": "2*phi1 + 2*phi2"}, "singular everywhere"),
        ({"theta1": "phi1 + phi2", "theta2": "phi1 - phi2"}, None),
        ({"phi1": "theta1 + theta2", "phi2": "theta1 - theta2"}, "no sum of whole multiples"),
        ({"theta1": "phi1/2"}, "no sum of whole multiples"),
        ({"theta1": "phi1^2"}, "no sum of whole multiples"),
        ({"theta1": "phi1 + 1.57"}, "no sum of whole multiples"),
        ({"theta1": "1/phi1"}, "fraction"),
        ({"phi1": "sin(theta1)"}, "no sum of multiples"),
        ({"theta1": "phi1 + phi2"}, "there must be as many"),
        ({"theta1": "phi1", "phi2": "theta2"}, "both kinds"),
        ({"phi1": "alpha7"}, "no coordinate of 'two_link'"),
        ({"theta1": "m1 + g"}, "given by 0 others"),
        ({"l1": "theta1"}, "letter of the equations already"),
        ({"theta1_dot": "theta1"}, "no name for it"),
        ({"m": "theta1"}, "letter of the equations already"),
        ({"theta1": "__import__('os')"}, "no function"),
        ({"theta1": "phi1 = 2"}, "maps names to expressions"),
    ],
)
def test_what_is_no_map_is_refused(given, said):
    made = equations(lw.load("two_link"))
    if said is None:
        assert made.in_coordinates(given).singular_where() == "-2"
        return
    with pytest.raises((InputError, UnknownNameError), match=said):
        made.in_coordinates(given)


def test_what_cannot_be_done_is_reported():
    made = equations(lw.load("two_link"))
    other = made.in_coordinates({"theta2": "phi2 - theta1"})
    with pytest.raises(InputError, match="own coordinates"):
        other.explanation()
    with pytest.raises(InputError, match="in one step"):
        other.in_coordinates({"theta1": "phi1"})
    with pytest.raises(ArgumentError):
        made.in_coordinates({})
    with pytest.raises(InputError, match="is not its rate"):
        equations(lw.load("chain3d:1")).in_coordinates({"x1": "r"})
    builder = lw.Builder("rough").body("a", 1.0, (0.5, 0, 0), 0.1).body("b", 1.0, (0.5, 0, 0), 0.1)
    builder.joint("one", "revolute", "world", "a", friction=0.1)
    builder.joint("two", "revolute", "a", "b", xyz=(1, 0, 0), friction=0.2)
    rough = equations(builder.build())
    with pytest.raises(ModelError, match="friction of joint 'two'"):
        rough.in_coordinates({"theta2": "phi - theta1"}).text(what="D")
    turned = rough.in_coordinates({"theta2": "-2*phi"})
    assert turned.text(what="D").splitlines()[1] == "D[2] = 2*mu2*sign(phi_dot)"
