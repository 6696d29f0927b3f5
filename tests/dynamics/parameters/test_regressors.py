"""Efforts, momentum and energy are linear in the inertial parameters, and regressors are their matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.dynamics import energy_regressor, momentum_regressor, reference_regressor, regressor
from linkwright.dynamics.parameters.regressor import momentum_change_regressor
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES
from mechanisms import one_of_each, random_tree, relative_error, state, trees, with_loops

LEAST = {"deadline": None, "max_examples": 30}


@settings(**LEAST)
@given(trees(), st.integers(0, 1000))
def test_efforts_are_a_matrix_times_the_parameters(model, seed):
    q, v, a = state(model, seed)
    Y, pi = regressor(model, q, v, a, armature=True), lw.inertial_parameters(model, armature=True)
    assert relative_error(Y @ pi, lw.dynamics.inverse_dynamics(model, q, v, a)) < 1e-12


@settings(**LEAST)
@given(trees(), st.integers(0, 1000))
def test_momentum_and_energy_too(model, seed):
    q, v, _ = state(model, seed)
    pi = lw.inertial_parameters(model, armature=True)
    M = lw.dynamics.mass_matrix(model, q)
    assert relative_error(momentum_regressor(model, q, v, armature=True) @ pi, M @ v) < 1e-12
    kinetic, potential = lw.dynamics.kinetic_energy(model, q, v), lw.dynamics.potential_energy(model, q)
    for of, energy in {"kinetic": kinetic, "potential": potential, "total": kinetic + potential}.items():
        assert relative_error(energy_regressor(model, q, v, of=of, armature=True) @ pi, energy) < 1e-12


@settings(**LEAST)
@given(trees(), st.integers(0, 1000))
def test_what_follows_a_reference_velocity_takes(model, seed):
    """M a_r + C(q, v) v_r + g, with the C of which Ṁ − 2C is skew: without weight sᵀ(Y(v, s, 0) π) is half of sᵀṀ s."""
    (q, v, a), (_, v_r, a_r) = state(model, seed), state(model, seed + 1)
    pi = lw.inertial_parameters(model, armature=True)
    M, C, g = (
        lw.dynamics.mass_matrix(model, q),
        lw.dynamics.coriolis_matrix(model, q, v),
        lw.dynamics.gravity_forces(model, q),
    )
    Y = reference_regressor(model, q, v, v_r, a_r, armature=True)
    assert relative_error(Y @ pi, M @ a_r + C @ v_r + g) < 1e-12
    assert relative_error(reference_regressor(model, q, v, v, a, True), regressor(model, q, v, a, True)) < 1e-12
    free, h = model.with_gravity([0.0, 0.0, 0.0]), 1e-6
    there, before = (lw.dynamics.mass_matrix(model, lw.dynamics.integrate(model, q, x * v)) for x in (h, -h))
    half = 0.25 / h * (v_r @ (there - before) @ v_r)
    power = v_r @ reference_regressor(free, q, v, v_r, 0.0 * a_r, armature=True) @ pi
    assert power == pytest.approx(half, abs=1e-6 * (1.0 + np.abs(C).max() * (v_r @ v_r)))


@settings(**LEAST)
@given(trees(), st.integers(0, 1000))
def test_momentum_changes_by_efforts_and_what_generalized_momentum_tells(model, seed):
    """n = Cᵀv − g, and so ṗ = τ + n along a motion."""
    q, v, a = state(model, seed)
    p, n = lw.dynamics.generalized_momentum(model, q, v)
    expected = lw.dynamics.coriolis_matrix(model, q, v).T @ v - lw.dynamics.gravity_forces(model, q)
    assert relative_error(p, lw.dynamics.mass_matrix(model, q) @ v) < 1e-12
    assert relative_error(n, expected) < 1e-11
    assert relative_error(momentum_change_regressor(model, q, v) @ lw.inertial_parameters(model), expected) < 1e-11
    h = 1e-6
    ahead, behind = (
        lw.dynamics.generalized_momentum(model, lw.dynamics.integrate(model, q, x * v), v + x * a)[0] for x in (h, -h)
    )
    tau = lw.dynamics.inverse_dynamics(model, q, v, a)
    assert relative_error((ahead - behind) / (2 * h), tau + n) < 1e-6 * (1.0 + np.abs(tau).max())


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_each_joint_type_in_a_chain(kind):
    model = random_tree([kind, kind, *JOINT_TYPES[:2], kind], seed=5, springs=False)
    q, v, a = state(model, 2)
    pi = lw.inertial_parameters(model)
    assert relative_error(regressor(model, q, v, a) @ pi, lw.dynamics.inverse_dynamics(model, q, v, a)) < 1e-12


def test_friction_has_columns_of_its_own():
    model = one_of_each(4)
    for joint in model.joints:
        model = model.with_joint(joint.name, stiffness=0.0)
    q, v, a = state(model, 3)
    Y = regressor(model, q, v, a, armature=True, friction=True)
    pi = lw.inertial_parameters(model, armature=True, friction=True)
    expected = lw.inverse_dynamics(model, q, v, a) - lw.passive_forces(model, q, v)
    assert relative_error(Y @ pi, expected) < 1e-12
    assert Y.shape == (model.nv, len(pi)) == (model.nv, len(lw.parameter_names(model, armature=True, friction=True)))


def test_friction_of_followers_counts_in_their_leaders():
    model = lw.Builder("pair")
    model.body("a", mass=1.0).body("b", mass=2.0)
    model.joint("j", "revolute", "world", "a", axis=[0, 0, 1], damping=0.1, friction=0.3, armature=0.7)
    model.joint("k", "revolute", "a", "b", axis=[0, 0, 1], damping=0.2, friction=0.5).mimic("k", "j", -1.0)
    pair = model.build()
    q, v, a = state(pair, 0)
    Y = lw.regressor(pair, q, v, a, armature=True, friction=True)
    pi = lw.inertial_parameters(pair, armature=True, friction=True)
    assert relative_error(Y @ pi, lw.inverse_dynamics(pair, q, v, a) - lw.passive_forces(pair, q, v)) < 1e-12
    assert pi[-3:] == pytest.approx([0.7, 0.3, 0.8])


def test_parameters_are_those_of_bodies_about_their_origins():
    model = one_of_each(1)
    pi = lw.inertial_parameters(model).reshape(-1, 10)
    names = np.array(lw.parameter_names(model)).reshape(-1, 10)
    for body, x, own in zip(model.bodies, pi, names, strict=True):
        c = body.center_of_mass
        I = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        assert (
            relative_error(x, np.array([body.mass, *(body.mass * c), *I[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]]))
            < 1e-12
        )
        assert list(own[[0, 1, 4, 9]]) == [f"{body.name}.{one}" for one in ("m", "mcx", "Ixx", "Izz")]


def test_columns_are_derivatives_by_the_parameters():
    """A column is what a body with that parameter alone takes: by another way, that of parametrized kernels."""
    arm = lw.load("arm7")
    q, v, a = state(arm, 1)
    kernel = lw.compile(lw.inverse_dynamics, arm, parameters=[f"{arm.bodies[4].name}.inertial"])
    ten = lw.inertial_parameters(arm)[40:50]
    Y = lw.regressor(arm, q, v, a)[:, 40:50]
    for k, unit in enumerate(np.eye(10)):
        assert np.abs(kernel(q, v, a, ten + unit) - kernel(q, v, a, ten) - Y[:, k]).max() < 1e-12


def test_a_mechanism_without_joints_has_no_rows():
    still = lw.Builder("still").build()
    nothing = np.zeros(0)
    assert lw.regressor(still, nothing, nothing, nothing, armature=True).shape == (0, 0)
    assert lw.energy_regressor(still, nothing, nothing).shape == (0,)


def test_what_is_requested_of_the_energy_is_checked():
    arm = lw.load("two_link")
    with pytest.raises(LinkwrightError, match="of is 'heat'; it may be 'total', 'kinetic' or 'potential'"):
        lw.energy_regressor(arm, [0, 0], [0, 0], of="heat")


def test_a_minimal_model_has_no_inertial_parameters():
    with pytest.raises(LinkwrightError, match="inertial parameters cannot be computed from a minimal model"):
        lw.inertial_parameters(lw.load("arm7").minimal())


@pytest.mark.parametrize("mimics", [False, True])
def test_a_model_is_made_of_a_vector_of_parameters(mimics):
    """And is dynamically the same, though what was welded to a body is now in it."""
    model = one_of_each(2, mimics=mimics)
    pi = lw.inertial_parameters(model, armature=True, friction=True)
    made = model.with_parameters(pi, armature=True, friction=True)
    assert relative_error(lw.inertial_parameters(made, armature=True, friction=True), pi) < 1e-12
    q, v, a = state(model, 3)
    assert relative_error(lw.inverse_dynamics(made, q, v, a), lw.inverse_dynamics(model, q, v, a)) < 1e-11
    other = lw.inertial_parameters(made.with_parameters(2.0 * lw.inertial_parameters(made)))
    assert relative_error(other, 2.0 * pi[: len(other)]) < 1e-12


def test_parameters_that_no_body_has_are_refused_by_name():
    arm = lw.load("two_link")
    pi = lw.inertial_parameters(arm)
    with pytest.raises(LinkwrightError, match=r"expected parameters of shape \(20,\), ten of each of 2 bodies; got"):
        arm.with_parameters(pi[:-1])
    heavy, flat = pi.copy(), pi.copy()
    heavy[10] = -1.0
    flat[4:10] = [1.0, 0.0, 1.0, 0.0, 0.0, 3.0]
    name = arm.bodies[1].name
    with pytest.raises(LinkwrightError, match=f"body '{name}': its mass is -1 kg"):
        arm.with_parameters(heavy)
    with pytest.raises(LinkwrightError, match="the largest exceeds the sum of the others"):
        arm.with_parameters(flat)
    with pytest.warns(match="violate the triangle inequality"):
        made = arm.with_parameters(flat, physical=False)
    assert lw.inertial_parameters(made) == pytest.approx(flat)
    with pytest.raises(LinkwrightError, match="its mass is -1 kg"):
        arm.with_parameters(heavy, physical=False)


def test_of_closed_loops_it_is_that_of_the_tree():
    model, q = with_loops(one_of_each(2), ["ball", "distance"], 4)
    _, v, a = state(model, 1)
    assert model.loops
    Y, pi = regressor(model, q, v, a, armature=True), lw.inertial_parameters(model, armature=True)
    assert relative_error(Y @ pi, lw.dynamics.inverse_dynamics(model, q, v, a)) < 1e-12


def test_symbols_give_expressions():
    arm = lw.load("two_link")
    q = lw.symbols("q", 2)
    Y = lw.regressor(arm, q, [0.3, -0.2], [1.0, 2.0])
    assert "q" in str(Y[0, 11])
    assert Y[1, 3] == 0.0


def test_a_function_of_users_has_it_with_its_derivatives():
    arm = lw.load("two_link")
    q, v, a = state(arm, 2)
    pi = lw.inertial_parameters(arm, armature=True)

    def power(model, q, v, a):
        return v @ (lw.regressor(model, q, v, a, armature=True) @ pi)

    kernel = lw.compile(power, arm)
    assert kernel(q, v, a) == pytest.approx(v @ lw.inverse_dynamics(arm, q, v, a))
    assert relative_error(kernel.derivative("a")(q, v, a), lw.mass_matrix(arm, q) @ v) < 1e-12


@pytest.mark.parametrize("seed", range(2))
def test_every_armature_that_is_listed_can_be_one_of_a_model(seed):
    model = one_of_each(seed, mimics=True)
    names = lw.parameter_names(model, armature=True)
    n = 10 * len(model.bodies)
    pi = lw.inertial_parameters(model, armature=True)
    pi[n:] = np.random.default_rng(seed).uniform(0.1, 1.0, len(pi) - n)
    made = model.with_parameters(pi, armature=True)
    assert relative_error(lw.inertial_parameters(made, armature=True), pi) < 1e-12
    q, v, a = state(made, seed)
    assert relative_error(lw.regressor(made, q, v, a, armature=True) @ pi, lw.inverse_dynamics(made, q, v, a)) < 1e-12
    listed = {name.removesuffix(".armature") for name in names[n:]}
    without = {f"{joint.name}.{k}" for joint in model.joints for k in (0, 1, 2) if joint.type == "free"}
    without |= {f"{joint.name}.{k}" for joint in model.joints for k in (0, 1) if joint.type == "planar"}
    assert without
    assert not without & listed
    assert len(names) == len(pi) == len(lw.base_parameters(model, armature=True).parameters)
