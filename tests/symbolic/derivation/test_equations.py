"""Equations against the book's two-link result, the compiled library, and themselves by another route."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from matplotlib.mathtext import MathTextParser

import linkwright as lw
from linkwright.errors import ArgumentError, InputError, ModelError, TooLargeError, UnknownNameError
from linkwright.expression.polynomials.polynomial import evaluate
from linkwright.model.build.description import JOINT_NAMES
from linkwright.model.tree import Model
from linkwright.spatial.rotation import rotation_rpy
from linkwright.symbolic import Equations, equations
from linkwright.symbolic.derivation.exact_rotations import Surd, exact_rotation, number
from mechanisms import relative_error

FULL = {"geometry": "numbers", "inertial": "all", "gravity": "numbers"}


@cache
def with_joint(kind: str) -> Model:
    """A joint of the kind between two hinges, turned by multiples of π/12, on bodies without symmetry."""
    builder = lw.Builder(kind, gravity=(1.0, 2.0, -9.0))
    builder.body("a", 2.0, (0.1, 0.2, 0.3), [[0.3, 0.01, 0.02], [0.01, 0.35, 0.0], [0.02, 0.0, 0.4]])
    builder.body("b", 1.5, (0.3, -0.2, 0.1), [[0.2, 0.0, -0.03], [0.0, 0.3, 0.02], [-0.03, 0.02, 0.25]])
    builder.body("c", 1.0, (0.1, 0.0, 0.1), (0.2, 0.3, 0.25))
    type = ("helical", 0.3) if kind == "helical" else kind
    motion = lw.Builder("x").body("y").joint("j", type, "world", "y").build().joints[0].motion
    armature = np.where(np.isin(np.arange(motion.nv), motion.carried), 0.0, np.arange(1, 1 + motion.nv) * 0.1)
    builder.joint("first", "revolute", "world", "a", axis=(0, 1, 0), xyz=(0, 0, 0.3), rpy=(np.pi / 4, 0, np.pi / 12))
    builder.joint("middle", type, "a", "b", xyz=(0.2, 0, 0.3), rpy=(0, np.pi / 6, 0), armature=armature)
    builder.joint("last", "revolute", "b", "c", axis=(0, 1, 0), xyz=(0, 0.1, 0.3))
    builder.frame("tool", "c", xyz=(0.1, 0, 0.2), rpy=(np.pi / 6, 0, np.pi / 4)).frame("side", "b", xyz=(0, 0.3, 0))
    return builder.build()


@cache
def follower() -> Model:
    """A hinge and a slide that follow another hinge."""
    builder = lw.Builder("follower")
    for name in "abc":
        builder.body(name, 1.0, (0.1, 0.2, 0.0), (0.1, 0.2, 0.25))
    builder.joint("lead", "revolute", "world", "a", axis=(0, 0, 1))
    builder.joint("turns", "revolute", "a", "b", axis=(0, 1, 0), xyz=(0.3, 0, 0)).mimic("turns", "lead", -2, np.pi / 3)
    builder.joint("slides", "prismatic", "b", "c", axis=(1, 0, 0), xyz=(0.3, 0, 0)).mimic("slides", "lead", 0.4, 0.1)
    return builder.build()


_made: dict[Any, Equations] = {}


def once(model: Model, parameters: Any = "symbols", **options: Any) -> Equations:
    """The equations of a model, the same object for all tests that ask for the same: they are derived once."""
    key = (model, repr(parameters), *sorted(options.items()))
    if key not in _made:
        _made[key] = equations(model, parameters, **options)
    return _made[key]


def at(made: Equations, model: Model, seed: int = 0) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """M, h and g in numbers at a random state, and the state."""
    q, v = model.random(seed=seed), np.random.default_rng(seed).normal(size=model.nv)
    values = made.parameters | dict(zip(made.coordinates.q, q, strict=True))
    values |= dict(zip(made.coordinates.v, v, strict=True))
    return tuple(evaluate(form.flat, values).reshape(form.shape) for form in made.canonical), q, v


def compare(made: Equations, model: Model, limit: float = 1e-12) -> None:
    for seed in range(3):
        (M, h, g), q, v = at(made, model, seed)
        assert relative_error(M, lw.mass_matrix(model, q)) < limit
        assert relative_error(g, lw.gravity_forces(model, q)) < limit
        assert relative_error(h + g, lw.bias_forces(model, q, v)) < limit


def same(first: Equations, second: Equations) -> bool:
    pairs = zip(first.canonical, second.canonical, strict=True)
    entries = [pair for a, b in pairs for pair in zip(a.flat, b.flat, strict=True)]
    return all(x.ring.names == y.ring.names and x.terms == y.terms for x, y in entries)


@pytest.mark.parametrize("form", ["products", "angles"])
def test_two_links_as_the_book_prints_them(form):
    """`equations.md` §6, term by term."""
    made = equations(lw.load("two_link"), "symbols")
    names = "m1 m2 l1 lg1 lg2 I1 I2 g theta1 theta2 theta1_dot theta2_dot"
    m1, m2, l1, lg1, lg2, I1, I2, g, t1, t2, w1, w2 = (sympy.Symbol(name, real=True) for name in names.split())
    cos, sin = sympy.cos, sympy.sin
    M12 = m2 * (lg2**2 + l1 * lg2 * cos(t2)) + I2
    book = {
        "mass_matrix": [
            m1 * lg1**2 + m2 * (l1**2 + lg2**2 + 2 * l1 * lg2 * cos(t2)) + I1 + I2,
            M12,
            M12,
            m2 * lg2**2 + I2,
        ],
        "velocity_forces": [-m2 * l1 * lg2 * sin(t2) * w2 * (2 * w1 + w2), m2 * l1 * lg2 * sin(t2) * w1**2],
        "gravity_forces": [
            m2 * g * (lg2 * cos(t1 + t2) + l1 * cos(t1)) + m1 * g * lg1 * cos(t1),
            m2 * g * lg2 * cos(t1 + t2),
        ],
    }
    for what, entries in book.items():
        for ours, theirs in zip(made.sympy(what, form), entries, strict=True):
            assert set(sympy.Add.make_args(ours.expand(trig=False))) == set(
                sympy.Add.make_args(theirs.expand(trig=False))
            )


def test_two_links_in_text_and_latex():
    made = equations(lw.load("two_link"), "symbols")
    assert made.text().splitlines() == [
        "M[1,1] = m1*lg1^2 + m2*(l1^2 + lg2^2 + 2*l1*lg2*cos(theta2)) + I1 + I2",
        "M[1,2] = m2*lg2*(lg2 + l1*cos(theta2)) + I2",
        "M[2,2] = m2*lg2^2 + I2",
        "h[1] = -m2*l1*lg2*sin(theta2)*theta2_dot*(2*theta1_dot + theta2_dot)",
        "h[2] = m2*l1*lg2*sin(theta2)*theta1_dot^2",
        "g[1] = m1*g*lg1*cos(theta1) + m2*g*(l1*cos(theta1) + lg2*cos(theta1 + theta2))",
        "g[2] = m2*g*lg2*cos(theta1 + theta2)",
    ]
    latex = made.latex()
    assert r"h_{2} &= m_{2} \, l_{1} \, l_{g2} \, \sin \theta_{2} \, \dot{\theta}_{1}^{2} \\" in latex
    assert latex.count("{") == latex.count("}")
    assert made.mass_matrix.shape == (2, 2)
    assert made.velocity_forces.shape == made.gravity_forces.shape == (2, 1)


def test_numbers_are_exact():
    made = equations(lw.load("two_link"), "numbers")
    assert made.parameters == {}
    assert made.text().splitlines()[0] == "M[1,1] = 1.7 + cos(theta2)"
    assert made.mass_matrix[1, 1] == sympy.Rational(7, 20)


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("name", ["pendulum", "two_link", "planar:4", "puma560", "arm7", "chain3d:3"])
@pytest.mark.parametrize("parameters", ["numbers", "symbols", FULL], ids=["numbers", "symbols", "full"])
def test_built_in_mechanisms(name, parameters):
    model = lw.load(name)
    made = equations(model, parameters)
    compare(made, model)
    assert same(made, equations(model, parameters, method="lagrange"))


@pytest.mark.variants("parameters")
@pytest.mark.parametrize("kind", [kind for kind in JOINT_NAMES if kind != "fixed"])
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
def test_every_joint_type_by_both_routes(kind, parameters):
    model = with_joint(kind)
    made = equations(model, parameters)
    compare(made, model)
    assert same(made, equations(model, parameters, method="lagrange"))


def test_followers():
    model = follower()
    made = equations(model, "numbers")
    compare(made, model)
    assert same(made, equations(model, "numbers", method="lagrange"))


def test_a_cart_with_a_pole_is_planar():
    builder = lw.Builder("cart").body("cart", 2.0).body("pole", 0.5, (0, 0, 0.4), 0.01)
    builder.joint("slide", "prismatic", "world", "cart", axis=(1, 0, 0))
    builder.joint("hinge", "continuous", "cart", "pole", axis=(0, 1, 0), xyz=(0, 0, 0.1))
    model = builder.build()
    made = equations(model)
    compare(made, model)
    assert set(made.parameters) == {
        "m1",
        "m2",
        "lg2",
        "I2",
        "g",
    }  # the hinge's height and the cart's inertia do nothing
    assert made.text().splitlines()[0] == "M[1,1] = m1 + m2"


def test_what_vanishes_is_proved_to():
    slides = lw.Builder("slides").body("a", 1.0).body("b", 2.0)
    slides.joint("x", "prismatic", "world", "a", axis=(1, 0, 0)).joint("z", "prismatic", "a", "b", axis=(0, 1, 1))
    made = equations(slides.build())
    assert made.vanishes("velocity_forces")  # prismatic joints only
    assert not made.vanishes("gravity_forces")
    assert "h = 0" in made.text()
    afloat = equations(lw.load("two_link").with_gravity((0, 0, 0)))
    assert afloat.vanishes("gravity_forces")
    assert not afloat.vanishes("velocity_forces")
    assert made.vanishes("h")
    with pytest.raises(InputError, match="velocity_forces"):
        made.vanishes("H")


def test_names_and_their_values():
    made = equations(lw.load("two_link"))
    assert made.parameters == {"m1": 1, "m2": 1, "g": 9.8, "l1": 1, "lg1": 0.5, "lg2": 0.5, "I1": 0.1, "I2": 0.1}
    assert made.meanings["lg2"] == "from joint2 to the center of mass of link2 along x, m"
    named = equations(lw.load("puma560"), FULL).parameters
    assert len(named) == 60 + 6 + 12  # and armatures, dampers and friction; g is a number
    some = equations(lw.load("two_link"), {"l1": 2.0, "gravity": "numbers"})
    assert "l1" not in some.parameters
    assert some.text().splitlines()[0] == "M[1,1] = m1*lg1^2 + m2*(4 + lg2^2 + 4*lg2*cos(theta2)) + I1 + I2"
    assert some.text().splitlines()[-1] == "g[2] = 9.8*m2*lg2*cos(theta1 + theta2)"


def test_angles_are_snapped_and_listed():
    def tilted(angle):
        builder = lw.Builder("tilted").body("a", 1.0, (0.1, 0.2, 0.3), 0.1)
        return builder.joint("hinge", "revolute", "world", "a", rpy=(angle, 0, 0)).build()

    model = tilted(1.0472)  # a decimal of π/3
    made = equations(model, "numbers")
    assert len(made.snapped) == 1
    assert "hinge" in made.snapped[0]
    compare(made, made.model)
    compare(made, model, 1e-4)
    assert not equations(tilted(np.pi / 3), "numbers").snapped
    assert same(made, equations(tilted(np.pi / 3), "numbers"))
    with pytest.raises(ModelError, match=r"'hinge' turns by angles that are no multiples of π/12"):
        equations(tilted(1.05), "numbers")
    assert equations(tilted(1.05), "numbers", angle_tolerance=0.01).snapped


def test_what_cannot_be_exact_is_refused():
    builder = lw.Builder("half").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1)
    builder.joint("lead", "revolute", "world", "a")
    builder.joint("half", "revolute", "a", "b").mimic("half", "lead", 0.5)
    with pytest.raises(ModelError, match="whole multiples"):
        equations(builder.build())
    model = lw.load("two_link")
    with pytest.raises(InputError, match="'numbers', 'symbols'"):
        equations(model, "letters")
    with pytest.raises(InputError, match="'all'"):
        equations(model, {"inertial": "none"})
    with pytest.raises(UnknownNameError, match="m7"):
        equations(model, {"m7": 1.0})
    for negative in ({"m1": -1.0}, {"I2": -0.1}, {"Ia1": -0.1}, {"b1": -2}, {"mu2": -1.0}, {"k1": -3.0}):
        with pytest.raises(InputError, match=rf"{next(iter(negative))!r} \(.* of .*\) cannot be negative; got -"):
            equations(model, negative)
    assert "lg2" not in equations(model, {"l1": -0.5, "lg2": -0.1}).parameters
    with pytest.raises(ArgumentError):
        equations("two_link")
    with pytest.raises(InputError, match="method"):
        equations(model, method="newton")


def test_too_large_is_reported_and_the_code_still_comes():
    made = equations(lw.load("arm7"), term_limit=500)
    with pytest.raises(TooLargeError, match="more than 500"):
        made.text()
    assert "arm7_equations" in made.c()


def test_the_derivation_can_be_read():
    text = equations(lw.load("two_link")).derivation_text()
    assert "link2, position of its center of mass: (l1*cos(theta1) + lg2*cos(theta1 + theta2)," in text
    assert "U = m1*g*lg1*sin(theta1) + m2*g*(l1*sin(theta1) + lg2*sin(theta1 + theta2))" in text
    assert "d/dt dL/dtheta2_dot = (m2*lg2*(lg2 + l1*cos(theta2)) + I2)*theta1_ddot" in text


@pytest.mark.variants("parameters", "form")
@pytest.mark.parametrize("form", ["products", "angles"])
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("kind", ["helical", "planar", "spherical", "universal", "cylindrical"])
def test_what_is_printed_is_what_was_derived(kind, parameters, form):
    """Text read as Python, and short lines of LaTeX set by matplotlib (it takes a minute for long ones)."""
    model = with_joint(kind)
    made = once(model, parameters)
    numbers, q, v = at(made, model)
    names = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "pi": np.pi, **made.parameters}
    names |= dict(zip(made.coordinates.q, q, strict=True)) | dict(zip(made.coordinates.v, v, strict=True))
    expected = dict(zip("Mhg", numbers, strict=True))
    lines = made.text(form).splitlines()
    assert len(lines) >= model.nv * (model.nv + 1) // 2 + 2
    for line in lines:
        left, right = line.split(" = ")
        place = tuple(int(k) - 1 for k in left[2:-1].split(",") if k)
        value = eval(right.replace("^", "**"), names)
        assert value == pytest.approx(expected[left[0]][place], rel=1e-9, abs=1e-9)
    parser = MathTextParser("path")
    for line in [line for line in made.latex(form).splitlines()[1:-1] if len(line) < 250]:
        assert parser.parse(f"${line.removesuffix(chr(92) * 2).replace('&', '')}$").width > 0


def test_printed_short():
    builder = lw.Builder("ball").body("b", 1.0, (0.1, 0, 0.2), (0.1, 0.2, 0.3)).joint("j", "spherical", "world", "b")
    assert equations(builder.build()).text(what="h").splitlines() == [
        "h[1] = wy1*(Ixz1*wx1 - wz1*(Iyy1 - Izz1))",
        "h[2] = -Ixz1*(wx1^2 - wz1^2) + wx1*wz1*(Ixx1 - Izz1)",
        "h[3] = -wy1*(Ixz1*wz1 + wx1*(Ixx1 - Iyy1))",
    ]
    chain = equations(lw.load("planar:3"), {"inertial": "symbols", "geometry": "numbers"}).text(what="g")
    assert chain.splitlines()[0] == (
        "g[1] = m1*g*lg1*cos(theta1) + m2*g*(lg2*cos(theta1 + theta2) + cos(theta1))"
        " + m3*g*(lg3*cos(theta1 + theta2 + theta3) + cos(theta1) + cos(theta1 + theta2))"
    )


def test_sympy_gives_the_same_numbers():
    model = with_joint("helical")
    made = equations(model)
    numbers, q, v = at(made, model)
    values = made.parameters | dict(zip(made.coordinates.q, q, strict=True))
    values |= dict(zip(made.coordinates.v, v, strict=True))
    for matrix, expected in zip((made.mass_matrix, made.velocity_forces, made.gravity_forces), numbers, strict=True):
        found = matrix.xreplace({made.symbols[n]: sympy.Float(x) for n, x in values.items() if n in made.symbols})
        found = np.array(found, dtype=float)
        assert relative_error(found.reshape(expected.shape), expected) < 1e-12


def test_numbers_that_turned_axes_made():
    assert number(0.1 + 0.2) == Surd(Fraction(3, 10))
    assert number(0.3 / 2**0.5) == Surd(b=Fraction(3, 20))
    assert number(-0.7 * 3**0.5) == Surd(c=Fraction(-7, 10))
    assert number(1 / 3) == Surd(Fraction(1, 3))
    assert number(1 / 1200) == Surd(Fraction(1, 1200))
    assert number(5**0.5) == Surd(Fraction("2.23606797749979"))
    assert float(number(np.pi)) == pytest.approx(np.pi, rel=1e-14)


def test_exact_rotations():
    rng = np.random.default_rng(3)
    for _ in range(40):
        R = rotation_rpy(rng.integers(-12, 13, 3) * np.pi / 12)
        for turned in (R, R.T, R[np.ix_([1, 2, 0], [1, 2, 0])]):
            exact, error = exact_rotation(turned, 1e-9, "here")
            assert error < 1e-14
            for i, j in np.ndindex(3, 3):
                products = [exact[i, k] * exact[j, k] for k in range(3)]
                assert products[0] + products[1] + products[2] == Surd(Fraction(int(i == j)))


def test_a_mechanism_that_cannot_move():
    made = equations(lw.load("pendulum").lock({"hinge": 0.0}))
    assert made.mass_matrix.shape == (0, 0)
    assert made.vanishes("velocity_forces")


def test_a_free_body_turns_by_boltzmann_and_hamel():
    found = equations(lw.load("chain3d:1")).derivation
    assert any(bool(p) for p in found.turning)
    assert [str(p) for p in found.forms.velocity_forces[3:]] != ["0", "0", "0"]


def test_the_function_is_the_module_whichever_comes_first():
    assert isinstance(lw.equations(lw.load("pendulum")), lw.Equations)
    script = (
        "import sys, linkwright as lw; assert not {'sympy', 'flint'} & set(sys.modules);"
        "from linkwright.symbolic.result import Equations;"
        "assert isinstance(lw.equations(lw.load('pendulum')), Equations); assert 'sympy' not in sys.modules;"
        "from linkwright import equations; equations(lw.load('pendulum'), 'numbers')"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match="no attribute 'equation'"):
        _ = lw.equation


def test_a_notebook_shows_equations_of_small_mechanisms():
    shown = lw.equations(lw.load("two_link"))._repr_latex_()
    assert shown.startswith(r"$\displaystyle \begin{aligned} M_{1,1} &= m_{1}")
    assert shown.endswith(r"\end{aligned}$")
    assert shown.count(r" \\") == 6
    assert lw.equations(lw.load("humanoid"))._repr_latex_() is None


def test_equal_where_model_and_options_are():
    two_link = lw.load("two_link")
    made = equations(two_link, {"l1": 0.5})
    again = equations(lw.load("two_link"), {"l1": 0.5})
    assert made == again
    assert len({made, again}) == 1
    assert equations(two_link) == equations(two_link, {})
    others = [
        equations(two_link, {"l1": 0.6}),
        equations(two_link, "numbers"),
        equations(two_link.with_gravity([0, 0, 0]), {"l1": 0.5}),
        equations(two_link, {"l1": 0.5}, method="lagrange"),
        equations(two_link, {"l1": 0.5}, term_limit=50),
        equations(two_link, {"l1": 0.5}, base_parameters=True),
        "equations",
    ]
    assert all(made != other for other in others)
