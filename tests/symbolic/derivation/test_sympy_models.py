"""Models whose masses, lengths and placements are expressions of SymPy, and SymPy's mechanics as kernels."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import sympy as sp
import sympy.physics.mechanics as me
from sympy.physics.mechanics.models import n_link_pendulum_on_cart
from sympy.physics.units import kilogram

import linkwright as lw
from linkwright.errors import ArgumentError, ExpressionError, InputError, ModelError, ShapeError

m, l, I, h, d = sp.symbols("m l I h d", positive=True)
NUMBERS = {m: 1.3, l: 0.7, I: 0.2, h: 0.4, d: 0.3}
Q, V, TAU = [0.3, -0.8], [0.5, 1.1], [0.2, -0.1]


def robot(m, l, I, h, d):
    builder = lw.Builder("arm").body("upper", m, [l / 2, 0, 0], [I, 2 * I, 2 * I])
    builder.body("lower", 2.0, [0.1, 0, h], 0.3).body("plate", m, [0, l, 0], I)
    builder.joint("shoulder", "revolute", "world", "upper", axis=(0, 1, 0), damping=d)
    builder.joint("elbow", "revolute", "upper", "lower", axis=(0, 0, 1), xyz=[l, 0, h], rpy=[h, 0, 0.2], armature=I)
    builder.joint("weld", "fixed", "lower", "plate", xyz=[0, l / 3, 0])
    return builder.frame("tip", "plate", xyz=[l, h, 0]).build()


SYMBOLIC, NUMERIC = robot(m, l, I, h, d), robot(*NUMBERS.values())


def evaluated(made, numbers):
    """Return an array of expressions of SymPy as numbers."""
    return np.vectorize(lambda entry: float(sp.sympify(entry).subs(numbers)), otypes=[float])(made)


ALGORITHMS = {
    "mass_matrix": lambda model, q, v, tau: lw.mass_matrix(model, q),
    "forward_dynamics": lambda model, q, v, tau: lw.forward_dynamics(model, q, v, tau),
    "inverse_dynamics": lambda model, q, v, tau: lw.inverse_dynamics(model, q, v, tau),
    "passive_forces": lambda model, q, v, tau: lw.passive_forces(model, q, v),
    "kinetic_energy": lambda model, q, v, tau: lw.kinetic_energy(model, q, v),
    "pose": lambda model, q, v, tau: lw.pose(model, q, "tip"),
    "jacobian": lambda model, q, v, tau: lw.jacobian(model, q, "tip"),
    "wrenches": lambda model, q, v, tau: lw.inverse_dynamics(
        model, q, v, tau, wrenches={"tip": [0, 0, 0, 0, tau[0], 1]}
    ),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_values_are_those_of_a_model_of_numbers(name):
    algorithm = ALGORITHMS[name]
    found = evaluated(algorithm(SYMBOLIC, Q, V, TAU), NUMBERS)
    np.testing.assert_allclose(found, algorithm(NUMERIC, Q, V, TAU), rtol=1e-12, atol=1e-12)


def test_coordinates_and_parameters_together():
    q, rates = me.dynamicsymbols("q1 q2"), me.dynamicsymbols("q1 q2", 1)
    results = lw.mass_matrix(SYMBOLIC, q), lw.bias_forces(SYMBOLIC, q, rates)
    kernel = lw.compile(results, {"q": q, "v": rates, "parameters": list(NUMBERS)})
    M, c = kernel(Q, V, list(NUMBERS.values()))
    np.testing.assert_allclose(M, lw.mass_matrix(NUMERIC, Q), rtol=1e-12)
    np.testing.assert_allclose(c, lw.bias_forces(NUMERIC, Q, V), rtol=1e-12)
    by_length = kernel.derivative("parameters")(Q, V, list(NUMBERS.values()))[0][..., 1]
    step = 1e-6
    values = [{**NUMBERS, l: NUMBERS[l] + s * step}.values() for s in (1, -1)]
    high, low = (lw.mass_matrix(robot(*each), Q) for each in values)
    np.testing.assert_allclose(by_length, (high - low) / (2 * step), atol=1e-8)


def test_symbols_keep_their_assumptions_and_results_combine():
    first = lw.mass_matrix(robot(m, 1.0, 0.1, 0.0, 0.0), Q)
    gc.collect()
    second = lw.mass_matrix(SYMBOLIC, Q)
    assert first[1, 1].free_symbols == {m}
    assert (first + second)[1, 1].free_symbols <= {m, l, I, h}


def test_changes_of_models():
    arm = lw.load("two_link")
    numeric, q = {m: 0.5, l: 0.3}, Q
    for change in (
        lambda m, l: arm.with_payload("tip", m, [l, 0, 0]),
        lambda m, l: arm.with_body("link1", mass=m),
        lambda m, l: arm.with_scaled_masses(m),
        lambda m, l: arm.with_geometry({"tip.position": [l, 0, m]}),
        lambda m, l: arm.with_frame("point", "link2", xyz=[l, 0, 0]),
    ):
        found = evaluated(lw.mass_matrix(change(m, l), q), numeric)
        np.testing.assert_allclose(found, lw.mass_matrix(change(0.5, 0.3), q), rtol=1e-12)
    pose = evaluated(lw.pose(arm.with_geometry({"tip.position": [l, 0, m]}), q, "tip"), numeric)
    wanted = lw.pose(arm.with_geometry({"tip.position": [0.3, 0, 0.5]}), q, "tip")
    np.testing.assert_allclose(pose, wanted, atol=1e-15)


@pytest.mark.parametrize("symbols", [sp.symbols("g x", real=True), lw.symbols("g x")])
def test_gravity_and_locked_joints(symbols):
    """By symbols of SymPy and of Linkwright, on a model and on its minimal form."""
    g, x = symbols
    arm = lw.load("two_link")
    for model in (arm, arm.minimal()):
        weights = lw.gravity_forces(model.with_gravity([0, -g, 0]), Q)
        found = lw.compile(weights, [g])(3.7)
        np.testing.assert_allclose(found, lw.gravity_forces(model.with_gravity([0, -3.7, 0]), Q), rtol=1e-12)
    built = (
        lw.Builder("p", gravity=(g, 0, 1.0)).body("a", 2.0, [0.5, 0, 0], 0.1).joint("j", "free", "world", "a").build()
    )
    q = built.neutral()
    numeric = built.with_gravity([3.7, 0, 1.0])
    np.testing.assert_allclose(lw.compile(lw.gravity_forces(built, q), [g])(3.7), lw.gravity_forces(numeric, q))
    assert f"gravity ({g}, 0, 1)" in str(built)
    arm7 = lw.load("arm7")
    joints = [f"joint{k}" for k in (2, 3, 5, 6, 7)]
    pose = lw.pose(arm7.lock({joints[0]: x, **dict.fromkeys(joints[1:], 0.2)}), Q, "tool")
    wanted = lw.pose(arm7.lock({joints[0]: -0.4, **dict.fromkeys(joints[1:], 0.2)}), Q, "tool")
    np.testing.assert_allclose(lw.compile(pose, [x])(-0.4), wanted, atol=1e-12)
    with pytest.raises(InputError, match="of a mechanism with loops or springs is locked at numbers"):
        lw.load("four_bar").lock({"crank": x})
    with pytest.raises(ShapeError, match=r"1 coordinate\(s\); got shape \(2,\)"):
        arm.lock({"joint1": [x, x]})
    with pytest.raises(InputError, match="gravity must be numbers or symbols"):
        arm.with_gravity([g, np.nan, 0.0])


def test_closed_loops():
    def rhombus(l):
        builder = lw.Builder("rhombus").body("a", 1.0, [l / 2, 0, 0], 0.1).body("b", 1.0, [l / 2, 0, 0], 0.1)
        builder.body("c", 1.0, [l / 2, 0, 0], 0.1).joint("1", "revolute", "world", "a").frame("end", "b", xyz=[l, 0, 0])
        builder.joint("2", "revolute", "a", "b", xyz=[l, 0, 0]).joint("3", "revolute", "world", "c", xyz=[l, 0, 0])
        return builder.frame("top", "c", xyz=[l, 0, 0]).loop("close", "revolute", "end", "top").build()

    q, v, tau = [1.0, -1.0, 1.0], [0.3, -0.3, 0.3], [1.0, 0.0, 0.0]  # a, c parallel
    length = lw.symbols("l")  # SymPy would write out more than a kernel computes
    kernel = lw.compile(lw.forward_dynamics(rhombus(length), q, v, tau), [length])
    np.testing.assert_allclose(kernel(0.7), lw.forward_dynamics(rhombus(0.7), q, v, tau), rtol=1e-9)


def test_numbers_and_columns_of_sympy():
    model = robot(sp.Rational(13, 10), sp.Float(0.7), sp.Rational(1, 5), sp.Rational(2, 5), 0.3)
    assert not model.holds_symbols
    np.testing.assert_array_equal(lw.mass_matrix(model, Q), lw.mass_matrix(NUMERIC, Q))
    column = lw.Builder("p").body("a", m, sp.Matrix([l, 0, 0]), sp.diag(I, I, I))
    column = column.joint("j", "revolute", "world", "a", xyz=sp.Matrix([1, 0, 0])).build()
    assert sp.simplify(lw.mass_matrix(column, [0.0])[0, 0] - (I + m * l**2)) == 0
    assert "mass m" in str(column)
    assert "mass m" in column._repr_html_()


def test_what_symbols_cannot_do_is_explained():
    with pytest.raises(ArgumentError, match="compile expressions"):
        lw.compile(lw.mass_matrix, SYMBOLIC)
    with pytest.raises(ModelError, match="a simulation needs numbers"):
        lw.simulate(SYMBOLIC, Q, V, 1.0)
    with pytest.raises(ExpressionError, match="or all by SymPy"):
        lw.mass_matrix(SYMBOLIC, lw.symbols("q", 2))
    with pytest.raises(ExpressionError, match="or all by SymPy"):
        robot(m, lw.symbols("l"), 0.1, 0.1, 0.1)
    with pytest.raises(ArgumentError, match=r"with_geometry\(\{'elbow.axis'"):
        lw.Builder("p").body("a", 1.0).joint("j", "revolute", "world", "a", axis=[l, 0, 1])
    with pytest.raises(InputError, match="finite"):
        lw.Builder("p").body("a", sp.nan)
    with pytest.raises(ExpressionError, match="real"):
        lw.Builder("p").body("a", sp.I * m)
    with pytest.raises(ExpressionError, match="of type Equality"):
        lw.Builder("p").body("a", sp.Eq(m, 1))
    with pytest.raises(ExpressionError, match="kilogram of type Quantity"):
        lw.Builder("p").body("a", m * kilogram)
    with pytest.raises(
        ModelError, match=r"searches with numbers, but 'arm' was built with symbols\. Build it with values"
    ):
        lw.inverse_kinematics(SYMBOLIC, {"tip": [0.5, 0.0, 0.1]})
    two = lw.load("two_link")
    for model, target in ((two, [l, 0.5, 0.0]), (two.with_geometry({"tip.position": [l, 0, 0]}), [0.5, 0.5, 0.0])):
        with pytest.raises(ExpressionError, match="a loop without a form in SymPy"):
            lw.inverse_kinematics(model, {"tip": target})
    with pytest.raises(ModelError, match="a drawing needs numbers"):
        lw.draw(SYMBOLIC, Q)
    bad = np.array([[1, 0, 0, l], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, l, 1]], dtype=object)
    with pytest.raises(InputError, match="last row"):
        lw.Builder("p").body("a", 1.0).joint("j", "revolute", "world", "a", placement=bad)
    hung = lw.Builder(SYMBOLIC).spring("tip", ("world", (0, 0, 1)), 2.0)
    with pytest.raises(ModelError, match="give its length"):
        hung.build()
    hung = lw.Builder(SYMBOLIC).spring("tip", ("world", (0, 0, 1)), 2.0, length=1.0).build()
    assert lw.passive_forces(hung, Q, V)[0].free_symbols <= set(NUMBERS)


# equations of sympy.physics.mechanics


def rolling_disc():
    """Return Kane's equations of a disc that rolls without slipping: SymPy's documentation."""
    q, u = me.dynamicsymbols("q1 q2 q3"), me.dynamicsymbols("u1 u2 u3")
    r, mass, g = sp.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    L = Y.orientnew("L", "Axis", [q[1], Y.x])
    R = L.orientnew("R", "Axis", [q[2], L.y])
    R.set_ang_vel(N, u[0] * L.x + u[1] * L.y + u[2] * L.z)
    C = me.Point("C")
    C.set_vel(N, 0)
    center = C.locatenew("center", r * L.z)
    center.v2pt_theory(C, N, R)
    inertia = me.inertia(L, mass / 4 * r**2, mass / 2 * r**2, mass / 4 * r**2)
    kinematic = [u[0] - q[1].diff(), u[1] - q[2].diff() - q[0].diff() * sp.sin(q[1]), u[2] - q[0].diff() * sp.cos(q[1])]
    method = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=kinematic)
    body = me.RigidBody("disc", center, R, mass, (inertia, center))
    method.kanes_equations([body], [(center, -mass * g * Y.z)])
    return method, q, u, [r, mass, g]


def test_rolling_disc():
    method, q, u, parameters = rolling_disc()
    results = method.mass_matrix_full, method.forcing_full
    kernel = lw.compile(results, {"q": q, "u": u, "parameters": parameters})
    given = [0.3, 0.4, -0.2], [1.0, -0.5, 2.0], [0.7, 1.3, 9.81]
    theirs = sp.lambdify([q, u, parameters], results, cse=True)(*given)
    for ours, other in zip(kernel(*given), theirs, strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-12, atol=1e-12)
    M, f = kernel(np.tile(given[0], (4, 1)), given[1], given[2])
    assert np.linalg.solve(M, f).shape == (4, 6, 1)


@pytest.mark.parametrize("links", [1, 3])
def test_pendulums_on_a_cart_in_both_libraries(links):
    method = n_link_pendulum_on_cart(links, joint_torques=False)
    q, u = list(method.q), list(method.u)
    F, *parameters = sorted(method.forcing.free_symbols | method.mass_matrix.free_symbols | {sp.Symbol("F")}, key=str)
    known = {F: 0.0, sp.Symbol("t"): 0.0, sp.Symbol("g"): 9.81}
    values = {p: known.get(p, 0.5 + 0.1 * k) for k, p in enumerate(parameters)} | {F: 0.0}
    force = me.dynamicsymbols("F")
    kernel = lw.compile((method.mass_matrix, method.forcing), {"q": q, "u": u, "force": force, "p": list(values)})
    at, rates = np.linspace(0.2, 0.5, links + 1), np.linspace(-0.5, 1.0, links + 1)
    M, forcing = kernel(at, rates, 0.0, list(values.values()))
    theirs = sp.lambdify([q, u, force, list(values)], (method.mass_matrix, method.forcing), cse=True)
    theirs = theirs(at, rates, 0.0, list(values.values()))
    np.testing.assert_allclose(M, theirs[0], rtol=1e-12)
    np.testing.assert_allclose(forcing, theirs[1], rtol=1e-12, atol=1e-12)
