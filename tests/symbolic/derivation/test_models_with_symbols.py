"""Equations of models whose masses, lengths, placements and gravity are symbols, of SymPy or of Linkwright."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
import sympy.physics.mechanics as me

import linkwright as lw
from linkwright.errors import InputError, ModelError

m, M, l, I, h, d, g = sp.symbols("m M l I h d g", positive=True)


def arm(m, l, I, h, d, g):
    """Return an arm that moves in space, whose placements turn by a symbol."""
    builder = lw.Builder("arm", gravity=(0.0, 0.0, -g))
    builder.body("upper", m, [l / 2, 0, 0], [I, 2 * I, 2 * I]).body("lower", 2.0, [0.1, 0, h], 0.3)
    builder.joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), damping=d)
    builder.joint("elbow", "revolute", "upper", "lower", axis=(0, 0, 1), xyz=[l, 0, h], rpy=[h, 0, 0], armature=I)
    return builder.frame("tip", "lower", xyz=[l, 0.0, h]).build()


def evaluated(x, values):
    return np.vectorize(lambda entry: float(sp.sympify(entry).subs(values)), otypes=[float])(np.array(x))


@pytest.mark.parametrize("theirs", [True, False], ids=["SymPy", "Linkwright"])
def test_values_are_those_of_a_model_of_numbers(theirs):
    rng = np.random.default_rng()
    names = "m l I h d g"
    symbols = sp.symbols(names, positive=True) if theirs else lw.symbols(names)
    numbers = rng.uniform(0.3, 1.3, size=6)
    equations, numeric = lw.equations(arm(*symbols)), arm(*numbers)
    assert set(equations.parameters) == set(names.split())
    assert all(map(math.isnan, equations.parameters.values()))
    q, v = rng.normal(size=(2, 2))
    at = dict(zip(["theta1", "theta2", "theta1_dot", "theta2_dot", *names.split()], [*q, *v, *numbers], strict=True))

    def of(made):
        return evaluated(made, {x: at[x.name] for x in made.free_symbols})

    np.testing.assert_allclose(of(equations.mass_matrix), lw.mass_matrix(numeric, q), atol=1e-12)
    weights = lw.gravity_forces(numeric, q)
    np.testing.assert_allclose(of(equations.gravity_forces)[:, 0], weights, atol=1e-12)
    np.testing.assert_allclose(of(equations.friction_forces)[:, 0], -lw.passive_forces(numeric, q, v), atol=1e-12)
    wanted = lw.bias_forces(numeric, q, v) - weights
    np.testing.assert_allclose(of(equations.velocity_forces)[:, 0], wanted, atol=1e-12)
    np.testing.assert_allclose(of(equations.pose("tip")), lw.pose(numeric, q, "tip"), atol=1e-12)
    np.testing.assert_allclose(of(equations.jacobian("tip")), lw.jacobian(numeric, q, "tip"), atol=1e-12)


def cart_pole():
    builder = lw.Builder("cart pole", gravity=(0, 0, -g)).body("cart", M).body("pole", m, [0, 0, l], I)
    builder.joint("slide", "prismatic", "world", "cart", axis=[1, 0, 0])
    return builder.joint("hinge", "revolute", "cart", "pole", axis=[0, 1, 0]).build()


def pendulum():
    builder = lw.Builder("double", gravity=(0, 0, -g))
    for k, parent in enumerate(("world", "rod1"), 1):
        builder.body(f"rod{k}", [M, m][k - 1], [0, 0, -l], 0.0)
        builder.joint(f"hinge{k}", "revolute", parent, f"rod{k}", axis=[0, 1, 0], xyz=[0, 0, -l * (k - 1)])
    return builder.build()


def lagrangian_of_cart_pole(q):
    x, angle = q
    p = sp.Matrix([x + l * sp.sin(angle), l * sp.cos(angle)])
    t = me.dynamicsymbols._t
    kinetic = M * x.diff(t) ** 2 / 2 + m * (p.diff(t).T * p.diff(t))[0] / 2 + I * angle.diff(t) ** 2 / 2
    return kinetic - m * g * p[1]


def lagrangian_of_pendulum(q):
    t = me.dynamicsymbols._t
    first = -l * sp.Matrix([sp.sin(q[0]), sp.cos(q[0])])
    second = first - l * sp.Matrix([sp.sin(q[0] + q[1]), sp.cos(q[0] + q[1])])
    parts = ((M, first), (m, second))
    return sum(mass * ((p.diff(t).T * p.diff(t))[0] / 2 - g * p[1]) for mass, p in parts)


@pytest.mark.parametrize(
    ("model", "lagrangian"), [(cart_pole, lagrangian_of_cart_pole), (pendulum, lagrangian_of_pendulum)]
)
def test_lagranges_method_of_sympy(model, lagrangian):
    q = me.dynamicsymbols("q1 q2")
    method = me.LagrangesMethod(lagrangian(q), q)
    method.form_lagranges_equations()
    equations = lw.equations(model())
    own = [equations.symbols.setdefault(name, sp.Symbol(name, real=True)) for name in equations.coordinates.q]
    rates = [equations.symbols.setdefault(name, sp.Symbol(name, real=True)) for name in equations.coordinates.v]
    there = {**{x.diff(): rate for x, rate in zip(q, rates, strict=True)}}
    here = dict(zip(q, own, strict=True))
    M_there = method.mass_matrix.subs(there).subs(here)
    forcing = method.forcing.subs(there).subs(here)
    assert sp.simplify(M_there - equations.mass_matrix) == sp.zeros(2)
    assert sp.simplify(forcing + equations.velocity_forces + equations.gravity_forces) == sp.zeros(2, 1)
    assert {*equations.mass_matrix.free_symbols} - {*own} <= {m, M, l, I}  # with their assumptions


def test_kanes_method_of_sympy():
    """A pendulum that turns about the vertical axis and swings."""
    builder = lw.Builder("swing", gravity=(0, 0, -g)).body("fork", M, inertia=[I, I, I]).body("rod", m, [0, 0, -l], 0.0)
    builder.joint("turn", "revolute", "world", "fork", axis=[0, 0, 1])
    equations = lw.equations(builder.joint("swing", "revolute", "fork", "rod", axis=[0, 1, 0]).build())
    (a, b), (u, w) = me.dynamicsymbols("a b"), me.dynamicsymbols("u w")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (a, N.z))
    A.set_ang_vel(N, u * N.z)
    B = A.orientnew("B", "Axis", (b, A.y))
    B.set_ang_vel(A, w * A.y)
    O = me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", -l * B.z)
    P.v2pt_theory(O, N, B)
    bodies = [me.RigidBody("fork", O, A, M, (me.inertia(A, I, I, I), O)), me.Particle("rod", P, m)]
    method = me.KanesMethod(N, q_ind=[a, b], u_ind=[u, w], kd_eqs=[a.diff() - u, b.diff() - w])
    method.kanes_equations(bodies, [(P, -m * g * N.z)])
    names = dict(zip((a, b, u, w), ("theta1", "theta2", "theta1_dot", "theta2_dot"), strict=True))
    ours = {x: equations.symbols.setdefault(name, sp.Symbol(name, real=True)) for x, name in names.items()}
    assert sp.simplify(method.mass_matrix.subs(ours) - equations.mass_matrix) == sp.zeros(2)
    forces = equations.velocity_forces + equations.gravity_forces
    assert sp.simplify(method.forcing.subs(ours) + forces) == sp.zeros(2, 1)


def test_text_code_and_other_coordinates():
    equations = lw.equations(pendulum())
    assert equations.text(what="g").splitlines()[1] == "g[2] = m*g*l*sin(theta1 + theta2)"
    assert equations.same_as("M*l^2 + 2*m*l^2 + 2*m*l^2*cos(theta2) + m*l^2 - m*l^2 + m*l^2 - m*l^2", "M[1,1]")
    other = equations.in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
    assert other.text(what="g").splitlines()[1] == "g[2] = m*g*l*sin(phi2)"
    scope: dict = {}
    exec(equations.python(), scope)
    function = next(x for name, x in scope.items() if name.endswith("_equations"))
    given = {"m": 0.7, "M": 1.3, "l": 0.6, "g": 9.81}
    values = [given[name] for name in equations.parameters]
    numeric = pendulum_of_numbers(given)
    q, v = [0.3, -0.8], [0.5, 1.1]
    mass, bias, weights = function(q, v, values)
    np.testing.assert_allclose(mass, lw.mass_matrix(numeric, q), rtol=1e-12)
    np.testing.assert_allclose(np.add(bias, weights), lw.bias_forces(numeric, q, v), rtol=1e-12)
    some = lw.equations(pendulum(), {"l": 0.5, "g": 9.81})
    assert set(some.parameters) == {"m", "M"}
    assert sp.simplify(some.mass_matrix - equations.mass_matrix.subs(l, sp.Rational(1, 2))) == sp.zeros(2)


def test_names_of_users_in_all_forms(tmp_path):
    mass, length, inertia = sp.symbols("m_1 l_arm Izz_body")
    equations = lw.equations(hinged(mass, [length, 0, 0], inertia))
    assert "m_{1} \\, l_{arm}^{2} + Izz" in equations.latex().replace("\\mathit{Izz}", "Izz")
    assert "<mi" in equations.mathml()
    assert "nan" not in equations.maxima()
    assert {file.suffix for file in equations.save(tmp_path)} >= {".c", ".py", ".tex"}
    assert "l_arm" in equations.derivation_text()
    assert "Explanations need values" in equations.html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Izz_body" in lw.equations(hinged(mass, [length, 0, 0], inertia), method="lagrange").text()


def pendulum_of_numbers(given):
    builder = lw.Builder("double", gravity=(0, 0, -given["g"]))
    for k, parent in enumerate(("world", "rod1"), 1):
        builder.body(f"rod{k}", given["Mm"[k - 1]], [0, 0, -given["l"]], 0.0)
        builder.joint(f"hinge{k}", "revolute", parent, f"rod{k}", axis=[0, 1, 0], xyz=[0, 0, -given["l"] * (k - 1)])
    return builder.build()


def hinged(mass=1.0, center=(1.0, 0.0, 0.0), inertia=0.1, **joint):
    builder = lw.Builder("one").body("rod", mass, center, inertia)
    return builder.joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0], **joint).build()


def test_expressions_that_are_no_polynomials_have_names():
    equations = lw.equations(hinged(m, [sp.sqrt(l), 0, 0], I / h))
    assert sp.simplify(equations.mass_matrix[0, 0] - (m * l + I / h)) == 0
    assert "e1" in equations.text(what="M")
    assert any("sqrt(l)" in meaning for meaning in equations.meanings.values())


def test_closed_loop():
    builder = lw.Builder("rhombus").body("a", m, [l / 2, 0, 0], I).body("b", m, [l / 2, 0, 0], I)
    builder.body("c", m, [l / 2, 0, 0], I).joint("1", "revolute", "world", "a").frame("end", "b", xyz=[l, 0, 0])
    builder.joint("2", "revolute", "a", "b", xyz=[l, 0, 0]).joint("3", "revolute", "world", "c", xyz=[l, 0, 0])
    model = builder.frame("top", "c", xyz=[l, 0, 0]).loop("close", "revolute", "end", "top").build()
    equations = lw.equations(model)
    assert equations.constraint_jacobian.free_symbols >= {l}
    assert not equations.constraint_jacobian.has(m)


def test_mistakes_are_explained():
    with pytest.raises(InputError, match="'theta1' of the model has the name of a coordinate"):
        lw.equations(hinged(sp.Symbol("theta1")))
    with pytest.raises(InputError, match=r"the function m\(t\)"):
        lw.equations(hinged(me.dynamicsymbols("m")))
    with pytest.raises(InputError, match="two symbols of the model are named 'm'"):
        lw.equations(hinged(m, [sp.Symbol("m"), 0, 0]))
    with pytest.raises(InputError, match="'k' is no symbol of the model; its symbols are m"):
        lw.equations(hinged(m), {"k": 1.0})
    with pytest.raises(InputError, match=r"no 'geometry'; a mapping gives numbers for symbols"):
        lw.equations(hinged(m), {"geometry": "numbers"})
    with pytest.raises(InputError, match="may be 'numbers', 'symbols' or a dict"):
        lw.equations(hinged(m), "all")
    with pytest.raises(InputError, match="base_parameters needs a model of numbers"):
        lw.equations(hinged(m), base_parameters=True)
    with pytest.raises(InputError, match="explanations compare the values of parameters"):
        lw.equations(hinged(m)).explanation()
    with pytest.raises(ModelError, match="no multiples of π/12"):
        lw.equations(hinged(m, rpy=[0.2, 0.0, 0.0]))
    model = hinged(m)
    assert lw.equations(model) == lw.equations(model)
