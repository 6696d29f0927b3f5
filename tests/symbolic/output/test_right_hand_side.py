"""The generated right-hand side: against forward dynamics, and SciPy's integration of it against simulate."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_equations import follower, once, with_joint
from test_explain import ball
from test_passive import damped_arm

import linkwright as lw
from generated import LANGUAGES, function_name
from linkwright.dynamics.configuration import configuration_rate
from linkwright.errors import ModelError
from linkwright.model.build.description import JOINT_NAMES
from linkwright.symbolic import equations
from mechanisms import relative_error, state


def sprung():
    """Springs and dampers between bodies: plain, slack below a length, with a bend."""
    arm = lw.load("two_link")
    first, second = (body.name for body in arm.bodies)
    return (
        lw.Builder(arm)
        .spring(("world", [0.3, 0.5, 0.0]), (second, [0.7, 0.1, 0.0]), 30.0, 2.0, 0.5)
        .spring("world", (second, [1.0, 0.0, 0.0]), 20.0, length=(0.0, 0.4), through=[(first, [0.5, 0.2, 0.0])])
        .spring(first, (second, [0.0, 0.4, 0.0]), damping=3.0)
        .build()
    )


CASES = {
    "two_link": lambda: lw.load("two_link"),
    "ball": ball,
    "free": lambda: lw.load("chain3d:2"),
    "damped_arm": damped_arm,
    "follower": follower,
    "springs": sprung,
    "puma560": lambda: lw.load("puma560"),
}


@cache
def mechanism(case: str) -> lw.Model:
    return CASES[case]()


def python_function(source: str):
    scope: dict = {}
    exec(source, scope)
    return scope[function_name(source)]


def derivative(model, q, v, tau) -> np.ndarray:
    efforts = tau + lw.passive_forces(model, q, v)
    return np.concatenate([configuration_rate(model, q, v), lw.forward_dynamics(model, q, v, efforts)])


@pytest.mark.variants("language", "parameters")
@pytest.mark.parametrize("parameters", ["numbers", "symbols"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_every_language_agrees_with_forward_dynamics(case, language, parameters, tmp_path):
    model = mechanism(case)
    made = once(model, parameters)
    function = LANGUAGES[language](getattr(made, language)("rhs"), tmp_path)
    p = [np.array(list(made.parameters.values()))] if made.parameters else []
    for seed in range(2):
        q, v, tau = state(model, seed)
        (found,) = function([np.zeros(()), np.concatenate([q, v]), tau, *p], [(model.nq + model.nv,)])
        assert relative_error(found, derivative(model, q, v, tau)) < 1e-12


@pytest.mark.parametrize("kind", [kind for kind in JOINT_NAMES if kind != "fixed"])
def test_every_joint_type(kind):
    model = with_joint(kind)
    function = python_function(equations(model).python("rhs"))
    q, v, tau = state(model, 1)
    y = np.concatenate([q, v])
    assert relative_error(function(0.0, y, tau), derivative(model, q, v, tau)) < 1e-12
    assert relative_error(function(0.0, y), derivative(model, q, v, 0.0 * tau)) < 1e-12
    assert list(inspect.signature(function).parameters) == ["t", "y", "tau", "p"]


@pytest.mark.parametrize(
    ("case", "v0", "limit"),
    [
        ("two_link", (0.0, 0.0), 1e-9),
        ("ball", (1.0, -0.5, 2.0), 1e-10),
        ("free", (0.3, -0.2, 0.5, 1.0, -0.7, 0.4, 1.5), 1e-9),
        ("damped_arm", (1.0, -2.0), 1e-9),
    ],
)
def test_scipy_reproduces_the_simulation(case, v0, limit):
    """Over 3 s; the two-link arm, from 30° and 30°, is chaotic."""
    model = CASES[case]()
    q0 = np.full(2, np.pi / 6) if model.nq == 2 else model.random(seed=2)
    motion = lw.simulate(model, q0, np.array(v0), 3.0, 1e-4, every=1000)
    function = python_function(equations(model).python("rhs"))
    y0 = np.concatenate([q0, v0])
    found = solve_ivp(function, (0.0, 3.0), y0, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=motion.t)
    assert found.success
    assert np.abs(found.y.T - np.concatenate([motion.q, motion.v], axis=1)).max() < limit


def test_efforts_and_parameters_can_be_given():
    model = lw.load("two_link")
    made = equations(model)
    function = python_function(made.python("rhs"))
    heavier = made.parameters | {"m2": 3.0}
    assert function(0.0, [0.3, 0.2, 0.1, 0.4], [1.0, 2.0], tuple(heavier.values())) != function(
        0.0, [0.3, 0.2, 0.1, 0.4], [1.0, 2.0]
    )


def test_what_has_no_accelerations_is_refused():
    builder = lw.Builder("massless").body("a", 0.0).body("b", 1.0, inertia=0.1)
    builder.joint("slide", "prismatic", "a", "b").joint("loose", "prismatic", "world", "a", axis=(1, 0, 0))
    builder.joint("nothing", "revolute", "b", "c").body("c", 0.0)
    with pytest.raises(ModelError, match="mass matrix is singular"):
        equations(builder.build()).python("rhs")
    sprung = (
        lw.Builder("sprung").body("a", 1.0, inertia=0.1).joint("j", "spherical", "world", "a").joint_spring("j", 1.0)
    )
    with pytest.raises(ModelError, match="'j' resists a rotation vector"):
        equations(sprung.build()).c("rhs")
