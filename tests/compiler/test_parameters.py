"""Parameters of a mechanism as arrays of a kernel, and symbols in a builder."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, NoDerivativeError, UnknownNameError
from mechanisms import one_of_each, relative_error, state
from shortened import long_form

ROWS = 5


def arm() -> lw.Model:
    return lw.load("arm7").with_payload("tool", 1.0, (0, 0, 0.05), (0.01, 0.02, 0.03))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy", "momentum"])
def test_every_row_has_its_own_payload(name):
    model, face = arm(), getattr(lw, name)
    rng = np.random.default_rng(0)
    kernel = lw.compile(face, model, parameters=["payload.mass", "payload.center_of_mass", "payload.inertia"])
    given = {"q": model.random(ROWS, 0), "v": rng.normal(size=(ROWS, 7))}
    given |= {"a": rng.normal(size=(ROWS, 7)), "tau": rng.normal(size=(ROWS, 7))}
    arrays = [given[slot.name] for slot in kernel.program.inputs[:-3]]
    mass, center = rng.uniform(0.5, 2.0, ROWS), rng.normal(size=(ROWS, 3)) * 0.1
    six = np.array([0.02, 0.001, 0.03, 0.002, -0.001, 0.04]) * rng.uniform(1, 2, (ROWS, 1))
    found = kernel(*arrays, mass, center, six)
    for k in range(ROWS):
        xx, xy, yy, xz, yz, zz = six[k]
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        other = model.with_link("payload", mass=mass[k], center_of_mass=center[k], inertia=inertia)
        assert relative_error(found[k], face(other, *(x[k] for x in arrays))) < 1e-11


def test_efforts_are_linear_in_the_ten_inertial_parameters():
    model = arm()
    q, v, a = state(model, 0)
    kernel = lw.compile(lw.inverse_dynamics, model, parameters=["link3.inertial"])
    Y = kernel.derivative("link3.inertial")(q, v, a, np.zeros(10))
    assert Y.shape == (7, 10)
    pi = np.array([2.0, 0.1, 0.2, 0.3, 0.05, 0.001, 0.06, 0.002, 0.003, 0.07])
    assert relative_error(Y @ pi + kernel(q, v, a, np.zeros(10)), kernel(q, v, a, pi)) < 1e-13


def test_derivatives_by_parameters_and_by_coordinates():
    model = arm()
    q, v, tau = state(model, 1)
    kernel = lw.compile(lw.forward_dynamics, model, parameters=["payload.mass", "joint2.armature"])
    h = 1e-5
    by_mass = (kernel(q, v, tau, 1.0 + h, 0.1) - kernel(q, v, tau, 1.0 - h, 0.1)) / (2 * h)
    assert relative_error(kernel.derivative("payload.mass")(q, v, tau, 1.0, 0.1), by_mass) < 1e-7
    heavier = model.with_joint("joint2", armature=0.1)
    expected = lw.derivative(lw.forward_dynamics, "q")(heavier, q, v, tau)
    assert relative_error(kernel.derivative("q")(q, v, tau, 1.0, 0.1), expected) < 1e-9


def test_joints_and_gravity_are_parameters_too():
    model = one_of_each(3)
    q, v, _ = state(model, 0)
    names = [f"{joint.name}.{of}" for joint in model.joints for of in ("damping", "stiffness", "friction")]
    kernel = lw.compile(lw.passive_forces, model, parameters=names)
    given = [getattr(joint, of) * 2.0 for joint in model.joints for of in ("damping", "stiffness", "friction")]
    found = kernel(q, v, *(x if len(x) > 1 else x[0] for x in given))
    other = model
    for joint in model.joints:
        values = {of: getattr(joint, of) * 2.0 for of in ("damping", "stiffness", "friction")}
        other = other.with_joint(joint.name, **values)
    assert relative_error(found, lw.passive_forces(other, q, v)) < 1e-12
    weight = lw.compile(lw.gravity_forces, model, parameters=["gravity"])
    assert relative_error(weight(q, [1.0, 2.0, 3.0]), lw.gravity_forces(model.with_gravity([1, 2, 3]), q)) < 1e-12


@pytest.mark.parametrize("seed", [0, *long_form(4)])
def test_parameters_of_any_body_of_any_mechanism(seed):
    model = one_of_each(seed)
    q, v, a = state(model, 0)
    for body in model.description.bodies:
        kernel = lw.compile(lw.inverse_dynamics, model, wrenches=["tip"], parameters=[f"{body.name}.mass"])
        other = model.with_link(body.name, mass=3.0)
        expected = lw.inverse_dynamics(other, q, v, a, wrenches={"tip": np.arange(6.0)})
        assert relative_error(kernel(q, v, a, np.arange(6.0), 3.0), expected) < 1e-11


def test_the_only_body_may_be_one():
    model = lw.load("pendulum")
    body = model.bodies[0].name
    kernel = lw.compile(lw.forward_dynamics, model, parameters=[f"{body}.mass"])
    expected = lw.forward_dynamics(model.with_link(body, mass=7.0), [0.3], [0.1], [1.0])
    assert relative_error(kernel([0.3], [0.1], [1.0], 7.0), expected) < 1e-12


def test_functions_of_users_have_parameters_too():
    model = arm()

    def power(model, q, v):
        return lw.gravity_forces(model, q) @ v + lw.total_mass(model) + model.bodies[-1].mass

    q, v, _ = state(model, 0)
    kernel = lw.compile(power, model, parameters=["payload.mass"])
    assert kernel(q, v, 3.0) == pytest.approx(power(model.with_link("payload", mass=3.0), q, v))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["paylaod.mass"], "unknown body 'paylaod'"),
        (["payload.weight"], "unknown parameter 'payload.weight'; there are .*payload.inertia"),
        (["elbow.damping"], "unknown joint 'elbow'"),
        (["payload.mass", "payload.mass"], "named once"),
        (["payload.mass", "payload.inertial"], "all parameters of 'payload'"),
        ("payload.mass", "a list of names"),
        ([3], "a list of names"),
    ],
)
def test_what_is_no_parameter_is_reported(names, message):
    with pytest.raises((ArgumentError, UnknownNameError), match=message):
        lw.compile(lw.mass_matrix, arm(), parameters=names)


def test_a_function_without_a_mechanism_has_none():
    with pytest.raises(ArgumentError, match="none is given"):
        lw.compile(lambda x: x, x=1, parameters=["payload.mass"])


# symbols in a builder


def pendulum(mass, length, moment, damping) -> lw.Model:
    return (
        lw.Builder("pendulum")
        .body("rod", mass, [0, 0, -0.5 * length], [moment, moment, 0.0])
        .joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0], damping=damping)
        .build()
    )


def test_a_model_of_symbols_gives_expressions():
    m, L, I, d, q, v = lw.symbols("m L I d q v", [(), (), (), (), 1, 1])
    model = pendulum(m, L, I, d)
    assert model.holds_symbols
    assert not pendulum(1.0, 1.0, 1.0, 1.0).holds_symbols
    assert "m" in str(lw.mass_matrix(model, q)[0, 0])
    assert "d" in str(lw.passive_forces(model, q, v)[0])
    assert "L" in str(lw.inverse_dynamics(model, [0.1], [0.0], [1.0])[0])


def test_a_function_may_make_the_model_of_its_arrays():
    def law(m, L, I, d, q, v, tau):
        model = pendulum(m, L, I, d)
        return lw.forward_dynamics(model, q, v, tau + lw.passive_forces(model, q, v))

    kernel = lw.compile(law, m=(), L=(), I=(), d=(), q=1, v=1, tau=1)
    for m, L, I, d in ((1.0, 2.0, 0.3, 0.1), (2.0, 1.0, 0.1, 0.0)):
        given = np.array([0.3]), np.array([0.5]), np.array([0.7])
        assert relative_error(kernel(m, L, I, d, *given), law(m, L, I, d, *given)) < 1e-12


def test_payloads_may_be_symbols():
    def law(q, v, a, m):
        return lw.inverse_dynamics(lw.load("arm7").with_payload("tool", m, (0, 0, 0.05)), q, v, a)

    q, v, a = state(lw.load("arm7"), 0)
    kernel = lw.compile(law, q=7, v=7, a=7, m=())
    assert relative_error(kernel(q, v, a, 2.0), law(q, v, a, 2.0)) < 1e-11


def test_what_cannot_be_done_with_symbols_in_a_model_is_reported():
    m = lw.symbols("m")
    model = pendulum(m, 1.0, 0.1, 0.0)
    with pytest.raises(ArgumentError, match="holds symbols"):
        lw.compile(lw.mass_matrix, model)
    with pytest.raises(NoDerivativeError, match="contains symbols"):
        lw.derivative(lw.mass_matrix, "q")(model, [0.1])
    assert partial(lw.derivative(lw.inverse_dynamics, "q"), model)([0.1], [0.0], [0.0]).shape == (1, 1)
